/* SPDX-License-Identifier: Apache-2.0
 * Workload traces, and what the simulator makes of a record. */
#include "sim/mauitrace.h"

#include "cluster/job.h"
#include "trace/tracewords.h"

#include <string.h>

/* ---- reading a trace ------------------------------------------------------------ */

static uint32_t intern(struct workload *w, const char *name)
{
    return name == NULL || strcmp(name, "DEFAULT") == 0 ? NAME_NONE
                                                        : names_intern(w->names, name);
}

static int64_t run_time(const struct jobtrace *m)
{
    int64_t begin = m->start_at > m->dispatch_at ? m->start_at : m->dispatch_at;

    return m->end_at - begin > 1 ? m->end_at - begin : 1;
}

/* What is being read, and where to. */
struct reader {
    struct lines *in;
    struct workload *w;
    const struct workload_rules *rules;
    struct diag *diag;
};

/* False: enough jobs. */
static bool take_job(const struct reader *r, const struct jobtrace *record)
{
    struct workload *w = r->w;
    struct jobtrace *m;
    int64_t tasks = record->tasks.first;
    struct trace_job j = {
        .id = record->id,
        .submit_at = record->submit_at,
        .run_s = run_time(record),
        .file = (uint32_t)w->files.n - 1,
        .line = (uint32_t)lines_number(r->in),
        .cred = {[CRED_USER] = intern(w, record->user),
            [CRED_GROUP] = intern(w, record->group),
            [CRED_ACCOUNT] = intern(w, record->account),
            [CRED_CLASS] =
                intern(w, record->classes != NULL ? record->classes[0].name : NULL),
            [CRED_QOS] = intern(w, record->qos.first)},
    };
    struct raw_job raw = {
        .requested_procs = tasks * record->procs,
        .allocated_procs = record->tasks_allocated * record->procs,
        .estimate_s = record->wclimit_s.first,
    };

    if (record->state == JOBTRACE_NOTRUN) {
        w->dropped[DROP_STATE]++;
        return true;
    }
    m = arena_take(&w->texts, 1, sizeof *m);
    *m = *record;
    j.more = m;
    return workload_add(w, r->rules, &j, &raw);
}

/* A record that cannot be used. */
static void bad_record(const struct reader *r, const char *why)
{
    r->w->dropped[DROP_BAD]++;
    diag_bad(r->diag, lines_name(r->in), lines_number(r->in), "%s", why);
}

/* One line. 1, 0 = enough jobs, -1 = the trace cannot be read. */
static int read_line(const struct reader *r, char *line, size_t len, struct err *err)
{
    struct jobtrace job = {0};
    struct err why;
    int rc;

    if (memchr(line, '\0', len) != NULL) {
        bad_record(r, "the line has bytes 0; text is expected");
        return 1;
    }
    rc = tf_version(r->in, line, err);
    if (rc != 0)
        return rc;
    rc = jobtrace_parse(line, &job, &r->w->texts, &why);
    if (rc < 0)
        bad_record(r, why.text);
    return rc > 0 ? take_job(r, &job) : 1;
}

int mauitrace_read(struct lines *in, struct workload *w, const struct workload_rules *r,
    struct diag *d, struct err *err)
{
    struct reader reader = {in, w, r, d};
    char *line;
    size_t len;
    int rc;

    w->ids_rising = false;
    while ((rc = lines_next(in, &line, &len, err)) > 0) {
        rc = read_line(&reader, line, len, err);
        if (rc <= 0)
            break;
    }
    return rc;
}

/* ---- writing a trace ------------------------------------------------------------ */

/* A record for a job that came from elsewhere. */
static struct jobtrace plain_record(
    const struct workload *w, const struct trace_job *j, struct gres_cfg cls[2])
{
    struct jobtrace m = {
        .id = j->id,
        .tasks = {j->procs, NULL},
        .user = workload_cred(w, j, CRED_USER),
        .group = workload_cred(w, j, CRED_GROUP),
        .wclimit_s = {j->wclimit_s, NULL},
        .mem_op = CMP_GE,
        .disk_op = CMP_GE,
        .tasks_allocated = j->procs,
        .tpn = -1,
        .qos = {workload_cred(w, j, CRED_QOS), NULL},
        .account = workload_cred(w, j, CRED_ACCOUNT),
        .bypass = -1,
        .partition = "DEFAULT",
        .procs = 1,
        .ded_mem_mb = j->mem_mb,
        .submit_at = j->submit_at,
    };
    const char *name = workload_cred(w, j, CRED_CLASS);

    cls[0].name = (char *)(name != NULL ? name : "DEFAULT");
    cls[0].count = 1;
    m.classes = cls;
    if (m.user == NULL)
        m.user = "unknown";
    if (m.group == NULL)
        m.group = "unknown";
    return m;
}

