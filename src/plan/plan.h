/* SPDX-License-Identifier: Apache-2.0
 * When and where: the timeline of what is free, searches in it, and the priority
 * reservations made in it.
 *
 * Nodes that no request in the system can tell apart form a *pool*. As long as the
 * tasks of all requests on a pool take as many processors each, the pool is planned by
 * count: a unit is one task, the free units are a step function of time, and nodes are
 * chosen only when a job starts. That is exact, because intervals on identical machines
 * can always be coloured. A pool is planned node by node where tasks differ in size,
 * where something else than processors may limit them (memory, initiators, limits of a
 * node), and where it matters which nodes they get (host lists, tasks per node, node
 * sets, CONTIGUOUS). A reservation then gets its nodes when it is made: they are
 * pinned.
 *
 * Nodes under reservations of whole nodes make pools of their own (they differ in what
 * is free when, and for whom), which are counted as well; nothing below assumes that
 * all nodes of a partition are in one pool. */
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

/* Start of a cycle: pools follow the nodes, the clock is `now`. What becomes of the
 * reservations of the last cycle:
 *   RSV_REPLAN  they are to be planned anew. Where nothing came free early and no node
 *               changed, that would give the same up to the first difference in the
 *               order of jobs: they stay for now, and plan_confirm() tells which stand.
 *               Else they are forgotten.
 *   RSV_KEEP    they stay until plan_unreserve(). Where nodes, settings or reservations
 *               of other kinds changed, or pools are divided while there are such, they
 *               go, and the jobs are owed others.
 *   RSV_STAY    no cycle, but an order between two: they stay where they are until the
 *               next, or are as soon after that as nodes allow that changed.
 * Cheap when nothing changed. */
enum rsv_keep { RSV_REPLAN, RSV_KEEP, RSV_STAY };
void plan_begin(struct plan *p, int64_t now, enum rsv_keep keep);

/* RSV_REPLAN: jobs are offered in priority order. True when the job's reservation of
 * the last cycle stands as it is. Otherwise that one and all made after it are
 * forgotten. plan_confirm_rest() ends the offering: what was not confirmed goes. */
bool plan_confirm(struct plan *p, const struct job *j);
void plan_confirm_rest(struct plan *p);

/* RSV_REPLAN, before anything else in a cycle: has nothing come free since the last
 * one, and is no reservation due? Then who could not start at its end cannot now, and
 * all reservations stand: they are confirmed. O(reservations). */
bool plan_confirm_all(struct plan *p);

/* A job entered the queue or its requests changed: learn its task definitions
 * (they decide which pools can be planned by count). O(1) for known ones. */
void plan_job_queued(struct plan *p, const struct job *j);

/* Something changed that the plan is not told of: the credentials of a waiting job,
 * what is measured on a node. Answers that are remembered do not hold. O(1). */
void plan_changed(struct plan *p);

/* The job has been started (call after job_start; its reservation, if any, becomes
 * the start) or is about to be stopped at `now` (call before job_stop). O(pieces of
 * the allocation) plus a search by time. */
void plan_job_started(struct plan *p, const struct job *j);
void plan_job_stopping(struct plan *p, const struct job *j, int64_t now);

/* Could an empty machine ever run the job, in one of its partitions? False with
 * the reason: WAIT_PARTITION, WAIT_TOO_LARGE, WAIT_FEASIBLE or WAIT_GRES. O(pools). */
bool plan_possible(struct plan *p, const struct job *j, struct reason *ret_why);

/* Are enough units free for the job's whole limit from now on, in that partition?
 * Exact for counts; for node-by-node pools it is the sum over the nodes. O(steps). */
bool plan_fits_now(struct plan *p, const struct job *j, uint32_t partition);

/* Units or tasks free now for this job's request and limit: what checkjob prints. */
int64_t plan_free_now(struct plan *p, const struct job *j, uint32_t partition);

/* Choose nodes for a start now. Appends to *ret (empty before). 0, or -1 when they
 * do not suffice (node sets, exact node counts ...) and *ret_code says why. */
int plan_place_now(struct plan *p, const struct job *j, uint32_t partition,
    struct allocs *ret, enum wait_code *ret_code);

/* A partition and an instant at which a job can have its resources. */
struct slot {
    int64_t at;
    uint32_t partition;
};

