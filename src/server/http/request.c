/* SPDX-License-Identifier: Apache-2.0
 * A request as its handler sees it, and its reply: at once, later, or in pieces. */
#include "server/http/request.h"

#include "base/xalloc.h"
#include "server/http/private.h"
#include "server/render/render.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define STREAM_BLOCK (128 * 1024)
#define VALUES_MAX   100000

void request_drop(struct request *r)
{
    json_decref(r->json);
    for (unsigned i = 0; i < r->nparams; i++)
        free(r->params[i].value);
    free(r->body.text);
    free(r->promised);
    free(r->target);
    free(r->method);
    free(r->path);
    free(r);
}

/* ---- what a handler reads ---- */

const char *request_method(const struct request *r)
{
    return r->method;
}

const char *request_path(const struct request *r)
{
    return r->path;
}

const char *request_target(const struct request *r)
{
    return r->target;
}

const struct identity *request_who(const struct request *r)
{
    return &r->who;
}

void request_set_level(
    struct request *r, const struct config *config, const struct rights *rights)
{
    identity_set_level(&r->who, config, rights);
}

const char *request_query(const struct request *r, const char *name)
{
    const char *value = NULL;

    if (!r->connection)
        return made_query(r, name);
    if (MHD_lookup_connection_value_n(
            r->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value, NULL)
        == MHD_NO)
        return NULL;
    return value ? value : "";
}

/* NO ends it: a word that JSON cannot have. */
static enum MHD_Result add_query(
    void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
    json_t **o = ctx;

    (void)kind;
    if (json_object_get(*o, name)
        || json_object_set_new(*o, name, json_string(value ? value : "")) == 0)
        return MHD_YES;
    json_decref(*o);
    *o = NULL;
    return MHD_NO;
}

json_t *request_query_all(const struct request *r)
{
    json_t *o = json_object();

    if (r->connection)
        MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, add_query, &o);
    return o;
}

enum request_way request_way(const struct request *r)
{
    static const enum request_way ways[DOORS] = {
        [DOOR_LOCAL] = WAY_SOCKET, [DOOR_TCP] = WAY_MUNGE, [DOOR_PAGE] = WAY_PAGE};

    return r->listener ? ways[r->listener->door] : WAY_SOCKET;
}

void request_peer(const struct request *r, char *ret, size_t size)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    if (!info
        || getnameinfo(info->client_addr, sizeof(struct sockaddr_in6), ret,
               (socklen_t)size, NULL, 0, NI_NUMERICHOST)
               != 0)
        snprintf(ret, size, "?");
}

const char *request_header(const struct request *r, const char *name)
{
    return r->connection
               ? MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name)
               : made_header(r, name);
}

const char *request_param(const struct request *r, const char *name)
{
    for (unsigned i = 0; i < r->nparams; i++)
        if (strcmp(r->params[i].name, name) == 0)
            return r->params[i].value;
    return NULL;
}

void request_set_param(
    struct request *r, const char *name, const char *begin, size_t len)
{
    if (r->nparams == PARAMS_MAX)
        return;
    struct param *p = &r->params[r->nparams++];
    snprintf(p->name, sizeof p->name, "%s", name);
    p->value = xcalloc(1, len + 1);
    memcpy(p->value, begin, len);
}

const char *request_body(const struct request *r, size_t *ret_len)
{
    if (ret_len)
        *ret_len = r->body.len;
    return r->body.text ? r->body.text : "";
}

