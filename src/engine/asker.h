/* SPDX-License-Identifier: Apache-2.0
 * A job that nobody has submitted, in the cluster for the time of a question. */
#ifndef MAUI_ENGINE_ASKER_H
#define MAUI_ENGINE_ASKER_H

#include "engine/query.h"

struct asker {
    struct job *j;
    struct plan *plan; /* a fork, which answers for it */
};

/* Does the question make sense? -1 with a sentence: a name that no node has, no such
 * partition, or nothing was scheduled yet. */
int asker_check(const struct engine *e, const struct query_ask *ask, struct err *err);

/* A job of `tasks` tasks of `unit` processors, with the credentials of the question as
 * far as they are known, and a fork of the plan to ask about it. Until asker_end()
 * nothing but questions may come. */
int asker_begin(struct engine *e, const struct query_ask *ask, int64_t unit,
    int64_t tasks, struct asker *ret, struct err *err);
void asker_end(struct engine *e, struct asker *a);

/* The largest unit, in processors, that the partitions in question are counted in. */
int64_t asker_unit(const struct engine *e, const struct query_ask *ask);

#endif
