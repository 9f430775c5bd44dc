/* SPDX-License-Identifier: Apache-2.0
 * Values of maui.cfg. */
#include "config/value.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Numbers beyond this have lost their last digits as a double, and no quantity of
 * a cluster comes near it. */
#define VALUE_MOST    INT64_C(1000000000000000)
#define RANGE_MOST    1024 /* names that one 4-8 may stand for */
#define GRES_MOST     1000000000
#define NODES_MOST    100000 /* virtual ones */
#define GRES_SEPARATE ",:;|+[] \t\n"

static bool all_of(const char *text, const char *accept)
{
    return *text != '\0' && text[strspn(text, accept)] == '\0';
}

int value_int(
    const char *text, int64_t low, int64_t high, int64_t *ret, struct err *err)
{
    const char *digits = text + (*text == '-' || *text == '+');
    long long value;

    if (!all_of(digits, "0123456789"))
        return err_set(err, ERR_INVALID, "'%.60s' is not a whole number", text);
    errno = 0;
    value = strtoll(text, NULL, 10);
    if (low == high) {
        low = -VALUE_MOST;
        high = VALUE_MOST;
    }
    if (errno == ERANGE || value < low || value > high)
        return err_set(err, ERR_INVALID, "'%.60s' is not within %lld to %lld", text,
            (long long)low, (long long)high);
    *ret = value;
    return 0;
}

int value_number(
    const char *text, double low, double high, double *ret, struct err *err)
{
    char *end;
    double value;

    if (!all_of(text, "0123456789.+-eE"))
        return err_set(err, ERR_INVALID, "'%.60s' is not a number", text);
    value = strtod(text, &end);
    if (end == text || *end != '\0')
        return err_set(err, ERR_INVALID, "'%.60s' is not a number", text);
    if (low >= high) {
        low = -(double)VALUE_MOST;
        high = (double)VALUE_MOST;
    }
    if (!(value >= low && value <= high))
        return err_set(
            err, ERR_INVALID, "'%.60s' is not within %g to %g", text, low, high);
    *ret = value;
    return 0;
}

int value_bool(const char *text, bool *ret, struct err *err)
{
    static const struct {
        const char *name;
        bool value;
    } words[] = {{"TRUE", true}, {"ON", true}, {"YES", true}, {"1", true},
        {"FALSE", false}, {"OFF", false}, {"NO", false}, {"0", false}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(words[i].name, text) == 0) {
            *ret = words[i].value;
            return 0;
        }
    }
    return err_set(err, ERR_INVALID, "'%.60s' is neither TRUE nor FALSE", text);
}

static int unknown_keyword(
    const char *text, const struct cfg_keyword *words, struct err *err)
{
    struct nearest near;
    char list[240] = "";
    const char *best;

    nearest_init(&near, text);
    for (; words->name != NULL; words++) {
        size_t used = strlen(list);

        if (words->remark != NULL)
            continue;
        nearest_offer(&near, words->name);
        snprintf(list + used, sizeof list - used, " %s", words->name);
    }
    best = nearest_best(&near);
    return err_set(err, ERR_INVALID, "'%.60s' is not one of%s%s%s%s", text, list,
        best != NULL ? "; did you mean " : "", best != NULL ? best : "",
        best != NULL ? "?" : "");
}

int value_keyword(const char *text, const struct cfg_keyword *words,
    const struct cfg_keyword **ret, struct err *err)
{
    for (const struct cfg_keyword *k = words; k->name != NULL; k++) {
        if (strcasecmp(k->name, text) == 0) {
            *ret = k;
            return 0;
        }
    }
    return unknown_keyword(text, words, err);
}

int value_time(const char *text, bool negative, int64_t *ret, struct err *err)
{
    if (negative && strcmp(text, "-1") == 0) {
        *ret = -1;
        return 0;
    }
    return duration_parse(text, ret, err);
}

static int limit_part(const char *text, bool is_time, int64_t *ret, struct err *err)
{
    if (is_time && *text != '-')
        return duration_parse(text, ret, err);
    if (value_int(text, 0, 0, ret, err) < 0)
        return -1;
    if (*ret < 0)
        *ret = -1;
    return 0;
}

/* As a number to compare: no limit is more than any. */
static int64_t looseness(int64_t limit)
{
    return limit < 0 ? INT64_MAX : limit;
}

int value_limit(const char *text, bool is_time, struct limit *ret, struct err *err)
{
    const char *comma = strchr(text, ',');
    struct limit limit = {0};
    int status;

    if (limit_part(comma != NULL ? comma + 1 : text, is_time, &limit.hard, err) < 0)
        return -1;
    if (comma != NULL) {
        char *soft = xstrndup(text, (size_t)(comma - text));

        status = limit_part(soft, is_time, &limit.soft, err);
        free(soft);
        if (status < 0)
            return -1;
        /* "3,0": a soft limit, and nothing hard beyond it. */
        if (limit.hard == 0 && limit.soft > 0)
            limit.hard = -1;
    }
    if (limit.soft == 0 || looseness(limit.soft) > looseness(limit.hard))
        limit.soft = limit.hard;
    *ret = limit;
    return 0;
}

