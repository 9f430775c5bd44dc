/* SPDX-License-Identifier: Apache-2.0
 * Questions without side effects: engine/query. */
#include "cmocka_all.h"
#include "engine/asker.h"
#include "engine/outlook.h"
#include "engine/query.h"
#include "example.h"

#include <stdio.h>
#include <string.h>

/* Four processors: all busy until 100, then two are reserved until 150. */
static const struct example busy = {.nodes = 4,
    .jobs = {{.id = "run", .procs = 3, .limit = 100, .priority = 30},
        {.id = "wide", .procs = 4, .limit = 50, .priority = 20},
        {.id = "low", .procs = 2, .limit = 500, .priority = 10}}};

static struct query_start start_of(struct scenario *s, const char *id)
{
    struct query_start q = {.start_at = -1};

    query_job_start(sc_engine(s), sc_find(s, id), 0, sc_now(s), &q);
    return q;
}

static int64_t earliest(struct scenario *s, struct query_ask ask)
{
    struct query_start q;
    struct err err = {0};
    bool found;

    if (query_start(sc_engine(s), &ask, sc_now(s), &found, &q, &err) < 0)
        fail_msg("%s", err.text);
    return found ? q.start_at : -1;
}

static void a_job_starts_when_it_runs_is_reserved_or_fits(void **state)
{
    (void)state;
    BOTH_WAYS(s, busy)
    {
        sc_at(s, 10);
        assert_int_equal(start_of(s, "run").method, QUERY_RUNNING);
        assert_int_equal(start_of(s, "run").start_at, 0);
        assert_int_equal(start_of(s, "wide").method, QUERY_RESERVATION);
        assert_int_equal(start_of(s, "wide").start_at, 100);
        assert_int_equal(start_of(s, "wide").end_at, 150);
        assert_int_equal(start_of(s, "low").method, QUERY_EARLIEST);
        assert_int_equal(start_of(s, "low").start_at, 150);
        assert_int_equal(start_of(s, "low").end_at, 650);
    }
}

/* The end of its deferral is not when it starts: it is deferred again then. */
static void a_job_over_a_hard_limit_by_itself_has_no_start(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("USERCFG[u] MAXPROC=2\n");
    struct query_start q;

    sc_nodes(s, 4, 1);
    sc_job(s, (struct sc_job){.id = "over", .procs = 3, .limit_s = 10, .user = "u"});
    sc_job(s, (struct sc_job){.id = "fits", .procs = 2, .limit_s = 10, .user = "u"});
    sc_job(s, (struct sc_job){.id = "next", .procs = 2, .limit_s = 10, .user = "u"});
    sc_at(s, 5);
    assert_int_equal(sc_find(s, "over")->holds, HOLD_DEFER);
    assert_false(query_job_start(sc_engine(s), sc_find(s, "over"), 0, 5, &q));
    assert_true(query_job_start(sc_engine(s), sc_find(s, "next"), 0, 5, &q));
    sc_destroy(s);
}

/* Whom nothing was promised: one after the other, as they then start; and nothing is
 * decided otherwise for it. */
static void a_forecast_is_when_jobs_start_if_all_run_to_their_limits(void **state)
{
    static const char *const ids[] = {"low", "last"};

    (void)state;
    BOTH_WAYS(s, busy)
    {
        struct query_places places = {0};
        uint32_t jobs[2];
        int64_t starts[2];
        sc_job(
            s, (struct sc_job){.id = "last", .procs = 4, .limit_s = 10, .priority = 5});
        sc_at(s, 10);
        for (int i = 0; i < 2; i++)
            jobs[i] = sc_find(s, ids[i])->index;
        struct outlook *f = outlook_begin(sc_engine(s), jobs, 2);
        while (outlook_more(f, 1))
            ;
        for (int i = 0; i < 2; i++)
            starts[i] = outlook_start(f, (size_t)i);
        outlook_places(f, &places);
        assert_int_equal(places.n, 4 + 2 + 4); /* of "wide" as well */
        vec_fini(&places);
        outlook_end(f);
        assert_int_equal(starts[0], 150);
        assert_int_equal(starts[1], 650);
        sc_run(s);
        for (int i = 0; i < 2; i++)
            assert_int_equal(sc_start(s, ids[i]), starts[i]);
    }
}

