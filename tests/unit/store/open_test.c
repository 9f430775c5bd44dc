/* SPDX-License-Identifier: Apache-2.0
 * Opening: new and old files, one writer, and everything that must be refused. */
#include "kit.h"
#include "store/private.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#define DAMAGE 50 * 4096, 100 /* inside a page with records: where, bytes */

static const struct store_options beside = {.check_beside = true};

static unsigned mode_of(struct kit *kit, const char *name)
{
    struct stat st;

    if (stat(kit_path(kit, name), &st) != 0)
        fail_msg("no %s", name);
    return st.st_mode & 07777;
}

static void a_new_file_is_private_whatever_the_umask(void **state)
{
    static const mode_t masks[] = {0, 0777};
    static const char *const names[] = {
        "state.db", "state.db-wal", "state.db-shm", "state.db-lock"};
    struct kit *kit = *state;

    for (int i = 0; i < 2; i++) {
        mode_t before = umask(masks[i]);

        kit_open(kit);
        umask(before);
        kit_put(kit, "1", "1");
        kit_commit(kit);
        for (int k = 0; k < 4; k++)
            assert_int_equal(mode_of(kit, names[k]), 0600);
        kit_close(kit);
        remove(kit->path);
        remove(kit_path(kit, "state.db-lock"));
    }
}

static void closing_leaves_one_file_and_its_lock(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_commit(kit);
    assert_true(kit_exists(kit_path(kit, "state.db-wal")));
    kit_close(kit);
    assert_false(kit_exists(kit_path(kit, "state.db-wal")));
    assert_false(kit_exists(kit_path(kit, "state.db-shm")));
    assert_true(kit_exists(kit_path(kit, "state.db-lock")));
}

static void an_empty_file_becomes_a_store(void **state)
{
    struct kit *kit = *state;

    kit_write(kit->path, "", 0);
    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_commit(kit);
}

static void the_second_writer_is_told_who_the_first_is(void **state)
{
    struct kit *kit = *state;
    struct store *second = NULL;
    char pid[40];

    kit_open(kit);
    snprintf(pid, sizeof pid, "another scheduler (pid %d) has it open", (int)getpid());
    assert_int_equal(store_open(kit->path, NULL, &second, &kit->err), -1);
    assert_int_equal(kit->err.code, ERR_CONFLICT);
    assert_non_null(strstr(kit->err.text, pid));
    kit_put(kit, "1", "1"); /* and the first has lost nothing by that */
    kit_commit(kit);
}

static void another_name_of_the_file_is_no_way_round_the_lock(void **state)
{
    struct kit *kit = *state;
    struct store *second = NULL;

    kit_open(kit);
    assert_int_equal(symlink(kit->path, kit_path(kit, "other.db")), 0);
    assert_int_equal(
        store_open(kit_path(kit, "other.db"), NULL, &second, &kit->err), -1);
    assert_int_equal(kit->err.code, ERR_CONFLICT);
}

