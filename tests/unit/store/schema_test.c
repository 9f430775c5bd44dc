/* SPDX-License-Identifier: Apache-2.0
 * Files of older versions: converted whole, or left as they were. */
#include "kit.h"
#include "store/account.h"
#include "store/private.h"

/* A file as schema 1 had it, with a row in each table. It stays as it is for ever, and
 * so does what schema 1 means in src/store/schema.c. */
#define VERSION_1_TABLES                                                               \
    "CREATE TABLE record("                                                             \
    " kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"                     \
    " PRIMARY KEY(kind, key)) WITHOUT ROWID;"                                          \
    "CREATE TABLE journal("                                                            \
    " seq INTEGER PRIMARY KEY AUTOINCREMENT,"                                          \
    " at INTEGER NOT NULL, text TEXT NOT NULL);"                                       \
    "CREATE TABLE account("                                                            \
    " id INTEGER PRIMARY KEY, job TEXT NOT NULL, name TEXT NOT NULL,"                  \
    " \"user\" TEXT NOT NULL, \"group\" TEXT NOT NULL, account TEXT NOT NULL,"         \
    " class TEXT NOT NULL, qos TEXT NOT NULL, partition TEXT NOT NULL,"                \
    " state TEXT NOT NULL, submit_at INTEGER NOT NULL, queue_at INTEGER NOT NULL,"     \
    " start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,"                             \
    " wclimit_s INTEGER NOT NULL, procs INTEGER NOT NULL, nodes INTEGER NOT NULL,"     \
    " tasks INTEGER NOT NULL, mem_mb INTEGER NOT NULL, cpu_s REAL NOT NULL,"           \
    " exit_status INTEGER NOT NULL, backfilled INTEGER NOT NULL,"                      \
    " priority INTEGER NOT NULL, hosts TEXT NOT NULL, extra TEXT NOT NULL);"           \
    "CREATE INDEX account_end ON account(end_at);"                                     \
    "CREATE INDEX account_user ON account(\"user\", end_at);"
#define VERSION_1_ROWS                                                                 \
    "INSERT INTO record VALUES('reservation', 'maint.1', '{\"nodes\":4}');"            \
    "INSERT INTO record VALUES('job', '7', '{\"hold\":\"system\"}');"                  \
    "INSERT INTO journal VALUES(41, 1000, '{\"event\":\"start\"}');"                   \
    "INSERT INTO journal VALUES(42, 1060, '{\"event\":\"end\"}');"                     \
    "INSERT INTO account VALUES(1, '6', 'melt', 'john', 'staff', 'physics', 'batch',"  \
    " 'high', 'DEFAULT', 'Completed', 900, 900, 1000, 1060, 3600, 8, 2, 8, 512, "      \
    "450.5,"                                                                           \
    " 0, 1, 1200, 'n[01-02]', '{}');"
#define VERSION_1_MARKS "PRAGMA application_id=0x4D415549; PRAGMA user_version=1;"

