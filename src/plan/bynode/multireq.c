/* SPDX-License-Identifier: Apache-2.0
 * Jobs of several requests: all of them at one instant, in one partition, together
 * never more than a node has. */
#include "plan/bynode/multireq.h"

#include "cluster/partition.h"
#include "plan/bynode/bynode_private.h"
#include "plan/bynode/single.h"
#include "plan/feasible.h"
#include "plan/nodes/nodealloc.h"

/* The nodes as they are during one interval. */
struct joint {
    struct bynode *b;
    const struct job *j;
    uint64_t partitions;
    int64_t duration;
    struct VEC(struct cand) cands;
    struct VEC(struct node_room) rooms; /* by candidate; the rest keep their memory */
    struct taskdef def;                 /* make_joint_def() */
    struct VEC(uint32_t) tasks;         /* request r on candidate i: r * nodes + i */
    struct VEC(const uint32_t *) rows;  /* of `tasks`, by request */
    struct VEC(struct nodealloc) reqs;
    struct VEC(bool) hosts_only; /* feasible_hosts_only(), by request */
};

static void add_gres(
    const struct cluster *c, const struct gres *want, struct taskdef *io)
{
    if (gres_is_floating(c, want->id))
        return;
    for (size_t i = 0; i < io->gres.n; i++)
        if (io->gres.v[i].id == want->id)
            return;
    vec_push(&io->gres, *want);
}

/* The first request's, with the generic resources of all. */
static struct taskdef make_joint_def(const struct cluster *c, const struct job *j)
{
    struct taskdef def = taskdef_copy(j->reqs[0].def);

    def.gres.n = 0;
    for (uint32_t r = 0; r < j->nreqs; r++)
        for (size_t i = 0; i < j->reqs[r].def->gres.n; i++)
            add_gres(c, &j->reqs[r].def->gres.v[i], &def);
    return def;
}

static void joint_init(
    struct joint *g, struct bynode *b, const struct job *j, uint32_t set)
{
    const struct fitset *s = fits_set(b->fits, set);
    uint32_t first = pools_at(b->pools, s->pools.v[0].pool)->partition;

    *g = (struct joint){
        .b = b, .j = j, .partitions = s->mask, .duration = plan_duration(s, j)};
    for (uint32_t r = 0; r < j->nreqs; r++) {
        struct nodealloc a = {.c = b->c,
            .j = j,
            .req = &j->reqs[r],
            .par = b->c->partitions.v[first]->par,
            .req_index = r};
        vec_push(&g->reqs, a);
        vec_push(&g->hosts_only, feasible_hosts_only(b->c, &j->reqs[r]));
        for (size_t i = 0; i < b->c->nodes.n; i++)
            vec_push(&g->tasks, 0);
    }
    for (uint32_t r = 0; r < j->nreqs; r++)
        vec_push(&g->rows, g->tasks.v + r * b->c->nodes.n);
    g->def = make_joint_def(b->c, j);
}

static void joint_fini(struct joint *g)
{
    vec_fini(&g->cands);
    for (size_t i = 0; i < g->rooms.n; i++)
        room_fini(&g->rooms.v[i]);
    vec_fini(&g->rooms);
    taskdef_fini(&g->def);
    vec_fini(&g->tasks);
    vec_fini(&g->rows);
    vec_fini(&g->reqs);
    vec_fini(&g->hosts_only);
}

/* Offer the node if some request can use it on its own. */
static void collect_node(
    struct joint *g, const struct node *n, int64_t start, int64_t end)
{
    struct cand cand = {.node = n->index,
        .free_until = TIME_NEVER,
        .affinity = rsvview_affinity(g->b->view, g->j, n, start, end)};
    const struct span span = {start, end};

    for (uint32_t r = 0; r < g->j->nreqs; r++) {
        const struct req *q = &g->j->reqs[r];
        const struct asker by = asker_of(g->b, g->j, q->def);
        bool suits = feasible_listed(g->b->c, q, g->hosts_only.v[r], n)
                     && feasible_node(g->b->c, q->def, n, NULL);
        uint32_t k = suits ? single_tasks(&by, n, start, end) : 0;
        g->tasks.v[r * g->b->c->nodes.n + g->cands.n] = k;
        if (k == 0)
            continue;
        int64_t until = single_holds_until(&by, n, k, start);
        cand.tasks = k > cand.tasks ? k : cand.tasks;
        cand.free_until = until < cand.free_until ? until : cand.free_until;
    }
    if (cand.tasks == 0)
        return;
    vec_push(&g->cands, cand);
    if (g->rooms.n < g->cands.n)
        vec_push(&g->rooms, (struct node_room){0});
    const struct asker all = asker_of(g->b, g->j, &g->def);
    single_room(&all, n, &span, &g->rooms.v[g->cands.n - 1]);
}

