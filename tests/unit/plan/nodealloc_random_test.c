/* SPDX-License-Identifier: Apache-2.0
 * Random candidates and requests against plain oracles. A failure names its seed. */
#include "select_fixture.h"

#define NODES 40

/* splitmix64: the same cases everywhere. */
static uint64_t next(uint64_t *s)
{
    uint64_t z = *s += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *s, uint32_t n)
{
    return (uint32_t)(next(s) % n);
}

struct trial {
    uint64_t seed;
    struct world *w;
    struct taskdef def;
    struct req req;
    struct job job;
    struct nodealloc a;
    enum nodealloc_policy policy;
    struct cand cands[NODES];
    size_t n;
    uint32_t got[NODES]; /* tasks by node */
    uint32_t used;       /* nodes */
    bool speeds;         /* usable candidates differ in speed */
};

#define CHECK(t, what)                                                                 \
    do {                                                                               \
        if (!(what))                                                                   \
            fail_msg("seed %llu, policy %d: %s", (unsigned long long)(t)->seed,        \
                (int)(t)->policy, #what);                                              \
    } while (0)

/* ---- a random trial ----------------------------------------------------------- */

static void random_nodes(struct world *w, uint64_t *s)
{
    bool plain = below(s, 3) == 0, speeds = below(s, 2);
    char name[8];

    for (int i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "n%d", i + 1);
        settings_node(w->cfg, name)->priority = below(s, 4);
        settings_node(w->cfg, name)->priority_set = true;
    }
    for (int i = 0; i < NODES; i++) {
        struct node_desc d = {.name = name, .cfg = {{8, 1024}}, .speed = 1};
        snprintf(name, sizeof name, "n%d", i + 1);
        if (!plain) {
            d.cfg.v[RES_MEM] = 256 + below(s, below(s, 2) ? 3 : 60);
            d.cfg.v[RES_PROCS] = 2 + below(s, 7);
            d.speed = 1 + 0.25 * speeds * below(s, 3);
            d.procspeed_mhz = 500 + 50 * below(s, 6);
        }
        struct node *n = world_node(w, d);
        node_measure(w->c, n, below(s, 5), &(struct res){{0}});
    }
}

static void random_cands(struct trial *t, uint64_t *s)
{
    uint32_t density = 1 + below(s, 6), levels = 1 + below(s, AFFINITY_LEVELS);
    uint32_t ends = below(s, 3) ? 3 : 1000;

    t->n = 0;
    for (uint32_t i = 0; i < NODES; i++)
        if (below(s, 6) < density)
            t->cands[t->n++] = (struct cand){i, 1 + below(s, 8),
                below(s, 2) ? TIME_NEVER : 5000 + below(s, ends),
                (enum affinity)below(s, levels)};
}

static void random_request(struct trial *t, uint64_t *s)
{
    t->def = *world_tasks(t->w, 1)->reqs[0].def;
    t->def.tpn = below(s, 4) ? 0 : 1 + below(s, 3);
    t->def.access = below(s, 5) ? ACCESS_SHARED : ACCESS_SINGLETASK;
    if (t->def.access == ACCESS_SINGLETASK)
        t->def.tpn = 0;
    t->def.exactnode = below(s, 3) == 0;
    t->req = (struct req){.def = &t->def, .tasks = 1 + below(s, 60)};
    t->req.nodes = below(s, 2) ? 0 : 1 + below(s, 12);
    if (t->def.tpn > 1)
        t->req.tasks *= t->def.tpn;
}

static void trial_open(struct trial *t, uint64_t seed, enum nodealloc_policy policy)
{
    uint64_t s = seed;

    memset(t, 0, sizeof *t);
    t->seed = seed;
    t->policy = policy;
    t->w = world_open(policy);
    random_nodes(t->w, &s);
    t->w->cfg->enable_multinode_jobs = below(&s, 8) != 0;
    random_request(t, &s);
    random_cands(t, &s);
    t->a = (struct nodealloc){.c = t->w->c,
        .j = &t->job,
        .req = &t->req,
        .par = t->w->par,
        .start_at = 100,
        .end_at = 4000,
        .immediate = below(&s, 2)};
}

/* ---- oracles ------------------------------------------------------------------ */

static uint32_t cap_of(const struct trial *t, const struct cand *k)
{
    uint32_t cap = t->def.access == ACCESS_SINGLETASK ? 1 : k->tasks;

    if (t->def.tpn > 1)
        cap -= cap % t->def.tpn;
    return t->w->cfg->enable_multinode_jobs || cap >= t->req.tasks ? cap : 0;
}

