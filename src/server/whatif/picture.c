/* SPDX-License-Identifier: Apache-2.0
 * When all jobs start, as far as can be foreseen. */
#include "server/whatif/picture.h"

#include "base/xalloc.h"
#include "engine/query.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time of the copy for one picture, in seconds. */
#define BUDGET_S  4.0
#define LOOK_MOST 16   /* jobs: a look at the clock costs as much as planning one */
#define SLOW_S    0.01 /* between looks: then before each job, which may take 0.05 s */

/* ---- taking one ---- */

/* A forecast on its way into a picture. */
struct foretelling {
    struct picture *picture;
    struct VEC(uint32_t) asked; /* jobs that wait for nothing but room, in order */
    double until_s;             /* of the processor time */
    double looked_s;            /* at the clock, last */
    unsigned every, left;       /* jobs between looks, and until the next */
};

static const struct pictured *job_in(const struct picture *p, size_t i)
{
    return i < p->jobs.n && p->jobs.v[i].standing.stand ? &p->jobs.v[i] : NULL;
}

static double read_used_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool note_asked(void *ctx, const struct job *j)
{
    struct foretelling *f = ctx;

    vec_push(&f->asked, j->index);
    return true;
}

static bool has_time(void *ctx)
{
    struct foretelling *f = ctx;

    if (f->left-- > 0)
        return true;
    double now_s = read_used_s();
    bool slow = now_s - f->looked_s > SLOW_S;
    f->every = slow ? 0 : f->every < LOOK_MOST ? f->every + 1 : LOOK_MOST;
    f->left = f->every;
    f->looked_s = now_s;
    return now_s < f->until_s;
}

static void put_start(void *ctx, const struct job *j, int64_t start_at)
{
    struct foretelling *f = ctx;

    f->picture->jobs.v[j->index].standing =
        start_at ? (struct standing){.stand = STAND_FORECAST, .at = start_at}
                 : (struct standing){.stand = STAND_NEVER};
}

/* Without what only a forecast tells. */
static struct standing stand_of(struct server *s, const struct job *j)
{
    const struct planned *p;

    if (job_has_begun((enum job_state)j->state))
        return (struct standing){.stand = STAND_RUNNING, .at = j->start_at};
    p = engine_reservation_of(s->engine, j);
    if (p)
        return (struct standing){
            .stand = STAND_PROMISED, .at = p->start_at, .promised_at = p->start_at};
    return (struct standing){
        .stand = query_waits_for_room(s->engine, j) ? STAND_WAITING : STAND_HELD};
}

static struct pictured picture_job(
    struct server *s, const struct identity *who, const struct job *j)
{
    if (!j || j->state >= JOB_COMPLETED)
        return (struct pictured){0};
    return (struct pictured){.standing = stand_of(s, j),
        .seen = identity_sees_job(who, engine_cluster(s->engine), j)};
}

/* Those in the queue behind the last that was planned have not been reached. */
static void count_planned(const struct foretelling *f, size_t planned)
{
    struct picture *p = f->picture;

    for (size_t i = 0; i < f->asked.n; i++) {
        struct pictured *one = &p->jobs.v[f->asked.v[i]];
        one->standing.unreached = i >= planned;
        p->of += one->seen;
        p->planned += one->seen && i < planned;
    }
}

void picture_begin(struct server *s)
{
    engine_keep_ended(s->engine);
}

void picture_note(struct server *s, const struct identity *who, struct picture *ret)
{
    const struct cluster *c = engine_cluster(s->engine);

    *ret = (struct picture){0};
    vec_reserve(&ret->jobs, c->jobs.n);
    for (size_t i = 0; i < c->jobs.n; i++)
        vec_push(&ret->jobs, picture_job(s, who, c->jobs.v[i]));
}

void picture_take(struct server *s, const struct identity *who, struct picture *ret)
{
    struct foretelling f = {.picture = ret, .until_s = read_used_s() + BUDGET_S};
    struct query_forecast ask = {.most = SIZE_MAX,
        .now = world_now(s),
        .wants = note_asked,
        .goes_on = has_time,
        .each = put_start,
        .ctx = &f};

    picture_note(s, who, ret);
    count_planned(&f, query_forecast(s->engine, &ask));
    vec_fini(&f.asked);
    for (size_t i = 0; i < ret->jobs.n; i++)
        ret->count[ret->jobs.v[i].standing.stand] += ret->jobs.v[i].seen;
}

