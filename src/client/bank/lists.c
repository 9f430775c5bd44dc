/* SPDX-License-Identifier: Apache-2.0
 * mam-balance, mam-list-*, mam-usage, mam-list-rates: what the bank has, as tables. */
#include "base/strbuf.h"
#include "client/bank/bankwords.h"
#include "client/kit/request.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX   80
#define TXNS_USUAL 1000 /* that are wanted */

/* ---- tables ---------------------------------------------------------------------- */

enum cell {
    CELL_TEXT,
    CELL_NUMBER,
    CELL_CREDITS,
    CELL_DATE,
    CELL_FLAG,
    CELL_PARENT /* of an account, and whether this one is closed */
};

struct column {
    const char *heading, *key;
    enum cell cell;
    int width; /* less than 0 = to the left */
};

/* A list of the API and its columns; heading NULL ends. */
struct list {
    const char *path;
    const struct column *columns;
};

static const char *cell_text(
    const struct command_line *l, const struct column *c, json_t *o, char *ret)
{
    switch (c->cell) {
    case CELL_NUMBER:
        snprintf(ret, TEXT_MAX, "%" JSON_INTEGER_FORMAT, get_int(o, c->key, 0));
        return ret;
    case CELL_CREDITS:
        return bankwords_credits(l, o, c->key, ret);
    case CELL_DATE:
        return bankwords_date(o, c->key, ret);
    case CELL_FLAG:
        return get_bool(o, c->key) ? "yes" : "no";
    case CELL_PARENT:
        snprintf(ret, TEXT_MAX, "%s%s", get_text(o, c->key, "-"),
            get_bool(o, "closed") ? " (closed)" : "");
        return ret;
    case CELL_TEXT:
        break;
    }
    return get_text(o, c->key, "-");
}

struct table {
    const struct command_line *l;
    const struct list *of;
    bool headed;
};

/* Not before something was answered: a refusal has no table. */
static void print_heading(struct table *t)
{
    for (const struct column *c = t->of->columns; !t->headed && c->heading; c++)
        printf("%*s%s", c[1].heading ? c->width : 0, c->heading,
            c[1].heading ? "  " : "\n");
    t->headed = true;
}

static void print_row(void *ctx, json_t *o)
{
    struct table *t = ctx;
    char text[TEXT_MAX + LAYOUT_CREDITS_MAX];

    print_heading(t);
    for (const struct column *c = t->of->columns; c->heading; c++) {
        const char *cell = cell_text(t->l, c, o, text);
        printf("%*s%s", layout_width(cell, c[1].heading ? c->width : 0), cell,
            c[1].heading ? "  " : "\n");
    }
}

static void print_record(void *ctx, json_t *o)
{
    struct table *t = ctx;

    if (t->l->format == FORMAT_JSON)
        print_json_record(NULL, o);
    else
        print_row(t, o);
}

static int show_list(
    const struct command_line *l, const struct list *list, struct query *q)
{
    struct table t = {.l = l, .of = list};
    int status;

    if (l->nargs > 1) {
        query_free(q);
        return command_wrong(l, "expected one ACCOUNT at most");
    }
    query_add(q, "account", l->nargs ? l->args[0] : NULL);
    status = ask_pages(l, q, "after", NULL, print_record, &t) < 0;
    if (!status && l->format != FORMAT_JSON)
        print_heading(&t);
    query_free(q);
    return status;
}

/* An instant as setres takes it. */
static int add_date(
    const struct command_line *l, struct query *q, char letter, const char *key)
{
    char number[24];
    int64_t at;

    if (bankwords_read_date(l, letter, &at))
        return 1;
    snprintf(number, sizeof number, "%" PRId64, at);
    query_add(q, key, at ? number : NULL);
    return 0;
}

/* ---- what accounts have, and what is kept of it ---------------------------------- */

static const struct option_row balance_options[] = {BANK_HOURS, BANK_NO_MORE};

static int show_balance(const struct command_line *l)
{
    static const struct column columns[] = {{"Account", "account", CELL_TEXT, -16},
        {"Balance", "balance", CELL_CREDITS, 14}, {"Held", "held", CELL_CREDITS, 14},
        {"CreditLimit", "credit_limit", CELL_CREDITS, 12},
        {"Available", "available", CELL_CREDITS, 14},
        {"Parent", "parent", CELL_PARENT, 0}, {0}};
    static const struct list list = {"/v1/bank/accounts", columns};

    return show_list(l, &list, query_new(list.path));
}

