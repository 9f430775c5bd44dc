/* SPDX-License-Identifier: Apache-2.0
 * Throttling: which limits are in force, and counting usage. Values are resolved
 * into flat rows beforehand, because a comparison runs for every queued job in every
 * cycle. */
#include "config/settings.h"
#include "policy/limits_private.h"

#include <assert.h>

struct limits *limits_create(void)
{
    struct limits *l = xcalloc(1, sizeof *l);

    l->pairs = limits_pairs_create();
    l->quotas = limits_quotas_create();
    return l;
}

void limits_destroy(struct limits *l)
{
    if (!l)
        return;
    for (int d = 0; d < LIMIT_DIMS; d++)
        for (int k = 0; k < CRED_KINDS; k++)
            vec_fini(&l->dims[d].rows[k]);
    for (int i = LEVEL_SOFT; i <= LEVEL_HARD; i++)
        limits_walk_fini(&l->walks[i]);
    vec_fini(&l->over);
    vec_fini(&l->touched);
    vec_fini(&l->remarked);
    limits_ledger_fini(&l->ledger);
    limits_pairs_destroy(l->pairs);
    limits_quotas_destroy(l->quotas);
    free(l);
}

/* ---- which limits are in force ----------------------------------------------- */

static void note_value(struct limits *l, uint32_t *mask, enum limit_dim dim,
    enum limit_res r, const struct limit *v)
{
    struct limit_row row;

    if (!limits_rules_set(v))
        return;
    *mask |= LIMIT_BIT(r);
    limits_rules_put(&row, r, v, dim);
    if (row.at[LEVEL_SOFT][r] != row.at[LEVEL_HARD][r])
        l->soft_differs = true;
}

static void note_section(
    struct limits *l, uint32_t *active, uint32_t *idle, const struct cred_cfg *cfg)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        note_value(l, active, DIM_ACTIVE, r, &cfg->active[r]);
        note_value(l, idle, DIM_IDLE, r, &cfg->idle[r]);
    }
}

/* OMAXJOB and OMAXIJOB limit the QOS; the other overrides only replace, but may
 * bring a soft value of their own. */
static void note_qos(struct limits *l, const struct cred_cfg *cfg)
{
    uint32_t ignored = 0;

    note_value(l, &l->dims[DIM_ACTIVE].mask[CRED_QOS], DIM_ACTIVE, LIMIT_JOB,
        &cfg->over_active[LIMIT_JOB]);
    note_value(l, &l->dims[DIM_IDLE].mask[CRED_QOS], DIM_IDLE, LIMIT_JOB,
        &cfg->over_idle[LIMIT_JOB]);
    for (int r = LIMIT_JOB + 1; r < LIMIT_RES_COUNT; r++)
        note_value(l, &ignored, DIM_ACTIVE, r, &cfg->over_active[r]);
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        if (cfg->over_job[r])
            l->in_force |= CHECK_SYSTEM;
}

static void note_all(struct limits *l, const struct settings *cfg)
{
    struct limits_table *act = &l->dims[DIM_ACTIVE], *idle = &l->dims[DIM_IDLE];

    for (int k = 0; k < CRED_KINDS; k++)
        for (size_t i = 0; i < cfg->creds[k].n; i++)
            note_section(l, &act->mask[k], &idle->mask[k], &cfg->creds[k].v[i]);
    note_section(l, &act->sys_mask, &idle->sys_mask, &cfg->sys);
    for (size_t i = 0; i < cfg->creds[CRED_QOS].n; i++)
        note_qos(l, &cfg->creds[CRED_QOS].v[i]);
    for (size_t i = 0; i < cfg->par.n; i++) {
        const struct par_settings *p = &cfg->par.v[i];
        if (p->max_proc_per_job > 0 || p->max_ps_per_job > 0 || p->max_wclimit_s > 0)
            l->in_force |= CHECK_SYSTEM;
    }
    limits_rules_system_row(cfg, DIM_ACTIVE, &act->sys);
    limits_rules_system_row(cfg, DIM_IDLE, &idle->sys);
    l->soft_differs |= limits_pairs_soft_differs(l->pairs);
}

static uint32_t all_masks(const struct limits *l, enum limit_dim dim)
{
    uint32_t mask = l->dims[dim].sys_mask;

    for (int k = 0; k < CRED_KINDS; k++)
        mask |= l->dims[dim].mask[k];
    for (size_t i = 0; i < limits_pairs_count(l->pairs); i++)
        if (limits_pairs_combo(l->pairs, i)->dim == dim)
            mask |= limits_pairs_combo(l->pairs, i)->mask;
    return mask;
}

