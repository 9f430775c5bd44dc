/* SPDX-License-Identifier: Apache-2.0
 * Where a job runs, and what it has there, as Slurm gave it. */
#include "config/texts.h"
#include "rm/slurm/adapter.h"

/* ---- where it runs ---- */

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
    const char *const *hosts, uint32_t req, struct job_place *ret)
{
    int64_t c = q->per_task.v[RES_PROCS], left = q->tasks;
    size_t n = 0;

    for (; hosts != NULL && hosts[n] != NULL; n++) {
        int cpus = slurm_job_cpus_on(j, hosts[n]);
        int64_t tasks = device_tasks_on(j, q, n);

        if (tasks == 0)
            tasks = c > 0 && cpus > c ? cpus / c : 1;
        if (tasks > left
            || (hosts[n + 1] == NULL && c > 0 && (cpus == 0 || left * c <= cpus)))
            tasks = left > 0 ? left : 1;
        left -= tasks;
        ret[n] =
            (struct job_place){.node = hosts[n], .tasks = (uint32_t)tasks, .req = req};
    }
    return n;
}

void request_places(
    const struct parts *parts, struct rm_job *ret, struct request_room *room)
{
    const char *const *hosts[PARTS_MAX];
    struct job_place *places;
    size_t n = 0;

    for (uint32_t i = 0; i < parts->n; i++) {
        hosts[i] = request_hosts(room, parts->v[i]->nodes);
        for (const char *const *h = hosts[i]; h != NULL && *h != NULL; h++)
            n++;
    }
    places = request_take(room, n + 1, sizeof *places);
    n = 0;
    for (uint32_t i = 0; i < parts->n; i++)
        n += place_part(parts->v[i], &room->req[i], hosts[i], i, places + n);
    ret->places = places;
    ret->nplaces = n;
}

/* Greatest common divisor of the processors on its nodes, and their sum. */
static int64_t measure(
    const slurm_job_info_t *j, struct request_room *room, int64_t *ret_sum)
{
    int64_t gcd = 0;

    *ret_sum = 0;
    for (const char *const *h = request_hosts(room, j->nodes); h && *h; h++) {
        int64_t b = slurm_job_cpus_on(j, *h);

        *ret_sum += b;
        while (b > 0) {
            int64_t rest = gcd % b;
            gcd = b;
            b = rest;
        }
    }
    return gcd;
}

void request_running(
    const struct parts *parts, struct rm_job *ret, struct request_room *room)
{
    (void)ret;
    for (uint32_t i = 0; i < parts->n; i++) {
        struct req_desc *q = &room->req[i];
        int64_t sum, gcd;

        if (q->gres != NULL || q->per_task.v[RES_PROCS] < 0
            || parts->v[i]->job_resrcs == NULL
            || (gcd = measure(parts->v[i], room, &sum)) <= 0)
            continue;
        if (gcd % q->per_task.v[RES_PROCS] == 0) /* tasks as asked fill its nodes */
            gcd = q->per_task.v[RES_PROCS];
        if (q->per_task.v[RES_MEM] > 0 && q->nodes == 0)
            q->per_task.v[RES_MEM] =
                amount_times(q->per_task.v[RES_MEM] / q->per_task.v[RES_PROCS], gcd);
        q->per_task.v[RES_PROCS] = gcd;
        q->tasks = (uint32_t)(sum / gcd);
        q->nodes = q->tpn = 0;
        q->exact = false;
        q->exclude = NULL;
    }
}
