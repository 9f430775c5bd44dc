/* SPDX-License-Identifier: Apache-2.0
 * See bounds.h. */
#include "engine/bounds.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/timeval.h"
#include "config/settings.h"
#include "engine/engine_private.h"
#include "plan/endings.h"
#include "policy/limits_use.h"

#define NOT_PLANNED UINT32_MAX
#define UNITS_MAX   (INT64_C(1) << 30) /* of a profile: no sum of them overflows */

struct bound {
    struct limits_whose whose;
    int64_t most, least; /* that any of those under it may find in use */
    int64_t load;        /* if all of them ran at once, beside who is active */
    int64_t scale;       /* parts of it that are one unit of the profile */
    bool ignored;        /* by one of those who are planned, or to be */
    bool mixed;          /* they differ: see wishes.h */
    uint32_t limit;      /* its number; NOT_PLANNED: it keeps nobody back */
    UT_hash_handle hh;
};

/* HASH_CLEAR frees the table and leaves the rows chained. */
static void forget_bounds(struct bounds *b)
{
    struct bound *x = b->by_whose, *next;

    HASH_CLEAR(hh, b->by_whose);
    for (; x; x = next) {
        next = x->hh.next;
        free(x);
    }
}

void bounds_fini(struct bounds *b)
{
    forget_bounds(b);
    vec_fini(&b->rules);
    vec_fini(&b->asked);
}

void bounds_begin(struct engine *e, struct bounds *b)
{
    forget_bounds(b);
    b->rules.n = b->asked.n = 0;
    b->n = 0;
    if (limits_any(e->limits, CHECK_ACTIVE) && !limits_soft_differs(e->limits))
        limits_bounds_rules(e->limits, &b->rules);
}

static struct bound *find_bound(const struct bounds *b, const struct limits_whose *w)
{
    struct bound *x;

    HASH_FIND(hh, b->by_whose, w, sizeof *w, x);
    return x;
}

/* One of those under it may find so much in use, itself included. */
static void bind_one(struct bound *x, int64_t most)
{
    if (most == INT64_MAX) /* it is not bound itself */
        return;
    x->most = most > x->most ? most : x->most;
    x->least = most < x->least ? most : x->least;
}

static struct bound *open_bound(struct bounds *b, const struct limits_whose *whose)
{
    struct bound *x = find_bound(b, whose);

    if (!x) {
        x = xcalloc(1, sizeof *x);
        *x = (struct bound){.whose = *whose, .least = INT64_MAX, .limit = NOT_PLANNED};
        HASH_ADD(hh, b->by_whose, whose, sizeof *whose, x);
    }
    return x;
}

void bounds_add(struct engine *e, struct bounds *b, const struct job *j, uint32_t wish)
{
    int64_t use[LIMIT_RES_COUNT];

    if (b->rules.n)
        limits_use_of(e->c, j, use);
    for (uint32_t i = 0; i < b->rules.n; i++) {
        const struct limits_rule *rule = &b->rules.v[i];
        struct limits_whose whose;
        if (!limits_bounds_whose(&b->rules, i, j->cred, &whose))
            continue;
        int64_t most = limits_bounds_most(e->limits, e->c, rule, j->cred, LEVEL_HARD);
        struct bound *x = open_bound(b, &whose);
        bind_one(x, most);
        x->ignored |= most == INT64_MAX;
        vec_push(&b->asked, ((struct bound_asked){wish, x, most, use[rule->res]}));
    }
}

/* ---- who uses what ---- */

/* Part of a bound is in use from one instant to another. One that is to start then may
 * find `most` in use; INT64_MAX: it runs, or is not bound. */
struct use {
    int64_t from, to, use, most;
    bool starts;
};
typedef void use_fn(void *ctx, struct bound *of, const struct use *x);

struct users {
    const struct bounds *b;
    struct bounds *opens; /* the same, where whatever is used is added; else NULL */
    const struct bitset *jobs; /* whose reservations do not count; NULL: none */
    expected_end_fn *end_of;
    void *ctx;
    use_fn *use;
    void *use_ctx;
};

