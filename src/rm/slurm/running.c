/* SPDX-License-Identifier: Apache-2.0
 * Where a job runs, and what it has there, as Slurm gave it. */
#include "config/texts.h"
#include "records/describe.h"
#include "rm/slurm/adapter.h"

/* ---- where it runs ---- */

/* Nodes of a part, and its processors on each. */
struct lying {
    const char *const *hosts;
    size_t n;
    const int *cpus;
};

/* A node that a job has is its place, though it be without a processor there: Slurm
 * 26.05 starts one so whose nodes were made more than its tasks. None anywhere: that is
 * not told. */
static void fill_empty(int *cpus, size_t n)
{
    size_t told = 0;

    while (told < n && cpus[told] <= 0)
        told++;
    for (size_t i = 0; i < n && told < n; i++)
        if (cpus[i] == 0)
            cpus[i] = 1;
}

/* Of the i-th part; what Slurm says of that is asked for once. */
static struct lying read_lying(
    const struct parts *parts, uint32_t i, struct request_room *room)
{
    struct lying l = {.hosts = request_hosts(room, parts->v[i]->nodes)};

    while (l.hosts != NULL && l.hosts[l.n] != NULL)
        l.n++;
    if (room->cpus[i] == NULL) {
        int *cpus = request_take(room, l.n + 1, sizeof *cpus);

        slurm_job_cpus(parts->v[i], l.hosts, l.n, cpus);
        fill_empty(cpus, l.n);
        room->cpus[i] = cpus;
    }
    l.cpus = room->cpus[i];
    return l;
}

/* Devices of the job on its i-th node, as Slurm tells them. */
static const char *devices_on(const slurm_job_info_t *j, size_t i)
{
    return i < j->gres_detail_cnt && j->gres_detail_str != NULL ? j->gres_detail_str[i]
                                                                : NULL;
}

/* Of a request whose tasks are devices: those on the node. Else 0. */
static int64_t device_tasks_on(
    const slurm_job_info_t *j, const struct req_desc *q, size_t i)
{
    if (j->tres_per_job == NULL || q->gres == NULL || q->gres[0].count != 1
        || q->tasks != gres_devices(j->tres_per_job))
        return 0;
    return gres_devices(devices_on(j, i));
}

/* Tasks of a part on its nodes; the last node gets what is left of them, unless the job
 * has become smaller and it does not hold so many. */
static size_t place_part(const slurm_job_info_t *j, const struct req_desc *q,
    const struct lying *l, uint32_t req, struct job_place *ret)
{
    int64_t c = q->per_task.v[RES_PROCS], left = q->tasks;

    for (size_t n = 0; n < l->n; n++) {
        int cpus = l->cpus[n];
        int64_t tasks = device_tasks_on(j, q, n);

        if (tasks == 0)
            tasks = c > 0 && cpus > c ? cpus / c : 1;
        if (tasks > left || (n + 1 == l->n && c > 0 && (cpus == 0 || left * c <= cpus)))
            tasks = left > 0 ? left : 1;
        left -= tasks;
        ret[n] = (struct job_place){
            .node = l->hosts[n], .tasks = (uint32_t)tasks, .req = req};
    }
    return l->n;
}

/* By nodes: a task on each, of the request that `shapes` has for it; those of one
 * request after those of another. */
static size_t place_by_nodes(const uint32_t *shapes, uint32_t first, uint32_t n,
    const struct lying *l, struct job_place *ret)
{
    size_t placed = 0;

    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < l->n; k++)
            if (shapes[k] == i)
                ret[placed++] = (struct job_place){
                    .node = l->hosts[k], .tasks = 1, .req = first + i};
    return placed;
}

void request_places(
    const struct parts *parts, struct rm_job *ret, struct request_room *room)
{
    struct lying lying[PARTS_MAX];
    struct job_place *places;
    size_t n = 0;
    uint32_t first = 0;

    for (uint32_t i = 0; i < parts->n; i++) {
        lying[i] = read_lying(parts, i, room);
        n += lying[i].n;
    }
    places = request_take(room, n + 1, sizeof *places);
    n = 0;
    for (uint32_t i = 0; i < parts->n; i++) {
        if (room->splits[i] > 0)
            n += place_by_nodes(
                room->shapes[i], first, room->splits[i], &lying[i], places + n);
        else
            n += place_part(
                parts->v[i], &room->req[first], &lying[i], first, places + n);
        first += room->splits[i] > 0 ? room->splits[i] : 1;
    }
    ret->places = places;
    ret->nplaces = n;
}

