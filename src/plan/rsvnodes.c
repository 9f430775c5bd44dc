/* SPDX-License-Identifier: Apache-2.0
 * Which nodes a reservation gets. */
#include "plan/rsvnodes.h"

#include "cluster/partition.h"
#include "config/settings.h"
#include "plan/nodes/nodealloc_private.h"

#include <assert.h>
#include <string.h>

/* ---- one node -------------------------------------------------------------------- */

static bool state_allows(const struct node *n)
{
    return n->state == NODE_IDLE || n->state == NODE_RUNNING || n->state == NODE_BUSY;
}

static bool has_features(const struct reservation *r, const struct node *n)
{
    size_t wanted = r->def.features.n, found = 0;

    for (size_t i = 0; i < wanted; i++) {
        bool has = false;

        for (size_t k = 0; k < n->features.n && !has; k++)
            has = n->features.v[k] == r->def.features.v[i];
        found += has;
    }
    return r->any_feature && wanted > 0 ? found > 0 : found == wanted;
}

static bool reserves_something(const struct reservation *r)
{
    for (int i = 0; i < RES_DIMS; i++)
        if (r->def.per_task.v[i] != 0)
            return true;
    return r->def.gres.n > 0;
}

static int64_t tasks_by_gres(const struct reservation *r, const struct node *n)
{
    int64_t tasks = INT32_MAX;

    for (size_t i = 0; i < r->def.gres.n; i++) {
        int64_t each = r->def.gres.v[i].count;
        int64_t fit = each > 0 ? node_gres(n, r->def.gres.v[i].id) / each : tasks;

        tasks = fit < tasks ? fit : tasks;
    }
    return tasks;
}

static bool in_partition(const struct reservation *r, const struct node *n)
{
    return r->partition == RSV_PARTITION_ALL || r->partition == RSV_PARTITION_ONE
           || r->partition == n->partition;
}

/* Could the node be in the reservation at all? */
static bool suits(const struct reservation *r, const struct node *n)
{
    return !n->global && in_partition(r, n) && has_features(r, n)
           && reserves_something(r);
}

static uint32_t tasks_of(
    const struct reservation *r, const struct node *n, const struct res *have)
{
    int64_t tasks = res_tasks(have, &n->cfg, &r->def.per_task);
    int64_t by_gres = tasks_by_gres(r, n);

    return (uint32_t)(by_gres < tasks ? by_gres : tasks);
}

uint32_t rsvnodes_tasks_configured(
    const struct cluster *c, const struct reservation *r, const struct node *n)
{
    (void)c;
    return suits(r, n) ? tasks_of(r, n, &n->cfg) : 0;
}

/* ---- what others leave ---- */

/* Tasks are taken in units of so many. */
static uint32_t unit_of(const struct reservation *r)
{
    return r->def.tpn > 1 ? r->def.tpn : 1;
}

bool rsvnodes_is_fixed(const struct reservation *r)
{
    return r->listed && (r->tasks == 0 || r->all_hosts);
}

bool rsvnodes_conflict(const struct reservation *r, const struct reservation *other)
{
    if (other == r || !reservation_is_live(other))
        return false;
    bool shared = r->shared && !(r->flags & RSV_DEDICATEDRESOURCE);
    return r->exclusive
           || (!shared && !rsvnodes_is_fixed(r) && !(r->flags & RSV_FORCE));
}

void rsvnodes_add_reservations(const struct cluster *c, const struct reservation *r,
    uint32_t node, int64_t start, int64_t end, struct rsvnodes_uses *ret)
{
    const struct rsv_list *there = reservations_on(c, node);

    for (size_t i = 0; i < there->n; i++) {
        const struct reservation *other = c->reservations.v[there->v[i].rsv];
        struct rsvnodes_use use = {other->start_at, other->end_at,
            reservation_amount(other, node_at(c, node), there->v[i].tasks)};

        if (other->start_at < end && other->end_at > start
            && rsvnodes_conflict(r, other))
            vec_push(ret, use);
    }
}

/* Tasks that fit at one instant. */
static uint32_t tasks_at(const struct reservation *r, const struct node *n, int64_t at,
    const struct rsvnodes_uses *uses)
{
    struct res have = n->cfg;

    for (size_t i = 0; i < uses->n; i++)
        if (uses->v[i].start_at <= at && at < uses->v[i].end_at) {
            if (r->flags & RSV_DEDICATEDNODE)
                return 0;
            res_add(&have, &uses->v[i].amount, -1);
        }
    return tasks_of(r, n, &have);
}

