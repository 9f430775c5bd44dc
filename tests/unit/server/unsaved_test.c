/* SPDX-License-Identifier: Apache-2.0
 * Changes on their way to the disk, while another program keeps the file locked. */
#include "am/am.h"
#include "base/xalloc.h"
#include "server/durable/unsaved.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct scene {
    char folder[40], path[60];
    struct store *store;
    struct unsaved *unsaved;
};

static int set_up(void **state)
{
    struct scene *t = xcalloc(1, sizeof *t);
    struct store_options opt = {.busy_timeout_ms = 1};
    struct err err;

    strcpy(t->folder, "/tmp/maui-unsaved-XXXXXX");
    assert_non_null(mkdtemp(t->folder));
    snprintf(t->path, sizeof t->path, "%s/state.db", t->folder);
    assert_int_equal(store_open(t->path, &opt, &t->store, &err), 0);
    t->unsaved = unsaved_open(t->store);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *t = *state;
    char command[100];

    unsaved_close(t->unsaved);
    store_close(t->store);
    snprintf(command, sizeof command, "rm -rf %s", t->folder);
    assert_int_equal(system(command), 0);
    free(t);
    return 0;
}

static sqlite3 *lock(const struct scene *t)
{
    sqlite3 *other;

    assert_int_equal(sqlite3_open(t->path, &other), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return other;
}

static char *value(const struct scene *t, const char *key)
{
    char *text = NULL;
    struct err err;

    assert_int_equal(store_get(t->store, "job", key, &text, &err), 0);
    return text;
}

static int count(void *n, const struct store_account *row)
{
    assert_string_equal(row->job, "7");
    assert_string_equal(row->user, "ann");
    ++*(int *)n;
    return 0;
}

static int count_event(void *n, int64_t seq, int64_t at, const char *text)
{
    assert_string_equal(text, "{\"n\":1}");
    assert_int_equal(at, 5);
    *(int *)n += (int)seq;
    return 0;
}

static void a_failed_commit_loses_nothing_and_keeps_the_order(void **state)
{
    struct scene *t = *state;
    struct store_account row = {.job = "7", .user = "ann", .cpu_s = 0.0 / 1};
    struct store_account_filter all = {0};
    struct err err;
    sqlite3 *other = lock(t);
    int rows = 0, events = 0;

    unsaved_put(t->unsaved, "job", "7", "{\"v\":1}");
    unsaved_put(t->unsaved, "job", "8", "{\"v\":1}");
    unsaved_account(t->unsaved, &row);
    unsaved_journal(t->unsaved, 5, "{\"n\":1}");
    assert_int_equal(unsaved_commit(t->unsaved, &err), -1);
    assert_non_null(strstr(err.text, "another program has it locked"));
    unsaved_delete(t->unsaved, "job", "7");
    unsaved_put(t->unsaved, "job", "8", "{\"v\":2}");
    assert_int_equal(unsaved_commit(t->unsaved, &err), -1);
    sqlite3_close(other);
    assert_int_equal(unsaved_commit(t->unsaved, &err), 0);
    assert_null(value(t, "7"));
    char *eight = value(t, "8");
    assert_string_equal(eight, "{\"v\":2}");
    free(eight);
    assert_int_equal(store_account_each(t->store, &all, count, &rows, &err), 0);
    assert_int_equal(rows, 1);
    assert_int_equal(store_journal_each(t->store, 0, 9, count_event, &events, &err), 0);
    assert_int_equal(events, 1);
}

static void a_trim_comes_in_its_turn(void **state)
{
    struct scene *t = *state;
    struct err err;
    int events = 0;

    unsaved_journal(t->unsaved, 5, "{\"n\":0}");
    unsaved_journal(t->unsaved, 5, "{\"n\":1}");
    unsaved_trim(t->unsaved, 2);
    unsaved_journal(t->unsaved, 5, "{\"n\":1}");
    assert_int_equal(unsaved_commit(t->unsaved, &err), 0);
    assert_int_equal(store_journal_each(t->store, 0, 9, count_event, &events, &err), 0);
    assert_int_equal(events, 2 + 3);
}

static void what_was_told_can_be_read_before_the_commit(void **state)
{
    struct scene *t = *state;

    unsaved_put(t->unsaved, "job", "7", "{}");
    unsaved_tell(t->unsaved);
    char *text = value(t, "7");
    assert_string_equal(text, "{}");
    free(text);
}

/* ---- steps: what the bank writes ---- */

struct charge {
    struct am am;
    struct am_charge what;
    bool made, forgotten;
};

static int make_charge(void *payload, struct err *err)
{
    struct charge *c = payload;

    c->made = am_charge(&c->am, &c->what, err ? err : &(struct err){0}) == AM_DONE;
    return c->made ? 0 : -1;
}

static void forget_charge(void *payload)
{
    ((struct charge *)payload)->forgotten = true;
}

static int64_t balance_of(struct am *am)
{
    struct am_balance b;

    assert_int_equal(am_balance(am, "chem", NULL, 20, &b, NULL), 0);
    return b.balance;
}

static void what_the_bank_writes_is_written_once_after_a_failed_commit(void **state)
{
    struct scene *t = *state;
    struct charge c = {
        .what = {
            .run = "7.r1", .account = "chem", .total = 300, .at = 10, .over = true}};
    const struct am_account account = {.name = "chem"};
    const struct am_request req = {.id = "a", .at = 1, .who = "root"};
    const struct am_deposit d = {.account = "chem", .amount = 1000, .to_at = AM_EVER};
    struct err err;

    am_init(&c.am, t->store);
    assert_int_equal(am_account_set(&c.am, &account, &err), 0);
    assert_int_equal(am_deposit(&c.am, &req, &d, NULL, &err), 0);
    assert_int_equal(store_commit(t->store, &err), 0);

    sqlite3 *other = lock(t);
    unsaved_later(t->unsaved, (struct unsaved_step){make_charge, forget_charge, &c});
    for (int i = 0; i < 3; i++)
        assert_int_equal(unsaved_commit(t->unsaved, &err), -1);
    assert_false(c.forgotten);
    sqlite3_close(other);
    assert_int_equal(unsaved_commit(t->unsaved, &err), 0);
    assert_true(c.made && c.forgotten);
    assert_int_equal(balance_of(&c.am), 700);
    assert_int_equal(unsaved_commit(t->unsaved, &err), 0);
    assert_int_equal(balance_of(&c.am), 700);
}

static void a_step_that_is_refused_now_is_not_kept(void **state)
{
    struct scene *t = *state;
    struct charge c = {.what = {.run = "7.r1", .account = "nosuch", .total = 300}};
    struct err err = {0};

    am_init(&c.am, t->store);
    assert_int_equal(unsaved_now(t->unsaved,
                         (struct unsaved_step){make_charge, forget_charge, &c}, &err),
        -1);
    assert_true(c.forgotten);
    assert_int_equal(unsaved_count(t->unsaved), 0);
    assert_string_equal(err.text, "no account 'nosuch'");
    assert_int_equal(unsaved_commit(t->unsaved, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_failed_commit_loses_nothing_and_keeps_the_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_trim_comes_in_its_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_was_told_can_be_read_before_the_commit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_the_bank_writes_is_written_once_after_a_failed_commit, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            a_step_that_is_refused_now_is_not_kept, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
