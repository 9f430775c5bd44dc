/* SPDX-License-Identifier: Apache-2.0
 * A question tried. Each change is made into the request that would make it in earnest,
 * and handled as that would be, so rights, checks and sentences are the same. */
#include "server/whatif/trial.h"

#include "base/duration.h"
#include "config/arraytext.h"
#include "server/api/api.h"
#include "server/events/feed.h"
#include "server/http/made.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/whatif/inway.h"
#include "server/whatif/lives.h"
#include "server/whatif/picture.h"
#include "server/whatif/whatif.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#define PATH_MAX_BYTES 1200

#define CYCLES_MAX 8 /* at one instant */

/* ---- what may be asked ---- */

/* Kinds of changes, and what makes them: method and path of the operation. */
static const struct kind {
    const char *name, *method, *path;
    const char *tail; /* the member whose text the path goes on with, or NULL */
    const char *body; /* the member that is the body, or NULL: the change itself */
} kinds[] = {{"reserve", "POST", "/v1/reservations", NULL, NULL},
    {"change_reservation", "PATCH", "/v1/reservations/", "name", "change"},
    {"release_reservation", "DELETE", "/v1/reservations/", "name", "none"},
    {"order", "POST", "/v1/orders/", "order", "request"},
    {"submit", "POST", "/v1/jobs", NULL, NULL},
    {"parameters", "POST", "/v1/parameters", NULL, NULL},
    {"node", "POST", NULL, NULL, NULL}};

#define KINDS (sizeof kinds / sizeof kinds[0])

/* The one that it is; NULL: none, or several. */
static const struct kind *kind_of(const json_t *change, const json_t **ret_asked)
{
    const struct kind *found = NULL;

    for (size_t k = 0; k < KINDS; k++) {
        const json_t *asked = json_object_get(change, kinds[k].name);
        if (!asked || json_is_null(asked))
            continue;
        if (found)
            return NULL;
        found = &kinds[k];
        *ret_asked = asked;
    }
    return found;
}

/* Jobs that the array would have; 0 of none, or one that will be refused. */
static size_t array_size(const json_t *submission)
{
    const char *text = json_string_value(json_object_get(submission, "array"));
    struct array_spec a = {0};
    struct err err;
    size_t n = 0;

    if (text && array_parse(text, &a, &err) == 0)
        n = a.indexes.n;
    array_fini(&a);
    return n;
}

/* All of them together, as each array for itself. */
static int check_arrays(const json_t *changes, size_t *ret_at, struct err *err)
{
    const json_t *change;
    size_t n = 0, i;

    json_array_foreach(changes, i, change)
    {
        *ret_at = i;
        n += array_size(json_object_get(change, "submit"));
        if (n > TRIAL_ARRAYS_MAX)
            return err_set(err, ERR_INVALID,
                "changes[%zu]: arrays of at most %d jobs, all of them together, are "
                "tried at a time: ask in parts",
                i, TRIAL_ARRAYS_MAX);
    }
    return 0;
}

bool trial_lives(const json_t *body)
{
    const char *method = json_string_value(json_object_get(body, "method"));

    return method && strcmp(method, "run") == 0;
}

static int check_range(const json_t *body, const char *key, int64_t most,
    char *ret_field, size_t size, struct err *err)
{
    const json_t *n = json_object_get(body, key);

    snprintf(ret_field, size, "%s", key);
    if (!json_is_integer(n)
        || (json_integer_value(n) >= 1 && json_integer_value(n) <= most))
        return 0;
    return err_set(err, ERR_INVALID, "%s: expected a number from 1 to %lld, not %lld",
        key, (long long)most, (long long)json_integer_value(n));
}

/* What is of living on. */
static int check_lives(
    const json_t *body, char *ret_field, size_t size, struct err *err)
{
    static const char *const keys[] = {"horizon_s", "cpu_ms", "runtime"};

    for (size_t i = 0; !trial_lives(body) && i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *asked = json_object_get(body, keys[i]);
        snprintf(ret_field, size, "%s", keys[i]);
        if (asked && !json_is_null(asked))
            return err_set(err, ERR_INVALID, "%s: is of method run alone", keys[i]);
    }
    if (check_range(body, "horizon_s", LIVES_HORIZON_MAX_S, ret_field, size, err) < 0)
        return -1;
    return check_range(body, "cpu_ms", LIVES_CPU_MS, ret_field, size, err);
}

