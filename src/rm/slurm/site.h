/* SPDX-License-Identifier: Apache-2.0
 * The scripts that a site installs, with its paths and numbers filled in. */
#ifndef MAUI_RM_SLURM_SITE_H
#define MAUI_RM_SLURM_SITE_H

#include <stdbool.h>

struct site {
    const char *home;    /* of the scheduler */
    unsigned uid;        /* that it runs as */
    const char *max_age; /* seconds; "0": the gate never opens */
};

/* What a script of a name is to this program. */
enum site_script {
    SCRIPT_OURS,   /* as it was printed, of this release or another */
    SCRIPT_MERGED, /* ours, and something else in the same file */
    SCRIPT_THEIRS
};

/* job_submit.lua and jobcomp.lua; `own` is the path of the site's own script, whose
 * functions come first, or NULL. Owned by the caller. */
char *site_gate(const struct site *s, const char *own);
char *site_jobcomp(const struct site *s, const char *own);

enum site_script site_judge_script(const char *text);

/* MAX_AGE of an installed gate; owned, NULL when there is none. */
char *site_max_age(const char *gate);

#endif