/* False when some request surely finds too little. */
static bool collect(struct joint *g, int64_t start)
{
    int64_t end = time_add(start, g->duration);

    g->cands.n = 0;
    for (size_t i = 0; i < g->b->c->nodes.n; i++) {
        const struct node *n = node_at(g->b->c, i);
        if (pools_of_node(g->b->pools, n->index) && (g->partitions >> n->partition & 1))
            collect_node(g, n, start, end);
    }
    for (uint32_t r = 0; r < g->j->nreqs; r++) {
        int64_t sum = 0;
        for (size_t i = 0; i < g->cands.n; i++)
            sum += g->rows.v[r][i];
        if (sum < g->j->reqs[r].tasks)
            return false;
        g->reqs.v[r].start_at = start;
        g->reqs.v[r].end_at = end;
        g->reqs.v[r].immediate = start <= *g->b->now;
    }
    return true;
}

static bool choose(
    struct joint *g, int64_t start, struct allocs *ret, enum wait_code *ret_code)
{
    *ret_code = WAIT_RESOURCES;
    if (!collect(g, start))
        return false;
    struct nodealloc_multi m = {.reqs = g->reqs.v,
        .nreqs = g->j->nreqs,
        .cands = g->cands.v,
        .n = g->cands.n,
        .tasks = g->rows.v,
        .room = g->rooms.v};
    if (nodealloc_choose_multi(&m, ret, ret_code) == 0)
        return true;
    /* requests that give way to each other in one order may not in another, and what
       was found for a reservation must be found for its start: try its order too */
    for (uint32_t r = 0; r < g->j->nreqs; r++)
        g->reqs.v[r].immediate = false;
    return start <= *g->b->now && nodealloc_choose_multi(&m, ret, ret_code) == 0;
}

bool multireq_place(struct bynode *b, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, enum wait_code *ret_code)
{
    struct joint g;

    joint_init(&g, b, j, set);
    bool found = choose(&g, start, ret, ret_code);
    joint_fini(&g);
    return found;
}

bool multireq_node_holds(struct bynode *b, const struct job *j, const struct node *n,
    const struct on_node *pieces, size_t npieces, const struct span *span)
{
    struct taskdef def = make_joint_def(b->c, j);
    const struct asker all = asker_of(b, j, &def);
    struct node_room room = {0};
    bool holds = true;

    single_room(&all, n, span, &room);
    for (size_t i = 0; holds && i < npieces; i++) {
        const struct taskdef *own = j->reqs[pieces[i].req].def;
        const struct asker by = asker_of(b, j, own);
        holds = single_tasks(&by, n, span->start, span->end) >= pieces[i].tasks
                && room_tasks(&room, own, n) >= pieces[i].tasks;
        room_take_own(&room, own, n, pieces[i].tasks);
    }
    room_fini(&room);
    taskdef_fini(&def);
    return holds;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Instants after `from` at which something ends, in order. */
static struct instants end_times(const struct bynode *b, int64_t from)
{
    struct instants all = {0};

    for (size_t i = 0; i < b->ends->n; i++) {
        int64_t at = bynode_job_end(b, b->c->jobs.v[b->ends->v[i].job]);
        if (at > from && at < TIME_NEVER)
            vec_push(&all, at);
    }
    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        const struct rsv *r = rsvtable_row(b->reserved, i);
        if (r && r->end_at > from && r->end_at < TIME_NEVER)
            vec_push(&all, r->end_at);
    }
    for (size_t i = 0; b->c->suspended && i < b->c->active.n; i++) {
        int64_t at = bynode_kept_until(b, b->c->jobs.v[b->c->active.v[i]]);
        if (at > from && at < TIME_NEVER)
            vec_push(&all, at);
    }
    rsvview_times(b->view, from, &all);
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_times);
    return all;
}

int64_t multireq_first_fit(
    struct bynode *b, const struct job *j, uint32_t set, int64_t from)
{
    struct allocs found = {0};
    enum wait_code code;
    struct joint g;
    int64_t at = from;
    size_t next = 0;

    joint_init(&g, b, j, set);
    struct instants times = end_times(b, from);
    while (!choose(&g, at, &found, &code)) {
        while (next < times.n && times.v[next] <= at)
            next++;
        if (next == times.n) {
            at = TIME_NEVER;
            break;
        }
        at = times.v[next];
    }
    joint_fini(&g);
    vec_fini(&times);
    vec_fini(&found);
    return at;
}
