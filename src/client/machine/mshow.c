/* SPDX-License-Identifier: Apache-2.0
 * mshow: the queue in blocks of active, eligible and blocked jobs, and what is free. */
#include "base/duration.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/machine/mshow_free.h"
#include "client/machine/queuexml.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'q', NULL, NULL, "the queue"},
    {'a', NULL, NULL, "what is free now, and for how long"},
    {'w', NULL, "ATTR=VALUE[,...]", "with -a: for what, see below"},
    {0, "flags", "future,policy",
        "with -a: also what is free later; what limits leave"},
    {0, "format", "text|json|xml", "how to print the answer; xml with -q"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mshow",
    .usage = "-q | -a [-w ATTR=VALUE[,ATTR=VALUE]] [--flags future,policy]",
    .summary = "Show the queue in blocks, or what is free.",
    .options = options,
    .more =
        "Attributes of -w: account class group qos user (for whom); duration minnodes\n"
        "minprocs mintasks=N@PROCS:P (at least); arch nodefeature (several with :)\n"
        "nodemem os partition taskmem (MB for each processor); starttime=TIME or\n"
        "offset=DURATION: what is free from then on; count=N: no more than so\n"
        "many; policylevel=HARD or OFF, as --flags policy or not.\n",
    .examples = "  mshow -q               everything that is in the queue\n"
                "  mshow -a -w minprocs=8,duration=2:00:00\n"
                "                         where 8 processors are free for two hours\n",
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

static int show_queue(const struct command_line *l)
{
    static const char *const types[] = {"active", "eligible", "blocked"};
    struct query *q = query_new("/v1/jobs");
    json_t *jobs = json_array();
    size_t total = 0;
    int status;

    if (l->format == FORMAT_JSON) {
        status = print_json_list(l, q);
    } else if (l->format == FORMAT_XML) {
        status = queuexml_print(l, q);
    } else if ((status = ask_list(l, q, keep, jobs) < 0) == 0) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            total += print_block(jobs, types[i]);
        printf("Total jobs:  %zu\n", total);
    }
    json_decref(jobs);
    query_free(q);
    return status;
}

/* ---- the command ---- */

static int run(const struct command_line *l)
{
    bool queue = command_has(l, 'q'), windows = command_has(l, 'a');

    if (queue == windows || l->nargs)
        return command_wrong(l, "one of -q and -a is needed, and nothing else");
    if (queue && command_has(l, 'w'))
        return command_wrong(l, "-w goes with -a");
    if (windows && l->format == FORMAT_XML)
        return command_wrong(l, "--format xml goes with -q");
    return queue ? show_queue(l) : mshow_free(l);
}

int mshow_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
