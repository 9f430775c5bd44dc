/* SPDX-License-Identifier: Apache-2.0
 * What the resource manager keeps from users, and whom it lets do more: what it told
 * last. Nothing is asked here; api/identity.h decides with it. */
#ifndef MAUI_SERVER_RIGHTS_H
#define MAUI_SERVER_RIGHTS_H

#include "rm/rm.h"

#include <stdbool.h>

struct rights;

/* Nothing is hidden and nobody may do more, until something else is told. */
struct rights *rights_new(void);
void rights_free(struct rights *r);

/* In place of what was told before; copied. O(operators + coordinators). */
void rights_take(struct rights *io, const struct rm_rights *told);

/* enum rm_hidden bits. */
unsigned rights_hidden(const struct rights *r);

/* O(1). */
bool rights_is_operator(const struct rights *r, const char *user);

/* Is the user a coordinator of the account, or (NULL) of any? O(1). */
bool rights_coordinates(const struct rights *r, const char *user, const char *account);

#endif