uint32_t rsvnodes_tasks_beside(const struct cluster *c, const struct reservation *r,
    const struct node *n, int64_t start, int64_t end, const struct rsvnodes_uses *uses)
{
    uint32_t least;

    (void)c;
    if (!suits(r, n))
        return 0;
    /* Less is left only where another use begins. */
    least = tasks_at(r, n, start, uses);
    for (size_t i = 0; i < uses->n && least > 0; i++) {
        int64_t at = uses->v[i].start_at;
        uint32_t tasks = at > start && at < end ? tasks_at(r, n, at, uses) : least;

        least = tasks < least ? tasks : least;
    }
    return least;
}

/* ---- a choice in the making ---- */

struct choice {
    const struct cluster *c;
    const struct reservation *r;
    const struct rsvnodes_free *free;
    uint32_t unit;              /* tasks a node must have a multiple of */
    uint32_t missing;           /* tasks still wanted */
    uint32_t partition;         /* to stay in; INDEX_NONE = any */
    uint32_t *held;             /* by node: tasks taken so far */
    struct VEC(uint32_t) order; /* nodes with tasks, in order of choice */
    struct VEC(struct cand) cands;
};

static uint32_t whole_units(const struct choice *k, uint32_t tasks)
{
    return tasks - tasks % k->unit;
}

static void take(struct choice *k, uint32_t node, uint32_t tasks)
{
    if (tasks == 0)
        return;
    if (k->held[node] == 0)
        vec_push(&k->order, node);
    k->held[node] += tasks;
    k->missing -= tasks < k->missing ? tasks : k->missing;
}

/* Tasks the node could take besides those taken there. */
static uint32_t offer(const struct choice *k, const struct node *n)
{
    const struct reservation *r = k->r;
    uint32_t most = rsvnodes_tasks_configured(k->c, r, n), room = most;

    if (most == 0 || (k->partition != INDEX_NONE && n->partition != k->partition))
        return 0;
    if (!(r->flags & RSV_FORCE)) {
        if (!state_allows(n) && !(r->flags & RSV_IGNSTATE))
            return 0;
        room = k->free->tasks(k->free->ctx, r, n->index, r->start_at, r->end_at);
        room = room < most ? room : most;
    }
    room = whole_units(k, room);
    return room > k->held[n->index] ? room - k->held[n->index] : 0;
}

static void consider(struct choice *k, uint32_t node)
{
    struct cand cand = {.node = node,
        .tasks = offer(k, node_at(k->c, node)),
        .free_until = TIME_NEVER,
        .affinity = AFFINITY_NONE};

    if (cand.tasks > 0)
        vec_push(&k->cands, cand);
}

static int by_node(const void *a, const void *b)
{
    const struct cand *x = a, *y = b;

    return (x->node > y->node) - (x->node < y->node);
}

/* The candidates inside the host list, or outside of it; in RM order. */
static void consider_all(struct choice *k, bool inside, const bool *listed)
{
    k->cands.n = 0;
    if (inside) {
        for (size_t i = 0; i < k->r->hosts.n; i++)
            consider(k, k->r->hosts.v[i]);
        if (k->cands.n > 1)
            qsort(k->cands.v, k->cands.n, sizeof *k->cands.v, by_node);
        return;
    }
    for (uint32_t i = 0; i < k->c->nodes.n; i++)
        if (!listed || !listed[i])
            consider(k, i);
}

/* ---- the partition ---- */

/* Leave only candidates of the partition that offers most. */
static void settle_partition(struct choice *k)
{
    uint64_t offers[PARTITIONS_MAX + 1] = {0};
    uint32_t best = 0;
    size_t kept = 0;

    for (size_t i = 0; i < k->cands.n; i++)
        offers[node_at(k->c, k->cands.v[i].node)->partition] += k->cands.v[i].tasks;
    for (uint32_t p = 1; p <= PARTITIONS_MAX; p++)
        best = offers[p] > offers[best] ? p : best;
    k->partition = best;
    for (size_t i = 0; i < k->cands.n; i++)
        if (node_at(k->c, k->cands.v[i].node)->partition == best)
            k->cands.v[kept++] = k->cands.v[i];
    k->cands.n = kept;
}

