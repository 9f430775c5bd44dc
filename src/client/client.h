/* SPDX-License-Identifier: Apache-2.0
 * The commands: each gets its own arguments, argv[0] being its name, and returns the
 * exit status: 0, 1 = it did not work, or was called wrongly. */
#ifndef MAUI_CLIENT_CLIENT_H
#define MAUI_CLIENT_CLIENT_H

#define COMMAND(name, run, where, summary) int run(int argc, char **argv);
#include "client/commands.def"
#undef COMMAND

/* Not a command of people: `maui --complete KIND` of the completion of shells, where
 * KIND is jobs, nodes, reservations, partitions, users, groups, accounts, classes, qos
 * or parameters. */
int complete_main(int argc, char **argv);

#endif
