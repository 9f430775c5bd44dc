/* SPDX-License-Identifier: Apache-2.0
 * The list of waiting jobs, in order of submission. Jobs that leave make holes, so
 * that leaving moves nobody; a job that comes back takes a hole near its place. Far
 * from any, it waits at the end for the next compaction. */
#include "cluster/jobs/private.h"

struct job_queue {
    size_t holes;  /* INDEX_NONE entries in cluster.queued */
    size_t sorted; /* so many entries of it are in order; then come late arrivals in
                      order of arrival */
};

void waiting_create(struct cluster *c)
{
    c->job_queue = xcalloc(1, sizeof *c->job_queue);
}

void waiting_destroy(struct cluster *c)
{
    vec_fini(&c->queued);
    free(c->job_queue);
}

/* Jobs that one insertion may move. */
#define SHIFT_MAX 4096

int job_compare(const struct job *a, const struct job *b)
{
    if (a->submit_at != b->submit_at)
        return a->submit_at < b->submit_at ? -1 : 1;
    return name_compare(a->id, b->id);
}

static void set(struct cluster *c, size_t place, uint32_t job)
{
    c->queued.v[place] = job;
    c->jobs.v[job]->idle_slot = (uint32_t)place;
}

static void append(struct cluster *c, struct job *j)
{
    vec_push(&c->queued, j->index);
    j->idle_slot = (uint32_t)c->queued.n - 1;
}

/* Drop the holes at the end. */
static void trim(struct cluster *c)
{
    struct job_queue *p = c->job_queue;

    while (c->queued.n && c->queued.v[c->queued.n - 1] == INDEX_NONE) {
        c->queued.n--;
        p->holes--;
    }
    if (p->sorted > c->queued.n)
        p->sorted = c->queued.n;
}

/* The first place such that every job before it goes before `j`. */
static size_t find_place(const struct cluster *c, const struct job *j)
{
    size_t low = 0, high = c->queued.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2, i = middle;
        while (i < high && c->queued.v[i] == INDEX_NONE)
            i++;
        if (i < high && job_compare(c->jobs.v[c->queued.v[i]], j) < 0)
            low = i + 1;
        else
            high = middle;
    }
    return low;
}

/* Put `j` at `place`, moving those from there on up to the next hole or the end.
 * False when that is too far away. */
static bool squeeze_in(struct cluster *c, struct job *j, size_t place)
{
    size_t end = place, n = c->queued.n;

    while (end < n && c->queued.v[end] != INDEX_NONE && end - place <= SHIFT_MAX)
        end++;
    if (end - place > SHIFT_MAX)
        return false;
    if (end < n)
        c->job_queue->holes--;
    else
        vec_push(&c->queued, INDEX_NONE);
    for (size_t i = end; i > place; i--)
        set(c, i, c->queued.v[i - 1]);
    set(c, place, j->index);
    return true;
}

void waiting_insert(struct cluster *c, struct job *j)
{
    struct job_queue *p = c->job_queue;

    trim(c);
    if (p->holes > 64 && 2 * p->holes > c->queued.n)
        cluster_compact_queue(c);
    if (p->sorted < c->queued.n) {
        append(c, j);
        return;
    }
    size_t n = c->queued.n;
    if (!n || job_compare(c->jobs.v[c->queued.v[n - 1]], j) < 0) {
        append(c, j);
        p->sorted = c->queued.n;
    } else if (squeeze_in(c, j, find_place(c, j))) {
        p->sorted = c->queued.n;
    } else {
        append(c, j);
    }
}

void waiting_remove(struct cluster *c, struct job *j)
{
    assert(c->queued.v[j->idle_slot] == j->index);
    c->queued.v[j->idle_slot] = INDEX_NONE;
    j->idle_slot = INDEX_NONE;
    c->job_queue->holes++;
}

/* ---- compaction -------------------------------------------------------------- */

static void close_holes(struct cluster *c)
{
    size_t kept = 0, sorted = 0;

    for (size_t i = 0; i < c->queued.n; i++) {
        uint32_t job = c->queued.v[i];
        if (job == INDEX_NONE)
            continue;
        if (i != kept)
            set(c, kept, job);
        kept++;
        if (i < c->job_queue->sorted)
            sorted = kept;
    }
    c->queued.n = kept;
    c->job_queue->sorted = sorted;
    c->job_queue->holes = 0;
}

static int compare_jobs(const void *a, const void *b)
{
    return job_compare(*(struct job *const *)a, *(struct job *const *)b);
}

/* Sort the late arrivals and merge them, from the end, into those in order. */
static void merge_late(struct cluster *c)
{
    size_t early = c->job_queue->sorted, late = c->queued.n - early;
    struct job **add = xmalloc(late * sizeof *add);

    for (size_t i = 0; i < late; i++)
        add[i] = c->jobs.v[c->queued.v[early + i]];
    qsort(add, late, sizeof *add, compare_jobs);
    for (size_t place = c->queued.n; late > 0;) {
        struct job *last = early ? c->jobs.v[c->queued.v[early - 1]] : NULL;
        place--;
        if (last && job_compare(last, add[late - 1]) > 0)
            set(c, place, c->queued.v[--early]);
        else
            set(c, place, add[--late]->index);
    }
    c->job_queue->sorted = c->queued.n;
    free(add);
}

void cluster_compact_queue(struct cluster *c)
{
    if (c->job_queue->holes)
        close_holes(c);
    if (c->job_queue->sorted < c->queued.n)
        merge_late(c);
}

void cluster_tidy_queue(struct cluster *c)
{
    if (c->job_queue->sorted < c->queued.n || 8 * c->job_queue->holes > c->queued.n)
        cluster_compact_queue(c);
}

void waiting_check(const struct cluster *c)
{
    const struct job *before = NULL;
    size_t holes = 0;

    for (size_t i = 0; i < c->queued.n; i++) {
        if (c->queued.v[i] == INDEX_NONE) {
            holes++;
            continue;
        }
        const struct job *j = c->jobs.v[c->queued.v[i]];
        assert(j && j->idle_slot == i);
        assert(i >= c->job_queue->sorted || !before || job_compare(before, j) < 0);
        before = j;
    }
    assert(holes == c->job_queue->holes);
    assert(c->job_queue->sorted <= c->queued.n);
}
