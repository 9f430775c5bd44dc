/* SPDX-License-Identifier: Apache-2.0
 * EVENT_RUN: an administrator wants the job to start now. Source: reference commands,
 * section 3 (runjob); holds, section 7; throttling, section 5. */
#include "cluster/rmset.h"
#include "engine/cycle.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/occupancy.h"
#include "engine/planning/planning.h"
#include "engine/start.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "plan/nodes/nodealloc.h"
#include "plan/nodes/room.h"
#include "policy/fairshare.h"
#include "policy/holds.h"
#include "policy/reason.h"

#include <stdio.h>
#include <string.h>

/* What was asked, with names looked up, and what that is tried on: the job and the plan
 * themselves stay as they are until it starts. */
struct run {
    struct engine *e;
    struct job *j;
    unsigned flags;
    uint64_t parts;       /* partitions to try */
    struct indexes nodes; /* in the order listed; empty = any */
    struct job as;        /* a copy of the job, as the order wants it */
    struct plan *plan;    /* a fork for that one */
};

/* ---- may it? ---- */

/* A job that does not wait, or is held: by the state that people see. */
static int refuse_by_state(const struct job *j, struct err *err)
{
    return err_set(err, ERR_CONFLICT,
        "job '%s' is in state '%s'  (state must be idle)%s", j->id, hold_shown_state(j),
        j->holds && j->state == JOB_IDLE ? ": release it first" : "");
}

static int check_admission(const struct run *r, struct err *err)
{
    struct reason why;
    char text[300];
    const struct admission_check *check =
        admission_run_refusal(r->e, r->j, r->flags, &why);

    if (!check)
        return 0;
    if (why.code == WAIT_HOLD || why.code == WAIT_STATE)
        return refuse_by_state(r->j, err);
    reason_format(r->e->c, &why, text, sizeof text);
    return err_set(err, ERR_CONFLICT, "job cannot run (rejected by policy %s): %s",
        check->name ? check->name
                    : limit_name((enum limit_dim)why.dim, (enum limit_res)why.res),
        text);
}

/* Floating generic resources are nobody's to take, whatever else the order ignores. */
static int check_floating(
    const struct run *r, const struct gres_amounts *list, struct err *err)
{
    const struct cluster *c = r->e->c;

    for (size_t i = 0; i < list->n; i++) {
        uint32_t id = list->v[i].id;
        int64_t need = gres_of_job(r->j, id);
        if (!gres_is_floating(c, id) || need <= gres_floating_free(c, id))
            continue;
        return err_set(err, ERR_CONFLICT,
            "job cannot run  (insufficient '%s':  %lld needed  %lld available)",
            names_text(c->gres, id), (long long)need,
            (long long)gres_floating_free(c, id));
    }
    return 0;
}

static int check_licences(const struct run *r, struct err *err)
{
    for (uint32_t i = 0; i < r->j->nreqs; i++)
        if (check_floating(r, &r->j->reqs[i].def->gres, err) < 0
            || check_floating(r, &r->j->reqs[i].def->job_gres, err) < 0)
            return -1;
    return 0;
}

/* ---- where? ---- */

static int find_nodes(struct run *r, const char *const *names, struct err *err)
{
    for (; names && *names; names++) {
        const struct node *n = node_find(r->e->c, *names);
        if (!n || n->global)
            return err_set(err, ERR_NOT_FOUND, "no node is named '%s'", *names);
        bool listed = false;
        for (size_t i = 0; i < r->nodes.n; i++)
            listed |= r->nodes.v[i] == n->index;
        if (!listed)
            vec_push(&r->nodes, n->index);
    }
    return 0;
}

static int find_partition(struct run *r, const char *name, struct err *err)
{
    uint64_t all = ((UINT64_C(1) << r->e->c->partitions.n) - 1)
                   & ~rmset_foreign(r->e->c, job_rm(r->j));

    r->parts = (r->flags & RUN_ANY_POLICY) ? all : r->j->partitions & all;
    if (!name)
        return 0;
    uint32_t p = partition_find(r->e->c, name);
    if (p == INDEX_NONE)
        return partition_missing(r->e->c, name, err);
    if (!(r->parts >> p & 1))
        return err_set(err, ERR_CONFLICT,
            "job cannot run (rejected by policy PARTITION %s)", name);
    r->parts = UINT64_C(1) << p;
    return 0;
}

