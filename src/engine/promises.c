/* SPDX-License-Identifier: Apache-2.0
 * The table of promises. */
#include "engine/promises.h"

#include "base/bitset.h"
#include "cluster/partition.h"

#include <assert.h>

/* Rows of one rank. */
struct rows {
    struct VEC(struct promise) v; /* in no order */
    struct VEC(uint32_t) of_job;  /* 1 + place in `v`, 0 = none; by job */
};

struct promises {
    struct plan *plan;
    struct rows rows[PROMISE_ROWS];
    struct bitset late; /* jobs */
    struct VEC(struct promise) lapsed;
    uint64_t made; /* so far */
    bool highest;
};

static const struct {
    const char *name, *text;
} causes[PROMISE_CAUSES] = {[CAUSE_NONE] = {"none", "nothing"},
    [CAUSE_NODES] = {"nodes", "nodes were lost or changed"},
    [CAUSE_SETTINGS] = {"settings", "the parameters of the site were changed"},
    [CAUSE_RESERVATION] = {"reservation", "a reservation was made or changed"},
    [CAUSE_OVERRUN] = {"overrun", "a job runs past its limit"},
    [CAUSE_ORDER] = {"order", "another job was started by order"},
    [CAUSE_START] = {"start", "its start failed"},
    [CAUSE_OTHER] = {"other", "what there is has changed"}};

struct promises *promises_create(struct plan *plan)
{
    struct promises *t = xcalloc(1, sizeof *t);

    t->plan = plan;
    return t;
}

void promises_destroy(struct promises *t)
{
    if (!t)
        return;
    for (int rank = 0; rank < PROMISE_ROWS; rank++) {
        vec_fini(&t->rows[rank].v);
        vec_fini(&t->rows[rank].of_job);
    }
    bitset_fini(&t->late);
    vec_fini(&t->lapsed);
    free(t);
}

void promises_set_policy(struct promises *t, bool highest)
{
    t->highest = highest;
}

/* ---- rows ---- */

static struct promise *find_row(
    const struct promises *t, uint32_t job, enum promise_rank rank)
{
    const struct rows *r = &t->rows[rank];

    assert(rank < PROMISE_ROWS);
    if (job >= r->of_job.n || !r->of_job.v[job])
        return NULL;
    return &r->v.v[r->of_job.v[job] - 1];
}

struct promise *promises_row(
    const struct promises *t, const struct job *j, enum promise_rank rank)
{
    return find_row(t, j->index, rank);
}

static struct promise *make_row(
    struct promises *t, uint32_t job, enum promise_rank rank)
{
    struct promise *row = find_row(t, job, rank);
    struct rows *r = &t->rows[rank];

    if (row)
        return row;
    while (r->of_job.n <= job)
        vec_push(&r->of_job, 0);
    vec_push(&r->v, ((struct promise){.job = job,
                        .rank = rank,
                        .not_before = TIME_NEVER,
                        .end_by = TIME_NEVER,
                        .latest_start = TIME_NEVER,
                        .partition = INDEX_NONE,
                        .made = ++t->made}));
    r->of_job.v[job] = (uint32_t)r->v.n;
    return &r->v.v[r->v.n - 1];
}

struct promise *promises_make(
    struct promises *t, const struct job *j, enum promise_rank rank)
{
    return make_row(t, j->index, rank);
}

void promises_break(struct promises *t, const struct job *j, enum promise_rank rank)
{
    struct promise *row = promises_row(t, j, rank);
    struct rows *r = &t->rows[rank];

    if (!row)
        return;
    const struct promise *last = &r->v.v[r->v.n - 1];
    r->of_job.v[last->job] = r->of_job.v[j->index];
    r->of_job.v[j->index] = 0;
    *row = *last;
    r->v.n--;
}

void promises_begin(struct promises *t, enum promise_rank rank)
{
    for (size_t i = 0; i < t->rows[rank].v.n; i++)
        t->rows[rank].v.v[i].stands = t->rows[rank].v.v[i].anew = false;
}

