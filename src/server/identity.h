/* SPDX-License-Identifier: Apache-2.0
 * Who asks, and what that person may do: the one place for administrator levels, job
 * ownership and privacy. */
#ifndef MAUI_SERVER_IDENTITY_H
#define MAUI_SERVER_IDENTITY_H

#include "base/err.h"
#include "cluster/reservation.h"
#include "config/config.h"

#include <stdbool.h>
#include <sys/types.h>

/* A caller. Level 1 is the highest of administrators, 3 the lowest, 0 is none. */
struct identity {
    uid_t uid;
    gid_t gid;
    char user[64], group[64];
    char host[64]; /* of a TCP client, else "" */
    int level;
};

/* From the kernel's word on a unix socket. Unknown numbers become "#1234". */
void identity_of_uid(uid_t uid, gid_t gid, struct identity *ret);

/* By a MUNGE credential whose payload is exactly `payload`. -1 when it is invalid, too
 * old, used before, or for another request. */
int identity_by_munge(const char *credential, const char *payload, size_t len,
    struct identity *ret, struct err *err);

/* Level of the user in ADMIN1..ADMIN3 of the configuration (name or ALL), and for
 * level 1 from a host in ADMINHOSTS when that is set. The daemon's own user and root
 * are administrators of level 1 on the unix socket. */
void identity_set_level(struct identity *who, const struct config *config);

enum who { WHO_ANY, WHO_ADMIN3, WHO_ADMIN2, WHO_ADMIN1 };

/* Is the caller an administrator of that level or higher? WHO_ANY: everybody. */
bool identity_is(const struct identity *who, enum who level);

/* Is the caller this user? */
bool identity_owns(const struct identity *who, const char *user);

/* May the caller see the reservation? Those of jobs are for all; others are for
 * administrators of level 1 and 2, for whom they charge, and for users their access
 * lists name. */
bool identity_sees(
    const struct identity *who, const struct cluster *c, const struct reservation *r);

/* The group that the system has for a user; "" when it knows none. `ret` of 64 bytes.
 */
void identity_group_of(const char *user, char *ret);

/* ERR_DENIED in the classic words. Returns -1. */
int identity_deny(const struct identity *who, const char *command, struct err *err);

#endif
