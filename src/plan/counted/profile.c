/* SPDX-License-Identifier: Apache-2.0
 * See profile.h. A vector beats lists and trees up to some ten thousand steps:
 * inserting is one memmove, searching is a scan of 4-byte values. */
#include "plan/counted/profile.h"

#include "base/timeval.h"
#include "base/xalloc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void profile_init(struct profile *p)
{
    memset(p, 0, sizeof *p);
}

void profile_fini(struct profile *p)
{
    free(p->at);
    free(p->free);
    memset(p, 0, sizeof *p);
}

void profile_copy(struct profile *p, const struct profile *from)
{
    p->cap = p->n = from->n;
    p->at = xrealloc(p->at, from->n, sizeof *p->at);
    p->free = xrealloc(p->free, from->n, sizeof *p->free);
    memcpy(p->at, from->at, from->n * sizeof *p->at);
    memcpy(p->free, from->free, from->n * sizeof *p->free);
}

static void make_room(struct profile *p, uint32_t more)
{
    if (p->n + more <= p->cap)
        return;
    p->cap = (p->n + more) * 2 + 30;
    p->at = xrealloc(p->at, p->cap, sizeof *p->at);
    p->free = xrealloc(p->free, p->cap, sizeof *p->free);
}

void profile_assign(struct profile *p, const struct profile *from)
{
    p->n = 0;
    make_room(p, from->n);
    p->n = from->n;
    memcpy(p->at, from->at, from->n * sizeof *p->at);
    memcpy(p->free, from->free, from->n * sizeof *p->free);
}

void profile_reset(struct profile *p, int64_t now, int32_t free)
{
    make_room(p, 1);
    p->at[0] = now;
    p->free[0] = free;
    p->n = 1;
}

void profile_append(struct profile *p, int64_t at, int32_t free)
{
    assert(at >= p->at[p->n - 1]);
    if (at == p->at[p->n - 1]) {
        p->free[p->n - 1] = free;
        return;
    }
    make_room(p, 1);
    p->at[p->n] = at;
    p->free[p->n] = free;
    p->n++;
}

uint32_t profile_index(const struct profile *p, int64_t at)
{
    const int64_t *low = p->at;

    for (uint32_t n = p->n, half; n > 1; n -= half) { /* no branch to be guessed */
        half = n / 2;
        low += low[half] <= at ? half : 0;
    }
    return (uint32_t)(low - p->at);
}

void profile_advance(struct profile *p, int64_t now)
{
    uint32_t i = now > p->at[0] ? profile_index(p, now) : 0;

    if (i) {
        p->n -= i;
        memmove(p->at, p->at + i, p->n * sizeof *p->at);
        memmove(p->free, p->free + i, p->n * sizeof *p->free);
    }
    if (p->at[0] < now)
        p->at[0] = now;
}

int64_t profile_fit(
    const struct profile *p, int64_t from, int32_t need, int64_t duration)
{
    return profile_fit_before(p, from, TIME_NEVER, need, duration);
}

/* Steps are looked at so many at once, four by one instruction. */
#define BLOCK 8u
typedef int32_t four __attribute__((vector_size(16)));

