/* SPDX-License-Identifier: Apache-2.0
 * What concerns everybody: other settings, other limits of the resource manager, usage
 * as it was before a restart, counting from nothing. */
#include "cluster/partition.h"
#include "cluster/rmset.h"
#include "config/settings.h"
#include "engine/cycle.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/judge.h"
#include "engine/planning/planning.h"
#include "engine/queue/queue.h"
#include "policy/fairshare.h"

void refusals_changed(struct engine *e)
{
    admission_configure(e);
    queue_touch_jobs(e->queue);
}

int take_settings(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const struct settings *cfg = ev->u.settings;
    uint64_t nodes = e->c->node_epoch;
    bool same = e->cfg->digest == cfg->digest;

    (void)ret;
    (void)err;
    e->cfg = cfg;
    cluster_configure(e->c, cfg);
    statistics_configure(e->learned.statistics, cfg);
    statistics_nodes(e->learned.statistics, e->c, e->now);
    for (size_t i = 0; i < e->c->jobs.n; i++) {
        struct job *j = e->c->jobs.v[i];
        if (!j || j->state >= JOB_COMPLETED)
            continue;
        if (!job_is_active(j) && j->state != JOB_SUSPENDED)
            judge_job(e, j);
    }
    fs_refresh(e->c);
    if (refusals_forget(e))
        refusals_changed(e);
    promise_note_settings(e, nodes, same);
    return 0;
}

/* What is in use of the new ones is counted at once: jobs start and end before the next
 * cycle. */
int take_quotas(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ret;
    (void)err;
    quotas_set(e->c, &ev->u.quotas);
    refresh_limits(e);
    if (refusals_forget(e))
        refusals_changed(e);
    return 0;
}

/* Of several: its jobs wait for it, and nothing is decided about those that run there.
 */
int report_manager(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ret;
    (void)err;
    uint32_t rm = rmset_get(e->c, ev->u.manager.name);

    if (ev->u.manager.partition) {
        (void)partition_for(e->c, ev->u.manager.partition, rm);
        return 0;
    }
    rmset_set_away(e->c, rm, ev->u.manager.away);
    e->c->rms.v[rm].unseen = ev->u.manager.unseen;
    refresh_limits(e);
    queue_touch_jobs(e->queue);
    return 0;
}

/* A bank tells for the first time, or what has changed: somebody deposited. */
int take_funds(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ret;
    (void)err;
    if (!e->c->funds)
        e->c->funds = funds_create();
    funds_tell(e->c->funds, &ev->u.funds);
    for (size_t i = 0; i < ev->u.funds.n; i++) /* people ask about them by name */
        cred_get(e->c, CRED_ACCOUNT, ev->u.funds.accounts[i].name);
    if (ev->u.funds.nquotes) /* a job that began by then may be told of late */
        funds_forget_quotes(e->c->funds, e->now - 86400);
    if (ev->u.funds.n)
        rents_accounts(e);
    if (ev->u.funds.known) {
        charging_take_over(e);
        charging_forget_strangers(e, &ev->u.funds);
        rents_known(e);
    }
    unfunded_changed(e);
    admission_configure(e);
    return 0;
}

int reset_statistics(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ev;
    (void)ret;
    (void)err;
    statistics_reset(e->learned.statistics, e->now);
    return 0;
}

int reset_fairshare(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ev;
    (void)ret;
    (void)err;
    fs_reset(e->c, e->now);
    return 0;
}

int recall_fairshare(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ret;
    (void)err;
    for (size_t i = 0; i < ev->u.fairshare.n; i++)
        fsmemory_load(e->c, &ev->u.fairshare.rows[i], e->now);
    return 0;
}

int recall_history(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    (void)ret;
    (void)err;
    for (size_t i = 0; i < ev->u.history.n; i++) {
        const struct past_run *row = &ev->u.history.rows[i];
        predictions_learn(e->learned.predictions,
            cred_get(e->c, CRED_USER, row->user)->index, &row->run);
    }
    return 0;
}
