/* SPDX-License-Identifier: Apache-2.0
 * From a standing reservation of the settings to a reservation of the cluster. */
#include "engine/engine_private.h"

#include <string.h>

static struct res amounts(const struct sr_resources *x)
{
    return (struct res){{x->procs, x->mem_mb, x->swap_mb, x->disk_mb}};
}

static void take_lists(
    struct cluster *c, const struct sr_cfg *sr, struct reservation *d)
{
    for (size_t i = 0; i < sr->features.n; i++)
        vec_push(&d->def.features, names_intern(c->features, sr->features.v[i]));
    for (size_t i = 0; i < sr->per_task.gres.n; i++) {
        const struct gres_cfg *g = &sr->per_task.gres.v[i];
        struct gres item = {names_intern(c->gres, g->name), g->count};
        vec_push(&d->def.gres, item);
    }
    if (!sr->hosts)
        return;
    struct node_list hosts = {0};
    reservation_match_hosts(c, sr->hosts, &hosts, NULL);
    for (size_t i = 0; i < hosts.n; i++)
        vec_push(&d->hosts, hosts.v[i]);
    vec_fini(&hosts);
    d->listed = true;
    d->host_expr = xstrdup(sr->hosts);
}

static uint32_t partition_of(const struct cluster *c, const struct sr_cfg *sr)
{
    if (!sr->partition)
        return RSV_PARTITION_ONE;
    if (strcmp(sr->partition, "ALL") == 0)
        return RSV_PARTITION_ALL;
    return partition_find(c, sr->partition);
}

struct reservation draft_standing(struct cluster *c, const struct sr_cfg *sr)
{
    struct reservation d = reservation_draft(RSV_STANDING);

    d.base = xstrdup(srcfg_name(sr));
    d.def.per_task = amounts(&sr->per_task);
    d.def.tpn = (uint32_t)sr->tpn;
    d.tasks = (uint32_t)sr->tasks;
    d.partition = partition_of(c, sr);
    d.shared = sr->access == SR_SHARED;
    d.flags = sr->flags;
    d.priority = sr->priority;
    d.owner_kind = sr->owner_kind;
    if (sr->owner_kind < CRED_KINDS && sr->owner)
        d.owner = cred_get(c, (enum cred_kind)sr->owner_kind, sr->owner)->index;
    if (sr->charge_account)
        d.charge[CRED_ACCOUNT] = cred_get(c, CRED_ACCOUNT, sr->charge_account)->index;
    d.acl = acltext_copy(&sr->acl);
    d.triggers = triggertext_copy(&sr->triggers);
    take_lists(c, sr, &d);
    return d;
}
