/* SPDX-License-Identifier: Apache-2.0
 * The order of a list of jobs. */
#include "server/api/joborder.h"

#include "base/turnsort.h"
#include "base/xalloc.h"
#include "server/events/feed.h"
#include "server/server_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_TURN 5000
#define KEPT_JOBS  500000 /* of all that are kept, and each counts as */
#define KEPT_LEAST 1000
#define KEEP_S     5 /* priorities grow, waits too: no change of the world tells that, */
#define KEEP_TIE_S 30 /* and of equals the one with the higher priority is first */
#define FIRST_MORE                                                                     \
    256             /* than a window shows: some may go while they are looked for      \
                     */
#define SPREAD   16 /* about the root of the jobs for each that is wanted */
#define AHEAD    16
#define PART_MAX 10000 /* a deep window of so many is a part of the order, */
#define PART_LEAST                                                                     \
    20000                            /* where there are so many jobs that it matters   \
                                      */
#define FORGET_US UINT64_C(10000000) /* nobody asks any more: it is memory */

TAILQ_HEAD(joborder_list, joborder);

struct joborders {
    struct joborder_list kept; /* the last one first */
    sd_event_source *forget;   /* NULL: there was none left; then nothing is kept */
    uint64_t looks;
};

/* A job while it is put in its place. */
struct sorted {
    int64_t value; /* by which somebody wants it, */
    int64_t key;   /* and where it is in its section anyway */
    int64_t submit_at;
    uint64_t number; /* of its id; 0 = not looked up, or it has none */
    const struct job *job;
    uint32_t index;
    uint8_t section;
};

/* ---- the order ---- */

/* Up to nine digits, of which the first counts; NULL: something else. */
static const char *read_digits(const char *p, uint64_t *ret)
{
    const char *begin = p;

    for (*ret = 0; *p >= '0' && *p <= '9' && p < begin + 10; p++)
        *ret = 10 * *ret + (uint64_t)(*p - '0');
    return p == begin || p == begin + 10 || (*begin == '0' && p > begin + 1) ? NULL : p;
}

/* Of "17", "17[3]" and "17_3": two of them are in the order of name_compare() and of
 * strverscmp() if their numbers are, and only these are in memory by then. 0: it is
 * another name. */
static uint64_t read_number(const char *id)
{
    uint64_t number, member;
    const char *p = read_digits(id, &number);

    if (!p || (*p && *p != '[' && *p != '_'))
        return 0;
    if (!*p)
        return number << 32;
    bool bracket = *p == '[';
    p = read_digits(p + 1, &member);
    if (!p || strcmp(p, bracket ? "]" : "") != 0)
        return 0;
    return number << 32 | (bracket ? UINT64_C(1) : UINT64_C(2)) << 30 | member;
}

/* Active jobs by their end, suspended ones last; eligible by priority; blocked as
 * submitted. */
static int64_t key_of(
    const struct cluster *c, const struct job *j, enum section section)
{
    switch (section) {
    case SECTION_ACTIVE:
        return j->state == JOB_SUSPENDED ? INT64_MAX : j->end_at;
    case SECTION_ELIGIBLE:
        return -job_priority(c, j);
    case SECTION_BLOCKED:
    case SECTION_COMPLETED:
        break;
    }
    return j->submit_at;
}

static int compare_numbers(const struct sorted *x, const struct sorted *y)
{
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_ids(
    const struct joborder *o, const struct sorted *x, const struct sorted *y)
{
    int order = x->number && y->number ? compare_numbers(x, y)
                                       : strverscmp(x->job->id, y->job->id);

    return o->window.down ? -order : order;
}

/* As somebody wants it; equals as the engine takes them. */
static int compare_sorted(const void *a, const void *b, void *ctx)
{
    const struct sorted *x = a, *y = b;
    const struct joborder *o = ctx;
    int order;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (jobwindow_is_by_id(&o->window) && (order = compare_ids(o, x, y)) != 0)
        return order;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->submit_at != y->submit_at)
        return x->submit_at < y->submit_at ? -1 : 1;
    if (x->number && y->number)
        return compare_numbers(x, y);
    return job_compare(x->job, y->job);
}

