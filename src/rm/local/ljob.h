/* SPDX-License-Identifier: Apache-2.0
 * The table of jobs, and what their folders say of them.
 *
 *     SUBMITTED -> WAITING -> STARTING -> RUNNING -> ENDED
 *                     ^           |          |         ^
 *                     +-----------+       CLEANING ----+   its keeper died */
#ifndef MAUI_RM_LOCAL_LJOB_H
#define MAUI_RM_LOCAL_LJOB_H

#include "base/hash.h"
#include "base/vec.h"
#include "rm/local/record.h"
#include "rm/local/request.h"

#include <sys/types.h>
#include <systemd/sd-event.h>

struct command;
struct local;
struct local_array;

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

struct local_job {
    char *id;
    struct local *local;
    struct request *request;   /* the array's, while there is: */
    struct local_array *array; /* it has no folder of its own yet; else NULL */
    uint32_t array_index;
    enum phase phase;
    struct state state;
    struct run run;
    struct end end;
    double cpu_s;                     /* so far; < 0 = unknown */
    int64_t mem_mb, swap_mb, disk_mb; /* most so far; < 0 = unknown */
    bool writing;                     /* a record of it is on its way to the disk */
    bool removing;                    /* its folder goes: nothing of it is awaited */
    bool news;                        /* its end was told while it was starting */
    bool damaged;                     /* its folder is kept for somebody to look at */
    bool found;                       /* a daemon before this one began its run */
    bool settled;                     /* accounted for: its folder may go */
    bool told;                        /* reported once: changes are told from now on */
    bool holds;                       /* it is counted as being on its nodes */
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
/* Is nothing of it on its way? Then its folder says what is known of it. */
bool ljob_rests(const struct local_job *j);
int ljob_open_folder(const struct local_job *j, struct err *err);

#endif
