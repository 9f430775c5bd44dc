/* SPDX-License-Identifier: Apache-2.0
 * Which value of a limit applies: pure functions of the settings. */
#include "policy/limits_rules.h"

#include "config/settings.h"
#include "policy/limits.h"
#include "policy/limits_use.h"

#define ALL_RES (LIMIT_BIT(LIMIT_RES_COUNT) - 1)

static const char *const names[][LIMIT_RES_COUNT] = {
    [DIM_ACTIVE] = {"MAXJOB", "MAXPROC", "MAXNODE", "MAXPS", "MAXPE", "MAXWC",
        "MAXMEM"},
    [DIM_IDLE] = {"MAXIJOB", "MAXIPROC", "MAXINODE", "MAXIPS", "MAXIPE", "MAXIWC",
        "MAXIMEM"},
    [DIM_SYSTEM] = {"OMAXJJOB", "SYSTEMMAXPROCPERJOB", "OMAXJNODE",
        "SYSTEMMAXPROCSECONDPERJOB", "OMAXJPE", "SYSTEMMAXJOBWALLTIME", "OMAXJMEM"},
};

const char *limit_name(enum limit_dim dim, enum limit_res r)
{
    return names[dim][r];
}

void limits_rules_clear(struct limit_row *row)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        row->at[LEVEL_SOFT][r] = row->at[LEVEL_HARD][r] = LIMIT_OFF;
}

/* A written value, above 0, in the parts that are counted. */
static int64_t in_parts(int64_t v, enum limit_res r)
{
    int64_t parts;

    return __builtin_mul_overflow(v, limits_use_parts(r), &parts) ? LIMIT_OFF : parts;
}

void limits_rules_put(
    struct limit_row *row, enum limit_res r, const struct limit *v, enum limit_dim dim)
{
    int64_t hard = v->hard ? v->hard : v->soft;
    int64_t soft = v->soft;

    if (dim == DIM_IDLE) {
        hard = v->hard; /* a soft idle value is ignored, also when it is alone */
        soft = 0;
    }
    if (hard <= 0)
        hard = LIMIT_OFF;
    if (soft <= 0 || soft > hard)
        soft = hard;
    row->at[LEVEL_SOFT][r] = in_parts(soft, r);
    row->at[LEVEL_HARD][r] = in_parts(hard, r);
}

static const struct limit *values(const struct cred_cfg *cfg, enum limit_dim dim)
{
    return dim == DIM_IDLE ? cfg->idle : cfg->active;
}

static const struct limit *overrides(const struct cred_cfg *cfg, enum limit_dim dim)
{
    return dim == DIM_IDLE ? cfg->over_idle : cfg->over_active;
}

/* The first of the two that is written, or NULL. */
static const struct limit *first_set(const struct limit *own, const struct limit *def)
{
    if (limits_rules_set(own))
        return own;
    return limits_rules_set(def) ? def : NULL;
}

void limits_rules_row(
    const struct cred *k, enum limit_dim dim, struct limit_row *ret_row)
{
    const struct limit *own = values(k->cfg, dim), *def = values(k->def, dim);

    limits_rules_clear(ret_row);
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        const struct limit *v = first_set(&own[r], &def[r]);
        if (v)
            limits_rules_put(ret_row, r, v, dim);
    }
    if (k->kind != CRED_QOS)
        return;
    const struct limit *job = first_set(
        &overrides(k->cfg, dim)[LIMIT_JOB], &overrides(k->def, dim)[LIMIT_JOB]);
    if (job)
        limits_rules_put(ret_row, LIMIT_JOB, job, dim);
}

void limits_rules_system_row(
    const struct settings *cfg, enum limit_dim dim, struct limit_row *ret_row)
{
    const struct limit *own = values(&cfg->sys, dim);

    limits_rules_clear(ret_row);
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        if (limits_rules_set(&own[r]))
            limits_rules_put(ret_row, r, &own[r], dim);
}

