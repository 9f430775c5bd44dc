/* SPDX-License-Identifier: Apache-2.0
 * The keeper as a program of its own, with few libraries: there is one for each job
 * that runs. */
#include "rm/local/keeper.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    return keeper_main(argc, argv, NULL);
}