int trial_check(const json_t *body, char *ret_field, size_t size, struct err *err)
{
    const json_t *changes = json_object_get(body, "changes"), *asked, *change;
    size_t watched = json_array_size(json_object_get(body, "watch")), i;

    snprintf(ret_field, size, "changes");
    if (json_array_size(changes) > TRIAL_CHANGES_MAX)
        return err_set(err, ERR_INVALID,
            "changes: expected at most %d, not %zu: ask in parts", TRIAL_CHANGES_MAX,
            json_array_size(changes));
    json_array_foreach(changes, i, change) if (!kind_of(change, &asked))
    {
        snprintf(ret_field, size, "changes[%zu]", i);
        return err_set(err, ERR_INVALID,
            "changes[%zu]: expected one of reserve, change_reservation, "
            "release_reservation, order, submit, parameters, node",
            i);
    }
    if (check_arrays(changes, &i, err) < 0) {
        snprintf(ret_field, size, "changes[%zu]", i);
        return -1;
    }
    if (check_lives(body, ret_field, size, err) < 0)
        return -1;
    snprintf(ret_field, size, "watch");
    return watched <= TRIAL_WATCH_MAX
               ? 0
               : err_set(err, ERR_INVALID, "watch: expected at most %d jobs, not %zu",
                   TRIAL_WATCH_MAX, watched);
}

void trial_describe(const json_t *body, char *ret, size_t size)
{
    const json_t *asked = NULL, *change;
    size_t i, n = 0;

    snprintf(ret, size, "%s", "no changes");
    json_array_foreach(json_object_get(body, "changes"), i, change)
    {
        const struct kind *kind = kind_of(change, &asked);
        const char *word = json_string_value(json_object_get(asked, "order"));
        if (!kind || n + 1 >= size)
            break;
        n += (size_t)snprintf(ret + n, size - n, "%s%s%s%s", n ? ", " : "", kind->name,
            word ? " " : "", word ? word : "");
    }
}

/* ---- a change ---- */

/* No order of ours drains nodes, so it is tried by the event that would tell of it. */
static int try_node(
    struct server *s, const struct identity *who, const json_t *asked, struct err *err)
{
    static const struct {
        const char *word;
        enum node_state state;
    } words[] = {{"drain", NODE_DRAINED}, {"down", NODE_DOWN}, {"up", NODE_IDLE}};
    const char *name = json_string_value(json_object_get(asked, "name"));
    const char *to = json_string_value(json_object_get(asked, "to"));
    const struct cluster *c = engine_cluster(s->engine);
    struct event ev = {.kind = EVENT_NODE_STATE, .u.node_state = {.name = name}};

    if (!identity_is(who, WHO_ADMIN2))
        return identity_deny(who, "whatif", err);
    if (!node_find(c, name))
        return node_missing(c, name, err);
    for (size_t k = 0; to && k < sizeof words / sizeof words[0]; k++)
        if (strcasecmp(to, words[k].word) == 0) {
            ev.u.node_state.state = words[k].state;
            return world_apply(s, &ev, NULL, err);
        }
    return err_set(
        err, ERR_INVALID, "node: '%.40s' is not one of drain, down, up", to ? to : "");
}

static json_t *result_of_error(const json_t *error)
{
    json_t *o = json_object();

    json_object_set_new(o, "ok", json_false());
    json_object_update_missing(o, json_object_get(error, "error"));
    return o;
}

/* Of an order nothing was done where not one of its jobs took it; one that meant no job
 * is answered as in earnest, as done. */
static void put_outcome(json_t *o, const json_t *results)
{
    const json_t *first = NULL, *one;
    bool some = false;
    size_t i;

    json_array_foreach(results, i, one)
    {
        if (json_is_true(json_object_get(one, "ok")))
            some = true;
        else if (!first)
            first = one;
    }
    json_object_set(o, "jobs", (json_t *)results);
    if (some || !first)
        return;
    json_object_set_new(o, "ok", json_false());
    json_object_set(o, "message", json_object_get(first, "message"));
    json_object_set(o, "code", json_object_get(first, "code"));
}

/* What the operation answered, as the answer has it of a change. */
static json_t *result_of(const struct kind *kind, int status, json_t *reply)
{
    json_t *o;

    if (status != 200)
        return result_of_error(reply);
    o = json_pack("{s:b}", "ok", 1);
    if (strcmp(kind->name, "order") == 0)
        put_outcome(o, json_object_get(reply, "results"));
    else if (strcmp(kind->name, "submit") == 0)
        json_object_set(o, "ids", json_object_get(reply, "ids"));
    else if (json_object_get(reply, "name"))
        json_object_set(o, "reservation", reply);
    return o;
}

