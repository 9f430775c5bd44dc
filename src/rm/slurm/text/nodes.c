/* SPDX-License-Identifier: Apache-2.0
 * Nodes, partitions, reservations, licences and slurm.conf, as scontrol shows them. */
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const node_keys[] = {"NodeName", "Arch", "CoresPerSocket",
    "CPUAlloc", "CPUEfctv", "CPUErr", "CPUTot", "CPULoad", "AvailableFeatures",
    "ActiveFeatures", "Gres", "GresDrain", "GresUsed", "NodeAddr", "NodeHostName",
    "Port", "Version", "OS", "RealMemory", "AllocMem", "FreeMem", "Sockets", "Boards",
    "MemSpecLimit", "CoreSpecCount", "CPUSpecList", "State", "ThreadsPerCore",
    "TmpDisk", "Weight", "Owner", "MCS_label", "NextState", "Partitions", "BootTime",
    "SlurmdStartTime", "LastBusyTime", "ResumeAfterTime", "CfgTRES", "AllocTRES",
    "CapWatts", "CurrentWatts", "AveWatts", "ExtSensorsJoules", "Reason", "Comment",
    NULL};
static const char *const part_keys[] = {"PartitionName", "AllowGroups", "AllowAccounts",
    "AllowQos", "AllocNodes", "Default", "QoS", "DefaultTime", "DisableRootJobs",
    "ExclusiveUser", "GraceTime", "Hidden", "MaxNodes", "MaxTime", "MinNodes", "LLN",
    "MaxCPUsPerNode", "Nodes", "PriorityJobFactor", "PriorityTier", "RootOnly",
    "ReqResv", "OverSubscribe", "OverTimeLimit", "PreemptMode", "State", "TotalCPUs",
    "TotalNodes", "SelectTypeParameters", "JobDefaults", "DefMemPerNode",
    "DefMemPerCPU", "MaxMemPerNode", "MaxMemPerCPU", "TRES", NULL};
static const char *const rsv_keys[] = {"ReservationName", "StartTime", "EndTime",
    "Duration", "*Nodes", "NodeCnt", "CoreCnt", "Features", "PartitionName", "Flags",
    "NodeName", "CoreIDs", "TRES", "Users", "Groups", "Accounts", "Licenses", "State",
    "BurstBuffer", "Watts", "MaxStartDelay", "Comment", NULL};
static const char *const lic_keys[] = {
    "LicenseName", "Total", "Used", "Free", "Reserved", "Remote", NULL};

/* The lines of a listing, each as fields, `size` bytes of a record each; NULL: errno.
 */
typedef void read_fn(const struct fields *f, void *record);

static void *listing(const char *command, const char *const *keys, size_t size,
    read_fn *read, struct text_room **ret_room, uint32_t *ret_n)
{
    char *text = pipe_ask(command), *at = text, *line;
    struct fields f = {0};
    char *records;
    size_t lines = 1;

    if (text == NULL)
        return NULL;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    *ret_room = xcalloc(1, sizeof **ret_room);
    *ret_n = 0;
    records = text_room_take(*ret_room, lines, size);
    vec_push(&(*ret_room)->blocks, text);
    while ((line = next_line(&at)) != NULL) {
        size_t n = strlen(keys[0]);

        if (strncmp(line, keys[0], n) != 0 || line[n] != '=')
            continue;
        fields_of(line, keys, &f);
        if (field_text(&f, keys[0]) == NULL)
            continue;
        read(&f, records + *ret_n * size);
        ++*ret_n;
    }
    vec_fini(&f.v);
    return records;
}

/* ---- nodes ---- */

