/* SPDX-License-Identifier: Apache-2.0
 * Random worlds of whole-node reservations, planned by count with walls in time and
 * planned node by node, by count on nodes with labels, and as a search for a better
 * plan sees them (plan/supply.h): the earliest start of any job must be the same.
 * MAUI_PROPERTY_FACTOR and MAUI_PROPERTY_SEED as in the other properties. */
#include "base/bitset.h"
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "plan/supply.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR   INT64_C(3600)
#define FILL   24 /* jobs that run when the questions are asked */
#define PROBES 12
#define NAME   16

static void reserve(struct scenario *s, struct rng *r, uint32_t nodes)
{
    static const char *const users[] = {
        NULL, NULL, "u0", "u1,u2", "u0,u1-", "!u3", "u2=", "u0,u1,u2,u3"};
    struct sc_rsv rsv = {.base = "r", .lists[ACL_USER] = RNG_PICK(r, users)};
    uint32_t first = 1 + rng_below(r, nodes), count = 1 + rng_below(r, 4);
    char hosts[200] = "";
    struct err err;

    for (uint32_t i = 0; i < count && first + i <= nodes; i++)
        snprintf(hosts + strlen(hosts), sizeof hosts - strlen(hosts), "%s^n%u$",
            i ? "," : "", first + i);
    rsv.hosts = hosts;
    rsv.start_at = rng_range(r, 0, 30 * HOUR);
    rsv.end_at = rng_percent(r, 8) ? 0 : rsv.start_at + rng_range(r, 1, 12 * HOUR);
    assert_int_equal(sc_setres(s, &rsv, &err), 0);
}

static void submit(struct scenario *s, struct rng *r, const char *id, uint32_t most)
{
    static const char *const users[] = {"u0", "u1", "u2", "u3", "u4"};

    sc_job(s, (struct sc_job){.id = id,
                  .submit_at = sc_now(s),
                  .user = RNG_PICK(r, users),
                  .procs = (uint32_t)rng_range(r, 1, most),
                  .limit_s = rng_range(r, 1, 40) * (rng_percent(r, 60) ? 600 : HOUR),
                  .flags = rng_percent(r, 10) ? JOB_ADVRES : 0});
}

/* Some run; who must wait goes away at once. */
static void fill(struct scenario *s, struct rng *r, uint32_t most, char ids[FILL][NAME])
{
    for (int i = 0; i < FILL; i++) {
        snprintf(ids[i], NAME, "fill.%d", i);
        submit(s, r, ids[i], most);
        sc_at(s, sc_now(s));
        if (sc_start(s, ids[i]) < 0 && sc_find(s, ids[i]))
            sc_cancel(s, ids[i]);
    }
    sc_cycle(s);
}

enum way { BY_COUNT, BY_NODE, LABELLED, WAYS };

/* Each node with features of its own, which no job asks for. */
static void add_labelled(struct scenario *s, uint32_t nodes, int64_t procs)
{
    for (uint32_t i = 1; i <= nodes; i++) {
        char name[NAME], rack[NAME];
        const char *features[] = {name, rack, NULL};
        snprintf(name, sizeof name, "n%u", i);
        snprintf(rack, sizeof rack, "rack%u", i % 3);
        sc_node(s, &(struct node_desc){.name = name,
                       .state = NODE_IDLE,
                       .features = features,
                       .cfg = {{procs, 1024 * procs, 1024 * procs, 1024 * procs}}});
    }
}

/* The same of a job that waits, as the search sees it; -1: it is none for that. */
static int64_t ask_supply(struct scenario *s, const char *id)
{
    const struct job *j = sc_find(s, id);
    struct engine *e = sc_engine(s);
    struct wishes w = {0};
    struct wish wish = {0};
    struct bitset jobs = {0};
    int64_t at = -1;

    bitset_set(&jobs, j->index);
    supply_begin(e->plan, &w);
    uint32_t in = plan_reservation_of(e->plan, j)->partition;
    if (supply_wish(e->plan, j, in, &w, &wish)) {
        supply_parts(e->plan, &jobs, &w);
        at = wishes_fit(&w, w.parts.v, &wish, sc_now(s));
    }
    wishes_fini(&w);
    bitset_fini(&jobs);
    return at;
}

static uint64_t supplied; /* so often it was one */

static void check_supply(
    struct scenario *s, uint64_t seed, const char *id, int64_t want)
{
    int64_t at = ask_supply(s, id);

    supplied += at >= 0;
    if (at >= 0 && at != want)
        fail_msg("seed %llu, %s: %lld, and %lld to a search", (unsigned long long)seed,
            id, (long long)want, (long long)at);
}

/* Earliest starts of single jobs, one after the other. */
static void ask(uint64_t seed, enum way way, int64_t ret[PROBES])
{
    struct rng r = {seed};
    uint32_t nodes = (uint32_t)rng_range(&r, 3, 30);
    int64_t procs = rng_range(&r, 1, 3);
    uint32_t reservations = rng_below(&r, 3 * nodes);
    char fillers[FILL][NAME], ids[PROBES][NAME];
    struct scenario *s = sc_create_with("");

    if (way == LABELLED)
        add_labelled(s, nodes, procs);
    else
        sc_nodes(s, nodes, procs);
    for (uint32_t i = 0; i < reservations; i++)
        reserve(s, &r, nodes);
    if (way == BY_NODE)
        sc_force_by_node(s);
    fill(s, &r, (uint32_t)(nodes * procs) / 6 + 1, fillers);
    for (int i = 0; i < PROBES; i++) {
        snprintf(ids[i], NAME, "probe.%d", i);
        submit(s, &r, ids[i], (uint32_t)(nodes * procs));
        sc_at(s, sc_now(s));
        ret[i] =
            sc_start(s, ids[i]) >= 0 ? sc_start(s, ids[i]) : sc_reserved(s, ids[i]);
        if (sc_start(s, ids[i]) < 0 && ret[i] >= 0)
            check_supply(s, seed, ids[i], ret[i]);
        if (sc_find(s, ids[i]))
            sc_cancel(s, ids[i]);
        sc_cycle(s);
    }
    sc_destroy(s);
}

static void check_seed(uint64_t seed)
{
    int64_t start[WAYS][PROBES];

    for (int way = 0; way < WAYS; way++)
        ask(seed, (enum way)way, start[way]);
    for (int i = 0; i < PROBES; i++)
        if (start[BY_COUNT][i] != start[BY_NODE][i]
            || start[BY_COUNT][i] != start[LABELLED][i])
            fail_msg("seed %llu, probe %d: %lld by count, %lld node by node, %lld "
                     "with labels",
                (unsigned long long)seed, i, (long long)start[BY_COUNT][i],
                (long long)start[BY_NODE][i], (long long)start[LABELLED][i]);
}

static void walls_in_counted_pools_and_single_nodes_agree(void **state)
{
    (void)state;
    uint64_t first = seed_first();
    uint64_t seeds = seed_count(150);

    for (uint64_t seed = first; seed < first + seeds; seed++)
        check_seed(seed);
    assert_true(supplied > 2 * seeds);
}

/* In that world a job confined to reservations was planned after the last of them. */
static void a_confined_job_has_no_place_after_all_reservations(void **state)
{
    (void)state;
    check_seed(100027);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_in_counted_pools_and_single_nodes_agree),
        cmocka_unit_test(a_confined_job_has_no_place_after_all_reservations)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
