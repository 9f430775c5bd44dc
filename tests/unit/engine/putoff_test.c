/* SPDX-License-Identifier: Apache-2.0
 * Promised starts that are put off: how often that is told, and when one is broken. */
#include "cmocka_all.h"
#include "engine/promises.h"
#include "scenario.h"

#include <stdio.h>

#define PLAN                                                                           \
    "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISESLACK 0\nDEFERTIME 0\n"        \
    "JOBMAXOVERRUN -1\nRMPOLLINTERVAL 60\n"

#define BEGIN 1000

static struct scenario *begin_told(const char *lines, bool by_node, bool starts_told)
{
    struct scenario *s = sc_create_with(lines);

    sc_options(s)->starts_told = starts_told;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, 1, 1);
    if (by_node)
        sc_force_by_node(s);
    return s;
}

static struct scenario *begin(const char *lines, bool by_node)
{
    return begin_told(lines, by_node, false);
}

static void add_job(struct scenario *s, const char *id, int64_t limit_s, int64_t run_s)
{
    sc_job(
        s, (struct sc_job){.id = id, .procs = 1, .limit_s = limit_s, .run_s = run_s});
}

static void add_wide_job(
    struct scenario *s, const char *id, uint32_t procs, int64_t limit_s)
{
    sc_job(s, (struct sc_job){.id = id, .procs = procs, .limit_s = limit_s});
}

static bool is_changed(struct scenario *s, const char *id)
{
    size_t n;
    const uint32_t *changed = engine_changed(sc_engine(s), &n);
    bool found = false;

    for (size_t i = 0; i < n; i++)
        found |= changed[i] == sc_find(s, id)->index;
    return found;
}

/* One runs on and on beyond its limit, the other is put off by a minute each minute;
 * or parameters are told in between, so that it is by this and by that. */
static void what_is_put_off_bit_by_bit_is_told_by_the_hour(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", kind % 2);
        struct actions acts = {0};
        int64_t told = BEGIN + 100;
        unsigned times = 0;
        add_job(s, "J", 100, 1000000);
        add_job(s, "K", 100, 100);
        sc_run_until(s, BEGIN);
        for (int64_t now = BEGIN + 160; now <= BEGIN + 4 * 3600; now += 60) {
            int64_t by = engine_promised_by(sc_engine(s), sc_find(s, "K"));
            acts.n = 0;
            if (kind >= 2 && now / 60 % 2)
                sc_configure(s, now / 60 % 4 == 1 ? PLAN "PROMISETIGHTEN FALSE\n"
                                                  : PLAN "PROMISETIGHTEN 0\n");
            engine_cycle(sc_engine(s), now, &acts);
            assert_true(by == engine_promised_by(sc_engine(s), sc_find(s, "K"))
                        || is_changed(s, "K"));
            for (size_t i = 0; i < acts.n; i++) {
                if (acts.v[i].kind != ACTION_PUT_OFF)
                    continue;
                times++;
                assert_int_equal(acts.v[i].was, told);
                told = acts.v[i].at;
            }
            assert_true(now < told + 3600);
        }
        assert_int_equal(times, 4);
        vec_fini(&acts);
        sc_destroy(s);
    }
}