/* A process that has the store open, with job 1 committed and job 2 not. */
static pid_t holder(struct kit *kit)
{
    int ready[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        struct store *s;

        if (store_open(kit->path, NULL, &s, NULL) == 0
            && store_put(s, "job", "1", "1", NULL) == 0 && store_commit(s, NULL) == 0
            && store_put(s, "job", "2", "2", NULL) == 0 && write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void a_writer_that_was_killed_holds_nothing(void **state)
{
    struct kit *kit = *state;
    pid_t child = holder(kit);
    char pid[40];

    snprintf(pid, sizeof pid, "(pid %d)", (int)child);
    kit_refused(kit, pid);
    end(child);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
    assert_string_equal(kit_get(kit, "2"), "");
}

static void a_reader_looks_on_beside_the_writer(void **state)
{
    const struct store_options look = {.read_only = true};
    struct kit *kit = *state;
    pid_t child = holder(kit);

    assert_int_equal(store_open(kit->path, &look, &kit->store, &kit->err), 0);
    assert_string_equal(kit_get(kit, "1"), "1");
    assert_string_equal(kit_get(kit, "2"), "");
    assert_int_equal(store_put(kit->store, "job", "3", "3", &kit->err), -1);
    assert_int_equal(kit->err.code, ERR_DENIED);
    assert_int_equal(store_commit(kit->store, &kit->err), -1);
    assert_string_equal(kit_get(kit, "1"), "1");
    end(child);
}

static void a_reader_sees_what_a_killed_writer_left_and_changes_nothing(void **state)
{
    const struct store_options look = {.read_only = true};
    struct kit *kit = *state;
    size_t before_size, after_size;
    char *before, *after;

    end(holder(kit));
    before = kit_read(kit_path(kit, "state.db-wal"), &before_size);
    remove(kit_path(kit, "state.db-shm")); /* does not outlast the machine */
    assert_int_equal(store_open(kit->path, &look, &kit->store, &kit->err), 0);
    assert_string_equal(kit_get(kit, "1"), "1");
    assert_string_equal(kit_get(kit, "2"), "");
    kit_close(kit);
    after = kit_read(kit_path(kit, "state.db-wal"), &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, after_size);
    free(before);
    free(after);
}

static void a_reader_does_not_create_a_file(void **state)
{
    const struct store_options look = {.read_only = true};
    struct kit *kit = *state;

    assert_int_equal(store_open(kit->path, &look, &kit->store, &kit->err), -1);
    kit->store = NULL;
    assert_int_equal(kit->err.code, ERR_NOT_FOUND);
    assert_false(kit_exists(kit->path));
    assert_false(kit_exists(kit_path(kit, "state.db-lock")));
}

static sqlite3 *raw(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void a_foreign_lock_is_an_error_and_then_over(void **state)
{
    const struct store_options quick = {.busy_timeout_ms = 1};
    struct kit *kit = *state;
    sqlite3 *shell;

    assert_int_equal(store_open(kit->path, &quick, &kit->store, &kit->err), 0);
    shell = raw(kit->path, "BEGIN IMMEDIATE");
    assert_int_equal(store_put(kit->store, "job", "1", "1", &kit->err), -1);
    assert_int_equal(kit->err.code, ERR_CONFLICT);
    assert_non_null(strstr(kit->err.text, "another program has it locked"));
    assert_int_equal(store_commit(kit->store, &kit->err), -1);
    sqlite3_close(shell);
    kit_put(kit, "1", "2");
    kit_commit(kit);
    assert_string_equal(kit_get(kit, "1"), "2");
}

/* Opening is refused with `words`, and not a byte is changed. */
static void refused_untouched(struct kit *kit, const char *words)
{
    size_t before_size, after_size;
    char *before = kit_read(kit->path, &before_size), *after;

    kit_refused(kit, words);
    assert_non_null(strstr(kit->err.text, kit->path));
    after = kit_read(kit->path, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, after_size);
    free(before);
    free(after);
}

static void files_of_others_are_refused(void **state)
{
    struct kit *kit = *state;

    kit_write(kit->path, "SERVERHOST head\n", 16);
    refused_untouched(kit, "not a state file");
    remove(kit->path);
    sqlite3_close(raw(kit->path, "CREATE TABLE address(name)"));
    refused_untouched(kit, "another program");
    remove(kit->path);
    sqlite3_close(raw(kit->path, "PRAGMA application_id=7"));
    refused_untouched(kit, "another program");
    remove(kit->path);
    assert_int_equal(mkdir(kit->path, 0700), 0);
    kit_refused(kit, "not a file");
}

static void a_newer_schema_is_refused(void **state)
{
    const struct store_options look = {.read_only = true};
    struct kit *kit = *state;

    kit_open(kit);
    kit_close(kit);
    sqlite3_close(raw(kit->path, "PRAGMA user_version=99"));
    refused_untouched(
        kit, "written by a newer release (schema 99, this one knows up to");
    assert_int_equal(store_open(kit->path, &look, &kit->store, &kit->err), -1);
    kit->store = NULL;
    assert_non_null(strstr(kit->err.text, "newer release"));
}

static void a_missing_folder_is_named(void **state)
{
    struct kit *kit = *state;

    strcat(kit->folder, "/none");
    snprintf(kit->path, sizeof kit->path, "%s", kit_path(kit, "state.db"));
    kit_refused(kit, kit->path);
    assert_int_equal(kit->err.code, ERR_NOT_FOUND);
    *strrchr(kit->folder, '/') = '\0';
}

/* A closed file of some dozen pages; as if it had not been closed. */
static void make_unclean(struct kit *kit)
{
    char key[20], value[201];

    memset(value, '7', 200);
    value[200] = '\0';
    kit_open(kit);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "%d", i);
        kit_put(kit, key, value);
    }
    kit_commit(kit);
    kit_close(kit);
    remove(kit_path(kit, "state.db-lock"));
}

static void flip(const char *path, size_t from, size_t n)
{
    size_t size;
    char *bytes = kit_read(path, &size);

    assert_true(from + n <= size);
    for (size_t i = from; i < from + n; i++)
        bytes[i] = (char)~bytes[i];
    kit_write(path, bytes, size);
    free(bytes);
}

static void a_damaged_file_is_refused_untouched_with_advice(void **state)
{
    struct kit *kit = *state;

    make_unclean(kit);
    flip(kit->path, DAMAGE);
    refused_untouched(kit, "damaged");
    assert_non_null(strstr(kit->err.text, "put a backup in its place"));
    assert_non_null(strstr(kit->err.text, ".recover"));
    refused_untouched(kit, "damaged"); /* the second time as well */
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_not_equal(kit_get(kit, "500"), "");
}

static void a_damaged_head_is_refused_untouched(void **state)
{
    struct kit *kit = *state;

    make_unclean(kit);
    flip(kit->path, 0, 16);
    refused_untouched(kit, "damaged or not a state file");
    flip(kit->path, 0, 16);
    flip(kit->path, 101, 8); /* the table of tables */
    refused_untouched(kit, "damaged");
}

static void a_cut_file_is_refused_even_after_a_clean_close(void **state)
{
    struct kit *kit = *state;
    size_t size;
    char *bytes;

    make_unclean(kit);
    kit_open(kit);
    kit_close(kit);
    bytes = kit_read(kit->path, &size);
    kit_write(kit->path, bytes, size - 3 * 4096);
    free(bytes);
    refused_untouched(kit, "damaged");
    assert_int_equal(truncate(kit->path, 50), 0);
    refused_untouched(kit, "damaged");
}

static void a_damaged_file_keeps_its_log_untouched(void **state)
{
    struct kit *kit = *state;
    size_t before_size, after_size;
    char *before, *after;

    make_unclean(kit);
    end(holder(kit));                       /* leaves a log */
    remove(kit_path(kit, "state.db-lock")); /* as of another life of the machine */
    before = kit_read(kit_path(kit, "state.db-wal"), &before_size);
    assert_true(before_size > 0);
    flip(kit->path, DAMAGE);
    refused_untouched(kit, "damaged");
    after = kit_read(kit_path(kit, "state.db-wal"), &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, after_size);
    free(before);
    free(after);
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
}

/* The end of a process damages no disk: then a long file is not read. */
static void a_file_is_checked_only_after_the_machine_has_ended(void **state)
{
    struct kit *kit = *state;
    const char *lock;
    char holder_line[20];
    pid_t child;

    make_unclean(kit);
    child = holder(kit);
    end(child);
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
    flip(kit->path, DAMAGE);
    kit_close(kit);
    child = holder(kit);
    end(child);
    flip(kit->path, DAMAGE);
    lock = kit_path(kit, "state.db-lock");
    snprintf(holder_line, sizeof holder_line, "%d\n", (int)child);
    kit_write(lock, holder_line, strlen(holder_line)); /* was being checked */
    refused_untouched(kit, "damaged");
    refused_untouched(kit, "damaged");
    kit_write(lock, "1\n12345678-1234-1234-1234-123456789012\n", 39);
    refused_untouched(kit, "damaged");
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
}

/* Whoever copies one while it is written may get parts of two. */
static void a_copy_that_took_its_place_is_checked(void **state)
{
    struct kit *kit = *state;
    size_t size;
    char *content, *copy = strdup(kit_path(kit, "copy.db"));

    make_unclean(kit);
    end(holder(kit));
    flip(kit->path, DAMAGE);
    content = kit_read(kit->path, &size);
    kit_write(copy, content, size);
    assert_int_equal(rename(copy, kit->path), 0);
    refused_untouched(kit, "damaged");
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "1"), "1");
    free(content);
    free(copy);
}

