/* SPDX-License-Identifier: Apache-2.0
 * What an answer of the plan leaves out of account.
 *
 *     running jobs that might be preempted       reservations of waiting jobs
 *     job 7, job 9: their nodes count as free,   all of them, as a preemptor may:
 *     or (keep_memory) all but the memory        nothing of theirs counts as taken
 */
#ifndef MAUI_PLAN_WITHOUT_H
#define MAUI_PLAN_WITHOUT_H

#include "base/bitset.h"

struct without {
    struct bitset gone; /* the jobs, by index; only with any_job */
    bool any_job;
    bool keep_memory;  /* the jobs would be suspended, not stopped */
    bool reservations; /* of waiting jobs */
};

/* From now on these jobs are gone that are set in w->gone; none at first. */
static inline void without_begin(struct without *w, bool keep_memory)
{
    bitset_clear_all(&w->gone);
    w->any_job = true;
    w->keep_memory = keep_memory;
}

static inline void without_end(struct without *w)
{
    w->any_job = false;
}

static inline bool without_job(const struct without *w, uint32_t job)
{
    return w->any_job && bitset_test(&w->gone, job);
}

#endif
