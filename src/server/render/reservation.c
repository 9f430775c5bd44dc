/* SPDX-License-Identifier: Apache-2.0
 * Reservations as the API shows them. */
#include "cluster/jobnodes.h"
#include "cluster/partition.h"
#include "config/settings.h"
#include "config/srcfg.h"
#include "engine/query.h"
#include "server/durable/rsvkeep.h"
#include "server/render/render.h"
#include "server/render/rsvcheck.h"
#include "server/server_private.h"

static int64_t procs_of(
    const struct cluster *c, const struct allocs *alloc, int64_t per_task)
{
    int64_t procs = 0;

    for (size_t i = 0; i < alloc->n; i++) {
        const struct alloc *a = &alloc->v[i];
        if (per_task >= 0) {
            procs += per_task * a->tasks * a->count;
            continue;
        }
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            procs += node_at(c, n)->cfg.v[RES_PROCS];
    }
    return procs;
}

static json_t *flags(uint32_t bits)
{
    json_t *list = json_array();

    for (uint32_t bit = 1; bit && bit <= bits; bit <<= 1)
        if (bits & bit && srcfg_flag_name(bit))
            json_array_append_new(list, json_string(srcfg_flag_name(bit)));
    return list;
}

static json_t *acl(const struct acl *a)
{
    json_t *list = json_array();

    for (size_t i = 0; i < a->entries.n; i++) {
        const struct acl_entry *e = &a->entries.v[i];
        char text[200];
        acltext_format_entry(e, text, sizeof text);
        json_array_append_new(list,
            json_sprintf("%s%s", acltext_type_name((enum acl_type)e->type), text));
    }
    return list;
}

static void add_cred(json_t *o, const char *key, const struct cluster *c,
    enum cred_kind kind, uint32_t index)
{
    if (index)
        render_text(o, key, c->creds[kind].v[index]->name);
}

static void add_who(json_t *o, const struct cluster *c, const struct reservation *r)
{
    if (r->owner_kind < CRED_KINDS)
        json_object_set_new(o, "owner",
            json_sprintf("%s:%s", acltext_type_name((enum acl_type)r->owner_kind),
                c->creds[r->owner_kind].v[r->owner]->name));
    for (int kind = 0; kind < CRED_KINDS; kind++)
        add_cred(o, render_cred_key((enum cred_kind)kind), c, (enum cred_kind)kind,
            r->charge[kind]);
}

static json_t *trigger(const struct trigger *t)
{
    json_t *o =
        json_pack("{s:s, s:I, s:f, s:s, s:s}", "event", trigger_event_name(t->event),
            "offset_s", (json_int_t)t->offset_s, "threshold", t->threshold, "action",
            trigger_action_name(t->action), "state", t->fired ? "Fired" : "Active");

    render_text(o, "data", t->data);
    if (t->fired)
        render_instant(o, "at", t->fired_at);
    return o;
}

static void add_triggers(json_t *o, const struct reservation *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->triggers.n; i++)
        json_array_append_new(list, trigger(&r->triggers.v[i]));
    if (json_array_size(list))
        json_object_set(o, "triggers", list);
    json_decref(list);
}

static const char *partition_text(const struct cluster *c, uint32_t partition)
{
    if (partition == RSV_PARTITION_ALL)
        return "ALL";
    return partition < c->partitions.n ? c->partitions.v[partition]->name : NULL;
}

/* What is written down with it and means nothing to the scheduler. */
static void add_words(json_t *o, const json_t *asked)
{
    static const char *const keys[] = {"subtype", "label", "comment"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        render_text(o, keys[i], json_string_value(json_object_get(asked, keys[i])));
}

/* When it is, within its period. */
static json_t *standing_times(const struct sr_cfg *sr)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    json_t *list = json_array();

    for (int d = 0; d < 7; d++)
        if (sr->days >> d & 1)
            json_array_append_new(list, json_string(days[d]));
    json_t *times = json_pack("{s:o}", "days", list);
    if (sr->period != SR_INFINITY) {
        render_int(times, "start_s", sr->start_s);
        render_int(times, "end_s", sr->end_s);
    }
    return times;
}

/* What its SRCFG says of time and size. */
static void add_standing(
    json_t *o, const struct cluster *c, const struct reservation *r)
{
    json_array_insert_new(json_object_get(o, "flags"), 0, json_string("STANDINGRES"));
    render_text(o, "standing", r->base);
    render_int(o, "slot", r->slot);
    if (r->standing < c->cfg->standing.n)
        json_object_set_new(
            o, "standing_times", standing_times(&c->cfg->standing.v[r->standing]));
}

/* One that is wanted, and what has become of it. */
static json_t *describe_instance(
    const struct standing_list *there, const struct standing_instance *i)
{
    const struct reservation *r = standing_listed(there, i->period_at);
    bool live = r && reservation_is_live(r);
    json_t *o = json_pack("{s:I, s:I, s:s}", "slot", (json_int_t)i->slot, "start_at",
        (json_int_t)(r ? r->start_at : i->start_at), "state",
        live                            ? "there"
        : r && r->state == RSV_RELEASED ? "released"
                                        : "missing");

    render_instant(o, "end_at", i->end_at);
    if (live)
        render_text(o, "reservation", r->name);
    return o;
}

