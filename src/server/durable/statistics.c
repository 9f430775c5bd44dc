/* SPDX-License-Identifier: Apache-2.0
 * Statistics of record as records of the store. */
#define LOG_FACILITY FACILITY_STAT
#include "server/durable/statistics.h"

#include "records/jsontext.h"
#include "records/reader.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stddef.h>

#define KIND "statistics"

static const struct member {
    const char *name;
    bool real;
    size_t at; /* in struct stat_record */
} members[] = {
#define WHOLE(field)                                                                   \
    {                                                                                  \
#field, false, offsetof(struct stat_record, field)                             \
    }
#define REAL(field)                                                                    \
    {                                                                                  \
#field, true, offsetof(struct stat_record, field)                              \
    }
    WHOLE(procs),
    WHOLE(time_s),
    WHOLE(at),
    WHOLE(since),
    WHOLE(procs_up),
    WHOLE(mem_up),
    WHOLE(watched_s),
    REAL(ps_available),
    REAL(mem_available),
    REAL(backlog_ps),
    REAL(backlog_area),
    REAL(least_use),
    WHOLE(least_use_cycle),
    WHOLE(promises.made),
    WHOLE(promises.kept),
    WHOLE(promises.lapsed),
    WHOLE(promises.broken[1]),
    WHOLE(promises.broken[2]),
    WHOLE(promises.broken[3]),
    WHOLE(promises.broken[4]),
    WHOLE(promises.broken[5]),
    WHOLE(promises.broken[6]),
    WHOLE(promises.broken[7]),
    WHOLE(sums.jobs),
    WHOLE(sums.successful),
    WHOLE(sums.procs),
    WHOLE(sums.queue_s),
    WHOLE(sums.max_queue_s),
    WHOLE(sums.bypass),
    WHOLE(sums.max_bypass),
    WHOLE(sums.qos_met),
    WHOLE(sums.backfilled),
    REAL(sums.ps_requested),
    REAL(sums.ps_run),
    REAL(sums.ps_utilized),
    REAL(sums.ps_measured),
    REAL(sums.ps_backfilled),
    REAL(sums.xfactor),
    REAL(sums.xfactor_procs),
    REAL(sums.xfactor_ps),
    REAL(sums.max_xfactor),
    REAL(sums.accuracy),
    REAL(sums.accuracy_ps),
    REAL(sums.ps_dedicated),
    REAL(sums.mem_dedicated),
    WHOLE(sums.preempted),
    REAL(sums.ps_preempted),
#undef WHOLE
#undef REAL
};
#define MEMBERS (sizeof members / sizeof members[0])

static const char *const kinds[] = {
    [STAT_SYSTEM] = "system", [STAT_CRED] = "credential", [STAT_CELL] = "cell"};

/* Records on their way out; nodes are gathered until their block ends. */
struct writer {
    struct server *s;
    json_t *nodes; /* NULL = none */
    uint32_t block;
    int64_t at;
};

static void put(struct server *s, const char *key, json_t *o)
{
    char *text = jsontext(o);

    unsaved_put(s->unsaved, KIND, key, text);
    free(text);
    json_decref(o);
}

static void put_nodes(struct writer *w)
{
    char key[32];

    if (!w->nodes)
        return;
    snprintf(key, sizeof key, "nodes:%u", w->block);
    put(w->s, key,
        json_pack("{s:s, s:I, s:o}", "of", "nodes", "at", (json_int_t)w->at, "nodes",
            w->nodes));
    w->nodes = NULL;
}

static void gather_node(struct writer *w, const struct stat_record *r)
{
    if (w->nodes && w->block != r->block)
        put_nodes(w);
    if (!w->nodes)
        w->nodes = json_array();
    w->block = r->block;
    w->at = r->at;
    json_array_append_new(
        w->nodes, json_pack("[s, I, I, I, b]", r->name, (json_int_t)r->node.total_s,
                      (json_int_t)r->node.up_s, (json_int_t)r->node.active_s, r->up));
}

