/* SPDX-License-Identifier: Apache-2.0
 * The window of the search: of many members so many may move, and the others keep their
 * places. Source: reference plan-search, section 3 (6). */
#include "engine/planning/private.h"
#include "plan/search/orders.h"
#include "plan/supply.h"

static bool fits_now(const struct planning *p, uint32_t i)
{
    const struct wishes *w = &p->wishes;

    return wishes_fits(w, w->parts.v, &w->v.v[i], w->now);
}

static bool any_fits_now(const struct planning *p)
{
    for (uint32_t i = 0; i < p->members.n; i++)
        if (fits_now(p, i))
            return true;
    return false;
}

/* The earliest planned half; then of each order the best that fit now. */
static void choose_members(struct planning *p, size_t most)
{
    size_t n = p->members.n, half = n <= most ? n : most / 2, chosen = 0;
    uint32_t *sorted = xcalloc(n + 1, sizeof *sorted);

    for (size_t i = 0; i < n; i++)
        p->members.v[i].moves = false;
    for (; chosen < half; chosen++)
        p->members.v[p->order.v[chosen]].moves = true;
    for (unsigned k = 0; k < orders_count() && chosen < n && chosen < most; k++) {
        size_t share = (most - half) / orders_count() + 1;
        orders_sort(&p->wishes, k, p->order.v, p->site.v, sorted);
        for (size_t i = 0; i < n && share && chosen < most; i++) {
            struct member *m = &p->members.v[sorted[i]];
            if (m->moves || !fits_now(p, sorted[i]))
                continue;
            m->moves = true;
            chosen++;
            share--;
        }
    }
    free(sorted);
}

/* Those chosen, by start, and what they want. */
static void list_chosen(struct planning *p)
{
    p->chosen.n = 0;
    for (uint32_t i = 0; i < p->members.n; i++)
        if (p->members.v[p->order.v[i]].moves)
            vec_push(&p->chosen, p->order.v[i]);
    for (size_t i = 0; i < p->chosen.n; i++)
        vec_push(&p->window.v, p->wishes.v.v[p->chosen.v[i]]);
}

/* What is free of all others, by their starts. */
static void open_window(struct planning *p)
{
    struct wishes *w = &p->window;

    wishes_begin_as(w, &p->wishes);
    for (uint32_t i = 0; i < p->members.n; i++) {
        const struct member *m = &p->members.v[p->order.v[i]];
        if (!m->moves && m->start_at < TIME_NEVER)
            wishes_take(w, w->parts.v, &p->wishes.v.v[p->order.v[i]], m->start_at);
    }
    list_chosen(p);
}

void window_open_kept(struct engine *e, const struct bitset *moving)
{
    struct planning *p = e->passes.planning;

    wishes_begin_as(&p->window, &p->wishes);
    supply_parts(e->plan, moving, &p->window);
    bounds_open(e, &p->bounds, moving, NULL, NULL, &p->window);
    list_chosen(p);
}

/* Of those chosen, by priority. */
static uint32_t *sort_by_site(const struct planning *p)
{
    uint32_t *place = xcalloc(p->members.n + 1, sizeof *place);
    uint32_t *site = xcalloc(p->chosen.n + 1, sizeof *site), n = 0;

    for (uint32_t i = 0; i < p->chosen.n; i++)
        place[p->chosen.v[i]] = i;
    for (uint32_t i = 0; i < p->members.n; i++)
        if (p->members.v[i].moves)
            site[n++] = place[i];
    free(place);
    return site;
}

bool window_choose(struct planning *p, size_t most)
{
    if (!any_fits_now(p))
        return false;
    choose_members(p, most);
    return true;
}

bool window_find(
    struct planning *p, const struct search_terms *t, const int64_t *present)
{
    uint32_t *site = sort_by_site(p);

    planning_resize(&p->starts, p->chosen.n);
    struct search_result found = {.start_at = p->starts.v, .present = present};
    search_run(&p->window, t, p->site.v, site, &found);
    free(site);
    return found.better;
}

bool window_search(struct planning *p, const struct search_terms *t, size_t most)
{
    if (!window_choose(p, most))
        return false;
    open_window(p);
    bool better = window_find(p, t, NULL);
    for (size_t i = 0; better && i < p->chosen.n; i++)
        p->members.v[p->chosen.v[i]].start_at = p->starts.v[i];
    return better;
}
