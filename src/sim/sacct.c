/* SPDX-License-Identifier: Apache-2.0
 * From lines of sacct to jobs. */
#include "sim/sacct.h"

#include "base/duration.h"
#include "base/zone.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define COLUMNS_MAX 256 /* sacct has some 120 */
#define DIGITS_MAX  15
#define SPAN_DIGITS 9

enum column {
    C_ID,
    C_SUBMIT,
    C_START,
    C_END,
    C_ELAPSED_RAW,
    C_ELAPSED,
    C_LIMIT_RAW,
    C_LIMIT,
    C_ALLOCATED,
    C_NCPUS,
    C_REQUESTED,
    C_USER,
    C_GROUP,
    C_ACCOUNT,
    C_PARTITION,
    C_QOS,
    C_STATE,
    COLUMNS
};

static const char *const titles[COLUMNS] = {"JobID", "Submit", "Start", "End",
    "ElapsedRaw", "Elapsed", "TimelimitRaw", "Timelimit", "AllocCPUS", "NCPUS",
    "ReqCPUS", "User", "Group", "Account", "Partition", "QOS", "State"};

struct reader {
    struct lines *in;
    struct workload *w;
    const struct workload_rules *rules;
    struct diag *diag;
    struct zone zone;
    unsigned columns;    /* of each line */
    int at[COLUMNS];     /* in the line, -1 = not there */
    char *text[COLUMNS]; /* of the present record; "" = not there */
};

/* ---- titles ---- */

bool sacct_is_titles(const char *line)
{
    size_t len = strcspn(line, "|");

    if (line[len] != '|')
        return false;
    for (int c = 0; c < COLUMNS; c++)
        if (strlen(titles[c]) == len && strncasecmp(line, titles[c], len) == 0)
            return true;
    return strcasestr(line, "|JobID|") != NULL;
}

/* Into fields, whose ends are overwritten; how many. */
static unsigned split_fields(char *line, char *fields[COLUMNS_MAX])
{
    unsigned n = 0;
    char *field;

    while (n < COLUMNS_MAX && (field = strsep(&line, "|")) != NULL)
        fields[n++] = field;
    return n;
}

static bool has_column(const struct reader *r, enum column c)
{
    return r->at[c] >= 0;
}

static int take_titles(struct reader *r, char *line, struct err *err)
{
    char *fields[COLUMNS_MAX];
    const char *missing = NULL;

    r->columns = split_fields(line, fields);
    for (int c = 0; c < COLUMNS; c++) {
        r->at[c] = -1;
        for (unsigned i = 0; i < r->columns; i++)
            if (strcasecmp(fields[i], titles[c]) == 0)
                r->at[c] = (int)i;
    }
    for (int c = C_START; c >= C_ID; c--)
        if (!has_column(r, c))
            missing = titles[c];
    if (!missing && !has_column(r, C_ELAPSED_RAW) && !has_column(r, C_ELAPSED)
        && !has_column(r, C_END))
        missing = titles[C_ELAPSED_RAW];
    if (!missing && !has_column(r, C_ALLOCATED) && !has_column(r, C_NCPUS)
        && !has_column(r, C_REQUESTED))
        missing = titles[C_ALLOCATED];
    if (!missing)
        return 0;
    return err_set(err, ERR_INVALID, "%s:%llu: sacct's column %s is missing",
        lines_name(r->in), (unsigned long long)lines_number(r->in), missing);
}

/* ---- fields ---- */

static int bad_field(struct reader *r, enum column c, const char *why)
{
    r->w->dropped[DROP_BAD]++;
    return diag_bad(r->diag, lines_name(r->in), lines_number(r->in), "%s: \"%.40s\" %s",
        titles[c], r->text[c], why);
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(text, *words) == 0)
            return true;
    return false;
}

/* A job that has not started has no such instant. */
static bool is_unknown(const char *text)
{
    static const char *const words[] = {"", "Unknown", "None", "N/A", NULL};

    return is_one_of(text, words);
}

static bool read_digits(const char *text, int64_t *ret)
{
    size_t len = strlen(text);

    if (len == 0 || len > DIGITS_MAX || strspn(text, "0123456789") != len)
        return false;
    *ret = strtoll(text, NULL, 10);
    return true;
}

