/* SPDX-License-Identifier: Apache-2.0
 * What the resource manager tells of jobs becomes events of the engine. It is the truth
 * about what runs where; the scheduler is the truth about what should. */
#define LOG_FACILITY FACILITY_RM
#include "cluster/attribute.h"
#include "cluster/shape.h"
#include "rm/wire.h"
#include "server/drafts/depends.h"
#include "server/drafts/elsewhere.h"
#include "server/drafts/modify.h"
#include "server/durable/nodekeep.h"
#include "server/durable/passed.h"
#include "server/durable/record.h"
#include "server/durable/teller.h"
#include "server/managers/limits.h"
#include "server/managers/private.h"
#include "server/managers/reservation.h"
#include "server/server_private.h"
#include "server/whole.h"

#define DATE_DIFFERS_S 1 /* less is how an instant is rounded */

static bool over(enum job_state s)
{
    return s >= JOB_COMPLETED;
}

static bool on_nodes(enum job_state s)
{
    return s == JOB_STARTING || s == JOB_RUNNING;
}

static bool is_waiting(enum job_state s)
{
    return s == JOB_IDLE || s == JOB_HOLD;
}

#define TOLD 1 /* in this listing, be it that nothing can be said of it */
#define SEEN 2 /* since the manager was out of reach last */
#define KEPT 4 /* in this listing nothing can be said of it */

static void mark_told(struct manager *m, const struct job *j, uint8_t how)
{
    while (m->told.n <= j->index)
        vec_push(&m->told, 0);
    m->told.v[j->index] &= (uint8_t)~KEPT;
    m->told.v[j->index] |= how;
}

bool rmjobs_is_kept(const struct manager *m, const struct job *j)
{
    return j->index < m->told.n && m->told.v[j->index] & KEPT;
}

void rmjobs_lose_sight(struct manager *m)
{
    for (size_t i = 0; i < m->told.n; i++)
        m->told.v[i] &= (uint8_t)~SEEN;
}

void rmjobs_begin_anew(struct manager *m)
{
    for (size_t i = 0; i < m->told.n; i++)
        m->told.v[i] &= (uint8_t) ~(TOLD | KEPT);
    outbox_begin_listing(m);
}

static void note(char **to, const char *text)
{
    if (!text || (*to && strcmp(*to, text) == 0))
        return;
    free(*to);
    *to = xstrdup(text);
}

static void note_asked(struct job_notes *n, const struct job_desc *d)
{
    if (!d->cred[CRED_QOS]) {
        free(n->told.qos);
        n->told.qos = NULL;
    }
    note(&n->told.qos, d->cred[CRED_QOS]);
    for (size_t i = 0; i < JOBATTR_OWN; i++)
        n->told.numbers[i] = *attribute_number(d, jobattr_own(i)->desc_at);
}

static void take_notes(struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct job_notes *n = world_notes(m->s, j);

    if (!n->renamed)
        note(&n->name, r->name);
    note(&n->directory, r->directory);
    note(&n->output, r->output);
    note(&n->error, r->error);
    note(&n->command, r->desc.command);
    note(&n->notes, r->notes);
    n->cpu_s = r->cpu_s;
    n->mem_mb = r->mem_mb;
    n->swap_mb = r->swap_mb;
    n->disk_mb = r->disk_mb;
    reslimit_measure(&n->usage, r->cpu_s, world_now(m->s));
    n->exit_status = r->exit_status;
}

/* What was remembered before the restart, if it is of this job; else that one went
 * while nobody looked. */
static struct record_memory *recall_memory(
    struct manager *m, const struct rm_job *r, struct job_memory *ret)
{
    struct record_memory *known = record_recall(m->s, r->desc.id, ret);
    struct job_owner was = known ? record_owner(known) : (struct job_owner){0};

    if (!was.user || !rmjobs_is_of_another(m, &was, r))
        return known;
    record_memory_free(known);
    record_unclaimed(m->s, r->desc.id);
    world_want_settled(m->s);
    *ret = (struct job_memory){0};
    return NULL;
}

