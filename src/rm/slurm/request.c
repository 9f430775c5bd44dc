/* SPDX-License-Identifier: Apache-2.0
 * A job record of Slurm as the scheduler's request. The two models differ: Slurm asks
 * by job, node and task at once, the scheduler by tasks of one shape. The rules:
 *
 *   whole nodes (exclusive)            a task is a node
 *   --gpus=N                           a task is a device, with its part of the job's
 *                                      processors, on any nodes
 *   memory, generic resources or       a task is what the job needs on one node, on as
 *   processors by node, one node,      many nodes as asked, else as Slurm estimates
 *   a number of tasks by node
 *   all else                           tasks as asked, on so many nodes
 *
 * Licences are the job's, not a task's. What cannot be expressed is told as a reason
 * why the job waits, never planned wrongly. */
#include "base/xalloc.h"
#include "config/texts.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/job.h"
#include "rm/slurm/jobs.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>

void *request_take(struct request_room *room, size_t count, size_t size)
{
    void *block = xcalloc(count, size);

    vec_push(&room->blocks, block);
    return block;
}

void request_free_room(struct request_room *room)
{
    for (size_t i = 0; i < room->blocks.n; i++)
        free(room->blocks.v[i]);
    vec_fini(&room->blocks);
    vec_fini(&room->deps);
}

char *request_text(struct request_room *room, const char *text, size_t n)
{
    char *copy = request_take(room, n + 1, 1);

    memcpy(copy, text, n);
    return copy;
}

const char *const *request_hosts(struct request_room *room, const char *hosts)
{
    hostlist_t list = hosts && *hosts ? slurm_hostlist_create(hosts) : NULL;
    const char **out;
    char *host;
    int n = 0;

    if (list == NULL)
        return NULL;
    out = request_take(room, (size_t)slurm_hostlist_count(list) + 1, sizeof *out);
    while ((host = slurm_hostlist_shift(list)) != NULL) {
        out[n++] = request_text(room, host, strlen(host));
        free(host);
    }
    slurm_hostlist_destroy(list);
    return out;
}

/* ---- amounts ---- */

/* 0 where Slurm says that nothing was asked. */
static int64_t asked16(uint16_t v)
{
    return v == NO_VAL16 || v == INFINITE16 ? 0 : v;
}

static int64_t asked32(uint32_t v)
{
    return v == NO_VAL || v == INFINITE ? 0 : v;
}

#define MUCH (INT64_C(1) << 40) /* more than any machine has of anything */

int64_t amount_times(int64_t a, int64_t b)
{
    int64_t p;

    return __builtin_mul_overflow(a, b, &p) || p > MUCH ? MUCH : p;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return b > 0 ? (a + b - 1) / b : a;
}

/* Processors a task needs. */
static int64_t per_task(const slurm_job_info_t *j)
{
    int64_t c = asked16(j->cpus_per_task);

    return c > 1 ? c : 1;
}

/* Processors that it takes in all: those of its tasks, and while it waits the least it
 * may have, which scontrol update numcpus= sets apart from its tasks. */
static int64_t all_procs(const slurm_job_info_t *j, int64_t tasks)
{
    int64_t sum = amount_times(tasks, per_task(j)), least = asked32(j->num_cpus);

    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING && least > sum ? least : sum;
}

/* Processors without which it takes no node: of MaxMemPerCPU Slurm makes more than a
 * task has, where a node is to have more memory. */
static int64_t least_of_a_node(const slurm_job_info_t *j)
{
    int64_t least = asked16(j->pn_min_cpus);

    return least > per_task(j) ? least : per_task(j);
}

static bool memory_by_node(const struct adapter *a, const slurm_job_info_t *j)
{
    return a->facts.memory && !(j->pn_min_memory & MEM_PER_CPU)
           && j->pn_min_memory != NO_VAL64 && !j->mem_per_tres;
}

/* Nodes it takes: as asked or estimated, and as the devices of the whole job need. */
static int64_t nodes_of(const struct adapter *a, const slurm_job_info_t *j)
{
    int64_t n = asked32(j->num_nodes), most = gres_most(a, j->tres_per_job),
            devices = gres_devices(j->tres_per_job);

    n = n > 0 ? n : 1;
    if (j->max_nodes != 0 && n > j->max_nodes)
        n = j->max_nodes; /* an estimate, that knows nothing of --overcommit */
    if (most > 0 && ceil_div(devices, most) > n)
        n = ceil_div(devices, most);
    return n < INT32_MAX ? n : INT32_MAX;
}

