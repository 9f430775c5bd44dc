/* SPDX-License-Identifier: Apache-2.0
 * The lines of maui.cfg. */
#include "config/grammar.h"

#include "base/vec.h"

#include <string.h>

struct text VEC(char);

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f;
}

void grammar_init(struct grammar *g, const char *text, size_t len)
{
    if (len == 0)
        text = ""; /* an empty text may be NULL, to which nothing can be added */
    *g = (struct grammar){.text = text, .end = text + len};
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        g->text += 3;
}

/* ---- lines -------------------------------------------------------------------- */

static const char *line_end(const struct grammar *g)
{
    const char *end = memchr(g->text, '\n', (size_t)(g->end - g->text));

    return end != NULL ? end : g->end;
}

/* Remember the file of a comment that reads `#INCLUDE file`, `#INCLUDE <file>`. */
static void note_include(struct grammar *g, const char *comment, const char *end)
{
    static const char word[] = "#INCLUDE";
    const size_t len = sizeof word - 1;

    if ((size_t)(end - comment) <= len || memcmp(comment, word, len) != 0
        || !is_blank(comment[len]))
        return;
    comment += len;
    while (comment < end && (is_blank(*comment) || strchr("<\"'", *comment) != NULL))
        comment++;
    while (end > comment && (is_blank(end[-1]) || strchr(">\"'", end[-1]) != NULL))
        end--;
    if (end > comment && g->include == NULL)
        g->include = xstrndup(comment, (size_t)(end - comment));
}

static bool is_change(const char *comment, const char *end)
{
    const size_t len = sizeof GRAMMAR_CHANGE - 1;

    return (size_t)(end - comment) == len && memcmp(comment, GRAMMAR_CHANGE, len) == 0;
}

/* Bytes of a space that editors and web pages put in place of a blank; 0 for others. */
static size_t special_space(const char *p, const char *end)
{
    static const char *const spaces[] = {"\xc2\xa0", "\xe2\x80\x80", "\xe2\x80\x81",
        "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
        "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\x8b",
        "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf"};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        size_t len = strlen(spaces[i]);

        if ((size_t)(end - p) >= len && memcmp(p, spaces[i], len) == 0)
            return len;
    }
    return 0;
}

/* Append a part of a line, special spaces and control characters as blanks. */
static void append_part(
    struct grammar *g, struct text *to, const char *from, const char *stop)
{
    for (const char *p = from; p < stop;) {
        size_t special = (unsigned char)*p >= 0x80 ? special_space(p, stop) : 0;

        /* Alone, as Latin-1 has it: no character of UTF-8 begins so. */
        if (special == 0 && *p == (char)0xa0 && (p == from || p[-1] > 0))
            special = 1;

        g->special_space = g->special_space || special > 0;
        vec_push(to, special > 0 || is_blank(*p) ? ' ' : *p);
        p += special > 0 ? special : 1;
    }
}

/* Append one line of the file without its comment; true when a backslash at its end
 * asks for the next. */
static bool read_physical(struct grammar *g, struct text *to)
{
    const char *end = line_end(g);
    const char *comment = memchr(g->text, '#', (size_t)(end - g->text));
    const char *stop = comment != NULL ? comment : end;
    bool joined;

    if (comment != NULL)
        note_include(g, comment, end);
    g->change += comment == g->text && is_change(comment, end);
    while (stop > g->text && is_blank(stop[-1]))
        stop--;
    joined = comment == NULL && stop > g->text && stop[-1] == '\\';
    if (joined)
        stop--;
    append_part(g, to, g->text, stop);
    g->text = end < g->end ? end + 1 : end;
    g->line++;
    return joined && g->text < g->end;
}

static char *copy_trimmed(const char *from, const char *end)
{
    while (from < end && is_blank(*from))
        from++;
    while (end > from && is_blank(end[-1]))
        end--;
    return xstrndup(from, (size_t)(end - from));
}

/* `[index]` at p; returns what follows it, or NULL with an error recorded. */
static const char *read_index(struct grammar_line *ret, const char *p, const char *end)
{
    const char *close = memchr(p, ']', (size_t)(end - p));

    if (close == NULL) {
        ret->kind = GRAMMAR_ERROR;
        err_set(&ret->err, ERR_INVALID, "'%.60s' has no closing ]", ret->name);
        return NULL;
    }
    ret->index = copy_trimmed(p + 1, close);
    return close + 1;
}

static uint32_t line_ends(const char *from, const char *to)
{
    uint32_t n = 0;

    for (; from < to; from++)
        n += *from == '\n';
    return n;
}