static uint32_t unit_of(const struct trial *t)
{
    return t->def.tpn > 1 ? t->def.tpn : 1;
}

static uint32_t exact_of(const struct trial *t)
{
    uint32_t units = t->req.tasks / unit_of(t);

    if (!t->def.exactnode)
        return 0;
    return t->req.nodes < units ? t->req.nodes : units;
}

/* Do the (at most) `count` largest of these hold the request? */
static bool could_hold(const struct trial *t, const struct cand *k, size_t n)
{
    uint32_t caps[NODES], exact = exact_of(t), sum = 0, useful = 0;

    for (size_t i = 0; i < n; i++)
        if (cap_of(t, &k[i]))
            caps[useful++] = cap_of(t, &k[i]);
    for (uint32_t i = 0; i < useful; i++)
        for (uint32_t m = i + 1; m < useful; m++)
            if (caps[m] > caps[i]) {
                uint32_t c = caps[i];
                caps[i] = caps[m];
                caps[m] = c;
            }
    if (exact > useful || (exact > 1 && !t->w->cfg->enable_multinode_jobs))
        return false;
    for (uint32_t i = 0; i < (exact ? exact : useful); i++)
        sum += caps[i];
    return sum >= t->req.tasks;
}

static bool is_idle(const struct trial *t, const struct cand *k)
{
    const struct node *n = node_at(t->w->c, k->node);

    return (double)n->cfg.v[RES_PROCS] - n->load > 0;
}

/* What the policy may use at all. */
static size_t usable(const struct trial *t, struct cand *ret)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        if (cap_of(t, &t->cands[i])
            && (t->policy != NODEALLOC_CPULOAD || !t->a.immediate
                || is_idle(t, &t->cands[i])))
            ret[n++] = t->cands[i];
    return n;
}

/* Is there a run of neighbours that holds the request? */
static bool run_exists(const struct trial *t, const struct cand *k, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t m = i; m < n; m++) {
            if (m > i && k[m].node != k[m - 1].node + 1)
                break;
            uint32_t exact = exact_of(t);
            if ((!exact || m - i + 1 == exact) && could_hold(t, &k[i], m - i + 1))
                return true;
        }
    return false;
}

static void note_speeds(struct trial *t)
{
    struct cand k[NODES];
    size_t n = usable(t, k);

    for (size_t i = 1; i < n; i++)
        t->speeds |=
            node_at(t->w->c, k[i].node)->speed != node_at(t->w->c, k[0].node)->speed;
}

static bool satisfiable(const struct trial *t)
{
    struct cand k[NODES];
    size_t n = usable(t, k);

    if (t->policy == NODEALLOC_CONTIGUOUS)
        return run_exists(t, k, n);
    return could_hold(t, k, n);
}

/* Does the policy put x before y (equal levels are not yet looked at)? */
static int compare(const struct trial *t, const struct cand *x, const struct cand *y)
{
    const struct node *a = node_at(t->w->c, x->node), *b = node_at(t->w->c, y->node);
    enum nodealloc_policy p = t->policy;
    int later = x->node > y->node ? -1 : 1;

    if (p == NODEALLOC_CPULOAD && !t->a.immediate)
        p = NODEALLOC_MINRESOURCE;
    if (p == NODEALLOC_LASTAVAILABLE)
        return x->free_until != y->free_until ? (x->free_until < y->free_until ? -1 : 1)
                                              : later;
    if (p == NODEALLOC_MINRESOURCE) {
        if (a->cfg.v[RES_MEM] != b->cfg.v[RES_MEM])
            return a->cfg.v[RES_MEM] < b->cfg.v[RES_MEM] ? -1 : 1;
        if (a->cfg.v[RES_PROCS] != b->cfg.v[RES_PROCS])
            return a->cfg.v[RES_PROCS] < b->cfg.v[RES_PROCS] ? -1 : 1;
        return later;
    }
    if (p == NODEALLOC_CPULOAD) {
        double i = (double)a->cfg.v[RES_PROCS] - a->load;
        double k = (double)b->cfg.v[RES_PROCS] - b->load;
        return i != k ? (i > k ? -1 : 1) : later;
    }
    if (p == NODEALLOC_FASTEST) {
        double i = t->speeds ? a->speed : (double)a->procspeed_mhz;
        double k = t->speeds ? b->speed : (double)b->procspeed_mhz;
        if (i != k)
            return i > k ? -1 : 1;
    }
    if (p == NODEALLOC_PRIORITY || p == NODEALLOC_TIGHTEST) {
        double i = nodeprio_value(&t->a, x), k = nodeprio_value(&t->a, y);
        if (i != k)
            return i > k ? -1 : 1;
    }
    return -later;
}