size_t promises_count(const struct promises *t, enum promise_rank rank)
{
    return t->rows[rank].v.n;
}

const struct promise *promises_rows(
    const struct promises *t, enum promise_rank rank, size_t *ret_n)
{
    *ret_n = t->rows[rank].v.n;
    return t->rows[rank].v.v;
}

/* ---- of all ranks ---- */

/* Of what the job has or is owed in the plan. */
static bool is_of_plan(const struct promises *t, enum promise_rank rank)
{
    return rank == (t->highest ? PROMISE_HIGHEST : PROMISE_PRIORITY);
}

bool promises_of(const struct promises *t, const struct job *j, enum promise_rank rank,
    struct promise *ret)
{
    const struct promise *row = rank < PROMISE_ROWS ? promises_row(t, j, rank) : NULL;

    if (row)
        *ret = *row;
    if (rank < PROMISE_ROWS)
        return row;
    const struct planned *planned = plan_reservation_of(t->plan, j);
    if (!planned || !is_of_plan(t, rank))
        return false;
    *ret = (struct promise){.job = j->index,
        .rank = rank,
        .not_before = TIME_NEVER,
        .end_by = TIME_NEVER,
        .latest_start = planned->start_at,
        .stands = plan_is_reserved(t->plan, j)};
    return true;
}

bool promises_has(const struct promises *t, const struct job *j, enum promise_rank rank)
{
    struct promise ignored;

    return promises_of(t, j, rank, &ignored);
}

bool promises_has_row(const struct promises *t, uint32_t job, enum promise_rank rank)
{
    return find_row(t, job, rank);
}

bool promises_has_start(const struct promises *t, const struct job *j)
{
    const struct promise *row = promises_row(t, j, PROMISE_START);

    return row && row->latest_start < TIME_NEVER;
}

bool promises_has_any(const struct promises *t, const struct job *j)
{
    for (int rank = 0; rank < PROMISE_ROWS; rank++)
        if (promises_row(t, j, (enum promise_rank)rank))
            return true;
    return plan_reserved_at(t->plan, j) != 0;
}

void promises_lapse(struct promises *t, const struct job *j)
{
    const struct promise *row = promises_row(t, j, PROMISE_START);

    if (!promises_has_start(t, j))
        return;
    vec_push(&t->lapsed, *row);
    promises_break(t, j, PROMISE_START);
}

bool promises_had_start(const struct promises *t, const struct job *j)
{
    bool had = promises_has(t, j, PROMISE_START);

    for (size_t i = 0; i < t->lapsed.n && !had; i++)
        had = t->lapsed.v[i].job == j->index;
    return had;
}

bool promises_take_lapsed(struct promises *t, const struct job *j, struct promise *ret)
{
    bool found = false;

    for (size_t i = t->lapsed.n; i-- > 0;)
        if (t->lapsed.v[i].job == j->index) {
            found = true;
            *ret = t->lapsed.v[i];
            vec_remove(&t->lapsed, i);
        }
    return found;
}

const struct promise *promises_lapsed(const struct promises *t, size_t *ret_n)
{
    *ret_n = t->lapsed.n;
    return t->lapsed.v;
}

void promises_forget_lapsed(struct promises *t)
{
    t->lapsed.n = 0;
}

void promises_keep_broken(
    struct promises *t, const struct promise *lapsed, enum promise_cause by)
{
    struct promise *row = make_row(t, lapsed->job, PROMISE_START);

    row->was = lapsed->was ? lapsed->was : lapsed->latest_start;
    row->told = lapsed->told ? lapsed->told : lapsed->latest_start;
    row->cause = by;
}

void promises_void(struct promises *t, const struct job *j)
{
    plan_unreserve(t->plan, j);
    plan_owe(t->plan, j, 0);
    promises_lapse(t, j);
    promises_break(t, j, PROMISE_RETRY);
    promises_break(t, j, PROMISE_DEADLINE);
}

void promises_forget(struct promises *t, const struct job *j)
{
    struct promise ignored;

    promises_void(t, j);
    promises_break(t, j, PROMISE_START);
    promises_take_lapsed(t, j, &ignored);
    bitset_clear(&t->late, j->index);
}

