/* SPDX-License-Identifier: Apache-2.0
 * Nodes for a job, of pools of both kinds. */
#include "plan/bynode/pick.h"

#include "plan/bynode/bynode_private.h"
#include "plan/bynode/multireq.h"
#include "plan/bynode/offers.h"
#include "plan/counted/reserve.h"

#include <assert.h>

int pick_now(struct bynode *b, const struct job *j, uint32_t set, struct allocs *ret,
    enum wait_code *ret_code)
{
    if (j->nreqs > 1)
        return multireq_place(b, j, set, *b->now, ret, ret_code) ? 0 : -1;
    return offers_place_now(b, j, set, ret, ret_code);
}

void pick_at(struct bynode *b, const struct job *j, struct rsv *r)
{
    int64_t units = 0;
    enum wait_code code;
    bool found;

    if (j->nreqs > 1) {
        found = multireq_place(b, j, r->fitset, r->start_at, &r->alloc, &code);
    } else {
        offers_find(b, j, r->fitset, r->start_at, r->end_at);
        found = offers_choose(b, j, r->fitset, r->start_at, &r->alloc, &units);
    }
    assert(found);
    (void)found;
    reserve_units(b->counted, j, r, units);
}
