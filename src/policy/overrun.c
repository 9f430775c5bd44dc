/* SPDX-License-Identifier: Apache-2.0
 * See overrun.h. */
#include "policy/overrun.h"

#include "config/settings.h"

/* Nobody asked for the limit that was learned: what the job would have without it is
 * still the job's. */
static int64_t grace_of(const struct cluster *c, const struct job *j)
{
    int64_t plain_s = settings_default_wclimit(c->cfg);

    if (!j->wclimit_learned)
        return 0;
    if (plain_s <= 0 || plain_s >= DURATION_UNLIMITED)
        return DURATION_UNLIMITED;
    return plain_s > j->extra->learned_wclimit_s ? plain_s - j->extra->learned_wclimit_s
                                                 : 0;
}

static int64_t overrun_granted(const struct cluster *c, const struct job *j)
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

int64_t overrun_of(const struct cluster *c, const struct job *j)
{
    int64_t granted_s = overrun_granted(c, j);

    return granted_s < 0 ? granted_s : time_add(granted_s, grace_of(c, j));
}
