/* SPDX-License-Identifier: Apache-2.0
 * Where a job of PBS runs: exec_vnode, exec_host. */
#include "base/xalloc.h"
#include "records/describe.h"
#include "rm/pbs/shape.h"

#include <stdio.h>

#define SLOTS_MOST 1000000

struct places VEC(struct job_place);

static void add_place(struct places *p, struct arena *arena, const char *name,
    size_t len, uint32_t tasks, uint32_t req)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].req == req && strlen(p->v[i].node) == len
            && memcmp(p->v[i].node, name, len) == 0) {
            p->v[i].tasks += tasks;
            return;
        }
    vec_push(p, ((struct job_place){arena_text(arena, name, len), tasks, req}));
}

static void take_places(struct pbs_places *ret, struct places *p, struct arena *arena)
{
    struct job_place *v = arena_take(arena, p->n, sizeof *v);

    if (p->n > 0)
        memcpy(v, p->v, p->n * sizeof *v);
    ret->v = v;
    ret->n = p->n;
    vec_fini(p);
}

/* ---- OpenPBS ---- */

/* A group, "(a:ncpus=2+b:ncpus=1)" or "a:ncpus=2": its length; 0 at an odd one. */
static size_t group_length(const char *text)
{
    size_t n = *text == '(' ? strcspn(text, ")") : strcspn(text, "+");

    if (*text == '(')
        n += text[n] == ')';
    return text[n] == '\0' || text[n] == '+' ? n : 0;
}

/* Of which chunk the k-th group is. */
static uint32_t chunk_of(const struct pbs_shape *s, int64_t k)
{
    if (s->arrangement == PBS_PACK)
        return 0;
    for (size_t i = 0; i < s->chunks.n; i++) {
        if (k < s->chunks.v[i].count)
            return (uint32_t)i;
        k -= s->chunks.v[i].count;
    }
    return UINT32_MAX;
}

static int64_t chunks_of(const struct pbs_shape *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->chunks.n; i++)
        n += s->chunks.v[i].count;
    return n;
}

/* What one vnode gives: of "cn01[0]:ncpus=2:mem=2097152kb". */
static void read_amounts(const char *text, size_t len, struct res *io)
{
    char part[200];

    for (size_t at = 0; at < len; at++) {
        size_t n = strcspn(text + at, ":+)");

        if (at + n > len)
            n = len - at;
        snprintf(part, sizeof part, "%.*s", (int)n, text + at);
        if (strncmp(part, "ncpus=", 6) == 0 && pbs_size_mb(part + 6) >= 0)
            io->v[RES_PROCS] += strtol(part + 6, NULL, 10);
        else if (strncmp(part, "mem=", 4) == 0 && pbs_size_mb(part + 4) > 0)
            io->v[RES_MEM] += pbs_size_mb(part + 4);
        at += n;
    }
}

/* The request of such tasks: one that is there, a new one, or, where there are as many
 * as can be told, the last, which then has enough for both. */
static uint32_t request_for(
    struct req_desc *reqs, uint32_t *n, const struct res *amounts)
{
    uint32_t k = 0;

    while (k < *n && memcmp(&reqs[k].per_task, amounts, sizeof *amounts) != 0)
        k++;
    if (k == *n && *n < DESCRIBE_REQS_MAX)
        reqs[(*n)++] = (struct req_desc){
            .per_task = *amounts, .access = ACCESS_UNSET, .nodealloc = NODEALLOC_UNSET};
    if (k == DESCRIBE_REQS_MAX)
        k--;
    for (int i = 0; i < RES_DIMS; i++)
        if (reqs[k].per_task.v[i] < amounts->v[i])
            reqs[k].per_task.v[i] = amounts->v[i];
    reqs[k].tasks++;
    return k;
}

/* One task a place, of what it has there; places that have the same share a request. */
static void reshape_places(struct pbs_places *ret, struct places *p,
    const struct res *amounts, struct arena *arena)
{
    struct req_desc *reqs = arena_take(arena, DESCRIBE_REQS_MAX, sizeof *reqs);

    for (size_t i = 0; i < p->n; i++) {
        p->v[i].tasks = 1;
        p->v[i].req = request_for(reqs, &ret->nreqs, &amounts[i]);
    }
    ret->reqs = reqs;
}

