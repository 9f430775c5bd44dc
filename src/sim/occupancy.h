/* SPDX-License-Identifier: Apache-2.0
 * What the processors did during a replay: quarter hour by quarter hour, and
 * reservation by reservation. */
#ifndef MAUI_SIM_OCCUPANCY_H
#define MAUI_SIM_OCCUPANCY_H

#include "cluster/reservation.h"

/* The length of a slot; slots begin at multiples of it on the engine's clock. */
#define OCCUPANCY_SLOT_S 900

/* Processors, or processor seconds. No processor is in two of them. */
struct occupancy_use {
    double jobs;     /* used by jobs outside of reservations, or without access */
    double reserved; /* used by jobs inside reservations that they have access to */
    double idle;     /* reserved, and used by nobody */
    double down;     /* of nodes that are not up */
};

/* All reservations of one name: the instances of a standing one, or those that setres
 * named alike. */
struct occupancy_rsv {
    char *name; /* owned */
    enum rsv_kind kind;
    uint32_t windows;          /* that began */
    double held_now, used_now; /* processors */
    double held_ps, used_ps;   /* processor seconds */
};

struct occupancy_seen {
    uint64_t serial; /* of the reservation; 0 = none */
    uint32_t rsv;    /* place in `rsvs` */
};

struct occupancy {
    int64_t first_slot; /* number of the first, = its begin / OCCUPANCY_SLOT_S */
    struct VEC(struct occupancy_use) slots; /* processor seconds */
    struct VEC(struct occupancy_rsv) rsvs;  /* in order of their first window */
    double procs;                           /* of all nodes */
    int64_t begin_at, end_at;               /* engine time */
    /* kept between samples */
    struct occupancy_use now;
    struct VEC(struct occupancy_seen) seen; /* by index of the reservation */
};

/* The state of the cluster holds from `now` (engine time) to the next call. A zeroed
 * struct is ready for the first. O(active jobs + reserved nodes x jobs there). */
void occupancy_sample(struct occupancy *o, struct cluster *c, int64_t now);

/* Nothing holds any more from `now` on. */
void occupancy_end(struct occupancy *o, int64_t now);

/* A copy of what was added up, owned by the caller. */
struct occupancy occupancy_copy(const struct occupancy *o);
void occupancy_fini(struct occupancy *o);

/* The use of [from, to), engine time, in processor seconds; slots count as a whole. */
struct occupancy_use occupancy_sum(const struct occupancy *o, int64_t from, int64_t to);

#endif
