/* SPDX-License-Identifier: Apache-2.0
 * Reservations changed while they live. What was asked for first is merged with what is
 * asked for now, and read by the one parser for all reservations; the engine then takes
 * over what has changed. */
#include "base/nearest.h"
#include "config/setres.h"
#include "server/api/api.h"
#include "server/drafts/reservation.h"
#include "server/durable/rsvkeep.h"
#include "server/render/render.h"
#include "server/render/rsvcheck.h"
#include "server/server_private.h"

/* Of a list that is edited name by name, which takes the square of that. */
#define NAMES_MAX 1000

/* What of the engine's reservation a part of what was asked is; 0: nothing. */
static const unsigned changes[SETRES_PARTS] = {[SETRES_WINDOW] = RSV_CHANGE_WINDOW,
    [SETRES_ACCESS] = RSV_CHANGE_ACL,
    [SETRES_PLACES] = RSV_CHANGE_PLACES,
    [SETRES_TASKS] = RSV_CHANGE_TASKS,
    [SETRES_FLAGS] = RSV_CHANGE_FLAGS,
    [SETRES_OWNER] = RSV_CHANGE_OWNER,
    [SETRES_CHARGE] = RSV_CHANGE_CHARGE,
    [SETRES_TRIGGERS] = RSV_CHANGE_TRIGGERS};

/* An attribute that may be changed. */
static const struct setres_attr *find_attribute(const char *name, struct err *err)
{
    const struct setres_attr *a;
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; (a = setres_attr_at(i)) != NULL; i++) {
        if (a->part == SETRES_MADE)
            continue;
        if (strcmp(a->name, name) == 0)
            return a;
        nearest_offer(&near, a->name);
    }
    const char *best = nearest_best(&near);
    err_set(err, ERR_INVALID,
        "'%.40s' is not an attribute of a reservation that can be changed%s%s%s", name,
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    return NULL;
}

/* ---- lists ---- */

static void add_words(json_t *list, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, ":,| ");
        if (len)
            json_array_append_new(list, json_stringn(text, len));
        text += len + (text[len] != 0);
    }
}

/* ["a:b", "c"] as ["a", "b", "c"]. */
static json_t *flat(const json_t *value)
{
    json_t *list = json_array(), *entry;
    size_t i;

    if (json_is_string(value))
        add_words(list, json_string_value(value));
    json_array_foreach(value, i, entry) if (json_is_string(entry))
        add_words(list, json_string_value(entry));
    return list;
}

/* The name without the marks of an access list. */
static size_t bare(const char **text)
{
    *text += strspn(*text, "!*");
    return strcspn(*text, "+-=*!&@");
}

static bool same(const char *a, const char *b)
{
    size_t n = bare(&a), m = bare(&b);

    return n == m && strncasecmp(a, b, n) == 0;
}

static void drop(json_t *list, const char *word)
{
    for (size_t i = json_array_size(list); i-- > 0;)
        if (same(json_string_value(json_array_get(list, i)), word))
            json_array_remove(list, i);
}

/* `words` go into the list, in place of those of the same name, or out of it. */
static int edit_list(
    json_t *asked, const char *name, const json_t *words, bool in, struct err *err)
{
    json_t *list = flat(json_object_get(asked, name)), *more = flat(words), *entry;
    size_t i, total = json_array_size(list) + json_array_size(more);

    json_array_foreach(more, i, entry)
    {
        if (total > NAMES_MAX)
            break;
        drop(list, json_string_value(entry));
        if (in)
            json_array_append(list, entry);
    }
    json_object_set_new(asked, name, list);
    json_decref(more);
    return total <= NAMES_MAX ? 0
                              : err_set(err, ERR_INVALID,
                                  "%s: %zu names, of which one by one at most %d are "
                                  "added or removed",
                                  name, total, NAMES_MAX);
}

static int edit_lists(
    json_t *asked, json_t *lists, bool in, unsigned *what, struct err *err)
{
    const char *name;
    json_t *value;

    json_object_foreach(lists, name, value)
    {
        const struct setres_attr *m = find_attribute(name, err);
        if (!m)
            return -1;
        if (m->value != SETRES_LIST)
            return err_set(err, ERR_INVALID, "'%.40s' is not a list of names", name);
        if (edit_list(asked, name, value, in, err) < 0)
            return -1;
        *what |= changes[m->part];
    }
    return 0;
}

/* ---- the window ---- */

/* As it is now: what was asked for may have begun at "now". */
static void put_window(json_t *asked, const struct reservation *r)
{
    json_object_del(asked, "duration_s");
    json_object_del(asked, "end_at");
    json_object_set_new(asked, "start_at", json_integer(r->start_at));
    if (r->end_at < TIME_NEVER)
        json_object_set_new(asked, "end_at", json_integer(r->end_at));
}

