/* SPDX-License-Identifier: Apache-2.0
 * What people may ask for a job, at its submission and later: decided in one place, of
 * the whole draft, whichever verb brought it. What the resource manager tells of jobs
 * is not looked at: that is its to decide. Whose job it is was looked at before.
 *
 *     group      one of which the owner is a member; of level 1 and 2 any
 *     deadline   of level 1, as setdeadline
 *     PREEMPTOR, system priority, a longer limit of a running job: of level 1 and 2
 *
 * Accounts, QOS and partitions are looked at by policy/access. Private to src/server.
 */
#ifndef MAUI_SERVER_JOBRIGHTS_H
#define MAUI_SERVER_JOBRIGHTS_H

#include "cluster/change.h"
#include "rm/rm.h"
#include "server/api/identity.h"

/* May the caller submit this? Where its group is one of the owner's, the job is to run
 * under it. */
int jobrights_submission(
    struct rm_submission *io_sub, const struct identity *who, struct err *err);

/* May the caller have the job, of which the caller is the owner or an administrator of
 * level 1 or 2, changed so? */
int jobrights_change(const struct job *j, const struct job_change *ch, bool sysprio,
    const struct identity *who, struct err *err);

/* An administrator named a group for a job: a remark is put behind `text` when the
 * owner is not a member. */
void jobrights_remark(const char *group, const char *owner, char *text, size_t size);

#endif
