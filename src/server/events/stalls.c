/* SPDX-License-Identifier: Apache-2.0
 * See stalls.h. */
#include "server/events/stalls.h"

#include "base/vec.h"
#include "server/events/metrics.h"
#include "server/server_private.h"

#include <time.h>

static const double bounds[] = {
    0.0001, 0.0003, 0.001, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1, 0};

struct doing {
    const char *what;
    double longest_s, longest_cpu_s;
};

struct stalls {
    struct histogram turns, cpu;     /* by the clock; of the processor */
    struct VEC(struct doing) doings; /* some tens: operations of the API are most */
    const char *doing;               /* of the turn under way; or NULL */
};

void stalls_open(struct server *s)
{
    s->events.stalls = xcalloc(1, sizeof *s->events.stalls);
    s->events.stalls->turns.bounds = s->events.stalls->cpu.bounds = bounds;
}

void stalls_close(struct server *s)
{
    if (s->events.stalls)
        vec_fini(&s->events.stalls->doings);
    free(s->events.stalls);
    s->events.stalls = NULL;
}

void stalls_doing(struct server *s, const char *what)
{
    if (s->events.stalls && !s->events.stalls->doing)
        s->events.stalls->doing = what;
}

static double read_clock_s(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct doing *find_doing(struct stalls *l, const char *what)
{
    for (size_t i = 0; i < l->doings.n; i++)
        if (strcmp(l->doings.v[i].what, what) == 0)
            return &l->doings.v[i];
    vec_push(&l->doings, (struct doing){.what = what});
    return &l->doings.v[l->doings.n - 1];
}

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

static void note_turn(struct stalls *l, double seconds, double cpu_s)
{
    struct doing *d = find_doing(l, l->doing ? l->doing : "other");

    histogram_add(&l->turns, seconds);
    histogram_add(&l->cpu, cpu_s);
    d->longest_s = larger_of(d->longest_s, seconds);
    d->longest_cpu_s = larger_of(d->longest_cpu_s, cpu_s);
}

int stalls_loop(struct server *s)
{
    struct stalls *l = s->events.stalls;
    int r = 0;

    while (r >= 0 && sd_event_get_state(s->loop) != SD_EVENT_FINISHED) {
        r = sd_event_prepare(s->loop);
        if (r == 0)
            r = sd_event_wait(s->loop, UINT64_MAX);
        if (r <= 0)
            continue;
        double begin = read_clock_s(CLOCK_MONOTONIC);
        double cpu = read_clock_s(CLOCK_THREAD_CPUTIME_ID);
        l->doing = NULL;
        r = sd_event_dispatch(s->loop);
        note_turn(l, read_clock_s(CLOCK_MONOTONIC) - begin,
            read_clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu);
    }
    if (r >= 0)
        sd_event_get_exit_code(s->loop, &r);
    return r;
}

static void print_head(
    struct strbuf *out, const char *name, const char *type, const char *help)
{
    strbuf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_longest(
    const struct stalls *l, const char *name, size_t at, struct strbuf *out)
{
    for (size_t i = 0; i < l->doings.n; i++)
        strbuf_printf(out, "%s{doing=\"%s\"} %.6f\n", name, l->doings.v[i].what,
            *(const double *)((const char *)&l->doings.v[i] + at));
}

void stalls_print(const struct server *s, struct strbuf *out)
{
    static const char turns[] = "maui_turn_duration_seconds",
                      cpu[] = "maui_turn_processor_seconds",
                      longest[] = "maui_turn_longest_seconds",
                      longest_cpu[] = "maui_turn_longest_processor_seconds";
    const struct stalls *l = s->events.stalls;

    print_head(out, turns, "histogram",
        "Turns of the loop; nobody is answered while one lasts.");
    histogram_print(&l->turns, turns, "", out);
    print_head(out, cpu, "histogram",
        "Processor time of turns; where turns take longer, it waits for the disk or "
        "others use the processors.");
    histogram_print(&l->cpu, cpu, "", out);
    print_head(out, longest, "gauge",
        "The longest turn since the start, by what it did first.");
    print_longest(l, longest, offsetof(struct doing, longest_s), out);
    print_head(out, longest_cpu, "gauge",
        "The most processor time of a turn since the start, by what it did first.");
    print_longest(l, longest_cpu, offsetof(struct doing, longest_cpu_s), out);
}
