/* SPDX-License-Identifier: Apache-2.0
 * Who goes first: start priority and run priority of jobs.
 *
 * The formula is written twice. prio_explain() is the plain form, every part of
 * every component; prio_from() is the one that runs over the whole queue in every
 * cycle, leaves out what has no weight and keeps what does not change. Both must
 * agree to the last bit, so both add up in the order CRED, RES, FS, SERV, TARG,
 * within a component in the order of enum prio_sub, and leaving out a term whose
 * weight is 0 adds nothing. A property test holds them together. */
#include "policy/priority.h"

#include "base/hash.h"
#include "config/settings.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"

#include <assert.h>

/* Nearer to its target than this, and past it, a target's value grows no more. */
#define TARGET_MIN 0.0001

/* Below any priority that weights can mean, above what an integer can hold. */
#define PRIORITY_MIN (-9e18)

/* ---- names and table of subcomponents --------------------------------------- */

static const struct {
    enum prio_comp comp;
    const char *name;
} subs[PRIO_SUBS] = {
    [PRIO_USER] = {PRIO_CRED, "User"},
    [PRIO_GROUP] = {PRIO_CRED, "Group"},
    [PRIO_ACCOUNT] = {PRIO_CRED, "Accnt"},
    [PRIO_QOS] = {PRIO_CRED, "QOS"},
    [PRIO_CLASS] = {PRIO_CRED, "Class"},
    [PRIO_FSUSER] = {PRIO_FS, "User"},
    [PRIO_FSGROUP] = {PRIO_FS, "Group"},
    [PRIO_FSACCOUNT] = {PRIO_FS, "Accnt"},
    [PRIO_FSQOS] = {PRIO_FS, "QOS"},
    [PRIO_FSCLASS] = {PRIO_FS, "Class"},
    [PRIO_ATTRATTR] = {PRIO_ATTR, "Attr"},
    [PRIO_ATTRSTATE] = {PRIO_ATTR, "State"},
    [PRIO_QUEUETIME] = {PRIO_SERV, "QTime"},
    [PRIO_XFACTOR] = {PRIO_SERV, "XFctr"},
    [PRIO_BYPASS] = {PRIO_SERV, "Bypas"},
    [PRIO_SPVIOLATION] = {PRIO_SERV, "SPVio"},
    [PRIO_TARGETQUEUETIME] = {PRIO_TARG, "QTime"},
    [PRIO_TARGETXFACTOR] = {PRIO_TARG, "XFctr"},
    [PRIO_NODE] = {PRIO_RES, "Node"},
    [PRIO_PROC] = {PRIO_RES, "Proc"},
    [PRIO_MEM] = {PRIO_RES, "Mem"},
    [PRIO_SWAP] = {PRIO_RES, "Swap"},
    [PRIO_DISK] = {PRIO_RES, "Disk"},
    [PRIO_PS] = {PRIO_RES, "PS"},
    [PRIO_PE] = {PRIO_RES, "PE"},
    [PRIO_WALLTIME] = {PRIO_RES, "WTime"},
    [PRIO_UPROC] = {PRIO_RES, "UProc"},
    [PRIO_UJOB] = {PRIO_RES, "UJob"},
    [PRIO_CONSUMED] = {PRIO_USAGE, "Cons"},
    [PRIO_REMAINING] = {PRIO_USAGE, "Rem"},
    [PRIO_PERCENT] = {PRIO_USAGE, "PerC"},
    [PRIO_EXECUTIONTIME] = {PRIO_USAGE, "ExecT"},
};

static const char *const comp_names[PRIO_COMPS] = {
    [PRIO_CRED] = "Cred",
    [PRIO_FS] = "FS",
    [PRIO_ATTR] = "Attr",
    [PRIO_SERV] = "Serv",
    [PRIO_TARG] = "Targ",
    [PRIO_RES] = "Res",
    [PRIO_USAGE] = "Usage",
};

enum prio_comp prio_comp_of(enum prio_sub s)
{
    return subs[s].comp;
}

