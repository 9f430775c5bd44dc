/* SPDX-License-Identifier: Apache-2.0
 * Which names from outside can be names of ours. */
#ifndef MAUI_CLUSTER_VALID_H
#define MAUI_CLUSTER_VALID_H

#include "base/err.h"

#define NAME_MAX_BYTES 255

/* Is `name` usable as a name of ours (not empty, no blanks or control characters,
 * not too long)? `what` names it in the sentence. */
int name_check(const char *what, const char *name, struct err *err);

#endif
