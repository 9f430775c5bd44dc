/* SPDX-License-Identifier: Apache-2.0
 * When and where: what is free over time, and the priority reservations of waiting
 * jobs. The way of a job through one cycle:
 *
 *     plan_begin()      nodes become pools; reservations of the last cycle stand or go
 *     plan_confirm()    the job's stands: nothing to do, until its slot has come
 *     plan_first_fit()  else its earliest slot: an instant and a partition
 *     plan_reserve()    a later slot: units are counted off, or nodes pinned
 *     plan_place_now()  a slot now: nodes; then job_start() and plan_job_started()
 *
 * Nodes that no request in the system can tell apart form a *pool*. A pool is planned
 * by count as long as the tasks of all requests on it take as many processors each: a
 * unit is one task, the free units are a step function of time, and nodes are chosen
 * only when a job starts. That is exact: on identical machines there are nodes for
 * every job as long as at no instant more units are taken than there are.
 *
 * A pool is planned node by node where tasks differ in size, where something else than
 * processors may limit them (memory, initiators, limits of a node), and where it
 * matters which nodes they get (host lists, tasks per node, node sets, CONTIGUOUS). A
 * reservation gets its nodes there when it is made: they are pinned.
 *
 * Reservations of other kinds (administrative, standing, of users) are the cluster's
 * (cluster/reservation.h). Nodes that they take wholly make pools of their own, which
 * are counted, too, and closed at times (closures/closures.h). Nodes that they take in
 * part are planned node by node (bynode/kept.h). */
#ifndef MAUI_PLAN_PLAN_H
#define MAUI_PLAN_PLAN_H

#include "base/timeval.h"
#include "base/vec.h"
#include "cluster/reason.h"
#include "plan/planned.h"

#include <stdbool.h>

struct allocs;
struct cluster;
struct job;
struct node;
struct plan;

struct plan *plan_create(struct cluster *c);
void plan_destroy(struct plan *p);

/* ---- a cycle begins ---- */

/* The clock is `now`, and pools follow the nodes. What becomes of the reservations made
 * before depends on what has happened since:
 *
 *                                      RSV_REPLAN   RSV_KEEP           RSV_STAY
 *     time passed, jobs ended then     stand        stand              stand
 *     something came free early, a     forgotten    stand              stand
 *       job runs past its limit, or
 *       an access list has a time limit
 *     a pool is counted no longer      forgotten    get nodes          get nodes
 *     pools were divided               forgotten    in the new pools   made again
 *     nodes, settings or other         forgotten    owed another (1)   made again
 *       reservations changed, or
 *       pools_merge_at() has come
 *     (1) RSV_PROMISED: the same nodes and settings: as where pools were divided
 *
 * RSV_REPLAN is the usual cycle: those that stand would come out the same, as long as
 * the jobs come in the same order; plan_confirm() looks. RSV_KEEP: a reservation once
 * made is kept (RESERVATIONPOLICY HIGHEST); where its units cannot be had in the new
 * pools either, the job is owed another. RSV_PROMISED (BACKFILLPOLICY PLAN): the same,
 * and it is kept where new reservations of other kinds leave it its nodes. RSV_STAY: no
 * cycle, but an order between two. Made again: at the same instant, or as soon after it
 * as there is room; the next cycle plans anew. A reservation of another kind that
 * begins or ends as planned has not changed. Cheap when nothing changed. */
enum rsv_keep { RSV_REPLAN, RSV_KEEP, RSV_PROMISED, RSV_STAY };
void plan_begin(struct plan *p, int64_t now, enum rsv_keep keep);

/* Before plan_begin(): the reservations of the last cycle are not to be trusted, as if
 * something had come free early. */
void plan_distrust(struct plan *p);

/* In plan_begin() nothing had come free early, nobody was past a limit and the pools
 * were the same: all that is reserved is as early as it was planned. O(1). */
bool plan_stands(const struct plan *p);
/* Right now all reservations are as early as they can be, for the caller: what has been
 * lifted in this cycle is no reason not to trust them in the next. O(1). */
void plan_trust(struct plan *p);

