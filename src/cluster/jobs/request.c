/* SPDX-License-Identifier: Apache-2.0
 * Requests of a job: checked as told, then made into task definitions. */
#include "cluster/attribute.h"
#include "cluster/jobs/private.h"
#include "config/settings.h"

/* ---- checks ------------------------------------------------------------------ */

static int hosts_check(
    const struct cluster *c, const char *const *hosts, struct err *err)
{
    for (; hosts && *hosts; hosts++) {
        if (node_find(c, *hosts))
            continue;
        const char *near = names_nearest(c->node_names, *hosts);
        return err_set(err, ERR_NOT_FOUND, "no node is named '%s'%s%s%s", *hosts,
            near ? ", the nearest name is '" : "", near ? near : "", near ? "'" : "");
    }
    return 0;
}

static int names_list_check(const char *what, const char *const *list, struct err *err)
{
    for (; list && *list; list++)
        if (name_check(what, *list, err))
            return -1;
    return 0;
}

/* Of all tasks together no more than of memory, so that no sum overflows. */
static int gres_check(const struct gres_cfg *gres, int64_t tasks, struct err *err)
{
    for (; gres && gres->name; gres++) {
        if (name_check("generic resource", gres->name, err))
            return -1;
        if (amount_check("amount", gres->count, 0, AMOUNT_MAX / tasks, err))
            return err_prefix(err, "generic resource '%s': ", gres->name);
    }
    return 0;
}

static int amounts_check(const struct req_desc *d, struct err *err)
{
    static const char what[RES_DIMS][24] = {"processors per task",
        "memory per task in MB", "swap per task in MB", "disk per task in MB"};

    for (int i = 0; i < RES_DIMS; i++) {
        int64_t max = i == RES_PROCS ? INT32_MAX : AMOUNT_MAX;
        if (amount_check(what[i], d->per_task.v[i], -1, max, err))
            return -1;
    }
    if (d->per_task.v[RES_MEM] < 0 && d->mem_per_node_mb > 0)
        return err_set(err, ERR_INVALID,
            "all memory of each node is asked for, and %lld MB of each besides",
            (long long)d->mem_per_node_mb);
    return amount_check("memory per node in MB", d->mem_per_node_mb, 0, AMOUNT_MAX, err)
                   || amount_check("tasks", d->tasks, 0, INT32_MAX, err)
                   || amount_check("nodes", d->nodes, 0, INT32_MAX, err)
                   || amount_check("tasks per node", d->tpn, 0, INT32_MAX, err)
               ? -1
               : 0;
}

/* Tasks asked for; where only nodes or tasks per node were, those decide. */
static int64_t tasks_of(const struct req_desc *d)
{
    if (d->tasks)
        return d->tasks;
    return (int64_t)(d->nodes ? d->nodes : 1) * (d->tpn ? d->tpn : 1);
}

static int size_check(const struct req_desc *d, int64_t tasks, struct err *err)
{
    int64_t procs = d->per_task.v[RES_PROCS] > 0 ? d->per_task.v[RES_PROCS] : 1;

    if (amount_check("tasks", tasks, 1, INT32_MAX, err))
        return -1;
    if (procs > INT32_MAX / tasks)
        return err_set(err, ERR_INVALID,
            "%lld tasks of %lld processors are more than %d processors",
            (long long)tasks, (long long)procs, INT32_MAX);
    for (int i = RES_MEM; i < RES_DIMS; i++) {
        int64_t mb = d->per_task.v[i] + (i == RES_MEM ? d->mem_per_node_mb : 0);
        if (mb > AMOUNT_MAX / tasks)
            return err_set(err, ERR_INVALID,
                "%lld tasks of %lld MB are more than %lld MB", (long long)tasks,
                (long long)mb, (long long)AMOUNT_MAX);
    }
    if (d->nodes > tasks)
        return err_set(err, ERR_INVALID,
            "%u nodes are asked for but only %lld task%s, expected a task for each "
            "node",
            d->nodes, (long long)tasks, tasks == 1 ? "" : "s");
    return 0;
}

int req_check(const struct cluster *c, const struct req_desc *d, uint32_t *ret_tasks,
    struct err *err)
{
    int64_t tasks = tasks_of(d);

