/* SPDX-License-Identifier: Apache-2.0
 * Coins by hand. */
#include "ledger_model.h"

/* ---- which place is the best ------------------------------------------------------
 */

/* How far above `account` the deposit's account is, -1 = it may not be used from there.
 */
static int depth_of(const struct lm *m, int account, int of)
{
    for (int depth = 0, a = account; a != 0 && !m->closed[a]; depth++) {
        if (a == of)
            return depth;
        a = m->overflow[a] ? m->parent[a] : 0;
    }
    return -1;
}

static bool is_valid(const struct lm *m, const struct lm_deposit *d, bool of_u1)
{
    return !d->ended && d->from_at <= m->now && m->now < d->to_at
           && (!d->of_u1 || of_u1);
}

static int64_t is_free(const struct lm_deposit *d)
{
    return d->coins + d->credit_limit - d->held;
}

static bool goes_first(const struct lm *m, int account, int a, int b)
{
    int x = depth_of(m, account, m->d[a].account);
    int y = depth_of(m, account, m->d[b].account);

    if (x != y)
        return x < y;
    if (m->d[a].to_at != m->d[b].to_at)
        return m->d[a].to_at < m->d[b].to_at;
    if (m->d[a].of_u1 != m->d[b].of_u1)
        return m->d[a].of_u1;
    return a < b;
}

/* The deposit that is used first; 0 = none. */
static int best(const struct lm *m, int account, bool of_u1, bool with_free)
{
    int found = 0;

    for (int i = 1; i <= m->ndeposits; i++)
        if (depth_of(m, account, m->d[i].account) >= 0 && is_valid(m, &m->d[i], of_u1)
            && (!with_free || is_free(&m->d[i]) > 0)
            && (found == 0 || goes_first(m, account, i, found)))
            found = i;
    return found;
}

int64_t lm_available(const struct lm *m, int account, bool of_u1)
{
    int64_t sum = 0;

    for (int i = 1; i <= m->ndeposits; i++)
        if (depth_of(m, account, m->d[i].account) >= 0 && is_valid(m, &m->d[i], of_u1))
            sum += is_free(&m->d[i]);
    return sum;
}

static bool is_own(const struct lm *m, int i, int account, int deposit)
{
    return m->d[i].account == account && is_valid(m, &m->d[i], true)
           && (deposit == 0 || deposit == i);
}

int64_t lm_own(const struct lm *m, int account, int deposit)
{
    int64_t sum = 0;

    for (int i = 1; i <= m->ndeposits; i++)
        if (is_own(m, i, account, deposit))
            sum += is_free(&m->d[i]);
    return sum;
}

/* Closed or not: it can be emptied. */
static int best_own(const struct lm *m, int account, int deposit)
{
    int found = 0;

    for (int i = 1; i <= m->ndeposits; i++) {
        if (!is_own(m, i, account, deposit) || is_free(&m->d[i]) <= 0)
            continue;
        if (found == 0 || m->d[i].to_at < m->d[found].to_at
            || (m->d[i].to_at == m->d[found].to_at
                && m->d[i].of_u1 > m->d[found].of_u1))
            found = i;
    }
    return found;
}

/* ---- time ------------------------------------------------------------------------ */

static void expire(struct lm *m)
{
    for (int i = 1; i <= m->ndeposits; i++)
        for (struct lm_deposit *d = &m->d[i]; d->ended && d->coins > d->held;) {
            d->coins--;
            m->expired[d->account]++;
        }
}

void lm_tick(struct lm *m, int64_t now)
{
    int64_t gone = now - m->ticked_at;
    bool even = m->ticked_at != 0 && gone >= 0 && gone <= 3600;

    m->sane_at = even ? m->sane_at : now;
    bool sane = now - m->sane_at >= 3600;
    m->now = m->ticked_at = now;
    for (int i = 1; sane && i <= m->ndeposits; i++)
        m->d[i].ended |= m->d[i].to_at <= now;
    expire(m);
}

/* ---- coins in and out -------------------------------------------------------------
 */

