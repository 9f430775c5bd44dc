/* SPDX-License-Identifier: Apache-2.0
 * Who may see and do what in the bank: the one place, for every verb. Administrators of
 * level 1 do everything, of any level see everything; a lead (MANAGERS of an account,
 * or of one above it) sees and divides what that account has; users see the accounts
 * that are for them. */
#ifndef MAUI_SERVER_BANKRIGHTS_H
#define MAUI_SERVER_BANKRIGHTS_H

#include "cluster/job.h"
#include "funds/funds.h"
#include "server/api/identity.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

/* Does the caller lead the account, or one above it? O(accounts above it). */
bool bankrights_leads(
    struct server *s, const struct identity *who, const char *account);

/* May the caller see what others use of the account, run by run? Leads of it and
 * administrators do; users see their own. As bankrights_leads(). */
bool bankrights_sees_runs(
    struct server *s, const struct identity *who, const char *account);

/* May the caller see what the account has? True of one that the bank does not know:
 * there is nothing to be seen. O(jobs) where the resource manager keeps accounts from
 * its users, else as bankrights_leads(). */
bool bankrights_shows(
    struct server *s, const struct identity *who, const char *account);

/* Of a bank that is elsewhere, which may tell anybody anything: does the caller lead
 * the account, is it one of those that maui.cfg gives the caller, or of a run of the
 * caller that goes on and that the bank let start? Administrators have all. O(runs). */
bool bankrights_has(struct server *s, const struct identity *who, const char *account);

/* The same of the account of a job that the caller sees; as cheap for the owner, in
 * whose lists there may be many. */
bool bankrights_shows_funds(
    struct server *s, const struct identity *who, const struct job *j);

/* The same of many accounts for one caller: jobs are looked through once at most. */
struct bankview {
    struct server *s;           /* borrowed */
    const struct identity *who; /* borrowed */
    uint8_t *own;               /* by index: accounts of the caller's jobs; NULL = not
                                   asked for yet */
};
void bankview_open(struct bankview *v, struct server *s, const struct identity *who);
bool bankview_shows(struct bankview *v, const struct funds_account *a);
/* The account's name in the cluster's funds if it is there and the caller may see it;
 * else NULL. Borrowed until they change. */
const char *bankview_find(struct bankview *v, const char *account);
void bankview_close(struct bankview *v);

#endif
