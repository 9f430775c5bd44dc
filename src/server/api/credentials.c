/* SPDX-License-Identifier: Apache-2.0
 * Users, groups, accounts, classes, QOSs: their settings and limits, and their
 * fairshare. */
#include "config/flags.h"
#include "config/settings.h"
#include "policy/fairshare.h"
#include "policy/limits_quota.h"
#include "policy/priority.h"
#include "server/api/api.h"
#include "server/api/credlimits.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* A plain target is off by more than this many percent (reference commands, -f). */
#define OFF_TARGET 5.0

/* ---- one credential ---- */

static void add_names(json_t *o, const char *key, const struct name_list *list)
{
    json_t *names = json_array();

    for (size_t i = 0; i < list->names.n; i++)
        json_array_append_new(names, json_string(list->names.v[i]));
    if (json_array_size(names))
        json_object_set(o, key, names);
    json_decref(names);
}

static json_t *words(uint32_t bits, const char *(*name)(uint32_t flag))
{
    json_t *list = json_array();

    for (; bits; bits &= bits - 1)
        if (name(bits))
            json_array_append_new(list, json_string(name(bits)));
    return list;
}

/* ---- what the resource manager limits ---- */

static bool is_listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Is it shown with that credential: is that what it is about? */
static bool is_about(const struct quota *q, const struct cred *k)
{
    switch (k->kind) {
    case CRED_USER:
        return q->user && strcmp(q->user, k->name) == 0;
    case CRED_ACCOUNT:
        return !q->user && is_listed(q->accounts, k->name);
    case CRED_CLASS:
        return !q->user && is_listed(q->classes, k->name);
    case CRED_QOS:
        return q->qos && strcmp(q->qos, k->name) == 0;
    case CRED_GROUP:
    case CRED_KINDS:
        break;
    }
    return false;
}

static json_t *quota_limits(const struct cluster *c, const struct quota *q, int64_t now)
{
    json_t *list = json_array();

    for (size_t i = 0; i < q->n; i++) {
        const struct quota_limit *m = &q->limits[i];
        json_t *o =
            json_pack("{s:s, s:I}", "limit", m->word, "most", (json_int_t)m->most);
        if (m->rule != QUOTA_JOB && q->per == QUOTA_PER_ALL)
            json_object_set_new(
                o, "used", json_integer(limits_quota_in_use(c, q, 0, m, now)));
        if (m->rule == QUOTA_JOB && m->res == LIMIT_JOB) {
            json_object_del(o, "most");
            render_bool(o, "used_up", m->most == 0);
        }
        render_text(o, "unit",
            m->by_time || m->res == LIMIT_PS || m->res == LIMIT_WC ? "s" : NULL);
        json_array_append_new(list, o);
    }
    return list;
}

static void add_quotas(
    json_t *o, const struct cluster *c, const struct cred *k, int64_t now)
{
    static const char *const each[QUOTA_PERS] = {
        [QUOTA_PER_USER] = "user", [QUOTA_PER_ACCOUNT] = "account"};
    json_t *list = json_array();

    for (size_t i = 0; c->quotas && i < c->quotas->n; i++) {
        const struct quota *q = &c->quotas->v[i];
        if (!is_about(q, k))
            continue;
        json_t *one = json_pack("{s:s, s:s, s:o}", "name", q->name, "source",
            c->quotas->source, "limits", quota_limits(c, q, now));
        render_text(one, "each", each[q->per]);
        json_array_append_new(list, one);
    }
    if (json_array_size(list))
        json_object_set(o, "manager_limits", list);
    json_decref(list);
}

static const char *modifier(enum fs_target_type type)
{
    static const char *const marks[] = {[FS_TARGET_NONE] = "",
        [FS_TARGET_PLAIN] = "",
        [FS_TARGET_FLOOR] = "+",
        [FS_TARGET_CEILING] = "-",
        [FS_TARGET_ABS_CAP] = "^",
        [FS_TARGET_REL_CAP] = "%"};

    return marks[type];
}

