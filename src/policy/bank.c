/* SPDX-License-Identifier: Apache-2.0
 * See bank.h. */
#include "policy/bank.h"

#include "cluster/jobnodes.h"
#include "cluster/node.h"
#include "config/settings.h"
#include "funds/amount.h"
#include "funds/price.h"
#include "policy/overrun.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AMOUNTS_MAX  32 /* kinds of resources that a job is charged for */
#define TIME_FACTOR  "time"
#define NODES_FACTOR "nodes"

bool bank_in_force(const struct cluster *c)
{
    return c->funds && c->cfg->bank.type != BANK_NONE
           && c->cfg->bank.type != BANK_UNKNOWN;
}

bool bank_is_elsewhere(const struct cluster *c)
{
    return bank_in_force(c) && c->cfg->bank.type != BANK_BUILTIN;
}

static const char *name_of(
    const struct cluster *c, const struct job *j, enum cred_kind kind)
{
    return j->cred[kind] ? job_cred(c, j, kind)->name : NULL;
}

struct am_use bank_use(const struct cluster *c, const struct job *j)
{
    return (struct am_use){.user = name_of(c, j, CRED_USER),
        .group = name_of(c, j, CRED_GROUP),
        .class = name_of(c, j, CRED_CLASS),
        .qos = name_of(c, j, CRED_QOS)};
}

void bank_hide_words(const char *text, char *ret, size_t size)
{
    static const char *const begins[] = {BANK_REFUSES ": ", BANK_SILENT ": "};
    size_t len = strlen(text);

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            len = strlen(begins[i]) - 2;
    snprintf(ret, size, "%.*s", (int)len, text);
}

const char *bank_account_name(const struct cluster *c, const struct job *j)
{
    const char *name = name_of(c, j, CRED_ACCOUNT);

    return name ? name : "-";
}

uint32_t bank_account(const struct cluster *c, const struct job *j)
{
    return funds_account(c->funds, name_of(c, j, CRED_ACCOUNT));
}

/* ---- prices --------------------------------------------------------------------- */

struct amounts {
    struct price_amount v[AMOUNTS_MAX];
    size_t n;
};

static bool has_rate(const struct cluster *c, const char *name)
{
    const struct price_rates *rates = &c->cfg->bank.rates;

    for (size_t i = 0; i < rates->n; i++)
        if (strcasecmp(rates->v[i].name, name) == 0)
            return true;
    return false;
}

static void add_amount(struct amounts *a, const char *name, int64_t amount)
{
    if (amount > 0 && a->n < AMOUNTS_MAX)
        a->v[a->n++] = (struct price_amount){name, amount};
}

static int64_t nodes_of(const struct job *j)
{
    int64_t n = job_has_begun((enum job_state)j->state) ? job_node_count(j) : 0;

    return n ? n : j->nodes;
}

/* Generic resources that have a rate. */
static void add_gres(const struct cluster *c, const struct job *j, struct amounts *ret)
{
    const struct price_rates *rates = &c->cfg->bank.rates;

    for (size_t i = 0; i < rates->n; i++) {
        uint32_t id = names_find(c->gres, rates->v[i].name);
        if (id != NAME_NONE)
            add_amount(ret, rates->v[i].name, gres_of_job(j, id));
    }
}

static unsigned charged_for(const struct cluster *c)
{
    return (unsigned)c->cfg->bank.charge & ~(unsigned)CHARGE_SUCCESSFUL;
}

static void add_procs(const struct cluster *c, const struct job *j, struct amounts *ret)
{
    bool by_pe = charged_for(c) == CHARGE_PE && j->pe > j->procs;

    add_amount(ret, "PROCS", by_pe ? (int64_t)ceil(j->pe) : j->procs);
}

/* All but processors. */
static void collect_amounts(
    const struct cluster *c, const struct job *j, struct amounts *ret)
{
    if (has_rate(c, "NODES"))
        add_amount(ret, "NODES", nodes_of(j));
    if (has_rate(c, "MEM"))
        add_amount(ret, "MEM", j->mem_mb);
    if (c->cfg->bank.rates.n)
        add_gres(c, j, ret);
}

