/* SPDX-License-Identifier: Apache-2.0
 * Everything the cluster promises about itself, counted again and compared. */
#include "cluster/jobs/private.h"
#include "cluster/nodes/private.h"
#include "cluster/rmset.h"
#include "config/policies.h"

/* ---- jobs and lists ---------------------------------------------------------- */

static void check_job(const struct cluster *c, const struct job *j, uint32_t index)
{
    bool waits = job_state_waits(j->state), holds = job_state_holds(j->state);
    uint32_t tasks = 0;

    assert(j->index == index);
    assert(job_find(c, j->id) == j);
    assert(waits == (j->idle_slot != INDEX_NONE));
    assert((holds || j->state == JOB_SUSPENDED) == (j->active_slot != INDEX_NONE));
    assert(!waits || c->queued.v[j->idle_slot] == index);
    assert(j->active_slot == INDEX_NONE || c->active.v[j->active_slot] == index);
    assert(j->nreqs >= 1 && (j->nreqs > 1 || j->reqs == &j->req));
    for (uint32_t i = 0; i < j->nreqs; i++) {
        const struct req *r = &j->reqs[i];
        assert(c->taskdefs.v[r->def->index] == r->def);
        assert(c->taskdefs.v[r->asked->index] == r->asked);
        assert(r->def->access != ACCESS_UNSET);
        assert(holds == (r->held != NULL));
        tasks += r->tasks;
    }
    assert(tasks == j->tasks);
    for (int k = 0; k < CRED_KINDS; k++)
        assert(j->cred[k] < c->creds[k].n);
}

static void check_jobs(const struct cluster *c)
{
    size_t found = 0;

    for (size_t i = 0; i < c->jobs.n; i++) {
        if (!c->jobs.v[i])
            continue;
        check_job(c, c->jobs.v[i], (uint32_t)i);
        found++;
    }
    jobs_check_index(c, found);
    size_t suspended = 0;
    for (size_t i = 0; i < c->active.n; i++) {
        assert(c->jobs.v[c->active.v[i]]->active_slot == i);
        suspended += c->jobs.v[c->active.v[i]]->state == JOB_SUSPENDED;
    }
    assert(suspended == c->suspended);
    waiting_check(c);
}

/* ---- what is dedicated ------------------------------------------------------- */

/* What allocations add up to on each node, gathered in one walk over the jobs. */
struct tally {
    struct res ded;
    uint32_t tasks, jobs;
    uint32_t last; /* job counted last, so that it is counted once */
};

static void tally_piece(
    const struct cluster *c, struct tally *all, const struct job *j, size_t piece)
{
    const struct alloc *a = &j->alloc.v[piece];
    const struct taskdef *d = j->reqs[a->req].held;
    bool whole = false;

    for (uint32_t i = 0; i < j->nreqs; i++)
        whole |= taskdef_whole_node(j->reqs[i].held);
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        struct tally *t = &all[i];
        const struct res *cfg = &node_at(c, i)->cfg;
        bool first = t->last != j->index;
        for (int k = 0; k < RES_DIMS; k++) {
            int64_t plain = taskdef_takes(d, cfg, k, a->tasks);
            t->ded.v[k] += !whole ? plain : first ? cfg->v[k] : 0;
        }
        t->jobs += first;
        t->tasks += a->tasks;
        t->last = j->index;
    }
}

static struct tally *tally(const struct cluster *c)
{
    struct tally *all = xcalloc(c->nodes.n, sizeof *all);

    for (size_t i = 0; i < c->nodes.n; i++)
        all[i].last = INDEX_NONE;
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        for (size_t k = 0; job_state_holds(j->state) && k < j->alloc.n; k++)
            tally_piece(c, all, j, k);
    }
    return all;
}

static void check_room(const struct node *n, const struct res *ded)
{
    for (int i = 0; i < RES_DIMS; i++)
        assert(n->par->avail[i] == AVAIL_UTILIZED || ded->v[i] <= n->cfg.v[i]);
    for (size_t i = 0; i < n->gres_ded.n; i++)
        assert(n->gres_ded.v[i].count <= n->gres_cfg.v[i].count);
    for (size_t i = 0; i < n->classes.n; i++)
        assert(n->classes.v[i].dedicated <= n->classes.v[i].configured);
}

