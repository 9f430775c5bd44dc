/* SPDX-License-Identifier: Apache-2.0
 * Questions about the plan: when could it start (showstart), what is free now
 * (showbf). */
#include "engine/query.h"

#include "cluster/partition.h"
#include "policy/access.h"
#include "policy/reason.h"
#include "server/api/api.h"
#include "server/api/bankelsewhere.h"
#include "server/api/bankorder.h"
#include "server/api/bankquotes.h"
#include "server/api/bankrights.h"
#include "server/drafts/jobname.h"
#include "server/drafts/rmname.h"
#include "server/durable/bankquestion.h"
#include "server/render/blocked.h"
#include "server/render/obstacles.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* ---- the question ---- */

/* A question as it was asked, with what it borrows. */
struct question {
    struct query_ask ask;
    char *text;            /* the features, cut at the commas */
    const char **features; /* NULL-terminated */
    char group[64];        /* of another user than the caller */
    bool elsewhere; /* another bank is asked: it knows which accounts there are */
};

static void question_fini(struct question *q)
{
    free(q->features);
    free(q->text);
}

static const char *text_of(struct request *r, const char *name)
{
    const char *text = request_query(r, name);

    return text && *text ? text : NULL;
}

static bool is_on(struct request *r, const char *name)
{
    const char *text = text_of(r, name);

    return text && strcmp(text, "1") == 0;
}

/* Configured memory as ">=512"; a plain number means at least that much. */
static int read_mem(const char *text, struct cmp *ret, struct err *err)
{
    static const struct {
        const char *sign;
        enum cmp_op op;
    } signs[] = {{">=", CMP_GE}, {"<=", CMP_LE}, {"==", CMP_EQ}, {">", CMP_GT},
        {"<", CMP_LT}, {"=", CMP_EQ}};
    const char *number = text;
    char *end;

    ret->op = CMP_GE;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strncmp(text, signs[i].sign, strlen(signs[i].sign)) == 0) {
            ret->op = signs[i].op;
            number = text + strlen(signs[i].sign);
            break;
        }
    ret->value = strtoll(number, &end, 10);
    if (end == number || *end || ret->value < 0)
        return err_set(err, ERR_INVALID,
            "mem: '%.40s': expected MB, perhaps after >=, >, ==, < or <=", text);
    return 0;
}

static void read_features(struct question *q, const char *text)
{
    size_t n = 0;

    q->text = xstrdup(text);
    q->features = xcalloc(strlen(text) + 2, sizeof *q->features);
    for (char *save = NULL, *p = strtok_r(q->text, ",", &save); p;
         p = strtok_r(NULL, ",", &save))
        q->features[n++] = p;
    q->ask.features = q->features;
}

static int check_creds(const struct identity *who, const struct cluster *c,
    const struct question *q, struct err *err)
{
    for (int k = 0; k < CRED_KINDS; k++)
        if (q->ask.cred[k] && !(k == CRED_ACCOUNT && q->elsewhere)
            && identity_known(who, c, (enum cred_kind)k, q->ask.cred[k], err) < 0)
            return -1;
    return 0;
}

/* The caller's, where nothing else is said. */
static void add_caller(struct request *r, struct question *q)
{
    const struct identity *who = request_who(r);
    const char **cred = q->ask.cred;

    if (!cred[CRED_USER])
        cred[CRED_USER] = who->user;
    if (!cred[CRED_GROUP] && identity_owns(who, cred[CRED_USER])) {
        cred[CRED_GROUP] = who->group;
    } else if (!cred[CRED_GROUP]) {
        identity_group_of(cred[CRED_USER], q->group);
        cred[CRED_GROUP] = *q->group ? q->group : NULL;
    }
}

/* Administrators may ask for anybody. Whoever else asks for others is told what they
 * would get if no list named them: what is reserved for whom lists keep to themselves.
 */
static enum query_right right_of(const struct identity *who, const struct question *q)
{
    const char *user = q->ask.cred[CRED_USER], *group = q->ask.cred[CRED_GROUP];