static void tell_use(struct engine *e, const struct users *u, const uint32_t *cred,
    const int64_t *v, struct use x, bool starts)
{
    const struct bounds *b = u->b;
    struct limits_whose whose;

    for (uint32_t i = 0; i < b->rules.n; i++) {
        const struct limits_rule *rule = &b->rules.v[i];
        if (!limits_bounds_whose(&b->rules, i, cred, &whose))
            continue;
        struct bound *of =
            u->opens ? open_bound(u->opens, &whose) : find_bound(b, &whose);
        if (!of)
            continue;
        x.use = v[rule->res];
        x.starts = starts;
        x.most = starts ? limits_bounds_most(e->limits, e->c, rule, cred, LEVEL_HARD)
                        : INT64_MAX;
        u->use(u->use_ctx, of, &x);
    }
}

static void tell_run(struct engine *e, const struct users *u, const struct job *j)
{
    const uint32_t *cred;
    const int64_t *v = limits_bounds_counted(e->limits, j->index, &cred);
    int64_t to = u->end_of ? u->end_of(u->ctx, j) : endings_of(e->c, j, e->now);

    if (v)
        tell_use(e, u, cred, v, (struct use){.from = e->now, .to = to}, false);
}

static void tell_active(struct engine *e, const struct users *u)
{
    for (size_t i = 0; i < e->c->active.n; i++)
        tell_run(e, u, e->c->jobs.v[e->c->active.v[i]]);
}

/* It waits for that, or is suspended. */
static bool holds_place(const struct job *j)
{
    return job_waits(j) || j->state == JOB_SUSPENDED;
}

static void tell_reserved(struct engine *e, const struct users *u)
{
    int64_t v[LIMIT_RES_COUNT];

    for (uint32_t i = 0; i < plan_reservations(e->plan); i++) {
        uint32_t job = plan_reserved_job(e->plan, i);
        const struct job *j = job != INDEX_NONE ? e->c->jobs.v[job] : NULL;
        if (!j || !holds_place(j) || (u->jobs && bitset_test(u->jobs, job)))
            continue;
        limits_use_of(e->c, j, v);
        struct use x = {.from = plan_reserved_at(e->plan, j),
            .to = plan_reserved_until(e->plan, j)};
        tell_use(e, u, j->cred, v, x, true);
    }
}

static void tell_users(struct engine *e, const struct users *u)
{
    tell_active(e, u);
    tell_reserved(e, u);
}

/* ---- which of them may keep somebody back ---- */

static void add_load(void *ctx, struct bound *of, const struct use *x)
{
    (void)ctx;
    limits_use_sum(&of->load, x->use);
    bind_one(of, x->most);
    of->ignored |= x->starts && x->most == INT64_MAX;
}

static int32_t units_of(const struct bound *x, int64_t use)
{
    int64_t units = use / x->scale + (use % x->scale != 0);

    return (int32_t)(units < UNITS_MAX ? units : UNITS_MAX);
}

static int32_t room_of(const struct bound *x, int64_t most)
{
    return most < x->most ? (int32_t)(most / x->scale) : (int32_t)(x->most / x->scale);
}

/* Of one that may find so much in use; INT64_MAX: whatever is. */
static struct wish_limit limit_of(const struct bound *x, int64_t use, int64_t most)
{
    int32_t take = units_of(x, use), own = room_of(x, most);

    if (take > own && use <= most)
        take = own; /* rounded */
    return (struct wish_limit){x->limit, x->mixed, take, room_of(x, x->most) - own};
}

static void number_bounds(struct bounds *b)
{
    for (struct bound *x = b->by_whose; x; x = x->hh.next) {
        if (x->load <= x->least)
            continue;
        if (x->ignored && x->load > x->most)
            x->most = x->load;
        x->mixed = x->least < x->most;
        x->limit = b->n;
        b->n += x->mixed ? 2 : 1;
        x->scale = (x->load > x->most ? x->load : x->most) / UNITS_MAX + 1;
    }
}

