/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler decides, carried out. A start is one update: the chosen nodes and
 * the release together, which the gate lets pass because a node list is in it. It has
 * come about when the job runs; until then it is pending, and when it does not within
 * some seconds the job is taken back and the reason told. */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/batch.h"

#include <signal.h>
#include <stdio.h>

#define LOOK_MS  150  /* after an order, to see whether it has come about */
#define SURE_MS  1500 /* then the reason is Slurm's own, and of now */
#define ALONE_MS 20   /* for a look at one job */
#define QUIET_MS 2000 /* since the third before: then an order came by itself */

#define BOOT_S 10 /* in which slurmctld hears of all its nodes */

/* ---- updates ---- */

/* Of array jobs the answer says for each task how it went. */
static int settle(int result, job_array_resp_msg_t *answers)
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

static int update(job_desc_msg_t *m, const char *id)
{
    job_array_resp_msg_t *answers = NULL;
    int result;

    m->job_id_str = (char *)id;
    result = slurm_update_job2(m, &answers);

    return settle(result, answers);
}

void orders_part_id(const struct told_job *t, uint32_t part, char ret[48])
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

static int keep_job(struct told_job *t, enum keeper by)
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
        orders_part_id(t, i, id);
        if (update(&m, id) < 0) {
            result = -1;
            first = first ? first : errno;
        }
    }
    errno = first;
    if (result == 0)
        t->nice = NO_VAL; /* it is at priority 0 now, seen or not */
    return result;
}

int orders_keep(struct told_job *t)
{
    return keep_job(t, keeper_of(t));
}

int orders_lift(struct told_job *t)
{
    return keep_job(t, KEEPER_US);
}

void orders_await(const struct told_job *t, bool at_zero)
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
        orders_part_id(t, i, id);
        (void)update(&m, id); /* else it is as others that are kept */
    }
}

void orders_expire(const struct told_job *t)
{
    const struct asked *k = &t->asked[0];
    job_desc_msg_t m;

    slurm_init_job_desc_msg(&m);
    m.req_nodes = k->nodes ? k->nodes : (char *)"";
    m.priority = INFINITE;
    m.admin_comment = asked_text(k);
    (void)update(&m, t->id); /* it ends at its deadline in any case */
    free(m.admin_comment);
}

void orders_note_holder(struct adapter *a, const char *id, const slurm_job_info_t *j)
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
    (void)update(
        &m, id); /* then its owner's release does nothing, and does not say so */
}

/* Slurm does not have the job waiting: what it does instead was told before this
 * answer, or the next look tells. No failed start. For the scheduler it waits from now
 * on, as it asked to be run: one that runs is told with the shape that it has. */
static void await_look(struct adapter *a, const struct rm_command *c, const char *text)
{
    struct told_job *t = jobs_find(a, c->job);

    adapter_done(a, c->token, RM_WAITS, c->job, text);
    if (t == NULL)
        return;
    t->digest = 0;
    t->waiting |= !t->over;
    a->jobs_at = 0;
    adapter_look(a);
}

static void answer(struct adapter *a, const struct rm_command *c, int result)
{
    int error = errno;

    if (result == 0) {
        adapter_done(a, c->token, RM_OK, c->job, NULL);
        adapter_look(a);
    } else if (adapter_lost(a, "order")) {
        adapter_done(a, c->token, RM_LOST, c->job, slurm_strerror(error));
    } else if (c->action == RM_START
               && (error == ESLURM_INVALID_JOB_ID || error == ESLURM_JOB_NOT_PENDING)) {
        await_look(a, c, slurm_strerror(error));
    } else {
        adapter_done(a, c->token,
            c->action == RM_START || reasons_outcome(error) == RM_RETRY
                ? reasons_outcome(error)
                : RM_REFUSED,
            c->job, slurm_strerror(error));
    }
}

#define ALL_REQS UINT32_MAX

