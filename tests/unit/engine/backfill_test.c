/* SPDX-License-Identifier: Apache-2.0
 * The worked examples of backfill, B1 to B18, through the whole engine, each
 * planned by count and node by node. */
#include "cmocka_all.h"
#include "config/settings.h"
#include "scenario.h"

#include <stdio.h>

/* One job of an example: processors, limit, priority, and the start expected. */
struct row {
    const char *id;
    uint32_t procs;
    int64_t limit, priority, start;
    int64_t submit, run; /* 0 = at once; as long as the limit */
    const char *user, *qos;
};

struct example {
    uint32_t nodes;
    int64_t procs;
    struct row rows[10];
    void (*set)(struct settings *cfg);
};

static void run_example(const struct example *x, bool by_node)
{
    struct scenario *s = sc_create();

    if (x->set)
        x->set(sc_settings(s));
    sc_nodes(s, x->nodes, x->procs ? x->procs : 1);
    if (by_node)
        sc_force_by_node(s);
    for (const struct row *r = x->rows; r->id; r++)
        sc_job(s, (struct sc_job){.id = r->id,
                      .procs = r->procs,
                      .limit_s = r->limit,
                      .run_s = r->run,
                      .submit_at = r->submit,
                      .priority = r->priority,
                      .user = r->user,
                      .qos = r->qos});
    sc_run(s);
    for (const struct row *r = x->rows; r->id; r++)
        if (sc_start(s, r->id) != r->start)
            fail_msg("%s started at %lld, expected %lld (%s)", r->id,
                (long long)sc_start(s, r->id), (long long)r->start,
                by_node ? "node by node" : "by count");
    sc_destroy(s);
}

static void run_both(const struct example *x)
{
    run_example(x, false);
    run_example(x, true);
}

#define BF(field, value)                                                               \
    static void set_##field##_##value(struct settings *cfg)                            \
    {                                                                                  \
        cfg->par.v[0].field = value;                                                   \
    }

BF(bf_policy, BACKFILL_BESTFIT)
BF(bf_policy, BACKFILL_GREEDY)
BF(bf_policy, BACKFILL_NONE)

static void b1_classic(void **state)
{
    (void)state;
    struct example x = {2, 1,
        {{"R", 1, 180, 99, 0, .run = 60}, {"B", 2, 60, 20, 120}, {"C", 1, 120, 10, 0}}};
    run_both(&x);
}

static void b1_without_early_end(void **state)
{
    (void)state;
    struct example x = {
        2, 1, {{"R", 1, 180, 99, 0}, {"B", 2, 60, 20, 180}, {"C", 1, 120, 10, 0}}};
    run_both(&x);
}

static void b2_exact_fit(void **state)
{
    (void)state;
    struct example x = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 100, 30, 100}, {"B", 2, 100, 20, 0},
            {"C", 2, 150, 10, 200}}};
    run_both(&x);
    struct example y = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 100, 30, 100}, {"B", 2, 100, 10, 0},
            {"C", 2, 150, 20, 200}}};
    run_both(&y);
}

static void b3_widest_first_beats_priority(void **state)
{
    (void)state;
    struct example x = {6, 1,
        {{"R", 2, 100, 99, 0}, {"A", 5, 100, 50, 100}, {"K", 6, 10, 40, 1050},
            {"X", 1, 1000, 30, 50}, {"Y", 4, 50, 20, 0}}};
    run_both(&x);
    struct example y = {6, 1,
        {{"R", 2, 100, 99, 0}, {"A", 5, 100, 50, 100}, {"X", 1, 1000, 30, 0},
            {"Y", 4, 50, 20, 200}}};
    run_both(&y);
}

