/* SPDX-License-Identifier: Apache-2.0
 * Placing several requests of one job together. */
#include "select_fixture.h"

struct joint {
    struct nodealloc a[2];
    struct taskdef def[2];
    struct req req[2];
    struct cand cands[8];
    uint32_t tasks[2][8];
    const uint32_t *rows[2];
    struct node_room room[8];
    struct nodealloc_multi m;
};

/* Two requests for all the nodes; tasks as an empty node holds them. */
static void joint_open(struct joint *g, struct world *w, const struct req *r0,
    const struct req *r1, bool room)
{
    const struct job *j = world_tasks(w, 1);
    const struct req *reqs[] = {r0, r1};
    size_t n = w->c->nodes.n;

    memset(g, 0, sizeof *g);
    for (uint32_t r = 0; r < 2; r++) {
        g->req[r] = *reqs[r];
        g->a[r] = world_ask(w, j);
        g->a[r].req = &g->req[r];
        g->a[r].req_index = r;
        g->rows[r] = g->tasks[r];
        for (uint32_t i = 0; i < n; i++)
            g->tasks[r][i] = feasible_tasks(w->c, reqs[r]->def, node_at(w->c, i));
    }
    for (uint32_t i = 0; i < n; i++) {
        g->cands[i] = (struct cand){i, 0, TIME_NEVER, AFFINITY_NONE};
        room_of_empty(&g->room[i], w->c, r0->def, node_at(w->c, i));
    }
    g->m =
        (struct nodealloc_multi){g->a, 2, g->cands, n, g->rows, room ? g->room : NULL};
}

/* "0:n1:1" pieces as request, node, tasks. */
static const char *joint_pick(struct joint *g, struct world *w)
{
    struct allocs got = {0};
    size_t len = 0;

    int rc = nodealloc_choose_multi(&g->m, &got, &w->code);
    assert_true(rc == 0 || got.n == 0);
    w->text[0] = '\0';
    for (size_t i = 0; i < got.n; i++)
        for (uint32_t k = 0; k < got.v[i].count; k++)
            len += (size_t)snprintf(w->text + len, sizeof w->text - len, "%s%u:%s:%u",
                len ? " " : "", got.v[i].req, node_at(w->c, got.v[i].first + k)->name,
                got.v[i].tasks);
    vec_fini(&got);
    return w->text;
}

static struct req req_of(struct world *w, struct req_desc d)
{
    return world_job(w, "john", d)->reqs[0];
}

static void the_hungriest_request_gets_the_next_node(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct joint g;

    (void)state;
    world_nodes(w, 6, 1);
    struct req three = req_of(w, (struct req_desc){.tasks = 3});
    struct req two = req_of(w, (struct req_desc){.tasks = 2});
    joint_open(&g, w, &two, &three, true);
    /* 2/6 < 3/6: n1 to 1; 2/5 = 2/5: n2 to 0; 1/4 < 2/4: 1; 1/3 = 1/3: 0; 1 */
    assert_string_equal(joint_pick(&g, w), "1:n1:1 0:n2:1 1:n3:1 0:n4:1 1:n5:1");
    world_close(w);
}

static void requests_share_a_node_within_its_resources(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct joint g;

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 1000}}});
    struct req fat = req_of(w, (struct req_desc){.tasks = 1, .per_task = {{1, 800}}});
    struct req slim = req_of(w, (struct req_desc){.tasks = 3, .per_task = {{1, 50}}});
    joint_open(&g, w, &fat, &slim, true);
    assert_string_equal(joint_pick(&g, w), "0:n1:1 1:n1:3");
    g.req[1].tasks = 4; /* processors for 5 are wanted */
    assert_string_equal(joint_pick(&g, w), "");
    assert_int_equal(w->code, WAIT_RESOURCES);
    world_close(w);
}

static void without_amounts_requests_share_by_proportion(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct joint g;

    (void)state;
    world_nodes(w, 1, 4);
    struct req two = req_of(w, (struct req_desc){.tasks = 2});
    struct req wide = req_of(w, (struct req_desc){.tasks = 1, .per_task = {{2}}});
    joint_open(&g, w, &two, &wide, false);
    assert_string_equal(joint_pick(&g, w), "0:n1:2 1:n1:1");
    g.req[0].tasks = 3;
    assert_string_equal(joint_pick(&g, w), "");
    world_close(w);
}