/* Parameters that are read again are no others, in whatever order they are written. */
static void what_is_read_again_breaks_nothing(void **state)
{
    static const struct {
        const char *lines, *cause;
    } reads[] = {
        {PLAN "PROMISETIGHTEN FALSE\n", "overrun"},
        {"PROMISETIGHTEN FALSE\n" PLAN "# the same\n", "overrun"},
        {PLAN "PROMISETIGHTEN FALSE\nDEFERCOUNT 7\n", "settings"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        for (int by_node = 0; by_node < 2; by_node++) {
            struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", by_node);
            const char *why, *cause;
            add_job(s, "J", 100, 1000000);
            add_job(s, "K", 100, 100);
            struct actions acts = {0};
            sc_at(s, BEGIN);
            sc_configure(s, reads[i].lines);
            engine_cycle(sc_engine(s), BEGIN + 160, &acts);
            vec_fini(&acts);
            assert_int_equal(
                engine_promised_before(sc_engine(s), sc_find(s, "K"), &why, &cause),
                BEGIN + 100);
            assert_string_equal(cause, reads[i].cause);
            sc_destroy(s);
        }
}

/* Half of a node is in use until two others meet. The reservation would fit on that
 * node as well, by counts, but the second could not use it then. */
static void a_users_reservation_takes_nodes_that_put_off_nobody(void **state)
{
    const struct sc_rsv r = {.base = "mine",
        .tasks = 1,
        .start_at = BEGIN + 75,
        .end_at = BEGIN + 81,
        .who = "ann"};
    struct scenario *s =
        sc_create_with(PLAN "RESCTLPOLICY ANY\nNODEACCESSPOLICY SHARED\n");
    struct err err = {0};

    (void)state;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, 3, 2);
    add_wide_job(s, "half", 1, 61);
    sc_run_until(s, BEGIN);
    add_wide_job(s, "rest", 5, 49);
    sc_run_until(s, BEGIN);
    add_wide_job(s, "first", 3, 20);
    sc_run_until(s, BEGIN);
    add_wide_job(s, "second", 3, 17);
    sc_run_until(s, BEGIN + 1);
    assert_int_equal(
        engine_promised_by(sc_engine(s), sc_find(s, "second")), BEGIN + 61);
    assert_int_equal(sc_setres(s, &r, &err), 0);
    sc_run_until(s, BEGIN + 2);
    assert_int_equal(
        engine_promised_by(sc_engine(s), sc_find(s, "second")), BEGIN + 61);
    assert_int_equal(sc_setres(s, &r, &err), -1); /* of the other half */
    assert_string_equal(err.text, "cannot select 1 tasks for a reservation that begins "
                                  "in 00:01:15: 0 can be had; "
                                  "the first possible start is in 00:01:18");
    struct sc_rsv named = r;
    named.tasks = 0;
    named.hosts = "n1,n2,n3";
    assert_int_equal(sc_setres(s, &named, &err), -1);
    assert_string_equal(err.text,
        "jobs have these nodes, or are promised them, for a reservation that begins in "
        "00:01:15; the first possible start is in 00:01:18");
    sc_run(s);
    assert_int_equal(sc_start(s, "second"), BEGIN + 61);
    sc_destroy(s);
}

/* Who is told that it is held would look for who has held it. */
static void what_a_lost_node_makes_impossible_is_told_with_that(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++)
        for (int held = 0; held < 2; held++) {
            struct scenario *s =
                sc_begin("BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISESLACK 0\n",
                    2, 1, by_node);
            struct actions acts = {0};
            unsigned told = 0;
            sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 100});
            sc_job(s, (struct sc_job){.id = "K", .procs = 2, .limit_s = 100});
            sc_at(s, 1);
            assert_true(engine_promised_by(sc_engine(s), sc_find(s, "K")) > 0);
            sc_node_state(s, "n1", NODE_DOWN);
            if (held)
                sc_hold(s, "K", HOLD_USER, "root");
            engine_cycle(sc_engine(s), 2, &acts);
            for (size_t i = 0; i < acts.n; i++) {
                if (acts.v[i].kind != ACTION_PUT_OFF)
                    continue;
                told++;
                assert_int_equal(acts.v[i].at, 0);
                assert_string_equal(acts.v[i].text,
                    held ? "its promised start lapses: it is held"
                         : "its promised start lapses: nodes were lost or changed");
            }
            assert_int_equal(told, 1);
            assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")), 0);
            vec_fini(&acts);
            sc_destroy(s);
        }
}

/* Nothing is promised while the node is away, be it that the daemon was killed; then a
 * later start is, which is told; and the start counts as broken by that. Where the node
 * is back in time nothing was broken. */
