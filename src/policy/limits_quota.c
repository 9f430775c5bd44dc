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
    struct usage used;
    UT_hash_handle hh;
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
    q->mask = q->counted = 0;
}

void limits_quotas_destroy(struct limits_quotas *q)
{
    if (!q)
        return;
    forget_all(q);
    credsets_fini(&q->sets);
    vec_fini(&q->others);
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

static void note_limits(struct limits_quotas *q, const struct quota *x)
{
    for (size_t i = 0; i < x->n; i++) {
        q->mask |= LIMIT_BIT(x->limits[i].res);
        if (x->limits[i].rule != QUOTA_JOB)
            q->counted |= LIMIT_BIT(x->limits[i].res);
    }
}

void limits_quotas_configure(struct limits_quotas *q, const struct cluster *c)
{
    forget_all(q);
    for (uint32_t i = 0; c->quotas && i < c->quotas->n; i++) {
        const struct quota *x = &c->quotas->v[i];
        const char *const *account = x->accounts;
        note_limits(q, x);
        if (x->user)
            add_named(&q->by_user, x->user, i);
        else if (!account)
            vec_push(&q->others, i);
        for (; !x->user && account && *account; account++)
            add_named(&q->by_account, *account, i);
    }
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
        x = xcalloc(1, sizeof *x);
        x->key = key;
        x->index = (uint32_t)q->counters.n;
        HASH_ADD(hh, q->by_key, key, sizeof key, x);
        vec_push(&q->counters, x);
    }
    return x->index;
}

/* The nearest at which each rule limits each resource; 0 = none does. */
struct nearest {
    unsigned at[QUOTA_RULES][LIMIT_RES_COUNT];
};

struct covering {
    struct limits_quotas *q;
    const struct cluster *c;
    const uint32_t *cred;
    struct nearest nearest;
};

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
        unsigned *at = &v->nearest.at[x->limits[i].rule][x->limits[i].res];
        if (*at == 0 || nearness < *at)
            *at = nearness;
    }
}

static int64_t in_parts(const struct quota_limit *m)
{
    int64_t parts;

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
        if (nearness > v->nearest.at[m->rule][m->res])
            continue;
        vec_push(&v->q->tests, ((struct quota_test){.quota = quota,
                                   .limit = i,
                                   .counter = counter,
                                   .res = m->res,
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
    visit_covering(&v, note_nearest);
    visit_covering(&v, add_tests);
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
    if (!q->mask)
        return NULL;
    uint32_t number = number_of(q, c, cred);
    *ret_n = q->tests_of.v[number].n;
    return *ret_n ? q->tests.v + q->tests_of.v[number].first : NULL;
}

const int64_t *limits_quotas_used(
    const struct limits_quotas *q, const struct quota_test *t)
{
    return q->counters.v[t->counter]->used.v;
}

void limits_quotas_add(struct limits_quotas *q, const struct cluster *c,
    const uint32_t *cred, const int64_t *v, int sign)
{
    if (!q->mask)
        return;
    uint32_t number = number_of(q, c, cred); /* may move what is read next */
    struct piece in = q->counters_of.v[number];
    for (size_t i = 0; i < in.n; i++)
        limits_use_add(q->counters.v[q->counters_in.v[in.first + i]]->used.v, v, sign);
}

int64_t limits_quota_in_use(const struct cluster *c, const struct quota *q,
    uint32_t object, enum limit_res res, int64_t now)
{
    int64_t v[LIMIT_RES_COUNT], sum = 0;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (!job_is_active(j) || !quota_nearness(c, q, j->cred)
            || quota_object(q, j->cred) != object)
            continue;
        limits_use_left(c, j, now, v);
        sum += v[res];
    }
    return sum;
}
