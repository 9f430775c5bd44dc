/* SPDX-License-Identifier: Apache-2.0
 * SWF by one pass over each line: the format is 18 numbers, so the time goes into
 * digits and nothing else. */
#include "sim/swf.h"

#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define FIELDS 18
/* Larger values are nonsense, and would overflow when multiplied. */
#define VALUE_MAX INT64_C(1000000000000000)
#define PROCS_MAX INT32_MAX
/* Names for numbers up to here are remembered; archives stay far below. */
#define NUMBERS_KEPT 65536

/* Fields by their SWF number, less one. */
enum {
    F_ID,
    F_SUBMIT,
    F_WAIT,
    F_RUN,
    F_ALLOCATED,
    F_CPU,
    F_MEM_USED,
    F_REQUESTED,
    F_ESTIMATE,
    F_MEM,
    F_STATUS,
    F_USER,
    F_GROUP,
    F_EXECUTABLE,
    F_QUEUE,
    F_PARTITION,
    F_PRECEDING,
    F_THINK
};

/* Headers that count. */
enum { MAX_PROCS, MAX_NODES, START_TIME };

static const char *const field_names[FIELDS] = {"job number", "submit time",
    "wait time", "run time", "allocated processors", "average CPU time", "used memory",
    "requested processors", "requested time", "requested memory", "status", "user",
    "group", "executable", "queue", "partition", "preceding job", "think time"};

/* Numbers that stand for names, and the names they got. */
struct numbering {
    const char *prefix;
    enum cred_kind kind;
    uint8_t field;
    struct VEC(uint32_t) ids; /* by number; NAME_NONE = not seen */
};

struct reader {
    struct lines *in;
    struct workload *w;
    const struct workload_rules *rules;
    struct diag *diag;
    struct numbering credentials[3];
    uint32_t file;
    int64_t last_id;
    bool header_procs; /* MaxProcs was at the start of its line */
    bool wide;         /* there are records with more fields; told */
};

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A whole number, fraction cut off. NULL if what is at `p` is no number (of at most 18
 * digits) followed by a blank or the end; else what follows it. */
static const char *scan_number(const char *p, int64_t *ret)
{
    const char *digits;
    uint64_t n = 0; /* wraps where there are too many digits */
    bool minus = *p == '-';
    unsigned digit;

    if (*p == '-' || *p == '+')
        p++;
    for (digits = p; (digit = (unsigned char)*p - (unsigned)'0') < 10; p++)
        n = n * 10 + digit;
    if (p - digits > 18)
        return NULL;
    if (*p == '.') {
        const char *fraction = ++p;

        while (*p >= '0' && *p <= '9')
            p++;
        if (p == fraction && fraction - 1 == digits)
            return NULL; /* a lone point */
    } else if (p == digits) {
        return NULL;
    }
    if (*p != '\0' && !blank(*p))
        return NULL;
    *ret = minus ? -(int64_t)n : (int64_t)n;
    return p;
}

static int bad_field(struct reader *r, int field, const char *at, const char *why)
{
    size_t len = strcspn(at, " \t");

    r->w->dropped[DROP_BAD]++;
    return diag_bad(r->diag, lines_name(r->in), lines_number(r->in),
        "field %d (%s): \"%.*s\" %s", field + 1, field_names[field],
        len > 40 ? 40 : (int)len, at, why);
}

/* The 18 numbers of a record, which some logs add columns to; -1 when reported
 * unusable. */
static int scan_fields(struct reader *r, const char *p, size_t len, int64_t v[FIELDS])
{
    const char *end = p + len;

    for (int i = 0; i < FIELDS; i++) {
        const char *at;

        while (blank(*p))
            p++;
        if (p == end) {
            r->w->dropped[DROP_BAD]++;
            return diag_bad(r->diag, lines_name(r->in), lines_number(r->in),
                "the record has %d fields; %d are expected, the last is %s", i, FIELDS,
                field_names[FIELDS - 1]);
        }
        at = p;
        p = scan_number(p, &v[i]);
        if (p == NULL)
            return bad_field(
                r, i, at, "is not a number; -1 stands for what is not known");
        if (v[i] > VALUE_MAX || v[i] < -VALUE_MAX)
            return bad_field(r, i, at, "is out of range");
    }
    while (blank(*p))
        p++;
    if (p != end && !r->wide) {
        r->wide = true;
        diag_note(r->diag, lines_name(r->in), lines_number(r->in),
            "more than %d fields; the first %d are taken, here and from now on", FIELDS,
            FIELDS);
    }
    return 0;
}