/* Every vnode once, with all that it gives. */
static bool read_vnodes(
    struct arena *arena, const char *text, struct places *p, struct res **ret_amounts)
{
    struct VEC(struct res) amounts = {0};

    for (const char *at = text; *at;) {
        at += *at == '(';
        size_t name = strcspn(at, ":+)"), all = strcspn(at, "+)");
        size_t before = p->n;

        if (name == 0)
            break;
        add_place(p, arena, at, name, 1, 0);
        if (p->n > before)
            vec_push(&amounts, (struct res){0});
        for (size_t i = 0; i < p->n; i++)
            if (strlen(p->v[i].node) == name && memcmp(p->v[i].node, at, name) == 0)
                read_amounts(at + name, all - name, &amounts.v[i]);
        at += all;
        at += *at == ')';
        at += *at == '+';
    }
    *ret_amounts = arena_take(arena, amounts.n, sizeof **ret_amounts);
    if (amounts.n > 0)
        memcpy(*ret_amounts, amounts.v, amounts.n * sizeof **ret_amounts);
    vec_fini(&amounts);
    return p->n > 0;
}

bool pbs_exec_vnode(const struct pbs_shape *s, struct arena *arena, const char *text,
    struct pbs_places *ret)
{
    struct places p = {0};
    struct res *amounts;
    int64_t k = 0;
    bool as_asked = true;

    *ret = (struct pbs_places){0};
    for (const char *at = text; *at && as_asked; k++) {
        size_t n = group_length(at), open = *at == '(';
        size_t name = n > 0 ? strcspn(at + open, ":+)") : 0;
        uint32_t req = chunk_of(s, k);

        as_asked = name > 0 && memchr(at, '+', n) == NULL && req != UINT32_MAX;
        if (as_asked)
            add_place(&p, arena, at + open, name, 1, req);
        at += n;
        at += *at == '+';
    }
    if (s->arrangement == PBS_PACK) {
        as_asked &= p.n == 1;
        if (p.n == 1)
            p.v[0].tasks = 1;
    }
    as_asked &= s->arrangement == PBS_PACK || s->chunks.n <= DESCRIBE_REQS_MAX;
    if (as_asked && k == chunks_of(s) && k > 0) {
        take_places(ret, &p, arena);
        return true;
    }
    p.n = 0;
    if (!read_vnodes(arena, text, &p, &amounts)) {
        vec_fini(&p);
        return false;
    }
    reshape_places(ret, &p, amounts, arena);
    take_places(ret, &p, arena);
    return true;
}

/* ---- TORQUE ---- */

/* "0,3-7": how many; -1: not such a list. */
static int64_t count_slots(const char *text, size_t len)
{
    const char *end = text + len;
    int64_t n = 0;

    while (text < end) {
        char *stop;
        long first = strtol(text, &stop, 10), last = first;

        if (stop == text || first < 0)
            return -1;
        if (*stop == '-' && stop < end) {
            text = stop + 1;
            last = strtol(text, &stop, 10);
            if (stop == text || last < first)
                return -1;
        }
        if (last - first >= SLOTS_MOST || (n += last - first + 1) > SLOTS_MOST)
            return -1;
        if (stop < end && *stop != ',')
            return -1;
        text = stop + 1;
    }
    return n;
}

bool pbs_exec_host(
    struct arena *arena, const char *text, int64_t mem_mb, struct pbs_places *ret)
{
    struct places p = {0};
    struct req_desc *q;
    int64_t all = 0;

    *ret = (struct pbs_places){0};
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "+"), name = strcspn(at, "/+");
        int64_t slots = name < n ? count_slots(at + name + 1, n - name - 1) : 1;

        if (name == 0 || slots < 1 || (all += slots) > SLOTS_MOST) {
            vec_fini(&p);
            return false;
        }
        add_place(&p, arena, at, name, (uint32_t)slots, 0);
        at += n;
        at += *at == '+';
    }
    if (p.n == 0)
        return false;
    q = arena_take(arena, 1, sizeof *q);
    *q = (struct req_desc){
        .tasks = (uint32_t)all, .access = ACCESS_UNSET, .nodealloc = NODEALLOC_UNSET};
    q->per_task.v[RES_PROCS] = 1;
    q->per_task.v[RES_MEM] = mem_mb > 0 ? (mem_mb + all - 1) / all : 0;
    ret->reqs = q;
    ret->nreqs = 1;
    take_places(ret, &p, arena);
    return true;
}