/* "cpu=6,mem=600M,node=1,billing=6": the fewest nodes that it asks for. The number of
 * nodes that is told beside that is an estimate. 0: not told. */
static uint32_t least_in(const char *tres)
{
    const char *at = tres != NULL ? strstr(tres, "node=") : NULL;

    return at != NULL && (at == tres || at[-1] == ',')
               ? (uint32_t)strtoul(at + strlen("node="), NULL, 10)
               : 0;
}

uint32_t request_least_nodes(const slurm_job_info_t *j)
{
    uint32_t least = least_in(j->tres_req_str);

    if (j->max_nodes == 0)
        return least > 0 ? least : 1;
    least = least > 0 ? least : j->num_nodes;
    return least < j->max_nodes ? least : j->max_nodes;
}

/* Tasks that have so much memory of each node, however many are there, may lie wherever
 * that is free: equal parts on as few nodes as could do may never be, or later. Where
 * memory is limited it is counted by nodes, as Slurm counts it: their number has to be
 * told. */
static bool shares_memory(const struct adapter *a, const slurm_job_info_t *j)
{
    bool divides = j->max_nodes != 0 ? nodes_of(a, j) > 1 && asked32(j->num_tasks) > 1
                                     : !a->memory_limited && asked32(j->num_tasks) > 1;

    return divides && memory_by_node(a, j) && asked16(j->ntasks_per_node) == 0
           && j->pn_min_memory > 0;
}

static bool by_node(const struct adapter *a, const slurm_job_info_t *j, int64_t tasks)
{
    bool counted = j->max_nodes != 0;
    int64_t n = nodes_of(a, j);

    return (memory_by_node(a, j) && !shares_memory(a, j))
           || (counted && (n == 1 || tasks < n || asked16(j->ntasks_per_node) > 0))
           || j->tres_per_node || j->tres_per_socket || j->tres_per_job
           || (least_of_a_node(j) > per_task(j) && (counted || !shares_memory(a, j)))
           || j->pn_min_tmp_disk;
}

/* -s: it shares processors where its partition lets it. */
static bool wants_shares(const slurm_job_info_t *j)
{
    return j->shared == 1;
}

/* --exclusive=user, and =mcs where labels are users. */
static bool wants_own_nodes(const struct adapter *a, const slurm_job_info_t *j)
{
    return j->shared == 2 || (j->shared == 3 && a->facts.user_labels);
}

static int64_t share_of(const struct adapter *a, const slurm_job_info_t *j)
{
    return parts_job_share(a, j->partition, wants_shares(j));
}

/* Where a processor counts for several jobs a node seems to have room for more of one
 * job than it has. */
static bool beyond_a_node(
    const struct adapter *a, const slurm_job_info_t *j, int64_t tasks)
{
    return share_of(a, j) > 1 && all_procs(j, tasks) > a->most_procs;
}

static bool exclusive(const struct adapter *a, const slurm_job_info_t *j)
{
    bool all = false;

    for (const char *list = j->partition; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        all |= p != NULL && p->exclusive;
    }
    return a->facts.whole_node || j->shared == 0 || all;
}

static void add_gres(struct request_room *room, const slurm_job_info_t *j,
    int64_t tasks, struct req_desc *q)
{
    int64_t all = q->tasks > 0 ? q->tasks : (int64_t)q->nodes * (q->tpn ? q->tpn : 1);
    const struct gres_part node = {1, 1, all}, job = {1, q->tasks, all},
                           task = {q->nodes > 0 ? tasks : q->tasks, q->tasks, all};

    gres_add(room, &q->gres, j->tres_per_node, node);
    gres_add(room, &q->gres, j->tres_per_socket, node);
    gres_add(room, &q->gres, j->tres_per_job, job);
    gres_add(room, &q->gres, j->tres_per_task, task);
}

/* Devices that a task of the request has, and what each brings along. */
static void add_devices(
    const struct adapter *a, const slurm_job_info_t *j, struct req_desc *q)
{
    int64_t devices = 0, procs, mb = gres_devices(j->mem_per_tres);

    for (const struct gres_cfg *g = q->gres; g && g->name; g++)
        devices += strchr(g->name, ':') == NULL ? g->count : 0;
    procs = amount_times(devices, gres_devices(j->cpus_per_tres));
    if (q->per_task.v[RES_PROCS] >= 0 && procs > q->per_task.v[RES_PROCS]) {
        if ((j->pn_min_memory & MEM_PER_CPU) && q->per_task.v[RES_PROCS] > 0)
            q->per_task.v[RES_MEM] =
                amount_times(q->per_task.v[RES_MEM] / q->per_task.v[RES_PROCS], procs);
        q->per_task.v[RES_PROCS] = procs;
    }
    if (a->facts.memory && mb > 0 && q->per_task.v[RES_PROCS] >= 0)
        q->per_task.v[RES_MEM] = amount_times(devices, mb);
}

