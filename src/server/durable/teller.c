/* SPDX-License-Identifier: Apache-2.0
 * See teller.h. */
#include "server/durable/teller.h"

#include "config/settings.h"
#include "engine/query.h"
#include "policy/bank.h"
#include "server/durable/desk.h"
#include "server/durable/leavers.h"
#include "server/durable/lostruns.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/whole.h"

#include <inttypes.h>

#define TICK_S 60 /* deposits that have ended expire as often as that */
#define RENT_S 10 /* what reservations have cost is noted as often */

struct teller {
    struct am am;
    int64_t ticked_at, noted_at; /* noted_at: `seen` in the store */
    bool recalled;  /* the engine was told what there is since the bank is in force */
    bool strangers; /* ... and not yet that all jobs are known */
    char *rents;    /* what was noted last; owned, NULL = not known */
    int64_t rented_at; /* then */
    bool odd_quote;    /* the ledger has one otherwise than the engine */
    int64_t seen_at;   /* when the life before last looked at its jobs; 0 = not known */
};

void teller_open(struct server *s)
{
    s->bank.teller = xcalloc(1, sizeof *s->bank.teller);
    am_init(&s->bank.teller->am, s->store);
}

void teller_close(struct server *s)
{
    if (!s->bank.teller) /* the daemon did not come that far */
        return;
    free(s->bank.teller->rents);
    free(s->bank.teller);
    s->bank.teller = NULL;
}

bool teller_is_open(const struct server *s)
{
    return s->bank.teller && s->mode != MODE_SIMULATION
           && s->config->settings->bank.type == BANK_BUILTIN;
}

struct am *teller_ledger(struct server *s)
{
    if (!teller_is_open(s))
        return NULL;
    unsaved_tell(s->unsaved);
    return &s->bank.teller->am;
}

/* ---- the engine's moves --------------------------------------------------------- */

struct posted {
    struct server *s;
    struct money_move m;
};

static char *copy_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static void forget_move(void *payload)
{
    struct posted *p = payload;

    free((char *)p->m.run);
    free((char *)p->m.job);
    free((char *)p->m.account);
    free((char *)p->m.user);
    free((char *)p->m.group);
    free((char *)p->m.class);
    free((char *)p->m.qos);
    free((char *)p->m.text);
    free((char *)p->m.rates);
    free(p);
}

static struct am_use use_of(const struct money_move *m)
{
    return (struct am_use){
        .user = m->user, .group = m->group, .class = m->class, .qos = m->qos};
}

static int write_lien(struct posted *p, struct err *err)
{
    const struct money_move *m = &p->m;
    char *rates = price_rates_text(&p->s->config->settings->bank.rates);
    struct am_lien lien = {.run = m->run,
        .account = m->account,
        .use = use_of(m),
        .most = m->most,
        .at = m->at,
        .until_at = m->until_at,
        .rates = m->rates          ? m->rates
                 : rates && *rates ? rates
                                   : "PROCS:1",
        .quote = m->quote,
        .job = m->job,
        .force = m->force};
    struct am_lien_answer answer = {0};
    int result = am_lien(&p->s->bank.teller->am, &lien, &answer, err);

    /* the picture was wrong, or others are meant by the account; it runs all the same
     */
    if (result == AM_REFUSED
        || (result < 0 && (err->code == ERR_DENIED || err->code == ERR_CONFLICT))) {
        log_line(p->s->log, LOG_WARNING, "job '%s': %s; it runs with what there is",
            m->job, err->text);
        lien.force = true;
        result = am_lien(&p->s->bank.teller->am, &lien, NULL, err);
    }
    p->s->bank.teller->odd_quote |= answer.quote_void;
    if (answer.quote_void)
        log_line(p->s->log, LOG_WARNING,
            "job '%s': the ledger does not know quote %lld as one that it may use; it "
            "runs at the rates that were promised",
            m->job, (long long)m->quote);
    free(rates);
    return result;
}

static int write_charge(struct posted *p, struct err *err)
{
    const struct money_move *m = &p->m;
    const struct am_charge charge = {.run = m->run,
        .account = m->account,
        .use = use_of(m),
        .total = m->total,
        .at = m->at,
        .over = !m->goes_on,
        .text = m->text};

    return am_charge(&p->s->bank.teller->am, &charge, err);
}

