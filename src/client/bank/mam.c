/* SPDX-License-Identifier: Apache-2.0
 * mam-*: the bank's counter. Statements, quotes, and moves by hand. */
#include "base/duration.h"
#include "base/strbuf.h"
#include "client/bank/bankwords.h"
#include "client/kit/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- words ---------------------------------------------------------------------- */

/* Repeated with the same one nothing is done twice: of scripts that try again. */
static void put_request(const struct command_line *l, json_t *body)
{
    const char *given = command_long(l, "request");
    unsigned char random[12];
    char id[2 * sizeof random + 1];

    if (!given) {
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
            abort();
        for (size_t i = 0; i < sizeof random; i++)
            snprintf(id + 2 * i, 3, "%02x", random[i]);
    }
    json_object_set_new(body, "request", json_string(given ? given : id));
}

static void put_text(json_t *o, const char *key, const char *text)
{
    if (text)
        json_object_set_new(o, key, json_string(text));
}

static int put_date(
    const struct command_line *l, json_t *o, const char *key, char letter)
{
    int64_t at;

    if (bankwords_read_date(l, letter, &at))
        return 1;
    if (at)
        json_object_set_new(o, key, json_integer(at));
    return 0;
}

static int put_number(
    const struct command_line *l, json_t *o, const char *key, char letter)
{
    const char *text = command_value(l, letter);
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;

    if (!text)
        return 0;
    if (*end || end == text || n < 0)
        return command_wrong(l, "-%c: '%s' is not a number", letter, text);
    json_object_set_new(o, key, json_integer(n));
    return 0;
}

static int send_order(const struct command_line *l, const char *path, json_t *body)
{
    struct query *q = query_new(path);
    json_t *done = tell(l, "POST", q, body);

    query_free(q);
    if (!done)
        return 1;
    if (l->format == FORMAT_JSON)
        return print_json(done);
    printf("%s", get_text(done, "message", ""));
    if (json_object_get(done, "number"))
        printf(" as number %" JSON_INTEGER_FORMAT, get_int(done, "number", 0));
    putchar('\n');
    json_decref(done);
    return 0;
}

static int want_words(const struct command_line *l, int n, const char *what)
{
    return l->nargs == n ? 0 : command_wrong(l, "expected %s", what);
}

/* ---- mam-statement -------------------------------------------------------------- */

static const struct option_row statement_options[] = {BANK_HOURS,
    {'s', "start", "DATE", "from then on; dates as setres takes them"},
    {'e', "end", "DATE", "until then"}, {0, "csv", NULL, "for spreadsheets"},
    BANK_NO_MORE};

static void put_instant(json_t *query, const char *key, int64_t at)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, at);
    if (at)
        json_object_set_new(query, key, json_string(text));
}

static json_t *ask_statement(const struct command_line *l, const json_t *query)
{
    struct query *q = query_new("/v1/bank/statement");
    const char *key;
    json_t *value, *o;

    json_object_foreach((json_t *)query, key, value)
        query_add(q, key, json_string_value(value));
    o = ask(l, q);
    query_free(q);
    return o;
}

/* Quoted as spreadsheets read it. A text that begins as a formula does not become one.
 */
static void print_cell(const char *text)
{
    fputs(strchr("=+-@\t\r", *text) && *text ? "\"'" : "\"", stdout);
    for (const char *p = text; *p; p++)
        printf(*p == '"' ? "\"\"" : "%c", *p);
    putchar('"');
}

static void print_csv_move(const struct command_line *l, const json_t *o)
{
    char a[LAYOUT_CREDITS_MAX];

    printf("%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ",%s,%s,",
        get_int(o, "transaction", 0), get_int(o, "at", 0), get_text(o, "kind", ""),
        bankwords_credits(l, o, "amount", a));
    print_cell(get_text(o, "run", ""));
    putchar(',');
    print_cell(get_text(o, "who", ""));
    putchar(',');
    print_cell(get_text(o, "text", ""));
    putchar('\n');
}

