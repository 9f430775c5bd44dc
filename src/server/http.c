/* SPDX-License-Identifier: Apache-2.0
 * HTTP: libmicrohttpd in the event loop.
 *
 * The library has an epoll descriptor of its own, which nests in the loop: when it is
 * ready, or the library's time is up, MHD_run_wait(0) does what is due and calls back.
 * A request that is kept gets its connection suspended until the reply is there. */
#include "server/http.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "server/connections.h"
#include "server/render.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PARAMS_MAX   2
#define STREAM_BLOCK (128 * 1024)
/* Turns in which the last answers go out: as many as fit into sockets' buffers. */
#define LAST_TURNS 3

/* One listening socket with its share of the library. */
struct listener {
    struct http *http;
    struct MHD_Daemon *daemon;
    sd_event_source *io, *timer;
    bool local;
};

struct http {
    struct http_options opt;
    sd_event *loop;
    char *socket_path;
    struct listener listeners[2];
    struct connections *connections;
    TAILQ_HEAD(request_list, request) kept; /* suspended until there is a reply */
    struct request_list dozing;             /* live replies that have nothing to say */
    unsigned nlisteners, open;
    uint64_t requests;
    bool closing;
};

struct param {
    char name[24];
    char *value; /* owned */
};

struct request {
    struct listener *listener;
    struct MHD_Connection *connection;
    struct connection *owner;
    TAILQ_ENTRY(request) next; /* while suspended */
    char *target;              /* owned: path and query, as sent */
    char *method, *path;       /* owned; NULL until the head is complete */
    struct strbuf body;
    json_t *json;
    struct identity who;
    struct param params[PARAMS_MAX];
    unsigned nparams;
    struct MHD_Response *response; /* the reply, until it is queued */
    int status;
    bool handling;  /* inside the handler's call */
    bool suspended; /* the client waits for a later reply */
    bool dozing;    /* it waits for more of a live one */
    bool too_large;
};

/* ---- what a handler reads ---- */

const char *request_method(const struct request *r)
{
    return r->method;
}

const char *request_path(const struct request *r)
{
    return r->path;
}

const struct identity *request_who(const struct request *r)
{
    return &r->who;
}

void request_set_level(struct request *r, const struct config *config)
{
    identity_set_level(&r->who, config);
}

const char *request_query(const struct request *r, const char *name)
{
    const char *value = NULL;

    if (MHD_lookup_connection_value_n(
            r->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value, NULL)
        == MHD_NO)
        return NULL;
    return value ? value : "";
}

const char *request_header(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
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

json_t *request_json(struct request *r, struct err *err)
{
    json_error_t where;

    if (r->json)
        return r->json;
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
static void look_soon(struct listener *l)
{
    sd_event_source_set_time(l->timer, 0);
    sd_event_source_set_enabled(l->timer, SD_EVENT_ONESHOT);
}

static void give(
    struct request *r, int status, const char *type, struct MHD_Response *response)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    r->response = response;
    r->status = status;
    if (!r->suspended)
        return; /* within the handler: queued when that returns */
    r->suspended = false;
    TAILQ_REMOVE(&r->listener->http->kept, r, next);
    MHD_resume_connection(r->connection);
    look_soon(r->listener);
}

static void reply_owned(
    struct request *r, int status, const char *type, char *text, size_t len)
{
    give(r, status, type,
        MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE));
}

static void reply_json_as(struct request *r, int status, json_t *body)
{
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
        look_soon(r->listener);
    }
}

static ssize_t read_stream(void *ctx, uint64_t position, char *buffer, size_t max)
{
    struct streaming *s = ctx;

    (void)position;
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
    struct streaming *s = xcalloc(1, sizeof *s);

    s->stream = *stream;
    s->request = r;
    give(r, MHD_HTTP_OK, type,
        MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, s, free_stream));
}

/* ---- what the library calls ---- */

static enum MHD_Result queue(struct request *r)
{
    struct MHD_Response *response = r->response;

    r->response = NULL;
    enum MHD_Result done =
        MHD_queue_response(r->connection, (unsigned)r->status, response);
    MHD_destroy_response(response);
    return done;
}

static int identify_local(struct request *r, struct err *err)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ucred peer;
    socklen_t len = sizeof peer;

    if (!info || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
        return err_set(err, ERR_DENIED, "the kernel does not tell who calls");
    identity_of_uid(peer.uid, peer.gid, &r->who);
    return 0;
}

/* What a credential on TCP is made for: method, target and body of this request. */
static char *payload_of(const struct request *r, size_t *ret_len)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s %s\n", r->method, r->target);
    size_t head = text.len;
    char *all = xrealloc(strbuf_take(&text), head + r->body.len + 1, 1);
    memcpy(all + head, request_body(r, NULL), r->body.len);
    *ret_len = head + r->body.len;
    all[*ret_len] = 0;
    return all;
}

