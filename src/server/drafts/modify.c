/* SPDX-License-Identifier: Apache-2.0
 * Changes of jobs as the API has them, made events, and kept. */
#include "server/drafts/modify.h"

#include "cluster/attribute.h"
#include "config/flags.h"
#include "server/api/order.h"
#include "server/drafts/depends.h"
#include "server/drafts/jobattr.h"
#include "server/drafts/jobkept.h"
#include "server/drafts/jobrights.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

/* Changes taken apart. Lists are owned. */
struct modified {
    struct job_change ch;
    struct VEC(struct jobattr_words) lists; /* NULL-terminated */
    struct jobattr_deps deps;               /* job_id NULL ends when given */
    struct gres_list gres;                  /* name NULL ends when given */
    char *advres;                           /* owned or NULL: named among flags */
    const char *qos, *name, *message;       /* borrowed from the JSON */
    unsigned hold, release;                 /* enum hold_kind bits */
    bool has_sysprio;
    int64_t sysprio;
    struct req_desc *reqs; /* owned or NULL: those of the description, changed */
    json_t *json;          /* owned or NULL: what the texts are borrowed from */
};

static void words_free(struct jobattr_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    vec_fini(w);
}

static void fini(struct modified *m)
{
    for (size_t i = 0; i < m->lists.n; i++)
        words_free(&m->lists.v[i]);
    vec_fini(&m->lists);
    for (size_t i = 0; i < m->deps.n; i++)
        free(m->deps.v[i].job_id);
    vec_fini(&m->deps);
    for (size_t i = 0; i < m->gres.n; i++)
        free(m->gres.v[i].name);
    vec_fini(&m->gres);
    free(m->advres);
    free(m->reqs);
    json_decref(m->json);
}

void modified_free(struct modified *m)
{
    if (!m)
        return;
    fini(m);
    free(m);
}

/* ---- one change ---- */

/* What += and -= start from. */
static int64_t present(const struct jobattr *a, const struct job *j)
{
    const struct attribute *row = attribute_changed(a->bit);
    const struct req_attribute *of_req = req_attribute_changed(a->bit);

    if (a->bit == CHANGE_WCLIMIT)
        return j->wclimit_asked_s ? j->wclimit_asked_s : j->wclimit_s;
    if (a->bit == CHANGE_NODES)
        return j->reqs[0].nodes;
    if (a->bit == CHANGE_TASKS)
        return j->procs;
    if (row && row->job_at)
        return *attribute_number(j, row->job_at);
    if (row && row->extra_at)
        return j->extra ? *attribute_number(j->extra, row->extra_at) : 0;
    return of_req ? *attribute_number(j->reqs[0].asked, of_req->def_at) : 0;
}

/* Processors of one task of the first request. */
static int64_t procs_per_task(const struct job_desc *d, const struct job *j)
{
    int64_t procs = j   ? j->reqs[0].asked->per_task.v[RES_PROCS]
                    : d ? d->reqs[0].per_task.v[RES_PROCS]
                        : 1;

    return procs > 0 ? procs : 1;
}

static int set_number(struct modified *m, const struct jobattr *a, int64_t n,
    int64_t procs, struct err *err)
{
    struct job_change *ch = &m->ch;

    if ((a->bit == CHANGE_TASKS || a->bit == CHANGE_NODES) && (n < 0 || n > INT32_MAX))
        return err_set(err, ERR_INVALID, "%s: expected 0 to %d, not %lld", a->name,
            INT32_MAX, (long long)n);
    if (a->bit == CHANGE_USER_PRIORITY && (n < 0 || n > 100))
        return err_set(err, ERR_INVALID,
            "user priority must be in the range 0 - 100, not %lld", (long long)n);
    if (a->bit == CHANGE_TASKS && (n == 0 || n % procs != 0))
        return err_set(err, ERR_INVALID,
            "proccount: %lld is not a multiple of the %lld processors of a task",
            (long long)n, (long long)procs);
    if (a->bit == CHANGE_WCLIMIT && n < 1)
        return err_set(err, ERR_INVALID,
            "%s: expected a time of a second at least, not %lld", a->name,
            (long long)n);
    const struct attribute *row = attribute_changed(a->bit);
    const struct req_attribute *of_req = req_attribute_changed(a->bit);
    if (a->bit == CHANGE_TASKS)
        n /= procs;
    if (row)
        *attribute_number(&ch->job, row->desc_at) = n;
    else if (of_req && of_req->type == ATTRIBUTE_COUNT)
        *(uint32_t *)attribute_in(&ch->to, of_req->desc_at) = (uint32_t)n;
    else if (of_req)
        *attribute_number(&ch->to, of_req->desc_at) = n;
    else
        m->sysprio = n;
    m->has_sysprio |= (a->bit & JOBATTR_SYSPRIO) != 0;
    return 0;
}

