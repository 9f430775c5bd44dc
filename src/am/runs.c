/* SPDX-License-Identifier: Apache-2.0
 * Runs of jobs: what is kept for them, what they are charged, what they get back. */
#include "am/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run as it is written ----------------------------------------------------- */

struct lien {
    int64_t n;
    struct piece on;
};

/* A run while a call is about it. Its texts are owned here where they were read. */
struct run {
    struct ledger_run row;
    char *rates, *text, *user;
    struct VEC(struct lien) liens; /* as they were placed */
};

static int on_run(void *arg, const struct ledger_run *row)
{
    struct run *r = arg;

    r->row = *row;
    r->row.rates = r->rates = xstrdup(row->rates);
    r->row.text = r->text = xstrdup(row->text);
    r->row.user = r->user = xstrdup(row->user);
    return 1;
}

static int on_lien(void *arg, const struct ledger_lien *row)
{
    struct run *r = arg;

    vec_push(
        &r->liens, ((struct lien){row->n, {row->deposit, row->account, row->amount}}));
    return 0;
}

/* 1 = it is there, with what is kept for it; 0 = not. Let go of it with drop_run(). */
static int find_run(struct am *am, const char *name, struct run *ret, struct err *err)
{
    const struct ledger_which which = {.run = name};
    int found;

    *ret = (struct run){0};
    if (!name || !*name)
        return err_set(err, ERR_INVALID, "a run needs a name");
    found = ledger_runs(am->store, &which, on_run, ret, err);
    ret->row.run = name;
    if (found == 1 && ledger_liens(am->store, name, on_lien, ret, err) != 0)
        found = -1;
    return found;
}

static void drop_run(struct run *r)
{
    free(r->rates);
    free(r->text);
    free(r->user);
    vec_fini(&r->liens);
}

static int64_t sum_liens(const struct run *r)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->liens.n; i++)
        sum += r->liens.v[i].on.amount;
    return sum;
}

/* So much more is kept on the deposit of `on`, here and in the ledger. */
static int keep_more(
    struct am *am, struct run *r, const struct piece *on, struct err *err)
{
    struct ledger_lien more = {
        .run = r->row.run, .deposit = on->deposit, .amount = on->amount};
    size_t i = 0;

    while (i < r->liens.n && r->liens.v[i].on.deposit != on->deposit)
        i++;
    if (i == r->liens.n)
        vec_push(&r->liens, ((struct lien){i ? r->liens.v[i - 1].n + 1 : 0,
                                {on->deposit, on->account, 0}}));
    more.n = r->liens.v[i].n;
    r->liens.v[i].on.amount += on->amount;
    return ledger_hold(am->store, &more, err);
}

static int keep_less(
    struct am *am, struct run *r, size_t i, int64_t amount, struct err *err)
{
    struct piece on = r->liens.v[i].on;

    on.amount = -amount;
    return keep_more(am, r, &on, err);
}

/* It is over: nothing is kept for it any more. */
static int close_run(struct am *am, struct run *r, int64_t at, struct err *err)
{
    for (size_t i = 0; i < r->liens.n; i++)
        if (keep_less(am, r, i, r->liens.v[i].on.amount, err) != 0
            || expire_rest(am, r->liens.v[i].on.deposit, at, err) != 0)
            return -1;
    r->row.open = false;
    r->row.until_at = at;
    return 0;
}

/* ---- liens ---------------------------------------------------------------------- */

static int grow_lien(struct am *am, struct run *r, const struct am_lien *l,
    const struct found_account *a, int64_t more, struct err *err)
{
    const struct purse_ask ask = {.use = &l->use, .at = l->at};
    struct pieces pieces = {0};
    struct purse purse;
    int result = purse_load(am, a, &ask, &purse, err);

    if (result == 0 && !l->force && purse_available(&purse) < more)
        result = refuse_funds(am, l->account, &purse, more, err);
    if (result == 0)
        purse_spread(&purse, more, &pieces);
    for (size_t i = 0; result == 0 && i < pieces.n; i++)
        result = keep_more(am, r, &pieces.v[i], err);
    vec_fini(&pieces);
    vec_fini(&purse);
    return result;
}

