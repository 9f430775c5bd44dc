/* SPDX-License-Identifier: Apache-2.0
 * Names as small numbers: a hash table for text -> id, an array for id -> text. */
#include "base/names.h"

#include "base/hash.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

/* One allocation a name, never moved: names_text() hands out the text. */
struct name {
    UT_hash_handle hh;
    uint32_t id;
    char text[];
};

struct names {
    struct name *by_text;
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
    HASH_CLEAR(hh, n->by_text);
    for (size_t i = 0; i < n->by_id.n; i++)
        free(n->by_id.v[i]);
    vec_fini(&n->by_id);
    free(n);
}

uint32_t names_find(const struct names *n, const char *text)
{
    struct name *found;

    HASH_FIND_STR(n->by_text, text, found);
    return found != NULL ? found->id : NAME_NONE;
}

uint32_t names_intern(struct names *n, const char *text)
{
    uint32_t id = names_find(n, text);
    size_t size = strlen(text) + 1;
    struct name *name;

    if (id != NAME_NONE)
        return id;
    assert(n->by_id.n < NAME_NONE);
    name = xmalloc(sizeof *name + size);
    name->id = (uint32_t)n->by_id.n;
    memcpy(name->text, text, size);
    vec_push(&n->by_id, name);
    HASH_ADD_KEYPTR(hh, n->by_text, name->text, size - 1, name);
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
