/* SPDX-License-Identifier: Apache-2.0
 * Throttling limits and fairshare caps, counted anew for one start. Source:
 * reference throttling, sections 2, 4 to 7; fairshare, section 6. */
#include "model.h"

#include <math.h>
#include <string.h>

/* ---- amounts ----------------------------------------------------------------- */

static int64_t task_procs(const struct world *w, const struct w_req *q)
{
    int64_t most = 0;

    if (q->per_task[RES_PROCS] >= 0)
        return q->per_task[RES_PROCS];
    for (uint32_t i = 0; i < w->nnodes; i++)
        if (w->nodes[i].cfg[RES_PROCS] > most)
            most = w->nodes[i].cfg[RES_PROCS];
    return most; /* all of a node counts as the largest one's */
}

/* Memory of the nodes it asks for, at least of one. */
static int64_t all_by_node(const struct w_req *q)
{
    return q->mem_per_node * (q->nodes ? q->nodes : 1);
}

/* Processor equivalents of a request: reference priority 2.1. */
static double req_pes(const struct world *w, const struct w_req *q)
{
    double share = 0, all_procs = 0;

    for (int d = 0; d < RES_DIMS; d++) {
        int64_t each = d == RES_PROCS ? task_procs(w, q) : q->per_task[d];
        double have = 0, need = (double)each * q->tasks;
        for (uint32_t i = 0; i < w->nnodes; i++)
            have += (double)w->nodes[i].cfg[d];
        all_procs = d == RES_PROCS ? have : all_procs;
        need += d == RES_MEM ? (double)all_by_node(q) : 0;
        if (have > 0 && need / have > share)
            share = need / have;
    }
    return share * all_procs;
}

/* In thousandths, as nothing else is. */
static int64_t in_parts(int64_t limit, uint32_t res)
{
    return res == LIMIT_PE ? 1000 * limit : limit;
}

static int64_t job_pes(const struct world *w, const struct w_job *j)
{
    double sum = 0;

    for (uint32_t r = 0; r < j->nreqs; r++)
        sum += req_pes(w, &j->reqs[r]);
    return llround(1000 * sum);
}

void model_consumption(const struct model *m, uint32_t job, int64_t *ret_v)
{
    const struct w_job *j = &m->w->jobs[job];

    memset(ret_v, 0, LIMIT_RES_COUNT * sizeof *ret_v);
    ret_v[LIMIT_JOB] = 1;
    for (uint32_t r = 0; r < j->nreqs; r++) {
        const struct w_req *q = &j->reqs[r];
        ret_v[LIMIT_PROC] += task_procs(m->w, q) * q->tasks;
        ret_v[LIMIT_NODE] += q->nodes;
        ret_v[LIMIT_MEM] += q->per_task[RES_MEM] * q->tasks + all_by_node(q);
    }
    ret_v[LIMIT_PS] = ret_v[LIMIT_PROC] * j->limit_s;
    ret_v[LIMIT_PE] = job_pes(m->w, j);
    ret_v[LIMIT_WC] = j->limit_s;
}

/* What an active job still counts for: the time it has left. */
static void left_of(const struct model *m, uint32_t job, int64_t *ret_v)
{
    int64_t left = m->jobs[job].start_at + m->w->jobs[job].limit_s - m->now;

    model_consumption(m, job, ret_v);
    left = left > 0 ? left : 0;
    ret_v[LIMIT_PS] = ret_v[LIMIT_PROC] * left;
    ret_v[LIMIT_WC] = left;
}

/* ---- which limit ------------------------------------------------------------- */

static bool has_flag(const char *flags, const char *flag)
{
    size_t len = strlen(flag);

    for (const char *p = strstr(flags, flag); p; p = strstr(p + 1, flag))
        if ((p == flags || p[-1] == ':') && (p[len] == 0 || p[len] == ':'))
            return true;
    return false;
}

static bool ignored(
    const struct model *m, const struct m_job *x, uint32_t kind, uint32_t res)
{
    const char *flags = m->s->qos_flags[x->cred[CRED_QOS]];

    if (has_flag(flags, "IGNALL"))
        return kind <= CRED_ACCOUNT;
    return kind == CRED_USER
           && (has_flag(flags, "IGNUSER")
               || (res == LIMIT_JOB && has_flag(flags, "IGNJOBPERUSER")));
}

/* Section 4, first reading of 4.1: OMAXJOB limits the QOS itself, the others replace
 * limits that exist. 0 = none. */
