/* SPDX-License-Identifier: Apache-2.0
 * From records to jobs. */
#include "sim/workload.h"

#include "cluster/job.h"
#include "sim/mauitrace.h"
#include "sim/sacct.h"
#include "sim/swf.h"
#include "trace/lines.h"

#include <inttypes.h>

/* Without a time zone to go by, a trace that begins at 0 begins a day after the epoch:
 * to the scheduler, 0 stands for "no time". */
#define EPOCH_UNKNOWN 86400
/* From here on trace times are taken for UTC. */
#define EPOCH_LIKELY 100000000
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ESTIMATE_MAX     (14 * 86400) /* longer counts as missing (extend) */
#define ESTIMATE_MISSING 86400        /* what stands in for it */

void workload_init(struct workload *w)
{
    *w = (struct workload){.names = names_create(), .ids_rising = true};
}

void workload_fini(struct workload *w)
{
    vec_fini(&w->jobs);
    vec_fini(&w->files);
    names_destroy(w->names);
    arena_free(&w->texts);
    *w = (struct workload){0};
}

/* ---- files ------------------------------------------------------------------ */

enum format { FORMAT_EMPTY, FORMAT_SWF, FORMAT_MAUI, FORMAT_SACCT, FORMAT_UNKNOWN };

static int count_fields(const char *p)
{
    int n = 0;

    while (*(p += strspn(p, " \t")) != '\0') {
        p += strcspn(p, " \t");
        n++;
    }
    return n;
}

/* Numbers, as far as SWF has fields? There may be columns behind them, though not as
 * many as a Maui trace has. */
static bool is_swf_record(const char *p)
{
    int n = count_fields(p);

    for (int i = 0; i < 18; i++) {
        size_t len = strspn(p += strspn(p, " \t"), "+-.0123456789");

        if (len == 0 || strcspn(p, " \t") != len)
            return n == 18;
        p += len;
    }
    return n < 43;
}

/* What the first line that is not empty looks like; it is left unread. */
static int detect_format(struct lines *in, enum format *ret, struct err *err)
{
    char *line;
    size_t len;
    int rc;

    *ret = FORMAT_EMPTY;
    while ((rc = lines_next(in, &line, &len, err)) > 0) {
        const char *p = line + strspn(line, " \t");

        if (*p == '\0' && p == line + len)
            continue;
        if (*p == ';' || is_swf_record(p))
            *ret = FORMAT_SWF;
        else if (*p == '#' || strncmp(p, "VERSION", 7) == 0 || count_fields(p) >= 43)
            *ret = FORMAT_MAUI;
        else if (sacct_is_titles(line))
            *ret = FORMAT_SACCT;
        else
            *ret = FORMAT_UNKNOWN;
        lines_unread(in);
        return 0;
    }
    return rc;
}

static int read_as(enum format f, struct lines *in, struct workload *w,
    const struct workload_rules *r, struct diag *d, struct err *err)
{
    switch (f) {
    case FORMAT_EMPTY:
        return err_set(err, ERR_INVALID, "%s: the file is empty; a trace is expected",
            lines_name(in));
    case FORMAT_SWF:
        return swf_read(in, w, r, d, err);
    case FORMAT_MAUI:
        return mauitrace_read(in, w, r, d, err);
    case FORMAT_SACCT:
        return sacct_read(in, w, r, d, err);
    case FORMAT_UNKNOWN:
        break;
    }
    return err_set(err, ERR_INVALID,
        "%s: not a trace: the first line is neither SWF (18 numbers, or a comment "
        "after \";\") nor a Maui workload trace (\"VERSION 230\", or 44 fields) nor "
        "sacct's titles (\"JobID|...\", by --parsable2)",
        lines_name(in));
}

int workload_read(struct workload *w, const char *path, const struct workload_rules *r,
    struct diag *d, struct err *err)
{
    enum format format;
    struct lines *in = lines_open(path, err);
    int rc = -1;

    if (in == NULL)
        return -1;
    vec_push(&w->files, arena_text(&w->texts, path, strlen(path)));
    if (detect_format(in, &format, err) == 0)
        rc = read_as(format, in, w, r, d, err);
    lines_close(in);
    return rc;
}

/* ---- records ---------------------------------------------------------------- */

static int64_t machine_procs(const struct workload *w, const struct workload_rules *r)
{
    if (r->procs > 0)
        return r->procs;
    if (w->max_procs > 0)
        return w->max_procs;
    return w->max_nodes > 0 ? w->max_nodes : INT32_MAX;
}

