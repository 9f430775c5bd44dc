/* SPDX-License-Identifier: Apache-2.0
 * mshow -q: the queue in blocks of active, eligible and blocked jobs. */
#include "base/duration.h"
#include "client/client.h"
#include "client/layout.h"
#include "client/request.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'q', NULL, NULL, "the queue"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mshow",
    .usage = "-q",
    .summary = "Show the queue in blocks of active, eligible and blocked jobs.",
    .options = options,
    .examples = "  mshow -q               everything that is in the queue\n",
};

static void keep(void *list, json_t *o)
{
    if (json_object_get(o, "id"))
        json_array_append(list, o);
}

/* One block; how many jobs it has. */
static size_t print_block(const json_t *jobs, const char *type)
{
    bool active = strcmp(type, "active") == 0;
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];
    size_t i, n = 0;
    json_t *j;

    printf("%s jobs------------------------\n", type);
    printf("%-18s %8s %10s %5s %11s  %19s\n\n", "JOBNAME", "USERNAME", "STATE", "PROC",
        active ? "REMAINING" : "WCLIMIT", active ? "STARTTIME" : "QUEUETIME");
    json_array_foreach(jobs, i, j)
    {
        if (strcmp(get_text(j, "section", ""), type) != 0)
            continue;
        n++;
        printf("%-18s %8s %10s %5lld %11s  %19s\n", get_text(j, "id", ""),
            get_text(j, "user", ""), get_text(j, "shown_state", ""),
            (long long)get_int(j, "procs", 0),
            layout_rel(
                get_int(j, active ? "remaining_s" : "wclimit_s", DURATION_UNLIMITED),
                rel),
            layout_date(get_int(j, active ? "start_at" : "queue_at", 0), date));
    }
    printf("\n%zu %s job%s\n\n", n, type, n == 1 ? "" : "s");
    return n;
}

int mshow_main(int argc, char **argv)
{
    static const char *const types[] = {"active", "eligible", "blocked"};
    struct command_line l;
    int status;

    if (command_parse(&spec, argc, argv, &l, &status) < 0)
        return status;
    struct query *q = query_new("/v1/jobs");
    json_t *jobs = json_array();
    size_t total = 0;
    if (!command_has(&l, 'q') || l.nargs) {
        status = command_wrong(&l, "mshow -q is what it can show");
    } else if (l.format == FORMAT_JSON) {
        status = print_json_list(&l, q);
    } else if ((status = ask_list(&l, q, keep, jobs) < 0) == 0) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            total += print_block(jobs, types[i]);
        printf("Total jobs:  %zu\n", total);
    }
    json_decref(jobs);
    query_free(q);
    command_fini(&l);
    return status;
}