/* Does any section contain something that changes other limits? */
static bool overrides_exist(const struct cluster *c)
{
    for (size_t i = 0; i < c->cfg->creds[CRED_QOS].n; i++) {
        const struct cred_cfg *cfg = &c->cfg->creds[CRED_QOS].v[i];
        const struct cred k = {.kind = CRED_QOS, .cfg = cfg, .def = cfg};
        struct limit_override o;
        limits_rules_override(&k, &o);
        if (o.any)
            return true;
    }
    return false;
}

/* Resolve the rows of credentials that appeared since the last time. */
static void grow(struct limits *l, const struct cluster *c)
{
    size_t creds = 0;

    for (int k = 0; k < CRED_KINDS; k++)
        creds += c->creds[k].n;
    if (creds == l->creds)
        return;
    l->creds = creds;
    for (int d = 0; d < LIMIT_DIMS; d++)
        for (int k = 0; k < CRED_KINDS; k++) {
            struct limits_table *t = &l->dims[d];
            struct limit_row row;
            while (t->mask[k] && t->rows[k].n < c->creds[k].n) {
                limits_rules_row(c->creds[k].v[t->rows[k].n], d, &row);
                vec_push(&t->rows[k], row);
            }
        }
    while (l->any_override && l->over.n < c->creds[CRED_QOS].n) {
        struct limit_override o;
        limits_rules_override(c->creds[CRED_QOS].v[l->over.n], &o);
        vec_push(&l->over, o);
    }
}

/* ---- usage ------------------------------------------------------------------- */

static void add_active(
    struct limits *l, struct cluster *c, const struct limits_counted *x, int sign)
{
    for (int k = 0; k < CRED_KINDS; k++)
        limits_use_add(c->creds[k].v[x->cred[k]]->active.v, x->v, sign);
    limits_use_add(c->sys_active.v, x->v, sign);
    if (limits_pairs_any(l->pairs, DIM_ACTIVE))
        limits_pairs_add(l->pairs, c, DIM_ACTIVE, x->cred, x->v, sign);
    limits_quotas_add(l->quotas, c, x, sign);
}

/* What limits of the resource manager measure of it, beside x->v. */
static void take_measures(
    const struct limits *l, const struct job *j, struct limits_counted *x)
{
    size_t n = limits_quotas_measures(l->quotas);

    free(x->more);
    x->more = n > 0 ? xcalloc(n, sizeof *x->more) : NULL;
    limits_quotas_measure(l->quotas, j, x->v, x->more);
}

void limits_count_active(
    struct limits *l, struct cluster *c, struct job *j, int sign, int64_t now)
{
    struct limits_counted *x = limits_ledger_find(&l->ledger, j->index);

    if (x)
        add_active(l, c, x, -1);
    if (sign < 0) {
        j->flags &= ~(uint32_t)JOB_SPVIOLATION;
        if (x)
            limits_ledger_remove(&l->ledger, j->index);
        return;
    }
    if (!x)
        x = limits_ledger_add(&l->ledger, j->index);
    limits_use_left(c, j, now, x->v);
    memcpy(x->cred, j->cred, sizeof x->cred);
    take_measures(l, j, x);
    add_active(l, c, x, 1);
}

void limits_count_idle_use(struct limits *l, struct cluster *c,
    const uint32_t cred[CRED_KINDS], const int64_t *v)
{
    if (!(l->in_force & CHECK_IDLE))
        return;
    for (uint32_t k = 0; k < CRED_KINDS; k++) {
        if (!l->dims[DIM_IDLE].mask[k])
            continue;
        struct usage *u = &c->creds[k].v[cred[k]]->idle;
        if (u->v[LIMIT_JOB] == 0)
            vec_push(&l->touched, ((struct limits_touched){k, cred[k]}));
        limits_use_add(u->v, v, 1);
    }
    limits_use_add(c->sys_idle.v, v, 1);
    if (limits_pairs_any(l->pairs, DIM_IDLE))
        limits_pairs_add(l->pairs, c, DIM_IDLE, cred, v, 1);
}