int value_fstarget(const char *text, struct fs_target *ret, struct err *err)
{
    static const char suffixes[] = "+-^%";
    static const enum fs_target_type types[] = {
        FS_TARGET_FLOOR, FS_TARGET_CEILING, FS_TARGET_ABS_CAP, FS_TARGET_REL_CAP};
    size_t len = strlen(text);
    const char *suffix = len > 0 ? strchr(suffixes, text[len - 1]) : NULL;
    struct fs_target target = {.type = FS_TARGET_PLAIN};
    char *number = xstrndup(text, suffix != NULL ? len - 1 : len);
    int status = value_number(number, 0, (double)VALUE_MOST, &target.value, NULL);

    free(number);
    if (status < 0)
        return err_set(err, ERR_INVALID,
            "'%.60s' is not a fairshare target; expected a number, + - ^ or %% may "
            "follow",
            text);
    if (suffix != NULL)
        target.type = types[suffix - suffixes];
    if (target.value <= 0)
        target.type = FS_TARGET_NONE;
    *ret = target;
    return 0;
}

int value_size_mb(const char *text, int64_t *ret, struct err *err)
{
    static const struct {
        const char *name;
        double mb;
    } units[] = {{"", 1}, {"k", 1.0 / 1024}, {"kb", 1.0 / 1024}, {"m", 1}, {"mb", 1},
        {"g", 1024}, {"gb", 1024}, {"t", 1048576}, {"tb", 1048576}};
    size_t digits = strspn(text, "0123456789.");
    char *number = xstrndup(text, digits);
    double value = 0;
    int status = value_number(number, 0, 1e12, &value, NULL);

    free(number);
    for (size_t i = 0; status == 0 && i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(units[i].name, text + digits) == 0) {
            double mb = value * units[i].mb;

            *ret = (int64_t)mb + (mb > (double)(int64_t)mb);
            return 0;
        }
    }
    return err_set(err, ERR_INVALID,
        "'%.60s' is not a size; expected MB, or a number with k, m, g or t", text);
}

int value_nodes(
    const char *text, int64_t *ret_count, int64_t *ret_procs, struct err *err)
{
    char *x = strpbrk(text, "xX"), *count = xstrndup(text, strcspn(text, "xX"));
    int64_t procs = 0;
    int status = value_int(count, 1, NODES_MOST, ret_count, NULL);

    if (status == 0 && x != NULL)
        status = value_int(x + 1, 1, INT32_MAX, &procs, NULL);
    free(count);
    if (status < 0)
        return err_set(err, ERR_INVALID,
            "'%.60s' is not a number of nodes; expected N or NxP, as in 4x8 for 4 "
            "nodes of 8 "
            "processors",
            text);
    *ret_procs = procs;
    return 0;
}

void value_node_name(int64_t i, int64_t count, char *buf, size_t size)
{
    int digits = snprintf(NULL, 0, "%lld", (long long)count);

    snprintf(buf, size, "node%0*lld", digits < 2 ? 2 : digits, (long long)i);
}

char *value_next_word(const char **text, const char *separators)
{
    size_t len;
    char *word;

    *text += strspn(*text, separators);
    len = strcspn(*text, separators);
    if (len == 0)
        return NULL;
    word = xstrndup(*text, len);
    *text += len;
    return word;
}

void value_words(const char *text, struct text_list *list)
{
    char *word;

    text_list_fini(list);
    while ((word = value_next_word(&text, VALUE_SEPARATORS)) != NULL)
        vec_push(list, word);
}

/* "4-8" as five names; any other word as itself. */
static int add_names(struct text_list *list, char *word, struct err *err)
{
    char *dash = strchr(word, '-'), name[24];
    int64_t low, high;

    if (dash == NULL || !all_of(dash + 1, "0123456789")
        || strspn(word, "0123456789") != (size_t)(dash - word) || dash == word) {
        text_list_add(list, word);
        return 0;
    }
    *dash = '\0';
    if (value_int(word, 0, 0, &low, err) < 0
        || value_int(dash + 1, 0, 0, &high, err) < 0)
        return -1;
    if (high < low || high - low >= RANGE_MOST)
        return err_set(
            err, ERR_INVALID, "'%.20s-%.20s' is not a range of names", word, dash + 1);
    for (int64_t i = low; i <= high; i++) {
        snprintf(name, sizeof name, "%lld", (long long)i);
        text_list_add(list, name);
    }
    return 0;
}

int value_creds(const char *text, struct name_list *list, struct err *err)
{
    struct name_list read = {.set = true};
    int status = 0;
    char *word;

    if (strchr(text, '^') != NULL)
        read.mode = LIST_ONLY;
    else if (strchr(text, '&') != NULL)
        read.mode = LIST_AND;
    while (status == 0 && (word = value_next_word(&text, VALUE_SEPARATORS "&^"))) {
        status = add_names(&read.names, word, err);
        free(word);
    }
    if (status < 0) {
        text_list_fini(&read.names);
        return -1;
    }
    text_list_fini(&list->names);
    *list = read;
    return 0;
}

int value_gres(
    const char *text, int64_t count_alone, struct gres_list *list, struct err *err)
{
    struct gres_list read = {0};
    int64_t count;
    char *word;

    while ((word = value_next_word(&text, GRES_SEPARATE)) != NULL) {
        bool number = all_of(word, "0123456789");

        if (!number) {
            struct gres_cfg gres = {.name = word, .count = count_alone};

            vec_push(&read, gres);
            continue;
        }
        if (read.n == 0 || value_int(word, 0, GRES_MOST, &count, err) < 0) {
            if (read.n == 0)
                err_set(err, ERR_INVALID, "'%.60s' is a count without a name", word);
            free(word);
            gres_list_fini(&read);
            return -1;
        }
        read.v[read.n - 1].count = count;
        free(word);
    }
    gres_list_fini(list);
    *list = read;
    return 0;
}
