/* SPDX-License-Identifier: Apache-2.0
 * maui import slurm: QOS and associations, from what sacctmgr prints with -P. */
#include "base/vec.h"
#include "base/xalloc.h"
#include "client/import/import.h"
#include "config/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MAX 80

/* KEY, KNOWN and SHARE are read where they are needed; FACTOR is nothing where it is 1.
 */
enum kind { KEY, NUMBER, TIME, TRES, KNOWN, SHARE, FACTOR, ELSEWHERE };

/* A column of a dump and what becomes of it. */
struct column {
    const char *name;
    enum kind kind;
    const char *attr; /* TRES: behind the resource's name comes the rest of it */
};

struct row {
    unsigned line;
    char *cells[COLUMNS_MAX]; /* into `text` */
    char *text;               /* owned */
};

struct dump {
    const char *file;
    char *heading; /* owned */
    char *names[COLUMNS_MAX];
    size_t n;
    struct VEC(struct row) rows;
};

static size_t cut(char *text, char **cells)
{
    size_t n = 0;

    text[strcspn(text, "\r\n")] = '\0';
    for (char *at = text; at != NULL && n < COLUMNS_MAX; n++) {
        char *bar = strchr(at, '|');

        if (bar != NULL)
            *bar++ = '\0';
        cells[n] = at;
        at = bar;
    }
    return n;
}

static FILE *dump_open(const char *file, const char *command, struct strbuf *said)
{
    FILE *f;

    if (file == NULL)
        return import_ask(command, said) == 0 && said->len > 0
                   ? fmemopen(said->text, said->len, "r")
                   : NULL;
    f = fopen(file, "re");
    if (f == NULL)
        fprintf(stderr, "maui import: %s: cannot be read\n", file);
    return f;
}

/* The file, or where it is NULL what the command prints. */
static int dump_read(struct dump *d, const char *file, const char *command)
{
    struct strbuf said = {0};
    FILE *f = dump_open(file, command, &said);
    char *line = NULL;
    size_t size = 0;
    unsigned number = 0;

    file = file != NULL ? file : command;
    *d = (struct dump){.file = file};
    if (f == NULL) {
        free(said.text);
        return -1;
    }
    while (getline(&line, &size, f) > 0) {
        struct row r = {.line = ++number};

        if (d->heading == NULL) {
            d->heading = xstrdup(line);
            d->n = cut(d->heading, d->names);
            continue;
        }
        r.text = xstrdup(line);
        for (size_t n = cut(r.text, r.cells); n < COLUMNS_MAX; n++)
            r.cells[n] = (char *)"";
        vec_push(&d->rows, r);
    }
    free(line);
    fclose(f);
    free(said.text);
    if (d->n > 1)
        return 0;
    fprintf(stderr,
        "maui import: %s: no columns; expected what sacctmgr prints with -P\n", file);
    return -1;
}

static void dump_fini(struct dump *d)
{
    for (size_t i = 0; i < d->rows.n; i++)
        free(d->rows.v[i].text);
    vec_fini(&d->rows);
    free(d->heading);
}

static const char *cell(const struct dump *d, const struct row *r, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcasecmp(d->names[i], name) == 0)
            return r->cells[i];
    return "";
}

/* "cpu=10,node=2,mem=4G": each resource that the scheduler limits. */
static void take_tres(struct import *im, struct strbuf *b, struct import_place at,
    const char *attr, const char *text)
{
    char *copy = xstrdup(text), *save = NULL;
    struct err err;

    for (char *word = strtok_r(copy, ",", &save); word != NULL;
         word = strtok_r(NULL, ",", &save)) {
        const char *equals = strchr(word, '=');
        const char *unit = strncmp(word, "cpu=", 4) == 0    ? "PROC"
                           : strncmp(word, "node=", 5) == 0 ? "NODE"
                           : strncmp(word, "mem=", 4) == 0  ? "MEM"
                                                            : NULL;
        int64_t n;

        if (unit == NULL || (strstr(attr, "PERUSER") && strcmp(unit, "MEM") == 0)) {
            import_left(im, at, "limit on %s", word);
            continue;
        }
        if ((strcmp(unit, "MEM") == 0 ? value_size_mb(equals + 1, &n, &err)
                                      : value_int(equals + 1, 0, INT32_MAX, &n, &err))
            < 0) {
            import_left(im, at, "limit on %s: %s", word, err.text);
            continue;
        }
        strbuf_printf(b, " %.*s%s%s=%" PRId64, (int)strcspn(attr, "*"), attr, unit,
            attr + strcspn(attr, "*") + 1, n);
    }
    free(copy);
}

