/* SPDX-License-Identifier: Apache-2.0
 * Scenarios: each line as events of the engine, and what the command would have
 * answered. */
#include "base/duration.h"
#include "cluster/rsvdraft.h"
#include "funds/amount.h"
#include "sim/scenario.h"

#include <stdio.h>

static const struct actor administrator = {.name = NULL, .level = 1};

/* ---- reservations ---- */

/* The one made last. */
static const struct reservation *youngest(const struct cluster *c)
{
    const struct reservation *found = NULL;

    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        if (r != NULL && (found == NULL || r->serial > found->serial))
            found = r;
    }
    return found;
}

static int apply_setres(const struct scenario_event *ev,
    const struct scenario_target *t, char *text, size_t size, struct err *err)
{
    struct cluster *c = engine_cluster(t->e);
    struct event event = {.kind = EVENT_RESERVE, .at = t->now};
    const struct reservation *r;
    struct reservation draft;

    if (rsvdraft_of_setres(c, &ev->setres, RSV_ADMIN, &draft, err) < 0)
        return -1;
    event.u.reserve.draft = &draft;
    if (engine_apply(t->e, &event, NULL, err) < 0) {
        reservation_fini(&draft);
        return -1;
    }
    r = youngest(c);
    snprintf(text, size, "reservation '%s' created on %u node%s (%u task%s)", r->name,
        r->held_nodes, r->held_nodes == 1 ? "" : "s", r->held_tasks,
        r->held_tasks == 1 ? "" : "s");
    return 0;
}

/* By its name; else the one of that name in force, else the one that begins next. */
static const struct reservation *find_reservation(
    const struct cluster *c, const char *word)
{
    const struct reservation *found = reservation_find(c, word);

    for (size_t i = 0; found == NULL && i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        if (r != NULL && r->state == RSV_ACTIVE && reservation_is_named(r, word))
            return r;
    }
    if (found != NULL)
        return found;
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        if (r != NULL && r->state == RSV_PLANNED && reservation_is_named(r, word)
            && (found == NULL || r->start_at < found->start_at))
            found = r;
    }
    return found;
}

