/* SPDX-License-Identifier: Apache-2.0
 * What is learned of jobs as they start and end, and what is expected of others: how
 * long they run (learned.h), and how far off expected starts are (misses.h). It orders
 * and tells; nobody is stopped, and nothing promised, by it; but a
 * site may have limits learned (predictions_limit()).
 *
 *     a job ends       its run is one more of its user's         learned
 *     one has a place  when it was first expected to start       first
 *     ... and starts   how far off that was                      misses
 *
 * Runs decide in which order jobs are planned: after a restart they are told by an
 * event (EVENT_HISTORY), from accounting. Misses are shown alone. */
#ifndef MAUI_ENGINE_PREDICTION_PREDICTIONS_H
#define MAUI_ENGINE_PREDICTION_PREDICTIONS_H

#include "engine/prediction/learned.h"
#include "engine/prediction/misses.h"

#include <stdbool.h>

struct engine;
struct job;
struct job_memory;
struct predictions;

struct predictions *predictions_create(void);
void predictions_destroy(struct predictions *p);
struct misses *predictions_misses(struct predictions *p);

/* A run of the user (EVENT_HISTORY). */
void predictions_learn(struct predictions *p, uint32_t user, const struct job_run *run);

/* How long the job will run, by PREDICTION: the same answer until a job of its user
 * ends (or many of others). O(1), O(LEARNED_KEPT) once in a while. */
struct prediction predictions_run(struct engine *e, const struct job *j);
/* When the active job is expected to end: after what was predicted, and when that is
 * over, after more and more, until its limit. After now. */
int64_t predictions_end(struct engine *e, const struct job *j);

/* The limit that WCLIMITDEFAULT HISTORY gives a job which asks for none: shorter than
 * it would have otherwise. 0 = none. */
int64_t predictions_limit(const struct engine *e, const struct job *j);

/* ---- when it starts ---- */

/* Instants; 0: nothing is expected, or it is not known how exact that is. */
struct expected_start {
    int64_t at, from, until;
};

/* It was expected at none yet. */
bool predictions_is_new(const struct engine *e, const struct job *j);
/* The interval of a start that is expected, as far as such are known. */
struct expected_start predictions_interval(const struct engine *e, int64_t at);
/* That is the first that is expected of it. */
void predictions_note(
    struct engine *e, const struct job *j, const struct expected_start *x);

/* ---- jobs come and go (engine/occupancy.h) ---- */

/* It starts by plan: was that expected? */
void predictions_started(struct engine *e, const struct job *j);
/* What was expected of it holds no longer. */
void predictions_forget(struct engine *e, const struct job *j);
/* It is complete, after a run until `at`. */
void predictions_ended(struct engine *e, const struct job *j, int64_t at);

/* What of it outlives a restart, and back. */
void predictions_write(
    const struct engine *e, const struct job *j, struct job_memory *io_m);
void predictions_recall(
    struct engine *e, const struct job *j, const struct job_memory *m);

#endif
