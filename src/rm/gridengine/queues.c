/* SPDX-License-Identifier: Apache-2.0
 * qconf -sq: definitions of queues, read, and one of our own made of another. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/gridengine/answers.h"

#include <stdio.h>
#include <strings.h>

/* A definition is lines "name value"; a backslash at the end goes on. The line that
 * begins at `at`, without its end, and where the next one begins. */
static size_t line_length(const char *at, const char **ret_next)
{
    size_t n = strcspn(at, "\n");

    while (n > 0 && at[n] == '\n' && at[n - 1] == '\\')
        n += 1 + strcspn(at + n + 1, "\n");
    *ret_next = at + n + (at[n] == '\n');
    return n;
}

static bool is_of(const char *line, const char *name)
{
    size_t n = strlen(name);

    return strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == '\t');
}

const char *ge_setting(struct arena *arena, const char *text, const char *name)
{
    const char *next;

    for (const char *at = text; *at; at = next) {
        size_t n = line_length(at, &next), to = 0;
        char *value;

        if (!is_of(at, name))
            continue;
        value = arena_text(arena, at + strlen(name), n - strlen(name));
        for (size_t i = strspn(value, " \t"); value[i]; i++)
            if (value[i] == '\\' && value[i + 1] == '\n')
                i += 1 + strspn(value + i + 2, " \t");
            else
                value[to++] = value[i];
        while (to > 0 && (value[to - 1] == ' ' || value[to - 1] == '\t'))
            to--;
        value[to] = '\0';
        return value;
    }
    return NULL;
}

bool ge_is_own_queue(const char *queue)
{
    size_t n = strlen(GE_OWN_QUEUE);

    return strncmp(queue, GE_OWN_QUEUE, n) == 0 && queue[n] >= '0' && queue[n] <= '9';
}

static int compare_queues(const void *a, const void *b)
{
    const struct ge_queue *x = a, *y = b;

    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_queue(struct ge_queues *ret, const char *text, size_t len)
{
    struct ge_queue q = {.text = arena_text(&ret->arena, text, len)};
    const char *value;

    q.name = ge_setting(&ret->arena, q.text, "qname");
    if (q.name == NULL || *q.name == '\0' || ge_is_own_queue(q.name))
        return;
    q.pes = ge_setting(&ret->arena, q.text, "pe_list");
    q.pes = q.pes != NULL ? q.pes : "NONE";
    value = ge_setting(&ret->arena, q.text, "qtype");
    q.batch = value == NULL || strcasestr(value, "BATCH") != NULL;
    value = ge_setting(&ret->arena, q.text, "rerun");
    q.rerun = value != NULL && strncasecmp(value, "TRUE", 4) == 0;
    value = ge_setting(&ret->arena, q.text, "seq_no");
    q.sequence = value != NULL ? strtoll(value, NULL, 10) : 0;
    vec_push(&ret->list, q);
}

void ge_read_queues(struct ge_queues *ret, const char *text, size_t len)
{
    char *copy = xstrndup(text, len);
    const char *begin = NULL, *next;

    *ret = (struct ge_queues){0};
    for (const char *at = copy; *at; at = next) {
        line_length(at, &next);
        if (!is_of(at, "qname"))
            continue;
        if (begin != NULL)
            add_queue(ret, begin, (size_t)(at - begin));
        begin = at;
    }
    if (begin != NULL)
        add_queue(ret, begin, strlen(begin));
    free(copy);
    if (ret->list.n > 0)
        qsort(ret->list.v, ret->list.n, sizeof ret->list.v[0], compare_queues);
}

void ge_queues_free(struct ge_queues *queues)
{
    vec_fini(&queues->list);
    arena_free(&queues->arena);
}

const struct ge_queue *ge_find_queue(const struct ge_queues *queues, const char *name)
{
    for (size_t i = 0; i < queues->list.n; i++)
        if (strcmp(queues->list.v[i].name, name) == 0)
            return &queues->list.v[i];
    return NULL;
}

char *ge_own_queue(const struct ge_queue *q, const char *name,
    const struct job_place *places, size_t nplaces)
{
    static const char *const ours[] = {
        "qname", "hostlist", "slots", "load_thresholds", "subordinate_list"};
    struct strbuf text = {0};
    const char *next;

    strbuf_printf(&text, "qname %s\nhostlist", name);
    for (size_t i = 0; i < nplaces; i++)
        strbuf_printf(&text, " %s", places[i].node);
    strbuf_add(&text, "\nslots 0");
    for (size_t i = 0; i < nplaces; i++)
        strbuf_printf(&text, ",[%s=%u]", places[i].node, places[i].tasks);
    strbuf_add(&text, "\nload_thresholds NONE\nsubordinate_list NONE\n");
    for (const char *at = q->text; *at; at = next) {
        size_t n = line_length(at, &next);
        bool replaced = false;

        for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
            replaced = replaced || is_of(at, ours[i]);
        if (!replaced && n > 0)
            strbuf_printf(&text, "%.*s\n", (int)n, at);
    }
    return strbuf_take(&text);
}

char *ge_with_setting(const char *text, const char *name, const char *value)
{
    struct strbuf b = {0};
    const char *next;
    bool found = false;

    for (const char *at = text; *at; at = next) {
        size_t n = line_length(at, &next);

        if (is_of(at, name)) {
            strbuf_printf(&b, "%s %s\n", name, value);
            found = true;
        } else if (n > 0 && *at != '#') {
            strbuf_printf(&b, "%.*s\n", (int)n, at);
        }
    }
    if (!found)
        strbuf_printf(&b, "%s %s\n", name, value);
    return strbuf_take(&b);
}
