/* SPDX-License-Identifier: Apache-2.0
 * Something happened: what was noted of a job, or the order that was kept, is dirty. */
#include "engine/queue/queue.h"
#include "engine/queue/queue_private.h"

void queue_touch_order(struct queue *q)
{
    q->cache.clean = false;
}

void queue_arrived(struct queue *q, const struct job *j)
{
    if (q->cache.clean)
        vec_push(&q->cache.arrived, j->index);
}

void queue_started(struct queue *q, const struct job *j)
{
    if (q->cache.in_use && q->e->opt.order == ORDER_PRIORITY)
        prio_set(&q->pass, &j->index, 1);
    if (q->cache.clean)
        vec_push(&q->cache.started, j->index);
}

void queue_touch(struct queue *q, const struct job *j)
{
    if (j->index < q->notes.v.n)
        q->notes.v.v[j->index].clean = false;
    if (q->cache.clean)
        vec_push(&q->cache.touched, j->index);
}

void queue_touch_jobs(struct queue *q)
{
    q->notes.stamp.able = false;
    queue_touch_order(q);
}
