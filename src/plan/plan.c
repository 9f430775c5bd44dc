/* SPDX-License-Identifier: Apache-2.0
 * The plan: a cycle, the questions the engine asks it, and its reservations. */
#include "plan/plan.h"

#include "cluster/folded.h"
#include "cluster/partition.h"
#include "plan/bynode/bind.h"
#include "plan/bynode/multireq.h"
#include "plan/bynode/pick.h"
#include "plan/bynode/sweep.h"
#include "plan/counted/first_fit.h"
#include "plan/counted/place.h"
#include "plan/feasible.h"
#include "plan/floating.h"
#include "plan/layout.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"
#include "plan/window.h"

#include <assert.h>
#include <string.h>

/* ---- the cycle ---- */

static void forget_from(struct plan *p, uint32_t first, enum rsv_after after)
{
    uint32_t n = rsvtable_count(p->reserved);

    p->validity.changes += n - first;
    for (uint32_t i = first; i < n; i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && r->alloc.n)
            pintable_remove(p->pins, r);
    }
    rsvtable_truncate(p->reserved, first, after);
    if (p->validity.confirmed > first)
        p->validity.confirmed = first;
}

static void forget_all(struct plan *p, enum rsv_after after)
{
    forget_from(p, 0, after);
    pintable_forget(p->pins);
    reserve_recount(p->counted);
}

/* A time limit in an access list asks for the overlap, which shrinks while the clock
 * runs towards the end: then a job may fit although nothing has happened. */
static bool opens_with_time(const struct plan *p)
{
    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        if (r && reservation_is_live(r) && r->end_at < TIME_NEVER
            && acl_depends_on_overlap(r))
            return true;
    }
    return false;
}

/* Does an active job stay beyond its limit? */
static bool any_overdue(const struct plan *p)
{
    return endings_first(&p->ends) <= p->now;
}

/* Would planning from nothing give the same again, up to a change in the queue? */
static bool still_true(const struct plan *p)
{
    return !p->validity.distrusted && !any_overdue(p)
           && p->validity.layout == pools_layout(p->pools) && !opens_with_time(p);
}

/* Which waiting job has a reservation, and when: in the order of their making. */
struct reserved_start {
    uint32_t job;
    int64_t at;
};
struct reserved_starts VEC(struct reserved_start);

static struct reserved_starts list_reserved_starts(const struct plan *p)
{
    struct reserved_starts all = {0};

    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r)
            vec_push(&all, ((struct reserved_start){r->job, r->start_at}));
    }
    return all;
}

/* Where they were, or as soon after that as there is room now. */
static void make_again(struct plan *p, const struct reserved_starts *all)
{
    struct slot slot;

    for (size_t i = 0; i < all->n; i++) {
        const struct job *j = p->c->jobs.v[all->v[i].job];
        int64_t from = all->v[i].at > p->now ? all->v[i].at : p->now;
        if (job_has_begun((enum job_state)j->state))
            plan_owe(p, j, from); /* the next cycle lays down the rest of it */
        else if (plan_first_fit(p, j, from, &slot))
            plan_reserve(p, j, &slot);
    }
}

static bool is_kept(enum rsv_keep keep)
{
    return keep == RSV_KEEP || keep == RSV_PROMISED;
}

/* The pools are to be others: may what is reserved in them be moved with its nodes? */
static bool keeps_places(const struct plan *p, bool changed, enum rsv_keep keep)
{
    if (keep == RSV_PROMISED)
        return !validity_machine_changed(&p->validity, p->c);
    return keep == RSV_KEEP && !changed && closures_sets(p->closures) <= 1;
}

void plan_begin(struct plan *p, int64_t now, enum rsv_keep keep)
{
    struct reserved_starts again = {0};
    struct validity *v = &p->validity;

    assert(!p->without.any_job); /* they would be back */
    bool changed = validity_world_changed(v, p->c) || pools_merge_now(p->pools, now);
    bool rebuilt = changed || pools_divide(p->pools) || pools_outlived(p->pools, now);

    p->now = now;
    p->version++;
    bool moves = rebuilt && keeps_places(p, changed, keep);
    if (moves)
        bind_all(p->bynode);
    if (rebuilt)
        layout_make(p, NULL);
    validity_begin(v, p->c);
    if (!p->original)
        p->rests = keep == RSV_PROMISED || (keep == RSV_STAY && p->rests);
    suspended_note(p);
    p->version++;
    bool same = still_true(p);
    v->same = same && !rebuilt;
    v->quiet &= same && !rebuilt;
    bool stand = !rebuilt && (same || keep != RSV_REPLAN);
    if (!stand)
        stand = moves && bind_divided(p->bynode);
    if (!stand) {
        if (keep == RSV_STAY)
            again = list_reserved_starts(p);
        forget_all(p, is_kept(keep) ? RSV_OWED : RSV_FORGOTTEN);
    } else {
        if (v->layout != pools_layout(p->pools))
            bind_counted(p->bynode);
        rsvtable_close_gaps(p->reserved);
    }
    if (same)
        count_advance(p->counted);
    else
        reserve_recount(p->counted);
    v->distrusted = keep == RSV_STAY && !same; /* the next cycle plans anew */
    v->layout = pools_layout(p->pools);
    make_again(p, &again);
    vec_fini(&again);
}

