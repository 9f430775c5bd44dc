/* SPDX-License-Identifier: Apache-2.0
 * The tables of diagnose: each asks the scheduler and prints; 0, or 1 after a
 * complaint. Private to the files diagnose*.c. */
#ifndef MAUI_CLIENT_DIAGNOSE_H
#define MAUI_CLIENT_DIAGNOSE_H

#include "client/kit/request.h"

/* diagnose.c: the records of a list, or the one of a `single` answer, as an array; with
 * --format json printed already, and *status is what the command ends with. NULL = that
 * is all. */
json_t *diagnose_list(
    const struct command_line *l, const struct query *q, bool single, int *status);
/* What SYSCFG says, as /v1/scheduler has it; the caller's, NULL after a complaint. */
json_t *diagnose_system(const struct command_line *l);

/* diagnose_creds.c; `only` = one name, or NULL */
int diagnose_credentials(
    const struct command_line *l, const char *kind, const char *only);
int diagnose_fairshare(const struct command_line *l, const char *kind);
int diagnose_priorities(const struct command_line *l, const char *only);

/* diagnose_tables.c */
int diagnose_jobs(const struct command_line *l, const char *only);
int diagnose_nodes(const struct command_line *l, const char *only);
int diagnose_reservations(
    const struct command_line *l, const char *only, const char *type); /* NULL = any */
int diagnose_blocked(const struct command_line *l);

#endif