void bounds_settle(struct engine *e, struct bounds *b, struct wishes *io)
{
    struct users all = {.b = b, .use = add_load};

    if (!b->asked.n)
        return;
    for (size_t i = 0; i < b->asked.n; i++)
        limits_use_sum(&b->asked.v[i].of->load, b->asked.v[i].use);
    tell_users(e, &all);
    number_bounds(b);
    for (size_t i = 0; i < b->asked.n; i++) {
        const struct bound_asked *a = &b->asked.v[i];
        struct wish *wish = &io->v.v[a->wish];
        if (a->of->limit == NOT_PLANNED)
            continue;
        if (!wish->limits++)
            wish->first_limit = (uint32_t)io->under.n;
        vec_push(&io->under, limit_of(a->of, a->use, a->most));
    }
}

/* ---- what they leave ---- */

/* So much of that limit is given back then. */
struct given_back {
    uint32_t limit;
    int64_t at, units;
};

struct opening {
    struct VEC(struct given_back) v;
    struct profile *left; /* by limit */
};

static void note_end(void *ctx, struct bound *of, const struct use *x)
{
    struct opening *o = ctx;

    if (of->limit != NOT_PLANNED)
        vec_push(&o->v, ((struct given_back){of->limit, x->to, units_of(of, x->use)}));
}

static void claim_bound(void *ctx, struct bound *of, const struct use *x)
{
    struct opening *o = ctx;

    if (of->limit == NOT_PLANNED || x->to <= o->left[of->limit].at[0])
        return;
    int64_t now = o->left[of->limit].at[0];
    struct wish_limit l = limit_of(of, x->use, x->most);
    wishes_take_limit(&o->left[of->limit], &l, x->from > now ? x->from : now, x->to);
}

