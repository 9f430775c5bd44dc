/* SPDX-License-Identifier: Apache-2.0
 * Records, the journal, and the batch that both are changed in. */
#include "kit.h"
#include "store/private.h"

#include <sys/wait.h>

static int collect(void *arg, const char *key, const char *value)
{
    char *text = arg;

    strcat(strcat(strcat(strcat(text, key), "="), value), " ");
    return strcmp(key, "stop") == 0 ? 7 : 0;
}

static void a_committed_record_is_there_after_reopening(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "1.a", "{\"hold\":\"user\"}");
    kit_commit(kit);
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "1.a"), "{\"hold\":\"user\"}");
    assert_string_equal(kit_get(kit, "1.b"), "");
}

static void a_put_replaces_and_a_delete_removes(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_put(kit, "1", "2");
    assert_string_equal(kit_get(kit, "1"), "2");
    assert_int_equal(store_delete(kit->store, "job", "1", &kit->err), 0);
    assert_int_equal(store_delete(kit->store, "job", "never there", &kit->err), 0);
    assert_string_equal(kit_get(kit, "1"), "");
    kit_commit(kit);
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "1"), "");
}

static void kinds_do_not_mix_and_keys_come_in_order(void **state)
{
    struct kit *kit = *state;
    char text[200] = "";

    kit_open(kit);
    kit_put(kit, "b", "2");
    kit_put(kit, "a", "1");
    kit_put(kit, "B", "3");
    kit_put(kit, "\xc3\xa4", "4");
    store_put(kit->store, "jobs", "a", "9", NULL);
    store_put(kit->store, "reservation", "a", "8", NULL);
    assert_int_equal(store_each(kit->store, "job", collect, text, &kit->err), 0);
    assert_string_equal(text, "B=3 a=1 b=2 \xc3\xa4=4 ");
}

static void a_walk_ends_when_the_callback_says_so(void **state)
{
    struct kit *kit = *state;
    char text[200] = "";

    kit_open(kit);
    kit_put(kit, "a", "1");
    kit_put(kit, "stop", "2");
    kit_put(kit, "x", "3");
    assert_int_equal(store_each(kit->store, "job", collect, text, &kit->err), 7);
    assert_string_equal(text, "a=1 stop=2 ");
    kit_put(kit, "y", "4"); /* and changes are allowed again */
    kit_commit(kit);
}

static int walk_inside(void *arg, const char *key, const char *value)
{
    struct kit *kit = arg;
    char text[200] = "";

    (void)value;
    assert_string_not_equal(kit_get(kit, key), "");
    assert_int_equal(store_each(kit->store, "job", collect, text, &kit->err), 0);
    assert_string_equal(text, "a=1 b=2 ");
    return 0;
}

static void walks_can_be_nested(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "a", "1");
    kit_put(kit, "b", "2");
    assert_int_equal(store_each(kit->store, "job", walk_inside, kit, &kit->err), 0);
}

static int change_inside(void *arg, const char *key, const char *value)
{
    (void)value;
    return store_delete(arg, "job", key, NULL) == 0 ? 0 : 1;
}

