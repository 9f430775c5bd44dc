/* SPDX-License-Identifier: Apache-2.0
 * See learned.h. */
#include "engine/prediction/learned.h"

#include "base/timeval.h"
#include "base/vec.h"
#include "engine/prediction/lengths.h"

#include <math.h>
#include <stdbool.h>

#define SHORT_S      10.0  /* tau of bounded slowdown */
#define RECENCY      0.8   /* weight of a run, of that after it */
#define RECENT       16    /* runs that a predictor looks at */
#define USER_MEMORY  0.85  /* of a user's losses, at each run */
#define SITE_MEMORY  0.995 /* of all users', and of the histogram */
#define LOSS_LEAST   0.05
#define LOSS_ASSUMED 1.0  /* of what has predicted nothing yet */
#define EXACT        1.01 /* limit / run up to there: bin 0 */
#define BINS         48   /* then half octaves */
#define PUBLISH                                                                        \
    1.1 /* all users' figures are looked at anew after so many times                   \
           the runs, so that what is predicted seldom changes */

enum predictor { BY_LIMITS, BY_RATIOS, BY_LENGTHS, BY_SAME, BY_ALIKE, PREDICTORS };

struct losses {
    double sum[PREDICTORS], weight[PREDICTORS];
};

/* Of all users. */
struct site_runs {
    double bins[BINS];
    struct losses losses;
};

struct user_runs {
    struct job_run *ring;    /* owned; NULL = none, or forgotten */
    struct lengths *unasked; /* owned: runs that nobody asked a limit for; or NULL */
    uint64_t n;              /* ever */
    uint64_t last;           /* of all runs, its last */
    struct losses losses;
};

struct learned {
    struct VEC(struct user_runs) users; /* by index */
    size_t known;                       /* of them, those with runs */
    uint64_t n, published_at, version;
    struct site_runs now, published;
    struct lengths *unasked; /* owned; of all users */
};

struct learned *learned_create(void)
{
    struct learned *r = xcalloc(1, sizeof *r);

    r->unasked = lengths_create(LEARNED_SITE);
    return r;
}

static void forget_runs(struct user_runs *u)
{
    free(u->ring);
    u->ring = NULL;
    lengths_destroy(u->unasked);
    u->unasked = NULL;
}

void learned_destroy(struct learned *r)
{
    for (size_t i = 0; i < r->users.n; i++)
        forget_runs(&r->users.v[i]);
    lengths_destroy(r->unasked);
    vec_fini(&r->users);
    free(r);
}

static const struct user_runs *user_of(const struct learned *r, uint32_t user)
{
    static const struct user_runs nobody = {.ring = NULL};

    return user < r->users.n ? &r->users.v[user] : &nobody;
}

/* ---- predictors ---- */

/* A mean over runs that might come. */
struct mean {
    double run_s, short_run, weight;
};

static void add_run(struct mean *io, double run_s, double limit_s, double weight)
{
    run_s = run_s < limit_s ? run_s : limit_s;
    run_s = run_s > 1 ? run_s : 1;
    io->run_s += weight * run_s;
    io->short_run += weight / (run_s > SHORT_S ? run_s : SHORT_S);
    io->weight += weight;
}

static double limit_of(const struct job_run *run)
{
    return run->limit_s > 0 && run->limit_s < DURATION_UNLIMITED ? (double)run->limit_s
                                                                 : INFINITY;
}

/* Of limits that are so many times the runs. */
static unsigned find_bin(double ratio)
{
    int bin = ratio <= EXACT ? 0 : 1 + (int)(2 * log2(ratio));

    return bin < BINS ? (unsigned)bin : BINS - 1;
}

static double ratio_of_bin(unsigned bin)
{
    return bin ? exp2((bin - 0.5) / 2) : 1;
}

static struct mean predict_by_limits(const struct site_runs *site, double limit)
{
    struct mean m = {0};

    for (unsigned i = 0; i < BINS && limit < INFINITY; i++)
        if (site->bins[i] > 0)
            add_run(&m, limit / ratio_of_bin(i), limit, site->bins[i]);
    return m;
}

