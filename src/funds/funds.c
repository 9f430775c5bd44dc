/* SPDX-License-Identifier: Apache-2.0
 * See funds.h. Order of use and what is free: purse.h, which the ledger asks too. */
#include "funds/funds.h"

#include "base/names.h"
#include "base/strbuf.h"
#include "funds/amount.h"
#include "funds/purse.h"

#include <assert.h>
#include <stdio.h>

#define DEPTH_MOST   1000 /* facts may be wrong and have circles */
#define START_TOLD_S 2    /* a start may be told so much before it was decided */
#define CLOCKS_S     300  /* of the resource manager and here may differ by so much */

struct account {
    uint32_t parent; /* FUNDS_NONE = none */
    bool overflow, closed, told;
    char *only, *parent_name;
    uint32_t runs; /* whose uppermost lien lies here: see count_runs() */
    struct VEC(struct funds_deposit) deposits; /* their texts are owned */
};

struct run {
    char *name, *job, *rates;
    uint32_t account;
    bool open, strange, elsewhere, unsent;
    int64_t most, charged, noted, since_at, until_at;
    struct funds_leave leave;            /* its text is owned */
    struct VEC(struct funds_lien) liens; /* as they were placed */
    struct VEC(struct funds_lien) taken; /* of what it was charged since it was told */
};

struct funds {
    struct names *names;
    struct VEC(struct account) accounts; /* by number of the name */
    struct VEC(struct run) runs;
    struct VEC(uint32_t) vacant;           /* numbers of runs that are over */
    struct VEC(struct funds_quote) quotes; /* by number; their texts are owned */
    uint32_t open, strangers;
    uint64_t runs_ever;
    bool counted;       /* `runs` of all accounts */
    struct purse purse; /* room for a question */
};

struct funds *funds_create(void)
{
    struct funds *f = xcalloc(1, sizeof *f);

    f->names = names_create();
    return f;
}

static void forget_deposits(struct account *a)
{
    for (size_t i = 0; i < a->deposits.n; i++)
        free((char *)a->deposits.v[i].only);
    a->deposits.n = 0;
}

static void forget_run(struct run *r)
{
    free(r->name);
    free(r->job);
    free(r->rates);
    free((char *)r->leave.text);
    vec_fini(&r->liens);
    vec_fini(&r->taken);
    *r = (struct run){0};
}

static void forget_quote(struct funds_quote *q)
{
    free((char *)q->account);
    free((char *)q->rates);
    free((char *)q->job);
    free((char *)q->users);
}

void funds_destroy(struct funds *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->accounts.n; i++) {
        forget_deposits(&f->accounts.v[i]);
        vec_fini(&f->accounts.v[i].deposits);
        free(f->accounts.v[i].only);
        free(f->accounts.v[i].parent_name);
    }
    for (size_t i = 0; i < f->runs.n; i++)
        forget_run(&f->runs.v[i]);
    for (size_t i = 0; i < f->quotes.n; i++)
        forget_quote(&f->quotes.v[i]);
    vec_fini(&f->quotes);
    vec_fini(&f->accounts);
    vec_fini(&f->runs);
    vec_fini(&f->vacant);
    vec_fini(&f->purse);
    names_destroy(f->names);
    free(f);
}

/* ---- accounts and deposits ------------------------------------------------------ */

static uint32_t number_account(struct funds *f, const char *name)
{
    uint32_t id = names_intern(f->names, name);

    while (f->accounts.n <= id)
        vec_push(&f->accounts, ((struct account){.parent = FUNDS_NONE}));
    return id;
}

static char *copy_text(const char *text)
{
    return text && *text ? xstrdup(text) : NULL;
}

/* The texts of the fact may be the account's own: they are copied before it lets go. */
static void tell_account(struct funds *f, const struct funds_account *fact)
{
    uint32_t parent = fact->parent ? number_account(f, fact->parent) : FUNDS_NONE;
    uint32_t id = number_account(f, fact->name);
    struct account *a = &f->accounts.v[id];
    char *parent_name = copy_text(fact->parent), *only = copy_text(fact->only);
    struct account made = {0};

    for (size_t i = 0; i < fact->n; i++) {
        vec_push(&made.deposits, fact->deposits[i]);
        made.deposits.v[i].only = copy_text(fact->deposits[i].only);
    }
    forget_deposits(a);
    vec_fini(&a->deposits);
    free(a->only);
    free(a->parent_name);
    a->deposits.v = made.deposits.v;
    a->deposits.n = made.deposits.n;
    a->deposits.cap = made.deposits.cap;
    a->parent = parent;
    a->parent_name = parent_name;
    a->only = only;
    a->overflow = fact->overflow;
    a->closed = fact->closed;
    a->told = true;
}

