/* SPDX-License-Identifier: Apache-2.0
 * Replays: the order of events, the ways to cycle, and what becomes of jobs. */
#include "kit.h"
#include "sim/run.h"

#include <stdlib.h>

static const struct workload_rules rules = {.overrun = OVERRUN_KILL, .procs = 1000};

/* A replay on `procs` nodes of one processor, or those of *machine. */
struct play {
    struct workload w;
    struct run_result r;
    struct settings *cfg;
    struct machine machine;
    struct run_options how;
    struct heard h;
};

static void play_open(struct play *p, int64_t procs)
{
    *p = (struct play){
        .cfg = kit_easy(), .machine = {.nodes = procs, .procs_per_node = 1}};
    p->how.until = TIME_NEVER;
    p->how.diag = &p->h.diag;
}

static void play_run(struct play *p)
{
    struct err err;

    if (run_replay(&p->w, &p->machine, p->cfg, &p->how, &p->r, &err) < 0)
        fail_msg("%s", err.text);
}

static void play_swf(struct play *p, const char *text)
{
    kit_read_swf(&p->w, text, &rules, &p->h);
    play_run(p);
}

static void play_close(struct play *p)
{
    run_result_fini(&p->r);
    settings_destroy(p->cfg);
    workload_fini(&p->w);
}

/* Short SWF: id submit run procs estimate. */
#define JOB(id, submit, run, procs, estimate)                                          \
#id " " #submit " -1 " #run " " #procs " -1 -1 " #procs " " #estimate              \
        " -1 1 1 1 -1 1 -1 -1 -1\n"

static void jobs_run_one_after_the_other(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    play_swf(&p, JOB(1, 0, 50, 4, 60) JOB(2, 10, 20, 4, 20) JOB(3, 20, 5, 1, 9));
    assert_int_equal(p.r.jobs[0].start_at, 0);
    assert_int_equal(p.r.jobs[0].end_at, 50);
    assert_int_equal(p.r.jobs[1].start_at, 50);
    assert_int_equal(p.r.jobs[2].start_at, 70);
    assert_int_equal(p.r.jobs[2].end_at, 75);
    assert_int_equal(p.r.by_state[RUN_COMPLETED], 3);
    assert_int_equal(p.r.started, 3);
    assert_int_equal(p.r.end_at, 75);
    play_close(&p);
}

/* At 50 job 1 ends and job 2 comes: one cycle sees both. */
static void completions_come_before_arrivals_of_the_same_instant(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    play_swf(&p, JOB(1, 0, 50, 4, 60) JOB(2, 50, 20, 4, 20));
    assert_int_equal(p.r.jobs[1].start_at, 50);
    assert_int_equal(p.r.cycles, 3); /* at 0, 50 and 70 */
    play_close(&p);
}

static void jobs_of_one_instant_keep_the_order_of_the_trace(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    play_swf(&p, JOB(8, 0, 50, 4, 50) JOB(9, 0, 30, 4, 30) JOB(10, 0, 10, 4, 10));
    assert_int_equal(p.r.jobs[0].start_at, 0);
    assert_int_equal(p.r.jobs[1].start_at, 50);
    assert_int_equal(p.r.jobs[2].start_at, 80);
    play_close(&p);
}

/* Job 1 ends early at 40, when the narrow job 3 arrives before the wide job 2 has got
 * its chance: with a cycle after each event, 3 is backfilled onto the two processors
 * that were free all along, and 2 must wait for it. */
static void a_cycle_after_each_event_sees_arrivals_first(void **state)
{
    static const char text[] =
        JOB(1, 0, 40, 2, 100) JOB(2, 10, 50, 4, 50) JOB(3, 40, 60, 2, 60);
    struct play p;

    (void)state;
    play_open(&p, 4);
    play_swf(&p, text);
    assert_int_equal(p.r.jobs[1].start_at, 40);
    assert_int_equal(p.r.jobs[2].start_at, 90);
    play_close(&p);
    play_open(&p, 4);
    p.how.cycle = CYCLE_EVENT;
    play_swf(&p, text);
    assert_int_equal(p.r.jobs[2].start_at, 40);
    assert_int_equal(p.r.jobs[1].start_at, 100);
    play_close(&p);
}