void picture_fini(struct picture *p)
{
    vec_fini(&p->jobs);
    *p = (struct picture){0};
}

json_t *picture_totals(const struct picture *p)
{
    json_t *o = json_object();

    for (int k = STAND_RUNNING; k < STANDS; k++)
        render_int(o, stand_name((enum stand)k), (int64_t)p->count[k]);
    render_int(o, "planned", (int64_t)p->planned);
    render_int(o, "of", (int64_t)p->of);
    return o;
}

struct standing picture_find(
    const struct server *s, const struct picture *p, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);
    const struct pictured *one = j ? job_in(p, j->index) : NULL;

    return one && one->seen ? one->standing : (struct standing){0};
}

/* ---- two beside each other ---- */

/* A job that is concerned. */
struct shifted {
    const struct job *job;
    uint32_t index; /* its own: lists are sorted without a look at each job */
    struct standing before, after;
    enum shift shift;
    int64_t by_s; /* by which lists are sorted */
};

struct comparison {
    const struct cluster *cluster; /* of after */
    struct VEC(struct shifted) all;
    size_t count[SHIFTS], broken;
};

static int by_most(const void *a, const void *b)
{
    const struct shifted *x = a, *y = b;

    if (x->shift != y->shift)
        return x->shift < y->shift ? -1 : 1;
    if (x->by_s != y->by_s)
        return x->by_s > y->by_s ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The job of that number, in either. */
static void compare_job(struct comparison *c, const struct pictured *was,
    const struct pictured *is, uint32_t index)
{
    struct shifted x = {.before = was ? was->standing : (struct standing){0},
        .after = is ? is->standing : (struct standing){0}};
    int64_t delta;

    if (!(is ? is : was)->seen) /* not by number either */
        return;
    x.shift = shift_of(x.before, x.after);
    bool breaks = shift_breaks(x.before, x.after);
    if (x.shift == SHIFT_NONE && !breaks)
        return;
    x.job = c->cluster->jobs.v[index];
    x.index = index;
    if (shift_delta(x.before, x.after, &delta) || x.before.stand == STAND_BEYOND
        || x.after.stand == STAND_BEYOND)
        x.by_s = llabs(x.after.at - x.before.at); /* at least */
    c->count[x.shift]++;
    c->broken += breaks;
    vec_push(&c->all, x);
}

static void put_standing(
    json_t *o, const char *stand, const char *at, struct standing standing)
{
    render_text(o, stand, stand_name(standing.stand));
    if (standing.at)
        render_instant(o, at, standing.at);
}

static json_t *tell_shifted(
    struct server *s, const struct identity *who, const struct shifted *x)
{
    const struct cluster *c = engine_cluster(s->engine);
    bool waits = x->after.stand == STAND_HELD || x->after.stand == STAND_NEVER;
    json_t *o = json_pack("{s:s, s:s}", "id", x->job->id, "user",
        c->creds[CRED_USER].v[x->job->cred[CRED_USER]]->name);
    int64_t delta;

    put_standing(o, "before", "before_at", x->before);
    put_standing(o, "after", "after_at", x->after);
    if (shift_delta(x->before, x->after, &delta))
        render_int(o, "delta_s", delta);
    json_t *why = waits ? render_reason(s, x->job, who) : NULL;
    if (why)
        json_object_set_new(o, "reason", why);
    return o;
}

static json_t *list_of(json_t *o, const char *name)
{
    json_t *list = json_object_get(o, name);

    if (!list) {
        list = json_array();
        json_object_set_new(o, name, list);
    }
    return list;
}

static bool has_place(json_t *o, const char *name)
{
    return json_array_size(list_of(o, name)) < PICTURE_LISTED_MAX;
}

static void put_lists(
    struct server *s, const struct identity *who, const struct comparison *c, json_t *o)
{
    for (int k = SHIFT_EARLIER; k < SHIFTS; k++)
        list_of(o, shift_name((enum shift)k));
    list_of(o, "broken");
    for (size_t i = 0; i < c->all.n; i++) {
        const struct shifted *x = &c->all.v[i];
        bool shifts = x->shift != SHIFT_NONE && has_place(o, shift_name(x->shift));
        bool breaks = shift_breaks(x->before, x->after) && has_place(o, "broken");
        json_t *record = shifts || breaks ? tell_shifted(s, who, x) : NULL;
        if (shifts)
            json_array_append(list_of(o, shift_name(x->shift)), record);
        if (breaks)
            json_array_append(list_of(o, "broken"), record);
        json_decref(record);
    }
}

/* ---- by whose they are ---- */

/* Of a credential. */
struct sum {
    uint32_t cred;
    size_t earlier, later, broken, others;
    int64_t delta_s; /* of all of them together */
};

static int by_weight(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    int64_t p = x->delta_s < 0 ? -x->delta_s : x->delta_s;
    int64_t q = y->delta_s < 0 ? -y->delta_s : y->delta_s;

    if (p != q)
        return p > q ? -1 : 1;
    return x->cred < y->cred ? -1 : x->cred > y->cred;
}

static void add_to_sum(struct sum *io, const struct shifted *x)
{
    int64_t delta;

    io->earlier += x->shift == SHIFT_EARLIER;
    io->later += x->shift == SHIFT_LATER;
    io->others +=
        x->shift != SHIFT_NONE && x->shift != SHIFT_EARLIER && x->shift != SHIFT_LATER;
    io->broken += shift_breaks(x->before, x->after);
    if (shift_delta(x->before, x->after, &delta))
        io->delta_s += delta;
}

static json_t *sum_record(const struct cred *cred, const struct sum *sum)
{
    json_t *o = json_pack("{s:s}", "name", cred->name);

    render_int(o, "earlier", (int64_t)sum->earlier);
    render_int(o, "later", (int64_t)sum->later);
    render_int(o, "broken", (int64_t)sum->broken);
    render_int(o, "others", (int64_t)sum->others);
    render_int(o, "delta_s", sum->delta_s);
    return o;
}

/* Of all credentials of a kind, by their indexes. */
struct sums VEC(struct sum);

static void add_to_sums(struct sums *io, const struct shifted *x, uint32_t cred)
{
    for (uint32_t next = (uint32_t)io->n; next <= cred; next++)
        vec_push(io, ((struct sum){.cred = next}));
    add_to_sum(&io->v[cred], x);
}

/* Those that have any of the jobs; the sums are put in order. */
static json_t *list_sums(
    const struct cluster *c, enum cred_kind kind, struct sums *sums)
{
    json_t *list = json_array();

    if (sums->n)
        qsort(sums->v, sums->n, sizeof *sums->v, by_weight);
    for (size_t i = 0; i < sums->n; i++) {
        const struct sum *sum = &sums->v[i];
        bool none = sum->earlier + sum->later + sum->broken + sum->others == 0;
        if (!none && sum->cred < c->creds[kind].n
            && json_array_size(list) < PICTURE_SUMS_MAX)
            json_array_append_new(list, sum_record(c->creds[kind].v[sum->cred], sum));
    }
    return list;
}

/* O(jobs concerned + credentials). */
static void put_sums(const struct comparison *c, json_t *o)
{
    struct sums sums[CRED_KINDS] = {0};
    json_t *all = json_object();

    for (size_t i = 0; i < c->all.n; i++)
        for (int kind = 0; kind < CRED_KINDS; kind++)
            add_to_sums(&sums[kind], &c->all.v[i], c->all.v[i].job->cred[kind]);
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        json_object_set_new(all, render_cred_key((enum cred_kind)kind),
            list_sums(c->cluster, (enum cred_kind)kind, &sums[kind]));
        vec_fini(&sums[kind]);
    }
    json_object_set_new(o, "sums", all);
}

static void put_counts(const struct comparison *c, json_t *o)
{
    json_t *counts = json_object();

    for (int k = SHIFT_EARLIER; k < SHIFTS; k++)
        render_int(counts, shift_name((enum shift)k), (int64_t)c->count[k]);
    render_int(counts, "broken", (int64_t)c->broken);
    json_object_set_new(o, "counts", counts);
}

void picture_compare(struct server *s, const struct identity *who,
    const struct picture *before, const struct picture *after, json_t *o)
{
    size_t n = before->jobs.n > after->jobs.n ? before->jobs.n : after->jobs.n;
    struct comparison c = {.cluster = engine_cluster(s->engine)};

    for (size_t i = 0; i < n; i++) {
        const struct pictured *was = job_in(before, i), *is = job_in(after, i);
        if (was || is)
            compare_job(&c, was, is, (uint32_t)i);
    }
    put_counts(&c, o);
    put_sums(&c, o); /* before they are sorted: jobs are read as they lie */
    if (c.all.n)
        qsort(c.all.v, c.all.n, sizeof *c.all.v, by_most);
    put_lists(s, who, &c, o);
    vec_fini(&c.all);
}