/* RSV_REPLAN: jobs are offered in order of priority. True when the next reservation, in
 * order of making, is the job's and not late (its start is now or ahead): it stands.
 * Otherwise that one and all made after it are forgotten. plan_confirm_rest() ends the
 * offering: what was not confirmed is forgotten. */
bool plan_confirm(struct plan *p, const struct job *j);
void plan_confirm_rest(struct plan *p);

/* RSV_REPLAN, right after plan_begin(): has nothing come free since the last cycle, and
 * is no reservation due? Then all stand: they are confirmed. A job that could not start
 * at the end of that cycle cannot start now. O(reservations). */
bool plan_confirm_all(struct plan *p);

/* ---- jobs come and go ---- */

/* A job entered the queue or its requests changed: learn its task definitions
 * (they decide which pools can be planned by count). Where that ends the counting of a
 * pool, units reserved there keep nobody off until the next plan_begin(), which gives
 * them nodes or forgets them; forks for questions do that at once. O(1) for known
 * definitions. */
void plan_job_queued(struct plan *p, const struct job *j);

/* Something changed that the plan does not see: the credentials of a waiting job, what
 * is measured on a node. Answers that are remembered do not hold. O(1). */
void plan_changed(struct plan *p);

/* The job has been started: after job_start(). Its reservation is over. Where it got
 * other nodes, other units or another end than reserved, the next plan_begin() does not
 * trust the reservations of others. O(pieces of the allocation), and a search by time.
 */
void plan_job_started(struct plan *p, const struct job *j);
/* The job is about to be stopped at `now`: before job_stop(). The same cost. */
void plan_job_stopping(struct plan *p, const struct job *j, int64_t now);

/* Something starts, or gets another end, that was not planned (by order, or because the
 * resource manager did so): what is reserved may be in its way. Before
 * plan_job_started(). */
void plan_unplanned(struct plan *p);

/* ---- can it run, now or ever? ---- */

/* Could an empty machine ever run the job, in one of its partitions? False with
 * the reason: WAIT_PARTITION, WAIT_TOO_LARGE, WAIT_FEASIBLE or WAIT_GRES. O(pools). */
bool plan_possible(struct plan *p, const struct job *j, struct reason *ret_why);

/* Are enough units free for the job's whole limit from now on, in that partition? What
 * is reserved for others is not free. Exact for counts; for node-by-node pools it is
 * the sum over the nodes. O(steps). */
bool plan_fits_now(struct plan *p, const struct job *j, uint32_t partition);

/* Units or tasks free now for this job's request and limit: what checkjob prints. */
int64_t plan_free_now(struct plan *p, const struct job *j, uint32_t partition);

/* Choose nodes for a start now, by the allocation policy, out of all that is free for
 * the job's whole limit. A reservation of its own is not in its way, nor are the nodes
 * pinned by it preferred. Appends to *ret (empty before). 0, or -1 when they do not
 * suffice (node sets, exact node counts ...) and *ret_code says why. */
int plan_place_now(struct plan *p, const struct job *j, uint32_t partition,
    struct allocs *ret, enum wait_code *ret_code);

/* Can the nodes a suspended job ran on carry it for the rest of its limit, from now on,
 * and are its licences free, which it gave back? `cross`: what is reserved for waiting
 * jobs is not in its way. O(nodes of the job). */
bool plan_can_resume(struct plan *p, const struct job *j, bool cross);

/* ---- the rest of suspended jobs ---- */

/* After plan_begin(RSV_PROMISED) a suspended job may have a reservation like one that
 * waits: of the nodes that it was on, for the rest of its limit.
 *
 *     job 3      runs until 200 on node 4; suspended at 120 for job 9, until 170
 *     its rest   80 s on node 4, at 170 or as soon after as node 4 is free for so long
 *
 * In pools where a rest has a place nodes are planned one by one: which of them is
 * free matters there. */

struct bitset;

/* May the running job be suspended, so that nothing that is reserved is put off by what
 * it keeps? Its nodes, which are planned one by one (*ret_counted: some are not), have
 * the memory for all that is planned there besides, if `others` are suspended as well.
 * O(pins x what is on its nodes). */
