/* SPDX-License-Identifier: Apache-2.0
 * What schedctl and mschedctl share. All return the exit status. */
#ifndef MAUI_CLIENT_SCHEDCTL_H
#define MAUI_CLIENT_SCHEDCTL_H

#include "client/kit/request.h"

/* The first word that is no option, or NULL. */
const char *schedctl_argument(const struct command_line *l);

/* Give an order (takes the reference) and tell what was done. */
int schedctl_send(const struct command_line *l, const char *path, json_t *order);

/* -k -s -S -r -R -f, by letter, with their arguments. */
int schedctl_control(const struct command_line *l, char letter);

/* A parameter: "NAME VALUE", persistent with --flags. */
int schedctl_change(const struct command_line *l, const char *text);

/* Those that begin with `name`; NULL = all. */
int schedctl_list(const struct command_line *l, const char *name);

#endif
