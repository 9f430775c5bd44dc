/* SPDX-License-Identifier: Apache-2.0
 * See limits_walk.h. */
#include "policy/limits_private.h"

/* Place of a room without bounds in limits_walk.room. */
#define NO_LIMIT 0

/* What the objects of the kind have left of the resources in the mask. */
static void open_tests(struct limits_walk *w, enum limit_dim dim, uint32_t kind)
{
    const struct limits_table *table = &w->l->dims[dim];
    const struct cluster *c = w->c;
    bool active = dim == DIM_ACTIVE, system = kind == CRED_KINDS;

    for (uint32_t m = system ? table->sys_mask : table->mask[kind]; m; m &= m - 1) {
        int r = __builtin_ctz(m);
        struct limits_test t = {
            .kind = (uint8_t)kind, .res = (uint8_t)r, .room = w->room.n};
        vec_push(active ? &w->active : &w->idle, t);
        for (size_t i = 0; i < (system ? 1 : c->creds[kind].n); i++) {
            const struct limit_row *row =
                system ? &table->sys : &table->rows[kind].v[i];
            const struct usage *used =
                system ? &c->sys_active : &c->creds[kind].v[i]->active;
            int64_t at = row->at[w->level][r];
            bool limited = at != LIMIT_OFF;
            vec_push(&w->room, !limited ? INT64_MAX : active ? at - used->v[r] : at);
        }
    }
}

/* Where the test finds what is left for jobs with these credentials. DEFAULT stands for
 * nobody, but for that of QOS: a job without such a name passes. */
static size_t room_of(const struct limits_test *t, const struct credset *set)
{
    if (t->kind == CRED_KINDS)
        return t->room;
    if (set->cred[t->kind] == 0 && t->kind != CRED_QOS)
        return NO_LIMIT;
    return t->room + set->cred[t->kind];
}

/* Resources with active limits; jobs only if there is none on anything else. */
static void note_active(struct limits_walk *w)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < w->active.n; i++)
        mask |= LIMIT_BIT(w->active.v[i].res);
    if (mask != LIMIT_BIT(LIMIT_JOB))
        mask &= ~LIMIT_BIT(LIMIT_JOB);
    w->resources = 0;
    for (; mask; mask &= mask - 1)
        w->res[w->resources++] = (uint8_t)__builtin_ctz(mask);
}

/* Active usage does not change during the walk, so all tests of a resource are one
 * for jobs with the same credentials. A job is always one job: where there are limits
 * on something else, that of no more jobs lets no amount of it pass. */
static void tighten(struct limits_walk *w, const struct credset *set)
{
    int64_t most[LIMIT_RES_COUNT];

    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        most[r] = INT64_MAX;
    for (size_t i = 0; i < w->active.n; i++) {
        int64_t room = w->room.v[room_of(&w->active.v[i], set)];
        int64_t *m = &most[w->active.v[i].res];
        *m = room < *m ? room : *m;
    }
    for (uint32_t i = 0; i < w->resources; i++)
        vec_push(&w->most, most[LIMIT_JOB] < 1 ? -1 : most[w->res[i]]);
}

bool limits_walk_is_plain(const struct limits *l)
{
    return !l->any_override && limits_pairs_count(l->pairs) == 0;
}

bool limits_walk_asks_more(const struct limits *l)
{
    return l->asked != 0;
}

struct limits_walk *limits_walk_begin(struct limits *l, struct cluster *c,
    const struct credsets *sets, enum limit_level level)
{
    struct limits_walk *w = &l->walks[level];

    limits_begin_idle(l, c);
    w->active.n = w->idle.n = w->room.n = w->most.n = w->idle_at.n = 0;
    w->l = l;
    w->c = c;
    w->sets = sets;
    w->level = level;
    w->plain = limits_walk_is_plain(l);
    if (!w->plain)
        return w;
    vec_push(&w->room, INT64_MAX); /* NO_LIMIT */
    for (uint32_t k = 0; k <= CRED_KINDS; k++) {
        open_tests(w, DIM_ACTIVE, k);
        open_tests(w, DIM_IDLE, k);
    }
    note_active(w);
    for (size_t s = 0; s < sets->sets.n; s++) {
        tighten(w, &sets->sets.v[s]);
        for (size_t i = 0; i < w->idle.n; i++)
            vec_push(&w->idle_at, (uint32_t)room_of(&w->idle.v[i], &sets->sets.v[s]));
    }
    return w;
}

bool limits_walk_violated_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    const struct limits_use use = {w->sets->sets.v[credset].cred, v};

    return limits_use_violated(
        w->l, w->c, use, CHECK_ACTIVE | CHECK_IDLE, w->level, NULL);
}

bool limits_walk_idle_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    const struct limits_use use = {w->sets->sets.v[credset].cred, v};

    return limits_use_violated(w->l, w->c, use, CHECK_IDLE, w->level, NULL);
}

void limits_walk_count_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    limits_count_idle_use(w->l, w->c, w->sets->sets.v[credset].cred, v);
}

/* Usage is what was there to begin with less what is left. */
static void write_usage(struct limits_walk *w, const struct limits_test *t)
{
    const struct limits_table *idle = &w->l->dims[DIM_IDLE];
    const int64_t *room = &w->room.v[t->room];
    bool system = t->kind == CRED_KINDS;
    size_t objects = system ? 1 : w->c->creds[t->kind].n;

    for (uint32_t i = 0; i < objects; i++) {
        const struct limit_row *row = system ? &idle->sys : &idle->rows[t->kind].v[i];
        struct usage *u = system ? &w->c->sys_idle : &w->c->creds[t->kind].v[i]->idle;
        if (row->at[w->level][t->res] == LIMIT_OFF)
            continue;
        u->v[t->res] = row->at[w->level][t->res] - room[i];
        if (!system)
            vec_push(&w->l->touched, ((struct limits_touched){t->kind, i}));
    }
}

void limits_walk_end(struct limits_walk *w)
{
    if (!w->plain)
        return;
    limits_begin_idle(w->l, w->c); /* that of another level */
    for (size_t i = 0; i < w->idle.n; i++)
        write_usage(w, &w->idle.v[i]);
}

void limits_walk_fini(struct limits_walk *w)
{
    vec_fini(&w->active);
    vec_fini(&w->idle);
    vec_fini(&w->room);
    vec_fini(&w->most);
    vec_fini(&w->idle_at);
}
