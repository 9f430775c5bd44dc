/* SPDX-License-Identifier: Apache-2.0
 * The resource manager's reservations, as events of the engine. They are put into the
 * words of setres: one place knows what those mean. */
#include "server/rmreservation.h"

#include "base/zone.h"
#include "cluster/rsvdraft.h"
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

struct words {
    struct VEC(const char *) list;
    struct VEC(char *) owned;
};

static void add(struct words *w, const char *option, char *value)
{
    vec_push(&w->owned, value);
    if (option)
        vec_push(&w->list, option);
    vec_push(&w->list, value);
}

static char *joined(const char *const *names)
{
    struct strbuf b = {0};

    for (; names && *names; names++)
        strbuf_printf(&b, "%s%s", b.len ? "," : "", *names);
    return strbuf_take(&b);
}

static void add_list(struct words *w, const char *option, const char *const *names)
{
    if (names && *names)
        add(w, option, joined(names));
}

static char *instant(int64_t at)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%lld", (long long)at);
    return strbuf_take(&b);
}

/* Who it lets in must name it: that is how resource managers mean theirs. */
static void words_of(const struct rm_reservation *r, struct words *w)
{
    add(w, "-n", xstrdup(r->name));
    add(w, "-s", instant(r->start_at));
    add(w, "-e", instant(r->end_at));
    add_list(w, "-u", r->users);
    add_list(w, "-a", r->accounts);
    add_list(w, "-g", r->groups);
    add(w, "-x", xstrdup("BYNAME"));
    add(w, NULL, joined(r->nodes));
}

/* The name of the one made last. */
static char *last_made(const struct cluster *c)
{
    const struct reservation *last = NULL;

    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        if (r && (!last || r->serial > last->serial))
            last = r;
    }
    return last ? xstrdup(last->name) : NULL;
}

static int make(
    struct server *s, const struct rm_reservation *r, char **ret_made, struct err *err)
{
    struct cluster *c = engine_cluster(s->engine);
    struct calendar cal = zone_system_calendar(world_now(s));
    struct setres_clock clock = {.cal = &cal};
    struct reservation draft;
    struct setres asked;
    struct words w = {0};

    words_of(r, &w);
    int result = setres_parse(w.list.v, w.list.n, &clock, &asked, err);
    for (size_t i = 0; i < w.owned.n; i++)
        free(w.owned.v[i]);
    vec_fini(&w.owned);
    vec_fini(&w.list);
    if (result < 0)
        return -1;
    result = rsvdraft_of_setres(c, &asked, RSV_ADMIN, &draft, err);
    setres_fini(&asked);
    if (result < 0)
        return -1;
    struct event ev = {.kind = EVENT_RESERVE, .u.reserve = {.draft = &draft}};
    if (world_apply(s, &ev, NULL, err) == 0) {
        *ret_made = last_made(c);
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

static struct rm_rsv_name *find(struct server *s, const char *name)
{
    struct rmreservations *all = s->rmreservations;

    for (size_t i = 0; all && i < all->v.n; i++)
        if (strcmp(all->v.v[i].name, name) == 0)
            return &all->v.v[i];
    return NULL;
}

void rmreservation_told(struct server *s, const struct rm_reservation *r)
{
    struct rm_rsv_name *known = find(s, r->name);
    struct err err = {0};

    if (!s->rmreservations)
        s->rmreservations = xcalloc(1, sizeof *s->rmreservations);
    if (known) {
        unmake(s, known);
    } else {
        vec_push(
            &s->rmreservations->v, ((struct rm_rsv_name){.name = xstrdup(r->name)}));
        known = find(s, r->name);
    }
    known->told = true;
    if (r->end_at > world_now(s) && make(s, r, &known->made, &err) < 0)
        log_line(s->log, LOG_ALERT,
            "the resource manager's reservation '%s' cannot be shown: %s", r->name,
            err.text);
}

void rmreservation_gone(struct server *s, const char *name)
{
    struct rm_rsv_name *known = find(s, name);

    if (!known)
        return;
    unmake(s, known);
    free(known->name);
    vec_remove(&s->rmreservations->v, (size_t)(known - s->rmreservations->v.v));
}

void rmreservation_synced(struct server *s)
{
    struct rmreservations *all = s->rmreservations;

    for (size_t i = all ? all->v.n : 0; i-- > 0;) {
        if (!all->v.v[i].told)
            rmreservation_gone(s, all->v.v[i].name);
        else
            all->v.v[i].told = false;
    }
}

void rmreservation_close(struct server *s)
{
    struct rmreservations *all = s->rmreservations;

    for (size_t i = 0; all && i < all->v.n; i++) {
        free(all->v.v[i].name);
        free(all->v.v[i].made);
    }
    if (all)
        vec_fini(&all->v);
    free(all);
    s->rmreservations = NULL;
}
