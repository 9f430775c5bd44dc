/* SPDX-License-Identifier: Apache-2.0
 * Fairshare over time: caps that block and let go, windows that roll, priority that
 * follows (reference fairshare, sections 3 to 6). */
#include "cmocka_all.h"
#include "example.h"
#include "policy/fairshare.h"

#include <stdio.h>

static struct cred *user(struct scenario *s, const char *name)
{
    return cred_get(engine_cluster(sc_engine(s)), CRED_USER, name);
}

#define WINDOWS "FSPOLICY DEDICATEDPS\nFSINTERVAL 1000\nFSDEPTH 2\nFSDECAY 0.5\n"

/* 200 processor-seconds each: two fit under 500, the third when use has decayed. */
static void an_absolute_cap_blocks_until_the_window_rolls(void **state)
{
    (void)state;
    struct example x = {.cfg = WINDOWS "USERCFG[ann] FSTARGET=500^\n",
        .nodes = 1,
        .jobs = {{"a1", 1, 200, 60, 0, .user = "ann"},
            {"a2", 1, 200, 50, 200, .user = "ann"},
            {"a3", 1, 200, 40, 1000, .user = "ann"},
            {"b1", 1, 100, 30, 400, .user = "bob"}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_at(s, 600);
        assert_int_equal(sc_why_code(s, "a3"), WAIT_FS_CAP);
        assert_string_equal(sc_why(s, "a3"),
            "user ann has used 400 of the fairshare cap of 500 and this job would add "
            "200");
        assert_int_equal(sc_find(s, "a3")->holds, 0);
        sc_run(s);
        assert_string_equal(sc_log(s, "a3"), "reserve(400)@200 release@400 start@1000");
    }
}

static void a_cap_counts_what_was_delivered_and_the_job_itself(void **state)
{
    (void)state;
    struct example x = {.cfg = WINDOWS "USERCFG[ann] FSTARGET=500^\n",
        .nodes = 8,
        .until = 900,
        .jobs = {{"a1", 5, 100, 60, 0, .user = "ann"}, /* just at the cap */
            {"a2", 1, 501, 50, NEVER, .user = "ann"},
            {"a3", 3, 100, 40, 0, .user = "ann"}, /* nothing was delivered yet */
            {"a4", 1, 10, 30, NEVER, .user = "ann", .submit = 150}}};
    example_run(&x);
}

static void a_job_that_no_decay_can_help_waits_in_silence(void **state)
{
    (void)state;
    struct example x = {.cfg = WINDOWS "USERCFG[ann] FSTARGET=500^\n",
        .nodes = 1,
        .jobs = {{"a1", 1, 200, 60, 0, .user = "ann"},
            {"a2", 1, 600, 50, NEVER, .user = "ann"}}};
    example_run(&x); /* comes to an end */
}

static void a_noqueue_job_at_a_cap_is_cancelled(void **state)
{
    (void)state;
    struct example x = {.cfg = WINDOWS "USERCFG[ann] FSTARGET=500^\n",
        .nodes = 1,
        .jobs = {{"a", 1, 600, 60, NEVER, .user = "ann", .flags = JOB_NOQUEUE}}};
    BOTH_WAYS(s, x)
    {
        sc_run(s);
        assert_string_equal(sc_log(s, "a"), "cancel@0");
    }
}

static void a_cap_of_default_and_one_of_a_group_count_too(void **state)
{
    (void)state;
    struct example x = {
        .cfg = WINDOWS "USERCFG[DEFAULT] FSTARGET=100^\nGROUPCFG[g] FSTARGET=300^\n",
        .nodes = 8,
        .until = 900,
        .jobs = {{"a1", 1, 101, 60, NEVER, .user = "ann"},
            {"b1", 1, 100, 50, 0, .user = "bob"},
            {"b2", 1, 1, 40, NEVER, .user = "bob", .submit = 100},
            {"c1", 1, 100, 30, 0, .user = "cy", .group = "g"},
            {"d1", 1, 100, 20, 0, .user = "dan", .group = "g"},
            {"e1", 1, 100, 10, 0, .user = "eve", .group = "g"},
            {"f1", 1, 1, 5, NEVER, .user = "fay", .group = "g", .submit = 100}}};
    example_run(&x);
}

static void caps_do_nothing_without_fspolicy(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[ann] FSTARGET=1^\n",
        .nodes = 1,
        .jobs = {{"a", 1, 200, 60, 0, .user = "ann"}}};
    example_run(&x);
}

