/* SPDX-License-Identifier: Apache-2.0
 * Runs a world through the engine, with the model watching every decision. */
#ifndef MAUI_TESTS_DRIVE_H
#define MAUI_TESTS_DRIVE_H

#include "world.h"

/* True when every property held; else what was broken is written to `fail`. Every
 * decision is appended to *ret_log (may be NULL), which must come out the same for
 * the same world. */
bool drive_world(
    const struct world *w, char *fail, size_t size, struct strbuf *ret_log);

/* The same twice, and the two records compared byte for byte. */
bool drive_twice(const struct world *w, char *fail, size_t size);

/* The same with labels on the nodes that no job asks for, and without. */
bool drive_labelled(const struct world *w, char *fail, size_t size);

#endif
