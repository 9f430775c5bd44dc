/* SPDX-License-Identifier: Apache-2.0
 * Job expressions: which jobs a command means. An element is a job's id, ALL, 12[] for
 * the jobs of array 12, as is 12 where no job has that id, a name as Slurm prints it
 * (jobname.h) where there is such a job, or a regular expression; elements of a list
 * are separated by commas. A regular expression is matched against whole ids, except
 * where USEJOBREGEX says that a part will do: then plain words are regular expressions
 * as well. Source: reference commands 1.8. */
#ifndef MAUI_SERVER_JOBEXPR_H
#define MAUI_SERVER_JOBEXPR_H

#include "base/vec.h"

#include <stdbool.h>

struct cluster;
struct err;

/* What one order may name: more would hold up everybody else. */
#define JOBEXPR_ELEMENTS_MAX 10000
#define JOBEXPR_PATTERNS_MAX 32

struct job_choice {
    uint32_t job;
    bool named; /* by its id, not by a pattern or ALL */
};

/* The jobs chosen so far, in the order of the elements, each once. All zero to begin
 * with; free with jobexpr_fini(). */
struct job_choices {
    struct VEC(struct job_choice) list;
    uint64_t *seen; /* by job index */
    size_t nseen, elements, patterns;
    bool unanchored; /* USEJOBREGEX */
};

/* Add the jobs not ended that `expr` names. -1 with a sentence when an element matches
 * none, is malformed or is one too many; what elements before and after it match is
 * there all the same (not after one too many). O(jobs) for a pattern, else O(1) an
 * element. */
int jobexpr_match(
    const struct cluster *c, const char *expr, struct job_choices *io, struct err *err);

/* Add the job not ended whose id this is, whole and as it stands: no pattern, no list,
 * no other way to write it. -1 with a sentence when there is none. O(1). */
int jobexpr_add_id(
    const struct cluster *c, const char *id, struct job_choices *io, struct err *err);

void jobexpr_fini(struct job_choices *c);

#endif
