/* SPDX-License-Identifier: Apache-2.0
 * Where one record of `show job` ends and the next begins. Users choose texts in it,
 * and those may hold line breaks and whole records that are none:
 *
 *     JobId=7 JobName=a SubmitTime=<secret>17.. .. Comment=b
 *     JobId=8 JobName=x UserId=root(0) ..                      still job 7's comment
 *     StdErr=..
 *     JobId=9 JobName=c SubmitTime=<secret>17.. ..
 *
 * No user knows the word that scontrol writes before each instant (pipe_secret()), so
 * each record has one SubmitTime= with it. Where more than one line between two of
 * these begins with JobId= squeue, which can be asked for numbers alone, says which are
 * jobs, when each was submitted, and of which array or larger job it is part: a line
 * may well have the number of the job that follows. */
#include "base/hash.h"
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job_fact {
    uint32_t id; /* key */
    long long submitted;
    bool taken; /* a record is known as this job's */
    UT_hash_handle hh;
    char name[]; /* "8", "5_1", "5_[0-9%2]", "9+1" */
};

/* A record, from `floor` on: behind the SubmitTime= of the one before. */
struct span {
    char *floor, *submit; /* its SubmitTime= */
    char *start;          /* NULL = not known */
    long long submitted;
};
struct spans VEC(struct span);

/* ---- lines that may begin a record ---- */

static uint32_t id_at(const char *line)
{
    unsigned long id = 0;
    char *stop = NULL;

    if (strncmp(line, "JobId=", 6) == 0 && line[6] >= '0' && line[6] <= '9')
        id = strtoul(line + 6, &stop, 10);
    return stop != NULL && *stop == ' ' && id < NO_VAL ? (uint32_t)id : 0;
}

/* The next line from `at` on, before `end`, that may; NULL = there is none. */
static char *find_start(char *at, const char *end)
{
    while ((at = strstr(at, "\nJobId=")) != NULL && at < end) {
        if (id_at(++at) != 0)
            return at;
    }
    return NULL;
}

static bool is_alone(char *start, const char *end)
{
    return find_start(start, end) == NULL;
}

static void find_spans(char *first, struct spans *ret)
{
    struct strbuf sign = {0};
    char *floor = first, *at = first;

    strbuf_printf(&sign, " SubmitTime=%s", pipe_secret());
    while ((at = strstr(at, sign.text)) != NULL) {
        struct span s = {.floor = floor, .submit = at};

        at += sign.len;
        s.submitted = strtoll(at, NULL, 10);
        s.start = floor == first ? first : find_start(floor, s.submit);
        vec_push(ret, s);
        floor = at;
    }
    free(sign.text);
}

/* ---- what squeue says ---- */

/* NULL with errno: it does not answer, as there are jobs. */
static struct job_fact *load_facts(void)
{
    static const char *const argv[] = {
        "squeue", "-h", "-a", "-t", "all", "-o", "%A %V %i", NULL};
    char *text = pipe_output(argv), *at = text, *line;
    struct job_fact *all = NULL, *fact;
    int error = errno;

    while ((line = next_line(&at)) != NULL) {
        char *rest, *name;
        uint32_t id = (uint32_t)strtoul(line, &rest, 10);

        HASH_FIND_INT(all, &id, fact);
        if (*rest != ' ' || fact != NULL)
            continue;
        name = strchr(rest + 1, ' ');
        name = name != NULL ? name + 1 : line + strlen(line);
        fact = xcalloc(1, sizeof *fact + strlen(name) + 1);
        memcpy(fact->name, name, strlen(name) + 1);
        fact->id = id;
        fact->submitted = instant_of(rest + 1);
        HASH_ADD_INT(all, id, fact);
    }
    if (text != NULL && all == NULL)
        error = answer_error(*text != '\0' ? text : PIPE_SILENT);
    free(text);
    errno = error;
    return all;
}

static void free_facts(struct job_fact *all)
{
    struct job_fact *fact, *next;

    HASH_ITER(hh, all, fact, next)
    {
        HASH_DEL(all, fact);
        free(fact);
    }
}

/* Could it be this job that was submitted then? */
static struct job_fact *find_fact(
    struct job_fact *all, const char *start, const struct span *s)
{
    uint32_t id = id_at(start);
    struct job_fact *fact;

    HASH_FIND_INT(all, &id, fact);
    return fact != NULL && !fact->taken && fact->submitted == s->submitted ? fact
                                                                           : NULL;
}

