/* SPDX-License-Identifier: Apache-2.0
 * The daemon as a program: `maui serve`, and `maui replay` of its journal. */
#include "base/program.h"
#include "journal/replay.h"
#include "server/server.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "replay") == 0)
        return program_end("maui replay", replay_main(argc, argv));
    return program_end("maui serve", serve_main(argc, argv));
}
