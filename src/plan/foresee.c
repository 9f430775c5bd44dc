/* SPDX-License-Identifier: Apache-2.0
 * On which nodes reservations will be, as far as can be foreseen: those planned by
 * count are given nodes in order of their starts, as bind.c does it, but for looking
 * only. */
#include "base/xalloc.h"
#include "plan/plan_private.h"

/* Looking at so many nodes for reservations is too much: 0.1 s. */
#define EFFORT_MAX 20000000u

/* Units that are in use on a node until an instant. */
struct stay {
    int64_t end_at;
    uint32_t units;
    uint32_t next; /* on that node: its place + 1; 0: none */
};

/* Passing over so many nodes that are full takes as long as looking at one. */
#define PASSED_A_LOOK 16

/* In this order. */
enum step { STEP_RESERVED, STEP_RUNNING, STEP_PLACES, STEP_NOTHING };

struct foresee {
    const struct plan *p;
    enum step step;
    uint32_t row;  /* of the table, that is looked at next */
    size_t active; /* the same of jobs that run */
    uint32_t
        *on; /* by node: place in `stays` + 1 of the last; 0: none. NULL: not yet */
    int64_t *full_until; /* by node, as far as it is known */
    struct VEC(struct stay) stays;
    /* Those planned by count: a heap, the earliest start at its top. */
    struct VEC(const struct rsv *) heap;
    size_t looked; /* at nodes, and at what is in use there */
    void *ctx;
    plan_place_fn *each;
};

static void add_stay(struct foresee *f, uint32_t node, int64_t end_at, uint32_t units)
{
    vec_push(&f->stays, ((struct stay){end_at, units, f->on[node]}));
    f->on[node] = (uint32_t)f->stays.n;
}

static void add_running(struct foresee *f, const struct job *j)
{
    int64_t end = plan_job_end(f->p, j);

    for (size_t k = 0; k < j->alloc.n; k++) {
        for (uint32_t n = 0; n < j->alloc.v[k].count; n++)
            add_stay(f, j->alloc.v[k].first + n, end, j->alloc.v[k].tasks);
        f->looked += j->alloc.v[k].count;
    }
}

/* What is in use when the reservation begins, and until when none of that ends. Those
 * that come later begin later: what has ended by then goes. */
static uint32_t in_use(struct foresee *f, uint32_t node, int64_t at, int64_t *ret_until)
{
    uint32_t used = 0, *link = &f->on[node];

    *ret_until = INT64_MAX;
    while (*link) {
        struct stay *s = &f->stays.v[*link - 1];
        f->looked++;
        if (s->end_at <= at) {
            *link = s->next;
            continue;
        }
        used += s->units;
        *ret_until = s->end_at < *ret_until ? s->end_at : *ret_until;
        link = &s->next;
    }
    return used;
}

static uint32_t place_in(
    struct foresee *f, const struct rsv *r, const struct pool *pool, uint32_t need)
{
    size_t passed = 0;

    for (size_t i = 0; i < pool->nodes.n && need; i++) {
        uint32_t node = pool->nodes.v[i];
        int64_t until;
        if (f->full_until[node] > r->start_at) {
            passed++;
            continue;
        }
        f->looked++;
        uint32_t used = in_use(f, node, r->start_at, &until);
        uint32_t k = used < pool->per_node ? pool->per_node - used : 0;
        if (!k)
            f->full_until[node] = until;
        k = k < need ? k : need;
        if (!k)
            continue;
        add_stay(f, node, r->end_at, k);
        f->each(f->ctx, r->job, node, k);
        need -= k;
    }
    f->looked += passed / PASSED_A_LOOK;
    return need;
}

/* What several pools have together is on nodes of any of them, if nothing begins before
 * they are together; else the parts of those pools themselves say where. */
static void place_part(struct foresee *f, const struct rsv *r, const struct part *part)
{
    const struct plan *p = f->p;
    uint32_t need = (uint32_t)part->units;

    if (part->pool < pools_count(p->pools)) {
        place_in(f, r, pools_at(p->pools, part->pool), need);
        return;
    }
    if (r->start_at < pools_merge_at(p->pools))
        return;
    for (size_t i = 0; i < pools_count(p->pools) && need; i++)
        if (pools_at(p->pools, i)->merged == part->pool - pools_count(p->pools))
            need = place_in(f, r, pools_at(p->pools, i), need);
}

/* ---- those planned by count, in order of their starts ---- */

