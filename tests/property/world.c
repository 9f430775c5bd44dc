/* SPDX-License-Identifier: Apache-2.0
 * Random clusters and settings. */
#include "world.h"

#include "rng.h"

#include <stdio.h>
#include <string.h>

/* ---- the cluster ------------------------------------------------------------- */

/* What nodes of one kind have; a cluster has a few kinds. */
static struct w_node node_kind(struct rng *r, bool plain)
{
    static const int64_t procs[] = {1, 1, 2, 2, 4, 4, 8};
    static const int64_t mem_each[] = {128, 256, 512};
    struct w_node n = {.maxjob = -1,
        .maxjob_user = -1,
        .maxproc = -1,
        .maxproc_user = -1,
        .maxproc_class = -1,
        .maxpe = -1};

    n.cfg[RES_PROCS] = RNG_PICK(r, procs);
    n.cfg[RES_MEM] = n.cfg[RES_PROCS] * RNG_PICK(r, mem_each);
    n.cfg[RES_SWAP] = n.cfg[RES_MEM] * 2;
    n.cfg[RES_DISK] = 1000;
    if (plain)
        return n;
    n.features = rng_below(r, 1u << W_FEATURES);
    n.limits_classes = rng_percent(r, 25);
    for (uint32_t c = 1; c <= W_CLASSES; c++)
        n.initiators[c] = (int)rng_range(r, c == 1, n.cfg[RES_PROCS]);
    n.gpus = rng_percent(r, 30) ? (int)rng_range(r, 1, 3) : 0;
    return n;
}

static void node_limits(struct w_node *n, struct rng *r)
{
    int procs = (int)n->cfg[RES_PROCS];

    if (rng_percent(r, 30))
        n->maxjob = (int)rng_range(r, 1, 2);
    if (rng_percent(r, 20))
        n->maxjob_user = 1;
    if (rng_percent(r, 30))
        n->maxproc = (int)rng_range(r, 1, procs);
    if (rng_percent(r, 20))
        n->maxproc_user = (int)rng_range(r, 1, procs);
    if (rng_percent(r, 20)) {
        n->maxproc_class = (int)rng_range(r, 1, procs);
        n->maxproc_of = (uint32_t)rng_range(r, 1, W_CLASSES);
    }
    if (rng_percent(r, 10))
        n->maxpe = (int)rng_range(r, 2, procs + 1);
}

static void make_nodes(struct world *w, struct rng *r, bool plain)
{
    uint32_t kinds = plain ? 1 : (uint32_t)rng_range(r, 1, 3);
    struct w_node kind[3];

    w->nnodes = (uint32_t)rng_range(r, 1, W_NODES);
    w->nparts = rng_percent(r, 70) ? 1 : (uint32_t)rng_range(r, 2, W_PARTS);
    for (uint32_t i = 0; i < kinds; i++) {
        kind[i] = node_kind(r, plain);
        if (!plain && rng_percent(r, 15))
            node_limits(&kind[i], r);
    }
    for (uint32_t i = 0; i < w->nnodes; i++) {
        w->nodes[i] = kind[rng_below(r, kinds)];
        w->nodes[i].partition = rng_below(r, w->nparts);
        snprintf(w->nodes[i].name, sizeof w->nodes[i].name, "n%u", i + 1);
    }
    if (!plain && rng_percent(r, 20))
        w->licences = rng_range(r, 1, 6);
}

/* ---- settings ---------------------------------------------------------------- */

static int64_t limit_value(struct rng *r, enum limit_res res)
{
    static const int64_t unit[LIMIT_RES_COUNT] = {1, 1, 1, 50, 1, 30, 100};
    static const int64_t most[LIMIT_RES_COUNT] = {4, 12, 6, 40, 10, 20, 30};

    return unit[res] * rng_range(r, 1, most[res]);
}

static void make_limit(struct w_settings *s, struct rng *r)
{
    uint32_t kind = rng_below(r, CRED_KINDS + 1);
    uint32_t object = kind == W_SYSTEM ? 0 : rng_below(r, 3);
    enum limit_res res = (enum limit_res)rng_below(r, LIMIT_RES_COUNT);
    bool idle = rng_percent(r, 30);
    struct w_limit l = {0, limit_value(r, res)};

    if (!idle && rng_percent(r, 40))
        l.soft = rng_range(r, 1, l.hard);
    if (object && rng_percent(r, 5))
        l = (struct w_limit){0, -1};
    *(idle ? &s->idle[kind][object][res] : &s->active[kind][object][res]) = l;
}

