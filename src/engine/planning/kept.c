/* SPDX-License-Identifier: Apache-2.0
 * Where counts alone do not say what there is: some members are planned node by node
 * (host lists, memory, several requests), or can use pools of several kinds, and may
 * take other units than last time. There the plan of the nodes itself is kept, and only
 * two things change it:
 *
 *     compression    something came free: by start, each is lifted and laid where it
 *                    fits first; its own place is among those, so nobody is later
 *     the search     some move, all others stay; if the nodes do not give what counts
 *                    have promised, or it costs more, all is laid back as it was
 *
 * Where the pools are others (nodes lost, other reservations) what had a place may have
 * none: all are placed anew, in several orders, until no promise is broken. Source:
 * reference plan-search, sections 3, 8 and 9.
 *
 * Each lift is a search of the nodes, and of many members there may be hundreds: in
 * PLANTIME some are lifted, the others stay as they lie, and have their turn in the
 * next cycle, a second later; who is new is behind all of those. Nor is there more than
 * one try to place all anew then. */
#include "config/settings.h"
#include "engine/keeping.h"
#include "engine/planning/private.h"
#include "engine/rest.h"
#include "plan/supply.h"

#define TRIES       8 /* orders in which all are placed anew */
#define LIFTS_LEAST 8 /* in a cycle, however long that takes */

bool kept_wanted(const struct planning *p)
{
    for (size_t i = 0; i < p->wishes.sets.n; i++)
        if (p->wishes.sets.v[i].n > 1)
            return true;
    return p->fixed.n > 0 || p->rests > 0;
}

/* ---- turns ---- */

struct turn {
    uint32_t pressed; /* found late by so many tries before */
    bool promised;
    int64_t planned, latest;
    struct member *m;
    struct wish *wish; /* NULL: planned node by node */
};

struct turns VEC(struct turn);

static int compare_turns(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;

    if (a->pressed != b->pressed)
        return a->pressed > b->pressed ? -1 : 1;
    if (a->promised != b->promised)
        return a->promised ? -1 : 1;
    if (a->planned != b->planned)
        return a->planned < b->planned ? -1 : 1;
    return a->m->rank < b->m->rank ? -1 : 1;
}

static void add_turn(
    const struct engine *e, struct turns *io, struct member *m, struct wish *wish)
{
    const struct job *j = e->c->jobs.v[m->job];
    bool promised = promises_has_start(e->promises, j);

    vec_push(io, ((struct turn){.promised = promised,
                     .planned = members_planned(e, m),
                     .latest = promised ? due_latest(
                                   e, promises_row(e->promises, j, PROMISE_START))
                                        : TIME_NEVER,
                     .m = m,
                     .wish = wish}));
}

/* By start in the last plan; who had none, behind. */
static struct turns sort_turns(struct engine *e)
{
    struct planning *p = e->passes.planning;
    struct turns turns = {0};

    for (size_t i = 0; i < p->members.n; i++)
        add_turn(e, &turns, &p->members.v[i], &p->wishes.v.v[i]);
    for (size_t i = 0; i < p->fixed.n; i++)
        add_turn(e, &turns, &p->fixed.v[i], NULL);
    if (turns.n > 0)
        qsort(turns.v, turns.n, sizeof *turns.v, compare_turns);
    return turns;
}

/* ---- places ---- */

static void note_place(const struct engine *e, struct member *m)
{
    const struct job *j = e->c->jobs.v[m->job];
    bool has = plan_is_reserved(e->plan, j);

    m->start_at = has ? plan_reserved_at(e->plan, j) : TIME_NEVER;
    if (has)
        m->partition = plan_reservation_of(e->plan, j)->partition;
}

/* The partition with the earliest slot, of those in which it is planned by count. */
static bool find_counted(struct engine *e, const struct job *j, int64_t from,
    struct wish *io, struct slot *ret)
{
    uint64_t m = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);

    ret->at = TIME_NEVER;
    for (; m; m &= m - 1) {
        struct slot slot;
        struct wish wish = *io;
        uint32_t in = (uint32_t)__builtin_ctzll(m);
        if (!supply_wish(e->plan, j, in, &e->passes.planning->wishes, &wish)
            || !plan_fit_in(e->plan, j, in, from, &slot) || slot.at >= ret->at)
            continue;
        *ret = slot;
        *io = wish;
    }
    return ret->at < TIME_NEVER;
}

static bool find_nodes(
    struct engine *e, const struct turn *t, int64_t from, struct slot *ret)
{
    const struct job *j = e->c->jobs.v[t->m->job];

    if (t->planned < TIME_NEVER && t->m->partition != INDEX_NONE
        && plan_fit_in(e->plan, j, t->m->partition, from, ret))
        return true;
    return t->wish ? find_counted(e, j, from, t->wish, ret)
                   : plan_first_fit(e->plan, j, from, ret);
}

