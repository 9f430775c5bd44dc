/* SPDX-License-Identifier: Apache-2.0
 * See bankcall.h. */
#include "server/durable/bankcall.h"

#include "base/program.h"
#include "base/strbuf.h"
#include "config/settings.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 9
struct words {
    const char *v[ARGS_MAX];
    char *program, *path, *hosts; /* owned or NULL */
    char port[24], timeout[24];
};

static const char *after_scheme(const char *url, const char *scheme)
{
    size_t n = strlen(scheme);

    return url && strncmp(url, scheme, n) == 0 ? url + n : NULL;
}

static void name_file(
    const struct server *s, const struct bank_settings *b, struct words *w)
{
    const char *file = after_scheme(b->server, "file://");
    struct strbuf path = {0};

    if (!file)
        file = b->host ? b->host : "am.log";
    strbuf_printf(&path, "%s%s%s", *file == '/' ? "" : s->paths.home,
        *file == '/' ? "" : "/", file);
    w->path = strbuf_take(&path);
}

static int name_native(
    const struct bank_settings *b, const char *verb, struct words *w, struct err *err)
{
    w->v[0] = after_scheme(b->server, "exec://");
    w->v[1] = verb;
    if (w->v[0] && *w->v[0] == '/')
        return 0;
    return err_set(err, ERR_INVALID,
        "AMCFG[%s] TYPE=NATIVE: SERVER='%s' names no program; expected exec:///PATH",
        b->name, b->server ? b->server : "");
}

/* "HOST", or "HOST,BACKUPHOST"; owned. */
static char *name_hosts(const struct bank_settings *b)
{
    struct strbuf hosts = {0};

    strbuf_add(&hosts, b->host ? b->host : "localhost");
    if (b->backup_host)
        strbuf_printf(&hosts, ",%s", b->backup_host);
    return strbuf_take(&hosts);
}

static int name_gold(
    const struct bank_settings *b, const char *verb, struct words *w, struct err *err)
{
    snprintf(w->port, sizeof w->port, "%" PRId64, b->port ? b->port : 7112);
    w->v[1] = "gold";
    w->v[2] = w->hosts = name_hosts(b);
    w->v[3] = w->port;
    w->v[4] = b->key_file;
    w->v[5] = w->timeout;
    w->v[6] = verb;
    return b->key_file ? 0
                       : err_set(err, ERR_INVALID,
                           "AMCFG[%s] TYPE=GOLD: KEYFILE is missing", b->name);
}

/* -1: the configuration does not say which. */
static int find_program(
    struct server *s, const char *verb, struct words *w, struct err *err)
{
    const struct bank_settings *b = &s->config->settings->bank;

    *w = (struct words){.v = {NULL}};
    if (b->type == BANK_NATIVE)
        return name_native(b, verb, w, err);
    w->program = program_beside("maui-bank");
    w->v[0] = w->program;
    snprintf(w->timeout, sizeof w->timeout, "%" PRId64, b->timeout_s);
    if (b->type == BANK_GOLD)
        return name_gold(b, verb, w, err);
    name_file(s, b, w);
    w->v[1] = "file";
    w->v[2] = w->path;
    w->v[3] = w->timeout;
    w->v[4] = verb;
    return 0;
}

char *bankcall_place(const struct server *s)
{
    const struct bank_settings *b = &s->config->settings->bank;
    struct strbuf text = {0};
    struct words w = {.v = {NULL}};

    if (b->type == BANK_FILE) {
        name_file(s, b, &w);
        strbuf_printf(&text, "FILE %s", w.path);
        free(w.path);
    } else if (b->type == BANK_GOLD) {
        strbuf_printf(&text, "GOLD %s:%" PRId64, b->host ? b->host : "localhost",
            b->port ? b->port : 7112);
    } else {
        strbuf_printf(&text, "NATIVE %s", b->server ? b->server : "");
    }
    return strbuf_take(&text);
}

int bankcall_run(struct server *s, struct programs *programs, const json_t *body,
    void (*ended)(void *ctx, const struct program_end *end), void *ctx, struct err *err)
{
    const char *verb = json_string_value(json_object_get(body, "verb"));
    char *input = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
    struct words w;
    int result = find_program(s, verb ? verb : "", &w, err);

    if (result == 0)
        result = programs_run(programs,
            &(struct program_call){.what = "bank",
                .argv = w.v,
                .environment = (const char *const[]){NULL},
                .input = input,
                .limit_ms = (uint64_t)s->config->settings->bank.timeout_s * 1000,
                .ended = ended,
                .ctx = ctx},
            err);
    free(input);
    free(w.program);
    free(w.path);
    free(w.hosts);
    return result;
}
