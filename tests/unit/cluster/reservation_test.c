/* SPDX-License-Identifier: Apache-2.0
 * Reservations as records: names, nodes, life. R.. = examples of the reference. */
#include "cluster/reservation.h"
#include "rsv_kit.h"

/* ---- names ------------------------------------------------------------------- */

static void names_count_from_the_highest_in_use_11(void **state)
{
    struct rk k = rk_open("");
    struct reservation *john1 = rk_setres(&k, "john", ACL_USER, "john", 0, 100), *john2;

    (void)state;
    john2 = rk_setres(&k, "john", ACL_USER, "john", 0, 100);
    assert_string_equal(john1->name, "john.0");
    assert_string_equal(john2->name, "john.1");
    reservation_move(k.c, john1, RSV_EV_RELEASE, 5, NULL);
    reservation_remove(k.c, john1);
    assert_string_equal(
        rk_setres(&k, "john", ACL_USER, "john", 0, 100)->name, "john.2");
    assert_string_equal(rk_setres(&k, "joh", ACL_USER, "x", 0, 100)->name, "joh.0");
    assert_string_equal(
        rk_setres(&k, "SYSTEM", ACL_USER, NULL, 0, 9)->name, "SYSTEM.0");
    rk_close(&k);
}

static void instances_count_from_the_highest_of_their_slot_6_2(void **state)
{
    struct rk k = rk_open("SRCFG[engineer] TASKCOUNT=1 PERIOD=INFINITY\n"
                          "SRCFG[research] TASKCOUNT=1 PERIOD=INFINITY\n"
                          "SRCFG[fast] TASKCOUNT=1 DEPTH=2\n");

    (void)state;
    assert_string_equal(rk_standing(&k, "engineer", NULL, 0)->name, "engineer.0.0");
    assert_string_equal(rk_standing(&k, "research", NULL, 0)->name, "research.0.0");
    assert_string_equal(rk_standing(&k, "fast", NULL, 0)->name, "fast.0.0");
    assert_non_null(reservation_find(k.c, "fast.1.0"));
    rk_close(&k);
}

static void a_reservation_is_found_by_its_full_name(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "SYSTEM", ACL_USER, NULL, 0, 100);

    (void)state;
    assert_ptr_equal(reservation_find(k.c, "SYSTEM.0"), r);
    assert_ptr_equal(reservation_find(k.c, "system.0"), r);
    assert_null(reservation_find(k.c, "system.1"));
    assert_null(reservation_find(k.c, "SYSTEM"));
    assert_true(reservation_is_named(r, "SYSTEM.0"));
    assert_true(reservation_is_named(r, "SYSTEM"));
    assert_false(reservation_is_named(r, "SYSTEM.1"));
    rk_close(&k);
}

