/* SPDX-License-Identifier: Apache-2.0
 * Why queues of a host take no jobs, in a sentence: Grid Engine says it in letters. */
#include "base/strbuf.h"
#include "rm/gridengine/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLD_MOST 3 /* queues of a host */

/* By weight: of several letters the first counts. Loaded ones are told with numbers. */
static const struct {
    char letter;
    const char *text;
} words[] = {
    {'u', ""}, /* of the whole host: explain_instance() */
    {'E', "is in an error state (qstat -f -explain E; qmod -cq clears it)"},
    {'d', "is disabled (qmod -e enables it)"},
    {'D', "is disabled by its calendar"},
    {'s', "is suspended (qmod -us resumes it)"},
    {'S', "is suspended for another queue"},
    {'C', "is suspended by its calendar"},
    {'A', "suspends jobs, as its load is too high"},
    {'o', "is gone from the configuration, and waits for its last jobs"},
    {'c', "has a definition that says two things (qstat -f -explain c)"},
};

/* What the queue says of thresholds on that host: "[cn01=np_load_avg=2]" is of one host
 * or a group, what stands before of all others. In the arena; "" where there is none.
 */
static const char *thresholds_of(
    const struct ge_queue *q, const char *host, struct arena *arena)
{
    const char *all = ge_setting(arena, q->text, "load_thresholds"), *own;
    size_t n;

    if (all == NULL)
        return "";
    own = strstr(all, arena_printf(arena, "[%s=", host));
    if (own != NULL) {
        own += strlen(host) + 2;
        n = strcspn(own, "]");
    } else {
        own = all;
        n = strcspn(all, "[");
    }
    own = arena_text(arena, own, n);
    return strncasecmp(own, "NONE", 4) == 0 ? "" : own;
}

/* Of "np_load_avg=1.75,mem_free=1G" the first that is reached: load that is too high,
 * or too little of what is free. False: none, by what the host says. */
static bool find_reached(const struct ge_host *h, const char *thresholds,
    size_t *ret_at, const char **ret_value)
{
    for (const char *p = thresholds; *p != '\0';
         p += strcspn(p, ", "), p += strspn(p, ", "))
        for (size_t i = 0, n = strcspn(p, "=, "); p[n] == '=' && i < h->values.n; i++) {
            const struct ge_value *v = &h->values.v[i];
            double has = v->text != NULL ? strtod(v->text, NULL) : 0,
                   limit = strtod(p + n + 1, NULL);

            if (v->text == NULL || strlen(v->name) != n || strncmp(v->name, p, n) != 0
                || (strstr(v->name, "free") != NULL
                        ? ge_size_mb(v->text) > ge_size_mb(p + n + 1)
                        : has < limit))
                continue;
            *ret_at = (size_t)(p - thresholds);
            *ret_value = v->text;
            return true;
        }
    return false;
}

static const char *explain_load(const struct ge_host *h, const struct ge_queue *q,
    const char *queue, struct arena *arena)
{
    const char *thresholds = q != NULL ? thresholds_of(q, h->desc.name, arena) : "",
               *value, *p;
    size_t at;
    int name, limit;

    if (!find_reached(h, thresholds, &at, &value))
        return arena_printf(arena, "queue %s takes no jobs at its load%s%s%s", queue,
            *thresholds ? " (load_thresholds " : "", thresholds,
            *thresholds ? ")" : "");
    p = thresholds + at;
    name = (int)strcspn(p, "=");
    limit = (int)strcspn(p + name + 1, ", ");
    return arena_printf(arena,
        "queue %s takes no jobs at its load: %.*s is %.5s, the threshold %.*s", queue,
        name, p, value, limit, p + name + 1);
}

static const char *explain_instance(const struct ge_host *h,
    const struct ge_instance *i, const struct ge_queues *queues, struct arena *arena)
{
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strchr(i->state, words[k].letter) != NULL)
            return words[k].letter == 'u'
                       ? "its sge_execd has not been heard of"
                       : arena_printf(arena, "queue %s %s", i->queue, words[k].text);
    if (strchr(i->state, 'a') != NULL)
        return explain_load(h, ge_find_queue(queues, i->queue), i->queue, arena);
    return NULL;
}

const char *ge_explain_host(
    const struct ge_host *h, const struct ge_queues *queues, struct arena *arena)
{
    const char *text = NULL, *last = NULL;
    int told = 0;

    for (size_t i = 0; i < h->instances.n && told < TOLD_MOST; i++) {
        const char *why = explain_instance(h, &h->instances.v[i], queues, arena);

        if (why == NULL || (last != NULL && strcmp(why, last) == 0))
            continue;
        text = text == NULL ? why : arena_printf(arena, "%s; %s", text, why);
        last = why;
        told++;
    }
    return text;
}