static void set_name(struct modified *m, const struct jobattr *a, const char *name)
{
    const struct attribute *row = attribute_changed(a->bit);

    if (row)
        *attribute_text(&m->ch.job, row->desc_at) = name;
    else if (a->bit == JOBATTR_NAME)
        m->name = name;
    else if (a->bit == JOBATTR_MESSAGE)
        m->message = name;
    else
        m->qos = name;
}

static void set_words(struct modified *m, unsigned bit, const char *text)
{
    const struct attribute *row = attribute_changed(bit);
    struct jobattr_words words = {0};

    jobattr_list(&words, text);
    vec_push(&m->lists, words);
    if (row)
        *attribute_names(&m->ch.job, row->desc_at) = (const char *const *)words.v;
    else
        *attribute_names(&m->ch.to, req_attribute_changed(bit)->desc_at) =
            (const char *const *)words.v;
}

static int set_list(
    struct modified *m, const struct jobattr *a, const char *text, struct err *err)
{
    if (m->ch.what & a->bit)
        return err_set(err, ERR_INVALID, "%s: given twice", a->name);
    if (a->type == VALUE_DEPS)
        return jobattr_deps(&m->deps, text, err);
    if (a->type == VALUE_GRES)
        return jobattr_gres(&m->gres, text, err);
    set_words(m, a->bit, text);
    return 0;
}

/* As the other kinds of values, put into the JSON in full. */
static void make_whole(json_t *change, const char *text)
{
    json_object_set_new(change, "value", json_string(text));
    json_object_set_new(change, "op", json_string("="));
}

/* Flags are added or taken away one by one, or replaced. A reservation named behind
 * ADVRES is asked for as reqreservation does it. */
static int take_flags(struct modified *m, json_t *change, const char *op,
    const char *value, const struct job *j, struct err *err)
{
    struct text_list names = {0};
    struct strbuf whole = {0};
    uint32_t given, flags = 0;
    int result = job_flags_parse_names(value, &given, &names, NULL, err);

    if (result == 0) {
        if (j && op && *op != '=')
            flags = j->flags_asked;
        flags = op && *op == '-' ? flags & ~given : flags | given;
        m->ch.job.flags = flags & ~(uint32_t)(JOB_ADVRES | JOB_HOSTLIST);
        for (uint32_t rest = m->ch.job.flags; rest; rest &= rest - 1)
            if (job_flag_name(rest))
                strbuf_printf(
                    &whole, "%s%s", whole.len ? "," : "", job_flag_name(rest));
        if (given & JOB_ADVRES) {
            free(m->advres); /* of flags given before */
            m->advres = xstrdup(names.n && (!op || *op != '-') ? names.v[0] : "");
            m->ch.job.advres = m->advres;
            m->ch.what |= CHANGE_ADVRES;
        }
        make_whole(change, whole.len ? whole.text : "");
    }
    free(strbuf_take(&whole));
    text_list_fini(&names);
    return result;
}

static int take_hold(
    struct modified *m, const char *op, const char *value, struct err *err)
{
    return jobattr_holds(value, op && *op == '-' ? &m->release : &m->hold, err);
}

static int take_number(struct modified *m, json_t *change, const struct jobattr *a,
    const struct job_desc *d, const struct job *j, struct err *err)
{
    const char *op = json_string_value(json_object_get(change, "op"));
    const char *value = json_string_value(json_object_get(change, "value"));
    bool relative = op && strcmp(op, "=") != 0;
    int64_t n;

    if (jobattr_number(a, value, relative, &n, err) < 0)
        return -1;
    if (relative && !j)
        return err_set(err, ERR_INVALID, "%s: only = is possible here", a->name);
    if (relative) {
        int64_t from = present(a, j);
        char text[32];
        if (*op == '-' ? __builtin_sub_overflow(from, n, &n)
                       : __builtin_add_overflow(from, n, &n))
            return err_set(err, ERR_INVALID, "%s: '%.40s' is too much", a->name, value);
        snprintf(text, sizeof text, "%lld", (long long)n);
        make_whole(change, text);
    }
    return set_number(m, a, n, procs_per_task(d, j), err);
}

