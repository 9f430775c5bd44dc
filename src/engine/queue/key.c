/* SPDX-License-Identifier: Apache-2.0
 * What jobs are sorted by in an order for studies. */
#include "engine/prediction/predictions.h"
#include "engine/queue/queue_private.h"

double queue_key(struct engine *e, const struct job *j, enum queue_order order)
{
    if (!order_predicts(order))
        return order_key(order, j, e->now, e->origin);
    struct prediction run = predictions_run(e, j);
    return order_key_predicted(j, run.run_s, run.short_run);
}