/* Says this run something of such a job, and what? */
static bool apply_run(enum predictor by, const struct job_run *old,
    const struct job_run *asked, double *ret_run_s)
{
    bool same_limit = old->limit_s == asked->limit_s,
         same_size = old->procs == asked->procs;

    *ret_run_s = (double)old->run_s;
    switch (by) {
    case BY_RATIOS:
        *ret_run_s *= limit_of(asked) / limit_of(old);
        return limit_of(old) < INFINITY && limit_of(asked) < INFINITY;
    case BY_LENGTHS:
        return true;
    case BY_SAME:
        return same_limit && same_size;
    case BY_ALIKE:
        return same_limit || same_size;
    case BY_LIMITS:
    case PREDICTORS:
        break;
    }
    return false;
}

/* The latest weigh most. */
static struct mean predict_by_user(
    const struct user_runs *u, enum predictor by, const struct job_run *asked)
{
    struct mean m = {0};
    uint64_t known = u->n < LEARNED_KEPT ? u->n : LEARNED_KEPT;
    double weight = 1, run_s, limit = limit_of(asked);
    unsigned seen = 0;

    for (uint64_t i = 0; u->ring && i < known && seen < RECENT; i++) {
        if (!apply_run(by, &u->ring[(u->n - 1 - i) % LEARNED_KEPT], asked, &run_s))
            continue;
        add_run(&m, run_s, limit, weight);
        weight *= RECENCY;
        seen++;
    }
    return m;
}

static void ask_predictors(const struct site_runs *site, const struct user_runs *u,
    const struct job_run *asked, struct mean ret[PREDICTORS])
{
    ret[BY_LIMITS] = predict_by_limits(site, limit_of(asked));
    for (int by = BY_RATIOS; by < PREDICTORS; by++)
        ret[by] = predict_by_user(u, (enum predictor)by, asked);
}

/* ---- the mix ---- */

static double loss_of(const struct losses *l, int by)
{
    return l->weight[by] > 0 ? l->sum[by] / l->weight[by] : LOSS_ASSUMED;
}

/* How far to trust it, by what it has missed by for this user and for all. */
static double trust_of(const struct site_runs *site, const struct user_runs *u, int by)
{
    double all = loss_of(&site->losses, by),
           own = u->losses.weight[by] > 0 ? loss_of(&u->losses, by) : all,
           loss = LOSS_LEAST + (own + all) / 2;

    return 1 / (loss * loss * loss * loss);
}

static struct prediction as_limit(const struct job_run *asked)
{
    double limit = limit_of(asked);

    limit = limit < INFINITY ? limit : (double)DURATION_UNLIMITED;
    limit = limit > 1 ? limit : 1;
    return (struct prediction){limit, 1 / (limit > SHORT_S ? limit : SHORT_S)};
}

static struct prediction predict_by_mix(const struct site_runs *site,
    const struct user_runs *u, const struct job_run *asked)
{
    struct mean of[PREDICTORS], mix = {0};

    ask_predictors(site, u, asked, of);
    for (int by = 0; by < PREDICTORS; by++) {
        if (!(of[by].weight > 0))
            continue;
        double trust = trust_of(site, u, by);
        mix.run_s += trust * of[by].run_s / of[by].weight;
        mix.short_run += trust * of[by].short_run / of[by].weight;
        mix.weight += trust;
    }
    if (!(mix.weight > 0))
        return as_limit(asked);
    return (struct prediction){mix.run_s / mix.weight, mix.short_run / mix.weight};
}

/* The mean of the last two, at most the limit. */
static struct prediction predict_by_last_two(
    const struct user_runs *u, const struct job_run *asked)
{
    struct mean m = {0};

    if (!u->ring || u->n < 2)
        return as_limit(asked);
    double sum = (double)u->ring[(u->n - 1) % LEARNED_KEPT].run_s
                 + (double)u->ring[(u->n - 2) % LEARNED_KEPT].run_s;
    add_run(&m, sum / 2, limit_of(asked), 1);
    return (struct prediction){m.run_s, m.short_run};
}

struct prediction learned_predict(const struct learned *r, enum plan_prediction how,
    uint32_t user, const struct job_run *asked)
{
    switch (how) {
    case PREDICTION_LASTTWO:
        return predict_by_last_two(user_of(r, user), asked);
    case PREDICTION_MIX:
        return predict_by_mix(&r->published, user_of(r, user), asked);
    case PREDICTION_NONE:
        break;
    }
    return as_limit(asked);
}

