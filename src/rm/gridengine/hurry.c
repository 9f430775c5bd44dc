/* SPDX-License-Identifier: Apache-2.0
 * Grid Engine's scheduler starts what was let go at its next run: after its
 * schedule_interval, 15 s where nobody has said anything else. It runs at once when it
 * is asked what it thinks (qconf -tsm). It writes that to common/schedd_runlog, a line
 * for each job that waits, and nobody empties that file: so it is asked only where the
 * file is a link to /dev/null, as `maui gridengine install` makes it. */
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"
#include "rm/gridengine/site.h"

#define APART_MS  200  /* from run to run, while jobs are still being let go */
#define MARGIN_MS 3000 /* from its run to a look that shows what it did */

struct ge_hurry {
    char *path; /* owned: schedd_runlog */
    int64_t interval_ms, asked_ms;
    bool asking, again;
};

struct ge_hurry *ge_hurry_new(void)
{
    struct ge_hurry *h = xcalloc(1, sizeof *h);

    h->path = site_common_path(SITE_RUNLOG);
    return h;
}

void ge_hurry_destroy(struct ge_hurry *h)
{
    free(h->path);
    free(h);
}

void ge_read_interval(struct ge_hurry *h, const char *conf)
{
    struct arena arena = {0};
    const char *value = ge_setting(&arena, conf, "schedule_interval");
    int64_t s = value != NULL ? ge_seconds(value) : 0;

    h->interval_ms = s > 0 && s < 3600 ? s * 1000 : 0;
    arena_free(&arena);
}

int64_t ge_start_patience_ms(const struct ge_hurry *h, int64_t least_ms)
{
    int64_t wait_ms = site_is_nothing(h->path) ? 0 : h->interval_ms + MARGIN_MS;

    return wait_ms > least_ms ? wait_ms : least_ms;
}

static void ask_run(struct ge_adapter *g);

static void on_asked(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;
    struct ge_hurry *h = g->hurry;

    (void)end; /* without it what was let go waits for the next run */
    h->asking = false;
    if (h->again)
        ask_run(g);
}

static void ask_run(struct ge_adapter *g)
{
    static const char *const argv[] = {"qconf", "-tsm", NULL};
    struct ge_hurry *h = g->hurry;

    h->again = false;
    h->asking = true;
    h->asked_ms = clock_ms();
    ge_run(g, true, argv, on_asked, g);
}

void ge_hurry(struct ge_adapter *g, bool more)
{
    struct ge_hurry *h = g->hurry;

    if (!site_is_nothing(h->path) || (more && clock_ms() - h->asked_ms < APART_MS))
        return;
    if (h->asking)
        h->again = true; /* that run may have begun before */
    else
        ask_run(g);
}
