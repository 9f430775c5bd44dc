/* SPDX-License-Identifier: Apache-2.0
 * A ledger of its own for each test. Whatever is done, its invariants are checked
 * after. */
#ifndef MAUI_TESTS_AM_KIT_H
#define MAUI_TESTS_AM_KIT_H

#include "../store/kit.h"
#include "am/am.h"
#include "base/strbuf.h"
#include "store/private.h"

#define CREDITS(n) ((int64_t)(n)*AM_CREDIT)
#define MILLI(n)   ((int64_t)(n)) /* thousandths */

struct bank {
    struct kit *kit;
    struct am am;
    int64_t now;
    int requests;
    struct err err;
};

static void print_problem(void *arg, const char *problem)
{
    (void)arg;
    print_error("%s\n", problem);
}

static inline void bank_check(struct bank *b)
{
    assert_int_equal(ledger_check(b->kit->store, print_problem, NULL, &b->err), 0);
}

/* Who used how much, in turns of so many rows; between them what `between` does. */
static inline void bank_usage_in_turns(struct bank *b, const struct ledger_which *which,
    int64_t rows, void (*between)(struct bank *b), ledger_usage_fn *each, void *arg)
{
    struct ledger_usage_walk *w = ledger_usage_begin(which, NULL);
    const struct ledger_usage *list;
    size_t n;
    int more;

    while ((more = ledger_usage_some(b->kit->store, w, rows, &b->err)) > 0)
        if (between)
            between(b);
    if (more < 0)
        fail_msg("%s", b->err.text);
    list = ledger_usage_rows(w, &n);
    for (size_t i = 0; i < n; i++)
        each(arg, &list[i]);
    ledger_usage_end(w);
}

/* As expected, and the ledger is whole. */
static inline void bank_expect(struct bank *b, int result, int expected)
{
    if (result != expected)
        fail_msg("%d instead of %d: %s", result, expected, b->err.text);
    bank_check(b);
}

static inline void bank_says(struct bank *b, const char *words)
{
    if (!strstr(b->err.text, words))
        fail_msg("'%s' is not in: %s", words, b->err.text);
}

static inline int bank_setup(void **state)
{
    struct bank *b = calloc(1, sizeof *b);
    const struct store_options fleeting = {.fleeting = true};
    void *kit;

    if (kit_setup_fast(&kit) != 0)
        return -1;
    b->kit = kit;
    if (store_open(b->kit->path, &fleeting, &b->kit->store, &b->err) != 0)
        fail_msg("%s", b->err.text);
    am_init(&b->am, b->kit->store);
    *state = b;
    return 0;
}

static inline int bank_teardown(void **state)
{
    struct bank *b = *state;
    void *kit = b->kit;

    free(b);
    return kit_teardown(&kit);
}

#define BANK_TEST(name) cmocka_unit_test_setup_teardown(name, bank_setup, bank_teardown)

/* ---- what is done, with ids of its own --------------------------------------------
 */

static inline struct am_request bank_request(struct bank *b)
{
    static _Thread_local char id[24];

    snprintf(id, sizeof id, "r%d", ++b->requests);
    return (struct am_request){.id = id, .at = b->now, .who = "root", .text = "a test"};
}

static inline void open_account(struct bank *b, struct am_account a)
{
    bank_expect(b, am_account_set(&b->am, &a, &b->err), AM_DONE);
}

static inline void account(struct bank *b, const char *name)
{
    open_account(b, (struct am_account){.name = name});
}

/* From 0 on where nothing else is said. Returns its number. */
static inline int64_t put_deposit(struct bank *b, struct am_deposit d)
{
    struct am_request req = bank_request(b);
    int64_t number = 0;

    d.to_at = d.to_at ? d.to_at : AM_EVER;
    bank_expect(b, am_deposit(&b->am, &req, &d, &number, &b->err), AM_DONE);
    return number;
}

static inline int64_t deposit(
    struct bank *b, const char *name, int64_t amount, int64_t to_at)
{
    return put_deposit(
        b, (struct am_deposit){.account = name, .amount = amount, .to_at = to_at});
}

static inline int try_lien(
    struct bank *b, const char *run, const char *name, int64_t most)
{
    const struct am_lien l = {.run = run,
        .account = name,
        .most = most,
        .at = b->now,
        .until_at = b->now + 3600};
    int result = am_lien(&b->am, &l, NULL, &b->err);

    bank_check(b);
    return result;
}

static inline void lien(struct bank *b, const char *run, const char *name, int64_t most)
{
    bank_expect(b, try_lien(b, run, name, most), AM_DONE);
}

static inline void refuse_lien(
    struct bank *b, const char *run, const char *name, int64_t most, const char *words)
{
    bank_expect(b, try_lien(b, run, name, most), AM_REFUSED);
    bank_says(b, words);
}

