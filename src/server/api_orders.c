/* SPDX-License-Identifier: Apache-2.0
 * Orders about jobs: each names jobs by expressions and is carried out job by job; the
 * outcome tells of each what became of it. */
#include "server/api.h"
#include "server/jobexpr.h"
#include "server/manager.h"
#include "server/order.h"
#include "server/render.h"
#include "server/server_private.h"
#include "server/where.h"

const char *order_text(const struct order *o, const char *key)
{
    return json_string_value(json_object_get(o->body, key));
}

static void add_result(
    struct order *o, const char *job, const struct err *err, const char *done)
{
    static const char *const codes[] = {[ERR_NONE] = "internal",
        [ERR_INVALID] = "invalid",
        [ERR_NOT_FOUND] = "not_found",
        [ERR_DENIED] = "forbidden",
        [ERR_CONFLICT] = "conflict",
        [ERR_IO] = "unavailable"};
    json_t *entry = json_pack("{s:s, s:b, s:o}", "job", job, "ok", err == NULL,
        "message", render_utf8(err ? err->text : done));

    if (err)
        json_object_set_new(entry, "code", json_string(codes[err->code]));
    json_array_append_new(o->results, entry);
}

static bool may(const struct order *o, const struct job *j)
{
    const struct cluster *c = engine_cluster(o->s->engine);
    const struct identity *who = request_who(o->r);

    return identity_is(who, o->who)
           || (o->owner && identity_owns(who, job_cred(c, j, CRED_USER)->name));
}

static void one_job(struct order *o, const struct job *j)
{
    char id[256], done[DONE_TEXT] = "";
    struct err err = {0};

    snprintf(id, sizeof id, "%s", j->id);
    if (!may(o, j)) {
        err_set(&err, ERR_DENIED,
            "user %s is not authorized to perform operation on job %s",
            request_who(o->r)->user, id);
        add_result(o, id, &err, NULL);
        return;
    }
    int result = o->act(o, j, done, sizeof done, &err);
    add_result(o, id, result < 0 ? &err : NULL, done);
}

/* ---- which jobs ---- */

/* Expressions as they are sent, each with its own refusal; after one too many no more.
 */
static void choose(struct order *o, json_t *expressions, struct job_choices *ret)
{
    const struct cluster *c = engine_cluster(o->s->engine);
    json_t *expr;
    size_t i;

    ret->unanchored = o->s->config->settings->use_job_regex;
    json_array_foreach(expressions, i, expr)
    {
        struct err err = {0};
        const char *text = json_string_value(expr);
        if (text && jobexpr_match(c, text, ret, &err) < 0)
            add_result(o, text, &err, NULL);
        if (ret->elements > JOBEXPR_ELEMENTS_MAX
            || ret->patterns > JOBEXPR_PATTERNS_MAX)
            break;
    }
}

/* Who says ALL, or a pattern, means those that may be touched; when there is none of
 * them, the first is refused. Conditions tell nothing of the jobs of others. */
static void act_on(struct order *o, const struct job_choices *chosen)
{
    const struct cluster *c = engine_cluster(o->s->engine);
    const struct job *refused = NULL;
    size_t before = json_array_size(o->results);

    for (size_t i = 0; i < chosen->list.n; i++) {
        const struct job *j = c->jobs.v[chosen->list.v[i].job];
        bool allowed = may(o, j), named = chosen->list.v[i].named;
        if ((allowed && where_matches(o->where, o->s, j)) || (!allowed && named))
            one_job(o, j);
        else if (!allowed && !o->where && !refused)
            refused = j;
    }
    if (json_array_size(o->results) > before)
        return;
    if (refused) {
        one_job(o, refused);
    } else if (o->where && before == 0) {
        struct err err;
        err_set(&err, ERR_NOT_FOUND, "no job matches the conditions given");
        add_result(o, "", &err, NULL);
    }
}

void order_carry_out(struct order *o)
{
    struct job_choices chosen = {0};
    struct err err = {0};
    json_t *jobs, *all = json_pack("[s]", "ALL");

    o->body = request_json(o->r, &err);
    o->where = o->body ? json_object_get(o->body, "where") : NULL;
    jobs = o->body ? json_object_get(o->body, "jobs") : NULL;
    if (o->where && !jobs)
        jobs = all;
    if (o->body && (!json_is_array(jobs) || json_array_size(jobs) == 0))
        err_set(&err, ERR_INVALID, "jobs: a list of job expressions is needed");
    if (err.code || (o->where && where_check(o->where, &err) < 0)) {
        request_refuse(o->r, &err);
    } else {
        o->results = json_array();
        choose(o, jobs, &chosen);
        act_on(o, &chosen);
        commit_then_reply(o->s, o->r, json_pack("{s:o}", "results", o->results));
    }
    jobexpr_fini(&chosen);
    json_decref(all);
}

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

static int hold_kinds(
    const struct order *o, const struct job *j, unsigned *ret, struct err *err)
{
    json_t *list = json_object_get(o->body, "kinds"), *entry;
    const struct identity *who = request_who(o->r);
    struct actor actor = {who->user, who->level};
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
    if (!*ret)
        *ret = hold_permitted(engine_cluster(o->s->engine), j, &actor);
    return 0;
}

int order_holds(
    struct server *s, const struct job *j, struct event *ev, struct err *err)
{
    ev->u.hold.id = j->id;
    ev->u.hold.reason = REASON_ADMIN;
    if (world_apply(s, ev, NULL, err) < 0)
        return -1;
    world_touch(s, j->index);
    /* Holds of the resource manager are released there. */
    unsigned there = ev->kind == EVENT_RELEASE_HOLD ? j->rm_hold & ev->u.hold.kinds : 0;
    return there ? manager_tell(
               s, j, &(struct rm_command){.action = RM_RELEASE, .kinds = there}, err)
                 : 0;
}

static int set_holds(
    struct order *o, const struct job *j, enum event_kind kind, struct err *err)
{
    const struct identity *who = request_who(o->r);
    struct event ev = {.kind = kind,
        .u.hold = {.who = {who->user, who->level}, .text = order_text(o, "text")}};

    if (hold_kinds(o, j, &ev.u.hold.kinds, err) < 0)
        return -1;
    if (kind == EVENT_HOLD && json_array_size(json_object_get(o->body, "kinds")) == 0)
        ev.u.hold.kinds &= ~(unsigned)HOLD_DEFER; /* deferrals are the scheduler's */
    return order_holds(o->s, j, &ev, err);
}

static int act_hold(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    snprintf(done, size, "job holds adjusted");
    return set_holds(o, j, EVENT_HOLD, err);
}

static int act_release(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    snprintf(done, size, "job holds adjusted");
    return set_holds(o, j, EVENT_RELEASE_HOLD, err);
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
    const char *text = order_text(o, "text");

    snprintf(done, size, "job '%s' cancelled", j->id);
    return manager_cancel(o->s, j, text ? text : "cancelled by request", err);
}

void api_cancel(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_cancel});
}
