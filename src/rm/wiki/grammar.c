/* SPDX-License-Identifier: Apache-2.0
 * Splitting records into fields. */
#include "rm/wiki/grammar.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Where the text ends or the first unshielded byte of `stops` stands. `quotes`: they
 * shield. */
static const char *find_stop(
    const char *at, const char *end, const char *stops, bool quotes)
{
    bool quoted = false;

    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"' && quotes)
            quoted = !quoted;
        else if (!quoted && *at != '\0' && strchr(stops, *at) != NULL)
            return at;
    }
    return end;
}

/* Has each quote its other half? Else one is a user's own (5" disk), and none of them
 * can be relied on: what they would shield are the fields behind it. */
static bool is_paired(const char *at, const char *end)
{
    bool paired = true;

    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"')
            paired = !paired;
    }
    return paired;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool wiki_next(const char **io, const char *end, enum wiki_form form, const char **ret,
    size_t *ret_n)
{
    while (*io < end) {
        const char *at = *io, *stop;

        if (form == WIKI_LINES) /* quotes do not reach beyond their line */
            stop = memchr(at, '\n', (size_t)(end - at));
        else
            stop = find_stop(at, end, "#", form == WIKI_REPLY);
        if (stop == NULL)
            stop = end;
        *io = stop < end ? stop + 1 : end;
        while (at < stop && is_blank(*at))
            at++;
        if (at == stop || (form == WIKI_LINES && *at == '#'))
            continue;
        *ret = at;
        *ret_n = (size_t)(stop - at);
        return true;
    }
    return false;
}

void wiki_record_fini(struct wiki_record *r)
{
    vec_fini(&r->fields);
    free(r->text);
    *r = (struct wiki_record){0};
}

/* Is it one that programs take for nothing else: no option, no folder, no pattern of
 * bytes that are no text? */
static bool is_plain_id(const char *id, size_t n)
{
    size_t length = 1;

    if (*id == '-' || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
        return false;
    for (size_t i = 0; i < n && length > 0; i += length) {
        if ((unsigned char)id[i] <= ' ' || strchr("=/,\"\x7f", id[i]) != NULL)
            return false;
        length = utf8_length(id + i, n - i);
    }
    return length > 0;
}

static int check_id(const char *id, struct err *err)
{
    size_t n = strlen(id);

    if (n == 0)
        return err_set(err, ERR_INVALID, "a record without an id");
    if (n > WIKI_ID_MAX)
        return err_set(err, ERR_INVALID, "the id '%.20s...' is longer than %d bytes",
            id, WIKI_ID_MAX);
    if (!is_plain_id(id, n))
        return err_set(err, ERR_INVALID,
            "no id: '%.63s' (expected UTF-8 without blanks, '=', '/', ',', quotes and "
            "control characters, not beginning with '-', and not . or ..)",
            id);
    return 0;
}

static int take_field(
    struct wiki_record *r, char *word, enum wiki_form form, struct err *err)
{
    char *equals = strchr(word, '=');

    if (*word == '\0')
        return 0;
    if (equals == NULL) {
        if (form != WIKI_LINES)
            return 0; /* a name alone says nothing */
        return err_set(err, ERR_INVALID,
            "%.63s: expected FIELD=VALUE instead of '%.40s'", r->id, word);
    }
    *equals = '\0';
    if (r->fields.n >= WIKI_FIELDS_MOST)
        return err_set(
            err, ERR_INVALID, "%.63s: more than %d fields", r->id, WIKI_FIELDS_MOST);
    vec_push(&r->fields, ((struct wiki_field){word, equals + 1}));
    return 0;
}

int wiki_split(struct wiki_record *ret, const char *text, size_t n, enum wiki_form form,
    struct err *err)
{
    const char *separators = form != WIKI_LINES ? ";" : "; \t\r";
    char *at, *end;
    bool paired;

    wiki_record_fini(ret);
    if (memchr(text, '\0', n) != NULL)
        return err_set(err, ERR_INVALID, "a record with a byte 0 in it");
    ret->text = xstrndup(text, n);
    at = ret->text;
    end = at + n;
    at += form != WIKI_LINES ? strcspn(at, ":") : strcspn(at, "; \t\r");
    if (at < end)
        *at++ = '\0';
    if (check_id(ret->text, err) < 0)
        return -1;
    ret->id = ret->text;
    paired = is_paired(at, end);
    while (at < end) {
        char *stop = (char *)find_stop(at, end, separators, paired);

        while (at < stop && is_blank(*at))
            at++;
        if (stop < end)
            *stop = '\0';
        if (take_field(ret, at, form, err) < 0)
            return -1;
        at = stop + 1;
    }
    return 0;
}

size_t wiki_plain(char *to, const char *value, size_t n)
{
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        if (value[i] == '"')
            continue;
        if (value[i] == '\\' && i + 1 < n)
            i++;
        to[len++] = value[i];
    }
    to[len] = '\0';
    return len;
}

struct wiki_list wiki_list_of(const char *value)
{
    const char *end = value + strlen(value);

    return (struct wiki_list){value, end, is_paired(value, end)};
}

bool wiki_list_next(struct wiki_list *io, const char **ret, size_t *ret_n)
{
    while (io->at < io->end) {
        const char *stop = find_stop(io->at, io->end, ":", io->quotes);

        *ret = io->at;
        *ret_n = (size_t)(stop - io->at);
        io->at = stop < io->end ? stop + 1 : stop;
        if (*ret_n > 0)
            return true;
    }
    return false;
}
