/* SPDX-License-Identifier: Apache-2.0
 * What the files of this room share: the members of a plan, and what a cycle finds out
 * about them. Private to them. */
#ifndef MAUI_ENGINE_PLANNING_PRIVATE_H
#define MAUI_ENGINE_PLANNING_PRIVATE_H

#include "base/bitset.h"
#include "engine/bounds.h"
#include "engine/engine_private.h"
#include "engine/planning/planning.h"
#include "plan/search/search.h"

/* A waiting job that has a place. */
struct member {
    uint32_t job, partition;
    int64_t start_at; /* in the plan that is being made; TIME_NEVER: it has none */
    bool moves;       /* the search of this cycle may move it */
    uint32_t rank;    /* among the candidates, by priority */
};

/* Where a job was planned, for the next cycle; of those that are promised nothing. */
struct known_place {
    uint64_t pass;
    int64_t start_at;
    uint32_t partition;
};

/* When it is expected to start, as of a look. */
struct expected_of {
    int64_t at;
    uint64_t look;
};

/* expected.c: when jobs are expected to start, as of the last look. */
struct expectations {
    struct VEC(struct expected_of) of; /* by job index; of this look, or void */
    uint64_t look;
    uint64_t cycle;         /* after which it was made */
    uint64_t pass;          /* the last one that promised by a look */
    struct wishes foreseen; /* scratch */
};

/* What a job was promised when it was started. */
struct fulfilled {
    int64_t start_at; /* 0 = nothing */
    struct promise row;
    bool kept;
    bool recalled; /* it started, and was counted, before a restart */
};

/* What may break promises, as the last cycle saw it. */
struct seen_world {
    uint64_t nodes, config, reservations;
    bool ordered; /* a start, since then */
    bool known;   /* false: there has been no cycle */
};

struct planning {
    struct seen_world seen;
    struct wishes wishes; /* of the members, in the same order: by priority */
    struct bounds bounds; /* ... and the limits that they are under */
    struct VEC(struct member) members;
    struct VEC(struct member) fixed; /* planned node by node: no wishes */
    struct bitset jobs, fixed_jobs;  /* of both, by index */
    int64_t began_ms;                /* this cycle, of PLANTIME */
    struct bitset unlifted;          /* kept.c: jobs that have yet to be lifted ... */
    bool lift_again;                 /* ... and then all of them once more */
    uint32_t rests;                  /* returns.c: suspended jobs that have places */
    struct bitset due;               /* due.c: jobs that wait for what is told */
    uint64_t due_relief;             /* ... the relief_epoch of the last try */
    bool due_stay;                   /* ... nothing new is told: places stay */
    struct VEC(uint32_t) apart;      /* jobs, by priority: neither */
    struct VEC(uint32_t) bands;      /* by QOS */
    uint64_t bands_epoch;            /* of the settings that they are of */
    struct VEC(struct known_place) known; /* by job index */
    uint64_t pass;                        /* this one */
    struct VEC(uint32_t) order;           /* members by start in the present plan */
    struct VEC(uint32_t) site;            /* 0, 1, 2 ... */
    struct VEC(int64_t) starts;           /* by member: scratch */
    struct VEC(uint32_t) chosen;          /* those that move, by start */
    struct wishes window; /* their wishes; the others' places are taken */
    struct expectations expected;
    struct VEC(struct fulfilled) fulfilled; /* by job index: its last start */
};

/* An array of so many elements whose values do not matter. */
#define planning_resize(vec, size)                                                     \
    do {                                                                               \
        (vec)->n = 0;                                                                  \
        vec_reserve(vec, (size) + 1);                                                  \
        (vec)->n = (size);                                                             \
    } while (0)

/* members.c: candidates become members, planned by count or fixed. */
void members_collect(struct engine *e, const struct queue_view *jobs);
/* Then: what is free, and what the wishes weigh. Where counts are all there is, each
 * may go to another partition. */
