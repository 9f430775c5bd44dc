/* SPDX-License-Identifier: Apache-2.0
 * Job expressions. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "server/drafts/jobexpr.h"

#include "base/xalloc.h"
#include "cluster/job.h"
#include "server/drafts/jobname.h"
#include "server/drafts/rmname.h"

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

static void add(struct job_choices *io, uint32_t job, bool named)
{
    size_t word = job / 64;

    if (word >= io->nseen) {
        size_t n = word + 64;
        io->seen = xrealloc(io->seen, n, sizeof *io->seen);
        memset(io->seen + io->nseen, 0, (n - io->nseen) * sizeof *io->seen);
        io->nseen = n;
    }
    if (io->seen[word] >> job % 64 & 1)
        return;
    io->seen[word] |= UINT64_C(1) << job % 64;
    vec_push(&io->list, ((struct job_choice){job, named}));
}

void jobexpr_fini(struct job_choices *c)
{
    vec_fini(&c->list);
    free(c->seen);
    c->seen = NULL;
    c->nseen = 0;
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

/* All ids; a pattern that takes too many steps for one ends it. */
static int match_ids(
    const struct cluster *c, pcre2_code *re, struct job_choices *io, bool *ret_any)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    int n = 0;

    *ret_any = false;
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    pcre2_set_depth_limit(limits, 1000);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!in_queue(j))
            continue;
        n = pcre2_match(re, (PCRE2_SPTR)j->id, strlen(j->id), 0, 0, data, limits);
        if (n >= 0) {
            *ret_any = true;
            add(io, (uint32_t)i, false);
        } else if (n != PCRE2_ERROR_NOMATCH) {
            break;
        }
    }
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    return n < 0 && n != PCRE2_ERROR_NOMATCH ? -1 : 0;
}

static int match_pattern(const struct cluster *c, const char *element, bool unanchored,
    struct job_choices *io, struct err *err)
{
    bool any;

    if (io->patterns++ >= JOBEXPR_PATTERNS_MAX)
        return err_set(err, ERR_INVALID,
            "too many regular expressions: one order takes at most %d",
            JOBEXPR_PATTERNS_MAX);
    pcre2_code *re = compile(element, unanchored, err);
    if (!re)
        return -1;
    int result = match_ids(c, re, io, &any);
    pcre2_code_free(re);
    if (result < 0)
        return err_set(err, ERR_INVALID,
            "regular expression '%.200s' takes too long to match", element);
    if (!any && strcmp(element, ".*") == 0)
        return err_set(err, ERR_NOT_FOUND, "there is no job");
    if (!any)
        return err_set(
            err, ERR_NOT_FOUND, "invalid job expression received (%s)", element);
    return 0;
}

/* "12[]", "pbs.12[]", "12[].head": jobs "12[3]", as Slurm calls them "12_3". What PBS
 * has moved here from another server keeps that in its name, "12[3].other": that is
 * another array than 12[]. */
struct array_name {
    const char *number;
    size_t len;
    const char *server; /* behind "[]": ".other", or ""; NULL = whatever it is */
    uint32_t rm;        /* whose it has to be; INDEX_NONE = not said */
};

static bool read_array(
    const struct cluster *c, const char *element, struct array_name *ret)
{
    *ret = (struct array_name){.number = element, .server = "", .rm = INDEX_NONE};
    if (!rmname_split(c, element, &ret->rm, &ret->number))
        ret->rm = INDEX_NONE;
    ret->len = strcspn(ret->number, "[");
    const char *behind = ret->number + ret->len;
    if (!ret->len || strncmp(behind, "[]", 2) != 0)
        return false;
    ret->server = behind + 2;
    return !*ret->server || jobname_before_server(ret->number);
}

/* Of the part of an id behind the array's number: "[3].other", "_3". */
static bool is_member(const char *behind, const char *server)
{
    const char *close = *behind == '[' ? strchr(behind, ']') : NULL;

    if (close == NULL)
        return *behind == '_' && (server == NULL || *server == '\0');
    return server == NULL || strcmp(close + 1, server) == 0;
}

static bool is_of_array(const struct job *j, const struct array_name *a)
{
    const char *id = rmname_own_id(j);

    return in_queue(j) && (a->rm == INDEX_NONE || job_rm(j) == a->rm)
           && strncmp(id, a->number, a->len) == 0 && is_member(id + a->len, a->server);
}

/* Whose it is where nobody said: the first's, or the only one's who has such an array.
 */
static int find_owner(const struct cluster *c, struct array_name *io, struct err *err)
{
    uint32_t owner = INDEX_NONE, other = INDEX_NONE;

    for (size_t i = 0; i < c->jobs.n && owner != 0; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || !is_of_array(j, io))
            continue;
        other = owner != INDEX_NONE && owner != job_rm(j) ? owner : other;
        owner = job_rm(j);
    }
    io->rm = owner;
    if (owner == 0 || other == INDEX_NONE)
        return 0;
    return err_set(err, ERR_CONFLICT,
        "array '%.*s[]' is of several resource managers: expected %.60s.%.*s[] or "
        "%.60s.%.*s[]",
        (int)io->len, io->number, rmname_called(c, other), (int)io->len, io->number,
        rmname_called(c, owner), (int)io->len, io->number);
}

/* Where there is none of just that name: "12[].head" of the server that is asked
 * itself, "12[]" where one alone was moved here. */
static void loosen_server(const struct cluster *c, struct array_name *io)
{
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i] && is_of_array(c->jobs.v[i], io))
            return;
    io->server = *io->server != '\0' ? "" : NULL;
}

