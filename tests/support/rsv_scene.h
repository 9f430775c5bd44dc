/* SPDX-License-Identifier: Apache-2.0
 * Worked examples of reservations as tables: a cluster, what is reserved in it, and
 * jobs with the start and the nodes expected. Each is run twice: unreserved nodes
 * planned by count, and all node by node. */
#ifndef MAUI_TESTS_RSV_SCENE_H
#define MAUI_TESTS_RSV_SCENE_H

#include "cmocka_all.h"
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#define SCENE __attribute__((unused)) static

#define DAY_S  INT64_C(86400)
#define HOUR_S INT64_C(3600)
#define MONDAY (19723 * DAY_S) /* 2024-01-01 00:00 UTC */
#define NEVER  (-1)

struct scene {
    const char *lines; /* of maui.cfg, NULL = none */
    uint32_t nodes;    /* 0 = 4 */
    int64_t procs;     /* of a node, 0 = 1 */
    int64_t begin;
    const char *down;     /* nodes, separated by blanks */
    struct sc_rsv rsv[5]; /* made before the first cycle; no list and no hosts ends */
    int64_t watch;        /* how long to look, 0 = 10 days */
};

/* A job, whether it starts (NEVER = -1) and where (NULL = anywhere). */
struct ask {
    struct sc_job job;
    int64_t start;
    const char *where;
};

SCENE void scene_setres(struct scenario *s, const struct sc_rsv *r)
{
    struct err err = {0};

    if (sc_setres(s, r, &err) < 0)
        fail_msg("%s", err.text);
}

SCENE struct scenario *scene_open(const struct scene *x, bool by_node)
{
    struct scenario *s = sc_create_with(x->lines ? x->lines : "");
    char down[80], *save = NULL;

    sc_begin_at(s, x->begin);
    sc_nodes(s, x->nodes ? x->nodes : 4, x->procs ? x->procs : 1);
    snprintf(down, sizeof down, "%s", x->down ? x->down : "");
    for (char *w = strtok_r(down, " ", &save); w; w = strtok_r(NULL, " ", &save))
        sc_node_state(s, w, NODE_DOWN);
    for (const struct sc_rsv *r = x->rsv; r->hosts || r->tasks; r++)
        scene_setres(s, r);
    if (by_node)
        sc_force_by_node(s);
    return s;
}

SCENE void scene_check(struct scenario *s, const struct ask *a, bool by_node)
{
    const char *how = by_node ? "node by node" : "by count";

    if (sc_start(s, a->job.id) != a->start)
        fail_msg("%s started at %lld, expected %lld (%s)", a->job.id,
            (long long)sc_start(s, a->job.id), (long long)a->start, how);
    if (a->where && strcmp(sc_where(s, a->job.id), a->where) != 0)
        fail_msg("%s ran on %s, expected %s (%s)", a->job.id, sc_where(s, a->job.id),
            a->where, how);
}

static int64_t scene_end(const struct scene *x)
{
    return x->begin + (x->watch ? x->watch : 10 * DAY_S);
}

/* All jobs in one world. */
SCENE void scene_run(const struct scene *x, const struct ask *asks)
{
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = scene_open(x, by_node);

        for (const struct ask *a = asks; a->job.id; a++)
            sc_job(s, a->job);
        sc_run_until(s, scene_end(x));
        for (const struct ask *a = asks; a->job.id; a++)
            scene_check(s, a, by_node);
        sc_destroy(s);
    }
}

/* Each job in a world of its own. */
SCENE void scene_apart(const struct scene *x, const struct ask *asks)
{
    for (const struct ask *a = asks; a->job.id; a++) {
        struct ask one[] = {*a, {.job = {.id = NULL}}};

        scene_run(x, one);
    }
}

/* How many processors one job like this would find free at `at`: with so many it
 * starts, with one more it does not. */
SCENE void scene_sees(
    const struct scene *x, struct sc_job job, int64_t at, uint32_t procs)
{
    for (uint32_t more = 0; more < 2; more++)
        for (int by_node = 0; by_node < 2 && procs + more > 0; by_node++) {
            struct scenario *s = scene_open(x, by_node);

            job.id = "asker";
            job.procs = procs + more;
            job.submit_at = at;
            sc_job(s, job);
            sc_run_until(s, at);
            if ((sc_start(s, "asker") == at) != (more == 0))
                fail_msg("%s of %s: %u processors %s (%s)", job.user,
                    job.group ? job.group : "no group", job.procs,
                    more ? "are free" : "are not free",
                    by_node ? "node by node" : "by count");
            sc_destroy(s);
        }
}

/* An instant as a reader of the example has it. */
static inline int64_t clock_of(int64_t day, int64_t hour, int64_t minute)
{
    return MONDAY + day * DAY_S + hour * HOUR_S + minute * 60;
}

#endif