static void add_qos(json_t *o, const struct cred_cfg *cfg)
{
    json_object_set_new(o, "weights",
        json_pack("{s:f, s:f, s:f, s:f}", "QTWEIGHT", cfg->qt_weight, "QTTARGET",
            (double)cfg->qt_target_s, "XFWEIGHT", cfg->xf_weight, "XFTARGET",
            cfg->xf_target));
    json_t *flags = words(cfg->qos_flags, qos_flag_name);
    json_array_extend(json_object_get(o, "flags"), flags);
    json_decref(flags);
}

static bool has_name(const struct name_list *list, const char *name)
{
    for (size_t i = 0; i < list->names.n; i++)
        if (strcmp(list->names.v[i], name) == 0)
            return true;
    return false;
}

/* What a credential says of accounts or QOS: a list, and the first of them. */
struct letting {
    const struct name_list *list;
    const char *first;
};

static struct letting letting_of(const struct cred_cfg *cfg, enum cred_kind to)
{
    return to == CRED_QOS ? (struct letting){&cfg->qlist, cfg->qdef}
                          : (struct letting){&cfg->alist, cfg->adef};
}

/* By its list, or as it begins there. DEFAULT stands for all that have neither. */
static bool is_let_in(const struct cred *k, enum cred_kind to, const char *name)
{
    struct letting own = letting_of(k->cfg, to), all = letting_of(k->def, to);

    if (k->index > 0 && !own.list->set && !own.first)
        return false;
    const char *first = own.first ? own.first : all.first;

    return has_name(own.list->set ? own.list : all.list, name)
           || (first && strcmp(first, name) == 0);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Accounts are given by users and groups, and to jobs that ask for a QOS by its ADEF
 * (policy/access.c); a QOS by all but QOS. */
static bool gives_access(const struct cred *k, const struct cred *to)
{
    if (to->kind == CRED_ACCOUNT && k->kind == CRED_QOS)
        return k->index > 0 && k->cfg->adef && strcmp(k->cfg->adef, to->name) == 0;
    if (to->kind == CRED_ACCOUNT && k->kind != CRED_USER && k->kind != CRED_GROUP)
        return false;
    return k->kind != CRED_QOS && is_let_in(k, to->kind, to->name);
}

/* Who is let in to the QOS or account, by name within each kind: "user:ann". */
static void add_members(json_t *o, const struct cluster *c, const struct cred *to)
{
    json_t *list = json_array();
    struct VEC(const char *) names = {0};

    for (int kind = 0; kind < CRED_KINDS; kind++) {
        names.n = 0;
        for (size_t i = 0; i < c->creds[kind].n; i++)
            if (gives_access(c->creds[kind].v[i], to))
                vec_push(&names, c->creds[kind].v[i]->name);
        if (names.n)
            qsort(names.v, names.n, sizeof *names.v, compare_names);
        for (size_t i = 0; i < names.n; i++)
            json_array_append_new(
                list, json_sprintf(
                          "%s:%s", render_cred_key((enum cred_kind)kind), names.v[i]));
    }
    vec_fini(&names);
    if (json_array_size(list))
        json_object_set(o, "members", list);
    json_decref(list);
}

static json_t *render_credential(
    struct server *s, const struct cred *k, const struct credlimits_held *held)
{
    static const char *const modes[] = {
        [LIST_OR] = "or", [LIST_AND] = "and", [LIST_ONLY] = "excluded"};
    const struct cluster *c = engine_cluster(s->engine);
    const struct cred_cfg *own = k->cfg, *def = k->def;
    const struct name_list *qlist = own->qlist.set ? &own->qlist : &def->qlist;
    const struct name_list *plist = own->plist.set ? &own->plist : &def->plist;
    struct fs_target target = fs_target_of(k);
    json_t *o = json_pack("{s:s, s:s, s:I, s:o}", "kind", render_cred_key(k->kind),
        "name", k->name, "priority",
        (json_int_t)(own->priority ? own->priority : def->priority), "flags",
        words(own->job_flags | def->job_flags, job_flag_name));

    render_text(o, "account_default", own->adef ? own->adef : def->adef);
    add_names(o, "account_list", own->alist.set ? &own->alist : &def->alist);
    render_text(o, "qos_default", own->qdef ? own->qdef : def->qdef);
    add_names(o, "qos_list", qlist);
    render_text(o, "qos_list_mode", modes[qlist->mode]);
    render_text(o, "partition_default", own->pdef ? own->pdef : def->pdef);
    add_names(o, "partition_list", plist);
    if (plist->set)
        render_text(o, "partition_list_mode", modes[plist->mode]);
    json_object_set_new(
        o, "fs_target", json_sprintf("%.2f%s", target.value, modifier(target.type)));
    render_real(o, "fs_usage", fs_share(c, k));
    credlimits_add(s, k, held, o);
    add_quotas(o, c, k, world_now(s));
    if (k->kind == CRED_QOS)
        add_qos(o, own);
    if (k->kind == CRED_QOS || k->kind == CRED_ACCOUNT)
        add_members(o, c, k);
    if (k->kind == CRED_CLASS)
        render_bool(o, "enabled", k->enabled);
    return o;
}

json_t *api_system_credential(struct server *s)
{
    const struct cred_cfg *sys = &engine_cluster(s->engine)->cfg->sys;
    json_t *o = json_pack("{s:o}", "flags", words(sys->job_flags, job_flag_name));

    render_text(o, "qos_default", sys->qdef);
    add_names(o, "qos_list", &sys->qlist);
    render_text(o, "partition_default", sys->pdef);
    add_names(o, "partition_list", &sys->plist);
    return o;
}

/* ---- lists of them ---- */

struct credential_list {
    enum cred_kind kind;
    char *only; /* NULL = all */
    struct credlimits_held *held;
};

static json_t *credential_record(struct server *s, void *ctx, size_t i)
{
    const struct credential_list *l = ctx;
    const struct cluster *c = engine_cluster(s->engine);
    const struct cred *k = i < c->creds[l->kind].n ? c->creds[l->kind].v[i] : NULL;

    if (!k || (l->only && strcmp(l->only, k->name) != 0))
        return NULL;
    json_t *o = render_credential(s, k, l->held);
    if (l->kind == CRED_ACCOUNT)
        render_account_funds(s, k->name, o);
    return o;
}

static void credential_list_free(void *ctx)
{
    struct credential_list *l = ctx;

    credlimits_held_free(l->held);
    free(l->only);
    free(l);
}

static int kind_of(const char *text, enum cred_kind *ret, struct err *err)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (strcmp(text, render_cred_key((enum cred_kind)kind)) == 0) {
            *ret = (enum cred_kind)kind;
            return 0;
        }
    return err_set(err, ERR_NOT_FOUND,
        "'%.40s' is not one of user, group, account, class, qos", text);
}

