/* SPDX-License-Identifier: Apache-2.0
 * Fairshare and standing reservations, kept over restarts. */
#include "server/durable/usage.h"

#include "base/home.h"
#include "config/settings.h"
#include "records/jsontext.h"
#include "records/rsvjson.h"
#include "server/durable/oldusage.h"
#include "server/server_private.h"
#include "server/whole.h"

/* Who uses something all the time is written down now and then: reservations that lie
 * idle are not charged for the time since. */
#define EVERY_S 60

/* An instance of a standing reservation that has a record. */
struct kept_instance {
    char *name;
    bool wanted;
    uint64_t stamp; /* of what was written */
};

struct usage_keep {
    struct VEC(struct kept_instance) instances;
    uint64_t epoch; /* of the reservations that were looked at */
    int64_t at;     /* what active jobs use was written */
};

void usage_open(struct server *s)
{
    s->kept.usage = xcalloc(1, sizeof *s->kept.usage);
}

/* ---- fairshare: {"at": 1764, "windows": [w0, w1 ...]} ---- */

static void save_usage(void *ctx, const struct fs_memory *m)
{
    struct server *s = ctx;
    json_t *windows = json_array();
    struct strbuf key = {0};

    for (uint32_t i = 0; i < m->n; i++)
        json_array_append_new(windows, put_real_of(m->window[i]));
    if (m->name)
        strbuf_printf(&key, "%s:%s", cred_kind_name(m->kind), m->name);
    else
        strbuf_add(&key, "all");
    json_t *o = json_pack("{s:I, s:o}", "at", (json_int_t)m->at, "windows", windows);
    char *text = jsontext(o), *name = strbuf_take(&key);
    unsaved_put(s->unsaved, "fairshare", name, text);
    free(name);
    free(text);
    json_decref(o);
}

static void save_fairshare(struct server *s)
{
    struct cluster *c = engine_cluster(s->engine);

    if (world_now(s) >= s->kept.usage->at + EVERY_S) {
        fsmemory_touch_active(c);
        s->kept.usage->at = world_now(s);
    }
    fsmemory_each(c, false, world_now(s), s, save_usage);
    fsmemory_saved(c);
}

struct found {
    struct VEC(struct fs_memory) rows;
    struct VEC(char *) names;
};

/* "user:ann", or "all". */
static bool read_key(const char *key, struct found *f, struct fs_memory *ret)
{
    const char *colon = strchr(key, ':');

    ret->kind = CRED_KINDS;
    if (strcmp(key, "all") == 0)
        return true;
    for (int k = 0; colon && k < CRED_KINDS; k++) {
        const char *word = cred_kind_name((enum cred_kind)k);
        if (strncmp(key, word, (size_t)(colon - key)) == 0 && !word[colon - key])
            ret->kind = (enum cred_kind)k;
    }
    if (ret->kind == CRED_KINDS)
        return false;
    vec_push(&f->names, xstrdup(colon + 1));
    ret->name = f->names.v[f->names.n - 1];
    return true;
}

static int find_usage(void *ctx, const char *key, const char *value)
{
    struct found *f = ctx;
    json_t *o = json_loads(value, 0, NULL), *entry;
    struct fs_memory m = {.at = json_integer_value(json_object_get(o, "at"))};
    size_t i;

    json_array_foreach(json_object_get(o, "windows"), i, entry)
    {
        if (m.n < FS_DEPTH_MAX)
            m.window[m.n++] = json_number_value(entry);
    }
    if (m.at > 0 && read_key(key, f, &m))
        vec_push(&f->rows, m);
    json_decref(o);
    return 0;
}

/* ---- usage of before ---- */

/* "yes": files of a classic Maui are there, and what they say is still to be added to
 * what was used since: they could not be read, or fairshare was off. */
#define OLD_KIND "oldusage"
#define OLD_KEY  "wanted"

static bool is_old_wanted(struct server *s)
{
    char *text = NULL;
    struct err err;

    if (store_get(s->store, OLD_KIND, OLD_KEY, &text, &err) < 0)
        log_line(s->log, LOG_ALERT, "fairshare: %s", err.text);
    bool wanted = text && *text;
    free(text);
    return wanted;
}

static void want_old(struct server *s, bool wanted)
{
    if (wanted != is_old_wanted(s))
        unsaved_put(s->unsaved, OLD_KIND, OLD_KEY, wanted ? "yes" : "");
}