/* ---- shapes ---- */

/* Do nodes of one size count more processors than they have? */
static bool counts_shares(const struct adapter *a, const slurm_job_info_t *j)
{
    return !a->uneven && parts_count_often(a, j->partition);
}

static void whole_nodes(
    const struct adapter *a, const slurm_job_info_t *j, struct req_desc *q)
{
    q->tasks = (uint32_t)nodes_of(a, j);
    q->nodes = q->tasks;
    q->tpn = 1;
    q->per_task.v[RES_PROCS] = -1;
    q->access = ACCESS_SINGLEJOB;
    if (counts_shares(a, j)) { /* each processor of the node once */
        q->per_task.v[RES_PROCS] = a->most_procs;
        if (share_of(a, j) > 1) /* others have them as well */
            q->access = ACCESS_SHARED;
    }
    if (asked16(j->pn_min_cpus) > 1)
        q->procs = (struct cmp){CMP_GE, j->pn_min_cpus};
    if (j->pn_min_memory && !(j->pn_min_memory & MEM_PER_CPU)
        && j->pn_min_memory != NO_VAL64)
        q->mem = (struct cmp){CMP_GE, (int64_t)j->pn_min_memory};
}

static void node_tasks(
    struct adapter *a, const slurm_job_info_t *j, int64_t tasks, struct req_desc *q)
{
    int64_t n = nodes_of(a, j), each, share = ceil_div(all_procs(j, tasks), n);

    each = asked16(j->ntasks_per_node);
    if (each == 0)
        each = ceil_div(tasks, n);
    q->tasks = q->nodes = (uint32_t)n;
    q->tpn = 1;
    q->per_task.v[RES_PROCS] = amount_times(each, per_task(j));
    if (share > q->per_task.v[RES_PROCS])
        q->per_task.v[RES_PROCS] = share;
    if (asked16(j->pn_min_cpus) > q->per_task.v[RES_PROCS])
        q->per_task.v[RES_PROCS] = j->pn_min_cpus;
    /* two of them on a node would be one node too few, where they fit */
    q->exact = n > 1 && 2 * q->per_task.v[RES_PROCS] <= a->most_procs * share_of(a, j);
    q->per_task.v[RES_DISK] = j->pn_min_tmp_disk;
    if (!a->facts.memory || j->pn_min_memory == NO_VAL64)
        return;
    if (j->pn_min_memory & MEM_PER_CPU)
        q->per_task.v[RES_MEM] = amount_times(
            (int64_t)(j->pn_min_memory & ~MEM_PER_CPU), q->per_task.v[RES_PROCS]);
    else if (j->pn_min_memory == 0)
        q->per_task.v[RES_MEM] = -1; /* all of the node's */
    else
        q->per_task.v[RES_MEM] = (int64_t)j->pn_min_memory;
}

/* Is a task one of the job's devices, whose part of the processors a node could have?
 * Later releases have -c among what each of its own tasks has, "cpu=2": no device. */
static bool by_device(const struct adapter *a, const slurm_job_info_t *j, int64_t tasks)
{
    int64_t devices = gres_devices(j->tres_per_job);

    return devices > 0 && ceil_div(all_procs(j, tasks), devices) <= a->most_procs
           && devices < INT32_MAX && gres_kinds(j->tres_per_job) == 1
           && !j->tres_per_node && !j->tres_per_socket
           && gres_devices(j->tres_per_task) == 0 && !memory_by_node(a, j)
           && !(j->max_nodes != 0 && devices < asked32(j->num_nodes));
}

static void device_tasks(
    struct adapter *a, const slurm_job_info_t *j, int64_t tasks, struct req_desc *q)
{
    int64_t devices = gres_devices(j->tres_per_job);

    q->tasks = (uint32_t)devices;
    q->per_task.v[RES_PROCS] = ceil_div(all_procs(j, tasks), devices);
    if (j->max_nodes != 0) {
        q->nodes = (uint32_t)asked32(j->num_nodes);
        q->exact = q->nodes > 1;
    }
    if (a->facts.memory && j->pn_min_memory & MEM_PER_CPU
        && j->pn_min_memory != NO_VAL64)
        q->per_task.v[RES_MEM] = amount_times(
            (int64_t)(j->pn_min_memory & ~MEM_PER_CPU), q->per_task.v[RES_PROCS]);
}

