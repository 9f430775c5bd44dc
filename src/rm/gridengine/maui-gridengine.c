/* SPDX-License-Identifier: Apache-2.0
 * The adapter to Grid Engine, and `maui gridengine`. */
#include "base/home.h"
#include "base/program.h"
#include "config/rmplace.h"
#include "rm/gridengine/ge_gate_script.h"
#include "rm/gridengine/gridengine.h"
#include "rm/gridengine/site.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: maui gridengine install|check|letgo|gate [options]\n"
    "\n"
    "What Grid Engine needs so that this scheduler decides.\n"
    "\n"
    "  install   put the gate, a submission verifier, in place and change the global\n"
    "            configuration; each line is told, what was there is kept\n"
    "  check     does the running Grid Engine have all that is needed? Exit 0: it has\n"
    "  letgo     give all jobs back to Grid Engine's own scheduler, the gate too; "
    "queues of\n"
    "            ours go when the jobs in them have ended\n"
    "  gate      print the verifier\n"
    "\n"
    "      --dry-run    install: change nothing, show what would be\n"
    "      --undo       install: all settings as they were before\n"
    "      --home DIR   the scheduler's folder; default $MAUIHOMEDIR, else\n"
    "                   /var/lib/maui as root and ~/.maui for others\n"
    "  -h, --help       this text\n"
    "\n"
    "examples:\n"
    "  maui gridengine install --dry-run\n"
    "  maui gridengine install && maui gridengine check\n"
    "  maui schedctl -k; maui gridengine install --undo; maui gridengine letgo\n";

static int run_command(const char *what, const char *home, bool dry, bool undo)
{
    if (strcmp(what, "install") == 0)
        return undo ? site_undo(home, dry) : site_install(home, dry);
    if (strcmp(what, "check") == 0)
        return site_check();
    if (strcmp(what, "letgo") == 0)
        return site_letgo(home);
    if (strcmp(what, "gate") == 0) {
        fputs(ge_gate_script_text(), stdout);
        return 0;
    }
    fprintf(stderr,
        "maui gridengine: '%s' is not one of install, check, letgo, gate; `maui "
        "gridengine --help`\n",
        what);
    return 1;
}

static int gridengine_main(int argc, char **argv)
{
    static const struct option longs[] = {{"home", required_argument, NULL, 'H'},
        {"dry-run", no_argument, NULL, 'n'}, {"undo", no_argument, NULL, 'U'},
        {"help", no_argument, NULL, 'h'}, {0}};
    const char *asked = NULL;
    bool dry = false, undo = false;
    int c, status = 1;
    char *home, *manager = NULL;
    struct err err;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return 0;
        }
        if (c == '?') {
            fputs("`maui gridengine --help` shows its usage.\n", stderr);
            return 1;
        }
        asked = c == 'H' ? optarg : asked;
        dry |= c == 'n';
        undo |= c == 'U';
    }
    if (optind + 1 != argc) {
        fputs(help, stderr);
        return 1;
    }
    home = home_find(asked);
    if (rmplace_enter_manager(home, "SGE", NULL, &manager, &err) == 0)
        status = run_command(argv[optind], home, dry, undo);
    else
        fprintf(stderr, "maui gridengine: %s\n", err.text);
    free(manager);
    free(home);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return ge_adapter();
    return program_end("maui gridengine", gridengine_main(argc, argv));
}
