/* SPDX-License-Identifier: Apache-2.0
 * Pictures of nodes over time: the rows, and what is in a window of them. */
#include "server/timeline/timeline.h"

#include "base/xalloc.h"
#include "server/api/api.h"
#include "server/api/sharing.h"
#include "server/api/words.h"
#include "server/events/feed.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/collect.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#define PX_MAX     8192
#define SPAN_MAX   (INT64_C(366) * 86400)
#define FROM_MAX   (INT64_C(1) << 40)
#define NODES_TURN 100
#define ITEMS_TURN 20000
#define PACK_BYTES 65536u
#define STATE_MAX  REQUEST_STATE_MAX
#define FOLD_MAX   4096

/* Foresight is told as far as it has come after so many turns, where the plan became
 * another so often meanwhile, or at all within that time. */
#define TRIES_MAX    5000
#define PLANS_MAX    3
#define FORESIGHT_US 2000000

/* A picture is of one state of the world. Where that changes faster than rows can be
 * looked at, the picture after so many attempts is told as one that is not whole. */
#define AGAIN_MAX 5

/* ---- words of the query ---- */

static const char *colour_name(size_t i)
{
    return i < CRED_KINDS ? render_cred_key((enum cred_kind)i) : NULL;
}

static const char *shape_name(size_t i)
{
    static const char *const names[] = {"auto", "pieces", "cells"};

    return i < 3 ? names[i] : NULL;
}

/* One of the words, or the first where none is asked for. */
static int read_word(
    struct request *r, const char *parameter, word_at_fn *at, int *ret, struct err *err)
{
    const char *word = request_query(r, parameter);

    *ret = word && *word ? words_find(parameter, at, word, err) : 0;
    return *ret < 0 ? -1 : 0;
}

static int read_layers(const char *text, unsigned *ret, struct err *err)
{
    if (text && *text)
        return words_read("layers", layer_name, text, ret, err);
    *ret = (1u << LAYERS) - 1;
    return 0;
}

/* What nodes have besides their size is for administrators, as in other lists. */
static int read_by(struct request *r, int *ret, struct err *err)
{
    if (identity_is_kept_from(request_who(r), RM_HIDES_NODES))
        return identity_deny_nodes(err);
    if (read_word(r, "by", rows_by_name, ret, err) < 0)
        return -1;
    if (*ret > ROWS_BY_STATE && !identity_is(request_who(r), WHO_ADMIN3))
        return err_set(err, ERR_DENIED,
            "by: which classes and features nodes have, and in which frame they are, "
            "is "
            "shown to administrators and operators only; partition and state are for "
            "everybody");
    return 0;
}

/* Groups that are one row each. Each group of nodes is looked for among them. */
static int read_fold(struct request *r, const char **ret, struct err *err)
{
    const char *fold = request_query(r, "fold");

    *ret = fold ? fold : "";
    if (strlen(*ret) > FOLD_MAX)
        return err_set(
            err, ERR_INVALID, "fold: longer than %d bytes; * are all groups", FOLD_MAX);
    return 0;
}

/* "0-99", the rows themselves counted. */
static int read_rows(
    const char *text, uint32_t all, struct window_asked *ret, struct err *err)
{
    char *end;

    ret->first = 0;
    ret->rows = all;
    if (!text || !*text)
        return 0;
    unsigned long first = strtoul(text, &end, 10), last;
    if (end == text || *end != '-')
        return err_set(err, ERR_INVALID, "rows: '%.40s': expected FIRST-LAST", text);
    const char *second = end + 1;
    last = strtoul(second, &end, 10);
    if (end == second || *end || *text == '-' || *second == '-' || last < first)
        return err_set(err, ERR_INVALID, "rows: '%.40s': expected FIRST-LAST", text);
    ret->first = first < all ? (uint32_t)first : all;
    ret->rows = last < all ? (uint32_t)last + 1 - ret->first : all - ret->first;
    return 0;
}

static int read_size(struct request *r, const char *name, int64_t otherwise,
    uint32_t *ret, struct err *err)
{
    int64_t n;

    if (request_query_int(r, name, otherwise, &n, err) < 0)
        return -1;
    if (n < 1 || n > PX_MAX)
        return err_set(err, ERR_INVALID, "%s: expected 1 to %d", name, PX_MAX);
    *ret = (uint32_t)n;
    return 0;
}

