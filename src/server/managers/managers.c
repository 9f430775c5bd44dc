/* SPDX-License-Identifier: Apache-2.0
 * All resource managers: which there are, whose job or node it is, what is waited for.
 * Where there is one manager it is the plain one (names.h), unless its jobs are called
 * by its name already. */
#define LOG_FACILITY FACILITY_RM
#include "base/strbuf.h"
#include "cluster/partition.h"
#include "cluster/rmset.h"
#include "rm/wire.h"
#include "server/api/rights.h"
#include "server/durable/nodekeep.h"
#include "server/durable/passed.h"
#include "server/durable/record.h"
#include "server/durable/restless.h"
#include "server/events/eventlog.h"
#include "server/managers/floats.h"
#include "server/managers/limits.h"
#include "server/managers/lines.h"
#include "server/managers/names.h"
#include "server/managers/nodewords.h"
#include "server/managers/private.h"
#include "server/server_private.h"

/* That long the others are kept waiting for one. */
#define SILENT_US UINT64_C(30000000)

bool manager_can_checkpoint(const struct server *s)
{
    bool can = true;
    struct err err;

    if (s->simulation)
        return true;
    struct rmlines *lines = rmlines_read(s);
    for (size_t i = 0; i < rmlines_count(lines); i++) {
        const struct rm_driver *driver =
            manager_driver(s->opt.nodes ? NULL : rmlines_at(lines, i), &err);
        can &= !driver || !(driver->cannot >> RM_CHECKPOINT & 1);
    }
    rmlines_free(lines);
    return can;
}

/* One that was left open, of which manager. */
struct left_one {
    char *name;
    struct rm *rm;
};

/* Between two engines. */
struct rmleft {
    struct rmlines *lines; /* by which they were open */
    struct VEC(struct left_one) v;
};

/* ---- begin and end --------------------------------------------------------------- */

void manager_configure(struct server *s)
{
    struct managers *all = s->managers;

    if (!all || !all->lines || s->opt.nodes)
        return;
    struct rmlines *now = rmlines_read(s);
    all->changed = !rmlines_same(now, all->lines);
    rmlines_free(now);
    if (all->changed)
        commit_want(s); /* behind which anew_look() looks */
}

bool managers_changed(const struct server *s)
{
    return s->managers && s->managers->changed;
}

static const struct raw_object *find_line(const struct manager *m)
{
    const struct rmlines *lines = m->s->managers->lines;
    size_t i = rmlines_find(lines, m->name);

    return i < rmlines_count(lines) ? rmlines_at(lines, i) : NULL;
}

/* Of lines that served before one may not open just now: that takes nobody else along,
 * and it is tried again (managers_try_again()). */
static int begin_each(struct managers *all, bool must, struct err *err)
{
    char where[400];

    for (size_t i = 0; i < all->v.n; i++) {
        struct manager *m = all->v.v[i];
        const struct raw_object *line = find_line(m);
        if (manager_begin(m, line, err) == 0)
            continue;
        rmlines_where(line, err->text, where, sizeof where);
        err_prefix(err, "%s", where);
        if (must)
            return -1;
        log_line(all->s->log, LOG_ALERT, "%s", err->text);
        m->away = true;
    }
    return 0;
}

/* What one of them keeps from users it has yet to tell: until then all is kept. */
static void forget_rights(struct managers *all)
{
    bool tells = false;

    for (size_t i = 0; i < all->v.n; i++)
        tells |= all->v.v[i]->driver && all->v.v[i]->driver->tells_rights;
    rights_forget(all->s->api.rights, tells);
}

static void bind_partition(void *ctx, const char *partition)
{
    struct manager *m = ctx;
    const struct cluster *c = engine_cluster(m->s->engine);
    struct event ev = {.kind = EVENT_MANAGER,
        .u.manager = {.name = m->known_as, .partition = partition}};

    if (partition_find(c, partition) == INDEX_NONE)
        manager_apply(m, &ev, m->name);
}

/* Whoever tells of one first in this life: a name of two managers' is whose it was. */
static void recall_partitions(struct managers *all)
{
    for (size_t i = 0; all->v.n > 1 && i < all->v.n; i++)
        nodekeep_each_partition(all->s, all->v.v[i]->name, bind_partition, all->v.v[i]);
}

static int on_past(void *ctx, const struct store_account *row)
{
    (void)row;
    *(bool *)ctx = true;
    return 1;
}

#define PAST_S 86400

