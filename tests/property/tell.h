/* SPDX-License-Identifier: Apache-2.0
 * What the engine is told of a world's nodes and jobs. */
#ifndef MAUI_TESTS_TELL_H
#define MAUI_TESTS_TELL_H

#include "engine/engine.h"
#include "world.h"

/* Room for the lists a description points to. */
struct tell_node {
    const char *features[W_FEATURES + W_LABELS + 1], *networks[W_LABELS + 1];
    struct gres_cfg gres[W_LABELS + 2], classes[W_CLASSES + W_LABELS + 1];
};
struct tell_job {
    struct req_desc reqs[2];
    const char *features[2][W_FEATURES + 1], *hosts[2][W_NODES + 1],
        *exclude[2][W_NODES + 1];
    struct gres_cfg gres[2][3];
    const char *partitions[W_PARTS + 1];
    struct dep deps[2];
};

struct node_desc tell_node(const struct world *w, uint32_t node, struct tell_node *t);
struct job_desc tell_job(const struct world *w, uint32_t job, struct tell_job *t);
/* Number of "j17"; UINT32_MAX for other names. */
uint32_t tell_job_number(const char *id);
/* 0 for "n1"; UINT32_MAX for other names. */
uint32_t tell_node_number(const char *name);

/* A held job that names a host: from then on no pool can be planned by count. */
void tell_spoiler(struct engine *e);

/* Do running jobs and reservations together fit on every node at every instant at
 * which a pinned reservation begins? Counted anew from the plan's pins. */
bool tell_plan_fits(const struct engine *e, char *ret_text, size_t size);

#endif
