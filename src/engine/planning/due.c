/* SPDX-License-Identifier: Apache-2.0
 * Jobs whose time has come, on nodes that others have left and that are told busy yet:
 * what is measured comes late (engine/leaving.h). That is no failure. They stay due, in
 * their places, and start when more is told; those behind them make room for that. So
 * do they for one whose start has failed, as long as it can be kept what it was
 * promised.
 *
 *     at 100    told busy    D 100 to 200    E behind it 200 to 300
 *     at 103    told idle    D starts        E 203 to 303
 *
 * Where counts are planned that follows from the order of the last plan. Where nodes
 * are, each lies at an instant, and a second is enough to be in one another's way. */
#include "engine/leaving.h"
#include "engine/planning/private.h"

static const struct promise *promise_of(const struct engine *e, const struct member *m)
{
    return promises_row(e->promises, e->c->jobs.v[m->job], PROMISE_START);
}

/* What it was promised may yet be. */
static bool is_in_time(const struct engine *e, const struct member *m)
{
    const struct promise *row = promise_of(e, m);

    return row && row->latest_start > e->now && row->latest_start < TIME_NEVER;
}

static bool waits_too_long(const struct engine *e, const struct member *m)
{
    return members_planned(e, m) < e->now - DUE_WAITS_S && !is_in_time(e, m);
}

/* Behind those that are planned behind it what it was promised could not be. */
static bool loses_promise(struct engine *e, const struct member *m)
{
    struct slot slot;

    return is_in_time(e, m)
           && plan_first_fit(e->plan, e->c->jobs.v[m->job], e->now + 1, &slot)
           && slot.at > promise_of(e, m)->latest_start;
}

static bool may_wait(struct engine *e, const struct member *m)
{
    bool leaves = leaving_any(e->troubles.leaving)
                  && members_planned(e, m) >= e->now - DUE_WAITS_S;

    return leaves || loses_promise(e, m);
}

void due_begin(struct engine *e)
{
    struct planning *p = e->passes.planning;

    for (uint32_t i = bitset_next(&p->due, 0); i != BITSET_NONE;
         i = bitset_next(&p->due, i + 1)) {
        bool member = bitset_test(&p->jobs, i) || bitset_test(&p->fixed_jobs, i);
        if (!member || waits_too_long(e, &(struct member){.job = i}))
            bitset_clear(&p->due, i);
    }
}

bool due_waits(struct engine *e, const struct member *m)
{
    struct planning *p = e->passes.planning;

    if (!may_wait(e, m))
        return false;
    plan_take_again(e->plan, e->c->jobs.v[m->job]);
    bitset_set(&p->due, m->job);
    p->due_relief = e->c->relief_epoch;
    wake_at(e, e->now + 1);
    return true;
}

void due_ends(struct engine *e, const struct member *m)
{
    bitset_clear(&e->passes.planning->due, m->job);
}

void due_note(struct engine *e, const struct member *m)
{
    struct member as = *m;
    int64_t planned = members_planned(e, m);

    if (m->start_at > e->now + 1)
        due_ends(e, m);
    else if (bitset_test(&e->passes.planning->due, m->job) && planned < m->start_at)
        as.start_at = planned;
    members_note(e, &as);
}

int64_t due_latest(const struct engine *e, const struct promise *row)
{
    bool in_time = bitset_test(&e->passes.planning->due, row->job)
                   && row->not_before <= row->latest_start;

    return in_time && row->latest_start <= e->now ? e->now + 1 : row->latest_start;
}

void due_weigh(struct engine *e)
{
    struct planning *p = e->passes.planning;
    bool any = bitset_any(&p->due);

    for (size_t i = 0; any && i < p->members.n; i++) {
        const struct job *j = e->c->jobs.v[p->members.v[i].job];
        const struct promise *row = promises_row(e->promises, j, PROMISE_START);
        if (row)
            p->wishes.v.v[i].latest = due_latest(e, row);
    }
}

/* ---- places ---- */

struct place {
    int64_t at;
    const struct member *m;
    struct lifted_rsv *lifted;
};

struct places VEC(struct place);

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->m->rank < b->m->rank ? -1 : 1;
}

static void add_place(const struct engine *e, struct places *io, const struct member *m)
{
    const struct job *j = e->c->jobs.v[m->job];

    if (plan_is_reserved(e->plan, j))
        vec_push(io, ((struct place){plan_reserved_at(e->plan, j), m, NULL}));
}

static struct places list_places(const struct engine *e)
{
    const struct planning *p = e->passes.planning;
    struct places places = {0};

    for (size_t i = 0; i < p->members.n; i++)
        add_place(e, &places, &p->members.v[i]);
    for (size_t i = 0; i < p->fixed.n; i++)
        add_place(e, &places, &p->fixed.v[i]);
    if (places.n)
        qsort(places.v, places.n, sizeof *places.v, compare_places);
    return places;
}

/* At that instant, on the same nodes; where units are counted, at the first one from
 * there on that is not later than `most`. */
static bool lay_place(
    struct engine *e, const struct place *at, int64_t from, int64_t most)
{
    const struct job *j = e->c->jobs.v[at->m->job];
    struct slot slot;

    if (at->lifted)
        return plan_lay_at(e->plan, j, at->lifted, from);
    if (at->m->partition == INDEX_NONE
        || !plan_fit_in(e->plan, j, at->m->partition, from, &slot) || slot.at > most)
        return false;
    plan_reserve(e->plan, j, &slot);
    return true;
}

void due_make_room(struct engine *e)
{
    struct planning *p = e->passes.planning;
    bool told =
        p->due_relief != e->c->relief_epoch || !leaving_any(e->troubles.leaving);

    p->due_stay = bitset_any(&p->due) && !told;
    if (!bitset_any(&p->due) || !told)
        return;
    struct places places = list_places(e);
    int64_t by = places.n ? e->now + 1 - places.v[0].at : 0;
    for (size_t i = places.n; by > 0 && i-- > 0;)
        places.v[i].lifted = plan_lift(e->plan, e->c->jobs.v[places.v[i].m->job]);
    for (size_t i = 0; by > 0 && i < places.n; i++) {
        int64_t at = places.v[i].at, from = at > e->now ? at : e->now;
        int64_t most = at > e->now ? at + by : e->now + 1;
        if (!lay_place(e, &places.v[i], from, most))
            lay_place(e, &places.v[i], most, most);
        lifted_rsv_free(places.v[i].lifted);
    }
    vec_fini(&places);
}
