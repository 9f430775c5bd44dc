/* SPDX-License-Identifier: Apache-2.0
 * What the resource manager shows beside a job that waits. Once a second all jobs are
 * looked at for a change that matters, which costs a comparison each; notes are made
 * for so many of them at most, in turn. When it starts is told of a job that has a
 * reservation, and of those behind it, which have none, when they would if nothing else
 * came (query_forecast()).
 *
 *     job    noted                      now                        note
 *     63     resources, about 14:30     resources, about 14:31     -
 *     64     resources, about 14:30     resources, about 17:00     again
 *     65     a limit of its user        resources                  again */
#define LOG_FACILITY FACILITY_RM
#include "engine/query.h"
#include "plan/planned.h"
#include "policy/reason.h"
#include "server/events/feed.h"
#include "server/managers/private.h"
#include "server/server_private.h"

#include <time.h>

#define EVERY_US    1000000
#define ACCURACY_US 100000
#define AT_ONCE     100 /* notes a look: finding a reason may take a search */
#define SLACK_S     60  /* a start is expected no more exactly, ... */
#define SLACK_PART  10  /* ... nor than this part of the time until then */
#define LOOSE_S     300 /* the same of those that have no reservation */
#define LOOSE_PART  4

/* How many starts are foreseen, and how often: by what that took the last time. */
#define FORESEEN_LEAST 20
#define FORESEEN_MOST  500
#define BEARABLE_US    20000 /* for which the daemon answers nobody */
#define FORESEEN_SHARE 50    /* no more than this part of the time */
#define NEVER_SEEN     UINT64_MAX

/* What was said of the job with that index. */
struct noted {
    uint64_t id; /* digest: indexes are used again */
    uint64_t
        said; /* digest of what the resource manager says of its hold; 0: no hold */
    uint8_t code, holds;
    bool foreseen; /* it has no reservation */
    uint32_t object;
    int64_t start_at, until; /* expected start; what the reason ends at */
    int64_t promised;        /* the latest start; 0 = none */
};

/* Of the job with that index: when it would start, as far as it is known. */
struct foreseen {
    uint64_t id;
    int64_t start_at;
};

struct notes {
    sd_event_source *timer;
    struct VEC(struct noted) jobs;        /* by index */
    size_t next;                          /* where the next look begins */
    struct VEC(struct foreseen) foreseen; /* by index */
    uint64_t look_after_us;               /* of the loop's clock */
    uint64_t begun_us;                    /* of that clock: the last look */
    uint64_t revision, plan;              /* at which there is nothing new to be seen */
    size_t look_at;                       /* so many jobs */
};

static uint64_t digest_id(const char *id)
{
    uint64_t h = 14695981039346656037u;

    for (; *id; id++)
        h = (h ^ (unsigned char)*id) * 1099511628211u;
    return h;
}

/* What the resource manager itself says of a job that it keeps; NULL: it does not. */
static const char *words_of_hold(struct manager *m, const struct job *j)
{
    const char *said = j->state == JOB_HOLD ? world_notes(m->s, j)->notes : NULL;

    return said && *said ? said : NULL;
}

