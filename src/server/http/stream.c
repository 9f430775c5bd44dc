/* SPDX-License-Identifier: Apache-2.0
 * Lists, made in slices and shared. */
#include "server/http/stream.h"

#include "base/xalloc.h"
#include "server/events/stalls.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#define SLICE_US    2500               /* and what is left of a step: 5000 in all */
#define PATIENCE_US 25000              /* without a slice: then one is due */
#define FORGET_US   1000000            /* a list that nobody fetched again, */
#define KEPT_US     30000000           /* and one of a state that is known */
#define KEPT_BYTES  ((size_t)1 << 20)  /* larger ones are not kept so long, */
#define KEPT_MAX    64                 /* nor more of them, */
#define KEPT_USER   16                 /* and of those of one user */
#define SHARE_MAX   ((size_t)96 << 20) /* memory of unfetched lists, of one user */
#define AGAIN_S     2
#define RECORDS     50 /* take less than a millisecond */
#define LOOK_SLICES 25 /* so often it is looked whether anybody waits any more */

/* A list for all who asked for it alike. */
struct listing {
    TAILQ_ENTRY(listing) next;
    struct server *s;
    char *key; /* owned; NULL = nobody may join */
    char user[64];
    const char *type;
    struct stream_source source;
    struct strbuf text;
    struct VEC(struct request *) waiting;
    char *state;       /* owned; NULL = it is of these: */
    uint64_t revision; /* of the state it was begun in, and the second */
    int64_t at;
    uint64_t wanted_us; /* when it was asked for last */
    bool begun, complete;
    bool lacking;     /* it is told to those who wait, and to nobody else */
    unsigned slices;  /* that it has taken */
    unsigned readers; /* that fetch it */
};

/* How much of the loop a user's lists have taken. */
struct share {
    char user[64];
    uint64_t spent_us;
};

TAILQ_HEAD(listing_list, listing);

struct lists {
    struct listing_list all; /* in the order in which they were asked for */
    struct VEC(struct share) shares;
    sd_event_source *slice, *patience, *forget;
    unsigned made; /* lists that are not complete yet */
    uint64_t begun;
};

static uint64_t clock_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- one list ---- */

static void make_nothing(struct listing *l)
{
    if (l->source.done) {
        l->source.done(l->source.ctx);
        l->s->api.lists->made--;
    }
    l->source.done = NULL;
}

static void drop(struct listing *l)
{
    TAILQ_REMOVE(&l->s->api.lists->all, l, next);
    make_nothing(l);
    vec_fini(&l->waiting);
    free(l->text.text);
    free(l->key);
    free(l->state);
    free(l);
}

/* Is it what that key stands for in that state (NULL: now)? */
static bool is_of(struct server *s, const struct listing *l, const char *state)
{
    if (l->state || state)
        return l->state && state && !l->lacking && strcmp(l->state, state) == 0;
    return !l->begun || (l->revision == world_revision(s) && l->at == world_now(s));
}

/* May somebody come who asks for it? */
static bool is_wanted(struct server *s, const struct listing *l)
{
    if (!l->key)
        return false;
    if (!l->state)
        return is_of(s, l, NULL);
    return !l->lacking && l->text.len <= KEPT_BYTES
           && clock_us() < l->wanted_us + KEPT_US;
}

/* So many came behind it: it is the oldest. */
static bool is_surplus(const struct listing *l)
{
    unsigned kept = 0, own = 0;

    for (const struct listing *o = l->state ? TAILQ_NEXT(l, next) : NULL; o;
         o = TAILQ_NEXT(o, next)) {
        bool counts = o->state && o->complete;
        kept += counts;
        own += counts && strcmp(o->user, l->user) == 0;
    }
    return kept >= KEPT_MAX || own >= KEPT_USER;
}

/* What nobody fetches and nobody may join any more goes; of those that are kept the
 * first beyond so many. */
static void drop_stale(struct server *s)
{
    struct listing *l, *before;

    for (l = TAILQ_LAST(&s->api.lists->all, listing_list); l; l = before) {
        before = TAILQ_PREV(l, listing_list, next);
        if (!l->complete || l->readers)
            continue;
        if (!is_wanted(s, l) || is_surplus(l))
            drop(l);
    }
}

/* What was asked for before by that key is of a state that has passed; what was asked
 * for later may be made by now, as users take turns, and stays. */
static void drop_former(struct listing *l)
{
    struct listing *o, *next;

    for (o = TAILQ_FIRST(&l->s->api.lists->all); o != l && l->state; o = next) {
        next = TAILQ_NEXT(o, next);
        if (!o->state || !o->complete || strcmp(o->key, l->key) != 0)
            continue;
        o->lacking = true;
        if (!o->readers)
            drop(o);
    }
}

static void fetched(void *ctx)
{
    struct listing *l = ctx;

    l->readers--;
    drop_stale(l->s);
}

static void deliver(struct listing *l, struct request *r)
{
    l->readers++;
    l->wanted_us = clock_us();
    request_reply_shared(r, l->type, l->lacking ? NULL : l->state,
        l->text.text ? l->text.text : "", l->text.len, fetched, l);
}