static void a_name_must_be_usable_and_free(void **state)
{
    static const char *const names[] = {"", "two words", "fast.0"};
    struct rk k = rk_open("");
    struct reservation *r, draft = reservation_draft(RSV_ADMIN);
    struct err err;

    (void)state;
    draft.name = xstrdup("fast.0");
    assert_int_equal(reservation_add(k.c, &draft, 0, &r, &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        draft = reservation_draft(RSV_ADMIN);
        draft.name = xstrdup(names[i]);
        assert_int_equal(reservation_add(k.c, &draft, 0, &r, &err), -1);
        reservation_fini(&draft);
    }
    draft = reservation_draft(RSV_ADMIN);
    assert_int_equal(reservation_add(k.c, &draft, 0, &r, &err), -1);
    rk_close(&k);
}

/* ---- windows ------------------------------------------------------------------ */

static int add_window(struct rk *k, int64_t start, int64_t end, int64_t now)
{
    struct reservation *r, draft = reservation_draft(RSV_ADMIN);
    struct err err;
    int status;

    draft.base = xstrdup("r");
    draft.start_at = start;
    draft.end_at = end;
    status = reservation_add(k->c, &draft, now, &r, &err);
    reservation_fini(&draft);
    return status == 0 ? (int)r->start_at : -1;
}

static void a_window_must_not_be_empty_or_over_2(void **state)
{
    struct rk k = rk_open("");

    (void)state;
    assert_int_equal(add_window(&k, 10, 10, 0), -1);
    assert_int_equal(add_window(&k, 20, 10, 0), -1);
    assert_int_equal(add_window(&k, 10, 20, 20), -1);
    assert_int_equal(add_window(&k, 10, 20, 19), 19);
    assert_int_equal(add_window(&k, 10, TIME_NEVER, 5), 10);
    rk_close(&k);
}

static void life_follows_the_table(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 10, 20);
    struct err err;

    (void)state;
    rk_nodes(&k, 2, 1, 0);
    rk_hold(&k, r, "n1 n2", 1);
    assert_int_equal(r->state, RSV_PLANNED);
    assert_int_equal(reservations_next(k.c, 0), 10);
    assert_int_equal(reservations_advance(k.c, 9), 0);
    assert_int_equal(reservations_advance(k.c, 10), 1);
    assert_int_equal(r->state, RSV_ACTIVE);
    assert_int_equal(reservations_next(k.c, 10), 20);
    assert_int_equal(reservation_move(k.c, r, RSV_EV_BEGIN, 11, &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_int_equal(reservations_advance(k.c, 25), 1);
    assert_int_equal(r->state, RSV_ENDED);
    assert_int_equal(r->ended_at, 20);
    assert_int_equal(r->held_nodes, 0);
    assert_int_equal(reservations_on(k.c, 0)->n, 0);
    assert_int_equal(reservation_move(k.c, r, RSV_EV_RELEASE, 30, &err), -1);
    assert_int_equal(reservations_next(k.c, 25), TIME_NEVER);
    reservation_remove(k.c, r);
    assert_null(reservation_find(k.c, "r.0"));
    rk_close(&k);
}

/* What begins or ends next is remembered: never longer than it is true. */
static void the_next_instant_follows_every_change(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 10, 20);

    (void)state;
    assert_int_equal(reservations_next(k.c, 15), 20);
    assert_int_equal(reservations_next(k.c, 5), 10); /* asked of an earlier instant */
    assert_int_equal(reservations_advance(k.c, 5), 0);
    r->start_at = 7;
    reservation_changed(k.c, r, 5);
    assert_int_equal(reservations_next(k.c, 5), 7);
    assert_int_equal(reservations_advance(k.c, 8), 1);
    assert_int_equal(reservations_advance(k.c, 9), 0);
    rk_setres(&k, "s", ACL_USER, "a", 12, 30);
    assert_int_equal(reservations_next(k.c, 9), 12);
    /* asked about first, done later */
    assert_int_equal(reservations_next(k.c, 13), 20);
    assert_int_equal(reservations_advance(k.c, 13), 1);
    assert_int_equal(reservations_advance(k.c, 40), 2);
    assert_int_equal(reservations_next(k.c, 40), TIME_NEVER);
    rk_close(&k);
}

static void a_release_frees_the_nodes_at_once(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 10, 20);

    (void)state;
    rk_nodes(&k, 1, 1, 0);
    rk_hold(&k, r, "n1", 1);
    assert_int_equal(reservation_move(k.c, r, RSV_EV_RELEASE, 5, NULL), 0);
    assert_int_equal(r->state, RSV_RELEASED);
    assert_int_equal(r->ended_at, 5);
    assert_int_equal(r->alloc.n, 0);
    rk_close(&k);
}

static void indexes_are_used_again_and_serials_never(void **state)
{
    struct rk k = rk_open("");
    struct reservation *a = rk_setres(&k, "a", ACL_USER, "x", 0, 9);
    struct reservation *b = rk_setres(&k, "b", ACL_USER, "x", 0, 9), *d;
    uint32_t slot = a->index;

    (void)state;
    reservation_move(k.c, a, RSV_EV_END, 9, NULL);
    reservation_remove(k.c, a);
    d = rk_setres(&k, "d", ACL_USER, "x", 0, 9);
    assert_int_equal(d->index, slot);
    assert_true(d->serial > b->serial);
    rk_close(&k);
}

/* ---- nodes -------------------------------------------------------------------- */

static void a_node_knows_its_reservations_in_order_of_creation(void **state)
{
    struct rk k = rk_open("");
    struct reservation *a = rk_setres(&k, "a", ACL_USER, "x", 0, 100);
    struct reservation *b = rk_setres(&k, "b", ACL_USER, "x", 0, 100);

    (void)state;
    rk_nodes(&k, 3, 4, 0);
    assert_int_equal(reservations_on(k.c, 0)->n, 0);
    rk_hold(&k, b, "n1 n2", 2);
    rk_hold(&k, a, "n2 n3", 1);
    assert_int_equal(reservations_on(k.c, 1)->n, 2);
    assert_int_equal(reservations_on(k.c, 1)->v[0].rsv, a->index);
    assert_int_equal(reservations_on(k.c, 1)->v[1].rsv, b->index);
    assert_int_equal(reservations_on(k.c, 1)->v[1].tasks, 2);
    assert_int_equal(reservation_tasks_on(k.c, b, 0), 2);
    assert_int_equal(reservation_tasks_on(k.c, b, 2), 0);
    assert_int_equal(b->held_tasks, 4);
    rk_hold(&k, b, "n3", 1);
    assert_string_equal(rk_held(&k, b), "n3:1");
    assert_int_equal(reservations_on(k.c, 0)->n, 0);
    assert_int_equal(reservations_on(k.c, 1)->n, 1);
    rk_close(&k);
}

