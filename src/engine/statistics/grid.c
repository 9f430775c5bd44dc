/* SPDX-License-Identifier: Apache-2.0
 * The statistics by size and length of jobs. */
#include "base/xalloc.h"
#include "cluster/cluster.h"
#include "config/settings.h"
#include "engine/statistics/private.h"

#include <math.h>
#include <string.h>

/* Bounds from `min` to `max` in so many steps of one ratio, ascending; equal ones are
 * one. Source: reference commands, showgrid. */
static uint32_t make_bounds(int64_t min, int64_t max, int64_t steps, int64_t *ret)
{
    uint32_t n = 0;

    min = min > 0 ? min : 1;
    max = max > min ? max : min;
    for (int64_t i = 0; i <= steps; i++) {
        double ratio = pow((double)max / (double)min, (double)i / (double)steps);
        int64_t bound = llround((double)min * ratio);
        if (n == 0 || bound > ret[n - 1])
            ret[n++] = bound;
    }
    return n;
}

static void make_grid(struct stat_grid *g, const struct settings *cfg)
{
    g->rows = make_bounds(
        cfg->plot_min_proc, cfg->plot_max_proc, cfg->plot_proc_scale, g->procs);
    g->columns = make_bounds(
        cfg->plot_min_time_s, cfg->plot_max_time_s, cfg->plot_time_scale, g->times_s);
}

static bool same_bounds(const struct stat_grid *a, const struct stat_grid *b)
{
    return a->rows == b->rows && a->columns == b->columns
           && memcmp(a->procs, b->procs, a->rows * sizeof *a->procs) == 0
           && memcmp(a->times_s, b->times_s, a->columns * sizeof *a->times_s) == 0;
}

void grid_configure(struct statistics *s, const struct settings *cfg)
{
    struct stat_grid fresh = {0};

    make_grid(&fresh, cfg);
    if (s->grid.cells && same_bounds(&fresh, &s->grid))
        return;
    free(s->grid.cells);
    fresh.cells = xcalloc((size_t)fresh.rows * fresh.columns, sizeof *fresh.cells);
    s->grid = fresh;
    s->cell_changed.n = 0;
    for (size_t i = 0; i < (size_t)fresh.rows * fresh.columns; i++)
        vec_push(&s->cell_changed, 0);
    s->any_cell_changed = false;
}

void grid_reset(struct statistics *s)
{
    size_t n = (size_t)s->grid.rows * s->grid.columns;

    for (size_t i = 0; i < n; i++) {
        if (s->grid.cells[i].jobs)
            s->cell_changed.v[i] = s->any_cell_changed = true;
        s->grid.cells[i] = (struct stat_sums){0};
    }
}

static uint32_t bound_of(const int64_t *bounds, uint32_t n, double value)
{
    uint32_t i = 0;

    while (i + 1 < n && value > (double)bounds[i])
        i++;
    return i;
}

struct stat_sums *grid_cell(struct statistics *s, uint32_t procs, double limit_s)
{
    uint32_t row = bound_of(s->grid.procs, s->grid.rows, procs);
    uint32_t column = bound_of(s->grid.times_s, s->grid.columns, limit_s);
    size_t i = (size_t)row * s->grid.columns + column;

    s->cell_changed.v[i] = s->any_cell_changed = true;
    return &s->grid.cells[i];
}

const struct stat_grid *statistics_grid(const struct statistics *s)
{
    return &s->grid;
}