/* In a while there is something to forget. */
static void arm_forgetting(struct lists *lists, uint64_t after_us)
{
    sd_event_source_set_time_relative(lists->forget, after_us);
    sd_event_source_set_enabled(lists->forget, SD_EVENT_ONESHOT);
}

static void complete(struct listing *l)
{
    struct server *s = l->s;
    struct lists *lists = s->api.lists;

    l->complete = true;
    l->lacking = l->source.lacks && l->source.lacks(l->source.ctx);
    make_nothing(l);
    drop_former(l);
    l->readers++; /* nobody drops it meanwhile */
    for (size_t i = 0; i < l->waiting.n; i++)
        deliver(l, l->waiting.v[i]);
    l->waiting.n = 0;
    l->readers--;
    drop_stale(s);
    arm_forgetting(lists, FORGET_US);
}

/* ---- whose turn it is ---- */

static struct share *share_of(struct lists *lists, const char *user)
{
    for (size_t i = 0; i < lists->shares.n; i++)
        if (strcmp(lists->shares.v[i].user, user) == 0)
            return &lists->shares.v[i];
    return NULL;
}

/* Who comes anew begins where the others are: nobody saves up. */
static void join_shares(struct lists *lists, const char *user)
{
    struct share fresh = {.spent_us = lists->shares.n ? UINT64_MAX : 0};

    if (share_of(lists, user))
        return;
    for (size_t i = 0; i < lists->shares.n; i++)
        if (lists->shares.v[i].spent_us < fresh.spent_us)
            fresh.spent_us = lists->shares.v[i].spent_us;
    snprintf(fresh.user, sizeof fresh.user, "%s", user);
    vec_push(&lists->shares, fresh);
}

/* The first list of the user who had least; NULL when all are made. */
static struct listing *choose_listing(struct lists *lists, struct share **ret)
{
    struct listing *l, *best = NULL;

    *ret = NULL;
    TAILQ_FOREACH(l, &lists->all, next)
    {
        struct share *h = l->complete ? NULL : share_of(lists, l->user);
        if (h && (!*ret || h->spent_us < (*ret)->spent_us)) {
            *ret = h;
            best = l;
        }
    }
    if (!best)
        lists->shares.n = 0;
    return best;
}

/* ---- in the loop ---- */

static void arm(struct lists *lists)
{
    sd_event_source_set_enabled(lists->slice, SD_EVENT_ONESHOT);
    sd_event_source_set_time_relative(lists->patience, PATIENCE_US);
    sd_event_source_set_enabled(lists->patience, SD_EVENT_ONESHOT);
}

static bool is_forsaken(const struct listing *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        if (!request_is_abandoned(l->waiting.v[i]))
            return false;
    return true;
}

/* All who asked for it have gone: it costs others no more. */
static void give_up(struct listing *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        request_refuse_for_now(l->waiting.v[i], AGAIN_S,
            "the connection was closed before the list", NULL);
    drop(l);
}

/* Lists that nobody fetches are memory. */
static bool has_too_many(struct server *s, const char *user)
{
    struct listing *l;
    size_t bytes = 0;

    TAILQ_FOREACH(l, &s->api.lists->all, next)
    if (strcmp(l->user, user) == 0)
        bytes += l->text.cap;
    return bytes > SHARE_MAX;
}

static void refuse_one(struct request *r)
{
    request_refuse_for_now(r, AGAIN_S,
        "lists that were made for you wait to be fetched; try again in a moment", NULL);
}

/* Before it is begun. One that is large by itself is made. */
static void refuse_listing(struct listing *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        refuse_one(l->waiting.v[i]);
    drop(l);
}

/* It came to nothing: half a list would be taken for all of it. */
static bool has_failed(struct listing *l)
{
    const struct err *err = l->source.failed ? l->source.failed(l->source.ctx) : NULL;

    for (size_t i = 0; err && i < l->waiting.n; i++)
        request_refuse(l->waiting.v[i], err);
    return err != NULL;
}

static void end_making(struct listing *l)
{
    if (has_failed(l))
        drop(l);
    else
        complete(l);
}

static void make_slice(struct server *s)
{
    struct share *h;
    struct listing *l = choose_listing(s->api.lists, &h);
    uint64_t begin = clock_us(), now = begin;
    bool more = true;

    sd_event_source_set_enabled(s->api.lists->patience, SD_EVENT_OFF);
    if (!l)
        return;
    stalls_doing(s, "list");
    if (l->slices++ % LOOK_SLICES == 0 && is_forsaken(l)) {
        give_up(l);
        arm(s->api.lists);
        return;
    }
    if (!l->begun && has_too_many(s, l->user)) {
        refuse_listing(l); /* it was asked for before the others were made */
        arm(s->api.lists);
        return;
    }
    if (!l->begun) {
        l->begun = true;
        s->api.lists->begun++;
        l->revision = world_revision(s);
        l->at = world_now(s);
    }
    while (more && now < begin + SLICE_US) {
        more = l->source.more(s, l->source.ctx, &l->text);
        now = clock_us();
    }
    h->spent_us += now - begin;
    if (!more)
        end_making(l);
    arm(s->api.lists);
}

