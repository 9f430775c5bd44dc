/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share. */
#ifndef MAUI_SERVER_TIMELINE_PRIVATE_H
#define MAUI_SERVER_TIMELINE_PRIVATE_H

#include "engine/outlook.h"
#include "server/timeline/past.h"
#include "server/timeline/timeline.h"

/* So many pictures with groups folded are looked at in turn without making them anew.
 */
#define ROWS_FOLDED 8

/* A foresight that is being made, in this order. */
enum making {
    MAKING_PROMISES,
    MAKING_CHOICE,
    MAKING_FORECAST,
    MAKING_PLACES, /* of the forecast */
    MAKING_NOTHING
};

struct timeline {
    struct past *past;
    uint64_t looks;                   /* at nodes, for pictures */
    struct rows *rows[ROWS_BYS];      /* NULL until somebody asks */
    struct rows *folded[ROWS_FOLDED]; /* the same, of the last questions */
    size_t next_folded;               /* which of them goes next */
    struct foresight now;
    bool has_forecast; /* it is in `now` */
    enum making making;
    uint64_t revision;         /* of the world in which it is being made */
    unsigned broken;           /* off, so often, by changes of that */
    size_t looked;             /* of the queue */
    uint32_t waiting;          /* so many of those may be in it */
    struct indexes candidates; /* the first of them, in the queue's order */
    struct outlook *forecast;  /* NULL = none is being worked out */
    struct placing *placing;   /* the same of places, of promises or of the forecast */
    uint64_t placed_plan;      /* feed_plan() of which those are */
};

#endif
