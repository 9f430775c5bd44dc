/* SPDX-License-Identifier: Apache-2.0
 * What is found wrong with the Slurm below: `maui slurm check`. */
#ifndef MAUI_RM_SLURM_CHECK_H
#define MAUI_RM_SLURM_CHECK_H

#include "rm/slurm/adapter.h"
#include "rm/slurm/settings.h"
#include "rm/slurm/site.h"

#include <stdbool.h>

struct finding {
    enum setting_weight weight;
    char *text; /* owned; what it is, why it matters, what to write */
};

struct findings VEC(struct finding);

void findings_add(struct findings *f, enum setting_weight weight, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void findings_free(struct findings *f);

/* What slurmctld runs with: `ctx` is its slurm_conf_t (settings_get). Of the mode of
 * preemption it says "unknown" where there is any. */
const char *check_setting(void *ctx, const char *key);
/* A finding of what is wrong with one of the settings that slurmctld runs with. */
void check_add(
    const slurm_conf_t *c, const struct setting_advice *a, struct findings *f);

/* Is this user one whose orders Slurm takes, and who sees all: root or SlurmUser? */
bool check_is_privileged(const slurm_conf_t *c);

/* Exit status 1: something lets jobs start past the scheduler, or not at all. */
int check_site(const struct site *site);

/* ---- inspect.c: beyond slurm.conf ---- */

/* The settings, the installed scripts, the heartbeat and its watch, nodes that run with
 * another slurm.conf, what slurmctld has not read yet, partitions and waiting jobs.
 * What this machine cannot see is said. So many seconds is slurmctld's clock ahead of
 * this one.
 */
void inspect_site(const slurm_conf_t *c, const struct site *site, int64_t ahead_s,
    struct findings *f);

/* ---- around.c: beyond slurmctld ---- */

/* Does it listen, or its backup? Costs some seconds for a host that is silent. */
void look_at_slurmdbd(const slurm_conf_t *c, struct findings *f);
void look_at_clock(int64_t ahead_s, struct findings *f);
/* Where commands of this machine look for the scheduler: do they come to this home, or
 * to a host that somebody named? Asks DNS where nothing else did. */
void look_at_commands(const char *home, struct findings *f);

#endif
