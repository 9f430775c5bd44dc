/* SPDX-License-Identifier: Apache-2.0
 * Words of Moab. Sites come from there: a name of ours that is near one of these by
 * chance would mislead them, so such words are told for what they are. */
#ifndef MAUI_CONFIG_MOAB_H
#define MAUI_CONFIG_MOAB_H

#include "config/row.h"

/* Is it a parameter that Moab alone has? */
bool moab_has_parameter(const char *name);

enum moab_attr {
    MOAB_NONE,  /* not Moab's */
    MOAB_PLAIN, /* what it says has no consequence for who may run what */
    MOAB_LIMIT, /* limits how much */
    MOAB_ACCESS /* says who may, so that without it everybody might */
};

/* What an attribute of such a section is in Moab, which Maui does not have. */
enum moab_attr moab_attribute(enum cfg_object object, const char *name);

/* Is it a value that Moab alone has for that parameter or attribute? Not told of values
 * whose default would do what the site does not want, as of SERVERMODE. */
bool moab_has_value(const struct cfg_row *row, const char *value);

#endif