static int on_slice(sd_event_source *source, void *ctx)
{
    (void)source;
    make_slice(ctx);
    return 0;
}

static int on_patience(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    make_slice(ctx);
    return 0;
}

static int on_forget(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    (void)at;
    drop_stale(s);
    if (!TAILQ_EMPTY(&s->api.lists->all))
        arm_forgetting(s->api.lists, KEPT_US);
    return 0;
}

int stream_open(struct server *s, struct err *err)
{
    struct lists *lists = xcalloc(1, sizeof *lists);

    s->api.lists = lists;
    TAILQ_INIT(&lists->all);
    if (sd_event_add_defer(s->loop, &lists->slice, on_slice, s) < 0
        || sd_event_source_set_enabled(lists->slice, SD_EVENT_OFF) < 0
        || sd_event_source_set_priority(lists->slice, PRIORITY_READERS) < 0
        || sd_event_add_time(
               s->loop, &lists->patience, CLOCK_MONOTONIC, 0, 1000, on_patience, s)
               < 0
        || sd_event_source_set_enabled(lists->patience, SD_EVENT_OFF) < 0
        || sd_event_add_time(
               s->loop, &lists->forget, CLOCK_MONOTONIC, 0, 0, on_forget, s)
               < 0
        || sd_event_source_set_enabled(lists->forget, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

void stream_close(struct server *s)
{
    struct lists *lists = s->api.lists;

    if (!lists)
        return;
    while (!TAILQ_EMPTY(&lists->all))
        drop(TAILQ_FIRST(&lists->all));
    sd_event_source_disable_unref(lists->slice);
    sd_event_source_disable_unref(lists->patience);
    sd_event_source_disable_unref(lists->forget);
    vec_fini(&lists->shares);
    free(lists);
    s->api.lists = NULL;
}

/* ---- asking ---- */

bool stream_join(
    struct server *s, struct request *r, const char *key, const char *state)
{
    struct listing *l;

    if (state && request_reply_known(r, state))
        return true;
    TAILQ_FOREACH(l, &s->api.lists->all, next)
    {
        if (!l->key || strcmp(l->key, key) != 0 || !is_of(s, l, state))
            continue;
        if (l->complete)
            deliver(l, r);
        else
            vec_push(&l->waiting, r);
        return true;
    }
    return false;
}

void stream_make(struct server *s, struct request *r, const char *key, const char *type,
    const struct stream_source *source)
{
    const char *user = request_who(r)->user;

    drop_stale(s);
    if (has_too_many(s, user)) {
        source->done(source->ctx);
        refuse_one(r);
        return;
    }
    struct listing *l = xcalloc(1, sizeof *l);
    l->s = s;
    l->key = key ? xstrdup(key) : NULL;
    l->state = source->state ? xstrdup(source->state) : NULL;
    l->type = type;
    l->source = *source;
    snprintf(l->user, sizeof l->user, "%s", user);
    vec_push(&l->waiting, r);
    s->api.lists->made++;
    TAILQ_INSERT_TAIL(&s->api.lists->all, l, next);
    join_shares(s->api.lists, user);
    arm(s->api.lists);
}

/* ---- lists of records ---- */

struct records {
    size_t next, n;
    stream_record_fn *record;
    void *ctx;
    void (*done)(void *ctx);
};

static int add_bytes(const char *bytes, size_t len, void *out)
{
    strbuf_add_n(out, bytes, len);
    return 0;
}

void stream_add(struct strbuf *out, json_t *record)
{
    json_dump_callback(record, add_bytes, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    strbuf_add(out, "\n");
    json_decref(record);
}

static bool more_records(struct server *s, void *ctx, struct strbuf *out)
{
    struct records *t = ctx;
    size_t end = t->n - t->next > RECORDS ? t->next + RECORDS : t->n;

    for (; t->next < end; t->next++) {
        json_t *o = t->record(s, t->ctx, t->next);
        if (o)
            stream_add(out, o);
    }
    return t->next < t->n;
}

static void free_records(void *ctx)
{
    struct records *t = ctx;

    if (t->done)
        t->done(t->ctx);
    free(t);
}

void stream_records(struct server *s, struct request *r, size_t n,
    stream_record_fn *record, void *ctx, void (*free_ctx)(void *ctx))
{
    struct records *t = xcalloc(1, sizeof *t);

    *t = (struct records){.n = n, .record = record, .ctx = ctx, .done = free_ctx};
    stream_make(s, r, NULL, "application/x-ndjson",
        &(struct stream_source){.more = more_records, .done = free_records, .ctx = t});
}

uint64_t stream_begun(const struct server *s)
{
    return s->api.lists ? s->api.lists->begun : 0;
}

bool stream_is_busy(const struct server *s)
{
    return s->api.lists->made > 0;
}
