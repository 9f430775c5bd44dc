/* SPDX-License-Identifier: Apache-2.0
 * The desk for a bank that is elsewhere: AMCFG[] TYPE=FILE, NATIVE or GOLD. A program
 * is called for each thing that is asked of it, with a verb and a JSON object on its
 * standard input (docs/bank.md); how it ends is the answer (am/bank/bank.h).
 *
 *     start decided --lien--> asked: the nodes are kept, the start is not sent;
 *                             done, it is; refused, it is taken back; else, or after
 *                             TIMEOUT, as JFACTION and DEFERJOBONFAILURE say
 *     it ended --charge-->    told, in the same commit as the event; again and again,
 *     start failed --release->    until the bank has taken it
 *     limit changed --lien-->
 *
 * Who is next, and what follows from an answer, is the line's to say (bankline.h). What
 * has to be told outlives the daemon. A message that may have been taken before says so
 * ("again"), and names its run, so that nothing is charged twice. One that the bank
 * refuses for good, or never takes while it takes others, is put aside: administrators
 * see it (mam-queue), and have it told again or not.
 *
 * Runs that are open are records too: after a restart the engine is told of them as of
 * those of the scheduler's own bank (teller.h), with what a charge has to say of them.
 * Private to src/server. */
#ifndef MAUI_SERVER_DESK_H
#define MAUI_SERVER_DESK_H

#include "base/err.h"
#include "engine/charging/charging.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;

int desk_open(struct server *s, struct err *err);
void desk_close(struct server *s);

/* Is the bank elsewhere? Not in a simulation. */
bool desk_is_open(const struct server *s);

/* Other settings are in force. */
void desk_configured(struct server *s);

/* A move for the bank elsewhere. */
void desk_take(struct server *s, const struct money_move *m);

/* Does the start of the job wait for an answer? O(1). */
bool desk_holds(const struct server *s, const char *job);

/* Has the user a run on that account that goes on, and that the bank let start? One
 * that began without its answer is none. O(runs). */
bool desk_has_run(const struct server *s, const char *user, const char *account);

/* All that was taken is on the disk. What is taken from now on is not. */
void desk_committed(struct server *s);
/* What is due, and on the disk, is told. */
void desk_send(struct server *s);

/* All jobs have been told, after a restart: runs whose jobs are on nodes were started,
 * whatever was written down of that. */
void desk_jobs_are_known(struct server *s);

/* Each run that is open. Its texts are borrowed from the desk. */
void desk_each_run(const struct server *s,
    void (*each)(void *arg, const struct funds_run *run), void *arg);

/* What the bank has to be told still, and what was put aside, behind that number, in
 * order of their numbers: `each` is asked whether it takes one, false to stop; a record
 * of the API is made of one that it takes, and is its own. O(what is taken), but for a
 * number that is not there any more. */
struct desk_reader {
    bool (*wants)(void *arg, uint64_t number);
    void (*take)(void *arg, json_t *record);
    void *arg;
};
void desk_list(
    const struct server *s, uint64_t behind, const struct desk_reader *reader);

/* What was put aside is told again; what waits, at once, also where the bank was away
 * just now. Of one run the order stays. -1: there is no such message, or one of its run
 * that waits for another bank comes first. */
int desk_tell_again(struct server *s, uint64_t number, struct err *err);
/* The same of all that are for the bank that is there; those that were put aside go a
 * few hundred at a time. How many. O(all). */
size_t desk_tell_all_again(struct server *s);
/* HOST, PORT or SERVER is another since, and something is open: it is the same bank,
 * and is told all. Until then nobody is told anything. -1: it has not moved. */
int desk_accept_place(struct server *s, struct err *err);
/* What somebody wants given back of a run that is over. */
struct desk_refund {
    const char *run, *request; /* request: its id; the same one is done once */
    const char *who, *text;    /* text may be NULL */
    int64_t amount;
};
/* The bank is told of it after what it was told of that run before. *ret_number: of the
 * message; of a request that is repeated, the first one's. -1: the bank is none that
 * takes refunds, the run goes on, or the id is another request's. */
int desk_give_back(struct server *s, const struct desk_refund *refund,
    uint64_t *ret_number, struct err *err);

/* It is never told. -1: there is no such message, or it is being told just now. */
int desk_drop(struct server *s, uint64_t number, struct err *err);

#endif
