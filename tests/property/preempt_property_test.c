/* SPDX-License-Identifier: Apache-2.0
 * Preemption in random worlds: no job is lost, each ends once, no node carries more
 * than it has (sc_cycle() checks the cluster), and preempting comes to an end.
 * MAUI_PROPERTY_FACTOR and MAUI_PROPERTY_SEED as for the other properties. */
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 150
#define JOBS  32

static const char *pick_config(struct rng *r, struct strbuf *text)
{
    static const char *const how[] = {"REQUEUE", "SUSPEND", "CHECKPOINT"};
    static const char *const rsv[] = {"NEVER", "CURRENTHIGHEST", "HIGHEST"};
    static const char *const bf[] = {"FIRSTFIT", "BESTFIT", "PREEMPT", "NONE"};
    static const char *const bfprio[] = {"RANDOM", "DURATION"};

    strbuf_printf(text,
        "PREEMPTPOLICY %s\nRESERVATIONPOLICY %s\nBACKFILLPOLICY %s\n"
        "BFPRIORITYPOLICY %s\nQUEUETIMEWEIGHT %d\nCREDWEIGHT 1\nUSERWEIGHT 1\n",
        RNG_PICK(r, how), RNG_PICK(r, rsv), RNG_PICK(r, bf), RNG_PICK(r, bfprio),
        rng_percent(r, 30));
    for (int i = 0; i < 6; i++)
        strbuf_printf(text, "USERCFG[u%d] PRIORITY=%d\n", i, i * 20);
    if (rng_percent(r, 30))
        strbuf_printf(text, "SRCFG[own] HOSTLIST=n1,n2 PERIOD=INFINITY "
                            "ACCOUNTLIST=a0,a1 OWNER=ACCOUNT:a0 FLAGS=OWNERPREEMPT\n");
    return text->text;
}

struct world {
    bool plain; /* all tasks alike: the nodes are planned by count */
    bool bare;  /* and without memory, which suspended jobs would keep */
    char id[JOBS][8];
    struct req_desc req[JOBS];
};

static void add_job(struct scenario *s, struct rng *r, struct world *w, int i)
{
    static const char *const users[] = {"u0", "u1", "u2", "u3", "u4", "u5"};
    static const char *const accounts[] = {"a0", "a1", NULL};
    int64_t limit = rng_range(r, 20, 2000);
    struct sc_job job = {.id = w->id[i],
        .submit_at = rng_range(r, 0, 2000),
        .limit_s = limit,
        .run_s = rng_percent(r, 50) ? limit : rng_range(r, 1, limit),
        .user = RNG_PICK(r, users),
        .account = RNG_PICK(r, accounts)};

    snprintf(w->id[i], sizeof w->id[i], "j%d", i);
    w->req[i] = (struct req_desc){.tasks = 1 + rng_below(r, 4),
        .per_task = {{1 + rng_below(r, 2), rng_percent(r, 30) ? 900 : 0, 0, 0}}};
    if (w->plain)
        w->req[i].per_task =
            (struct res){{1, !w->bare && rng_percent(r, 30) ? 100 : 0, 0, 0}};
    job.req = &w->req[i];
    job.flags |= rng_percent(r, 50) ? JOB_PREEMPTEE : 0;
    job.flags |= rng_percent(r, 30) ? JOB_PREEMPTOR : 0;
    sc_job(s, job);
}

static int count_of(const char *log, const char *word)
{
    int n = 0;

    for (const char *p = log; (p = strstr(p, word)) != NULL; p += strlen(word))
        n++;
    return n;
}