/* Users without a level are told of themselves alone: nothing, as long as no job and no
 * line names them. */
static bool refuses_others(const struct identity *who, enum cred_kind kind,
    const char **io_name, struct err *err)
{
    if (identity_is(who, WHO_ADMIN3))
        return false;
    if (kind != CRED_USER || (*io_name && **io_name && !identity_owns(who, *io_name))) {
        identity_deny(who, "diagnose", err);
        return true;
    }
    *io_name = who->user;
    return false;
}

void api_credentials(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct identity *who = request_who(r);
    const char *name = request_query(r, "name");
    enum cred_kind kind = CRED_USER;
    struct err err;

    if (kind_of(request_param(r, "kind"), &kind, &err) < 0
        || refuses_others(who, kind, &name, &err)
        || (identity_is(who, WHO_ADMIN3) && name && *name && !cred_find(c, kind, name)
            && cred_missing(c, kind, name, &err) < 0)) {
        request_refuse(r, &err);
        return;
    }
    struct credential_list *l = xcalloc(1, sizeof *l);
    l->kind = kind;
    l->only = name && *name ? xstrdup(name) : NULL;
    l->held = credlimits_held_new(c, kind);
    stream_records(s, r, c->creds[kind].n, credential_record, l, credential_list_free);
}

/* ---- fairshare ---- */

static bool off_target(struct fs_target t, double share)
{
    switch (t.type) {
    case FS_TARGET_NONE:
    case FS_TARGET_ABS_CAP: /* not a share */
        return false;
    case FS_TARGET_PLAIN:
        return share > t.value + OFF_TARGET || share < t.value - OFF_TARGET;
    case FS_TARGET_FLOOR:
        return share < t.value;
    case FS_TARGET_CEILING:
    case FS_TARGET_REL_CAP:
        break;
    }
    return share > t.value;
}

