/* SPDX-License-Identifier: Apache-2.0
 * The small records in a job's folder, as JSON out and in: how it runs (run.json, and
 * the order a keeper gets), how it ended (end.json), what was changed since it was
 * submitted (state.json). */
#ifndef MAUI_RM_LOCAL_RECORD_H
#define MAUI_RM_LOCAL_RECORD_H

#include "rm/rm.h"

/* A run of a job. The daemon fills in the first part, the keeper the second. */
struct run {
    struct job_place *places; /* owned, with the names in it */
    size_t nplaces;
    int64_t wclimit_s; /* 0 = none */
    int64_t overrun_s; /* it may run so much longer; negative: without end */
    int64_t mem_mb;    /* 0 = no limit */
    int64_t grace_ms;  /* between TERM and KILL */
    int64_t poll_ms;   /* between looks at the memory in use */
    int64_t start_ms;  /* in which its first process must have become the job */
    char *cgroup;      /* owned: folder to make the job's control group in, or NULL */
    char *pam;         /* owned: service to open a session of, or NULL */
    bool clean;        /* only an order: nothing is started, leftovers are killed */

    int32_t keeper, leader; /* process ids */
    int64_t leader_ticks;   /* when the leader began, in clock ticks since the boot */
    char boot[40];          /* which boot that was */
    char cookie[40];        /* MAUI_JOBCOOKIE in the environment of its processes */
    int32_t guard;          /* process id: kills what a killed keeper leaves */
    int64_t guard_ticks;    /* when it began; 0 = there is none */
    int64_t start_at;
    int64_t start_boot_ms; /* the same on the clock that is never set; 0 = not known */
    int64_t suspended_at;  /* 0 = not suspended */
};

/* When the run began, in the time that is told now: a clock may have been set since.
 * `boot`: the present one (boot_name()). */
int64_t run_began_at(const struct run *r, const char *boot);

enum end_kind {
    END_DONE,
    END_CANCELLED,
    END_REQUEUED, /* not an end: the job waits again */
    END_LOST,     /* its keeper or the machine died under it */
    END_KINDS
};

struct end {
    enum end_kind kind;
    int64_t start_at, end_at; /* start_at 0: it never ran */
    int exit_status;          /* as in struct rm_job */
    double cpu_s;             /* < 0 = unknown */
    int64_t mem_mb;           /* < 0 = unknown */
    struct job_end why;       /* `name` and `said` NULL */
    char said[200];           /* ... by whoever ended it; or "" */
};

struct state {
    unsigned holds; /* enum hold_kind bits */
    int64_t wclimit_s;
};

/* Texts are owned by the caller. */
char *run_write(const struct run *r);
char *end_write(const struct end *e);
char *state_write(const struct state *s);

/* -1 with a sentence, and nothing to free, when the text is no such record. */
int run_read(const char *text, size_t len, struct run *ret, struct err *err);
int end_read(const char *text, size_t len, struct end *ret, struct err *err);
int state_read(const char *text, size_t len, struct state *ret, struct err *err);

void run_set_places(struct run *r, const struct job_place *places, size_t n);
void run_fini(struct run *r);

#endif