static void what_a_lost_node_broke_is_known_until_the_start(void **state)
{
    (void)state;
    for (int way = 0; way < 8; way++) {
        bool by_node = way & 1, killed = way & 2, in_time = way & 4;
        struct scenario *s =
            sc_begin("BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISESLACK 0\n"
                     "DEFERTIME 0\n",
                2, 1, by_node);
        struct actions acts = {0};
        const char *why, *cause = "";
        struct stat_machine m;
        sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 100});
        sc_job(s, (struct sc_job){.id = "K", .procs = 2, .limit_s = 100});
        sc_at(s, 1);
        const struct job *k = sc_find(s, "K");
        int64_t back = in_time ? 50 : 500, was = engine_promised_by(sc_engine(s), k);
        sc_node_state(s, "n1", NODE_DOWN);
        sc_at(s, 2);
        if (killed)
            sc_restart(s);
        sc_at(s, 3);
        k = sc_find(s, "K");
        assert_int_equal(engine_promised_by(sc_engine(s), k), 0);
        assert_int_equal(engine_promised_before(sc_engine(s), k, &why, &cause), was);
        assert_string_equal(cause, "nodes");
        if (in_time)
            sc_job(s, (struct sc_job){.id = "L", .procs = 1, .limit_s = 10});
        sc_at(s, back - 1);
        sc_node_state(s, "n1", NODE_IDLE);
        engine_cycle(sc_engine(s), back, &acts);
        unsigned told = 0;
        for (size_t i = 0; i < acts.n; i++)
            told += acts.v[i].kind == ACTION_PUT_OFF && acts.v[i].was == was
                    && acts.v[i].at == back;
        assert_int_equal(told, in_time ? 0 : 1);
        sc_run(s);
        statistics_machine(engine_statistics(sc_engine(s)), sc_now(s), &m);
        assert_int_equal(m.promises.broken[CAUSE_NODES], in_time ? 0 : 1);
        assert_int_equal(m.promises.lapsed, 0);
        vec_fini(&acts);
        sc_destroy(s);
    }
}

/* What there is was told anew, which is no other world. */
static void a_restart_breaks_no_promise(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", by_node);
        const char *why, *cause;
        add_job(s, "J", 100, 1000000);
        add_job(s, "K", 100, 100);
        sc_at(s, BEGIN);
        sc_at(s, BEGIN + 160);
        assert_int_equal(
            engine_promised_before(sc_engine(s), sc_find(s, "K"), &why, &cause),
            BEGIN + 100);
        sc_restart(s);
        struct actions acts = {0};
        engine_cycle(sc_engine(s), BEGIN + 220, &acts);
        for (size_t i = 0; i < acts.n; i++)
            assert_int_not_equal(acts.v[i].kind, ACTION_PUT_OFF);
        vec_fini(&acts);
        assert_int_equal(
            engine_promised_before(sc_engine(s), sc_find(s, "K"), &why, &cause),
            BEGIN + 100);
        assert_string_equal(cause, "overrun");
        sc_destroy(s);
    }
}

static void reserve_from_990(struct scenario *s)
{
    struct err err;

    add_job(s, "J", 1000, 500);
    add_job(s, "K", 100, 100);
    sc_run_until(s, BEGIN);
    assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")), BEGIN + 1000);
    assert_int_equal(sc_setres(s,
                         &(struct sc_rsv){.base = "r",
                             .hosts = "n1",
                             .start_at = BEGIN + 990,
                             .end_at = BEGIN + 5000},
                         &err),
        0);
    sc_at(s, BEGIN + 100);
    assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")), BEGIN + 5000);
}

/* What it runs behind ends early. */
static void who_starts_by_the_first_promise_was_kept_it(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", by_node);
        reserve_from_990(s);
        sc_run_until(s, BEGIN + 600);
        assert_int_equal(sc_start(s, "K"), BEGIN + 500);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
        sc_destroy(s);
    }
}

static void a_promise_that_is_as_early_again_was_never_broken(void **state)
{
    struct scenario *s = begin(PLAN "PROMISETIGHTEN TRUE\n", false);
    const char *why, *cause;
    struct err err;

    (void)state;
    reserve_from_990(s);
    assert_int_equal(
        engine_promised_before(sc_engine(s), sc_find(s, "K"), &why, &cause),
        BEGIN + 1000);
    assert_int_equal(sc_releaseres(s, "r.0", &err), 0);
    sc_at(s, BEGIN + 200);
    assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")), BEGIN + 1000);
    assert_int_equal(
        engine_promised_before(sc_engine(s), sc_find(s, "K"), &why, &cause), 0);
    sc_destroy(s);
}

