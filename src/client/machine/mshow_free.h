/* SPDX-License-Identifier: Apache-2.0
 * mshow -a: what is free. */
#ifndef MAUI_CLIENT_MSHOW_FREE_H
#define MAUI_CLIENT_MSHOW_FREE_H

#include "client/kit/command.h"

/* The exit status. */
int mshow_free(const struct command_line *l);

#endif
