/* SPDX-License-Identifier: Apache-2.0
 * See bands.h. */
#include "plan/counted/bands.h"

#include "cluster/node.h"

#include <stdlib.h>

#define BANDS_MAX 64 /* and one for each so many nodes */

void bands_fini(struct bands *b)
{
    vec_fini(&b->v);
}

static int compare_bands(const void *a, const void *b)
{
    const struct band *x = a, *y = b;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static bool list_bands(struct bands *b, const struct cluster *c)
{
    b->v.n = 0;
    for (uint32_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        struct band *last = b->v.n ? &b->v.v[b->v.n - 1] : NULL;

        if (n->priorityf)
            return false;
        if (last && last->priority == n->priority)
            last->last = i;
        else
            vec_push(&b->v, ((struct band){n->priority, i, i}));
        if (b->v.n > BANDS_MAX + c->nodes.n / BANDS_MAX)
            return false;
    }
    if (b->v.n)
        qsort(b->v.v, b->v.n, sizeof *b->v.v, compare_bands);
    return b->v.n > 0;
}

const struct band *bands_of(struct bands *b, const struct cluster *c, size_t *ret_n)
{
    if (!b->known || b->nodes != c->node_epoch || b->config != c->config_epoch) {
        b->usable = list_bands(b, c);
        b->nodes = c->node_epoch;
        b->config = c->config_epoch;
        b->known = true;
    }
    *ret_n = b->v.n;
    return b->usable ? b->v.v : NULL;
}
