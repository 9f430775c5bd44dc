/* SPDX-License-Identifier: Apache-2.0
 * Parameters changed at run time. */
#define LOG_FACILITY FACILITY_CONFIG
#include "server/durable/changes.h"

#include "config/grammar.h"
#include "config/settings.h"
#include "config/table.h"
#include "server/api/api.h"
#include "server/server_private.h"
#include "server/whatif/whatif.h"

#include <ctype.h>

/* The lines, as "FSDEPTH 5". The passing one is before the kept one, which is back in
 * force when the file is read again by order. */
struct parameter_change {
    char *name; /* FSDEPTH */
    char *kept, *passing;
    json_int_t number; /* they are in this order */
    char *misfit;      /* why it is left out, as it does not fit any more; or NULL */
    bool lapsed; /* the passing one alone does not fit: the kept one is in force */
    bool closes; /* while it is, nobody may use the reservation that it is of */
};

struct changes {
    struct VEC(struct parameter_change) all;
    json_int_t last; /* number given */
    bool lifted;     /* the passing ones are left out */
};

static void clear(struct parameter_change *p)
{
    free(p->name);
    free(p->kept);
    free(p->passing);
    free(p->misfit);
}

static const char *text_in_force(const struct parameter_change *p)
{
    return p->passing && !p->lapsed ? p->passing : p->kept;
}

/* As it is now; one that says nothing any more is gone from the store as well. */
static void save_change(struct server *s, const struct parameter_change *p)
{
    if (!text_in_force(p)) {
        unsaved_delete(s->unsaved, "parameter", p->name);
        return;
    }
    json_t *value = json_pack("{s:s, s:b, s:I}", "text", p->kept ? p->kept : p->passing,
        "kept", p->kept != NULL, "number", p->number);
    if (p->kept && p->passing)
        json_object_set_new(value, "passing", json_string(p->passing));
    char *line = json_dumps(value, JSON_COMPACT);
    if (line)
        unsaved_put(s->unsaved, "parameter", p->name, line);
    free(line);
    json_decref(value);
}

static void add_line(struct strbuf *text, const struct parameter_change *p, bool lifted)
{
    const char *line = lifted ? p->kept : text_in_force(p);

    if (lifted && !p->kept)
        return;                 /* with it goes what it closes */
    if (p->misfit && p->closes) /* SRCFG[a] of SRCFG[a].USERLIST */
        strbuf_printf(text, "%.*s USERLIST=!ALL\n",
            (int)(strstr(p->name, "].") + 1 - p->name), p->name);
    else if (line && !p->misfit)
        strbuf_printf(text, "%s\n", line);
}

char *changes_text(struct server *s)
{
    const struct changes *c = s->kept.changes;
    struct strbuf text = {0};

    strbuf_add(&text, GRAMMAR_CHANGE "\n");
    for (size_t i = 0; i < c->all.n; i++)
        add_line(&text, &c->all.v[i], c->lifted);
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
        p->lapsed = false;
        save_change(s, p);
        commit_want(s);
        if (!p->kept) {
            clear(p);
            vec_remove(&c->all, i);
        }
    }
}

/* ---- what is asked for ---- */

/* What is to be done with a line: be in force, or not any more; until the file is read
 * again, or for good. */
struct wish {
    bool kept, drop;
};

struct asked_change {
    struct parameter_change line; /* of its texts `passing` is set */
    struct wish wish;
};

/* What one request asks for, by name: FSDEPTH; of a section each attribute by itself,
 * USERCFG[ann].MAXJOB, so that a later change of another one leaves it alone. */
struct asked {
    struct VEC(struct asked_change) all; /* owned until they are taken */
    bool unread; /* one of them is only accepted: it changes nothing */
};

static void clear_asked(struct asked *a)
{
    for (size_t i = 0; i < a->all.n; i++)
        clear(&a->all.v[i].line);
    vec_fini(&a->all);
}

