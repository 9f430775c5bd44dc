/* SPDX-License-Identifier: Apache-2.0
 * What the engine decides, on its way to the shell.
 *
 *     in a cycle      --> actions of that cycle --------------> engine_cycle()
 *     by an event     --> pending, told if they are still so --> the next cycle,
 *                                                                engine_decided()
 *     without action  --> changed --------------------------> engine_changed()
 *     job that ended  --> ended: leaves the cluster at the next cycle */
#ifndef MAUI_ENGINE_DECISIONS_H
#define MAUI_ENGINE_DECISIONS_H

#include "engine/engine.h"

struct decisions;

struct decisions *decisions_create(void);
void decisions_destroy(struct decisions *d);

/* From now on actions go there: a cycle begins, or the shell asks. */
void decisions_open(struct engine *e, struct actions *to);
/* What is pending, and still so, comes first. */
void decisions_tell_pending(struct engine *e);
void decisions_close(struct engine *e);

/* An action about the job, to be completed by the caller. Borrowed until the next.
 * `text` is copied: it lasts until the next call of the shell, whatever becomes of the
 * job; between cycles that of a cancellation is the job's too. */
struct action *decisions_add(struct engine *e, enum action_kind kind,
    const struct job *j, int64_t at, const char *text);
/* Trigger `index` of the reservation fires. In cycles only. */
void decisions_add_trigger(
    struct engine *e, const struct reservation *r, uint32_t index);
/* A text that lasts as long as what was decided of the job is told. */
const char *decisions_keep_text(struct job *j, const char *text);
/* Those of the running cycle; *ret_n of them, borrowed. */
const struct action *decisions_of_cycle(const struct engine *e, size_t *ret_n);

/* What no action tells of, but is to outlive a restart. */
void decisions_changed(struct engine *e, uint32_t job);
void decisions_forget_changed(struct engine *e);

/* The job has ended: told by whoever ends it, so that it leaves. One that the engine
 * cancels by itself between cycles leaves when that is told. */
void decisions_ended(struct engine *e, const struct job *j);
void decisions_cancelled(struct engine *e, const struct job *j);
/* All of them, *ret_n, borrowed until one is added or taken back. */
const uint32_t *decisions_of_ended(const struct engine *e, size_t *ret_n);
/* One is none of them any more; false: it was not. O(ended). */
bool decisions_take_back_ended(struct engine *e, const struct job *j);
void decisions_forget_ended(struct engine *e);
/* For engine_keep_ended(): whoever ends stays in the cluster from now on. */
void decisions_keep_ended(struct engine *e);
bool decisions_keeps_ended(const struct engine *e);

#endif
