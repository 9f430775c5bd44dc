/* SPDX-License-Identifier: Apache-2.0
 * The tables, and how a file of an older version gets them. */
#include "store/private.h"

#define APPLICATION_ID 1296127305 /* "MAUI", at offset 68 of the file */

/* The text of a released version never changes; a new one is a row more. */
static const struct migration migrations[] = {
    {1, "CREATE TABLE record("
        " kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
        " PRIMARY KEY(kind, key)) WITHOUT ROWID;"
        /* AUTOINCREMENT: a number that was trimmed is not given again. */
        "CREATE TABLE journal("
        " seq INTEGER PRIMARY KEY AUTOINCREMENT,"
        " at INTEGER NOT NULL, text TEXT NOT NULL);"
        "CREATE TABLE account("
        " id INTEGER PRIMARY KEY, job TEXT NOT NULL, name TEXT NOT NULL,"
        " \"user\" TEXT NOT NULL, \"group\" TEXT NOT NULL, account TEXT NOT NULL,"
        " class TEXT NOT NULL, qos TEXT NOT NULL, partition TEXT NOT NULL,"
        " state TEXT NOT NULL, submit_at INTEGER NOT NULL, queue_at INTEGER NOT NULL,"
        " start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,"
        " wclimit_s INTEGER NOT NULL, procs INTEGER NOT NULL, nodes INTEGER NOT NULL,"
        " tasks INTEGER NOT NULL, mem_mb INTEGER NOT NULL, cpu_s REAL NOT NULL,"
        " exit_status INTEGER NOT NULL, backfilled INTEGER NOT NULL,"
        " priority INTEGER NOT NULL, hosts TEXT NOT NULL, extra TEXT NOT NULL);"
        "CREATE INDEX account_end ON account(end_at);"
        "CREATE INDEX account_user ON account(\"user\", end_at);"},
    /* A job has one row: the first, unless that only said that it could not be found.
     * Rows without the instant of submission are of jobs nobody remembers. */
    {2, "DELETE FROM account WHERE submit_at > 0 AND id NOT IN ("
        " SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY job, submit_at"
        "  ORDER BY state = 'Vacated', id) AS place"
        "  FROM account WHERE submit_at > 0) WHERE place = 1);"
        "CREATE UNIQUE INDEX account_job ON account(job, submit_at)"
        " WHERE submit_at > 0;"},
    /* The ledger (store/ledger.h). Numbers stay whole: a sum that does not fit in 64
     * bits would become a fraction, which STRICT refuses. */
    {3, "CREATE TABLE am_account("
        " id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, parent INTEGER NOT NULL,"
        " overflow INTEGER NOT NULL, active INTEGER NOT NULL, share INTEGER NOT NULL,"
        " only TEXT NOT NULL) STRICT;"
        "CREATE INDEX am_account_parent ON am_account(parent);"
        "CREATE TABLE am_txn("
        " id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL,"
        " run TEXT NOT NULL, request TEXT NOT NULL, asked TEXT NOT NULL,"
        " who TEXT NOT NULL, text TEXT NOT NULL) STRICT;"
        "CREATE UNIQUE INDEX am_txn_request ON am_txn(request) WHERE request <> '';"
        "CREATE INDEX am_txn_run ON am_txn(run) WHERE run <> '';"
        "CREATE TABLE am_leg("
        " txn INTEGER NOT NULL, n INTEGER NOT NULL, place TEXT NOT NULL,"
        " \"of\" INTEGER NOT NULL, account INTEGER NOT NULL, amount INTEGER NOT NULL,"
        " PRIMARY KEY(txn, n)) STRICT, WITHOUT ROWID;"
        "CREATE INDEX am_leg_account ON am_leg(account);"
        "CREATE INDEX am_leg_place ON am_leg(place, \"of\");"
        "CREATE TRIGGER am_txn_stays BEFORE UPDATE ON am_txn"
        " BEGIN SELECT raise(ABORT, 'a transaction is never changed'); END;"
        "CREATE TRIGGER am_txn_is_kept BEFORE DELETE ON am_txn"
        " BEGIN SELECT raise(ABORT, 'a transaction is never removed'); END;"
        "CREATE TRIGGER am_leg_stays BEFORE UPDATE ON am_leg"
        " BEGIN SELECT raise(ABORT, 'a transaction is never changed'); END;"
        "CREATE TRIGGER am_leg_is_kept BEFORE DELETE ON am_leg"
        " BEGIN SELECT raise(ABORT, 'a transaction is never removed'); END;"
        "CREATE TABLE am_place("
        " place TEXT NOT NULL, \"of\" INTEGER NOT NULL, balance INTEGER NOT NULL,"
        " PRIMARY KEY(place, \"of\")) STRICT, WITHOUT ROWID;"
        "CREATE TABLE am_deposit("
        " id INTEGER PRIMARY KEY, account INTEGER NOT NULL, txn INTEGER NOT NULL,"
        " amount INTEGER NOT NULL, credit_limit INTEGER NOT NULL,"
        " from_at INTEGER NOT NULL, to_at INTEGER NOT NULL, held INTEGER NOT NULL,"
        " ended INTEGER NOT NULL, label TEXT NOT NULL, only TEXT NOT NULL) STRICT;"
        "CREATE INDEX am_deposit_account ON am_deposit(account);"
        "CREATE INDEX am_deposit_txn ON am_deposit(txn);"
        "CREATE INDEX am_deposit_end ON am_deposit(to_at) WHERE NOT ended;"
        "CREATE TABLE am_run("
        " run TEXT PRIMARY KEY NOT NULL, account INTEGER NOT NULL,"
        " since_at INTEGER NOT NULL, until_at INTEGER NOT NULL, open INTEGER NOT NULL,"
        " most INTEGER NOT NULL, rates TEXT NOT NULL, charged INTEGER NOT NULL,"
        " refunded INTEGER NOT NULL, text TEXT NOT NULL) STRICT, WITHOUT ROWID;"
        "CREATE INDEX am_run_open ON am_run(open) WHERE open;"
        "CREATE INDEX am_run_account ON am_run(account);"
        "CREATE TABLE am_lien("
        " run TEXT NOT NULL, n INTEGER NOT NULL, deposit INTEGER NOT NULL,"
        " amount INTEGER NOT NULL, PRIMARY KEY(run, deposit)) STRICT, WITHOUT ROWID;"
        "CREATE INDEX am_lien_deposit ON am_lien(deposit);"
        "CREATE TABLE am_quote("
        " id INTEGER PRIMARY KEY, request TEXT NOT NULL, asked TEXT NOT NULL,"
        " account INTEGER NOT NULL, rates TEXT NOT NULL, amount INTEGER NOT NULL,"
        " until_at INTEGER NOT NULL, uses INTEGER NOT NULL, job TEXT NOT NULL) STRICT;"
        "CREATE UNIQUE INDEX am_quote_request ON am_quote(request)"
        " WHERE request <> '';"},
    /* Statements: legs by instant, and what each day came to, so that the opening of a
     * month is not the sum of all years before. Deposits that have ended, and debts,
     * cost those nothing that go on. */
    {4, "ALTER TABLE am_leg ADD COLUMN booked_at INTEGER NOT NULL DEFAULT 0;"
        "DROP TRIGGER am_leg_stays;"
        "UPDATE am_leg SET booked_at = (SELECT at FROM am_txn WHERE id = txn);"
        "CREATE TRIGGER am_leg_stays BEFORE UPDATE ON am_leg"
        " BEGIN SELECT raise(ABORT, 'a transaction is never changed'); END;"
        "DROP INDEX am_leg_account;"
        "CREATE INDEX am_leg_statement ON am_leg(account, booked_at, txn, n)"
        " WHERE place IN ('deposit', 'over');"
        "CREATE TABLE am_day("
        " account INTEGER NOT NULL, day INTEGER NOT NULL, credits INTEGER NOT NULL,"
        " debits INTEGER NOT NULL, PRIMARY KEY(account, day)) STRICT, WITHOUT ROWID;"
        "INSERT INTO am_day SELECT account, booked_at / 86400, sum(max(amount, 0)),"
        " sum(max(-amount, 0)) FROM am_leg WHERE place IN ('deposit', 'over')"
        " GROUP BY account, booked_at / 86400;"
        "CREATE INDEX am_deposit_live ON am_deposit(account)"
        " WHERE NOT ended OR held <> 0;"
        "CREATE INDEX am_place_debt ON am_place(\"of\")"
        " WHERE place = 'deposit' AND balance < 0;"},
    /* Of all quotes there ever were, those that can be used; what an account used. */
    {5, "CREATE INDEX am_quote_good ON am_quote(until_at) WHERE uses > 0;"
        "CREATE INDEX am_leg_usage ON am_leg(account, booked_at) WHERE place = "
        "'usage';"},
    /* Whose run it is; what each user used of an account on a day, so that the usage of
     * a year is not the sum of all its charges; which jobs have used a quote, and by
     * which run of theirs. */
    {6, "ALTER TABLE am_run ADD COLUMN \"user\" TEXT NOT NULL DEFAULT '';"
        "UPDATE am_run SET \"user\" = coalesce((SELECT who FROM am_txn t"
        " WHERE t.run <> '' AND t.run = am_run.run AND kind = 'charge'"
        " ORDER BY id LIMIT 1), '');"
        "CREATE TABLE am_usage("
        " account INTEGER NOT NULL, day INTEGER NOT NULL, \"user\" TEXT NOT NULL,"
        " charged INTEGER NOT NULL, refunded INTEGER NOT NULL, runs INTEGER NOT NULL,"
        " last INTEGER NOT NULL, PRIMARY KEY(account, day, \"user\"))"
        " STRICT, WITHOUT ROWID;"
        "INSERT INTO am_usage SELECT l.account, booked_at / 86400, \"user\","
        " sum(CASE kind WHEN 'refund' THEN 0 ELSE l.amount END),"
        " sum(CASE kind WHEN 'refund' THEN -l.amount ELSE 0 END),"
        " sum(l.txn = first), max(l.txn)"
        " FROM am_leg l JOIN am_txn t ON t.id = l.txn JOIN am_run r ON r.run = t.run"
        " JOIN (SELECT t.run AS of_run, min(t.id) AS first FROM am_txn t JOIN am_leg l"
        "  ON l.txn = t.id WHERE t.run <> '' AND l.place = 'usage' GROUP BY t.run)"
        " ON of_run = t.run WHERE place = 'usage' GROUP BY 1, 2, 3;"
        "CREATE TABLE am_quote_use("
        " quote INTEGER NOT NULL, job TEXT NOT NULL, run TEXT NOT NULL,"
        " PRIMARY KEY(quote, job)) STRICT, WITHOUT ROWID;"
        "CREATE INDEX am_quote_use_run ON am_quote_use(run);"
        "DROP INDEX am_quote_good;"
        "CREATE INDEX am_quote_until ON am_quote(until_at);"},
};

