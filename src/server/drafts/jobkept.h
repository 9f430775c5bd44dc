/* SPDX-License-Identifier: Apache-2.0
 * Changes of what a resource manager keeps of a job (struct rm_keeping): which are told
 * there, and which are to be made there. Decided before anything is changed.
 *
 *     wclimit                  told; users lower it, where it would not ask whose wish
 * it is class, proccount ...     "change it there: qalter 63" all else ours alone
 *
 * Private to src/server. */
#ifndef MAUI_SERVER_JOBKEPT_H
#define MAUI_SERVER_JOBKEPT_H

#include "cluster/change.h"

struct server;

/* May the job be changed so, by an administrator or its owner? -1 with a sentence. */
int jobkept_check(struct server *s, const struct job *j, const struct job_change *ch,
    bool admin, struct err *err);

#endif
