/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler decides, carried out: who does it, and what is but one request to
 * Slurm. */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

#include <signal.h>

/* Of tasks that share a record: by one order for all that wish the same (jobs.c). */
static void note_wish(
    struct adapter *a, const struct rm_command *c, struct told_job *t, uint8_t what)
{
    a->wishes += t->wish == 0;
    t->wish = what;
    a->wished_ms = adapter_now_ms();
    adapter_done(a, c->token, RM_OK, c->job, NULL);
    adapter_look(a);
}

static void hold(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);

    if (t == NULL)
        adapter_done(a, c->token, RM_REFUSED, c->job, "Slurm has no such job");
    else if (t->gathered)
        note_wish(a, c, t, (uint8_t)c->kinds);
    else
        answers_tell(a, c, keep_held(t, c->kinds));
}

static void release(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);

    if (t == NULL)
        adapter_done(a, c->token, RM_REFUSED, c->job, "Slurm has no such job");
    else if (t->gathered)
        note_wish(a, c, t, WISH_RELEASE);
    else
        answers_tell(a, c, keep_lifted(t));
}

/* All parts of it; a start that follows at once is not to undo it. */
static void modify(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);
    job_desc_msg_t m;
    int result = 0;
    char id[48];

    slurm_init_job_desc_msg(&m);
    m.time_limit = c->wclimit_s >= DURATION_UNLIMITED
                       ? INFINITE
                       : (uint32_t)((c->wclimit_s + 59) / 60);
    for (uint32_t i = 0; t != NULL && i < t->nparts && result == 0; i++) {
        keep_part_id(t, i, id);
        result = keep_update(&m, id);
        if (result == 0)
            t->asked[i].limit = m.time_limit;
        t->digest = 0; /* somebody else may have changed it meanwhile */
    }
    if (t != NULL)
        answers_tell(a, c, result);
    else
        adapter_done(a, c->token, RM_REFUSED, c->job, "Slurm has no such job");
    a->jobs_at = 0;
}

/* Its pause is time enough to keep it. Who makes room for another and cannot come back,
 * as it asked not to or is no script, is ended, as Slurm does with those it preempts.
 */
void orders_requeue(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);
    job_array_resp_msg_t *answers = NULL;
    int result = slurm_requeue2((char *)c->job, 0, &answers);

    result = keep_settle(result, answers);
    if (result < 0 && c->preempts && t != NULL
        && (errno == ESLURM_DISABLED || errno == ESLURM_BATCH_ONLY))
        t->makes_room = cancels_signal(a, c, SIGKILL);
    else
        answers_tell(a, c, result);
}

/* As Slurm does with those it preempts: the job is told, and may end by itself. */
static void give_grace(struct adapter *a, const struct rm_command *c)
{
    const struct told_job *t = jobs_find(a, c->job);
    int64_t now = adapter_now_ms();

    if (t == NULL || t->grace_s <= 0
        || slurm_kill_job2(c->job, SIGCONT, 0, NULL) != SLURM_SUCCESS
        || slurm_kill_job2(c->job, SIGTERM, 0, NULL) != SLURM_SUCCESS) {
        orders_requeue(a, c);
        return;
    }
    vec_push(&a->pending, ((struct pending){.token = c->token,
                              .id = xstrdup(c->job),
                              .since_ms = now,
                              .look_ms = now + 1000 * t->grace_s,
                              .graced = true}));
}

void orders_command(struct adapter *a, const struct rm_command *c)
{
    job_array_resp_msg_t *answers = NULL;
    int result;

    if (c->action != RM_START) /* in their order */
        starts_send(a);
    if (c->action != RM_CANCEL)
        cancels_send(a);
    if (adapter_munge_gone(a)) {
        adapter_done(a, c->token, RM_LOST, c->job, "munged does not answer");
        return;
    }
    switch (c->action) {
    case RM_START:
        starts_order(a, c);
        break;
    case RM_CANCEL:
        cancels_order(a, c);
        break;
    case RM_SIGNAL:
        cancels_signal(a, c, (uint16_t)c->signal);
        break;
    case RM_SUSPEND:
        result = slurm_suspend2((char *)c->job, &answers);
        answers_tell(a, c, keep_settle(result, answers));
        break;
    case RM_RESUME:
        result = slurm_resume2((char *)c->job, &answers);
        answers_tell(a, c, keep_settle(result, answers));
        break;
    case RM_REQUEUE:
        if (c->preempts)
            give_grace(a, c);
        else
            orders_requeue(a, c);
        break;
    case RM_HOLD:
        hold(a, c);
        break;
    case RM_RELEASE:
        release(a, c);
        break;
    case RM_MODIFY:
        modify(a, c);
        break;
    case RM_CHECKPOINT:
    case RM_ACTIONS:
        adapter_done(a, c->token, RM_REFUSED, c->job, "Slurm cannot checkpoint jobs");
        break;
    }
}
