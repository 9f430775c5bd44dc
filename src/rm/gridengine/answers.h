/* SPDX-License-Identifier: Apache-2.0
 * What Grid Engine's commands answer, as jobs, hosts and queues. Pure.
 *
 *     qstat -xml -j '*'       what each job asks for, whose it is, its context
 *     qstat -xml -u '*'       what state it is in, task by task of an array
 *     qstat -xml -s hu ...    who holds it, a listing for each kind of hold
 *     qhost -q -j -F -xml     hosts, their queue instances, who has slots of them
 *     qconf -sq '*'           queues
 *     qrstat -xml              advance reservations
 *     accounting              a line for each run that ended
 *
 * Texts of an answer live as long as it. */
#ifndef MAUI_RM_GRIDENGINE_ANSWERS_H
#define MAUI_RM_GRIDENGINE_ANSWERS_H

#include "base/arena.h"
#include "base/err.h"
#include "rm/adapter/squeeze.h"
#include "rm/rm.h"

/* Queues that we make for one job, "maui_4711": no class of anybody. */
#define GE_OWN_QUEUE "maui_"

/* How an advance reservation is called here, before its number. */
#define GE_RESERVATION "ar"

/* qalter -a, for no start time at all. In UTC. */
#define GE_NO_TIME "197001010000"

enum {
    GE_HELD_USER = 1,
    GE_HELD_OPERATOR = 2,
    GE_HELD_SYSTEM = 4,
    GE_HELD_DEPENDENCY = 8
};

/* A request of a job, or what a host has. */
struct ge_value {
    const char *name, *text;
    bool consumable; /* of a host: it is used up by jobs */
};
struct ge_values VEC(struct ge_value);

bool ge_is_own_queue(const char *name);

/* What a start of ours has overwritten, and what else we keep in a job's context. */
struct ge_kept {
    bool overwritten;   /* a start of ours has put its own in their place */
    const char *queues; /* hard queue list as the user asked, "a,b@c"; NULL = none */
    const char *range;  /* slots as the user asked, "2-4"; NULL = as they are */
    const char *cls;    /* class it was started in, where its queue is our own */
    bool gate;          /* the gate holds it: not yet seen by us */
    bool gate_time;     /* ... by a start time in 2038, that is still there */
    bool gate_user;     /* a user's hold is the user's, not the gate's */
};

struct ge_job {
    struct rm_job rm;          /* but for what it asks for and where it runs: shape.h */
    const char *number, *task; /* task NULL: no member of an array */
    const char *letters;       /* its state as qstat has it, "hqw" */
    const char *owner;
    unsigned held;        /* GE_HELD_ bits */
    const char *instance; /* "batch@cn01": where it runs, its master if parallel */
    int64_t slots;        /* that it has, or asks for at least */
    int64_t slots_most;   /* of a range; else as slots */
    const char *pe;       /* parallel environment or NULL */
    struct ge_kept kept;
    const char *const *after;      /* numbers of jobs it waits for; or NULL */
    const char *const *after_task; /* numbers of arrays, whose task of the same index
                                      each of its tasks waits for; or NULL */
    int64_t step;                  /* from task to task */
    const char *soft;              /* queues that it would rather have; or NULL */
    const char *reservation;       /* that it asks for, by its number; or NULL */
    const char *error;      /* why its start failed, where its state is an error */
    int64_t at_once;        /* members of its array that may run at once; 0 = all */
    bool rerun_said, rerun; /* whether it may be rerun; else its queue says that */
    bool deleted;           /* deletion is ordered */
    const struct ge_value *requests; /* hard ones; name NULL ends */
    const char
        *blocked; /* why what it asks for can be had nowhere; or NULL (shape.h) */
};

struct ge_jobs {
    struct arena arena;
    struct VEC(struct ge_job) list; /* by number and task */
    struct VEC(int64_t) cut;        /* numbers of jobs that are there, and too long to
                                       be read; in order */
};

/* A job's slots on a host, in one queue instance. */
struct ge_share {
    const char *number, *task; /* task NULL: no member of an array */
    const char *queue;
    int64_t slots; /* lines that are told, a master's own among them */
    bool master;
};

struct ge_instance {
    const char *queue, *type, *state; /* "BIP"; "au" */
    int64_t slots, used;
};

struct ge_host {
    struct node_desc desc;
    struct VEC(struct ge_instance) instances; /* none of our own */
    struct ge_values values;
    struct VEC(struct ge_share) shares;
};

struct ge_hosts {
    struct arena arena;
    struct VEC(struct ge_host) list;
    struct VEC(const char *) own; /* queues of our own that are there, each once */
};

