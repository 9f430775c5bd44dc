/* SPDX-License-Identifier: Apache-2.0
 * The adapter's own: one record for the process, and what its parts call of each other.
 *
 *     look.c     qstat, qhost side by side, now and then qconf; then all is told
 *     tell.c     hosts and jobs as they are told; jobs that ended
 *     orders.c   qalter, qdel, qmod ...: each a command of its own
 *     starts.c   one place to go to, then the release; taken back where it does not run
 *     glance.c   which of the starts have come about, without a look at everything
 *     hurry.c    Grid Engine's scheduler is asked to look at once
 *     tidy.c     what every waiting job has to be like: held by us, as its user asked
 *
 * Grid Engine's own scheduler starts whatever it may. So every job that waits has a
 * system hold, and is let go with one place to go to. */
#ifndef MAUI_RM_GRIDENGINE_GRIDENGINE_H
#define MAUI_RM_GRIDENGINE_GRIDENGINE_H

#include "base/vec.h"
#include "rm/adapter/agent.h"
#include "rm/adapter/listing.h"
#include "rm/adapter/run.h"
#include "rm/gridengine/shape.h"

enum ge_question {
    ASK_DETAIL,
    ASK_STATES,
    ASK_USER,
    ASK_OPERATOR,
    ASK_SYSTEM,
    ASK_DEPENDENT,
    ASK_HOSTS,
    ASKS
};

/* A start, from the order to what became of it. */
enum ge_step {
    STEP_NONE,
    STEP_QUEUED,   /* another task of its array goes first, somewhere else */
    STEP_ORDERED,  /* its commands run */
    STEP_RELEASED, /* it may run */
    STEP_TAKING,   /* it has not run in time: its hold is put back */
    STEP_TAKEN     /* ... and the next look tells whether that was in time */
};

/* What is kept beside a job that was told. */
struct ge_told {
    size_t index;       /* in the last answer */
    bool listed;        /* in it */
    bool waiting, over; /* as last seen */
    bool begun;         /* it has run, or was let go */
    bool deleted;       /* somebody ordered its end */
    int64_t submit_at;
    int64_t changed_ms; /* when an order of ours had changed it */
    int64_t refused_ms; /* when its own queues could not be put back; 0 = they can */
    int64_t over_ms;    /* when its end was told */
    int64_t gone_ms;    /* since when it is missed; 0 = it is not */
    enum ge_step step;
    char *instance;       /* owned; a start: where it goes to */
    struct start *queued; /* owned: a start that waits for its turn (starts.c) */
    char *note;           /* owned: what is to be shown of it (notes.c) */
    bool tidying;         /* commands that put it right run */
};

struct ge_adapter {
    struct agent *agent;
    struct runs *runs;
    struct listing *nodes, *jobs, *reservations;
    int64_t start_wait_ms, timeout_ms; /* of each command */
    char *files;                       /* owned: how files that commands read begin */
    char *accounting;                  /* owned: the cell's file */
    struct ge_look *look;              /* look.c */
    struct ge_hurry *hurry;            /* hurry.c */
    unsigned let_go;                   /* commands that let jobs go, under way */
    int64_t let_go_ms;                 /* when the last began; 0 = none */
    bool told_past;                    /* what ended while nobody looked */
    bool starting;                     /* a job is told as starting, or runs untold */
    int64_t accounted;                 /* bytes of the accounting file that were read */
    struct VEC(struct start *) releases; /* owned: to be let go in this turn */
    sd_event_source *releasing;
    struct follow *ends; /* the accounting file grows */
    unsigned tidying;    /* commands of tidy.c that run */
    unsigned noting;     /* commands of notes.c that run */
    int64_t glance_ms;   /* glance.c: since when its command runs; 0 = it does not */
    bool complained, deleting; /* tidy.c */
    uint64_t remarked;         /* tidy.c: the last refusal that was said */
    /* the last answers */
    struct ge_jobs jobs_answer;
    struct ge_hosts hosts_answer;
    struct ge_queues queues;
    struct ge_reservations reserved;
    struct ge_pe *pes;       /* owned; name NULL ends; names owned */
    struct ge_group *groups; /* the same, hosts owned too */
};

