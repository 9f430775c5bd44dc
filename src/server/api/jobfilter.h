/* SPDX-License-Identifier: Apache-2.0
 * Which jobs of a list are wanted, in words: `ann`, `user:ann,bob class:fast state:idle
 * reason:limit procs>64 wait>1d held:1`. All of them must hold; a word alone is a part
 * of id, name, user, account, class or QOS. in:NAME: runs on nodes of that reservation
 * and may use it; wants:NAME: waits, and asks for that one. */
#ifndef MAUI_SERVER_JOBFILTER_H
#define MAUI_SERVER_JOBFILTER_H

#include "base/err.h"
#include "cluster/job.h"

struct server;
struct identity;
struct jobfilter;

/* *ret is NULL when there are no words. ERR_INVALID with the nearest name. */
int jobfilter_parse(const char *text, struct jobfilter **ret, struct err *err);
void jobfilter_free(struct jobfilter *f); /* NULL is allowed */

/* Names of jobs that are not for `who` to see match nothing. */
bool jobfilter_matches(const struct jobfilter *f, struct server *s, const struct job *j,
    const struct identity *who);

/* Why it waits, as of the last cycle; WAIT_NONE: for nodes or those ahead of it. */
enum wait_code jobfilter_code(const struct job *j);
/* "limit", "hold" ... "turn": as words and counts name it. */
const char *jobfilter_reason(enum wait_code code);

#endif
