/* SPDX-License-Identifier: Apache-2.0
 * The scenario files of `maui sim --scenario`: read, checked as a whole, and with the
 * settings they change for each configuration that is replayed. */
#ifndef MAUI_CLIENT_SIM_SCENARIO_H
#define MAUI_CLIENT_SIM_SCENARIO_H

#include "sim/scenario.h"

struct sim_scenario {
    struct scenario lines;
    struct VEC(struct scenario_settings) settings; /* one for each configuration */
};

/* Read the files and check every name in them. `configs` are the files replayed, NULL
 * for the defaults, and `first` the settings of the first. What is wrong is printed as
 * FILE:LINE: text; then -1, and nothing should be replayed. *ret is freed with
 * sim_scenario_fini() in any case. */
struct sim_scenario_files {
    const char *const *paths, *const *configs;
    size_t n, configs_n;
};
int sim_scenario_load(const struct sim_scenario_files *files, const struct workload *w,
    const struct machine *m, const struct settings *first, struct sim_scenario *ret);
void sim_scenario_fini(struct sim_scenario *s);

#endif
