/* SPDX-License-Identifier: Apache-2.0
 * Scenarios: lines read, names looked up, and what they do to a replay. */
#include "kit.h"
#include "sim/prng.h"
#include "sim/run.h"

#include <stdlib.h>

#define ROUNDS 1000

static const struct workload_rules rules = {.overrun = OVERRUN_KILL, .procs = 1000};

/* Short SWF: id submit run procs estimate. */
#define JOB(id, submit, run, procs, estimate)                                          \
#id " " #submit " -1 " #run " " #procs " -1 -1 " #procs " " #estimate              \
        " -1 1 1 1 -1 1 -1 -1 -1\n"

/* A replay on four nodes n1 to n4 of one processor. */
struct play {
    struct workload w;
    struct scenario s;
    struct scenario_settings settings;
    struct run_result r;
    struct settings *cfg;
    struct machine machine;
    struct run_options how;
    struct heard h; /* of the scenario, then of the replay */
    char told[600]; /* what came of the lines: "@<time> <text>; " */
};

static void hear_told(void *ctx, const struct run_told *t)
{
    struct play *p = ctx;
    size_t len = strlen(p->told);

    snprintf(p->told + len, sizeof p->told - len, "@%lld %s%s; ", (long long)t->at,
        t->done ? "" : "NO ", t->text);
}

static void play_open(struct play *p, const char *jobs)
{
    *p = (struct play){.cfg = kit_easy(), .machine = {.nodes = 4, .procs_per_node = 1}};
    kit_read_swf(&p->w, jobs, &rules, &p->h);
    kit_listen(&p->h);
    p->how = (struct run_options){.until = TIME_NEVER,
        .diag = &p->h.diag,
        .scenario = &p->s,
        .settings = &p->settings,
        .told = hear_told,
        .ctx = p};
}

static void play_read(struct play *p, const char *text)
{
    struct lines *in = lines_open_memory("s", text, strlen(text));
    struct scenario_clock clock = {p->w.jobs.v[0].submit_at, workload_shift(&p->w)};
    struct err err;

    if (scenario_read(in, &clock, &p->s, &p->h.diag, &err) < 0)
        fail_msg("%s", err.text);
    lines_close(in);
    scenario_settings(&p->s, NULL, &p->settings, &p->h.diag);
    scenario_bind(&p->s, &(struct scenario_world){&p->w, &p->machine, p->cfg, clock},
        &p->settings, &p->h.diag);
}

static void play_run(struct play *p, const char *text)
{
    struct err err;

    play_read(p, text);
    if (p->h.diag.count > 0)
        fail_msg("%s", p->h.last);
    if (run_replay(&p->w, &p->machine, p->cfg, &p->how, &p->r, &err) < 0)
        fail_msg("%s", err.text);
}

static void play_close(struct play *p)
{
    run_result_fini(&p->r);
    scenario_settings_fini(&p->settings);
    scenario_fini(&p->s);
    settings_destroy(p->cfg);
    workload_fini(&p->w);
}

static void assert_starts(const struct play *p, const int64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p->r.jobs[i].start_at != want[i])
            fail_msg("job %s starts at %lld, not %lld (%s)", p->w.jobs.v[i].id,
                (long long)p->r.jobs[i].start_at, (long long)want[i], p->told);
}
#define ASSERT_STARTS(p, ...)                                                          \
    assert_starts((p), (const int64_t[]){__VA_ARGS__},                                 \
        sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* ---- what lines do ---- */

/* Reservation R5: a system reservation [100, 200) on everything, jobs at 0 and 60. */
static void setres_keeps_jobs_out_r5(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 1, 100) JOB(2, 0, 101, 1, 101) JOB(3, 60, 50, 1, 50));
    play_run(&p, "0 setres -s +100 -d 100 ALL # maintenance\n");
    ASSERT_STARTS(&p, 0, 200, 200);
    assert_string_equal(
        p.told, "@0 reservation 'SYSTEM.0' created on 4 nodes (4 tasks); ");
    play_close(&p);
}