static int take_value(struct modified *m, json_t *change, const struct jobattr *a,
    const struct job_desc *d, const struct job *j, struct err *err)
{
    const char *op = json_string_value(json_object_get(change, "op"));
    const char *value = json_string_value(json_object_get(change, "value"));

    if (a->type == VALUE_FLAGS)
        return take_flags(m, change, op, value, j, err);
    if (a->type == VALUE_HOLD)
        return take_hold(m, op, value, err);
    if (op && strcmp(op, "=") != 0
        && (a->type > VALUE_INSTANT || (a->bit & JOBATTR_SYSPRIO)))
        return err_set(err, ERR_INVALID, "%s: only = is possible", a->name);
    if (a->type <= VALUE_INSTANT)
        return take_number(m, change, a, d, j, err);
    if (a->type != VALUE_NAME)
        return set_list(m, a, value, err);
    set_name(m, a, value);
    return 0;
}

/* One {attribute, op, value}; afterwards its op is "=" and its value whole. */
static int take_change(struct modified *m, json_t *change, const struct job_desc *d,
    const struct job *j, struct err *err)
{
    const char *name = json_string_value(json_object_get(change, "attribute"));
    const char *value = json_string_value(json_object_get(change, "value"));

    if (!name || !value)
        return err_set(err, ERR_INVALID, "a change needs an attribute and a value");
    const struct jobattr *a = jobattr_find(name, err);
    if (!a)
        return -1;
    if (a->type == VALUE_NONE)
        return err_set(err, ERR_INVALID, "%s cannot be changed: %s", a->name, a->why);
    if (take_value(m, change, a, d, j, err) < 0)
        return -1;
    m->ch.what |= a->bit;
    return 0;
}

static int take_all(struct modified *m, json_t *changes, const struct job_desc *d,
    const struct job *j, struct err *err)
{
    json_t *change;
    size_t i;

    json_array_foreach(changes, i, change)
    {
        if (take_change(m, change, d, j, err) < 0)
            return -1;
    }
    m->ch.job.deps = m->deps.v;
    m->ch.to.gres = m->gres.v;
    return 0;
}

/* By itself, of a job as it is described. */
static bool is_possible(json_t *change, const struct job_desc *d, struct err *err)
{
    json_t *alone = json_pack("[O]", change);
    struct modified m = {.json = alone};
    bool possible = take_all(&m, alone, d, NULL, err) == 0;

    fini(&m);
    return possible;
}

/* ---- keeping ---- */

static json_t *recall(struct server *s, const char *id)
{
    char *text = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    if (store_get(s->store, "change", id, &text, &err) < 0 || !text)
        return NULL;
    json_t *kept = json_loads(text, 0, NULL);
    free(text);
    return kept;
}

/* The latest value of each attribute. */
static void keep_changes(struct server *s, const char *id, json_t *changes)
{
    json_t *kept = recall(s, id), *change;
    struct err err;
    size_t i, k;

    if (!json_is_object(kept)) {
        json_decref(kept);
        kept = json_object();
    }
    json_array_foreach(changes, i, change)
    {
        const struct jobattr *a =
            jobattr_find(json_string_value(json_object_get(change, "attribute")), &err);
        for (k = 0; a && a->kept && jobattr_at(k); k++)
            if (jobattr_at(k)->bit == a->bit)
                json_object_del(kept, jobattr_at(k)->name);
        if (a && a->kept)
            json_object_set(kept, a->name, json_object_get(change, "value"));
    }
    char *text = json_dumps(kept, JSON_COMPACT);
    if (json_object_size(kept))
        unsaved_put(s->unsaved, "change", id, text);
    free(text);
    json_decref(kept);
    commit_want(s);
}

