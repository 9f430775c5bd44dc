/* SPDX-License-Identifier: Apache-2.0
 * Two-dimensional limits. Pairs are made when first seen, with their limits
 * resolved once. */
#include "policy/limits_pairs.h"

#include "base/hash.h"
#include "cluster/cluster.h"
#include "config/settings.h"
#include "policy/limits_use.h"

#include <assert.h>

#define COMBOS_MAX (LIMIT_DIMS * (CRED_KINDS + 1) * CRED_KINDS)

struct pair_key {
    uint32_t combo, object, object2;
};

struct pair {
    struct pair_key key;
    uint32_t mask; /* resources with a limit */
    struct limit_row row;
    struct usage used;
    uint64_t idle_epoch; /* idle usage of an older epoch is 0 */
    UT_hash_handle hh;
};

struct limits_pairs {
    struct limits_combo combos[COMBOS_MAX];
    size_t n;
    uint32_t dims; /* bit per dimension that occurs */
    bool soft_differs;
    uint64_t idle_epoch;
    struct pair *by_key;
};

struct limits_pairs *limits_pairs_create(void)
{
    return xcalloc(1, sizeof(struct limits_pairs));
}

/* HASH_CLEAR frees the table and leaves the pairs chained. */
static void forget(struct limits_pairs *p)
{
    struct pair *x = p->by_key, *next;

    HASH_CLEAR(hh, p->by_key);
    for (; x; x = next) {
        next = x->hh.next;
        free(x);
    }
}

void limits_pairs_destroy(struct limits_pairs *p)
{
    if (!p)
        return;
    forget(p);
    free(p);
}

static void note(struct limits_pairs *p, uint32_t kind, const struct limit_within *w)
{
    enum limit_dim dim = w->idle ? DIM_IDLE : DIM_ACTIVE;
    struct limit_row row;
    size_t i = 0;

    while (i < p->n
           && (p->combos[i].dim != dim || p->combos[i].kind != kind
               || p->combos[i].kind2 != w->other))
        i++;
    if (i == p->n)
        p->combos[p->n++] = (struct limits_combo){dim, kind, w->other, 0};
    p->combos[i].mask |= LIMIT_BIT(w->res);
    p->dims |= LIMIT_BIT(dim);
    limits_rules_put(&row, w->res, &w->limit, dim);
    if (row.at[LEVEL_SOFT][w->res] != row.at[LEVEL_HARD][w->res])
        p->soft_differs = true;
}

static void note_section(
    struct limits_pairs *p, uint32_t kind, const struct cred_cfg *cfg)
{
    for (size_t i = 0; i < cfg->within.n; i++)
        if (limits_rules_set(&cfg->within.v[i].limit))
            note(p, kind, &cfg->within.v[i]);
}

static int combo_order(const void *a, const void *b)
{
    const struct limits_combo *x = a, *y = b;

    if (x->dim != y->dim)
        return x->dim < y->dim ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->kind2 > y->kind2) - (x->kind2 < y->kind2);
}

void limits_pairs_configure(struct limits_pairs *p, const struct settings *cfg)
{
    forget(p);
    p->n = 0;
    p->dims = 0;
    p->soft_differs = false;
    for (uint32_t k = 0; k < CRED_KINDS; k++)
        for (size_t i = 0; i < cfg->creds[k].n; i++)
            note_section(p, k, &cfg->creds[k].v[i]);
    note_section(p, CRED_KINDS, &cfg->sys);
    qsort(p->combos, p->n, sizeof *p->combos, combo_order);
}

size_t limits_pairs_count(const struct limits_pairs *p)
{
    return p->n;
}

const struct limits_combo *limits_pairs_combo(const struct limits_pairs *p, size_t i)
{
    return &p->combos[i];
}

bool limits_pairs_any(const struct limits_pairs *p, enum limit_dim dim)
{
    return p->dims & LIMIT_BIT(dim);
}

bool limits_pairs_soft_differs(const struct limits_pairs *p)
{
    return p->soft_differs;
}

/* The value for (resource, bracketed object) in one section: a named one beats the
 * general one, the last line beats earlier ones. NULL = none written. */
