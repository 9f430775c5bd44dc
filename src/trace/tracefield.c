/* SPDX-License-Identifier: Apache-2.0
 * Reading the fields of Maui traces. */
#include "trace/tracefield.h"

#include "base/nearest.h"
#include "base/timeval.h"
#include "base/xalloc.h"
#include "trace/tracewords.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX INT64_C(1000000000000000)
#define LIST_MAX   65536 /* entries of a list in one field */

/* What is being read, so that every complaint can say so. */
struct field {
    const struct tf_row *row;
    unsigned number;
    const char *text;
    struct arena *arena;
    struct err *err;
};

static int bad(const struct field *f, const char *expected)
{
    return err_set(f->err, ERR_INVALID, "field %u (%s): \"%.60s\" is not %s", f->number,
        f->row->name, f->text, expected);
}

static bool is_none(const char *text)
{
    return strcmp(text, TRACE_NONE) == 0;
}

/* ---- numbers ---------------------------------------------------------------- */

/* A whole number at `p`, a fraction cut off. What follows it, or NULL. */
static const char *scan_whole(const char *p, int64_t *ret)
{
    char *end;
    long long n;

    if (!isdigit((unsigned char)p[*p == '-' || *p == '+']))
        return NULL;
    errno = 0;
    n = strtoll(p, &end, 10);
    if (errno != 0 || n > NUMBER_MAX || n < -NUMBER_MAX)
        return NULL;
    if (*end == '.')
        do {
            end++;
        } while (isdigit((unsigned char)*end));
    *ret = n;
    return end;
}

static int check_range(const struct field *f, int64_t n, int64_t *ret)
{
    char expected[80];

    if (n >= f->row->min && n <= f->row->max) {
        *ret = n;
        return 0;
    }
    if (f->row->max >= NUMBER_MAX)
        snprintf(expected, sizeof expected, "%" PRId64 " or more", f->row->min);
    else
        snprintf(expected, sizeof expected, "within %" PRId64 " to %" PRId64,
            f->row->min, f->row->max);
    return bad(f, expected);
}

static int parse_number(const struct field *f, int64_t *ret)
{
    int64_t n;
    const char *end;

    if (is_none(f->text)) {
        *ret = f->row->def;
        return 0;
    }
    end = scan_whole(f->text, &n);
    if (end == NULL || *end != '\0')
        return bad(f, "a whole number");
    return check_range(f, n, ret);
}

/* Memory, swap or disk; a unit finer than MB is rounded up. */
static int parse_mb(const struct field *f, int64_t *ret)
{
    static const char units[] = "KMGT";
    static const int64_t times[] = {1, 1, 1024, 1048576};
    const char *end, *unit;
    int64_t n;

    if (is_none(f->text)) {
        *ret = f->row->def;
        return 0;
    }
    end = scan_whole(f->text, &n);
    if (end == NULL)
        return bad(f, "an amount in MB, as 256 or 256M");
    if (*end == '\0')
        return check_range(f, n, ret);
    unit = strchr(units, toupper((unsigned char)*end));
    if (unit == NULL || end[1] != '\0')
        return bad(f, "an amount in MB, as 256 or 256M");
    if (unit == units)
        n = n / 1024 + (n % 1024 > 0);
    else if (n > NUMBER_MAX / times[unit - units])
        return bad(f, "an amount any node has");
    else
        n *= times[unit - units];
    return check_range(f, n, ret);
}

static int parse_real(const struct field *f, double *ret)
{
    char *end;
    double x;

    if (is_none(f->text)) {
        *ret = 0;
        return 0;
    }
    x = strtod(f->text, &end);
    if (end == f->text || *end != '\0' || !isfinite(x) || x < 0
        || strpbrk(f->text, "xX") != NULL) /* 0x10 is nobody's number */
        return bad(f, "a number of 0 or more");
    *ret = x;
    return 0;
}

/* ---- words ------------------------------------------------------------------ */

static int parse_word(const struct field *f, int *ret)
{
    struct nearest near;
    const char *best;

    if (is_none(f->text)) {
        *ret = (int)f->row->def;
        return 0;
    }
    nearest_init(&near, f->text);
    for (int i = 0; f->row->words[i] != NULL; i++) {
        if (strcasecmp(f->row->words[i], f->text) == 0) {
            *ret = i;
            return 0;
        }
        nearest_offer(&near, f->row->words[i]);
    }
    best = nearest_best(&near);
    return err_set(f->err, ERR_INVALID, "field %u (%s): \"%.60s\" is not known; %s %s",
        f->number, f->row->name, f->text,
        best != NULL ? "did you mean" : "the first of those known is",
        best != NULL ? best : f->row->words[0]);
}