static void a_forecast_is_of_jobs_that_can_wait_for_something(void **state)
{
    (void)state;
    BOTH_WAYS(s, busy)
    {
        uint32_t job;
        sc_job(s, (struct sc_job){
                      .id = "held", .procs = 1, .limit_s = 10, .holds = HOLD_USER});
        assert_null(outlook_begin(sc_engine(s), NULL, 0)); /* nothing was planned */
        sc_at(s, 10);
        job = sc_find(s, "held")->index;
        struct outlook *f = outlook_begin(sc_engine(s), &job, 1);
        assert_false(outlook_more(f, 100));
        assert_int_equal(outlook_start(f, 0), 0);
        outlook_end(f);
        outlook_end(NULL);
    }
}

struct expected {
    struct scenario *s;
    const char *without; /* a job that is not asked for; NULL = none */
    int left;            /* searches */
    char text[200];
};

static bool is_wanted(void *ctx, const struct job *j)
{
    struct expected *x = ctx;

    return !x->without || strcmp(j->id, x->without) != 0;
}

static bool goes_on(void *ctx)
{
    struct expected *x = ctx;

    return --x->left > 0;
}

static void note_expected(void *ctx, const struct job *j, int64_t start_at)
{
    struct expected *x = ctx;
    size_t n = strlen(x->text);

    snprintf(x->text + n, sizeof x->text - n, "%s %d ", j->id, (int)start_at);
}

static size_t expect_starts(struct expected *x, size_t most)
{
    return query_forecast(sc_engine(x->s), &(struct query_forecast){.most = most,
                                               .now = sc_now(x->s),
                                               .wants = is_wanted,
                                               .goes_on = x->left ? goes_on : NULL,
                                               .each = note_expected,
                                               .ctx = x});
}

/* Two reserve nothing: next fits beside wide at 150, when low has begun there,
 * or not.
 */
static void each_is_expected_where_those_before_it_leave_room(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 4,
        .jobs = {{.id = "run", .procs = 3, .limit = 100, .priority = 30},
            {.id = "wide", .procs = 4, .limit = 50, .priority = 20},
            {.id = "low", .procs = 2, .limit = 500, .priority = 10},
            {.id = "next", .procs = 3, .limit = 70, .priority = 9},
            {.id = "last", .procs = 2, .limit = 500, .priority = 8}}};

    BOTH_WAYS(s, x)
    {
        struct expected all = {.s = s}, two = {.s = s}, later = {.s = s},
                        others = {.s = s, .without = "low"}, one = {.s = s, .left = 1};
        sc_at(s, 10);
        assert_int_equal(expect_starts(&all, 9), 3);
        assert_string_equal(all.text, "low 150 next 650 last 150 ");
        assert_int_equal(expect_starts(&two, 2), 2);
        assert_string_equal(two.text, "low 150 next 650 ");
        assert_int_equal(expect_starts(&others, 9), 2);
        assert_string_equal(others.text, "next 150 last 220 ");
        assert_int_equal(expect_starts(&one, 9), 1); /* then there is no time left */
        assert_string_equal(one.text, "low 150 ");
        /* nothing was taken by the question */
        assert_int_equal(start_of(s, "next").start_at, 150);
        sc_at(s, 120);
        expect_starts(&later, 9);
        assert_string_equal(later.text, "next 650 last 150 "); /* low is reserved for */
    }
}

/* "small" has room, and is kept back by something else: nobody knows until when. */
static void who_has_room_now_is_not_expected_at_any_time(void **state)
{
    (void)state;
    static const struct example x = {.cfg = "BACKFILLPOLICY NONE",
        .nodes = 4,
        .jobs = {{.id = "run", .procs = 3, .limit = 100, .priority = 30},
            {.id = "wide", .procs = 4, .limit = 50, .priority = 20},
            {.id = "small", .procs = 1, .limit = 40, .priority = 10},
            {.id = "low", .procs = 2, .limit = 500, .priority = 9}}};

    BOTH_WAYS(s, x)
    {
        struct expected all = {.s = s};
        sc_at(s, 10);
        assert_int_equal(expect_starts(&all, 9), 3);
        assert_string_equal(all.text, "wide 100 low 150 ");
    }
}

