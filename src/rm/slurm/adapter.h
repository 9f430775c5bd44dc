/* SPDX-License-Identifier: Apache-2.0
 * The adapter's own: one record for the process, its tables of what was told, and what
 * its parts call of each other. Only these files include Slurm's header. */
#ifndef MAUI_RM_SLURM_ADAPTER_H
#define MAUI_RM_SLURM_ADAPTER_H

#include "base/err.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "rm/adapter/asked.h"
#include "rm/adapter/beat.h"
#include "rm/adapter/clock.h"
#include "rm/adapter/digest.h"
#include "rm/adapter/link.h"
#include "rm/rm.h"
#include "rm/slurm/slurm_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the site factor of a job says; the gate sets it as well (job_submit.lua). Above
 * these two bits stands the priority that an administrator gave the job. */
enum gate_mark { MARK_NONE, MARK_KEPT, MARK_HELD, MARK_LIFTED };
#define MARK_BITS   2
#define MARK_ADMINS (1u << 30) /* above the priority: an administrator holds it */

/* Facts of slurm.conf that change how requests are read. */
struct slurm_facts {
    bool memory;      /* memory is allocated to jobs, not only asked of nodes */
    bool whole_node;  /* nodes are never shared */
    bool user_labels; /* --exclusive=mcs: nodes with own jobs only */
    uint32_t max_array;
    uint16_t message_timeout_s;
    int64_t over_s; /* OverTimeLimit */
};

struct part {
    char *name; /* key */
    int64_t default_s, max_s;
    int64_t procs_by_node; /* MaxCPUsPerNode, 0 = none */
    int64_t grace_s;       /* GraceTime of jobs that are preempted */
    int64_t over_s;        /* OverTimeLimit; -1: that of slurm.conf */
    bool exclusive, open;  /* open: its jobs may start */
    uint16_t tier;         /* PriorityTier as Slurm tells it */
    int64_t rank;          /* so many lower tiers there are among the partitions */
    int64_t share;         /* OverSubscribe=FORCE:n, YES:n: a processor is of so many */
    bool forced, mixed;    /* FORCE; some of its nodes are of other partitions, too */
    bool counted_often;    /* some of its nodes have processors of several jobs */
    UT_hash_handle hh;
};

/* What jobs of a QOS that are preempted have left to end. */
struct qos_grace {
    char *qos; /* owned */
    int64_t grace_s;
};

/* A node as last told. */
struct told_node {
    char *name;                         /* key */
    char *features, *partitions, *gres; /* owned: "a,b" */
    int64_t procs;
    uint64_t digest;
    uint32_t round;
    UT_hash_handle hh;
};

/* A generic resource: "gpu", or "gpu:a100" of one type. */
struct gres_term {
    char *name; /* owned */
    bool typed;
    int64_t count;
};
struct gres_terms VEC(struct gres_term);

#define PARTS_MAX 64

/* That slurmctld was away for longer than that is no cost of a look. */
#define LOOK_COST_MOST_MS 1000

/* The records of a job: one, or the components of a heterogeneous one in order. */
struct parts {
    const slurm_job_info_t *v[PARTS_MAX];
    uint32_t n;
};

/* How Slurm is told where to start a job. */
enum naming {
    NAMES_NODES,  /* these */
    NAMES_ALONE,  /* these, its features taken away: with counts Slurm takes no list */
    NAMES_OTHERS, /* none but these, where no list can be given for a component */
    NAMES_NONE    /* it alone knows which will do */
};

/* A task's wish to be released. */
#define WISH_RELEASE 0x80

/* Slurm has put a job back held: is that hold anybody's? */
enum forgiveness {
    FORGIVEN_NOT,  /* it is, or there is none */
    FORGIVEN,      /* it comes of a forgotten start, and is to go */
    FORGIVEN_LATER /* perhaps: slurmctld did not say; it stays as it is until it does */
};