static int parse_compare(const struct field *f, enum cmp_op *ret)
{
    if (is_none(f->text)) {
        *ret = CMP_GE;
        return 0;
    }
    int op = tf_compare_of(f->text);
    if (op < 0)
        return bad(f, "one of > >= = <= <");
    *ret = (enum cmp_op)op;
    return 0;
}

/* ---- lists ------------------------------------------------------------------ */

/* A NULL-terminated array for as many texts as `text` has separators, and one. */
static const char **make_list(const struct field *f, const char *text, char separator)
{
    size_t n = 1;

    for (const char *p = text; *p != '\0'; p++)
        n += *p == separator;
    if (n > LIST_MAX) {
        err_set(f->err, ERR_INVALID, "field %u (%s): more than %d entries", f->number,
            f->row->name, LIST_MAX);
        return NULL;
    }
    return arena_take(f->arena, n + 1, sizeof(char *));
}

static int parse_colons(
    const struct field *f, const char *text, const char *const **ret)
{
    const char **list;
    size_t n = 0;

    if (is_none(text)) {
        *ret = NULL;
        return 0;
    }
    list = make_list(f, text, ':');
    if (list == NULL)
        return -1;
    for (const char *p = text;; p++) {
        size_t len = strcspn(p, ":");

        if (len == 0)
            return bad(f, "names with \":\" between them");
        list[n++] = arena_text(f->arena, p, len);
        p += len;
        if (*p == '\0')
            break;
    }
    *ret = list;
    return 0;
}

static int parse_brackets(const struct field *f, const char *const **ret)
{
    const char **list;
    size_t n = 0;

    if (is_none(f->text)) {
        *ret = NULL;
        return 0;
    }
    list = make_list(f, f->text, '[');
    if (list == NULL)
        return -1;
    for (const char *p = f->text; *p != '\0';) {
        size_t len = *p == '[' ? strcspn(p + 1, "[]") : 0;

        if (len == 0 || p[len + 1] != ']')
            return bad(f, "names in brackets, as [a][b]");
        list[n++] = arena_text(f->arena, p + 1, len);
        p += len + 2;
    }
    *ret = list;
    return 0;
}

static int parse_classes(const struct field *f, const struct gres_cfg **ret)
{
    const char *const *names = NULL;
    struct gres_cfg *list;
    size_t n = 0;

    if (parse_brackets(f, &names) < 0)
        return -1;
    if (names == NULL) {
        *ret = NULL;
        return 0;
    }
    while (names[n] != NULL)
        n++;
    list = arena_take(f->arena, n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        const char *colon = strchr(names[i], ':'), *end;

        list[i].count = 1;
        if (colon != NULL) {
            end = scan_whole(colon + 1, &list[i].count);
            if (end == NULL || *end != '\0' || colon == names[i] || list[i].count < 0
                || list[i].count > INT32_MAX)
                return bad(f, "classes with a count, as [batch:1][long:4]");
        } else {
            colon = names[i] + strlen(names[i]);
        }
        list[i].name = arena_text(f->arena, names[i], (size_t)(colon - names[i]));
    }
    *ret = list;
    return 0;
}

static int parse_pair(const struct field *f, struct tf_pair *ret)
{
    const char *colon;
    size_t len;

    *ret = (struct tf_pair){0};
    if (is_none(f->text))
        return 0;
    colon = strchr(f->text, ':');
    len = colon != NULL ? (size_t)(colon - f->text) : strlen(f->text);
    if (len == 0 || (colon != NULL && (colon[1] == '\0' || strchr(colon + 1, ':'))))
        return bad(f, "a name, or two as requested:delivered");
    if (strncmp(f->text, TRACE_NONE, len) != 0)
        ret->first = arena_text(f->arena, f->text, len);
    if (colon != NULL && !is_none(colon + 1))
        ret->second = arena_text(f->arena, colon + 1, strlen(colon + 1));
    return 0;
}

/* ---- limits, tasks, flags, node sets ------------------------------------------ */

