/* SPDX-License-Identifier: Apache-2.0
 * Who may reserve and release, and who answers for what is reserved. */
#include "policy/rsvrights.h"

#include "config/settings.h"

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

/* ---- what only some may have of a reservation ------------------------------------ */

/* Programs run as the user the scheduler runs as. */
static int check_triggers(
    const struct reservation *draft, const struct actor *who, struct err *err)
{
    for (size_t i = 0; who->name && who->level != 1 && i < draft->triggers.n; i++)
        if (draft->triggers.v[i].action != TRIGGER_CANCEL)
            return err_set(err, ERR_DENIED,
                "%.80s may not have a program run by a trigger (%s): only "
                "administrators of level 1 may; cancel is for all",
                who->name, trigger_action_name(draft->triggers.v[i].action));
    return 0;
}

/* Those with which one takes what others have. */
static int check_flags(
    uint32_t flags, uint32_t before, const struct actor *who, struct err *err)
{
    static const struct {
        uint32_t flag;
        const char *name, *what;
    } powers[] = {{RSV_FORCE, "FORCE", "is placed over jobs and other reservations"},
        {RSV_OWNERPREEMPT, "OWNERPREEMPT", "lets its owner preempt the jobs of others"},
        {RSV_IGNSTATE, "IGNSTATE", "takes nodes whatever their state is"}};

    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++)
        if (flags & ~before & powers[i].flag)
            return err_set(err, ERR_DENIED,
                "%.80s may not have flag %s, with which a reservation %s: only "
                "administrators of level 1 or 2 may",
                who->name, powers[i].name, powers[i].what);
    return 0;
}

static bool is_user(const struct cluster *c, const struct actor *who, uint32_t user)
{
    return user && strcmp(c->creds[CRED_USER].v[user]->name, who->name) == 0;
}

static int check_owner(const struct cluster *c, const struct reservation *draft,
    const struct actor *who, struct err *err)
{
    if (!draft->owner
        || (draft->owner_kind == CRED_USER && is_user(c, who, draft->owner)))
        return 0;
    return err_set(err, ERR_DENIED,
        "%.80s may not say who owns a reservation, as here %.80s: only administrators "
        "of level 1 or 2 may",
        who->name, c->creds[draft->owner_kind].v[draft->owner]->name);
}

/* What setres has no option for, but a profile may bring. */
static int check_profile(
    const struct reservation *draft, const struct actor *who, struct err *err)
{
    const struct reservation plain = reservation_draft(RSV_USER);

    if (!draft->shared && draft->priority == plain.priority)
        return 0;
    return err_set(err, ERR_DENIED,
        "%.80s may not have the %s of that profile: only administrators of level 1 or "
        "2 may",
        who->name, draft->shared ? "ACCESS=SHARED" : "PRIORITY");
}

/* The one place that decides what may be in a reservation, whoever brought it: `what`
 * (enum rsv_change) of the draft is to be in force. `before` is NULL for a new one. */
static int check_draft(const struct cluster *c, const struct reservation *before,
    const struct reservation *draft, unsigned what, const struct actor *who,
    struct err *err)
{
    if ((what & RSV_CHANGE_TRIGGERS) && check_triggers(draft, who, err) < 0)
        return -1;
    if (rsvrights_rules(who))
        return 0;
    if ((what & RSV_CHANGE_FLAGS)
        && check_flags(draft->flags, before ? before->flags : 0, who, err) < 0)
        return -1;
    if ((what & RSV_CHANGE_OWNER) && check_owner(c, draft, who, err) < 0)
        return -1;
    if ((what & RSV_CHANGE_CHARGE) && (before || charges_somebody(draft)))
        return err_set(err, ERR_DENIED,
            "%.80s may not name who is charged: only administrators of level 1 or 2 "
            "may, and a personal reservation is charged to its maker",
            who->name);
    return before ? 0 : check_profile(draft, who, err);
}

/* ---- how many ---- */

static int check_number(struct cluster *c, const struct actor *who, struct err *err)
{
    const struct cred *u = cred_get(c, CRED_USER, who->name);
    int64_t most = u->cfg->max_rsv ? u->cfg->max_rsv : u->def->max_rsv, n = 0;

    if (!most)
        most = RSVRIGHTS_USER_MAX;
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        n += r && r->kind == RSV_USER && reservation_is_live(r)
             && r->charge[CRED_USER] == u->index;
    }
    if (n < most || most < 0)
        return 0;
    return err_set(err, ERR_DENIED,
        "%.80s has %lld reservations, and may have %lld (USERCFG[%.80s] MAXRSV): "
        "release one first",
        who->name, (long long)n, (long long)most, who->name);
}

/* ---- the requests ---- */

bool rsvrights_makes(const struct cluster *c, const struct actor *who)
{
    return rsvrights_rules(who) || c->cfg->rsv_makers == RSV_BY_ANYBODY;
}

static int check_maker(
    const struct cluster *c, const struct actor *who, struct err *err)
{
    if (rsvrights_makes(c, who))
        return 0;
    return err_set(err, ERR_DENIED,
        "%.80s may not reserve: only administrators of level 1 or 2 may "
        "(RESCTLPOLICY ADMINONLY)",
        who->name);
}

int rsvrights_reserve(struct cluster *c, struct reservation *draft,
    const struct actor *who, const char *group, struct err *err)
{
    if (check_maker(c, who, err) < 0)
        return -1;
    if (check_draft(c, NULL, draft, RSV_CHANGE_ALL, who, err) < 0)
        return -1;
    if (rsvrights_rules(who))
        return 0;
    if (check_number(c, who, err) < 0)
        return -1;
    charge_requestor(c, draft, who, group);
    return 0;
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
    const struct reservation *draft, unsigned what, const struct actor *who,
    struct err *err)
{
    if (check_own(c, r, who, "change", err) < 0 || check_maker(c, who, err) < 0)
        return -1;
    if (!rsvrights_rules(who) && r->kind != RSV_USER)
        return err_set(err, ERR_DENIED,
            "%.80s may release reservation %.80s, but not change it: an administrator "
            "made it, and only administrators of level 1 or 2 may",
            who->name, r->name);
    return check_draft(c, r, draft, what, who, err);
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
