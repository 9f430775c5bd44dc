/* SPDX-License-Identifier: Apache-2.0
 * Resource managers behind one interface: who knows the nodes and the jobs, and carries
 * out what the scheduler decides.
 *
 * Nothing here blocks. A driver lives on the caller's event loop (its file
 * descriptors, timers and children are sources there), tells what it knows through a
 * sink, and answers each command later by its token. The resource manager is the
 * truth: a driver reports what is, not what the scheduler wished.
 *
 * Order of reports: after open() all nodes, its reservations, the limits and the rights
 * that it keeps, and all jobs, then RM_SYNCED; from then on
 * only what is new or has changed. When a connection was lost and found again, all
 * over: jobs and nodes not told before the next RM_SYNCED are gone. Nothing is reported
 * before open() has returned; a sink must not call close(). */
#ifndef MAUI_RM_RM_H
#define MAUI_RM_RM_H

#include "cluster/job.h"
#include "cluster/jobend.h"
#include "cluster/node.h"
#include "cluster/quota.h"

#include <systemd/sd-event.h>

/* Of a source on the loop that tells of thousands, bit by bit: that of users' calls,
 * with which it takes turns. Below it are all others of a driver. */
#define RM_PRIORITY_MANY 25

/* A job as the resource manager knows it. Borrowed by the sink for the call. */
struct rm_job {
    struct job_desc desc; /* id, credentials, request, state, holds, submission; where
                             and since when it runs while it is active; no memory */
    const char *name;     /* as the user named it, or NULL */
    const char *directory, *output, *error; /* or NULL */
    int64_t start_at, end_at;               /* 0 = not yet */
    const struct job_place *places;         /* while active, and where it last ran */
    size_t nplaces;
    double cpu_s;   /* processor seconds used so far, < 0 = unknown */
    int64_t mem_mb; /* most memory used so far, < 0 = unknown */
    int64_t swap_mb,
        disk_mb;        /* the same of memory and swap space together, and of disk */
    int exit_status;    /* of an ended one: exit code; 128 + n = killed by signal n */
    struct job_end end; /* why it ended */
    const char *notes;  /* what the RM says of it, for people; NULL = as before */
    const char *others; /* what it waits for in other RMs, as its submission said; or
                           NULL. The RM keeps the text with the job as it is */
    uint8_t lifted; /* hold_kind bits: it was held so there, and somebody lifted that */
    bool changed;   /* it waits, and its request is not what was told before; or it is
                       back from its nodes, or somebody else has started it, and all it
                       asks for is told anew */
    bool shaped; /* it runs, and its requests are what it has there, not what it asked
                    for: where they differ these count while it runs */
};

/* A reservation that the resource manager made itself. Whom it lets in has to name it,
 * unless it is magnetic. Where users and accounts are named a job needs one of each.
 * Lists are NULL-terminated or NULL. Borrowed by the sink for the call. */
struct rm_reservation {
    const char *name;
    int64_t start_at, end_at;
    const char *const *nodes;
    const char *const *users, *const *accounts, *const *groups; /* "!x": not x */
    bool magnetic; /* jobs that it lets in use it without naming it */
    bool flex;     /* who names it may run outside of its nodes and time as well */
    /* Who names it is not kept off its nodes by other reservations of the manager; but
     * by those that are of maintenance themselves. */
    bool maintenance, overlaps;
};

/* Kinds of things that it keeps from users, but for its operators: bits. */
enum rm_hidden {
    RM_HIDES_JOBS = 1, /* of others, but for coordinators of their account */
    RM_HIDES_NODES = 2,
    RM_HIDES_RESERVATIONS = 4, /* that they may not use */
    RM_HIDES_USAGE = 8,        /* by others */
    RM_HIDES_USERS = 16,
    RM_HIDES_ACCOUNTS = 32,
    RM_HIDES_ALL = 63
};

/* The user may do to jobs of the account what an operator may. */
struct rm_coordinator {
    const char *user, *account;
};

/* Whom it lets see and do what. Borrowed by the sink for the call. */
struct rm_rights {
    unsigned hides;               /* enum rm_hidden bits */
    const char *const *operators; /* users; NULL-terminated or NULL */
    const struct rm_coordinator *coordinators;
    size_t n;
};

enum rm_report_kind {
    RM_NODE,      /* u.node: new, or something of it changed */
    RM_NODE_GONE, /* u.name */
    RM_JOB,       /* u.job: new, or something of it changed, ended ones included */
    RM_JOB_GONE,  /* u.name: not known any more */
    RM_JOB_KEPT,  /* u.name: it is there, and cannot be read: all stays as it was. Told
                     before RM_SYNCED alone, where else it would be missed */
    RM_RESERVATION,      /* u.reservation: new, or something of it changed */
    RM_RESERVATION_GONE, /* u.name */
    RM_QUOTAS, /* u.quotas: all limits that it keeps, in place of those told before */
    RM_RIGHTS, /* u.rights: all of them, in place of those told before */
    RM_SYNCED, /* all nodes and jobs have been told */
    RM_DONE,   /* u.done: a command has been carried out, or has not */
    RM_HEALTH  /* u.health */
};

