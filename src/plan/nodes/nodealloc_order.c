/* SPDX-License-Identifier: Apache-2.0
 * The order in which each NODEALLOCATIONPOLICY uses up the candidates. Most policies
 * are a sort key under the affinity level; nodes that a policy cannot tell apart
 * stay in RM order, or in its reverse. Source: reference node-allocation 2, 3. */
#include "plan/nodes/nodealloc_private.h"
#include "plan/nodes/tightest.h"

#include <math.h>

/* ---- keys ------------------------------------------------------------------- */

#define KEYS 5 /* affinity level, then at most four of the policy */

struct rank_key {
    int64_t v[KEYS];
};

struct ranking {
    const struct nodealloc *a;
    const struct policy *policy;
    bool one_pool;   /* positive to negative are one level */
    bool speeds;     /* candidates differ in relative speed */
    bool procspeeds; /* some candidate tells its processor speed */
};

struct policy {
    /* Fill v[1..]: smaller is used earlier. NULL = RM order. */
    void (*key)(const struct ranking *r, const struct cand *k, struct rank_key *ret);
    bool later_first; /* among equals, last in RM order first */
};

static const struct node *node_of(const struct ranking *r, const struct cand *k)
{
    return node_at(r->a->c, k->node);
}

/* Any double as an integer of the same order; what is no number comes last. */
static int64_t ordered(double x)
{
    union {
        double d;
        int64_t i;
    } u = {.d = x + 0.0}; /* no negative zero */

    if (isnan(x))
        return INT64_MAX;
    return u.i >= 0 ? u.i : INT64_MIN - u.i;
}

static void key_last(
    const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    (void)r; /* the gap is free_until - end: the end is the same for all */
    ret->v[1] = k->free_until;
}

static void key_minresource(
    const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    const struct res *cfg = &node_of(r, k)->cfg;

    ret->v[1] = cfg->v[RES_MEM];
    ret->v[2] = cfg->v[RES_PROCS];
    ret->v[3] = cfg->v[RES_SWAP];
    ret->v[4] = cfg->v[RES_DISK];
}

static void key_cpuload(
    const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    ret->v[1] = ordered(-nodealloc_idle_procs(r->a->c, node_of(r, k)));
}

static void key_priority(
    const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    ret->v[1] = ordered(-nodeprio_value(r->a, k));
}

static void key_fastest(
    const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    const struct node *n = node_of(r, k);

    ret->v[1] = r->speeds ? ordered(-n->speed) : -n->procspeed_mhz;
}

static void key_balance(
    const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    const struct node *n = node_of(r, k);

    ret->v[1] = ordered(r->procspeeds ? (double)n->procspeed_mhz : n->speed);
}

static const struct policy policies[] = {
    [NODEALLOC_FIRSTAVAILABLE] = {NULL, false},
    [NODEALLOC_LASTAVAILABLE] = {key_last, true},
    [NODEALLOC_MINRESOURCE] = {key_minresource, true},
    [NODEALLOC_CPULOAD] = {key_cpuload, true},
    [NODEALLOC_PRIORITY] = {key_priority, false},
    [NODEALLOC_TIGHTEST] = {key_priority, false},
    [NODEALLOC_FASTEST] = {key_fastest, false},
    [NODEALLOC_MAXBALANCE] = {key_balance, false},
};

/* PRIORITY weighs affinity itself if its function says so. */
static enum affinity level_of(const struct ranking *r, const struct cand *k)
{
    if (r->one_pool && k->affinity >= AFFINITY_POSITIVE
        && k->affinity <= AFFINITY_NEGATIVE)
        return AFFINITY_POSITIVE;
    return k->affinity;
}

static void key_of(const struct ranking *r, const struct cand *k, struct rank_key *ret)
{
    *ret = (struct rank_key){{level_of(r, k)}};
    if (r->policy->key)
        r->policy->key(r, k, ret);
}

static int key_compare(const struct rank_key *x, const struct rank_key *y)
{
    for (int i = 0; i < KEYS; i++)
        if (x->v[i] != y->v[i])
            return x->v[i] < y->v[i] ? -1 : 1;
    return 0;
}

/* ---- sorting ---------------------------------------------------------------- */

/* The common case, told as cheaply as can be: it is asked at every start. */
static bool all_equal(const struct ranking *r, const struct cand *cands, size_t n)
{
    enum affinity level = level_of(r, &cands[0]);
    struct rank_key first, k;

    for (size_t i = 1; i < n; i++)
        if (level_of(r, &cands[i]) != level)
            return false;
    if (!r->policy->key)
        return true;
    key_of(r, &cands[0], &first);
    for (size_t i = 1; i < n; i++) {
        key_of(r, &cands[i], &k);
        if (key_compare(&k, &first) != 0)
            return false;
    }
    return true;
}

