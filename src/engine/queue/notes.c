/* SPDX-License-Identifier: Apache-2.0
 * Notes of the waiting jobs: queue_private.h has the picture.
 *
 * Jobs lie all over the memory, and nothing happens to most of them from one cycle to
 * the next but that time passes. So what a cycle needs to know of a job is noted side
 * by side, and the job itself is looked at only when something happened to it
 * (queue_touch) or to what notes are made from (the stamp). */
#include "engine/classes.h"
#include "engine/queue/queue.h"
#include "engine/queue/queue_private.h"
#include "policy/limits_use.h"

#include <assert.h>

void notes_fini(struct notes *n)
{
    vec_fini(&n->v);
    vec_fini(&n->own);
    vec_fini(&n->uses);
    vec_fini(&n->creds);
    credsets_fini(&n->credsets);
}

/* Numbers of credentials that nobody has any more cost memory. */
#define CREDSETS_KEPT 1000

static bool same_stamp(const struct notes_stamp *a, const struct notes_stamp *b)
{
    return a->able == b->able && a->priority == b->priority && a->config == b->config
           && a->access == b->access && a->layout == b->layout;
}

static struct notes_stamp stamp_now(const struct queue *q)
{
    const struct engine *e = q->e;

    return (struct notes_stamp){
        .able = e->opt.order == ORDER_PRIORITY && !q->pass.counts,
        .priority = q->pass.epoch,
        .config = e->c->config_epoch,
        .access = plan_access_epoch(e->plan),
        .layout = plan_layout(e->plan)};
}

void notes_begin(struct queue *q)
{
    struct engine *e = q->e;
    struct notes *n = &q->notes;
    bool crowded = n->credsets.sets.n > 2 * q->waiting.n + CREDSETS_KEPT;

    struct notes_stamp stamp = stamp_now(q);
    if (crowded)
        credsets_forget(&n->credsets);
    if (crowded || !same_stamp(&stamp, &n->stamp))
        for (size_t i = 0; i < n->v.n; i++)
            n->v.v[i].clean = false;
    n->stamp = stamp;
    while (n->v.n < e->c->jobs.n) {
        vec_push(&n->v, (struct note){0});
        vec_push(&n->own, (struct prio_own){0});
    }
    n->more = limits_walk_asks_more(e->limits);
    n->width = limits_walk_resources(e->limits);
    while (n->more && n->uses.n < e->c->jobs.n * n->width)
        vec_push(&n->uses, 0);
    if (n->credsets.sets.n > n->creds.n)
        vec_push_zeros(&n->creds, n->credsets.sets.n - n->creds.n);
}

/* The job was admitted: would it be again, and with nothing to be done about it, as
 * long as nothing happens to it? */
static bool stays_admitted(const struct queue *q, const struct job *j)
{
    static const uint32_t special =
        JOB_SYSPRIO_SET | JOB_SYSPRIO_REL | JOB_OWNPRIO | JOB_NOQUEUE | JOB_ADVRES;
    const struct engine *e = q->e;
    const struct job_extra *x = j->extra;

    if (!q->notes.stamp.able || (j->flags & special)
        || (x && (x->advres || x->deadline_at || classes_several(j)))
        || !admission_stands(e, j))
        return false;
    if (promises_has(e->promises, j, PROMISE_DEADLINE)
        || promises_has(e->promises, j, PROMISE_RETRY))
        return false;
    return j->limited || (j->accruing && !j->paused && j->why.code == WAIT_RESOURCES);
}

void notes_take(struct queue *q, struct job *j)
{
    struct engine *e = q->e;
    struct notes *n = &q->notes;
    struct note *x = &n->v.v[j->index];

    prio_own_of(&q->pass, j, &n->own.v[j->index]);
    x->wclimit_s = job_least_limit(j);
    x->credset = credsets_number(&n->credsets, j->cred);
    x->procs = j->procs;
    x->access = plan_access(e->plan, j);
    x->limited = j->limited;
    x->clean = stays_admitted(q, j);
    if (n->more)
        limits_walk_use_of(e->limits, e->c, j, n->uses.v + j->index * n->width);
}

/* What the credentials give to all who have the same, worked out once in a pass. */
static const struct prio_creds *creds_of(struct queue *q, uint32_t credset)
{
    struct note_creds *of = &q->notes.creds.v[credset];

    if (of->pass != q->pass.number) {
        prio_creds_of(&q->pass, q->notes.credsets.sets.v[credset].cred, &of->give);
        of->pass = q->pass.number;
    }
    return &of->give;
}

bool notes_give_priority(struct queue *q, uint32_t job)
{
    struct notes *n = &q->notes;
    const struct prio_creds *of = creds_of(q, n->v.v[job].credset);
    int64_t priority = prio_from(&q->pass, &n->own.v[job], of);

    q->e->c->priorities.v[job] = priority;
    return priority >= 0 || !(admission_depends(q->e) & ON_PRIORITY);
}

struct candidate notes_candidate(const struct queue *q, uint32_t job)
{
    const struct note *x = &q->notes.v.v[job];

    return (struct candidate){job, x->procs, x->wclimit_s, x->access};
}

/* ---- invariants ---- */

void queue_check(struct queue *q)
{
    struct notes *n = &q->notes;
    struct engine *e = q->e;
    bool current = n->stamp.able && n->stamp.config == e->c->config_epoch
                   && n->stamp.layout == plan_layout(e->plan)
                   && n->stamp.access == plan_access_epoch(e->plan);

    for (size_t i = 0; current && i < e->c->queued.n; i++) {
        uint32_t job = e->c->queued.v[i];
        if (job == INDEX_NONE || job >= n->v.n || !n->v.v[job].clean)
            continue;
        struct job *j = e->c->jobs.v[job];
        const struct prio_own own = n->own.v[job], *own_now = &n->own.v[job];
        const struct note noted = n->v.v[job], *now = &n->v.v[job];
        notes_take(q, j);
        struct reason why;
        assert(!admission_refusal(e, j, ADMIT_QUEUED | ADMIT_EVER, &why)
               || why.code == WAIT_NEGATIVE_PRIORITY); /* its note knows */
        assert(own.fixed == own_now->fixed && own.res == own_now->res
               && own.queue_s == own_now->queue_s && own.grows == own_now->grows
               && own.wclimit_s == own_now->wclimit_s);
        assert(noted.credset == now->credset && noted.procs == now->procs
               && noted.wclimit_s == now->wclimit_s && noted.access == now->access
               && noted.limited == now->limited);
    }
}