void modify_forget(struct server *s, const char *id, unsigned what)
{
    json_t *kept = recall(s, id);
    size_t before = json_object_size(kept);

    for (size_t k = 0; before && jobattr_at(k); k++)
        if (jobattr_at(k)->bit & what)
            json_object_del(kept, jobattr_at(k)->name);
    if (before && !json_object_size(kept)) {
        unsaved_delete(s->unsaved, "change", id);
    } else if (json_object_size(kept) < before) {
        char *text = json_dumps(kept, JSON_COMPACT);
        unsaved_put(s->unsaved, "change", id, text);
        free(text);
    }
    json_decref(kept);
    commit_want(s);
}

bool modify_has(struct server *s, const char *id, const char *attribute)
{
    struct err err;
    const struct jobattr *a = jobattr_find(attribute, &err);
    json_t *kept = a ? recall(s, id) : NULL;
    bool has = false;

    for (size_t k = 0; kept && jobattr_at(k); k++)
        has |=
            jobattr_at(k)->bit == a->bit && json_object_get(kept, jobattr_at(k)->name);
    json_decref(kept);
    return has;
}

bool modify_keep(struct server *s, const char *id, bool known, const char *attribute,
    const char *value)
{
    struct job_desc any = {.id = id};
    struct err err;

    if (known && modify_has(s, id, attribute))
        return false;
    json_t *changes = json_pack("[{s:s, s:s}]", "attribute", attribute, "value", value);
    bool possible = changes && is_possible(json_array_get(changes, 0), &any, &err);
    if (possible)
        keep_changes(s, id, changes);
    else
        log_line(s->log, LOG_WARNING, "job '%s': %s=%s is not kept: %s", id, attribute,
            value, changes ? err.text : "is no UTF-8");
    json_decref(changes);
    return possible;
}

/* ---- the order ---- */

static int apply_holds(struct server *s, const struct job *j, const struct modified *m,
    const struct actor *who, struct err *err)
{
    struct event hold = {.kind = EVENT_HOLD, .u.hold = {.kinds = m->hold, .who = *who}};
    struct event release = {
        .kind = EVENT_RELEASE_HOLD, .u.hold = {.kinds = m->release, .who = *who}};

    if (m->hold && order_holds(s, j, &hold, err) < 0)
        return -1;
    return m->release ? order_holds(s, j, &release, err) : 0;
}

/* Of what it shall depend on some may be over. */
static int change_job(struct server *s, struct event *ev, struct err *err)
{
    struct dep *deps = depends_settle(s, ev->u.modify.change.job.deps, 0);

    ev->u.modify.change.job.deps = deps;
    int result = world_apply(s, ev, NULL, err);
    free(deps);
    return result;
}

static int apply(struct server *s, const struct job *j, const struct modified *m,
    bool admin, struct err *err)
{
    struct event ev = {.kind = EVENT_MODIFY, .u.modify = {j->id, m->ch}};

    ev.u.modify.change.what &= ~JOBATTR_OTHERS;
    if (ev.u.modify.change.what && change_job(s, &ev, err) < 0)
        return -1;
    if ((m->ch.what & CHANGE_WCLIMIT) && manager_tell_limit(s, j, err) < 0)
        return -1;
    ev = (struct event){.kind = EVENT_QOS, .u.qos = {j->id, m->qos, admin}};
    if (m->qos && world_apply(s, &ev, NULL, err) < 0)
        return -1;
    ev = (struct event){
        .kind = EVENT_PRIORITY, .u.priority = {.id = j->id, .n = m->sysprio}};
    return m->has_sysprio ? world_apply(s, &ev, NULL, err) : 0;
}

void modified_note(const struct modified *m, struct job_notes *n)
{
    if (m && m->name) {
        free(n->name);
        n->name = xstrdup(m->name);
        n->renamed = true;
    }
    if (m && m->message) {
        free(n->message);
        n->message = *m->message ? xstrdup(m->message) : NULL;
    }
}

/* A limit as the job's resource manager will have it: what is planned, told and kept is
 * the same. */
static void make_limit_whole(
    struct server *s, const struct job *j, struct modified *m, json_t *changes)
{
    int64_t whole = manager_whole_limit(s, j, m->ch.job.wclimit_s);
    json_t *change;
    char text[32];
    struct err err;
    size_t i;

