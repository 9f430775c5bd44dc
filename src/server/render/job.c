/* SPDX-License-Identifier: Apache-2.0
 * Jobs as the API shows them. */
#include "cluster/attribute.h"
#include "cluster/partition.h"
#include "config/flags.h"
#include "config/keyword.h"
#include "engine/admission.h"
#include "policy/holds.h"
#include "policy/limits_use.h"
#include "policy/reason.h"
#include "server/api/bankrights.h"
#include "server/drafts/jobattr.h"
#include "server/managers/manager.h"
#include "server/render/obstacles.h"
#include "server/render/render.h"
#include "server/server_private.h"

const char *render_section_name(enum section s)
{
    static const char *const names[] = {"active", "eligible", "blocked", "completed"};

    return names[s];
}

enum section render_section(const struct job *j)
{
    if (j->state >= JOB_COMPLETED)
        return SECTION_COMPLETED;
    if (job_is_active(j) || j->state == JOB_SUSPENDED)
        return SECTION_ACTIVE;
    if (!job_waits(j) || j->rm_hold)
        return SECTION_BLOCKED;
    return admission_gives((enum wait_code)j->why.code) ? SECTION_BLOCKED
                                                        : SECTION_ELIGIBLE;
}

/* "batch and user", of bits of enum hold_kind. */
static const char *hold_words(unsigned kinds, char *buf, size_t size)
{
    static const struct {
        unsigned kind;
        const char *name;
    } all[] = {{HOLD_USER, "user"}, {HOLD_SYSTEM, "system"}, {HOLD_BATCH, "batch"}};
    size_t len = 0;

    *buf = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (kinds & all[i].kind)
            len += (size_t)snprintf(
                buf + len, size - len, "%s%s", len ? " and " : "", all[i].name);
    return buf;
}

/* Who holds the job and why, which the engine's reason does not carry. What the
 * resource manager says of its own hold goes before what would release another. */
static bool say_hold(struct server *s, const struct job *j, char *text, size_t size)
{
    const char *why = j->extra ? j->extra->hold_text : NULL;
    const char *said = world_notes(s, j)->notes;
    char kinds[60];

    if (j->holds & (HOLD_USER | HOLD_SYSTEM | HOLD_BATCH))
        snprintf(text, size, "this job has a %s hold%s%s; releasehold releases it",
            hold_words(j->holds, kinds, sizeof kinds), why ? ": " : "", why ? why : "");
    else if (j->rm_hold && said && *said)
        snprintf(text, size, "the resource manager holds this job: %s", said);
    else if (j->rm_hold)
        snprintf(text, size,
            "the resource manager has a %s hold on this job; releasehold releases it",
            hold_words(j->rm_hold, kinds, sizeof kinds));
    else if (j->state == JOB_HOLD && said && *said)
        snprintf(text, size, "%s", said);
    else
        return false;
    return true;
}

/* An amount of a reason that is not 0; the limits' in whole numbers where they are. */
static void render_amount(
    json_t *o, const char *key, const struct reason *why, int64_t n)
{
    int64_t parts = why->code == WAIT_LIMIT ? limits_use_parts(why->res) : 1;

    if (n % parts != 0)
        render_real(o, key, (double)n / (double)parts);
    else if (n != 0)
        render_int(o, key, n / parts);
}

int64_t render_pause(const struct job *j, int64_t now)
{
    return j->state == JOB_SUSPENDED && j->suspend_at && j->suspend_at < now
               ? now - j->suspend_at
               : 0;
}

/* In place of what says who uses how much of a limit, which and what it is. */
static void hide_usage(
    const struct cluster *c, const struct reason *why, char *text, size_t size)
{
    int n = snprintf(text, size, "%s: ",
        reason_is_planned(why) ? "leaves room for jobs that are to start"
                               : "waits for the end of other jobs");

    if (n > 0 && (size_t)n < size)
        reason_format_limit(c, why, text + n, size - (size_t)n);
}

/* Does the reason tell of others what the caller may not know? */
static bool tells_of_others(struct server *s, const struct job *j,
    const struct reason *why, const struct identity *who)
{
    if (why->code == WAIT_FUNDS)
        return !bankrights_shows_funds(s, who, j);
    return why->code == WAIT_LIMIT
           && (identity_is_kept_from(who, RM_HIDES_JOBS)
               || identity_is_kept_from(who, RM_HIDES_USAGE));
}