static int run_balance(int argc, char **argv, const char *name)
{
    const struct command_spec spec = {.name = name,
        .usage = "[-h] [ACCOUNT]",
        .summary = "Show what accounts of the bank have.",
        .options = balance_options,
        .more = "Available is the balance of all deposits that can be used now, and "
                "of those of\naccounts above that it draws on, plus their credit "
                "limits, less what is kept for\nrunning jobs. You see the accounts "
                "that are for you.\n",
        .examples = "  mam-balance\n"
                    "  mam-balance -h chem    in processor hours\n"};

    return command_run(&spec, argc, argv, show_balance);
}

int mam_balance_main(int argc, char **argv)
{
    return run_balance(argc, argv, "mam-balance");
}

int gbalance_main(int argc, char **argv)
{
    return run_balance(argc, argv, "gbalance");
}

static int show_liens(const struct command_line *l)
{
    static const struct column columns[] = {{"Job", "job", CELL_TEXT, -20},
        {"Account", "account", CELL_TEXT, -16}, {"Amount", "amount", CELL_CREDITS, 14},
        {"Run", "run", CELL_TEXT, 0}, {0}};
    static const struct list list = {"/v1/bank/liens", columns};

    return show_list(l, &list, query_new(list.path));
}

int mam_liens_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-list-liens",
        .usage = "[-h] [ACCOUNT]",
        .summary = "Show what is kept for running jobs.",
        .options = balance_options,
        .examples = "  mam-list-liens chem\n"};

    return command_run(&spec, argc, argv, show_liens);
}

/* ---- accounts -------------------------------------------------------------------- */

static int show_accounts(const struct command_line *l)
{
    static const struct column columns[] = {{"Account", "account", CELL_TEXT, -16},
        {"Parent", "parent", CELL_TEXT, -16}, {"Overflow", "overflow", CELL_FLAG, -8},
        {"Closed", "closed", CELL_FLAG, -6}, {"Runs", "runs", CELL_NUMBER, 6},
        {"Owed", "owed", CELL_CREDITS, 12}, {"For", "only", CELL_TEXT, 0}, {0}};
    static const struct list list = {"/v1/bank/accounts", columns};

    return show_list(l, &list, query_new(list.path));
}

int mam_list_accounts_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-list-accounts",
        .usage = "[-h] [ACCOUNT]",
        .summary = "Show the accounts of the bank, and for whom they are.",
        .options = balance_options,
        .more =
            "What they have is shown by mam-balance. You see the accounts that are\n"
            "for you.\n",
        .examples = "  mam-list-accounts\n"};

    return command_run(&spec, argc, argv, show_accounts);
}

/* ---- deposits -------------------------------------------------------------------- */

static const struct option_row deposit_list_options[] = {
    BANK_HOURS, {'a', "all", NULL, "those that have ended too"}, BANK_NO_MORE};

static int show_deposits(const struct command_line *l)
{
    static const struct column columns[] = {{"Deposit", "deposit", CELL_NUMBER, 7},
        {"Account", "account", CELL_TEXT, -16}, {"Amount", "amount", CELL_CREDITS, 14},
        {"Balance", "balance", CELL_CREDITS, 14}, {"Held", "held", CELL_CREDITS, 12},
        {"CreditLimit", "credit_limit", CELL_CREDITS, 12},
        {"From", "from", CELL_DATE, -24}, {"To", "to", CELL_DATE, -24},
        {"Label", "label", CELL_TEXT, -8}, {"For", "only", CELL_TEXT, 0}, {0}};
    static const struct list list = {"/v1/bank/deposits", columns};
    struct query *q = query_new(list.path);

    query_add(q, "ended", command_has(l, 'a') ? "1" : NULL);
    return show_list(l, &list, q);
}

int mam_list_deposits_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-list-deposits",
        .usage = "[-h] [-a] [ACCOUNT]",
        .summary = "Show the deposits of accounts of the bank.",
        .options = deposit_list_options,
        .examples = "  mam-list-deposits chem\n"
                    "  mam-list-deposits -a -h chem    ended ones too, in hours\n"};

    return command_run(&spec, argc, argv, show_deposits);
}

/* ---- quotes ---------------------------------------------------------------------- */

static int show_quotes(const struct command_line *l)
{
    static const struct column columns[] = {{"Quote", "number", CELL_NUMBER, 6},
        {"Account", "account", CELL_TEXT, -16}, {"Price", "price", CELL_CREDITS, 14},
        {"Until", "until", CELL_DATE, -24}, {"Uses", "uses", CELL_NUMBER, 5},
        {"Rates", "rates", CELL_TEXT, 0}, {0}};
    static const struct list list = {"/v1/bank/quotes", columns};

    if (l->nargs)
        return command_wrong(l, "expected nothing more");
    return show_list(l, &list, query_new(list.path));
}