/* It ended while nobody looked. What is not remembered was accounted for before. */
static void on_missed_end(struct manager *m, const struct rm_job *r)
{
    struct job_memory memory = {0};
    struct record_memory *known = recall_memory(m, r, &memory);

    if (known)
        record_missed_end(m->s, r, &memory);
    record_memory_free(known);
}

/* One whose cancel was refused has the QOS again that it was given here. */
static void give_kept_qos(struct manager *m, const struct job *j)
{
    const char *qos = outbox_refused_qos(m, j->id);
    struct event ev = {.kind = EVENT_QOS, .u.qos = {j->id, qos, true}};

    if (qos)
        manager_apply(m, &ev, j->id);
}

static void on_new_job(struct manager *m, const struct rm_job *r)
{
    struct server *s = m->s;
    struct job_memory memory = {0};
    struct record_memory *known = recall_memory(m, r, &memory);
    struct event ev = {.kind = EVENT_SUBMIT, .u.job = r->desc};
    /* later its owner may have written something else there, which means nothing */
    enum elsewhere_found others =
        known ? ELSEWHERE_NONE : elsewhere_find(s, r->desc.id, false, r->others);
    bool cancelled = manager_refused_cancel(s, r->desc.id) != NULL;
    struct modified *changed =
        known || others || cancelled ? modify_recall(s, &ev.u.job) : NULL;
    struct err err = {0};
    struct event_result made;

    size_t mark = border_begin(m->border);
    record_number(s, border_job_out(m->border, r->desc.id));
    border_end(m->border, mark);
    struct dep *deps = depends_settle(s, ev.u.job.deps, r->desc.submit_at);

    ev.u.job.deps = deps;
    ev.u.job.cancelled = cancelled;
    ev.u.job.memory = known ? &memory : NULL;
    ev.u.job.rm_hold = rmholds_told(m, known ? memory.holds : 0, r->desc.rm_hold);
    ev.u.job.start_at = r->start_at;
    ev.u.job.places = r->places;
    ev.u.job.nplaces = r->nplaces;
    if (world_apply(s, &ev, &made, &err) < 0) {
        log_line(s->log, LOG_ALERT, "job '%s' is not taken: %s", r->desc.id, err.text);
    } else {
        mark_told(m, made.job, TOLD | SEEN);
        take_notes(m, made.job, r);
        note_asked(world_notes(s, made.job), &r->desc);
        if (!known)
            give_kept_qos(m, made.job);
        if (!known && depends_is_back(s, r->desc.id, r->desc.submit_at))
            world_want_settled(s);
        if (job_has_begun(r->desc.state))
            world_notes(s, made.job)->wclimit_s = r->desc.wclimit_s;
        modified_note(changed, world_notes(s, made.job));
        if (r->lifted) /* while nobody was here who would have heard of it */
            rmholds_lifted(m, made.job, r->lifted);
        if (others == ELSEWHERE_PUT && changed)
            elsewhere_let_go(s, made.job);
        limits_first_told(m, made.job, r, known != NULL);
    }
    free(deps);
    modified_free(changed);
    record_memory_free(known);
}

/* Who tells nothing of the end of a completed job tells that there is nothing to tell.
 */
struct job_end rmjobs_end(const struct rm_job *r)
{
    struct job_end end = r->end;

    if (end.reason == ENDED_UNKNOWN && r->desc.state == JOB_COMPLETED)
        end.reason = ENDED_BY_ITSELF;
    return end;
}

/* That it was ended in one of these ways only a job can that has run, be it that nobody
 * tells when or where. */
static bool has_run(const struct rm_job *r)
{
    static const enum end_reason reasons[] = {
        ENDED_BY_ITSELF, ENDED_SIGNAL, ENDED_WALLCLOCK, ENDED_MEMORY, ENDED_USAGE};
    struct job_end end = rmjobs_end(r);

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (r->desc.state == JOB_COMPLETED && end.reason == reasons[i])
            return true;
    return false;
}

/* It was to start, and is over before anybody was told that it runs: since when it did,
 * be it long after that was decided. */