static int64_t job_procs(const struct raw_job *raw, enum overrun how, int64_t machine)
{
    int64_t procs =
        raw->requested_procs > 0 ? raw->requested_procs : raw->allocated_procs;

    if (how == OVERRUN_KILL)
        return procs;
    if (raw->allocated_procs > procs)
        procs = raw->allocated_procs;
    return procs < machine ? procs : machine;
}

static const char *job_id(struct workload *w, const char *id)
{
    char numbered[64];

    if (!w->number_ids)
        return arena_text(&w->texts, id, strlen(id));
    if (strlen(id) < sizeof numbered - 16) {
        snprintf(numbered, sizeof numbered, "%zu.%s", w->files.n, id);
        return arena_text(&w->texts, numbered, strlen(numbered));
    }
    w->ids_rising = false;
    return arena_text(&w->texts, id, strlen(id));
}

bool workload_add(struct workload *w, const struct workload_rules *r,
    struct trace_job *j, const struct raw_job *raw)
{
    int64_t machine = machine_procs(w, r);
    int64_t procs = job_procs(raw, r->overrun, machine);
    bool known = raw->estimate_s > 0
                 && (r->overrun == OVERRUN_KILL || raw->estimate_s <= ESTIMATE_MAX);

    if (j->submit_at < 0) {
        w->dropped[DROP_SUBMIT]++;
    } else if (j->run_s <= 0) {
        w->dropped[DROP_RUN]++;
    } else if (procs <= 0) {
        w->dropped[DROP_PROCS]++;
    } else if (procs > machine) {
        w->dropped[DROP_WIDE]++;
    } else {
        j->procs = (uint32_t)procs;
        j->wclimit_s = known ? raw->estimate_s : 0;
        j->id = job_id(w, j->id);
        vec_push(&w->jobs, *j);
    }
    return r->max_jobs == 0 || w->jobs.n < r->max_jobs;
}

/* ---- after the last --------------------------------------------------------- */

static void settle_estimates(struct workload *w, const struct workload_rules *r)
{
    bool none = true;

    for (size_t i = 0; i < w->jobs.n && none; i++)
        none = w->jobs.v[i].wclimit_s == 0;
    for (size_t i = 0; i < w->jobs.n; i++) {
        struct trace_job *j = &w->jobs.v[i];

        if (j->wclimit_s == 0) {
            w->no_estimate++;
            j->wclimit_s = j->run_s;
            if (!none && r->overrun == OVERRUN_EXTEND && j->run_s < ESTIMATE_MISSING)
                j->wclimit_s = ESTIMATE_MISSING;
        }
        if (j->run_s <= j->wclimit_s)
            continue;
        w->overran++;
        if (r->overrun == OVERRUN_KILL)
            j->run_s = j->wclimit_s;
        else
            j->wclimit_s = j->run_s;
    }
}

/* A job's place before sorting, so that the sort is stable. */
struct place {
    const struct trace_job *job;
    size_t at;
};

static int order_of_places(const struct place *a, const struct place *b)
{
    return a->at < b->at ? -1 : a->at > b->at;
}

static int by_submission(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;

    if (a->job->submit_at != b->job->submit_at)
        return a->job->submit_at < b->job->submit_at ? -1 : 1;
    return order_of_places(a, b);
}

static int by_id(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;
    int rc = name_compare(a->job->id, b->job->id);

    return rc != 0 ? rc : order_of_places(a, b);
}

static struct place *places(const struct workload *w)
{
    struct place *p = xmalloc(w->jobs.n * sizeof *p);

    for (size_t i = 0; i < w->jobs.n; i++)
        p[i] = (struct place){&w->jobs.v[i], i};
    return p;
}

static void sort_jobs(struct workload *w)
{
    struct trace_job *sorted;
    struct place *p;
    bool in_order = true;

    for (size_t i = 1; i < w->jobs.n && in_order; i++)
        in_order = w->jobs.v[i - 1].submit_at <= w->jobs.v[i].submit_at;
    if (in_order)
        return;
    p = places(w);
    qsort(p, w->jobs.n, sizeof *p, by_submission);
    sorted = xmalloc(w->jobs.n * sizeof *sorted);
    for (size_t i = 0; i < w->jobs.n; i++)
        sorted[i] = *p[i].job;
    free(p);
    free(w->jobs.v);
    w->jobs.v = sorted;
    w->jobs.cap = w->jobs.n;
}