/* Reservation R40, one line after the other. */
static void setres_of_tasks_needs_them_at_once_r40(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 2, 100));
    play_run(&p, "+1 setres -u john -d 50 TASKS==2\n"
                 "+1 setres -u mary -d 50 TASKS==2\n"
                 "+1 setres -u mary -d 50 -s +50 TASKS==2\n");
    assert_non_null(strstr(p.told, "'john.0' created on 2 nodes (2 tasks)"));
    assert_non_null(strstr(p.told, "@1 NO cannot select 2 tasks"));
    assert_non_null(strstr(p.told, "'mary.0' created on 2 nodes (2 tasks)"));
    assert_int_equal(p.r.refused, 1);
    assert_int_equal(p.h.diag.count, 1);
    assert_non_null(strstr(p.h.last, "s:2: setres: cannot select"));
    play_close(&p);
}

static void releaseres_by_name_or_by_what_it_is_named_after(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 1000, 4, 1000) JOB(2, 5, 10, 4, 2000) JOB(3, 6, 1, 1, 1));
    play_run(&p, "1 setres -n gap -s +1500 -d 9000 ALL\n"
                 "2 setres -n gap -s +2000 -d 9000 ALL\n"
                 "900 releaseres gap\n" /* the one that begins next */
                 "901 releaseres gap.1\n");
    assert_non_null(strstr(p.told, "@900 released User reservation 'gap.0'"));
    assert_non_null(strstr(p.told, "@901 released User reservation 'gap.1'"));
    ASSERT_STARTS(&p, 0, 1000, 1010);
    play_close(&p);
}

static void a_held_job_waits_until_it_is_released(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 4, 100) JOB(2, 10, 10, 4, 10) JOB(3, 20, 10, 4, 10));
    play_run(&p, "50 sethold -b 2\n300 releasehold 2\n");
    ASSERT_STARTS(&p, 0, 300, 100);
    play_close(&p);
}

static void several_jobs_are_meant_by_an_expression(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 4, 100) JOB(12, 10, 10, 4, 10) JOB(13, 20, 10, 4, 10)
                      JOB(2, 20, 10, 4, 10));
    play_run(&p, "50 canceljob '1[23]'\n60 sethold '1[123]' 2\n200 releasehold '.*'\n");
    assert_non_null(strstr(p.told, "@50 cancelled: 2 jobs"));
    assert_non_null(strstr(p.told, "@60 job holds adjusted: 1 job"));
    ASSERT_STARTS(&p, 0, -1, -1, 200);
    assert_int_equal(p.r.by_state[RUN_CANCELLED], 2);
    play_close(&p);
}

static void setspri_puts_a_job_in_front(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 4, 100) JOB(2, 10, 10, 4, 10) JOB(3, 20, 10, 4, 10));
    play_run(&p, "50 setspri 1 3\n");
    ASSERT_STARTS(&p, 0, 110, 100);
    play_close(&p);
}

static void canceljob_ends_a_running_job_at_once(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 1000, 4, 1000) JOB(2, 10, 10, 4, 10));
    play_run(&p, "50 canceljob 1\n60 canceljob 1\n");
    ASSERT_STARTS(&p, 0, 50);
    assert_int_equal(p.r.jobs[0].end_at, 50);
    assert_int_equal(p.r.jobs[0].state, RUN_CANCELLED);
    assert_int_equal(p.r.by_state[RUN_COMPLETED], 1);
    play_close(&p);
}

static void jobs_of_a_node_that_stays_down_are_lost(void **state)
{
    struct play p;

    (void)state;
    play_open(
        &p, JOB(1, 0, 1000, 1, 1000) JOB(2, 0, 1000, 1, 1000) JOB(3, 10, 5, 4, 5));
    play_run(&p, "100 node n1 down\n200 node n1 up\n"   /* back in time */
                 "300 node n2 down\n700 node n2 up\n"); /* not so */
    assert_int_equal(p.r.jobs[0].state, RUN_COMPLETED);
    assert_int_equal(p.r.jobs[1].state, RUN_CANCELLED);
    assert_int_equal(p.r.jobs[1].end_at, 300 + ENGINE_DOWN_GRACE_S);
    assert_int_equal(p.r.lost, 1);
    ASSERT_STARTS(&p, 0, 0, 1000);
    assert_non_null(strstr(p.told, "@600 job 2 is cancelled: node n2 is down"));
    play_close(&p);
}

