/* SPDX-License-Identifier: Apache-2.0
 * What the adapter uses of Slurm's library, spoken through scontrol instead: the same
 * names, so that the rest of the adapter is one, but nothing of the library's own. For
 * sites where the library is not there or is of another release. Only members that the
 * adapter reads exist; what scontrol does not tell has the value for "not set".
 *
 * One scontrol lives as long as the adapter and reads commands from a pipe; its answers
 * are text. cancel is scancel's. A job cannot be submitted this way. */
#ifndef MAUI_RM_SLURM_TEXT_API_H
#define MAUI_RM_SLURM_TEXT_API_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define SLURM_SUCCESS 0
#define NO_VAL        0xfffffffeu
#define NO_VAL16      ((uint16_t)0xfffe)
#define NO_VAL64      0xfffffffffffffffeu
#define INFINITE      0xffffffffu
#define INFINITE16    ((uint16_t)0xffff)
#define NICE_OFFSET   0x80000000u
#define MEM_PER_CPU   0x8000000000000000u
#define CR_MEMORY     0x10

#define PRIVATE_DATA_JOBS         0x1
#define PRIVATE_DATA_NODES        0x2
#define PRIVATE_DATA_USAGE        0x8
#define PRIVATE_DATA_USERS        0x10
#define PRIVATE_DATA_ACCOUNTS     0x20
#define PRIVATE_DATA_RESERVATIONS 0x40
#define PRIVATE_CLOUD_NODES       0x80
#define ENFORCES_LIMITS           2

#define ALLOC_SID_USER_HOLD 1u
#define TAKES_NEW_JOBS      0 /* three commands, between which others may come */
#ifndef OWN_KEEP_OFF
#define OWN_KEEP_OFF 1 /* the stricter: it does not know which release it speaks to */
#endif
#ifndef UPDATE_TAKES_TASKS
#define UPDATE_TAKES_TASKS 0 /* a number, or that of one task */
#endif
#define UPDATE_TAKES_MARKS 0
/* "63+0" is a request for all components: of none scontrol takes a list of nodes, and
 * all are released by their leader's number. */
#define UPDATE_TAKES_PARTS 0
#define TELLS_TIME         0
#define TELLS_SWITCHES     0
#define SHOW_ALL           1
#define SHOW_DETAIL        2
#define SHOW_MIXED         4
#define SHOW_LOCAL         8
#define JOB_REQUEUE_HOLD   1

/* ---- states ---- */

enum {
    JOB_PENDING,
    SLURM_JOB_RUNNING,
    SLURM_JOB_SUSPENDED,
    JOB_COMPLETE,
    JOB_CANCELLED,
    JOB_FAILED,
    JOB_TIMEOUT,
    JOB_NODE_FAIL,
    JOB_PREEMPTED,
    JOB_BOOT_FAIL,
    JOB_DEADLINE,
    JOB_OOM
};
#define SHARED_FORCE          0x8000
#define RESERVE_FLAG_MAGNETIC 1u
#define RESERVE_FLAG_FLEX     2u
#define RESERVE_FLAG_MAINT    4u
#define RESERVE_FLAG_OVERLAP  8u

#define JOB_STATE_BASE  0xffu
#define JOB_COMPLETING  0x100u
#define JOB_CONFIGURING 0x200u

enum {
    NODE_STATE_UNKNOWN,
    NODE_STATE_DOWN,
    NODE_STATE_IDLE,
    NODE_STATE_ALLOCATED,
    NODE_STATE_ERROR,
    NODE_STATE_MIXED,
    NODE_STATE_FUTURE
};
#define NODE_STATE_BASE             0xffu
#define NODE_STATE_DRAIN            0x100u
#define NODE_STATE_COMPLETING       0x200u
#define NODE_STATE_FAIL             0x400u
#define NODE_STATE_MAINT            0x800u
#define NODE_STATE_REBOOT_REQUESTED 0x1000u
#define NODE_STATE_REBOOT_ISSUED    0x2000u
#define NODE_STATE_POWERING_DOWN    0x4000u
#define NODE_STATE_INVALID_REG      0x8000u
#define NODE_STATE_CLOUD            0x10000u
#define NODE_STATE_POWERED_DOWN     0x20000u

enum { PARTITION_DOWN, PARTITION_DRAIN, PARTITION_UP, PARTITION_INACTIVE };

/* Reasons why a job waits that somebody asks for. */
enum {
    WAIT_OTHER,
    SLURM_WAIT_RESOURCES,
    SLURM_WAIT_PRIORITY,
    WAIT_PART_NODE_LIMIT,
    WAIT_PART_TIME_LIMIT,
    WAIT_PART_DOWN,
    WAIT_PART_INACTIVE,
    WAIT_NODE_NOT_AVAIL,
    WAIT_HELD,
    WAIT_HELD_USER,
    WAIT_TIME,
    WAIT_LICENSES,
    SLURM_WAIT_DEPENDENCY,
    SLURM_WAIT_RESERVATION,
    WAIT_RESV_DELETED,
    WAIT_QOS,
    WAIT_ARRAY_TASK_LIMIT,
    FAIL_BAD_CONSTRAINTS,
    WAIT_DEP_INVALID,
    FAIL_ACCOUNT,
    FAIL_QOS
};