/* "7 " is "7", "0-9%2 " is "[0-9%2]", of which squeue may print the beginning alone. */
static bool same_tasks(const char *line, const char *name)
{
    bool list = *name == '[';
    size_t n = strcspn(name += list, "%].");

    if (strncmp(line, name, n) != 0)
        return false;
    return (list && (name[n] == '\0' || name[n] == '.')) || strcspn(line, "% \n") == n;
}

/* Does the line say as squeue does what the job is part of? */
static bool is_part_as_said(const char *line, const struct job_fact *fact)
{
    static const struct {
        const char *whole, *part;
        char sign;
    } kinds[] = {
        {" ArrayJobId=", " ArrayTaskId=", '_'}, {" HetJobId=", " HetJobOffset=", '+'}};
    const char *at = line + strcspn(line, " ");
    char *name, *end;
    unsigned long whole = strtoul(fact->name, &name, 10);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i].whole), m = strlen(kinds[i].part);

        if (strncmp(at, kinds[i].whole, n) != 0)
            continue;
        return *name == kinds[i].sign && strtoul(at + n, &end, 10) == whole
               && strncmp(end, kinds[i].part, m) == 0 && same_tasks(end + m, name + 1);
    }
    return *name == '\0' && whole == fact->id
           && strncmp(at, " JobName=", strlen(" JobName=")) == 0;
}

/* The one line that can be its first, or with `any` the job that was submitted first;
 * those that say as squeue what it is part of before others. False: there are several.
 */
static bool settle_span(struct job_fact *all, struct span *s, bool any)
{
    struct job_fact *best = NULL;
    bool said = false;
    unsigned n = 0;

    s->start = NULL;
    for (char *at = find_start(s->floor, s->submit); at != NULL;
         at = find_start(at, s->submit)) {
        struct job_fact *fact = find_fact(all, at, s);
        bool as_said = fact != NULL && is_part_as_said(at, fact);

        if (fact == NULL || (said && !as_said))
            continue;
        if (as_said && !said) {
            said = true;
            best = NULL;
            n = 0;
        }
        n++;
        if (best != NULL && best->id <= fact->id)
            continue;
        best = fact;
        s->start = at;
    }
    if (n > 1 && !any)
        return false;
    if (best != NULL)
        best->taken = true;
    return true;
}

static bool is_doubtful(const struct spans *spans, size_t i)
{
    const struct span *s = &spans->v[i];

    return i > 0 && s->start != NULL && !is_alone(s->start, s->submit);
}

/* Those of one line first: what is theirs is nobody else's. -1 with errno: squeue does
 * not answer. */
static int settle_all(struct spans *spans)
{
    struct VEC(struct span *) open = {0};
    struct job_fact *all, *fact;
    bool any = false;

    for (size_t i = 0; i < spans->n; i++)
        if (is_doubtful(spans, i))
            vec_push(&open, &spans->v[i]);
    if (open.n == 0)
        return 0;
    all = load_facts();
    if (all == NULL) {
        vec_fini(&open);
        return -1;
    }
    for (size_t i = 0; i < spans->n; i++) {
        uint32_t id = spans->v[i].start != NULL ? id_at(spans->v[i].start) : 0;

        HASH_FIND_INT(all, &id, fact);
        if (fact != NULL && !is_doubtful(spans, i))
            fact->taken = true;
    }
    while (open.n > 0) {
        size_t before = open.n;

        for (size_t i = 0; i < open.n;) {
            if (!settle_span(all, open.v[i], any)) {
                i++;
                continue;
            }
            vec_remove(&open, i);
            if (any)
                break;
        }
        any = open.n == before;
    }
    vec_fini(&open);
    free_facts(all);
    return 0;
}

/* ---- the records ---- */

int records_of(char *text, struct records *ret)
{
    struct spans spans = {0};

    if (id_at(text) == 0)
        text = find_start(text, text + strlen(text));
    if (text == NULL)
        return 0;
    find_spans(text, &spans);
    if (settle_all(&spans) < 0) {
        vec_fini(&spans);
        return -1;
    }
    for (size_t i = 0; i < spans.n; i++) {
        char *start = spans.v[i].start, *end;

        if (start == NULL || id_at(start) == 0)
            continue;
        /* where the next begins, or may begin where that is not known */
        end = i + 1 == spans.n ? NULL : spans.v[i + 1].start;
        if (end == NULL && i + 1 < spans.n)
            end = find_start(spans.v[i + 1].floor, spans.v[i + 1].submit);
        if (end != NULL)
            end[-1] = '\0';
        vec_push(ret, start);
    }
    vec_fini(&spans);
    for (size_t i = 0; i < ret->n; i++)
        for (char *at = ret->v[i]; (at = strchr(at, '\n')) != NULL;)
            *at = ' ';
    return 0;
}