static void print_move(const struct command_line *l, const json_t *m)
{
    const char *run = get_text(m, "run", "");
    char a[LAYOUT_CREDITS_MAX], date[LAYOUT_DATE_MAX];

    printf("%-24s %-9s %16s  %s%s%s\n", bankwords_date(m, "at", date),
        get_text(m, "kind", ""), bankwords_credits(l, m, "amount", a), run,
        *run ? "  " : "", get_text(m, "text", ""));
}

static void print_head(const struct command_line *l, const json_t *o)
{
    char a[LAYOUT_CREDITS_MAX];

    if (command_long(l, "csv"))
        puts("transaction,at,kind,amount,run,who,text");
    else
        printf("Statement of %s\n\n%-34s %16s\n", get_text(o, "account", ""), "opening",
            bankwords_credits(l, o, "opening", a));
}

static void print_foot(const struct command_line *l, const json_t *o)
{
    static const char *const sums[] = {"credits", "debits", "closing"};
    char a[LAYOUT_CREDITS_MAX];

    for (size_t i = 0; i < 3 && !command_long(l, "csv"); i++)
        printf("%-34s %16s\n", sums[i], bankwords_credits(l, o, sums[i], a));
}

/* One page behind another. Each is printed as it comes; as JSON they are one list. */
static int print_pages(const struct command_line *l, json_t *first, json_t *query)
{
    json_t *all = json_array(), *page = first;
    const json_t *m;
    size_t i;

    if (l->format != FORMAT_JSON)
        print_head(l, first);
    while (page) {
        const char *next = get_text(page, "next", "");
        json_array_foreach(json_object_get(page, "moves"), i, m)
        {
            if (l->format == FORMAT_JSON)
                json_array_append(all, (json_t *)m);
            else if (command_long(l, "csv"))
                print_csv_move(l, m);
            else
                print_move(l, m);
        }
        if (!*next)
            break;
        json_object_set_new(query, "after", json_string(next));
        if (page != first)
            json_decref(page);
        page = ask_statement(l, query);
    }
    if (!page)
        json_decref(all);
    else if (l->format == FORMAT_JSON) {
        json_object_set_new(first, "moves", all);
        json_object_del(first, "next");
        print_json(json_incref(first));
    } else {
        json_decref(all);
        print_foot(l, first);
    }
    if (page && page != first)
        json_decref(page);
    return page ? 0 : 1;
}

static int show_statement(const struct command_line *l)
{
    json_t *query, *first;
    int64_t from, to;
    int status = 1;

    if (want_words(l, 1, "an ACCOUNT") || bankwords_read_date(l, 's', &from)
        || bankwords_read_date(l, 'e', &to))
        return 1;
    query = json_pack("{s:s, s:s}", "account", l->args[0], "limit", "5000");
    put_instant(query, "from", from);
    put_instant(query, "to", to ? to : request_now(l) + 1); /* of all pages */
    first = ask_statement(l, query);
    if (first)
        status = print_pages(l, first, query);
    json_decref(first);
    json_decref(query);
    return status;
}

int mam_statement_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-statement",
        .usage = "[-h] [-s DATE] [-e DATE] [--csv] ACCOUNT",
        .summary = "Show what went in and out of an account of the bank.",
        .options = statement_options,
        .examples = "  mam-statement chem\n"
                    "  mam-statement --csv -s 0:00:00_11/01 -e 0:00:00_12/01 chem    "
                    "of a month\n"};

    return command_run(&spec, argc, argv, show_statement);
}

/* ---- mam-quote ------------------------------------------------------------------ */