static void b4_policies(void **state)
{
    (void)state;
    struct example firstfit = {8, 1,
        {{"R", 2, 100, 99, 0}, {"A", 8, 100, 50, 100}, {"K", 8, 10, 40, 200},
            {"P1", 4, 100, 30, 0}, {"P2", 3, 100, 20, 210}, {"P3", 3, 100, 10, 210}}};
    run_both(&firstfit);
    firstfit.set = set_bf_policy_BACKFILL_BESTFIT;
    run_both(&firstfit);
    struct example greedy = {8, 1,
        {{"R", 2, 100, 99, 0}, {"A", 8, 100, 50, 100}, {"K", 8, 10, 40, 200},
            {"P1", 4, 100, 30, 210}, {"P2", 3, 100, 20, 0}, {"P3", 3, 100, 10, 0}},
        set_bf_policy_BACKFILL_GREEDY};
    run_both(&greedy);
    struct example none = {8, 1,
        {{"R", 2, 100, 99, 0}, {"A", 8, 100, 50, 100}, {"K", 8, 10, 40, 200},
            {"P1", 4, 100, 30, 210}, {"P2", 3, 100, 20, 210}, {"P3", 3, 100, 10, 310}},
        set_bf_policy_BACKFILL_NONE};
    run_both(&none);
}

static void set_ps(struct settings *cfg)
{
    cfg->par.v[0].bf_policy = BACKFILL_BESTFIT;
    cfg->par.v[0].bf_metric = BFMETRIC_PROCSECONDS;
}

static void set_seconds(struct settings *cfg)
{
    cfg->par.v[0].bf_policy = BACKFILL_BESTFIT;
    cfg->par.v[0].bf_metric = BFMETRIC_SECONDS;
}

static void b5_metrics(void **state)
{
    (void)state;
    struct example procs = {6, 1,
        {{"R", 2, 100, 99, 0}, {"A", 6, 100, 50, 100}, {"K", 6, 10, 40, 200},
            {"P1", 2, 100, 30, 210}, {"P2", 3, 50, 20, 0}, {"P3", 1, 90, 10, 0}},
        set_bf_policy_BACKFILL_BESTFIT};
    run_both(&procs);
    struct example ps = {6, 1,
        {{"R", 2, 100, 99, 0}, {"A", 6, 100, 50, 100}, {"K", 6, 10, 40, 200},
            {"P1", 2, 100, 30, 0}, {"P2", 3, 50, 20, 210}, {"P3", 1, 90, 10, 0}},
        set_ps};
    run_both(&ps);
    ps.set = set_seconds;
    run_both(&ps);
}

static void set_depth_2(struct settings *cfg)
{
    cfg->rsv_groups[0].depth = 2;
}

static void set_depth_3(struct settings *cfg)
{
    cfg->rsv_groups[0].depth = 3;
}

static void set_depth_99(struct settings *cfg)
{
    cfg->rsv_groups[0].depth = 99;
}

static void b6_depth(void **state)
{
    (void)state;
    struct example one = {4, 1,
        {{"R", 3, 100, 99, 0}, {"A", 3, 100, 30, 100}, {"B", 4, 100, 20, 250},
            {"C", 1, 250, 10, 0}}};
    run_both(&one);
    struct example two = {4, 1,
        {{"R", 3, 100, 99, 0}, {"A", 3, 100, 30, 100}, {"B", 4, 100, 20, 200},
            {"C", 1, 250, 10, 300}},
        set_depth_2};
    run_both(&two);
}

static void set_maxjob(struct settings *cfg)
{
    cfg->creds[CRED_USER].v[0].active[LIMIT_JOB] = (struct limit){1, 2};
}

static void b7_soft_and_hard(void **state)
{
    (void)state;
    struct example a = {4, 1,
        {{"a", 1, 100, 30, 0, .user = "u"}, {"b", 1, 100, 20, 0, .user = "u"},
            {"c", 1, 100, 10, 100, .user = "u"}},
        set_maxjob};
    run_both(&a);
    struct example b = {4, 1,
        {{"a", 1, 100, 40, 0, .user = "u"}, {"b", 1, 100, 30, 0, .user = "u"},
            {"c", 1, 100, 20, 100, .user = "u"}, {"d", 4, 100, 10, 200, .user = "v"}},
        set_maxjob};
    run_both(&b);
    struct example c = {4, 1,
        {{"a", 1, 100, 40, 0, .user = "u"}, {"b", 1, 150, 30, 100, .user = "u"},
            {"d", 4, 100, 10, 250, .user = "v"}},
        set_maxjob};
    run_both(&c);
}

static void set_bfdepth_2(struct settings *cfg)
{
    cfg->par.v[0].bf_depth = 2;
}

static void set_bfdepth_3(struct settings *cfg)
{
    cfg->par.v[0].bf_depth = 3;
}