/* Its start failed: nothing was kept yet. Where its nodes are held for it, it is
 * promised the same as before; where it is paused, nothing until then. */
static void a_start_that_fails_has_kept_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        bool retries = way & 1;
        struct scenario *s =
            begin(retries ? PLAN "PROMISETIGHTEN FALSE\nRESERVATIONRETRYTIME 300\n"
                          : PLAN "PROMISETIGHTEN FALSE\n",
                way & 2);
        struct stat_machine m;
        add_job(s, "J", 1000, 100);
        add_job(s, "K", 100, 100);
        sc_refuse_starts(s, "K", 1);
        sc_run_until(s, BEGIN);
        int64_t by = engine_promised_by(sc_engine(s), sc_find(s, "K"));
        assert_int_equal(by, BEGIN + 1000);
        sc_at(s, BEGIN + 100); /* K is tried, and refused */
        assert_int_equal(sc_starts(s, "K"), 1);
        assert_int_equal(
            engine_promised_by(sc_engine(s), sc_find(s, "K")), retries ? by : 0);
        statistics_machine(engine_statistics(sc_engine(s)), sc_now(s), &m);
        assert_int_equal(m.promises.kept, 1); /* J */
        sc_run(s);
        assert_in_range(sc_start(s, "K"), BEGIN + 101, by);
        statistics_machine(engine_statistics(sc_engine(s)), sc_now(s), &m);
        assert_int_equal(m.promises.kept, 2);
        assert_int_equal(m.promises.lapsed, retries ? 0 : 1);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
        sc_destroy(s);
    }
}

/* A quarter of the slack is of a band above the normal one, four times that of one
 * below: normal are jobs without a QOS, whether or not one of such a priority is there.
 */
static void bands_count_from_jobs_without_a_qos(void **state)
{
    struct scenario *s =
        begin("BACKFILLPOLICY PLAN\nPROMISESLACK 4:00:00\nDEFERTIME 0\n"
              "QOSWEIGHT 1\nQUEUETIMEWEIGHT 1\n"
              "QOSCFG[high] PRIORITY=10000\nQOSCFG[low] PRIORITY=-10000\n"
              "USERCFG[DEFAULT] QLIST=high,low\n",
            false);

    (void)state;
    add_job(s, "running", 100, 100);
    sc_run_until(s, BEGIN);
    sc_job(
        s, (struct sc_job){.id = "above", .procs = 1, .limit_s = 100, .qos = "high"});
    add_job(s, "plain", 100, 100);
    sc_job(s, (struct sc_job){.id = "below", .procs = 1, .limit_s = 100, .qos = "low"});
    sc_run_until(s, BEGIN + 1);
    static const struct {
        const char *id;
        int64_t slack_s;
    } want[] = {{"above", 3600}, {"plain", 4 * 3600}, {"below", 16 * 3600}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        int64_t by = engine_promised_by(sc_engine(s), sc_find(s, want[i].id));
        assert_in_range(by - BEGIN - want[i].slack_s, 100, 300); /* its start */
    }
    sc_destroy(s);
}

/* K begins when J ends, in 1000 s: a quarter of that is added to the slack; L behind
 * it.
 */
static void who_waits_long_has_a_share_of_that_as_slack(void **state)
{
    static const char *const horizons[] = {"SUBMIT\nPROMISETIGHTEN FALSE\n", "SUBMIT\n",
        "6:00:00\n", "6:00:00\nPROMISETIGHTEN TRUE\n"};

    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        char lines[300];
        snprintf(lines, sizeof lines,
            "BACKFILLPOLICY PLAN\nDEFERTIME 0\nPROMISESLACK 100\nPROMISESLACKSHARE "
            "0.25\n"
            "PROMISEHORIZON %s",
            horizons[kind / 2]);
        struct scenario *s = begin(lines, kind % 2);
        add_job(s, "J", 1000, 1000);
        sc_run_until(s, BEGIN);
        add_job(s, "K", 100, 100);
        add_job(s, "L", 100, 100);
        sc_run_until(s, BEGIN);
        assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")),
            BEGIN + 1000 + 100 + 250);
        assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "L")),
            BEGIN + 1100 + 100 + 275);
        sc_destroy(s);
    }
}