static bool weighs_affinity(const struct trial *t)
{
    return t->policy == NODEALLOC_PRIORITY || t->policy == NODEALLOC_TIGHTEST;
}

/* Fill node by node, always with the best one left. */
static void naive(const struct trial *t, uint32_t got[NODES])
{
    struct cand k[NODES];
    size_t n = usable(t, k);
    uint32_t left = t->req.tasks;

    memset(got, 0, NODES * sizeof *got);
    while (left && n) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++) {
            bool levels = !weighs_affinity(t)
                          || (k[i].affinity == AFFINITY_REQUIRED)
                                 != (k[best].affinity == AFFINITY_REQUIRED)
                          || (k[i].affinity == AFFINITY_PREEMPTIBLE)
                                 != (k[best].affinity == AFFINITY_PREEMPTIBLE);
            if (levels && k[i].affinity != k[best].affinity) {
                if (k[i].affinity < k[best].affinity)
                    best = i;
            } else if (compare(t, &k[i], &k[best]) < 0) {
                best = i;
            }
        }
        uint32_t cap = cap_of(t, &k[best]);
        got[k[best].node] = cap < left ? cap : left;
        left -= got[k[best].node];
        k[best] = k[--n];
    }
}

/* ---- checks -------------------------------------------------------------------- */

static int run(struct trial *t, struct allocs *ret, enum wait_code *ret_code)
{
    struct cand copy[NODES];

    memcpy(copy, t->cands, sizeof copy);
    return nodealloc_choose(&t->a, copy, t->n, ret, ret_code);
}

static void read_pieces(struct trial *t, const struct allocs *got)
{
    t->used = 0;
    memset(t->got, 0, sizeof t->got);
    for (size_t i = 0; i < got->n; i++) {
        CHECK(t, got->v[i].req == 0 && got->v[i].tasks > 0 && got->v[i].count > 0);
        for (uint32_t k = 0; k < got->v[i].count; k++) {
            CHECK(t, got->v[i].first + k < NODES);
            CHECK(t, t->got[got->v[i].first + k] == 0);
            t->got[got->v[i].first + k] = got->v[i].tasks;
            t->used++;
        }
    }
}

static void check_amounts(struct trial *t)
{
    uint32_t sum = 0, offered[NODES] = {0};

    for (size_t i = 0; i < t->n; i++)
        offered[t->cands[i].node] = cap_of(t, &t->cands[i]);
    for (uint32_t i = 0; i < NODES; i++) {
        CHECK(t, t->got[i] <= offered[i]);
        CHECK(t, t->got[i] % unit_of(t) == 0);
        sum += t->got[i];
    }
    CHECK(t, sum == t->req.tasks);
    CHECK(t, exact_of(t) == 0 || t->used == exact_of(t));
}

/* A level is used up before the next one is opened. */
static void check_levels(struct trial *t)
{
    int worst_used = -1, best_left = AFFINITY_LEVELS;
    struct cand k[NODES];
    size_t n = usable(t, k);

    for (size_t i = 0; i < n; i++) {
        int level = (int)k[i].affinity;
        if (t->got[k[i].node] && level > worst_used)
            worst_used = level;
        if (t->got[k[i].node] < cap_of(t, &k[i]) && level < best_left)
            best_left = level;
    }
    CHECK(t, worst_used <= best_left);
}

static void check_adjacent(struct trial *t)
{
    uint32_t first = 0;

    while (!t->got[first])
        first++;
    for (uint32_t i = 0; i < t->used; i++)
        CHECK(t, t->got[first + i] > 0);
}

static double speed_of(const struct trial *t, uint32_t node)
{
    const struct node *n = node_at(t->w->c, node);

    return n->procspeed_mhz > 0 ? (double)n->procspeed_mhz : n->speed;
}

/* Tasks on offer by nodes of speeds from..to. */
static uint32_t offered_between(const struct trial *t, double from, double to)
{
    struct cand k[NODES];
    size_t n = usable(t, k);
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i++)
        if (speed_of(t, k[i].node) >= from && speed_of(t, k[i].node) <= to)
            sum += cap_of(t, &k[i]);
    return sum;
}