/* Takes both texts. */
static void add_asked(struct asked *a, char *name, char *text, struct wish w)
{
    vec_push(&a->all,
        ((struct asked_change){.line = {.name = name, .passing = text}, .wish = w}));
}

/* A word of ours has one spelling in names. */
static void add_upper(struct strbuf *b, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_printf(
            b, "%c", word[i] >= 'a' && word[i] <= 'z' ? word[i] - 32 : word[i]);
}

/* The index that has one spelling in names, or NULL: X and X[0] are one parameter. */
static const char *index_of(const struct cfg_row *row, const struct grammar_line *line)
{
    bool section = row && row->type == CFG_SECTION;

    if (!cfg_is_global(line->index))
        return line->index;
    return section && row->object != OBJECT_SYS ? "0" : NULL;
}

/* PARAMETER[INDEX], whichever of its names was used; owned by the caller. */
static char *heading_of(const struct cfg_row *row, const struct grammar_line *line)
{
    struct strbuf b = {0};
    const char *name = row ? row->name : line->name, *index = index_of(row, line);

    add_upper(&b, name, strlen(name));
    if (index)
        strbuf_printf(&b, "[%s]", index);
    return strbuf_take(&b);
}

/* QOSPRIORITY[high] is an older form of QOSCFG[high].PRIORITY: they are one change.
 * Owned by the caller. */
static char *old_form_name(
    const struct server *s, const struct cfg_row *row, const struct grammar_line *line)
{
    const char *bank = s->config->settings->bank.name;
    struct strbuf b = {0};

    strbuf_printf(&b, "%s[%s].%s", cfg_object_name(row->object),
        cfg_old_form_index(row, line->index, bank),
        attrs_find(s->config->table, row->object, row->attr)->name);
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

/* "FSDEPTH 5", in one line, however it was written; owned by the caller. */
static char *line_of(const char *heading, const char *value, size_t n)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s %.*s", heading, (int)n, value);
    for (char *p = b.text; (p = strchr(p, '\n')) != NULL;)
        *p = ' ';
    return strbuf_take(&b);
}

/* USERLIST=ann USERLIST=bob of one line are one change, as they are one list in a file.
 * Takes the name. */
static void add_pair(struct asked *l, size_t first, bool accumulates, char *name,
    const char *heading, const char *pair, size_t n, struct wish w)
{
    size_t i = accumulates ? first : l->all.n;

    while (i < l->all.n && strcmp(l->all.v[i].line.name, name) != 0)
        i++;
    if (i == l->all.n) {
        add_asked(l, name, line_of(heading, pair, n), w);
        return;
    }
    char *before = l->all.v[i].line.passing;
    l->all.v[i].line.passing = line_of(before, pair, n);
    free(before);
    free(name);
}

static int split_pairs(const struct server *s, const struct cfg_row *section,
    const char *heading, const char *value, struct wish w, struct asked *l,
    struct err *err)
{
    size_t first = l->all.n;
    struct grammar_pairs g;
    struct grammar_pair pair;
    int result = 0;

    grammar_pairs_init(&g, value);
    for (const char *from = g.p; grammar_pairs_next(&g, &pair); from = g.p) {
        if (is_heading(s, &pair))
            result = err_set(err, ERR_INVALID, "%.60s[%.60s]: one section at a time",
                pair.name, pair.bracket);
        const struct cfg_row *row =
            attrs_find(s->config->table, section->object, pair.name);
        l->unread |= is_unread(row);
        from += strspn(from, " \n");
        add_pair(l, first, row && row->accumulates,
            attribute_name(s, section, heading, &pair), heading, from,
            (size_t)(g.p - from), w);
        grammar_pair_fini(&pair);
    }
    return result;
}

static bool ends_in_backslash(const char *text)
{
    size_t n = strlen(text);

    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    return n && text[n - 1] == '\\';
}

static int refuse_backslash(struct err *err)
{
    return err_set(err, ERR_INVALID,
        "a backslash at the end joins the next line, and there is none");
}