/* Earliest slot at or after `from`, and after the job's release, over all partitions of
 * the job; tie: lowest partition. False when there is none. The search in one
 * partition:
 *   one request, all pools of its set counted    first_fit_counted()
 *   one request, a pool planned node by node     sweep_first_fit()
 *   several requests                             multireq_first_fit()
 * and again from floating_next() on where floating generic resources do not suffice. */
bool plan_first_fit(
    struct plan *p, const struct job *j, int64_t from, struct slot *ret_slot);

/* The same of slots that end by `by`. */
bool plan_fit_by(struct plan *p, const struct job *j, int64_t from, int64_t by,
    struct slot *ret_slot);

/* NULL = the job has none and is owed none. Borrowed until the plan changes. O(1). */
const struct planned *plan_reservation_of(const struct plan *p, const struct job *j);
/* The same in short: has it one in the plan? The start of what it has or is owed, 0 =
 * nothing. */
bool plan_is_reserved(const struct plan *p, const struct job *j);
int64_t plan_reserved_at(const struct plan *p, const struct job *j);

/* Reserve a slot found by plan_first_fit() (nothing may have changed between): units of
 * counted pools (reserve_units()), and nodes of others, which are pinned
 * (bynode_place_at()). A job has at most one reservation. */
void plan_reserve(struct plan *p, const struct job *j, const struct slot *slot);
/* What it holds is free again; the job is owed another one. */
void plan_unreserve(struct plan *p, const struct job *j);
/* A job that has no reservation is owed one at that instant, as after a restart; 0 =
 * none any more, as before it leaves the cluster. */
void plan_owe(struct plan *p, const struct job *j, int64_t at);
/* Its time has come: what it holds of counted pools makes way for the start that is to
 * follow at once. Where none does, plan_unplanned() is to be called. */
void plan_make_way(struct plan *p, const struct job *j);
/* The reservation that the job has goes to the earliest slot that ends by `by`, at the
 * latest where it is; its place in the order of making stays. */
void plan_move_forward(struct plan *p, const struct job *j, int64_t by);
uint32_t plan_reservations(const struct plan *p);
/* When the reservation that the job has will be over. */
int64_t plan_reserved_until(const struct plan *p, const struct job *j);

/* Job of the i-th reservation, in order of making; INDEX_NONE = it is gone. */
uint32_t plan_reserved_job(const struct plan *p, uint32_t i);

/* Where reservations of jobs will be: pinned ones on their nodes, those planned by
 * count on nodes that are chosen for the telling (none when there are very many). In no
 * order. O(reservations x nodes). */
typedef void plan_place_fn(void *ctx, uint32_t job, uint32_t node, uint32_t tasks);
void plan_foresee(const struct plan *p, void *ctx, plan_place_fn *each);

/* ---- reservations of other kinds ---- */

struct reservation;

/* What reservation_choose functions ask (plan/rsvnodes.h): begin with one reservation,
 * then ask node by node, in RM order, what it could hold over its window. Reservations
 * of jobs planned by count leave so many units of a pool, whichever nodes those are:
 * what was offered of them once is not offered again until the next begin. */
void plan_rsv_begin(struct plan *p, const struct reservation *r);
uint32_t plan_rsv_tasks(
    void *plan, const struct reservation *r, uint32_t node, int64_t start, int64_t end);

/* The next instant after `after` at which a job, a reservation of one or another
 * reservation ends, so that one may find room that did not before. TIME_NEVER = none.
 * O(jobs + reservations). */
int64_t plan_rsv_next(const struct plan *p, int64_t after);

/* ---- questions ---- */

/* A copy of the plan, on which anything may be asked and tried: the original does not
 * change by it. It holds until the cluster or the original changes (asserted of the
 * original by each question), and is ended by plan_destroy(), before the original
 * (asserted). Owned. O(pools + jobs + reservations): docs/performance.md says how long
 * it takes. */
struct plan *plan_fork(struct plan *p);

/* The same for a job that nobody has submitted; its first request is looked at. Where
 * the plan does not know its task definition, pools counted in units of another size
 * are left out: the definition does not change how they are planned. Where it asks for
 * something that pools are not divided by, they are divided, and reservations are made
 * anew in the same order, so they may be elsewhere. plan_first_fit() then answers. */
struct plan *plan_fork_for(struct plan *p, const struct job *j);

