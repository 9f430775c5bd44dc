/* SPDX-License-Identifier: Apache-2.0
 * What is in force and where it came from; texts of single parameters. */
#include "base/hash.h"
#include "base/names.h"
#include "base/strbuf.h"
#include "config/config.h"
#include "config/settings.h"
#include "config/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct cfg_value *config_value(const struct config *c, const char *name)
{
    uint32_t id = names_find(c->value_index, name);

    if (id == NAME_NONE)
        return NULL;
    assert(c->values.v != NULL && id < c->values.n);
    return &c->values.v[id];
}

const char *config_text(const struct config *c, const char *name)
{
    const struct cfg_value *value = config_value(c, name);

    return value != NULL ? value->text : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void config_differences(
    const struct config *was, const struct config *is, config_told *told, void *ctx)
{
    for (size_t i = 0; i < is->values.n; i++) {
        const struct cfg_value *v = &is->values.v[i], *old = config_value(was, v->name);
        const char *before = old ? old->text : cfg_value_default(v);
        if (!is_same(before, v->text))
            told(ctx, v->name, before, v->text);
    }
    for (size_t i = 0; i < was->values.n; i++) {
        const struct cfg_value *v = &was->values.v[i];
        const char *usual = cfg_value_default(v);
        if (!config_value(is, v->name) && !is_same(v->text, usual))
            told(ctx, v->name, v->text, usual);
    }
}

uint64_t config_digest(const struct config *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < c->values.n; i++) {
        const struct cfg_value *v = &c->values.v[i];
        uint64_t h = 1;
        for (const char *s = v->name; *s; s++)
            h = hash_mix(h, (unsigned char)*s);
        h = hash_mix(h, 0);
        for (const char *s = v->text ? v->text : ""; *s; s++)
            h = hash_mix(h, (unsigned char)*s);
        sum += h;
    }
    return sum;
}

const struct raw_object *config_manager_section(const struct config *c)
{
    for (size_t i = 0; i < c->settings->raw.n; i++)
        if (strcmp(c->settings->raw.v[i].kind, "RMCFG") == 0)
            return &c->settings->raw.v[i];
    return NULL;
}

size_t config_managers(const struct config *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->settings->raw.n; i++)
        n += strcmp(c->settings->raw.v[i].kind, "RMCFG") == 0;
    return n;
}

const struct raw_object *config_manager_named(const struct config *c, const char *name)
{
    for (size_t i = 0; i < c->settings->raw.n; i++)
        if (strcmp(c->settings->raw.v[i].kind, "RMCFG") == 0
            && strcmp(c->settings->raw.v[i].name, name) == 0)
            return &c->settings->raw.v[i];
    return NULL;
}

const char *config_manager(const struct config *c, const char *attr)
{
    return config_section_attr(config_manager_section(c), attr);
}

const char *config_manager_of(
    const struct config *c, const char *type, const char *attr)
{
    for (size_t i = 0; i < c->settings->raw.n; i++) {
        const struct raw_object *section = &c->settings->raw.v[i];
        const char *is = config_section_attr(section, "TYPE");
        if (strcmp(section->kind, "RMCFG") == 0 && is != NULL
            && strcasecmp(is, type) == 0)
            return config_section_attr(section, attr);
    }
    return NULL;
}

const char *config_section_attr(const struct raw_object *section, const char *attr)
{
    const char *found = NULL;

    for (size_t i = 0; section != NULL && i < section->attrs.n; i++)
        if (strcmp(section->attrs.v[i].name, attr) == 0)
            found = section->attrs.v[i].value;
    return found;
}

/* The name a value is kept under. Owned by the caller. */
static char *key_of(const struct cfg_row *row, const char *index)
{
    bool first = index == NULL || *index == '\0' || strcmp(index, "0") == 0;
    struct strbuf key = {0};

    if (row->home == HOME_ATTR) {
        if (first)
            index = row->object == OBJECT_QOS ? "DEFAULT" : "0";
        strbuf_printf(
            &key, "%s[%s].%s", cfg_object_name(row->object), index, row->attr);
    } else if (first) {
        strbuf_add(&key, row->name);
    } else {
        strbuf_printf(&key, "%s[%s]", row->name, index);
    }
    return strbuf_take(&key);
}

const char *cfg_value_default(const struct cfg_value *v)
{
    return v->row->def;
}

const char *cfg_get(const struct config *c, const char *name, const char *index)
{
    const struct cfg_row *row = table_find(c->table, name);
    const struct cfg_value *value;
    char *key;

    if (row == NULL || row->type == CFG_SECTION)
        return NULL;
    key = key_of(row, index);
    value = config_value(c, key);
    free(key);
    if (value != NULL)
        return value->text;
    /* A partition without its own value has the global one. */
    if (index != NULL
        && (row->index == INDEX_OF_PARTITION || row->index == INDEX_OF_WEIGHTS))
        value = config_value(c, row->name);
    return value != NULL ? value->text : row->def;
}

static void print_line(struct strbuf *out, const char *name, const char *text,
    const char *def, const char *from)
{
    strbuf_printf(out, "%-34s %-26s %-18s %s\n", name, text, def, from);
}

static void print_value(struct strbuf *out, const struct cfg_value *v)
{
    static const char *const remarks[] = {[STATUS_IN_FORCE] = "",
        [STATUS_LATER] = " (not yet in force)",
        [STATUS_OBSOLETE] = " (obsolete)",
        [STATUS_INERT] = " (no effect)"};
    struct strbuf from = {0};

    strbuf_printf(
        &from, "%s:%u%s", v->file, (unsigned)v->line, remarks[v->row->status]);
    print_line(
        out, v->name, v->text, v->row->def != NULL ? v->row->def : "-", from.text);
    free(strbuf_take(&from));
}

/* Values of a row, its own name first; the default when there are none. */
static void print_row(
    struct strbuf *out, const struct config *c, const struct cfg_row *row)
{
    const struct cfg_value *plain = config_value(c, row->name);

    if (plain != NULL)
        print_value(out, plain);
    else if (row->status == STATUS_IN_FORCE && row->type != CFG_SECTION
             && row->home != HOME_CRED)
        print_line(out, row->name, row->def != NULL ? row->def : "-",
            row->def != NULL ? row->def : "-", "default");
    for (size_t i = 0; i < c->values.n; i++) {
        const struct cfg_value *v = &c->values.v[i];

        if (v->row == row && v != plain)
            print_value(out, v);
    }
}

static void print_group(
    struct strbuf *out, const struct config *c, const struct cfg_group *g)
{
    struct strbuf rows = {0};

    for (size_t r = 0; r < g->n; r++)
        print_row(&rows, c, &g->rows[r]);
    if (rows.len > 0)
        strbuf_printf(out, "\n# %s\n%s", g->title, rows.text);
    free(strbuf_take(&rows));
}

char *config_explain(const struct config *c)
{
    const struct cfg_group *g;
    struct strbuf out = {0};
    bool sections = false;

    print_line(&out, "# SETTING", "VALUE", "DEFAULT", "FROM");
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        print_group(&out, c, g);
    for (size_t i = 0; i < c->values.n; i++) {
        if (c->values.v[i].row->objects == 0)
            continue;
        strbuf_add(&out, sections ? "" : "\n# Sections\n");
        sections = true;
        print_value(&out, &c->values.v[i]);
    }
    return strbuf_take(&out);
}