/* Of a sentence that tells instants its parts, and those as numbers in between. */
static void render_parts(json_t *o, const struct reason *why, const char *text)
{
    int64_t at;
    size_t len;
    const char *found = reason_find_instant(why, text, &at, &len);
    json_t *parts = found ? json_array() : NULL;

    for (; found; found = reason_find_instant(why, text, &at, &len)) {
        json_array_append_new(parts, json_stringn(text, (size_t)(found - text)));
        json_array_append_new(parts, json_integer(at));
        text = found + len;
    }
    if (parts && *text)
        json_array_append_new(parts, json_string(text));
    if (parts)
        json_object_set_new(o, "parts", parts);
}

json_t *render_reason(struct server *s, const struct job *j, const struct identity *who)
{
    struct reason why = *engine_why(s->engine, j);

    return render_reason_of(s, j, &why, who);
}

/* The reason is as the last cycle found it: the job that it names may have gone since,
 * and another may have its index. */
static struct reason settle_object(
    const struct cluster *c, const struct job *j, const struct reason *why)
{
    struct reason own = *why;
    bool known = why->object == j->index;

    if (why->code != WAIT_DEPENDENCY || why->object >= c->jobs.n)
        return own;
    for (size_t i = 0; j->extra && i < j->extra->deps.n && !known; i++) {
        const struct job *other = job_find(c, j->extra->deps.v[i].job_id);
        known = other && other->index == why->object;
    }
    if (!known)
        own.object = INDEX_NONE;
    return own;
}

json_t *render_reason_of(struct server *s, const struct job *j,
    const struct reason *found, const struct identity *who)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct reason own = settle_object(c, j, found), *why = &own;
    bool asks = false; /* it is told that it asks for a reservation */
    bool kept = tells_of_others(s, j, why, who);
    const char *kind, *name;
    char text[400];

    reason_format(c, why, text, sizeof text);
    if ((why->code == WAIT_STATE || why->code == WAIT_HOLD)
        && !say_hold(s, j, text, sizeof text) && (j->holds & HOLD_DEFER))
        reason_format_deferral(
            j, why, j->extra ? j->extra->hold_text : NULL, text, sizeof text);
    else if (why->code == WAIT_RESOURCES || why->code == WAIT_FEASIBLE)
        asks = obstacles_say_asked(c, j, text, sizeof text);
    if (kept && why->code == WAIT_FUNDS)
        reason_format_need(c, why, text, sizeof text);
    else if (kept)
        hide_usage(c, why, text, sizeof text);
    json_t *o =
        json_pack("{s:s, s:s}", "code", reason_code_name(why->code), "text", text);
    render_parts(o, why, text);
    if (kept)
        return o;
    if (asks)
        render_text(o, "reservation", j->extra->advres);
    if (reason_format_classic(c, j, why, LEVEL_HARD, text, sizeof text))
        render_text(o, "classic", text);
    if (why->code == WAIT_LIMIT)
        render_text(o, "level",
            why->same                  ? "both"
            : why->level == LEVEL_SOFT ? "soft"
                                       : "hard");
    if (why->same && reason_format_classic(c, j, why, LEVEL_SOFT, text, sizeof text))
        render_text(o, "classic_soft", text);
    render_amount(o, "limit", why, why->limit);
    render_amount(o, "used", why, why->used);
    render_amount(o, "asked", why, why->asked);
    if (why->until)
        render_instant(o, "until", why->until);
    if (reason_object(c, why, &kind, &name)) {
        render_text(o, "object_kind", kind);
        render_text(o, "object", name);
    }
    return o;
}

static const char *const hidden[] = {"name", "command", "directory", "output", "error",
    "efficiency", "exit_status", "hold_text", "messages", "dependencies", "funds",
    "deadline_at"};

bool render_hidden(const char *member)
{
    const struct attribute *a;

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (strcmp(hidden[i], member) == 0)
            return true;
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->hidden && strcmp(a->shown, member) == 0)
            return true;
    return false;
}

bool render_hides(
    const struct cluster *c, const struct job *j, const struct identity *who)
{
    return !identity_is(who, WHO_ADMIN3) && !identity_has_job(who, c, j);
}

