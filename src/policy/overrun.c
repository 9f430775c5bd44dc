/* SPDX-License-Identifier: Apache-2.0
 * See overrun.h. */
#include "policy/overrun.h"

#include "config/settings.h"

int64_t overrun_of(const struct cluster *c, const struct job *j)
{
    int64_t most = -1;

    for (int k = 0; k < CRED_KINDS; k++) {
        const struct cred *cred = job_cred(c, j, (enum cred_kind)k);
        int64_t s =
            cred->cfg->overrun_s >= 0 ? cred->cfg->overrun_s : cred->def->overrun_s;
        if (s > most)
            most = s;
    }
    if (most >= 0)
        return most;
    /* 0 is what nobody said: then that is between the job and its resource manager */
    if (j->admitted && c->cfg->job_max_overrun_s == 0
        && c->cfg->wc_action != WC_PREEMPT)
        return -1;
    return c->cfg->job_max_overrun_s;
}