/* A job, or one task of an array, as last told. */
struct told_job {
    char *id;        /* key: "12", "12_3" of an array, "12" of the leader of het jobs */
    uint32_t number; /* Slurm's, of the record it was last seen in */
    uint32_t refused; /* takings back in a row that Slurm refused ... */
    int64_t again_ms; /* ... and when it is tried again; 0 = at once */
    uint32_t nice;    /* that Slurm has it with; NO_VAL: at priority 0, where a start
                       * leaves it alone */
    uint64_t digest, request; /* of all that is told; of what is asked for */
    uint32_t round;
    uint32_t time_min; /* minutes; 0 = it wants its whole limit */
    uint32_t limit;    /* as request_limit() */
    int64_t grace_s;   /* of its QOS or partition */
    bool waiting, over;
    bool astray;        /* Slurm could start it: to be taken back, or started by us */
    bool end_told;      /* by the sign of its end; its record was not seen since */
    bool kept, held;    /* as Slurm has it now: at priority 0, by a hold */
    enum naming naming; /* how a start says where */
    bool left_to_slurm; /* the chosen nodes could not do: it chooses itself */
    uint16_t reason;    /* why Slurm lets it wait, when last seen */
    /* Slurm says that it was requeued in held state, and goes on saying so when that
     * was lifted, until it is started; that hold is in force and not marked as one. */
    bool requeue_held, back_held;
    bool makes_room; /* ended for another job, as Slurm does not requeue it */
    uint32_t restarts,
        hold_marked; /* the restart whose hold has been marked, 0 = none */
    bool expired;    /* Slurm was asked to end it for its deadline */
    bool depends;    /* it waits for others */
    time_t start_at; /* when it last began to run; 0 = not yet */
    time_t lost_at;  /* when a start comes too late for its deadline; 0 = never */
    bool as_before;  /* kept, or new, without a trace of a start */
    bool gathered;   /* one of several tasks of a record */
    uint8_t wish;    /* with others of its record: holds, WISH_RELEASE; 0 = none */
    uint32_t nparts;
    struct asked *asked; /* one for each part; owned */
    char *note;          /* what its comment is to say; owned, or NULL */
    time_t note_start;   /* when it is expected to start, 0 = not known */
    bool note_begin;     /* its begin time in Slurm is ours, and in the future */
    bool fresh;          /* kept by that alone: its owner may hold it at this moment */
    bool reserved;       /* its owner named a reservation of Slurm's */
    bool marked;         /* by the gate: it has passed it */
    bool strange;        /* it began to run, and not by a start of ours */
    time_t switch_until; /* how long it waits for its switches; 0 = it does not */
    char *ran_on; /* owned: nodes it was last sent to; "" = Slurm chose them; NULL
                   * = none, or that run is over */
    uint32_t ran_restarts;          /* as it had been restarted then */
    time_t rest_until, avoid_until; /* see reruns.c; 0 = it was not forgotten */
    enum forgiveness forgiven;      /* of the hold that it came back with */
    time_t forgiven_boot;           /* of the slurmctld that did so last, ... */
    uint32_t forgiven_restarts;     /* ... as it had been restarted then */
    UT_hash_handle hh;
};

/* A reservation as last told. */
struct told_reservation {
    char *name; /* key */
    uint64_t digest;
    uint32_t round;
    UT_hash_handle hh;
};

/* A cancel of a waiting task that is not sent yet. */
struct cancelled {
    uint64_t token;
    char *id; /* owned */
};

/* An order that was accepted and has not come about. */
struct pending {
    uint64_t token;
    char *id; /* owned */
    int64_t since_ms, patience_ms;
    bool start;        /* else a stop */
    bool alone;        /* few starts were ordered just before it */
    bool graced;       /* a requeue, that is to be sent when its time has come */
    int64_t look_ms;   /* when to look at it next, or to send it */
    int64_t judged_ms; /* by the clock, what it was last judged by; first the order */
};