static int write_move(void *payload, struct err *unused)
{
    struct posted *p = payload;
    struct err err = {0};
    int result = 0;

    (void)unused;
    switch (p->m.kind) {
    case MONEY_LIEN:
        result = write_lien(p, &err);
        break;
    case MONEY_CHARGE:
        result = write_charge(p, &err);
        break;
    case MONEY_RELEASE:
        result = am_release(&p->s->bank.teller->am, p->m.run, p->m.at, &err);
        break;
    case MONEY_LEAVES:
        break; /* nothing has moved: leavers.h */
    }
    if (result == AM_DONE && p->m.unseen)
        log_line(p->s->log, LOG_WARNING,
            "the bank: job '%s', run %s of account %s: its end was not seen; it is "
            "charged %s credits",
            p->m.job, p->m.run, p->m.account, amount_text(p->m.total).text);
    if (result != AM_DONE)
        log_line(p->s->log, LOG_ALERT, "the bank: job '%s', run %s of account %s: %s",
            p->m.job, p->m.run, p->m.account, err.text);
    return result;
}

static void post_move(struct server *s, const struct money_move *m)
{
    struct posted *p = xcalloc(1, sizeof *p);

    *p = (struct posted){s, *m};
    p->m.run = copy_text(m->run);
    p->m.job = copy_text(m->job);
    p->m.account = copy_text(m->account);
    p->m.user = copy_text(m->user);
    p->m.group = copy_text(m->group);
    p->m.class = copy_text(m->class);
    p->m.qos = copy_text(m->qos);
    p->m.text = copy_text(m->text);
    p->m.rates = copy_text(m->rates);
    unsaved_later(s->unsaved, (struct unsaved_step){write_move, forget_move, p});
}

static void keep_number(struct server *s, const char *key, uint64_t n)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, n);
    unsaved_put(s->unsaved, "bank", key, text);
    commit_want(s);
}

/* ---- what reservations have cost ------------------------------------------------ */

static void add_rent(
    void *arg, const char *run, const char *job, const char *account, int64_t cost)
{
    json_object_set_new((json_t *)arg, run,
        json_pack("{s:s, s:s, s:I}", "job", job, "account", account, "cost",
            (json_int_t)cost));
}

/* They are debited each hour: what comes after that is to outlive the daemon too. */
static void note_rents(struct server *s)
{
    struct teller *t = s->bank.teller;
    json_t *all = json_object();

    t->rented_at = world_now(s);
    query_rents(s->engine, t->rented_at, add_rent, all);
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(all);
    if (t->rents ? strcmp(t->rents, text) == 0 : strcmp(text, "{}") == 0) {
        free(text);
        return;
    }
    unsaved_put(s->unsaved, "bank", "rents", text);
    keep_number(s, "runs", funds_runs_ever(engine_cluster(s->engine)->funds));
    free(t->rents);
    t->rents = text;
}

static bool is_rent(const struct money_move *m)
{
    return strncmp(m->job, FUNDS_RENT, sizeof FUNDS_RENT - 1) == 0;
}

/* The run is over, and nobody has been told to start its job: that was none, and costs
 * nothing, however long ago it was decided. The engine's picture of the account, which
 * counts it, is set right with the next look at the ledger. */
static bool never_began(const struct server *s, const struct money_move *m)
{
    return m->kind == MONEY_CHARGE && !m->goes_on && !m->former && s->managers
           && manager_start_waits(s, m->job);
}

void teller_post(struct server *s)
{
    size_t n;
    bool rents = false;
    const struct money_move *moves = engine_money(s->engine, &n);

    for (size_t i = 0; i < n; i++) {
        struct money_move m = moves[i];
        if (never_began(s, &m)) {
            m.kind = MONEY_RELEASE;
            m.seconds = 0;
            s->bank.teller->odd_quote =
                true; /* a use that was given back is not known */
        }
        rents |= is_rent(&m);
        if (m.noted)
            leavers_forget(s, m.run);
        if (m.kind == MONEY_LEAVES) {
            leavers_note(s, &m);
            continue;
        }
        if (m.lost && !m.elsewhere && m.kind == MONEY_CHARGE)
            lostruns_note(s, &m);
        if (m.elsewhere)
            desk_take(s, &m);
        else
            post_move(s, &m);
    }
    if (!n)
        return;
    /* names of runs count on, over restarts */
    keep_number(s, "runs", funds_runs_ever(engine_cluster(s->engine)->funds));
    engine_money_told(s->engine);
    if (rents)
        note_rents(s); /* one that is over is not gone on with */
}

