/* SPDX-License-Identifier: Apache-2.0
 * What of an old maui.cfg is a secret. */
#include "client/import/secrets.h"

#include "base/strbuf.h"
#include "config/grammar.h"
#include "config/table.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"

/* Does the text name an attribute that is a secret, or the sections of peers? */
static bool names_one(const char *text)
{
    const struct cfg_group *g;

    if (text == NULL)
        return false;
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            if (g->rows[r].secret && strcasestr(text, g->rows[r].name) != NULL)
                return true;
    return strcasestr(text, cfg_object_name(OBJECT_CLIENT)) != NULL;
}

/* "key = x", "KEY: x" */
static bool gives_key(const char *text)
{
    while ((text = strcasestr(text, "key")) != NULL) {
        text += 3;
        const char *sign = text + strspn(text, BLANKS);
        if (*sign == '=' || *sign == ':')
            return true;
    }
    return false;
}

/* "mysql://root:word@host" */
static bool holds_login(const char *text)
{
    while ((text = strstr(text, "://")) != NULL) {
        text += 3;
        size_t n = strcspn(text, "/?# \t\n\"'");
        const char *at = memrchr(text, '@', n);
        if (at != NULL && memchr(text, ':', (size_t)(at - text)) != NULL)
            return true;
    }
    return false;
}

bool secrets_may_be_in(const char *text)
{
    return names_one(text) || gives_key(text) || strcasestr(text, "secret") != NULL
           || strcasestr(text, "passw") != NULL || holds_login(text);
}

/* Of a parameter or attribute that the table does not know its name has to tell. */
static bool sounds_secret(const char *name)
{
    size_t n = strlen(name);

    return secrets_may_be_in(name) || (n >= 3 && strcasecmp(name + n - 3, "key") == 0)
           || strcasestr(name, "token") != NULL
           || strcasestr(name, "credential") != NULL;
}

/* A pair of a section of that kind; OBJECTS: of none. */
static bool is_secret(const struct table_index *t, enum cfg_object object,
    const struct grammar_pair *pair)
{
    const struct cfg_row *row =
        object < OBJECTS ? attrs_find(t, object, pair->name) : NULL;

    if (object == OBJECT_CLIENT || names_one(pair->value) || names_one(pair->bracket)
        || (pair->value != NULL && holds_login(pair->value)) || holds_login(pair->name))
        return true;
    if (row != NULL || object == OBJECTS)
        return row != NULL && row->secret;
    return sounds_secret(pair->name)
           || (pair->value != NULL && secrets_may_be_in(pair->value));
}

/* SRCFG[x] A=1 SRCFG[x] B=2: the section that begins with this word, else the one it
 * is in. */
static enum cfg_object section_at(
    const struct table_index *t, const char *name, bool begins, enum cfg_object before)
{
    const struct cfg_row *row = begins ? table_find(t, name) : NULL;

    return row != NULL && row->type == CFG_SECTION ? row->object : before;
}

static void add_part(struct strbuf *to, const char *from, const char *end)
{
    for (; from < end; from++)
        if (*from == '\n')
            strbuf_add(to, " \\\n");
        else
            strbuf_add_n(to, from, 1);
}

/* The value without them. A word without a name and a value behind a secret is taken
 * for a part of it: CSKEY=two words. */
static bool cut_value(const struct table_index *t, const struct grammar_line *line,
    enum cfg_object object, struct strbuf *ret)
{
    struct grammar_pairs pairs;
    struct grammar_pair pair;
    bool cut = false, behind = false;

    grammar_pairs_init(&pairs, line->value);
    for (const char *from = pairs.p; grammar_pairs_next(&pairs, &pair);
         from = pairs.p) {
        bool lone = pair.value == NULL || *pair.name == '\0';

        object = section_at(
            t, pair.name, pair.value == NULL && pair.bracket != NULL, object);
        behind = is_secret(t, object, &pair) || (behind && lone && !pair.bracket);
        cut = cut || behind;
        if (!behind)
            add_part(ret, from, pairs.p);
        grammar_pair_fini(&pair);
    }
    return cut;
}

char *secrets_cut(
    const struct table_index *t, const struct grammar_line *line, bool *ret_cut)
{
    enum cfg_object object = section_at(t, line->name, true, OBJECTS);
    struct strbuf value = {0}, text = {0};

    *ret_cut = true;
    if (line->kind != GRAMMAR_SETTING || object == OBJECT_CLIENT
        || names_one(line->name) || names_one(line->index)
        || (table_find(t, line->name) == NULL
            && (sounds_secret(line->name) || secrets_may_be_in(line->value))))
        return NULL;
    *ret_cut = cut_value(t, line, object, &value);
    if (value.len > 0) {
        strbuf_add(&text, line->name);
        if (line->index != NULL)
            strbuf_printf(&text, "[%s]", line->index);
        strbuf_printf(&text, " %s", value.text + strspn(value.text, BLANKS));
    }
    free(value.text);
    return text.len > 0 ? strbuf_take(&text) : NULL;
}