struct adapter {
    sd_event *loop;
    sd_event_source *timer, *events;
    struct link *link;
    struct beat *beat;               /* for the gate */
    bool beat_fails;                 /* and that was told */
    char *word, *not_nodes;          /* owned: what it says of jobs for which Slurm
                                      * chooses nodes, and of those that do not wait */
    int64_t seen_ms;                 /* when a look at all went well last */
    char *name, *home, *events_file; /* owned */
    char *gate_home; /* owned: folder of that file, which the gate writes in; NULL = no
                      * gate speaks to it */
    struct marking *marking; /* owned; NULL = no gate speaks to it */
    bool no_gate;            /* that slurmctld has another was told */
    bool untold;             /* the gate does not know the coordinators of now */
    int64_t events_read;     /* bytes of the file of events */
    int64_t poll_ms, start_wait_ms;
    int64_t ahead_s; /* slurmctld's clock before ours; negative: behind */
    struct slurm_facts facts;
    const char *doubt;     /* of Slurm's release; NULL = none, or over */
    char *munge;           /* owned: socket of munged; NULL = not known */
    int64_t munge_seen_ms; /* when it was there last */
    int64_t most_procs;    /* of a node */
    bool memory_limited;   /* by a limit of Slurm's that is followed */
    bool uneven;           /* some have fewer */
    uint32_t resized; /* how often a node was found with other processors or gres */
    struct gres_terms gres_most; /* of a node, seen so far */
    struct gres_terms gres_uses; /* of what jobs had: is it used up? 1 or 0 */
    struct part *parts;
    struct told_node *nodes;
    struct known_name *names;
    struct switches *switches; /* NULL = none are known */
    time_t switches_at; /* when the next wish for some is void; 0 = none is there */
    bool boot_asked;    /* in this look */
    time_t booted_at;   /* slurmctld, as it answered; -1 = it did not */
    time_t avoid_at;    /* when the next job stays away from no node any more; 0 = none
                           does */
    struct told_job *jobs;
    struct told_reservation *reservations;
    struct batch *batch; /* starts that are not sent yet; NULL = none ever were */
    struct VEC(struct pending) pending;
    struct VEC(struct cancelled) cancels;                /* of one array: cancels.c */
    time_t jobs_at, nodes_at, parts_at, reservations_at; /* last change that was seen */
    partition_info_msg_t *parts_read; /* as last read; owned, NULL = not yet */
    int64_t nodes_read_ms, parts_read_ms, licences_at_ms, polled_ms;
    int64_t ended_ms;             /* when the sign of an end was told last */
    int64_t look_cost_ms;         /* the last look at all; slow ones at one since */
    int64_t ordered_ms;           /* when the last start was ordered */
    int64_t ordered_before_ms[2]; /* and those before it, the last first */
    struct VEC(char *) licences;  /* names; owned */
    uint64_t licences_digest;
    struct VEC(struct qos_grace) graces;
    int64_t limits_due_ms; /* the next look at limits */
    uint64_t limits_digest;
    bool limits, limits_look; /* RMCFG[] LIMITS=SLURM; to be looked at at once */
    bool limits_enforced;     /* by Slurm, of associations and QOS */
    bool accounts;            /* there is slurmdbd */
    int64_t rights_due_ms;    /* the next look at rights */
    uint64_t rights_digest;
    uint32_t round;
    uint32_t astrays;    /* jobs to be taken back */
    uint32_t deadlines;  /* jobs with a lost_at */
    uint32_t dependents; /* jobs that wait for others */
    int64_t whole_ms;    /* when all jobs were last read */
    int64_t keep_ms;     /* from when on no more jobs are taken back in this look */
    uint32_t keeps;      /* taken back in it */
    uint32_t wishes;     /* jobs that have one */
    int64_t wished_ms;   /* when the last of them came */
    bool connected, told_all, checked, look;
    bool leaving;   /* a job that was put back is on its nodes yet, by the last look */
    bool ailing;    /* a look failed, though the controller answers */
    int notes_rate; /* notes written a second at most; 0: none */
    bool notes_due; /* some are not written yet */
    int64_t noted_ms;
};

/* ---- adapter.c ---- */
int64_t adapter_now_ms(void);
void adapter_report(struct adapter *a, const struct rm_report *r);
void adapter_done(struct adapter *a, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text);
/* Something is not well, or (text NULL) is well again. */
void adapter_health(struct adapter *a, const char *function, const char *text);
/* A call failed with errno: is the controller out of reach? Then all that was told is
 * told again later. True when it is. */
bool adapter_lost(struct adapter *a, const char *function);
/* Is munged gone? Slurm's library would wait for it for most of a minute, whatever its
 * time limits say. Then the controller is out of reach: told, errno set. */
bool adapter_munge_gone(struct adapter *a);
/* Where munged was found to be, by AuthInfo= of slurm.conf. */
void adapter_find_munge(struct adapter *a, const char *authinfo);
/* Slurm's controller has gone back to what it was some seconds ago: orders that are
 * pending are lost, and all is told again. */