static int refuse_span(struct err *err)
{
    return err_set(err, ERR_INVALID,
        "from, to: expected instants, the second later than the first, and a year "
        "apart at most");
}

static int read_span(
    struct request *r, int64_t now, struct window_asked *ret, struct err *err)
{
    if (request_query_int(r, "from", now - 3600, &ret->from_at, err) < 0)
        return -1;
    if (ret->from_at < -SPAN_MAX || ret->from_at > FROM_MAX)
        return refuse_span(err); /* before anything is added to it */
    if (request_query_int(r, "to", ret->from_at + 86400, &ret->to_at, err) < 0)
        return -1;
    if (ret->to_at <= ret->from_at || ret->to_at > ret->from_at + SPAN_MAX)
        return refuse_span(err);
    return 0;
}

static int read_window(struct server *s, struct request *r, uint32_t all,
    struct window_asked *ret, struct err *err)
{
    int colour = 0, shape = 0;

    if (read_span(r, world_now(s), ret, err) < 0
        || read_rows(request_query(r, "rows"), all, ret, err) < 0
        || read_size(r, "width", 1600, &ret->width, err) < 0
        || read_size(r, "height", 900, &ret->height, err) < 0
        || read_layers(request_query(r, "layers"), &ret->layers, err) < 0
        || read_word(r, "color", colour_name, &colour, err) < 0
        || read_word(r, "as", shape_name, &shape, err) < 0)
        return -1;
    ret->colour = (enum cred_kind)colour;
    ret->pieces = shape == 1;
    ret->cells = shape == 2;
    return 0;
}

/* ---- the rows: what has not changed is not told again ---- */