static void polling_starts_jobs_at_multiples_of_the_interval(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    p.how.cycle = CYCLE_POLL;
    p.how.poll_s = 30;
    play_swf(&p, JOB(1, 5, 50, 4, 60) JOB(2, 10, 20, 4, 20) JOB(3, 1000, 5, 1, 9));
    assert_int_equal(p.r.jobs[0].start_at, 5); /* the first poll is at the first job */
    assert_int_equal(p.r.jobs[0].end_at, 55);
    assert_int_equal(p.r.jobs[1].start_at, 65);
    assert_int_equal(p.r.jobs[2].start_at, 1025);
    assert_true(p.r.cycles < 12); /* idle times are skipped */
    play_close(&p);
}

static void until_stops_the_clock(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    p.how.until = 60;
    play_swf(&p, JOB(1, 0, 50, 4, 60) JOB(2, 10, 20, 4, 20) JOB(3, 20, 5, 4, 9)
                     JOB(4, 61, 5, 4, 9));
    assert_int_equal(p.r.jobs[0].state, RUN_COMPLETED);
    assert_int_equal(p.r.jobs[1].state, RUN_RUNNING);
    assert_int_equal(p.r.jobs[1].start_at, 50);
    assert_int_equal(p.r.jobs[1].end_at, 70); /* as planned */
    assert_int_equal(p.r.jobs[2].state, RUN_WAITING);
    assert_int_equal(p.r.jobs[2].start_at, -1);
    assert_int_equal(p.r.jobs[3].state, RUN_NOT_SUBMITTED);
    play_close(&p);
}

static void an_empty_workload_ends_at_once(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    play_swf(&p, "; nothing\n");
    assert_int_equal(p.r.cycles, 0);
    play_close(&p);
}

static void what_can_never_start_is_left_waiting_with_a_reason(void **state)
{
    uint64_t stuck = 0;
    struct play p;

    (void)state;
    play_open(&p, 4);
    play_swf(&p, JOB(1, 0, 50, 5, 60) JOB(2, 10, 20, 4, 20));
    assert_int_equal(p.r.jobs[0].state, RUN_WAITING);
    assert_int_equal(p.r.jobs[1].state, RUN_COMPLETED);
    for (int i = 0; i < WAIT_CODES; i++) {
        stuck += p.r.stuck[i].jobs;
        if (p.r.stuck[i].jobs > 0)
            assert_true(p.r.stuck[i].text[0] != '\0');
    }
    assert_int_equal(stuck, 1);
    play_close(&p);
}

static void of_very_many_left_the_first_are_asked_why(void **state)
{
    char *text;
    size_t size;
    uint64_t stuck = 0;
    struct play p;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    for (int i = 1; i <= STUCK_ASKED + 3; i++)
        fprintf(out, "%d 0 -1 50 5 -1 -1 5 60 -1 1 1 1 -1 1 -1 -1 -1\n", i);
    fclose(out);
    play_open(&p, 4);
    play_swf(&p, text);
    for (int i = 0; i < WAIT_CODES; i++)
        stuck += p.r.stuck[i].jobs;
    assert_int_equal(stuck, STUCK_ASKED);
    assert_int_equal(p.r.stuck_unasked, 3);
    play_close(&p);
    free(text);
}

/* A Maui record: id, tasks, limit, submit, completion, flags, required hosts. */
#define RECORD(id, tasks, limit, submit, end, flags, hosts)                            \
    id " 0 " tasks " ann bio " limit " Completed [batch:1] " submit " " submit         \
       " " submit " " end " [NONE] [NONE] [NONE] >= 0 >= 0 [NONE] " submit " " tasks   \
       " -1 [NONE] " flags " [NONE] [NONE] [NONE] -1 0 DEFAULT 1 0 0 0 0 0 [NONE] "    \
       "[NONE] " hosts " [NONE] [NONE] [NONE] [NONE]\n"

static void a_job_that_will_not_queue_is_cancelled(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    kit_read_maui(&p.w,
        RECORD("a", "4", "60", "100", "150", "[NONE]", "[NONE]")
            RECORD("b", "4", "60", "110", "150", "[NOQUEUE]", "[NONE]"),
        &rules, &p.h);
    play_run(&p);
    assert_int_equal(p.r.jobs[0].state, RUN_COMPLETED);
    assert_int_equal(p.r.jobs[1].state, RUN_CANCELLED);
    assert_int_equal(p.r.jobs[1].start_at, -1);
    play_close(&p);
}

