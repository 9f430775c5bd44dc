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
    uint32_t slot, index = (uint32_t)p->stacks.n;

    draft->hash = hash_of(draft);
    slot = (uint32_t)(draft->hash >> 32) % STACK_SLOTS;
    for (uint32_t i = p->stack_slots[slot]; i != INDEX_NONE; i = p->stacks.v[i].next)
        if (same_stack(&p->stacks.v[i], draft)) {
            vec_fini(&draft->layers);
            return i;
        }
    draft->next = p->stack_slots[slot];
    p->stack_slots[slot] = index;
    for (size_t i = 0; i < draft->layers.n; i++)
        vec_push(&p->lists.v[draft->layers.v[i].list].stacks, index);
    vec_push(&p->stacks, *draft);
    return index;
}

/* ---- access lists ---- */

static uint32_t list_find(struct plan *p, const struct reservation *r)
{
    struct access_list fresh = {.hash = acl_hash(r)};
    uint32_t i = 0;

    while (i < p->lists.n
           && (p->lists.v[i].hash != fresh.hash
               || !acl_same(p->c->reservations.v[p->lists.v[i].rsvs.v[0]], r)))
        i++;
    if (i == p->lists.n)
        vec_push(&p->lists, fresh);
    vec_push(&p->lists.v[i].rsvs, r->index);
    return i;
}

static uint32_t list_of(struct plan *p, const struct reservation *r)
{
    while (p->list_of.n <= r->index)
        vec_push(&p->list_of, 0);
    if (p->list_of.v[r->index] == 0)
        p->list_of.v[r->index] = list_find(p, r) + 1;
    return p->list_of.v[r->index] - 1;
}

/* ---- their life ---- */

static void lists_fini(struct wall_lists *l)
{
    vec_fini(&l->walls);
    vec_fini(&l->first);
}

static void view_fini(struct view *v)
{
    vec_fini(&v->granted);
    vec_fini(&v->own);
    vec_fini(&v->entered);
    vec_fini(&v->doors);
    lists_fini(&v->lists);
}

static void forget_all(struct plan *p)
{
    for (size_t i = 0; i < p->views.n; i++)
        view_fini(&p->views.v[i]);
    for (size_t i = 0; i < p->stacks.n; i++) {
        vec_fini(&p->stacks.v[i].layers);
        vec_fini(&p->stacks.v[i].pools);
    }
    for (size_t i = 0; i < p->lists.n; i++) {
        vec_fini(&p->lists.v[i].rsvs);
        vec_fini(&p->lists.v[i].stacks);
    }
    p->views.n = p->stacks.n = p->lists.n = p->list_of.n = 0;
    p->base.walls.n = p->base.first.n = 0;
    p->base_known = false;
}

void walls_fini(struct plan *p)
{
    forget_all(p);
    vec_fini(&p->stacks);
    vec_fini(&p->views);
    vec_fini(&p->lists);
    vec_fini(&p->list_of);
    lists_fini(&p->base);
}

