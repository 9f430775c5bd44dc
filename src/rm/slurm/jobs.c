/* SPDX-License-Identifier: Apache-2.0
 * Jobs: what changed of them is told. A record of Slurm is one job, or all tasks of an
 * array that still wait, or one component of a heterogeneous job. */
#include "rm/slurm/jobs.h"

#include "base/hostrange.h"
#include "base/xalloc.h"
#include "rm/slurm/marking.h"

#include <stdio.h>
#include <sys/wait.h>

#define WHOLE_MS 5000
#define KEEP_MS  1000 /* of a look: the heartbeat is written between looks */
#define KEEP_N   20   /* taken back in any case */

/* Of taking jobs back, before something else has its turn: after the first, which may
 * wait long for slurmdbd and for what slurmctld does because of those before. */
#define TAKING_MS 50
#define MARKING_MS                                                                     \
    200 /* of one look, for marks that the gate has left; the rest later */

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

struct told_job *jobs_find(struct adapter *a, const char *id)
{
    struct told_job *t;

    HASH_FIND_STR(a->jobs, id, t);
    return t;
}

static void set_depends(struct adapter *a, struct told_job *t, bool depends)
{
    a->dependents += (uint32_t)depends - (uint32_t)t->depends;
    t->depends = depends;
}

static void set_lost(struct adapter *a, struct told_job *t, time_t at)
{
    a->deadlines += (at != 0) - (t->lost_at != 0);
    t->lost_at = at;
}

static void set_astray(struct adapter *a, struct told_job *t, bool astray)
{
    a->astrays += (uint32_t)astray - (uint32_t)t->astray;
    t->astray = astray;
}

static void drop(struct adapter *a, struct told_job *t)
{
    set_astray(a, t, false);
    set_lost(a, t, 0);
    set_depends(a, t, false);
    HASH_DEL(a->jobs, t);
    a->wishes -= t->wish != 0;
    for (uint32_t i = 0; i < t->nparts; i++)
        asked_free(&t->asked[i]);
    free(t->asked);
    free(t->note);
    free(t->ran_on);
    free(t->id);
    free(t);
}

void jobs_forget(struct adapter *a)
{
    struct told_job *t, *next;

    HASH_ITER(hh, a->jobs, t, next)
    drop(a, t);
    a->jobs_at = 0;
}

/* ---- states ---- */

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
static enum job_state state_of(const slurm_job_info_t *j)
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

static uint8_t hold_of(const slurm_job_info_t *j)
{
    return j->state_reason == WAIT_HELD ? HOLD_SYSTEM : HOLD_USER;
}

/* One of which nothing is to be said but whose it is. */
static bool is_plain_hold(const slurm_job_info_t *j)
{
    return (j->state_desc == NULL || *j->state_desc == '\0')
           && (j->state_reason == WAIT_HELD || j->state_reason == WAIT_HELD_USER);
}

