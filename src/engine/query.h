/* SPDX-License-Identifier: Apache-2.0
 * Questions: when could it start, what is free. What they answer is of the last cycle;
 * nothing that is decided later changes by them. They may be asked between cycles,
 * after the first one. Source: reference commands, showstart, showbf. */
#ifndef MAUI_ENGINE_QUERY_H
#define MAUI_ENGINE_QUERY_H

#include "engine/charging/rent.h"
#include "engine/engine.h"
#include "plan/feasible.h"
#include "plan/standing.h"

/* What may be told of access lists: nothing, of others: their user, group and account
 * are as if no list named them, nor any limit; what oneself gets by them, and an
 * account that one may not have is none; or all. Who says nothing is told the least. */
enum query_right { QUERY_OTHERS, QUERY_OWN, QUERY_ALL };

/* A job that nobody has submitted. */
struct query_ask {
    enum query_right right;
    const char *cred[CRED_KINDS]; /* NULL or unknown = none */
    bool any;                     /* windows: as if every reservation let it in */
    const char *const *features;  /* NULL-terminated or NULL */
    const char *os, *arch;        /* of nodes; NULL = any */
    struct cmp mem;               /* on configured memory */
    int64_t mem_per_proc_mb;      /* dedicated */
    const char *partition;        /* NULL = all */
    int64_t procs, nodes;         /* windows: at least so many; 0 = any */
    int64_t procs_per_task;       /* on one node each; 0 = as nodes are counted */
    int64_t from_at;              /* showstart: not before that; 0 = now */
    int64_t duration_s;           /* windows: at least */
    bool limits; /* windows: no more than hard throttling limits leave for a job of
                    that duration */
};

/* ---- standing reservations ---- */

/* Append the instances that the standing reservation of that index in the settings
 * wants at `now`, by slot: standing_list() tells which of them are there. O(DEPTH). */
void query_standing(const struct engine *e, uint32_t standing, int64_t now,
    struct standing_instances *ret);

/* ---- showstart ---- */

enum query_method { QUERY_RUNNING, QUERY_RESERVATION, QUERY_EARLIEST };
struct query_start {
    enum query_method method;
    int64_t start_at, end_at;
    uint32_t partition;
    struct reason why; /* of query_start(), where nothing was found; in processors */
};

/* When the job starts, as far as can be foreseen: earliest start = if it were the job
 * of highest priority, with all reservations honoured. With `qos` not 0: as if it had
 * that QOS, for what reservations say of it. False = never, or not known. */
bool query_job_start(struct engine *e, const struct job *j, uint32_t qos, int64_t now,
    struct query_start *ret);

/* The same for `procs` during `duration_s`, in tasks of `procs_per_task`; else asked in
 * whole units where nodes are counted in larger ones. -1 with a sentence when the
 * question makes no sense. */
int query_start(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_found, struct query_start *ret, struct err *err);

/* And more of it. */
struct query_look {
    bool found;
    struct query_start start;
    /* Each node that it would be on (plan_suppose()), and whether those are known. */
    void (*place)(void *ctx, uint32_t node, uint32_t tasks);
    bool placed;
    /* The job that stands for the question, in no table, for as long as this takes;
     * and the time that it asks for up to its end there, or up to its end if it started
     * at once; empty where nothing keeps it. NULL: nothing but the start is wanted. */
    void (*job)(void *ctx, const struct job *j, int64_t from_at, int64_t until_at);
    void *ctx;
};
int query_start_look(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_look *io, struct err *err);

/* Does the job wait for nothing but room, without a reservation? O(1). */
bool query_waits_for_room(const struct engine *e, const struct job *j);

/* Is it one of those that are asked for? */
typedef bool query_wants_fn(void *ctx, const struct job *j);

/* The first `most` jobs of those that wait and were admitted, in the order that the
 * last cycle had them in. Appends. O(queue). */
void query_queue(const struct engine *e, size_t most, query_wants_fn *wants, void *ctx,
    struct indexes *ret);

/* Whose starts are expected, and what to do with that. */
struct query_forecast {
    size_t most; /* so many jobs at most */
    int64_t now;
    query_wants_fn *wants; /* NULL = all are asked for */
    /* Is there time for one more? NULL = for all. */
    bool (*goes_on)(void *ctx);
    void (*each)(void *ctx, const struct job *j, int64_t start_at);
    void *ctx;
};

