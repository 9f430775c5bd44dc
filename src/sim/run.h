/* SPDX-License-Identifier: Apache-2.0
 * One replay: a workload, a machine and a configuration through the engine, in
 * simulated time.
 *
 * At every instant at which something changes, all completions of that instant are
 * applied (in order of the starts), then all arrivals (in order of the trace), then the
 * lines of the scenario, then one cycle runs; also at the instants the engine asks for.
 * Modes: see run_cycle. A replay ends when no job is left; what the scenario has for
 * later is not carried out. */
#ifndef MAUI_SIM_RUN_H
#define MAUI_SIM_RUN_H

#include "engine/engine.h"
#include "sim/machine.h"
#include "sim/occupancy.h"
#include "sim/scenario.h"
#include "sim/workload.h"
#include "trace/diag.h"

enum run_cycle {
    CYCLE_BATCH, /* one cycle after all events of an instant */
    CYCLE_EVENT, /* a cycle after each event; of an instant, arrivals first, then
                    completions, as event-driven simulators (pyss) do; but jobs that
                    used up their limit free their processors before either */
    CYCLE_POLL   /* a cycle every poll_s seconds, as a daemon asking its resource
                    manager; what happened since the last is applied first */
};

enum run_state {
    RUN_NOT_SUBMITTED, /* the replay stopped before */
    RUN_WAITING,
    RUN_RUNNING,
    RUN_COMPLETED,
    RUN_CANCELLED, /* by the scheduler */
    RUN_REFUSED    /* the scheduler did not take it */
};

/* What became of a job. Times on the clock of the trace, -1 = never. */
struct run_job {
    int64_t start_at, end_at; /* of the last start; the end is planned while running */
    int64_t suspended_s;      /* since then */
    int64_t saved_s;          /* of work before that, kept by checkpoints */
    int64_t submit_at;        /* of the trace, unless SIM... parameters say otherwise */
    uint32_t procs;           /* likewise */
    enum run_state state;
};

/* A decision, told as it is made. */
struct run_decision {
    const struct action *action;
    const struct trace_job *job;   /* NULL: of a reservation */
    const struct job *now;         /* as the engine has it */
    const struct cluster *cluster; /* for names */
    int64_t at;                    /* trace time */
    int64_t target_at;             /* trace time of action->at */
};

/* A line of the scenario that was carried out, or could not be; or what followed from
 * one. */
struct run_told {
    int64_t at;                        /* trace time */
    const struct scenario_event *line; /* NULL: a job lost with its node */
    bool done;
    const char *text; /* what was done, or why not */
};

struct run_options {
    enum run_cycle cycle;
    int64_t poll_s;
    int64_t until; /* trace time after which nothing is done; TIME_NEVER */
    enum queue_order order, backfill_order;
    const struct scenario *scenario;          /* bound; or NULL */
    const struct scenario_settings *settings; /* of its events; with a scenario */
    /* may be NULL; `ctx` goes to all */
    void (*decided)(void *ctx, const struct run_decision *d);
    void (*told)(void *ctx, const struct run_told *t);
    void (*progress)(void *ctx, size_t ended, size_t total);
    void *ctx;
    struct occupancy *occupancy; /* zeroed, to be filled and freed by the caller; NULL =
                                    not asked for */
    struct diag *diag;           /* jobs and lines the scheduler refuses; may be NULL */
};

/* Jobs that still wait at the end, by why. An answer may cost a tenth of a millisecond,
 * so no more are asked than this, by submission. */
#define STUCK_ASKED 10000
struct run_stuck {
    uint64_t jobs;
    uint32_t example; /* the first of them, in the workload */
    char text[200];   /* why that one waits */
};

/* An account of the bank at the end. Amounts in 1/1000 credit. */
struct run_account {
    char *name; /* owned */
    int64_t charged, available, held;
    int64_t dry_at;   /* trace time at which a job of it first could not pay; -1 */
    uint64_t waiting; /* jobs that wait for its credits at the end */
};

struct run_result {
    struct run_job *jobs; /* owned; by index in the workload */
    uint64_t by_state[RUN_REFUSED + 1];
    uint64_t cycles, started, backfilled, requeued, held, deferred;
    uint64_t broken_promises;
    struct misses_sum forecasts;        /* how good expected starts were */
    uint64_t suspended;                 /* times a running job was */
    uint64_t preempted, preempted_ps;   /* times; processor seconds lost by it */
    uint64_t triggers;                  /* of reservations, fired */
    uint64_t told, refused;             /* lines of the scenario; of them, in vain */
    uint64_t lost;                      /* jobs cancelled because a node went down */
    struct run_stuck stuck[WAIT_CODES]; /* by enum wait_code */
    uint64_t stuck_unasked;             /* jobs that wait beyond STUCK_ASKED */
    struct VEC(struct run_account) accounts; /* of the bank; none = there is none */
    int64_t end_at;                          /* trace time of the last event */
};

/* Replay. `cfg` is borrowed until the end of the call. Fails when the machine cannot
 * be built. Equal input gives equal results. */
int run_replay(const struct workload *w, const struct machine *m,
    const struct settings *cfg, const struct run_options *opt, struct run_result *ret,
    struct err *err);

void run_result_fini(struct run_result *r);

const char *run_state_name(enum run_state s);

#endif
