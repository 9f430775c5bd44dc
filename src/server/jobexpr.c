/* SPDX-License-Identifier: Apache-2.0
 * Job expressions. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "server/jobexpr.h"

#include <pcre2.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ELEMENT_MAX 1024
#define MATCH_LIMIT                                                                    \
    100000 /* steps for one id: users' patterns must not stall the loop */

static bool in_queue(const struct job *j)
{
    return j && j->state < JOB_COMPLETED;
}

static void add(struct job_indexes *ret, uint32_t job)
{
    for (size_t i = 0; i < ret->n; i++)
        if (ret->v[i] == job)
            return;
    vec_push(ret, job);
}

static pcre2_code *compile(const char *element, bool unanchored, struct err *err)
{
    char pattern[ELEMENT_MAX + 16];
    PCRE2_SIZE at;
    int code;

    snprintf(pattern, sizeof pattern, unanchored ? "%s" : "^(?:%s)$", element);
    pcre2_code *re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
        PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
    if (!re) {
        PCRE2_UCHAR why[120];
        pcre2_get_error_message(code, why, sizeof why);
        err_set(err, ERR_INVALID, "invalid job expression received (%s): %s", element,
            (const char *)why);
    }
    return re;
}

static int match_pattern(const struct cluster *c, const char *element, bool unanchored,
    struct job_indexes *ret, struct err *err)
{
    pcre2_code *re = compile(element, unanchored, err);
    size_t before = ret->n;

    if (!re)
        return -1;
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    pcre2_set_depth_limit(limits, 1000);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (in_queue(j)
            && pcre2_match(re, (PCRE2_SPTR)j->id, strlen(j->id), 0, 0, data, limits)
                   >= 0)
            vec_push(ret, (uint32_t)i);
    }
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    pcre2_code_free(re);
    if (ret->n == before)
        return err_set(
            err, ERR_NOT_FOUND, "invalid job expression received (%s)", element);
    return 0;
}

static int match_element(const struct cluster *c, const char *element, bool unanchored,
    struct job_indexes *ret, struct err *err)
{
    const struct job *j = job_find(c, element);

    if (in_queue(j)) {
        add(ret, j->index);
        return 0;
    }
    if (strcasecmp(element, "ALL") == 0)
        return match_pattern(c, ".*", true, ret, err);
    if (!strpbrk(element, ".*+?[](){}|^$\\"))
        return err_set(err, ERR_NOT_FOUND, "cannot locate job '%s'", element);
    return match_pattern(c, element, unanchored, ret, err);
}

int jobexpr_match(const struct cluster *c, const char *expr, bool unanchored,
    struct job_indexes *ret, struct err *err)
{
    int result = 0;

    if (!*expr)
        return err_set(err, ERR_INVALID, "an empty job expression");
    for (const char *p = expr; *p;) {
        char element[ELEMENT_MAX];
        size_t len = strcspn(p, ",");
        if (len >= sizeof element)
            return err_set(err, ERR_INVALID, "regular expression too long. (%zu > %d)",
                len, ELEMENT_MAX - 1);
        memcpy(element, p, len);
        element[len] = 0;
        if (len && match_element(c, element, unanchored, ret, err) < 0)
            result = -1;
        p += len + (p[len] == ',');
    }
    return result;
}
