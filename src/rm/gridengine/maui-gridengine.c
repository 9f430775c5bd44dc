/* SPDX-License-Identifier: Apache-2.0
 * The adapter to Grid Engine. */
#include "rm/gridengine/gridengine.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return ge_adapter();
    fputs(
        "maui-gridengine: it is run by maui serve, where RMCFG[x] TYPE=SGE\n", stderr);
    return 1;
}