/* The first of a list of numbers separated by any of `separators`; all are checked. */
static int parse_choice(
    const struct field *f, const char *separators, struct tf_choice *ret)
{
    const char *p = f->text;
    int64_t n, first = 0;
    bool list = false;

    if (is_none(f->text)) {
        *ret = (struct tf_choice){f->row->def, NULL};
        return 0;
    }
    for (;; p++) {
        p = scan_whole(p, &n);
        if (p == NULL || (*p != '\0' && strchr(separators, *p) == NULL))
            return bad(f, "a whole number, or several with commas between them");
        if (check_range(f, n, &n) < 0)
            return -1;
        if (!list)
            first = n;
        if (*p == '\0')
            break;
        list = true;
    }
    ret->first = first;
    ret->text = list ? arena_text(f->arena, f->text, strlen(f->text)) : NULL;
    return 0;
}

static int parse_limit(const struct field *f, struct tf_choice *ret)
{
    if (parse_choice(f, ",:", ret) < 0)
        return -1;
    if (ret->first < 0)
        ret->first = DURATION_UNLIMITED;
    return 0;
}

int tf_pbs_nodes(const char *text, int64_t *ret_tasks, int64_t *ret_nodes)
{
    int64_t tasks = 0, nodes = 0;

    if (strncmp(text, "PBS=", 4) != 0 || text[4] == '\0')
        return -1;
    for (const char *p = text + 4;; p++) {
        size_t part = strcspn(p, "+");
        const char *ppn = strstr(p, ":ppn=");
        int64_t count = 1, each = 1;

        if (part == 0)
            return -1;
        if (isdigit((unsigned char)*p) && scan_whole(p, &count) == NULL)
            return -1;
        if (ppn != NULL && ppn < p + part && scan_whole(ppn + 5, &each) == NULL)
            return -1;
        if (count < 1 || each < 1 || count > INT32_MAX || each > INT32_MAX)
            return -1;
        tasks += count * each;
        nodes += count;
        if (tasks > INT32_MAX)
            return -1;
        p += part;
        if (*p == '\0')
            break;
    }
    *ret_tasks = tasks;
    *ret_nodes = nodes;
    return 0;
}

static int parse_tasks(const struct field *f, struct tf_choice *ret)
{
    int64_t tasks, nodes;

    if (strncmp(f->text, "PBS=", 4) != 0)
        return parse_choice(f, ",", ret);
    if (tf_pbs_nodes(f->text, &tasks, &nodes) < 0)
        return bad(f, "a nodes specification, as PBS=4:ppn=2+1");
    if (check_range(f, tasks, &ret->first) < 0)
        return -1;
    ret->text = arena_text(f->arena, f->text, strlen(f->text));
    return 0;
}

static int unknown_flag(const struct field *f, const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (unsigned i = 0; i < TF_FLAG_COUNT; i++)
        nearest_offer(&near, tf_flag_name(i));
    if (nearest_best(&near) == NULL)
        return err_set(f->err, ERR_INVALID,
            "field %u (%s): \"%.60s\" is not a job flag; one like RESTARTABLE is "
            "expected",
            f->number, f->row->name, name);
    return err_set(f->err, ERR_INVALID,
        "field %u (%s): \"%.60s\" is not a job flag; did you mean %s?", f->number,
        f->row->name, name, nearest_best(&near));
}

static int parse_flags(const struct field *f, struct tf_flags *ret)
{
    const char *const *names = NULL;
    const char **attributes;
    struct tf_flags flags = {0};
    size_t n = 0, kept = 0;
    int64_t mask;

    if (f->text[0] != '[') {
        const char *end = scan_whole(f->text, &mask);

        if (end == NULL || *end != '\0' || mask < 0 || mask >= 1 << TF_FLAG_COUNT)
            return bad(f, "flags in brackets, as [RESTARTABLE], or their bit mask");
        *ret = (struct tf_flags){(uint32_t)mask, NULL};
        return 0;
    }
    if (parse_brackets(f, &names) < 0)
        return -1;
    while (names != NULL && names[n] != NULL)
        n++;
    attributes = arena_take(f->arena, n + 1, sizeof *attributes);
    for (size_t i = 0; i < n; i++) {
        int bit = tf_flag_place(names[i]);

        if (strncmp(names[i], "JATTR:", 6) == 0 && names[i][6] != '\0')
            attributes[kept++] = names[i] + 6;
        else if (bit < 0)
            return unknown_flag(f, names[i]);
        else
            flags.mask |= 1u << bit;
    }
    if (kept > 0)
        flags.attributes = attributes;
    *ret = flags;
    return 0;
}

