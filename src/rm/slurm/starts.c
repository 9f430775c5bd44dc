/* SPDX-License-Identifier: Apache-2.0
 * A start is one update: the chosen nodes and the release together, which the gate lets
 * pass because a node list is in it. It has come about when the job runs; until then it
 * is pending (outcomes.c). */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/batch.h"

#include <stdio.h>

#define LOOK_MS  150  /* after an order, to see whether it has come about */
#define QUIET_MS 5000 /* since the third before: then an order came by itself */

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
static char *copy_partition(const char *list, const char *cls)
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

bool starts_name_nobody(const struct told_job *t)
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

/* All nodes but those of one of its requests; owned. */
static char *others_of(
    const struct adapter *a, const struct rm_command *c, uint32_t req)
{
    hostlist_t list = slurm_hostlist_create(NULL);
    char *text;

    for (const struct told_node *n = a->nodes; n != NULL; n = n->hh.next) {
        size_t i = 0;

        while (i < c->nplaces
               && (c->places[i].req != req || strcmp(c->places[i].node, n->name) != 0))
            i++;
        if (i == c->nplaces
            && n->partitions != NULL) /* where licences are, no job is */
            slurm_hostlist_push_host(list, n->name);
    }
    text = slurm_hostlist_ranged_string_malloc(list);
    slurm_hostlist_destroy(list);
    return text;
}

/* Whom a start leaves out beside what its owner did; NULL: nobody. Owned. */
static char *left_out_of(const struct adapter *a, const struct told_job *t,
    const struct rm_command *c, uint32_t part)
{
    const struct asked *k = &t->asked[part];
    char *text = t->naming == NAMES_OTHERS ? others_of(a, c, part)
                 : starts_name_nobody(t)   ? fence_of(a, t, c, k)
                                           : NULL;

    if (text == NULL && keep_is_shared(t))
        text = xstrdup(k->exclude != NULL ? k->exclude : "");
    return text;
}

/* By which a change of somebody else's is told from the start's own. */
static void note_sent(struct asked *k, const job_desc_msg_t *m)
{
    free(k->sent);
    free(k->sent_out);
    k->sent = xstrdup(m->req_nodes);
    k->sent_out = m->exc_nodes != NULL ? xstrdup(m->exc_nodes) : NULL;
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
    ret->num_tasks = k->tasks != 0 ? k->tasks : NO_VAL;
    if (t->naming == NAMES_ALONE)
        ret->features = xstrdup("");
    ret->exc_nodes = left_out_of(a, t, c, part);
    k->fenced = ret->exc_nodes != NULL;
    if (starts_name_nobody(t)) {
        free(ret->req_nodes);
        ret->req_nodes = xstrdup(k->nodes != NULL ? k->nodes : "");
        ret->min_nodes = ret->max_nodes = NO_VAL;
    }
    note_sent(k, ret);
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
    ret->partition = copy_partition(k->partition, c->cls);
    if (ret->partition == NULL && keep_is_shared(t) && k->partition != NULL)
        ret->partition = xstrdup(k->partition);
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
    keep_part_id(t, part, id);
    result = keep_update(&m, id);
    free_start(&m);
    return result;
}

static int start_parts(
    const struct adapter *a, struct told_job *t, const struct rm_command *c)
{
    job_desc_msg_t m;

    for (uint32_t i = 0; i < t->nparts; i++)
        if (start_part(a, t, c, i) < 0)
            return -1;
    if (!keep_is_shared(t))
        return 0;
    slurm_init_job_desc_msg(&m); /* they are let go together */
    m.priority = INFINITE;
    return keep_update(&m, t->id);
}

/* Slurm has taken the order: it comes about, or not. */
static void await_start(struct adapter *a, const struct told_job *t, uint64_t token)
{
    int64_t now = adapter_now_ms();
    /* such jobs Slurm's main scheduler leaves to its backfill */
    bool by_backfill = t->nparts > 1 || starts_name_nobody(t);

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
    bool changed =
        error == ESLURM_JOB_HELD || error == ESLURM_TRANSITION_STATE_NO_UPDATE;

    reruns_sent(t, NULL);
    if (!changed || t->nparts > 1)
        keep_job(t);
    if (t->nparts == 1) /* held or changed since it was seen */
        t->asked[0].overwritten = false;
    errno = error;
    answers_tell(a, c, -1);
    if (changed)
        answers_again(a, c->job);
}

static void end_start(void *ctx, uint64_t token, const char *id, int error)
{
    struct adapter *a = ctx;
    struct told_job *t = jobs_find(a, id);
    struct rm_command c = {.action = RM_START, .token = token, .job = id};

    if (t == NULL || t->nparts != 1)
        answers_look(a, &c, "Slurm does not have it waiting");
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

void starts_send(struct adapter *a)
{
    const struct batch_calls calls = {may_ask, end_start, a};

    if (a->batch != NULL)
        batch_send(a->batch, &calls);
}

/* Whether slurmctld will remember that it was, or not. */
static void note_sending(struct told_job *t, const struct rm_command *c)
{
    uint32_t n;
    char *nodes = starts_name_nobody(t) ? NULL : host_list(c, ALL_REQS, &n);

    reruns_sent(t, nodes != NULL ? nodes : "");
    free(nodes);
}

void starts_order(struct adapter *a, const struct rm_command *c)
{
    struct told_job *t = jobs_find(a, c->job);

    if (t == NULL || !t->waiting) {
        answers_look(a, c, "Slurm does not have it waiting");
        return;
    }
    note_sending(t, c);
    if (t->nparts == 1) {
        job_desc_msg_t m;

        if (a->batch == NULL)
            a->batch = batch_new();
        prepare_start(a, t, c, 0, &m);
        batch_add(a->batch, c->token, c->job, &m);
        free_start(&m);
        return;
    }
    if (start_parts(a, t, c) < 0)
        refuse_start(a, t, c, errno);
    else
        await_start(a, t, c->token);
}