static void move(int64_t *at, int64_t by)
{
    if (*at > 0)
        *at = *at + by > 0 ? *at + by : 0;
}

/* The job is submitted at another time than it was, and its start is not known. */
static void move_record(struct jobtrace *m, int64_t by, int64_t run_s)
{
    m->submit_at += by;
    m->dispatch_at = m->start_at = m->submit_at;
    m->end_at = m->start_at + run_s;
    move(&m->queue_at, by);
    move(&m->release_at, by);
    move(&m->deadline_at, by);
}

int mauitrace_write(FILE *out, const struct workload *w, const int64_t *start_at)
{
    fputs(JOBTRACE_VERSION, out);
    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct trace_job *j = &w->jobs.v[i];
        struct gres_cfg cls[2] = {{0}};
        struct jobtrace m = j->more != NULL ? *j->more : plain_record(w, j, cls);
        int64_t start = start_at != NULL ? start_at[i] : j->submit_at;

        if (i % 100 == 0)
            jobtrace_titles(out);
        m.id = j->id;
        if (start < 0) {
            m.state = JOBTRACE_NOTRUN;
            m.dispatch_at = m.start_at = m.end_at = 0;
        } else {
            if (start_at != NULL || j->more == NULL) {
                m.dispatch_at = m.start_at = start + w->epoch;
                m.end_at = m.start_at + j->run_s;
                m.procseconds = (double)j->run_s * j->procs;
            }
        }
        if (j->more == NULL)
            m.submit_at += w->epoch;
        else if (w->stretched > 0)
            move_record(&m, j->submit_at - m.submit_at, j->run_s);
        if (m.queue_at == 0)
            m.queue_at = m.submit_at;
        jobtrace_format(&m, out);
    }
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

/* ---- towards the engine --------------------------------------------------------- */

static bool named(const char *name, const char *fallback)
{
    return name != NULL && strcmp(name, fallback) != 0;
}

static void fill_request(const struct jobtrace *m, struct req_desc *req)
{
    int64_t tasks, nodes = m->nodes;

    if (m->tasks.text != NULL)
        tf_pbs_nodes(m->tasks.text, &tasks, &nodes);
    req->per_task = (struct res){.v = {[RES_PROCS] = m->procs,
                                     [RES_MEM] = m->ded_mem_mb,
                                     [RES_SWAP] = m->ded_swap_mb,
                                     [RES_DISK] = m->ded_disk_mb}};
    req->nodes = (uint32_t)nodes;
    req->tpn = m->tpn > 0 ? (uint32_t)m->tpn : 0;
    req->features = m->features;
    req->hosts = m->hosts;
    req->os = m->os;
    req->arch = m->arch;
    req->network = m->network;
    if (m->mem_mb > 0)
        req->mem = (struct cmp){m->mem_op, m->mem_mb};
    if (m->disk_mb > 0)
        req->disk = (struct cmp){m->disk_op, m->disk_mb};
    req->nodeset = m->nodeset;
}

void mauitrace_job_desc(
    const struct jobtrace *m, int64_t at, struct job_desc *job, struct req_desc *req)
{
    fill_request(m, req);
    if (m->procs > 0)
        req->tasks = (uint32_t)(req->tasks / m->procs);
    job->flags = tf_job_flags(m->flags.mask, &req->access);
    if (m->hosts != NULL)
        job->flags |= JOB_HOSTLIST;
    if (named(m->reservation, m->id)) { /* its own name: none */
        job->flags |= JOB_ADVRES;
        job->advres = strcmp(m->reservation, "ALL") == 0 ? NULL : m->reservation;
    }
    if (m->partitions[0] != NULL)
        job->partitions = m->partitions;
    job->release_at = m->release_at > 0 ? m->release_at + at : 0;
    job->deadline_at = m->deadline_at > 0 ? m->deadline_at + at : 0;
    job->command = m->command;
}
