/* SPDX-License-Identifier: Apache-2.0
 * slurm.conf, read and changed in place. A logical line, without comments and joined
 * over backslashes, remembers for each of its bytes where in the file it stands. */
#include "rm/slurm/conf.h"

#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <strings.h>

#define SIZE_MAX_CONF (64 << 20)
#define FILES_MAX     200

/* A line as Slurm sees it. */
struct line {
    struct strbuf text;
    struct VEC(size_t) at; /* where each byte of the text is in the file */
    unsigned number;
};

/* ---- files ---- */

static char *read_file(const char *path, size_t *ret_n, struct err *err)
{
    FILE *f = fopen(path, "re");
    struct strbuf b = {0};
    char part[65536];
    size_t n;

    if (f == NULL) {
        err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path,
            strerror(errno));
        return NULL;
    }
    while ((n = fread(part, 1, sizeof part, f)) > 0 && b.len < SIZE_MAX_CONF)
        strbuf_add_n(&b, part, n);
    if (ferror(f) || (b.len > 0 && memchr(b.text, '\0', b.len) != NULL)) {
        err_set(err, ERR_IO, "%s: is no text file", path);
        fclose(f);
        free(b.text);
        return NULL;
    }
    fclose(f);
    *ret_n = b.len;
    return strbuf_take(&b);
}

/* Beside slurm.conf, unless the path is absolute; %c is the cluster's name. */
static char *included_path(const struct conf *c, const char *name, size_t n)
{
    const char *main_path = c->files.v[0].path, *slash = strrchr(main_path, '/');
    const char *cluster = conf_value(c, "ClusterName");
    struct strbuf b = {0};

    if (*name != '/' && slash != NULL)
        strbuf_add_n(&b, main_path, (size_t)(slash - main_path) + 1);
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '%' && i + 1 < n && name[i + 1] == 'c' && cluster != NULL) {
            strbuf_add(&b, cluster);
            i++;
        } else {
            strbuf_add_n(&b, name + i, 1);
        }
    }
    return strbuf_take(&b);
}

static bool is_loaded(const struct conf *c, const char *path)
{
    for (size_t i = 0; i < c->files.n; i++)
        if (strcmp(c->files.v[i].path, path) == 0)
            return true;
    return false;
}

/* ---- lines ---- */

/* How many of the bytes come before a comment; a backslash takes the # its meaning. */
static size_t before_comment(const char *text, size_t n)
{
    for (size_t i = 0, slashes = 0; i < n; i++) {
        if (text[i] == '#' && slashes % 2 == 0)
            return i;
        slashes = text[i] == '\\' ? slashes + 1 : 0;
    }
    return n;
}

/* How many come before a backslash that joins the next line; n: none does. */
static size_t before_join(const char *text, size_t n)
{
    size_t end = n, slashes = 0;

    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    while (end > slashes && text[end - 1 - slashes] == '\\')
        slashes++;
    return slashes % 2 == 1 ? end - 1 : n;
}

/* The next line of the file from *pos on. False at its end. */
static bool next_line(
    const struct conf_file *f, size_t *pos, unsigned *number, struct line *ret)
{
    bool joined = true, any = false;

    ret->text.len = 0;
    ret->at.n = 0;
    ret->number = *number + 1;
    while (joined && *pos < f->n) {
        const char *from = f->text + *pos, *end = memchr(from, '\n', f->n - *pos);
        size_t whole = end != NULL ? (size_t)(end - from) : f->n - *pos;
        size_t n = before_comment(from, whole), left = before_join(from, n);

        joined = left != n;
        for (size_t i = 0; i < left; i++)
            vec_push(&ret->at, *pos + i);
        strbuf_add_n(&ret->text, from, left);
        *pos += whole + (end != NULL);
        ++*number;
        any = true;
    }
    if (ret->text.text == NULL)
        strbuf_add(&ret->text, "");
    return any;
}

/* ---- settings ---- */

/* KEY=VALUE or KEY="VALUE" at p. NULL: there is none; else where it ends. */
static const char *read_pair(
    const struct line *l, const char *p, size_t file, struct conf_setting *ret)
{
    const char *key = p, *from, *to;
    size_t n = 0, start;

    while (isalnum((unsigned char)key[n]) || key[n] == '_' || key[n] == '.')
        n++;
    from = key + n + strspn(key + n, " \t");
    if (n == 0 || *from != '=')
        return NULL;
    from += 1 + strspn(from + 1, " \t");
    to = *from == '"' ? strchr(from + 1, '"') : from + strcspn(from, " \t\r");
    if (to == NULL || to == from)
        return NULL;
    *ret = (struct conf_setting){.key = xstrndup(key, n),
        .value = *from == '"' ? xstrndup(from + 1, (size_t)(to - from - 1))
                              : xstrndup(from, (size_t)(to - from)),
        .file = file,
        .line = l->number};
    if (*from == '"')
        to++;
    start = (size_t)(from - l->text.text);
    ret->from = l->at.v[start];
    ret->to = l->at.v[(size_t)(to - l->text.text) - 1] + 1;
    return to;
}

static bool begins_record(const char *text)
{
    static const char *const keys[] = {"NodeName", "PartitionName", "DownNodes",
        "FrontendName", "NodeSet", "SwitchName"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t n = strlen(keys[i]);

        if (strncasecmp(text, keys[i], n) == 0
            && text[n + strspn(text + n, " \t")] == '=')
            return true;
    }
    return false;
}

