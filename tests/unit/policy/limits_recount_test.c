/* SPDX-License-Identifier: Apache-2.0
 * Random limits and jobs against a naive recount. */
#include "limits_kit.h"
#include "policy/limits_use.h"

#include <math.h>

#define NAMES 5
#define LIVE  40

struct oracle {
    struct kit *k;
    struct job *jobs[LIVE]; /* NULL = none */
    bool active[LIVE], idle[LIVE];
    uint64_t rng;
    int64_t now;
};

static uint32_t roll(struct oracle *o, uint32_t n)
{
    o->rng = o->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(o->rng >> 33) % n;
}

static struct limit random_limit(struct oracle *o)
{
    switch (roll(o, 4)) {
    case 0:
        return (struct limit){-1, -1};
    case 1:
        return (struct limit){roll(o, 30) + 1, roll(o, 60) + 1};
    default:
        return BOTH(roll(o, 40) + 1);
    }
}

static const char *const some_names[NAMES] = {"DEFAULT", "p", "q", "r", "s"};

static void random_section(struct oracle *o, struct cred_cfg *c, bool qos)
{
    for (int i = roll(o, 3); i > 0; i--)
        c->active[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    for (int i = roll(o, 3); i > 0; i--)
        c->idle[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    if (roll(o, 3) == 0)
        within(c, roll(o, 4), roll(o, CRED_KINDS),
            roll(o, 2) ? NULL : some_names[1 + roll(o, NAMES - 1)], random_limit(o));
    if (roll(o, 3) == 0)
        within_idle(c, roll(o, 4), roll(o, CRED_KINDS), NULL, random_limit(o));
    if (!qos || roll(o, 2))
        return;
    c->over_active[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    c->over_idle[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    c->ignore_active[roll(o, CRED_KINDS)] = roll(o, 128);
}

/* The naive answer: sums over all jobs, one limit after the other, by the text of
 * the reference. */
static int64_t naive_use(const struct oracle *o, int i, enum limit_res r, bool active)
{
    const struct job *j = o->jobs[i];
    int64_t left = j->wclimit_s;

    if (active)
        left = j->start_at + j->wclimit_s > o->now ? j->start_at + j->wclimit_s - o->now
                                                   : 0;
    const int64_t v[] = {[LIMIT_JOB] = 1,
        [LIMIT_PROC] = j->procs,
        [LIMIT_NODE] = j->reqs[0].nodes,
        [LIMIT_PS] = j->procs * left,
        [LIMIT_PE] = llround(1000 * j->pe),
        [LIMIT_WC] = left,
        [LIMIT_MEM] = j->mem_mb};
    return v[r];
}

/* Sum over the jobs that share the given credentials (kind CRED_KINDS = any). */
static int64_t naive_sum(const struct oracle *o, const struct job *with, int kind,
    int kind2, enum limit_res r, bool idle)
{
    int64_t sum = 0;

    for (int i = 0; i < LIVE; i++) {
        const struct job *j = o->jobs[i];
        if (!j || !(idle ? o->idle[i] : o->active[i]))
            continue;
        if (kind < CRED_KINDS && j->cred[kind] != with->cred[kind])
            continue;
        if (kind2 < CRED_KINDS && j->cred[kind2] != with->cred[kind2])
            continue;
        sum += naive_use(o, i, r, !idle);
    }
    return sum;
}

/* Hard value of a written limit, 0 = none. */
static int64_t naive_value(struct limit v, bool idle, enum limit_level level)
{
    int64_t hard = v.hard ? v.hard : (idle ? 0 : v.soft);
    int64_t soft = v.soft;

    hard = hard < 0 ? INT64_MAX : hard;
    if (soft <= 0 || soft > hard || idle)
        soft = hard;
    return level == LEVEL_SOFT ? soft : hard;
}

static bool is_set(struct limit v)
{
    return v.soft || v.hard;
}

static bool naive_over(const struct oracle *o, const struct job *j, int64_t limit,
    int64_t want, const int kinds[2], enum limit_res r, bool idle)
{
    return limit && limit != INT64_MAX
           && naive_sum(o, j, kinds[0], kinds[1], r, idle) + want
                  > limit * (r == LIMIT_PE ? 1000 : 1);
}

static int64_t naive_override(const struct cred *qos, enum limit_res r, bool idle,
    enum limit_level level, int64_t own)
{
    struct limit over = idle ? qos->cfg->over_idle[r] : qos->cfg->over_active[r];

    if (!is_set(over))
        over = idle ? qos->def->over_idle[r] : qos->def->over_active[r];
    if (r == LIMIT_JOB || !own || own == INT64_MAX || !is_set(over))
        return own;
    return naive_value(over, idle, level);
}

static bool naive_one(const struct oracle *o, const struct job *j, int kind,
    enum limit_res r, bool idle, enum limit_level level)
{
    const struct cred *k = job_cred(o->k->c, j, kind);
    const struct cred *qos = job_cred(o->k->c, j, CRED_QOS);
    const int kinds[2] = {kind, CRED_KINDS};
    struct limit v = idle ? k->cfg->idle[r] : k->cfg->active[r];

    if (k->index == 0 && kind != CRED_QOS)
        return false;
    if (!idle && (qos->cfg->ignore_active[kind] >> r & 1))
        return false;
    if (!is_set(v))
        v = idle ? k->def->idle[r] : k->def->active[r];
    if (kind == CRED_QOS && r == LIMIT_JOB) {
        struct limit over = idle ? k->cfg->over_idle[r] : k->cfg->over_active[r];
        if (!is_set(over))
            over = idle ? k->def->over_idle[r] : k->def->over_active[r];
        if (is_set(over))
            v = over;
    }
    int64_t want[LIVE];
    int me = 0;
    while (o->jobs[me] != j)
        me++;
    want[0] = naive_use(o, me, r, false);
    return naive_over(o, j,
        naive_override(qos, r, idle, level, naive_value(v, idle, level)), want[0],
        kinds, r, idle);
}

static struct limit naive_within(
    const struct cred_cfg *c, int other, const char *name, enum limit_res r, bool idle)
{
    struct limit general = {0, 0}, named = {0, 0};

    for (size_t i = 0; i < c->within.n; i++) {
        const struct limit_within *w = &c->within.v[i];
        if (w->idle != idle || w->res != r || (int)w->other != other
            || !is_set(w->limit))
            continue;
        if (!w->name)
            general = w->limit;
        else if (!strcmp(w->name, name))
            named = w->limit;
    }
    return is_set(named) ? named : general;
}

static bool naive_pair(const struct oracle *o, const struct job *j, const int kinds[2],
    enum limit_res r, bool idle, enum limit_level level)
{
    const struct cred *k = job_cred(o->k->c, j, kinds[0]);
    const struct cred *k2 = job_cred(o->k->c, j, kinds[1]);
    const struct cred *qos = job_cred(o->k->c, j, CRED_QOS);
    struct limit v = naive_within(k->cfg, kinds[1], k2->name, r, idle);
    int me = 0;

    if ((k->index == 0 && kinds[0] != CRED_QOS)
        || (k2->index == 0 && kinds[1] != CRED_QOS))
        return false;
    if (!idle
        && ((qos->cfg->ignore_active[kinds[0]] | qos->cfg->ignore_active[kinds[1]]) >> r
            & 1))
        return false;
    if (!is_set(v))
        v = naive_within(k->def, kinds[1], k2->name, r, idle);
    while (o->jobs[me] != j)
        me++;
    return naive_over(o, j,
        naive_override(qos, r, idle, level, naive_value(v, idle, level)),
        naive_use(o, me, r, false), kinds, r, idle);
}

static bool naive_violated(
    const struct oracle *o, const struct job *j, bool idle, enum limit_level level)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        for (int kind = 0; kind < CRED_KINDS; kind++) {
            if (naive_one(o, j, kind, r, idle, level))
                return true;
            for (int other = 0; other < CRED_KINDS; other++) {
                const int kinds[2] = {kind, other};
                if (naive_pair(o, j, kinds, r, idle, level))
                    return true;
            }
        }
    return false;
}

static void compare(struct oracle *o, unsigned seed, int step)
{
    struct kit *k = o->k;

    for (int i = 0; i < LIVE; i++) {
        if (!o->jobs[i] || o->active[i] || o->idle[i])
            continue;
        for (int what = 0; what < 4; what++) {
            bool idle = what & 1;
            enum limit_level level = what & 2 ? LEVEL_SOFT : LEVEL_HARD;
            bool want = naive_violated(o, o->jobs[i], idle, level);
            bool got = limits_violated(
                k->l, k->c, o->jobs[i], idle ? CHECK_IDLE : CHECK_ACTIVE, level, NULL);
            int64_t use[LIMIT_RES_COUNT];
            limits_use_of(k->c, o->jobs[i], use);
            assert_int_equal(got, limits_use_violated(k->l, k->c,
                                      (struct limits_use){o->jobs[i]->cred, use, 0},
                                      idle ? CHECK_IDLE : CHECK_ACTIVE, level, NULL));
            if (want != got)
                fail_msg("seed %u step %d job %d what %d: naive %d, got %d", seed, step,
                    i, what, want, got);
        }
    }
}

static void begin_cycle(struct oracle *o)
{
    o->now += roll(o, 10);
    limits_begin_cycle(o->k->l, o->k->c, o->now);
    limits_begin_idle(o->k->l, o->k->c);
    memset(o->idle, 0, sizeof o->idle);
}

static void random_job(struct oracle *o, int i)
{
    char who[64];
    uint32_t tasks;
    struct job *j;

    snprintf(who, sizeof who, "%s/%s/%s/%s/%s", some_names[1 + roll(o, 4)],
        some_names[roll(o, NAMES)], some_names[roll(o, NAMES)],
        some_names[roll(o, NAMES)], some_names[roll(o, NAMES)]);
    tasks = 1 + roll(o, 8);
    j = job_of(o->k, who, tasks, roll(o, tasks + 1), 1 + roll(o, 30));
    j->pe = roll(o, 100) / 10.0;
    j->mem_mb = roll(o, 10);
    o->jobs[i] = j;
}

static void stop(struct oracle *o, int i)
{
    struct cluster *c = o->k->c;

    limits_count_active(o->k->l, c, o->jobs[i], -1, o->now);
    for (size_t n = 0; n < c->active.n; n++)
        if (c->active.v[n] == o->jobs[i]->index) {
            vec_remove(&c->active, n);
            break;
        }
    o->jobs[i]->state = JOB_COMPLETED;
    o->jobs[i] = NULL;
    o->active[i] = false;
}

static void do_step(struct oracle *o)
{
    int i = (int)roll(o, LIVE);

    if (!o->jobs[i]) {
        random_job(o, i);
    } else if (o->active[i]) {
        stop(o, i);
    } else if (!o->idle[i] && roll(o, 2)) {
        limits_count_idle(o->k->l, o->k->c, o->jobs[i]);
        o->idle[i] = true;
    } else if (!o->idle[i]) {
        run_at(o->k, o->jobs[i], o->now);
        o->active[i] = true;
    }
}

static void no_usage_is_left(struct oracle *o)
{
    struct cluster *c = o->k->c;

    for (int i = 0; i < LIVE; i++)
        if (o->jobs[i] && o->active[i])
            stop(o, i);
    limits_begin_idle(o->k->l, c);
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        assert_int_equal(c->sys_active.v[r], 0);
        assert_int_equal(c->sys_idle.v[r], 0);
        for (int kind = 0; kind < CRED_KINDS; kind++)
            for (size_t n = 0; n < c->creds[kind].n; n++) {
                assert_int_equal(c->creds[kind].v[n]->active.v[r], 0);
                assert_int_equal(c->creds[kind].v[n]->idle.v[r], 0);
            }
    }
}

static void reconfigure(struct oracle *o)
{
    limits_configure(o->k->l, o->k->c);
    memset(o->idle, 0, sizeof o->idle);
}

static void run_seed(unsigned seed)
{
    struct oracle o = {.k = kit_new(), .rng = seed * UINT64_C(7919) + 1};

    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (int n = 0; n < NAMES; n++)
            if (roll(&o, 2))
                random_section(&o, cfg(o.k, kind, some_names[n]), kind == CRED_QOS);
    kit_ready(o.k);
    for (int step = 0; step < 200; step++) {
        if (step % 20 == 0)
            begin_cycle(&o);
        if (step == 100)
            reconfigure(&o);
        do_step(&o);
        if (step % 10 == 9)
            compare(&o, seed, step);
    }
    no_usage_is_left(&o);
    kit_free(o.k);
}

static void random_limits_agree_with_a_naive_recount(void **state)
{
    (void)state;
    print_message("# seeds 1 to 150\n");
    for (unsigned seed = 1; seed <= 150; seed++)
        run_seed(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_limits_agree_with_a_naive_recount),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