static bool any_of(four found)
{
    uint64_t halves[2];

    memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

static bool any_from(const int32_t *free, int32_t need)
{
    four found = {0};

    for (uint32_t i = 0; i < BLOCK; i += 4) {
        four x;
        memcpy(&x, free + i, sizeof x);
        found |= x >= need;
    }
    return any_of(found);
}

static bool any_below(const int32_t *free, int32_t need)
{
    four found = {0};

    for (uint32_t i = 0; i < BLOCK; i += 4) {
        four x;
        memcpy(&x, free + i, sizeof x);
        found |= x < need;
    }
    return any_of(found);
}

/* The first step from `i` on with enough, or that begins at `before` or later. */
static uint32_t first_from(
    const struct profile *p, uint32_t i, int64_t before, int32_t need)
{
    while (i + BLOCK <= p->n && p->at[i] < before && !any_from(p->free + i, need))
        i += BLOCK;
    for (uint32_t n = p->n; i < n && p->free[i] < need && p->at[i] < before; i++)
        ;
    return i;
}

/* The first step from `i` on with too little, or that begins at `end` or later. */
static uint32_t first_below(
    const struct profile *p, uint32_t i, int64_t end, int32_t need)
{
    while (i + BLOCK <= p->n && p->at[i + BLOCK - 1] < end
           && !any_below(p->free + i, need))
        i += BLOCK;
    for (uint32_t n = p->n; i < n && p->free[i] >= need && p->at[i] < end; i++)
        ;
    return i;
}

static int64_t find_stretch(const struct profile *p, int64_t from, int64_t before,
    int32_t need, int64_t duration, struct profile_stretch *ret)
{
    uint32_t i = p->n > 1 && p->at[1] <= from ? profile_index(p, from) : 0;

    while ((i = first_from(p, i, before, need)) < p->n) {
        if (p->at[i] >= before)
            return p->at[i];
        int64_t start = p->at[i] > from ? p->at[i] : from;
        int64_t end = time_add(start, duration);
        ret->first = i;
        ret->behind = i = first_below(p, i + 1, end, need);
        if (i == p->n || p->at[i] >= end)
            return start;
    }
    return TIME_NEVER;
}

int64_t profile_fit_before(const struct profile *p, int64_t from, int64_t before,
    int32_t need, int64_t duration)
{
    struct profile_stretch ignored;

    return find_stretch(p, from, before, need, duration, &ignored);
}

int32_t profile_min(const struct profile *p, int64_t start, int64_t end)
{
    uint32_t i = profile_index(p, start);
    int32_t least = p->free[i];

    for (i++; i < p->n && p->at[i] < end; i++)
        if (p->free[i] < least)
            least = p->free[i];
    return least;
}

int32_t profile_least(
    const struct profile *p, int64_t start, int64_t end, int64_t *ret_more)
{
    uint32_t i = profile_index(p, start), low = i;

    for (i++; i < p->n && p->at[i] < end; i++)
        if (p->free[i] <= p->free[low])
            low = i;
    if (ret_more)
        *ret_more = low + 1 < p->n ? p->at[low + 1] : TIME_NEVER;
    return p->free[low];
}

/* Make sure a step begins exactly at `at`, which lies in step `i` or is its
 * start; returns that step's index. */
static uint32_t split(struct profile *p, uint32_t i, int64_t at)
{
    if (p->at[i] == at)
        return i;
    make_room(p, 1);
    memmove(p->at + i + 2, p->at + i + 1, (p->n - i - 1) * sizeof *p->at);
    memmove(p->free + i + 2, p->free + i + 1, (p->n - i - 1) * sizeof *p->free);
    p->at[i + 1] = at;
    p->free[i + 1] = p->free[i];
    p->n++;
    return i + 1;
}

int64_t profile_seek(const struct profile *p, int64_t from, int32_t need,
    int64_t duration, struct profile_stretch *ret)
{
    return find_stretch(p, from, TIME_NEVER, need, duration, ret);
}

void profile_occupy(struct profile *p, const struct profile_stretch *s, int64_t start,
    int64_t end, int32_t amount)
{
    if (end <= start)
        return;
    if (end < TIME_NEVER && (s->behind == p->n || p->at[s->behind] != end))
        split(p, s->behind - 1, end);
    uint32_t before = p->n, first = split(p, s->first, start);
    uint32_t behind = s->behind + (p->n - before);
    for (uint32_t i = first; i < behind; i++)
        p->free[i] -= amount;
}

int32_t profile_claim(struct profile *p, int64_t start, int64_t end, int32_t amount)
{
    if (start < p->at[0])
        start = p->at[0];
    if (end <= start || amount == 0)
        return 0;
    uint32_t first = split(p, profile_index(p, start), start);
    uint32_t last = p->n;

    if (end < TIME_NEVER) {
        uint32_t i = first;
        while (i + BLOCK < p->n && p->at[i + BLOCK] <= end)
            i += BLOCK;
        while (i + 1 < p->n && p->at[i + 1] <= end)
            i++;
        last = split(p, i, end);
    }
    int32_t least = INT32_MAX;
    for (uint32_t i = first; i < last; i++) {
        p->free[i] -= amount;
        least = p->free[i] < least ? p->free[i] : least;
    }
    return least;
}

void profile_take(struct profile *p, int64_t start, int64_t end, int32_t amount)
{
    int32_t least = profile_claim(p, start, end, amount);

    assert(amount < 0 || least >= 0);
    (void)least;
}

void profile_lower(struct profile *p, int64_t at, int32_t most)
{
    int32_t more = p->free[profile_index(p, at)] - most;

    if (more > 0)
        profile_claim(p, at, at + 1, more);
}