/* Its requests with the nodes as their host list. False when those cannot hold them. */
static bool pin_requests(struct run *r)
{
    bool enough = true;

    r->as.flags &= ~(uint32_t)JOB_IGNHOSTLIST;
    for (uint32_t i = 0; i < r->as.nreqs; i++) {
        struct taskdef draft = taskdef_copy(r->as.reqs[i].def);
        draft.hosts.n = 0;
        for (size_t k = 0; k < r->nodes.n; k++)
            vec_push(&draft.hosts, r->nodes.v[k]);
        r->as.reqs[i].def = taskdef_intern(r->e->c, &draft);
        taskdef_fini(&draft);
        enough &= feasible_hosts_only(r->e->c, &r->as.reqs[i]);
    }
    r->as.req = r->as.reqs[0];
    return enough;
}

static bool listed(const struct run *r, uint32_t node)
{
    for (size_t i = 0; i < r->nodes.n; i++)
        if (r->nodes.v[i] == node)
            return true;
    return r->nodes.n == 0;
}

/* Tasks for which the node has something left, whatever its state. */
static uint32_t tasks_left(
    const struct cluster *c, const struct taskdef *def, const struct node *n)
{
    struct node_room room = {0};

    room_left(&room, c, def, n);
    uint32_t tasks = room_tasks(&room, def, n);
    room_fini(&room);
    return tasks;
}

struct cands VEC(struct cand);

static void offer(const struct run *r, const struct taskdef *def, uint32_t partition,
    struct cands *ret)
{
    const struct cluster *c = r->e->c;

    ret->n = 0;
    for (uint32_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (n->global || n->partition != partition || !listed(r, i)
            || !feasible_node(c, def, n, NULL))
            continue;
        uint32_t tasks = r->flags & RUN_ANY_STATE ? tasks_left(c, def, n)
                                                  : avail_tasks_now(c, &r->as, def, n);
        if (tasks)
            vec_push(ret, ((struct cand){i, tasks, TIME_NEVER, AFFINITY_NEUTRAL}));
    }
}

/* Whatever is free at this moment, although it may be reserved from the next on. Only
 * for jobs of one request: those of several need the plan. */
static bool place_at_all_costs(struct run *r, uint32_t partition)
{
    struct job *j = &r->as;
    struct cands cands = {0};
    enum wait_code code;

    struct nodealloc ask = {.c = r->e->c,
        .j = j,
        .req = &j->reqs[0],
        .par = r->e->c->partitions.v[partition]->par,
        .start_at = r->e->now,
        .end_at = time_add(r->e->now, j->wclimit_s),
        .immediate = true};
    offer(r, j->reqs[0].def, partition, &cands);
    bool found = nodealloc_choose(&ask, cands.v, cands.n, &j->alloc, &code) == 0;
    vec_fini(&cands);
    return found;
}

static bool place_in(struct run *r, uint32_t partition)
{
    struct job *j = &r->as;
    enum wait_code code;

    j->alloc.n = 0;
    if (r->flags & (RUN_ANY_RESERVATION | RUN_ANY_STATE) && j->nreqs == 1)
        return place_at_all_costs(r, partition);
    return plan_fits_now(r->plan, j, partition)
           && plan_place_now(r->plan, j, partition, &j->alloc, &code) == 0;
}

/* The job's own default partition first. */
static bool find_place(struct run *r)
{
    uint64_t rest = r->parts;
    uint32_t first = r->j->pdef;

    if (first != INDEX_NONE && (rest >> first & 1)) {
        rest &= ~(UINT64_C(1) << first);
        if (place_in(r, first))
            return true;
    }
    for (; rest; rest &= rest - 1)
        if (place_in(r, (uint32_t)__builtin_ctzll(rest)))
            return true;
    return false;
}

/* ---- or why not ---- */

/* Processors free for the job now, in the partition that has most of them. Requests may
 * lie on one another's nodes: for several of them it is all that is free. */
static int64_t most_free_procs(const struct run *r)
{
    int64_t each = r->as.reqs[0].def->per_task.v[RES_PROCS], most = 0;

    for (uint64_t m = r->parts; m; m &= m - 1) {
        uint32_t partition = (uint32_t)__builtin_ctzll(m);
        int64_t procs = r->as.nreqs > 1 ? plan_free_procs(r->plan, partition)
                                        : plan_free_now(r->plan, &r->as, partition)
                                              * (each > 0 ? each : 1);
        most = procs > most ? procs : most;
    }
    return most;
}