/* The reference's own example: ann has 30.86 % of what was delivered. */
static struct scenario *anns_share(const char *target, bool by_node)
{
    static const int64_t ann[] = {120, 300, 0, 80}, total[] = {400, 500, 300, 600};
    char cfg[300];
    struct example x = {.cfg = cfg, .nodes = 40};

    snprintf(cfg, sizeof cfg,
        "FSPOLICY DEDICATEDPS\nFSINTERVAL 12:00:00\nFSDEPTH 4\nFSDECAY 0.8\n"
        "USERCFG[ann] FSTARGET=%s\n",
        target);
    struct scenario *s = example_start(&x, by_node);
    struct cluster *c = engine_cluster(sc_engine(s));
    sc_at(s, 0);
    for (uint32_t i = 0; i < 4; i++) {
        fs_set_window(c, &user(s, "ann")->fs, i, (double)ann[i] * 3600);
        fs_set_window(c, &c->fs_total, i, (double)total[i] * 3600);
    }
    fs_refresh(c);
    return s;
}

static void check_share(const char *target, bool ten_runs, bool twenty_runs)
{
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = anns_share(target, by_node);
        sc_job(s,
            (struct sc_job){.id = "ten", .procs = 10, .limit_s = 3600, .user = "ann"});
        sc_job(s, (struct sc_job){
                      .id = "twenty", .procs = 20, .limit_s = 3600, .user = "ann"});
        sc_run_until(s, 0);
        assert_int_equal(sc_start(s, "ten"), ten_runs ? 0 : -1);
        assert_int_equal(sc_start(s, "twenty"), twenty_runs ? 0 : -1);
        if (!twenty_runs)
            assert_int_equal(sc_why_code(s, "twenty"), WAIT_FS_CAP);
        sc_destroy(s);
    }
}

static void a_relative_cap_blocks_by_share(void **state)
{
    (void)state;
    check_share("32%", true, false); /* 31.63 and 32.40 percent */
    check_share("25%", false, false);
    check_share("33%", true, true);
    check_share("25", true, true); /* a plain target blocks nobody */
    check_share("25-", true, true);
}

static void use_is_split_where_the_window_closes(void **state)
{
    (void)state;
    struct example x = {.cfg = WINDOWS,
        .nodes = 4,
        .jobs = {{"a", 2, 5000, 60, 0, .user = "ann", .run = 1500},
            {"b", 1, 5000, 50, 0, .user = "bob", .run = 800}}};
    BOTH_WAYS(s, x)
    {
        const struct cluster *c = engine_cluster(sc_engine(s));
        sc_at(s, 1500);
        const struct fs_usage *ann = &user(s, "ann")->fs, *bob = &user(s, "bob")->fs;
        assert_true(fs_window(c, ann, 1) == 2000 && fs_window(c, ann, 0) == 1000);
        assert_true(fs_window(c, bob, 1) == 800 && fs_window(c, bob, 0) == 0);
        assert_true(fs_use(c, ann) == 2000);
        assert_true(fs_use(c, &c->fs_total) == 2400);
        sc_at(s, 2000);
        assert_true(fs_window(c, ann, 1) == 1000 && fs_window(c, ann, 0) == 0);
    }
}

/* Both want half; ann has had all, so bob's later job goes first. */
static void whoever_had_less_goes_first(void **state)
{
    (void)state;
    struct example x = {
        .cfg = WINDOWS "FSWEIGHT 1\nFSUSERWEIGHT 100\nUSERCFG[DEFAULT] FSTARGET=50\n",
        .nodes = 1,
        .jobs = {{"a1", 1, 400, 0, 0, .user = "ann"},
            {"a2", 1, 100, 0, 500, .user = "ann"},
            {"b1", 1, 100, 0, 400, .user = "bob", .submit = 300}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_at(s, 300);
        assert_int_equal(sc_priority(s, "b1"), 5000);
        assert_int_equal(sc_priority(s, "a2"), 1); /* -5000 + 5, but no less */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_absolute_cap_blocks_until_the_window_rolls),
        cmocka_unit_test(a_cap_counts_what_was_delivered_and_the_job_itself),
        cmocka_unit_test(a_job_that_no_decay_can_help_waits_in_silence),
        cmocka_unit_test(a_noqueue_job_at_a_cap_is_cancelled),
        cmocka_unit_test(a_cap_of_default_and_one_of_a_group_count_too),
        cmocka_unit_test(caps_do_nothing_without_fspolicy),
        cmocka_unit_test(a_relative_cap_blocks_by_share),
        cmocka_unit_test(use_is_split_where_the_window_closes),
        cmocka_unit_test(whoever_had_less_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