static void requests_with_host_lists_choose_in_turn(void **state)
{
    const char *n1[] = {"n1", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct joint g;

    (void)state;
    world_nodes(w, 3, 1);
    struct req any = req_of(w, (struct req_desc){.tasks = 1});
    struct req listed = req_of(w, (struct req_desc){.tasks = 1, .hosts = n1});
    joint_open(&g, w, &any, &listed, true);
    g.tasks[1][1] = g.tasks[1][2] = 0; /* as the planner would say */
    assert_string_equal(joint_pick(&g, w), "1:n1:1 0:n2:1");
    world_close(w);
}

static void without_multinode_jobs_all_requests_share_one_node(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct joint g;

    (void)state;
    w->cfg->enable_multinode_jobs = false;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{2}}});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{4}}});
    struct req two = req_of(w, (struct req_desc){.tasks = 2});
    struct req one = req_of(w, (struct req_desc){.tasks = 1});
    joint_open(&g, w, &two, &one, true);
    assert_string_equal(joint_pick(&g, w), "0:n2:2 1:n2:1");
    world_close(w);
}

static void singletask_requests_close_their_node_to_the_others(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct joint g;

    (void)state;
    world_nodes(w, 2, 4);
    struct req alone =
        req_of(w, (struct req_desc){.tasks = 1, .access = ACCESS_SINGLETASK});
    struct req one = req_of(w, (struct req_desc){.tasks = 1});
    joint_open(&g, w, &alone, &one, true);
    assert_string_equal(joint_pick(&g, w), "0:n1:1 1:n2:1");
    world_close(w);
}

/* ---- small worlds, all ways tried ---- */

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

static bool has_room(const struct joint *g, size_t node, const uint32_t *tasks)
{
    for (int d = 0; d < RES_DIMS; d++) {
        int64_t sum = 0;
        for (uint32_t r = 0; r < 2; r++)
            sum += g->req[r].def->per_task.v[d] * tasks[r];
        if (sum > g->room[node].res.v[d])
            return false;
    }
    return true;
}

/* Can the nodes from `node` on hold so many tasks of the two requests? */
static bool holds(const struct joint *g, size_t node, uint32_t left0, uint32_t left1)
{
    if (left0 == 0 && left1 == 0)
        return true;
    if (node == g->m.n)
        return false;
    for (uint32_t k0 = 0; k0 <= left0; k0++)
        for (uint32_t k1 = 0; k1 <= left1; k1++)
            if (has_room(g, node, (uint32_t[]){k0, k1})
                && holds(g, node + 1, left0 - k0, left1 - k1))
                return true;
    return false;
}

static struct req random_req(struct world *w, uint64_t *state)
{
    struct req_desc d = {.tasks = 1 + below(state, 4)};

    d.per_task.v[RES_PROCS] = 1 + below(state, 3);
    d.per_task.v[RES_MEM] = 10 * (1 + below(state, 10));
    return req_of(w, d);
}

/* Requests that need the same nodes give way to each other whenever that helps. */
static void a_placement_is_found_wherever_there_is_one(void **state)
{
    unsigned placed = 0, tight = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
        static const char *const names[] = {"n1", "n2", "n3"};
        uint64_t s = seed;
        struct joint g;
        for (int i = 0; i < 3; i++)
            world_node(w, (struct node_desc){.name = names[i],
                              .cfg = {{1 + below(&s, 6), 10 * (3 + below(&s, 20))}}});
        struct req r0 = random_req(w, &s), r1 = random_req(w, &s);
        joint_open(&g, w, &r0, &r1, true);
        bool there_is_one = holds(&g, 0, r0.tasks, r1.tasks);
        if ((joint_pick(&g, w)[0] != '\0') != there_is_one)
            fail_msg("seed %u: placed '%s', but there is %s place", (unsigned)seed,
                w->text, there_is_one ? "a" : "no");
        placed += there_is_one;
        tight += !there_is_one;
        world_close(w);
    }
    assert_true(placed > 300 && tight > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hungriest_request_gets_the_next_node),
        cmocka_unit_test(requests_share_a_node_within_its_resources),
        cmocka_unit_test(without_amounts_requests_share_by_proportion),
        cmocka_unit_test(requests_with_host_lists_choose_in_turn),
        cmocka_unit_test(without_multinode_jobs_all_requests_share_one_node),
        cmocka_unit_test(singletask_requests_close_their_node_to_the_others),
        cmocka_unit_test(a_placement_is_found_wherever_there_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