int mam_list_quotes_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-list-quotes",
        .usage = "[-h]",
        .summary = "Show quotes that jobs can still name.",
        .options = balance_options,
        .more = "Yours, and those of accounts that you lead. mam-quote -k makes one.\n",
        .examples = "  mam-list-quotes\n"};

    return command_run(&spec, argc, argv, show_quotes);
}

/* ---- transactions ---------------------------------------------------------------- */

static const struct option_row transaction_options[] = {BANK_HOURS,
    {'n', "since", "NUMBER", "behind that transaction"},
    {'m', "most", "NUMBER", "so many; 1000"}, BANK_NO_MORE};

struct transactions {
    struct table table;
    json_int_t next; /* the daemon looked at so many, and goes on behind that one */
    long left;       /* so many are wanted still */
};

static void take_transaction(void *ctx, json_t *o)
{
    struct transactions *t = ctx;

    t->next = get_int(o, "next", 0);
    if (t->next)
        return;
    t->left--;
    print_record(&t->table, o);
}

/* Until there are enough, or no more: of many that are others' few are one's own. */
static int ask_transactions(
    const struct command_line *l, const char *since, struct transactions *t)
{
    const char *most = command_value(l, 'm');
    char behind[24], left[24];
    int status;

    t->left = most ? strtol(most, NULL, 10) : TXNS_USUAL;
    do {
        struct query *q = query_new(t->table.of->path);
        query_add(q, "account", l->nargs ? l->args[0] : NULL);
        query_add(q, "since", since);
        query_add(q, "limit", most);
        t->next = 0;
        status = ask_list(l, q, take_transaction, t) < 0;
        query_free(q);
        snprintf(behind, sizeof behind, "%" JSON_INTEGER_FORMAT, t->next);
        snprintf(left, sizeof left, "%ld", t->left);
        since = behind;
        most = left;
    } while (!status && t->next && t->left > 0);
    return status;
}

static int show_transactions(const struct command_line *l)
{
    static const struct column columns[] = {{"Number", "transaction", CELL_NUMBER, 8},
        {"At", "at", CELL_DATE, -24}, {"Kind", "kind", CELL_TEXT, -9},
        {"Account", "account", CELL_TEXT, -16}, {"Amount", "amount", CELL_CREDITS, 14},
        {"Run", "run", CELL_TEXT, -16}, {"Who", "who", CELL_TEXT, -10},
        {"Text", "text", CELL_TEXT, 0}, {0}};
    static const struct list list = {"/v1/bank/transactions", columns};
    struct transactions t = {.table = {.l = l, .of = &list}};

    if (l->nargs > 1)
        return command_wrong(l, "expected one ACCOUNT at most");
    if (ask_transactions(l, command_value(l, 'n'), &t))
        return 1;
    if (l->format != FORMAT_JSON)
        print_heading(&t.table);
    return 0;
}

int mam_list_transactions_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-list-transactions",
        .usage = "[-h] [-n NUMBER] [-m NUMBER] [ACCOUNT]",
        .summary = "Show what went in and out, as it was booked.",
        .options = transaction_options,
        .more = "A program asks again with the number of the last one that it got. Of\n"
                "one account with its sums: mam-statement.\n",
        .examples = "  mam-list-transactions -n 1200 --format json\n"};

    return command_run(&spec, argc, argv, show_transactions);
}

/* ---- usage ----------------------------------------------------------------------- */

static const struct option_row usage_options[] = {BANK_HOURS,
    {'s', "start", "DATE", "from then on; dates as setres takes them"},
    {'e', "end", "DATE", "until then"},
    {'n', "since", "NUMBER", "of transactions behind that number"}, BANK_NO_MORE};

static void add_credits(json_t *to, const json_t *more, const char *key)
{
    double sum = get_real(to, key, 0) + get_real(more, key, 0);

    json_object_set_new(to, key, json_real(round(sum * 1000) / 1000));
}

static void add_usage(json_t *to, const json_t *more)
{
    add_credits(to, more, "charged");
    add_credits(to, more, "refunded");
    add_credits(to, more, "used");
    json_object_set_new(
        to, "runs", json_integer(get_int(to, "runs", 0) + get_int(more, "runs", 0)));
    json_object_set(to, "transaction", json_object_get(more, "transaction"));
}

