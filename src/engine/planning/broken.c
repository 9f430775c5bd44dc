/* SPDX-License-Identifier: Apache-2.0
 * Promised starts that cannot be: the job is promised another, or none while it may not
 * start. Its owner and the site are told what broke it. Source: reference plan-search,
 * section 9 (1). */
#include "base/duration.h"
#include "config/settings.h"
#include "engine/planning/private.h"
#include "engine/statistics/statistics.h"

#include <stdio.h>

#define TOLD_AGAIN_S 3600 /* put off by so much more than was told: told again */

/* The first of what has happened since the last cycle. Before the first one nobody
 * knows. */
static enum promise_cause find_cause(const struct engine *e)
{
    const struct seen_world *seen = &e->passes.planning->seen;

    if (seen->known && seen->nodes != e->c->node_epoch)
        return CAUSE_NODES;
    if (seen->known && seen->config != e->c->config_epoch)
        return CAUSE_SETTINGS;
    if (seen->known && seen->reservations != e->c->rsv_moves)
        return CAUSE_RESERVATION;
    if (plan_first_end(e->plan) <= e->now)
        return CAUSE_OVERRUN;
    return seen->ordered ? CAUSE_ORDER : CAUSE_OTHER;
}

void promise_note_order(struct engine *e)
{
    e->passes.planning->seen.ordered = true;
}

void promise_note_settings(struct engine *e, uint64_t nodes, bool same)
{
    struct seen_world *seen = &e->passes.planning->seen;

    if (seen->nodes == nodes)
        seen->nodes = e->c->node_epoch;
    if (same && seen->config + 1 == e->c->config_epoch)
        seen->config = e->c->config_epoch;
}

/* It was promised to start by `was`, and is by `latest`, 0 = nothing; CAUSE_NONE: that
 * was not broken. */
static void tell_putoff(struct engine *e, const struct job *j, int64_t was,
    int64_t latest, enum promise_cause by, const char *text)
{
    struct action *a = decisions_add(e, ACTION_PUT_OFF, j, latest, text);

    a->was = was;
    a->cause = by == CAUSE_NONE ? NULL : promise_cause_name(by);
    decisions_changed(e, j->index);
}

void broken_put_off(struct engine *e, struct promise *io, int64_t start_at, bool failed)
{
    int64_t known = io->told ? io->told : io->latest_start;
    enum promise_cause cause = failed ? CAUSE_START : find_cause(e);
    bool again = io->was;
    char by[40], text[160];

    io->was = io->was ? io->was : io->latest_start;
    io->latest_start = start_at;
    io->cause = again && cause == CAUSE_OTHER ? io->cause : cause;
    decisions_changed(e, io->job);
    if (start_at <= known || (again && start_at - known < TOLD_AGAIN_S))
        return;
    io->told = start_at;
    snprintf(text, sizeof text, "its promised start is put off by %s: %s",
        duration_format(start_at - known, by, sizeof by),
        promise_cause_text(io->cause));
    tell_putoff(e, e->c->jobs.v[io->job], known, start_at, io->cause, text);
}

static void forget_broken(struct promise *io)
{
    io->was = io->told = 0;
    io->cause = CAUSE_NONE;
}

/* Nothing was promised since it was told that it is broken. */
static void tell_again(struct engine *e, struct promise *io)
{
    int64_t known = io->told;
    char by[40], text[160];

    decisions_changed(e, io->job);
    if (io->latest_start <= known)
        return;
    io->told = io->latest_start;
    snprintf(text, sizeof text, "it is promised a start again, later by %s: %s",
        duration_format(io->latest_start - known, by, sizeof by),
        promise_cause_text(io->cause));
    tell_putoff(e, e->c->jobs.v[io->job], known, io->latest_start, io->cause, text);
}

void broken_tighten(struct engine *e, struct promise *io, int64_t latest)
{
    bool again = io->latest_start >= TIME_NEVER;

    io->latest_start = latest;
    if (io->was && latest <= io->was)
        forget_broken(io);
    if (again && io->was)
        tell_again(e, io);
}

