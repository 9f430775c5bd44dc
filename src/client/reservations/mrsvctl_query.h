/* SPDX-License-Identifier: Apache-2.0
 * mrsvctl -q: reservations told in full, as text, JSON or XML. */
#ifndef MAUI_CLIENT_MRSVCTL_QUERY_H
#define MAUI_CLIENT_MRSVCTL_QUERY_H

#include "client/kit/request.h"

/* The arguments are names, comma lists, or ALL, which no argument means as well.
 * Returns the exit status. */
int mrsvctl_query(const struct command_line *l);

/* One reservation as an element <rsv>. */
void mrsvctl_print_xml(const json_t *o);

#endif
