/* SPDX-License-Identifier: Apache-2.0
 * Dependencies on jobs that the scheduler does not have any more: what became of those
 * is in the store. Private to src/server. */
#ifndef MAUI_SERVER_DEPENDS_H
#define MAUI_SERVER_DEPENDS_H

#include <stdbool.h>
#include <stdint.h>

struct dep;
struct err;
struct manager;

struct server;

/* May somebody ask for these (job_id NULL ends; or NULL)? Refused with the job's
 * number: a job that never was, one that ended otherwise, an array instead of its jobs.
 * What a resource manager with numbers of its own knows is left to it, that is to `m`,
 * whose job shall wait. In a copy (server.tries) any job that is not there passes, with
 * a note. O(jobs) for a job that is not there. */
int depends_check(
    struct server *s, const struct manager *m, const struct dep *deps, struct err *err);

/* What is left of them: without those on jobs that ended as is asked, while those on
 * jobs that ended otherwise can never hold (in a copy: without those that are not
 * there). They were asked for at `since` (seconds since 1970; 0 = now): a job that
 * ended later is the one that was meant, whoever has its id by now. A copy of the list,
 * job ids borrowed from it; NULL for NULL. Owned by the caller: free(). */
struct dep *depends_settle(struct server *s, const struct dep *deps, int64_t since);

/* Was that job told to have ended that is there now? Then it had not. */
bool depends_is_back(struct server *s, const char *id, int64_t submit_at);

/* A job was accounted for that the engine did not have any more: who waits for it is
 * freed or failed by that. One is there again that had passed for ended: who was failed
 * by that waits on; who was freed is free. O(jobs), and a look-up for each dependency:
 * for one of many jobs, world_want_settled(). */
void depends_settle_waiting(struct server *s);

#endif
