/* SPDX-License-Identifier: Apache-2.0
 * Promises, and what came of them. See promised.h. */
#define LOG_FACILITY FACILITY_STAT
#include "server/durable/promised.h"

#include "cluster/cluster.h"
#include "server/server_private.h"
#include "server/whole.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "promise"

/* The latest thing of its kind that may put starts off. */
struct suspect {
    char what[160], by[64];
    bool fresh; /* since the last cycle */
    bool away;  /* a node is, and has not only changed */
};

struct promised_book {
    struct VEC(struct promised *) waiting; /* by number */
    struct VEC(struct promised *) over;    /* in the order in which they ended */
    struct promised *of;                   /* hash by job id: those that wait */
    uint64_t next;
    uint64_t node_epoch;
    struct suspect suspects[PROMISE_CAUSES];
    enum { OVERRUN_UNKNOWN, OVERRUN_NONE, OVERRUN_SEEN } overrun; /* in this look */
};

static void free_promise(struct promised *p)
{
    free(p->id);
    free(p->user);
    free(p->account);
    free(p->class);
    free(p->qos);
    free(p->what);
    free(p->by);
    free(p);
}

void promised_close(struct server *s)
{
    struct promised_book *b = s->kept.promised;

    if (!b)
        return;
    HASH_CLEAR(hh, b->of);
    for (size_t i = 0; i < b->waiting.n; i++)
        free_promise(b->waiting.v[i]);
    for (size_t i = 0; i < b->over.n; i++)
        free_promise(b->over.v[i]);
    vec_fini(&b->waiting);
    vec_fini(&b->over);
    free(b);
    s->kept.promised = NULL;
}

/* ---- the store ---- */

static void name_key(const struct promised *p, char ret[24])
{
    snprintf(ret, 24, "%020" PRIu64, p->number);
}

static json_t *text_of(const char *text)
{
    return text ? json_string(text) : json_null();
}

static void save_promise(struct server *s, const struct promised *p)
{
    char key[24];

    if (s->simulation || s->tries)
        return;
    json_t *o = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:s, "
        "s:I, s:o, s:o}",
        "id", p->id, "user", text_of(p->user), "account", text_of(p->account), "class",
        text_of(p->class), "qos", text_of(p->qos), "procs", (json_int_t)p->procs,
        "wclimit", (json_int_t)p->wclimit_s, "submit", (json_int_t)p->submit_at, "made",
        (json_int_t)p->made_at, "first", (json_int_t)p->first_at, "last",
        (json_int_t)p->last_at, "start", (json_int_t)p->start_at, "over",
        (json_int_t)p->over_at, "moves", (int)p->moves, "cause",
        promise_cause_name(p->cause), "broken", (json_int_t)p->broken_at, "what",
        text_of(p->what), "by", text_of(p->by));
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    name_key(p, key);
    if (text)
        unsaved_put(s->unsaved, KIND, key, text);
    free(text);
    json_decref(o);
    commit_want(s);
}

static char *copy_member(json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? xstrdup(text) : NULL;
}