static void a_change_during_a_walk_is_a_broken_invariant(void **state)
{
    struct kit *kit = *state;
    pid_t child;
    int status;

    kit_open(kit);
    kit_put(kit, "a", "1");
    kit_commit(kit);
    kit_close(kit);
    child = fork();
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        if (store_open(kit->path, NULL, &kit->store, NULL) == 0)
            store_each(kit->store, "job", change_inside, kit->store, NULL);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void any_text_is_kept_byte_by_byte(void **state)
{
    struct kit *kit = *state;
    const char *key = "it's; DROP TABLE record--\"\\\n\xff";
    char *value, *large = malloc(300001);

    memset(large, 'x', 300000);
    large[300000] = '\0';
    kit_open(kit);
    assert_int_equal(store_put(kit->store, "message", key, large, &kit->err), 0);
    assert_int_equal(store_put(kit->store, "message", "", "", &kit->err), 0);
    kit_commit(kit);
    kit_reopen(kit);
    assert_int_equal(store_get(kit->store, "message", key, &value, &kit->err), 0);
    assert_string_equal(value, large);
    free(value);
    assert_int_equal(store_get(kit->store, "message", "", &value, &kit->err), 0);
    assert_string_equal(value, "");
    free(value);
    free(large);
}

static void what_was_not_committed_is_lost(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_commit(kit);
    kit_put(kit, "1", "2");
    kit_put(kit, "2", "2");
    store_rollback(kit->store);
    assert_string_equal(kit_get(kit, "1"), "1");
    assert_string_equal(kit_get(kit, "2"), "");
    kit_put(kit, "1", "3");
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
}

static void a_failed_change_spoils_its_batch_until_it_ends(void **state)
{
    struct kit *kit = *state;
    struct store *s = kit_open(kit);
    sqlite3_stmt *stmt;

    kit_put(kit, "1", "1");
    stmt = store_change(s, KEPT_PUT, NULL, &kit->err);
    sqlite3_bind_text(stmt, 1, "job", -1, SQLITE_STATIC);
    assert_int_equal(store_change_end(s, stmt, &kit->err), -1); /* its key is NULL */
    assert_non_null(strstr(kit->err.text, "NOT NULL"));
    assert_int_equal(store_put(s, "job", "2", "2", &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "NOT NULL")); /* the first error */
    assert_string_equal(kit_get(kit, "1"), "");
    kit->err.text[0] = '\0';
    assert_int_equal(store_commit(s, &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "NOT NULL"));

    kit_put(kit, "3", "3");
    kit_commit(kit);
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "1"), "");
    assert_string_equal(kit_get(kit, "2"), "");
    assert_string_equal(kit_get(kit, "3"), "3");
}

static void a_rollback_ends_a_spoiled_batch_too(void **state)
{
    struct kit *kit = *state;
    struct store *s = kit_open(kit);

    store_change_end(
        s, store_change(s, KEPT_COMMIT, "ROLLBACK TO nowhere", NULL), NULL);
    assert_int_equal(store_delete(s, "job", "2", NULL), -1);
    store_rollback(s);
    kit_put(kit, "3", "3");
}

static void an_empty_commit_costs_no_flush(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_commit(kit);
    assert_int_equal(store_stats(kit->store).commits, 0);
}

static int collect_event(void *arg, int64_t seq, int64_t at, const char *text)
{
    char *line = arg;

    sprintf(line + strlen(line), "%d@%d:%s ", (int)seq, (int)at, text);
    return strcmp(text, "stop") == 0 ? 3 : 0;
}

static const char *events(struct kit *kit, int64_t first, int64_t last)
{
    static char line[400];

    line[0] = '\0';
    assert_int_equal(
        store_journal_each(kit->store, first, last, collect_event, line, &kit->err), 0);
    return line;
}

static int64_t add(struct kit *kit, int64_t at, const char *text)
{
    int64_t seq = -1;

    assert_int_equal(store_journal_add(kit->store, at, text, &seq, &kit->err), 0);
    return seq;
}

static int64_t last(struct kit *kit)
{
    int64_t seq = -1;

    assert_int_equal(store_journal_last(kit->store, &seq, &kit->err), 0);
    return seq;
}

static void events_are_numbered_from_one_and_come_in_order(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    assert_int_equal(last(kit), 0);
    assert_int_equal(add(kit, 50, "a"), 1);
    assert_int_equal(add(kit, 40, "b"), 2); /* a clock may go back */
    assert_int_equal(add(kit, 60, "c"), 3);
    assert_int_equal(last(kit), 3);
    kit_commit(kit);
    kit_reopen(kit);
    assert_int_equal(last(kit), 3);
    assert_string_equal(events(kit, 0, INT64_MAX), "1@50:a 2@40:b 3@60:c ");
    assert_string_equal(events(kit, 2, 2), "2@40:b ");
    assert_string_equal(events(kit, 3, 2), "");
}

