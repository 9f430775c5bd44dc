/* SPDX-License-Identifier: Apache-2.0
 * A glance at what runs, while starts are pending: one command, of which the answer is
 * as long as what runs, and not as what waits. A look at everything shows the rest at
 * its time. */
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

static void on_glance(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;
    struct arena arena = {0};
    struct ge_names begun = {0};
    struct err err;

    if (end->status == 0
        && ge_read_begun(&arena, &begun, end->out, end->out_len, &err) == 0)
        for (size_t i = 0; i < begun.n; i++)
            ge_note_begun(g, begun.v[i], g->glance_ms);
    g->glance_ms = 0;
    ge_go_on(g);
    vec_fini(&begun);
    arena_free(&arena);
}

void ge_glance(struct ge_adapter *g)
{
    static const char *const argv[] = {"qstat", "-xml", "-u", "*", "-s", "rs", NULL};

    if (g->glance_ms != 0 || !runs_settled(g->runs))
        return;
    g->glance_ms = clock_ms();
    ge_run(g, true, argv, on_glance, g);
}
