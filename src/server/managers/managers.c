/* SPDX-License-Identifier: Apache-2.0
 * All resource managers: which there are, whose job or node it is, what is waited for.
 *
 * One of them is plain: its jobs bear their own ids (border.h). It is the first of
 * RMCFG when the daemon begins for the first time, and stays that, in whatever order
 * the lines stand later: ids are what everything of a job is remembered by. Where there
 * is one manager it is the plain one, unless jobs are remembered by its name. */
#define LOG_FACILITY FACILITY_RM
#include "base/strbuf.h"
#include "cluster/partition.h"
#include "cluster/rmset.h"
#include "rm/wire.h"
#include "server/durable/nodekeep.h"
#include "server/durable/passed.h"
#include "server/durable/record.h"
#include "server/durable/restless.h"
#include "server/managers/private.h"
#include "server/server_private.h"

#define KIND  "manager"
#define PLAIN "plain"
#define SILENT_US                                                                      \
    UINT64_C(30000000) /* that long the others are kept waiting for one                \
                        */

struct sections {
    struct VEC(const struct raw_object *) v;
};

/* Those of RMCFG, in their order; with --nodes the first alone counts. */
static void find_sections(const struct server *s, struct sections *ret)
{
    const struct settings *cfg = s->config->settings;

    for (size_t i = 0; i < cfg->raw.n; i++)
        if (strcmp(cfg->raw.v[i].kind, "RMCFG") == 0
            && (!s->opt.nodes || ret->v.n == 0))
            vec_push(&ret->v, &cfg->raw.v[i]);
    if (ret->v.n == 0)
        vec_push(&ret->v, NULL); /* the local one is where no section says otherwise */
}

static const char *name_of(const struct raw_object *section)
{
    return section ? section->name : "local";
}

bool manager_can_checkpoint(const struct server *s)
{
    struct sections all = {0};
    bool can = true;
    struct err err;

    if (s->simulation)
        return true;
    find_sections(s, &all);
    for (size_t i = 0; i < all.v.n; i++) {
        const struct rm_driver *driver =
            manager_driver(s->opt.nodes ? NULL : all.v.v[i], &err);
        can &= !driver || !(driver->cannot >> RM_CHECKPOINT & 1);
    }
    vec_fini(&all.v);
    return can;
}

/* ---- which is plain -------------------------------------------------------------- */

static int begins_with(void *ctx, const char *key, const char *value)
{
    const char *name = ctx;
    size_t n = strlen(name);

    (void)value;
    return strncmp(key, name, n) == 0 && key[n] == '.';
}

/* Are jobs of that manager remembered by its name? */
static bool is_in_ids(struct server *s, const char *name)
{
    struct err err;

    return store_each(s->store, "job", begins_with, (void *)(uintptr_t)name, &err) > 0;
}

/* Its name; owned by the caller. */
static char *choose_plain(struct server *s, const struct sections *all)
{
    const char *first = name_of(all->v.v[0]);
    char *before = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    (void)store_get(s->store, KIND, PLAIN, &before, &err);
    if (before && (strcmp(before, first) == 0 || all->v.n > 1 || is_in_ids(s, first)))
        return before;
    free(before);
    unsaved_put(s->unsaved, KIND, PLAIN, first);
    return xstrdup(first);
}

/* ---- names that were ------------------------------------------------------------- */

#define NAMED "named:"

static int load_name(void *ctx, const char *key, const char *value)
{
    struct managers *all = ctx;
    size_t n = strlen(NAMED);

    (void)value;
    if (strncmp(key, NAMED, n) == 0 && !managers_has(all->s, key + n))
        vec_push(&all->former, xstrdup(key + n));
    return 0;
}

/* A job of one whose line is gone is not taken for the plain one's. */
static void recall_names(struct managers *all)
{
    struct err err;

    for (size_t i = 0; i < all->v.n; i++) {
        char key[300];
        snprintf(key, sizeof key, NAMED "%s", all->v.v[i]->name);
        if (all->v.v[i]->known_as)
            unsaved_put(all->s->unsaved, KIND, key, "1");
    }
    (void)store_each(all->s->store, KIND, load_name, all, &err);
}

/* Nothing is remembered of its jobs any more. */
static void forget_names(struct managers *all)
{
    while (all->former.n) {
        char *name = all->former.v[--all->former.n], key[300];
        snprintf(key, sizeof key, NAMED "%s", name);
        unsaved_delete(all->s->unsaved, KIND, key);
        free(name);
    }
}

static bool is_formers(const struct managers *all, const char *id)
{
    size_t len = strcspn(id, ".");

    for (size_t i = 0; id[len] && i < all->former.n; i++)
        if (strncmp(all->former.v[i], id, len) == 0 && !all->former.v[i][len])
            return true;
    return false;
}