/* No narrower range of speeds holds the request, nor a slower one of that width. */
static void check_span(struct trial *t)
{
    double slowest = 1e9, fastest = 0;
    struct cand k[NODES];
    size_t n = usable(t, k);

    for (uint32_t i = 0; i < NODES; i++)
        if (t->got[i]) {
            slowest = speed_of(t, i) < slowest ? speed_of(t, i) : slowest;
            fastest = speed_of(t, i) > fastest ? speed_of(t, i) : fastest;
        }
    for (size_t i = 0; i < n; i++)
        if (k[i].affinity != k[0].affinity)
            return;
    for (size_t i = 0; i < n; i++) {
        double from = speed_of(t, k[i].node), span = fastest - slowest;
        CHECK(t, offered_between(t, from, from + span - 1) < t->req.tasks);
        if (from < slowest)
            CHECK(t, offered_between(t, from, from + span) < t->req.tasks);
    }
}

/* Tasks that it has of each priority, the best first. */
static void by_priority(
    const struct trial *t, const uint32_t got[NODES], uint32_t ret[4])
{
    memset(ret, 0, 4 * sizeof *ret);
    for (uint32_t i = 0; i < NODES; i++)
        ret[3 - node_at(t->w->c, i)->priority] += got[i];
}

/* As much of each priority as the naive filler has; of one priority alone on one node,
 * where one of a single level holds it all. */
static void check_tightest(struct trial *t)
{
    uint32_t want[NODES], naively[4], mine[4];
    struct cand k[NODES];
    size_t n = usable(t, k);
    bool one_level = true, single = false;

    for (size_t i = 0; i < n; i++)
        one_level &= k[i].affinity == k[0].affinity;
    if (!one_level)
        return;
    naive(t, want);
    by_priority(t, want, naively);
    by_priority(t, t->got, mine);
    CHECK(t, memcmp(naively, mine, sizeof mine) == 0);
    int64_t best = -1;
    for (size_t i = 0; i < n; i++)
        if (node_at(t->w->c, k[i].node)->priority > best)
            best = node_at(t->w->c, k[i].node)->priority;
    uint32_t top = 0;
    for (size_t i = 0; i < n; i++)
        if (node_at(t->w->c, k[i].node)->priority == best) {
            single |= cap_of(t, &k[i]) >= t->req.tasks;
            top++;
        }
    /* in one stretch */
    if (single && top == n && k[n - 1].node - k[0].node == n - 1)
        CHECK(t, t->used == 1);
}

static void check_choice(struct trial *t)
{
    uint32_t want[NODES];

    note_speeds(t);
    check_amounts(t);
    if (t->policy == NODEALLOC_CONTIGUOUS)
        check_adjacent(t);
    if (exact_of(t) || t->policy == NODEALLOC_CONTIGUOUS)
        return;
    if (!weighs_affinity(t))
        check_levels(t);
    if (t->policy == NODEALLOC_MAXBALANCE) {
        check_span(t);
    } else if (t->policy == NODEALLOC_TIGHTEST) {
        check_tightest(t);
    } else {
        naive(t, want);
        CHECK(t, memcmp(want, t->got, sizeof want) == 0);
    }
}

static void try_one(uint64_t seed, enum nodealloc_policy policy)
{
    struct trial t;
    struct allocs one = {0}, two = {0};
    enum wait_code code, again;

    trial_open(&t, seed, policy);
    int rc = run(&t, &one, &code);
    CHECK(&t, run(&t, &two, &again) == rc && code == again);
    CHECK(&t, one.n == two.n);
    CHECK(&t, one.n == 0 || memcmp(one.v, two.v, one.n * sizeof *one.v) == 0);
    CHECK(&t, (rc == 0) == satisfiable(&t));
    if (rc == 0) {
        read_pieces(&t, &one);
        check_choice(&t);
    } else {
        CHECK(&t, one.n == 0 && code == WAIT_RESOURCES);
    }
    vec_fini(&one);
    vec_fini(&two);
    world_close(t.w);
}

static void every_policy_gives_what_was_asked_and_fails_only_if_it_must(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++)
        for (int p = NODEALLOC_FIRSTAVAILABLE; p < NODEALLOC_LOCAL; p++)
            try_one(seed, (enum nodealloc_policy)p);
}

