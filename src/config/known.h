/* SPDX-License-Identifier: Apache-2.0
 * Which users, groups, accounts, classes, QOS, partitions and nodes a configuration
 * names, to find those that are named once, and wrongly. */
#ifndef MAUI_CONFIG_KNOWN_H
#define MAUI_CONFIG_KNOWN_H

#include "config/config.h"

/* The first five are the kinds of credentials. */
enum known_kind {
    KNOWN_PARTITION = CRED_KINDS,
    KNOWN_NODE, /* of sections and of --nodes alone, not of host lists */
    KNOWN_KINDS
};

/* "user", "group" and so on. */
const char *known_word(unsigned kind);

/* The index of "NAME[index].ATTR", "" without one. Owned by the caller. */
char *known_index(const struct cfg_value *v);

/* What a value names: its names, and of which kind they are, unless there is no such
 * value. The caller frees the list. */
bool known_names_of(
    const struct cfg_value *v, unsigned *ret_kind, struct text_list *names);

struct known;

/* Borrows the configuration. Cost: its values, and nodes where they are told. */
struct known *known_create(const struct config *c, const struct config_use *use);
void known_destroy(struct known *k);

/* Has a section, another value, or, of users and groups, the system that name? */
bool known_has(const struct known *k, unsigned kind, const char *name);

/* How many sections name one of the kind. */
uint32_t known_count(const struct known *k, unsigned kind);

/* The nearest that a section names, or NULL. */
const char *known_nearest(const struct known *k, unsigned kind, const char *name);

/* Can the configuration alone tell which nodes there are? */
bool known_all_nodes(const struct known *k);

/* The first element of a host list that is no node; owned by the caller, or NULL. */
char *known_stranger(const struct known *k, const char *hosts);

#endif
