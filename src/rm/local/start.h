/* SPDX-License-Identifier: Apache-2.0
 * Beginning keepers: the order goes in on standard input, one line comes back. */
#ifndef MAUI_RM_LOCAL_START_H
#define MAUI_RM_LOCAL_START_H

#include "base/err.h"

#include <stdint.h>

struct children; /* keepers begun by this daemon */
struct local_job;
struct start;

struct children *children_create(void);
/* Watch them no longer; they go on. */
void children_destroy(struct children *c);

/* Begin a keeper for j->run (run.clean: a cleaning one). -1 = it could not be begun. */
int start_keeper(struct local_job *j, uint64_t token, struct err *err);
void start_free(struct start *s);
/* What has become of a start whose keeper fell silent is known now: answered. */
void start_settle(struct local_job *j);
/* The job shall not begin: the keeper is told, and answers that it did not. */
void start_give_up(struct local_job *j);

#endif