/* K starts as was promised, and is on its way: of a scenario in which starts are told.
 */
static int64_t send_k_on_its_way(struct scenario *s)
{
    struct actions acts = {0};
    struct event end = {
        .kind = EVENT_END, .at = BEGIN, .u.end = {.id = "J", .how = EV_COMPLETE}};
    struct err err;

    add_job(s, "J", 1000, 1000);
    add_job(s, "K", 100, 100);
    sc_run_until(s, BEGIN);
    int64_t by = engine_promised_by(sc_engine(s), sc_find(s, "K"));
    assert_int_equal(engine_apply(sc_engine(s), &end, NULL, &err), 0);
    engine_cycle(sc_engine(s), BEGIN, &acts);
    vec_fini(&acts);
    assert_int_equal(sc_find(s, "K")->state, JOB_STARTING);
    return by;
}

static void a_start_that_fails_after_a_restart_has_kept_nothing(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = begin_told(
            PLAN "PROMISETIGHTEN FALSE\nRESERVATIONRETRYTIME 300\n", by_node, true);
        struct err err;
        int64_t by = send_k_on_its_way(s);
        sc_restart(s);
        assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")), 0);
        const struct event failed = {
            .kind = EVENT_START_FAILED, .at = BEGIN + 111, .u.failed = {.id = "K"}};
        assert_int_equal(engine_apply(sc_engine(s), &failed, NULL, &err), 0);
        assert_int_equal(engine_promised_by(sc_engine(s), sc_find(s, "K")), by);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
        sc_destroy(s);
    }
}

static const struct job_place on_n1 = {"n1", 1, 0};

/* A job, as its resource manager tells it after a restart. */
static struct job *come_back(struct scenario *s, enum job_state state,
    const struct job_place *place, const struct job_memory *m)
{
    static const struct req_desc one_task = {.tasks = 1};
    struct event ev = {.kind = EVENT_SUBMIT,
        .at = BEGIN + 200,
        .u.job = {.id = "K",
            .state = state,
            .wclimit_s = 100,
            .reqs = &one_task,
            .nreqs = 1,
            .places = place,
            .nplaces = place != NULL,
            .memory = m}};
    struct event_result result = {0};
    struct err err;

    assert_int_equal(engine_apply(sc_engine(s), &ev, &result, &err), 0);
    return result.job;
}

static int64_t promised_when_it_is(
    enum job_state state, const struct job_place *place, const struct job_memory *m)
{
    struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", false);
    int64_t by = engine_promised_by(sc_engine(s), come_back(s, state, place, m));

    sc_destroy(s);
    return by;
}

/* It was sent back to the queue while the daemon was away: a start that went well stays
 * kept, one of which nobody knows does not. */
static void a_job_that_ran_and_waits_after_a_restart_was_kept_its_promise(void **state)
{
    (void)state;
    struct scenario *s = begin_told(PLAN "PROMISETIGHTEN FALSE\n", false, true);
    struct err err;
    int64_t by = send_k_on_its_way(s);
    struct job_memory m = engine_memory_of(sc_engine(s), sc_find(s, "K"));
    assert_int_equal(m.start_counted, BEGIN);
    assert_int_equal(promised_when_it_is(JOB_IDLE, NULL, &m), by);

    const struct event runs = {.kind = EVENT_JOB_STATE,
        .at = BEGIN + 91,
        .u.job_state = {.id = "K", .state = JOB_RUNNING}};
    assert_int_equal(engine_apply(sc_engine(s), &runs, NULL, &err), 0);
    m = engine_memory_of(sc_engine(s), sc_find(s, "K"));
    assert_int_equal(promised_when_it_is(JOB_IDLE, NULL, &m), 0);
    sc_destroy(s);
}

