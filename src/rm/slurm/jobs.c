/* SPDX-License-Identifier: Apache-2.0
 * Jobs: what changed of them is told, and who has got away is taken back. */
#include "rm/slurm/jobs.h"

#include "base/xalloc.h"
#include "rm/slurm/job.h"

#include <stdio.h>

#define KEEP_N 20 /* of a look: taken back in any case */

/* Of taking jobs back, before something else has its turn: after the first, which may
 * wait long for slurmdbd and for what slurmctld does because of those before. */
#define TAKING_MS 50

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

void jobs_drop(struct adapter *a, struct told_job *t)
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
    jobs_drop(a, t);
    a->jobs_at = 0;
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
    const uint64_t numbers[] = {state, job_hold_of(j), (uint64_t)j->start_time,
        (uint64_t)(state >= JOB_COMPLETED ? j->end_time : 0), j->exit_code,
        j->restart_cnt, limited};

    if (state != JOB_STARTING && state != JOB_RUNNING)
        h = digest_bytes(h, &j->state_reason, sizeof j->state_reason);
    return digest_text(digest_bytes(h, numbers, sizeof numbers), j->nodes);
}

/* ---- telling ---- */

static char *copy_list(const char *list)
{
    return list != NULL && *list != '\0' ? xstrdup(list) : NULL;
}

/* What is not what the start has written somebody has changed since. */
static void take_change(char **io, const char *sent, const char *is)
{
    if (sent == NULL || strcmp(sent, is != NULL ? is : "") == 0)
        return;
    free(*io);
    *io = copy_list(is);
}

static void parse_asked(struct asked *k, const slurm_job_info_t *j)
{
    struct asked before = *k;

    *k = (struct asked){0};
    asked_parse(k, j->admin_comment);
    k->overwritten = true;
    k->priority = job_priority_given(j);
    k->sent = before.sent;
    k->sent_out = before.sent_out;
    before.sent = before.sent_out = NULL;
    asked_free(&before);
    take_change(&k->nodes, k->sent, j->req_nodes);
    if (k->fenced)
        take_change(&k->exclude, k->sent_out, j->exc_nodes);
}

/* As long as no start has overwritten it, what a waiting job asks for is the user's
 * own, whether we keep it or have yet to take it back. A start leaves it in the
 * comment. */
void jobs_remember_part(struct asked *k, const slurm_job_info_t *j)
{
    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || job_is_sent_by_hand(j))
        return;
    if (asked_is_text(j->admin_comment)) {
        parse_asked(k, j);
        k->tasks = job_tasks_to_say(j);
        return;
    }
    struct asked before = *k;
    *k = (struct asked){.known = true,
        .priority = job_priority_given(j),
        .nodes = copy_list(j->req_nodes),
        .partition = j->partition ? xstrdup(j->partition) : NULL,
        .features = copy_list(j->features),
        .exclude = copy_list(j->exc_nodes),
        .limit = j->time_limit,
        .least = j->time_min < NO_VAL ? j->time_min : 0,
        .remark = asked_remark(j->admin_comment),
        .min_nodes = request_least_nodes(j),
        .max_nodes = j->max_nodes,
        .tasks = job_tasks_to_say(j)};
    if (j->max_nodes == 0 && j->restart_cnt > 0 && before.known) /* restore_parts() */
        k->max_nodes = before.max_nodes == 0 || before.max_nodes > k->min_nodes
                           ? before.max_nodes
                           : k->min_nodes;
    asked_free(&before);
}

struct restored {
    slurm_job_info_t as;
    char least[24]; /* in tres_req_str, in place of the start's */
};

/* Of a job that ran before Slurm tells the number of nodes that it had, and no most;
 * of one that was just let go or came back what the start made of it. Records as their
 * owner asked for, in `ret`, or those given; what was made is owned by the caller. */
static const struct parts *restore_parts(const struct told_job *t,
    const struct parts *parts, struct parts *ret, struct restored **ret_made)
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
        struct restored *made = &(*ret_made)[i];
        slurm_job_info_t *j = &made->as;
        const struct asked *k = &t->asked[i];

        *j = *parts->v[i];
        ret->v[i] = j;
        if (!k->known)
            continue;
        j->req_nodes = k->nodes;
        if (k->fenced)
            j->exc_nodes = k->exclude;
        j->max_nodes = k->max_nodes;
        if (k->max_nodes != 0 || k->min_nodes > 1)
            j->num_nodes = k->min_nodes;
        snprintf(made->least, sizeof made->least, "node=%u", k->min_nodes);
        j->tres_req_str = made->least;
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

    struct restored *made;
    struct parts restored;

    request_of(a, restore_parts(t, parts, &restored, &made), &job, &room);
    t->naming = room.naming;
    for (uint32_t i = 0; i < parts->n && !active; i++)
        room.req[i].hosts = request_hosts(&room, t->asked[i].nodes);
    if (state == JOB_RUNNING || (active && (!t->waiting || t->strange)))
        request_running(parts, &job, &room);
    job.desc.id = t->id;
    job.desc.state = state;
    job.others = job_others_of(j);
    job.lifted = job_lifted_of(j, state);
    job.notes = why_it_lingers(a, t, j); /* what was said before is over */
    if (state == JOB_HOLD) {
        job.desc.rm_hold = job_hold_of(j);
        if (!job_is_plain_hold(j))
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
        job.exit_status = job_exit_of(j);
        job.end = job_end_of(j);
    }
    r.u.job = &job;
    adapter_report(a, &r);
    request_free_room(&room);
    free(made);
}

void jobs_ended(struct adapter *a, struct told_job *t, const slurm_job_info_t *j)
{
    enum job_state state = job_state_of(j);
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
        .exit_status = job_exit_of(j),
        .end = job_end_of(j)};
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

bool jobs_is_enough(struct adapter *a)
{
    if (a->keeps++ < KEEP_N || adapter_now_ms() < a->keep_ms)
        return false;
    a->jobs_at = 0;
    adapter_look(a);
    return true;
}

/* Slurm looks at deadlines of jobs that it could start, which a kept one is not: when
 * it would end such a job, or 0. */
static time_t lost_at(
    const struct adapter *a, const slurm_job_info_t *j, const struct told_job *t)
{
    if (!t->waiting || t->held || t->expired || job_depends(j)
        || j->eligible_time > times_theirs(a))
        return 0;
    return job_latest_start(j);
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
    t->requeue_held = job_is_requeue_held(j);
    t->back_held = job_is_back_held(j) && t->hold_marked != j->restart_cnt;
    t->forgiven = t->back_held ? reruns_forgive(a, t, j) : FORGIVEN_NOT;
    t->back_held &= t->forgiven != FORGIVEN;
    if (t->requeue_held && !t->back_held && t->forgiven != FORGIVEN)
        t->hold_marked = j->restart_cnt;
    if (job_latest_start(j) == 0 || times_theirs(a) < job_latest_start(j))
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
    return job_state_of(j);
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
               digest_of(j, job_state_of(j), request, limited), &limit, sizeof limit)
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
    if (job_is_leaving(j)) {
        a->leaving = true;
        return;
    }
    note_keeping(a, t, parts);
    state = take_in(a, t, j, kept);
    /* an administrator has started it, perhaps with more than it asked for */
    t->strange = !is_new && t->waiting && job_has_begun(job_state_of(j))
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

bool jobs_is_limited(
    const struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    return job_takes_place(a, j) && !tallies_take(all_records, j);
}