/* Owned by the caller. */
static char *old_folder(const struct server *s)
{
    const char *dir = s->config->settings->daemon.stat_dir;

    return *dir == '/' ? xstrdup(dir) : home_file(s->paths.home, dir);
}

static void read_old(struct server *s, const char *folder, struct oldusage *ret)
{
    const struct settings *cfg = s->config->settings;

    oldusage_read(
        ret, folder, cfg->fs.interval_s, (uint32_t)cfg->fs.depth, world_now(s));
}

static void tell_old(struct server *s, const char *folder, const struct oldusage *old)
{
    for (size_t i = 0; i < old->faults.n; i++)
        log_line(s->log, LOG_ALERT, "fairshare: usage of before: %s", old->faults.v[i]);
    if (old->faults.n)
        log_line(s->log, LOG_ALERT,
            "fairshare: no usage of before is taken over while one of its files cannot "
            "be read; make them readable (or remove them) and start again");
    if (old->others)
        log_line(s->log, LOG_ALERT,
            "fairshare: %s has files FS.*, but of none of the last FSDEPTH intervals "
            "of this FSINTERVAL; no usage of before is taken over",
            folder);
    if (old->names_refused)
        log_line(s->log, LOG_WARNING,
            "fairshare: usage of before: %u lines are of names that nobody can have",
            old->names_refused);
}

/* Without fairshare they wait until there is some. */
static void leave_old(struct server *s)
{
    struct oldusage old;
    char *folder = old_folder(s);

    read_old(s, folder, &old);
    if (old.rows.n || old.faults.n)
        want_old(s, true);
    oldusage_fini(&old);
    free(folder);
}

/* A home that a classic Maui had before: its files say what was used. Once: from then
 * on the state does. -1: they could not be; else how many windows. */
static int take_over_usage(struct server *s)
{
    struct oldusage old;
    struct err err;
    char *folder = old_folder(s);

    read_old(s, folder, &old);
    tell_old(s, folder, &old);
    struct event ev = {
        .kind = EVENT_FAIRSHARE, .u.fairshare = {.rows = old.rows.v, .n = old.rows.n}};
    int taken = old.faults.n ? -1 : old.rows.n ? (int)old.files : 0;
    if (taken > 0 && world_apply(s, &ev, NULL, &err) < 0) {
        log_line(s->log, LOG_ALERT, "fairshare: %s", err.text);
        taken = -1;
    }
    oldusage_fini(&old);
    free(folder);
    return taken;
}

/* What was used by the state; false: it does not fit any more. */
static bool recall_rows(struct server *s, const struct found *f)
{
    struct event ev = {
        .kind = EVENT_FAIRSHARE, .u.fairshare = {.rows = f->rows.v, .n = f->rows.n}};
    struct err err;

    if (!f->rows.n || world_apply(s, &ev, NULL, &err) == 0)
        return true;
    log_line(s->log, LOG_ALERT, "fairshare: %s", err.text);
    return false;
}

void usage_recall_fairshare(struct server *s)
{
    bool counts = s->config->settings->fs.policy != FS_OFF;
    struct found f = {0};
    struct err err;
    int taken = 0;

    bool known = store_each(s->store, "fairshare", find_usage, &f, &err) == 0;
    if (!known)
        log_line(s->log, LOG_ALERT, "fairshare: %s", err.text);
    bool old = known && !s->simulation && (!f.rows.n || is_old_wanted(s));
    if (old && counts)
        taken = take_over_usage(s); /* first: the state knows until when */
    else if (old)
        leave_old(s);
    bool good = recall_rows(s, &f);
    if (old && counts)
        want_old(s, taken < 0 || (taken > 0 && !good));
    if (taken > 0 && good) {
        fsmemory_each(engine_cluster(s->engine), true, world_now(s), s, save_usage);
        log_line(s->log, LOG_ACTION,
            "fairshare: usage of %d windows taken over from the files FS.* of STATDIR",
            taken);
    }
    for (size_t i = 0; i < f.names.n; i++)
        free(f.names.v[i]);
    vec_fini(&f.names);
    vec_fini(&f.rows);
}

/* ---- standing reservations ---- */

/* Raised by everything of it that must not be forgotten. */
static uint64_t stamp_of(const struct reservation *r)
{
    uint64_t fired = 0;

    for (size_t i = 0; i < r->triggers.n; i++)
        fired += r->triggers.v[i].fired;
    return (r->changed * 64 + fired) * RSV_STATES + r->state;
}