static void check_job(struct scenario *s, const char *id, uint64_t seed)
{
    const char *log = sc_log(s, id);
    int starts = count_of(log, "start@") + count_of(log, "backfill@");
    int back = count_of(log, "requeue@") + count_of(log, "checkpoint@");

    if (back + count_of(log, "suspend@") > JOBS)
        fail_msg("seed %llu: job %s is preempted for ever: %s",
            (unsigned long long)seed, id, log);
    if (sc_find(s, id))
        fail_msg(
            "seed %llu: job %s never ended: %s", (unsigned long long)seed, id, log);
    if (starts != back + 1 || count_of(log, "suspend@") != count_of(log, "resume@")
        || count_of(log, "cancel@"))
        fail_msg("seed %llu: job %s: %s", (unsigned long long)seed, id, log);
}

static uint64_t check_seed(uint64_t seed)
{
    struct rng r = {seed};
    struct strbuf text = {0};
    struct world w = {.plain = rng_percent(&r, 50)};
    struct scenario *s = sc_create_with(pick_config(&r, &text));

    sc_nodes(s, 6 + rng_below(&r, 3), 2); /* n1, n2 may be for few */
    for (int i = 0; i < JOBS; i++)
        add_job(s, &r, &w, i);
    sc_run_until(s, 1000000);
    for (int i = 0; i < JOBS; i++)
        check_job(s, w.id[i], seed);
    uint64_t preempted = engine_stats(sc_engine(s))->preempted;
    if (preempted > JOBS * JOBS)
        fail_msg("seed %llu: %llu preemptions of %d jobs", (unsigned long long)seed,
            (unsigned long long)preempted, JOBS);
    sc_destroy(s);
    free(strbuf_take(&text));
    return preempted;
}

static void preempted_jobs_are_never_lost_and_end_once(void **state)
{
    (void)state;
    uint64_t first = seed_first();
    uint64_t seeds = seed_count(SEEDS), preempted = 0;

    check_seed(700295); /* a promise that waited for the memory of a suspended job,
                           which could not come back because of it */
    for (uint64_t seed = first; seed < first + seeds; seed++)
        preempted += check_seed(seed);
    print_message("# seeds %llu to %llu: %llu preemptions\n", (unsigned long long)first,
        (unsigned long long)(first + seeds - 1), (unsigned long long)preempted);
    assert_true(preempted > 0);
}

static struct scenario *play(uint64_t seed, bool by_node, struct world *w)
{
    static const char *const how[] = {"REQUEUE", "SUSPEND", "CHECKPOINT"};
    struct rng r = {seed};
    struct strbuf text = {0};

    strbuf_printf(&text,
        "PREEMPTPOLICY %s\nRESERVATIONPOLICY NEVER\nQUEUETIMEWEIGHT 0\nCREDWEIGHT 1\n"
        "USERWEIGHT 1\n",
        RNG_PICK(&r, how));
    for (int i = 0; i < 6; i++)
        strbuf_printf(&text, "USERCFG[u%d] PRIORITY=%d\n", i, i * 20);
    *w = (struct world){.plain = true, .bare = true};
    struct scenario *s = sc_create_with(text.text);
    free(strbuf_take(&text));
    sc_nodes(s, 6 + rng_below(&r, 3), 2);
    if (by_node)
        sc_force_by_node(s);
    for (int i = 0; i < JOBS; i++)
        add_job(s, &r, w, i);
    sc_run_until(s, 1000000);
    return s;
}

static void counting_and_asking_nodes_one_by_one_agree(void **state)
{
    (void)state;
    uint64_t first = seed_first();
    uint64_t seeds = seed_count(50);

    for (uint64_t seed = first; seed < first + seeds; seed++) {
        struct world v, w;
        struct scenario *a = play(seed, false, &v), *b = play(seed, true, &w);
        for (int i = 0; i < JOBS; i++)
            if (strcmp(sc_log(a, v.id[i]), sc_log(b, w.id[i])) != 0)
                fail_msg("seed %llu: job %s: %s by count, %s by node",
                    (unsigned long long)seed, v.id[i], sc_log(a, v.id[i]),
                    sc_log(b, w.id[i]));
        sc_destroy(a);
        sc_destroy(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preempted_jobs_are_never_lost_and_end_once),
        cmocka_unit_test(counting_and_asking_nodes_one_by_one_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