/* ---- look.c ---- */
struct ge_look *ge_look_new(void);
void ge_look_destroy(struct ge_adapter *g); /* with the answers */
void ge_look(struct ge_adapter *g);
/* When the look began whose answers are there. What changed since they do not show. */
int64_t ge_look_began_ms(const struct ge_adapter *g);
/* Run a command of Grid Engine; times are printed in UTC. `first`: starts that wait for
 * their turn do not hold it up. */
void ge_run(struct ge_adapter *g, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx);
/* The same, for an order that was acknowledged: also where the daemon ends before. */
void ge_order(struct ge_adapter *g, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx);
/* Does that say that the master is out of reach? */
bool ge_is_away(const struct run_end *end);
/* ... that there is no such job (any more)? */
bool ge_is_gone(const struct run_end *end);
struct ge_site ge_site_of(const struct ge_adapter *g);

/* ---- tell.c ---- */
void ge_tell_nodes(struct ge_adapter *g);
/* Advance reservations, of the hosts that they have as a whole. */
void ge_tell_reservations(struct ge_adapter *g);
void ge_tell_jobs(struct ge_adapter *g);
/* The accounting file has grown: jobs whose end is beyond doubt are told at once.
 * False: there is more to be seen, by a look. */
bool ge_tell_news(struct ge_adapter *g);
/* Of a job that was told and is listed; or NULL. */
const struct ge_job *ge_answer_of(const struct ge_adapter *g, const struct ge_told *t);

/* ---- orders.c ---- */
void ge_command(struct ge_adapter *g, const struct rm_command *c);
/* "12[3]" as "12.3"; owned by the caller. */
char *ge_name(const char *id);

/* ---- starts.c ---- */
void ge_start(struct ge_adapter *g, const struct rm_command *c);
/* Nobody waits for an answer any more: what was let go and does not run is tidied up.
 * The other one: whatever of a start is kept beside the job is dropped. */
void ge_forget_start(struct ge_told *t);
void ge_end_start(struct ge_told *t);
/* At the end: what has not been let go yet is not. */
void ge_drop_releases(struct ge_adapter *g);
/* Of starts that were ordered: those that came about or did not. */
void ge_review_starts(struct ge_adapter *g);
/* It was seen to run at that time, by clock_ms(). */
void ge_note_begun(struct ge_adapter *g, const char *job, int64_t seen_ms);
/* Starts that waited for others, whose turn has come. */
void ge_go_on(struct ge_adapter *g);

/* ---- glance.c ---- */
void ge_glance(struct ge_adapter *g);

/* ---- hurry.c ---- */
struct ge_hurry *ge_hurry_new(void);
void ge_hurry_destroy(struct ge_hurry *h);
/* Of qconf -ssconf. */
void ge_read_interval(struct ge_hurry *h, const char *conf);
/* How long a job that was let go may take to start: `least_ms`, and longer where the
 * next run of Grid Engine's scheduler has to be waited for. */
int64_t ge_start_patience_ms(const struct ge_hurry *h, int64_t least_ms);
/* A job was let go: Grid Engine's scheduler is to run. `more`: others will be in a
 * moment, and one run does for several. */
void ge_hurry(struct ge_adapter *g, bool more);

/* ---- tidy.c ---- */
/* Does it wait for us alone, and for no gate? */
bool ge_is_held(const struct ge_job *j);
/* Puts right what the last look showed. */
void ge_tidy(struct ge_adapter *g);

/* ---- notes.c ---- */
void ge_note(struct ge_adapter *g, const struct rm_note *n);
/* Writes some of those that are due. */
void ge_write_notes(struct ge_adapter *g);

/* ---- adapter.c ---- */
int ge_adapter(void);

#endif