/* Handled as it would be in earnest. */
static json_t *try_request(struct server *s, const struct identity *who,
    const struct kind *kind, const json_t *asked)
{
    const char *tail =
        kind->tail ? json_string_value(json_object_get(asked, kind->tail)) : "";
    const json_t *body = kind->body ? json_object_get(asked, kind->body) : asked;
    char path[PATH_MAX_BYTES];
    json_t *reply;

    snprintf(path, sizeof path, "%s%s", kind->path, tail ? tail : "");
    if (strcmp(kind->name, "order") == 0) /* the question's is taken in any case */
        for (char *p = path; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    struct request *r = request_make(kind->method, path, body, who);
    api_handle(s, r);
    int status = request_reply_of(r, &reply);
    json_t *o = status ? result_of(kind, status, reply) : NULL;
    request_unmake(r);
    return o ? o
             : json_pack("{s:b, s:s, s:s}", "ok", 0, "code", "internal", "message",
                 "it would be answered later, so nobody knows yet what becomes of it");
}

static json_t *try_change(
    struct server *s, const struct identity *who, const json_t *change)
{
    const json_t *asked = NULL;
    const struct kind *kind = kind_of(change, &asked);
    struct err err = {0};

    if (kind->path)
        return try_request(s, who, kind, asked);
    if (try_node(s, who, asked, &err) == 0)
        return json_pack("{s:b}", "ok", 1);
    struct request *r = request_make("POST", "", NULL, who);
    json_t *reply;
    request_refuse(r, &err);
    (void)request_reply_of(r, &reply);
    json_t *o = result_of_error(reply);
    request_unmake(r);
    return o;
}

/* By name, of a reservation that there is no room for. */
static json_t *list_in_way(struct server *s, const struct identity *who,
    const json_t *change, const json_t *result)
{
    const char *code = json_string_value(json_object_get(result, "code"));
    const json_t *asked = NULL;
    const struct kind *kind = kind_of(change, &asked);

    if (!code || strcmp(code, "conflict") != 0)
        return NULL;
    if (strcmp(kind->name, "reserve") == 0)
        return inway_of_draft(s, who, (json_t *)asked);
    if (strcmp(kind->name, "change_reservation") != 0)
        return NULL;
    return inway_of_change(s, who, json_string_value(json_object_get(asked, "name")),
        json_object_get(asked, "change"));
}

/* In order, until one is refused. False: one was. */
static bool try_changes(
    struct server *s, const struct identity *who, const json_t *changes, json_t *o)
{
    json_t *results = json_array(), *change, *in_way;
    bool good = true;
    size_t i;

    json_array_foreach((json_t *)changes, i, change)
    {
        json_t *result = try_change(s, who, change);
        json_array_append_new(results, result);
        good = json_is_true(json_object_get(result, "ok"));
        if (good)
            continue;
        json_object_set_new(o, "refused", json_integer((json_int_t)i));
        if ((in_way = list_in_way(s, who, change, result)) != NULL)
            json_object_set_new(o, "in_the_way", in_way);
        break;
    }
    json_object_set_new(o, "changes", results);
    return good;
}

/* ---- nodes that jobs have left ---- */

/* Who was on which nodes, by number of the job. */
struct stay {
    uint32_t job, first, count;
};
struct stays VEC(struct stay);

static void note_stays(struct server *s, struct stays *ret)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        for (size_t k = 0; k < j->alloc.n; k++)
            vec_push(ret,
                ((struct stay){j->index, j->alloc.v[k].first, j->alloc.v[k].count}));
    }
}

static void tell_all_left(struct server *s, const struct stays *stays)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < stays->n; i++) {
        const struct stay *x = &stays->v[i];
        const struct job *j = x->job < c->jobs.n ? c->jobs.v[x->job] : NULL;
        for (uint32_t k = 0; k < x->count && (!j || !job_is_active(j)); k++)
            life_leave_node(s->engine, world_now(s), x->first + k);
    }
}

/* ---- cycles ---- */

static uint64_t count_decided(const struct server *s)
{
    const struct engine_stats *stats = engine_stats(s->engine);

    return stats->started + stats->deferred + stats->cancelled + stats->preempted;
}

/* What one cycle decides may be found room for by the next, which the daemon runs as
 * soon as it hears of a start or an end. At one instant, until nothing more comes. */
static void run_cycles(struct server *s)
{
    uint64_t before;
    int n = 0;

    do {
        before = count_decided(s);
        world_cycle(s);
    } while (count_decided(s) != before && ++n < CYCLES_MAX);
}

/* ---- the answer ---- */

static void note_planned(json_t *notes, const char *when, const struct picture *p)
{
    if (p->planned < p->of)
        json_array_append_new(notes,
            json_sprintf("%s: %zu of the %zu jobs that wait for room were planned in "
                         "the time that there is; of the others nothing is foretold",
                when, p->planned, p->of));
}