static const struct option_row quote_options[] = {BANK_HOURS,
    {'A', "account", "ACCOUNT", "that would pay; default yours"},
    {'n', "procs", "NUMBER", "processors; default 1"},
    {'l', "limit", "TIME", "wallclock limit; default an hour"},
    {'m', "memory", "MB", "of each processor"}, {'c', "class", "CLASS", "its class"},
    {'q', "qos", "QOS", "its QOS"}, {'u', "user", "USER", "whose job it is"},
    {'k', "keep", NULL,
        "keep the rates: a job that names this quote is charged at them"},
    {'e', "until", "DATE", "-k: for jobs that start before; default a day from now"},
    {'N', "uses", "NUMBER", "-k: for so many jobs; default 1"},
    {0, "request", "ID", "-k: done once, however often it is sent with this ID"},
    BANK_NO_MORE};

static json_t *ask_keeping(const struct command_line *l, struct query *q)
{
    json_t *body = json_object();

    put_request(l, body);
    if (put_date(l, body, "until", 'e') || put_number(l, body, "uses", 'N')) {
        json_decref(body);
        return NULL;
    }
    return tell(l, "POST", q, body);
}

static int show_quote(const struct command_line *l)
{
    static const struct {
        char letter;
        const char *key;
    } words[] = {{'A', "account"}, {'n', "procs"}, {'m', "mem_per_proc_mb"},
        {'c', "class"}, {'q', "qos"}, {'u', "user"}};
    const char *limit = command_value(l, 'l');
    bool keeps = command_has(l, 'k');
    int64_t limit_s = 3600;
    struct err err;
    struct query *q;
    char text[24], a[LAYOUT_CREDITS_MAX];
    json_t *o, *kept = NULL;

    if (!keeps && (command_has(l, 'e') || command_has(l, 'N')))
        return command_wrong(l, "-e and -N are about quotes that are kept (-k)");
    if (limit && duration_parse(limit, &limit_s, &err) < 0)
        return command_wrong(l, "-l: %s", err.text);
    q = query_new("/v1/bank/quote");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        query_add(q, words[i].key, command_value(l, words[i].letter));
    snprintf(text, sizeof text, "%" PRId64, limit_s);
    query_add(q, "duration_s", text);
    o = ask(l, q);
    query_free(q);
    if (o && keeps) {
        q = query_new("/v1/bank/quotes");
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            query_add(q, words[i].key, command_value(l, words[i].letter));
        query_add(q, "duration_s", text);
        kept = ask_keeping(l, q);
        query_free(q);
        if (kept)
            json_object_set(o, "number", json_object_get(kept, "number"));
    }
    if (!o || (keeps && !kept)) {
        json_decref(o);
        return 1;
    }
    json_decref(kept);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    printf("%s %s of %s: %s\n", bankwords_credits(l, o, "price", a),
        command_has(l, 'h') ? "processor hours" : "credits",
        get_text(o, "account", "no account"),
        !json_object_get(o, "enough") ? "whether enough is there is not told here"
        : get_bool(o, "enough")       ? "enough is there now"
                                      : get_text(o, "text", "not enough is there now"));
    if (keeps)
        printf("quote %" JSON_INTEGER_FORMAT ": msub -l quote=%" JSON_INTEGER_FORMAT
               ", or mjobctl -m quote=%" JSON_INTEGER_FORMAT " JOB\n",
            get_int(o, "number", 0), get_int(o, "number", 0), get_int(o, "number", 0));
    json_decref(o);
    return 0;
}

int mam_quote_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-quote",
        .usage = "[-h] [-A ACCOUNT] [-n PROCS] [-l TIME] [-k [-e DATE]] [OPTION]...",
        .summary = "Tell what a job would cost, before it is submitted.",
        .options = quote_options,
        .more = "It is the price of the whole limit, which is kept while the job runs. "
                "It is charged\nfor what it used. With -k the rates hold for jobs "
                "that name the quote and start\nin time: of the same user, account, "
                "class and QOS. What the time of day does to\nthe price is not "
                "promised.\n",
        .examples = "  mam-quote -A chem -n 16 -l 1:00:00\n"
                    "  mam-quote -h -n 64 -l 1:00:00:00 -q premium    in processor "
                    "hours\n"
                    "  mam-quote -k -A chem -n 16 -l 1:00:00    and keep the rates\n"};

    return command_run(&spec, argc, argv, show_quote);
}

