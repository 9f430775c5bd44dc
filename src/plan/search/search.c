/* SPDX-License-Identifier: Apache-2.0
 * See search.h. */
#include "plan/search/search.h"

#include "base/timeval.h"
#include "plan/search/lineup.h"
#include "plan/search/orders.h"

#include <math.h>

#define COLD        0.01               /* the last temperature, of the first */
#define FACTOR_MAX  1e100              /* of a band: costs stay finite */
#define TEMPERATURE 0.02               /* the first, of the mean cost of a job */
#define WITHOUT_S   INT64_C(100000000) /* who has no place waits so much longer */

struct trial {
    const struct wishes *w;
    const struct search_terms *t;
    struct lineup l;
    double *price;     /* of each wish: F^band x weight; owned */
    double *least;     /* that each costs at least: 0 unless measured; owned */
    double least_all;  /* ... and all together */
    int64_t *start_at; /* of the order tried last; owned */
    double *cost_v;    /* ... and what each costs; owned */
    uint64_t random;
    uint32_t evaluated;
    bool stopped;
};

/* Source: splitmix64, Steele, Lea and Flood, 2014. */
static uint64_t next_random(struct trial *r)
{
    uint64_t z = (r->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t random_below(struct trial *r, uint32_t n)
{
    return (uint32_t)((next_random(r) >> 32) * n >> 32);
}

/* In (0, 1]. */
static double random_part(struct trial *r)
{
    return ((double)(next_random(r) >> 11) + 1) / 9007199254740992.0;
}

static void begin_trial(
    struct trial *r, const struct wishes *w, const struct search_terms *t)
{
    *r = (struct trial){.w = w, .t = t, .random = t->seed};
    lineup_begin(&r->l, w);
    r->price = xcalloc(w->v.n + 1, sizeof *r->price);
    r->least = xcalloc(w->v.n + 1, sizeof *r->least);
    r->start_at = xcalloc(w->v.n + 1, sizeof *r->start_at);
    r->cost_v = xcalloc(w->v.n + 1, sizeof *r->cost_v);
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < w->v.n; i++)
        lowest = w->v.v[i].band < lowest ? w->v.v[i].band : lowest;
    for (size_t i = 0; i < w->v.n; i++) {
        double factor = pow(t->band_factor, w->v.v[i].band - lowest);
        r->price[i] = (factor < FACTOR_MAX ? factor : FACTOR_MAX) * w->v.v[i].weight;
    }
}

static void end_trial(struct trial *r)
{
    lineup_fini(&r->l);
    free(r->price);
    free(r->least);
    free(r->start_at);
    free(r->cost_v);
}

static double cost_of(const struct trial *r, uint32_t i, int64_t start_at)
{
    double wait = (double)(start_at - r->w->v.v[i].since);

    if (wait <= 0)
        return 0;
    if (r->t->wait_exponent == 2)
        return r->price[i] * wait * wait;
    if (r->t->wait_exponent == 3)
        return r->price[i] * wait * wait * wait;
    return r->price[i] * pow(wait, r->t->wait_exponent);
}

/* Infinite: a promise is broken. Who has no place behind others, which give nothing
 * back, is as if it started in years; who never has one, whatever the order, is left
 * out. */
static double cost_at(const struct trial *r, uint32_t i, int64_t start_at)
{
    const struct wishes *w = r->w;

    if (start_at > w->v.v[i].latest)
        return INFINITY;
    if (start_at < TIME_NEVER)
        return cost_of(r, i, start_at);
    return lineup_alone(&r->l, i) < TIME_NEVER
               ? cost_of(r, i, time_add(w->now, WITHOUT_S))
               : 0;
}

/* None starts sooner than it would if there were no other. A sum is not exact: a
 * billionth is left off. */
static void measure_least(struct trial *r)
{
    lineup_learn(&r->l);
    for (uint32_t i = 0; i < r->w->v.n; i++) {
        int64_t at = r->l.alone_at[i];
        r->least[i] = at < TIME_NEVER ? cost_of(r, i, at) : 0;
        r->least_all += r->least[i];
    }
    r->least_all *= 1 - 1e-9;
}

/* An order whose plan is known, of which another is made by a change. */
struct known_order {
    uint32_t *order;
    int64_t *start_at; /* by wish */
    double *cost_v;
    double cost;
};

struct move {
    uint32_t from, to;
    bool swap;
};

static uint32_t first_of(struct move m)
{
    return m.from < m.to ? m.from : m.to;
}

static uint32_t last_of(struct move m)
{
    return m.from < m.to ? m.to : m.from;
}

/* Where all who changed places start as they did, whoever is behind them does, too;
 * unless they may have left other parts to those. */
static bool starts_as_before(
    const struct trial *r, const struct known_order *old, uint32_t k)
{
    return r->start_at[k] == old->start_at[k] && r->w->sets.v[r->w->v.v[k].set].n == 1;
}

static void place_next(struct trial *r, uint32_t k)
{
    r->start_at[k] = lineup_place(&r->l, k);
    r->cost_v[k] = cost_at(r, k, r->start_at[k]);
}

/* Infinite: a promise is broken, or it costs as much as the bound with what those
 * behind cost at least. With `all` the rest is planned then, too. */
static double list_order(struct trial *r, const uint32_t *order, double bound, bool all)
{
    double cost = 0, rest = r->least_all;

    lineup_open(&r->l, order, 0, NULL);
    for (size_t i = 0; i < r->w->v.n; i++) {
        uint32_t k = order[i];
        place_next(r, k);
        cost += r->cost_v[k];
        rest -= r->least[k];
        if (cost + (rest > 0 ? rest : 0) >= bound && !all)
            return INFINITY;
    }
    return cost;
}

/* The same for an order that is another by one move: only who may start at another
 * instant than before is placed. */
static double list_moved(struct trial *r, const struct known_order *old, struct move m,
    double bound, bool *ret_same)
{
    double cost = 0, rest = r->least_all;
    uint32_t first = first_of(m), last = last_of(m), *order = old->order;

    *ret_same = true;
    for (uint32_t i = 0; i < r->w->v.n; i++) {
        uint32_t k = order[i];
        if (i == first)
            lineup_open(&r->l, order, first, old->start_at);
        if (i < first || (i > last && *ret_same)) {
            r->start_at[k] = old->start_at[k];
            r->cost_v[k] = old->cost_v[k];
        } else {
            place_next(r, k);
            *ret_same = *ret_same && starts_as_before(r, old, k);
        }
        cost += r->cost_v[k];
        rest -= r->least[k];
        if (cost + (rest > 0 ? rest : 0) >= bound)
            return INFINITY;
    }
    return cost;
}

double search_cost(
    const struct wishes *w, const struct search_terms *t, const int64_t *start_at)
{
    struct trial r;
    double cost = 0;

    begin_trial(&r, w, t);
    for (uint32_t i = 0; i < w->v.n; i++)
        cost += cost_at(&r, i, start_at[i]);
    end_trial(&r);
    return cost;
}

bool search_list(const struct wishes *w, const struct search_terms *t,
    const uint32_t *order, int64_t *ret_start_at, double *ret_cost)
{
    struct trial r;

    begin_trial(&r, w, t);
    *ret_cost = list_order(&r, order, INFINITY, true);
    memcpy(ret_start_at, r.start_at, w->v.n * sizeof *ret_start_at);
    end_trial(&r);
    return *ret_cost < INFINITY;
}

/* ---- annealing ---- */

struct best {
    uint32_t *order;
    int64_t *start_at;
    double cost;
};

static void note_best(
    struct trial *r, struct best *b, const uint32_t *order, double cost)
{
    memcpy(b->order, order, r->w->v.n * sizeof *order);
    memcpy(b->start_at, r->start_at, r->w->v.n * sizeof *r->start_at);
    b->cost = cost;
}

static void try_order(struct trial *r, struct best *b, const uint32_t *order)
{
    double cost = list_order(r, order, b->cost, false);

    r->evaluated++;
    if (cost < b->cost)
        note_best(r, b, order, cost);
    if (r->t->late && r->t->late(r->t->ctx))
        r->stopped = true;
}

/* The mean cost of a job of each band, in the best plan so far. Bands above those that
 * there are have none. Who has no place costs so much that every other move of its band
 * would be taken: it is left out. */
#define BANDS_MAX 64
static void measure_bands(
    const struct trial *r, const struct best *b, double ret_mean[BANDS_MAX])
{
    uint32_t count[BANDS_MAX] = {0};

    for (uint32_t i = 0; i < BANDS_MAX; i++)
        ret_mean[i] = 0;
    for (uint32_t i = 0; i < r->w->v.n; i++) {
        uint32_t band = r->w->v.v[i].band;
        if (b->start_at[i] >= TIME_NEVER)
            continue;
        band = band < BANDS_MAX ? band : BANDS_MAX - 1;
        ret_mean[band] += cost_at(r, i, b->start_at[i]);
        count[band]++;
    }
    for (uint32_t i = 0; i < BANDS_MAX; i++)
        ret_mean[i] /= count[i] ? count[i] : 1;
}

static void apply_move(uint32_t *order, struct move m)
{
    uint32_t moved = order[m.from];

    if (m.swap) {
        order[m.from] = order[m.to];
        order[m.to] = moved;
    } else if (m.from < m.to) {
        memmove(order + m.from, order + m.from + 1, (m.to - m.from) * sizeof *order);
        order[m.to] = moved;
    } else {
        memmove(order + m.to + 1, order + m.to, (m.from - m.to) * sizeof *order);
        order[m.to] = moved;
    }
}

static void undo_move(uint32_t *order, struct move m)
{
    apply_move(order, (struct move){.from = m.to, .to = m.from, .swap = m.swap});
}

static uint32_t lower_band(const struct trial *r, const uint32_t *order, struct move m)
{
    uint32_t a = r->w->v.v[order[m.from]].band, b = r->w->v.v[order[m.to]].band;
    uint32_t band = a < b ? a : b;

    return band < BANDS_MAX ? band : BANDS_MAX - 1;
}

static void begin_known(struct trial *r, const struct best *b, struct known_order *ret)
{
    size_t n = r->w->v.n;

    *ret = (struct known_order){.order = xcalloc(n, sizeof *ret->order),
        .start_at = xcalloc(n, sizeof *ret->start_at),
        .cost_v = xcalloc(n, sizeof *ret->cost_v),
        .cost = b->cost};
    memcpy(ret->order, b->order, n * sizeof *ret->order);
    list_order(r, ret->order, INFINITY, true);
    memcpy(ret->start_at, r->start_at, n * sizeof *ret->start_at);
    memcpy(ret->cost_v, r->cost_v, n * sizeof *ret->cost_v);
}

static void end_known(struct known_order *k)
{
    free(k->order);
    free(k->start_at);
    free(k->cost_v);
}

/* The order tried last is the one that others are made of. */
static void accept_move(
    struct trial *r, struct known_order *io, struct move m, double cost, bool same)
{
    uint32_t n = (uint32_t)r->w->v.n;

    lineup_changed(&r->l, first_of(m), same ? last_of(m) : n);
    memcpy(io->start_at, r->start_at, n * sizeof *io->start_at);
    memcpy(io->cost_v, r->cost_v, n * sizeof *io->cost_v);
    io->cost = cost;
}

static struct move draw_move(struct trial *r)
{
    uint32_t n = (uint32_t)r->w->v.n;
    struct move m = {.from = random_below(r, n), .to = random_below(r, n - 1)};

    m.to += m.to >= m.from;
    m.swap = next_random(r) >> 63;
    return m;
}

static void anneal_order(struct trial *r, struct best *b)
{
    struct known_order now;
    double mean[BANDS_MAX], heat = TEMPERATURE;
    double cooling = pow(COLD, 1.0 / r->t->evaluations);

    begin_known(r, b, &now);
    measure_bands(r, b, mean);
    for (uint32_t i = 0; i < r->t->evaluations && !r->stopped; i++) {
        struct move m = draw_move(r);
        double more = -log(random_part(r)) * heat * mean[lower_band(r, now.order, m)];
        bool same;
        apply_move(now.order, m);
        double tried = list_moved(r, &now, m, now.cost + more, &same);
        r->evaluated++;
        if (tried < b->cost)
            note_best(r, b, now.order, tried);
        if (tried < INFINITY)
            accept_move(r, &now, m, tried, same);
        else
            undo_move(now.order, m);
        heat *= cooling;
        r->stopped = r->t->late && r->t->late(r->t->ctx);
    }
    end_known(&now);
}

static bool are_equal_but_band(
    const struct wishes *w, const struct wish *a, const struct wish *b)
{
    return wishes_limited_alike(w, a, b) && a->units == b->units && a->set == b->set
           && a->duration_s == b->duration_s && a->since == b->since
           && a->not_before == b->not_before && a->weight == b->weight
           && a->latest == TIME_NEVER && b->latest == TIME_NEVER;
}

struct equal {
    uint32_t band, wish;
    int64_t at;
};

static int compare_instants(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_equals(const void *left, const void *right)
{
    const struct equal *a = left, *b = right;

    if (a->band != b->band)
        return a->band > b->band ? -1 : 1;
    if (a->at != b->at)
        return compare_instants(a->at, b->at);
    return a->wish < b->wish ? -1 : 1;
}

static int compare_starts(const void *left, const void *right)
{
    return compare_instants(*(const int64_t *)left, *(const int64_t *)right);
}

/* They have the starts that they had, the highest band the earliest. */
static void settle_class(struct trial *r, struct equal *v, size_t n, struct best *io)
{
    int64_t *starts = xcalloc(n + 1, sizeof *starts);

    for (size_t i = 0; i < n; i++)
        starts[i] = v[i].at;
    qsort(starts, n, sizeof *starts, compare_starts);
    qsort(v, n, sizeof *v, compare_equals);
    for (size_t i = 0; i < n; i++) {
        if (starts[i] != v[i].at)
            io->cost +=
                cost_at(r, v[i].wish, starts[i]) - cost_at(r, v[i].wish, v[i].at);
        io->start_at[v[i].wish] = starts[i];
    }
    free(starts);
}

/* Of those that are equal in all but band, the higher is not later: they change places,
 * which costs less. */
static void settle_equals(struct trial *r, struct best *io)
{
    uint32_t n = (uint32_t)r->w->v.n;
    struct equal *class = xcalloc(n + 1, sizeof *class);
    bool *settled = xcalloc(n + 1, sizeof *settled);

    for (uint32_t i = 0; i < n; i++) {
        const struct wish *first = &r->w->v.v[i];
        size_t count = 0;
        if (settled[i])
            continue;
        for (uint32_t k = i; k < n; k++) {
            const struct wish *wish = &r->w->v.v[k];
            if (k != i && !are_equal_but_band(r->w, first, wish))
                continue;
            settled[k] = true;
            class[count++] = (struct equal){wish->band, k, io->start_at[k]};
        }
        if (count > 1)
            settle_class(r, class, count, io);
    }
    free(class);
    free(settled);
}

void search_run(const struct wishes *w, const struct search_terms *t,
    const uint32_t *order, const uint32_t *site, struct search_result *io)
{
    struct trial r;
    uint32_t n = (uint32_t)w->v.n;
    struct best b = {
        .order = xcalloc(n + 1, sizeof *b.order), .start_at = io->start_at};
    uint32_t *sorted = xcalloc(n + 1, sizeof *sorted);

    begin_trial(&r, w, t);
    measure_least(&r);
    double given = list_order(&r, order, INFINITY, true);
    note_best(&r, &b, order, given);
    double present = io->present ? search_cost(w, t, io->present) : given;
    if (present <= given) {
        b.cost = present;
        if (io->present)
            memcpy(b.start_at, io->present, n * sizeof *b.start_at);
    }
    r.evaluated = 1;
    for (unsigned i = 0; i < orders_count() && !r.stopped; i++) {
        orders_sort(w, i, order, site ? site : order, sorted);
        try_order(&r, &b, sorted);
    }
    if (n > 1 && t->evaluations && b.cost < INFINITY && b.cost > 0 && !r.stopped)
        anneal_order(&r, &b);
    if (b.cost < INFINITY)
        settle_equals(&r, &b);
    io->cost = b.cost;
    io->better = b.cost < present;
    io->evaluated = r.evaluated;
    io->stopped = r.stopped;
    free(b.order);
    free(sorted);
    end_trial(&r);
}