/* "QOS:premium": for the text of a charge. */
#define FACTOR_TEXT 80
#define FACTORS_MAX 8
struct factors {
    char names[FACTORS_MAX][FACTOR_TEXT];
    struct price_factor v[FACTORS_MAX];
    size_t n;
};

static const struct price_rates *rate_of(const struct cred *k)
{
    return k->cfg->charge_rate.n ? &k->cfg->charge_rate : &k->def->charge_rate;
}

static int64_t factor_of(const struct cred *k)
{
    return rate_of(k)->n ? rate_of(k)->v[0].rate : PRICE_ONE;
}

bool bank_qos_is_cheaper(const struct cluster *c, const struct job *j, const char *qos)
{
    const struct cred *k = cred_find(c, CRED_QOS, qos);

    return k && bank_in_force(c) && factor_of(k) < factor_of(job_cred(c, j, CRED_QOS));
}

/* In place of the one of that name. */
static void add_factor(struct factors *f, const char *name, int64_t factor)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->names[i], name) == 0) {
            f->v[i].factor = factor;
            return;
        }
    if (f->n == FACTORS_MAX)
        return;
    snprintf(f->names[f->n], FACTOR_TEXT, "%s", name);
    f->v[f->n] = (struct price_factor){f->names[f->n], factor};
    f->n++;
}

/* Processors on each node of a piece. */
static int64_t procs_each(const struct job *j, const struct alloc *a)
{
    int64_t procs = req_def(&j->reqs[a->req])->per_task.v[RES_PROCS];

    return (procs > 0 ? procs : 1) * (a->tasks ? a->tasks : 1);
}

/* By the processors that the job has on each. Whole parts and rests are summed up
 * apart, so that no sum is beyond what can be counted. */
static int64_t mean_of_nodes(const struct cluster *c, const struct job *j)
{
    int64_t all = 0, wholes = 0, rests = 0;

    for (size_t i = 0; i < j->alloc.n; i++)
        all += procs_each(j, &j->alloc.v[i]) * j->alloc.v[i].count;
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t k = 0; k < a->count; k++) {
            int64_t rate = node_at(c, a->first + k)->charge_rate;
            wholes += rate / all * procs_each(j, a);
            rests += rate % all * procs_each(j, a);
        }
    }
    return all ? wholes + (rests + all / 2) / all : PRICE_ONE;
}

static void add_node_factor(
    const struct cluster *c, const struct job *j, struct factors *ret)
{
    int64_t most = c->cfg->bank.node_most;

    if (most == 0)
        return; /* no node has a rate of its own */
    add_factor(ret, NODES_FACTOR,
        job_has_begun((enum job_state)j->state) && j->alloc.n ? mean_of_nodes(c, j)
                                                              : most);
}

static const struct {
    enum cred_kind kind;
    const char *word;
} factor_kinds[] = {{CRED_QOS, "QOS"}, {CRED_CLASS, "class"}, {CRED_ACCOUNT, "account"},
    {CRED_USER, "user"}};
#define FACTOR_KINDS (sizeof factor_kinds / sizeof *factor_kinds)

static void name_factor(
    const struct cluster *c, const struct job *j, size_t kind, char *ret)
{
    snprintf(ret, FACTOR_TEXT, "%s:%.60s", factor_kinds[kind].word,
        job_cred(c, j, factor_kinds[kind].kind)->name);
}

/* `all`: those of 1 too, by which a quote knows for whom it is. */
static void collect_of_job(
    const struct cluster *c, const struct job *j, bool all, struct factors *ret)
{
    char name[FACTOR_TEXT];

    ret->n = 0;
    for (size_t i = 0; i < FACTOR_KINDS; i++) {
        bool rated = factor_kinds[i].kind != CRED_USER
                     && rate_of(job_cred(c, j, factor_kinds[i].kind))->n;
        if (!rated && !all)
            continue;
        name_factor(c, j, i, name);
        add_factor(ret, name,
            rated ? factor_of(job_cred(c, j, factor_kinds[i].kind)) : PRICE_ONE);
    }
    add_node_factor(c, j, ret);
}