static uint64_t now_us(struct manager *m)
{
    uint64_t now = 0;

    sd_event_now(m->s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

static uint64_t clock_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static bool is_ours(void *ctx, const struct job *j)
{
    struct manager *m = ctx;

    return managers_of(m->s, j) == m;
}

static bool has_time(void *ctx)
{
    struct manager *m = ctx;

    return clock_us() - m->notes->begun_us < BEARABLE_US;
}

static void note_foreseen(void *ctx, const struct job *j, int64_t start_at)
{
    struct manager *m = ctx;
    struct notes *n = m->notes;

    while (n->foreseen.n <= j->index)
        vec_push(&n->foreseen, ((struct foreseen){0}));
    n->foreseen.v[j->index] = (struct foreseen){digest_id(j->id), start_at};
}

static bool has_nothing_new(const struct manager *m)
{
    const struct notes *n = m->notes;

    return n->revision == world_revision(m->s) && n->plan == feed_plan(m->s);
}

/* When is nobody's decision: it is asked anew as often as it is cheap, and something
 * has changed. */
static void foresee_starts(struct manager *m)
{
    struct notes *n = m->notes;

    if (now_us(m) < n->look_after_us || has_nothing_new(m))
        return;
    n->revision = world_revision(m->s);
    n->plan = feed_plan(m->s);
    n->begun_us = clock_us();
    size_t asked =
        query_forecast(m->s->engine, &(struct query_forecast){.most = n->look_at,
                                         .now = world_now(m->s),
                                         .wants = is_ours,
                                         .goes_on = has_time,
                                         .each = note_foreseen,
                                         .ctx = m});
    uint64_t took = clock_us() - n->begun_us;
    if (took > BEARABLE_US && n->look_at > FORESEEN_LEAST) {
        n->look_at /= 2;
    } else if (took < BEARABLE_US / 4 && asked == n->look_at && asked < FORESEEN_MOST) {
        n->look_at *= 2;
        n->revision = NEVER_SEEN; /* there are more to be looked at */
    }
    n->look_after_us = now_us(m) + took * FORESEEN_SHARE;
}

/* 0: nobody knows. What was found stays as long as it is ahead: one who was not looked
 * at again, or had room just then, starts no later for it, and each change of it is an
 * order to the resource manager. */
static int64_t foreseen_start(struct manager *m, const struct job *j, uint64_t id)
{
    const struct notes *n = m->notes;
    const struct foreseen *f =
        j->index < n->foreseen.n ? &n->foreseen.v[j->index] : NULL;

    return f && f->id == id && f->start_at > world_now(m->s)
                   && query_waits_for_room(m->s->engine, j)
               ? f->start_at
               : 0;
}

static struct noted note_of(struct manager *m, const struct job *j)
{
    const struct planned *p = engine_reservation_of(m->s->engine, j);
    int64_t expected = engine_expected(m->s->engine, j).at;
    const char *said = words_of_hold(m, j);
    uint64_t id = digest_id(j->id);

    return (struct noted){.id = id,
        .said = said ? digest_id(said) : 0,
        .code = p ? WAIT_RESERVATION : j->why.code,
        .holds = j->holds,
        .object = p ? 0 : j->why.object,
        .foreseen = !p,
        .start_at = expected ? expected
                    : p      ? p->start_at
                             : foreseen_start(m, j, id),
        .promised = engine_promised_by(m->s->engine, j),
        .until = j->why.code == WAIT_RELEASE_TIME ? j->release_at
                 : j->holds == HOLD_DEFER         ? j->defer_until
                                                  : 0};
}

/* Is what was said still right? A start that was foreseen and has just gone by is not
 * taken back at once: the next look may find another. */
static bool is_near(const struct noted *x, const struct noted *said, int64_t now)
{
    bool loose = x->foreseen && said->foreseen;
    int64_t a = x->start_at, b = said->start_at, apart = a > b ? a - b : b - a,
            part = (a - now) / (loose ? LOOSE_PART : SLACK_PART),
            least = loose ? LOOSE_S : SLACK_S;

    if (a == 0 || b == 0)
        return a == b || (a == 0 && loose && b <= now && now - b < LOOSE_S);
    return apart <= (part > least ? part : least);
}

static bool is_same(const struct noted *a, const struct noted *b, int64_t now)
{
    return a->id == b->id && a->said == b->said && a->code == b->code
           && a->holds == b->holds && a->object == b->object && a->until == b->until
           && a->promised == b->promised && is_near(a, b, now);
}

/* "until about 14:30", with the day when that is not today's; by the clock of this
 * machine, as the resource manager's commands print times. */
static void add_instant(struct strbuf *text, const char *words, int64_t at, int64_t now)
{
    struct tm then, today;
    time_t t = (time_t)at, n = (time_t)now;
    char when[40];

    localtime_r(&t, &then);
    localtime_r(&n, &today);
    strftime(when, sizeof when,
        then.tm_yday == today.tm_yday && then.tm_year == today.tm_year ? "%H:%M"
                                                                       : "%d %b %H:%M",
        &then);
    strbuf_printf(text, "%s %s", words, when);
}

static void send_note(struct manager *m, const struct job *j, const struct noted *now)
{
    struct server *s = m->s;
    const struct reason *why = engine_why(s->engine, j);
    const char *said = j->extra ? j->extra->hold_text : NULL;
    char reason[300];
    struct strbuf text = {0};

    reason_format_note(engine_cluster(s->engine), j, why, said, reason, sizeof reason);
    strbuf_add(&text, words_of_hold(m, j) ? words_of_hold(m, j) : reason);
    if (now->start_at > 0 && now->start_at < TIME_NEVER)
        add_instant(&text, " until about", now->start_at, world_now(s));
    if (now->promised > 0 && now->promised < TIME_NEVER)
        add_instant(&text, ", promised by", now->promised, world_now(s));
    strbuf_printf(&text, " (checkjob %s)", j->id);
    size_t mark = border_begin(m->border);
    m->driver->note(m->rm, &(struct rm_note){.job = border_job_out(m->border, j->id),
                               .text = text.text,
                               .start_at = now->start_at});
    border_end(m->border, mark);
    free(text.text);
}

static void look_at_jobs(struct manager *m)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    struct notes *n = m->notes;
    int64_t now = world_now(m->s);
    int left = AT_ONCE;

    while (n->jobs.n < c->jobs.n)
        vec_push(&n->jobs, ((struct noted){0}));
    for (size_t i = 0; i < c->jobs.n && left > 0; i++) {
        size_t at = (n->next + i) % c->jobs.n;
        const struct job *j = c->jobs.v[at];
        if (!j || managers_of(m->s, j) != m
            || (j->state != JOB_IDLE && !words_of_hold(m, j)))
            continue;
        struct noted fresh = note_of(m, j);
        if (is_same(&fresh, &n->jobs.v[at], now))
            continue;
        send_note(m, j, &fresh);
        n->jobs.v[at] = fresh;
        if (--left == 0)
            n->next = (at + 1) % c->jobs.n;
    }
}

static int on_timer(sd_event_source *source, uint64_t at, void *ctx)
{
    struct manager *m = ctx;

    (void)at;
    if (m->synced && !m->away) {
        foresee_starts(m);
        look_at_jobs(m);
    }
    sd_event_source_set_time_relative(source, EVERY_US);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int notes_open(struct manager *m, struct err *err)
{
    m->notes = xcalloc(1, sizeof *m->notes);
    m->notes->look_at = FORESEEN_LEAST;
    m->notes->revision = NEVER_SEEN;
    if (sd_event_add_time_relative(m->s->loop, &m->notes->timer, CLOCK_MONOTONIC,
            EVERY_US, ACCURACY_US, on_timer, m)
            < 0
        || sd_event_source_set_priority(m->notes->timer, PRIORITY_READERS) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

void notes_close(struct manager *m)
{
    if (!m->notes)
        return;
    sd_event_source_disable_unref(m->notes->timer);
    vec_fini(&m->notes->jobs);
    vec_fini(&m->notes->foreseen);
    free(m->notes);
    m->notes = NULL;
}

void notes_forget(struct manager *m)
{
    if (m->notes)
        m->notes->jobs.n = 0;
}
