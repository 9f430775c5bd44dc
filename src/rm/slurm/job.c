/* SPDX-License-Identifier: Apache-2.0
 * What a record of Slurm says of a job: marks, state, holds, end, and who is to start
 * it. */
#include "rm/slurm/job.h"

#include <sys/wait.h>

enum gate_mark job_mark(const slurm_job_info_t *j)
{
    uint32_t given = j->site_factor - NICE_OFFSET;

    /* a plugin of the site's may have lowered it: that is not the gate's */
    return given < NICE_OFFSET ? (enum gate_mark)(given & MARK_LIFTED) : MARK_NONE;
}

uint32_t job_priority_given(const slurm_job_info_t *j)
{
    uint32_t given = j->site_factor - NICE_OFFSET, mark = job_mark(j);

    if (mark == MARK_NONE)
        return 0;
    if (mark == MARK_HELD)
        return (given & ~MARK_ADMINS) >> MARK_BITS;
    /* older marks had room for more */
    return given & MARK_ADMINS ? (MARK_ADMINS - 1) >> MARK_BITS : given >> MARK_BITS;
}

bool job_is_admins(const slurm_job_info_t *j)
{
    return job_mark(j) == MARK_HELD && ((j->site_factor - NICE_OFFSET) & MARK_ADMINS);
}

bool job_is_half_kept(const slurm_job_info_t *j)
{
    return job_mark(j) == MARK_NONE && j->priority == 0
           && j->state_reason == WAIT_HELD_USER && j->admin_comment != NULL
           && strcmp(j->admin_comment, COMMENT_KEPT) == 0;
}

/* That a reservation is gone Slurm says in its state as well, and goes on saying so
 * when the hold was lifted: the reason counts. States with a job's resources given
 * back, or about to be: what starts there next waits for the rest inside Slurm, which
 * is sooner than waiting to see it. */
enum job_state job_state_of(const slurm_job_info_t *j)
{
    switch (j->job_state & JOB_STATE_BASE) {
    case JOB_PENDING:
        return job_mark(j) == MARK_HELD
                       || (j->priority == 0 && job_mark(j) == MARK_NONE
                           && !job_is_half_kept(j))
                       || (j->priority == 0 && j->state_reason == WAIT_HELD)
                       || j->state_reason == WAIT_RESV_DELETED
                   ? JOB_HOLD
                   : JOB_IDLE;
    case SLURM_JOB_RUNNING:
        return j->job_state & JOB_CONFIGURING ? JOB_STARTING : JOB_RUNNING;
    case SLURM_JOB_SUSPENDED:
        return JOB_SUSPENDED;
    case JOB_COMPLETE:
    case JOB_FAILED:
    case JOB_OOM:
    case JOB_BOOT_FAIL:
    case JOB_DEADLINE:
        return JOB_COMPLETED;
    case JOB_NODE_FAIL:
    case JOB_PREEMPTED:
        return JOB_VACATED;
    default: /* cancelled, or over its limit */
        return JOB_REMOVED;
    }
}

uint8_t job_hold_of(const slurm_job_info_t *j)
{
    return j->state_reason == WAIT_HELD ? HOLD_SYSTEM : HOLD_USER;
}

bool job_is_plain_hold(const slurm_job_info_t *j)
{
    return (j->state_desc == NULL || *j->state_desc == '\0')
           && (j->state_reason == WAIT_HELD || j->state_reason == WAIT_HELD_USER);
}

