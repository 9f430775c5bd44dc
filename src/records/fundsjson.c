/* SPDX-License-Identifier: Apache-2.0
 * See fundsjson.h. */
#include "records/fundsjson.h"

#include "records/words.h"

/* ---- out ---- */

static void put_number(json_t *o, const char *name, int64_t n)
{
    if (n != 0)
        json_object_set_new(o, name, json_integer(n));
}

static json_t *deposit_out(const struct funds_deposit *d)
{
    json_t *o = json_object();

    put_number(o, "id", d->id);
    put_number(o, "from", d->from_at);
    if (d->to_at != INT64_MAX)
        put_number(o, "to", d->to_at);
    put_number(o, "balance", d->balance);
    put_number(o, "credit_limit", d->credit_limit);
    put_number(o, "held", d->held);
    put_text(o, "only", d->only);
    return o;
}

static json_t *account_out(const struct funds_account *a)
{
    json_t *o = json_object(), *list = json_array();

    for (size_t i = 0; i < a->n; i++)
        json_array_append_new(list, deposit_out(&a->deposits[i]));
    put_text(o, "name", a->name);
    put_text(o, "parent", a->parent);
    put_bool(o, "overflow", a->overflow);
    put_bool(o, "closed", a->closed);
    put_text(o, "only", a->only);
    json_object_set_new(o, "deposits", list);
    return o;
}

static json_t *leave_out(const struct funds_leave *leave)
{
    json_t *o = json_object();

    put_number(o, "at", leave->at);
    put_number(o, "cost", leave->cost);
    put_number(o, "seconds", leave->seconds);
    put_bool(o, "lost", leave->lost);
    put_bool(o, "displaced", leave->displaced);
    put_text(o, "text", leave->text);
    return o;
}

static json_t *run_out(const struct funds_run *run)
{
    json_t *o = json_object(), *list = json_array();

    for (size_t i = 0; i < run->n; i++) {
        json_t *lien = json_array();
        json_array_append_new(lien, json_integer(run->liens[i].deposit));
        json_array_append_new(lien, json_integer(run->liens[i].amount));
        json_array_append_new(list, lien);
    }
    put_text(o, "run", run->run);
    put_text(o, "job", run->job);
    put_text(o, "account", run->account);
    put_text(o, "rates", run->rates);
    put_number(o, "most", run->most);
    put_number(o, "charged", run->charged);
    put_number(o, "noted", run->noted);
    put_number(o, "since", run->since_at);
    put_number(o, "until", run->until_at);
    put_bool(o, "elsewhere", run->elsewhere);
    put_bool(o, "unsent", run->unsent);
    if (run->leave.at || run->leave.displaced)
        json_object_set_new(o, "leave", leave_out(&run->leave));
    json_object_set_new(o, "liens", list);
    return o;
}

static json_t *end_out(const struct funds_end *end)
{
    json_t *o = json_object();

    put_text(o, "run", end->run);
    put_number(o, "at", end->at);
    put_bool(o, "success", end->success);
    return o;
}

static json_t *quote_out(const struct funds_quote *q)
{
    json_t *o = json_object();

    put_number(o, "number", q->number);
    put_text(o, "account", q->account);
    put_text(o, "rates", q->rates);
    put_number(o, "until", q->until_at);
    put_number(o, "uses", q->uses);
    put_text(o, "job", q->job);
    put_text(o, "users", q->users);
    return o;
}

json_t *fundsjson_facts(const struct funds_facts *facts)
{
    json_t *o = json_object(), *accounts = json_array(), *runs = json_array();
    json_t *ends = json_array(), *quotes = facts->nquotes ? json_array() : NULL;

    for (size_t i = 0; i < facts->n; i++)
        json_array_append_new(accounts, account_out(&facts->accounts[i]));
    for (size_t i = 0; i < facts->nruns; i++)
        json_array_append_new(runs, run_out(&facts->runs[i]));
    for (size_t i = 0; i < facts->nends; i++)
        json_array_append_new(ends, end_out(&facts->ends[i]));
    for (size_t i = 0; i < facts->nquotes; i++)
        json_array_append_new(quotes, quote_out(&facts->quotes[i]));
    if (quotes)
        json_object_set_new(o, "quotes", quotes);
    json_object_set_new(o, "accounts", accounts);
    json_object_set_new(o, "ends", ends);
    json_object_set_new(o, "runs", runs);
    put_number(o, "runs_ever", (int64_t)facts->runs_ever);
    put_bool(o, "known", facts->known);
    put_number(o, "seen", facts->seen_at);
    return o;
}

/* ---- in ---- */

/* Amounts are larger than other numbers. */
static int64_t read_number(
    struct reader *r, const json_t *o, const char *key, int64_t otherwise)
{
    const json_t *v = json_object_get(o, key);