bool plan_may_suspend(struct plan *p, const struct job *j, const struct bitset *others,
    bool *ret_counted);
/* Before plan_begin(): nodes of the job are planned one by one from then on, until
 * pools are made anew. */
void plan_end_counting(struct plan *p, const struct job *j);
/* The first instant from `from` on at which the nodes of a suspended job, which has no
 * reservation, are free for its rest; `also` is looked at besides those at which
 * something ends on them, 0 = nothing. TIME_NEVER: none. O(what is on them, squared).
 */
int64_t plan_fit_rest(struct plan *p, const struct job *j, int64_t from, int64_t also);
/* Who runs there leaves it its nodes now, whatever is reserved: the waiting jobs that
 * are in its way then. False: it cannot go on now. */
bool plan_in_way_of_rest(struct plan *p, const struct job *j, struct bitset *ret_jobs);
/* It is reserved there. */
void plan_reserve_rest(struct plan *p, const struct job *j, int64_t at);

/* ---- the earliest slot ---- */

/* A partition and an instant at which a job can have its resources. */
struct slot {
    int64_t at;
    uint32_t partition;
};

/* Earliest slot at or after `from`, and after the job's start date, over all partitions
 * of the job; tie: lowest partition. False when there is none. In each partition:
 *
 *     set = fits_for()                            the pools that the job can use
 *     one request, all pools of the set counted   first_fit_counted(): units, no nodes
 *     one request, a pool planned node by node    sweep_first_fit(): each node, + units
 *     several requests                            multireq_first_fit(): each node
 *
 * and again from floating_first_fit() on where floating generic resources do not
 * suffice. The job is taken to stay for its limit on the slowest nodes of the set. */
bool plan_first_fit(
    struct plan *p, const struct job *j, int64_t from, struct slot *ret_slot);

/* The same in that partition alone, one of the job's. */
bool plan_fit_in(struct plan *p, const struct job *j, uint32_t partition, int64_t from,
    struct slot *ret_slot);
/* The same of slots that end by `by`. */
bool plan_fit_by(struct plan *p, const struct job *j, int64_t from, int64_t by,
    struct slot *ret_slot);

/* ---- priority reservations ---- */

/* Reserve a slot found by plan_first_fit() (nothing may have changed between): units of
 * counted pools (reserve_units()), and nodes of others, which are pinned
 * (pick_at()). A job has at most one reservation. */
void plan_reserve(struct plan *p, const struct job *j, const struct slot *slot);
/* What it holds is free again; the job is owed another one. */
void plan_unreserve(struct plan *p, const struct job *j);
/* The same, kept to be laid back. NULL: nothing is pinned for it, and the search finds
 * that place again. (For several requests it is greedy, and may miss it.) */
struct lifted_rsv;
struct lifted_rsv *plan_lift(struct plan *p, const struct job *j);
/* When it began. */
int64_t lifted_rsv_at(const struct lifted_rsv *l);
/* The job, which has no reservation, has the lifted one again. False where another, or
 * one past its limit, has some of it. */
bool plan_lay_back(struct plan *p, const struct job *j, const struct lifted_rsv *l);
/* The same at another instant. */
bool plan_lay_at(struct plan *p, const struct job *j, struct lifted_rsv *l, int64_t at);
/* Its nodes for a start now, its time having come, into *ret; nothing in the plan
 * changes. False where another has some of them, or where units were reserved, without
 * nodes. */
bool plan_place_lifted(struct plan *p, const struct job *j, const struct lifted_rsv *l,
    struct allocs *ret);
/* NULL is allowed. */
void lifted_rsv_free(struct lifted_rsv *l);
/* All that is reserved as it is now, to be laid back instead of what is reserved then,
 * whatever others have done with it: in the same cycle, before anything starts. Owned;
 * O(reservations + jobs). */
struct plan_kept *plan_keep(const struct plan *p);
void plan_lay_all_back(struct plan *p, struct plan_kept *k); /* ends it */
void plan_kept_free(struct plan_kept *k);
/* The slot of the job's reservation has come: its units of counted pools are given
 * back, so that plan_place_now() finds them. (Its pins may stay: they are not in its
 * own way.) The start follows at once; where it fails, plan_unplanned() does, or
 * plan_take_again(): the units are its own again. */
