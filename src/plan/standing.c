/* SPDX-License-Identifier: Apache-2.0
 * Instances of standing reservations: their windows, and what they are made of. */
#include "plan/standing.h"

#include "cluster/rsvdraft.h"

#define WEEK_DAYS 7

/* The local day on which the period of `now` begins. */
static int64_t first_day(const struct sr_cfg *sr, const struct zone *z, int64_t now)
{
    int64_t day = z->day_of(z->ctx, now);

    return sr->period == SR_WEEK ? day - zone_weekday(day) : day;
}

static int64_t period_days(const struct sr_cfg *sr)
{
    return sr->period == SR_WEEK ? WEEK_DAYS : 1;
}

int64_t standing_period(const struct sr_cfg *sr, const struct zone *z, int64_t now)
{
    if (sr->period == SR_INFINITY)
        return 0;
    return z->at(z->ctx, first_day(sr, z, now), 0);
}

int64_t standing_next_period(const struct sr_cfg *sr, const struct zone *z, int64_t now)
{
    if (sr->period == SR_INFINITY)
        return TIME_NEVER;
    return z->at(z->ctx, first_day(sr, z, now) + period_days(sr), 0);
}

static bool day_counts(const struct sr_cfg *sr, int64_t day)
{
    return sr->period != SR_DAY || (sr->days >> zone_weekday(day) & 1);
}

/* The instance of the period that begins on `day`; false when there is none, or it is
 * over. */
static bool instance_of(const struct sr_cfg *sr, const struct zone *z, int64_t now,
    int64_t day, struct standing_instance *ret)
{
    int64_t start = z->at(z->ctx, day, sr->start_s);
    int64_t end = z->at(z->ctx, day, sr->end_s);

    if (!day_counts(sr, day) || end <= now)
        return false;
    ret->period_at = z->at(z->ctx, day, 0);
    ret->start_at = start < now ? now : start;
    ret->end_at = end;
    return ret->start_at < end; /* the clock may skip all of the window */
}

void standing_wanted(const struct sr_cfg *sr, const struct zone *z, int64_t now,
    struct standing_instances *ret)
{
    struct standing_instance i = {.start_at = now, .end_at = TIME_NEVER};

    if (!sr->usable)
        return;
    if (sr->period == SR_INFINITY) {
        vec_push(ret, i);
        return;
    }
    for (uint32_t slot = 0; slot < (uint64_t)sr->depth; slot++) {
        int64_t day = first_day(sr, z, now) + slot * period_days(sr);

        i.slot = slot;
        if (instance_of(sr, z, now, day, &i))
            vec_push(ret, i);
    }
}

/* ---- drafts ---------------------------------------------------------------------- */

static uint32_t partition_of(const struct cluster *c, const char *name)
{
    if (!name)
        return RSV_PARTITION_ONE;
    return strcmp(name, "ALL") == 0 ? RSV_PARTITION_ALL : partition_find(c, name);
}

static void put_hosts(struct cluster *c, const struct sr_cfg *sr, struct reservation *r,
    struct err *alert)
{
    struct node_list hosts = {0};

    r->listed = sr->hosts != NULL;
    if (!sr->hosts)
        return;
    r->host_expr = xstrdup(sr->hosts);
    if (reservation_match_hosts(c, sr->hosts, &hosts, alert) < 0)
        err_prefix(alert, "standing reservation %.80s: ", srcfg_name(sr));
    for (size_t i = 0; i < hosts.n; i++)
        vec_push(&r->hosts, hosts.v[i]);
    vec_fini(&hosts);
}

static void put_people(
    struct cluster *c, const struct sr_cfg *sr, struct reservation *r)
{
    r->owner_kind = sr->owner_kind;
    if (sr->owner)
        r->owner = cred_get(c, (enum cred_kind)sr->owner_kind, sr->owner)->index;
    if (sr->charge_account)
        r->charge[CRED_ACCOUNT] = cred_get(c, CRED_ACCOUNT, sr->charge_account)->index;
}

