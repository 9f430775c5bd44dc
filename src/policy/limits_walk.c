/* SPDX-License-Identifier: Apache-2.0
 * See limits_walk.h. */
#include "policy/limits_private.h"

/* Slot of a room without bounds in limits_walk.room. */
#define NO_LIMIT 0

/* One comparison for each resource that is limited for some object of the kind. */
static void add_tests(struct limits_walk *w, uint32_t kind, bool active)
{
    const struct limits_table *table = &w->l->dims[active ? DIM_ACTIVE : DIM_IDLE];

    for (uint32_t m = kind == CRED_KINDS ? table->sys_mask : table->mask[kind]; m;
         m &= m - 1) {
        struct limits_test t = {
            .kind = (uint8_t)kind, .res = (uint8_t)__builtin_ctz(m)};
        vec_push(active ? &w->active : &w->idle, t);
    }
}

/* Resources with active limits; jobs only if there is none on anything else. */
static void note_active(struct limits_walk *w)
{
    uint32_t mask = limits_quotas_mask(w->l->quotas);
    size_t measures = limits_quotas_measures(w->l->quotas);

    for (size_t i = 0; i < w->active.n; i++)
        mask |= LIMIT_BIT(w->active.v[i].res);
    if (mask != LIMIT_BIT(LIMIT_JOB) || measures)
        mask &= ~LIMIT_BIT(LIMIT_JOB);
    w->res.n = 0;
    for (; mask; mask &= mask - 1)
        vec_push(&w->res, (uint32_t)__builtin_ctz(mask));
    for (size_t i = 0; i < measures; i++)
        vec_push(&w->res, (uint32_t)(LIMIT_RES_COUNT + i));
    w->resources = (uint32_t)w->res.n;
}

/* Which object of the test's kind these credentials name. False: it limits them in no
 * way. DEFAULT stands for nobody, but for that of QOS: a job without such a name
 * passes. */
static bool find_object(
    const struct limits_test *t, const struct credset *set, uint32_t *ret_object)
{
    *ret_object = t->kind == CRED_KINDS ? 0 : set->cred[t->kind];
    return t->kind == CRED_KINDS || t->kind == CRED_QOS || *ret_object != 0;
}

static int64_t limit_of(const struct limits_walk *w, const struct limits_test *t,
    enum limit_dim dim, uint32_t object)
{
    const struct limits_table *table = &w->l->dims[dim];
    const struct limit_row *row =
        t->kind == CRED_KINDS ? &table->sys : &table->rows[t->kind].v[object];

    return row->at[w->level][t->res];
}

/* What the object has left of an active limit: it stays so during the walk. */
static int64_t active_room(
    const struct limits_walk *w, const struct limits_test *t, const struct credset *set)
{
    uint32_t object;

    if (!find_object(t, set, &object))
        return INT64_MAX;
    const struct usage *used = t->kind == CRED_KINDS
                                   ? &w->c->sys_active
                                   : &w->c->creds[t->kind].v[object]->active;
    int64_t at = limit_of(w, t, DIM_ACTIVE, object);
    return at == LIMIT_OFF ? INT64_MAX : at - used->v[t->res];
}

static void tighten_by_quotas(
    const struct limits_walk *w, const struct credset *set, int64_t *io_most)
{
    size_t n;
    const struct quota_test *t = limits_quotas_tests(w->l->quotas, w->c, set->cred, &n);

    for (; n-- > 0; t++) {
        int64_t room = t->most;
        if (!t->of_job)
            room -= limits_quotas_used(w->l->quotas, t)[t->res];
        if (room < io_most[t->res])
            io_most[t->res] = room;
    }
}

/* All tests of a resource are one for jobs with the same credentials. A job is always
 * one job: where there are limits on something else, that of no more jobs lets no
 * amount of it pass. */
static void tighten_active(
    struct limits_walk *w, uint32_t credset, const struct credset *set)
{
    size_t all = limits_walk_resources(w->l);
    int64_t *most;

    vec_reserve(&w->left, all);
    most = w->left.v;
    for (size_t r = 0; r < all; r++)
        most[r] = INT64_MAX;
    for (size_t i = 0; i < w->active.n; i++) {
        const struct limits_test *t = &w->active.v[i];
        int64_t room = active_room(w, t, set);
        most[t->res] = room < most[t->res] ? room : most[t->res];
    }
    tighten_by_quotas(w, set, most);
    for (uint32_t i = 0; i < w->resources; i++)
        w->most.v[(size_t)credset * w->resources + i] =
            most[LIMIT_JOB] < 1 ? -1 : most[w->res.v[i]];
}

/* The slot with what is left of the object's idle limit, opened when the first job of
 * the object is met. */