void api_rows(struct server *s, struct request *r)
{
    bool whole = identity_is(request_who(r), WHO_ADMIN3);
    const char *fold;
    struct err err;
    char tag[24];
    int by;

    if (read_by(r, &by, &err) < 0 || read_fold(r, &fold, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    struct rows *rows = rows_hold(s, (enum rows_by)by, fold);
    snprintf(tag, sizeof tag, "\"%s\"", rows->tag[whole]);
    if (!request_reply_known(r, rows->tag[whole])) {
        const struct reply_header headers[] = {{"Content-Type", "application/json"},
            {"Cache-Control", "no-store"}, {"ETag", tag}, {NULL, NULL}};
        char *text = xstrdup(rows->text[whole]);
        request_reply_bytes(r, 200, text, strlen(text), true, headers);
    }
    rows_release(rows);
}

/* ---- the window ---- */

struct telling {
    struct window_asked asked;
    struct identity who;
    struct rows *rows; /* held */
    struct collected *found;
    struct writing *writing; /* of `found` */
    struct strbuf bytes;     /* not packed yet */
    size_t packed;           /* so many of them are */
    z_stream z;
    unsigned again;        /* begun anew, so often, as the world had changed */
    unsigned tries, plans; /* turns of foresight; how many plans they have seen */
    uint64_t plan;         /* the last of them */
    uint64_t begun_us;     /* of that clock; 0 = it has not begun */
    bool pack, foresees, written;
    bool lacks;   /* what is foreseen: there was no time for all of it */
    bool packing; /* `z` is in use */
    char state[STATE_MAX];
};

static uint64_t clock_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* With each plan a forecast begins anew: on a site where plans come faster than it is
 * made there is none. Promises take few turns, and one where plans come faster than
 * that, so they are always of the last plan. */
static bool has_time_left(struct server *s, struct telling *t)
{
    uint64_t now = clock_us();

    if (!t->begun_us)
        t->begun_us = now;
    if (!t->plans || t->plan != feed_plan(s))
        t->plans++;
    t->plan = feed_plan(s);
    return t->plans == 1 || (t->plans <= PLANS_MAX && now < t->begun_us + FORESIGHT_US);
}

static bool foresee_more(struct server *s, struct telling *t)
{
    bool forecast = t->asked.layers >> LAYER_FORECAST & 1;

    return t->foresees && t->tries++ < TRIES_MAX
           && foresight_more(s, forecast && has_time_left(s, t));
}

static bool pack_some(struct telling *t, struct strbuf *out)
{
    size_t left = t->bytes.len - t->packed;
    size_t n = left < PACK_BYTES ? left : PACK_BYTES;
    static const size_t room = PACK_BYTES + 1024;
    char *to = xmalloc(room);

    t->z.next_in = (unsigned char *)t->bytes.text + t->packed;
    t->z.avail_in = (unsigned)n;
    t->packed += n;
    int flush = n == left ? Z_FINISH : Z_NO_FLUSH, result;
    do {
        t->z.next_out = (unsigned char *)to;
        t->z.avail_out = (unsigned)room;
        result = deflate(&t->z, flush);
        strbuf_add_n(out, to, room - t->z.avail_out);
    } while (t->z.avail_out == 0 && result == Z_OK);
    free(to);
    return n < left;
}

/* Where there was no time for all of it, the answer is of no state: whoever asks with
 * it again is not told that there is nothing newer. */
static void note_lack(struct server *s, struct telling *t)
{
    size_t n = strlen(t->state);

    t->lacks =
        t->foresees && !foresight_is_whole(s, t->asked.layers >> LAYER_FORECAST & 1);
    if (t->lacks)
        snprintf(t->state + n, sizeof t->state - n, ".part");
}

static bool lacks_some(void *ctx)
{
    const struct telling *t = ctx;

    return t->lacks;
}

static bool tell_window(struct server *s, void *ctx, struct strbuf *out)
{
    struct telling *t = ctx;

    if (t->written)
        return pack_some(t, out);
    if (!t->found && foresee_more(s, t))
        return true;
    if (!t->found) {
        t->found = collect_begin(s, &t->who, &t->asked, rows_share(t->rows));
        return true;
    }
    if (!t->writing && !collect_is_whole(t->found) && t->again++ < AGAIN_MAX) {
        collect_end(t->found);
        t->found = NULL; /* where jobs will be may be another now as well */
        return true;
    }
    if (!t->writing && collect_more(t->found, NODES_TURN))
        return true;
    if (!t->writing) {
        note_lack(s, t);
        t->writing = writing_begin(t->found, t->state);
    }
    if (writing_more(t->writing, ITEMS_TURN))
        return true;
    t->packing = t->pack && deflateInit(&t->z, 1) == Z_OK;
    strbuf_add_n(out, t->packing ? "MAUITLZ\1" : "MAUITL\0\1", 8);
    t->written = true;
    writing_tell(t->writing, t->packing ? &t->bytes : out);
    return t->packing;
}

static void free_telling(void *ctx)
{
    struct telling *t = ctx;

    writing_end(t->writing);
    if (t->found)
        collect_end(t->found);
    rows_release(t->rows);
    free(t->bytes.text);
    if (t->packing)
        deflateEnd(&t->z);
    free(t);
}

/* Of the world, of the plan and of the nodes. */
static char *key_for(struct server *s, struct request *r, struct telling *t)
{
    bool whole = identity_is(&t->who, WHO_ADMIN3);
    char of[STATE_MAX / 2];

    snprintf(of, sizeof of, "%lu.%lu.%s", (unsigned long)feed_revision(s),
        (unsigned long)feed_plan(s), t->rows->tag[whole]);
    return sharing_key(s, r, of, t->state, sizeof t->state);
}

void api_timeline(struct server *s, struct request *r)
{
    struct telling *t = xcalloc(1, sizeof *t);
    const char *packed = request_query(r, "packed"), *fold;
    struct err err;
    int by = 0;

    t->who = *request_who(r);
    t->pack = packed && strcmp(packed, "1") == 0;
    if (read_by(r, &by, &err) < 0 || read_fold(r, &fold, &err) < 0
        || read_window(s, r, (t->rows = rows_hold(s, (enum rows_by)by, fold))->n,
               &t->asked, &err)
               < 0) {
        free_telling(t);
        request_refuse(r, &err);
        return;
    }
    t->foresees =
        (t->asked.layers & (1u << LAYER_PROMISED | 1u << LAYER_FORECAST)) != 0;
    char *key = key_for(s, r, t);
    if (stream_join(s, r, key, t->state))
        free_telling(t);
    else
        stream_make(s, r, key, "application/octet-stream",
            &(struct stream_source){.more = tell_window,
                .done = free_telling,
                .ctx = t,
                .state = t->state,
                .lacks = lacks_some});
    free(key);
}
