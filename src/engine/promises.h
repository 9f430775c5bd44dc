/* SPDX-License-Identifier: Apache-2.0
 * What waiting jobs were promised, as rows of one table that a cycle asks in the order
 * of rank, before anything else is planned.
 *
 *     rank      job  not before  end by  latest start  made
 *     retry       7        430       -           700     1   its start failed: again
 *     deadline    3          -     900           500     2   it ends in time
 *     start       4        300       -           800     3   BACKFILLPOLICY PLAN
 *     highest     9          -       -           450     -   RESERVATIONPOLICY HIGHEST
 *     priority    5          -       -           620     -   its place in this plan
 *
 * The first three are rows here; of a start, the instant in the present plan is that
 * "not before". A row of the last two is the job's reservation in the
 * plan, or the one that it is owed: what the policy is says which rank that has. A job
 * may have one of each. All O(1) unless said; instants in seconds, TIME_NEVER is none.
 */
#ifndef MAUI_ENGINE_PROMISES_H
#define MAUI_ENGINE_PROMISES_H

#include "cluster/memory.h"
#include "plan/plan.h"

enum promise_rank {
    PROMISE_RETRY,    /* nodes are held until its start is tried again */
    PROMISE_DEADLINE, /* the same instant or an earlier one, whatever comes later */
    PROMISE_START,    /* it starts by then, whatever comes later */
    PROMISE_HIGHEST,  /* kept until it starts; moves forward as it can */
    PROMISE_PRIORITY  /* stands as long as it would come out the same */
};
#define PROMISE_ROWS PROMISE_HIGHEST /* ranks of which the rows are here */

/* What made a latest start impossible, so that a later one is promised. */
enum promise_cause {
    CAUSE_NONE,
    CAUSE_NODES,       /* nodes went, or came back as others */
    CAUSE_SETTINGS,    /* parameters of the site are others */
    CAUSE_RESERVATION, /* one of another kind was made or changed */
    CAUSE_OVERRUN,     /* a job runs past its limit */
    CAUSE_ORDER,       /* a job was started by order */
    CAUSE_START,       /* its own start failed */
    CAUSE_OTHER,
    PROMISE_CAUSES
};
/* "nodes", "settings" ... and "nodes were lost or changed". */
const char *promise_cause_name(enum promise_cause c);
const char *promise_cause_text(enum promise_cause c);

struct promise {
    uint32_t job;
    enum promise_rank rank;
    int64_t not_before;       /* the next try */
    int64_t end_by;           /* the deadline */
    int64_t latest_start;     /* of a retry: the last try, when its claim is used up.
                                 Of a start, TIME_NEVER: it was broken, and is promised
                                 no other yet */
    uint32_t partition;       /* of a start: where it is planned; INDEX_NONE */
    uint64_t made;            /* by order of making; 0: of the plan */
    int64_t was;              /* of a start: it was promised that once; 0 = this */
    int64_t told;             /* ... and that it was told last; 0 = latest_start */
    enum promise_cause cause; /* why not that any more */
    bool failed;              /* of a start: it was tried, in time, and failed */
    bool stands;              /* it is in the plan of this cycle ... */
    bool anew;                /* ... where it was made again */
};

struct promises;

/* The plan is borrowed. */
struct promises *promises_create(struct plan *plan);
void promises_destroy(struct promises *t);

/* Under RESERVATIONPOLICY HIGHEST what jobs have or are owed in the plan is kept. */
void promises_set_policy(struct promises *t, bool highest);

/* Looking: false = it has none of that rank. */
bool promises_of(const struct promises *t, const struct job *j, enum promise_rank rank,
    struct promise *ret);
bool promises_has(
    const struct promises *t, const struct job *j, enum promise_rank rank);
/* The same of a row, by the job's index: no job is read. */
bool promises_has_row(const struct promises *t, uint32_t job, enum promise_rank rank);
/* Is it promised a latest start, and not only had one that was broken? */
bool promises_has_start(const struct promises *t, const struct job *j);
/* Any at all, whatever its rank. */
bool promises_has_any(const struct promises *t, const struct job *j);
/* How many rows of that rank there are here. */
size_t promises_count(const struct promises *t, enum promise_rank rank);

/* They, in no order; borrowed until one is made. One may be broken by who goes through
 * them from the last to the first. */
const struct promise *promises_rows(
    const struct promises *t, enum promise_rank rank, size_t *ret_n);

/* A row of PROMISE_RETRY or PROMISE_DEADLINE, which has its place in the order of
 * making then; or that which the job has. Borrowed until the next is made or broken. */
struct promise *promises_make(
    struct promises *t, const struct job *j, enum promise_rank rank);
/* That row, NULL = the job has none. Borrowed as above. */
struct promise *promises_row(
    const struct promises *t, const struct job *j, enum promise_rank rank);
/* That row goes, if there is one. */
void promises_break(struct promises *t, const struct job *j, enum promise_rank rank);
/* All that it was promised goes, its place in the plan too; not that a start was
 * broken, which is known until it starts or another is promised. */
void promises_void(struct promises *t, const struct job *j);
/* Promised starts that were voided, or lapse as the job may not start now, since they
 * were forgotten last: of jobs that are still there. */
void promises_lapse(struct promises *t, const struct job *j);
const struct promise *promises_lapsed(const struct promises *t, size_t *ret_n);
void promises_forget_lapsed(struct promises *t);
/* Had it a row of PROMISE_START before, or has it one? O(of them). */
bool promises_had_start(const struct promises *t, const struct job *j);
/* The first of those that the job had, and they are forgotten; false = none. O(of
 * them). */
bool promises_take_lapsed(struct promises *t, const struct job *j, struct promise *ret);
/* One that lapsed is a row again, which is taken to be that of before: it was broken by
 * that, and nothing is promised instead. */
void promises_keep_broken(
    struct promises *t, const struct promise *lapsed, enum promise_cause by);
/* It leaves the cluster: the same, and another may have its index. */
void promises_forget(struct promises *t, const struct job *j);

/* Nothing that is free ends by the job's deadline: no promise, and why it waits. */
void promises_note_late(struct promises *t, const struct job *j, bool late);
bool promises_is_late(const struct promises *t, const struct job *j);

/* Of a row in this cycle: retry and deadline. A begin of a cycle ends it for all of the
 * rank. O(rows). */
void promises_begin(struct promises *t, enum promise_rank rank);

/* What of it outlives a restart, and back. A deadline that is none any more, and a
 * place that is not kept, are not recalled. */
void promises_write(const struct promises *t, const struct cluster *c,
    const struct job *j, struct job_memory *io_m);
void promises_recall(struct promises *t, const struct cluster *c, const struct job *j,
    const struct job_memory *m);
/* The same, of what a job was promised that has started since. */
void promises_write_start(
    const struct cluster *c, const struct promise *start, struct job_memory *io_m);
void promises_read_start(
    const struct cluster *c, const struct job_memory *m, struct promise *io_start);

/* Assert that rows and jobs agree. For tests. O(rows + jobs). */
void promises_check(const struct promises *t, const struct cluster *c);

#endif