/* More values than that take a hundred times the memory of their text. */
static bool has_too_many_values(const struct strbuf *body)
{
    size_t n = 0;
    bool quoted = false;

    for (size_t i = 0; i < body->len; i++) {
        char c = body->text[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\';
        else
            n += c == ',' || c == '[' || c == '{';
    }
    return n > VALUES_MAX;
}

json_t *request_json(struct request *r, struct err *err)
{
    json_error_t where;

    if (r->json)
        return r->json;
    if (has_too_many_values(&r->body)) {
        err_set(err, ERR_INVALID, "the request has more than %d values", VALUES_MAX);
        return NULL;
    }
    r->json =
        json_loadb(request_body(r, NULL), r->body.len, JSON_REJECT_DUPLICATES, &where);
    if (!r->json) {
        err_set(err, ERR_INVALID, "the request is not JSON: line %d, column %d: %s",
            where.line, where.column, where.text);
        return NULL;
    }
    if (!json_is_object(r->json)) {
        err_set(err, ERR_INVALID, "the request is not a JSON object");
        json_decref(r->json);
        r->json = NULL;
    }
    return r->json;
}

/* ---- replies ---- */

/* Resumed connections are looked at in a turn of their own. */
void http_look_soon(struct listener *l)
{
    sd_event_source_set_time(l->timer, 0);
    sd_event_source_set_enabled(l->timer, SD_EVENT_ONESHOT);
}

static void hand_over(struct request *r, int status, struct MHD_Response *response)
{
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (r->listener->door == DOOR_PAGE)
        page_finish(r, status, response);
    if (r->again_s) {
        char seconds[12];
        snprintf(seconds, sizeof seconds, "%u", r->again_s);
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
    }
    r->response = response;
    r->status = status;
    if (!r->suspended)
        return; /* within the handler: queued when that returns */
    r->suspended = false;
    TAILQ_REMOVE(&r->listener->http->kept, r, next);
    MHD_resume_connection(r->connection);
    http_look_soon(r->listener);
}

static void give_reply(
    struct request *r, int status, const char *type, struct MHD_Response *response)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    hand_over(r, status, response);
}

void request_reply_bytes(struct request *r, int status, void *bytes, size_t len,
    bool owned, const struct reply_header *headers)
{
    if (!r->connection) {
        made_reply_bytes(r, status, bytes, len, headers);
        if (owned)
            free(bytes);
        return;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(
        len, bytes, owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

    for (; headers->name; headers++)
        MHD_add_response_header(response, headers->name, headers->value);
    hand_over(r, status, response);
}

void request_reply_lent(struct request *r, int status, void *bytes, size_t len,
    const struct reply_header *headers, void (*fetched)(void *ctx), void *ctx)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback_cls(
            len, bytes, fetched, ctx);

    for (; headers->name; headers++)
        MHD_add_response_header(response, headers->name, headers->value);
    hand_over(r, status, response);
}

static void reply_owned(
    struct request *r, int status, const char *type, char *text, size_t len)
{
    const struct reply_header headers[] = {{"Content-Type", type}, {NULL, NULL}};

    if (!r->connection) {
        made_reply_bytes(r, status, text, len, headers);
        free(text);
        return;
    }
    give_reply(r, status, type,
        MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE));
}

void request_reply_shared(struct request *r, const char *type, const char *state,
    const char *text, size_t len, void (*release)(void *ctx), void *ctx)
{
    char tag[REQUEST_STATE_MAX + 2];
    const struct reply_header headers[] = {{"Content-Type", type},
        {"Cache-Control", "no-store"}, {state ? "ETag" : NULL, tag}, {NULL, NULL}};

    snprintf(tag, sizeof tag, "\"%s\"", state ? state : "");
    if (!r->connection) {
        made_reply_bytes(r, MHD_HTTP_OK, text, len, headers);
        release(ctx);
        return;
    }
    request_reply_lent(r, MHD_HTTP_OK, (void *)(uintptr_t)text, len, headers, release,
        ctx); /* it only reads */
}

bool request_reply_known(struct request *r, const char *state)
{
    static const struct reply_header headers[] = {
        {"Cache-Control", "no-store"}, {NULL, NULL}};
    const char *has = request_header(r, "If-None-Match");
    size_t n = strlen(state);

    if (!has || has[0] != '"' || strncmp(has + 1, state, n) != 0
        || strcmp(has + 1 + n, "\"") != 0)
        return false;
    request_reply_bytes(r, MHD_HTTP_NOT_MODIFIED, NULL, 0, false, headers);
    return true;
}

static void reply_json_as(struct request *r, int status, json_t *body)
{
    if (!r->connection) {
        made_reply_record(r, status, body);
        return;
    }
    char *text = json_dumps(body, JSON_COMPACT | JSON_PRESERVE_ORDER);

    json_decref(body);
    if (!text)
        text = xstrdup("{}");
    reply_owned(r, status, "application/json", text, strlen(text));
}