void render_job_hide(
    const struct cluster *c, const struct job *j, const struct identity *who, json_t *o)
{
    const char *code =
        json_string_value(json_object_get(json_object_get(o, "reason"), "code"));
    const struct attribute *a;

    if (!render_hides(c, j, who))
        return;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        json_object_del(o, hidden[i]);
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->hidden)
            json_object_del(o, a->shown);
    if (code) /* the kind, not the numbers and names in the sentence */
        json_object_set_new(
            o, "reason", json_pack("{s:s, s:s}", "code", code, "text", code));
}

/* ---- the job in full ---- */

json_t *render_holds(unsigned kinds)
{
    static const struct {
        unsigned kind;
        const char *name;
    } all[] = {{HOLD_USER, "user"}, {HOLD_SYSTEM, "system"}, {HOLD_BATCH, "batch"},
        {HOLD_DEFER, "defer"}};
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (kinds & all[i].kind)
            json_array_append_new(list, json_string(all[i].name));
    return list;
}

static void add_list(json_t *o, const char *key, json_t *list)
{
    if (json_array_size(list))
        json_object_set(o, key, list);
    json_decref(list);
}

static void add_compare(json_t *o, const char *key, const struct cmp *cmp)
{
    static const char *const ops[] = {[CMP_LT] = "<",
        [CMP_LE] = "<=",
        [CMP_EQ] = "==",
        [CMP_GE] = ">=",
        [CMP_GT] = ">"};
    char text[40];

    if (cmp->op == CMP_NONE)
        return;
    snprintf(text, sizeof text, "%s%lld", ops[cmp->op], (long long)cmp->value);
    render_text(o, key, text);
}

static json_t *hosts(const struct cluster *c, const uint32_t *v, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(node_at(c, v[i])->name));
    return list;
}

static json_t *gres_amounts(const struct cluster *c, const struct gres_amounts *list)
{
    json_t *o = json_object();

    for (size_t i = 0; i < list->n; i++)
        render_int(o, names_text(c->gres, list->v[i].id), list->v[i].count);
    return o;
}

static void add_word(
    json_t *o, const char *key, const struct cfg_keyword *words, unsigned value)
{
    for (; words->name; words++)
        if (words->value == value)
            render_text(o, key, words->name);
}

/* A member of a request besides those it always has, where it has a value. */
static void add_member(json_t *o, const struct cluster *c,
    const struct req_attribute *a, const struct taskdef *d)
{
    const void *at = attribute_in(d, a->def_at);
    const struct ids *ids = at;
    const struct gres_amounts *amounts = at;
    const struct names *names =
        a->names_at ? *(struct names **)attribute_in(c, a->names_at) : NULL;

    if (a->type == ATTRIBUTE_NUMBER && !a->of_task && *(const int64_t *)at != 0)
        render_int(o, a->request, *(const int64_t *)at);
    else if (a->type == ATTRIBUTE_NAMES)
        render_names(o, a->request, names, ids->v, ids->n);
    else if (a->type == ATTRIBUTE_NODES)
        add_list(o, a->request, hosts(c, ids->v, ids->n));
    else if (a->type == ATTRIBUTE_AMOUNTS && amounts->n)
        json_object_set_new(o, a->request, gres_amounts(c, amounts));
    else if (a->type == ATTRIBUTE_TEXT && *(const uint32_t *)at != NAME_NONE)
        render_text(o, a->request, names_text(names, *(const uint32_t *)at));
    else if (a->type == ATTRIBUTE_COMPARISON)
        add_compare(o, a->request, at);
    else if (a->type == ATTRIBUTE_WORD)
        add_word(o, a->request, a->words, *(const unsigned *)at);
}

static json_t *request(const struct cluster *c, const struct req *r)
{
    const struct taskdef *d = r->def;
    const struct req_attribute *a;
    json_t *task = render_amounts(&d->per_task);
    json_t *o = json_pack("{s:I, s:I, s:I, s:o}", "tasks", (json_int_t)r->tasks,
        "nodes", (json_int_t)r->nodes, "tasks_per_node", (json_int_t)d->tpn, "per_task",
        task);

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++)
        if (a->request && a->def_at)
            add_member(a->of_task ? task : o, c, a, d);
    if (d->job_gres.n)
        json_object_set_new(o, "gres", gres_amounts(c, &d->job_gres));
    return o;
}

