/* SPDX-License-Identifier: Apache-2.0
 * The queue as XML: what showq and mshow -q tell other programs. Names of elements and
 * attributes: reference commands, mshow. */
#ifndef MAUI_CLIENT_QUEUEXML_H
#define MAUI_CLIENT_QUEUEXML_H

#include "client/kit/request.h"

/* The jobs that are asked for, a <queue> for each section. Returns the exit status. */
int queuexml_print(const struct command_line *l, const struct query *q);

#endif
