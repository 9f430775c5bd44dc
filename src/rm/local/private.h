/* SPDX-License-Identifier: Apache-2.0
 * What the files of the local resource manager's driver share. */
#ifndef MAUI_RM_LOCAL_PRIVATE_H
#define MAUI_RM_LOCAL_PRIVATE_H

#include "base/hash.h"
#include "base/vec.h"
#include "rm/local/local.h"
#include "rm/local/record.h"
#include "rm/local/request.h"
#include "rm/local/writer.h"

#include <sys/types.h>

#define LOCAL_ID_MAX   64   /* letters of a job's id */
#define START_SLACK_MS 5000 /* for a keeper to say that a start has taken too long */

/* Where a job is; see local.h for what its folder looks like. */
enum phase {
    PHASE_SUBMITTED, /* not on the disk yet */
    PHASE_WAITING,
    PHASE_STARTING, /* a keeper was begun and has not answered */
    PHASE_RUNNING,
    PHASE_CLEANING, /* as RUNNING, but its keeper died and another cleans up */
    PHASE_ENDED
};

/* A command with copies of what it points to. */
struct command {
    struct rm_command cmd;
    struct run places; /* only its places */
    char *text;
};

struct local_job {
    char *id;
    struct local *local;
    struct request *request;
    enum phase phase;
    struct state state;
    struct run run;
    struct end end;
    double cpu_s;                     /* so far; < 0 = unknown */
    int64_t mem_mb, swap_mb, disk_mb; /* most so far; < 0 = unknown */
    bool writing;                     /* a record of it is on its way to the disk */
    bool news;                        /* its end was told while it was starting */
    bool damaged;                     /* its folder is kept for somebody to look at */
    bool found;                       /* a daemon before this one began its run */
    bool settled;                     /* accounted for: its folder may go */
    bool told;                        /* reported once: changes are told from now on */
    bool takes; /* processors of its nodes are counted as in use by it */
    unsigned cleanings;
    unsigned looks;      /* at a start of which no answer will come */
    uint64_t unanswered; /* the start's token, if its keeper fell silent */
    int64_t began_at;    /* as told last: a clock may be set */
    struct VEC(struct command *) later; /* until it is neither starting nor writing */
    struct start *start;                /* while STARTING or CLEANING begins */
    int pidfd;                          /* of its keeper, or -1 */
    sd_event_source *keeper, *timer;
    UT_hash_handle hh;
};

struct local_node {
    char *name;
    struct res cfg;
    int64_t used; /* processors of running jobs */
    UT_hash_handle hh;
};

/* A command that a keeper has been told and has not answered. */
struct asked {
    uint64_t serial; /* the token on the wire */
    uint64_t token;  /* 0 = nobody waits: a look at the usage */
    enum rm_action action;
    struct local_job *job;
    int64_t at_us;
};

struct health {
    const char *function;
    char *text; /* owned: what was told last; NULL = it works */
};
#define LOCAL_FUNCTIONS 10

struct local {
    struct rm rm;
    sd_event *loop;
    struct rm_sink sink;
    char *path; /* of the spool */
    char **keeper;
    char *cgroup; /* to make groups in, or NULL */
    char *pam;    /* service to open sessions of, or NULL */
    int64_t grace_ms, keep_s, poll_ms, start_ms;
    char boot[40]; /* this one, as procs_boot() names it */
    int spool, jobs_dir, fresh_dir, news_dir, lock, control; /* descriptors */
    struct writer *writer;
    struct local_job *jobs;
    struct local_node *nodes;
    bool machine_is_node;     /* the one node is the machine: its load is the node's */
    int64_t last_id, safe_id; /* taken; on the disk as taken */
    bool synced, lost;        /* lost: the spool has gone */
    bool keeps;               /* KEEPTIME is given: folders stay for it in any case */
    struct VEC(char *) over;  /* ids of settled jobs whose folders are to go */
    bool counting;            /* the counter is being written */
    struct VEC(char *) trash; /* folders in `fresh_dir` that go bit by bit */
    struct VEC(char *) names; /* of folders still to be looked at */
    struct VEC(struct child *) children; /* keepers begun by this daemon */
    size_t names_done;
    struct VEC(struct asked) asked;
    uint64_t serial;
    struct health health[LOCAL_FUNCTIONS];
    sd_event_source *scan, *news, *gone, *answers, *patience, *purge;
};