    if (identity_is(who, WHO_ADMIN3))
        return QUERY_ALL;
    return user && identity_owns(who, user)
                   && (!group || strcmp(group, who->group) == 0
                       || identity_is_member(user, group, NULL))
               ? QUERY_OWN
               : QUERY_OTHERS;
}

static int read_creds(
    struct server *s, struct request *r, struct question *q, struct err *err)
{
    for (int k = 0; k < CRED_KINDS; k++)
        q->ask.cred[k] = text_of(r, render_cred_key((enum cred_kind)k));
    if (check_creds(request_who(r), engine_cluster(s->engine), q, err) < 0)
        return -1;
    add_caller(r, q);
    q->ask.right = right_of(request_who(r), q);
    return 0;
}

static int read_question(
    struct server *s, struct request *r, struct question *q, struct err *err)
{
    static const struct {
        const char *name;
        size_t at;
    } numbers[] = {{"procs", offsetof(struct query_ask, procs)},
        {"nodes", offsetof(struct query_ask, nodes)},
        {"duration_s", offsetof(struct query_ask, duration_s)},
        {"procs_per_task", offsetof(struct query_ask, procs_per_task)},
        {"mem_per_proc_mb", offsetof(struct query_ask, mem_per_proc_mb)}};
    const char *mem = text_of(r, "mem");
    const char *features = text_of(r, "features");

    q->ask.any = is_on(r, "any");
    q->ask.limits = is_on(r, "limits");
    if (q->ask.any)
        q->ask.right = QUERY_ALL; /* it is nobody's question */
    if (!q->ask.any && read_creds(s, r, q, err) < 0)
        return -1;
    q->ask.os = text_of(r, "os");
    q->ask.arch = text_of(r, "arch");
    q->ask.partition = text_of(r, "partition");
    if (q->ask.partition && strcmp(q->ask.partition, "ALL") == 0)
        q->ask.partition = NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        int64_t *n = (int64_t *)((char *)&q->ask + numbers[i].at);
        if (request_query_int(r, numbers[i].name, 0, n, err) < 0)
            return -1;
        if (*n < 0 || *n > INT32_MAX)
            return err_set(
                err, ERR_INVALID, "%s: expected 0 to %d", numbers[i].name, INT32_MAX);
    }
    if (features)
        read_features(q, features);
    return mem ? read_mem(mem, &q->ask.mem, err) : 0;
}

static void render_others(json_t *o, const struct question *q)
{
    if (q->ask.right == QUERY_OTHERS)
        json_object_set_new(o, "others", json_true());
}

/* ---- showstart ---- */

static json_t *render_start(
    struct server *s, bool found, const struct query_start *q, int64_t duration_s)
{
    static const char *const methods[] = {[QUERY_RUNNING] = "running",
        [QUERY_RESERVATION] = "reservation",
        [QUERY_EARLIEST] = "earliest"};
    const struct cluster *c = engine_cluster(s->engine);
    json_t *o = json_pack("{s:I}", "at", (json_int_t)world_now(s));

    render_duration(o, "duration_s", duration_s);
    render_instant(o, "start_at", found ? q->start_at : 0);
    render_instant(o, "end_at", found ? q->end_at : 0);
    render_paused(s, o);
    if (found) {
        render_text(o, "partition", c->partitions.v[q->partition]->name);
        render_text(o, "method", methods[q->method]);
    }
    return o;
}

static json_t *render_never(struct server *s, const struct reason *why)
{
    char text[400];

    reason_format(engine_cluster(s->engine), why, text, sizeof text);
    return json_pack("{s:s, s:s}", "code", reason_code_name(why->code), "text", text);
}

/* Without a plan, who can give one is named. */
static void refuse_query(struct server *s, struct request *r, struct err *err)
{
    if (err->code == ERR_IO && s->control.paused)
        err_set(err, ERR_IO,
            "nothing was scheduled yet, and scheduling is stopped until an "
            "administrator resumes it (schedctl -r)");
    request_refuse(r, err);
}

