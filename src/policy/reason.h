/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits, as one English sentence: what checkjob, the events of a
 * simulation and the API print. */
#ifndef MAUI_POLICY_REASON_H
#define MAUI_POLICY_REASON_H

#include "cluster/reason.h"

#include <stdbool.h>
#include <stddef.h>

struct cluster;
struct job;

/* Write the sentence (no capital, no final period) and return its full length as
 * snprintf does. Reads of `r` only the fields that its code lists at enum
 * wait_code; an index that names nothing is left out of the sentence. WAIT_RESOURCES
 * and WAIT_TOO_LARGE count processors. Instants are written in UTC. O(1). */
int reason_format(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size);

/* The first instant of `r` that its sentence `text` tells: when it is, and in `ret_len`
 * how long the words are that say so; who shows it in another zone puts others there.
 * NULL: there is none. */
const char *reason_find_instant(
    const struct reason *r, const char *text, int64_t *ret_at, size_t *ret_len);

/* "this job is deferred until INSTANT: `why`" of a deferral that ends then, or that its
 * start is tried again then; `why` may be NULL. 0 when no instant is known. */
int reason_format_deferral(const struct job *j, const struct reason *r, const char *why,
    char *ret_text, size_t size);

/* Is it a limit that is not reached yet, but planned to be full at `until`? No level of
 * policies leaves that out, and nothing violates it. O(1). */
bool reason_is_planned(const struct reason *r);

/* The same of job `j` in the words of the original's showq -b and diagnose -q, which
 * scripts read: "violates active SOFT MAXPROC limit of 16 for user pell  (R: 8, U:
 * 16)". `level` is the word for a limit whose soft and hard value are the same. 0 where
 * the original has no words for it. */
int reason_format_classic(const struct cluster *c, const struct job *j,
    const struct reason *r, enum limit_level level, char *ret_text, size_t size);

/* Which limit it is, and its number: nobody else's name, and no amount in use. Of
 * WAIT_LIMIT. As snprintf. */
int reason_format_limit(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size);
/* What the job needs of its account, not what that has or has kept: where others read
 * it too. Of WAIT_FUNDS. As snprintf. */
int reason_format_need(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size);
/* The same in a few words, without what changes from cycle to cycle: "waits for 8
 * processors". `said` is why it was held or deferred, or NULL. O(1). */
int reason_format_note(const struct cluster *c, const struct job *j,
    const struct reason *r, const char *said, char *ret_text, size_t size);

/* What it is about, if that has a name: "user" and so on, "job", "partition",
 * "resource", "manager", "quota" of the resource manager. Borrowed from the cluster. */
bool reason_object(const struct cluster *c, const struct reason *r,
    const char **ret_kind, const char **ret_name);

/* The code in one word: "hold", "limit", "resources" ... */
const char *reason_code_name(enum wait_code code);

#endif
