/* SPDX-License-Identifier: Apache-2.0
 * Operators and coordinators of slurmdbd, as slurmctld has them in its own cache.
 * assoc.c reads them with the library, text/assoc.c as scontrol prints them, rights.c
 * tells them. */
#ifndef MAUI_RM_SLURM_RIGHTS_H
#define MAUI_RM_SLURM_RIGHTS_H

#include "base/vec.h"

struct slurm_coordinator {
    char *user, *account; /* owned */
};

struct slurm_rights {
    struct VEC(char *) operators; /* users with some AdminLevel; owned */
    struct VEC(struct slurm_coordinator) coordinators;
};

/* 0, or -1 with errno: then there are none. */
int slurm_rights_load(struct slurm_rights *ret);
void slurm_rights_free(struct slurm_rights *r);

#endif