static void write_version_1(struct kit *kit)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(kit->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, VERSION_1_TABLES VERSION_1_ROWS VERSION_1_MARKS,
                         NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The frozen version 1 and `n - 1` versions that there might once be. */
static int open_later(struct kit *kit, const char *second, const char *third, size_t n)
{
    const struct migration list[] = {{1, VERSION_1_TABLES}, {2, second}, {3, third}};
    int result = store_open_schema(kit->path, NULL, list, n, &kit->store, &kit->err);

    if (result != 0)
        kit->store = NULL;
    return result;
}

#define SECOND                                                                         \
    "ALTER TABLE account ADD COLUMN energy_j INTEGER NOT NULL DEFAULT 0;"              \
    "UPDATE record SET kind = 'rsv' WHERE kind = 'reservation';"
#define THIRD "CREATE TABLE ledger(account TEXT PRIMARY KEY, amount REAL NOT NULL);"

static int64_t number(struct kit *kit, const char *sql)
{
    int64_t n;

    if (sql_number(kit->store, sql, &n, &kit->err) != 0)
        fail_msg("%s", kit->err.text);
    return n;
}

static int has_row(void *arg, const struct store_account *row)
{
    (void)arg;
    assert_string_equal(row->job, "6");
    assert_string_equal(row->hosts, "n[01-02]");
    assert_true(row->cpu_s == 450.5);
    return 5;
}

static void expect_version_1_rows(struct kit *kit)
{
    const struct store_account_filter john = {.user = "john"};
    int64_t last;

    assert_string_equal(kit_get(kit, "7"), "{\"hold\":\"system\"}");
    assert_int_equal(store_journal_last(kit->store, &last, &kit->err), 0);
    assert_int_equal(last, 42);
    assert_int_equal(
        store_account_each(kit->store, &john, has_row, NULL, &kit->err), 5);
}

static bool note_progress(void *arg, const char *doing)
{
    char *told = arg;
    size_t n = strlen(told);

    snprintf(told + n, 200 - n, "%.10s;", doing);
    return true;
}

static bool stop_at(void *arg, const char *doing)
{
    return strncmp(doing, arg, strlen(arg)) != 0;
}

/* While it is copied, and while it is converted: the next start does it. */
static void a_conversion_that_is_given_up_changes_nothing(void **state)
{
    struct kit *kit = *state;
    char when[2][20] = {"copying", "converting"};
    sqlite3 *db;

    write_version_1(kit);
    assert_int_equal(sqlite3_open(kit->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
            "n WHERE i < 20000) INSERT INTO record SELECT 'x', i, '{}' "
            "FROM n; INSERT INTO account SELECT i + 10, 'j' || i, name, "
            "\"user\", \"group\","
            " account, class, qos, partition, 'Removed', submit_at, queue_at,"
            " start_at, end_at, wclimit_s, procs, nodes, tasks, mem_mb, cpu_s,"
            " exit_status, backfilled, priority, hosts, extra FROM account"
            " JOIN (SELECT CAST(key AS INTEGER) AS i FROM record WHERE kind ="
            " 'x'); DELETE FROM record WHERE kind = 'x'",
            NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct store_options waiting = {
            .progress = stop_at, .progress_arg = when[i]};
        assert_int_equal(store_open(kit->path, &waiting, &kit->store, &kit->err), -1);
        kit->store = NULL;
        if (!strstr(kit->err.text, "it was told to stop"))
            fail_msg("%s: %s", when[i], kit->err.text);
    }
    kit_open(kit);
    assert_int_equal(number(kit, "SELECT count(*) FROM account"), 20001);
}

static void a_kept_file_of_version_1_opens_today(void **state)
{
    struct kit *kit = *state;
    char told[200] = "";
    const struct store_options waiting = {
        .progress = note_progress, .progress_arg = told};
    size_t versions;

    write_version_1(kit);
    if (store_open(kit->path, &waiting, &kit->store, &kit->err) != 0)
        fail_msg("%s", kit->err.text);
    if (!strstr(told, "copying th;") || !strstr(told, "converting;"))
        fail_msg("not told what takes long: %s", told);
    expect_version_1_rows(kit);
    schema_migrations(&versions);
    assert_int_equal(number(kit, "PRAGMA user_version"), versions);
    assert_int_equal(number(kit, "PRAGMA application_id"), 0x4D415549);

    /* and is kept as it was */
    const struct migration first = {1, VERSION_1_TABLES};
    char before[40];
    snprintf(before, sizeof before, "state.db.before-%zu", versions);
    kit_close(kit);
    assert_int_equal(store_open_schema(kit_path(kit, before), NULL, &first, 1,
                         &kit->store, &kit->err),
        0);
    expect_version_1_rows(kit);
}

static void a_file_with_two_rows_of_a_job_keeps_the_first(void **state)
{
    struct kit *kit = *state;
    sqlite3 *db;

    write_version_1(kit);
    assert_int_equal(sqlite3_open(kit->path, &db), SQLITE_OK);
    for (int i = 2; i < 4; i++)
        assert_int_equal(
            sqlite3_exec(db,
                "INSERT INTO account SELECT max(id) + 1, job, name, \"user\", "
                "\"group\","
                " account, class, qos, partition, 'Removed', submit_at, queue_at,"
                " start_at, end_at, wclimit_s, procs, nodes, tasks, mem_mb, cpu_s,"
                " exit_status, backfilled, priority, hosts, extra FROM account",
                NULL, NULL, NULL),
            SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    kit_open(kit);
    expect_version_1_rows(kit);
}

static void what_version_1_means_has_not_changed(void **state)
{
    size_t versions;

    (void)state;
    assert_string_equal(schema_migrations(&versions)[0].sql, VERSION_1_TABLES);
}

static void versions_are_numbered_without_gaps(void **state)
{
    size_t versions;
    const struct migration *list = schema_migrations(&versions);

    (void)state;
    for (size_t i = 0; i < versions; i++)
        assert_int_equal(list[i].version, i + 1);
}

static void an_older_file_passes_through_all_versions(void **state)
{
    struct kit *kit = *state;

    write_version_1(kit);
    assert_int_equal(open_later(kit, SECOND, THIRD, 3), 0);
    expect_version_1_rows(kit);
    assert_int_equal(number(kit, "PRAGMA user_version"), 3);
    assert_int_equal(number(kit, "SELECT count(*) FROM record WHERE kind = 'rsv'"), 1);
    assert_int_equal(number(kit, "SELECT sum(energy_j) FROM account"), 0);
    assert_int_equal(number(kit, "SELECT count(*) FROM ledger"), 0);
    kit_close(kit);
}

static void a_file_of_a_newer_release_is_refused(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    assert_int_equal(sql_exec(kit->store, "PRAGMA user_version=1000", "", NULL), 0);
    kit_close(kit);
    kit_refused(kit, "newer release"); /* there is no way back */
}

static void a_new_file_passes_through_all_versions(void **state)
{
    struct kit *kit = *state;

    assert_int_equal(open_later(kit, SECOND, THIRD, 3), 0);
    assert_int_equal(number(kit, "PRAGMA user_version"), 3);
    assert_int_equal(number(kit, "SELECT count(*) FROM ledger"), 0);
}

static void a_conversion_that_fails_midway_changes_nothing(void **state)
{
    static const char *const failures[] = {
        "CREATE TABLE ledger(account); CREATE TABLE ledger(account);",
        "INSERT INTO record SELECT kind, key, NULL FROM record;", "not SQL;"};
    struct kit *kit = *state;

    write_version_1(kit);
    /* so that its journal mode is what it will be */
    assert_int_equal(open_later(kit, NULL, NULL, 1), 0);
    kit_close(kit);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        size_t before_size, after_size;
        char *before = kit_read(kit->path, &before_size), *after;

        assert_int_equal(open_later(kit, SECOND, failures[i], 3), -1);
        assert_non_null(strstr(kit->err.text,
            "schema 1 could not be brought to 3, the file was left as it was"));
        after = kit_read(kit->path, &after_size);
        assert_int_equal(before_size, after_size);
        assert_memory_equal(before, after, after_size);
        free(before);
        free(after);
        assert_int_equal(open_later(kit, NULL, NULL, 1), 0);
        expect_version_1_rows(kit);
        assert_int_equal(number(kit, "PRAGMA user_version"), 1);
        kit_close(kit);
    }
}

static void a_new_file_whose_tables_cannot_be_made_is_removed(void **state)
{
    struct kit *kit = *state;

    assert_int_equal(open_later(kit, "not SQL;", NULL, 2), -1);
    assert_false(kit_exists(kit->path));
    assert_false(kit_exists(kit_path(kit, "state.db-wal")));
    kit_open(kit);
}

static void a_reader_does_not_convert(void **state)
{
    const struct migration list[] = {{1, VERSION_1_TABLES}, {2, SECOND}};
    const struct store_options look = {.read_only = true};
    struct kit *kit = *state;

    write_version_1(kit);
    assert_int_equal(
        store_open_schema(kit->path, &look, list, 2, &kit->store, &kit->err), -1);
    kit->store = NULL;
    assert_non_null(strstr(kit->err.text, "of an older release (schema 1, this one"));
    assert_int_equal(
        store_open_schema(kit->path, &look, list, 1, &kit->store, &kit->err), 0);
    expect_version_1_rows(kit);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_conversion_that_is_given_up_changes_nothing),
        TEST(a_kept_file_of_version_1_opens_today),
        TEST(a_file_with_two_rows_of_a_job_keeps_the_first),
        TEST(what_version_1_means_has_not_changed),
        TEST(versions_are_numbered_without_gaps),
        TEST(an_older_file_passes_through_all_versions),
        TEST(a_file_of_a_newer_release_is_refused),
        TEST(a_new_file_passes_through_all_versions),
        TEST(a_conversion_that_fails_midway_changes_nothing),
        TEST(a_new_file_whose_tables_cannot_be_made_is_removed),
        TEST(a_reader_does_not_convert),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
