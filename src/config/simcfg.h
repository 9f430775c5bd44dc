/* SPDX-License-Identifier: Apache-2.0
 * Settings of simulations: SIM*. */
#ifndef MAUI_CONFIG_SIMCFG_H
#define MAUI_CONFIG_SIMCFG_H

/* SIMJOBSUBMISSIONPOLICY. */
enum sim_submission {
    SIM_SUBMIT_UNSET,         /* maui sim: at times; served: a constant depth */
    SIM_SUBMIT_AT_TIMES,      /* NORMAL: of the trace */
    SIM_SUBMIT_CONSTANT_JOBS, /* so many wait, always */
    SIM_SUBMIT_CONSTANT_PS    /* so much work waits */
};

/* SIMFLAGS: what is ignored of a trace. */
enum sim_ignore {
    SIM_IGN_HOSTLIST = 1 << 0,
    SIM_IGN_CLASS = 1 << 1,
    SIM_IGN_QOS = 1 << 2,
    SIM_IGN_MODE = 1 << 3, /* how jobs share nodes */
    SIM_IGN_FEATURES = 1 << 4,
    SIM_IGN_FRAME = 1 << 5, /* frames and slots of nodes */
    SIM_IGN_ALL = (1 << 6) - 1
};

#endif