static void tell_run(struct funds *f, const struct funds_run *fact)
{
    uint32_t number = funds_open(f, fact->job, number_account(f, fact->account));
    struct run *r = &f->runs.v[number];

    free(r->name);
    r->name = xstrdup(fact->run);
    r->strange = true;
    f->strangers++;
    r->most = fact->most;
    r->charged = fact->charged;
    r->noted = fact->noted;
    r->rates = copy_text(fact->rates);
    r->elsewhere = fact->elsewhere;
    r->unsent = fact->unsent;
    r->leave = fact->leave;
    r->leave.text = copy_text(fact->leave.text);
    r->since_at = fact->since_at;
    r->until_at = fact->until_at;
    for (size_t i = 0; i < fact->n; i++)
        vec_push(&r->liens, fact->liens[i]);
}

/* ---- quotes --------------------------------------------------------------------- */

/* Where it is, or would be. */
static size_t find_quote(const struct funds *f, int64_t number)
{
    size_t low = 0, high = f->quotes.n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->quotes.v[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool has_quote(const struct funds *f, size_t i, int64_t number)
{
    return i < f->quotes.n && f->quotes.v[i].number == number;
}

static void tell_quote(struct funds *f, const struct funds_quote *fact)
{
    size_t i = find_quote(f, fact->number);
    struct funds_quote made = *fact;

    made.account = copy_text(fact->account);
    made.rates = copy_text(fact->rates);
    made.job = copy_text(fact->job);
    made.users = copy_text(fact->users);
    if (has_quote(f, i, fact->number)) {
        forget_quote(&f->quotes.v[i]);
    } else {
        vec_push(&f->quotes, made);
        for (size_t k = f->quotes.n - 1; k > i; k--)
            f->quotes.v[k] = f->quotes.v[k - 1];
    }
    f->quotes.v[i] = made;
}

const struct funds_quote *funds_quote(const struct funds *f, int64_t number)
{
    size_t i = find_quote(f, number);

    return has_quote(f, i, number) ? &f->quotes.v[i] : NULL;
}

bool funds_has_user(const char *users, const char *job)
{
    size_t length = job ? strlen(job) : 0;

    for (const char *p = users; p && length && *p; p += strspn(p, " ")) {
        size_t one = strcspn(p, " ");
        if (one == length && strncmp(p, job, length) == 0)
            return true;
        p += one;
    }
    return false;
}

bool funds_use_quote(struct funds *f, int64_t number, const char *job)
{
    size_t i = find_quote(f, number);
    struct funds_quote *q = has_quote(f, i, number) ? &f->quotes.v[i] : NULL;
    struct strbuf users = {0};

    if (!q || funds_has_user(q->users, job))
        return false;
    q->uses--;
    strbuf_printf(&users, "%s%s%s", q->users ? q->users : "", q->users ? " " : "", job);
    free((char *)q->users);
    q->users = strbuf_take(&users);
    return true;
}

void funds_give_quote_back(struct funds *f, int64_t number, const char *job)
{
    size_t i = find_quote(f, number);
    struct funds_quote *q = has_quote(f, i, number) ? &f->quotes.v[i] : NULL;
    struct strbuf users = {0};

    if (!q || !funds_has_user(q->users, job))
        return;
    q->uses++;
    for (const char *p = q->users; *p; p += strspn(p, " ")) {
        size_t one = strcspn(p, " ");
        if (one != strlen(job) || strncmp(p, job, one) != 0)
            strbuf_printf(&users, "%s%.*s", users.len ? " " : "", (int)one, p);
        p += one;
    }
    free((char *)q->users);
    q->users = users.len ? strbuf_take(&users) : NULL;
}

void funds_forget_quotes(struct funds *f, int64_t by)
{
    size_t n = 0;

    for (size_t i = 0; i < f->quotes.n; i++)
        if (f->quotes.v[i].until_at <= by)
            forget_quote(&f->quotes.v[i]);
        else
            f->quotes.v[n++] = f->quotes.v[i];
    f->quotes.n = n;
}

void funds_tell(struct funds *f, const struct funds_facts *facts)
{
    f->counted = false;
    for (size_t i = 0; i < facts->n; i++)
        tell_account(f, &facts->accounts[i]);
    for (size_t i = 0; i < facts->nruns; i++)
        tell_run(f, &facts->runs[i]);
    for (size_t i = 0; i < facts->nquotes; i++)
        tell_quote(f, &facts->quotes[i]);
    if (facts->runs_ever > f->runs_ever)
        f->runs_ever = facts->runs_ever;
}

uint32_t funds_account(const struct funds *f, const char *name)
{
    uint32_t id = name ? names_find(f->names, name) : NAME_NONE;

    return id == NAME_NONE || !f->accounts.v[id].told ? FUNDS_NONE : id;
}

const char *funds_account_name(const struct funds *f, uint32_t account)
{
    return names_text(f->names, account);
}

uint32_t funds_accounts(const struct funds *f)
{
    return (uint32_t)f->accounts.n;
}

struct funds_account funds_account_now(const struct funds *f, uint32_t account)
{
    const struct account *a = &f->accounts.v[account];

    return (struct funds_account){.name = names_text(f->names, account),
        .parent = a->parent_name,
        .overflow = a->overflow,
        .closed = a->closed,
        .only = a->only,
        .deposits = a->deposits.v,
        .n = a->deposits.n};
}

/* ---- what may be used ----------------------------------------------------------- */

static bool may_use(const struct funds_deposit *d, const struct funds_use *by)
{
    return d->from_at <= by->at && by->at < d->to_at
           && (!d->only || !by->use || only_admits(d->only, by->use));
}

/* In the order of use. The purse is the picture's own, for one question. */
static const struct purse *load_purse(
    const struct funds *f, uint32_t account, const struct funds_use *by)
{
    struct purse *p = (struct purse *)&f->purse;
    int depth = 0;

    p->n = 0;
    for (; account != FUNDS_NONE && depth < DEPTH_MOST; depth++) {
        const struct account *a = &f->accounts.v[account];
        if (a->closed || !a->told)
            break;
        for (size_t i = 0; i < a->deposits.n; i++) {
            const struct funds_deposit *d = &a->deposits.v[i];
            if (may_use(d, by))
                vec_push(
                    p, ((struct purse_deposit){d->id, account, depth, d->only != NULL,
                           d->to_at, d->balance, d->credit_limit, d->held}));
        }
        account = a->overflow ? a->parent : FUNDS_NONE;
    }
    purse_sort(p);
    return p;
}

enum funds_answer funds_ask(const struct funds *f, uint32_t account,
    const struct am_use *use, int64_t at, int64_t amount, struct funds_left *ret)
{
    const struct funds_use by = {use, at};
    const struct account *a = &f->accounts.v[account];

    *ret = (struct funds_left){0};
    if (a->closed)
        return FUNDS_CLOSED;
    if (a->only && use && !only_admits(a->only, use))
        return FUNDS_FORBIDDEN;
    const struct purse *p = load_purse(f, account, &by);
    if (p->n == 0)
        return amount > 0 ? FUNDS_UNUSABLE : FUNDS_ENOUGH;
    ret->available = purse_available(p);
    ret->held = purse_held(p);
    return ret->available >= amount ? FUNDS_ENOUGH : FUNDS_SHORT;
}

bool funds_admits(const struct funds *f, uint32_t account, const struct am_use *use)
{
    const struct account *a = &f->accounts.v[account];

    return !a->closed && (!a->only || only_admits(a->only, use));
}

int64_t funds_next_change(const struct funds *f, int64_t now)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < f->accounts.n; i++)
        for (size_t k = 0; k < f->accounts.v[i].deposits.n; k++) {
            const struct funds_deposit *d = &f->accounts.v[i].deposits.v[k];
            if (d->from_at > now && d->from_at < next)
                next = d->from_at;
            if (d->to_at > now && d->to_at < next)
                next = d->to_at;
        }
    return next;
}