/* local.c */
int64_t local_now(void);
void local_report(struct local *l, struct rm_report *r);
void local_done(struct local *l, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text);
/* Say that a function works or, with `text`, does not; only when that is news. */
void local_health(struct local *l, const char *function, const char *text);
/* A millisecond timer that fires once. */
int local_timer(struct local *l, sd_event_source **source, int64_t ms,
    sd_event_time_handler_t handler, void *ctx);

/* ljob.c: the table of jobs, and what their folders say */
struct local_job *ljob_new(struct local *l, const char *id);
void ljob_free(struct local_job *j);
struct local_job *ljob_find(struct local *l, const char *id);
/* Derive everything from the folder. -1 when it holds no readable request. */
int ljob_load(struct local_job *j, struct err *err);
/* Look whether it has ended, and tell. */
void ljob_look(struct local_job *j);
void ljob_report(struct local_job *j);
/* Has a clock been set since it was told when it began? Then that is told anew. */
void ljob_look_at_clock(struct local_job *j);
/* Its processors are in use as long as it is active and not suspended. */
void ljob_account(struct local_job *j);
/* It runs: its places are taken, its keeper is watched; told. */
void ljob_runs(struct local_job *j, pid_t keeper);
/* Its keeper could not be watched: try again soon. */
void ljob_watch_again(struct local_job *j);
/* Go on with what was put off, if the job is free for it. */
void ljob_next(struct local_job *j);
bool ljob_is_active(const struct local_job *j);
int ljob_open_folder(const struct local_job *j, struct err *err);

/* start.c */
/* Begin a keeper for j->run (run.clean: a cleaning one). -1 = it could not be begun. */
int start_keeper(struct local_job *j, uint64_t token, struct err *err);
void start_free(struct start *s);
/* What has become of a start whose keeper fell silent is known now: answered. */
void start_settle(struct local_job *j);
/* The job shall not begin: the keeper is told, and answers that it did not. */
void start_give_up(struct local_job *j);
/* Watch our own keepers no longer; they go on. */
void start_forget_children(struct local *l);

/* commands.c */
int local_command(struct rm *rm, const struct rm_command *cmd, struct err *err);
void command_run(struct local_job *j, const struct command *c);
void command_free(struct command *c);

/* control.c: talking with keepers */
int control_open(struct local *l, struct err *err);
void control_close(struct local *l);
/* Tell the job's keeper; RM_DONE for the token comes later. */
void control_tell(struct local_job *j, enum rm_action action, uint64_t token,
    const char *verb, const char *argument);
void control_usage(struct local_job *j);
/* End the process that keeps the job, whatever it hangs in; another cleans up. */
void control_kill(struct local_job *j);
/* Tell it without waiting for an answer. -1 = it cannot be told. */
int control_say(struct local_job *j, const char *verb, const char *argument);
/* The job has ended: nobody will answer any more. */
void control_forget(struct local_job *j);

/* submit.c */
int local_submit(struct rm *rm, const struct rm_submission *s, struct err *err);
int local_take_id(struct rm *rm, char *ret_id, size_t size, struct err *err);
bool id_is_valid(const char *id);
int64_t id_number(const char *id); /* the digits it begins with, 0 = none */

/* spool.c */
int spool_open(struct local *l, struct err *err);
void spool_close(struct local *l);
void local_settled(struct rm *rm, const char *job);
/* Has it gone? Said once. */
void spool_check(struct local *l);
/* One that had gone may be there again: then all over. Frees all jobs. */
void spool_return(struct local *l);

/* nodes.c */
int nodes_open(struct local *l, const struct rm_cfg *cfg, struct err *err);
void nodes_close(struct local *l);
void nodes_report(struct local *l);
void nodes_forget(struct local *l); /* that anything runs on them */
bool nodes_have(const struct local *l, const char *name);
/* The job's processors come into use, or are free again; told, once synced. */
void nodes_take(struct local *l, const struct local_job *j, int sign);

#endif
