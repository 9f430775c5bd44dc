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
static inline bool bank_in_force(const struct cluster *c)
{
    return c->funds && c->cfg->bank.type != BANK_NONE
           && c->cfg->bank.type != BANK_UNKNOWN;
}

/* Does another program keep the accounts? Then nothing is refused here: a start asks
 * that one (server/durable/desk.h). O(1). */
static inline bool bank_is_elsewhere(const struct cluster *c)
{
    return bank_in_force(c) && c->cfg->bank.type != BANK_BUILTIN;
}

/* What its account is called; "-": it has none, and that bank chooses. */
const char *bank_account_name(const struct cluster *c, const struct job *j);

/* Who uses credits, by name; borrowed from the cluster. */
struct am_use bank_use(const struct cluster *c, const struct job *j);

/* The account that pays, or FUNDS_NONE: the job has none, or the bank does not know it.
 */
uint32_t bank_account(const struct cluster *c, const struct job *j);

/* Rates and factors in force for a job on its nodes, as text: with RATESAT=START a run
 * is charged at those of its start. "PROCS:1,MEM:0.001;QOS:premium=2;nodes=1.5". Owned.
 * Nodes of different rates count by the processors that the job has there. */
char *bank_tariff(const struct cluster *c, const struct job *j);

/* The most that a run can come to: all it asks for, for its whole limit. Without a
 * limit AM_LARGEST. `tariff` NULL: at the rates in force; of a job that has no nodes
 * yet at the largest rate that any node has. */
int64_t bank_most(const struct cluster *c, const struct job *j, const char *tariff);

/* So many seconds of what it may pass its limit by are in that: 0 where the scheduler
 * would never act, or the limit is what is charged. */
int64_t bank_grace(const struct cluster *c, const struct job *j);

/* What it has cost that it was on its nodes until `until`. `text` (NULL = not wanted)
 * gets what that is made of. At least one second. */
int64_t bank_cost(const struct cluster *c, const struct job *j, const char *tariff,
    int64_t until, struct strbuf *text);

/* Would the job cost less for each second with the QOS of that name? For those who
 * would take it just before the end of an expensive run. */
bool bank_qos_is_cheaper(const struct cluster *c, const struct job *j, const char *qos);

/* Does its account lack funds for a start at `now`? *ret is written only then. */
bool bank_refuses(
    const struct cluster *c, const struct job *j, int64_t now, struct reason *ret);

#endif
