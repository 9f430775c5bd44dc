/* SPDX-License-Identifier: Apache-2.0
 * What scontrol forgets: it keeps the last list of jobs and prints it once more as long
 * as nothing has changed, and in printing a record it drops the sign that its memory is
 * by processor (22.05 to 26.05). The second time it says MinMemoryNode=, with that
 * number. */
#include "base/hash.h"
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <stdlib.h>

/* A job that had that sign when the list was new. */
struct by_processor {
    uint32_t job; /* key */
    uint64_t mb;  /* with the sign */
    UT_hash_handle hh;
};

/* The library's functions have no context either. */
static struct by_processor **known_jobs(void)
{
    static struct by_processor *known;

    return &known;
}

void memory_forget(void)
{
    struct by_processor **known = known_jobs(), *k, *next;

    HASH_ITER(hh, *known, k, next)
    {
        HASH_DEL(*known, k);
        free(k);
    }
}

static bool has_sign(const slurm_job_info_t *j)
{
    return j->pn_min_memory != NO_VAL64 && (j->pn_min_memory & MEM_PER_CPU) != 0;
}

static void remember_job(const slurm_job_info_t *j)
{
    struct by_processor **known = known_jobs(), *k = NULL;

    HASH_FIND(hh, *known, &j->job_id, sizeof k->job, k);
    if (k == NULL) {
        k = xcalloc(1, sizeof *k);
        k->job = j->job_id;
        HASH_ADD(hh, *known, job, sizeof k->job, k);
    }
    k->mb = j->pn_min_memory;
}

static void restore_job(slurm_job_info_t *j)
{
    const struct by_processor *k = NULL;

    HASH_FIND(hh, *known_jobs(), &j->job_id, sizeof k->job, k);
    if (k != NULL && k->mb == (j->pn_min_memory | MEM_PER_CPU))
        j->pn_min_memory = k->mb;
}

void memory_restore(job_info_msg_t *all)
{
    bool fresh = false; /* one that was printed before has no sign at all */

    for (uint32_t i = 0; i < all->record_count; i++)
        fresh |= has_sign(&all->job_array[i]);
    if (fresh)
        memory_forget();
    for (uint32_t i = 0; i < all->record_count; i++)
        if (!fresh)
            restore_job(&all->job_array[i]);
        else if (has_sign(&all->job_array[i]))
            remember_job(&all->job_array[i]);
}
