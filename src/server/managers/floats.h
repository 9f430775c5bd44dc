/* SPDX-License-Identifier: Apache-2.0
 * What floats, as several resource managers tell of it: licences, on the pseudo node
 * GLOBAL. There is one such node, which is nobody's. A licence that several tell of is
 * one, of which there are as many as the one who says most: each of them still gives
 * out no more than it knows of, and a start that one refuses for that waits. Private to
 * src/server/managers. */
#ifndef MAUI_SERVER_FLOATS_H
#define MAUI_SERVER_FLOATS_H

#include "cluster/node.h"

struct floats;

struct floats *floats_new(void);
void floats_free(struct floats *f); /* NULL is allowed */

/* Is that the node which they are of? */
bool floats_are_of(const char *node);

/* That manager tells of these (name NULL ends; or NULL), in place of what it told
 * before. What there is of all: name NULL ends, borrowed until the next call. O(n) in
 * all that was told, times n. */
const struct gres_cfg *floats_told(
    struct floats *f, const char *manager, const struct gres_cfg *gres);

#endif