json_t *render_standing(struct server *s, uint32_t standing)
{
    static const char *const periods[] = {"DAY", "WEEK", "INFINITY"};
    const struct cluster *c = engine_cluster(s->engine);
    const struct sr_cfg *sr = &c->cfg->standing.v[standing];
    struct standing_instances wanted = {0};
    struct standing_list there = {0};
    json_t *list = json_array();

    query_standing(s->engine, standing, world_now(s), &wanted);
    standing_list(c, standing, &there);
    for (size_t i = 0; i < wanted.n; i++)
        json_array_append_new(list, describe_instance(&there, &wanted.v[i]));
    vec_fini(&there);
    vec_fini(&wanted);
    return json_pack("{s:s, s:s, s:I, s:o, s:I, s:o, s:o}", "name", srcfg_name(sr),
        "period", periods[sr->period], "depth", (json_int_t)sr->depth, "times",
        standing_times(sr), "max_tasks", (json_int_t)sr->tasks, "acl", acl(&sr->acl),
        "wanted", list);
}

json_t *render_reservation(struct server *s, const struct reservation *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "name", r->name,
        "type", r->kind == RSV_STANDING ? "Standing" : "User", "state",
        reservation_state_name(r->state), "start_at", (json_int_t)r->start_at,
        "created_at", (json_int_t)r->created_at, "nodes", (json_int_t)r->held_nodes,
        "tasks", (json_int_t)r->held_tasks);

    render_int(o, "at", world_now(s));
    render_instant(o, "end_at", r->end_at);
    render_int(o, "procs", procs_of(c, &r->alloc, r->def.per_task.v[RES_PROCS]));
    json_object_set_new(o, "places", render_places(c, &r->alloc));
    render_text(o, "partition", partition_text(c, r->partition));
    json_object_set_new(o, "flags", flags(r->flags));
    json_object_set_new(o, "acl", acl(&r->acl));
    add_who(o, c, r);
    render_text(o, "hosts", r->host_expr);
    json_object_set_new(o, "per_task", render_amounts(&r->def.per_task));
    render_int(o, "max_tasks", r->tasks);
    render_int(o, "priority", r->priority);
    render_names(o, "features", c->features, r->def.features.v, r->def.features.n);
    render_text(o, "access", r->shared ? "SHARED" : "DEDICATED");
    if (r->kind == RSV_STANDING)
        add_standing(o, c, r);
    render_real(o, "idle_ps", r->idle_ps);
    render_real(o, "active_ps", r->active_ps);
    add_triggers(o, r);
    add_words(o, rsvkeep_asked(s, r));
    json_t *warnings = rsvcheck_warnings(c, r);
    if (warnings)
        json_object_set_new(o, "warnings", warnings);
    return o;
}

/* Of a waiting job. `places` are ordered by job. */
static void add_planned(json_t *o, const struct cluster *c, const struct job *j,
    const struct query_places *p)
{
    json_t *list = json_array();
    uint32_t last = INDEX_NONE, nodes = 0;
    size_t low = 0, high = p->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->v[middle].job < j->index)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->n && p->v[low].job == j->index; low++) {
        json_array_append_new(
            list, json_pack("{s:s, s:I}", "node", node_at(c, p->v[low].node)->name,
                      "tasks", (json_int_t)p->v[low].tasks));
        nodes += p->v[low].node != last;
        last = p->v[low].node;
    }
    render_int(o, "nodes", nodes ? nodes : j->nodes);
    json_object_set_new(o, "places", list);
}

json_t *render_job_reservation(
    struct server *s, const struct job *j, const struct query_places *places)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct planned *planned = engine_reservation_of(s->engine, j);
    bool active = job_is_active(j);

    if (!active && !planned)
        return NULL;
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "name", j->id, "type", "Job", "state",
        active ? "active" : "planned", "job_state",
        job_state_name((enum job_state)j->state));
    render_int(o, "at", world_now(s));
    render_int(o, "start_at", active ? j->start_at : planned->start_at);
    render_instant(
        o, "end_at", active ? j->end_at : engine_reserved_until(s->engine, j));
    if (active) {
        render_int(o, "nodes", job_node_count(j));
        json_object_set_new(o, "places", render_places(c, &j->alloc));
    } else {
        add_planned(o, c, j, places);
    }
    render_int(o, "tasks", j->tasks);
    render_int(o, "procs", j->procs);
    if (active && j->alloc.n)
        render_text(o, "partition",
            partition_text(c, node_at(c, j->alloc.v[0].first)->partition));
    else if (!active)
        render_text(o, "partition", partition_text(c, planned->partition));
    if (j->cred[CRED_USER])
        render_text(o, "user", job_cred(c, j, CRED_USER)->name);
    return o;
}
