/* SPDX-License-Identifier: Apache-2.0
 * An entry a set, made when somebody asks. */
#include "plan/counted/set_memory.h"

#include "base/xalloc.h"
#include "plan/counted/counted_private.h"
#include "plan/counted/lower_bounds.h"

struct set_memory *set_memory_create(void)
{
    return xcalloc(1, sizeof(struct set_memory));
}

static void small_fini(struct set_small *s)
{
    if (s->borrowed)
        return;
    vec_fini(&s->holders);
    vec_fini(&s->large);
    vec_fini(&s->elsewhere);
    vec_fini(&s->group_of);
}

void set_memory_destroy(struct set_memory *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->offers.n; i++) {
        vec_fini(&m->offers.v[i].free_until);
        vec_fini(&m->offers.v[i].grants);
        lower_bounds_destroy(m->offers.v[i].bounds);
    }
    vec_fini(&m->offers);
    lower_bounds_destroy(m->base.bounds);
    lower_bounds_destroy(m->base_merged.bounds);
    small_fini(&m->small);
    vec_fini(&m->order);
    free(m);
}

struct set_offer *set_memory_offer(struct set_memory *m, uint32_t access)
{
    while (m->offers.n <= access + 1u) /* ACCESS_OPEN is the first */
        vec_push(&m->offers, (struct set_offer){0});
    return &m->offers.v[access + 1u];
}

void set_memory_forget_bounds(struct set_memory *m)
{
    m->base.bounds_valid = m->base_merged.bounds_valid = false;
    for (size_t i = 0; i < m->offers.n; i++)
        m->offers.v[i].bounds_valid = false;
}

struct set_memory *set_memory_of(struct counted *ct, const struct fitset *s)
{
    uint32_t number = s->number;

    while (ct->sets.n <= number)
        vec_push(&ct->sets, NULL);
    if (!ct->sets.v[number])
        ct->sets.v[number] = set_memory_create();
    return ct->sets.v[number];
}

void set_memory_forget(struct counted *ct)
{
    for (size_t i = 0; i < ct->sets.n; i++)
        set_memory_destroy(ct->sets.v[i]);
    ct->sets.n = 0;
}
