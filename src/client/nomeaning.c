/* SPDX-License-Identifier: Apache-2.0
 * Names of commands that have nothing to do here. Each says what does what it was for,
 * and ends with status 1: scripts must not take them for done. */
#include "client/client.h"
#include "client/command.h"

#include <stdio.h>

static int refuse(
    const struct command_spec *spec, const char *instead, int argc, char **argv)
{
    static const char *const asked[] = {
        "-h", "-?", "--help", "--about", "--manual", "--version"};
    struct command_line l;
    int status = 1;

    for (size_t i = 0; argc == 2 && i < sizeof asked / sizeof asked[0]; i++)
        if (strcmp(argv[1], asked[i]) == 0) {
            if (command_parse(spec, argc, argv, &l, &status) == 0)
                command_fini(&l);
            return status;
        }
    /* Whatever the options were: they mean nothing either. */
    fprintf(stderr, "ERROR:    operation not supported: %s\n", instead);
    return 1;
}

int mgridctl_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mgridctl",
        .usage = "[ARGUMENT...]",
        .summary = "Is not supported: there are no grids of schedulers.",
        .more = "Each scheduler has its own jobs and nodes.\n",
        .examples = "  mgridctl               says so\n"};

    return refuse(&spec, "there are no grids of schedulers", argc, argv);
}

int migratejob_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "migratejob",
        .usage = "JOB [PARTITION]",
        .summary = "Is not supported: jobs are not moved while they run.",
        .more = "mjobctl -R starts a job over, where its partitions let it;\n"
                "mjobctl -m partition=NAME says which those are.\n",
        .examples = "  mjobctl -m partition=west 120   and then\n"
                    "  mjobctl -R 120                  a new start there\n"};

    return refuse(&spec,
        "jobs are not moved while they run; mjobctl -m partition=NAME and mjobctl -R "
        "start one over elsewhere",
        argc, argv);
}

int mnodectl_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mnodectl",
        .usage = "create | destroy | modify ATTR=VALUE NODE",
        .summary = "Is not supported: nodes are the resource manager's.",
        .more = "Their states and amounts are what the resource manager tells. To keep "
                "jobs\n"
                "off nodes, reserve them (setres); to try another machine, replay a "
                "workload on\n"
                "it (maui sim).\n",
        .examples = "  setres -n drain n007   no more starts on node n007\n"
                    "  releaseres drain.1     and again\n"};

    return refuse(&spec,
        "nodes are as their resource manager tells; checknode shows one, setres -n "
        "drain "
        "NODE keeps jobs off it",
        argc, argv);
}

int mresctl_main(int argc, char **argv)
{
    return mrsvctl_main(argc, argv);
}

int query_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "query",
        .usage = "[ARGUMENT...]",
        .summary = "Is not supported: everything is told by --format json.",
        .more =
            "Every command that shows something prints records for scripts so; the\n"
            "API itself is described by openapi.json on the scheduler's socket.\n",
        .examples = "  showq --format json\n"};

    return refuse(&spec,
        "showq, checkjob and the others tell everything with --format json", argc,
        argv);
}
