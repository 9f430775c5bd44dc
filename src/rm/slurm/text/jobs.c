/* SPDX-License-Identifier: Apache-2.0
 * `show job` as records. A user's texts may imitate fields (a job's name can hold
 * blanks and "UserId="), so a record is read in four pieces, of which two hold nothing
 * that users choose freely:
 *
 *     JobId=7 .. JobName=.. UserId=.. .. JobState=.. .. Licenses=.. Network=..
 * Comment=..
 *     `-which--' `------whose--------' `------------facts---------'
 * `-------texts------'
 *
 * Where one of the others holds a name twice, or out of its place, squeue is asked for
 * what is there, in columns that end with a word that no user knows. */
#include "base/xalloc.h"
#include "rm/adapter/asked.h"
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As scontrol prints them, of 22.05 to 26.05; those with a star come once for each
 * node. One that is left out would be read as part of the one before it. */
static const char *const which_keys[] = {"JobId", "ArrayJobId", "ArrayTaskId",
    "ArrayTaskThrottle", "HetJobId", "HetJobOffset", NULL};
static const char *const whose_keys[] = {"JobName", "SLUID", "HetJobIdSet", "UserId",
    "GroupId", "MCS_label", "Priority", "Nice", "Account", "QOS", "WCKey", NULL};
static const char *const fact_keys[] = {"JobState", "Reason", "FailedNode",
    "Dependency", "Requeue", "Restarts", "BatchFlag", "Reboot", "ExitCode",
    "DerivedExitCode", "RunTime", "TimeLimit", "TimeMin", "SubmitTime", "EligibleTime",
    "AccrueTime", "ResizeTime", "StartTime", "EndTime", "Deadline", "CronJob",
    "CrontabSpec", "PreemptEligibleTime", "PreemptTime", "SuspendTime",
    "SecsPreSuspend", "LastSchedEval", "Scheduler", "Partition", "AllocNode:Sid",
    "FedOrigin", "ReqNodeList", "ExcNodeList", "NodeList", "SchedNodeList",
    "BatchFeatures", "BatchHost", "StepMgrEnabled", "NumNodes", "NumCPUs", "NumTasks",
    "CPUs/Task", "ReqB:S:C:T", "ReqTRES", "AllocTRES", "TRES", "Socks/Node",
    "NtasksPerN:B:S:C", "CoreSpec", "ThreadSpec", "JOB_GRES", "*Nodes", "*CPU_IDs",
    "*Mem", "*GRES", "MinCPUsNode", "MinMemoryCPU", "MinMemoryNode", "MinTmpDiskNode",
    "MemUpdate", "Features", "DelayBoot", "ClusterFeatures", "Prefer", "Reservation",
    "OverSubscribe", "Exclusive", "Contiguous", "Licenses", "LicensesAlloc", NULL};
static const char *const text_keys[] = {"Network", "ContainerType", "Container",
    "ContainerID", "Command", "SubmitLine", "WorkDir", "AdminComment", "SystemComment",
    "Comment", "Extra", "StdErr", "StdIn", "StdOut", "SegmentSize", "Switches", "Power",
    "CpusPerTres", "MemPerTres", "NtasksPerTRES", "TresBind", "TresFreq", "TresPerJob",
    "TresPerNode", "TresPerSocket", "TresPerTask", "MailUser", "MailType", NULL};

/* ---- words ---- */