static json_t *flags(uint32_t bits)
{
    json_t *list = json_array();

    for (; bits; bits &= bits - 1)
        if (job_flag_name(bits))
            json_array_append_new(list, json_string(job_flag_name(bits)));
    return list;
}

static json_t *dependencies(const struct job *j)
{
    json_t *list = json_array();

    for (size_t i = 0; j->extra && i < j->extra->deps.n; i++) {
        const struct dep *d = &j->extra->deps.v[i];
        json_array_append_new(
            list, json_sprintf("%s:%s", jobattr_dep_word(d->type), d->job_id));
    }
    return list;
}

static void add_holds(json_t *o, const struct job *j)
{
    json_object_del(o, "holds"); /* where lists have both */
    add_list(o, "holds", render_holds(hold_shown(j)));
    add_list(o, "rm_holds", render_holds(j->rm_hold));
    if (j->hold_reason != REASON_NONE)
        render_text(
            o, "hold_reason", hold_reason_name((enum hold_reason)j->hold_reason));
    if (j->extra)
        render_text(o, "hold_text", j->extra->hold_text);
    if (j->holds & HOLD_DEFER)
        render_instant(
            o, j->retries ? "start_again_at" : "defer_until", j->defer_until);
    render_int(o, "defer_count", j->defer_count);
}

void render_promise(const struct server *s, const struct job *j, json_t *o)
{
    const char *why, *cause;
    int64_t was = engine_promised_before(s->engine, j, &why, &cause);

    if (engine_promised_by(s->engine, j))
        render_instant(o, "promised_by", engine_promised_by(s->engine, j));
    if (!was)
        return;
    render_instant(o, "was_promised_by", was);
    render_text(o, "put_off_by", why);
}

void render_expected(const struct server *s, const struct job *j, json_t *o)
{
    struct expected_start x = engine_expected(s->engine, j);

    if (!x.at)
        return;
    render_instant(o, "expected_at", x.at);
    if (!x.until)
        return;
    render_instant(o, "expected_from", x.from);
    render_instant(o, "expected_until", x.until);
}

static void add_history(
    json_t *o, const struct server *s, const struct job *j, int64_t now)
{
    int64_t until = job_is_active(j) && j->start_at ? j->start_at : now;
    int64_t waited = until > j->queue_at ? until - j->queue_at : 0;

    render_int(o, "eligible_s", j->accruing ? waited : j->eff_queue_s);
    render_int(o, "bypass", job_bypass(engine_cluster(s->engine), j));
    render_int(o, "start_count", j->start_count);
    render_int(o, "preempt_count", j->preempt_count);
    render_int(o, "suspended_s", j->suspended_s + render_pause(j, now));
    if (j->release_at)
        render_instant(o, "release_at", j->release_at);
    if (j->extra && j->extra->deadline_at)
        render_instant(o, "deadline_at", j->extra->deadline_at);
    render_promise(s, j, o);
    render_expected(s, j, o);
    const struct planned *planned = engine_reservation_of(s->engine, j);
    if (planned)
        render_instant(o, "reservation_end_at", engine_reserved_until(s->engine, j));
}

static void add_partitions(json_t *o, const struct cluster *c, const struct job *j)
{
    uint64_t all =
        c->partitions.n >= 64 ? UINT64_MAX : (UINT64_C(1) << c->partitions.n) - 1;
    json_t *list = json_array();

    for (size_t i = 0; (j->partitions & all) != all && i < c->partitions.n; i++)
        if (j->partitions >> i & 1)
            json_array_append_new(list, json_string(c->partitions.v[i]->name));
    if ((j->partitions & all) == 0) /* none that there is */
        json_object_set(o, "partitions", list);
    add_list(o, "partitions", list);
}

static void add_notes(json_t *o, const struct job_notes *n, const char *refused)
{
    render_text(o, "command", n->command);
    render_text(o, "directory", n->directory);
    render_text(o, "output", n->output);
    render_text(o, "error", n->error);
    if (n->cpu_s >= 0)
        render_real(o, "cpu_s", n->cpu_s);
    if (n->mem_mb >= 0)
        render_int(o, "mem_used_mb", n->mem_mb);
    if (n->swap_mb >= 0)
        render_int(o, "swap_used_mb", n->swap_mb);
    if (n->disk_mb >= 0)
        render_int(o, "disk_used_mb", n->disk_mb);
    json_t *messages = json_array();
    if (n->message)
        json_array_append_new(messages, render_utf8(n->message));
    if (refused)
        json_array_append_new(
            messages, json_sprintf("it was cancelled, and the resource manager "
                                   "does not end it: %s",
                          refused));
    if (n->limit_refused)
        json_array_append_new(messages, render_utf8(n->limit_refused));
    if (n->notes && *n->notes)
        json_array_append_new(messages, render_utf8(n->notes));
    add_list(o, "messages", messages);
}

