/* SPDX-License-Identifier: Apache-2.0
 * See limits_quota.h. */
#include "policy/limits_quota.h"

#include "base/hash.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "policy/credset.h"
#include "policy/limits_rules.h"
#include "policy/limits_use.h"

struct counter_key {
    uint32_t quota, object;
};

struct counter {
    struct counter_key key;
    uint32_t index;
    UT_hash_handle hh;
    int64_t used[]; /* by resource, then measure */
};

/* What some limit is about: a generic resource, or else `res`. */
struct measure {
    uint32_t gres; /* NAME_NONE */
    enum limit_res res;
    bool by_time;
};

/* Quotas that name the user, or the account: few of them are looked at for a job. */
struct named {
    const char *name; /* borrowed from the quotas */
    struct indexes quotas;
    UT_hash_handle hh;
};

struct piece {
    size_t first, n;
};

struct limits_quotas {
    uint32_t mask, counted;
    struct VEC(struct measure) measures;
    struct VEC(int64_t) use; /* of limits_quotas_use_of() */
    struct named *by_user, *by_account;
    struct indexes others;
    struct credsets sets;
    struct VEC(struct piece) tests_of, counters_of; /* by number of credentials */
    struct VEC(struct quota_test) tests;
    struct VEC(uint32_t) counters_in;
    struct VEC(struct counter *) counters; /* by index */
    struct counter *by_key;
};

struct limits_quotas *limits_quotas_create(void)
{
    return xcalloc(1, sizeof(struct limits_quotas));
}

/* HASH_CLEAR frees the table and leaves what was in it chained. */
static void forget_named(struct named **io_all)
{
    struct named *x = *io_all, *next;

    HASH_CLEAR(hh, *io_all);
    for (; x; x = next) {
        next = x->hh.next;
        vec_fini(&x->quotas);
        free(x);
    }
}

static void forget_all(struct limits_quotas *q)
{
    forget_named(&q->by_user);
    forget_named(&q->by_account);
    HASH_CLEAR(hh, q->by_key);
    for (size_t i = 0; i < q->counters.n; i++)
        free(q->counters.v[i]);
    credsets_forget(&q->sets);
    q->others.n = q->tests_of.n = q->counters_of.n = q->tests.n = 0;
    q->counters_in.n = q->counters.n = 0;
    q->measures.n = 0;
    q->mask = q->counted = 0;
}

void limits_quotas_destroy(struct limits_quotas *q)
{
    if (!q)
        return;
    forget_all(q);
    credsets_fini(&q->sets);
    vec_fini(&q->others);
    vec_fini(&q->measures);
    vec_fini(&q->use);
    vec_fini(&q->tests_of);
    vec_fini(&q->counters_of);
    vec_fini(&q->tests);
    vec_fini(&q->counters_in);
    vec_fini(&q->counters);
    free(q);
}

static void add_named(struct named **io_all, const char *name, uint32_t quota)
{
    struct named *x;

    HASH_FIND_STR(*io_all, name, x);
    if (!x) {
        x = xcalloc(1, sizeof *x);
        x->name = name;
        HASH_ADD_KEYPTR(hh, *io_all, x->name, strlen(x->name), x);
    }
    vec_push(&x->quotas, quota);
}

/* ---- measures -------------------------------------------------------------------- */

static bool is_measure(const struct quota_limit *m)
{
    return m->gres || m->by_time;
}

static struct measure measure_of(const struct cluster *c, const struct quota_limit *m)
{
    return (struct measure){m->gres ? names_find(c->gres, m->gres) : NAME_NONE,
        m->gres ? LIMIT_PROC : m->res, m->by_time};
}

/* The number under which that is counted; a new one if it has none yet. */
static uint32_t number_measured(
    struct limits_quotas *q, const struct cluster *c, const struct quota_limit *m)
{
    struct measure x = measure_of(c, m);
    size_t i = 0;

    if (!is_measure(m))
        return m->res;
    while (i < q->measures.n
           && (q->measures.v[i].gres != x.gres || q->measures.v[i].res != x.res
               || q->measures.v[i].by_time != x.by_time))
        i++;
    if (i == q->measures.n)
        vec_push(&q->measures, x);
    return (uint32_t)(LIMIT_RES_COUNT + i);
}

static int64_t amount_of(const struct measure *x, const struct job *j, const int64_t *v)
{
    int64_t amount = x->gres != NAME_NONE ? gres_of_job(j, x->gres) : v[x->res], all;

    if (!x->by_time)
        return amount < LIMITS_USE_MAX ? amount : LIMITS_USE_MAX;
    return __builtin_mul_overflow(amount, v[LIMIT_WC], &all) || all > LIMITS_USE_MAX
               ? LIMITS_USE_MAX
               : all;
}

