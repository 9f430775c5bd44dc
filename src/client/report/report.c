/* SPDX-License-Identifier: Apache-2.0
 * maui report: the script of report.sh, which lives in this program, run by bash. */
#include "client/client.h"
#include "client/kit/command.h"
#include "client/report/report_script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row options[] = {
    {'o', "output", "FILE",
        "the file to write (maui-report-DATE.tar.gz in this folder)"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "maui report",
    .usage = "[-o FILE]",
    .summary = "Collect what the report of a bug needs, without secrets.",
    .options = options,
    .more =
        "Versions, the configuration without what looks like a secret, what check,\n"
        "showq and diagnose say, and the end of the logs; of a scheduler that does\n"
        "not answer, what there is. What is left out is told at the end.\n",
    .examples = "  maui report             into this folder\n"
                "  maui report -o r.tar.gz; tar -xzf r.tar.gz; ls maui-report\n",
    .asks = ASKS_NOBODY,
};

int report_main(int argc, char **argv)
{
    char program[4096];
    struct command_line l;
    int status;

    if (command_parse(&spec, argc, argv, &l, &status) < 0)
        return status;
    const char *file = command_value(&l, 'o');
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (l.nargs) {
        status = command_wrong(
            &l, "'%s' is one too many; the file is named by -o", l.args[0]);
    } else if (len < 0) {
        status = command_wrong(&l, "cannot find this program: %s", strerror(errno));
    } else {
        program[len] = '\0';
        fflush(stdout);
        execlp("bash", "bash", "-c", report_script_text(), "maui-report", program,
            file ? file : "", (char *)NULL);
        status = command_wrong(&l, "cannot run bash: %s", strerror(errno));
    }
    command_fini(&l);
    return status;
}