static int match_array(const struct cluster *c, const char *element,
    struct array_name *a, struct job_choices *io, struct err *err)
{
    size_t before = io->list.n;

    loosen_server(c, a);
    if (io->patterns++ >= JOBEXPR_PATTERNS_MAX)
        return err_set(err, ERR_INVALID,
            "too many arrays and regular expressions: one order takes at most %d",
            JOBEXPR_PATTERNS_MAX);
    if (a->rm == INDEX_NONE && find_owner(c, a, err) < 0)
        return -1;
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i] && is_of_array(c->jobs.v[i], a))
            add(io, (uint32_t)i, false);
    if (io->list.n == before)
        return err_set(err, ERR_NOT_FOUND, "cannot locate jobs of array '%s'", element);
    return 0;
}

/* As squeue prints it: taken only where there is such a job, else it is a pattern. Of
 * several managers with such an array it is the first's, as with 12[]. -1 with a
 * sentence, else how many. */
static int match_name(const struct cluster *c, const struct jobname *n,
    struct job_choices *io, struct err *err)
{
    struct array_name a = {n->text, n->number_len, "", INDEX_NONE};
    int found = 0;

    if (io->patterns >= JOBEXPR_PATTERNS_MAX)
        return 0; /* the pattern is refused */
    if (c->rms.n > 1 && find_owner(c, &a, err) < 0)
        return -1;
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!in_queue(j) || !jobname_means(n, j)
            || (a.rm != INDEX_NONE && job_rm(j) != a.rm))
            continue;
        found++;
        add(io, (uint32_t)i, n->is_component);
    }
    io->patterns += found > 0;
    return found;
}

/* "pbs.12": that point is no pattern's. */
static const char *skip_manager(const struct cluster *c, const char *element)
{
    uint32_t rm;
    const char *rest;

    return rmname_split(c, element, &rm, &rest) ? rest : element;
}

static int match_id(const struct cluster *c, const char *element,
    struct job_choices *io, struct err *err)
{
    static const char special[] = ".*+?[](){}|^$\\";
    const struct job *j = job_find(c, element);

    if (in_queue(j)) {
        add(io, j->index, true);
        /* "12[3]" is that job of an array, and no class of characters */
        if (!io->unanchored || strchr(element, '['))
            return 0;
    }
    struct err several = {0};
    const struct job *known = in_queue(j) ? NULL : rmname_job(c, element, &several);
    if (known)
        add(io, known->index, true);
    if (several.code != ERR_NONE)
        *err = several;
    if (known || several.code != ERR_NONE)
        return known ? 0 : -1;
    struct jobname name;
    int found = jobname_read(element, &name) ? match_name(c, &name, io, err) : 0;
    if (found != 0)
        return found > 0 ? 0 : -1;
    struct array_name array;
    if (read_array(c, element, &array))
        return match_array(c, element, &array, io, err);
    if (strcasecmp(element, "ALL") == 0)
        return match_pattern(c, ".*", true, io, err);
    if (!io->unanchored && !strpbrk(skip_manager(c, element), special))
        return rmname_missing(c, element, err);
    return match_pattern(c, element, io->unanchored, io, err);
}

/* Without the server's name, where PBS has put it behind; match_array() looks at that
 * of an array itself. */
static int match_element(const struct cluster *c, const char *element,
    struct job_choices *io, struct err *err)
{
    bool other =
        io->unanchored || strstr(element, "[]") != NULL || job_find(c, element) != NULL;
    size_t n = other ? 0 : jobname_before_server(element);
    char *id = n > 0 ? xstrndup(element, n) : NULL;
    struct err several = {0};
    const struct job *j = id && c->rms.n > 1 ? rmname_any(c, id, &several) : NULL;
    int result = 0;

    if (j)
        add(io, j->index, true);
    else if (several.code == ERR_CONFLICT)
        result = (*err = several, -1);
    else
        result = match_id(c, id != NULL ? id : element, io, err);
    free(id);
    return result;
}

static int count_element(struct job_choices *io, struct err *err)
{
    if (io->elements++ < JOBEXPR_ELEMENTS_MAX)
        return 0;
    return err_set(err, ERR_INVALID,
        "too many job expressions: one order takes at most %d", JOBEXPR_ELEMENTS_MAX);
}

int jobexpr_add_id(
    const struct cluster *c, const char *id, struct job_choices *io, struct err *err)
{
    const struct job *j = job_find(c, id);

    if (count_element(io, err) < 0)
        return -1;
    if (!in_queue(j))
        return rmname_missing(c, id, err);
    add(io, j->index, true);
    return 0;
}

int jobexpr_match(
    const struct cluster *c, const char *expr, struct job_choices *io, struct err *err)
{
    int result = 0;

    if (!*expr)
        return err_set(err, ERR_INVALID, "an empty job expression");
    for (const char *p = expr; *p;) {
        char element[ELEMENT_MAX];
        size_t named = jobname_span(p), len = named ? named : strcspn(p, ",");
        if (len >= sizeof element)
            return err_set(err, ERR_INVALID, "regular expression too long. (%zu > %d)",
                len, ELEMENT_MAX - 1);
        if (len && count_element(io, err) < 0)
            return -1;
        memcpy(element, p, len);
        element[len] = 0;
        if (len && match_element(c, element, io, err) < 0)
            result = -1;
        p += len + (p[len] == ',');
    }
    return result;
}