struct reservation standing_draft(struct cluster *c, uint32_t standing,
    const struct standing_instance *i, struct err *alert)
{
    const struct sr_cfg *sr = &c->cfg->standing.v[standing];
    struct reservation r = reservation_draft(RSV_STANDING);

    if (alert)
        *alert = (struct err){0};
    r.base = xstrdup(srcfg_name(sr));
    r.start_at = i->start_at;
    r.end_at = i->end_at;
    rsvdraft_task(c, &sr->per_task, &r.def);
    r.def.tpn = (uint32_t)sr->tpn;
    for (size_t k = 0; k < sr->features.n; k++)
        vec_push(&r.def.features, names_intern(c->features, sr->features.v[k]));
    r.tasks = (uint32_t)sr->tasks;
    r.partition = partition_of(c, sr->partition);
    put_hosts(c, sr, &r, alert);
    r.shared = sr->access == SR_SHARED;
    r.flags = sr->flags;
    put_people(c, sr, &r);
    r.acl = acltext_copy(&sr->acl);
    r.priority = sr->priority;
    r.triggers = triggertext_copy(&sr->triggers);
    r.standing = standing;
    r.slot = i->slot;
    r.period_at = i->period_at;
    return r;
}

struct reservation *standing_find(
    const struct cluster *c, uint32_t standing, int64_t period_at)
{
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (r && r->kind == RSV_STANDING && r->standing == standing
            && r->period_at == period_at)
            return r;
    }
    return NULL;
}

/* ---- all of them ----------------------------------------------------------------- */

static void add_instance(struct cluster *c, uint32_t standing,
    const struct standing_instance *i, int64_t now, struct rsv_indexes *ret_new,
    struct err *alert)
{
    struct err here;
    struct reservation draft = standing_draft(c, standing, i, &here), *r;

    if (reservation_add(c, &draft, now, &r, &here) < 0)
        reservation_fini(&draft);
    else
        vec_push(ret_new, r->index);
    if (alert && alert->code == ERR_NONE)
        *alert = here;
}

void standing_refresh(struct cluster *c, const struct zone *z, int64_t now,
    struct rsv_indexes *ret_new, struct err *alert)
{
    struct standing_instances wanted = {0};

    if (alert)
        *alert = (struct err){0};
    for (uint32_t s = 0; s < c->cfg->standing.n; s++) {
        wanted.n = 0;
        standing_wanted(&c->cfg->standing.v[s], z, now, &wanted);
        for (size_t i = 0; i < wanted.n; i++) {
            struct reservation *r = standing_find(c, s, wanted.v[i].period_at);

            if (r)
                r->slot = wanted.v[i].slot;
            else
                add_instance(c, s, &wanted.v[i], now, ret_new, alert);
        }
    }
    vec_fini(&wanted);
}

static bool released_itself(const struct reservation *r)
{
    for (size_t i = 0; i < r->triggers.n; i++)
        if (r->triggers.v[i].fired && r->triggers.v[i].action == TRIGGER_CANCEL)
            return true;
    return false;
}

bool standing_may_forget(const struct reservation *r, int64_t now)
{
    bool fixed = r->listed && r->tasks == 0;

    if (reservation_is_live(r))
        return false;
    return r->state != RSV_RELEASED || r->end_at <= now || r->standing == INDEX_NONE
           || (!fixed && !released_itself(r));
}

void standing_relink(struct cluster *c)
{
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (!r || r->kind != RSV_STANDING)
            continue;
        r->standing = INDEX_NONE;
        for (uint32_t s = 0; s < c->cfg->standing.n; s++)
            if (c->cfg->standing.v[s].usable
                && strcmp(srcfg_name(&c->cfg->standing.v[s]), r->base) == 0)
                r->standing = s;
    }
}
