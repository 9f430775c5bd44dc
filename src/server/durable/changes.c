/* SPDX-License-Identifier: Apache-2.0
 * Parameters changed at run time. */
#define LOG_FACILITY FACILITY_CONFIG
#include "server/durable/changes.h"

#include "config/grammar.h"
#include "config/table.h"
#include "server/api/api.h"
#include "server/server_private.h"
#include "server/whatif/whatif.h"

/* The lines, as "FSDEPTH 5". The passing one is before the kept one, which is back in
 * force when the file is read again by order. */
struct parameter_change {
    char *name; /* FSDEPTH */
    char *kept, *passing;
};

struct changes {
    struct VEC(struct parameter_change) all;
    bool lifted; /* the passing ones are left out */
};

static void clear(struct parameter_change *p)
{
    free(p->name);
    free(p->kept);
    free(p->passing);
}

static const char *text_in_force(const struct parameter_change *p)
{
    return p->passing ? p->passing : p->kept;
}

/* As it is now; one that says nothing any more is gone from the store as well. */
static void save_change(struct server *s, const struct parameter_change *p)
{
    if (!text_in_force(p)) {
        unsaved_delete(s->unsaved, "parameter", p->name);
        return;
    }
    json_t *value = json_pack(
        "{s:s, s:b}", "text", p->kept ? p->kept : p->passing, "kept", p->kept != NULL);
    if (p->kept && p->passing)
        json_object_set_new(value, "passing", json_string(p->passing));
    char *line = json_dumps(value, JSON_COMPACT);
    if (line)
        unsaved_put(s->unsaved, "parameter", p->name, line);
    free(line);
    json_decref(value);
}

char *changes_text(struct server *s)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < s->kept.changes->all.n; i++) {
        const struct parameter_change *p = &s->kept.changes->all.v[i];
        const char *line = s->kept.changes->lifted ? p->kept : text_in_force(p);
        if (line)
            strbuf_printf(&text, "%s\n", line);
    }
    return strbuf_take(&text);
}

void changes_lift(struct server *s, bool lifted)
{
    s->kept.changes->lifted = lifted;
}

void changes_drop(struct server *s)
{
    struct changes *c = s->kept.changes;

    for (size_t i = c->all.n; i-- > 0;) {
        struct parameter_change *p = &c->all.v[i];
        if (!p->passing)
            continue;
        free(p->passing);
        p->passing = NULL;
        save_change(s, p);
        commit_want(s);
        if (!p->kept) {
            clear(p);
            vec_remove(&c->all, i);
        }
    }
}

/* ---- from the store ---- */

static char *copy_text(const json_t *o)
{
    return json_is_string(o) ? xstrdup(json_string_value(o)) : NULL;
}

/* {"text": ..., "kept": ...}, and "passing" of one that is before a kept one; a text
 * alone is one that is kept. */
static int recall(void *ctx, const char *key, const char *value)
{
    struct server *s = ctx;
    json_t *o = json_loads(value, JSON_DECODE_ANY, NULL);
    char *text = copy_text(json_is_string(o) ? o : json_object_get(o, "text"));
    bool kept = json_is_string(o) || json_is_true(json_object_get(o, "kept"));
    struct parameter_change p = {.kept = kept ? text : NULL,
        .passing = kept ? copy_text(json_object_get(o, "passing")) : text};

    if (text) {
        p.name = xstrdup(key);
        log_line(s->log, LOG_ACTION, "changed at run time before the restart: %s",
            text_in_force(&p));
        vec_push(&s->kept.changes->all, p);
    } else {
        free(p.passing);
    }
    json_decref(o);
    return 0;
}

void changes_open(struct server *s)
{
    struct err err = {0};

    s->kept.changes = xcalloc(1, sizeof *s->kept.changes);
    if (store_each(s->store, "parameter", recall, s, &err) < 0
        || (s->kept.changes->all.n && server_configure(s, &err) < 0))
        log_line(s->log, LOG_ALERT, "parameters changed at run time: %s", err.text);
    if (err.code) {
        for (size_t i = 0; i < s->kept.changes->all.n; i++)
            clear(&s->kept.changes->all.v[i]);
        s->kept.changes->all.n = 0;
    }
}

void changes_close(struct server *s)
{
    if (!s->kept.changes)
        return;
    for (size_t i = 0; i < s->kept.changes->all.n; i++)
        clear(&s->kept.changes->all.v[i]);
    vec_fini(&s->kept.changes->all);
    free(s->kept.changes);
    s->kept.changes = NULL;
}

/* ---- changing ---- */

