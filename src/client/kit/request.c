/* SPDX-License-Identifier: Apache-2.0
 * HTTP calls by libcurl, records by jansson. */
#include "client/kit/request.h"

#include "base/steering.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "client/kit/site.h"

#include <curl/curl.h>
#include <munge.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct query {
    struct strbuf text;
    bool any;
};

struct query *query_new(const char *path)
{
    struct query *q = xcalloc(1, sizeof *q);

    strbuf_add(&q->text, path);
    return q;
}

static void add_encoded(struct query *q, const char *text)
{
    char *safe = curl_easy_escape(NULL, text, 0);

    strbuf_add(&q->text, safe ? safe : "");
    curl_free(safe);
}

void query_part(struct query *q, const char *part)
{
    strbuf_add(&q->text, "/");
    add_encoded(q, part);
}

void query_add(struct query *q, const char *name, const char *value)
{
    if (!value)
        return;
    strbuf_add(&q->text, q->any ? "&" : "?");
    q->any = true;
    strbuf_add(&q->text, name);
    strbuf_add(&q->text, "=");
    add_encoded(q, value);
}

void query_free(struct query *q)
{
    if (!q)
        return;
    free(q->text.text);
    free(q);
}

/* ---- one call ---- */

#define CELLS_MAX 40
#define BUFFER    (256 * 1024) /* a long list comes in few pieces */

struct call {
    const struct command_line *l;
    struct site site;
    CURL *curl;
    long status;
    struct strbuf body; /* what has not been taken apart yet */
    void (*each)(void *ctx, json_t *record);
    void *ctx;
    request_row_fn *row; /* each further line is cells, once there was the heading */
    bool headed;
    bool lines, broken;
    bool slowly;           /* lines are asked for, though it is no list */
    curl_off_t look_at_us; /* of an order: when the daemon is asked whether it lives */
    bool may_be_gone;      /* then nothing is said of it */
    bool quiet;            /* nothing is said at all */
};

static void take_record(struct call *c, const char *line, size_t len)
{
    json_t *o = json_loadb(line, len, 0, NULL);

    if (o)
        c->each(c->ctx, o);
    else
        c->broken = true;
    json_decref(o);
}

/* Cells, cut in place. */
static void take_row(struct call *c, char *line)
{
    const char *cells[CELLS_MAX];
    size_t n = 0;

    for (char *p = line; p && n < CELLS_MAX; n++) {
        cells[n] = p;
        p = strchr(p, '\t');
        if (p)
            *p++ = 0;
    }
    if (c->headed)
        c->row(c->ctx, cells, n);
    c->headed = true;
}

static void take_lines(struct call *c)
{
    size_t begin = 0;

    for (char *end; (end = memchr(c->body.text + begin, '\n', c->body.len - begin));) {
        char *line = c->body.text + begin;
        *end = 0;
        if (c->row && *line != '{')
            take_row(c, line);
        else
            take_record(c, line, (size_t)(end - line));
        begin += (size_t)(end - line) + 1;
    }
    memmove(c->body.text, c->body.text + begin, c->body.len - begin);
    c->body.len -= begin;
}

static size_t on_data(char *data, size_t size, size_t n, void *ctx)
{
    struct call *c = ctx;

    if (!c->status)
        curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &c->status);
    strbuf_add_n(&c->body, data, size * n);
    if (c->lines && c->status == 200)
        take_lines(c);
    return size * n;
}

/* Who asks: over TCP the server cannot see it. The credential is for this request only.
 */
static int add_credential(const char *method, const struct query *q, const char *body,
    struct curl_slist **headers)
{
    struct strbuf payload = {0}, header = {0};
    char *credential = NULL;

    strbuf_printf(&payload, "%s %s\n", method, q->text.text);
    strbuf_add(&payload, body ? body : "");
    munge_err_t e = munge_encode(&credential, NULL, payload.text, (int)payload.len);
    free(payload.text);
    if (e != EMUNGE_SUCCESS) {
        fprintf(stderr, "ERROR:    no MUNGE credential: %s\n", munge_strerror(e));
        return -1;
    }
    strbuf_printf(&header, "Authorization: MUNGE %s", credential);
    *headers = curl_slist_append(*headers, header.text);
    free(header.text);
    free(credential);
    return 0;
}

static bool complained;

bool request_complained(void)
{
    return complained;
}