int job_exit_of(const slurm_job_info_t *j)
{
    int status = (int)j->exit_code;

    if ((j->job_state & JOB_STATE_BASE) == JOB_TIMEOUT)
        return 128 + 15;
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

struct job_end job_end_of(const slurm_job_info_t *j)
{
    switch (j->job_state & JOB_STATE_BASE) {
    case JOB_TIMEOUT:
        return (struct job_end){.reason = ENDED_WALLCLOCK,
            .limit = j->time_limit < INFINITE ? 60.0 * j->time_limit : 0,
            .used = difftime(j->end_time, j->start_time)};
    case JOB_OOM:
        return (struct job_end){.reason = ENDED_MEMORY};
    case JOB_DEADLINE:
        return (struct job_end){.reason = ENDED_DEADLINE};
    case JOB_NODE_FAIL:
    case JOB_BOOT_FAIL:
        return (struct job_end){.reason = ENDED_NODE_DOWN};
    case JOB_PREEMPTED:
        return (struct job_end){.reason = ENDED_PREEMPTED};
    case JOB_CANCELLED:
        return (struct job_end){.reason = ENDED_CANCELLED};
    default:
        return WIFSIGNALED((int)j->exit_code)
                   ? (struct job_end){.reason = ENDED_SIGNAL,
                       .used = WTERMSIG((int)j->exit_code)}
                   : (struct job_end){.reason = ENDED_BY_ITSELF};
    }
}

/* An administrator starts it by hand. */
static bool has_word_go(const slurm_job_info_t *j)
{
    return j->admin_comment != NULL && strcmp(j->admin_comment, "go") == 0;
}

bool job_is_sent_by_hand(const slurm_job_info_t *j)
{
    return j->priority != 0 && has_word_go(j);
}

/* What it was held by stands in its comment until somebody lets us take it back: gone
 * is the hold, and not because the controller has forgotten it, which forgets both. */
uint8_t job_lifted_of(const slurm_job_info_t *j, enum job_state state)
{
    if (state != JOB_IDLE || j->admin_comment == NULL)
        return 0;
    if (strcmp(j->admin_comment, COMMENT_ADMIN) == 0)
        return HOLD_SYSTEM;
    return strcmp(j->admin_comment, COMMENT_HELD) == 0 ? HOLD_USER : 0;
}

const char *job_others_of(const slurm_job_info_t *j)
{
    size_t n = strlen(COMMENT_OTHERS);

    return j->comment != NULL && strncmp(j->comment, COMMENT_OTHERS, n) == 0
               ? j->comment + n
               : NULL;
}

/* Of a job that is merely kept Slurm has nothing to say. What it said of one that was
 * cancelled since stands there as well. */
bool job_is_requeue_held(const slurm_job_info_t *j)
{
    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING && j->priority == 0
           && j->restart_cnt > 0 && j->state_reason == WAIT_HELD_USER
           && j->state_desc != NULL && *j->state_desc;
}

/* scontrol requeuehold: nothing else makes a kept job of one that ran. Whether it has
 * been marked as held before stands in the comment. */
bool job_is_back_held(const slurm_job_info_t *j)
{
    const char *at =
        j->admin_comment ? strstr(j->admin_comment, COMMENT_RESTART) : NULL;

    return job_is_requeue_held(j) && job_mark(j) == MARK_KEPT
           && (at == NULL
               || strtoul(at + strlen(COMMENT_RESTART), NULL, 10) != j->restart_cnt);
}

uint32_t job_tasks_to_say(const slurm_job_info_t *j)
{
    bool by_device = j->ntasks_per_tres != 0 && j->ntasks_per_tres < NO_VAL16;

    return by_device && j->num_tasks < NO_VAL ? j->num_tasks : 0;
}

bool job_depends(const slurm_job_info_t *j)
{
    return j->dependency != NULL && *j->dependency != '\0';
}

bool job_is_astray(const struct adapter *a, const slurm_job_info_t *j)
{
    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || !adapter_is_led(a))
        return false;
    if (j->priority != 0)
        return true;
    /* found impossible, and changed by its owner since: a hold of nobody's */
    bool zero = j->state_reason == WAIT_HELD && has_word_go(j);

    return job_mark(j) == MARK_LIFTED || job_is_half_kept(j)
           || (job_mark(j) == MARK_KEPT
               && (j->state_reason == FAIL_BAD_CONSTRAINTS || zero
                   || asked_is_text(j->admin_comment)));
}

/* Slurm looks at no dependency of a job at priority 0. Changing that takes scontrol
 * three commands: only where the scheduler does not see the end of what it waits for.
 */
static bool is_overlooked(const struct adapter *a, const slurm_job_info_t *j)
{
    bool single = j->array_task_id != NO_VAL || j->array_job_id == 0;

    return single && j->het_job_id == 0 && !request_knows_dependencies(a, j);
}

/* Not of one whose begin time is its owner's, nor where the note of ours has no place.
 */
bool job_is_to_await(const struct adapter *a, const slurm_job_info_t *j)
{
    char *remark;

    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || !adapter_is_led(a)
        || !job_depends(j) || job_mark(j) != MARK_KEPT
        || j->state_reason == FAIL_BAD_CONSTRAINTS || asked_is_text(j->admin_comment)
        || job_is_sent_by_hand(j) || notes_release_at(a, j) != 0
        || (j->priority == 0 && j->state_reason == WAIT_HELD) /* somebody's, see gate */
        || (j->priority == 0 && !UPDATE_TAKES_TASKS && !is_overlooked(a, j)))
        return false;
    remark = asked_remark(j->admin_comment);
    free(remark);
    return remark == NULL;
}

bool job_is_kept_by_begin(const struct adapter *a, const slurm_job_info_t *j)
{
    return j->priority != 0 && notes_has_begin(a, j) && job_mark(j) == MARK_KEPT;
}

bool job_is_awaiting(const struct adapter *a, const slurm_job_info_t *j)
{
    return job_is_kept_by_begin(a, j) && j->eligible_time == AWAIT_BEGIN
           && !notes_is_new(j->admin_comment);
}

time_t job_latest_start(const slurm_job_info_t *j)
{
    uint32_t least, limit = request_limit(j, &least);
    uint32_t minutes = least != 0 ? least : limit;

    return j->deadline == 0 || minutes >= NO_VAL
               ? 0
               : j->deadline - 60 * (time_t)minutes + 1;
}

bool job_is_leaving(const slurm_job_info_t *j)
{
    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING
           && j->job_state & JOB_COMPLETING;
}

/* One with a record of its own that is not kept is counted where it may start, and else
 * about to be taken back. */
bool job_takes_place(const struct adapter *a, const slurm_job_info_t *j)
{
    return job_state_of(j) == JOB_IDLE && notes_release_at(a, j) == 0
           && (j->array_task_id == NO_VAL || j->priority == 0 || job_is_awaiting(a, j));
}
