/* SPDX-License-Identifier: Apache-2.0
 * Small schedules for tests: nodes, settings as maui.cfg text is not needed, jobs
 * with explicit priorities; run to the end; ask who started when and where.
 *
 * Time starts at 0. A job's `run` is how long it really runs, its `limit` what it
 * asked for. Every run checks the invariants of cluster and plan after every
 * cycle. */
#ifndef MAUI_TESTS_SCENARIO_H
#define MAUI_TESTS_SCENARIO_H

#include "config/acltext.h"
#include "config/config.h"
#include "engine/engine.h"

struct sc_job {
    const char *id;
    int64_t submit_at, limit_s, run_s; /* run 0 = limit */
    uint32_t procs;                    /* tasks of one processor, unless reqs is set */
    int64_t priority;                  /* 1..1000: setspri; 0 = computed */
    const char *user, *group, *account, *cls, *qos;
    uint32_t flags;
    const struct req_desc *req; /* NULL = `procs` tasks of one processor */
    int64_t release_at, deadline_at;
    int64_t min_limit_s;           /* it may be started with so short a limit */
    int64_t overtime_s;            /* its RM lets it run on */
    unsigned holds;                /* set at submission */
    uint32_t nodes;                /* nodes asked for, 0 = none; not with reqs */
    uint32_t nreqs;                /* how many `req` points to, 0 = 1 */
    const struct dep *deps;        /* job_id NULL ends */
    const char *const *partitions; /* asked; NULL ends */
    const char *const *classes;    /* it may run in; NULL ends; NULL = `cls` alone */
    enum job_state state;          /* as the RM tells it */
    const char *advres;            /* the reservation it names */
    const char *rm;                /* whose it is, of several resource managers */
    int64_t tier;                  /* of its resource manager */
    int64_t array_limit;           /* of its array so many at once */
    bool admitted;                 /* by a resource manager that looks at credentials */
};

/* What an administrator would ask of setres. */
struct sc_rsv {
    const char *base;             /* NULL = SYSTEM */
    const char *hosts;            /* host expression; NULL = none */
    uint32_t tasks;               /* 0 = one on every host */
    const char *lists[ACL_TYPES]; /* by enum acl_type; NULL = none */
    int64_t start_at, end_at;     /* end 0 = never */
    const char *resources;        /* of one task, as -r; NULL = whole nodes */
    uint32_t flags;               /* enum rsv_flag */
    enum cred_kind owner_kind;    /* of `owner` */
    const char *owner;            /* NULL = none */
    const char *who;              /* NULL or "root": an administrator */
    const char *group, *account;  /* of a user; who is charged (-c) */
    bool exclusive;               /* -E */
};

struct scenario;

/* Settings: FIRSTAVAILABLE, DEDICATED availability, the rest by default; change
 * them through sc_settings() before the first node or job is added. */
struct scenario *sc_create(void);
/* The same with lines of maui.cfg put on top; a finding in them ends the program. */
struct scenario *sc_create_with(const char *lines);
void sc_destroy(struct scenario *s);
/* Another engine is told what the shell knows, what the jobs' memories tell, fairshare
 * and statistics, as after a restart. For worlds of jobs and nodes alone. The next
 * cycle is the caller's. */
void sc_restart(struct scenario *s);
/* Begin at another instant than 0: before the first node or job. */
void sc_begin_at(struct scenario *s, int64_t at);
/* Other lines in force from now on (felt at the next cycle). */
void sc_configure(struct scenario *s, const char *lines);
struct settings *sc_settings(struct scenario *s);
struct engine *sc_engine(struct scenario *s); /* made when first asked for */
/* What its engine is made with, to be changed before that. Where it is `starts_told`
 * starts are told as done right after the cycle; where it is `stops_told` so are
 * jobs sent back to the queue. */
struct engine_options *sc_options(struct scenario *s);

void sc_nodes(struct scenario *s, uint32_t count, int64_t procs); /* n1, n2, ... */
void sc_node(struct scenario *s, const struct node_desc *d);
/* Kept until its submit time; one that is past becomes now. */
void sc_job(struct scenario *s, struct sc_job job);

/* Make the plan work node by node although the jobs would allow counting. */
void sc_force_by_node(struct scenario *s);

/* A scenario of so many nodes, counted or not. */
struct scenario *sc_begin(
    const char *lines, uint32_t nodes, int64_t procs, bool by_node);
