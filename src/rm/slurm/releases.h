/* SPDX-License-Identifier: Apache-2.0
 * What later releases of Slurm's library call otherwise, by the names of 22.05.
 *
 *   23.02   cloud nodes are always shown
 *   23.11   lists of hosts are structures; texts of them are the library's own memory
 *   24.05   iterators are structures; there may be several epilogs
 *   24.11   how a job's processors lie on its nodes is told where it is asked for
 *   25.11   memory as a resource, and the answer to a submission
 *   26.05   a job is asked for by a structure */
#ifndef MAUI_RM_SLURM_RELEASES_H
#define MAUI_RM_SLURM_RELEASES_H

#include <stdlib.h>
#include <string.h>

#define SLURM_SINCE(major, minor)                                                      \
    (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM((major), (minor), 0))

#if SLURM_SINCE(23, 2)
#define SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH ESLURM_PROTOCOL_INCOMPLETE_PACKET
#define PRIVATE_CLOUD_NODES                         0xffff /* nothing to be set */
#endif

#if SLURM_SINCE(23, 11)
void slurm_xfree(void **memory); /* exported, not declared */

static inline char *slurm_hostlist_ranged_string_malloc(hostlist_t *list)
{
    char *theirs = slurm_hostlist_ranged_string_xmalloc(list);
    char *text = theirs != NULL ? strdup(theirs) : NULL;

    slurm_xfree((void **)&theirs);
    return text;
}
#define hostlist_t hostlist_t *
#endif

#if SLURM_SINCE(24, 5)
#define ListIterator list_itr_t *
#endif

static inline const char *slurm_conf_epilog(const slurm_conf_t *c)
{
#if SLURM_SINCE(24, 5)
    return c->epilog_cnt > 0 ? c->epilog[0] : NULL;
#else
    return c->epilog;
#endif
}

#if SLURM_SINCE(24, 11)
/* As its owner's srun would be told, which costs a request: false where a job has
 * ended, or has other nodes meanwhile. */
static inline bool slurm_ask_job_cpus(const slurm_job_info_t *j, size_t n, int *ret)
{
    resource_allocation_response_msg_t *told = NULL;
    size_t filled = 0;
#if SLURM_SINCE(26, 5)
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

    id.job_id = j->job_id;
#else
    uint32_t id = j->job_id;
#endif

    if (slurm_allocation_lookup(id, &told) != SLURM_SUCCESS)
        return false;
    if (told->node_list != NULL && strcmp(told->node_list, j->nodes) == 0)
        for (uint32_t i = 0; i < told->num_cpu_groups; i++)
            for (uint32_t k = 0; k < told->cpu_count_reps[i] && filled < n; k++)
                ret[filled++] = told->cpus_per_node[i];
    slurm_free_resource_allocation_response_msg(told);
    return n > 0 && filled == n;
}
#endif

/* Processors of a job on each of its nodes, while it runs. Where nobody is told, an
 * equal share. By its name a node is looked for in a list that is taken apart for each:
 * by its place where the job has all of these nodes, and no others. */
static inline void slurm_job_cpus(
    const slurm_job_info_t *j, const char *const *nodes, size_t n, int *ret)
{
#if SLURM_SINCE(24, 11)
    (void)nodes;
    if (j->num_nodes > 1 && n == j->num_nodes && slurm_ask_job_cpus(j, n, ret))
        return;
    for (size_t i = 0; i < n; i++)
        ret[i] = j->num_nodes > 0
                     ? (int)((j->num_cpus + j->num_nodes - 1) / j->num_nodes)
                     : 0;
#else
    job_resources_t *has = j->job_resrcs;
    bool all = has != NULL && n > 0
               && slurm_job_cpus_allocated_on_node_id(has, (int)n - 1) > 0
               && slurm_job_cpus_allocated_on_node_id(has, (int)n) <= 0;

    for (size_t i = 0; i < n; i++)
        ret[i] = has == NULL ? 0
                 : all       ? slurm_job_cpus_allocated_on_node_id(has, (int)i)
                             : slurm_job_cpus_allocated_on_node(has, nodes[i]);
#endif
}

#if SLURM_SINCE(25, 11)
#define CR_MEMORY                SELECT_MEMORY
#define slurm_submitted_job(msg) ((msg)->step_id.job_id)
#else
#define slurm_submitted_job(msg) ((msg)->job_id)
#endif

#if SLURM_SINCE(26, 5)
#define slurm_free_ctl_conf slurm_free_conf

static inline int slurm_load_job_number(
    job_info_msg_t **ret, uint32_t number, uint16_t show)
{
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

    id.job_id = number;
    return slurm_load_job(ret, id, show);
}
#define slurm_load_job slurm_load_job_number
#endif

#endif
