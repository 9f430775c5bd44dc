/* SPDX-License-Identifier: Apache-2.0
 * Settings of BACKFILLPOLICY PLAN: PLAN* and PROMISE*. */
#ifndef MAUI_CONFIG_PLANCFG_H
#define MAUI_CONFIG_PLANCFG_H

#include "base/timeval.h"

#include <stdint.h>

#define HORIZON_SUBMIT DURATION_UNLIMITED /* promised when it comes */

#define WCLIMIT_HISTORY         (-1) /* WCLIMITDEFAULT: learned, */
#define WCLIMIT_LEARNED_LEAST_S 600  /* and no shorter than that */

enum plan_tighten { TIGHTEN_UNSET, TIGHTEN_NO, TIGHTEN_YES };
enum plan_prediction { PREDICTION_NONE, PREDICTION_LASTTWO, PREDICTION_MIX };
enum plan_fill { FILL_PLAN, FILL_PROMISED };

/* Of a QOS: how much later than in the site's plan its jobs may begin. */
#define SLACK_UNSET (-1)

struct plan_settings {
    int64_t evaluations; /* orders tried in a cycle */
    int64_t time_ms;     /* stop after this; 0 = no bound */
    int64_t depth;       /* jobs that get a place */
    int64_t window;      /* of them, those that the search moves */
    int64_t seed;
    double wait_exponent, short_exponent;
    double band_factor;
    double fs_double; /* points of fairshare that double the weight; 0 = none do */
    double fs_max;    /* the largest factor */
    int64_t horizon_s;
    int64_t slack_s;
    double slack_share; /* of the wait that is expected: more slack */
    unsigned tighten;   /* enum plan_tighten */
    unsigned fill;      /* enum plan_fill */
    enum plan_prediction prediction;
};

#endif