struct ge_queue {
    const char *name;
    const char *pes; /* "smp mpi", "NONE" */
    bool batch, rerun;
    int64_t sequence;
    const char *text; /* its definition as a whole */
};

struct ge_queues {
    struct arena arena;
    struct VEC(struct ge_queue) list; /* by sequence number, then name; none of ours */
};

/* -1 with an error: it is not what that command prints. Jobs that only one of the two
 * listings has are left out. */
/* What of qstat is read at all, while it is printed: -j, and without. */
extern const struct squeeze_kind ge_squeeze_detail, ge_squeeze_states;
int ge_read_jobs(struct ge_jobs *ret, const char *detail, size_t detail_len,
    const char *states, size_t states_len, struct err *err);
/* All that the listing has are held so. */
int ge_read_held(
    struct ge_jobs *jobs, unsigned held, const char *text, size_t len, struct err *err);
void ge_jobs_free(struct ge_jobs *jobs);
/* What qstat lists as begun, "12" or "12[3]"; texts in `arena`, owned by the caller. */
struct ge_names VEC(const char *);
int ge_read_begun(struct arena *arena, struct ge_names *ret, const char *text,
    size_t len, struct err *err);
/* "12", or "12[3]" for a member of an array: how it is called here. */
const struct ge_job *ge_find_job(const struct ge_jobs *jobs, const char *id);
/* The first whose number is that or follows it; list.n where there is none. */
size_t ge_first_of(const struct ge_jobs *jobs, const char *number);
/* Is that one of those that are too long to be read? By its number, or a member. */
bool ge_is_cut(const struct ge_jobs *jobs, const char *id);
/* Does it wait, for whatever reason? */
bool ge_is_waiting(const struct ge_job *j);

int ge_read_hosts(struct ge_hosts *ret, const char *text, size_t len, struct err *err);
void ge_hosts_free(struct ge_hosts *hosts);
/* May jobs be sent there? */
bool ge_is_open(const struct ge_instance *i);

/* Of qconf -sq '*'. */
void ge_read_queues(struct ge_queues *ret, const char *text, size_t len);
void ge_queues_free(struct ge_queues *queues);
const struct ge_queue *ge_find_queue(const struct ge_queues *queues, const char *name);
/* The line "name value" of a definition, its continued lines joined; the value in the
 * arena, or NULL. */
const char *ge_setting(struct arena *arena, const char *text, const char *name);
/* The same text with another value of that setting; owned by the caller. */
char *ge_with_setting(const char *text, const char *name, const char *value);
/* The definition of a queue of our own, made of another: with these hosts and slots.
 * Owned by the caller. */
char *ge_own_queue(const struct ge_queue *q, const char *name,
    const struct job_place *places, size_t nplaces);

/* Why it takes no jobs, or some of its queues do not, in a sentence of queues and their
 * load; NULL: all are open. In the arena, or static. */
const char *ge_explain_host(
    const struct ge_host *h, const struct ge_queues *queues, struct arena *arena);

/* So many slots of a host. */
struct ge_grant {
    const char *host;
    int64_t slots;
};

struct ge_reservation {
    const char *id; /* "3"; here it is "ar3" */
    const char *owner;
    int64_t start_at, end_at;
    struct VEC(struct ge_grant) grants; /* each host once */
    struct VEC(const char *) users;     /* of its list, none of its groups */
};

struct ge_reservations {
    struct arena arena;
    struct VEC(struct ge_reservation) list;
};

/* Their numbers of qrstat -xml, "1,2"; owned, "" where there are none; NULL with an
 * error. */
char *ge_list_reservations(const char *text, size_t len, struct err *err);
/* Of qrstat -xml -ar; times in UTC. -1 with an error; to be freed all the same. */
int ge_read_reservations(
    struct ge_reservations *ret, const char *text, size_t len, struct err *err);
void ge_reservations_free(struct ge_reservations *all);

/* Ends in a piece of the accounting file, whose first line may be cut: each job as its
 * last run left it, if that ended at `since` or later, seconds since 1970. */
void ge_read_ends(struct ge_jobs *ret, const char *text, size_t len, int64_t since);
/* By number and task; of several of one job the one that ended last. */
void ge_sort_jobs(struct ge_jobs *jobs);

/* "2G", "512M", "1.5g", "1024" bytes: MB, rounded up; -1: none. */
int64_t ge_size_mb(const char *text);
/* "INFINITY" (any case): -1; "1:00:00", "3600"; -2: none. */
int64_t ge_seconds(const char *text);

#endif
