/* SPDX-License-Identifier: Apache-2.0
 * Throttling: a walk over a long queue, by what each credential has left. */
#include "policy/limits_private.h"

static void add_room(
    struct limits_walk *w, const struct limit_row *row, int level, int r, int64_t used)
{
    int64_t at = row->at[level][r];

    vec_push(&w->room, at == LIMIT_OFF ? INT64_MAX : at - used);
}

/* What the objects of the kind have left of the resources in the mask. */
static void open_tests(struct limits *l, const struct cluster *c,
    enum limit_level level, enum limit_dim dim, uint32_t kind)
{
    const struct limits_table *table = &l->dims[dim];
    struct limits_walk *w = &l->walks[level];
    bool active = dim == DIM_ACTIVE, system = kind == CRED_KINDS;

    for (uint32_t m = system ? table->sys_mask : table->mask[kind]; m; m &= m - 1) {
        int r = __builtin_ctz(m);
        struct limits_test t = {.kind = (uint8_t)kind,
            .res = (uint8_t)r,
            .from = system ? 0 : (uint8_t)kind,
            .objects = system ? 0 : UINT32_MAX,
            .named = !system && kind != CRED_QOS,
            .room = w->room.n};
        vec_push(&w->tests[dim], t);
        if (system)
            add_room(w, &table->sys, level, r, active ? c->sys_active.v[r] : 0);
        for (size_t i = 0; !system && i < c->creds[kind].n; i++)
            add_room(w, &table->rows[kind].v[i], level, r,
                active ? c->creds[kind].v[i]->active.v[r] : 0);
    }
}

bool limits_walk_is_plain(const struct limits *l)
{
    return !l->any_override && limits_pairs_count(l->pairs) == 0;
}

void limits_walk_begin(struct limits *l, struct cluster *c, enum limit_level level)
{
    struct limits_walk *w = &l->walks[level];

    limits_begin_idle(l, c);
    w->tests[DIM_ACTIVE].n = w->tests[DIM_IDLE].n = w->room.n = 0;
    l->walks_plainly = limits_walk_is_plain(l);
    for (uint32_t k = 0; l->walks_plainly && k <= CRED_KINDS; k++) {
        open_tests(l, c, level, DIM_ACTIVE, k);
        open_tests(l, c, level, DIM_IDLE, k);
    }
}

static uint32_t object_of(const struct limits_ask *ask, const struct limits_test *t)
{
    return ask->cred[t->from] & t->objects;
}

static bool breaks(const struct limits_walk *w, const struct limits_tests *tests,
    const struct limits_ask *ask)
{
    const int64_t *room = w->room.v;

    for (size_t i = 0; i < tests->n; i++) {
        const struct limits_test *t = &tests->v[i];
        uint32_t object = object_of(ask, t);
        if (ask->v[t->res] > room[t->room + object] && (object || !t->named))
            return true;
    }
    return false;
}

bool limits_walk_violated(struct limits *l, const struct cluster *c,
    const struct limits_ask *ask, enum limit_level level)
{
    const struct limits_walk *w = &l->walks[level];

    if (!l->walks_plainly)
        return limits_ask_violated(l, c, ask, CHECK_ACTIVE | CHECK_IDLE, level, NULL);
    return breaks(w, &w->tests[DIM_ACTIVE], ask) || breaks(w, &w->tests[DIM_IDLE], ask);
}

void limits_walk_count(struct limits *l, struct cluster *c,
    const struct limits_ask *ask, enum limit_level level)
{
    struct limits_walk *w = &l->walks[level];

    if (!l->walks_plainly) {
        limits_ask_count_idle(l, c, ask);
        return;
    }
    for (size_t i = 0; i < w->tests[DIM_IDLE].n; i++) {
        const struct limits_test *t = &w->tests[DIM_IDLE].v[i];
        int64_t *room = &w->room.v[t->room + object_of(ask, t)];
        if (*room != INT64_MAX)
            *room -= ask->v[t->res];
    }
}

/* Usage is what was there to begin with less what is left. */
static void write_usage(struct limits *l, struct cluster *c, enum limit_level level,
    const struct limits_test *t)
{
    const struct limits_table *idle = &l->dims[DIM_IDLE];
    const int64_t *room = &l->walks[level].room.v[t->room];
    size_t objects = t->kind == CRED_KINDS ? 1 : c->creds[t->kind].n;

    for (uint32_t i = 0; i < objects; i++) {
        bool system = t->kind == CRED_KINDS;
        const struct limit_row *row = system ? &idle->sys : &idle->rows[t->kind].v[i];
        struct usage *u = system ? &c->sys_idle : &c->creds[t->kind].v[i]->idle;
        if (row->at[level][t->res] == LIMIT_OFF)
            continue;
        u->v[t->res] = row->at[level][t->res] - room[i];
        if (!system)
            vec_push(&l->touched, ((struct limits_touched){t->kind, i}));
    }
}

void limits_walk_end(struct limits *l, struct cluster *c, enum limit_level level)
{
    const struct limits_walk *w = &l->walks[level];

    if (!l->walks_plainly)
        return;
    limits_begin_idle(l, c); /* that of another level */
    for (size_t i = 0; i < w->tests[DIM_IDLE].n; i++)
        write_usage(l, c, level, &w->tests[DIM_IDLE].v[i]);
}