static void a_damaged_page_met_later_is_an_error_not_a_crash(void **state)
{
    struct kit *kit = *state;
    char *value = NULL;
    int failed = 0;

    make_unclean(kit);
    kit_open(kit);
    kit_close(kit); /* in order, so its structure is not checked */
    flip(kit->path, DAMAGE);
    kit_open(kit);
    for (int i = 0; i < 1000; i++) {
        char key[20];

        snprintf(key, sizeof key, "%d", i);
        if (store_get(kit->store, "job", key, &value, &kit->err) != 0)
            failed++;
        free(value);
    }
    assert_true(failed > 0 && failed < 1000);
    assert_non_null(strstr(kit->err.text, "damaged"));
    kit_close(kit); /* in order, but it is not forgotten */
    refused_untouched(kit, "damaged");
    assert_int_equal(store_open(kit->path, &beside, &kit->store, &kit->err), -1);
    kit->store = NULL;
    flip(kit->path, DAMAGE);
    kit_reopen(kit);
    kit_reopen(kit);
    assert_string_not_equal(kit_get(kit, "500"), "");
}

/* ---- beside ---- */

static void open_beside(struct kit *kit)
{
    if (store_open(kit->path, &beside, &kit->store, &kit->err) != 0)
        fail_msg("%s", kit->err.text);
    assert_true(store_checking_fd(kit->store) >= 0);
}

