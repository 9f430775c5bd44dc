/* SPDX-License-Identifier: Apache-2.0
 * Durable state in one SQLite file: records by kind and key, the journal of events,
 * accounting of ended jobs (store/account.h). Knows nothing of the scheduler.
 *
 * Changes gather in an open transaction, the batch, until store_commit(), which returns
 * when they are on the disk (WAL, synchronous=FULL): what the daemon acknowledges or
 * carries out it commits first. One commit for all that is ready: a flush costs
 * milliseconds, fifty changes in it cost hardly more than one.
 *
 * INVARIANTS
 *   1. After store_commit() == 0 everything put before survives kill -9 and loss of
 *      power.
 *   2. After store_commit() == -1 nothing put since the last commit is in the file, and
 *      the store can go on (a disk that was full may have room again).
 *   3. A file of an older schema is migrated in one transaction or left as it was; a
 *      newer one is refused.
 *
 * A change that fails spoils its batch: nothing of the batch is kept, further changes
 * are refused, and store_commit() tells the first error. So the results of single
 * changes need not be looked at.
 *
 * Reading shows the changes of the open batch too. What takes an `err` (may be NULL)
 * returns 0 unless told otherwise, or -1 with a sentence in `err` that tells an
 * administrator what to do. */
#ifndef MAUI_STORE_STORE_H
#define MAUI_STORE_STORE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

struct store_options {
    int busy_timeout_ms; /* how long to wait while a foreign program writes; 0 = 2000 */
    bool read_only;      /* look only, also beside a running scheduler */
    bool fleeting;       /* nothing is flushed: what it has need not survive a crash */
    bool check_beside;   /* see store_checking_fd() */
    /* Opening may take minutes: checking after a crash of the machine, copying and
     * converting a file of an older schema. Told as each begins and about once a second
     * in it; NULL. False: it is given up, and the file is as it was. */
    bool (*progress)(void *arg, const char *doing);
    void *progress_arg;
};

/* Open `path`, which is created (mode 0600) if it is not there and may be written;
 * `options` may be NULL. One process at a time can have it open for writing: it holds a
 * lock on PATH-lock, which the kernel releases when the process ends in whatever way.
 * If the machine ended while it was open, its structure is checked first (time in
 * proportion to its size). A damaged file is left untouched. */
int store_open(const char *path, const struct store_options *options,
    struct store **store, struct err *err);

/* With `check_beside` the structure of a file of the present schema, which no life
 * before has found cause to doubt, is looked at by a process beside, and the store can
 * be used meanwhile. What is committed is durable as always, but goes to PATH-wal
 * alone: until the verdict PATH itself is not written, so a damaged file stays as it
 * was found.
 *
 * The descriptor becomes readable when the verdict is there; -1: none is due. */
int store_checking_fd(const struct store *store);

/* Take the verdict (waits for it): 0 = sound, -1 = damaged: not to be used any longer,
 * 1 = see `err`, to be used: nobody could look, or it could not be noted. Unless 0 the
 * next store_open() looks at it, first where that was no verdict of a sound file. */
int store_checked(struct store *store, struct err *err);

/* Changes that were not committed are lost. NULL is allowed. */
void store_close(struct store *store);

/* Make all changes since the last commit durable. Costs a flush of the disk, nothing if
 * there was no change. */
int store_commit(struct store *store, struct err *err);

/* In a process that fork() has made, right after it: the file is the other one's. From
 * now on nothing of it is touched: reading, changes and commits fail. It is never
 * closed.
 */
void store_leave(struct store *store);

/* Give up all changes since the last commit, a spoiled batch too. */
void store_rollback(struct store *store);

/* Did a change of the batch fail? Then reading shows nothing of that batch, until it is
 * committed (which fails) and all of it is told again. */
bool store_is_spoiled(const struct store *store);

/* A step: changes of the open batch that are made together or not at all. Steps do not
 * lie in each other. store_step_end(keep false) takes them back; what the batch had
 * before stays. */
int store_step_begin(struct store *store, struct err *err);
int store_step_end(struct store *store, bool keep, struct err *err);

/* Called when there is nothing else to do: carry the log (PATH-wal) over into the file,
 * so that it does not grow. Two flushes, nothing if there were no commits. Without it a
 * commit does so each 16 MB. A failure loses nothing and is tried again. */
int store_idle(struct store *store, struct err *err);

/* ---- records -------------------------------------------------------------------- */

/* The value of a record, one JSON text, new or in place of the old one. `kind` is a
 * short word in small letters ("job", "reservation", "parameter"). */
int store_put(struct store *store, const char *kind, const char *key, const char *value,
    struct err *err);

/* A record that is not there is no error. */
int store_delete(
    struct store *store, const char *kind, const char *key, struct err *err);

/* *value: owned by the caller, NULL if there is no such record. */
int store_get(struct store *store, const char *kind, const char *key, char **value,
    struct err *err);

/* Called for each record; 0 = go on, a positive number ends the walk and is returned by
 * it. May read the store, must not change it. */
typedef int store_record_fn(void *arg, const char *key, const char *value);

/* All records of a kind, by key (bytes, ascending). */
int store_each(struct store *store, const char *kind, store_record_fn *each, void *arg,
    struct err *err);

/* ---- the journal ---------------------------------------------------------------- */

/* Append an event of the time `at` (seconds since 1970): one line of JSON. Its number
 * goes to *seq (may be NULL): one more than the last one's, beginning with 1, never
 * given again once committed. */
int store_journal_add(
    struct store *store, int64_t at, const char *text, int64_t *seq, struct err *err);

/* As store_record_fn. */
typedef int store_event_fn(void *arg, int64_t seq, int64_t at, const char *text);

/* Events first..last inclusive, ascending. */
int store_journal_each(struct store *store, int64_t first, int64_t last,
    store_event_fn *each, void *arg, struct err *err);

/* Bytes of the texts of the events from number `first` on. Time in proportion to it. */
int store_journal_size(
    struct store *store, int64_t first, int64_t *bytes, struct err *err);

/* Forget the events before number `seq`. Their space is used again. */
int store_journal_trim(struct store *store, int64_t seq, struct err *err);

/* The number given last, 0 = none ever; also when that event has been trimmed. */
int store_journal_last(struct store *store, int64_t *seq, struct err *err);

/* ---- care ----------------------------------------------------------------------- */

/* Copy the committed state to `path` (mode 0600). The copy is made beside it and takes
 * its place when it is whole and on the disk, so an older backup is never spoiled. Time
 * in proportion to the size of the file. */
int store_backup(struct store *store, const char *path, struct err *err);

/* Look at everything in the file and tell each problem found, one sentence each.
 * Returns their number, or -1 if it could not look. */
int store_check(struct store *store, void (*tell)(void *arg, const char *problem),
    void *arg, struct err *err);

/* Since store_open(), for the metrics page. */
struct store_stats {
    uint64_t commits, failed_commits; /* of batches with changes */
    uint64_t changes;                 /* committed rows: put, deleted, added, trimmed */
    int64_t last_commit_us, longest_commit_us;
    int64_t file_bytes, log_bytes; /* PATH and PATH-wal now */
};

struct store_stats store_stats(const struct store *store);

#endif
