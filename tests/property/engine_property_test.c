/* SPDX-License-Identifier: Apache-2.0
 * What must hold in every schedule, on random worlds. */
#include "cmocka_all.h"
#include "drive.h"
#include "hunt.h"

static void make_wild(struct world *w, uint64_t seed)
{
    world_make(w, W_WILD, seed);
}

static void make_top(struct world *w, uint64_t seed)
{
    world_make(w, W_TOP, seed);
}

static void make_kept(struct world *w, uint64_t seed)
{
    world_make(w, W_KEPT, seed);
}

static void make_conservative(struct world *w, uint64_t seed)
{
    world_make(w, W_CONSERVATIVE, seed);
}

static void make_top_speeds(struct world *w, uint64_t seed)
{
    make_top(w, seed);
    world_add_speeds(w, seed);
}

static void make_kept_speeds(struct world *w, uint64_t seed)
{
    make_kept(w, seed);
    world_add_speeds(w, seed);
}

static void make_conservative_speeds(struct world *w, uint64_t seed)
{
    make_conservative(w, seed);
    world_add_speeds(w, seed);
}

static bool check_once(const struct world *w, char *fail, size_t size)
{
    return drive_world(w, fail, size, NULL);
}

/* By count, and the same world node by node: both keep every rule. */
static bool check_both_plans(const struct world *w, char *fail, size_t size)
{
    struct world by_node = *w;

    by_node.by_node = true;
    return drive_world(w, fail, size, NULL) && drive_world(&by_node, fail, size, NULL);
}

static void no_rule_is_broken_and_equal_worlds_give_equal_schedules(void **state)
{
    /* a running job's shape kept off its nodes; a place under an idle limit that
       nobody took over; a job waiting while EXACTNODE goes */
    static const uint64_t known[] = {500019, 600329, 706720, 0};

    (void)state;
    assert_true(hunt(&(struct hunt){"wild", make_wild, drive_twice, 1000, known}));
}

static void the_first_of_the_queue_starts_no_later_than_reserved(void **state)
{
    (void)state;
    assert_true(hunt(&(struct hunt){"top", make_top, check_once, 800}));
}

static void under_highest_no_reservation_is_lost_or_moves_later(void **state)
{
    (void)state;
    /* pools divided, units bound where they say nothing */
    static const uint64_t known[] = {500581, 0};

    assert_true(hunt(&(struct hunt){"kept", make_kept, check_once, 500, known}));
}

static void conservative_reservations_never_move_later(void **state)
{
    /* pools divided: units of the old pools, not of any */
    static const uint64_t known[] = {505251, 703606, 0};

    (void)state;
    assert_true(hunt(
        &(struct hunt){"conservative", make_conservative, check_once, 500, known}));
}

static void promises_hold_on_nodes_of_different_speed(void **state)
{
    /* units counted in a pool that had just become one of nodes; several requests whose
       own nodes the search misses at the very instant of their start */
    static const uint64_t kept[] = {703836, 0}, conservative[] = {503277, 0};

    (void)state;
    assert_true(hunt(&(struct hunt){"top speeds", make_top_speeds, check_once, 300}));
    assert_true(
        hunt(&(struct hunt){"kept speeds", make_kept_speeds, check_once, 300, kept}));
    assert_true(hunt(&(struct hunt){"conservative speeds", make_conservative_speeds,
        check_once, 300, conservative}));
}

static void both_ways_of_planning_keep_the_rules(void **state)
{
    (void)state;
    assert_true(hunt(&(struct hunt){"plain", world_make_plain, check_both_plans, 500}));
}

static void labels_that_no_job_asks_for_change_no_decision(void **state)
{
    (void)state;
    assert_true(hunt(&(struct hunt){"labels", make_wild, drive_labelled, 600}));
    assert_true(
        hunt(&(struct hunt){"labels, counted", world_make_plain, drive_labelled, 400}));
    assert_true(hunt(&(struct hunt){"labels, kept", make_kept, drive_labelled, 200}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rule_is_broken_and_equal_worlds_give_equal_schedules),
        cmocka_unit_test(the_first_of_the_queue_starts_no_later_than_reserved),
        cmocka_unit_test(under_highest_no_reservation_is_lost_or_moves_later),
        cmocka_unit_test(conservative_reservations_never_move_later),
        cmocka_unit_test(promises_hold_on_nodes_of_different_speed),
        cmocka_unit_test(both_ways_of_planning_keep_the_rules),
        cmocka_unit_test(labels_that_no_job_asks_for_change_no_decision),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