/* 0 where there is none; what is no number take_cell() tells. */
static double figure(const struct dump *d, const struct row *r, const char *column)
{
    double n;

    return value_number(cell(d, r, column), 0, UINT32_MAX, &n, NULL) == 0 ? n : 0;
}

/* What says nothing: 0, 00:00:00, a factor of 1.000. */
static bool is_idle(const struct column *c, const char *value)
{
    double factor;

    if (c->kind == FACTOR && value_number(value, 0, 0, &factor, NULL) == 0)
        return factor == 0 || factor == 1;
    return strcmp(value, "0") == 0 || strcmp(value, "00:00:00") == 0;
}

static void take_cell(struct import *im, struct strbuf *b, struct import_place at,
    const struct column *c, const char *value)
{
    int64_t n;

    switch (c->kind) {
    case NUMBER:
        n = import_count(im, at, c->name, value);
        if (n > 0)
            strbuf_printf(b, " %s=%" PRId64, c->attr, n);
        break;
    case TIME:
        import_time(b, c->attr, import_slurm_time(im, at, c->name, value));
        break;
    case TRES:
        take_tres(im, b, at, c->attr, value);
        break;
    case FACTOR:
    case ELSEWHERE:
        if (!is_idle(c, value))
            import_left(im, at, "%s %s", c->name, value);
        break;
    case SHARE: /* tells what is no number */
        (void)import_number(im, at, c->name, value);
        break;
    case KEY:
    case KNOWN:
        break;
    }
}

static bool is_limit(const struct column *c, const char *name)
{
    if (c->name != NULL)
        return c->kind == TRES || c->kind == TIME
               || (c->kind == NUMBER && strcmp(c->attr, "PRIORITY") != 0);
    return strncasecmp(name, "Grp", 3) == 0 || strncasecmp(name, "Max", 3) == 0
           || strncasecmp(name, "Min", 3) == 0;
}

static void take_row(struct import *im, const struct dump *d, const struct row *r,
    const struct column *columns, struct strbuf *b)
{
    struct import_place at = {d->file, r->line};

    for (size_t i = 0; i < d->n; i++) {
        const struct column *c = columns;
        const char *value = r->cells[i];

        while (c->name != NULL && strcasecmp(c->name, d->names[i]) != 0)
            c++;
        if (*value == '\0' || strcmp(value, "cluster") == 0
            || (im->enforced && is_limit(c, d->names[i])))
            continue;
        if (c->name == NULL)
            import_left(im, at, "%s %s", d->names[i], value);
        else
            take_cell(im, b, at, c, value);
    }
}

/* ---- QOS ---- */

/* Its priority and grace time are followed live. */
static const struct column qos_columns[] = {{"Name", KEY, NULL},
    {"Priority", SHARE, NULL}, {"Preempt", KNOWN, NULL}, {"PreemptMode", KNOWN, NULL},
    {"GraceTime", KNOWN, NULL}, {"UsageFactor", FACTOR, NULL},
    {"UsageThres", ELSEWHERE, NULL}, {"GrpJobs", NUMBER, "MAXJOB"},
    {"GrpTRES", TRES, "MAX*"}, {"MaxTRES", TRES, "OMAXJ*"},
    {"MaxWall", TIME, "OMAXJWC"}, {"MaxTRESPU", TRES, "MAX*PERUSER"},
    {"MaxJobsPU", NUMBER, "MAXJOBPERUSER"}, {0}};

/* Is the QOS named in a Preempt list? */
static bool is_preempted(const struct dump *d, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < d->rows.n; i++)
        for (const char *p = cell(d, &d->rows.v[i], "Preempt"); *p;
             p += strcspn(p, ","), p += *p == ',')
            if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
                return true;
    return false;
}

