/* SPDX-License-Identifier: Apache-2.0
 * The adapter: what it has for agent.h. */
#include "base/home.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/adapter/beat.h"
#include "rm/adapter/follow.h"
#include "rm/pbs/pbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define AT_ONCE       4
#define POLL_MS       2000 /* OpenPBS makes qstat wait when it is run twice a second */
#define NOTES_RATE    20
#define START_WAIT_MS 20000
#define START_MOST_MS 3600000
#define TORQUE_HOME   "/var/spool/torque"
#define TIMEOUT_MS    90000 /* for want of a privileged port a command waits a minute */

static void forget_job(void *data)
{
    free(((struct pbs_told *)data)->name);
    free(((struct pbs_told *)data)->note);
}

static void on_woken(void *ctx)
{
    struct pbs_adapter *p = ctx;

    agent_look(p->agent);
}

/* For the hook of `maui pbs install`. Without it all goes on, by POLLINTERVAL. */
static void open_wake(struct pbs_adapter *p, const struct link_opening *o)
{
    char *path = home_file_of(o->home, o->name, "wake");
    struct err err;

    p->wake = wake_new(agent_loop(p->agent), path, on_woken, p, &err);
    if (p->wake == NULL)
        agent_health(p->agent, "wake", err.text);
    free(path);
}

static void on_accounted(void *ctx, const char *file)
{
    struct pbs_adapter *p = ctx;

    (void)file;
    agent_look(p->agent);
}

/* TORQUE has no hooks, but writes down whoever is queued, starts or ends. */
static void watch_accounting(struct pbs_adapter *p)
{
    const char *home = getenv("PBS_HOME");
    struct strbuf folder = {0};

    strbuf_printf(&folder, "%s/server_priv/accounting", home ? home : TORQUE_HOME);
    p->accounted = follow_new(agent_loop(p->agent), folder.text, on_accounted, p);
    free(folder.text);
}

static unsigned rate_of(const char *text)
{
    char *end;
    long n = text != NULL ? strtol(text, &end, 10) : -1;

    return n >= 0 && n <= 1000 && *end == '\0' ? (unsigned)n : NOTES_RATE;
}

static void make_lines(struct pbs_adapter *p)
{
    static const size_t many[LINES] = {
        [LINES_LOOKS] = 2, [LINES_QUICK] = 2, [LINES_SLOW] = PBS_LINES_MOST};

    for (int kind = 0; kind < LINES; kind++)
        for (size_t i = 0; i < many[kind]; i++)
            p->lines[kind][i] = line_new(agent_loop(p->agent));
}

static void *open_adapter(
    struct agent *a, const struct link_opening *o, struct err *err)
{
    static const struct listing_kind nodes = {.gone = RM_NODE_GONE},
                                     jobs = {.gone = RM_JOB_GONE,
                                         .limit_apart = true,
                                         .size = sizeof(struct pbs_told),
                                         .fini = forget_job};
    const char *transport = link_attr(o, "TRANSPORT");
    struct pbs_adapter *p = xcalloc(1, sizeof *p);
    char *lock = home_file_of(o->home, o->name, "lock"), *beat;

    p->agent = a;
    p->timeout_ms = link_attr_ms(o, "TIMEOUT", TIMEOUT_MS);
    p->start_wait_ms = link_attr_ms(o, "STARTWAIT", START_WAIT_MS);
    if (p->start_wait_ms > START_MOST_MS)
        p->start_wait_ms = START_MOST_MS;
    p->runs = runs_new(agent_loop(a), lock, AT_ONCE);
    if (p->runs == NULL) {
        err_set(err, ERR_IO, "%s: %s", lock, strerror(errno));
        free(lock);
        free(p);
        return NULL;
    }
    free(lock);
    beat = home_file_of(o->home, o->name, "heartbeat");
    p->beat = beat_new(beat);
    (void)beat_write(p->beat); /* `maui pbs check` right after a start: it lives */
    free(beat);
    if (transport == NULL || strcasecmp(transport, "COMMANDS") != 0)
        make_lines(p);
    open_wake(p, o);
    watch_accounting(p);
    p->notes.rate = rate_of(link_attr(o, "NOTES"));
    p->nodes = listing_new(&nodes);
    p->jobs = listing_new(&jobs);
    return p;
}

static void close_adapter(void *ctx)
{
    struct pbs_adapter *p = ctx;

    runs_destroy(p->runs);
    for (int kind = 0; kind < LINES; kind++)
        for (size_t i = 0; i < PBS_LINES_MOST; i++)
            line_destroy(p->lines[kind][i]);
    wake_destroy(p->wake);
    follow_destroy(p->accounted);
    beat_destroy(p->beat);
    listing_destroy(p->nodes);
    listing_destroy(p->jobs);
    pbs_look_free(p);
    free(p);
}

static void begin_look(void *ctx)
{
    pbs_look(ctx);
}

static void retell_all(void *ctx)
{
    struct pbs_adapter *p = ctx;

    listing_forget(p->nodes);
    listing_forget(p->jobs);
}

static void forget_orders(void *ctx)
{
    struct pbs_adapter *p = ctx;
    void *at = NULL, *data;

    while (listing_next(p->jobs, &at, &data) != NULL)
        ((struct pbs_told *)data)->ordered = false;
}

/* For the hook of `maui pbs install`. */
static void write_beat(void *ctx)
{
    struct pbs_adapter *p = ctx;

    agent_health(
        p->agent, "heartbeat", beat_write(p->beat) < 0 ? strerror(errno) : NULL);
}

static void take_command(void *ctx, const struct rm_command *c)
{
    pbs_command(ctx, c);
}

static void take_note(void *ctx, const struct rm_note *n)
{
    pbs_note(ctx, n);
}

static size_t end_adapter(void *ctx)
{
    struct pbs_adapter *p = ctx;
    size_t n;

    runs_end(p->runs);
    n = runs_owed(p->runs);
    for (int kind = 0; kind < LINES; kind++)
        for (size_t i = 0; i < PBS_LINES_MOST && p->lines[kind][i] != NULL; i++) {
            line_end(p->lines[kind][i]);
            n += line_owed(p->lines[kind][i]);
        }
    return n;
}

int pbs_adapter(void)
{
    static const struct agent_driver driver = {.program = "maui-pbs",
        .poll_ms = POLL_MS,
        .least_ms = PBS_LEAST_MS,
        .open = open_adapter,
        .close = close_adapter,
        .look = begin_look,
        .retell = retell_all,
        .forget = forget_orders,
        .command = take_command,
        .note = take_note,
        .beat = write_beat,
        .ends = end_adapter};

    return agent_main(&driver);
}
