/* SPDX-License-Identifier: Apache-2.0
 * The cluster as a whole: made, given settings, ended. */
#include "cluster/private.h"
#include "cluster/quota.h"
#include "cluster/rmset.h"
#include "config/settings.h"
#include "funds/funds.h"

static void names_make(struct cluster *c)
{
    c->features = names_create();
    c->networks = names_create();
    c->oses = names_create();
    c->arches = names_create();
    c->nodetypes = names_create();
    c->gres = names_create();
}

static void names_end(struct cluster *c)
{
    names_destroy(c->features);
    names_destroy(c->networks);
    names_destroy(c->oses);
    names_destroy(c->arches);
    names_destroy(c->nodetypes);
    names_destroy(c->gres);
}

struct cluster *cluster_create(const struct settings *cfg)
{
    struct cluster *c = xcalloc(1, sizeof *c);

    c->cfg = cfg;
    c->zone = zone_utc();
    c->global_node = INDEX_NONE;
    names_make(c);
    creds_create(c);
    rmset_create(c);
    partitions_create(c);
    nodes_create(c);
    taskdefs_create(c);
    jobs_create(c);
    reservations_create(c);
    cluster_configure(c, cfg);
    return c;
}

void cluster_destroy(struct cluster *c)
{
    if (!c)
        return;
    reservations_destroy(c);
    jobs_destroy(c);
    taskdefs_destroy(c);
    nodes_destroy(c);
    partitions_destroy(c);
    rmset_destroy(c);
    creds_destroy(c);
    quotas_destroy(c);
    funds_destroy(c->funds);
    week_destroy(c->week);
    vec_fini(&c->fs_changed);
    names_end(c);
    free(c);
}

static void lay_week(struct cluster *c)
{
    week_destroy(c->week);
    c->week = c->cfg->bank.times.n ? week_create(&c->cfg->bank.times, c->zone) : NULL;
}

void cluster_set_zone(struct cluster *c, struct zone zone)
{
    c->zone = zone;
    lay_week(c);
}

void cluster_configure(struct cluster *c, const struct settings *cfg)
{
    c->cfg = cfg;
    creds_configure(c);
    partitions_configure(c);
    nodes_configure(c);
    lay_week(c);
    c->config_epoch++;
}