void request_reply_json(struct request *r, json_t *body)
{
    reply_json_as(r, MHD_HTTP_OK, body);
}

void request_reply_text(struct request *r, const char *type, const char *text)
{
    reply_owned(r, MHD_HTTP_OK, type, xstrdup(text), strlen(text));
}

void request_refuse_as(struct request *r, int status, const char *code,
    const char *field, const char *text)
{
    json_t *error = json_pack("{s:s, s:o}", "code", code, "message", render_utf8(text));

    if (error && field)
        json_object_set_new(error, "field", json_string(field));
    reply_json_as(r, status, json_pack("{s:o}", "error", error));
}

void request_refuse_for_now(
    struct request *r, unsigned seconds, const char *text, json_t *waiting_for)
{
    json_t *error =
        json_pack("{s:s, s:o}", "code", "unavailable", "message", render_utf8(text));

    r->again_s = seconds;
    reply_json_as(r, MHD_HTTP_SERVICE_UNAVAILABLE,
        json_pack("{s:o, s:o*}", "error", error, "waiting_for", waiting_for));
}

void request_refuse(struct request *r, const struct err *err)
{
    static const struct {
        int status;
        const char *code;
    } kinds[] = {
        [ERR_NONE] = {MHD_HTTP_INTERNAL_SERVER_ERROR, "internal"},
        [ERR_INVALID] = {MHD_HTTP_BAD_REQUEST, "invalid"},
        [ERR_NOT_FOUND] = {MHD_HTTP_NOT_FOUND, "not_found"},
        [ERR_DENIED] = {MHD_HTTP_FORBIDDEN, "forbidden"},
        [ERR_CONFLICT] = {MHD_HTTP_CONFLICT, "conflict"},
        [ERR_IO] = {MHD_HTTP_SERVICE_UNAVAILABLE, "unavailable"},
    };

    request_refuse_as(
        r, kinds[err->code].status, kinds[err->code].code, NULL, err->text);
}

void request_cut(struct request *r)
{
    connections_cut(r->listener->http->connections, r->owner);
}

/* ---- long replies ---- */

struct streaming {
    struct request_stream stream;
    struct request *request;
    struct strbuf room;
    size_t sent;
    bool last;
};

/* The library must not ask again before http_wake(). */
static ssize_t doze(struct streaming *s)
{
    struct http *h = s->request->listener->http;

    if (h->closing) {
        s->last = true;
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    s->request->dozing = true;
    TAILQ_INSERT_TAIL(&h->dozing, s->request, next);
    MHD_suspend_connection(s->request->connection);
    return 0;
}

void http_wake(struct http *h)
{
    struct request *r;

    while ((r = TAILQ_FIRST(&h->dozing)) != NULL) {
        TAILQ_REMOVE(&h->dozing, r, next);
        r->dozing = false;
        MHD_resume_connection(r->connection);
        http_look_soon(r->listener);
    }
}

static ssize_t read_stream(void *ctx, uint64_t position, char *buffer, size_t max)
{
    struct streaming *s = ctx;

    (void)position;
    if (s->stream.live && !page_lives(s->request))
        return MHD_CONTENT_READER_END_OF_STREAM;
    while (s->sent == s->room.len) {
        if (s->last)
            return MHD_CONTENT_READER_END_OF_STREAM;
        s->sent = s->room.len = 0;
        s->last = !s->stream.more(s->stream.ctx, &s->room);
        if (s->stream.live && !s->last && s->room.len == 0)
            return doze(s);
    }
    size_t n = s->room.len - s->sent < max ? s->room.len - s->sent : max;
    memcpy(buffer, s->room.text + s->sent, n);
    s->sent += n;
    return (ssize_t)n;
}

static void free_stream(void *ctx)
{
    struct streaming *s = ctx;

    s->stream.done(s->stream.ctx);
    free(s->room.text);
    free(s);
}

void request_reply_stream(
    struct request *r, const char *type, const struct request_stream *stream)
{
    if (!r->connection) {
        made_reply_stream(r, type, stream);
        return;
    }
    struct streaming *s = xcalloc(1, sizeof *s);

    s->stream = *stream;
    s->request = r;
    give_reply(r, MHD_HTTP_OK, type,
        MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, s, free_stream));
}
