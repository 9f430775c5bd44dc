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
};
struct stays VEC(struct stay);

struct foresee {
    const struct plan *p;
    struct stays
        *on; /* by node; NULL: reservations by count are too many to be placed */
    const struct rsv **order; /* by their starts */
    size_t n, next;
    size_t looked; /* at nodes, and at what is in use there */
    void *ctx;
    plan_place_fn *each;
};

static void add_running(struct foresee *f)
{
    const struct cluster *c = f->p->c;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (!job_is_active(j))
            continue;
        for (size_t k = 0; k < j->alloc.n; k++)
            for (uint32_t n = 0; n < j->alloc.v[k].count; n++)
                vec_push(&f->on[j->alloc.v[k].first + n],
                    ((struct stay){plan_job_end(f->p, j), j->alloc.v[k].tasks}));
    }
}

/* What is in use when the reservation begins. Those that come later begin later: what
 * has ended by then goes. */
static uint32_t in_use(struct stays *stays, int64_t at)
{
    uint32_t used = 0;
    size_t kept = 0;

    for (size_t i = 0; i < stays->n; i++) {
        if (stays->v[i].end_at <= at)
            continue;
        used += stays->v[i].units;
        stays->v[kept++] = stays->v[i];
    }
    stays->n = kept;
    return used;
}

static uint32_t place_in(
    struct foresee *f, const struct rsv *r, const struct pool *pool, uint32_t need)
{
    for (size_t i = 0; i < pool->nodes.n && need; i++) {
        uint32_t node = pool->nodes.v[i];
        f->looked += 1 + f->on[node].n;
        uint32_t used = in_use(&f->on[node], r->start_at);
        uint32_t k = used < pool->per_node ? pool->per_node - used : 0;
        k = k < need ? k : need;
        if (!k)
            continue;
        vec_push(&f->on[node], ((struct stay){r->end_at, k}));
        f->each(f->ctx, r->job, node, k);
        need -= k;
    }
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

static int by_start(const void *a, const void *b)
{
    const struct rsv *x = *(const struct rsv *const *)a;
    const struct rsv *y = *(const struct rsv *const *)b;

    if (x->start_at != y->start_at)
        return x->start_at < y->start_at ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Tell of pinned ones and collect the others, ordered; how many. */
static size_t sort_out(const struct foresee *f, const struct rsv **ret)
{
    size_t n = 0;

    for (uint32_t i = 0; i < rsvtable_count(f->p->reserved); i++) {
        const struct rsv *r = rsvtable_row(f->p->reserved, i);
        if (!r)
            continue;
        for (size_t k = 0; k < r->alloc.n; k++)
            for (uint32_t node = 0; node < r->alloc.v[k].count; node++)
                f->each(
                    f->ctx, r->job, r->alloc.v[k].first + node, r->alloc.v[k].tasks);
        if (r->parts.n)
            ret[n++] = r;
    }
    if (n)
        qsort(ret, n, sizeof *ret, by_start);
    return n;
}

struct foresee *plan_foresee_begin(const struct plan *p, void *ctx, plan_place_fn *each)
{
    struct foresee *f = xcalloc(1, sizeof *f);

    *f = (struct foresee){.p = p, .ctx = ctx, .each = each};
    f->order = xcalloc(rsvtable_count(p->reserved) + 1, sizeof *f->order);
    f->n = sort_out(f, f->order);
    check_answerable(p);
    if (f->n && (uint64_t)f->n * p->c->nodes.n <= EFFORT_MAX) {
        f->on = xcalloc(p->c->nodes.n + 1, sizeof *f->on);
        add_running(f);
    }
    return f;
}

bool plan_foresee_more(struct foresee *f, size_t looks)
{
    size_t end =
        f->looked + (looks < SIZE_MAX - f->looked ? looks : SIZE_MAX - f->looked);

    for (; f->on && f->next < f->n && f->looked < end; f->next++) {
        const struct rsv *r = f->order[f->next];
        for (size_t k = 0; k < r->parts.n; k++)
            place_part(f, r, &r->parts.v[k]);
        f->looked++; /* with no part too it ends */
    }
    return f->on && f->next < f->n;
}

void plan_foresee_end(struct foresee *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->on && i < f->p->c->nodes.n; i++)
        vec_fini(&f->on[i]);
    free(f->on);
    free(f->order);
    free(f);
}

void plan_foresee(const struct plan *p, void *ctx, plan_place_fn *each)
{
    struct foresee *f = plan_foresee_begin(p, ctx, each);

    plan_foresee_more(f, SIZE_MAX);
    plan_foresee_end(f);
}