/* Does that start not count what keeps the job? The plan counts limits ahead. */
static bool is_kept_longer(struct server *s, const struct job *j)
{
    return render_section(j) == SECTION_BLOCKED
           && engine_why(s->engine, j)->code != WAIT_RESERVATION;
}

void api_job_start(struct server *s, struct request *r)
{
    const char *id = request_param(r, "id"), *qos = text_of(r, "qos");
    const struct cluster *c = engine_cluster(s->engine);
    struct err err;
    const struct job *j = jobname_find(c, id, &err);
    const struct cred *k = qos ? cred_find(c, CRED_QOS, qos) : NULL;
    struct query_start q;
    uint32_t ahead;

    if (!j || !identity_sees_job(request_who(r), c, j)) {
        if (j)
            rmname_missing(c, id, &err);
        request_refuse(r, &err);
        return;
    }
    if (qos && !k) {
        cred_missing(c, CRED_QOS, qos, &err);
        err.code = ERR_INVALID; /* it is the job that is there or not */
        request_refuse(r, &err);
        return;
    }
    bool found = query_job_start(s->engine, j, k ? k->index : 0, world_now(s), &q);
    json_t *o = render_start(s, found, &q, j->wclimit_s > 0 ? j->wclimit_s : 1);
    render_text(o, "job", j->id);
    render_int(o, "procs", j->procs);
    render_promise(s, j, o);
    bool kept = !found || is_kept_longer(s, j);
    if (!kept && engine_unpromised(s->engine, j, &ahead))
        render_int(o, "unpromised_ahead", ahead);
    render_expected(s, j, o);
    if (kept) {
        json_object_set_new(o, "reason", render_reason(s, j, request_who(r)));
        render_job_hide(c, j, request_who(r), o);
    }
    request_reply_json(r, o);
}

/* Where a job like that would be, and what it waits for. */
#define PLACES_MAX 2000

struct look {
    struct server *s;
    const struct identity *who;
    json_t *places, *o; /* `o`: with frees and obstacles */
    int64_t nodes;
    bool may; /* such a job may have the account that was asked for */
};

/* Nodes of a job of others are not told, or else one would learn what is reserved for
 * whom; nor are those of a job of nobody. */
static bool is_told_places(struct request *r, const struct question *q)
{
    const struct identity *who = request_who(r);

    return is_on(r, "places") && !identity_is_kept_from(who, RM_HIDES_NODES)
           && (identity_is(who, WHO_ADMIN3)
               || (!q->ask.any && q->ask.right == QUERY_OWN));
}

static void add_place(void *ctx, uint32_t node, uint32_t tasks)
{
    struct look *l = ctx;
    const struct cluster *c = engine_cluster(l->s->engine);

    if (l->nodes++ < PLACES_MAX)
        json_array_append_new(
            l->places, json_pack("{s:s, s:I}", "node", node_at(c, node)->name, "tasks",
                           (json_int_t)tasks));
}

static void add_room(void *ctx, const struct job *j, int64_t from_at, int64_t until_at)
{
    struct look *l = ctx;

    l->may = identity_is(l->who, WHO_ADMIN3)
             || access_account_allowed(engine_cluster(l->s->engine), j);
    if (l->may && from_at < until_at)
        why_put_room(l->s, j, &(struct obstacle_time){from_at, until_at}, l->who, l->o);
    else if (l->may)
        json_object_update_new(l->o, json_pack("{s:[], s:[]}", "frees", "obstacles"));
}

#define FROM_MAX (INT64_C(1) << 40)

static int read_from(struct request *r, int64_t *ret, struct err *err)
{
    if (request_query_int(r, "from", 0, ret, err) < 0)
        return -1;
    return *ret >= 0 && *ret <= FROM_MAX
               ? 0
               : err_set(err, ERR_INVALID, "from: expected seconds since 1970");
}