static void check_node(const struct cluster *c, const struct node *n, uint32_t index)
{
    bool folded = node_is_folded(c, index);
    bool vacant = rangeset_test(&c->folds->vacant, index);
    bool partly = bitset_test(&c->folds->partly, index);
    bool left = node_dedicated(c, n).v[RES_PROCS] < n->cfg.v[RES_PROCS];

    assert(n->index == index && node_find(c, n->name) == n);
    assert(folded || n->vacant == vacant);
    assert(partly == (left && !vacant && !n->global && n->state <= NODE_BUSY));
    assert(!n->vacant || (!n->jobs.n && !n->load_raised));
    assert(!folded || node_folded(c, index, index + 1) == 1);
    assert(!fold_begins(c, index) || (n->vacant && !vacant));
    assert(n->par == c->partitions.v[n->partition]->par);
    assert(n->global || rmset_of_partition(c, n->partition) == n->rm);
    assert(n->gres_cfg.n == n->gres_ded.n);
    for (size_t i = 0; i < n->gres_cfg.n; i++) {
        assert(n->gres_cfg.v[i].id == n->gres_ded.v[i].id);
        assert(n->gres_ded.v[i].count >= 0);
    }
    for (size_t i = 0; i < n->classes.n; i++)
        assert(n->classes.v[i].dedicated >= 0);
    assert(n->expected == node_state_due(n));
}

/* What others can have of a folded node is what its jobs leave. */
static bool partly_as_told(const struct cluster *c, const struct node *n)
{
    int64_t left = node_folded_left(c, n->index);

    return left < 0 || left == n->cfg.v[RES_PROCS] - node_dedicated(c, n).v[RES_PROCS];
}

static void check_use(
    const struct cluster *c, const struct node *n, const struct tally *t)
{
    struct res ded = node_dedicated(c, n);
    uint32_t jobs = node_job_count(c, n), tasks = 0;
    struct node_job on;
    bool folded = node_is_folded(c, n->index);

    if (n->global)
        return;
    for (int i = 0; i < RES_DIMS; i++)
        assert(ded.v[i] == t->ded.v[i]);
    assert(jobs == t->jobs);
    assert(node_is_free(c, n) == (jobs == 0));
    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++)
        tasks += on.tasks;
    assert(t->tasks == tasks);
    assert(!folded || partly_as_told(c, n));
    struct res held = node_held(c, n, NULL);
    res_add(&ded, &held, 1);
    if (!n->shrunk)
        check_room(n, &ded);
}

/* ---- totals ------------------------------------------------------------------ */

static void check_totals(const struct cluster *c)
{
    struct res all = {{0}};

    for (size_t p = 0; p < c->partitions.n; p++) {
        const struct partition *par = c->partitions.v[p];
        struct res cfg = {{0}}, up = {{0}};
        uint32_t nodes = 0, up_nodes = 0;
        for (size_t i = 0; i < c->nodes.n; i++) {
            const struct node *n = node_at(c, i);
            if (n->partition != p || n->global)
                continue;
            res_add(&cfg, &n->cfg, 1);
            nodes++;
            res_add(&up, &n->cfg, node_is_up(n));
            up_nodes += node_is_up(n);
        }
        assert(par->index == p);
        assert(!memcmp(&cfg, &par->cfg, sizeof cfg) && nodes == par->node_count);
        assert(!memcmp(&up, &par->up, sizeof up) && up_nodes == par->up_nodes);
        res_add(&all, &cfg, 1);
    }
    assert(!memcmp(&all, &c->cfg_total, sizeof all));
}

static void check_creds(const struct cluster *c)
{
    for (int k = 0; k < CRED_KINDS; k++) {
        for (size_t i = 0; i < c->creds[k].n; i++) {
            const struct cred *one = c->creds[k].v[i];
            assert(one->index == i && one->kind == (enum cred_kind)k);
            assert(one->cfg && one->def && cred_find(c, one->kind, one->name) == one);
        }
    }
}

void cluster_check(const struct cluster *c)
{
    struct tally *all = tally(c);

    check_creds(c);
    check_jobs(c);
    for (size_t i = 0; i < c->nodes.n; i++) {
        check_node(c, node_at(c, i), (uint32_t)i);
        check_use(c, node_at(c, i), &all[i]);
    }
    check_totals(c);
    reservations_check(c);
    free(all);
}
