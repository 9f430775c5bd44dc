/* SPDX-License-Identifier: Apache-2.0
 * Scenario files from hostile hands: read, names looked up, and run. Whatever is left
 * out was told. */
#include "sim/run.h"
#include "sim/swf.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(struct workload *w)
{
    static const struct workload_rules rules = {.procs = 4};
    static const char swf[] = "1 0 -1 900 2 -1 -1 2 1000 -1 1 1 1 -1 1 -1 -1 -1\n"
                              "2 10 -1 900 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1\n";
    struct lines *in = lines_open_memory("swf", swf, sizeof swf - 1);
    struct err err;

    workload_init(w);
    vec_push(&w->files, "swf");
    assert(swf_read(in, w, &rules, NULL, &err) == 0);
    lines_close(in);
    workload_finish(w, &rules, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine machine = {.nodes = 4, .procs_per_node = 1};
    struct settings *cfg = settings_create();
    struct scenario_settings settings = {0};
    struct scenario_clock clock = {0};
    struct scenario s = {0};
    struct run_result result;
    struct diag diag = {0};
    struct workload w;
    struct err err;
    struct lines *in = lines_open_memory("fuzz", (const char *)data, size);

    fill(&w);
    clock.shift = workload_shift(&w);
    scenario_read(in, &clock, &s, &diag, &err);
    lines_close(in);
    scenario_settings(&s, NULL, &settings, &diag);
    scenario_bind(
        &s, &(struct scenario_world){&w, &machine, cfg, clock}, &settings, &diag);
    if (diag.count == 0) {
        struct run_options how = {
            .until = 5000, .scenario = &s, .settings = &settings, .diag = &diag};

        assert(run_replay(&w, &machine, cfg, &how, &result, &err) == 0);
        run_result_fini(&result);
    }
    scenario_settings_fini(&settings);
    scenario_fini(&s);
    workload_fini(&w);
    settings_destroy(cfg);
    return 0;
}
