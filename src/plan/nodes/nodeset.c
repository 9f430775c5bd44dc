/* SPDX-License-Identifier: Apache-2.0
 * Node sets: nodes that have a feature, a network, an amount of memory or a processor
 * speed in common. Source: reference node-allocation 6. */
#include "plan/nodes/nodeset.h"

#include "config/policies.h"
#include "plan/nodes/nodealloc_private.h"

#include <math.h>

#define ROUNDING 1e-9

/* Values that define the sets: name ids, MB or MHz; in list order, or of all nodes
 * in sight: names by first appearance in RM order, numbers ascending. */
struct values VEC(int64_t);

struct sets {
    const struct nodealloc *a;
    struct nodealloc_want want;
    enum nodeset_attr attr;
    double tolerance; /* PROCSPEED only */
    struct values values;
};

const struct nodeset_spec *nodeset_of(const struct nodealloc *a)
{
    const struct nodeset_spec *spec = a->req->def->nodeset;

    if (!spec)
        spec = &a->par->nodeset;
    if (spec->policy == NODESET_OFF || spec->attr == NODESET_ATTR_UNSET
        || nodealloc_hosts(a))
        return NULL;
    return spec;
}

/* ---- membership ------------------------------------------------------------- */

static const struct node *node_of(const struct sets *s, const struct cand *k)
{
    return node_at(s->a->c, k->node);
}

static bool has_id(const uint32_t *ids, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if ((int64_t)ids[i] == id)
            return true;
    return false;
}

static bool is_member(const struct sets *s, int64_t value, const struct cand *k)
{
    const struct node *n = node_of(s, k);

    switch (s->attr) {
    case NODESET_FEATURE:
        return has_id(n->features.v, n->features.n, value);
    case NODESET_NETWORK:
        return has_id(n->networks.v, n->networks.n, value);
    case NODESET_MEMORY:
        return n->cfg.v[RES_MEM] == value;
    case NODESET_PROCSPEED:
        return value > 0 && n->procspeed_mhz >= value
               && (double)(n->procspeed_mhz - value)
                      <= s->tolerance * (double)value + ROUNDING;
    case NODESET_ATTR_UNSET:
        break;
    }
    return false;
}

/* ---- values ----------------------------------------------------------------- */

static void add_value(struct values *v, int64_t value)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i] == value)
            return;
    vec_push(v, value);
}

static struct names *names_of(const struct sets *s)
{
    return s->attr == NODESET_FEATURE ? s->a->c->features : s->a->c->networks;
}

static bool is_named(const struct sets *s)
{
    return s->attr == NODESET_FEATURE || s->attr == NODESET_NETWORK;
}

/* Names nobody has, and what is no number, make no set. */
static void listed_values(struct sets *s, const struct nodeset_spec *spec)
{
    for (size_t i = 0; i < spec->list.n; i++) {
        const char *text = spec->list.v[i];
        if (is_named(s)) {
            uint32_t id = names_find(names_of(s), text);
            if (id != NAME_NONE)
                add_value(&s->values, id);
            continue;
        }
        char *end;
        long long number = strtoll(text, &end, 10);
        if (end != text && *end == '\0')
            add_value(&s->values, number);
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void present_numbers(struct sets *s, const struct cand *cands, size_t n)
{
    struct values *v = &s->values;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        const struct node *node = node_of(s, &cands[i]);
        int64_t value =
            s->attr == NODESET_MEMORY ? node->cfg.v[RES_MEM] : node->procspeed_mhz;
        if (value > 0 && (v->n == 0 || v->v[v->n - 1] != value))
            vec_push(v, value);
    }
    if (v->n)
        qsort(v->v, v->n, sizeof *v->v, by_value);
    for (size_t i = 0; i < v->n; i++)
        if (kept == 0 || v->v[kept - 1] != v->v[i])
            v->v[kept++] = v->v[i];
    v->n = kept;
}

static void present_names(struct sets *s, const struct cand *cands, size_t n)
{
    uint8_t *seen = xcalloc(names_count(names_of(s)), 1);

    for (size_t i = 0; i < n; i++) {
        const struct node *node = node_of(s, &cands[i]);
        bool features = s->attr == NODESET_FEATURE;
        const uint32_t *ids = features ? node->features.v : node->networks.v;
        size_t m = features ? node->features.n : node->networks.n;
        for (size_t k = 0; k < m; k++)
            if (!seen[ids[k]]) {
                seen[ids[k]] = 1;
                vec_push(&s->values, (int64_t)ids[k]);
            }
    }
    free(seen);
}

/* ---- choice of a set -------------------------------------------------------- */

/* Copy the members of a set to `ret` (room for n); how many. */
static size_t members(const struct sets *s, int64_t value, const struct cand *cands,
    size_t n, struct cand *ret)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        if (is_member(s, value, &cands[i]))
            ret[m++] = cands[i];
    return m;
}