/* ---- runs ----------------------------------------------------------------------- */

static struct funds_deposit *find_deposit_in(struct account *a, int64_t id)
{
    for (size_t i = 0; i < a->deposits.n; i++)
        if (a->deposits.v[i].id == id)
            return &a->deposits.v[i];
    return NULL;
}

/* Of the account or of those above it: a run draws on no other. */
static struct funds_deposit *find_deposit(struct funds *f, uint32_t account, int64_t id)
{
    struct funds_deposit *d = NULL;

    for (int depth = 0; !d && account != FUNDS_NONE && depth < DEPTH_MOST; depth++) {
        d = find_deposit_in(&f->accounts.v[account], id);
        account = f->accounts.v[account].parent;
    }
    return d;
}

uint32_t funds_next_run(const struct funds *f, uint32_t from)
{
    for (uint32_t i = from; i < f->runs.n; i++)
        if (f->runs.v[i].open)
            return i;
    return FUNDS_NONE;
}

static bool is_stranger_of(const struct funds *f, uint32_t run, const char *job)
{
    return funds_is_strange(f, run) && strcmp(f->runs.v[run].job, job) == 0;
}

/* The one was to leave its nodes; the other was sent since, and is about as old as what
 * is told, by a clock that is behind: the first is over, then. */
static bool came_after(const struct run *one, const struct run *other, int64_t start_at)
{
    return one->leave.at && !other->leave.at && !other->unsent
           && one->since_at < other->since_at && other->since_at <= start_at + CLOCKS_S;
}

