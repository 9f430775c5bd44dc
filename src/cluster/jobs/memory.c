/* SPDX-License-Identifier: Apache-2.0
 * What outlives a restart, out of a job and back into it. */
#include "cluster/memory.h"

struct job_memory job_memory_of(const struct cluster *c, const struct job *j)
{
    return (struct job_memory){
        .holds = j->holds,
        .hold_reason = (enum hold_reason)j->hold_reason,
        .hold_text = j->extra ? j->extra->hold_text : NULL,
        .let_pass = j->extra ? j->extra->let_pass : NULL,
        .given_up = j->extra && j->extra->given_up,
        .hold_at = j->hold_at,
        .defer_until = j->defer_until,
        .defer_count = j->defer_count,
        .retries = j->retries,
        .start_count = j->start_count,
        .preempt_count = j->preempt_count,
        .failed_starts = j->failed_starts,
        .put_off = j->put_off,
        .bypass = job_bypass(c, j),
        .priority = job_priority(c, j),
        .user_priority = j->user_priority,
        .sys_priority = j->sys_priority,
        .flags = j->flags & MEMORY_FLAGS,
        .qos = c->creds[CRED_QOS].v[j->qos_asked]->name, /* may be another than asked */
        .qos_forced = j->qos_forced,
        .cancelled = j->cancelled,
        .queue_at = j->queue_at,
        .eff_queue_s = j->eff_queue_s,
        .paused_at = j->paused_at,
        .accruing = j->accruing,
        .paused = j->paused,
        .limited = j->limited,
        .release_at = j->release_at,
        .deadline_at = j->extra ? j->extra->deadline_at : 0,
        .suspended_s = j->suspended_s,
        .suspend_at = j->suspend_at,
        .saved_s = j->saved_s,
        .start_at = j->start_at,
        .eff_wclimit_s = j->eff_wclimit_s,
        .wclimit_s = j->wclimit_s,
        .learned_wclimit_s = j->extra ? j->extra->learned_wclimit_s : 0,
    };
}

static void set_text(char **to, const char *text)
{
    free(*to);
    *to = xstrdup(text);
}

static void recall_holds(struct job *j, const struct job_memory *m)
{
    j->holds = m->holds;
    j->hold_reason = (uint8_t)m->hold_reason;
    j->hold_at = m->hold_at;
    j->defer_until = m->defer_until;
    j->defer_count = m->defer_count;
    j->retries = m->retries;
    if (m->hold_text)
        set_text(&job_extra(j)->hold_text, m->hold_text);
    if (m->let_pass)
        set_text(&job_extra(j)->let_pass, m->let_pass);
    if (m->given_up)
        job_extra(j)->given_up = true;
}

static void recall_time(struct job *j, const struct job_memory *m)
{
    j->queue_at = m->queue_at;
    j->eff_queue_s = m->eff_queue_s;
    j->paused_at = m->paused_at;
    j->accruing = m->accruing;
    j->paused = m->paused;
    j->limited = m->limited <= LIMITED_IDLE ? m->limited : LIMITED_NOT;
    if (!j->admitted) /* else its resource manager said so just now */
        j->release_at = m->release_at;
    bool told = j->admitted && j->extra && j->extra->deadline_at;
    if (!told && (m->deadline_at || j->extra))
        job_extra(j)->deadline_at = m->deadline_at;
    j->suspended_s = m->suspended_s;
    j->suspend_at = m->suspend_at;
    j->saved_s = m->saved_s;
}

void job_recall(struct cluster *c, struct job *j, const struct job_memory *m)
{
    recall_holds(j, m);
    recall_time(j, m);
    c->any_deadline |= m->deadline_at != 0;
    j->start_count = m->start_count;
    j->preempt_count = m->preempt_count;
    j->failed_starts = m->failed_starts;
    j->put_off = m->put_off;
    c->bypasses.v[j->index] = m->bypass;
    c->priorities.v[j->index] = m->priority;
    if (!j->admitted)
        j->user_priority = m->user_priority;
    j->sys_priority = m->sys_priority;
    job_note_priority(c, j);
    j->flags = (j->flags & ~MEMORY_FLAGS) | (m->flags & MEMORY_FLAGS);
    if (m->qos) {
        j->qos_asked = cred_get(c, CRED_QOS, m->qos)->index;
        j->cred[CRED_QOS] = j->qos_asked;
    }
    j->qos_forced = m->qos_forced;
    j->cancelled |= m->cancelled;
    j->eff_wclimit_s = m->eff_wclimit_s;
    if (m->wclimit_s)
        j->wclimit_s = m->wclimit_s;
    if (m->learned_wclimit_s)
        job_extra(j)->learned_wclimit_s = m->learned_wclimit_s;
}