/* The first that its limits allow as well. */
static bool find_place(
    struct engine *e, const struct turn *t, int64_t from, struct slot *ret)
{
    struct bounds_of_job b;
    bool found;

    bounds_of(e, e->c->jobs.v[t->m->job], t->m->partition, &b);
    from = bounds_fit(&b, from);
    while ((found = from < TIME_NEVER && find_nodes(e, t, from, ret))
           && (from = bounds_fit(&b, ret->at)) != ret->at)
        ;
    bounds_of_fini(&b);
    return found;
}

static void place_member(struct engine *e, const struct turn *t, int64_t from)
{
    const struct job *j = e->c->jobs.v[t->m->job];
    struct slot slot;

    if (find_place(e, t, from, &slot)) {
        plan_reserve(e->plan, j, &slot);
        e->stats.reserved++;
    }
    note_place(e, t->m);
}

/* Where it fits first without its own place in its way: there, or sooner. Not so where
 * somebody runs past a limit. */
static void lift_member(struct engine *e, const struct turn *t)
{
    const struct job *j = e->c->jobs.v[t->m->job];
    int64_t was = plan_reserved_at(e->plan, j);
    struct lifted_rsv *lifted = plan_lift(e->plan, j);
    struct slot slot;

    bool found = find_place(e, t, e->now, &slot);
    if (!lifted || (found && slot.at < was) || !plan_lay_back(e->plan, j, lifted)) {
        if (found)
            plan_reserve(e->plan, j, &slot);
    }
    lifted_rsv_free(lifted);
    note_place(e, t->m);
}

/* ---- all of them ---- */

/* Who does not wait for a start any more holds no place. */
static void drop_others(struct engine *e)
{
    const struct planning *p = e->passes.planning;

    for (uint32_t i = plan_reservations(e->plan); i-- > 0;) {
        uint32_t job = plan_reserved_job(e->plan, i);
        if (job == INDEX_NONE || bitset_test(&p->jobs, job)
            || bitset_test(&p->fixed_jobs, job)
            || e->c->jobs.v[job]->state == JOB_SUSPENDED
            || keeping_stands(e, e->c->jobs.v[job], PROMISE_DEADLINE)
            || keeping_stands(e, e->c->jobs.v[job], PROMISE_RETRY))
            continue;
        plan_unreserve(e->plan, e->c->jobs.v[job]);
        plan_owe(e->plan, e->c->jobs.v[job], 0);
    }
}

/* By an order, another QOS or a lowered limit there may be no room for some places any
 * more: who has one of those is placed anew. */
static void drop_over(struct engine *e, const struct turns *turns)
{
    struct VEC(uint32_t) jobs = {0};
    struct bitset over = {0};

    for (size_t i = 0; i < turns->n; i++)
        if (plan_is_reserved(e->plan, e->c->jobs.v[turns->v[i].m->job]))
            vec_push(&jobs, turns->v[i].m->job);
    bounds_over(e, jobs.v, jobs.n, &over);
    for (size_t i = jobs.n; i-- > 0;)
        if (bitset_test(&over, jobs.v[i]))
            plan_unreserve(e->plan, e->c->jobs.v[jobs.v[i]]);
    e->passes.planning->lift_again |= bitset_any(&over);
    vec_fini(&jobs);
    bitset_fini(&over);
}

/* How many are later than promised; they are pressed. */
static size_t press_late(struct turns *io)
{
    size_t late = 0;

    for (size_t i = 0; i < io->n; i++) {
        if (io->v[i].m->start_at <= io->v[i].latest)
            continue;
        io->v[i].pressed++;
        late++;
    }
    return late;
}

static bool is_late(const struct search_terms *t)
{
    return t->late && t->late(t->ctx);
}

static bool is_missed(const struct engine *e, const struct job *j)
{
    return plan_is_reserved(e->plan, j) && plan_reserved_at(e->plan, j) < e->now
           && !e->passes.planning->due_stay;
}

static bool any_missed(const struct engine *e, const struct turns *turns)
{
    for (size_t i = 0; i < turns->n; i++)
        if (is_missed(e, e->c->jobs.v[turns->v[i].m->job]))
            return true;
    return false;
}

static bool any_unlifted(const struct planning *p, const struct turns *turns)
{
    for (size_t i = 0; i < turns->n; i++)
        if (bitset_test(&p->unlifted, turns->v[i].m->job))
            return true;
    return false;
}

/* Something came free: all are to be lifted, once. If some are yet to be since the last
 * time, that is done first, and then again. */