void plan_make_way(struct plan *p, const struct job *j);
void plan_take_again(struct plan *p, const struct job *j);
/* For deadlines. The job's reservation goes to the earliest slot that ends by `by`,
 * which is no later than its present one. Its place in the order of making stays. */
void plan_move_forward(struct plan *p, const struct job *j, int64_t by);
/* A job without a reservation is owed one at that instant, as after a restart; 0 = it
 * is owed none any more, as before it leaves the cluster. */
void plan_owe(struct plan *p, const struct job *j, int64_t at);
/* All have been offered a place: who has got none is owed none. O(1), or O(jobs) where
 * one may be. */
void plan_owe_none(struct plan *p);

/* What the job has or is owed; NULL = nothing. Borrowed until the plan changes. O(1).
 */
const struct planned *plan_reservation_of(const struct plan *p, const struct job *j);
/* The same in short: has it a reservation? The start of what it has or is owed, 0 =
 * nothing. */
bool plan_is_reserved(const struct plan *p, const struct job *j);
int64_t plan_reserved_at(const struct plan *p, const struct job *j);
/* When the reservation that the job has will be over. */
int64_t plan_reserved_until(const struct plan *p, const struct job *j);

/* Rows in order of making, and the job of the i-th; INDEX_NONE = it is gone. */
uint32_t plan_reservations(const struct plan *p);
uint32_t plan_reserved_job(const struct plan *p, uint32_t i);

/* Where the reservations of jobs will be: pinned ones on their nodes; for those planned
 * by count nodes are supposed, to be shown (none when there are very many). In no
 * order. O(reservations x nodes). */
typedef void plan_place_fn(void *ctx, uint32_t job, uint32_t node, uint32_t tasks);
void plan_foresee(const struct plan *p, void *ctx, plan_place_fn *each);
/* The same in pieces, as it can take 0.1 s: while more(..., looks) does so many looks
 * at nodes and at what is in use there, about 5 ns each, and says that there is more.
 * Pinned ones come first. To be ended before the plan or the cluster changes. O(1) to
 * begin. */
struct foresee *plan_foresee_begin(
    const struct plan *p, void *ctx, plan_place_fn *each);
bool plan_foresee_more(struct foresee *f, size_t looks);
void plan_foresee_end(struct foresee *f); /* NULL is allowed */

/* ---- reservations of other kinds ---- */

struct reservation;

/* Nodes for one of them over its window, which is given. The caller's calls:
 *
 *     plan_rsv_begin()          a budget: what jobs, running or reserved for, leave of
 *                               each counted pool (bynode/rsvfree.h)
 *     rsvnodes_choose()         asks plan_rsv_tasks() of each node (plan/rsvnodes.h)
 *     rsvnodes_acceptable()     not enough: refused, or completed in a later cycle
 *     reservation_set_nodes()   the cluster notes the nodes
 *     plan_begin()              the next one: pools are made anew, and keep jobs off
 *
 * plan_rsv_tasks() answers how many tasks the node could hold throughout [start, end),
 * the window that plan_rsv_begin() saw: what jobs, pins, other reservations and the
 * budget leave. Each node is asked once, in RM order: what was offered of the budget is
 * not offered again until the next begin. `plan` is the struct plan. */
void plan_rsv_begin(struct plan *p, const struct reservation *r);
uint32_t plan_rsv_tasks(
    void *plan, const struct reservation *r, uint32_t node, int64_t start, int64_t end);

/* The next instant after `after` at which a job, a priority reservation or one of
 * another kind ends, so that there may be room that was not there before: for the first
 * possible start, and for those that may move. TIME_NEVER = none. O(jobs +
 * reservations). */
int64_t plan_rsv_next(const struct plan *p, int64_t after);

/* ---- backfill ---- */

/* The access class of a job (closures/closures.h): jobs with the same number are let in
 * and kept out by the same reservations of whole nodes. For the present cycle. O(log of
 * such jobs), unless it is the first of them. */
