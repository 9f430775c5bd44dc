/* SPDX-License-Identifier: Apache-2.0
 * When triggers of a reservation fire. */
#include "plan/trigger.h"

/* When the event is, whether or not it comes to that. */
static int64_t event_at(const struct reservation *r, enum trigger_event e)
{
    switch (e) {
    case TRIGGER_CREATE:
        return r->created_at;
    case TRIGGER_START:
    case TRIGGER_MINLOAD:
        return r->start_at;
    case TRIGGER_END:
        return r->ended_at ? r->ended_at : r->end_at;
    }
    return TIME_NEVER;
}

int64_t trigger_due_at(const struct reservation *r, const struct trigger *t)
{
    int64_t due = time_add(event_at(r, t->event), t->offset_s);

    if (t->fired)
        return TIME_NEVER;
    if (reservation_is_live(r) || t->event == TRIGGER_END)
        return due;
    return t->event != TRIGGER_MINLOAD && due <= r->ended_at ? due : TIME_NEVER;
}

bool trigger_is_due(
    const struct reservation *r, const struct trigger *t, int64_t now, double load)
{
    int64_t due = trigger_due_at(r, t);

    if (due >= TIME_NEVER || due > now)
        return false;
    if (t->event != TRIGGER_MINLOAD)
        return true;
    return r->state == RSV_ACTIVE && load >= 0 && load < t->threshold;
}

uint32_t trigger_next_due(const struct reservation *r, int64_t now, double load)
{
    for (size_t i = 0; i < r->triggers.n; i++)
        if (trigger_is_due(r, &r->triggers.v[i], now, load))
            return (uint32_t)i;
    return INDEX_NONE;
}

void trigger_fired(struct reservation *r, uint32_t index, int64_t now)
{
    r->triggers.v[index].fired = true;
    r->triggers.v[index].fired_at = now;
}

int64_t trigger_next_at(const struct reservation *r, int64_t now)
{
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < r->triggers.n; i++) {
        int64_t due = trigger_due_at(r, &r->triggers.v[i]);

        if (due > now && due < next)
            next = due;
    }
    return next;
}

bool trigger_outlives(const struct reservation *r)
{
    for (size_t i = 0; i < r->triggers.n; i++)
        if (trigger_due_at(r, &r->triggers.v[i]) < TIME_NEVER)
            return true;
    return false;
}

double trigger_load(const struct cluster *c, const struct reservation *r)
{
    double load = 0, procs = 0;

    for (size_t i = 0; i < r->alloc.n; i++) {
        const struct alloc *a = &r->alloc.v[i];

        for (uint32_t k = a->first; k < a->first + a->count; k++) {
            const struct node *n = node_at(c, k);
            struct res held = reservation_amount(r, n, a->tasks);

            node_unfold(c, n);
            load += n->load;
            procs += (double)held.v[RES_PROCS];
        }
    }
    return procs > 0 ? load / procs : -1;
}
