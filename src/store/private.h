/* SPDX-License-Identifier: Apache-2.0
 * What the files of this room share: the store itself, statements, error sentences. */
#ifndef MAUI_STORE_PRIVATE_H
#define MAUI_STORE_PRIVATE_H

#include "base/vec.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stddef.h>
#include <sys/types.h>

/* Statements that stay prepared. */
enum kept {
    KEPT_BEGIN,
    KEPT_COMMIT,
    KEPT_PUT,
    KEPT_DELETE,
    KEPT_GET,
    KEPT_JOURNAL_ADD,
    KEPT_JOURNAL_TRIM,
    KEPT_JOURNAL_LAST,
    KEPT_ACCOUNT_ADD,
    KEPT_ACCOUNT_LATER,
    KEPT_STEP_BEGIN,
    KEPT_STEP_UNDO,
    KEPT_STEP_END,
    KEPT_LEDGER_ACCOUNT,
    KEPT_LEDGER_DEPOSIT,
    KEPT_LEDGER_TXN,
    KEPT_LEDGER_LEG,
    KEPT_LEDGER_PLACE,
    KEPT_LEDGER_DAY,
    KEPT_LEDGER_USAGE,
    KEPT_LEDGER_RUN,
    KEPT_LEDGER_LIEN,
    KEPT_LEDGER_LIEN_GONE,
    KEPT_LEDGER_HELD,
    KEPT_LEDGER_END,
    KEPT_LEDGER_QUOTE,
    KEPT_LEDGER_QUOTE_USE,
    KEPT_LEDGER_QUOTE_BACK,
    KEPT_LEDGER_QUOTE_FREE,
    KEPT_COUNT
};

/* A selection that stays prepared; busy while a walk over its rows goes on. */
struct kept_walk {
    char *sql; /* owned */
    sqlite3_stmt *stmt;
    bool busy;
};

/* What opening is busy with, for who waits. */
struct progress {
    bool (*tell)(void *arg, const char *doing); /* NULL = nobody */
    void *arg;
    const char *doing;
    int64_t told_at;
    bool given_up; /* somebody does not want to wait any longer */
};

struct store {
    char *path;
    sqlite3 *db;
    sqlite3_stmt *kept[KEPT_COUNT];
    struct VEC(struct kept_walk) kept_walks;
    int lock_fd;              /* -1 when read only */
    bool read_only, fleeting; /* options of the caller */
    bool created;             /* by this process; removed again if opening fails */
    bool was_closed;          /* in order, when it was opened */
    bool in_doubt;            /* the machine ended while it was open */
    bool doubted_before;      /* a life before this one found cause to */
    bool doubted;             /* this one has: lockfile_doubt() */
    bool damaged;             /* a damage was met, not a failure of something else */
    bool unproven;            /* sound or not: only the log is written */
    pid_t check_pid;          /* looks at it beside */
    int check_fd;             /* its verdict; -1 = nobody does */
    bool left;                /* this process is a copy: store_leave() */
    bool spoiled;   /* the batch failed: `why`; nothing of it is in the file */
    bool remnant;   /* a failed commit may have left whole frames in the log */
    bool logged;    /* commits since the log was last carried over */
    unsigned walks; /* reading just now: no changes from callbacks */
    uint64_t batch_changes;
    struct err why;
    struct store_stats stats;
    struct progress progress; /* while it is opened */
};

/* ---- sql.c ---------------------------------------------------------------------- */

/* Still busy: told, but not more often than each second. False: it is to be given up.
 */
bool store_busy(struct progress *p);

/* Put the sentence for an SQLite result code into `err`: what happened while `doing`
 * ("writing"), and what to do about it. What tells of a damage or of a failing disk
 * puts the file in doubt. Returns -1. */
int sql_fail(struct store *store, int rc, const char *doing, struct err *err);

/* sqlite3_step() after which sql_fail() can name the cause. */
int sql_step(sqlite3_stmt *stmt);

/* Run statements without results. */
int sql_exec(struct store *store, const char *sql, const char *doing, struct err *err);

/* The one number that a statement yields. */
int sql_number(struct store *store, const char *sql, int64_t *number, struct err *err);

/* Leave the open transaction, if there is one. */
void sql_rollback(const struct store *store);

/* After a commit that failed and was rolled back: if it was the flush that failed,
 * whole frames of it lie in the log, behind its end, and a process that comes after a
 * crash would take them for committed. Overwrite them with a commit that changes
 * nothing; -1 = that could not be flushed either, but it has been written. */
int sql_overwrite(struct store *store);

