/* SPDX-License-Identifier: Apache-2.0
 * Throttling: comparing what is asked with the limits in force. */
#include "cluster/partition.h"
#include "config/settings.h"
#include "policy/limits_private.h"

/* One question: do these credentials, asking for `want`, break a limit? */
struct check {
    const struct limits *l;
    const struct cluster *c;
    const uint32_t *cred; /* by kind */
    const int64_t *want;  /* by resource */
    enum limit_level level;
    bool alone;   /* as if nothing else were in use */
    bool quotas;  /* those of the resource manager too: not for reservations */
    int64_t from; /* as if what ends by then were not in use; 0 = as it is */
    const struct limit_override *over; /* NULL = the QOS changes nothing */
    struct limit_override over_new;    /* of a QOS newer than the rows */
    struct reason *why;                /* or NULL */
};

static void check_init(struct check *k, const struct limits *l, const struct cluster *c,
    const uint32_t *cred, const int64_t *want)
{
    uint32_t qos = cred[CRED_QOS];

    k->l = l;
    k->c = c;
    k->cred = cred;
    k->want = want;
    k->alone = false;
    k->quotas = true;
    k->from = 0;
    k->over = NULL;
    if (!l->any_override)
        return;
    if (qos < l->over.n) {
        k->over = &l->over.v[qos];
    } else {
        limits_rules_override(c->creds[CRED_QOS].v[qos], &k->over_new);
        k->over = &k->over_new;
    }
    if (!k->over->any)
        k->over = NULL;
}

static const struct reason no_reason = {
    .code = WAIT_LIMIT, .kind = CRED_KINDS, .kind2 = CRED_KINDS};

/* Whose usage is compared with a row: of all who have what is asked for of these
 * kinds; CRED_KINDS asks for nothing. */
struct scope {
    uint32_t kind, kind2;
};
static const struct scope whole_system = {CRED_KINDS, CRED_KINDS};

static bool is_within(const struct check *k, struct scope s, const uint32_t *cred)
{
    return (s.kind == CRED_KINDS || cred[s.kind] == k->cred[s.kind])
           && (s.kind2 == CRED_KINDS || cred[s.kind2] == k->cred[s.kind2]);
}

/* What was counted for active jobs that are over by `k->from`. */
static int64_t sum_over(const struct check *k, struct scope s, enum limit_res r)
{
    int64_t sum = 0;

    for (size_t i = 0; i < k->c->active.n; i++) {
        const struct job *j = k->c->jobs.v[k->c->active.v[i]];
        const struct limits_counted *x = limits_ledger_find(&k->l->ledger, j->index);
        if (x && j->end_at <= k->from && is_within(k, s, x->cred))
            sum += x->v[r];
    }
    return sum;
}

static int64_t find_used(const struct check *k, enum limit_dim dim, struct scope s,
    enum limit_res r, const int64_t *used)
{
    if (k->alone)
        return 0;
    return k->from && dim == DIM_ACTIVE ? used[r] - sum_over(k, s, r) : used[r];
}

/* Compare with one row; on a violation the numbers are written to k->why. */
static bool breaks_row(const struct check *k, enum limit_dim dim, uint32_t mask,
    struct scope s, const struct limit_row *row, const int64_t *used)
{
    for (; mask; mask &= mask - 1) {
        enum limit_res r = __builtin_ctz(mask);
        int64_t limit = row->at[k->level][r];
        int64_t in_use = find_used(k, dim, s, r, used);
        limit = limits_rules_apply(k->over, dim, r, k->level, limit);
        if (limit == LIMIT_OFF || k->want[r] <= limit - in_use)
            continue;
        if (k->why) {
            *k->why = no_reason;
            k->why->level = k->level;
            k->why->dim = dim;
            k->why->res = r;
            k->why->limit = limit;
            k->why->used = in_use;
            k->why->asked = k->want[r];
        }
        return true;
    }
    return false;
}

