/* SPDX-License-Identifier: Apache-2.0
 * A part of a list of jobs: in which order, from where, how many; and how many there
 * are of each class, user, reason. So a page shows 100,000 jobs without having them. */
#ifndef MAUI_SERVER_JOBWINDOW_H
#define MAUI_SERVER_JOBWINDOW_H

#include "base/vec.h"
#include "cluster/job.h"
#include "server/http/request.h"

struct server;
struct jobcounts;

struct jobwindow {
    size_t offset, limit;       /* limit: SIZE_MAX = all */
    const struct jobsort *sort; /* NULL: the order of showq */
    bool down;                  /* the largest first */
    unsigned count;             /* bits: what is counted */
    bool grows;                 /* with time: which jobs they are */
};

/* limit=, offset=, sort=, count= of a request. */
int jobwindow_read(const struct request *r, struct jobwindow *ret, struct err *err);

/* Of the credentials by which a list is ordered the places of their names. */
struct jobranks VEC(uint32_t);

/* To be freed with vec_fini(); empty where other things count. O(n log n) in the
 * credentials of that kind. */
void jobwindow_rank(
    const struct jobwindow *w, const struct cluster *c, struct jobranks *ret);
/* Of two jobs the one with the smaller number comes first. */
int64_t jobwindow_value(const struct jobwindow *w, struct server *s,
    const struct jobranks *ranks, const struct job *j);
/* By what is no number. */
bool jobwindow_is_by_id(const struct jobwindow *w);
/* Does it become another while nothing happens? */
bool jobwindow_grows(const struct jobwindow *w);

/* Processor seconds of a job of that section (enum section) that wait; unlimited is
 * none. */
int64_t jobcounts_work(const struct job *j, int section);
/* NULL when nothing is counted. */
struct jobcounts *jobcounts_new(const struct jobwindow *w);
/* What one job adds, in that section. Amortised O(1). */
void jobcounts_add(struct jobcounts *k, const struct job *j, int section);
/* {"class": [{name, active, waiting ...}]}; a new reference. */
json_t *jobcounts_render(const struct jobcounts *k, const struct cluster *c);
void jobcounts_free(struct jobcounts *k);

#endif