static int64_t limit_for(const struct model *m, const struct m_job *x, uint32_t kind,
    uint32_t res, bool idle)
{
    uint32_t object = kind == W_SYSTEM ? 0 : x->cred[kind];
    const struct w_limit(*table)[LIMIT_RES_COUNT] =
        idle ? m->s->idle[kind] : m->s->active[kind];
    int64_t own =
        table[object][res].hard ? table[object][res].hard : table[0][res].hard;
    int64_t over = idle ? 0 : m->s->over[x->cred[CRED_QOS]][res];

    if (kind != W_SYSTEM && kind != CRED_QOS && object == 0)
        return 0;
    if (kind == CRED_QOS && res == LIMIT_JOB && over)
        return over;
    if (kind != W_SYSTEM && (own <= 0 || ignored(m, x, kind, res)))
        return 0;
    return over && kind != W_SYSTEM && res != LIMIT_JOB ? over : own;
}

/* ---- the checks -------------------------------------------------------------- */

static bool counts_with(const struct m_job *x, const struct m_job *y, uint32_t kind)
{
    return kind == W_SYSTEM || x->cred[kind] == y->cred[kind];
}

static bool check_active(struct model *m, uint32_t job, const int64_t *want)
{
    const struct m_job *x = &m->jobs[job];

    for (uint32_t kind = 0; kind <= W_SYSTEM; kind++) {
        int64_t used[LIMIT_RES_COUNT] = {0}, v[LIMIT_RES_COUNT];
        for (uint32_t i = 0; i < m->w->njobs; i++) {
            if (m->jobs[i].state != M_ACTIVE || !counts_with(x, &m->jobs[i], kind))
                continue;
            left_of(m, i, v);
            for (int r = 0; r < LIMIT_RES_COUNT; r++)
                used[r] += v[r];
        }
        for (uint32_t r = 0; r < LIMIT_RES_COUNT; r++) {
            int64_t limit = in_parts(limit_for(m, x, kind, r, false), r);
            if (limit > 0 && used[r] + want[r] > limit)
                return model_fail(m,
                    "%s passes active limit %u of credential kind %u: "
                    "%lld used, %lld asked, %lld allowed",
                    m->w->jobs[job].id, r, kind, (long long)used[r], (long long)want[r],
                    (long long)limit);
        }
    }
    return true;
}

static bool soft_differs(const struct w_settings *s)
{
    for (int k = 0; k <= W_SYSTEM; k++)
        for (int o = 0; o < W_OBJECTS; o++)
            for (int r = 0; r < LIMIT_RES_COUNT; r++)
                if (s->active[k][o][r].soft && s->active[k][o][r].hard
                    && s->active[k][o][r].soft != s->active[k][o][r].hard)
                    return true;
    return false;
}

/* Section 7: a walk admits jobs while their sum is within the idle limits, so what
 * starts in a cycle without having had a reservation is within them too, but for those
 * who ignore limits; there are two walks when soft limits differ from hard ones. */
static bool check_idle(struct model *m, uint32_t job, const int64_t *want)
{
    const struct m_job *x = &m->jobs[job];
    int64_t walks = soft_differs(m->s) ? 2 : 1;

    if (x->had_rsv)
        return true;
    for (uint32_t kind = 0; kind <= W_SYSTEM; kind++) {
        int64_t *sum = m->picked[kind][kind == W_SYSTEM ? 0 : x->cred[kind]];
        for (uint32_t r = 0; r < LIMIT_RES_COUNT; r++) {
            int64_t limit = in_parts(limit_for(m, x, kind, r, true), r);
            if (limit <= 0)
                continue; /* it may come after those whom the limit holds */
            sum[r] += want[r];
            if (want[r] > limit || sum[r] > walks * limit)
                return model_fail(m, "%s passes idle limit %u of credential kind %u",
                    m->w->jobs[job].id, r, kind);
        }
    }
    return true;
}

static bool within_applies(
    const struct model *m, const struct w_within *x, const struct m_job *j)
{
    if (j->cred[x->kind] != x->object || j->cred[x->kind2] == 0)
        return false;
    (void)m;
    return x->object2 == 0 || j->cred[x->kind2] == x->object2;
}

