/* SPDX-License-Identifier: Apache-2.0
 * Job expressions: which jobs a command means. An element is a job's id, or ALL, or a
 * regular expression, matched against whole ids unless USEJOBREGEX says otherwise;
 * elements of a list are separated by commas. Source: reference commands 1.8. */
#ifndef MAUI_SERVER_JOBEXPR_H
#define MAUI_SERVER_JOBEXPR_H

#include "cluster/cluster.h"

struct job_indexes VEC(uint32_t);

/* Indexes of the jobs not ended that `expr` names, in order of submission, each once,
 * added to *ret. -1 with a sentence when an element matches none or is malformed; what
 * other elements match is there all the same. O(jobs) for regular expressions, else
 * O(1) an element. */
int jobexpr_match(const struct cluster *c, const char *expr, bool unanchored,
    struct job_indexes *ret, struct err *err);

#endif