/* What has to hold beyond being numbers. */
static int check_fields(struct reader *r, const int64_t v[FIELDS])
{
    static const struct {
        uint8_t field;
        int64_t min, max;
        const char *expected;
    } bounds[] = {
        {F_ID, 0, VALUE_MAX, "is below 0; jobs are numbered from 1"},
        {F_ALLOCATED, -VALUE_MAX, PROCS_MAX, "is more than any machine has"},
        {F_REQUESTED, -VALUE_MAX, PROCS_MAX, "is more than any machine has"},
    };

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        int64_t value = v[bounds[i].field];
        char text[32];

        if (value >= bounds[i].min && value <= bounds[i].max)
            continue;
        snprintf(text, sizeof text, "%" PRId64, value);
        return bad_field(r, bounds[i].field, text, bounds[i].expected);
    }
    return 0;
}

/* Decimal text of n >= 0 in front of buf + 24; cheaper than printf, and called for
 * every job. */
static char *decimal(char buf[25], int64_t n)
{
    char *p = buf + 24;

    *p = '\0';
    do {
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    return p;
}

static uint32_t name_of(struct reader *r, struct numbering *n, int64_t number)
{
    char text[64];
    uint32_t id;

    if (number < 0)
        return NAME_NONE;
    if (number < (int64_t)n->ids.n && n->ids.v[number] != NAME_NONE)
        return n->ids.v[number];
    snprintf(text, sizeof text, "%s%" PRId64, n->prefix, number);
    id = names_intern(r->w->names, text);
    if (number < NUMBERS_KEPT) {
        while ((int64_t)n->ids.n <= number)
            vec_push(&n->ids, NAME_NONE);
        n->ids.v[number] = id;
    }
    return id;
}

/* A record that parsed. False: enough jobs. */
static bool take_record(struct reader *r, const int64_t v[FIELDS])
{
    char id[25];
    struct trace_job j = {
        .id = decimal(id, v[F_ID]),
        .submit_at = v[F_SUBMIT],
        .run_s = v[F_RUN],
        .file = r->file,
        .line = (uint32_t)lines_number(r->in),
    };
    struct raw_job raw = {
        .requested_procs = v[F_REQUESTED],
        .allocated_procs = v[F_ALLOCATED],
        .estimate_s = v[F_ESTIMATE],
    };

    if (v[F_ID] <= r->last_id)
        r->w->ids_rising = false;
    r->last_id = v[F_ID];
    if (r->rules->use_memory && v[F_MEM] > 0)
        j.mem_mb = (uint32_t)(v[F_MEM] / 1024 < INT32_MAX ? (v[F_MEM] + 1023) / 1024
                                                          : INT32_MAX);
    for (int k = 0; k < CRED_KINDS; k++)
        j.cred[k] = NAME_NONE;
    for (size_t i = 0; i < 3; i++) {
        struct numbering *n = &r->credentials[i];

        j.cred[n->kind] = name_of(r, n, v[n->field]);
    }
    return workload_add(r->w, r->rules, &j, &raw);
}

/* ---- header ----------------------------------------------------------------- */

/* What follows "Key:" at `p`, or NULL when something else is there. */
static const char *header_value(const char *p, const char *key)
{
    size_t len = strlen(key);

    if (strncmp(p, key, len) != 0)
        return NULL;
    p += len;
    while (blank(*p))
        p++;
    if (*p++ != ':')
        return NULL;
    while (blank(*p))
        p++;
    return p;
}

/* A number, words may follow it: 1, 0 when it stands for "not known", -1 when it is
 * none. */
static int header_number(const char *text, int64_t *ret)
{
    char *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 10);
    if (end == text || errno != 0 || n > VALUE_MAX || isalnum((unsigned char)*end))
        return -1;
    *ret = n;
    return n > 0;
}

static void take_header(struct reader *r, int header, int64_t n)
{
    struct workload *w = r->w;

    if (header == MAX_PROCS) {
        w->max_procs = n;
        r->header_procs = true;
    } else if (header == MAX_NODES) {
        w->max_nodes = n;
    } else if (w->epoch == 0) {
        w->epoch = n;
    }
}

static void read_header(struct reader *r, const char *p)
{
    static const char *const keys[] = {[MAX_PROCS] = "MaxProcs",
        [MAX_NODES] = "MaxNodes",
        [START_TIME] = "UnixStartTime"};
    const char *value;
    int64_t n;

    while (*p == ';' || blank(*p))
        p++;
    for (int i = MAX_PROCS; i <= START_TIME; i++) {
        int status;

        value = header_value(p, keys[i]);
        if (value == NULL)
            continue;
        status = header_number(value, &n);
        if (status > 0)
            take_header(r, i, n);
        else if (status < 0)
            diag_bad(r->diag, lines_name(r->in), lines_number(r->in),
                "%s: \"%.40s\" is not a number; -1 stands for what is not known",
                keys[i], value);
        return;
    }
    /* Hand-made traces put it into one comment with the rest. */
    p = r->header_procs ? NULL : strstr(p, keys[MAX_PROCS]);
    value = p != NULL ? header_value(p, keys[MAX_PROCS]) : NULL;
    if (value != NULL && header_number(value, &n) > 0)
        r->w->max_procs = n;
}

