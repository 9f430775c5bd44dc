/* SPDX-License-Identifier: Apache-2.0
 * Occupancy: who used the processors, and how that is drawn. */
#include "kit.h"
#include "sim/chart.h"
#include "sim/run.h"

#include <ctype.h>
#include <stdlib.h>

static const struct workload_rules rules = {.overrun = OVERRUN_KILL, .procs = 1000};

/* Short SWF: id submit run procs user; the estimate is the run time. */
#define JOB(id, submit, run, procs, user)                                              \
#id " " #submit " -1 " #run " " #procs " -1 -1 " #procs " " #run " -1 1 " #user    \
        " 1 -1 1 -1 -1 -1\n"

/* A replay on two nodes n1, n2 of two processors with a scenario. */
struct play {
    struct workload w;
    struct scenario s;
    struct scenario_settings settings;
    struct run_result r;
    struct settings *cfg;
    struct occupancy o;
    struct heard h;
};

static void play(struct play *p, const char *jobs, const char *scenario)
{
    struct machine machine = {.nodes = 2, .procs_per_node = 2};
    struct lines *in = lines_open_memory("s", scenario, strlen(scenario));
    struct scenario_clock clock = {0};
    struct run_options how = {.until = TIME_NEVER};
    struct err err;

    *p = (struct play){.cfg = kit_easy()};
    kit_read_swf(&p->w, jobs, &rules, &p->h);
    kit_listen(&p->h);
    clock = (struct scenario_clock){p->w.jobs.v[0].submit_at, workload_shift(&p->w)};
    if (scenario_read(in, &clock, &p->s, &p->h.diag, &err) < 0)
        fail_msg("%s", err.text);
    lines_close(in);
    scenario_settings(&p->s, NULL, &p->settings, &p->h.diag);
    scenario_bind(&p->s, &(struct scenario_world){&p->w, &machine, p->cfg, clock},
        &p->settings, &p->h.diag);
    how.scenario = &p->s;
    how.settings = &p->settings;
    how.diag = &p->h.diag;
    how.occupancy = &p->o;
    if (run_replay(&p->w, &machine, p->cfg, &how, &p->r, &err) < 0)
        fail_msg("%s", err.text);
    if (p->h.diag.count > 0)
        fail_msg("%s", p->h.last);
}

static void play_close(struct play *p)
{
    occupancy_fini(&p->o);
    run_result_fini(&p->r);
    scenario_settings_fini(&p->settings);
    scenario_fini(&p->s);
    settings_destroy(p->cfg);
    workload_fini(&p->w);
}

static struct occupancy_use whole(const struct play *p)
{
    return occupancy_sum(&p->o, p->o.begin_at, p->o.end_at);
}

#define ASSERT_USE(u, j, r, i, d)                                                      \
    do {                                                                               \
        struct occupancy_use use_ = (u);                                               \
        assert_float_equal(use_.jobs, (j), 1e-6);                                      \
        assert_float_equal(use_.reserved, (r), 1e-6);                                  \
        assert_float_equal(use_.idle, (i), 1e-6);                                      \
        assert_float_equal(use_.down, (d), 1e-6);                                      \
    } while (0)

/* ---- adding up ---- */

static void jobs_alone_are_jobs(void **state)
{
    struct play p;

    (void)state;
    play(&p, JOB(1, 0, 1000, 3, 1) JOB(2, 500, 1000, 1, 1), "");
    assert_float_equal(p.o.procs, 4, 0);
    ASSERT_USE(whole(&p), 4000, 0, 0, 0);
    ASSERT_USE(
        occupancy_sum(&p.o, p.o.begin_at, p.o.begin_at + 900), 3 * 900 + 400, 0, 0, 0);
    assert_int_equal(p.o.end_at - p.o.begin_at, 1500);
    play_close(&p);
}

static void a_reservation_is_used_by_those_with_access(void **state)
{
    struct play p;

    (void)state;
    /* user 2 is let in, runs from 0 to 1000 on n1 with one processor; user 1 is not */
    play(&p, JOB(1, 0, 1000, 1, 2) JOB(2, 0, 1000, 1, 1) JOB(3, 1500, 500, 2, 1),
        "0 setres -u user2 -d 1800 n1\n");
    assert_int_equal(p.o.rsvs.n, 1);
    assert_string_equal(p.o.rsvs.v[0].name, "user2");
    assert_int_equal(p.o.rsvs.v[0].windows, 1);
    assert_float_equal(p.o.rsvs.v[0].held_ps, 2 * 1800, 1e-6);
    assert_float_equal(p.o.rsvs.v[0].used_ps, 1000, 1e-6);
    ASSERT_USE(whole(&p), 1000 + 1000, 1000, 2 * 1800 - 1000, 0);
    play_close(&p);
}

static void a_job_from_before_is_not_idle_and_not_inside(void **state)
{
    struct play p;

    (void)state;
    play(&p, JOB(1, 0, 1000, 4, 1), "100 setres -n maint -d 500 ALL\n");
    ASSERT_USE(whole(&p), 4000, 0, 0, 0);
    assert_float_equal(p.o.rsvs.v[0].held_ps, 4 * 500, 1e-6);
    assert_float_equal(p.o.rsvs.v[0].used_ps, 0, 1e-6);
    play_close(&p);
}