/* Of two that may be meant: is the one a better answer than the other? */
static bool fits_better(
    const struct run *one, const struct run *other, int64_t start_at)
{
    if (came_after(one, other, start_at) || came_after(other, one, start_at))
        return came_after(other, one, start_at);
    bool begun = one->since_at <= start_at + START_TOLD_S;
    bool other_begun = other->since_at <= start_at + START_TOLD_S;

    if (begun != other_begun)
        return begun;
    return begun == (one->since_at > other->since_at);
}

uint32_t funds_strange_run_of(const struct funds *f, const char *job, int64_t start_at)
{
    uint32_t found = FUNDS_NONE;

    for (uint32_t i = 0; f->strangers && i < f->runs.n; i++) {
        const struct run *r = &f->runs.v[i];
        if (!is_stranger_of(f, i, job) || (r->leave.at && start_at > r->leave.at))
            continue;
        if (found == FUNDS_NONE || fits_better(r, &f->runs.v[found], start_at))
            found = i;
    }
    return found;
}

uint32_t funds_unsent_run_of(const struct funds *f, const char *job)
{
    for (uint32_t i = 0; f->strangers && i < f->runs.n; i++)
        if (is_stranger_of(f, i, job) && f->runs.v[i].unsent)
            return i;
    return FUNDS_NONE;
}

bool funds_is_strange(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].open && f->runs.v[run].strange;
}

void funds_adopt(struct funds *f, uint32_t run)
{
    f->runs.v[run].strange = false;
    f->strangers--;
}

const char *funds_run_name(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].name;
}

const char *funds_run_job(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].job;
}

uint32_t funds_run_account(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].account;
}

int64_t funds_run_most(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].most;
}

const char *funds_run_rates(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].rates;
}

int64_t funds_run_since(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].since_at;
}

int64_t funds_run_charged(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].charged;
}

int64_t funds_run_noted(const struct funds *f, uint32_t run)
{
    const struct run *r = &f->runs.v[run];

    return r->noted > r->charged ? r->noted : r->charged;
}

bool funds_run_is_elsewhere(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].elsewhere;
}

bool funds_run_is_unsent(const struct funds *f, uint32_t run)
{
    return f->runs.v[run].unsent;
}

const struct funds_leave *funds_run_leave(const struct funds *f, uint32_t run)
{
    return &f->runs.v[run].leave;
}

int64_t funds_run_come_to(const struct funds *f, uint32_t run, int64_t at)
{
    const struct run *r = &f->runs.v[run];
    int64_t whole_s = r->until_at - r->since_at;

    at = at < r->until_at ? at : r->until_at;
    if (whole_s <= 0 || at <= r->since_at || r->most >= AM_LARGEST)
        return 0;
    return (int64_t)((__int128)r->most * (at - r->since_at) / whole_s);
}