enum rm_outcome {
    RM_OK,
    RM_RETRY,  /* not now: worth trying again (node not ready, RM restarting) */
    RM_WAITS,  /* of a start: not now, by a wish or a limit that the RM keeps (a begin
                  time, a licence). Tried again for ever; no failed start */
    RM_FAILED, /* of a start: it was tried and did not come about, and may do so another
                  time or elsewhere. Counts as a failed start */
    RM_LIMITED, /* of a start: a limit of the RM keeps the job, for now */
    RM_REFUSED, /* never: the RM rejects it */
    RM_LOST     /* nobody knows: the RM went away meanwhile. What came of it shows in
                   what is told before the next RM_SYNCED */
};

struct rm_report {
    enum rm_report_kind kind;
    int64_t at; /* when it happened, as well as the driver knows */
    union {
        struct node_desc node;
        const struct rm_job *job;
        const struct rm_reservation *reservation;
        struct quota_list quotas;
        struct rm_rights rights;
        const char *name;
        struct {
            uint64_t token;
            enum rm_outcome outcome;
            const char *job;  /* id; of a submission the new one; or NULL */
            const char *text; /* why not, one sentence; or NULL */
        } done;
        struct {
            bool up;
            const char *function; /* clusterquery, jobstart ...; "connection": while
                                     it is down the RM is out of reach */
            const char *text;     /* one sentence; NULL when up */
        } health;
    } u;
};

struct rm_sink {
    void (*report)(void *ctx, const struct rm_report *r);
    void *ctx;
};

enum rm_action {
    RM_START, /* places, wclimit_s; RM_OK: it runs */
    RM_CANCEL,
    RM_SUSPEND,
    RM_RESUME,
    RM_REQUEUE,
    RM_CHECKPOINT,
    RM_HOLD,    /* kinds */
    RM_RELEASE, /* kinds */
    RM_SIGNAL,  /* signal */
    RM_MODIFY,  /* wclimit_s; of a job that waits, where driver.keeps: for its start */
    RM_ACTIONS
};

/* "start", "cancel" ... */
const char *rm_action_name(enum rm_action action);

struct rm_command {
    enum rm_action action;
    uint64_t token; /* comes back in RM_DONE */
    const char *job;
    const struct job_place *places; /* START */
    size_t nplaces;
    int64_t wclimit_s; /* START: what the scheduler allows, 0 = as asked; MODIFY: > 0 */
    int64_t overrun_s; /* START: how much longer the RM lets it run, for one that ends
                          jobs at their limit itself; negative: does not end it */
    bool over_memory;  /* START: it may use more memory than it asked for; what is to be
                          done then the scheduler decides */
    bool preempts;    /* REQUEUE: it makes room for another; the RM may give it the time
                         that such jobs have there to end */
    unsigned kinds;   /* HOLD, RELEASE: enum hold_kind bits */
    int signal;       /* SIGNAL */
    const char *cls;  /* START: the class chosen, of those it may run in; or NULL */
    const char *text; /* CANCEL: told to the user; may be NULL */
};

/* A submission: the request as a job record, and what to run. Everything is borrowed
 * for the call. */
struct rm_submission {
    uint64_t token;
    struct rm_job job; /* desc.id NULL: the RM names it; else an id not in use */
    /* A job array: jobs "12[3]" of number desc.id and these indexes, whole or not at
     * all. RM_DONE says the number, after each job was told. Names of files are
     * patterns (rm/filename.h). Only of drivers that have take_id(). */
    const uint32_t *indexes;
    size_t nindexes;         /* 0 = one job */
    const char *script;      /* text of the batch script, whole; NULL: argv is run */
    const char *const *argv; /* arguments to it; NULL-terminated or NULL */
    const char *const *environment; /* "NAME=value"; NULL-terminated or NULL */
    unsigned uid, gid;              /* who submits, by the peer's credentials */
    unsigned umask;                 /* of the job's files */
    bool rerunnable, join;          /* join: stderr into stdout */
};

/* What a driver is told about itself. Borrowed for the call of open(). */
struct rm_cfg {
    const char *name;                 /* of RMCFG[name] */
    const struct raw_object *section; /* its attributes; NULL = none given */
    const struct settings *settings;  /* for NODECFG; NULL = none given */
    const char *spool;         /* folder for its state when the section names none */
    const char *home;          /* the daemon's folder */
    int64_t last_number;       /* of a job: no number up to it is given again */
    const char *const *keeper; /* program and arguments that keep a local job; NULL =
                                  maui-keeper beside this program */
};

/* The text of an attribute of the section, or NULL. Any case. */
const char *rm_cfg_attr(const struct rm_cfg *cfg, const char *name);

