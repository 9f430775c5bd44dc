/* SPDX-License-Identifier: Apache-2.0
 * Amounts of consumable resources: how many tasks fit. */
#include "cluster/resources.h"

/* Tasks that one dimension allows. */
static int64_t fit(int64_t have, int64_t cfg, int64_t need)
{
    if (need == 0)
        return INT32_MAX;
    if (need < 0)
        return cfg > 0 && have >= cfg ? 1 : 0;
    if (have <= 0)
        return 0;
    return need == 1 ? have : have / need; /* divisions are slow */
}

int64_t res_tasks(const struct res *have, const struct res *cfg, const struct res *task)
{
    int64_t tasks = INT32_MAX;

    for (int i = 0; i < RES_DIMS; i++) {
        int64_t n = fit(have->v[i], cfg->v[i], task->v[i]);
        if (n < tasks)
            tasks = n;
    }
    return tasks;
}
