/* SPDX-License-Identifier: Apache-2.0
 * Parameters changed at run time. */
#define LOG_FACILITY FACILITY_CONFIG
#include "server/durable/changes.h"

#include "config/grammar.h"
#include "server/api/api.h"
#include "server/server_private.h"

struct parameter_change {
    char *name, *text; /* FSDEPTH, and the line: "FSDEPTH 5" */
    bool kept;         /* over restarts */
};

struct changes {
    struct VEC(struct parameter_change) all;
};

static void clear(struct parameter_change *p)
{
    free(p->name);
    free(p->text);
}

char *changes_text(struct server *s)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < s->changes->all.n; i++)
        strbuf_printf(&text, "%s\n", s->changes->all.v[i].text);
    return strbuf_take(&text);
}

bool changes_drop(struct server *s)
{
    size_t before = s->changes->all.n;

    for (size_t i = s->changes->all.n; i-- > 0;)
        if (!s->changes->all.v[i].kept) {
            unsaved_delete(s->unsaved, "parameter", s->changes->all.v[i].name);
            commit_want(s);
            clear(&s->changes->all.v[i]);
            vec_remove(&s->changes->all, i);
        }
    return s->changes->all.n < before;
}

/* ---- from the store ---- */

/* {"text": ..., "kept": ...}; a text alone is one that is kept. */
static int recall(void *ctx, const char *key, const char *value)
{
    struct server *s = ctx;
    json_t *o = json_loads(value, JSON_DECODE_ANY, NULL);
    const char *text =
        json_string_value(json_is_string(o) ? o : json_object_get(o, "text"));
    bool kept = json_is_string(o) || json_is_true(json_object_get(o, "kept"));

    if (text) {
        vec_push(&s->changes->all,
            ((struct parameter_change){xstrdup(key), xstrdup(text), kept}));
        log_line(
            s->log, LOG_ACTION, "changed at run time before the restart: %s", text);
    }
    json_decref(o);
    return 0;
}

void changes_open(struct server *s)
{
    struct err err = {0};

    s->changes = xcalloc(1, sizeof *s->changes);
    if (store_each(s->store, "parameter", recall, s, &err) < 0
        || (s->changes->all.n && server_configure(s, &err) < 0))
        log_line(s->log, LOG_ALERT, "parameters changed at run time: %s", err.text);
    if (err.code) {
        for (size_t i = 0; i < s->changes->all.n; i++)
            clear(&s->changes->all.v[i]);
        s->changes->all.n = 0;
    }
}

void changes_close(struct server *s)
{
    if (!s->changes)
        return;
    for (size_t i = 0; i < s->changes->all.n; i++)
        clear(&s->changes->all.v[i]);
    vec_fini(&s->changes->all);
    free(s->changes);
    s->changes = NULL;
}

/* ---- changing ---- */

/* The one line, by name: PARAMETER[INDEX]. */
static char *name_of(const char *text, struct err *err)
{
    struct grammar g;
    struct grammar_line line, more;
    char *name = NULL;

    grammar_init(&g, text, strlen(text));
    if (!grammar_next(&g, &line)) {
        err_set(err, ERR_INVALID, "expected PARAMETER VALUE");
        return NULL;
    }
    if (line.kind != GRAMMAR_SETTING) {
        err_set(err, ERR_INVALID, "'%.80s' is no PARAMETER VALUE", text);
    } else if (grammar_next(&g, &more)) {
        grammar_line_fini(&more);
        err_set(err, ERR_INVALID, "one parameter at a time");
    } else {
        struct strbuf b = {0};
        strbuf_add(&b, line.name);
        if (line.index)
            strbuf_printf(&b, "[%s]", line.index);
        name = strbuf_take(&b);
        for (char *p = name; *p; p++)
            if (*p >= 'a' && *p <= 'z' && !line.index)
                *p = (char)(*p - 32);
    }
    grammar_line_fini(&line);
    return name;
}

/* What the file may say with a warning is an error here: nothing is ignored. */
static int check_change(const struct server *s, const char *text, struct err *err)
{
    struct config *c =
        config_load_text_after(s->config, false, "changeparam", text, strlen(text));
    int result = 0;

    for (size_t i = 0; result == 0 && i < c->findings.n; i++)
        if (c->findings.v[i].level >= FINDING_WARNING)
            result = err_set(err, ERR_INVALID, "%s", c->findings.v[i].text);
    config_destroy(c);
    return result;
}

static void swap(struct parameter_change *a, struct parameter_change *b)
{
    struct parameter_change other = *a;

    *a = *b;
    *b = other;
}

/* Behind the others, in the place of one of the same name. Takes the change. */
static int take(struct server *s, struct parameter_change change, struct err *err)
{
    size_t i = 0;

    while (i < s->changes->all.n
           && strcasecmp(s->changes->all.v[i].name, change.name) != 0)
        i++;
    bool fresh = i == s->changes->all.n;
    if (fresh)
        vec_push(&s->changes->all, ((struct parameter_change){0}));
    swap(&s->changes->all.v[i], &change);
    if (server_configure(s, err) == 0) {
        clear(&change);
        return 0;
    }
    swap(&s->changes->all.v[i], &change);
    clear(&change);
    if (fresh)
        s->changes->all.n--;
    return -1;
}

static void keep(struct server *s, const char *name, const char *text, bool kept)
{
    json_t *value = json_pack("{s:s, s:b}", "text", text, "kept", kept);
    char *line = json_dumps(value, JSON_COMPACT);

    if (line)
        unsaved_put(s->unsaved, "parameter", name, line);
    free(line);
    json_decref(value);
}

void api_change(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = request_json(r, &err);
    const char *text = json_string_value(json_object_get(o, "text"));
    bool kept = json_is_true(json_object_get(o, "persistent"));
    char *name = text ? name_of(text, &err) : NULL;

    if (o && !text)
        err_set(&err, ERR_INVALID, "text: expected PARAMETER VALUE");
    if (!name || check_change(s, text, &err) < 0
        || take(s, (struct parameter_change){xstrdup(name), xstrdup(text), kept}, &err)
               < 0) {
        request_refuse(r, &err);
        free(name);
        return;
    }
    keep(s, name, text, kept);
    free(name);
    log_line(s->log, LOG_ACTION, "changeparam '%s' by %s", text, request_who(r)->user);
    commit_then_reply(s, r, json_pack("{s:s}", "message", "parameters modified"));
}