/* By the time of its start, where all of a run is charged so. */
static void add_time_factor(
    const struct cluster *c, const struct job *j, int64_t now, struct factors *ret)
{
    bool begun = job_has_begun((enum job_state)j->state);

    if (c->week && c->cfg->bank.rates_at == RATES_AT_START)
        add_factor(ret, TIME_FACTOR, week_factor(c->week, begun ? j->start_at : now));
}

static void collect_factors(
    const struct cluster *c, const struct job *j, int64_t now, struct factors *ret)
{
    collect_of_job(c, j, false, ret);
    add_time_factor(c, j, now, ret);
}

/* ---- tariffs: rates and factors as text ------------------------------------------ */

static const struct price_rate plain_rate = {(char *)"PROCS", PRICE_ONE};
static const struct price_rates plain = {(struct price_rate *)&plain_rate, 1, 1};

static const struct price_rates *rates_now(const struct cluster *c)
{
    return c->cfg->bank.rates.n ? &c->cfg->bank.rates : &plain;
}

/* Behind the rates; "PROCS:1;" has none. */
static void write_factors(struct strbuf *text, const struct factors *f)
{
    for (size_t i = 0; i < f->n; i++)
        strbuf_printf(text, "%s%s=%lld.%06lld",
            text->len && text->text[text->len - 1] != ';' ? ";" : "", f->v[i].name,
            (long long)(f->v[i].factor / PRICE_ONE),
            (long long)(f->v[i].factor % PRICE_ONE));
}

static char *write_tariff(const struct cluster *c, const struct factors *f)
{
    char *rates = price_rates_text(rates_now(c));
    struct strbuf text = {0};

    strbuf_printf(&text, "%s;", rates);
    write_factors(&text, f);
    free(rates);
    return strbuf_take(&text);
}

char *bank_quote_tariff(const struct cluster *c, const struct job *j, const char *user)
{
    struct factors f;

    collect_of_job(c, j, true, &f);
    for (size_t i = 0; i < f.n; i++)
        if (strncmp(f.names[i], "user:", 5) == 0)
            snprintf(f.names[i], FACTOR_TEXT, "user:%.60s", user);
    return write_tariff(c, &f);
}

/* "QOS:premium=2.000000"; what is none is left out. */
static void read_factor(const char *text, size_t len, struct factors *ret)
{
    struct price_rates one = {0};
    struct strbuf number = {0};
    char name[FACTOR_TEXT];
    size_t is = len;
    struct err err;

    while (is > 0 && text[is] != '=')
        is--;
    if (is == 0)
        return;
    snprintf(name, sizeof name, "%.*s", (int)is, text);
    strbuf_printf(&number, "x:%.*s", (int)(len - is - 1), text + is + 1);
    if (price_rates_parse(number.text, &one, &err) == 0)
        add_factor(ret, name, one.v[0].rate);
    price_rates_fini(&one);
    free(strbuf_take(&number));
}

/* False: it is none (an older release wrote the rates alone). `rates` is owned. */
static bool read_tariff(
    const char *tariff, struct price_rates *rates, struct factors *factors)
{
    const char *rest = tariff ? strchr(tariff, ';') : NULL;
    struct err err;
    char *head;
    int status;

    factors->n = 0;
    if (!rest)
        return false;
    head = xstrndup(tariff, (size_t)(rest - tariff));
    status = price_rates_parse(head, rates, &err);
    free(head);
    for (rest++; status == 0 && *rest; rest += *rest == ';') {
        size_t len = strcspn(rest, ";");
        read_factor(rest, len, factors);
        rest += len;
    }
    return status == 0;
}

/* ---- quotes ---------------------------------------------------------------------- */

/* Is the job as the one that the quote is for? Other factors are no conditions. */
static bool meets_conditions(
    const struct cluster *c, const struct job *j, const char *rates)
{
    struct price_rates ignored = {0};
    struct factors f;
    bool meets = read_tariff(rates, &ignored, &f);
    char name[FACTOR_TEXT];

    price_rates_fini(&ignored);
    for (size_t i = 0; meets && i < f.n; i++)
        for (size_t k = 0; k < FACTOR_KINDS; k++) {
            size_t word = strlen(factor_kinds[k].word);
            if (strncmp(f.names[i], factor_kinds[k].word, word) != 0
                || f.names[i][word] != ':')
                continue;
            name_factor(c, j, k, name);
            meets = meets && strcmp(name, f.names[i]) == 0;
        }
    return meets;
}

