/* SPDX-License-Identifier: Apache-2.0
 * See bankrights.h. */
#include "server/api/bankrights.h"

#include "cluster/cluster.h"
#include "config/settings.h"
#include "policy/access.h"
#include "server/durable/desk.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 1000 /* facts may be wrong and have circles */

static bool is_manager(const struct server *s, const char *account, const char *user)
{
    const struct settings *cfg = s->config->settings;
    uint32_t i = names_find(cfg->cred_index[CRED_ACCOUNT], account);
    const struct text_list *list =
        i == NAME_NONE ? NULL : &cfg->creds[CRED_ACCOUNT].v[i].managers;

    for (size_t k = 0; list && k < list->n; k++)
        if (strcmp(list->v[k], user) == 0)
            return true;
    return false;
}

bool bankrights_leads(struct server *s, const struct identity *who, const char *account)
{
    const struct funds *f = engine_cluster(s->engine)->funds;

    for (int depth = 0; account && depth < DEPTH_MOST; depth++) {
        uint32_t i = f ? funds_account(f, account) : FUNDS_NONE;
        if (is_manager(s, account, who->user))
            return true;
        account = i == FUNDS_NONE ? NULL : funds_account_now(f, i).parent;
    }
    return false;
}

bool bankrights_sees_runs(
    struct server *s, const struct identity *who, const char *account)
{
    return identity_is(who, WHO_ADMIN3) || bankrights_leads(s, who, account);
}

/* ---- whose accounts they are where those are kept from users ----------------------
 */

static bool is_kept(const struct identity *who)
{
    return identity_is_kept_from(who, RM_HIDES_ACCOUNTS)
           || identity_is_kept_from(who, RM_HIDES_USAGE);
}

static bool is_given(
    const struct server *s, const struct identity *who, const char *account)
{
    return access_gives_account(
        engine_cluster(s->engine), who->user, who->group, account);
}

static uint8_t *find_own(const struct cluster *c, const struct cred *user)
{
    uint8_t *own = xcalloc(c->creds[CRED_ACCOUNT].n + 1, 1);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        /* asking for an account makes it nobody's own */
        if (j && j->cred[CRED_USER] == user->index && access_account_allowed(c, j))
            own[j->cred[CRED_ACCOUNT]] = 1;
    }
    return own;
}

/* One of those that maui.cfg gives the user, or that jobs of that user have. */
static bool is_own(struct bankview *v, const char *account)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    const struct cred *user = cred_find(c, CRED_USER, v->who->user);
    const struct cred *a = cred_find(c, CRED_ACCOUNT, account);

    if (is_given(v->s, v->who, account))
        return true;
    if (!v->own && a && user)
        v->own = find_own(c, user);
    return v->own && a && v->own[a->index];
}

/* ---- who sees what ----------------------------------------------------------------
 */

void bankview_open(struct bankview *v, struct server *s, const struct identity *who)
{
    *v = (struct bankview){.s = s, .who = who};
}

void bankview_close(struct bankview *v)
{
    free(v->own);
}

/* An account that is for all is seen by all, unless the resource manager keeps accounts
 * or what they use from its users. */
bool bankview_shows(struct bankview *v, const struct funds_account *a)
{
    const struct am_use use = {.user = v->who->user, .group = v->who->group};

    return identity_is(v->who, WHO_ADMIN3) || bankrights_leads(v->s, v->who, a->name)
           || (a->only && only_admits(a->only, &use))
           || (!a->only && (!is_kept(v->who) || is_own(v, a->name)));
}

bool bankrights_shows(struct server *s, const struct identity *who, const char *account)
{
    const struct funds *f = engine_cluster(s->engine)->funds;
    uint32_t i = f && account ? funds_account(f, account) : FUNDS_NONE;
    struct funds_account a;
    struct bankview v;
    bool shown;

    if (i == FUNDS_NONE)
        return true;
    a = funds_account_now(f, i);
    bankview_open(&v, s, who);
    shown = bankview_shows(&v, &a);
    bankview_close(&v);
    return shown;
}

const char *bankview_find(struct bankview *v, const char *account)
{
    const struct funds *f = engine_cluster(v->s->engine)->funds;
    uint32_t i = f ? funds_account(f, account) : FUNDS_NONE;
    struct funds_account a;

    if (i == FUNDS_NONE)
        return NULL;
    a = funds_account_now(f, i);
    return bankview_shows(v, &a) ? a.name : NULL;
}

/* Any job may name any account: what counts is what the bank said of it. */
bool bankrights_has(struct server *s, const struct identity *who, const char *account)
{
    return bankrights_sees_runs(s, who, account) || is_given(s, who, account)
           || desk_has_run(s, who->user, account);
}

bool bankrights_shows_funds(
    struct server *s, const struct identity *who, const struct job *j)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *account =
        j->cred[CRED_ACCOUNT] ? job_cred(c, j, CRED_ACCOUNT)->name : NULL;
    uint32_t i = c->funds && account ? funds_account(c->funds, account) : FUNDS_NONE;

    /* an account for all in which the caller has this very job */
    if (i != FUNDS_NONE && !funds_account_now(c->funds, i).only
        && identity_owns(who, job_cred(c, j, CRED_USER)->name))
        return true;
    return bankrights_shows(s, who, account);
}