/* ---- accounts ------------------------------------------------------------------- */

static const struct option_row account_options[] = {
    {'p', "parent", "ACCOUNT", "the account above it"},
    {'o', "overflow", NULL, "it draws on that one when its own is used up"},
    {'u', "only", "WORDS", "whom it is for, as 'user=ann,bob group=chem class=long'"},
    {'S', "share", "PERCENT", "of what is deposited with its parent"},
    {0, "closed", NULL, "keep and deposit nothing new"}, BANK_NO_MORE};

static int set_account(const struct command_line *l)
{
    json_t *body;

    if (want_words(l, 1, "an ACCOUNT"))
        return 1;
    body = json_pack("{s:s}", "account", l->args[0]);
    put_text(body, "parent", command_value(l, 'p'));
    put_text(body, "only", command_value(l, 'u'));
    if (command_has(l, 'o'))
        json_object_set_new(body, "overflow", json_true());
    if (command_long(l, "closed"))
        json_object_set_new(body, "closed", json_true());
    if (put_number(l, body, "share", 'S')) {
        json_decref(body);
        return 1;
    }
    return send_order(l, "/v1/bank/accounts", body);
}

int mam_account_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-create-account",
        .usage = "[-p PARENT [-o] [-S PERCENT]] [-u WORDS] [--closed] ACCOUNT",
        .summary = "Make an account of the bank, or say anew what it is like.",
        .options = account_options,
        .more = "The account is as described from now on: what is not given is not so. "
                "A lead\n(ACCOUNTCFG[x] MANAGERS) makes accounts below the own one.\n",
        .examples = "  mam-create-account inst\n"
                    "  mam-create-account -p inst -o -u group=chem chem\n"};

    return command_run(&spec, argc, argv, set_account);
}

static const struct option_row modify_options[] = {
    {'p', "parent", "ACCOUNT", "the account above it; '' = none"},
    {'o', "overflow", "yes|no", "does it draw on that one when its own is used up?"},
    {'u', "only", "WORDS", "whom it is for, as 'user=ann,bob'; '' = for all"},
    {'S', "share", "PERCENT", "of what is deposited with its parent"},
    {0, "closed", "yes|no", "keep and deposit nothing new?"}, BANK_NO_MORE};

static int put_answer(
    const struct command_line *l, json_t *o, const char *key, const char *text)
{
    if (text && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        return command_wrong(l, "%s: '%s' is neither yes nor no", key, text);
    if (text)
        json_object_set_new(o, key, json_boolean(strcmp(text, "yes") == 0));
    return 0;
}

static int modify_account(const struct command_line *l)
{
    json_t *body;

    if (want_words(l, 1, "an ACCOUNT"))
        return 1;
    body = json_pack("{s:s, s:b}", "account", l->args[0], "modify", 1);
    put_text(body, "parent", command_value(l, 'p'));
    put_text(body, "only", command_value(l, 'u'));
    if (put_answer(l, body, "overflow", command_value(l, 'o'))
        || put_answer(l, body, "closed", command_long(l, "closed"))
        || put_number(l, body, "share", 'S')) {
        json_decref(body);
        return 1;
    }
    return send_order(l, "/v1/bank/accounts", body);
}

int mam_modify_account_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-modify-account",
        .usage = "[-p PARENT] [-o yes|no] [-S PERCENT] [-u WORDS] [--closed yes|no] "
                 "ACCOUNT",
        .summary = "Change what an account of the bank is like.",
        .options = modify_options,
        .more = "What is not given stays as it is.\n",
        .examples = "  mam-modify-account -u user=ann,bob chem    its members\n"
                    "  mam-modify-account --closed yes chem\n"};

    return command_run(&spec, argc, argv, modify_account);
}

/* ---- moves ---------------------------------------------------------------------- */

