/* SPDX-License-Identifier: Apache-2.0
 * The earliest instant at which a job fits, found by the plan and by looking at every
 * second. On small worlds: some jobs run, some are reserved, and each is asked for. */
#include "cmocka_all.h"
#include "config/config.h"
#include "hunt.h"
#include "model.h"
#include "plan/feasible.h"
#include "plan/plan_private.h"
#include "policy/access.h"
#include "rng.h"
#include "tell.h"

#include <stdio.h>

#define NOW     100
#define HORIZON 160 /* seconds looked at: all limits together are less */
#define NEVER   (-1)

/* When a job has what; of a counted reservation only units of pools are known. */
struct hold {
    int64_t start, end; /* end 0 = nothing */
    uint32_t tasks[W_NODES];
};

struct oracle {
    const struct world *w;
    struct settings *cfg;
    struct cluster *c;
    struct plan *p;
    struct model m;
    struct hold holds[W_JOBS];
    char *fail;
    size_t size;
};

/* ---- tiny worlds ------------------------------------------------------------- */

static void make_tiny(struct world *w, uint64_t seed)
{
    static const char *const alloc[] = {"FIRSTAVAILABLE", "LASTAVAILABLE",
        "MINRESOURCE", "CPULOAD", "PRIORITY", "FASTEST"};
    struct rng r = {seed};

    world_make(w, W_TOP, seed);
    w->settings[0].nodealloc = RNG_PICK(&r, alloc);
    w->settings[0].avail = "DEDICATED";
    w->settings[0].single_node = false;
    w->njobs = w->njobs < 9 ? w->njobs : 9;
    w->nevents = w->njobs; /* one submission each */
    for (uint32_t i = 0; i < w->njobs; i++) {
        w->jobs[i].nreqs = 1;
        w->jobs[i].limit_s = rng_range(&r, 1, 15);
        w->events[i].job = i;
    }
}

/* ---- what is taken ----------------------------------------------------------- */

static uint32_t world_node(const struct oracle *o, uint32_t index)
{
    return tell_node_number(node_at(o->c, index)->name);
}

static void note(struct oracle *o, uint32_t job, const struct allocs *alloc,
    int64_t start, int64_t end)
{
    struct hold *h = &o->holds[job];

    *h = (struct hold){.start = start, .end = end};
    for (size_t i = 0; i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++)
            h->tasks[world_node(o, alloc->v[i].first + k)] += alloc->v[i].tasks;
}

static bool holds_at(const struct hold *h, int64_t at)
{
    return h->start <= at && at < h->end;
}

/* The model as it is at one instant, without the job that asks. */
static void set_instant(struct oracle *o, uint32_t asking, int64_t at)
{
    for (uint32_t i = 0; i < o->w->njobs; i++) {
        struct m_job *x = &o->m.jobs[i];
        bool there = i != asking && holds_at(&o->holds[i], at);
        x->state = there ? M_ACTIVE : M_WAITING;
        x->access[0] = model_access(&o->m, i, &o->w->jobs[i].reqs[0]);
        memset(x->tasks, 0, sizeof x->tasks);
        if (there)
            memcpy(x->tasks[0], o->holds[i].tasks, sizeof x->tasks[0]);
    }
}

/* Most tasks the node can take at the instant that is set. */
static int64_t tasks_now(struct oracle *o, uint32_t job, uint32_t node)
{
    const struct w_job *j = &o->w->jobs[job];
    const struct w_req *q = &j->reqs[0];
    struct m_job *x = &o->m.jobs[job];
    int64_t most = model_capacity(&o->m, j, q, &o->w->nodes[node]);
    int64_t step = q->tpn > 1 ? q->tpn : 1, k = 0;

    x->state = M_ACTIVE;
    while (k + step <= most) {
        x->tasks[0][node] = (uint32_t)(k + step);
        if (!model_check_node(&o->m, job, node))
            break;
        k += step;
    }
    x->state = M_WAITING;
    x->tasks[0][node] = 0;
    o->m.fail[0] = 0;
    return k;
}

