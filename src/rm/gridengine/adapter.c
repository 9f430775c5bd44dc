/* SPDX-License-Identifier: Apache-2.0
 * The adapter: what it has for agent.h. */
#include "base/home.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/adapter/follow.h"
#include "rm/gridengine/gridengine.h"
#include "rm/gridengine/site.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE       4
#define POLL_MS       2000
#define LEAST_MS      200  /* and longer where a look takes longer: look.c */
#define START_WAIT_MS 8000 /* a run of Grid Engine's scheduler, and a look */
#define START_MOST_MS 3600000
#define TIMEOUT_MS    60000

/* Jobs have ended, and slots are free: sooner than the next look would see it. */
static void on_accounted(void *ctx, const char *file)
{
    struct ge_adapter *g = ctx;

    if (strcmp(file, SITE_ACCOUNTING) == 0 && !ge_tell_news(g))
        agent_look(g->agent);
}

/* Where the folder is another machine's nothing is told, and looks come at their times.
 */
static void watch_accounting(struct ge_adapter *g)
{
    char *folder = xstrdup(g->accounting);

    *strrchr(folder, '/') = '\0';
    g->ends = follow_new(agent_loop(g->agent), folder, on_accounted, g);
    free(folder);
}

static void free_told(void *data)
{
    struct ge_told *t = data;

    ge_end_start(t);
    free(t->note);
}

/* Definitions that a former one wrote for a command, and did not live to remove. */
static void remove_leftovers(const char *files)
{
    glob_t found = {0};
    struct strbuf pattern = {0};

    for (const char *c = files; *c; c++) /* a folder may be called anything */
        strbuf_printf(&pattern, strchr("*?[\\", *c) ? "\\%c" : "%c", *c);
    strbuf_add(&pattern, GE_OWN_QUEUE "*.queue");
    if (glob(pattern.text, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
    globfree(&found);
    free(pattern.text);
}

static void *open_adapter(
    struct agent *a, const struct link_opening *o, struct err *err)
{
    static const struct listing_kind nodes = {.gone = RM_NODE_GONE},
                                     jobs = {.gone = RM_JOB_GONE,
                                         .limit_apart = true,
                                         .size = sizeof(struct ge_told),
                                         .fini = free_told},
                                     reservations = {.gone = RM_RESERVATION_GONE};
    struct ge_adapter *g = xcalloc(1, sizeof *g);
    char *lock = home_file_of(o->home, o->name, "lock");

    g->agent = a;
    g->timeout_ms = link_attr_ms(o, "TIMEOUT", TIMEOUT_MS);
    g->start_wait_ms = link_attr_ms(o, "STARTWAIT", START_WAIT_MS);
    if (g->start_wait_ms > START_MOST_MS)
        g->start_wait_ms = START_MOST_MS;
    g->runs = runs_new(agent_loop(a), lock, AT_ONCE);
    if (g->runs == NULL) {
        err_set(err, ERR_IO, "%s: %s", lock, strerror(errno));
        free(lock);
        free(g);
        return NULL;
    }
    free(lock);
    g->files = home_file_of(o->home, o->name, "");
    remove_leftovers(g->files);
    g->accounting = site_common_path(SITE_ACCOUNTING);
    g->nodes = listing_new(&nodes);
    g->jobs = listing_new(&jobs);
    g->reservations = listing_new(&reservations);
    g->look = ge_look_new();
    g->hurry = ge_hurry_new();
    watch_accounting(g);
    agent_health(a, "jobmodify", NULL); /* of what troubled a former one */
    return g;
}

static void close_adapter(void *ctx)
{
    struct ge_adapter *g = ctx;

    ge_drop_releases(g);
    follow_destroy(g->ends);
    runs_destroy(g->runs);
    listing_destroy(g->nodes);
    listing_destroy(g->jobs);
    listing_destroy(g->reservations);
    ge_look_destroy(g);
    ge_hurry_destroy(g->hurry);
    free(g->files);
    free(g->accounting);
    free(g);
}

static void begin_look(void *ctx)
{
    ge_look(ctx);
}

static void check_starts(void *ctx)
{
    ge_glance(ctx);
}

static void retell_all(void *ctx)
{
    struct ge_adapter *g = ctx;

    listing_forget(g->nodes);
    listing_forget(g->jobs);
    listing_forget(g->reservations);
    g->told_past = false;
}

static void forget_orders(void *ctx)
{
    struct ge_adapter *g = ctx;
    void *at = NULL, *data;

    while (listing_next(g->jobs, &at, &data) != NULL)
        ge_forget_start(data);
}

static void take_command(void *ctx, const struct rm_command *c)
{
    ge_command(ctx, c);
}

/* Where looks are far apart a start is not told as one for as long. */
static void follow_starts(void *ctx)
{
    struct ge_adapter *g = ctx;

    if (g->starting)
        agent_look(g->agent);
}

static size_t end_adapter(void *ctx)
{
    struct ge_adapter *g = ctx;

    runs_end(g->runs);
    return runs_owed(g->runs);
}

static void take_note(void *ctx, const struct rm_note *n)
{
    ge_note(ctx, n);
}

int ge_adapter(void)
{
    static const struct agent_driver driver = {.program = "maui-gridengine",
        .poll_ms = POLL_MS,
        .least_ms = LEAST_MS,
        .open = open_adapter,
        .close = close_adapter,
        .look = begin_look,
        .check = check_starts,
        .retell = retell_all,
        .forget = forget_orders,
        .beat = follow_starts,
        .command = take_command,
        .note = take_note,
        .ends = end_adapter};

    return agent_main(&driver);
}
