/* SPDX-License-Identifier: Apache-2.0
 * THE table as a whole: walking it, and finding a row by any of its names. */
#ifndef MAUI_CONFIG_TABLE_H
#define MAUI_CONFIG_TABLE_H

#include "config/row.h"

/* The groups of parameters and of attributes, in the order of the reference page;
 * NULL after the last. */
const struct cfg_group *table_group(size_t i);
const struct cfg_group *attrs_group(size_t i);

/* Rows by name, any case, aliases too. Built for a load, without an allocation a
 * name: finding is O(1). */
struct table_index;
struct table_index *table_index_create(void);
void table_index_destroy(struct table_index *t);
const struct cfg_row *table_find(const struct table_index *t, const char *name);

/* The attribute of that name of a section, or NULL. */
const struct cfg_row *attrs_find(
    const struct table_index *t, enum cfg_object object, const char *name);

/* The nearest valid name, or NULL. */
const char *table_nearest(const struct table_index *t, const char *name);
const char *attrs_nearest(
    const struct table_index *t, enum cfg_object object, const char *name);

/* "USERCFG" and so on. */
const char *cfg_object_name(enum cfg_object object);

/* No index, [] and [0] are the same. */
bool cfg_is_global(const char *index);

/* The object of which an older form with that index sets an attribute. `bank`: the
 * first of the files, or NULL. */
const char *cfg_old_form_index(
    const struct cfg_row *row, const char *index, const char *bank);

/* The groups of one topic file: the i-th, NULL after the last. */
const struct cfg_group *table_server(size_t i);
const struct cfg_group *table_sched(size_t i);
const struct cfg_group *table_priority(size_t i);
const struct cfg_group *table_old(size_t i);
const struct cfg_group *table_sim(size_t i);
const struct cfg_group *attrs_cred(size_t i);
const struct cfg_group *attrs_node(size_t i);
const struct cfg_group *attrs_service(size_t i);

#endif