/* Tasks to be planned: more than the job's where it has processors beside them. */
static int64_t planned_tasks(const slurm_job_info_t *j, int64_t tasks)
{
    return ceil_div(all_procs(j, tasks), per_task(j));
}

static void free_tasks(
    struct adapter *a, const slurm_job_info_t *j, int64_t tasks, struct req_desc *q)
{
    int64_t each = shares_memory(a, j) ? least_of_a_node(j) : per_task(j);

    q->tasks = (uint32_t)ceil_div(all_procs(j, tasks), each);
    q->tpn = (uint32_t)asked16(j->ntasks_per_node);
    q->per_task.v[RES_PROCS] = each;
    /* As the tasks find room on so many. On more nodes than it has tasks a job would be
     * given more tasks. */
    if (j->max_nodes != 0 || q->tasks > tasks) {
        q->nodes = (uint32_t)nodes_of(a, j);
        q->exact = true;
    }
    if (a->facts.memory && j->pn_min_memory & MEM_PER_CPU
        && j->pn_min_memory != NO_VAL64)
        q->per_task.v[RES_MEM] = amount_times(
            (int64_t)(j->pn_min_memory & ~MEM_PER_CPU), q->per_task.v[RES_PROCS]);
    else if (shares_memory(a, j))
        q->mem_per_node_mb = (int64_t)j->pn_min_memory;
}

/* One request for each counted feature, on nodes of its own, and one for the rest. */
static void split_counted(struct adapter *a, const slurm_job_info_t *j,
    struct request_room *room, const struct wish *w)
{
    struct req_desc whole = room->req[0];
    slurm_job_info_t as = *j;
    uint32_t sum = 0;

    for (size_t i = 0; i < w->counted.n; i++)
        sum += w->counted.v[i].nodes;
    if (sum == 0)
        return;
    as.num_nodes = as.max_nodes = (uint32_t)nodes_of(a, j);
    if (as.num_nodes < sum)
        as.num_nodes = as.max_nodes = sum;
    if (whole.per_task.v[RES_PROCS] >= 0)
        node_tasks(
            a, &as, asked32(j->num_tasks) > 0 ? asked32(j->num_tasks) : 1, &whole);
    room->req = request_take(room, w->counted.n + 1, sizeof *room->req);
    room->nreqs = 0;
    room->naming = NAMES_ALONE;
    for (size_t i = 0; i <= w->counted.n; i++) {
        struct req_desc *q = &room->req[room->nreqs];
        uint32_t n = i < w->counted.n ? w->counted.v[i].nodes : as.num_nodes - sum;

        if (n == 0)
            continue;
        *q = whole;
        q->tasks = q->nodes = n;
        if (i < w->counted.n)
            features_add(room, q, w->counted.v[i].name);
        room->nreqs++;
    }
}

/* Which nodes its owner named: a start that wrote others there keeps these in the
 * comment. */
static const char *own_nodes(const slurm_job_info_t *j, struct request_room *room)
{
    struct asked k = {0};
    const char *list =
        (j->job_state & JOB_STATE_BASE) == JOB_PENDING ? j->req_nodes : NULL;

    if (asked_is_text(j->admin_comment)) {
        asked_parse(&k, j->admin_comment);
        list = k.nodes;
        vec_push(&room->blocks, k.nodes);
        k.nodes = NULL;
    }
    asked_free(&k);
    return list;
}

/* Whoever names several nodes (-w) has all of them, however few tasks there are: as if
 * so many had been asked for (-N). Where the tasks do not fit there in equal parts the
 * nodes are taken one after another. The copy is `ret`. */
static const slurm_job_info_t *on_each_named_node(struct adapter *a,
    const slurm_job_info_t *j, struct request_room *room, slurm_job_info_t *ret)
{
    const char *const *names = request_hosts(room, own_nodes(j, room));
    int64_t n = 0, tasks = asked32(j->num_tasks) > 0 ? asked32(j->num_tasks) : 1;

    while (names != NULL && names[n] != NULL)
        n++;
    if (n < 2 || n < nodes_of(a, j) || (j->max_nodes != 0 && n == nodes_of(a, j))
        || exclusive(a, j)
        || amount_times(ceil_div(tasks, n), per_task(j)) > nodes_least_procs(a, names))
        return j;
    *ret = *j;
    ret->num_nodes = ret->max_nodes = (uint32_t)n;
    return ret;
}

