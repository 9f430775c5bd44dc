/* SPDX-License-Identifier: Apache-2.0
 * Who has how much of a node at an instant. */
#include "plan/bynode/occupants.h"

#include "plan/bynode/bynode_private.h"

static struct res amount_of_pin(
    const struct bynode *b, const struct node *n, const struct pin *pin)
{
    const struct taskdef *def = b->c->jobs.v[pin->job]->reqs[pin->req].def;
    struct res amount;

    for (int i = 0; i < RES_DIMS; i++)
        amount.v[i] = taskdef_whole_node(def)
                          ? n->cfg.v[i]
                          : taskdef_takes(def, &n->cfg, i, pin->tasks);
    return amount;
}

void occupants_at(
    const struct asker *a, const struct node *n, int64_t at, struct occupants *io)
{
    const struct pins *pins = asker_pins(a, n->index);
    const struct cluster *c = a->b->c;
    struct node_job on;

    io->n = 0;
    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++) {
        const struct job *j = c->jobs.v[on.job];
        if (bynode_job_end(a->b, j) > at && j != a->j && !asker_lacks(a, j))
            vec_push(io, ((struct occupant){j, node_job_share(c, n, &on)}));
    }
    for (size_t i = 0; pins && i < pins->v.n; i++) {
        const struct pin *pin = &pins->v.v[i];
        const struct job *j = c->jobs.v[pin->job];
        if (pin->start_at <= at && at < pin->end_at && j != a->j)
            vec_push(io, ((struct occupant){j, amount_of_pin(a->b, n, pin)}));
    }
}

/* Of one that runs, or has a reservation or is owed one. */
int64_t occupant_start(const struct bynode *b, const struct job *j)
{
    const struct planned *at;

    if (job_is_active(j))
        return j->start_at;
    at = rsvtable_planned(b->reserved, j->index);
    return at ? at->start_at : 0;
}

/* How long it stays. */
static int64_t stay_of(const struct bynode *b, const struct job *j)
{
    const struct rsv *r = rsvtable_of(b->reserved, j->index);

    if (r)
        return r->end_at - r->start_at;
    if (job_is_active(j) && j->eff_wclimit_s > 0)
        return j->eff_wclimit_s;
    return j->wclimit_s > 0 ? j->wclimit_s : 1;
}

int64_t occupant_end(const struct bynode *b, const struct job *j)
{
    return time_add(occupant_start(b, j), stay_of(b, j));
}