void limits_count_idle(struct limits *l, struct cluster *c, const struct job *j)
{
    int64_t v[LIMIT_RES_COUNT];

    limits_use_of(c, j, v);
    limits_count_idle_use(l, c, j->cred, v);
}

void limits_begin_idle(struct limits *l, struct cluster *c)
{
    grow(l, c);
    for (size_t i = 0; i < l->touched.n; i++) {
        struct limits_touched t = l->touched.v[i];
        memset(&c->creds[t.kind].v[t.object]->idle, 0, sizeof(struct usage));
    }
    l->touched.n = 0;
    memset(&c->sys_idle, 0, sizeof c->sys_idle);
    limits_pairs_begin_idle(l->pairs);
}

/* Count the active jobs again from nothing: pairs were forgotten, and settings may
 * change what a job consumes. The ledger knows which jobs are counted. */
static void count_again(struct limits *l, struct cluster *c)
{
    for (int k = 0; k < CRED_KINDS; k++)
        for (size_t i = 0; i < c->creds[k].n; i++)
            memset(&c->creds[k].v[i]->active, 0, sizeof(struct usage));
    memset(&c->sys_active, 0, sizeof c->sys_active);
    for (size_t i = 0; i < l->ledger.slot.n; i++) {
        struct limits_counted *x = limits_ledger_find(&l->ledger, i);
        if (!x)
            continue;
        take_measures(l, c->jobs.v[i], x);
        add_active(l, c, x, 1);
    }
}

void limits_configure(struct limits *l, struct cluster *c)
{
    limits_begin_idle(l, c);
    for (int d = 0; d < LIMIT_DIMS; d++) {
        memset(l->dims[d].mask, 0, sizeof l->dims[d].mask);
        l->dims[d].sys_mask = 0;
        for (int k = 0; k < CRED_KINDS; k++)
            l->dims[d].rows[k].n = 0;
    }
    l->over.n = 0;
    l->creds = 0;
    l->in_force = 0;
    l->soft_differs = false;
    limits_pairs_configure(l->pairs, c->cfg);
    limits_quotas_configure(l->quotas, c);
    note_all(l, c->cfg);
    uint32_t active = all_masks(l, DIM_ACTIVE), idle = all_masks(l, DIM_IDLE);
    uint32_t quotas = limits_quotas_mask(l->quotas);
    l->configured = l->in_force || active || idle;
    if (active || limits_quotas_any(l->quotas))
        l->in_force |= CHECK_ACTIVE;
    if (idle)
        l->in_force |= CHECK_IDLE;
    l->left_matters = (active | limits_quotas_counted(l->quotas))
                      & (LIMIT_BIT(LIMIT_PS) | LIMIT_BIT(LIMIT_WC));
    l->any_override = overrides_exist(c);
    l->asked = l->any_override || limits_pairs_count(l->pairs)
                   ? UINT32_MAX
                   : (active | idle | quotas)
                         & ~(LIMIT_BIT(LIMIT_JOB) | LIMIT_BIT(LIMIT_PROC));
    if (limits_quotas_measures(l->quotas))
        l->asked = UINT32_MAX;
    grow(l, c);
    count_again(l, c);
}

bool limits_soft_differs(const struct limits *l)
{
    return l->soft_differs;
}

bool limits_any(const struct limits *l, unsigned what)
{
    return l->in_force & what;
}

bool limits_configured(const struct limits *l)
{
    return l->configured;
}

/* ---- the start of a cycle ------------------------------------------------------ */

static void mark_soft_violations(struct limits *l, struct cluster *c)
{
    bool check = l->in_force & CHECK_ACTIVE;

    l->remarked.n = 0;
    if (!check && !l->marked)
        return;
    l->marked = false;
    for (size_t i = 0; i < c->active.n; i++) {
        struct job *j = c->jobs.v[c->active.v[i]];
        bool over = check && job_is_active(j) && limits_over_soft(l, c, j);
        if (over != ((j->flags & JOB_SPVIOLATION) != 0))
            vec_push(&l->remarked, j->index);
        j->flags =
            over ? j->flags | JOB_SPVIOLATION : j->flags & ~(uint32_t)JOB_SPVIOLATION;
        l->marked |= over;
    }
}

const uint32_t *limits_remarked(const struct limits *l, size_t *ret_n)
{
    *ret_n = l->remarked.n;
    return l->remarked.v;
}