static const struct limit *find_within(const struct cred_cfg *cfg,
    const struct limits_combo *m, enum limit_res r, const char *name2)
{
    const struct limit *general = NULL, *named = NULL;

    for (size_t i = 0; i < cfg->within.n; i++) {
        const struct limit_within *w = &cfg->within.v[i];
        if (w->idle != (m->dim == DIM_IDLE) || w->res != r || w->other != m->kind2
            || !limits_rules_set(&w->limit))
            continue;
        if (!w->name)
            general = &w->limit;
        else if (strcmp(w->name, name2) == 0)
            named = &w->limit;
    }
    return named ? named : general;
}

/* The sections of the owning object: own and DEFAULT's (NULL for SYSCFG). */
static void owner_sections(const struct cluster *c, const struct limits_combo *m,
    uint32_t object, const struct cred_cfg **ret_own, const struct cred_cfg **ret_def)
{
    if (m->kind == CRED_KINDS) {
        *ret_own = &c->cfg->sys;
        *ret_def = NULL;
    } else {
        const struct cred *k = c->creds[m->kind].v[object];
        *ret_own = k->cfg;
        *ret_def = k->def;
    }
}

static struct pair *pair_make(
    const struct cluster *c, const struct limits_combo *m, const struct pair_key *key)
{
    struct pair *x = xcalloc(1, sizeof *x);
    const char *name2 = c->creds[m->kind2].v[key->object2]->name;
    const struct cred_cfg *own, *def;

    x->key = *key;
    limits_rules_clear(&x->row);
    owner_sections(c, m, key->object, &own, &def);
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        const struct limit *v = find_within(own, m, r, name2);
        if (!v && def)
            v = find_within(def, m, r, name2);
        if (!v)
            continue;
        x->mask |= LIMIT_BIT(r);
        limits_rules_put(&x->row, r, v, m->dim);
    }
    return x;
}

bool limits_pairs_absent(uint32_t kind, uint32_t object)
{
    return object == 0 && kind != CRED_QOS && kind != CRED_KINDS;
}

static struct pair *pair_of(
    struct limits_pairs *p, const struct cluster *c, size_t i, const uint32_t *cred)
{
    const struct limits_combo *m = &p->combos[i];
    const struct cred_cfg *own, *def;
    const struct pair_key key = {
        i, m->kind == CRED_KINDS ? 0 : cred[m->kind], cred[m->kind2]};
    unsigned char bytes[sizeof key];
    struct pair *x;

    if (limits_pairs_absent(m->kind, key.object)
        || limits_pairs_absent(m->kind2, key.object2))
        return NULL;
    owner_sections(c, m, key.object, &own, &def);
    if (own->within.n == 0 && (!def || def->within.n == 0))
        return NULL;
    memcpy(bytes, &key, sizeof key);
    HASH_FIND(hh, p->by_key, bytes, sizeof bytes, x);
    if (!x) {
        x = pair_make(c, m, &key);
        HASH_ADD(hh, p->by_key, key, sizeof key, x);
    }
    if (m->dim == DIM_IDLE && x->idle_epoch != p->idle_epoch) {
        x->idle_epoch = p->idle_epoch;
        memset(&x->used, 0, sizeof x->used);
    }
    return x->mask ? x : NULL;
}

bool limits_pairs_get(struct limits_pairs *p, const struct cluster *c, size_t i,
    const uint32_t *cred, const struct limit_row **ret_row, const int64_t **ret_used)
{
    struct pair *x = pair_of(p, c, i, cred);

    if (!x)
        return false;
    *ret_row = &x->row;
    *ret_used = x->used.v;
    return true;
}

void limits_pairs_add(struct limits_pairs *p, const struct cluster *c,
    enum limit_dim dim, const uint32_t *cred, const int64_t *v, int sign)
{
    for (size_t i = 0; i < p->n; i++) {
        struct pair *x = p->combos[i].dim == dim ? pair_of(p, c, i, cred) : NULL;
        if (x)
            limits_use_add(x->used.v, v, sign);
    }
}

void limits_pairs_begin_idle(struct limits_pairs *p)
{
    p->idle_epoch++;
}