static const struct job *see_start(
    struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = j->id, .state = JOB_RUNNING, .start_at = r->start_at}};

    if ((r->end_at <= r->start_at && !has_run(r)) || clock_is_ahead(m->s->clock)
        || !engine_start_differs(j, r->start_at))
        return j;
    manager_apply(m, &ev, r->desc.id);
    return job_find(engine_cluster(m->s->engine), r->desc.id);
}

/* Nobody saw it run, as a look or an answer was lost meanwhile; the RM tells when and
 * where. So it has run, for all that counts and charges jobs. */
static const struct job *see_run(
    struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = j->id,
            .state = JOB_RUNNING,
            .start_at = r->start_at,
            .places = r->places,
            .nplaces = r->nplaces}};

    if (j->state == JOB_STARTING)
        return see_start(m, j, r);
    if (job_is_active(j) || j->state == JOB_SUSPENDED || r->start_at == 0
        || r->nplaces == 0 || r->desc.state != JOB_COMPLETED)
        return j;
    manager_apply(m, &ev, r->desc.id);
    return job_find(engine_cluster(m->s->engine), r->desc.id);
}

/* `unseen`: its start was lost, or not sent. Where nothing says that it ran all the
 * same, that was no run. */
static void on_ended(
    struct manager *m, const struct job *told, const struct rm_job *r, bool unseen)
{
    const struct job *j = see_run(m, told, r);
    struct event ev = {.kind = EVENT_END,
        .u.end = {.id = j->id,
            .how = r->desc.state == JOB_COMPLETED ? EV_COMPLETE : EV_CANCEL,
            .cpu_s = r->cpu_s,
            .left_at = r->end_at,
            .failed = r->exit_status != 0,
            .unbegun = unseen && !has_run(r)
                       && (r->start_at == 0 || r->end_at <= r->start_at)}};

    if (!job_is_active(j) && !has_run(r))
        ev.kind = EVENT_CANCEL;
    take_notes(m, j, r);
    struct job_end end = rmjobs_end(r);
    world_note_end(m->s, j, &end);
    record_end(m->s, j, job_state_name(r->desc.state), r->end_at);
    manager_apply(m, &ev, r->desc.id);
}

static bool is_same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static int64_t own_number(const struct job *j, const struct attribute *row)
{
    if (row->job_at)
        return *attribute_number(j, row->job_at);
    return j->extra ? *attribute_number(j->extra, row->extra_at) : 0;
}

/* An instant to begin at that has come is told no more by some. */
static bool is_passed(const struct manager *m, int64_t told, int64_t is)
{
    return !is && told && told <= world_now(m->s);
}

/* What it said before and says again nobody has changed there: what was set here stays.
 */
static void keep_own(struct manager *m, const struct job *j, struct job_desc *io)
{
    const struct job_notes *n = world_notes(m->s, j);
    const struct cluster *c = engine_cluster(m->s->engine);

    if (is_same_text(n->told.qos, io->cred[CRED_QOS]))
        io->cred[CRED_QOS] =
            j->qos_asked ? c->creds[CRED_QOS].v[j->qos_asked]->name : NULL;
    for (size_t i = 0; i < JOBATTR_OWN; i++) {
        const struct attribute *row = jobattr_own(i);
        int64_t *asked = attribute_number(io, row->desc_at);

        if (n->told.numbers[i] == *asked
            || (row->desc_at == offsetof(struct job_desc, release_at)
                && is_passed(m, n->told.numbers[i], *asked)))
            *asked = own_number(j, row);
    }
}

/* Somebody changed in the RM what a waiting job asks for, or started it there with what
 * it has now: it is the same job, and all that is known of it stays. */
static void follow_request(
    struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct event ev = {.kind = EVENT_MODIFY,
        .u.modify = {.id = j->id, .change = {.what = CHANGE_WHOLE, .job = r->desc}}};
    struct job_desc *d = &ev.u.modify.change.job;

    if (job_is_active(j) || j->state == JOB_SUSPENDED)
        return;
    d->state = JOB_IDLE;
    d->places = NULL;
    d->nplaces = 0;
    d->start_at = 0;
    keep_own(m, j, d);
    struct modified *changed = modify_recall(m->s, d);
    struct dep *deps = depends_settle(m->s, d->deps, j->submit_at);
    d->deps = deps;
    manager_apply(m, &ev, r->desc.id);
    note_asked(world_notes(m->s, j), &r->desc);
    free(deps);
    modified_free(changed);
}