static int identify_remote(struct request *r, struct err *err)
{
    const struct http_options *opt = &r->listener->http->opt;
    const char *header =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Authorization");
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    size_t len;

    if (!header)
        return err_set(err, ERR_DENIED, "on TCP an Authorization header is needed");
    char *payload = payload_of(r, &len);
    int result = opt->authenticate(opt->ctx, header, payload, len, &r->who, err);
    free(payload);
    if (result < 0)
        return -1;
    if (!info
        || getnameinfo(info->client_addr, sizeof(struct sockaddr_in6), r->who.host,
               sizeof r->who.host, NULL, 0, NI_NUMERICHOST)
               != 0)
        snprintf(r->who.host, sizeof r->who.host, "?");
    return 0;
}

static void dispatch(struct request *r)
{
    struct http *h = r->listener->http;
    struct err err;

    h->requests++;
    if (h->closing) {
        request_refuse_as(r, MHD_HTTP_SERVICE_UNAVAILABLE, "unavailable", NULL,
            "the scheduler is stopping");
        return;
    }
    if (r->too_large) {
        char text[80];
        snprintf(
            text, sizeof text, "the request is longer than %zu bytes", h->opt.body_max);
        request_refuse_as(r, 413, "too_large", NULL, text);
        return;
    }
    if ((r->listener->local ? identify_local(r, &err) : identify_remote(r, &err)) < 0) {
        request_refuse_as(r, MHD_HTTP_UNAUTHORIZED, "unauthenticated", NULL, err.text);
        return;
    }
    h->opt.handle(h->opt.ctx, r);
}

/* The first line has come: a request begins, with its target as it was sent. */
static void *on_target(void *ctx, const char *target, struct MHD_Connection *connection)
{
    struct request *r = xcalloc(1, sizeof *r);

    r->listener = ctx;
    r->connection = connection;
    r->target = xstrdup(target);
    return r;
}

/* Its head is complete. */
static void begin(struct request *r, const char *url, const char *method)
{
    r->owner =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
            ->socket_context;
    r->method = xstrdup(method);
    r->path = xstrdup(url);
    r->listener->http->open++;
}

/* NOLINTNEXTLINE(readability-function-size): the library's callback has 8 parameters */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection,
    const char *url, const char *method, const char *version, const char *data,
    size_t *io_len, void **io_request)
{
    struct listener *l = ctx;
    struct request *r = *io_request;

    (void)version;
    if (!r->method) {
        begin(r, url, method);
        return MHD_YES;
    }
    if (*io_len) {
        if (r->body.len + *io_len > l->http->opt.body_max)
            r->too_large = true; /* read on and drop: then the client gets to know */
        else
            strbuf_add_n(&r->body, data, *io_len);
        *io_len = 0;
        return MHD_YES;
    }
    if (r->response)
        return queue(r);
    connections_serve(l->http->connections, r->owner);
    r->handling = true;
    dispatch(r);
    r->handling = false;
    if (r->response)
        return queue(r);
    r->suspended = true;
    TAILQ_INSERT_TAIL(&l->http->kept, r, next);
    MHD_suspend_connection(connection);
    return MHD_YES;
}

static void on_completed(void *ctx, struct MHD_Connection *connection,
    void **io_request, enum MHD_RequestTerminationCode how)
{
    struct request *r = *io_request;

    (void)connection;
    (void)how;
    (void)ctx;
    if (!r)
        return;
    if (r->method) {
        r->listener->http->open--;
        connections_served(r->listener->http->connections, r->owner);
    }
    if (r->response)
        MHD_destroy_response(r->response);
    json_decref(r->json);
    for (unsigned i = 0; i < r->nparams; i++)
        free(r->params[i].value);
    free(r->body.text);
    free(r->target);
    free(r->method);
    free(r->path);
    free(r);
    *io_request = NULL;
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **io_owner,
    enum MHD_ConnectionNotificationCode what)
{
    struct listener *l = ctx;

    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *io_owner = connections_add(l->http->connections,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
                ->connect_fd);
    else
        connections_remove(l->http->connections, *io_owner);
}

/* ---- in the loop ---- */

static void run(struct listener *l)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;
    uint64_t now;

    MHD_run(l->daemon);
    if (MHD_get_timeout(l->daemon, &wait_ms) == MHD_NO) {
        sd_event_source_set_enabled(l->timer, SD_EVENT_OFF);
        return;
    }
    sd_event_now(l->http->loop, CLOCK_MONOTONIC, &now);
    sd_event_source_set_time(l->timer, now + wait_ms * 1000);
    sd_event_source_set_enabled(l->timer, SD_EVENT_ONESHOT);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    (void)source;
    (void)fd;
    (void)events;
    run(ctx);
    return 0;
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    run(ctx);
    return 0;
}