/* The nodes of one of its requests. */
static char *host_list(const struct rm_command *c, uint32_t req, uint32_t *ret_n)
{
    hostlist_t list = slurm_hostlist_create(NULL);
    char *text;

    for (size_t i = 0; i < c->nplaces; i++)
        if (c->places[i].req == req || req == ALL_REQS)
            slurm_hostlist_push_host(list, c->places[i].node);
    slurm_hostlist_uniq(list);
    *ret_n = (uint32_t)slurm_hostlist_count(list);
    text = slurm_hostlist_ranged_string_malloc(list);
    slurm_hostlist_destroy(list);
    return text;
}

/* Of several partitions the one that the scheduler planned it in; owned. NULL: it named
 * one. */
static char *chosen(const char *list, const char *cls)
{
    if (list == NULL || part_next(list) == NULL)
        return NULL;
    for (const char *at = list; cls != NULL && at != NULL; at = part_next(at))
        if (strcspn(at, ",") == strlen(cls) && strncmp(at, cls, strlen(cls)) == 0)
            return xstrdup(cls);
    return xstrndup(list, strcspn(list, ","));
}

/* A job that is content with less has what fits, in whole minutes. Slurm's own backfill
 * would give it the least if it could not start at that very moment. */
static void set_limit(const struct told_job *t, const struct rm_command *c,
    struct asked *k, job_desc_msg_t *ret)
{
    int64_t minutes = c->wclimit_s / 60;

    k->timed = t->time_min > 0 && k->known;
    if (!k->timed)
        return;
    ret->time_min = 0;
    ret->time_limit =
        minutes >= t->time_min && minutes < k->limit ? (uint32_t)minutes : k->limit;
}

/* A job that Slurm does not cancel is gone for the scheduler: it has to hear of it
 * again, though nothing of it has changed. */
static void tell_again(struct adapter *a, const char *id)
{
    struct told_job *t = jobs_find(a, id);

    if (t != NULL)
        t->digest = 0;
    a->jobs_at = 0;
    adapter_look(a);
}

/* Behind the answer, as its nodes pass for free until it is told again: another job
 * would be started on them. */
static void tell_at_once(struct adapter *a, const char *id)
{
    tell_again(a, id);
    if (a->connected)
        (void)jobs_look(a, id); /* else the look at all tells it */
}

bool orders_name_nobody(const struct told_job *t)
{
    return t->naming == NAMES_NONE || t->left_to_slurm;
}

/* The scheduler has found it free for the job, or its owner wants it. */
static bool is_open(
    const struct rm_command *c, const char *const *wanted, const char *node)
{
    for (size_t i = 0; i < c->nplaces; i++)
        if (strcmp(c->places[i].node, node) == 0)
            return true;
    for (; wanted != NULL && *wanted != NULL; wanted++)
        if (strcmp(*wanted, node) == 0)
            return true;
    return false;
}

/* Where Slurm chooses the nodes it knows nothing of what is reserved here: all such are
 * left out, but those that are open to the job. NULL: there are none; owned. */
static char *fence_of(const struct adapter *a, const struct told_job *t,
    const struct rm_command *c, const struct asked *k)
{
    struct request_room room = {0};
    const char *const *reserved = request_hosts(&room, a->not_nodes);
    const char *const *wanted = request_hosts(&room, k->nodes);
    const char *const *left_out = request_hosts(&room, k->exclude);
    hostlist_t list = slurm_hostlist_create(NULL);
    char *text = NULL;

    for (; reserved != NULL && *reserved != NULL && !t->reserved; reserved++)
        if (!is_open(c, wanted, *reserved))
            slurm_hostlist_push_host(list, *reserved);
    if (slurm_hostlist_count(list) > 0) {
        for (; left_out != NULL && *left_out != NULL; left_out++)
            slurm_hostlist_push_host(list, *left_out);
        slurm_hostlist_uniq(list);
        text = slurm_hostlist_ranged_string_malloc(list);
    }
    slurm_hostlist_destroy(list);
    request_free_room(&room);
    return text;
}

