/* SPDX-License-Identifier: Apache-2.0
 * The rules for one start: the request, the nodes, and who is there already. */
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void model_init(struct model *m, const struct world *w)
{
    memset(m, 0, sizeof *m);
    m->w = w;
    m->s = &w->settings[0];
    for (uint32_t i = 0; i < w->njobs; i++)
        memcpy(m->jobs[i].cred, w->jobs[i].cred, sizeof m->jobs[i].cred);
}

void model_fini(struct model *m)
{
    vec_fini(&m->uses);
}

bool model_fail(struct model *m, const char *fmt, ...)
{
    va_list args;
    int n;

    if (m->fail[0])
        return false;
    n = snprintf(m->fail, sizeof m->fail, "at %lld: ", (long long)m->now);
    va_start(args, fmt);
    vsnprintf(m->fail + n, sizeof m->fail - (size_t)n, fmt, args);
    va_end(args);
    return false;
}

void model_begin_cycle(struct model *m)
{
    memset(m->picked, 0, sizeof m->picked);
    for (uint32_t i = 0; i < m->w->njobs; i++)
        m->jobs[i].had_rsv = m->jobs[i].rsv_at != 0;
}

/* ---- the request ------------------------------------------------------------- */

static bool whole_node(enum access_policy a)
{
    return a == ACCESS_SINGLEJOB || a == ACCESS_SINGLETASK;
}

/* Reference concepts 6, qos-credentials 5 and 6: the request, then DEDICATED of the
 * job or its QOS, then the class, then the site. */
