/* SPDX-License-Identifier: Apache-2.0
 * Small schedules for tests: nodes, settings as maui.cfg text is not needed, jobs
 * with explicit priorities; run to the end; ask who started when and where.
 *
 * Time starts at 0. A job's `run` is how long it really runs, its `limit` what it
 * asked for. Every run checks the invariants of cluster and plan after every
 * cycle. */
#ifndef MAUI_TESTS_SCENARIO_H
#define MAUI_TESTS_SCENARIO_H

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
    int64_t release_at;
    unsigned holds; /* set at submission */
};

struct scenario;

/* Settings: FIRSTAVAILABLE, DEDICATED availability, the rest by default; change
 * them through sc_settings() before the first node or job is added. */
struct scenario *sc_create(void);
void sc_destroy(struct scenario *s);
struct settings *sc_settings(struct scenario *s);
struct engine *sc_engine(struct scenario *s); /* made when first asked for */

void sc_nodes(struct scenario *s, uint32_t count, int64_t procs); /* n1, n2, ... */
void sc_node(struct scenario *s, const struct node_desc *d);
void sc_job(struct scenario *s, struct sc_job job); /* kept until its submit time */

/* Make the plan work node by node although the jobs would allow counting. */
void sc_force_by_node(struct scenario *s);

/* Run until nothing more happens (or until `until`); cycles at every event. */
void sc_run(struct scenario *s);
void sc_run_until(struct scenario *s, int64_t until);
int64_t sc_now(const struct scenario *s);

/* Start of a job: -1 = never started (its last start, if several). */
int64_t sc_start(const struct scenario *s, const char *id);
/* Where it ran: "n1:2 n3:1", in order of nodes. Borrowed until the next call. */
const char *sc_where(struct scenario *s, const char *id);
/* The job as it is now, or NULL when it ended. */
struct job *sc_find(struct scenario *s, const char *id);
uint32_t sc_starts(const struct scenario *s, const char *id);

#endif
