/* SPDX-License-Identifier: Apache-2.0
 * A window as bytes: docs/timeline-format.md. */
#include "base/timeval.h"
#include "base/xalloc.h"
#include "server/events/feed.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/cells.h"
#include "server/timeline/collect.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 8

static void add_padding(struct strbuf *out, size_t n)
{
    static const char zeros[ALIGN] = {0};

    if (n % ALIGN)
        strbuf_add_n(out, zeros, ALIGN - n % ALIGN);
}

static void add_u32(struct strbuf *out, uint32_t n)
{
    uint32_t le = htole32(n);

    strbuf_add_n(out, (const char *)&le, sizeof le);
}

static void add_u16(struct strbuf *out, uint32_t n)
{
    uint16_t le = htole16((uint16_t)(n < UINT16_MAX ? n : UINT16_MAX));

    strbuf_add_n(out, (const char *)&le, sizeof le);
}

static void add_u8(struct strbuf *out, uint32_t n)
{
    char byte = (char)(unsigned char)n;

    strbuf_add_n(out, &byte, 1);
}

/* Seconds from the begin of the window; what does not fit is without end. */
static uint32_t seconds_of(const struct collected *v, int64_t at)
{
    int64_t s = at >= TIME_NEVER ? INT32_MAX : at - v->asked.from_at;

    return (uint32_t)(int32_t)(s > INT32_MAX   ? INT32_MAX
                               : s < INT32_MIN ? INT32_MIN
                                               : s);
}

/* ---- columns ---- */

struct column {
    const char *name, *type; /* u8, u16, u32, i32 or text */
    void (*write)(const struct collected *v, size_t i, struct strbuf *out);
};

#define PIECE(member, add, value)                                                      \
    static void write_##member(                                                        \
        const struct collected *v, size_t i, struct strbuf *out)                       \
    {                                                                                  \
        const struct piece *p = &v->pieces.v[i];                                       \
        (void)p;                                                                       \
        add(out, value);                                                               \
    }

PIECE(row, add_u32, p->row)
PIECE(rows, add_u32, p->rows)
PIECE(start, add_u32, seconds_of(v, p->start_at))
PIECE(end, add_u32, seconds_of(v, p->end_at))
PIECE(object, add_u32, p->object)
PIECE(procs, add_u32, p->procs)
PIECE(kind, add_u8, (uint32_t)p->kind)

static const struct column piece_columns[] = {{"piece.row", "u32", write_row},
    {"piece.rows", "u32", write_rows}, {"piece.start", "i32", write_start},
    {"piece.end", "i32", write_end}, {"piece.object", "u32", write_object},
    {"piece.procs", "u32", write_procs}, {"piece.kind", "u8", write_kind}};

#define OBJECT(member, add, value)                                                     \
    static void write_object_##member(                                                 \
        const struct collected *v, size_t i, struct strbuf *out)                       \
    {                                                                                  \
        const struct piece_object *o = &v->objects.v[i];                               \
        add(out, value);                                                               \
    }

OBJECT(job, add_u8, o->is_job)
OBJECT(user, add_u16, o->cred[CRED_USER])
OBJECT(group, add_u16, o->cred[CRED_GROUP])
OBJECT(account, add_u16, o->cred[CRED_ACCOUNT])
OBJECT(class, add_u16, o->cred[CRED_CLASS])
OBJECT(qos, add_u16, o->cred[CRED_QOS])
OBJECT(start, add_u32, seconds_of(v, o->start_at))
OBJECT(end, add_u32, seconds_of(v, o->end_at))
OBJECT(submit, add_u32, seconds_of(v, o->submit_at))
OBJECT(procs, add_u32, o->procs)

/* Of a job that is over it is not known. */
static uint32_t priority_of(const struct piece_object *o)
{
    int64_t n = o->priority == PRIORITY_UNKNOWN ? INT32_MIN : o->priority;

    return (uint32_t)(int32_t)(n > INT32_MAX   ? INT32_MAX
                               : n < INT32_MIN ? INT32_MIN
                                               : n);
}

/* Whole percents. */
static uint32_t efficiency_of(const struct piece_object *o)
{
    return o->efficiency < 0     ? UINT8_MAX
           : o->efficiency > 250 ? 250
                                 : (uint32_t)(o->efficiency + 0.5);
}

OBJECT(priority, add_u32, priority_of(o))
OBJECT(efficiency, add_u8, efficiency_of(o))

/* A line each: no line has another line in it. */
static void write_object_id(const struct collected *v, size_t i, struct strbuf *out)
{
    json_t *text = render_utf8(v->objects.v[i].id);

    for (const char *p = json_string_value(text); p && *p; p++)
        add_u8(out, (unsigned char)*p < ' ' ? '?' : (unsigned char)*p);
    add_u8(out, '\n');
    json_decref(text);
}

static const struct column object_columns[] = {{"object.job", "u8", write_object_job},
    {"object.user", "u16", write_object_user},
    {"object.group", "u16", write_object_group},
    {"object.account", "u16", write_object_account},
    {"object.class", "u16", write_object_class},
    {"object.qos", "u16", write_object_qos},
    {"object.start", "i32", write_object_start},
    {"object.end", "i32", write_object_end},
    {"object.submit", "i32", write_object_submit},
    {"object.procs", "u32", write_object_procs},
    {"object.priority", "i32", write_object_priority},
    {"object.efficiency", "u8", write_object_efficiency},
    {"object.id", "text", write_object_id}};

/* ---- the heading ---- */

static void add_section(
    json_t *sections, const char *name, const char *type, size_t at, size_t len)
{
    json_array_append_new(
        sections, json_pack("{s:s, s:s, s:I, s:I}", "name", name, "type", type, "at",
                      (json_int_t)at, "bytes", (json_int_t)len));
}

