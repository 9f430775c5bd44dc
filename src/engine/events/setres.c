/* SPDX-License-Identifier: Apache-2.0
 * EVENT_RESERVE, EVENT_INSTANCE: a reservation is made, or comes back after a restart.
 * Source: reference reservations 5, 9, 11. */
#include "base/duration.h"
#include "config/settings.h"
#include "engine/cycle.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "plan/rsvnodes.h"
#include "policy/fsmemory.h"
#include "policy/limits_use.h"
#include "policy/reason.h"
#include "policy/rsvrights.h"
#include "policy/rsvuse.h"

#include <stdio.h>

/* Nodes looked at in the search for a later start: on ten thousand, some 10 ms of the
 * processor. While the first half lasts, every instant is tried; then each is half
 * as far again. */
#define SEARCH_MAX INT64_C(100000)
#define FURTHER    2

/* ---- when it could begin -------------------------------------------------------- */

struct later {
    int64_t at; /* TIME_NEVER = none is known */
    bool first; /* nothing before it would do */
};

static struct later find_later(struct engine *e, const struct reservation *draft)
{
    struct reservation moved = *draft; /* borrows all it points to */
    int64_t length = draft->end_at < TIME_NEVER ? draft->end_at - draft->start_at
                                                : DURATION_UNLIMITED;
    int64_t left = SEARCH_MAX, at = draft->start_at;
    struct plan *view = calendar_view_of(e, draft);
    struct later found = {TIME_NEVER, true};

    while (found.at >= TIME_NEVER && left > 0) {
        found.first = left > SEARCH_MAX / 2;
        at = plan_rsv_next(
            e->plan, found.first ? at : at + (at - draft->start_at) / FURTHER);
        if (at >= TIME_NEVER)
            break;
        struct allocs alloc = {0};
        moved.start_at = at;
        moved.end_at = time_add(at, length);
        if (rsvnodes_acceptable(&moved, calendar_choose_in(e, view, &moved, &alloc)))
            found.at = at;
        vec_fini(&alloc);
        left -= (int64_t)e->c->nodes.n + 1;
    }
    plan_destroy(view);
    return found;
}

static const char *when_text(const struct engine *e, int64_t at, char *buf, size_t size)
{
    char text[DURATION_TEXT_MAX];

    if (at <= e->now)
        return "now";
    duration_format_exact(at - e->now, text, sizeof text);
    snprintf(buf, size, "in %s", text);
    return buf;
}

static uint32_t count_configured(
    void *ctx, const struct reservation *r, uint32_t node, int64_t start, int64_t end)
{
    const struct cluster *c = ctx;

    (void)start, (void)end;
    return rsvnodes_tasks_configured(c, r, node_at(c, node));
}

/* What it could have if nobody else were there, of nodes that can be used now. */
static uint32_t count_ever(const struct engine *e, const struct reservation *draft)
{
    const struct rsvnodes_free empty = {.tasks = count_configured, .ctx = e->c};
    struct allocs alloc = {0};
    uint32_t tasks = rsvnodes_choose(e->c, draft, &empty, &alloc);

    vec_fini(&alloc);
    return tasks;
}

static int refuse_tasks(
    struct engine *e, const struct reservation *draft, uint32_t tasks, struct err *err)
{
    struct later later = find_later(e, draft);
    const char *which =
        later.first ? "the first possible start is " : "a possible start is ";
    char then[DURATION_TEXT_MAX + 4], first[DURATION_TEXT_MAX + 4];
    uint32_t least = draft->least_tasks ? draft->least_tasks : draft->tasks;
    const char *when = when_text(e, draft->start_at, then, sizeof then);
    bool known = later.at < TIME_NEVER;
    const char *at = known ? when_text(e, later.at, first, sizeof first) : "";
    uint32_t ever = known ? least : count_ever(e, draft);

    if (!known && ever == 0 && least == 0) /* of a list of hosts */
        return err_set(err, ERR_CONFLICT,
            "none of these nodes has as much as one task of the reservation asks for");
    if (ever < least)
        return err_set(err, ERR_CONFLICT,
            "cannot select %u tasks for a reservation: the nodes that it may have, and "
            "that can be used, have room for %u if nothing else is there",
            least, ever);
    if (least == 0) /* of a user's list of hosts, each is taken */
        return err_set(err, ERR_CONFLICT,
            "jobs have these nodes, or are promised them, for a reservation that "
            "begins %s; %s%s",
            when, known ? which : "no later start is known", at);
    if (!known)
        return err_set(err, ERR_CONFLICT,
            "cannot select %u tasks for a reservation that begins %s: %u can be had, "
            "and no later instant is known to be better",
            least, when, tasks);
    return err_set(err, ERR_CONFLICT,
        "cannot select %u tasks for a reservation that begins %s: %u can be had; %s%s",
        least, when, tasks, which, at);
}

/* ---- -E ---- */

static int check_alone(struct engine *e, const struct reservation *draft,
    const struct allocs *alloc, struct err *err)
{
    plan_rsv_begin(e->plan, draft);
    for (size_t i = 0; draft->exclusive && i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++) {
            uint32_t node = alloc->v[i].first + k;
            if (plan_rsv_tasks(e->plan, draft, node, draft->start_at, draft->end_at)
                < alloc->v[i].tasks)
                return err_set(err, ERR_CONFLICT,
                    "an exclusive reservation cannot have node %.80s, which a job or "
                    "another reservation uses then",
                    node_at(e->c, node)->name);
        }
    return 0;
}

/* ---- RESLIMITPOLICY ---- */

