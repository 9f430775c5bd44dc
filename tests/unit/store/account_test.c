/* SPDX-License-Identifier: Apache-2.0
 * Accounting rows of ended jobs. */
#include "kit.h"
#include "store/account.h"
#include "store/private.h"

static const struct store_account full = {.job = "17.server",
    .name = "melt",
    .user = "john",
    .group = "staff",
    .account = "physics",
    .class = "batch",
    .qos = "high",
    .partition = "DEFAULT",
    .state = "Completed",
    .submit_at = 100,
    .queue_at = 110,
    .start_at = 200,
    .end_at = 300,
    .wclimit_s = 3600,
    .procs = 8,
    .nodes = 2,
    .tasks = 4,
    .mem_mb = 512,
    .cpu_s = 799.5,
    .exit_status = 271,
    .backfilled = true,
    .priority = -5000000000,
    .hosts = "n[01-02]",
    .extra = "{\"notes\":\"killed\"}"};

static int is_full(void *arg, const struct store_account *row)
{
    ++*(int *)arg;
    assert_string_equal(row->job, full.job);
    assert_string_equal(row->name, full.name);
    assert_string_equal(row->user, full.user);
    assert_string_equal(row->group, full.group);
    assert_string_equal(row->account, full.account);
    assert_string_equal(row->class, full.class);
    assert_string_equal(row->qos, full.qos);
    assert_string_equal(row->partition, full.partition);
    assert_string_equal(row->state, full.state);
    assert_int_equal(row->submit_at, full.submit_at);
    assert_int_equal(row->queue_at, full.queue_at);
    assert_int_equal(row->start_at, full.start_at);
    assert_int_equal(row->end_at, full.end_at);
    assert_int_equal(row->wclimit_s, full.wclimit_s);
    assert_int_equal(row->procs, full.procs);
    assert_int_equal(row->nodes, full.nodes);
    assert_int_equal(row->tasks, full.tasks);
    assert_int_equal(row->mem_mb, full.mem_mb);
    assert_true(row->cpu_s == full.cpu_s);
    assert_int_equal(row->exit_status, full.exit_status);
    assert_true(row->backfilled);
    assert_int_equal(row->priority, full.priority);
    assert_string_equal(row->hosts, full.hosts);
    assert_string_equal(row->extra, full.extra);
    return 0;
}

static void every_field_comes_back(void **state)
{
    struct kit *kit = *state;
    const struct store_account_filter all = {0};
    int rows = 0;

    kit_open(kit);
    assert_int_equal(store_account_add(kit->store, &full, &kit->err), 0);
    kit_commit(kit);
    kit_reopen(kit);
    assert_int_equal(
        store_account_each(kit->store, &all, is_full, &rows, &kit->err), 0);
    assert_int_equal(rows, 1);
}

static int is_empty(void *arg, const struct store_account *row)
{
    ++*(int *)arg;
    assert_string_equal(row->job, "1");
    assert_string_equal(row->user, "");
    assert_string_equal(row->extra, "");
    assert_int_equal(row->start_at, 0);
    assert_false(row->backfilled);
    return 0;
}

static void what_is_not_known_is_empty(void **state)
{
    struct kit *kit = *state;
    const struct store_account_filter all = {0};
    const struct store_account row = {.job = "1"};
    int rows = 0;

    kit_open(kit);
    assert_int_equal(store_account_add(kit->store, &row, &kit->err), 0);
    assert_int_equal(
        store_account_each(kit->store, &all, is_empty, &rows, &kit->err), 0);
    assert_int_equal(rows, 1);
}

static int collect_state(void *arg, const struct store_account *row)
{
    strcat(strcat(arg, row->state), ".");
    return 0;
}

static void add(struct kit *kit, const char *job, int64_t submit_at, const char *state)
{
    const struct store_account row = {
        .job = job, .submit_at = submit_at, .state = state, .end_at = 10};

    assert_int_equal(store_account_add(kit->store, &row, &kit->err), 0);
}

static void a_job_has_one_row_whoever_tells_of_its_end_again(void **state)
{
    struct kit *kit = *state;
    const struct store_account_filter all = {0};
    char found[100] = "";

    kit_open(kit);
    add(kit, "1", 5, "Removed");
    add(kit, "1", 5, "Completed"); /* in the same batch */
    kit_commit(kit);
    add(kit, "1", 5, "Completed"); /* and later */
    add(kit, "2", 5, "Vacated");
    add(kit, "2", 5, "Completed"); /* it was found again */
    add(kit, "2", 5, "Removed");
    add(kit, "1", 6, "Completed"); /* the number began anew */
    add(kit, "3", 0, "Vacated");   /* nobody knows of which */
    add(kit, "3", 0, "Vacated");
    kit_commit(kit);
    assert_int_equal(
        store_account_each(kit->store, &all, collect_state, found, &kit->err), 0);
    assert_string_equal(found, "Removed.Completed.Completed.Vacated.Vacated.");
}