static int exit_of(const slurm_job_info_t *j)
{
    int status = (int)j->exit_code;

    if ((j->job_state & JOB_STATE_BASE) == JOB_TIMEOUT)
        return 128 + 15;
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static struct job_end end_of(const slurm_job_info_t *j)
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

/* Why Slurm lets a job wait that was left to it to start; "": it does not. */
static const char *why_it_lingers(
    const struct adapter *a, const struct told_job *t, const slurm_job_info_t *j)
{
    return j->state_reason == SLURM_WAIT_RESOURCES && j->priority != 0
                   && starts_name_nobody(t) && outcomes_has_start(a, t->id)
               ? answers_reason(j)
               : "";
}

static uint64_t digest_of(
    const slurm_job_info_t *j, enum job_state state, uint64_t request, bool limited)
{
    uint64_t h = digest_bytes(DIGEST_START, &request, sizeof request);
    const uint64_t numbers[] = {state, hold_of(j), (uint64_t)j->start_time,
        (uint64_t)(state >= JOB_COMPLETED ? j->end_time : 0), j->exit_code,
        j->restart_cnt, limited};

    if (state != JOB_STARTING && state != JOB_RUNNING)
        h = digest_bytes(h, &j->state_reason, sizeof j->state_reason);
    return digest_text(digest_bytes(h, numbers, sizeof numbers), j->nodes);
}

/* ---- telling ---- */

/* An administrator starts it by hand. */
static bool has_word_go(const slurm_job_info_t *j)
{
    return j->admin_comment != NULL && strcmp(j->admin_comment, "go") == 0;
}

/* Then the nodes in it are not its owner's wish. */
static bool is_sent_by_hand(const slurm_job_info_t *j)
{
    return j->priority != 0 && has_word_go(j);
}

/* As long as no start has overwritten it, what a waiting job asks for is the user's
 * own, whether we keep it or have yet to take it back. A start leaves it in the
 * comment. */
void jobs_remember_part(struct asked *k, const slurm_job_info_t *j)
{
    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || is_sent_by_hand(j))
        return;
    if (asked_is_text(j->admin_comment)) {
        asked_parse(k, j->admin_comment);
        k->overwritten = true;
        k->priority = job_priority_given(j);
        return;
    }
    struct asked before = *k;
    *k = (struct asked){.known = true,
        .priority = job_priority_given(j),
        .nodes = j->req_nodes && *j->req_nodes ? xstrdup(j->req_nodes) : NULL,
        .partition = j->partition ? xstrdup(j->partition) : NULL,
        .features = j->features && *j->features ? xstrdup(j->features) : NULL,
        .exclude = j->exc_nodes && *j->exc_nodes ? xstrdup(j->exc_nodes) : NULL,
        .limit = j->time_limit,
        .least = j->time_min < NO_VAL ? j->time_min : 0,
        .remark = asked_remark(j->admin_comment),
        .min_nodes = request_least_nodes(j),
        .max_nodes = j->max_nodes};
    if (j->max_nodes == 0 && j->restart_cnt > 0 && before.known) {
        k->min_nodes = before.min_nodes; /* see restore_parts() */
        k->max_nodes = before.max_nodes;
    }
    asked_free(&before);
}

/* Of a job that ran before Slurm tells the number of nodes that it had, and no most;
 * of one that was just let go or came back what the start made of it. Records as their
 * owner asked for, in `ret`, or those given; what was made is owned by the caller. */
static const struct parts *restore_parts(const struct told_job *t,
    const struct parts *parts, struct parts *ret, slurm_job_info_t **ret_made)
{
    bool other = false;

    *ret_made = NULL;
    for (uint32_t i = 0; i < parts->n; i++)
        other |= t->asked[i].known
                 && (t->asked[i].overwritten
                     || t->asked[i].max_nodes != parts->v[i]->max_nodes);
    if (!other || (parts->v[0]->job_state & JOB_STATE_BASE) != JOB_PENDING)
        return parts;
    *ret_made = xcalloc(parts->n, sizeof **ret_made);
    *ret = (struct parts){.n = parts->n};
    for (uint32_t i = 0; i < parts->n; i++) {
        slurm_job_info_t *j = &(*ret_made)[i];
        const struct asked *k = &t->asked[i];

        *j = *parts->v[i];
        ret->v[i] = j;
        if (!k->known)
            continue;
        j->req_nodes = k->nodes;
        if (k->fenced)
            j->exc_nodes = k->exclude;
        j->max_nodes = k->max_nodes;
        if (k->max_nodes != 0) {
            j->num_nodes = k->min_nodes;
            j->tres_req_str = NULL; /* of the start */
        }
    }
    return ret;
}

static void remember_asked(struct told_job *t, const struct parts *parts)
{
    if (t->nparts != parts->n) {
        for (uint32_t i = 0; i < t->nparts; i++)
            asked_free(&t->asked[i]);
        free(t->asked);
        t->asked = xcalloc(parts->n, sizeof *t->asked);
        t->nparts = parts->n;
    }
    for (uint32_t i = 0; i < parts->n; i++)
        jobs_remember_part(&t->asked[i], parts->v[i]);
}

