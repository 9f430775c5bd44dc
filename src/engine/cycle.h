/* SPDX-License-Identifier: Apache-2.0
 * What the cycle leaves its parts, and what events ask of it. */
#ifndef MAUI_ENGINE_CYCLE_H
#define MAUI_ENGINE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct job;

/* What happened in the running cycle; all zero at its begin, but for `last_at`. */
struct cycle_marks {
    int64_t last_at; /* the cycle before this one */
    uint32_t starts;
    bool look_again; /* a start may let others go in the next cycle */
    bool limited;    /* somebody was kept back by a limit */
    bool left;       /* somebody waits no longer, but was not started */
};

/* It ended and leaves the cluster; another may have its index. */
void forget_job(struct engine *e, struct job *j);
/* Limits and admission as the settings now are. O(1) while these stay. */
void refresh_limits(struct engine *e);

#endif
