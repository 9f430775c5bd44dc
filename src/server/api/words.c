/* SPDX-License-Identifier: Apache-2.0
 * One of some words, or several of them. */
#include "server/api/words.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#define SHOWN                                                                          \
    40 /* letters of a word that is repeated in an error; all words are shorter */

static int find_word(const char *parameter, word_at_fn *at, const char *word,
    size_t len, struct err *err)
{
    struct nearest near;
    char text[SHOWN];

    snprintf(text, sizeof text, "%.*s", (int)(len < SHOWN ? len : SHOWN), word);
    nearest_init(&near, text);
    for (size_t i = 0; at(i); i++) {
        if (strlen(at(i)) == len && memcmp(at(i), word, len) == 0)
            return (int)i;
        nearest_offer(&near, at(i));
    }
    const char *best = nearest_best(&near);
    return err_set(err, ERR_INVALID, "%s: there is no '%s'%s%s%s", parameter, text,
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

int words_find(const char *parameter, word_at_fn *at, const char *text, struct err *err)
{
    return find_word(parameter, at, text, strlen(text), err);
}

int words_next(const char *parameter, word_at_fn *at, const char **io, struct err *err)
{
    const char *word = *io;

    if (!word || !*word)
        return WORDS_END;
    size_t n = strcspn(word, ",");
    *io = word + n + (word[n] == ',');
    return find_word(parameter, at, word, n, err);
}

int words_read(const char *parameter, word_at_fn *at, const char *text, unsigned *ret,
    struct err *err)
{
    int found;

    *ret = 0;
    while ((found = words_next(parameter, at, &text, err)) >= 0)
        *ret |= 1u << found;
    return found == WORDS_END ? 0 : -1;
}
