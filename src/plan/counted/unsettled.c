/* SPDX-License-Identifier: Apache-2.0
 * A list, as long as not all is unknown. */
#include "plan/counted/unsettled.h"

void unsettled_fini(struct unsettled *u)
{
    vec_fini(&u->parts);
}

void unsettled_add(struct unsettled *u, uint32_t pool, int64_t from, int64_t to)
{
    if (!u->all)
        vec_push(&u->parts, ((struct unsettled_part){pool, from, to}));
}

void unsettled_all(struct unsettled *u)
{
    u->all = true;
    u->parts.n = 0;
}

void unsettled_none(struct unsettled *u)
{
    u->all = false;
    u->parts.n = 0;
}
