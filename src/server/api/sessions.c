/* SPDX-License-Identifier: Apache-2.0
 * Logins and sessions of the page, as operations. */
#include "server/api/api.h"
#include "server/events/eventlog.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/web/page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Sessions end by a clock that never goes back; people read that of the machine. */
static int64_t wall_of(int64_t at)
{
    return (int64_t)time(NULL) + at - page_now();
}

static json_t *describe_session(struct server *s, const struct session *e)
{
    struct identity who = e->who;

    identity_set_level(&who, s->config, s->api.rights);
    return json_pack("{s:s, s:s, s:i, s:b, s:s, s:I, s:I, s:I, s:i}", "id", e->id,
        "user", who.user, "level", who.level, "read_only", e->read_only, "peer",
        e->peer, "made_at", (json_int_t)wall_of(e->made_at), "used_at",
        (json_int_t)wall_of(e->used_at), "expires_at", (json_int_t)wall_of(e->end_at),
        "idle_s", SESSION_IDLE_S);
}

/* On the unix socket the login as it is. Over a network the whole address is sealed for
 * who asked: nobody on the way reads the login, nor has it opened elsewhere. */
static json_t *describe_login(
    struct request *r, const char *origin, const char *secret, struct err *err)
{
    bool seals = request_way(r) == WAY_MUNGE;
    struct strbuf url = {0};
    json_t *o = json_pack("{s:I}", "expires_at", (json_int_t)(time(NULL) + LOGIN_S));

    strbuf_printf(&url, "%s/ui/#login=%s", origin, secret);
    if (seals) {
        char *sealed = identity_seal(request_who(r)->uid, url.text, err);
        json_object_set_new(o, "sealed", json_string(sealed ? sealed : ""));
        free(sealed);
    } else {
        json_object_set_new(o, "url", json_string(url.text));
        json_object_set_new(o, "login", json_string(secret));
    }
    secret_wipe(url.text, url.len);
    free(url.text);
    if (err->code) {
        json_decref(o);
        return NULL;
    }
    return o;
}

void api_login(struct server *s, struct request *r)
{
    char secret[SECRET_CHARS + 1], origin[300];
    struct err err = {0};
    json_t *body, *seconds, *most;
    size_t len;

    request_body(r, &len);
    body = len ? request_json(r, &err) : NULL;
    seconds = json_object_get(body, "seconds");
    most = json_object_get(body, "level_max");
    struct session_wish wish = {
        .read_only = json_is_true(json_object_get(body, "read_only")),
        .level_most = json_is_integer(most) ? (int)json_integer_value(most) : -1,
        .length_s = json_is_integer(seconds) ? json_integer_value(seconds) : 0};

    if (request_way(r) == WAY_PAGE)
        err_set(&err, ERR_DENIED,
            "a login is asked for on the unix socket or with MUNGE: `maui dashboard`");
    else if (wish.length_s < 0 || (json_is_integer(seconds) && wish.length_s < 60))
        err_set(&err, ERR_INVALID, "seconds: expected 60 or more");
    else if (json_is_integer(most) && (wish.level_most < 0 || wish.level_most > 3))
        err_set(&err, ERR_INVALID, "level_max: expected 0 to 3");
    else if (page_listen(s, origin, sizeof origin, &err) == 0)
        sessions_login(
            page_sessions(s), request_who(r), &wish, page_now(), secret, &err);
    json_t *told = err.code ? NULL : describe_login(r, origin, secret, &err);
    if (told)
        request_reply_json(r, told);
    else
        request_refuse(r, &err);
    secret_wipe(secret, sizeof secret);
}

/* ---- the exchange ---- */

static void tell_refusal(
    struct server *s, enum exchange how, const struct exchanged *e, const char *peer)
{
    bool twice = how == EXCHANGE_TWICE;

    if (how == EXCHANGE_LATER)
        return; /* so many cannot be told each */
    json_t *more =
        json_pack("{s:s, s:s, s:s*, s:s}", "type", "session", "peer", peer, "user",
            e->user[0] ? e->user : NULL, "reason", twice ? "used twice" : "not valid");
    if (twice)
        eventlog_add(s, WEBREFUSED, e->ended, true, more,
            "a login of user %s was used a second time, from %s: session %s is ended",
            e->user, peer, e->ended);
    else
        eventlog_add(s, WEBREFUSED, e->user, false, more,
            "a login%s%s was refused that came from %s", e->user[0] ? " of user " : "",
            e->user, peer);
}