static void begin_lifting(struct engine *e, const struct turns *turns)
{
    struct planning *p = e->passes.planning;

    p->lift_again |= !plan_stands(e->plan) || any_missed(e, turns);
    if (!p->lift_again || any_unlifted(p, turns))
        return;
    bitset_clear_all(&p->unlifted);
    for (size_t i = 0; i < turns->n; i++)
        bitset_set(&p->unlifted, turns->v[i].m->job);
    p->lift_again = false;
}

/* So many are lifted in this cycle, until it is late. */
struct lifting {
    size_t n;
    bool stopped;
    int64_t behind; /* the last start of those that are not */
};

/* Is it this one's turn? */
static bool may_lift(struct lifting *io, const struct search_terms *t)
{
    io->stopped |= io->n >= LIFTS_LEAST && is_late(t);
    io->n += !io->stopped;
    return !io->stopped;
}

static void lift_in_turn(struct engine *e, const struct turn *t, struct lifting *io,
    const struct search_terms *terms)
{
    struct bitset *unlifted = &e->passes.planning->unlifted;
    const struct job *j = e->c->jobs.v[t->m->job];

    if (is_missed(e, j) || (bitset_test(unlifted, j->index) && may_lift(io, terms))) {
        bitset_clear(unlifted, j->index);
        lift_member(e, t);
        return;
    }
    note_place(e, t->m);
    if (bitset_test(unlifted, j->index) && t->m->start_at > io->behind)
        io->behind = t->m->start_at;
}

/* Who is new takes nothing that came free from those who are yet to be lifted, and is
 * lifted after them. */
static void place_in_turn(
    struct engine *e, const struct turn *t, const struct lifting *l)
{
    bool new = t->planned >= TIME_NEVER && !t->promised;
    bool waits = new && l->behind > e->now;

    place_member(e, t, waits ? l->behind : e->now);
    if (waits)
        bitset_set(&e->passes.planning->unlifted, t->m->job);
    else
        bitset_clear(&e->passes.planning->unlifted, t->m->job);
}

/* Where it was, if there is room. */
static void lay_where_planned(struct engine *e, const struct turn *t)
{
    int64_t from = t->planned > e->now ? t->planned : e->now;
    struct slot slot;

    if (find_place(e, t, from, &slot) && slot.at == from)
        plan_reserve(e->plan, e->c->jobs.v[t->m->job], &slot);
}

/* Where the pools are others all have lost their places: each has its own again, unless
 * it is not there any more. Had each gone to the first place that it fits, it would
 * have been in the way of those behind it: of several pools it may take others there.
 */
static void lay_again(struct engine *e, const struct turns *turns)
{
    for (size_t i = 0; i < turns->n; i++)
        if (turns->v[i].planned < TIME_NEVER
            && !plan_is_reserved(e->plan, e->c->jobs.v[turns->v[i].m->job]))
            lay_where_planned(e, &turns->v[i]);
}

/* Who had no place goes behind all who have one. Returns how many are late. */
static size_t place_all(
    struct engine *e, struct turns *io, const struct search_terms *terms)
{
    const struct planning *p = e->passes.planning;
    struct lifting lifting = {0};

    begin_lifting(e, io);
    for (size_t i = 0; i < io->n; i++) {
        const struct turn *t = &io->v[i];
        if (plan_is_reserved(e->plan, e->c->jobs.v[t->m->job]))
            lift_in_turn(e, t, &lifting, terms);
        else
            place_in_turn(e, t, &lifting);
    }
    if (p->lift_again || any_unlifted(p, io))
        wake_at(e, e->now + 1);
    return press_late(io);
}

/* Those who were late go first, again and again; the best of it stays. */
static void place_anew(
    struct engine *e, struct turns *io, size_t least, const struct search_terms *terms)
{
    struct plan_kept *best = plan_keep(e->plan);

    for (int i = 0; i < TRIES && least && (i == 0 || !is_late(terms)); i++) {
        for (size_t k = io->n; k-- > 0;)
            plan_unreserve(e->plan, e->c->jobs.v[io->v[k].m->job]);
        qsort(io->v, io->n, sizeof *io->v, compare_turns);
        for (size_t k = 0; k < io->n; k++)
            place_member(e, &io->v[k], e->now);
        size_t late = press_late(io);
        if (late >= least)
            continue;
        least = late;
        plan_kept_free(best);
        best = plan_keep(e->plan);
    }
    plan_lay_all_back(e->plan, best);
    for (size_t i = 0; i < io->n; i++)
        note_place(e, io->v[i].m);
}

void kept_place(struct engine *e, const struct search_terms *t)
{
    drop_others(e);
    due_make_room(e);
    struct turns turns = sort_turns(e);
    if (!e->passes.planning->due_stay) /* else they lie as they did */
        drop_over(e, &turns);
    lay_again(e, &turns);
    size_t late = place_all(e, &turns, t);
    if (late)
        place_anew(e, &turns, late, t);
    vec_fini(&turns);
}

/* ---- the return of a suspended job ---- */