static void b8_backfilldepth(void **state)
{
    (void)state;
    struct example all = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 100, 50, 100}, {"K", 4, 10, 45, 200},
            {"X", 3, 50, 40, 210}, {"Y", 2, 50, 30, 0}}};
    run_both(&all);
    all.set = set_bfdepth_3;
    run_both(&all);
    struct example two = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 100, 50, 100}, {"K", 4, 10, 45, 200},
            {"X", 3, 50, 40, 210}, {"Y", 2, 50, 30, 260}},
        set_bfdepth_2};
    run_both(&two);
}

static void b9_none_is_strict(void **state)
{
    (void)state;
    struct example x = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 100, 30, 100}, {"B", 2, 50, 20, 200}},
        set_bf_policy_BACKFILL_NONE};
    run_both(&x);
}

static void b10_conservative(void **state)
{
    (void)state;
    struct example x = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 50, 40, 100}, {"B", 1, 300, 30, 150},
            {"C", 2, 100, 20, 0}, {"D", 2, 40, 10, 150}},
        set_depth_99};
    run_both(&x);
    x.set = NULL;
    run_both(&x);
}

static void b11_depth_changes_who_waits(void **state)
{
    (void)state;
    struct example one = {4, 1,
        {{"R1", 1, 50, 99, 0}, {"R2", 1, 100, 98, 0}, {"R3", 2, 200, 97, 0},
            {"A", 4, 100, 50, 200}, {"B", 2, 100, 40, 300}, {"C", 1, 150, 30, 50},
            {"D", 1, 50, 20, 100}}};
    run_both(&one);
    struct example three = {4, 1,
        {{"R1", 1, 50, 99, 0}, {"R2", 1, 100, 98, 0}, {"R3", 2, 200, 97, 0},
            {"A", 4, 100, 50, 200}, {"B", 2, 100, 40, 100}, {"C", 1, 150, 30, 300},
            {"D", 1, 50, 20, 50}},
        set_depth_3};
    run_both(&three);
}

static void b12_smp_staircase(void **state)
{
    (void)state;
    struct example x = {2, 4,
        {{"R", 2, 100, 99, 0}, {"A", 8, 50, 50, 100}, {"K", 8, 10, 45, 150},
            {"B", 4, 200, 40, 160}, {"C", 6, 90, 30, 0}}};
    run_both(&x);
}

static void b13_reserved_part_of_a_node(void **state)
{
    (void)state;
    struct example x = {2, 4,
        {{"R", 4, 100, 99, 0}, {"A", 6, 50, 50, 100}, {"K", 8, 10, 45, 150},
            {"B", 2, 200, 40, 160}, {"C", 4, 100, 30, 0}}};
    run_both(&x);
    struct example y = {2, 4,
        {{"R", 4, 100, 99, 0}, {"A", 6, 50, 50, 100}, {"K", 8, 10, 45, 200},
            {"B", 2, 200, 40, 0}, {"C", 3, 120, 30, 210}}};
    run_both(&y);
}

static void set_nobf(struct settings *cfg)
{
    settings_cred(cfg, CRED_QOS, "slow")->qos_flags = QOS_NOBF;
    settings_cred(cfg, CRED_USER, "x")->qdef = xstrdup("slow");
}

static void b14_nobf(void **state)
{
    (void)state;
    struct example x = {4, 1,
        {{"R", 2, 100, 99, 0}, {"A", 4, 100, 50, 100}, {"K", 4, 10, 45, 200},
            {"X", 2, 50, 40, 210, .user = "x", .qos = "slow"}, {"Y", 2, 80, 30, 0}},
        set_nobf};
    run_both(&x);
}

static void set_never(struct settings *cfg)
{
    cfg->par.v[0].rsv_policy = RSVPOLICY_NEVER;
}

static void b15_never(void **state)
{
    (void)state;
    struct example x = {2, 1,
        {{"R", 1, 100, 99, 0}, {"A", 2, 10, 50, 300}, {"B", 1, 300, 40, 0}}, set_never};
    run_both(&x);
    struct example y = {
        2, 1, {{"R", 1, 100, 99, 0}, {"A", 2, 10, 50, 100}, {"B", 1, 300, 40, 110}}};
    run_both(&y);
}

