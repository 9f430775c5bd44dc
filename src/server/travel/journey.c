/* SPDX-License-Identifier: Apache-2.0
 * The way through the journal to what was. */
#include "server/travel/journey.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK 500 /* lines that are read at a time: nobody waits for a long reader */

/* ---- lines ---- */

struct line {
    int64_t seq, at;
    char *text;
};
struct lines VEC(struct line);

static int keep_line(void *ctx, int64_t seq, int64_t at, const char *text)
{
    struct lines *all = ctx;

    vec_push(all, ((struct line){seq, at, xstrdup(text)}));
    return all->n == CHUNK;
}

static void drop_lines(struct lines *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->v[i].text);
    vec_fini(all);
}

/* Called for each line from `first` on. 0 = go on; another number ends the walk, and is
 * returned. */
typedef int line_fn(void *ctx, const struct line *l);

static int walk_lines(struct store *store, int64_t first, int64_t last, line_fn *each,
    void *ctx, struct err *err)
{
    int result = 0;

    while (result == 0) {
        struct lines all = {0};
        result = store_journal_each(store, first, last, keep_line, &all, err);
        bool more = all.n == CHUNK;
        if (result >= 0) {
            result = 0;
            for (size_t i = 0; result == 0 && i < all.n; i++)
                result = each(ctx, &all.v[i]);
            first = all.n ? all.v[all.n - 1].seq + 1 : first;
        }
        drop_lines(&all);
        if (!more)
            break;
    }
    return result;
}

