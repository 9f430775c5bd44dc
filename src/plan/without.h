/* SPDX-License-Identifier: Apache-2.0
 * What an answer of the plan leaves out of account. A value that goes with a question,
 * or with a fork for as long as it lives: nobody switches it on a plan in use.
 *
 *     running jobs that might be preempted       reservations of waiting jobs
 *     job 7, job 9: their nodes count as free,   those on single nodes, as for a
 *     or (keep_memory) all but the memory        suspended job: they count as free
 *
 * Licences of both stay taken (floating.h).
 */
#ifndef MAUI_PLAN_WITHOUT_H
#define MAUI_PLAN_WITHOUT_H

#include "base/bitset.h"

struct without {
    struct bitset jobs; /* by index */
    bool any_job;
    bool keep_memory;  /* the jobs would be suspended, not stopped */
    bool reservations; /* of waiting jobs, on single nodes */
};

static inline void without_fini(struct without *w)
{
    bitset_fini(&w->jobs);
}

static inline void without_add(struct without *w, uint32_t job)
{
    bitset_set(&w->jobs, job);
    w->any_job = true;
}

/* Forgets the jobs. */
static inline void without_clear(struct without *w)
{
    bitset_clear_all(&w->jobs);
    w->any_job = false;
}

static inline bool without_job(const struct without *w, uint32_t job)
{
    return w->any_job && bitset_test(&w->jobs, job);
}

#endif