/* The number of a user whose name is not known yet. */
static bool is_number(const char *user)
{
    return user[strspn(user, "0123456789")] == 0;
}

/* Members of arrays may be dated by what is done with them. */
static bool has_other_date(
    const struct manager *m, int64_t submit_at, const struct rm_job *r)
{
    return m->driver && m->driver->dates_jobs && submit_at > 0 && r->desc.submit_at > 0
           && llabs(submit_at - r->desc.submit_at) > DATE_DIFFERS_S
           && !strchr(r->desc.id, '[');
}

static bool has_other_user(const char *was, const char *is)
{
    return is && strcmp(was, is) != 0 && !is_number(was) && !is_number(is);
}

bool rmjobs_is_of_another(
    const struct manager *m, const struct job_owner *was, const struct rm_job *r)
{
    const char *runs = r->desc.command;

    if (has_other_date(m, was->submit_at, r))
        return true;
    return r->desc.submit_at != was->submit_at
           && (has_other_user(was->user, r->desc.cred[CRED_USER])
               || (runs && was->command && strcmp(runs, was->command) != 0));
}

static bool is_of_another(
    const struct manager *m, const struct job *j, const struct rm_job *r)
{
    const struct job_owner was = {
        .user = job_cred(engine_cluster(m->s->engine), j, CRED_USER)->name,
        .command = world_notes(m->s, j)->command,
        .submit_at = j->submit_at};

    return rmjobs_is_of_another(m, &was, r);
}

/* Are its tasks, one node after the other, where we think? The engine looks closer. */
static bool spread_so(
    const struct manager *m, const struct job *j, const struct rm_job *r)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    size_t k = 0;

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++, k++)
            if (k == r->nplaces || r->places[k].tasks != a->tasks
                || strcmp(r->places[k].node, node_at(c, n)->name) != 0)
                return false;
    }
    return k == r->nplaces;
}

/* Has it on its nodes what we think it has? */
static bool is_shaped_so(
    const struct manager *m, const struct job *j, const struct rm_job *r)
{
    return !r->shaped
           || shape_is_known(
               engine_cluster(m->s->engine), j, r->desc.reqs, r->desc.nreqs);
}

/* Somebody has given a running job another limit in the RM. What it told before is of
 * no interest: it may have been started with another than it had asked for. */
static void follow_limit(struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct job_notes *n = world_notes(m->s, j);
    int64_t before = n->wclimit_s, now = r->desc.wclimit_s;
    struct event ev = {.kind = EVENT_MODIFY,
        .u.modify = {.id = j->id,
            .change = {.what = CHANGE_WCLIMIT, .job = {.wclimit_s = now}}}};

    n->wclimit_s = job_has_begun(r->desc.state) ? now : 0;
    if (before > 0 && now > 0 && before != now && now != j->wclimit_s
        && job_is_active(j))
        manager_apply(m, &ev, r->desc.id);
}

/* Until it is, the RM tells what was before. */
static bool is_not_carried_out(enum rm_action a, enum job_state told)
{
    if (told == JOB_SUSPENDED
        && (a == RM_RESUME || a == RM_REQUEUE || a == RM_CHECKPOINT))
        return true;
    return (a == RM_START) == !on_nodes(told);
}