static bool breaks_cred(
    const struct check *k, enum limit_dim dim, uint32_t kind, uint32_t mask)
{
    const struct limits_table *t = &k->l->dims[dim];
    uint32_t object = k->cred[kind];
    const struct cred *cred = k->c->creds[kind].v[object];
    const struct limit_row *row;
    struct limit_row row_new;

    if (object == 0 && kind != CRED_QOS)
        return false; /* none named: only QOS DEFAULT is an object jobs have */
    if (object < t->rows[kind].n) {
        row = &t->rows[kind].v[object];
    } else {
        limits_rules_row(cred, dim, &row_new);
        row = &row_new;
    }
    if (!breaks_row(k, dim, mask, (struct scope){kind, CRED_KINDS}, row,
            dim == DIM_IDLE ? cred->idle.v : cred->active.v))
        return false;
    if (k->why) {
        k->why->kind = kind;
        k->why->object = object;
    }
    return true;
}

static bool breaks_pairs(const struct check *k, enum limit_dim dim)
{
    struct limits_pairs *p = k->l->pairs;

    for (size_t i = 0; i < limits_pairs_count(p); i++) {
        const struct limits_combo *m = limits_pairs_combo(p, i);
        const struct limit_row *row;
        const int64_t *used;
        uint32_t mask = m->mask;
        if (k->over && m->kind < CRED_KINDS)
            mask &= ~k->over->ignore[dim][m->kind];
        if (k->over)
            mask &= ~k->over->ignore[dim][m->kind2];
        if (m->dim != dim || !mask
            || !limits_pairs_get(p, k->c, i, k->cred, &row, &used)
            || !breaks_row(k, dim, mask, (struct scope){m->kind, m->kind2}, row, used))
            continue;
        if (k->why) {
            k->why->kind = m->kind;
            k->why->object = m->kind < CRED_KINDS ? k->cred[m->kind] : 0;
            k->why->kind2 = m->kind2;
            k->why->object2 = k->cred[m->kind2];
        }
        return true;
    }
    return false;
}

/* What was counted for active jobs that are over by `k->from`, under that quota. */
static int64_t sum_over_quota(const struct check *k, const struct quota_test *t)
{
    const struct quota *q = &k->c->quotas->v[t->quota];
    int64_t sum = 0;

    for (size_t i = 0; k->from && i < k->c->active.n; i++) {
        const struct job *j = k->c->jobs.v[k->c->active.v[i]];
        const struct limits_counted *x = limits_ledger_find(&k->l->ledger, j->index);
        if (x && j->end_at <= k->from && quota_nearness(k->c, q, x->cred)
            && quota_object(q, x->cred) == quota_object(q, k->cred))
            sum += t->res < LIMIT_RES_COUNT ? x->v[t->res]
                                            : x->more[t->res - LIMIT_RES_COUNT];
    }
    return sum;
}

static void tell_quota(
    const struct check *k, const struct quota_test *t, int64_t in_use)
{
    const struct quota *q = &k->c->quotas->v[t->quota];

    *k->why = no_reason;
    k->why->level = LEVEL_HARD;
    k->why->dim = DIM_ACTIVE;
    k->why->res = q->limits[t->limit].res;
    k->why->limit = t->most;
    k->why->used = in_use;
    k->why->asked = k->want[t->res];
    k->why->quota = t->quota + 1;
    k->why->quota_limit = t->limit;
    if (q->per != QUOTA_PER_ALL) {
        k->why->kind = q->per == QUOTA_PER_USER ? CRED_USER : CRED_ACCOUNT;
        k->why->object = quota_object(q, k->cred);
    }
}

/* No QOS of maui.cfg lifts what the resource manager enforces. */
static bool breaks_quotas(const struct check *k)
{
    size_t n;
    const struct quota_test *t = limits_quotas_tests(k->l->quotas, k->c, k->cred, &n);

    for (; n-- > 0; t++) {
        int64_t in_use = 0;
        if (!t->of_job && !k->alone)
            in_use = limits_quotas_used(k->l->quotas, t)[t->res] - sum_over_quota(k, t);
        if (k->want[t->res] <= t->most - in_use)
            continue;
        if (k->why)
            tell_quota(k, t, in_use);
        return true;
    }
    return false;
}

/* The whole system is not a credential: a QOS's overrides leave it alone. */
static bool breaks_whole(struct check *k, enum limit_dim dim)
{
    const struct limit_override *over = k->over;
    const struct usage *u = dim == DIM_IDLE ? &k->c->sys_idle : &k->c->sys_active;
    bool broken;

    k->over = NULL;
    broken = breaks_row(
        k, dim, k->l->dims[dim].sys_mask, whole_system, &k->l->dims[dim].sys, u->v);
    k->over = over;
    return broken;
}