void adapter_forgotten(struct adapter *a);
/* The file of events is for slurmctld, which runs as SlurmUser, and for nobody else:
 * each line in it is a look at Slurm. */
void adapter_open_events(struct adapter *a, uint32_t slurm_user);
/* The heartbeat, now; told where it cannot be written, and when it can again. */
void adapter_write_beat(struct adapter *a);
/* Does the daemon give signs of life? While it hangs nothing is taken back from Slurm:
 * somebody may have let the jobs go. */
bool adapter_is_led(const struct adapter *a);
/* From one look at all to the next while orders are pending. */
int64_t adapter_pause_ms(const struct adapter *a);
/* Look at everything again soon. */
void adapter_look(struct adapter *a);
/* `doubt`: why it is not known whether Slurm is of the library's release; told until
 * slurmctld has answered. NULL: there is none. */
int adapter_main(const char *doubt);

/* ---- nodes.c ---- */
int nodes_poll(struct adapter *a);
/* Of the smallest of these nodes (NULL ends); 0 when one is not known. */
int64_t nodes_least_procs(const struct adapter *a, const char *const *names);
/* Before a start that follows an end, or a new job: what has changed of nodes and of
 * Slurm's reservations, unless they were read a moment before. Each such look costs
 * slurmctld as much as a tenth of a job. */
int nodes_look(struct adapter *a);
void adapter_forget_nodes(struct adapter *a);
bool licence_known(const struct adapter *a, const char *name);
/* The first of a list as "a,b". */
const struct part *part_find(const struct adapter *a, const char *list);
/* How long its jobs run on when their limit is used up. NULL: of no partition. */
int64_t part_overtime(const struct adapter *a, const struct part *p);
/* Minutes as slurm.conf has them for that. */
int64_t overtime_of(uint16_t minutes);
/* The one after that in the list, or NULL. */
const char *part_next(const char *list);
/* The highest of their ranks by PriorityTier. */
int64_t parts_rank(const struct adapter *a, const char *list);
/* Of how many jobs a processor of a node of these partitions is: 1, or the sum of n of
 * those with FORCE:n and YES:n, as each of them lets n of its own have it. */
int64_t parts_share(const struct adapter *a, const char *list);
/* What a job of these partitions, one of which it will be in, is to others on its
 * nodes. `wants`: -s. Where some of them share processors and some do not it is planned
 * in those that do not (parts_takes()). */
enum sharing parts_sharing(const struct adapter *a, const char *list, bool wants);
bool parts_takes(
    const struct adapter *a, const char *list, bool wants, const struct part *p);
/* Has one of them nodes whose processors are counted for several jobs? */
bool parts_count_often(const struct adapter *a, const char *list);
/* Of how many such jobs a processor is, at most. */
int64_t parts_job_share(const struct adapter *a, const char *list, bool wants);
/* How many of a list may start jobs now. */
uint32_t parts_open(const struct adapter *a, const char *list);

/* ---- names.c ---- */
/* Of a user or group, or the number; as of a minute ago, or as it was last known. Valid
 * until the next call for the same. */
const char *names_user(struct adapter *a, uint32_t number);
const char *names_group(struct adapter *a, uint32_t number);
/* Have user and group of the job names, or is it a number that stands for one? What was
 * told with a number is to be told again. */
bool names_are_known(struct adapter *a, const slurm_job_info_t *j);
void names_forget(struct adapter *a);

/* ---- times.c ---- */
/* Now by slurmctld's clock, which its instants are of. */
time_t times_theirs(const struct adapter *a);
/* An instant of Slurm's by our clock; 0 = none stays that. */
time_t times_here(const struct adapter *a, time_t theirs);
/* What it said its time is, in an answer that has just come to a question of `asked`,
 * by our clock. */
void times_set(struct adapter *a, time_t asked, time_t told);