static void processors_for_a_time_start_beside_what_is_reserved(void **state)
{
    (void)state;
    BOTH_WAYS(s, busy)
    {
        sc_at(s, 10);
        assert_int_equal(
            earliest(s, (struct query_ask){.procs = 1, .duration_s = 90}), 10);
        assert_int_equal(
            earliest(s, (struct query_ask){.procs = 1, .duration_s = 91}), 150);
        assert_int_equal(
            earliest(s, (struct query_ask){.procs = 2, .duration_s = 1}), 150);
        assert_int_equal(
            earliest(s, (struct query_ask){.procs = 5, .duration_s = 1}), -1);
    }
}

static void nodes_counted_in_larger_units_are_asked_in_units(void **state)
{
    (void)state;
    static const struct req_desc whole = {.tasks = 2, .per_task = {.v = {4, 0, 0, 0}}};
    struct scenario *s = sc_create();

    sc_nodes(s, 3, 4);
    sc_job(s, (struct sc_job){.id = "run", .req = &whole, .limit_s = 100});
    sc_at(s, 10);
    assert_int_equal(earliest(s, (struct query_ask){.procs = 3, .duration_s = 5}), 10);
    assert_int_equal(earliest(s, (struct query_ask){.procs = 5, .duration_s = 5}), 100);
    sc_destroy(s);
}

static void a_machine_nobody_asked_of_yet_is_free_now(void **state)
{
    (void)state;
    struct scenario *s = sc_create();

    sc_nodes(s, 2, 4);
    sc_at(s, 5);
    assert_int_equal(earliest(s, (struct query_ask){.procs = 8, .duration_s = 50}), 5);
    assert_int_equal(earliest(s, (struct query_ask){.procs = 9, .duration_s = 50}), -1);
    /* and nothing was learned from the question */
    sc_job(s, (struct sc_job){.id = "j", .procs = 2, .limit_s = 10, .submit_at = 6});
    sc_at(s, 8);
    assert_int_equal(sc_start(s, "j"), 6);
    sc_destroy(s);
}

static struct query_windows windows(struct scenario *s, struct query_ask ask)
{
    struct query_windows w = {0};
    struct err err = {0};

    if (query_windows(sc_engine(s), &ask, sc_now(s), &w, &err) < 0)
        fail_msg("%s", err.text);
    return w;
}

/* What is told of a question beside its start. */
struct looked {
    int64_t nodes, tasks, last, from_at, until_at;
    unsigned jobs;
};

static void look_place(void *ctx, uint32_t node, uint32_t tasks)
{
    struct looked *l = ctx;

    l->nodes++;
    l->tasks += tasks;
    l->last = node;
}

static void look_job(void *ctx, const struct job *j, int64_t from_at, int64_t until_at)
{
    struct looked *l = ctx;

    assert_int_equal(j->index, INDEX_NONE);
    l->jobs++;
    l->from_at = from_at;
    l->until_at = until_at;
}

static struct looked look_for(
    struct scenario *s, struct query_ask ask, int64_t *ret_start)
{
    struct looked l = {0};
    struct query_look look = {.place = look_place, .job = look_job, .ctx = &l};
    struct err err;

    assert_int_equal(query_start_look(sc_engine(s), &ask, sc_now(s), &look, &err), 0);
    assert_int_equal(l.jobs, 1);
    assert_true(!look.found || look.placed);
    *ret_start = look.found ? look.start.start_at : -1;
    return l;
}

static void it_is_told_where_it_would_be(void **state)
{
    int64_t start;

    (void)state;
    BOTH_WAYS(s, busy)
    {
        sc_at(s, 10);
        struct looked l =
            look_for(s, (struct query_ask){.procs = 1, .duration_s = 50}, &start);
        assert_int_equal(start, 10); /* the one that is free, until 100 */
        assert_int_equal(l.nodes, 1);
        assert_int_equal(l.from_at, 10);
        assert_int_equal(l.until_at, 10); /* nothing keeps it */
        l = look_for(s, (struct query_ask){.procs = 3, .duration_s = 90}, &start);
        assert_int_equal(start, 150); /* not beside the wide one */
        assert_int_equal(l.nodes, 3);
        assert_int_equal(l.tasks, 3);
        l = look_for(s,
            (struct query_ask){.procs = 1, .duration_s = 50, .from_at = 120}, &start);
        assert_int_equal(start, 150);
        assert_int_equal(l.from_at, 120);
        assert_int_equal(l.until_at, 200);
        l = look_for(s, (struct query_ask){.procs = 5, .duration_s = 1}, &start);
        assert_int_equal(start, -1);
        assert_int_equal(l.nodes, 0);
        assert_int_equal(l.until_at, 11);
    }
}

