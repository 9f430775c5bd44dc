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

/* What was told counts no more, and nobody may do more. `hides`: somebody has yet to
 * tell what is hidden, and until then all is. */
void rights_forget(struct rights *io, bool hides);

/* In place of what was told before; copied. `of`: of several managers the one that
 * tells, as rmset_name() has it; NULL = there is one. O(operators + coordinators). */
void rights_take(struct rights *io, const char *of, const struct rm_rights *told);

/* Is it about jobs of that manager (rmset_name())? What is hidden is hidden of all. */
bool rights_cover(const struct rights *r, const char *rm);

/* enum rm_hidden bits. */
unsigned rights_hidden(const struct rights *r);
/* The same of the past: nobody has written down what was told then, so where somebody
 * tells it, all is hidden. */
unsigned rights_hidden_then(const struct rights *r);

/* Of all there is; of several managers nobody is. O(1). */
bool rights_is_operator(const struct rights *r, const char *user);
/* Of that manager. O(1). */
bool rights_operate(const struct rights *r, const char *user);

/* Is the user a coordinator of the account, or (NULL) of any? O(1). */
bool rights_coordinates(const struct rights *r, const char *user, const char *account);

#endif