static int collect_times(void *arg, const struct store_account *row)
{
    char text[100];

    snprintf(text, sizeof text, "%s %s %lld-%lld %s.", row->job, row->state,
        (long long)row->start_at, (long long)row->end_at, row->user);
    strcat(arg, text);
    return 0;
}

/* It was cancelled, and its resource manager ended it later. */
static void what_ended_later_than_its_row_says_has_that_end(void **state)
{
    struct kit *kit = *state;
    const struct store_account_filter all = {0};
    struct store_account row = {.job = "1",
        .user = "ann",
        .state = "Removed",
        .submit_at = 5,
        .start_at = 7,
        .end_at = 10};
    char found[200] = "";

    kit_open(kit);
    assert_int_equal(store_account_add(kit->store, &row, &kit->err), 0);
    row = (struct store_account){.job = "1",
        .state = "Completed",
        .submit_at = 5,
        .start_at = 10,
        .end_at = 30,
        .later = true};
    assert_int_equal(store_account_add(kit->store, &row, &kit->err), 0);
    row.job = "2"; /* its row is not there any more */
    assert_int_equal(store_account_add(kit->store, &row, &kit->err), 0);
    kit_commit(kit);
    assert_int_equal(
        store_account_each(kit->store, &all, collect_times, found, &kit->err), 0);
    assert_string_equal(found, "1 Completed 7-30 ann.2 Completed 10-30 .");
}

/* Jobs 1..6 end at 10, 20, ... but 3 and 4 at the same time. */
static void add_six(struct kit *kit)
{
    static const struct store_account rows[] = {
        {.job = "1", .user = "ann", .group = "g", .account = "x", .end_at = 10},
        {.job = "2", .user = "bob", .group = "g", .account = "y", .end_at = 20},
        {.job = "3", .user = "ann", .class = "batch", .qos = "high", .end_at = 30},
        {.job = "4", .user = "bob", .class = "batch", .qos = "low", .end_at = 30},
        {.job = "6", .user = "ann", .account = "x", .end_at = 60},
        {.job = "5", .user = "eve", .account = "x", .end_at = 50},
    };

    kit_open(kit);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(store_account_add(kit->store, &rows[i], &kit->err), 0);
    kit_commit(kit);
}

static int collect_job(void *arg, const struct store_account *row)
{
    strcat(arg, row->job);
    return 0;
}

static void expect_jobs(
    struct kit *kit, struct store_account_filter filter, const char *jobs)
{
    char found[50] = "";

    assert_int_equal(
        store_account_each(kit->store, &filter, collect_job, found, &kit->err), 0);
    assert_string_equal(found, jobs);
}

#define JOBS(jobs, ...)                                                                \
    expect_jobs(kit, (struct store_account_filter){__VA_ARGS__}, jobs)

static void rows_come_by_their_end(void **state)
{
    struct kit *kit = *state;

    add_six(kit);
    JOBS("123456", .limit = 0);
    JOBS("654321", .newest_first = true);
    JOBS("12", .limit = 2);
    JOBS("65", .limit = 2, .newest_first = true);
}

static void a_time_range_has_its_begin_and_not_its_end(void **state)
{
    struct kit *kit = *state;

    add_six(kit);
    JOBS("34", .from_at = 30, .to_at = 50);
    JOBS("3456", .from_at = 30);
    JOBS("12", .to_at = 30);
    JOBS("", .from_at = 31, .to_at = 50);
}

static void credentials_narrow_the_rows(void **state)
{
    struct kit *kit = *state;

    add_six(kit);
    JOBS("136", .user = "ann");
    JOBS("36", .user = "ann", .from_at = 20);
    JOBS("12", .group = "g");
    JOBS("156", .account = "x");
    JOBS("16", .account = "x", .user = "ann");
    JOBS("34", .class = "batch");
    JOBS("4", .class = "batch", .qos = "low");
    JOBS("6", .user = "ann", .newest_first = true, .limit = 1);
    JOBS("", .user = "nobody' OR 1");
}

static int stop_at_once(void *arg, const struct store_account *row)
{
    (void)row;
    return ++*(int *)arg;
}

static void a_walk_over_rows_can_be_ended(void **state)
{
    struct kit *kit = *state;
    const struct store_account_filter all = {0};
    int calls = 0;

    add_six(kit);
    assert_int_equal(
        store_account_each(kit->store, &all, stop_at_once, &calls, &kit->err), 1);
    assert_int_equal(calls, 1);
}

static void rows_are_part_of_the_batch(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    assert_int_equal(store_account_add(kit->store, &full, &kit->err), 0);
    store_rollback(kit->store);
    JOBS("", .limit = 0);
}

static int note_end(void *arg, const struct store_span *span)
{
    char text[24];

    snprintf(text, sizeof text, "%lld ", (long long)span->end_at);
    strcat(arg, text);
    return 0;
}

