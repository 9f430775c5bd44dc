/* SPDX-License-Identifier: Apache-2.0
 * See bank.h. */
#include "policy/bank.h"

#include "cluster/job.h"
#include "cluster/node.h"
#include "funds/amount.h"
#include "funds/price.h"
#include "policy/overrun.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AMOUNTS_MAX 32 /* kinds of resources that a job is charged for */

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
    int64_t n = 0;

    for (size_t i = 0; i < j->alloc.n && job_has_begun((enum job_state)j->state); i++)
        n += j->alloc.v[i].count;
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

static void add_factor(struct factors *f, const char *name, int64_t factor)
{
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
    add_factor(ret, "nodes",
        job_has_begun((enum job_state)j->state) && j->alloc.n ? mean_of_nodes(c, j)
                                                              : most);
}

static void collect_factors(
    const struct cluster *c, const struct job *j, struct factors *ret)
{
    static const struct {
        enum cred_kind kind;
        const char *word;
    } kinds[] = {{CRED_QOS, "QOS"}, {CRED_CLASS, "class"}, {CRED_ACCOUNT, "account"}};

    ret->n = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct cred *k = job_cred(c, j, kinds[i].kind);
        const struct price_rates *rate = rate_of(k);
        char name[FACTOR_TEXT];
        if (!rate->n)
            continue;
        snprintf(name, sizeof name, "%s:%.60s", kinds[i].word, k->name);
        add_factor(ret, name, rate->v[0].rate);
    }
    add_node_factor(c, j, ret);
}

/* ---- tariffs: rates and factors as text ------------------------------------------ */

static const struct price_rate plain_rate = {(char *)"PROCS", PRICE_ONE};
static const struct price_rates plain = {(struct price_rate *)&plain_rate, 1, 1};

static const struct price_rates *rates_now(const struct cluster *c)
{
    return c->cfg->bank.rates.n ? &c->cfg->bank.rates : &plain;
}

char *bank_tariff(const struct cluster *c, const struct job *j)
{
    char *rates = price_rates_text(rates_now(c));
    struct strbuf text = {0};
    struct factors f;

    collect_factors(c, j, &f);
    strbuf_printf(&text, "%s;", rates);
    for (size_t i = 0; i < f.n; i++)
        strbuf_printf(&text, "%s%s=%lld.%06lld", i ? ";" : "", f.v[i].name,
            (long long)(f.v[i].factor / PRICE_ONE),
            (long long)(f.v[i].factor % PRICE_ONE));
    free(rates);
    return strbuf_take(&text);
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

/* A price beyond what can be counted is the largest. */
static int64_t price(const struct cluster *c, const struct job *j, const char *tariff,
    const struct amounts *a, int64_t seconds, struct strbuf *text)
{
    struct price_rates then = {0};
    struct factors factors;
    struct price_ask ask = {.amounts = a->v, .namounts = a->n, .seconds = seconds};
    bool fixed = read_tariff(tariff, &then, &factors);
    int64_t ret;
    struct err err;

    if (!fixed)
        collect_factors(c, j, &factors);
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

int64_t bank_most(const struct cluster *c, const struct job *j, const char *tariff)
{
    struct amounts a = {.n = 0};
    int64_t limit_s = time_add(limit_of(j), bank_grace(c, j));

    if (limit_s >= DURATION_UNLIMITED)
        return AM_LARGEST;
    add_procs(c, j, &a);
    collect_amounts(c, j, &a);
    return price(c, j, tariff, &a, limit_s, NULL);
}

/* Processor seconds used, at most those that were its own; -1 = not known. */
static int64_t cpu_used(const struct job *j, int64_t seconds)
{
    int64_t used = j->util_known ? llround(j->util_procs * (double)seconds) : -1;

    return used > j->procs * seconds ? j->procs * seconds : used;
}

int64_t bank_cost(const struct cluster *c, const struct job *j, const char *tariff,
    int64_t until, struct strbuf *text)
{
    struct amounts cpu = {.n = 0}, a = {.n = 0};
    int64_t seconds = until - j->start_at - j->suspended_s, used;

    if (charged_for(c) == CHARGE_REQUESTED && limit_of(j) < DURATION_UNLIMITED)
        seconds = limit_of(j);
    seconds = seconds > 0 ? seconds : 1;
    used = charged_for(c) == CHARGE_CPU ? cpu_used(j, seconds) : -1;
    if (used < 0)
        add_procs(c, j, &a);
    else
        add_amount(&cpu, "PROCS", used);
    collect_amounts(c, j, &a);
    used = used < 0 ? 0 : price(c, j, tariff, &cpu, 1, text);
    return used + price(c, j, tariff, &a, seconds, text);
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

bool bank_refuses(
    const struct cluster *c, const struct job *j, int64_t now, struct reason *ret)
{
    uint32_t account = bank_account(c, j);
    const struct am_use use = bank_use(c, j);
    int64_t most = bank_most(c, j, NULL);
    struct funds_left left = {0};
    enum funds_answer answer = FUNDS_SHORT;
    uint8_t lack = j->cred[CRED_ACCOUNT] ? LACK_KNOWN : LACK_ACCOUNT;

    if (bank_is_elsewhere(c))
        return false;
    if (account != FUNDS_NONE) {
        answer = funds_ask(c->funds, account, &use, now, most, &left);
        lack = (uint8_t)lack_of(answer);
    }
    if (answer == FUNDS_ENOUGH)
        return false;
    ret->code = WAIT_FUNDS;
    ret->lack = lack;
    ret->kind = CRED_ACCOUNT;
    ret->object = j->cred[CRED_ACCOUNT];
    ret->asked = most;
    ret->used = left.held;
    ret->limit = left.available + left.held;
    return true;
}
