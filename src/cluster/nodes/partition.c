/* SPDX-License-Identifier: Apache-2.0
 * Partitions: by name and index, their settings and the totals over their nodes. */
#include "cluster/nodes/private.h"
#include "cluster/rmset.h"
#include "config/config.h"
#include "config/settings.h"

#include <stdio.h>

static const struct par_settings *settings_of(const struct cluster *c, const char *name)
{
    const struct par_settings *own = settings_find_par(c->cfg, name);
    return own ? own : &c->cfg->par.v[0];
}

static struct partition *add(struct cluster *c, const char *name)
{
    struct partition *p = xcalloc(1, sizeof *p);

    p->index = names_intern(c->partition_names, name);
    assert(p->index == c->partitions.n);
    p->name = names_text(c->partition_names, p->index);
    p->par = settings_of(c, name);
    vec_push(&c->partitions, p);
    return p;
}

void partitions_create(struct cluster *c)
{
    c->partition_names = names_create();
    add(c, "DEFAULT");
    rmset_bind(c, 0, 0);
}

void partitions_destroy(struct cluster *c)
{
    for (size_t i = 0; i < c->partitions.n; i++)
        free(c->partitions.v[i]);
    vec_fini(&c->partitions);
    names_destroy(c->partition_names);
}

void partitions_configure(struct cluster *c)
{
    for (size_t i = 0; i < c->partitions.n; i++)
        c->partitions.v[i]->par = settings_of(c, c->partitions.v[i]->name);
}

uint32_t partition_find(const struct cluster *c, const char *name)
{
    uint32_t i = name && *name ? names_find(c->partition_names, name) : 0;
    return i == NAME_NONE ? INDEX_NONE : i;
}

int partition_missing(const struct cluster *c, const char *name, struct err *err)
{
    return name_missing("partition", c->partition_names, name, err);
}

struct partition *partition_get(struct cluster *c, const char *name)
{
    uint32_t i = partition_find(c, name);

    if (i != INDEX_NONE)
        return c->partitions.v[i];
    if (c->partitions.n >= PARTITIONS_MAX || !strcmp(name, "[ALL]"))
        return NULL;
    return add(c, name);
}

/* Is it another manager's? */
static bool is_foreign(const struct cluster *c, const char *name, uint32_t rm)
{
    uint32_t i = partition_find(c, name);
    uint32_t whose = i != INDEX_NONE ? rmset_of_partition(c, i) : INDEX_NONE;

    return whose != INDEX_NONE && whose != rm;
}

struct partition *partition_for(struct cluster *c, const char *name, uint32_t rm)
{
    char own[2 * NAME_MAX_BYTES];
    struct partition *p;

    if (!name || !*name)
        name = rm ? rmset_name(c, rm) : "DEFAULT";
    if (is_foreign(c, name, rm)) {
        const char *first = c->rms.v[0].called;
        snprintf(own, sizeof own, "%s.%s",
            rm      ? rmset_name(c, rm)
            : first ? first
                    : "RM",
            name);
        name = own;
    }
    p = is_foreign(c, name, rm) ? NULL : partition_get(c, name);
    if (p)
        rmset_bind(c, rm, p->index);
    return p;
}

void partition_count_node(struct cluster *c, const struct node *n, int times)
{
    struct partition *p = c->partitions.v[n->partition];

    if (n->global)
        return;
    res_add(&p->cfg, &n->cfg, times);
    res_add(&c->cfg_total, &n->cfg, times);
    p->node_count = (uint32_t)(p->node_count + times);
    if (!node_is_up(n))
        return;
    res_add(&p->up, &n->cfg, times);
    p->up_nodes = (uint32_t)(p->up_nodes + times);
}