static int compare_given(const void *left, const void *right)
{
    const struct given_back *a = left, *b = right;

    if (a->limit != b->limit)
        return a->limit < b->limit ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static void add_parts(const struct bounds *b, struct wishes *io)
{
    io->limits_at = (uint32_t)io->parts.n;
    for (uint32_t i = 0; i < b->n; i++)
        vec_push(&io->parts, ((struct profile){0}));
}

/* Of who is active. */
static void open_active(
    struct engine *e, const struct bounds *b, const struct opening *o)
{
    int64_t *left = xcalloc(b->n, sizeof *left);

    for (const struct bound *x = b->by_whose; x; x = x->hh.next)
        if (x->limit != NOT_PLANNED)
            left[x->limit] = room_of(x, x->most);
    for (size_t i = 0; i < o->v.n; i++)
        left[o->v.v[i].limit] -= o->v.v[i].units;
    for (uint32_t i = 0; i < b->n; i++)
        profile_reset(&o->left[i], e->now, (int32_t)left[i]);
    for (size_t i = 0; i < o->v.n; i++) {
        const struct given_back *g = &o->v.v[i];
        profile_append(&o->left[g->limit], g->at > e->now ? g->at : e->now,
            (int32_t)(left[g->limit] += g->units));
    }
    for (const struct bound *x = b->by_whose; x; x = x->hh.next)
        if (x->limit != NOT_PLANNED && x->mixed)
            profile_assign(&o->left[x->limit + 1], &o->left[x->limit]);
    free(left);
}

/* What those leave, by number of the limit. */
static void open_left(struct engine *e, struct users *u, struct profile *ret_left)
{
    struct opening o = {.left = ret_left};

    u->use_ctx = &o;
    u->use = note_end;
    tell_active(e, u);
    if (o.v.n)
        qsort(o.v.v, o.v.n, sizeof *o.v.v, compare_given);
    open_active(e, u->b, &o);
    u->use = claim_bound;
    tell_reserved(e, u);
    u->use_ctx = NULL;
    vec_fini(&o.v);
}

void bounds_open(struct engine *e, const struct bounds *b, const struct bitset *jobs,
    expected_end_fn *end_of, void *ctx, struct wishes *io)
{
    struct users u = {.b = b, .jobs = jobs, .end_of = end_of, .ctx = ctx};

    if (!b->n)
        return;
    add_parts(b, io);
    open_left(e, &u, &io->parts.v[io->limits_at]);
}

/* ---- one job ---- */

void bounds_of(struct engine *e, const struct job *j, uint32_t partition,
    struct bounds_of_job *ret)
{
    struct bounds b = {0};
    struct bitset own = {0};

    *ret = (struct bounds_of_job){0};
    bounds_begin(e, &b);
    bounds_add(e, &b, j, 0);
    if (b.asked.n) {
        vec_push(&ret->w.v,
            ((struct wish){.duration_s = plan_stays(e->plan, j, partition)}));
        bounds_settle(e, &b, &ret->w);
        bitset_set(&own, j->index);
        bounds_open(e, &b, &own, NULL, NULL, &ret->w);
        ret->any = ret->w.under.n > 0;
    }
    bitset_fini(&own);
    bounds_fini(&b);
}

void bounds_of_fini(struct bounds_of_job *b)
{
    wishes_fini(&b->w);
}

int64_t bounds_fit(const struct bounds_of_job *b, int64_t from)
{
    return b->any ? wishes_fit_limits(&b->w, b->w.parts.v, &b->w.v.v[0], from) : from;
}

static void add_reserved(struct engine *e, struct bounds *b, uint32_t job,
    struct wishes *io, struct bitset *io_jobs)
{
    const struct job *j = e->c->jobs.v[job];
    int64_t lasts = plan_reserved_until(e->plan, j) - plan_reserved_at(e->plan, j);

    bounds_add(e, b, j, (uint32_t)io->v.n);
    vec_push(&io->v, ((struct wish){.duration_s = lasts}));
    bitset_set(io_jobs, job);
}

void bounds_over(
    struct engine *e, const uint32_t *jobs, size_t n, struct bitset *io_over)
{
    struct bounds b = {0};
    struct bitset reserved = {0};
    struct wishes w = {0};

    bounds_begin(e, &b);
    vec_push(&w.sets, ((struct part_set){0})); /* they want nothing but limits */
    for (size_t i = 0; i < n && b.rules.n; i++)
        add_reserved(e, &b, jobs[i], &w, &reserved);
    bounds_settle(e, &b, &w);
    bounds_open(e, &b, &reserved, NULL, NULL, &w);
    for (size_t i = 0; i < w.v.n; i++) {
        int64_t at = plan_reserved_at(e->plan, e->c->jobs.v[jobs[i]]);
        int64_t from = at > e->now ? at : e->now;
        if (wishes_fit_limits(&w, w.parts.v, &w.v.v[i], from) == from)
            wishes_take(&w, w.parts.v, &w.v.v[i], from);
        else
            bitset_set(io_over, jobs[i]);
    }
    wishes_fini(&w);
    bitset_fini(&reserved);
    bounds_fini(&b);
}

static bool fit_by(struct plan *plan, const struct job *j, int64_t from, int64_t by,
    struct slot *ret_slot)
{
    return by < TIME_NEVER ? plan_fit_by(plan, j, from, by, ret_slot)
                           : plan_first_fit(plan, j, from, ret_slot);
}

bool bounds_fit_by(struct engine *e, struct plan *plan, const struct job *j,
    int64_t from, int64_t by, struct slot *ret_slot)
{
    struct bounds_of_job b;
    bool found;

    if (!settings_plan_together(e->cfg))
        return fit_by(plan, j, from, by, ret_slot);
    bounds_of(e, j, INDEX_NONE, &b);
    from = bounds_fit(&b, from);
    while ((found = from < TIME_NEVER && fit_by(plan, j, from, by, ret_slot))
           && (from = bounds_fit(&b, ret_slot->at)) != ret_slot->at)
        ;
    bounds_of_fini(&b);
    return found;
}

/* ---- what is left to others now ---- */

/* Whatever is in use or planned, of whom it may be, until the plan is another: each
 * candidate of a pass asks. A profile says how much is not used, of so much that it
 * matters to no limit. */
struct bounds_now {
    struct bounds all;
    struct VEC(struct profile) left;
    uint64_t version; /* of the plan; 0: nothing is known */
    int64_t now;
    bool outgrown; /* more is in use than a profile can say */
};

struct bounds_now *bounds_now_create(void)
{
    return xcalloc(1, sizeof(struct bounds_now));
}

static void forget_left(struct bounds_now *k)
{
    for (size_t i = 0; i < k->left.n; i++)
        profile_fini(&k->left.v[i]);
    k->left.n = 0;
    k->version = 0;
}

void bounds_now_destroy(struct bounds_now *k)
{
    if (!k)
        return;
    forget_left(k);
    vec_fini(&k->left);
    bounds_fini(&k->all);
    free(k);
}

/* Half of a profile is in use by now: as much may start before it is made anew. */
static void number_used(struct bounds_now *k, struct bound *x)
{
    x->scale = x->load / (UNITS_MAX / 2) + 1;
    x->most = x->scale * UNITS_MAX;
    x->mixed = true;
    x->limit = k->all.n;
    k->all.n += 2;
    vec_push(&k->left, ((struct profile){0}));
    vec_push(&k->left, ((struct profile){0}));
}

static void look_now(struct engine *e, struct bounds_now *k)
{
    struct users u = {.b = &k->all, .opens = &k->all, .use = add_load};

    if (k->version == plan_version(e->plan) && k->now == e->now)
        return;
    forget_left(k);
    k->outgrown = false;
    k->now = e->now;
    bounds_begin(e, &k->all);
    if (k->all.rules.n) {
        tell_users(e, &u);
        for (struct bound *x = k->all.by_whose; x; x = x->hh.next)
            number_used(k, x);
        u.opens = NULL;
        open_left(e, &u, k->left.v);
    }
    k->version = plan_version(e->plan);
}

/* Is there room for so much more of it, with all that is planned? */
static bool has_room(const struct bounds_now *k, const struct bound *x, int64_t most,
    int64_t use, int64_t from, int64_t to)
{
    const struct profile *left = &k->left.v[x->limit];

    if (x->load <= (most < x->least ? most : x->least) - use)
        return true;
    struct wish_limit l = limit_of(x, use, most);
    return left->free[profile_index(left, from)] >= l.take + l.less
           && profile_min(left + 1, from, to) >= l.take;
}

/* What one that is to start now runs out of. */
struct shortage {
    const struct bound *of; /* NULL: of nothing */
    int64_t most, use, to;  /* it would end then */
};

static struct shortage find_shortage(
    struct engine *e, const struct bounds_now *k, const struct job *j)
{
    const struct bounds *b = &k->all;
    int64_t use[LIMIT_RES_COUNT];
    struct limits_whose whose;
    struct shortage s = {.to = time_add(e->now, plan_stays(e->plan, j, INDEX_NONE))};

    if (b->rules.n)
        limits_use_of(e->c, j, use);
    for (uint32_t i = 0; i < b->rules.n; i++) {
        const struct limits_rule *rule = &b->rules.v[i];
        const struct bound *x = limits_bounds_whose(&b->rules, i, j->cred, &whose)
                                    ? find_bound(b, &whose)
                                    : NULL;
        if (!x)
            continue;
        s.most = limits_bounds_most(e->limits, e->c, rule, j->cred, LEVEL_HARD);
        s.use = use[rule->res];
        if (has_room(k, x, s.most, s.use, e->now, s.to))
            continue;
        s.of = x;
        break;
    }
    return s;
}

/* The first that could not start with so much of it in use, before that ends;
 * INDEX_NONE: there is none. */
static uint32_t find_planned(
    struct engine *e, const struct bounds_now *k, const struct shortage *s)
{
    const struct profile *open = &k->left.v[s->of->limit + 1];
    const struct limits_whose *whose = &s->of->whose;
    int64_t first = s->to;
    uint32_t found = INDEX_NONE;

    for (uint32_t i = 0; i < plan_reservations(e->plan); i++) {
        uint32_t job = plan_reserved_job(e->plan, i);
        const struct job *j = job != INDEX_NONE ? e->c->jobs.v[job] : NULL;
        int64_t at = j ? plan_reserved_at(e->plan, j) : TIME_NEVER;
        struct limits_whose of;
        if (!j || !holds_place(j) || at >= first
            || !limits_bounds_whose(&k->all.rules, whose->rule, j->cred, &of)
            || of.object != whose->object || of.object2 != whose->object2
            || open->free[profile_index(open, at)] >= units_of(s->of, s->use))
            continue;
        first = at;
        found = job;
    }
    return found;
}

bool bounds_why(struct engine *e, const struct job *j, struct reason *ret)
{
    const struct bounds_now *k = e->passes.bounds_now;

    if (!settings_plan_together(e->cfg) || plan_is_reserved(e->plan, j))
        return false;
    look_now(e, e->passes.bounds_now);
    struct shortage s = find_shortage(e, k, j);
    uint32_t other = s.of ? find_planned(e, k, &s) : INDEX_NONE;
    if (other == INDEX_NONE)
        return false;
    const struct limits_rule *rule = &k->all.rules.v[s.of->whose.rule];
    const struct profile *left = &k->left.v[s.of->limit];
    const struct job *planned = e->c->jobs.v[other];
    int64_t at = plan_reserved_at(e->plan, planned);
    int64_t most = limits_bounds_most(e->limits, e->c, rule, planned->cred, LEVEL_HARD);
    *ret = (struct reason){.code = WAIT_LIMIT,
        .level = LEVEL_HARD,
        .dim = DIM_ACTIVE,
        .res = (uint8_t)rule->res,
        .kind = (uint8_t)rule->kind,
        .kind2 = (uint8_t)rule->kind2,
        .object = s.of->whose.object,
        .object2 = s.of->whose.object2,
        .claimant = other,
        .limit = most < s.most ? most : s.most,
        .used = (UNITS_MAX - left->free[profile_index(left, at)]) * s.of->scale,
        .asked = s.use,
        .until = at};
    return true;
}

bool bounds_leave(struct engine *e, const struct job *j)
{
    struct bounds_of_job b;
    bool reserved = plan_is_reserved(e->plan, j);

    if (!settings_plan_together(e->cfg)
        || (reserved && plan_reserved_at(e->plan, j) <= e->now))
        return true;
    if (!reserved) {
        look_now(e, e->passes.bounds_now);
        return !find_shortage(e, e->passes.bounds_now, j).of;
    }
    bounds_of(e, j, INDEX_NONE, &b); /* its own place is not in its way */
    bool leaves = bounds_fit(&b, e->now) == e->now;
    bounds_of_fini(&b);
    return leaves;
}

bool bounds_follow(const struct engine *e, const struct job *j)
{
    return e->passes.bounds_now->version == plan_version(e->plan)
           && e->passes.bounds_now->now == e->now && !plan_is_reserved(e->plan, j);
}

static void take_now(void *ctx, struct bound *of, const struct use *x)
{
    struct bounds_now *k = ctx;
    bool is_new = of->limit == NOT_PLANNED;

    limits_use_sum(&of->load, x->use);
    if (is_new) {
        number_used(k, of);
        profile_reset(&k->left.v[of->limit], x->from, UNITS_MAX);
        profile_reset(&k->left.v[of->limit + 1], x->from, UNITS_MAX);
    }
    k->outgrown |= of->load / of->scale > UNITS_MAX;
    struct wish_limit l = limit_of(of, x->use, x->most);
    if (!k->outgrown && x->to > x->from)
        wishes_take_limit(&k->left.v[of->limit], &l, x->from, x->to);
}

void bounds_started(struct engine *e, const struct job *j)
{
    struct bounds_now *k = e->passes.bounds_now;
    struct users u = {.b = &k->all, .opens = &k->all, .use = take_now, .use_ctx = k};

    tell_run(e, &u, j);
    k->version = k->outgrown ? 0 : plan_version(e->plan);
}

bool bounds_plan(struct engine *e, const struct job *j)
{
    return settings_plan_together(e->cfg) && !limits_soft_differs(e->limits)
           && !limits_quotas_violated(e->limits, e->c, j);
}
