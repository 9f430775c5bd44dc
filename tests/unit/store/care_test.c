/* SPDX-License-Identifier: Apache-2.0
 * Backup, check, figures, and carrying the log over. */
#include "kit.h"
#include "store/account.h"
#include "store/private.h"

static void a_backup_has_what_is_committed_and_is_private(void **state)
{
    struct kit *kit = *state;
    struct stat st;

    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_commit(kit);
    kit_put(kit, "2", "2"); /* an open batch does not get into it, nor is it lost */
    assert_int_equal(store_backup(kit->store, kit_path(kit, "copy.db"), &kit->err), 0);
    kit_commit(kit);
    assert_int_equal(stat(kit_path(kit, "copy.db"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_false(kit_exists(kit_path(kit, "copy.db.part")));
    assert_string_equal(kit_get(kit, "2"), "2");
    kit_close(kit);
    snprintf(kit->path, sizeof kit->path, "%s", kit_path(kit, "copy.db"));
    kit_open(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
    assert_string_equal(kit_get(kit, "2"), "");
}

static void a_backup_replaces_the_one_before(void **state)
{
    struct kit *kit = *state;
    const struct store_options look = {.read_only = true};

    kit_open(kit);
    for (int i = 1; i <= 3; i++) {
        kit_put(kit, "1", i == 1 ? "1" : i == 2 ? "2" : "3");
        kit_commit(kit);
        assert_int_equal(
            store_backup(kit->store, kit_path(kit, "copy.db"), &kit->err), 0);
    }
    kit_close(kit);
    assert_int_equal(
        store_open(kit_path(kit, "copy.db"), &look, &kit->store, &kit->err), 0);
    assert_string_equal(kit_get(kit, "1"), "3");
}

static void a_backup_that_fails_leaves_nothing_behind(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    assert_int_equal(mkdir(kit_path(kit, "copy.db"), 0700), 0);
    assert_int_equal(store_backup(kit->store, kit_path(kit, "copy.db"), &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "cannot be put in place"));
    assert_false(kit_exists(kit_path(kit, "copy.db.part")));
    assert_int_equal(
        store_backup(kit->store, kit_path(kit, "none/copy.db"), &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "No such file or directory"));
    assert_int_equal(store_backup(kit->store, kit->path, &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "is the state file itself"));
    kit_put(kit, "1", "1");
    kit_commit(kit);
}

static void tell(void *arg, const char *problem)
{
    strcat(strcat(arg, problem), "\n");
}

static int check(struct kit *kit, char *text)
{
    text[0] = '\0';
    return store_check(kit->store, tell, text, &kit->err);
}

static void a_sound_file_has_no_problems(void **state)
{
    const struct store_account row = {.job = "1", .start_at = 1, .end_at = 2};
    struct kit *kit = *state;
    char text[1000];

    kit_open(kit);
    assert_int_equal(check(kit, text), 0);
    kit_put(kit, "1", "{\"a\":[1,null]}");
    store_journal_add(kit->store, 1, "{}", NULL, NULL);
    store_journal_add(kit->store, 2, "{}", NULL, NULL);
    store_journal_trim(kit->store, 2, NULL);
    store_account_add(kit->store, &row, NULL);
    kit_commit(kit);
    assert_int_equal(check(kit, text), 0);
    assert_string_equal(text, "");
}

static void what_does_not_make_sense_is_told(void **state)
{
    const struct store_account row = {
        .job = "8", .start_at = 3, .end_at = 2, .extra = "x"};
    struct kit *kit = *state;
    char text[1000];

    kit_open(kit);
    kit_put(kit, "1", "{\"a\":");
    for (int i = 0; i < 5; i++)
        store_journal_add(kit->store, 1, i == 4 ? "oh" : "{}", NULL, NULL);
    store_account_add(kit->store, &row, NULL);
    kit_commit(kit);
    assert_int_equal(sql_exec(kit->store, "DELETE FROM journal WHERE seq IN (2, 3)",
                         "testing", &kit->err),
        0);
    assert_int_equal(check(kit, text), 5);
    assert_string_equal(text, "job 1: its value is not JSON\n"
                              "journal: event 5 is not JSON\n"
                              "journal: 2 events are missing between 1 and 5\n"
                              "account of job 8: it ended before it started\n"
                              "account of job 8: its extra text is not JSON\n");
}

static void damaged_pages_are_told_not_an_error(void **state)
{
    const struct store_options look = {.read_only = true};
    struct kit *kit = *state;
    char text[20000], key[20], *bytes;
    size_t size;

    kit_open(kit);
    for (int i = 0; i < 2000; i++) {
        snprintf(key, sizeof key, "%d", i);
        kit_put(kit, key, "{\"what\":\"some text to fill the pages of the file\"}");
    }
    kit_commit(kit);
    kit_close(kit);
    bytes = kit_read(kit->path, &size);
    memset(bytes + 10 * 4096, 0xff, 64);
    kit_write(kit->path, bytes, size);
    free(bytes);
    assert_int_equal(store_open(kit->path, &look, &kit->store, &kit->err), 0);
    assert_true(check(kit, text) > 0);
    assert_non_null(strstr(text, "file: "));
}

static void figures_count_what_was_committed(void **state)
{
    struct kit *kit = *state;
    struct store_stats stats;

    kit_open(kit);
    stats = store_stats(kit->store);
    assert_int_equal(stats.commits, 0);
    kit_put(kit, "1", "1");
    kit_put(kit, "2", "1");
    store_rollback(kit->store);
    kit_put(kit, "1", "1");
    store_delete(kit->store, "job", "never there", NULL);
    store_journal_add(kit->store, 1, "{}", NULL, NULL);
    kit_commit(kit);
    kit_put(kit, "1", "2");
    store_journal_trim(kit->store, 9, NULL);
    kit_commit(kit);
    kit_put(kit, "lost", "2");
    stats = store_stats(kit->store);
    assert_int_equal(stats.commits, 2);
    assert_int_equal(stats.failed_commits, 0);
    assert_int_equal(stats.changes, 4);
    assert_true(stats.last_commit_us > 0);
    assert_true(stats.longest_commit_us >= stats.last_commit_us);
    assert_true(stats.log_bytes > 0);
}

static void idling_carries_the_log_over_and_keeps_it_small(void **state)
{
    struct kit *kit = *state;
    char value[4000];
    int64_t log = 0;

    memset(value, '1', sizeof value);
    value[sizeof value - 1] = '\0';
    kit_open(kit);
    for (int i = 0; i < 30; i++) {
        kit_put(kit, i % 2 ? "1" : "2", value);
        kit_commit(kit);
        assert_int_equal(store_idle(kit->store, &kit->err), 0);
        assert_int_equal(store_idle(kit->store, &kit->err), 0);
        if (i == 3)
            log = store_stats(kit->store).log_bytes;
    }
    assert_int_equal(store_stats(kit->store).log_bytes, log);
    assert_true(store_stats(kit->store).file_bytes > 4 * 4096);
}

static void idling_with_an_open_batch_leaves_it_alone(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_commit(kit);
    kit_put(kit, "2", "2");
    assert_int_equal(store_idle(kit->store, &kit->err), 0);
    kit_commit(kit);
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "2"), "2");
}

static void a_busy_store_keeps_its_log_bounded(void **state)
{
    struct kit *kit = *state;
    char *value = malloc(1 << 20);

    memset(value, '1', 1 << 20);
    value[(1 << 20) - 1] = '\0';
    kit_open(kit);
    for (int i = 0; i < 60; i++) { /* 60 MB, never idle */
        kit_put(kit, "1", value);
        kit_commit(kit);
    }
    assert_true(store_stats(kit->store).log_bytes < 20 << 20);
    free(value);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_backup_has_what_is_committed_and_is_private),
        TEST(a_backup_replaces_the_one_before),
        TEST(a_backup_that_fails_leaves_nothing_behind),
        TEST(a_sound_file_has_no_problems),
        TEST(what_does_not_make_sense_is_told),
        TEST(damaged_pages_are_told_not_an_error),
        TEST(figures_count_what_was_committed),
        TEST(idling_carries_the_log_over_and_keeps_it_small),
        TEST(idling_with_an_open_batch_leaves_it_alone),
        TEST(a_busy_store_keeps_its_log_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