static void a_job_the_scheduler_refuses_is_told_with_its_line(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    kit_read_maui(&p.w,
        RECORD("a", "4", "60", "100", "150", "[NONE]", "[NONE]")
            RECORD("b", "1", "60", "110", "150", "[NONE]", "nowhere"),
        &rules, &p.h);
    play_run(&p);
    assert_int_equal(p.r.jobs[0].state, RUN_COMPLETED);
    assert_int_equal(p.r.jobs[1].state, RUN_REFUSED);
    assert_int_equal(p.h.diag.count, 1);
    assert_memory_equal(p.h.last, "t:2: job b is refused: ", 23);
    assert_non_null(strstr(p.h.last, "nowhere"));
    play_close(&p);
}

static void run_times_follow_the_scaling_and_accuracy_settings(void **state)
{
    struct play p;

    (void)state;
    play_open(&p, 4);
    p.cfg->sim_wc_scaling_percent = 200;
    play_swf(&p, JOB(1, 0, 50, 4, 60));
    assert_int_equal(p.r.jobs[0].end_at, 100);
    play_close(&p);
    play_open(&p, 4);
    p.cfg->sim_wc_accuracy = 0.5;
    play_swf(&p, JOB(1, 0, 50, 4, 60));
    assert_int_equal(p.r.jobs[0].end_at, 30);
    play_close(&p);
}

struct kinds {
    int of[ACTION_RELEASE + 1];
    int64_t last_at;
};

static void count_decision(void *ctx, const struct run_decision *d)
{
    struct kinds *k = ctx;

    assert_non_null(d->job);
    assert_string_equal(d->now->id, d->job->id);
    assert_true(d->at >= k->last_at);
    k->last_at = d->at;
    k->of[d->action->kind]++;
    if (d->action->kind == ACTION_RESERVE)
        assert_true(d->target_at > d->at);
}

static void decisions_are_told_as_they_are_made(void **state)
{
    struct kinds k = {.last_at = -1};
    struct play p;

    (void)state;
    play_open(&p, 4);
    p.how.decided = count_decision;
    p.how.ctx = &k;
    play_swf(&p, JOB(1, 0, 50, 3, 60) JOB(2, 10, 20, 4, 20) JOB(3, 15, 20, 4, 20)
                     JOB(4, 20, 5, 1, 9));
    assert_int_equal(k.of[ACTION_START], 4);
    assert_true(k.of[ACTION_RESERVE] >= 1);
    assert_int_equal(p.r.backfilled, 1);
    play_close(&p);
}

static void equal_input_gives_equal_results(void **state)
{
    struct play a, b;
    static const char text[] = JOB(1, 0, 50, 3, 60) JOB(2, 0, 20, 4, 20)
        JOB(3, 20, 5, 1, 9) JOB(4, 20, 50, 1, 90) JOB(5, 50, 7, 2, 9);

    (void)state;
    play_open(&a, 4);
    play_open(&b, 4);
    play_swf(&a, text);
    play_swf(&b, text);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(a.r.jobs[i].start_at, b.r.jobs[i].start_at);
        assert_int_equal(a.r.jobs[i].end_at, b.r.jobs[i].end_at);
    }
    assert_int_equal(a.r.cycles, b.r.cycles);
    play_close(&a);
    play_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_workload_ends_at_once),
        cmocka_unit_test(a_job_the_scheduler_refuses_is_told_with_its_line),
        cmocka_unit_test(what_can_never_start_is_left_waiting_with_a_reason),
        cmocka_unit_test(of_very_many_left_the_first_are_asked_why),
        cmocka_unit_test(jobs_run_one_after_the_other),
        cmocka_unit_test(completions_come_before_arrivals_of_the_same_instant),
        cmocka_unit_test(jobs_of_one_instant_keep_the_order_of_the_trace),
        cmocka_unit_test(a_cycle_after_each_event_sees_arrivals_first),
        cmocka_unit_test(polling_starts_jobs_at_multiples_of_the_interval),
        cmocka_unit_test(until_stops_the_clock),
        cmocka_unit_test(a_job_that_will_not_queue_is_cancelled),
        cmocka_unit_test(run_times_follow_the_scaling_and_accuracy_settings),
        cmocka_unit_test(decisions_are_told_as_they_are_made),
        cmocka_unit_test(equal_input_gives_equal_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
