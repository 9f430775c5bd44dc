/* SPDX-License-Identifier: Apache-2.0
 * What a job costs, and whether its account can pay. Facts are in cluster.funds, rates
 * in the settings; nothing is asked of anybody. Source: reference allocation managers,
 * sections 6 and 8.
 *
 *     price = sum(amount x rate) x seconds      16 procs, 3600 s: 57,600 credits
 *     most  = price of the wallclock limit      kept while it runs; with what it may
 *             and of the overrun                pass its limit by
 *     cost  = price of what it used             by AMCFG CHARGEPOLICY
 *
 * Amounts are 1/1000 credit. */
#ifndef MAUI_POLICY_BANK_H
#define MAUI_POLICY_BANK_H

#include "base/strbuf.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/reservation.h"
#include "funds/funds.h"

/* How a text begins that tells why a bank elsewhere keeps a job from starting; then
 * follow a colon and the bank's own words, which are for the owner and administrators.
 */
#define BANK_REFUSES "the bank refuses"
#define BANK_SILENT  "the bank does not answer"
#define BANK_BUSY    "its turn at the bank has not come"

/* As much of a text as all may read: without the bank's words, if it has some. */
void bank_hide_words(const char *text, char *ret, size_t size);

/* Do jobs cost anything? O(1). */
bool bank_in_force(const struct cluster *c);

/* Does another program keep the accounts? Then nothing is refused here: a start asks
 * that one (server/durable/desk.h). O(1). */
bool bank_is_elsewhere(const struct cluster *c);

/* What its account is called; "-": it has none, and that bank chooses. */
const char *bank_account_name(const struct cluster *c, const struct job *j);

/* Who uses credits, by name; borrowed from the cluster. */
struct am_use bank_use(const struct cluster *c, const struct job *j);

/* The account that pays, or FUNDS_NONE: the job has none, or the bank does not know it.
 */
uint32_t bank_account(const struct cluster *c, const struct job *j);

/* Rates and factors for a run of a job on its nodes, as text: those of the quote that
 * it names, else those in force. With RATESAT=START a run is charged at those of its
 * start, the time of day included. "PROCS:1,MEM:0.001;QOS:premium=2;nodes=1.5;time=2".
 * Owned. Nodes of different rates count by the processors that the job has there; a
 * quote's are the most that they cost. */
char *bank_tariff(const struct cluster *c, const struct job *j);

/* The same for a quote: whoever names it has to be as the job is, and of that user, who
 * may never have had a job. By what time of day it starts is not promised. Owned. */
char *bank_quote_tariff(const struct cluster *c, const struct job *j, const char *user);

/* The quote that the job names; 0 = none. */
static inline int64_t bank_quote_of(const struct job *j)
{
    return j->extra ? j->extra->quote : 0;
}

/* Does the job name a quote that holds at `now`, for just such a job? */
bool bank_has_quote(const struct cluster *c, const struct job *j, int64_t now);

/* What is known of a run besides its job's record. Where each piece is charged by the
 * time of day (TIMERATES, RATESAT=USE), time that it was suspended costs nothing. */
struct bank_run {
    const char *tariff;            /* of its start; NULL = what is in force */
    int64_t slept_s, slept_weight; /* suspended, as far as it was seen (funds/week.h) */
};

/* The most that a run can come to: all it asks for, for its whole limit. Without a
 * limit AM_LARGEST. `run` NULL: it has none yet, and would start at `now`; at the
 * largest rate that any node has. O(log days) */
int64_t bank_most(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t now);

/* So many seconds of what it may pass its limit by are in that: 0 where the scheduler
 * would never act, or the limit is what is charged. */
int64_t bank_grace(const struct cluster *c, const struct job *j);

/* What it has cost that it was on its nodes until `until`. `text` (NULL = not wanted)
 * gets what that is made of. At least one second. */
int64_t bank_cost(const struct cluster *c, const struct job *j,
    const struct bank_run *run, int64_t until, struct strbuf *text);

/* So many processor seconds that nobody used in a reservation, that the account
 * (credential) pays: at the rate of PROCS, by the factors of the account, the nodes and
 * that instant. False: beyond what can be counted. */
bool bank_rent(const struct cluster *c, const struct reservation *r, uint32_t account,
    int64_t idle_ps, int64_t at, int64_t *ret);

/* The next instant after `now` at which another price may be in force: TIME_NEVER. */
int64_t bank_next_price(const struct cluster *c, int64_t now);

/* Does the price of a job change from one second to the next? */
bool bank_price_drifts(const struct cluster *c);

/* Would the job cost less for each second with the QOS of that name? For those who
 * would take it just before the end of an expensive run. */
bool bank_qos_is_cheaper(const struct cluster *c, const struct job *j, const char *qos);

/* It waits for funds of its account: *ret says so of a job that asks for so many
 * credits (milli, as everywhere) and finds what is left. `lack`: enum funds_lack. */
void bank_say_lack(const struct job *j, uint8_t lack, int64_t asked,
    const struct funds_left *left, struct reason *ret);

/* Does its account lack funds for a start at `now`? *ret is written only then. The
 * second: used by these, of whom the cluster may not know. */
bool bank_refuses(
    const struct cluster *c, const struct job *j, int64_t now, struct reason *ret);
bool bank_refuses_to(const struct cluster *c, const struct job *j,
    const struct am_use *use, int64_t now, struct reason *ret);

#endif
