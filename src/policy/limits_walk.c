/* SPDX-License-Identifier: Apache-2.0
 * Throttling: a walk over a long queue, by what each credential has left. */
#include "policy/limits_private.h"

static void fill_room(int64_t *room, const struct limit_row *row,
    enum limit_level level, const int64_t *used)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        room[r] =
            row->at[level][r] == LIMIT_OFF ? INT64_MAX : row->at[level][r] - used[r];
}

static void add_room(struct limits_walk *w, uint32_t kind,
    const struct limit_row *active, const struct limit_row *idle, const int64_t *used)
{
    static const int64_t nothing[LIMIT_RES_COUNT];
    struct limits_room room;

    if (w->active[kind])
        fill_room(room.active, active, w->level, used);
    if (w->idle[kind])
        fill_room(room.idle, idle, w->level, nothing);
    vec_push(&w->rooms[kind], room);
}

static void open_rooms(struct limits *l, const struct cluster *c)
{
    const struct limits_table *act = &l->dims[DIM_ACTIVE], *idle = &l->dims[DIM_IDLE];
    struct limits_walk *w = &l->walk;

    w->kinds = 0;
    for (uint32_t k = 0; k <= CRED_KINDS; k++) {
        w->active[k] = k < CRED_KINDS ? act->mask[k] : act->sys_mask;
        w->idle[k] = k < CRED_KINDS ? idle->mask[k] : idle->sys_mask;
        w->rooms[k].n = 0;
        if (!(w->active[k] | w->idle[k]))
            continue;
        w->kinds |= 1u << k;
        if (k == CRED_KINDS)
            add_room(w, k, &act->sys, &idle->sys, c->sys_active.v);
        for (size_t i = 0; k < CRED_KINDS && i < c->creds[k].n; i++)
            add_room(w, k, w->active[k] ? &act->rows[k].v[i] : NULL,
                w->idle[k] ? &idle->rows[k].v[i] : NULL, c->creds[k].v[i]->active.v);
    }
}

void limits_walk_begin(struct limits *l, struct cluster *c, enum limit_level level)
{
    limits_begin_idle(l, c);
    l->walk.level = level;
    l->walk.plain = !l->any_override && limits_pairs_count(l->pairs) == 0;
    if (l->walk.plain)
        open_rooms(l, c);
}

static bool exceeds(const int64_t *want, const int64_t *room, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        int r = __builtin_ctz(mask);
        if (want[r] > room[r])
            return true;
    }
    return false;
}

/* The object of a kind that the ask counts against; INDEX_NONE = none named. */
static uint32_t object_of(const struct limits_ask *ask, uint32_t kind)
{
    if (kind == CRED_KINDS)
        return 0;
    if (ask->cred[kind] == 0 && kind != CRED_QOS)
        return INDEX_NONE;
    return ask->cred[kind];
}

bool limits_walk_violated(
    struct limits *l, const struct cluster *c, const struct limits_ask *ask)
{
    const struct limits_walk *w = &l->walk;

    if (!w->plain)
        return limits_ask_violated(
            l, c, ask, CHECK_ACTIVE | CHECK_IDLE, w->level, NULL);
    for (uint32_t kinds = w->kinds; kinds; kinds &= kinds - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(kinds), i = object_of(ask, k);
        if (i == INDEX_NONE)
            continue;
        const struct limits_room *room = &w->rooms[k].v[i];
        if (exceeds(ask->v, room->active, w->active[k])
            || exceeds(ask->v, room->idle, w->idle[k]))
            return true;
    }
    return false;
}

void limits_walk_count(
    struct limits *l, struct cluster *c, const struct limits_ask *ask)
{
    struct limits_walk *w = &l->walk;

    if (!w->plain) {
        limits_ask_count_idle(l, c, ask);
        return;
    }
    for (uint32_t kinds = w->kinds; kinds; kinds &= kinds - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(kinds);
        uint32_t i = k == CRED_KINDS ? 0 : ask->cred[k];
        int64_t *room = w->rooms[k].v[i].idle;
        for (uint32_t m = w->idle[k]; m; m &= m - 1) {
            int r = __builtin_ctz(m);
            room[r] -= room[r] == INT64_MAX ? 0 : ask->v[r];
        }
    }
}

/* Usage is what was there to begin with less what is left. */
static void write_usage(const struct limits_room *room, const struct limit_row *row,
    uint32_t mask, int level, struct usage *ret)
{
    for (; mask; mask &= mask - 1) {
        int r = __builtin_ctz(mask);
        if (row->at[level][r] != LIMIT_OFF)
            ret->v[r] = row->at[level][r] - room->idle[r];
    }
}

void limits_walk_end(struct limits *l, struct cluster *c)
{
    const struct limits_table *idle = &l->dims[DIM_IDLE];
    const struct limits_walk *w = &l->walk;

    for (uint32_t k = 0; w->plain && k < CRED_KINDS; k++)
        for (uint32_t i = 0; w->idle[k] && i < w->rooms[k].n; i++) {
            struct usage *u = &c->creds[k].v[i]->idle;
            write_usage(
                &w->rooms[k].v[i], &idle->rows[k].v[i], w->idle[k], (int)w->level, u);
            vec_push(&l->touched, ((struct limits_touched){k, i}));
        }
    if (w->plain && w->idle[CRED_KINDS])
        write_usage(&w->rooms[CRED_KINDS].v[0], &idle->sys, w->idle[CRED_KINDS],
            (int)w->level, &c->sys_idle);
}
