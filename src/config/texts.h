/* SPDX-License-Identifier: Apache-2.0
 * Lists that settings are made of: owned texts, and names that have a count. */
#ifndef MAUI_CONFIG_TEXTS_H
#define MAUI_CONFIG_TEXTS_H

#include "base/vec.h"

#include <stdint.h>

struct text_list VEC(char *);

struct gres_cfg {
    char *name; /* owned */
    int64_t count;
};
struct gres_list VEC(struct gres_cfg);

#endif