/* A stretch of equal nodes is one piece, whichever way it was walked. */
static void equal_neighbours_are_one_piece(void **state)
{
    static const enum nodealloc_policy policies[] = {NODEALLOC_FIRSTAVAILABLE,
        NODEALLOC_LASTAVAILABLE, NODEALLOC_MINRESOURCE, NODEALLOC_CONTIGUOUS,
        NODEALLOC_MAXBALANCE, NODEALLOC_FASTEST};

    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct world *w = world_open(policies[i]);
        struct allocs got = {0};
        struct cand cands[NODES];
        world_nodes(w, NODES, 2);
        struct job *j = world_tasks(w, 60);
        struct nodealloc a = world_ask(w, j);
        size_t n = world_cands(w, j, cands);
        assert_int_equal(nodealloc_choose(&a, cands, n, &got, &w->code), 0);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.v[0].count, 30);
        vec_fini(&got);
        world_close(w);
    }
}

/* ---- several requests ---------------------------------------------------------- */

#define REQS 3

struct joint {
    struct trial t; /* for CHECK */
    struct nodealloc a[REQS];
    struct req reqs[REQS];
    uint32_t tasks[REQS][NODES];
    const uint32_t *rows[REQS];
    struct cand cands[NODES];
    struct node_room room[NODES];
    struct nodealloc_multi m;
};

static void joint_open(struct joint *g, uint64_t seed)
{
    uint64_t s = seed;
    struct world *w = world_open((enum nodealloc_policy)below(&s, NODEALLOC_LOCAL));

    memset(g, 0, sizeof *g);
    g->t = (struct trial){.seed = seed, .w = w, .policy = w->par->nodealloc};
    random_nodes(w, &s);
    for (uint32_t r = 0; r < REQS; r++) {
        struct req_desc d = {.tasks = 1 + below(&s, 25)};
        d.per_task.v[RES_PROCS] = 1 + below(&s, 3);
        d.per_task.v[RES_MEM] = below(&s, 200);
        const struct job *j = world_job(w, "a", d);
        g->reqs[r] = j->reqs[0];
        g->a[r] = world_ask(w, j);
        g->a[r].req = &g->reqs[r];
        g->a[r].req_index = r;
        g->rows[r] = g->tasks[r];
        for (uint32_t i = 0; i < NODES; i++)
            g->tasks[r][i] = feasible_tasks(w->c, g->reqs[r].def, node_at(w->c, i));
    }
    for (uint32_t i = 0; i < NODES; i++) {
        g->cands[i] = (struct cand){i, 0, TIME_NEVER, AFFINITY_NONE};
        room_of_empty(&g->room[i], w->c, g->reqs[0].def, node_at(w->c, i));
    }
    g->m = (struct nodealloc_multi){
        g->a, REQS, g->cands, NODES, g->rows, below(&s, 2) ? g->room : NULL};
}

/* Take the piece from what the nodes have. */
static void joint_take(struct joint *g, const struct alloc *p)
{
    for (uint32_t i = p->first; i < p->first + p->count; i++)
        for (int d = 0; d < RES_DIMS; d++) {
            g->room[i].res.v[d] -= g->reqs[p->req].def->per_task.v[d] * p->tasks;
            CHECK(&g->t, g->room[i].res.v[d] >= 0);
        }
}

/* Nobody gets more than asked, no node gives more than it has. */
static void joint_choices_never_overcommit_a_node(void **state)
{
    unsigned placed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct joint g;
        struct allocs got = {0};
        enum wait_code code;
        uint32_t sum[REQS] = {0};
        joint_open(&g, seed);
        int rc = nodealloc_choose_multi(&g.m, &got, &code);
        CHECK(&g.t, rc == 0 || got.n == 0);
        for (size_t i = 0; i < got.n; i++) {
            joint_take(&g, &got.v[i]);
            sum[got.v[i].req] += got.v[i].tasks * got.v[i].count;
        }
        for (uint32_t r = 0; rc == 0 && r < REQS; r++)
            CHECK(&g.t, sum[r] == g.reqs[r].tasks);
        placed += rc == 0;
        vec_fini(&got);
        world_close(g.t.w);
    }
    assert_true(placed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_gives_what_was_asked_and_fails_only_if_it_must),
        cmocka_unit_test(equal_neighbours_are_one_piece),
        cmocka_unit_test(joint_choices_never_overcommit_a_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