/* ---- what it has there ---- */

/* Greatest common divisor of the processors on its nodes, and their sum. */
static int64_t measure(const struct lying *l, int64_t *ret_sum)
{
    int64_t gcd = 0;

    *ret_sum = 0;
    for (size_t i = 0; i < l->n; i++) {
        int64_t b = l->cpus[i];

        *ret_sum += b;
        while (b > 0) {
            int64_t rest = gcd % b;
            gcd = b;
            b = rest;
        }
    }
    return gcd;
}

/* As many on a node as it has tasks or luck there. */
static bool devices_lie_elsewhere(const slurm_job_info_t *j)
{
    return j->tres_per_job != NULL || j->tres_per_socket != NULL
           || gres_devices(j->tres_per_task) > 0;
}

/* Is there something that a node gives it once, however many of its tasks it has? */
static bool takes_by_node(const slurm_job_info_t *j, const struct req_desc *q)
{
    return q->per_task.v[RES_DISK] > 0 || q->gres != NULL || q->mem_per_node_mb > 0
           || (q->per_task.v[RES_MEM] != 0 && !(j->pn_min_memory & MEM_PER_CPU));
}

/* Are its devices told, node by node? */
static bool tells_devices(const slurm_job_info_t *j, const struct req_desc *q)
{
    return q->gres != NULL && j->gres_detail_cnt > 0;
}

/* "gpu:a100:2(IDX:0-1),disk(CNT:5)" with its counts where a request has them; owned by
 * the room. */
static const char *count_devices(const char *told, struct request_room *room)
{
    char *text = request_text(room, told != NULL ? told : "", told ? strlen(told) : 0);

    for (char *at = text; (at = strstr(at, "(CNT:")) != NULL;) {
        size_t n = strcspn(at, ")");

        memmove(at + n, at + n + (at[n] == ')'), strlen(at + n + (at[n] == ')')) + 1);
        memmove(at, at + strlen("(CNT"), strlen(at + strlen("(CNT")) + 1);
    }
    return text;
}

/* What it has of generic resources on its i-th node. */
static const struct gres_cfg *devices_held(
    const slurm_job_info_t *j, size_t i, struct request_room *room)
{
    const struct gres_cfg *list = NULL;

    gres_add(room, &list, count_devices(devices_on(j, i), room),
        (struct gres_part){1, 1, 1});
    return list;
}

static bool hold_the_same(const struct gres_cfg *a, const struct gres_cfg *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    for (; a->name != NULL && b->name != NULL; a++, b++)
        if (strcmp(a->name, b->name) != 0 || a->count != b->count)
            return false;
    return a->name == b->name;
}

/* Of each processor as much as is planned, for so many in a task. */
static void scale_memory(struct req_desc *q, int64_t procs)
{
    if (q->per_task.v[RES_MEM] > 0 && q->per_task.v[RES_PROCS] > 0)
        q->per_task.v[RES_MEM] =
            amount_times(q->per_task.v[RES_MEM] / q->per_task.v[RES_PROCS], procs);
}

/* Tasks as asked where these fill its nodes, else of as many processors as do. */
static void shape_by_tasks(struct req_desc *q, int64_t gcd, int64_t sum)
{
    if (gcd % q->per_task.v[RES_PROCS] == 0)
        gcd = q->per_task.v[RES_PROCS];
    scale_memory(q, gcd);
    q->per_task.v[RES_PROCS] = gcd;
    q->tasks = (uint32_t)(sum / gcd);
}

