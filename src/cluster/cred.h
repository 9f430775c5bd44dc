/* SPDX-License-Identifier: Apache-2.0
 * Credentials: users, groups, accounts, classes and QOS, by name and by index, each
 * with its section of the settings and what it has in use. */
#ifndef MAUI_CLUSTER_CRED_H
#define MAUI_CLUSTER_CRED_H

#include "base/err.h"
#include "base/timeval.h"
#include "cluster/index.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct cred_cfg;
struct fs_settings;

/* The credentials of a job, by index, and behind them whose job it is: its resource
 * manager (rmset.h). Who is about credentials alone goes up to CRED_KINDS. */
#define CRED_RM     CRED_KINDS
#define CRED_VECTOR (CRED_KINDS + 1)

/* What a credential has in use, per limit (see policy/throttling.md units). */
struct usage {
    int64_t v[LIMIT_RES_COUNT];
};

/* Recorded delivered usage in windows of FSINTERVAL; [0] is the current one.
 * Use grows linearly while nothing starts or ends, so a rate is kept and window
 * [0] holds what must be added to rate * (fs_at - fs_window_at): read and write
 * windows by fs_window() and fs_set_window() (policy/fairshare). */
struct fs_usage {
    double window[FS_DEPTH_MAX];
    double old;  /* decayed sum of windows 1..FSDEPTH-1 */
    double rate; /* consumption of the active jobs, per second */
    /* policy/fsmemory */
    int64_t loaded_at; /* use of before a restart is known up to here; 0 = all is */
    bool changed;      /* in cluster.fs_changed */
};

/* Whose usage: of a credential, or all (kind CRED_KINDS). */
struct fs_key {
    enum cred_kind kind;
    uint32_t index;
};

struct cred {
    enum cred_kind kind;
    uint32_t index;             /* within its kind; 0 is DEFAULT */
    const char *name;           /* borrowed from the cluster */
    const struct cred_cfg *cfg; /* own section, or an empty one; never NULL */
    const struct cred_cfg *def; /* the DEFAULT section of the kind */
    int64_t rm_priority;        /* class, QOS: priority told by the RM */
    double rm_fstarget; /* user, account: fairshare target told by the RM; 0 = none */
    bool enabled;       /* class: RM queue enabled and started */
    struct usage active, idle; /* policy/limits keeps them */
    struct fs_usage fs;        /* policy/fairshare keeps it */
    double prio_fs;            /* policy/priority: weighted FS value in the pass ... */
    uint64_t prio_fs_pass;     /* ... of this number */
};

/* The credential of that name, created (with the settings of its section, or of
 * DEFAULT) if it is new. NULL, "", "DEFAULT" give index 0. O(1). */
struct cred *cred_get(struct cluster *c, enum cred_kind kind, const char *name);
/* The same without creating: NULL if unknown. */
struct cred *cred_find(const struct cluster *c, enum cred_kind kind, const char *name);
/* ERR_NOT_FOUND: "there is no class 'bach'; did you mean 'batch'?". Returns -1. */
int cred_missing(
    const struct cluster *c, enum cred_kind kind, const char *name, struct err *err);
/* Jobs of a class that is not enabled stay queued. */
void class_enable(struct cluster *c, struct cred *cls, bool enabled);

const char *cred_kind_name(enum cred_kind k);

#endif