static void tasks_of_several_processors_are_on_one_node_each(void **state)
{
    int64_t start;

    (void)state;
    struct scenario *s = sc_create();
    sc_nodes(s, 3, 4);
    sc_job(s, (struct sc_job){.id = "run", .procs = 6, .limit_s = 100, .priority = 2});
    sc_job(s, (struct sc_job){.id = "wide", .procs = 12, .limit_s = 50, .priority = 1});
    sc_at(s, 0);
    sc_at(s, 10);
    /* four are free on one node, and two on another */
    struct query_ask ask = {.procs = 6, .duration_s = 90};
    struct looked l = look_for(s, ask, &start);
    assert_int_equal(start, 10);
    ask.procs_per_task = 2;
    l = look_for(s, ask, &start);
    assert_int_equal(start, 10);
    assert_int_equal(l.tasks, 3);
    ask.procs_per_task = 3; /* a node has room for one of them: not beside the wide */
    l = look_for(s, ask, &start);
    assert_int_equal(start, 150);
    assert_int_equal(l.nodes, 2);
    assert_int_equal(l.tasks, 2);
    ask.procs_per_task = 5;
    l = look_for(s, ask, &start);
    assert_int_equal(start, -1);
    sc_destroy(s);
}

static void a_question_adds_no_job_to_the_cluster(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct cluster *c = engine_cluster(sc_engine(s));
    struct query_ask ask = {.procs = 2, .duration_s = 10};
    struct asker a;
    struct err err;

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "j", .procs = 2, .limit_s = 100});
    sc_at(s, 0);
    size_t jobs = c->jobs.n, queued = c->queued.n;
    assert_int_equal(asker_begin(sc_engine(s), &ask, 1, 2, &a, &err), 0);
    assert_int_equal(a.j->index, INDEX_NONE);
    assert_int_equal(c->jobs.n, jobs);
    assert_int_equal(c->queued.n, queued);
    asker_end(&a);
    sc_destroy(s);
}

static void windows_get_longer_and_narrower(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 6,
        .jobs = {{.id = "run", .procs = 3, .limit = 100, .priority = 30},
            {.id = "wide", .procs = 4, .limit = 50, .priority = 20}}};

    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        struct query_windows w = windows(s, (struct query_ask){.right = QUERY_ALL});
        assert_int_equal(w.n, 2);
        assert_int_equal(w.v[0].procs, 3);
        assert_int_equal(w.v[0].nodes, 3);
        assert_int_equal(w.v[0].duration_s, 90);
        assert_int_equal(w.v[1].procs, 2);
        assert_true(w.v[1].duration_s >= DURATION_UNLIMITED);
        vec_fini(&w);
        w = windows(s, (struct query_ask){.procs = 3});
        assert_int_equal(w.n, 1);
        vec_fini(&w);
        w = windows(s, (struct query_ask){.duration_s = 91});
        assert_int_equal(w.n, 1);
        assert_int_equal(w.v[0].procs, 2);
        vec_fini(&w);
        w = windows(s, (struct query_ask){.nodes = 4});
        assert_int_equal(w.n, 0);
        vec_fini(&w);
    }
}

static void windows_count_from_the_moment_of_the_question(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 6,
        .jobs = {{.id = "run", .procs = 3, .limit = 100, .priority = 30},
            {.id = "wide", .procs = 4, .limit = 50, .priority = 20}}};

    BOTH_WAYS(s, x)
    {
        struct query_windows w = {0};
        struct query_ask ask = {0};
        struct err err;
        sc_at(s, 10);
        assert_int_equal(query_windows(sc_engine(s), &ask, sc_now(s) + 7, &w, &err), 0);
        assert_int_equal(w.n, 2);
        assert_int_equal(w.v[0].duration_s, 83);
        assert_int_equal(w.v[0].nodes, 3);
        assert_true(w.v[1].duration_s >= DURATION_UNLIMITED);
        vec_fini(&w);
    }
}

