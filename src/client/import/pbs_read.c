/* SPDX-License-Identifier: Apache-2.0
 * maui import pbs: what qmgr, qstat -Qf and pbsnodes -a print, as objects. */
#include "base/xalloc.h"
#include "client/import/pbs.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const kind_words[PBS_KINDS] = {
    "server", "queue", "node", "resource", "sched"};

void pbs_init(struct pbs *p, struct import *im)
{
    *p = (struct pbs){.im = im,
        .policy = {
            .by_queue = true, .express_from = 150, .order = 'S', .entity = "USER"}};
}

void pbs_fini(struct pbs *p)
{
    for (size_t i = 0; i < p->objects.n; i++) {
        struct pbs_object *o = &p->objects.v[i];

        for (size_t k = 0; k < o->attrs.n; k++) {
            free(o->attrs.v[k].name);
            free(o->attrs.v[k].value);
        }
        vec_fini(&o->attrs);
        free(o->name);
    }
    for (size_t i = 0; i < p->limits.n; i++) {
        free(p->limits.v[i].section);
        free(p->limits.v[i].attr);
    }
    for (size_t i = 0; i < p->sections.n; i++) {
        free(p->sections.v[i].name);
        free(p->sections.v[i].text.text);
    }
    vec_fini(&p->objects);
    vec_fini(&p->limits);
    vec_fini(&p->sections);
    free(p->head.text);
    free(p->kept.text);
}

char *pbs_next_line(char **rest)
{
    char *line = *rest;

    if (line == NULL || *line == '\0')
        return NULL;
    size_t n = strcspn(line, "\n");
    *rest = line[n] ? line + n + 1 : NULL;
    line[n] = '\0';
    if (n > 0 && line[n - 1] == '\r')
        line[n - 1] = '\0';
    return line;
}

char *pbs_trim(char *text)
{
    size_t n;

    text += strspn(text, " \t");
    n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    if (n > 1 && *text == '"' && text[n - 1] == '"') {
        text[n - 1] = '\0';
        text++;
    }
    return text;
}

const struct pbs_object *pbs_find(
    const struct pbs *p, enum pbs_kind kind, const char *name)
{
    for (size_t i = 0; i < p->objects.n; i++)
        if (p->objects.v[i].kind == kind && strcmp(p->objects.v[i].name, name) == 0)
            return &p->objects.v[i];
    return NULL;
}

const struct pbs_attr *pbs_attr(const struct pbs_object *o, const char *name)
{
    for (size_t i = 0; o != NULL && i < o->attrs.n; i++)
        if (strcasecmp(o->attrs.v[i].name, name) == 0)
            return &o->attrs.v[i];
    return NULL;
}

static struct pbs_object *find_or_add(
    struct pbs *p, enum pbs_kind kind, const char *name)
{
    struct pbs_object *o = (struct pbs_object *)pbs_find(p, kind, name);

    if (o == NULL) {
        vec_push(
            &p->objects, ((struct pbs_object){.kind = kind, .name = xstrdup(name)}));
        o = &p->objects.v[p->objects.n - 1];
    }
    return o;
}

/* `more`: behind what is there, as += of qmgr. */
static void set_attr(struct pbs_object *o, struct import_place at, const char *name,
    const char *value, bool more)
{
    struct pbs_attr *a = (struct pbs_attr *)pbs_attr(o, name);
    struct strbuf b = {0};

    if (a == NULL) {
        vec_push(&o->attrs, ((struct pbs_attr){xstrdup(name), xstrdup(value), at}));
        return;
    }
    if (more)
        strbuf_printf(&b, "%s,", a->value);
    strbuf_add(&b, value);
    free(a->value);
    a->value = strbuf_take(&b);
}

/* The next word of a line, ended; NULL at its end. */
static char *cut_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    size_t n = strcspn(word, " \t");

    if (n == 0)
        return NULL;
    *rest = word[n] ? word + n + 1 : word + n;
    word[n] = '\0';
    return word;
}

/* "queue long" or, of the server, which has no name, nothing. */
static struct pbs_object *cut_object(struct pbs *p, char **rest)
{
    char *word = cut_word(rest), *name;

    for (int kind = 0; word != NULL && kind < PBS_KINDS; kind++) {
        if (strcmp(word, kind_words[kind]) != 0)
            continue;
        if (kind == PBS_SERVER)
            return find_or_add(p, PBS_SERVER, "");
        name = cut_word(rest);
        return name != NULL ? find_or_add(p, (enum pbs_kind)kind, name) : NULL;
    }
    return NULL;
}

/* "set queue long resources_max.walltime = 72:00:00" */
static bool take_command(struct pbs *p, struct import_place at, char *line)
{
    char *word = cut_word(&line), *name, *sign;
    bool set = word != NULL && strcmp(word, "set") == 0;
    struct pbs_object *o;

    if (!set && (word == NULL || strcmp(word, "create") != 0))
        return false;
    o = cut_object(p, &line);
    if (o == NULL || !set)
        return o != NULL;
    name = cut_word(&line);
    sign = cut_word(&line);
    if (name == NULL || sign == NULL
        || (strcmp(sign, "=") != 0 && strcmp(sign, "+=") != 0))
        return false;
    set_attr(o, at, name, pbs_trim(line), *sign == '+');
    return true;
}

void pbs_read_server(struct pbs *p, const char *file, char *text)
{
    struct import_place at = {.file = file};
    char *line;

    while ((line = pbs_next_line(&text)) != NULL) {
        char *copy = xstrdup(line), *words = pbs_trim(copy);

        at.line++;
        if (*words && *words != '#' && !take_command(p, at, words))
            import_left(p->im, at, "'%.80s': expected a line of `qmgr print server`",
                pbs_trim(line));
        free(copy);
    }
}

/* "    NAME = VALUE": ends the name, returns the value; NULL: it is none of these. */
static char *cut_pair(char *line)
{
    char *equals = strchr(line, '=');

    if (equals == NULL || equals == line || equals[-1] != ' ')
        return NULL;
    *equals = '\0';
    return equals + 1;
}

static bool goes_on(const char *rest)
{
    return rest != NULL && *rest == '\t';
}

void pbs_read_listing(struct pbs *p, enum pbs_kind kind, const char *file, char *text)
{
    struct import_place at = {.file = file};
    const char *header = "Queue: ";
    size_t now = SIZE_MAX; /* object */
    char *line, *value;

    while ((line = pbs_next_line(&text)) != NULL) {
        struct strbuf whole = {0};
        struct import_place begin = {file, ++at.line};

        strbuf_add(&whole, line);
        while (goes_on(text)) { /* qstat folds long values */
            at.line++;
            strbuf_add(&whole, pbs_next_line(&text) + 1);
        }
        value = NULL;
        if (whole.len > 0 && !isspace((unsigned char)*line)) {
            bool headed = strncmp(whole.text, header, strlen(header)) == 0;
            struct pbs_object *o =
                find_or_add(p, kind, whole.text + (headed ? strlen(header) : 0));

            now = (size_t)(o - p->objects.v);
        } else if (now != SIZE_MAX && (value = cut_pair(whole.text)) != NULL) {
            set_attr(&p->objects.v[now], begin, pbs_trim(whole.text), pbs_trim(value),
                false);
        } else if (whole.len > 0 && *pbs_trim(whole.text)) {
            import_left(
                p->im, begin, "'%.80s': expected NAME = VALUE", pbs_trim(whole.text));
        }
        free(whole.text);
    }
}
