/* SPDX-License-Identifier: Apache-2.0
 * See lineup.h. */
#include "plan/search/lineup.h"

#include "base/timeval.h"

/* Copying what is left costs about as much as placing one. Each head has a copy of all
 * parts: wishes / 8 x parts x steps of memory while a search goes on. */
#define HEAD_STEP 8

static struct profile *create_parts(const struct wishes *w)
{
    return xcalloc(w->parts.n + 1, sizeof(struct profile));
}

static void copy_parts(
    const struct wishes *w, struct profile *ret, const struct profile *from)
{
    for (size_t i = 0; i < w->parts.n; i++)
        profile_assign(&ret[i], &from[i]);
}

static void free_parts(const struct wishes *w, struct profile *parts)
{
    for (size_t i = 0; parts && i < w->parts.n; i++)
        profile_fini(&parts[i]);
    free(parts);
}

void lineup_begin(struct lineup *l, const struct wishes *w)
{
    *l = (struct lineup){.w = w, .parts = create_parts(w)};
    copy_parts(w, l->parts, w->parts.v);
}

void lineup_fini(struct lineup *l)
{
    free_parts(l->w, l->parts);
    for (uint32_t i = 0; i < l->n_heads; i++)
        free_parts(l->w, l->heads[i].parts);
    free(l->heads);
    free(l->alone_at);
    free(l->kind);
    free(l->kind_at);
}

static bool are_alike(
    const struct wishes *w, const struct wish *a, const struct wish *b)
{
    return a->units == b->units && a->duration_s == b->duration_s && a->set == b->set
           && a->not_before == b->not_before && wishes_limited_alike(w, a, b);
}

/* The first of a kind gives it its number. */
static void sort_kinds(struct lineup *l)
{
    const struct wish *v = l->w->v.v;
    uint32_t *first = xcalloc(l->w->v.n + 1, sizeof *first), kinds = 0;

    for (uint32_t i = 0; i < l->w->v.n; i++) {
        uint32_t k = 0;
        while (k < kinds && !are_alike(l->w, &v[first[k]], &v[i]))
            k++;
        if (k == kinds)
            first[kinds++] = i;
        l->kind[i] = k;
    }
    free(first);
}

int64_t lineup_alone(const struct lineup *l, uint32_t wish)
{
    return l->learned ? l->alone_at[wish]
                      : wishes_fit(l->w, l->w->parts.v, &l->w->v.v[wish], l->w->now);
}

void lineup_learn(struct lineup *l)
{
    const struct wishes *w = l->w;

    l->alone_at = xcalloc(w->v.n + 1, sizeof *l->alone_at);
    l->kind = xcalloc(w->v.n + 1, sizeof *l->kind);
    l->kind_at = xcalloc(w->v.n + 1, sizeof *l->kind_at);
    for (uint32_t i = 0; i < w->v.n; i++)
        l->alone_at[i] = wishes_fit(w, w->parts.v, &w->v.v[i], w->now);
    sort_kinds(l);
    l->n_heads = (uint32_t)w->v.n / HEAD_STEP;
    l->heads = xcalloc(l->n_heads + 1, sizeof *l->heads);
    l->learned = true;
}

/* ---- heads ---- */

static void keep_head(struct lineup *l, struct lineup_head *h)
{
    if (!h->parts)
        h->parts = create_parts(l->w);
    copy_parts(l->w, h->parts, l->parts);
    h->stands = true;
}

/* What the longest head of no more than `n` leaves, and how many are in it. */
static uint32_t open_head(struct lineup *l, uint32_t n)
{
    uint32_t i = l->learned ? n / HEAD_STEP : 0;

    while (i > 0 && !l->heads[i - 1].stands)
        i--;
    copy_parts(l->w, l->parts, i ? l->heads[i - 1].parts : l->w->parts.v);
    return i * HEAD_STEP;
}

void lineup_open(
    struct lineup *l, const uint32_t *order, uint32_t n, const int64_t *start_at)
{
    const struct wish *v = l->w->v.v;

    for (uint32_t i = 0; l->learned && i < l->w->v.n; i++)
        l->kind_at[i] = l->w->now;
    for (uint32_t i = 0; l->learned && i < n; i++)
        l->kind_at[l->kind[order[i]]] = start_at[order[i]];
    for (uint32_t i = open_head(l, n); i < n; i++) {
        if (start_at[order[i]] < TIME_NEVER)
            wishes_take(l->w, l->parts, &v[order[i]], start_at[order[i]]);
        if ((i + 1) % HEAD_STEP == 0)
            keep_head(l, &l->heads[i / HEAD_STEP]);
    }
}

void lineup_changed(struct lineup *l, uint32_t first, uint32_t last)
{
    for (uint32_t i = first / HEAD_STEP; i < l->n_heads && (i + 1) * HEAD_STEP <= last;
         i++)
        l->heads[i].stands = false;
}

/* ---- */

int64_t lineup_place(struct lineup *l, uint32_t wish)
{
    int64_t from = l->w->now;

    if (l->learned) {
        int64_t alike_at = l->kind_at[l->kind[wish]];
        from = l->alone_at[wish] > alike_at ? l->alone_at[wish] : alike_at;
    }
    if (from >= TIME_NEVER)
        return TIME_NEVER;
    int64_t at = wishes_place(l->w, l->parts, &l->w->v.v[wish], from);
    if (l->learned)
        l->kind_at[l->kind[wish]] = at;
    return at;
}
