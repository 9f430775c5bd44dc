/* SPDX-License-Identifier: Apache-2.0
 * maui: the front of all commands. What needs only the core is in this program; the
 * daemon and what asks it are programs beside it, which load many more libraries. */
#include "base/nearest.h"
#include "base/program.h"
#include "client/client.h"
#include "client/kit/manual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORE(run)       run, NULL
#define CLIENT(run)     NULL, "maui-client"
#define SERVE(run)      NULL, "maui-serve"
#define SLURM(run)      NULL, "maui-slurm"
#define PBS(run)        NULL, "maui-pbs"
#define GRIDENGINE(run) NULL, "maui-gridengine"
#define SLURM_OTHER     "maui-scontrol" /* where that was not built */

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* NULL: in another program */
    const char *program;
    const char *summary;
} commands[] = {
#define COMMAND(name, run, where, summary) {#name, where(run), summary},
#include "client/commands.def"
#undef COMMAND
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* As they are told: a line without a name begins a section. */
static const struct {
    const char *name;
    const char *text;
} lines[] = {
#define SECTION(title)                     {NULL, title},
#define COMMAND(name, run, where, summary) {#name, summary},
#include "client/commands.def"
#undef COMMAND
};
#define LINES (sizeof lines / sizeof lines[0])

static void print_help(FILE *out)
{
    fputs("usage: maui COMMAND [options]\n\n"
          "Maui, a batch scheduler for clusters.\n",
        out);
    for (size_t i = 0; i < LINES; i++)
        if (lines[i].name)
            fprintf(out, "  %-21s  %s\n", lines[i].name, lines[i].text);
        else
            fprintf(out, "\n%s:\n", lines[i].text);
    fputs("\n`maui COMMAND --help` lists the options of a command.\n"
          "`maui --version` prints the version. `maui` with options of serve, as in\n"
          "`maui --nodes 4x2`, is `maui serve`.\n",
        out);
}

/* maui(1), for the build: the list of commands is the one above. */
static void print_manual(void)
{
    manual_front_begin();
    for (size_t i = 0; i < LINES; i++)
        if (lines[i].name)
            manual_front_command(lines[i].name, lines[i].text);
        else
            manual_front_section(lines[i].text, i == 0);
    manual_front_end();
}

/* Classic commands that have nothing to do here, and what does what they were for. */
static const struct {
    const char *name, *instead;
} absent[] = {
    {"mgridctl", "there are no grids of schedulers"},
    {"migratejob", "jobs are not moved while they run; mjobctl -m partition=NAME and "
                   "mjobctl -R start one over elsewhere"},
    {"mnodectl",
        "nodes are as their resource manager reports them; checknode shows one, "
        "setres -n drain NODE keeps jobs off it"},
    {"query", "showq, checkjob and the others print everything with --format json"},
};

static int unknown_command(const char *name)
{
    struct nearest near;

    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strcmp(name, absent[i].name) == 0) {
            fprintf(stderr, "maui: '%s' is unsupported: %s\n", name, absent[i].instead);
            return 1;
        }
    nearest_init(&near, name);
    for (size_t i = 0; i < COMMANDS; i++)
        nearest_offer(&near, commands[i].name);
    if (nearest_best(&near) != NULL)
        fprintf(stderr, "maui: unknown command '%s'; did you mean '%s'?\n", name,
            nearest_best(&near));
    else
        fprintf(stderr, "maui: unknown command '%s'; `maui --help` lists them\n", name);
    return 1;
}

/* Become the program beside this one. argv[0] is the command's name. */
static int run_other(const char *program, char **argv)
{
    char *path = program_beside(program), *other;

    if (strcmp(program, "maui-serve") == 0)
        program_ask_large_pages();
    execv(path, argv);
    if (errno == ENOENT && strcmp(program, "maui-slurm") == 0) {
        other = program_beside(SLURM_OTHER);
        execv(other, argv);
        free(other);
    }
    fprintf(stderr, "maui: cannot run %s: %s\n", path, strerror(errno));
    free(path);
    return 1;
}

/* Programs with options of their own answer this here; those of maui-client say where
 * their server is, too. */
static bool tell_version(const struct command *c, int argc, char **argv)
{
    if (argc != 2 || (c->program != NULL && strcmp(c->program, "maui-client") == 0)
        || (strcmp(argv[1], "--version") != 0 && strcmp(argv[1], "--about") != 0))
        return false;
    printf("maui %s version " MAUI_VERSION "\n", c->name);
    return true;
}

static int run_command(const struct command *c, int argc, char **argv)
{
    if (tell_version(c, argc, argv))
        return 0;
    return c->run != NULL ? c->run(argc, argv) : run_other(c->program, argv);
}

/* No command is named: the daemon, with argv[0] for its name. */
static int run_daemon(int argc, char **argv)
{
    static char name[] = "serve";

    argv[0] = name;
    return run_command(find_command(name), argc, argv);
}

/* `maui am balance` is mam-balance; what it knows itself stays its own. */
static const struct command *find_verb(int argc, char **argv)
{
    char name[80];

    if (argc < 3 || strcmp(argv[1], "am") != 0 || argv[2][0] == '-'
        || strcmp(argv[2], "check") == 0)
        return NULL;
    snprintf(name, sizeof name, "mam-%s", argv[2]);
    return find_command(name);
}

static int run_front(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const struct command *c;

    if (argc < 1)
        return 1;
    c = find_command(slash != NULL ? slash + 1 : argv[0]);
    if (c != NULL)
        return run_command(c, argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return 1;
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
    if (strcmp(argv[1], "--manual") == 0) {
        print_manual();
        return 0;
    }
    if (strcmp(argv[1], "--complete") == 0) /* for shells */
        return run_other("maui-client", argv + 1);
    if (argv[1][0] == '-')
        return run_daemon(argc, argv);
    c = find_verb(argc, argv);
    if (c != NULL) {
        argv[2] = (char *)c->name;
        return run_command(c, argc - 2, argv + 2);
    }
    c = find_command(argv[1]);
    return c != NULL ? run_command(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    return program_end("maui", run_front(argc, argv));
}
