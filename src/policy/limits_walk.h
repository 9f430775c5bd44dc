/* SPDX-License-Identifier: Apache-2.0
 * Throttling: a walk over the queue. Active and idle checks of many jobs at a level,
 * counting those that pass as idle. A job is told by the number of its credentials and
 * by what it would use, for walks that are much longer than there are numbers.
 *
 * Where the settings are plain (no QOS overrides, no limits of one credential within
 * another) what is left for each stands in dense rows during the walk; then there may
 * be a walk at either level at once, and the one that ends last tells the idle usage.
 * Rows are made when the first job that needs them is met, so a walk costs what its
 * jobs cost, however many credentials there have ever been:
 *
 *     number of credentials --> most:    per resource, what active limits leave
 *                           --> idle_at: per idle test, a slot of `room`
 *     room: 0 = no limit, | bob's jobs | bob's processors | group a's jobs | ...
 */
#ifndef MAUI_POLICY_LIMITS_WALK_H
#define MAUI_POLICY_LIMITS_WALK_H

#include "policy/credset.h"
#include "policy/limits.h"

/* A walk; nothing of it is public, but that a step asks little. */
struct limits_walk;

/* Begin one, and a new idle count. `sets` is borrowed until the end; numbers may come
 * in between. O(limits). */
struct limits_walk *limits_walk_begin(struct limits *l, struct cluster *c,
    const struct credsets *sets, enum limit_level level);
void limits_walk_end(struct limits_walk *w);
bool limits_walk_is_plain(const struct limits *l);

/* Must `v` hold more than jobs and processors? How many does it hold then (enum
 * limit_res, and measures of limits_quota.h), and those of a job. */
bool limits_walk_asks_more(const struct limits *l);
size_t limits_walk_resources(const struct limits *l);
void limits_walk_use_of(const struct limits *l, const struct cluster *c,
    const struct job *j, int64_t *ret_v);

/* One comparison: a resource that is limited for some object of the kind. Kind
 * CRED_KINDS is the whole system. */
struct limits_test {
    uint8_t kind, res;
};
struct limits_tests VEC(struct limits_test);
#define LIMITS_TESTS_MAX ((CRED_KINDS + 1) * LIMIT_RES_COUNT)

/* Where what is left for an object stands, if the walk is that one. */
struct limits_slot {
    uint64_t walk;
    uint32_t room;
};
struct limits_slots VEC(struct limits_slot);

/* An idle limit that some job of the walk is under. */
struct limits_opened {
    uint32_t test, object;
    int64_t limit;
};

struct limits_walk {
    struct limits *l;
    struct cluster *c;
    const struct credsets *sets;
    enum limit_level level;
    bool plain;    /* else every job is compared in full */
    uint64_t walk; /* counts walks: rows of others do not hold */
    struct limits_tests active, idle;
    struct VEC(int64_t) room; /* by slot; INT64_MAX = no limit */
    struct VEC(struct limits_opened) opened;
    struct limits_slots slots[LIMITS_TESTS_MAX]; /* by idle test, then object */
    uint32_t resources;                          /* with active limits: */
    struct VEC(uint32_t) res;                    /* their numbers, measures too */
    struct VEC(int64_t) left;                    /* by number, while a row is made */
    struct VEC(uint64_t) met;     /* by number: the walk that its rows are of */
    struct VEC(int64_t) most;     /* by number, for each of those: what a job may use */
    struct VEC(uint32_t) idle_at; /* by number, for each idle test: the slot */
};

/* The first job with these credentials: makes their rows. O(limits). */
void limits_walk_meet(struct limits_walk *w, uint32_t credset);

bool limits_walk_violated_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v);
bool limits_walk_idle_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v);
void limits_walk_count_in_full(
    const struct limits_walk *w, uint32_t credset, const int64_t *v);

/* Would the job break a limit? O(limits). */
static inline bool limits_walk_violated(
    struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    if (!w->plain)
        return limits_walk_violated_in_full(w, credset, v);
    if (credset >= w->met.n || w->met.v[credset] != w->walk)
        limits_walk_meet(w, credset);
    size_t most = (size_t)credset * w->resources, at = credset * w->idle.n;
    for (uint32_t i = 0; i < w->resources; i++)
        if (v[w->res.v[i]] > w->most.v[most + i])
            return true;
    for (size_t i = 0; i < w->idle.n; i++)
        if (v[w->idle.v[i].res] > w->room.v[w->idle_at.v[at + i]])
            return true;
    return false;
}

/* One that was found to break a limit: is one of idle jobs among those? O(limits). */
static inline bool limits_walk_idle_violated(
    const struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    if (!w->plain)
        return limits_walk_idle_in_full(w, credset, v);
    for (size_t i = 0, at = credset * w->idle.n; i < w->idle.n; i++)
        if (v[w->idle.v[i].res] > w->room.v[w->idle_at.v[at + i]])
            return true;
    return false;
}

/* It was found to break none, and waits: count it as idle. O(limits). */
static inline void limits_walk_count(
    struct limits_walk *w, uint32_t credset, const int64_t *v)
{
    if (!w->plain) {
        limits_walk_count_in_full(w, credset, v);
        return;
    }
    size_t at = credset * w->idle.n;
    for (size_t i = 0; i < w->idle.n; i++) {
        int64_t *room = &w->room.v[w->idle_at.v[at + i]];
        if (*room != INT64_MAX)
            *room -= v[w->idle.v[i].res];
    }
}

#endif
