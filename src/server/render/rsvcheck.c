/* SPDX-License-Identifier: Apache-2.0
 * Reservations that hold less than they should. */
#include "server/render/rsvcheck.h"

#include "base/nearest.h"
#include "cluster/cluster.h"

#include <string.h>

static bool holds_a_task(const struct node *n, const struct res *per_task)
{
    for (int i = 0; i < RES_DIMS; i++)
        if (per_task->v[i] > n->cfg.v[i])
            return false;
    return true;
}

/* Is there a node, of those listed, with as much as one task wants? */
static bool one_is_large_enough(const struct cluster *c, const struct reservation *r)
{
    size_t n = r->listed ? r->hosts.n : c->nodes.n;

    for (size_t i = 0; i < n; i++)
        if (holds_a_task(node_at(c, r->listed ? r->hosts.v[i] : i), &r->def.per_task))
            return true;
    return false;
}

static json_t *what_it_lacks(const struct cluster *c, const struct reservation *r)
{
    uint32_t wanted = r->least_tasks ? r->least_tasks : r->tasks;

    if (r->listed && !r->hosts.n)
        return json_string("its host list names no node there is");
    if (!r->held_tasks && !one_is_large_enough(c, r))
        return json_string("no node is large enough for its tasks");
    if (r->held_tasks < wanted)
        return json_sprintf("it holds %u of %u tasks", r->held_tasks, wanted);
    return r->held_tasks ? NULL : json_string("it holds no node");
}

/* Those it holds and that are down. */
static json_t *what_is_down(const struct cluster *c, const struct reservation *r)
{
    const char *first = NULL;
    unsigned down = 0;

    for (size_t i = 0; i < r->alloc.n; i++) {
        const struct alloc *a = &r->alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            if (!node_is_up(node_at(c, n)) && !down++)
                first = node_at(c, n)->name;
    }
    if (!down)
        return NULL;
    return down == 1 ? json_sprintf("its node '%s' is not up", first)
                     : json_sprintf(
                         "%u of its nodes are not up, the first is '%s'", down, first);
}

json_t *rsvcheck_warnings(const struct cluster *c, const struct reservation *r)
{
    json_t *found[] = {what_it_lacks(c, r), what_is_down(c, r)}, *list = NULL;

    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        if (!found[i])
            continue;
        if (!list)
            list = json_array();
        json_array_append_new(list, found[i]);
    }
    return list;
}

/* Whoever names `maint` means its first instance; else the nearest may be meant. */
int rsvcheck_missing(const struct cluster *c, const struct identity *who,
    const char *name, struct err *err)
{
    size_t len = strlen(name);
    const char *best = NULL;
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (!r || !reservation_is_live(r) || !identity_sees(who, c, r))
            continue;
        if (!best && strncmp(r->name, name, len) == 0 && r->name[len] == '.')
            best = r->name;
        nearest_offer(&near, r->name);
    }
    best = best ? best : nearest_best(&near);
    return err_set(err, ERR_NOT_FOUND, "cannot locate reservation '%.80s'%s%.80s%s",
        name, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}
