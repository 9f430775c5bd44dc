/* SPDX-License-Identifier: Apache-2.0
 * What an installation wrote into a file of settings is taken out again, though the
 * file was edited since: its own lines alone.
 *
 *   before   PriorityType=basic        after   PriorityType=multifactor
 *            Epilog=/e                         Epilog=/e
 *                                              MinJobAge=300
 *   now      PriorityType=multifactor  then    PriorityType=basic
 *            Epilog=/f   # theirs              Epilog=/f   # theirs
 *            MinJobAge=300                     Prolog=/p
 *            Prolog=/p */
#ifndef MAUI_RM_SLURM_OWNLINES_H
#define MAUI_RM_SLURM_OWNLINES_H

#include "base/err.h"

/* A line that was written and stands there no more may have been removed, or be as it
 * was before. Where it is other than that, or was put in place of another and is gone,
 * NULL with an error that names `path` and the line. Else the new text; owned. */
char *ownlines_take(const char *path, const char *now, const char *before,
    const char *after, struct err *err);

#endif
