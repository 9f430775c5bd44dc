/* SPDX-License-Identifier: Apache-2.0
 * What lists show, by revision. */
#include "server/events/feed.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "server/server_private.h"

#include <sys/queue.h>
#include <time.h>

#define KEPT_MAX 20000    /* objects; who is further behind asks for the lists again */
#define LEFT_US  60000000 /* after the last reader has gone somebody may come back */
#define PAUSE_US 250000   /* between two times that readers are woken */
#define FIRST_US 10000    /* what belongs to a change comes with it */

struct change {
    struct feed_change told;
    char *key; /* its kind and id, as hashed; `told.id` is the end of it */
    UT_hash_handle hh;
    TAILQ_ENTRY(change) next;
};

struct feed {
    uint64_t last, committed; /* revisions */
    uint64_t last_of[FEED_KINDS];
    uint64_t first; /* all after this one are kept */
    uint64_t plan, plan_told;
    uint64_t told;   /* the last that readers were woken for, */
    int64_t told_us; /* and when */
    bool keeps;
    unsigned readers;
    int64_t left_us; /* when the last went */
    struct change *by_key;
    TAILQ_HEAD(change_list, change) all; /* by revision */
    void (*wake)(struct server *s);
    sd_event_source *timer;
};

static const char *const kinds[FEED_KINDS] = {
    [FEED_JOB] = "job", [FEED_NODE] = "node", [FEED_RESERVATION] = "reservation"};

const char *feed_kind_name(enum feed_kind k)
{
    return kinds[k];
}

static int64_t clock_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Revisions of this life are larger than all of those before, and exact as numbers of
 * JSON: what is asked for from before is never taken for one of now. */
static uint64_t first_revision(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void feed_open(struct server *s)
{
    uint64_t first = first_revision();

    s->events.feed = xcalloc(1, sizeof *s->events.feed);
    s->events.feed->first = s->events.feed->last = s->events.feed->committed =
        s->events.feed->told = first;
    TAILQ_INIT(&s->events.feed->all);
}

static void drop_change(struct feed *f, struct change *c)
{
    HASH_DEL(f->by_key, c);
    TAILQ_REMOVE(&f->all, c, next);
    free(c->key);
    free(c);
}

static void drop_all(struct feed *f)
{
    while (!TAILQ_EMPTY(&f->all))
        drop_change(f, TAILQ_FIRST(&f->all));
}

void feed_close(struct server *s)
{
    if (!s->events.feed)
        return;
    drop_all(s->events.feed);
    sd_event_source_disable_unref(s->events.feed->timer);
    free(s->events.feed);
    s->events.feed = NULL;
}

/* Nobody has read for a while: what is kept costs more than to ask again. */
static bool is_deserted(struct feed *f)
{
    if (!f->readers && f->keeps && clock_us() > f->left_us + LEFT_US) {
        drop_all(f);
        f->keeps = false;
    }
    return !f->keeps;
}

static struct change *find_or_add(struct feed *f, enum feed_kind kind, const char *id)
{
    size_t len = strlen(id);
    char *key = xmalloc(len + 2);
    struct change *c;

    key[0] = (char)('a' + kind);
    memcpy(key + 1, id, len + 1);
    HASH_FIND(hh, f->by_key, key, len + 1, c);
    if (c) {
        free(key);
        TAILQ_REMOVE(&f->all, c, next);
        return c;
    }
    c = xcalloc(1, sizeof *c);
    c->key = key;
    c->told = (struct feed_change){.kind = kind, .id = key + 1};
    HASH_ADD_KEYPTR(hh, f->by_key, c->key, len + 1, c);
    return c;
}

void feed_touch(struct server *s, enum feed_kind kind, const char *id)
{
    struct feed *f = s->events.feed;

    if (!f)
        return;
    f->last_of[kind] = ++f->last;
    if (is_deserted(f)) {
        f->first = f->last;
        return;
    }
    struct change *c = find_or_add(f, kind, id);
    c->told.revision = f->last;
    TAILQ_INSERT_TAIL(&f->all, c, next);
    if (HASH_COUNT(f->by_key) > KEPT_MAX) {
        f->first = TAILQ_FIRST(&f->all)->told.revision;
        drop_change(f, TAILQ_FIRST(&f->all));
    }
}

void feed_moved(struct server *s)
{
    struct feed *f = s->events.feed;

    feed_touch(s, FEED_JOB, "");
    for (int k = 0; f && k < FEED_KINDS; k++)
        f->last_of[k] = f->last;
    feed_planned(s);
    feed_committed(s);
}

/* Readers are told in a moment, together with what comes until then. */
static void wake_later(struct feed *f)
{
    int on = SD_EVENT_OFF;

    if (!f->readers || (f->told == f->committed && f->plan_told == f->plan))
        return;
    sd_event_source_get_enabled(f->timer, &on);
    if (on != SD_EVENT_OFF)
        return;
    int64_t wait = f->told_us + PAUSE_US - clock_us();
    sd_event_source_set_time_relative(
        f->timer, wait > FIRST_US ? (uint64_t)wait : FIRST_US);
    sd_event_source_set_enabled(f->timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;
    struct feed *f = s->events.feed;

    (void)source;
    (void)at;
    f->told = f->committed;
    f->plan_told = f->plan;
    f->told_us = clock_us();
    if (f->readers)
        f->wake(s);
    return 0;
}

void feed_planned(struct server *s)
{
    if (!s->events.feed)
        return;
    s->events.feed->plan++;
    wake_later(s->events.feed);
}

void feed_committed(struct server *s)
{
    s->events.feed->committed = s->events.feed->last;
    wake_later(s->events.feed);
}

uint64_t feed_revision(const struct server *s)
{
    return s->events.feed->committed;
}

uint64_t feed_last(const struct server *s, enum feed_kind kind)
{
    return s->events.feed->last_of[kind];
}

uint64_t feed_plan(const struct server *s)
{
    return s->events.feed->plan;
}

int feed_join(struct server *s, void (*wake)(struct server *s), struct err *err)
{
    struct feed *f = s->events.feed;

    if (!f->timer
        && sd_event_add_time_relative(
               s->loop, &f->timer, CLOCK_MONOTONIC, 0, 10000, on_timer, s)
               < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    if (!f->readers)
        sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
    if (is_deserted(f))
        f->first = f->last;
    f->keeps = true;
    f->wake = wake;
    f->readers++;
    return 0;
}

void feed_leave(struct server *s)
{
    struct feed *f = s->events.feed;

    if (f && --f->readers == 0)
        f->left_us = clock_us();
}

bool feed_reaches(const struct server *s, uint64_t since)
{
    return since >= s->events.feed->first && since <= s->events.feed->last;
}

size_t feed_since(
    const struct server *s, uint64_t since, struct feed_change *ret, size_t max)
{
    const struct feed *f = s->events.feed;
    const struct change *c, *first = NULL;
    size_t n = 0;

    TAILQ_FOREACH_REVERSE(c, &f->all, change_list, next)
    {
        if (c->told.revision <= since)
            break;
        first = c;
    }
    for (c = first; c && n < max && c->told.revision <= f->committed;
         c = TAILQ_NEXT(c, next))
        ret[n++] = c->told;
    return n;
}
