/* SPDX-License-Identifier: Apache-2.0
 * Fairshare over a restart: policy/fsmemory. */
#include "config/settings.h"
#include "policy/fairshare.h"
#include "policy/fsmemory.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define HOUR 3600

static struct world begin(void)
{
    struct world w = world_create();

    w.s->fs.policy = FS_DEDICATEDPS;
    w.s->fs.interval_s = HOUR;
    w.s->fs.depth = 4;
    w.s->fs.decay = 0.5;
    return w;
}

static struct cred *user(struct world *w, const char *name)
{
    return cred_get(w->c, CRED_USER, name);
}

/* ---- a life before and one after ---- */

struct copy {
    struct world *to;
    int64_t now;
    uint32_t rows;
};

static void load(void *ctx, const struct fs_memory *m)
{
    struct copy *copy = ctx;

    copy->rows++;
    fsmemory_load(copy->to->c, m, copy->now);
}

/* Written down at `at`, read at `now`. */
static uint32_t restart(struct world *from, int64_t at, struct world *to, int64_t now)
{
    struct copy copy = {.to = to, .now = now};

    fsmemory_each(from->c, true, at, &copy, load);
    return copy.rows;
}

static double window(struct world *w, const char *name, uint32_t i)
{
    return fs_window(w->c, &user(w, name)->fs, i);
}

static void usage_comes_back_window_by_window(void **state)
{
    (void)state;
    struct world a = begin(), b = begin();
    struct job *j = world_running(&a, "ann", 2), *k = world_running(&a, "bob", 1);

    fs_job_start(a.c, j, 10 * HOUR);
    fs_charge(a.c, 10 * HOUR, 10 * HOUR + 100);
    fs_job_start(a.c, k, 10 * HOUR + 100);
    fs_charge(a.c, 10 * HOUR + 100, 11 * HOUR + 50);
    fs_roll(a.c, 11 * HOUR + 50);
    /* ann, bob, all */
    assert_int_equal(restart(&a, 11 * HOUR + 50, &b, 11 * HOUR + 50), 3);
    for (uint32_t i = 0; i < 4; i++) {
        assert_near(window(&b, "ann", i), window(&a, "ann", i));
        assert_near(window(&b, "bob", i), window(&a, "bob", i));
    }
    assert_near(window(&b, "ann", 1), 7200);
    assert_near(window(&b, "ann", 0), 100);
    assert_near(fs_use(b.c, &user(&b, "ann")->fs), 100 + 0.5 * 7200);
    assert_near(fs_share(b.c, user(&b, "ann")), fs_share(a.c, user(&a, "ann")));
    world_destroy(&a);
    world_destroy(&b);
}

static void windows_that_passed_meanwhile_have_rolled(void **state)
{
    (void)state;
    struct world a = begin(), b = begin();
    struct job *j = world_running(&a, "ann", 1);

    fs_job_start(a.c, j, 10 * HOUR);
    fs_job_stop(a.c, j, 10 * HOUR + 800);
    restart(&a, 10 * HOUR + 900, &b, 12 * HOUR + 5);
    assert_near(window(&b, "ann", 0), 0);
    assert_near(window(&b, "ann", 1), 0);
    assert_near(window(&b, "ann", 2), 800);
    assert_near(fs_use(b.c, &user(&b, "ann")->fs), 0.25 * 800);
    struct world c = begin(); /* so long that nothing counts any more */
    restart(&a, 10 * HOUR + 900, &c, 100 * HOUR);
    assert_near(fs_use(c.c, &user(&c, "ann")->fs), 0);
    world_destroy(&a);
    world_destroy(&b);
    world_destroy(&c);
}

static void what_is_written_reaches_into_a_window_not_opened_yet(void **state)
{
    (void)state;
    struct world a = begin(), b = begin();
    struct job *j = world_running(&a, "ann", 1);

    fs_job_start(a.c, j, 10 * HOUR + 3000);
    restart(&a, 11 * HOUR + 70, &b, 11 * HOUR + 70);
    assert_near(window(&b, "ann", 1), 600);
    assert_near(window(&b, "ann", 0), 70);
    world_destroy(&a);
    world_destroy(&b);
}

static void a_job_that_ran_on_pays_for_the_gap(void **state)
{
    (void)state;
    struct world a = begin(), b = begin();
    struct job *j = world_running(&a, "ann", 4);
    int64_t t = 10 * HOUR;

    fs_job_start(a.c, j, t);
    fs_charge(a.c, t, t + 1000);
    restart(&a, t + 1000, &b, t + 2000);
    struct job *again = world_running(&b, "ann", 4);
    fs_job_start(b.c, again, t + 3000);
    fsmemory_adopt(b.c, again, t, t + 3000);
    fs_charge(b.c, t + 2000, t + 3500);
    assert_near(window(&b, "ann", 0), 4 * 3500);
    assert_near(fs_window(b.c, &b.c->fs_total, 0), 4 * 3500);
    world_destroy(&a);
    world_destroy(&b);
}