bool funds_is_rent(const struct funds *f, uint32_t run)
{
    return strncmp(f->runs.v[run].job, FUNDS_RENT, sizeof FUNDS_RENT - 1) == 0;
}

uint32_t funds_open_runs(const struct funds *f)
{
    return f->open;
}

uint64_t funds_runs_ever(const struct funds *f)
{
    return f->runs_ever;
}

/* The uppermost account on whose deposits something is kept for the run, or none. */
static uint32_t find_uppermost(const struct funds *f, const struct run *r)
{
    uint32_t found = FUNDS_NONE, account = r->account;

    for (int depth = 0; account != FUNDS_NONE && depth < DEPTH_MOST; depth++) {
        struct account *a = &f->accounts.v[account];
        for (size_t i = 0; i < r->liens.n; i++)
            if (r->liens.v[i].amount > 0 && find_deposit_in(a, r->liens.v[i].deposit))
                found = account;
        account = a->parent;
    }
    return found;
}

/* All liens of a run lie on the way up from its account: it concerns whoever is below
 * the uppermost of them. */
static void count_runs(struct funds *f)
{
    for (size_t i = 0; i < f->accounts.n; i++)
        f->accounts.v[i].runs = 0;
    for (size_t i = 0; i < f->runs.n; i++) {
        uint32_t on = f->runs.v[i].open ? find_uppermost(f, &f->runs.v[i]) : FUNDS_NONE;
        if (on != FUNDS_NONE)
            f->accounts.v[on].runs++;
    }
    f->counted = true;
}

uint32_t funds_runs_on(const struct funds *f, uint32_t account)
{
    uint32_t n = 0;

    if (!f->counted)
        count_runs((struct funds *)f);
    for (int depth = 0; account != FUNDS_NONE && depth < DEPTH_MOST; depth++) {
        n += f->accounts.v[account].runs;
        account = f->accounts.v[account].parent;
    }
    return n;
}

uint32_t funds_open(struct funds *f, const char *job, uint32_t account)
{
    uint32_t number;
    char name[300];

    if (f->vacant.n) {
        number = f->vacant.v[--f->vacant.n];
    } else {
        number = (uint32_t)f->runs.n;
        vec_push(&f->runs, (struct run){0});
    }
    snprintf(
        name, sizeof name, "%.250s.r%llu", job, (unsigned long long)++f->runs_ever);
    f->runs.v[number] = (struct run){
        .name = xstrdup(name), .job = xstrdup(job), .account = account, .open = true};
    f->open++;
    return number;
}

uint32_t funds_open_elsewhere(struct funds *f, const char *job, const char *account)
{
    uint32_t number = funds_open(f, job, number_account(f, account));

    f->runs.v[number].elsewhere = true;
    return number;
}

static void keep_on(struct funds *f, struct run *r, int64_t deposit, int64_t more)
{
    struct funds_deposit *d = find_deposit(f, r->account, deposit);
    size_t i = 0;

    f->counted = false;
    if (d)
        d->held += more;
    while (i < r->liens.n && r->liens.v[i].deposit != deposit)
        i++;
    if (i == r->liens.n)
        vec_push(&r->liens, ((struct funds_lien){deposit, 0}));
    r->liens.v[i].amount += more;
}

static int64_t sum_kept(const struct run *r)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->liens.n; i++)
        sum += r->liens.v[i].amount;
    return sum;
}

int64_t funds_run_kept(const struct funds *f, uint32_t run)
{
    return sum_kept(&f->runs.v[run]);
}

/* What was placed last is let go first. */
static void keep_less(struct funds *f, struct run *r, int64_t less)
{
    for (size_t i = r->liens.n; less > 0 && i-- > 0;) {
        int64_t part = r->liens.v[i].amount < less ? r->liens.v[i].amount : less;

        keep_on(f, r, r->liens.v[i].deposit, -part);
        less -= part;
    }
}

void funds_keep(struct funds *f, uint32_t run, const struct funds_use *by, int64_t most,
    bool *ret_all)
{
    struct run *r = &f->runs.v[run];
    int64_t wanted = most > r->charged ? most - r->charged : 0, kept = sum_kept(r);
    struct pieces pieces = {0};

    r->most = most;
    *ret_all = true;
    if (r->elsewhere)
        wanted = 0;
    if (wanted <= kept) {
        keep_less(f, r, kept - wanted);
        return;
    }
    *ret_all = purse_spread(load_purse(f, r->account, by), wanted - kept, &pieces) == 0;
    for (size_t i = 0; i < pieces.n; i++)
        keep_on(f, r, pieces.v[i].deposit, pieces.v[i].amount);
    vec_fini(&pieces);
}

