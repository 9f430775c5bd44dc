/* SPDX-License-Identifier: Apache-2.0
 * Limits of a node: each of its own, of its class, or of one job. */
#include "plan/nodes/nodelimit.h"

#include "cluster/cred.h"
#include "config/credcfg.h"
#include "config/nodecfg.h"

#include <string.h>

/* Class index 0 is DEFAULT: no class was named. */
static bool has_class(uint32_t cls)
{
    return cls != INDEX_NONE && cls != 0;
}

/* MAXPROC[CLASS:name] of one NODECFG section; -1 = not set there. */
static int64_t section_class_procs(const struct node_cfg *section, const char *name)
{
    for (size_t i = 0; section && i < section->maxproc_class.n; i++)
        if (strcmp(section->maxproc_class.v[i].name, name) == 0)
            return section->maxproc_class.v[i].count;
    return -1;
}

/* MAXPROCPERNODE of the class, <= 0 = none. */
static int64_t own_limit(const struct cluster *c, uint32_t cls)
{
    const struct cred *k = c->creds[CRED_CLASS].v[cls];

    return k->cfg->max_proc_per_node ? k->cfg->max_proc_per_node
                                     : k->def->max_proc_per_node;
}

bool nodelimit_class_limited(const struct cluster *c, uint32_t cls)
{
    return has_class(cls) && own_limit(c, cls) > 0;
}

int64_t nodelimit_class_procs(
    const struct cluster *c, const struct node *n, uint32_t cls)
{
    if (!has_class(cls))
        return INT64_MAX;
    const char *name = c->creds[CRED_CLASS].v[cls]->name;
    int64_t most = own_limit(c, cls);
    int64_t own = section_class_procs(n->section, name);

    if (own < 0)
        own = section_class_procs(n->section_def, name);
    if (most <= 0)
        most = INT64_MAX;
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls && n->classes.v[i].procs > 0
            && n->classes.v[i].procs < most)
            most = n->classes.v[i].procs;
    return own >= 0 && own < most ? own : most;
}

static int64_t left_of(int64_t limit, int64_t used)
{
    return used >= limit ? 0 : limit - used;
}

bool nodelimit_has_unshared(const struct taskdef *def, const struct node *n)
{
    return n->unshared > 0 && def->sharing < SHARING_JOINS;
}

int64_t nodelimit_procs_left(const struct cluster *c, const struct taskdef *def,
    const struct node *n, const struct nodelimit_procs *used)
{
    int64_t by_class = nodelimit_class_procs(c, n, def->cls);
    int64_t left = INT64_MAX, k;

    if (by_class < INT64_MAX)
        left = left_of(by_class, used->cls);
    if (nodelimit_has_unshared(def, n) && (k = left_of(n->unshared, used->all)) < left)
        left = k;
    if (n->maxproc >= 0 && (k = left_of(n->maxproc, used->all)) < left)
        left = k;
    if (n->maxproc_per_user >= 0
        && (k = left_of(n->maxproc_per_user, used->user)) < left)
        left = k;
    return left;
}

double nodelimit_maxpe(const struct node *n)
{
    double procs = (double)n->cfg.v[RES_PROCS];

    return n->maxpe_per_job <= 1 ? n->maxpe_per_job * procs : n->maxpe_per_job;
}

double nodelimit_task_pe(const struct taskdef *def, const struct node *n)
{
    double share = 0;

    for (int d = 0; d < RES_DIMS; d++) {
        double need = (double)(def->per_task.v[d] + taskdef_by_node(def, d));
        double s = def->per_task.v[d] < 0 ? 1
                   : n->cfg.v[d] > 0      ? need / (double)n->cfg.v[d]
                                          : 0;
        share = s > share ? s : share;
    }
    return share * (double)n->cfg.v[RES_PROCS];
}