    if (!(m->ch.what & CHANGE_WCLIMIT) || whole == m->ch.job.wclimit_s)
        return;
    m->ch.job.wclimit_s = whole;
    snprintf(text, sizeof text, "%lld", (long long)whole);
    json_array_foreach(changes, i, change)
    {
        const char *name = json_string_value(json_object_get(change, "attribute"));
        if (jobattr_find(name, &err)->bit == CHANGE_WCLIMIT)
            make_whole(change, text);
    }
}

int modify_apply(struct server *s, const struct job *j, json_t *changes,
    const struct identity *who, struct err *err)
{
    const struct actor actor = identity_actor(who, engine_cluster(s->engine), j);
    bool admin = identity_is(who, WHO_ADMIN2);
    json_t *own = json_deep_copy(changes); /* of this job: += depends on it */
    struct modified m = {0};
    int result = take_all(&m, own, NULL, j, err);

    if (result == 0)
        make_limit_whole(s, j, &m, own);
    if (result == 0)
        result = jobrights_change(j, &m.ch, m.has_sysprio, who, err);
    if (result == 0)
        result = jobkept_check(s, j, &m.ch, admin, err);
    if (result == 0 && (m.ch.what & CHANGE_DEPS))
        result = depends_check(s, manager_of_job(s, j), m.ch.job.deps, err);
    if (result == 0 && (m.hold | m.release))
        result =
            hold_allowed(engine_cluster(s->engine), j, m.hold | m.release, &actor, err);
    if (result == 0)
        result = apply(s, j, &m, admin, err);
    if (result == 0)
        result = apply_holds(s, j, &m, &actor, err);
    if (result == 0) {
        modified_note(&m, world_notes(s, j));
        if (m.advres)
            json_array_append_new(own, json_pack("{s:s, s:s}", "attribute",
                                           "reqreservation", "value", m.advres));
        keep_changes(s, j->id, own);
    }
    fini(&m);
    json_decref(own);
    return result;
}

/* ---- a restart ---- */

/* {attribute: value} as changes. */
static json_t *as_changes(const json_t *kept)
{
    json_t *changes = json_array(), *value;
    const char *name;

    json_object_foreach((json_t *)kept, name, value) json_array_append_new(
        changes, json_pack("{s:s, s:O}", "attribute", name, "value", value));
    return changes;
}

static void change_desc(struct job_desc *d, const struct job_change *ch)
{
    attributes_apply(ch, d);
    if (ch->what & CHANGE_CLASS)
        d->classes = NULL; /* this one and no other */
    if (d->advres && !*d->advres)
        d->advres = NULL;
}

/* One that is not understood costs the others nothing: it may be of another release, or
 * have come from the resource manager. */
static void drop_impossible(struct server *s, json_t *changes, const struct job_desc *d)
{
    struct err err;

    for (size_t i = json_array_size(changes); i-- > 0;)
        if (!is_possible(json_array_get(changes, i), d, &err)) {
            log_line(
                s->log, LOG_ALERT, "a change of job '%s' is lost: %s", d->id, err.text);
            json_array_remove(changes, i);
        }
}

struct modified *modify_recall(struct server *s, struct job_desc *d)
{
    json_t *kept = recall(s, d->id), *changes;
    struct err err;

    if (!kept)
        return NULL;
    changes = as_changes(kept);
    json_decref(kept);
    drop_impossible(s, changes, d);
    struct modified *m = modify_desc(changes, d, NULL, &err);
    if (!m)
        log_line(
            s->log, LOG_ALERT, "changes of job '%s' are lost: %s", d->id, err.text);
    return m;
}

struct modified *modify_desc(
    json_t *changes, struct job_desc *d, const struct job *j, struct err *err)
{
    struct modified *m = xcalloc(1, sizeof *m);

    m->json = changes;
    if (take_all(m, m->json, d, j, err) < 0) {
        modified_free(m);
        return NULL;
    }
    change_desc(d, &m->ch);
    m->reqs = xmalloc(d->nreqs * sizeof *m->reqs);
    memcpy(m->reqs, d->reqs, d->nreqs * sizeof *m->reqs);
    req_attributes_apply(&m->ch, &m->reqs[0]);
    d->reqs = m->reqs;
    return m;
}