static bool comes_before(const struct rsv *x, const struct rsv *y)
{
    return x->start_at != y->start_at ? x->start_at < y->start_at : x->job < y->job;
}

static void swap_rows(struct foresee *f, size_t a, size_t b)
{
    const struct rsv *kept = f->heap.v[a];

    f->heap.v[a] = f->heap.v[b];
    f->heap.v[b] = kept;
}

static void push_row(struct foresee *f, const struct rsv *r)
{
    size_t at = f->heap.n;

    vec_push(&f->heap, r);
    for (; at && comes_before(r, f->heap.v[(at - 1) / 2]); at = (at - 1) / 2)
        swap_rows(f, at, (at - 1) / 2);
}

static const struct rsv *pop_row(struct foresee *f)
{
    const struct rsv *first = f->heap.v[0];
    size_t at = 0;

    f->heap.v[0] = f->heap.v[--f->heap.n];
    for (;;) {
        size_t least = at;
        for (size_t k = 2 * at + 1; k <= 2 * at + 2 && k < f->heap.n; k++)
            if (comes_before(f->heap.v[k], f->heap.v[least]))
                least = k;
        if (least == at)
            return first;
        swap_rows(f, at, least);
        at = least;
    }
}

/* ---- the steps ---- */

/* A pinned one is told where it is; others are kept for later. */
static void look_at_reserved(struct foresee *f)
{
    const struct rsv *r = rsvtable_row(f->p->reserved, f->row++);

    f->looked++;
    if (!r)
        return;
    for (size_t k = 0; k < r->alloc.n; k++) {
        for (uint32_t node = 0; node < r->alloc.v[k].count; node++)
            f->each(f->ctx, r->job, r->alloc.v[k].first + node, r->alloc.v[k].tasks);
        f->looked += r->alloc.v[k].count;
    }
    if (r->parts.n)
        push_row(f, r);
}

/* None are placed where they are too many. */
static void end_reserved(struct foresee *f)
{
    uint64_t nodes = f->p->c->nodes.n;

    f->step = STEP_NOTHING;
    if (!f->heap.n || (uint64_t)f->heap.n * nodes > EFFORT_MAX)
        return;
    f->on = xcalloc(nodes + 1, sizeof *f->on);
    f->full_until = xcalloc(nodes + 1, sizeof *f->full_until);
    f->step = STEP_RUNNING;
}

static void look_at_running(struct foresee *f)
{
    const struct cluster *c = f->p->c;
    const struct job *j = c->jobs.v[c->active.v[f->active++]];

    f->looked++;
    if (job_is_active(j))
        add_running(f, j);
}

static void place_next(struct foresee *f)
{
    const struct rsv *r = pop_row(f);

    for (size_t k = 0; k < r->parts.n; k++)
        place_part(f, r, &r->parts.v[k]);
    f->looked++; /* with no part too it ends */
}

static void make_step(struct foresee *f)
{
    switch (f->step) {
    case STEP_RESERVED:
        if (f->row < rsvtable_count(f->p->reserved))
            look_at_reserved(f);
        else
            end_reserved(f);
        break;
    case STEP_RUNNING:
        if (f->active < f->p->c->active.n)
            look_at_running(f);
        else
            f->step = STEP_PLACES;
        break;
    case STEP_PLACES:
        if (f->heap.n)
            place_next(f);
        else
            f->step = STEP_NOTHING;
        break;
    case STEP_NOTHING:
        break;
    }
}

struct foresee *plan_foresee_begin(const struct plan *p, void *ctx, plan_place_fn *each)
{
    struct foresee *f = xcalloc(1, sizeof *f);

    *f = (struct foresee){.p = p, .ctx = ctx, .each = each};
    check_answerable(p);
    return f;
}

bool plan_foresee_more(struct foresee *f, size_t looks)
{
    size_t end =
        f->looked + (looks < SIZE_MAX - f->looked ? looks : SIZE_MAX - f->looked);

    while (f->step != STEP_NOTHING && f->looked < end)
        make_step(f);
    return f->step != STEP_NOTHING;
}

void plan_foresee_end(struct foresee *f)
{
    if (!f)
        return;
    vec_fini(&f->stays);
    free(f->full_until);
    free(f->on);
    vec_fini(&f->heap);
    free(f);
}

void plan_foresee(const struct plan *p, void *ctx, plan_place_fn *each)
{
    struct foresee *f = plan_foresee_begin(p, ctx, each);

    plan_foresee_more(f, SIZE_MAX);
    plan_foresee_end(f);
}
