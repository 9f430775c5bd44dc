/* SPDX-License-Identifier: Apache-2.0
 * See bankusage.h. */
#include "server/api/bankusage.h"

#include "policy/bank.h"
#include "server/api/bankorder.h"
#include "server/api/bankpage.h"
#include "server/api/bankrights.h"
#include "server/durable/teller.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>

/* Each at once: less than a millisecond. */
#define ACCOUNTS_TURN 100
#define ROWS_TURN     400
#define RECORDS_TURN  50

/* A list that is being made. */
struct used {
    struct identity who; /* the caller, who may be gone meanwhile */
    char *only;          /* account, or NULL */
    struct bankpage page;
    struct ledger_which which; /* of the account whose turn it is; 0 = none's */
    char *name;
    struct ledger_usage_walk *walk; /* NULL = it begins */
    bool added_up;
    bool all; /* the caller may see what everybody used of it */
    size_t next;
    int64_t told; /* records */
    struct err err;
};

json_t *bankusage_record(const struct ledger_usage *row, const char *account)
{
    json_t *o = json_object();

    render_text(o, "account", account);
    render_text(o, "user", row->user);
    render_credits(o, "charged", row->charged);
    render_credits(o, "refunded", row->refunded);
    render_credits(o, "used", row->charged - row->refunded);
    render_int(o, "runs", row->runs);
    render_int(o, "transaction", row->last);
    return o;
}

/* ---- whose turn it is ---- */

struct search {
    struct used *u;
    struct bankview view;
    int looked;
};

/* An account is told whole: the next page begins with another. */
static int on_payer(void *arg, const struct ledger_account *row)
{
    struct search *find = arg;
    struct used *u = find->u;
    const char *name;

    u->page.more = u->told >= u->page.most;
    if (u->page.more || find->looked++ == ACCOUNTS_TURN)
        return 1;
    u->page.last = row->id;
    name = bankview_find(&find->view, row->name);
    if (!name)
        return 0;
    u->which.account = row->id;
    u->name = xstrdup(name);
    u->all = bankrights_sees_runs(find->view.s, &u->who, name);
    return 1;
}

/* 1: one has its turn, or there are more to look at. */
static int find_payer(struct server *s, struct used *u)
{
    const struct ledger_which payers = {
        .paged = true, .name = u->only, .behind = u->page.last};
    struct search find = {.u = u};
    int result;

    bankview_open(&find.view, s, &u->who);
    result = ledger_accounts(s->store, &payers, on_payer, &find, &u->err);
    bankview_close(&find.view);
    return u->page.more ? 0 : result;
}

/* ---- what was used of it ---- */

static int add_up(struct server *s, struct used *u)
{
    int more;

    if (!u->walk)
        u->walk = ledger_usage_begin(&u->which, u->all ? NULL : u->who.user);
    more = ledger_usage_some(s->store, u->walk, ROWS_TURN, &u->err);
    u->added_up = more == 0;
    return more < 0 ? -1 : 1;
}

static void end_account(struct used *u)
{
    ledger_usage_end(u->walk);
    free(u->name);
    u->walk = NULL;
    u->name = NULL;
    u->which.account = 0;
    u->added_up = false;
    u->next = 0;
}

static void tell_some(struct used *u, struct strbuf *out)
{
    size_t n;
    const struct ledger_usage *rows = ledger_usage_rows(u->walk, &n);
    size_t end = n - u->next > RECORDS_TURN ? u->next + RECORDS_TURN : n;

    for (; u->next < end; u->next++, u->told++)
        stream_add(out, bankusage_record(&rows[u->next], u->name));
    if (u->next == n)
        end_account(u);
}

/* The ledger may have gone, or lost what was read of it, since the last turn. */
static int look_for_ledger(struct server *s, struct used *u)
{
    if (!teller_ledger(s))
        return err_set(&u->err, ERR_CONFLICT, "there is no bank here any more");
    if (store_is_spoiled(s->store))
        return err_set(&u->err, ERR_IO, "the state cannot be written now");
    return 0;
}

static bool make_some(struct server *s, void *ctx, struct strbuf *out)
{
    struct used *u = ctx;

    if (look_for_ledger(s, u) < 0)
        return false;
    if (u->added_up) {
        tell_some(u, out);
        return true;
    }
    int more = u->which.account ? add_up(s, u) : find_payer(s, u);
    if (more == 0 && u->page.more)
        stream_add(out, bankpage_next(&u->page));
    return more > 0;
}

static const struct err *say_why_not(void *ctx)
{
    const struct used *u = ctx;

    return u->err.code ? &u->err : NULL;
}

static void free_usage(void *ctx)
{
    struct used *u = ctx;

    end_account(u);
    free(u->only);
    free(u);
}

void bankusage_reply(
    struct server *s, struct request *r, const struct ledger_which *time)
{
    const char *only = request_query(r, "account");
    struct used *u;
    struct bankpage page;
    uint32_t one;

    if (!bankorder_ledger(s, r) || (only && !bankorder_sees(s, r, &one))
        || !bankpage_read(r, &page))
        return;
    u = xcalloc(1, sizeof *u);
    u->who = *request_who(r);
    u->only = only ? xstrdup(only) : NULL;
    u->page = page;
    u->page.last = page.after;
    u->which = *time;
    stream_make(s, r, NULL, "application/x-ndjson",
        &(struct stream_source){
            .more = make_some, .done = free_usage, .ctx = u, .failed = say_why_not});
}
