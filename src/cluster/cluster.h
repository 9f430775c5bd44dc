/* SPDX-License-Identifier: Apache-2.0
 * The cluster: it owns the nodes, partitions, jobs, credentials and reservations, each
 * described in a header of its own (node.h partition.h job.h cred.h reservation.h).
 * Records are plain and visible; outside this room they are read only, and changed
 * through functions so that the indexes, the usage counters and the epochs stay true.
 */
#ifndef MAUI_CLUSTER_CLUSTER_H
#define MAUI_CLUSTER_CLUSTER_H

#include "base/names.h"
#include "base/vec.h"
#include "base/zone.h"
#include "cluster/cred.h"
#include "cluster/index.h"
#include "cluster/request.h"
#include "cluster/resources.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct access_cache;
struct folds;
struct job;
struct job_queue;
struct job_store;
struct node;
struct node_store;
struct partition;
struct quota_list;
struct quota_store;
struct reservation;
struct rm_known;
struct rsv_index;
struct rsv_list;
struct settings;
struct taskdef;
struct taskdef_table;

struct cluster {
    const struct settings *cfg; /* borrowed; replaced by cluster_configure() */
    struct names *features, *networks, *oses, *arches, *nodetypes, *gres;
    struct VEC(struct cred *) creds[CRED_KINDS]; /* [0] = DEFAULT */
    struct usage sys_active, sys_idle;           /* sums over all jobs */
    struct fs_usage fs_total;
    int64_t fs_window_at;                 /* start of the current fairshare window */
    int64_t fs_at;                        /* usage is recorded up to here */
    bool fs_open;                         /* the first window has been opened */
    struct VEC(struct fs_key) fs_changed; /* since fsmemory_saved() */
    struct VEC(struct node *) nodes; /* only for node_at(), and how many there are */
    struct VEC(struct partition *) partitions; /* [0] = DEFAULT */
    struct VEC(struct rm_known) rms; /* resource managers: rmset.h; [0] = the first */
    bool rms_away;                   /* one of them does not answer */
    struct VEC(struct job *) jobs;   /* by index; NULL = free slot */
    /* What nearly every cycle changes of nearly every waiting job, beside the jobs. By
     * index, as long as `jobs`: job_priority(), job_bypass(). */
    struct VEC(int64_t) priorities;
    struct VEC(uint32_t) bypasses;
    uint64_t bypass_epoch;       /* +1 when somebody was passed */
    uint64_t prio_passes;        /* begun so far: policy/priority */
    struct VEC(uint32_t) active; /* indexes of Starting/Running/Suspended jobs */
    uint32_t suspended;          /* how many of those are Suspended */
    struct VEC(uint32_t) queued; /* every other job not ended, by (submit_at, id in
                                    natural order); INDEX_NONE marks a hole */
    struct VEC(struct taskdef *) taskdefs; /* by index */
    uint32_t global_node;   /* index of the pseudo node GLOBAL, or INDEX_NONE */
    bool any_user_priority; /* some job has or had one */
    bool any_tier;          /* the same of a tier above 0 */
    bool any_deadline;      /* some job has or had a deadline */
    struct res cfg_total;   /* configured on all nodes ... */
    struct res cfg_largest; /* ... and per dimension on any one */
    /* reservations that are not of a job; see cluster/reservation.h */
    struct VEC(struct reservation *) reservations; /* by index; NULL = free slot */
    struct VEC(struct rsv_list) rsv_nodes;         /* by node index; may be shorter */
    struct allocs rsv_left; /* nodes that reservations left; policy/rsvuse empties it */
    uint64_t rsv_epoch;     /* +1 at every change of a reservation */
    uint64_t rsv_moves;     /* the same, but for begins and ends in due time */
    uint64_t rsv_use_epoch; /* changes that policy/rsvuse has noticed */
    uint64_t rsv_serial;    /* reservations there ever were */
    uint64_t config_epoch;  /* +1 when settings or credentials' settings changed */
    uint64_t node_epoch;    /* +1 when a node's static attributes or state changed */
    uint64_t relief_epoch;  /* +1 when a node is told to be less busy than before */
    const struct quota_list *quotas; /* limits of the resource manager; NULL = none
                                        told: cluster/quota.h */
    struct zone zone;                /* local days and hours; cluster_set_zone() */
    struct week *week; /* factors by time of day (funds/week.h); NULL = there are none.
                          Owned */
    struct funds *funds; /* what accounts may use (funds/funds.h); NULL =
                            no bank has told. Owned */
    /* each private to its file in this room */
    struct names *cred_names[CRED_KINDS], *partition_names, *node_names;
    struct node_store *node_store;       /* nodes/private.h */
    struct folds *folds;                 /* nodes/fold.c */
    struct job_store *job_store;         /* jobs/job.c */
    struct job_queue *job_queue;         /* jobs/queue.c: order of `queued` */
    struct taskdef_table *taskdef_table; /* jobs/taskdef.c */
    struct rsv_index *rsv_index;         /* reservation.c */
    struct quota_store *quota_store;     /* quota.c */
    struct access_cache *access; /* policy/access owns it; access_cache_destroy() */
};

struct cluster *cluster_create(const struct settings *cfg);
void cluster_destroy(struct cluster *c);

/* Put other settings in force. `cfg` is borrowed until the next call. Relinks
 * credentials and nodes to their sections; jobs keep their credentials. */
void cluster_configure(struct cluster *c, const struct settings *cfg);

/* Local days and hours from now on; UTC until then. */
void cluster_set_zone(struct cluster *c, struct zone zone);

/* Take the holes out of `queued` and put late arrivals in their places: a job that
 * was added far out of order stands at the end until then. O(queued) when there is
 * something to do, else O(1). cluster_tidy_queue() does so only when it is worth it:
 * when there are late arrivals or many holes. */
void cluster_tidy_queue(struct cluster *c);
void cluster_compact_queue(struct cluster *c);
/* The job at that place of `queued`; NULL = a hole. */
static inline struct job *queue_at(const struct cluster *c, size_t place)
{
    uint32_t job = c->queued.v[place];

    return job == INDEX_NONE ? NULL : c->jobs.v[job];
}

/* Assert everything the cluster promises about itself: totals, what is dedicated,
 * owners, lists, counts. For tests. O(all). */
void cluster_check(const struct cluster *c);

#endif