/* ---- every second ------------------------------------------------------------ */

/* Licences are counted for the whole system. */
static bool licences_left(const struct oracle *o, uint32_t job, int64_t at)
{
    const struct w_req *q = &o->w->jobs[job].reqs[0];
    int64_t used = (int64_t)q->licences * q->tasks;

    if (q->licences == 0)
        return true;
    for (uint32_t i = 0; i < o->w->njobs; i++)
        if (i != job && holds_at(&o->holds[i], at))
            used +=
                (int64_t)o->w->jobs[i].reqs[0].licences * o->w->jobs[i].reqs[0].tasks;
    return used <= o->w->licences;
}

/* Units of a counted pool in use at an instant. */
static int64_t units_used(const struct oracle *o, const struct pool *pool, int64_t at)
{
    int64_t used = 0;

    for (uint32_t i = 0; i < o->w->njobs; i++) {
        const struct job *j = job_find(o->c, o->w->jobs[i].id);
        if (!holds_at(&o->holds[i], at))
            continue;
        for (size_t k = 0; k < pool->nodes.n; k++)
            used += o->holds[i].tasks[world_node(o, pool->nodes.v[k])];
        const struct rsv *r = rsvtable_of(o->p->reserved, j->index);
        for (size_t k = 0; r && k < r->parts.n; k++) {
            const struct part *part = &r->parts.v[k];
            used += part->pool == pool->index ? part->units : 0;
        }
    }
    return used;
}

/* What each second offers: of each node, and of each counted pool. */
struct offer {
    int16_t node[W_NODES][HORIZON], pool[W_NODES][HORIZON];
    bool licences[HORIZON];
};

static void look_at_all(struct oracle *o, uint32_t job, struct offer *f)
{
    for (int64_t t = 0; t < HORIZON; t++) {
        set_instant(o, job, NOW + t);
        f->licences[t] = licences_left(o, job, NOW + t);
        for (uint32_t i = 0; i < o->w->nnodes; i++)
            f->node[i][t] = (int16_t)tasks_now(o, job, i);
        for (size_t i = 0; i < pools_count(o->p->pools); i++) {
            const struct pool *pool = pools_at(o->p->pools, i);
            f->pool[i][t] = (int16_t)(pool->total - units_used(o, pool, NOW + t));
        }
    }
}

static int64_t least_of(const int16_t *v, int64_t from, int64_t count)
{
    int64_t least = v[from];

    for (int64_t t = from; t < from + count && t < HORIZON; t++)
        least = v[t] < least ? v[t] : least;
    return least;
}

static bool listed(const struct w_req *q, uint32_t node)
{
    for (uint32_t i = 0; i < q->nhosts; i++)
        if (q->hosts[i] == node)
            return true;
    return q->nhosts == 0;
}

/* With EXACTNODE so many nodes, each with something, the roomiest of them. */
static bool enough_nodes(const struct w_req *q, const int64_t *tasks, uint32_t n)
{
    uint32_t wanted = q->nodes, unit = q->tpn > 1 ? q->tpn : 1;
    int64_t sum = 0;
    bool used[W_NODES] = {false};

    if (wanted > q->tasks / unit)
        wanted = q->tasks / unit;
    for (uint32_t k = 0; k < wanted; k++) {
        uint32_t best = n;
        for (uint32_t i = 0; i < n; i++)
            if (!used[i] && tasks[i] > 0 && (best == n || tasks[i] > tasks[best]))
                best = i;
        if (best == n)
            return false;
        used[best] = true;
        sum += tasks[best];
    }
    return sum >= q->tasks;
}

