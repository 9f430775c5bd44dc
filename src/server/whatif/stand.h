/* SPDX-License-Identifier: Apache-2.0
 * Where a job stands, and what a change comes to for it: rules, of nothing but their
 * arguments. Private to src/server. */
#ifndef MAUI_SERVER_STAND_H
#define MAUI_SERVER_STAND_H

#include <stdbool.h>
#include <stdint.h>

/* In order of how much is known of its start. */
enum stand {
    STAND_NONE,     /* there is no such job */
    STAND_RUNNING,  /* it is on nodes, or suspended: since `at` */
    STAND_PROMISED, /* the plan has a reservation for it, at `at` */
    STAND_FORECAST, /* at `at`, if it waits for nothing but room: an assumption */
    STAND_BEYOND,   /* not before `at`, up to which all was lived through */
    STAND_WAITING,  /* for nothing but room, and nobody knows until when */
    STAND_NEVER,    /* it could not start any more, as things are */
    STAND_HELD,     /* something other than room keeps it back: a hold, a limit ... */
    STANDS
};

/* "running", "promised" ...: as the API tells it. */
const char *stand_name(enum stand s);

struct standing {
    enum stand stand;
    int64_t at;          /* seconds since 1970; 0 = not known */
    int64_t promised_at; /* the start that it was promised; 0 = none */
    bool unreached; /* WAITING: there was no time to plan it, so nothing is known */
};

/* What it comes to. */
enum shift {
    SHIFT_NONE,
    SHIFT_EARLIER,
    SHIFT_LATER,
    SHIFT_CUT,    /* it ran, and would run no more: preempted, requeued, cancelled */
    SHIFT_HELD,   /* its start was known, and something other than room would keep it */
    SHIFT_FREED,  /* it was kept back, and would have a start; not of one that was
                     unreached before */
    SHIFT_NEVER,  /* could not start any more */
    SHIFT_GONE,   /* it waited, and would not be there any more */
    SHIFT_PLACED, /* it is new */
    SHIFTS
};

/* "earlier", "later", "cut" ...; NULL of SHIFT_NONE. */
const char *shift_name(enum shift s);

/* O(1). */
enum shift shift_of(struct standing before, struct standing after);

/* Was it promised a start that it would not have any more, or later? Not of one that
 * goes. */
bool shift_breaks(struct standing before, struct standing after);

/* Seconds by which its start is later, negative: earlier. True when both are known. */
bool shift_delta(struct standing before, struct standing after, int64_t *ret_s);

#endif
