/* SPDX-License-Identifier: Apache-2.0
 * Reservations that outlive the daemon. */
#define LOG_FACILITY FACILITY_CKPT
#include "server/durable/rsvkeep.h"

#include "plan/trigger.h"
#include "server/drafts/reservation.h"
#include "server/events/feed.h"
#include "server/events/triggers.h"
#include "server/events/watch.h"
#include "server/server_private.h"

/* One that has a record in the store. */
struct kept_reservation {
    char *name;
    uint32_t index;
    uint64_t serial, changed;
    size_t fired; /* triggers */
    json_t *record;
};

struct rsvkeep {
    struct VEC(struct kept_reservation) all;
};

void rsvkeep_open(struct server *s)
{
    s->kept.rsvkeep = xcalloc(1, sizeof *s->kept.rsvkeep);
}

/* ---- the record ---- */

static json_t *places_of(const struct cluster *c, const struct reservation *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            json_array_append_new(
                list, json_string(node_at(c, r->alloc.v[i].first + k)->name));
    return list;
}

static json_t *tasks_of(const struct reservation *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            json_array_append_new(list, json_integer(r->alloc.v[i].tasks));
    return list;
}

static json_t *fired_of(const struct reservation *r)
{
    json_t *list = json_array();

    for (size_t i = 0; i < r->triggers.n; i++)
        json_array_append_new(
            list, json_integer(r->triggers.v[i].fired ? r->triggers.v[i].fired_at : 0));
    return list;
}

static json_t *charge_of(const struct cluster *c, const struct reservation *r)
{
    json_t *list = json_array();

    for (int k = 0; k < CRED_KINDS; k++)
        json_array_append_new(list, r->charge[k]
                                        ? json_string(c->creds[k].v[r->charge[k]]->name)
                                        : json_null());
    return list;
}

static bool runs_programs(const struct reservation *r)
{
    for (size_t i = 0; i < r->triggers.n; i++)
        if (r->triggers.v[i].action != TRIGGER_CANCEL)
            return true;
    return false;
}

/* What may change while it lives. */
static void refresh(
    const struct cluster *c, const struct reservation *r, struct kept_reservation *k)
{
    json_object_set_new(k->record, "nodes", places_of(c, r));
    json_object_set_new(k->record, "tasks", tasks_of(r));
    json_object_set_new(k->record, "fired", fired_of(r));
    json_object_set_new(k->record, "programs", json_boolean(runs_programs(r)));
    if (r->ended_at)
        json_object_set_new(k->record, "ended_at", json_integer(r->ended_at));
    k->changed = r->changed;
    k->fired = 0;
    for (size_t i = 0; i < r->triggers.n; i++)
        k->fired += r->triggers.v[i].fired;
}

static void save(struct server *s, const struct kept_reservation *k)
{
    char *text = json_dumps(k->record, JSON_COMPACT);

    unsaved_put(s->unsaved, "reservation", k->name, text);
    free(text);
    feed_touch(s, FEED_RESERVATION, k->name); /* its words show in lists, too */
    commit_want(s);
}

/* Takes the reference. */
static void keep(struct server *s, const struct reservation *r, json_t *record)
{
    struct kept_reservation k = {.name = xstrdup(r->name),
        .index = r->index,
        .serial = r->serial,
        .record = record};

    refresh(engine_cluster(s->engine), r, &k);
    save(s, &k);
    vec_push(&s->kept.rsvkeep->all, k);
}

void rsvkeep_add(struct server *s, const struct reservation *r, json_t *asked)
{
    const struct cluster *c = engine_cluster(s->engine);

    keep(s, r,
        json_pack("{s:O, s:s, s:b, s:I, s:I, s:I, s:o}", "asked", asked, "base",
            r->base, "user", r->kind == RSV_USER, "start_at", (json_int_t)r->start_at,
            "end_at", (json_int_t)r->end_at, "created_at", (json_int_t)r->created_at,
            "charge", charge_of(c, r)));
}

/* ---- while they live ---- */

static struct kept_reservation *kept_of(struct server *s, const struct reservation *r)
{
    for (size_t i = 0; i < s->kept.rsvkeep->all.n; i++)
        if (s->kept.rsvkeep->all.v[i].index == r->index
            && s->kept.rsvkeep->all.v[i].serial == r->serial)
            return &s->kept.rsvkeep->all.v[i];
    return NULL;
}