static int64_t member(json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static enum promise_cause cause_named(const char *name)
{
    for (int c = CAUSE_NONE; name && c < PROMISE_CAUSES; c++)
        if (strcmp(name, promise_cause_name((enum promise_cause)c)) == 0)
            return (enum promise_cause)c;
    return CAUSE_OTHER;
}

static void add_waiting(struct promised_book *b, struct promised *p)
{
    vec_push(&b->waiting, p);
    HASH_ADD_KEYPTR(hh, b->of, p->id, strlen(p->id), p);
}

static int load_promise(void *ctx, const char *key, const char *value)
{
    struct promised_book *b = ctx;
    json_t *o = json_loads(value, 0, NULL);
    struct promised *p;

    if (o && json_is_string(json_object_get(o, "id"))) {
        p = xcalloc(1, sizeof *p);
        *p = (struct promised){.number = strtoull(key, NULL, 10),
            .id = copy_member(o, "id"),
            .user = copy_member(o, "user"),
            .account = copy_member(o, "account"),
            .class = copy_member(o, "class"),
            .qos = copy_member(o, "qos"),
            .procs = member(o, "procs"),
            .wclimit_s = member(o, "wclimit"),
            .submit_at = member(o, "submit"),
            .made_at = member(o, "made"),
            .first_at = member(o, "first"),
            .last_at = member(o, "last"),
            .start_at = member(o, "start"),
            .over_at = member(o, "over"),
            .moves = (uint32_t)member(o, "moves"),
            .cause = cause_named(json_string_value(json_object_get(o, "cause"))),
            .broken_at = member(o, "broken"),
            .what = copy_member(o, "what"),
            .by = copy_member(o, "by"),
            .index = INDEX_NONE};
        if (p->over_at)
            vec_push(&b->over, p);
        else
            add_waiting(b, p);
        b->next = p->number >= b->next ? p->number + 1 : b->next;
    }
    json_decref(o);
    return 0;
}

static int compare_ends(const void *a, const void *b)
{
    const struct promised *x = *(struct promised *const *)a,
                          *y = *(struct promised *const *)b;

    if (x->over_at != y->over_at)
        return x->over_at < y->over_at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void promised_open(struct server *s)
{
    struct promised_book *b = xcalloc(1, sizeof *b);
    struct err err;

    if (store_each(s->store, KIND, load_promise, b, &err) < 0)
        log_line(s->log, LOG_ALERT, "promises: %s", err.text);
    if (b->over.n)
        qsort(b->over.v, b->over.n, sizeof *b->over.v, compare_ends);
    s->kept.promised = b;
}

/* ---- what may put starts off ---- */

static void note_suspect(
    struct promised_book *b, enum promise_cause c, const char *by, const char *what)
{
    struct suspect *it = &b->suspects[c];

    snprintf(it->what, sizeof it->what, "%s", what);
    snprintf(it->by, sizeof it->by, "%s", by ? by : "");
    it->fresh = true;
}

/* Most reports tell nothing new; what is told before all is back is no change. One that
 * went explains more than one that changed. */
static void suspect_node(
    struct server *s, struct promised_book *b, const char *name, const char *by)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct node *n = node_find(c, name);
    struct suspect *it = &b->suspects[CAUSE_NODES];
    bool away = !n || !node_is_up(n), new = b->node_epoch != c->node_epoch;
    char what[120];

    b->node_epoch = c->node_epoch;
    if (!new || !whole_is_restored(s) || (it->fresh && it->away && !away))
        return;
    snprintf(what, sizeof what, "node '%.60s' %s", name,
        !n     ? "is gone"
        : away ? "is down"
               : "has changed");
    note_suspect(b, CAUSE_NODES, by, what);
    it->away = away;
}

/* It waits on, whatever was told of its start. */
static void take_start_back(struct promised_book *b, const char *id)
{
    struct promised *p;

    HASH_FIND_STR(b->of, id, p);
    if (p)
        p->start_at = 0;
}

void promised_happened(struct server *s, const struct event *ev, const char *by)
{
    struct promised_book *b = s->kept.promised;

    if (!b)
        return;
    if (ev->kind == EVENT_NODE)
        suspect_node(s, b, ev->u.node.name, by);
    else if (ev->kind == EVENT_NODE_STATE || ev->kind == EVENT_NODE_GONE)
        suspect_node(s, b, ev->u.node_state.name, by);
    else if (ev->kind == EVENT_SETTINGS)
        note_suspect(b, CAUSE_SETTINGS, by, "other parameters are in force");
    else if (ev->kind == EVENT_RESERVE)
        note_suspect(b, CAUSE_RESERVATION, by, "a reservation was made");
    else if (ev->kind == EVENT_CHANGE_RESERVATION)
        note_suspect(b, CAUSE_RESERVATION, by, "a reservation was changed");
    else if (ev->kind == EVENT_RUN)
        note_suspect(b, CAUSE_ORDER, by, "a job was started by order");
    else if (ev->kind == EVENT_START_FAILED)
        take_start_back(b, ev->u.failed.id);
}

static bool find_overrun(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    int64_t now = world_now(s);

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (job_is_active(j) && j->eff_wclimit_s > 0
            && j->eff_wclimit_s < DURATION_UNLIMITED && j->start_at
            && j->start_at + j->eff_wclimit_s + j->suspended_s < now)
            return true;
    }
    return false;
}

static bool has_overrun(struct server *s)
{
    struct promised_book *b = s->kept.promised;

    if (b->overrun == OVERRUN_UNKNOWN)
        b->overrun = find_overrun(s) ? OVERRUN_SEEN : OVERRUN_NONE;
    return b->overrun == OVERRUN_SEEN;
}

/* By what the engine says, under BACKFILLPOLICY PLAN; CAUSE_NONE: nothing is broken. */
static enum promise_cause told_cause(struct server *s, const struct job *j)
{
    const char *text, *name;

    return engine_promised_before(s->engine, j, &text, &name) ? cause_named(name)
                                                              : CAUSE_NONE;
}

/* Else the first that is seen. */
static enum promise_cause seen_cause(struct server *s)
{
    static const enum promise_cause order[] = {
        CAUSE_NODES, CAUSE_SETTINGS, CAUSE_RESERVATION, CAUSE_ORDER};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (s->kept.promised->suspects[order[i]].fresh)
            return order[i];
    return has_overrun(s) ? CAUSE_OVERRUN : CAUSE_OTHER;
}

static void note_cause(struct server *s, struct promised *p, const struct job *j)
{
    enum promise_cause told = told_cause(s, j);
    const struct suspect *it;

    p->cause = told ? told : seen_cause(s);
    p->broken_at = world_now(s);
    it = &s->kept.promised->suspects[p->cause];
    if (p->cause == CAUSE_OTHER && !told)
        p->what = xstrdup("other jobs came to be ahead of it");
    if (it->fresh)
        p->what = xstrdup(it->what);
    if (it->fresh && it->by[0])
        p->by = xstrdup(it->by);
}

/* ---- one job ---- */

static int64_t promised_start(struct server *s, const struct job *j)
{
    int64_t latest = engine_promised_by(s->engine, j);
    const struct planned *own = latest ? NULL : engine_reservation_of(s->engine, j);

    return latest ? latest : own ? own->start_at : 0;
}

