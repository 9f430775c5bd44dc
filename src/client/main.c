/* SPDX-License-Identifier: Apache-2.0
 * One program, many commands: `maui COMMAND ...`, or a link named after the command. */
#include "base/nearest.h"
#include "client/client.h"
#include "rm/local/keeper.h"
#include "server/server.h"

#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* NULL: called by the daemon, not by people */
} commands[] = {
    {"canceljob", canceljob_main, "cancel jobs"},
    {"changeparam", changeparam_main, "change a parameter of the running scheduler"},
    {"check", check_main, "validate a configuration file"},
    {"checkjob", checkjob_main, "show a job, and why it waits"},
    {"checknode", checknode_main, "show a node"},
    {"demo", demo_main, "show a scheduler at work, with real jobs"},
    {"diagnose", diagnose_main, "show tables of what the scheduler knows"},
    {"keeper", keeper_main, NULL},
    {"mdiag", diagnose_main, "the same as diagnose"},
    {"mschedctl", mschedctl_main, "the same as schedctl"},
    {"mshow", mshow_main, "show the queue in blocks"},
    {"msub", msub_main, "submit a job"},
    {"releasehold", releasehold_main, "release holds of jobs"},
    {"releaseres", releaseres_main, "release reservations"},
    {"resetstats", resetstats_main, "begin the statistics anew"},
    {"schedctl", schedctl_main, "stop, resume, reconfigure or shut down the scheduler"},
    {"serve", serve_main, "run the scheduler on this machine"},
    {"sethold", sethold_main, "hold jobs"},
    {"setqos", setqos_main, "give jobs another quality of service"},
    {"setres", setres_main, "reserve nodes for a time"},
    {"setspri", setspri_main, "set the system priority of jobs"},
    {"showconfig", showconfig_main, "show the parameters in force"},
    {"showhold", showhold_main, "show held jobs"},
    {"showq", showq_main, "show the queue"},
    {"showres", showres_main, "show reservations"},
    {"showstate", showstate_main, "draw the machine"},
    {"showtasks", showtasks_main, "count the running tasks of a user"},
    {"sim", sim_main, "replay a workload through the scheduler in simulated time"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("usage: maui COMMAND [options]\n\n"
          "Maui, a batch scheduler for clusters.\n\ncommands:\n",
        out);
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].summary != NULL)
            fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`maui COMMAND --help` tells the options of a command.\n"
          "`maui --version` tells the version.\n",
        out);
}

static int unknown_command(const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].summary != NULL)
            nearest_offer(&near, commands[i].name);
    if (nearest_best(&near) != NULL)
        fprintf(stderr, "maui: unknown command '%s'; did you mean '%s'?\n", name,
            nearest_best(&near));
    else
        fprintf(stderr, "maui: unknown command '%s'; `maui --help` lists them\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const struct command *c;

    if (argc < 1)
        return 2;
    c = find_command(slash != NULL ? slash + 1 : argv[0]);
    if (c != NULL)
        return c->run(argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
        || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("maui " MAUI_VERSION);
        return 0;
    }
    c = find_command(argv[1]);
    return c != NULL ? c->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}