static int load_file(struct conf *c, char *path, struct err *err);

static int read_include(struct conf *c, const char *text, struct err *err)
{
    const char *name = text + strspn(text, " \t");
    char *path = included_path(c, name, strcspn(name, " \t\r"));

    if (is_loaded(c, path)) {
        free(path);
        return 0;
    }
    return load_file(c, path, err);
}

static int read_line(struct conf *c, const struct line *l, size_t file, struct err *err)
{
    const char *p = l->text.text + strspn(l->text.text, " \t");

    if (strncasecmp(p, "include", 7) == 0 && (p[7] == ' ' || p[7] == '\t'))
        return read_include(c, p + 7, err);
    if (begins_record(p))
        return 0;
    while (p != NULL && *p != '\0') {
        struct conf_setting one;

        p = read_pair(l, p, file, &one);
        if (p == NULL)
            break;
        vec_push(&c->settings, one);
        p += strspn(p, " \t\r");
    }
    return 0;
}

/* Takes the path. */
static int load_file(struct conf *c, char *path, struct err *err)
{
    struct conf_file f = {.path = path};
    struct line l = {.number = 0};
    size_t pos = 0, file = c->files.n;
    unsigned number = 0;
    int result = 0;

    f.text = read_file(path, &f.n, err);
    if (f.text == NULL || c->files.n >= FILES_MAX) {
        if (f.text != NULL)
            err_set(err, ERR_INVALID, "%s: more than %d files", path, FILES_MAX);
        free(f.text);
        free(path);
        return -1;
    }
    vec_push(&c->files, f);
    while (result == 0 && next_line(&f, &pos, &number, &l))
        result = read_line(c, &l, file, err);
    free(l.text.text);
    vec_fini(&l.at);
    return result;
}

/* ---- the face ---- */

struct conf *conf_load(const char *path, struct err *err)
{
    struct conf *c = xcalloc(1, sizeof *c);

    if (load_file(c, xstrdup(path), err) == 0)
        return c;
    conf_free(c);
    return NULL;
}

void conf_free(struct conf *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->files.n; i++) {
        free(c->files.v[i].path);
        free(c->files.v[i].text);
    }
    for (size_t i = 0; i < c->settings.n; i++) {
        free(c->settings.v[i].key);
        free(c->settings.v[i].value);
        free(c->settings.v[i].instead);
    }
    for (size_t i = 0; i < c->fresh.n; i++) {
        free(c->fresh.v[i].key);
        free(c->fresh.v[i].value);
    }
    vec_fini(&c->files);
    vec_fini(&c->fresh);
    vec_fini(&c->settings);
    free(c->added.text);
    free(c);
}

const struct conf_setting *conf_find(const struct conf *c, const char *key)
{
    for (size_t i = c->settings.n; i-- > 0;)
        if (strcasecmp(c->settings.v[i].key, key) == 0)
            return &c->settings.v[i];
    return NULL;
}

const char *conf_value(const struct conf *c, const char *key)
{
    const struct conf_setting *s = conf_find(c, key);

    for (size_t i = 0; s == NULL && i < c->fresh.n; i++)
        if (strcasecmp(c->fresh.v[i].key, key) == 0)
            return c->fresh.v[i].value;
    if (s == NULL)
        return NULL;
    return s->instead != NULL ? s->instead : s->value;
}

void conf_comment(struct conf *c, const char *text)
{
    const struct conf_file *f = &c->files.v[0];

    if (c->added.len == 0 && f->n > 0 && f->text[f->n - 1] != '\n')
        strbuf_add(&c->added, "\n");
    strbuf_printf(&c->added, "# %s\n", text);
}

/* As it is written: in quotes where there is a blank in it. */
static char *quoted(const char *value)
{
    struct strbuf b = {0};
    bool quote = strpbrk(value, " \t") != NULL;

    strbuf_printf(&b, quote ? "\"%s\"" : "%s", value);
    return strbuf_take(&b);
}

void conf_set(struct conf *c, const char *key, const char *value)
{
    struct conf_setting *s = (struct conf_setting *)conf_find(c, key);
    const struct conf_file *f = &c->files.v[0];
    char *text;

    if (s != NULL) {
        free(s->instead);
        s->instead = xstrdup(value);
        return;
    }
    if (c->added.len == 0 && f->n > 0 && f->text[f->n - 1] != '\n')
        strbuf_add(&c->added, "\n");
    text = quoted(value);
    strbuf_printf(&c->added, "%s=%s\n", key, text);
    free(text);
    vec_push(&c->fresh,
        ((struct conf_setting){.key = xstrdup(key), .value = xstrdup(value)}));
}

char *conf_text(const struct conf *c, size_t file)
{
    const struct conf_file *f = &c->files.v[file];
    struct strbuf b = {0};
    size_t done = 0;

    for (size_t i = 0; i < c->settings.n; i++) {
        const struct conf_setting *s = &c->settings.v[i];
        char *text;

        if (s->file != file || s->instead == NULL)
            continue;
        text = quoted(s->instead);
        strbuf_add_n(&b, f->text + done, s->from - done);
        strbuf_add(&b, text);
        done = s->to;
        free(text);
    }
    strbuf_add_n(&b, f->text + done, f->n - done);
    if (file == 0 && c->added.len > 0)
        strbuf_add_n(&b, c->added.text, c->added.len);
    return strbuf_take(&b);
}
