/* SPDX-License-Identifier: Apache-2.0
 * How long the last so many runs were, and within what most of them ended. */
#ifndef MAUI_ENGINE_PREDICTION_LENGTHS_H
#define MAUI_ENGINE_PREDICTION_LENGTHS_H

#include <stdint.h>

struct lengths;

/* Of the last `most` runs, 1 at least. */
struct lengths *lengths_create(uint32_t most);
void lengths_destroy(struct lengths *l); /* NULL does nothing */

void lengths_note(struct lengths *l, int64_t run_s); /* O(1) */
/* Of how many it knows. */
uint32_t lengths_known(const struct lengths *l);
/* The shortest length that this share of them, 0 to 1, did not pass; 0 where none is
 * known. O(most log most). */
int64_t lengths_quantile(const struct lengths *l, double share);

#endif