static void drop_duplicates(struct workload *w, struct diag *d)
{
    struct place *p;
    size_t kept = 0;

    if (w->ids_rising || w->jobs.n == 0)
        return;
    p = places(w);
    qsort(p, w->jobs.n, sizeof *p, by_id);
    for (size_t i = 1, first = 0; i < w->jobs.n; i++) {
        const struct trace_job *a = p[first].job;
        struct trace_job *b = &w->jobs.v[p[i].at];

        if (strcmp(a->id, b->id) != 0) {
            first = i;
            continue;
        }
        diag_bad(d, w->files.v[b->file], b->line,
            "field 1: job \"%s\" is already at %s:%u; each needs an id of its own",
            b->id, w->files.v[a->file], a->line);
        w->dropped[DROP_DUPLICATE]++;
        b->procs = 0; /* marks it; no job that was taken has none */
    }
    free(p);
    for (size_t i = 0; i < w->jobs.n; i++)
        if (w->jobs.v[i].procs > 0)
            w->jobs.v[kept++] = w->jobs.v[i];
    w->jobs.n = kept;
}

void workload_finish(struct workload *w, const struct workload_rules *r, struct diag *d)
{
    drop_duplicates(w, d);
    settle_estimates(w, r);
    sort_jobs(w);
}

void workload_narrow(struct workload *w, int64_t procs)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->jobs.n; i++)
        if (w->jobs.v[i].procs <= procs)
            w->jobs.v[kept++] = w->jobs.v[i];
    w->dropped[DROP_WIDE] += w->jobs.n - kept;
    w->jobs.n = kept;
}

/* ---- towards the engine ------------------------------------------------------ */

const char *workload_cred(
    const struct workload *w, const struct trace_job *j, enum cred_kind kind)
{
    return j->cred[kind] == NAME_NONE ? NULL : names_text(w->names, j->cred[kind]);
}

void workload_job_desc(const struct workload *w, const struct trace_job *j, int64_t at,
    struct job_desc *ret_job, struct req_desc *ret_req)
{
    *ret_req = (struct req_desc){
        .per_task = {.v = {[RES_PROCS] = 1, [RES_MEM] = j->mem_mb}},
        .tasks = j->procs,
        .nodealloc = NODEALLOC_UNSET,
    };
    *ret_job = (struct job_desc){
        .id = j->id,
        .submit_at = j->submit_at + at,
        .wclimit_s = j->wclimit_s,
        .state = JOB_IDLE,
        .admitted = j->admitted,
        .reqs = ret_req,
        .nreqs = 1,
    };
    for (int k = 0; k < CRED_KINDS; k++)
        ret_job->cred[k] = workload_cred(w, j, (enum cred_kind)k);
    if (j->more != NULL)
        mauitrace_job_desc(j->more, at, ret_job, ret_req);
    if (w->ignore_memory) {
        ret_req->per_task.v[RES_MEM] = 0;
        ret_req->per_task.v[RES_SWAP] = 0;
        ret_req->per_task.v[RES_DISK] = 0;
        ret_req->mem = ret_req->disk = (struct cmp){0};
    }
}

const char *drop_reason_text(enum drop_reason r)
{
    static const char *const texts[DROPS] = {
        [DROP_SUBMIT] = "submitted before the trace begins",
        [DROP_RUN] = "did not run or run still",
        [DROP_PROCS] = "without processors",
        [DROP_WIDE] = "wider than the machine",
        [DROP_STATE] = "marked NotRun",
        [DROP_DUPLICATE] = "with the id of another",
        [DROP_BAD] = "unreadable",
    };

    return texts[r];
}

int64_t workload_shift(const struct workload *w)
{
    if (w->epoch > 0)
        return w->epoch;
    if (w->jobs.n > 0 && w->jobs.v[0].submit_at >= EPOCH_LIKELY)
        return 0;
    return EPOCH_UNKNOWN;
}

double workload_load(const struct workload *w, int64_t procs)
{
    double work = 0, time;

    if (w->jobs.n < 2 || procs <= 0)
        return 0;
    for (size_t i = 0; i < w->jobs.n; i++)
        work += (double)w->jobs.v[i].run_s * w->jobs.v[i].procs;
    time = (double)(w->jobs.v[w->jobs.n - 1].submit_at - w->jobs.v[0].submit_at);
    return time > 0 ? work / (time * (double)procs) : 0;
}

double workload_set_load(struct workload *w, int64_t procs, double load)
{
    double is = workload_load(w, procs), factor = is > 0 ? is / load : 1.0;
    int64_t begin = w->jobs.n > 0 ? w->jobs.v[0].submit_at : 0;

    for (size_t i = 0; i < w->jobs.n; i++) {
        struct trace_job *j = &w->jobs.v[i];

        j->submit_at = begin + (int64_t)((double)(j->submit_at - begin) * factor + 0.5);
    }
    w->stretched = factor;
    return factor;
}