/* Did the job of that id end within a day? */
static bool was_there(void *ctx, const char *job_id)
{
    struct server *s = ctx;
    struct store_account_filter of = {.job = job_id,
        .submitted = true,
        .from_at = world_now(s) - PAST_S,
        .newest_first = true,
        .limit = 1};
    struct err err;
    bool found = false;

    if (!s->store || !s->unsaved)
        return false;
    unsaved_tell(s->unsaved);
    (void)store_account_each(s->store, &of, on_past, &found, &err);
    return found;
}

/* What was remembered of before is looked at when all are open: lines that cannot be
 * opened change nothing of it. */
static void recall_all(struct managers *all, const char *plain)
{
    struct server *s = all->s;

    if (all->v.n > 1) {
        rmset_call_first(engine_cluster(s->engine), plain);
        rmset_ask_of_past(engine_cluster(s->engine), was_there, s);
    }
    all->names = rmnames_open(all, plain);
    nodekeep_open(s);
    recall_partitions(all);
    all->meeting = all->v.n > 1 && nodekeep_is_empty(s);
    outbox_recall(all);
    forget_rights(all);
}

struct rm *managers_take_left(struct managers *all, const char *name)
{
    for (size_t i = 0; all->left && i < all->left->v.n; i++) {
        struct left_one *one = &all->left->v.v[i];
        struct rm *rm = strcmp(one->name, name) == 0 ? one->rm : NULL;
        if (rm) {
            one->rm = NULL;
            return rm;
        }
    }
    return NULL;
}

/* By these lines, which it takes. */
static int open_by(struct server *s, struct rmlines *lines, struct rmleft *left,
    bool must, struct err *err)
{
    struct managers *all = xcalloc(1, sizeof *all);
    char *plain = rmnames_choose_plain(s, lines);
    int result;

    all->s = s;
    all->lines = lines;
    all->floats = floats_new();
    all->limits = limits_open(all);
    all->words = nodewords_new();
    all->since_us = UINT64_MAX;
    s->managers = all;
    passed_load(s);
    restless_load(s);
    for (size_t i = 0; i < rmlines_count(lines); i++) {
        const char *name = rmlines_name(lines, i);
        vec_push(&all->v, manager_new(s, name, strcmp(name, plain) == 0));
    }
    all->left = left;
    result = begin_each(all, must, err);
    all->left = NULL;
    if (result == 0)
        recall_all(all, plain);
    free(plain);
    return result;
}

static int open_simulated(struct server *s, struct err *err)
{
    struct managers *all = xcalloc(1, sizeof *all);

    all->s = s;
    all->limits = limits_open(all);
    all->words = nodewords_new();
    all->since_us = UINT64_MAX;
    s->managers = all;
    passed_load(s);
    restless_load(s);
    vec_push(&all->v, manager_new(s, "simulation", true));
    return manager_simulate(all->v.v[0], err);
}

int manager_open(struct server *s, struct err *err)
{
    return s->simulation ? open_simulated(s, err)
                         : open_by(s, rmlines_read(s), NULL, true, err);
}

static void close_managers(struct managers *all)
{
    limits_close(all->limits);
    for (size_t i = 0; i < all->v.n; i++)
        manager_end(all->v.v[i]);
    vec_fini(&all->v);
    rmnames_close(all->names);
    floats_free(all->floats);
    nodewords_free(all->words);
    rmlines_free(all->lines);
    free(all);
}

void manager_close(struct server *s)
{
    if (!s->managers)
        return;
    close_managers(s->managers);
    s->managers = NULL;
    nodekeep_close(s);
    passed_forget(s);
}

struct rmleft *manager_leave(struct server *s)
{
    struct rmleft *left = xcalloc(1, sizeof *left);
    struct rmlines *now = rmlines_read(s);

    left->lines = s->managers->lines;
    s->managers->lines = NULL;
    for (size_t i = 0; rmlines_same(left->lines, now) && i < s->managers->v.n; i++) {
        struct rm *rm = manager_rest(s->managers->v.v[i]);
        if (rm)
            vec_push(
                &left->v, ((struct left_one){xstrdup(s->managers->v.v[i]->name), rm}));
    }
    rmlines_free(now);
    manager_close(s);
    return left;
}

void manager_open_again(struct server *s, struct rmleft *left)
{
    struct rmlines *now = rmlines_read(s), *before = left->lines;
    bool same = rmlines_same(before, now);
    struct err err = {0};

    if (open_by(s, now, left, !same, &err) == 0) {
        rmlines_free(before);
    } else {
        manager_close(s);
        log_line(s->log, LOG_ALERT, "RMCFG stays as it was: %s", err.text);
        eventlog_add(s, RMFAILURE, "RMCFG", true, NULL,
            "what RMCFG says now cannot be used, so it stays as it was: %s", err.text);
        (void)open_by(s, before, NULL, false, &err);
    }
    for (size_t i = 0; i < left->v.n; i++)
        free(left->v.v[i].name);
    vec_fini(&left->v);
    free(left);
}