/* The update that starts a part of it; for free_start(). */
static void prepare_start(const struct adapter *a, struct told_job *t,
    const struct rm_command *c, uint32_t part, job_desc_msg_t *ret)
{
    struct asked *k = &t->asked[part];
    time_t now = times_theirs(a);
    uint32_t n;

    t->asked[part].overwritten = true;
    slurm_init_job_desc_msg(ret);
    ret->req_nodes = host_list(c, t->nparts > 1 ? part : ALL_REQS, &n);
    ret->min_nodes = ret->max_nodes = n;
    if (t->naming == NAMES_ALONE)
        ret->features = xstrdup("");
    k->fenced = false;
    if (orders_name_nobody(t)) {
        ret->exc_nodes = fence_of(a, t, c, k);
        k->fenced = ret->exc_nodes != NULL;
        free(ret->req_nodes);
        ret->req_nodes = xstrdup(k->nodes != NULL ? k->nodes : "");
        ret->min_nodes = ret->max_nodes = NO_VAL;
    }
    ret->priority = INFINITE;
    if (t->nparts == 1) /* Slurm forgets it where it gives a priority anew */
        ret->nice = t->nice;
    k->cleared = t->naming == NAMES_ALONE;
    set_limit(t, c, k, ret);
    ret->admin_comment = asked_text(k);
    /* A note to an array's record reaches the tasks that were split off since the look:
     * whoever is to start has no begin time of ours, whatever was seen. */
    if (t->note_begin || strchr(t->id, '_') != NULL)
        ret->begin_time = BEGIN_NOW;
    if (t->switch_until != 0)
        ret->wait4switch =
            t->switch_until > now ? (uint32_t)(t->switch_until - now) : 0;
    ret->partition = chosen(k->partition, c->cls);
}

static void free_start(job_desc_msg_t *m)
{
    free(m->req_nodes);
    free(m->exc_nodes);
    free(m->features);
    free(m->admin_comment);
    free(m->partition);
}

static int start_part(const struct adapter *a, struct told_job *t,
    const struct rm_command *c, uint32_t part)
{
    job_desc_msg_t m;
    char id[48];
    int result;

    prepare_start(a, t, c, part, &m);
    orders_part_id(t, part, id);
    result = update(&m, id);
    free_start(&m);
    return result;
}

/* Slurm has taken the order: it comes about, or not. */
static void await_start(struct adapter *a, const struct told_job *t, uint64_t token)
{
    int64_t now = adapter_now_ms();
    /* such jobs Slurm's main scheduler leaves to its backfill */
    bool by_backfill = t->nparts > 1 || orders_name_nobody(t);

    vec_push(&a->pending, ((struct pending){.token = token,
                              .id = xstrdup(t->id),
                              .since_ms = now,
                              .judged_ms = now,
                              .alone = now - a->ordered_before_ms[1] >= QUIET_MS,
                              .look_ms = now + LOOK_MS,
                              .patience_ms = a->start_wait_ms * (by_backfill ? 4 : 1),
                              .start = true}));
    a->ordered_before_ms[1] = a->ordered_before_ms[0];
    a->ordered_before_ms[0] = a->ordered_ms;
    a->ordered_ms = now;
}

/* Slurm refuses to start it: as it was. Where Slurm itself is out of reach each further
 * request would wait for it: the next look takes the job back. */
static void refuse_start(
    struct adapter *a, struct told_job *t, const struct rm_command *c, int error)
{
    errno = error;
    if (adapter_lost(a, "order")) {
        adapter_done(a, c->token, RM_LOST, c->job, slurm_strerror(error));
        return;
    }
    if (error != ESLURM_JOB_HELD || t->nparts > 1)
        orders_keep(t);
    if (t->nparts == 1) /* held since it was seen */
        t->asked[0].overwritten = false;
    errno = error;
    answer(a, c, -1);
    if (error == ESLURM_JOB_HELD)
        tell_again(a, c->job);
}

static void end_start(void *ctx, uint64_t token, const char *id, int error)
{
    struct adapter *a = ctx;
    struct told_job *t = jobs_find(a, id);
    struct rm_command c = {.action = RM_START, .token = token, .job = id};

    if (t == NULL || t->nparts != 1)
        await_look(a, &c, "Slurm does not have it waiting");
    else if (error == 0)
        await_start(a, t, token);
    else
        refuse_start(a, t, &c, error);
}

