/* SPDX-License-Identifier: Apache-2.0
 * Jobs on nodes that went down and stay so. Source: reference rm-interfaces, section 7;
 * qos-credentials (RESTARTABLE). */
#include "cluster/folded.h"
#include "engine/engine_private.h"
#include "engine/preempt.h"
#include "engine/stop.h"

struct losses {
    uint64_t node_epoch; /* 1 + that of the nodes when those down were looked for */
    int64_t next;        /* when jobs of the first of them are lost */
};

struct losses *losses_create(void)
{
    return xcalloc(1, sizeof(struct losses));
}

void losses_destroy(struct losses *l)
{
    free(l);
}

static void lose_job(struct engine *e, struct job *j)
{
    if (!(j->flags & JOB_RESTARTABLE)) {
        cancel_job(e, j, ENDED_NODE_DOWN, NULL);
        return;
    }
    j->saved_s = 0;
    decisions_add(e, ACTION_REQUEUE, j, e->now, end_reason_text(ENDED_NODE_DOWN))->why =
        ENDED_NODE_DOWN;
    preempt_to_queue(e, j);
}

static void lose_jobs_on(struct engine *e, const struct node *n)
{
    struct indexes jobs = {0};

    for (size_t i = 0; i < e->c->active.n; i++) {
        const struct job *j = e->c->jobs.v[e->c->active.v[i]];
        size_t first = 0;
        if (job_is_active(j) && !j->cancelled && job_piece_on(j, n->index, &first))
            vec_push(&jobs, j->index);
    }
    for (size_t i = 0; i < jobs.n; i++)
        lose_job(e, e->c->jobs.v[jobs.v[i]]);
    vec_fini(&jobs);
}

void lost_jobs(struct engine *e)
{
    const struct cluster *c = e->c;
    int64_t grace = e->opt.down_grace_s;

    if (grace <= 0)
        return;
    if (e->troubles.losses->node_epoch == c->node_epoch + 1
        && e->now < e->troubles.losses->next) {
        wake_at(e, e->troubles.losses->next);
        return;
    }
    e->troubles.losses->node_epoch = c->node_epoch + 1;
    e->troubles.losses->next = TIME_NEVER;
    uint32_t end = (uint32_t)c->nodes.n; /* vacant nodes are not down */
    for (uint32_t i = rangeset_gap_within(nodes_vacant(c), 0, end); i < end;
         i = rangeset_gap_within(nodes_vacant(c), i + 1, end)) {
        const struct node *n = node_at(c, i);
        if (n->state != NODE_DOWN || node_is_free(c, n))
            continue;
        int64_t at = time_add(n->state_at, grace);
        if (at <= e->now)
            lose_jobs_on(e, n);
        else if (at < e->troubles.losses->next)
            e->troubles.losses->next = at;
    }
    wake_at(e, e->troubles.losses->next);
}

int64_t engine_next_loss(const struct engine *e)
{
    return e->troubles.losses->node_epoch ? e->troubles.losses->next : TIME_NEVER;
}
