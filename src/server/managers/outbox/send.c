/* SPDX-License-Identifier: Apache-2.0
 * Orders are sent. What has to stop first is waited for: a start whose nodes another
 * job is still leaving stays here until that job has ended. */
#define LOG_FACILITY FACILITY_RM
#include "server/durable/desk.h"
#include "server/durable/leavers.h"
#include "server/durable/teller.h"
#include "server/managers/outbox/outbox.h"
#include "server/server_private.h"

/* Cancels of jobs on no nodes, with the resource manager at a time: the users have been
 * told, and nobody waits for them. All at once they would hold up what others do. */
#define REMOVING 128

/* Of the stops after that of token `from`, until `to`. Returns `to`. */
static uint64_t add_leaving(
    const struct manager *m, uint64_t from, uint64_t to, struct bitset *set)
{
    const struct order *o;

    TAILQ_FOREACH(o, &m->outbox->leaving, leaving)
    if (o->token > from && o->token < to)
        outbox_add_nodes(m, o, set);
    return to;
}

/* Has its job been told to stop, wherever it runs, and has not yet? Or has its limit
 * yet to be changed: the resource manager runs it by what it has. */
static bool has_to_wait(const struct order *start)
{
    const struct order *o;

    TAILQ_FOREACH(o, &start->mates->list, of_job)
    if (o->token < start->token && (o->leaves || o->action == RM_MODIFY))
        return true;
    return false;
}

static void send_order(struct manager *m, struct order *o)
{
    uint64_t token = o->token;
    struct err err = {0};
    struct rm_command cmd = {.action = o->action,
        .token = token,
        .job = o->job,
        .places = o->places.v,
        .nplaces = o->places.n,
        .wclimit_s = o->wclimit_s,
        .overrun_s = o->overrun_s,
        .over_memory = o->over_memory,
        .preempts = o->preempts,
        .signal = o->signal,
        .kinds = o->kinds,
        .cls = o->cls,
        .text = o->text};

    outbox_mark_sent(m, o);
    size_t mark = border_begin(m->border);
    struct rm_command own = border_command_out(m->border, &cmd);
    int result = m->driver->command(m->rm, &own, &err);
    border_end(m->border, mark);
    if (result == 0)
        return;
    HASH_FIND(hh, m->outbox->orders, &token, sizeof token,
        o); /* or answered at once, and gone */
    if (o)
        outbox_fail(m, o, RM_REFUSED, err.text);
}

/* Who is not sent now pays nothing should this daemon be killed before it is. */
static void note_waits(struct manager *m)
{
    struct order *o;

    if (!teller_is_open(m->s) && !desk_is_open(m->s))
        return;
    TAILQ_FOREACH(o, &m->outbox->queue, queue)
    if (o->action == RM_START && !o->waits) {
        o->waits = true;
        leavers_start_waits(m->s, o->job);
    }
}

/* What is answered at once, and what that leads to, changes the queues meanwhile. */
static void send_orders(struct manager *m, bool committed)
{
    if (!m->rm || m->away || !m->synced) {
        note_waits(m);
        return;
    }
    struct bitset leaving = {0}; /* nodes that jobs told to stop are still on */
    struct order_list later = TAILQ_HEAD_INITIALIZER(later);
    struct order *o;
    uint64_t until = 0; /* stops up to this one are in it */
    while ((o = TAILQ_FIRST(&m->outbox->queue))) {
        bool starts = o->action == RM_START;
        if (starts)
            until = add_leaving(m, until, o->token, &leaving);
        if (starts ? outbox_has_node(m, o, &leaving) || has_to_wait(o)
                         || desk_holds(m->s, o->job)
                   : !committed) {
            outbox_dequeue(o);
            o->queued = &later;
            TAILQ_INSERT_TAIL(&later, o, queue);
        } else {
            send_order(m, o);
        }
    }
    bitset_fini(&leaving);
    while ((o = TAILQ_FIRST(&later))) {
        outbox_dequeue(o);
        o->queued = &m->outbox->queue;
        TAILQ_INSERT_TAIL(&m->outbox->queue, o, queue);
    }
    note_waits(m);
    while (committed && m->outbox->removing < REMOVING
           && (o = TAILQ_FIRST(&m->outbox->removals)))
        send_order(m, o);
}

void manager_send(struct server *s, bool committed)
{
    struct managers *all = s->managers;

    if (!all || s->mode == MODE_TEST || s->tries)
        return;
    for (size_t i = 0; i < all->v.n && !commit_is_failing(s); i++)
        send_orders(all->v.v[i], committed);
}