/* ---- reading ---------------------------------------------------------------- */

/* One line. 1, 0 = enough jobs, -1 = unusable, and told. */
static int read_line(struct reader *r, const char *p, size_t len)
{
    int64_t v[FIELDS] = {0};
    const char *start = p;

    while (blank(*p))
        p++;
    if (*p == ';') {
        read_header(r, p);
        return 1;
    }
    len -= (size_t)(p - start);
    if (len == 0)
        return 1;
    if (scan_fields(r, p, len, v) < 0 || check_fields(r, v) < 0)
        return -1;
    return take_record(r, v);
}

int swf_read(struct lines *in, struct workload *w, const struct workload_rules *rules,
    struct diag *d, struct err *err)
{
    struct reader r = {
        .in = in,
        .w = w,
        .rules = rules,
        .diag = d,
        .credentials = {{"user", CRED_USER, F_USER, {0}},
            {"group", CRED_GROUP, F_GROUP, {0}}, {"q", CRED_CLASS, F_QUEUE, {0}}},
        .file = (uint32_t)w->files.n - 1,
        .last_id = -1,
    };
    char *line;
    size_t len;
    int rc;

    while ((rc = lines_next(in, &line, &len, err)) > 0)
        if (read_line(&r, line, len) == 0)
            break;
    for (size_t i = 0; i < 3; i++)
        vec_fini(&r.credentials[i].ids);
    return rc < 0 ? -1 : 0;
}

/* ---- writing ---------------------------------------------------------------- */

/* The number behind a name: its digits if it is prefix + digits, else one more than
 * the names seen so far. */
static long name_number(
    const struct workload *w, uint32_t id, const char *prefix, struct names *seen)
{
    const char *text, *digits;
    size_t len = strlen(prefix);

    if (id == NAME_NONE)
        return -1;
    text = names_text(w->names, id);
    digits = text + len;
    if (strncmp(text, prefix, len) == 0 && *digits != '\0' && strlen(digits) <= 9
        && strspn(digits, "0123456789") == strlen(digits))
        return strtol(digits, NULL, 10);
    return (long)names_intern(seen, text) + 1;
}

static void write_job(
    FILE *out, const struct workload *w, size_t i, struct names *const seen[3])
{
    const struct trace_job *j = &w->jobs.v[i];
    bool numeric = strspn(j->id, "0123456789") == strlen(j->id);
    int64_t estimate = j->wclimit_s >= VALUE_MAX ? -1 : j->wclimit_s;

    if (numeric)
        fputs(j->id, out);
    else
        fprintf(out, "%zu", i + 1);
    fprintf(out,
        " %" PRId64 " -1 %" PRId64 " %u -1 -1 %u %" PRId64 " %" PRId64
        " 1 %ld %ld -1 %ld -1 -1 -1\n",
        j->submit_at, j->run_s, j->procs, j->procs, estimate,
        j->mem_mb > 0 ? (int64_t)j->mem_mb * 1024 : -1,
        name_number(w, j->cred[CRED_USER], "user", seen[0]),
        name_number(w, j->cred[CRED_GROUP], "group", seen[1]),
        name_number(w, j->cred[CRED_CLASS], "q", seen[2]));
}

int swf_write(FILE *out, const struct workload *w, int64_t procs, const char *note)
{
    struct names *seen[3] = {names_create(), names_create(), names_create()};

    fprintf(out, "; Version: 2.2\n; Note: %s\n; MaxJobs: %zu\n; MaxRecords: %zu\n",
        note, w->jobs.n, w->jobs.n);
    if (w->epoch > 0)
        fprintf(out, "; UnixStartTime: %" PRId64 "\n", w->epoch);
    fprintf(out, "; MaxNodes: %" PRId64 "\n; MaxProcs: %" PRId64 "\n", procs, procs);
    for (size_t i = 0; i < w->jobs.n; i++)
        write_job(out, w, i, seen);
    for (uint32_t id = 0; id < names_count(seen[2]); id++)
        fprintf(out, "; Queue: %u %s\n", id + 1, names_text(seen[2], id));
    for (int i = 0; i < 3; i++)
        names_destroy(seen[i]);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