/* A fork at `now`, for one of the waiting jobs as an order wants it: *j is a copy that
 * may ask for other nodes and be let into other partitions. Has no reservation of it.
 */
struct plan *plan_fork_as(
    struct plan *p, const struct job *j, int64_t now, enum rsv_keep keep);

/* Processors of the unit in which pools of the partition are counted (the largest of
 * them); 0 = none is. */
int64_t plan_unit(const struct plan *p, uint32_t partition);

/* Tasks of that request of the job that the node could take now and keep for the whole
 * limit, whatever is reserved for waiting jobs. O(what is on the node). */
uint32_t plan_tasks_on(
    struct plan *p, const struct job *j, uint32_t request, const struct node *n);

/* Each node of the partition on which tasks of the job could start now. Units reserved
 * in a counted pool are thought to be on its last nodes.
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

/* ---- preemption ---- */

/* Before plan_begin(): the reservations of the last cycle are not to be trusted. */
void plan_distrust(struct plan *p);

/* Something starts, or gets another end, that was not planned (by order, or because the
 * resource manager did so): what is reserved may be in its way. Before
 * plan_job_started(). */
void plan_unplanned(struct plan *p);

/* A fork in which these running jobs (indexes) are gone, or suspended with
 * `keep_memory`: what it finds and reserves may be on their nodes. For later than now:
 * nothing starts in it, and plan_begin() is not for it (asserted). Their licences stay
 * taken, as nobody is preempted for them. */
struct plan *plan_fork_without(
    struct plan *p, const uint32_t *jobs, size_t n, bool keep_memory);

/* A fork in which reservations of waiting jobs hold no nodes; who has one is still
 * told. They hold their licences. */
struct plan *plan_fork_unreserved(struct plan *p);

/* The job has just started in the fork's original, and nothing else has changed there:
 * it starts in the fork, too. */
void plan_follow(struct plan *fork, const struct job *j);

/* The job gets the very reservation that it has in a fork of the plan (not
 * plan_fork_for(); asserted), which then answers no more,
 * whatever is there; its place in the order of making stays, if it had one. O(pools +
 * reservations). */
void plan_adopt(struct plan *p, const struct plan *fork, const struct job *j);

/* Can the nodes a suspended job ran on carry it for the rest of its limit, from now on,
 * and are its licences free, which it gave back? `cross`: what is reserved for waiting
 * jobs is not in its way. O(nodes of the job). */
bool plan_can_resume(struct plan *p, const struct job *j, bool cross);

/* Jobs with the same number are let in and kept out by the same reservations of whole
 * nodes. For the present cycle. O(log of such jobs), unless it is the first of them. */
uint32_t plan_access(struct plan *p, const struct job *j);
/* Changes when the number of some job may, but for jobs bound to reservations. */
uint64_t plan_access_epoch(struct plan *p);
#define PLAN_ACCESS_ANY UINT32_MAX /* into all of them */

/* Windows for backfill, as any request of one processor a task would see them, of a job
 * with that access: the next one with a duration greater than `after_s` (start with 0;
 * the windows get longer and narrower). False when there is none. */
struct window {
    int64_t procs;
    int64_t duration_s; /* DURATION_UNLIMITED = no end */
};
bool plan_window(struct plan *p, uint32_t partition, uint32_t access, int64_t after_s,
    struct window *ret_window);
/* All of them, at least one; valid until the plan changes. */
struct windows VEC(struct window);
const struct windows *plan_windows(struct plan *p, uint32_t partition, uint32_t access);

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

/* The highest speed of a node of the partition, 1 where speed does not count. O(pools).
 */
double plan_fastest(const struct plan *p, uint32_t partition);

/* Processors not dedicated on usable nodes of the partition, now. O(pools). */
int64_t plan_free_procs(const struct plan *p, uint32_t partition);

/* Earliest end of any active job by its limit, TIME_NEVER = none active. O(1). */
int64_t plan_first_end(const struct plan *p);

/* Does the plan treat the partition by count throughout? For displays and tests. */
bool plan_counts(const struct plan *p, uint32_t partition);

/* Changes whenever the answer of plan_possible() may change. */
uint32_t plan_layout(const struct plan *p);

/* Grows when a job starts, stops, or gets or loses a reservation. */
uint64_t plan_changes(const struct plan *p);

/* Asserts all invariants against the cluster; for tests. O(nodes + jobs). */
void plan_check(const struct plan *p);

#endif