void plan_distrust(struct plan *p)
{
    p->validity.distrusted = true;
}

bool plan_stands(const struct plan *p)
{
    return p->validity.same;
}

void plan_trust(struct plan *p)
{
    p->validity.distrusted = false;
}

void plan_unplanned(struct plan *p)
{
    reserve_look_anew(p->counted);
    p->validity.distrusted = true;
}

bool plan_confirm(struct plan *p, const struct job *j)
{
    uint32_t n = rsvtable_count(p->reserved);
    const struct rsv *r = NULL;

    while (p->validity.confirmed < n
           && !(r = rsvtable_row(p->reserved, p->validity.confirmed)))
        p->validity.confirmed++;
    if (!r)
        return false;
    if (r->job == j->index && r->start_at >= p->now) {
        p->validity.confirmed++;
        return true;
    }
    forget_from(p, p->validity.confirmed, RSV_FORGOTTEN);
    reserve_recount(p->counted);
    return false;
}

bool plan_confirm_all(struct plan *p)
{
    if (!p->validity.quiet || p->validity.distrusted || p->validity.released)
        return false;
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (!r || r->start_at <= p->now)
            return false;
    }
    p->validity.confirmed = rsvtable_count(p->reserved);
    return true;
}

void plan_confirm_rest(struct plan *p)
{
    if (p->validity.confirmed >= rsvtable_count(p->reserved))
        return;
    forget_from(p, p->validity.confirmed, RSV_FORGOTTEN);
    reserve_recount(p->counted);
}

void plan_job_queued(struct plan *p, const struct job *j)
{
    layout_learn(p, j);
}

void plan_changed(struct plan *p)
{
    p->version++;
}

static bool same_nodes(const struct allocs *a, const struct allocs *b)
{
    return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

/* The reservation becomes the start: same time, same nodes or units of the same pools,
 * or others may start earlier. */
static void hand_over(struct plan *p, const struct job *j, struct rsv *r)
{
    if (r->alloc.n) {
        pintable_remove(p->pins, r);
        p->validity.distrusted |= !same_nodes(&r->alloc, &j->alloc);
    }
    reserve_hand_over(p->counted, r);
    p->validity.distrusted |= !reserve_handed_over(p->counted, j, r);
    rsvtable_remove(p->reserved, j->index, RSV_FORGOTTEN);
}

void plan_job_started(struct plan *p, const struct job *j)
{
    if (plan_is_reserved(p, j))
        hand_over(p, j, rsvtable_of(p->reserved, j->index));
    else
        plan_owe(p, j, 0); /* it was taken back just before the start */
    endings_add(&p->ends, j->end_at, j->index);
    p->validity.changes++;
    count_start(p->counted, j, +1, j->start_at == p->now);
    p->version++;
}

/* One that a cycle found at its limit or beyond it is planned to stay on, by profiles
 * and by who was reserved after it. */
static bool stops_as_planned(const struct plan *p, const struct job *j, int64_t now)
{
    return j->end_at == now && p->now < now;
}

void plan_job_stopping(struct plan *p, const struct job *j, int64_t now)
{
    bool as_planned = stops_as_planned(p, j, now);

    endings_remove(&p->ends, j->end_at, j->index);
    p->validity.changes++;
    count_start(p->counted, j, -1, as_planned);
    p->validity.released = true;
    p->validity.distrusted |= !as_planned;
    p->version++;
}

int64_t plan_first_end(const struct plan *p)
{
    return endings_first(&p->ends);
}

/* ---- questions ---- */

/* Tasks on empty nodes, and how many nodes can take any. */
static int64_t capacity(struct plan *p, const struct job *j, const struct req *r,
    const struct fitset *s, int64_t *ret_nodes)
{
    int64_t sum = 0;

    *ret_nodes = 0;
    if (r->def->hosts.n == 0 && r->def->exclude.n == 0) {
        *ret_nodes = s->nodes; /* each job is asked: not pool by pool */
        return s->tasks_max;
    }
    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = node_at(p->c, i);
        if (pools_of_node(p->pools, n->index) && (j->partitions >> n->partition & 1)
            && feasible_node(p->c, r->def, n, NULL)) {
            sum += feasible_tasks(p->c, r->def, n);
            ++*ret_nodes;
        }
    }
    return sum;
}

