/* SPDX-License-Identifier: Apache-2.0
 * What a job of Grid Engine asks for, as a request of the scheduler; where it may go
 * and where it is. Pure.
 *
 *     -pe smp 4        $pe_slots: a task is a slot, all on one node
 *     -pe mpi 8        $fill_up, $round_robin: free
 *     -pe two 8        an integer: so many on each node
 *     -q, -l           queue instances that it may use: classes, and hosts that it may
 *                      not have
 *
 * What a host cannot give now (a consumable that is used up, a closed queue) keeps the
 * job off that host until it can: this is looked at anew with each answer. */
#ifndef MAUI_RM_GRIDENGINE_SHAPE_H
#define MAUI_RM_GRIDENGINE_SHAPE_H

#include "rm/gridengine/answers.h"

/* A parallel environment. */
struct ge_pe {
    const char *name;
    int64_t per_host; /* allocation_rule: GE_PE_FREE, GE_PE_ONE, or so many */
};
#define GE_PE_FREE 0
#define GE_PE_ONE  (-1)

/* A host group, and those in it, of groups within it too: "cn01 cn02". */
struct ge_group {
    const char *name, *hosts; /* "@racks" */
};

/* All that a job is judged by. Borrowed. */
struct ge_site {
    const struct ge_hosts *hosts;
    const struct ge_queues *queues;
    const struct ge_pe *pes;       /* name NULL ends */
    const struct ge_group *groups; /* the same; NULL: none */
};

/* "$pe_slots", "$fill_up", "2" */
int64_t ge_allocation_rule(const char *text);

/* It waits, and is held for that reason, where there is none before it. */
void ge_keep_back(struct ge_job *j, const char *why);
/* It waits for others of its own, which is no hold. */
void ge_let_wait(struct ge_job *j, const char *why);

/* Completes the record of a job that waits or runs: its request, classes, nodes that it
 * may not have, where it runs, flags. What keeps it from starting is `rm.notes`, and it
 * is held. `like`: a task of the same array that waits as it does and was shaped
 * before, so that what it asks for is known; or NULL. False: where it runs is not told
 * in full yet. Texts are in the arena. Costs hosts times queues; with `like` nothing.
 */
bool ge_shape(struct ge_job *j, const struct ge_job *like, const struct ge_site *site,
    struct arena *arena);
/* All of them. ret[i]: is that one whole? */
void ge_shape_jobs(struct ge_jobs *jobs, const struct ge_site *site, bool *ret);

/* ---- depends.c ---- */

/* -hold_jid, -hold_jid_ad of those that wait: jobs that are listed have not ended. */
void ge_check_dependencies(struct ge_jobs *jobs);

/* Where it has to go to be on that host: "batch@cn01", of the class if it may be, of
 * another queue else; NULL where it may not be there. In the arena. */
const char *ge_instance_for(const struct ge_job *j, const struct ge_site *site,
    const char *host, const char *cls, struct arena *arena);

#endif
