/* SPDX-License-Identifier: Apache-2.0
 * A list of pins a node. */
#include "plan/reservations/pins.h"

#include "base/xalloc.h"

#include <stdlib.h>

struct pintable {
    uint64_t epoch;
    struct VEC(struct pins) on; /* by node index */
};

struct pintable *pintable_create(void)
{
    struct pintable *t = xcalloc(1, sizeof *t);

    t->epoch = 1;
    return t;
}

void pintable_destroy(struct pintable *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->on.n; i++)
        vec_fini(&t->on.v[i].v);
    vec_fini(&t->on);
    free(t);
}

struct pintable *pintable_copy(const struct pintable *t)
{
    struct pintable *copy = pintable_create();

    for (uint32_t node = 0; node < t->on.n; node++) {
        const struct pins *pins = pintable_on(t, node);
        struct pins mine = {.epoch = copy->epoch};
        for (size_t i = 0; pins && i < pins->v.n; i++)
            vec_push(&mine.v, pins->v.v[i]);
        vec_push(&copy->on, mine);
    }
    return copy;
}

void pintable_forget(struct pintable *t)
{
    t->epoch++;
}

void pintable_add(struct pintable *t, const struct rsv *r)
{
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            uint32_t node = r->alloc.v[i].first + k;
            struct pin pin = {
                r->start_at, r->end_at, r->job, r->alloc.v[i].req, r->alloc.v[i].tasks};
            while (t->on.n <= node)
                vec_push(&t->on, (struct pins){0});
            struct pins *pins = &t->on.v[node];
            if (pins->epoch != t->epoch)
                pins->v.n = 0;
            pins->epoch = t->epoch;
            vec_push(&pins->v, pin);
        }
}

static void remove_from(struct pins *pins, uint32_t job)
{
    for (size_t m = 0; m < pins->v.n;)
        if (pins->v.v[m].job == job)
            vec_remove(&pins->v, m);
        else
            m++;
}

void pintable_remove(struct pintable *t, const struct rsv *r)
{
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            struct pins *pins = pintable_on(t, r->alloc.v[i].first + k);
            if (pins)
                remove_from(pins, r->job);
        }
}

struct pins *pintable_on(const struct pintable *t, uint32_t node)
{
    if (node >= t->on.n || t->on.v[node].epoch != t->epoch)
        return NULL;
    return t->on.v[node].v.n ? &t->on.v[node] : NULL;
}
