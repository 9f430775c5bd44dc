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

static void write_columns(const struct collected *v, const struct column *columns,
    size_t ncolumns, size_t n, struct strbuf *body, json_t *sections)
{
    for (size_t k = 0; k < ncolumns; k++) {
        size_t at = body->len;
        for (size_t i = 0; i < n; i++)
            columns[k].write(v, i, body);
        add_section(sections, columns[k].name, columns[k].type, at, body->len - at);
        add_padding(body, body->len);
    }
}

static void write_cells(
    const struct collected *v, struct strbuf *body, json_t *sections)
{
    size_t n = (size_t)v->cells->lines * v->cells->columns;
    uint8_t *bytes = xcalloc(n + 1, 1);
    char name[40];

    for (size_t k = 0; k < LAYERS; k++) {
        size_t at = body->len;
        if (!v->cells->sum[k])
            continue;
        for (size_t i = 0; i < n; i++)
            bytes[i] = cells_share(v->cells, (enum layer)k, i);
        strbuf_add_n(body, (const char *)bytes, n);
        snprintf(name, sizeof name, "cell.%s", layer_name(k));
        add_section(sections, name, "u8", at, body->len - at);
        add_padding(body, body->len);
    }
    size_t at = body->len;
    for (size_t i = 0; i < n; i++)
        bytes[i] = cells_colour(v->cells, i);
    strbuf_add_n(body, (const char *)bytes, n);
    free(bytes);
    add_section(sections, "cell.colour", "u8", at, body->len - at);
    add_padding(body, body->len);
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

static json_t *render_heading(
    const struct collected *v, const char *state, json_t *sections)
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
    json_object_set_new(o, "sections", sections);
    return o;
}

void collect_write(const struct collected *v, const char *state, struct strbuf *out)
{
    json_t *sections = json_array();
    struct strbuf body = {0};

    if (v->cells) {
        write_cells(v, &body, sections);
    } else {
        write_columns(v, piece_columns, sizeof piece_columns / sizeof *piece_columns,
            v->pieces.n, &body, sections);
        write_columns(v, object_columns, sizeof object_columns / sizeof *object_columns,
            v->objects.n, &body, sections);
    }
    json_t *heading = render_heading(v, state, sections);
    char *text = json_dumps(heading, JSON_COMPACT | JSON_PRESERVE_ORDER);
    size_t len = strlen(text), padded = (len + 4 + ALIGN - 1) / ALIGN * ALIGN - 4;
    add_u32(out, (uint32_t)padded);
    strbuf_add(out, text);
    for (; len < padded; len++)
        add_u8(out, ' ');
    strbuf_add_n(out, body.text ? body.text : "", body.len);
    free(body.text);
    free(text);
    json_decref(heading);
}
