/* SPDX-License-Identifier: Apache-2.0
 * See predictions.h. */
#include "engine/prediction/predictions.h"

#include "cluster/memory.h"
#include "config/settings.h"
#include "engine/engine_private.h"
#include "plan/endings.h"

/* What is predicted of a job, and what by. */
struct known_run {
    uint64_t version;
    int64_t limit_s;
    uint32_t user, procs;
    unsigned how; /* enum plan_prediction */
    bool known;
    struct prediction is;
};

/* When it was first expected to start, and when that was said; 0 = not yet. */
struct first_start {
    int64_t made_at;
    struct expected_start is;
};

struct predictions {
    struct learned *learned;
    struct misses *misses;
    struct VEC(struct known_run) known;   /* by job index */
    struct VEC(struct first_start) first; /* the same */
};

struct predictions *predictions_create(void)
{
    struct predictions *p = xcalloc(1, sizeof *p);

    p->learned = learned_create();
    p->misses = misses_create();
    return p;
}

void predictions_destroy(struct predictions *p)
{
    learned_destroy(p->learned);
    misses_destroy(p->misses);
    vec_fini(&p->known);
    vec_fini(&p->first);
    free(p);
}

struct misses *predictions_misses(struct predictions *p)
{
    return p->misses;
}

/* ---- how long ---- */

void predictions_learn(struct predictions *p, uint32_t user, const struct job_run *run)
{
    learned_note(p->learned, user, run);
}

static struct job_run run_asked(const struct job *j)
{
    bool limited = j->wclimit_s > 0 && j->wclimit_s < DURATION_UNLIMITED;

    return (struct job_run){.limit_s = limited ? j->wclimit_s : 0,
        .procs = j->procs,
        .unasked = !job_asked_limit(j)};
}

static struct known_run *known_of(struct predictions *p, const struct job *j)
{
    if (j->index >= p->known.n)
        vec_push_zeros(&p->known, j->index + 1 - p->known.n);
    return &p->known.v[j->index];
}

static bool is_of(const struct known_run *k, const struct engine *e,
    const struct job *j, const struct job_run *asked)
{
    return k->known && k->limit_s == asked->limit_s && k->procs == asked->procs
           && k->user == j->cred[CRED_USER] && k->how == e->cfg->plan.prediction;
}

struct prediction predictions_run(struct engine *e, const struct job *j)
{
    struct predictions *p = e->learned.predictions;
    struct job_run asked = run_asked(j);
    struct known_run *k = known_of(p, j);
    uint64_t version = learned_version(p->learned, j->cred[CRED_USER]);

    if (is_of(k, e, j, &asked) && k->version == version)
        return k->is;
    *k = (struct known_run){.version = version,
        .limit_s = asked.limit_s,
        .user = j->cred[CRED_USER],
        .procs = asked.procs,
        .how = e->cfg->plan.prediction,
        .known = true,
        .is = learned_predict(
            p->learned, e->cfg->plan.prediction, j->cred[CRED_USER], &asked)};
    return k->is;
}

int64_t predictions_limit(const struct engine *e, const struct job *j)
{
    int64_t plain_s = e->cfg->default_wclimit_s, limit_s;

    if (e->cfg->wclimit_default_s != WCLIMIT_HISTORY || j->wclimit_asked_s > 0)
        return 0;
    limit_s = learned_limit(e->learned.predictions->learned, j->cred[CRED_USER]);
    return plain_s > 0 && limit_s >= plain_s ? 0 : limit_s;
}

/* By so much more, again and again. Source: reference scheduling-algorithms, section 5.
 */
static const int64_t more_s[] = {
    60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 144000};

int64_t predictions_end(struct engine *e, const struct job *j)
{
    int64_t hard = endings_of(e->c, j, e->now), began = j->start_at + j->suspended_s;
    double run_s = predictions_run(e, j).run_s;
    int64_t end =
        time_add(began, run_s < (double)TIME_NEVER ? (int64_t)run_s : TIME_NEVER);

    for (size_t i = 0; i < sizeof more_s / sizeof more_s[0] && end <= e->now; i++)
        end += more_s[i];
    return end > e->now && end < hard ? end : hard;
}

/* ---- when ---- */

static struct first_start *first_of(struct predictions *p, const struct job *j)
{
    if (j->index >= p->first.n)
        vec_push_zeros(&p->first, j->index + 1 - p->first.n);
    return &p->first.v[j->index];
}

bool predictions_is_new(const struct engine *e, const struct job *j)
{
    return !first_of(e->learned.predictions, j)->made_at;
}

struct expected_start predictions_interval(const struct engine *e, int64_t at)
{
    struct expected_start x = {.at = at};
    int64_t from, until;

    if (misses_interval(e->learned.predictions->misses, at - e->now, &from, &until)) {
        x.from = time_add(e->now, from);
        x.until = time_add(e->now, until);
    }
    return x;
}

void predictions_note(
    struct engine *e, const struct job *j, const struct expected_start *x)
{
    *first_of(e->learned.predictions, j) =
        (struct first_start){.made_at = e->now, .is = *x};
}

void predictions_started(struct engine *e, const struct job *j)
{
    const struct first_start *f = first_of(e->learned.predictions, j);
    const struct expected_start *x = &f->is;

    if (f->made_at && x->at > f->made_at)
        misses_note(e->learned.predictions->misses, x->at - f->made_at,
            e->now - f->made_at, x->until != 0,
            e->now >= x->from && e->now <= x->until);
    predictions_forget(e, j);
}

void predictions_forget(struct engine *e, const struct job *j)
{
    if (j->index < e->learned.predictions->first.n)
        e->learned.predictions->first.v[j->index] = (struct first_start){.made_at = 0};
}

void predictions_ended(struct engine *e, const struct job *j, int64_t at)
{
    struct job_run run = run_asked(j);

    run.run_s = at - j->start_at - j->suspended_s;
    if (j->suspend_at)
        run.run_s -= at - j->suspend_at;
    if (run.run_s >= 0 && j->start_at)
        learned_note(e->learned.predictions->learned, j->cred[CRED_USER], &run);
    predictions_forget(e, j);
}

/* ---- over restarts ---- */

void predictions_write(
    const struct engine *e, const struct job *j, struct job_memory *io_m)
{
    const struct first_start *f = first_of(e->learned.predictions, j);

    io_m->expected_made_at = f->made_at;
    io_m->expected_at = f->is.at;
    io_m->expected_from = f->is.from;
    io_m->expected_until = f->is.until;
}

void predictions_recall(
    struct engine *e, const struct job *j, const struct job_memory *m)
{
    *first_of(e->learned.predictions, j) =
        (struct first_start){.made_at = m->expected_made_at,
            .is = {m->expected_at, m->expected_from, m->expected_until}};
}
