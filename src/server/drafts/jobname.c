/* SPDX-License-Identifier: Apache-2.0
 * Jobs by the names that squeue prints. */
#include "server/drafts/jobname.h"

#include "base/xalloc.h"
#include "cluster/job.h"
#include "server/drafts/rmname.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

size_t jobname_span(const char *list)
{
    size_t n = strspn(list, digits);
    const char *end;

    if (n == 0 || list[n] != '_' || list[n + 1] != '[')
        return 0;
    end = strchr(list, ']');
    return end && (end[1] == ',' || !end[1]) ? (size_t)(end - list) + 1 : 0;
}

/* "1,5-50:5%4]", and nothing else. */
static bool is_tasks(const char *text)
{
    size_t n = strspn(text, "0123456789,-:.");

    if (n == 0 || *text < '0' || *text > '9')
        return false;
    if (text[n] == '%')
        n += 1 + strspn(text + n + 1, digits);
    return strcmp(text + n, "]") == 0;
}

bool jobname_read(const char *text, struct jobname *ret)
{
    size_t n = strspn(text, digits);

    *ret = (struct jobname){.text = text, .number_len = n};
    if (n == 0)
        return false;
    if (text[n] == '+') {
        ret->is_component = true;
        return text[n + 1] && text[n + 1 + strspn(text + n + 1, digits)] == '\0';
    }
    if (text[n] == '_' && text[n + 1] == '[') {
        ret->tasks = text + n + 2;
        ret->waiting = strstr(text, "...") != NULL;
        return is_tasks(ret->tasks);
    }
    return text[n] == '\0';
}

static bool is_in(const char *tasks, unsigned long task)
{
    for (const char *at = tasks; *at >= '0' && *at <= '9'; at++) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first, step = 1;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (*end == ':')
            step = strtoul(end + 1, &end, 10);
        if (task >= first && task <= last && step > 0 && (task - first) % step == 0)
            return true;
        if (*end != ',')
            return false;
        at = end;
    }
    return false;
}

bool jobname_means(const struct jobname *n, const struct job *j)
{
    const char *id = rmname_own_id(j), *rest = id + n->number_len;
    char *end;

    if (strncmp(id, n->text, n->number_len) != 0)
        return false;
    if (n->is_component)
        return *rest == '\0';
    bool bracket = *rest == '[' && n->text[n->number_len] == '\0';
    if ((*rest != '_' && !bracket) || rest[1] < '0' || rest[1] > '9')
        return false;
    unsigned long task = strtoul(rest + 1, &end, 10);
    if (strcmp(end, bracket ? "]" : "") != 0)
        return false;
    if (n->waiting)
        return !job_has_begun((enum job_state)j->state);
    return !n->tasks || is_in(n->tasks, task);
}

static const struct job *find_meant(const struct cluster *c, const struct jobname *n)
{
    const struct job *first = NULL;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || j->state >= JOB_COMPLETED || !jobname_means(n, j))
            continue;
        bool waits = !job_has_begun((enum job_state)j->state);
        bool other_waits = first && !job_has_begun((enum job_state)first->state);
        if (!first || (waits && !other_waits)
            || (waits == other_waits && job_compare(j, first) < 0))
            first = j;
    }
    return first;
}

/* "63.head1", "15[4].head1.site" */
size_t jobname_before_server(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      host[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789.-";
    size_t n = strspn(text, digits);

    if (n > 0 && text[n] == '[')
        n += 1 + strspn(text + n + 1, digits) + 1;
    if (n == 0 || strnlen(text, n + 2) < n + 2 || text[n] != '.'
        || strchr(letters, text[n + 1]) == NULL)
        return 0;
    return text[n + 1 + strspn(text + n + 1, host)] == '\0' ? n : 0;
}

size_t jobname_recorded(const char *text)
{
    struct jobname n;

    return jobname_read(text, &n) && n.is_component ? n.number_len
                                                    : jobname_before_server(text);
}

const struct job *jobname_find(
    const struct cluster *c, const char *text, struct err *err)
{
    const struct job *j = job_find(c, text);
    size_t cut = j == NULL ? jobname_before_server(text) : 0;
    struct jobname n;

    if (cut > 0) {
        char *id = xstrndup(text, cut);
        j = rmname_any(c, id, err);
        free(id);
        if (!j && err->code == ERR_CONFLICT)
            return NULL;
    }
    rmname_missing(c, text, err);
    if (j && j->state < JOB_COMPLETED)
        return j;
    j = rmname_job(c, text, err);
    if (j || err->code == ERR_CONFLICT)
        return j;
    return jobname_read(text, &n) ? find_meant(c, &n) : NULL;
}
