/* SPDX-License-Identifier: Apache-2.0
 * showgrid: statistics by size and length of jobs. */
#include "client/statistics/showgrid.h"

#include "client/client.h"
#include "client/jobs/startgrid.h"
#include "client/kit/figures.h"
#include "client/kit/gridtext.h"
#include "client/kit/layout.h"

#include <stdio.h>
#include <strings.h>

static const struct option_row options[] = {{0, NULL, NULL, NULL}};

static const struct command_spec spec = {
    .name = "showgrid",
    .usage = "TYPE",
    .summary = "Show statistics of ended jobs by processors and time limit.",
    .options = options,
    .more =
        "TYPE, in any case: AVGXFACTOR MAXXFACTOR AVGQTIME AVGBYPASS MAXBYPASS "
        "JOBCOUNT\n"
        "PHREQUEST PHRUN WCACCURACY BFCOUNT BFPHRUN JOBEFFICIENCY QOSDELIVERED. Rows "
        "and\n"
        "columns are named by their upper bounds (PLOTMINPROC, PLOTMAXTIME ...); a "
        "cell\n"
        "tells the value and from how many jobs. ESTSTARTTIME is not of ended jobs: "
        "when\n"
        "one of that size and length could start, as showstart has it, in hours from "
        "now.\n\n"
        "For administrators of level 1 to 3.\n",
    .examples = "  showgrid AVGXFACTOR    how much longer than its limit a job took\n"
                "  showgrid avgqtime      how long jobs waited, in hours\n"
                "  showgrid ESTSTARTTIME  how long jobs would wait now\n",
};

/* Bounds of rows or columns; how many. */
static uint32_t read_bounds(const json_t *list, int64_t *ret)
{
    uint32_t n = 0;
    json_t *v;
    size_t i;

    json_array_foreach(list, i, v) if (n < STAT_BOUNDS_MAX) ret[n++] =
        json_integer_value(v);
    return n;
}

static void read_grid(const json_t *o, struct stat_grid *ret)
{
    const json_t *rows = json_object_get(o, "cells");
    json_t *line, *cell;
    size_t row, column;

    ret->rows = read_bounds(json_object_get(o, "procs"), ret->procs);
    ret->columns = read_bounds(json_object_get(o, "times_s"), ret->times_s);
    ret->cells = xcalloc((size_t)ret->rows * ret->columns + 1, sizeof *ret->cells);
    json_array_foreach(rows, row, line) json_array_foreach(line, column, cell)
    {
        if (row < ret->rows && column < ret->columns)
            figures_sums(cell, &ret->cells[row * ret->columns + column]);
    }
}

int showgrid_show(const struct command_line *l, const char *type)
{
    bool starts = strcasecmp(type, "ESTSTARTTIME") == 0;
    const struct gridtext_type *t = gridtext_find(starts ? "JOBCOUNT" : type);
    struct query *q = query_new("/v1/statistics/grid");
    char date[LAYOUT_DATE_MAX];

    query_part(q, t ? gridtext_type_name(t) : type);
    json_t *o = ask(l, q);
    query_free(q);
    if (o && starts) {
        int status = startgrid_show(l, o);
        json_decref(o);
        return status;
    }
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o || !t) {
        json_decref(o);
        return 1;
    }
    struct stat_grid g = {0};
    struct stat_sums total;
    read_grid(o, &g);
    figures_sums(json_object_get(o, "total"), &total);
    printf("\n\nstatistics since %s\n\n", layout_date(get_int(o, "since", 0), date));
    gridtext_print(t, &g, &total, false);
    free(g.cells);
    json_decref(o);
    return 0;
}

static int run(const struct command_line *l)
{
    if (l->nargs != 1)
        return command_wrong(l, "%s",
            l->nargs ? "one type at a time" : "a type of statistics is needed");
    return showgrid_show(l, l->args[0]);
}

int showgrid_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
