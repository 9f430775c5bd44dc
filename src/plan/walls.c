/* SPDX-License-Identifier: Apache-2.0
 * Reservations of whole nodes, planned by count with walls in time. Nodes under the
 * same ones (a *stack*) stay interchangeable, so their pool stays counted; for one job
 * it is closed while a reservation lasts that does not let the job in. Source:
 * reference reservations 3 and 4. */
#include "base/hash.h"
#include "plan/plan_private.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* ---- stacks ---- */

/* Does it take all processors, and of everything else all or nothing? Access that
 * depends on how long a job stays is decided node by node. */
static bool takes_all(const struct reservation *r, const struct node *n, uint32_t tasks)
{
    struct res amount = reservation_amount(r, n, tasks);

    if (amount.v[RES_PROCS] < n->cfg.v[RES_PROCS] || acl_depends_on_overlap(r))
        return false;
    for (int i = RES_PROCS + 1; i < RES_DIMS; i++)
        if (amount.v[i] > 0 && amount.v[i] < n->cfg.v[i])
            return false;
    return true;
}

static uint64_t hash_of(const struct stack *s)
{
    uint64_t h = 1;

    for (size_t i = 0; i < s->layers.n; i++)
        h = mix(h, s->layers.v[i].rsv + 1);
    return h;
}

static bool same_stack(const struct stack *a, const struct stack *b)
{
    if (a->hash != b->hash || a->layers.n != b->layers.n)
        return false;
    for (size_t i = 0; i < a->layers.n; i++)
        if (a->layers.v[i].rsv != b->layers.v[i].rsv)
            return false;
    return true;
}

/* Keep the draft or find its equal; moves it. */
static uint32_t intern(struct plan *p, struct stack *draft)
{
    uint32_t slot;

    draft->hash = hash_of(draft);
    slot = (uint32_t)(draft->hash >> 32) % STACK_SLOTS;
    for (uint32_t i = p->stack_slots[slot]; i != INDEX_NONE; i = p->stacks.v[i].next)
        if (same_stack(&p->stacks.v[i], draft)) {
            vec_fini(&draft->layers);
            return i;
        }
    draft->next = p->stack_slots[slot];
    p->stack_slots[slot] = (uint32_t)p->stacks.n;
    vec_push(&p->stacks, *draft);
    return p->stack_slots[slot];
}

static void fini_views(struct plan *p)
{
    for (size_t i = 0; i < p->views.n; i++) {
        vec_fini(&p->views.v[i].walls);
        vec_fini(&p->views.v[i].first);
        vec_fini(&p->views.v[i].entered);
    }
    p->views.n = 0;
}

void walls_fini(struct plan *p)
{
    fini_views(p);
    for (size_t i = 0; i < p->stacks.n; i++)
        vec_fini(&p->stacks.v[i].layers);
    vec_fini(&p->stacks);
    vec_fini(&p->views);
}

void walls_forget(struct plan *p)
{
    struct stack none = {0};

    fini_views(p);
    for (size_t i = 0; i < p->stacks.n; i++)
        vec_fini(&p->stacks.v[i].layers);
    p->stacks.n = 0;
    for (size_t i = 0; i < STACK_SLOTS; i++)
        p->stack_slots[i] = INDEX_NONE;
    intern(p, &none);
    p->views_epoch++;
}

uint32_t walls_stack(struct plan *p, const struct node *n)
{
    const struct rsv_list *list = reservations_on(p->c, n->index);
    struct stack draft = {0};

    if (list->n == 0)
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = p->c->reservations.v[list->v[i].rsv];
        if (!takes_all(r, n, list->v[i].tasks)) {
            vec_fini(&draft.layers);
            return INDEX_NONE;
        }
        vec_push(&draft.layers, ((struct layer){r->index, r->start_at, r->end_at}));
    }
    return intern(p, &draft);
}

uint32_t walls_stack_after(struct plan *p, uint32_t stack, int64_t after)
{
    struct stack draft = {0};

    for (size_t i = 0; i < p->stacks.v[stack].layers.n; i++) {
        struct layer layer = p->stacks.v[stack].layers.v[i];
        if (layer.end_at > after)
            vec_push(&draft.layers, layer);
    }
    return intern(p, &draft);
}

/* ---- how they look to one job ---- */

struct walls VEC(struct wall);