static int split_line(const struct server *s, const struct grammar_line *line,
    struct wish w, struct asked *l, struct err *err)
{
    const struct cfg_row *row = table_find(s->config->table, line->name);
    const char *value = line->value ? line->value : "";
    char *heading = heading_of(row, line);
    int result = 0;

    l->unread |= is_unread(row);
    if (ends_in_backslash(value))
        result = refuse_backslash(err);
    else if (row && row->type == CFG_SECTION)
        result = split_pairs(s, row, heading, value, w, l, err);
    else
        add_asked(l,
            row && row->home == HOME_ATTR ? old_form_name(s, row, line)
                                          : xstrdup(heading),
            line_of(heading, value, strlen(value)), w);
    free(heading);
    return result;
}

/* Of the one line of the text. */
static int read_line(const struct server *s, const char *text, struct wish w,
    struct asked *ret, struct err *err)
{
    struct grammar g;
    struct grammar_line line, more;
    int result = 0;

    grammar_init(&g, text, strlen(text));
    if (!grammar_next(&g, &line))
        return err_set(err, ERR_INVALID, "expected PARAMETER VALUE");
    if (line.kind != GRAMMAR_SETTING) {
        result = err_set(err, ERR_INVALID, "'%.80s' is no PARAMETER VALUE", text);
    } else if (ends_in_backslash(text)) {
        result = refuse_backslash(err);
    } else if (grammar_next(&g, &more)) {
        grammar_line_fini(&more);
        result = err_set(err, ERR_INVALID, "one parameter at a time");
    } else {
        result = split_line(s, &line, w, ret, err);
    }
    grammar_line_fini(&line);
    return result;
}

/* ---- placing ---- */

static void swap(struct parameter_change *a, struct parameter_change *b)
{
    struct parameter_change other = *a;

    *a = *b;
    *b = other;
}

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
        vec_push(&c->all, ((struct parameter_change){.number = ++c->last}));
    change->number = c->all.v[i].number;
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

/* ---- from the store ---- */

/* A backslash at its end, which an older store may have, would join the next line to
 * it. */
static char *copy_text(const json_t *o)
{
    const char *text = json_string_value(o);
    size_t n = text ? strlen(text) : 0;

    while (n && (text[n - 1] == '\\' || text[n - 1] == ' '))
        n--;
    return text ? xstrndup(text, n) : NULL;
}

struct recalled VEC(struct parameter_change);

/* {"text": ..., "kept": ..., "number": ...}, and "passing" of one that is before a kept
 * one; a text alone is one that is kept. Those of older releases have no number. */
static int recall(void *ctx, const char *key, const char *value)
{
    struct recalled *all = ctx;
    json_t *o = json_loads(value, JSON_DECODE_ANY, NULL);
    char *text = copy_text(json_is_string(o) ? o : json_object_get(o, "text"));
    bool kept = json_is_string(o) || json_is_true(json_object_get(o, "kept"));
    struct parameter_change p = {.kept = kept ? text : NULL,
        .passing = kept ? copy_text(json_object_get(o, "passing")) : text,
        .number = json_integer_value(json_object_get(o, "number"))};

    if (text) {
        p.name = xstrdup(key);
        vec_push(all, p);
    } else {
        free(p.passing);
    }
    json_decref(o);
    return 0;
}