static bool check_within(struct model *m, uint32_t job, const int64_t *want)
{
    const struct m_job *x = &m->jobs[job];

    for (uint32_t i = 0; i < m->s->nwithin; i++) {
        const struct w_within *l = &m->s->within[i];
        int64_t used = 0, over = m->s->over[x->cred[CRED_QOS]][l->res];
        int64_t limit = over && l->res != LIMIT_JOB && !l->idle ? over : l->hard;
        if (!within_applies(m, l, x) || ignored(m, x, l->kind, l->res)
            || ignored(m, x, l->kind2, l->res))
            continue;
        for (uint32_t k = 0; !l->idle && k < m->w->njobs; k++) {
            const struct m_job *y = &m->jobs[k];
            int64_t v[LIMIT_RES_COUNT];
            if (y->state != M_ACTIVE || y->cred[l->kind] != x->cred[l->kind]
                || y->cred[l->kind2] != x->cred[l->kind2])
                continue;
            left_of(m, k, v);
            used += v[l->res];
        }
        if (used + want[l->res] > in_parts(limit, l->res) && !(l->idle && x->had_rsv))
            return model_fail(m, "%s passes limit %u within kinds %u and %u",
                m->w->jobs[job].id, l->res, l->kind, l->kind2);
    }
    return true;
}

/* Limits on one job by itself; one that had a reservation was within them when it
 * got it. */
static bool check_system(struct model *m, uint32_t job, const int64_t *want)
{
    const struct m_job *x = &m->jobs[job];
    const char *flags = m->s->qos_flags[x->cred[CRED_QOS]];
    int64_t per_job = m->s->class_procs_per_job[x->cred[CRED_CLASS]];
    int64_t over = m->s->sys_procs;

    if (per_job && want[LIMIT_PROC] > per_job && !x->excused)
        return model_fail(m, "%s passes MAXPROCPERJOB", m->w->jobs[job].id);
    if (has_flag(flags, "IGNSYSTEM") || x->had_rsv)
        return true;
    if ((over && want[LIMIT_PROC] > over)
        || (m->s->sys_wclimit_s && want[LIMIT_WC] > m->s->sys_wclimit_s))
        return model_fail(m, "%s passes a SYSTEMMAX limit", m->w->jobs[job].id);
    return true;
}

bool model_check_limits(struct model *m, uint32_t job)
{
    int64_t want[LIMIT_RES_COUNT];

    model_consumption(m, job, want);
    return check_active(m, job, want) && check_idle(m, job, want)
           && check_within(m, job, want) && check_system(m, job, want);
}

/* ---- fairshare --------------------------------------------------------------- */

/* Decayed use of one credential, or of all (kind W_SYSTEM). */
static double decayed_use(const struct model *m, uint32_t kind, uint32_t object)
{
    int64_t begin = m->now - m->now % m->s->fs_interval_s;
    double sum = 0, weight = 1;

    for (int64_t i = 0; i < m->s->fs_depth; i++, weight *= m->s->fs_decay) {
        int64_t from = begin - i * m->s->fs_interval_s;
        int64_t until = from + m->s->fs_interval_s;
        for (size_t k = 0; k < m->uses.n; k++) {
            const struct m_use *u = &m->uses.v[k];
            int64_t a = u->from > from ? u->from : from;
            int64_t b = u->until < until ? u->until : until;
            b = b < m->now ? b : m->now;
            if (b > a && (kind == W_SYSTEM || u->cred[kind] == object))
                sum += weight * (double)((b - a) * u->procs);
        }
    }
    return sum;
}

bool model_check_fairshare(struct model *m, uint32_t job)
{
    const struct m_job *x = &m->jobs[job];
    int64_t want[LIMIT_RES_COUNT];

    if (!m->s->fs)
        return true;
    model_consumption(m, job, want);
    double all = decayed_use(m, W_SYSTEM, 0);
    for (uint32_t k = 0; k < CRED_KINDS; k++) {
        uint32_t o = x->cred[k];
        uint32_t from = m->s->fs_cap[k][o] ? o : 0;
        double target = (double)m->s->fs_target[k][from];
        if (o == 0 || m->s->fs_cap[k][from] == 0)
            continue;
        double use = decayed_use(m, k, o) + (double)want[LIMIT_PS];
        bool blocked = m->s->fs_cap[k][from] == '^'
                           ? use > target + 1e-6
                           : all > 0 && 100 * use / all > target + 1e-6;
        if (blocked)
            return model_fail(m,
                "%s passes the fairshare cap of its credential kind %u",
                m->w->jobs[job].id, k);
    }
    return true;
}