static int parse_nodeset(const struct field *f, const struct nodeset_spec **ret)
{
    const char *const *parts = NULL;
    struct nodeset_spec *set;
    int policy, attr;
    size_t n = 0;

    if (is_none(f->text)) {
        *ret = NULL;
        return 0;
    }
    if (parse_colons(f, f->text, &parts) < 0 || parts == NULL)
        return -1;
    policy = tf_policy_of(parts[0]);
    attr = parts[1] == NULL ? -1 : tf_attr_of(parts[1]);
    if (policy < 0 || attr < 0)
        return bad(f, "a node set: FIRSTOF, ONEOF or ANYOF, then FEATURE, PROCSPEED, "
                      "NETWORK or MEMORY, then values, as ONEOF:FEATURE:a:b");
    set = arena_take(f->arena, 1, sizeof *set);
    set->policy = (enum nodeset_policy)policy;
    set->attr = (enum nodeset_attr)attr;
    while (parts[2 + n] != NULL)
        n++;
    set->list.v = arena_take(f->arena, n + 1, sizeof(char *));
    for (size_t i = 0; i < n; i++)
        set->list.v[i] = arena_text(f->arena, parts[2 + i], strlen(parts[2 + i]));
    set->list.n = set->list.cap = n;
    *ret = set;
    return 0;
}

/* ---- all kinds ---------------------------------------------------------------- */

static int parse_text(const struct field *f, bool zero_is_none, const char **ret)
{
    if (is_none(f->text) || (zero_is_none && strcmp(f->text, "0") == 0)) {
        if (f->row->kind == TF_TEXT)
            return bad(f, "a name; this field is required");
        *ret = NULL;
    } else {
        *ret = arena_text(f->arena, f->text, strlen(f->text));
    }
    return 0;
}

int tf_parse(const struct tf_row *row, unsigned number, const char *text, void *record,
    struct arena *a, struct err *err)
{
    struct field f = {row, number, text, a, err};
    void *at = (char *)record + row->offset;

    switch (row->kind) {
    case TF_TEXT:
    case TF_OPTIONAL:
        return parse_text(&f, false, at);
    case TF_OPTIONAL0:
        return parse_text(&f, true, at);
    case TF_NUMBER:
        return parse_number(&f, at);
    case TF_MB:
        return parse_mb(&f, at);
    case TF_REAL:
        return parse_real(&f, at);
    case TF_WORD:
        return parse_word(&f, at);
    case TF_COMPARE:
        return parse_compare(&f, at);
    case TF_BRACKETS:
        return parse_brackets(&f, at);
    case TF_COLONS:
        return parse_colons(&f, text, at);
    case TF_CLASSES:
        return parse_classes(&f, at);
    case TF_LIMIT:
        return parse_limit(&f, at);
    case TF_TASKS:
        return parse_tasks(&f, at);
    case TF_PAIR:
        return parse_pair(&f, at);
    case TF_FLAGS:
        return parse_flags(&f, at);
    case TF_NODESET:
        return parse_nodeset(&f, at);
    }
    return -1;
}

/* A carriage return is one too: at the end of a line it would not be read again. */
#define BLANKS " \t\f\v\r"

size_t tf_split(char *line, const char *fields[], size_t max)
{
    size_t n = 0;
    char *p = line;

    line[strcspn(line, "#")] = '\0';
    while (*(p += strspn(p, BLANKS)) != '\0') {
        if (n < max)
            fields[n] = p;
        n++;
        p += strcspn(p, BLANKS);
        if (*p != '\0')
            *p++ = '\0';
    }
    return n;
}

int tf_version(const struct lines *in, const char *line, struct err *err)
{
    long version;

    line += strspn(line, " \t");
    if (strncmp(line, "VERSION", 7) != 0 || (line[7] != ' ' && line[7] != '\t'))
        return 0;
    version = strtol(line + 8, NULL, 10);
    if (version != 230 && version != 310)
        return err_set(err, ERR_INVALID,
            "%s:%" PRIu64 ": trace version %ld is not known; 230 is expected",
            lines_name(in), lines_number(in), version);
    return 1;
}
