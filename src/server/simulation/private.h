/* SPDX-License-Identifier: Apache-2.0
 * The parts of a simulation: simulation.c (traces, clock, iterations),
 * simulation/jobs.c (the jobs as a resource manager has them). Private to them. */
#ifndef MAUI_SERVER_SIMULATION_PRIVATE_H
#define MAUI_SERVER_SIMULATION_PRIVATE_H

#include "base/hash.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"
#include "sim/evheap.h"
#include "sim/experiment.h"

/* A job that was submitted. */
struct simulated {
    const struct trace_job *t;
    uint32_t procs;
    enum job_state state;
    unsigned holds; /* told by the scheduler */
    bool cut;       /* it will end at its limit */
    uint32_t seq;   /* of the end event in force; 0 = none */
    int64_t submit_at, start_at, end_at;
    int64_t run_s;              /* since start_at, or since it was resumed; planned */
    int64_t left_s;             /* kept of a suspension or checkpoint; 0 = all */
    int64_t limit_s, overrun_s; /* of the start */
    struct job_place *places;   /* owned; nodes named by the machine */
    char **nodes;               /* owned, of the places */
    size_t nplaces;
    UT_hash_handle hh; /* by id */
};

struct simulation {
    struct rm rm; /* first */
    struct server *s;
    struct rm_sink sink;
    sd_event_source *tick, *timer;
    struct workload w;
    struct restrace resources;
    struct machine machine;
    int64_t shift; /* clock = time of the trace + shift */
    bool begun;    /* the first iteration has run */
    bool over;
    struct submission submission;
    size_t next;             /* of the trace, to be submitted */
    struct simulated *jobs;  /* owned; as the jobs of the workload */
    struct simulated *by_id; /* uthash */
    struct evheap ends;
    uint32_t seq;
    int64_t happened_at; /* the last submission, start or end */
    size_t waiting, active;
    double waiting_ps;
    uint64_t completed, removed; /* removed: also those that ran into their limit */
};

/* ---- simulation/jobs.c ---- */

extern const struct rm_driver simulated_driver;

void simulated_report(struct simulation *m, struct rm_report *r);
/* The next job of the trace, now. */
void simulated_submit(struct simulation *m);
/* The next end is due; false when it is one of the past that is not in force. */
bool simulated_end(struct simulation *m);
void simulated_free(struct simulation *m);

#endif