/* What it was held by stands in its comment until somebody lets us take it back: gone
 * is the hold, and not because the controller has forgotten it, which forgets both. */
static uint8_t lifted_of(const slurm_job_info_t *j, enum job_state state)
{
    if (state != JOB_IDLE || j->admin_comment == NULL)
        return 0;
    if (strcmp(j->admin_comment, COMMENT_ADMIN) == 0)
        return HOLD_SYSTEM;
    return strcmp(j->admin_comment, COMMENT_HELD) == 0 ? HOLD_USER : 0;
}

/* What submit.c has written. */
static const char *others_of(const slurm_job_info_t *j)
{
    size_t n = strlen(COMMENT_OTHERS);

    return j->comment != NULL && strncmp(j->comment, COMMENT_OTHERS, n) == 0
               ? j->comment + n
               : NULL;
}

static void tell(struct adapter *a, struct told_job *t, const struct parts *parts,
    enum job_state state, bool changed, bool limited)
{
    const slurm_job_info_t *j = parts->v[0];
    struct rm_report r = {.kind = RM_JOB};
    struct rm_job job = {
        .cpu_s = -1, .mem_mb = -1, .swap_mb = -1, .disk_mb = -1, .changed = changed};
    struct request_room room = {0};
    bool active =
        state == JOB_STARTING || state == JOB_RUNNING || state == JOB_SUSPENDED;

    slurm_job_info_t *made;
    struct parts restored;

    request_of(a, restore_parts(t, parts, &restored, &made), &job, &room);
    t->naming = room.naming;
    for (uint32_t i = 0; i < parts->n && !active; i++)
        room.req[i].hosts = request_hosts(&room, t->asked[i].nodes);
    if (state == JOB_RUNNING || (active && (!t->waiting || t->strange)))
        request_running(parts, &job, &room);
    job.desc.id = t->id;
    job.desc.state = state;
    job.others = others_of(j);
    job.lifted = lifted_of(j, state);
    job.notes = why_it_lingers(a, t, j); /* what was said before is over */
    if (state == JOB_HOLD) {
        job.desc.rm_hold = hold_of(j);
        if (!is_plain_hold(j))
            job.notes = answers_reason(j);
    }
    if (limited)
        room.why_not = "as many tasks of its array run as its limit allows";
    if (room.why_not != NULL && state == JOB_IDLE) {
        job.desc.state = JOB_HOLD;
        job.desc.rm_hold = limited ? 0 : HOLD_SYSTEM; /* a wait is no hold */
        job.notes = room.why_not;
    }
    if (state == JOB_IDLE)
        reruns_tell(a, t, &room, &job);
    if (active || state >= JOB_COMPLETED) {
        job.start_at = job.desc.start_at = times_here(a, j->start_time);
        request_places(parts, &job, &room);
    }
    if (active) {
        job.desc.places = job.places;
        job.desc.nplaces = job.nplaces;
    }
    if (state >= JOB_COMPLETED) {
        job.end_at = times_here(a, j->end_time);
        job.exit_status = exit_of(j);
        job.end = end_of(j);
    }
    r.u.job = &job;
    adapter_report(a, &r);
    request_free_room(&room);
    free(made);
}

void jobs_ended(struct adapter *a, struct told_job *t, const slurm_job_info_t *j)
{
    enum job_state state = state_of(j);
    const struct req_desc any = {.tasks = 1}; /* told before; a job has one */
    struct rm_job job = {
        .desc = {.id = t->id, .state = state, .reqs = &any, .nreqs = 1},
        .cpu_s = -1,
        .mem_mb = -1,
        .swap_mb = -1,
        .disk_mb = -1,
        .notes = "",
        .start_at = times_here(a, j->start_time),
        .end_at = times_here(a, j->end_time),
        .exit_status = exit_of(j),
        .end = end_of(j)};
    struct rm_report r = {.kind = RM_JOB, .u.job = &job};

    if (t->makes_room && job.end.reason == ENDED_CANCELLED)
        job.end = (struct job_end){.reason = ENDED_PREEMPTED};
    adapter_report(a, &r);
    t->waiting = t->held = false;
    t->over = t->end_told = true;
    reruns_sent(t, NULL);
    t->digest = 0; /* a killed slurmctld may have it back as it was before */
    t->start_at = j->start_time;
    set_astray(a, t, false);
    set_lost(a, t, 0);
    set_depends(a, t, false);
    outcomes_seen(a, t->id, state);
}