void api_exchange(struct server *s, struct request *r)
{
    char peer[64];
    struct exchanged e;
    struct err err = {0};

    if (request_way(r) != WAY_PAGE) {
        err_set(&err, ERR_CONFLICT, "a login is exchanged at the page's own address");
        request_refuse(r, &err);
        return;
    }
    json_t *body = request_json(r, &err);
    const char *login = json_string_value(json_object_get(body, "login"));
    request_peer(r, peer, sizeof peer);
    enum exchange how = sessions_exchange(
        page_sessions(s), login ? login : "", peer, page_now(), &e, &err);
    page_tend(s);
    if (how != EXCHANGE_DONE) {
        if (how != EXCHANGE_FULL) /* it may be asked again and again */
            tell_refusal(s, how, &e, peer);
        if (how == EXCHANGE_LATER)
            request_refuse_as(r, 429, "busy", NULL, err.text);
        else if (how == EXCHANGE_FULL)
            request_refuse(r, &err);
        else
            request_refuse_as(r, 401, "unauthenticated", NULL, err.text);
        return;
    }
    eventlog_add(s, WEBLOGIN, e.session->id, false,
        json_pack("{s:s, s:s, s:s, s:b}", "type", "session", "user", e.user, "peer",
            peer, "read_only", e.session->read_only),
        "user %s opened the page from %s, session %s%s", e.user, peer, e.session->id,
        e.session->read_only ? ", to look only" : "");
    json_t *o = describe_session(s, e.session);
    json_object_set_new(o, "secret", json_string(e.secret));
    request_reply_json(r, o);
    secret_wipe(e.secret, sizeof e.secret);
}

/* ---- sessions ---- */

static const struct session *find_session(struct server *s, const char *id)
{
    const struct session *e;

    page_tend(s);
    for (size_t i = 0; (e = sessions_at(page_sessions(s), i)) != NULL; i++)
        if (strcmp(e->id, id) == 0)
            return e;
    return NULL;
}

/* That of the caller; NULL after having refused. */
static const struct session *own_session(struct server *s, struct request *r)
{
    const char *id = request_who(r)->session;
    const struct session *e = *id ? find_session(s, id) : NULL;
    struct err err;

    if (!e) {
        err_set(&err, ERR_CONFLICT,
            *id ? "your session is over: run `maui dashboard`"
                : "you came without a session, which only the page has");
        request_refuse(r, &err);
    }
    return e;
}

static bool may_end(const struct identity *who, const struct session *e)
{
    return identity_is(who, WHO_ADMIN1) || who->uid == e->who.uid;
}

static void end_session(
    struct server *s, const struct session *e, const struct identity *who)
{
    char id[sizeof e->id];
    bool own = who->session[0] && strcmp(who->session, e->id) == 0;

    snprintf(id, sizeof id, "%s", e->id);
    eventlog_add(s, WEBLOGOUT, id, false,
        json_pack(
            "{s:s, s:s, s:s}", "type", "session", "user", e->who.user, "by", who->user),
        "user %s ended the session %s of user %s", who->user, id, e->who.user);
    sessions_end(page_sessions(s), id,
        own ? "you have logged out: `maui dashboard` opens the page again"
            : "your session was ended by `maui dashboard --end`, or by an "
              "administrator");
    page_tend(s);
}

void api_session(struct server *s, struct request *r)
{
    const struct session *e = own_session(s, r);

    if (e)
        request_reply_json(r, describe_session(s, e));
}

void api_logout(struct server *s, struct request *r)
{
    struct identity who = *request_who(r);
    const struct session *e = own_session(s, r);

    if (!e)
        return;
    end_session(s, e, &who);
    request_reply_json(r, json_pack("{s:s}", "message", "you have logged out"));
}

void api_sessions(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    json_t *all = json_array();
    const struct session *e;

    page_tend(s);
    for (size_t i = 0; (e = sessions_at(page_sessions(s), i)) != NULL; i++)
        if (may_end(who, e))
            json_array_append_new(all, describe_session(s, e));
    request_reply_json(r, json_pack("{s:o}", "sessions", all));
}

/* All that the caller may end: those of all users for administrators. */
static unsigned end_all(struct server *s, const struct identity *who)
{
    const struct session *e;
    unsigned n = 0;

    for (size_t i = 0; (e = sessions_at(page_sessions(s), i)) != NULL;)
        if (may_end(who, e)) {
            end_session(s, e, who);
            n++;
        } else {
            i++;
        }
    return n;
}

void api_end_session(struct server *s, struct request *r)
{
    struct identity who = *request_who(r);
    const char *id = request_param(r, "id");
    bool all = strcmp(id, "all") == 0;
    const struct session *e = all ? NULL : find_session(s, id);
    struct err err;
    unsigned n = 1;

    if (all) {
        n = end_all(s, &who);
    } else if (e && may_end(&who, e)) {
        end_session(s, e, &who);
    } else {
        err_set(&err, ERR_NOT_FOUND,
            "there is no session '%.40s' of yours; `maui dashboard --sessions` lists "
            "them",
            id);
        request_refuse(r, &err);
        return;
    }
    struct strbuf text = {0};
    strbuf_printf(&text, "%u session%s ended", n, n == 1 ? "" : "s");
    request_reply_json(r, json_pack("{s:s}", "message", text.text));
    free(text.text);
}
