/* SPDX-License-Identifier: Apache-2.0
 * How long each node was known, up and with jobs. */
#include "base/xalloc.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "engine/statistics/private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Whoever answers is up, also when it takes no jobs. */
static bool is_up(const struct node *n)
{
    return !n->gone && n->state != NODE_DOWN && n->state != NODE_UNKNOWN
           && n->state != NODE_NONE;
}

static void settle(struct node_clock *k, int64_t now)
{
    int64_t dt = now - k->at;

    if (dt <= 0)
        return;
    k->sums.total_s += dt;
    if (k->up)
        k->sums.up_s += dt;
    if (k->up && k->jobs)
        k->sums.active_s += dt;
    k->at = now;
}

static void note_changed(struct statistics *s, uint32_t node)
{
    uint32_t block = node / STAT_NODE_BLOCK;

    while (s->node_changed.n <= block)
        vec_push(&s->node_changed, 0);
    s->node_changed.v[block] = s->any_node_changed = true;
}

/* What a former life knew of the node. */
static struct node_clock recalled(
    const struct statistics *s, const struct node *n, int64_t now)
{
    uint32_t id =
        s->recalled_names ? names_find(s->recalled_names, n->name) : NAME_NONE;

    if (id == NAME_NONE)
        return (struct node_clock){.at = now, .loaded_at = INT64_MIN};
    struct node_clock k = s->recalled.v[id];
    settle(&k, now);
    return k;
}

static struct node_clock *clock_of(
    struct statistics *s, const struct cluster *c, uint32_t node, int64_t now)
{
    while (s->nodes.n <= node) {
        struct node_clock k = recalled(s, node_at(c, s->nodes.n), now);
        vec_push(&s->nodes, k);
    }
    note_changed(s, node);
    return &s->nodes.v[node];
}

void statistics_node_changed(
    struct statistics *s, const struct cluster *c, const struct node *n, int64_t now)
{
    if (!s)
        return;
    bool fresh = n->index >= s->nodes.n, up = is_up(n);
    if (!fresh && s->nodes.v[n->index].up == up)
        return;
    struct node_clock *k = clock_of(s, c, n->index, now);
    settle(k, now);
    k->up = up;
}

/* Jobs that are taken over bring their time with them, until `until`, as far as it is
 * not counted and the node was known: nothing is used for longer than it is there.
 * Returns since when time is counted. */
static int64_t add_past(const struct statistics *s, struct node_clock *k, int64_t from,
    int64_t until, int64_t now)
{
    int64_t since = k->loaded_at > s->since ? k->loaded_at : s->since;
    int64_t counted = k->jobs ? k->active_from : now, known = now - k->sums.total_s;

    since = since > known ? since : known;
    from = from > since ? from : since;
    if (until > counted)
        until = counted;
    if (from >= until)
        return counted;
    k->sums.active_s += until - from;
    return from;
}

void statnodes_job(struct statistics *s, const struct cluster *c, const struct job *j,
    int sign, int64_t from, int64_t now)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t n = 0; n < j->alloc.v[i].count; n++) {
            struct node_clock *k = clock_of(s, c, j->alloc.v[i].first + n, now);
            settle(k, now);
            if (sign > 0) {
                k->active_from = add_past(s, k, from, now, now);
                k->jobs++;
            } else if (k->jobs) {
                k->jobs--;
            }
        }
}

void statnodes_passed(struct statistics *s, const struct cluster *c,
    const struct job *j, int64_t from, int64_t until, int64_t now)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t n = 0; n < j->alloc.v[i].count; n++) {
            struct node_clock *k = clock_of(s, c, j->alloc.v[i].first + n, now);
            settle(k, now);
            add_past(s, k, from, until, now);
        }
}

void statnodes_check(const struct statistics *s, const struct cluster *c)
{
    uint32_t *jobs = xcalloc(c->nodes.n, sizeof *jobs);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        for (size_t k = 0; j && job_is_active(j) && k < j->alloc.n; k++)
            for (uint32_t n = 0; n < j->alloc.v[k].count; n++)
                jobs[j->alloc.v[k].first + n]++;
    }
    for (size_t i = 0; i < c->nodes.n; i++)
        assert(jobs[i] == (i < s->nodes.n ? s->nodes.v[i].jobs : 0));
    free(jobs);
}

void statnodes_reset(struct statistics *s, int64_t now)
{
    for (size_t i = 0; i < s->nodes.n; i++) {
        struct node_clock *k = &s->nodes.v[i];
        k->sums = (struct stat_node){0};
        k->at = k->active_from = now;
        k->loaded_at = INT64_MIN;
        note_changed(s, (uint32_t)i);
    }
}

void statnodes_fini(struct statistics *s)
{
    vec_fini(&s->nodes);
    vec_fini(&s->node_changed);
    vec_fini(&s->recalled);
    if (s->recalled_names)
        names_destroy(s->recalled_names);
}

void statistics_node(
    const struct statistics *s, uint32_t node, int64_t now, struct stat_node *ret)
{
    struct node_clock k = {0};

    if (node < s->nodes.n) {
        k = s->nodes.v[node];
        k.sums.changed_at = k.at;
        settle(&k, now);
    }
    *ret = k.sums;
}

/* ---- records ---- */

bool statnodes_due(const struct statistics *s, int64_t now)
{
    return s->any_node_changed
           && (s->nodes.n <= STAT_NODE_BLOCK
               || now >= s->nodes_saved_at + STAT_NODES_EVERY_S);
}

void statnodes_each(const struct statistics *s, const struct cluster *c, bool all,
    int64_t now, void *ctx, void (*each)(void *ctx, const struct stat_record *r))
{
    for (uint32_t i = 0; i < s->nodes.n; i++) {
        struct node_clock k = s->nodes.v[i];
        uint32_t block = i / STAT_NODE_BLOCK;
        if (!all && !s->node_changed.v[block])
            continue;
        settle(&k, now);
        each(ctx, &(struct stat_record){.of = STAT_NODE,
                      .name = node_at(c, i)->name,
                      .at = now,
                      .block = block,
                      .node = k.sums,
                      .up = k.up});
    }
}

void statnodes_saved(struct statistics *s)
{
    if (!statnodes_due(s, s->at))
        return;
    if (s->node_changed.n)
        memset(s->node_changed.v, 0, s->node_changed.n);
    s->any_node_changed = false;
    s->nodes_saved_at = s->at;
}

void statnodes_load(struct statistics *s, const struct stat_record *r)
{
    if (!s->recalled_names)
        s->recalled_names = names_create();
    uint32_t id = names_intern(s->recalled_names, r->name);
    while (s->recalled.n <= id)
        vec_push(&s->recalled, (struct node_clock){0});
    struct node_clock *k = &s->recalled.v[id];
    /* A node may be in a block of former days as well. */
    if (k->at == 0 || r->node.total_s > k->sums.total_s)
        *k = (struct node_clock){
            .sums = r->node, .at = r->at, .loaded_at = r->at, .up = r->up};
}
