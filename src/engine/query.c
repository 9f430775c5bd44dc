/* SPDX-License-Identifier: Apache-2.0
 * When could it start, and what is free. */
#include "engine/query.h"

#include "engine/engine_private.h"
#include "policy/access.h"
#include "policy/limits.h"

#include <string.h>

/* No job has such a name: resource managers give none with blanks. */
#define ASKER "(question)"

/* ---- a job for the time of a question ---- */

struct asker {
    struct job *j;
    struct plan_trial *trial;
};

static const char *known_cred(
    const struct cluster *c, enum cred_kind k, const char *name)
{
    return name && *name && cred_find(c, k, name) ? name : NULL;
}

static int check_ask(
    const struct engine *e, const struct query_ask *ask, struct err *err)
{
    if (!e->stats.cycles)
        return err_set(
            err, ERR_IO, "nothing was scheduled yet: there is no plan to ask");
    for (size_t i = 0; ask->features && ask->features[i]; i++)
        if (names_find(e->c->features, ask->features[i]) == NAME_NONE)
            return err_set(
                err, ERR_NOT_FOUND, "no node has feature '%.60s'", ask->features[i]);
    if (ask->os && names_find(e->c->oses, ask->os) == NAME_NONE)
        return err_set(
            err, ERR_NOT_FOUND, "no node has operating system '%.60s'", ask->os);
    if (ask->arch && names_find(e->c->arches, ask->arch) == NAME_NONE)
        return err_set(
            err, ERR_NOT_FOUND, "no node has architecture '%.60s'", ask->arch);
    if (ask->partition && partition_find(e->c, ask->partition) == INDEX_NONE)
        return err_set(
            err, ERR_NOT_FOUND, "there is no partition '%.60s'", ask->partition);
    return 0;
}

/* `unit` processors a task, `tasks` of them. */
static int asker_begin(struct engine *e, const struct query_ask *ask, int64_t unit,
    int64_t tasks, struct asker *ret, struct err *err)
{
    const char *const partitions[] = {ask->partition, NULL};
    struct req_desc req = {.tasks = (uint32_t)tasks,
        .features = ask->features,
        .os = ask->os,
        .arch = ask->arch,
        .mem = ask->mem};
    struct job_desc d = {.id = ASKER,
        .reqs = &req,
        .nreqs = 1,
        .submit_at = e->now,
        .wclimit_s = ask->duration_s > 0 ? ask->duration_s : 1,
        .partitions = ask->partition ? partitions : NULL};
    char text[200];

    req.per_task.v[RES_PROCS] = unit;
    req.per_task.v[RES_MEM] = ask->mem_per_proc_mb * unit;
    for (int k = 0; k < CRED_KINDS; k++)
        d.cred[k] = known_cred(e->c, (enum cred_kind)k, ask->cred[k]);
    if (job_add(e->c, &d, e->now, &ret->j, err) < 0)
        return -1;
    access_resolve(e->c, ret->j, text, sizeof text);
    ret->trial = plan_try(e->plan, ret->j);
    return 0;
}

static void asker_end(struct engine *e, struct asker *a)
{
    plan_try_end(e->plan, a->trial);
    job_remove(e->c, a->j);
}

/* ---- showstart ---- */

static bool earliest(
    struct engine *e, const struct job *j, int64_t now, struct query_start *ret)
{
    struct slot slot;

    if (!plan_first_fit(e->plan, j, now, &slot))
        return false;
    *ret = (struct query_start){.method = QUERY_EARLIEST,
        .start_at = slot.at,
        .end_at = time_add(slot.at, j->wclimit_s > 0 ? j->wclimit_s : 1),
        .partition = slot.partition};
    return true;
}

/* As if it had another QOS. */
static bool earliest_with(struct engine *e, const struct job *j, uint32_t qos,
    int64_t now, struct query_start *ret)
{
    struct job other = *j;

    other.cred[CRED_QOS] = qos;
    struct plan_trial *t = plan_try(e->plan, &other);
    bool found = earliest(e, &other, now, ret);
    plan_try_end(e->plan, t);
    return found;
}