void walls_forget(struct plan *p)
{
    struct stack none = {0};

    forget_all(p);
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
        vec_push(&draft.layers,
            ((struct layer){r->index, list_of(p, r), r->start_at, r->end_at}));
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

static int compare_walls(const void *a, const void *b)
{
    const struct wall *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

struct walls VEC(struct wall);

/* Sort and join what touches, from `first` on. */
static size_t join(struct wall *v, size_t n, size_t first)
{
    size_t kept = first;

    if (n - first < 2)
        return n;
    qsort(v + first, n - first, sizeof *v, compare_walls);
    for (size_t i = first + 1; i < n; i++) {
        if (v[i].start > v[kept].end)
            v[++kept] = v[i];
        else if (v[i].end > v[kept].end)
            v[kept].end = v[i].end;
    }
    return kept + 1;
}

/* Whoever is confined to reservations is shut out where none of them lies. */
static void shut_gaps(struct walls *open, struct wall_lists *io)
{
    int64_t from = INT64_MIN;

    if (open->n > 0)
        open->n = join(open->v, open->n, 0);
    for (size_t i = 0; i < open->n; i++) {
        if (open->v[i].start > from)
            vec_push(&io->walls, ((struct wall){from, open->v[i].start}));
        from = open->v[i].end;
    }
    if (from < TIME_NEVER)
        vec_push(&io->walls, ((struct wall){from, TIME_NEVER}));
}

static void list_begin(struct wall_lists *l)
{
    if (l->first.n == 0)
        vec_push(&l->first, 0);
}

/* The walls that were appended are one list. */
static void list_end(struct wall_lists *l)
{
    l->walls.n = join(l->walls.v, l->walls.n, l->first.v[l->first.n - 1]);
    vec_push(&l->first, (uint32_t)l->walls.n);
}

static bool lasts(const struct plan *p, const struct layer *layer)
{
    const struct reservation *r = p->c->reservations.v[layer->rsv];

    return layer->end_at > p->now && r && reservation_is_live(r);
}

/* The walls of all stacks for whom nothing lets in. */
static void base_build(struct plan *p)
{
    if (p->base_known)
        return;
    p->base_known = true;
    list_begin(&p->base);
    for (size_t i = 0; i < p->stacks.n; i++) {
        const struct stack *stack = &p->stacks.v[i];
        for (size_t k = 0; k < stack->layers.n; k++) {
            const struct layer *layer = &stack->layers.v[k];
            if (lasts(p, layer))
                vec_push(
                    &p->base.walls, ((struct wall){layer->start_at, layer->end_at}));
        }
        list_end(&p->base);
    }
}

/* A view that is being made. */
struct making {
    struct plan *p;
    struct acl_asker who;
    const bool *granted; /* by access list; NULL = decide for each reservation */
    struct view *v;
};

static bool lets_in(const struct making *m, const struct layer *layer)
{
    if (m->granted)
        return m->granted[layer->list];
    return acl_decide(m->p->c, m->p->c->reservations.v[layer->rsv], &m->who, 1).granted;
}

/* The walls of one stack, appended; and its door, when some reservation of it lets the
 * asker in. */
static void build(struct making *m, uint32_t index)
{
    const struct stack *stack = &m->p->stacks.v[index];
    struct door door = {index, TIME_NEVER, INT64_MIN};
    struct walls open = {0};

    for (size_t i = 0; i < stack->layers.n; i++) {
        const struct layer *layer = &stack->layers.v[i];
        struct wall wall = {layer->start_at, layer->end_at};
        if (!lasts(m->p, layer))
            continue;
        if (!lets_in(m, layer)) {
            vec_push(&m->v->lists.walls, wall);
            continue;
        }
        door.from = wall.start < door.from ? wall.start : door.from;
        door.to = wall.end > door.to ? wall.end : door.to;
        if (acl_confinement_allows(&m->who, m->p->c->reservations.v[layer->rsv]))
            vec_push(&open, wall);
    }
    if (m->who.confined != ACL_FREE)
        shut_gaps(&open, &m->v->lists);
    list_end(&m->v->lists);
    m->v->entered.v[index] = door.from < door.to;
    if (door.from < door.to)
        vec_push(&m->v->doors, door);
    vec_fini(&open);
}

static uint32_t view_of_confined(struct plan *p, const struct acl_asker *who)
{
    struct view v = {.confined = true};
    struct making m = {.p = p, .who = *who, .v = &v};

    for (uint32_t i = 0; i < p->stacks.n; i++) {
        vec_push(&v.own, i + 1);
        vec_push(&v.entered, false);
    }
    list_begin(&v.lists);
    for (uint32_t i = 0; i < p->stacks.n; i++)
        build(&m, i);
    vec_push(&p->views, v);
    return (uint32_t)p->views.n - 1;
}

static bool same_granted(const struct view *a, const struct view *b)
{
    return !a->confined && a->granted.n == b->granted.n
           && (a->granted.n == 0
               || memcmp(
                      a->granted.v, b->granted.v, a->granted.n * sizeof *a->granted.v)
                      == 0);
}

static int compare_stacks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The stacks that have a reservation with a list that lets in. */
static void build_entered(struct making *m)
{
    struct plan *p = m->p;
    struct VEC(uint32_t) stacks = {0};

    vec_reserve(&m->v->own, p->stacks.n);
    memset(m->v->own.v, 0, p->stacks.n * sizeof *m->v->own.v);
    m->v->own.n = p->stacks.n;
    for (size_t i = 0; i < p->stacks.n; i++)
        vec_push(&m->v->entered, false);
    for (size_t i = 0; i < m->v->granted.n; i++) {
        const struct access_list *l = &p->lists.v[m->v->granted.v[i]];
        for (size_t k = 0; k < l->stacks.n; k++) {
            if (m->v->own.v[l->stacks.v[k]] == 0)
                vec_push(&stacks, l->stacks.v[k]);
            m->v->own.v[l->stacks.v[k]] = 1;
        }
    }
    if (stacks.n)
        qsort(stacks.v, stacks.n, sizeof *stacks.v, compare_stacks);
    list_begin(&m->v->lists);
    for (uint32_t i = 0; i < stacks.n; i++) {
        m->v->own.v[stacks.v[i]] = i + 1;
        build(m, stacks.v[i]);
    }
    vec_fini(&stacks);
}

/* Any reservation with the list decides for all of them. */
static bool list_grants(
    struct plan *p, const struct access_list *l, const struct acl_asker *who)
{
    for (size_t i = 0; i < l->rsvs.n; i++) {
        struct reservation *r = p->c->reservations.v[l->rsvs.v[i]];
        if (r)
            return acl_decide(p->c, r, who, 1).granted;
    }
    return false;
}

/* What an asker sees that is free to run anywhere: decided once for each list. */
static uint32_t view_of_free(struct plan *p, const struct acl_asker *who)
{
    bool *granted = xcalloc(p->lists.n + 1, sizeof *granted);
    struct view v = {0};
    struct making m = {.p = p, .who = *who, .granted = granted, .v = &v};
    uint32_t i = 0;

    for (uint32_t k = 0; k < p->lists.n; k++) {
        granted[k] = list_grants(p, &p->lists.v[k], who);
        if (granted[k])
            vec_push(&v.granted, k);
    }
    while (i < p->views.n && !same_granted(&p->views.v[i], &v))
        i++;
    if (i < p->views.n) {
        view_fini(&v);
    } else {
        base_build(p);
        build_entered(&m);
        vec_push(&p->views, v);
    }
    free(granted);
    return i;
}

uint32_t walls_view(struct plan *p, const struct job *j)
{
    if (p->stacks.n <= 1 && !rsvview_confined(j))
        return VIEW_OPEN;
    struct signature *s = rsvview_signature_of(p, j);
    if (s->view_epoch != p->views_epoch) {
        struct acl_asker who = acl_asker_of(p->c, j);
        s->view = who.confined == ACL_FREE ? view_of_free(p, &who)
                                           : view_of_confined(p, &who);
        s->view_epoch = p->views_epoch;
    }
    return s->view;
}

bool walls_entered_during(
    const struct plan *p, uint32_t view, int64_t start, int64_t end)
{
    const struct view *v = view < VIEW_BASE ? &p->views.v[view] : NULL;

    for (size_t i = 0; v && i < v->doors.n; i++)
        if (v->doors.v[i].from < end && v->doors.v[i].to > start)
            return true;
    return false;
}

/* The walls of a stack as the view sees them; *ret_i is its list in the answer. */
static const struct wall_lists *lists_of(
    const struct plan *p, uint32_t view, uint32_t stack, uint32_t *ret_i)
{
    const struct view *v = view == VIEW_BASE ? NULL : &p->views.v[view];

    *ret_i = stack;
    if (!v || v->own.v[stack] == 0)
        return &p->base;
    *ret_i = v->own.v[stack] - 1;
    return &v->lists;
}

/* First wall that ends after `at`; *ret_end is one past the last of the list. */
static uint32_t find(
    const struct wall_lists *l, uint32_t list, int64_t at, uint32_t *ret_end)
{
    uint32_t lo = l->first.v[list], hi = l->first.v[list + 1];

    *ret_end = hi;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->walls.v[mid].end <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool walls_closed(const struct plan *p, uint32_t view, uint32_t stack, int64_t start,
    int64_t end, int64_t *ret_until)
{
    uint32_t n, list;

    if (view == VIEW_OPEN)
        return false;
    const struct wall_lists *l = lists_of(p, view, stack, &list);
    uint32_t i = find(l, list, start, &n);
    if (i == n || l->walls.v[i].start >= end)
        return false;
    while (i + 1 < n && l->walls.v[i + 1].start < end)
        i++;
    if (ret_until)
        *ret_until = l->walls.v[i].end;
    return true;
}

int64_t walls_next(const struct plan *p, uint32_t view, uint32_t stack, int64_t at)
{
    uint32_t n, list;

    if (view == VIEW_OPEN)
        return TIME_NEVER;
    const struct wall_lists *l = lists_of(p, view, stack, &list);
    uint32_t i = find(l, list, at, &n);
    if (i == n)
        return TIME_NEVER;
    return l->walls.v[i].start > at ? l->walls.v[i].start : at;
}

bool walls_entered(const struct plan *p, uint32_t view, uint32_t stack)
{
    return view < VIEW_BASE && p->views.v[view].entered.v[stack];
}

const struct wall_lists *walls_base(struct plan *p)
{
    base_build(p);
    return &p->base;
}
