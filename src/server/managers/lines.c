/* SPDX-License-Identifier: Apache-2.0
 * See lines.h. */
#include "server/managers/lines.h"

#include "config/settings.h"
#include "server/server_private.h"

#include <stdio.h>

struct rmlines {
    struct VEC(struct raw_object) v; /* copies; name NULL: there is no line */
};

static struct raw_object copy_line(const struct raw_object *from)
{
    struct raw_object copy = {.kind = xstrdup(from->kind), .name = xstrdup(from->name)};

    for (size_t i = 0; i < from->attrs.n; i++) {
        const struct raw_attr *a = &from->attrs.v[i];
        vec_push(&copy.attrs, ((struct raw_attr){.name = xstrdup(a->name),
                                  .value = xstrdup(a->value),
                                  .file = a->file ? xstrdup(a->file) : NULL,
                                  .line = a->line}));
    }
    return copy;
}

struct rmlines *rmlines_read(const struct server *s)
{
    const struct settings *cfg = s->config->settings;
    struct rmlines *l = xcalloc(1, sizeof *l);

    for (size_t i = 0; i < cfg->raw.n; i++)
        if (strcmp(cfg->raw.v[i].kind, "RMCFG") == 0 && (!s->opt.nodes || l->v.n == 0))
            vec_push(&l->v, copy_line(&cfg->raw.v[i]));
    if (l->v.n == 0)
        vec_push(&l->v, (struct raw_object){0});
    return l;
}

static void free_line(struct raw_object *line)
{
    for (size_t i = 0; i < line->attrs.n; i++) {
        free(line->attrs.v[i].name);
        free(line->attrs.v[i].value);
        free(line->attrs.v[i].file);
    }
    vec_fini(&line->attrs);
    free(line->kind);
    free(line->name);
}

void rmlines_free(struct rmlines *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->v.n; i++)
        free_line(&l->v.v[i]);
    vec_fini(&l->v);
    free(l);
}

size_t rmlines_count(const struct rmlines *l)
{
    return l->v.n;
}

const struct raw_object *rmlines_at(const struct rmlines *l, size_t i)
{
    return l->v.v[i].name ? &l->v.v[i] : NULL;
}

const char *rmlines_name(const struct rmlines *l, size_t i)
{
    return l->v.v[i].name ? l->v.v[i].name : "local";
}

size_t rmlines_find(const struct rmlines *l, const char *name)
{
    size_t i = 0;

    while (i < l->v.n && strcmp(rmlines_name(l, i), name) != 0)
        i++;
    return i;
}

static bool is_same_line(const struct raw_object *a, const struct raw_object *b)
{
    if (!a->name != !b->name || a->attrs.n != b->attrs.n)
        return false;
    if (a->name && strcmp(a->name, b->name) != 0)
        return false;
    for (size_t i = 0; i < a->attrs.n; i++)
        if (strcmp(a->attrs.v[i].name, b->attrs.v[i].name) != 0
            || strcmp(a->attrs.v[i].value, b->attrs.v[i].value) != 0)
            return false;
    return true;
}

bool rmlines_same(const struct rmlines *a, const struct rmlines *b)
{
    if (a->v.n != b->v.n)
        return false;
    for (size_t i = 0; i < a->v.n; i++)
        if (!is_same_line(&a->v.v[i], &b->v.v[i]))
            return false;
    return true;
}

/* Is it a word of the sentence, as in "RMCFG[x] PAM: ..." or "PAM=..."? */
static bool is_named(const char *sentence, const char *attr)
{
    size_t n = strlen(attr);

    for (const char *at = sentence; (at = strstr(at, attr)) != NULL; at += n)
        if (at > sentence && at[-1] == ' ' && strchr(": =", at[n]))
            return true;
    return false;
}

void rmlines_where(
    const struct raw_object *line, const char *sentence, char *ret, size_t size)
{
    const struct raw_attr *found = NULL;

    for (size_t i = 0; line && i < line->attrs.n; i++)
        if (!found || is_named(sentence, line->attrs.v[i].name))
            found = &line->attrs.v[i];
    *ret = '\0';
    if (found && found->file)
        snprintf(ret, size, "%s:%u: ", found->file, (unsigned)found->line);
}