static int ask_start(struct server *s, struct request *r, const struct question *q,
    json_t **ret, struct err *err)
{
    struct look l = {
        .s = s, .who = request_who(r), .places = json_array(), .o = json_object()};
    struct query_look look = {
        .place = add_place, .job = is_told_places(r, q) ? add_room : NULL, .ctx = &l};
    int result = query_start_look(s->engine, &q->ask, world_now(s), &look, err);

    if (result == 0) {
        *ret = render_start(s, look.found, &look.start, q->ask.duration_s);
        render_int(*ret, "procs", q->ask.procs);
        render_others(*ret, q);
        if (!look.found)
            json_object_set_new(*ret, "reason", render_never(s, &look.start.why));
        json_object_update(*ret, l.o);
    }
    if (result == 0 && look.placed && l.may) {
        json_object_set(*ret, "places", l.places);
        render_int(*ret, "nodes", l.nodes);
    }
    json_decref(l.places);
    json_decref(l.o);
    return result;
}

void api_start(struct server *s, struct request *r)
{
    struct question q = {0};
    struct err err;
    json_t *o = NULL;

    int result = read_question(s, r, &q, &err);
    if (result == 0 && q.ask.duration_s == 0)
        q.ask.duration_s = 1;
    if (result == 0)
        result = read_from(r, &q.ask.from_at, &err);
    if (result == 0)
        result = ask_start(s, r, &q, &o, &err);
    if (result < 0)
        refuse_query(s, r, &err);
    else
        request_reply_json(r, o);
    question_fini(&q);
}

/* ---- mam-quote ---- */

/* A price tells nothing of access lists; whose balance is told, bankrights decides. */
static int read_priced(
    struct server *s, struct request *r, struct question *q, struct err *err)
{
    if (read_question(s, r, q, err) < 0)
        return -1;
    q->ask.right = QUERY_ALL;
    return 0;
}

typedef void elsewhere_fn(struct server *s, struct request *r,
    const struct query_quote *quote, const struct query_ask *ask);

static void ask_elsewhere(struct server *s, struct request *r, elsewhere_fn *ask)
{
    struct question q = {.elsewhere = true};
    struct query_quote made = {.tariff = NULL};
    struct err err;
    bool known = false;

    if (read_priced(s, r, &q, &err) < 0
        || query_quote(s->engine, &q.ask, world_now(s), &known, &made, &err) < 0) {
        refuse_query(s, r, &err);
    } else {
        if (q.ask.cred[CRED_ACCOUNT])
            made.price.account = q.ask.cred[CRED_ACCOUNT];
        ask(s, r, &made, &q.ask);
    }
    free(made.tariff);
    question_fini(&q);
}

void api_bank_quote(struct server *s, struct request *r)
{
    struct question q = {0};
    struct query_price price;
    struct err err;
    bool known = false;

    if (bankquestion_is_possible(s)) {
        ask_elsewhere(s, r, bankelsewhere_quote);
        return;
    }
    if (read_priced(s, r, &q, &err) < 0
        || query_price(s->engine, &q.ask, world_now(s), &known, &price, &err) < 0) {
        refuse_query(s, r, &err);
    } else if (!known) {
        request_refuse_as(r, 409, "conflict", NULL,
            "there is no bank here: AMCFG[bank] TYPE=BUILTIN in maui.cfg makes one");
    } else {
        request_reply_json(r, render_price(s, &price,
                                  bankrights_shows(s, request_who(r), price.account)));
    }
    question_fini(&q);
}

void api_bank_keep_quote(struct server *s, struct request *r)
{
    struct question q = {0};
    struct query_quote made = {.tariff = NULL};
    struct err err;
    bool known;

    if (bankquestion_is_possible(s)) {
        ask_elsewhere(s, r, bankelsewhere_keep_quote);
        return;
    }
    if (!bankorder_ledger(s, r))
        return;
    if (read_priced(s, r, &q, &err) < 0
        || query_quote(s->engine, &q.ask, world_now(s), &known, &made, &err) < 0)
        refuse_query(s, r, &err);
    else
        bankquotes_keep(s, r, &made);
    free(made.tariff);
    question_fini(&q);
}

/* ---- showbf ---- */