static void pay_debts(struct lm *m, int from)
{
    int account = m->d[from].account;

    for (int i = 1; i <= m->ndeposits; i++)
        while (m->d[i].account == account && m->d[i].ended && m->d[i].coins < 0
               && m->d[from].coins > 0) {
            m->d[i].coins++;
            m->d[from].coins--;
        }
    while (m->over[account] < 0 && m->d[from].coins > 0) {
        m->over[account]++;
        m->d[from].coins--;
    }
}

void lm_deposit(struct lm *m, struct lm_deposit d, int64_t amount, bool carry_debt)
{
    int number = ++m->ndeposits;

    m->d[number] = d;
    for (int a = 1; a < LM_ACCOUNTS; a++) {
        struct lm_deposit part = d;

        if (m->parent[a] != d.account || m->closed[a])
            continue;
        part.account = a;
        part.credit_limit = 0;
        part.coins = amount * m->share[a] / 1000000;
        if (part.coins == 0)
            continue;
        m->d[++m->ndeposits] = part;
        m->d[number].coins -= part.coins;
    }
    m->d[number].coins += amount;
    if (carry_debt)
        pay_debts(m, number);
}

bool lm_withdraw(struct lm *m, int account, int deposit, int64_t amount)
{
    if (lm_own(m, account, deposit) < amount)
        return false;
    while (amount-- > 0)
        m->d[best_own(m, account, deposit)].coins--;
    return true;
}

bool lm_transfer(struct lm *m, int from, int to, int64_t amount)
{
    int last = 0, n = m->ndeposits;

    if (lm_own(m, from, 0) < amount)
        return false;
    while (amount-- > 0) {
        int giver = best_own(m, from, 0);

        m->d[giver].coins--;
        if (giver != last)
            m->d[++n] = (struct lm_deposit){.account = to,
                .of_u1 = m->d[giver].of_u1,
                .from_at = m->d[giver].from_at,
                .to_at = m->d[giver].to_at};
        m->d[n].coins++;
        last = giver;
    }
    m->ndeposits = n;
    return true;
}

/* ---- runs -------------------------------------------------------------------------
 */

static int last_lien(const struct lm_run *r)
{
    int found = 0;

    for (int i = 1; i < LM_DEPOSITS; i++)
        if (r->lien[i] > 0 && (found == 0 || r->order[i] > r->order[found]))
            found = i;
    return found;
}

static int first_lien(const struct lm_run *r)
{
    int found = 0;

    for (int i = 1; i < LM_DEPOSITS; i++)
        if (r->lien[i] > 0 && (found == 0 || r->order[i] < r->order[found]))
            found = i;
    return found;
}

static int64_t kept(const struct lm_run *r)
{
    int64_t sum = 0;

    for (int i = 1; i < LM_DEPOSITS; i++)
        sum += r->lien[i];
    return sum;
}

static void keep(struct lm *m, struct lm_run *r, int deposit)
{
    int last = last_lien(r);

    if (r->lien[deposit]++ == 0)
        r->order[deposit] = last ? r->order[last] + 1 : 0;
    m->d[deposit].held++;
}

static void let_go(struct lm *m, struct lm_run *r, int deposit)
{
    r->lien[deposit]--;
    m->d[deposit].held--;
}

static void close_run(struct lm *m, struct lm_run *r)
{
    while (kept(r) > 0)
        let_go(m, r, last_lien(r));
    r->open = false;
    expire(m);
}

bool lm_lien(struct lm *m, int run, int account, bool of_u1, int64_t most, bool force)
{
    struct lm_run *r = &m->r[run];
    int64_t wanted = most > r->charged ? most - r->charged : 0, missing;

    if (r->known && (!r->open || r->most == most))
        return true;
    missing = wanted - kept(r);
    if (missing > 0 && !force && lm_available(m, account, of_u1) < missing)
        return false;
    for (; missing > 0 && best(m, account, of_u1, true); missing--)
        keep(m, r, best(m, account, of_u1, true));
    for (; missing < 0; missing++)
        let_go(m, r, last_lien(r));
    r->known = r->open = true;
    r->account = account;
    r->of_u1 = of_u1;
    r->most = most;
    expire(m);
    return true;
}