void members_weigh(struct engine *e, bool choose);
/* Its place in the plan of this cycle. */
void members_note(struct engine *e, const struct member *m);
/* When it was to start in the last plan; TIME_NEVER: it had no place. */
int64_t members_planned(const struct engine *e, const struct member *m);

/* The band of a QOS, 0 = the lowest; and that of jobs without one. */
uint32_t members_band(const struct engine *e, uint32_t qos);

/* kept.c: do counts alone not say what there is? Then all have a place in the plan of
 * the nodes, and keep it; and the search moves some, where the nodes take them. */
bool kept_wanted(const struct planning *p);
void kept_place(struct engine *e, const struct search_terms *t);
/* The rest of a suspended job begins now, and who is in its way has another place; or
 * nothing has changed: one would be later than promised. */
bool kept_move_aside(struct engine *e, const struct job *rest,
    const struct bitset *in_way, const struct search_terms *t);
void kept_search(struct engine *e, const struct search_terms *t);

/* promise.c: who was promised what cannot be is promised what can be. Then: each member
 * has a start in the present plan; who comes within the horizon is promised a latest
 * one. */
void promise_offer(struct engine *e, const struct search_terms *t);
/* Each has a place in the plan of the nodes: what was offered is promised, and no
 * sooner start than that. Of who is planned node by node, too. */
void promise_make(struct engine *e);
/* Before both, and when a start failed: this start is too late for what it was
 * promised. */
void promise_put_off(
    struct engine *e, const struct member *m, struct wish *io, bool failed);

/* Who is due waits so long at most, or as long as it was promised: then it is a start
 * that failed. */
#define DUE_WAITS_S 300
/* due.c: who is no member any more, or has waited for long, does not wait so. O(those
 * that wait). */
void due_begin(struct engine *e);
/* Its start was refused. Because of jobs that are leaving? Or would it be promised a
 * later one? Then it stays due. */
bool due_waits(struct engine *e, const struct member *m);
/* A start that has been refused otherwise, or succeeded, is not waited for. */
void due_ends(struct engine *e, const struct member *m);
/* members_note(), of one that may wait so. */
void due_note(struct engine *e, const struct member *m);
/* The latest start of a promise; of one that waits so, and was in time: soon. */
int64_t due_latest(const struct engine *e, const struct promise *row);
/* After members_weigh(): that is what their wishes say. O(members), where any waits. */
void due_weigh(struct engine *e);
/* Where the nodes are planned: more is told now. Those that wait are laid where they
 * are from now on, and those behind them later by as much. O(members). */
void due_make_room(struct engine *e);

/* expected.c: by predictions, in the order of the present plan: for this cycle.
 * O(members x steps + active jobs). */
void expected_look(struct engine *e);
/* When a member is expected, by that; no later than it is planned. Where nobody has
 * looked in this cycle, or there are no predictions, as planned. */
int64_t expected_at(const struct engine *e, const struct member *m, int64_t planned);
/* At the end of a pass; what is first expected of new members is noted. */
void expected_note(struct engine *e);

/* broken.c: what could not be kept, and why. A later start is promised instead. */
void broken_put_off(
    struct engine *e, struct promise *io, int64_t start_at, bool failed);
/* It is promised an earlier one again, or one at all. One that is as early as the first
 * has never been broken. */
void broken_tighten(struct engine *e, struct promise *io, int64_t latest);

/* returns.c: before its place a suspended job goes on where that delays nobody beyond
 * what was promised. After kept_place(). */
void returns_try(struct engine *e, const struct search_terms *t);

/* window.c: who may move: some, if any member fits now. */
bool window_choose(struct planning *p, size_t most);
/* What is free of all others, by the plan of the nodes; those who move, by job. */
void window_open_kept(struct engine *e, const struct bitset *moving);
/* Is there a cheaper plan of those who move? Its starts, in their order. */
bool window_find(
    struct planning *p, const struct search_terms *t, const int64_t *present);
/* By counts alone: does any member fit now? Then the best plan that is found moves
 * some. True when starts have changed. */
bool window_search(struct planning *p, const struct search_terms *t, size_t most);

#endif