static void a_walk_over_events_can_be_ended(void **state)
{
    struct kit *kit = *state;
    char line[100] = "";

    kit_open(kit);
    add(kit, 1, "stop");
    add(kit, 2, "b");
    assert_int_equal(
        store_journal_each(kit->store, 1, 9, collect_event, line, &kit->err), 3);
    assert_string_equal(line, "1@1:stop ");
}

static void a_trimmed_number_is_never_given_again(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    for (int i = 1; i <= 5; i++)
        add(kit, i, "e");
    assert_int_equal(store_journal_trim(kit->store, 4, &kit->err), 0);
    assert_string_equal(events(kit, 0, 99), "4@4:e 5@5:e ");
    assert_int_equal(store_journal_trim(kit->store, 99, &kit->err), 0);
    kit_commit(kit);
    kit_reopen(kit);
    assert_int_equal(last(kit), 5);
    assert_int_equal(add(kit, 6, "f"), 6);
}

static void the_size_is_that_of_the_texts_from_a_number_on(void **state)
{
    struct kit *kit = *state;
    int64_t bytes = -1;

    kit_open(kit);
    assert_int_equal(store_journal_size(kit->store, 1, &bytes, &kit->err), 0);
    assert_int_equal(bytes, 0);
    add(kit, 1, "abc");
    add(kit, 2, "d\xc3\xa4"); /* bytes, not characters */
    add(kit, 3, "e");
    assert_int_equal(store_journal_size(kit->store, 1, &bytes, &kit->err), 0);
    assert_int_equal(bytes, 7);
    assert_int_equal(store_journal_size(kit->store, 2, &bytes, &kit->err), 0);
    assert_int_equal(bytes, 4);
    assert_int_equal(store_journal_trim(kit->store, 3, &kit->err), 0);
    assert_int_equal(store_journal_size(kit->store, 1, &bytes, &kit->err), 0);
    assert_int_equal(bytes, 1);
}

static void an_event_that_was_rolled_back_leaves_no_gap(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    add(kit, 1, "a");
    kit_commit(kit);
    add(kit, 2, "lost");
    store_rollback(kit->store);
    assert_int_equal(add(kit, 3, "b"), 2);
}

static void a_trimmed_journal_does_not_grow(void **state)
{
    struct kit *kit = *state;
    int64_t settled = 0;
    char text[1000];

    memset(text, '7', sizeof text);
    text[sizeof text - 1] = '\0';
    kit_open(kit);
    for (int i = 1; i <= 60; i++) {
        int64_t seq = 0;

        for (int k = 0; k < 50; k++)
            seq = add(kit, i, text);
        assert_int_equal(store_journal_trim(kit->store, seq - 100, &kit->err), 0);
        kit_commit(kit);
        assert_int_equal(store_idle(kit->store, &kit->err), 0);
        if (i == 20)
            settled = store_stats(kit->store).file_bytes;
    }
    assert_true(store_stats(kit->store).file_bytes <= settled + 3 * 4096);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_committed_record_is_there_after_reopening),
        TEST(a_put_replaces_and_a_delete_removes),
        TEST(kinds_do_not_mix_and_keys_come_in_order),
        TEST(a_walk_ends_when_the_callback_says_so),
        TEST(walks_can_be_nested),
        TEST(a_change_during_a_walk_is_a_broken_invariant),
        TEST(any_text_is_kept_byte_by_byte),
        TEST(what_was_not_committed_is_lost),
        TEST(a_failed_change_spoils_its_batch_until_it_ends),
        TEST(a_rollback_ends_a_spoiled_batch_too),
        TEST(an_empty_commit_costs_no_flush),
        TEST(events_are_numbered_from_one_and_come_in_order),
        TEST(a_walk_over_events_can_be_ended),
        TEST(a_trimmed_number_is_never_given_again),
        TEST(the_size_is_that_of_the_texts_from_a_number_on),
        TEST(an_event_that_was_rolled_back_leaves_no_gap),
        TEST(a_trimmed_journal_does_not_grow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
