/* SPDX-License-Identifier: Apache-2.0
 * Scenario files of `maui sim`. */
#include "client/simulate/sim_scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Complaints are kept, to be told in the order of the lines: names are looked up after
 * all lines were read. */
struct complaint {
    char *file, *text; /* owned */
    uint64_t line;
    size_t order; /* as found */
};
struct complaints VEC(struct complaint);

static void keep(void *ctx, const char *file, uint64_t line, const char *text)
{
    struct complaints *all = ctx;
    struct complaint c = {xstrdup(file), xstrdup(text), line, all->n};

    vec_push(all, c);
}

static int by_line(const void *pa, const void *pb)
{
    const struct complaint *a = pa, *b = pb;
    int files = strcmp(a->file, b->file);

    if (files != 0)
        return files;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void tell(struct complaints *all)
{
    if (all->n > 0)
        qsort(all->v, all->n, sizeof *all->v, by_line);
    for (size_t i = 0; i < all->n; i++) {
        fprintf(stderr, "%s:%" PRIu64 ": %s\n", all->v[i].file, all->v[i].line,
            all->v[i].text);
        free(all->v[i].file);
        free(all->v[i].text);
    }
    vec_fini(all);
}

static int read_files(const struct sim_scenario_files *files,
    const struct scenario_clock *clock, struct sim_scenario *ret, struct diag *d)
{
    for (size_t i = 0; i < files->n; i++) {
        struct err err;
        struct lines *in = lines_open(files->paths[i], &err);
        int rc = in == NULL ? -1 : scenario_read(in, clock, &ret->lines, d, &err);

        if (in != NULL)
            lines_close(in);
        if (rc < 0) {
            fprintf(stderr, "maui sim: %s\n", err.text);
            return -1;
        }
    }
    return 0;
}

static void check_names(const struct sim_scenario_files *files,
    const struct scenario_world *world, struct sim_scenario *ret, struct diag *d)
{
    for (size_t i = 0; i < files->configs_n; i++) {
        struct scenario_settings settings = {0};

        /* The same lines are wrong behind all of them: tell them once. */
        scenario_settings(&ret->lines, files->configs[i], &settings, i == 0 ? d : NULL);
        vec_push(&ret->settings, settings);
    }
    scenario_bind(&ret->lines, world, &ret->settings.v[0], d);
}

int sim_scenario_load(const struct sim_scenario_files *files, const struct workload *w,
    const struct machine *m, const struct settings *first, struct sim_scenario *ret)
{
    struct scenario_world world = {.w = w,
        .m = m,
        .cfg = first,
        .clock = {.begin_at = w->jobs.v[0].submit_at, .shift = workload_shift(w)}};
    struct complaints all = {0};
    struct diag d = {.tell = keep, .ctx = &all};
    int rc = read_files(files, &world.clock, ret, &d);

    if (rc == 0)
        check_names(files, &world, ret, &d);
    tell(&all);
    if (d.count > 0)
        fprintf(stderr,
            "maui sim: %" PRIu64 " line%s of the scenario cannot be carried out; "
            "nothing is simulated\n",
            d.count, d.count == 1 ? "" : "s");
    return rc < 0 || d.count > 0 ? -1 : 0;
}

void sim_scenario_fini(struct sim_scenario *s)
{
    for (size_t i = 0; i < s->settings.n; i++)
        scenario_settings_fini(&s->settings.v[i]);
    vec_fini(&s->settings);
    scenario_fini(&s->lines);
}