/* Jobs that a cap keeps back, by index of the credential. */
struct capped VEC(uint32_t);

static void count_capped(const struct cluster *c, struct capped of[CRED_KINDS])
{
    for (int k = 0; k < CRED_KINDS; k++)
        vec_push_zeros(&of[k], c->creds[k].n);
    for (size_t i = 0; i < c->queued.n; i++) {
        const struct job *j = queue_at(c, i);
        if (j && j->why.code == WAIT_FS_CAP && j->why.kind < CRED_KINDS
            && j->why.object < of[j->why.kind].n)
            of[j->why.kind].v[j->why.object]++;
    }
}

static json_t *list_shares(const struct cluster *c, const struct cred *k,
    uint32_t windows, const struct capped *capped)
{
    struct fs_target t = fs_target_of(k);
    json_t *list = json_array();

    for (uint32_t i = 0; i < windows; i++) {
        double used = fs_window(c, &k->fs, i), total = fs_window(c, &c->fs_total, i);
        json_array_append_new(
            list, used > 0 && total > 0 ? json_real(100 * used / total) : json_null());
    }
    json_t *o =
        json_pack("{s:s, s:s, s:f, s:s, s:b, s:o}", "kind", render_cred_key(k->kind),
            "name", k->name, "percent", fs_share(c, k), "modifier", modifier(t.type),
            "off_target", off_target(t, fs_share(c, k)), "windows", list);
    render_real(o, "points", prio_fs_of(c, k));
    render_int(o, "held", capped->v[k->index]);
    if (t.type == FS_TARGET_NONE)
        json_object_set_new(o, "target", json_null());
    else
        render_real(o, "target", t.value);
    return o;
}

/* Windows with usage in them: those behind the last are not shown. */
static uint32_t windows_used(const struct cluster *c)
{
    uint32_t used = 1, depth = (uint32_t)c->cfg->fs.depth;

    for (uint32_t i = 0; i < depth && i < FS_DEPTH_MAX; i++)
        if (fs_window(c, &c->fs_total, i) > 0)
            used = i + 1;
    return used;
}

void api_fairshare(struct server *s, struct request *r)
{
    static const char *const policies[] = {
        "[NONE]", "DEDICATEDPS", "DEDICATEDPES", "UTILIZEDPS"};
    const struct cluster *c = engine_cluster(s->engine);
    const struct fs_settings *fs = &c->cfg->fs;
    const char *only = request_query(r, "kind");
    json_t *weights = json_array(), *totals = json_array(), *list = json_array();
    uint32_t windows = windows_used(c);
    double weight = 1;
    enum cred_kind kind = CRED_USER;
    struct capped capped[CRED_KINDS] = {0};
    struct err err;

    if (only && *only && kind_of(only, &kind, &err) < 0) {
        request_refuse(r, &err);
        goto out;
    }
    count_capped(c, capped);
    for (uint32_t i = 0; i < windows; i++, weight *= fs->decay) {
        json_array_append_new(weights, json_real(weight));
        json_array_append_new(totals, json_real(fs_window(c, &c->fs_total, i)));
    }
    for (int i = 0; i < CRED_KINDS; i++)
        for (size_t k = 1; (!only || !*only || i == (int)kind) && k < c->creds[i].n;
             k++)
            json_array_append_new(
                list, list_shares(c, c->creds[i].v[k], windows, &capped[i]));
    request_reply_json(
        r, json_pack("{s:s, s:I, s:I, s:f, s:O, s:O, s:f, s:O}", "policy",
               policies[fs->policy], "depth", (json_int_t)fs->depth, "interval_s",
               (json_int_t)fs->interval_s, "decay", fs->decay, "weights", weights,
               "totals_ps", totals, "target", 0.0, "credentials", list));
out:
    for (int i = 0; i < CRED_KINDS; i++)
        vec_fini(&capped[i]);
    json_decref(weights);
    json_decref(totals);
    json_decref(list);
}
