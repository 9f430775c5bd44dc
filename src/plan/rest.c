/* SPDX-License-Identifier: Apache-2.0
 * The rest of suspended jobs: places on their own nodes (plan/plan.h). */
#include "plan/bynode/single.h"
#include "plan/nodes/rsvview.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"

/* ---- may it be suspended? ---- */

static bool asks_for_memory(const struct plan *p, const struct pin *pin)
{
    return suspended_keeps_memory(p->c->jobs.v[pin->job]->reqs[pin->req].def);
}

/* What is free of the node at that instant holds the piece, and others that may be
 * suspended with it: until when is not known. */
static bool memory_holds(struct plan *p, const struct job *j, const struct alloc *a,
    const struct node *n, int64_t at, const struct bitset *others)
{
    const struct taskdef *def = j->reqs[a->req].def;
    const struct asker by = {p->bynode, j, def, &p->without};
    const struct span span = {at, at + 1};
    struct node_room room = {0};
    struct node_job on;
    bool holds = true;

    single_room(&by, n, &span, &room);
    for (uint32_t i = 0; node_job_at(p->c, n, i, &on); i++) {
        struct res share = node_job_share(p->c, n, &on);
        if (on.job != j->index && bitset_test(others, on.job)
            && plan_job_end(p, p->c->jobs.v[on.job]) <= at)
            res_add(&room.res, &share, -1);
    }
    for (int r = RES_MEM; r <= RES_SWAP; r++)
        holds &= room.res.v[r] >= taskdef_takes(def, &n->cfg, r, a->tasks);
    room_fini(&room);
    return holds;
}

/* May all that the piece keeps of the node stay there? */
static bool may_keep(struct plan *p, const struct job *j, const struct alloc *a,
    uint32_t node, const struct bitset *others)
{
    const struct pins *pins =
        suspended_keeps_memory(j->reqs[a->req].def) ? pintable_on(p->pins, node) : NULL;

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        const struct pin *pin = &pins->v.v[i];
        int64_t at = pin->start_at > p->now ? pin->start_at : p->now;
        if (asks_for_memory(p, pin)
            && !memory_holds(p, j, a, node_at(p->c, node), at, others))
            return false;
    }
    return true;
}

bool plan_may_suspend(
    struct plan *p, const struct job *j, const struct bitset *others, bool *ret_counted)
{
    bool may = true;

    *ret_counted = false;
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++) {
            const struct pool *pool = pools_of_node(p->pools, n);
            *ret_counted |= pool && !pool->by_node;
            may = may && may_keep(p, j, a, n, others);
        }
    }
    return may && !*ret_counted;
}

/* ---- when can it come back? ---- */

static void add_instant(struct instants *io, int64_t from, int64_t at)
{
    if (at > from && at < TIME_NEVER)
        vec_push(io, at);
}

/* What is on the node ends then. */
static void add_ends_on(
    const struct plan *p, uint32_t node, int64_t from, struct instants *io)
{
    const struct pins *pins = pintable_on(p->pins, node);
    struct node_job on;

    for (uint32_t i = 0; node_job_at(p->c, node_at(p->c, node), i, &on); i++)
        add_instant(io, from, plan_job_end(p, p->c->jobs.v[on.job]));
    for (size_t i = 0; pins && i < pins->v.n; i++)
        add_instant(io, from, pins->v.v[i].end_at);
}

static int compare_instants(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static struct instants list_instants(
    const struct plan *p, const struct job *j, int64_t from, int64_t also)
{
    const struct cluster *c = p->c;
    struct instants all = {0};

    vec_push(&all, from);
    add_instant(&all, from, also);
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++)
            add_ends_on(p, j->alloc.v[i].first + k, from, &all);
    for (size_t i = 0; i < c->active.n; i++) { /* others may keep memory there */
        const struct job *other = c->jobs.v[c->active.v[i]];
        if (other->state == JOB_SUSPENDED)
            add_instant(&all, from, time_add(p->now, job_left_s(other)));
    }
    rsvview_times(p->view, from, &all);
    qsort(all.v, all.n, sizeof *all.v, compare_instants);
    return all;
}

/* Until then it keeps its memory, beside all that is planned there. */
static bool memory_stays(struct plan *p, const struct job *j, int64_t until)
{
    const struct span span = {p->now, until};

    for (size_t i = 0; until > p->now && i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        const struct taskdef *def = j->reqs[a->req].def;
        const struct asker by = {p->bynode, j, def, &p->without};
        for (uint32_t n = a->first;
             suspended_keeps_memory(def) && n < a->first + a->count; n++) {
            struct node_room room = {0};
            const struct node *node = node_at(p->c, n);
            single_room(&by, node, &span, &room);
            bool stays = true;
            for (int r = RES_MEM; r <= RES_SWAP; r++)
                stays &= room.res.v[r] >= taskdef_takes(def, &node->cfg, r, a->tasks);
            room_fini(&room);
            if (!stays)
                return false;
        }
    }
    return true;
}

int64_t plan_fit_rest(struct plan *p, const struct job *j, int64_t from, int64_t also)
{
    struct lifted_rsv *rest = lifted_rest(p, j);
    struct instants all = list_instants(p, j, from, also);
    int64_t found = TIME_NEVER;

    check_answerable(p);
    for (size_t i = 0; i < all.n && found >= TIME_NEVER; i++)
        if ((i == 0 || all.v[i] > all.v[i - 1]) && lifted_fits(p, j, rest, all.v[i])
            && memory_stays(p, j, all.v[i]))
            found = all.v[i];
    vec_fini(&all);
    lifted_rsv_free(rest);
    return found;
}

static void add_in_way(
    const struct plan *p, uint32_t node, int64_t end, struct bitset *io)
{
    const struct pins *pins = pintable_on(p->pins, node);

    for (size_t i = 0; pins && i < pins->v.n; i++)
        if (pins->v.v[i].start_at < end && pins->v.v[i].end_at > p->now)
            bitset_set(io, pins->v.v[i].job);
}

bool plan_in_way_of_rest(struct plan *p, const struct job *j, struct bitset *ret_jobs)
{
    int64_t end = time_add(p->now, job_left_s(j));

    bitset_clear_all(ret_jobs);
    if (!plan_can_resume(p, j, true))
        return false;
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++)
            add_in_way(p, j->alloc.v[i].first + k, end, ret_jobs);
    return true;
}

void plan_reserve_rest(struct plan *p, const struct job *j, int64_t at)
{
    struct lifted_rsv *rest = lifted_rest(p, j);

    plan_lay_at(p, j, rest, at);
    lifted_rsv_free(rest);
}