#define REQUEST                                                                        \
    {                                                                                  \
        0, "request", "ID", "done once, however often it is sent with this ID"         \
    }
#define WHY                                                                            \
    {                                                                                  \
        'd', "description", "TEXT", "why, for the record"                              \
    }
#define AMOUNTS                                                                        \
    "AMOUNT is in credits, as 57600 or 129945.6, or in processor hours, as 16h.\n"

static json_t *begin_move(const struct command_line *l, const char *key)
{
    json_t *body = json_pack("{s:s, s:s}", key, l->args[0], "amount", l->args[1]);

    put_request(l, body);
    put_text(body, "text", command_value(l, 'd'));
    return body;
}

static const struct option_row deposit_options[] = {
    {'s', "start", "DATE", "used from then on"},
    {'e', "end", "DATE", "used until then"},
    {'L', "limit", "AMOUNT", "so far below 0 may it go"},
    {'u', "only", "WORDS", "whom it is for, as 'user=ann,bob'"},
    {'l', "label", "WORD", "a word of your own"},
    {0, "pay-debts", NULL, "first pay what the account owes"}, WHY, REQUEST,
    BANK_NO_MORE};

static int order_deposit(const struct command_line *l)
{
    json_t *body;

    if (want_words(l, 2, "an ACCOUNT and an AMOUNT"))
        return 1;
    body = begin_move(l, "account");
    put_text(body, "credit_limit", command_value(l, 'L'));
    put_text(body, "only", command_value(l, 'u'));
    put_text(body, "label", command_value(l, 'l'));
    if (command_long(l, "pay-debts"))
        json_object_set_new(body, "pay_debts", json_true());
    if (put_date(l, body, "from", 's') || put_date(l, body, "to", 'e')) {
        json_decref(body);
        return 1;
    }
    return send_order(l, "/v1/bank/deposits", body);
}

int mam_deposit_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-deposit",
        .usage = "[OPTION]... ACCOUNT AMOUNT",
        .summary = "Give an account of the bank credits.",
        .options = deposit_options,
        .more = AMOUNTS,
        .examples =
            "  mam-deposit chem 1000h\n"
            "  mam-deposit -e 0:00:00_04/01/27 -l q1 chem 57600    until then\n"};

    return command_run(&spec, argc, argv, order_deposit);
}

static const struct option_row withdraw_options[] = {
    {'i', "deposit", "NUMBER", "of this deposit alone"}, WHY, REQUEST, BANK_NO_MORE};

static int order_withdraw(const struct command_line *l)
{
    json_t *body;

    if (want_words(l, 2, "an ACCOUNT and an AMOUNT"))
        return 1;
    body = begin_move(l, "account");
    if (put_number(l, body, "deposit", 'i')) {
        json_decref(body);
        return 1;
    }
    return send_order(l, "/v1/bank/withdrawals", body);
}

int mam_withdraw_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-withdraw",
        .usage = "[-i NUMBER] [-d TEXT] ACCOUNT AMOUNT",
        .summary = "Take credits away that are available in an account.",
        .options = withdraw_options,
        .more = AMOUNTS,
        .examples = "  mam-withdraw chem 100h\n"};

    return command_run(&spec, argc, argv, order_withdraw);
}

static const struct option_row limit_options[] = {WHY, REQUEST, BANK_NO_MORE};

static int order_limit(const struct command_line *l)
{
    if (want_words(l, 2, "an ACCOUNT and an AMOUNT"))
        return 1;
    return send_order(l, "/v1/bank/limits", begin_move(l, "account"));
}

int mam_set_limit_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-set-limit",
        .usage = "[-d TEXT] [--request ID] ACCOUNT AMOUNT",
        .summary = "Deposit or withdraw until an account has so much.",
        .options = limit_options,
        .more = AMOUNTS "What its own deposits have that can be used now counts, kept\n"
                        "for jobs or not. For portals, that know how much an account\n"
                        "shall have.\n",
        .examples = "  mam-set-limit --request portal-17 chem 1000h\n"};

    return command_run(&spec, argc, argv, order_limit);
}