/* n4 fails at 300: its job is lost at 600 and runs again on another node, from its
 * beginning. */
static void restartable_jobs_of_a_node_that_stays_down_run_again(void **state)
{
    struct play p;

    (void)state;
    for (int poll = 0; poll < 2; poll++) {
        play_open(&p, JOB(1, 0, 1000, 1, 1000) JOB(2, 0, 2000, 3, 2000));
        if (poll) {
            p.how.cycle = CYCLE_POLL;
            p.how.poll_s = 100;
        }
        play_run(&p, "0 changeparam USERCFG[DEFAULT] JOBFLAGS=RESTARTABLE\n"
                     "300 node n4 down\n");
        assert_int_equal(p.r.jobs[0].state, RUN_COMPLETED);
        ASSERT_STARTS(&p, 2000, 0);
        assert_int_equal(p.r.jobs[0].end_at, 3000);
        assert_int_equal(p.r.lost, 0);
        assert_int_equal(p.r.requeued, 1);
        assert_non_null(strstr(p.told, "@600 job 1 is requeued: node n4 is down"));
        play_close(&p);
    }
}

static void a_drained_node_takes_no_more_jobs(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 4, 100) JOB(2, 10, 10, 4, 10) JOB(3, 11, 10, 3, 10));
    play_run(&p, "50 node n4 drain\n500 node n4 up\n");
    assert_int_equal(p.r.by_state[RUN_COMPLETED], 3);
    ASSERT_STARTS(&p, 0, 500, 100);
    play_close(&p);
}

static void changed_parameters_hold_from_then_on(void **state)
{
    struct play p;

    (void)state;
    /* Without backfill job 3 waits behind job 2; with it, it starts. */
    play_open(&p, JOB(1, 0, 100, 3, 100) JOB(2, 10, 10, 4, 10) JOB(3, 20, 10, 1, 10));
    p.cfg->par.v[0].bf_policy = BACKFILL_NONE;
    play_run(&p, "60 changeparam BACKFILLPOLICY FIRSTFIT\n"
                 "60 changeparam BACKFILLTYPE=QUEUEORDER\n");
    ASSERT_STARTS(&p, 0, 100, 60);
    assert_string_equal(p.told, "@60 parameters modified; @60 parameters modified; ");
    play_close(&p);
}

/* ---- order ---- */

static void lines_come_after_completions_and_arrivals_and_before_the_cycle(void **state)
{
    for (int cycle = CYCLE_BATCH; cycle <= CYCLE_POLL; cycle++) {
        struct play p;

        if (cycle == CYCLE_EVENT) /* arrivals are scheduled at once there */
            continue;
        play_open(&p, JOB(1, 0, 100, 4, 100) JOB(2, 100, 10, 4, 10));
        p.how.cycle = (enum run_cycle)cycle;
        p.how.poll_s = 100;
        /* Job 1 is over, job 2 is there and has not started. */
        play_run(&p, "100 canceljob 1\n100 sethold 2\n200 releasehold 2\n");
        assert_non_null(strstr(p.told, "@100 NO job '1' is not in the queue"));
        ASSERT_STARTS(&p, 0, 200);
        play_close(&p);
    }
    (void)state;
}

static void every_event_gets_a_cycle_if_asked_for(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 100, 4, 100) JOB(2, 10, 10, 4, 10) JOB(3, 20, 10, 4, 10));
    p.how.cycle = CYCLE_EVENT;
    play_run(&p, "50 setspri 1 3\n50 sethold 2\n150 releasehold 2\n");
    ASSERT_STARTS(&p, 0, 150, 100);
    play_close(&p);
}

