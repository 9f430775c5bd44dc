/* SPDX-License-Identifier: Apache-2.0
 * Access lists of reservations: text in, entries out, and back. */
#include "config/acltext.h"

#include "base/duration.h"
#include "base/strbuf.h"
#include "config/flags.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SEPARATORS      ",|: \t\n"
#define SEPARATORS_TIME ",| \t\n"
#define NUMBER_MOST     INT64_C(1000000000)

static const char *const type_names[ACL_TYPES] = {
    "USER", "GROUP", "ACCOUNT", "CLASS", "QOS", "JOBATTR", "DURATION", "PROC", "TASK"};

static const char *const cmp_texts[] = {"<=", "<", "==", ">=", ">"};

const char *acltext_type_name(enum acl_type type)
{
    return type_names[type];
}

static bool is_number(unsigned type)
{
    return type >= ACL_DURATION;
}

static void entry_fini(struct acl_entry *e)
{
    free(e->name);
}

void acltext_fini(struct acl *acl)
{
    for (size_t i = 0; i < acl->entries.n; i++)
        entry_fini(&acl->entries.v[i]);
    vec_fini(&acl->entries);
}

struct acl acltext_copy(const struct acl *acl)
{
    struct acl copy = {0};

    for (size_t i = 0; i < acl->entries.n; i++) {
        struct acl_entry e = acl->entries.v[i];

        e.name = e.name != NULL ? xstrdup(e.name) : NULL;
        vec_push(&copy.entries, e);
    }
    return copy;
}

void acltext_drop(struct acl *acl, enum acl_type type)
{
    size_t kept = 0;

    for (size_t i = 0; i < acl->entries.n; i++) {
        if (acl->entries.v[i].type == type)
            entry_fini(&acl->entries.v[i]);
        else
            acl->entries.v[kept++] = acl->entries.v[i];
    }
    acl->entries.n = kept;
}

/* ---- reading ------------------------------------------------------------------- */

static bool take_prefix(struct acl_entry *e, char mark)
{
    e->negated |= mark == '!';
    e->required |= mark == '*';
    return mark == '!' || mark == '*';
}

static bool take_suffix(struct acl_entry *e, char mark)
{
    switch (mark) {
    case '+':
        e->affinity = ACL_POSITIVE;
        return true;
    case '-':
        e->affinity = ACL_NEGATIVE;
        return true;
    case '=':
        e->affinity = ACL_NEUTRAL;
        return true;
    default:
        return take_prefix(e, mark);
    }
}

/* `<=` and the like in front of a number; returns what follows it. */
static char *take_comparison(struct acl_entry *e, char *text)
{
    static const struct {
        const char *text;
        enum acl_cmp cmp;
    } all[] = {{"<=", ACL_LE}, {"<", ACL_LT}, {">=", ACL_GE}, {">", ACL_GT},
        {"==", ACL_EQ}, {"=", ACL_EQ}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t len = strlen(all[i].text);

        if (strncmp(text, all[i].text, len) == 0) {
            e->cmp = all[i].cmp;
            return text + len;
        }
    }
    return text;
}

static int read_number(struct acl_entry *e, char *text, struct err *err)
{
    text = take_comparison(e, text);
    if (e->type == ACL_DURATION)
        return duration_parse(text, &e->value, err);
    return value_int(text, 0, NUMBER_MOST, &e->value, err);
}

static int read_name(struct acl_entry *e, const char *text, struct err *err)
{
    if (strcasecmp(text, "ALL") == 0 || strcasecmp(text, "[ALL]") == 0
        || strcasecmp(text, "[ANY]") == 0) {
        e->any = true;
        text = "ALL";
    } else if (e->type == ACL_JOBATTR && strcasecmp(text, "GRID") != 0
               && job_flags_parse(text, &e->flags, err) < 0) {
        return -1;
    }
    /* Not of anybody: behind a ! it would exclude nobody. */
    if (text[strcspn(text, "\"'")] != '\0')
        return err_set(
            err, ERR_INVALID, "%.60s has a quote in it, which no name has", text);
    if (text[strcspn(text, "=!<>")] != '\0')
        return err_set(err, ERR_INVALID,
            "'%.60s' is not a name; = and ! stand in front of one or behind it", text);
    e->name = xstrdup(text);
    return 0;
}

/* Read one entry; `word` is cut as its marks are taken off. */
static int read_entry(struct acl_entry *e, char *word, struct err *err)
{
    char *text = word;
    size_t len;

    while (take_prefix(e, *text))
        text++;
    len = strlen(text);
    while (len > 0 && take_suffix(e, text[len - 1]))
        text[--len] = '\0';
    if (*text == '^' || (len > 0 && text[len - 1] == '^'))
        return err_set(err, ERR_INVALID, "'%.60s': the mark ^ is not supported", text);
    if (len == 0)
        return err_set(err, ERR_INVALID, "an entry with marks but nothing to mark");
    return is_number(e->type) ? read_number(e, text, err) : read_name(e, text, err);
}

static bool means_nothing(enum acl_type type, const char *word)
{
    return (type == ACL_DURATION && strcmp(word, "-1") == 0)
           || (!is_number(type) && strcasecmp(word, "[NONE]") == 0);
}

int acltext_parse(
    enum acl_type type, const char *text, struct acl *acl, struct err *err)
{
    const char *separators = type == ACL_DURATION ? SEPARATORS_TIME : SEPARATORS;
    struct acl read = {0};
    char *word;
    int status = 0;

    while (status == 0 && (word = value_next_word(&text, separators)) != NULL) {
        struct acl_entry e = {.type = (uint8_t)type, .cred = UINT32_MAX};

        if (!means_nothing(type, word)) {
            status = read_entry(&e, word, err);
            if (status == 0)
                vec_push(&read.entries, e);
        }
        free(word);
    }
    if (status < 0) {
        acltext_fini(&read);
        return -1;
    }
    for (size_t i = 0; i < read.entries.n; i++)
        vec_push(&acl->entries, read.entries.v[i]);
    vec_fini(&read.entries);
    return 0;
}

/* ---- writing ------------------------------------------------------------------- */

int acltext_format_entry(const struct acl_entry *e, char *buf, size_t size)
{
    const char *mark = e->negated                    ? ""
                       : e->affinity == ACL_POSITIVE ? "+"
                       : e->affinity == ACL_NEGATIVE ? "-"
                                                     : "=";
    const char *required = e->required ? "*" : "", *not = e->negated ? "!" : "";
    char duration[DURATION_TEXT_MAX];

    if (!is_number(e->type))
        return snprintf(
            buf, size, "%s%s%s%s", e->negated ? "!=" : "==", e->name, mark, required);
    if (e->type == ACL_DURATION)
        return snprintf(buf, size, "%s%s%s%s%s", not, cmp_texts[e->cmp],
            duration_format(e->value, duration, sizeof duration), mark, required);
    return snprintf(buf, size, "%s%s%lld%s%s", not, cmp_texts[e->cmp],
        (long long)e->value, mark, required);
}

char *acltext_format(const struct acl *acl)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < acl->entries.n; i++) {
        const struct acl_entry *e = &acl->entries.v[i];
        int len = acltext_format_entry(e, NULL, 0);
        char *one = xmalloc((size_t)len + 1);

        acltext_format_entry(e, one, (size_t)len + 1);
        if (i > 0 && e[-1].type == e->type)
            strbuf_printf(&text, ":%s", one);
        else
            strbuf_printf(&text, "%s%s%s", i > 0 ? " " : "", type_names[e->type], one);
        free(one);
    }
    return strbuf_take(&text);
}