static enum promise_cause cause_of(const struct fulfilled *f)
{
    if (f->kept)
        return CAUSE_NONE;
    return f->row.was ? f->row.cause : CAUSE_OTHER;
}

/* What was broken before it lapsed is broken. */
static void count_lapse(struct engine *e, const struct promise *l)
{
    bool broken = l->was && l->was < e->now;

    e->stats.broken_promises += broken;
    statistics_promise(e->learned.statistics, broken ? STAT_BROKEN : STAT_LAPSED,
        broken ? l->cause : CAUSE_NONE);
}

static void count_start(struct engine *e, const struct fulfilled *f)
{
    e->stats.broken_promises += !f->kept;
    statistics_promise(
        e->learned.statistics, f->kept ? STAT_KEPT : STAT_BROKEN, cause_of(f));
}

static void count_back(struct engine *e, const struct fulfilled *f)
{
    e->stats.broken_promises -= !f->kept && !f->recalled;
    statistics_promise_back(e->learned.statistics, f->kept ? STAT_KEPT : STAT_BROKEN,
        cause_of(f), f->start_at);
}

/* A promise that has been made in this cycle is one of before. */
static void uncount_made(struct engine *e)
{
    statistics_promise_back(e->learned.statistics, STAT_PROMISED, CAUSE_NONE, e->now);
}

static struct fulfilled *fulfilled_of(struct engine *e, uint32_t job)
{
    struct planning *p = e->passes.planning;

    if (job >= p->fulfilled.n)
        vec_push_zeros(&p->fulfilled, job + 1 - p->fulfilled.n);
    return &p->fulfilled.v[job];
}

static bool was_kept(const struct promise *row, int64_t start_at)
{
    return start_at <= (row->was ? row->was : row->latest_start);
}

/* What its start is measured by, NULL = nothing. A promise that lapsed in this cycle
 * holds yet, unless the start is too late by that alone: it was lapsed meanwhile. */
static const struct promise *find_promise(
    struct engine *e, const struct job *j, struct promise *scratch)
{
    const struct promise *row = promises_row(e->promises, j, PROMISE_START);

    if (!promises_take_lapsed(e->promises, j, scratch))
        return row;
    if (!scratch->was && !was_kept(scratch, j->start_at)) {
        count_lapse(e, scratch);
        return row;
    }
    if (row && row->latest_start < TIME_NEVER)
        uncount_made(e);
    return scratch;
}

void promise_fulfil(struct engine *e, const struct job *j)
{
    struct promise scratch;
    const struct promise *row = find_promise(e, j, &scratch);
    struct fulfilled *f = fulfilled_of(e, j->index);

    *f = (struct fulfilled){0};
    if (!row)
        return;
    *f = (struct fulfilled){
        .start_at = j->start_at, .row = *row, .kept = was_kept(row, j->start_at)};
    count_start(e, f);
    promises_break(e->promises, j, PROMISE_START);
}

void promise_take_back(struct engine *e, const struct job *j, int64_t start_at)
{
    struct fulfilled *f = fulfilled_of(e, j->index);

    if (!f->start_at || f->start_at != start_at)
        return;
    count_back(e, f);
    f->start_at = 0;
    struct promise *row = promises_make(e->promises, j, PROMISE_START);
    uint64_t made = row->made;
    *row = f->row;
    row->made = made;
    row->failed = true;
}

void promise_write(const struct engine *e, const struct job *j, struct job_memory *io_m)
{
    const struct planning *p = e->passes.planning;

    if (j->state != JOB_STARTING || j->index >= p->fulfilled.n
        || !p->fulfilled.v[j->index].start_at)
        return;
    promises_write_start(e->c, &p->fulfilled.v[j->index].row, io_m);
    io_m->start_counted = p->fulfilled.v[j->index].start_at;
}

