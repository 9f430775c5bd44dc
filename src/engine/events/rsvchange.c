/* SPDX-License-Identifier: Apache-2.0
 * EVENT_CHANGE_RESERVATION, EVENT_UNRESERVE: a reservation is released, or is to have
 * another window, other nodes, other lists. It changes in place, so that its name, its
 * use so far and the triggers that have fired stay; what it may not become leaves it as
 * it was. Source: reference commands 4 (mrsvctl). */
#include "base/duration.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "plan/rsvnodes.h"
#include "policy/rsvrights.h"
#include "policy/rsvuse.h"

/* A change in the making. */
struct rsv_edit {
    struct engine *e;
    struct reservation *r; /* already with the wishes of the draft */
    unsigned what;         /* enum rsv_change */
    bool moved;            /* another window */
};

#define SWAP(a, b)                                                                     \
    do {                                                                               \
        __typeof__(a) swap_ = (a);                                                     \
        (a) = (b);                                                                     \
        (b) = swap_;                                                                   \
    } while (0)

/* Done twice, everything is as it was. */
static void swap_wishes(struct reservation *a, struct reservation *b, unsigned what)
{
    if (what & RSV_CHANGE_WINDOW) {
        SWAP(a->start_at, b->start_at);
        SWAP(a->end_at, b->end_at);
    }
    if (what & (RSV_CHANGE_TASKS | RSV_CHANGE_PLACES)) {
        SWAP(a->tasks, b->tasks);
        SWAP(a->least_tasks, b->least_tasks);
    }
    if (what & RSV_CHANGE_PLACES) {
        SWAP(a->def, b->def);
        SWAP(a->any_feature, b->any_feature);
        SWAP(a->partition, b->partition);
        SWAP(a->listed, b->listed);
        SWAP(a->hosts, b->hosts);
        SWAP(a->host_expr, b->host_expr);
        SWAP(a->one_per_host, b->one_per_host);
    }
    if (what & RSV_CHANGE_ACL)
        SWAP(a->acl, b->acl);
    if (what & RSV_CHANGE_FLAGS) {
        SWAP(a->flags, b->flags);
        SWAP(a->exclusive, b->exclusive);
    }
    if (what & RSV_CHANGE_OWNER) {
        SWAP(a->owner_kind, b->owner_kind);
        SWAP(a->owner, b->owner);
    }
    for (int k = 0; (what & RSV_CHANGE_CHARGE) && k < CRED_KINDS; k++)
        SWAP(a->charge[k], b->charge[k]);
    if (what & RSV_CHANGE_TRIGGERS)
        SWAP(a->triggers, b->triggers);
}

/* ---- when ---- */

static int check_window(
    struct rsv_edit *c, const struct reservation *before, struct err *err)
{
    struct reservation *r = c->r;
    int64_t now = c->e->now;

    if (!(c->what & RSV_CHANGE_WINDOW))
        return 0;
    if (r->start_at <= now) /* it cannot begin in the past; it may have begun there */
        r->start_at = before->start_at < now ? before->start_at : now;
    if (r->end_at <= r->start_at)
        return err_set(err, ERR_INVALID,
            "reservation '%.80s' would end before it starts", r->name);
    if (r->end_at <= now)
        return err_set(err, ERR_INVALID,
            "reservation '%.80s' would be over already; release it instead", r->name);
    c->moved = r->start_at != before->start_at || r->end_at != before->end_at;
    return 0;
}

/* ---- where ---- */

static void copy(const struct allocs *from, struct allocs *ret)
{
    for (size_t i = 0; i < from->n; i++)
        vec_push(ret, from->v[i]);
}

/* The first tasks held, in RM order. */
static void keep_first(const struct allocs *from, uint32_t tasks, struct allocs *ret)
{
    for (size_t i = 0; i < from->n && tasks > 0; i++) {
        struct alloc a = from->v[i];
        uint32_t whole = tasks / a.tasks;
        a.count = a.count < whole ? a.count : whole;
        if (a.count > 0)
            vec_push(ret, a);
        tasks -= a.count * a.tasks;
        if (a.count < from->v[i].count && tasks > 0) {
            vec_push(ret, ((struct alloc){a.first + a.count, 1, tasks, a.req}));
            tasks = 0;
        }
    }
}

/* It leaves its nodes, which go to *ret, to be asked like a new one: else those who are
 * planned there would seem to stay off it in its new window, though they do not yet. */
static void step_aside(const struct rsv_edit *c, struct allocs *ret)
{
    struct allocs none = {0};

    copy(&c->r->alloc, ret);
    reservation_set_nodes(c->e->c, c->r, &none);
}

/* The first node that it could not have during its new window; NULL = none. */
static const struct node *find_taken(const struct rsv_edit *c)
{
    struct allocs held = {0};

    step_aside(c, &held);
    struct plan *view = calendar_view_of(c->e, c->r);
    const struct node *taken = calendar_taken(c->e, view, c->r, &held);
    plan_destroy(view);
    reservation_set_nodes(c->e->c, c->r, &held);
    return taken;
}

