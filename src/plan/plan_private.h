/* SPDX-License-Identifier: Apache-2.0
 * What the files of the timeline share: pools, fits, reservations. Private to
 * src/plan. */
#ifndef MAUI_PLAN_PLAN_PRIVATE_H
#define MAUI_PLAN_PLAN_PRIVATE_H

#include "base/bitset.h"
#include "plan/closures/closures.h"
#include "plan/counted/free_intervals.h"
#include "plan/counted/lower_bounds.h"
#include "plan/counted/profile.h"
#include "plan/endings.h"
#include "plan/nodes/nodealloc.h"
#include "plan/plan.h"
#include "plan/pools/demand.h"
#include "plan/reservations/pins.h"
#include "plan/reservations/table.h"
#include "plan/without.h"
#include "policy/acl.h"

/* Units that come free when jobs reach their limits. */
struct release {
    int64_t at;
    int32_t units;
};

/* For a start now: `units` are free for any duration ending by `until`. */
struct free_until {
    int64_t until;
    int32_t units;
};

/* Nodes that no request in the system can tell apart and that are under the same
 * reservations; or
 * (`merged_pools`) what several such pools have together once their reservations are
 * over. */
struct pool {
    uint32_t index, partition;
    uint32_t rsvset; /* reservations of whole nodes on it: closures.h; 0 = none */
    uint32_t merged; /* in plan.merged_pools: planned together from plan.merge_at on, or
                       INDEX_NONE */
    int64_t from, to;           /* its own profile matters in [from, to) */
    struct VEC(uint32_t) nodes; /* indexes, ascending */
    struct demand_kind kind_of_nodes;
    struct bitset members; /* the same */
    bool borrows_nodes;    /* and the two others, of the plan that this is a fork of */
    bool small; /* its free intervals are known with those of others: small_pools.c */
    uint32_t kind;   /* of a merged pool: the first one with equal nodes */
    uint32_t holder; /* of a merged pool: that with their free intervals, INDEX_NONE */
    struct free_intervals *free_intervals; /* of a merged pool that is a holder */
    uint32_t nsmall;            /* small pools whose free intervals those are */
    struct profile sum_of_kind; /* of the first merged pool of a kind: merged_sum.c */
    bool by_node;               /* planned node by node */
    bool has_gres;              /* such as somebody asks for */
    int64_t unit;               /* processors of one unit, 0 = none known yet */
    uint32_t per_node;          /* units on an empty node */
    int32_t total, free_now;    /* units */
    struct VEC(struct release) releases; /* by time; one entry an instant */
    /* the cycle's working profile: running jobs and reservations */
    struct profile work;
    bool work_valid;
    uint32_t nrsv;                            /* reservations that hold units here */
    int64_t rsv_latest;                       /* latest start of any of them */
    struct VEC(struct free_until) free_until; /* of `work`; empty = to be computed */
};

/* Indexes, ascending. */
struct pool_list VEC(uint32_t);

/* One pool in which a task definition may run, and tasks on an empty node there. */
struct fitpool {
    uint32_t pool, per_node;
};

/* A pool's place in a set. */
struct place_in_set {
    uint32_t group, at;
};

/* What the counted pools of a set are to one kind of asker (closures.h). */
struct set_offer {
    uint64_t version;                         /* of the plan, for `free_until` */
    struct VEC(struct free_until) free_until; /* of all its pools together */
    uint64_t asked; /* version of the first question, and the answer: */
    int64_t asked_end, asked_units;
    struct lower_bounds *bounds; /* NULL until a long pass needs it */
    bool bounds_valid;
    bool grants_known;
    struct VEC(struct place_in_set) grants; /* its pools behind grants, in its order */
};

/* Pools of a set, [first, first + n), that are planned as one merged pool later. */
struct group {
    uint32_t first, n;
    uint32_t merged; /* INDEX_NONE: one pool for itself */
};

/* A pool, and how many sets it is in. */
struct asked_pool {
    uint32_t sets, pool;
};
struct asked_pools VEC(struct asked_pool);

/* A set of pools of one partition (or of several, for SPAN) that a task definition
 * can use together. Shared by definitions with equal lists. Pools that are planned
 * together later stand together. */