static void a_replay_ends_with_its_last_job(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 10, 100, 4, 100));
    play_run(&p, "0 setres -d 20 -s +5 ALL\n1000 setres ALL\n");
    assert_int_equal(p.r.told, 1);
    ASSERT_STARTS(&p, 25); /* relative to the line: [5, 25) */
    assert_int_equal(p.r.end_at, 125);
    play_close(&p);
}

/* ---- what is wrong ---- */

static void assert_told(const char *line, const char *words)
{
    struct play p;
    char want[40];

    play_open(&p, JOB(1001, 5, 1, 1, 1) JOB(1002, 6, 1, 1, 1));
    play_read(&p, line);
    snprintf(want, sizeof want, "s:1: ");
    if (p.h.diag.count == 0)
        fail_msg("%s was taken", line);
    if (strstr(p.h.last, words) == NULL || strncmp(p.h.last, want, 5) != 0)
        fail_msg("%s: %s", line, p.h.last);
    play_close(&p);
}

static void what_is_wrong_is_told_with_what_is_meant(void **state)
{
    (void)state;
    assert_told("soon setres ALL", "not a time");
    assert_told("1:00 setres ALL", "not a time");
    assert_told("+x setres ALL", "not a duration");
    assert_told("999999999999999 setres ALL", "");
    assert_told("5", "command is missing");
    assert_told("5 setrs ALL", "did you mean setres?");
    assert_told("5 frobnicate", "expected setres");
    assert_told("5 setres 'ALL", "not closed");
    assert_told("5 setres -u", "setres: -u");
    assert_told("5 setres n11", "no node matches 'n11'; did you mean n1");
    assert_told("5 setres -p bath ALL", "partition 'bath'");
    assert_told("5 setres -f fast ALL", "node feature 'fast'");
    assert_told("5 releaseres", "missing");
    assert_told("5 releaseres x.0", "cannot locate reservation 'x.0'");
    assert_told("5 sethold", "missing");
    assert_told("5 sethold -x 1001", "type of hold");
    assert_told("5 sethold 1003", "did you mean 1001?");
    assert_told("5 setspri 1", "missing");
    assert_told("5 setspri 1001 1001", "1000");
    assert_told("5 setspri -r x 1001", "");
    assert_told("5 setqos hi", "missing");
    assert_told("5 setqos hi 1001", "invalid QOS 'hi'");
    assert_told("5 canceljob 7", "no job '7'");
    assert_told("5 canceljob '(('", "no job");
    assert_told("5 node n1", "expected: node HOSTS STATE");
    assert_told("5 node n1 dwn", "did you mean down?");
    assert_told("5 node n9 down", "no node matches");
    assert_told("5 changeparam RESERVATIONDEPHT 1", "did you mean RESERVATIONDEPTH?");
    assert_told("5 changeparam RESERVATIONDEPTH", "PARAMETER VALUE");
    assert_told("5 changeparam RESERVATIONDEPTH x", "whole number");
    assert_told("5 config", "config FILE");
    assert_told("5 config /nowhere.cfg", "cannot be read");
}

static void every_wrong_line_is_told(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 0, 1, 1, 1));
    play_read(&p, "\n# nothing\n5 foo\n  \t\n6 canceljob 9\n7 node n7 down # x\n");
    assert_int_equal(p.h.diag.count, 3);
    play_close(&p);
}

static void lines_are_put_in_order_of_time(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, JOB(1, 100, 1, 1, 1));
    play_read(&p, "+20 setres -n c ALL\n115 setres -n b ALL\n+10 setres -n a ALL\n"
                  "115 setres -n bb ALL\n");
    assert_int_equal(p.s.events.n, 4);
    assert_string_equal(p.s.events.v[0].setres.name, "a");
    assert_string_equal(p.s.events.v[1].setres.name, "b");
    assert_string_equal(p.s.events.v[2].setres.name, "bb");
    assert_string_equal(p.s.events.v[3].setres.name, "c");
    assert_int_equal(p.s.events.v[3].at, 120);
    assert_string_equal(p.s.events.v[3].text, "setres -n c ALL");
    play_close(&p);
}

/* ---- corruption ---- */

