/* SPDX-License-Identifier: Apache-2.0
 * The lines RMCFG[name] by which resource managers were opened: copies, which outlive
 * the configuration they were read from. So those of before can be gone back to where
 * others cannot be opened. Private to src/server. */
#ifndef MAUI_SERVER_RMLINES_H
#define MAUI_SERVER_RMLINES_H

#include <stdbool.h>
#include <stddef.h>

struct raw_object;
struct rmlines;
struct server;

/* Those of the settings in force, in their order; with --nodes the first alone. At
 * least one: the local one is where no line says otherwise. To be freed. */
struct rmlines *rmlines_read(const struct server *s);
void rmlines_free(struct rmlines *l);

size_t rmlines_count(const struct rmlines *l);
/* The i-th; NULL = no line says what it is. Borrowed. */
const struct raw_object *rmlines_at(const struct rmlines *l, size_t i);
const char *rmlines_name(const struct rmlines *l, size_t i);
/* The one of that name: its number, or the count. O(lines). */
size_t rmlines_find(const struct rmlines *l, const char *name);

/* Do they say the same, in the same order? Where they stand does not count. */
bool rmlines_same(const struct rmlines *a, const struct rmlines *b);

/* "maui.cfg:12: " of the attribute that the sentence is about ("RMCFG[x] PAM: ..."),
 * else of the first one; "" when no file says it. */
void rmlines_where(
    const struct raw_object *line, const char *sentence, char *ret, size_t size);

#endif
