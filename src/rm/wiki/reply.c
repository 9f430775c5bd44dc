/* SPDX-License-Identifier: Apache-2.0
 * Answers taken apart. */
#include "rm/wiki/reply.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT_MOST 100000000u

static bool begins_with(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(end - at) >= n && strncasecmp(at, word, n) == 0;
}

static const char *skip_separators(const char *at, const char *end)
{
    while (at < end && (isspace((unsigned char)*at) || *at == ';'))
        at++;
    return at;
}

/* A whole number, which the end of the message may cut: it has no NUL. */
static bool read_number(const char **io, const char *end, long *ret)
{
    const char *at = *io;
    bool negative = at < end && *at == '-';
    long n = 0;

    at += negative || (at < end && *at == '+');
    if (at == end || !isdigit((unsigned char)*at))
        return false;
    for (; at < end && isdigit((unsigned char)*at); at++)
        n = n > COUNT_MOST ? n : n * 10 + (*at - '0');
    *io = at;
    *ret = negative ? -n : n;
    return true;
}

static int read_list(
    const char *at, const char *end, struct wiki_reply *ret, struct err *err)
{
    long count;

    if (!read_number(&at, end, &count) || count < 0 || count > (long)COUNT_MOST)
        return err_set(err, ERR_INVALID,
            "ARG=%.*s: expected how many records there are, and # before each",
            (int)(end - at < 30 ? end - at : 30), at);
    ret->records = at;
    ret->records_n = (size_t)(end - at);
    ret->count = (size_t)count;
    return 0;
}

int wiki_reply_read(
    const char *message, size_t n, struct wiki_reply *ret, struct err *err)
{
    const char *end = message + n, *at = skip_separators(message, end);

    *ret = (struct wiki_reply){.text = ""};
    if (!begins_with(at, end, "SC="))
        return err_set(err, ERR_INVALID,
            "no answer of the protocol: '%.*s'; expected SC=CODE first",
            (int)(n < 60 ? n : 60), message);
    at += 3;
    if (!read_number(&at, end, &ret->code))
        return err_set(err, ERR_INVALID, "SC=%.*s: expected a whole number",
            (int)(end - at < 30 ? end - at : 30), at);
    at = skip_separators(at, end);
    if (begins_with(at, end, "ARG="))
        return read_list(at + 4, end, ret, err);
    if (begins_with(at, end, "RESPONSE="))
        at += 9;
    else if (begins_with(at, end, "RSP="))
        at += 4;
    ret->text = at;
    ret->text_n = (size_t)(end - at);
    return 0;
}

static size_t count_records(const struct wiki_reply *r, enum wiki_form form)
{
    const char *at = r->records, *record;
    size_t n, found = 0;

    while (wiki_next(&at, r->records + r->records_n, form, &record, &n))
        found++;
    return found;
}

enum wiki_form wiki_reply_form(const struct wiki_reply *r)
{
    return count_records(r, WIKI_REPLY) != r->count
                   && count_records(r, WIKI_BARE) == r->count
               ? WIKI_BARE
               : WIKI_REPLY;
}

int wiki_reply_records(const struct wiki_reply *r, struct err *err)
{
    size_t found;

    if (r->code < 0)
        return err_set(err, ERR_IO, "it answers %ld: %.*s", r->code,
            (int)(r->text_n < 250 ? r->text_n : 250), r->text);
    if (r->records == NULL)
        return err_set(err, ERR_INVALID, "an answer without ARG=, which has no list");
    found = count_records(r, wiki_reply_form(r));
    if (found < r->count)
        return err_set(err, ERR_INVALID,
            "a list of %zu records that says it has %zu: a part is missing", found,
            r->count);
    if (found > r->count) /* somebody's text would be a record */
        return err_set(err, ERR_INVALID,
            "a list of %zu records that says it has %zu: a '#' in a text is not "
            "shielded",
            found, r->count);
    return 0;
}