/* On nodes that are not up; a piece is nodes in a row. */
static bool lost_a_node(const struct cluster *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++)
            if (!node_is_up(node_at(c, j->alloc.v[i].first + k)))
                return true;
    return false;
}

/* What an administrator should look at (commands.md, diagnose -j). */
static void add_warnings(json_t *o, struct server *s, const struct job *j)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *asked = c->creds[CRED_QOS].v[j->qos_asked]->name;
    const char *qos = job_cred(c, j, CRED_QOS)->name;
    json_t *list = json_array();

    if (job_is_active(j) && lost_a_node(c, j))
        json_array_append_new(list, json_string("it runs on a node that is down"));
    if (job_is_active(j) && j->end_at < world_now(s))
        json_array_append_new(list, json_string("it runs beyond its limit"));
    if (j->qos_asked && strcmp(asked, qos) != 0)
        json_array_append_new(
            list, json_sprintf("it asked for QOS %s and has %s", asked, qos));
    if (j->defer_count)
        json_array_append_new(
            list, json_sprintf("it was deferred %u time%s", (unsigned)j->defer_count,
                      j->defer_count == 1 ? "" : "s"));
    add_list(o, "warnings", list);
}

static void add_texts(json_t *o, const struct job *j)
{
    const struct attribute *a;

    for (size_t i = 0; j->extra && (a = attribute_at(i)) != NULL; i++)
        if (a->shown && a->extra_at)
            render_text(o, a->shown, *attribute_text(j->extra, a->extra_at));
}

/* Which quote it names; how short a limit it is content with, and how long the one is
 * that was shortened. */
static void add_limits(json_t *o, const struct job *j)
{
    if (j->extra && j->extra->quote)
        render_int(o, "quote", j->extra->quote);
    if (j->extra && j->extra->array_limit)
        render_int(o, "array_limit", j->extra->array_limit);
    if (j->extra && j->extra->min_wclimit_s)
        render_int(o, "min_wclimit_s", j->extra->min_wclimit_s);
    if (j->extra && j->extra->full_wclimit_s)
        render_duration(o, "full_wclimit_s", j->extra->full_wclimit_s);
    if (j->wclimit_learned)
        json_object_set_new(o, "wclimit_learned", json_true());
}

json_t *render_job(struct server *s, const struct job *j, const struct identity *who)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *o = render_job_brief(s, j, RENDER_ALL, who), *requests = json_array();

    if (render_section(j) == SECTION_ELIGIBLE || j->state == JOB_SUSPENDED)
        json_object_set_new(o, "reason", render_reason(s, j, who));
    render_int(o, "at", world_now(s));
    if (managers_several(s))
        render_text(o, "rm", manager_label(s, job_rm(j)));
    render_real(o, "pe", j->pe);
    add_limits(o, j);
    render_job_funds(s, j, who, o);
    if (j->user_priority)
        render_int(o, "user_priority", j->user_priority);
    if (j->fixed_priority)
        render_int(o, "fixed_priority", j->fixed_priority);
    if (j->tier)
        render_int(o, "tier", j->tier);
    if (j->qos_asked)
        render_text(o, "qos_asked", c->creds[CRED_QOS].v[j->qos_asked]->name);
    add_holds(o, j);
    add_history(o, s, j, world_now(s));
    add_warnings(o, s, j);
    add_list(o, "flags", flags(j->flags));
    add_partitions(o, c, j);
    for (uint32_t i = 0; i < j->nreqs; i++)
        json_array_append_new(requests, request(c, &j->reqs[i]));
    json_object_set_new(o, "requests", requests);
    if (j->alloc.n)
        json_object_set_new(o, "allocation", render_places(c, &j->alloc));
    add_list(o, "dependencies", dependencies(j));
    add_texts(o, j);
    add_notes(o, world_notes(s, j), manager_refused_cancel(s, j->id));
    return o;
}