static bool may_ask(void *ctx)
{
    struct adapter *a = ctx;

    return a->connected && !adapter_munge_gone(a);
}

void orders_send(struct adapter *a)
{
    const struct batch_calls calls = {may_ask, end_start, a};

    if (a->batch != NULL)
        batch_send(a->batch, &calls);
}

static void start_job(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);

    if (t == NULL || !t->waiting) {
        await_look(a, c, "Slurm does not have it waiting");
        return;
    }
    if (t->nparts == 1) {
        job_desc_msg_t m;

        if (a->batch == NULL)
            a->batch = batch_new();
        prepare_start(a, t, c, 0, &m);
        batch_add(a->batch, c->token, c->job, &m);
        free_start(&m);
        return;
    }
    for (uint32_t i = 0; i < t->nparts; i++)
        if (start_part(a, t, c, i) < 0) {
            refuse_start(a, t, c, errno);
            return;
        }
    await_start(a, t, c->token);
}

int orders_hold(const struct told_job *t, unsigned kinds)
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
        orders_part_id(t, i, id);
        if (update(&m, id) < 0) {
            result = -1;
            first = first ? first : errno;
        }
    }
    errno = first;
    return result;
}

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
        answer(a, c, orders_hold(t, c->kinds));
}

static void release(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);

    if (t == NULL)
        adapter_done(a, c->token, RM_REFUSED, c->job, "Slurm has no such job");
    else if (t->gathered)
        note_wish(a, c, t, WISH_RELEASE);
    else
        answer(a, c, orders_lift(t));
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
        orders_part_id(t, i, id);
        result = update(&m, id);
        if (result == 0)
            t->asked[i].limit = m.time_limit;
        t->digest = 0; /* somebody else may have changed it meanwhile */
    }
    if (t != NULL)
        answer(a, c, result);
    else
        adapter_done(a, c->token, RM_REFUSED, c->job, "Slurm has no such job");
    a->jobs_at = 0;
}

static void cancel(struct adapter *a, const struct rm_command *c, uint16_t sig)
{
    int result = slurm_kill_job2(c->job, sig, 0, NULL), error = errno;

    if (result != SLURM_SUCCESS
        && (error == ESLURM_ALREADY_DONE || error == ESLURM_INVALID_JOB_ID))
        result = SLURM_SUCCESS; /* the end that was wanted */
    errno = error;
    answer(a, c, result == SLURM_SUCCESS ? 0 : -1);
    if (result != SLURM_SUCCESS && c->action == RM_CANCEL)
        tell_at_once(a, c->job);
}

/* Its pause is time enough to keep it. Who makes room for another and cannot come back,
 * as it asked not to or is no script, is ended, as Slurm does with those it preempts.
 */
static void requeue_job(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);
    job_array_resp_msg_t *answers = NULL;
    int result = slurm_requeue2((char *)c->job, 0, &answers);

    result = settle(result, answers);
    if (result < 0 && c->preempts && t != NULL
        && (errno == ESLURM_DISABLED || errno == ESLURM_BATCH_ONLY)) {
        t->makes_room = true;
        cancel(a, c, SIGKILL);
    } else {
        answer(a, c, result);
    }
}

