/* SPDX-License-Identifier: Apache-2.0
 * The four holds, deferral and its counts. */
#include "policy/holds.h"

#include "config/settings.h"
#include "policy/accrual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they decide the state shown. */
static const struct {
    enum hold_kind kind;
    const char *name, *state;
} kinds_table[] = {
    {HOLD_BATCH, "batch", "BatchHold"},
    {HOLD_SYSTEM, "system", "SystemHold"},
    {HOLD_USER, "user", "UserHold"},
    {HOLD_DEFER, "defer", "Deferred"},
};

#define KINDS (sizeof kinds_table / sizeof kinds_table[0])

/* ---- authority -------------------------------------------------------------- */

static bool owns(const struct cluster *c, const struct job *j, const struct actor *who)
{
    const struct cred *user = job_cred(c, j, CRED_USER);

    return who->owns || (user->index != 0 && strcmp(user->name, who->name) == 0);
}

unsigned hold_permitted(
    const struct cluster *c, const struct job *j, const struct actor *who)
{
    if (!who || !who->name || who->level == 1 || who->level == 2)
        return HOLDS_ALL | HOLD_DEFER;
    return owns(c, j, who) ? HOLD_USER : 0;
}

unsigned hold_releasable(
    const struct cluster *c, const struct job *j, const struct actor *who)
{
    unsigned permitted = hold_permitted(c, j, who);
    bool ends = j->holds & HOLD_DEFER && j->defer_until < TIME_NEVER;

    return permitted | (permitted && ends ? HOLD_DEFER : 0);
}

int hold_tell_remaining(
    const struct job *j, unsigned holds, char *ret_text, size_t size)
{
    bool ends = holds & HOLD_DEFER && j->defer_until < TIME_NEVER;
    unsigned admins = holds & (HOLD_BATCH | HOLD_SYSTEM | (ends ? 0 : HOLD_DEFER));
    const char *who = admins ? "administrators of level 1 and 2"
                             : "its owner and administrators of level 1 and 2";
    char names[80] = "";

    if (admins)
        holds = admins; /* the others would go with them, or before */
    for (size_t i = 0; i < KINDS; i++)
        if (holds & kinds_table[i].kind)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                *names ? " and " : "a ", kinds_table[i].name);
    return snprintf(ret_text, size, "%s hold, which %s may release", names, who);
}

static const char *first_kind(unsigned kinds)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds & kinds_table[i].kind)
            return kinds_table[i].name;
    return "user";
}

int hold_allowed(const struct cluster *c, const struct job *j, unsigned kinds,
    const struct actor *who, struct err *err)
{
    unsigned permitted = hold_permitted(c, j, who);

    if ((kinds & ~permitted) == 0 && permitted)
        return 0;
    if (permitted || kinds & ~(unsigned)HOLD_USER)
        return err_set(err, ERR_DENIED,
            "job %s: %s may not set or release a %s hold: only administrators of level "
            "1 or 2 may",
            j->id, who->name, first_kind(kinds & ~(unsigned)HOLD_USER));
    return err_set(err, ERR_DENIED,
        "job %s: %s may not set or release a user hold: only the job's owner and "
        "administrators of level 1 or 2 may",
        j->id, who->name);
}

/* ---- the reason kept -------------------------------------------------------- */

/* A job keeps one reason. The scheduler's own holds tell more than a person's, and
 * a batch hold more than a deferral, so a lesser hold leaves a greater one's. */
static unsigned reason_rank(unsigned kinds)
{
    if (kinds & HOLD_BATCH)
        return 4;
    if (kinds & HOLD_DEFER)
        return 3;
    if (kinds & HOLD_SYSTEM)
        return 2;
    return kinds & HOLD_USER ? 1 : 0;
}

static void set_text(struct job *j, const char *text)
{
    char *copy = text ? xstrdup(text) : NULL;

    if (!copy && !j->extra)
        return;
    free(job_extra(j)->hold_text);
    j->extra->hold_text = copy;
}

static void note(struct job *j, enum hold_reason why, const char *text, int64_t now)
{
    j->hold_reason = (uint8_t)why;
    j->hold_at = now;
    set_text(j, text);
}

/* After holds went: nothing left to explain, or only a person's hold whose own
 * reason had given way to the one that has just gone. */
static void renote(struct job *j, unsigned removed, int64_t now)
{
    if (!j->holds)
        note(j, REASON_NONE, NULL, 0);
    else if (reason_rank(removed) > reason_rank(j->holds))
        note(j, REASON_ADMIN, NULL, now);
}

/* ---- setting and releasing -------------------------------------------------- */