const char *prio_sub_name(enum prio_sub s)
{
    return subs[s].name;
}

const char *prio_comp_name(enum prio_comp c)
{
    return comp_names[c];
}

/* ---- values: one rule each, used by both forms ------------------------------ */

static double capped(double v, double cap)
{
    return cap > 0 && v > cap ? cap : v;
}

/* Weighted, capped value of a subcomponent. */
static double term(const struct prio_settings *s, enum prio_sub sub, double v)
{
    return s->weight[sub] * capped(v, s->cap[sub]);
}

/* Weighted, capped component, given its sum. */
static double component(const struct prio_settings *s, enum prio_comp comp, double sum)
{
    return s->comp_weight[comp] * capped(sum, s->comp_cap[comp]);
}

/* Which credential a CRED or FS subcomponent looks at. */
static const enum cred_kind sub_kind[] = {
    [PRIO_USER] = CRED_USER,
    [PRIO_GROUP] = CRED_GROUP,
    [PRIO_ACCOUNT] = CRED_ACCOUNT,
    [PRIO_QOS] = CRED_QOS,
    [PRIO_CLASS] = CRED_CLASS,
    [PRIO_FSUSER] = CRED_USER,
    [PRIO_FSGROUP] = CRED_GROUP,
    [PRIO_FSACCOUNT] = CRED_ACCOUNT,
    [PRIO_FSQOS] = CRED_QOS,
    [PRIO_FSCLASS] = CRED_CLASS,
};

/* Own PRIORITY; for a class or QOS then the RM's; then DEFAULT's, but not for a QOS. */
static double cred_priority(const struct cred *k)
{
    if (k->cfg->priority)
        return (double)k->cfg->priority;
    if ((k->kind == CRED_CLASS && k->rm_priority) || k->kind == CRED_QOS)
        return (double)k->rm_priority;
    return (double)k->def->priority;
}

static double class_weight(const struct cluster *c, const struct job *j)
{
    int64_t own = job_cred(c, j, CRED_GROUP)->cfg->class_weight;

    return own > 0 ? (double)own : c->cfg->prio.weight[PRIO_CLASS];
}

/* Explicit node counts; a job that asked only for tasks counts 0. */
static double nodes_asked(const struct job *j)
{
    double nodes = 0;

    for (uint32_t r = 0; r < j->nreqs; r++)
        nodes += (double)j->reqs[r].nodes;
    return nodes;
}

static double amount_asked(const struct job *j, enum res_dim dim)
{
    double amount = 0;

    for (uint32_t r = 0; r < j->nreqs; r++) {
        const struct req *q = &j->reqs[r];

        if (q->def->per_task.v[dim] > 0)
            amount += (double)q->tasks * (double)q->def->per_task.v[dim];
    }
    return amount;
}

static double xfactor(const struct prio_settings *s, int64_t wclimit_s, double queue_s)
{
    int64_t wcl = wclimit_s > s->xfminwclimit_s ? wclimit_s : s->xfminwclimit_s;

    return 1 + queue_s / (wcl > 1 ? (double)wcl : 1);
}

static double target(double remaining)
{
    double inverse = 1 / (remaining > TARGET_MIN ? remaining : TARGET_MIN);

    return inverse * inverse;
}

static double res_value(const struct cluster *c, const struct job *j, enum prio_sub sub)
{
    if (sub == PRIO_NODE)
        return nodes_asked(j);
    if (sub == PRIO_PROC)
        return (double)j->procs;
    if (sub == PRIO_MEM)
        return (double)j->mem_mb;
    if (sub == PRIO_SWAP)
        return amount_asked(j, RES_SWAP);
    if (sub == PRIO_DISK)
        return amount_asked(j, RES_DISK);
    if (sub == PRIO_PS)
        return (double)j->procs * (double)j->wclimit_s;
    if (sub == PRIO_PE)
        return job_pe(c, j);
    return (double)j->wclimit_s; /* PRIO_WALLTIME */
}

