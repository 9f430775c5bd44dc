/* SPDX-License-Identifier: Apache-2.0
 * The adapter to Slurm, and `maui slurm`. The only program linked with libslurm. */
#include "base/program.h"
#include "rm/adapter/ask.h"
#include "rm/remote.h"
#include "rm/slurm/adapter.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Many releases newer, slurmctld hangs up on the library's requests without a word: so
 * Slurm's own command is asked. Where there is none, or no slurm.conf, for which it
 * would wait a minute, nothing is known. */
static bool is_of_another_release(void)
{
    static const char *const argv[] = {"timeout", "2", "scontrol", "--version", NULL};
    struct strbuf told = {0}; /* "slurm-wlm 22.05.8" */
    unsigned year, month;
    bool other = false;

    if (ADAPTER_RELEASE == 0)
        return false; /* scontrol is what this one uses */
    if (ask_program(argv, &told) == 0
        && sscanf(told.text != NULL ? told.text : "", "%*s %u.%u", &year, &month) == 2)
        other = year != ADAPTER_RELEASE >> 16 || month != (ADAPTER_RELEASE >> 8 & 0xff);
    free(told.text);
    return other;
}

/* The others print and merge files. */
static bool asks_slurm(char **argv)
{
    for (; *argv != NULL; argv++)
        if (strcmp(*argv, "check") == 0 || strcmp(*argv, "letgo") == 0
            || strcmp(*argv, "watch") == 0)
            return true;
    return false;
}

/* Does not return where that program is there. */
static void become_the_one_by_scontrol(char **argv)
{
    char *path = program_beside("maui-scontrol");

    execv(path, argv);
    free(path);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0) {
        if (!is_of_another_release())
            return adapter_main();
        fprintf(stderr,
            "Slurm is of another release than the library this was built with "
            "(%u.%02u)\n",
            ADAPTER_RELEASE >> 16, ADAPTER_RELEASE >> 8 & 0xff);
        return REMOTE_CANNOT;
    }
    if (asks_slurm(argv) && is_of_another_release())
        become_the_one_by_scontrol(argv);
    return program_end("maui slurm", gate_main(argc, argv));
}