/* What was placed last is let go first. */
static int shrink_lien(
    struct am *am, struct run *r, int64_t less, int64_t at, struct err *err)
{
    for (size_t i = r->liens.n; less > 0 && i-- > 0;) {
        int64_t part = r->liens.v[i].on.amount;

        part = part < less ? part : less;
        if (keep_less(am, r, i, part, err) != 0
            || expire_rest(am, r->liens.v[i].on.deposit, at, err) != 0)
            return -1;
        less -= part;
    }
    return 0;
}

/* Until what is kept is what the run can still come to. */
static int fit_lien(struct am *am, struct run *r, const struct am_lien *l,
    const struct found_account *a, struct err *err)
{
    int64_t wanted = l->most - r->row.charged, kept = sum_liens(r);

    wanted = wanted > 0 ? wanted : 0;
    r->row.most = l->most;
    r->row.until_at = l->until_at;
    return wanted > kept ? grow_lien(am, r, l, a, wanted - kept, err)
                         : shrink_lien(am, r, kept - wanted, l->at, err);
}

static int begin_run(struct am *am, struct run *r, const struct am_lien *l,
    const struct found_account *a, bool *ret_void, struct err *err)
{
    char *quoted = NULL;
    int result = 0;

    r->row.account = a->id;
    r->row.since_at = l->at;
    r->row.open = true;
    r->row.user = l->use.user;
    r->row.rates = l->rates;
    if (l->quote)
        result = quote_use(am, l, a->id, &quoted, err);
    if (result == 0 && l->quote && !quoted)
        *ret_void = true;
    /* what the run has beside what was quoted stays: by what time of day it began */
    if (quoted && l->rates && strncmp(l->rates, quoted, strlen(quoted)) == 0)
        free(quoted);
    else if (quoted)
        r->row.rates = r->rates = quoted;
    return result;
}

static int lien(struct am *am, struct run *r, const struct am_lien *l, int known,
    struct am_lien_answer *ret, struct err *err)
{
    struct found_account a;
    int result = 0;

    if (known && (!r->row.open || r->row.most == l->most))
        return 0; /* it is over, or told again */
    if (amount_valid(l->most, 0, err) != 0
        || account_find(am, l->account, &l->use, &a, err) != 0
        || (!l->force && account_usable(&a, l->account, &l->use, err) != 0))
        return -1;
    if (known && r->row.account != a.id)
        return err_set(err, ERR_CONFLICT,
            "run %s is charged to another account than %s since its start", l->run,
            l->account);
    if (!known)
        result = begin_run(am, r, l, &a, &ret->quote_void, err);
    if (result == 0)
        result = fit_lien(am, r, l, &a, err);
    return result == 0 ? ledger_put_run(am->store, &r->row, err) : result;
}

int am_lien(
    struct am *am, const struct am_lien *l, struct am_lien_answer *ret, struct err *err)
{
    struct am_lien_answer answer = {0};
    struct run r;
    int result;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    result = find_run(am, l->run, &r, err);
    if (result >= 0)
        result = lien(am, &r, l, result, &answer, err);
    answer.kept = sum_liens(&r);
    drop_run(&r);
    result = step_end(am, result, err);
    if (result == AM_DONE && ret)
        *ret = answer;
    return result;
}

int am_release(struct am *am, const char *name, int64_t at, struct err *err)
{
    struct run r;
    int found, result = 0;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    found = find_run(am, name, &r, err);
    if (found == 1 && r.row.open)
        result = close_run(am, &r, at, err) != 0
                         || ledger_put_run(am->store, &r.row, err) != 0
                         || ledger_give_quote_back(am->store, name, err) != 0
                     ? -1
                     : 0;
    drop_run(&r);
    return step_end(am, found < 0 ? -1 : result, err);
}

/* ---- what comes back ------------------------------------------------------------ */

/* A leg of the run: what was taken lies on a pile, what came back went from its top. */
static int on_taken(
    void *arg, const struct ledger_leg *leg, const struct ledger_txn *of)
{
    struct pieces *pile = arg;
    bool owed = strcmp(leg->place, "over") == 0;
    int64_t back = leg->amount;

    (void)of;
    if (!owed && strcmp(leg->place, "deposit") != 0)
        return 0;
    if (back < 0) {
        vec_push(pile, ((struct piece){owed ? 0 : leg->of, leg->account, -back}));
        return 0;
    }
    while (back > 0 && pile->n) {
        struct piece *top = &pile->v[pile->n - 1];
        int64_t part = top->amount < back ? top->amount : back;

        top->amount -= part;
        back -= part;
        pile->n -= top->amount == 0;
    }
    return 0;
}