/* UPROC, UJOB: what the job's user has active; nobody's is nothing. */
static double user_value(const struct cred *user, enum prio_sub sub)
{
    enum limit_res r = sub == PRIO_UPROC ? LIMIT_PROC : LIMIT_JOB;

    return user->index ? (double)user->active.v[r] : 0;
}

/* Floor and ceiling: what becomes of the sum. */
static int64_t bounded(const struct prio_settings *s, double points)
{
    if (points > (double)PRIORITY_MAX)
        points = (double)PRIORITY_MAX;
    if (!s->enable_negative && points < 1)
        points = 1;
    if (points < PRIORITY_MIN)
        points = PRIORITY_MIN;
    return (int64_t)points;
}

int64_t prio_of_user(const struct prio_settings *s, const struct job *j)
{
    bool may_rise = s->enable_positive_user || j->admitted;

    if (j->fixed_priority != 0 || (j->user_priority > 0 && !may_rise))
        return 0;
    double points = s->user_weight * (double)j->user_priority;
    return (int64_t)(points > (double)PRIORITY_MAX    ? (double)PRIORITY_MAX
                     : points < -(double)PRIORITY_MAX ? -(double)PRIORITY_MAX
                                                      : points);
}

static int64_t prio_of_tier(const struct job *j)
{
    return j->tier * PRIORITY_TIER;
}

/* The last steps: what its user and administrators gave it. */
static int64_t settled(
    const struct prio_settings *s, const struct job *j, int64_t priority)
{
    int64_t tier = prio_of_tier(j);

    if (j->flags & JOB_SYSPRIO_SET)
        return tier + PRIORITY_MAX + j->sys_priority;
    if (j->flags & JOB_OWNPRIO)
        priority =
            j->fixed_priority ? j->fixed_priority : priority + prio_of_user(s, j);
    return tier + priority + (j->flags & JOB_SYSPRIO_REL ? j->sys_priority : 0);
}

/* ---- the whole queue -------------------------------------------------------- */

/* Names everything the cached parts depend on besides the job. Priorities told by
 * the RM and the totals that PE divides by change without a new configuration.
 * Never 0, which means "dirty". */
static uint64_t epoch_of(const struct cluster *c)
{
    uint64_t h = hash_mix(1, c->config_epoch);

    for (size_t i = 0; i < c->creds[CRED_CLASS].n; i++)
        h = hash_mix(h, (uint64_t)c->creds[CRED_CLASS].v[i]->rm_priority);
    for (int i = 0; i < RES_DIMS && c->cfg->prio.weight[PRIO_PE] != 0; i++)
        h = hash_mix(h, (uint64_t)c->cfg_total.v[i]);
    return h ? h : 1;
}

static bool any_weight(
    const struct prio_settings *s, enum prio_sub first, enum prio_sub last)
{
    for (int sub = (int)first; sub <= (int)last; sub++)
        if (s->weight[sub] != 0)
            return s->comp_weight[subs[sub].comp] != 0;
    return false;
}

/* What QOS objects ask for themselves. */
static void look_at_qos(struct prio_pass *f)
{
    bool qt_target = f->s->weight[PRIO_TARGETQUEUETIME] != 0;
    bool xf_target = f->s->weight[PRIO_TARGETXFACTOR] != 0;

    for (size_t i = 0; i < f->c->creds[CRED_QOS].n; i++) {
        const struct cred_cfg *q = f->c->creds[CRED_QOS].v[i]->cfg;

        f->qos |= q->qt_weight != 0 || q->xf_weight != 0;
        f->xfactor |= q->xf_weight != 0;
        f->targ |= (qt_target && q->qt_target_s > 0) || (xf_target && q->xf_target > 0);
    }
    f->targ &= f->s->comp_weight[PRIO_TARG] != 0;
    f->xfactor |= f->targ && xf_target;
}

static struct prio_pass pass_of(struct cluster *c, int64_t now)
{
    const struct prio_settings *s = &c->cfg->prio;
    struct prio_pass f = {.s = s, .c = c, .now = now, .epoch = epoch_of(c)};

