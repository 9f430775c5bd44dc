/* SPDX-License-Identifier: Apache-2.0
 * The table of showstats: what each of several names asked for and got. */
#ifndef MAUI_CLIENT_STATSTABLE_H
#define MAUI_CLIENT_STATSTABLE_H

#include "base/vec.h"
#include "client/kit/figures.h"

struct stats_row {
    char *name;     /* owned */
    json_t *target; /* a number, owned; NULL = none */
    struct stat_figures f;
};

struct stats_table {
    const char *label; /* over the names */
    bool total;        /* with a line of sums */
    struct VEC(struct stats_row) rows;
};

/* The row is good until the next one is added; `target` is copied, NULL = none. */
struct stats_row *statstable_add(
    struct stats_table *t, const char *name, const json_t *target);

/* The sums of all rows. */
void statstable_sum(const struct stats_table *t, struct stat_figures *ret);

/* The most used first; shares are of `all`. */
void statstable_print(struct stats_table *t, const struct stat_sums *all);
void statstable_fini(struct stats_table *t);

#endif