/* Usually a handful of different keys decides: then counting sorts. */
#define GROUPS 16

struct groups {
    struct rank_key key[GROUPS];
    size_t count[GROUPS];
    size_t n;
};

/* Group of the key, made if it is new; GROUPS when there are too many. */
static size_t group_of(struct groups *g, const struct rank_key *k, size_t guess)
{
    if (guess < g->n && key_compare(&g->key[guess], k) == 0)
        return guess;
    for (size_t i = 0; i < g->n; i++)
        if (key_compare(&g->key[i], k) == 0)
            return i;
    if (g->n == GROUPS)
        return GROUPS;
    g->key[g->n] = *k;
    g->count[g->n] = 0;
    return g->n++;
}

/* Where each group begins in the sorted array. */
static void group_starts(const struct groups *g, size_t start[GROUPS])
{
    for (size_t i = 0; i < g->n; i++) {
        start[i] = 0;
        for (size_t k = 0; k < g->n; k++)
            if (key_compare(&g->key[k], &g->key[i]) < 0)
                start[i] += g->count[k];
    }
}

/* Sort by counting; false, with nothing changed, when there are too many keys. */
static bool sort_groups(const struct ranking *r, struct cand *cands, size_t n)
{
    struct groups g = {.n = 0};
    uint8_t *of = xmalloc(n);
    size_t guess = 0, start[GROUPS];
    struct rank_key k;

    for (size_t i = 0; i < n && guess < GROUPS; i++) {
        key_of(r, &cands[i], &k);
        guess = group_of(&g, &k, guess);
        if (guess < GROUPS)
            g.count[guess]++;
        of[i] = (uint8_t)guess;
    }
    if (guess < GROUPS) {
        struct cand *sorted = xmalloc(n * sizeof *sorted);
        group_starts(&g, start);
        for (size_t i = 0; i < n; i++) {
            size_t at = r->policy->later_first ? n - 1 - i : i;
            sorted[start[of[at]]++] = cands[at];
        }
        memcpy(cands, sorted, n * sizeof *sorted);
        free(sorted);
    }
    free(of);
    return guess < GROUPS;
}

struct ranked {
    struct rank_key key;
    int64_t tie;
    struct cand cand;
};

static int by_rank(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    int c = key_compare(&a->key, &b->key);

    return c ? c : a->tie < b->tie ? -1 : a->tie > b->tie;
}

static void sort_keys(const struct ranking *r, struct cand *cands, size_t n)
{
    struct ranked *v = xmalloc(n * sizeof *v);

    for (size_t i = 0; i < n; i++) {
        key_of(r, &cands[i], &v[i].key);
        v[i].tie = r->policy->later_first ? -(int64_t)i : (int64_t)i;
        v[i].cand = cands[i];
    }
    qsort(v, n, sizeof *v, by_rank);
    for (size_t i = 0; i < n; i++)
        cands[i] = v[i].cand;
    free(v);
}

/* Order by key; returns the direction of the walk. */
static int rank(const struct ranking *r, struct cand *cands, size_t n)
{
    if (all_equal(r, cands, n))
        return r->policy->later_first ? -1 : 1;
    if (!sort_groups(r, cands, n))
        sort_keys(r, cands, n);
    return 1;
}

/* ---- MAXBALANCE ------------------------------------------------------------- */

void nodealloc_reverse(struct cand *v, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct cand t = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = t;
    }
}

static double speed_of(const struct ranking *r, const struct cand *k)
{
    const struct node *n = node_of(r, k);

    return r->procspeeds ? (double)n->procspeed_mhz : n->speed;
}

/* Bring the stretch of least span that holds the want to the front of candidates
 * sorted by speed; of equal spans the slowest. */
static void balance_level(
    const struct ranking *r, const struct nodealloc_want *w, struct cand *v, size_t n)
{
    uint64_t sum = 0;
    double best = INFINITY;
    size_t end = 0, best_at = 0, best_end = 0;

    for (size_t at = 0; at < n; at++) {
        while (end < n && (sum < w->units || end - at < w->nodes))
            sum += nodealloc_cap(w, &v[end++]);
        if (sum < w->units || end - at < w->nodes)
            break;
        double span = speed_of(r, &v[end - 1]) - speed_of(r, &v[at]);
        if (span < best) {
            best = span;
            best_at = at;
            best_end = end;
        }
        sum -= nodealloc_cap(w, &v[at]);
    }
    nodealloc_reverse(v, best_at);
    nodealloc_reverse(v + best_at, best_end - best_at);
    nodealloc_reverse(v, best_end);
}