/* Its name, when it has one that is not the default. */
static char *name_of(const struct cluster *c, const struct job *j, enum cred_kind k)
{
    return j->cred[k] ? xstrdup(job_cred(c, j, k)->name) : NULL;
}

/* The oldest that is over makes room. */
static void drop_oldest(struct server *s, struct promised_book *b)
{
    char key[24];

    name_key(b->over.v[0], key);
    if (!s->simulation)
        unsaved_delete(s->unsaved, KIND, key);
    free_promise(b->over.v[0]);
    memmove(&b->over.v[0], &b->over.v[1], (b->over.n - 1) * sizeof *b->over.v);
    b->over.n--;
}

/* It is over: started then, or 0, not at all. */
static void end_promise(struct server *s, struct promised *p, int64_t start_at)
{
    struct promised_book *b = s->kept.promised;

    HASH_DEL(b->of, p);
    p->start_at = start_at;
    p->over_at = start_at ? start_at : world_now(s);
    vec_push(&b->over, p);
    save_promise(s, p);
}

/* Where a start is put off beyond what was promised first, or nothing is promised
 * instead: why, the first time. */
static void follow_promise(struct server *s, struct promised *p, const struct job *j)
{
    int64_t at = promised_start(s, j);

    bool broken = !at && told_cause(s, j);

    if (at == p->last_at || (!at && !broken))
        return;
    bool later = broken || (p->last_at && at > p->last_at);
    p->last_at = at;
    p->moves += later;
    if (later && (broken || at > p->first_at) && p->cause == CAUSE_NONE)
        note_cause(s, p, j);
    if (later)
        save_promise(s, p);
}

/* Its resource manager has not told yet that it runs, and may refuse it. */
static void note_starting(struct server *s, struct promised *p, const struct job *j)
{
    if (p->start_at == j->start_at)
        return;
    p->start_at = j->start_at;
    save_promise(s, p);
}

static void add_promise(struct server *s, const struct job *j, int64_t at)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct promised_book *b = s->kept.promised;
    struct promised *p = xcalloc(1, sizeof *p);

    *p = (struct promised){.number = b->next++,
        .id = xstrdup(j->id),
        .user = name_of(c, j, CRED_USER),
        .account = name_of(c, j, CRED_ACCOUNT),
        .class = name_of(c, j, CRED_CLASS),
        .qos = name_of(c, j, CRED_QOS),
        .procs = j->procs,
        .wclimit_s = j->wclimit_s,
        .submit_at = j->submit_at,
        .made_at = world_now(s),
        .first_at = at,
        .last_at = at,
        .index = j->index};
    add_waiting(b, p);
    save_promise(s, p);
}

void promised_decided(struct server *s, const struct action *a, const struct job *j)
{
    struct promised_book *b = s->kept.promised;
    struct promised *old;
    int64_t at;

    if (!b || a->kind != ACTION_RESERVE)
        return;
    HASH_FIND_STR(b->of, j->id, old);
    if (old)
        return;
    at = promised_start(s, j);
    if (at)
        add_promise(s, j, at);
}

/* The job, wherever its index is by now; NULL: it is gone. */
static const struct job *job_of(struct server *s, struct promised *p)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct job *j = p->index < c->jobs.n ? c->jobs.v[p->index] : NULL;

    if (j && strcmp(j->id, p->id) == 0)
        return j;
    j = job_find(c, p->id);
    p->index = j ? j->index : INDEX_NONE;
    return j;
}

/* Does the job still wait for its start? */
static bool goes_on(struct server *s, struct promised *p)
{
    const struct job *j = job_of(s, p);

    if (j && j->state == JOB_STARTING)
        note_starting(s, p, j);
    else if (j && job_is_active(j))
        end_promise(s, p, j->start_at ? j->start_at : world_now(s));
    else if (p->start_at)
        end_promise(s, p, p->start_at);
    else if (!j || j->state >= JOB_COMPLETED)
        end_promise(s, p, 0);
    else
        follow_promise(s, p, j);
    return p->over_at == 0;
}

void promised_look(struct server *s)
{
    struct promised_book *b = s->kept.promised;

    if (!b || s->tries || !whole_is_restored(s))
        return;
    size_t left = 0;
    b->overrun = OVERRUN_UNKNOWN;
    for (size_t i = 0; i < b->waiting.n; i++)
        if (goes_on(s, b->waiting.v[i]))
            b->waiting.v[left++] = b->waiting.v[i];
    b->waiting.n = left;
    for (int c = 0; c < PROMISE_CAUSES; c++)
        b->suspects[c].fresh = false;
    while (b->over.n > PROMISED_MAX)
        drop_oldest(s, b);
}

const struct promised *promised_at(const struct server *s, size_t i)
{
    const struct promised_book *b = s->kept.promised;

    if (!b || i >= b->waiting.n + b->over.n)
        return NULL;
    return i < b->waiting.n ? b->waiting.v[b->waiting.n - 1 - i]
                            : b->over.v[b->over.n - 1 - (i - b->waiting.n)];
}
