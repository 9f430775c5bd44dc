/* SPDX-License-Identifier: Apache-2.0
 * A walk over the queue decides and counts as limits_violated() and limits_count_idle()
 * do job by job, whatever the settings. */
#include "limits_kit.h"
#include "policy/limits_use.h"
#include "policy/limits_walk.h"

#define SEEDS  400
#define QUEUE  60
#define ACTIVE 20

static const char *const names[] = {"-", "a", "b", "c"};
#define NAMES (sizeof names / sizeof *names)

static uint32_t roll(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static struct limit random_limit(uint64_t *rng)
{
    int64_t hard = (int64_t)roll(rng, 12) - 1;

    return SOFT_HARD(roll(rng, 2) ? (int64_t)roll(rng, 9) : 0, hard);
}

/* What makes walks compare in full comes in a third of the seeds. */
static void random_settings(struct kit *k, uint64_t *rng, bool plain)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (size_t n = 0; n < NAMES; n++) {
            struct cred_cfg *s = cfg(k, kind, n ? names[n] : "DEFAULT");
            enum limit_res r = roll(rng, LIMIT_RES_COUNT);
            if (roll(rng, 2))
                s->active[r] = random_limit(rng);
            if (roll(rng, 3) == 0)
                s->active[LIMIT_JOB] = random_limit(rng);
            if (roll(rng, 2))
                s->idle[roll(rng, 2) ? LIMIT_JOB : r] = random_limit(rng);
            if (!plain && kind == CRED_QOS)
                s->over_active[LIMIT_PROC] = random_limit(rng);
            if (!plain && kind == CRED_CLASS)
                within(s, LIMIT_PROC, CRED_USER, NULL, random_limit(rng));
        }
    if (roll(rng, 2))
        k->s->sys.idle[LIMIT_PROC] = BOTH(1 + roll(rng, 200));
}

static struct job *random_job(struct kit *k, uint64_t *rng)
{
    char who[64];
    uint32_t tasks = 1 + roll(rng, 4);

    snprintf(who, sizeof who, "%s/%s/%s/%s/%s", names[1 + roll(rng, NAMES - 1)],
        names[roll(rng, NAMES)], names[roll(rng, NAMES)], names[roll(rng, NAMES)],
        names[roll(rng, NAMES)]);
    return job_of(k, who, tasks, roll(rng, tasks + 1), 1 + roll(rng, 10));
}

static void check_level(
    struct kit *k, struct job **queue, enum limit_level level, unsigned seed)
{
    struct credsets sets = {0};
    uint32_t number[QUEUE];
    bool want[QUEUE];

    limits_begin_idle(k->l, k->c);
    for (int i = 0; i < QUEUE; i++) {
        want[i] = limits_violated(
            k->l, k->c, queue[i], CHECK_ACTIVE | CHECK_IDLE, level, NULL);
        if (!want[i])
            limits_count_idle(k->l, k->c, queue[i]);
        number[i] = credsets_number(&sets, queue[i]->cred);
    }
    struct limits_walk *w = limits_walk_begin(k->l, k->c, &sets, level);
    for (int i = 0; i < QUEUE; i++) {
        int64_t use[LIMIT_RES_COUNT] = {
            [LIMIT_JOB] = 1, [LIMIT_PROC] = queue[i]->procs};
        if (limits_walk_asks_more(k->l))
            limits_use_of(k->c, queue[i], use);
        bool got = limits_walk_violated(w, number[i], use);
        if (got != want[i])
            fail_msg("seed %u level %d job %d: %d in the walk, %d by itself", seed,
                level, i, got, want[i]);
        if (!got)
            limits_walk_count(w, number[i], use);
    }
    limits_walk_end(w);
    credsets_fini(&sets);
}

static void run_seed(unsigned seed)
{
    uint64_t rng = seed * UINT64_C(7919);
    struct kit *k = kit_new();
    struct job *queue[QUEUE];

    random_settings(k, &rng, seed % 3 != 0);
    kit_ready(k);
    for (int i = 0; i < ACTIVE; i++)
        run_at(k, random_job(k, &rng), 0);
    for (int i = 0; i < QUEUE; i++)
        queue[i] = random_job(k, &rng);
    limits_begin_cycle(k->l, k->c, 0);
    check_level(k, queue, LEVEL_HARD, seed);
    check_level(k, queue, LEVEL_SOFT, seed);
    kit_free(k);
}