/* ---- switches.c: topology.conf ---- */
/* Anew, as the controller may have been reconfigured. One request. */
void switches_read(struct adapter *a);
void switches_forget(struct adapter *a);
/* Which leaf a node is below; NULL = none that is known. */
const char *switches_leaf(const struct adapter *a, const char *node);
/* Does the job's wish for one switch bind still? A wish for several never does. */
bool switches_bind(const struct adapter *a, const slurm_job_info_t *j);
/* Until when it does, which may be over; 0: it never did. */
time_t switches_until(const struct adapter *a, const slurm_job_info_t *j);
/* When its wish will be void is when jobs are to be read again (switches_at). */
void switches_note(struct adapter *a, const slurm_job_info_t *j);

/* ---- reservations.c ---- */
int reservations_poll(struct adapter *a);
void reservations_forget(struct adapter *a);

/* ---- limits.c ---- */
/* Limits of associations and QOS: looked at every 2 to 60 s, or when limits_look is
 * set. */
int limits_poll(struct adapter *a);
void limits_forget(struct adapter *a);
/* GraceTime of that QOS; `otherwise` where it has none, or is not known. */
int64_t limits_grace(const struct adapter *a, const char *qos, int64_t otherwise);
/* Is it such a limit that keeps the job, in Slurm's words? Then in plain ones, as
 * "Slurm's limit AssocGrpGRES (generic resources, of its association)". */
bool limits_reason(const slurm_job_info_t *j, char *ret_text, size_t size);

/* ---- rights.c ---- */
/* Who may see and do what: looked at every 2 to 60 s. */
int rights_poll(struct adapter *a);
/* Has it slurmdbd, which has operators, coordinators, QOS and limits? */
bool rights_has_accounts(const slurm_conf_t *c);
void adapter_forget_rights(struct adapter *a);

/* ---- jobs.c ---- */
/* Take back jobs that Slurm could start (`astrays`), for some time: of many the rest is
 * left to the next call. */
void jobs_take_back(struct adapter *a);
/* Tell the end of a job that was told before, by the little of its record that the sign
 * holds: state, instants, exit code, limit. */
void jobs_ended(struct adapter *a, struct told_job *t, const slurm_job_info_t *j);
void jobs_forget(struct adapter *a);
struct told_job *jobs_find(struct adapter *a, const char *id);
/* Jobs that cannot end by their deadline any more: Slurm shall end them as such. */
void jobs_expire(struct adapter *a);

/* ---- ends.c: signs that a job has ended ---- */
/* Tell an end of which the word says all; false: it has to be looked at. */
bool ends_take(struct adapter *a, const char *word);

/* Features that a job asks for. */
struct counted {
    const char *name;
    uint32_t nodes;
};
struct wish {
    const char *all;           /* "a&(b|c)": of every node; NULL = nothing */
    struct VEC(char *) one_of; /* "[a|b]": one of them, the same for all nodes */
    struct VEC(struct counted) counted; /* "[a*2&b]", "a*2" */
    bool odd;                           /* something that only Slurm understands */
};

/* What a record asks for, as requests: they and all they point to live in the room. */
struct request_room {
    struct req_desc *req; /* one for each component, or of one that runs several */
    uint32_t nreqs;
    uint32_t splits[PARTS_MAX];  /* of that component: how many; 0: one */
    uint32_t *shapes[PARTS_MAX]; /* where it was split: which of them each node has */
    const int
        *cpus[PARTS_MAX]; /* of that component, on each node; NULL: not asked yet */
    struct VEC(void *) blocks;
    struct VEC(struct dep) deps;
    const char *why_not; /* it cannot be expressed, or Slurm itself keeps it waiting */
    enum naming naming;
};

/* ---- gres.c ---- */
/* Terms of a node ("gpu:a100:2(S:0),shard:8K"), of a job ("gres:gpu:2") or of what one
 * has on a node ("gpu:a100:1(IDX:0)"): each name with its sum, then those of its types.
 */
void gres_read(struct gres_terms *ret, const char *text);
void gres_fini(struct gres_terms *t);
/* How many devices of whatever name and type. */
int64_t gres_devices(const char *text);
/* How many names or types it is about. */
size_t gres_kinds(const char *text);
/* A node has so many; the most that any node has of the last term of a text. */
void gres_note(struct adapter *a, const char *name, int64_t count);
int64_t gres_most(const struct adapter *a, const char *text);
/* What a job that runs has in all, "bandwidth:0": of what it has none of, though it
 * asked for it, nothing is used up (no_consume). No other record of Slurm tells that.
 * True: nodes have another
 * amount for jobs than was told. */
