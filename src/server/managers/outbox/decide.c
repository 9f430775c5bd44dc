/* SPDX-License-Identifier: Apache-2.0
 * What becomes an order: decisions of the engine, what people have asked for, and what
 * a former life has left. */
#define LOG_FACILITY FACILITY_RM
#include "config/settings.h"
#include "server/durable/record.h"
#include "server/managers/outbox/outbox.h"
#include "server/managers/reslimit.h"
#include "server/server_private.h"

static void add_places(struct order *o, const struct cluster *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            vec_push(&o->places,
                ((struct job_place){
                    .node = node_at(c, n)->name, .tasks = a->tasks, .req = a->req}));
    }
}

/* Room for the scheduler to preempt a job that has used up its limit, before the
 * resource manager ends it. */
#define PREEMPT_ROOM_S 60

/* How much longer than its plain limit a resource manager lets the job run: slow nodes
 * lengthen the limit, and the site may grant more. */
static int64_t overrun_of(const struct server *s, const struct job *j)
{
    const struct settings *cfg = engine_cluster(s->engine)->cfg;
    int64_t grace = engine_overrun(s->engine, j);
    int64_t longer =
        j->eff_wclimit_s > j->wclimit_s ? j->eff_wclimit_s - j->wclimit_s : 0;

    if (grace < 0)
        return -1;
    if (cfg->wc_action == WC_PREEMPT)
        grace = time_add(grace, PREEMPT_ROOM_S);
    return time_add(longer, grace);
}

/* What was asked for here, and its resource manager does not tell, goes with the job:
 * it is wanted where the cancel is refused, and the job there again. */
static char *copy_own_qos(struct server *s, const struct job *j)
{
    const char *told = world_notes(s, j)->told.qos;
    const struct cluster *c = engine_cluster(s->engine);
    const char *has = j->qos_asked ? c->creds[CRED_QOS].v[j->qos_asked]->name : NULL;

    return has && (!told || strcmp(has, told) != 0) ? xstrdup(has) : NULL;
}

static char *copy_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static struct order *add_order(
    struct manager *m, enum rm_action action, const struct job *j, const char *text)
{
    struct order *o = outbox_new(m, action, j->id, text);

    o->user = xstrdup(job_cred(engine_cluster(m->s->engine), j, CRED_USER)->name);
    o->command = copy_text(world_notes(m->s, j)->command);
    o->submit_at = j->submit_at;
    o->decided_at = world_now(m->s);
    o->wclimit_s = j->wclimit_s;
    o->overrun_s = overrun_of(m->s, j);
    o->qos = action == RM_CANCEL ? copy_own_qos(m->s, j) : NULL;
    add_places(o, engine_cluster(m->s->engine), j);
    outbox_await_leaving(m, o);
    outbox_enqueue(m, o);
    if (action == RM_START && j->cred[CRED_CLASS])
        o->cls = xstrdup(job_cred(engine_cluster(m->s->engine), j, CRED_CLASS)->name);
    o->over_memory = action == RM_START && reslimit_decides_memory(m->s, j);
    commit_want(m->s);
    return o;
}

static struct job_owner owner_of(const struct order *o)
{
    return (struct job_owner){
        .user = o->user, .command = o->command, .submit_at = o->submit_at};
}

static struct order_record as_record(const struct order *o)
{
    return (struct order_record){.action = o->action,
        .kinds = o->kinds,
        .signal = o->signal,
        .wclimit_s = o->action == RM_MODIFY ? o->wclimit_s : 0,
        .preempts = o->preempts,
        .text = o->text,
        .of = owner_of(o),
        .decided_at = o->decided_at,
        .refused = o->refused,
        .qos = o->qos};
}

static void record_lasting(struct manager *m, struct order *o)
{
    struct order_record r = as_record(o);

    if (!outbox_is_lasting(o->action))
        return;
    o->record = record_order(m->s, o->job, &r);
    o->recorded = true;
}

void outbox_record_again(struct manager *m, const struct order *o)
{
    struct order_record r = as_record(o);

    if (o->recorded)
        record_order_again(m->s, o->job, o->record, &r);
}

void manager_decided(struct server *s, const struct action *a, const struct job *j)
{
    static const struct {
        bool yes;
        enum rm_action action;
    } to[] = {[ACTION_START] = {true, RM_START},
        [ACTION_CANCEL] = {true, RM_CANCEL},
        [ACTION_REQUEUE] = {true, RM_REQUEUE},
        [ACTION_SUSPEND] = {true, RM_SUSPEND},
        [ACTION_RESUME] = {true, RM_RESUME},
        [ACTION_CHECKPOINT] = {true, RM_CHECKPOINT},
        [ACTION_TRIGGER] = {false, RM_START}};

    if (a->kind >= sizeof to / sizeof to[0] || !to[a->kind].yes)
        return;
    struct manager *m = managers_of(s, j);
    struct order *o = add_order(m, to[a->kind].action, j, a->text);
    o->start_at = a->start_at;
    o->preempts = a->kind == ACTION_REQUEUE && a->by != INDEX_NONE;
    o->told = true;
    record_lasting(m, o);
}