/* What is expected of those that wait for nothing but room and have no reservation:
 * each starts where running jobs, reservations and those before it by priority leave it
 * room. The first `most` of them are looked at, while that goes on, and how many were
 * is given back; `each` is called for those that would start later than at once, and,
 * with 0, for those that never would: who had room now is kept back by something else,
 * and nobody knows until when. O(pools + jobs + reservations) for the copy of the plan,
 * then a search for each. */
size_t query_forecast(struct engine *e, const struct query_forecast *ask);

/* ---- what it costs ---- */

/* 1/1000 credit. `lacks`: its account could not pay now, `why` says what is missing. */
struct query_price {
    const char *account; /* borrowed; NULL = none */
    int64_t most, kept;
    bool lacks;
    struct reason why;
};

/* False: there is no bank in force. O(1). */
bool query_job_price(
    const struct engine *e, const struct job *j, int64_t now, struct query_price *ret);

/* The same of `procs` during `duration_s`; it needs no plan. *ret_known: there is a
 * bank in force. -1 with a sentence when the question makes no sense. */
int query_price(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_known, struct query_price *ret, struct err *err);

/* What a quote for such a job keeps. */
struct query_quote {
    struct query_price price;
    char *tariff;      /* policy/bank.h; owned */
    struct am_use use; /* for whom; borrowed */
};
int query_quote(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_known, struct query_quote *ret, struct err *err);

/* ---- showbf ---- */

struct query_window {
    uint32_t partition;
    int64_t procs, nodes;
    int64_t duration_s; /* DURATION_UNLIMITED = no end */
    int64_t start_at;   /* 0 = now */
};
struct query_windows VEC(struct query_window);

/* Windows of all kinds are at most so many. */
#define QUERY_WINDOWS_MAX 50

/* What could be used from now on, longer and narrower from window to window, and
 * `nodes` on which some of it lies; processors of whole nodes where NODEACCESSPOLICY
 * SINGLETASK gives a node to one task. A job of one-processor tasks of that size and
 * length would start now (showstart says the same), unless `any`. Appends. O(windows x
 * log(processors) fits). */
int query_windows(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_windows *ret, struct err *err);

/* The same with windows that begin later, at the instants at which something ends, as
 * far as they are no part of an earlier one. Asks for processors: `any` and `nodes` are
 * refused. */
int query_later_windows(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_windows *ret, struct err *err);

/* The same node by node: processors free now, and for how long. */
struct query_node {
    uint32_t node;
    int64_t procs;
    int64_t duration_s; /* all of them */
    int64_t some_s;     /* one of them at least */
};
struct query_nodes VEC(struct query_node);
int query_nodes(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_nodes *ret, struct err *err);

/* Of each node whether a job like that could ever use it. `ret_why` has room for all
 * nodes, by index. O(nodes x features). */
int query_misfits(struct engine *e, const struct query_ask *ask, enum misfit *ret_why,
    struct err *err);

/* Tasks of that request of the waiting job that the node could take now and keep for
 * the whole limit, whatever is reserved for other waiting jobs. O(what is on the node).
 */
uint32_t query_tasks_on(
    struct engine *e, const struct job *j, uint32_t request, uint32_t node);

/* Has the configuration limits on what jobs may use together? O(1). */
bool query_limited(const struct engine *e);

/* ---- showres ---- */

/* Where reservations of waiting jobs will be, as far as can be foreseen; in order of
 * jobs, then of nodes. Appends. O(reservations x nodes). */
struct query_place {
    uint32_t job, node, tasks;
};
struct query_places VEC(struct query_place);
void query_reserved_places(struct engine *e, struct query_places *ret);
/* The same of a plan, or of a fork of it. */
struct plan;
void query_places_of(const struct plan *p, struct query_places *ret);
/* The same in pieces, as it can take 0.1 s:
 *
 *     placing_begin(e)
 *     while (placing_more(g, 100000)) ...    between events
 *     placing_found(g)
 *     placing_end(g)                         before the next event or cycle
 *
 * NULL before the first cycle. What was found so far is in order of starts; borrowed.
 */
struct placing;
struct placing *placing_begin(struct engine *e);
struct placing *placing_begin_of(const struct plan *p); /* of a plan, or of a fork */
/* So many looks at nodes, about 5 ns each; false: all is found. */
bool placing_more(struct placing *g, size_t looks);
const struct query_places *placing_found(const struct placing *g);
void placing_end(struct placing *g); /* NULL is allowed */

/* rents_each(). */
void query_rents(const struct engine *e, int64_t now, rent_fn *each, void *arg);

#endif