static json_t *render_windows(
    const struct cluster *c, const struct query_windows *w, const struct query_ask *ask)
{
    json_t *list = json_array();

    for (uint32_t p = 0; p < c->partitions.n; p++) {
        json_t *windows = json_array();
        if (c->partitions.v[p]->node_count == 0
            || (ask->partition
                && strcmp(ask->partition, c->partitions.v[p]->name) != 0)) {
            json_decref(windows);
            continue;
        }
        for (size_t i = 0; i < w->n; i++) {
            if (w->v[i].partition != p)
                continue;
            json_t *o = json_pack("{s:I}", "procs", (json_int_t)w->v[i].procs);
            if (!w->v[i].start_at) /* of later ones it is not known */
                render_int(o, "nodes", w->v[i].nodes);
            render_duration(o, "duration_s", w->v[i].duration_s);
            render_instant(o, "start_at", w->v[i].start_at);
            json_array_append_new(windows, o);
        }
        json_array_append_new(list, json_pack("{s:s, s:o}", "name",
                                        c->partitions.v[p]->name, "windows", windows));
    }
    return list;
}

static json_t *render_nodes(const struct cluster *c, const struct query_nodes *nodes)
{
    json_t *list = json_array();

    for (size_t i = 0; i < nodes->n; i++) {
        const struct node *n = node_at(c, nodes->v[i].node);
        struct res used = node_dedicated(c, n);
        json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I}", "name", n->name, "procs",
            (json_int_t)nodes->v[i].procs, "mem_mb",
            (json_int_t)(n->cfg.v[RES_MEM] - used.v[RES_MEM]), "disk_mb",
            (json_int_t)(n->cfg.v[RES_DISK] - used.v[RES_DISK]), "swap_mb",
            (json_int_t)(n->cfg.v[RES_SWAP] - used.v[RES_SWAP]));
        render_real(o, "load", n->load);
        render_int(o, "configured_procs", n->cfg.v[RES_PROCS]);
        render_duration(o, "duration_s", nodes->v[i].duration_s);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *render_answer(
    struct server *s, const struct question *q, const struct query_windows *windows)
{
    json_t *o = json_pack("{s:I, s:s, s:o}", "at", (json_int_t)world_now(s),
        "partition", q->ask.partition ? q->ask.partition : "ALL", "partitions",
        render_windows(engine_cluster(s->engine), windows, &q->ask));

    for (int k = 0; k < CRED_KINDS; k++)
        render_text(o, render_cred_key((enum cred_kind)k), q->ask.cred[k]);
    render_others(o, q);
    render_paused(s, o);
    return o;
}

static int answer_windows(struct server *s, struct request *r, struct question *q,
    json_t **ret, struct err *err)
{
    struct query_windows windows = {0};
    struct query_nodes nodes = {0};
    int64_t now = world_now(s);
    int result = is_on(r, "per_node")
                     ? query_nodes(s->engine, &q->ask, now, &nodes, err)
                 : is_on(r, "later")
                     ? query_later_windows(s->engine, &q->ask, now, &windows, err)
                     : query_windows(s->engine, &q->ask, now, &windows, err);

    if (result == 0) {
        *ret = render_answer(s, q, &windows);
        if (is_on(r, "per_node"))
            json_object_set_new(
                *ret, "nodes", render_nodes(engine_cluster(s->engine), &nodes));
    }
    if (result == 0 && is_on(r, "blocked"))
        json_object_set_new(
            *ret, "blocked", blocked_nodes(s, &q->ask, request_who(r), err));
    vec_fini(&windows);
    vec_fini(&nodes);
    return result;
}

void api_windows(struct server *s, struct request *r)
{
    struct question q = {0};
    json_t *o = NULL;
    struct err err;

    bool kept = identity_is_kept_from(request_who(r), RM_HIDES_NODES);
    if ((kept && identity_deny_nodes(&err) < 0) || read_question(s, r, &q, &err) < 0
        || answer_windows(s, r, &q, &o, &err) < 0)
        refuse_query(s, r, &err);
    else
        request_reply_json(r, o);
    question_fini(&q);
}