/* Its rates; NULL = it names none, or one that is of no use to it. */
static const char *find_quoted(
    const struct cluster *c, const struct job *j, int64_t now)
{
    int64_t number = bank_quote_of(j);
    const struct funds_quote *q;

    if (!number || !c->funds)
        return NULL;
    q = funds_quote(c->funds, number);
    return q && (q->uses > 0 || funds_has_user(q->users, j->id)) && now < q->until_at
                   && funds_account(c->funds, q->account) == bank_account(c, j)
                   && (!q->job || strcmp(q->job, j->id) == 0)
                   && meets_conditions(c, j, q->rates)
               ? q->rates
               : NULL;
}

bool bank_has_quote(const struct cluster *c, const struct job *j, int64_t now)
{
    return find_quoted(c, j, now) != NULL;
}

/* A quote is for the dearest node that there is: on others the run costs less. What is
 * written behind the quote counts in place of what it says. */
static void add_cheaper_nodes(const struct cluster *c, const struct job *j,
    const char *quoted, struct factors *ret)
{
    struct price_rates ignored = {0};
    int64_t promised = PRICE_ONE, mean = mean_of_nodes(c, j);
    struct factors f;

    read_tariff(quoted, &ignored, &f);
    price_rates_fini(&ignored);
    for (size_t i = 0; i < f.n; i++)
        if (strcmp(f.names[i], NODES_FACTOR) == 0)
            promised = f.v[i].factor;
    if (mean < promised)
        add_factor(ret, NODES_FACTOR, mean);
}

char *bank_tariff(const struct cluster *c, const struct job *j)
{
    const char *quoted = find_quoted(c, j, j->start_at);
    struct factors f = {.n = 0};
    struct strbuf text = {0};

    if (!quoted)
        collect_of_job(c, j, false, &f);
    else if (c->cfg->bank.node_most && j->alloc.n)
        add_cheaper_nodes(c, j, quoted, &f);
    add_time_factor(c, j, j->start_at, &f);
    if (!quoted)
        return write_tariff(c, &f);
    strbuf_add(&text, quoted);
    write_factors(&text, &f);
    return strbuf_take(&text);
}

/* ---- times ----------------------------------------------------------------------- */

/* Is each piece of the run charged by its own time of day? */
static bool is_weighed(const struct cluster *c, const char *tariff)
{
    return c->week && c->cfg->bank.rates_at == RATES_AT_USE
           && !(tariff && strstr(tariff, ";" TIME_FACTOR "="));
}

bool bank_price_drifts(const struct cluster *c)
{
    return bank_in_force(c) && is_weighed(c, NULL);
}

int64_t bank_next_price(const struct cluster *c, int64_t now)
{
    int64_t next = bank_in_force(c) && c->week ? week_next(c->week, now) : TIME_NEVER;

    return next < TIME_NEVER ? next : TIME_NEVER;
}

/* What it was on its nodes until then. Of suspensions that nobody saw (before a
 * restart) it is not known when they were: they count by the mean of its time. */
static int64_t weigh_past(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t until)
{
    int64_t weight = week_weigh(c->week, j->start_at, until) - run->slept_weight;
    int64_t span = until - j->start_at - run->slept_s;
    int64_t unseen = j->suspended_s - run->slept_s;

    if (span <= 0 || weight <= 0)
        return 0;
    if (unseen > 0)
        weight = unseen < span ? price_share(weight, span - unseen, span) : 0;
    return weight;
}

/* What is asked for: seconds, and what they weigh. */
struct spell {
    int64_t seconds, weight;
    bool weighed;
};

/* From an instant on. */
static struct spell spell_of(
    const struct cluster *c, const char *tariff, int64_t from, int64_t seconds)
{
    struct spell s = {.seconds = seconds, .weighed = is_weighed(c, tariff)};

    if (s.weighed)
        s.weight = week_weigh(c->week, from, time_add(from, seconds));
    return s;
}

/* So many of its seconds, by the mean of what all of them weigh. */
static struct spell mean_spell(const struct spell *of, int64_t seconds)
{
    struct spell s = *of;

