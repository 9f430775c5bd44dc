/* SPDX-License-Identifier: Apache-2.0
 * How reservations of other kinds on a node look to one job: what they keep from it,
 * what they offer to it alone, and how much it is drawn there (affinity). Nodes that
 * they take wholly are closed instead (closures/closures.h); those of waiting jobs are
 * pins. Source: reference reservations 3 and 4.
 *
 *     node 4, 8 processors          to john            to mary
 *     A: 4 for john, 2 of them      lets him in        keeps 2 from her
 *        in use by his job
 *     B: 2 for mary                 keeps 2 from him   lets her in
 *
 * Verdicts of access lists are remembered for the job last looked at. */
#ifndef MAUI_PLAN_BYNODE_RSVVIEW_H
#define MAUI_PLAN_BYNODE_RSVVIEW_H

#include "plan/bynode/bynode.h"
#include "plan/endings.h"

struct rsvview;
struct sweep;

struct rsvview *rsvview_create(void);
void rsvview_destroy(struct rsvview *v);

/* Take off *io_have what reservations on the node keep from the asker at one instant of
 * its span. One that is confined to reservations is left what lies in them. */
void rsvview_reduce(const struct asker *a, const struct node *n,
    const struct span *span, int64_t at, struct res *io_have);

/* How much reservations that let the job in draw it to the node: the least of them. */
enum affinity rsvview_affinity(struct plan *p, const struct job *j,
    const struct node *n, int64_t start, int64_t end);

/* The next instant after `after` at which a reservation on the node begins, or ends
 * (which matters to confined jobs only). TIME_NEVER = none. */
int64_t rsvview_next(
    struct plan *p, const struct job *j, const struct node *n, int64_t after);

/* The next instant after `after` beyond which a job that begins now may get less: a
 * reservation begins, one that confines it ends, or a time limit is passed. */
int64_t rsvview_drop(
    struct plan *p, const struct job *j, const struct node *n, int64_t after);

/* Instants after `from` at which a reservation begins or ends, added to *io. */
void rsvview_times(const struct plan *p, int64_t from, struct instants *io);

/* The sweep looks at the node when its reservations begin and end. */
void rsvview_watch(struct plan *p, struct sweep *w, uint32_t node);

/* Does it depend on how long a job stays whom reservations on the node let in? */
bool rsvview_depends_on_overlap(const struct plan *p, uint32_t node);

/* Jobs with equal numbers and task definitions see the same: the user, where node
 * limits or access policies look at it, and which reservations let the job in. */
uint64_t rsvview_signature(struct plan *p, const struct job *j);

#endif