static int load_taken(
    struct am *am, const char *run, struct pieces *pile, struct err *err)
{
    const struct ledger_which which = {.run = run};

    return ledger_legs(am->store, &which, on_taken, pile, err);
}

/* What goes back of a charge, and where to. */
struct back {
    int64_t amount, to;   /* to: this deposit; 0 = where it came from */
    struct pieces pieces; /* found by find_back() */
};

static int find_back(struct am *am, const char *run, struct back *b, struct err *err)
{
    int64_t amount = b->amount;
    struct found_deposit d;
    struct pieces pile = {0};
    int result = 0;

    if (b->to) {
        result = deposit_find(am, b->to, &d, err);
        if (result == 0)
            vec_push(&b->pieces, ((struct piece){d.id, d.account, amount}));
        return result;
    }
    result = load_taken(am, run, &pile, err);
    while (result == 0 && amount > 0 && pile.n) {
        struct piece top = pile.v[--pile.n];

        top.amount = top.amount < amount ? top.amount : amount;
        amount -= top.amount;
        vec_push(&b->pieces, top);
    }
    vec_fini(&pile);
    if (result == 0 && amount > 0)
        result = err_set(err, ERR_IO,
            "run %s: its transactions come to less than it was charged; see `maui am "
            "check`",
            run);
    return result;
}

/* Written with the transaction, whose last leg is the account's use. */
static int give_back(
    struct am *am, struct run *r, struct posting *p, struct back *b, struct err *err)
{
    if (find_back(am, r->row.run, b, err) != 0 || posting_begin(am, p, err) != 0)
        return -1;
    for (size_t i = 0; i < b->pieces.n; i++) {
        struct piece given = b->pieces.v[i];

        given.amount = -given.amount;
        posting_take(p, &given);
    }
    posting_add(p, "usage", r->row.account, r->row.account, -b->amount);
    return posting_end(am, p, AM_DONE, err);
}

static int expire_pieces(
    struct am *am, const struct pieces *pieces, int64_t at, struct err *err)
{
    for (size_t i = 0; i < pieces->n; i++)
        if (pieces->v[i].deposit && expire_rest(am, pieces->v[i].deposit, at, err) != 0)
            return -1;
    return 0;
}

static int book_refund(
    struct am *am, struct run *r, struct posting *p, struct back *b, struct err *err)
{
    int64_t left = r->row.charged - r->row.refunded;
    int result;

    if (b->amount > left) {
        err_set(err, ERR_CONFLICT,
            "run %s was charged %s credits, %s of them given back: %s are left, not %s",
            r->row.run, amount_text(r->row.charged).text,
            amount_text(r->row.refunded).text, amount_text(left).text,
            amount_text(b->amount).text);
        return AM_REFUSED;
    }
    p->txn.run = r->row.run;
    r->row.refunded += b->amount;
    result = give_back(am, r, p, b, err);
    if (result == 0)
        result = expire_pieces(am, &b->pieces, p->txn.at, err);
    return result == 0 ? ledger_put_run(am->store, &r->row, err) : result;
}

static int find_and_refund(
    struct am *am, struct posting *p, const char *run, struct back *b, struct err *err)
{
    struct run r;
    int result;

    if (amount_valid(b->amount, 1, err) != 0)
        return -1;
    result = find_run(am, run, &r, err);
    if (result == 0)
        result = err_set(err, ERR_NOT_FOUND, "no run '%s' was ever charged", run);
    else if (result == 1)
        result = book_refund(am, &r, p, b, err);
    drop_run(&r);
    return result;
}

