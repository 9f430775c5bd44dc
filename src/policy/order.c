/* SPDX-License-Identifier: Apache-2.0
 * Queue orders for studies: what the literature calls them, as sort keys. */
#include "policy/order.h"

#include "base/nearest.h"
#include "cluster/job.h"

#include <assert.h>
#include <math.h>
#include <strings.h>

/* Shortest run time that counts in a bounded slowdown (tau). */
#define SHORT_JOB_S 10.0

/* What the formulas are made of, by the letters of the reference. */
struct terms {
    double e; /* wallclock limit, at least 1 s */
    double q; /* processors, at least 1 */
    double w; /* wait so far */
    double r; /* submit time since the origin, at least 1 */
};

static struct terms terms_of(const struct job *j, int64_t now, int64_t origin)
{
    return (struct terms){
        .e = j->wclimit_s > 1 ? (double)j->wclimit_s : 1,
        .q = j->procs > 1 ? (double)j->procs : 1,
        .w = now > j->submit_at ? (double)(now - j->submit_at) : 0,
        .r = j->submit_at > origin ? (double)(j->submit_at - origin) : 1,
    };
}

/* A serial job's log2 is 0 and its urgency without bound. */
static double unicep(const struct terms *t)
{
    return t->q <= 1 ? -INFINITY : -t->w / (t->e * log2(t->q));
}

double order_key(enum queue_order o, const struct job *j, int64_t now, int64_t origin)
{
    const struct terms t = terms_of(j, now, origin);

    switch (o) {
    case ORDER_FCFS:
        return (double)j->submit_at;
    case ORDER_SJF:
        return t.e;
    case ORDER_LJF:
        return -t.e;
    case ORDER_SNF:
        return t.q;
    case ORDER_SAF:
        return t.e * t.q;
    case ORDER_SQF:
        return (t.e > SHORT_JOB_S ? t.e : SHORT_JOB_S) * t.e * t.q;
    case ORDER_LXF:
        return -(t.w + t.e) / t.e;
    case ORDER_WFP3:
        return -(t.w / t.e) * (t.w / t.e) * (t.w / t.e) * t.q;
    case ORDER_UNICEP:
        return unicep(&t);
    case ORDER_F1:
        return log10(t.e) * t.q + 870 * log10(t.r);
    case ORDER_F2:
        return sqrt(t.e) * t.q + 25600 * log10(t.r);
    case ORDER_F3:
        return t.e * t.q + 6860000 * log10(t.r);
    case ORDER_F4:
        return t.e * sqrt(t.q) + 530000 * log10(t.r);
    case ORDER_PRIORITY:
    case ORDER_PSQF:
    case ORDERS:
        break;
    }
    assert(!"an order by a key");
    return 0;
}

bool order_predicts(enum queue_order o)
{
    return o == ORDER_PSQF;
}

double order_key_predicted(const struct job *j, double run_s, double short_run)
{
    return terms_of(j, 0, 0).q * run_s / short_run;
}

static const struct {
    const char *name;
    bool is_static;
} orders[ORDERS] = {
    [ORDER_PRIORITY] = {"PRIORITY", false},
    [ORDER_FCFS] = {"FCFS", true},
    [ORDER_SJF] = {"SJF", true},
    [ORDER_LJF] = {"LJF", true},
    [ORDER_SNF] = {"SNF", true},
    [ORDER_SAF] = {"SAF", true},
    [ORDER_SQF] = {"SQF", true},
    [ORDER_PSQF] = {"PSQF", false},
    [ORDER_LXF] = {"LXF", false},
    [ORDER_WFP3] = {"WFP3", false},
    [ORDER_UNICEP] = {"UNICEP", false},
    [ORDER_F1] = {"F1", true},
    [ORDER_F2] = {"F2", true},
    [ORDER_F3] = {"F3", true},
    [ORDER_F4] = {"F4", true},
};

bool order_is_static(enum queue_order o)
{
    return orders[o].is_static;
}

const char *order_name(enum queue_order o)
{
    return orders[o].name;
}

int order_parse(const char *name, enum queue_order *ret_order, struct err *err)
{
    struct nearest near;

    nearest_init(&near, name);
    for (int o = 0; o < ORDERS; o++) {
        if (strcasecmp(orders[o].name, name) == 0) {
            *ret_order = (enum queue_order)o;
            return 0;
        }
        nearest_offer(&near, orders[o].name);
    }
    if (nearest_best(&near))
        return err_set(err, ERR_INVALID, "unknown queue order '%s': did you mean %s?",
            name, nearest_best(&near));
    return err_set(err, ERR_INVALID,
        "unknown queue order '%s': expected PRIORITY, FCFS, SJF, LJF, SNF, SAF, SQF, "
        "PSQF, LXF, WFP3, UNICEP or F1 to F4",
        name);
}
