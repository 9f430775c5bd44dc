/* SPDX-License-Identifier: Apache-2.0
 * What of reservations outlives a restart. */
#include "plan/rsvmemory.h"

#include "base/xalloc.h"
#include "config/settings.h"
#include "plan/standing.h"
#include "policy/rsvuse.h"

#include <string.h>

bool rsvmemory_wanted(const struct reservation *r)
{
    return r->kind == RSV_STANDING && r->standing != INDEX_NONE
           && r->state != RSV_ENDED;
}

struct rsv_memory rsvmemory_of(const struct cluster *c, const struct reservation *r,
    int64_t now, struct job_places *ret_places)
{
    struct rsv_use use = rsvuse_of(r, now);
    size_t first = ret_places->n;

    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            vec_push(ret_places,
                ((struct job_place){.node = node_at(c, r->alloc.v[i].first + k)->name,
                    .tasks = r->alloc.v[i].tasks}));
    return (struct rsv_memory){
        .name = r->name,
        .section = srcfg_name(&c->cfg->standing.v[r->standing]),
        .period_at = r->period_at,
        .slot = r->slot,
        .start_at = r->start_at,
        .end_at = r->end_at,
        .created_at = r->created_at,
        .released = r->state == RSV_RELEASED,
        .ended_at = r->ended_at,
        .idle_ps = use.idle_ps,
        .active_ps = use.active_ps,
        .places = ret_places->v ? ret_places->v + first : NULL,
        .nplaces = ret_places->n - first,
        .triggers = r->triggers.v,
        .ntriggers = r->triggers.n,
    };
}

/* ---- triggers ---- */

static bool same_trigger(const struct trigger *a, const struct trigger *b)
{
    const char *x = a->data ? a->data : "", *y = b->data ? b->data : "";

    return a->event == b->event && a->action == b->action && a->offset_s == b->offset_s
           && strcmp(x, y) == 0;
}

/* What fired has fired; equal ones one after the other. */
static void recall_triggers(struct reservation *r, const struct rsv_memory *m)
{
    for (size_t i = 0; i < m->ntriggers; i++)
        for (size_t k = 0; m->triggers[i].fired && k < r->triggers.n; k++) {
            struct trigger *t = &r->triggers.v[k];
            if (t->fired || !same_trigger(t, &m->triggers[i]))
                continue;
            t->fired = true;
            t->fired_at = m->triggers[i].fired_at;
            break;
        }
}

/* ---- nodes ---- */

static void recall_nodes(
    struct cluster *c, struct reservation *r, const struct rsv_memory *m)
{
    struct allocs alloc = {0};

    for (size_t i = 0; i < m->nplaces; i++) {
        const struct node *n = node_find(c, m->places[i].node);
        bool twice = false;

        for (size_t k = 0; n && k < alloc.n && !twice; k++)
            twice = alloc.v[k].first == n->index;
        if (n && !twice && m->places[i].tasks > 0)
            vec_push(&alloc,
                ((struct alloc){
                    .first = n->index, .count = 1, .tasks = m->places[i].tasks}));
    }
    reservation_set_nodes(c, r, &alloc);
}

/* ---- the instance ---- */

static uint32_t find_section(const struct cluster *c, const char *name)
{
    for (uint32_t i = 0; name && i < c->cfg->standing.n; i++)
        if (c->cfg->standing.v[i].usable
            && strcmp(srcfg_name(&c->cfg->standing.v[i]), name) == 0)
            return i;
    return INDEX_NONE;
}

static int check(const struct cluster *c, const struct rsv_memory *m, uint32_t section,
    int64_t now, struct err *err)
{
    if (section == INDEX_NONE)
        return err_set(err, ERR_NOT_FOUND,
            "reservation '%s': there is no standing reservation '%s' any more", m->name,
            m->section ? m->section : "");
    if (standing_find(c, section, m->period_at))
        return err_set(err, ERR_CONFLICT,
            "reservation '%s': '%s' has an instance in that period already", m->name,
            m->section);
    if (m->end_at <= now)
        return err_set(err, ERR_CONFLICT, "reservation '%s' is over", m->name);
    return 0;
}

int rsvmemory_recall(
    struct cluster *c, const struct rsv_memory *m, int64_t now, struct err *err)
{
    uint32_t section = find_section(c, m->section);
    struct reservation *r;

    if (check(c, m, section, now, err) < 0)
        return -1;
    const struct standing_instance instance = {
        m->period_at, m->start_at, m->end_at, m->slot};
    struct reservation draft = standing_draft(c, section, &instance, NULL);
    draft.name = xstrdup(m->name);
    /* as of its own start: a window that has begun stays as it is */
    if (reservation_add(c, &draft, m->start_at < now ? m->start_at : now, &r, err)
        < 0) {
        reservation_fini(&draft);
        return -1;
    }
    r->created_at = m->created_at;
    r->idle_ps = m->idle_ps > 0 ? m->idle_ps : 0;
    r->active_ps = m->active_ps > 0 ? m->active_ps : 0;
    recall_triggers(r, m);
    if (m->released)
        reservation_move(
            c, r, RSV_EV_RELEASE, m->ended_at < now ? m->ended_at : now, NULL);
    else
        recall_nodes(c, r, m);
    return 0;
}
