/* SPDX-License-Identifier: Apache-2.0
 * When a job of each size and length could start. */
#include "client/jobs/startgrid.h"

#include "client/kit/layout.h"
#include "client/kit/request.h"

#include <stdio.h>

/* One cell; NULL when the scheduler does not answer. */
static json_t *ask_cell(
    const struct command_line *l, json_int_t procs, json_int_t seconds)
{
    struct query *q = query_new("/v1/start");
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)procs);
    query_add(q, "procs", text);
    snprintf(text, sizeof text, "%lld", (long long)seconds);
    query_add(q, "duration_s", text);
    json_t *o = ask(l, q);
    query_free(q);
    return o;
}

/* Rows of cells, each an instant or null. NULL after complaining. */
static json_t *ask_all(
    const struct command_line *l, const json_t *grid, json_int_t *ret_now)
{
    json_t *rows = json_array(), *procs, *seconds;
    size_t i, k;

    json_array_foreach(json_object_get(grid, "procs"), i, procs)
    {
        json_t *row = json_array();
        json_array_append_new(rows, row);
        json_array_foreach(json_object_get(grid, "times_s"), k, seconds)
        {
            json_t *o =
                ask_cell(l, json_integer_value(procs), json_integer_value(seconds));
            if (!o) {
                json_decref(rows);
                return NULL;
            }
            json_int_t start = get_int(o, "start_at", 0);
            *ret_now = get_int(o, "at", 0);
            json_array_append_new(row, start ? json_integer(start) : json_null());
            json_decref(o);
        }
    }
    return rows;
}

/* Cells are asked one after the other: "now" of one may be past for the last. */
static double hours_to(json_int_t at, json_int_t now)
{
    return at > now ? (double)(at - now) / 3600 : 0;
}

static void print_grid(const json_t *grid, const json_t *rows, json_int_t now)
{
    const json_t *procs = json_object_get(grid, "procs");
    char date[LAYOUT_DATE_MAX];
    json_t *v, *row;
    size_t i, k;

    printf("\n\nestimates of %s\n\nEstimated Start Time (hours from now)\n\n[ PROCS ]",
        layout_date(now, date));
    json_array_foreach(json_object_get(grid, "times_s"), k, v)
    {
        long long s = json_integer_value(v);
        char time[24];
        snprintf(
            time, sizeof time, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
        printf("[  %8s  ]", time);
    }
    puts("");
    json_array_foreach(rows, i, row)
    {
        printf("[ %4lld  ]", (long long)json_integer_value(json_array_get(procs, i)));
        json_array_foreach(row, k, v)
        {
            if (json_is_null(v))
                printf("[------------]");
            else
                printf("[  %8.2f  ]", hours_to(json_integer_value(v), now));
        }
        puts("");
    }
}

int startgrid_show(const struct command_line *l, const json_t *grid)
{
    json_int_t now = 0;
    json_t *rows = ask_all(l, grid, &now);

    if (!rows)
        return 1;
    if (l->format == FORMAT_JSON)
        return print_json(json_pack("{s:s, s:I, s:O, s:O, s:o}", "type", "ESTSTARTTIME",
            "at", now, "procs", json_object_get(grid, "procs"), "times_s",
            json_object_get(grid, "times_s"), "start_at", rows));
    print_grid(grid, rows, now);
    json_decref(rows);
    return 0;
}