/* As Slurm does with those it preempts: the job is told, and may end by itself. */
static void give_grace(struct adapter *a, const struct rm_command *c)
{
    const struct told_job *t = jobs_find(a, c->job);
    int64_t now = adapter_now_ms();

    if (t == NULL || t->grace_s <= 0
        || slurm_kill_job2(c->job, SIGCONT, 0, NULL) != SLURM_SUCCESS
        || slurm_kill_job2(c->job, SIGTERM, 0, NULL) != SLURM_SUCCESS) {
        requeue_job(a, c);
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

    if (c->action != RM_START)
        orders_send(a); /* in their order */
    if (adapter_munge_gone(a)) {
        adapter_done(a, c->token, RM_LOST, c->job, "munged does not answer");
        return;
    }
    switch (c->action) {
    case RM_START:
        start_job(a, c);
        break;
    case RM_CANCEL:
        cancel(a, c, SIGKILL);
        break;
    case RM_SIGNAL:
        cancel(a, c, (uint16_t)c->signal);
        break;
    case RM_SUSPEND:
        result = slurm_suspend2((char *)c->job, &answers);
        answer(a, c, settle(result, answers));
        break;
    case RM_RESUME:
        result = slurm_resume2((char *)c->job, &answers);
        answer(a, c, settle(result, answers));
        break;
    case RM_REQUEUE:
        if (c->preempts)
            give_grace(a, c);
        else
            requeue_job(a, c);
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

/* ---- what is pending ---- */

static void land(struct adapter *a, size_t i, enum rm_outcome outcome, const char *text)
{
    struct pending p = a->pending.v[i];

    vec_remove(&a->pending, i);
    adapter_done(a, p.token, outcome, p.id, text);
    free(p.id);
}

bool orders_start_pending(const struct adapter *a, const char *id)
{
    for (size_t i = 0; i < a->pending.n; i++)
        if (a->pending.v[i].start && strcmp(a->pending.v[i].id, id) == 0)
            return true;
    return false;
}

void orders_seen(struct adapter *a, const char *id, enum job_state state)
{
    bool waits = state == JOB_IDLE || state == JOB_HOLD;
    bool runs = job_has_begun(state);

    for (size_t i = a->pending.n; i-- > 0;)
        if (strcmp(a->pending.v[i].id, id) == 0
            && (a->pending.v[i].graced ? !runs : !waits))
            land(a, i, RM_OK, NULL);
}

static void end_grace(struct adapter *a, size_t i)
{
    struct pending p = a->pending.v[i];

    vec_remove(&a->pending, i);
    requeue_job(
        a, &(struct rm_command){
               .action = RM_REQUEUE, .token = p.token, .job = p.id, .preempts = true});
    free(p.id);
}

/* When it was ordered Slurm's controller had come up a moment before, and had not heard
 * of all nodes: what it does not start then says nothing about the job. */
static bool was_too_early(const struct adapter *a, const struct pending *p)
{
    slurm_conf_t *c = NULL;
    int64_t age_s = (adapter_now_ms() - p->since_ms) / 1000;
    bool early;

    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS)
        return false;
    early = times_theirs(a) - age_s - c->boot_time < BOOT_S;
    slurm_free_ctl_conf(c);
    return early;
}

/* What the job asks for is more than the scheduler knows of, if those nodes can never
 * do that: before it is taken for impossible Slurm itself chooses, once. */
static enum rm_outcome leave_to_slurm(struct told_job *t)
{
    if (t != NULL && t->asked[0].fenced)
        return RM_WAITS; /* it may be the nodes that are reserved here */
    if (t == NULL || t->nparts > 1 || orders_name_nobody(t))
        return RM_REFUSED;
    t->left_to_slurm = true;
    return RM_WAITS;
}

/* It does not start: back to where it was, and why. */
static void give_up(struct adapter *a, size_t i)
{
    struct told_job *t = jobs_find(a, a->pending.v[i].id);
    job_info_msg_t *msg = NULL;
    char text[300] = "Slurm did not start it";
    enum rm_outcome outcome = RM_RETRY;

    if (slurm_load_job(&msg, (uint32_t)strtoul(a->pending.v[i].id, NULL, 10),
            SHOW_ALL | SHOW_LOCAL)
        == SLURM_SUCCESS) {
        for (uint32_t k = 0; t != NULL && k < msg->record_count; k++) {
            const slurm_job_info_t *j = &msg->job_array[k];
            bool changed = j->priority == 0 && job_mark(j) == MARK_KEPT
                           && j->state_reason != FAIL_BAD_CONSTRAINTS;
            const char *why =
                changed ? "it was changed at that moment" : reasons_text(j);

            if (j->job_id != t->number && msg->record_count > 1)
                continue;
            snprintf(text, sizeof text, "Slurm did not start it: %s",
                why ? why : "it gives no reason");
            if (reasons_never(j->state_reason))
                outcome = leave_to_slurm(t);
            else if (changed || reasons_wait(j->state_reason))
                outcome = RM_WAITS;
            if (limits_reason(j, text, sizeof text))
                outcome = RM_LIMITED;
        }
        slurm_free_job_info_msg(msg);
    }
    if (t != NULL && !t->held)
        orders_keep(t);
    if (outcome == RM_RETRY && was_too_early(a, &a->pending.v[i])) {
        adapter_forgotten(a);
        return;
    }
    if (t != NULL && t->held)
        tell_again(a, t->id);
    land(a, i, outcome, text);
    a->limits_look |= outcome == RM_LIMITED; /* it may have been lowered */
    /* its nodes are not as free as the scheduler thinks: where all others are */
    for (struct told_job *other = a->jobs; other != NULL; other = other->hh.next)
        if (!other->waiting && !other->over)
            other->digest = 0;
    a->jobs_at = 0;
    adapter_look(a);
}

/* It waits as it would without us, or Slurm itself has put it back: no use waiting
 * longer. Its reason is that of a turn of Slurm's, of which there is one a second. */
static bool is_lost(const struct pending *p, const struct told_job *t, int64_t now)
{
    int64_t age = now - p->since_ms;

    return age > p->patience_ms
           || (t != NULL && (t->kept || (age > SURE_MS && reasons_wait(t->reason))));
}

int64_t orders_next_ms(const struct adapter *a)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < a->pending.n; i++)
        if (a->pending.v[i].look_ms < next)
            next = a->pending.v[i].look_ms;
    return next;
}