struct fitset {
    uint32_t partition; /* INDEX_NONE = several */
    uint64_t mask;      /* partitions */
    double slowest;     /* speed of its slowest pool, 1 where speed does not count */
    double slowest_all; /* the same of all pools of the partitions */
    struct VEC(struct fitpool) pools;
    struct VEC(struct group) groups;
    bool deep;                    /* has small pools (deep.c); then */
    struct VEC(uint32_t) holders; /* the merged pools with their free intervals */
    struct VEC(uint32_t) large;   /* pools that are not small */
    struct VEC(
        uint32_t) elsewhere; /* that are, but whose merged pool is not the holder */
    struct VEC(uint32_t) group_of; /* by merged pool; INDEX_NONE = not in the set */
    struct set_offer base,
        base_merged;          /* as ACCESS_NOWHERE, before and after they are one */
    uint32_t biggest;         /* pool with the most nodes */
    struct asked_pools order; /* its counted pools, those of fewest sets first; */
    size_t order_of;          /* as of so many sets in the plan; 0 = unknown */
    int64_t tasks_max;        /* on empty nodes */
    struct VEC(struct set_offer) offers; /* by access class + 1 */
};

/* Where one task definition fits. */
struct fit {
    bool known;
    struct VEC(uint32_t) sets; /* fitset indexes, by partition */
};

struct plan {
    struct cluster *c;
    uint64_t node_epoch, config_epoch, rsv_moves, rsv_epoch, relief_epoch;
    int64_t now;
    uint64_t version; /* grows with every start, stop and reservation */
    uint64_t changes; /* see plan_changes() */
    struct VEC(struct pool) pools;
    struct VEC(uint32_t) pool_at; /* by node: its pool, or INDEX_NONE */
    struct demand demand;         /* what the pools are divided by */
    int64_t demand_at;            /* when it is looked whether less would do */
    bool coarse;                  /* it grew: plan_begin() divides where need be */
    bool mixed;                   /* nodes of some pool are not equal in all */
    struct demand_kind kind;      /* scratch */
    const struct job *asker;      /* of a question: not in the system; NULL = none */
    struct VEC(struct fitset) sets;
    struct VEC(struct fit) fits;    /* by taskdef index */
    struct endings ends;            /* active jobs */
    struct rsvtable *reserved;      /* reservations of waiting jobs */
    struct VEC(struct part) handed; /* what count_hand_over() gave back, and whose */
    uint32_t handed_job;
    struct pintable *pins;         /* reservations on single nodes */
    struct VEC(struct cand) cands; /* scratch */
    struct bynode *bynode;         /* answers about single nodes */
    struct budget *budget;         /* of plan_rsv_begin(); NULL until asked */
    struct signatures *signatures;
    struct closures *closures;
    bool borrows_closures; /* and signatures, of the plan that this is a fork of */
    struct VEC(struct pool_list) pools_under; /* by reservation set */
    struct VEC(struct pool) merged_pools;     /* see struct pool */
    int64_t merge_at;      /* when they begin; TIME_NEVER = there are none */
    bool merged_sum_known; /* merged_sum.c, at that state of the pools */
    uint64_t merged_sum_stamp;
    struct VEC(int64_t) caps; /* scratch: by pool, then by merged pool */
    struct windows_known *windows;
    uint64_t admitted;            /* grows when a pool learns its unit */
    struct search_memory *search; /* of search.c and deep.c */
    struct small_pools *small;
    struct rsvview *rsvview; /* reservations as the job last looked at sees them */
    uint32_t confirmed;      /* reservations that stand in this cycle (RSV_REPLAN) */
    bool user_matters;       /* node limits or access policies look at the user */
    bool given_back;         /* something came free earlier than planned */
    bool released;           /* something came free since the last cycle began */
    bool quiet;              /* when this one began nothing had: only time has passed */
    bool by_node;            /* some pool is planned node by node */
    struct without without;  /* of a fork; nothing in the plan that it is one of */
    uint64_t layout;         /* grows when pools or their ways of planning change */
    uint64_t rsv_layout;     /* of the reservations in the list */
};

/* pool.c */
void pools_rebuild(struct plan *p);
void pools_fini(struct plan *p);
/* Does what is asked for tell nodes of one pool apart, so that pools are to be made
 * anew? O(nodes) when somebody asks for something new. */
