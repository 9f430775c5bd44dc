/* SPDX-License-Identifier: Apache-2.0
 * See arrays.h. */
#include "engine/arrays.h"

#include "base/names.h"
#include "cluster/rmset.h"
#include "engine/dependency.h"
#include "engine/engine_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_PLACE UINT32_MAX

/* One that could go. */
struct turn {
    const struct job *job;
    bool promised; /* a start */
};

/* One array, while its places are given. */
struct array_places {
    uint32_t begun;
    int64_t most;                 /* the largest limit of its jobs */
    struct VEC(struct turn) next; /* first come first; at most as many as may begin */
    size_t in_order;              /* the first of them, while they are found */
};

struct arrays {
    bool given;
    uint64_t settings;                   /* config_epoch when they were given */
    struct names *names;                 /* of arrays, without bracket and index */
    struct VEC(struct array_places) all; /* by name */
    struct VEC(uint32_t) array, place;   /* by job */
};

struct arrays *arrays_create(void)
{
    return xcalloc(1, sizeof(struct arrays));
}

static void forget_places(struct arrays *a)
{
    for (size_t i = 0; i < a->all.n; i++)
        vec_fini(&a->all.v[i].next);
    a->all.n = a->array.n = a->place.n = 0;
    names_destroy(a->names);
    a->names = NULL;
}

void arrays_destroy(struct arrays *a)
{
    if (!a)
        return;
    forget_places(a);
    vec_fini(&a->all);
    vec_fini(&a->array);
    vec_fini(&a->place);
    free(a);
}

bool arrays_limits(const struct job *j)
{
    return j->extra && j->extra->array_limit > 0 && strchr(j->id, '[');
}

/* ---- who is before whom ---- */

/* Nothing of its own keeps it from going, but that its time has not come: that comes by
 * itself, and is to turn nobody away. So they are in the order of it. */
static bool may_go(const struct engine *e, const struct job *j)
{
    uint32_t on;

    return j->state == JOB_IDLE && j->holds == 0 && !dependency_unmet(e->c, j, &on)
           && !rmset_is_away(e->c, job_rm(j)) && job_cred(e->c, j, CRED_CLASS)->enabled;
}

static bool is_before(struct turn x, struct turn y)
{
    const struct job *a = x.job, *b = y.job;

    if (x.promised != y.promised)
        return x.promised;
    if (a->release_at != b->release_at)
        return a->release_at < b->release_at;
    if (a->sys_priority != b->sys_priority)
        return a->sys_priority > b->sys_priority;
    if (a->user_priority != b->user_priority)
        return a->user_priority > b->user_priority;
    return name_compare(a->id, b->id) < 0;
}

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    return is_before(*x, *y) ? -1 : is_before(*y, *x);
}

/* So many more may begin. */
static size_t count_room(const struct array_places *p)
{
    return p->most > p->begun ? (size_t)(p->most - p->begun) : 0;
}

/* In order, and no more than may begin. */
static void cut_next(struct array_places *p)
{
    size_t room = count_room(p);

    if (p->in_order < p->next.n)
        qsort(p->next.v, p->next.n, sizeof *p->next.v, compare_turns);
    if (p->next.n > room)
        p->next.n = room;
    p->in_order = p->next.n;
}

/* Most come in order. Of others twice as many as may begin are sorted at a time. */
static void put_next(
    const struct engine *e, struct array_places *p, const struct job *j)
{
    struct turn turn = {j, promises_has_any(e->promises, j)};
    size_t room = count_room(p), n = p->next.n;

    if (!room || (p->in_order >= room && !is_before(turn, p->next.v[room - 1])))
        return;
    if (p->in_order == n && (!n || !is_before(turn, p->next.v[n - 1])))
        p->in_order++;
    vec_push(&p->next, turn);
    if (p->next.n >= 2 * room)
        cut_next(p);
}

/* ---- giving places ---- */

static struct array_places *array_of(struct arrays *a, const struct job *j)
{
    char name[256];
    int len = (int)(strchr(j->id, '[') - j->id);

    snprintf(name, sizeof name, "%.*s", len, j->id);
    uint32_t id = names_intern(a->names, name);
    if (id == a->all.n)
        vec_push(&a->all, ((struct array_places){0}));
    a->array.v[j->index] = id;
    return &a->all.v[id];
}

static void note_member(struct arrays *a, const struct job *j)
{
    if (!arrays_limits(j))
        return;
    struct array_places *p = array_of(a, j);
    if (p->most < j->extra->array_limit)
        p->most = j->extra->array_limit;
    p->begun += job_has_begun((enum job_state)j->state);
}

static void give_places(const struct engine *e, struct arrays *a)
{
    const struct cluster *c = e->c;

    forget_places(a);
    a->given = true;
    a->settings = c->config_epoch;
    a->names = names_create();
    for (size_t i = 0; i < c->jobs.n; i++) {
        vec_push(&a->array, NO_PLACE);
        vec_push(&a->place, NO_PLACE);
    }
    for (size_t i = 0; i < c->active.n; i++)
        note_member(a, c->jobs.v[c->active.v[i]]);
    for (size_t i = 0; i < c->queued.n; i++)
        if (queue_at(c, i))
            note_member(a, queue_at(c, i));
    for (size_t i = 0; i < c->queued.n; i++) {
        const struct job *j = queue_at(c, i);
        if (j && a->array.v[j->index] != NO_PLACE && may_go(e, j))
            put_next(e, &a->all.v[a->array.v[j->index]], j);
    }
    for (size_t i = 0; i < a->all.n; i++) {
        struct array_places *p = &a->all.v[i];
        cut_next(p);
        for (uint32_t k = 0; k < p->next.n; k++)
            a->place.v[p->next.v[k].job->index] = p->begun + k;
    }
}

void arrays_changed(struct arrays *a)
{
    a->given = false;
}

bool arrays_refuse(const struct engine *e, const struct job *j, struct reason *ret)
{
    struct arrays *a = e->groups.arrays;
    int64_t limit = j->extra->array_limit;

    if (!a->given || a->settings != e->c->config_epoch)
        give_places(e, a);
    if (j->index >= a->array.n || a->array.v[j->index] == NO_PLACE)
        return false;
    struct array_places *p = &a->all.v[a->array.v[j->index]];
    uint32_t *place = &a->place.v[j->index];
    bool could_go = may_go(e, j);
    if (*place == NO_PLACE && could_go && (int64_t)(p->begun + p->next.n) < p->most) {
        *place = p->begun + (uint32_t)p->next.n; /* its deferral has just ended */
        vec_push(&p->next, ((struct turn){.job = j}));
    }
    if (*place != NO_PLACE ? *place < limit : !could_go && p->begun < limit)
        return false;
    ret->limit = limit;
    ret->used = p->begun;
    ret->asked = *place != NO_PLACE ? *place - p->begun : (int64_t)p->next.n;
    return true;
}
