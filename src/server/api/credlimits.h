/* SPDX-License-Identifier: Apache-2.0
 * Limits of a credential as they are in force, with what is in use of them, whom they
 * keep waiting, and the line that says so. */
#ifndef MAUI_SERVER_CREDLIMITS_H
#define MAUI_SERVER_CREDLIMITS_H

#include "cluster/cred.h"

#include <jansson.h>

struct server;

/* How many jobs wait for limits of the credentials of one kind. O(queued jobs). The
 * caller frees it. */
struct credlimits_held;
struct credlimits_held *credlimits_held_new(
    const struct cluster *c, enum cred_kind kind);
void credlimits_held_free(struct credlimits_held *h); /* NULL is allowed */

/* Members of a Credential: limits, usage, limits_in_force. O(its limits). */
void credlimits_add(struct server *s, const struct cred *k,
    const struct credlimits_held *held, json_t *o);

#endif