/* ---- begin and end --------------------------------------------------------------- */

/* What the lines say. Owned by the caller. */
static char *write_lines(const struct server *s)
{
    struct sections all = {0};
    struct strbuf text = {0};

    find_sections(s, &all);
    for (size_t i = 0; i < all.v.n; i++) {
        const struct raw_object *o = all.v.v[i];
        strbuf_printf(&text, "[%s]\n", name_of(o));
        for (size_t k = 0; o && k < o->attrs.n; k++)
            strbuf_printf(&text, "%s=%s\n", o->attrs.v[k].name, o->attrs.v[k].value);
    }
    vec_fini(&all.v);
    return strbuf_take(&text);
}

void manager_configure(struct server *s)
{
    struct managers *all = s->managers;

    if (!all || !all->lines || s->opt.nodes)
        return;
    char *now = write_lines(s);
    all->changed = strcmp(now, all->lines) != 0;
    free(now);
    if (all->changed)
        commit_want(s); /* behind which anew_look() looks */
}

bool managers_changed(const struct server *s)
{
    return s->managers && s->managers->changed;
}

/* While the daemon serves one that cannot be opened is as one that does not answer: a
 * line that is wrong takes nobody else along. */
static int begin_one(
    struct manager *m, const struct raw_object *section, struct err *err)
{
    if (manager_begin(m, section, err) == 0)
        return 0;
    if (!m->s->http || !m->driver || !managers_several(m->s))
        return -1;
    log_line(m->s->log, LOG_ALERT, "%s", err->text);
    m->away = true;
    return 0;
}

static int begin_all(struct server *s, struct err *err)
{
    struct managers *all = s->managers;
    struct sections sections = {0};
    int result = 0;

    find_sections(s, &sections);
    char *plain = choose_plain(s, &sections);
    for (size_t i = 0; i < sections.v.n; i++) {
        const char *name = name_of(sections.v.v[i]);
        vec_push(&all->v, manager_new(s, name, strcmp(name, plain) == 0));
    }
    all->lines = write_lines(s);
    if (all->v.n > 1)
        rmset_call_first(engine_cluster(s->engine), plain);
    recall_names(all);
    nodekeep_open(s);
    all->meeting = all->v.n > 1 && nodekeep_is_empty(s);
    outbox_recall(all);
    for (size_t i = 0; i < all->v.n && result == 0; i++)
        result = begin_one(all->v.v[i], sections.v.v[i], err);
    free(plain);
    vec_fini(&sections.v);
    return result;
}

int manager_open(struct server *s, struct err *err)
{
    struct managers *all = xcalloc(1, sizeof *all);

    all->s = s;
    s->managers = all;
    passed_load(s);
    restless_load(s);
    all->since_us = UINT64_MAX;
    if (!s->simulation)
        return begin_all(s, err);
    vec_push(&all->v, manager_new(s, "simulation", true));
    return manager_simulate(all->v.v[0], err);
}

void manager_close(struct server *s)
{
    struct managers *all = s->managers;

    if (!all)
        return;
    for (size_t i = 0; i < all->v.n; i++)
        manager_end(all->v.v[i]);
    vec_fini(&all->v);
    for (size_t i = 0; i < all->former.n; i++)
        free(all->former.v[i]);
    vec_fini(&all->former);
    free(all->lines);
    free(all);
    s->managers = NULL;
    nodekeep_close(s);
    passed_forget(s);
}

/* ---- which ----------------------------------------------------------------------- */

bool managers_several(const struct server *s)
{
    return s->managers && s->managers->v.n > 1;
}

bool managers_has(const struct server *s, const char *name)
{
    for (size_t i = 0; s->managers && i < s->managers->v.n; i++)
        if (strcmp(s->managers->v.v[i]->name, name) == 0)
            return true;
    return false;
}

/* NULL = the plain one. */
static struct manager *find_known(const struct managers *all, const char *known_as)
{
    for (size_t i = 0; i < all->v.n; i++) {
        struct manager *m = all->v.v[i];
        if (known_as ? m->known_as && strcmp(m->known_as, known_as) == 0 : !m->known_as)
            return m;
    }
    return NULL;
}

static struct manager *find_by_rm(const struct server *s, uint32_t rm)
{
    const struct managers *all = s->managers;
    const char *name;

    if (all->v.n == 1)
        return all->v.v[0];
    name = rmset_name(engine_cluster(s->engine), rm);
    return find_known(all, *name ? name : NULL);
}

struct manager *managers_of(const struct server *s, const struct job *j)
{
    return find_by_rm(s, job_rm(j));
}

struct manager *managers_of_node(const struct server *s, const struct node *n)
{
    return find_by_rm(s, n->rm);
}

