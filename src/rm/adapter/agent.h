/* SPDX-License-Identifier: Apache-2.0
 * What every adapter program has in common: the loop, the daemon's line, when to look
 * and when to look sooner, health, orders that are pending.
 *
 *     daemon <--- link ---> agent ---> driver: open, look, command ...
 *                             |  <--- agent_looked(), agent_pending() ...
 *                             +- pending: orders with a deadline
 *
 * A look is everything that the resource manager knows, told by way of listings
 * (listing.h). It may take its time: nothing else is asked for before agent_looked().
 * After the first that went well the daemon is told that it has all. Looks that fail
 * come again after pauses that double up to half a minute; what was told before
 * stands meanwhile, and nothing is decided.
 *
 * docs/drivers.md shows a driver. */
#ifndef MAUI_RM_ADAPTER_AGENT_H
#define MAUI_RM_ADAPTER_AGENT_H

#include "rm/adapter/link.h"
#include "rm/adapter/listing.h"
#include "rm/adapter/pending.h"
#include "rm/rm.h"

struct agent;

/* A driver's side. `ctx` is what open() returned. All but open, look and command may be
 * NULL. */
struct agent_driver {
    const char *program; /* "maui-native", for its last words */
    int64_t poll_ms;     /* between two looks, where POLLINTERVAL= says nothing else */
    int64_t least_ms;    /* from look to look, whatever happens: what they cost */
    /* Once, first. NULL with an error: it can never work as configured, and the
     * process ends with that. */
    void *(*open)(struct agent *a, const struct link_opening *o, struct err *err);
    void (*close)(void *ctx);
    /* Begin to look at everything; agent_looked() ends it, at once or later. */
    void (*look)(void *ctx);
    /* Orders are pending and one of them is due (pending.h): look at what they are
     * about, all of them at once, and let those land that have come about. It may take
     * its time, beside a look too, and is called again as orders are due. NULL: a look
     * at all is made for it. */
    void (*check)(void *ctx);
    /* All is to be told anew, from the next look on: listing_forget(). */
    void (*retell)(void *ctx);
    /* All orders are lost, those that are pending too: nobody waits for them any more.
     */
    void (*forget)(void *ctx);
    /* Answer by agent_done(), now or later, or agent_pending(). */
    void (*command)(void *ctx, const struct rm_command *c);
    void (*submit)(void *ctx, const struct rm_submission *s);
    void (*note)(void *ctx, const struct rm_note *n);
    void (*immediate)(void *ctx, const char *word, const char *nodes);
    void (*beat)(void *ctx); /* every other second: the scheduler lives (beat.h) */
    /* The daemon has ended, and nobody is told anything any more. Of the orders that it
     * has acknowledged begin what waits for its turn, and nothing else from now on: no
     * start, no submission. How many are left? Called again and again, until it is 0 or
     * two seconds have passed. NULL: each is carried out as it comes. */
    size_t (*ends)(void *ctx);
};

/* The whole program: the exit status of main(), which is called with "--adapter". */
int agent_main(const struct agent_driver *driver);

sd_event *agent_loop(const struct agent *a);
/* Where reports go. */
const struct rm_sink *agent_sink(const struct agent *a);

/* The look is over. NULL: it went well. Else what failed ("workloadquery") and why: an
 * ailment; or, where the function is "connection", the resource manager is out of
 * reach: pending orders are lost and all is told anew when it is back. */
void agent_looked(struct agent *a, const char *function, const char *why);
/* Look again soon: something has happened. */
void agent_look(struct agent *a);
/* From now on so much time passes from look to look, in place of least_ms. */
void agent_pace(struct agent *a, int64_t least_ms);
/* Something is not well beside looks and orders ("heartbeat"), or well again (NULL). */
void agent_health(struct agent *a, const char *function, const char *text);
/* Something is not as it should be, and all goes on: said once for each text. `io_said`
 * is 0 at first; NULL: nothing is wrong any more. */
void agent_remark(
    struct agent *a, const char *function, const char *text, uint64_t *io_said);
/* The resource manager has gone back to what it was before: pending orders are lost,
 * all is told anew. */
void agent_forgotten(struct agent *a, const char *why);
/* Has the daemon been told all that there is? Until then what is not told is missed. */
bool agent_is_synced(const struct agent *a);
bool agent_is_led(const struct agent *a); /* see link.h */

/* It is there, and nothing can be said of it just now, or what is known of it is of
 * before an order of ours: it stays as it was told, and nobody misses it. */
void agent_keep_job(struct agent *a, struct listing *jobs, const char *id);

/* What came of an order. After RM_LOST a look begins at once and all is told anew: the
 * daemon then orders again what has not come about. Where orders are lost again and
 * again it begins after 1 s, 2 s, 4 s ... up to half a minute. */
void agent_done(struct agent *a, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text);
/* The order is accepted, and is to come about in that time. */
void agent_pending(struct agent *a, const struct rm_command *c, int64_t patience_ms);
struct pending *agent_orders(const struct agent *a);

#endif
