/* SPDX-License-Identifier: Apache-2.0
 * See example.h. */
#include "example.h"

#include "cmocka_all.h"

struct scenario *example_start(const struct example *x, bool by_node)
{
    struct scenario *s = sc_create_with(x->cfg ? x->cfg : "");

    sc_nodes(s, x->nodes, x->procs ? x->procs : 1);
    if (by_node)
        sc_force_by_node(s);
    for (const struct example_job *r = x->jobs; r->id; r++)
        sc_job(s, (struct sc_job){.id = r->id,
                      .procs = r->procs,
                      .nodes = r->nodes,
                      .limit_s = r->limit,
                      .run_s = r->run,
                      .submit_at = r->submit,
                      .priority = r->priority,
                      .user = r->user,
                      .group = r->group,
                      .account = r->account,
                      .cls = r->cls,
                      .qos = r->qos,
                      .flags = r->flags,
                      .release_at = r->release_at,
                      .holds = r->holds,
                      .tier = r->tier});
    return s;
}

static void compare(struct scenario *s, const struct example_job *r, bool by_node)
{
    const char *how = by_node ? "node by node" : "by count";

    if (sc_start(s, r->id) != r->start)
        fail_msg("%s started at %lld, expected %lld (%s): %s", r->id,
            (long long)sc_start(s, r->id), (long long)r->start, how, sc_log(s, r->id));
    if (r->where && strcmp(sc_where(s, r->id), r->where) != 0)
        fail_msg(
            "%s ran on %s, expected %s (%s)", r->id, sc_where(s, r->id), r->where, how);
}

void example_run(const struct example *x)
{
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = example_start(x, by_node);
        if (x->until)
            sc_run_until(s, x->until);
        else
            sc_run(s);
        for (const struct example_job *r = x->jobs; r->id; r++)
            compare(s, r, by_node);
        sc_destroy(s);
    }
}
