/* SPDX-License-Identifier: Apache-2.0
 * The daemon as a program: `maui serve`, `maui replay` of its journal, `maui am` of its
 * ledger, and `maui check` of its configuration. */
#include "am/am.h"
#include "base/program.h"
#include "journal/replay.h"
#include "server/server.h"
#include "server/travel/guide.h"

#include <string.h>

int main(int argc, char **argv)
{
    program_end_asking();
    if (argc > 0 && strcmp(argv[0], "replay") == 0)
        return program_end("maui replay", replay_main(argc, argv));
    if (argc > 0 && strcmp(argv[0], GUIDE_WORD) == 0)
        return guide_main(argc, argv);
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";

    if (strcmp(name, "am") == 0 || strcmp(name, "mam-check") == 0)
        return program_end("maui am", am_main(argc, argv));
    if (strcmp(name, "check") == 0)
        return program_end("maui check", check_main(argc, argv));
    return program_end("maui serve", serve_main(argc, argv));
}
