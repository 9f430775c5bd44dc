/* SPDX-License-Identifier: Apache-2.0
 * RMCFG[] BINDIR= and ENV=: where the commands of a resource manager lie, and what they
 * find in their environment beside the daemon's. Several managers have commands of the
 * same names (qstat, qalter ...), and each is to be asked by its own.
 *
 *     BINDIR=/opt/pbs/bin:/opt/pbs/sbin      folders, searched before PATH
 *     ENV=SGE_ROOT=/opt/sge;SGE_CELL=main    variables; a comma before NAME= does, too
 */
#ifndef MAUI_CONFIG_RMPLACE_H
#define MAUI_CONFIG_RMPLACE_H

#include "base/err.h"

#include <stdbool.h>

/* Are all of them absolute paths of folders, and is each command that a manager of that
 * type (PBS, SGE, SLURM; others need none) is driven by in one of them? 0, or -1 with
 * all that is not there. */
int rmplace_check_folders(const char *type, const char *folders, struct err *err);

/* Are they NAME=VALUE, and is there what those say that tell a manager's commands where
 * it is (SGE_ROOT with SGE_CELL, PBS_CONF_FILE, PBS_EXEC, SLURM_CONF)? 0 or -1. */
int rmplace_check_variables(const char *variables, struct err *err);

/* The value of that variable of an ENV=, which may be NULL. Owned; NULL: it has none.
 */
char *rmplace_variable(const char *variables, const char *name);

/* Do two managers of these types have commands of the same names? */
bool rmplace_collide(const char *type, const char *other);

/* The path of a command in these folders (NULL = none), else in those of PATH; NULL
 * when it is in neither. Owned by the caller. */
char *rmplace_command(const char *folders, const char *name);

/* From now on this process, and what it runs, has them: either may be NULL. What cannot
 * be read is left out, for rmplace_check_*() to tell. Not with threads. */
void rmplace_enter(const char *folders, const char *variables);

/* The same of RMCFG[name], which is of that type, in the configuration of that home
 * ($SERVERCONFIGFILE, else the home's); of a NULL name the only one of that type.
 * *ret_name: its name, owned; NULL where there is none, or no configuration. -1: none
 * is called so, or there are several and `name` is NULL. */
int rmplace_enter_manager(const char *home, const char *type, const char *name,
    char **ret_name, struct err *err);

#endif
