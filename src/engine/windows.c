/* SPDX-License-Identifier: Apache-2.0
 * Windows: how much is free for somebody, from when on and for how long.
 *
 *   processors
 *   8 +----+            The most that could start at an instant for a second, how long
 *   5 |    +------+     that many could stay, the most for longer, and so on. So each
 *   2 |           +---  window is what showstart says of a job of that size and length,
 *     +---------------> whatever is in the way. */
#include "engine/asker.h"
#include "engine/engine_private.h"
#include "policy/limits.h"

#include <stdlib.h>

/* For one asker, in one partition. */
struct search {
    struct engine *e;
    const struct query_ask *ask;
    struct query_windows *ret;
    int64_t now, unit;
    struct job *j;     /* the asker's, */
    struct plan *plan; /* and its plan */
    uint32_t partition;
};

/* The asker asks for so many tasks. */
static void resize_asker(const struct search *s, int64_t tasks)
{
    s->j->reqs[0].tasks = s->j->tasks = (uint32_t)tasks;
    s->j->procs = (uint32_t)(tasks * s->unit);
}

/* How many of these processors a job of the asked duration may have by the limits. */
static int64_t allow_procs(const struct search *s, int64_t procs)
{
    int64_t low = 0, high = procs / s->unit;
    int64_t wclimit_s = s->j->wclimit_s;
    struct reason why;

    s->j->wclimit_s = s->ask->duration_s > 0 ? s->ask->duration_s : 1;
    while (low < high) {
        int64_t tasks = (low + high + 1) / 2;
        resize_asker(s, tasks);
        if (limits_violated(s->e->limits, s->e->c, s->j, CHECK_ACTIVE | CHECK_SYSTEM,
                LEVEL_HARD, &why))
            high = tasks - 1;
        else
            low = tasks;
    }
    s->j->wclimit_s = wclimit_s;
    return low * s->unit;
}

/* Is it part of one that is there already? */
static bool is_covered(const struct search *s, const struct query_window *new)
{
    int64_t end = time_add(new->start_at, new->duration_s);

    for (size_t i = 0; i < s->ret->n; i++) {
        const struct query_window *w = &s->ret->v[i];
        if (w->partition == new->partition
            && w->procs >= new->procs &&time_add(w->start_at, w->duration_s) >= end)
            return true;
    }
    return false;
}

/* Appends what limits leave of a window, if that is as much as was asked for and no
 * part of another; one that is the same for longer takes the place of the last. */
static void push_window(const struct search *s, struct query_window w)
{
    struct query_window *last = s->ret->n ? &s->ret->v[s->ret->n - 1] : NULL;

    if (s->ask->limits)
        w.procs = allow_procs(s, w.procs);
    if (w.procs <= 0 || w.procs < s->ask->procs || w.duration_s <= 0
        || w.duration_s < s->ask->duration_s || is_covered(s, &w))
        return;
    if (last && last->partition == w.partition && last->start_at == w.start_at
        && last->procs == w.procs)
        *last = w;
    else
        vec_push(s->ret, w);
}

/* ---- by what fits ---------------------------------------------------------------- */

static bool fits_at(const struct search *s, int64_t at, int64_t tasks, int64_t seconds)
{
    struct slot slot;

    resize_asker(s, tasks);
    s->j->wclimit_s = seconds;
    return plan_fit_by(s->plan, s->j, at, time_add(at, seconds), &slot)
           && slot.at == at;
}

/* The most tasks from `least` to `most` that fit there for so long; 0 = fewer. */
static int64_t find_widest(
    const struct search *s, int64_t at, int64_t least, int64_t most, int64_t seconds)
{
    int64_t low = least, high = most;

    if (low > high || !fits_at(s, at, low, seconds))
        return 0;
    while (low < high) {
        int64_t tasks = (low + high + 1) / 2;
        if (fits_at(s, at, tasks, seconds))
            low = tasks;
        else
            high = tasks - 1;
    }
    return low;
}