int manager_cancel(
    struct server *s, const struct job *j, const struct job_end *why, struct err *err)
{
    struct manager *m = managers_of(s, j);
    struct event ev = {.kind = EVENT_CANCEL, .u.end = {.id = j->id, .how = EV_CANCEL}};
    char text[JOBEND_TEXT];

    if (!m->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    struct order *refused = outbox_refused_cancel(m, j->id);
    if (refused) { /* it was counted, and told, when it was cancelled first */
        outbox_ask_now(m, refused);
        return 0;
    }
    jobend_format(why, text, sizeof text);
    struct order *o = add_order(m, RM_CANCEL, j, text);
    o->told = true;
    record_lasting(m, o);
    world_note_end(s, j, why);
    record_end(s, j, "Removed", world_now(s));
    if (world_apply(s, &ev, NULL, err) < 0) {
        outbox_drop(m, o);
        return -1;
    }
    return 0;
}

int manager_can(
    const struct server *s, const struct job *j, enum rm_action action, struct err *err)
{
    const struct manager *m = managers_of(s, j);

    if (!m->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    if (m->driver->cannot >> action & 1)
        return err_set(err, ERR_INVALID, "the resource manager %s cannot %s jobs",
            managers_label(m), rm_action_name(action));
    return 0;
}

int manager_tell(struct server *s, const struct job *j, const struct rm_command *what,
    struct err *err)
{
    if (manager_can(s, j, what->action, err) < 0)
        return -1;
    struct manager *m = managers_of(s, j);
    struct order *o = add_order(m, what->action, j, what->text);
    o->signal = what->signal;
    o->kinds = what->kinds;
    if (what->wclimit_s > 0)
        o->wclimit_s = what->wclimit_s;
    record_lasting(m, o);
    return 0;
}

/* A stop that it decided, or what else was acknowledged. */
static void ask_again(
    void *ctx, const char *job, uint64_t number, const struct order_record *r)
{
    struct managers *all = ctx;
    struct manager *m = managers_of_id(all->s, job);

    if (!m) {
        log_line(all->s->log, LOG_WARNING,
            "job '%s' is of a resource manager that is not configured any more: what "
            "was decided about it is not carried out",
            job);
        record_order_done(all->s, job, number);
        if (r->action == RM_CANCEL)
            record_forget_changes(all->s, job);
        return;
    }
    struct order *o = outbox_new(m, r->action, job, r->text);

    o->kinds = r->kinds;
    o->signal = r->signal;
    o->wclimit_s = r->wclimit_s;
    o->preempts = r->preempts;
    o->user = copy_text(r->of.user);
    o->command = copy_text(r->of.command);
    o->submit_at = r->of.submit_at;
    o->decided_at = r->decided_at;
    o->qos = copy_text(r->qos);
    if (r->refused) {
        o->refused = xstrdup(r->refused);
        o->tries = REFUSALS;
    }
    o->record = number;
    o->recorded = true;
    outbox_enqueue(m, o);
}

/* What was decided about a job whose id has come back is not done to who has it now. */
void outbox_forget_others(struct manager *m, const struct rm_job *r)
{
    struct job_orders *mates = outbox_of_job(m, r->desc.id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL, *next;

    for (; o; o = next) {
        next = TAILQ_NEXT(o, of_job);
        const struct job_owner was = owner_of(o);

        if (!o->user || !rmjobs_is_of_another(m, &was, r))
            continue;
        log_line(m->s->log, LOG_WARNING,
            "job '%s' is another one by now, of %s: it is not told to %s", o->job,
            r->desc.cred[CRED_USER], rm_action_name(o->action));
        outbox_drop(m, o);
    }
}

/* The job is on its nodes yet: what starts there has to wait. */
void outbox_found(struct manager *m, const struct rm_job *r)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    struct job_orders *mates = outbox_of_job(m, r->desc.id);
    struct order *o;

    if (!mates)
        return;
    TAILQ_FOREACH(o, &mates->list, of_job)
    o->told = true;
    if (!job_has_begun(r->desc.state) || r->desc.state >= JOB_COMPLETED)
        return;
    TAILQ_FOREACH(o, &mates->list, of_job)
    {
        if (!outbox_stops(o->action) || o->places.n || o->refused)
            continue; /* of a refused one nobody waits for the nodes */
        for (size_t k = 0; k < r->nplaces; k++) {
            const struct node *n = node_find(c, r->places[k].node);
            if (n)
                vec_push(&o->places,
                    ((struct job_place){.node = n->name, .tasks = r->places[k].tasks}));
        }
        outbox_await_leaving(m, o);
        if (o->queued) { /* it is no mere removal any more */
            outbox_dequeue(o);
            outbox_enqueue(m, o);
        }
    }
}

void outbox_recall(struct managers *all)
{
    record_each_order(all->s, all, ask_again);
}
