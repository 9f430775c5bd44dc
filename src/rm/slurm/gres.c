/* SPDX-License-Identifier: Apache-2.0
 * Generic resources as Slurm writes them. A device of a type is two resources of ours,
 *
 *     node "gpu:a100:2,gpu:v100:1"      gpu 3, gpu:a100 2, gpu:v100 1
 *     job  "gres:gpu:a100:1"            gpu 1, gpu:a100 1
 *     job  "gres:gpu:1"                 gpu 1
 *
 * so that one without a type takes any of them and none is had twice. */
#include "base/xalloc.h"
#include "config/texts.h"
#include "rm/slurm/adapter.h"

#include <stdio.h>

/* Of a resource on a node, and of all tasks of a request together: more is counted as
 * this many. */
#define COUNT_MAX (INT64_C(1) << 40)

/* "2", "8K": all of the text. */
static bool read_count(const char *text, int64_t *ret)
{
    static const char units[] = "KMGT";
    char *end;
    long long n = strtoll(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;

    if (end == text || (*end != '\0' && (unit == NULL || end[1] != '\0')))
        return false;
    n = n < 0 ? 0 : n > COUNT_MAX ? COUNT_MAX : n;
    for (const char *u = units; unit != NULL && u <= unit && n < COUNT_MAX; u++)
        n *= 1024;
    *ret = n > COUNT_MAX ? COUNT_MAX : n;
    return true;
}

static void add(struct gres_terms *t, char *name, bool typed, int64_t count)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i].name, name) == 0) {
            t->v[i].count += count;
            free(name);
            return;
        }
    vec_push(t, ((struct gres_term){name, typed, count}));
}

/* "cpu:2", "license/x=1": of --cpus-per-task and --tres-per-task in later releases,
 * told elsewhere as well. */
static bool is_other_tres(const char *word)
{
    static const char *const others[] = {"cpu", "mem", "node", "billing", "license"};
    size_t n = strcspn(word, ":=/");

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i]) == n && strncmp(word, others[i], n) == 0)
            return true;
    return false;
}

/* NAME[:TYPE][:COUNT], also with '=' before the count. */
static void read_term(struct gres_terms *t, char *word)
{
    char *rest, *last;
    int64_t count = 1;

    if (is_other_tres(word))
        return;
    if (strncmp(word, "gres", 4) == 0 && (word[4] == ':' || word[4] == '/'))
        word += 5;
    rest = word + strcspn(word, ":=");
    if (*rest != '\0')
        *rest++ = '\0';
    last = rest;
    for (char *c = rest; *c; c++)
        if (*c == ':' || *c == '=')
            last = c + 1;
    if (read_count(last, &count))
        last[last > rest ? -1 : 0] = '\0';
    if (*word == '\0' || strcasecmp(word, "none") == 0 || strcmp(word, "(null)") == 0)
        return;
    add(t, xstrdup(word), false, count);
    if (*rest != '\0') {
        struct strbuf b = {0};
        strbuf_printf(&b, "%s:%s", word, rest);
        add(t, strbuf_take(&b), true, count);
    }
}

void gres_read(struct gres_terms *ret, const char *text)
{
    char *copy = xstrdup(text != NULL ? text : ""), *save = NULL;

    for (char *o = strchr(copy, '('); o != NULL; o = strchr(o, '(')) {
        size_t n = strcspn(o, ")"); /* "(S:0,1)" has a comma of its own */
        memmove(o, o + n + (o[n] == ')'), strlen(o + n + (o[n] == ')')) + 1);
    }
    for (char *word = strtok_r(copy, ",; ", &save); word != NULL;
         word = strtok_r(NULL, ",; ", &save))
        read_term(ret, word);
    free(copy);
}

void gres_fini(struct gres_terms *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].name);
    vec_fini(t);
}

int64_t gres_devices(const char *text)
{
    struct gres_terms t = {0};
    int64_t n = 0;

    gres_read(&t, text);
    for (size_t i = 0; i < t.n; i++)
        n += t.v[i].typed ? 0 : t.v[i].count;
    gres_fini(&t);
    return n;
}

