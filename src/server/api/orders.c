/* SPDX-License-Identifier: Apache-2.0
 * Orders about waiting jobs: holds, priority, QOS, cancel. */
#include "server/api/api.h"
#include "server/api/order.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

/* ---- holds ---- */

unsigned order_hold_kinds(const char *word)
{
    static const struct {
        const char *word;
        unsigned kinds;
    } words[] = {{"user", HOLD_USER}, {"system", HOLD_SYSTEM}, {"batch", HOLD_BATCH},
        {"defer", HOLD_DEFER}, {"all", HOLDS_ALL | HOLD_DEFER}};

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcasecmp(word, words[k].word) == 0)
            return words[k].kinds;
    return 0;
}

/* Those that are named, 0 = none is. */
static int named_kinds(const struct order *o, unsigned *ret, struct err *err)
{
    json_t *list = json_object_get(o->body, "kinds"), *entry;
    size_t i;

    *ret = 0;
    json_array_foreach(list, i, entry)
    {
        const char *word = json_string_value(entry);
        unsigned kinds = word ? order_hold_kinds(word) : 0;
        if (!kinds)
            return err_set(
                err, ERR_INVALID, "invalid hold type (%s) specified", word ? word : "");
        *ret |= kinds;
    }
    return 0;
}

/* Who did it; and why the job was held before, which is no less true. */
static void describe_hold(
    const struct job *j, const char *who, char *ret_text, size_t size)
{
    const char *before = j->holds && j->extra ? j->extra->hold_text : NULL;
    const char *reason = hold_reason_name((enum hold_reason)j->hold_reason);

    if (before && *before && j->hold_reason != REASON_ADMIN)
        snprintf(ret_text, size, "set by %.60s; before: %s, %s", who, reason, before);
    else
        snprintf(ret_text, size, "set by %.60s", who);
}

int order_holds(
    struct server *s, const struct job *j, struct event *ev, struct err *err)
{
    unsigned before = j->holds | j->rm_hold;
    char text[300] = "";

    ev->u.hold.id = j->id;
    ev->u.hold.reason = REASON_ADMIN;
    if (ev->kind == EVENT_HOLD && !ev->u.hold.text) {
        describe_hold(j, ev->u.hold.who.name, text, sizeof text);
        ev->u.hold.text = text;
    }
    if (world_apply(s, ev, NULL, err) < 0)
        return -1;
    world_touch(s, j->index);
    if (ev->kind == EVENT_RELEASE_HOLD && !(before & ev->u.hold.kinds))
        return 0;
    return manager_tell_hold(
        s, j, ev->kind == EVENT_RELEASE_HOLD ? before & ev->u.hold.kinds : 0, err);
}

static int act_hold(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    struct event ev = {.kind = EVENT_HOLD,
        .u.hold = {
            .who = identity_actor(request_who(o->r), engine_cluster(o->s->engine), j),
            .text = order_text(o, "text")}};

    snprintf(done, size, "job holds adjusted");
    if (named_kinds(o, &ev.u.hold.kinds, err) < 0)
        return -1;
    if (!ev.u.hold.kinds) /* deferrals are the scheduler's */
        ev.u.hold.kinds =
            hold_permitted(engine_cluster(o->s->engine), j, &ev.u.hold.who)
            & ~(unsigned)HOLD_DEFER;
    return order_holds(o->s, j, &ev, err);
}

/* Nothing of it is there. That is as it should be, unless the job is held by something
 * else and somebody thinks it is not. */
static int tell_unreleased(const struct order *o, const struct job *j, unsigned held,
    unsigned named, char *done, size_t size, struct err *err)
{
    char text[200];

    if (!held || (named && !o->by_name)) {
        snprintf(done, size, "no such hold is on the job");
        return 0;
    }
    hold_tell_remaining(j, held, text, sizeof text);
    return err_set(
        err, ERR_CONFLICT, "job %s: nothing was released: it has %s", j->id, text);
}

static int act_release(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    struct event ev = {.kind = EVENT_RELEASE_HOLD,
        .u.hold = {
            .who = identity_actor(request_who(o->r), engine_cluster(o->s->engine), j),
            .text = order_text(o, "text")}};
    unsigned held = j->holds | j->rm_hold, named, *kinds = &ev.u.hold.kinds;
    char text[200];

    if (named_kinds(o, &named, err) < 0)
        return -1;
    *kinds = named ? named
                   : hold_releasable(engine_cluster(o->s->engine), j, &ev.u.hold.who);
    if (!named && !(held & *kinds))
        return tell_unreleased(o, j, held, named, done, size, err);
    if (order_holds(o->s, j, &ev, err) < 0)
        return -1;
    if (!(held & *kinds))
        return tell_unreleased(o, j, held, named, done, size, err);
    snprintf(done, size, "job holds adjusted");
    if (held & ~*kinds) {
        hold_tell_remaining(j, held & ~*kinds, text, sizeof text);
        snprintf(done, size, "job holds adjusted; job %s keeps %s", j->id, text);
    }
    return 0;
}

void api_hold(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_hold});
}

void api_release(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_release});
}

/* ---- priority, QOS ---- */

static int act_priority(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    json_t *n = json_object_get(o->body, "priority");
    struct event ev = {.kind = EVENT_PRIORITY,
        .u.priority = {.id = j->id,
            .relative = json_is_true(json_object_get(o->body, "relative")),
            .n = json_integer_value(n)}};

    if (!json_is_integer(n))
        return err_set(err, ERR_INVALID, "priority: a whole number is needed");
    snprintf(done, size, "job system priority adjusted");
    if (world_apply(o->s, &ev, NULL, err) < 0)
        return -1;
    world_touch(o->s, j->index);
    return 0;
}

void api_priority(struct server *s, struct request *r)
{
    order_carry_out(
        &(struct order){.s = s, .r = r, .who = WHO_ADMIN2, .act = act_priority});
}

static int act_qos(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    struct event ev = {.kind = EVENT_QOS,
        .u.qos = {.id = j->id,
            .qos = order_text(o, "qos"),
            .admin = identity_is(request_who(o->r), WHO_ADMIN2)}};

    if (!ev.u.qos.qos)
        return err_set(err, ERR_INVALID, "qos: a name is needed");
    snprintf(done, size, "job QOS adjusted");
    if (world_apply(o->s, &ev, NULL, err) < 0)
        return -1;
    world_touch(o->s, j->index);
    return 0;
}

void api_qos(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_qos});
}

/* ---- cancel ---- */

static int act_cancel(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    const struct identity *who = request_who(o->r);
    const char *owner = job_cred(engine_cluster(o->s->engine), j, CRED_USER)->name;
    struct job_end why = {.reason = ENDED_CANCELLED,
        .name = who->user,
        .by_owner = identity_owns(who, owner),
        .said = order_text(o, "text")};

    const char *refused = manager_refused_cancel(o->s, j->id);
    if (refused)
        snprintf(done, size,
            "job '%s' was cancelled before, and the resource manager does not end it: "
            "%s; it is asked again",
            j->id, refused);
    else
        snprintf(done, size, "job '%s' cancelled", j->id);
    return manager_cancel(o->s, j, &why, err);
}

void api_cancel(struct server *s, struct request *r)
{
    struct err err;
    json_t *body = request_json(r, &err);

    if (body && !json_object_get(body, "where") && !s->tries)
        submit_break_off(s, request_who(r), json_object_get(body, "jobs"));
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_cancel});
}
