/* SPDX-License-Identifier: Apache-2.0
 * Full and failing disks, and loss of power: a batch is acknowledged and kept, or
 * refused and not there, wherever it strikes; and the store goes on afterwards. */
#include "faulty.h"
#include "kit.h"
#include "store/private.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

struct fault {
    unsigned ops;
    int rc;
    bool lasting;
    const char *words; /* in the sentence of a refused batch */
};

static const struct fault faults[] = {
    {FAULTY_WRITE, SQLITE_FULL, false, "the disk is full"},
    {FAULTY_WRITE, SQLITE_FULL, true, "the disk is full"},
    {FAULTY_WRITE, SQLITE_IOERR_WRITE, false, "the disk or file system failed"},
    {FAULTY_SYNC, SQLITE_IOERR_FSYNC, false, "the disk or file system failed"},
    {FAULTY_SYNC, SQLITE_IOERR_FSYNC, true, "the disk or file system failed"},
    {FAULTY_TRUNCATE, SQLITE_IOERR_TRUNCATE, true, "the disk or file system failed"},
};

#define NFAULTS (sizeof faults / sizeof *faults)

static void remove_files(struct kit *kit, const char *name)
{
    static const char *const ends[] = {
        "", "-wal", "-shm", "-lock", ".disk", "-wal.disk"};
    char path[160];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", kit_path(kit, name), ends[i]);
        remove(path);
    }
}

/* What a process that comes after kill -9 would find: a copy of file and log. */
static void copy_files(struct kit *kit, const char *end)
{
    static const char *const parts[] = {"", "-wal"};
    char from[160], to[160];

    remove_files(kit, "copy.db");
    for (int i = 0; i < 2; i++) {
        size_t size;
        char *bytes;

        snprintf(from, sizeof from, "%s%s%s", kit->path, parts[i], end);
        snprintf(to, sizeof to, "%s%s", kit_path(kit, "copy.db"), parts[i]);
        if (!kit_exists(from))
            continue;
        bytes = kit_read(from, &size);
        kit_write(to, bytes, size);
        free(bytes);
    }
}

static struct store *open_copy(struct kit *kit)
{
    struct store *s;

    if (store_open(kit_path(kit, "copy.db"), NULL, &s, &kit->err) != 0)
        fail_msg("%s", kit->err.text);
    return s;
}

static bool has(struct store *s, const char *key)
{
    char *value;
    bool there;

    assert_int_equal(store_get(s, "job", key, &value, NULL), 0);
    there = value != NULL;
    free(value);
    return there;
}

static int64_t last_event(struct store *s)
{
    int64_t last;

    assert_int_equal(store_journal_last(s, &last, NULL), 0);
    return last;
}

/* A batch of some pages; true: acknowledged. */
static bool batch(struct kit *kit, const char *key)
{
    char value[9000];

    memset(value, '7', sizeof value);
    value[sizeof value - 1] = '\0';
    store_put(kit->store, "job", key, value, NULL);
    store_journal_add(kit->store, 1, "{}", NULL, NULL);
    return store_commit(kit->store, &kit->err) == 0;
}

/* The n-th operation from the begin of batch "b" on fails. Returns false when there are
 * not so many. */
static bool strikes(struct kit *kit, const struct fault *fault, long n)
{
    bool b, c, struck;
    struct store *copy;

    remove_files(kit, "state.db");
    kit_open(kit);
    assert_true(batch(kit, "a"));
    faulty_break(fault->ops, n, fault->lasting, fault->rc);
    b = batch(kit, "b");
    if (!b && !strstr(kit->err.text, fault->words))
        fail_msg("%s", kit->err.text);
    if (store_idle(kit->store, &kit->err) != 0)
        assert_non_null(strstr(kit->err.text, fault->words));
    c = batch(kit, "c");
    struck = faulty.count >= n;
    faulty_mend();

    copy_files(kit, ""); /* as if killed now */
    copy = open_copy(kit);
    assert_true(has(copy, "a"));
    assert_int_equal(has(copy, "b"), b);
    assert_int_equal(has(copy, "c"), c);
    assert_int_equal(last_event(copy), 1 + b + c);
    store_close(copy);

    assert_true(batch(kit, "d"));
    assert_int_equal(store_stats(kit->store).failed_commits, !b + !c);
    kit_reopen(kit);
    assert_true(has(kit->store, "a") && has(kit->store, "d"));
    assert_int_equal(has(kit->store, "b"), b);
    assert_int_equal(has(kit->store, "c"), c);
    assert_int_equal(last_event(kit->store), 2 + b + c);
    kit_close(kit);
    return struck;
}

static void wherever_a_disk_fails_batches_are_kept_or_refused(void **state)
{
    struct kit *kit = *state;

    for (size_t i = 0; i < NFAULTS; i++) {
        long n = 1;

        while (strikes(kit, &faults[i], n))
            n++;
        if (faults[i].ops == FAULTY_WRITE)
            assert_true(n > 10);
    }
}

/* A flush that failed leaves the frames of the batch whole in the log: a process killed
 * at that moment would bring it back, though it was refused. */
