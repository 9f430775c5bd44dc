/* SPDX-License-Identifier: Apache-2.0
 * The engine: its collaborators. Each has a header that can be read alone; what is
 * opaque there is so to the engine as well. Private to src/engine. */
#ifndef MAUI_ENGINE_ENGINE_PRIVATE_H
#define MAUI_ENGINE_ENGINE_PRIVATE_H

#include "engine/admission.h"
#include "engine/calendar.h"
#include "engine/charging/charging.h"
#include "engine/charging/rent.h"
#include "engine/charging/unfunded.h"
#include "engine/cycle.h"
#include "engine/decisions.h"
#include "engine/engine.h"
#include "engine/groups.h"
#include "engine/keeping.h"
#include "engine/leaving.h"
#include "engine/lost.h"
#include "engine/passes.h"
#include "engine/possible.h"
#include "engine/prediction/predictions.h"
#include "engine/preempt.h"
#include "engine/promises.h"
#include "engine/refusals.h"
#include "engine/told.h"
#include "engine/wakeups.h"
#include "engine/world.h"
#include "policy/limits.h"

/* What the site and its jobs make use of: nobody looks for what cannot be there. */
struct site_uses {
    bool noqueue;            /* a job that waits has NOQUEUE */
    bool classes;            /* some job could run in several classes */
    bool deps;               /* some job depended on another */
    bool arrays;             /* some array was to have so many jobs at once */
    bool cap;                /* some fairshare target keeps jobs from running */
    bool keeps;              /* RESERVATIONPOLICY HIGHEST somewhere */
    uint64_t settings_epoch; /* that limits, `cap` and admission are made from */
};

/* What comes otherwise than decided. */
struct engine_troubles {
    struct leaving *leaving;
    struct losses *losses;
    struct refusals *refusals;
};

/* Jobs of which so many may have something at once. */
struct engine_groups {
    struct depth_groups *depth; /* a reservation, by their QOS */
    struct arrays *arrays;      /* nodes, by their array */
};

/* What jobs that ran have left. */
struct engine_learned {
    struct statistics *statistics; /* NULL = not kept */
    struct predictions *predictions;
};

/* What jobs and reservations cost. */
struct engine_money {
    struct charging *charging;
    struct unfunded *unfunded;
    struct rents *rents;
};

/* Who is let in. */
struct engine_admission {
    struct admission_use use;
    struct possible_jobs possible;
};

struct engine {
    const struct settings *cfg;
    struct engine_options opt;
    int64_t now, origin; /* origin: first submit time seen */

    /* the nouns, and what is known of them */
    struct cluster *c;
    struct plan *plan;
    struct limits *limits;
    struct engine_learned learned;
    struct site_uses uses;
    struct world_seen world;

    /* who waits, and what for */
    struct engine_admission admission;
    struct engine_groups groups;
    struct queue *queue;
    struct promises *promises;
    struct keeping *keeping;
    struct preemption *preemption;
    struct engine_troubles troubles;
    struct engine_money money;
    struct rsv_calendar *calendar;

    /* a cycle, and what comes of it */
    struct cycle_marks cycle;
    struct passes passes;
    struct decisions *decisions;
    struct told *told;
    struct wakeups *wakeups;
    struct engine_stats stats;
    struct reason why; /* the last answer of engine_why() */
};

#endif