uint32_t plan_access(struct plan *p, const struct job *j);
/* Changes when the number of some job may, but for jobs bound to reservations. */
uint64_t plan_access_epoch(struct plan *p);
#define PLAN_ACCESS_ANY UINT32_MAX /* nothing is closed to it */

/* What is free from now on, by how long. A job of that access class that fits in no
 * window cannot start, whatever its tasks are; one that does may (plan_fits_now()).
 * What is reserved is not free: so a job that starts delays no reservation.
 *
 *     processors   8 until 500, 3 for ever      a reservation takes 5 at 500
 *     windows      {8, 500 - now}, {3, DURATION_UNLIMITED} */
struct window {
    int64_t procs;
    int64_t duration_s; /* DURATION_UNLIMITED = no end */
};
/* The next window with a duration greater than `after_s` (start with 0; the windows get
 * longer and narrower). False when there is none. */
bool plan_window(struct plan *p, uint32_t partition, uint32_t access, int64_t after_s,
    struct window *ret_window);
/* All of them, at least one; valid until the plan changes. */
struct windows VEC(struct window);
const struct windows *plan_windows(struct plan *p, uint32_t partition, uint32_t access);

/* ---- forks: copies to ask and to try on ---- */

/* A copy of the plan, on which anything may be asked and tried. The original does not
 * change by it.
 *
 *     plan_fork()              forecasts
 *     plan_fork_bound()        nodes for a reservation that is not a job's
 *     plan_fork_for()          a job that nobody has submitted: showbf, showstart
 *     plan_fork_with()         the same, whatever its tasks are
 *     plan_fork_as()           runjob: a waiting job as the order wants it
 *     plan_fork_without()      BACKFILLPOLICY PREEMPT: reservations are made as if jobs
 *                              started on approval were gone; then plan_adopt()
 *     plan_fork_unreserved()   BACKFILLPOLICY PREEMPT: jobs start on approval where
 *                              others are reserved; after each start plan_follow()
 *
 * A fork answers until the cluster or the original changes (asserted of the original by
 * each question). It is ended by plan_destroy(), before the original (asserted). Owned.
 * O(pools + jobs + reservations): docs/performance.md says how long it takes. */

/* Waiting jobs as they are: what would become of them. Where somebody has queued since
 * plan_begin() who ended the counting of a pool, what is reserved there has nodes. */
struct plan *plan_fork(struct plan *p);

/* In which all that is reserved by count has the nodes that it would get if pools were
 * to be others now: what is free of each node besides, for plan_rsv_tasks(). A new
 * reservation that has only of that moves nobody in plan_begin(RSV_PROMISED). */
struct plan *plan_fork_bound(struct plan *p);

/* For a job that nobody has submitted; its first request is looked at. Where the plan
 * does not know its task definition, pools counted in units of another size are left
 * out: nothing about how pools are planned changes by the question. Where it asks for
 * something that pools are not divided by, they are divided, and reservations are made
 * anew in the same order, so they may be elsewhere. plan_first_fit() then answers. */
struct plan *plan_fork_for(struct plan *p, const struct job *j);

/* The same as if it were submitted: pools that are counted in units of another size are
 * planned node by node, and what is reserved there has nodes. */
struct plan *plan_fork_with(struct plan *p, const struct job *j);

/* A fork after plan_begin(now, keep), for one of the waiting jobs as an order wants it:
 * *j is a copy that may ask for other nodes and be let into other partitions. Has no
 * reservation of it. Those of others stand or are made again as plan_begin() says.
 * Pools are made anew only in the fork.
 */
struct plan *plan_fork_as(
    struct plan *p, const struct job *j, int64_t now, enum rsv_keep keep);

/* A fork in which these running jobs (indexes) are gone; with `keep_memory` they are
 * suspended, and keep their memory. Slots are looked for in it and reserved; nothing
 * starts in it, as the jobs are still there. Their licences stay taken: nobody is
 * preempted for licences. */
struct plan *plan_fork_without(
    struct plan *p, const uint32_t *jobs, size_t n, bool keep_memory);

/* A fork in which reservations of waiting jobs hold no nodes; plan_reservation_of()
 * still answers. They hold their licences. */
