/* SPDX-License-Identifier: Apache-2.0
 * The workload record as a table of fields. */
#include "trace/jobtrace.h"

#include "cluster/cluster.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define FIELDS     44
#define TIME_MAX   INT64_C(1000000000000)
#define AMOUNT_MAX INT64_C(1000000000000)
#define TASKS_MAX  INT64_C(1000000000)

static const char *const states[] = {"Completed", "Removed", "NotRun", NULL};

#define AT(field) offsetof(struct jobtrace, field)

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

int jobtrace_parse(char *line, struct jobtrace *ret, struct arena *a, struct err *err)
{
    const char *fields[FIELDS];
    struct jobtrace j = {0};
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

void jobtrace_format(const struct jobtrace *j, FILE *out)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        if (i > 0)
            fputc(' ', out);
        tf_format(&rows[i], j, out);
    }
    fputc('\n', out);
}

void jobtrace_titles(FILE *out)
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
