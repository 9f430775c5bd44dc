/* SPDX-License-Identifier: Apache-2.0
 * When waiting jobs would start, on a copy of the plan. */
#include "engine/outlook.h"

#include "base/xalloc.h"
#include "engine/engine_private.h"

#include <string.h>

struct outlook {
    struct engine *e;
    struct plan *plan; /* owned: a fork */
    uint32_t *jobs;
    int64_t *starts;
    size_t n, next;
};

struct outlook *outlook_begin(struct engine *e, const uint32_t *jobs, size_t n)
{
    if (!e->stats.cycles)
        return NULL;
    struct outlook *f = xcalloc(1, sizeof *f);
    f->e = e;
    f->n = n;
    f->jobs = xcalloc(n + 1, sizeof *f->jobs);
    f->starts = xcalloc(n + 1, sizeof *f->starts);
    if (n)
        memcpy(f->jobs, jobs, n * sizeof *jobs);
    f->plan = plan_fork(e->plan);
    return f;
}

/* What could be had at once it was refused for other reasons. A search from now on
 * begins where others like it have ended (plan/counted/lower_bounds.h). */
static bool find_slot(struct outlook *f, const struct job *j, struct slot *ret)
{
    int64_t now = f->e->now;

    return plan_first_fit(f->plan, j, now, ret)
           && (ret->at > now || plan_first_fit(f->plan, j, now + 1, ret));
}

static int64_t plan_start(struct outlook *f, const struct job *j)
{
    struct slot slot;

    if (!job_waits(j) || plan_is_reserved(f->plan, j) || !find_slot(f, j, &slot))
        return 0;
    plan_reserve(f->plan, j, &slot);
    return slot.at;
}

bool outlook_more(struct outlook *f, size_t most)
{
    size_t end = f->n - f->next > most ? f->next + most : f->n;

    for (; f->next < end; f->next++) {
        const struct job *j = f->e->c->jobs.v[f->jobs[f->next]];
        f->starts[f->next] = j ? plan_start(f, j) : 0;
    }
    return f->next < f->n;
}

int64_t outlook_start(const struct outlook *f, size_t i)
{
    return f->starts[i];
}

void outlook_places(const struct outlook *f, struct query_places *ret)
{
    query_places_of(f->plan, ret);
}

struct placing *outlook_placing(const struct outlook *f)
{
    return placing_begin_of(f->plan);
}

void outlook_end(struct outlook *f)
{
    if (!f)
        return;
    plan_destroy(f->plan);
    free(f->jobs);
    free(f->starts);
    free(f);
}