static uint32_t node_state_of(char *text)
{
    static const struct {
        const char *word;
        uint32_t base, flag;
    } words[] = {{"DOWN", NODE_STATE_DOWN, 0}, {"IDLE", NODE_STATE_IDLE, 0},
        {"ALLOCATED", NODE_STATE_ALLOCATED, 0}, {"MIXED", NODE_STATE_MIXED, 0},
        {"ERROR", NODE_STATE_ERROR, 0}, {"FUTURE", NODE_STATE_FUTURE, 0},
        {"DRAIN", 0, NODE_STATE_DRAIN}, {"COMPLETING", 0, NODE_STATE_COMPLETING},
        {"FAIL", 0, NODE_STATE_FAIL}, {"MAINTENANCE", 0, NODE_STATE_MAINT},
        {"MAINT", 0, NODE_STATE_MAINT}, {"REBOOT", 0, NODE_STATE_REBOOT_REQUESTED},
        {"REBOOT_REQUESTED", 0, NODE_STATE_REBOOT_REQUESTED},
        {"REBOOT_ISSUED", 0, NODE_STATE_REBOOT_ISSUED},
        {"POWERING_DOWN", 0, NODE_STATE_POWERING_DOWN},
        {"INVALID_REG", 0, NODE_STATE_INVALID_REG}, {"CLOUD", 0, NODE_STATE_CLOUD},
        {"POWERED_DOWN", 0, NODE_STATE_POWERED_DOWN}};
    uint32_t state = NODE_STATE_UNKNOWN;
    char *save = NULL;

    for (char *word = text ? strtok_r(text, "+", &save) : NULL; word != NULL;
         word = strtok_r(NULL, "+", &save)) {
        word[strcspn(word, "*~#!%$@^-")] = '\0';
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strcmp(words[i].word, word) == 0)
                state = words[i].base ? (state & ~NODE_STATE_BASE) | words[i].base
                                      : state | words[i].flag;
    }
    return state;
}

static uint64_t mb_of(const struct fields *f, const char *key)
{
    uint64_t mb = field_mb(f, key);

    return mb == NO_VAL64 ? 0 : mb;
}

/* Without who wrote it and when: " [root@2026-11-27T19:00:00]". */
static char *reason_of(const struct fields *f)
{
    char *text = field_text(f, "Reason"), *at = NULL;

    for (char *p = text; p != NULL && (p = strstr(p, " [")) != NULL; p++)
        at = p;
    if (at != NULL && strchr(at, '@') != NULL)
        *at = '\0';
    return text;
}

static void read_node(const struct fields *f, void *record)
{
    node_info_t *n = record;

    n->name = field_text(f, "NodeName");
    n->arch = field_text(f, "Arch");
    n->features = field_text(f, "AvailableFeatures");
    n->features_act = field_text(f, "ActiveFeatures");
    n->gres = field_text(f, "Gres");
    n->partitions = field_text(f, "Partitions");
    n->reason = reason_of(f);
    n->node_state = node_state_of(field_text(f, "State"));
    n->slurmd_start_time = field_time(f, "SlurmdStartTime");
    n->cpus = (uint16_t)field_number(f, "CPUTot", 0);
    n->cpus_efctv = (uint16_t)field_number(f, "CPUEfctv", 0);
    n->real_memory = mb_of(f, "RealMemory");
    n->mem_spec_limit = mb_of(f, "MemSpecLimit");
    n->tmp_disk = (uint32_t)field_number(f, "TmpDisk", 0);
    n->weight = (uint32_t)field_number(f, "Weight", 1);
}

int slurm_load_node(time_t since, node_info_msg_t **ret, uint16_t show)
{
    node_info_msg_t *m = xcalloc(1, sizeof *m);

    (void)since;
    (void)show;
    m->node_array = listing("show node", node_keys, sizeof *m->node_array, read_node,
        &m->room, &m->record_count);
    m->last_update = 1;
    *ret = m;
    if (m->node_array != NULL)
        return SLURM_SUCCESS;
    free(m);
    return -1;
}

void slurm_free_node_info_msg(node_info_msg_t *m)
{
    if (m != NULL)
        room_free(m->room);
    free(m);
}

/* They tell their partitions themselves. */
void slurm_populate_node_partitions(node_info_msg_t *nodes, partition_info_msg_t *parts)
{
    (void)nodes;
    (void)parts;
}

/* ---- partitions ---- */

/* "NONE", "UNLIMITED", "5", "5 min". */
static uint16_t overtime(const char *text)
{
    if (text != NULL && strncmp(text, "UNLIMITED", 9) == 0)
        return INFINITE16;
    return text != NULL && *text >= '0' && *text <= '9'
               ? (uint16_t)strtoul(text, NULL, 10)
               : NO_VAL16;
}