/* What one line sets, by name: FSDEPTH; of a section each attribute by itself,
 * USERCFG[ann].MAXJOB, so that a later change of another one leaves it alone. Of the
 * texts `passing` is set. */
struct line_changes {
    struct VEC(struct parameter_change) all; /* owned until they are taken */
    bool unread; /* one of them is only accepted: it changes nothing */
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

/* PARAMETER[INDEX], whichever of its names was used; owned by the caller. */
static char *heading_of(const struct cfg_row *row, const struct grammar_line *line)
{
    struct strbuf b = {0};
    const char *name = row ? row->name : line->name;

    add_upper(&b, name, strlen(name));
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

static bool is_unread(const struct cfg_row *row)
{
    return row && (row->status == STATUS_LATER || row->status == STATUS_INERT);
}

/* SRCFG[b] of SRCFG[a] DEPTH=1 SRCFG[b] DEPTH=2, which a file may say in one line. */
static bool is_heading(const struct server *s, const struct grammar_pair *pair)
{
    const struct cfg_row *row =
        pair->bracket && !pair->value ? table_find(s->config->table, pair->name) : NULL;

    return row && row->type == CFG_SECTION;
}

static int split_pairs(const struct server *s, const struct cfg_row *section,
    const char *heading, const char *value, struct line_changes *l, struct err *err)
{
    struct grammar_pairs g;
    struct grammar_pair pair;
    int result = 0;

    grammar_pairs_init(&g, value);
    for (const char *from = g.p; grammar_pairs_next(&g, &pair); from = g.p) {
        struct strbuf text = {0};
        if (is_heading(s, &pair))
            result = err_set(err, ERR_INVALID, "%.60s[%.60s]: one section at a time",
                pair.name, pair.bracket);
        l->unread |=
            is_unread(attrs_find(s->config->table, section->object, pair.name));
        strbuf_printf(&text, "%s %.*s", heading, (int)(g.p - from), from);
        vec_push(&l->all, ((struct parameter_change){
                              .name = attribute_name(s, section, heading, &pair),
                              .passing = strbuf_take(&text)}));
        grammar_pair_fini(&pair);
    }
    return result;
}

static int split_line(const struct server *s, const struct grammar_line *line,
    const char *text, struct line_changes *l, struct err *err)
{
    const struct cfg_row *row = table_find(s->config->table, line->name);
    char *heading = heading_of(row, line);
    int result = 0;

    l->unread |= is_unread(row);
    if (row && row->type == CFG_SECTION) {
        result = split_pairs(s, row, heading, line->value, l, err);
        free(heading);
    } else {
        vec_push(&l->all,
            ((struct parameter_change){.name = heading, .passing = xstrdup(text)}));
    }
    return result;
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
        result = split_line(s, &line, text, ret, err);
    }
    grammar_line_fini(&line);
    return result;
}

/* SRCFG[a] of SRCFG[a].USERLIST, where there is such a reservation: the line alone says
 * nothing of its places then, which it has. Owned by the caller, or NULL. */
static char *find_standing(const struct server *s, const struct line_changes *line)
{
    const char *name = line->all.n ? line->all.v[0].name : "";
    const char *end = strncmp(name, "SRCFG[", 6) == 0 ? strstr(name, "].") : NULL;
    size_t n = end ? (size_t)(end + 2 - name) : 0;

    for (size_t i = 0; n && i < s->config->values.n; i++)
        if (strncmp(s->config->values.v[i].name, name, n) == 0)
            return xstrndup(name, n - 1);
    return NULL;
}

/* What the file may say with a warning is an error here: nothing is ignored. */
static int check_change(const struct server *s, const char *text,
    const struct line_changes *line, struct err *err)
{
    char *standing = find_standing(s, line);
    struct strbuf whole = {0};
    int result = 0;

    if (standing)
        strbuf_printf(&whole, "%s HOSTLIST=ALL\n", standing);
    strbuf_printf(&whole, "%s\n", text);
    struct config *c =
        config_load_text_after(s->config, false, "changeparam", whole.text, whole.len);
    free(standing);
    free(strbuf_take(&whole));
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

/* What is to be done with a line: be in force, or not any more; until the file is read
 * again, or for good. */
struct wish {
    bool kept, drop;
};

static size_t find_change(const struct changes *c, const char *name)
{
    size_t i = 0;

    while (i < c->all.n && strcmp(c->all.v[i].name, name) != 0)
        i++;
    return i;
}

/* In the place of one of the same name, else behind the others; returns where. A kept
 * one takes the place of both, a passing one is before what is kept. */
static size_t place_change(
    struct changes *c, struct parameter_change *change, struct wish w)
{
    size_t i = find_change(c, change->name);

    if (i == c->all.n)
        vec_push(&c->all, ((struct parameter_change){0}));
    if (w.drop) {
        free(change->passing);
        change->passing = NULL;
    } else if (w.kept) {
        change->kept = change->passing;
        change->passing = NULL;
    }
    if (!w.kept && c->all.v[i].kept)
        change->kept = xstrdup(c->all.v[i].kept);
    swap(&c->all.v[i], change);
    return i;
}

static json_t *describe_wish(const char *text, struct wish w)
{
    return json_pack(
        "{s:s, s:b, s:b}", "text", text, "persistent", w.kept, "drop", w.drop);
}

/* What brings `was` back where `is` is now, as bodies of requests, in their order. */
static void add_undo(json_t *all, const struct parameter_change *was,
    const struct parameter_change *is, struct wish w)
{
    if (w.kept && was->kept)
        json_array_append_new(
            all, describe_wish(was->kept, (struct wish){.kept = true}));
    else if (!w.drop && (w.kept || !was->passing))
        json_array_append_new(all, describe_wish(text_in_force(is),
                                       (struct wish){.kept = w.kept, .drop = true}));
    if (was->passing)
        json_array_append_new(all, describe_wish(was->passing, (struct wish){0}));
}

static void remove_empty(struct changes *c)
{
    for (size_t i = c->all.n; i-- > 0;)
        if (!text_in_force(&c->all.v[i])) {
            clear(&c->all.v[i]);
            vec_remove(&c->all, i);
        }
}

/* All of the line or nothing; what it replaced is in *line then. */
static int take_changes(struct server *s, struct line_changes *line, struct wish w,
    json_t *undo, struct err *err)
{
    struct changes *c = s->kept.changes;
    struct VEC(size_t) at = {0};

    for (size_t i = 0; i < line->all.n; i++)
        vec_push(&at, place_change(c, &line->all.v[i], w));
    int result = server_configure(s, err);
    for (size_t i = at.n; result == 0 && i-- > 0;) { /* the last is taken back first */
        save_change(s, &c->all.v[at.v[i]]);
        add_undo(undo, &line->all.v[i], &c->all.v[at.v[i]], w);
    }
    for (size_t i = at.n; result < 0 && i-- > 0;) {
        swap(&c->all.v[at.v[i]], &line->all.v[i]);
        if (!c->all.v[at.v[i]].name)
            c->all.n--;
    }
    vec_fini(&at);
    remove_empty(c);
    return result;
}

/* There must be what is to be dropped. */
static int check_drop(const struct server *s, const struct line_changes *line,
    struct wish w, struct err *err)
{
    const struct changes *c = s->kept.changes;

    for (size_t i = 0; i < line->all.n; i++) {
        size_t at = find_change(c, line->all.v[i].name);
        if (at == c->all.n || !(w.kept || c->all.v[at].passing))
            return err_set(err, ERR_NOT_FOUND, "%.120s was not changed at run time",
                line->all.v[i].name);
    }
    return 0;
}

/* They are in force, and outlive a restart. What is to be said of them goes to *reply.
 */
static int take_line(
    struct server *s, const char *text, struct wish w, json_t *reply, struct err *err)
{
    static const char unread[] = "nothing reads this parameter: it changes nothing";
    json_t *undo = json_array();
    struct line_changes line = {0};
    int result = read_line(s, text, &line, err);

    if (result == 0)
        result =
            w.drop ? check_drop(s, &line, w, err) : check_change(s, text, &line, err);
    if (result == 0)
        result = take_changes(s, &line, w, undo, err);
    json_object_set_new(reply, "undo", undo);
    if (line.unread)
        json_object_set_new(reply, "warnings", json_pack("[s]", unread));
    if (line.unread && s->tries)
        whatif_note(s, unread);
    clear_line(&line);
    return result;
}

void api_change(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = request_json(r, &err),
           *reply = json_pack("{s:s}", "message", "parameters modified");
    const char *text = json_string_value(json_object_get(o, "text"));
    struct wish w = {.kept = json_is_true(json_object_get(o, "persistent")),
        .drop = json_is_true(json_object_get(o, "drop"))};

    if (o && !text)
        err_set(&err, ERR_INVALID, "text: expected PARAMETER VALUE");
    if (!text || take_line(s, text, w, reply, &err) < 0) {
        json_decref(reply);
        request_refuse(r, &err);
        return;
    }
    log_line(s->log, LOG_ACTION, "changeparam '%s'%s by %s", text,
        w.drop ? " dropped" : "", request_who(r)->user);
    commit_then_reply(s, r, reply);
}