static json_t *read_body(const struct call *c)
{
    return c->body.text ? json_loadb(c->body.text, c->body.len, 0, NULL) : NULL;
}

/* The server's refusal, or why there is none. */
static int complain(const struct call *c, CURLcode result)
{
    json_t *o, *e;

    complained = true;
    if (result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST) {
        site_complain(&c->site, result == CURLE_COULDNT_RESOLVE_HOST);
        return -1;
    }
    if (result != CURLE_OK) {
        fprintf(stderr, "ERROR:    cannot request service (%s)\n",
            curl_easy_strerror(result));
        return -1;
    }
    o = read_body(c);
    e = json_object_get(o, "error");
    fprintf(stderr, "ERROR:    %s\n",
        e ? get_text(e, "message", "refused") : "cannot parse server response (data)");
    json_decref(o);
    return -1;
}

static char of_gone[240]; /* complain_of_gone() */

static void keep_refusal(const struct call *c)
{
    json_t *o = read_body(c), *e = json_object_get(o, "error");

    snprintf(of_gone, sizeof of_gone, "%s", get_text(e, "message", "it is not there"));
    json_decref(o);
}

static CURLcode attempt(struct call *c, const char *method, const struct query *q,
    const char *body, curl_off_t *retry_s);

#define ALIVE_S  10 /* in which it answers another question */
#define PATIENCE 60 /* times CLIENTTIMEOUT; then an order is taken for lost */

static bool is_alive(const struct call *c)
{
    struct call probe = {.l = c->l, .site = c->site, .quiet = true};
    struct query *q = query_new("/v1/identity");
    curl_off_t retry_s;

    probe.site.timeout_s = ALIVE_S;
    CURLcode result = attempt(&probe, "GET", q, NULL, &retry_s);
    query_free(q);
    free(probe.body.text);
    return result == CURLE_OK;
}

/* An order about many jobs, or an array, takes longer than an answer may: it is waited
 * for as long as the daemon answers others meanwhile. */
static int on_progress(
    void *ctx, curl_off_t down, curl_off_t down_now, curl_off_t up, curl_off_t up_now)
{
    struct call *c = ctx;
    curl_off_t passed = 0, each = (curl_off_t)c->site.timeout_s * 1000000;

    (void)down, (void)down_now, (void)up, (void)up_now;
    curl_easy_getinfo(c->curl, CURLINFO_TOTAL_TIME_T, &passed);
    if (passed < c->look_at_us)
        return 0;
    if (passed > PATIENCE * each || !is_alive(c))
        return 1;
    c->look_at_us = passed + each;
    return 0;
}

static void set_time_limit(struct call *c, const char *method)
{
    if (strcmp(method, "GET") == 0) {
        curl_easy_setopt(c->curl, CURLOPT_TIMEOUT, c->site.timeout_s);
        return;
    }
    c->look_at_us = (curl_off_t)c->site.timeout_s * 1000000;
    curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT, c->site.timeout_s);
    curl_easy_setopt(c->curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(c->curl, CURLOPT_XFERINFODATA, c);
}

static void set_options(struct call *c, const char *url, const char *method,
    const char *body, struct curl_slist *headers)
{
    CURL *curl = c->curl;

    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    set_time_limit(c, method);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)BUFFER);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, c);
    if (body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    else if (strcmp(method, "POST") == 0)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}

/* One try; `retry_s` of an answer that asks for another one later. */
static CURLcode attempt(struct call *c, const char *method, const struct query *q,
    const char *body, curl_off_t *retry_s)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    struct strbuf url = {0};
    CURLcode result = CURLE_FAILED_INIT;

    c->curl = curl_easy_init();
    c->status = 0;
    strbuf_printf(&url, "http://%s:%d%s", c->site.host ? c->site.host : "localhost",
        c->site.port, q->text.text);
    if (c->l->verbose)
        fprintf(stderr, "%s %s\n", method, url.text);
    if (!c->site.host)
        curl_easy_setopt(c->curl, CURLOPT_UNIX_SOCKET_PATH, c->site.socket);
    headers = curl_slist_append(headers, "Content-Type: application/json");
    if (c->slowly)
        headers = curl_slist_append(headers, "Accept: application/x-ndjson");
    if (!c->site.host || add_credential(method, q, body, &headers) == 0) {
        set_options(c, url.text, method, body, headers);
        result = curl_easy_perform(c->curl);
        if (result == CURLE_ABORTED_BY_CALLBACK)
            result = CURLE_OPERATION_TIMEDOUT;
        curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &c->status);
        curl_easy_getinfo(c->curl, CURLINFO_RETRY_AFTER, retry_s);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(c->curl);
    free(url.text);
    return result;
}

