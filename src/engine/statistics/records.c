/* SPDX-License-Identifier: Apache-2.0
 * The statistics as records: those that changed, all of them, and back. */
#include "base/xalloc.h"
#include "cluster/cluster.h"
#include "engine/statistics/private.h"

#include <string.h>

bool statistics_changed(const struct statistics *s)
{
    return s->changed.n || s->any_cell_changed || statnodes_due(s, s->at);
}

void statistics_saved(struct statistics *s)
{
    for (size_t i = 0; i < s->changed.n; i++) {
        struct account_key k = s->changed.v[i];
        struct account *a =
            k.kind == CRED_KINDS ? &s->all : &s->creds[k.kind].v[k.index];
        a->changed = false;
    }
    s->changed.n = 0;
    memset(s->cell_changed.v, 0, s->cell_changed.n);
    s->any_cell_changed = false;
    statnodes_saved(s);
}

struct walk {
    const struct statistics *s;
    const struct cluster *c;
    int64_t now;
    void *ctx;
    void (*each)(void *ctx, const struct stat_record *r);
};

static void tell_cred(const struct walk *w, enum cred_kind kind, uint32_t index)
{
    struct stat_figures f;

    statistics_of(w->s, kind, index, w->now, &f);
    w->each(w->ctx, &(struct stat_record){.of = STAT_CRED,
                        .kind = kind,
                        .name = w->c->creds[kind].v[index]->name,
                        .at = w->now,
                        .sums = f.sums});
}

static void tell_system(const struct walk *w)
{
    const struct statistics *s = w->s;
    struct stat_machine m;
    struct stat_figures f;
    bool counting = s->at > INT64_MIN && s->procs_up > 0 && w->now > s->at;
    int64_t dt = counting ? w->now - s->at : 0;

    statistics_of(s, CRED_KINDS, 0, w->now, &f);
    statistics_machine(s, w->now, &m);
    w->each(w->ctx, &(struct stat_record){.of = STAT_SYSTEM,
                        .at = w->now,
                        .sums = f.sums,
                        .since = m.since,
                        .procs_up = m.procs_up,
                        .mem_up = m.mem_up,
                        .watched_s = s->watched_s + dt,
                        .ps_available = m.ps_available,
                        .mem_available = m.mem_available,
                        .backlog_ps = s->backlog_ps,
                        .least_use = s->least_use,
                        .least_use_cycle = s->least_use_cycle,
                        .promises = s->promises,
                        .backlog_area = s->backlog_area + m.backlog_s * (double)dt});
}

static void tell_cells(const struct walk *w, bool all)
{
    const struct stat_grid *g = &w->s->grid;

    for (size_t i = 0; i < (size_t)g->rows * g->columns; i++)
        if (w->s->cell_changed.v[i] || (all && g->cells[i].jobs))
            w->each(w->ctx, &(struct stat_record){.of = STAT_CELL,
                                .procs = g->procs[i / g->columns],
                                .time_s = g->times_s[i % g->columns],
                                .at = w->now,
                                .sums = g->cells[i]});
}

void statistics_each(const struct statistics *s, const struct cluster *c, bool all,
    int64_t now, void *ctx, void (*each)(void *ctx, const struct stat_record *r))
{
    struct walk w = {s, c, now, ctx, each};
    bool system = all;

    if (s->at == INT64_MIN)
        return; /* nothing happened yet */
    for (size_t i = 0; !all && i < s->changed.n; i++) {
        struct account_key k = s->changed.v[i];
        if (k.kind == CRED_KINDS)
            system = true;
        else if (k.index)
            tell_cred(&w, k.kind, k.index);
    }
    for (int k = 0; all && k < CRED_KINDS; k++)
        for (uint32_t i = 1; i < s->creds[k].n; i++)
            tell_cred(&w, (enum cred_kind)k, i);
    if (system)
        tell_system(&w);
    if (all || s->any_cell_changed)
        tell_cells(&w, all);
    if (all || statnodes_due(s, s->at))
        statnodes_each(s, c, all, now, ctx, each);
}

static void load_system(struct statistics *s, const struct stat_record *r, int64_t now)
{
    double gap = now > r->at ? (double)(now - r->at) : 0;

    s->since = r->since;
    s->at = now;
    s->procs_up = r->procs_up;
    s->mem_up = r->mem_up;
    s->watched_s = r->watched_s;
    s->ps_available = r->ps_available + (double)r->procs_up * gap;
    s->mem_available = r->mem_available + (double)r->mem_up * gap;
    s->backlog_area = r->backlog_area;
    s->least_use = r->least_use;
    s->least_use_cycle = r->least_use_cycle;
    s->promises = r->promises;
    if (r->procs_up > 0) {
        s->watched_s += (int64_t)gap;
        s->backlog_area += r->backlog_ps / (double)r->procs_up * gap;
    }
}

static void load_cell(struct stat_grid *g, const struct stat_record *r)
{
    for (uint32_t row = 0; row < g->rows; row++)
        for (uint32_t col = 0; col < g->columns; col++)
            if (g->procs[row] == r->procs && g->times_s[col] == r->time_s)
                g->cells[(size_t)row * g->columns + col] = r->sums;
}

void statistics_load(
    struct statistics *s, struct cluster *c, const struct stat_record *r, int64_t now)
{
    struct account *a;

    if (!s)
        return;
    if (r->of == STAT_CELL) {
        load_cell(&s->grid, r);
        return;
    }
    if (r->of == STAT_NODE) {
        if (r->name && *r->name)
            statnodes_load(s, r);
        return;
    }
    if (r->of == STAT_CRED && (!r->name || !*r->name))
        return;
    if (r->of == STAT_SYSTEM)
        load_system(s, r, now);
    a = r->of == STAT_SYSTEM
            ? account_get(s, CRED_KINDS, 0)
            : account_get(s, r->kind, cred_get(c, r->kind, r->name)->index);
    a->sums = r->sums;
    a->at = now;
    a->loaded_at = r->at;
}
