/* SPDX-License-Identifier: Apache-2.0
 * Which nodes are below which leaf switch (topology.conf), told as the network of each
 * node; and jobs that ask for one switch (--switches=1), which are planned on a node
 * set: all nodes of one network. The wish is void when it has been waited for as long
 * as the job says (--switches=1@5, at most SchedulerParameters=max_switch_wait): then
 * the job is told without it, and a start says so. Wishes for more switches than one,
 * and all where the leaves are not known, are Slurm's to keep, at the start. */
#include "base/xalloc.h"
#include "config/policies.h"
#include "rm/slurm/adapter.h"

struct switch_node {
    char *name; /* key */
    size_t leaf;
    UT_hash_handle hh;
};

struct switches {
    struct VEC(char *) leaves;
    struct switch_node *nodes;
};

void switches_forget(struct adapter *a)
{
    struct switches *s = a->switches;
    struct switch_node *n, *next;

    if (s == NULL)
        return;
    HASH_ITER(hh, s->nodes, n, next)
    {
        HASH_DEL(s->nodes, n);
        free(n->name);
        free(n);
    }
    for (size_t i = 0; i < s->leaves.n; i++)
        free(s->leaves.v[i]);
    vec_fini(&s->leaves);
    free(s);
    a->switches = NULL;
}

#if TELLS_SWITCHES
static void add_node(struct switches *s, const char *name)
{
    struct switch_node *n;

    HASH_FIND_STR(s->nodes, name, n);
    if (n != NULL)
        return;
    n = xcalloc(1, sizeof *n);
    n->name = xstrdup(name);
    n->leaf = s->leaves.n - 1;
    HASH_ADD_KEYPTR(hh, s->nodes, n->name, strlen(n->name), n);
}

static void add_leaf(struct switches *s, const topo_info_t *t)
{
    hostlist_t list = slurm_hostlist_create(t->nodes);
    char *host;

    if (list == NULL)
        return;
    vec_push(&s->leaves, xstrdup(t->name));
    while ((host = slurm_hostlist_shift(list)) != NULL) {
        add_node(s, host);
        free(host);
    }
    slurm_hostlist_destroy(list);
}

void switches_read(struct adapter *a)
{
    topo_info_response_msg_t *msg = NULL;

    switches_forget(a);
    if (slurm_load_topo(&msg) != SLURM_SUCCESS)
        return; /* without one no job is planned by it: Slurm keeps the wish */
    a->switches = xcalloc(1, sizeof *a->switches);
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const topo_info_t *t = &msg->topo_array[i];

        if (t->level == 0 && t->name != NULL && t->nodes != NULL && *t->nodes != '\0')
            add_leaf(a->switches, t);
    }
    slurm_free_topo_info_msg(msg);
}
#else
void switches_read(struct adapter *a)
{
    (void)a;
}
#endif

const char *switches_leaf(const struct adapter *a, const char *node)
{
    struct switch_node *n = NULL;

    if (a->switches != NULL)
        HASH_FIND_STR(a->switches->nodes, node, n);
    return n != NULL ? a->switches->leaves.v[n->leaf] : NULL;
}

/* As Slurm has it: a wait that begins when the job may start, so a begin time of a note
 * has no place in such a job; and a start says what is left of the wait, as Slurm takes
 * its moment for the job's begin should it come to nothing. */
time_t switches_until(const struct adapter *a, const slurm_job_info_t *j)
{
    time_t since = j->submit_time;

    if (j->req_switch == 0)
        return 0;
    if (j->eligible_time > since && !notes_has_begin(a, j))
        since = j->eligible_time;
    return since + (time_t)j->wait4switch;
}

bool switches_bind(const struct adapter *a, const slurm_job_info_t *j)
{
    return j->req_switch == 1 && a->switches != NULL && a->switches->leaves.n >= 2
           && switches_until(a, j) > times_theirs(a);
}

void switches_note(struct adapter *a, const slurm_job_info_t *j)
{
    bool waits = (j->job_state & JOB_STATE_BASE) == JOB_PENDING;
    time_t at = waits ? switches_until(a, j) : 0;

    if (at > times_theirs(a) && (a->switches_at == 0 || at < a->switches_at))
        a->switches_at = at;
}

void switches_take(const struct adapter *a, const slurm_job_info_t *j,
    struct request_room *room, struct req_desc *ret)
{
    struct nodeset_spec *set;

    if (!switches_bind(a, j) || ret->nodeset != NULL)
        return;
    set = request_take(room, 1, sizeof *set);
    *set = (struct nodeset_spec){
        .policy = NODESET_ONEOF, .attr = NODESET_NETWORK, .always = true};
    set->list.v = a->switches->leaves.v; /* borrowed */
    set->list.n = a->switches->leaves.n;
    ret->nodeset = set;
}
