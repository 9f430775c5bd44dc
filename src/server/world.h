/* SPDX-License-Identifier: Apache-2.0
 * The one door to the engine. Whoever has something to tell it does so here: it is
 * journalled, what came of it is marked for the store and handed on.
 *
 *     event --> journal --> engine --> decisions --> records, events told, orders
 *
 * And what the daemon knows of jobs besides the cluster. Private to src/server. */
#ifndef MAUI_SERVER_WORLD_H
#define MAUI_SERVER_WORLD_H

#include "cluster/job.h"
#include "cluster/jobend.h"
#include "engine/engine.h"
#include "rm/rm.h"
#include "server/drafts/jobattr.h"

struct server;

/* What the daemon knows of a job besides the cluster: told by the RM or the user. By
 * job index. */
struct job_notes {
    char *id; /* whose notes these are: indexes are used again */
    char *name, *directory, *output, *error, *command;
    double cpu_s;
    int64_t mem_mb, swap_mb, disk_mb;
    /* what the RM said of these last, which people set here as well */
    struct {
        char *qos;                    /* NULL: none */
        int64_t numbers[JOBATTR_OWN]; /* as jobattr_own() counts them */
    } told;
    int64_t wclimit_s;    /* that the RM told last since the job has begun; else 0 */
    int64_t kept_limit_s; /* ... while it waited, where the RM keeps that; < 0: never */
    int64_t taken_limit_s; /* that it has taken since, and not told yet; 0 = none */
    char *limit_refused;   /* why the RM did not take another; or NULL */
    struct job_usage usage;
    int exit_status;
    char *notes;        /* what the RM says of it */
    struct job_end end; /* why it ended; `name` and `said` are its own */
    bool renamed;       /* `name` was changed since: not the RM's any more */
    char *message;      /* of a user or administrator (mjobctl -m messages) */
};

/* A door to an engine that knows nothing yet, and its end. */
void world_open(struct server *s);
void world_close(struct server *s);

/* Seconds since 1970, read once a turn of the loop; of a simulation its own clock. */
int64_t world_now(struct server *s);
/* Apply, journal, mark what is to be written, want a cycle; *ret as engine_apply(). */
int world_apply(
    struct server *s, struct event *ev, struct event_result *ret, struct err *err);
void world_cycle(struct server *s);
/* Before the next cycle, once: who depends on jobs that are over is freed or failed. */
void world_want_settled(struct server *s);
/* The job's record is to be written with the next commit. */
void world_touch(struct server *s, uint32_t job);
/* Jobs whose records are. */
size_t world_unsaved(const struct server *s);
void world_save(struct server *s); /* put what was touched into the batch */
struct job_notes *world_notes(struct server *s, const struct job *j);
/* Why it ends: its texts are copied. */
void world_note_end(struct server *s, const struct job *j, const struct job_end *end);
/* Of what lists show: another number when that has changed. */
uint64_t world_revision(const struct server *s);
/* The engine is in another state, which was not reached through this door: what was
 * made of the one before is none of it. */
void world_moved(struct server *s);
double world_last_cycle_s(const struct server *s); /* how long it took */

#endif