static const struct {
    const char *word;
    uint32_t state;
} states[] = {{"PENDING", JOB_PENDING}, {"RUNNING", SLURM_JOB_RUNNING},
    {"SUSPENDED", SLURM_JOB_SUSPENDED}, {"COMPLETED", JOB_COMPLETE},
    {"CANCELLED", JOB_CANCELLED}, {"FAILED", JOB_FAILED}, {"TIMEOUT", JOB_TIMEOUT},
    {"NODE_FAIL", JOB_NODE_FAIL}, {"PREEMPTED", JOB_PREEMPTED},
    {"BOOT_FAIL", JOB_BOOT_FAIL}, {"DEADLINE", JOB_DEADLINE},
    {"OUT_OF_MEMORY", JOB_OOM}, {"CONFIGURING", SLURM_JOB_RUNNING | JOB_CONFIGURING},
    /* what it is besides is not told: neither waiting nor ended until that is over */
    {"COMPLETING", JOB_PENDING | JOB_COMPLETING}, {"REQUEUED", JOB_PENDING},
    {"REQUEUE_FED", JOB_PENDING}, {"REQUEUE_HOLD", JOB_PENDING},
    {"SPECIAL_EXIT", JOB_PENDING}, {"RESV_DEL_HOLD", JOB_PENDING},
    {"RESIZING", SLURM_JOB_RUNNING}, {"SIGNALING", SLURM_JOB_RUNNING},
    {"STAGE_OUT", SLURM_JOB_RUNNING}, {"STOPPED", SLURM_JOB_RUNNING},
    {"REVOKED", JOB_CANCELLED}};

static const struct {
    const char *word;
    uint16_t reason;
} reasons[] = {{"Resources", SLURM_WAIT_RESOURCES}, {"Priority", SLURM_WAIT_PRIORITY},
    {"PartitionNodeLimit", WAIT_PART_NODE_LIMIT},
    {"PartitionTimeLimit", WAIT_PART_TIME_LIMIT}, {"PartitionDown", WAIT_PART_DOWN},
    {"PartitionInactive", WAIT_PART_INACTIVE}, {"ReqNodeNotAvail", WAIT_NODE_NOT_AVAIL},
    {"JobHeldAdmin", WAIT_HELD}, {"JobHeldUser", WAIT_HELD_USER},
    {"job_requeued_in_held_state", WAIT_HELD_USER},
    {"launch_failed_requeued_held", WAIT_HELD_USER}, {"BeginTime", WAIT_TIME},
    {"Licenses", WAIT_LICENSES}, {"DependencyNeverSatisfied", WAIT_DEP_INVALID},
    {"Dependency", SLURM_WAIT_DEPENDENCY},
    {"Reservation_", WAIT_RESV_DELETED}, /* "Reservation_r_was_deleted" */
    {"ReservationDeleted", WAIT_RESV_DELETED}, {"Reservation", SLURM_WAIT_RESERVATION},
    {"QOSNotAllowed", FAIL_QOS}, {"JobArrayTaskLimit", WAIT_ARRAY_TASK_LIMIT},
    {"BadConstraints", FAIL_BAD_CONSTRAINTS}, {"InvalidAccount", FAIL_ACCOUNT},
    {"InvalidQOS", FAIL_QOS}, {"QOS", WAIT_QOS}, {"Assoc", WAIT_QOS},
    {"Max", WAIT_QOS}};

static uint32_t state_of(const char *word)
{
    for (size_t i = 0; word != NULL && i < sizeof states / sizeof states[0]; i++)
        if (strcmp(states[i].word, word) == 0)
            return states[i].state;
    return JOB_CANCELLED;
}

static uint16_t reason_of(const char *word)
{
    for (size_t i = 0; word != NULL && i < sizeof reasons / sizeof reasons[0]; i++)
        if (strncmp(reasons[i].word, word, strlen(reasons[i].word)) == 0)
            return reasons[i].reason;
    return WAIT_OTHER;
}

