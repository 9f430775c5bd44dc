/* SPDX-License-Identifier: Apache-2.0
 * Queue orders for studies: what the literature calls them, as sort keys.
 * Source: reference scheduling-algorithms, section 3. The scheduler's own order is
 * ORDER_PRIORITY (policy/priority). */
#ifndef MAUI_POLICY_ORDER_H
#define MAUI_POLICY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct job;

enum queue_order {
    ORDER_PRIORITY,
    ORDER_FCFS,
    ORDER_SJF,
    ORDER_LJF,
    ORDER_SNF,
    ORDER_SAF,
    ORDER_SQF,
    ORDER_PSQF, /* SQF by predicted runs */
    ORDER_LXF,
    ORDER_WFP3,
    ORDER_UNICEP,
    ORDER_F1,
    ORDER_F2,
    ORDER_F3,
    ORDER_F4,
    ORDERS
};

/* Smaller goes first; not for ORDER_PRIORITY, nor for those by predicted runs. `origin`
 * is the first submit time of the trace (F1..F4). */
double order_key(enum queue_order o, const struct job *j, int64_t now, int64_t origin);
/* Is it by how long jobs are predicted to run? */
bool order_predicts(enum queue_order o);
/* Then: by the mean run E[p] in seconds, and E[1 / max(p, 10 s)]. */
double order_key_predicted(const struct job *j, double run_s, double short_run);
bool order_is_static(enum queue_order o); /* the key does not change with time */
const char *order_name(enum queue_order o);
int order_parse(const char *name, enum queue_order *ret_order, struct err *err);

#endif
