/* SPDX-License-Identifier: Apache-2.0
 * maui demo: the script of demo.sh, which lives in this program, run by bash. */
#include "client/client.h"
#include "client/demo/demo_script.h"
#include "client/kit/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row options[] = {
    {'k', "keep", NULL, "go on with a livelier workload until Ctrl-C, to look at"},
    {0, "no-web", NULL, "without the address of the web page"},
    {'t', NULL, "SECONDS", "a unit of work (1); the whole takes some twenty"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "maui demo",
    .usage = "[-k] [--no-web] [-t SECONDS]",
    .summary = "Show a scheduler at work: real jobs, in a folder that goes away.",
    .options = options,
    .more =
        "A daemon of its own is started, with this machine as four nodes. Needs no\n"
        "root and touches nothing else. With -k it is sixteen nodes, and the "
        "scheduler\n"
        "runs until you end it.\n",
    .examples = "  maui demo      half a minute\n"
                "  maui demo -k   until Ctrl-C; the web page shows it\n",
    .asks = ASKS_NOBODY,
};

int demo_main(int argc, char **argv)
{
    char program[4096];
    struct command_line l;
    int status;

    if (command_parse(&spec, argc, argv, &l, &status) < 0)
        return status;
    const char *unit = command_value(&l, 't');
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (l.nargs || (unit && (!*unit || unit[strspn(unit, "0123456789.")]))) {
        status = command_wrong(
            &l, "'%s' is not a number of seconds", l.nargs ? l.args[0] : unit);
    } else if (len < 0) {
        status = command_wrong(&l, "cannot find this program: %s", strerror(errno));
    } else {
        program[len] = '\0';
        fflush(stdout);
        execlp("bash", "bash", "-c", demo_script_text(), "maui-demo", program,
            unit ? unit : "1", command_has(&l, 'k') ? "keep" : "",
            command_long(&l, "no-web") ? "" : "web", (char *)NULL);
        status = command_wrong(&l, "cannot run bash: %s", strerror(errno));
    }
    command_fini(&l);
    return status;
}
