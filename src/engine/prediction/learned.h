/* SPDX-License-Identifier: Apache-2.0
 * How long jobs ran, and how long others like them will. Five simple predictors, and
 * their mix: each is trusted by how near it has come, to this user's runs and to all.
 *
 *     limits      all runs, as parts of their limits: a histogram that forgets slowly
 *     ratios      the user's runs, as parts of their limits
 *     lengths     the user's runs
 *     same        the user's runs of the same limit and size
 *     alike       ... of the same limit or size
 *
 * Runs of jobs that asked for no limit also say which limit to give the next such job.
 *
 * Runs alone: no job record, no clock, and never more than a limit. What is told in the
 * same order predicts the same. Source: reference scheduling-algorithms, section 5;
 * limits: reference plan-search, section 11. */
#ifndef MAUI_ENGINE_PREDICTION_LEARNED_H
#define MAUI_ENGINE_PREDICTION_LEARNED_H

#include "config/plancfg.h"

#include <stdbool.h>
#include <stdint.h>

/* So many runs of a user are remembered, and so many users: then who ran least recently
 * is forgotten. */
#define LEARNED_KEPT      32
#define LEARNED_USERS_MAX 10000
/* Of runs without a limit asked: of all users so many are remembered; and fewer than so
 * many, of whomever, tell nothing. */
#define LEARNED_SITE  256
#define LEARNED_LEAST 5

struct job_run {
    int64_t run_s;
    int64_t limit_s; /* 0 = it had none */
    uint32_t procs;
    bool unasked; /* nobody asked for its limit */
};

struct prediction {
    double run_s;     /* E[p]; 1 at least, and the limit at most */
    double short_run; /* E[1 / max(p, 10 s)] */
};

struct learned;

struct learned *learned_create(void);
void learned_destroy(struct learned *r);

/* Of that user, by index. O(LEARNED_KEPT), and O(users) when one is forgotten. */
void learned_note(struct learned *r, uint32_t user, const struct job_run *run);

/* `asked.run_s` does not count. Where nothing is known, and with PREDICTION_NONE, it is
 * the limit. O(LEARNED_KEPT). */
struct prediction learned_predict(const struct learned *r, enum plan_prediction how,
    uint32_t user, const struct job_run *asked);

/* A limit for a job of the user that asks for none: twice what nine of ten such runs of
 * the user took, else of all, from ten minutes to a day. 0 = too few are known.
 * O(LEARNED_SITE log). */
int64_t learned_limit(const struct learned *r, uint32_t user);

/* As long as it is the same, so is what is predicted for the user. O(1). */
uint64_t learned_version(const struct learned *r, uint32_t user);

#endif
