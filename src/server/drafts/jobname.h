/* SPDX-License-Identifier: Apache-2.0
 * Names of jobs as Slurm's commands print them, where they are not the id of a job
 * here:
 *
 *   63                   all tasks of array 63, also where they are called 63[4]
 *   63_[1,5-50:5%4]      those of its tasks, whatever its own limit
 *   63_[1-9,...]         cut short by squeue: all of its tasks that wait
 *   70+1                 a component of heterogeneous job 70: that job
 *
 * One task, 63_4, is a job's id. So is what PBS prints, but for the server's name:
 *
 *   63.head1   15[4].head1   jobs 63 and 15[4] */
#ifndef MAUI_SERVER_JOBNAME_H
#define MAUI_SERVER_JOBNAME_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cluster;
struct job;

struct jobname {
    const char *text;  /* borrowed */
    size_t number_len; /* of the array or job */
    const char *tasks; /* behind the bracket; NULL = all */
    bool waiting;      /* only those that wait */
    bool is_component;
};

/* How long the name at the begin of a list is, commas in brackets included; 0 = none
 * with brackets stands there. */
size_t jobname_span(const char *list);
/* False: it is no such name. */
bool jobname_read(const char *text, struct jobname *ret);
/* Is the job meant? O(length of the name). */
bool jobname_means(const struct jobname *n, const struct job *j);

/* How much of a name is a job's id, behind which PBS has the name of its server; 0: it
 * has none. */
size_t jobname_before_server(const char *text);

/* How much of a name is the id by which a job that is over is known, of a server's name
 * or a component's: 15[4].head1, 70+1. 0: all of it. */
size_t jobname_recorded(const char *text);

/* The job with that id, else the one that such a name means (of several resource
 * managers: rmname.h): of several the first that waits, else the first. NULL with a
 * sentence, or one not ended. O(1) for an id, else O(jobs). */
const struct job *jobname_find(
    const struct cluster *c, const char *text, struct err *err);

#endif