int import_qos(struct import *im, const char *file)
{
    struct dump d;
    int result = dump_read(&d, file, "sacctmgr -P show qos");

    for (size_t i = 0; result == 0 && i < d.rows.n; i++) {
        const struct row *r = &d.rows.v[i];
        const char *name = cell(&d, r, "Name");
        bool over = *cell(&d, r, "Preempt"), under = is_preempted(&d, name);
        double priority = figure(&d, r, "Priority");

        if (priority > im->qos_most)
            im->qos_most = priority;
        struct strbuf b = {0};
        take_row(im, &d, r, qos_columns, &b);
        if (im->preempts && (over || under))
            strbuf_printf(&b, " QFLAGS=%s%s%s", over ? "PREEMPTOR" : "",
                over && under ? ":" : "", under ? "PREEMPTEE" : "");
        if (b.len > 0)
            strbuf_printf(&im->sections, "QOSCFG[%s]%s\n", name, b.text);
        free(b.text);
    }
    dump_fini(&d);
    return result;
}

/* ---- associations ---- */

static const struct column account_columns[] = {{"Account", KEY, NULL},
    {"Cluster", KEY, NULL}, {"User", KEY, NULL}, {"Partition", KEY, NULL},
    {"Share", SHARE, NULL}, {"QOS", KNOWN, NULL}, {"Def QOS", KNOWN, NULL},
    {"ParentName", KNOWN, NULL}, {"GrpJobs", NUMBER, "MAXJOB"},
    {"GrpTRES", TRES, "MAX*"}, {"MaxJobs", NUMBER, "MAXJOBPERUSER"},
    {"MaxWall", TIME, "MAX.WCLIMIT"}, {"Priority", NUMBER, "PRIORITY"}, {0}};
static const struct column user_columns[] = {{"Account", KEY, NULL},
    {"Cluster", KEY, NULL}, {"User", KEY, NULL}, {"Partition", KEY, NULL},
    {"Share", SHARE, NULL}, {"QOS", KNOWN, NULL}, {"Def QOS", KNOWN, NULL},
    {"ParentName", KNOWN, NULL}, {"GrpJobs", NUMBER, "MAXJOB"},
    {"GrpTRES", TRES, "MAX*"}, {"MaxJobs", NUMBER, "MAXJOB"},
    {"MaxWall", TIME, "MAX.WCLIMIT"}, {"Priority", NUMBER, "PRIORITY"}, {0}};

static bool is_user(const struct dump *d, const struct row *r)
{
    return *cell(d, r, "User") != '\0';
}

static bool is_first(const struct dump *d, size_t row, const char *column)
{
    const char *name = cell(d, &d->rows.v[row], column);

    for (size_t i = 0; i < row; i++)
        if (is_user(d, &d->rows.v[i]) == is_user(d, &d->rows.v[row])
            && strcmp(cell(d, &d->rows.v[i], column), name) == 0)
            return false;
    return true;
}

/* Who may use which account and QOS is not carried over: Slurm has checked it when a
 * job is told, and a list written here would be out of date with the next sacctmgr. Nor
 * are those of jobs that name none: each job is told with what Slurm has given it. */
static void take_assoc(struct import *im, const struct dump *d, size_t i)
{
    const struct row *r = &d->rows.v[i];
    struct import_place at = {d->file, r->line};
    bool user = is_user(d, r);
    const char *name = cell(d, r, user ? "User" : "Account");
    struct strbuf b = {0};

    if (*cell(d, r, "Partition") || !is_first(d, i, user ? "User" : "Account")) {
        if (im->enforced && !*cell(d, r, "Priority"))
            return; /* limits and shares are followed live */
        import_left(im, at,
            "%s of %s in account %s%s%s: what its first line has "
            "holds everywhere",
            im->enforced ? "priority" : "limits", name, cell(d, r, "Account"),
            *cell(d, r, "Partition") ? ", partition " : "", cell(d, r, "Partition"));
        return;
    }
    take_row(im, d, r, user ? user_columns : account_columns, &b);
    if (b.len > 0)
        strbuf_printf(
            &im->sections, "%s[%s]%s\n", user ? "USERCFG" : "ACCOUNTCFG", name, b.text);
    free(b.text);
}

int import_assoc(struct import *im, const char *file)
{
    struct dump d;
    int result = dump_read(&d, file, "sacctmgr -P show assoc");

    for (size_t i = 0; result == 0 && i < d.rows.n; i++)
        take_assoc(im, &d, i);
    dump_fini(&d);
    return result;
}
