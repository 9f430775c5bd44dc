/* SPDX-License-Identifier: Apache-2.0
 * The two things of the adapter that are other where scontrol is spoken. */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/text/text.h"

void adapter_submit_job(struct adapter *a, const struct rm_submission *s)
{
    adapter_done(a, s->token, RM_REFUSED, NULL,
        "jobs are submitted to Slurm by sbatch here: the scheduler speaks to it "
        "through "
        "scontrol, not its library");
}

void adapter_prepare(const char *gate_home, uint32_t user)
{
    struct strbuf path = {0};

    strbuf_printf(&path, "%s/slurm.marks", gate_home);
    marks_open(path.text, user);
    free(path.text);
}