/* Its start went well: it was suspended since, or runs where nobody knows. */
static void a_job_that_has_begun_by_a_restart_was_kept_its_promise(void **state)
{
    static const struct job_place unknown = {"n9", 1, 0};
    struct scenario *s = begin_told(PLAN "PROMISETIGHTEN FALSE\n", false, true);

    (void)state;
    send_k_on_its_way(s);
    struct job_memory m = engine_memory_of(sc_engine(s), sc_find(s, "K"));
    assert_int_equal(promised_when_it_is(JOB_SUSPENDED, &on_n1, &m), 0);
    assert_int_equal(promised_when_it_is(JOB_RUNNING, &unknown, &m), 0);
    sc_destroy(s);
}

/* The resource manager told too early that it waits. */
static void a_start_that_is_seen_late_counts(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct scenario *before =
            begin_told(PLAN "PROMISETIGHTEN FALSE\n", false, true);
        struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", false);
        struct stat_machine was, is;
        struct err err;
        send_k_on_its_way(before);
        struct job_memory m = engine_memory_of(sc_engine(before), sc_find(before, "K"));
        come_back(s, JOB_IDLE, NULL, &m);
        statistics_machine(engine_statistics(sc_engine(s)), BEGIN + 200, &was);
        const struct event runs = {.kind = EVENT_JOB_STATE,
            .at = BEGIN + (late ? 3000 : 201),
            .u.job_state = {
                .id = "K", .state = JOB_RUNNING, .places = &on_n1, .nplaces = 1}};
        assert_int_equal(engine_apply(sc_engine(s), &runs, NULL, &err), 0);
        statistics_machine(engine_statistics(sc_engine(s)), BEGIN + 200, &is);
        assert_int_equal(is.promises.kept - was.promises.kept, !late);
        assert_int_equal(engine_stats(sc_engine(s))->broken_promises, late);
        sc_destroy(s);
        sc_destroy(before);
    }
}

/* That was broken, and counted, in a former life. */
static void what_is_taken_back_of_a_former_life_was_not_counted_in_this_one(
    void **state)
{
    struct scenario *s = begin(PLAN "PROMISETIGHTEN FALSE\n", false);
    struct job_memory m = {.start_counted = BEGIN + 50, .start_by = BEGIN + 10};
    struct sc_rsv r = {
        .base = "r", .hosts = "n1", .start_at = BEGIN + 990, .end_at = BEGIN + 5000};
    struct err err;

    (void)state;
    add_job(s, "J", 1000, 1000);
    add_job(s, "L", 100, 100);
    sc_run_until(s, BEGIN);
    assert_int_equal(sc_setres(s, &r, &err), 0);
    sc_run_until(s, BEGIN + 5000);
    assert_int_equal(sc_start(s, "L"), BEGIN + 5000);
    assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 1);
    const struct job *k = come_back(s, JOB_IDLE, NULL, &m);
    assert_int_equal(engine_promised_by(sc_engine(s), k), BEGIN + 10);
    assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 1);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_count_from_jobs_without_a_qos),
        cmocka_unit_test(who_waits_long_has_a_share_of_that_as_slack),
        cmocka_unit_test(what_is_put_off_bit_by_bit_is_told_by_the_hour),
        cmocka_unit_test(what_is_read_again_breaks_nothing),
        cmocka_unit_test(a_users_reservation_takes_nodes_that_put_off_nobody),
        cmocka_unit_test(what_a_lost_node_makes_impossible_is_told_with_that),
        cmocka_unit_test(what_a_lost_node_broke_is_known_until_the_start),
        cmocka_unit_test(a_restart_breaks_no_promise),
        cmocka_unit_test(who_starts_by_the_first_promise_was_kept_it),
        cmocka_unit_test(a_promise_that_is_as_early_again_was_never_broken),
        cmocka_unit_test(a_start_that_fails_has_kept_nothing),
        cmocka_unit_test(a_start_that_fails_after_a_restart_has_kept_nothing),
        cmocka_unit_test(a_job_that_ran_and_waits_after_a_restart_was_kept_its_promise),
        cmocka_unit_test(a_job_that_has_begun_by_a_restart_was_kept_its_promise),
        cmocka_unit_test(a_start_that_is_seen_late_counts),
        cmocka_unit_test(
            what_is_taken_back_of_a_former_life_was_not_counted_in_this_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