static inline void charge_so_far(
    struct bank *b, const char *run, const char *name, int64_t total, bool over)
{
    const struct am_charge c = {
        .run = run, .account = name, .total = total, .at = b->now, .over = over};

    bank_expect(b, am_charge(&b->am, &c, &b->err), AM_DONE);
}

/* The run ends, having used so much. */
static inline void end_run(struct bank *b, const char *run, int64_t total)
{
    charge_so_far(b, run, NULL, total, true);
}

static inline int try_refund(
    struct bank *b, const char *run, int64_t amount, int64_t to)
{
    struct am_request req = bank_request(b);
    int result = am_refund(&b->am, &req, run, amount, to, &b->err);

    bank_check(b);
    return result;
}

static inline void refund(struct bank *b, const char *run, int64_t amount)
{
    bank_expect(b, try_refund(b, run, amount, 0), AM_DONE);
}

/* The clock goes there in steps, as that of a daemon which has run for long, and what
 * has ended expires. */
static inline void clock_to(struct bank *b, int64_t at)
{
    int64_t now = b->now;

    b->am.ticked_at = now;
    b->am.sane_at = now - 3600;
    bank_expect(b, am_tick(&b->am, now, &b->err), 0);
    while (now < at) {
        now = now + 1800 < at ? now + 1800 : at;
        bank_expect(b, am_tick(&b->am, now, &b->err), 0);
    }
    b->now = at;
}

/* ---- what is seen ------------------------------------------------------------------
 */

static inline struct am_balance balance_for(
    struct bank *b, const char *name, const struct am_use *use)
{
    struct am_balance balance;

    bank_expect(b, am_balance(&b->am, name, use, b->now, &balance, &b->err), 0);
    return balance;
}

static inline int64_t available(struct bank *b, const char *name)
{
    return balance_for(b, name, NULL).available;
}

static inline int see_deposit(void *arg, const struct ledger_deposit *row)
{
    *(struct ledger_deposit *)arg = *row;
    return 1;
}

/* Its texts are gone. */
static inline struct ledger_deposit deposit_row(struct bank *b, int64_t number)
{
    const struct ledger_which which = {.id = number};
    struct ledger_deposit row = {0};

    assert_int_equal(
        ledger_deposits(b->kit->store, &which, see_deposit, &row, &b->err), 1);
    return row;
}

static inline void expect_balance(struct bank *b, int64_t number, int64_t balance)
{
    assert_int_equal(deposit_row(b, number).balance, balance);
}

static inline void expect_held(struct bank *b, int64_t number, int64_t held)
{
    assert_int_equal(deposit_row(b, number).held, held);
}

static inline int see_account(void *arg, const struct ledger_account *row)
{
    *(int64_t *)arg = row->id;
    return 1;
}

/* What lies at "usage", "expired" or "over" of the account. */
static inline int64_t at_place(struct bank *b, const char *place, const char *name)
{
    const struct ledger_which which = {.name = name};
    int64_t id = 0, balance = 0;

    assert_int_equal(
        ledger_accounts(b->kit->store, &which, see_account, &id, &b->err), 1);
    assert_int_equal(ledger_balance(b->kit->store, place, id, &balance, &b->err), 0);
    return balance;
}

static inline int see_run(void *arg, const struct ledger_run *row)
{
    *(struct ledger_run *)arg = *row;
    return 1;
}

/* Its texts are gone. */
static inline struct ledger_run run_row(struct bank *b, const char *run)
{
    const struct ledger_which which = {.run = run};
    struct ledger_run row = {0};

    assert_int_equal(ledger_runs(b->kit->store, &which, see_run, &row, &b->err), 1);
    return row;
}

static inline int64_t transactions(struct bank *b)
{
    struct ledger_size size;

    assert_int_equal(ledger_size(b->kit->store, &size, &b->err), 0);
    return size.transactions;
}

/* The whole ledger as text: equal ledgers, equal texts. Owned. */
static inline char *dump_ledger(struct store *store)
{
    static const char *const tables[] = {"am_account", "am_deposit", "am_leg",
        "am_lien", "am_place", "am_quote", "am_quote_use", "am_run", "am_txn",
        "am_usage"};
    struct strbuf text = {0};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sqlite3_stmt *stmt;
        char sql[80];

        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", tables[i]);
        assert_int_equal(
            sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL), SQLITE_OK);
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            strbuf_add(&text, tables[i]);
            for (int c = 0; c < sqlite3_column_count(stmt); c++)
                strbuf_printf(&text, "|%s", (const char *)sqlite3_column_text(stmt, c));
            strbuf_add(&text, "\n");
        }
        sqlite3_finalize(stmt);
    }
    return strbuf_take(&text);
}

#endif