/* Takes the notes that there are by now. */
static void put_notes(struct server *s, json_t *notes, json_t *o)
{
    if (s->control.paused)
        json_array_append_new(
            notes, json_string("scheduling is stopped: this is as if it went on"));
    if (!manager_ready(s))
        json_array_append_new(
            notes, json_string("the resource manager is out of reach: this is as if it "
                               "answered, and all were as it told last"));
    json_array_extend(notes, whatif_notes(s));
    if (json_array_size(notes))
        json_object_set(o, "notes", notes);
    json_decref(notes);
}

static void put_watched(struct server *s, const json_t *ids,
    const struct picture *before, const struct picture *after, json_t *o)
{
    json_t *list = json_array(), *id;
    size_t i;

    json_array_foreach((json_t *)ids, i, id)
    {
        struct standing was = picture_find(s, before, json_string_value(id));
        struct standing is = picture_find(s, after, json_string_value(id));
        json_t *one = json_pack("{s:O, s:s, s:s}", "id", id, "before",
            stand_name(was.stand), "after", stand_name(is.stand));
        if (was.at)
            render_instant(one, "before_at", was.at);
        if (is.at)
            render_instant(one, "after_at", is.at);
        json_array_append_new(list, one);
    }
    json_object_set_new(o, "watched", list);
}

/* What became of the changes; false: one is refused, and the rest is not worked out. */
static bool make_changes(
    struct server *s, const struct identity *who, const json_t *changes, json_t *o)
{
    struct stays stays = {0};

    note_stays(s, &stays);
    bool good = try_changes(s, who, changes, o);
    if (good)
        tell_all_left(s, &stays);
    vec_fini(&stays);
    return good;
}

/* What is different between two pictures. */
static void put_different(struct server *s, const struct identity *who,
    const json_t *body, const struct picture *before, const struct picture *after,
    json_t *o)
{
    json_object_set_new(o, "before", picture_totals(before));
    json_object_set_new(o, "after", picture_totals(after));
    picture_compare(s, who, before, after, o);
    put_watched(s, json_object_get(body, "watch"), before, after, o);
}

static void answer_by_plan(struct server *s, const struct identity *who,
    const json_t *body, json_t *notes, json_t *o)
{
    json_t *changes = json_object_get(body, "changes");
    bool same = !json_array_size(changes);
    struct picture before, after = {0};

    picture_take(s, who, &before);
    note_planned(notes, "before", &before);
    bool good = make_changes(s, who, changes, o);
    if (good && !same) {
        run_cycles(s);
        picture_take(s, who, &after);
    }
    if (good) {
        const struct picture *then = same ? &before : &after;
        note_planned(notes, "after", then);
        put_different(s, who, body, &before, then, o);
    }
    picture_fini(&after);
    picture_fini(&before);
}

static void note_lived(json_t *notes, const struct lives *l, json_t *o)
{
    int64_t until = lives_until(l);

    render_instant(o, "until", until);
    render_instant(o, "horizon_at", l->horizon_at);
    render_text(o, "runtime", l->usual ? "usual" : "limit");
    if (until >= l->horizon_at)
        return;
    char text[DURATION_TEXT_MAX];
    json_array_append_new(
        notes, json_sprintf(
                   "the time that there is for this was enough for %s from now on, and "
                   "what is told is up to there",
                   duration_format_exact(until - l->now, text, sizeof text)));
}

static void answer_by_lives(struct server *s, const struct identity *who,
    const json_t *body, json_t *notes, json_t *o)
{
    json_t *changes = json_object_get(body, "changes");
    bool same = !json_array_size(changes);
    struct picture now, before = {0}, after = {0};
    struct lives l;

    picture_note(s, who, &now);
    lives_begin(&l, s, body);
    if (!same)
        lives_split(&l);
    if (make_changes(s, who, changes, o)) {
        lives_live(&l);
        const struct lived *then = same ? &l.before : &l.after;
        lives_picture(&l, who, &now, &l.before, &before);
        lives_picture(&l, who, &now, then, &after);
        put_different(s, who, body, &before, &after, o);
        lives_totals(&l, &before, &l.before, json_object_get(o, "before"));
        lives_totals(&l, &after, then, json_object_get(o, "after"));
        note_lived(notes, &l, o);
    }
    lives_end(&l);
    picture_fini(&now);
    picture_fini(&before);
    picture_fini(&after);
}

json_t *trial_answer(struct server *s, const struct identity *who, const json_t *body)
{
    json_t *o = json_object(), *notes = json_array();
    bool lives = trial_lives(body);

    assert(s->tries);
    render_instant(o, "as_of", world_now(s));
    render_text(o, "method", lives ? "run" : "plan");
    render_int(o, "revision", (int64_t)feed_revision(s));
    picture_begin(s);
    run_cycles(s);
    (lives ? answer_by_lives : answer_by_plan)(s, who, body, notes, o);
    put_notes(s, notes, o);
    return o;
}
