/* SPDX-License-Identifier: Apache-2.0
 * Jobs of nodes that went down and stay so: after engine_options.down_grace_s those
 * that are RESTARTABLE wait again, others are cancelled. */
#ifndef MAUI_ENGINE_LOST_H
#define MAUI_ENGINE_LOST_H

struct engine;
struct losses;

struct losses *losses_create(void);
void losses_destroy(struct losses *l);

/* In each cycle. O(nodes) when some node changed, and O(active jobs) for each that is
 * down too long. */
void lost_jobs(struct engine *e);

#endif