/* What the scheduler makes of a job that waits, for people who ask the resource
 * manager. Borrowed for the call. */
struct rm_note {
    const char *job;
    const char *text; /* "waits for 8 processors until about 14:30 (checkjob 63)" */
    int64_t start_at; /* when it is expected to start, 0 = not known */
};

struct rm;

#define RM_TAKES_NO_JOBS "jobs are submitted with this resource manager's own commands"

/* What a waiting job asks for stands with the resource manager, which runs it by that:
 * a change is made there, or not at all. The limit is changed by RM_MODIFY. */
struct rm_keeping {
    unsigned what;       /* enum change_bit: changed there alone, by: */
    const char *command; /* "qalter ", before the job's id; or NULL */
    /* The attribute of RMCFG by which it is told. Where that is not given a limit is
     * ours to keep, of jobs that run too. NULL = none is needed. */
    const char *needs;
    /* Why users do not raise a limit here, who may there or not: the RM would not ask
     * whose wish it is. NULL = they may. */
    const char *raise;
    /* Can it give a job in that state so long? -1 with a sentence. NULL = any. */
    int (*check_limit)(
        const char *job, enum job_state state, int64_t limit_s, struct err *err);
    int64_t unit_s; /* a limit is a multiple of it there, rounded up; 0 = a second */
};

/* Drivers: one table each. */
struct rm_driver {
    const char *type; /* of RMCFG[] TYPE */
    unsigned cannot;  /* 1u << enum rm_action of all it can never do */
    /* Holds of ours are put there too: where jobs may start without us. Who lifts one
     * there lifts ours. */
    bool takes_holds;
    bool takes_no_jobs; /* submit() is always answered with RM_TAKES_NO_JOBS */
    bool keeps_deps;    /* on any job, also one that it does not know */
    bool tells_rights;  /* RM_RIGHTS is told before the first RM_SYNCED */
    bool dates_jobs;    /* the instant of submission that it tells of a job stays, be it
                           changed or requeued: one of another instant is another job */
    const struct rm_keeping *keeps; /* NULL = all is told with the start */
    int64_t patience_s; /* of an adapter (remote.h): in which it answers a command; 0 =
                           as TIMEOUT= of RMCFG says, or 90 s */
    /* NULL when it can never work as configured. A resource manager that is merely
     * out of reach is an RM_HEALTH report later. */
    struct rm *(*open)(const struct rm_cfg *cfg, sd_event *loop,
        const struct rm_sink *sink, struct err *err);
    void (*close)(struct rm *rm); /* leaves jobs running; pending tokens are dropped */
    /* Another scheduler's memory is to be filled, by the same lines: what open() tells,
     * told to that sink from what is known already, and all else forgotten. First it is
     * asked whether it can: not while anything is on its way. Then nothing is told
     * before it is told again; -1: it is closed, and opened. NULL = never. */
    bool (*rest)(struct rm *rm);
    int (*tell_again)(struct rm *rm, const struct rm_cfg *cfg,
        const struct rm_sink *sink, struct err *err);
    /* 0 = accepted, RM_DONE follows, perhaps before the return. -1 = the RM cannot do
     * such a thing at all. */
    int (*command)(struct rm *rm, const struct rm_command *cmd, struct err *err);
    int (*submit)(struct rm *rm, const struct rm_submission *s, struct err *err);
    /* An array is not wanted any more before it is answered: no more of it is told,
     * what was not told is not there, and it is refused. Not answered before the
     * return. */
    void (*give_up)(struct rm *rm, uint64_t token);
    void (*poll)(struct rm *rm); /* look again now: usage, loads, health */
    /* Take a fresh job number, for the ids of a job array ("12" for 12[0], 12[1] ...).
     * NULL = the RM names jobs only itself. */
    int (*take_id)(struct rm *rm, char *ret_id, size_t size, struct err *err);
    /* Show that beside the job, some time soon and as often as the RM bears; the latest
     * note counts. Not answered, and nothing depends on it. NULL = the RM has no place
     * for it. */
    void (*note)(struct rm *rm, const struct rm_note *n);
    /* An ended job has been accounted for on the disk: nothing of it is needed any
     * more. NULL = that is nothing to the RM. */
    void (*settled)(struct rm *rm, const char *job);
    /* May the RM by itself start a job at once that does not wait: "free"; not as long
     * as others wait for their turn: "waiting"; not at all: "busy". And the nodes, as
     * "n1,n2", that it must not have, nor any job for which the RM chooses the nodes.
     * NULL = it starts none by itself and chooses for none. */
    void (*immediate)(struct rm *rm, const char *word, const char *nodes);
};

/* Every driver's record begins with this. */
struct rm {
    const struct rm_driver *driver;
};

/* The driver of that type, in any case; NULL with the nearest name in `err`. */
const struct rm_driver *rm_driver_find(const char *type, struct err *err);

#endif