/* ---- facts out of the ledger ---------------------------------------------------- */

/* Texts of rows live as long as a call: here they stay. */
struct facts {
    struct VEC(char *) texts;
    struct VEC(struct funds_account) accounts;
    struct VEC(int64_t) ids, parents; /* of the accounts */
    struct VEC(struct funds_deposit) deposits;
    struct VEC(int64_t) owners; /* of the deposits */
    struct VEC(struct funds_run) runs;
    struct VEC(int64_t) payers; /* of the runs */
    struct VEC(struct funds_lien) liens;
    struct VEC(struct funds_end) ends;
    struct VEC(struct funds_quote) quotes;
};

static const char *hold_text(struct facts *f, const char *text)
{
    if (!text || !*text)
        return NULL;
    vec_push(&f->texts, xstrdup(text));
    return f->texts.v[f->texts.n - 1];
}

static void facts_fini(struct facts *f)
{
    for (size_t i = 0; i < f->texts.n; i++)
        free(f->texts.v[i]);
    vec_fini(&f->texts);
    vec_fini(&f->accounts);
    vec_fini(&f->ids);
    vec_fini(&f->parents);
    vec_fini(&f->deposits);
    vec_fini(&f->owners);
    vec_fini(&f->runs);
    vec_fini(&f->payers);
    vec_fini(&f->liens);
    vec_fini(&f->ends);
    vec_fini(&f->quotes);
}

static int on_account(void *arg, const struct ledger_account *row)
{
    struct facts *f = arg;

    vec_push(&f->accounts, ((struct funds_account){.name = hold_text(f, row->name),
                               .overflow = row->overflow,
                               .closed = !row->active,
                               .only = hold_text(f, row->only)}));
    vec_push(&f->ids, row->id);
    vec_push(&f->parents, row->parent);
    return 0;
}