size_t limits_quotas_measures(const struct limits_quotas *q)
{
    return q->measures.n;
}

void limits_quotas_measure(const struct limits_quotas *q, const struct job *j,
    const int64_t *v, int64_t *ret_more)
{
    for (size_t i = 0; i < q->measures.n; i++)
        ret_more[i] = amount_of(&q->measures.v[i], j, v);
}

const int64_t *limits_quotas_use_of(
    struct limits_quotas *q, const struct cluster *c, const struct job *j)
{
    vec_reserve(&q->use, LIMIT_RES_COUNT + q->measures.n);
    limits_use_of(c, j, q->use.v);
    limits_quotas_measure(q, j, q->use.v, q->use.v + LIMIT_RES_COUNT);
    return q->use.v;
}

const int64_t *limits_quotas_nothing(struct limits_quotas *q)
{
    size_t n = LIMIT_RES_COUNT + q->measures.n;

    vec_reserve(&q->use, n);
    memset(q->use.v, 0, n * sizeof *q->use.v);
    return q->use.v;
}

int64_t limits_quota_use(const struct cluster *c, const struct quota_limit *m,
    const struct job *j, int64_t now)
{
    struct measure x = measure_of(c, m);
    int64_t v[LIMIT_RES_COUNT];

    limits_use_left(c, j, now, v);
    return amount_of(&x, j, v);
}

static void note_limits(
    struct limits_quotas *q, const struct cluster *c, const struct quota *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct quota_limit *m = &x->limits[i];
        uint32_t looks_at = LIMIT_BIT(m->by_time ? LIMIT_WC : m->res);
        if (is_measure(m))
            number_measured(q, c, m);
        else
            q->mask |= LIMIT_BIT(m->res);
        if (m->rule != QUOTA_JOB)
            q->counted |= looks_at;
    }
}

void limits_quotas_configure(struct limits_quotas *q, const struct cluster *c)
{
    forget_all(q);
    for (uint32_t i = 0; c->quotas && i < c->quotas->n; i++) {
        const struct quota *x = &c->quotas->v[i];
        const char *const *account = x->accounts;
        note_limits(q, c, x);
        if (x->user)
            add_named(&q->by_user, x->user, i);
        else if (!account)
            vec_push(&q->others, i);
        for (; !x->user && account && *account; account++)
            add_named(&q->by_account, *account, i);
    }
}

bool limits_quotas_any(const struct limits_quotas *q)
{
    return q->mask || q->measures.n;
}

uint32_t limits_quotas_mask(const struct limits_quotas *q)
{
    return q->mask;
}

uint32_t limits_quotas_counted(const struct limits_quotas *q)
{
    return q->counted;
}

/* ---- what holds for a combination of credentials -------------------------------- */

static uint32_t counter_of(struct limits_quotas *q, uint32_t quota, uint32_t object)
{
    const struct counter_key key = {quota, object};
    unsigned char bytes[sizeof key];
    struct counter *x;

    memcpy(bytes, &key, sizeof key);
    HASH_FIND(hh, q->by_key, bytes, sizeof bytes, x);
    if (!x) {
        x = xcalloc(1, sizeof *x + (LIMIT_RES_COUNT + q->measures.n) * sizeof *x->used);
        x->key = key;
        x->index = (uint32_t)q->counters.n;
        HASH_ADD(hh, q->by_key, key, sizeof key, x);
        vec_push(&q->counters, x);
    }
    return x->index;
}

struct covering {
    struct limits_quotas *q;
    const struct cluster *c;
    const uint32_t *cred;
    /* The nearest at which each resource or measure is limited by each rule; 0 = by
     * none. */
    struct VEC(unsigned) nearest;
};

static unsigned *nearest_of(struct covering *v, const struct quota_limit *m)
{
    return &v->nearest.v[number_measured(v->q, v->c, m) * QUOTA_RULES + m->rule];
}

typedef void visit_fn(struct covering *v, uint32_t quota, unsigned nearness);

static void visit_each(struct covering *v, const struct indexes *list, visit_fn *visit)
{
    for (size_t i = 0; list && i < list->n; i++) {
        unsigned near = quota_nearness(v->c, &v->c->quotas->v[list->v[i]], v->cred);
        if (near)
            visit(v, list->v[i], near);
    }
}