void promises_note_late(struct promises *t, const struct job *j, bool late)
{
    if (late)
        bitset_set(&t->late, j->index);
    else
        bitset_clear(&t->late, j->index);
}

bool promises_is_late(const struct promises *t, const struct job *j)
{
    return bitset_test(&t->late, j->index);
}

const char *promise_cause_name(enum promise_cause c)
{
    return causes[c].name;
}

const char *promise_cause_text(enum promise_cause c)
{
    return causes[c].text;
}

/* ---- over a restart ---- */

void promises_write_start(
    const struct cluster *c, const struct promise *start, struct job_memory *io_m)
{
    io_m->start_by = start->latest_start;
    io_m->start_planned = start->not_before;
    io_m->start_was = start->was;
    io_m->start_told = start->told;
    io_m->start_cause = (uint8_t)start->cause;
    if (start->partition != INDEX_NONE)
        io_m->start_partition = c->partitions.v[start->partition]->name;
}

void promises_write(const struct promises *t, const struct cluster *c,
    const struct job *j, struct job_memory *io_m)
{
    const struct promise *deadline = promises_row(t, j, PROMISE_DEADLINE);
    const struct promise *retry = promises_row(t, j, PROMISE_RETRY);
    const struct promise *start = promises_row(t, j, PROMISE_START);

    io_m->rsv_start_at = plan_reserved_at(t->plan, j);
    io_m->promised = deadline ? deadline->made : 0;
    io_m->promised_at = deadline ? deadline->latest_start : 0;
    io_m->retry_at = retry ? retry->not_before : 0;
    io_m->retry_until = retry ? retry->latest_start : 0;
    if (start)
        promises_write_start(c, start, io_m);
}

/* A partition that there is no more is any. */
void promises_read_start(
    const struct cluster *c, const struct job_memory *m, struct promise *io_start)
{
    io_start->not_before = m->start_planned;
    io_start->latest_start = m->start_by;
    io_start->was = m->start_was;
    io_start->told = m->start_told;
    io_start->cause = m->start_cause < PROMISE_CAUSES ? m->start_cause : CAUSE_OTHER;
    if (m->start_partition)
        io_start->partition = partition_find(c, m->start_partition);
}

void promises_recall(struct promises *t, const struct cluster *c, const struct job *j,
    const struct job_memory *m)
{
    int64_t deadline_at = j->extra ? j->extra->deadline_at : 0;

    if ((t->highest && j->state == JOB_IDLE) || j->state == JOB_SUSPENDED)
        plan_owe(t->plan, j, m->rsv_start_at);
    if (m->promised && deadline_at) {
        struct promise *row = promises_make(t, j, PROMISE_DEADLINE);
        row->end_by = deadline_at;
        row->latest_start = m->promised_at;
        row->made = m->promised;
        t->made = m->promised > t->made ? m->promised : t->made;
    }
    if (m->retry_until) {
        struct promise *row = promises_make(t, j, PROMISE_RETRY);
        row->not_before = m->retry_at;
        row->latest_start = m->retry_until;
    }
    if (m->start_by && !m->start_counted)
        promises_read_start(c, m, promises_make(t, j, PROMISE_START));
}

/* ---- invariants ---- */

void promises_check(const struct promises *t, const struct cluster *c)
{
    for (int rank = 0; rank < PROMISE_ROWS; rank++) {
        const struct rows *r = &t->rows[rank];
        size_t found = 0;
        for (size_t i = 0; i < r->v.n; i++) {
            const struct job *j = c->jobs.v[r->v.v[i].job];
            assert(j && promises_row(t, j, (enum promise_rank)rank) == &r->v.v[i]);
            assert(r->v.v[i].rank == (enum promise_rank)rank && r->v.v[i].made);
        }
        for (size_t i = 0; i < r->of_job.n; i++)
            found += r->of_job.v[i] != 0;
        assert(found == r->v.n);
    }
}