static void nodes_tell_how_long_they_are_free(void **state)
{
    (void)state;
    static const struct example x = {.nodes = 6,
        .jobs = {{.id = "run", .procs = 3, .limit = 100, .priority = 30},
            {.id = "wide", .procs = 4, .limit = 50, .priority = 20}}};

    BOTH_WAYS(s, x)
    {
        struct query_nodes n = {0};
        struct err err;
        size_t endless = 0;
        sc_at(s, 10);
        struct query_ask ask = {0};
        assert_int_equal(query_nodes(sc_engine(s), &ask, sc_now(s), &n, &err), 0);
        assert_int_equal(n.n, 3);
        for (size_t i = 0; i < n.n; i++)
            endless += n.v[i].duration_s >= DURATION_UNLIMITED;
        assert_int_equal(endless, 2);
        vec_fini(&n);
    }
}

/* Units of node `node` that are reserved, or in use by a running job, at `at`.
 */
static uint32_t in_use(
    struct engine *e, const struct query_places *places, uint32_t node, int64_t at)
{
    const struct cluster *c = engine_cluster(e);
    uint32_t used = 0;

    for (size_t i = 0; i < places->n; i++) {
        const struct job *j = c->jobs.v[places->v[i].job];
        int64_t start = engine_reservation_of(e, j)->start_at;
        if (places->v[i].node == node && start <= at && at < start + j->wclimit_s)
            used += places->v[i].tasks;
    }
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        for (size_t k = 0; k < j->alloc.n && at < j->end_at; k++)
            if (node - j->alloc.v[k].first < j->alloc.v[k].count)
                used += j->alloc.v[k].tasks;
    }
    return used;
}

/* A look at a time: the same as all at once. */
static void check_placed_in_pieces(struct engine *e, const struct query_places *all)
{
    struct placing *g = placing_begin(e);
    unsigned turns = 1;
    size_t before = 0;

    /* to begin is no work: also of those that are planned by node */
    assert_int_equal(placing_found(g)->n, 0);
    while (placing_more(g, 1)) {
        turns++;
        assert_true(placing_found(g)->n <= before + 4); /* one job's, on four nodes */
        before = placing_found(g)->n;
    }
    const struct query_places *found = placing_found(g);
    assert_int_equal(found->n, all->n);
    for (size_t i = 0; i < found->n; i++) {
        bool same = false;
        for (size_t k = 0; k < all->n; k++)
            same |= found->v[i].job == all->v[k].job
                    && found->v[i].node == all->v[k].node
                    && found->v[i].tasks == all->v[k].tasks;
        assert_true(same);
    }
    assert_true(turns > 2);
    placing_end(g);
    placing_end(NULL);
}

static void reservations_have_places_that_never_overlap(void **state)
{
    (void)state;
    static const struct example x = {.cfg = "RESERVATIONDEPTH 9",
        .nodes = 4,
        .procs = 2,
        .jobs = {{.id = "run", .procs = 5, .limit = 100, .priority = 90},
            {.id = "a", .procs = 7, .limit = 50, .priority = 80},
            {.id = "b", .procs = 3, .limit = 400, .priority = 70},
            {.id = "c", .procs = 5, .limit = 60, .priority = 60},
            {.id = "d", .procs = 2, .limit = 300, .priority = 50},
            {.id = "e", .procs = 8, .limit = 10, .priority = 40}}};

    BOTH_WAYS(s, x)
    {
        struct query_places places = {0};
        uint32_t tasks[8] = {0};
        sc_at(s, 10);
        const struct cluster *c = engine_cluster(sc_engine(s));
        query_reserved_places(sc_engine(s), &places);
        for (size_t i = 0; i < places.n; i++) {
            tasks[places.v[i].job] += places.v[i].tasks;
            assert_true(i == 0 || places.v[i - 1].job < places.v[i].job
                        || places.v[i - 1].node < places.v[i].node);
        }
        for (const char *id = "abcde"; *id; id++) {
            const struct job *j = job_find(c, (char[]){*id, 0});
            const struct planned *at = engine_reservation_of(sc_engine(s), j);
            assert_int_equal(tasks[j->index], at ? j->tasks : 0);
            for (uint32_t n = 0; at && n < 4; n++)
                assert_true(in_use(sc_engine(s), &places, n, at->start_at) <= 2);
        }
        assert_true(places.n > 0);
        check_placed_in_pieces(sc_engine(s), &places);
        vec_fini(&places);
    }
}

