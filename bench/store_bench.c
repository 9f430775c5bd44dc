/* SPDX-License-Identifier: Apache-2.0
 * How fast changes become durable.
 *
 *     store_bench FOLDER [SECONDS]
 *
 * Commits batches of 1, 50 and 500 changes to a new file in FOLDER, SECONDS (3) each: a
 * record of 300 bytes and an event of 150 bytes in turn, as when jobs start and end.
 * Then times opening, checking and copying a file with 100,000 records, 100,000 events
 * and 100,000 ended jobs. The file is removed. Prints a line of key=value for each;
 * times are of the clock on the wall, since waiting for the disk is what counts. */
#include "store/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct bench {
    char path[300], copy[300];
    struct store *store;
    struct err err;
    char record[301], event[151];
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void ok(const struct bench *b, int result)
{
    if (result < 0) {
        fprintf(stderr, "store_bench: %s\n", b->err.text);
        exit(1);
    }
}

static void change(struct bench *b, long n)
{
    char key[24];

    snprintf(key, sizeof key, "%ld", n / 2 % 10000);
    if (n % 2)
        ok(b, store_journal_add(b->store, n, b->event, NULL, &b->err));
    else
        ok(b, store_put(b->store, "job", key, b->record, &b->err));
}

static void bench_commits(struct bench *b, int batch, double limit)
{
    double begin = seconds(), took;
    long commits = 0, n = 0;

    do {
        for (int i = 0; i < batch; i++)
            change(b, n++);
        ok(b, store_commit(b->store, &b->err));
        commits++;
        took = seconds() - begin;
    } while (took < limit);
    printf("changes=%d commits_s=%.0f changes_s=%.0f longest_ms=%.1f\n", batch,
        (double)commits / took, (double)n / took,
        (double)store_stats(b->store).longest_commit_us / 1e3);
}

static void fill(struct bench *b)
{
    struct store_account row = {.user = "user17",
        .group = "group3",
        .account = "physics",
        .class = "batch",
        .qos = "normal",
        .state = "Completed",
        .procs = 64,
        .hosts = "node[0001-0008]"};
    char key[24];

    for (long i = 0; i < 100000; i++) {
        snprintf(key, sizeof key, "%ld", i);
        row.job = row.name = key;
        row.end_at = i;
        ok(b, store_put(b->store, "job", key, b->record, &b->err));
        ok(b, store_journal_add(b->store, i, b->event, NULL, &b->err));
        ok(b, store_account_add(b->store, &row, &b->err));
    }
    ok(b, store_commit(b->store, &b->err));
}

static int count(void *arg, const char *key, const char *value)
{
    (void)key, (void)value;
    ++*(long *)arg;
    return 0;
}

static void tell(void *arg, const char *problem)
{
    (void)arg;
    fprintf(stderr, "store_bench: %s\n", problem);
}

static void told(const char *what, double *since)
{
    double now = seconds();

    printf("%s_ms=%.0f ", what, (now - *since) * 1e3);
    *since = seconds();
}

static void bench_care(struct bench *b)
{
    double since = seconds();
    long records = 0;
    char lock[310];

    fill(b);
    told("fill", &since);
    ok(b, store_each(b->store, "job", count, &records, &b->err));
    told("records", &since);
    ok(b, store_backup(b->store, b->copy, &b->err));
    told("backup", &since);
    ok(b, store_check(b->store, tell, NULL, &b->err));
    told("check", &since);
    store_close(b->store);
    snprintf(lock, sizeof lock, "%s-lock", b->path);
    since = seconds();
    ok(b, store_open(b->path, NULL, &b->store, &b->err));
    told("open", &since);
    store_close(b->store);
    unlink(lock); /* as after a crash */
    since = seconds();
    ok(b, store_open(b->path, NULL, &b->store, &b->err));
    told("open_after_crash", &since);
    printf("file_mb=%.0f\n", (double)store_stats(b->store).file_bytes / 1e6);
    store_close(b->store);
    unlink(lock);
}

int main(int argc, char **argv)
{
    static const int batches[] = {1, 50, 500};
    double limit = argc > 2 ? strtod(argv[2], NULL) : 3;
    struct bench b = {0};

    if (argc < 2) {
        fprintf(stderr, "usage: store_bench FOLDER [SECONDS]\n");
        return 2;
    }
    snprintf(b.path, sizeof b.path, "%s/store_bench-%d.db", argv[1], (int)getpid());
    snprintf(b.copy, sizeof b.copy, "%s/store_bench-%d.copy", argv[1], (int)getpid());
    snprintf(b.record, sizeof b.record, "{\"hold\":\"%0288d\"}", 0);
    snprintf(b.event, sizeof b.event, "{\"start\":\"%0137d\"}", 0);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        ok(&b, store_open(b.path, NULL, &b.store, &b.err));
        bench_commits(&b, batches[i], limit);
        store_close(b.store);
    }
    ok(&b, store_open(b.path, NULL, &b.store, &b.err));
    bench_care(&b);
    unlink(b.path);
    unlink(b.copy);
    return 0;
}
