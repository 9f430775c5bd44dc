/* SPDX-License-Identifier: Apache-2.0
 * The four holds, deferral and its counts. Source: reference holds. */
#ifndef MAUI_POLICY_HOLDS_H
#define MAUI_POLICY_HOLDS_H

#include "cluster/job.h"

#define HOLDS_ALL (HOLD_USER | HOLD_SYSTEM | HOLD_BATCH)

/* Who asks. */
struct actor {
    const char *name; /* NULL = the scheduler itself */
    int level;        /* 1..3, 0 = ordinary user */
    bool owns;        /* not the owner of the job in question, and may do as much */
};

/* The kinds the actor may set or release on this job: what a command without a
 * flag means by "all I may". 0 for a stranger. */
unsigned hold_permitted(
    const struct cluster *c, const struct job *j, const struct actor *who);

/* The kinds the actor may release: those, and of an owner's job a deferral that the
 * scheduler made and would end by itself. */
unsigned hold_releasable(
    const struct cluster *c, const struct job *j, const struct actor *who);

/* What keeps a job after an order to release: "a batch hold, which administrators of
 * level 1 and 2 release". `holds` as job.holds, not 0. Returns the length as snprintf.
 */
int hold_tell_remaining(
    const struct job *j, unsigned holds, char *ret_text, size_t size);

/* May the actor set or release these kinds on this job? 0, or -1 with a sentence
 * (reference holds, section 2). */
int hold_allowed(const struct cluster *c, const struct job *j, unsigned kinds,
    const struct actor *who, struct err *err);

/* Add holds (HOLD_* bits) with a reason; `text` may be NULL. The job keeps the
 * reason, text and time of its weightiest hold: batch, defer, system, user. A
 * defer hold set this way has no end; hold_defer() gives it one. */
void hold_set(
    struct job *j, unsigned kinds, enum hold_reason why, const char *text, int64_t now);

/* Take holds away. Releasing defer or batch resets the deferral count, as an
 * administrator's release does. Returns the bits that were really there. */
unsigned hold_release(struct job *j, unsigned kinds, int64_t now);

/* It runs where nobody knows, and is held for that. */
static inline bool hold_is_for_lost(const struct job *j)
{
    return (j->holds & HOLD_SYSTEM) && j->hold_reason == REASON_RMFAILURE;
}

/* What is ordered: may the actor release these kinds, and away with them. An owner's
 * release of a deferral counts like one that ran out. 0, or -1 with a sentence. */
int hold_release_by(const struct cluster *c, struct job *j, unsigned kinds,
    const struct actor *who, int64_t now, struct err *err);

enum defer_result {
    DEFER_SKIPPED,  /* DEFERTIME 0, batch hold present, or exempt: stays idle */
    DEFER_DEFERRED, /* or was already: not counted again */
    DEFER_BATCH,    /* more than DEFERCOUNT deferrals: batch hold too */
    DEFER_CANCEL    /* NOQUEUE job: cancel it */
};

/* The job cannot run for now: defer it by the rules of section 4. The caller drops
 * its reservation and reports. `for_s` 0 = DEFERTIME. */
enum defer_result hold_defer(const struct settings *cfg, struct job *j,
    enum hold_reason why, const char *text, int64_t for_s, int64_t now);

/* A start failed (RM) and was counted: defers when as many as DEFERSTARTCOUNT have
 * failed since the job last ran. */
enum defer_result hold_start_failed(const struct settings *cfg, struct job *j,
    enum hold_reason why, const char *text, int64_t now);

/* Has the deferral run out at `now`? If so it is ended (queue time restarts) and
 * true is returned. */
bool hold_defer_expired(const struct settings *cfg, struct job *j, int64_t now);

/* Its holds as they are shown: that a start is tried again in some seconds
 * (job.retries) is a wait as any other. */
unsigned hold_shown(const struct job *j);

/* The state shown: BatchHold > SystemHold > UserHold > Deferred > RM state. A hold
 * does not show on a job that is active or ended. */
const char *hold_shown_state(const struct job *j);

#endif
