/* SPDX-License-Identifier: Apache-2.0
 * Two lives of the copied world, side by side: one as things are, one with the changes
 * (sim/life.h). Each has a process, and half of the processor time.
 *
 *     copy --+-- changes -- a life -------------------+-- what is different
 *            `-- a process of its own: a life --pipe--'
 *
 * They are compared up to the instant that both got to. Private to src/server. */
#ifndef MAUI_SERVER_LIVES_H
#define MAUI_SERVER_LIVES_H

#include "server/api/identity.h"
#include "server/whatif/picture.h"
#include "sim/life.h"

#include <jansson.h>

#define LIVES_HORIZON_S     86400
#define LIVES_HORIZON_MAX_S (INT64_C(30) * 86400)
#define LIVES_CPU_MS        10000 /* of both together */
#define LIVES_WALL_MS       30000 /* where others have the processors */

/* How a job stands at the end of a life. */
struct lived_stand {
    int64_t asks_ps; /* processor seconds that it asks for; 0 = without limit */
    enum stand stand;
};

/* A life, and how jobs stand at its end, by index. */
struct lived {
    struct life life;
    struct VEC(struct lived_stand) stands;
};

/* How far a life got: read by the process of the other one. */
struct lives_progress {
    _Atomic int64_t at;
    _Atomic unsigned percent; /* of the way to the horizon, or of its time */
};

struct lives {
    struct server *s;
    int64_t now, horizon_at;
    bool usual; /* jobs run as long as is expected of their owners */
    struct life_lengths lengths;
    double cpu_s;                    /* of each */
    struct lives_progress *progress; /* shared: of the life before the changes, after */
    pid_t other; /* the process of the life before the changes; 0 = there is none */
    int fd;      /* from it */
    struct lived before, after;
};

/* After the first cycle. Reads of the WhatIfRequest what concerns it. */
void lives_begin(struct lives *l, struct server *s, const json_t *body);
/* Before the changes: another process lives on without them. */
void lives_split(struct lives *l);
/* This process lives on: with the changes, where lives_split() was called; else both
 * are the same, in `before`. */
void lives_live(struct lives *l);
void lives_end(struct lives *l);

/* Up to there they are compared. */
int64_t lives_until(const struct lives *l);

/* How jobs stand in a life: `now` is the picture that both began with. */
void lives_picture(const struct lives *l, const struct identity *who,
    const struct picture *now, const struct lived *lived, struct picture *ret);
/* Adds to the WhatIfTotals, of the jobs that the picture shows. O(runs log runs). */
void lives_totals(const struct lives *l, const struct picture *p,
    const struct lived *lived, json_t *totals);

#endif
