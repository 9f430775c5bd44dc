/* SPDX-License-Identifier: Apache-2.0
 * The workload record as a table of fields, and what the simulator makes of it. */
#include "sim/mauitrace.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELDS     44
#define TIME_MAX   INT64_C(1000000000000)
#define AMOUNT_MAX INT64_C(1000000000000)
#define TASKS_MAX  INT64_C(1000000000)

static const char *const states[] = {"Completed", "Removed", "NotRun", NULL};

#define AT(field) offsetof(struct mauitrace_job, field)

/* clang-format off */
static const struct tf_row rows[FIELDS] = {
    {"JobID",                  TF_TEXT,      AT(id)},
    {"Nodes requested",        TF_NUMBER,    AT(nodes), 0, 0, TASKS_MAX},
    {"Tasks requested",        TF_TASKS,     AT(tasks), 1, 0, TASKS_MAX},
    {"User",                   TF_TEXT,      AT(user)},
    {"Group",                  TF_TEXT,      AT(group)},
    {"Wallclock limit",        TF_LIMIT,     AT(wclimit_s), 1, -1, TIME_MAX},
    {"State",                  TF_WORD,      AT(state), 0, 0, 0, states},
    {"Class",                  TF_CLASSES,   AT(classes)},
    {"Submit time",            TF_NUMBER,    AT(submit_at), 0, 0, TIME_MAX},
    {"Dispatch time",          TF_NUMBER,    AT(dispatch_at), 0, 0, TIME_MAX},
    {"Start time",             TF_NUMBER,    AT(start_at), 0, 0, TIME_MAX},
    {"Completion time",        TF_NUMBER,    AT(end_at), 0, 0, TIME_MAX},
    {"Network",                TF_OPTIONAL,  AT(network)},
    {"Architecture",           TF_OPTIONAL,  AT(arch)},
    {"OS",                     TF_OPTIONAL,  AT(os)},
    {"Memory compare",         TF_COMPARE,   AT(mem_op)},
    {"Memory",                 TF_MB,        AT(mem_mb), 0, 0, AMOUNT_MAX},
    {"Disk compare",           TF_COMPARE,   AT(disk_op)},
    {"Disk",                   TF_MB,        AT(disk_mb), 0, 0, AMOUNT_MAX},
    {"Features",               TF_BRACKETS,  AT(features)},
    {"System queue time",      TF_NUMBER,    AT(queue_at), 0, 0, TIME_MAX},
    {"Tasks allocated",        TF_NUMBER,    AT(tasks_allocated), 0, 0, TASKS_MAX},
    {"Tasks per node",         TF_NUMBER,    AT(tpn), -1, -1, TASKS_MAX},
    {"QOS",                    TF_PAIR,      AT(qos)},
    {"Flags",                  TF_FLAGS,     AT(flags)},
    {"Account",                TF_OPTIONAL0, AT(account)},
    {"Command",                TF_OPTIONAL,  AT(command)},
    {"RM extension",           TF_OPTIONAL0, AT(rm_extension)},
    {"Bypass",                 TF_NUMBER,    AT(bypass), -1, -1, AMOUNT_MAX},
    {"Proc-seconds utilised",  TF_REAL,      AT(procseconds)},
    {"Partition",              TF_OPTIONAL,  AT(partition)},
    {"Procs per task",         TF_NUMBER,    AT(procs), 1, 0, TASKS_MAX},
    {"Dedicated memory",       TF_MB,        AT(ded_mem_mb), 0, 0, AMOUNT_MAX},
    {"Dedicated disk",         TF_MB,        AT(ded_disk_mb), 0, 0, AMOUNT_MAX},
    {"Dedicated swap",         TF_MB,        AT(ded_swap_mb), 0, 0, AMOUNT_MAX},
    {"Start date",             TF_NUMBER,    AT(release_at), 0, 0, TIME_MAX},
    {"End date",               TF_NUMBER,    AT(deadline_at), 0, 0, TIME_MAX},
    {"Allocated hosts",        TF_COLONS,    AT(allocated)},
    {"RM name",                TF_OPTIONAL,  AT(rm)},
    {"Required hosts",         TF_COLONS,    AT(hosts)},
    {"Reservation",            TF_OPTIONAL,  AT(reservation)},
    {"Node set",               TF_NODESET,   AT(nodeset)},
    {"Application simulator",  TF_OPTIONAL,  AT(simulator)},
    {"Reserved",               TF_OPTIONAL,  AT(reserved)},
};
/* clang-format on */

enum { ROW_TASKS_ALLOCATED = 21, ROW_HOSTS = 37, ROW_RM = 38, ROW_NODESET = 41 };

/* ---- one record --------------------------------------------------------------- */

/* Bring the fields of older writers into the documented places. */
static void arrange(const char *fields[FIELDS], size_t n)
{
    const char *at42;

    if (n == FIELDS - 1) { /* no master host, resource manager unsaid */
        memmove(&fields[ROW_HOSTS + 1], &fields[ROW_HOSTS],
            (FIELDS - 1 - ROW_HOSTS) * sizeof fields[0]);
        fields[ROW_HOSTS] = fields[ROW_RM] = TRACE_NONE;
    }
    at42 = fields[ROW_NODESET];
    if (strcmp(at42, TRACE_NONE) == 0 || strstr(at42, "ONEOF") != NULL
        || strstr(at42, "ANYOF") != NULL || strstr(at42, "FIRSTOF") != NULL)
        return;
    fields[ROW_NODESET] = TRACE_NONE;
    fields[ROW_NODESET + 1] = at42;
}