static int on_deposit(void *arg, const struct ledger_deposit *row)
{
    struct facts *f = arg;

    vec_push(&f->deposits, ((struct funds_deposit){.id = row->id,
                               .from_at = row->from_at,
                               .to_at = row->to_at,
                               .balance = row->balance,
                               .credit_limit = row->credit_limit,
                               .held = row->held,
                               .only = hold_text(f, row->only)}));
    vec_push(&f->owners, row->account);
    return 0;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Its place among the accounts, which come by their numbers; n = there is none. */
static size_t find_account(const struct facts *f, int64_t id)
{
    const int64_t *at =
        f->ids.n ? bsearch(&id, f->ids.v, f->ids.n, sizeof id, compare_ids) : NULL;

    return at ? (size_t)(at - f->ids.v) : f->ids.n;
}

static const char *name_of_account(const struct facts *f, int64_t id)
{
    size_t i = find_account(f, id);

    return i < f->accounts.n ? f->accounts.v[i].name : NULL;
}

/* "7.r3" is a run of job 7. */
static const char *job_of_run(struct facts *f, const char *run)
{
    char *job = xstrdup(run), *dot = strrchr(job, '.');

    if (dot)
        *dot = '\0';
    const char *held = hold_text(f, job);
    free(job);
    return held;
}

static int on_run(void *arg, const struct ledger_run *row)
{
    struct facts *f = arg;

    vec_push(&f->runs, ((struct funds_run){.run = hold_text(f, row->run),
                           .job = job_of_run(f, row->run),
                           .rates = hold_text(f, row->rates),
                           .most = row->most,
                           .charged = row->charged,
                           .since_at = row->since_at,
                           .until_at = row->until_at}));
    vec_push(&f->payers, row->account);
    return 0;
}

static int on_lien(void *arg, const struct ledger_lien *row)
{
    struct facts *f = arg;

    vec_push(&f->liens, ((struct funds_lien){row->deposit, row->amount}));
    return 0;
}

/* Deposits in a row by account, and by their numbers as they come. O(both). */
static void sort_deposits(struct facts *f)
{
    size_t n = f->deposits.n, at = 0;
    struct funds_deposit *sorted = xcalloc(n + 1, sizeof *sorted);

    for (size_t i = 0; i < n; i++) {
        size_t a = find_account(f, f->owners.v[i]);
        if (a < f->accounts.n)
            f->accounts.v[a].n++;
    }
    for (size_t a = 0; a < f->accounts.n; a++) {
        f->accounts.v[a].deposits = sorted + at;
        at += f->accounts.v[a].n;
        f->accounts.v[a].n = 0;
        f->accounts.v[a].parent = name_of_account(f, f->parents.v[a]);
    }
    for (size_t i = 0; i < n; i++) {
        size_t a = find_account(f, f->owners.v[i]);
        if (a == f->accounts.n)
            continue;
        struct funds_account *to = &f->accounts.v[a];
        sorted[(size_t)(to->deposits - sorted) + to->n++] = f->deposits.v[i];
    }
    vec_fini(&f->deposits);
    f->deposits.v = sorted;
    f->deposits.n = f->deposits.cap = n;
}

static int read_accounts(struct am *am, struct facts *f, struct err *err)
{
    const struct ledger_which all = {0}, live = {.live = true};

    if (ledger_accounts(am->store, &all, on_account, f, err) < 0
        || ledger_deposits(am->store, &live, on_deposit, f, err) < 0)
        return -1;
    sort_deposits(f);
    return 0;
}

static int read_runs(struct am *am, struct facts *f, struct err *err)
{
    const struct ledger_which open = {.open = true};
    size_t before = 0, first = f->runs.n;

    if (ledger_runs(am->store, &open, on_run, f, err) < 0)
        return -1;
    for (size_t i = first; i < f->runs.n; i++) {
        before = f->liens.n;
        if (ledger_liens(am->store, f->runs.v[i].run, on_lien, f, err) < 0)
            return -1;
        f->runs.v[i].n = f->liens.n - before;
        f->runs.v[i].account = name_of_account(f, f->payers.v[i - first]);
    }
    before = 0;
    for (size_t i = first; i < f->runs.n; i++) {
        f->runs.v[i].liens = f->liens.v + before;
        before += f->runs.v[i].n;
    }
    return 0;
}

static int on_known_run(void *arg, const struct ledger_run *row)
{
    (void)row;
    *(bool *)arg = true;
    return 1;
}

static struct funds_run *find_run(struct facts *f, const char *run)
{
    for (size_t i = 0; i < f->runs.n; i++)
        if (strcmp(f->runs.v[i].run, run) == 0)
            return &f->runs.v[i];
    return NULL;
}

/* Runs of reservations go on with what was noted; those that were never debited are not
 * in the ledger yet. One that is over there is over. */
static int read_rents(struct server *s, struct facts *f, struct err *err)
{
    char *text = NULL;
    const char *run;
    json_t *rent;

    if (store_get(s->store, "bank", "rents", &text, err) < 0)
        return -1;
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    free(s->bank.teller->rents);
    s->bank.teller->rents = text;
    json_object_foreach(all, run, rent)
    {
        const char *job = json_string_value(json_object_get(rent, "job"));
        const char *account = json_string_value(json_object_get(rent, "account"));
        int64_t cost = json_integer_value(json_object_get(rent, "cost"));
        struct ledger_which of = {.run = run};
        struct funds_run *open = find_run(f, run);
        bool known = false;
        if (!open && job && account && cost > 0
            && ledger_runs(s->store, &of, on_known_run, &known, err) >= 0 && !known)
            vec_push(&f->runs, ((struct funds_run){.run = hold_text(f, run),
                                   .job = hold_text(f, job),
                                   .account = hold_text(f, account),
                                   .noted = cost}));
        else if (open)
            open->noted = cost;
    }
    json_decref(all);
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

struct quote_reader {
    struct facts *f;
    const struct funds *known; /* left out are those of which it knows; NULL = none */
};

static int on_quote(void *arg, const struct ledger_quote *row)
{
    struct quote_reader *q = arg;
    const char *account = name_of_account(q->f, row->account);
    const struct funds_quote *old = q->known ? funds_quote(q->known, row->id) : NULL;

    if (account
        && !(old && old->uses == row->uses && same_text(old->users, row->users)))
        vec_push(&q->f->quotes, ((struct funds_quote){.number = row->id,
                                    .account = account,
                                    .rates = hold_text(q->f, row->rates),
                                    .until_at = row->until_at,
                                    .uses = row->uses,
                                    .job = hold_text(q->f, row->job),
                                    .users = hold_text(q->f, row->users)}));
    return 0;
}

/* Those that have not expired: later runs of jobs that used them have their rates too.
 * Accounts have been read. */
static int read_quotes(struct server *s, struct am *am, const struct funds *known,
    struct facts *f, struct err *err)
{
    const struct ledger_which good = {.kept_at = world_now(s)};
    struct quote_reader q = {f, known};

    return ledger_quotes(am->store, &good, on_quote, &q, err) < 0 ? -1 : 0;
}

static int64_t kept_number(struct server *s, const char *key)
{
    char *text = NULL;
    int64_t n = 0;
    struct err err;

    if (store_get(s->store, "bank", key, &text, &err) < 0)
        log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
    else if (text)
        n = strtoll(text, NULL, 10);
    free(text);
    return n;
}

static void tell_facts(struct server *s, const struct funds_facts *facts)
{
    struct event ev = {.kind = EVENT_FUNDS, .u.funds = *facts};
    struct err err = {0};

    if (world_apply(s, &ev, NULL, &err) < 0)
        log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
}

/* ---- what changed --------------------------------------------------------------- */

static bool same_deposit(const struct funds_deposit *a, const struct funds_deposit *b)
{
    return a->id == b->id && a->from_at == b->from_at && a->to_at == b->to_at
           && a->balance == b->balance && a->credit_limit == b->credit_limit
           && a->held == b->held && same_text(a->only, b->only);
}

static bool same_account(const struct funds_account *a, const struct funds_account *b)
{
    bool same = same_text(a->parent, b->parent) && a->overflow == b->overflow
                && a->closed == b->closed && same_text(a->only, b->only)
                && a->n == b->n;

    for (size_t i = 0; same && i < a->n; i++)
        same = same_deposit(&a->deposits[i], &b->deposits[i]);
    return same;
}

/* Those accounts of which the engine has another picture; and quotes, where somebody
 * has asked for something: they change by that and by the engine's own moves alone. */
static void tell_changes(struct server *s, bool quotes)
{
    struct am *am = teller_ledger(s);
    const struct funds *f = engine_cluster(s->engine)->funds;
    struct facts all = {0};
    struct VEC(struct funds_account) told = {0};
    struct err err = {0};

    if (!am || !f || store_is_spoiled(s->store)) /* what was moved is not in it */
        return;
    if (read_accounts(am, &all, &err) < 0
        || (quotes && read_quotes(s, am, f, &all, &err) < 0))
        log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
    for (size_t i = 0; !err.code && i < all.accounts.n; i++) {
        uint32_t known = funds_account(f, all.accounts.v[i].name);
        struct funds_account now = known == FUNDS_NONE ? (struct funds_account){0}
                                                       : funds_account_now(f, known);
        if (known == FUNDS_NONE || !same_account(&all.accounts.v[i], &now))
            vec_push(&told, all.accounts.v[i]);
    }
    if (!err.code && (told.n || all.quotes.n))
        tell_facts(s, &(struct funds_facts){.accounts = told.v,
                          .n = told.n,
                          .quotes = all.quotes.v,
                          .nquotes = all.quotes.n});
    vec_fini(&told);
    facts_fini(&all);
}

/* ---- when the bank comes into force ------------------------------------------------
 */

static bool is_open(const struct server *s)
{
    return teller_is_open(s) || desk_is_open(s);
}

static void add_run(void *arg, const struct funds_run *run)
{
    struct facts *f = arg;

    vec_push(&f->runs, *run);
}

/* The engine has no picture yet. Runs that were open are told of both banks: each ends
 * with the one that it began with. */
static void tell_all(struct server *s)
{
    struct am *am = &s->bank.teller->am;
    struct facts f = {0};
    struct err err = {0};
    json_t *notes = NULL;

    unsaved_tell(s->unsaved);
    desk_each_run(s, add_run, &f);
    if (read_accounts(am, &f, &err) < 0 || read_runs(am, &f, &err) < 0
        || read_rents(s, &f, &err) < 0 || read_quotes(s, am, NULL, &f, &err) < 0
        || !(notes = leavers_recall(s, f.runs.v, f.runs.n, &err)))
        log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
    else
        tell_facts(s, &(struct funds_facts){.accounts = f.accounts.v,
                          .n = f.accounts.n,
                          .runs = f.runs.v,
                          .nruns = f.runs.n,
                          .quotes = f.quotes.v,
                          .nquotes = f.quotes.n,
                          .runs_ever = (uint64_t)kept_number(s, "runs")});
    json_decref(notes);
    facts_fini(&f);
}

int64_t teller_seen_at(const struct server *s)
{
    return s->bank.teller ? s->bank.teller->seen_at : 0;
}

void teller_recall(struct server *s)
{
    bool open = is_open(s), again = open && engine_cluster(s->engine)->funds;

    if (!s->bank.teller) /* settings are read before it opens */
        return;
    if (again)
        tell_changes(s, true);
    if (!open || (again && s->bank.teller->recalled)) {
        s->bank.teller->recalled = open;
        return;
    }
    if (!again)
        tell_all(s);
    s->bank.teller->seen_at = kept_number(s, "seen");
    s->bank.teller->recalled = s->bank.teller->strangers = true;
    if (whole_is_restored(s)) /* the settings have changed: who runs is known already */
        teller_jobs_are_known(s);
}

static int on_ended(void *arg, const struct store_account *row)
{
    struct funds_end *end = arg;

    if (row->start_at <= 0 || row->end_at < row->start_at)
        return 0; /* it could not be found, and that is all that is known */
    end->at = row->end_at;
    end->success = strcmp(row->state, job_state_name(JOB_COMPLETED)) == 0;
    return 1;
}

/* Of runs whose jobs are not there any more: have those been recorded as ended since?
 */
static void find_ends(struct server *s, struct facts *f)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct err err = {0};

    for (uint32_t i = funds_next_run(c->funds, 0); i != FUNDS_NONE;
         i = funds_next_run(c->funds, i + 1)) {
        const struct job *j = job_find(c, funds_run_job(c->funds, i));
        struct funds_end end = {.run = funds_run_name(c->funds, i)};
        struct store_account_filter of = {
            .job = funds_run_job(c->funds, i), .from_at = funds_run_since(c->funds, i)};
        if (!funds_is_strange(c->funds, i)
            || (j && job_has_begun((enum job_state)j->state)))
            continue;
        int found = store_account_each(s->store, &of, on_ended, &end, &err);
        if (found < 0)
            log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
        else if (found > 0)
            vec_push(&f->ends, end);
    }
}

void teller_jobs_are_known(struct server *s)
{
    struct facts f = {0};

    if (!is_open(s) || !s->bank.teller->strangers || !managers_all_synced(s))
        return; /* jobs of one that is out of reach may run for all that is known */
    s->bank.teller->strangers = false;
    desk_jobs_are_known(s);
    find_ends(s, &f);
    tell_facts(s, &(struct funds_facts){.known = true,
                      .seen_at = s->bank.teller->seen_at,
                      .ends = f.ends.v,
                      .nends = f.ends.n});
    facts_fini(&f);
    leavers_jobs_are_known(s);
}

/* ---- requests and the clock -------------------------------------------------------
 */

int teller_do(struct server *s, struct unsaved_step step, struct err *err)
{
    int result = unsaved_now(s->unsaved, step, err);

    if (result == AM_DONE) {
        commit_want(s);
        tell_changes(s, true);
    }
    return result;
}

/* Of a manager that is away nobody sees who still runs. */
static void note_seen(struct server *s)
{
    int64_t now = world_now(s), since = now - s->bank.teller->noted_at;

    if ((since >= 0 && since < TICK_S) || !managers_all_answer(s))
        return;
    s->bank.teller->noted_at = now;
    keep_number(s, "seen", (uint64_t)now);
}

void teller_rest(struct server *s)
{
    if (teller_is_open(s) && s->unsaved && s->engine
        && engine_cluster(s->engine)->funds)
        note_rents(s);
}

void teller_look(struct server *s)
{
    int64_t now = world_now(s);
    int64_t rented = teller_is_open(s) ? now - s->bank.teller->rented_at : 0;
    struct err err = {0};

    int64_t since = teller_is_open(s) ? now - s->bank.teller->ticked_at : 0;

    if (is_open(s))
        note_seen(s);
    if (teller_is_open(s) && (rented < 0 || rented >= RENT_S))
        teller_rest(s);
    if (!teller_is_open(s) || (since >= 0 && since < TICK_S)) /* < 0: a clock was set */
        return;
    s->bank.teller->ticked_at = now;
    if (am_tick(teller_ledger(s), now, &err) < 0)
        log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
    tell_changes(s, s->bank.teller->odd_quote);
    s->bank.teller->odd_quote = false;
}