void promise_recall(
    struct engine *e, const struct job *j, const struct job_memory *m, bool waits)
{
    struct fulfilled *f = fulfilled_of(e, j->index);

    *f = (struct fulfilled){0};
    if (m && !m->start_counted && m->start_by >= TIME_NEVER) /* also while it is held */
        promises_read_start(e->c, m, promises_make(e->promises, j, PROMISE_START));
    if (!m || !m->start_counted)
        return;
    f->start_at = m->start_counted;
    f->recalled = true;
    f->row = (struct promise){.job = j->index,
        .rank = PROMISE_START,
        .end_by = TIME_NEVER,
        .partition = INDEX_NONE};
    promises_read_start(e->c, m, &f->row);
    f->kept = was_kept(&f->row, f->start_at);
    if (waits)
        promise_take_back(e, j, f->start_at);
}

/* What is left of the machine cannot hold it, whatever else is there. */
static bool is_impossible(struct engine *e, const struct job *j)
{
    struct reason why;

    return !(j->holds & ~HOLD_DEFER) && !plan_possible(e->plan, j, &why);
}

/* What broke it, so that it is promised nothing; CAUSE_NONE: it is held, say, or was
 * changed. */
static enum promise_cause find_blame(struct engine *e, const struct job *j)
{
    enum promise_cause cause = find_cause(e);

    if (j->holds & ~HOLD_DEFER)
        return CAUSE_NONE;
    if (!settings_plan_together(e->cfg))
        return CAUSE_SETTINGS;
    if (!is_impossible(e, j))
        return cause == CAUSE_SETTINGS ? cause : CAUSE_NONE;
    bool unseen = !e->passes.planning->seen.known;
    return unseen || cause == CAUSE_NODES || cause == CAUSE_SETTINGS
                   || cause == CAUSE_RESERVATION
               ? cause
               : CAUSE_NONE;
}

/* It has been promised as much again: that one goes on, with what broke it. */
static void continue_promise(
    struct engine *e, const struct job *j, const struct promise *l)
{
    struct promise *row = promises_row(e->promises, j, PROMISE_START);

    uncount_made(e);
    if (!l->was || row->latest_start <= l->was)
        return;
    row->was = l->was;
    row->told = l->told;
    row->cause = l->cause;
}

/* Held, say, or over a limit. One that has been promised as much again is no news. */
static void tell_lapsed(struct engine *e, const struct promise *l)
{
    const struct job *j = e->c->jobs.v[l->job];
    enum promise_cause by = CAUSE_NONE;
    struct promise now = {0};
    char text[120] = "it could not start, and is promised a later start";

    if (!j || (j->state != JOB_IDLE && j->state != JOB_HOLD))
        return; /* it has started, say */
    bool again = promises_of(e->promises, j, PROMISE_START, &now);
    if (again && now.latest_start <= l->latest_start) {
        continue_promise(e, j, l);
        return;
    }
    if (!again)
        by = find_blame(e, j);
    if (by)
        promises_keep_broken(e->promises, l, by);
    if (!by || !settings_plan_together(e->cfg)) /* no start is promised any more */
        count_lapse(e, l);
    if (!again)
        snprintf(text, sizeof text, "its promised start lapses: %s",
            by         ? promise_cause_text(by)
            : j->holds ? "it is held"
                       : "it may not start now");
    tell_putoff(e, j, l->latest_start, now.latest_start, by, text);
}

void planning_end_cycle(struct engine *e)
{
    size_t n;
    const struct promise *lapsed = promises_lapsed(e->promises, &n);

    for (size_t i = 0; i < n; i++)
        tell_lapsed(e, &lapsed[i]);
    promises_forget_lapsed(e->promises);
    e->passes.planning->seen = (struct seen_world){.known = true,
        .nodes = e->c->node_epoch,
        .config = e->c->config_epoch,
        .reservations = e->c->rsv_moves};
}
