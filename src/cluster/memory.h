/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler knows of a job and no resource manager tells: what has to outlive
 * a restart. Everything by name, so that indexes may come out differently. */
#ifndef MAUI_CLUSTER_MEMORY_H
#define MAUI_CLUSTER_MEMORY_H

#include "cluster/cluster.h"
#include "cluster/job.h"

struct job_memory {
    /* holds and deferral */
    uint8_t holds; /* enum hold_kind bits */
    enum hold_reason hold_reason;
    const char *hold_text; /* or NULL */
    const char *let_pass;  /* code of the fault that an administrator let pass */
    bool given_up;         /* of a dependency that failed: done what the site wants */
    int64_t hold_at, defer_until;
    bool world_changed; /* since it was last tried: see engine_restless() */
    bool retries;       /* its deferral is the wait for another try of its start */
    uint16_t defer_count, start_count, preempt_count, failed_starts, put_off;
    uint32_t bypass;
    /* priority and QOS */
    int64_t
        priority; /* when last computed: of an active job that with which it began */
    int64_t user_priority, sys_priority;
    uint32_t flags;  /* those the scheduler sets: see MEMORY_FLAGS */
    const char *qos; /* QOS asked for, perhaps by setqos; or NULL */
    bool qos_forced; /* an administrator chose it */
    bool cancelled;  /* its resource manager does not end it */
    /* time */
    int64_t queue_at, eff_queue_s, paused_at;
    bool accruing, paused;
    uint8_t limited;                 /* enum limited_by */
    int64_t release_at, deadline_at; /* 0 = none */
    int64_t suspended_s, suspend_at;
    int64_t saved_s; /* of the limit, used up before checkpoints */
    /* what it was promised: see engine/promises.h */
    int64_t rsv_start_at; /* its reservation; 0 = it has none */
    uint64_t promised;    /* for its deadline, by order of making; 0 = not */
    int64_t promised_at;
    int64_t start_by, start_planned; /* 0 = nothing: see engine/planning/planning.h */
    int64_t start_was;               /* it was promised that; 0 = never another */
    int64_t start_told;              /* and told that last; 0 = start_by */
    uint8_t start_cause;             /* enum promise_cause */
    const char *start_partition;     /* or NULL */
    int64_t start_counted; /* it started then, which counts as kept or broken; 0 = it
                              waits */
    /* when it was first expected to start: see engine/prediction/; 0 = not yet */
    int64_t expected_made_at, expected_at, expected_from, expected_until;
    int64_t retry_until, retry_at; /* its failed start is tried again; 0 = it is not */
    /* of an active job, and where it last ran */
    int64_t start_at, eff_wclimit_s;
    int64_t wclimit_s;         /* in force, perhaps changed since the submission */
    int64_t learned_wclimit_s; /* see struct job_extra */
};

/* Flags of a job that belong to the scheduler, not to the request. */
#define MEMORY_FLAGS                                                                   \
    (JOB_BACKFILL | JOB_SPVIOLATION | JOB_SYSPRIO_SET | JOB_SYSPRIO_REL | JOB_PARKED)

/* All but what it was promised and world_changed, which the engine knows. Texts are
 * borrowed from the job. */
struct job_memory job_memory_of(const struct cluster *c, const struct job *j);

/* Put it back into a job that has just been added, before access is resolved and
 * before it is started or counted anywhere. Of an active job's members only those that
 * job_start() does not set. */
void job_recall(struct cluster *c, struct job *j, const struct job_memory *m);

#endif