/* Where it could not be opened before: its line, or what is behind it, may be mended.
 */
static void try_again(struct manager *m)
{
    struct err err = {0};

    if (manager_begin(m, find_line(m), &err) == 0)
        log_line(m->s->log, LOG_ACTION, "resource manager %s is open now", m->name);
}

void managers_try_again(struct manager *m)
{
    if (!m->rm && m->s->managers->lines)
        try_again(m);
}

/* ---- which ----------------------------------------------------------------------- */

bool managers_several(const struct server *s)
{
    return s->managers && s->managers->v.n > 1;
}

const char *managers_said(const struct server *s, const struct node *n)
{
    return s->managers ? nodewords_of(s->managers->words, n->index) : NULL;
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

    if (rmnames_has_left(s->managers->names, id))
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

const char *manager_name_of(const struct server *s, const char *job)
{
    const struct manager *m = s->managers ? managers_of_id(s, job) : NULL;

    return m ? m->name : "";
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

const struct manager *manager_of_job(const struct server *s, const struct job *j)
{
    return managers_of(s, j);
}

bool manager_is_checked(
    const struct server *s, const struct manager *m, const char *job_id)
{
    const struct manager *whose = managers_of_id(s, job_id);

    if (whose && (!whose->synced || whose->away))
        return false;
    return manager_numbers(s, job_id) || (managers_several(s) && whose != m);
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

/* Whose nodes are named; all of them are asked for, so they have to be of one. */
static int find_by_nodes(const struct server *s, const struct job_desc *d,
    struct manager **ret, struct err *err)
{
    const struct cluster *c = engine_cluster(s->engine);

    *ret = NULL;
    for (uint32_t i = 0; i < d->nreqs; i++)
        for (const char *const *h = d->reqs[i].hosts; h && *h; h++) {
            const struct node *n = node_find(c, *h);
            struct manager *m = n ? managers_of_node(s, n) : NULL;
            if (m && *ret && m != *ret)
                return err_set(err, ERR_INVALID,
                    "the job asks for nodes of several resource managers (%s of %s, "
                    "others of %s): it can run on those of one",
                    *h, m->name, (*ret)->name);
            *ret = m ? m : *ret;
        }
    return 0;
}

struct manager *manager_pick(
    const struct server *s, const struct job_desc *d, struct err *err)
{
    struct managers *all = s->managers;
    struct manager *by_partition = NULL, *by_nodes;
    bool allowed = false; /* one of the partitions is theirs whose nodes are named */

    if (all->v.n == 1)
        return all->v.v[0];
    if (find_by_nodes(s, d, &by_nodes, err) < 0)
        return NULL;
    for (const char *const *p = d->partitions; p && *p; p++) {
        struct manager *m = find_by_partition(s, *p);
        by_partition = by_partition ? by_partition : m;
        allowed |= m == by_nodes;
    }
    if (by_nodes && by_partition && !allowed) {
        err_set(err, ERR_INVALID,
            "the job asks for nodes of %s, and for partitions of %s alone: it can run "
            "on those of one resource manager",
            by_nodes->name, by_partition->name);
        return NULL;
    }
    return by_nodes ? by_nodes : by_partition ? by_partition : all->v.v[0];
}

bool manager_keeps_dep(
    const struct server *s, const struct manager *m, const char *job_id)
{
    return !managers_several(s) || (m->driver && m->driver->keeps_deps)
           || managers_of_id(s, job_id) == m;
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
    bool away = managers_several(m->s) ? m->away : m->told_away;
    bool unseen = !health_sees(m);
    struct event ev = {.kind = EVENT_MANAGER,
        .u.manager = {.name = m->known_as, .away = away, .unseen = unseen}};

    if (m->told_away == away && m->told_unseen == unseen)
        return;
    m->told_away = away;
    m->told_unseen = unseen;
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
    rmnames_forget(all->names);
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

bool manager_idle(const struct server *s, bool all)
{
    const struct managers *of = s->managers;
    bool any = managers_changed(s);

    all &= !any;
    for (size_t i = 0; of && i < of->v.n; i++) {
        const struct manager *m = of->v.v[i];
        bool there = m->synced && m->rm && !m->away;
        /* orders that an ailing one does not take are no reason to keep its line */
        if (there ? m->submissions.n || (health_is_up(m) && !outbox_idle(m)) : all)
            return false;
        any |= there;
    }
    return any;
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
