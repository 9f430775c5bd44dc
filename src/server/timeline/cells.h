/* SPDX-License-Identifier: Apache-2.0
 * Sums of processor time by rows and seconds, where single pieces are too small to be
 * seen. */
#ifndef MAUI_SERVER_CELLS_H
#define MAUI_SERVER_CELLS_H

#include "server/timeline/collect.h"

/* Of the size that suits the picture, all nothing. O(rows). */
struct cells *cells_new(
    struct server *s, const struct window_asked *asked, const struct rows *rows);
void cells_free(struct cells *c); /* NULL is allowed */

/* The piece takes part in them. The colour that most of a cell's use has, as far as one
 * has more than half, is found by voting (Boyer and Moore, 1981). O(lines it covers);
 * of the layer of use O(cells). */
void cells_add(struct cells *c, const struct window_asked *asked, enum layer layer,
    const struct piece *p);
/* After the last. O(cells) once. */
void cells_sum(struct cells *c);

/* The share that a layer has of a cell, 0 to 255. */
uint8_t cells_share(const struct cells *c, enum layer layer, size_t cell);
/* The number of the colour that leads there; 254 = none, 255 = mixed, or one of those
 * beyond 254. */
uint8_t cells_colour(const struct cells *c, size_t cell);

#endif