bool query_job_start(struct engine *e, const struct job *j, uint32_t qos, int64_t now,
    struct query_start *ret)
{
    if (job_is_active(j) || j->state == JOB_SUSPENDED) {
        *ret = (struct query_start){.method = QUERY_RUNNING,
            .start_at = j->start_at,
            .end_at = j->end_at,
            .partition =
                j->alloc.n ? node_at(e->c, j->alloc.v[0].first)->partition : 0};
        return true;
    }
    if (j->state >= JOB_COMPLETED || !e->stats.cycles)
        return false;
    if (j->rsv_start_at > 0 && (!qos || qos == j->cred[CRED_QOS])) {
        *ret = (struct query_start){.method = QUERY_RESERVATION,
            .start_at = j->rsv_start_at,
            .end_at = time_add(j->rsv_start_at, j->wclimit_s > 0 ? j->wclimit_s : 1),
            .partition = j->rsv_partition};
        return true;
    }
    return qos && qos != j->cred[CRED_QOS] ? earliest_with(e, j, qos, now, ret)
                                           : earliest(e, j, now, ret);
}

/* The largest unit that the partitions in question are counted in. */
static int64_t unit_of(const struct engine *e, const struct query_ask *ask)
{
    int64_t unit = 1;

    for (uint32_t p = 0; p < e->c->partitions.n; p++) {
        int64_t u = plan_unit(e->plan, p);
        if (!ask->partition || partition_find(e->c, ask->partition) == p)
            unit = u > unit ? u : unit;
    }
    return unit;
}

int query_start(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_found, struct query_start *ret, struct err *err)
{
    struct asker a;

    *ret_found = false;
    if (check_ask(e, ask, err) < 0)
        return -1;
    if (ask->procs < 1 || ask->procs > INT32_MAX)
        return err_set(err, ERR_INVALID, "expected 1 processor or more");
    int64_t unit = unit_of(e, ask), tasks = (ask->procs + unit - 1) / unit;
    if (asker_begin(e, ask, unit, tasks, &a, err) < 0)
        return -1;
    *ret_found = earliest(e, a.j, now, ret);
    asker_end(e, &a);
    return 0;
}

/* ---- showbf ---- */

/* The asker asks for so many tasks of `unit` processors. */
static void resize(struct job *j, int64_t tasks, int64_t unit)
{
    j->reqs[0].tasks = j->tasks = (uint32_t)tasks;
    j->procs = (uint32_t)(tasks * unit);
}

struct node_walk {
    struct engine *e;
    const struct query_ask *ask;
    int64_t now, unit;
    struct query_nodes *ret;
};

static void add_node(void *ctx, const struct node *n, uint32_t tasks, int64_t until)
{
    struct node_walk *w = ctx;
    struct query_node found = {.node = n->index,
        .procs = tasks * w->unit,
        .duration_s = until < TIME_NEVER ? until - w->now : DURATION_UNLIMITED};

    if (found.duration_s > 0 && found.duration_s >= w->ask->duration_s)
        vec_push(w->ret, found);
}

int query_nodes(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_nodes *ret, struct err *err)
{
    struct node_walk w = {e, ask, now, 1, ret};
    struct asker a;

    if (check_ask(e, ask, err) < 0 || asker_begin(e, ask, 1, 1, &a, err) < 0)
        return -1;
    for (uint32_t p = 0; p < e->c->partitions.n; p++)
        if (a.j->partitions >> p & 1)
            plan_free_nodes(e->plan, a.j, p, &w, add_node);
    asker_end(e, &a);
    return 0;
}

/* Nodes that are free for so long. */
static int64_t nodes_for(const struct engine *e, const struct query_nodes *nodes,
    uint32_t partition, int64_t duration_s)
{
    int64_t n = 0;

    for (size_t i = 0; i < nodes->n; i++)
        n += nodes->v[i].duration_s >= duration_s
             && node_at(e->c, nodes->v[i].node)->partition == partition;
    return n;
}

/* Needs the question more than processors? */
static bool is_plain(const struct query_ask *ask)
{
    return !ask->features && !ask->os && !ask->arch && ask->mem.op == CMP_NONE
           && !ask->mem_per_proc_mb
           && !(ask->cred[CRED_CLASS] && *ask->cred[CRED_CLASS]);
}