/* More than the log takes before it is carried over. */
static void commit_much(struct kit *kit)
{
    static char value[6000001];

    memset(value, '7', sizeof value - 1);
    for (int i = 0; i < 4; i++) {
        kit_put(kit, i % 2 ? "long" : "longer", value);
        kit_commit(kit);
        assert_int_equal(store_idle(kit->store, &kit->err), 0);
    }
    kit_put(kit, "new", "1");
    kit_commit(kit);
}

static void a_file_is_not_written_before_the_verdict(void **state)
{
    struct kit *kit = *state;
    size_t before_size, after_size;
    char *before, *after;

    make_unclean(kit);
    before = kit_read(kit->path, &before_size);
    open_beside(kit);
    commit_much(kit);
    after = kit_read(kit->path, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, after_size);
    free(before);
    free(after);
    assert_int_equal(store_checked(kit->store, &kit->err), 0);
    assert_int_equal(store_checking_fd(kit->store), -1);
    assert_int_equal(store_checked(kit->store, &kit->err), 0);
    assert_int_equal(store_idle(kit->store, &kit->err), 0);
    assert_true(store_stats(kit->store).file_bytes > (int64_t)before_size);
    kit_close(kit);
    assert_false(kit_exists(kit_path(kit, "state.db-wal")));
    assert_int_equal(store_open(kit->path, &beside, &kit->store, &kit->err), 0);
    assert_int_equal(store_checking_fd(kit->store), -1); /* it was closed in order */
    assert_string_equal(kit_get(kit, "new"), "1");
}

/* What was committed before it was known is in the log, and stays there. */
static void a_damage_is_found_beside_and_the_file_stays_as_it_was(void **state)
{
    struct kit *kit = *state;
    size_t before_size, after_size;
    char *before, *after;

    make_unclean(kit);
    flip(kit->path, DAMAGE);
    before = kit_read(kit->path, &before_size);
    open_beside(kit);
    commit_much(kit);
    assert_int_equal(store_checked(kit->store, &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "damaged"));
    assert_non_null(strstr(kit->err.text, "put a backup in its place"));
    assert_int_equal(store_checking_fd(kit->store), -1);
    assert_int_equal(store_idle(kit->store, &kit->err), 0);
    kit_close(kit);
    after = kit_read(kit->path, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, after_size);
    free(before);
    free(after);
    assert_int_equal(store_open(kit->path, &beside, &kit->store, &kit->err), -1);
    kit->store = NULL;
    assert_non_null(strstr(kit->err.text, "damaged"));
    refused_untouched(kit, "damaged");
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "new"), "1");
    assert_string_not_equal(kit_get(kit, "500"), "");
}