static void features_and_memory_narrow_the_windows(void **state)
{
    (void)state;
    static const char *const fast[] = {"fast", NULL};
    struct scenario *s = sc_create();

    sc_node(s, &(struct node_desc){
                   .name = "a", .cfg = {.v = {4, 1000, 0, 0}}, .features = fast});
    sc_node(s, &(struct node_desc){.name = "b", .cfg = {.v = {4, 4000, 0, 0}}});
    sc_at(s, 5);
    struct query_windows w = windows(s, (struct query_ask){.features = fast});
    assert_int_equal(w.n, 1);
    assert_int_equal(w.v[0].procs, 4);
    vec_fini(&w);
    w = windows(s, (struct query_ask){.mem = {CMP_GE, 2000}});
    assert_int_equal(w.n, 1);
    assert_int_equal(w.v[0].procs, 4);
    vec_fini(&w);
    w = windows(s, (struct query_ask){.mem_per_proc_mb = 500});
    assert_int_equal(w.n, 1);
    assert_int_equal(w.v[0].procs, 2 + 4);
    vec_fini(&w);
    sc_destroy(s);
}

static void windows_leave_out_down_nodes_and_forget_limits(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("USERCFG[ann] MAXPROC=1\n");

    sc_nodes(s, 4, 1);
    sc_job(s, (struct sc_job){.id = "a", .procs = 1, .limit_s = 900, .user = "ann"});
    sc_at(s, 5);
    struct query_ask ann = {.right = QUERY_ALL, .cred = {[CRED_USER] = "ann"}};
    struct query_windows w = windows(s, ann);
    assert_int_equal(w.v[w.n - 1].procs, 3); /* more than the limit leaves */
    vec_fini(&w);
    sc_node_state(s, "n4", NODE_DOWN);
    sc_cycle(s);
    w = windows(s, ann);
    assert_int_equal(w.v[w.n - 1].procs, 2);
    vec_fini(&w);
    sc_destroy(s);
}

static void reservations_let_in_whom_they_name(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    struct err err;

    sc_nodes(s, 4, 1);
    assert_int_equal(sc_setres(s,
                         &(struct sc_rsv){.hosts = "n1",
                             .lists = {[ACL_USER] = "ann"},
                             .start_at = 0,
                             .end_at = 1000},
                         &err),
        0);
    sc_job(s, (struct sc_job){.id = "a", .procs = 1, .limit_s = 10, .user = "ann"});
    sc_at(s, 20);
    struct query_windows w = windows(
        s, (struct query_ask){.right = QUERY_ALL, .cred = {[CRED_USER] = "ann"}});
    assert_int_equal(w.v[0].procs, 4);
    vec_fini(&w);
    w = windows(
        s, (struct query_ask){.right = QUERY_ALL, .cred = {[CRED_USER] = "bob"}});
    assert_int_equal(w.v[0].procs, 3);
    vec_fini(&w);
    w = windows(s, (struct query_ask){.any = true});
    assert_int_equal(w.v[0].procs, 4);
    vec_fini(&w);
    sc_destroy(s);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const odd[] = {"no-such", NULL};
    struct scenario *s = sc_create();
    struct query_start q;
    struct err err;
    bool found;

    sc_nodes(s, 1, 1);
    sc_at(s, 1);
    struct query_ask none = {.procs = 0}, feature = {.procs = 1, .features = odd};
    assert_int_equal(query_start(sc_engine(s), &none, 1, &found, &q, &err), -1);
    assert_int_equal(query_start(sc_engine(s), &feature, 1, &found, &q, &err), -1);
    assert_non_null(strstr(err.text, "no-such"));
    struct query_ask partition = {.procs = 1, .partition = "moon"};
    assert_int_equal(query_start(sc_engine(s), &partition, 1, &found, &q, &err), -1);
    sc_destroy(s);
}

/* ---- nothing changes ---- */