int mauitrace_parse_job(
    char *line, struct mauitrace_job *ret, struct arena *a, struct err *err)
{
    const char *fields[FIELDS];
    struct mauitrace_job j = {0};
    size_t n = tf_split(line, fields, FIELDS);

    if (n == 0)
        return 0;
    if (n != FIELDS && n != FIELDS - 1)
        return err_set(err, ERR_INVALID,
            "%zu of %d fields read; a workload record has %d, or %d without the master "
            "host",
            n, FIELDS, FIELDS, FIELDS - 1);
    arrange(fields, n);
    for (unsigned i = 0; i < FIELDS; i++)
        if (tf_parse(&rows[i], i + 1, fields[i], &j, a, err) < 0)
            return -1;
    if (strcmp(fields[ROW_TASKS_ALLOCATED], TRACE_NONE) == 0)
        j.tasks_allocated = j.tasks.first;
    if (j.partition != NULL && j.partition[strspn(j.partition, "0123456789")] != '\0'
        && strcmp(j.partition, "DEFAULT") != 0 && strcmp(j.partition, "ALL") != 0)
        j.partitions[0] = j.partition;
    *ret = j;
    return 1;
}

void mauitrace_format_job(const struct mauitrace_job *j, FILE *out)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        if (i > 0)
            fputc(' ', out);
        tf_format(&rows[i], j, out);
    }
    fputc('\n', out);
}

/* ---- reading a trace ------------------------------------------------------------ */

static uint32_t intern(struct workload *w, const char *name)
{
    return name == NULL || strcmp(name, "DEFAULT") == 0 ? NAME_NONE
                                                        : names_intern(w->names, name);
}

static int64_t run_time(const struct mauitrace_job *m)
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
static bool take_job(const struct reader *r, const struct mauitrace_job *record)
{
    struct workload *w = r->w;
    struct mauitrace_job *m;
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

    if (record->state == MAUITRACE_NOTRUN) {
        w->dropped[DROP_STATE]++;
        return true;
    }
    m = arena_alloc(&w->texts, sizeof *m);
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
    struct mauitrace_job job = {0};
    struct err why;
    int rc;

    if (memchr(line, '\0', len) != NULL) {
        bad_record(r, "the line has bytes 0; text is expected");
        return 1;
    }
    rc = tf_version(r->in, line, err);
    if (rc != 0)
        return rc;
    rc = mauitrace_parse_job(line, &job, &r->w->texts, &why);
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
static struct mauitrace_job plain_record(
    const struct workload *w, const struct trace_job *j, struct gres_cfg cls[2])
{
    struct mauitrace_job m = {
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

static void write_titles(FILE *out)
{
    static const char *const titles[FIELDS] = {"JobID", "NRQ", "TRQ", "UserName",
        "GroupName", "WCLimit", "JobState", "Class", "QueueTime", "DispatchT",
        "StartTime", "CompleteT", "Network", "Arch", "Opsys", "MC", "Mem", "DC", "Disk",
        "Features", "SQTime", "Tas", "TPNd", "QOS", "Flags", "Account", "Command",
        "Comm", "Byp", "PSUtil", "Partition", "DProcs", "DMem", "DDisk", "DSwap",
        "StartDate", "EndDate", "MNode", "RMName", "HostList", "Reservation", "NodeSet",
        "AppSim", "RES1"};

    fputc('#', out);
    for (int i = 0; i < FIELDS; i++)
        fprintf(out, " %s", titles[i]);
    fputc('\n', out);
}

static void move(int64_t *at, int64_t by)
{
    if (*at > 0)
        *at = *at + by > 0 ? *at + by : 0;
}

/* The job is submitted at another time than it was, and its start is not known. */
static void move_record(struct mauitrace_job *m, int64_t by, int64_t run_s)
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
    fputs("VERSION 230\n", out);
    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct trace_job *j = &w->jobs.v[i];
        struct gres_cfg cls[2] = {{0}};
        struct mauitrace_job m = j->more != NULL ? *j->more : plain_record(w, j, cls);
        int64_t start = start_at != NULL ? start_at[i] : j->submit_at;

        if (i % 100 == 0)
            write_titles(out);
        m.id = j->id;
        if (start < 0) {
            m.state = MAUITRACE_NOTRUN;
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
        mauitrace_format_job(&m, out);
    }
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

/* ---- towards the engine --------------------------------------------------------- */

static bool named(const char *name, const char *fallback)
{
    return name != NULL && strcmp(name, fallback) != 0;
}

static void fill_request(const struct mauitrace_job *m, struct req_desc *req)
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

void mauitrace_job_desc(const struct mauitrace_job *m, int64_t at, struct job_desc *job,
    struct req_desc *req)
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