/* Closed or killed before: the next one begins again. */
static void without_a_verdict_the_doubt_stays(void **state)
{
    struct kit *kit = *state;

    make_unclean(kit);
    flip(kit->path, DAMAGE);
    for (int i = 0; i < 3; i++) {
        open_beside(kit);
        kit_put(kit, "new", "1");
        kit_commit(kit);
        kit_close(kit);
    }
    refused_untouched(kit, "damaged");
    flip(kit->path, DAMAGE);
    kit_open(kit);
    assert_string_equal(kit_get(kit, "new"), "1");
}

/* The children of a process, killed: nobody there, or one that has told already, is
 * none.
 */
static void kill_children(pid_t of)
{
    char path[64];
    long child;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)of, (long)of);
    f = fopen(path, "r");
    while (f && fscanf(f, "%ld", &child) == 1)
        kill((pid_t)child, SIGKILL);
    if (f)
        fclose(f);
}

static void who_looks_beside_and_is_killed_is_followed_by_another(void **state)
{
    struct kit *kit = *state;

    for (int damaged = 0; damaged < 2; damaged++) {
        make_unclean(kit);
        if (damaged)
            flip(kit->path, DAMAGE);
        open_beside(kit);
        kill_children(kit->store->check_pid);
        assert_int_equal(store_checked(kit->store, &kit->err), -damaged);
        kit_close(kit);
    }
    refused_untouched(kit, "damaged");
}

/* As VACUUM INTO makes one, put back without its lock file. */
static void a_file_without_a_log_is_looked_at_first(void **state)
{
    struct kit *kit = *state;
    sqlite3 *db;

    kit_open(kit);
    kit_put(kit, "1", "1");
    kit_commit(kit);
    kit_close(kit);
    assert_int_equal(sqlite3_open(kit->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(remove(kit_path(kit, "state.db-lock")), 0);
    assert_int_equal(store_open(kit->path, &beside, &kit->store, &kit->err), 0);
    assert_int_equal(store_checking_fd(kit->store), -1);
    assert_false(kit->store->unproven);
    assert_string_equal(kit_get(kit, "1"), "1");
}

/* Who looks beside ended without a word. */
static void silence(struct store *store)
{
    int ends[2];

    soundness_end(store);
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    store->check_fd = ends[0];
    store->check_pid = fork();
    if (store->check_pid == 0)
        _exit(1);
}

/* Nor is it looked for in this process, which others wait for. */
static void what_nobody_could_look_at_is_looked_at_first_by_the_next(void **state)
{
    struct kit *kit = *state;

    make_unclean(kit);
    flip(kit->path, DAMAGE);
    open_beside(kit);
    silence(kit->store);
    assert_int_equal(store_checked(kit->store, &kit->err), 1);
    assert_non_null(strstr(kit->err.text, "ended without a verdict"));
    kit_put(kit, "new", "1");
    kit_commit(kit);
    kit_close(kit);
    refused_untouched(kit, "damaged");
    flip(kit->path, DAMAGE);
    assert_int_equal(store_open(kit->path, &beside, &kit->store, &kit->err), 0);
    assert_int_equal(store_checking_fd(kit->store), -1);
    assert_string_equal(kit_get(kit, "new"), "1");
}

static void a_trust_that_cannot_be_written_is_no_damage(void **state)
{
    struct kit *kit = *state;
    int lock_fd;
    size_t size;
    char *text;

    make_unclean(kit);
    open_beside(kit);
    lock_fd = kit->store->lock_fd;
    kit->store->lock_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    int found = store_checked(kit->store, &kit->err);
    close(kit->store->lock_fd);
    kit->store->lock_fd = lock_fd;
    assert_int_equal(found, 1);
    assert_non_null(strstr(kit->err.text, "cannot write its lock file"));
    assert_false(kit->store->unproven);
    text = kit_read(kit_path(kit, "state.db-lock"), &size);
    assert_int_equal(text[size - 2], '\n'); /* no life: in doubt */
    free(text);
    kit_put(kit, "new", "1");
    kit_commit(kit);
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "new"), "1");
}