/* The statement kept as `which`, prepared from `sql` at first use; NULL on failure. */
sqlite3_stmt *sql_kept(
    struct store *store, enum kept which, const char *sql, struct err *err);

/* A statement for one walk over its rows; NULL on failure. End it with sql_walked(). */
sqlite3_stmt *sql_walk(struct store *store, const char *sql, struct err *err);

/* The same for a selection that is made often, of few different texts: it stays
 * prepared (preparing costs several times what the rows do). */
sqlite3_stmt *sql_walk_kept(struct store *store, const char *sql, struct err *err);

/* `rc` is what the last step returned, `stop` what the last callback did; the result of
 * the walk is returned. */
int sql_walked(
    struct store *store, sqlite3_stmt *stmt, int rc, int stop, struct err *err);

/* The number in the first row of a walk, which is ended; 0 where there is no row. */
int sql_first_number(
    struct store *store, sqlite3_stmt *stmt, int64_t *number, struct err *err);

/* Text of a result column until the next step; never NULL, also in a damaged file. */
const char *sql_column(sqlite3_stmt *stmt, int number);

/* Text parameter that lives until the statement has run; NULL is "". */
void sql_text(sqlite3_stmt *stmt, int number, const char *text);

/* ---- store.c -------------------------------------------------------------------- */

/* The statement of a change, with its batch open; NULL = refused, the batch is spoiled
 * then. Bind its parameters and call store_change_end(). */
sqlite3_stmt *store_change(
    struct store *store, enum kept which, const char *sql, struct err *err);
int store_change_end(struct store *store, sqlite3_stmt *stmt, struct err *err);

/* ---- ledger_usage.c ------------------------------------------------------------- */

struct ledger_leg;

/* The leg of what a run used is part of its user's sums of that day. */
int usage_add(struct store *store, const struct ledger_leg *row, struct err *err);

/* ---- lockfile.c ----------------------------------------------------------------- */

/* Take the writer's lock; fills lock_fd, in_doubt and doubted_before. */
int lockfile_take(struct store *store, struct err *err);

/* The file is sound: the next one need not check it, unless the machine ends. */
int lockfile_trust(struct store *store, struct err *err);
/* A damage was met or the disk failed: the next one checks it before it is used, also
 * where this one closes it in order. */
void lockfile_doubt(struct store *store);

/* Release it; `clean`: the next one need not check the file, unless it is doubted. */
void lockfile_release(struct store *store, bool clean);

/* ---- soundness.c ---------------------------------------------------------------- */

/* The log is carried over into the file each 16 MB, or not at all. */
#define LOG_LIMIT "PRAGMA journal_size_limit=16777216; PRAGMA wal_autocheckpoint=4096"
#define LOG_ALONE "PRAGMA journal_size_limit=16777216; PRAGMA wal_autocheckpoint=0"

/* Look at the structure of all of it, in this process. -1: it is `damaged`, or that
 * could not be found out. */
int check_structure(struct store *store, struct err *err);

/* Begin to look at it in a process beside, before the file is opened in this one: fills
 * check_pid and check_fd. Where there is no process to be had nothing is begun. */
void soundness_begin(struct store *store);
void soundness_end(struct store *store); /* without a verdict; nothing if none is due */

/* The file is sound: it may be written. -1: the next one does not know. */
int soundness_trust(struct store *store, struct err *err);

/* ---- schema.c ------------------------------------------------------------------- */

/* How to come to `version` from the one before. */
struct migration {
    int version;
    const char *sql;
};

/* The present list, 1 upwards without gaps; *count entries. */
const struct migration *schema_migrations(size_t *count);

/* Is it our file, and not newer than the list? *version: what it has, 0 = empty. */
int schema_identify(struct store *store, size_t count, int *version, struct err *err);

/* Bring the file from `version` to the end of the list, all or nothing. */
int schema_migrate(struct store *store, const struct migration *list, size_t count,
    int version, struct err *err);

/* ---- care.c --------------------------------------------------------------------- */

/* Ask statements that yield one problem a row, and tell each; their number, or -1. */
int care_ask(struct store *store, const char *const *questions, size_t count,
    void (*tell)(void *arg, const char *problem), void *arg, struct err *err);

/* ---- open.c --------------------------------------------------------------------- */

/* As store_open(), with another list of migrations. */
int store_open_schema(const char *path, const struct store_options *options,
    const struct migration *list, size_t count, struct store **store, struct err *err);

/* Make the names in the folder of `path` durable. */
int store_sync_folder(const char *path, struct err *err);

/* Create `path` (mode 0600 whatever the umask), which must not exist. -1: see errno. */
int store_create_file(const char *path);

#endif
