/* SPDX-License-Identifier: Apache-2.0
 * Parameters changed at run time. */
#define LOG_FACILITY FACILITY_CONFIG
#include "server/durable/changes.h"

#include "config/grammar.h"
#include "config/table.h"
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

/* What one line sets, by name: FSDEPTH; of a credential each attribute by itself,
 * USERCFG[ann].MAXJOB, so that a later change of another one leaves it alone. */
struct line_changes {
    struct VEC(struct parameter_change) all; /* owned until they are taken */
};

static void clear_line(struct line_changes *l)
{
    for (size_t i = 0; i < l->all.n; i++)
        clear(&l->all.v[i]);
    vec_fini(&l->all);
}

/* A word of ours has one spelling in names. */
static void add_upper(struct strbuf *b, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_printf(
            b, "%c", word[i] >= 'a' && word[i] <= 'z' ? word[i] - 32 : word[i]);
}

/* PARAMETER[INDEX]; owned by the caller. */
static char *heading_of(const struct grammar_line *line)
{
    struct strbuf b = {0};

    add_upper(&b, line->name, strlen(line->name));
    if (line->index)
        strbuf_printf(&b, "[%s]", line->index);
    return strbuf_take(&b);
}

/* The name of an attribute, whichever of its names was used. */
static char *attribute_name(const struct server *s, const struct cfg_row *section,
    const char *heading, const struct grammar_pair *pair)
{
    const struct cfg_row *row =
        attrs_find(s->config->table, section->object, pair->name);
    struct strbuf b = {0};

    strbuf_printf(&b, "%s.%s", heading, row ? row->name : pair->name);
    if (pair->bracket) { /* USER, USER:ann */
        size_t kind = strcspn(pair->bracket, ":");
        strbuf_add(&b, "[");
        add_upper(&b, pair->bracket, kind);
        strbuf_printf(&b, "%s]", pair->bracket + kind);
    }
    return strbuf_take(&b);
}

static void split_pairs(const struct server *s, const struct cfg_row *section,
    const char *heading, const char *value, struct line_changes *l)
{
    struct grammar_pairs g;
    struct grammar_pair pair;

    grammar_pairs_init(&g, value);
    for (const char *from = g.p; grammar_pairs_next(&g, &pair); from = g.p) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%s %.*s", heading, (int)(g.p - from), from);
        vec_push(&l->all,
            ((struct parameter_change){attribute_name(s, section, heading, &pair),
                strbuf_take(&text), false}));
        grammar_pair_fini(&pair);
    }
}

static void split_line(const struct server *s, const struct grammar_line *line,
    const char *text, struct line_changes *l)
{
    const struct cfg_row *row = table_find(s->config->table, line->name);
    char *heading = heading_of(line);

    if (row && row->type == CFG_SECTION && row->object <= OBJECT_SYS) {
        split_pairs(s, row, heading, line->value, l);
        free(heading);
    } else {
        vec_push(&l->all, ((struct parameter_change){heading, xstrdup(text), false}));
    }
}

/* Of the one line of the text. */
static int read_line(
    const struct server *s, const char *text, struct line_changes *ret, struct err *err)
{
    struct grammar g;
    struct grammar_line line, more;
    int result = 0;

    grammar_init(&g, text, strlen(text));
    if (!grammar_next(&g, &line))
        return err_set(err, ERR_INVALID, "expected PARAMETER VALUE");
    if (line.kind != GRAMMAR_SETTING) {
        result = err_set(err, ERR_INVALID, "'%.80s' is no PARAMETER VALUE", text);
    } else if (grammar_next(&g, &more)) {
        grammar_line_fini(&more);
        result = err_set(err, ERR_INVALID, "one parameter at a time");
    } else {
        split_line(s, &line, text, ret);
    }
    grammar_line_fini(&line);
    return result;
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

/* In the place of one of the same name, else behind the others; returns where. */
static size_t place(struct changes *c, struct parameter_change *change)
{
    size_t i = 0;

    while (i < c->all.n && strcmp(c->all.v[i].name, change->name) != 0)
        i++;
    if (i == c->all.n)
        vec_push(&c->all, ((struct parameter_change){0}));
    swap(&c->all.v[i], change);
    return i;
}

/* All of the line or nothing; what it replaced is in *line then. */
static int take(struct server *s, struct line_changes *line, struct err *err)
{
    struct changes *c = s->changes;
    struct VEC(size_t) at = {0};

    for (size_t i = 0; i < line->all.n; i++)
        vec_push(&at, place(c, &line->all.v[i]));
    int result = server_configure(s, err);
    for (size_t i = at.n; result < 0 && i-- > 0;) {
        swap(&c->all.v[at.v[i]], &line->all.v[i]);
        if (!c->all.v[at.v[i]].name)
            c->all.n--;
    }
    vec_fini(&at);
    return result;
}

static void keep(struct server *s, const struct parameter_change *p)
{
    json_t *value = json_pack("{s:s, s:b}", "text", p->text, "kept", p->kept);
    char *line = json_dumps(value, JSON_COMPACT);

    if (line)
        unsaved_put(s->unsaved, "parameter", p->name, line);
    free(line);
    json_decref(value);
}

/* They are in force, and outlive a restart. */
static int change(struct server *s, const char *text, bool kept, struct err *err)
{
    struct line_changes line = {0};
    struct VEC(struct parameter_change) told = {0};
    int result = read_line(s, text, &line, err);

    if (result == 0)
        result = check_change(s, text, err);
    for (size_t i = 0; i < line.all.n; i++) {
        line.all.v[i].kept = kept;
        vec_push(&told, line.all.v[i]); /* the texts stay where they are */
    }
    if (result == 0)
        result = take(s, &line, err);
    for (size_t i = 0; result == 0 && i < told.n; i++)
        keep(s, &told.v[i]);
    vec_fini(&told);
    clear_line(&line);
    return result;
}

void api_change(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = request_json(r, &err);
    const char *text = json_string_value(json_object_get(o, "text"));
    bool kept = json_is_true(json_object_get(o, "persistent"));

    if (o && !text)
        err_set(&err, ERR_INVALID, "text: expected PARAMETER VALUE");
    if (!text || change(s, text, kept, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "changeparam '%s' by %s", text, request_who(r)->user);
    commit_then_reply(s, r, json_pack("{s:s}", "message", "parameters modified"));
}
