/* SPDX-License-Identifier: Apache-2.0
 * The commands: each gets its own arguments, argv[0] being its name, and returns the
 * exit status: 0, 1 = it did not work, 2 = it was called wrongly. */
#ifndef MAUI_CLIENT_CLIENT_H
#define MAUI_CLIENT_CLIENT_H

#define COMMAND(name, run, where, summary) int run(int argc, char **argv);
#include "client/commands.def"
#undef COMMAND

#endif