/* Can the job have the seconds [s, s + limit) in these partitions? */
static bool fits(struct oracle *o, uint32_t job, const struct offer *f, int64_t s,
    unsigned partitions)
{
    const struct w_job *j = &o->w->jobs[job];
    const struct w_req *q = &j->reqs[0];
    int64_t tasks[W_NODES] = {0}, sum = 0;

    for (int64_t t = s; t < s + j->limit_s && t < HORIZON; t++)
        if (!f->licences[t])
            return false;
    for (uint32_t i = 0; i < o->w->nnodes; i++) {
        const struct node *n = node_find(o->c, o->w->nodes[i].name);
        const struct pool *pool = pools_of_node(o->p->pools, n->index);
        bool counted = pool && !pool->by_node;
        if (!(partitions >> o->w->nodes[i].partition & 1) || !listed(q, i) || counted)
            continue;
        tasks[i] = least_of(f->node[i], s, j->limit_s);
        sum += tasks[i];
    }
    for (size_t i = 0; i < pools_count(o->p->pools); i++) {
        const struct pool *pool = pools_at(o->p->pools, i);
        uint32_t n = world_node(o, pool->nodes.v[0]);
        if (!pool->by_node && (partitions >> o->w->nodes[n].partition & 1)
            && model_capacity(&o->m, j, q, &o->w->nodes[n]) > 0)
            sum += least_of(f->pool[i], s, j->limit_s);
    }
    if (o->m.s->exactnode && q->nodes)
        return enough_nodes(q, tasks, o->w->nnodes);
    return sum >= q->tasks && q->tasks % (q->tpn > 1 ? q->tpn : 1) == 0;
}

static int64_t first_by_looking(struct oracle *o, uint32_t job)
{
    const struct w_job *j = &o->w->jobs[job];
    unsigned asked = j->partitions ? j->partitions : (1u << o->w->nparts) - 1;
    struct offer *f = xcalloc(1, sizeof *f);
    int64_t found = NEVER;

    look_at_all(o, job, f);
    for (int64_t s = 0; s < HORIZON && found == NEVER; s++) {
        if (j->flags & JOB_SPAN && fits(o, job, f, s, asked))
            found = NOW + s;
        for (uint32_t p = 0; p < o->w->nparts; p++)
            if ((asked >> p & 1) && !(j->flags & JOB_SPAN)
                && fits(o, job, f, s, 1u << p))
                found = NOW + s;
    }
    free(f);
    return found;
}

/* ---- the plan ---------------------------------------------------------------- */

/* A list that cannot hold the job, where all of it and others must be used, is left
 * to the tests of node selection. */
static bool list_is_short(const struct oracle *o, const struct job *j)
{
    return j->reqs[0].def->hosts.n && !feasible_hosts_only(o->c, &j->reqs[0]);
}

static bool try_start(struct oracle *o, uint32_t job, struct job *j, uint32_t partition)
{
    enum wait_code code;
    struct err err;

    if (!plan_fits_now(o->p, j, partition)
        || plan_place_now(o->p, j, partition, &j->alloc, &code) < 0
        || job_start(o->c, j, NOW, &err) < 0)
        return false;
    job_move(o->c, j, EV_STARTED, NULL);
    plan_job_started(o->p, j);
    note(o, job, &j->alloc, NOW, NOW + o->w->jobs[job].limit_s);
    return true;
}

/* Ask the plan and the oracle; then let the job run or be reserved. */
static bool ask(struct oracle *o, uint32_t job, bool may_start)
{
    struct job *j = job_find(o->c, o->w->jobs[job].id);
    struct slot slot = {NEVER, 0};

    if (list_is_short(o, j))
        return true;
    int64_t want = first_by_looking(o, job);
    bool found = plan_first_fit(o->p, j, NOW, &slot);
    if ((found ? slot.at : NEVER) != want) {
        snprintf(o->fail, o->size, "%s: first fit %lld, looking at all finds %lld",
            j->id, (long long)(found ? slot.at : NEVER), (long long)want);
        return false;
    }
    if (!found)
        return true;
    if (slot.at == NOW && !may_start)
        return true;
    if (slot.at == NOW)
        return try_start(o, job, j, slot.partition)
               || (snprintf(o->fail, o->size, "%s does not start", j->id), false);
    plan_reserve(o->p, j, &slot);
    note(o, job, &rsvtable_of(o->p->reserved, j->index)->alloc, slot.at,
        slot.at + o->w->jobs[job].limit_s);
    return true;
}