/* The first of its requests that the partition can never carry, and for how many tasks
 * of it there is room, or (*ret_nodes) how many nodes, where these are too few alone;
 * j->nreqs when there is room for all. */
static uint32_t find_impossible(struct plan *p, const struct job *j, uint32_t partition,
    int64_t *ret_most, int64_t *ret_nodes)
{
    for (uint32_t i = 0; i < j->nreqs; i++) {
        const struct req *r = &j->reqs[i];
        const struct fitset *s = i == 0 ? fits_for(p->fits, j, partition)
                                        : fits_in_partition(p->fits, r->def, partition);
        bool exact = r->def->exactnode && r->nodes > 0;
        *ret_nodes = 0;
        *ret_most = s ? capacity(p, j, r, s, ret_nodes) : 0;
        bool few = exact && *ret_most >= r->tasks && *ret_nodes < r->nodes;
        if (few)
            return i;
        *ret_nodes = 0;
        if (*ret_most < r->tasks)
            return i;
    }
    return j->nreqs;
}

bool plan_possible(struct plan *p, const struct job *j, struct reason *ret_why)
{
    uint64_t parts = fits_partitions(p->fits, j);
    uint32_t lacking = 0;
    int64_t most = 0, room, nodes, few = 0;

    check_answerable(p);
    for (uint64_t m = parts; m; m &= m - 1) {
        uint32_t i = find_impossible(p, j, (uint32_t)__builtin_ctzll(m), &room, &nodes);
        if (i == j->nreqs)
            return floating_possible(p, j, ret_why);
        if (room > most) {
            most = room;
            lacking = i;
            few = nodes;
        }
    }
    /* a task of a request for whole nodes is a node */
    bool whole = j->nreqs && j->reqs[lacking].def->per_task.v[RES_PROCS] < 0;
    *ret_why = (struct reason){.code = parts == 0 ? WAIT_PARTITION
                                       : most > 0 ? WAIT_TOO_LARGE
                                                  : WAIT_FEASIBLE,
        .object = parts == 0 ? j->index : lacking,
        .res = few > 0 || whole ? LIMIT_NODE : LIMIT_PROC,
        .limit = few > 0 ? few : most,
        .asked = few > 0    ? j->reqs[lacking].nodes
                 : j->nreqs ? j->reqs[lacking].tasks
                            : j->tasks,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS};
    return false;
}

int64_t plan_free_now(struct plan *p, const struct job *j, uint32_t partition)
{
    const struct fitset *s = fits_for(p->fits, j, partition);

    check_answerable(p);
    if (!s)
        return 0;
    int64_t end = time_add(p->now, plan_duration(s, j));
    int64_t sum = fitset_has_counted(p->pools, s) ? from_now_until(
                      p->counted, s, closures_access(p->closures, j, p->now), end)
                                                  : 0;
    return fitset_has_by_node(p->pools, s)
               ? sum + sweep_free_until(p->bynode, j, s->number, end)
               : sum;
}

static bool multireq_fits_now(struct plan *p, const struct job *j, uint32_t partition)
{
    const struct fitset *s = fits_for(p->fits, j, partition);
    struct allocs found = {0};
    enum wait_code code;

    bool fits = s && multireq_place(p->bynode, j, s->number, p->now, &found, &code);
    vec_fini(&found);
    return fits;
}

bool plan_fits_now(struct plan *p, const struct job *j, uint32_t partition)
{
    check_answerable(p);
    if (floating_wanted(p, j)) {
        const struct fitset *s = fits_for(p->fits, j, partition);
        if (!s || !floating_fits(p, j, p->now, time_add(p->now, plan_duration(s, j))))
            return false;
    }
    if (j->nreqs > 1)
        return multireq_fits_now(p, j, partition);
    return plan_free_now(p, j, partition) >= j->reqs[0].tasks;
}

int plan_place_now(struct plan *p, const struct job *j, uint32_t partition,
    struct allocs *ret, enum wait_code *ret_code)
{
    const struct fitset *s = fits_for(p->fits, j, partition);