static struct told_job *find_or_add(struct adapter *a, const char *id)
{
    struct told_job *t = jobs_find(a, id);

    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->id = xstrdup(id);
        HASH_ADD_KEYPTR(hh, a->jobs, t->id, strlen(t->id), t);
    }
    return t;
}

/* Of a job that is merely kept Slurm has nothing to say. What it said of one that was
 * cancelled since stands there as well. */
static bool is_requeue_held(const slurm_job_info_t *j)
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

    return is_requeue_held(j) && job_mark(j) == MARK_KEPT
           && (at == NULL
               || strtoul(at + strlen(COMMENT_RESTART), NULL, 10) != j->restart_cnt);
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

bool jobs_is_enough(struct adapter *a)
{
    if (a->keeps++ < KEEP_N || adapter_now_ms() < a->keep_ms)
        return false;
    a->jobs_at = 0;
    adapter_look(a);
    return true;
}

/* Not of one whose begin time is its owner's, nor where the note of ours has no place.
 */
bool job_is_to_await(const struct adapter *a, const slurm_job_info_t *j)
{
    char *remark;

    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || !adapter_is_led(a)
        || !job_depends(j) || job_mark(j) != MARK_KEPT
        || j->state_reason == FAIL_BAD_CONSTRAINTS || asked_is_text(j->admin_comment)
        || is_sent_by_hand(j) || notes_release_at(a, j) != 0
        || (j->priority == 0 && j->state_reason == WAIT_HELD) /* somebody's, see gate */
        || (j->priority == 0 && !UPDATE_TAKES_TASKS))
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

/* From when on it cannot end by its deadline any more; 0: it has none. */
static time_t latest_start(const slurm_job_info_t *j)
{
    uint32_t least, limit = request_limit(j, &least);
    uint32_t minutes = least != 0 ? least : limit;

    return j->deadline == 0 || minutes >= NO_VAL
               ? 0
               : j->deadline - 60 * (time_t)minutes + 1;
}

/* Slurm looks at deadlines of jobs that it could start, which a kept one is not: when
 * it would end such a job, or 0. */
static time_t lost_at(
    const struct adapter *a, const slurm_job_info_t *j, const struct told_job *t)
{
    if (!t->waiting || t->held || t->expired || job_depends(j)
        || j->eligible_time > times_theirs(a))
        return 0;
    return latest_start(j);
}

void jobs_expire(struct adapter *a)
{
    time_t now = times_theirs(a);

    for (struct told_job *t = a->deadlines ? a->jobs : NULL; t != NULL; t = t->hh.next)
        if (t->lost_at != 0 && now >= t->lost_at && !outcomes_has_start(a, t->id)) {
            t->expired = true;
            set_lost(a, t, 0);
            keep_expired(t);
            adapter_look(a);
        }
}

void jobs_try_keeping(struct adapter *a, struct told_job *t)
{
    int64_t now = adapter_now_ms();

    if (now >= t->again_ms && keep_job(t) == 0) {
        t->refused = 0;
        adapter_look(a);
        return;
    }
    if (now >= t->again_ms) {
        t->again_ms = adapter_now_ms() + (1000LL << t->refused);
        t->refused += t->refused < 6;
    }
    a->jobs_at = 0; /* else nothing changes, and it is forgotten */
}

