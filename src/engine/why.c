/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits, with the numbers of this moment. A cycle writes a reason down
 * only when it changes, and looks at no more than it must to decide; whoever asks
 * gets the rest from here. */
#include "engine/admission.h"
#include "engine/bounds.h"
#include "engine/eligible.h"
#include "engine/engine_private.h"
#include "engine/preempt.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "policy/bank.h"
#include "policy/fairshare.h"

static struct reason because(enum wait_code code)
{
    return (struct reason){
        .code = (uint8_t)code, .kind = CRED_KINDS, .kind2 = CRED_KINDS};
}

/* The most tasks that are free for the whole limit in one partition, and which. */
static int64_t most_free(struct engine *e, const struct job *j, uint32_t *ret_partition)
{
    uint64_t parts = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
    int64_t most = 0;

    *ret_partition = INDEX_NONE;
    for (; parts; parts &= parts - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(parts);
        int64_t tasks = plan_free_now(e->plan, j, p);
        if (*ret_partition == INDEX_NONE || tasks > most) {
            most = tasks;
            *ret_partition = p;
        }
    }
    return most;
}

static bool would_fit(
    struct engine *e, const struct job *j, uint32_t partition, int64_t limit_s)
{
    struct job shorter = *j;

    shorter.wclimit_s = limit_s;
    return plan_free_now(e->plan, &shorter, partition) >= j->reqs[0].tasks;
}

/* The longest limit with which the job would fit now, who does not with its own:
 * reservations stand in the way of a longer one. 0 = it would not with any. */
static int64_t fitting_limit(struct engine *e, const struct job *j, uint32_t partition)
{
    int64_t fits = 1, not_so = j->wclimit_s;

    if (!would_fit(e, j, partition, fits))
        return 0; /* most of those who wait: asked of all of them, a bisection is dear
                   */
    while (fits + 1 < not_so) {
        int64_t middle = fits + (not_so - fits) / 2;
        if (would_fit(e, j, partition, middle))
            fits = middle;
        else
            not_so = middle;
    }
    return fits;
}

/* The plan has nodes that are busy without a job for free, as they may be so at any
 * moment; no task starts on them. How many could start now, or that it is as many as it
 * asks for. */
static int64_t count_startable(
    struct engine *e, const struct job *j, uint32_t partition)
{
    const struct taskdef *def = j->reqs[0].def;
    int64_t tasks = 0;

    for (size_t i = 0; i < e->c->nodes.n && tasks < j->tasks; i++) {
        const struct node *n = node_at(e->c, (uint32_t)i);

        if (!n->global && n->partition == partition
            && feasible_node(e->c, def, n, NULL))
            tasks += avail_tasks_now(e->c, j, def, n);
    }
    return tasks;
}

static void why_resources(struct engine *e, const struct job *j, struct reason *r)
{
    int64_t each = eligible_procs_per_task(j);
    uint32_t partition;
    int64_t tasks = most_free(e, j, &partition);

    r->used = tasks * each;
    r->asked = j->tasks * each;
    if (partition == INDEX_NONE)
        return;
    if (tasks >= j->tasks && bounds_why(e, j, r))
        return;
    if (tasks >= j->tasks) {
        /* it would fit: a higher job waits, and nothing may pass it */
        if (e->c->partitions.v[partition]->par->bf_policy == BACKFILL_NONE)
            *r = because(WAIT_PRIORITY);
        else if (j->nreqs == 1 && (tasks = count_startable(e, j, partition)) < j->tasks)
            r->used = tasks * each;
        return;
    }
    int64_t window = fitting_limit(e, j, partition);
    if (window > 0) {
        *r = because(WAIT_BACKFILL_WINDOW);
        r->limit = window;
    }
}

/* What is counted as idle includes the jobs that were selected, so idle limits are
 * asked only for one that was not. */
static void why_limit(struct engine *e, const struct job *j, struct reason *r)
{
    unsigned what = CHECK_ACTIVE | CHECK_SYSTEM | (j->limited ? CHECK_IDLE : 0);
    struct reason soft, hard;
    bool over_soft = limits_violated(e->limits, e->c, j, what, LEVEL_SOFT, &soft);
    bool over_hard = limits_violated(e->limits, e->c, j, what, LEVEL_HARD, &hard);

    if (over_hard)
        *r = hard;
    else if (over_soft)
        *r = soft;
    else if (!r->limit) /* found before a restart, and true no more */
        *r = because(WAIT_NONE);
    r->same = over_hard && over_soft && hard.limit == soft.limit
              && hard.kind == soft.kind && hard.object == soft.object
              && hard.dim == soft.dim && hard.res == soft.res;
}

/* A job that nothing free can bring to its deadline in time. */
static void why_late(const struct engine *e, const struct job *j, struct reason *r)
{
    if (!promises_is_late(e->promises, j) || !j->extra || !j->extra->deadline_at)
        return;
    r->code = WAIT_DEADLINE;
    r->limit = j->extra->deadline_at;
}