    f.user = any_weight(s, PRIO_UPROC, PRIO_UJOB);
    f.fs = c->cfg->fs.policy != FS_OFF && any_weight(s, PRIO_FSUSER, PRIO_FSCLASS);
    f.counts = any_weight(s, PRIO_BYPASS, PRIO_SPVIOLATION);
    f.xfactor = s->weight[PRIO_XFACTOR] != 0;
    look_at_qos(&f);
    f.serv = s->comp_weight[PRIO_SERV] != 0
             && (f.qos || f.counts || any_weight(s, PRIO_QUEUETIME, PRIO_XFACTOR));
    return f;
}

static double cred_points(const struct prio_pass *f, const struct job *j)
{
    const struct prio_settings *s = f->s;
    double sum = 0;

    for (int sub = PRIO_USER; sub <= PRIO_CLASS; sub++) {
        const struct cred *k = job_cred(f->c, j, sub_kind[sub]);
        double weight = sub == PRIO_CLASS ? class_weight(f->c, j) : s->weight[sub];

        if (weight != 0)
            sum += weight * capped(cred_priority(k), s->cap[sub]);
    }
    return component(s, PRIO_CRED, sum);
}

/* Redo what is cached in the job. */
static void refresh(const struct prio_pass *f, struct job *j)
{
    double res = 0;

    for (int sub = PRIO_NODE; sub <= PRIO_WALLTIME; sub++)
        if (f->s->weight[sub] != 0)
            res +=
                term(f->s, (enum prio_sub)sub, res_value(f->c, j, (enum prio_sub)sub));
    j->prio_static = cred_points(f, j);
    j->prio_res = res;
    if (!f->user)
        j->prio_static += component(f->s, PRIO_RES, res);
    j->prio_epoch = f->epoch;
}

static double user_points(
    const struct prio_pass *f, const struct prio_own *own, const struct prio_creds *of)
{
    double sum = own->res;

    sum += term(f->s, PRIO_UPROC, of->user_procs);
    sum += term(f->s, PRIO_UJOB, of->user_jobs);
    return component(f->s, PRIO_RES, sum);
}

static double serv_points(const struct prio_pass *f, const struct prio_own *own,
    const struct prio_creds *of, double queue_s, double xf)
{
    const struct prio_settings *s = f->s;
    double sum = of->qt_weight * capped(queue_s / 60, s->cap[PRIO_QUEUETIME]);

    if (f->xfactor)
        sum += of->xf_weight * capped(xf, s->cap[PRIO_XFACTOR]);
    if (f->counts) {
        sum += term(s, PRIO_BYPASS, (double)own->bypass);
        sum += term(s, PRIO_SPVIOLATION, own->over_soft ? 1 : 0);
    }
    return component(s, PRIO_SERV, sum);
}

static double targ_points(
    const struct prio_pass *f, const struct prio_creds *of, double queue_s, double xf)
{
    double sum = 0;

    if (of->qt_target_s > 0)
        sum +=
            term(f->s, PRIO_TARGETQUEUETIME, target((double)of->qt_target_s - queue_s));
    if (of->xf_target > 0)
        sum += term(f->s, PRIO_TARGETXFACTOR, target(of->xf_target - xf));
    return component(f->s, PRIO_TARG, sum);
}

void prio_own_of(const struct prio_pass *f, struct job *j, struct prio_own *ret)
{
    if (j->prio_epoch != f->epoch)
        refresh(f, j);
    ret->fixed = j->prio_static;
    ret->res = j->prio_res;
    ret->grows = accrual_grows(f->s, j, &ret->queue_s);
    ret->wclimit_s = j->wclimit_s;
    ret->bypass = job_bypass(f->c, j);
    ret->tier = (uint16_t)j->tier;
    ret->over_soft = (j->flags & JOB_SPVIOLATION) != 0;
}