/* Those in its way have other places, as long as there is time for that. How many are
 * late then. */
static size_t place_aside(struct engine *e, struct turns *io,
    const struct bitset *in_way, const struct search_terms *terms)
{
    size_t skipped = 0;

    for (size_t i = 0; i < io->n; i++)
        if (bitset_test(in_way, io->v[i].m->job)) {
            if (is_late(terms))
                skipped++;
            else
                place_member(e, &io->v[i], e->now);
        }
    return press_late(io) + skipped;
}

bool kept_move_aside(struct engine *e, const struct job *rest,
    const struct bitset *in_way, const struct search_terms *t)
{
    struct plan_kept *was = plan_keep(e->plan);
    struct turns turns = sort_turns(e);

    plan_unreserve(e->plan, rest);
    for (size_t i = turns.n; i-- > 0;)
        if (bitset_test(in_way, turns.v[i].m->job))
            plan_unreserve(e->plan, e->c->jobs.v[turns.v[i].m->job]);
    bool room = rest_find(e, rest, e->now, 0) == e->now;
    if (room) {
        plan_reserve_rest(e->plan, rest, e->now);
        room = place_aside(e, &turns, in_way, t) == 0;
    }
    if (room)
        plan_kept_free(was);
    else
        plan_lay_all_back(e->plan, was);
    for (size_t i = 0; i < turns.n; i++)
        note_place(e, turns.v[i].m);
    vec_fini(&turns);
    return room;
}

/* ---- the search ---- */

static int64_t *list_starts(const struct planning *p)
{
    int64_t *starts = xcalloc(p->chosen.n + 1, sizeof *starts);

    for (size_t i = 0; i < p->chosen.n; i++)
        starts[i] = p->members.v[p->chosen.v[i]].start_at;
    return starts;
}

struct goal {
    int64_t at;
    uint32_t chosen;
};

static int compare_goals(const void *left, const void *right)
{
    const struct goal *a = left, *b = right;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->chosen < b->chosen ? -1 : 1;
}

/* In the partition where it is, as its limits allow. */
static bool fit_again(
    struct engine *e, const struct member *m, int64_t from, struct slot *ret)
{
    const struct job *j = e->c->jobs.v[m->job];
    struct bounds_of_job b;
    bool found;

    bounds_of(e, j, m->partition, &b);
    from = bounds_fit(&b, from);
    while (
        (found = from < TIME_NEVER && plan_fit_in(e->plan, j, m->partition, from, ret))
        && (from = bounds_fit(&b, ret->at)) != ret->at)
        ;
    bounds_of_fini(&b);
    return found;
}

/* They are laid there, or as soon after it as the nodes allow. */
static void lay_chosen(struct engine *e, int64_t *io_starts)
{
    struct planning *p = e->passes.planning;
    struct goal *goals = xcalloc(p->chosen.n + 1, sizeof *goals);

    for (size_t i = p->chosen.n; i-- > 0;) {
        plan_unreserve(e->plan, e->c->jobs.v[p->members.v[p->chosen.v[i]].job]);
        goals[i] = (struct goal){io_starts[i], (uint32_t)i};
    }
    qsort(goals, p->chosen.n, sizeof *goals, compare_goals);
    for (size_t i = 0; i < p->chosen.n; i++) {
        const struct member *m = &p->members.v[p->chosen.v[goals[i].chosen]];
        const struct job *j = e->c->jobs.v[m->job];
        struct slot slot;
        if (fit_again(e, m, goals[i].at, &slot))
            plan_reserve(e->plan, j, &slot);
        io_starts[goals[i].chosen] =
            plan_is_reserved(e->plan, j) ? plan_reserved_at(e->plan, j) : TIME_NEVER;
    }
    free(goals);
}

void kept_search(struct engine *e, const struct search_terms *t)
{
    struct planning *p = e->passes.planning;

    if (!window_choose(p, (size_t)e->cfg->plan.window))
        return;
    struct bitset moving = {0};
    for (size_t i = 0; i < p->members.n; i++)
        if (p->members.v[i].moves)
            bitset_set(&moving, p->members.v[i].job);
    window_open_kept(e, &moving);
    bitset_fini(&moving);
    int64_t *before = list_starts(p);
    double cost = search_cost(&p->window, t, before);
    if (window_find(p, t, before)) {
        struct plan_kept *kept = plan_keep(e->plan);
        lay_chosen(e, p->starts.v);
        if (search_cost(&p->window, t, p->starts.v) < cost) {
            plan_kept_free(kept);
            e->stats.plans_adopted++;
        } else {
            plan_lay_all_back(e->plan, kept);
            e->stats.plans_refused++;
        }
        for (size_t i = 0; i < p->chosen.n; i++)
            note_place(e, &p->members.v[p->chosen.v[i]]);
    }
    free(before);
}
