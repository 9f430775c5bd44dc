/* SPDX-License-Identifier: Apache-2.0
 * kill -9 at any moment: what was acknowledged is there, and batches are whole. */
#include "kit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS 200

/* Batch number `n`: the same number in a record of its own, in one that is replaced in
 * each batch, and in the journal. */
static int write_batch(struct store *s, int64_t n)
{
    char number[24];

    snprintf(number, sizeof number, "%lld", (long long)n);
    store_put(s, "job", number, "{}", NULL);
    store_put(s, "counter", "last", number, NULL);
    if (n % 3 == 0)
        store_delete(s, "counter", "third", NULL);
    else
        store_put(s, "counter", "third", number, NULL);
    store_journal_add(s, n, number, NULL, NULL);
    return store_commit(s, NULL);
}

static int64_t counter(struct store *s, const char *key)
{
    char *value;
    int64_t n;

    assert_int_equal(store_get(s, "counter", key, &value, NULL), 0);
    n = value ? strtoll(value, NULL, 10) : 0;
    free(value);
    return n;
}

/* The child: batches from where the last one came to, each acknowledged through the
 * pipe when it is committed. */
static void work(const struct kit *kit, int acknowledge)
{
    struct store *s;

    if (store_open(kit->path, NULL, &s, NULL) != 0)
        _exit(1);
    for (int64_t n = counter(s, "last") + 1;; n++) {
        if (write_batch(s, n) != 0
            || write(acknowledge, &n, sizeof n) != (ssize_t)sizeof n)
            _exit(2);
        if (n % 5 == 0)
            store_idle(s, NULL);
    }
}

static uint64_t rng(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void wait_ns(int64_t ns)
{
    const struct timespec t = {.tv_nsec = (long)ns};

    nanosleep(&t, NULL);
}

/* Let a child work and kill it a random moment after a random batch. `last` was
 * acknowledged before; returns what is now. */
static int64_t killed_round(const struct kit *kit, int64_t last, uint64_t *seed)
{
    int64_t wanted = last + (int64_t)(rng(seed) % 4);
    int acknowledged[2], status;
    pid_t child;

    assert_int_equal(pipe(acknowledged), 0);
    child = fork();
    if (child == 0) {
        close(acknowledged[0]);
        work(kit, acknowledged[1]);
    }
    close(acknowledged[1]);
    while (last < wanted
           && read(acknowledged[0], &last, sizeof last) == (ssize_t)sizeof last)
        ;
    wait_ns((int64_t)(rng(seed) % 4000) * 1000); /* twice as long as opening takes */
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    while (read(acknowledged[0], &last, sizeof last) == (ssize_t)sizeof last)
        ;
    close(acknowledged[0]);
    return last;
}

static int count(void *arg, const char *key, const char *value)
{
    (void)key, (void)value;
    ++*(int64_t *)arg;
    return 0;
}

static int is_next(void *arg, int64_t seq, int64_t at, const char *text)
{
    int64_t *before = arg;

    assert_int_equal(seq, ++*before);
    assert_int_equal(at, seq);
    assert_int_equal(strtoll(text, NULL, 10), seq);
    return 0;
}

/* All parts tell of the same batches. Returns the last one. */
static int64_t consistent(struct kit *kit)
{
    int64_t n = counter(kit->store, "last"), jobs = 0, events = 0, last;

    assert_int_equal(store_each(kit->store, "job", count, &jobs, &kit->err), 0);
    assert_int_equal(jobs, n);
    assert_int_equal(
        store_journal_each(kit->store, 0, INT64_MAX, is_next, &events, &kit->err), 0);
    assert_int_equal(events, n);
    assert_int_equal(store_journal_last(kit->store, &last, &kit->err), 0);
    assert_int_equal(last, n);
    assert_int_equal(counter(kit->store, "third"), n % 3 == 0 ? 0 : n);
    return n;
}

static void acknowledged_batches_survive_kill_9_and_batches_are_whole(void **state)
{
    struct kit *kit = *state;
    uint64_t seed = 20261121;
    int64_t acknowledged = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        int64_t done;

        acknowledged = killed_round(kit, acknowledged, &seed);
        if (round % 2) /* the next child finds what this one left */
            continue;
        kit_open(kit);
        done = consistent(kit);
        /* Each of the two may have committed one more and not come to say so. */
        assert_in_range(done, acknowledged, acknowledged + 2);
        acknowledged = done;
        kit_close(kit);
    }
    assert_true(acknowledged > ROUNDS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup_fast, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(acknowledged_batches_survive_kill_9_and_batches_are_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