    check_answerable(p);
    ret->n = 0;
    *ret_code = WAIT_FEASIBLE;
    if (!s)
        return -1;
    if (fitset_has_by_node(p->pools, s))
        return pick_now(p->bynode, j, s->number, ret, ret_code);
    *ret_code = WAIT_RESOURCES;
    int64_t end = time_add(p->now, plan_duration(s, j));
    if (from_now_until(p->counted, s, closures_access(p->closures, j, p->now), end)
        < j->reqs[0].tasks)
        return -1; /* the caller has looked through what is there */
    return place_counted(p->counted, j, s, ret, ret_code);
}

/* Earliest instant for the nodes alone. */
static int64_t nodes_first_fit(
    struct plan *p, const struct job *j, uint32_t set, int64_t from)
{
    const struct fitset *s = fits_set(p->fits, set);

    if (j->nreqs > 1)
        return multireq_first_fit(p->bynode, j, set, from);
    if (fitset_has_by_node(p->pools, s))
        return sweep_first_fit(p->bynode, j, set, from);
    return first_fit_counted(p->counted, s, closures_access(p->closures, j, p->now),
        (int32_t)j->reqs[0].tasks, from, plan_duration(s, j));
}

static int64_t first_fit_in(
    struct plan *p, const struct job *j, uint32_t set, int64_t from)
{
    bool floating = floating_wanted(p, j);
    int64_t duration = plan_duration(fits_set(p->fits, set), j);

    for (;;) {
        int64_t at = nodes_first_fit(p, j, set, from);
        if (at >= TIME_NEVER || !floating)
            return at;
        from = floating_first_fit(p, j, at, duration);
        if (from == at || from >= TIME_NEVER)
            return from;
    }
}

bool plan_fit_by(struct plan *p, const struct job *j, int64_t from, int64_t by,
    struct slot *ret_slot)
{
    struct slot best = {TIME_NEVER, 0};

    check_answerable(p);
    if (j->release_at > from)
        from = j->release_at;
    for (uint64_t m = fits_partitions(p->fits, j); m; m &= m - 1) {
        uint32_t partition = (uint32_t)__builtin_ctzll(m);
        const struct fitset *s = fits_for(p->fits, j, partition);
        if (!s)
            continue;
        if (time_add(from, plan_duration(s, j)) > by)
            continue;
        int64_t at = first_fit_in(p, j, s->number, from);
        if (at < best.at && time_add(at, plan_duration(s, j)) <= by)
            best = (struct slot){at, partition};
    }
    if (best.at >= TIME_NEVER)
        return false;
    *ret_slot = best;
    return true;
}

int64_t plan_stays(struct plan *p, const struct job *j, uint32_t partition)
{
    int64_t most = 0;

    if (j->state == JOB_SUSPENDED)
        return job_left_s(j);
    for (uint64_t m = fits_partitions(p->fits, j); m; m &= m - 1) {
        uint32_t in = (uint32_t)__builtin_ctzll(m);
        const struct fitset *s = partition == INDEX_NONE || partition == in
                                     ? fits_for(p->fits, j, in)
                                     : NULL;
        if (s && plan_duration(s, j) > most)
            most = plan_duration(s, j);
    }
    return most ? most : j->wclimit_s > 0 ? j->wclimit_s : 1;
}

uint64_t plan_version(const struct plan *p)
{
    return p->version;
}

bool plan_fit_in(struct plan *p, const struct job *j, uint32_t partition, int64_t from,
    struct slot *ret_slot)
{
    bool own = fits_partitions(p->fits, j) >> partition & 1;
    const struct fitset *s = own ? fits_for(p->fits, j, partition) : NULL;

    check_answerable(p);
    *ret_slot = (struct slot){TIME_NEVER, partition};
    if (s)
        ret_slot->at =
            first_fit_in(p, j, s->number, j->release_at > from ? j->release_at : from);
    return ret_slot->at < TIME_NEVER;
}

bool plan_first_fit(
    struct plan *p, const struct job *j, int64_t from, struct slot *ret_slot)
{
    return plan_fit_by(p, j, from, TIME_NEVER, ret_slot);
}

int64_t plan_free_procs(const struct plan *p, uint32_t partition)
{
    int64_t sum = 0;

    check_answerable(p);
    for (size_t i = 0; i < pools_count(p->pools); i++) {
        const struct pool *pool = pools_at(p->pools, i);
        if (pool->partition != partition)
            continue;
        if (!pool->by_node && pool->unit) {
            sum += count_free_now(p->counted, pool) * pool->unit;
            continue;
        }
        for (size_t k = 0; k < pool->nodes.n; k++) {
            const struct node *n = node_at(p->c, pool->nodes.v[k]);
            if (node_has_room(p->c, n->index))
                sum += n->cfg.v[RES_PROCS] - node_dedicated(p->c, n).v[RES_PROCS];
        }
    }
    return sum;
}