uint64_t learned_version(const struct learned *r, uint32_t user)
{
    return user_of(r, user)->n + (r->version << 32);
}

/* ---- limits that nobody asked for ---- */

#define LIMIT_SHARE  0.9 /* of such runs would have ended within half of it */
#define LIMIT_FACTOR 2
#define LIMIT_MOST_S 86400

int64_t learned_limit(const struct learned *r, uint32_t user)
{
    const struct lengths *of = user_of(r, user)->unasked;

    if (!of || lengths_known(of) < LEARNED_LEAST)
        of = r->unasked;
    if (lengths_known(of) < LEARNED_LEAST)
        return 0;
    int64_t run_s = lengths_quantile(of, LIMIT_SHARE);
    if (run_s <= WCLIMIT_LEARNED_LEAST_S / LIMIT_FACTOR)
        return WCLIMIT_LEARNED_LEAST_S;
    return run_s < LIMIT_MOST_S / LIMIT_FACTOR ? LIMIT_FACTOR * run_s : LIMIT_MOST_S;
}

/* ---- learning ---- */

static void forget_one(struct learned *r)
{
    size_t oldest = SIZE_MAX;

    for (size_t i = 0; i < r->users.n; i++)
        if (r->users.v[i].ring
            && (oldest == SIZE_MAX || r->users.v[i].last < r->users.v[oldest].last))
            oldest = i;
    struct user_runs *u = &r->users.v[oldest];
    forget_runs(u);
    u->n += LEARNED_KEPT; /* another version, of none: see hold_user() */
    u->losses = (struct losses){{0}, {0}};
    r->known--;
}

/* A user with room for runs. */
static struct user_runs *hold_user(struct learned *r, uint32_t user)
{
    if (user >= r->users.n)
        vec_push_zeros(&r->users, user + 1 - r->users.n);
    struct user_runs *u = &r->users.v[user];
    if (!u->ring) {
        if (r->known >= LEARNED_USERS_MAX)
            forget_one(r);
        u->ring = xcalloc(LEARNED_KEPT, sizeof *u->ring);
        u->n = 0;
        r->known++;
    }
    return u;
}

static void note_loss(struct losses *io, int by, double loss, double memory)
{
    io->sum[by] = io->sum[by] * memory + loss;
    io->weight[by] = io->weight[by] * memory + 1;
}

/* How far each was off. */
static void judge_predictors(
    struct learned *r, struct user_runs *u, const struct job_run *run)
{
    struct mean of[PREDICTORS];
    double actual = run->run_s > 1 ? (double)run->run_s : 1;

    ask_predictors(&r->now, u, run, of);
    for (int by = 0; by < PREDICTORS; by++) {
        if (!(of[by].weight > 0))
            continue;
        double loss = fabs(log(of[by].run_s / of[by].weight) - log(actual));
        note_loss(&u->losses, by, loss, USER_MEMORY);
        note_loss(&r->now.losses, by, loss, SITE_MEMORY);
    }
}

static void publish_site(struct learned *r)
{
    if ((double)r->n < (double)r->published_at * PUBLISH)
        return;
    r->published = r->now;
    r->published_at = r->n;
    r->version++;
}

static void note_unasked(struct learned *r, struct user_runs *u, int64_t run_s)
{
    if (!u->unasked)
        u->unasked = lengths_create(LEARNED_KEPT);
    lengths_note(u->unasked, run_s);
    lengths_note(r->unasked, run_s);
}

void learned_note(struct learned *r, uint32_t user, const struct job_run *run)
{
    struct user_runs *u = hold_user(r, user);
    double limit = limit_of(run), ran = run->run_s > 1 ? (double)run->run_s : 1;

    judge_predictors(r, u, run);
    u->ring[u->n % LEARNED_KEPT] = *run;
    u->n++;
    u->last = ++r->n;
    for (unsigned i = 0; i < BINS; i++)
        r->now.bins[i] *= SITE_MEMORY;
    if (limit < INFINITY)
        r->now.bins[find_bin(limit / ran)] += 1;
    if (run->unasked)
        note_unasked(r, u, run->run_s);
    publish_site(r);
}
