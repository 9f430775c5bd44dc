/* SPDX-License-Identifier: Apache-2.0
 * Nodes for a job, of pools of both kinds: for a start now, and for a reservation.
 *
 *     one request         offers.h: what each node offers, then the allocation policy
 *     several requests    multireq.h
 *
 * A start gets nodes of counted pools too. A reservation gets units of those, and nodes
 * of the others, which are pinned. */
#ifndef MAUI_PLAN_BYNODE_PICK_H
#define MAUI_PLAN_BYNODE_PICK_H

#include "cluster/job.h"
#include "cluster/reason.h"

struct bynode;
struct rsv;

/* For a start now, out of the set (fits_set()). Appends to *ret. -1: they do not
 * suffice, *ret_code says why. O(nodes of the set). */
int pick_now(struct bynode *b, const struct job *j, uint32_t set, struct allocs *ret,
    enum wait_code *ret_code);

/* For a reservation that was found to be possible (asserted): nodes into r->alloc,
 * units of counted pools into r->parts, in the order of offers_choose(). So a job that
 * nothing draws to a node gets as many units as there are, and nodes for the rest only.
 * Pinning the nodes (pintable_add()) is the caller's. */
void pick_at(struct bynode *b, const struct job *j, struct rsv *r);

#endif