bool gres_learn(struct adapter *a, const char *total);
/* How many of them there are for jobs on a node that has that many. */
int64_t gres_for_jobs(const struct adapter *a, const char *name, int64_t count);
/* Does such a text ask for what is not used up? */
bool gres_is_spared(const struct adapter *a, const char *text);
void gres_forget(struct adapter *a);
/* What a task has of an amount that is told of something else: so many times, divided
 * among so many, rounded up; of so many tasks in all. */
struct gres_part {
    int64_t times, among, tasks;
};
/* Its terms behind what is in the list. */
void gres_add(struct request_room *room, const struct gres_cfg **io, const char *text,
    struct gres_part part);

/* ---- features.c ---- */
/* Leave out the nodes that are not in the partition. */
void features_within(struct adapter *a, const char *partition,
    struct request_room *room, struct req_desc *ret);
/* What the text asks for, in the room. */
/* Nodes that have less than a job asks of each, of what is not used up: that is no sum,
 * which the scheduler would keep. */
void features_with_gres(struct adapter *a, const char *per_node,
    struct request_room *room, struct req_desc *ret);
void features_wish(struct wish *ret, const char *text, struct request_room *room);
/* What of it all nodes have to have. */
void features_take(struct adapter *a, const struct wish *w, struct request_room *room,
    struct req_desc *ret);
/* One feature more for all nodes of the request. */
void features_add(struct request_room *room, struct req_desc *ret, const char *name);

/* A wish for one switch that binds still, as the node set of the request, where it has
 * no other. */
void switches_take(const struct adapter *a, const slurm_job_info_t *j,
    struct request_room *room, struct req_desc *ret);

/* ---- request.c, running.c ---- */
void request_of(struct adapter *a, const struct parts *parts, struct rm_job *ret,
    struct request_room *room);
void request_free_room(struct request_room *room);
/* Where it runs, in tasks of its requests. */
void request_places(
    const struct parts *parts, struct rm_job *ret, struct request_room *room);
/* A job that runs has the shape that Slurm gave it, where that is told. */
void request_running(
    const struct parts *parts, struct rm_job *ret, struct request_room *room);
/* Their product, or more than any machine has. */
int64_t amount_times(int64_t a, int64_t b);
/* Memory that lives as long as the room. */
void *request_take(struct request_room *room, size_t count, size_t size);
/* The first n bytes of it. */
char *request_text(struct request_room *room, const char *text, size_t n);
/* Can the scheduler see when all is over that it waits for? Else Slurm alone can. */
bool request_knows_dependencies(const struct adapter *a, const slurm_job_info_t *j);
/* The fewest nodes that its owner asked for, 1 where no number was. */
uint32_t request_least_nodes(const slurm_job_info_t *j);
const char *const *request_hosts(struct request_room *room, const char *hosts);
/* The limit that its owner asked for, also while a start has set another: minutes,
 * INFINITE, or NO_VAL for none. *ret_least: --time-min, in minutes; 0 = none. */
uint32_t request_limit(const slurm_job_info_t *j, uint32_t *ret_least);
/* With how much less than that it is content: minutes; 0 = it is not. */
uint32_t request_least(const slurm_job_info_t *j);
/* Digest of what a user can ask for; but the limit, of which the daemon judges itself.
 */
uint64_t request_digest(const struct adapter *a, const struct parts *parts);
/* The partitions that its owner named, also while a start has chosen one: "a,b". Lives
 * as long as the room. */
const char *request_partitions(const slurm_job_info_t *j, struct request_room *room);
/* The same of its features, and of the nodes it wants left out. */
const char *request_features(const slurm_job_info_t *j, struct request_room *room);
const char *request_exclude(const slurm_job_info_t *j, struct request_room *room);

/* In the administrator's comment of a job that only we start; of one that an
 * administrator holds: its owner cannot release it; of one that its owner holds. */
#define COMMENT_KEPT     "maui:kept"
#define COMMENT_ADMIN    "maui:admin"
#define COMMENT_HELD     "maui:held"
#define COMMENT_PRIORITY COMMENT_KEPT ";priority="
/* The begin time by which a job that depends on others is kept: never. Commands print
 * this one as "Unknown", as they do that of such a job under Slurm alone. scontrol,
 * which prints no more of it, gets a date (the year 2096). */