/* How many of these processors a job of the asked duration may have by the limits. */
static int64_t within_limits(const struct node_walk *k, struct job *j, int64_t procs)
{
    int64_t low = 0, high = procs / k->unit;
    int64_t wclimit_s = j->wclimit_s;
    struct reason why;

    j->wclimit_s = k->ask->duration_s > 0 ? k->ask->duration_s : 1;
    while (low < high) {
        int64_t tasks = (low + high + 1) / 2;
        resize(j, tasks, k->unit);
        if (limits_violated(k->e->limits, k->e->c, j, CHECK_ACTIVE | CHECK_SYSTEM,
                LEVEL_HARD, &why))
            high = tasks - 1;
        else
            low = tasks;
    }
    resize(j, 1, k->unit);
    j->wclimit_s = wclimit_s;
    return low * k->unit;
}

/* The plan tells windows as of the last cycle, `age_s` ago. */
static void add_windows(const struct node_walk *k, struct job *j, int64_t age_s,
    uint32_t partition, struct query_windows *ret)
{
    struct engine *e = k->e;
    const struct query_ask *ask = k->ask;
    const struct query_nodes *nodes = k->ret;
    int64_t unit = k->unit;
    uint32_t access = ask->any ? PLAN_ACCESS_ANY : plan_access(e->plan, j);
    struct job shaped = *j;
    struct window w = {0};

    while (plan_window(e->plan, partition, access, w.duration_s, &w)) {
        bool endless = w.duration_s >= DURATION_UNLIMITED;
        struct query_window found = {
            partition, w.procs, 0, endless ? w.duration_s : w.duration_s - age_s, 0};
        shaped.wclimit_s = w.duration_s;
        if (!ask->any || !is_plain(ask)) {
            int64_t free = plan_free_now(e->plan, &shaped, partition) * unit;
            found.procs = free < found.procs || !is_plain(ask) ? free : found.procs;
        }
        if (ask->limits)
            found.procs = within_limits(k, j, found.procs);
        found.nodes = nodes_for(e, nodes, partition, found.duration_s);
        struct query_window *last = ret->n ? &ret->v[ret->n - 1] : NULL;
        if (found.procs <= 0 || found.procs < ask->procs || found.nodes < ask->nodes
            || found.duration_s <= 0 || found.duration_s < ask->duration_s)
            continue;
        if (last && last->partition == partition && last->procs == found.procs)
            *last = found; /* the same for longer */
        else
            vec_push(ret, found);
    }
}

int query_windows(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_windows *ret, struct err *err)
{
    struct query_nodes nodes = {0};
    struct asker a;
    int result = query_nodes(e, ask, now, &nodes, err);
    struct node_walk w = {e, ask, now, result == 0 ? unit_of(e, ask) : 1, &nodes};

    if (result == 0)
        result = asker_begin(e, ask, w.unit, 1, &a, err);
    if (result == 0) {
        for (uint32_t p = 0; p < e->c->partitions.n; p++)
            if (a.j->partitions >> p & 1)
                add_windows(&w, a.j, now - e->last_cycle_at, p, ret);
        asker_end(e, &a);
    }
    vec_fini(&nodes);
    return result;
}

/* ---- windows that begin later ---- */

/* For the asker, in one partition. */
struct later {
    struct node_walk *k;
    struct job *j;
    uint32_t partition;
    int64_t least; /* tasks */
    struct query_windows *ret;
};

static bool fits_at(const struct later *l, int64_t at, int64_t tasks, int64_t seconds)
{
    struct slot slot;

    resize(l->j, tasks, l->k->unit);
    l->j->wclimit_s = seconds;
    return plan_fit_by(l->k->e->plan, l->j, at, time_add(at, seconds), &slot)
           && slot.at == at;
}

/* The most tasks up to `most` that fit there for so long; 0 = fewer than asked. */
static int64_t widest(const struct later *l, int64_t at, int64_t most, int64_t seconds)
{
    int64_t low = l->least, high = most;

    if (low > high || !fits_at(l, at, low, seconds))
        return 0;
    while (low < high) {
        int64_t tasks = (low + high + 1) / 2;
        if (fits_at(l, at, tasks, seconds))
            low = tasks;
        else
            high = tasks - 1;
    }
    return low;
}