const struct manager *managers_named(
    const struct server *s, const char *id, const char **ret_rest)
{
    const struct managers *all = s->managers;
    size_t len = strcspn(id, ".");

    for (size_t i = 0; id[len] && i < all->v.n; i++) {
        const char *name = all->v.v[i]->name;
        if (strncmp(name, id, len) == 0 && !name[len]) {
            *ret_rest = id + len + 1;
            return all->v.v[i];
        }
    }
    return NULL;
}

struct manager *managers_of_id(const struct server *s, const char *id)
{
    struct manager *plain = find_known(s->managers, NULL);
    const char *rest;

    if (is_formers(s->managers, id))
        return NULL;
    if (plain && s->managers->v.n == 1)
        return plain;
    const struct manager *named = managers_named(s, id, &rest);
    return named ? find_known(s->managers, named->known_as) : plain;
}

bool managers_claims(const struct server *s, const char *id, const void *ctx)
{
    return managers_of_id(s, id) == ctx;
}

const char *managers_label(const struct manager *m)
{
    return managers_several(m->s) ? m->name : m->driver ? m->driver->type : m->name;
}

const char *manager_label(const struct server *s, uint32_t rm)
{
    const struct manager *m = find_by_rm(s, rm);

    return m ? managers_label(m) : "";
}

const char *manager_label_of(const struct server *s, const char *job)
{
    const struct manager *m = s->managers ? managers_of_id(s, job) : NULL;

    return m ? managers_label(m) : "unknown";
}

bool manager_is_local(const struct server *s, const char *job)
{
    const struct manager *m = s->managers ? managers_of_id(s, job) : NULL;

    return m && m->driver && strcmp(m->driver->type, "LOCAL") == 0;
}

bool manager_numbers(const struct server *s, const char *id)
{
    const struct manager *m = s->managers ? managers_of_id(s, id) : NULL;

    return m && m->driver && m->driver->take_id;
}

const char *manager_at(const struct server *s, size_t i, bool *ret_up)
{
    if (!s->managers || i >= s->managers->v.n)
        return NULL;
    *ret_up = health_is_up(s->managers->v.v[i]);
    return managers_label(s->managers->v.v[i]);
}

json_t *manager_describe(const struct server *s)
{
    json_t *list = json_array();

    for (size_t i = 0; s->managers && i < s->managers->v.n; i++)
        json_array_append_new(list, health_describe(s->managers->v.v[i]));
    return list;
}

/* ---- for a submission ------------------------------------------------------------ */

/* Whose partition, or whose name, is that? NULL: nobody's. */
static struct manager *find_by_partition(const struct server *s, const char *name)
{
    const struct cluster *c = engine_cluster(s->engine);
    uint32_t p = partition_find(c, name);
    uint32_t rm = p != INDEX_NONE ? rmset_of_partition(c, p) : INDEX_NONE;

    if (rm != INDEX_NONE)
        return find_by_rm(s, rm);
    for (size_t i = 0; i < s->managers->v.n; i++)
        if (strcmp(s->managers->v.v[i]->name, name) == 0)
            return s->managers->v.v[i];
    return NULL;
}

/* It asks for that one as well: one of the partitions it names has to be that one's,
 * but all of the nodes. */
static struct manager *find_by_nodes(
    const struct server *s, const struct job_desc *d, bool *ret_mixed)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct manager *whose = NULL;

    for (uint32_t i = 0; i < d->nreqs; i++)
        for (const char *const *h = d->reqs[i].hosts; h && *h; h++) {
            const struct node *n = node_find(c, *h);
            struct manager *m = n ? managers_of_node(s, n) : NULL;
            *ret_mixed |= whose && m && m != whose;
            whose = whose ? whose : m;
        }
    return whose;
}

struct manager *manager_pick(
    const struct server *s, const struct job_desc *d, struct err *err)
{
    struct managers *all = s->managers;
    struct manager *m = NULL, *of_nodes;
    bool mixed = false;

    if (all->v.n == 1)
        return all->v.v[0];
    for (const char *const *p = d->partitions; !m && p && *p; p++)
        m = find_by_partition(s, *p);
    of_nodes = find_by_nodes(s, d, &mixed);
    if (mixed || (m && of_nodes && m != of_nodes)) {
        err_set(err, ERR_INVALID,
            "the job asks for nodes of several resource managers: it can run on those "
            "of one");
        return NULL;
    }
    return m ? m : of_nodes ? of_nodes : all->v.v[0];
}

/* ---- who has told what ----------------------------------------------------------- */

bool managers_all_synced(const struct server *s)
{
    for (size_t i = 0; i < s->managers->v.n; i++)
        if (!s->managers->v.v[i]->synced)
            return false;
    return true;
}

