/* SPDX-License-Identifier: Apache-2.0
 * A part of a list of jobs: in which order, from where, how many; and how many there
 * are of each class, user, reason. So a page shows 100,000 jobs without having them. */
#ifndef MAUI_SERVER_JOBWINDOW_H
#define MAUI_SERVER_JOBWINDOW_H

#include "cluster/job.h"
#include "server/http/request.h"

struct server;
struct jobcounts;

struct jobwindow {
    size_t offset, limit;       /* limit: SIZE_MAX = all */
    const struct jobsort *sort; /* NULL: the order of showq */
    bool down;                  /* the largest first */
    unsigned count;             /* bits: what is counted */
};

/* limit=, offset=, sort=, count= of a request. */
int jobwindow_read(const struct request *r, struct jobwindow *ret, struct err *err);

/* Which of two comes first by w->sort: below, above 0; 0: they are equal in that. */
int jobwindow_compare(const struct jobwindow *w, struct server *s, const struct job *a,
    const struct job *b);

/* NULL when nothing is counted. */
struct jobcounts *jobcounts_new(const struct jobwindow *w);
void jobcounts_add(struct jobcounts *k, const struct cluster *c, const struct job *j);
/* {"class": [{name, active, waiting ...}]}; a new reference. */
json_t *jobcounts_render(const struct jobcounts *k, const struct cluster *c);
void jobcounts_free(struct jobcounts *k);

#endif