/* How long so many tasks fit there, who fit for `seconds`. */
static int64_t longest(
    const struct later *l, int64_t at, int64_t tasks, int64_t seconds)
{
    int64_t low = seconds, high = seconds;

    if (fits_at(l, at, tasks, DURATION_UNLIMITED))
        return DURATION_UNLIMITED;
    do {
        low = high;
        high = low < DURATION_UNLIMITED / 2 ? 2 * low : DURATION_UNLIMITED;
    } while (high < DURATION_UNLIMITED && fits_at(l, at, tasks, high));
    while (low + 1 < high) {
        int64_t middle = low + (high - low) / 2;
        if (fits_at(l, at, tasks, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Is it part of one that is told already? */
static bool is_told(const struct later *l, int64_t at, int64_t procs, int64_t seconds)
{
    int64_t end = time_add(at, seconds);

    for (size_t i = 0; i < l->ret->n; i++) {
        const struct query_window *w = &l->ret->v[i];
        if (w->partition == l->partition && w->procs >= procs
            && time_add(w->start_at, w->duration_s) >= end)
            return true;
    }
    return false;
}

/* Those that begin there, longer and narrower from one to the next. */
static void add_from(const struct later *l, int64_t at, int64_t most)
{
    int64_t seconds = l->k->ask->duration_s > 0 ? l->k->ask->duration_s : 1;

    while (l->ret->n < QUERY_LATER_MAX && seconds < DURATION_UNLIMITED) {
        int64_t tasks = widest(l, at, most, seconds);
        if (!tasks)
            return;
        int64_t length = longest(l, at, tasks, seconds), procs = tasks * l->k->unit;
        if (l->k->ask->limits)
            procs = within_limits(l->k, l->j, procs);
        if (procs >= l->least * l->k->unit && !is_told(l, at, procs, length))
            vec_push(
                l->ret, ((struct query_window){l->partition, procs, 0, length, at}));
        most = tasks - 1;
        seconds = length < DURATION_UNLIMITED ? length + 1 : length;
    }
}

static void add_later(
    struct node_walk *k, struct job *j, uint32_t partition, struct query_windows *ret)
{
    int64_t least = (k->ask->procs + k->unit - 1) / k->unit;
    struct later l = {k, j, partition, least > 0 ? least : 1, ret};
    int64_t most = k->e->c->partitions.v[partition]->cfg.v[RES_PROCS] / k->unit;
    uint64_t all = j->partitions;

    j->partitions = UINT64_C(1) << partition;
    for (int64_t at = k->now; at < TIME_NEVER && ret->n < QUERY_LATER_MAX;
         at = plan_rsv_next(k->e->plan, at))
        add_from(&l, at, most);
    resize(j, 1, k->unit);
    j->partitions = all;
}

int query_later_windows(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_windows *ret, struct err *err)
{
    struct node_walk w = {e, ask, now, 1, NULL};
    struct asker a;

    if (check_ask(e, ask, err) < 0)
        return -1;
    if (ask->any || ask->nodes)
        return err_set(err, ERR_INVALID,
            "windows that begin later are of processors, for somebody: any and nodes "
            "do not go with later");
    w.unit = unit_of(e, ask);
    if (asker_begin(e, ask, w.unit, 1, &a, err) < 0)
        return -1;
    for (uint32_t p = 0; p < e->c->partitions.n; p++)
        if (a.j->partitions >> p & 1)
            add_later(&w, a.j, p, ret);
    asker_end(e, &a);
    return 0;
}

/* ---- showres ---- */

static void add_place(void *ctx, uint32_t job, uint32_t node, uint32_t tasks)
{
    struct query_places *list = ctx;
    struct query_place *last = list->n ? &list->v[list->n - 1] : NULL;

    if (last && last->job == job && last->node == node)
        last->tasks += tasks;
    else
        vec_push(list, ((struct query_place){job, node, tasks}));
}

static int by_job(const void *a, const void *b)
{
    const struct query_place *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

void query_reserved_places(struct engine *e, struct query_places *ret)
{
    if (!e->stats.cycles)
        return;
    plan_foresee(e->plan, ret, add_place);
    if (ret->n)
        qsort(ret->v, ret->n, sizeof *ret->v, by_job);
}