static void a_batch_refused_for_its_flush_does_not_come_back(void **state)
{
    struct kit *kit = *state;
    struct store *copy;

    kit_open(kit);
    assert_true(batch(kit, "a"));
    faulty_break(FAULTY_SYNC, 1, false, SQLITE_IOERR_FSYNC);
    assert_false(batch(kit, "b"));
    faulty_mend();
    copy_files(kit, "");
    copy = open_copy(kit);
    assert_true(has(copy, "a"));
    assert_false(has(copy, "b"));
    store_close(copy);
}

/* A batch larger than the page cache is written in parts before its commit. */
static void a_large_batch_is_refused_whole(void **state)
{
    struct kit *kit = *state;
    char value[9000], key[20];
    bool refused = false;

    memset(value, '7', sizeof value);
    value[sizeof value - 1] = '\0';
    for (long n = 1; n < 4000; n += 601) {
        remove_files(kit, "state.db");
        kit_open(kit);
        assert_true(batch(kit, "a"));
        faulty_break(FAULTY_WRITE, n, true, SQLITE_FULL);
        for (int i = 0; i < 700; i++) {
            snprintf(key, sizeof key, "%d", i);
            store_put(kit->store, "job", key, value, NULL);
        }
        if (store_commit(kit->store, &kit->err) != 0) {
            refused = true;
            assert_non_null(strstr(kit->err.text, "the disk is full"));
            assert_false(has(kit->store, "0") || has(kit->store, "699"));
        }
        faulty_mend();
        assert_true(batch(kit, "c"));
        assert_true(has(kit->store, "a") && has(kit->store, "c"));
        kit_close(kit);
    }
    assert_true(refused);
}

static void a_new_file_that_cannot_be_made_leaves_nothing(void **state)
{
    struct kit *kit = *state;
    bool struck = true;
    long n;

    for (size_t i = 0; i < NFAULTS; i++) {
        for (n = 1, struck = true; struck; n++) {
            int result;

            remove_files(kit, "state.db");
            faulty_break(faults[i].ops, n, faults[i].lasting, faults[i].rc);
            result = store_open(kit->path, NULL, &kit->store, &kit->err);
            struck = faulty.count >= n;
            faulty_mend();
            if (result != 0) {
                kit->store = NULL;
                assert_non_null(strstr(kit->err.text, faults[i].words));
                assert_false(kit_exists(kit->path));
                kit_open(kit);
            }
            assert_true(batch(kit, "a"));
            kit_close(kit);
        }
    }
}

static void a_conversion_on_a_failing_disk_changes_nothing(void **state)
{
    size_t now;
    const struct migration *present = schema_migrations(&now);
    struct migration list[20];
    struct kit *kit = *state;

    memcpy(list, present, now * sizeof *list);
    list[now] = (struct migration){
        (int)now + 1, "CREATE TABLE extra(x); UPDATE record SET key = 'A';"};
    for (size_t i = 0; i < NFAULTS; i++) {
        bool struck = true;

        for (long n = 1; struck; n++) {
            int result;

            remove_files(kit, "state.db");
            kit_open(kit);
            assert_true(batch(kit, "a"));
            kit_close(kit);
            faulty_break(faults[i].ops, n, faults[i].lasting, faults[i].rc);
            result = store_open_schema(
                kit->path, NULL, list, now + 1, &kit->store, &kit->err);
            struck = faulty.count >= n;
            if (result == 0) {
                assert_true(has(kit->store, "A"));
                faulty_mend();
                kit_close(kit);
                continue;
            }
            faulty_mend();
            assert_non_null(strstr(kit->err.text, faults[i].words));
            kit_open(kit);
            assert_true(has(kit->store, "a"));
            kit_close(kit);
        }
    }
}

static void a_failed_backup_spares_the_one_before(void **state)
{
    struct kit *kit = *state;
    bool struck = true;

    kit_open(kit);
    assert_true(batch(kit, "a"));
    assert_int_equal(store_backup(kit->store, kit_path(kit, "copy.db"), &kit->err), 0);
    assert_true(batch(kit, "b"));
    for (long n = 1; struck; n++) {
        struct store *copy;
        int result;

        faulty_break(FAULTY_WRITE | FAULTY_SYNC, n, false, SQLITE_IOERR_WRITE);
        result = store_backup(kit->store, kit_path(kit, "copy.db"), &kit->err);
        struck = faulty.count >= n;
        faulty_mend();
        if (result != 0)
            assert_non_null(strstr(kit->err.text, "copy.db.part: the disk or file"));
        assert_false(kit_exists(kit_path(kit, "copy.db.part")));
        copy = open_copy(kit);
        assert_true(has(copy, "a"));
        assert_int_equal(has(copy, "b"), result == 0);
        store_close(copy);
    }
    assert_true(batch(kit, "c"));
}

