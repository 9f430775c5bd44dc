/* SPDX-License-Identifier: Apache-2.0
 * The adapter to OpenPBS and TORQUE, and `maui pbs`. */
#include "base/program.h"
#include "rm/pbs/install.h"
#include "rm/pbs/pbs.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return pbs_adapter();
    return program_end("maui pbs", pbs_main(argc, argv));
}
