/* SPDX-License-Identifier: Apache-2.0
 * Jobs that do not wait (salloc -I): the resource manager itself starts them at their
 * submission or refuses them, as nobody can ask the scheduler meanwhile. So it is told
 * beforehand whether one may start beside those that wait, and on which nodes it may
 * not; so may no job for which it chooses the nodes itself. Private to src/server. */
#ifndef MAUI_SERVER_IMMEDIATE_H
#define MAUI_SERVER_IMMEDIATE_H

struct server;

/* After a cycle. Tells it when it has changed. O(waiting jobs + nodes reserved), mostly
 * less: the first job that waits for its turn decides. */
void immediate_tell(struct server *s);
/* Before one: what has been reserved since, as it may start jobs that must keep off.
 * The word stays for jobs that do not wait. O(nodes reserved). */
void immediate_tell_reserved(struct server *s);

#endif