void jobs_take_back(struct adapter *a)
{
    int64_t until_ms = 0, now;

    for (struct told_job *t = a->jobs; a->astrays > 0 && t != NULL; t = t->hh.next) {
        if (!t->astray)
            continue;
        set_astray(a, t, false);
        if (outcomes_has_start(a, t->id) || !adapter_is_led(a))
            continue; /* let go to start meanwhile; or it may be so for long */
        jobs_try_keeping(a, t);
        now = adapter_now_ms();
        if (until_ms == 0)
            until_ms = now + TAKING_MS;
        else if (now >= until_ms)
            return;
    }
}

/* Of all that it asks for, and for whom. */
static uint64_t digest_request(struct adapter *a, const struct parts *parts)
{
    bool known = names_are_known(a, parts->v[0]);

    return digest_bytes(request_digest(a, parts), &known, sizeof known);
}

/* Requeued, but on its nodes yet; how long it pauses is not known. */
static bool is_leaving(const slurm_job_info_t *j)
{
    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING
           && j->job_state & JOB_COMPLETING;
}

/* What orders of it need, of any record. */
static void note_record(
    struct adapter *a, struct told_job *t, const struct parts *parts)
{
    const slurm_job_info_t *j = parts->v[0];
    const struct part *p = part_find(a, j->partition);

    set_astray(a, t, false);
    t->round = a->round;
    t->number = j->job_id;
    t->time_min = parts->n == 1 ? request_least(j) : 0;
    t->nice = j->priority != 0 ? j->nice : NO_VAL;
    t->grace_s = limits_grace(a, j->qos, p != NULL ? p->grace_s : 0);
    t->reason = j->state_reason;
}

/* What keeps it, and what its owner asked for. */
static void note_keeping(
    struct adapter *a, struct told_job *t, const struct parts *parts)
{
    const slurm_job_info_t *j = parts->v[0];

    remember_asked(t, parts);
    t->note_begin = notes_has_begin(a, j);
    t->fresh = job_is_kept_by_begin(a, j);
    t->marked = job_mark(j) != MARK_NONE;
    t->reserved = j->resv_name != NULL && *j->resv_name != '\0';
    t->switch_until = switches_until(a, j);
    switches_note(a, j);
    t->restarts = j->restart_cnt;
    t->requeue_held = is_requeue_held(j);
    t->back_held = job_is_back_held(j) && t->hold_marked != j->restart_cnt;
    t->forgiven = t->back_held ? reruns_forgive(a, t, j) : FORGIVEN_NOT;
    t->back_held &= t->forgiven != FORGIVEN;
    if (t->requeue_held && !t->back_held && t->forgiven != FORGIVEN)
        t->hold_marked = j->restart_cnt;
    if (latest_start(j) == 0 || times_theirs(a) < latest_start(j))
        t->expired = false; /* somebody gave it another deadline, or limit */
}

/* Take it into our hands, or have Slurm wait for what it depends on; what it is for the
 * scheduler then. */
static enum job_state take_in(
    struct adapter *a, struct told_job *t, const slurm_job_info_t *j, bool kept)
{
    if ((t->back_held || t->forgiven == FORGIVEN) && adapter_is_led(a)) {
        if (t->forgiven != FORGIVEN_LATER)
            jobs_try_keeping(a, t);
        return t->forgiven == FORGIVEN ? JOB_IDLE : JOB_HOLD;
    }
    if (job_is_to_await(a, j)) {
        if (!job_is_awaiting(a, j) && !kept && !outcomes_has_start(a, t->id)
            && !jobs_is_enough(a))
            keep_awaiting(t, j->priority == 0);
        return JOB_IDLE;
    }
    if (job_is_astray(a, j) && !outcomes_has_start(a, t->id)
        && !(t->expired && j->priority != 0 && j->state_reason != WAIT_TIME)) {
        bool rests = adapter_now_ms() < t->again_ms;
        set_astray(a, t, !kept && !rests);
        if (rests)
            a->jobs_at = 0; /* else nothing changes, and it is forgotten */
        return JOB_IDLE;
    }
    return state_of(j);
}

/* What it has been seen as is what a later look and orders go by. */
static void note_state(struct adapter *a, struct told_job *t, const struct parts *parts,
    enum job_state state)
{
    const slurm_job_info_t *j = parts->v[0];