/* The scheduler has no picture of its resource manager yet: said at once, as the answer
 * may take until the time is up. */
static void note_waiting(const struct call *c)
{
    json_t *o = read_body(c), *e = json_object_get(o, "error");

    if (json_object_get(o, "waiting_for") && !c->quiet)
        fprintf(stderr, "NOTE:     %s\n", get_text(e, "message", ""));
    json_decref(o);
}

/* Who reads records gets that one instead. */
static void print_waiting(const struct call *c)
{
    json_t *o = read_body(c);

    if (c->l->format == FORMAT_JSON && json_object_get(o, "waiting_for")) {
        json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
        putchar('\n');
    }
    json_decref(o);
}

/* Until there is an answer that is not "later", or the time is up. */
static int perform_request(
    struct call *c, const char *method, const struct query *q, const char *body)
{
    curl_off_t retry_s = 0, waited_s = 0;
    CURLcode result;

    site_find(c->l, &c->site);
    for (;;) {
        result = attempt(c, method, q, body, &retry_s);
        if (result != CURLE_OK || c->status != 503 || retry_s <= 0
            || waited_s + retry_s > c->site.timeout_s)
            break;
        if (waited_s == 0)
            note_waiting(c);
        sleep((unsigned)retry_s);
        waited_s += retry_s;
        c->body.len = 0;
    }
    bool gone = result == CURLE_OK && c->status == 404 && c->may_be_gone;
    if (gone)
        keep_refusal(c);
    if ((result != CURLE_OK || c->status != 200) && !gone && !c->quiet)
        complain(c, result);
    if (result == CURLE_OK && c->status == 503 && !c->quiet)
        print_waiting(c);
    site_fini(&c->site);
    return result == CURLE_OK && c->status == 200 ? 0 : -1;
}

static json_t *call(
    struct call *c, const char *method, const struct query *q, const char *body)
{
    json_t *o = NULL;

    if (perform_request(c, method, q, body) == 0) {
        o = json_loadb(c->body.text ? c->body.text : "", c->body.len, 0, NULL);
        if (!o)
            fputs("ERROR:    cannot parse server response (data)\n", stderr);
    }
    free(c->body.text);
    return o;
}

json_t *ask(const struct command_line *l, const struct query *q)
{
    return call(&(struct call){.l = l}, "GET", q, NULL);
}

json_t *ask_if_there(
    const struct command_line *l, const struct query *q, bool *ret_gone)
{
    struct call c = {.l = l, .may_be_gone = true};
    json_t *o = call(&c, "GET", q, NULL);

    *ret_gone = c.status == 404;
    return o;
}

void complain_of_gone(void)
{
    fprintf(stderr, "ERROR:    %s\n", of_gone);
}

static tell_fn *taker; /* NULL = what is told is sent */

void tell_instead(tell_fn *take)
{
    taker = take;
}

static void give_instead(const struct command_line *l, const char *method,
    const struct query *q, const json_t *body)
{
    char *path =
        curl_easy_unescape(NULL, q->text.text, (int)strcspn(q->text.text, "?"), NULL);

    taker(l, method, path ? path : "", body);
    curl_free(path);
}

json_t *tell(const struct command_line *l, const char *method, const struct query *q,
    json_t *body)
{
    if (taker) {
        give_instead(l, method, q, body);
        json_decref(body);
        return NULL;
    }
    char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    json_t *o = call(&(struct call){.l = l}, method, q, text);

    json_decref(body);
    free(text);
    return o;
}

struct slow_answer {
    json_t *last;
    void (*each)(void *ctx, json_t *progress);
    void *ctx;
};

static void take_slow(void *ctx, json_t *record)
{
    struct slow_answer *a = ctx;

    if (json_object_get(record, "progress")) {
        a->each(a->ctx, json_object_get(record, "progress"));
        return;
    }
    json_decref(a->last);
    a->last = json_incref(record);
}

