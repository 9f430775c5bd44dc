/* SPDX-License-Identifier: Apache-2.0
 * Our holds in the resource manager, and what is lifted there.
 *
 *   sethold -s, -b   ours: system, batch   there: of an administrator
 *   sethold -u             user                   of the owner
 *   deferred               defer                  none: it ends by itself
 *
 * It has one hold at a time, the stronger. Who lifts it there lifts ours of that kind.
 */
#include "policy/holds.h"

#include "server/managers/private.h"
#include "server/server_private.h"

/* What these holds are there: one kind, or none. */
static unsigned kind_there(unsigned holds)
{
    if (holds & (HOLD_SYSTEM | HOLD_BATCH))
        return HOLD_SYSTEM;
    return holds & HOLD_USER;
}

static bool is_queued(const struct job *j)
{
    return j->state == JOB_IDLE || j->state == JOB_HOLD;
}

static bool takes_holds(const struct manager *m)
{
    return m->driver && m->driver->takes_holds;
}

int manager_tell_hold(
    struct server *s, const struct job *j, unsigned released, struct err *err)
{
    unsigned left = kind_there(j->holds), is = kind_there(j->rm_hold);
    const struct manager *m = managers_of(s, j);

    if (!takes_holds(m)) {
        unsigned theirs = j->rm_hold & released;
        return theirs ? manager_tell(s, j,
                   &(struct rm_command){.action = RM_RELEASE, .kinds = theirs}, err)
                      : 0;
    }
    if (!is_queued(j) || (released && !(released & HOLDS_ALL)))
        return 0;
    /* of one that was released just now it may have had the hold, and not told it yet
     */
    if (left && (left != is || released || outbox_holds(m, j->id)))
        return manager_tell(
            s, j, &(struct rm_command){.action = RM_HOLD, .kinds = left}, err);
    /* theirs alone, of another kind, stays */
    if (!left && released && !(j->rm_hold & ~released))
        return manager_tell(
            s, j, &(struct rm_command){.action = RM_RELEASE, .kinds = released}, err);
    return 0;
}

uint8_t rmholds_told(const struct manager *m, unsigned ours, uint8_t kinds)
{
    bool batch = (ours & (HOLD_SYSTEM | HOLD_BATCH)) == HOLD_BATCH;

    return takes_holds(m) && batch && kinds == HOLD_SYSTEM ? HOLD_BATCH : kinds;
}

/* Which of ours these are there. */
static unsigned ours_of(const struct job *j, uint8_t lifted)
{
    if (j->hold_reason != REASON_ADMIN)
        return 0;
    return j->holds & (lifted & HOLD_SYSTEM ? HOLDS_ALL : lifted & HOLD_USER);
}

/* While it is out of reach it may have forgotten a hold: then it counts what it says of
 * who lifted it. */
void rmholds_lifted(struct manager *m, const struct job *j, uint8_t lifted)
{
    bool sure = !m->away && m->synced;
    struct event ev = {.kind = EVENT_RELEASE_HOLD,
        .u.hold = {.id = j->id,
            .kinds = sure ? j->holds & j->rm_hold : ours_of(j, lifted),
            .who = {"the resource manager", 1}}};

    if (!takes_holds(m) || !ev.u.hold.kinds || outbox_holds(m, j->id))
        return;
    manager_apply(m, &ev, j->id);
}

void rmholds_synced(struct manager *m)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    struct err err;

    for (size_t i = 0; takes_holds(m) && i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];

        if (j && managers_of(m->s, j) == m && is_queued(j)
            && j->hold_reason == REASON_ADMIN && kind_there(j->holds)
            && kind_there(j->holds) != kind_there(j->rm_hold)
            && !outbox_holds(m, j->id))
            manager_tell_hold(m->s, j, 0, &err);
    }
}