static int64_t next_check_ms(const struct adapter *a, int64_t now)
{
    int64_t at_ms = a->polled_ms + adapter_pause_ms(a);

    return at_ms > now + LOOK_MS ? at_ms : now + LOOK_MS;
}

static bool is_still(const struct adapter *a, size_t i, const char *id)
{
    return i < a->pending.n && strcmp(a->pending.v[i].id, id) == 0;
}

/* As it was seen last. */
static void judge_order(struct adapter *a, size_t i)
{
    struct pending *p = &a->pending.v[i];
    const struct told_job *t = jobs_find(a, p->id);

    /* accepted, and no trace of it: no fault of the job */
    if (t != NULL && t->as_before && p->start)
        adapter_forgotten(a);
    else if (is_lost(p, t, adapter_now_ms()))
        give_up(a, i);
}

/* Of a task that is a look at all of its array. Where that is large those that are
 * pending are left to looks at all, before which slurmctld rests from this one too. */
static void look_alone(struct adapter *a, const char *id)
{
    int64_t began_ms = adapter_now_ms(), took_ms;

    if (jobs_look(a, id) < 0)
        return;
    took_ms = adapter_now_ms() - began_ms;
    if (took_ms <= ALONE_MS)
        return;
    a->look_cost_ms += took_ms < LOOK_COST_MOST_MS ? took_ms : LOOK_COST_MOST_MS;
    for (size_t i = 0; i < a->pending.n; i++)
        a->pending.v[i].alone = false;
}

/* What it is about has been seen since by a look at all, if there was one: where orders
 * follow each other one such look tells of all that are pending. One that came by
 * itself is looked at by itself. */
static void check_one(struct adapter *a, size_t i)
{
    struct pending *p = &a->pending.v[i];
    int64_t now = adapter_now_ms();
    char *id;

    /* as long again as it has lasted */
    p->look_ms = p->alone ? now + (now - p->since_ms) : next_check_ms(a, now);
    if (a->seen_ms >= p->judged_ms + LOOK_MS) {
        p->judged_ms = a->seen_ms;
        judge_order(a, i);
        return;
    }
    if (!p->alone)
        return;
    id = xstrdup(p->id);
    look_alone(a, id);
    if (is_still(a, i, id)) {
        a->pending.v[i].judged_ms = now;
        judge_order(a, i);
    }
    free(id);
}

void orders_check(struct adapter *a)
{
    int64_t now = adapter_now_ms();

    /* landed orders leave their place to the next: from the end to the beginning */
    for (size_t i = a->pending.n; i-- > 0 && a->connected;) {
        if (i >= a->pending.n || a->pending.v[i].look_ms > now)
            continue;
        if (a->pending.v[i].graced)
            end_grace(a, i);
        else
            check_one(a, i);
    }
}