    t->end_told = false;
    t->kept = j->priority == 0 && parts->n == 1;
    t->as_before = (j->priority == 0 || t->fresh) && job_mark(j) == MARK_KEPT
                   && (j->job_state & JOB_STATE_BASE) == JOB_PENDING
                   && !asked_is_text(j->admin_comment);
    t->held = state == JOB_HOLD;
    t->waiting = state == JOB_IDLE || state == JOB_HOLD;
    t->over = state >= JOB_COMPLETED;
    set_lost(a, t, lost_at(a, j, t));
    set_depends(a, t, t->waiting && job_depends(j));
    if (!t->waiting)
        t->start_at = j->start_time;
}

/* All that is told of it, as it is in Slurm. */
static uint64_t digest_record(
    const struct adapter *a, const slurm_job_info_t *j, uint64_t request, bool limited)
{
    const struct part *p = part_find(a, j->partition);
    uint32_t least, limit = request_limit(j, &least);

    return digest_bytes(
               digest_of(j, state_of(j), request, limited), &limit, sizeof limit)
           + (p != NULL && p->open);
}

void jobs_see(struct adapter *a, const char *id, const struct parts *parts,
    bool limited, bool kept)
{
    const slurm_job_info_t *j = parts->v[0];
    bool is_new = jobs_find(a, id) == NULL, changed, back;
    struct told_job *t = find_or_add(a, id);
    uint64_t request = digest_request(a, parts),
             digest = digest_text(
                 digest_record(a, j, request, limited), why_it_lingers(a, t, j));
    uint32_t least, limit = request_limit(j, &least);
    enum job_state state;

    note_record(a, t, parts);
    if (is_leaving(j)) {
        a->leaving = true;
        return;
    }
    note_keeping(a, t, parts);
    state = take_in(a, t, j, kept);
    /* an administrator has started it, perhaps with more than it asked for */
    t->strange = !is_new && t->waiting && job_has_begun(state_of(j))
                 && !outcomes_has_start(a, id);
    changed = reruns_see(a, t, j, state);
    changed |= !is_new && t->waiting && (t->request != request || t->strange);
    back =
        !is_new && !t->waiting && !t->over && (state == JOB_IDLE || state == JOB_HOLD);
    /* requeued: it may have to pause before it starts again, said in the same report,
     * as the scheduler may start it on the next */
    if ((is_new || back || changed || t->digest != digest)
        && !(t->end_told && state >= JOB_COMPLETED))
        tell(a, t, parts, state, changed || back, limited);
    if (changed || (t->waiting && t->limit != limit))
        t->left_to_slurm = false;
    t->limit = limit;
    t->digest = digest;
    t->request = request;
    note_state(a, t, parts, state);
    outcomes_seen(a, id, state);
}

/* A heterogeneous job: at its leader's record all its components, if they are there. */
static void see_components(struct adapter *a, const struct tallies *all_records,
    const slurm_job_info_t *leader)
{
    struct parts parts;
    char id[40];

    if (leader->het_job_offset != 0)
        return;
    tallies_components(all_records, leader, &parts);
    for (uint32_t i = 0; i < parts.n; i++)
        if (parts.v[i] == NULL)
            return; /* being submitted, or being forgotten */
    for (uint32_t i = 0; i < parts.n; i++) {
        snprintf(id, sizeof id, "%u+%u", leader->het_job_id, i);
        keep_holder(a, id, parts.v[i]);
    }
    snprintf(id, sizeof id, "%u", leader->het_job_id);
    jobs_see(a, id, &parts, false, false);
}

bool job_depends(const slurm_job_info_t *j)
{
    return j->dependency != NULL && *j->dependency != '\0';
}

/* One with a record of its own that is not kept is counted where it may start, and else
 * about to be taken back. */
bool jobs_takes_place(const struct adapter *a, const slurm_job_info_t *j)
{
    return state_of(j) == JOB_IDLE && notes_release_at(a, j) == 0
           && (j->array_task_id == NO_VAL || j->priority == 0 || job_is_awaiting(a, j));
}