/* "NO", "EXCLUSIVE", "YES:4", "FORCE:2". */
static uint16_t shares(const char *text)
{
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    unsigned long n = colon != NULL ? strtoul(colon + 1, NULL, 10) : 1;
    bool force = text != NULL && strncmp(text, "FORCE", 5) == 0;

    if (text != NULL && strcmp(text, "EXCLUSIVE") == 0)
        return 0;
    return (uint16_t)((n > 0 && n < SHARED_FORCE ? n : 1) | (force ? SHARED_FORCE : 0));
}

static void read_part(const struct fields *f, void *record)
{
    partition_info_t *p = record;
    const char *state = field_text(f, "State"), *share = field_text(f, "OverSubscribe");

    p->name = field_text(f, "PartitionName");
    p->qos_char = field_text(f, "QoS");
    p->max_time = field_minutes(f, "MaxTime");
    p->default_time = field_minutes(f, "DefaultTime");
    p->max_cpus_per_node = (uint32_t)field_number(f, "MaxCPUsPerNode", 0);
    p->grace_time = (uint32_t)field_number(f, "GraceTime", 0);
    p->over_time_limit = overtime(field_text(f, "OverTimeLimit"));
    p->priority_tier = (uint16_t)field_number(f, "PriorityTier", 1);
    p->max_share = shares(share);
    p->state_up = state == NULL                    ? PARTITION_INACTIVE
                  : strcmp(state, "UP") == 0       ? PARTITION_UP
                  : strcmp(state, "DRAIN") == 0    ? PARTITION_DRAIN
                  : strcmp(state, "INACTIVE") == 0 ? PARTITION_INACTIVE
                                                   : PARTITION_DOWN;
}

int slurm_load_partitions(time_t since, partition_info_msg_t **ret, uint16_t show)
{
    static uint64_t last;
    uint64_t digest = 14695981039346656037u;
    partition_info_msg_t *m = xcalloc(1, sizeof *m);

    (void)show;
    m->partition_array = listing("show partition", part_keys,
        sizeof *m->partition_array, read_part, &m->room, &m->record_count);
    m->last_update = 1;
    *ret = m;
    if (m->partition_array == NULL) {
        free(m);
        return -1;
    }
    for (uint32_t i = 0; i < m->record_count; i++) {
        const partition_info_t *p = &m->partition_array[i];
        for (const char *c = p->name; c != NULL && *c; c++)
            digest = (digest ^ (unsigned char)*c) * 1099511628211u;
        digest = (digest ^ p->max_time) * 1099511628211u;
        digest = (digest ^ p->default_time) * 1099511628211u;
        digest = (digest ^ p->max_cpus_per_node) * 1099511628211u;
        digest = (digest ^ p->priority_tier) * 1099511628211u;
        digest = (digest ^ p->over_time_limit) * 1099511628211u;
        digest = (digest ^ p->grace_time) * 1099511628211u;
        digest = (digest ^ (p->state_up * 65536u + p->max_share)) * 1099511628211u;
    }
    if (since == 0 || digest != last) {
        last = digest;
        return SLURM_SUCCESS;
    }
    slurm_free_partition_info_msg(m);
    *ret = NULL;
    errno = SLURM_NO_CHANGE_IN_DATA;
    return -1;
}

void slurm_free_partition_info_msg(partition_info_msg_t *m)
{
    if (m != NULL)
        room_free(m->room);
    free(m);
}

/* ---- reservations ---- */

static uint64_t read_flags(const char *text)
{
    static const struct {
        const char *word;
        uint64_t flag;
    } words[] = {{"MAGNETIC", RESERVE_FLAG_MAGNETIC}, {"FLEX", RESERVE_FLAG_FLEX},
        {"MAINT", RESERVE_FLAG_MAINT}, {"OVERLAP", RESERVE_FLAG_OVERLAP}};
    uint64_t flags = 0;

    for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i].word))
            flags |= words[i].flag;
    return flags;
}

static void read_reservation(const struct fields *f, void *record)
{
    reserve_info_t *r = record;

    r->name = field_text(f, "ReservationName");
    r->start_time = field_time(f, "StartTime");
    r->end_time = field_time(f, "EndTime");
    r->node_list = field_text(f, "*Nodes");
    r->users = field_text(f, "Users");
    r->accounts = field_text(f, "Accounts");
    r->groups = field_text(f, "Groups");
    r->flags = read_flags(field_text(f, "Flags"));
}