/* What the reservation would use if it were a job. */
static void add_use(const struct engine *e, const struct reservation *r,
    const struct allocs *alloc, int64_t *io_v)
{
    int64_t wall = r->end_at < TIME_NEVER ? r->end_at - r->start_at : INT32_MAX;
    int64_t v[LIMIT_RES_COUNT] = {[LIMIT_JOB] = 1, [LIMIT_WC] = wall};

    for (size_t i = 0; i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++) {
            const struct node *n = node_at(e->c, alloc->v[i].first + k);
            struct res amount = reservation_amount(r, n, alloc->v[i].tasks);
            v[LIMIT_PROC] += amount.v[RES_PROCS];
            v[LIMIT_MEM] += amount.v[RES_MEM];
            v[LIMIT_NODE]++;
        }
    v[LIMIT_PE] = v[LIMIT_PROC] * limits_use_parts(LIMIT_PE);
    v[LIMIT_PS] = v[LIMIT_PROC] * wall;
    limits_use_add(io_v, v, +1);
}

/* Personal reservations of the same user that hold at its start count as well. */
static void add_others(
    const struct engine *e, const struct reservation *draft, int64_t *io_v)
{
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        const struct reservation *r = e->c->reservations.v[i];
        if (r && r != draft && r->kind == RSV_USER && reservation_is_live(r)
            && r->charge[CRED_USER] == draft->charge[CRED_USER]
            && r->start_at <= draft->start_at && draft->start_at < r->end_at)
            add_use(e, r, &r->alloc, io_v);
    }
}

static int check_limits(struct engine *e, const struct reservation *draft,
    const struct allocs *alloc, struct err *err)
{
    enum limit_level level =
        e->cfg->rsv_limits == RSVLIMITS_SOFT ? LEVEL_SOFT : LEVEL_HARD;
    int64_t use[LIMIT_RES_COUNT] = {0};
    struct reason why = {0};
    char text[250];

    if (draft->kind != RSV_USER || e->cfg->rsv_limits == RSVLIMITS_OFF)
        return 0;
    add_use(e, draft, alloc, use);
    add_others(e, draft, use);
    refresh_limits(e);
    if (!limits_use_violated(e->limits, e->c,
            (struct limits_use){draft->charge, use, draft->start_at, true},
            CHECK_ACTIVE, level, &why))
        return 0;
    reason_format(e->c, &why, text, sizeof text);
    return err_set(
        err, ERR_DENIED, "the reservation is refused by RESLIMITPOLICY: %s", text);
}

int setres_check(struct engine *e, const struct reservation *r,
    const struct allocs *alloc, struct err *err)
{
    if (check_alone(e, r, alloc, err) < 0)
        return -1;
    return check_limits(e, r, alloc, err);
}

/* ---- the events ---- */

/* It was made before a restart and comes back to its nodes, whatever runs there, if
 * they are as large as then. */
static bool put_back(
    struct engine *e, struct reservation *draft, struct allocs *ret_alloc)
{
    for (size_t i = 0; i < draft->alloc.n; i++) {
        const struct node *n = node_at(e->c, draft->alloc.v[i].first);
        if (draft->alloc.v[i].tasks > rsvnodes_tasks_configured(e->c, draft, n))
            return false;
    }
    *ret_alloc = draft->alloc;
    draft->alloc = (struct allocs){0};
    return ret_alloc->n > 0;
}

/* Those are not there any more, and nobody may lose it: it has what there is, though
 * that is less today, and though its nodes are no longer of the set it asked for. */
static int keep_promise(
    struct engine *e, struct reservation *draft, struct allocs *alloc, uint32_t tasks)
{
    const struct nodeset_spec *asked = draft->def.nodeset;

    if (asked && !rsvnodes_acceptable(draft, tasks)) {
        vec_fini(alloc);
        *alloc = (struct allocs){0};
        draft->def.nodeset = NULL;
        calendar_choose(e, draft, alloc);
        draft->def.nodeset = asked;
    }
    return 0;
}

static int place(
    struct engine *e, struct reservation *draft, struct allocs *alloc, struct err *err)
{
    if (reservation_check(e->c, draft, e->now, err) < 0)
        return -1;
    if (draft->start_at < e->now)
        draft->start_at = e->now;
    if (draft->created_at && put_back(e, draft, alloc))
        return 0;
    vec_fini(&draft->alloc);
    uint32_t tasks = calendar_choose(e, draft, alloc);
    if (draft->created_at)
        return keep_promise(e, draft, alloc, tasks);
    if (!rsvnodes_acceptable(draft, tasks))
        return refuse_tasks(e, draft, tasks, err);
    return setres_check(e, draft, alloc, err);
}

int setres_instance(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const struct rsv_memory *m = ev->u.instance;

    (void)ret;
    if (rsvmemory_recall(e->c, m, e->now, err) < 0)
        return -1;
    const struct reservation *r = reservation_find(e->c, m->name);
    rsvuse_sync(e->c, e->now);
    if (r)
        fsmemory_adopt_reservation(e->c, r, e->now);
    return 0;
}

int setres(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    struct reservation *draft = ev->u.reserve.draft, *r;
    int64_t created_at = draft->created_at, start_at = draft->start_at;
    struct allocs alloc = {0};

    if (rsvrights_reserve(e->c, draft, &ev->u.reserve.who, ev->u.reserve.group, err) < 0
        || place(e, draft, &alloc, err) < 0
        || reservation_add(e->c, draft, e->now, &r, err) < 0) {
        vec_fini(&alloc);
        return -1;
    }
    if (created_at) { /* it was made before: what follows its begin stays as it was */
        r->created_at = created_at;
        r->start_at = start_at < r->start_at ? start_at : r->start_at;
    }
    reservation_set_nodes(e->c, r, &alloc);
    rsvuse_sync(e->c, e->now);
    if (created_at)
        fsmemory_adopt_reservation(e->c, r, e->now);
    ret->reservation = r;
    return 0;
}
