/* SPDX-License-Identifier: Apache-2.0
 * Members that counts do not describe: host lists, memory, several requests. The plan
 * of the nodes places all members in the order of the last plan, so that nobody is
 * later than there; new ones of this kind come behind all. Source: reference
 * plan-search, section 8. */
#include "engine/planning/private.h"

struct turn {
    bool promised;
    int64_t planned;
    uint32_t rank; /* by priority */
    bool fixed;
    uint32_t index;
};

static int compare_turns(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;

    if (a->promised != b->promised)
        return a->promised ? -1 : 1;
    if (a->planned != b->planned)
        return a->planned < b->planned ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

static struct turn make_turn(
    const struct engine *e, const struct member *m, bool fixed, uint32_t index)
{
    const struct job *j = e->c->jobs.v[m->job];

    return (struct turn){.promised = promises_has(e->promises, j, PROMISE_START),
        .planned = members_planned(e, m),
        .rank = m->rank,
        .fixed = fixed,
        .index = index};
}

static struct turn *sort_turns(const struct engine *e, size_t *ret_n)
{
    const struct planning *p = e->passes.planning;
    struct turn *turns = xcalloc(p->members.n + p->fixed.n + 1, sizeof *turns);
    size_t n = 0;

    for (uint32_t i = 0; i < p->members.n; i++)
        turns[n++] = make_turn(e, &p->members.v[i], false, i);
    for (uint32_t i = 0; i < p->fixed.n; i++)
        turns[n++] = make_turn(e, &p->fixed.v[i], true, i);
    qsort(turns, n, sizeof *turns, compare_turns);
    *ret_n = n;
    return turns;
}

static void place_member(struct engine *e, struct member *m)
{
    const struct job *j = e->c->jobs.v[m->job];
    struct slot slot;

    m->start_at = TIME_NEVER;
    bool there = m->partition != INDEX_NONE
                 && plan_fit_in(e->plan, j, m->partition, e->now, &slot);
    if (!there && !plan_first_fit(e->plan, j, e->now, &slot))
        return;
    plan_reserve(e->plan, j, &slot);
    m->start_at = slot.at;
    m->partition = slot.partition;
}

void fixed_place(struct engine *e)
{
    struct planning *p = e->passes.planning;
    size_t n;

    if (!p->fixed.n)
        return;
    plan_confirm_rest(e->plan);
    struct turn *turns = sort_turns(e, &n);
    for (size_t i = 0; i < n; i++)
        place_member(e, turns[i].fixed ? &p->fixed.v[turns[i].index]
                                       : &p->members.v[turns[i].index]);
    for (size_t i = p->members.n; i-- > 0;)
        plan_unreserve(e->plan, e->c->jobs.v[p->members.v[i].job]);
    free(turns);
}
