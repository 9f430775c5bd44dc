/* SPDX-License-Identifier: Apache-2.0
 * Jobs and nodes of several resource managers by the names that people know them by:
 *
 *     12
 *         the job of that id; else the only manager's job whose own id that is, where
 *         none that another calls so ended lately
 *     pbs.12
 *         job 12 of pbs, whether its id here is that (managers/border.h) or 12
 *     slurm.n1
 *         its node, which is called n1 here
 *
 * Private to src/server. */
#ifndef MAUI_SERVER_RMNAME_H
#define MAUI_SERVER_RMNAME_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct job;
struct node;

/* Of no id here; NULL: there is none, or (ERR_CONFLICT, all of them named) several, or
 * (ERR_NOT_FOUND) the job of that id is over and this would be another. `err` may be
 * NULL. O(managers); of another's job the accounts of a day are looked at. */
const struct job *rmname_job(
    const struct cluster *c, const char *text, struct err *err);
/* The job that its own manager calls so, whichever that is; NULL as above. (A name that
 * PBS has put its server behind may be of a job of PBS.) The same cost. */
const struct job *rmname_any(
    const struct cluster *c, const char *own_id, struct err *err);
/* There is no such job here. Where its manager does not answer that is said too: it may
 * not have told of it yet. Always -1, ERR_NOT_FOUND. */
int rmname_missing(const struct cluster *c, const char *id, struct err *err);
const struct node *rmname_node(const struct cluster *c, const char *text);

/* Does the text begin with the name of one and a '.'? Its index and what follows. */
bool rmname_split(
    const struct cluster *c, const char *text, uint32_t *ret_rm, const char **ret_rest);
/* What people call it. */
const char *rmname_called(const struct cluster *c, uint32_t rm);

/* The job's id as its own manager has it; borrowed from the job. */
const char *rmname_own_id(const struct job *j);

#endif
