/* SPDX-License-Identifier: Apache-2.0
 * The adapter to OpenPBS and TORQUE. */
#include "rm/pbs/pbs.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return pbs_adapter();
    fputs("maui-pbs: it is run by maui serve, where RMCFG[x] TYPE=PBS\n", stderr);
    return 1;
}
