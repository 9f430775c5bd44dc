/* SPDX-License-Identifier: Apache-2.0
 * What of fairshare outlives a restart. */
#include "policy/fsmemory.h"

#include "cluster/job.h"
#include "cluster/reservation.h"
#include "config/settings.h"
#include "policy/fairshare.h"

static struct fs_usage *usage_of(struct cluster *c, enum cred_kind kind, uint32_t index)
{
    return kind == CRED_KINDS ? &c->fs_total : &c->creds[kind].v[index]->fs;
}

/* ---- out ---- */

void fsmemory_touch(struct cluster *c, enum cred_kind kind, uint32_t index)
{
    struct fs_usage *u = usage_of(c, kind, index);

    if (u->changed)
        return;
    u->changed = true;
    vec_push(&c->fs_changed, ((struct fs_key){kind, index}));
}

void fsmemory_touch_active(struct cluster *c)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (uint32_t i = 1; i < c->creds[kind].n; i++)
            if (c->creds[kind].v[i]->fs.rate > 0)
                fsmemory_touch(c, (enum cred_kind)kind, i);
    if (c->fs_total.rate > 0)
        fsmemory_touch(c, CRED_KINDS, 0);
}

/* `k` NULL: of all. `empty`: also when nothing was used, as what is written of it may
 * say otherwise. */
static void tell(const struct cluster *c, const struct cred *k, bool empty, int64_t now,
    void *ctx, void (*each)(void *ctx, const struct fs_memory *m))
{
    struct fs_memory m = {.kind = k ? k->kind : CRED_KINDS,
        .name = k ? k->name : NULL,
        .at = now > c->fs_at ? now : c->fs_at};

    fs_windows_at(c, k ? &k->fs : &c->fs_total, m.at, m.window);
    for (uint32_t i = 0; i < FS_DEPTH_MAX; i++)
        if (m.window[i] > 0)
            m.n = i + 1;
    if (m.n || empty)
        each(ctx, &m);
}

void fsmemory_each(const struct cluster *c, bool all, int64_t now, void *ctx,
    void (*each)(void *ctx, const struct fs_memory *m))
{
    if (!c->fs_open || c->cfg->fs.interval_s <= 0)
        return;
    for (size_t i = 0; !all && i < c->fs_changed.n; i++) {
        struct fs_key at = c->fs_changed.v[i];
        const struct cred *k =
            at.kind == CRED_KINDS ? NULL : c->creds[at.kind].v[at.index];
        tell(c, k, true, now, ctx, each);
    }
    if (!all)
        return;
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (size_t i = 1; i < c->creds[kind].n; i++)
            tell(c, c->creds[kind].v[i], false, now, ctx, each);
    tell(c, NULL, false, now, ctx, each);
}

void fsmemory_saved(struct cluster *c)
{
    for (size_t i = 0; i < c->fs_changed.n; i++)
        usage_of(c, c->fs_changed.v[i].kind, c->fs_changed.v[i].index)->changed = false;
    c->fs_changed.n = 0;
}

/* ---- in ---- */

void fsmemory_load(struct cluster *c, const struct fs_memory *m, int64_t now)
{
    struct fs_usage *u =
        m->kind < CRED_KINDS ? &cred_get(c, m->kind, m->name)->fs : &c->fs_total;

    fs_load(c, u, m->at < now ? m->at : now, m->window, m->n, now);
}

/* What was used at this rate in (from, to], each window its part. */
static void charge(
    const struct cluster *c, struct fs_usage *u, double rate, int64_t from, int64_t to)
{
    int64_t begin = c->fs_window_at, end = TIME_NEVER;
    double weight = 1;

    for (uint32_t i = 0; i < FS_DEPTH_MAX && end > from; i++) {
        int64_t a = from > begin ? from : begin, b = to < end ? to : end;
        if (b > a) {
            u->window[i] += rate * (double)(b - a);
            if (i > 0 && (int64_t)i < c->cfg->fs.depth)
                u->old += rate * (double)(b - a) * weight;
        }
        end = begin;
        begin -= c->cfg->fs.interval_s;
        weight *= c->cfg->fs.decay;
    }
}

/* For those credentials, and the total of all. */
static void adopt(struct cluster *c, const uint32_t cred[CRED_KINDS], double rate,
    int64_t start_at, int64_t until)
{
    if (!(rate > 0))
        return;
    for (int kind = 0; kind <= CRED_KINDS; kind++) {
        uint32_t index = kind < CRED_KINDS ? cred[kind] : 0;
        if (kind < CRED_KINDS && !index)
            continue;
        struct fs_usage *u = usage_of(c, (enum cred_kind)kind, index);
        int64_t from = start_at > u->loaded_at ? start_at : u->loaded_at;
        if (from < until)
            charge(c, u, rate, from, until);
        fsmemory_touch(c, (enum cred_kind)kind, index);
    }
}

void fsmemory_adopt(
    struct cluster *c, const struct job *j, int64_t start_at, int64_t until)
{
    adopt(c, j->cred, j->fs_rate, start_at, until);
}

void fsmemory_adopt_reservation(
    struct cluster *c, const struct reservation *r, int64_t until)
{
    adopt(c, r->fs_cred, r->fs_rate, r->start_at, until);
}
