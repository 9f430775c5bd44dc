/* SPDX-License-Identifier: Apache-2.0
 * Jobs that may run in any of several classes. At every moment such a job is in one of
 * them; it changes over when another lets it start now, or sooner. */
#ifndef MAUI_ENGINE_CLASSES_H
#define MAUI_ENGINE_CLASSES_H

#include "cluster/job.h"
#include "policy/access.h"

struct engine;

static inline bool classes_several(const struct job *j)
{
    return j->extra && j->extra->classes.n > 1;
}
/* What follows from its credentials, for each of its classes; it is in the first then
 * that lets it in. The answer is of that class, as that of access_resolve(). */
enum hold_reason classes_resolve(
    struct engine *e, struct job *j, struct access_fault *ret);
/* Before its priority is computed: out of a class in which it cannot start at all. */
void classes_settle(struct engine *e, struct job *j);
/* Its class does not do: into the next that lets it in, and for which `fits` (NULL =
 * always) is true, else it stays. */
bool classes_move(struct engine *e, struct job *j, void *ctx,
    bool (*fits)(struct engine *e, const struct job *j, void *ctx));

/* The job as it would be in a class: a copy to ask about, freed by job_copy_fini(). */
struct in_class {
    struct job as;
    bool let_in; /* by all that depends on the class, but for limits on active jobs */
};
void classes_look(
    struct engine *e, const struct job *j, uint32_t cls, struct in_class *ret);
/* Decided: it is in that class from now on. */
void classes_enter(struct engine *e, struct job *j, uint32_t cls);

/* classes_try.c */
/* Start it in the first class in which it can. */
bool classes_start(struct engine *e, struct job *j, enum limit_level level);
/* The same with less than its limit, if it may be (shorten.h). */
bool classes_shorten(struct engine *e, struct job *j, enum limit_level level);
/* As reserve_job(), in the class in which it starts soonest. One search a class. */
bool classes_reserve(struct engine *e, struct job *j, enum limit_level level);
/* Start it out of order, in whichever class. */
bool classes_backfill(struct engine *e, struct job *j, enum limit_level level);

#endif