void hold_set(
    struct job *j, unsigned kinds, enum hold_reason why, const char *text, int64_t now)
{
    if (!kinds)
        return;
    if (reason_rank(kinds) >= reason_rank(j->holds))
        note(j, why, text, now);
    if (kinds & HOLD_DEFER && !(j->holds & HOLD_DEFER))
        j->defer_until = TIME_NEVER; /* a person's: no end of its own */
    if (kinds & HOLD_DEFER)
        j->retries = false;
    j->holds |= (uint8_t)kinds;
}

unsigned hold_release(struct job *j, unsigned kinds, int64_t now)
{
    unsigned removed = j->holds & kinds;

    if (!removed)
        return 0;
    j->holds &= (uint8_t)~removed;
    if (removed & HOLD_DEFER) {
        j->defer_until = 0;
        j->retries = false;
    }
    if (removed & (HOLD_DEFER | HOLD_BATCH))
        j->defer_count = 0;
    renote(j, removed, now);
    return removed;
}

int hold_release_by(const struct cluster *c, struct job *j, unsigned kinds,
    const struct actor *who, int64_t now, struct err *err)
{
    unsigned own_deferral = hold_releasable(c, j, who) & HOLD_DEFER;
    bool admin = (hold_permitted(c, j, who) & HOLD_DEFER) != 0;
    uint16_t count = j->defer_count;

    if (kinds != own_deferral
        && hold_allowed(c, j, kinds & ~own_deferral, who, err) < 0)
        return -1;
    hold_release(j, kinds, now);
    if (!admin)
        j->defer_count = count;
    return 0;
}

/* ---- deferral --------------------------------------------------------------- */

/* A job bound to a reservation waits for that, not for other resources. */
static bool exempt(const struct job *j, enum hold_reason why)
{
    return why == REASON_NORESOURCES
           && (j->flags & JOB_ADVRES || (j->extra && j->extra->advres));
}

enum defer_result hold_defer(const struct settings *cfg, struct job *j,
    enum hold_reason why, const char *text, int64_t for_s, int64_t now)
{
    int64_t duration = for_s > 0 ? for_s : cfg->defer_time_s;
    bool batch;

    if (j->flags & JOB_NOQUEUE)
        return DEFER_CANCEL;
    if (j->holds & HOLD_DEFER)
        return DEFER_DEFERRED;
    if (j->holds & HOLD_BATCH || exempt(j, why) || duration <= 0)
        return DEFER_SKIPPED;

    if (j->defer_count < UINT16_MAX)
        j->defer_count++;
    batch = cfg->defer_count > 0 && j->defer_count > cfg->defer_count;
    hold_set(j, HOLD_DEFER | (batch ? HOLD_BATCH : 0), why, text, now);
    j->defer_until = time_add(now, duration);
    return batch ? DEFER_BATCH : DEFER_DEFERRED;
}

enum defer_result hold_start_failed(const struct settings *cfg, struct job *j,
    enum hold_reason why, const char *text, int64_t now)
{
    if (j->flags & JOB_NOQUEUE)
        return DEFER_CANCEL;
    if (j->failed_starts < cfg->defer_start_count)
        return DEFER_SKIPPED;
    return hold_defer(cfg, j, why, text, 0, now);
}

bool hold_defer_expired(const struct settings *cfg, struct job *j, int64_t now)
{
    if (!(j->holds & HOLD_DEFER) || now < j->defer_until)
        return false;
    j->holds &= (uint8_t)~HOLD_DEFER;
    j->defer_until = 0;
    j->retries = false;
    renote(j, HOLD_DEFER, now);
    accrual_stop(&cfg->prio, j, ACCRUAL_DEFER_EXPIRED, now);
    return true;
}

/* ---- display ---------------------------------------------------------------- */

unsigned hold_shown(const struct job *j)
{
    return j->retries ? j->holds & ~(unsigned)HOLD_DEFER : j->holds;
}

const char *hold_shown_state(const struct job *j)
{
    bool waits = j->state == JOB_IDLE || j->state == JOB_HOLD
                 || j->state == JOB_NOTQUEUED || j->state == JOB_UNKNOWN;
    unsigned kinds = hold_shown(j);

    if (j->state == JOB_HOLD)
        kinds |= j->rm_hold;
    for (size_t i = 0; i < KINDS && waits; i++)
        if (kinds & kinds_table[i].kind)
            return kinds_table[i].state;
    if (j->state == JOB_HOLD) /* its resource manager lets it wait, nobody holds it */
        return job_state_name(JOB_IDLE);
    return job_state_name((enum job_state)j->state);
}