/* Tasks taken already bind the rest to their partition. */
static void bind_partition(struct choice *k)
{
    if (k->r->partition == RSV_PARTITION_ONE && k->order.n > 0)
        k->partition = node_at(k->c, k->order.v[0])->partition;
}

static const struct par_settings *settings_of(const struct choice *k)
{
    uint32_t p = k->partition != INDEX_NONE ? k->partition : k->r->partition;

    return p < k->c->partitions.n ? k->c->partitions.v[p]->par : &k->c->cfg->par.v[0];
}

/* ---- taking ---------------------------------------------------------------------- */

/* Order the candidates by the allocation policy: the direction to walk in. */
static int order_candidates(struct choice *k)
{
    struct req req = {.def = &k->r->def, .tasks = k->missing};
    struct nodealloc a = {.c = k->c,
        .req = &req,
        .par = settings_of(k),
        .start_at = k->r->start_at,
        .end_at = k->r->end_at};
    struct nodealloc_want w = {.unit = k->unit,
        .units = k->missing / k->unit,
        .node_min = 1,
        .node_max = UINT32_MAX};
    size_t n = k->cands.n;
    int dir = nodealloc_order(&a, &w, k->cands.v, &n);

    /* A policy that finds nothing whole (CONTIGUOUS) leaves RM order: a part is
     * better than nothing. */
    if (dir != 0)
        k->cands.n = n;
    return dir != 0 ? dir : 1;
}

/* The sets a node is in, of those listed; all of them if none is. */
static void keep_sets_of(const struct cluster *c, const struct node *n,
    const struct text_list *listed, struct text_list *ret)
{
    for (size_t i = 0; i < n->features.n; i++) {
        char *name = (char *)names_text(c->features, n->features.v[i]);
        bool wanted = listed->n == 0;

        for (size_t k = 0; k < listed->n; k++)
            wanted |= strcmp(listed->v[k], name) == 0;
        if (wanted)
            vec_push(ret, name);
    }
}

/* Only candidates of the node set asked for; of a reservation that holds something
 * already, of a set that its first node is in. */
static void stay_in_set(struct choice *k)
{
    const struct nodeset_spec *asked = k->r->def.nodeset;
    struct nodeset_spec spec;
    struct taskdef def = k->r->def;
    struct req req = {.def = &def, .tasks = k->missing};
    struct nodealloc a = {.c = k->c,
        .req = &req,
        .par = settings_of(k),
        .start_at = k->r->start_at,
        .end_at = k->r->end_at};

    if (!asked)
        return;
    spec = *asked; /* borrows the list */
    def.nodeset = &spec;
    bool begun = k->order.n > 0 && asked->policy != NODESET_ANYOF;
    if (begun) {
        spec.list = (struct text_list){0};
        keep_sets_of(k->c, node_at(k->c, k->order.v[0]), &asked->list, &spec.list);
    }
    k->cands.n = nodeset_filter(&a, k->cands.v, k->cands.n, true);
    if (begun)
        vec_fini(&spec.list);
}

static void take_candidates(struct choice *k)
{
    int dir;

    if (k->cands.n == 0 || k->missing < k->unit)
        return;
    stay_in_set(k);
    dir = order_candidates(k);
    for (size_t i = 0; i < k->cands.n && k->missing >= k->unit; i++) {
        const struct cand *cand = &k->cands.v[dir > 0 ? i : k->cands.n - 1 - i];
        uint32_t tasks = cand->tasks < k->missing ? cand->tasks : k->missing;

        take(k, cand->node, whole_units(k, tasks));
    }
}

/* ---- the four combinations ---- */

static void take_every_host(struct choice *k)
{
    for (size_t i = 0; i < k->r->hosts.n; i++) {
        const struct node *n = node_at(k->c, k->r->hosts.v[i]);
        uint32_t tasks = whole_units(k, rsvnodes_tasks_configured(k->c, k->r, n));

        if (k->r->one_per_host && tasks > k->unit)
            tasks = k->unit;
        take(k, n->index, tasks);
    }
}

