/* SPDX-License-Identifier: Apache-2.0
 * Drafts of reservations: names looked up, unknown ones told with the nearest. */
#include "cluster/rsvdraft.h"

#include "base/nearest.h"
#include "cluster/partition.h"
#include "config/config.h"
#include "config/settings.h"

#include <strings.h>

void rsvdraft_task(
    struct cluster *c, const struct sr_resources *from, struct taskdef *def)
{
    def->per_task.v[RES_PROCS] = from->procs;
    def->per_task.v[RES_MEM] = from->mem_mb;
    def->per_task.v[RES_SWAP] = from->swap_mb;
    def->per_task.v[RES_DISK] = from->disk_mb;
    for (size_t i = 0; i < from->gres.n; i++) {
        struct gres g = {
            names_intern(c->gres, from->gres.v[i].name), from->gres.v[i].count};

        vec_push(&def->gres, g);
    }
}

static int unknown(
    const char *what, const char *name, const char *near, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "no %s '%.80s'%s%.80s%s", what, name,
        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int put_partition(
    const struct cluster *c, const char *name, struct reservation *r, struct err *err)
{
    if (!name)
        return 0;
    if (strcasecmp(name, "ALL") == 0) {
        r->partition = RSV_PARTITION_ALL;
        return 0;
    }
    r->partition = partition_find(c, name);
    return r->partition != INDEX_NONE ? 0 : partition_missing(c, name, err);
}

static int put_features(const struct cluster *c, const struct setres *s,
    struct reservation *r, struct err *err)
{
    struct nearest near;

    for (size_t i = 0; i < s->features.n; i++) {
        uint32_t id = names_find(c->features, s->features.v[i]);

        if (id == NAME_NONE) {
            nearest_init(&near, s->features.v[i]);
            for (uint32_t k = 0; k < names_count(c->features); k++)
                nearest_offer(&near, names_text(c->features, k));
            return unknown("node feature", s->features.v[i], nearest_best(&near), err);
        }
        vec_push(&r->def.features, id);
    }
    return 0;
}

/* The node whose name is nearest to what was written, should that be a name. */
static const char *nearest_host(const struct cluster *c, const char *text)
{
    struct nearest near;

    nearest_init(&near, text);
    for (size_t i = 0; i < c->nodes.n; i++)
        nearest_offer(&near, node_at(c, i)->name);
    return nearest_best(&near);
}

static int put_hosts(const struct cluster *c, const struct setres *s,
    struct reservation *r, struct err *err)
{
    struct node_list hosts = {0};
    const char *near;

    r->tasks = (uint32_t)s->tasks;
    r->least_tasks = (uint32_t)s->least_tasks;
    if (!s->hosts)
        return 0;
    r->listed = true;
    r->one_per_host = s->tasks == 0;
    r->host_expr = xstrdup(s->hosts);
    if (reservation_match_hosts(c, s->hosts, &hosts, err) < 0) {
        vec_fini(&hosts);
        near = nearest_host(c, s->hosts);
        if (near && err && err->code == ERR_NOT_FOUND)
            return err_set(err, ERR_NOT_FOUND,
                "no node matches '%.80s'; did you mean %s?", s->hosts, near);
        return -1;
    }
    for (size_t i = 0; i < hosts.n; i++)
        vec_push(&r->hosts, hosts.v[i]);
    vec_fini(&hosts);
    return 0;
}

static void put_nodeset(const struct setres *s, struct reservation *r)
{
    struct nodeset_spec *spec;

    if (s->nodeset.policy == NODESET_OFF)
        return;
    spec = xcalloc(1, sizeof *spec);
    spec->policy = s->nodeset.policy;
    spec->attr = s->nodeset.attr;
    for (size_t i = 0; i < s->nodeset.list.n; i++)
        text_list_add(&spec->list, s->nodeset.list.v[i]);
    r->def.nodeset = spec;
}

/* SRCFG[profile], where setres says nothing. Hosts and tasks are setres's to say. */
static int put_profile(
    struct cluster *c, const struct setres *s, struct reservation *r, struct err *err)
{
    const struct sr_cfg *sr = s->profile ? srcfg_find(c->cfg, s->profile) : NULL;
    struct nearest near;

    if (!s->profile)
        return 0;
    if (!sr) {
        nearest_init(&near, s->profile);
        for (size_t i = 0; i < c->cfg->standing.n; i++)
            nearest_offer(&near, c->cfg->standing.v[i].index);
        return unknown("SRCFG", s->profile, nearest_best(&near), err);
    }
    if (s->per_task.procs == -1 && !s->per_task.mem_mb && !s->per_task.swap_mb
        && !s->per_task.disk_mb && !s->per_task.gres.n) {
        r->def.gres.n = 0;
        rsvdraft_task(c, &sr->per_task, &r->def);
    }
    for (size_t i = 0; !s->features.n && i < sr->features.n; i++)
        vec_push(&r->def.features, names_intern(c->features, sr->features.v[i]));
    if (!s->partition && put_partition(c, sr->partition, r, err) < 0)
        return -1;
    r->def.tpn = (uint32_t)sr->tpn;
    r->shared = sr->access == SR_SHARED;
    r->priority = sr->priority;
    r->flags |= sr->flags;
    if (!s->owner && sr->owner) {
        r->owner_kind = sr->owner_kind;
        r->owner = cred_get(c, (enum cred_kind)sr->owner_kind, sr->owner)->index;
    }
    if (!s->charge[0] && sr->charge_account)
        r->charge[CRED_ACCOUNT] = cred_get(c, CRED_ACCOUNT, sr->charge_account)->index;
    if (!s->acl.entries.n)
        r->acl = acltext_copy(&sr->acl);
    if (!s->triggers.n)
        r->triggers = triggertext_copy(&sr->triggers);
    return 0;
}

static void put_people(struct cluster *c, const struct setres *s, struct reservation *r)
{
    static const enum cred_kind charged[] = {CRED_ACCOUNT, CRED_GROUP, CRED_USER};

    r->owner_kind = s->owner_kind;
    if (s->owner)
        r->owner = cred_get(c, (enum cred_kind)s->owner_kind, s->owner)->index;
    for (size_t i = 0; i < sizeof charged / sizeof *charged; i++)
        if (s->charge[i])
            r->charge[charged[i]] = cred_get(c, charged[i], s->charge[i])->index;
}

int rsvdraft_of_setres(struct cluster *c, const struct setres *s, enum rsv_kind kind,
    struct reservation *ret, struct err *err)
{
    struct reservation r = reservation_draft(kind);

    r.base = xstrdup(setres_base(s));
    r.start_at = s->start_at;
    r.end_at = s->end_at;
    rsvdraft_task(c, &s->per_task, &r.def);
    if (put_partition(c, s->partition, &r, err) < 0 || put_features(c, s, &r, err) < 0
        || put_hosts(c, s, &r, err) < 0) {
        reservation_fini(&r);
        return -1;
    }
    r.any_feature = s->any_feature;
    put_nodeset(s, &r);
    r.flags = s->flags;
    r.exclusive = s->exclusive;
    put_people(c, s, &r);
    r.acl = acltext_copy(&s->acl);
    r.triggers = triggertext_copy(&s->triggers);
    if (put_profile(c, s, &r, err) < 0) {
        reservation_fini(&r);
        return -1;
    }
    *ret = r;
    return 0;
}
