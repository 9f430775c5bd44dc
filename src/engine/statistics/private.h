/* SPDX-License-Identifier: Apache-2.0
 * What the files of the statistics share. */
#ifndef MAUI_ENGINE_STATISTICS_PRIVATE_H
#define MAUI_ENGINE_STATISTICS_PRIVATE_H

#include "base/names.h"
#include "base/vec.h"
#include "engine/statistics/statistics.h"

/* Of a credential or of all. */
struct account {
    struct stat_sums sums;
    int64_t at;        /* sums over time reach up to here; INT64_MIN = nothing yet */
    int64_t loaded_at; /* they reached up to there when loaded; INT64_MIN = never */
    int64_t jobs, procs, mem_mb; /* active */
    double active_ps;
    bool changed;
};

struct account_key {
    enum cred_kind kind; /* CRED_KINDS = all */
    uint32_t index;
};

/* A job: what it adds while it is on nodes or in the queue. */
struct stay {
    bool on;
    int64_t from;   /* on nodes since then */
    int64_t base;   /* start, later by the time it was suspended */
    uint32_t procs; /* as counted */
    int64_t mem_mb;
    double backlog_ps;
};

/* A node. */
struct node_clock {
    struct stat_node sums;
    int64_t at;          /* they reach up to here */
    int64_t loaded_at;   /* they reached up to there when loaded; INT64_MIN = never */
    int64_t active_from; /* with jobs: since when this stretch counts */
    uint32_t jobs;
    bool up;
};

/* Records of nodes are written by blocks; where that is more than one, not more often
 * than that: a power cut may cost a minute of a job that ended in it. */
#define STAT_NODES_EVERY_S 60

struct statistics {
    int64_t since, at; /* INT64_MIN = nothing happened yet */
    int64_t procs_up, mem_up, watched_s;
    double ps_available, mem_available;
    double backlog_ps; /* work queued now */
    double least_use;  /* share of processors, see stat_machine */
    int64_t least_use_cycle;
    struct stat_promises promises;
    double backlog_area; /* of work queued / processors up, over time */
    struct account all;
    struct VEC(struct account) creds[CRED_KINDS];
    struct VEC(struct stay) stays; /* by job index */
    struct VEC(struct account_key) changed;
    struct stat_grid grid;
    struct VEC(uint8_t) cell_changed;
    bool any_cell_changed;
    struct VEC(struct node_clock) nodes; /* by index */
    struct VEC(uint8_t) node_changed;    /* by block */
    bool any_node_changed;
    int64_t nodes_saved_at;
    struct names *recalled_names; /* nodes of a former life; NULL = none */
    struct VEC(struct node_clock) recalled;
};

/* The account, which is going to be changed. Good until the next call. */
struct account *account_get(struct statistics *s, enum cred_kind kind, uint32_t index);

/* statgrid.c */
void grid_configure(struct statistics *s, const struct settings *cfg);
void grid_reset(struct statistics *s);
/* The cell for such a job, which is going to be changed. */
struct stat_sums *grid_cell(struct statistics *s, uint32_t procs, double limit_s);

/* statnodes.c; the job's nodes get one job more (sign > 0; there since `from`) or less
 */
void statnodes_check(const struct statistics *s, const struct cluster *c);
void statnodes_job(struct statistics *s, const struct cluster *c, const struct job *j,
    int sign, int64_t from, int64_t now);
/* The job was there in the past, until `until`, and is not now. */
void statnodes_passed(struct statistics *s, const struct cluster *c,
    const struct job *j, int64_t from, int64_t until, int64_t now);
void statnodes_reset(struct statistics *s, int64_t now);
void statnodes_fini(struct statistics *s);
bool statnodes_due(const struct statistics *s, int64_t now);
void statnodes_each(const struct statistics *s, const struct cluster *c, bool all,
    int64_t now, void *ctx, void (*each)(void *ctx, const struct stat_record *r));
void statnodes_saved(struct statistics *s);
void statnodes_load(struct statistics *s, const struct stat_record *r);

#endif