/* Why a node does not do, to follow its name. */
static void why_not(const struct run *r, const struct node *n, char *buf, size_t size)
{
    const struct cluster *c = r->e->c;
    const struct req *q = &r->as.reqs[0];
    const char *why = NULL;
    enum misfit misfit;
    uint32_t tasks = 0;

    if (!feasible_node(c, q->def, n, &misfit))
        why = misfit_text(misfit);
    else if (!node_is_up(n) && !(r->flags & RUN_ANY_STATE))
        why = "is not up";
    else if ((tasks = avail_tasks_now(c, &r->as, q->def, n)) == 0)
        why = "has nothing free for a task";
    else if (tasks >= q->tasks)
        why = "is kept by a reservation";
    if (why)
        snprintf(buf, size, "%s", why);
    else
        snprintf(buf, size, "can take %u of %u tasks at most", tasks, q->tasks);
}

/* The first node that might have done, as an example; "" when there is none. */
static void give_example(const struct run *r, char *buf, size_t size)
{
    const struct cluster *c = r->e->c;
    uint32_t looked = 0;
    char why[100];

    *buf = '\0';
    for (uint32_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (n->global || !(r->parts >> n->partition & 1) || !listed(r, i))
            continue;
        if (looked++)
            continue;
        why_not(r, n, why, sizeof why);
        snprintf(buf, size, ": node %.80s %s", n->name, why);
    }
    size_t len = strlen(buf);
    if (looked > 1)
        snprintf(buf + len, size - len, ", the first of %u nodes", looked);
}

static int cannot(const struct run *r, bool nodes_enough, struct err *err)
{
    char example[250];
    struct reason why;

    if (nodes_enough && plan_possible(r->plan, &r->as, &why)) {
        int64_t free = most_free_procs(r);
        if (free < r->j->procs)
            return err_set(err, ERR_CONFLICT,
                "job cannot run  (insufficient idle procs:  %u needed  %lld available)",
                r->j->procs, (long long)free);
    }
    give_example(r, example, sizeof example);
    return err_set(err, ERR_CONFLICT,
        "job cannot run (available nodes do not meet requirements in any partition)%s",
        example);
}

/* ---- the event ---- */

static enum rsv_keep keep_of(const struct engine *e)
{
    return e->uses.keeps ? RSV_KEEP : RSV_STAY;
}

/* Where it was found to have room. Others may have been reserved what it takes by
 * force; and the plan need not have planned the way that listed nodes were asked. */
static bool start_there(struct run *r)
{
    bool forced = r->flags & (RUN_ANY_RESERVATION | RUN_ANY_STATE) || r->nodes.n;
    struct job *j = r->j;

    plan_begin(r->e->plan, r->e->now, keep_of(r->e));
    start_take_nodes(j, &r->as);
    if (!start_placed(r->e, j, forced ? OCCUPANCY_FORCED : OCCUPANCY_PLANNED, false))
        return false;
    promises_void(r->e->promises, j);
    promise_note_order(r->e);
    return true;
}

static int try_to_run(struct run *r, struct err *err)
{
    bool enough = r->nodes.n == 0 || pin_requests(r);

    r->plan = plan_fork_as(r->e->plan, &r->as, r->e->now, keep_of(r->e));
    bool found = enough && find_place(r);
    int result = found ? 0 : cannot(r, enough, err);
    plan_destroy(r->plan);
    if (!found || start_there(r))
        return result;
    return err_set(err, ERR_CONFLICT,
        "job cannot run: its nodes cannot be given to it, although they were free");
}

int run_job(struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    struct run r = {.e = e, .j = j, .flags = ev->u.run.flags};
    int result = -1;

    refresh_limits(e);
    if (check_admission(&r, err) == 0 && find_nodes(&r, ev->u.run.nodes, err) == 0
        && find_partition(&r, ev->u.run.partition, err) == 0
        && check_licences(&r, err) == 0) {
        job_copy(j, &r.as);
        r.as.partitions = r.parts;
        result = try_to_run(&r, err);
        job_copy_fini(&r.as);
    }
    vec_fini(&r.nodes);
    return result;
}
