/* SPDX-License-Identifier: Apache-2.0
 * A window of nodes and time: what is in it, as far as somebody may see it. Rows are
 * looked at one after another, so that it can be done in turns:
 *
 *     collect_begin()
 *     while (collect_more(v, 100)) ...
 *     v->pieces, v->objects, v->cells
 *
 * It has pieces (who has so many processors of these rows from then till then) or,
 * where there are more than anybody could draw, cells: what share of the processor time
 * of some rows and some seconds each layer takes. */
#ifndef MAUI_SERVER_COLLECT_H
#define MAUI_SERVER_COLLECT_H

#include "base/vec.h"
#include "cluster/cred.h"
#include "server/api/identity.h"
#include "server/timeline/timeline.h"

struct strbuf;

/* More pieces become cells. */
#define PIECES_MAX 20000

enum layer {
    LAYER_USE,
    LAYER_PROMISED,
    LAYER_FORECAST,
    LAYER_RESERVED,
    LAYER_DOWN,
    LAYER_ENDED,
    LAYERS
};
/* "use", "promised" ...; NULL beyond. */
const char *layer_name(size_t layer);

enum piece_kind {
    PIECE_RUNNING,
    PIECE_SUSPENDED,
    PIECE_OVERRUN, /* of a running job, beyond its limit */
    PIECE_PROMISED,
    PIECE_FORECAST,
    PIECE_RESERVED,
    PIECE_STANDING,
    PIECE_DOWN,
    PIECE_DRAINED,
    PIECE_UNKNOWN,
    PIECE_ENDED,
    PIECE_FAILED,
    PIECE_KINDS
};

struct piece {
    uint32_t row, rows;
    int64_t start_at, end_at;
    uint32_t object; /* UINT32_MAX: of none; cells need none */
    uint32_t colour; /* of one in use: number of its credential; UINT32_MAX: none */
    uint32_t procs;  /* of each row, all its nodes together */
    enum piece_kind kind;
};

#define PRIORITY_UNKNOWN INT64_MIN

/* A job or a reservation that pieces are of. */
struct piece_object {
    char *id; /* owned */
    bool is_job;
    uint32_t cred[CRED_KINDS]; /* index in `names` of the kind; UINT32_MAX = none */
    int64_t start_at, end_at;
    int64_t submit_at; /* TIME_NEVER: no job */
    int64_t priority;  /* of a job that waits or runs; else PRIORITY_UNKNOWN */
    double efficiency; /* percent; less than 0: unknown, or not for the caller */
    uint32_t procs;
};

/* [line * columns + column], sums of processor seconds. */
struct cells {
    uint32_t columns, lines;
    uint32_t rows_a_line;
    int64_t seconds_a_column;
    float *sum[LAYERS];     /* NULL: not asked for */
    uint32_t *more[LAYERS]; /* processors from this column on, beyond those before; */
    bool summed;            /* they are in `sum` */
    float *most;            /* of the colour that leads, */
    uint32_t *colour;       /* and which */
    double *procs;          /* by line */
    uint64_t adds;          /* to them, so far */
};

/* The question. */
struct window_asked {
    int64_t from_at, to_at;
    uint32_t first, rows;
    uint32_t width, height; /* of the picture */
    unsigned layers;        /* 1 << enum layer */
    enum cred_kind colour;
    bool pieces, cells; /* neither: as it suits */
};

struct named_creds {
    struct VEC(const char *) names;
    struct VEC(uint32_t) number; /* by credential index: place in `names` + 1 */
};

struct collected {
    struct server *s;
    struct identity who;
    struct window_asked asked;
    struct rows *rows;       /* held */
    int64_t at;              /* when it was begun */
    uint64_t revision, plan; /* that were in force then: feed.h */
    uint64_t world;          /* world_revision() then */
    size_t next_ended;       /* of `ended` */
    uint32_t next;           /* row that is looked at next, */
    uint32_t next_node;      /* and place in `rows->node` */
    struct VEC(struct piece) pieces;
    struct VEC(struct piece_object) objects;
    struct VEC(uint32_t) of_job, of_rsv; /* by index: object + 1 */
    struct VEC(uint32_t) open, opening;  /* pieces that reach the last row, this one */
    size_t next_open;                    /* of `open`: the likeliest to go on */
    /* In a row that is several nodes: by object and kind, its last piece + 1. */
    struct VEC(uint32_t) gathered;
    uint32_t gathered_state[PIECE_KINDS]; /* the same of those that are of none */
    struct VEC(uint32_t) suspended;       /* jobs, by index */
    struct VEC(struct piece) ended;       /* in order of rows */
    struct named_creds named[CRED_KINDS];
    struct cells *cells; /* owned; NULL = pieces */
    size_t celled;       /* so many of `pieces` are in them; the rest is to come */
};

/* Takes over the hold of the rows. */
struct collected *collect_begin(struct server *s, const struct identity *who,
    const struct window_asked *asked, struct rows *rows);
/* Look at up to so many nodes, and at fewer where they take many cells; false: all have
 * been seen. */
bool collect_more(struct collected *v, uint32_t nodes);
/* All rows that were looked at are of one state of the world: nothing has changed since
 * it was begun. */
bool collect_is_whole(const struct collected *v);
void collect_end(struct collected *v);

/* The same as bytes (docs/timeline-format.md), with what the state was that it shows,
 * in turns too. What was collected stays until writing_end(). */
struct writing *writing_begin(const struct collected *v, const char *state);
/* Up to so many numbers further; false: all are written. */
bool writing_more(struct writing *w, size_t items);
/* Once they are. O(bytes). */
void writing_tell(struct writing *w, struct strbuf *out);
void writing_end(struct writing *w); /* NULL is allowed */

#endif