static int refuse_tasks(const struct rsv_edit *c, uint32_t tasks, struct err *err)
{
    const struct reservation *r = c->r;
    char text[DURATION_TEXT_MAX] = "now";

    if (rsvnodes_is_fixed(r))
        return err_set(err, ERR_CONFLICT,
            "reservation '%.80s' cannot have these nodes: jobs have them, or are "
            "promised them",
            r->name);
    if (r->start_at > c->e->now)
        duration_format_exact(r->start_at - c->e->now, text, sizeof text);
    return err_set(err, ERR_CONFLICT,
        "reservation '%.80s' cannot have %u tasks from %s%s on: %u can be had", r->name,
        r->tasks, r->start_at > c->e->now ? "+" : "", text, tasks);
}

static int choose(struct rsv_edit *c, bool anew, struct allocs *ret, struct err *err)
{
    struct allocs held = {0};

    if (anew)
        step_aside(c, &held);
    uint32_t tasks = calendar_choose(c->e, c->r, ret);
    if (anew)
        reservation_set_nodes(c->e->c, c->r, &held);
    return rsvnodes_acceptable(c->r, tasks) ? 0 : refuse_tasks(c, tasks, err);
}

/* What it holds, in another window. */
static int stay(struct rsv_edit *c, struct allocs *ret, struct err *err)
{
    const struct node *n;

    if (!c->moved || (c->r->flags & RSV_FORCE) || !(n = find_taken(c))) {
        copy(&c->r->alloc, ret);
        return 0;
    }
    if (c->r->state == RSV_PLANNED && !rsvnodes_is_fixed(c->r))
        return choose(c, true, ret, err);
    return err_set(err, ERR_CONFLICT,
        "reservation '%.80s' cannot have node %.80s so long: a job or another "
        "reservation is promised it",
        c->r->name, n->name);
}

static int place(struct rsv_edit *c, struct allocs *ret, struct err *err)
{
    if (c->what & RSV_CHANGE_PLACES)
        return choose(c, true, ret, err);
    if (!(c->what & RSV_CHANGE_TASKS) || c->r->tasks == c->r->held_tasks)
        return stay(c, ret, err);
    if (c->r->tasks > 0 && c->r->tasks < c->r->held_tasks) {
        keep_first(&c->r->alloc, c->r->tasks, ret);
        return 0;
    }
    return choose(c, c->moved || c->r->tasks == 0, ret, err);
}

/* ---- the event ---- */

static int change(struct rsv_edit *c, const struct reservation *before, struct err *err)
{
    struct allocs alloc = {0};

    if (check_window(c, before, err) < 0 || place(c, &alloc, err) < 0
        || setres_check(c->e, c->r, &alloc, err) < 0) {
        vec_fini(&alloc);
        return -1;
    }
    reservation_set_nodes(c->e->c, c->r, &alloc);
    reservation_reschedule(c->e->c, c->r, c->e->now);
    rsvuse_sync(c->e->c, c->e->now);
    return 0;
}

int change_reservation(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    unsigned what = ev->u.change_reservation.what;
    struct reservation *draft = ev->u.change_reservation.draft;
    struct reservation *r = reservation_find(e->c, ev->u.change_reservation.name);

    if (!r || !reservation_is_live(r))
        return err_set(err, ERR_NOT_FOUND, "cannot locate reservation '%.80s'",
            ev->u.change_reservation.name);
    if (r->kind == RSV_STANDING)
        return err_set(err, ERR_CONFLICT,
            "reservation '%.80s' is an instance of a standing one: change SRCFG[%.80s]",
            r->name, r->base);
    if (rsvrights_change(e->c, r, draft, what, &ev->u.change_reservation.who, err) < 0)
        return -1;
    struct rsv_edit c = {.e = e, .r = r, .what = what};
    ret->reservation = r;
    swap_wishes(r, draft, what);
    int result = change(&c, draft, err);
    if (result < 0)
        swap_wishes(r, draft, what);
    return result;
}

/* ---- EVENT_UNRESERVE ---- */

/* A reservation of a job goes by the job's name. It comes again in the next cycle if
 * the job is still entitled to one. */
static int release_job(
    struct engine *e, const char *id, const struct actor *who, struct err *err)
{
    struct job *j = job_find(e->c, id);

    if (!j)
        return err_set(err, ERR_NOT_FOUND, "cannot locate reservation '%.80s'", id);
    if (job_is_active(j))
        return err_set(err, ERR_CONFLICT,
            "job '%.80s' is running: its reservation ends with it (canceljob)", id);
    if (!plan_is_reserved(e->plan, j))
        return err_set(err, ERR_NOT_FOUND, "job '%.80s' has no reservation", id);
    if (rsvrights_release_job(e->c, j, who, err) < 0)
        return -1;
    promises_void(e->promises, j);
    return 0;
}

int releaseres(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const char *name = ev->u.unreserve.name ? ev->u.unreserve.name : "";
    const struct actor *who = &ev->u.unreserve.who;
    struct reservation *r = reservation_find(e->c, name);

    (void)ret;
    if (!r || !reservation_is_live(r))
        return release_job(e, name, who, err);
    if (rsvrights_release(e->c, r, who, err) < 0)
        return -1;
    int status = reservation_move(e->c, r, RSV_EV_RELEASE, e->now, err);
    rsvuse_sync(e->c, e->now);
    return status;
}
