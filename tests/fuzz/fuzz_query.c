/* SPDX-License-Identifier: Apache-2.0
 * Any bytes as the query string of a question: the first byte says which question, the
 * rest is NAME=VALUE&... as libmicrohttpd hands it on, decoded. Exactly one reply
 * comes, and what is refused is refused with words. What the library does is played
 * here: the linker turns the calls of the handlers to the functions below. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "server/api/api.h"
#include "server/events/feed.h"
#include "server/http/stream.h"
#include "server/server_private.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a request ---- */

struct request {
    struct {
        char *name, *value; /* value NULL: it stands without one */
    } pairs[PAIRS_MAX];
    size_t n;
    struct identity who;
    unsigned replies;
};

const char *__wrap_request_query(const struct request *r, const char *name);
const char *__wrap_request_param(const struct request *r, const char *name);
const struct identity *__wrap_request_who(const struct request *r);
const char *__wrap_request_header(const struct request *r, const char *name);
void __wrap_request_reply_json(struct request *r, json_t *body);
void __wrap_request_refuse(struct request *r, const struct err *err);
bool __wrap_request_reply_known(struct request *r, const char *state);
void __wrap_request_reply_shared(struct request *r, const char *type, const char *state,
    const char *text, size_t len, void (*done)(void *ctx), void *ctx);
void __wrap_request_reply_bytes(struct request *r, int status, void *bytes, size_t len,
    bool owned, const struct reply_header *headers);
bool __wrap_request_is_abandoned(const struct request *r);

bool __wrap_request_is_abandoned(const struct request *r)
{
    (void)r;
    return false;
}

const char *__wrap_request_query(const struct request *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->pairs[i].name, name) == 0)
            return r->pairs[i].value ? r->pairs[i].value : "";
    return NULL;
}

/* Parts of the path are pairs here too; those that are not given are there anyway. */
const char *__wrap_request_param(const struct request *r, const char *name)
{
    const char *given = __wrap_request_query(r, name);

    return given                       ? given
           : strcmp(name, "kind") == 0 ? "user"
           : strcmp(name, "type") == 0 ? "JOBCOUNT"
                                       : "1";
}

const struct identity *__wrap_request_who(const struct request *r)
{
    return &r->who;
}

const char *__wrap_request_header(const struct request *r, const char *name)
{
    (void)r;
    (void)name;
    return NULL;
}

void __wrap_request_reply_json(struct request *r, json_t *body)
{
    assert(body);
    r->replies++;
    json_decref(body);
}

void __wrap_request_refuse(struct request *r, const struct err *err)
{
    assert(err->code != ERR_NONE && *err->text);
    r->replies++;
}

/* A window as docs/timeline-format.md has it: each section is in it, and of cells or
 * pieces there are as many in each. */
static void check_sections(const json_t *heading, size_t len)
{
    size_t i, pieces = SIZE_MAX, n;
    json_t *section;

    json_array_foreach(json_object_get(heading, "sections"), i, section)
    {
        const char *name = json_string_value(json_object_get(section, "name"));
        const char *type = json_string_value(json_object_get(section, "type"));
        int64_t at = json_integer_value(json_object_get(section, "at"));
        int64_t bytes = json_integer_value(json_object_get(section, "bytes"));
        assert(name && type && at >= 0 && bytes >= 0 && at % 8 == 0);
        assert((uint64_t)(at + bytes) <= len);
        n = (size_t)bytes / (strchr(type, '3') ? 4 : strchr(type, '1') ? 2 : 1);
        if (strncmp(name, "object.", 7) == 0)
            continue;
        assert(pieces == SIZE_MAX || pieces == n);
        pieces = n;
    }
    assert(pieces != SIZE_MAX);
}

static void check_window(const unsigned char *bytes, size_t len)
{
    assert(len >= 12 && memcmp(bytes, "MAUITL", 6) == 0 && bytes[7] == 1);
    if (bytes[6] == 'Z')
        return;
    size_t heading = bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16;
    assert(bytes[6] == 0 && bytes[11] == 0 && 12 + heading <= len);
    assert((4 + heading) % 8 == 0);
    json_t *o = json_loadb((const char *)bytes + 12, heading, 0, NULL);
    assert(json_is_true(json_object_get(o, "whole")));
    check_sections(o, len - 12 - heading);
    json_decref(o);
}

bool __wrap_request_reply_known(struct request *r, const char *state)
{
    (void)r;
    assert(state && strlen(state) < REQUEST_STATE_MAX);
    return false;
}