/* Another start alone moves the reservation, its length stays. */
static int edit_window(
    json_t *asked, const json_t *change, const struct reservation *r, struct err *err)
{
    json_t *start = json_object_get(change, "start_at");
    json_t *end = json_object_get(change, "end_at");
    json_t *length = json_object_get(change, "duration_s");
    int64_t at = start ? json_integer_value(start) : r->start_at;

    if ((start && !json_is_integer(start))
        || (end && !json_is_integer(end) && !json_is_null(end))
        || (length && !json_is_integer(length) && !json_is_null(length)))
        return err_set(
            err, ERR_INVALID, "start_at, end_at, duration_s: expected seconds");
    if (length && json_is_integer(length) && json_integer_value(length) < 1)
        return err_set(err, ERR_INVALID, "a duration of %lld reserves nothing",
            (long long)json_integer_value(length));
    json_object_set_new(asked, "start_at", json_integer(at));
    if (length)
        end = json_is_integer(length)
                  ? json_integer(time_add(at, json_integer_value(length)))
                  : json_null();
    else if (end)
        json_incref(end);
    else
        end = r->end_at < TIME_NEVER
                  ? json_integer(time_add(at, r->end_at - r->start_at))
                  : json_null();
    if (json_is_integer(end))
        json_object_set(asked, "end_at", end);
    else
        json_object_del(asked, "end_at");
    json_decref(end);
    return 0;
}

/* ---- all ---- */

/* Merge the change into what was asked; *what tells what the engine has to change. */
static int merge(json_t *asked, json_t *change, const struct reservation *r,
    unsigned *what, struct err *err)
{
    const char *name;
    json_t *value;

    *what = 0;
    put_window(asked, r);
    json_object_foreach(change, name, value)
    {
        if (strcmp(name, "add") == 0 || strcmp(name, "remove") == 0) {
            if (edit_lists(asked, value, *name == 'a', what, err) < 0)
                return -1;
            continue;
        }
        const struct setres_attr *m = find_attribute(name, err);
        if (!m)
            return -1;
        *what |= changes[m->part];
        if (m->part == SETRES_WINDOW)
            continue;
        if (m->part == SETRES_TASKS) /* that many, not a range */
            json_object_del(asked, "least_tasks");
        if (json_is_null(value))
            json_object_del(asked, name);
        else
            json_object_set(asked, name, value);
    }
    if (json_object_size(change) == 0)
        return err_set(err, ERR_INVALID, "nothing to change is named");
    return *what & RSV_CHANGE_WINDOW ? edit_window(asked, change, r, err) : 0;
}

static int apply(struct server *s, const struct reservation *r, json_t *asked,
    unsigned what, const struct identity *who, struct err *err)
{
    struct reservation draft;

    if (rsvasked_draft(s, asked, r->kind, &draft, err) < 0)
        return -1;
    struct event ev = {.kind = EVENT_CHANGE_RESERVATION,
        .u.change_reservation = {.name = r->name,
            .what = what,
            .draft = &draft,
            .who = {who->user, who->level}}};
    int result = world_apply(s, &ev, NULL, err);
    reservation_fini(&draft);
    return result;
}

/* What is of a job or a standing reservation was not asked for by anybody. */
static const struct reservation *changeable(
    struct server *s, const char *name, const struct identity *who, struct err *err)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct reservation *r = reservation_find(c, name);

    if (!r && job_find(c, name))
        err_set(err, ERR_CONFLICT,
            "reservation '%.80s' is that of a job: change the job", name);
    else if (!r || !reservation_is_live(r) || !identity_sees(who, c, r))
        rsvcheck_missing(c, who, name, err);
    else if (r->kind == RSV_STANDING)
        err_set(err, ERR_CONFLICT,
            "reservation '%.80s' is an instance of a standing one: change SRCFG[%.80s]",
            r->name, r->base);
    else
        return r;
    return NULL;
}

void api_change_reservation(struct server *s, struct request *q)
{
    const struct identity *who = request_who(q);
    struct err err = {0};
    json_t *change = request_json(q, &err);
    const struct reservation *r =
        change ? changeable(s, request_param(q, "name"), who, &err) : NULL;
    json_t *asked = r ? json_deep_copy(rsvkeep_asked(s, r)) : NULL;
    unsigned what;

    if (r && !asked)
        asked = json_object();
    if (!r || merge(asked, change, r, &what, &err) < 0
        || apply(s, r, asked, what, who, &err) < 0) {
        json_decref(asked);
        request_refuse(q, &err);
        return;
    }
    rsvkeep_change(s, r, asked);
    log_line(s->log, LOG_ACTION, "reservation '%s' changed by %s", r->name, who->user);
    commit_then_reply(s, q, render_reservation(s, r));
}