/* ---- errors: in errno ---- */

enum {
    SLURM_NO_CHANGE_IN_DATA = 1900,
    ESLURM_TEXT, /* whatever scontrol said */
    ESLURM_INVALID_JOB_ID,
    ESLURM_JOB_NOT_PENDING,
    ESLURM_ALREADY_DONE,
    ESLURM_JOB_FINISHED,
    ESLURM_TRANSITION_STATE_NO_UPDATE,
    ESLURM_IN_STANDBY_MODE,
    /* of jobs that Slurm does not requeue */
    ESLURM_DISABLED,
    ESLURM_BATCH_ONLY,
    /* of starts that are refused */
    ESLURM_JOB_HELD,
    ESLURM_NODES_BUSY,
    ESLURM_NODE_NOT_AVAIL,
    ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE,
    ESLURM_REQUESTED_NODES_NOT_IN_PARTITION,
    ESLURM_INVALID_NODE_NAME,
    ESLURM_PARTITION_DOWN,
    ESLURM_ACCOUNTING_POLICY,
    ESLURM_RESERVATION_ACCESS,
    ESLURM_RESERVATION_BUSY,
    ESLURM_RESERVATION_NOT_USABLE,
    ESLURM_RESERVATION_MAINT,
    SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR,
    SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR,
    SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH,
    SLURM_PROTOCOL_AUTHENTICATION_ERROR,
    SLURM_UNEXPECTED_MSG_ERROR,
    SLURM_COMMUNICATIONS_RECEIVE_ERROR,
    SLURM_COMMUNICATIONS_CONNECTION_ERROR,
    SLURM_COMMUNICATIONS_SEND_ERROR,
    SLURM_PROTOCOL_VERSION_ERROR,
    ESLURM_AUTH_CRED_INVALID
};
const char *slurm_strerror(int error);

/* ---- records; texts are owned by their message ---- */

struct text_cpus; /* processors of a job by node */

typedef struct {
    uint32_t job_id, array_job_id, array_task_id, array_max_tasks;
    uint32_t het_job_id, het_job_offset;
    uint32_t user_id, group_id;
    char *user_name, *name, *account, *qos, *partition, *array_task_str;
    uint32_t job_state, priority, site_factor, nice, restart_cnt, exit_code;
    uint16_t state_reason, requeue, shared, contiguous;
    char *state_desc, *admin_comment, *comment, *dependency, *resv_name;
    time_t submit_time, eligible_time, start_time, end_time, deadline;
    uint32_t req_switch, wait4switch; /* 0: not told */
    uint32_t time_limit, time_min, num_tasks, num_cpus, num_nodes, max_nodes,
        pn_min_tmp_disk;
    uint16_t cpus_per_task, ntasks_per_node, ntasks_per_tres, pn_min_cpus;
    uint64_t pn_min_memory;
    char *req_nodes, *exc_nodes, *nodes, *features, *licenses;
    char *prefer; /* scontrol does not print it */
    char *tres_per_job, *tres_per_node, *tres_per_socket, *tres_per_task;
    char *gres_total;
    char *tres_req_str; /* of a job that waits */
    char *cpus_per_tres, *mem_per_tres;
    uint32_t gres_detail_cnt;
    char **gres_detail_str; /* by node, in the order of `nodes` */
    char *command, *work_dir, *std_out, *std_err;
    struct text_cpus *job_resrcs; /* NULL = not told */
} slurm_job_info_t;

typedef struct {
    char *name, *arch, *features, *features_act, *gres, *partitions, *reason;
    uint32_t node_state, tmp_disk, weight;
    time_t slurmd_start_time; /* 0 = not known */
    uint16_t cpus, cpus_efctv;
    uint64_t real_memory, mem_spec_limit;
} node_info_t;

typedef struct {
    char *name, *qos_char;
    uint32_t max_time, default_time, max_cpus_per_node, grace_time;
    uint16_t max_share, state_up, priority_tier, over_time_limit;
} partition_info_t;

typedef struct {
    char *name, *node_list, *users, *accounts, *groups;
    time_t start_time, end_time;
    uint64_t flags;
} reserve_info_t;

typedef struct {
    char *name;
    uint32_t total;
} slurm_license_info_t;

