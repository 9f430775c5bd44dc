/* SPDX-License-Identifier: Apache-2.0
 * Parameters of a question that take one of some words, or several of them. */
#ifndef MAUI_SERVER_API_WORDS_H
#define MAUI_SERVER_API_WORDS_H

#include "base/err.h"

#include <stddef.h>

/* The i-th word; NULL beyond the last. */
typedef const char *word_at_fn(size_t i);

/* The number of the word `text`; -1 and a sentence with the nearest where there is no
 * such word. Case counts. O(words). */
int words_find(
    const char *parameter, word_at_fn *at, const char *text, struct err *err);

#define WORDS_END (-2)

/* The number of the next of some words with commas between them; *io moves behind it.
 * WORDS_END where there is none left (NULL and "" are none), -1 as words_find(). */
int words_next(const char *parameter, word_at_fn *at, const char **io, struct err *err);

/* Words with commas between them, as a set of 1 << number; there are 32 words at most.
 * NULL and "" are none. -1 as words_find(). */
int words_read(const char *parameter, word_at_fn *at, const char *text, unsigned *ret,
    struct err *err);

#endif
