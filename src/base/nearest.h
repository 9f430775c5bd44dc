/* SPDX-License-Identifier: Apache-2.0
 * "Did you mean ...?": the candidate closest to a mistyped word. */
#ifndef MAUI_BASE_NEAREST_H
#define MAUI_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of a word can be told at a glance. Borrows the text. */
struct nearest_word {
    const char *text;
    size_t len;
    uint64_t letters; /* that are in the text, a bit each */
};

/* Where in a word each letter is, a bit each; of words of up to 63 letters. */
struct nearest_masks {
    size_t len;
    uint64_t at[256];
};

/* Lives on the caller's stack; borrows the texts it is given. */
struct nearest {
    struct nearest_word word;
    struct nearest_masks masks;
    const char *best, *whole;   /* whole: the shortest that the word is a part of */
    unsigned distance, allowed; /* of the best; that a candidate may have */
};

void nearest_init(struct nearest *n, const char *text);

/* Consider one candidate. Cost: its length. */
void nearest_offer(struct nearest *n, const char *candidate);

/* The same for many candidates that are offered often: the glance is taken before. */
struct nearest_word nearest_look(const char *text);
void nearest_offer_word(struct nearest *n, const struct nearest_word *candidate);

/* The closest candidate so far, the first of equals; else the shortest that has the
 * word, of four letters at least, in it; NULL when none is close enough to be what was
 * meant (about a third of the letters may differ). */
const char *nearest_best(const struct nearest *n);

/* Is the text that name, misspelt? Not so where it is but a part of a longer one: that
 * is worth a question, and nothing follows from it. */
bool nearest_is_misspelt(const char *text, const char *name);

/* Letters to change, add, drop or swap with their neighbour to make `b` of
 * `a`, without regard to case. UINT_MAX when either is over 63 bytes. */
unsigned nearest_distance(const char *a, const char *b);

#endif