static void each_credential_knows_up_to_when_its_record_tells(void **state)
{
    (void)state;
    struct world a = begin(), b = begin();
    struct job *j = world_running(&a, "ann", 1), *k = world_running(&a, "bob", 1);
    struct copy copy = {.to = &b, .now = 10 * HOUR + 3000};

    fs_job_start(a.c, j, 10 * HOUR);
    fs_job_start(a.c, k, 10 * HOUR);
    fs_job_stop(a.c, j, 10 * HOUR + 1000); /* ann's and the total are written */
    fsmemory_each(a.c, false, 10 * HOUR + 1000, &copy, load);
    assert_int_equal(copy.rows, 2);
    fsmemory_saved(a.c);
    fsmemory_each(a.c, false, 10 * HOUR + 2000, &copy, load);
    assert_int_equal(copy.rows, 2); /* nothing else since */
    struct job *again = world_running(&b, "bob", 1);
    fs_job_start(b.c, again, 10 * HOUR + 3000);
    fsmemory_adopt(b.c, again, 10 * HOUR, 10 * HOUR + 3000);
    fs_charge(b.c, 10 * HOUR + 3000, 10 * HOUR + 3000);
    assert_near(window(&b, "ann", 0), 1000);
    assert_near(window(&b, "bob", 0), 3000);
    assert_near(fs_window(b.c, &b.c->fs_total, 0), 4000);
    world_destroy(&a);
    world_destroy(&b);
}

static void who_uses_something_now_can_be_written_down(void **state)
{
    (void)state;
    struct world a = begin(), b = begin();
    struct copy copy = {.to = &b, .now = 11 * HOUR};

    world_running(&a, "bob", 1);
    fs_job_start(a.c, world_running(&a, "ann", 1), 10 * HOUR);
    fsmemory_touch_active(a.c);
    fsmemory_touch_active(a.c);
    fsmemory_each(a.c, false, 10 * HOUR + 100, &copy, load);
    assert_int_equal(copy.rows, 2); /* ann, all */
    assert_near(window(&b, "ann", 1), 100);
    world_destroy(&a);
    world_destroy(&b);
}

static void a_gap_over_several_windows_is_split_at_their_boundaries(void **state)
{
    (void)state;
    for (int rolled = 0; rolled < 2; rolled++) {
        struct world a = begin(), b = begin();
        struct job *j = world_running(&a, "ann", 1);
        int64_t t = 10 * HOUR, now = 13 * HOUR + 600;

        fs_job_start(a.c, j, t);
        restart(&a, t + 1000, &b, now - 5);
        struct job *again = world_running(&b, "ann", 1);
        if (rolled)
            fs_roll(b.c, now);
        fs_job_start(b.c, again, now);
        fsmemory_adopt(b.c, again, t, now);
        struct fs_usage *u = &user(&b, "ann")->fs;
        fs_charge(b.c, now - 5, now);
        assert_near(fs_window(b.c, u, 0), 600);
        assert_near(fs_window(b.c, u, 1), HOUR);
        assert_near(fs_window(b.c, u, 2), HOUR);
        assert_near(fs_window(b.c, u, 3), HOUR);
        assert_near(u->old, HOUR * (0.5 + 0.25 + 0.125));
        world_destroy(&a);
        world_destroy(&b);
    }
}

static void a_job_started_in_the_gap_pays_from_its_start(void **state)
{
    (void)state;
    struct world b = begin();
    int64_t t = 10 * HOUR;
    struct fs_memory m = {CRED_USER, "ann", t, 1, {10}};

    fsmemory_load(b.c, &m, t + 900);
    struct job *j = world_running(&b, "ann", 3);
    fs_job_start(b.c, j, t + 900);
    fsmemory_adopt(b.c, j, t + 500, t + 900);
    fs_charge(b.c, t, t + 900);
    assert_near(window(&b, "ann", 0), 10 + 3 * 400);
    world_destroy(&b);
}

static void nonsense_in_a_memory_is_left_out(void **state)
{
    (void)state;
    struct world b = begin();
    struct fs_memory m = {CRED_USER, "ann", HOUR, 3, {NAN, -5, 7}};
    struct fs_memory future = {CRED_USER, "bob", 1000 * HOUR, 1, {9}};

    fsmemory_load(b.c, &m, HOUR);
    fsmemory_load(b.c, &future, HOUR);
    assert_near(window(&b, "ann", 0), 0);
    assert_near(window(&b, "ann", 1), 0);
    assert_near(window(&b, "ann", 2), 7);
    assert_near(window(&b, "bob", 0), 9); /* a clock that was set back */
    world_destroy(&b);
}

static void without_fairshare_nothing_is_loaded_or_told(void **state)
{
    (void)state;
    struct world b = begin();
    struct copy copy = {.to = &b};
    struct fs_memory m = {CRED_USER, "ann", HOUR, 1, {7}};

    b.s->fs.policy = FS_OFF;
    fsmemory_load(b.c, &m, HOUR);
    fsmemory_each(b.c, true, HOUR, &copy, load);
    assert_int_equal(copy.rows, 0);
    world_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_comes_back_window_by_window),
        cmocka_unit_test(windows_that_passed_meanwhile_have_rolled),
        cmocka_unit_test(what_is_written_reaches_into_a_window_not_opened_yet),
        cmocka_unit_test(a_job_that_ran_on_pays_for_the_gap),
        cmocka_unit_test(each_credential_knows_up_to_when_its_record_tells),
        cmocka_unit_test(who_uses_something_now_can_be_written_down),
        cmocka_unit_test(a_gap_over_several_windows_is_split_at_their_boundaries),
        cmocka_unit_test(a_job_started_in_the_gap_pays_from_its_start),
        cmocka_unit_test(nonsense_in_a_memory_is_left_out),
        cmocka_unit_test(without_fairshare_nothing_is_loaded_or_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
