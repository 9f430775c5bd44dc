/* SPDX-License-Identifier: Apache-2.0
 * What loading tells the user, and where each value came from. */
#include "base/names.h"
#include "base/strbuf.h"
#include "config/loader.h"
#include "config/moab.h"
#include "config/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *finding_level_name(enum finding_level level)
{
    static const char *const names[] = {"note", "warning", "error"};

    return names[level];
}

size_t config_count(const struct config *c, enum finding_level level)
{
    size_t n = 0;

    for (size_t i = 0; i < c->findings.n; i++)
        n += c->findings.v[i].level == level;
    return n;
}

/* Findings are lines on a terminal: nothing from the file may move its cursor. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

void loader_report(struct loader *l, const struct place *at, enum finding_level level,
    const char *fmt, ...)
{
    struct finding f = {.file = at->file,
        .file_number = at->file_number,
        .line = at->line,
        .order = (uint32_t)l->config->findings.n,
        .level = level};
    char text[800];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    make_printable(text);
    f.text = xstrdup(text);
    vec_push(&l->config->findings, f);
}

static char *join_list(const char *a, const char *b)
{
    struct strbuf both = {0};

    strbuf_printf(&both, "%s,%s", a, b);
    return strbuf_take(&both);
}

void loader_record(struct loader *l, const struct place *at, const struct cfg_row *row,
    const char *name, const char *text)
{
    struct config *c = l->config;
    uint32_t id = names_intern(c->value_index, name);
    struct cfg_value value = {
        .row = row, .file = at->file, .line = at->line, .change = l->change};

    if (id < c->values.n) {
        struct cfg_value *old = &c->values.v[id];

        if (!row->accumulates)
            loader_report(l, at, FINDING_NOTE, "%.120s replaces the value of %s:%u",
                name, old->file, (unsigned)old->line);
        value.name = old->name;
        value.text = row->accumulates && old->change == l->change
                         ? join_list(old->text, text)
                         : xstrdup(text);
        free(old->text);
        *old = value;
        return;
    }
    value.name = xstrdup(name);
    value.text = xstrdup(text);
    vec_push(&c->values, value);
}

void loader_report_status(struct loader *l, const struct place *at,
    const struct cfg_row *row, const char *what)
{
    switch (row->status) {
    case STATUS_IN_FORCE:
        return;
    case STATUS_LATER:
        loader_report(
            l, at, FINDING_NOTE, "%.120s is accepted, but not yet in force", what);
        return;
    case STATUS_OBSOLETE:
        loader_report(
            l, at, FINDING_NOTE, "%.120s is obsolete; write %s", what, row->instead);
        return;
    case STATUS_INERT:
        loader_report(
            l, at, FINDING_WARNING, "%.120s has no effect: %s", what, row->summary);
        return;
    }
}

static const char *value_of(const struct config *c, const char *name)
{
    uint32_t id = c != NULL ? names_find(c->value_index, name) : NAME_NONE;

    return id != NAME_NONE ? c->values.v[id].text : NULL;
}

/* "; X stays in force", or what else becomes of a value that is not taken. Owned by the
 * caller. */
static char *what_holds(
    const struct loader *l, const struct cfg_row *row, const char *name)
{
    const char *value = value_of(l->config, name);
    struct strbuf text = {0};

    if (value == NULL)
        value = value_of(l->elder, name);
    if (value == NULL)
        value = row->def;

    if (value != NULL)
        strbuf_printf(&text, "; %.80s stays in force", value);
    else
        strbuf_add(&text, "; it is left out");
    return strbuf_take(&text);
}

/* A:B, of which the classic program made hours and minutes, against its own manual. */
static bool has_two_fields(const struct cfg_row *row, const char *text)
{
    size_t first, second;

    if (row->type != CFG_TIME
        && (row->syntax == NULL || strncmp(row->syntax, "TIME", 4) != 0))
        return false;
    first = strspn(text, "0123456789");
    if (first == 0 || text[first] != ':')
        return false;
    second = strspn(text + first + 1, "0123456789");
    return second > 0 && text[first + 1 + second] != ':';
}

int loader_apply(
    struct loader *l, const struct place *at, struct cfg_call *call, const char *name)
{
    struct text_list remarks = {0};
    struct err err = {0};
    char *holds;
    int status;

    call->remarks = &remarks;
    status = row_set(call, &err);
    holds = status < 0 ? what_holds(l, call->row, name) : NULL;
    if (status < 0 && moab_has_value(call->row, call->value)) {
        loader_report(l, at, FINDING_WARNING,
            "%.120s: '%.60s' is a value of Moab, which Maui does not have%s", name,
            call->value, holds);
    } else if (status < 0) {
        loader_report(l, at, FINDING_ERROR, "%.120s: %s%s", name, err.text, holds);
    } else {
        for (size_t i = 0; i < remarks.n; i++)
            loader_report(l, at, FINDING_WARNING, "%.120s: %s", name, remarks.v[i]);
        if (has_two_fields(call->row, call->value))
            loader_report(l, at, FINDING_NOTE,
                "%.120s: '%.40s' is minutes and seconds; hours and minutes, as some "
                "releases of the classic Maui took it for, are HH:MM:SS",
                name, call->value);
        loader_record(
            l, at, call->row, name, call->row->secret ? "********" : call->value);
    }
    free(holds);
    text_list_fini(&remarks);
    return status;
}