static const struct indexes *find_named(struct named *all, const char *name)
{
    struct named *x;

    HASH_FIND_STR(all, name, x);
    return x ? &x->quotas : NULL;
}

/* Nearest ones first: users before accounts before all others. */
static void visit_covering(struct covering *v, visit_fn *visit)
{
    const struct cluster *c = v->c;

    visit_each(v,
        find_named(v->q->by_user, c->creds[CRED_USER].v[v->cred[CRED_USER]]->name),
        visit);
    visit_each(v,
        find_named(
            v->q->by_account, c->creds[CRED_ACCOUNT].v[v->cred[CRED_ACCOUNT]]->name),
        visit);
    visit_each(v, &v->q->others, visit);
}

static void note_nearest(struct covering *v, uint32_t quota, unsigned nearness)
{
    const struct quota *x = &v->c->quotas->v[quota];

    for (size_t i = 0; i < x->n; i++) {
        unsigned *at = nearest_of(v, &x->limits[i]);
        if (*at == 0 || nearness < *at)
            *at = nearness;
    }
}

static int64_t in_parts(const struct quota_limit *m)
{
    int64_t parts;

    if (is_measure(m))
        return m->most;
    return __builtin_mul_overflow(m->most, limits_use_parts(m->res), &parts) ? LIMIT_OFF
                                                                             : parts;
}

static void add_tests(struct covering *v, uint32_t quota, unsigned nearness)
{
    const struct quota *x = &v->c->quotas->v[quota];
    uint32_t counter = counter_of(v->q, quota, quota_object(x, v->cred));

    vec_push(&v->q->counters_in, counter);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct quota_limit *m = &x->limits[i];
        if (nearness > *nearest_of(v, m))
            continue;
        vec_push(&v->q->tests, ((struct quota_test){.quota = quota,
                                   .limit = i,
                                   .counter = counter,
                                   .res = number_measured(v->q, v->c, m),
                                   .of_job = m->rule == QUOTA_JOB,
                                   .most = in_parts(m)}));
    }
}

static uint32_t number_of(
    struct limits_quotas *q, const struct cluster *c, const uint32_t *cred)
{
    uint32_t number = credsets_number(&q->sets, cred);
    struct covering v = {.q = q, .c = c, .cred = cred};

    if (number < q->tests_of.n)
        return number;
    struct piece tests = {q->tests.n, 0}, counters = {q->counters_in.n, 0};
    vec_push_zeros(&v.nearest, (LIMIT_RES_COUNT + q->measures.n) * QUOTA_RULES);
    visit_covering(&v, note_nearest);
    visit_covering(&v, add_tests);
    vec_fini(&v.nearest);
    tests.n = q->tests.n - tests.first;
    counters.n = q->counters_in.n - counters.first;
    vec_push(&q->tests_of, tests);
    vec_push(&q->counters_of, counters);
    return number;
}

const struct quota_test *limits_quotas_tests(struct limits_quotas *q,
    const struct cluster *c, const uint32_t *cred, size_t *ret_n)
{
    *ret_n = 0;
    if (!limits_quotas_any(q))
        return NULL;
    uint32_t number = number_of(q, c, cred);
    *ret_n = q->tests_of.v[number].n;
    return *ret_n ? q->tests.v + q->tests_of.v[number].first : NULL;
}

const int64_t *limits_quotas_used(
    const struct limits_quotas *q, const struct quota_test *t)
{
    return q->counters.v[t->counter]->used;
}

void limits_quotas_add(struct limits_quotas *q, const struct cluster *c,
    const struct limits_counted *x, int sign)
{
    if (!limits_quotas_any(q))
        return;
    uint32_t number = number_of(q, c, x->cred); /* may move what is read next */
    struct piece in = q->counters_of.v[number];
    for (size_t i = 0; i < in.n; i++) {
        int64_t *used = q->counters.v[q->counters_in.v[in.first + i]]->used;
        limits_use_add(used, x->v, sign);
        for (size_t k = 0; k < q->measures.n; k++)
            limits_use_sum(&used[LIMIT_RES_COUNT + k], sign * x->more[k]);
    }
}

int64_t limits_quota_in_use(const struct cluster *c, const struct quota *q,
    uint32_t object, const struct quota_limit *m, int64_t now)
{
    int64_t sum = 0;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (!job_is_active(j) || !quota_nearness(c, q, j->cred)
            || quota_object(q, j->cred) != object)
            continue;
        limits_use_sum(&sum, limits_quota_use(c, m, j, now));
    }
    return sum;
}
