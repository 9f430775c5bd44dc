/* SPDX-License-Identifier: Apache-2.0
 * A small cluster, and its nodes sorted into pools, without a plan around them. */
#ifndef MAUI_TESTS_PLAN_POOLS_FIXTURE_H
#define MAUI_TESTS_PLAN_POOLS_FIXTURE_H

#include "cluster/reservation.h"
#include "plan/pools/fits.h"
#include "select_fixture.h"

struct sorted {
    struct world *w;
    struct closures *closures;
    struct pools *pools;
    struct fits *fits;
};

/* Of nodes that are there already. */
static inline struct sorted sort_world(struct world *w)
{
    struct sorted s = {.w = w, .closures = closures_create(w->c)};

    s.pools = pools_create(w->c, s.closures);
    s.fits = fits_create(w->c, s.pools);
    closures_forget(s.closures);
    pools_sort(s.pools, 0, NULL);
    return s;
}

static inline void sort_again(struct sorted *s, int64_t now)
{
    fits_forget(s->fits);
    closures_forget(s->closures);
    pools_sort(s->pools, now, NULL);
}

/* The world goes too. */
static inline void sorted_close(struct sorted *s)
{
    fits_destroy(s->fits);
    pools_destroy(s->pools);
    closures_destroy(s->closures);
    world_close(s->w);
}

/* All of the node is reserved in [start, end), for nobody. */
static inline void world_reserve(
    struct world *w, uint32_t node, int64_t start, int64_t end)
{
    struct reservation draft = reservation_draft(RSV_ADMIN), *r;
    struct allocs nodes = {0};
    struct alloc one = {.first = node, .count = 1, .tasks = 1};
    struct err err;

    draft.base = xstrdup("r");
    draft.start_at = start;
    draft.end_at = end;
    assert_int_equal(reservation_add(w->c, &draft, 0, &r, &err), 0);
    vec_push(&nodes, one);
    reservation_set_nodes(w->c, r, &nodes);
}

#endif