static void save_instance(struct server *s, const struct reservation *r)
{
    struct job_places places = {0};
    struct rsv_memory m =
        rsvmemory_of(engine_cluster(s->engine), r, world_now(s), &places);
    json_t *o = rsvjson_instance(&m);
    char *text = jsontext(o);

    unsaved_put(s->unsaved, "standing", r->name, text);
    free(text);
    json_decref(o);
    vec_fini(&places);
}

static struct kept_instance *find_kept(struct server *s, const char *name)
{
    for (size_t i = 0; i < s->kept.usage->instances.n; i++)
        if (strcmp(s->kept.usage->instances.v[i].name, name) == 0)
            return &s->kept.usage->instances.v[i];
    vec_push(
        &s->kept.usage->instances, ((struct kept_instance){.name = xstrdup(name)}));
    return &s->kept.usage->instances.v[s->kept.usage->instances.n - 1];
}

/* Stamps tell changes of reservations, not the time: what lies idle or is used is
 * written with the next one. */
static uint64_t epoch_of(const struct cluster *c)
{
    uint64_t sum = c->rsv_epoch;

    for (size_t i = 0; i < c->reservations.n; i++)
        if (c->reservations.v[i])
            sum += stamp_of(c->reservations.v[i]);
    return sum;
}

static void save_standing(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    uint64_t epoch = epoch_of(c);

    if (epoch == s->kept.usage->epoch)
        return;
    s->kept.usage->epoch = epoch;
    for (size_t i = 0; i < s->kept.usage->instances.n; i++)
        s->kept.usage->instances.v[i].wanted = false;
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (!r || !rsvmemory_wanted(r))
            continue;
        struct kept_instance *k = find_kept(s, r->name);
        k->wanted = true;
        if (k->stamp != stamp_of(r))
            save_instance(s, r);
        k->stamp = stamp_of(r);
    }
    for (size_t i = s->kept.usage->instances.n; i-- > 0;) {
        struct kept_instance *k = &s->kept.usage->instances.v[i];
        if (k->wanted)
            continue;
        unsaved_delete(s->unsaved, "standing", k->name);
        free(k->name);
        vec_remove(&s->kept.usage->instances, i);
    }
}

static void recall_instance(struct server *s, json_t *o)
{
    struct err err = {0};
    struct reader r = {.name = "a standing reservation", .err = &err};
    struct trigger_list triggers = {0};
    struct rsv_memory m;
    struct event ev = {.kind = EVENT_INSTANCE, .u.instance = &m};

    rsvjson_read_instance(&r, o, &triggers, &m);
    if (r.failed || world_apply(s, &ev, NULL, &err) < 0)
        log_line(s->log, LOG_WARNING, "%s", err.text);
    triggertext_fini(&triggers);
    reader_close(&r);
}

static int collect(void *ctx, const char *key, const char *value)
{
    json_t *list = ctx, *o = json_loads(value, 0, NULL);

    (void)key;
    if (o)
        json_array_append_new(list, o);
    return 0;
}

void usage_recall_standing(struct server *s)
{
    json_t *list = json_array(), *o;
    struct err err;
    size_t i;

    if (store_each(s->store, "standing", collect, list, &err) < 0)
        log_line(s->log, LOG_ALERT, "standing reservations: %s", err.text);
    s->kept.usage->epoch = UINT64_MAX; /* look at all of them */
    json_array_foreach(list, i, o)
    {
        const char *name = json_string_value(json_object_get(o, "name"));
        if (name)
            find_kept(s, name); /* those that do not come back are forgotten */
        recall_instance(s, o);
    }
    json_decref(list);
}

/* ---- when ---- */

void usage_look(struct server *s)
{
    if (epoch_of(engine_cluster(s->engine)) != s->kept.usage->epoch)
        commit_want(s);
}

void usage_save(struct server *s)
{
    save_fairshare(s);
    if (whole_is_restored(s))
        save_standing(s);
}

void usage_close(struct server *s)
{
    for (size_t i = 0; i < s->kept.usage->instances.n; i++)
        free(s->kept.usage->instances.v[i].name);
    vec_fini(&s->kept.usage->instances);
    free(s->kept.usage);
    s->kept.usage = NULL;
}
