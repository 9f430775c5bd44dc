/* SPDX-License-Identifier: Apache-2.0
 * Who asks, and what that person may do: the one place for administrator levels, job
 * ownership and privacy. */
#ifndef MAUI_SERVER_IDENTITY_H
#define MAUI_SERVER_IDENTITY_H

#include "base/err.h"
#include "cluster/reservation.h"
#include "config/config.h"
#include "policy/holds.h"
#include "server/api/rights.h"

#include <stdbool.h>
#include <sys/types.h>

/* A caller. Level 1 is the highest of administrators, 3 the lowest, 0 is none. */
struct identity {
    uid_t uid;
    gid_t gid;
    char user[64], group[64];
    char host[64]; /* of a TCP client, else "" */
    int level;
    unsigned hidden;             /* enum rm_hidden bits: what is kept from the caller */
    const struct rights *rights; /* the daemon's, NULL = nobody has more than these */
    char session[9];             /* of the page, by which it came; "" = none */
    bool read_only;              /* it may look, and change nothing */
    int level_most; /* in a session: no level above that; 0 none at all, -1 any */
};

/* From the kernel's word on a unix socket. Unknown numbers become "#1234". */
void identity_of_uid(uid_t uid, gid_t gid, struct identity *ret);

/* By a MUNGE credential; tells what it was made for, the caller's to free. -1 when it
 * is invalid, too old, or used before. */
int identity_by_munge(const char *credential, char **ret_payload, size_t *ret_len,
    struct identity *ret, struct err *err);

/* A MUNGE credential with that text, which only that user can read: for a secret that
 * goes over a network. The caller's to free; NULL: munged makes none, see err. */
char *identity_seal(uid_t reader, const char *text, struct err *err);

/* Level of the user in ADMIN1..ADMIN3 of the configuration (name or ALL), and for
 * level 1 from a host in ADMINHOSTS when that is set. The daemon's own user and root
 * are administrators of level 1 on the unix socket; operators of the resource manager
 * have level 2 at least. What that keeps from users is kept from all without a level.
 */
void identity_set_level(
    struct identity *who, const struct config *config, const struct rights *rights);

enum who { WHO_ANY, WHO_ADMIN3, WHO_ADMIN2, WHO_ADMIN1 };

/* Is the caller an administrator of that level or higher? WHO_ANY: everybody. */
bool identity_is(const struct identity *who, enum who level);

/* Is the caller this user? */
bool identity_owns(const struct identity *who, const char *user);

/* Is such a thing kept from the caller? */
bool identity_is_kept_from(const struct identity *who, enum rm_hidden what);

/* Is it the caller's job, or one of an account that the caller coordinates? */
bool identity_has_job(
    const struct identity *who, const struct cluster *c, const struct job *j);

/* May the caller know that there is such a job? */
bool identity_sees_job(
    const struct identity *who, const struct cluster *c, const struct job *j);

/* May the caller know of jobs of that user that are over? Of one's own; of everybody's
 * (NULL) from the third level of administrators on. */
bool identity_sees_ended(const struct identity *who, const char *user);

/* The caller as whoever orders something about that job. Borrows the name. */
struct actor identity_actor(
    const struct identity *who, const struct cluster *c, const struct job *j);

/* May the caller see the reservation? Those of jobs are for all; others are for
 * administrators of level 1 and 2, for whom they charge, and for users their access
 * lists name. */
bool identity_sees(
    const struct identity *who, const struct cluster *c, const struct reservation *r);

/* Is there such a user, group, account, class or QOS: to the scheduler, by its
 * configuration or by jobs, or to the system? 0, or -1 with "there is no class 'bach';
 * did you mean 'batch'?". Of kinds that are kept from the caller any name will do. May
 * ask the system's user database. */
int identity_known(const struct identity *who, const struct cluster *c,
    enum cred_kind kind, const char *name, struct err *err);

/* The group that the system has for a user; "" when it knows none. `ret` of 64 bytes.
 */
void identity_group_of(const char *user, char *ret);

/* Is the user in the group, as the system has it (getgrouplist)? A user whom the system
 * does not know is in none. `*ret_gid` is the group's number then, and may be NULL.
 * Asks the system's user database. */
bool identity_is_member(const char *user, const char *group, gid_t *ret_gid);

/* "users, staff": the groups of the user; "none" when the system knows none. */
void identity_groups(const char *user, char *ret, size_t size);

/* ERR_DENIED: what nodes are and do is kept from the caller. Returns -1. */
int identity_deny_nodes(struct err *err);

/* ERR_DENIED in the classic words. Returns -1. */
int identity_deny(const struct identity *who, const char *command, struct err *err);

#endif
