/* SPDX-License-Identifier: Apache-2.0
 * What is different since a revision, as it comes about. */
#include "server/api/api.h"
#include "server/api/readers.h"
#include "server/events/feed.h"
#include "server/render/render.h"
#include "server/server_private.h"

#define BLOCK 50 /* records a turn */

struct follower {
    struct server *s;
    struct reading reading;
    struct identity who;
    uint64_t since, plan;
    unsigned kinds; /* 1 << enum feed_kind */
    bool begun, follow;
    int64_t told_at;
};

static void add_line(struct strbuf *out, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);

    strbuf_add(out, text);
    strbuf_add(out, "\n");
    free(text);
    json_decref(o);
}

/* Up to where it was told. */
static void add_end(struct follower *f, struct strbuf *out)
{
    f->plan = feed_plan(f->s);
    f->told_at = world_now(f->s);
    add_line(
        out, json_pack("{s:I, s:I, s:I, s:I}", "revision", (json_int_t)f->since, "at",
                 (json_int_t)f->told_at, "cycle", (json_int_t)f->s->control.iteration,
                 "plan", (json_int_t)f->plan));
}

/* NULL: it is gone. *ret_seen: may the caller know that there is such a job? */
static json_t *render_changed_job(struct follower *f, const char *id, bool *ret_seen)
{
    const struct cluster *c = engine_cluster(f->s->engine);
    const struct job *j = job_find(c, id);

    if (!j || j->state >= JOB_COMPLETED) {
        *ret_seen = !identity_is_kept_from(&f->who, RM_HIDES_JOBS);
        return NULL;
    }
    *ret_seen = identity_sees_job(&f->who, c, j);
    json_t *o = render_job_brief(f->s, j, RENDER_ALL, &f->who);
    render_job_hide(c, j, &f->who, o);
    return o;
}

static json_t *render_changed_node(struct follower *f, const char *id, bool *ret_seen)
{
    const struct node *n = node_find(engine_cluster(f->s->engine), id);

    *ret_seen = identity_is(&f->who, WHO_ADMIN3);
    return n ? render_node(f->s, n) : NULL;
}

static json_t *render_changed_rsv(struct follower *f, const char *id, bool *ret_seen)
{
    const struct cluster *c = engine_cluster(f->s->engine);
    const struct reservation *r = reservation_find(c, id);

    if (!r || !reservation_is_live(r)) {
        *ret_seen = identity_is(&f->who, WHO_ADMIN3);
        return NULL;
    }
    *ret_seen = identity_sees(&f->who, c, r);
    return render_reservation(f->s, r);
}

/* A line of its own; what the caller may not know of has no name where it went, and is
 * not told where it is. */
static void add_change(
    struct follower *f, const struct feed_change *c, struct strbuf *out)
{
    static json_t *(*const render[FEED_KINDS])(
        struct follower *, const char *, bool *) = {[FEED_JOB] = render_changed_job,
        [FEED_NODE] = render_changed_node,
        [FEED_RESERVATION] = render_changed_rsv};
    bool seen;
    json_t *record = render[c->kind](f, c->id, &seen);
    json_t *o;

    if (record && !seen) {
        json_decref(record);
        return;
    }
    o = json_pack("{s:s}", "kind", feed_kind_name(c->kind));
    if (seen)
        json_object_set_new(o, "id", render_utf8(c->id));
    if (record)
        json_object_set_new(o, feed_kind_name(c->kind), record);
    else
        json_object_set_new(o, "gone", json_true());
    add_line(out, o);
}

/* The caller's rights may be others by now: then what was told is not what is to be. */
static bool has_other_rights(struct follower *f)
{
    int level = f->who.level;
    unsigned hidden = f->who.hidden;

    identity_set_level(&f->who, f->s->config, f->s->api.rights);
    return f->who.level != level || f->who.hidden != hidden;
}

/* What it has is too old to be brought up to date. */
static void add_reset(struct follower *f, struct strbuf *out)
{
    f->since = feed_revision(f->s);
    add_line(out, json_pack("{s:s, s:s}", "event", "RESET", "text",
                      "changes since then cannot be told: ask for the lists again"));
}

static bool tell_more(void *ctx, struct strbuf *out)
{
    struct follower *f = ctx;
    struct feed_change some[BLOCK];

    if (f->reading.over)
        return false;
    if (has_other_rights(f) || !feed_reaches(f->s, f->since))
        add_reset(f, out);
    size_t n = feed_since(f->s, f->since, some, BLOCK);
    for (size_t i = 0; i < n; i++)
        if (f->kinds >> some[i].kind & 1)
            add_change(f, &some[i], out);
    f->since = n == BLOCK ? some[n - 1].revision : feed_revision(f->s);
    bool quiet = f->begun && n < BLOCK && !out->len && f->plan == feed_plan(f->s);
    if (!quiet || world_now(f->s) >= f->told_at + READERS_ALIVE_S)
        add_end(f, out);
    f->begun = true;
    return f->follow || f->since < feed_revision(f->s);
}

static void wake_followers(struct server *s)
{
    http_wake(s->api.http);
}

static void free_follower(void *ctx)
{
    struct follower *f = ctx;

    feed_leave(f->s);
    readers_leave(f->s, &f->reading);
    free(f);
}

static int read_kinds(const char *text, unsigned *ret, struct err *err)
{
    *ret = text && *text ? 0 : ~0u;
    for (const char *p = text; p && *p;) {
        size_t n = strcspn(p, ",");
        int k = 0;
        while (k < FEED_KINDS
               && (strlen(feed_kind_name((enum feed_kind)k)) != n
                   || strncmp(feed_kind_name((enum feed_kind)k), p, n) != 0))
            k++;
        if (k == FEED_KINDS)
            return err_set(err, ERR_INVALID,
                "kinds: expected of job, node, reservation, got '%.*s'", (int)n, p);
        *ret |= 1u << k;
        p += n + (p[n] == ',');
    }
    return 0;
}

void api_changes(struct server *s, struct request *r)
{
    struct follower *f = xcalloc(1, sizeof *f);
    int64_t since, follow;
    struct err err;

    *f = (struct follower){.s = s, .who = *request_who(r)};
    if (request_query_int(r, "since", (int64_t)feed_revision(s), &since, &err) < 0
        || request_query_int(r, "follow", 1, &follow, &err) < 0
        || read_kinds(request_query(r, "kinds"), &f->kinds, &err) < 0
        || feed_join(s, wake_followers, &err) < 0) {
        free(f);
        request_refuse(r, &err);
        return;
    }
    if (readers_join(s, r, &f->reading) < 0) {
        feed_leave(s);
        free(f);
        return;
    }
    f->since = since < 0 ? 0 : (uint64_t)since;
    f->follow = follow != 0;
    request_reply_stream(r, "application/x-ndjson",
        &(struct request_stream){
            .more = tell_more, .done = free_follower, .ctx = f, .live = f->follow});
}