/* The job is known and in the queue or active: is it as we think? */
static void on_changed(struct manager *m, const struct job *j, const struct rm_job *r)
{
    enum job_state state = r->desc.state;
    bool changed = limits_told(m, j, r) || r->changed;

    if (on_nodes(state) || state == JOB_SUSPENDED)
        outbox_came_about(m, r->desc.id);
    if (!on_nodes(state) && outbox_take_back(m, r->desc.id, &changed))
        j = job_find(engine_cluster(m->s->engine), r->desc.id);
    enum rm_action action = RM_START;
    bool pending = outbox_pending(m, j->id, &action);
    uint8_t rm_hold = rmholds_told(m, j->holds, r->desc.rm_hold);

    if (changed && !pending)
        follow_request(m, j, r);
    if (!on_nodes(state))
        outbox_keep_change(m, r, changed);
    follow_limit(m, j, r);
    mark_told(m, j, TOLD | SEEN);
    take_notes(m, j, r);
    if (pending && is_not_carried_out(action, state) && j->state != state)
        return;
    if (state == JOB_IDLE && (j->rm_hold || r->lifted))
        rmholds_lifted(m, j, r->lifted);
    if (j->state == state && j->rm_hold == rm_hold
        && (state != JOB_RUNNING
            || ((!r->nplaces || spread_so(m, j, r)) && is_shaped_so(m, j, r)
                && (clock_is_ahead(m->s->clock)
                    || !engine_start_differs(j, r->start_at)))))
        return;
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = j->id,
            .state = state,
            .rm_hold = rm_hold,
            .start_at = r->start_at,
            .places = r->places,
            .nplaces = r->nplaces,
            .reqs = r->shaped ? r->desc.reqs : NULL,
            .nreqs = r->shaped ? r->desc.nreqs : 0}};
    bool waits = job_waits(j);
    manager_apply(m, &ev, r->desc.id);
    if (changed && !waits && !outbox_pending(m, j->id, &action))
        follow_request(m, j, r); /* requeued: it may have to pause, from now on */
}

static void tell_left(struct manager *m, const char *id, bool displaced)
{
    struct event ev = {
        .kind = EVENT_LEFT, .u.left = {.id = id, .displaced = displaced}};

    manager_apply(m, &ev, id);
}

/* It ran on as its cancel was refused, and has been sent back to the queue there: it is
 * not to be started again. */
static void cancel_again(struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct event ev = {.kind = EVENT_CANCEL, .u.end = {.id = j->id, .how = EV_CANCEL}};

    take_notes(m, j, r);
    world_note_end(m->s, j, &(struct job_end){.reason = ENDED_CANCELLED});
    record_end(m->s, j, "Removed", world_now(m->s));
    manager_apply(m, &ev, j->id);
}

/* What one has used whose cancel is refused was charged when it was cancelled: what it
 * uses now is a run that began then. */
static const struct rm_job *begin_at_cancel(
    const struct manager *m, const struct rm_job *r, struct rm_job *room)
{
    int64_t at = outbox_refused_at(m, r->desc.id);

    if (!r->start_at || at <= r->start_at || (r->end_at && r->end_at < at))
        return r;
    *room = *r;
    room->start_at = room->desc.start_at = at;
    return room;
}

void rmjobs_told(struct manager *m, const struct rm_job *told)
{
    struct rm_job room;
    const struct rm_job *r = begin_at_cancel(m, told, &room);
    const struct cluster *c = engine_cluster(m->s->engine);
    const struct job *j = job_find(c, r->desc.id);
    bool known = j && j->state < JOB_COMPLETED;

    outbox_note_listed(m, r->desc.id);
    if (known && over(r->desc.state))
        outbox_ended(m, r);
    else if (over(r->desc
                      .state)) /* first: what was changed of it goes with its orders */
        on_missed_end(m, r);
    bool unseen = outbox_has_unseen_start(m, r->desc.id);
    bool displaced = false;
    bool left = !on_nodes(r->desc.state)
                && outbox_stopped(m, r->desc.id, r->desc.state, &displaced);

    if (left && known && !over(r->desc.state)) /* else it never left to wait again */
        tell_left(m, r->desc.id, displaced);
    if (over(r->desc.state)) {
        if (known)
            on_ended(m, j, r, unseen);
        if (m->driver && m->driver->settled) {
            vec_push(&m->settled, xstrdup(r->desc.id));
            commit_want(m->s);
        }
    } else if (known && is_of_another(m, j, r)) {
        rmjobs_gone(m, r->desc.id);
        outbox_forget_others(m, r);
        on_new_job(m, r);
    } else if (known && is_waiting(r->desc.state)
               && outbox_waits_cancelled(m, r->desc.id)) {
        cancel_again(m, j, r);
    } else if (known) {
        on_changed(m, j, r);
    } else {
        outbox_forget_others(m, r);
        if (is_waiting(r->desc.state)) /* it is not started again */
            outbox_waits_cancelled(m, r->desc.id);
        outbox_stays(m, r->desc.id);
        if (!outbox_cancels(m, r->desc.id)) /* else it was told to be gone */
            on_new_job(m, r);
        outbox_found(m, r);
    }
}