bool pools_divide(struct plan *p);
/* Are pools divided by what nobody asks for any more? O(1), O(jobs) now and then. */
bool pools_outlived(struct plan *p, int64_t now);
/* Has the instant come from which on pools are planned together? */
bool pools_merge_now(const struct plan *p, int64_t now);
/* NULL: the node is not to be planned on. */
static inline struct pool *pool_of(const struct plan *p, uint32_t node)
{
    uint32_t i = node < p->pool_at.n ? p->pool_at.v[node] : INDEX_NONE;
    return i == INDEX_NONE ? NULL : &p->pools.v[i];
}

/* So many nodes of the pool are in a row from `from`, one of them, on, before `end`. */
static inline uint32_t pool_run(const struct pool *pool, uint32_t from, uint32_t end)
{
    uint32_t last = pool->nodes.v[pool->nodes.n - 1];

    if (last - pool->nodes.v[0] == pool->nodes.n - 1) /* all of them are */
        return (last < end ? last + 1 : end) - from;
    return bitset_gap_within(&pool->members, from + 1, end) - from;
}

/* What is pinned to the node; NULL = nothing. */
static inline struct pins *pins_of(const struct plan *p, uint32_t node)
{
    return pintable_on(p->pins, node);
}

/* Of nodes under that set of reservations. */
const struct pool_list *pools_under(const struct plan *p, uint32_t rsvset);

void set_fini(struct fitset *s);
/* All pools of the partition that are planned by count in a known unit. */
struct fitset fit_counted(const struct plan *p, uint32_t partition);

/* Which kinds of pools a set has. */
bool set_has_by_node(const struct plan *p, const struct fitset *s);
bool set_has_count(const struct plan *p, const struct fitset *s);

/* fit.c */
struct fit *fit_get(struct plan *p, const struct taskdef *def);
/* Learn where the definition fits, but not from it how nodes are planned. In a fork. */
void fit_suppose(struct plan *p, const struct taskdef *def);
/* Is the definition feasible on the nodes of the pool? */
bool fit_has_pool(struct plan *p, const struct taskdef *def, const struct pool *pool);
struct fitset *fit_in_partition(
    struct plan *p, const struct taskdef *def, uint32_t partition);
struct fitset *fit_for(struct plan *p, const struct job *j, uint32_t partition);
/* The pool's shapes are too different for counting; then so are those of pools that
 * are planned together with it later. */
void pool_by_node(struct plan *p, struct pool *pool);
void fit_learn(struct plan *p, const struct job *j, const struct req *r);
/* Partitions the job may be tried in, one call per partition: its bits, or for a
 * SPAN job just the lowest bit (which then stands for all). */
uint64_t fit_partitions(const struct plan *p, const struct job *j);

/* count.c: pools planned by count */
void count_start(struct plan *p, const struct job *j, int sign, bool as_planned);
/* Which reservations the pools hold, after many were forgotten. O(pools + parts). */
void count_again(struct plan *p);
/* Profiles and bounds were of other assumptions. O(pools + sets). */
void count_look_anew(struct plan *p);
/* The clock went on, and nothing else happened. O(pools). */
void count_advance(struct plan *p);
/* A reserved job is about to start: its reservation makes room for it. Then it has
 * started: has it taken just what was given back? */
void count_hand_over(struct plan *p, struct rsv *r);
bool count_handed_over(struct plan *p, const struct job *j, const struct rsv *r);
bool count_overdue(const struct plan *p);
struct profile *count_work(struct plan *p, struct pool *pool);
/* The free_until of one pool, built when they are not there. */
void count_free_until(struct plan *p, struct pool *pool);
void count_reserve(struct plan *p, const struct job *j, struct rsv *r, int64_t units);
/* Units of that pool, which has no later one; false when it has fewer. */
bool count_reserve_in(struct plan *p, struct rsv *r, struct pool *pool, int32_t units);
void count_unreserve(struct plan *p, struct rsv *r);
/* Units of the pool free throughout [start, end); *ret_more is the first instant at
 * which more may be. */
int64_t count_least(
    struct plan *p, struct pool *pool, int64_t start, int64_t end, int64_t *ret_more);
