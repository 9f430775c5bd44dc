/* SPDX-License-Identifier: Apache-2.0
 * A 4-ary heap: half the levels of a binary one, and a node's children share a cache
 * line. */
#include "sim/evheap.h"

static bool before(const struct ev *a, const struct ev *b)
{
    return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

void evheap_fini(struct evheap *h)
{
    vec_fini(&h->heap);
}

void evheap_push(struct evheap *h, struct ev e)
{
    struct ev *v;
    size_t i = h->heap.n;

    vec_push(&h->heap, e);
    v = h->heap.v;
    for (; i > 0 && before(&e, &v[(i - 1) / 4]); i = (i - 1) / 4)
        v[i] = v[(i - 1) / 4];
    v[i] = e;
}

/* The earliest child of `i` among the first `n` entries; n if it has none. */
static size_t first_child(const struct ev *v, size_t i, size_t n)
{
    size_t best = 4 * i + 1;

    if (best >= n)
        return n;
    for (size_t k = best + 1; k < n && k <= 4 * i + 4; k++)
        if (before(&v[k], &v[best]))
            best = k;
    return best;
}

struct ev evheap_pop(struct evheap *h)
{
    struct ev *v = h->heap.v;
    struct ev top = v[0], last = v[--h->heap.n];
    size_t n = h->heap.n, i = 0;

    for (;;) {
        size_t child = first_child(v, i, n);

        if (child == n || before(&last, &v[child]))
            break;
        v[i] = v[child];
        i = child;
    }
    if (n > 0)
        v[i] = last;
    return top;
}
