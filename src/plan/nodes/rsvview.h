/* SPDX-License-Identifier: Apache-2.0
 * How reservations of other kinds on a node look to one job: which of them let it in,
 * how much it is drawn there (affinity), and when that changes. Source: reference
 * reservations 3 and 4.
 *
 *     node 4                      to john                  to mary
 *     A: [100, 900) for john      granted, positive        refused
 *     B: [500, 700) for mary      refused                  granted, positive
 *     in [100, 300)               AFFINITY_POSITIVE        AFFINITY_NONE
 *     looked at again at          500                      500
 *
 * What they keep from it is in bynode/kept.h. Verdicts of access lists are remembered
 * for the job last looked at. */
#ifndef MAUI_PLAN_NODES_RSVVIEW_H
#define MAUI_PLAN_NODES_RSVVIEW_H

#include "plan/endings.h"
#include "plan/nodes/nodealloc.h"
#include "policy/acl.h"

struct rsvview;

/* All are borrowed; the clock and the version are the plan's, which grows with all that
 * changes answers. */
struct rsvview *rsvview_create(
    struct cluster *c, const int64_t *now, const uint64_t *version);
void rsvview_destroy(struct rsvview *v);

/* Does the reservation let the job in, which stays in [start, end), and how much does
 * it draw it? O(1) when asked again of the same job, unless its access list asks how
 * long a job stays. */
struct acl_verdict rsvview_verdict(struct rsvview *v, const struct job *j,
    struct reservation *r, int64_t start, int64_t end);
/* May a job that is confined to reservations use this one, which lets it in? */
bool rsvview_confinement_allows(
    struct rsvview *v, const struct job *j, const struct reservation *r);

/* How much reservations that let the job in draw it to the node: the least of them;
 * AFFINITY_NONE = none does. O(reservations on the node). */
enum affinity rsvview_affinity(struct rsvview *v, const struct job *j,
    const struct node *n, int64_t start, int64_t end);

/* The next instant after `after` at which a reservation on the node begins, or ends
 * (which matters to confined jobs only). TIME_NEVER = none. */
int64_t rsvview_next(
    const struct rsvview *v, const struct job *j, const struct node *n, int64_t after);

/* The next instant after `after` beyond which a job that begins now may get less: a
 * reservation begins, one that confines it ends, or a time limit is passed. */
int64_t rsvview_drop(
    const struct rsvview *v, const struct job *j, const struct node *n, int64_t after);

/* Instants after `from` at which a reservation begins or ends, added to *io. */
void rsvview_times(const struct rsvview *v, int64_t from, struct instants *io);

/* Does it depend on how long a job stays whom reservations on the node let in? */
bool rsvview_depends_on_overlap(const struct rsvview *v, uint32_t node);

#endif