const struct migration *schema_migrations(size_t *count)
{
    *count = sizeof migrations / sizeof *migrations;
    return migrations;
}

static int refuse(const struct store *store, size_t count, int64_t id, int64_t version,
    int64_t tables, struct err *err)
{
    if (id != APPLICATION_ID && (id != 0 || version != 0 || tables != 0))
        return err_set(err, ERR_INVALID,
            "%s: an SQLite database of another program; name another file for the "
            "scheduler's state",
            store->path);
    if (version > (int64_t)count)
        return err_set(err, ERR_INVALID,
            "%s: written by a newer release (schema %lld, this one knows up to %zu); "
            "use "
            "that release, or the copy from before the upgrade, %s.before-%lld",
            store->path, (long long)version, count, store->path, (long long)version);
    if (store->read_only && version < (int64_t)count)
        return err_set(err, ERR_INVALID,
            "%s: of an older release (schema %lld, this one reads %zu); the scheduler "
            "converts it when it opens it",
            store->path, (long long)version, count);
    return 0;
}

int schema_identify(struct store *store, size_t count, int *version, struct err *err)
{
    int64_t id, have, tables;

    if (sql_number(store, "PRAGMA application_id", &id, err) != 0
        || sql_number(store, "PRAGMA user_version", &have, err) != 0
        || sql_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err) != 0
        || refuse(store, count, id, have, tables, err) != 0)
        return -1;
    *version = (int)have;
    return 0;
}

static int migrate_one(
    struct store *store, const struct migration *step, struct err *err)
{
    char mark[80];

    sqlite3_snprintf(sizeof mark, mark,
        "PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID,
        step->version);
    return sql_exec(store, step->sql, "converting", err) != 0
                   || sql_exec(store, mark, "converting", err) != 0
               ? -1
               : 0;
}

int schema_migrate(struct store *store, const struct migration *list, size_t count,
    int version, struct err *err)
{
    if (version >= (int)count)
        return 0;
    if (sql_exec(store, "BEGIN IMMEDIATE", "converting", err) != 0)
        return -1;
    for (size_t i = (size_t)version; i < count; i++) {
        if (migrate_one(store, &list[i], err) != 0) {
            sql_rollback(store);
            return err_prefix(err,
                "schema %d could not be brought to %d, the file was "
                "left as it was: ",
                version, list[i].version);
        }
    }
    if (sql_exec(store, "COMMIT", "converting", err) != 0) {
        sql_rollback(store);
        sql_overwrite(store);
        return -1;
    }
    return 0;
}
