/* SPDX-License-Identifier: Apache-2.0
 * When a cycle runs: at once after a change, or JOBAGGREGATIONTIME after the first of a
 * burst; when the engine wants to be woken; and every RMPOLLINTERVAL in any case. Not
 * while scheduling is stopped. A simulation runs its cycles itself (simulation.c). */
#define LOG_FACILITY FACILITY_SCHED
#include "config/settings.h"
#include "server/durable/rsvkeep.h"
#include "server/durable/teller.h"
#include "server/durable/usage.h"
#include "server/events/stalls.h"
#include "server/journal/anew.h"
#include "server/managers/immediate.h"
#include "server/managers/manager.h"
#include "server/managers/reslimit.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"
#include "server/whole.h"

#define SECOND_US   UINT64_C(1000000)
#define ACCURACY_US 5000

struct cycle {
    sd_event_source *now, *timer;
    bool wanted;
};

static uint64_t monotonic_us(struct server *s)
{
    uint64_t now = 0;

    sd_event_now(s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

static void arm(sd_event_source *source, uint64_t at_us)
{
    sd_event_source_set_time(source, at_us);
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static uint64_t into_second_us(struct server *s)
{
    uint64_t now = 0;

    sd_event_now(s->loop, CLOCK_REALTIME, &now);
    return now % SECOND_US;
}

/* Sleep until the engine wants to wake, but no longer than the poll interval. */
static void arm_next(struct server *s)
{
    int64_t wait_s = s->config->settings->rm_poll_interval_s;
    int64_t wakeup = engine_next_wakeup(s->engine), now = world_now(s);

    if (s->control.resume_at && s->control.resume_at < wakeup)
        wakeup = s->control.resume_at;
    if (s->control.stop_at && s->control.stop_at < wakeup)
        wakeup = s->control.stop_at;
    if (s->control.rm_failure_until && s->control.rm_failure_until < wakeup)
        wakeup = s->control.rm_failure_until;
    if (wakeup < now + wait_s)
        wait_s = wakeup > now ? wakeup - now : 1;
    /* At the begin of that second, wherever in the present one we are. */
    arm(s->cycle->timer,
        monotonic_us(s) + (uint64_t)wait_s * SECOND_US - into_second_us(s));
}

void cycle_stop(struct server *s)
{
    s->control.stop_at_iteration = -1;
    s->control.stop_at = 0;
    s->control.alone = false;
    s->control.paused = true;
    log_line(s->log, LOG_ACTION, "scheduling stopped at iteration %lu",
        (unsigned long)s->control.iteration);
}

/* What was ordered for a certain instant. */
static void look_at_clock(struct server *s)
{
    int64_t now = world_now(s);

    if (s->control.resume_at && now >= s->control.resume_at) {
        s->control.resume_at = 0;
        s->control.paused = false;
    }
    if (s->control.stop_at && now >= s->control.stop_at)
        cycle_stop(s);
    if (s->control.rm_failure_until && now >= s->control.rm_failure_until) {
        s->control.rm_failure_until = 0;
        log_line(s->log, LOG_ACTION, "RM failure mode is over");
    }
}

void cycle_run(struct server *s)
{
    s->cycle->wanted = false;
    look_at_clock(s);
    if (clock_was_set_forward(s->clock)) {
        log_line(s->log, LOG_ACTION, "the clock was set forward");
        manager_poll(s);
    }
    manager_wait(s);
    if (manager_synced(s) && !whole_is_restored(s)) {
        whole_restored(s);
        usage_recall_standing(s);
        rsvkeep_restore(s);
        teller_jobs_are_known(s);
    }
    teller_look(s);
    if (!s->control.paused && !s->control.rm_failure_until && manager_ready(s)) {
        reslimit_check(s);
        immediate_tell_reserved(s);
        world_cycle(s);
        rsvkeep_look(s);
        usage_look(s);
        if (s->control.stop_at_iteration >= 0
            && s->control.iteration >= (uint64_t)s->control.stop_at_iteration)
            cycle_stop(s);
    }
    immediate_tell(s);
    if (whole_is_restored(s))
        whole_again(s);
    if (clock_is_wrong(s->clock) || managers_changed(s))
        anew_look(s);
}

static void run(struct server *s)
{
    stalls_doing(s, "cycle");
    cycle_run(s);
    arm_next(s);
}

static int on_now(sd_event_source *source, void *ctx)
{
    (void)source;
    run(ctx);
    return 0;
}

static int on_timer(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    (void)at;
    if (!s->control.rm_failure_until)
        manager_poll(s);
    run(s);
    return 0;
}

int cycle_open(struct server *s, struct err *err)
{
    s->cycle = xcalloc(1, sizeof *s->cycle);
    if (sd_event_add_defer(s->loop, &s->cycle->now, on_now, s) < 0
        || sd_event_source_set_priority(s->cycle->now, PRIORITY_CYCLE) < 0
        || sd_event_source_set_enabled(s->cycle->now, SD_EVENT_OFF) < 0
        || sd_event_add_time_relative(
               s->loop, &s->cycle->timer, CLOCK_MONOTONIC, 0, ACCURACY_US, on_timer, s)
               < 0
        || sd_event_source_set_priority(s->cycle->timer, PRIORITY_CYCLE) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    if (s->simulation)
        sd_event_source_set_enabled(s->cycle->timer, SD_EVENT_OFF);
    return 0;
}

void cycle_close(struct server *s)
{
    if (!s->cycle)
        return;
    sd_event_source_disable_unref(s->cycle->now);
    sd_event_source_disable_unref(s->cycle->timer);
    free(s->cycle);
    s->cycle = NULL;
}

void cycle_want(struct server *s)
{
    int64_t gather = s->config->settings->job_aggregation_s;

    if (s->simulation) { /* when its next iteration comes, and not before */
        simulation_want(s);
        return;
    }
    if (!s->cycle || s->cycle->wanted)
        return;
    s->cycle->wanted = true;
    if (gather > 0 && whole_is(s))
        arm(s->cycle->timer, monotonic_us(s) + (uint64_t)gather * SECOND_US);
    else
        sd_event_source_set_enabled(s->cycle->now, SD_EVENT_ONESHOT);
}