/* The statement that follows, once by count and once node by node, with `s` a scenario
 * of nodes of one processor; it is destroyed after it. */
#define SC_BOTH_WAYS(s, lines, nodes)                                                  \
    for (int by_node_ = 0; by_node_ < 2; by_node_++)                                   \
        for (struct scenario *s = sc_begin(lines, nodes, 1, by_node_); s;              \
             sc_destroy(s), (s) = NULL)

/* Run until nothing more happens (or until `until`); cycles at every event. */
void sc_run(struct scenario *s);
void sc_run_until(struct scenario *s, int64_t until);
/* Run until `at`, then let a cycle happen at that instant although nothing else may. */
void sc_at(struct scenario *s, int64_t at);
void sc_cycle(struct scenario *s); /* one more, now */
int64_t sc_now(const struct scenario *s);
/* Call this after every cycle. */
void sc_watch(
    struct scenario *s, void (*after_cycle)(void *ctx, struct scenario *s), void *ctx);

/* ---- what happens in between; felt at the next cycle ---- */

/* Any event, now. 0, or -1 with the engine's sentence. */
int sc_apply(struct scenario *s, struct event ev, struct err *err);
/* By user `who`, an administrator of level 1 if that is "root". 0 or -1. */
int sc_hold(struct scenario *s, const char *id, unsigned kinds, const char *who);
int sc_release(struct scenario *s, const char *id, unsigned kinds, const char *who);
void sc_cancel(struct scenario *s, const char *id);
/* The resource manager says of a job given to sc_job() that it is in that state, on
 * these nodes (NULL = as it was told to). 0, or -1 with the engine's sentence. */
int sc_report(struct scenario *s, const char *id, enum job_state state,
    const struct job_place *place, struct err *err);
void sc_node_state(struct scenario *s, const char *node, enum node_state state);
/* Reservations that are not of a job: 0, or -1 with the engine's sentence. */
int sc_setres(struct scenario *s, const struct sc_rsv *r, struct err *err);
int sc_releaseres(struct scenario *s, const char *name, struct err *err);
int sc_releaseres_by(
    struct scenario *s, const char *name, const char *who, struct err *err);
/* The resource manager will refuse the next `times` starts of the job. */
void sc_refuse_starts(struct scenario *s, const char *id, uint32_t times);
/* And, where it is `stops_told`, the next time that the job is sent back to the queue:
 * it runs on, if its nodes are free yet. */
void sc_refuse_stop(struct scenario *s, const char *id);

/* ---- what came of it ---- */

/* Start of a job: -1 = never started (its last start, if several). */
int64_t sc_start(const struct scenario *s, const char *id);
/* Where it ran: "n1:2 n3:1", in order of nodes. Borrowed until the next call. */
const char *sc_where(struct scenario *s, const char *id);
/* The job as it is now, or NULL when it ended. */
struct job *sc_find(struct scenario *s, const char *id);
int64_t sc_priority(struct scenario *s, const char *id);
uint32_t sc_bypass(struct scenario *s, const char *id);
uint32_t sc_starts(const struct scenario *s, const char *id);
/* All that was decided about it: "reserve(100)@0 start@100", with backfill (a start
 * out of order), cancel, requeue, hold, defer(until), release. Borrowed. */
const char *sc_log(struct scenario *s, const char *id);
/* What the last of those said, for people; "" = nothing. */
const char *sc_said(struct scenario *s, const char *id);
/* Where its reservation begins, -1 = it has none. */
int64_t sc_reserved(const struct scenario *s, const char *id);
/* A live reservation by name, and the instance of a standing one in that slot; NULL =
 * there is none. */
struct reservation *sc_rsv(struct scenario *s, const char *name);
struct reservation *sc_standing(struct scenario *s, const char *base, uint32_t slot);
/* What it holds: "n1:2 n3:1", "" nothing, "none" when it is not there. The name may
 * be that of the standing reservation: its instance in slot 0. Borrowed. */
const char *sc_held(struct scenario *s, const char *name);
/* Triggers that fired: "fast:exec(/x.pl)@50400 ...". Borrowed. */
const char *sc_fired(struct scenario *s);
/* Why it waits, as the engine knows it at this moment, and the code of that. Borrowed
 * until the next call. */
const char *sc_why(struct scenario *s, const char *id);
enum wait_code sc_why_code(struct scenario *s, const char *id);

#endif
