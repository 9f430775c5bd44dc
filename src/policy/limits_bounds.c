/* SPDX-License-Identifier: Apache-2.0
 * See limits_bounds.h. */
#include "policy/limits_bounds.h"

#include "policy/limits_private.h"

static void add_rules(
    struct limits_rules *io, uint32_t mask, uint32_t kind, uint32_t kind2, size_t combo)
{
    for (; mask; mask &= mask - 1)
        vec_push(io, ((struct limits_rule){
                         kind, kind2, (uint32_t)__builtin_ctz(mask), (uint32_t)combo}));
}

void limits_bounds_rules(const struct limits *l, struct limits_rules *ret)
{
    const struct limits_table *t = &l->dims[DIM_ACTIVE];

    for (uint32_t kind = 0; kind < CRED_KINDS; kind++)
        add_rules(ret, t->mask[kind], kind, CRED_KINDS, 0);
    add_rules(ret, t->sys_mask, CRED_KINDS, CRED_KINDS, 0);
    for (size_t i = 0; i < limits_pairs_count(l->pairs); i++) {
        const struct limits_combo *m = limits_pairs_combo(l->pairs, i);
        if (m->dim == DIM_ACTIVE)
            add_rules(ret, m->mask, m->kind, m->kind2, i);
    }
}

/* False: none. */
static bool find_object(uint32_t kind, const uint32_t *cred, uint32_t *ret)
{
    *ret = kind == CRED_KINDS ? 0 : cred[kind];
    return !limits_pairs_absent(kind, *ret);
}

bool limits_bounds_whose(const struct limits_rules *rules, uint32_t rule,
    const uint32_t *cred, struct limits_whose *ret)
{
    const struct limits_rule *r = &rules->v[rule];

    ret->rule = rule;
    return find_object(r->kind, cred, &ret->object)
           && find_object(r->kind2, cred, &ret->object2);
}

static const struct limit_override *find_override(
    const struct limits *l, const uint32_t *cred)
{
    uint32_t qos = cred[CRED_QOS];

    return qos < l->over.n && l->over.v[qos].any ? &l->over.v[qos] : NULL;
}

static bool is_ignored(const struct limit_override *o, uint32_t kind, uint32_t res)
{
    return o && kind < CRED_KINDS
           && (o->ignore[DIM_ACTIVE][kind] & LIMIT_BIT(res)) != 0;
}

static const struct limit_row *find_row(const struct limits *l, const struct cluster *c,
    const struct limits_rule *rule, const uint32_t *cred)
{
    const struct limits_table *t = &l->dims[DIM_ACTIVE];
    const struct limit_row *row = NULL;
    const int64_t *used;

    if (rule->kind2 < CRED_KINDS)
        return limits_pairs_get(l->pairs, c, rule->combo, cred, &row, &used) ? row
                                                                             : NULL;
    if (rule->kind == CRED_KINDS)
        return &t->sys;
    return cred[rule->kind] < t->rows[rule->kind].n
               ? &t->rows[rule->kind].v[cred[rule->kind]]
               : NULL;
}

/* The whole system is not a credential: a QOS's overrides leave it alone. */
int64_t limits_bounds_most(const struct limits *l, const struct cluster *c,
    const struct limits_rule *rule, const uint32_t *cred, enum limit_level level)
{
    bool whole = rule->kind == CRED_KINDS && rule->kind2 == CRED_KINDS;
    const struct limit_override *o = whole ? NULL : find_override(l, cred);
    const struct limit_row *row = find_row(l, c, rule, cred);

    if (!row || is_ignored(o, rule->kind, rule->res)
        || is_ignored(o, rule->kind2, rule->res))
        return LIMIT_OFF;
    return limits_rules_apply(
        o, DIM_ACTIVE, rule->res, level, row->at[level][rule->res]);
}

const int64_t *limits_bounds_counted(
    const struct limits *l, uint32_t job, const uint32_t **ret_cred)
{
    const struct limits_counted *x = limits_ledger_find(&l->ledger, job);

    if (!x)
        return NULL;
    *ret_cred = x->cred;
    return x->v;
}
