/* SPDX-License-Identifier: Apache-2.0
 * A job that waits, as it is to stand in Slurm: where only the scheduler starts it,
 * held by somebody, or left to Slurm because its dependency or deadline is Slurm's to
 * see. */
#include "rm/slurm/batch.h"
#include "rm/slurm/job.h"

#include <stdio.h>

/* Of array jobs the answer says for each task how it went. */
int keep_settle(int result, job_array_resp_msg_t *answers)
{
    int error = result == SLURM_SUCCESS ? 0 : errno;

    for (uint32_t i = 0; answers != NULL && i < answers->job_array_count; i++)
        if (answers->error_code[i] != SLURM_SUCCESS)
            error = (int)answers->error_code[i];
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    errno = error;
    return error == 0 ? 0 : -1;
}

int keep_update(job_desc_msg_t *m, const char *id)
{
    job_array_resp_msg_t *answers = NULL;
    int result;

    m->job_id_str = (char *)id;
    result = batch_update(m, &answers);

    return keep_settle(result, answers);
}

void keep_part_id(const struct told_job *t, uint32_t part, char ret[48])
{
    if (t->nparts > 1)
        snprintf(ret, 48, "%s+%u", t->id, part);
    else
        snprintf(ret, 48, "%s", t->id);
}

/* Who says what its hold is afterwards. */
enum keeper {
    KEEPER_GATE, /* the gate: one that somebody has set since the job was seen stays */
    KEEPER_US    /* we do: none, or that of a job that came back with one */
};

/* A job without a mark has not passed the gate. */
static enum keeper keeper_of(const struct told_job *t)
{
    return t->marked && !t->requeue_held ? KEEPER_GATE : KEEPER_US;
}

static void name_keeping(const struct told_job *t, enum keeper by, char ret[40])
{
    if (by == KEEPER_GATE)
        snprintf(ret, 40, "%s", t->fresh ? COMMENT_NEW : COMMENT_BACK);
    else if (t->requeue_held)
        snprintf(ret, 40, "%s" COMMENT_RESTART "%u",
            t->back_held ? COMMENT_HELD : COMMENT_KEPT, t->restarts);
    else
        snprintf(ret, 40, "%s", COMMENT_KEPT);
}

/* What an order says of its mark: what is in a request goes before what the gate sets.
 */
static uint32_t factor_of(
    const struct told_job *t, const struct asked *k, enum keeper by)
{
    uint32_t mark = by == KEEPER_GATE ? MARK_NONE
                    : t->back_held    ? MARK_HELD
                                      : MARK_KEPT;

    if (by == KEEPER_GATE && (t->fresh || UPDATE_TAKES_MARKS))
        return NO_VAL;
    return NICE_OFFSET + mark + (k->priority << MARK_BITS);
}

bool keep_is_shared(const struct told_job *t)
{
    return t->nparts > 1 && !UPDATE_TAKES_PARTS;
}

static int keep_by(struct told_job *t, enum keeper by)
{
    char comment[40];
    int result = 0, first = 0; /* of what is refused, the first error */

    name_keeping(t, by, comment);
    for (uint32_t i = 0; i < t->nparts; i++) {
        const struct asked *k = &t->asked[i];
        job_desc_msg_t m;
        char id[48];

        slurm_init_job_desc_msg(&m);
        m.priority = 0;
        m.alloc_sid = ALLOC_SID_USER_HOLD;
        m.site_factor = factor_of(t, k, by);
        m.req_nodes = k->nodes ? k->nodes : (char *)"";
        if (k->overwritten || !k->known) {
            m.min_nodes = k->min_nodes ? k->min_nodes : 1;
            m.max_nodes = k->max_nodes;
            m.num_tasks = k->tasks != 0 ? k->tasks : NO_VAL;
            m.partition = k->partition;
            if (k->cleared)
                m.features = k->features;
            if (k->fenced)
                m.exc_nodes = k->exclude != NULL ? k->exclude : (char *)"";
            if (k->timed) {
                m.time_limit = k->limit;
                m.time_min = k->least;
            }
        } /* else Slurm would judge anew what it has accepted */
        m.admin_comment = comment; /* the gate puts the site's remark back */
        if (k->remark != NULL && !t->requeue_held
            && (by != KEEPER_GATE || !UPDATE_TAKES_MARKS))
            m.admin_comment = k->remark;
        if (t->note_begin)
            m.begin_time = BEGIN_NOW;
        keep_part_id(t, i, id);
        if (keep_update(&m, id) < 0) {
            result = -1;
            first = first ? first : errno;
        }
    }
    errno = first;
    if (result == 0)
        t->nice = NO_VAL; /* it is at priority 0 now, seen or not */
    return result;
}