void __wrap_request_reply_shared(struct request *r, const char *type, const char *state,
    const char *text, size_t len, void (*done)(void *ctx), void *ctx)
{
    assert(!state || strlen(state) < REQUEST_STATE_MAX);
    if (strcmp(type, "application/octet-stream") == 0)
        check_window((const unsigned char *)text, len);
    else
        assert(text && strlen(text) == len);
    r->replies++;
    done(ctx);
}

void __wrap_request_reply_bytes(struct request *r, int status, void *bytes, size_t len,
    bool owned, const struct reply_header *headers)
{
    assert(status == 200 && headers && bytes && strlen(bytes) == len);
    r->replies++;
    if (owned)
        free(bytes);
}

/* ---- a scheduler ---- */

static const char configuration[] =
    "FSPOLICY DEDICATEDPS\nUSERCFG[ann] FSTARGET=20 MAXPROC=6\nCLASSCFG[short] "
    "PRIORITY=1\n"
    "NODECFG[n3] PARTITION=small\nQOSCFG[gold] PRIORITY=5\nRESERVATIONDEPTH 4\n";

static void apply(struct server *s, struct event ev)
{
    struct err err;
    int result = engine_apply(s->engine, &ev, NULL, &err);

    assert(result == 0);
}

static struct server *new_server(void)
{
    static const char *const nodes[] = {"n1", "n2", "n3"};
    struct server *s = xcalloc(1, sizeof *s);
    struct engine_options opt = {.statistics = true};
    struct actions decided = {0};
    struct err err;

    int failed = sd_event_new(&s->loop) < 0 || stream_open(s, &err) < 0;
    s->clock = clock_create(s->loop);
    feed_open(s);
    world_open(s);
    assert(!failed);
    s->config = config_load_text("maui.cfg", configuration, sizeof configuration - 1);
    s->engine = engine_create(s->config->settings, &opt);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        apply(s, (struct event){.kind = EVENT_NODE,
                     .at = world_now(s),
                     .u.node = {.name = nodes[i], .cfg = {{4, 1000, 500, 100}}}});
    for (uint32_t i = 1; i < 6; i++) {
        char id[16];
        struct req_desc req = {.tasks = i};
        snprintf(id, sizeof id, "%u", i);
        apply(s, (struct event){.kind = EVENT_SUBMIT,
                     .at = world_now(s),
                     .u.job = {.id = id,
                         .reqs = &req,
                         .nreqs = 1,
                         .submit_at = world_now(s),
                         .wclimit_s = 1000 * i,
                         .cred = {[CRED_USER] = i % 2 ? "ann" : "bob"}}});
    }
    engine_cycle(s->engine, world_now(s), &decided);
    vec_fini(&decided);
    return s;
}

/* ---- the bytes ---- */

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static char *decode(char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        bool coded = *p == '%' && digit(p[1]) >= 0 && digit(p[2]) >= 0;
        *to++ = coded ? (char)(digit(p[1]) * 16 + digit(p[2])) : *p == '+' ? ' ' : *p;
        p += coded ? 2 : 0;
    }
    *to = 0;
    return text;
}

static void read_pairs(struct request *r, char *text)
{
    for (char *pair; r->n < PAIRS_MAX && (pair = strsep(&text, "&"));) {
        char *value = strchr(pair, '=');
        if (value)
            *value++ = 0;
        r->pairs[r->n].name = decode(pair);
        r->pairs[r->n++].value = value ? decode(value) : NULL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const questions[])(struct server *, struct request *) = {api_jobs,
        api_windows, api_start, api_job, api_job_start, api_nodes, api_node,
        api_reservations, api_reservation, api_parameters, api_credentials,
        api_statistics_of, api_grid, api_fairshare, api_priorities, api_partitions};
    static struct server *s;
    struct request r = {.who = {.user = "ann", .group = "phys", .uid = 5, .gid = 5}};

    if (size < 1)
        return 0;
    if (!s)
        s = new_server();
    char *text = xstrndup((const char *)data + 1, size - 1);
    r.who.level = *data & 128 ? 0 : 1;
    read_pairs(&r, text);
    (*data & 64 ? *data & 1 ? api_rows : api_timeline : questions[*data % 16])(s, &r);
    while (r.replies == 0) /* lists are made in turns of the loop */
        sd_event_run(s->loop, UINT64_MAX);
    assert(r.replies == 1);
    free(text);
    return 0;
}