/* Only what was flushed is left, all else in the files is as it was at the flush. */
static void acknowledged_batches_survive_loss_of_power(void **state)
{
    struct kit *kit = *state;
    char key[20];

    faulty.keep = true;
    kit_open(kit);
    for (int i = 1; i <= 60; i++) {
        struct store *copy;

        snprintf(key, sizeof key, "%d", i);
        assert_true(batch(kit, key));
        copy_files(kit, ".disk");
        copy = open_copy(kit);
        assert_true(has(copy, key));
        assert_int_equal(last_event(copy), i);
        store_close(copy);
        if (i % 7 == 0)
            assert_int_equal(store_idle(kit->store, &kit->err), 0);
        if (i % 20 == 0)
            kit_reopen(kit);
    }
    faulty.keep = false;
}

static char *much(size_t size)
{
    char *text = malloc(size + 1);

    memset(text, '7', size);
    text[size] = '\0';
    return text;
}

/* Fill the disk through the store until a batch is refused, make room, go on. Runs in a
 * child; returns 0 or the line that was not as it should be. */
#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition))                                                              \
            return __LINE__ % 256;                                                     \
    } while (0)

static int expect_jobs(struct kit *kit, int first, int last, bool there)
{
    for (int i = first; i <= last; i++) {
        char *found, key[20];

        snprintf(key, sizeof key, "%d", i);
        EXPECT(store_get(kit->store, "job", key, &found, NULL) == 0);
        free(found);
        EXPECT((found != NULL) == there);
    }
    return 0;
}

static int fill_up(
    struct kit *kit, const char *words, int (*make_room)(struct kit *kit))
{
    char *value = much(20000), key[20];
    int i;

    EXPECT(store_open(kit->path, NULL, &kit->store, &kit->err) == 0);
    for (i = 1; i < 1000; i++) {
        snprintf(key, sizeof key, "%d", i);
        store_put(kit->store, "job", key, value, NULL);
        if (store_commit(kit->store, &kit->err) != 0)
            break;
    }
    EXPECT(i > 3 && i < 900);
    EXPECT(strstr(kit->err.text, words));
    EXPECT(store_put(kit->store, "job", "x", value, NULL) != 0
           || store_commit(kit->store, NULL) != 0); /* still full */
    EXPECT(expect_jobs(kit, 1, i - 1, true) == 0);
    EXPECT(make_room(kit) == 0);
    EXPECT(store_put(kit->store, "job", "1001", value, NULL) == 0);
    EXPECT(store_commit(kit->store, NULL) == 0);
    store_close(kit->store);
    EXPECT(store_open(kit->path, NULL, &kit->store, &kit->err) == 0);
    EXPECT(expect_jobs(kit, 1, i - 1, true) == 0);
    EXPECT(expect_jobs(kit, i, 1000, false) == 0);
    EXPECT(expect_jobs(kit, 1001, 1001, true) == 0);
    store_close(kit->store);
    free(value);
    return 0;
}

static int delete_ballast(struct kit *kit)
{
    return remove(kit_path(kit, "disk/ballast"));
}

static int fill_small_disk(struct kit *kit)
{
    char *ballast = much(300000);

    if (unshare(CLONE_NEWNS) != 0
        || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
        || mount("tmpfs", kit_path(kit, "disk"), "tmpfs", 0, "size=1m") != 0) {
        free(ballast);
        return 0; /* not allowed here; the failing disk above has to do */
    }
    kit_write(kit_path(kit, "disk/ballast"), ballast, 300000);
    free(ballast);
    snprintf(kit->path, sizeof kit->path, "%s", kit_path(kit, "disk/state.db"));
    return fill_up(kit, "the disk is full", delete_ballast);
}

static int raise_limit(struct kit *kit)
{
    struct rlimit now;

    (void)kit;
    EXPECT(getrlimit(RLIMIT_FSIZE, &now) == 0);
    now.rlim_cur = now.rlim_max;
    return setrlimit(RLIMIT_FSIZE, &now);
}

static int fill_up_to_limit(struct kit *kit)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    EXPECT(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = 500000;
    EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    return fill_up(kit, "File too large", raise_limit);
}

static void in_child(struct kit *kit, int (*run)(struct kit *kit))
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(run(kit));
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0)
        fail_msg("line %d", WEXITSTATUS(status));
}

static void a_full_disk_refuses_and_goes_on_when_there_is_room(void **state)
{
    struct kit *kit = *state;

    assert_int_equal(mkdir(kit_path(kit, "disk"), 0700), 0);
    in_child(kit, fill_small_disk);
}

static void a_file_at_its_limit_refuses_and_goes_on_when_it_is_raised(void **state)
{
    in_child(*state, fill_up_to_limit);
}

static int unbreak(void **state)
{
    faulty_mend();
    faulty.keep = false;
    return kit_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup_fast, unbreak)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wherever_a_disk_fails_batches_are_kept_or_refused),
        TEST(a_batch_refused_for_its_flush_does_not_come_back),
        TEST(a_large_batch_is_refused_whole),
        TEST(a_new_file_that_cannot_be_made_leaves_nothing),
        TEST(a_conversion_on_a_failing_disk_changes_nothing),
        TEST(a_failed_backup_spares_the_one_before),
        TEST(acknowledged_batches_survive_loss_of_power),
        TEST(a_full_disk_refuses_and_goes_on_when_there_is_room),
        TEST(a_file_at_its_limit_refuses_and_goes_on_when_it_is_raised),
    };

    faulty_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