int keep_job(struct told_job *t)
{
    return keep_by(t, keeper_of(t));
}

int keep_lifted(struct told_job *t)
{
    t->back_held = false;
    return keep_by(t, KEEPER_US);
}

void keep_awaiting(const struct told_job *t, bool at_zero)
{
    char comment[120];

    snprintf(comment, sizeof comment,
        "maui: waits for jobs that it depends on (checkjob %s) #%lld", t->id,
        (long long)AWAIT_BEGIN);
    for (uint32_t i = 0; i < t->nparts; i++) {
        const struct asked *k = &t->asked[i];
        job_desc_msg_t m;
        char id[48];

        slurm_init_job_desc_msg(&m);
        m.admin_comment = comment;
        m.begin_time = AWAIT_BEGIN;
        if (at_zero) {
            m.priority = INFINITE;
            m.req_nodes = k->nodes ? k->nodes : (char *)"";
        }
        keep_part_id(t, i, id);
        (void)keep_update(&m, id); /* else it is as others that are kept */
    }
}

void keep_expired(const struct told_job *t)
{
    const struct asked *k = &t->asked[0];
    job_desc_msg_t m;

    slurm_init_job_desc_msg(&m);
    m.req_nodes = k->nodes ? k->nodes : (char *)"";
    m.priority = INFINITE;
    m.admin_comment = asked_text(k);
    (void)keep_update(&m, t->id); /* it ends at its deadline in any case */
    free(m.admin_comment);
}

void keep_holder(struct adapter *a, const char *id, const slurm_job_info_t *j)
{
    const char *is = j->admin_comment, *shall = NULL;
    char *remark = asked_remark(is);
    bool is_theirs = remark != NULL, is_noted; /* the gate puts it back */
    job_desc_msg_t m;

    free(remark);
    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || j->priority != 0
        || job_mark(j) != MARK_HELD || asked_is_text(is))
        return;
    /* beside a remark the mark says it, but for one of before an upgrade */
    is_noted = is_theirs ? job_is_admins(j) : is && strcmp(is, COMMENT_ADMIN) == 0;
    if (j->state_reason == WAIT_HELD && !is_noted)
        shall = COMMENT_ADMIN;
    if (j->state_reason == WAIT_HELD_USER
        && (job_is_admins(j) || (is && strcmp(is, COMMENT_ADMIN) == 0)))
        shall = COMMENT_HELD;
    if (shall == NULL)
        return;
    slurm_init_job_desc_msg(&m);
    m.req_nodes = j->req_nodes ? j->req_nodes : (char *)"";
    m.admin_comment = (char *)shall;
    if (notes_has_begin(a, j))
        m.begin_time = BEGIN_NOW;
    (void)keep_update(&m, id); /* then its owner's release does nothing, silently */
}

int keep_held(const struct told_job *t, unsigned kinds)
{
    int result = 0, first = 0;

    for (uint32_t i = 0; i < t->nparts; i++) {
        job_desc_msg_t m;
        char id[48];

        slurm_init_job_desc_msg(&m);
        m.priority = 0;
        if (!(kinds & HOLD_SYSTEM))
            m.alloc_sid = ALLOC_SID_USER_HOLD;
        m.site_factor = NICE_OFFSET + MARK_HELD + (t->asked[i].priority << MARK_BITS)
                        + (kinds & HOLD_SYSTEM ? MARK_ADMINS : 0);
        m.req_nodes = t->asked[i].nodes ? t->asked[i].nodes : (char *)"";
        if (t->note_begin) /* the note goes, and nobody would know whose it is */
            m.begin_time = BEGIN_NOW;
        keep_part_id(t, i, id);
        if (keep_update(&m, id) < 0) {
            result = -1;
            first = first ? first : errno;
        }
    }
    errno = first;
    return result;
}
