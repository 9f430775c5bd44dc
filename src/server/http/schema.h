/* SPDX-License-Identifier: Apache-2.0
 * Request bodies held against openapi.json, before anybody reads them: a member that is
 * not there, of another type, or a text that could not be read back is refused with its
 * name. So what the description says is what is taken, and each new member has a place
 * where its texts are bounded. Private to src/server.
 *
 * Of schemas it knows type, nullable, enum, properties, required, additionalProperties,
 * items and $ref. null stands for a member that is not given: where it is needed, it is
 * missing. Texts by `format`:
 *     name    no blank, control character, quote, backslash, comma or semicolon;
 *             at most 255 bytes. Also `x-keys: name` of the keys of an object
 *     free    anything
 *     else    no control character
 *
 * `maxLength` counts characters, whatever the format. */
#ifndef MAUI_SERVER_SCHEMA_H
#define MAUI_SERVER_SCHEMA_H

#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

struct schema;

/* From the description's text. Never NULL: the text is ours. */
struct schema *schema_open(const char *openapi);
void schema_close(struct schema *s); /* NULL is allowed */

/* Is this a body for the operation (method as "POST", path as "/v1/jobs/{id}")? 0, or
 * -1 with a sentence that begins with the member; its path ("requests[0].features[1]")
 * is written to `ret_field`. An operation without a body takes any. O(body). */
int schema_check(const struct schema *s, const char *method, const char *path,
    const json_t *body, char *ret_field, size_t size, struct err *err);
/* Characters of a UTF-8 text: what `maxLength` counts. O(bytes). */
size_t schema_characters(const char *text);

#endif