static int listen_on(struct http *h, int fd, bool local, struct err *err)
{
    struct listener *l = &h->listeners[h->nlisteners];

    *l = (struct listener){.http = h, .local = local};
    l->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC,
        0, NULL, NULL, on_request, l, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, l, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, l,
        MHD_OPTION_CONNECTION_LIMIT, h->opt.connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, h->opt.idle_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 * 1024, MHD_OPTION_END);
    if (!l->daemon) {
        close(fd);
        return err_set(err, ERR_IO, "the HTTP server does not start");
    }
    h->nlisteners++;
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info
        || sd_event_add_io(h->loop, &l->io, info->epoll_fd, EPOLLIN, on_ready, l) < 0
        || sd_event_add_time(h->loop, &l->timer, CLOCK_MONOTONIC, 0, 1000, on_time, l)
               < 0
        || sd_event_source_set_enabled(l->timer, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the HTTP server does not fit into the event loop");
    return 0;
}

static int bind_unix(const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof at.sun_path)
        return err_set(err, ERR_INVALID,
            "the socket's path '%s' is too long: at most %zu bytes", path,
            sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set(err, ERR_IO, "socket: %s", strerror(errno));
    /* One that nobody answers on any more may go; the lock file tells. */
    unlink(path);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || chmod(path, 0666) < 0
        || listen(fd, 1024) < 0) {
        err_set(err, ERR_IO, "cannot listen on '%s': %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static int bind_tcp(const char *host, uint16_t port, struct err *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                        .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *found = NULL;
    char service[8];
    int fd = -1, e, yes = 1;

    snprintf(service, sizeof service, "%u", port);
    if ((e = getaddrinfo(*host ? host : NULL, service, &hints, &found)) != 0)
        return err_set(err, ERR_INVALID, "SERVERHOST '%s': %s", host, gai_strerror(e));
    for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(fd, a->ai_addr, a->ai_addrlen) < 0 || listen(fd, 1024) < 0) {
            e = errno;
            close(fd);
            errno = e;
            fd = -1;
        }
    }
    freeaddrinfo(found);
    if (fd < 0)
        return err_set(err, ERR_IO, "cannot listen on %s port %u: %s", host, port,
            strerror(errno));
    return fd;
}

int http_open(
    sd_event *loop, const struct http_options *opt, struct http **ret, struct err *err)
{
    struct http *h = xcalloc(1, sizeof *h);

    h->opt = *opt;
    h->opt.connections_max = opt->connections_max ? opt->connections_max : 2000;
    h->opt.body_max = opt->body_max ? opt->body_max : 16 * 1024 * 1024;
    h->opt.idle_s = opt->idle_s ? opt->idle_s : 30;
    h->loop = sd_event_ref(loop);
    h->socket_path = xstrdup(opt->socket_path);
    TAILQ_INIT(&h->kept);
    TAILQ_INIT(&h->dozing);
    bool good = connections_open(
                    loop, h->opt.idle_s, h->opt.connections_max, &h->connections, err)
                == 0;
    int fd = good ? bind_unix(opt->socket_path, err) : -1;
    good = fd >= 0 && listen_on(h, fd, true, err) == 0;
    if (good && opt->host) {
        fd = bind_tcp(opt->host, opt->port, err);
        good = fd >= 0 && listen_on(h, fd, false, err) == 0;
    }
    if (!good) {
        http_close(h);
        return -1;
    }
    *ret = h;
    return 0;
}

/* The library cannot stop while a connection is suspended, so nobody is when this
 * returns: live streams end as the door is closing. */
static void refuse_kept(struct http *h)
{
    while (!TAILQ_EMPTY(&h->kept))
        request_refuse_as(TAILQ_FIRST(&h->kept), MHD_HTTP_SERVICE_UNAVAILABLE,
            "unavailable", NULL,
            "the scheduler is stopping; what was asked for may have been done or not");
    for (unsigned i = 0; i < h->nlisteners * LAST_TURNS; i++)
        MHD_run(h->listeners[i / LAST_TURNS].daemon);
}

void http_close(struct http *h)
{
    if (!h)
        return;
    h->closing = true;
    http_wake(h);
    refuse_kept(h);
    for (unsigned i = 0; i < h->nlisteners; i++) {
        struct listener *l = &h->listeners[i];
        sd_event_source_disable_unref(l->io);
        sd_event_source_disable_unref(l->timer);
        MHD_stop_daemon(l->daemon);
    }
    if (h->nlisteners)
        unlink(h->socket_path);
    connections_close(h->connections);
    free(h->socket_path);
    sd_event_unref(h->loop);
    free(h);
}

unsigned http_open_requests(const struct http *h)
{
    return h->open;
}

uint64_t http_requests(const struct http *h)
{
    return h->requests;
}