static bool has_begin(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* As the journal writes them: what a line is stands first in it. */
static bool is_cycle(const struct line *l)
{
    return has_begin(l->text, "{\"cycle\":");
}

static bool is_begin(const struct line *l)
{
    return has_begin(l->text, "{\"begin\":");
}

/* ---- which cycle ---- */

/* A walk over lines, and what it has seen. */
struct search {
    const struct wish *wish;
    int64_t left; /* of CYCLES */
    int64_t next; /* first line behind where it begins that is kept; 0: none */
    int64_t life; /* line of the begin of the one that it is in; 0 = none yet */
    bool met;     /* ABOUT: something was decided, its cycle is still to come */
    struct place last, found; /* the last cycle; the one that is wished for */
};

/* "start 12 on n1:2 backfill": what was decided, about which job. */
static bool is_about(const char *decided, const char *job)
{
    const char *second = strchr(decided, ' ');
    size_t n = strlen(job);

    return second && strncmp(second + 1, job, n) == 0
           && (second[1 + n] == 0 || second[1 + n] == ' ' || second[1 + n] == ':');
}

static bool decides_about(const struct line *l, const char *job)
{
    bool found = false;
    json_t *o, *one;
    size_t i;

    if (!strstr(l->text, job) || !strstr(l->text, "\"decided\":"))
        return false;
    o = json_loads(l->text, 0, NULL);
    json_array_foreach(json_object_get(o, "decided"), i, one)
    {
        const char *text = json_string_value(one);
        found |= text && is_about(text, job);
    }
    json_decref(o);
    return found;
}

static bool is_in_spans(const json_t *spans, int64_t at)
{
    const json_t *one;
    size_t i;

    if (!json_is_array(spans))
        return true;
    json_array_foreach(spans, i, one)
    {
        if (at >= json_integer_value(json_array_get(one, 0))
            && at <= json_integer_value(json_array_get(one, 1)))
            return true;
    }
    return false;
}

static bool is_wished(struct search *t, const struct line *l)
{
    switch (t->wish->kind) {
    case WISH_LINE:
        return l->seq == t->wish->n;
    case WISH_CYCLES:
        return --t->left == 0;
    case WISH_ABOUT:
        return t->met;
    case WISH_AT:
        break;
    }
    return false;
}

static int look_at_line(void *ctx, const struct line *l)
{
    struct search *t = ctx;

    if (!t->next)
        t->next = l->seq;
    if (t->wish->kind == WISH_AT && l->at > t->wish->n)
        return 1;
    if (is_begin(l))
        t->life = l->seq;
    if (!t->life)
        return 0; /* how that life began is forgotten */
    if (t->wish->kind == WISH_ABOUT && is_in_spans(t->wish->spans, l->at)
        && decides_about(l, t->wish->about))
        t->met = true;
    if (!is_cycle(l))
        return 0;
    t->last = (struct place){.line = l->seq, .at = l->at, .life = t->life};
    if (!is_wished(t, l))
        return 0;
    t->found = t->last;
    return 1;
}

static void write_instant(int64_t at, char *ret, size_t size)
{
    time_t t = (time_t)at;
    struct tm tm;

    if (!localtime_r(&t, &tm) || !strftime(ret, size, "%Y-%m-%d %H:%M:%S", &tm))
        snprintf(ret, size, "%" PRId64, at);
}

static int keep_instant(void *ctx, int64_t seq, int64_t at, const char *text)
{
    (void)seq;
    (void)text;
    *(int64_t *)ctx = at;
    return 1;
}

int64_t journey_oldest(struct store *store)
{
    int64_t at = 0;
    struct err err;

    (void)store_journal_each(store, 1, INT64_MAX, keep_instant, &at, &err);
    return at;
}

static int refuse_wish(struct store *store, const struct wish *w, struct err *err)
{
    int64_t oldest = journey_oldest(store);
    char text[40];

    if (!oldest)
        return err_set(err, ERR_NOT_FOUND, "the journal has no cycle yet");
    if (w->kind == WISH_ABOUT)
        return err_set(err, ERR_NOT_FOUND,
            "nothing was decided about job '%.60s' after that", w->about);
    if (w->kind == WISH_CYCLES)
        return err_set(err, ERR_NOT_FOUND, "there is no cycle after that yet");
    write_instant(oldest, text, sizeof text);
    if (w->kind == WISH_AT && w->n >= oldest)
        return err_set(err, ERR_NOT_FOUND,
            "the journal is kept since %s (%" PRId64 "), and its first cycle is later",
            text, oldest);
    return err_set(err, ERR_NOT_FOUND,
        "the journal is kept since %s (%" PRId64 "): what was before is forgotten "
        "(JOURNALMAXSIZE)",
        text, oldest);
}

int journey_find(struct store *store, const struct wish *w, const struct place *from,
    struct place *ret, struct err *err)
{
    struct search t = {.wish = w, .left = w->n, .life = from->life, .last = {0}};

    *ret = (struct place){0};
    if (walk_lines(store, from->line + 1, INT64_MAX, look_at_line, &t, err) < 0)
        return -1;
    *ret = w->kind == WISH_AT ? t.last : t.found;
    if (w->kind == WISH_AT && !ret->line && from->line && from->at <= w->n
        && (!t.next || t.next == from->line + 1))
        *ret = *from; /* nothing came since */
    return ret->line ? 0 : refuse_wish(store, w, err);
}

/* ---- to it ---- */

void journey_open(
    struct journey *j, struct store *store, const struct replay_look *look)
{
    *j = (struct journey){.store = store, .replay = replay_create()};
    replay_look(j->replay, look);
}

void journey_close(struct journey *j)
{
    if (j->replay)
        replay_destroy(j->replay);
    json_decref(j->decided);
    *j = (struct journey){0};
}

bool journey_reaches(const struct journey *j, const struct place *to)
{
    return !j->place.line || (j->place.life == to->life && to->line >= j->place.line);
}

/* A journey, and where it goes. */
struct going {
    struct journey *j;
    int64_t expected; /* the line that comes next: none is left out */
    struct err *err;
};

static int do_line(void *ctx, const struct line *l)
{
    struct going *g = ctx;
    struct journey *j = g->j;
    json_t *line = json_loads(l->text, 0, NULL), *decided = NULL;
    struct err why = {0};

    if (!line || l->seq != g->expected++) {
        json_decref(line);
        err_set(g->err, ERR_NOT_FOUND,
            line ? "the journal has forgotten line %" PRId64
                 : "line %" PRId64 " cannot be read",
            g->expected - 1);
        return 2;
    }
    int result = replay_line(j->replay, l->seq, line, &decided, &why);
    if (result < 1 && !j->difference[0])
        snprintf(j->difference, sizeof j->difference, "line %" PRId64 ": %.350s",
            l->seq, why.text);
    if (is_cycle(l)) {
        json_decref(j->decided);
        j->decided = json_incref(json_object_get(line, "decided"));
    }
    json_decref(decided);
    json_decref(line);
    return 0;
}

int journey_go(struct journey *j, const struct place *to, struct err *err)
{
    int64_t first = j->place.line ? j->place.line + 1 : to->life;
    struct going g = {.j = j, .expected = first, .err = err};

    if (first > to->line)
        return 0;
    if (walk_lines(j->store, first, to->line, do_line, &g, err) != 0)
        return -1;
    if (g.expected <= to->line)
        return err_set(
            err, ERR_NOT_FOUND, "the journal ends before line %" PRId64, to->line);
    j->place = *to;
    return 0;
}