void rmjobs_told_line(struct manager *m, const char *line)
{
    struct reader reader;
    struct rm_report r;
    struct wire_room room;
    struct err err = {0};

    if (reader_open(&reader, "change", line, strlen(line), &err) == 0
        && wire_read_report(&reader, &r, &room, &err) == 0)
        rmjobs_told(m, r.u.job);
    else
        log_line(m->s->log, LOG_ALERT, "a change is lost: %s", err.text);
    reader_close(&reader);
}

/* While the manager was out of reach nobody saw the job: it is there until then, as
 * far as anybody knows. */
void rmjobs_gone(struct manager *m, const char *id)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);
    int64_t now = world_now(m->s);
    bool seen = j && j->index < m->told.n && m->told.v[j->index] & SEEN;
    int64_t left_at = seen ? now : health_last_seen(m, now);
    struct event ev = {.kind = EVENT_CANCEL,
        .u.end = {.id = id, .how = EV_VANISH, .left_at = left_at}};

    if (j && j->index < m->told.n)
        m->told.v[j->index] = 0;
    ev.u.end.unbegun = outbox_has_unseen_start(m, id);
    outbox_stopped(m, id, JOB_LOST, &(bool){false});
    if (!j || over((enum job_state)j->state))
        return;
    if (left_at < j->start_at || left_at < j->submit_at)
        ev.u.end.left_at = left_at = now; /* it came after that */
    log_line(m->s->log, LOG_WARNING,
        "job '%s' is no longer known to the resource manager", id);
    world_note_end(m->s, j, &(struct job_end){.reason = ENDED_VANISHED});
    record_end(m->s, j, "Vacated", left_at);
    manager_apply(m, &ev, id);
}

void rmjobs_kept(struct manager *m, const char *id)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);

    outbox_note_listed(m, id);
    if (j)
        mark_told(m, j, TOLD | KEPT);
}

/* It was remembered, and is not there any more. */
static void on_node_lost(void *ctx, const char *node)
{
    struct manager *m = ctx;
    struct event ev = {.kind = EVENT_NODE_GONE, .u.node_state = {node, NODE_DOWN}};

    log_line(m->s->log, LOG_WARNING, "node '%s' is no longer known to %s", node,
        managers_label(m));
    if (node_find(engine_cluster(m->s->engine), node))
        manager_apply(m, &ev, node);
}

void rmjobs_synced(struct manager *m)
{
    const struct cluster *c = engine_cluster(m->s->engine);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j && managers_of(m->s, j) == m && !over((enum job_state)j->state)
            && (i >= m->told.n || !(m->told.v[i] & TOLD)))
            rmjobs_gone(m, j->id);
    }
    m->away = false;
    managers_tell_away(m);
    rmholds_synced(m);
    rmreservation_synced(m);
    outbox_forget_unlisted(m);
    outbox_settle_lost(m);
    rmjobs_begin_anew(m);
    outbox_again(m);
    if (!m->synced) {
        nodekeep_drop_untold(m->s, m->name, on_node_lost, m);
        record_forget_unclaimed(m->s, managers_claims, m);
    }
    m->synced = true;
    if (managers_all_synced(m->s)) {
        passed_forget(m->s);
        if (whole_is_restored(m->s))
            teller_jobs_are_known(m->s);
    }
    notes_forget(m);
    managers_hear(m->s->managers);
    cycle_want(m->s);
    commit_want(m->s); /* behind which goes what was waiting for that */
}
