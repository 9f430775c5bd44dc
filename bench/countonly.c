/* SPDX-License-Identifier: Apache-2.0
 * The yardstick: EASY and conservative backfill on a bare count of processors, without
 * nodes, users, priorities or limits. What the scheduler needs beyond that is what
 * its rules cost; both are timed in one run on one machine (bench/measure.py).
 *
 *     countonly easy|conservative TRACE.swf[.gz] PROCS [STARTS]
 *
 * Prints jobs, passes and processor seconds of reading and of the replay; STARTS gets
 * "job start" lines in the order of the trace. Filter and passes are those of the
 * golden schedules: jobs without run time or too wide are left out, runs are cut at
 * the estimate, one pass after all ends and arrivals of an instant. */
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

struct job {
    int64_t id, submit, run, estimate, start;
    int32_t procs;
};

struct running {
    int64_t end; /* actual in the heap, estimated in the list */
    uint32_t job;
};

/* Processors free from at[i] to at[i + 1]; all of them from at[n - 1] on. */
struct profile {
    int64_t *at;
    int32_t *free;
    size_t n;
};

struct sim {
    struct job *jobs;
    size_t njobs;
    uint32_t *queue; /* jobs[] indices that wait, in order */
    size_t nqueue;
    struct running *heap;  /* by actual end */
    struct running *until; /* by estimated end */
    size_t nrunning;
    struct profile plan;
    int32_t procs, free;
    int64_t now;
    uint64_t passes;
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reading */

static bool read_job(const char *line, int32_t procs, struct job *ret)
{
    double field[18] = {0};
    char *end;

    for (int i = 0; i < 18; i++) {
        field[i] = strtod(line, &end);
        if (end == line)
            break;
        line = end;
    }
    *ret = (struct job){.id = (int64_t)field[0],
        .submit = (int64_t)field[1],
        .run = (int64_t)field[3],
        .procs = (int32_t)(field[7] > 0 ? field[7] : field[4]),
        .estimate = (int64_t)(field[8] > 0 ? field[8] : field[3])};
    if (ret->run > ret->estimate)
        ret->run = ret->estimate;
    return ret->submit >= 0 && ret->run > 0 && ret->procs > 0 && ret->procs <= procs;
}

static int by_submit(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start; /* place in the file */
}

static void read_trace(struct sim *s, const char *path)
{
    gzFile in = gzopen(path, "rb");
    char line[4096];
    size_t room = 0;

    if (!in)
        exit((fprintf(stderr, "countonly: cannot read %s\n", path), 1));
    while (gzgets(in, line, sizeof line)) {
        const char *text = line + strspn(line, " \t\r\n");
        if (*text == ';' || !*text)
            continue;
        if (s->njobs == room) {
            room = room ? 2 * room : 1024;
            s->jobs = xrealloc(s->jobs, room, sizeof *s->jobs);
        }
        if (read_job(text, s->procs, &s->jobs[s->njobs])) {
            s->jobs[s->njobs].start = (int64_t)s->njobs;
            s->njobs++;
        }
    }
    gzclose(in);
    if (s->njobs)
        qsort(s->jobs, s->njobs, sizeof *s->jobs, by_submit);
}

/* What runs */

static void heap_push(struct sim *s, struct running r)
{
    size_t i = s->nrunning;

    for (; i && s->heap[(i - 1) / 2].end > r.end; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = r;
}

static void heap_pop(struct sim *s)
{
    size_t n = s->nrunning - 1, i = 0;
    struct running last = s->heap[n];

    for (size_t k = 1; k < n; k = 2 * i + 1) {
        k += k + 1 < n && s->heap[k + 1].end < s->heap[k].end;
        if (s->heap[k].end >= last.end)
            break;
        s->heap[i] = s->heap[k];
        i = k;
    }
    s->heap[i] = last;
}

static void start_job(struct sim *s, uint32_t job)
{
    struct job *j = &s->jobs[job];
    size_t i = s->nrunning;

    j->start = s->now;
    s->free -= j->procs;
    heap_push(s, (struct running){s->now + j->run, job});
    for (; i && s->until[i - 1].end > s->now + j->estimate; i--)
        s->until[i] = s->until[i - 1];
    s->until[i] = (struct running){s->now + j->estimate, job};
    s->nrunning++;
}

static void end_job(struct sim *s)
{
    uint32_t job = s->heap[0].job;
    size_t i = 0;

    heap_pop(s);
    while (s->until[i].job != job)
        i++;
    s->nrunning--;
    memmove(s->until + i, s->until + i + 1, (s->nrunning - i) * sizeof *s->until);
    s->free += s->jobs[job].procs;
}

/* EASY */

static void pass_easy(struct sim *s)
{
    size_t i = 0, kept = 0;
    int64_t shadow = 0;
    int32_t extra = s->free;

    for (; i < s->nqueue && s->jobs[s->queue[i]].procs <= s->free; i++)
        start_job(s, s->queue[i]);
    if (i + 1 < s->nqueue) {
        int32_t need = s->jobs[s->queue[i]].procs;
        extra = s->free;
        for (size_t k = 0;
             k < s->nrunning && (extra < need || s->until[k].end == shadow); k++) {
            extra += s->jobs[s->until[k].job].procs;
            shadow = s->until[k].end;
        }
        extra -= need;
    }
    if (i < s->nqueue)
        s->queue[kept++] = s->queue[i++];
    for (; i < s->nqueue && s->free > 0; i++) {
        const struct job *j = &s->jobs[s->queue[i]];
        bool in_time = s->now + j->estimate <= shadow;
        if (j->procs <= s->free && (in_time || j->procs <= extra)) {
            extra -= in_time ? 0 : j->procs;
            start_job(s, s->queue[i]);
        } else {
            s->queue[kept++] = s->queue[i];
        }
    }
    memmove(s->queue + kept, s->queue + i, (s->nqueue - i) * sizeof *s->queue);
    s->nqueue -= i - kept;
}

/* Conservative */

/* What runs, as a profile from now on. */
static void plan_running(struct sim *s)
{
    struct profile *p = &s->plan;

    p->n = 1;
    p->at[0] = s->now;
    p->free[0] = s->free;
    for (size_t i = 0; i < s->nrunning; i++) {
        if (p->at[p->n - 1] != s->until[i].end) {
            p->at[p->n] = s->until[i].end;
            p->free[p->n] = p->free[p->n - 1];
            p->n++;
        }
        p->free[p->n - 1] += s->jobs[s->until[i].job].procs;
    }
}

/* Make `at` the begin of a step, at or behind step `i`; its index. */
static size_t profile_cut(struct profile *p, size_t i, int64_t at)
{
    while (i < p->n && p->at[i] < at)
        i++;
    if (i < p->n && p->at[i] == at)
        return i;
    memmove(p->at + i + 1, p->at + i, (p->n - i) * sizeof *p->at);
    memmove(p->free + i + 1, p->free + i, (p->n - i) * sizeof *p->free);
    p->at[i] = at;
    p->free[i] = p->free[i - 1];
    p->n++;
    return i;
}

/* Occupy the earliest time at which the job fits; that time. */
static int64_t plan_job(struct profile *p, const struct job *j)
{
    size_t first = 0, last, end;

    for (size_t i = 0; i < p->n; i++) {
        if (p->free[i] < j->procs)
            first = i + 1;
        else if (i + 1 == p->n || p->at[i + 1] >= p->at[first] + j->estimate)
            break;
    }
    last = profile_cut(p, first, p->at[first] + j->estimate);
    for (end = first; end < last; end++)
        p->free[end] -= j->procs;
    return p->at[first];
}

static void pass_conservative(struct sim *s)
{
    size_t kept = 0;

    plan_running(s);
    for (size_t i = 0; i < s->nqueue; i++) {
        uint32_t job = s->queue[i];
        if (plan_job(&s->plan, &s->jobs[job]) == s->now)
            start_job(s, job);
        else
            s->queue[kept++] = job;
    }
    s->nqueue = kept;
}

/* Time */

static void replay(struct sim *s, void (*pass)(struct sim *))
{
    size_t next = 0, room = (size_t)s->procs + 1, steps = room + 2 * s->njobs + 1;

    s->queue = xcalloc(s->njobs + 1, sizeof *s->queue);
    s->heap = xcalloc(room, sizeof *s->heap);
    s->until = xcalloc(room, sizeof *s->until);
    s->plan.at = xcalloc(steps, sizeof *s->plan.at);
    s->plan.free = xcalloc(steps, sizeof *s->plan.free);
    s->free = s->procs;
    while (next < s->njobs || s->nrunning) {
        bool arrival =
            next < s->njobs && (!s->nrunning || s->jobs[next].submit <= s->heap[0].end);
        s->now = arrival ? s->jobs[next].submit : s->heap[0].end;
        while (s->nrunning && s->heap[0].end == s->now)
            end_job(s);
        for (; next < s->njobs && s->jobs[next].submit == s->now; next++)
            s->queue[s->nqueue++] = (uint32_t)next;
        pass(s);
        s->passes++;
    }
    free(s->queue);
    free(s->heap);
    free(s->until);
    free(s->plan.at);
    free(s->plan.free);
}

static void write_starts(const struct sim *s, const char *path)
{
    FILE *out = fopen(path, "w");

    if (!out)
        exit((fprintf(stderr, "countonly: cannot write %s\n", path), 1));
    for (size_t i = 0; i < s->njobs; i++)
        fprintf(
            out, "%lld %lld\n", (long long)s->jobs[i].id, (long long)s->jobs[i].start);
    fclose(out);
}

int main(int argc, char **argv)
{
    struct sim s = {.procs = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0};
    bool easy = argc > 1 && strcmp(argv[1], "easy") == 0;
    double begin = seconds(), read;

    if (s.procs < 1 || (!easy && strcmp(argv[1], "conservative") != 0)) {
        fputs("usage: countonly easy|conservative TRACE PROCS [STARTS]\n", stderr);
        return 2;
    }
    read_trace(&s, argv[2]);
    read = seconds();
    replay(&s, easy ? pass_easy : pass_conservative);
    printf("%zu jobs, %llu passes: read %.4f s, replay %.4f s\n", s.njobs,
        (unsigned long long)s.passes, read - begin, seconds() - read);
    if (argc > 4)
        write_starts(&s, argv[4]);
    free(s.jobs);
    return 0;
}