    if (amounts_check(d, err) || size_check(d, tasks, err)
        || names_list_check("feature", d->features, err)
        || names_list_check("preferred feature", d->prefs, err)
        || gres_check(d->gres, tasks, err) || gres_check(d->job_gres, 1, err)
        || hosts_check(c, d->hosts, err) || hosts_check(c, d->exclude, err))
        return -1;
    *ret_tasks = (uint32_t)tasks;
    return 0;
}

/* ---- making ------------------------------------------------------------------ */

static uint32_t id_or_none(struct names *n, const char *text)
{
    return text && *text ? names_intern(n, text) : NAME_NONE;
}

static void put_names(struct names *n, struct ids *ret, const char *const *list)
{
    ret->n = 0;
    for (; list && *list; list++)
        vec_push(ret, names_intern(n, *list));
}

/* Nodes keep the order they were listed in; a second mention counts for nothing. */
static void put_nodes(const struct cluster *c, struct ids *ret, const char *const *list)
{
    ret->n = 0;
    if (!list || !*list)
        return;
    bool *seen = xcalloc(c->nodes.n, sizeof *seen);
    for (; *list; list++) {
        uint32_t i = node_find(c, *list)->index;
        if (!seen[i])
            vec_push(ret, i);
        seen[i] = true;
    }
    free(seen);
}

/* An amount by name, added to what is there of it already. */
static void put_amounts(
    struct names *n, struct gres_amounts *ret, const struct gres_cfg *from)
{
    ret->n = 0;
    for (const struct gres_cfg *g = from; g && g->name; g++) {
        uint32_t id = names_intern(n, g->name);
        int64_t count = g->count ? g->count : 1;
        size_t i = 0;
        while (i < ret->n && ret->v[i].id != id)
            i++;
        if (i < ret->n)
            ret->v[i].count += count;
        else
            vec_push(ret, ((struct gres){id, count}));
    }
}

static void put_member(struct cluster *c, const struct req_attribute *a,
    const struct req_desc *d, struct taskdef *draft)
{
    const void *from = attribute_in(d, a->desc_at);
    void *to = attribute_in(draft, a->def_at);
    struct names *names =
        a->names_at ? *(struct names **)attribute_in(c, a->names_at) : NULL;

    switch (a->type) {
    case ATTRIBUTE_TEXT:
        *(uint32_t *)to = id_or_none(names, *(const char *const *)from);
        break;
    case ATTRIBUTE_NAMES:
        put_names(names, to, *(const char *const *const *)from);
        break;
    case ATTRIBUTE_NODES:
        put_nodes(c, to, *(const char *const *const *)from);
        break;
    case ATTRIBUTE_AMOUNTS:
        put_amounts(names, to, *(const struct gres_cfg *const *)from);
        break;
    case ATTRIBUTE_NUMBER:
        *(int64_t *)to = *(const int64_t *)from;
        break;
    case ATTRIBUTE_COMPARISON:
        *(struct cmp *)to = *(const struct cmp *)from;
        break;
    case ATTRIBUTE_COUNT:
    case ATTRIBUTE_WORD:
        *(uint32_t *)to = *(const uint32_t *)from;
        break;
    case ATTRIBUTE_CRED:
    case ATTRIBUTE_FLAGS:
    case ATTRIBUTE_DEPS:
    case ATTRIBUTE_BOOL:
    case ATTRIBUTE_NODESET:
        memcpy(to, from, attribute_size(a->type));
        break;
    }
}

void req_draft(
    struct cluster *c, const struct req_desc *d, unsigned what, struct taskdef *draft)
{
    const struct req_attribute *a;

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++)
        if (a->def_at && (!what || (a->change & what)))
            put_member(c, a, d, draft);
    if (!draft->per_task.v[RES_PROCS])
        draft->per_task.v[RES_PROCS] = 1;
}

struct req req_make(
    struct cluster *c, const struct req_desc *d, uint32_t tasks, uint32_t cls)
{
    struct req r = {.tasks = tasks, .nodes = d->nodes};
    struct taskdef t = {.cls = cls ? cls : INDEX_NONE,
        .exactnode = d->exact || c->cfg->match_exactnode,
        .exactproc = c->cfg->match_exactproc};

    req_draft(c, d, 0, &t);
    r.asked = taskdef_intern(c, &t);
    if (t.access == ACCESS_UNSET)
        t.access = c->cfg->node_access;
    if (t.access == ACCESS_UNSET)
        t.access = ACCESS_SHARED;
    r.def = taskdef_with_access(c, r.asked, &t);
    t.nodeset = NULL; /* the description's */
    taskdef_fini(&t);
    return r;
}
