/* SPDX-License-Identifier: Apache-2.0
 * The state in numbers over time: a point a minute of the last two days, and one each
 * ten minutes of the last sixty. The latter outlive a restart (records of the store,
 * 0.6 MB at most); 0.4 MB of memory when both are full. Private to src/server. */
#ifndef MAUI_SERVER_SERIES_H
#define MAUI_SERVER_SERIES_H

#include <stddef.h>
#include <stdint.h>

struct server;

enum series_name {
    SERIES_PROCS,        /* up */
    SERIES_PROCS_ACTIVE, /* of jobs that run */
    SERIES_ACTIVE,       /* jobs */
    SERIES_ELIGIBLE,
    SERIES_BLOCKED,
    SERIES_BACKLOG, /* processor hours that eligible jobs ask for */
    SERIES_WAIT,    /* seconds that eligible jobs have waited, on average */
    SERIES_NAMES
};

struct series_point {
    uint32_t at; /* minutes since 1970 */
    uint32_t v[SERIES_NAMES];
};

/* With the points of former lives. */
void series_open(struct server *s);
void series_close(struct server *s);

/* After a cycle: a point, if a minute has passed since the last. O(jobs) then. */
void series_note(struct server *s);

/* Points of from..to (seconds), ascending, at most n: each the average of as many
 * minutes as that makes. Returns their number. O(points kept). */
size_t series_read(const struct server *s, int64_t from, int64_t to, size_t n,
    struct series_point *ret);

#endif