/* --prefer of one feature: nodes that have it go first, whatever else says which. */
static void prefer_feature(
    const slurm_job_info_t *j, struct request_room *room, struct req_desc *q)
{
    const char **list;

    if (j->prefer == NULL || *j->prefer == '\0' || strpbrk(j->prefer, ",&|*[]()"))
        return;
    list = request_take(room, 2, sizeof *list);
    list[0] = j->prefer;
    q->prefs = list;
    if (q->nodealloc == NODEALLOC_UNSET)
        q->nodealloc = NODEALLOC_PRIORITY;
}

static uint32_t count_names(const slurm_job_info_t *j, struct request_room *room)
{
    const char *const *names = request_hosts(room, own_nodes(j, room));
    uint32_t n = 0;

    while (names != NULL && names[n] != NULL)
        n++;
    return n;
}

/* The fewest nodes on which its processors could be. */
static uint32_t fewest_nodes(const struct adapter *a, const slurm_job_info_t *j)
{
    int64_t n = ceil_div(all_procs(j, asked32(j->num_tasks)), a->most_procs);

    return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

/* So many nodes at least, and no most (scontrol update numnodes=2): no more than it has
 * tasks. What named nodes come to is no wish of its own. The copy is `ret`. */
static const slurm_job_info_t *within_tasks(const struct adapter *a,
    const slurm_job_info_t *j, struct request_room *room, slurm_job_info_t *ret)
{
    uint32_t least = request_least_nodes(j), few = fewest_nodes(a, j);

    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || j->max_nodes != 0
        || least <= 1 || least <= count_names(j, room))
        return j;
    *ret = *j;
    few = few > least ? few : least;
    ret->num_nodes = asked32(j->num_nodes) > few ? j->num_nodes : few;
    ret->max_nodes = asked32(j->num_tasks) > few ? j->num_tasks : few;
    return ret;
}

/* Any number of nodes within bounds (-N 1-3, of later releases -n 3 alone): where the
 * bounds bind nobody as if there were none, else on as many as Slurm estimates, and as
 * could do. The copy is `ret`. */
static const slurm_job_info_t *within_bounds(const struct adapter *a,
    const slurm_job_info_t *j, struct request_room *room, slurm_job_info_t *ret)
{
    int64_t tasks = asked32(j->num_tasks);
    uint32_t least = request_least_nodes(j), few = fewest_nodes(a, j);
    bool bind = least > 1 || planned_tasks(j, tasks) > j->max_nodes;

    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || least >= j->max_nodes
        || tasks <= least || asked16(j->ntasks_per_node) > 0 || exclusive(a, j)
        || (bind && count_names(j, room) > 0))
        return j;
    *ret = *j;
    if (!bind)
        ret->max_nodes = 0;
    if (!bind || few > j->num_nodes)
        ret->num_nodes = few; /* at most max_nodes are taken, see nodes_of() */
    return ret;
}

static void one_request(struct adapter *a, const slurm_job_info_t *j,
    struct request_room *room, struct req_desc *q, bool splits)
{
    int64_t tasks = asked32(j->num_tasks);
    slurm_job_info_t least, bound, named;
    struct wish w;

    j = within_tasks(a, j, room, &least);
    j = within_bounds(a, j, room, &bound);
    j = on_each_named_node(a, j, room, &named);
    *q = (struct req_desc){.access = ACCESS_UNSET, .nodealloc = NODEALLOC_UNSET};
    tasks = tasks > 0 ? tasks : 1;
    if (asked32(j->num_cpus) > 0 && asked32(j->num_cpus) < tasks) {
        tasks = asked32(j->num_cpus); /* --overcommit: they share processors, */
        room->naming = NAMES_NONE; /* and Slurm refuses them beside a list of nodes */
    }
    if (exclusive(a, j))
        whole_nodes(a, j, q);
    else if (by_device(a, j, tasks))
        device_tasks(a, j, tasks, q);
    else if (by_node(a, j, tasks) || beyond_a_node(a, j, tasks))
        node_tasks(a, j, tasks, q);
    else
        free_tasks(a, j, tasks, q);
    q->sharing = parts_sharing(a, request_partitions(j, room), wants_shares(j));
    add_gres(room, j, tasks, q);
    add_devices(a, j, q);
    q->exclude = request_hosts(room, j->exc_nodes);
    features_with_gres(a, j->tres_per_node, room, q);
    if (j->contiguous)
        q->nodealloc = NODEALLOC_CONTIGUOUS;
    if (q->access == ACCESS_UNSET && wants_own_nodes(a, j))
        q->access = ACCESS_SINGLEUSER;
    gres_add(room, &q->job_gres, j->licenses, (struct gres_part){1, 1, 1});
    features_wish(&w, request_features(j, room), room);
    features_take(a, &w, room, q);
    prefer_feature(j, room, q);
    switches_take(a, j, room, q);
    splits &= j->req_nodes == NULL || *j->req_nodes == '\0';
    if (w.odd || (w.counted.n > 0 && !splits))
        room->naming = NAMES_NONE;
    if (splits && !w.odd)
        split_counted(a, j, room, &w);
}

