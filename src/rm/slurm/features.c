/* SPDX-License-Identifier: Apache-2.0
 * Feature expressions. The scheduler knows lists of features that are all needed; what
 * else Slurm allows is turned into the nodes that do not satisfy it. */
#include "rm/slurm/adapter.h"

#include <ctype.h>

/* expression = term { ("|" | "&") term }, read from left to right as Slurm does;
 * term = NAME | "(" expression ")" */
struct parser {
    const char *at;
    const char *features; /* of the node, "a,b" */
    bool wrong;
};

static bool has(const char *features, const char *name, size_t n)
{
    while (features != NULL && *features) {
        size_t k = strcspn(features, ",");

        if (k == n && strncmp(features, name, n) == 0)
            return true;
        features += k + (features[k] == ',');
    }
    return false;
}

static bool expression(struct parser *p, int depth);

static bool term(struct parser *p, int depth)
{
    size_t n;
    bool value;

    if (*p->at == '(' && depth < 20) {
        p->at++;
        value = expression(p, depth + 1);
        if (*p->at != ')')
            p->wrong = true;
        else
            p->at++;
        return value;
    }
    n = strcspn(p->at, "&|()[]*, ");
    if (n == 0) {
        p->wrong = true;
        return false;
    }
    value = has(p->features, p->at, n);
    p->at += n;
    return value;
}

static bool expression(struct parser *p, int depth)
{
    bool value = term(p, depth);

    while (!p->wrong && (*p->at == '&' || *p->at == '|')) {
        char op = *p->at++;
        bool next = term(p, depth);

        value = op == '&' ? value && next : value || next;
    }
    return value;
}

static bool holds(const char *text, const char *features, bool *ret_wrong)
{
    struct parser p = {.at = text, .features = features};
    bool value = expression(&p, 0);

    *ret_wrong = p.wrong || *p.at != '\0';
    return value;
}

static void take_list(const char *text, struct request_room *room, struct req_desc *ret)
{
    char *copy = request_text(room, text, strlen(text)), *save = NULL;
    const char **list = request_take(room, strlen(text) / 2 + 2, sizeof *list);
    size_t n = 0;

    for (char *word = strtok_r(copy, "&,", &save); word != NULL;
         word = strtok_r(NULL, "&,", &save))
        list[n++] = word;
    ret->features = list;
}

/* The nodes that are excluded already, and room for all others; how many there are. */
static const char **more_room(
    struct adapter *a, struct request_room *room, struct req_desc *ret, size_t *ret_n)
{
    const char **out;
    size_t n = 0;

    for (const char *const *e = ret->exclude; e != NULL && *e != NULL; e++)
        n++;
    out = request_take(room, n + HASH_COUNT(a->nodes) + 1, sizeof *out);
    if (n > 0)
        memcpy(out, ret->exclude, n * sizeof *out);
    ret->exclude = out;
    *ret_n = n;
    return out;
}

void features_within(struct adapter *a, const char *partition,
    struct request_room *room, struct req_desc *ret)
{
    size_t n, len = strcspn(partition, ",");
    const char **out = more_room(a, room, ret, &n);

    for (struct told_node *t = a->nodes; t != NULL; t = t->hh.next)
        if (t->partitions != NULL && !has(t->partitions, partition, len))
            out[n++] = t->name;
}

int features_read(struct adapter *a, const char *text, struct request_room *room,
    struct req_desc *ret)
{
    const char **out;
    size_t n;
    bool wrong;

    if (strpbrk(text, "|()[]*") == NULL) {
        take_list(text, room, ret);
        return 0;
    }
    holds(text, "", &wrong);
    if (wrong)
        return -1;
    out = more_room(a, room, ret, &n);
    for (struct told_node *t = a->nodes; t != NULL; t = t->hh.next)
        if (t->features != NULL && !holds(text, t->features, &wrong))
            out[n++] = t->name;
    return 0;
}