/* Levels that are used up whole need no choice: balance the first that is not. */
static void balance(const struct ranking *r, const struct nodealloc_want *w,
    struct cand *cands, size_t n)
{
    struct nodealloc_want rest = *w;

    for (size_t start = 0, end; start < n; start = end) {
        uint64_t sum = 0;
        for (end = start; end < n && cands[end].affinity == cands[start].affinity;)
            sum += nodealloc_cap(w, &cands[end++]);
        if (sum >= rest.units && end - start >= rest.nodes) {
            balance_level(r, &rest, cands + start, end - start);
            return;
        }
        rest.units = sum < rest.units ? rest.units - (uint32_t)sum : 0;
        rest.nodes =
            end - start < rest.nodes ? rest.nodes - (uint32_t)(end - start) : 0;
    }
}

/* ---- TIGHTEST --------------------------------------------------------------- */

/* Neighbours among candidates in RM order. */
static struct stretches stretches_of(const struct ranking *r,
    const struct nodealloc_want *w, const struct cand *v, size_t n)
{
    struct stretches ret = {0};

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || v[i].node != v[i - 1].node + 1)
            vec_push(&ret, ((struct stretch){.first = i}));
        struct stretch *last = &ret.v[ret.n - 1];
        last->units += nodealloc_cap(w, &v[i]);
        last->procs += tightest_procs(r->a->c, v[i].node);
        last->count++;
        last->nodes++;
    }
    return ret;
}

/* The candidate of the stretch that holds all that is wanted, the smallest; `count`
 * when none does. */
static size_t find_single(const struct ranking *r, const struct nodealloc_want *w,
    const struct cand *v, size_t count)
{
    int64_t best = 0;
    size_t at = count;

    for (size_t i = 0; i < count; i++) {
        int64_t procs = tightest_procs(r->a->c, v[i].node);

        if (nodealloc_cap(w, &v[i]) < w->units || (at < count && procs >= best))
            continue;
        best = procs;
        at = i;
    }
    return at;
}

/* Append a stretch to the order and take what it gives off the want. False, with
 * nothing done: one node is wanted, and none of it suffices. */
static bool take_stretch(const struct ranking *r, struct nodealloc_want *io,
    const struct stretch *s, const struct cand *v, struct cand *order, size_t *io_n)
{
    const struct cand *from = v + s->first;
    size_t single = io->nodes <= 1 ? find_single(r, io, from, s->count) : s->count;

    if (io->nodes == 1 && single == s->count)
        return false;
    if (single < s->count)
        order[(*io_n)++] = from[single];
    for (size_t i = 0; i < s->count; i++)
        if (i != single)
            order[(*io_n)++] = from[i];
    io->units = s->units < io->units ? io->units - (uint32_t)s->units : 0;
    io->nodes = s->nodes < io->nodes ? io->nodes - s->nodes : 0;
    return true;
}

/* Order candidates of one level, which hold the want. */
static void tighten_level(
    const struct ranking *r, const struct nodealloc_want *w, struct cand *v, size_t n)
{
    struct nodealloc_want rest = *w;
    struct stretches found = stretches_of(r, w, v, n);
    struct cand *order = xmalloc(n * sizeof *order);
    struct stretch *s;
    size_t put = 0;
    bool *passed = xcalloc(found.n, sizeof *passed);

    while ((rest.units > 0 || rest.nodes > 0)
           && (s = tightest_stretch(found.v, found.n, rest.units, rest.nodes))) {
        s->done = true;
        passed[s - found.v] = !take_stretch(r, &rest, s, v, order, &put);
    }
    for (size_t i = 0; i < found.n; i++)
        if (!found.v[i].done || passed[i])
            for (size_t k = 0; k < found.v[i].count; k++)
                order[put++] = v[found.v[i].first + k];
    memcpy(v, order, n * sizeof *v);
    free(passed);
    free(order);
    vec_fini(&found);
}

/* Levels that are used up whole need no choice: order the first that is not. */
static void tighten_ranking(const struct ranking *r, const struct nodealloc_want *w,
    struct cand *cands, size_t n)
{
    struct nodealloc_want rest = *w;
    struct rank_key level, k;

    for (size_t start = 0, end; start < n; start = end) {
        uint64_t sum = 0;

        key_of(r, &cands[start], &level);
        for (end = start; end < n; end++) {
            key_of(r, &cands[end], &k);
            if (key_compare(&k, &level) != 0)
                break;
            sum += nodealloc_cap(w, &cands[end]);
        }
        if (sum >= rest.units && end - start >= rest.nodes) {
            tighten_level(r, &rest, cands + start, end - start);
            return;
        }
        rest.units = sum < rest.units ? rest.units - (uint32_t)sum : 0;
        rest.nodes =
            end - start < rest.nodes ? rest.nodes - (uint32_t)(end - start) : 0;
    }
}