static inline struct pool *count_pool(struct plan *p, uint32_t part)
{
    return part < p->pools.n ? &p->pools.v[part]
                             : &p->merged_pools.v[part - p->pools.n];
}
static inline struct pool *count_merged(struct plan *p, const struct pool *pool)
{
    return pool->merged == INDEX_NONE ? NULL : &p->merged_pools.v[pool->merged];
}

/* small_pools.c: free intervals of small pools under reservations. All of one kind of
 * nodes are kept with one merged pool, the *home* of most of them; free intervals of
 * the others end when all is planned together. */
/* After the pools were made: which of them are so small that they are looked at
 * together. O(pools). */
void small_pools_choose(struct plan *p);
/* Which pools of a set are not; is it worth while? */
void small_pools_note(const struct plan *p, struct fitset *s);
/* All free intervals are as the profiles say. O(pools x steps), or of what changed. */
void small_pools_settle(struct plan *p);
/* Are free intervals and free cells as the profiles say? */
bool small_pools_settled(const struct plan *p);
/* When they are: no other small pools have something throughout [start, end), which
 * begins before all is planned together. Valid until the next question. */
const struct bitset *small_pools_open(struct plan *p, int64_t start, int64_t end);
/* The profile has changed in [from, to), or all of it. */
void small_pools_changed(
    struct plan *p, const struct pool *pool, int64_t from, int64_t to);
void small_pools_unknown(struct plan *p, const struct pool *pool);
struct small_pools *small_pools_create(void);
void small_pools_destroy(struct small_pools *w);

/* merged_sum.c */
/* What all merged pools of that kind have free in sum: more than any job can have of
 * them. Valid until the plan changes. */
const struct profile *merged_sum_of(struct plan *p, uint32_t kind);
/* Units of the pool are taken, if it is a later one; profiles forget the past. */
void merged_sum_take(
    struct plan *p, const struct pool *pool, int64_t start, int64_t end, int32_t units);
void merged_sum_advance(struct plan *p);

/* deep.c */
/* Can the set be searched as deep_fit() does, and is that worth while? */
bool deep_able(const struct plan *p, const struct fitset *s, uint32_t access);

/* search.c: the counted pools of a set together, as an access class sees them */
struct search_memory *search_memory_create(void);
void search_memory_destroy(struct search_memory *m);
struct set_offer *search_offer_of(struct fitset *s, uint32_t access);
/* Units free from now until `end`. */
int64_t search_free_until(
    struct plan *p, struct fitset *s, uint32_t access, int64_t end);
/* The same for all ends, as free_until; `weighted`: in processors. */
const struct set_offer *search_offer(
    struct plan *p, struct fitset *s, uint32_t access, bool weighted);
/* Units free throughout [start, end), up to `enough`. */
int64_t search_free_at(struct plan *p, const struct fitset *s, uint32_t access,
    int64_t start, int64_t end, int64_t enough);
int64_t search_first_fit(struct plan *p, struct fitset *s, uint32_t access,
    int32_t need, int64_t from, int64_t duration);

/* place.c */
/* Candidates for a start now of the counted pools of the set, added to p->cands. */
void place_collect_counted(
    struct plan *p, const struct job *j, const struct fitset *s, int64_t end);
uint32_t set_of(const struct plan *p, const struct fitset *s);

/* How long the job stays in the plan, wherever in the set it goes: for its limit on the
 * slowest nodes, so never too short. Several requests may go to other sets. */
static inline int64_t plan_duration(const struct fitset *s, const struct job *j)
{
    double slowest = j->nreqs > 1 ? s->slowest_all : s->slowest;

    return plan_scaled(j->wclimit_s > 0 ? j->wclimit_s : 1, slowest);
}

/* The same of a job that is active or reserved. */
static inline int64_t plan_stay(const struct plan *p, const struct job *j)
{
    const struct rsv *r = rsvtable_of(p->reserved, j->index);

    if (r)
        return r->end_at - r->start_at;
    if (job_is_active(j) && j->eff_wclimit_s > 0)
        return j->eff_wclimit_s;
    return j->wclimit_s > 0 ? j->wclimit_s : 1;
}

/* When a running job gives its resources back, as the plan sees it: an overdue one
 * holds them one more poll interval. */
static inline int64_t plan_job_end(const struct plan *p, const struct job *j)
{
    if (j->end_at > p->now)
        return j->end_at;
    return time_add(p->now, p->c->cfg->rm_poll_interval_s);
}

#endif
