/* SPDX-License-Identifier: Apache-2.0
 * The reference page of all parameters, from the table. */
#include "base/strbuf.h"
#include "config/config.h"
#include "config/table.h"

#include <stdio.h>
#include <string.h>

static const char intro[] =
    "# Parameters of maui.cfg\n"
    "\n"
    "Generated from the table in `src/config` by `maui check --parameters markdown`; "
    "do "
    "not edit.\n"
    "\n"
    "A line is `NAME VALUE`, `NAME[INDEX] VALUE` or `NAME=VALUE`; `#` begins a "
    "comment, "
    "a `\\` at the end of a line joins the next, `#INCLUDE <file>` reads another file "
    "after this one. Names and keywords may be in any case. Sections hold "
    "`ATTR=VALUE` pairs separated by blanks; their lists are written without blanks.\n"
    "\n"
    "| Value | Written as |\n"
    "|---|---|\n"
    "| INT, NUMBER | decimal number, without and with a fraction |\n"
    "| BOOL | TRUE ON YES 1, FALSE OFF NO 0 |\n"
    "| TIME | `[[[DD:]HH:]MM:]SS`, plain seconds, or INFINITY; two fields are minutes "
    "and seconds |\n"
    "| LIMIT | `[soft,]hard`; 0 = not set, -1 = no limit and no falling back to "
    "DEFAULT "
    "|\n"
    "| WORDS | list separated by blanks, commas, colons or vertical bars |\n"
    "| CREDS | list of names; `&` and-ed with the other lists, `^` this list only |\n"
    "| FSTARGET | number; `+` floor, `-` ceiling, `^` absolute cap, `%` relative cap "
    "|\n"
    "| SIZE | MB, or a number with k, m, g or t |\n"
    "| HOSTS | names, ranges `node[01-10]`, regular expressions, ALL, class:NAME |\n"
    "\n"
    "Status: *later* = accepted, not yet in force; *obsolete* = still understood; "
    "*no effect* = accepted for the sake of old files.\n";

static const char *type_name(enum cfg_type type)
{
    static const char *const names[] = {[CFG_INT] = "INT",
        [CFG_NUMBER] = "NUMBER",
        [CFG_BOOL] = "BOOL",
        [CFG_TIME] = "TIME",
        [CFG_KEYWORD] = "",
        [CFG_NAME] = "NAME",
        [CFG_TEXT] = "TEXT",
        [CFG_PATH] = "PATH",
        [CFG_WORDS] = "WORDS",
        [CFG_CREDS] = "CREDS",
        [CFG_LIMIT] = "LIMIT",
        [CFG_FSTARGET] = "FSTARGET",
        [CFG_SIZE_MB] = "SIZE",
        [CFG_GRES] = "NAME[:COUNT] list",
        [CFG_JOBFLAGS] = "job flags",
        [CFG_QOSFLAGS] = "QOS flags",
        [CFG_HOSTS] = "HOSTS",
        [CFG_CUSTOM] = "",
        [CFG_SECTION] = "section"};

    return names[type];
}

static const char *index_name(const struct cfg_row *row)
{
    static const char *const names[] = {[INDEX_OF_NOTHING] = "",
        [INDEX_OF_PARTITION] = "[partition]",
        [INDEX_OF_WEIGHTS] = "[partition]",
        [INDEX_OF_STACK] = "[X]",
        [INDEX_OF_QOS] = "[qos]",
        [INDEX_OF_OBJECT] = "[name]"};

    return row->brackets ? "[CRED:name]" : names[row->index];
}

static void add_range(struct strbuf *out, const struct cfg_row *row)
{
    bool open = row->max >= INT_MANY, from_any = row->min <= -INT_MANY;

    if (row->type != CFG_INT && row->type != CFG_NUMBER && row->type != CFG_TIME)
        return;
    if (row->max <= row->min || (open && (from_any || row->min <= 0)))
        return;
    if (open)
        strbuf_printf(out, " from %lld", (long long)row->min);
    else
        strbuf_printf(out, " %lld to %lld", (long long)row->min, (long long)row->max);
}

static void add_value(struct strbuf *out, const struct cfg_row *row)
{
    if (row->home == HOME_ATTR) {
        strbuf_printf(out, "as %s %s", cfg_object_name(row->object), row->attr);
        return;
    }
    strbuf_add(out, row->syntax != NULL ? row->syntax : type_name(row->type));
    add_range(out, row);
    if (row->unit != NULL)
        strbuf_printf(out, ", %s", row->unit);
    for (const struct cfg_keyword *k = row->keywords; k != NULL && k->name != NULL; k++)
        if (k->remark == NULL)
            strbuf_printf(out, " %s", k->name);
}

static void add_status(struct strbuf *out, const struct cfg_row *row)
{
    switch (row->status) {
    case STATUS_IN_FORCE:
        strbuf_add(out, "in force");
        return;
    case STATUS_LATER:
        strbuf_add(out, "later");
        return;
    case STATUS_OBSOLETE:
        strbuf_printf(out, "obsolete: `%s`", row->instead);
        return;
    case STATUS_INERT:
        strbuf_add(out, "no effect");
        return;
    }
}

static void add_row(struct strbuf *out, const struct cfg_row *row)
{
    strbuf_printf(out, "| `%s%s`", row->name, index_name(row));
    for (int a = 0; a < CFG_ALIASES; a++)
        if (row->alias[a] != NULL)
            strbuf_printf(out, ", `%s`", row->alias[a]);
    strbuf_add(out, " | ");
    add_value(out, row);
    strbuf_printf(out, " | %s | ", row->def != NULL ? row->def : "-");
    add_status(out, row);
    strbuf_printf(out, " | %s |\n", row->summary);
}

static void add_groups(struct strbuf *out, const struct cfg_group *(*at)(size_t))
{
    const struct cfg_group *g;

    for (size_t i = 0; (g = at(i)) != NULL; i++) {
        strbuf_printf(out,
            "\n### %s\n\n| Name | Value | Default | Status | Meaning |\n"
            "|---|---|---|---|---|\n",
            g->title);
        for (size_t r = 0; r < g->n; r++)
            add_row(out, &g->rows[r]);
    }
}

char *config_reference(void)
{
    struct strbuf out = {0};

    strbuf_add(&out, intro);
    strbuf_add(&out, "\n## Parameters\n");
    add_groups(&out, table_group);
    strbuf_add(&out, "\n## Attributes of sections\n");
    add_groups(&out, attrs_group);
    return strbuf_take(&out);
}
