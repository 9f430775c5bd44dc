/* SPDX-License-Identifier: Apache-2.0
 * THE table as a whole. */
#include "config/table.h"

#include "base/names.h"
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>

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

/* ---- finding rows ---------------------------------------------------------------- */

/* Keys are upper case; attributes carry their section in front ("QOSCFG.PRIORITY"). */
struct table_index {
    struct names *keys;
    struct VEC(const struct cfg_row *) rows;
};

#define KEY_MAX 80 /* longer than any name; longer texts are in no table */

static const char *make_key(char *key, const char *section, const char *name)
{
    int len =
        snprintf(key, KEY_MAX, "%s%s%s", section, *section != '\0' ? "." : "", name);

    if (len >= KEY_MAX)
        return "";
    for (char *p = key; *p != '\0'; p++)
        *p = (char)toupper((unsigned char)*p);
    return key;
}

static void add_name(struct table_index *t, const char *section, const char *name,
    const struct cfg_row *row)
{
    char key[KEY_MAX];

    if (name == NULL)
        return;
    make_key(key, section, name);
    if (names_find(t->keys, key) == NAME_NONE) {
        names_intern(t->keys, key);
        vec_push(&t->rows, row);
    }
}

static void add_row(
    struct table_index *t, const char *section, const struct cfg_row *row)
{
    add_name(t, section, row->name, row);
    for (int a = 0; a < CFG_ALIASES; a++)
        add_name(t, section, row->alias[a], row);
}

static void add_attribute(struct table_index *t, const struct cfg_row *row)
{
    for (int o = 0; o < OBJECTS; o++)
        if ((row->objects >> o & 1) != 0)
            add_row(t, cfg_object_name((enum cfg_object)o), row);
}

struct table_index *table_index_create(void)
{
    struct table_index *t = xcalloc(1, sizeof *t);
    const struct cfg_group *g;

    t->keys = names_create();
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            add_row(t, "", &g->rows[r]);
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            add_attribute(t, &g->rows[r]);
    return t;
}

void table_index_destroy(struct table_index *t)
{
    if (t == NULL)
        return;
    names_destroy(t->keys);
    vec_fini(&t->rows);
    free(t);
}

static const struct cfg_row *find_key(const struct table_index *t, const char *key)
{
    uint32_t id = names_find(t->keys, key);

    return id != NAME_NONE ? t->rows.v[id] : NULL;
}

const struct cfg_row *table_find(const struct table_index *t, const char *name)
{
    char key[KEY_MAX];

    return find_key(t, make_key(key, "", name));
}

const struct cfg_row *attrs_find(
    const struct table_index *t, enum cfg_object object, const char *name)
{
    char key[KEY_MAX];

    return find_key(t, make_key(key, cfg_object_name(object), name));
}

static void offer_names(struct nearest *near, const struct cfg_row *row)
{
    nearest_offer(near, row->name);
    for (int a = 0; a < CFG_ALIASES; a++)
        if (row->alias[a] != NULL)
            nearest_offer(near, row->alias[a]);
}

const char *table_nearest(const char *name)
{
    const struct cfg_group *g;
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            offer_names(&near, &g->rows[r]);
    return nearest_best(&near);
}

const char *attrs_nearest(enum cfg_object object, const char *name)
{
    const struct cfg_group *g;
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            if ((g->rows[r].objects >> object & 1) != 0)
                offer_names(&near, &g->rows[r]);
    return nearest_best(&near);
}