static void walks_decide_as_if_each_job_were_asked_for(void **state)
{
    (void)state;
    print_message("# seeds 1 to %d\n", SEEDS);
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        run_seed(seed);
}

/* MAXIJOB of a user: what others read between cycles. */
static void a_walk_leaves_the_idle_usage_behind(void **state)
{
    (void)state;
    struct kit *k = kit_new();
    struct credsets sets = {0};

    cfg(k, CRED_USER, "DEFAULT")->idle[LIMIT_JOB] = BOTH(2);
    kit_ready(k);
    struct job *ann = job_of(k, "ann", 1, 0, 60), *bob = job_of(k, "bob", 1, 0, 60);
    const struct job *queue[] = {ann, bob, ann, ann};
    static const bool want[] = {false, false, false, true};
    uint32_t of_ann = credsets_number(&sets, ann->cred);
    uint32_t of_bob = credsets_number(&sets, bob->cred);
    struct limits_walk *w = limits_walk_begin(k->l, k->c, &sets, LEVEL_HARD);
    for (int i = 0; i < 4; i++) {
        const int64_t use[LIMIT_RES_COUNT] = {[LIMIT_JOB] = 1, [LIMIT_PROC] = 1};
        uint32_t who = queue[i] == ann ? of_ann : of_bob;
        assert_int_equal(limits_walk_violated(w, who, use), want[i]);
        if (!want[i])
            limits_walk_count(w, who, use);
    }
    limits_walk_end(w);
    assert_int_equal(job_cred(k->c, ann, CRED_USER)->idle.v[LIMIT_JOB], 2);
    assert_int_equal(job_cred(k->c, bob, CRED_USER)->idle.v[LIMIT_JOB], 1);
    credsets_fini(&sets);
    kit_free(k);
}

/* As of a job that changes to another class in the middle of a walk. */
static void credentials_may_be_numbered_during_a_walk(void **state)
{
    (void)state;
    const int64_t one[LIMIT_RES_COUNT] = {[LIMIT_JOB] = 1, [LIMIT_PROC] = 1};
    struct kit *k = kit_new();
    struct credsets sets = {0};

    cfg(k, CRED_GROUP, "staff")->idle[LIMIT_JOB] = BOTH(2);
    cfg(k, CRED_USER, "bob")->active[LIMIT_PROC] = BOTH(4);
    kit_ready(k);
    struct job *ann = job_of(k, "ann/staff", 1, 0, 60);
    struct job *bob = job_of(k, "bob/staff", 1, 0, 60);
    run_at(k, job_of(k, "bob/staff", 4, 0, 60), 0);
    uint32_t of_ann = credsets_number(&sets, ann->cred);
    struct limits_walk *w = limits_walk_begin(k->l, k->c, &sets, LEVEL_HARD);
    assert_false(limits_walk_violated(w, of_ann, one));
    limits_walk_count(w, of_ann, one);
    uint32_t of_bob = credsets_number(&sets, bob->cred);
    assert_true(limits_walk_violated(w, of_bob, one)); /* 4 processors are in use */
    assert_false(limits_walk_idle_violated(w, of_bob, one));
    limits_walk_count(w, of_bob, one);
    assert_true(limits_walk_idle_violated(w, of_ann, one)); /* one room for the group */
    limits_walk_end(w);
    assert_int_equal(job_cred(k->c, bob, CRED_GROUP)->idle.v[LIMIT_JOB], 2);
    credsets_fini(&sets);
    kit_free(k);
}

static void combinations_have_one_number_each_until_forgotten(void **state)
{
    (void)state;
    struct credsets s = {0};
    uint32_t cred[CRED_VECTOR] = {0};

    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            cred[CRED_USER] = i / 10;
            cred[CRED_QOS] = i % 10;
            assert_int_equal(credsets_number(&s, cred), i);
            assert_int_equal(credsets_number(&s, cred), i);
            assert_memory_equal(s.sets.v[i].cred, cred, sizeof cred);
        }
        assert_int_equal(s.sets.n, 100);
        credsets_forget(&s);
    }
    assert_int_equal(s.sets.n, 0);
    credsets_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_decide_as_if_each_job_were_asked_for),
        cmocka_unit_test(a_walk_leaves_the_idle_usage_behind),
        cmocka_unit_test(credentials_may_be_numbered_during_a_walk),
        cmocka_unit_test(combinations_have_one_number_each_until_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