#define AWAIT_BEGIN  ((time_t)(UPDATE_TAKES_TASKS ? INFINITE : AWAIT_BEFORE))
#define AWAIT_BEFORE 4000000000 /* that of earlier releases, too */
/* To the gate: it takes the job back, with the hold that it has by then, if it has one;
 * of a new one (fresh), or another. */
#define COMMENT_NEW  COMMENT_KEPT ";new"
#define COMMENT_BACK COMMENT_KEPT ";back"
/* To the gate: put the mark that is pending into the record. */
#define COMMENT_SETTING "maui:mark;set"
/* A begin time that is over by any clock: Slurm takes its own now instead. */
#define BEGIN_NOW ((time_t)1)
/* Behind one of these: its hold since that restart is marked. */
#define COMMENT_RESTART ";restart="

/* ---- notes.c: what squeue shows of a job that waits ---- */

#define NOTES_RATE 20
/* `rate` as RMCFG says, or NULL. */
void adapter_open_notes(struct adapter *a, const char *rate);
/* Of the daemon: written when it is its turn. */
void adapter_take_note(struct adapter *a, const struct rm_note *n);
/* Is it time to write some, of a table that is to be read anew? */
bool notes_wait(const struct adapter *a);
void notes_write(struct adapter *a, const job_info_msg_t *msg);
bool notes_is_text(const char *comment);
/* Is it the gate's, in a job that Slurm is to judge before anybody takes it over? */
bool notes_is_new(const char *comment);
/* Its begin time as its owner asked, 0 = none that is to come; is it ours instead? By
 * the note, or because it never comes. */
time_t notes_release_at(const struct adapter *a, const slurm_job_info_t *j);
bool notes_has_begin(const struct adapter *a, const slurm_job_info_t *j);

/* ---- submit.c, text/submit.c ---- */
/* Before what it waits for in other resource managers, in the job's own comment. */
#define COMMENT_OTHERS "maui-depends:"
void adapter_submit_job(struct adapter *a, const struct rm_submission *s);

/* ---- orders.c: what the scheduler decides ---- */
/* A start of a job of one part is not sent before the next other order, or
 * starts_send(). */
void orders_command(struct adapter *a, const struct rm_command *c);
/* Back to the queue, at once. */
void orders_requeue(struct adapter *a, const struct rm_command *c);

/* ---- cancels.c ---- */
/* A cancel of a waiting task is not sent before the next other order, or
 * cancels_send().
 */
void cancels_order(struct adapter *a, const struct rm_command *c);
void cancels_send(struct adapter *a);
/* A signal, at once; SIGKILL: that of a cancel. */
bool cancels_signal(struct adapter *a, const struct rm_command *c, uint16_t sig);

/* ---- starts.c ---- */
void starts_order(struct adapter *a, const struct rm_command *c);
/* Starts that were ordered since the last call: tasks alike in one request (batch.h).
 */
void starts_send(struct adapter *a);
/* Does Slurm choose its nodes? Then nothing is known of them before it runs. */
bool starts_name_nobody(const struct told_job *t);

/* ---- reruns.c: starts that slurmctld has forgotten ---- */
/* It was sent to these nodes; NULL: that is over, or came to nothing. */
void reruns_sent(struct told_job *t, const char *nodes);
/* It is seen in that state. True: whether it rests or stays away from nodes has
 * changed, so that it is to be told anew. One request in a look where a start may have
 * been forgotten; where that fails nothing changes, and the next look asks again. */
bool reruns_see(struct adapter *a, struct told_job *t, const slurm_job_info_t *j,
    enum job_state state);
/* Has Slurm put it back held because a node refused it, a short while after slurmctld
 * came up? That is no hold of anybody's: the job is to be taken back without it, once
 * for each life of slurmctld, and rests. The same request. */
enum forgiveness reruns_forgive(
    struct adapter *a, struct told_job *t, const slurm_job_info_t *j);
/* Add to what is told of it until when it rests, and which nodes it leaves out. */
void reruns_tell(const struct adapter *a, const struct told_job *t,
    struct request_room *room, struct rm_job *ret);

