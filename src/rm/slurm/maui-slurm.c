/* SPDX-License-Identifier: Apache-2.0
 * The adapter to Slurm, and `maui slurm`. The only program linked with libslurm. */
#include "base/program.h"
#include "rm/slurm/adapter.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return adapter_main();
    return program_end("maui slurm", gate_main(argc, argv));
}