/* ---- dependencies ---- */

static const struct {
    const char *word;
    enum dep_type type;
} dep_kinds[] = {{"after", DEP_STARTED}, {"afterany", DEP_COMPLETED},
    {"afterok", DEP_SUCCESS}, {"afternotok", DEP_FAILED},
    {"afterburstbuffer", DEP_COMPLETED}};

/* "after:12+5(unfulfilled)": when the five minutes since its start are over; 0: it has
 * not begun. -1: not such a term, or of a job that we do not know. */
static time_t delay_of(const struct adapter *a, const char *term)
{
    const struct told_job *on;
    char id[40];
    unsigned minutes;

    if (sscanf(term, "after:%39[0-9_]+%u", id, &minutes) != 2)
        return -1;
    on = jobs_find((struct adapter *)a, id);
    if (on == NULL)
        return -1;
    return on->start_at != 0 ? on->start_at + 60 * (time_t)minutes : 0;
}

/* Of all such terms the latest. */
static time_t delays(const struct adapter *a, const char *dependency)
{
    time_t until = 0;

    for (const char *at = dependency; at != NULL; at = strpbrk(at, ",?")) {
        time_t one = delay_of(a, at += strspn(at, ",?"));
        until = one > until ? one : until;
    }
    return until;
}

/* "afterok:12(unfulfilled)": a term of a job that we know. */
static bool read_term(struct adapter *a, struct request_room *room, const char *term)
{
    size_t word = strcspn(term, ":"), id;
    const struct told_job *on;
    struct dep dep;

    if (term[word] != ':')
        return false;
    id = strcspn(term + word + 1, "(+:_,?");
    for (size_t i = 0; i < sizeof dep_kinds / sizeof dep_kinds[0]; i++) {
        if (strlen(dep_kinds[i].word) != word
            || strncmp(term, dep_kinds[i].word, word) != 0)
            continue;
        if (term[word + 1 + id] == '+') /* then a release time: see delays() */
            return delay_of(a, term) > 0;
        dep = (struct dep){dep_kinds[i].type, request_text(room, term + word + 1, id)};
        on = jobs_find(a, dep.job_id);
        if (on == NULL || on->over)
            return false;
        vec_push(&room->deps, dep);
        return true;
    }
    return false;
}

/* Terms that Slurm still waits for. What is about jobs that are over or not known, or
 * of another kind, Slurm alone can tell. */
static void dependencies(
    struct adapter *a, const slurm_job_info_t *j, struct request_room *room)
{
    char *save = NULL, *copy;

    if (j->dependency == NULL || *j->dependency == '\0')
        return;
    copy = request_text(room, j->dependency, strlen(j->dependency));
    for (char *term = strtok_r(copy, ",", &save); term != NULL;
         term = strtok_r(NULL, ",", &save))
        if (strchr(term, '?') != NULL || !read_term(a, room, term)) {
            char *why = request_take(room, strlen(j->dependency) + 60, 1);
            sprintf(why,
                j->state_reason == WAIT_DEP_INVALID
                    ? "its dependency %s can no longer be satisfied"
                    : "Slurm waits for its dependency %s",
                j->dependency);
            room->why_not = why;
        }
    vec_push(&room->deps, ((struct dep){0}));
}

bool request_knows_dependencies(const struct adapter *a, const slurm_job_info_t *j)
{
    struct request_room room = {0};
    bool known;

    dependencies((struct adapter *)a, j, &room);
    known = room.why_not == NULL;
    request_free_room(&room);
    return known;
}

/* ---- credentials ---- */

static const char *user_of(struct adapter *a, const slurm_job_info_t *j)
{
    return j->user_name != NULL && *j->user_name != '\0' ? j->user_name
                                                         : names_user(a, j->user_id);
}

static const char *none_if_empty(const char *text)
{
    return text && *text ? text : NULL;
}

static bool differ_in_partition(const struct parts *parts)
{
    for (uint32_t i = 1; i < parts->n; i++)
        if (strcmp(parts->v[0]->partition, parts->v[i]->partition) != 0)
            return true;
    return false;
}