/* A task of it is what the job has on its i-th node. */
static struct req_desc shape_of_node(const slurm_job_info_t *j,
    const struct req_desc *q, size_t i, int64_t procs, struct request_room *room)
{
    struct req_desc one = *q;

    one.tasks = 0;
    one.per_task.v[RES_MEM] += one.mem_per_node_mb;
    one.mem_per_node_mb = 0;
    if (j->pn_min_memory & MEM_PER_CPU)
        scale_memory(&one, procs);
    one.per_task.v[RES_PROCS] = procs;
    if (!tells_devices(j, q))
        return one;
    one.gres = devices_held(j, i, room);
    if (j->mem_per_tres != NULL && one.per_task.v[RES_MEM] > 0)
        one.per_task.v[RES_MEM] =
            amount_times(gres_devices(devices_on(j, i)), gres_devices(j->mem_per_tres));
    return one;
}

static size_t find_shape(
    const struct req_desc *reqs, size_t n, const struct req_desc *one)
{
    size_t i = 0;

    while (i < n
           && (reqs[i].per_task.v[RES_PROCS] != one->per_task.v[RES_PROCS]
               || !hold_the_same(reqs[i].gres, one->gres)))
        i++;
    return i;
}

/* A task is what it has on a node: of nodes where it has as much one request in `ret`,
 * whose index is in ret_shapes. Returns how many these are; 0: more than a job may
 * have. */
static size_t shape_by_nodes(const slurm_job_info_t *j, const struct req_desc *q,
    const struct lying *l, struct request_room *room, size_t most, struct req_desc *ret,
    uint32_t **ret_shapes)
{
    size_t n = 0;
    uint32_t *shapes;

    *ret_shapes = shapes = request_take(room, l->n + 1, sizeof *shapes);
    for (size_t k = 0; k < l->n; k++) {
        int64_t procs = l->cpus[k];
        struct req_desc one = shape_of_node(j, q, k, procs, room);
        size_t i = find_shape(ret, n, &one);

        if (procs <= 0 || i == most)
            return 0;
        if (i == n) {
            if (i > 0)
                one.job_gres = NULL; /* the job's, once */
            ret[n++] = one;
        }
        ret[i].tasks++;
        shapes[k] = (uint32_t)i;
    }
    return n;
}

/* One part into `ret`, which has room for so many requests; how many these are; 0: it
 * is not told how it lies. */
static size_t shape_part(const struct parts *parts, uint32_t part,
    const struct req_desc *q, struct request_room *room, size_t left,
    struct req_desc *ret)
{
    const slurm_job_info_t *j = parts->v[part];
    struct lying l;
    int64_t sum, gcd;
    size_t n = 1;

    if ((devices_lie_elsewhere(j) && q->gres != NULL && !tells_devices(j, q))
        || q->per_task.v[RES_PROCS] < 0 || j->job_resrcs == NULL)
        return 0;
    l = read_lying(parts, part, room);
    gcd = measure(&l, &sum);
    if (gcd <= 0)
        return 0;
    *ret = *q;
    if (takes_by_node(j, q))
        n = shape_by_nodes(j, q, &l, room, left, ret, &room->shapes[part]);
    else
        shape_by_tasks(ret, gcd, sum);
    for (size_t i = 0; i < n; i++) {
        ret[i].nodes = ret[i].tpn = 0;
        ret[i].exact = false;
        ret[i].exclude = NULL;
    }
    return n;
}

void request_running(
    const struct parts *parts, struct rm_job *ret, struct request_room *room)
{
    struct req_desc *reqs = request_take(room, DESCRIBE_REQS_MAX, sizeof *reqs);
    uint32_t n = 0;

    ret->shaped = true;
    for (uint32_t i = 0; i < parts->n; i++) {
        size_t left = DESCRIBE_REQS_MAX - n - (parts->n - 1 - i),
               made = shape_part(parts, i, &room->req[i], room, left, reqs + n);

        room->splits[i] = made > 1 ? (uint32_t)made : 0;
        if (made == 0) {
            ret->shaped = false;
            reqs[n] = room->req[i];
        }
        n += made > 0 ? (uint32_t)made : 1;
    }
    room->req = reqs;
    room->nreqs = n;
    ret->desc.reqs = reqs;
    ret->desc.nreqs = n;
}