    s.seconds = seconds;
    if (of->seconds > 0)
        s.weight = price_share(of->weight, seconds, of->seconds);
    return s;
}

/* A price beyond what can be counted is the largest. */
static int64_t price(const struct cluster *c, const struct job *j, const char *tariff,
    const struct amounts *a, const struct spell *spell, int64_t now,
    struct strbuf *text)
{
    struct price_rates then = {0};
    struct factors factors;
    struct price_ask ask = {.amounts = a->v,
        .namounts = a->n,
        .seconds = spell->seconds,
        .weighed = spell->weighed,
        .weight = spell->weight};
    bool fixed = read_tariff(tariff, &then, &factors);
    int64_t ret;
    struct err err;

    if (!fixed)
        collect_factors(c, j, now, &factors);
    else if (!job_has_begun((enum job_state)j->state))
        add_time_factor(
            c, j, now, &factors); /* a quote's rates: its time comes at the start */
    ask.factors = factors.v;
    ask.nfactors = factors.n;
    if (price_of(fixed ? &then : rates_now(c), &ask, &ret, text, &err) < 0)
        ret = AM_LARGEST;
    price_rates_fini(&then);
    return ret;
}

static int64_t limit_of(const struct job *j)
{
    return j->eff_wclimit_s > 0 ? j->eff_wclimit_s : j->wclimit_s;
}

int64_t bank_grace(const struct cluster *c, const struct job *j)
{
    int64_t overrun_s = overrun_of(c, j);

    return charged_for(c) == CHARGE_REQUESTED || overrun_s <= 0
                   || overrun_s >= DURATION_UNLIMITED
               ? 0
               : overrun_s;
}

/* What it was on its nodes, and what it may still be: while it is suspended it is not
 * there. */
static struct spell whole_spell(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t limit_s, int64_t now)
{
    bool sleeps = j->state == JOB_SUSPENDED && j->suspend_at;
    int64_t until = sleeps ? j->suspend_at : now;
    struct spell past = {0}, rest;

    if (!is_weighed(c, run->tariff))
        return (struct spell){.seconds = limit_s};
    if (job_has_begun((enum job_state)j->state)) {
        past.seconds = until - j->start_at - j->suspended_s;
        past.weight = weigh_past(c, j, run, until);
    }
    past.seconds = past.seconds < 0 ? 0 : past.seconds;
    rest = spell_of(
        c, run->tariff, now, limit_s > past.seconds ? limit_s - past.seconds : 0);
    rest.seconds = limit_s;
    if (__builtin_add_overflow(rest.weight, past.weight, &rest.weight))
        rest.weight = INT64_MAX;
    return rest;
}

int64_t bank_most(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t now)
{
    const struct bank_run none = {.tariff = run ? NULL : find_quoted(c, j, now)};
    struct amounts a = {.n = 0};
    int64_t limit_s = time_add(limit_of(j), bank_grace(c, j));
    struct spell spell;

    run = run ? run : &none;
    if (limit_s >= DURATION_UNLIMITED)
        return AM_LARGEST;
    add_procs(c, j, &a);
    collect_amounts(c, j, &a);
    spell = whole_spell(c, j, run, limit_s, now);
    return price(c, j, run->tariff, &a, &spell, now, NULL);
}

/* Processor seconds used, at most those that were its own; -1 = not known. */
static int64_t cpu_used(const struct job *j, int64_t seconds)
{
    int64_t used = j->util_known ? llround(j->util_procs * (double)seconds) : -1;

    return used > j->procs * seconds ? j->procs * seconds : used;
}

/* At least a second. */
static struct spell used_spell(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t until)
{
    struct spell s = {.seconds = until - j->start_at - j->suspended_s,
        .weighed = is_weighed(c, run->tariff)};

    if (charged_for(c) == CHARGE_REQUESTED && limit_of(j) < DURATION_UNLIMITED)
        return spell_of(c, run->tariff, j->start_at, limit_of(j));
    if (s.seconds <= 0)
        return spell_of(c, run->tariff, j->start_at, 1);
    if (s.weighed)
        s.weight = weigh_past(c, j, run, until);
    return s;
}