static int compare_recalled(const void *a, const void *b)
{
    const struct parameter_change *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Under the names that a change of today has: an older release kept a whole section as
 * one, and parameters by whichever of their names. Returns whether they are others. */
static bool rename_recalled(
    struct changes *c, const struct parameter_change *p, struct asked *asked)
{
    bool differs = false;

    for (size_t i = 0; i < asked->all.n; i++) {
        struct asked_change *one = &asked->all.v[i];
        size_t n = c->all.n;
        differs |= strcmp(one->line.name, p->name) != 0;
        size_t at = place_change(c, &one->line, one->wish);
        if (c->all.n > n)
            c->all.v[at].number = p->number;
    }
    return differs;
}

/* Takes *p. What cannot be read as a change of today stays as it is. */
static bool take_recalled(struct server *s, struct parameter_change *p)
{
    struct changes *c = s->kept.changes;
    struct asked asked = {0};
    struct err err = {0};
    bool differs = false, read = true;

    log_line(s->log, LOG_ACTION, "changed at run time before the restart: %s",
        text_in_force(p));
    if (p->kept)
        read = read_line(s, p->kept, (struct wish){.kept = true}, &asked, &err) == 0;
    if (read && p->passing)
        read = read_line(s, p->passing, (struct wish){0}, &asked, &err) == 0;
    c->last = p->number > c->last ? p->number : c->last;
    if (read && asked.all.n) {
        differs = rename_recalled(c, p, &asked);
        if (differs)
            unsaved_delete(s->unsaved, "parameter", p->name);
        clear(p);
    } else {
        vec_push(&c->all, *p);
    }
    clear_asked(&asked);
    return differs;
}

static void recall_all(struct server *s)
{
    struct changes *c = s->kept.changes;
    struct recalled all = {0};
    struct err err = {0};
    bool differs = false;

    if (store_each(s->store, "parameter", recall, &all, &err) < 0)
        log_line(s->log, LOG_ALERT, "parameters changed at run time: %s", err.text);
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_recalled);
    for (size_t i = 0; i < all.n; i++)
        differs |= take_recalled(s, &all.v[i]);
    for (size_t i = 0; differs && i < c->all.n; i++)
        save_change(s, &c->all.v[i]);
    if (differs)
        commit_want(s);
    vec_fini(&all);
}

/* ---- what fits no more ---- */

/* Of the same section? A parameter outside of sections is alone. */
static bool is_beside(const char *name, const char *other)
{
    const char *end = strstr(name, "].");

    return strcmp(name, other) == 0
           || (end && strncmp(name, other, (size_t)(end + 2 - name)) == 0);
}

static void take_misfit(struct parameter_change *p, const char *why)
{
    free(p->misfit);
    p->misfit = why ? xstrdup(why) : NULL;
}

/* One that is left out, alone or with those of its section that are: in force, if they
 * fit now. */
static bool offer(struct server *s, size_t at, bool section)
{
    struct changes *c = s->kept.changes;
    struct VEC(size_t) offered = {0};
    struct err err = {0};

    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.v[i].misfit
            && (i == at || (section && is_beside(c->all.v[at].name, c->all.v[i].name))))
            vec_push(&offered, i);
    for (size_t i = 0; i < offered.n; i++)
        take_misfit(&c->all.v[offered.v[i]], NULL);
    bool fits = server_configure(s, &err) == 0;
    for (size_t i = 0; !fits && i < offered.n; i++)
        take_misfit(&c->all.v[offered.v[i]], err.text);
    vec_fini(&offered);
    return fits;
}

/* Again until nothing more fits: one may need another. */
static void offer_all(struct server *s, bool section)
{
    struct changes *c = s->kept.changes;
    bool taken = true;

    while (taken) {
        taken = false;
        for (size_t i = 0; i < c->all.n; i++)
            if (c->all.v[i].misfit)
                taken |= offer(s, i, section);
    }
}

/* Of a standing reservation, a rule of access; one that nobody knows may be one. */
static bool is_access_rule(const struct server *s, const char *name)
{
    const char *attr = strncmp(name, "SRCFG[", 6) == 0 ? strstr(name, "].") : NULL;
    const struct cfg_row *row =
        attr ? attrs_find(s->config->table, OBJECT_SR, attr + 2) : NULL;

    return attr && (!row || row->guards);
}

