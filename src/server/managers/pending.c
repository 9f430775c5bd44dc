/* SPDX-License-Identifier: Apache-2.0
 * What is on its way about a job: questions to the outbox. */
#include "server/managers/outbox_private.h"

struct job_orders *outbox_orders_of(const struct manager *m, const char *job)
{
    struct job_orders *found;

    HASH_FIND_STR(m->outbox->by_job, job, found);
    return found;
}

bool outbox_has_unseen_start(const struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_orders_of(m, id);
    const struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && !(o->action == RM_START && (o->lost || !o->sent) && !o->seen))
        o = TAILQ_NEXT(o, of_job);
    return o != NULL;
}

bool outbox_pending(const struct manager *m, const char *id, enum rm_action *ret)
{
    const struct job_orders *mates = outbox_orders_of(m, id);
    const struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o
           && (o->action == RM_SIGNAL || o->action == RM_MODIFY || o->action == RM_HOLD
               || o->action == RM_RELEASE))
        o = TAILQ_NEXT(o, of_job);
    if (o)
        *ret = o->action;
    return o != NULL;
}

bool outbox_holds(const struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_orders_of(m, id);
    const struct order *o;

    if (mates)
        TAILQ_FOREACH(o, &mates->list, of_job)
    if (o->action == RM_HOLD || o->action == RM_RELEASE)
        return true;
    return false;
}

static const struct order *find_limit(const struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_orders_of(m, id);
    const struct order *o, *found = NULL;

    if (mates)
        TAILQ_FOREACH(o, &mates->list, of_job)
    if (o->action == RM_MODIFY)
        found = o;
    return found;
}

bool outbox_changes_limit(const struct manager *m, const char *id)
{
    return find_limit(m, id) != NULL;
}

int64_t outbox_limit(const struct manager *m, const char *id)
{
    return find_limit(m, id)->wclimit_s;
}

bool outbox_idle(const struct manager *m)
{
    for (const struct order *o = m->outbox->orders; o; o = o->hh.next)
        if (!o->recorded || !o->sent)
            return false;
    return true;
}
