/* SPDX-License-Identifier: Apache-2.0
 * setdeadline, releasedeadline, showdeadline: by when jobs have to be complete. */
#include "base/zone.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/orders.h"
#include "client/kit/request.h"
#include "config/setres.h"

#include <stdio.h>

/* ---- set ---- */

static const struct command_spec set_spec = {
    .name = "setdeadline",
    .usage = "JOB TIME",
    .summary = "Set the latest completion of a job.",
    .more =
        "The job is reserved so that it ends in time, beyond RESERVATIONDEPTH, as "
        "long\n"
        "as such a place can be found. TIME: HH[:MM[:SS]][_MO[/DD[/YY]]], +DURATION,\n"
        "or seconds since 1970. For administrators of level 1.\n",
    .examples = "  setdeadline 120 +8:00:00       complete in eight hours\n"
                "  setdeadline 120 06:00_03/15    by six o'clock on March 15\n",
};

static int set(const struct command_line *l)
{
    const struct calendar cal = zone_system_calendar(request_now(l));
    const struct setres_clock clock = {.cal = &cal};
    struct err err;
    int64_t at;

    if (l->nargs != 2)
        return command_wrong(l, "expected a job and a time");
    if (setres_time(l->args[1], &clock, &at, &err) < 0)
        return command_wrong(l, "%s", err.text);
    if (at >= TIME_NEVER)
        return command_wrong(
            l, "'%s' is not a deadline; releasedeadline takes it away", l->args[1]);
    return orders_send(l, "deadline",
        json_pack("{s:[s], s:I}", "jobs", l->args[0], "at", (json_int_t)at));
}

int setdeadline_main(int argc, char **argv)
{
    return command_run(&set_spec, argc, argv, set);
}

/* ---- release ---- */

static const struct command_spec release_spec = {
    .name = "releasedeadline",
    .usage = "JOB...",
    .summary = "Take the deadline of jobs away.",
    .more = "For administrators of level 1.\n",
    .examples = "  releasedeadline 120\n",
};

static int release(const struct command_line *l)
{
    if (!l->nargs)
        return command_wrong(l, "a job is needed");
    return orders_send(
        l, "deadline", json_pack("{s:o, s:i}", "jobs", orders_jobs(l, 0), "at", 0));
}

int releasedeadline_main(int argc, char **argv)
{
    return command_run(&release_spec, argc, argv, release);
}

/* ---- show ---- */

static const struct command_spec show_spec = {
    .name = "showdeadline",
    .usage = "[JOB...]",
    .summary = "Show jobs that have a deadline, and when they end or start.",
    .more =
        "ENDTIME is what is known of the job's end: of a running job the end of its\n"
        "limit, of a waiting one the end of its reservation. For administrators of\n"
        "level 1 to 3.\n",
    .examples = "  showdeadline           every job with a deadline\n",
};

struct shown {
    const struct command_line *l;
    int rows;
    bool begun;
};

static bool is_asked_for(const struct shown *s, const char *id)
{
    for (int i = 0; i < s->l->nargs; i++)
        if (strcmp(s->l->args[i], id) == 0)
            return true;
    return s->l->nargs == 0;
}

static void show_row(void *ctx, json_t *o)
{
    struct shown *s = ctx;
    json_int_t now = get_int(o, "at", 0), at = get_int(o, "deadline_at", 0), end;
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX], known[LAYOUT_DATE_MAX];

    if (s->l->format == FORMAT_TEXT && !s->begun) /* the summary: we may look */
        printf("%-18s %8s %10s %11s  %19s  %19s\n\n", "JOBNAME", "USERNAME", "STATE",
            "REMAINING", "DEADLINE", "ENDTIME");
    s->begun = true;
    if (!at || !is_asked_for(s, get_text(o, "id", "")))
        return;
    s->rows++;
    if (s->l->format == FORMAT_JSON) {
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
        return;
    }
    end = get_int(o, "end_at", get_int(o, "reservation_end_at", 0));
    printf("%-18s %8s %10s %11s  %19s  %19s\n", get_text(o, "id", ""),
        get_text(o, "user", ""), get_text(o, "shown_state", get_text(o, "state", "")),
        layout_rel(at - now, rel), layout_date(at, date),
        end ? layout_date(end, known) : "-");
}

static int show(const struct command_line *l)
{
    struct shown s = {.l = l};
    struct query *q = query_new("/v1/jobs");

    query_add(q, "full", "1");
    query_add(q, "deadline", "1");
    int status = ask_list(l, q, show_row, &s) < 0;
    query_free(q);
    if (status == 0 && l->format == FORMAT_TEXT)
        printf("%s%d job%s with a deadline\n", s.rows ? "\n" : "", s.rows,
            s.rows == 1 ? "" : "s");
    return status;
}

int showdeadline_main(int argc, char **argv)
{
    return command_run(&show_spec, argc, argv, show);
}
