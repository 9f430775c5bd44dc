/* SPDX-License-Identifier: Apache-2.0
 * See free_cells.h. Cells are as long as a power of two, so that finding one is a
 * shift.
 */
#include "plan/counted/free_cells.h"

#include "base/xalloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 512

/* So many pools are loaded together. */
#define BLOCK 64

/* Those of 64 pools, pool by pool: bits are cells. */
struct rows {
    uint64_t some[BLOCK][CELLS / 64], full[BLOCK][CELLS / 64];
};

struct free_cells {
    int64_t from, to;
    uint32_t shift, words; /* of one cell */
    uint64_t *some, *full; /* pools, cell by cell */
    struct bitset answer;
    uint32_t block;    /* of pools that are being loaded */
    struct rows *rows; /* NULL = none are */
};

struct free_cells *free_cells_create(void)
{
    return xcalloc(1, sizeof(struct free_cells));
}

void free_cells_destroy(struct free_cells *o)
{
    if (!o)
        return;
    bitset_fini(&o->answer);
    free(o->some);
    free(o->full);
    free(o->rows);
    free(o);
}

void free_cells_reset(struct free_cells *o, uint32_t pools, int64_t from, int64_t to)
{
    assert(from < to);
    o->from = from;
    o->to = to;
    o->shift = 0;
    while ((to - from) >> o->shift >= CELLS)
        o->shift++;
    o->words = pools / 64 + 1;
    free(o->some);
    free(o->full);
    o->some = xcalloc((size_t)CELLS * o->words, sizeof *o->some);
    o->full = xcalloc((size_t)CELLS * o->words, sizeof *o->full);
}

/* The cell of an instant; those before the first cell lie in it, and those behind the
 * end in the last one that can be asked about. */
static uint32_t cell_of(const struct free_cells *o, int64_t at)
{
    at = at < o->to ? at : o->to - 1;
    return at > o->from ? (uint32_t)((at - o->from) >> o->shift) : 0;
}

/* The word of a cell that the pool has a bit in. */
static size_t word_of(const struct free_cells *o, uint32_t i, uint32_t pool)
{
    return (size_t)i * o->words + pool / 64;
}

static int64_t begin_of(const struct free_cells *o, uint32_t i)
{
    return o->from + ((int64_t)i << o->shift);
}

/* Cells [first, last] that [from, to) lies in, of which [full, full_end) lie in it; 0 =
 * none. */
struct cells {
    uint32_t first, last, full, full_end;
};

static bool find_cells(
    const struct free_cells *o, int64_t from, int64_t to, struct cells *ret)
{
    if (from >= o->to || to <= o->from)
        return false;
    uint32_t first = cell_of(o, from), last = cell_of(o, to - 1);
    int64_t end = begin_of(o, last + 1) < o->to ? begin_of(o, last + 1) : o->to;
    *ret = (struct cells){
        first, last, first + (begin_of(o, first) < from), last + (to >= end)};
    return true;
}

void free_cells_put(struct free_cells *o, uint32_t pool, int64_t from, int64_t to)
{
    uint64_t bit = UINT64_C(1) << pool % 64;
    struct cells x;

    if (!find_cells(o, from, to, &x))
        return;
    for (uint32_t i = x.first; i <= x.last; i++)
        o->some[word_of(o, i, pool)] |= bit;
    for (uint32_t i = x.full; i < x.full_end; i++)
        o->full[word_of(o, i, pool)] |= bit;
}

/* ---- many at once ---- */

/* Rows become columns: halves of halves change places. */
static void turn_over(uint64_t *m)
{
    uint64_t mask = UINT32_MAX;

    for (uint32_t j = 32; j; j >>= 1, mask ^= mask << j)
        for (uint32_t k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            uint64_t t = ((m[k] >> j) ^ m[k | j]) & mask;
            m[k] ^= t << j;
            m[k | j] ^= t;
        }
}

static void load_block(
    const struct free_cells *o, const uint64_t (*rows)[CELLS / 64], uint64_t *cells)
{
    uint64_t m[BLOCK];

    for (uint32_t w = 0; w < CELLS / 64; w++) {
        for (uint32_t i = 0; i < BLOCK; i++)
            m[i] = rows[i][w];
        turn_over(m);
        for (uint32_t i = 0; i < 64; i++)
            cells[word_of(o, w * 64 + i, o->block * BLOCK)] = m[i];
    }
}

void free_cells_loaded(struct free_cells *o)
{
    if (!o->rows)
        return;
    load_block(o, (const uint64_t(*)[CELLS / 64]) o->rows->some, o->some);
    load_block(o, (const uint64_t(*)[CELLS / 64]) o->rows->full, o->full);
    free(o->rows);
    o->rows = NULL;
}

static void set_bits(uint64_t *row, uint32_t from, uint32_t end)
{
    struct bitset bits = {row, CELLS / 64};

    if (from < end)
        bitset_set_range(&bits, from, end);
}

void free_cells_load(struct free_cells *o, uint32_t pool, int64_t from, int64_t to)
{
    struct cells x;

    if (!find_cells(o, from, to, &x))
        return;
    if (o->rows && o->block != pool / BLOCK)
        free_cells_loaded(o);
    if (!o->rows)
        o->rows = xcalloc(1, sizeof *o->rows);
    o->block = pool / BLOCK;
    set_bits(o->rows->some[pool % BLOCK], x.first, x.last + 1);
    set_bits(o->rows->full[pool % BLOCK], x.full, x.full_end);
}

void free_cells_cut(
    struct free_cells *o, uint32_t pool, int64_t *io_from, int64_t *io_to)
{
    uint32_t first = cell_of(o, *io_from), last = cell_of(o, *io_to - 1);
    uint64_t others = ~(UINT64_C(1) << pool % 64);

    for (uint32_t i = first; i <= last; i++) {
        o->some[word_of(o, i, pool)] &= others;
        o->full[word_of(o, i, pool)] &= others;
    }
    *io_from = begin_of(o, first);
    *io_to = begin_of(o, last + 1) < o->to ? begin_of(o, last + 1) : o->to;
}

static void keep_cell(struct free_cells *o, const uint64_t *cell)
{
    for (uint32_t k = 0; k < o->words; k++)
        o->answer.w[k] &= cell[k];
}

const struct bitset *free_cells_during(struct free_cells *o, int64_t start, int64_t end)
{
    uint32_t first = cell_of(o, start), last = cell_of(o, end - 1);

    bitset_clear_all(&o->answer); /* it may have been longer */
    bitset_set_range(&o->answer, 0, o->words * 64);
    keep_cell(o, o->some + word_of(o, first, 0));
    keep_cell(o, o->some + word_of(o, last, 0));
    for (uint32_t i = first + 1; i < last; i++)
        keep_cell(o, o->full + word_of(o, i, 0));
    return &o->answer;
}