/* The weighted FS value of a credential, worked out once in a pass. */
static double fs_value(const struct prio_pass *f, enum prio_sub sub, struct cred *k)
{
    if (k->prio_fs_pass != f->number) {
        k->prio_fs = term(f->s, sub, fs_factor(f->c, k));
        k->prio_fs_pass = f->number;
    }
    return k->prio_fs;
}

static double fs_points(const struct prio_pass *f, const uint32_t cred[CRED_KINDS])
{
    double sum = 0;

    for (int sub = PRIO_FSUSER; sub <= PRIO_FSCLASS; sub++)
        if (f->s->weight[sub] != 0)
            sum += fs_value(f, (enum prio_sub)sub,
                f->c->creds[sub_kind[sub]].v[cred[sub_kind[sub]]]);
    return component(f->s, PRIO_FS, sum);
}

double prio_fs_of(const struct cluster *c, const struct cred *k)
{
    const struct prio_settings *s = &c->cfg->prio;

    for (int sub = PRIO_FSUSER; sub <= PRIO_FSCLASS; sub++)
        if (sub_kind[sub] == (enum cred_kind)k->kind)
            return component(s, PRIO_FS, term(s, (enum prio_sub)sub, fs_factor(c, k)));
    return 0;
}

void prio_check(struct cluster *c, int64_t now)
{
    struct prio_pass f = pass_of(c, now);

    for (size_t i = 0; i < c->jobs.n; i++) {
        struct job *j = c->jobs.v[i];
        if (!j || j->idle_slot == INDEX_NONE || j->prio_epoch != f.epoch)
            continue;
        double fixed = j->prio_static, res = j->prio_res;
        refresh(&f, j);
        assert(fixed == j->prio_static && res == j->prio_res);
    }
}

void prio_creds_of(
    const struct prio_pass *f, const uint32_t cred[CRED_KINDS], struct prio_creds *ret)
{
    const struct cluster *c = f->c;
    const struct cred *user = c->creds[CRED_USER].v[cred[CRED_USER]];
    const struct cred_cfg *qos = c->creds[CRED_QOS].v[cred[CRED_QOS]]->cfg;

    ret->fs = f->fs ? fs_points(f, cred) : 0;
    ret->user_procs = user_value(user, PRIO_UPROC);
    ret->user_jobs = user_value(user, PRIO_UJOB);
    ret->qt_weight = f->s->weight[PRIO_QUEUETIME] + (f->qos ? qos->qt_weight : 0);
    ret->xf_weight = f->s->weight[PRIO_XFACTOR] + (f->qos ? qos->xf_weight : 0);
    ret->qt_target_s = qos->qt_target_s;
    ret->xf_target = qos->xf_target;
}

/* Without its tier. */
static int64_t formula(
    const struct prio_pass *f, const struct prio_own *own, const struct prio_creds *of)
{
    int64_t queued = own->queue_s;

    if (own->grows)
        queued = f->now > queued ? f->now - queued : 0;
    double queue_s = (double)queued;
    double xf = f->xfactor ? xfactor(f->s, own->wclimit_s, queue_s) : 1;
    double points = own->fixed;

    if (f->user)
        points += user_points(f, own, of);
    if (f->fs)
        points += of->fs;
    if (f->serv)
        points += serv_points(f, own, of, queue_s, xf);
    if (f->targ)
        points += targ_points(f, of, queue_s, xf);
    return bounded(f->s, points);
}

int64_t prio_from(
    const struct prio_pass *f, const struct prio_own *own, const struct prio_creds *of)
{
    return formula(f, own, of) + own->tier * PRIORITY_TIER;
}

/* Jobs of a long queue come from memory: ask for them some jobs ahead. */
#define AHEAD 12

static void fetch(const struct job *j)
{
    __builtin_prefetch(&j->index);
    __builtin_prefetch(&j->queue_at);
}

void prio_begin(struct cluster *c, int64_t now, struct prio_pass *ret)
{
    *ret = pass_of(c, now);
    ret->number = ++c->prio_passes;
}

