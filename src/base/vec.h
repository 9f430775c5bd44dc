/* SPDX-License-Identifier: Apache-2.0
 * Growable arrays of any type, as three plain fields and a few macros.
 *
 *     struct VEC(int) ids = {0};
 *     vec_push(&ids, 7);
 *     for (size_t i = 0; i < ids.n; i++) use(ids.v[i]);
 *     vec_fini(&ids);
 */
#ifndef MAUI_BASE_VEC_H
#define MAUI_BASE_VEC_H

#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The fields of a growable array: elements, count, capacity. */
#define VEC(type)                                                                      \
    {                                                                                  \
        type *v;                                                                       \
        size_t n, cap;                                                                 \
    }

/* Make room for `more` further elements. Amortised O(1) an element. */
#define vec_reserve(a, more)                                                           \
    do {                                                                               \
        if ((a)->n + (more) > (a)->cap) {                                              \
            (a)->cap =                                                                 \
                (a)->cap * 2 > (a)->n + (more) ? (a)->cap * 2 : (a)->n + (more) + 8;   \
            (a)->v = xrealloc((a)->v, (a)->cap, sizeof *(a)->v);                       \
        }                                                                              \
    } while (0)

#define vec_push(a, item)                                                              \
    do {                                                                               \
        vec_reserve((a), 1);                                                           \
        (a)->v[(a)->n++] = (item);                                                     \
    } while (0)

/* The elements of one array into another of the same type, which is overwritten. */
#define vec_copy(to, from)                                                             \
    do {                                                                               \
        (to)->v = NULL;                                                                \
        (to)->n = (to)->cap = 0;                                                       \
        vec_reserve(to, (from)->n);                                                    \
        if ((from)->n)                                                                 \
            memcpy((to)->v, (from)->v, (from)->n * sizeof *(to)->v);                   \
        (to)->n = (from)->n;                                                           \
    } while (0)

/* Append `more` elements that are all zero. Amortised O(1) an element; where they are
 * many, memory that nobody writes to costs nothing. */
#define vec_push_zeros(a, more)                                                        \
    do {                                                                               \
        size_t all_ = (a)->n + (more);                                                 \
        if (all_ <= (a)->cap) {                                                        \
            if (all_ > (a)->n)                                                         \
                memset((a)->v + (a)->n, 0, (all_ - (a)->n) * sizeof *(a)->v);          \
        } else {                                                                       \
            size_t cap_ = (a)->cap * 2 > all_ ? (a)->cap * 2 : all_;                   \
            void *grown_ = xcalloc(cap_, sizeof *(a)->v);                              \
            if ((a)->n)                                                                \
                memcpy(grown_, (a)->v, (a)->n * sizeof *(a)->v);                       \
            free((a)->v);                                                              \
            (a)->v = grown_;                                                           \
            (a)->cap = cap_;                                                           \
        }                                                                              \
        (a)->n = all_;                                                                 \
    } while (0)

/* Remove element `i`, keeping the order of the rest. O(n). */
#define vec_remove(a, i)                                                               \
    do {                                                                               \
        memmove((a)->v + (i), (a)->v + (i) + 1, ((a)->n - (i)-1) * sizeof *(a)->v);    \
        (a)->n--;                                                                      \
    } while (0)

#define vec_fini(a)                                                                    \
    do {                                                                               \
        free((a)->v);                                                                  \
        (a)->v = NULL;                                                                 \
        (a)->n = (a)->cap = 0;                                                         \
    } while (0)

/* A list of jobs, nodes or whatever else is found by index. */
struct indexes VEC(uint32_t);

#endif
