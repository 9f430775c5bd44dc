/* SPDX-License-Identifier: Apache-2.0
 * mrsvctl: windows and access lists as people write them, and -m. All complain about
 * the line and return an exit status, 0 when it was well. */
#ifndef MAUI_CLIENT_MRSVCTL_CHANGE_H
#define MAUI_CLIENT_MRSVCTL_CHANGE_H

#include "client/kit/request.h"

/* -s, -e and -d into a ReservationDraft. */
int mrsvctl_window(const struct command_line *l, json_t *draft);

/* "USER==mira,GROUP==bio-" into a draft. With `change`, into a ReservationChange: ==
 * replaces, += and -= go to `add` and `remove`. */
int mrsvctl_acl(const struct command_line *l, const char *text, json_t *o, bool change);

/* -m ATTR=VALUE ... NAME... */
int mrsvctl_modify(const struct command_line *l);

#endif
