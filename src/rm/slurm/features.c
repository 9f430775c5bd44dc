/* SPDX-License-Identifier: Apache-2.0
 * Feature expressions. The scheduler knows lists of features that are all needed; what
 * else Slurm allows is turned into the nodes that do not satisfy it, into a node set,
 * or into several requests:
 *
 *     gpu&(fast|big)         nodes that do not fit are left out
 *     [rack1|rack2]          a set of nodes that have one of them in common
 *     [rack1*2&rack2*1]      two requests, of 2 and of 1 node
 */
#include "config/policies.h"
#include "rm/slurm/adapter.h"

#include <stdlib.h>

#define NODES_MAX 1000000 /* more is a slip */

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

/* Of each of these at least as much? */
static bool has_gres(const struct adapter *a, const char *text, const char *asked)
{
    struct gres_terms have = {0}, want = {0};
    bool all = true;

    gres_read(&have, text);
    gres_read(&want, asked);
    for (size_t i = 0; i < want.n && all; i++) {
        int64_t count = 0;

        for (size_t k = 0; k < have.n; k++)
            if (strcmp(have.v[k].name, want.v[i].name) == 0)
                count += have.v[k].count;
        all = count >= want.v[i].count || !gres_is_spared(a, want.v[i].name);
    }
    gres_fini(&want);
    gres_fini(&have);
    return all;
}

void features_with_gres(struct adapter *a, const char *per_node,
    struct request_room *room, struct req_desc *ret)
{
    const char **out;
    size_t n;

    if (!gres_is_spared(a, per_node))
        return;
    out = more_room(a, room, ret, &n);
    for (struct told_node *t = a->nodes; t != NULL; t = t->hh.next)
        if (t->gres != NULL && !has_gres(a, t->gres, per_node))
            out[n++] = t->name;
}

/* An expression of all nodes: terms joined by & alone become a list of features, others
 * a list of the nodes that it leaves out. */
static void take_expression(struct adapter *a, const char *text,
    struct request_room *room, struct req_desc *ret)
{
    const char **out;
    size_t n;
    bool wrong;

    if (strpbrk(text, "|()[]*") == NULL) {
        take_list(text, room, ret);
        return;
    }
    out = more_room(a, room, ret, &n);
    for (struct told_node *t = a->nodes; t != NULL; t = t->hh.next)
        if (t->features != NULL && !holds(text, t->features, &wrong))
            out[n++] = t->name;
}

/* ---- wishes ---- */

/* The end of a term that begins there: brackets and parentheses hold together. */
static const char *term_end(const char *at)
{
    int depth = 0;

    for (; *at && (depth > 0 || *at != '&'); at++)
        depth += *at == '(' || *at == '[' ? 1 : *at == ')' || *at == ']' ? -1 : 0;
    return at;
}

/* "name*3", or "name" for one. False: something else. */
static bool read_counted(
    struct wish *w, struct request_room *room, const char *term, size_t len)
{
    size_t n = strcspn(term, "&|()[]*");
    char *end = NULL;
    unsigned long count = 1;

    n = n < len ? n : len;
    if (n < len)
        count = term[n] == '*' ? strtoul(term + n + 1, &end, 10) : 0;
    if (n == 0 || count == 0 || count > NODES_MAX || (end != NULL && end != term + len))
        return false;
    vec_push(
        &w->counted, ((struct counted){request_text(room, term, n), (uint32_t)count}));
    return true;
}

/* "[a|b]": all nodes have one of them in common. */
static bool read_one_of(
    struct wish *w, struct request_room *room, const char *term, size_t len)
{
    char *copy = request_text(room, term, len), *save = NULL;

    if (w->one_of.n > 0 || strpbrk(copy, "&()[]*") != NULL)
        return false;
    for (char *name = strtok_r(copy, "|", &save); name != NULL;
         name = strtok_r(NULL, "|", &save))
        vec_push(&w->one_of, name);
    return w->one_of.n > 0;
}

/* "[a*2&b*1]" */
static bool read_bracket(
    struct wish *w, struct request_room *room, const char *term, size_t len)
{
    const char *end = term + len;

    if (memchr(term, '|', len) != NULL)
        return read_one_of(w, room, term, len);
    while (term < end) {
        size_t n = strcspn(term, "&]");
        if (!read_counted(w, room, term, n))
            return false;
        term += n + 1;
    }
    return true;
}

/* Terms that any node can be judged by are joined again. */
void features_wish(struct wish *ret, const char *text, struct request_room *room)
{
    struct strbuf rest = {0};
    bool wrong = false;

    *ret = (struct wish){0};
    for (const char *at = text; at != NULL && *at;) {
        const char *end = term_end(at);
        size_t len = (size_t)(end - at);
        bool simple =
            len > 0 && memchr(at, '[', len) == NULL && memchr(at, '*', len) == NULL;

        if (simple)
            strbuf_printf(&rest, "%s%.*s", rest.len > 0 ? "&" : "", (int)len, at);
        else if (len > 2 && at[0] == '[' && end[-1] == ']')
            ret->odd |= !read_bracket(ret, room, at + 1, len - 2);
        else
            ret->odd |= !read_counted(ret, room, at, len);
        at = end + (*end == '&');
    }
    if (rest.len > 0) {
        holds(rest.text, "", &wrong);
        ret->all = request_text(room, rest.text, rest.len);
    }
    /* "a|b&c" is read from left to right, which holds for whole texts alone */
    if (wrong
        || (ret->all != NULL && strchr(ret->all, '|') != NULL
            && strpbrk(text, "[*") != NULL))
        ret->odd = true;
    free(rest.text);
    vec_push(&room->blocks, ret->one_of.v);
    vec_push(&room->blocks, ret->counted.v);
}

void features_take(struct adapter *a, const struct wish *w, struct request_room *room,
    struct req_desc *ret)
{
    struct nodeset_spec *set;

    if (w->odd)
        return;
    if (w->all != NULL)
        take_expression(a, w->all, room, ret);
    if (w->one_of.n == 0)
        return;
    set = request_take(room, 1, sizeof *set);
    *set = (struct nodeset_spec){
        .policy = NODESET_ONEOF, .attr = NODESET_FEATURE, .always = true};
    set->list.v = w->one_of.v; /* borrowed */
    set->list.n = w->one_of.n;
    ret->nodeset = set;
}

void features_add(struct request_room *room, struct req_desc *ret, const char *name)
{
    size_t n = 0;
    const char **list;

    while (ret->features != NULL && ret->features[n] != NULL)
        n++;
    list = request_take(room, n + 2, sizeof *list);
    if (n > 0)
        memcpy(list, ret->features, n * sizeof *list);
    list[n] = name;
    ret->features = list;
}
