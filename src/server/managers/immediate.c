/* SPDX-License-Identifier: Apache-2.0
 * See immediate.h. What such a job must not do is what a job of lower priority must
 * not: pass those that wait for their turn, or take what is reserved. Whether a limit
 * of the configuration lets it in would take its user, and nobody can ask: then none
 * may. */
#include "server/managers/immediate.h"

#include "base/bitset.h"
#include "cluster/reservation.h"
#include "engine/query.h"
#include "server/managers/private.h"
#include "server/render/render.h"
#include "server/server_private.h"

static bool someone_waits(const struct manager *m, const struct cluster *c)
{
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];

        if (j && managers_of(m->s, j) == m && render_section(j) == SECTION_ELIGIBLE)
            return true;
    }
    return false;
}

/* Names of all nodes that somebody has reserved, now or later: "n1,n3". Is there
 * another node that runs jobs? */
static bool list_reserved(
    const struct manager *m, const struct cluster *c, struct strbuf *ret)
{
    struct bitset reserved = {0};
    bool others = false;

    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        for (size_t k = 0; r && r->state <= RSV_ACTIVE && k < r->alloc.n; k++)
            bitset_set_range(&reserved, r->alloc.v[k].first,
                r->alloc.v[k].first + r->alloc.v[k].count);
    }
    for (uint32_t n = 0; n < c->nodes.n; n++)
        if (managers_of_node(m->s, node_at(c, n)) != m)
            continue;
        else if (bitset_test(&reserved, n))
            strbuf_printf(ret, "%s%s", ret->len ? "," : "", node_at(c, n)->name);
        else
            others |= node_at(c, n)->cfg.v[RES_PROCS] > 0;
    bitset_fini(&reserved);
    return others;
}

static void tell_word(struct manager *m, const char *word, struct strbuf *nodes)
{
    size_t mark;
    char *fresh; /* the word may be the one that goes */

    strbuf_add(nodes, "");
    if (m->immediate && strcmp(m->immediate, word) == 0
        && strcmp(m->immediate_not, nodes->text) == 0)
        return;
    fresh = xstrdup(word);
    free(m->immediate);
    free(m->immediate_not);
    m->immediate = fresh;
    m->immediate_not = xstrdup(nodes->text);
    mark = border_begin(m->border);
    m->driver->immediate(m->rm, fresh, border_nodes_out(m->border, nodes->text));
    border_end(m->border, mark);
}

static void tell_one(struct manager *m)
{
    struct server *s = m->s;
    const struct cluster *c = engine_cluster(s->engine);
    struct strbuf nodes = {0};
    const char *word = "free";
    bool others;

    if (!m->rm || !m->driver->immediate)
        return;
    others = list_reserved(m, c, &nodes);
    if (s->control.paused || s->control.rm_failure_until || s->mode != MODE_NORMAL
        || query_limited(s->engine))
        word = "busy";
    else if (someone_waits(m, c))
        word = "waiting";
    else if (!others)
        word = "busy";
    tell_word(m, word, &nodes);
    free(nodes.text);
}

static void tell_reserved(struct manager *m)
{
    struct strbuf nodes = {0};

    if (!m->rm || !m->driver->immediate || !m->immediate)
        return;
    list_reserved(m, engine_cluster(m->s->engine), &nodes);
    tell_word(m, m->immediate, &nodes);
    free(nodes.text);
}

void immediate_tell_reserved(struct server *s)
{
    struct managers *all = s->managers;

    for (size_t i = 0; all && i < all->v.n; i++)
        tell_reserved(all->v.v[i]);
}

void immediate_tell(struct server *s)
{
    struct managers *all = s->managers;

    for (size_t i = 0; all && i < all->v.n; i++)
        tell_one(all->v.v[i]);
}
