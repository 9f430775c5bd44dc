/* SPDX-License-Identifier: Apache-2.0
 * What jobs of PBS ask for, and where they run, from its texts and back. */
#include "cmocka_all.h"
#include "config/texts.h"
#include "rm/pbs/shape.h"

struct asked {
    struct pbs_shape shape;
    struct arena arena;
    const struct req_desc *reqs;
    uint32_t n, flags;
};

static void ask(struct asked *a, const char *select, const char *place)
{
    struct err err = {0};

    *a = (struct asked){0};
    assert_int_equal(pbs_select(&a->shape, &a->arena, select, &err), 0);
    assert_int_equal(pbs_place(&a->shape, &a->arena, place, &err), 0);
    a->reqs = pbs_requests(&a->shape, &a->arena, &a->n, &a->flags);
}

static void ask_nodes(struct asked *a, const char *nodes)
{
    struct err err = {0};

    *a = (struct asked){0};
    assert_int_equal(pbs_nodes(&a->shape, &a->arena, nodes, &err), 0);
    a->reqs = pbs_requests(&a->shape, &a->arena, &a->n, &a->flags);
}

static void forget(struct asked *a)
{
    pbs_shape_fini(&a->shape);
    arena_free(&a->arena);
}

static void check_spec(
    struct asked *a, const struct job_place *places, size_t n, const char *expected)
{
    char *spec = pbs_start_spec(&a->shape, places, n);

    assert_string_equal(spec, expected);
    free(spec);
}

static void sizes_are_megabytes_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(pbs_size_mb("512mb"), 512);
    assert_int_equal(pbs_size_mb("2gb"), 2048);
    assert_int_equal(pbs_size_mb("2097152kb"), 2048);
    assert_int_equal(pbs_size_mb("24684100kb"), 24106);
    assert_int_equal(pbs_size_mb("1"), 1);
    assert_int_equal(pbs_size_mb("0b"), 0);
    assert_int_equal(pbs_size_mb("1kw"), 1);
    assert_int_equal(pbs_size_mb("1tb"), 1048576);
    assert_int_equal(pbs_size_mb("99999999999999pb"), INT64_C(1) << 50);
    assert_int_equal(pbs_size_mb("gb"), -1);
    assert_int_equal(pbs_size_mb("1x"), -1);
    assert_int_equal(pbs_size_mb("99999999999999999999"), -1);
}

static void durations_may_have_more_than_a_day_of_hours(void **state)
{
    (void)state;
    assert_int_equal(pbs_seconds("72:00:00"), 259200);
    assert_int_equal(pbs_seconds("00:20:00"), 1200);
    assert_int_equal(pbs_seconds("90"), 90);
    assert_int_equal(pbs_seconds("x"), -1);
    assert_int_equal(pbs_seconds("1:"), -1);
}

static void a_chunk_is_a_task(void **state)
{
    static const struct job_place places[] = {
        {"cn01[1]", 1, 0}, {"cn03", 1, 1}, {"cn04", 1, 1}};
    struct asked a;

    (void)state;
    ask(&a, "1:ncpus=4:mem=4gb+2:ncpus=2:feature=fast", "free");
    assert_int_equal(a.n, 2);
    assert_int_equal(a.reqs[0].tasks, 1);
    assert_int_equal(a.reqs[0].per_task.v[RES_PROCS], 4);
    assert_int_equal(a.reqs[0].per_task.v[RES_MEM], 4096);
    assert_int_equal(a.reqs[1].tasks, 2);
    assert_int_equal(a.reqs[1].nodes, 0);
    assert_string_equal(a.reqs[1].features[0], "feature.fast");
    assert_null(a.reqs[1].features[1]);
    assert_int_equal(a.flags & JOB_APART, 0);
    check_spec(
        &a, places, 3, "(cn01[1]:ncpus=4:mem=4gb)+(cn03:ncpus=2)+(cn04:ncpus=2)");
    forget(&a);
}

static void scattered_chunks_have_a_node_each(void **state)
{
    struct asked a;

    (void)state;
    ask(&a, "4:ncpus=2:mpiprocs=2:mem=2gb+1:ncpus=1", "scatter");
    assert_int_equal(a.reqs[0].tasks, 4);
    assert_int_equal(a.reqs[0].nodes, 4);
    assert_int_equal(a.reqs[0].tpn, 1);
    assert_true(a.reqs[0].exact);
    assert_true(a.flags & JOB_APART);
    forget(&a);
}

