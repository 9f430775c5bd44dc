/* SPDX-License-Identifier: Apache-2.0
 * Rows by the order of making, and an entry a job. */
#include "plan/reservations/table.h"

#include "base/xalloc.h"
#include "cluster/cluster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct rsvtable {
    struct VEC(struct rsv) rows;
    uint32_t n; /* rows in use; the rest keep their memory */
    struct VEC(struct planned) of_job;
    bool any_owed; /* a job may be */
};

static const struct planned nothing = {.row = INDEX_NONE, .partition = INDEX_NONE};

struct rsvtable *rsvtable_create(void)
{
    return xcalloc(1, sizeof(struct rsvtable));
}

void rsvtable_destroy(struct rsvtable *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->rows.n; i++) {
        vec_fini(&t->rows.v[i].parts);
        vec_fini(&t->rows.v[i].handed);
        vec_fini(&t->rows.v[i].alloc);
    }
    vec_fini(&t->rows);
    vec_fini(&t->of_job);
    free(t);
}

struct rsvtable *rsvtable_take(struct rsvtable *t)
{
    struct rsvtable *taken = rsvtable_create();

    *taken = *t;
    *t = (struct rsvtable){0};
    return taken;
}

void rsvtable_swap(struct rsvtable *a, struct rsvtable *b)
{
    struct rsvtable was = *a;

    *a = *b;
    *b = was;
}

struct rsvtable *rsvtable_copy(const struct rsvtable *t, bool holding)
{
    struct rsvtable *copy = rsvtable_create();

    vec_reserve(&copy->rows, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct rsv *from = &t->rows.v[i];
        struct rsv r = *from;
        r.parts.v = r.handed.v = NULL;
        r.alloc.v = NULL;
        r.handed.n = r.handed.cap = 0;
        r.parts.n = r.parts.cap = r.alloc.n = r.alloc.cap = 0;
        for (size_t k = 0; holding && k < from->parts.n; k++)
            vec_push(&r.parts, from->parts.v[k]);
        for (size_t k = 0; holding && k < from->alloc.n; k++)
            vec_push(&r.alloc, from->alloc.v[k]);
        vec_push(&copy->rows, r);
    }
    copy->n = t->n;
    copy->any_owed = t->any_owed;
    vec_reserve(&copy->of_job, t->of_job.n);
    if (t->of_job.n)
        memcpy(copy->of_job.v, t->of_job.v, t->of_job.n * sizeof *t->of_job.v);
    copy->of_job.n = t->of_job.n;
    return copy;
}

uint32_t rsvtable_count(const struct rsvtable *t)
{
    return t->n;
}

struct rsv *rsvtable_row(const struct rsvtable *t, uint32_t i)
{
    return t->rows.v[i].job == INDEX_NONE ? NULL : &t->rows.v[i];
}

const struct planned *rsvtable_planned(const struct rsvtable *t, uint32_t job)
{
    const struct planned *p = job < t->of_job.n ? &t->of_job.v[job] : NULL;

    return p && (p->start_at || p->row != INDEX_NONE) ? p : NULL;
}

struct rsv *rsvtable_of(const struct rsvtable *t, uint32_t job)
{
    if (job >= t->of_job.n || t->of_job.v[job].row == INDEX_NONE)
        return NULL;
    return &t->rows.v[t->of_job.v[job].row];
}

static struct planned *entry_of(struct rsvtable *t, uint32_t job)
{
    while (t->of_job.n <= job)
        vec_push(&t->of_job, nothing);
    return &t->of_job.v[job];
}

struct rsv *rsvtable_add(struct rsvtable *t, uint32_t job, const struct slot *slot)
{
    struct planned *x = entry_of(t, job);

    assert(x->row == INDEX_NONE);
    if (t->n == t->rows.n)
        vec_push(&t->rows, (struct rsv){.job = INDEX_NONE});
    *x = (struct planned){slot->at, slot->partition, t->n};
    struct rsv *r = &t->rows.v[t->n++];
    r->job = job;
    r->start_at = slot->at;
    return r;
}

/* The row is a gap from now on. */
static void clear_row(struct rsvtable *t, struct rsv *r, enum rsv_after after)
{
    if (r->job == INDEX_NONE)
        return;
    if (after == RSV_OWED) {
        t->of_job.v[r->job].row = INDEX_NONE;
        t->any_owed = true;
    } else {
        t->of_job.v[r->job] = nothing;
    }
    r->job = INDEX_NONE;
    r->parts.n = r->handed.n = r->alloc.n = 0;
}

void rsvtable_remove(struct rsvtable *t, uint32_t job, enum rsv_after after)
{
    clear_row(t, rsvtable_of(t, job), after);
}

void rsvtable_truncate(struct rsvtable *t, uint32_t first, enum rsv_after after)
{
    for (uint32_t i = first; i < t->n; i++)
        clear_row(t, &t->rows.v[i], after);
    t->n = first;
}

/* Row `from` goes to `to`, and the memory of that one to `from`. */
static void move_row(struct rsvtable *t, uint32_t from, uint32_t to)
{
    struct rsv gap = t->rows.v[to];

    t->rows.v[to] = t->rows.v[from];
    t->rows.v[from] = gap;
    t->of_job.v[t->rows.v[to].job].row = to;
}

void rsvtable_move_last(struct rsvtable *t, uint32_t row)
{
    assert(t->rows.v[row].job == INDEX_NONE);
    move_row(t, --t->n, row);
}

void rsvtable_close_gaps(struct rsvtable *t)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->n; i++) {
        if (t->rows.v[i].job == INDEX_NONE)
            continue;
        if (i != kept)
            move_row(t, i, kept);
        kept++;
    }
    t->n = kept;
}

void rsvtable_owe(struct rsvtable *t, uint32_t job, int64_t at)
{
    if (!at && job >= t->of_job.n)
        return;
    struct planned *x = entry_of(t, job);
    assert(x->row == INDEX_NONE);
    *x = nothing;
    x->start_at = at;
    t->any_owed |= at != 0;
}

void rsvtable_forgive(struct rsvtable *t)
{
    for (uint32_t i = 0; t->any_owed && i < t->of_job.n; i++)
        if (t->of_job.v[i].row == INDEX_NONE)
            t->of_job.v[i] = nothing;
    t->any_owed = false;
}

void rsvtable_check(const struct rsvtable *t, const struct cluster *c)
{
    for (uint32_t i = 0; i < t->n; i++)
        assert(
            t->rows.v[i].job == INDEX_NONE || t->of_job.v[t->rows.v[i].job].row == i);
    for (uint32_t i = 0; i < t->of_job.n; i++) {
        const struct planned *x = &t->of_job.v[i];
        assert(!x->start_at || (i < c->jobs.n && c->jobs.v[i]));
        assert(x->row == INDEX_NONE
               || (x->row < t->n && t->rows.v[x->row].job == i && x->start_at
                   && t->rows.v[x->row].start_at == x->start_at));
    }
}
