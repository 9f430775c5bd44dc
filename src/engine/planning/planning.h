/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN: waiting jobs are planned together, by a search for the order
 * that costs least (plan/search/search.h), and each is promised a latest start. In a
 * cycle it stands in place of the pass by priority:
 *
 *     candidates, by priority
 *          |  the first PLANDEPTH, and who holds a promise
 *     members      wishes, with their weights            members.c
 *          |  listed as in the last plan, then by priority
 *     promises     latest starts, offered                 promise.c
 *          |  if one of them fits now
 *     window       the search moves so many of them       window.c
 *          |  every one is reserved for; who has a place is promised it
 *     starts       who is due; others may preempt, or take less of their limit
 *     apart        of several classes, with a deadline: behind all that
 *     backfill     where it delays none
 *
 * A plan is taken only when that of the nodes keeps every promise of it, else the last
 * one stays: counts alone promise nothing (kept.c). What a lost node or an overrun
 * makes impossible is promised for later, and counts as broken (broken.c); so may be
 * what a reservation of another kind leaves no room for, where nodes are of several
 * kinds: it is chosen by what counts leave, and all are placed anew around it.
 * Source: reference plan-search. */
#ifndef MAUI_ENGINE_PLANNING_PLANNING_H
#define MAUI_ENGINE_PLANNING_PLANNING_H

#include "engine/prediction/predictions.h"
#include "engine/promises.h"
#include "engine/queue/queue.h"

#include <stdbool.h>

struct engine;
struct job_memory;
struct planning;

struct planning *planning_create(void);
void planning_destroy(struct planning *p);

/* Plan the candidates, start who is due. O(members x steps) for the lists, and the
 * search: O(PLANWINDOW x steps x PLANEVALUATIONS), within PLANTIME. */
void planning_pass(struct engine *e, const struct queue_view *jobs);
/* The policy is another: nothing is promised any more. O(promises). */
void planning_drop(struct engine *e);

/* At the end of each cycle, whatever the policy: whose promise lapsed is told of. O(of
 * them). */
void planning_end_cycle(struct engine *e);

/* In a cycle, before the pass: suspended jobs go on, or have a place where they will
 * (returns.c). O(suspended jobs x what is on their nodes). */
void returns_keep(struct engine *e);
/* Under another policy none has a place, whatever was kept. O(active jobs), O(1) when
 * none is suspended. */
void returns_drop(struct engine *e);

/* When the waiting job is expected to start, and how exact that is: by predictions, not
 * by limits. All 0: it is not known. O(1), and once after each cycle O(members x steps
 * + active jobs). */
struct expected_start planning_expected(struct engine *e, const struct job *j);

/* A job starts by order: who is put off in the next cycle, is so by that. */
void promise_note_order(struct engine *e);
/* The site's parameters were read, which made all nodes anew: `nodes` was their epoch
 * before. By that none is lost; nor does it break a promise where they are the same. */
void promise_note_settings(struct engine *e, uint64_t nodes, bool same);
/* The job has just started, at its start_at: what it was promised, if anything, counts
 * as kept or broken, and is over. */
void promise_fulfil(struct engine *e, const struct job *j);
/* That start, of then, has failed, and the job waits again: it was neither, and is
 * promised the same as before. O(1). */
void promise_take_back(struct engine *e, const struct job *j, int64_t start_at);
/* That outlives a restart, as long as the job is Starting: nobody can tell then whether
 * one that waits again has run. One that runs has had its start. */
void promise_write(
    const struct engine *e, const struct job *j, struct job_memory *io_m);
/* A job comes; `m` is what is remembered of it, or NULL. One that is told to wait
 * again, though it had started when that was written, has not: its start is taken back.
 * That its promise was broken is known of one that is held, too. O(1). */
void promise_recall(
    struct engine *e, const struct job *j, const struct job_memory *m, bool waits);

#endif
