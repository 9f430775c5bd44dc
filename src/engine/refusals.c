/* SPDX-License-Identifier: Apache-2.0
 * See refusals.h. */
#include "engine/refusals.h"

#include "cluster/job.h"
#include "engine/engine_private.h"

#define FIRST_S  15
#define TIMES    3  /* the interval doubles so often */
#define RUSH_S   60 /* so long others wait for one that could be tried and was not */
#define BREATH_S 5

struct refusal {
    char *job; /* owned: its id */
    uint32_t cred[CRED_VECTOR];
    const struct taskdef *def;
    uint32_t tasks, times;
    int64_t refused_at, until;
};

struct refusals {
    struct VEC(struct refusal) v;
};

struct refusals *refusals_create(void)
{
    return xcalloc(1, sizeof(struct refusals));
}

static void remove_at(struct refusals *r, size_t i)
{
    free(r->v.v[i].job);
    vec_remove(&r->v, i);
}

void refusals_destroy(struct refusals *r)
{
    if (!r)
        return;
    while (r->v.n)
        remove_at(r, r->v.n - 1);
    vec_fini(&r->v);
    free(r);
}

bool refusals_any(const struct refusals *r)
{
    return r->v.n > 0;
}

static int64_t last_of(const struct refusal *x)
{
    return time_add(x->until, RUSH_S);
}

/* Would what was refused be refused to this job, too? */
static bool is_like(const struct refusal *x, const struct job *j)
{
    return x->def == j->reqs[0].def && j->tasks >= x->tasks
           && memcmp(x->cred, j->cred, sizeof x->cred) == 0;
}

static void forget_old(struct engine *e)
{
    struct refusals *r = e->troubles.refusals;

    for (size_t i = r->v.n; i-- > 0;)
        if (last_of(&r->v.v[i]) <= e->now)
            remove_at(r, i);
}

static struct refusal *find_like(struct refusals *r, const struct job *j)
{
    for (size_t i = 0; i < r->v.n; i++)
        if (strcmp(r->v.v[i].job, j->id) == 0 || is_like(&r->v.v[i], j))
            return &r->v.v[i];
    return NULL;
}

void refusals_add(struct engine *e, struct job *j, const char *text)
{
    struct job_extra *extra = job_extra(j);

    free(extra->refused);
    extra->refused = xstrdup(text ? text : "the resource manager gives no reason");
    if (j->start_count)
        j->start_count--; /* nothing was wrong with it */
    struct refusal *x = find_like(e->troubles.refusals, j);
    if (x && x->until > e->now && strcmp(x->job, j->id) != 0)
        return; /* both were ordered at once: the first is tried again */
    if (!x) {
        forget_old(e);
        vec_push(&e->troubles.refusals->v, ((struct refusal){0}));
        x = &e->troubles.refusals->v.v[e->troubles.refusals->v.n - 1];
    }
    free(x->job);
    x->job = xstrdup(j->id);
    memcpy(x->cred, j->cred, sizeof x->cred);
    x->def = j->reqs[0].def;
    x->tasks = j->tasks;
    x->refused_at = e->now;
    x->until =
        time_add(e->now, (int64_t)FIRST_S << (x->times < TIMES ? x->times : TIMES));
    x->times++;
}

bool refusals_end(struct engine *e, const struct job *j)
{
    struct refusals *r = e->troubles.refusals;
    size_t before = r->v.n;

    for (size_t i = r->v.n; i-- > 0;)
        if (strcmp(r->v.v[i].job, j->id) == 0)
            remove_at(r, i);
    return r->v.n < before;
}

bool refusals_make_room(struct engine *e)
{
    bool any = false;

    for (size_t i = 0; i < e->troubles.refusals->v.n; i++) {
        struct refusal *x = &e->troubles.refusals->v.v[i];
        int64_t at = time_add(x->refused_at, BREATH_S);
        if (at < e->now)
            at = e->now;
        any |= at < x->until;
        x->until = at < x->until ? at : x->until;
    }
    return any;
}

bool refusals_forget(struct engine *e)
{
    bool any = e->troubles.refusals->v.n > 0;

    while (e->troubles.refusals->v.n)
        remove_at(e->troubles.refusals, e->troubles.refusals->v.n - 1);
    return any;
}

bool refusals_keep(const struct engine *e, const struct job *j, struct reason *ret)
{
    for (size_t i = 0; i < e->troubles.refusals->v.n; i++) {
        const struct refusal *x = &e->troubles.refusals->v.v[i];
        if (!is_like(x, j))
            continue;
        const struct job *refused = job_find(e->c, x->job);
        int64_t until = refused == j ? x->until : last_of(x);
        if (!refused || until <= e->now)
            continue;
        ret->until = until;
        ret->object = refused->index;
        return true;
    }
    return false;
}