bool jobs_is_limited(
    const struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    return jobs_takes_place(a, j) && !tallies_take(all_records, j);
}

/* A task with a record of its own. */
static void see_task(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    struct told_job *t;
    char id[40];

    snprintf(id, sizeof id, "%u_%u", j->array_job_id, j->array_task_id);
    jobs_see(a, id, &(struct parts){{j}, 1}, jobs_is_limited(a, all_records, j), false);
    t = jobs_find(a, id);
    if (t != NULL)
        arrays_leave(a, t);
}

static void see_record(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    char id[40];

    if ((j->job_state & JOB_STATE_BASE) == SLURM_JOB_RUNNING
        && gres_learn(a, j->gres_total)) {
        a->nodes_at = 0;
        adapter_look(a);
    }
    if (j->array_task_str && *j->array_task_str && j->array_task_id == NO_VAL) {
        arrays_see(a, all_records, j);
        return;
    }
    if (j->het_job_id != 0) {
        see_components(a, all_records, j);
        return;
    }
    snprintf(id, sizeof id, "%u", j->job_id);
    keep_holder(a, id, j);
    if (j->array_job_id != 0 && j->array_task_id != NO_VAL)
        see_task(a, all_records, j);
    else
        jobs_see(a, id, &(struct parts){{j}, 1}, false, false);
}

/* ---- all ---- */

static void tell_gone(struct adapter *a)
{
    struct told_job *t, *next;

    HASH_ITER(hh, a->jobs, t, next)
    {
        struct rm_report r = {.kind = RM_JOB_GONE, .u.name = t->id};

        if (t->round == a->round)
            continue;
        if (!t->over)
            adapter_report(a, &r);
        drop(a, t);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Slurm lists jobs as they came, so that there is mostly nothing to do. */
static void sort_numbers(uint32_t *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i - 1] > v[i]) {
            qsort(v, n, sizeof *v, compare_numbers);
            return;
        }
}

/* Before anything else is told: a slurmctld that was killed has forgotten its last
 * starts, and has jobs run again that it had before, on the same nodes. */
static void tell_forgotten(struct adapter *a, const job_info_msg_t *msg)
{
    uint32_t *known = xcalloc(2 * (size_t)msg->record_count + 1, sizeof *known);
    size_t n = 0;
    struct told_job *t, *next;

    for (uint32_t i = 0; i < msg->record_count; i++) {
        uint32_t array = msg->job_array[i].array_job_id;

        if (array != 0 && array != msg->job_array[i].job_id)
            known[n++] = array;
        known[n++] = msg->job_array[i].job_id;
    }
    sort_numbers(known, n);
    HASH_ITER(hh, a->jobs, t, next)
    {
        struct rm_report r = {.kind = RM_JOB_GONE, .u.name = t->id};
        uint32_t of = (uint32_t)strtoul(t->id, NULL, 10);

        if (t->over || bsearch(&of, known, n, sizeof of, compare_numbers) != NULL
            || bsearch(&t->number, known, n, sizeof of, compare_numbers) != NULL)
            continue;
        adapter_report(a, &r);
        drop(a, t);
    }
    free(known);
}

/* Numbers of the jobs that were told, and had not ended; of tasks that of their array.
 * Sorted, owned. */
static uint32_t *list_told(const struct adapter *a, size_t *ret_n)
{
    uint32_t *numbers = xcalloc((size_t)HASH_COUNT(a->jobs) + 1, sizeof *numbers);

    *ret_n = 0;
    for (const struct told_job *t = a->jobs; t != NULL; t = t->hh.next)
        if (!t->over)
            numbers[(*ret_n)++] = (uint32_t)strtoul(t->id, NULL, 10);
    sort_numbers(numbers, *ret_n);
    return numbers;
}