/* How long so many tasks fit there, who fit for `seconds`. */
static int64_t find_longest(
    const struct search *s, int64_t at, int64_t tasks, int64_t seconds)
{
    int64_t low = seconds, high = seconds;

    if (fits_at(s, at, tasks, DURATION_UNLIMITED))
        return DURATION_UNLIMITED;
    do {
        low = high;
        high = low < DURATION_UNLIMITED / 2 ? 2 * low : DURATION_UNLIMITED;
    } while (high < DURATION_UNLIMITED && fits_at(s, at, tasks, high));
    while (low + 1 < high) {
        int64_t middle = low + (high - low) / 2;
        if (fits_at(s, at, tasks, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Windows that begin there, longer and narrower from one to the next. */
static void add_windows_at(const struct search *s, int64_t at)
{
    int64_t seconds = s->ask->duration_s > 0 ? s->ask->duration_s : 1;
    int64_t least = (s->ask->procs + s->unit - 1) / s->unit;
    int64_t most = s->e->c->partitions.v[s->partition]->cfg.v[RES_PROCS] / s->unit;

    while (s->ret->n < QUERY_WINDOWS_MAX && seconds < DURATION_UNLIMITED) {
        int64_t tasks = find_widest(s, at, least > 0 ? least : 1, most, seconds);
        if (!tasks)
            return;
        int64_t length = find_longest(s, at, tasks, seconds);
        push_window(
            s, (struct query_window){s->partition, tasks * s->unit, 0, length, at});
        most = tasks - 1;
        seconds = length < DURATION_UNLIMITED ? length + 1 : length;
    }
}

/* ---- from now on ----------------------------------------------------------------- */

/* Needs the question more than processors? */
static bool is_plain(const struct query_ask *ask)
{
    return !ask->features && !ask->os && !ask->arch && ask->mem.op == CMP_NONE
           && !ask->mem_per_proc_mb;
}

/* Into whatever is reserved: the windows of the plan, as of the last cycle. */
static void add_open_windows(const struct search *s)
{
    int64_t age_s = s->now - s->e->cycle.last_at;
    struct window w = {0};

    resize_asker(s, 1);
    while (plan_window(s->plan, s->partition, PLAN_ACCESS_ANY, w.duration_s, &w)) {
        bool endless = w.duration_s >= DURATION_UNLIMITED;
        int64_t procs = w.procs;
        s->j->wclimit_s = w.duration_s;
        if (!is_plain(s->ask))
            procs = plan_free_now(s->plan, s->j, s->partition) * s->unit;
        push_window(s, (struct query_window){s->partition, procs, 0,
                           endless ? w.duration_s : w.duration_s - age_s, s->now});
    }
}

static int compare_lengths(const void *a, const void *b)
{
    const struct query_node *x = a, *y = b;

    return (x->duration_s > y->duration_s) - (x->duration_s < y->duration_s);
}

/* Where a node takes one task of a job, whatever its size (SINGLETASK), the processors
 * of free nodes count: tasks of one processor would not find them. The nodes are in the
 * order of their lengths. */
static void add_node_windows(const struct search *s, const struct query_nodes *nodes)
{
    int64_t procs = 0;

    for (size_t i = 0; i < nodes->n; i++)
        if (node_at(s->e->c, nodes->v[i].node)->partition == s->partition)
            procs += node_at(s->e->c, nodes->v[i].node)->cfg.v[RES_PROCS];
    for (size_t i = 0; i < nodes->n; i++) {
        const struct node *n = node_at(s->e->c, nodes->v[i].node);
        if (n->partition != s->partition)
            continue;
        push_window(s, (struct query_window){
                           s->partition, procs, 0, nodes->v[i].duration_s, s->now});
        procs -= n->cfg.v[RES_PROCS];
    }
}

/* Counts the nodes that are free throughout each window, and keeps the windows that
 * have as many as asked. */
static void count_nodes(
    const struct search *s, const struct query_nodes *nodes, size_t first)
{
    size_t kept = first;

    for (size_t i = first; i < s->ret->n; i++) {
        struct query_window w = s->ret->v[i];
        for (size_t k = 0; k < nodes->n; k++)
            w.nodes += nodes->v[k].some_s >= w.duration_s
                       && node_at(s->e->c, nodes->v[k].node)->partition == w.partition;
        w.start_at = 0;
        if (w.nodes >= s->ask->nodes)
            s->ret->v[kept++] = w;
    }
    s->ret->n = kept;
}

static void add_windows_now(const struct search *s, const struct query_nodes *nodes)
{
    if (s->ask->any)
        add_open_windows(s);
    else if (s->j->reqs[0].def->access == ACCESS_SINGLETASK)
        add_node_windows(s, nodes);
    else
        add_windows_at(s, s->now);
}

int query_windows(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_windows *ret, struct err *err)
{
    struct search s = {.e = e, .ask = ask, .ret = ret, .now = now};
    struct query_ask any_length = *ask;
    struct query_nodes nodes = {0};
    size_t first = ret->n;
    struct asker a;

    any_length.duration_s = 0;
    if (query_nodes(e, &any_length, now, &nodes, err) < 0) {
        vec_fini(&nodes);
        return -1;
    }
    if (nodes.n)
        qsort(nodes.v, nodes.n, sizeof *nodes.v, compare_lengths);
    s.unit = asker_unit(e, ask);
    int result = asker_begin(e, ask, s.unit, 1, &a, err);
    if (result == 0) {
        uint64_t all = a.j->partitions;
        s.j = a.j;
        s.plan = a.plan;
        for (s.partition = 0; s.partition < e->c->partitions.n; s.partition++) {
            a.j->partitions = all & UINT64_C(1) << s.partition;
            if (a.j->partitions)
                add_windows_now(&s, &nodes);
        }
        count_nodes(&s, &nodes, first);
        asker_end(&a);
    }
    vec_fini(&nodes);
    return result;
}

/* ---- those that begin later ------------------------------------------------------ */

int query_later_windows(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_windows *ret, struct err *err)
{
    struct search s = {.e = e, .ask = ask, .ret = ret, .now = now};
    struct asker a;

    if (asker_check(e, ask, err) < 0)
        return -1;
    if (ask->any || ask->nodes)
        return err_set(err, ERR_INVALID,
            "windows that begin later are of processors, for somebody: any and nodes "
            "do not go with later");
    s.unit = asker_unit(e, ask);
    if (asker_begin(e, ask, s.unit, 1, &a, err) < 0)
        return -1;
    uint64_t all = a.j->partitions;
    s.j = a.j;
    s.plan = a.plan;
    for (s.partition = 0; s.partition < e->c->partitions.n; s.partition++) {
        a.j->partitions = all & UINT64_C(1) << s.partition;
        for (int64_t at = now;
             a.j->partitions && at < TIME_NEVER && ret->n < QUERY_WINDOWS_MAX;
             at = plan_rsv_next(e->plan, at))
            add_windows_at(&s, at);
    }
    asker_end(&a);
    return 0;
}
