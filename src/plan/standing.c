/* SPDX-License-Identifier: Apache-2.0
 * Instances of standing reservations: their windows, and what they are made of. */
#include "plan/standing.h"

#include "cluster/partition.h"
#include "cluster/rsvdraft.h"
#include "config/settings.h"
#include "plan/trigger.h"

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
    int64_t until, struct standing_instances *ret)
{
    struct standing_instance i = {.start_at = now, .end_at = TIME_NEVER};

    if (!sr->usable)
        return;
    if (sr->period == SR_INFINITY) {
        vec_push(ret, i);
        return;
    }
    for (uint32_t slot = 0;; slot++) {
        int64_t day = first_day(sr, z, now) + slot * period_days(sr);

        if (slot >= (uint64_t)sr->depth && z->at(z->ctx, day, 0) >= until)
            return;
        i.slot = slot;
        if (instance_of(sr, z, now, day, &i))
            vec_push(ret, i);
    }
}

int64_t standing_horizon(
    const struct sr_cfg *sr, const struct zone *z, int64_t now, int64_t until)
{
    if (!sr->usable || sr->period == SR_INFINITY)
        return TIME_NEVER;
    int64_t beyond = first_day(sr, z, now) + sr->depth * period_days(sr);
    int64_t at = z->at(z->ctx, beyond, 0);
    return at > until ? at : until;
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

static int by_period(const void *a, const void *b)
{
    const struct reservation *x = *(struct reservation *const *)a;
    const struct reservation *y = *(struct reservation *const *)b;

    if (x->period_at != y->period_at)
        return x->period_at < y->period_at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void standing_list(
    const struct cluster *c, uint32_t standing, struct standing_list *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (r && r->kind == RSV_STANDING && r->standing == standing)
            vec_push(ret, r);
    }
    if (ret->n)
        qsort(ret->v, ret->n, sizeof *ret->v, by_period);
}

/* The first of them, as standing_find(). */
struct reservation *standing_listed(const struct standing_list *l, int64_t period_at)
{
    size_t low = 0, high = l->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (l->v[mid]->period_at < period_at)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->n && l->v[low]->period_at == period_at ? l->v[low] : NULL;
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
    int64_t until, struct rsv_indexes *ret_new, struct err *alert)
{
    struct standing_instances wanted = {0};
    struct standing_list there = {0};

    if (alert)
        *alert = (struct err){0};
    for (uint32_t s = 0; s < c->cfg->standing.n; s++) {
        wanted.n = 0;
        standing_wanted(&c->cfg->standing.v[s], z, now, until, &wanted);
        standing_list(c, s, &there);
        for (size_t i = 0; i < wanted.n; i++) {
            struct reservation *r = standing_listed(&there, wanted.v[i].period_at);

            if (r)
                r->slot = wanted.v[i].slot;
            else
                add_instance(c, s, &wanted.v[i], now, ret_new, alert);
        }
    }
    vec_fini(&there);
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

/* ---- other settings ---- */

/* Flags that decide where an instance is placed. */
#define PLACING (RSV_FORCE | RSV_IGNSTATE | RSV_DEDICATEDNODE | RSV_DEDICATEDRESOURCE)

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_tasks(const struct taskdef *a, const struct taskdef *b)
{
    if (memcmp(&a->per_task, &b->per_task, sizeof a->per_task) != 0 || a->tpn != b->tpn
        || a->features.n != b->features.n || a->gres.n != b->gres.n)
        return false;
    for (size_t i = 0; i < a->features.n; i++)
        if (a->features.v[i] != b->features.v[i])
            return false;
    for (size_t i = 0; i < a->gres.n; i++)
        if (a->gres.v[i].id != b->gres.v[i].id
            || a->gres.v[i].count != b->gres.v[i].count)
            return false;
    return true;
}

static bool same_place(const struct reservation *a, const struct reservation *b)
{
    return a->tasks == b->tasks && a->partition == b->partition
           && a->shared == b->shared && a->listed == b->listed
           && ((a->flags ^ b->flags) & PLACING) == 0
           && same_text(a->host_expr, b->host_expr) && same_tasks(&a->def, &b->def);
}

/* The instance wanted in the period of `r`, if it has the window of `r`. */
static bool same_window(const struct sr_cfg *sr, const struct zone *z,
    const struct reservation *r, int64_t now, int64_t until,
    struct standing_instance *ret)
{
    struct standing_instances wanted = {0};
    bool same = false;

    standing_wanted(sr, z, now, until, &wanted);
    for (size_t i = 0; i < wanted.n && !same; i++) {
        const struct standing_instance *w = &wanted.v[i];
        bool begun = r->start_at <= now && w->start_at <= now;

        same = w->period_at == r->period_at && w->end_at == r->end_at
               && (begun || w->start_at == r->start_at);
        *ret = *w;
    }
    vec_fini(&wanted);
    return same;
}

static bool same_trigger(const struct trigger *a, const struct trigger *b)
{
    return a->event == b->event && a->action == b->action && a->offset_s == b->offset_s
           && a->threshold >= b->threshold && a->threshold <= b->threshold
           && same_text(a->data, b->data);
}

/* New triggers know what those before have done. */
static void inherit_fired(
    const struct reservation *r, struct trigger_list *triggers, int64_t now)
{
    for (size_t i = 0; i < triggers->n; i++) {
        struct trigger *t = &triggers->v[i];
        const struct trigger *former = NULL;

        for (size_t k = 0; k < r->triggers.n && !former; k++)
            if (same_trigger(t, &r->triggers.v[k]))
                former = &r->triggers.v[k];
        t->fired = former ? former->fired
                          : t->event != TRIGGER_MINLOAD && trigger_due_at(r, t) <= now;
        t->fired_at = former ? former->fired_at : 0;
    }
}

static void swap_attributes(struct reservation *r, struct reservation *draft)
{
    struct acl acl = r->acl;
    struct trigger_list triggers = r->triggers;

    r->acl = draft->acl;
    r->triggers = draft->triggers;
    draft->acl = acl;
    draft->triggers = triggers;
    r->flags = draft->flags;
    r->owner_kind = draft->owner_kind;
    r->owner = draft->owner;
    memcpy(r->charge, draft->charge, sizeof r->charge);
    r->priority = draft->priority;
}

bool standing_take_over(struct cluster *c, const struct zone *z, struct reservation *r,
    int64_t now, int64_t until)
{
    struct standing_instance i;

    if (r->standing == INDEX_NONE
        || !same_window(&c->cfg->standing.v[r->standing], z, r, now, until, &i))
        return false;
    struct reservation draft = standing_draft(c, r->standing, &i, NULL);
    bool same = same_place(r, &draft);
    if (same) {
        inherit_fired(r, &draft.triggers, now);
        swap_attributes(r, &draft);
        reservation_changed(c, r, now);
    }
    reservation_fini(&draft);
    return same;
}
