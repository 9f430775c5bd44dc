/* SPDX-License-Identifier: Apache-2.0
 * A merge sort in turns. */
#include "base/turnsort.h"

#include "base/vec.h"

#include <assert.h>

struct run {
    size_t from, to; /* items */
};

struct items {
    struct VEC(char) bytes;
    struct VEC(struct run) runs;
};

struct turnsort {
    size_t size;
    turnsort_compare_fn *compare;
    void *ctx;
    struct items in, out; /* what is merged, and what has been of this round */
    size_t pair;          /* of `in.runs`: the first of the two that are merged */
    bool merging;         /* some of them are in the last run of `out` */
    bool begun;
    bool cuts, cut;      /* only the first `wanted` are kept; others were cut off, */
    size_t wanted, best; /* all behind the last of so many that are in order */
};

struct turnsort *turnsort_new(size_t size, turnsort_compare_fn *compare, void *ctx)
{
    struct turnsort *t = xcalloc(1, sizeof *t);

    *t = (struct turnsort){.size = size, .compare = compare, .ctx = ctx};
    return t;
}

void turnsort_first(struct turnsort *t, size_t n)
{
    assert(n && n <= TURNSORT_FIRST_MAX && !t->in.bytes.n);
    t->cuts = true;
    t->wanted = n;
}

static void free_items(struct items *i)
{
    vec_fini(&i->bytes);
    vec_fini(&i->runs);
}

void turnsort_free(struct turnsort *t)
{
    if (!t)
        return;
    free_items(&t->in);
    free_items(&t->out);
    free(t);
}

static char *item_at(const struct turnsort *t, const struct items *i, size_t n)
{
    return i->bytes.v + n * t->size;
}

/* Behind the last item; it is part of the last run. */
static void put_item(const struct turnsort *t, struct items *i, const char *item)
{
    vec_reserve(&i->bytes, t->size);
    memcpy(i->bytes.v + i->bytes.n, item, t->size);
    i->bytes.n += t->size;
    i->runs.v[i->runs.n - 1].to++;
}

static void begin_run(const struct turnsort *t, struct items *i)
{
    size_t at = i->bytes.n / t->size;

    vec_push(&i->runs, ((struct run){at, at}));
}

static void sort_run(const struct turnsort *t, const struct run *r)
{
    if (r->to > r->from)
        qsort_r(
            item_at(t, &t->in, r->from), r->to - r->from, t->size, t->compare, t->ctx);
}

/* Others of which nothing is known may be before it. */
static bool is_beyond(const struct turnsort *t, const void *item)
{
    return t->cut && !t->begun
           && (!t->best
               || t->compare(item, item_at(t, &t->in, t->best - 1), t->ctx) >= 0);
}

/* Of one run that is in order. */
static void cut_run(struct turnsort *t, struct run *r)
{
    t->cut = true;
    t->best = r->to = t->wanted;
    t->in.bytes.n = t->wanted * t->size;
}

bool turnsort_wants(const struct turnsort *t, const void *item)
{
    return !is_beyond(t, item);
}

void turnsort_add(struct turnsort *t, const void *item)
{
    struct items *in = &t->in;
    struct run *last = in->runs.n ? &in->runs.v[in->runs.n - 1] : NULL;

    assert(!t->begun);
    if (is_beyond(t, item))
        return;
    if (!last || last->to - last->from == TURNSORT_RUN)
        begin_run(t, in);
    put_item(t, in, item);
    last = &in->runs.v[in->runs.n - 1];
    if (last->to - last->from < TURNSORT_RUN)
        return;
    sort_run(t, last);
    if (t->cuts)
        cut_run(t, last);
}

static void begin_merging(struct turnsort *t)
{
    t->begun = true;
    if (t->in.runs.n)
        sort_run(t, &t->in.runs.v[t->in.runs.n - 1]);
}

/* The next of the two runs, or NULL when both are used up. */
static const char *take_item(struct turnsort *t)
{
    static struct run none = {0, 0};
    struct run *a = &t->in.runs.v[t->pair];
    struct run *b = t->pair + 1 < t->in.runs.n ? a + 1 : &none;
    bool first = a->from < a->to;

    if (!first && b->from == b->to)
        return NULL;
    if (first && b->from < b->to)
        first =
            t->compare(item_at(t, &t->in, a->from), item_at(t, &t->in, b->from), t->ctx)
            <= 0;
    return item_at(t, &t->in, first ? a->from++ : b->from++);
}

/* What has been merged is what is merged next. */
static void begin_round(struct turnsort *t)
{
    struct items used = t->in;

    t->in = t->out;
    used.bytes.n = 0;
    used.runs.n = 0;
    t->out = used;
    t->pair = 0;
}

bool turnsort_more(struct turnsort *t, size_t items)
{
    if (!t->begun)
        begin_merging(t);
    while (items && (t->in.runs.n > 1 || t->merging)) {
        if (!t->merging)
            begin_run(t, &t->out);
        t->merging = true;
        const char *item = take_item(t);
        if (item) {
            put_item(t, &t->out, item);
            items--;
        } else {
            t->merging = false;
            t->pair += 2;
            if (t->pair >= t->in.runs.n)
                begin_round(t);
        }
    }
    return t->in.runs.n > 1 || t->merging;
}

/* Those of a run that are left move to its begin. Without the last of the best, what is
 * behind those that are left of them is not kept either. */
static void drop_of(struct turnsort *t, struct items *i, struct run *r,
    bool (*is_gone)(const void *item, void *ctx))
{
    size_t left = r->from, best = t->best;

    for (size_t n = r->from; n < r->to; n++) {
        bool gone = is_gone(item_at(t, i, n), t->ctx);
        t->best -= gone && n < best;
        if (gone || (n >= best && is_beyond(t, item_at(t, i, n))))
            continue;
        if (left != n)
            memcpy(item_at(t, i, left), item_at(t, i, n), t->size);
        left++;
    }
    r->to = left;
}

/* Runs that are still filled are at the end: what follows is put behind them. */
static void drop_from(
    struct turnsort *t, struct items *i, bool (*is_gone)(const void *item, void *ctx))
{
    for (size_t k = 0; k < i->runs.n; k++)
        drop_of(t, i, &i->runs.v[k], is_gone);
    if (i->runs.n)
        i->bytes.n = i->runs.v[i->runs.n - 1].to * t->size;
}

void turnsort_drop(struct turnsort *t, bool (*is_gone)(const void *item, void *ctx))
{
    drop_from(t, &t->in, is_gone);
    drop_from(t, &t->out, is_gone);
}

bool turnsort_is_whole(const struct turnsort *t)
{
    return !t->cut;
}

const void *turnsort_items(const struct turnsort *t, size_t *ret_n)
{
    const struct run *r = t->in.runs.n ? &t->in.runs.v[0] : NULL;

    *ret_n = r ? r->to - r->from : 0;
    return *ret_n ? item_at(t, &t->in, r->from) : NULL;
}
