/* SPDX-License-Identifier: Apache-2.0
 * maui --complete KIND: names for a shell that completes a word, one a line. Nothing
 * where the scheduler does not answer at once, and never a word on stderr: somebody is
 * typing. */
#include "client/client.h"
#include "client/kit/request.h"
#include "config/table.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_S 2
#define MOST_JOBS  "1000" /* nobody looks through more */

static const struct command_spec spec = {
    .name = "complete",
    .usage = "KIND",
    .summary = "Print names for the completion of a shell.",
};

static void give_up(int number)
{
    (void)number;
    _exit(0);
}

/* A shell expands what it is offered: nothing is that would mean something to it. */
static void print_name(void *ctx, json_t *record)
{
    static const char harmless[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        "0123456789._-+@:/[]%=,";
    const char *name = get_text(record, ctx, NULL);

    if (name && *name && *name != '-' && !name[strspn(name, harmless)]
        && strcmp(name, "DEFAULT") != 0)
        puts(name);
}

static void print_parameters(void)
{
    const struct cfg_group *g;

    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            if (g->rows[r].status == STATUS_IN_FORCE)
                puts(g->rows[r].name);
}

/* What is asked of the scheduler for each kind, and the member that has the name. */
static const struct {
    const char *kind, *path, *part, *member;
} lists[] = {
    {"jobs", "/v1/jobs", NULL, "id"},
    {"nodes", "/v1/nodes", NULL, "name"},
    {"reservations", "/v1/reservations", NULL, "name"},
    {"partitions", "/v1/partitions", NULL, "name"},
    {"users", "/v1/credentials", "user", "name"},
    {"groups", "/v1/credentials", "group", "name"},
    {"accounts", "/v1/credentials", "account", "name"},
    {"classes", "/v1/credentials", "class", "name"},
    {"qos", "/v1/credentials", "qos", "name"},
};

static void print_list(const struct command_line *l, size_t i)
{
    struct query *q = query_new(lists[i].path);

    if (lists[i].part)
        query_part(q, lists[i].part);
    if (strcmp(lists[i].kind, "jobs") == 0) {
        query_add(q, "fields", "id");
        query_add(q, "limit", MOST_JOBS);
    }
    ask_list(l, q, print_name, (void *)lists[i].member);
    query_free(q);
}

static int complete_names(const struct command_line *l)
{
    const char *kind = l->nargs > 0 ? l->args[0] : "";

    if (strcmp(kind, "parameters") == 0)
        print_parameters();
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(lists[i].kind, kind) == 0)
            print_list(l, i);
    return 0;
}

int complete_main(int argc, char **argv)
{
    if (!freopen("/dev/null", "w", stderr))
        return 1;
    signal(SIGALRM, give_up);
    alarm(PATIENCE_S);
    return command_run(&spec, argc, argv, complete_names);
}
