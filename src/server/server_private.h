/* SPDX-License-Identifier: Apache-2.0
 * What the files of the daemon share: one context, and who does what with it.
 *
 *   RM report ─> manager.c ─┐                        ┌─> store (durable.c, journal.c)
 *   HTTP request ─> api_*.c ┼─> world.c ─> engine ───┤        commit.c: one commit for
 *   timers ─> cycle.c ──────┘                        └─> outbox, kept replies
 *                                                         after it: manager.c carries
 *                                                         out, replies are sent
 *
 * Private to src/server. */
#ifndef MAUI_SERVER_SERVER_PRIVATE_H
#define MAUI_SERVER_SERVER_PRIVATE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "config/config.h"
#include "engine/engine.h"
#include "rm/rm.h"
#include "server/durable/unsaved.h"
#include "server/http/http.h"
#include "server/http/route.h"
#include "server/managers/reslimit.h"
#include "server/process/log.h"
#include "server/server.h"
#include "store/store.h"

#include <sys/queue.h>
#include <systemd/sd-event.h>

enum server_mode { MODE_NORMAL, MODE_TEST, MODE_SIMULATION, MODE_SINGLESTEP };

/* Order within one turn of the loop: who calls and what is told first, then one cycle,
 * then one commit for all of it. */
enum {
    PRIORITY_CYCLE = 10,
    PRIORITY_COMMIT = 20,
    PRIORITY_HTTP = 25, /* replies that go out never put off what was decided */
    PRIORITY_TICK = 30,
    PRIORITY_READERS = 40
};

/* A reply that waits for the commit. */
struct kept_reply {
    struct request *request;
    json_t *body;
};

struct eventlog;
struct lists;
struct manager;
struct metrics;
struct notify;
struct orders;
struct readers;
struct rmreservations;
struct schema;
struct simulation;
struct statfile;
struct triggers;
struct watch;

/* changes.c: a parameter changed at run time. */
struct parameter_change {
    char *name, *text; /* FSDEPTH, and the line: "FSDEPTH 5" */
    bool kept;         /* over restarts */
};

/* messages.c: left by an administrator. */
struct admin_message {
    int number;
    char *text, *user; /* owned */
};

/* rsvkeep.c: a reservation that has a record in the store. */
struct kept_reservation {
    char *name;
    uint32_t index;
    uint64_t serial, changed;
    size_t fired; /* triggers */
    json_t *record;
};

/* usage.c: an instance of a standing reservation that has a record. */
struct kept_instance {
    char *name;
    bool wanted;
    uint64_t stamp; /* of what was written */
};

/* What the daemon knows of a job besides the cluster: told by the RM or the user. By
 * job index. */
struct job_notes {
    char *id; /* whose notes these are: indexes are used again */
    char *name, *directory, *output, *error, *command;
    double cpu_s;
    int64_t mem_mb, swap_mb, disk_mb;
    struct job_usage usage;
    int exit_status;
    char *notes;        /* what the RM says of it */
    struct job_end end; /* why it ended; `name` and `said` are its own */
    bool renamed;       /* `name` was changed since: not the RM's any more */
    char *message;      /* of a user or administrator (mjobctl -m messages) */
};

struct server {
    struct server_options opt;
    enum server_mode mode;
    sd_event *loop;
    struct log *log;
    int64_t log_level; /* LOGLEVEL as configured last */
    int lock_fd;
    char *home, *state_path, *socket_path, *config_path;

    struct config *config; /* owns the settings in force */
    struct engine *engine;
    struct store *store;
    struct unsaved *unsaved;
    struct http *http;
    struct schema *schema; /* of what the API takes */
    const struct rm_driver *driver;
    struct rm *rm;
    struct simulation *simulation; /* simulation.c; NULL = real time */

    struct VEC(struct parameter_change) changes;
    struct VEC(struct admin_message) messages; /* by number */

    int64_t journal_bytes; /* journal.c: of this life */

    /* whole.c */
    bool whole;     /* the engine knows all that was acknowledged */
    bool impatient; /* that is not waited for any more */
    sd_event_source *patience;
    struct VEC(struct request *) parked;

    struct lists *lists;   /* stream.c */
    struct orders *orders; /* order.c */
    unsigned streams;      /* lists being made */
    uint64_t revision;     /* of what lists tell: it changes when that does */