static void ask_everything(void *ctx, struct scenario *s)
{
    struct cluster *c = engine_cluster(sc_engine(s));
    struct query_windows w = {0};
    struct query_nodes n = {0};
    struct query_start q;
    struct err err;
    bool found;

    (void)ctx;
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i])
            query_job_start(sc_engine(s), c->jobs.v[i], 0, sc_now(s), &q);
    for (int64_t procs = 1; procs < 40; procs += 6) {
        struct query_ask ask = {
            .procs = procs, .duration_s = procs * 7, .mem_per_proc_mb = procs % 2};
        query_start(sc_engine(s), &ask, sc_now(s), &found, &q, &err);
        query_windows(sc_engine(s), &ask, sc_now(s), &w, &err);
        ask.procs_per_task = procs % 4;
        struct looked l = {0};
        struct query_look look = {.place = look_place, .job = look_job, .ctx = &l};
        query_start_look(sc_engine(s), &ask, sc_now(s), &look, &err);
        query_windows(sc_engine(s), &ask, sc_now(s), &w, &err);
        query_nodes(sc_engine(s), &ask, sc_now(s), &n, &err);
    }
    vec_fini(&w);
    vec_fini(&n);
}

/* A number that looks random and is the same each time. */
static uint32_t next(uint32_t *io)
{
    *io = *io * 1664525 + 1013904223;
    return *io >> 16;
}

static struct scenario *crowd(bool by_node, uint32_t unit)
{
    struct scenario *s = sc_create();
    uint32_t seed = 7 + unit;

    sc_nodes(s, 8, 4);
    if (by_node)
        sc_force_by_node(s);
    for (int i = 0; i < 120; i++) {
        static char id[120][8];
        static struct req_desc reqs[120];
        snprintf(id[i], sizeof id[i], "j%d", i);
        reqs[i] = (struct req_desc){
            .tasks = 1 + next(&seed) % (24 / unit), .per_task = {.v = {unit, 0, 0, 0}}};
        int64_t limit = 10 + next(&seed) % 200;
        sc_job(s, (struct sc_job){.id = id[i],
                      .req = &reqs[i],
                      .submit_at = next(&seed) % 1500,
                      .limit_s = limit,
                      .run_s = 1 + limit * (next(&seed) % 100) / 100,
                      .user = next(&seed) % 2 ? "ann" : "bob"});
    }
    return s;
}

static void questions_after_each_cycle_change_nothing(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 4; way++) {
        uint32_t unit = way & 1 ? 2 : 1;
        struct scenario *plain = crowd(way & 2, unit);
        sc_run(plain);
        char *told[120];
        for (int i = 0; i < 120; i++) {
            char id[8];
            snprintf(id, sizeof id, "j%d", i);
            told[i] = strdup(sc_log(plain, id));
        }
        struct scenario *asked = crowd(way & 2, unit);
        sc_watch(asked, ask_everything, NULL);
        sc_run(asked);
        for (int i = 0; i < 120; i++) {
            char id[8];
            snprintf(id, sizeof id, "j%d", i);
            assert_string_equal(sc_log(asked, id), told[i]);
            assert_string_equal(sc_where(asked, id), sc_where(plain, id));
            free(told[i]);
        }
        sc_destroy(plain);
        sc_destroy(asked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_starts_when_it_runs_is_reserved_or_fits),
        cmocka_unit_test(a_job_over_a_hard_limit_by_itself_has_no_start),
        cmocka_unit_test(a_forecast_is_when_jobs_start_if_all_run_to_their_limits),
        cmocka_unit_test(a_forecast_is_of_jobs_that_can_wait_for_something),
        cmocka_unit_test(who_has_room_now_is_not_expected_at_any_time),
        cmocka_unit_test(each_is_expected_where_those_before_it_leave_room),
        cmocka_unit_test(processors_for_a_time_start_beside_what_is_reserved),
        cmocka_unit_test(nodes_counted_in_larger_units_are_asked_in_units),
        cmocka_unit_test(a_machine_nobody_asked_of_yet_is_free_now),
        cmocka_unit_test(it_is_told_where_it_would_be),
        cmocka_unit_test(tasks_of_several_processors_are_on_one_node_each),
        cmocka_unit_test(a_question_adds_no_job_to_the_cluster),
        cmocka_unit_test(windows_get_longer_and_narrower),
        cmocka_unit_test(windows_count_from_the_moment_of_the_question),
        cmocka_unit_test(nodes_tell_how_long_they_are_free),
        cmocka_unit_test(reservations_have_places_that_never_overlap),
        cmocka_unit_test(features_and_memory_narrow_the_windows),
        cmocka_unit_test(windows_leave_out_down_nodes_and_forget_limits),
        cmocka_unit_test(reservations_let_in_whom_they_name),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(questions_after_each_cycle_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
