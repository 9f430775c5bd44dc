/* SPDX-License-Identifier: Apache-2.0
 * Could a task ever run on a node? The node's configuration against the task
 * definition; nothing here looks at what is in use unless it is told to. */
#include "plan/feasible.h"

#include "plan/nodes/room.h"

#include <math.h>

/* Is `id` among the sorted ids? Lists are short: a plain walk. */
static bool has_id(const uint32_t *ids, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static bool has_features(const struct taskdef *def, const struct node *n)
{
    size_t k = 0;

    for (size_t i = 0; i < def->features.n; i++) {
        while (k < n->features.n && n->features.v[k] < def->features.v[i])
            k++;
        if (k == n->features.n || n->features.v[k] != def->features.v[i])
            return false;
    }
    return true;
}

static bool cmp_holds(const struct cmp *cmp, int64_t have)
{
    switch (cmp->op) {
    case CMP_LT:
        return have < cmp->value;
    case CMP_LE:
        return have <= cmp->value;
    case CMP_EQ:
        return have == cmp->value;
    case CMP_GE:
        return have >= cmp->value;
    case CMP_GT:
        return have > cmp->value;
    case CMP_NONE:
        break;
    }
    return true;
}

/* Processors of one task on this node. */
static int64_t task_procs(const struct taskdef *def, const struct node *n)
{
    int64_t procs = def->per_task.v[RES_PROCS];

    return procs < 0 ? n->cfg.v[RES_PROCS] : procs;
}

/* EXACTPROC: the node has just the processors that are wanted on each node. */
static bool procs_match(const struct taskdef *def, const struct node *n)
{
    uint32_t per_node = def->tpn > 1 ? def->tpn : 1;

    return !def->exactproc || task_procs(def, n) * per_node == n->cfg.v[RES_PROCS];
}

/* Class index 0 is DEFAULT: no class was named. */
static bool has_class(uint32_t cls)
{
    return cls != INDEX_NONE && cls != 0;
}

static const struct node_class *class_on(const struct node *n, uint32_t cls)
{
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls)
            return &n->classes.v[i];
    return NULL;
}

static bool serves_class(const struct taskdef *def, const struct node *n)
{
    if (!has_class(def->cls) || n->classes.n == 0)
        return true;
    const struct node_class *k = class_on(n, def->cls);
    return k && k->configured > 0;
}

/* The first constraint that the node does not satisfy. */
static enum misfit find_misfit(
    const struct cluster *c, const struct taskdef *def, const struct node *n)
{
    if (n->global)
        return MISFIT_GLOBAL;
    if (has_id(def->exclude.v, def->exclude.n, n->index))
        return MISFIT_EXCLUDED;
    if (def->os != NAME_NONE && n->os != def->os)
        return MISFIT_OS;
    if (def->arch != NAME_NONE && n->arch != def->arch)
        return MISFIT_ARCH;
    if (!has_features(def, n))
        return MISFIT_FEATURE;
    if (def->network != NAME_NONE
        && !has_id(n->networks.v, n->networks.n, def->network))
        return MISFIT_NETWORK;
    if (!cmp_holds(&def->procs, n->cfg.v[RES_PROCS]))
        return MISFIT_PROCS;
    if (!cmp_holds(&def->mem, n->cfg.v[RES_MEM]))
        return MISFIT_MEM;
    if (!cmp_holds(&def->swap, n->cfg.v[RES_SWAP]))
        return MISFIT_SWAP;
    if (!cmp_holds(&def->disk, n->cfg.v[RES_DISK]))
        return MISFIT_DISK;
    if (!serves_class(def, n))
        return MISFIT_CLASS;
    if (!procs_match(def, n))
        return MISFIT_EXACTPROC;
    if (feasible_tasks(c, def, n) == 0)
        return def->tpn > 1 ? MISFIT_TASKS_PER_NODE : MISFIT_TOO_SMALL;
    return MISFIT_NONE;
}

bool feasible_node(const struct cluster *c, const struct taskdef *def,
    const struct node *n, enum misfit *ret_why)
{
    enum misfit why = find_misfit(c, def, n);

    if (ret_why)
        *ret_why = why;
    return why == MISFIT_NONE;
}

const char *misfit_text(enum misfit why)
{
    static const char *const texts[MISFITS] = {
        [MISFIT_NONE] = "is not what the job asks for",
        [MISFIT_GLOBAL] = "only carries floating resources",
        [MISFIT_EXCLUDED] = "is excluded by the job",
        [MISFIT_OS] = "has another operating system",
        [MISFIT_ARCH] = "has another architecture",
        [MISFIT_FEATURE] = "lacks a feature",
        [MISFIT_NETWORK] = "is not on the network",
        [MISFIT_PROCS] = "has the wrong number of processors",
        [MISFIT_MEM] = "has the wrong amount of memory",
        [MISFIT_SWAP] = "has the wrong amount of swap",
        [MISFIT_DISK] = "has the wrong amount of disk",
        [MISFIT_CLASS] = "does not serve the class",
        [MISFIT_EXACTPROC] = "does not have exactly the processors asked per node",
        [MISFIT_TASKS_PER_NODE] = "cannot hold the tasks per node",
        [MISFIT_TOO_SMALL] = "is too small for one task",
        [MISFIT_PARTITION] = "is in a partition that is closed to such a job",
    };

    return texts[why];
}

uint32_t feasible_tasks(
    const struct cluster *c, const struct taskdef *def, const struct node *n)
{
    static const struct company nobody;
    struct node_room room = {0};

    if (n->global)
        return 0;
    room_of_empty(&room, c, def, n);
    room_meet(&room, c, n, &nobody);
    uint32_t tasks = room_tasks(&room, def, n);
    room_fini(&room);
    return tasks;
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

bool feasible_hosts_only(const struct cluster *c, const struct req *r)
{
    size_t n = r->def->hosts.n, usable = 0;
    uint64_t tasks = 0;

    if (n == 0)
        return false;
    uint32_t *hosts = xmalloc(n * sizeof *hosts);
    memcpy(hosts, r->def->hosts.v, n * sizeof *hosts);
    qsort(hosts, n, sizeof *hosts, by_index);
    for (size_t i = 0; i < n; i++) {
        const struct node *node = node_at(c, hosts[i]);
        if ((i && hosts[i] == hosts[i - 1]) || !feasible_node(c, r->def, node, NULL))
            continue;
        usable++;
        tasks += feasible_tasks(c, r->def, node);
    }
    free(hosts);
    return tasks >= r->tasks && (!r->def->exactnode || usable >= r->nodes);
}

bool feasible_listed(
    const struct cluster *c, const struct req *r, bool hosts_only, const struct node *n)
{
    const struct taskdef *def = r->def;

    if (hosts_only && !has_id(def->hosts.v, def->hosts.n, n->index))
        return false;
    return (def->exclude.n == 0 && def->hosts.n == 0) || feasible_node(c, def, n, NULL);
}