void prio_go_on(struct prio_pass *pass, int64_t now)
{
    pass->now = now;
    pass->number = ++pass->c->prio_passes;
}

void prio_set(const struct prio_pass *f, const uint32_t *jobs, size_t n)
{
    struct job *const *table = f->c->jobs.v;

    for (size_t i = 0; i < n; i++) {
        struct job *j = table[jobs[i]];
        struct prio_creds of;
        struct prio_own own;

        if (i + AHEAD < n)
            fetch(table[jobs[i + AHEAD]]);
        prio_own_of(f, j, &own);
        prio_creds_of(f, j->cred, &of);
        f->c->priorities.v[j->index] = settled(f->s, j, formula(f, &own, &of));
    }
}

void prio_update(struct cluster *c, const uint32_t *jobs, size_t n, int64_t now)
{
    struct prio_pass f;

    prio_begin(c, now, &f);
    prio_set(&f, jobs, n);
}

bool prio_grows_alike(const struct prio_pass *f, double *ret_rate)
{
    const struct prio_settings *s = f->s;

    *ret_rate = 0;
    if (f->serv)
        *ret_rate = s->comp_weight[PRIO_SERV] * s->weight[PRIO_QUEUETIME] / 60;
    return !f->user && !f->fs && !f->targ && !f->qos && !f->xfactor && !f->counts
           && !s->enable_negative && s->cap[PRIO_QUEUETIME] <= 0
           && s->comp_cap[PRIO_SERV] <= 0 && *ret_rate >= 0;
}

int64_t prio_queued_since(const struct prio_pass *f, const struct job *j)
{
    bool submitted = f->s->accrual == ACCRUE_ALWAYS && !j->preempt_count;

    return submitted ? j->submit_at : j->queue_at;
}

bool prio_queue_is_plain(const struct prio_pass *f, const struct job *j)
{
    int64_t since = prio_queued_since(f, j);

    return !j->paused && since <= f->now
           && accrual_queue_s(f->s, j, f->now) == f->now - since;
}

/* ---- the plain form --------------------------------------------------------- */

static void explain_creds(
    const struct cluster *c, const struct job *j, struct prio_parts *parts)
{
    for (int sub = PRIO_USER; sub <= PRIO_CLASS; sub++)
        parts->value[sub] = cred_priority(job_cred(c, j, sub_kind[sub]));
    for (int sub = PRIO_FSUSER; sub <= PRIO_FSCLASS; sub++)
        parts->value[sub] = fs_factor(c, job_cred(c, j, sub_kind[sub]));
    parts->weight[PRIO_CLASS] = class_weight(c, j);
}

static void explain_service(
    const struct cluster *c, const struct job *j, int64_t now, struct prio_parts *parts)
{
    const struct prio_settings *s = &c->cfg->prio;
    const struct cred_cfg *q = job_cred(c, j, CRED_QOS)->cfg;
    double queue_s = (double)accrual_queue_s(s, j, now);
    double xf = xfactor(s, j->wclimit_s, queue_s);

    parts->value[PRIO_QUEUETIME] = queue_s / 60;
    parts->weight[PRIO_QUEUETIME] += q->qt_weight;
    parts->value[PRIO_XFACTOR] = xf;
    parts->weight[PRIO_XFACTOR] += q->xf_weight;
    parts->value[PRIO_BYPASS] = (double)job_bypass(c, j);
    parts->value[PRIO_SPVIOLATION] = j->flags & JOB_SPVIOLATION ? 1 : 0;
    if (q->qt_target_s > 0)
        parts->value[PRIO_TARGETQUEUETIME] = target((double)q->qt_target_s - queue_s);
    if (q->xf_target > 0)
        parts->value[PRIO_TARGETXFACTOR] = target(q->xf_target - xf);
}