static const struct option_row transfer_options[] = {
    {'s', "start", "DATE", "used there from then on"},
    {'e', "end", "DATE", "used there until then"}, WHY, REQUEST, BANK_NO_MORE};

static int order_transfer(const struct command_line *l)
{
    json_t *body;

    if (want_words(l, 3, "an ACCOUNT, an AMOUNT and the ACCOUNT that gets it"))
        return 1;
    body = begin_move(l, "account");
    put_text(body, "into", l->args[2]);
    if (put_date(l, body, "from", 's') || put_date(l, body, "to", 'e')) {
        json_decref(body);
        return 1;
    }
    return send_order(l, "/v1/bank/transfers", body);
}

int mam_transfer_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-transfer",
        .usage = "[-s DATE] [-e DATE] [-d TEXT] ACCOUNT AMOUNT INTO",
        .summary = "Move credits to another account, with the dates that they have.",
        .options = transfer_options,
        .more = AMOUNTS "Leads of both accounts may, but for other dates.\n",
        .examples = "  mam-transfer chem 100h chem-students\n"};

    return command_run(&spec, argc, argv, order_transfer);
}

/* ---- mam-refund ----------------------------------------------------------------- */

static const struct option_row refund_options[] = {
    {'i', "deposit", "NUMBER", "into this deposit"},
    {0, "node-failures", NULL, "of all runs that ended as a node was lost"},
    {'s', "since", "DATE", "--node-failures: that ended then or later"},
    {'n', "dry-run", NULL, "--node-failures: only tell of which, and how much"}, WHY,
    REQUEST, BANK_HOURS, BANK_NO_MORE};

static void print_loss(const struct command_line *l, const json_t *o, bool *headed)
{
    char charged[LAYOUT_CREDITS_MAX], rest[LAYOUT_CREDITS_MAX], at[LAYOUT_DATE_MAX];

    if (!*headed)
        printf("%-24s %-20s %-12s %-12s %14s %14s\n", "Ended", "Run", "User", "Account",
            "Charged", "To give back");
    *headed = true;
    const char *account = get_text(o, "account", "-");
    printf("%-24s %-20s %-12s %*s %14s %14s\n", bankwords_date(o, "end_at", at),
        get_text(o, "run", ""), get_text(o, "user", "-"), layout_width(account, -12),
        account, bankwords_credits(l, o, "charged", charged),
        bankwords_credits(l, o, "rest", rest));
}

struct losses {
    const struct command_line *l;
    bool headed;
};

static void take_loss(void *arg, json_t *o)
{
    struct losses *x = arg;

    if (x->l->format == FORMAT_JSON)
        print_json_record(NULL, o);
    else
        print_loss(x->l, o, &x->headed);
}

static int list_losses(const struct command_line *l, int64_t since)
{
    struct losses x = {.l = l};
    struct query *q = query_new("/v1/bank/losses");
    char text[24];
    int status;

    snprintf(text, sizeof text, "%" PRId64, since);
    status = ask_pages(l, q, "since", text, take_loss, &x) < 0;
    query_free(q);
    if (status == 0 && !x.headed && l->format != FORMAT_JSON)
        puts("no run has ended since as a node was lost");
    return status;
}

/* A part of them; *ret_next: from when on the next, 0 = these were the last. NULL: the
 * request was refused, and that was told. */
static json_t *refund_some(
    const struct command_line *l, const json_t *body, int64_t since, int64_t *ret_next)
{
    struct query *q = query_new("/v1/bank/losses");
    json_t *part = json_deep_copy(body), *done;

    json_object_set_new(part, "since", json_integer(since));
    done = tell(l, "POST", q, part);
    query_free(q);
    *ret_next = get_int(done, "next", 0);
    return done;
}