const struct reason *engine_why(struct engine *e, const struct job *j)
{
    struct reason *r = &e->why;

    *r = j->why;
    if (job_is_active(j) || j->state >= JOB_COMPLETED) {
        *r = because(WAIT_NONE);
    } else if (j->state == JOB_SUSPENDED) {
        *r = because(WAIT_SUSPENDED);
        r->limit = (j->flags & JOB_PARKED) != 0;
        r->until = r->limit ? 0 : preempt_rests_until(e, j);
        if (!r->limit && plan_is_reserved(e->plan, j)) {
            r->limit = 2;
            r->until = plan_reserved_at(e->plan, j);
        } else if (!r->limit && !r->until) {
            charging_lacks(e, j, r);
        }
    } else if (!job_waits(j)) {
        admission_refusal(e, j, ADMIT_QUEUED, r);
        if (j->holds != HOLD_DEFER)
            r->until = 0; /* it is held beyond its deferral */
    } else if (plan_reserved_at(e->plan, j) != 0) {
        *r = because(WAIT_RESERVATION);
        r->until = plan_reserved_at(e->plan, j);
        why_late(e, j, r);
    } else if (r->code == WAIT_RESOURCES && promises_is_late(e->promises, j)) {
        *r = because(WAIT_RESOURCES);
        why_late(e, j, r);
    } else if (r->code == WAIT_RESOURCES) {
        why_resources(e, j, r);
        if (j->preempt_count && r->code == WAIT_RESOURCES) {
            r->code = WAIT_PREEMPTED;
            r->limit = j->preempt_count;
        }
    } else if (r->code == WAIT_LIMIT) {
        why_limit(e, j, r);
    } else if (r->code == WAIT_FS_CAP) {
        fs_blocks(e->c, j, r);
    } else if (r->code == WAIT_FUNDS) {
        if (!bank_in_force(e->c) || !bank_refuses(e->c, j, e->now, r))
            *r = because(WAIT_NONE);
    } else if (r->code == WAIT_TOO_LARGE) {
        eligible_in_procs(j, r);
    }
    return r;
}

static bool is_same(const struct reason *a, const struct reason *b)
{
    return a->code == b->code && a->kind == b->kind && a->object == b->object
           && a->dim == b->dim && a->res == b->res && a->quota == b->quota
           && a->quota_limit == b->quota_limit;
}

/* Its reasons of this moment that are not among the first `n`, which are there. */
static size_t add_refusals(
    struct engine *e, const struct job *j, struct reason *ret, size_t n, size_t max)
{
    struct reason more[16];
    size_t all = admission_refusals(e, j, more, sizeof more / sizeof *more);

    for (size_t i = 0; i < all && n < max; i++) {
        bool known = false;
        if (more[i].code == WAIT_TOO_LARGE)
            eligible_in_procs(j, &more[i]);
        for (size_t k = 0; k < n && !known; k++)
            known = is_same(&ret[k], &more[i]);
        if (!known)
            ret[n++] = more[i];
    }
    return n;
}

/* It would not fit now, whatever else keeps it. */
static bool lacks_room(struct engine *e, const struct job *j, struct reason *ret)
{
    uint32_t partition;
    int64_t tasks;

    if (j->nreqs != 1)
        return false;
    tasks = most_free(e, j, &partition);
    if (partition == INDEX_NONE || tasks >= j->tasks)
        return false;
    *ret = because(WAIT_RESOURCES);
    ret->used = tasks * eligible_procs_per_task(j);
    ret->asked = j->tasks * eligible_procs_per_task(j);
    return true;
}

size_t engine_reasons(
    struct engine *e, const struct job *j, struct reason *ret, size_t max)
{
    size_t n = 0;

    if (job_has_begun((enum job_state)j->state) || j->state >= JOB_COMPLETED || !max)
        return 0;
    ret[0] = *engine_why(e, j);
    n = ret[0].code != WAIT_NONE;
    /* of these the room is told already, or does not matter */
    const uint64_t about_room =
        UINT64_C(1) << WAIT_PARTITION | UINT64_C(1) << WAIT_TOO_LARGE
        | UINT64_C(1) << WAIT_FEASIBLE | UINT64_C(1) << WAIT_RESOURCES
        | UINT64_C(1) << WAIT_NODESET | UINT64_C(1) << WAIT_PRIORITY
        | UINT64_C(1) << WAIT_BACKFILL_DEPTH | UINT64_C(1) << WAIT_BACKFILL_WINDOW
        | UINT64_C(1) << WAIT_NOBF | UINT64_C(1) << WAIT_CHUNK
        | UINT64_C(1) << WAIT_SUSPENDED | UINT64_C(1) << WAIT_PREEMPTED
        | UINT64_C(1) << WAIT_GRES;
    bool room = n && about_room >> ret[0].code & 1;
    n = add_refusals(e, j, ret, n, max);
    if (!room && n < max && lacks_room(e, j, &ret[n]))
        n++;
    return n;
}