static void what_is_to_be_converted_is_looked_at_first(void **state)
{
    struct kit *kit = *state;
    size_t count;
    const struct migration *present = schema_migrations(&count);
    struct migration later[40];

    make_unclean(kit);
    memcpy(later, present, count * sizeof *later);
    later[count] = (struct migration){(int)count + 1, "CREATE TABLE more(a)"};
    flip(kit->path, DAMAGE);
    assert_int_equal(
        store_open_schema(kit->path, &beside, later, count + 1, &kit->store, &kit->err),
        -1);
    kit->store = NULL;
    assert_non_null(strstr(kit->err.text, "damaged"));
    flip(kit->path, DAMAGE);
    assert_int_equal(
        store_open_schema(kit->path, &beside, later, count + 1, &kit->store, &kit->err),
        0);
    assert_int_equal(store_checking_fd(kit->store), -1);
}

/* Run as a user without rights, so that it counts when the tests run as root. */
static void a_folder_that_may_not_be_written_is_named(void **state)
{
    struct kit *kit = *state;
    int status, report[2];
    pid_t child;

    assert_int_equal(pipe(report), 0);
    assert_int_equal(chmod(kit->folder, 0555), 0);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(1);
        if (store_open(kit->path, NULL, &kit->store, &kit->err) != 0)
            _exit(write(report[1], &kit->err, sizeof kit->err) < 0);
        _exit(2);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(read(report[0], &kit->err, sizeof kit->err), sizeof kit->err);
    assert_int_equal(kit->err.code, ERR_DENIED);
    assert_non_null(strstr(kit->err.text, "Permission denied; its folder must"));
    close(report[0]);
    close(report[1]);
    assert_int_equal(chmod(kit->folder, 0700), 0);
    assert_false(kit_exists(kit_path(kit, "state.db-lock")));
}

static void a_file_that_was_removed_is_noticed_before_the_commit(void **state)
{
    struct kit *kit = *state;

    kit_open(kit);
    kit_put(kit, "1", "1");
    assert_int_equal(rename(kit->path, kit_path(kit, "away.db")), 0);
    assert_int_equal(store_commit(kit->store, &kit->err), -1);
    assert_non_null(strstr(kit->err.text, "moved, removed or replaced"));
    assert_int_equal(rename(kit_path(kit, "away.db"), kit->path), 0);
    kit_put(kit, "2", "2");
    kit_commit(kit);
    kit_reopen(kit);
    assert_string_equal(kit_get(kit, "1"), "");
    assert_string_equal(kit_get(kit, "2"), "2");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_is_private_whatever_the_umask),
        TEST(closing_leaves_one_file_and_its_lock),
        TEST(an_empty_file_becomes_a_store),
        TEST(the_second_writer_is_told_who_the_first_is),
        TEST(another_name_of_the_file_is_no_way_round_the_lock),
        TEST(a_writer_that_was_killed_holds_nothing),
        TEST(a_reader_looks_on_beside_the_writer),
        TEST(a_reader_sees_what_a_killed_writer_left_and_changes_nothing),
        TEST(a_reader_does_not_create_a_file),
        TEST(a_foreign_lock_is_an_error_and_then_over),
        TEST(files_of_others_are_refused),
        TEST(a_newer_schema_is_refused),
        TEST(a_missing_folder_is_named),
        TEST(a_damaged_file_is_refused_untouched_with_advice),
        TEST(a_damaged_head_is_refused_untouched),
        TEST(a_cut_file_is_refused_even_after_a_clean_close),
        TEST(a_damaged_file_keeps_its_log_untouched),
        TEST(a_file_is_checked_only_after_the_machine_has_ended),
        TEST(a_copy_that_took_its_place_is_checked),
        TEST(a_damaged_page_met_later_is_an_error_not_a_crash),
        TEST(a_file_is_not_written_before_the_verdict),
        TEST(a_damage_is_found_beside_and_the_file_stays_as_it_was),
        TEST(without_a_verdict_the_doubt_stays),
        TEST(who_looks_beside_and_is_killed_is_followed_by_another),
        TEST(a_file_without_a_log_is_looked_at_first),
        TEST(what_nobody_could_look_at_is_looked_at_first_by_the_next),
        TEST(a_trust_that_cannot_be_written_is_no_damage),
        TEST(what_is_to_be_converted_is_looked_at_first),
        TEST(a_folder_that_may_not_be_written_is_named),
        TEST(a_file_that_was_removed_is_noticed_before_the_commit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
