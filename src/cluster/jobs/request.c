/* SPDX-License-Identifier: Apache-2.0
 * Requests of a job: checked as told, then made into task definitions. */
#include "cluster/jobs/private.h"

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

static int gres_check(const struct gres_cfg *gres, struct err *err)
{
    for (; gres && gres->name; gres++) {
        if (name_check("generic resource", gres->name, err))
            return -1;
        if (amount_check("amount", gres->count, 0, INT32_MAX, err))
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
    return amount_check("tasks", d->tasks, 0, INT32_MAX, err)
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
    for (int i = RES_MEM; i < RES_DIMS; i++)
        if (d->per_task.v[i] > AMOUNT_MAX / tasks)
            return err_set(err, ERR_INVALID,
                "%lld tasks of %lld MB are more than %lld MB", (long long)tasks,
                (long long)d->per_task.v[i], (long long)AMOUNT_MAX);
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
        || gres_check(d->gres, err) || gres_check(d->job_gres, err)
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

static void draft_lists(struct cluster *c, struct taskdef *t, const struct req_desc *d)
{
    for (const char *const *f = d->features; f && *f; f++)
        vec_push(&t->features, names_intern(c->features, *f));
    for (const char *const *f = d->prefs; f && *f; f++)
        vec_push(&t->prefs, names_intern(c->features, *f));
    for (const char *const *f = d->exclude; f && *f; f++)
        vec_push(&t->exclude, node_find(c, *f)->index);
}

/* Hosts keep the order they were listed in; a second mention counts for nothing. */
static void draft_hosts(struct cluster *c, struct taskdef *t, const struct req_desc *d)
{
    if (!d->hosts || !*d->hosts)
        return;
    bool *seen = xcalloc(c->nodes.n, sizeof *seen);
    for (const char *const *h = d->hosts; *h; h++) {
        uint32_t i = node_find(c, *h)->index;
        if (!seen[i])
            vec_push(&t->hosts, i);
        seen[i] = true;
    }
    free(seen);
}

/* An amount by name, added to what is there of it already. */
static void draft_gres(
    struct cluster *c, struct gres_amounts *list, const struct gres_cfg *from)
{
    for (const struct gres_cfg *g = from; g && g->name; g++) {
        uint32_t id = names_intern(c->gres, g->name);
        int64_t count = g->count ? g->count : 1;
        size_t i = 0;
        while (i < list->n && list->v[i].id != id)
            i++;
        if (i < list->n)
            list->v[i].count += count;
        else
            vec_push(list, ((struct gres){id, count}));
    }
}

struct req req_make(
    struct cluster *c, const struct req_desc *d, uint32_t tasks, uint32_t cls)
{
    struct req r = {.tasks = tasks, .nodes = d->nodes};
    struct taskdef t = {.per_task = d->per_task,
        .tpn = d->tpn,
        .cls = cls ? cls : INDEX_NONE,
        .os = id_or_none(c->oses, d->os),
        .arch = id_or_none(c->arches, d->arch),
        .network = id_or_none(c->networks, d->network),
        .procs = d->procs,
        .mem = d->mem,
        .swap = d->swap,
        .disk = d->disk,
        .access = d->access,
        .nodealloc = d->nodealloc,
        .nodeset = d->nodeset,
        .exact = d->exact,
        .exactnode = d->exact || c->cfg->match_exactnode,
        .exactproc = c->cfg->match_exactproc};

    if (!t.per_task.v[RES_PROCS])
        t.per_task.v[RES_PROCS] = 1;
    draft_lists(c, &t, d);
    draft_hosts(c, &t, d);
    draft_gres(c, &t.gres, d->gres);
    draft_gres(c, &t.job_gres, d->job_gres);
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
