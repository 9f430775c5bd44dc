/* SPDX-License-Identifier: Apache-2.0
 * Accounting of ended jobs: one row a job, kept for good. */
#ifndef MAUI_STORE_ACCOUNT_H
#define MAUI_STORE_ACCOUNT_H

#include "store/store.h"

/* Texts: NULL is stored as "". Instants: seconds since 1970, 0 = never came. */
struct store_account {
    const char *job, *name;
    const char *user, *group, *account, *class, *qos, *partition;
    const char *state; /* how it ended: "Completed", "Removed", ... */
    int64_t submit_at, queue_at, start_at, end_at; /* queue_at: eligible since */
    int64_t wclimit_s;
    int64_t procs, nodes, tasks;
    int64_t mem_mb; /* < 0 = unknown */
    double cpu_s;   /* < 0 = unknown */
    int64_t exit_status;
    bool backfilled;
    int64_t priority;  /* when it started */
    const char *hosts; /* "node[01-04]" */
    const char *extra; /* anything else, a JSON text */
    bool later; /* no column: it ended later than its row says, which was written when
                   its end was decided. The row's end, and what is known since, change;
                   who decided it, and why, does not. */
};

/* Part of the batch as all changes: commit it together with the end of the job. A job,
 * told by its id and the instant of its submission, has one row, whoever tells of its
 * end again: the first stands, unless it only said that the job could not be found
 * ("Vacated"); then the later one takes its place. submit_at 0: a row each time. */
int store_account_add(
    struct store *store, const struct store_account *row, struct err *err);

/* A zeroed filter lets everything pass. */
struct store_account_filter {
    int64_t from_at, to_at; /* ended in [from_at, to_at); to_at 0 = no end */
    const char *user, *group, *account, *class, *qos; /* NULL = any */
    const char *job;                                  /* the same */
    bool submitted; /* rows with a submit_at alone: these a job's name finds by index */
    int64_t limit;  /* rows at most; 0 = all */
    bool newest_first;
};

/* 0 = go on, a positive number ends the walk and is returned by it. The row is borrowed
 * for the call; its texts are never NULL. May read the store, must not change it. */
typedef int store_account_fn(void *arg, const struct store_account *row);

/* Rows that pass, by end and then as added (or the other way round). Time ranges and
 * users are found by an index. */
int store_account_each(struct store *store, const struct store_account_filter *filter,
    store_account_fn *each, void *arg, struct err *err);

/* Of a row what is needed to tell what was in the queue and ran when. */
struct store_span {
    int64_t submit_at, queue_at, start_at, end_at; /* 0 = never came */
    int64_t wclimit_s, procs;
};

/* As above; returns the same. */
typedef int store_span_fn(void *arg, const struct store_span *span);

/* A walk over spans, the newest first, that is made in parts so that nobody waits for
 * all of it. Zeroed before it begins; no room of the store is held between the parts.
 */
struct store_spans {
    int64_t end_at, id; /* what is told next ended before that row */
    int64_t newest;     /* rows that were added later are of another walk */
    int64_t seen;
    bool begun;
};

/* Go on: of the newest `filter->limit` rows that ended in its time (of its user, where
 * it names one) the next `rows`; told are those that pass. 1: there may be more; 0:
 * that was all. O(rows), whatever passes. */
int store_account_spans(struct store *store, const struct store_account_filter *filter,
    struct store_spans *walk, int64_t rows, store_span_fn *each, void *arg,
    struct err *err);

#endif