enum access_policy model_access(
    const struct model *m, uint32_t job, const struct w_req *q)
{
    const struct m_job *x = &m->jobs[job];

    if (q->access != ACCESS_UNSET)
        return q->access;
    if ((m->w->jobs[job].flags & JOB_DEDICATED)
        || strstr(m->s->qos_flags[x->cred[CRED_QOS]], "DEDICATED"))
        return ACCESS_SINGLEJOB;
    if (m->s->class_access[x->cred[CRED_CLASS]] != ACCESS_UNSET)
        return m->s->class_access[x->cred[CRED_CLASS]];
    return m->s->access;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t task_amount(const struct w_req *q, const struct w_node *n, int d)
{
    return q->per_task[d] < 0 ? n->cfg[d] : q->per_task[d];
}

/* Whatever tasks it has there. */
static int64_t by_node(const struct w_req *q, int d)
{
    return d == RES_MEM ? q->mem_per_node : 0;
}

static bool node_suits(
    const struct model *m, const struct w_job *j, const struct w_req *q, uint32_t node)
{
    const struct w_node *n = &m->w->nodes[node];
    uint32_t cls = j->cred[CRED_CLASS], per_node = q->tpn > 1 ? q->tpn : 1;

    if ((q->features & ~n->features) || (q->exclude >> node & 1)
        || (j->partitions && !(j->partitions >> n->partition & 1)))
        return false;
    if (cls && n->limits_classes && n->initiators[cls] == 0)
        return false;
    return !m->s->exactproc
           || task_amount(q, n, RES_PROCS) * per_node == n->cfg[RES_PROCS];
}

/* Processor equivalents of a task on the node: its largest share of any resource. */
static double task_pe(const struct w_req *q, const struct w_node *n)
{
    double share = 0;

    for (int d = 0; d < RES_DIMS; d++) {
        double s = (double)(task_amount(q, n, d) + by_node(q, d)) / (double)n->cfg[d];
        share = s > share ? s : share;
    }
    return share * (double)n->cfg[RES_PROCS];
}

/* Processors that limits of the node let one job have there. */
static int64_t procs_allowed(
    const struct model *m, const struct w_job *j, const struct w_node *n)
{
    uint32_t cls = j->cred[CRED_CLASS];
    int64_t k = n->cfg[RES_PROCS];

    if (n->maxproc >= 0)
        k = least(k, n->maxproc);
    if (n->maxproc_user >= 0)
        k = least(k, n->maxproc_user);
    if (cls && n->maxproc_class >= 0 && n->maxproc_of == cls)
        k = least(k, n->maxproc_class);
    if (cls && m->s->class_procs_per_node[cls])
        k = least(k, m->s->class_procs_per_node[cls]);
    return k;
}

int64_t model_capacity(const struct model *m, const struct w_job *j,
    const struct w_req *q, const struct w_node *n)
{
    uint32_t cls = j->cred[CRED_CLASS];
    int64_t k = INT32_MAX;

    for (int d = 0; d < RES_DIMS; d++) {
        int64_t left = n->cfg[d] - by_node(q, d);
        if (left < 0)
            return 0;
        if (task_amount(q, n, d) > 0)
            k = least(k, left / task_amount(q, n, d));
    }
    if (task_amount(q, n, RES_PROCS) > 0)
        k = least(k, procs_allowed(m, j, n) / task_amount(q, n, RES_PROCS));
    if (n->maxpe > 0)
        k = least(k, (int64_t)(n->maxpe / task_pe(q, n) + 1e-6));
    if (q->gpus)
        k = least(k, n->gpus / q->gpus);
    if (cls && n->limits_classes)
        k = least(k, n->initiators[cls]);
    if (model_access(m, (uint32_t)(j - m->w->jobs), q) == ACCESS_SINGLETASK)
        k = least(k, 1);
    if (q->tpn > 1)
        k -= k % q->tpn;
    return node_suits(m, j, q, (uint32_t)(n - m->w->nodes)) ? k : 0;
}

static bool on_host_list(const struct w_req *q, uint32_t node)
{
    for (uint32_t i = 0; i < q->nhosts; i++)
        if (q->hosts[i] == node)
            return true;
    return false;
}

/* Reference node-allocation 1: from a list that can hold the job nodes are chosen; of
 * one that cannot every node is used, and others. */
static bool check_hosts(struct model *m, uint32_t job, const struct w_req *q)
{
    const struct w_job *j = &m->w->jobs[job];
    const struct m_job *x = &m->jobs[job];
    int64_t room = 0;

    if (q->nhosts == 0)
        return true;
    for (uint32_t i = 0; i < m->w->nnodes; i++) {
        bool listed = on_host_list(q, i);
        room += listed ? model_capacity(m, j, q, &m->w->nodes[i]) : 0;
    }
    for (uint32_t i = 0; i < m->w->nnodes; i++) {
        bool listed = on_host_list(q, i);
        if (!listed && x->tasks[0][i] && room >= q->tasks && !m->s->exactnode)
            return model_fail(m, "%s uses n%u, not on its host list", j->id, i + 1);
        if (listed && !x->tasks[0][i] && room < q->tasks)
            return model_fail(
                m, "%s must use all its listed hosts, n%u is missing", j->id, i + 1);
    }
    return true;
}

static bool check_tasks(struct model *m, uint32_t job, uint32_t r)
{
    const struct w_job *j = &m->w->jobs[job];
    const struct w_req *q = &j->reqs[r];
    const uint32_t *tasks = m->jobs[job].tasks[r];
    uint32_t sum = 0, nodes = 0;

    for (uint32_t i = 0; i < m->w->nnodes; i++) {
        sum += tasks[i];
        nodes += tasks[i] > 0;
        if (tasks[i] == 0)
            continue;
        if (m->node[i] != NODE_IDLE)
            return model_fail(
                m, "%s starts on n%u, which is not up and usable", j->id, i + 1);
        if (!node_suits(m, j, q, i))
            return model_fail(m, "%s starts on n%u, which does not suit", j->id, i + 1);
        if (q->tpn > 1 && tasks[i] % q->tpn)
            return model_fail(m, "%s has %u tasks on n%u with TPN %u", j->id, tasks[i],
                i + 1, q->tpn);
        if (m->jobs[job].access[r] == ACCESS_SINGLETASK && tasks[i] > 1)
            return model_fail(m, "%s: SINGLETASK, %u tasks", j->id, tasks[i]);
    }
    if (sum != q->tasks)
        return model_fail(m, "%s got %u tasks of %u", j->id, sum, q->tasks);
    if (m->s->exactnode && q->nodes && nodes != q->nodes
        && !(q->tpn > 1 && nodes == q->tasks / q->tpn))
        return model_fail(m, "%s got %u nodes of %u", j->id, nodes, q->nodes);
    return check_hosts(m, job, q);
}

static bool check_spread(struct model *m, uint32_t job)
{
    const struct w_job *j = &m->w->jobs[job];
    uint32_t nodes = 0;
    unsigned parts = 0;

    for (uint32_t i = 0; i < m->w->nnodes; i++) {
        if (!m->jobs[job].tasks[0][i] && !m->jobs[job].tasks[1][i])
            continue;
        nodes++;
        parts |= 1u << m->w->nodes[i].partition;
    }
    if (!(j->flags & JOB_SPAN) && (parts & (parts - 1)))
        return model_fail(m, "%s is spread over partitions", j->id);
    if (m->s->single_node && nodes > 1)
        return model_fail(
            m, "%s has %u nodes, ENABLEMULTINODEJOBS is FALSE", j->id, nodes);
    return true;
}

/* ---- who is there ------------------------------------------------------------ */

static uint32_t tasks_on(const struct m_job *x, uint32_t node)
{
    return x->state == M_ACTIVE ? x->tasks[0][node] + x->tasks[1][node] : 0;
}

static enum access_policy access_on(const struct m_job *x)
{
    return x->access[0] > x->access[1] ? x->access[0] : x->access[1];
}

static void add_use(
    const struct model *m, uint32_t job, uint32_t node, struct res *io_used)
{
    const struct w_job *j = &m->w->jobs[job];
    const struct m_job *x = &m->jobs[job];
    const struct w_node *n = &m->w->nodes[node];

    for (uint32_t r = 0; r < j->nreqs; r++)
        for (int d = 0; d < RES_DIMS && x->tasks[r][node]; d++)
            io_used->v[d] += task_amount(&j->reqs[r], n, d) * x->tasks[r][node]
                             + by_node(&j->reqs[r], d);
}

struct res model_used(const struct model *m, uint32_t node)
{
    struct res used = {{0}};

    for (uint32_t i = 0; i < m->w->njobs; i++) {
        if (tasks_on(&m->jobs[i], node) == 0)
            continue;
        if (whole_node(access_on(&m->jobs[i])))
            memcpy(used.v, m->w->nodes[node].cfg, sizeof used.v);
        else
            add_use(m, i, node, &used);
    }
    return used;
}

static bool check_amounts(struct model *m, uint32_t node)
{
    const struct w_node *n = &m->w->nodes[node];
    struct res used = {{0}};
    int64_t gpus = 0, cls[W_OBJECTS] = {0};

    for (uint32_t i = 0; i < m->w->njobs; i++) {
        const struct m_job *x = &m->jobs[i];
        if (tasks_on(x, node) == 0)
            continue;
        add_use(m, i, node, &used);
        for (uint32_t r = 0; r < m->w->jobs[i].nreqs; r++)
            gpus += (int64_t)m->w->jobs[i].reqs[r].gpus * x->tasks[r][node];
        cls[x->cred[CRED_CLASS]] += tasks_on(x, node);
    }
    for (int d = 0; d < RES_DIMS; d++)
        if (used.v[d] > n->cfg[d])
            return model_fail(m, "n%u: %lld of %lld of resource %d in use", node + 1,
                (long long)used.v[d], (long long)n->cfg[d], d);
    if (gpus > n->gpus)
        return model_fail(m, "n%u: more gpus in use than there are", node + 1);
    for (uint32_t c = 1; n->limits_classes && c <= W_CLASSES; c++)
        if (cls[c] > n->initiators[c])
            return model_fail(m, "n%u: too many initiators of c%u in use", node + 1, c);
    return true;
}

/* Reference concepts 6, for each pair of jobs on the node. */
static bool check_company(struct model *m, uint32_t job, uint32_t node)
{
    const struct m_job *x = &m->jobs[job];

    for (uint32_t i = 0; i < m->w->njobs; i++) {
        const struct m_job *y = &m->jobs[i];
        if (i == job || tasks_on(y, node) == 0)
            continue;
        enum access_policy strict =
            access_on(x) > access_on(y) ? access_on(x) : access_on(y);
        if (whole_node(strict)
            || (strict == ACCESS_SINGLEUSER
                && x->cred[CRED_USER] != y->cred[CRED_USER]))
            return model_fail(m, "%s and %s share n%u against NODEACCESSPOLICY",
                m->w->jobs[job].id, m->w->jobs[i].id, node + 1);
    }
    return true;
}

static int64_t procs_on(const struct model *m, uint32_t job, uint32_t node)
{
    struct res used = {{0}};

    add_use(m, job, node, &used);
    return used.v[RES_PROCS];
}

/* Reference node-allocation 5, and MAXPROCPERNODE of the class. */
static bool check_node_limits(struct model *m, uint32_t job, uint32_t node)
{
    const struct w_node *n = &m->w->nodes[node];
    const struct m_job *x = &m->jobs[job];
    uint32_t cls = x->cred[CRED_CLASS];
    int64_t jobs = 0, of_user = 0, procs = 0, user_procs = 0, class_procs = 0;

    for (uint32_t i = 0; i < m->w->njobs; i++) {
        const struct m_job *y = &m->jobs[i];
        if (tasks_on(y, node) == 0)
            continue;
        bool same = y->cred[CRED_USER] == x->cred[CRED_USER];
        jobs++;
        of_user += same;
        procs += procs_on(m, i, node);
        user_procs += same ? procs_on(m, i, node) : 0;
        class_procs += y->cred[CRED_CLASS] == cls ? procs_on(m, i, node) : 0;
    }
    if ((n->maxjob >= 0 && jobs > n->maxjob)
        || (n->maxjob_user >= 0 && of_user > n->maxjob_user))
        return model_fail(m, "n%u: MAXJOB passed by %s", node + 1, m->w->jobs[job].id);
    if ((n->maxproc >= 0 && procs > n->maxproc)
        || (n->maxproc_user >= 0 && user_procs > n->maxproc_user))
        return model_fail(m, "n%u: MAXPROC passed by %s", node + 1, m->w->jobs[job].id);
    if (cls
        && ((n->maxproc_class >= 0 && n->maxproc_of == cls
                && class_procs > n->maxproc_class)
            || (m->s->class_procs_per_node[cls]
                && class_procs > m->s->class_procs_per_node[cls])))
        return model_fail(m, "n%u: MAXPROC of class c%u passed by %s", node + 1, cls,
            m->w->jobs[job].id);
    return true;
}

/* MAXPEPERJOB: the largest share of any resource, in processors of the node. */
static bool check_pe(struct model *m, uint32_t job, uint32_t node)
{
    const struct w_node *n = &m->w->nodes[node];
    const struct w_job *j = &m->w->jobs[job];

    double pe = 0;

    for (uint32_t r = 0; r < j->nreqs; r++)
        pe += task_pe(&j->reqs[r], n) * m->jobs[job].tasks[r][node];
    return n->maxpe <= 0 || pe <= n->maxpe + 1e-6
           || model_fail(m, "n%u: MAXPEPERJOB passed by %s", node + 1, j->id);
}

static bool check_licences(struct model *m)
{
    int64_t used = 0;

    for (uint32_t i = 0; i < m->w->njobs; i++)
        for (uint32_t r = 0; m->jobs[i].state == M_ACTIVE && r < m->w->jobs[i].nreqs;
             r++)
            used +=
                (int64_t)m->w->jobs[i].reqs[r].licences * m->w->jobs[i].reqs[r].tasks;
    return used <= m->w->licences
           || model_fail(m, "%lld of %lld licences in use", (long long)used,
               (long long)m->w->licences);
}

bool model_check_node(struct model *m, uint32_t job, uint32_t node)
{
    return check_amounts(m, node) && check_company(m, job, node)
           && check_node_limits(m, job, node) && check_pe(m, job, node);
}

static bool check_nodes(struct model *m, uint32_t job)
{
    for (uint32_t i = 0; i < m->w->nnodes; i++)
        if (tasks_on(&m->jobs[job], i) && !model_check_node(m, job, i))
            return false;
    return check_licences(m);
}

/* ---- may it start at all? ---------------------------------------------------- */

/* A job that was never submitted, or is forgotten, counts as ended. */
static bool dependency_met(const struct model *m, const struct w_job *j)
{
    enum m_state on = j->dep >= 0 ? m->jobs[j->dep].state : M_ENDED;

    if (on == M_FUTURE || on == M_ENDED)
        return true;
    return j->dep_type == DEP_STARTED && on == M_ACTIVE;
}

static bool check_ready(struct model *m, uint32_t job)
{
    const struct w_job *j = &m->w->jobs[job];
    const struct m_job *x = &m->jobs[job];
    unsigned holds = x->holds;

    if (x->state != M_WAITING)
        return model_fail(m, "%s starts but does not wait", j->id);
    /* One for want of nodes may end when they change; why it is the model is not told.
     */
    if ((holds & HOLD_DEFER)
        && (x->defer_until <= m->now || x->deferred_at <= m->changed_at))
        holds &= ~(unsigned)HOLD_DEFER;
    if (holds)
        return model_fail(m, "%s starts while held (%u)", j->id, holds);
    if (j->release_at > m->now)
        return model_fail(m, "%s starts before its release time", j->id);
    if (!dependency_met(m, j))
        return model_fail(m, "%s starts before what it depends on", j->id);
    if (x->starts != x->stops)
        return model_fail(m, "%s is run twice", j->id);
    return true;
}

bool model_start(struct model *m, uint32_t job)
{
    const struct w_job *j = &m->w->jobs[job];
    struct m_job *x = &m->jobs[job];
    int64_t v[LIMIT_RES_COUNT];

    if (!check_ready(m, job) || !model_check_limits(m, job)
        || !model_check_fairshare(m, job))
        return false;
    x->state = M_ACTIVE;
    x->start_at = m->now;
    x->starts++;
    x->holds = 0;
    x->access[1] = ACCESS_UNSET;
    for (uint32_t r = 0; r < j->nreqs; r++)
        x->access[r] = model_access(m, job, &j->reqs[r]);
    for (uint32_t r = 0; r < j->nreqs; r++)
        if (!check_tasks(m, job, r))
            return false;
    if (!check_spread(m, job) || !check_nodes(m, job))
        return false;
    if (x->promise && m->now > x->promise)
        return model_fail(m, "%s was promised %lld", j->id, (long long)x->promise);
    x->rsv_at = x->promise = 0;
    model_consumption(m, job, v);
    struct m_use use = {
        .procs = v[LIMIT_PROC], .from = m->now, .until = TIME_NEVER, .job = job};
    memcpy(use.cred, x->cred, sizeof use.cred);
    vec_push(&m->uses, use);
    return true;
}

static void close_use(struct model *m, uint32_t job)
{
    for (size_t i = 0; i < m->uses.n; i++)
        if (m->uses.v[i].job == job && m->uses.v[i].until == TIME_NEVER)
            m->uses.v[i].until = m->now;
}

void model_stop(struct model *m, uint32_t job, bool ended)
{
    struct m_job *x = &m->jobs[job];

    if (x->state == M_ACTIVE) {
        x->stops++;
        close_use(m, job);
    }
    x->state = ended ? M_ENDED : M_WAITING;
    x->rsv_at = x->promise = 0;
}

void model_set_qos(struct model *m, uint32_t job, uint32_t qos)
{
    struct m_job *x = &m->jobs[job];

    x->cred[CRED_QOS] = qos;
    if (x->state != M_ACTIVE)
        return;
    for (size_t i = 0; i < m->uses.n; i++) {
        if (m->uses.v[i].job != job || m->uses.v[i].until != TIME_NEVER)
            continue;
        struct m_use rest = m->uses.v[i];
        rest.from = m->now;
        rest.cred[CRED_QOS] = qos;
        m->uses.v[i].until = m->now;
        vec_push(&m->uses, rest);
        return;
    }
}
