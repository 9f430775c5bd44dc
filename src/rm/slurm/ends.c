/* SPDX-License-Identifier: Apache-2.0
 * What jobcomp.lua says of a job that has ended:
 *
 *     58:12:3:0:32771:0:256:1764081000:1764081004:60
 *     |  '--'  |  |   | |   '-- start, end --'    its limit, in minutes
 *     |   |    |  |   | exit code, as of wait()
 *     |   |    |  |   how often it was put back before
 *     |   |    |  its state, as Slurm numbers them
 *     |   |    of a heterogeneous job: its leader
 *     |   array and task, 0 = it is of none
 *     its number
 *
 * That is all there is to tell of a plain end, so nobody has to look at the job: the
 * end of which the next start waits costs slurmctld nothing. Anything else is looked
 * at: what goes back to the queue, what we have not told as that very run of the job.
 */
#include "rm/slurm/adapter.h"

#include <stdio.h>

enum sign_field {
    SIGN_NUMBER,
    SIGN_ARRAY,
    SIGN_TASK,
    SIGN_LEADER,
    SIGN_STATE,
    SIGN_RESTARTS,
    SIGN_EXIT,
    SIGN_START,
    SIGN_END,
    SIGN_LIMIT,
    SIGN_FIELDS
};

/* Of an older script that says the number alone, or of a release that does not tell
 * all: false. */
static bool read_sign(const char *word, int64_t ret[SIGN_FIELDS])
{
    for (size_t i = 0; i < SIGN_FIELDS; i++) {
        char *end;

        errno = 0;
        ret[i] = strtoll(word, &end, 10);
        if (end == word || errno != 0 || ret[i] < 0
            || *end != (i + 1 < SIGN_FIELDS ? ':' : '\0'))
            return false;
        word = end + 1;
    }
    return true;
}

/* As slurmctld numbers them, whatever speaks to it here. */
#define SIGN_COMPLETING 0x8000u

/* Ended, and nothing else: not about to go back, to change its size ... */
static bool is_plain_end(uint32_t state)
{
    return state == JOB_COMPLETE || state == JOB_CANCELLED || state == JOB_FAILED
           || state == JOB_TIMEOUT;
}

/* Is it the run, or the wait, of the job that was told last? */
static bool is_that_run(const struct adapter *a, const struct told_job *t,
    const int64_t sign[SIGN_FIELDS], uint32_t state)
{
    if (t->nparts != 1 || t->restarts != sign[SIGN_RESTARTS])
        return false;
    if (!t->waiting)
        return t->over || t->start_at == sign[SIGN_START];
    if (outcomes_has_start(a, t->id))
        return !starts_name_nobody(t); /* else nobody was told where it ran */
    return state == JOB_CANCELLED && !t->gathered;
}

bool ends_take(struct adapter *a, const char *word)
{
    int64_t sign[SIGN_FIELDS];
    struct told_job *t;
    uint32_t state;
    char id[48];

    if (!a->told_all || !read_sign(word, sign) || sign[SIGN_LEADER] != 0
        || !is_plain_end(state = (uint32_t)sign[SIGN_STATE] & ~SIGN_COMPLETING))
        return false;
    if (sign[SIGN_ARRAY] == 0)
        snprintf(id, sizeof id, "%u", (uint32_t)sign[SIGN_NUMBER]);
    else
        snprintf(id, sizeof id, "%u_%u", (uint32_t)sign[SIGN_ARRAY],
            (uint32_t)sign[SIGN_TASK]);
    t = jobs_find(a, id);
    if (t == NULL || !is_that_run(a, t, sign, state))
        return false;
    if (t->over)
        return true; /* a look at all was before the sign */
    jobs_ended(a, t,
        &(slurm_job_info_t){.job_id = (uint32_t)sign[SIGN_NUMBER],
            .job_state = state,
            .restart_cnt = (uint16_t)sign[SIGN_RESTARTS],
            .exit_code = (uint32_t)sign[SIGN_EXIT],
            .start_time = sign[SIGN_START],
            .end_time = sign[SIGN_END],
            .time_limit = (uint32_t)sign[SIGN_LIMIT]});
    return true;
}