static void override_flags(const struct cred_cfg *cfg, struct limit_override *o)
{
    static const struct {
        enum cred_kind kind;
        uint32_t flags;
    } whole[] = {
        {CRED_USER, QOS_IGNUSER | QOS_IGNALL},
        {CRED_GROUP, QOS_IGNGROUP | QOS_IGNALL},
        {CRED_ACCOUNT, QOS_IGNACCOUNT | QOS_IGNALL},
    };
    static const struct {
        uint32_t flag;
        enum limit_res res;
    } sys[] = {
        {QOS_IGNSYSMAXPROC, LIMIT_PROC},
        {QOS_IGNSYSMAXPS, LIMIT_PS},
        {QOS_IGNSYSMAXTIME, LIMIT_WC},
    };

    for (int k = 0; k < CRED_KINDS; k++) {
        o->ignore[DIM_ACTIVE][k] = cfg->ignore_active[k];
        o->ignore[DIM_IDLE][k] = cfg->ignore_idle[k];
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (cfg->qos_flags & whole[i].flags)
            o->ignore[DIM_ACTIVE][whole[i].kind] = o->ignore[DIM_IDLE][whole[i].kind] =
                ALL_RES;
    for (size_t i = 0; i < sizeof sys / sizeof *sys; i++)
        if (cfg->qos_flags & sys[i].flag)
            o->sys_ignore |= LIMIT_BIT(sys[i].res);
}

static void override_values(
    const struct cred *qos, enum limit_dim dim, struct limit_override *o)
{
    const struct limit *own = overrides(qos->cfg, dim), *def = overrides(qos->def, dim);

    limits_rules_clear(&o->row[dim]);
    for (int r = LIMIT_JOB + 1; r < LIMIT_RES_COUNT; r++) {
        const struct limit *v = first_set(&own[r], &def[r]);
        if (!v)
            continue;
        o->set[dim] |= LIMIT_BIT(r);
        limits_rules_put(&o->row[dim], r, v, dim);
    }
}

void limits_rules_override(const struct cred *qos, struct limit_override *ret)
{
    uint32_t some;

    memset(ret, 0, sizeof *ret);
    override_flags(qos->cfg, ret);
    override_values(qos, DIM_ACTIVE, ret);
    override_values(qos, DIM_IDLE, ret);
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        int64_t v =
            qos->cfg->over_job[r] ? qos->cfg->over_job[r] : qos->def->over_job[r];
        if (v)
            ret->sys_set |= LIMIT_BIT(r);
        ret->sys[r] = v > 0 ? in_parts(v, r) : LIMIT_OFF;
    }
    some = ret->set[0] | ret->set[1] | ret->sys_ignore | ret->sys_set;
    for (int k = 0; k < CRED_KINDS; k++)
        some |= ret->ignore[DIM_ACTIVE][k] | ret->ignore[DIM_IDLE][k];
    ret->any = some != 0;
}

int64_t limits_rules_system(const struct limit_override *o,
    const struct par_settings *par, enum limit_res r, bool *ret_qos)
{
    int64_t v = 0;

    *ret_qos = o && (o->sys_set & LIMIT_BIT(r));
    if (o && (o->sys_ignore & LIMIT_BIT(r)))
        return LIMIT_OFF;
    if (*ret_qos)
        return o->sys[r];
    if (r == LIMIT_PROC)
        v = par->max_proc_per_job;
    else if (r == LIMIT_PS)
        v = par->max_ps_per_job;
    else if (r == LIMIT_WC)
        v = par->max_wclimit_s;
    return v > 0 ? v : LIMIT_OFF;
}

static struct limit display_limit(int64_t soft, int64_t hard, enum limit_res r)
{
    int64_t parts = limits_use_parts(r);

    return (struct limit){
        soft == LIMIT_OFF ? 0 : soft / parts, hard == LIMIT_OFF ? 0 : hard / parts};
}

struct limit limits_value(const struct cluster *c, const struct cred *k,
    const struct cred *qos, enum limit_dim dim, enum limit_res r)
{
    struct limit_override over = {0};
    struct limit_row row;
    bool by_qos;

    if (qos)
        limits_rules_override(qos, &over);
    if (dim == DIM_SYSTEM) {
        int64_t v = limits_rules_system(&over, &c->cfg->par.v[0], r, &by_qos);
        return display_limit(v, v, r);
    }
    if (k)
        limits_rules_row(k, dim, &row);
    else
        limits_rules_system_row(c->cfg, dim, &row);
    if (k && (over.ignore[dim][k->kind] & LIMIT_BIT(r)))
        return display_limit(LIMIT_OFF, LIMIT_OFF, r);
    const struct limit_override *o = k && qos ? &over : NULL;
    return display_limit(
        limits_rules_apply(o, dim, r, LEVEL_SOFT, row.at[LEVEL_SOFT][r]),
        limits_rules_apply(o, dim, r, LEVEL_HARD, row.at[LEVEL_HARD][r]), r);
}
