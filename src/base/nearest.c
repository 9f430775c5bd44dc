/* SPDX-License-Identifier: Apache-2.0
 * "Did you mean ...?": edit distance with neighbouring swaps, a word of bits at a
 * time. */
#include "base/nearest.h"

#include <limits.h>
#include <string.h>

#define WORD_MAX 63 /* a bit each */
#define PART_MIN 4  /* letters; less is a part of too much */

static unsigned char fold(char c)
{
    return c >= 'a' && c <= 'z' ? (unsigned char)(c - 'a' + 'A') : (unsigned char)c;
}

static void masks_init(struct nearest_masks *m, const char *text)
{
    *m = (struct nearest_masks){.len = strnlen(text, WORD_MAX + 1)};
    if (m->len > WORD_MAX)
        return;
    for (size_t i = 0; i < m->len; i++)
        m->at[fold(text[i])] |= UINT64_C(1) << i;
}

/* The matrix of the distances column by column, the differences of neighbours as bits:
 * H. Hyyro, A bit-vector algorithm for computing Levenshtein and Damerau edit
 * distances, 2003. `plus` and `minus` are the vertical differences, `across_plus` and
 * `across_minus` the horizontal ones, `same` the diagonal that did not grow. */
static unsigned distance_to(const struct nearest_masks *m, const char *text)
{
    uint64_t plus = ~UINT64_C(0), minus = 0, same = 0, matches = 0;
    unsigned distance = (unsigned)m->len;
    size_t len = 0;

    for (; text[len] != '\0'; len++) {
        uint64_t before = matches, across_plus, across_minus, swapped;

        matches = m->at[fold(text[len])];
        swapped = ((~same & matches) << 1) & before;
        same = (((matches & plus) + plus) ^ plus) | matches | minus | swapped;
        across_plus = minus | ~(same | plus);
        across_minus = same & plus;
        if (m->len > 0) {
            distance += across_plus >> (m->len - 1) & 1;
            distance -= across_minus >> (m->len - 1) & 1;
        }
        across_plus = across_plus << 1 | 1;
        across_minus <<= 1;
        plus = across_minus | ~(same | across_plus);
        minus = across_plus & same;
    }
    if (len > WORD_MAX || m->len > WORD_MAX)
        return UINT_MAX;
    return m->len > 0 ? distance : (unsigned)len;
}

unsigned nearest_distance(const char *a, const char *b)
{
    struct nearest_masks masks;

    masks_init(&masks, a);
    return distance_to(&masks, b);
}

struct nearest_word nearest_look(const char *text)
{
    struct nearest_word word = {.text = text};

    for (; text[word.len] != '\0'; word.len++)
        word.letters |= UINT64_C(1) << (fold(text[word.len]) & 63);
    return word;
}

static unsigned allowed_of(size_t len)
{
    return len < 4 ? 1 : 1 + (unsigned)(len / 3);
}

bool nearest_is_misspelt(const char *text, const char *name)
{
    return nearest_distance(text, name) <= allowed_of(strlen(text));
}

void nearest_init(struct nearest *n, const char *text)
{
    *n = (struct nearest){.word = nearest_look(text), .distance = UINT_MAX};
    n->allowed = allowed_of(n->word.len);
    masks_init(&n->masks, text);
}

/* Each letter that only one of the two has, and each letter of difference in
 * length, takes a change at least. */
static int far_apart(const struct nearest *n, const struct nearest_word *w)
{
    size_t len = n->word.len;
    uint64_t letters = n->word.letters;

    return (w->len > len ? w->len - len : len - w->len) > n->allowed
           || (unsigned)__builtin_popcountll(w->letters & ~letters) > n->allowed
           || (unsigned)__builtin_popcountll(letters & ~w->letters) > n->allowed;
}

/* A word that is a part of a longer name was cut short: PROCS of CFGPROCS. */
static void consider_part(struct nearest *n, const struct nearest_word *w)
{
    if (n->word.len < PART_MIN || w->len <= n->word.len
        || (n->whole != NULL && w->len >= strlen(n->whole))
        || (n->word.letters & ~w->letters) != 0)
        return;
    if (strcasestr(w->text, n->word.text) != NULL)
        n->whole = w->text;
}

void nearest_offer_word(struct nearest *n, const struct nearest_word *candidate)
{
    unsigned distance;

    consider_part(n, candidate);
    if (n->word.len > WORD_MAX || far_apart(n, candidate))
        return;
    distance = distance_to(&n->masks, candidate->text);
    if (distance >= n->distance)
        return;
    n->distance = distance;
    n->best = candidate->text;
}

void nearest_offer(struct nearest *n, const char *candidate)
{
    struct nearest_word word = nearest_look(candidate);

    nearest_offer_word(n, &word);
}

const char *nearest_best(const struct nearest *n)
{
    if (n->best == NULL || n->distance > n->allowed || n->distance >= strlen(n->best))
        return n->whole;
    return n->best;
}