static void make_within(struct w_settings *s, struct rng *r)
{
    static const enum limit_res res[] = {LIMIT_JOB, LIMIT_PROC, LIMIT_NODE};
    struct w_within *x = &s->within[s->nwithin];

    *x = (struct w_within){.kind = rng_percent(r, 70) ? CRED_CLASS : CRED_QOS,
        .object = (uint32_t)rng_range(r, 1, 2),
        .kind2 = rng_percent(r, 70) ? CRED_USER : CRED_GROUP,
        .object2 = rng_below(r, 3),
        .res = RNG_PICK(r, res),
        .idle = rng_percent(r, 20)};
    x->hard = limit_value(r, x->res);
    /* what is written twice counts once: keep the lines apart */
    for (uint32_t i = 0; i < s->nwithin; i++)
        if (s->within[i].kind == x->kind && s->within[i].res == x->res)
            return;
    s->nwithin++;
}

static void make_limits(struct w_settings *s, struct rng *r)
{
    for (int64_t i = rng_range(r, 0, 5); i > 0; i--)
        make_limit(s, r);
    for (int64_t i = rng_range(r, 0, 2); i > 0; i--)
        make_within(s, r);
    for (uint32_t c = 1; c <= W_CLASSES; c++) {
        if (rng_percent(r, 15))
            s->class_procs_per_node[c] = rng_range(r, 1, 4);
        if (rng_percent(r, 10))
            s->class_procs_per_job[c] = rng_range(r, 2, 8);
    }
    if (rng_percent(r, 10))
        s->sys_procs = rng_range(r, 2, 16);
    if (rng_percent(r, 10))
        s->sys_wclimit_s = rng_range(r, 5, 20) * 10;
    if (rng_percent(r, 25))
        s->over[rng_range(r, 1, W_OBJECTS - 1)][rng_below(r, LIMIT_RES_COUNT)] =
            limit_value(r, LIMIT_PROC);
}

static void make_fairshare(struct w_settings *s, struct rng *r)
{
    static const double decay[] = {1, 0.5, 0.25};

    s->fs = true;
    s->fs_interval_s = rng_range(r, 3, 20) * 10;
    s->fs_depth = rng_range(r, 1, 4);
    s->fs_decay = RNG_PICK(r, decay);
    for (int64_t i = rng_range(r, 1, 3); i > 0; i--) {
        uint32_t kind = rng_below(r, CRED_KINDS);
        uint32_t object = rng_below(r, 3);
        bool relative = rng_percent(r, 40);
        s->fs_cap[kind][object] = relative ? '%' : '^';
        s->fs_target[kind][object] =
            relative ? rng_range(r, 20, 400) : rng_range(r, 100, 4000);
    }
}

static void make_qos(struct w_settings *s, struct rng *r, bool calm)
{
    static const char *const wild[] = {"", "NOBF", "NORESERVATION", "RESERVEALWAYS",
        "DEDICATED", "NOBF:DEDICATED", "IGNUSER", "IGNALL", "IGNJOBPERUSER",
        "IGNSYSTEM"};
    static const char *const calm_ones[] = {"", "NOBF", "DEDICATED"};

    for (uint32_t q = 0; q < W_OBJECTS; q++)
        s->qos_flags[q] = "";
    for (uint32_t q = 1; q < W_OBJECTS; q++)
        if (rng_percent(r, 60))
            s->qos_flags[q] = calm ? RNG_PICK(r, calm_ones) : RNG_PICK(r, wild);
}

static void make_backfill(struct w_settings *s, struct rng *r)
{
    static const char *const policy[] = {
        "FIRSTFIT", "FIRSTFIT", "FIRSTFIT", "BESTFIT", "GREEDY", "BESTFIT", "NONE"};
    static const char *const metric[] = {
        "PROCS", "PROCSECONDS", "SECONDS", "PE", "PESECONDS", "NODES"};
    static const char *const type[] = {"WIDESTFIRST", "LONGESTFIRST", "QUEUEORDER"};

    s->bf_policy = RNG_PICK(r, policy);
    s->bf_metric = RNG_PICK(r, metric);
    s->bf_type = RNG_PICK(r, type);
    s->bf_depth = rng_percent(r, 70) ? 0 : rng_range(r, 1, 6);
    s->bf_schedules = rng_percent(r, 70) ? 10000 : rng_range(r, 1, 50);
    if (rng_percent(r, 10)) {
        s->chunk_size = rng_range(r, 2, 8);
        s->chunk_s = rng_range(r, 1, 10) * 10;
    }
}