    /* world.c */
    struct actions actions;       /* scratch of a cycle */
    struct VEC(uint32_t) dirty;   /* jobs whose records are to be written */
    struct VEC(uint8_t) is_dirty; /* by job index */
    struct VEC(struct job_notes) notes;
    int64_t clock;       /* never goes back while an engine lives */
    int64_t last_number; /* that a job was given, record_number() */
    json_t *passed; /* passed.c: of before the restart; NULL when all jobs are told */
    uint64_t passed_epoch;                /* what the record has */
    bool restless_before, restless_saved; /* restless.c: in the last life; the record */
    uint64_t passed_at;                   /* when it was written, of the loop's clock */
    int64_t clock_offset; /* of the real clock from that of the boot, seconds */
    bool clock_set;       /* it was set forward: to be looked into before a cycle */
    bool clock_ahead;     /* ours is ahead of the real one, which was set back */
    bool clock_wrong;     /* it has been ahead of the real one by much */

    /* cycle.c */
    sd_event_source *cycle_now, *cycle_timer;
    bool cycle_wanted, paused;
    int64_t stop_at_iteration, stop_at, resume_at; /* < 0, 0, 0 = none */
    bool alone;               /* nobody is answered until scheduling stops */
    int64_t rm_failure_until; /* the resource manager is taken to be away; 0 = not */
    uint64_t iteration;
    int64_t started_at, last_cycle_at;
    double last_cycle_s;

    /* rsvkeep.c */
    struct VEC(struct kept_reservation) kept_reservations;
    bool reservations_restored;

    /* usage.c */
    struct VEC(struct kept_instance) kept_instances;
    uint64_t usage_epoch;
    int64_t usage_at;

    /* commit.c */
    sd_event_source *commit_now, *commit_retry;
    struct VEC(struct kept_reply) kept;
    bool commit_failing;
    char commit_why[400]; /* not, while it fails */

    /* manager.c */
    struct manager *manager;
    TAILQ_HEAD(, submitting) submitting; /* api/submit.c: not all handed on yet */

    struct watch *watch;
    struct rmreservations *rmreservations; /* managers/reservation.c */
    struct eventlog *eventlog;
    struct notify *notify;
    struct statfile *statfile;
    struct metrics *metrics;
    struct readers *readers; /* api/events.c */
    struct triggers *triggers;
};

/* server.c: an engine that knows nothing yet, for the settings in force. */
struct engine *server_engine(struct server *s);
/* End the loop in a moment. */
void server_stop(struct server *s);
/* Read the configuration again, with the changes made at run time behind it; on failure
 * the old one stays in force. */
int server_configure(struct server *s, struct err *err);
/* The same, and changes that are not kept over restarts are forgotten. */
int server_reload(struct server *s, struct err *err);

/* Are programs of the site run? Not when nothing happens in earnest. */
static inline bool server_acts(const struct server *s)
{
    return s->mode != MODE_TEST && s->mode != MODE_SIMULATION;
}

/* ---- world.c: every change of the engine passes here ---- */

/* Seconds since 1970, read once a turn of the loop; of a simulation its own clock. */
int64_t world_now(struct server *s);
/* Apply, journal, mark what is to be written, want a cycle; *ret as engine_apply(). */
int world_apply(struct server *s, struct event *ev, uint32_t *ret, struct err *err);
void world_cycle(struct server *s);
/* The job's record is to be written with the next commit. */
void world_touch(struct server *s, uint32_t job);
void world_save(struct server *s); /* put what was touched into the batch */
void world_close(struct server *s);
struct job_notes *world_notes(struct server *s, const struct job *j);
/* Why it ends: its texts are copied. */
void world_note_end(struct server *s, const struct job *j, const struct job_end *end);

/* ---- cycle.c: when ---- */
int cycle_open(struct server *s, struct err *err);
void cycle_close(struct server *s);
void cycle_want(struct server *s); /* soon: after JOBAGGREGATIONTIME */
void cycle_run(struct server *s);  /* now: what an iteration is */
void cycle_stop(struct server *s); /* until told to go on */

/* ---- commit.c ---- */
int commit_open(struct server *s, struct err *err);
/* For the last time, while resource managers and clients still hear of it. */
void commit_finish(struct server *s);
void commit_close(struct server *s);
/* -1 with the reason while commits fail: what need not be begun is not. */
int commit_possible(struct server *s, struct err *err);
void commit_want(struct server *s);
/* Send this reply when all that was changed so far is on the disk. */
void commit_then_reply(struct server *s, struct request *r, json_t *body);

/* ---- api ---- */
const struct route *api_routes(size_t *ret_n);

#endif
