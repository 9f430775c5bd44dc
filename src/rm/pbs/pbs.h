/* SPDX-License-Identifier: Apache-2.0
 * The adapter's own: one record for the process, and what its parts call of each other.
 *
 *     look.c     qstat, pbsnodes, qstat -Q side by side; what has vanished, from the
 *                history; then all is told
 *     tell.c     nodes and jobs as they are told; starts that have come about
 *     orders.c   qrun -a -H, qdel, qsig ...: each a command of its own
 *     notes.c    why a job waits, as its comment
 *     line.c     these commands over a connection that is kept, where PBS has a library
 *
 * PBS's own scheduler is off (scheduling=False): a job that waits, waits until qrun. */
#ifndef MAUI_RM_PBS_PBS_H
#define MAUI_RM_PBS_PBS_H

#include "rm/adapter/agent.h"
#include "rm/adapter/listing.h"
#include "rm/adapter/run.h"
#include "rm/adapter/wake.h"
#include "rm/pbs/answers.h"
#include "rm/pbs/line.h"

#define PBS_LEAST_MS 1000 /* each look has three ports of the 512 for a minute */

#define PBS_PAST_S     86400 /* ends before that are not looked for when we begin */
#define PBS_LINES_MOST 3

/* What has connections of its own, so that the one does not wait for the other. */
enum pbs_lines {
    LINES_LOOKS, /* jobs; nodes and queues */
    LINES_QUICK, /* orders that the server alone carries out */
    LINES_SLOW,  /* ... that wait for nodes */
    LINES
};

enum pbs_question { ASK_JOBS, ASK_NODES, ASK_QUEUES, ASKS };

/* What is kept beside a job that was told. */
struct pbs_told {
    char *name;         /* owned: as the server has it, "15[4].head1" */
    bool waiting, over; /* as last seen */
    enum job_state state;
    int64_t runs, runs_before; /* before: when a start was ordered */
    unsigned changing;         /* orders other than starts that are under way for it */
    int64_t changed_ms;        /* when an order of ours had changed it */
    bool ordered;              /* a start that has not come about */
    bool asking;               /* its qrun waits or runs, whatever the order did */
    int64_t leaving_ms;        /* since when it is seen to end; 0 = it is not */
    char *note;                /* owned: not written yet; or NULL */
};

/* From which second of the server's on a look asks for what has changed: that of the
 * last change that was seen. Who changes in the same second is seen as well; once it is
 * over for sure it is the next. */
struct pbs_since {
    int64_t at;      /* 0: all is asked for */
    int64_t seen_ms; /* when that change was first seen */
    int64_t all_ms;  /* when all was asked for last */
    int64_t ends_ms; /* until then those that have ended are asked for apart */
};

/* Notes: how many are on their way, how many a second there may be, when the last were
 * begun, and from when on there may be more. */
struct pbs_noting {
    unsigned on_way, rate;
    int64_t begun_ms, again_ms;
    int64_t started_ms; /* when a start had come about last */
};

struct pbs_adapter {
    struct agent *agent;
    struct runs *runs;
    struct line *lines[LINES][PBS_LINES_MOST]; /* NULL: not so many, or no library */
    struct beat *beat;
    struct wake *wake;
    struct follow *accounted;
    struct listing *nodes, *jobs;
    int64_t start_wait_ms, timeout_ms; /* of each command */
    enum pbs_dialect dialect;
    bool dialect_known;
    /* the look that is under way */
    char *texts[ASKS]; /* owned: answers */
    size_t lens[ASKS];
    int asked;
    int64_t began_ms; /* what it shows of jobs changed since is of before */
    char why[400];
    bool away;
    struct pbs_since since;
    struct pbs_noting notes;
    bool past_told;  /* what ended before this process began */
    int past_failed; /* looks that asked in vain for what ended, in a row */
    int64_t past_asked_ms,
        past_again_ms; /* when one asked; 0, or until when none does */
    uint64_t remarked; /* what was said of jobs that are too long */
    /* the last answers */
    struct pbs_answer jobs_answer, nodes_answer, past_answer;
    char *queues; /* owned: qstat -Q -f */
};

/* ---- look.c ---- */
void pbs_look(struct pbs_adapter *p);
void pbs_look_free(struct pbs_adapter *p);
/* Run a command of PBS; times are printed in UTC. `first`: starts that wait for their
 * turn do not hold it up. Jobs are given by their names at the server. */
void pbs_run(struct pbs_adapter *p, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx);
/* The same, for an order that was acknowledged: also where the daemon ends before. */
void pbs_order(struct pbs_adapter *p, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx);
/* Are looks cheap, as a connection is kept? */
bool pbs_is_lined(const struct pbs_adapter *p);
/* Does that say that the server is out of reach? */
bool pbs_is_away(const struct run_end *end);

/* ---- tell.c ---- */
void pbs_tell_nodes(struct pbs_adapter *p);
void pbs_tell_jobs(struct pbs_adapter *p);
/* How many told jobs have not ended and are not in the answer; the names of the first
 * `most` of them at the server are put into `ret`. */
size_t pbs_list_missing(struct pbs_adapter *p, const char **ret, size_t most);
/* Does it wait for a start? */
bool pbs_is_waiting(const struct pbs_job *j);
/* Is a job just leaving its nodes? One that has been for long does not count. */
bool pbs_is_leaving(const struct pbs_adapter *p);

/* ---- names.c ---- */
/* "15[].head1" of "15[4].head1"; of others the name itself. Owned. */
char *pbs_array_name(const char *name);

/* ---- orders.c ---- */
void pbs_command(struct pbs_adapter *p, const struct rm_command *c);
/* Of starts that were ordered: those that came about or did not. */
void pbs_review_orders(struct pbs_adapter *p);

/* ---- notes.c ---- */
void pbs_note(struct pbs_adapter *p, const struct rm_note *n);
/* Those that are not written yet, a few at a time. */
void pbs_write_notes(struct pbs_adapter *p);

/* ---- adapter.c ---- */
int pbs_adapter(void);

#endif