static void make_reservations(
    struct w_settings *s, struct rng *r, enum w_profile profile)
{
    static const char *const policy[] = {
        "CURRENTHIGHEST", "CURRENTHIGHEST", "HIGHEST", "HIGHEST", "NEVER"};
    static const int64_t depth[] = {1, 1, 1, 2, 3, 5, 100};

    s->rsv_policy = RNG_PICK(r, policy);
    s->rsv_depth = RNG_PICK(r, depth);
    if (profile == W_WILD) {
        s->rsv_depth1 = rng_percent(r, 15) ? rng_range(r, 1, 3) : 0;
        return;
    }
    s->rsv_policy = profile == W_TOP ? "CURRENTHIGHEST" : "HIGHEST";
    if (profile == W_CONSERVATIVE)
        s->rsv_depth = 10000;
    if (strcmp(s->bf_policy, "NONE") == 0)
        s->bf_policy = "FIRSTFIT"; /* NONE makes no reservations */
}

static void make_settings(
    struct w_settings *s, struct rng *r, enum w_profile profile, bool plain)
{
    static const char *const alloc[] = {"FIRSTAVAILABLE", "LASTAVAILABLE",
        "MINRESOURCE", "CPULOAD", "PRIORITY", "FASTEST", "MAXBALANCE", "CONTIGUOUS"};
    bool calm = profile != W_WILD;

    make_backfill(s, r);
    make_reservations(s, r, profile);
    make_qos(s, r, calm);
    s->nodealloc = RNG_PICK(r, alloc);
    s->avail = rng_percent(r, 60) ? "DEDICATED" : "COMBINED";
    s->defer_s = rng_percent(r, 30) ? 0 : rng_range(r, 1, 20) * 10;
    s->defer_count = rng_range(r, 1, 4);
    s->defer_starts = rng_range(r, 1, 3);
    s->requeue = !calm && rng_percent(r, 10);
    s->access = rng_percent(r, 85) ? ACCESS_SHARED
                                   : (enum access_policy)rng_range(
                                       r, ACCESS_SINGLEUSER, ACCESS_SINGLETASK);
    for (uint32_t c = 1; c <= W_CLASSES; c++)
        s->class_access[c] = rng_percent(r, 85) ? ACCESS_UNSET
                                                : (enum access_policy)rng_range(r,
                                                    ACCESS_SHARED, ACCESS_SINGLETASK);
    s->exactnode = rng_percent(r, 15);
    s->exactproc = rng_percent(r, 5);
    s->single_node = rng_percent(r, 5);
    s->queue_weight = 1;
    s->xf_weight = calm ? 0 : rng_below(r, 3);
    if (plain) {
        s->access = ACCESS_SHARED;
        memset(s->class_access, 0, sizeof s->class_access);
        s->exactnode = s->exactproc = s->single_node = false;
    }
    if (!calm && rng_percent(r, 40))
        make_limits(s, r);
    if (!calm && rng_percent(r, 15))
        make_fairshare(s, r);
}

/* The settings a reload puts in force: some things changed, fairshare windows not. */
static void make_changed(struct world *w, struct rng *r, bool plain)
{
    const struct w_settings *old = &w->settings[0];
    struct w_settings *s = &w->settings[1];

    make_settings(s, r, W_WILD, plain);
    s->fs = old->fs;
    s->fs_interval_s = old->fs_interval_s;
    s->fs_depth = old->fs_depth;
    s->fs_decay = old->fs_decay;
    if (!old->fs)
        memset(s->fs_cap, 0, sizeof s->fs_cap);
    w->nsettings = 2;
}

static void make(struct world *w, enum w_profile profile, uint64_t seed, bool plain)
{
    struct rng r = {seed};

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->profile = profile;
    w->event_wise = profile == W_CONSERVATIVE || rng_percent(&r, 15);
    make_nodes(w, &r, plain);
    make_settings(&w->settings[0], &r, profile, plain);
    w->nsettings = 1;
    if (profile == W_WILD && rng_percent(&r, 25))
        make_changed(w, &r, plain);
    world_add_jobs(w, &r, plain);
}

void world_make(struct world *w, enum w_profile profile, uint64_t seed)
{
    make(w, profile, seed, false);
}

void world_add_speeds(struct world *w, uint64_t seed)
{
    static const double speeds[] = {1, 1, 0.5, 0.25};
    struct rng r = {seed};

    for (uint32_t i = 0; i < w->nnodes; i++)
        w->nodes[i].speed = RNG_PICK(&r, speeds);
}

void world_make_plain(struct world *w, uint64_t seed)
{
    make(w, W_WILD, seed, true);
}
