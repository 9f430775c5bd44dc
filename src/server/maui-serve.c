/* SPDX-License-Identifier: Apache-2.0
 * The daemon as a program: `maui serve`, `maui replay` of its journal, and `maui am`
 * of its ledger. */
#include "am/am.h"
#include "base/program.h"
#include "journal/replay.h"
#include "server/server.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "replay") == 0)
        return program_end("maui replay", replay_main(argc, argv));
    if (argc > 0 && strcmp(argv[0], "am") == 0)
        return program_end("maui am", am_main(argc, argv));
    return program_end("maui serve", serve_main(argc, argv));
}