double plan_fastest(const struct plan *p, uint32_t partition)
{
    double fastest = 0;

    if (!p->c->partitions.v[partition]->par->use_machine_speed)
        return 1;
    for (size_t i = 0; i < pools_count(p->pools); i++) {
        const struct pool *pool = pools_at(p->pools, i);
        const struct node *n = node_at(p->c, pool->nodes.v[0]);
        if (pool->partition == partition && n->speed > fastest)
            fastest = n->speed;
    }
    return fastest > 0 ? fastest : 1;
}

uint64_t plan_changes(const struct plan *p)
{
    return p->validity.changes;
}

uint32_t plan_layout(const struct plan *p)
{
    return (uint32_t)pools_layout(p->pools);
}

bool plan_counts(const struct plan *p, uint32_t partition)
{
    for (size_t i = 0; i < pools_count(p->pools); i++)
        if (pools_at(p->pools, i)->partition == partition
            && pools_at(p->pools, i)->by_node)
            return false;
    return true;
}

/* ---- reservations ---- */

const struct planned *plan_reservation_of(const struct plan *p, const struct job *j)
{
    check_answerable(p);
    return rsvtable_planned(p->reserved, j->index);
}

bool plan_is_reserved(const struct plan *p, const struct job *j)
{
    check_answerable(p);
    return rsvtable_of(p->reserved, j->index) != NULL;
}

int64_t plan_reserved_at(const struct plan *p, const struct job *j)
{
    const struct planned *at = plan_reservation_of(p, j);

    return at ? at->start_at : 0;
}

void plan_owe(struct plan *p, const struct job *j, int64_t at)
{
    rsvtable_owe(p->reserved, j->index, at);
}

void plan_owe_none(struct plan *p)
{
    rsvtable_forgive(p->reserved);
}

void plan_reserve(struct plan *p, const struct job *j, const struct slot *slot)
{
    const struct fitset *s = fits_for(p->fits, j, slot->partition);
    struct rsv *r = rsvtable_add(p->reserved, j->index, slot);

    check_answerable(p);
    p->validity.changes++;
    p->validity.confirmed =
        rsvtable_count(p->reserved); /* what is made in this cycle stands */
    r->fitset = s->number;
    r->end_at = time_add(slot->at, plan_duration(s, j));
    if (fitset_has_by_node(p->pools, s)) {
        pick_at(p->bynode, j, r);
        pintable_add(p->pins, r);
    } else {
        reserve_units(p->counted, j, r, j->reqs[0].tasks);
    }
    p->version++;
}

void plan_unreserve(struct plan *p, const struct job *j)
{
    struct rsv *r = rsvtable_of(p->reserved, j->index);

    check_answerable(p);
    if (!r)
        return;
    p->validity.changes++;
    if (r->alloc.n)
        pintable_remove(p->pins, r);
    if (r->parts.n)
        reserve_give_back(p->counted, r);
    p->validity.distrusted = true;
    rsvtable_remove(p->reserved, j->index, RSV_OWED);
    p->version++;
}

void plan_make_way(struct plan *p, const struct job *j)
{
    reserve_hand_over(p->counted, rsvtable_of(p->reserved, j->index));
    p->version++;
}

void plan_take_again(struct plan *p, const struct job *j)
{
    reserve_take_again(p->counted, rsvtable_of(p->reserved, j->index));
    p->version++;
}

uint32_t plan_reservations(const struct plan *p)
{
    return rsvtable_count(p->reserved);
}

int64_t plan_reserved_until(const struct plan *p, const struct job *j)
{
    return rsvtable_of(p->reserved, j->index)->end_at;
}

uint32_t plan_reserved_job(const struct plan *p, uint32_t i)
{
    const struct rsv *r = rsvtable_row(p->reserved, i);

    return r ? r->job : INDEX_NONE;
}

/* ---- invariants ---- */

void plan_check(const struct plan *p)
{
    const struct cluster *c = p->c;

    count_check(p->counted);
    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        bool free = node_dedicated(c, n).v[RES_PROCS] < n->cfg.v[RES_PROCS];
        if (pools_of_node(p->pools, n->index))
            assert(node_has_room(c, n->index) == free);
    }
    for (size_t i = 1; i < p->ends.n; i++)
        assert(p->ends.v[i - 1].at <= p->ends.v[i].at);
    rsvtable_check(p->reserved, c);
}