/* Add a part to what was done before; takes the references. */
static json_t *add_part(json_t *all, json_t *part)
{
    struct strbuf words = {0};

    json_object_del(part, "next");
    if (!all)
        return part;
    json_array_extend(json_object_get(all, "runs"), json_object_get(part, "runs"));
    strbuf_printf(
        &words, "%s; %s", get_text(all, "message", ""), get_text(part, "message", ""));
    json_object_set_new(all, "message", json_string(words.text));
    free(words.text);
    json_decref(part);
    return all;
}

static void print_part(const struct command_line *l, const json_t *part, bool *headed)
{
    const json_t *o;
    size_t i;

    json_array_foreach(json_object_get(part, "runs"), i, o) print_loss(l, o, headed);
    puts(get_text(part, "message", ""));
}

/* Part by part; as JSON it is one record in the end, also where a part was refused. */
static int refund_parts(const struct command_line *l, int64_t since)
{
    json_t *body = json_object(), *all = NULL, *part;
    bool headed = false, more = true;

    put_request(l, body);
    put_text(body, "text",
        command_value(l, 'd') ? command_value(l, 'd') : "a node was lost");
    while (more) {
        int64_t next;

        part = refund_some(l, body, since, &next);
        if (!part)
            break;
        if (l->format != FORMAT_JSON)
            print_part(l, part, &headed);
        all = add_part(all, part);
        since = next;
        more = next != 0;
    }
    if (more && all) {
        char at[LAYOUT_DATE_MAX];
        json_t *o = json_pack("{s:I}", "since", (json_int_t)since);

        fprintf(stderr,
            "mam-refund: given back of runs that ended before %s alone (--since "
            "%" PRId64 " goes on)\n",
            bankwords_date(o, "since", at), since);
        json_decref(o);
    }
    json_decref(body);
    if (all && l->format == FORMAT_JSON)
        print_json(json_incref(all));
    json_decref(all);
    return more ? 1 : 0;
}

static int refund_losses(const struct command_line *l)
{
    int64_t since;

    if (want_words(l, 0, "no RUN beside --node-failures")
        || bankwords_read_date(l, 's', &since))
        return 1;
    if (!since)
        return command_wrong(
            l, "--node-failures: since when? --since DATE, as 0:00:00_11/01/26");
    if (since > request_now(l))
        return command_wrong(l, "--since: that is yet to come; it takes a day as well, "
                                "as 8:00:00_11/01/26");
    if (command_has(l, 'i'))
        return command_wrong(l, "--node-failures gives back to where it came from");
    if (command_has(l, 'n'))
        return list_losses(l, since);
    return refund_parts(l, since);
}

static int order_refund(const struct command_line *l)
{
    json_t *body;

    if (command_long(l, "node-failures"))
        return refund_losses(l);
    if (command_has(l, 's') || command_has(l, 'n'))
        return command_wrong(l, "--since and --dry-run are about --node-failures");
    if (want_words(l, 2, "a RUN (mam-statement has its name) and an AMOUNT"))
        return 1;
    body = begin_move(l, "run");
    if (put_number(l, body, "deposit", 'i')) {
        json_decref(body);
        return 1;
    }
    return send_order(l, "/v1/bank/refunds", body);
}

int mam_refund_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-refund",
        .usage = "[-i NUMBER] [-d TEXT] RUN AMOUNT | --node-failures --since DATE [-n]",
        .summary = "Give back what the run of a job was charged, or a part of it.",
        .options = refund_options,
        .more = AMOUNTS
        "It goes back to where it came from. With --node-failures all goes back\n"
        "that is left of what runs were charged that ended as a node was lost;\n"
        "repeated, nothing is given back twice.\n",
        .examples = "  mam-refund -d 'node01 failed' 7.r12 57600\n"
                    "  mam-refund --node-failures --since 0:00:00_11/01/26 -n    what "
                    "would be\n"
                    "  mam-refund --node-failures --since 0:00:00_11/01/26\n"};

    return command_run(&spec, argc, argv, order_refund);
}