int slurm_load_reservations(time_t since, reserve_info_msg_t **ret)
{
    reserve_info_msg_t *m = xcalloc(1, sizeof *m);

    (void)since;
    m->reservation_array = listing("show reservation", rsv_keys,
        sizeof *m->reservation_array, read_reservation, &m->room, &m->record_count);
    m->last_update = 1;
    *ret = m;
    if (m->reservation_array != NULL)
        return SLURM_SUCCESS;
    free(m);
    return -1;
}

void slurm_free_reservation_info_msg(reserve_info_msg_t *m)
{
    if (m != NULL)
        room_free(m->room);
    free(m);
}

/* ---- licences ---- */

static void read_licence(const struct fields *f, void *record)
{
    slurm_license_info_t *l = record;

    l->name = field_text(f, "LicenseName");
    l->total = (uint32_t)field_number(f, "Total", 0);
}

int slurm_load_licenses(time_t since, license_info_msg_t **ret, uint16_t show)
{
    license_info_msg_t *m = xcalloc(1, sizeof *m);

    (void)since;
    (void)show;
    m->lic_array = listing("show license", lic_keys, sizeof *m->lic_array, read_licence,
        &m->room, &m->num_lic);
    *ret = m;
    if (m->lic_array != NULL)
        return SLURM_SUCCESS;
    free(m);
    return -1;
}

void slurm_free_license_info_msg(license_info_msg_t *m)
{
    if (m != NULL)
        room_free(m->room);
    free(m);
}

/* ---- slurm.conf ---- */

/* "Name   = value": a copy of the value. */
static char *read_setting(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (; text != NULL && *text; text = strchr(text, '\n')) {
        const char *at;

        text += *text == '\n';
        at = text + n + (strncmp(text, name, n) == 0 ? strspn(text + n, " ") : 0);
        if (strncmp(text, name, n) != 0 || *at != '=')
            continue;
        at += 1 + strspn(at + 1, " ");
        return strncmp(at, "(null)", 6) == 0 ? NULL : xstrndup(at, strcspn(at, "\n"));
    }
    return NULL;
}

static uint32_t setting_number(const char *text, const char *name)
{
    char *value = read_setting(text, name);
    const char *open = value != NULL ? strchr(value, '(') : NULL;
    uint32_t n = value == NULL
                     ? 0
                     : (uint32_t)strtoul(open != NULL ? open + 1 : value, NULL, 10);

    free(value);
    return n;
}

static bool has_word(const char *text, const char *name, const char *word)
{
    char *value = read_setting(text, name);
    bool has = value != NULL && strstr(value, word) != NULL;

    free(value);
    return has;
}

static uint16_t read_private_data(const char *text)
{
    static const struct {
        const char *word;
        uint16_t bit;
    } kinds[] = {{"jobs", PRIVATE_DATA_JOBS}, {"nodes", PRIVATE_DATA_NODES},
        {"usage", PRIVATE_DATA_USAGE}, {"users", PRIVATE_DATA_USERS},
        {"accounts", PRIVATE_DATA_ACCOUNTS},
        {"reservations", PRIVATE_DATA_RESERVATIONS}, {"cloud", PRIVATE_CLOUD_NODES},
        {"all", 0xff & ~PRIVATE_CLOUD_NODES}};
    uint16_t bits = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_word(text, "PrivateData", kinds[i].word))
            bits |= kinds[i].bit;
    return bits;
}

/* "SlurmctldHost[1]  = head2(10.0.0.2)" */
static void read_controllers(const char *text, slurm_conf_t *c)
{
    static const char *const names[] = {"SlurmctldHost[0]", "SlurmctldHost[1]"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *value = read_setting(text, names[i]);

        if (value != NULL)
            c->control_machine[c->control_cnt++] = xstrndup(value, strcspn(value, "("));
        free(value);
    }
}

/* "Configuration data as of 1795530281" */
static const char *since_text(const char *text)
{
    static const char words[] = "Configuration data as of ";

    return strncmp(text, words, strlen(words)) == 0 ? text + strlen(words) : "";
}

