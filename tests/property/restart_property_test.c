/* SPDX-License-Identifier: Apache-2.0
 * A restart at any instant gives the schedule that there would have been without it,
 * under RESERVATIONPOLICY CURRENTHIGHEST: claims of failed starts, deferrals and queue
 * times come back with the memory of the jobs, places by priority come out the same.
 * (Under HIGHEST and for deadlines the plan begins anew with a restart, as it does when
 * something comes free: what was promised may move forward then where it would have
 * stood.) MAUI_PROPERTY_SEED and _FACTOR as elsewhere. */
#include "cmocka_all.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 150
#define JOBS  30
#define NODES 5
#define UNTIL 3000

struct history {
    int64_t starts[JOBS];
    char logs[JOBS][1000];
};

static void submit_all(struct scenario *s, struct rng *r)
{
    static char ids[JOBS][8];
    static const char *const qoses[] = {"hi", NULL};

    for (int i = 0; i < JOBS; i++) {
        int64_t at = rng_range(r, 1, UNTIL / 3), limit = rng_range(r, 5, 300);
        snprintf(ids[i], sizeof ids[i], "j%d", i);
        sc_job(s, (struct sc_job){.id = ids[i],
                      .submit_at = at,
                      .limit_s = limit,
                      .run_s = rng_range(r, 1, limit),
                      .procs = 1 + rng_below(r, 2 * NODES),
                      .priority = rng_percent(r, 50) ? rng_range(r, 1, 9) : 0,
                      .qos = RNG_PICK(r, qoses)});
        if (rng_percent(r, 25))
            sc_refuse_starts(s, ids[i], 1 + rng_below(r, 3));
    }
}

/* `restarts`: the engine forgets everything at some instants. */
static void run_history(uint64_t seed, bool restarts, struct history *ret)
{
    static const char *const policies[] = {"RESERVATIONPOLICY CURRENTHIGHEST\n",
        "RESERVATIONDEPTH 4\n", "RESERVATIONDEPTH 3\nRESERVATIONRETRYTIME 100\n",
        "RESERVATIONRETRYTIME 200\n"};
    struct rng r = {seed};
    char lines[400];

    snprintf(lines, sizeof lines,
        "RMPOLLINTERVAL 30\nDEFERTIME 200\nUSERCFG[DEFAULT] QLIST=hi\n%s",
        RNG_PICK(&r, policies));
    struct scenario *s = sc_create_with(lines);
    sc_nodes(s, NODES, 2);
    if (rng_percent(&r, 30))
        sc_force_by_node(s);
    submit_all(s, &r);
    /* from 1 on: a start at 0 is one that is not known */
    for (int64_t at = 1; at < UNTIL; at += rng_range(&r, 1, 60)) {
        sc_at(s, at);
        if (!rng_percent(&r, 40))
            continue;
        if (restarts)
            sc_restart(s);
        sc_cycle(s);
    }
    for (int i = 0; i < JOBS; i++) {
        char id[8];
        snprintf(id, sizeof id, "j%d", i);
        ret->starts[i] = sc_start(s, id);
        snprintf(ret->logs[i], sizeof ret->logs[i], "%s", sc_log(s, id));
    }
    sc_destroy(s);
}

/* The job whose start is the first that differs, -1 = none. */
static int find_first_difference(const struct history *a, const struct history *b)
{
    int64_t first = INT64_MAX;
    int found = -1;

    for (int i = 0; i < JOBS; i++) {
        int64_t at = a->starts[i] < b->starts[i] ? a->starts[i] : b->starts[i];
        if (a->starts[i] != b->starts[i] && at < first) {
            first = at;
            found = i;
        }
    }
    return found;
}

static void a_restart_changes_no_schedule(void **state)
{
    uint64_t from = seed_first();
    uint64_t n = seed_count(SEEDS);
    struct history *with = calloc(2, sizeof *with), *without = with + 1;

    (void)state;
    for (uint64_t seed = from; seed < from + n; seed++) {
        run_history(seed, false, without);
        run_history(seed, true, with);
        int i = find_first_difference(with, without);
        if (i >= 0)
            fail_msg("seed %llu: j%d: %s\nwithout a restart: %s",
                (unsigned long long)seed, i, with->logs[i], without->logs[i]);
    }
    free(with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_no_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