/* ---- in turns ---- */

/* One column after another: of cells by layer, or of pieces and objects. */
struct writing {
    const struct collected *v;
    json_t *heading, *sections;
    struct strbuf body;
    size_t column, item; /* what is written next, */
    size_t at;           /* and where that column begins in `body` */
};

#define PIECE_COLUMNS  (sizeof piece_columns / sizeof *piece_columns)
#define OBJECT_COLUMNS (sizeof object_columns / sizeof *object_columns)

/* One of pieces or objects, and of how many; NULL: there are no more. */
static const struct column *column_at(const struct writing *w, size_t *ret_n)
{
    const struct column *c = NULL;

    if (w->column < PIECE_COLUMNS)
        c = &piece_columns[w->column];
    else if (w->column < PIECE_COLUMNS + OBJECT_COLUMNS)
        c = &object_columns[w->column - PIECE_COLUMNS];
    *ret_n = w->column < PIECE_COLUMNS ? w->v->pieces.n : w->v->objects.n;
    return c;
}

static void end_column(struct writing *w, const char *name, const char *type)
{
    add_section(w->sections, name, type, w->at, w->body.len - w->at);
    add_padding(&w->body, w->body.len);
    w->at = w->body.len;
    w->item = 0;
    w->column++;
}

static bool write_column(struct writing *w, size_t items)
{
    size_t n;
    const struct column *c = column_at(w, &n);
    size_t end = n - w->item > items ? w->item + items : n;

    if (!c)
        return false;
    for (; w->item < end; w->item++)
        c->write(w->v, w->item, &w->body);
    if (w->item == n)
        end_column(w, c->name, c->type);
    return true;
}

/* Of those layers that were asked for, then the colours. */
static bool write_layer(struct writing *w, size_t items)
{
    const struct cells *c = w->v->cells;
    size_t n = (size_t)c->lines * c->columns;
    size_t end = n - w->item > items ? w->item + items : n;
    char name[40];

    while (w->column < LAYERS && !c->sum[w->column])
        w->column++;
    if (w->column > LAYERS)
        return false;
    for (; w->item < end; w->item++)
        add_u8(&w->body, w->column < LAYERS
                             ? cells_share(c, (enum layer)w->column, w->item)
                             : cells_colour(c, w->item));
    if (w->item < n)
        return true;
    snprintf(name, sizeof name, "cell.%s",
        w->column < LAYERS ? layer_name(w->column) : "colour");
    end_column(w, name, "u8");
    return true;
}

static json_t *render_named(const struct collected *v)
{
    json_t *o = json_object();

    for (int k = 0; k < CRED_KINDS; k++) {
        json_t *list = json_array();
        for (size_t i = 0; i < v->named[k].names.n; i++)
            json_array_append_new(list, render_utf8(v->named[k].names.v[i]));
        json_object_set_new(o, render_cred_key((enum cred_kind)k), list);
    }
    return o;
}

static json_t *render_heading(const struct collected *v, const char *state)
{
    const struct window_asked *a = &v->asked;
    const struct foresight *f = foresight_get(v->s);
    json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:s}", "state",
        state, "revision", (json_int_t)v->revision, "plan", (json_int_t)v->plan, "at",
        (json_int_t)v->at, "tag", v->rows->tag[identity_is(&v->who, WHO_ADMIN3)],
        "from", (json_int_t)a->from_at, "to", (json_int_t)a->to_at, "first",
        (json_int_t)a->first, "rows", (json_int_t)a->rows, "as",
        v->cells ? "cells" : "pieces");

    json_object_set_new(o, "whole", json_boolean(collect_is_whole(v)));
    /* how many wait is not for those from whom others' jobs are kept */
    if (a->layers >> LAYER_FORECAST & 1
        && !identity_is_kept_from(&v->who, RM_HIDES_JOBS))
        json_object_set_new(o, "forecast",
            json_pack("{s:I, s:I}", "jobs", (json_int_t)f->forecast, "of",
                (json_int_t)f->waiting));
    if (v->cells) {
        render_int(o, "lines", v->cells->lines);
        render_int(o, "columns", v->cells->columns);
        render_int(o, "rows_a_line", v->cells->rows_a_line);
        render_int(o, "seconds_a_column", v->cells->seconds_a_column);
    }
    render_text(o, "color", render_cred_key(a->colour));
    json_object_set_new(o, "names", render_named(v));
    return o;
}

struct writing *writing_begin(const struct collected *v, const char *state)
{
    struct writing *w = xcalloc(1, sizeof *w);

    w->v = v;
    w->heading = render_heading(v, state);
    w->sections = json_array();
    return w;
}

bool writing_more(struct writing *w, size_t items)
{
    return w->v->cells ? write_layer(w, items) : write_column(w, items);
}

void writing_tell(struct writing *w, struct strbuf *out)
{
    json_object_set(w->heading, "sections", w->sections);
    char *text = json_dumps(w->heading, JSON_COMPACT | JSON_PRESERVE_ORDER);
    size_t len = strlen(text), padded = (len + 4 + ALIGN - 1) / ALIGN * ALIGN - 4;

    add_u32(out, (uint32_t)padded);
    strbuf_add(out, text);
    for (; len < padded; len++)
        add_u8(out, ' ');
    strbuf_add_n(out, w->body.text ? w->body.text : "", w->body.len);
    free(text);
}

void writing_end(struct writing *w)
{
    if (!w)
        return;
    json_decref(w->heading);
    json_decref(w->sections);
    free(w->body.text);
    free(w);
}
