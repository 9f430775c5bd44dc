/* SPDX-License-Identifier: Apache-2.0
 * What comes of orders that Slurm has accepted: a start has come about when the job
 * runs, and when it does not within some seconds the job is taken back and the reason
 * told. */
#include "base/xalloc.h"
#include "rm/slurm/job.h"
#include "rm/slurm/looks.h"

#include <stdio.h>
#include <string.h>

#define LOOK_MS  150  /* from one look at it to the next, at least */
#define SURE_MS  1500 /* then the reason is Slurm's own, and of now */
#define ALONE_MS 20   /* for a look at one job */

#define BOOT_S 10 /* in which slurmctld hears of all its nodes */

static void land_start(
    struct adapter *a, size_t i, enum rm_outcome outcome, const char *text)
{
    struct pending p = a->pending.v[i];

    vec_remove(&a->pending, i);
    adapter_done(a, p.token, outcome, p.id, text);
    free(p.id);
}

bool outcomes_has_start(const struct adapter *a, const char *id)
{
    for (size_t i = 0; i < a->pending.n; i++)
        if (a->pending.v[i].start && strcmp(a->pending.v[i].id, id) == 0)
            return true;
    return false;
}

void outcomes_seen(struct adapter *a, const char *id, enum job_state state)
{
    bool waits = state == JOB_IDLE || state == JOB_HOLD;
    bool runs = job_has_begun(state);

    for (size_t i = a->pending.n; i-- > 0;)
        if (strcmp(a->pending.v[i].id, id) == 0
            && (a->pending.v[i].graced ? !runs : !waits))
            land_start(a, i, RM_OK, NULL);
}

static void end_grace(struct adapter *a, size_t i)
{
    struct pending p = a->pending.v[i];

    vec_remove(&a->pending, i);
    orders_requeue(
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

/* Could Slurm choose where it goes, and has not been asked to? */
static bool can_be_left(const struct told_job *t)
{
    return t != NULL && t->nparts <= 1 && !starts_name_nobody(t);
}

/* What the job asks for is more than the scheduler knows of, if those nodes can never
 * do that: before it is taken for impossible Slurm itself chooses, once. */
static enum rm_outcome leave_to_slurm(struct told_job *t)
{
    if (t != NULL && t->asked[0].fenced)
        return RM_WAITS; /* it may be the nodes that are reserved here */
    if (!can_be_left(t))
        return RM_REFUSED;
    t->left_to_slurm = true;
    return RM_WAITS;
}

/* Does Slurm's reservation of its nodes not let it in, where we think that it does? One
 * with MAGNETIC lets nobody outlast it in 26.05, who does not name it. */
static bool is_reserved(const slurm_job_info_t *j)
{
    return j->state_reason == WAIT_NODE_NOT_AVAIL && j->state_desc != NULL
           && strstr(j->state_desc, "reserved") != NULL;
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
                changed ? "it was changed at that moment" : answers_reason(j);

            if (j->job_id != t->number && msg->record_count > 1)
                continue;
            snprintf(text, sizeof text, "Slurm did not start it: %s",
                why ? why : "it gives no reason");
            if (answers_fate(j->state_reason) == FATE_NEVER)
                outcome = leave_to_slurm(t);
            else if (!changed && can_be_left(t)
                     && (j->state_reason == SLURM_WAIT_RESOURCES || is_reserved(j)))
                t->left_to_slurm = true; /* others lie there otherwise than planned */
            else if (changed || answers_fate(j->state_reason) == FATE_WAITS
                     || (j->state_reason == SLURM_WAIT_RESOURCES && t->left_to_slurm))
                outcome = RM_WAITS; /* or there is no place that would do now */
            if (limits_reason(j, text, sizeof text))
                outcome = RM_LIMITED;
        }
        slurm_free_job_info_msg(msg);
    }
    if (t != NULL)
        reruns_sent(t, NULL);
    if (t != NULL && !t->held)
        keep_job(t);
    if (outcome == RM_RETRY && was_too_early(a, &a->pending.v[i])) {
        adapter_forgotten(a);
        return;
    }
    if (t != NULL && t->held)
        answers_again(a, t->id);
    land_start(a, i, outcome, text);
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
           || (t != NULL
               && (t->kept
                   || (age > SURE_MS && answers_fate(t->reason) == FATE_WAITS)));
}

int64_t outcomes_next_ms(const struct adapter *a)
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

/* When it has lasted as long again; and when its time is up, as its nodes count as
 * taken until then. */
static int64_t look_again_ms(const struct pending *p, int64_t now)
{
    int64_t at_ms = now + (now - p->since_ms), up_ms = p->since_ms + p->patience_ms + 1;

    return now < up_ms && up_ms < at_ms ? up_ms : at_ms;
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

    if (looks_job(a, id) < 0)
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

    p->look_ms = p->alone ? look_again_ms(p, now) : next_check_ms(a, now);
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

void outcomes_check(struct adapter *a)
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
