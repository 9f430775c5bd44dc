/* SPDX-License-Identifier: Apache-2.0
 * A job is over: its facts for the feedback program, and its trace record for the
 * statistics file. Private to src/server. */
#ifndef MAUI_SERVER_ENDED_H
#define MAUI_SERVER_ENDED_H

#include "store/account.h"

struct job;
struct job_desc;
struct server;

/* What is accounted, and the job itself; NULL when it ended while nobody looked: then
 * `desc` is what the resource manager tells. One that never ran is no news. */
void ended_job(struct server *s, const struct store_account *row, const struct job *j,
    const struct job_desc *desc);

#endif
