/* SPDX-License-Identifier: Apache-2.0
 * Is the structure of the file as it should be? Asked after the end of the machine:
 * SQLite mends what that can do; this finds what a disk did. Either before the file is
 * used, or beside it: then a process of its own reads the file while all that is
 * committed goes into the log alone, so that a damaged file stays as it was found. */
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOUND       "sound"
#define PATIENCE_MS 60000 /* of the process beside: it is in nobody's way */
#define TRIES       3

int check_structure(struct store *store, struct err *err)
{
    sqlite3_stmt *stmt = sql_walk(store, "PRAGMA quick_check(1)", err);
    struct store sentence = {.path = store->path, .lock_fd = -1}; /* no words of the
                                                                     last statement */
    int rc, result = 0;

    if (!stmt)
        return -1;
    rc = sql_step(stmt);
    if (rc == SQLITE_ROW && strcmp(sql_column(stmt, 0), "ok") != 0) {
        result = sql_fail(&sentence, SQLITE_CORRUPT, "checking its structure", err);
        lockfile_doubt(store);
        store->damaged = true;
    }
    return sql_walked(store, stmt, rc, 0, err) != 0 ? -1 : result;
}

/* ---- the process beside --------------------------------------------------------- */

/* Nothing of the daemon's stays with it: no lock, no socket, no terminal. Returns the
 * one descriptor that does. */
static int keep_one(int fd)
{
    int null = open("/dev/null", O_RDWR);

    for (int i = 0; null >= 0 && i <= STDERR_FILENO; i++)
        dup2(null, i);
    fd = dup2(fd, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + 2, UINT_MAX, 0);
    return fd;
}

/* Its verdict is one sentence; it ends well once that is written. */
static _Noreturn void look_beside(const char *path, pid_t parent, int fd)
{
    struct store own = {.path = (char *)path, .lock_fd = -1, .read_only = true};
    struct err err = {0};
    const char *verdict = "";

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent
        || sqlite3_open_v2(
               path, &own.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)
               != SQLITE_OK)
        _exit(1);
    sqlite3_busy_timeout(own.db, PATIENCE_MS);
    if (check_structure(&own, &err) == 0)
        verdict = SOUND;
    else if (own.damaged)
        verdict = err.text;
    _exit(*verdict == '\0'
          || write(fd, verdict, strlen(verdict)) < 0); /* it is not closed: see
                                                         soundness_begin() */
}

/* Who looks is a child of its own: where that is ended, for want of memory perhaps, it
 * is tried again. Silence where nobody could look. */
static _Noreturn void check_beside(const char *path, pid_t parent, int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    (void)!nice(10);
    fd = keep_one(fd);
    parent = getpid();
    for (int i = 0; i < TRIES; i++) {
        pid_t pid = fork();
        int status = -1;

        if (pid == 0)
            look_beside(path, parent, fd);
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (status == 0)
            _exit(0);
    }
    _exit(1);
}

/* Before this process has the file open: SQLite would take what it knows of locks over
 * into the copy, where they do not hold. */
void soundness_begin(struct store *store)
{
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    store->check_pid = fork();
    if (store->check_pid == 0)
        check_beside(store->path, parent, ends[1]);
    close(ends[1]);
    if (store->check_pid > 0)
        store->check_fd = ends[0];
    else
        close(ends[0]);
}

void soundness_end(struct store *store)
{
    if (store->check_fd < 0)
        return;
    close(store->check_fd);
    store->check_fd = -1;
    if (store->left)
        return; /* it is the other process's */
    kill(store->check_pid, SIGKILL);
    while (waitpid(store->check_pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int store_checking_fd(const struct store *store)
{
    return store->check_fd;
}

/* What it said; "" if it ended without a word. */
static void read_verdict(struct store *store, char *ret, size_t size)
{
    ssize_t n;

    do
        n = read(store->check_fd, ret, size - 1); /* one piece: it fits a pipe */
    while (n < 0 && errno == EINTR);
    ret[n > 0 ? n : 0] = '\0';
    soundness_end(store);
}

int store_checked(struct store *store, struct err *err)
{
    char verdict[sizeof err->text] = "";

    if (store->check_fd < 0)
        return 0;
    read_verdict(store, verdict, sizeof verdict);
    if (strcmp(verdict, SOUND) != 0)
        lockfile_doubt(store);
    if (*verdict == '\0') {
        err_set(err, ERR_IO,
            "%s: who looked at it ended without a verdict; until the next start all "
            "that is committed stays in %s-wal, which grows",
            store->path, store->path);
        return 1;
    }
    if (strcmp(verdict, SOUND) != 0)
        return err_set(err, ERR_IO, "%s", verdict);
    return soundness_trust(store, err) != 0 ? 1 : 0;
}

int soundness_trust(struct store *store, struct err *err)
{
    if (sql_exec(store, LOG_LIMIT, "opening", err) != 0)
        return -1;
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    store->unproven = false; /* whether or not the next one comes to know */
    return store->doubted ? 0 : lockfile_trust(store, err);
}
