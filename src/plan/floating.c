/* SPDX-License-Identifier: Apache-2.0
 * Floating generic resources (licences): amounts of the whole system rather than
 * of a node, taken by a job for as long as it runs or is reserved. */
#include "plan/floating.h"

#include "plan/plan_private.h"

/* What is used of one resource from `at` on, until the next step. */
struct use_step {
    int64_t at, used;
};

/* Of one version of the plan. The first step begins before all time. */
struct use_profile {
    uint64_t version;
    struct VEC(struct use_step) steps;
};

struct licences {
    struct VEC(struct use_profile) by_gres; /* by number of the resource */
};

struct licences *licences_create(void)
{
    return xcalloc(1, sizeof(struct licences));
}

void licences_destroy(struct licences *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->by_gres.n; i++)
        vec_fini(&l->by_gres.v[i].steps);
    vec_fini(&l->by_gres);
    free(l);
}

static int compare_steps(const void *a, const void *b)
{
    const struct use_step *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Amounts are far below this each; many together stay there. */
#define USE_MOST (INT64_C(1) << 61)

static int64_t add_use(int64_t sum, int64_t more)
{
    int64_t all = sum + more;

    return all > USE_MOST ? USE_MOST : all < -USE_MOST ? -USE_MOST : all;
}

/* The changes, in the order of time, become what is used from then on. */
static void sum_up(struct use_profile *u)
{
    size_t n = 0;

    qsort(u->steps.v, u->steps.n, sizeof *u->steps.v, compare_steps);
    for (size_t i = 1; i < u->steps.n; i++) {
        struct use_step step = u->steps.v[i];
        step.used = add_use(u->steps.v[n].used, step.used);
        n += step.at > u->steps.v[n].at;
        u->steps.v[n] = step;
    }
    u->steps.n = n + 1;
}

/* Jobs have theirs until they end, reservations from their beginning to their end. */
static void count_use(const struct plan *p, uint32_t id, struct use_profile *u)
{
    u->steps.n = 0;
    vec_push(&u->steps, ((struct use_step){INT64_MIN, 0}));
    for (size_t i = 0; i < p->ends.n; i++) {
        const struct job *j = p->c->jobs.v[p->ends.v[i].job];
        int64_t amount = gres_of_job(j, id);
        if (!amount)
            continue;
        u->steps.v[0].used = add_use(u->steps.v[0].used, amount);
        vec_push(&u->steps, ((struct use_step){plan_job_end(p, j), -amount}));
    }
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        int64_t amount = r ? gres_of_job(p->c->jobs.v[r->job], id) : 0;
        if (!amount)
            continue;
        vec_push(&u->steps, ((struct use_step){r->start_at, amount}));
        vec_push(&u->steps, ((struct use_step){r->end_at, -amount}));
    }
    sum_up(u);
    u->version = p->version;
}

static const struct use_profile *use_of(const struct plan *p, uint32_t id)
{
    struct licences *l = p->licences;

    if (id >= l->by_gres.n)
        vec_push_zeros(&l->by_gres, id + 1 - l->by_gres.n);
    if (l->by_gres.v[id].version != p->version)
        count_use(p, id, &l->by_gres.v[id]);
    return &l->by_gres.v[id];
}

/* The step that holds at an instant. */
static size_t step_at(const struct use_profile *u, int64_t at)
{
    size_t low = 0, high = u->steps.n;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (u->steps.v[mid].at <= at)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* From when on as many are free until `end`; `start` where they are throughout. */
static int64_t free_from(
    const struct plan *p, uint32_t id, int64_t need, int64_t start, int64_t end)
{
    int64_t have = node_gres(node_at(p->c, p->c->global_node), id);
    const struct use_profile *u = use_of(p, id);
    int64_t from = start;

    for (size_t i = step_at(u, start);
         i < u->steps.n && (u->steps.v[i].at <= start || u->steps.v[i].at < end); i++)
        if (u->steps.v[i].used > have - need)
            from = i + 1 < u->steps.n ? u->steps.v[i + 1].at : TIME_NEVER;
    return from;
}

static bool any_floats(const struct plan *p, const struct gres_amounts *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (gres_is_floating(p->c, list->v[i].id))
            return true;
    return false;
}

bool floating_wanted(const struct plan *p, const struct job *j)
{
    if (p->c->global_node == INDEX_NONE)
        return false;
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (any_floats(p, &j->reqs[i].def->gres)
            || any_floats(p, &j->reqs[i].def->job_gres))
            return true;
    return false;
}

static bool list_possible(const struct plan *p, const struct job *j,
    const struct gres_amounts *list, struct reason *ret_why)
{
    for (size_t i = 0; i < list->n; i++) {
        uint32_t id = list->v[i].id;
        if (!gres_is_floating(p->c, id))
            continue;
        int64_t have = node_gres(node_at(p->c, p->c->global_node), id);
        int64_t asked = gres_of_job(j, id);
        if (asked <= have)
            continue;
        *ret_why = (struct reason){.code = WAIT_GRES,
            .object = id,
            .limit = have,
            .asked = asked,
            .kind = CRED_KINDS,
            .kind2 = CRED_KINDS};
        return false;
    }
    return true;
}

bool floating_possible(
    const struct plan *p, const struct job *j, struct reason *ret_why)
{
    for (uint32_t i = 0; p->c->global_node != INDEX_NONE && i < j->nreqs; i++)
        if (!list_possible(p, j, &j->reqs[i].def->gres, ret_why)
            || !list_possible(p, j, &j->reqs[i].def->job_gres, ret_why))
            return false;
    return true;
}

static int64_t list_free_from(const struct plan *p, const struct job *j,
    const struct gres_amounts *list, int64_t start, int64_t end)
{
    int64_t from = start;

    for (size_t i = 0; i < list->n; i++) {
        uint32_t id = list->v[i].id;
        int64_t at = gres_is_floating(p->c, id)
                         ? free_from(p, id, gres_of_job(j, id), start, end)
                         : start;
        from = at > from ? at : from;
    }
    return from;
}

/* From when on all that it asks for is free until `end`; `start` = throughout. */
static int64_t all_free_from(
    const struct plan *p, const struct job *j, int64_t start, int64_t end)
{
    int64_t from = start;

    for (uint32_t i = 0; i < j->nreqs; i++) {
        int64_t a = list_free_from(p, j, &j->reqs[i].def->gres, start, end);
        int64_t b = list_free_from(p, j, &j->reqs[i].def->job_gres, start, end);
        from = a > from ? a : from;
        from = b > from ? b : from;
    }
    return from;
}

bool floating_fits(
    const struct plan *p, const struct job *j, int64_t start, int64_t end)
{
    return all_free_from(p, j, start, end) == start;
}

int64_t floating_first_fit(
    const struct plan *p, const struct job *j, int64_t from, int64_t duration)
{
    int64_t at = from, next;

    while (at < TIME_NEVER
           && (next = all_free_from(p, j, at, time_add(at, duration))) > at)
        at = next;
    return at;
}

int64_t floating_next(const struct plan *p, int64_t after)
{
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < p->ends.n; i++) {
        int64_t end = plan_job_end(p, p->c->jobs.v[p->ends.v[i].job]);
        if (end > after && end < next)
            next = end;
    }
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && r->end_at > after && r->end_at < next)
            next = r->end_at;
    }
    return next;
}
