/* SPDX-License-Identifier: Apache-2.0
 * Reservations that are changed while they live (mrsvctl -m). */
#include "cmocka_all.h"
#include "config/acltext.h"
#include "scenario.h"

/* Four nodes of two processors, and a reservation "r.0" of `hosts` or `tasks`. */
static struct scenario *with_reservation(
    const char *hosts, uint32_t tasks, int64_t start, int64_t end)
{
    struct scenario *s = sc_create();
    const struct sc_rsv rsv = {.base = "r",
        .hosts = hosts,
        .tasks = tasks,
        .resources = tasks ? "PROCS=1" : NULL,
        .start_at = start,
        .end_at = end};
    struct err err;

    sc_nodes(s, 4, 2);
    sc_at(s, 0);
    if (sc_setres(s, &rsv, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

/* Change it; `says` is the refusal, NULL = it is accepted. The draft is used up. */
static void change(struct scenario *s, unsigned what, struct reservation draft,
    const char *who, const char *says)
{
    struct err err = {0};
    struct event ev = {.kind = EVENT_CHANGE_RESERVATION,
        .u.change_reservation = {.name = "r.0",
            .what = what,
            .draft = &draft,
            .who = {who ? who : "root", who ? 0 : 1}}};
    int result = sc_apply(s, ev, &err);

    reservation_fini(&draft);
    if (result == 0 && says)
        fail_msg("accepted, expected '%s'", says);
    if (result < 0 && !says)
        fail_msg("%s", err.text);
    if (says)
        assert_string_equal(err.text, says);
}

static struct reservation window(int64_t start, int64_t end)
{
    struct reservation d = reservation_draft(RSV_ADMIN);

    d.start_at = start;
    d.end_at = end;
    return d;
}

static struct reservation places(struct scenario *s, const char *hosts, uint32_t tasks)
{
    struct reservation d = reservation_draft(RSV_ADMIN);
    struct node_list list = {0};
    struct err err;

    d.tasks = tasks;
    if (tasks)
        d.def.per_task.v[RES_PROCS] = 1;
    if (!hosts)
        return d;
    d.listed = true;
    d.one_per_host = tasks == 0;
    d.host_expr = xstrdup(hosts);
    assert_int_equal(
        reservation_match_hosts(engine_cluster(sc_engine(s)), hosts, &list, &err), 0);
    for (size_t i = 0; i < list.n; i++)
        vec_push(&d.hosts, list.v[i]);
    vec_fini(&list);
    return d;
}

static void a_longer_reservation_keeps_jobs_out_longer(void **state)
{
    (void)state;
    struct scenario *s = with_reservation("ALL", 0, 0, 100);

    sc_job(s, (struct sc_job){.id = "j", .procs = 1, .limit_s = 10});
    sc_at(s, 10);
    assert_int_equal(sc_reserved(s, "j"), 100);
    change(s, RSV_CHANGE_WINDOW, window(0, 300), NULL, NULL);
    sc_at(s, 20);
    assert_int_equal(sc_reserved(s, "j"), 300);
    change(s, RSV_CHANGE_WINDOW, window(0, 50), NULL, NULL);
    sc_cycle(s);
    sc_run(s);
    assert_int_equal(sc_start(s, "j"), 50);
    sc_destroy(s);
}

static void one_that_has_begun_may_begin_again_later(void **state)
{
    (void)state;
    struct scenario *s = with_reservation("ALL", 0, 0, 1000);

    sc_job(s, (struct sc_job){.id = "j", .procs = 1, .limit_s = 100});
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "j"), -1);
    change(s, RSV_CHANGE_WINDOW, window(500, 1500), NULL, NULL);
    assert_int_equal(sc_rsv(s, "r.0")->state, RSV_PLANNED);
    sc_at(s, 20);
    assert_int_equal(sc_start(s, "j"), 20);
    sc_at(s, 500);
    assert_int_equal(sc_rsv(s, "r.0")->state, RSV_ACTIVE);
    change(s, RSV_CHANGE_WINDOW, window(100, 1500), NULL, NULL);
    assert_int_equal(sc_rsv(s, "r.0")->start_at, 500); /* not in the past */
    sc_destroy(s);
}

static void other_hosts_are_taken_and_the_former_come_free(void **state)
{
    (void)state;
    struct scenario *s = with_reservation("n[1-3]", 0, 0, 1000);

    sc_job(s, (struct sc_job){.id = "j", .procs = 6, .limit_s = 100});
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "j"), -1);
    change(s, RSV_CHANGE_PLACES, places(s, "n4", 0), NULL, NULL);
    assert_string_equal(sc_held(s, "r.0"), "n4:1");
    sc_at(s, 20);
    assert_int_equal(sc_start(s, "j"), 20);
    sc_destroy(s);
}