static bool breaks_dim(struct check *k, enum limit_dim dim)
{
    const struct limits_table *t = &k->l->dims[dim];

    for (uint32_t kind = 0; kind < CRED_KINDS; kind++) {
        uint32_t mask = t->mask[kind];
        if (k->over)
            mask &= ~k->over->ignore[dim][kind];
        if (mask && breaks_cred(k, dim, kind, mask))
            return true;
    }
    if (t->sys_mask && breaks_whole(k, dim))
        return true;
    if (limits_pairs_any(k->l->pairs, dim) && breaks_pairs(k, dim))
        return true;
    return dim == DIM_ACTIVE && k->quotas && breaks_quotas(k);
}

static bool breaks_system(const struct check *k, uint32_t partition)
{
    const struct par_settings *par = &k->c->cfg->par.v[0];
    bool by_qos;

    if (partition < k->c->partitions.n)
        par = k->c->partitions.v[partition]->par;
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        int64_t limit = limits_rules_system(k->over, par, r, &by_qos);
        if (limit == LIMIT_OFF || k->want[r] <= limit)
            continue;
        if (k->why) {
            *k->why = no_reason;
            k->why->level = k->level;
            k->why->dim = DIM_SYSTEM;
            k->why->res = r;
            k->why->limit = limit;
            k->why->asked = k->want[r];
            k->why->object = partition;
            if (by_qos) {
                k->why->kind = CRED_QOS;
                k->why->object = k->cred[CRED_QOS];
            }
        }
        return true;
    }
    return false;
}

static bool breaks_any(struct check *k, unsigned what)
{
    if ((what & CHECK_ACTIVE) && breaks_dim(k, DIM_ACTIVE))
        return true;
    if ((what & CHECK_IDLE) && breaks_dim(k, DIM_IDLE))
        return true;
    return (what & CHECK_SYSTEM) && breaks_system(k, INDEX_NONE);
}

bool limits_use_violated(const struct limits *l, const struct cluster *c,
    struct limits_use use, unsigned what, enum limit_level level,
    struct reason *ret_why)
{
    struct check k;

    check_init(&k, l, c, use.cred, use.v);
    k.from = use.from;
    k.quotas = !use.reserves;
    k.level = level;
    k.why = ret_why;
    return breaks_any(&k, what & l->in_force);
}

bool limits_violated(const struct limits *l, const struct cluster *c,
    const struct job *j, unsigned what, enum limit_level level, struct reason *ret_why)
{
    struct check k;

    what &= l->in_force;
    if (!what)
        return false;
    check_init(&k, l, c, j->cred, limits_quotas_use_of(l->quotas, c, j));
    k.level = level;
    k.why = ret_why;
    return breaks_any(&k, what);
}

bool limits_quotas_violated(
    const struct limits *l, const struct cluster *c, const struct job *j)
{
    struct check k;

    check_init(&k, l, c, j->cred, limits_quotas_use_of(l->quotas, c, j));
    k.level = LEVEL_HARD;
    k.why = NULL;
    return breaks_quotas(&k);
}

bool limits_size_violated(const struct limits *l, const struct cluster *c,
    const struct job *j, uint32_t partition, struct reason *ret_why)
{
    int64_t want[LIMIT_RES_COUNT];
    struct check k;

    if (!(l->in_force & CHECK_SYSTEM))
        return false;
    limits_use_of(c, j, want);
    check_init(&k, l, c, j->cred, want);
    k.level = LEVEL_HARD;
    k.why = ret_why;
    return breaks_system(&k, partition);
}

bool limits_never(const struct limits *l, const struct cluster *c, const struct job *j,
    struct reason *ret_why)
{
    struct check k;

    if (!(l->in_force & (CHECK_ACTIVE | CHECK_IDLE)))
        return false;
    check_init(&k, l, c, j->cred, limits_quotas_use_of(l->quotas, c, j));
    k.level = LEVEL_HARD;
    k.alone = true;
    k.why = ret_why;
    return breaks_dim(&k, DIM_ACTIVE) || breaks_dim(&k, DIM_IDLE);
}

bool limits_over_soft(
    const struct limits *l, const struct cluster *c, const struct job *j)
{
    struct check k;

    check_init(&k, l, c, j->cred, limits_quotas_nothing(l->quotas));
    k.level = LEVEL_SOFT;
    k.why = NULL;
    return breaks_dim(&k, DIM_ACTIVE);
}
