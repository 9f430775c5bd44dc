/* SPDX-License-Identifier: Apache-2.0
 * A plugin of slurmctld, for sites that build Slurm: squeue's own column of reasons
 * says why a job waits. Without it the text stands in the administrator's comment
 * alone.
 *
 *     NODELIST(REASON)
 *     (waits for 8 processors until about 14:30 (checkjob 63))
 *
 * And what the scheduler starts is started at once. Without it slurmctld looks at jobs
 * that were changed once a second, and when a job has left its node.
 *
 * It needs the headers of Slurm's source, configured as the slurmctld that runs, of
 * the same release: a record of another layout would be overwritten.
 *
 *     cc -shared -fPIC -O2 -I SOURCE -o PLUGINDIR/job_submit_maui.so job_submit_maui.c
 *     JobSubmitPlugins=lua,maui          in slurm.conf, behind the gate
 *
 * It clears errno as well. Without slurmdbd a slurmctld that was asked for another
 * partition takes what stands there for its answer, whoever left it: 26.05 refuses such a
 * change each time ("Resource temporarily unavailable"), with or without a scheduler.
 *
 * It is called with the job's record locked and costs a comparison of six characters
 * at each change of a job. */
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/slurm_xlator.h"
#include "src/common/xstring.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/slurmctld.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char plugin_name[] = "Why jobs wait, from the Maui scheduler";
const char plugin_type[] = "job_submit/maui";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

#define NOTE "maui: "

static bool is_note(const char *comment)
{
    return comment && strncmp(comment, NOTE, strlen(NOTE)) == 0;
}

/* Only a note may stand there: what the scheduler wrote, without its begin time. */
static void show_note(job_record_t *job, const char *comment)
{
    char *end;

    xfree(job->state_desc);
    job->state_desc = xstrdup(comment + strlen(NOTE));
    end = strrchr(job->state_desc, '#');
    if (end && end > job->state_desc && end[-1] == ' '
        && end[1 + strspn(end + 1, "0123456789")] == '\0')
        end[-1] = '\0';
    job->last_sched_eval = time(NULL);
    last_job_update = time(NULL);
}

extern int job_submit(job_desc_msg_t *request, uint32_t uid, char **message)
{
    return SLURM_SUCCESS;
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
extern int job_modify(job_desc_msg_t *request, job_record_t *job, uint32_t uid)
#else
extern int job_modify(
    job_desc_msg_t *request, job_record_t *job, uint32_t uid, char **message)
#endif
{
    bool ours = uid == 0 || uid == slurm_conf.slurm_user_id;

    errno = 0; /* see above */
    if (!IS_JOB_PENDING(job))
        return SLURM_SUCCESS;
    if (ours && request->priority == INFINITE && request->admin_comment)
        schedule(false); /* behind this change, whose lock it waits for */
    if (ours && is_note(request->admin_comment) && job->priority == 0)
        show_note(job, request->admin_comment);
    else if (is_note(job->admin_comment)
             && (request->priority != NO_VAL || request->admin_comment))
        xfree(job->state_desc); /* held, released, started: it is not so any more */
    return SLURM_SUCCESS;
}
