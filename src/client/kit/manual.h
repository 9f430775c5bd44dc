/* SPDX-License-Identifier: Apache-2.0
 * The manual page of a command, made from what --help is made from: mdoc on stdout.
 * The build asks for it with --manual. */
#ifndef MAUI_CLIENT_MANUAL_H
#define MAUI_CLIENT_MANUAL_H

#include "client/kit/command.h"

#include <stdbool.h>

void manual_print(const struct command_spec *spec);

/* The page of maui itself, in pieces: head, sections with their commands, tail. */
void manual_front_begin(void);
void manual_front_section(const char *title, bool first);
void manual_front_command(const char *name, const char *summary);
void manual_front_end(void);

#endif
