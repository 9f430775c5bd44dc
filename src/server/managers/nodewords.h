/* SPDX-License-Identifier: Apache-2.0
 * Why a node takes no jobs, in the words of its resource manager: for people alone, so
 * it is neither journalled state nor remembered over a restart. Private to
 * src/server/managers; others ask managers_said() (manager.h). */
#ifndef MAUI_SERVER_NODEWORDS_H
#define MAUI_SERVER_NODEWORDS_H

#include <stdbool.h>
#include <stdint.h>

struct nodewords;

struct nodewords *nodewords_new(void);
void nodewords_free(struct nodewords *w); /* NULL is allowed */

/* That is said of the node of that index now, in place of what was; NULL or "":
 * nothing. Copied. False: that was said before. */
bool nodewords_told(struct nodewords *w, uint32_t node, const char *text);
/* NULL: nothing. Borrowed until the next word of that node. */
const char *nodewords_of(const struct nodewords *w, uint32_t node);

#endif