/* 2026-11-29T08:15:30. */
static bool read_date(const struct zone *z, const char *text, int64_t *ret)
{
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

    if (end == NULL || *end != '\0' || tm.tm_year < 70)
        return false;
    *ret = z->at(z->ctx, zone_day_number(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday),
        (int64_t)tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
    return true;
}

/* 0 = unknown. */
static int read_instant(struct reader *r, enum column c, int64_t *ret)
{
    *ret = 0;
    if (is_unknown(r->text[c]) || read_digits(r->text[c], ret)
        || read_date(&r->zone, r->text[c], ret))
        return 0;
    return bad_field(
        r, c, "is no instant, such as 2026-11-29T08:15:30 or seconds since 1970");
}

/* [days-]hours:minutes:seconds, or the last two. */
static bool read_span(const char *text, int64_t *ret)
{
    int64_t days = 0, span = 0;
    int colons = 0;

    for (;;) {
        size_t len = strspn(text, "0123456789");
        if (len == 0 || len > SPAN_DIGITS)
            return false;
        span = span * 60 + strtoll(text, NULL, 10);
        text += len;
        if (*text == '-' && days == 0 && colons == 0) {
            days = span;
            span = 0;
        } else if (*text == ':' && colons < 2) {
            colons++;
        } else {
            break;
        }
        text++;
    }
    *ret = days * 86400 + span;
    return *text == '\0' && colons > 0;
}

/* What it ran; 0 = it did not, or runs on. */
static int read_run(struct reader *r, int64_t start_at, int64_t *ret)
{
    int64_t end_at = start_at;

    *ret = 0;
    if (has_column(r, C_END) && read_instant(r, C_END, &end_at) < 0)
        return -1;
    if (start_at == 0 || end_at == 0 || strncasecmp(r->text[C_STATE], "RUNNING", 7) == 0
        || strncasecmp(r->text[C_STATE], "SUSPENDED", 9) == 0)
        return 0;
    if (has_column(r, C_ELAPSED_RAW))
        return read_digits(r->text[C_ELAPSED_RAW], ret)
                   ? 0
                   : bad_field(r, C_ELAPSED_RAW, "is no number of seconds");
    if (has_column(r, C_ELAPSED))
        return read_span(r->text[C_ELAPSED], ret)
                   ? 0
                   : bad_field(r, C_ELAPSED, "is no [days-]hours:minutes:seconds");
    *ret = end_at - start_at;
    return 0;
}

/* 0 = none is told. */
static int read_limit(struct reader *r, int64_t *ret)
{
    static const char *const none[] = {"", "Partition_Limit", NULL};
    enum column c = has_column(r, C_LIMIT_RAW) ? C_LIMIT_RAW : C_LIMIT;
    const char *text = r->text[c];

    *ret = 0;
    if (is_one_of(text, none))
        return 0;
    if (strcasecmp(text, "UNLIMITED") == 0) {
        *ret = DURATION_UNLIMITED;
        return 0;
    }
    if (c == C_LIMIT)
        return read_span(text, ret)
                   ? 0
                   : bad_field(r, c, "is no [days-]hours:minutes:seconds");
    if (!read_digits(text, ret) || *ret > INT32_MAX)
        return bad_field(r, c, "is no number of minutes");
    *ret *= 60;
    return 0;
}

static int read_procs(struct reader *r, enum column c, int64_t *ret)
{
    *ret = 0;
    if (r->text[c][0] == '\0' || (read_digits(r->text[c], ret) && *ret <= INT32_MAX))
        return 0;
    return bad_field(r, c, "is no number of processors");
}

static uint32_t name_of(const struct reader *r, enum column c)
{
    return r->text[c][0] ? names_intern(r->w->names, r->text[c]) : NAME_NONE;
}

/* ---- records ---- */

/* One that is split. 1, 0 = enough jobs, -1 = unusable, and told. */
static int take_record(struct reader *r)
{
    struct workload *w = r->w;
    struct raw_job raw = {0};
    int64_t start_at;
    struct trace_job j = {.id = r->text[C_ID],
        .file = (uint32_t)w->files.n - 1,
        .line = (uint32_t)lines_number(r->in),
        .admitted = true,
        .cred = {[CRED_USER] = name_of(r, C_USER),
            [CRED_GROUP] = name_of(r, C_GROUP),
            [CRED_ACCOUNT] = name_of(r, C_ACCOUNT),
            [CRED_CLASS] = name_of(r, C_PARTITION),
            [CRED_QOS] = name_of(r, C_QOS)}};

    if (j.id[0] == '\0')
        return bad_field(r, C_ID, "is no job");
    if (read_instant(r, C_SUBMIT, &j.submit_at) < 0
        || read_instant(r, C_START, &start_at) < 0
        || read_run(r, start_at, &j.run_s) < 0 || read_limit(r, &raw.estimate_s) < 0
        || read_procs(r, C_REQUESTED, &raw.requested_procs) < 0
        || read_procs(r, has_column(r, C_ALLOCATED) ? C_ALLOCATED : C_NCPUS,
               &raw.allocated_procs)
               < 0)
        return -1;
    if (j.submit_at == 0)
        return bad_field(r, C_SUBMIT, "is no instant; each job has one");
    return workload_add(w, r->rules, &j, &raw);
}

static int read_line(struct reader *r, char *line, size_t len)
{
    static char nothing[1];
    char *fields[COLUMNS_MAX];
    unsigned n;

    if (len == 0)
        return 1;
    n = memchr(line, '\0', len) ? 0 : split_fields(line, fields);
    if (n != r->columns) {
        r->w->dropped[DROP_BAD]++;
        return diag_bad(r->diag, lines_name(r->in), lines_number(r->in),
            "the record has %u fields; the line of titles has %u", n, r->columns);
    }
    for (int c = 0; c < COLUMNS; c++)
        r->text[c] = has_column(r, c) ? fields[r->at[c]] : nothing;
    return strchr(r->text[C_ID], '.') ? 1 : take_record(r);
}

int sacct_read(struct lines *in, struct workload *w, const struct workload_rules *rules,
    struct diag *d, struct err *err)
{
    struct reader r = {
        .in = in, .w = w, .rules = rules, .diag = d, .zone = zone_system()};
    char *line;
    size_t len;
    int rc = lines_next(in, &line, &len, err);

    w->ids_rising = false; /* by array, 17_1 */
    if (rc > 0 && take_titles(&r, line, err) < 0)
        return -1;
    while (rc > 0 && (rc = lines_next(in, &line, &len, err)) > 0)
        if (read_line(&r, line, len) == 0)
            break;
    return rc < 0 ? -1 : 0;
}
