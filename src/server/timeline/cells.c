/* SPDX-License-Identifier: Apache-2.0
 * Sums by rows and seconds. */
#include "server/timeline/cells.h"

#include "base/xalloc.h"
#include "server/server_private.h"

#include <assert.h>
#include <stdlib.h>

#define CELL_PX     4
#define COLUMNS_MAX 512
#define LINES_MAX   512
#define NO_COLOUR   254
#define MIXED       255

static uint32_t parts_of(uint32_t px, uint32_t most)
{
    uint32_t n = px / CELL_PX;

    return n < 1 ? 1 : n < most ? n : most;
}

struct cells *cells_new(
    struct server *s, const struct window_asked *asked, const struct rows *rows)
{
    const struct cluster *cl = engine_cluster(s->engine);
    struct cells *c = xcalloc(1, sizeof *c);
    uint32_t lines = parts_of(asked->height, LINES_MAX);
    uint32_t columns = parts_of(asked->width, COLUMNS_MAX);
    int64_t span = asked->to_at - asked->from_at;

    assert(span > 0); /* the asker's: api/timeline.c */
    c->rows_a_line = (asked->rows + lines - 1) / lines;
    c->rows_a_line += !c->rows_a_line;
    c->lines = (asked->rows + c->rows_a_line - 1) / c->rows_a_line;
    c->seconds_a_column = (span + columns - 1) / columns;
    c->columns = (uint32_t)((span + c->seconds_a_column - 1) / c->seconds_a_column);
    assert(c->columns <= columns && c->lines <= lines);
    size_t n = (size_t)c->lines * c->columns;
    for (int k = 0; k < LAYERS; k++)
        if (asked->layers >> k & 1) {
            c->sum[k] = xcalloc(n + 1, sizeof *c->sum[k]);
            c->more[k] = xcalloc(n + 1, sizeof *c->more[k]);
        }
    c->most = xcalloc(n + 1, sizeof *c->most);
    c->colour = xcalloc(n + 1, sizeof *c->colour);
    c->procs = xcalloc(c->lines + 1, sizeof *c->procs);
    for (uint32_t i = 0; i < asked->rows; i++)
        for (uint32_t k = rows->first[asked->first + i];
             k < rows->first[asked->first + i + 1]; k++)
            if (rows->node[k] < cl->nodes.n)
                c->procs[i / c->rows_a_line] +=
                    (double)node_at(cl, rows->node[k])->cfg.v[RES_PROCS];
    return c;
}

void cells_free(struct cells *c)
{
    if (!c)
        return;
    for (int k = 0; k < LAYERS; k++) {
        free(c->sum[k]);
        free(c->more[k]);
    }
    free(c->most);
    free(c->colour);
    free(c->procs);
    free(c);
}

static void count_vote(struct cells *c, size_t cell, uint32_t colour, float weight)
{
    if (!c->most[cell] || c->colour[cell] == colour) {
        c->colour[cell] = colour;
        c->most[cell] += weight;
    } else if (c->most[cell] >= weight) {
        c->most[cell] -= weight;
    } else {
        c->most[cell] = weight - c->most[cell];
        c->colour[cell] = colour;
    }
}

/* What the piece has of one column, where it has not all of it. */
static void add_part(
    struct cells *c, enum layer layer, size_t cell, uint32_t colour, float amount)
{
    c->sum[layer][cell] += amount;
    c->adds++;
    if (layer == LAYER_USE)
        count_vote(c, cell, colour, amount);
}

/* Whole columns: they are told where they begin and end, and summed up once. */
static void add_columns(struct cells *c, enum layer layer, size_t cell, size_t end,
    const struct piece *p, uint32_t procs)
{
    float amount = (float)((double)c->seconds_a_column * procs);

    c->more[layer][cell] += procs;
    if (end % c->columns)
        c->more[layer][end] -= procs;
    c->adds++;
    if (layer != LAYER_USE)
        return;
    c->adds += end - cell;
    for (; cell < end; cell++)
        count_vote(c, cell, p->colour, amount);
}

static void add_line(struct cells *c, const struct window_asked *asked,
    enum layer layer, const struct piece *p, uint32_t line, uint32_t procs)
{
    int64_t from = p->start_at > asked->from_at ? p->start_at - asked->from_at : 0;
    int64_t to = (p->end_at < asked->to_at ? p->end_at : asked->to_at) - asked->from_at;
    int64_t each = c->seconds_a_column, first = from / each, last = to / each;
    size_t cell = (size_t)line * c->columns;

    if (first == last) {
        add_part(c, layer, cell + (size_t)first, p->colour,
            (float)((double)(to - from) * procs));
        return;
    }
    if (from > first * each) {
        first++;
        add_part(c, layer, cell + (size_t)first - 1, p->colour,
            (float)((double)(first * each - from) * procs));
    }
    if (first < last)
        add_columns(c, layer, cell + (size_t)first, cell + (size_t)last, p, procs);
    if (to > last * each)
        add_part(c, layer, cell + (size_t)last, p->colour,
            (float)((double)(to - last * each) * procs));
}

void cells_add(struct cells *c, const struct window_asked *asked, enum layer layer,
    const struct piece *p)
{
    uint32_t row = p->row - asked->first, end = row + p->rows;

    while (row < end) {
        uint32_t line = row / c->rows_a_line, last = (line + 1) * c->rows_a_line;
        last = last < end ? last : end;
        add_line(c, asked, layer, p, line, p->procs * (last - row));
        row = last;
    }
}

static void sum_line(struct cells *c, int layer, size_t cell)
{
    uint32_t procs = 0;

    for (size_t end = cell + c->columns; cell < end; cell++) {
        procs += c->more[layer][cell];
        c->sum[layer][cell] += (float)((double)procs * (double)c->seconds_a_column);
    }
}

void cells_sum(struct cells *c)
{
    for (int k = 0; k < LAYERS && !c->summed; k++)
        for (uint32_t line = 0; line < c->lines && c->sum[k]; line++)
            sum_line(c, k, (size_t)line * c->columns);
    c->summed = true;
}

uint8_t cells_share(const struct cells *c, enum layer layer, size_t cell)
{
    double all = c->procs[cell / c->columns] * (double)c->seconds_a_column;
    double share = all > 0 ? 255 * (double)c->sum[layer][cell] / all : 0;

    if (share > 254.5)
        return 255;
    return share > 0 && share < 1 ? 1 : (uint8_t)(share + 0.5);
}

uint8_t cells_colour(const struct cells *c, size_t cell)
{
    if (!c->sum[LAYER_USE] || !c->sum[LAYER_USE][cell])
        return NO_COLOUR;
    if (c->most[cell] * 2 < c->sum[LAYER_USE][cell])
        return MIXED;
    return c->colour[cell] < NO_COLOUR     ? (uint8_t)c->colour[cell]
           : c->colour[cell] == UINT32_MAX ? NO_COLOUR
                                           : MIXED;
}