json_t *tell_slowly(const struct command_line *l, const struct query *q, json_t *body,
    void (*each)(void *ctx, json_t *progress), void *ctx)
{
    struct slow_answer a = {.each = each, .ctx = ctx};
    struct call c = {
        .l = l, .lines = true, .slowly = true, .each = take_slow, .ctx = &a};
    char *text = json_dumps(body, JSON_COMPACT);
    const json_t *refusal;

    bool good = perform_request(&c, "POST", q, text) == 0;
    refusal = json_object_get(a.last, "error");
    if (good && (refusal || !a.last)) {
        complained = true;
        fprintf(stderr, "ERROR:    %s\n",
            get_text(refusal, "message", "cannot parse server response (data)"));
        json_decref(a.last);
        a.last = NULL;
    }
    json_decref(body);
    free(text);
    free(c.body.text);
    return a.last;
}

static int ask_lines(struct call *c, const struct query *q)
{
    int result = perform_request(c, "GET", q, NULL);

    if (result == 0 && (c->broken || c->body.len)) {
        fputs("ERROR:    cannot parse server response (data)\n", stderr);
        result = -1;
    }
    free(c->body.text);
    return result;
}

int ask_list(const struct command_line *l, const struct query *q,
    void (*each)(void *ctx, json_t *record), void *ctx)
{
    return ask_lines(
        &(struct call){.l = l, .lines = true, .each = each, .ctx = ctx}, q);
}

struct pages {
    void (*each)(void *ctx, json_t *record);
    void *ctx;
    json_int_t next; /* 0 = it was the last one */
};

static void take_page_record(void *ctx, json_t *record)
{
    struct pages *p = ctx;

    p->next = get_int(record, "next", 0);
    if (!p->next)
        p->each(p->ctx, record);
}

int ask_pages(const struct command_line *l, struct query *q, const char *key,
    const char *from, void (*each)(void *ctx, json_t *record), void *ctx)
{
    struct pages p = {.each = each, .ctx = ctx};
    const struct query first = *q;
    char next[24];
    int result;

    do {
        query_add(q, key, from);
        p.next = 0;
        result = ask_list(l, q, take_page_record, &p);
        snprintf(next, sizeof next, "%" JSON_INTEGER_FORMAT, p.next);
        from = next;
        q->any = first.any;
        q->text.len = first.text.len;
        q->text.text[q->text.len] = 0;
    } while (result == 0 && p.next);
    return result;
}

int ask_table(const struct command_line *l, struct query *q,
    void (*each)(void *ctx, json_t *record), request_row_fn *row, void *ctx)
{
    query_add(q, "table", "1");
    return ask_lines(
        &(struct call){.l = l, .lines = true, .each = each, .row = row, .ctx = ctx}, q);
}

int64_t request_now(const struct command_line *l)
{
    struct query *q = query_new("/v1/identity");
    struct call c = {.l = l, .quiet = true};
    json_t *o = NULL;

    if (perform_request(&c, "GET", q, NULL) == 0)
        o = json_loadb(c.body.text ? c.body.text : "", c.body.len, 0, NULL);
    int64_t now = get_int(o, "at", (json_int_t)time(NULL));
    json_decref(o);
    free(c.body.text);
    query_free(q);
    return now;
}

void print_json_record(void *ctx, json_t *record)
{
    (void)ctx;
    json_dumpf(record, stdout, JSON_COMPACT);
    putchar('\n');
}

int print_json_list(const struct command_line *l, const struct query *q)
{
    return ask_list(l, q, print_json_record, NULL) < 0;
}

int print_json(json_t *o)
{
    if (!o)
        return 1;
    json_dumpf(o, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(o);
    return 0;
}

/* ---- members ---- */

const char *get_text(const json_t *o, const char *key, const char *otherwise)
{
    json_t *v = json_object_get(o, key);
    const char *text = json_string_value(v);
    char *seen;

    if (!text)
        return otherwise;
    if (!steering_find(text))
        return text;
    seen = xstrdup(text);
    steering_replace(seen);
    json_string_set(v, seen);
    free(seen);
    return json_string_value(v);
}

json_int_t get_int(const json_t *o, const char *key, json_int_t otherwise)
{
    const json_t *v = json_object_get(o, key);

    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

double get_real(const json_t *o, const char *key, double otherwise)
{
    const json_t *v = json_object_get(o, key);

    return json_is_number(v) ? json_number_value(v) : otherwise;
}

bool get_bool(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}