static void the_epoch_rises_with_changes_only(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "x", 10, 100);
    uint64_t epoch;

    (void)state;
    rk_nodes(&k, 2, 1, 0);
    epoch = k.c->rsv_epoch;
    rk_hold(&k, r, "n1", 1);
    assert_true(k.c->rsv_epoch > epoch);
    epoch = k.c->rsv_epoch;
    rk_hold(&k, r, "n1", 1);
    reservations_advance(k.c, 5);
    assert_int_equal(k.c->rsv_epoch, epoch);
    reservations_advance(k.c, 10);
    assert_true(k.c->rsv_epoch > epoch);
    rk_close(&k);
}

static void minus_one_is_all_that_is_configured_3(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "x", 0, 100);
    struct res amount;

    (void)state;
    rk_nodes(&k, 1, 4, 1024);
    amount = reservation_amount(r, node_at(k.c, 0), 1);
    assert_int_equal(amount.v[RES_PROCS], 4);
    assert_int_equal(amount.v[RES_MEM], 0);
    amount = reservation_amount(r, node_at(k.c, 0), 0);
    assert_int_equal(amount.v[RES_PROCS], 0);
    r->def.per_task = (struct res){{1, 256}};
    amount = reservation_amount(r, node_at(k.c, 0), 3);
    assert_int_equal(amount.v[RES_PROCS], 3);
    assert_int_equal(amount.v[RES_MEM], 768);
    rk_close(&k);
}

/* ---- hosts -------------------------------------------------------------------- */

static const char *matching(struct rk *k, const char *expr)
{
    struct node_list list = {0};
    size_t len = 0;

    k->text[0] = '\0';
    reservation_match_hosts(k->c, expr, &list, NULL);
    for (size_t i = 0; i < list.n; i++)
        len += (size_t)snprintf(k->text + len, sizeof k->text - len, "%s%s",
            len ? " " : "", node_at(k->c, list.v[i])->name);
    vec_fini(&list);
    return k->text;
}

static void regular_expressions_name_hosts_r41(void **state)
{
    static const char *const names[] = {"node1", "node2", "node10", "node11"};
    struct rk k = rk_open("NODECFG[GLOBAL] GRES=licence:2\n");
    struct err err;
    struct node_list list = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rk_node(&k, (struct node_desc){.name = names[i], .cfg = {{1}}});
    assert_string_equal(matching(&k, "node[1-2]"), "node1 node2 node10 node11");
    assert_string_equal(matching(&k, "^node1$"), "node1");
    assert_string_equal(matching(&k, "node1[01]"), "node10 node11");
    assert_string_equal(matching(&k, "node1"), "node1");
    assert_string_equal(matching(&k, "node2,node1"), "node2 node1");
    assert_string_equal(matching(&k, "ALL"), "node1 node2 node10 node11");
    assert_int_equal(reservation_match_hosts(k.c, "node3", &list, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(list.n, 0);
    vec_fini(&list);
    rk_close(&k);
}

static void hosts_can_be_named_by_class_5_4(void **state)
{
    const struct gres_cfg batch[] = {{(char *)"batch", 1}, {NULL, 0}};
    struct rk k = rk_open("");

    (void)state;
    rk_node(&k, (struct node_desc){.name = "a", .cfg = {{1}}, .classes = batch});
    cred_get(k.c, CRED_CLASS, "long");
    rk_node(&k, (struct node_desc){.name = "b", .cfg = {{1}}});
    assert_string_equal(matching(&k, "class:batch"), "a b");
    assert_string_equal(matching(&k, "class:long"), "b");
    assert_string_equal(matching(&k, "class:none"), "");
    rk_close(&k);
}

static void states_and_kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(reservation_state_name(RSV_PLANNED), "planned");
    assert_string_equal(reservation_state_name(RSV_RELEASED), "released");
    assert_string_equal(reservation_kind_name(RSV_USER), "user");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_count_from_the_highest_in_use_11),
        cmocka_unit_test(instances_count_from_the_highest_of_their_slot_6_2),
        cmocka_unit_test(a_reservation_is_found_by_its_full_name),
        cmocka_unit_test(a_name_must_be_usable_and_free),
        cmocka_unit_test(a_window_must_not_be_empty_or_over_2),
        cmocka_unit_test(life_follows_the_table),
        cmocka_unit_test(the_next_instant_follows_every_change),
        cmocka_unit_test(a_release_frees_the_nodes_at_once),
        cmocka_unit_test(indexes_are_used_again_and_serials_never),
        cmocka_unit_test(a_node_knows_its_reservations_in_order_of_creation),
        cmocka_unit_test(the_epoch_rises_with_changes_only),
        cmocka_unit_test(minus_one_is_all_that_is_configured_3),
        cmocka_unit_test(regular_expressions_name_hosts_r41),
        cmocka_unit_test(hosts_can_be_named_by_class_5_4),
        cmocka_unit_test(states_and_kinds_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
