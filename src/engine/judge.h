/* SPDX-License-Identifier: Apache-2.0
 * May a job run as it asks? What follows from its credentials (access, QOS, priority,
 * its definition in the plan) is made anew; a fault becomes a deferral, in the end a
 * hold. Asked of a job that comes, is released, is changed, waits again, and of all
 * when settings change. */
#ifndef MAUI_ENGINE_JUDGE_H
#define MAUI_ENGINE_JUDGE_H

#include <stdbool.h>

struct engine;
struct job;

void judge_job(struct engine *e, struct job *j);
/* The same of one that was kept back for such a fault and is released. `by_admin`: it
 * passes, for good with the fault that it has now. */
void judge_released(struct engine *e, struct job *j, bool by_admin);

#endif
