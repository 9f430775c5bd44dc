/* SPDX-License-Identifier: Apache-2.0
 * Who asks a question: a job that nobody has submitted, and a fork of the plan. Neither
 * stands in the engine, so a question changes nothing, whoever else asks. */
#ifndef MAUI_ENGINE_ASKER_H
#define MAUI_ENGINE_ASKER_H

#include "engine/query.h"

struct asker {
    struct job *j;     /* owned; in no table (job_draft()) */
    struct plan *plan; /* owned; a fork, which answers for it */
};

/* Does the question make sense? -1 with a sentence: a name that no node has, no such
 * partition, or nothing was scheduled yet. */
int asker_check(const struct engine *e, const struct query_ask *ask, struct err *err);

/* A job of `tasks` tasks of `unit` processors, with the credentials of the question as
 * far as they are known, and a fork of the plan to ask about it. Both are as the engine
 * is now: asker_end() before the next event or cycle. */
int asker_begin(struct engine *e, const struct query_ask *ask, int64_t unit,
    int64_t tasks, struct asker *ret, struct err *err);
void asker_end(struct asker *a);

/* The largest unit, in processors, that the partitions in question are counted in. */
int64_t asker_unit(const struct engine *e, const struct query_ask *ask);

#endif
