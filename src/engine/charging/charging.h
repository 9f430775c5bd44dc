/* SPDX-License-Identifier: Apache-2.0
 * What jobs cost: an observer of occupancy. A job that takes nodes has credits kept for
 * the most that it can come to; a job that is over is charged for what it used, and
 * what was kept is free. What the bank has to write of that are moves.
 *
 *     takes nodes   lien: up to the price of its limit
 *     leaves them   its cost up to there is noted; suspended, the lien stays
 *     is over       charge by CHARGEPOLICY, the lien is closed; started again it is
 *                   another run
 *     never began   the lien is let go
 *     is to leave   what it has come to is noted, for a later life of the daemon
 *
 * A job that the bank knows nothing of (no account, another scheduler's) runs without:
 * it is not refused here. Without a bank in force nothing is done. */
#ifndef MAUI_ENGINE_CHARGING_H
#define MAUI_ENGINE_CHARGING_H

#include "base/vec.h"
#include "funds/funds.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct job;
struct reason;

/* LEAVES: it is to leave its nodes, and has come to `total` in `seconds` by then: for
 * whoever knows nothing else of it after a restart. Or (`goes_on`) it has stayed. */
enum money_kind { MONEY_LIEN, MONEY_CHARGE, MONEY_RELEASE, MONEY_LEAVES };

/* For the bank to write. Texts are borrowed until charging_told(). */
struct money_move {
    enum money_kind kind;
    const char *run, *job, *account;
    const char *user, *group, *class, *qos; /* NULL = none */
    const char *rates;                      /* LIEN: rates in force; its tariff */
    int64_t quote;                          /* LIEN: whose rates these are; 0 = none */
    int64_t most;                           /* LIEN: in all, with what was charged */
    int64_t total;                          /* CHARGE: so much in all */
    int64_t at, until_at;                   /* until_at: LIEN, latest end */
    int64_t procs, nodes, mem_mb; /* for a bank that prices by itself; 0 = not known */
    int64_t seconds;              /* LIEN: its limit; CHARGE: so long on nodes */
    bool elsewhere;               /* for the bank that is not the scheduler's own */
    bool force;                   /* LIEN: whatever there is */
    bool former;      /* charge: another start of the job has been decided since */
    bool goes_on;     /* CHARGE: it has not ended */
    bool unseen;      /* CHARGE: nobody saw its end */
    bool noted;       /* CHARGE that does not go on, RELEASE: LEAVES was told of it */
    bool lost;        /* CHARGE: a node that it was on was down when it left it, or was
                         over, unwell */
    const char *text; /* CHARGE: what it is made of */
};

struct charging;

struct charging *charging_create(void);
void charging_destroy(struct charging *x);

/* The observer's columns (occupancy.c). `told`: the shell says that it runs, or it goes
 * on after a suspension: nobody has decided a start just now. */
void charging_begin(struct engine *e, struct job *j, bool told);
void charging_end(struct engine *e, struct job *j, int64_t until);
void charging_pass(struct engine *e, struct job *j, int64_t until);

/* It has left its nodes at that instant, or nobody has seen it there since; that is
 * told now, before it ends: it pays for no more. */
void charging_left(struct engine *e, struct job *j, int64_t at);

void charging_complete(struct engine *e, struct job *j, bool success);
void charging_waits(struct engine *e, struct job *j);
/* It is over without having been on nodes again. */
void charging_over(struct engine *e, struct job *j);

/* It waits again since that was decided, and whoever has to stop it may refuse. Where
 * that is told (`stops_told`) its run is not over until it is confirmed or the job is,
 * be it that another start was decided meanwhile; one that is told to run on is charged
 * once, from when it began. */
void charging_await(struct engine *e, struct job *j);
/* `displaced`: a former life has decided it, as charging_displace() has in this one. */
void charging_confirm(struct engine *e, struct job *j, bool displaced);
/* That was to make room for another job: with REFUNDONREQUEUE such a run costs nothing,
 * unless it is told to run on, or to have ended by itself before anybody stopped it. */
void charging_displace(struct engine *e, struct job *j);
/* Has it such a run, whose lien lies there as long, or did when this one began? What it
 * lacks may be its own. */
bool charging_awaits(const struct engine *e, const struct job *j);

/* Its start has failed, before it leaves its nodes: that was no run. */
void charging_release(struct engine *e, struct job *j);

/* Runs of jobs that wait again are over, unless those have their nodes back by now: at
 * the end of an event and of a cycle. */
void charging_settle(struct engine *e);

/* Now and then, each FLUSHINTERVAL from local midnight on: jobs that run pay for what
 * they have used so far, and so much less is kept for them. Not where only those pay
 * that end well, nor for their limit; not while their manager cannot see them. */
void charging_flush(struct engine *e);
/* When next; TIME_NEVER. */
int64_t charging_flush_at(const struct engine *e);

/* In a cycle: what is kept for jobs that have been suspended for LIENMAXSUSPEND is free
 * but for what they have used. O(active jobs), where there are such. */
void charging_ease(struct engine *e);
/* May such a job not go on, as its account cannot pay for the rest? *ret is written
 * only then. O(1). */
bool charging_lacks(const struct engine *e, const struct job *j, struct reason *ret);

/* Once all jobs are known: those on nodes, or suspended, that have no lien began while
 * there was no bank, and get what there is. */
void charging_take_over(struct engine *e);

/* Then: runs that were open when the bank told of them and whose jobs nobody has seen
 * since, or which have begun another, are over. They pay for their time until they
 * ended, until it was decided that they leave, or (nobody knows when) up to when the
 * scheduler last looked; nothing where only those pay that end well, or where nobody
 * had been told to start them. */
void charging_forget_strangers(struct engine *e, const struct funds_facts *facts);

/* A reservation's run (engine/charging/rent.h) has cost so much in all. */
void charging_rent(struct engine *e, uint32_t run, const struct am_use *use,
    int64_t total, bool over, const char *text);

/* Assert that each run that is known is of a job on nodes, or suspended, and has that
 * one alone; and funds_check(). For tests. */
void charging_check(const struct engine *e);

/* What is kept for the job; 0 if nothing. O(1). */
int64_t charging_kept(const struct engine *e, const struct job *j);

/* The most that the job can come to, by the rates of its run if it has one. */
int64_t charging_most(const struct engine *e, const struct job *j, int64_t now);

/* What became of an account since the engine was made, by its number in the picture. */
struct account_life {
    int64_t charged;          /* 1/1000 credit, runs that are over */
    int64_t first_refused_at; /* a job's turn came and it could not pay; 0 = never */
};
struct account_life charging_life(const struct engine *e, uint32_t account);

/* The moves since the last charging_told(). */
const struct money_move *charging_moves(const struct engine *e, size_t *ret_n);
void charging_told(struct engine *e);

/* The job's turn came, and its account could not pay. */
void charging_refuse(struct engine *e, const struct job *j);
/* Those jobs, some of them twice; borrowed until the next call. */
const uint32_t *charging_refused(const struct engine *e, size_t *ret_n);
void charging_forget_refused(struct engine *e);

/* Was credit let go since the last call, or (`due`) given, and was somebody refused?
 * Then all who wait are to be looked at. */
bool charging_gives_hope(struct engine *e, bool due);
/* Was somebody refused since? */
bool charging_refuses(const struct engine *e);

#endif