static int compare_walls(const void *a, const void *b)
{
    const struct wall *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Sort and join what touches, from `first` on. */
static void join(struct walls *w, size_t first)
{
    size_t kept = first;

    if (w->n - first < 2)
        return;
    qsort(w->v + first, w->n - first, sizeof *w->v, compare_walls);
    for (size_t i = first + 1; i < w->n; i++) {
        if (w->v[i].start > w->v[kept].end)
            w->v[++kept] = w->v[i];
        else if (w->v[i].end > w->v[kept].end)
            w->v[kept].end = w->v[i].end;
    }
    w->n = kept + 1;
}

/* Whoever is confined to reservations is shut out where none of them lies. */
static void shut_gaps(struct walls *open, struct walls *io, size_t first)
{
    int64_t from = INT64_MIN;

    join(open, 0);
    for (size_t i = 0; i < open->n; i++) {
        if (open->v[i].start > from)
            vec_push(io, ((struct wall){from, open->v[i].start}));
        from = open->v[i].end;
    }
    if (from < TIME_NEVER)
        vec_push(io, ((struct wall){from, TIME_NEVER}));
    join(io, first);
}

/* The walls of one stack for the asker, appended; returns whether some reservation of
 * it lets the asker in. */
static bool build(struct plan *p, const struct acl_asker *who,
    const struct stack *stack, struct walls *ret)
{
    struct walls open = {0};
    size_t first = ret->n;
    bool entered = false;

    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct layer *layer = &stack->layers.v[i];
        struct reservation *r = p->c->reservations.v[layer->rsv];
        struct wall wall = {layer->start_at, layer->end_at};
        if (layer->end_at <= p->now || !r || !reservation_is_live(r))
            continue;
        if (!acl_decide(p->c, r, who, 1).granted) {
            vec_push(ret, wall);
            continue;
        }
        entered = true;
        if (acl_confinement_allows(who, r))
            vec_push(&open, wall);
    }
    if (who->confined != ACL_FREE)
        shut_gaps(&open, ret, first);
    else
        join(ret, first);
    vec_fini(&open);
    return entered;
}

static bool same_view(const struct view *a, const struct view *b)
{
    return a->walls.n == b->walls.n
           && memcmp(a->first.v, b->first.v, a->first.n * sizeof *a->first.v) == 0
           && memcmp(a->entered.v, b->entered.v, a->entered.n) == 0
           && (a->walls.n == 0
               || memcmp(a->walls.v, b->walls.v, a->walls.n * sizeof *a->walls.v) == 0);
}

static uint32_t view_build(struct plan *p, const struct job *j)
{
    struct acl_asker who = acl_asker_of(p->c, j);
    struct view v = {0};
    struct walls walls = {0};

    for (size_t i = 0; i < p->stacks.n; i++) {
        vec_push(&v.first, (uint32_t)walls.n);
        bool entered = build(p, &who, &p->stacks.v[i], &walls);
        vec_push(&v.entered, entered);
        v.any_entered |= entered;
    }
    vec_push(&v.first, (uint32_t)walls.n);
    for (size_t i = 0; i < walls.n; i++)
        vec_push(&v.walls, walls.v[i]);
    vec_fini(&walls);
    for (size_t i = 0; i < p->views.n; i++)
        if (same_view(&p->views.v[i], &v)) {
            vec_fini(&v.walls);
            vec_fini(&v.first);
            vec_fini(&v.entered);
            return (uint32_t)i;
        }
    vec_push(&p->views, v);
    return (uint32_t)p->views.n - 1;
}

uint32_t walls_view(struct plan *p, const struct job *j)
{
    if (p->stacks.n <= 1 && !rsvview_confined(j))
        return VIEW_OPEN;
    struct signature *s = rsvview_signature_of(p, j);
    if (s->view_epoch != p->views_epoch) {
        s->view = view_build(p, j);
        s->view_epoch = p->views_epoch;
    }
    return s->view;
}

/* First wall that ends after `at`; *ret_end is one past the last of the stack. */
static uint32_t find(
    const struct view *v, uint32_t stack, int64_t at, uint32_t *ret_end)
{
    uint32_t lo = v->first.v[stack], hi = v->first.v[stack + 1];

    *ret_end = hi;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v->walls.v[mid].end <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool walls_closed(const struct plan *p, uint32_t view, uint32_t stack, int64_t start,
    int64_t end, int64_t *ret_until)
{
    uint32_t n;

    if (view == VIEW_OPEN)
        return false;
    const struct view *v = &p->views.v[view];
    uint32_t i = find(v, stack, start, &n);
    if (i == n || v->walls.v[i].start >= end)
        return false;
    while (i + 1 < n && v->walls.v[i + 1].start < end)
        i++;
    if (ret_until)
        *ret_until = v->walls.v[i].end;
    return true;
}

int64_t walls_next(const struct plan *p, uint32_t view, uint32_t stack, int64_t at)
{
    uint32_t n;

    if (view == VIEW_OPEN)
        return TIME_NEVER;
    const struct view *v = &p->views.v[view];
    uint32_t i = find(v, stack, at, &n);
    if (i == n)
        return TIME_NEVER;
    return v->walls.v[i].start > at ? v->walls.v[i].start : at;
}

bool walls_entered(const struct plan *p, uint32_t view, uint32_t stack)
{
    return view != VIEW_OPEN && p->views.v[view].entered.v[stack];
}
