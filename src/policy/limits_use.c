/* SPDX-License-Identifier: Apache-2.0
 * What one job consumes of each limited resource. */
#include "policy/limits_use.h"

#include "cluster/job.h"
#include "config/settings.h"

#include <math.h>

/* An unlimited wallclock limit still has to be summed; it counts as about 67 years,
 * and no single amount as more than LIMITS_USE_MAX: far above every real one, and
 * thousands of them can be summed. */
#define WALL_MAX INT64_C(2140000000)

static int64_t product(int64_t a, int64_t b)
{
    int64_t p;

    return __builtin_mul_overflow(a, b, &p) || p > LIMITS_USE_MAX ? LIMITS_USE_MAX : p;
}

/* NODEALLOCMAXPS: the nodes of a SINGLEJOB job count instead of its processors. */
static int64_t charged_width(const struct cluster *c, const struct job *j)
{
    if (c->cfg->node_alloc_max_ps && j->nodes > 0
        && j->reqs[0].def->access == ACCESS_SINGLEJOB)
        return j->nodes;
    return j->procs;
}

static int64_t pe_parts(double pe)
{
    double parts = pe * (double)limits_use_parts(LIMIT_PE);

    return parts < (double)LIMITS_USE_MAX ? llround(parts) : LIMITS_USE_MAX;
}

static void fill(
    const struct cluster *c, const struct job *j, int64_t wall_s, int64_t *ret_v)
{
    if (wall_s > WALL_MAX)
        wall_s = WALL_MAX;
    ret_v[LIMIT_JOB] = 1;
    ret_v[LIMIT_PROC] = j->procs;
    ret_v[LIMIT_NODE] = j->nodes;
    ret_v[LIMIT_PS] = product(charged_width(c, j), wall_s);
    ret_v[LIMIT_PE] = pe_parts(j->pe);
    ret_v[LIMIT_WC] = wall_s;
    ret_v[LIMIT_MEM] = j->mem_mb < LIMITS_USE_MAX ? j->mem_mb : LIMITS_USE_MAX;
}

void limits_use_of(const struct cluster *c, const struct job *j, int64_t *ret_v)
{
    fill(c, j, j->wclimit_s, ret_v);
}

void limits_use_left(
    const struct cluster *c, const struct job *j, int64_t now, int64_t *ret_v)
{
    int64_t elapsed = now > j->start_at ? now - j->start_at : 0;
    int64_t left = time_add(j->wclimit_s, j->suspended_s) - elapsed;

    fill(c, j, left > 0 ? left : 0, ret_v);
}

void limits_ledger_fini(struct limits_ledger *g)
{
    for (size_t i = 0; i < g->entry.n; i++)
        free(g->entry.v[i].more);
    vec_fini(&g->slot);
    vec_fini(&g->entry);
    vec_fini(&g->unused);
}

struct limits_counted *limits_ledger_find(const struct limits_ledger *g, uint32_t job)
{
    if (job >= g->slot.n || g->slot.v[job] == INDEX_NONE)
        return NULL;
    return &g->entry.v[g->slot.v[job]];
}

struct limits_counted *limits_ledger_add(struct limits_ledger *g, uint32_t job)
{
    uint32_t place;

    while (g->slot.n <= job)
        vec_push(&g->slot, INDEX_NONE);
    if (g->unused.n > 0) {
        place = g->unused.v[--g->unused.n];
    } else {
        place = g->entry.n;
        vec_push(&g->entry, (struct limits_counted){0});
    }
    g->slot.v[job] = place;
    return &g->entry.v[place];
}

void limits_ledger_remove(struct limits_ledger *g, uint32_t job)
{
    free(g->entry.v[g->slot.v[job]].more);
    g->entry.v[g->slot.v[job]].more = NULL;
    vec_push(&g->unused, g->slot.v[job]);
    g->slot.v[job] = INDEX_NONE;
}