typedef struct {
    char *job_submit_plugins, *priority_type, *sched_params, *preempt_type,
        *select_type;
    char *slurm_user_name, *version, *authinfo, *epilog, *job_comp_type, *schedtype;
    char *slurm_conf, *slurmctld_logfile, *slurmctld_params, *suspend_program,
        *accounting_storage_type, *accounting_storage_host,
        *accounting_storage_backup_host, *site_factor_plugin, *mcs_plugin, *plugindir;
    char *control_machine[2]; /* of several the first two */
    uint32_t control_cnt;
    time_t last_update, boot_time;
    uint16_t private_data, accounting_storage_enforce, over_time_limit, job_requeue;
    uint32_t slurm_user_id, min_job_age, max_array_sz;
    uint16_t select_type_param, msg_timeout, tcp_timeout, accounting_storage_port;
} slurm_conf_t;

struct text_room; /* what a message is made of */

typedef struct {
    time_t last_update;
    uint32_t record_count;
    slurm_job_info_t *job_array;
    struct text_room *room;
} job_info_msg_t;

typedef struct {
    time_t last_update;
    uint32_t record_count;
    node_info_t *node_array;
    struct text_room *room;
} node_info_msg_t;

typedef struct {
    time_t last_update;
    uint32_t record_count;
    partition_info_t *partition_array;
    struct text_room *room;
} partition_info_msg_t;

typedef struct {
    time_t last_update;
    uint32_t record_count;
    reserve_info_t *reservation_array;
    struct text_room *room;
} reserve_info_msg_t;

typedef struct {
    uint32_t num_lic;
    slurm_license_info_t *lic_array;
    struct text_room *room;
} license_info_msg_t;

void slurm_init(const char *conf);
void slurm_fini(void);
int slurm_load_ctl_conf(time_t since, slurm_conf_t **ret);
void slurm_free_ctl_conf(slurm_conf_t *c);
int slurm_load_jobs(time_t since, job_info_msg_t **ret, uint16_t show);
int slurm_load_job(job_info_msg_t **ret, uint32_t id, uint16_t show);
void slurm_free_job_info_msg(job_info_msg_t *msg);
/* Processors of a running job on each of its nodes, 0 where they are not told. */
void slurm_job_cpus(
    const slurm_job_info_t *j, const char *const *nodes, size_t n, int *ret);
static inline const char *slurm_conf_epilog(const slurm_conf_t *c)
{
    return c->epilog;
}
int slurm_load_node(time_t since, node_info_msg_t **ret, uint16_t show);
void slurm_free_node_info_msg(node_info_msg_t *msg);
int slurm_load_partitions(time_t since, partition_info_msg_t **ret, uint16_t show);
void slurm_free_partition_info_msg(partition_info_msg_t *msg);
void slurm_populate_node_partitions(
    node_info_msg_t *nodes, partition_info_msg_t *parts);
int slurm_load_licenses(time_t since, license_info_msg_t **ret, uint16_t show);
void slurm_free_license_info_msg(license_info_msg_t *msg);
int slurm_load_reservations(time_t since, reserve_info_msg_t **ret);
void slurm_free_reservation_info_msg(reserve_info_msg_t *msg);

/* ---- lists of hosts ---- */

typedef struct text_hosts *hostlist_t;
hostlist_t slurm_hostlist_create(const char *text);
int slurm_hostlist_push_host(hostlist_t list, const char *host);
int slurm_hostlist_count(hostlist_t list);
void slurm_hostlist_uniq(hostlist_t list); /* sorts it */
char *slurm_hostlist_shift(hostlist_t list);
char *slurm_hostlist_ranged_string_malloc(hostlist_t list);
void slurm_hostlist_destroy(hostlist_t list);

/* ---- orders ---- */

typedef struct {
    char *job_id_str, *req_nodes, *exc_nodes, *features, *partition, *admin_comment;
    uint32_t priority, site_factor, alloc_sid, min_nodes, max_nodes, num_tasks,
        time_limit, time_min;
    uint32_t wait4switch; /* not sent */
    time_t begin_time;    /* 0 = as it is */
    uint32_t nice; /* NO_VAL: it is at priority 0; else it has one, which stays */
} job_desc_msg_t;

typedef struct {
    uint32_t job_array_count;
    char **job_array_id;
    int *error_code;
} job_array_resp_msg_t; /* never made: what went wrong is the call's answer */

void slurm_init_job_desc_msg(job_desc_msg_t *m);
int slurm_update_job2(job_desc_msg_t *m, job_array_resp_msg_t **ret);
void slurm_free_job_array_resp(job_array_resp_msg_t *answers);
int slurm_kill_job2(const char *id, uint16_t sig, uint16_t flags, const char *sibling);
int slurm_suspend2(char *id, job_array_resp_msg_t **ret);
int slurm_resume2(char *id, job_array_resp_msg_t **ret);
int slurm_requeue2(char *id, uint32_t flags, job_array_resp_msg_t **ret);

#endif