static void take_usage(void *ctx, json_t *o)
{
    json_t *rows = ctx, *known; /* by account and user */
    struct strbuf key = {0};

    strbuf_printf(&key, "%s %s", get_text(o, "account", ""), get_text(o, "user", ""));
    known = json_object_get(rows, key.text);
    if (known)
        add_usage(known, o);
    else
        json_object_set(rows, key.text, o);
    free(strbuf_take(&key));
}

static void print_usage(struct table *t, json_t *rows)
{
    const char *key;
    json_t *o;

    json_object_foreach(rows, key, o) print_record(t, o);
    if (t->l->format != FORMAT_JSON)
        print_heading(t);
}

static struct query *usage_query(const struct command_line *l)
{
    struct query *q = query_new("/v1/bank/usage");

    if (add_date(l, q, 's', "from") || add_date(l, q, 'e', "to")) {
        query_free(q);
        return NULL;
    }
    return q;
}

/* All of it, however often the daemon has to be asked. */
static int show_usage_since(struct table *t, const char *since)
{
    json_t *rows = json_object();
    struct query *q = usage_query(t->l);
    int status;

    if (q)
        query_add(q, "account", t->l->nargs ? t->l->args[0] : NULL);
    status = !q || ask_pages(t->l, q, "since", since, take_usage, rows) < 0;
    query_free(q);
    if (!status)
        print_usage(t, rows);
    json_decref(rows);
    return status;
}

static int show_usage(const struct command_line *l)
{
    static const struct column columns[] = {{"Account", "account", CELL_TEXT, -16},
        {"User", "user", CELL_TEXT, -12}, {"Charged", "charged", CELL_CREDITS, 16},
        {"Refunded", "refunded", CELL_CREDITS, 14}, {"Used", "used", CELL_CREDITS, 16},
        {"Runs", "runs", CELL_NUMBER, 0}, {0}};
    static const struct list list = {"/v1/bank/usage", columns};
    struct table t = {.l = l, .of = &list};
    struct query *q;

    if (l->nargs > 1)
        return command_wrong(l, "expected one ACCOUNT at most");
    if (command_has(l, 'n'))
        return show_usage_since(&t, command_value(l, 'n'));
    q = usage_query(l);
    return q ? show_list(l, &list, q) : 1;
}

int mam_usage_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-usage",
        .usage = "[-h] [-s DATE] [-e DATE] [-n NUMBER] [ACCOUNT]",
        .summary = "Show who used how much of accounts.",
        .options = usage_options,
        .more = "You see what you used yourself, and of accounts that you lead what\n"
                "everybody did.\n",
        .examples = "  mam-usage -h chem\n"
                    "  mam-usage -s 0:00:00_11/01 -e 0:00:00_12/01    of a month\n"};

    return command_run(&spec, argc, argv, show_usage);
}

/* ---- rates ----------------------------------------------------------------------- */

static int show_rates(const struct command_line *l)
{
    struct query *q = query_new("/v1/bank/rates");
    json_t *o = l->nargs ? NULL : ask(l, q);
    const json_t *f;
    size_t i;

    query_free(q);
    if (l->nargs)
        return command_wrong(l, "expected nothing more");
    if (!o || l->format == FORMAT_JSON)
        return print_json(o);
    printf("credits a second   %s\n", get_text(o, "rates", ""));
    if (*get_text(o, "times", ""))
        printf("by time of day     %s\nnow                %g\n",
            get_text(o, "times", ""), get_real(o, "time_now", 1));
    printf("a run is charged   %s\n", strcmp(get_text(o, "rates_at", ""), "USE") == 0
                                          ? "at what is in force while it runs"
                                          : "at what was in force when it began");
    json_array_foreach(json_object_get(o, "factors"), i, f) printf("%-8s %-20s x %g\n",
        get_text(f, "kind", ""), get_text(f, "name", ""), get_real(f, "factor", 1));
    json_decref(o);
    return 0;
}

int mam_list_rates_main(int argc, char **argv)
{
    static const struct option_row options[] = {BANK_NO_MORE};
    static const struct command_spec spec = {.name = "mam-list-rates",
        .usage = "",
        .summary = "Show what is charged: rates, factors, times of day.",
        .options = options,
        .more = "They are in maui.cfg: AMCFG[] RATES and TIMERATES, CHARGERATE of\n"
                "accounts, classes, QOS and nodes. mam-quote tells what a job costs.\n",
        .examples = "  mam-list-rates\n"};

    return command_run(&spec, argc, argv, show_rates);
}
