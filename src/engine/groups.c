/* SPDX-License-Identifier: Apache-2.0
 * See groups.h. Source: reference reservations, section 8. */
#include "engine/groups.h"

#include "config/settings.h"

#include <string.h>

struct depth_groups {
    uint64_t config_epoch; /* 1 + that of the last refresh; 0 = never */
    bool differ, any;
    struct VEC(int8_t) of_qos;
};

struct depth_groups *groups_create(void)
{
    return xcalloc(1, sizeof(struct depth_groups));
}

void groups_destroy(struct depth_groups *g)
{
    if (!g)
        return;
    vec_fini(&g->of_qos);
    free(g);
}

static bool group_has(const struct rsv_group *g, const char *qos)
{
    if (g->all || g->qos.n == 0)
        return true;
    for (size_t i = 0; i < g->qos.n; i++)
        if (strcmp(g->qos.v[i], qos) == 0)
            return true;
    return false;
}

static int8_t find_group(const struct settings *cfg, const char *qos)
{
    for (int8_t i = 0; i < RSV_GROUPS_MAX; i++)
        if (cfg->rsv_groups[i].depth > 0 && group_has(&cfg->rsv_groups[i], qos))
            return i;
    return -1;
}

void groups_refresh(
    struct depth_groups *g, const struct cluster *c, const struct settings *cfg)
{
    int depths = 0;

    if (g->config_epoch == c->config_epoch + 1 && g->of_qos.n == c->creds[CRED_QOS].n)
        return;
    g->config_epoch = c->config_epoch + 1;
    g->of_qos.n = 0;
    g->differ = false;
    for (size_t i = 0; i < c->creds[CRED_QOS].n; i++) {
        const struct cred *q = c->creds[CRED_QOS].v[i];
        vec_push(&g->of_qos, find_group(cfg, q->name));
        g->differ |= (q->cfg->qos_flags & QOS_RESERVEALWAYS) != 0;
    }
    for (int i = 0; i < RSV_GROUPS_MAX; i++)
        depths += cfg->rsv_groups[i].depth > 0;
    g->any = depths > 0;
    g->differ |= depths > 1;
}

int groups_of(const struct depth_groups *g, uint32_t qos)
{
    return qos < g->of_qos.n ? g->of_qos.v[qos] : 0;
}

bool groups_any(const struct depth_groups *g)
{
    return g->any;
}

bool groups_differ(const struct depth_groups *g)
{
    return g->differ;
}
