/* SPDX-License-Identifier: Apache-2.0
 * Lists of hosts, as "n[1-3,07],gpu1". */
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HOSTS_MAX
#define HOSTS_MAX 1000000 /* of one list: what is longer is no list of ours */
#endif

struct text_hosts {
    struct VEC(char *) v; /* owned */
    size_t taken;         /* by shift */
};

static void push(hostlist_t list, const char *before, size_t n, const char *number)
{
    struct strbuf b = {0};

    if (list->v.n >= HOSTS_MAX)
        return;
    strbuf_add_n(&b, before, n);
    strbuf_add(&b, number);
    vec_push(&list->v, strbuf_take(&b));
}

/* "1-3,07]" after the bracket; returns what follows it. */
static const char *push_range(
    hostlist_t list, const char *before, size_t n, const char *text)
{
    while (*text && *text != ']') {
        char *stop, number[24];
        unsigned long first = strtoul(text, &stop, 10), last = first;
        int digits = (int)(stop - text);

        if (stop == text || digits > 20)
            return NULL;
        if (*stop == '-')
            last = strtoul(stop + 1, &stop, 10);
        for (; first <= last && list->v.n < HOSTS_MAX; first++) {
            snprintf(number, sizeof number, "%0*lu", digits, first);
            push(list, before, n, number);
        }
        text = *stop == ',' ? stop + 1 : stop;
        if (*stop != ',' && *stop != ']')
            return NULL;
    }
    return *text == ']' ? text + 1 : NULL;
}

hostlist_t slurm_hostlist_create(const char *text)
{
    hostlist_t list = xcalloc(1, sizeof *list);

    while (text != NULL && *text) {
        size_t n = strcspn(text, ",[");

        if (text[n] == '[')
            text = push_range(list, text, n, text + n + 1);
        else {
            if (n > 0)
                push(list, text, n, "");
            text += n;
        }
        if (text != NULL && *text == ',')
            text++;
        else if (text != NULL && *text) /* names that go on after a bracket */
            break;
    }
    return list;
}

int slurm_hostlist_push_host(hostlist_t list, const char *host)
{
    push(list, host, strlen(host), "");
    return 1;
}

int slurm_hostlist_count(hostlist_t list)
{
    return (int)(list->v.n - list->taken);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void slurm_hostlist_uniq(hostlist_t list)
{
    size_t kept = 0;

    if (list->v.n == 0)
        return;
    qsort(list->v.v, list->v.n, sizeof *list->v.v, by_name);
    for (size_t i = 1; i < list->v.n; i++)
        if (strcmp(list->v.v[kept], list->v.v[i]) == 0)
            free(list->v.v[i]);
        else
            list->v.v[++kept] = list->v.v[i];
    list->v.n = kept + 1;
}

char *slurm_hostlist_shift(hostlist_t list)
{
    return list->taken < list->v.n ? list->v.v[list->taken++] : NULL;
}

char *slurm_hostlist_ranged_string_malloc(hostlist_t list)
{
    struct strbuf b = {0};

    for (size_t i = list->taken; i < list->v.n; i++)
        strbuf_printf(&b, "%s%s", i > list->taken ? "," : "", list->v.v[i]);
    return strbuf_take(&b);
}

void slurm_hostlist_destroy(hostlist_t list)
{
    for (size_t i = list->taken; i < list->v.n; i++)
        free(list->v.v[i]);
    vec_fini(&list->v);
    free(list);
}
