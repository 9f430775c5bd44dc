/* SPDX-License-Identifier: Apache-2.0
 * A cell of Grid Engine as `maui gridengine` sees it: what its commands answer, what
 * the scheduler needs there, and the way there and back. */
#ifndef MAUI_RM_GRIDENGINE_SITE_H
#define MAUI_RM_GRIDENGINE_SITE_H

#include "base/err.h"
#include "rm/adapter/squeeze.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs a command and waits; what it printed on both outputs, owned by the caller. *ret
 * is its exit status, 127 where it cannot be run. */
char *site_ask(const char *const *argv, int *ret);
/* The same without what nobody reads of it. */
char *site_ask_jobs(
    const char *const *argv, const struct squeeze_kind *squeeze, int *ret);

/* What the scheduler needs of the global configuration, one row each. */
struct site_setting {
    const char *name, *why;
};
const struct site_setting *site_settings(size_t *ret_n);
/* What that setting has to be, where it is `now`; owned; NULL with an error where a
 * site's own is in the way. */
char *site_wanted(const char *name, const char *now, struct err *err);
/* $SGE_ROOT/$SGE_CELL/common/NAME: owned. */
char *site_common_path(const char *name);
#define SITE_GATE       "maui-gate"
#define SITE_ACCOUNTING "accounting"
#define SITE_RUNLOG     "schedd_runlog" /* what the scheduler thinks (hurry.c) */
/* Is that a link to /dev/null? */
bool site_is_nothing(const char *path);
/* Is that jsv_url our gate? */
bool site_is_gate(const char *url);
/* A file as a text, owned; NULL where there is none. */
char *site_read(const char *path);
/* Beside and renamed. 0; -1 with an error. */
int site_write(const char *path, const char *text, unsigned mode, struct err *err);

/* The commands: exit statuses. `home` is the scheduler's folder. */
int site_install(const char *home, bool dry);
int site_undo(const char *home, bool dry);
/* Is our gate in force? False too where Grid Engine does not answer. */
bool site_is_gated(void);
int site_check(void);
int site_letgo(const char *home);

#endif
