/* SPDX-License-Identifier: Apache-2.0
 * See openings.h. Cells are as long as a power of two, so that finding one is a shift.
 */
#include "plan/openings.h"

#include "base/xalloc.h"

#include <assert.h>
#include <stdlib.h>

#define CELLS 256

struct openings {
    int64_t from, to;
    uint32_t shift;
    struct bitset some[CELLS], full[CELLS], answer;
};

struct openings *openings_create(void)
{
    return xcalloc(1, sizeof(struct openings));
}

void openings_destroy(struct openings *o)
{
    for (uint32_t i = 0; o && i < CELLS; i++) {
        bitset_fini(&o->some[i]);
        bitset_fini(&o->full[i]);
    }
    if (o)
        bitset_fini(&o->answer);
    free(o);
}

void openings_reset(struct openings *o, int64_t from, int64_t to)
{
    assert(from < to);
    o->from = from;
    o->to = to;
    o->shift = 0;
    while ((to - from) >> o->shift >= CELLS)
        o->shift++;
    for (uint32_t i = 0; i < CELLS; i++) {
        bitset_clear_all(&o->some[i]);
        bitset_clear_all(&o->full[i]);
    }
}

/* The cell of an instant; those before the first cell lie in it, and those behind the
 * end in the last one that can be asked about. */
static uint32_t cell(const struct openings *o, int64_t at)
{
    at = at < o->to ? at : o->to - 1;
    return at > o->from ? (uint32_t)((at - o->from) >> o->shift) : 0;
}

static int64_t begin_of(const struct openings *o, uint32_t i)
{
    return o->from + ((int64_t)i << o->shift);
}

void openings_put(struct openings *o, uint32_t pool, int64_t from, int64_t to)
{
    if (from >= o->to || to <= o->from)
        return;
    uint32_t first = cell(o, from), last = cell(o, to - 1);
    for (uint32_t i = first; i <= last; i++) {
        bitset_set(&o->some[i], pool);
        int64_t end = begin_of(o, i + 1) < o->to ? begin_of(o, i + 1) : o->to;
        if (begin_of(o, i) >= from && end <= to)
            bitset_set(&o->full[i], pool);
    }
}

void openings_cut(struct openings *o, uint32_t pool, int64_t *io_from, int64_t *io_to)
{
    uint32_t first = cell(o, *io_from), last = cell(o, *io_to - 1);

    for (uint32_t i = first; i <= last; i++) {
        bitset_clear(&o->some[i], pool);
        bitset_clear(&o->full[i], pool);
    }
    *io_from = begin_of(o, first);
    *io_to = begin_of(o, last + 1) < o->to ? begin_of(o, last + 1) : o->to;
}

const struct bitset *openings_during(struct openings *o, int64_t start, int64_t end)
{
    uint32_t first = cell(o, start), last = cell(o, end - 1);

    bitset_copy(&o->answer, &o->some[first]);
    for (uint32_t i = first + 1; i < last; i++)
        bitset_and(&o->answer, &o->full[i]);
    if (last > first)
        bitset_and(&o->answer, &o->some[last]);
    return &o->answer;
}