bool managers_all_answer(const struct server *s)
{
    for (size_t i = 0; i < s->managers->v.n; i++)
        if (!s->managers->v.v[i]->synced || s->managers->v.v[i]->away
            || !health_is_up(s->managers->v.v[i]))
            return false;
    return true;
}

static bool is_before_its_turn(const struct manager *m)
{
    const struct managers *all = m->s->managers;

    for (size_t i = 0; all->meeting && i < all->v.n && all->v.v[i] != m; i++)
        if (!all->v.v[i]->synced)
            return true;
    return false;
}

bool managers_hold(struct manager *m, const struct rm_report *r)
{
    if (r->kind == RM_HEALTH || r->kind == RM_DONE || !is_before_its_turn(m))
        return false;
    vec_push(&m->held, wire_report(r));
    return true;
}

void managers_hear(struct managers *all)
{
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i]->held.n && !is_before_its_turn(all->v.v[i]))
            manager_hear(all->v.v[i]);
}

void managers_tell_away(struct manager *m)
{
    struct event ev = {
        .kind = EVENT_MANAGER, .u.manager = {.name = m->known_as, .away = m->away}};

    if (!managers_several(m->s) || m->told_away == m->away)
        return;
    m->told_away = m->away;
    manager_apply(m, &ev, m->name);
}

static bool is_silent(const struct managers *all)
{
    return manager_clock(all->v.v[0]) - all->since_us > SILENT_US;
}

/* Is there nothing more to wait for, but for those that may never answer? */
static bool has_waited_enough(struct managers *all)
{
    bool any = false, all_away = true;

    for (size_t i = 0; i < all->v.n; i++) {
        any |= all->v.v[i]->synced;
        all_away &= all->v.v[i]->synced || all->v.v[i]->away;
    }
    return any && (all_away || is_silent(all));
}

/* Whose turn it is does not answer, so the others are heard. */
static bool has_met_enough(const struct managers *all)
{
    for (size_t i = 0; i < all->v.n; i++)
        if (!all->v.v[i]->synced)
            return all->v.v[i]->away || is_silent(all);
    return true;
}

static void give_up(struct manager *m)
{
    log_line(m->s->log, LOG_ALERT,
        "resource manager %s has not told anything: the others go on without it, its "
        "jobs and nodes come when it answers",
        m->name);
    m->away = true;
    managers_tell_away(m);
    nodekeep_recall(m->s, m->name);
}

static bool is_nobodys(const struct server *s, const char *id, const void *ctx)
{
    (void)ctx;
    if (managers_of_id(s, id))
        return false;
    log_line(s->log, LOG_WARNING,
        "job '%s' is of a resource manager that is not configured any more: it goes on "
        "there, if it runs, without the scheduler",
        id);
    return true;
}

void manager_wait(struct server *s)
{
    struct managers *all = s->managers;

    if (!all || all->waited || !all->v.n)
        return;
    if (all->since_us == UINT64_MAX)
        all->since_us = manager_clock(all->v.v[0]);
    if (all->meeting && has_met_enough(all)) {
        all->meeting = false;
        managers_hear(all);
    }
    if (!managers_all_synced(s) && !has_waited_enough(all))
        return;
    all->waited = true;
    for (size_t i = 0; i < all->v.n; i++)
        if (!all->v.v[i]->synced)
            give_up(all->v.v[i]);
    if (s->simulation)
        return;
    record_forget_unclaimed(s, is_nobodys, NULL);
    forget_names(all);
}

bool manager_synced(const struct server *s)
{
    return s->managers && s->managers->waited;
}

bool manager_ready(const struct server *s)
{
    const struct managers *all = s->managers;
    bool any = false;

    for (size_t i = 0; all && all->waited && i < all->v.n; i++)
        any |= all->v.v[i]->synced && !all->v.v[i]->away;
    return any;
}

bool manager_knows(const struct server *s, const char *known_as)
{
    const struct manager *m = s->managers ? find_known(s->managers, known_as) : NULL;

    return m && m->synced;
}

bool manager_idle(const struct server *s)
{
    const struct managers *all = s->managers;
    bool changed = managers_changed(s);

    for (size_t i = 0; all && i < all->v.n; i++) {
        const struct manager *m = all->v.v[i];
        if (changed && m->away)
            continue;
        if (!m->synced || !health_is_up(m) || m->away || m->submissions.n
            || !outbox_idle(m))
            return false;
    }
    return all != NULL;
}

const char *manager_waited_for(const struct server *s, const char **ret_failure)
{
    const struct managers *all = s->managers;

    *ret_failure = NULL;
    for (size_t i = 0; all && i < all->v.n; i++) {
        const struct manager *m = all->v.v[i];
        if (m->synced && !m->away)
            continue;
        *ret_failure = health_last_failure(m);
        return m->driver ? managers_label(m) : "the resource manager";
    }
    return "the resource manager";
}