static void packed_chunks_are_one_task_and_start_as_chunks(void **state)
{
    static const struct job_place place = {"cn03", 1, 0};
    struct asked a;

    (void)state;
    ask(&a, "2:ncpus=2:mem=1gb:gpuboard=1+1:ncpus=1:bigmem=True", "pack:exclhost");
    assert_int_equal(a.n, 1);
    assert_int_equal(a.reqs[0].tasks, 1);
    assert_int_equal(a.reqs[0].per_task.v[RES_PROCS], 5);
    assert_int_equal(a.reqs[0].per_task.v[RES_MEM], 2048);
    assert_string_equal(a.reqs[0].gres[0].name, "gpuboard");
    assert_int_equal(a.reqs[0].gres[0].count, 2);
    assert_string_equal(a.reqs[0].features[0], "bigmem");
    assert_int_equal(a.reqs[0].access, ACCESS_SINGLEJOB);
    assert_true(a.shape.whole_host);
    check_spec(&a, &place, 1,
        "(cn03:ncpus=2:mem=1gb:gpuboard=1)+(cn03:ncpus=2:mem=1gb:gpuboard=1)+"
        "(cn03:ncpus=1)");
    forget(&a);
    /* what nothing has is not less than nothing */
    ask(&a, "3:ncpus=1:mem=999999999pb:gpuboard=9000000000000000000+1:mem=999999999pb",
        "pack");
    assert_true(a.reqs[0].per_task.v[RES_MEM] == INT64_C(1) << 50);
    assert_true(a.reqs[0].gres[0].count == INT64_C(1) << 50);
    forget(&a);
}

static void what_cannot_be_planned_is_said(void **state)
{
    struct asked a;

    (void)state;
    ask(&a, "2:ncpus=1", "scatter:group=feature");
    assert_string_equal(
        a.shape.odd, "place=group=feature: groups of nodes are not planned");
    forget(&a);
    ask(&a, "1:ncpus=1:slow=False", "free");
    assert_string_equal(a.shape.odd, "nodes without slow are asked for");
    forget(&a);
}

static void wrong_texts_are_told(void **state)
{
    static const char *const wrong[] = {"", "+", "1", "x", "1:ncpus",
        "1:ncpus=", "0:ncpus=1", "1:ncpus=x", "1:mem=x", "99999999:ncpus=1",
        "1:2:ncpus=1", "1:ncpus=1+"};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct asked a = {0};

        err = (struct err){0};
        if (strcmp(wrong[i], "1") == 0) { /* a chunk of nothing said */
            assert_int_equal(pbs_select(&a.shape, &a.arena, wrong[i], &err), 0);
        } else {
            assert_int_equal(pbs_select(&a.shape, &a.arena, wrong[i], &err), -1);
            assert_true(strncmp(err.text, "select: ", 8) == 0);
        }
        forget(&a);
    }
    struct asked a = {0};
    assert_int_equal(pbs_place(&a.shape, &a.arena, "near", &err), -1);
    assert_int_equal(pbs_nodes(&a.shape, &a.arena, "2:ppn=0", &err), -1);
    assert_int_equal(pbs_nodes(&a.shape, &a.arena, "2++3", &err), -1);
    forget(&a);
}

static void nodes_of_torque_are_slots(void **state)
{
    static const struct job_place places[] = {{"cn01", 4, 0}, {"cn05", 2, 1}};
    struct asked a;

    (void)state;
    ask_nodes(&a, "1:ppn=4:ib+2:ppn=2+cn08");
    assert_int_equal(a.n, 3);
    assert_int_equal(a.reqs[0].tasks, 4);
    assert_int_equal(a.reqs[0].nodes, 1);
    assert_int_equal(a.reqs[0].tpn, 4);
    assert_int_equal(a.reqs[0].per_task.v[RES_PROCS], 1);
    assert_string_equal(a.reqs[0].features[0], "ib");
    assert_int_equal(a.reqs[1].tasks, 4);
    assert_string_equal(a.reqs[2].hosts[0], "cn08");
    check_spec(&a, places, 2, "cn01:ppn=4+cn05:ppn=2");
    forget(&a);
    ask_nodes(&a, "2:ppn=2#excl");
    assert_int_equal(a.reqs[0].access, ACCESS_SINGLEJOB);
    forget(&a);
    ask_nodes(&a, "1:ppn=2:gpus=1");
    assert_non_null(a.shape.odd);
    forget(&a);
}