static void b16_early_end(void **state)
{
    (void)state;
    struct example x = {4, 1,
        {{"R", 2, 100, 99, 0, .run = 40}, {"A", 4, 100, 50, 90}, {"B", 2, 90, 40, 0}}};
    run_both(&x);
}

static void set_chunk(struct settings *cfg)
{
    cfg->bf_chunk_size = 2;
    cfg->bf_chunk_duration_s = 60;
}

static void b18_chunking(void **state)
{
    (void)state;
    struct example without = {4, 1,
        {{"R1", 1, 50, 99, 0}, {"R2", 1, 70, 98, 0}, {"R3", 2, 200, 97, 0},
            {"A", 4, 100, 50, 200}, {"K", 4, 1, 45, 300}, {"L", 2, 100, 40, 301},
            {"s", 1, 100, 10, 50}}};
    run_both(&without);
    struct example with = {4, 1,
        {{"R1", 1, 50, 99, 0}, {"R2", 1, 70, 98, 0}, {"R3", 2, 200, 97, 0},
            {"A", 4, 100, 50, 200}, {"K", 4, 1, 45, 300}, {"L", 2, 100, 40, 70},
            {"s", 1, 100, 10, 301}},
        set_chunk};
    run_both(&with);
}

/* ---- a long calendar ---- */

#define CALENDAR 200000 /* seconds */
#define MANY     260

/* The first instant with so many processors throughout, by looking at every second. */
static int64_t first_second(const int8_t *have, uint32_t procs, int64_t limit)
{
    int64_t at = 0;

    for (int64_t t = 0; t < at + limit; t++) {
        assert_true(t < CALENDAR);
        if (have[t] < (int8_t)procs)
            at = t + 1;
    }
    return at;
}

/* Some hundred steps, in which searches start from what earlier ones found, and a queue
 * long enough for its other sort. */
static void a_long_calendar_is_what_looking_at_every_second_gives(void **state)
{
    struct scenario *s = sc_create_with("RESERVATIONDEPTH 1000\n");
    int8_t *have = malloc(CALENDAR);
    struct sc_job jobs[MANY];
    char ids[MANY][8];
    uint32_t random = 7;

    (void)state;
    assert_non_null(have);
    memset(have, 8, CALENDAR);
    sc_nodes(s, 8, 1);
    for (int i = 0; i < MANY; i++) {
        random = random * 1664525 + 1013904223;
        snprintf(ids[i], sizeof ids[i], "j%d", i);
        jobs[i] = (struct sc_job){.id = ids[i],
            .limit_s = 60 + random % 977,
            .procs = 1 + (random >> 20) % 6,
            .priority = 1 + (int64_t)i * 7919 % 997}; /* each its own */
        sc_job(s, jobs[i]);
    }
    sc_run_until(s, 0);
    for (int64_t priority = 1000; priority > 0; priority--)
        for (int i = 0; i < MANY; i++) {
            const struct sc_job *j = &jobs[i];
            if (j->priority != priority)
                continue;
            int64_t at = first_second(have, j->procs, j->limit_s);
            for (int64_t t = at; t < at + j->limit_s; t++)
                have[t] -= (int8_t)j->procs;
            assert_int_equal(at == 0 ? sc_start(s, j->id) : sc_reserved(s, j->id), at);
        }
    free(have);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b1_classic),
        cmocka_unit_test(b1_without_early_end),
        cmocka_unit_test(b2_exact_fit),
        cmocka_unit_test(b3_widest_first_beats_priority),
        cmocka_unit_test(b4_policies),
        cmocka_unit_test(b5_metrics),
        cmocka_unit_test(b6_depth),
        cmocka_unit_test(b7_soft_and_hard),
        cmocka_unit_test(b8_backfilldepth),
        cmocka_unit_test(b9_none_is_strict),
        cmocka_unit_test(b10_conservative),
        cmocka_unit_test(b11_depth_changes_who_waits),
        cmocka_unit_test(b12_smp_staircase),
        cmocka_unit_test(b13_reserved_part_of_a_node),
        cmocka_unit_test(b14_nobf),
        cmocka_unit_test(b15_never),
        cmocka_unit_test(b16_early_end),
        cmocka_unit_test(b18_chunking),
        cmocka_unit_test(a_long_calendar_is_what_looking_at_every_second_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