    if (v && !json_is_integer(v))
        reader_wrong(r, key, "a whole number");
    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

static void read_account(struct reader *r, const json_t *o, struct funds_account *ret)
{
    const json_t *list = reader_list(r, o, "deposits");
    size_t n = json_array_size(list);
    struct funds_deposit *v = reader_take(r, n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++) {
        const json_t *d = json_array_get(list, i);
        v[i] = (struct funds_deposit){.id = read_number(r, d, "id", 0),
            .from_at = read_number(r, d, "from", 0),
            .to_at = read_number(r, d, "to", INT64_MAX),
            .balance = read_number(r, d, "balance", 0),
            .credit_limit = read_number(r, d, "credit_limit", 0),
            .held = read_number(r, d, "held", 0),
            .only = reader_text(r, d, "only")};
    }
    *ret = (struct funds_account){.name = reader_text(r, o, "name"),
        .parent = reader_text(r, o, "parent"),
        .overflow = reader_bool(r, o, "overflow"),
        .closed = reader_bool(r, o, "closed"),
        .only = reader_text(r, o, "only"),
        .deposits = v,
        .n = n};
    if (!ret->name)
        reader_wrong(r, "name", "the name of an account");
}

static struct funds_leave read_leave(struct reader *r, const json_t *o)
{
    return (struct funds_leave){.at = read_number(r, o, "at", 0),
        .cost = read_number(r, o, "cost", 0),
        .seconds = read_number(r, o, "seconds", 0),
        .lost = reader_bool(r, o, "lost"),
        .displaced = reader_bool(r, o, "displaced"),
        .text = reader_text(r, o, "text")};
}

static void read_run(struct reader *r, const json_t *o, struct funds_run *ret)
{
    const json_t *leave = json_object_get(o, "leave");
    const json_t *list = reader_list(r, o, "liens");
    size_t n = json_array_size(list);
    struct funds_lien *v = reader_take(r, n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(list, i);
        v[i].deposit = json_integer_value(json_array_get(pair, 0));
        v[i].amount = json_integer_value(json_array_get(pair, 1));
    }
    *ret = (struct funds_run){.run = reader_text(r, o, "run"),
        .job = reader_text(r, o, "job"),
        .account = reader_text(r, o, "account"),
        .rates = reader_text(r, o, "rates"),
        .most = read_number(r, o, "most", 0),
        .charged = read_number(r, o, "charged", 0),
        .noted = read_number(r, o, "noted", 0),
        .since_at = read_number(r, o, "since", 0),
        .until_at = read_number(r, o, "until", 0),
        .elsewhere = reader_bool(r, o, "elsewhere"),
        .unsent = reader_bool(r, o, "unsent"),
        .leave = leave ? read_leave(r, leave) : (struct funds_leave){0},
        .liens = v,
        .n = n};
    if (!ret->run || !ret->job || !ret->account)
        reader_wrong(r, "run", "a run with its job and account");
}

static void read_end(struct reader *r, const json_t *o, struct funds_end *ret)
{
    *ret = (struct funds_end){.run = reader_text(r, o, "run"),
        .at = read_number(r, o, "at", 0),
        .success = reader_bool(r, o, "success")};
    if (!ret->run)
        reader_wrong(r, "run", "a run that has ended");
}

static void read_quote(struct reader *r, const json_t *o, struct funds_quote *ret)
{
    *ret = (struct funds_quote){.number = read_number(r, o, "number", 0),
        .account = reader_text(r, o, "account"),
        .rates = reader_text(r, o, "rates"),
        .until_at = read_number(r, o, "until", 0),
        .uses = read_number(r, o, "uses", 0),
        .job = reader_text(r, o, "job"),
        .users = reader_text(r, o, "users")};
    if (!ret->number || !ret->account || !ret->rates)
        reader_wrong(r, "number", "a quote with its account and rates");
}

void fundsjson_read(struct reader *r, const json_t *o, struct funds_facts *ret)
{
    const json_t *accounts = reader_list(r, o, "accounts");
    const json_t *runs = reader_list(r, o, "runs");
    size_t n = json_array_size(accounts), m = json_array_size(runs);
    struct funds_account *v = reader_take(r, n + 1, sizeof *v);
    struct funds_run *w = reader_take(r, m + 1, sizeof *w);
    const json_t *ends = json_object_get(o, "ends"); /* older journals have none */
    size_t nends = json_array_size(ends);
    struct funds_end *e = reader_take(r, nends + 1, sizeof *e);
    const json_t *quotes = json_object_get(o, "quotes");
    size_t nquotes = json_array_size(quotes);
    struct funds_quote *q = reader_take(r, nquotes + 1, sizeof *q);

    for (size_t i = 0; i < nquotes; i++)
        read_quote(r, json_array_get(quotes, i), &q[i]);

    for (size_t i = 0; i < nends; i++)
        read_end(r, json_array_get(ends, i), &e[i]);
    for (size_t i = 0; i < n; i++)
        read_account(r, json_array_get(accounts, i), &v[i]);
    for (size_t i = 0; i < m; i++)
        read_run(r, json_array_get(runs, i), &w[i]);
    *ret = (struct funds_facts){.accounts = v,
        .n = n,
        .runs = w,
        .nruns = m,
        .runs_ever = (uint64_t)read_number(r, o, "runs_ever", 0),
        .known = reader_bool(r, o, "known"),
        .seen_at = read_number(r, o, "seen", 0),
        .ends = e,
        .nends = nends,
        .quotes = q,
        .nquotes = nquotes};
}