struct plan *plan_fork_unreserved(struct plan *p);

/* The job has just started in the fork's original, and nothing else has changed there:
 * it starts in the fork, too. */
void plan_follow(struct plan *fork, const struct job *j);

/* The job gets in the plan the reservation that it has in a fork of it (not
 * plan_fork_for(); asserted): the same slot, units and pins, whoever else has them in
 * the plan. The fork then answers no more. The reservation's place in the order of
 * making stays, if the job had one. O(pools + reservations). */
void plan_adopt(struct plan *p, const struct plan *fork, const struct job *j);

/* ---- for displays ---- */

/* Tasks of that request of the job that the node could take now and keep for the whole
 * limit, whatever is reserved for waiting jobs. O(what is on the node). */
uint32_t plan_tasks_on(
    struct plan *p, const struct job *j, uint32_t request, const struct node *n);

/* Each node of the partition on which tasks of the job could start now. Units reserved
 * in a counted pool are on no node yet: the pool's last nodes are shown without them.
 * O(nodes). */
struct plan_free {
    const struct node *node;
    uint32_t tasks;     /* so many */
    int64_t until;      /* all of them could stay till then */
    int64_t some_until; /* one of them could */
};
typedef void plan_free_fn(void *ctx, const struct plan_free *f);
void plan_free_nodes(struct plan *p, const struct job *j, uint32_t partition, void *ctx,
    plan_free_fn *each);

/* The nodes that the job, which nobody has submitted, would be on in the slot that
 * plan_first_fit() of this fork for it (plan_fork_for()) has told: those that a start
 * would get, if that is now; else the first ones, in RM order, that all others leave,
 * of which those planned by count are supposed to be on nodes, too. `each` gets
 * INDEX_NONE as its job. False: there are too many reservations to suppose any of that.
 * The fork answers nothing else after it. O(reservations x nodes). */
bool plan_suppose(struct plan *fork, const struct job *j, const struct slot *slot,
    void *ctx, plan_place_fn *each);

/* Processors of the unit in which pools of the partition are counted (the largest of
 * them); 0 = none is. */
int64_t plan_unit(const struct plan *p, uint32_t partition);

/* Does the plan treat the partition by count throughout? For displays and tests. */
bool plan_counts(const struct plan *p, uint32_t partition);

/* ---- figures ---- */

/* A limit on nodes of that relative speed, at least 1 s. Source: reference concepts,
 * section 7 (USEMACHINESPEED). */
static inline int64_t plan_scaled(int64_t limit_s, double speed)
{
    if (speed == 1.0 || limit_s <= 0 || limit_s >= DURATION_UNLIMITED)
        return limit_s;
    double s = (double)limit_s / speed;
    if (s >= (double)DURATION_UNLIMITED)
        return DURATION_UNLIMITED;
    return s < 1 ? 1 : (int64_t)s;
}

/* How long the job is planned to stay in that partition, INDEX_NONE: wherever that is
 * longest; of a suspended one, the rest. At least 1 s. O(partitions). */
int64_t plan_stays(struct plan *p, const struct job *j, uint32_t partition);

/* Grows with every start, stop and reservation, and when a cycle begins: where it is
 * the same, so is the plan. Never 0. O(1). */
uint64_t plan_version(const struct plan *p);

/* The highest speed of a node of the partition, 1 where speed does not count. O(pools).
 */
double plan_fastest(const struct plan *p, uint32_t partition);

/* Processors not dedicated on usable nodes of the partition, now. O(pools). */
int64_t plan_free_procs(const struct plan *p, uint32_t partition);

/* Earliest end of any active job by its limit, TIME_NEVER = none active. O(1). */
int64_t plan_first_end(const struct plan *p);

/* Changes whenever the answer of plan_possible() may change. */
uint32_t plan_layout(const struct plan *p);

/* Grows when a job starts, stops, or gets or loses a reservation. */
uint64_t plan_changes(const struct plan *p);

/* Asserts all invariants against the cluster; for tests. O(nodes + jobs). */
void plan_check(const struct plan *p);

#endif