int64_t bank_cost(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t until, struct strbuf *text)
{
    struct amounts cpu = {.n = 0}, a = {.n = 0};
    struct spell all = used_spell(c, j, run, until), one = mean_spell(&all, 1);
    int64_t used;

    used = charged_for(c) == CHARGE_CPU ? cpu_used(j, all.seconds) : -1;
    if (used < 0)
        add_procs(c, j, &a);
    else
        add_amount(&cpu, "PROCS", used);
    collect_amounts(c, j, &a);
    used = used < 0 ? 0 : price(c, j, run->tariff, &cpu, &one, until, text);
    return used + price(c, j, run->tariff, &a, &all, until, text);
}

/* ---- reservations -----------------------------------------------------------------
 */

/* By the processors of the nodes that it holds; see mean_of_nodes(). */
static int64_t mean_of_held(const struct cluster *c, const struct reservation *r)
{
    int64_t all = 0, wholes = 0, rests = 0;

    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            all += node_at(c, r->alloc.v[i].first + k)->cfg.v[RES_PROCS];
    for (size_t i = 0; all && i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            const struct node *n = node_at(c, r->alloc.v[i].first + k);
            wholes += n->charge_rate / all * n->cfg.v[RES_PROCS];
            rests += n->charge_rate % all * n->cfg.v[RES_PROCS];
        }
    return all ? wholes + (rests + all / 2) / all : PRICE_ONE;
}

bool bank_rent(const struct cluster *c, const struct reservation *r, uint32_t account,
    int64_t idle_ps, int64_t at, int64_t *ret)
{
    const struct price_amount amount = {"PROCS", idle_ps};
    struct price_ask ask = {.amounts = &amount, .namounts = 1, .seconds = 1};
    struct factors f = {.n = 0};
    struct err err;

    add_factor(&f, "account", factor_of(c->creds[CRED_ACCOUNT].v[account]));
    if (c->cfg->bank.node_most)
        add_factor(&f, NODES_FACTOR, mean_of_held(c, r));
    if (c->week)
        add_factor(&f, TIME_FACTOR, week_factor(c->week, at));
    ask.factors = f.v;
    ask.nfactors = f.n;
    return price_of(rates_now(c), &ask, ret, NULL, &err) == 0;
}

/* ---- may it start? -------------------------------------------------------------- */

static enum funds_lack lack_of(enum funds_answer answer)
{
    switch (answer) {
    case FUNDS_CLOSED:
        return LACK_OPEN;
    case FUNDS_FORBIDDEN:
        return LACK_PERMISSION;
    case FUNDS_UNUSABLE:
        return LACK_DEPOSIT;
    case FUNDS_SHORT:
    case FUNDS_ENOUGH:
        break;
    }
    return LACK_CREDITS;
}

void bank_say_lack(const struct job *j, uint8_t lack, int64_t asked,
    const struct funds_left *left, struct reason *ret)
{
    ret->code = WAIT_FUNDS;
    ret->lack = lack;
    ret->kind = CRED_ACCOUNT;
    ret->object = j->cred[CRED_ACCOUNT];
    ret->asked = asked;
    ret->used = left->held;
    ret->limit = left->available + left->held;
}

bool bank_refuses_to(const struct cluster *c, const struct job *j,
    const struct am_use *use, int64_t now, struct reason *ret)
{
    uint32_t account = bank_account(c, j);
    int64_t most = bank_most(c, j, NULL, now);
    struct funds_left left = {0};
    enum funds_answer answer = FUNDS_SHORT;
    uint8_t lack = j->cred[CRED_ACCOUNT] ? LACK_KNOWN : LACK_ACCOUNT;

    if (bank_is_elsewhere(c))
        return false;
    if (account != FUNDS_NONE) {
        answer = funds_ask(c->funds, account, use, now, most, &left);
        lack = (uint8_t)lack_of(answer);
    }
    if (answer == FUNDS_ENOUGH)
        return false;
    bank_say_lack(j, lack, most, &left, ret);
    return true;
}

bool bank_refuses(
    const struct cluster *c, const struct job *j, int64_t now, struct reason *ret)
{
    const struct am_use use = bank_use(c, j);

    return bank_refuses_to(c, j, &use, now, ret);
}
