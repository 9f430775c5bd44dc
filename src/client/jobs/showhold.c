/* SPDX-License-Identifier: Apache-2.0
 * Small questions about jobs: showhold, showtasks. */
#include "client/client.h"
#include "client/kit/request.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {{0, NULL, NULL, NULL}};

/* ---- showhold ---- */

static const struct command_spec hold_spec = {
    .name = "showhold",
    .usage = "",
    .summary = "Show held jobs and which holds they have.",
    .options = options,
    .examples = "  showhold               all held jobs\n",
};

static void hold_row(void *ctx, json_t *o)
{
    json_t *hold;
    size_t i;

    (void)ctx;
    if (!json_object_get(o, "id"))
        return; /* the summary */
    printf("%16s", get_text(o, "id", ""));
    json_array_foreach(json_object_get(o, "holds"), i, hold)
    {
        const char *name = json_string_value(hold);
        char text[20];

        snprintf(text, sizeof text, "%c%s", toupper((unsigned char)name[0]), name + 1);
        printf(" %10s", text);
    }
    puts("");
}

static int show_holds(const struct command_line *l)
{
    int status;

    if (l->nargs)
        return command_wrong(l, "'%s' is not expected here", l->args[0]);
    struct query *q = query_new("/v1/jobs");
    query_add(q, "held", "1");
    if (l->format == FORMAT_JSON) {
        status = print_json_list(l, q);
    } else {
        printf("%16s %10s\n\n", "JOBNAME", "HOLDS");
        status = ask_list(l, q, hold_row, NULL) < 0;
    }
    query_free(q);
    return status;
}

int showhold_main(int argc, char **argv)
{
    return command_run(&hold_spec, argc, argv, show_holds);
}

/* ---- showtasks ---- */

static const struct command_spec tasks_spec = {
    .name = "showtasks",
    .usage = "USER",
    .summary = "Show how many tasks of USER are running.",
    .options = options,
    .examples = "  showtasks ann          tasks of ann's active jobs\n",
};

static void count_tasks(void *ctx, json_t *o)
{
    json_int_t *tasks = ctx;

    if (json_object_get(o, "id") && strcmp(get_text(o, "state", ""), "Suspended") != 0)
        *tasks += get_int(o, "tasks", get_int(o, "procs", 0));
}

static int show_tasks(const struct command_line *l)
{
    json_int_t tasks = 0;

    if (l->nargs != 1)
        return command_wrong(l, "a user is needed");
    struct query *q = query_new("/v1/jobs");
    query_add(q, "section", "active");
    query_add(q, "user", l->args[0]);
    int status = ask_list(l, q, count_tasks, &tasks) < 0;
    if (status == 0 && l->format == FORMAT_JSON)
        print_json(json_pack("{s:s, s:I}", "user", l->args[0], "tasks", tasks));
    else if (status == 0)
        printf("The total number of tasks running by this user is %lld\n",
            (long long)tasks);
    query_free(q);
    return status;
}

int showtasks_main(int argc, char **argv)
{
    return command_run(&tasks_spec, argc, argv, show_tasks);
}