static void vnodes_that_run_a_job_are_its_chunks(void **state)
{
    struct pbs_places p;
    struct asked a;

    (void)state;
    ask(&a, "1:ncpus=4:mem=4gb+2:ncpus=2", "free");
    assert_true(pbs_exec_vnode(&a.shape, &a.arena,
        "cn01[1]:ncpus=4:mem=4gb+(cn03:ncpus=2)+(cn03:ncpus=2)", &p));
    assert_null(p.reqs);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.v[0].node, "cn01[1]");
    assert_int_equal(p.v[1].tasks, 2);
    assert_int_equal(p.v[1].req, 1);
    /* a chunk on two vnodes of a host is no task of ours */
    assert_true(pbs_exec_vnode(&a.shape, &a.arena,
        "(cn01[0]:ncpus=3:mem=1gb+cn01[1]:ncpus=1:mem=3gb)+(cn03:ncpus=2)+(cn03:ncpus="
        "2)",
        &p));
    assert_int_equal(p.nreqs, 3);
    assert_int_equal(p.reqs[1].per_task.v[RES_MEM], 3072);
    assert_int_equal(p.reqs[2].per_task.v[RES_PROCS], 4);
    assert_false(pbs_exec_vnode(&a.shape, &a.arena, "", &p));
    forget(&a);
}

/* The daemon reads no job of more than 64 requests: it would not know that it runs. */
static void jobs_on_many_vnodes_can_be_told(void **state)
{
    struct strbuf select = {0}, vnodes = {0};
    struct pbs_places p;
    struct asked a;

    (void)state;
    for (int i = 0; i < 100; i++) {
        strbuf_printf(&select, "%s1:ncpus=%d", i ? "+" : "", i + 1);
        strbuf_printf(
            &vnodes, "%s(n%d[0]:ncpus=4+n%d[1]:ncpus=%d)", i ? "+" : "", i, i, i + 1);
    }
    ask(&a, "100:ncpus=8", "free");
    assert_false(pbs_is_too_much(&a.shape));
    assert_true(pbs_exec_vnode(&a.shape, &a.arena, vnodes.text, &p));
    assert_int_equal(p.n, 200);
    assert_int_equal(p.nreqs, 64);
    for (size_t i = 0; i < p.n; i++) {
        assert_in_range(p.v[i].req, 0, 63);
        assert_true(p.reqs[p.v[i].req].per_task.v[RES_PROCS]
                    >= (i % 2 ? (int64_t)i / 2 + 1 : 4));
    }
    assert_int_equal(p.reqs[0].tasks, 101); /* of 4: on each [0], and once more */
    forget(&a);
    ask(&a, select.text, "free");
    assert_true(pbs_is_too_much(&a.shape));
    assert_int_equal(a.n, 1);
    assert_true(pbs_exec_vnode(&a.shape, &a.arena, vnodes.text, &p));
    assert_in_range(p.nreqs, 1, 64);
    forget(&a);
    ask(&a, select.text, "pack");
    assert_false(pbs_is_too_much(&a.shape));
    forget(&a);
    free(select.text);
    free(vnodes.text);
}

static void slots_that_run_a_job_are_counted(void **state)
{
    struct arena arena = {0};
    struct pbs_places p;

    (void)state;
    assert_true(pbs_exec_host(&arena, "cn01/0-1+cn05/0,3-7", 800, &p));
    assert_int_equal(p.n, 2);
    assert_int_equal(p.v[1].tasks, 6);
    assert_int_equal(p.reqs[0].tasks, 8);
    assert_int_equal(p.reqs[0].per_task.v[RES_MEM], 100);
    assert_true(pbs_exec_host(&arena, "cn01/1+cn01/0", 0, &p));
    assert_int_equal(p.n, 1);
    assert_int_equal(p.v[0].tasks, 2);
    assert_false(pbs_exec_host(&arena, "cn01/5-1", 0, &p));
    assert_false(pbs_exec_host(&arena, "cn01/0-99999999", 0, &p));
    assert_false(pbs_exec_host(&arena, "", 0, &p));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_megabytes_rounded_up),
        cmocka_unit_test(durations_may_have_more_than_a_day_of_hours),
        cmocka_unit_test(a_chunk_is_a_task),
        cmocka_unit_test(scattered_chunks_have_a_node_each),
        cmocka_unit_test(packed_chunks_are_one_task_and_start_as_chunks),
        cmocka_unit_test(what_cannot_be_planned_is_said),
        cmocka_unit_test(wrong_texts_are_told),
        cmocka_unit_test(nodes_of_torque_are_slots),
        cmocka_unit_test(vnodes_that_run_a_job_are_its_chunks),
        cmocka_unit_test(jobs_on_many_vnodes_can_be_told),
        cmocka_unit_test(slots_that_run_a_job_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
