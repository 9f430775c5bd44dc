/* SPDX-License-Identifier: Apache-2.0
 * "Did you mean ...?": edit distance with neighbouring swaps. */
#include "base/nearest.h"

#include <limits.h>
#include <string.h>

#define WORD_MAX 63

static unsigned char fold(char c)
{
    return c >= 'a' && c <= 'z' ? (unsigned char)(c - 'a' + 'A') : (unsigned char)c;
}

static unsigned min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned nearest_distance(const char *a, const char *b)
{
    unsigned row[3][WORD_MAX + 1];
    size_t la = strnlen(a, WORD_MAX + 1), lb = strnlen(b, WORD_MAX + 1);

    if (la > WORD_MAX || lb > WORD_MAX)
        return UINT_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *now = row[i % 3];
        const unsigned *prev = row[(i + 2) % 3], *before = row[(i + 1) % 3];

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned same = fold(a[i - 1]) == fold(b[j - 1]) ? 0 : 1;

            now[j] = min2(min2(prev[j], now[j - 1]) + 1, prev[j - 1] + same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2])
                && fold(a[i - 2]) == fold(b[j - 1]))
                now[j] = min2(now[j], before[j - 2] + 1);
        }
    }
    return row[la % 3][lb];
}

static uint64_t letters_of(const char *text)
{
    uint64_t letters = 0;

    for (; *text != '\0'; text++)
        letters |= UINT64_C(1) << (fold(*text) & 63);
    return letters;
}

void nearest_init(struct nearest *n, const char *text)
{
    size_t len = strlen(text);

    *n = (struct nearest){.text = text,
        .distance = UINT_MAX,
        .allowed = len < 4 ? 1 : 1 + (unsigned)(len / 3),
        .len = len,
        .letters = letters_of(text)};
}

/* Each letter that only one of the two has, and each letter of difference in
 * length, takes a change at least. */
static int far_apart(const struct nearest *n, const char *candidate)
{
    size_t len = strlen(candidate);
    uint64_t letters = letters_of(candidate);

    return (len > n->len ? len - n->len : n->len - len) > n->allowed
           || (unsigned)__builtin_popcountll(letters & ~n->letters) > n->allowed
           || (unsigned)__builtin_popcountll(n->letters & ~letters) > n->allowed;
}

void nearest_offer(struct nearest *n, const char *candidate)
{
    unsigned distance;

    if (n->len > WORD_MAX || far_apart(n, candidate))
        return;
    distance = nearest_distance(n->text, candidate);
    if (distance >= n->distance)
        return;
    n->distance = distance;
    n->best = candidate;
}

const char *nearest_best(const struct nearest *n)
{
    if (n->best == NULL || n->distance > n->allowed || n->distance >= strlen(n->best))
        return NULL;
    return n->best;
}
