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

#define RELEASE_YEAR  ((unsigned)ADAPTER_RELEASE >> 16)
#define RELEASE_MONTH ((unsigned)ADAPTER_RELEASE >> 8 & 0xff)

static void add_doubt(struct strbuf *doubt, int status, const char *said)
{
    strbuf_printf(doubt,
        "`scontrol --version` does not say which release Slurm is of (%s %d%s%.*s): "
        "taken for %u.%02u, as the library is that this program was built with",
        status == 124 ? "no answer within 2 s, status" : "status", status,
        *said != '\0' ? ", " : "", (int)strcspn(said, "\n"), said, RELEASE_YEAR,
        RELEASE_MONTH);
}

/* Many releases newer, slurmctld hangs up on the library's requests without a word: so
 * Slurm's own command is asked. Where there is none, or no slurm.conf, for which it
 * would wait a minute, nothing is known: the doubt. */
static bool is_of_another_release(struct strbuf *doubt)
{
    static const char *const argv[] = {"timeout", "2", "scontrol", "--version", NULL};
    struct strbuf told = {0}; /* "slurm-wlm 22.05.8" */
    const char *said;
    unsigned year, month;
    bool other = false;
    int status;

    if (ADAPTER_RELEASE == 0)
        return false; /* scontrol is what this one uses */
    status = ask_program(argv, &told);
    said = told.text != NULL ? told.text : "";
    if (status == 0 && sscanf(said, "%*s %u.%u", &year, &month) == 2)
        other = year != RELEASE_YEAR || month != RELEASE_MONTH;
    else
        add_doubt(doubt, status, said);
    free(told.text);
    return other;
}

static int be_adapter(void)
{
    struct strbuf doubt = {0};
    int status = REMOTE_CANNOT;

    if (!is_of_another_release(&doubt))
        status = adapter_main(doubt.text);
    else
        fprintf(stderr,
            "Slurm is of another release than the library this was built with "
            "(%u.%02u)\n",
            RELEASE_YEAR, RELEASE_MONTH);
    free(doubt.text);
    return status;
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
    struct strbuf doubt = {0};

    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return be_adapter();
    if (asks_slurm(argv) && is_of_another_release(&doubt))
        become_the_one_by_scontrol(argv);
    if (doubt.text != NULL)
        fprintf(stderr, "maui slurm: %s\n", doubt.text);
    free(doubt.text);
    return program_end("maui slurm", gate_main(argc, argv));
}