int slurm_load_ctl_conf(time_t since, slurm_conf_t **ret)
{
    char *text = pipe_ask("show config"), *param;
    slurm_conf_t *c;

    (void)since;
    if (text == NULL)
        return -1;
    c = xcalloc(1, sizeof *c);
    c->job_submit_plugins = read_setting(text, "JobSubmitPlugins");
    c->priority_type = read_setting(text, "PriorityType");
    c->sched_params = read_setting(text, "SchedulerParameters");
    c->preempt_type = read_setting(text, "PreemptType");
    c->select_type = read_setting(text, "SelectType");
    c->slurm_user_name = read_setting(text, "SlurmUser");
    c->version = read_setting(text, "SLURM_VERSION");
    c->authinfo = read_setting(text, "AuthInfo");
    c->epilog = read_setting(text, "Epilog");
    if (c->epilog == NULL)
        c->epilog = read_setting(text, "Epilog[0]"); /* later releases run several */
    c->job_comp_type = read_setting(text, "JobCompType");
    c->schedtype = read_setting(text, "SchedulerType");
    c->slurm_conf = read_setting(text, "SLURM_CONF");
    c->slurmctld_logfile = read_setting(text, "SlurmctldLogFile");
    c->slurmctld_params = read_setting(text, "SlurmctldParameters");
    c->suspend_program = read_setting(text, "SuspendProgram");
    c->accounting_storage_type = read_setting(text, "AccountingStorageType");
    c->accounting_storage_host = read_setting(text, "AccountingStorageHost");
    c->accounting_storage_backup_host =
        read_setting(text, "AccountingStorageBackupHost");
    c->site_factor_plugin = read_setting(text, "PrioritySiteFactorPlugin");
    c->mcs_plugin = read_setting(text, "MCSPlugin");
    c->plugindir = read_setting(text, "PluginDir");
    c->job_requeue = (uint16_t)setting_number(text, "JobRequeue");
    read_controllers(text, c);
    c->private_data = read_private_data(text);
    c->accounting_storage_enforce =
        has_word(text, "AccountingStorageEnforce", "limits") ? ENFORCES_LIMITS : 0;
    param = read_setting(text, "BOOT_TIME");
    c->boot_time = param != NULL ? instant_of(param) : 0;
    free(param);
    c->last_update = instant_of(since_text(text));
    c->slurm_user_id = setting_number(text, "SlurmUser");
    c->min_job_age = setting_number(text, "MinJobAge");
    c->max_array_sz = setting_number(text, "MaxArraySize");
    c->msg_timeout = (uint16_t)setting_number(text, "MessageTimeout");
    c->tcp_timeout = (uint16_t)setting_number(text, "TCPTimeout");
    c->accounting_storage_port =
        (uint16_t)setting_number(text, "AccountingStoragePort");
    param = read_setting(text, "OverTimeLimit");
    c->over_time_limit = overtime(param);
    free(param);
    param = read_setting(text, "SelectTypeParameters");
    c->select_type_param = param != NULL && strstr(param, "MEMORY") ? CR_MEMORY : 0;
    free(param);
    free(text);
    *ret = c;
    if (c->priority_type != NULL && c->select_type != NULL)
        return SLURM_SUCCESS;
    slurm_free_ctl_conf(c);
    errno = SLURM_COMMUNICATIONS_RECEIVE_ERROR;
    return -1;
}

void slurm_free_ctl_conf(slurm_conf_t *c)
{
    if (c == NULL)
        return;
    free(c->job_submit_plugins);
    free(c->priority_type);
    free(c->sched_params);
    free(c->preempt_type);
    free(c->select_type);
    free(c->slurm_user_name);
    free(c->version);
    free(c->authinfo);
    free(c->epilog);
    free(c->job_comp_type);
    free(c->schedtype);
    free(c->slurm_conf);
    free(c->slurmctld_logfile);
    free(c->slurmctld_params);
    free(c->suspend_program);
    free(c->accounting_storage_type);
    free(c->accounting_storage_host);
    free(c->accounting_storage_backup_host);
    free(c->site_factor_plugin);
    free(c->mcs_plugin);
    free(c->plugindir);
    for (uint32_t i = 0; i < c->control_cnt; i++)
        free(c->control_machine[i]);
    free(c);
}