/* As it was when it was looked at. */
static void sum_up(struct joborder *o, const struct job *j, enum section section)
{
    o->total++;
    o->count[section]++;
    if (section == SECTION_ELIGIBLE)
        o->backlog_ps += jobcounts_work(j, section);
    if (o->counts)
        jobcounts_add(o->counts, j, section);
}

/* Its memory may be another's: it is not looked at. */
static bool is_gone(const void *item, void *ctx)
{
    const struct sorted *x = item;
    const struct joborder *o = ctx;
    const struct cluster *c = engine_cluster(o->s->engine);

    return x->index >= c->jobs.n || c->jobs.v[x->index] != x->job
           || x->job->submit_at != x->submit_at;
}

/* ---- those that are kept ---- */

static bool is_present(const struct joborder *o)
{
    int64_t now = world_now(o->s);

    return o->revision == world_revision(o->s) && o->plan == feed_plan(o->s)
           && now >= o->at && now < o->at + (o->grows ? KEEP_S : KEEP_TIE_S);
}

/* So many of the first have to be in order. */
static size_t depth_of(const struct jobwindow *w)
{
    if (w->limit == 0)
        return 0;
    return w->offset < SIZE_MAX - w->limit ? w->offset + w->limit : SIZE_MAX;
}

bool joborder_shows(const struct joborder *o, const struct jobwindow *window)
{
    size_t depth = depth_of(window);

    if (o->whole || !depth)
        return true;
    return !o->lost && window->offset >= o->first
           && (o->open_end || o->first + o->jobs.n >= depth);
}

static void forget_order(struct joborders *all, struct joborder *o)
{
    TAILQ_REMOVE(&all->kept, o, next);
    o->kept = false;
    joborder_release(o);
}

static void forget_old(struct joborders *all)
{
    struct joborder *o, *next;
    size_t n = 0;

    for (o = TAILQ_FIRST(&all->kept); o; o = next) {
        next = TAILQ_NEXT(o, next);
        bool full = n >= KEPT_JOBS; /* the last one is kept however large it is */
        n += o->jobs.n + KEPT_LEAST;
        if (full || !is_present(o))
            forget_order(all, o);
    }
}

static int on_forget(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    (void)at;
    while (!TAILQ_EMPTY(&s->api.joborders->kept))
        forget_order(s->api.joborders, TAILQ_FIRST(&s->api.joborders->kept));
    return 0;
}

static struct joborders *open_orders(struct server *s)
{
    struct joborders *all = s->api.joborders;

    if (all)
        return all;
    s->api.joborders = all = xcalloc(1, sizeof *all);
    TAILQ_INIT(&all->kept);
    if (sd_event_add_time(
            s->loop, &all->forget, CLOCK_MONOTONIC, 0, 100000, on_forget, s)
        < 0)
        all->forget = NULL;
    return all;
}

static void arm_forgetting(struct joborders *all)
{
    sd_event_source_set_time_relative(all->forget, FORGET_US);
    sd_event_source_set_enabled(all->forget, SD_EVENT_ONESHOT);
}

static void keep_order(struct joborder *o)
{
    struct joborders *all = o->s->api.joborders;

    if (!all->forget || !is_present(o))
        return;
    o->holders++;
    o->kept = true;
    TAILQ_INSERT_HEAD(&all->kept, o, next);
    forget_old(all);
    arm_forgetting(all);
}

struct joborder *joborder_find(
    struct server *s, const char *key, const struct jobwindow *window)
{
    struct joborders *all = open_orders(s);
    struct joborder *o;