json_t *rsvkeep_asked(struct server *s, const struct reservation *r)
{
    struct kept_reservation *k = kept_of(s, r);

    return k ? json_object_get(k->record, "asked") : NULL;
}

void rsvkeep_change(struct server *s, const struct reservation *r, json_t *asked)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct kept_reservation *k = kept_of(s, r);

    if (!k) {
        rsvkeep_add(s, r, asked);
    } else {
        json_object_set(k->record, "asked", asked);
        json_object_set_new(k->record, "start_at", json_integer(r->start_at));
        json_object_set_new(k->record, "end_at", json_integer(r->end_at));
        json_object_set_new(k->record, "charge", charge_of(c, r));
        refresh(c, r, k);
        save(s, k);
    }
    json_decref(asked);
}

static void forget(struct server *s, size_t i)
{
    struct kept_reservation *k = &s->kept.rsvkeep->all.v[i];

    unsaved_delete(s->unsaved, "reservation", k->name);
    commit_want(s);
    free(k->name);
    json_decref(k->record);
    vec_remove(&s->kept.rsvkeep->all, i);
}

static size_t count_fired(const struct reservation *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->triggers.n; i++)
        n += r->triggers.v[i].fired;
    return n;
}

void rsvkeep_look(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = s->kept.rsvkeep->all.n; i-- > 0;) {
        struct kept_reservation *k = &s->kept.rsvkeep->all.v[i];
        const struct reservation *r =
            k->index < c->reservations.n ? c->reservations.v[k->index] : NULL;
        if (!r || r->serial != k->serial
            || (!reservation_is_live(r) && !trigger_outlives(r))) {
            forget(s, i);
        } else if (k->changed != r->changed || k->fired != count_fired(r)) {
            refresh(c, r, k);
            save(s, k);
        }
    }
}

/* ---- after a restart ---- */

/* Its profile may say more today than when somebody's right to it was looked at:
 * triggers run programs only where they did then. */
static void drop_programs(const json_t *record, struct reservation *draft)
{
    const json_t *told = json_object_get(record, "programs");
    bool user = json_is_true(json_object_get(record, "user"));

    if (told ? json_is_true(told) : !user)
        return;
    for (size_t i = draft->triggers.n; i-- > 0;) {
        if (draft->triggers.v[i].action == TRIGGER_CANCEL)
            continue;
        free(draft->triggers.v[i].data);
        vec_remove(&draft->triggers, i);
    }
}

/* Where it was, if all of that is there. */
static void recall_places(
    const struct cluster *c, const json_t *record, struct reservation *ret)
{
    const json_t *tasks = json_object_get(record, "tasks"), *entry;
    size_t i;

    json_array_foreach(json_object_get(record, "nodes"), i, entry)
    {
        const struct node *n = node_find(c, json_string_value(entry));
        json_int_t here = json_integer_value(json_array_get(tasks, i));
        if (!n || here <= 0) {
            vec_fini(&ret->alloc);
            ret->alloc = (struct allocs){0};
            return;
        }
        vec_push(&ret->alloc,
            ((struct alloc){.first = n->index, .count = 1, .tasks = (uint32_t)here}));
    }
}

/* The draft as it was made, on the nodes it had. */
static int draft_of(struct server *s, const char *name, json_t *record,
    struct reservation *ret, struct err *err)
{
    struct cluster *c = engine_cluster(s->engine);
    bool user = json_is_true(json_object_get(record, "user"));
    json_t *entry;
    size_t i;

