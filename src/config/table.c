/* SPDX-License-Identifier: Apache-2.0
 * THE table as a whole. */
#include "config/table.h"

#include "base/nearest.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

static const struct cfg_group *(*const tables[])(size_t) = {
    table_server, table_priority, table_sched, table_old, table_sim};
static const struct cfg_group *(*const attrs[])(size_t) = {
    attrs_cred, attrs_node, attrs_service};

static const struct cfg_group *walk(
    const struct cfg_group *(*const *files)(size_t), size_t count, size_t i)
{
    for (size_t f = 0; f < count; f++) {
        size_t n = 0;

        while (files[f](n) != NULL)
            n++;
        if (i < n)
            return files[f](i);
        i -= n;
    }
    return NULL;
}

const struct cfg_group *table_group(size_t i)
{
    return walk(tables, sizeof tables / sizeof *tables, i);
}

const struct cfg_group *attrs_group(size_t i)
{
    return walk(attrs, sizeof attrs / sizeof *attrs, i);
}

const char *cfg_object_name(enum cfg_object object)
{
    static const char *const names[OBJECTS] = {"USERCFG", "GROUPCFG", "ACCOUNTCFG",
        "CLASSCFG", "QOSCFG", "SYSCFG", "NODECFG", "SRCFG", "RMCFG", "AMCFG",
        "SCHEDCFG", "CLIENTCFG", "PARCFG"};

    return names[object];
}

bool cfg_is_global(const char *index)
{
    return index == NULL || *index == '\0' || strcmp(index, "0") == 0;
}

const char *cfg_old_form_index(
    const struct cfg_row *row, const char *index, const char *bank)
{
    if (row->object == OBJECT_AM && bank != NULL)
        return bank;
    if (!cfg_is_global(index))
        return index;
    return row->object == OBJECT_QOS ? "DEFAULT" : "0";
}

/* ---- finding rows ---------------------------------------------------------------- */

#define SLOTS 2048 /* a power of two, more than twice the names */

/* A name or alias and its row: parameters first, then attributes. */
struct named {
    struct nearest_word word;
    const struct cfg_row *row;
};

/* An open hash table of the names without regard to case: slots hold 1 + the number
 * of the name. Attributes of one name in different sections are neighbours. */
struct table_index {
    struct VEC(struct named) names;
    size_t parameters; /* of the names */
    uint16_t slots[SLOTS];
};

/* The letters of a word and their number are hash enough: few are anagrams. */
static uint32_t first_slot(const struct nearest_word *w)
{
    return (uint32_t)((w->letters * UINT64_C(0x9e3779b97f4a7c15)) >> 40) + w->len;
}

static void add_name(struct table_index *t, const char *name, const struct cfg_row *row)
{
    struct named named = {.row = row};
    uint32_t slot;

    if (name == NULL)
        return;
    named.word = nearest_look(name);
    assert(t->names.n < SLOTS / 2);
    vec_push(&t->names, named);
    for (slot = first_slot(&named.word); t->slots[slot % SLOTS] != 0; slot++)
        ;
    t->slots[slot % SLOTS] = (uint16_t)t->names.n;
}

static void add_group(struct table_index *t, const struct cfg_group *g)
{
    for (size_t r = 0; r < g->n; r++) {
        add_name(t, g->rows[r].name, &g->rows[r]);
        for (int a = 0; a < CFG_ALIASES; a++)
            add_name(t, g->rows[r].alias[a], &g->rows[r]);
    }
}

struct table_index *table_index_create(void)
{
    struct table_index *t = xcalloc(1, sizeof *t);
    const struct cfg_group *g;

    vec_reserve(&t->names, SLOTS / 2);
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        add_group(t, g);
    t->parameters = t->names.n;
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
        add_group(t, g);
    return t;
}

void table_index_destroy(struct table_index *t)
{
    if (t == NULL)
        return;
    vec_fini(&t->names);
    free(t);
}

/* The first row of that name: a parameter, or an attribute of one of `sections`. */
static const struct cfg_row *find(
    const struct table_index *t, const char *name, uint32_t sections)
{
    struct nearest_word word = nearest_look(name);
    uint32_t slot = first_slot(&word);
    size_t i;

    for (; (i = t->slots[slot % SLOTS]) != 0; slot++) {
        const struct named *found = &t->names.v[i - 1];
        bool attribute = i > t->parameters;

        if (attribute == (sections != 0)
            && (!attribute || (found->row->objects & sections) != 0)
            && found->word.len == word.len && strcasecmp(found->word.text, name) == 0)
            return found->row;
    }
    return NULL;
}

const struct cfg_row *table_find(const struct table_index *t, const char *name)
{
    return find(t, name, 0);
}

const struct cfg_row *attrs_find(
    const struct table_index *t, enum cfg_object object, const char *name)
{
    return find(t, name, UINT32_C(1) << object);
}

const char *table_nearest(const struct table_index *t, const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; i < t->parameters; i++)
        nearest_offer_word(&near, &t->names.v[i].word);
    return nearest_best(&near);
}

const char *attrs_nearest(
    const struct table_index *t, enum cfg_object object, const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = t->parameters; i < t->names.n; i++)
        if ((t->names.v[i].row->objects >> object & 1) != 0)
            nearest_offer_word(&near, &t->names.v[i].word);
    return nearest_best(&near);
}
