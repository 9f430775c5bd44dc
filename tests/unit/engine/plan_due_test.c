/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN: jobs are due, and their nodes are told busy yet with one that
 * was cancelled. Nobody loses its place by that. */
#include "cmocka_all.h"
#include "scenario.h"

#include <stdio.h>

#define PLAN                                                                           \
    "BACKFILLPOLICY PLAN\nDEFERTIME 0\nNODEACCESSPOLICY SHARED\nRMPOLLINTERVAL 30\n"
#define NODES 4
#define JOBS  9
#define BEGIN 1000
#define END   (BEGIN + 3600) /* of the first, as far as is known */

static const char *const policies[] = {PLAN, PLAN "PROMISESLACK 0\n",
    PLAN "PROMISESLACK 0\nPROMISEHORIZON SUBMIT\n", PLAN "PROMISEHORIZON 0\n"};
#define POLICIES (sizeof policies / sizeof *policies)

/* "J0", "J1" ...: the scenario borrows them. */
static const char *name_of(int job)
{
    static char names[JOBS][20];

    snprintf(names[job], sizeof names[job], "J%d", job);
    return names[job];
}

static void tell_nodes(struct scenario *s, int first, int last, enum node_state state)
{
    char name[20];

    for (int i = first; i <= last; i++) {
        snprintf(name, sizeof name, "n%d", i);
        sc_node_state(s, name, state);
    }
}

/* The first has all nodes. */
static struct scenario *begin(const char *policy, bool by_node)
{
    struct scenario *s = sc_create_with(policy);
    char name[20];

    sc_begin_at(s, BEGIN);
    for (int i = 1; i <= NODES; i++) {
        snprintf(name, sizeof name, "n%d", i);
        sc_node(s, &(struct node_desc){.name = name,
                       .state = NODE_IDLE,
                       .measured = true,
                       .cfg = {.v = {1, 1000, -1, -1}}});
    }
    if (by_node)
        sc_force_by_node(s);
    sc_job(s, (struct sc_job){.id = "first", .procs = NODES, .limit_s = END - BEGIN});
    sc_at(s, BEGIN);
    for (int i = 0; i < JOBS; i++)
        sc_job(s, (struct sc_job){
                      .id = name_of(i), .procs = 1, .limit_s = 1800, .user = "u"});
    sc_cycle(s);
    tell_nodes(s, 1, NODES, NODE_BUSY);
    return s;
}

static void assert_not_put_off(struct scenario *s, const char *id)
{
    const char *why, *cause;
    const struct job *j = sc_find(s, id);

    assert_int_equal(engine_promised_before(sc_engine(s), j, &why, &cause), 0);
}

static void who_is_due_waits_until_its_nodes_are_told_free(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < 2 * POLICIES; kind++) {
        struct scenario *s = begin(policies[kind / 2], kind % 2);
        sc_at(s, BEGIN + 100);
        sc_cancel(s, "first");
        for (int64_t now = BEGIN + 100; now <= BEGIN + 120; now++) {
            if (now == BEGIN + 105)
                tell_nodes(s, 1, 2, NODE_IDLE);
            if (now == BEGIN + 107)
                tell_nodes(s, 3, 4, NODE_IDLE);
            sc_at(s, now);
        }
        for (int i = 0; i < JOBS; i++) {
            const char *id = name_of(i);
            if (i < NODES)
                assert_int_equal(sc_start(s, id), BEGIN + (i < 2 ? 105 : 107));
            else
                assert_in_range(sc_reserved(s, id),
                    BEGIN + 1905 + (i - NODES) / NODES * 1800,
                    BEGIN + 1907 + (i - NODES) / NODES * 1800);
            assert_not_put_off(s, id);
        }
        sc_destroy(s);
    }
}

/* Something else keeps them busy. */
static void nobody_waits_so_for_long(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = begin(policies[1], by_node);
        const char *why, *cause;
        sc_at(s, END);
        sc_at(s, END + 1);
        assert_not_put_off(s, "J0");
        for (int64_t now = END + 2; now < END + 400; now++)
            sc_at(s, now);
        assert_int_equal(
            engine_promised_before(sc_engine(s), sc_find(s, "J0"), &why, &cause), END);
        assert_int_equal(sc_start(s, "J0"), -1);
        sc_destroy(s);
    }
}

/* Where so many may run at a time, none of those who wait for too long goes behind all
 * others, and none of those comes before it; by that nobody is put off. */
static void keep_turns(const char *policy, bool by_node, int width)
{
    struct scenario *s = begin(policy, by_node);
    for (int64_t now = END; now <= END + 322; now++) {
        if (now == END + 320)
            tell_nodes(s, 1, NODES, NODE_IDLE);
        sc_at(s, now);
        for (int i = 0; i < JOBS; i++)
            assert_not_put_off(s, name_of(i));
    }
    for (int i = 0; i < JOBS; i++) {
        if (i < width)
            assert_in_range(sc_start(s, name_of(i)), END + 320, END + 322);
        else
            assert_in_range(sc_reserved(s, name_of(i)), END + 320 + i / width * 1800,
                END + 322 + i / width * 1800);
        assert_int_equal(sc_start(s, name_of(i)) >= 0, i < width);
    }
    assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
    sc_destroy(s);
}

static void who_waits_too_long_keeps_its_turn(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        keep_turns(PLAN "PROMISESLACK 600\nPROMISEHORIZON SUBMIT\n", by_node, NODES);
        keep_turns(PLAN
            "PROMISESLACK 600\nPROMISEHORIZON SUBMIT\nUSERCFG[u] MAXPROC=2\n",
            by_node, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_due_waits_until_its_nodes_are_told_free),
        cmocka_unit_test(nobody_waits_so_for_long),
        cmocka_unit_test(who_waits_too_long_keeps_its_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