int am_refund(struct am *am, const struct am_request *req, const char *run,
    int64_t amount, int64_t deposit, struct err *err)
{
    struct back back = {.amount = amount, .to = deposit};
    struct strbuf asked = {0};
    struct posting p;
    int64_t txn;
    int result;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    strbuf_printf(
        &asked, "refund %" PRId64 " of %s, to deposit %" PRId64, amount, run, deposit);
    result = request_known(am, req, asked.text, &txn, err);
    if (result == 0) {
        p = posting_of(req, "refund", asked.text);
        result = find_and_refund(am, &p, run, &back, err);
    } else if (result > 0) {
        result = AM_DONE;
    }
    vec_fini(&back.pieces);
    free(asked.text);
    return step_end(am, result, err);
}

/* 0 where nothing is left of it, or it goes on. */
static int find_rest(struct am *am, const char *name, int64_t *ret, struct err *err)
{
    struct run r;
    int found = find_run(am, name, &r, err);

    *ret = found == 1 && !r.row.open ? r.row.charged - r.row.refunded : 0;
    drop_run(&r);
    return found < 0 ? -1 : 0;
}

int am_refund_rest(struct am *am, const struct am_request *req,
    const struct am_runs *runs, int64_t *ret_amount, struct err *err)
{
    int result = store_step_begin(am->store, err) != 0 ? -1 : 0;

    *ret_amount = 0;
    if (result < 0)
        return -1;
    for (size_t i = 0; result == AM_DONE && i < runs->n; i++) {
        struct am_request one = *req;
        struct strbuf id = {0};
        int64_t rest;
        result = find_rest(am, runs->v[i], &rest, err);
        if (result < 0 || rest <= 0)
            continue;
        strbuf_printf(&id, "%s/%s", req->id ? req->id : "", runs->v[i]);
        one.id = id.text;
        result = am_refund(am, &one, runs->v[i], rest, 0, err);
        *ret_amount += rest;
        free(id.text);
    }
    return step_end(am, result, err);
}

/* ---- charges -------------------------------------------------------------------- */

struct taken {
    struct pieces pieces;
    size_t of_lien; /* so many first ones are parts of the lien */
};

/* Up to `amount` out of the lien, in the order of placing. Returns the rest. */
static int64_t take_liens(const struct run *r, int64_t amount, struct pieces *taken)
{
    for (size_t i = 0; i < r->liens.n && amount > 0; i++) {
        struct piece part = r->liens.v[i].on;

        if (part.amount == 0)
            continue;
        part.amount = part.amount < amount ? part.amount : amount;
        amount -= part.amount;
        vec_push(taken, part);
    }
    return amount;
}

/* Where the rest is taken from that nothing covers: the first deposit in order; the
 * lien's last, or the last that a lien was used up on; none. */
static int take_uncovered(struct am *am, const struct run *r, const struct purse *purse,
    int64_t amount, struct pieces *taken, struct err *err)
{
    struct piece from = {0, r->row.account, 0};
    struct pieces pile = {0};

    if (purse->n) {
        from = (struct piece){purse->v[0].id, purse->v[0].account, 0};
    } else if (r->liens.n) {
        from = r->liens.v[r->liens.n - 1].on;
    } else {
        if (load_taken(am, r->row.run, &pile, err) != 0)
            return -1;
        if (pile.n)
            from = pile.v[pile.n - 1];
        vec_fini(&pile);
    }
    from.amount = amount;
    vec_push(taken, from);
    return 0;
}

/* Where `amount` comes from. */
static int find_charge(struct am *am, const struct run *r, const struct am_charge *c,
    int64_t amount, struct taken *taken, struct err *err)
{
    const struct purse_ask ask = {.use = &c->use, .at = c->at};
    struct found_account a = {.id = r->row.account};
    struct purse purse = {0};
    int result = 0;

    amount = take_liens(r, amount, &taken->pieces);
    taken->of_lien = taken->pieces.n;
    if (amount > 0)
        result = account_by_id(am, r->row.account, &a, err);
    if (result == 0 && amount > 0)
        result = purse_load(am, &a, &ask, &purse, err);
    if (result == 0)
        amount = purse_spread(&purse, amount, &taken->pieces);
    if (result == 0 && amount > 0)
        result = take_uncovered(am, r, &purse, amount, &taken->pieces, err);
    vec_fini(&purse);
    return result;
}

static int charge_more(struct am *am, struct run *r, const struct am_charge *c,
    struct posting *p, int64_t amount, struct err *err)
{
    struct taken taken = {0};
    int result = find_charge(am, r, c, amount, &taken, err);

