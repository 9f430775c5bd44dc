/* SPDX-License-Identifier: Apache-2.0
 * Names of a job's output files that depend on its id. */
#ifndef MAUI_RM_FILENAME_H
#define MAUI_RM_FILENAME_H

#include <stdbool.h>

/* %j %A the job's (array's) id, %a the index, %x the name, %% a percent sign; also
 * $PBS_JOBID. Owned by the caller. */
char *filename_expand(const char *path, const char *id, const char *name);
/* Does it depend on the id? Not of NULL. */
bool filename_is_pattern(const char *path);

#endif
