/* SPDX-License-Identifier: Apache-2.0
 * Who has how much of a node at an instant: jobs that run there by then, as far as
 * their limits say, and waiting jobs whose reservations are pinned to it.
 *
 *     node 4 at 700:  job 3, until 900: 2 processors, 1 GB     (it runs)
 *                     job 9, [700, 800): 4 processors, 8 GB    (a pin: all of the node)
 */
#ifndef MAUI_PLAN_BYNODE_OCCUPANTS_H
#define MAUI_PLAN_BYNODE_OCCUPANTS_H

#include "base/vec.h"
#include "plan/bynode/asker.h"

struct occupant {
    const struct job *job;
    struct res amount;
};
struct occupants VEC(struct occupant);

/* All of them into *io, which is overwritten; not the asker's own job, nor those that
 * do not count for it. The asker's job and definition may be NULL. O(jobs and pins). */
void occupants_at(
    const struct asker *a, const struct node *n, int64_t at, struct occupants *io);

/* From when to when such a job has it, or is to have it. O(1). */
int64_t occupant_start(const struct bynode *b, const struct job *j);
int64_t occupant_end(const struct bynode *b, const struct job *j);

#endif
