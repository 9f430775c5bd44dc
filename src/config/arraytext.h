/* SPDX-License-Identifier: Apache-2.0
 * The indexes of a job array: `1-10`, `0-20:5`, `1,4,7-9`, each with `%N` behind it for
 * at most N at once. */
#ifndef MAUI_CONFIG_ARRAYTEXT_H
#define MAUI_CONFIG_ARRAYTEXT_H

#include "base/err.h"
#include "base/vec.h"

#include <stdint.h>

#define ARRAY_MOST  100000 /* jobs of one array */
#define ARRAY_INDEX 999999 /* the largest index */

struct array_spec {
    struct VEC(uint32_t) indexes; /* as written, each once */
    uint32_t at_once;             /* 0 = no limit */
};

/* -1 with a sentence, and *ret is empty. */
int array_parse(const char *text, struct array_spec *ret, struct err *err);
void array_fini(struct array_spec *a);
/* The indexes as array_parse() reads them, neighbours as ranges. Owned by the caller.
 */
char *array_text(const uint32_t *indexes, size_t n);

#endif
