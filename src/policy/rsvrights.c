/* SPDX-License-Identifier: Apache-2.0
 * Who may reserve and release, and who answers for what is reserved. */
#include "policy/rsvrights.h"

bool rsvrights_rules(const struct actor *who)
{
    return !who->name || who->level == 1 || who->level == 2;
}

static bool charges_somebody(const struct reservation *draft)
{
    for (int k = 0; k < CRED_KINDS; k++)
        if (draft->charge[k])
            return true;
    return false;
}

/* Account that jobs of the user get when they name none. */
static const char *default_account(const struct cred *user, const struct cred *group)
{
    if (user->cfg->adef)
        return user->cfg->adef;
    if (group->cfg->adef)
        return group->cfg->adef;
    return user->def->adef ? user->def->adef : group->def->adef;
}

static void charge_requestor(struct cluster *c, struct reservation *draft,
    const struct actor *who, const char *group)
{
    const struct cred *u = cred_get(c, CRED_USER, who->name);
    const struct cred *g = cred_get(c, CRED_GROUP, group);
    const char *account = default_account(u, g);

    draft->kind = RSV_USER;
    draft->charge[CRED_USER] = u->index;
    draft->charge[CRED_GROUP] = g->index;
    draft->charge[CRED_ACCOUNT] = cred_get(c, CRED_ACCOUNT, account)->index;
}

/* Programs run as the user the scheduler runs as. */
static int check_triggers(
    const struct reservation *draft, const struct actor *who, struct err *err)
{
    for (size_t i = 0; who->name && who->level != 1 && i < draft->triggers.n; i++)
        if (draft->triggers.v[i].action != TRIGGER_CANCEL)
            return err_set(err, ERR_DENIED,
                "%.80s may not have a program run by a trigger: only administrators of "
                "level 1 may",
                who->name);
    return 0;
}

int rsvrights_reserve(struct cluster *c, struct reservation *draft,
    const struct actor *who, const char *group, struct err *err)
{
    if (check_triggers(draft, who, err) < 0)
        return -1;
    if (rsvrights_rules(who))
        return 0;
    if (c->cfg->rsv_makers != RSV_BY_ANYBODY)
        return err_set(err, ERR_DENIED,
            "%.80s may not reserve: only administrators of level 1 or 2 may "
            "(RESCTLPOLICY ADMINONLY)",
            who->name);
    if (charges_somebody(draft))
        return err_set(err, ERR_DENIED,
            "%.80s may not name who is charged: only administrators of level 1 or 2 "
            "may, and a personal reservation is charged to its maker",
            who->name);
    charge_requestor(c, draft, who, group);
    return 0;
}

static bool is_user(const struct cluster *c, const struct actor *who, uint32_t user)
{
    return user && strcmp(c->creds[CRED_USER].v[user]->name, who->name) == 0;
}

static int check_own(const struct cluster *c, const struct reservation *r,
    const struct actor *who, const char *what, struct err *err)
{
    if (rsvrights_rules(who) || is_user(c, who, r->charge[CRED_USER]))
        return 0;
    return err_set(err, ERR_DENIED,
        "%.80s may not %s reservation %.80s: only the user accountable for it and "
        "administrators of level 1 or 2 may",
        who->name, what, r->name);
}

int rsvrights_release(const struct cluster *c, const struct reservation *r,
    const struct actor *who, struct err *err)
{
    return check_own(c, r, who, "release", err);
}

int rsvrights_change(const struct cluster *c, const struct reservation *r,
    const struct actor *who, bool charge, struct err *err)
{
    if (check_own(c, r, who, "change", err) < 0)
        return -1;
    if (charge && !rsvrights_rules(who))
        return err_set(err, ERR_DENIED,
            "%.80s may not say who owns reservation %.80s or is charged for it: only "
            "administrators of level 1 or 2 may",
            who->name, r->name);
    return 0;
}

int rsvrights_release_job(const struct cluster *c, const struct job *j,
    const struct actor *who, struct err *err)
{
    if (rsvrights_rules(who) || is_user(c, who, j->cred[CRED_USER]))
        return 0;
    return err_set(err, ERR_DENIED,
        "%.80s may not release the reservation of job %.80s: only the job's owner and "
        "administrators of level 1 or 2 may",
        who->name, j->id);
}

uint32_t rsvrights_accountable(const struct reservation *r, enum cred_kind kind)
{
    if (charges_somebody(r))
        return r->charge[kind];
    return r->owner_kind == kind ? r->owner : 0;
}
