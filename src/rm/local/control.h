/* SPDX-License-Identifier: Apache-2.0
 * Talking with keepers: datagrams out, datagrams back, each with a number of ours. Who
 * does not answer for ten seconds is given up. */
#ifndef MAUI_RM_LOCAL_CONTROL_H
#define MAUI_RM_LOCAL_CONTROL_H

#include "rm/rm.h"

struct control;
struct local;
struct local_job;

struct control *control_create(void);
void control_destroy(struct control *c);

/* The socket in the spool. */
int control_open(struct local *l, struct err *err);
void control_close(struct local *l);
/* Tell the job's keeper; RM_DONE for the token comes later. */
void control_tell(struct local_job *j, enum rm_action action, uint64_t token,
    const char *verb, const char *argument);
void control_usage(struct local_job *j);
/* Does somebody wait for the answer of a keeper? O(questions). */
bool control_is_asked(const struct local *l);
/* End the process that keeps the job, whatever it hangs in; another cleans up. */
void control_kill(struct local_job *j);
/* Tell it without waiting for an answer. -1 = it cannot be told. */
int control_say(struct local_job *j, const char *verb, const char *argument);
/* The job has ended: nobody will answer any more. */
void control_forget(struct local_job *j);

#endif