struct fast {
    int64_t speed;
    uint32_t tasks;
};

static int by_speed(const void *a, const void *b)
{
    const struct fast *x = a, *y = b;

    return x->speed < y->speed ? -1 : x->speed > y->speed;
}

/* Speed wasted when the request uses the slowest members of a set of that base. */
static double loss_of(
    const struct sets *s, int64_t base, const struct cand *member, size_t m)
{
    struct fast *v = xmalloc(m * sizeof *v);
    uint64_t left = (uint64_t)s->want.units * s->want.unit;
    double loss = 0;

    for (size_t i = 0; i < m; i++)
        v[i] = (struct fast){node_of(s, &member[i])->procspeed_mhz,
            nodealloc_cap(&s->want, &member[i]) * s->want.unit};
    qsort(v, m, sizeof *v, by_speed);
    for (size_t i = 0; i < m && left; i++) {
        uint64_t tasks = v[i].tasks < left ? v[i].tasks : left;
        loss += (double)(v[i].speed - base) * (double)tasks;
        left -= tasks;
    }
    free(v);
    return loss;
}

/* How bad an adequate set is by NODESETPRIORITYTYPE; 0 for all where the type says
 * nothing about the attribute, so that the first one is taken. */
static double badness(
    const struct sets *s, int64_t value, const struct cand *member, size_t m)
{
    double tasks = 0;

    switch (s->a->par->nodeset_prio) {
    case NODESET_BESTFIT:
    case NODESET_WORSTFIT:
        for (size_t i = 0; i < m; i++)
            tasks += nodealloc_cap(&s->want, &member[i]);
        return s->a->par->nodeset_prio == NODESET_BESTFIT ? tasks : -tasks;
    case NODESET_BESTRESOURCE:
        return is_named(s) ? 0 : -(double)value;
    case NODESET_MINLOSS:
        return s->attr == NODESET_PROCSPEED ? loss_of(s, value, member, m) : 0;
    }
    return 0;
}

/* Leave the best adequate set (the first one, if `first`) in cands; 0 = none. */
static size_t one_set(const struct sets *s, struct cand *cands, size_t n, bool first)
{
    struct cand *member = xmalloc(n * sizeof *member);
    double least = INFINITY;
    size_t best = s->values.n, left = 0;

    for (size_t i = 0; i < s->values.n && (!first || best == s->values.n); i++) {
        size_t m = members(s, s->values.v[i], cands, n, member);
        if (m == 0 || !nodealloc_suffices(&s->want, member, m))
            continue;
        double bad = first ? 0 : badness(s, s->values.v[i], member, m);
        if (bad < least) {
            least = bad;
            best = i;
        }
    }
    if (best < s->values.n) {
        left = members(s, s->values.v[best], cands, n, member);
        memcpy(cands, member, left * sizeof *cands);
    }
    free(member);
    return left;
}

/* Leave the members of all sets in cands if they suffice together; 0 = they do not. */
static size_t any_set(const struct sets *s, struct cand *cands, size_t n)
{
    struct cand *member = xmalloc(n * sizeof *member);
    size_t m = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < s->values.n; k++)
            if (is_member(s, s->values.v[k], &cands[i])) {
                member[m++] = cands[i];
                break;
            }
    if (m == 0 || !nodealloc_suffices(&s->want, member, m))
        m = 0;
    memcpy(cands, member, m * sizeof *cands);
    free(member);
    return m;
}

size_t nodeset_filter(
    const struct nodealloc *a, struct cand *cands, size_t n, bool mandatory)
{
    const struct nodeset_spec *spec = nodeset_of(a);
    struct sets s = {.a = a};

    if (!spec || n == 0)
        return n;
    if (!nodealloc_want_of(a, &s.want))
        return mandatory ? 0 : n;
    s.attr = spec->attr;
    s.tolerance = s.attr == NODESET_PROCSPEED ? a->par->nodeset_tolerance : 0;
    if (spec->list.n)
        listed_values(&s, spec);
    else if (is_named(&s))
        present_names(&s, cands, n);
    else
        present_numbers(&s, cands, n);
    size_t left = spec->policy == NODESET_ANYOF
                      ? any_set(&s, cands, n)
                      : one_set(&s, cands, n, spec->policy == NODESET_FIRSTOF);
    vec_fini(&s.values);
    return left || mandatory ? left : n;
}