static const char sound[] =
    "# a day\n"
    "+1:00:00 setres -s +2:00:00 -d 4:00:00 -u a:b,c* -g !d -n maint ALL\n"
    "100 setres -r PROCS=1;MEM=10 -x BYNAME -T 'start+10;cancel' 'n[1-2],^n4$'\n"
    "200 releaseres maint.0 maint\n"
    "+0:00:05:00 node n1,n2 down # and up again\n"
    "+0:00:06:00 node ALL up\n"
    "400 sethold -b '[12]'\n500 releasehold -a 1 2\n"
    "600 setspri -r -500 2\n700 canceljob \"1\"\n"
    "800 changeparam RESERVATIONDEPTH[1] 4 # comment\n"
    "800 changeparam SRCFG[x] HOSTLIST=n1 PERIOD=DAY DAYS=Mon,Tue\n";

static void corrupt(struct prng *rng, char *text, size_t *n)
{
    static const char bytes[] = " \t\n+-:,'\"#[](){}*.^$=;0129aDn\0\xff";

    for (uint64_t k = prng_below(rng, 6) + 1; k > 0 && *n > 1; k--) {
        size_t at = prng_below(rng, *n);
        char c = bytes[prng_below(rng, sizeof bytes - 1)];

        if (prng_below(rng, 3) == 0) {
            memmove(text + at, text + at + 1, *n - at - 1);
            --*n;
        } else {
            text[at] = c;
        }
    }
}

static void corrupt_scenarios_are_survived(void **state)
{
    struct prng rng;

    (void)state;
    prng_init(&rng, 2026);
    for (int round = 0; round < ROUNDS; round++) {
        char bad[sizeof sound];
        size_t n = sizeof sound - 1;
        struct play p;
        struct lines *in;
        struct scenario_clock clock = {0};
        struct err err;

        memcpy(bad, sound, n);
        corrupt(&rng, bad, &n);
        play_open(&p, JOB(1, 0, 900, 2, 1000) JOB(2, 10, 900, 4, 1000));
        clock.shift = workload_shift(&p.w);
        in = lines_open_memory("s", bad, n);
        if (scenario_read(in, &clock, &p.s, &p.h.diag, &err) < 0)
            fail_msg("%s", err.text);
        lines_close(in);
        scenario_settings(&p.s, NULL, &p.settings, &p.h.diag);
        scenario_bind(&p.s, &(struct scenario_world){&p.w, &p.machine, p.cfg, clock},
            &p.settings, &p.h.diag);
        assert_true(p.h.diag.count == 0 || strncmp(p.h.last, "s:", 2) == 0);
        p.how.until = 5000;
        if (run_replay(&p.w, &p.machine, p.cfg, &p.how, &p.r, &err) < 0)
            fail_msg("%s", err.text);
        play_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setres_keeps_jobs_out_r5),
        cmocka_unit_test(setres_of_tasks_needs_them_at_once_r40),
        cmocka_unit_test(releaseres_by_name_or_by_what_it_is_named_after),
        cmocka_unit_test(a_held_job_waits_until_it_is_released),
        cmocka_unit_test(several_jobs_are_meant_by_an_expression),
        cmocka_unit_test(setspri_puts_a_job_in_front),
        cmocka_unit_test(canceljob_ends_a_running_job_at_once),
        cmocka_unit_test(jobs_of_a_node_that_stays_down_are_lost),
        cmocka_unit_test(restartable_jobs_of_a_node_that_stays_down_run_again),
        cmocka_unit_test(a_drained_node_takes_no_more_jobs),
        cmocka_unit_test(changed_parameters_hold_from_then_on),
        cmocka_unit_test(
            lines_come_after_completions_and_arrivals_and_before_the_cycle),
        cmocka_unit_test(every_event_gets_a_cycle_if_asked_for),
        cmocka_unit_test(a_replay_ends_with_its_last_job),
        cmocka_unit_test(what_is_wrong_is_told_with_what_is_meant),
        cmocka_unit_test(every_wrong_line_is_told),
        cmocka_unit_test(lines_are_put_in_order_of_time),
        cmocka_unit_test(corrupt_scenarios_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
