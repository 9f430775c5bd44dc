/* SPDX-License-Identifier: Apache-2.0
 * Names as small numbers: a hash table for text -> id, an array for id -> text. */
#include "base/names.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <assert.h>
#include <string.h>

/* Names lie one after the other in blocks of this size, a longer one in a block of its
 * own, and never move: names_text() hands them out. */
#define BLOCK_SIZE ((size_t)4096)

/* A place of the table: most questions are answered without looking at a name. */
struct place {
    uint32_t hash;
    uint32_t id; /* NAME_NONE = free */
};

struct names {
    struct place *table;      /* open addressing; never more than half full */
    uint32_t mask;            /* places - 1, a power of two; 0 = no table yet */
    uint32_t placed;          /* so many names are in the table, the others not yet */
    struct VEC(char *) by_id; /* NULL: of the row, and not made yet */
    struct VEC(char *) blocks;
    char *free; /* so many bytes are `left` from here on, in the last block */
    size_t left;
    char *row;          /* what the row counts on from, owned; NULL = there is none */
    uint32_t row_first; /* id of the first name that does */
};

struct names *names_create(void)
{
    return xcalloc(1, sizeof(struct names));
}

void names_destroy(struct names *n)
{
    if (n == NULL)
        return;
    for (size_t i = 0; i < n->blocks.n; i++)
        free(n->blocks.v[i]);
    vec_fini(&n->blocks);
    vec_fini(&n->by_id);
    free(n->table);
    free(n->row);
    free(n);
}

/* FNV-1a, its upper bits mixed into the lower ones. */
static uint32_t hash_of(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (uint32_t)(h ^ h >> 32);
}

/* The place of the text, or the free one where it belongs. */
static struct place *place_of(const struct names *n, const char *text, uint32_t hash)
{
    uint32_t i = hash & n->mask;

    while (
        n->table[i].id != NAME_NONE
        && (n->table[i].hash != hash || strcmp(n->by_id.v[n->table[i].id], text) != 0))
        i = (i + 1) & n->mask;
    return &n->table[i];
}

/* The next larger table that has room for so many names; no name is looked at. */
static void grow(struct names *n, size_t names)
{
    struct place *old = n->table;
    uint32_t old_places = old ? n->mask + 1 : 0, places = old ? 2 * old_places : 16;

    while (places <= 2 * names)
        places *= 2;
    n->table = xmalloc(places * sizeof *n->table);
    memset(n->table, 0xff, places * sizeof *n->table); /* all NAME_NONE */
    n->mask = places - 1;
    for (uint32_t i = 0; i < old_places; i++) {
        uint32_t at = old[i].hash & n->mask;

        if (old[i].id == NAME_NONE)
            continue;
        while (n->table[at].id != NAME_NONE)
            at = (at + 1) & n->mask;
        n->table[at] = old[i];
    }
    free(old);
}

/* All names are in the table, and one more has room. */
static void complete(struct names *n)
{
    if (2 * n->by_id.n >= n->mask)
        grow(n, n->by_id.n);
    for (; n->placed < n->by_id.n; n->placed++) {
        const char *text = names_row_text(n, n->placed);
        uint32_t hash = hash_of(text);
        struct place *place = place_of(n, text, hash);

        assert(place->id == NAME_NONE);
        *place = (struct place){hash, n->placed};
    }
}

static char *keep(struct names *n, const char *text, size_t size)
{
    if (size > n->left) {
        n->left = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        n->free = xmalloc(n->left);
        vec_push(&n->blocks, n->free);
    }
    char *copy = memcpy(n->free, text, size);
    n->free += size;
    n->left -= size;
    return copy;
}

uint32_t names_find(struct names *n, const char *text)
{
    if (n->by_id.n == 0)
        return NAME_NONE;
    complete(n);
    return place_of(n, text, hash_of(text))->id;
}

uint32_t names_intern(struct names *n, const char *text)
{
    uint32_t hash = hash_of(text);

    complete(n);
    struct place *place = place_of(n, text, hash);
    if (place->id == NAME_NONE) {
        assert(n->by_id.n < NAME_NONE / 4);
        *place = (struct place){hash, (uint32_t)n->by_id.n};
        vec_push(&n->by_id, keep(n, text, strlen(text) + 1));
        n->placed++;
    }
    return place->id;
}

const char *names_text(const struct names *n, uint32_t id)
{
    assert(id < n->by_id.n && n->by_id.v[id]);
    return n->by_id.v[id];
}

uint32_t names_count(const struct names *n)
{
    return (uint32_t)n->by_id.n;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool name_next(char *name, size_t room)
{
    size_t len = strlen(name), at = len;

    while (at > 0 && name[at - 1] == '9')
        at--;
    bool longer = at == 0 || !is_digit(name[at - 1]);
    if (longer && (at == len || len + 2 > room))
        return false;
    memset(name + at, '0', len - at);
    if (longer) {
        name[at] = '1';
        name[len] = '0';
        name[len + 1] = '\0';
    } else {
        name[at - 1]++;
    }
    return true;
}

void names_append_row(struct names *n, const char *text, uint32_t count)
{
    assert(!n->row && count < NAME_NONE / 4 - n->by_id.n);
    n->row = xstrdup(text);
    n->row_first = (uint32_t)n->by_id.n;
    vec_push_zeros(&n->by_id, count);
}

/* Add to the number that a name ends in; there is room for ten digits more. */
static void count_on(char *name, uint64_t by)
{
    size_t at = strlen(name);

    for (; by > 0 && at > 0 && is_digit(name[at - 1]); by /= 10) {
        by += (uint64_t)(name[--at] - '0');
        name[at] = (char)('0' + by % 10);
    }
    for (; by > 0; by /= 10) {
        memmove(name + at + 1, name + at, strlen(name + at) + 1);
        name[at] = (char)('0' + by % 10);
    }
}

const char *names_row_text(struct names *n, uint32_t id)
{
    assert(id < n->by_id.n);
    if (!n->by_id.v[id]) {
        size_t size = strlen(n->row) + 1;
        char *text = memcpy(xmalloc(size + 10), n->row, size);
        count_on(text, (uint64_t)id - n->row_first + 1);
        n->by_id.v[id] = keep(n, text, strlen(text) + 1);
        free(text);
    }
    return n->by_id.v[id];
}

/* Compare the runs of digits at *a and *b as numbers of any length and step
 * over both. */
static int compare_numbers(const char **a, const char **b)
{
    size_t la = 0, lb = 0;
    int order;

    while (**a == '0')
        ++*a;
    while (**b == '0')
        ++*b;
    while (is_digit((*a)[la]))
        la++;
    while (is_digit((*b)[lb]))
        lb++;
    order = la != lb ? (la < lb ? -1 : 1) : strncmp(*a, *b, la);
    *a += la;
    *b += lb;
    return order;
}

int name_compare(const char *a, const char *b)
{
    const char *p = a, *q = b;

    while (*p != '\0' && *q != '\0') {
        if (is_digit(*p) && is_digit(*q)) {
            int order = compare_numbers(&p, &q);

            if (order != 0)
                return order;
        } else if (*p != *q) {
            return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
        } else {
            p++;
            q++;
        }
    }
    if (*p != *q)
        return *p == '\0' ? -1 : 1;
    /* Equal but for leading zeros: the text itself decides. */
    return strcmp(a, b);
}