/* Take a whole line apart. `text` holds at least one non-blank. */
static void split(struct grammar_line *ret, const char *text, const char *end)
{
    const char *p = text, *name;
    bool apart;

    while (is_blank(*p))
        p++;
    name = p;
    while (p < end && !is_blank(*p) && *p != '=' && *p != '[')
        p++;
    ret->name = xstrndup(name, (size_t)(p - name));
    if (p < end && *p == '[') {
        p = read_index(ret, p, end);
        if (p == NULL)
            return;
    }
    apart = p == end || is_blank(*p) || *p == '=';
    while (p < end && is_blank(*p))
        p++;
    if (p < end && *p == '=')
        p++;
    if (*ret->name == '\0' || !apart) {
        ret->kind = GRAMMAR_ERROR;
        err_set(&ret->err, ERR_INVALID,
            "'%.60s' is not NAME VALUE or NAME[INDEX] VALUE", name);
        return;
    }
    while (p < end && is_blank(*p))
        p++;
    ret->value_line = ret->line + line_ends(text, p);
    ret->value = copy_trimmed(p, end);
}

static bool blank_only(const struct text *text)
{
    for (size_t i = 0; i < text->n; i++)
        if (!is_blank(text->v[i]))
            return false;
    return true;
}

static bool take_include(struct grammar *g, struct grammar_line *ret)
{
    if (g->include == NULL)
        return false;
    ret->kind = GRAMMAR_INCLUDE;
    ret->line = g->line;
    ret->value = g->include;
    g->include = NULL;
    return true;
}

bool grammar_next(struct grammar *g, struct grammar_line *ret)
{
    struct text text = {0};
    bool found = false;

    *ret = (struct grammar_line){0};
    if (take_include(g, ret))
        return true;
    while (!found && g->include == NULL && g->text < g->end) {
        text.n = 0;
        g->special_space = false;
        ret->line = g->line + 1;
        while (read_physical(g, &text))
            vec_push(&text, '\n');
        found = !blank_only(&text);
    }
    ret->special_space = found && g->special_space;
    if (found) {
        vec_push(&text, '\0');
        split(ret, text.v, text.v + text.n - 1);
    }
    vec_fini(&text);
    return found || take_include(g, ret);
}

void grammar_line_fini(struct grammar_line *line)
{
    free(line->name);
    free(line->index);
    free(line->value);
}

/* ---- pairs ----------------------------------------------------------------------- */

void grammar_pairs_init(struct grammar_pairs *g, const char *value)
{
    *g = (struct grammar_pairs){.p = value};
}

static void skip_blanks(struct grammar_pairs *g)
{
    for (; *g->p != '\0' && is_blank(*g->p); g->p++)
        g->line += *g->p == '\n';
}

/* A value: quoted (blanks and line ends kept as blanks), or up to a blank. */
static char *read_value(struct grammar_pairs *g, struct grammar_pair *ret)
{
    char quote = *g->p, *value;
    const char *from = g->p;

    if (quote != '\'' && quote != '"') {
        while (*g->p != '\0' && !is_blank(*g->p))
            g->p++;
        return xstrndup(from, (size_t)(g->p - from));
    }
    from = ++g->p;
    while (*g->p != '\0' && *g->p != quote)
        g->line += *g->p++ == '\n';
    value = xstrndup(from, (size_t)(g->p - from));
    ret->unclosed = *g->p == '\0';
    g->p += !ret->unclosed;
    for (char *c = value; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    return value;
}

/* MAXJOB = 3: step over the blanks in front of the sign, and behind it. False, and no
 * step, where none follows. */
static bool skip_to_sign(struct grammar_pairs *g)
{
    const char *p = g->p + strspn(g->p, " "), *value;

    if (p == g->p || *p != '=')
        return false;
    value = p + 1 + strspn(p + 1, " ");
    g->p = value - 1; /* as if the sign stood in front of the value */
    return true;
}

bool grammar_pairs_next(struct grammar_pairs *g, struct grammar_pair *ret)
{
    const char *name;

    *ret = (struct grammar_pair){0};
    skip_blanks(g);
    if (*g->p == '\0')
        return false;
    ret->line = g->line;
    name = g->p;
    while (*g->p != '\0' && !is_blank(*g->p) && *g->p != '=' && *g->p != '[')
        g->p++;
    ret->name = xstrndup(name, (size_t)(g->p - name));
    if (*g->p == '[') {
        const char *inside = ++g->p;

        while (*g->p != '\0' && *g->p != ']' && *g->p != '\n')
            g->p++;
        ret->bracket = copy_trimmed(inside, g->p);
        g->p += *g->p == ']';
    }
    if (skip_to_sign(g) || *g->p == '=') {
        g->p++;
        ret->value = read_value(g, ret);
        return true;
    }
    /* Not a pair; step over the rest of the word. */
    while (*g->p != '\0' && !is_blank(*g->p))
        g->p++;
    return true;
}

void grammar_pair_fini(struct grammar_pair *pair)
{
    free(pair->name);
    free(pair->bracket);
    free(pair->value);
}