/* Where the next coin comes from; `last`: of the lien as it was. */
static int next_payer(const struct lm *m, const struct lm_run *r, bool of_u1, int last)
{
    if (first_lien(r))
        return first_lien(r);
    if (best(m, r->account, of_u1, true))
        return best(m, r->account, of_u1, true);
    if (best(m, r->account, of_u1, false))
        return best(m, r->account, of_u1, false);
    return last;
}

static void pay(struct lm *m, struct lm_run *r, int deposit)
{
    if (r->lien[deposit] > 0)
        let_go(m, r, deposit);
    if (deposit)
        m->d[deposit].coins--;
    else
        m->over[r->account]--;
    m->usage[r->account]++;
    r->paid_from[r->npaid++] = deposit;
}

/* The coin paid last goes back, or to `to`. Returns where it went. */
static int pay_back(struct lm *m, struct lm_run *r, int to)
{
    int from = r->paid_from[--r->npaid];

    from = to ? to : from;
    if (from)
        m->d[from].coins++;
    else
        m->over[r->account]++;
    m->usage[r->account]--;
    return from;
}

static void note_use(struct lm *m, struct lm_run *r, int64_t charged, int64_t refunded)
{
    if (charged == 0 && refunded == 0)
        return;
    m->uses[m->nuses++] =
        (struct lm_use){m->now, charged, refunded, r->account, r->of_u1, !r->noted};
    r->noted = true;
}

void lm_charge(struct lm *m, int run, int account, bool of_u1, int64_t total, bool over)
{
    struct lm_run *r = &m->r[run];
    int last = last_lien(r), before = r->npaid;
    int64_t net;

    if (r->known && !r->open)
        return;
    if (!r->known)
        r->account = account;
    r->known = r->open = true;
    if (last == 0 && r->npaid)
        last = r->paid_from[r->npaid - 1];
    for (int64_t more = total - r->charged; more > 0; more--)
        pay(m, r, next_payer(m, r, of_u1, last));
    net = r->charged - r->refunded;
    if (total < r->charged) {
        r->refunded = r->refunded < total ? r->refunded : total;
        while (net-- > total - r->refunded) {
            int to = pay_back(m, r, 0);

            if (to && kept(r) < r->most - total)
                keep(m, r, to);
        }
    }
    note_use(m, r, r->npaid - before, 0);
    r->charged = total;
    if (over)
        close_run(m, r);
    expire(m);
}

void lm_release(struct lm *m, int run)
{
    struct lm_run *r = &m->r[run];

    if (!r->known || !r->open)
        return;
    close_run(m, r);
    if (r->took) {
        m->q[r->took].uses++;
        m->q[r->took].used[lm_job(run)] = false;
    }
    r->took = 0;
}

bool lm_refund(struct lm *m, int run, int64_t amount, int to)
{
    struct lm_run *r = &m->r[run];

    if (!r->known || amount > r->charged - r->refunded)
        return false;
    r->refunded += amount;
    note_use(m, r, 0, amount);
    while (amount-- > 0)
        pay_back(m, r, to);
    expire(m);
    return true;
}

bool lm_quote(struct lm *m, struct lm_quote q, bool of_u1, int64_t amount)
{
    if (lm_available(m, q.account, of_u1) < amount)
        return false;
    m->q[++m->nquotes] = q;
    return true;
}

bool lm_use_quote(struct lm *m, int run, int quote)
{
    struct lm_quote *q = &m->q[quote];
    int job = lm_job(run);

    if (q->account != m->r[run].account || m->now >= q->until
        || (q->pinned >= 0 && q->pinned != job) || (!q->used[job] && q->uses == 0))
        return false;
    if (q->used[job])
        return true;
    q->used[job] = true;
    q->uses--;
    m->r[run].took = quote;
    return true;
}

struct lm_use lm_used(const struct lm *m, int account, bool of_u1, int64_t from,
    int64_t to, int *ret_runs)
{
    struct lm_use sum = {.account = account, .of_u1 = of_u1};

    *ret_runs = 0;
    for (int i = 0; i < m->nuses; i++) {
        const struct lm_use *u = &m->uses[i];
        if (u->account != account || u->of_u1 != of_u1 || u->at < from || u->at >= to)
            continue;
        sum.charged += u->charged;
        sum.refunded += u->refunded;
        *ret_runs += u->first;
    }
    return sum;
}
