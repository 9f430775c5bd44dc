/* SPDX-License-Identifier: Apache-2.0
 * The XML that resource managers print, as a tree in an arena.
 *
 *     <Data><Job id='1'><State>Q</State></Job></Data>
 *
 *     "" -> Data -> Job (id=1) -> State "Q"
 *
 * Bytes that are no text, which any user can have printed, are '?'. */
#ifndef MAUI_RM_ADAPTER_XML_H
#define MAUI_RM_ADAPTER_XML_H

#include "base/arena.h"
#include "base/err.h"

struct xml_element {
    const char *name, *text;  /* text "" where there are elements in it */
    const char *const *attrs; /* name, value, name, value ...; NULL ends */
    const struct xml_element *first, *next; /* the first in it; the next beside it */
};

/* An element without a name, in it the root of each document: several in a row are
 * fine. What is nested deeper than 16 levels is left out. NULL with an error: it is no
 * XML. O(len). */
const struct xml_element *xml_read(
    struct arena *a, const char *text, size_t len, struct err *err);

/* The first of that name in it, or NULL; of NULL NULL. */
const struct xml_element *xml_child(const struct xml_element *e, const char *name);
/* From `e` on, beside it, the first of that name; or NULL. */
const struct xml_element *xml_beside(const struct xml_element *e, const char *name);
/* The text of the first of that name in it; NULL where there is none. */
const char *xml_text(const struct xml_element *e, const char *name);
const char *xml_attr_of(const struct xml_element *e, const char *name); /* or NULL */

/* A copy with '?' for bytes that are no text of UTF-8, and for control characters.
 * Owned by the caller. */
char *xml_sound(const char *text, size_t len);

#endif
