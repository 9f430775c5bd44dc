/* SPDX-License-Identifier: Apache-2.0
 * What calendar.c and review.c share. Private to them. */
#ifndef MAUI_ENGINE_CALENDAR_PRIVATE_H
#define MAUI_ENGINE_CALENDAR_PRIVATE_H

#include "engine/calendar.h"

/* Which kinds of reservations there are. */
struct rsv_kinds {
    uint64_t epoch; /* 1 + cluster.rsv_epoch */
    bool ended, floating, flexible, triggers;
};

struct rsv_calendar {
    struct zone zone;
    struct VEC(int64_t) roll_at; /* by standing reservation: its next period */
    int64_t roll_next;           /* the first of those */
    uint64_t settings_epoch;     /* that the standing ones were made by */
    int64_t until;               /* made as far as that, too: calendar_reach() */
    bool extend;                 /* ... in the next cycle */
    struct rsv_kinds kinds;
    uint64_t flex_stamp;  /* what was when no reservation could move; 0 = unknown */
    uint64_t hosts_epoch; /* of the nodes that lists of hosts were resolved in */
    size_t hosts_nodes;
};

/* review.c: reservations in a world that changed */
void review_settings(struct engine *e); /* standing ones follow their sections */
void review_nodes(struct engine *e);    /* lists of hosts are resolved again */
void review_flexible(struct engine *e); /* SPACEFLEX, TIMEFLEX */

#endif
