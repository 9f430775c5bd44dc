/* SPDX-License-Identifier: Apache-2.0
 * Whose turn it is where all places are taken. */
#include "cmocka_all.h"
#include "server/whatif/standby.h"

#define SECOND UINT64_C(1000000)
enum { ALICE = 1, BOB, CAROL, DAVE };

static void nobody_is_before_anybody_while_nobody_waits(void **state)
{
    struct standby t = {0};

    (void)state;
    assert_int_equal(standby_before(&t, ALICE, true, SECOND), 0);
    standby_leave(&t, ALICE, true);
    standby_fini(&t);
}

static void who_was_refused_first_is_first(void **state)
{
    struct standby t = {0};

    (void)state;
    standby_wait(&t, CAROL, true, SECOND);
    standby_wait(&t, DAVE, true, 2 * SECOND);
    standby_wait(&t, CAROL, true, 3 * SECOND);
    assert_int_equal(standby_before(&t, CAROL, true, 3 * SECOND), 0);
    assert_int_equal(standby_before(&t, DAVE, true, 3 * SECOND), 1);
    assert_int_equal(standby_before(&t, ALICE, true, 3 * SECOND), 2);
    assert_int_equal(standby_before(&t, ALICE, false, 3 * SECOND), 0);
    standby_leave(&t, CAROL, true);
    assert_int_equal(standby_before(&t, DAVE, true, 3 * SECOND), 0);
    standby_fini(&t);
}

static void who_does_not_ask_again_is_waited_for_some_seconds(void **state)
{
    struct standby t = {0};

    (void)state;
    standby_wait(&t, CAROL, true, SECOND);
    standby_wait(&t, DAVE, true, 10 * SECOND);
    assert_int_equal(
        standby_before(&t, ALICE, true, SECOND + STANDBY_PATIENCE_US - 1), 2);
    assert_int_equal(standby_before(&t, ALICE, true, SECOND + STANDBY_PATIENCE_US), 1);
    assert_int_equal(
        standby_before(&t, CAROL, true, 10 * SECOND + STANDBY_PATIENCE_US), 0);
    standby_fini(&t);
}

/* Two places; three who ask without end, each once in a second, for answers of ten. */
static void nobody_is_kept_out_by_two_who_ask_without_end(void **state)
{
    struct standby t = {0};
    uint64_t free_at[DAVE] = {0};
    int had[DAVE] = {0};

    (void)state;
    for (uint64_t now = 1; now <= 600; now++)
        for (uid_t u = ALICE; u <= CAROL; u++) {
            unsigned busy = 0;
            for (uid_t o = ALICE; o <= CAROL; o++)
                busy += o != u && free_at[o] > now;
            if (free_at[u] > now)
                continue;
            if (busy + standby_before(&t, u, true, now * SECOND) >= 2) {
                standby_wait(&t, u, true, now * SECOND);
                continue;
            }
            standby_leave(&t, u, true);
            free_at[u] = now + 10;
            had[u]++;
        }
    for (uid_t u = ALICE; u <= CAROL; u++)
        assert_in_range(had[u], 29, 61);
    standby_fini(&t);
}

static void more_than_a_line_has_room_for_are_not_remembered(void **state)
{
    struct standby t = {0};

    (void)state;
    for (uid_t u = 0; u < 2 * STANDBY_MOST; u++)
        standby_wait(&t, u, true, SECOND);
    assert_int_equal(standby_before(&t, 4 * STANDBY_MOST, true, SECOND), STANDBY_MOST);
    standby_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_before_anybody_while_nobody_waits),
        cmocka_unit_test(who_was_refused_first_is_first),
        cmocka_unit_test(who_does_not_ask_again_is_waited_for_some_seconds),
        cmocka_unit_test(nobody_is_kept_out_by_two_who_ask_without_end),
        cmocka_unit_test(more_than_a_line_has_room_for_are_not_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