    if (result == 0)
        result = posting_begin(am, p, err);
    for (size_t i = 0; result == 0 && i < taken.pieces.n; i++) {
        struct piece *piece = &taken.pieces.v[i];

        posting_take(p, piece);
        piece->amount = -piece->amount;
        if (i < taken.of_lien)
            result = keep_more(am, r, piece, err);
    }
    posting_add(p, "usage", r->row.account, r->row.account, amount);
    result = posting_end(am, p, result, err);
    vec_fini(&taken.pieces);
    return result;
}

/* What came back is kept for the run once more, as far as it can still come to that. */
static int keep_back(struct am *am, struct run *r, const struct pieces *back,
    int64_t most, struct err *err)
{
    most -= sum_liens(r);
    for (size_t i = 0; i < back->n && most > 0; i++) {
        struct piece part = back->v[i];

        if (part.deposit == 0)
            continue;
        part.amount = part.amount < most ? part.amount : most;
        most -= part.amount;
        if (keep_more(am, r, &part, err) != 0)
            return -1;
    }
    return 0;
}

/* A total that is less than what was charged before. What was refunded already is not
 * given back again. */
static int charge_less(struct am *am, struct run *r, const struct am_charge *c,
    struct posting *p, struct err *err)
{
    struct back back = {.amount = r->row.charged - r->row.refunded};
    int result = 0;

    r->row.refunded = r->row.refunded < c->total ? r->row.refunded : c->total;
    back.amount -= c->total - r->row.refunded;
    if (back.amount > 0)
        result = give_back(am, r, p, &back, err);
    if (result == 0)
        result = keep_back(am, r, &back.pieces, r->row.most - c->total, err);
    if (result == 0)
        result = expire_pieces(am, &back.pieces, c->at, err);
    vec_fini(&back.pieces);
    return result;
}

static int on_txn(void *arg, const struct ledger_txn *row)
{
    (void)arg;
    (void)row;
    return 1;
}

/* A run that was open when an older release wrote it has no user; what it used before
 * stays nobody's. */
static int find_user(
    struct am *am, struct run *r, const struct am_charge *c, struct err *err)
{
    const struct ledger_which which = {.run = c->run};
    int found;

    if (!c->use.user || (r->row.user && *r->row.user))
        return 0;
    found = ledger_txns(am->store, &which, on_txn, NULL, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    r->row.user = c->use.user;
    return ledger_put_run(am->store, &r->row, err);
}

static int charge(
    struct am *am, struct run *r, const struct am_charge *c, struct err *err)
{
    struct posting p = {.txn = {.at = c->at,
                            .kind = "charge",
                            .run = c->run,
                            .who = c->use.user,
                            .text = c->text}};
    int result = 0;

    if (c->total > r->row.charged)
        result = charge_more(am, r, c, &p, c->total - r->row.charged, err);
    else if (c->total < r->row.charged)
        result = charge_less(am, r, c, &p, err);
    r->row.charged = c->total;
    r->row.text = c->text;
    if (result == 0 && c->over)
        result = close_run(am, r, c->at, err);
    return result == 0 ? ledger_put_run(am->store, &r->row, err) : result;
}

/* A run that nothing was kept for. */
static int begin_uncovered(
    struct am *am, struct run *r, const struct am_charge *c, struct err *err)
{
    struct found_account a;

    if (account_find(am, c->account, NULL, &a, err) != 0)
        return -1;
    r->row.account = a.id;
    r->row.since_at = r->row.until_at = c->at;
    r->row.open = true;
    r->row.user = c->use.user;
    return ledger_put_run(am->store, &r->row, err); /* what it used is its user's */
}

int am_charge(struct am *am, const struct am_charge *c, struct err *err)
{
    struct run r;
    int known, result = 0;

    if (store_step_begin(am->store, err) != 0)
        return -1;
    known = find_run(am, c->run, &r, err);
    if (known < 0 || amount_valid(c->total, 0, err) != 0)
        result = -1;
    else if (!known)
        result = begin_uncovered(am, &r, c, err);
    if (result == 0 && r.row.open)
        result = find_user(am, &r, c, err);
    if (result == 0 && r.row.open)
        result = charge(am, &r, c, err);
    drop_run(&r);
    return step_end(am, result, err);
}
