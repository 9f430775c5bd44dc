/* SPDX-License-Identifier: Apache-2.0
 * Jobs of which it was found that they could run some time. */
#include "engine/possible.h"

#include "engine/engine_private.h"

bool possible_found(const struct engine *e, const struct job *j)
{
    return e->admission.possible.layout == plan_layout(e->plan)
           && bitset_test(&e->admission.possible.jobs, j->index);
}

void possible_note(struct engine *e, const struct job *j)
{
    uint32_t layout = plan_layout(e->plan);

    if (e->admission.possible.layout != layout)
        bitset_clear_all(&e->admission.possible.jobs);
    e->admission.possible.layout = layout;
    bitset_set(&e->admission.possible.jobs, j->index);
}

void possible_forget(struct engine *e, const struct job *j)
{
    bitset_clear(&e->admission.possible.jobs, j->index);
}