/* ---- CONTIGUOUS ------------------------------------------------------------- */

/* A candidate and where it stands. */
struct stand {
    uint32_t partition;
    int64_t frame, slot, slots; /* without slots: -1, RM position, 1 */
    struct cand cand;
};

static int by_stand(const void *x, const void *y)
{
    const struct stand *a = x, *b = y;

    if (a->partition != b->partition)
        return a->partition < b->partition ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return a->cand.node < b->cand.node ? -1 : a->cand.node > b->cand.node;
}

static bool adjacent(const struct stand *a, const struct stand *b)
{
    return a->partition == b->partition && a->frame == b->frame
           && b->slot <= a->slot + a->slots;
}

/* Slots count when every candidate has one. */
static struct stand *stands_of(
    const struct ranking *r, const struct cand *cands, size_t n)
{
    struct stand *v = xmalloc(n * sizeof *v);
    bool slots = true;

    for (size_t i = 0; i < n; i++)
        slots &= node_of(r, &cands[i])->slot >= 0;
    for (size_t i = 0; i < n; i++) {
        const struct node *node = node_of(r, &cands[i]);
        v[i] = (struct stand){node->partition, -1, node->index, 1, cands[i]};
        if (slots) {
            v[i].frame = node->frame;
            v[i].slot = node->slot;
            v[i].slots = node->slots > 0 ? node->slots : 1;
        }
    }
    qsort(v, n, sizeof *v, by_stand);
    return v;
}

/* First run of adjacent nodes that holds the want: its length, 0 = none. */
static size_t first_run(
    const struct nodealloc_want *w, const struct stand *v, size_t n, size_t *ret_start)
{
    size_t start = 0;
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (i && !adjacent(&v[i - 1], &v[i])) {
            start = i;
            sum = 0;
        }
        sum += nodealloc_cap(w, &v[i].cand);
        if (w->nodes && i - start + 1 > w->nodes)
            sum -= nodealloc_cap(w, &v[start++].cand);
        if (sum >= w->units && (!w->nodes || i - start + 1 == w->nodes)) {
            *ret_start = start;
            return i - start + 1;
        }
    }
    return 0;
}

/* Keep one run; of the best levels in which there is one. Returns its length. */
static size_t keep_run(const struct ranking *r, const struct nodealloc_want *w,
    struct cand *cands, size_t n)
{
    struct stand *v = stands_of(r, cands, n);
    struct stand *open = xmalloc(n * sizeof *open);
    size_t len = 0, start = 0, was_open = 0;

    for (int level = 0; level < AFFINITY_LEVELS && len == 0; level++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if ((int)v[i].cand.affinity <= level)
                open[m++] = v[i];
        if (m > was_open)
            len = first_run(w, open, m, &start);
        was_open = m;
    }
    for (size_t i = 0; i < len; i++)
        cands[i] = open[start + i].cand;
    free(open);
    free(v);
    return len;
}

/* ---- all of it -------------------------------------------------------------- */

/* What some policies must know of all candidates. */
static void survey(
    struct ranking *r, enum nodealloc_policy policy, const struct cand *cands, size_t n)
{
    if (policy == NODEALLOC_PRIORITY || policy == NODEALLOC_TIGHTEST)
        for (size_t i = 0; i < n && !r->one_pool; i++)
            r->one_pool = nodeprio_weighs_affinity(node_of(r, &cands[i]));
    if (policy != NODEALLOC_FASTEST && policy != NODEALLOC_MAXBALANCE)
        return;
    double speed = node_of(r, &cands[0])->speed;
    for (size_t i = 0; i < n; i++) {
        r->speeds |= node_of(r, &cands[i])->speed != speed;
        r->procspeeds |= node_of(r, &cands[i])->procspeed_mhz > 0;
    }
}

int nodealloc_order(const struct nodealloc *a, const struct nodealloc_want *w,
    struct cand *cands, size_t *n)
{
    enum nodealloc_policy policy = nodealloc_policy_of(a);
    struct ranking r = {.a = a};

    if (policy == NODEALLOC_LOCAL || policy == NODEALLOC_UNSET || *n == 0)
        return 0;
    if (policy == NODEALLOC_CONTIGUOUS) {
        *n = keep_run(&r, w, cands, *n);
        return *n > 0;
    }
    r.policy = &policies[policy];
    survey(&r, policy, cands, *n);
    int dir = rank(&r, cands, *n);
    if (policy == NODEALLOC_MAXBALANCE)
        balance(&r, w, cands, *n);
    if (policy == NODEALLOC_TIGHTEST)
        tighten_ranking(&r, w, cands, *n);
    return dir;
}