/* ---- outcomes.c: orders that were accepted and have not come about ---- */
/* When to look at one next, by adapter_now_ms(); INT64_MAX = nothing is pending. */
int64_t outcomes_next_ms(const struct adapter *a);
/* Is a start of the job pending? */
bool outcomes_has_start(const struct adapter *a, const char *id);
/* The job was seen in that state: an order may have come about. */
void outcomes_seen(struct adapter *a, const char *id, enum job_state state);
/* Look at what is pending. */
void outcomes_check(struct adapter *a);

/* ---- answers.c ---- */
/* What becomes of a start that Slurm does not carry out, by its reason. */
enum fate {
    FATE_FAILED, /* tried some times more, then deferred */
    FATE_WAITS,  /* Slurm keeps it waiting as it would without us: no failed start */
    FATE_NEVER   /* trying again will not help */
};
enum fate answers_fate(uint16_t reason);
/* Slurm's sentence for why it waits, or one of ours; NULL = it has no reason. */
const char *answers_reason(const slurm_job_info_t *j);
/* To the order of the daemon: 0, or -1 with errno. */
void answers_tell(struct adapter *a, const struct rm_command *c, int result);
/* The same of a start of a job that Slurm does not have waiting: it is looked at. */
void answers_look(struct adapter *a, const struct rm_command *c, const char *text);
/* The job is told anew, as if it had changed, by the next look. */
void answers_again(struct adapter *a, const char *id);

/* ---- keep.c: how a job that waits stands in Slurm ---- */
/* One change of a job or tasks: 0 or -1 with errno. */
int keep_update(job_desc_msg_t *m, const char *id);
/* Of several tasks, as answered, which is freed: 0, or -1 with the last error. */
int keep_settle(int result, job_array_resp_msg_t *answers);
/* Take a job back to where only the scheduler starts it, or nobody if it came back with
 * a hold (back_held) or somebody has held it since it was seen. 0 or -1 with errno. */
int keep_job(struct told_job *t);
/* The same, and whatever holds it goes. */
int keep_lifted(struct told_job *t);
/* Hold it, by its owner or (HOLD_SYSTEM) by an administrator. 0 or -1 with errno. */
int keep_held(const struct told_job *t, unsigned kinds);
/* Leave it to Slurm to see when its dependency is fulfilled, or never will be: that it
 * does of no job at priority 0, so the job is kept by a begin time (AWAIT_BEGIN)
 * instead. `at_zero`: it is at priority 0 now. */
void keep_awaiting(const struct told_job *t, bool at_zero);
/* Let Slurm look at a job that cannot end by its deadline any more: it ends it. */
void keep_expired(const struct told_job *t);
/* An administrator's hold stands in the job's comment, where the gate sees it: its
 * owner cannot lift it. `id`: of the job, or of tasks in one record. */
void keep_holder(struct adapter *a, const char *id, const slurm_job_info_t *j);
/* Slurm's name of a part: "12+1" of a heterogeneous job, else the job's own. */
void keep_part_id(const struct told_job *t, uint32_t part, char ret[48]);
/* Is a request for its first part one for all of them? Then each of the others has to
 * say what is its own. */
bool keep_is_shared(const struct told_job *t);

/* Before jobs are looked at: `user` is SlurmUser. What scontrol does not tell lies in
 * the folder that the gate writes in. */
void adapter_prepare(const char *gate_home, uint32_t user);

/* ---- check.c ---- */
/* Read slurm.conf's facts; tell what is missing there, once. */
int check_settings(struct adapter *a);

/* ---- gate.c ---- */
int gate_main(int argc, char **argv);

/* ---- letgo.c ---- */
/* All jobs that wait for the scheduler are Slurm's again, with what their owners asked
 * for; holds stay. The exit status. */
int letgo_main(const char *home);
/* The same by itself once the heartbeat is older than so many seconds, again and again
 * until it is renewed. Returns when it is told to end. */
int letgo_watch(const char *home, int64_t after_s);
/* Does one run on this machine, for that home? */
bool letgo_is_watched(const char *home);
/* The folder that the gate writes in, as maui.cfg of that home says (marking_home());
 * that of a home whose maui.cfg cannot be read is the home. Owned by the caller. */
char *letgo_gate_home(const char *home);

#endif
