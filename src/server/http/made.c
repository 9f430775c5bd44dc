/* SPDX-License-Identifier: Apache-2.0
 * Requests that came by no connection. */
#include "server/http/made.h"

#include "base/xalloc.h"
#include "server/http/private.h"

#include <string.h>

struct made_request {
    struct request request; /* connection NULL */
    json_t *query, *headers;
    json_t *reply;      /* that was a record, */
    struct strbuf text; /* or was not; of a record, once it is asked for */
    json_t *told;       /* headers of the reply */
};

static struct made_request *made_of(const struct request *r)
{
    return (struct made_request *)(uintptr_t)r;
}

static struct request *make_request(const char *method, const char *path,
    const char *target, const json_t *body, const struct identity *who)
{
    struct made_request *made = xcalloc(1, sizeof *made);
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;

    made->request.method = xstrdup(method);
    made->request.path = xstrdup(path);
    made->request.target = xstrdup(target);
    made->request.who = *who;
    made->told = json_object();
    if (text)
        strbuf_add(&made->request.body, text);
    free(text);
    return &made->request;
}

struct request *request_make(const char *method, const char *path, const json_t *body,
    const struct identity *who)
{
    return make_request(method, path, path, body, who);
}

struct request *request_make_get(const char *path, const char *target, json_t *query,
    json_t *headers, const struct identity *who)
{
    struct request *r = make_request("GET", path, target, NULL, who);

    made_of(r)->query = query;
    made_of(r)->headers = headers;
    return r;
}

const char *made_query(const struct request *r, const char *name)
{
    return json_string_value(json_object_get(made_of(r)->query, name));
}

const char *made_header(const struct request *r, const char *name)
{
    return json_string_value(json_object_get(made_of(r)->headers, name));
}

void made_reply_record(struct request *r, int status, json_t *body)
{
    r->status = status;
    made_of(r)->reply = body;
}

void made_reply_bytes(struct request *r, int status, const void *bytes, size_t n,
    const struct reply_header *headers)
{
    r->status = status;
    strbuf_add_n(&made_of(r)->text, bytes, n);
    for (; headers->name; headers++)
        json_object_set_new(
            made_of(r)->told, headers->name, json_string(headers->value));
}

/* All of it, as nobody reads meanwhile: no live one is asked for this way. */
void made_reply_stream(
    struct request *r, const char *type, const struct request_stream *stream)
{
    const struct reply_header headers[] = {{"Content-Type", type}, {NULL, NULL}};

    while (stream->more(stream->ctx, &made_of(r)->text))
        ;
    stream->done(stream->ctx);
    made_reply_bytes(r, 200, "", 0, headers);
}

int request_reply_of(const struct request *r, json_t **ret_body)
{
    *ret_body = made_of(r)->reply;
    return r->status;
}

int request_reply_whole(const struct request *r, const char **ret_bytes, size_t *ret_n,
    const json_t **ret_headers)
{
    struct made_request *made = made_of(r);

    if (made->reply && !made->text.len) {
        char *text = json_dumps(made->reply, JSON_COMPACT | JSON_PRESERVE_ORDER);
        strbuf_add(&made->text, text ? text : "{}");
        free(text);
        json_object_set_new(
            made->told, "Content-Type", json_string("application/json"));
    }
    *ret_bytes = made->text.text ? made->text.text : "";
    *ret_n = made->text.len;
    *ret_headers = made->told;
    return r->status;
}

void request_unmake(struct request *r)
{
    struct made_request *made = made_of(r);

    json_decref(made->query);
    json_decref(made->headers);
    json_decref(made->reply);
    json_decref(made->told);
    free(made->text.text);
    request_drop(r);
}