    forget_old(all);
    TAILQ_FOREACH(o, &all->kept, next)
    {
        if (strcmp(o->key, key) != 0 || !joborder_shows(o, window))
            continue;
        o->holders++;
        arm_forgetting(all);
        return o;
    }
    return NULL;
}

uint64_t joborder_looks(const struct server *s)
{
    return s->api.joborders ? s->api.joborders->looks : 0;
}

void joborders_close(struct server *s)
{
    struct joborders *all = s->api.joborders;

    if (!all)
        return;
    while (!TAILQ_EMPTY(&all->kept))
        forget_order(all, TAILQ_FIRST(&all->kept));
    sd_event_source_disable_unref(all->forget);
    free(all);
    s->api.joborders = NULL;
}

/* ---- one ---- */

static bool wants_first(const struct joborder *o)
{
    return depth_of(&o->window) <= TURNSORT_FIRST_MAX - FIRST_MORE;
}

static bool wants_part(const struct joborder *o)
{
    return o->window.limit && o->window.limit <= PART_MAX && !wants_first(o)
           && engine_cluster(o->s->engine)->jobs.n >= PART_LEAST;
}

struct joborder *joborder_new(
    struct server *s, const char *key, const struct jobwindow *window)
{
    struct joborder *o = xcalloc(1, sizeof *o);

    open_orders(s);
    o->s = s;
    o->key = xstrdup(key);
    o->window = *window;
    o->revision = o->seen = world_revision(s);
    o->plan = feed_plan(s);
    o->at = world_now(s);
    o->holders = 1;
    o->counts = jobcounts_new(window);
    o->grows = jobwindow_grows(window);
    o->sort = turnsort_new(sizeof(struct sorted), compare_sorted, o);
    o->narrows = wants_part(o);
    o->walk.sampling = o->narrows || (window->limit && wants_first(o));
    if (o->walk.sampling && !o->narrows)
        turnsort_first(o->sort, depth_of(window) + FIRST_MORE);
    jobwindow_rank(window, engine_cluster(s->engine), &o->ranks);
    return o;
}

struct joborder *joborder_widen(struct joborder *o)
{
    struct jobwindow all = o->window;

    all.offset = 0;
    all.limit = SIZE_MAX;
    struct joborder *made = joborder_new(o->s, o->key, &all);
    joborder_release(o);
    return made;
}

/* ---- a part of it ---- */

static void free_bounds(struct joborder *o)
{
    free(o->low);
    free(o->high);
    o->low = o->high = NULL;
}

/* So many places of a sample may be missing before one of it that is at that place:
 * five times what they differ by. */
static size_t slack_at(size_t place)
{
    return 16 + (size_t)(5 * sqrt((double)place));
}

static struct sorted *copy_sorted(const struct sorted *x)
{
    struct sorted *copy = xmalloc(sizeof *copy);

    *copy = *x;
    return copy;
}

/* Some from everywhere have been looked at, and tell between which two the window is:
 * of the others only those are put in order. */
static void narrow_order(struct joborder *o)
{
    struct turnsort *sample = o->sort;
    size_t n, from = o->window.offset / SPREAD, to = depth_of(&o->window) / SPREAD + 1;

    while (turnsort_more(sample, SIZE_MAX))
        ;
    const struct sorted *all = turnsort_items(sample, &n);
    from = from > slack_at(from) ? from - slack_at(from) : 0;
    from = from < n ? from : n ? n - 1 : 0;
    to += slack_at(to);
    o->narrows = false;
    o->sort = turnsort_new(sizeof(struct sorted), compare_sorted, o);
    o->first = from;
    o->low = from ? copy_sorted(&all[from]) : NULL;
    o->open_end = to >= n;
    o->high = o->open_end ? NULL : copy_sorted(&all[to]);
    for (size_t i = from; i < n && i < to; i++)
        turnsort_add(o->sort, &all[i]);
    turnsort_free(sample);
}