size_t gres_kinds(const char *text)
{
    struct gres_terms t = {0};
    size_t names = 0, types = 0;

    gres_read(&t, text);
    for (size_t i = 0; i < t.n; i++)
        if (t.v[i].typed)
            types++;
        else
            names++;
    gres_fini(&t);
    return types > names ? types : names;
}

static int64_t share(int64_t count, int64_t times, int64_t among, int64_t tasks)
{
    int64_t all, most = COUNT_MAX / (tasks > 0 ? tasks : 1), each;

    if (__builtin_mul_overflow(count, times, &all) || all > COUNT_MAX)
        all = COUNT_MAX;
    each = among > 0 ? (all + among - 1) / among : all;
    return each < most ? each : most;
}

void gres_add(struct request_room *room, const struct gres_cfg **io, const char *text,
    struct gres_part part)
{
    struct gres_terms t = {0};
    struct gres_cfg *list;
    size_t n = 0;

    gres_read(&t, text);
    for (const struct gres_cfg *g = *io; g && g->name; g++)
        n++;
    if (t.n > 0) {
        list = request_take(room, n + t.n + 1, sizeof *list);
        if (n > 0)
            memcpy(list, *io, n * sizeof *list);
        for (size_t i = 0; i < t.n; i++)
            if (t.v[i].count > 0) /* "gpu:v100:0(IDX:)" */
                list[n++] = (struct gres_cfg){
                    .name = request_text(room, t.v[i].name, strlen(t.v[i].name)),
                    .count = share(t.v[i].count, part.times, part.among, part.tasks)};
        *io = n > 0 ? list : NULL;
    }
    gres_fini(&t);
}

void gres_note(struct adapter *a, const char *name, int64_t count)
{
    for (size_t i = 0; i < a->gres_most.n; i++)
        if (strcmp(a->gres_most.v[i].name, name) == 0) {
            if (a->gres_most.v[i].count < count)
                a->gres_most.v[i].count = count;
            return;
        }
    vec_push(&a->gres_most, ((struct gres_term){xstrdup(name), false, count}));
}

/* What some job uses up is used up, whatever others have. */
static bool note_use(struct adapter *a, const char *name, bool used_up)
{
    for (size_t i = 0; i < a->gres_uses.n; i++) {
        struct gres_term *known = &a->gres_uses.v[i];

        if (strcmp(known->name, name) != 0)
            continue;
        if (!used_up || known->count > 0)
            return false;
        known->count = 1;
        return true;
    }
    vec_push(&a->gres_uses, ((struct gres_term){xstrdup(name), false, used_up}));
    return !used_up;
}

bool gres_learn(struct adapter *a, const char *total)
{
    struct gres_terms t = {0};
    bool learned = false;

    gres_read(&t, total);
    for (size_t i = 0; i < t.n; i++)
        learned |= note_use(a, t.v[i].name, t.v[i].count > 0);
    gres_fini(&t);
    return learned;
}

static bool is_spared(const struct adapter *a, const char *name)
{
    for (size_t i = 0; i < a->gres_uses.n; i++)
        if (a->gres_uses.v[i].count == 0 && strcmp(a->gres_uses.v[i].name, name) == 0)
            return true;
    return false;
}

int64_t gres_for_jobs(const struct adapter *a, const char *name, int64_t count)
{
    return count > 0 && is_spared(a, name) ? COUNT_MAX : count;
}

bool gres_is_spared(const struct adapter *a, const char *text)
{
    struct gres_terms asked = {0};
    bool spared = false;

    if (a->gres_uses.n > 0)
        gres_read(&asked, text);
    for (size_t i = 0; i < asked.n; i++)
        spared |= is_spared(a, asked.v[i].name);
    gres_fini(&asked);
    return spared;
}

void gres_forget(struct adapter *a)
{
    gres_fini(&a->gres_most);
    gres_fini(&a->gres_uses);
    a->gres_most = a->gres_uses = (struct gres_terms){0};
}

int64_t gres_most(const struct adapter *a, const char *text)
{
    struct gres_terms asked = {0};
    int64_t most = 0;

    gres_read(&asked, text);
    for (size_t i = 0; i < a->gres_most.n && asked.n > 0; i++)
        if (strcmp(a->gres_most.v[i].name, asked.v[asked.n - 1].name) == 0)
            most = a->gres_most.v[i].count;
    gres_fini(&asked);
    return most;
}