/* Is it of a job that was told, and that has no nodes, or none any more? */
static bool has_left(const slurm_job_info_t *j, const uint32_t *told, size_t n)
{
    uint32_t state = j->job_state & JOB_STATE_BASE;
    uint32_t of = j->array_job_id != 0 ? j->array_job_id : j->job_id;

    return n > 0 && state != SLURM_JOB_RUNNING && state != SLURM_JOB_SUSPENDED
           && bsearch(&of, told, n, sizeof of, compare_numbers) != NULL;
}

/* Those that have left their nodes before those that have them next: a slurmctld that
 * was killed may have forgotten a start, and an older job runs there again. New ones
 * and those that run in Slurm's order, by which a job comes before those that depend on
 * it. */
static void see_all(struct adapter *a, const job_info_msg_t *msg)
{
    struct tallies *all_records = tallies_new(a, msg);
    size_t n;
    uint32_t *told = list_told(a, &n);

    for (int first = 1; first >= 0; first--)
        for (uint32_t i = 0; i < msg->record_count; i++)
            if (has_left(&msg->job_array[i], told, n) == (first == 1))
                see_record(a, all_records, &msg->job_array[i]);
    free(told);
    tallies_free(all_records);
}

/* What the gate has left behind goes into the records before they are read. */
static void settle_marks(struct adapter *a)
{
    enum marking_left left = marking_settle(a->marking, a, MARKING_MS);

    if (left == MARKING_MORE)
        adapter_look(a);
    if ((left == MARKING_NO_GATE) == a->no_gate)
        return;
    a->no_gate = left == MARKING_NO_GATE;
    adapter_health(a, "marks",
        a->no_gate ? "slurmctld does not have the job_submit.lua of this scheduler: "
                     "holds and releases of arrays that it has noted wait for it (maui "
                     "slurm check)"
                   : NULL);
}

/* How much is taken back in it, see jobs_is_enough(); and slurmctld may have come up
 * anew. */
static void begin_look(struct adapter *a)
{
    a->keep_ms = adapter_now_ms() + KEEP_MS;
    a->keeps = 0;
    a->boot_asked = false;
}

int jobs_poll(struct adapter *a)
{
    job_info_msg_t *msg = NULL;
    int64_t now = adapter_now_ms();
    time_t asked;

    /* to see wishes, changed or not; and that a dependency is fulfilled does not count
     * as a change with Slurm */
    if (a->switches_at != 0 && times_theirs(a) >= a->switches_at)
        a->switches_at = a->jobs_at = 0;
    if (a->avoid_at != 0 && times_theirs(a) >= a->avoid_at)
        a->avoid_at = a->jobs_at = 0;
    if (a->wishes > 0 || notes_wait(a)
        || (a->dependents > 0 && now - a->whole_ms > WHOLE_MS))
        a->jobs_at = 0;
    if (a->marking != NULL)
        settle_marks(a);
    asked = time(NULL);
    if (slurm_load_jobs(a->jobs_at, &msg, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)
        != SLURM_SUCCESS) {
        if (errno == SLURM_NO_CHANGE_IN_DATA)
            return 0;
        adapter_lost(a, "jobs");
        return -1;
    }
    /* within the second of a change the table is asked for again: times are seconds */
    a->jobs_at = msg->last_update;
    if (TELLS_TIME)
        times_set(a, asked, msg->last_update);
    a->whole_ms = now;
    begin_look(a);
    a->round++;
    a->leaving = false;
    tell_forgotten(a, msg);
    see_all(a, msg);
    tell_gone(a);
    notes_write(a, msg);
    slurm_free_job_info_msg(msg);
    return 0;
}

int jobs_look(struct adapter *a, const char *id)
{
    job_info_msg_t *msg = NULL;
    unsigned long number = strtoul(id, NULL, 10);
    struct tallies *all_records;

    if (slurm_load_job(&msg, (uint32_t)number, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)
        != SLURM_SUCCESS)
        return -1;
    begin_look(a);
    all_records = tallies_new(a, msg);
    for (uint32_t i = 0; i < msg->record_count; i++)
        see_record(a, all_records, &msg->job_array[i]);
    tallies_free(all_records);
    slurm_free_job_info_msg(msg);
    return 0;
}