/* Those before it are counted. */
static bool is_in_part(struct joborder *o, const struct sorted *x)
{
    if (o->low && compare_sorted(x, o->low, o) < 0) {
        o->first++;
        return false;
    }
    return !o->high || compare_sorted(x, o->high, o) < 0;
}

static void end_sorting(struct joborder *o)
{
    free_bounds(o);
    turnsort_free(o->sort);
    o->sort = NULL;
    vec_fini(&o->ranks);
}

void joborder_release(struct joborder *o)
{
    if (!o || --o->holders)
        return;
    end_sorting(o);
    jobcounts_free(o->counts);
    vec_fini(&o->jobs);
    free(o->key);
    free(o);
}

void joborder_begin_turn(struct joborder *o)
{
    if (o->seen == world_revision(o->s))
        return;
    turnsort_drop(o->sort, is_gone);
    if ((o->low && is_gone(o->low, o)) || (o->high && is_gone(o->high, o))) {
        free_bounds(o);
        o->lost = true;
    }
    o->seen = world_revision(o->s);
}

static const struct job *job_at(const struct joborder *o, size_t i)
{
    const struct cluster *c = engine_cluster(o->s->engine);

    return i < c->jobs.n ? c->jobs.v[i] : NULL;
}

/* Jobs come from memory: ask for them some jobs ahead. */
static void fetch_job(const struct job *j)
{
    if (!j)
        return;
    __builtin_prefetch(&j->index);
    __builtin_prefetch(&j->queue_at);
    __builtin_prefetch(&j->submit_at);
}

bool joborder_walk(struct joborder *o, const struct job **ret)
{
    struct jobwalk *w = &o->walk;
    size_t jobs = engine_cluster(o->s->engine)->jobs.n, step = w->sampling ? SPREAD : 1;

    if (w->sampling && w->next >= jobs) {
        *w = (struct jobwalk){.sampled = jobs};
        step = 1;
        if (o->narrows)
            narrow_order(o);
    }
    if (w->next < w->sampled && w->next % SPREAD == 0)
        w->next++;
    w->over |= w->next >= jobs;
    if (w->over)
        return false;
    fetch_job(job_at(o, w->next + AHEAD * step));
    *ret = job_at(o, w->next);
    w->next += step;
    return true;
}

bool joborder_is_new(const struct joborder *o)
{
    return !o->walk.next && !o->walk.sampled;
}

bool joborder_end_walk(struct joborder *o)
{
    bool went_on = !o->walk.over;

    o->walk.over = true;
    return went_on;
}

void joborder_add(struct joborder *o, const struct job *j)
{
    enum section section = render_section(j);
    struct sorted x = {.submit_at = j->submit_at,
        .job = j,
        .index = j->index,
        .section = (uint8_t)section};

    o->s->api.joborders->looks++;
    sum_up(o, j, section);
    if (o->window.limit == 0)
        return; /* whatever order they have */
    x.value = jobwindow_value(&o->window, o->s, &o->ranks, j);
    x.key = key_of(engine_cluster(o->s->engine), j, section);
    if (jobwindow_is_by_id(&o->window))
        x.number = read_number(j->id);
    if (!is_in_part(o, &x) || !turnsort_wants(o->sort, &x))
        return;
    x.number = read_number(j->id);
    turnsort_add(o->sort, &x);
}

bool joborder_more(struct joborder *o)
{
    size_t n;

    if (turnsort_more(o->sort, STEPS_TURN))
        return true;
    const struct sorted *all = turnsort_items(o->sort, &n);
    vec_reserve(&o->jobs, n);
    for (size_t i = 0; i < n; i++)
        o->jobs.v[i] = (struct listed){all[i].index, all[i].submit_at};
    o->jobs.n = n;
    o->whole = o->window.limit && !o->first && !o->high && !o->lost
               && turnsort_is_whole(o->sort);
    end_sorting(o);
    keep_order(o);
    return false;
}