    if (rsvasked_draft(
            s, json_object_get(record, "asked"), user ? RSV_USER : RSV_ADMIN, ret, err)
        < 0)
        return -1;
    drop_programs(record, ret);
    free(ret->name);
    ret->name = xstrdup(name);
    ret->start_at = json_integer_value(json_object_get(record, "start_at"));
    ret->end_at = json_integer_value(json_object_get(record, "end_at"));
    ret->created_at = json_integer_value(json_object_get(record, "created_at"));
    json_array_foreach(json_object_get(record, "charge"), i, entry)
    {
        if (i < CRED_KINDS && json_is_string(entry))
            ret->charge[i] =
                cred_get(c, (enum cred_kind)i, json_string_value(entry))->index;
    }
    json_array_foreach(json_object_get(record, "fired"), i, entry)
    {
        if (i >= ret->triggers.n || !json_integer_value(entry))
            continue;
        ret->triggers.v[i].fired = true;
        ret->triggers.v[i].fired_at = json_integer_value(entry);
    }
    json_array_foreach(json_object_get(record, "nodes"), i, entry)
    {
        const struct node *n = node_find(c, json_string_value(entry));
        if (n
            && !json_is_string(
                json_object_get(json_object_get(record, "asked"), "hosts")))
            vec_push(&ret->hosts, n->index);
    }
    ret->listed = ret->listed || ret->hosts.n;
    recall_places(c, record, ret);
    return 0;
}

static const struct reservation *make(
    struct server *s, const char *name, json_t *record, struct err *err)
{
    struct reservation draft;
    struct event ev = {.kind = EVENT_RESERVE, .u.reserve = {.draft = &draft}};
    struct event_result made;

    if (draft_of(s, name, record, &draft, err) < 0)
        return NULL;
    if (world_apply(s, &ev, &made, err) < 0) {
        reservation_fini(&draft);
        return NULL;
    }
    return made.reservation;
}

struct found {
    struct VEC(char *) names;
    struct VEC(json_t *) records;
};

static int find_one(void *ctx, const char *key, const char *value)
{
    struct found *f = ctx;

    vec_push(&f->names, xstrdup(key));
    vec_push(&f->records, json_loads(value, 0, NULL));
    return 0;
}

/* It ended, perhaps while nobody looked: triggers that wait for something of it yet are
 * carried out without it. */
static void leave_triggers(struct server *s, const char *name, json_t *record)
{
    json_int_t ended = json_integer_value(json_object_get(record, "ended_at"));
    struct reservation draft;
    struct err err;

    if (draft_of(s, name, record, &draft, &err) < 0) {
        log_line(s->log, LOG_ALERT, "reservation '%s' of before the restart: %s", name,
            err.text);
        return;
    }
    draft.state = ended ? RSV_RELEASED : RSV_ENDED;
    draft.ended_at = ended ? ended : draft.end_at;
    for (size_t i = 0; i < draft.triggers.n; i++) {
        int64_t due = trigger_due_at(&draft, &draft.triggers.v[i]);
        if (due < TIME_NEVER)
            triggers_left(s, name, i, &draft.triggers.v[i], due);
    }
    reservation_fini(&draft);
}

static void restore_one(struct server *s, const char *name, json_t *record)
{
    json_int_t end = json_integer_value(json_object_get(record, "end_at"));
    const struct reservation *r;
    struct err err = {.text = "it is gone already"};

    if (end <= world_now(s) || json_object_get(record, "ended_at")) {
        leave_triggers(s, name, record);
        unsaved_delete(s->unsaved, "reservation", name);
        commit_want(s);
    } else if ((r = make(s, name, record, &err)) != NULL) {
        keep(s, r, json_incref(record));
    } else {
        log_line(s->log, LOG_ALERT, "reservation '%s' of before the restart: %s", name,
            err.text);
    }
}

void rsvkeep_restore(struct server *s)
{
    struct found f = {0};
    struct err err;

    if (store_each(s->store, "reservation", find_one, &f, &err) < 0)
        log_line(s->log, LOG_ALERT, "reservations: %s", err.text);
    watch_restoring(s, true);
    for (size_t i = 0; i < f.names.n; i++) {
        restore_one(s, f.names.v[i], f.records.v[i]);
        free(f.names.v[i]);
        json_decref(f.records.v[i]);
    }
    watch_restoring(s, false);
    vec_fini(&f.names);
    vec_fini(&f.records);
}

void rsvkeep_close(struct server *s)
{
    for (size_t i = 0; i < s->kept.rsvkeep->all.n; i++) {
        free(s->kept.rsvkeep->all.v[i].name);
        json_decref(s->kept.rsvkeep->all.v[i].record);
    }
    vec_fini(&s->kept.rsvkeep->all);
    free(s->kept.rsvkeep);
    s->kept.rsvkeep = NULL;
}