static uint32_t open_room(struct limits_walk *w, uint32_t test, uint32_t object)
{
    struct limits_slots *slots = &w->slots[test];
    const struct limits_test *t = &w->idle.v[test];

    if (object >= slots->n)
        vec_push_zeros(
            slots, (t->kind == CRED_KINDS ? 1 : w->c->creds[t->kind].n) - slots->n);
    struct limits_slot *slot = &slots->v[object];
    if (slot->walk != w->walk) {
        int64_t at = limit_of(w, t, DIM_IDLE, object);
        *slot = (struct limits_slot){w->walk, NO_LIMIT};
        if (at != LIMIT_OFF) {
            slot->room = (uint32_t)w->room.n;
            vec_push(&w->room, at);
            vec_push(&w->opened, ((struct limits_opened){test, object, at}));
        }
    }
    return slot->room;
}

static void find_rooms(
    struct limits_walk *w, uint32_t credset, const struct credset *set)
{
    uint32_t object;

    for (uint32_t i = 0; i < w->idle.n; i++)
        w->idle_at.v[(size_t)credset * w->idle.n + i] =
            find_object(&w->idle.v[i], set, &object) ? open_room(w, i, object)
                                                     : NO_LIMIT;
}

void limits_walk_meet(struct limits_walk *w, uint32_t credset)
{
    size_t sets = w->sets->sets.n;

    if (sets > w->met.n) {
        vec_push_zeros(&w->met, sets - w->met.n);
        vec_reserve(&w->most, w->met.cap * w->resources); /* none is counted in n */
        vec_reserve(&w->idle_at, w->met.cap * w->idle.n);
    }
    w->met.v[credset] = w->walk;
    tighten_active(w, credset, &w->sets->sets.v[credset]);
    find_rooms(w, credset, &w->sets->sets.v[credset]);
}

bool limits_walk_is_plain(const struct limits *l)
{
    return !l->any_override && limits_pairs_count(l->pairs) == 0;
}

bool limits_walk_asks_more(const struct limits *l)
{
    return l->asked != 0;
}

size_t limits_walk_resources(const struct limits *l)
{
    return LIMIT_RES_COUNT + limits_quotas_measures(l->quotas);
}

void limits_walk_use_of(const struct limits *l, const struct cluster *c,
    const struct job *j, int64_t *ret_v)
{
    limits_use_of(c, j, ret_v);
    limits_quotas_measure(l->quotas, j, ret_v, ret_v + LIMIT_RES_COUNT);
}

struct limits_walk *limits_walk_begin(struct limits *l, struct cluster *c,
    const struct credsets *sets, enum limit_level level)
{
    struct limits_walk *w = &l->walks[level];

    limits_begin_idle(l, c);
    w->active.n = w->idle.n = w->room.n = w->opened.n = 0;
    w->l = l;
    w->c = c;
    w->sets = sets;
    w->level = level;
    w->plain = limits_walk_is_plain(l);
    w->walk++;
    if (!w->plain)
        return w;
    vec_push(&w->room, INT64_MAX); /* NO_LIMIT */
    for (uint32_t k = 0; k <= CRED_KINDS; k++) {
        add_tests(w, k, true);
        add_tests(w, k, false);
    }
    note_active(w);
    vec_reserve(&w->most, w->met.n * w->resources);
    vec_reserve(&w->idle_at, w->met.n * w->idle.n);
    return w;
}

bool limits_walk_violated_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    const struct limits_use use = {w->sets->sets.v[credset].cred, v, 0, false};

    return limits_use_violated(
        w->l, w->c, use, CHECK_ACTIVE | CHECK_IDLE, w->level, NULL);
}

bool limits_walk_idle_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    const struct limits_use use = {w->sets->sets.v[credset].cred, v, 0, false};

    return limits_use_violated(w->l, w->c, use, CHECK_IDLE, w->level, NULL);
}

void limits_walk_count_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    limits_count_idle_use(w->l, w->c, w->sets->sets.v[credset].cred, v);
}

/* Usage is what was there to begin with less what is left. */
static void write_usage(struct limits_walk *w, const struct limits_opened *o)
{
    const struct limits_test *t = &w->idle.v[o->test];
    bool system = t->kind == CRED_KINDS;
    struct usage *u =
        system ? &w->c->sys_idle : &w->c->creds[t->kind].v[o->object]->idle;
    uint32_t slot = w->slots[o->test].v[o->object].room;

    u->v[t->res] = o->limit - w->room.v[slot];
    if (!system)
        vec_push(&w->l->touched, ((struct limits_touched){t->kind, o->object}));
}

void limits_walk_end(struct limits_walk *w)
{
    if (!w->plain)
        return;
    limits_begin_idle(w->l, w->c); /* that of another level */
    for (size_t i = 0; i < w->opened.n; i++)
        write_usage(w, &w->opened.v[i]);
}

void limits_walk_fini(struct limits_walk *w)
{
    for (size_t i = 0; i < LIMITS_TESTS_MAX; i++)
        vec_fini(&w->slots[i]);
    vec_fini(&w->res);
    vec_fini(&w->left);
    vec_fini(&w->active);
    vec_fini(&w->idle);
    vec_fini(&w->room);
    vec_fini(&w->opened);
    vec_fini(&w->met);
    vec_fini(&w->most);
    vec_fini(&w->idle_at);
}
