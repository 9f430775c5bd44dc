/* SPDX-License-Identifier: Apache-2.0
 * Orders about how jobs run: suspend, resume, requeue, checkpoint, signal, start now;
 * and the small ones that go with them. Who may: reference commands, section 1.7;
 * preemption, section 6. */
#include "server/api/api.h"
#include "server/api/order.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <signal.h>

/* ---- stop for now, go on ---- */

/* A verb as the engine and the resource manager know it. */
struct verb {
    enum event_kind kind;
    enum preempt_policy how;
    enum rm_action action;
    const char *done;
};

static int act_verb(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    const struct verb *v = o->what;
    struct event ev = {.kind = v->kind, .u.preempt = {.id = j->id, .how = v->how}};

    snprintf(done, size, "job %s successfully %s", j->id, v->done);
    if (manager_can(o->s, j, v->action, err) < 0)
        return -1;
    return world_apply(o->s, &ev, NULL, err);
}

static void verb(
    struct server *s, struct request *r, const struct verb *what, bool owner)
{
    order_carry_out(&(struct order){.s = s,
        .r = r,
        .who = WHO_ADMIN2,
        .owner = owner,
        .what = what,
        .act = act_verb});
}

void api_suspend(struct server *s, struct request *r)
{
    static const struct verb v = {
        EVENT_PREEMPT, PREEMPT_SUSPEND, RM_SUSPEND, "preempted"};

    verb(s, r, &v, true);
}

void api_resume(struct server *s, struct request *r)
{
    static const struct verb v = {EVENT_RESUME, PREEMPT_SUSPEND, RM_RESUME, "resumed"};

    verb(s, r, &v, false);
}

void api_requeue(struct server *s, struct request *r)
{
    static const struct verb v = {
        EVENT_PREEMPT, PREEMPT_REQUEUE, RM_REQUEUE, "preempted"};

    verb(s, r, &v, false);
}

void api_checkpoint(struct server *s, struct request *r)
{
    static const struct verb v = {
        EVENT_PREEMPT, PREEMPT_CHECKPOINT, RM_CHECKPOINT, "preempted"};

    verb(s, r, &v, false);
}

/* ---- signals ---- */

/* "USR1", "SIGUSR1" or "10"; 0 = none of them. */
static int signal_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end != text && !*end)
        return n > 0 && n < NSIG ? (int)n : 0;
    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (int i = 1; i < NSIG; i++) {
        const char *name = sigabbrev_np(i);
        if (name && strcasecmp(name, text) == 0)
            return i;
    }
    return 0;
}

static int act_signal(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    const char *text = order_text(o, "signal");
    struct rm_command cmd = {.action = RM_SIGNAL, .signal = text ? signal_of(text) : 0};

    if (!cmd.signal)
        return err_set(err, ERR_INVALID,
            "signal: '%.40s' is not a signal, expected a name as USR1 or a number",
            text ? text : "");
    if (!job_is_active(j))
        return err_set(err, ERR_CONFLICT,
            "cannot signal job '%s': it is %s, expected Running", j->id,
            job_state_name((enum job_state)j->state));
    snprintf(done, size, "signal %d sent to job %s", cmd.signal, j->id);
    return manager_tell(o->s, j, &cmd, err);
}

void api_signal(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_signal});
}

/* ---- start now ---- */

#define NODES_MAX 4096

static int run_flags(const struct order *o, unsigned *ret, struct err *err)
{
    static const struct {
        const char *word;
        unsigned flag;
    } words[] = {{"policies", RUN_ANY_POLICY}, {"reservations", RUN_ANY_RESERVATION},
        {"nodestate", RUN_ANY_STATE}};
    json_t *list = json_object_get(o->body, "ignore"), *entry;
    size_t i;

    *ret = json_is_true(json_object_get(o->body, "force")) ? RUN_ANY_LIMIT : 0;
    json_array_foreach(list, i, entry)
    {
        const char *word = json_string_value(entry);
        unsigned flag = 0;
        for (size_t k = 0; word && k < sizeof words / sizeof words[0]; k++)
            if (strcasecmp(word, words[k].word) == 0)
                flag = words[k].flag;
        if (!flag)
            return err_set(err, ERR_INVALID,
                "ignore: '%.40s' is not one of policies, reservations, nodestate",
                word ? word : "");
        *ret |= flag;
    }
    return 0;
}

static int act_run(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    json_t *list = json_object_get(o->body, "nodes"), *entry;
    size_t i, n = json_array_size(list);
    const char **names = xcalloc(n + 1, sizeof *names);
    struct event ev = {.kind = EVENT_RUN,
        .u.run = {.id = j->id,
            .nodes = n ? names : NULL,
            .partition = order_text(o, "partition")}};

    json_array_foreach(list, i, entry) names[i] =
        json_is_string(entry) ? json_string_value(entry) : "";
    int result = run_flags(o, &ev.u.run.flags, err);
    if (result == 0)
        result = world_apply(o->s, &ev, NULL, err);
    if (result == 0)
        snprintf(done, size, "job '%s' started on %u proc%s", j->id, j->procs,
            j->procs == 1 ? "" : "s");
    free(names);
    return result;
}

void api_run(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){.s = s, .r = r, .who = WHO_ADMIN2, .act = act_run});
}

/* ---- user priority, deadline ---- */

static int act_user_priority(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o->body, "priority");
    struct event ev = {.kind = EVENT_USER_PRIORITY,
        .u.user_priority = {.id = j->id, .n = json_integer_value(n)}};

    if (!json_is_integer(n))
        return err_set(err, ERR_INVALID, "priority: a whole number is needed");
    snprintf(done, size, "job user priority adjusted");
    return world_apply(o->s, &ev, NULL, err);
}

void api_user_priority(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_user_priority});
}

static int act_deadline(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    json_t *at = json_object_get(o->body, "at");
    struct event ev = {.kind = EVENT_DEADLINE,
        .u.deadline = {.id = j->id, .at = json_integer_value(at)}};

    if (!json_is_integer(at))
        return err_set(err, ERR_INVALID,
            "at: an instant in seconds since 1970 is needed, 0 = no deadline");
    snprintf(done, size, "deadline of job %s %s", j->id,
        ev.u.deadline.at ? "set" : "released");
    return world_apply(o->s, &ev, NULL, err);
}

void api_deadline(struct server *s, struct request *r)
{
    order_carry_out(
        &(struct order){.s = s, .r = r, .who = WHO_ADMIN1, .act = act_deadline});
}
