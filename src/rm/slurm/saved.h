/* SPDX-License-Identifier: Apache-2.0
 * Files that `maui slurm install` changes: all or none, and back again.
 *
 *   /etc/slurm/maui-saved/1/files         a line each: "0 kept /etc/slurm/slurm.conf"
 *                           0.before      as it was, with owner and mode; not of a
 * "new" 0.after       as it was written 2/...           the next installation that
 * changed something
 *
 * Back is from the newest to the oldest. Out of settings that were edited since the
 * lines that were written are taken (ownlines.h). */
#ifndef MAUI_RM_SLURM_SAVED_H
#define MAUI_RM_SLURM_SAVED_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <sys/stat.h>

struct planned_file {
    char *path;      /* owned; no link */
    char *now, *new; /* owned; now NULL = it is not there, new NULL = it is to go */
    struct stat st;  /* owner and mode it has, or gets */
};

struct planned_files VEC(struct planned_file);

void saved_plan_free(struct planned_files *p);

/* A script of Slurm's, ours or moved: no file of settings, of which lines are
 * anybody's. */
bool saved_is_script(const char *path);

/* The text of a file; NULL with an error, ERR_NOT_FOUND when it is not there. */
char *saved_read(const char *path, struct stat *ret_st, struct err *err);

/* Copies into the folder first, then temporary files beside each, then all renamed; on
 * a failure those that were renamed are put back. */
int saved_write(const char *folder, const struct planned_files *p, struct err *err);

/* Back to before the first installation, all files or none, each told. Dry: only told.
 * -1 with an error that says what to do when what was written was edited since, or
 * nothing is saved. */
int saved_undo(const char *folder, bool dry, struct err *err);

#endif
