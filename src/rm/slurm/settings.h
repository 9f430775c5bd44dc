/* SPDX-License-Identifier: Apache-2.0
 * What slurm.conf has to say so that the scheduler is the one that starts jobs: the
 * same rules for `maui slurm install`, which writes it, and `maui slurm check`, which
 * looks at what slurmctld runs with.
 *
 *   JobSubmitPlugins=require_timelimit   ->  require_timelimit,lua   fatal
 *   SchedulerParameters=bf_window=2880   ->  bf_window=2880,batch_sched_delay=0,...
 *   JobCompType=jobcomp/elasticsearch    ->  stays; why it matters
 */
#ifndef MAUI_RM_SLURM_SETTINGS_H
#define MAUI_RM_SLURM_SETTINGS_H

#include "base/vec.h"

#include <stdbool.h>

enum setting_weight {
    SETTING_NOTE,    /* may stay: what it means */
    SETTING_WARNING, /* slower, or trouble at times */
    SETTING_ERROR    /* jobs start past the scheduler, or not at all */
};

struct setting_advice {
    const char *key;
    enum setting_weight weight;
    char *instead; /* owned; what to write; NULL = nothing */
    char *why;     /* owned; a sentence without its end */
};

struct setting_advices VEC(struct setting_advice);

/* What a key is set to now; NULL = not set, Slurm's default holds. */
typedef const char *settings_get(void *ctx, const char *key);

/* All that is to be changed or known, in the order of the rules. */
void settings_judge(settings_get *get, void *ctx, struct setting_advices *ret);
void settings_free(struct setting_advices *a);

bool settings_has_rule(const char *key);
/* A change of it needs a restart of slurmctld; else `scontrol reconfigure` will do. */
bool settings_need_restart(const char *key);

/* Is the word an item of "a,b=1"? In any case of letters. */
bool settings_list_has(const char *list, const char *word);

#endif
