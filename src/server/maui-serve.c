/* SPDX-License-Identifier: Apache-2.0
 * The daemon as a program: `maui serve`. */
#include "server/server.h"

int main(int argc, char **argv)
{
    return serve_main(argc, argv);
}