/* A rule that is left out must not let in whom it kept out. */
static void close_access(struct server *s, struct parameter_change *p)
{
    struct err err = {0};

    p->closes = is_access_rule(s, p->name);
    if (p->closes && server_configure(s, &err) < 0)
        p->closes = false; /* there is no such reservation without the others */
    log_line(s->log, LOG_ALERT, "left out, as it does not fit any more: %s: %s%s",
        text_in_force(p), p->misfit,
        p->closes ? "; nobody may use the reservation until this is mended" : "");
}

/* A passing value that does not fit is in nobody's way: the kept one is in force, if it
 * fits. Not of a rule of access, which would let in whom the passing one kept out. */
static bool offer_kept(struct server *s, size_t at)
{
    struct parameter_change *p = &s->kept.changes->all.v[at];

    if (!p->misfit || !p->passing || !p->kept || is_access_rule(s, p->name))
        return false;
    char *why = xstrdup(p->misfit);
    p->lapsed = true;
    if (offer(s, at, false))
        log_line(s->log, LOG_ALERT,
            "left out, as it does not fit any more: %s: %s; %s is in force", p->passing,
            why, p->kept);
    else
        p->lapsed = false;
    free(why);
    return p->lapsed;
}

static void offer_all_kept(struct server *s)
{
    bool taken = false;

    for (size_t i = 0; i < s->kept.changes->all.n; i++)
        taken |= offer_kept(s, i);
    if (taken)
        offer_all(s, false);
}

/* Together they do not fit, as the file or a release is another one now: sections
 * whole, then what is left alone. What does not fit is left out, though not forgotten.
 */
static void leave_out_misfits(struct server *s)
{
    struct changes *c = s->kept.changes;

    for (size_t i = 0; i < c->all.n; i++)
        take_misfit(&c->all.v[i], "");
    offer_all(s, true);
    offer_all(s, false);
    offer_all_kept(s);
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.v[i].misfit)
            close_access(s, &c->all.v[i]);
}

void changes_offer(struct server *s)
{
    struct changes *c = s->kept.changes;
    struct VEC(size_t) out = {0};

    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.v[i].misfit)
            vec_push(&out, i);
    if (out.n) {
        offer_all(s, true);
        offer_all(s, false);
    }
    for (size_t i = 0; i < out.n; i++) {
        struct parameter_change *p = &c->all.v[out.v[i]];
        if (p->misfit)
            close_access(s, p);
        else
            log_line(
                s->log, LOG_ACTION, "in force again, as it fits: %s", text_in_force(p));
    }
    vec_fini(&out);
}

