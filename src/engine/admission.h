/* SPDX-License-Identifier: Apache-2.0
 * Admission: what a waiting job has to pass before it may start. The checks are the
 * rows of one table (admission.c), asked in its order; nobody else lists them.
 *
 *     waiting --QUEUED--> in the queue --EVER--> candidate --SOFT, HARD--> may start
 *                |                        |                      |
 *           waits, told why            deferred              waits, told why
 *
 * A row says what its answer depends on. The answer stands as long as nothing of that
 * changes: so the queue leaves a job alone, and looks again when it has to. Time alone
 * lets a job in; it never turns one away.
 *
 * Who asks: eligible.c and the queue (a cycle), run.c (runjob), classes.c (may it be in
 * that class), why.c and the server (why does it wait). CONTRIBUTING.md adds a row. */
#ifndef MAUI_ENGINE_ADMISSION_H
#define MAUI_ENGINE_ADMISSION_H

#include "cluster/cluster.h"
#include "policy/accrual.h"
#include "policy/holds.h"

struct engine;

/* What an answer depends on. */
enum admission_on {
    ON_JOB = 1,       /* its record, but for: */
    ON_CLASS = 2,     /* which class it is in, and what follows from that */
    ON_PRIORITY = 4,  /* and its priority: it passes if that is not negative */
    ON_CLOCK = 8,     /* refused until reason.until */
    ON_SETTINGS = 16, /* and those of credentials */
    ON_NODES = 32,    /* which there are, and what they have */
    ON_RESERVATIONS = 64,
    ON_JOBS = 128, /* what others do */
    ON_USAGE = 256 /* what was used up to now, and what accounts have left */
};

enum admission_stage {
    ADMIT_QUEUED = 1, /* may it be in the queue of this cycle? */
    ADMIT_EVER = 2,   /* could it ever run? */
    ADMIT_SOFT = 4,   /* may it start now, as far as soft limits go? */
    ADMIT_HARD = 8    /* and hard ones? */
};

/* What follows when a job is kept out of the queue (eligible.c). */
enum admission_then {
    THEN_NOTHING,
    THEN_WAKE,           /* the engine, at reason.until */
    THEN_WAKE_OR_CANCEL, /* the same, but NOQUEUE jobs go */
    THEN_DEFERRAL,       /* wake when that ends, together with others */
    THEN_DEPENDENCY /* where that can be met no more: as DEPENDFAILUREPOLICY says */
};

/* An order to run the job never asks that: it is found out otherwise, or not at all. */
#define ADMISSION_UNASKED (1U << 31)

struct admission_check {
    const char *name; /* of the policy, in refusals; NULL: that of the limit */
    uint64_t codes;   /* 1 << enum wait_code: the reasons that it gives */
    unsigned on;      /* enum admission_on */
    enum admission_stage stage;
    unsigned skip;            /* enum run_flag: such an order does not ask it */
    enum accrual_event stops; /* QUEUED: what becomes of its queue time */
    enum hold_reason defers;  /* EVER: the deferral's reason, and its text */
    const char *text;
    /* It never refuses a plain job, which most are: one that is idle and not held, may
     * start by now as far as its own record says, and depends on no other. */
    bool spares_plain;
    /* Does the site use it at all? NULL: always. O(1). */
    bool (*is_used)(const struct engine *e);
    /* Could it refuse the job, as that is? NULL: yes. O(1). */
    bool (*concerns)(const struct job *j);
    /* Does it? *ret is written only then: the reason, code 0 for that of the row. */
    bool (*refuses)(const struct engine *e, const struct job *j, struct reason *ret);
    enum admission_then then; /* QUEUED: what else is done about a job refused */
};

/* The rows, for tests and lists; *ret_n of them. */
const struct admission_check *admission_checks(size_t *ret_n);

/* Which rows are in use, by number as bits: the engine's copy of what is_used() says,
 * worked out anew when settings change, or the first job depends on another. */
struct admission_use {
    uint32_t queued, ever, soft, hard; /* by stage */
    uint32_t by_class, unseen; /* that depend on the class; on what nobody tells of */
    uint32_t spares_plain;
    unsigned on, stages; /* of all together */
};
void admission_configure(struct engine *e);
/* The job came, or asks for something else: from the first that depends on another on,
 * dependencies are looked at, and so are limits of arrays. O(1). */
void admission_notice(struct engine *e, const struct job *j);

/* The first row of these stages (bits) that refuses the job, and *ret its reason; NULL
 * when all let it pass, *ret then undefined. Changes nothing. O(rows). */
const struct admission_check *admission_refusal(
    const struct engine *e, const struct job *j, unsigned stages, struct reason *ret);
/* Of all rows in use that refuse it, in their order: at most `max` reasons. */
size_t admission_refusals(
    const struct engine *e, const struct job *j, struct reason *ret, size_t max);
/* Of those only that depend on the class the job is in. */
const struct admission_check *admission_class_refusal(
    const struct engine *e, const struct job *j, unsigned stages, struct reason *ret);
/* Of those that an order to run it, with these flags (enum run_flag), has to pass. */
const struct admission_check *admission_run_refusal(
    const struct engine *e, const struct job *j, unsigned flags, struct reason *ret);

/* Partitions whose system limits the job is over are none of its partitions, unless
 * that is so of all. */
void admission_narrow(const struct engine *e, struct job *j);

/* Is the reason one of those that rows give: is the job kept out, rather than behind
 * others? */
bool admission_gives(enum wait_code code);

/* ---- how long answers stand ---- */

/* The sum of what rows in use depend on. O(1). */
unsigned admission_depends(const struct engine *e);
/* Is a row of the stage in use? O(1). */
bool admission_asks(const struct engine *e, enum admission_stage stage);

/* The job was admitted: does that stand until something happens to it, to settings or
 * to nodes? False: other jobs, or use, may turn it away. O(rows). */
bool admission_stands(const struct engine *e, const struct job *j);

/* What keeps a job back that was refused, what that depends on, and until when. */
struct admission_stop {
    const struct admission_check *check; /* NULL: it could never run */
    unsigned on;
    int64_t until;
};
struct admission_stop admission_stop_of(const struct engine *e, const struct job *j);

/* The state of what can be told by a number; admission_changed(): which of it differs,
 * as bits, with all of which that cannot be told. O(1). */
struct admission_world {
    uint64_t settings, nodes, reservations;
};
struct admission_world admission_world_of(const struct engine *e);
unsigned admission_changed(
    const struct admission_world *before, const struct admission_world *now);

#endif