static void explain_resources(
    const struct cluster *c, const struct job *j, struct prio_parts *parts)
{
    const struct cred *user = job_cred(c, j, CRED_USER);

    for (int sub = PRIO_NODE; sub <= PRIO_WALLTIME; sub++)
        parts->value[sub] = res_value(c, j, (enum prio_sub)sub);
    for (int sub = PRIO_UPROC; sub <= PRIO_UJOB; sub++)
        parts->value[sub] = user_value(user, (enum prio_sub)sub);
}

/* Wallclock used and left of an active job; left is never negative. */
static void explain_usage(const struct job *j, int64_t now, struct prio_parts *parts)
{
    bool suspended = j->state == JOB_SUSPENDED;
    int64_t used = (suspended ? j->suspend_at : now) - j->start_at - j->suspended_s;
    int64_t left;

    if (!job_is_active(j) && !suspended)
        return;
    used = used > 0 ? used : 0;
    left = j->wclimit_s > used ? j->wclimit_s - used : 0;
    parts->value[PRIO_CONSUMED] = (double)j->procs * (double)used;
    parts->value[PRIO_REMAINING] = (double)j->procs * (double)left;
    parts->value[PRIO_PERCENT] =
        100 * (double)used / (j->wclimit_s > 1 ? (double)j->wclimit_s : 1);
    parts->value[PRIO_EXECUTIONTIME] =
        now > j->start_at ? (double)(now - j->start_at) : 0;
}

static void add_up(const struct prio_settings *s, struct prio_parts *parts)
{
    for (int sub = 0; sub < PRIO_SUBS; sub++) {
        parts->value[sub] = capped(parts->value[sub], s->cap[sub]);
        parts->comp[subs[sub].comp] += parts->weight[sub] * parts->value[sub];
    }
    for (int comp = 0; comp < PRIO_COMPS; comp++) {
        parts->comp[comp] = capped(parts->comp[comp], s->comp_cap[comp]);
        parts->weighted[comp] = s->comp_weight[comp] * parts->comp[comp];
    }
}

void prio_explain(
    struct cluster *c, const struct job *j, int64_t now, struct prio_parts *ret_parts)
{
    static const enum prio_comp order[] = {
        PRIO_CRED, PRIO_RES, PRIO_FS, PRIO_SERV, PRIO_TARG};
    const struct prio_settings *s = &c->cfg->prio;
    double points = 0;

    *ret_parts = (struct prio_parts){0};
    for (int sub = 0; sub < PRIO_SUBS; sub++)
        ret_parts->weight[sub] = s->weight[sub];
    explain_creds(c, j, ret_parts);
    explain_service(c, j, now, ret_parts);
    explain_resources(c, j, ret_parts);
    explain_usage(j, now, ret_parts);
    add_up(s, ret_parts);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        points += ret_parts->weighted[order[i]];
    ret_parts->user = prio_of_user(s, j);
    ret_parts->tier = prio_of_tier(j);
    ret_parts->priority = settled(s, j, bounded(s, points));
}

/* ---- run priority, system priority ------------------------------------------ */

int64_t prio_run(struct cluster *c, const struct job *j, int64_t now)
{
    struct prio_parts parts;

    prio_explain(c, j, now, &parts);
    return (int64_t)capped(
        (double)job_priority(c, j) + parts.weighted[PRIO_USAGE], 9e18);
}

int prio_set_system(struct job *j, bool relative, int64_t n, struct err *err)
{
    if (relative && (n < -PRIORITY_MAX || n > PRIORITY_MAX))
        return err_set(err, ERR_INVALID,
            "job %s: relative system priority %lld is out of range: expected "
            "-1000000000 to 1000000000",
            j->id, (long long)n);
    if (!relative && (n < 0 || n > 1000))
        return err_set(err, ERR_INVALID,
            "job %s: system priority %lld is out of range: expected 1 to 1000, or 0 to "
            "clear it",
            j->id, (long long)n);
    j->flags &= ~(uint32_t)(JOB_SYSPRIO_SET | JOB_SYSPRIO_REL);
    j->sys_priority = n;
    if (n)
        j->flags |= relative ? JOB_SYSPRIO_REL : JOB_SYSPRIO_SET;
    return 0;
}