static void take_amount(struct funds *f, struct run *r, int64_t deposit, int64_t amount)
{
    struct funds_deposit *d = find_deposit(f, r->account, deposit);

    if (!d)
        return;
    d->balance -= amount;
    if (r->taken.n && r->taken.v[r->taken.n - 1].deposit == deposit)
        r->taken.v[r->taken.n - 1].amount += amount;
    else
        vec_push(&r->taken, ((struct funds_lien){deposit, amount}));
}

/* Up to `amount` of what is kept. Returns the rest. */
static int64_t take_kept(struct funds *f, struct run *r, int64_t amount)
{
    for (size_t i = 0; i < r->liens.n && amount > 0; i++) {
        int64_t part = r->liens.v[i].amount < amount ? r->liens.v[i].amount : amount;

        take_amount(f, r, r->liens.v[i].deposit, part);
        keep_on(f, r, r->liens.v[i].deposit, -part);
        amount -= part;
    }
    return amount;
}

/* What was taken last comes back first, and is kept for the run again as far as it can
 * still come to that. Of what was taken before it was told the bank tells. */
static void give_back(struct funds *f, struct run *r, int64_t amount)
{
    int64_t lacks = r->most - r->charged - sum_kept(r);

    while (amount > 0 && r->taken.n) {
        struct funds_lien *last = &r->taken.v[r->taken.n - 1];
        struct funds_deposit *d = find_deposit(f, r->account, last->deposit);
        int64_t part = last->amount < amount ? last->amount : amount;
        int64_t again = lacks < part ? lacks : part;
        if (d)
            d->balance += part;
        if (d && again > 0)
            keep_on(f, r, last->deposit, again);
        lacks -= again > 0 ? again : 0;
        amount -= part;
        last->amount -= part;
        r->taken.n -= last->amount == 0;
    }
}

void funds_charge(
    struct funds *f, uint32_t run, const struct funds_use *by, int64_t total)
{
    struct run *r = &f->runs.v[run];
    int64_t more = total - r->charged;
    struct pieces pieces = {0};

    r->charged = total;
    if (more < 0 && !r->elsewhere)
        give_back(f, r, -more);
    if (more <= 0 || r->elsewhere)
        return;
    more = take_kept(f, r, more);
    if (more <= 0)
        return;
    const struct purse *p = load_purse(f, r->account, by);
    more = purse_spread(p, more, &pieces);
    if (more > 0 && p->n)
        vec_push(&pieces, ((struct piece){p->v[0].id, 0, more}));
    for (size_t i = 0; i < pieces.n; i++)
        take_amount(f, r, pieces.v[i].deposit, pieces.v[i].amount);
    vec_fini(&pieces);
}

void funds_close(struct funds *f, uint32_t run)
{
    struct run *r = &f->runs.v[run];

    keep_less(f, r, sum_kept(r));
    f->strangers -= r->strange;
    forget_run(r);
    f->open--;
    vec_push(&f->vacant, run);
}

static int64_t sum_kept_on(const struct funds *f, int64_t deposit)
{
    int64_t sum = 0;

    for (size_t i = 0; i < f->runs.n; i++)
        for (size_t k = 0; f->runs.v[i].open && k < f->runs.v[i].liens.n; k++)
            if (f->runs.v[i].liens.v[k].deposit == deposit)
                sum += f->runs.v[i].liens.v[k].amount;
    return sum;
}

void funds_check(const struct funds *f)
{
    uint32_t open = 0, strangers = 0;

    for (size_t i = 0; i < f->accounts.n; i++)
        for (size_t k = 0; k < f->accounts.v[i].deposits.n; k++) {
            const struct funds_deposit *d = &f->accounts.v[i].deposits.v[k];
            assert(d->held == sum_kept_on(f, d->id));
        }
    for (size_t i = 0; i < f->runs.n; i++) {
        open += f->runs.v[i].open;
        strangers += f->runs.v[i].open && f->runs.v[i].strange;
    }
    assert(open == f->open && strangers == f->strangers);
}
