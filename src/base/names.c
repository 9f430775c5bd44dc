/* SPDX-License-Identifier: Apache-2.0
 * Names as small numbers: a hash table for text -> id, an array for id -> text. */
#include "base/names.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <assert.h>
#include <string.h>

/* One allocation a name, never moved: names_text() hands out the text. */
struct name {
    uint32_t id;
    char text[];
};

/* A place of the table: most questions are answered without looking at a name. */
struct place {
    uint32_t hash;
    uint32_t id; /* NAME_NONE = free */
};

struct names {
    struct place *table; /* open addressing; never more than half full */
    uint32_t mask;       /* places - 1, a power of two; 0 = no table yet */
    struct VEC(struct name *) by_id;
};

struct names *names_create(void)
{
    return xcalloc(1, sizeof(struct names));
}

void names_destroy(struct names *n)
{
    if (n == NULL)
        return;
    for (size_t i = 0; i < n->by_id.n; i++)
        free(n->by_id.v[i]);
    vec_fini(&n->by_id);
    free(n->table);
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

    while (n->table[i].id != NAME_NONE
           && (n->table[i].hash != hash
               || strcmp(n->by_id.v[n->table[i].id]->text, text) != 0))
        i = (i + 1) & n->mask;
    return &n->table[i];
}

static void grow(struct names *n)
{
    uint32_t places = n->mask ? 2 * (n->mask + 1) : 16;

    free(n->table);
    n->table = xmalloc(places * sizeof *n->table);
    memset(n->table, 0xff, places * sizeof *n->table); /* all NAME_NONE */
    n->mask = places - 1;
    for (size_t i = 0; i < n->by_id.n; i++) {
        uint32_t hash = hash_of(n->by_id.v[i]->text);
        *place_of(n, n->by_id.v[i]->text, hash) = (struct place){hash, (uint32_t)i};
    }
}

uint32_t names_find(const struct names *n, const char *text)
{
    return n->mask ? place_of(n, text, hash_of(text))->id : NAME_NONE;
}

uint32_t names_intern(struct names *n, const char *text)
{
    size_t size = strlen(text) + 1;
    uint32_t hash = hash_of(text);

    if (2 * n->by_id.n >= n->mask)
        grow(n);
    struct place *place = place_of(n, text, hash);
    if (place->id != NAME_NONE)
        return place->id;
    assert(n->by_id.n < NAME_NONE / 4);
    struct name *name = xmalloc(sizeof *name + size);
    name->id = (uint32_t)n->by_id.n;
    memcpy(name->text, text, size);
    vec_push(&n->by_id, name);
    *place = (struct place){hash, name->id};
    return name->id;
}

const char *names_text(const struct names *n, uint32_t id)
{
    assert(id < n->by_id.n);
    return n->by_id.v[id]->text;
}

uint32_t names_count(const struct names *n)
{
    return (uint32_t)n->by_id.n;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
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
