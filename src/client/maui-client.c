/* SPDX-License-Identifier: Apache-2.0
 * What asks the daemon: the classic commands, called by a link of the command's name or
 * by `maui COMMAND`. */
#include "base/program.h"
#include "client/client.h"

#include <stdio.h>
#include <string.h>

#define CORE(name, run)
#define SERVE(name, run)
#define SLURM(name, run)
#define PBS(name, run)
#define GRIDENGINE(name, run)
#define CLIENT(name, run) {#name, run},

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, run, where, summary) where(name, run)
#include "client/commands.def"
#undef COMMAND
};

/* Also called as `maui-client COMMAND ...`: the manual pages are asked for so. */
int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";

    if (argc > 1 && strcmp(name, "maui-client") == 0) {
        name = argv[1];
        argc--;
        argv++;
    }
    if (strcmp(name, "--complete") == 0)
        return program_end(name, complete_main(argc, argv));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return program_end(name, commands[i].run(argc, argv));
    fputs("maui-client: called by the name of a command; `maui --help` lists them\n",
        stderr);
    return 1;
}