void changes_open(struct server *s)
{
    struct err err = {0};

    s->kept.changes = xcalloc(1, sizeof *s->kept.changes);
    recall_all(s);
    if (s->kept.changes->all.n && server_configure(s, &err) < 0)
        leave_out_misfits(s);
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

/* SRCFG[a] of SRCFG[a].USERLIST, where there is such a reservation: the line alone says
 * nothing of its places then, which it has. Owned by the caller, or NULL. */
static char *find_standing(const struct server *s, const char *name)
{
    const char *end = strncmp(name, "SRCFG[", 6) == 0 ? strstr(name, "].") : NULL;
    size_t n = end ? (size_t)(end + 2 - name) : 0;

    for (size_t i = 0; n && i < s->config->values.n; i++)
        if (strncmp(s->config->values.v[i].name, name, n) == 0)
            return xstrndup(name, n - 1);
    return NULL;
}

/* A limit of Maui 3.0 has no effect where a section says the same. */
static int check_old_limit(const struct server *s, const char *name, struct err *err)
{
    const struct cfg_row *row = table_find(s->config->table, name);
    struct asked now = {0};
    int result = 0;

    if (!row || row->home != HOME_LEGACY)
        return 0;
    if (read_line(s, row->instead, (struct wish){0}, &now, err) < 0)
        result = -1;
    else if (now.all.n && config_value(s->config, now.all.v[0].line.name))
        result = err_set(err, ERR_INVALID,
            "%s has no effect, as %s is in force; change that: %s", name,
            now.all.v[0].line.name, row->instead);
    clear_asked(&now);
    return result;
}

/* What the file may say with a warning is an error here: nothing is ignored. */
static int check_change(
    const struct server *s, const char *text, const char *name, struct err *err)
{
    if (check_old_limit(s, name, err) < 0)
        return -1;
    char *standing = find_standing(s, name);
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

static json_t *describe_wish(const char *text, struct wish w)
{
    return json_pack(
        "{s:s, s:b, s:b}", "text", text, "persistent", w.kept, "drop", w.drop);
}

/* What brings `was` back where `is` is now, as bodies of requests, in their order. The
 * first says what it is to find in force, so that it undoes nothing else. */
static void add_undo(json_t *all, const struct parameter_change *was,
    const struct parameter_change *is, struct wish w)
{
    size_t first = json_array_size(all);
    const char *now = text_in_force(is);

    if (w.kept && was->kept)
        json_array_append_new(
            all, describe_wish(was->kept, (struct wish){.kept = true}));
    else if (!w.drop && (w.kept || !was->passing))
        json_array_append_new(
            all, describe_wish(now, (struct wish){.kept = w.kept, .drop = true}));
    if (was->passing)
        json_array_append_new(all, describe_wish(was->passing, (struct wish){0}));
    if (json_array_size(all) > first)
        json_object_set_new(
            json_array_get(all, first), "instead", json_string(now ? now : ""));
}

static void remove_empty(struct changes *c)
{
    for (size_t i = c->all.n; i-- > 0;)
        if (!text_in_force(&c->all.v[i])) {
            clear(&c->all.v[i]);
            vec_remove(&c->all, i);
        }
}

/* Could it serve with those alone that are kept? Nobody could have the files read again
 * by order else. */
static int judge_kept(struct server *s, struct err *err)
{
    changes_lift(s, true);
    char *text = changes_text(s);
    changes_lift(s, false);
    int result = server_judge(s, text, err);

    free(text);
    return result < 0 ? err_prefix(err, "without the changes that do not persist: ")
                      : 0;
}

static bool wants_kept(const struct asked *asked)
{
    for (size_t i = 0; i < asked->all.n; i++)
        if (asked->all.v[i].wish.kept)
            return true;
    return false;
}

static bool has_passing(const struct changes *c)
{
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.v[i].passing)
            return true;
    return false;
}

/* All of them or nothing; what they replaced is in *asked then. */
static int take_changes(
    struct server *s, struct asked *asked, json_t *undo, struct err *err)
{
    struct changes *c = s->kept.changes;
    struct VEC(size_t) at = {0};
    struct err before;
    /* Where something else is in the way already, this one may be part of the mend. */
    bool judges = wants_kept(asked) && (!has_passing(c) || judge_kept(s, &before) == 0);

    for (size_t i = 0; i < asked->all.n; i++)
        vec_push(&at, place_change(c, &asked->all.v[i].line, asked->all.v[i].wish));
    int result = judges && has_passing(c) ? judge_kept(s, err) : 0;
    if (result == 0)
        result = server_configure(s, err);
    for (size_t i = at.n; result == 0 && i-- > 0;) { /* the last is taken back first */
        save_change(s, &c->all.v[at.v[i]]);
        add_undo(undo, &asked->all.v[i].line, &c->all.v[at.v[i]], asked->all.v[i].wish);
    }
    for (size_t i = at.n; result < 0 && i-- > 0;) {
        swap(&c->all.v[at.v[i]], &asked->all.v[i].line);
        if (!c->all.v[at.v[i]].name)
            c->all.n--;
    }
    vec_fini(&at);
    remove_empty(c);
    return result;
}

/* There must be what is to be dropped. */
static int check_drop(
    const struct server *s, const struct asked_change *asked, struct err *err)
{
    const struct changes *c = s->kept.changes;
    size_t at = find_change(c, asked->line.name);

    if (at < c->all.n && (asked->wish.kept || c->all.v[at].passing))
        return 0;
    return err_set(
        err, ERR_NOT_FOUND, "%.120s was not changed at run time", asked->line.name);
}

/* What is to be replaced must be what is in force; "": what the file says. */
static int check_instead(
    const struct server *s, const char *name, const char *instead, struct err *err)
{
    const struct changes *c = s->kept.changes;
    size_t at = find_change(c, name);
    const char *now = at < c->all.n ? text_in_force(&c->all.v[at]) : "";

    if (strcmp(now ? now : "", instead) == 0)
        return 0;
    return err_set(err, ERR_CONFLICT,
        "%.120s was changed meanwhile: it is '%.120s' now", name,
        now && *now ? now : "as the configuration says");
}

/* {"text": ..., "persistent": ..., "drop": ..., "instead": ...} */
static int ask_one(
    struct server *s, const json_t *o, struct asked *asked, struct err *err)
{
    const char *text = json_string_value(json_object_get(o, "text"));
    const char *instead = json_string_value(json_object_get(o, "instead"));
    struct wish w = {.kept = json_is_true(json_object_get(o, "persistent")),
        .drop = json_is_true(json_object_get(o, "drop"))};
    size_t first = asked->all.n;

    if (!text)
        return err_set(err, ERR_INVALID, "text: expected PARAMETER VALUE");
    if (read_line(s, text, w, asked, err) < 0)
        return -1;
    if (first == asked->all.n)
        return err_set(err, ERR_INVALID, "'%.80s' names no attribute", text);
    const char *name = asked->all.v[first].line.name;
    if (!w.drop && check_change(s, text, name, err) < 0)
        return -1;
    if (instead && check_instead(s, name, instead, err) < 0)
        return -1;
    for (size_t i = first; w.drop && i < asked->all.n; i++)
        if (check_drop(s, &asked->all.v[i], err) < 0)
            return -1;
    return 0;
}

/* One, or {"all": [...]}. */
static int ask_all(
    struct server *s, const json_t *o, struct asked *asked, struct err *err)
{
    const json_t *all = json_object_get(o, "all"), *one;
    size_t i;

    if (!all)
        return ask_one(s, o, asked, err);
    if (!json_array_size(all) || json_object_size(o) != 1)
        return err_set(err, ERR_INVALID, "all: expected a list of changes, alone");
    json_array_foreach(
        (json_t *)all, i, one) if (ask_one(s, one, asked, err) < 0) return -1;
    return 0;
}

/* They are in force, and outlive a restart. What is to be said of them goes to *reply.
 */
static int take_asked(struct server *s, const json_t *o, json_t *reply, struct err *err)
{
    static const char unread[] = "nothing reads this parameter: it changes nothing";
    json_t *undo = json_array();
    struct asked asked = {0};
    int result = ask_all(s, o, &asked, err);

    if (result == 0)
        result = take_changes(s, &asked, undo, err);
    json_object_set_new(reply, "undo", undo);
    if (asked.unread)
        json_object_set_new(reply, "warnings", json_pack("[s]", unread));
    if (asked.unread && s->tries)
        whatif_note(s, unread);
    clear_asked(&asked);
    return result;
}

static void log_change(struct server *s, const struct request *r, const json_t *o)
{
    const json_t *all = json_object_get(o, "all"), *one;
    size_t i;

    if (all) {
        json_array_foreach((json_t *)all, i, one) log_change(s, r, one);
        return;
    }
    log_line(s->log, LOG_ACTION, "changeparam '%s'%s by %s",
        json_string_value(json_object_get(o, "text")),
        json_is_true(json_object_get(o, "drop")) ? " dropped" : "",
        request_who(r)->user);
}

void api_change(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = request_json(r, &err),
           *reply = json_pack("{s:s}", "message", "parameters modified");

    if (!o || take_asked(s, o, reply, &err) < 0) {
        json_decref(reply);
        request_refuse(r, &err);
        return;
    }
    log_change(s, r, o);
    commit_then_reply(s, r, reply);
}