void limits_begin_cycle(struct limits *l, struct cluster *c, int64_t now)
{
    grow(l, c);
    for (size_t i = 0; l->left_matters && i < c->active.n; i++) {
        struct job *j = c->jobs.v[c->active.v[i]];
        if (limits_ledger_find(&l->ledger, j->index))
            limits_count_active(l, c, j, 1, now);
    }
    mark_soft_violations(l, c);
}

/* ---- counted again ------------------------------------------------------------- */

/* What is left of its time was counted at some instant since the job started. */
static void check_counted(const struct limits_counted *x, const struct cluster *c,
    const struct job *j, int64_t now)
{
    int64_t most[LIMIT_RES_COUNT], least[LIMIT_RES_COUNT];

    limits_use_left(c, j, j->start_at, most);
    limits_use_left(c, j, now, least);
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        assert(least[r] <= x->v[r] && x->v[r] <= most[r]);
    assert(memcmp(x->cred, j->cred, sizeof x->cred) == 0);
}

static void check_usage(const struct cred *k, const struct usage *counted)
{
    assert(memcmp(k->active.v, counted->v, sizeof counted->v) == 0);
}

static void check_creds(const struct cluster *c, const struct limits *l, int kind)
{
    struct usage *sums = xcalloc(c->creds[kind].n, sizeof *sums);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct limits_counted *x = limits_ledger_find(&l->ledger, i);
        if (x)
            limits_use_add(sums[x->cred[kind]].v, x->v, 1);
    }
    for (size_t i = 0; i < c->creds[kind].n; i++)
        check_usage(c->creds[kind].v[i], &sums[i]);
    free(sums);
}

/* Of each pair that an active job belongs to. */
static void check_pairs(const struct limits *l, const struct cluster *c)
{
    struct limits_pairs *again = limits_pairs_create();
    const struct limit_row *row;
    const int64_t *was, *is;

    limits_pairs_configure(again, c->cfg);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct limits_counted *x = limits_ledger_find(&l->ledger, i);
        if (x)
            limits_pairs_add(again, c, DIM_ACTIVE, x->cred, x->v, 1);
    }
    for (size_t i = 0; i < c->jobs.n; i++)
        for (size_t p = 0; c->jobs.v[i] && p < limits_pairs_count(again); p++)
            if (limits_pairs_combo(again, p)->dim == DIM_ACTIVE
                && limits_pairs_get(again, c, p, c->jobs.v[i]->cred, &row, &is)) {
                assert(
                    limits_pairs_get(l->pairs, c, p, c->jobs.v[i]->cred, &row, &was));
                assert(memcmp(was, is, sizeof(struct usage)) == 0);
            }
    limits_pairs_destroy(again);
}

/* What is in use of each quota that a job is under. */
static void check_quotas(const struct limits *l, const struct cluster *c)
{
    struct limits_quotas *again = limits_quotas_create();
    const struct quota_test *was, *is;
    size_t n, m, all = LIMIT_RES_COUNT + limits_quotas_measures(l->quotas);

    limits_quotas_configure(again, c);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct limits_counted *x = limits_ledger_find(&l->ledger, i);
        if (x)
            limits_quotas_add(again, c, x, 1);
    }
    for (size_t i = 0; i < c->jobs.n; i++) {
        if (!c->jobs.v[i])
            continue;
        was = limits_quotas_tests(l->quotas, c, c->jobs.v[i]->cred, &n);
        is = limits_quotas_tests(again, c, c->jobs.v[i]->cred, &m);
        assert(n == m);
        for (size_t k = 0; k < n; k++)
            assert(memcmp(limits_quotas_used(l->quotas, &was[k]),
                       limits_quotas_used(again, &is[k]), all * sizeof(int64_t))
                   == 0);
    }
    limits_quotas_destroy(again);
}

void limits_check(const struct limits *l, const struct cluster *c, int64_t now)
{
    struct usage all = {0};

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        const struct limits_counted *x = limits_ledger_find(&l->ledger, i);
        assert((x != NULL) == (j && job_is_active(j)));
        assert(!j || !(j->flags & JOB_SPVIOLATION) || job_is_active(j));
        if (!x)
            continue;
        check_counted(x, c, j, now);
        limits_use_add(all.v, x->v, 1);
    }
    assert(memcmp(all.v, c->sys_active.v, sizeof all.v) == 0);
    for (int k = 0; k < CRED_KINDS; k++)
        check_creds(c, l, k);
    check_pairs(l, c);
    check_quotas(l, c);
}