static void stacked_reservations_count_each_node_once(void **state)
{
    struct play p;

    (void)state;
    play(&p, JOB(1, 0, 1000, 2, 2),
        "0 setres -u user2 -d 1000 n1\n0 setres -u user2:user3 -n both -d 1000 ALL\n");
    ASSERT_USE(whole(&p), 0, 2000, 2000, 0);
    assert_int_equal(p.o.rsvs.n, 2);
    assert_float_equal(p.o.rsvs.v[0].used_ps, 2000, 1e-6);
    assert_float_equal(p.o.rsvs.v[1].used_ps, 2000, 1e-6);
    play_close(&p);
}

static void nodes_that_are_down_are_nothing_else(void **state)
{
    struct play p;

    (void)state;
    play(&p, JOB(1, 0, 2000, 1, 1),
        "0 setres -n x -d 1000 n2\n500 node n2 down\n1500 node n2 up\n");
    ASSERT_USE(whole(&p), 2000, 0, 2 * 500, 2 * 1000);
    play_close(&p);
}

static void windows_open_while_nothing_waits_or_runs(void **state)
{
    struct play p;

    (void)state;
    play(&p, JOB(1, 0, 10, 1, 1) JOB(2, 20000, 10, 1, 1),
        "5 setres -n a -s +5000 -d 1000 ALL\n");
    ASSERT_USE(whole(&p), 20, 0, 4 * 1000, 0);
    assert_int_equal(p.o.rsvs.v[0].windows, 1);
    play_close(&p);
}

static void the_picture_ends_with_the_last_job_though_one_waits_for_ever(void **state)
{
    struct play p;

    (void)state;
    /* Every day again too short for job 2. */
    play(&p, JOB(1, 0, 1000, 1, 1) JOB(2, 0, 90000, 4, 1),
        "0 changeparam SRCFG[x] HOSTLIST=ALL STARTTIME=12:00:00 USERLIST=user9\n");
    assert_int_equal(p.r.by_state[RUN_WAITING], 1);
    assert_int_equal(p.o.end_at - p.o.begin_at, 1000);
    play_close(&p);
}

/* ---- drawing ---- */

static char *drawn(const struct occupancy *o, const struct chart_options *how)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    chart_print(out, o, how);
    fclose(out);
    return text;
}

static void a_bar_shows_shares_from_the_left(void **state)
{
    struct play p;
    struct chart_options how = {.width = 72, .step_s = 1800, .shift = 86400};
    char *text;

    (void)state;
    play(&p, JOB(1, 0, 3600, 1, 1) JOB(2, 0, 3600, 1, 2),
        "0 setres -u user2 -d 3600 n1\n1800 node n2 drained\n");
    text = drawn(&p.o, &how);
    assert_non_null(strstr(text, "Occupancy of 4 processors, a line for 30 minutes:"));
    assert_non_null(strstr(text,
        "Fri day 1 00:00 |##########@@@@@@@@@@----------          |   50 %   50 %\n"
        "Fri day 1 00:30 |##########@@@@@@@@@@----------xxxxxxxxxx|   50 %   50 %\n"));
    assert_non_null(strstr(text, "user2              administrative        1         "
                                 "2.0       1.0       1.0  50 %\n"));
    assert_null(strstr(text, "average day"));
    free(text);
    play_close(&p);
}

static void lines_are_plain_and_not_wider_than_asked_for(void **state)
{
    static const int widths[] = {0, CHART_WIDTH_MIN, 132};
    struct play p;

    (void)state;
    play(&p, JOB(1, 7000, 400000, 3, 1) JOB(2, 9000, 90000, 1, 2),
        "+1:00:00 setres -n a -d 4:00:00 ALL\n");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct chart_options how = {
            .width = widths[i], .shift = 86400, .dates = i == 2};
        char *text = drawn(&p.o, &how), *at = text;
        size_t most = 0;

        for (char *line; (line = strsep(&at, "\n")) != NULL;)
            if (strchr(line, '|') != NULL && strlen(line) > most)
                most = strlen(line);
        assert_int_equal(most, widths[i] > 0 ? widths[i] : 80);
        free(text);
        text = drawn(&p.o, &how);
        for (const char *c = text; *c != '\0'; c++)
            assert_true(*c == '\n' || isprint((unsigned char)*c));
        assert_non_null(strstr(text, "An average day (of 3)"));
        free(text);
    }
    play_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_alone_are_jobs),
        cmocka_unit_test(a_reservation_is_used_by_those_with_access),
        cmocka_unit_test(a_job_from_before_is_not_idle_and_not_inside),
        cmocka_unit_test(stacked_reservations_count_each_node_once),
        cmocka_unit_test(nodes_that_are_down_are_nothing_else),
        cmocka_unit_test(windows_open_while_nothing_waits_or_runs),
        cmocka_unit_test(the_picture_ends_with_the_last_job_though_one_waits_for_ever),
        cmocka_unit_test(a_bar_shows_shares_from_the_left),
        cmocka_unit_test(lines_are_plain_and_not_wider_than_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