static uint16_t index_of(const char *word, const char *const *words, uint16_t n)
{
    for (uint16_t i = 0; word != NULL && i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return NO_VAL16;
}

/* From 26.05 on two words say it: OverSubscribe=NO is then said of most jobs. */
static uint16_t sharing_of(const char *share, const char *alone)
{
    static const char *const shares[] = {"NO", "YES", "USER", "MCS", "TOPO"},
                             *const alones[] = {"NODE", "", "USER", "MCS", "TOPO"};
    uint16_t found = index_of(alone, alones, 5);

    if (alone == NULL || found != NO_VAL16)
        return alone == NULL ? index_of(share, shares, 5) : found;
    return index_of(share, shares, 2) == 1 ? 1 : NO_VAL16;
}

/* ---- processors by node: Nodes=n[1-2] CPU_IDs=0-3,6 Mem=.. ---- */

struct cpus_of {
    const char *node;
    int n;
    char *gres;
};

struct text_cpus {
    struct VEC(struct cpus_of) v;
};

static int compare_nodes(const void *a, const void *b)
{
    return strcmp(((const struct cpus_of *)a)->node, ((const struct cpus_of *)b)->node);
}

/* NULL: it has nothing there. */
static const struct cpus_of *find_cpus(const slurm_job_info_t *j, const char *node)
{
    const struct text_cpus *all = j->job_resrcs;
    const struct cpus_of key = {.node = node};

    return all != NULL && all->v.n > 0
               ? bsearch(&key, all->v.v, all->v.n, sizeof key, compare_nodes)
               : NULL;
}

void slurm_job_cpus(
    const slurm_job_info_t *j, const char *const *nodes, size_t n, int *ret)
{
    for (size_t i = 0; i < n; i++) {
        const struct cpus_of *found = find_cpus(j, nodes[i]);

        ret[i] = found != NULL ? found->n : 0;
    }
}

#define CPUS_MAX 65536 /* of a node */

static int count_ids(const char *ids)
{
    int n = 0;

    while (*ids) {
        char *stop;
        long first = strtol(ids, &stop, 10), last = first;

        if (stop == ids)
            break;
        if (*stop == '-')
            last = strtol(stop + 1, &stop, 10);
        if (first < 0 || last < first || last >= CPUS_MAX - n)
            break;
        n += (int)(last - first + 1);
        ids = *stop == ',' ? stop + 1 : stop;
    }
    return n;
}

static void read_cpus(
    const struct fields *f, slurm_job_info_t *j, struct text_room *room)
{
    for (size_t i = 0; i + 1 < f->v.n; i++) {
        hostlist_t hosts;
        char *host, *gres;

        if (strcmp(f->v.v[i].key, "*Nodes") != 0
            || strcmp(f->v.v[i + 1].key, "*CPU_IDs") != 0)
            continue;
        if (j->job_resrcs == NULL)
            j->job_resrcs = text_room_take(room, 1, sizeof *j->job_resrcs);
        gres = i + 3 < f->v.n && strcmp(f->v.v[i + 3].key, "*GRES") == 0
                   ? f->v.v[i + 3].value
                   : (char *)"";
        hosts = slurm_hostlist_create(f->v.v[i].value);
        while ((host = slurm_hostlist_shift(hosts)) != NULL) {
            vec_push(&room->blocks, host);
            vec_push(&j->job_resrcs->v,
                ((struct cpus_of){host, count_ids(f->v.v[i + 1].value), gres}));
        }
        slurm_hostlist_destroy(hosts);
    }
    if (j->job_resrcs == NULL)
        return;
    qsort(j->job_resrcs->v.v, j->job_resrcs->v.n, sizeof *j->job_resrcs->v.v,
        compare_nodes);
    vec_push(&room->blocks, j->job_resrcs->v.v);
}

/* Devices, node by node in the order of its nodes. */
static void read_devices(slurm_job_info_t *j, struct text_room *room)
{
    hostlist_t hosts =
        j->nodes && j->job_resrcs ? slurm_hostlist_create(j->nodes) : NULL;
    int n = hosts != NULL ? slurm_hostlist_count(hosts) : 0;
    char *host;

    if (hosts == NULL)
        return;
    j->gres_detail_str = text_room_take(room, (size_t)n, sizeof *j->gres_detail_str);
    while ((host = slurm_hostlist_shift(hosts)) != NULL) {
        const struct cpus_of *found = find_cpus(j, host);

        j->gres_detail_str[j->gres_detail_cnt++] = found != NULL ? found->gres : NULL;
        free(host);
    }
    slurm_hostlist_destroy(hosts);
}

/* ---- a record ---- */

/* "root(0)": the name becomes the text. */
static uint32_t number_in(char *text)
{
    char *open = text != NULL ? strrchr(text, '(') : NULL;
    uint32_t n = open != NULL ? (uint32_t)strtoul(open + 1, NULL, 10) : 0;

    if (open != NULL)
        *open = '\0';
    return n;
}

static uint32_t u32(const struct fields *f, const char *key, uint32_t none)
{
    return (uint32_t)field_number(f, key, none);
}

static uint16_t u16(const struct fields *f, const char *key, uint16_t none)
{
    return (uint16_t)field_number(f, key, none);
}

#define NODES_MANY 60000 /* as much as to say: no maximum */

static void read_amounts(const struct fields *f, slurm_job_info_t *j)
{
    const char *nodes = field_text(f, "NumNodes"), *dash;

    j->num_nodes = u32(f, "NumNodes", NO_VAL);
    dash = nodes != NULL ? strchr(nodes, '-') : NULL;
    j->max_nodes = dash != NULL ? (uint32_t)strtoul(dash + 1, NULL, 10) : 0;
    if (j->max_nodes >= NODES_MANY)
        j->max_nodes = 0;
    j->num_cpus = u32(f, "NumCPUs", NO_VAL);
    j->num_tasks = u32(f, "NumTasks", NO_VAL);
    j->cpus_per_task = u16(f, "CPUs/Task", NO_VAL16);
    j->ntasks_per_node = u16(f, "NtasksPerN:B:S:C", 0);
    j->ntasks_per_tres = u16(f, "NtasksPerTRES", 0);
    j->pn_min_cpus = u16(f, "MinCPUsNode", 0);
    j->pn_min_tmp_disk = (uint32_t)(field_text(f, "MinTmpDiskNode") != NULL
                                        ? field_mb(f, "MinTmpDiskNode")
                                        : 0);
    j->pn_min_memory = field_text(f, "MinMemoryCPU") != NULL
                           ? field_mb(f, "MinMemoryCPU") | MEM_PER_CPU
                           : field_mb(f, "MinMemoryNode");
    j->time_limit = field_minutes(f, "TimeLimit");
    j->time_min = field_minutes(f, "TimeMin");
    j->tres_per_job = field_text(f, "TresPerJob");
    j->tres_per_node = field_text(f, "TresPerNode");
    j->gres_total = field_text(f, "JOB_GRES");
    j->tres_req_str = field_text(f, "ReqTRES") != NULL ? field_text(f, "ReqTRES")
                                                       : field_text(f, "TRES");
    j->tres_per_socket = field_text(f, "TresPerSocket");
    j->tres_per_task = field_text(f, "TresPerTask");
    j->cpus_per_tres = field_text(f, "CpusPerTres");
    j->mem_per_tres = field_text(f, "MemPerTres");
    j->features = field_text(f, "Features");
    j->licenses = field_text(f, "Licenses");
    j->shared = sharing_of(field_text(f, "OverSubscribe"), field_text(f, "Exclusive"));
    j->contiguous = u16(f, "Contiguous", 0);
}

static void read_numbers(const struct fields *f, slurm_job_info_t *j)
{
    char *tasks = field_text(f, "ArrayTaskId");

    j->job_id = u32(f, "JobId", 0);
    j->array_job_id = u32(f, "ArrayJobId", 0);
    j->array_task_id = NO_VAL;
    if (tasks != NULL && tasks[strspn(tasks, "0123456789")] == '\0')
        j->array_task_id = (uint32_t)strtoul(tasks, NULL, 10);
    else
        j->array_task_str = tasks;
    j->array_max_tasks = u32(f, "ArrayTaskThrottle", 0);
    j->het_job_id = u32(f, "HetJobId", 0);
    j->het_job_offset = u32(f, "HetJobOffset", 0);
}

static void read_texts(const struct fields *f, slurm_job_info_t *j)
{
    j->name = field_text(f, "JobName");
    j->account = field_text(f, "Account");
    j->qos = field_text(f, "QOS");
    j->partition = field_text(f, "Partition");
    j->dependency = field_text(f, "Dependency");
    j->resv_name = field_text(f, "Reservation");
    j->req_nodes = field_text(f, "ReqNodeList");
    j->exc_nodes = field_text(f, "ExcNodeList");
    j->nodes = field_text(f, "NodeList");
    j->admin_comment = field_text(f, "AdminComment");
    j->comment = field_text(f, "Comment");
    j->command = field_text(f, "Command");
    j->work_dir = field_text(f, "WorkDir");
    j->std_out = field_text(f, "StdOut");
    j->std_err = field_text(f, "StdErr");
}

static void read_state(const struct fields *f, slurm_job_info_t *j)
{
    const char *reason = field_text(f, "Reason"), *code = field_text(f, "ExitCode"),
               *colon = code != NULL ? strchr(code, ':') : NULL;

    j->job_state = state_of(field_text(f, "JobState"));
    j->state_reason = reason_of(reason);
    if (reason != NULL && strcmp(reason, "None") == 0)
        reason = NULL;
    if (reason != NULL
        && (j->state_reason == WAIT_OTHER || j->state_reason == WAIT_QOS
            || strncmp(reason, "Reservation_", 12) == 0
            || strncmp(reason, "job_", 4) == 0 || strncmp(reason, "launch_", 7) == 0
            || strchr(reason, ',') != NULL))
        j->state_desc = (char *)reason;
    j->priority = u32(f, "Priority", 0);
    j->nice = NICE_OFFSET + (uint32_t)field_number(f, "Nice", 0);
    j->restart_cnt = u32(f, "Restarts", 0);
    j->requeue = u16(f, "Requeue", 0);
    j->exit_code =
        (u32(f, "ExitCode", 0) & 0xff) << 8
        | (colon != NULL ? (uint32_t)strtoul(colon + 1, NULL, 10) & 0x7f : 0);
    j->submit_time = field_time(f, "SubmitTime");
    j->eligible_time = field_time(f, "EligibleTime");
    j->start_time = field_time(f, "StartTime");
    j->end_time = field_time(f, "EndTime");
    j->deadline = field_time(f, "Deadline");
}

/* As in a site factor: what the gate said last, else what stands in the comment since
 * the submission or since we took the job back. */
static uint32_t mark_of(const slurm_job_info_t *j)
{
    uint32_t told = marks_of(j);
    const char *c = j->admin_comment, *own;

    if (told == MARKS_DOUBT)
        return 0;
    if (told != 0 || c == NULL)
        return told;
    if (strncmp(c, "maui:held", 9) == 0 || strcmp(c, "maui:admin") == 0)
        return 2;
    if (strncmp(c, "maui:", 5) != 0 && !asked_is_text(c)) /* behind the site's own */
        return strcmp(c, "go") == 0;
    own = strstr(c, ";priority=");
    return 1 + (own != NULL ? (uint32_t)strtoul(own + 10, NULL, 10) << 2 : 0);
}

#define ASK         "maui:mark"
#define COMMENT_MAX 1000 /* of the 1024 bytes that Slurm takes */
#define SILENT_S    60

/* Where the gate has not answered it is asked again later. */
struct gate_answers {
    bool any;
    time_t silent_at;
};

static struct gate_answers *the_gate(void)
{
    static struct gate_answers g;

    return &g;
}

static int write_comment(uint32_t job, const char *text, const char *behind)
{
    struct strbuf id = {0}, comment = {0};
    int result;

    strbuf_printf(&id, "jobid=%u", job);
    strbuf_printf(&comment, "admincomment=%s%s", text, behind);
    result = pipe_run(
        (const char *const[]){"scontrol", "update", id.text, comment.text, NULL});
    free(id.text);
    free(comment.text);
    return result;
}

/* By a comment that it knows: behind the site's own, which would be lost where there is
 * no gate. */
static int ask_gate(const slurm_job_info_t *j, const char *remark)
{
    struct strbuf b = {0};
    int result;

    if (remark != NULL)
        return write_comment(j->job_id, remark, " " ASK);
    strbuf_printf(&b, "update jobid=%u admincomment=" ASK, j->job_id);
    result = pipe_order(b.text);
    free(b.text);
    return result;
}

/* Of a job at priority 0 that says nothing of it the gate is asked; where that is not
 * there all is put back. */
static uint32_t mark_asked(const slurm_job_info_t *j)
{
    struct gate_answers *g = the_gate();
    uint32_t mark = mark_of(j);
    char *remark;

    if (mark != 0 || (j->job_state & JOB_STATE_BASE) != JOB_PENDING || j->priority != 0
        || time(NULL) - g->silent_at < SILENT_S)
        return mark;
    remark = asked_remark(j->admin_comment);
    if ((remark == NULL || strlen(remark) < COMMENT_MAX || g->any)
        && ask_gate(j, remark != NULL && strlen(remark) < COMMENT_MAX ? remark : NULL)
               == 0) {
        mark = marks_of(j);
        g->any = mark != 0 && mark != MARKS_DOUBT;
        g->silent_at = g->any ? 0 : time(NULL);
        if (!g->any)
            write_comment(
                j->job_id, j->admin_comment != NULL ? j->admin_comment : "", "");
    }
    free(remark);
    return mark == MARKS_DOUBT ? 0 : mark;
}

/* ---- the pieces of a record ---- */

static char *find_key(char *text, const char *key)
{
    return strstr(text, key);
}

static char *find_last(char *text, const char *end, const char *word)
{
    char *found = NULL;

    for (char *at = text; (at = strstr(at, word)) != NULL && at < end; at++)
        found = at;
    return found;
}

/* Where texts that users choose begin. NULL: there are none. */
static char *find_texts(char *facts)
{
    char *first = find_key(facts, " Network="), *at;
    bool network = first != NULL;

    for (size_t i = 0; !network && text_keys[i] != NULL; i++) {
        struct strbuf word = {0};

        strbuf_printf(&word, " %s=", text_keys[i]);
        at = strstr(facts, word.text);
        if (at != NULL && (first == NULL || at < first))
            first = at;
        free(word.text);
    }
    return first;
}

/* False: it is cut off. *ret_doubt: some text imitates fields. */
static bool read_pieces(char *line, struct fields *ret, bool *ret_doubt)
{
    char *name = find_key(line, " JobName="), *submit, *facts = NULL, *texts;
    struct strbuf sign = {0};

    strbuf_printf(&sign, " SubmitTime=%s", pipe_secret());
    submit = name != NULL ? strstr(name, sign.text) : NULL;
    free(sign.text);
    if (submit != NULL)
        facts = find_last(name, submit, " JobState=");
    if (facts == NULL)
        return false;
    texts = find_texts(submit);
    *name = *facts = '\0';
    if (texts != NULL)
        *texts = '\0';
    fields_of(line, which_keys, ret);
    fields_add(facts + 1, fact_keys, ret);
    ret->twice = ret->astray = false;
    fields_add(name + 1, whose_keys, ret);
    if (texts != NULL)
        fields_add(texts + 1, text_keys, ret);
    *ret_doubt = ret->twice || ret->astray;
    return true;
}

static bool read_job(struct fields *f, struct text_room *room, slurm_job_info_t *ret)
{
    *ret = (slurm_job_info_t){0};
    read_numbers(f, ret);
    ret->user_name = field_text(f, "UserId");
    ret->user_id = number_in(ret->user_name);
    ret->group_id = number_in(field_text(f, "GroupId"));
    read_texts(f, ret);
    read_amounts(f, ret);
    read_state(f, ret);
    read_cpus(f, ret, room);
    read_devices(ret, room);
    return ret->job_id != 0 && ret->user_name != NULL && ret->partition != NULL;
}

/* ---- where texts imitate fields ---- */

/* A column of squeue, for a name of `show job`. */
static const struct {
    const char *key, *column;
    int width;
} columns[] = {{"JobId", "JobID", 12}, {"UserId", "UserName", 80},
    {"UserId", "UserID", 12}, {"GroupId", "GroupName", 80}, {"GroupId", "GroupID", 12},
    {"JobName", "Name", 400}, {"Priority", "PriorityLong", 12}, {"Nice", "Nice", 12},
    {"Account", "Account", 400}, {"QOS", "QOS", 400}, {"Command", "Command", 400},
    {"WorkDir", "WorkDir", 1000}, {"AdminComment", "admin_comment", 2000},
    {"StdErr", "STDERR", 1000}, {"StdOut", "STDOUT", 1000},
    {"CpusPerTres", "cpus-per-tres", 400}, {"MemPerTres", "mem-per-tres", 400},
    {"TresPerJob", "tres-per-job", 400}, {"TresPerNode", "tres-per-node", 400},
    {"TresPerSocket", "tres-per-socket", 400}, {"TresPerTask", "tres-per-task", 400}};
#define COLUMNS (sizeof columns / sizeof columns[0])
#define SOME    500 /* jobs in one request */

struct doubted {
    uint32_t id;
    struct fields f; /* owned; as scontrol has them */
};
struct doubts VEC(struct doubted);

/* Columns of the jobs from v to stop; owned. */
static char *load_columns(const struct doubted *v, const struct doubted *stop)
{
    struct strbuf ids = {0}, format = {0};
    char *text;

    for (; v < stop; v++)
        strbuf_printf(&ids, "%s%u", ids.len ? "," : "", v->id);
    for (size_t i = 0; i < COLUMNS; i++)
        strbuf_printf(&format, "%s%s:%d%s", i ? "," : "", columns[i].column,
            columns[i].width, pipe_secret());
    text = pipe_output((const char *const[]){
        "squeue", "-h", "-a", "-t", "all", "-j", ids.text, "-O", format.text, NULL});
    free(ids.text);
    free(format.text);
    return text;
}

/* The next row into values, and behind it. NULL: there is none. */
static char *next_row(char *at, char *ret[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS && at != NULL; i++) {
        char *end = strstr(at, pipe_secret());

        ret[i] = at;
        if (end == NULL)
            return NULL;
        at = end + strlen(pipe_secret());
        do
            *end-- = '\0';
        while (end >= ret[i] && *end == ' ');
        for (char *eol = ret[i]; (eol = strchr(eol, '\n')) != NULL;)
            *eol = ' ';
    }
    return at;
}

/* In place of what scontrol said. "ann", "7": ann(7). */
static void put_columns(
    struct fields *io, char *const values[COLUMNS], struct text_room *room)
{
    for (size_t i = 1; i < COLUMNS; i++) {
        bool pair = i + 1 < COLUMNS && columns[i].key == columns[i + 1].key;
        struct strbuf b = {0};

        for (size_t k = 0; k < io->v.n;)
            if (strcmp(io->v.v[k].key, columns[i].key) == 0)
                vec_remove(&io->v, k);
            else
                k++;
        strbuf_add(&b, values[i]);
        if (pair)
            strbuf_printf(&b, "(%s)", values[++i]);
        vec_push(&room->blocks, b.text);
        vec_push(&io->v, ((struct field){columns[i].key, b.text}));
    }
}

struct jobs_read VEC(slurm_job_info_t);

/* Those of which squeue has something to say: else they are gone. -1 with errno: it
 * does not answer. */
static int read_doubted(struct doubted *v, struct doubted *stop, struct text_room *room,
    struct jobs_read *io)
{
    char *text = load_columns(v, stop), *values[COLUMNS];
    int error = errno;
    bool any = false;

    for (char *at = text; (at = next_row(at, values)) != NULL;) {
        uint32_t id = (uint32_t)strtoul(values[0] + strspn(values[0], "\n "), NULL, 10);
        slurm_job_info_t j;

        any = true;
        for (struct doubted *d = v; d < stop; d++) {
            if (d->id != id)
                continue;
            put_columns(&d->f, values, room);
            if (read_job(&d->f, room, &j))
                vec_push(io, j);
        }
    }
    if (text != NULL && !any)
        error = answer_error(*text != '\0' ? text : PIPE_SILENT);
    free(text);
    errno = error;
    return any || error == ESLURM_INVALID_JOB_ID ? 0 : -1;
}

static int read_all_doubted(
    struct doubts *d, struct text_room *room, struct jobs_read *io)
{
    int result = 0, error;

    for (size_t i = 0; i < d->n && result == 0; i += SOME)
        result = read_doubted(
            d->v + i, d->v + (i + SOME < d->n ? i + SOME : d->n), room, io);
    error = errno;
    for (size_t i = 0; i < d->n; i++)
        vec_fini(&d->v[i].f.v);
    vec_fini(d);
    errno = error;
    return result;
}

/* -1 with errno: squeue was asked for some of them, and does not answer. */
static int read_all(char *text, struct text_room *room, struct jobs_read *ret)
{
    struct records lines = {0};
    struct doubts doubts = {0};
    struct fields f = {0};
    slurm_job_info_t j;
    bool doubt;
    int result;

    if (records_of(text, &lines) < 0)
        return -1;
    if (lines.n > 0 && folders_ask() < 0) {
        vec_fini(&lines);
        return -1;
    }
    for (size_t i = 0; i < lines.n; i++) {
        if (!read_pieces(lines.v[i], &f, &doubt))
            continue;
        uint32_t id = (uint32_t)field_number(&f, "JobId", 0);
        if (doubt || folders_imitate(id)) {
            vec_push(&doubts, ((struct doubted){id, f}));
            f = (struct fields){0};
        } else if (read_job(&f, room, &j)) {
            vec_push(ret, j);
        }
    }
    result = read_all_doubted(&doubts, room, ret);
    vec_fini(&lines);
    vec_fini(&f.v);
    return result;
}

/* ---- loading ---- */

static int load(const char *command, time_t since, job_info_msg_t **ret)
{
    static uint64_t last; /* of what was told of all jobs */
    char *text = pipe_ask(command);
    struct jobs_read jobs = {0};
    uint64_t digest = 14695981039346656037u;
    job_info_msg_t *msg;

    if (text == NULL)
        return -1;
    for (const char *p = text; *p; p++)
        digest = (digest ^ (unsigned char)*p) * 1099511628211u;
    if (since != 0 && digest == last) {
        free(text);
        errno = SLURM_NO_CHANGE_IN_DATA;
        return -1;
    }
    msg = xcalloc(1, sizeof *msg);
    msg->room = xcalloc(1, sizeof *msg->room);
    vec_push(&msg->room->blocks, text);
    if (read_all(text, msg->room, &jobs) < 0) {
        int error = errno;

        vec_fini(&jobs);
        slurm_free_job_info_msg(msg);
        errno = error;
        return -1;
    }
    if (since != 0 || strchr(command, ' ') == strrchr(command, ' '))
        last = digest;
    msg->last_update = 1;
    msg->job_array = jobs.v;
    msg->record_count = (uint32_t)jobs.n;
    vec_push(&msg->room->blocks, jobs.v);
    for (uint32_t i = 0; i < msg->record_count; i++)
        jobs.v[i].site_factor = NICE_OFFSET + mark_asked(&jobs.v[i]);
    *ret = msg;
    return SLURM_SUCCESS;
}

int slurm_load_jobs(time_t since, job_info_msg_t **ret, uint16_t show)
{
    (void)show;
    if (load("show job", since, ret) < 0)
        return -1;
    memory_restore(*ret);
    marks_tidy(*ret);
    return SLURM_SUCCESS;
}

int slurm_load_job(job_info_msg_t **ret, uint32_t id, uint16_t show)
{
    struct strbuf b = {0};
    int result;

    (void)show;
    strbuf_printf(&b, "show job %u", id);
    result = load(b.text, 0, ret);
    free(b.text);
    if (result == 0 && (*ret)->record_count == 0) {
        slurm_free_job_info_msg(*ret);
        errno = ESLURM_INVALID_JOB_ID;
        return -1;
    }
    return result;
}

void slurm_free_job_info_msg(job_info_msg_t *msg)
{
    if (msg == NULL)
        return;
    room_free(msg->room);
    free(msg);
}
