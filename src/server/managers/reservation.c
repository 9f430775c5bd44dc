/* SPDX-License-Identifier: Apache-2.0
 * The resource manager's reservations, as events of the engine: asked for as setres
 * does.
 */
#include "server/managers/reservation.h"

#include "base/zone.h"
#include "cluster/rsvdraft.h"
#include "server/managers/private.h"
#include "server/server_private.h"

#include <string.h>

struct rm_rsv_name {
    char *name; /* owned; of the resource manager */
    char *made; /* owned; of ours, NULL when it could not be made */
    bool told;  /* since the last time that all was told */
};

struct rmreservations {
    struct VEC(struct rm_rsv_name) v;
};

/* `required`: one of them it has to be, whatever else lets it in. */
static int put_list(struct setres_reading *r, char letter, const char *const *names,
    bool required, struct err *err)
{
    for (; names && *names; names++) {
        struct strbuf b = {0};
        int result;

        strbuf_printf(&b, "%s%s", *names, required && **names != '!' ? "*" : "");
        result = setres_put(r, setres_attr_of(letter), b.text, err);
        free(b.text);
        if (result < 0)
            return -1;
    }
    return 0;
}

/* The nodes as one host expression. */
static int put_nodes(struct setres *s, const char *const *names, struct err *err)
{
    struct strbuf b = {0};

    for (; names && *names; names++)
        strbuf_printf(&b, "%s%s", b.len ? "," : "", *names);
    if (!b.len)
        return err_set(err, ERR_INVALID, "it has no nodes");
    s->hosts = strbuf_take(&b);
    return 0;
}

/* Who it lets in must name it, unless it is magnetic, and may go on after its end as on
 * any node: that is how resource managers mean theirs. */
static int read_asked(const struct rm_reservation *r, const struct setres_clock *clock,
    struct setres *ret, struct err *err)
{
    struct setres_reading to;
    bool both = r->users && r->accounts;

    setres_begin(&to, clock, ret);
    ret->start_at = r->start_at;
    to.end_at = r->end_at;
    ret->flags = RSV_OUTLASTED | (r->magnetic ? 0 : RSV_BYNAME)
                 | (r->flex ? RSV_FLEX : 0) | (r->maintenance ? RSV_PASSES_ALL : 0)
                 | (r->overlaps ? RSV_PASSES_PLAIN : 0);
    if (setres_put(&to, setres_attr_of('n'), r->name, err) == 0
        && put_list(&to, 'u', r->users, both, err) == 0
        && put_list(&to, 'a', r->accounts, both, err) == 0
        && put_list(&to, 'g', r->groups, false, err) == 0
        && put_nodes(ret, r->nodes, err) == 0 && setres_end(&to, err) == 0)
        return 0;
    setres_fini(ret);
    return -1;
}

static int make(
    struct server *s, const struct rm_reservation *r, char **ret_made, struct err *err)
{
    struct cluster *c = engine_cluster(s->engine);
    struct calendar cal = zone_system_calendar(world_now(s));
    struct setres_clock clock = {.cal = &cal};
    struct reservation draft;
    struct setres asked;
    struct event_result made;

    if (read_asked(r, &clock, &asked, err) < 0)
        return -1;
    int result = rsvdraft_of_setres(c, &asked, RSV_ADMIN, &draft, err);
    setres_fini(&asked);
    if (result < 0)
        return -1;
    struct event ev = {.kind = EVENT_RESERVE, .u.reserve = {.draft = &draft}};
    if (world_apply(s, &ev, &made, err) == 0) {
        *ret_made = xstrdup(made.reservation->name);
        return 0;
    }
    reservation_fini(&draft);
    return -1;
}

static void unmake(struct server *s, struct rm_rsv_name *known)
{
    struct event ev = {.kind = EVENT_UNRESERVE, .u.unreserve = {.name = known->made}};
    struct err err;

    if (known->made)
        world_apply(s, &ev, NULL, &err); /* it may have ended by itself */
    free(known->made);
    known->made = NULL;
}

static struct rm_rsv_name *find_reservation(const struct manager *m, const char *name)
{
    struct rmreservations *all = m->reservations;

    for (size_t i = 0; all && i < all->v.n; i++)
        if (strcmp(all->v.v[i].name, name) == 0)
            return &all->v.v[i];
    return NULL;
}

void rmreservation_told(struct manager *m, const struct rm_reservation *r)
{
    struct server *s = m->s;
    struct rm_rsv_name *known = find_reservation(m, r->name);
    struct err err = {0};

    if (!m->reservations)
        m->reservations = xcalloc(1, sizeof *m->reservations);
    if (known) {
        unmake(s, known);
    } else {
        vec_push(&m->reservations->v, ((struct rm_rsv_name){.name = xstrdup(r->name)}));
        known = find_reservation(m, r->name);
    }
    known->told = true;
    if (r->end_at > world_now(s) && make(s, r, &known->made, &err) < 0)
        log_line(s->log, LOG_ALERT,
            "the resource manager's reservation '%s' cannot be shown: %s", r->name,
            err.text);
}

void rmreservation_gone(struct manager *m, const char *name)
{
    struct rm_rsv_name *known = find_reservation(m, name);

    if (!known)
        return;
    unmake(m->s, known);
    free(known->name);
    vec_remove(&m->reservations->v, (size_t)(known - m->reservations->v.v));
}

void rmreservation_synced(struct manager *m)
{
    struct rmreservations *all = m->reservations;

    for (size_t i = all ? all->v.n : 0; i-- > 0;) {
        if (!all->v.v[i].told)
            rmreservation_gone(m, all->v.v[i].name);
        else
            all->v.v[i].told = false;
    }
}

void rmreservation_close(struct manager *m)
{
    struct rmreservations *all = m->reservations;

    for (size_t i = 0; all && i < all->v.n; i++) {
        free(all->v.v[i].name);
        free(all->v.v[i].made);
    }
    if (all)
        vec_fini(&all->v);
    free(all);
    m->reservations = NULL;
}
