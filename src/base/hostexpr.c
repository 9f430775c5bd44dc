/* SPDX-License-Identifier: Apache-2.0
 * Host expressions: names, ranges and bounded regular expressions. */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "base/hostexpr.h"

#include "base/hostrange.h"

#include <pcre2.h>
#include <string.h>
#include <strings.h>

/* Effort one pattern may cost on one name, and how deep its brackets may nest:
 * far above any honest pattern, far below what could hold up a cycle. */
#define MATCH_LIMIT 1000
#define DEPTH_LIMIT 1000
#define HEAP_LIMIT  1000 /* KiB */
#define NESTING_MAX 30
#define CODE_MAX    (256 * 1024)

/* ---- regular expressions ---------------------------------------------------- */

struct pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
};

static void pattern_fini(struct pattern *p)
{
    pcre2_match_context_free(p->limits);
    pcre2_match_data_free(p->data);
    pcre2_code_free(p->code);
}

static pcre2_code *compile(const char *text, int *ret_error, PCRE2_SIZE *ret_at)
{
    const uint32_t options = PCRE2_CASELESS | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP
                             | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code;

    pcre2_set_max_pattern_length(context, HOSTEXPR_ELEMENT_MAX);
    pcre2_set_parens_nest_limit(context, NESTING_MAX);
    code = pcre2_compile(
        (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, ret_error, ret_at, context);
    pcre2_compile_context_free(context);
    return code;
}

static int pattern_init(struct pattern *p, const char *text, struct err *err)
{
    PCRE2_UCHAR message[120] = "";
    PCRE2_SIZE at = 0, size = 0;
    int error = 0;

    *p = (struct pattern){.code = compile(text, &error, &at)};
    if (p->code == NULL) {
        pcre2_get_error_message(error, message, sizeof message);
        return err_set(err, ERR_INVALID, "host expression '%.80s': %s at character %u",
            text, (char *)message, (unsigned)at + 1);
    }
    pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &size);
    if (size > CODE_MAX) {
        pattern_fini(p);
        return err_set(
            err, ERR_INVALID, "host expression '%.80s' is too complex", text);
    }
    p->data = pcre2_match_data_create_from_pattern(p->code, NULL);
    p->limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(p->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(p->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(p->limits, HEAP_LIMIT);
    return 0;
}

/* 1 found, 0 not, -1 the limits were reached. */
static int pattern_finds(const struct pattern *p, const char *name)
{
    int status = pcre2_match(
        p->code, (PCRE2_SPTR)name, PCRE2_ZERO_TERMINATED, 0, 0, p->data, p->limits);

    if (status == PCRE2_ERROR_NOMATCH)
        return 0;
    return status >= 0 ? 1 : -1;
}

/* ---- elements ------------------------------------------------------------------ */

/* What one element adds is counted, so that "matches nothing" can be told from
 * "was there already". */
struct walk {
    const struct hostexpr_nodes *nodes;
    struct hostexpr_hosts *hosts;
    uint32_t matched;
};

static void add(struct walk *w, uint32_t node)
{
    w->matched++;
    if (bitset_test(&w->hosts->set, node))
        return;
    bitset_set(&w->hosts->set, node);
    vec_push(&w->hosts->order, node);
}

static uint32_t find_name(const struct hostexpr_nodes *nodes, const char *name)
{
    if (nodes->find != NULL)
        return nodes->find(nodes->ctx, name);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (strcmp(nodes->name_at(nodes->ctx, i), name) == 0)
            return i;
    return BITSET_NONE;
}

static int add_class(struct walk *w, const char *name, struct err *err)
{
    const struct hostexpr_nodes *nodes = w->nodes;
    struct bitset members = {0};
    uint32_t i;

    if (nodes->in_class == NULL || nodes->in_class(nodes->ctx, name, &members) < 0) {
        bitset_fini(&members);
        return err_set(err, ERR_NOT_FOUND, "no class '%.80s'", name);
    }
    for (i = bitset_next(&members, 0); i < nodes->count;
         i = bitset_next(&members, i + 1))
        add(w, i);
    bitset_fini(&members);
    return 0;
}

static void add_range(struct walk *w, const char *range)
{
    for (uint32_t i = 0; i < w->nodes->count; i++)
        if (hostrange_match(range, w->nodes->name_at(w->nodes->ctx, i)))
            add(w, i);
}

static int add_pattern(struct walk *w, const char *text, struct err *err)
{
    struct pattern pattern;
    int status = 0;

    if (pattern_init(&pattern, text, err) < 0)
        return -1;
    for (uint32_t i = 0; i < w->nodes->count && status >= 0; i++) {
        status = pattern_finds(&pattern, w->nodes->name_at(w->nodes->ctx, i));
        if (status > 0)
            add(w, i);
    }
    pattern_fini(&pattern);
    if (status < 0)
        return err_set(
            err, ERR_INVALID, "host expression '%.80s' is too complex", text);
    return 0;
}

static bool is_all(const char *text)
{
    return strcasecmp(text, "ALL") == 0 || strcasecmp(text, "[ALL]") == 0;
}

static int add_element(struct walk *w, const char *text, struct err *err)
{
    uint32_t exact;

    w->matched = 0;
    if (is_all(text)) {
        for (uint32_t i = 0; i < w->nodes->count; i++)
            add(w, i);
    } else if (strncasecmp(text, "class:", 6) == 0) {
        if (add_class(w, text + 6, err) < 0)
            return -1;
    } else if ((exact = find_name(w->nodes, text + (*text == '+'))) != BITSET_NONE) {
        add(w, exact);
    } else if (hostrange_is(text)) {
        add_range(w, text);
    } else if (*text != '+' && add_pattern(w, text, err) < 0) {
        return -1;
    }
    if (w->matched == 0)
        return err_set(err, ERR_NOT_FOUND, "no node matches '%.80s'", text);
    return 0;
}

/* What is left of an expression, and where its last closing brackets are: only an
 * opening one before them is worth a search, which keeps the whole linear. */
struct elements {
    const char *rest, *last_square, *last_curly;
};

static struct elements elements_of(const char *text)
{
    return (struct elements){.rest = text,
        .last_square = strrchr(text, ']'),
        .last_curly = strrchr(text, '}')};
}

/* The bracket that closes the one at `text`, or NULL. */
static const char *closing(const struct elements *e, const char *text)
{
    if (*text == '[' && e->last_square != NULL && text < e->last_square)
        return strchr(text, ']');
    if (*text == '{' && e->last_curly != NULL && text < e->last_curly)
        return strchr(text, '}');
    return NULL;
}

/* Length of the element in front: up to a comma outside [] and {}. An opening
 * bracket that is never closed does not hide the commas behind it. */
static size_t element_length(const struct elements *e)
{
    const char *text = e->rest;

    while (*text != '\0' && *text != ',') {
        const char *close = closing(e, text);

        text = (close != NULL ? close : text) + 1;
    }
    return (size_t)(text - e->rest);
}

/* Copy the next element, without blanks around it, to `buf`: 1 there is one,
 * 0 the end, -1 it is too long. Empty elements are skipped. */
static int next_element(struct elements *e, char *buf, struct err *err)
{
    for (;;) {
        const char *from = e->rest;
        size_t len = element_length(e);

        if (len == 0 && *from == '\0')
            return 0;
        e->rest = from + len + (from[len] == ',');
        while (len > 0 && strchr(" \t", *from) != NULL) {
            from++;
            len--;
        }
        while (len > 0 && strchr(" \t", from[len - 1]) != NULL)
            len--;
        if (len > HOSTEXPR_ELEMENT_MAX)
            return err_set(err, ERR_INVALID,
                "host expression '%.40s...' has more than %d characters", from,
                HOSTEXPR_ELEMENT_MAX);
        memcpy(buf, from, len);
        buf[len] = '\0';
        if (len > 0)
            return 1;
    }
}

int hostexpr_match(const char *text, const struct hostexpr_nodes *nodes,
    struct hostexpr_hosts *hosts, struct err *err)
{
    struct walk walk = {.nodes = nodes, .hosts = hosts};
    struct elements elements = elements_of(text);
    char element[HOSTEXPR_ELEMENT_MAX + 1];
    int status = 0, more;

    while ((more = next_element(&elements, element, err)) != 0) {
        struct err later;

        /* The first complaint is the one reported. */
        if (more < 0 || add_element(&walk, element, status == 0 ? err : &later) < 0)
            status = -1;
    }
    return status;
}

void hostexpr_hosts_fini(struct hostexpr_hosts *hosts)
{
    vec_fini(&hosts->order);
    bitset_fini(&hosts->set);
}

/* Only regular expressions can be malformed. */
static int check_element(const char *text, struct err *err)
{
    struct pattern pattern;

    if (*text == '+' || is_all(text) || hostrange_is(text)
        || strncasecmp(text, "class:", 6) == 0)
        return 0;
    if (pattern_init(&pattern, text, err) < 0)
        return -1;
    pattern_fini(&pattern);
    return 0;
}

int hostexpr_check(const char *text, struct err *err)
{
    struct elements elements = elements_of(text);
    char element[HOSTEXPR_ELEMENT_MAX + 1];
    int more;

    while ((more = next_element(&elements, element, err)) > 0)
        if (check_element(element, err) < 0)
            return -1;
    return more;
}