static int apply_releaseres(const struct scenario_event *ev,
    const struct scenario_target *t, char *text, size_t size, struct err *err)
{
    struct event event = {.kind = EVENT_UNRESERVE, .at = t->now};
    size_t used = 0;

    for (size_t i = 0; i < ev->words.n; i++) {
        const struct reservation *r =
            find_reservation(engine_cluster(t->e), ev->words.v[i]);

        if (r == NULL)
            return err_set(err, ERR_NOT_FOUND, "cannot locate reservation '%.80s'",
                ev->words.v[i]);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used,
                "%sreleased %s reservation '%s'", i > 0 ? ", " : "",
                r->kind == RSV_STANDING ? "Standing" : "User", r->name);
        event.u.unreserve.name = r->name;
        if (engine_apply(t->e, &event, NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- jobs ---- */

static struct event event_for_job(
    const struct scenario_event *ev, const char *id, int64_t now)
{
    struct event event = {.at = now};

    switch (ev->command) {
    case SCENARIO_SETHOLD:
    case SCENARIO_RELEASEHOLD:
        event.kind = ev->command == SCENARIO_SETHOLD ? EVENT_HOLD : EVENT_RELEASE_HOLD;
        event.u.hold.id = id;
        event.u.hold.kinds = ev->holds;
        event.u.hold.who = administrator;
        event.u.hold.reason = REASON_ADMIN;
        break;
    case SCENARIO_SETSPRI:
        event.kind = EVENT_PRIORITY;
        event.u.priority.id = id;
        event.u.priority.relative = ev->relative;
        event.u.priority.n = ev->priority;
        break;
    case SCENARIO_SETQOS:
        event.kind = EVENT_QOS;
        event.u.qos.id = id;
        event.u.qos.qos = ev->qos;
        event.u.qos.admin = true;
        break;
    case SCENARIO_CANCELJOB:
    case SCENARIO_SETRES:
    case SCENARIO_RELEASERES:
    case SCENARIO_NODE:
    case SCENARIO_ACCOUNT:
    case SCENARIO_DEPOSIT:
    case SCENARIO_CHANGEPARAM:
    case SCENARIO_CONFIG:
    case SCENARIO_COMMANDS:
        event.kind = EVENT_CANCEL;
        event.u.end.id = id;
        break;
    }
    return event;
}

static bool is_in_queue(const struct cluster *c, const char *id)
{
    const struct job *j = job_find(c, id);

    return j != NULL && j->state < JOB_COMPLETED;
}

/* Of a list of jobs, those in the queue; one alone has to be there. */
static int apply_to_jobs(const struct scenario_event *ev,
    const struct scenario_target *t, const char *done, char *text, size_t size,
    struct err *err)
{
    uint32_t count = 0;

    for (size_t i = 0; i < ev->jobs.n; i++) {
        const char *id = t->w->jobs.v[ev->jobs.v[i]].id;
        struct event event = event_for_job(ev, id, t->now);

        if (ev->jobs.n > 1 && !is_in_queue(engine_cluster(t->e), id))
            continue;
        if (engine_apply(t->e, &event, NULL, err) < 0)
            return -1;
        if (event.kind == EVENT_CANCEL)
            t->cancelled(t->ctx, ev->jobs.v[i]);
        count++;
    }
    if (count == 0)
        return err_set(err, ERR_NOT_FOUND, "none of these jobs is in the queue");
    snprintf(text, size, "%s: %u job%s", done, count, count == 1 ? "" : "s");
    return 0;
}

/* ---- nodes and settings ---- */

static int apply_node(const struct scenario_event *ev, const struct scenario_target *t,
    char *text, size_t size, struct err *err)
{
    const struct cluster *c = engine_cluster(t->e);
    struct event event = {.kind = EVENT_NODE_STATE, .at = t->now};

    for (size_t i = 0; i < ev->nodes.n; i++) {
        event.u.node_state.name = node_at(c, ev->nodes.v[i])->name;
        event.u.node_state.state = ev->state;
        if (engine_apply(t->e, &event, NULL, err) < 0)
            return -1;
    }
    snprintf(text, size, "%zu node%s now %s", ev->nodes.n,
        ev->nodes.n == 1 ? " is" : "s are", node_state_name(ev->state));
    return 0;
}

static int apply_settings(const struct settings *changed,
    const struct scenario_target *t, char *text, size_t size, struct err *err)
{
    struct event event = {.kind = EVENT_SETTINGS, .at = t->now};

    if (changed == NULL)
        return err_set(err, ERR_INVALID, "the settings stay as they were");
    event.u.settings = changed;
    if (engine_apply(t->e, &event, NULL, err) < 0)
        return -1;
    snprintf(text, size, "parameters modified");
    return 0;
}

/* ---- the bank ---- */

/* As the engine has it; one that it does not know is made. Its deposits are borrowed.
 */
static struct funds_account account_now(
    const struct scenario_target *t, const char *name)
{
    const struct funds *f = engine_cluster(t->e)->funds;
    uint32_t known = f ? funds_account(f, name) : FUNDS_NONE;

    return known == FUNDS_NONE ? (struct funds_account){.name = name}
                               : funds_account_now(f, known);
}

static int tell_account(
    const struct scenario_target *t, const struct funds_account *a, struct err *err)
{
    struct event event = {.kind = EVENT_FUNDS, .at = t->now};

    event.u.funds = (struct funds_facts){.accounts = a, .n = 1};
    return engine_apply(t->e, &event, NULL, err);
}

/* What is told replaces what there is, from which it is made: so of a copy. */
static int tell_with(const struct scenario_target *t, struct funds_account a,
    const struct funds_deposit *more, struct err *err)
{
    struct VEC(struct funds_deposit) all = {0};
    int status;

    for (size_t i = 0; i < a.n; i++)
        vec_push(&all, a.deposits[i]);
    if (more != NULL)
        vec_push(&all, *more);
    a.deposits = all.v;
    a.n = all.n;
    status = tell_account(t, &a, err);
    vec_fini(&all);
    return status;
}

static int apply_account(const struct scenario_event *ev,
    const struct scenario_target *t, char *text, size_t size, struct err *err)
{
    struct funds_account a = account_now(t, ev->words.v[0]);
    const struct funds *f = engine_cluster(t->e)->funds;

    a.parent = ev->words.n > 1 ? ev->words.v[1] : NULL;
    a.overflow = ev->words.n > 2;
    if (a.parent != NULL && (f == NULL || funds_account(f, a.parent) == FUNDS_NONE))
        return err_set(
            err, ERR_NOT_FOUND, "no account '%.60s' was made before", a.parent);
    snprintf(text, size, "account %s", a.name);
    return tell_with(t, a, NULL, err);
}

static int apply_deposit(const struct scenario_event *ev,
    const struct scenario_target *t, char *text, size_t size, struct err *err)
{
    struct funds_account a = account_now(t, ev->words.v[0]);
    const struct funds_deposit d = {
        .id = (int64_t)ev->file << 32 | ev->line, /* each line is one */
        .from_at = t->now,
        .to_at = ev->for_s >= DURATION_UNLIMITED ? INT64_MAX : t->now + ev->for_s,
        .balance = ev->amount};

    snprintf(
        text, size, "%s credits for account %s", amount_text(ev->amount).text, a.name);
    return tell_with(t, a, &d, err);
}

int scenario_apply(const struct scenario_event *ev, const struct settings *changed,
    const struct scenario_target *t, char *text, size_t size)
{
    struct err err = {0};
    int status = -1;

    switch (ev->command) {
    case SCENARIO_SETRES:
        status = apply_setres(ev, t, text, size, &err);
        break;
    case SCENARIO_RELEASERES:
        status = apply_releaseres(ev, t, text, size, &err);
        break;
    case SCENARIO_SETHOLD:
    case SCENARIO_RELEASEHOLD:
        status = apply_to_jobs(ev, t, "job holds adjusted", text, size, &err);
        break;
    case SCENARIO_SETSPRI:
        status = apply_to_jobs(ev, t, "job system priority adjusted", text, size, &err);
        break;
    case SCENARIO_SETQOS:
        status = apply_to_jobs(ev, t, "job QOS adjusted", text, size, &err);
        break;
    case SCENARIO_CANCELJOB:
        status = apply_to_jobs(ev, t, "cancelled", text, size, &err);
        break;
    case SCENARIO_NODE:
        status = apply_node(ev, t, text, size, &err);
        break;
    case SCENARIO_ACCOUNT:
        status = apply_account(ev, t, text, size, &err);
        break;
    case SCENARIO_DEPOSIT:
        status = apply_deposit(ev, t, text, size, &err);
        break;
    case SCENARIO_CHANGEPARAM:
    case SCENARIO_CONFIG:
        status = apply_settings(changed, t, text, size, &err);
        break;
    case SCENARIO_COMMANDS:
        break;
    }
    if (status < 0)
        snprintf(text, size, "%s", err.text);
    return status;
}