/* ---- partitions ---- */

const char *request_partitions(const slurm_job_info_t *j, struct request_room *room)
{
    struct asked k = {0};

    if ((j->job_state & JOB_STATE_BASE) == JOB_PENDING
        && asked_is_text(j->admin_comment))
        asked_parse(&k, j->admin_comment);
    const char *list = k.partition != NULL ? k.partition : j->partition;
    vec_push(&room->blocks, k.partition);
    k.partition = NULL;
    asked_free(&k);
    return list;
}

const char *request_features(const slurm_job_info_t *j, struct request_room *room)
{
    struct asked k = {0};
    const char *list = j->features;

    if ((j->job_state & JOB_STATE_BASE) == JOB_PENDING
        && asked_is_text(j->admin_comment))
        asked_parse(&k, j->admin_comment);
    if (k.cleared) {
        list = k.features;
        vec_push(&room->blocks, k.features);
        k.features = NULL;
    }
    asked_free(&k);
    return list;
}

const char *request_exclude(const slurm_job_info_t *j, struct request_room *room)
{
    struct asked k = {0};
    const char *list = j->exc_nodes;

    if ((j->job_state & JOB_STATE_BASE) == JOB_PENDING
        && asked_is_text(j->admin_comment))
        asked_parse(&k, j->admin_comment);
    if (k.fenced) {
        list = k.exclude;
        vec_push(&room->blocks, k.exclude);
        k.exclude = NULL;
    }
    asked_free(&k);
    return list;
}

uint32_t request_limit(const slurm_job_info_t *j, uint32_t *ret_least)
{
    struct asked k = {0};

    if ((j->job_state & JOB_STATE_BASE) == JOB_PENDING
        && asked_is_text(j->admin_comment))
        asked_parse(&k, j->admin_comment);
    *ret_least = k.timed ? k.least : j->time_min < NO_VAL ? j->time_min : 0;
    uint32_t limit = k.timed ? k.limit : j->time_limit;
    asked_free(&k);
    return limit;
}

/* Without a limit of its own it could not be given that back. */
uint32_t request_least(const slurm_job_info_t *j)
{
    uint32_t least, limit = request_limit(j, &least);

    return least != 0 && limit != NO_VAL && least < limit ? least : 0;
}

/* Those that may start jobs, in the order named. */
static void classes_of(const struct adapter *a, const slurm_job_info_t *j,
    const char *list, struct job_desc *d, struct request_room *room)
{
    const char *all = list,
               **out = request_take(room, strlen(list) / 2 + 2, sizeof *out);
    size_t n = 0;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        if (p != NULL && p->open && parts_takes(a, all, wants_shares(j), p))
            out[n++] = p->name;
    }
    d->cred[CRED_CLASS] = out[0];
    d->classes = out;
}

/* Of jobs that ask for no limit: never too short, whichever it will be. */
static int64_t longest_default(const struct adapter *a, const char *list)
{
    int64_t most = 0;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        most = p != NULL && p->default_s > most ? p->default_s : most;
    }
    return most;
}

void request_of(struct adapter *a, const struct parts *parts, struct rm_job *ret,
    struct request_room *room)
{
    const slurm_job_info_t *j = parts->v[0];
    const char *list = request_partitions(j, room);
    const struct part *p = part_find(a, list);
    struct job_desc *d = &ret->desc;
    bool waits = (j->job_state & JOB_STATE_BASE) == JOB_PENDING;
    uint32_t least, limit = request_limit(j, &least);

