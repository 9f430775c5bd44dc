/* SPDX-License-Identifier: Apache-2.0
 * An engine lives on: what runs ends, what waits starts, nobody new comes. As in a
 * replay (run.h), at every instant at which something changes, or at which the engine
 * asks for it, the ends of that instant are applied, then one cycle runs. What is
 * decided comes about at once; what a trigger or a resource manager would do is not
 * done. Of a copy of the world: the engine is another one afterwards. */
#ifndef MAUI_SIM_LIFE_H
#define MAUI_SIM_LIFE_H

#include "engine/engine.h"

/* A job was on nodes. */
struct life_run {
    uint32_t job, procs;
    int64_t from_at, until_at; /* TIME_NEVER: it still is */
    bool began;                /* before this life did: from_at is its start */
    bool again;                /* it was suspended, and went on: no start */
    bool stopped;              /* it was sent back, suspended or cancelled */
};
struct life_runs VEC(struct life_run);

/* How long jobs run, by index; those beyond the last, and 0: to their limits. */
struct life_lengths VEC(int64_t);

/* By what PREDICTION has learned of their owners, as of the last cycle; never beyond
 * their limits. For all lives that are to be compared, once. O(jobs). */
void life_foresee(struct engine *e, struct life_lengths *ret);

struct life_options {
    int64_t until;                      /* nothing is done after that instant */
    const struct life_lengths *lengths; /* NULL: all jobs run to their limits */
    /* Is there time for the cycle of that instant? NULL = for all. */
    bool (*goes_on)(void *ctx, int64_t at);
    void *ctx;
};

struct life {
    struct life_runs runs;       /* in order of their starts */
    struct VEC(uint32_t) denied; /* jobs that waited, and were cancelled in it */
    int64_t until;               /* all up to that instant is known */
    bool whole;                  /* that is as far as was asked for */
    uint64_t cycles;
};

/* From the engine's last cycle on, after which events may have been applied: begins
 * with a cycle at `now`. The same engine and options give the same life, as long as
 * `goes_on` does. */
void life_on(
    struct engine *e, int64_t now, const struct life_options *opt, struct life *ret);
void life_fini(struct life *l);

/* Jobs have left the node: what was measured there was of them. In earnest the resource
 * manager measures again before anything starts. */
void life_leave_node(struct engine *e, int64_t now, uint32_t node);

#endif