static json_t *members_of(const struct stat_record *r)
{
    json_t *o = json_pack("{s:s}", "of", kinds[r->of]);

    for (size_t i = 0; i < MEMBERS; i++) {
        const char *at = (const char *)r + members[i].at;
        if (members[i].real && *(const double *)at != 0)
            put_real(o, members[i].name, *(const double *)at);
        else if (!members[i].real && *(const int64_t *)at != 0)
            render_int(o, members[i].name, *(const int64_t *)at);
    }
    return o;
}

static void write_record(void *ctx, const struct stat_record *r)
{
    struct writer *w = ctx;
    struct strbuf key = {0};

    if (r->of == STAT_NODE) {
        gather_node(w, r);
        return;
    }
    json_t *o = members_of(r);
    if (r->of == STAT_CRED) {
        strbuf_printf(&key, "%s:%s", cred_kind_name(r->kind), r->name);
        render_text(o, "kind", cred_kind_name(r->kind));
        render_text(o, "name", r->name);
    } else if (r->of == STAT_CELL) {
        strbuf_printf(
            &key, "cell:%lld:%lld", (long long)r->procs, (long long)r->time_s);
    } else {
        strbuf_add(&key, "system");
    }
    char *name = strbuf_take(&key);
    put(w->s, name, o);
    free(name);
}

void record_statistics(struct server *s)
{
    struct statistics *t = engine_statistics(s->engine);
    struct writer w = {.s = s};

    if (!statistics_changed(t))
        return;
    statistics_each(
        t, engine_cluster(s->engine), false, world_now(s), &w, write_record);
    put_nodes(&w);
}

static void load_nodes(struct server *s, const json_t *o)
{
    json_int_t at = json_integer_value(json_object_get(o, "at")), total, up, active;
    json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(o, "nodes"), i, entry)
    {
        struct stat_record r = {.of = STAT_NODE, .at = at};
        int is_up;
        if (json_unpack(entry, "[s, I, I, I, b]", &r.name, &total, &up, &active, &is_up)
            < 0)
            continue;
        r.node = (struct stat_node){total, up, active};
        r.up = is_up;
        statistics_load(
            engine_statistics(s->engine), engine_cluster(s->engine), &r, world_now(s));
    }
}

static int load_record(void *ctx, const char *key, const char *value)
{
    struct server *s = ctx;
    struct stat_record r = {.kind = CRED_KINDS};
    json_t *o = json_loads(value, 0, NULL);
    const char *of = json_string_value(json_object_get(o, "of"));
    const char *kind = json_string_value(json_object_get(o, "kind"));

    if (of && strcmp(of, "nodes") == 0) {
        load_nodes(s, o);
        json_decref(o);
        return 0;
    }
    for (int i = STAT_CELL; of && i > STAT_SYSTEM; i--)
        if (strcmp(of, kinds[i]) == 0)
            r.of = (enum stat_kind)i;
    for (int k = 0; kind && k < CRED_KINDS; k++)
        if (strcmp(kind, cred_kind_name((enum cred_kind)k)) == 0)
            r.kind = (enum cred_kind)k;
    r.name = json_string_value(json_object_get(o, "name"));
    for (size_t i = 0; i < MEMBERS; i++) {
        char *at = (char *)&r + members[i].at;
        const json_t *v = json_object_get(o, members[i].name);
        if (members[i].real)
            *(double *)at = json_number_value(v);
        else
            *(int64_t *)at = json_integer_value(v);
    }
    if (!of || (r.of == STAT_CRED && (r.kind == CRED_KINDS || !r.name)))
        log_line(s->log, LOG_ALERT, "the statistics of '%s' cannot be read", key);
    else
        statistics_load(
            engine_statistics(s->engine), engine_cluster(s->engine), &r, world_now(s));
    json_decref(o);
    return 0;
}

void record_statistics_load(struct server *s)
{
    struct err err;

    (void)store_each(s->store, KIND, load_record, s, &err);
}
