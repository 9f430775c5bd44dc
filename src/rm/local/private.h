/* SPDX-License-Identifier: Apache-2.0
 * The driver: what it was opened with, and its collaborators, each with a header that
 * can be read alone. Private to src/rm/local.
 *
 *     rm.h --> submit.h, commands.h --> ljob.h --> start.h, control.h --> keepers
 *                                        |
 *    larray.h, spool.h, writer.h --------+-------> nodes.h */
#ifndef MAUI_RM_LOCAL_PRIVATE_H
#define MAUI_RM_LOCAL_PRIVATE_H

#include "base/vec.h"
#include "rm/local/local.h"

#include <systemd/sd-event.h>

struct local_array;
struct local_job;

/* What it was opened with. */
struct local_cfg {
    char *path;    /* of the spool */
    char **keeper; /* program and arguments */
    char *cgroup;  /* to make groups in, or NULL */
    char *pam;     /* service to open sessions of, or NULL */
    char boot[40]; /* this one, as boot_name() names it */
    int64_t grace_ms, poll_ms, start_ms;
    int64_t keep_s; /* folders of ended jobs stay for that ... */
    bool keeps;     /* ... also of jobs that are settled: KEEPTIME is given */
};

struct local {
    struct rm rm;
    sd_event *loop;
    struct rm_sink sink;
    struct local_cfg cfg;
    struct spool *spool;
    struct writer *writer;
    struct control *control;
    struct nodes *nodes;
    struct children *children;
    struct health *health;
    struct local_job *jobs;                   /* a hash table: ljob.h */
    struct local_array *arrays;               /* the same: larray.h */
    struct VEC(struct local_array *) telling; /* in turn */
    sd_event_source *tell;
    int64_t last_id;   /* the highest number taken */
    bool synced, lost; /* lost: the spool has gone */
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

#endif