static void tasks_are_added_beside_those_held_and_given_back(void **state)
{
    (void)state;
    struct scenario *s = with_reservation(NULL, 3, 0, 1000);

    assert_string_equal(sc_held(s, "r.0"), "n1:2 n2:1");
    change(s, RSV_CHANGE_TASKS, places(s, NULL, 6), NULL, NULL);
    assert_string_equal(sc_held(s, "r.0"), "n1:2 n2:2 n3:2");
    change(s, RSV_CHANGE_TASKS, places(s, NULL, 3), NULL, NULL);
    assert_string_equal(sc_held(s, "r.0"), "n1:2 n2:1");
    change(s, RSV_CHANGE_TASKS, places(s, NULL, 9), NULL,
        "reservation 'r.0' cannot have 9 tasks from now on: 8 can be had");
    assert_string_equal(sc_held(s, "r.0"), "n1:2 n2:1");
    assert_int_equal(sc_rsv(s, "r.0")->tasks, 3);
    sc_destroy(s);
}

static void a_window_that_others_are_promised_is_refused_or_moved_to(void **state)
{
    (void)state;
    struct scenario *s = with_reservation(NULL, 2, 0, 100);
    const struct sc_rsv other = {
        .base = "o", .hosts = "n1", .start_at = 200, .end_at = 300};
    struct err err;

    assert_int_equal(sc_setres(s, &other, &err), 0);
    change(s, RSV_CHANGE_WINDOW, window(0, 250), NULL,
        "reservation 'r.0' cannot have node n1 so long: a job or another reservation "
        "is "
        "promised it");
    assert_int_equal(sc_rsv(s, "r.0")->end_at, 100);
    change(s, RSV_CHANGE_WINDOW, window(150, 180), NULL, NULL);
    assert_string_equal(sc_held(s, "r.0"), "n1:2");
    change(s, RSV_CHANGE_WINDOW, window(150, 250), NULL, NULL);
    assert_string_equal(sc_held(s, "r.0"), "n2:2"); /* it had not begun */
    sc_destroy(s);
}

static void a_new_access_list_lets_others_in(void **state)
{
    (void)state;
    struct scenario *s = with_reservation("ALL", 0, 0, 1000);
    struct reservation d = reservation_draft(RSV_ADMIN);
    struct err err;

    sc_job(s, (struct sc_job){.id = "j", .procs = 1, .limit_s = 100, .user = "mira"});
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "j"), -1);
    assert_int_equal(acltext_parse(ACL_USER, "mira", &d.acl, &err), 0);
    change(s, RSV_CHANGE_ACL, d, NULL, NULL);
    sc_at(s, 20);
    assert_int_equal(sc_start(s, "j"), 20);
    sc_destroy(s);
}

static void what_cannot_be_changes_nothing(void **state)
{
    (void)state;
    struct scenario *s = with_reservation("n1", 0, 0, 1000);

    sc_at(s, 100);
    change(s, RSV_CHANGE_WINDOW, window(500, 400), NULL,
        "reservation 'r.0' would end before it starts");
    change(s, RSV_CHANGE_WINDOW, window(0, 50), NULL,
        "reservation 'r.0' would be over already; release it instead");
    change(s, RSV_CHANGE_WINDOW, window(0, 5000), "mira",
        "mira may not change reservation r.0: only the user accountable for it and "
        "administrators of level 1 or 2 may");
    assert_int_equal(sc_rsv(s, "r.0")->end_at, 1000);
    assert_string_equal(sc_held(s, "r.0"), "n1:1");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_longer_reservation_keeps_jobs_out_longer),
        cmocka_unit_test(one_that_has_begun_may_begin_again_later),
        cmocka_unit_test(other_hosts_are_taken_and_the_former_come_free),
        cmocka_unit_test(tasks_are_added_beside_those_held_and_given_back),
        cmocka_unit_test(a_window_that_others_are_promised_is_refused_or_moved_to),
        cmocka_unit_test(a_new_access_list_lets_others_in),
        cmocka_unit_test(what_cannot_be_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