static void keep_what_is_held(struct choice *k)
{
    const struct reservation *r = k->r;

    for (size_t i = 0; i < r->alloc.n; i++) {
        for (uint32_t n = 0; n < r->alloc.v[i].count; n++) {
            const struct node *node = node_at(k->c, r->alloc.v[i].first + n);

            if (r->state != RSV_ACTIVE || (r->flags & (RSV_FORCE | RSV_IGNSTATE))
                || state_allows(node))
                take(k, node->index, r->alloc.v[i].tasks);
        }
    }
}

/* What the listed hosts hold when they are empty, in whole units. */
static uint64_t tasks_of_list(const struct cluster *c, const struct reservation *r)
{
    uint32_t unit = unit_of(r);
    uint64_t tasks = 0;

    for (size_t i = 0; i < r->hosts.n; i++)
        tasks +=
            rsvnodes_tasks_configured(c, r, node_at(c, r->hosts.v[i])) / unit * unit;
    return tasks;
}

bool rsvnodes_asks_for_all(const struct cluster *c, const struct reservation *r)
{
    return r->kind == RSV_STANDING && r->listed && r->tasks > 0
           && tasks_of_list(c, r) == r->tasks;
}

static void take_outside(struct choice *k)
{
    bool *listed = xcalloc(k->c->nodes.n, sizeof *listed);

    for (size_t i = 0; i < k->r->hosts.n; i++)
        listed[k->r->hosts.v[i]] = true;
    bind_partition(k);
    consider_all(k, false, listed);
    if (k->r->partition == RSV_PARTITION_ONE && k->partition == INDEX_NONE)
        settle_partition(k);
    take_candidates(k);
    free(listed);
}

static void take_floating(struct choice *k)
{
    if (!(k->r->flags & RSV_SPACEFLEX))
        keep_what_is_held(k);
    if (k->r->listed) {
        consider_all(k, true, NULL);
        take_candidates(k);
        if (k->missing >= k->unit && tasks_of_list(k->c, k->r) < k->r->tasks)
            take_outside(k);
        return;
    }
    take_outside(k);
}

/* ---- the result ---- */

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t emit(struct choice *k, struct allocs *ret)
{
    struct nodealloc_pieces pieces = {ret, ret->n, 0};
    uint32_t tasks = 0;

    if (k->order.n > 1)
        qsort(k->order.v, k->order.n, sizeof *k->order.v, by_index);
    for (size_t i = 0; i < k->order.n; i++) {
        uint32_t node = k->order.v[i];

        nodealloc_emit(&pieces, node, k->held[node], 0);
        tasks += k->held[node];
    }
    return tasks;
}

uint32_t rsvnodes_choose(const struct cluster *c, const struct reservation *r,
    const struct rsvnodes_free *free_tasks, struct allocs *ret)
{
    struct choice k = {.c = c,
        .r = r,
        .free = free_tasks,
        .unit = unit_of(r),
        .missing = r->tasks,
        .partition = INDEX_NONE};
    uint32_t tasks;

    assert(ret->n == 0);
    k.held = xmalloc((c->nodes.n + 1) * sizeof *k.held);
    if (rsvnodes_is_fixed(r)) { /* looks at nothing but the list */
        for (size_t i = 0; i < r->hosts.n; i++)
            k.held[r->hosts.v[i]] = 0;
        take_every_host(&k);
    } else if (r->tasks > 0) {
        memset(k.held, 0, c->nodes.n * sizeof *k.held);
        take_floating(&k);
    }
    tasks = emit(&k, ret);
    free(k.held);
    vec_fini(&k.order);
    vec_fini(&k.cands);
    return tasks;
}

/* ---- questions about it ---- */

static bool holds_unusable(const struct cluster *c, const struct reservation *r)
{
    if (r->state != RSV_ACTIVE || (r->flags & (RSV_FORCE | RSV_IGNSTATE)))
        return false;
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            if (!state_allows(node_at(c, r->alloc.v[i].first + k)))
                return true;
    return false;
}

bool rsvnodes_incomplete(const struct cluster *c, const struct reservation *r)
{
    if (rsvnodes_is_fixed(r))
        return false;
    return r->tasks >= r->held_tasks + unit_of(r) || holds_unusable(c, r);
}

bool rsvnodes_acceptable(const struct reservation *r, uint32_t tasks)
{
    if (r->kind == RSV_STANDING || (r->flags & RSV_BESTEFFORT))
        return true;
    return tasks > 0
           && (rsvnodes_is_fixed(r)
               || tasks >= (r->least_tasks ? r->least_tasks : r->tasks));
}