/* Each part is told as it comes, "|" behind it. */
static void expect_spans(struct kit *kit, const struct store_account_filter *filter,
    int64_t rows, const char *spans, int64_t seen)
{
    struct store_spans walk = {0};
    const struct store_account late = {.job = "9", .user = "ann", .end_at = 25};
    char found[200] = "";
    int more;

    do {
        more = store_account_spans(
            kit->store, filter, &walk, rows, note_end, found, &kit->err);
        assert_in_range(more, 0, 1);
        strcat(found, "|");
        if (more) /* of another walk */
            assert_int_equal(store_account_add(kit->store, &late, &kit->err), 0);
    } while (more);
    store_rollback(kit->store);
    assert_string_equal(found, spans);
    assert_int_equal(walk.seen, seen);
}

static void spans_are_told_in_parts(void **state)
{
    struct kit *kit = *state;
    const struct store_account_filter all = {0}, four = {.limit = 4},
                                      ann = {.user = "ann"}, to = {.to_at = 30},
                                      high = {.qos = "high", .limit = 4};

    add_six(kit);
    expect_spans(kit, &all, 10, "60 50 30 30 20 10 |", 6);
    expect_spans(
        kit, &all, 1, "60 |50 |30 |30 |20 |10 ||", 6); /* two at the same time */
    expect_spans(kit, &four, 3, "60 50 30 |30 |", 4);
    expect_spans(kit, &four, 4, "60 50 30 30 |", 4);
    expect_spans(kit, &ann, 2, "60 30 |10 |", 3);
    expect_spans(kit, &to, 1, "20 |10 ||", 2);
    expect_spans(kit, &high, 2, "|30 |", 4); /* who does not pass is looked at too */
}

/* Of a day's jobs not each is looked at. */
static void a_job_is_found_by_index(void **state)
{
    struct kit *kit = *state;
    const char *plan;
    sqlite3_stmt *stmt;
    int rc;

    add_six(kit);
    stmt = sql_walk(kit->store,
        "EXPLAIN QUERY PLAN SELECT * FROM account WHERE end_at >= 1 AND end_at < 9"
        " AND \"job\" = 'a' AND submit_at > 0 ORDER BY end_at DESC, id DESC LIMIT 1",
        &kit->err);
    assert_non_null(stmt);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    plan = (const char *)sqlite3_column_text(stmt, 3);
    assert_non_null(strstr(plan, "USING INDEX account_job"));
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        ;
    sql_walked(kit->store, stmt, rc, 0, &kit->err);
    JOBS("1", .job = "1");
    JOBS("", .job = "1", .submitted = true);
}

static void indexes_find_time_ranges_and_users(void **state)
{
    static const char *const questions[] = {
        "EXPLAIN QUERY PLAN SELECT * FROM account WHERE end_at >= 1 AND end_at < 9"
        " ORDER BY end_at, id LIMIT 5",
        "EXPLAIN QUERY PLAN SELECT * FROM account WHERE end_at >= 1 AND end_at < 9"
        " AND \"user\" = 'a' ORDER BY end_at DESC, id DESC LIMIT 5",
        /* thousands that ended in one second are not walked through again */
        "EXPLAIN QUERY PLAN SELECT * FROM account WHERE end_at = 9 AND id < 9"
        " AND id <= 99 ORDER BY end_at DESC, id DESC LIMIT 5",
    };
    static const char *const plans[] = {"SEARCH account USING INDEX account_end",
        "SEARCH account USING INDEX account_user",
        "SEARCH account USING INDEX account_end (end_at=? AND rowid<?)"};
    struct kit *kit = *state;

    kit_open(kit);
    for (int i = 0; i < 3; i++) {
        sqlite3_stmt *stmt = sql_walk(kit->store, questions[i], &kit->err);
        int rc;

        assert_non_null(stmt);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        assert_ptr_equal(strstr((const char *)sqlite3_column_text(stmt, 3), plans[i]),
            (const char *)sqlite3_column_text(stmt, 3));
        rc = sqlite3_step(stmt); /* no second step that sorts */
        assert_int_equal(rc, SQLITE_DONE);
        sql_walked(kit->store, stmt, rc, 0, &kit->err);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_field_comes_back),
        TEST(what_is_not_known_is_empty),
        TEST(a_job_has_one_row_whoever_tells_of_its_end_again),
        TEST(what_ended_later_than_its_row_says_has_that_end),
        TEST(rows_come_by_their_end),
        TEST(a_time_range_has_its_begin_and_not_its_end),
        TEST(credentials_narrow_the_rows),
        TEST(a_walk_over_rows_can_be_ended),
        TEST(rows_are_part_of_the_batch),
        TEST(spans_are_told_in_parts),
        TEST(a_job_is_found_by_index),
        TEST(indexes_find_time_ranges_and_users),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