    d->cred[CRED_USER] = user_of(a, j);
    d->cred[CRED_GROUP] = names_group(a, j->group_id);
    d->cred[CRED_ACCOUNT] = none_if_empty(j->account);
    d->cred[CRED_QOS] = none_if_empty(j->qos);
    d->cred[CRED_CLASS] = p ? p->name : none_if_empty(j->partition);
    if (p && parts_open(a, list) == 0)
        room->why_not = "its partition is down, or its jobs may not start";
    else if (parts->n == 1 && part_next(list) != NULL)
        classes_of(a, j, list, d, room);
    d->submit_at = times_here(a, j->submit_time);
    if (limit == INFINITE)
        d->wclimit_s = DURATION_UNLIMITED;
    else if (limit != NO_VAL)
        d->wclimit_s = (int64_t)limit * 60;
    else
        d->wclimit_s = longest_default(a, list);
    if (parts->n == 1)
        d->min_wclimit_s = (int64_t)request_least(j) * 60;
    d->overtime_s = part_overtime(a, part_find(a, j->partition));
    d->release_at = notes_release_at(a, j);
    if (delays(a, j->dependency) > d->release_at)
        d->release_at = delays(a, j->dependency);
    d->release_at = times_here(a, d->release_at);
    d->deadline_at = times_here(a, j->deadline);
    d->admitted = true; /* slurmctld has looked at associations, partition and QOS */
    d->user_priority = (int64_t)NICE_OFFSET - (int64_t)j->nice;
    d->fixed_priority = job_priority_given(j);
    d->tier = parts_rank(a, list);
    if (j->requeue)
        d->flags |= JOB_RESTARTABLE;
    room->req = request_take(room, parts->n, sizeof *room->req);
    room->nreqs = parts->n;
    for (uint32_t i = 0; i < parts->n; i++)
        one_request(a, parts->v[i], room, &room->req[i], parts->n == 1 && waits);
    if (differ_in_partition(parts)) { /* a job of ours has one class */
        d->cred[CRED_CLASS] = NULL;
        for (uint32_t i = 0; i < parts->n; i++)
            features_within(a, parts->v[i]->partition, room, &room->req[i]);
    }
    d->reqs = room->req;
    d->nreqs = room->nreqs;
    if (parts->n > 1 && !UPDATE_TAKES_PARTS && room->naming != NAMES_NONE)
        room->naming = NAMES_OTHERS;
    if (d->nreqs > 1)
        d->flags |= JOB_APART; /* as Slurm places components and counted features */
    dependencies(a, j, room);
    d->deps = room->deps.v;
    d->advres = none_if_empty(j->resv_name);
    d->command = none_if_empty(j->command);
    ret->name = none_if_empty(j->name);
    ret->directory = none_if_empty(j->work_dir);
    ret->output = none_if_empty(j->std_out);
    ret->error = none_if_empty(j->std_err);
}

/* As its owner asked for, not as a start has overwritten it. At least one node is
 * what any job asks for. What several named nodes come to depends on their sizes. */
static uint64_t digest_nodes(
    const struct adapter *a, uint64_t h, const slurm_job_info_t *j)
{
    struct asked k = {0};
    uint32_t sizes;

    if (asked_is_text(j->admin_comment))
        asked_parse(&k, j->admin_comment);
    else
        jobs_remember_part(&k, j);
    sizes = k.nodes != NULL && strpbrk(k.nodes, ",[") != NULL ? a->resized : 0;
    const uint32_t counts[] = {k.min_nodes > 1 ? k.min_nodes : 0, k.max_nodes, sizes};
    h = digest_bytes(digest_text(h, k.nodes), counts, sizeof counts);
    asked_free(&k);
    return h;
}

static uint64_t digest_part(
    const struct adapter *a, uint64_t h, const slurm_job_info_t *j)
{
    struct request_room room = {0};
    const char *list = request_partitions(j, &room);
    const char *const texts[] = {j->account, j->qos, list, request_features(j, &room),
        request_exclude(j, &room), j->licenses, j->tres_per_job, j->tres_per_node,
        j->tres_per_socket, j->tres_per_task, j->cpus_per_tres, j->mem_per_tres,
        j->dependency, j->resv_name, j->name, j->prefer};
    const uint64_t numbers[] = {
        gres_is_spared(a, j->tres_per_node) ? 1 + a->resized : 0, request_least(j),
        j->num_tasks, j->cpus_per_task, j->num_cpus, j->ntasks_per_node, j->pn_min_cpus,
        j->pn_min_memory, j->pn_min_tmp_disk, j->shared, j->nice, job_priority_given(j),
        (uint64_t)j->deadline,
        /* a release sets it to now */
        (uint64_t)notes_release_at(a, j), j->requeue, j->contiguous,
        switches_bind(a, j), part_next(list) != NULL ? parts_open(a, list) : 0,
        (uint64_t)parts_rank(a, list), (uint64_t)delays(a, j->dependency),
        (uint64_t)parts_sharing(a, list, wants_shares(j)), (uint64_t)share_of(a, j),
        (uint64_t)part_overtime(a, part_find(a, j->partition)), shares_memory(a, j)};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        h = digest_text(h, texts[i]);
    request_free_room(&room);
    return digest_nodes(a, digest_bytes(h, numbers, sizeof numbers), j);
}

uint64_t request_digest(const struct adapter *a, const struct parts *parts)
{
    uint64_t h = DIGEST_START;

    for (uint32_t i = 0; i < parts->n; i++)
        h = digest_part(a, h, parts->v[i]);
    return h;
}