static void add_all(struct oracle *o)
{
    struct err err = {0};
    struct node *n;
    struct access_fault fault;

    for (uint32_t i = 0; i < o->w->nnodes; i++) {
        struct tell_node t;
        struct node_desc d = tell_node(o->w, i, &t);
        assert_int_equal(node_report(o->c, &d, 0, &n, &err), 0);
    }
    for (uint32_t i = 0; i < o->w->njobs; i++) {
        struct tell_job t = {0};
        struct job_desc d = tell_job(o->w, i, &t);
        struct job *j;
        assert_int_equal(job_add(o->c, &d, 0, &j, &err), 0);
        access_resolve(o->c, j, &fault);
    }
}

static struct settings *settings_of(const struct world *w)
{
    struct strbuf text = {0};

    world_config(w, 0, &text);
    struct config *c = config_load_text("maui.cfg", text.text, text.len);
    struct settings *cfg = config_take_settings(c);
    config_destroy(c);
    free(text.text);
    return cfg;
}

static bool check_first_fit(const struct world *w, char *fail, size_t size)
{
    struct oracle *o = xcalloc(1, sizeof *o);
    struct rng r = {w->seed};
    bool good = true;

    o->w = w;
    o->fail = fail;
    o->size = size;
    o->cfg = settings_of(w);
    o->c = cluster_create(o->cfg);
    o->p = plan_create(o->c);
    model_init(&o->m, w);
    add_all(o);
    plan_begin(o->p, NOW, RSV_REPLAN);
    for (uint32_t i = 0; i < w->nevents && good; i++)
        good = ask(o, w->events[i].job, rng_percent(&r, 80));
    plan_destroy(o->p);
    access_cache_destroy(o->c);
    cluster_destroy(o->c);
    settings_destroy(o->cfg);
    model_fini(&o->m);
    free(o);
    return good;
}

static void the_plan_finds_what_looking_at_every_second_finds(void **state)
{
    (void)state;
    assert_true(hunt(&(struct hunt){"first fit", make_tiny, check_first_fit, 400}));
}

/* One processor a task: pools are planned by count. */
static void make_tiny_plain(struct world *w, uint64_t seed)
{
    struct world *plain = xmalloc(sizeof *plain);

    make_tiny(w, seed);
    world_make_plain(plain, seed);
    memcpy(w->nodes, plain->nodes, sizeof w->nodes);
    w->nnodes = plain->nnodes;
    w->nparts = plain->nparts;
    w->settings[0].access = ACCESS_SHARED;
    memset(w->settings[0].class_access, 0, sizeof w->settings[0].class_access);
    w->settings[0].exactnode = w->settings[0].exactproc = false;
    for (uint32_t i = 0; i < w->njobs; i++) {
        struct w_req *q = &w->jobs[i].reqs[0];
        int64_t mem = q->per_task[RES_MEM] % 128, by_node = q->mem_per_node;
        *q = (struct w_req){.tasks = q->tasks};
        q->per_task[RES_PROCS] = 1;
        q->per_task[RES_MEM] = mem;
        q->mem_per_node = by_node % (129 - mem);
        w->jobs[i].flags = 0;
        w->jobs[i].partitions &= (1u << w->nparts) - 1;
        w->jobs[i].cred[CRED_QOS] = 0;
    }
    free(plain);
}

static void counting_finds_what_looking_at_every_second_finds(void **state)
{
    (void)state;
    assert_true(hunt(
        &(struct hunt){"first fit, counted", make_tiny_plain, check_first_fit, 400}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_finds_what_looking_at_every_second_finds),
        cmocka_unit_test(counting_finds_what_looking_at_every_second_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
