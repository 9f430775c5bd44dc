/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/taskdef and cluster/req. */
#include "config/settings.h"
#include "fixture.h"

static void equal_requests_share_one_definition(void **state)
{
    struct fixture *f = *state;
    const char *const ab[] = {"a", "b", NULL}, *const ba[] = {"b", "a", "b", NULL};
    struct req_desc one = {.tasks = 1, .features = ab},
                    other = {.tasks = 9, .features = ba};
    struct job *x = job_of(f, "x", 0, &one), *y = job_of(f, "y", 0, &other);

    assert_ptr_equal(x->req.def, y->req.def);
    assert_ptr_equal(x->req.asked, y->req.asked);
    assert_int_equal(x->req.def->features.n, 2);
    assert_ptr_equal(f->c->taskdefs.v[x->req.def->index], x->req.def);
}

/* Changes one thing in a request. */
typedef void (*change)(struct req_desc *);

static const char *const some[] = {"a", NULL};
static const char *const some_hosts[] = {"n1", NULL};
static const struct gres_cfg some_gres[] = {{(char *)"tape", 1}, {NULL, 0}};
static const struct gres_cfg more_gres[] = {{(char *)"tape", 2}, {NULL, 0}};
static const struct nodeset_spec one_of = {.policy = NODESET_ONEOF};

#define CHANGE(name, what)                                                             \
    static void name(struct req_desc *r)                                               \
    {                                                                                  \
        r->what;                                                                       \
    }
CHANGE(procs, per_task.v[RES_PROCS] = 2)
CHANGE(whole, per_task.v[RES_PROCS] = -1)
CHANGE(mem, per_task.v[RES_MEM] = 1)
CHANGE(swap, per_task.v[RES_SWAP] = 1)
CHANGE(disk, per_task.v[RES_DISK] = 1)
CHANGE(tpn, tpn = 1)
CHANGE(features, features = some)
CHANGE(prefs, prefs = some)
CHANGE(hosts, hosts = some_hosts)
CHANGE(exclude, exclude = some_hosts)
CHANGE(gres, gres = some_gres)
CHANGE(gres2, gres = more_gres)
CHANGE(os, os = "linux")
CHANGE(arch, arch = "linux")
CHANGE(network, network = "linux")
CHANGE(cmp_procs, procs = ((struct cmp){CMP_GE, 2}))
CHANGE(cmp_procs2, procs = ((struct cmp){CMP_EQ, 2}))
CHANGE(cmp_mem, mem = ((struct cmp){CMP_GE, 2}))
CHANGE(cmp_swap, swap = ((struct cmp){CMP_GE, 2}))
CHANGE(cmp_disk, disk = ((struct cmp){CMP_GE, 2}))
CHANGE(access_user, access = ACCESS_SINGLEUSER)
CHANGE(access_job, access = ACCESS_SINGLEJOB)
CHANGE(alloc, nodealloc = NODEALLOC_FASTEST)
CHANGE(set, nodeset = &one_of)

static void any_difference_makes_another_definition(void **state)
{
    static const change changes[] = {procs, whole, mem, swap, disk, tpn, features,
        prefs, hosts, exclude, gres, gres2, os, arch, network, cmp_procs, cmp_procs2,
        cmp_mem, cmp_swap, cmp_disk, access_user, access_job, alloc, set};
    struct fixture *f = *state;
    size_t n = sizeof changes / sizeof *changes;

    node(f, "n1", 1);
    job(f, "plain", 1);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < n; i++) {
            char id[32];
            struct req_desc r = {.nodealloc = NODEALLOC_UNSET};
            snprintf(id, sizeof id, "j%zu.%zu", round, i);
            changes[i](&r);
            job_of(f, id, 0, &r);
        }
    }
    for (uint32_t i = 0; i < f->c->jobs.n; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_int_equal(f->c->jobs.v[i]->req.asked == f->c->jobs.v[k]->req.asked,
                i - k == n && k > 0);
}

static void the_class_is_part_of_the_definition(void **state)
{
    struct fixture *f = *state;
    struct req_desc r = {.tasks = 1};
    struct job *x = add(f, &(struct job_desc){.id = "x", .reqs = &r, .nreqs = 1});
    struct job *y = add(
        f, &(struct job_desc){
               .id = "y", .reqs = &r, .nreqs = 1, .cred = {[CRED_CLASS] = "batch"}});

    assert_int_equal(x->req.def->cls, INDEX_NONE);
    assert_int_equal(y->req.def->cls, y->cred[CRED_CLASS]);
}

static void access_is_resolved_in_force_but_kept_as_asked(void **state)
{
    struct fixture *f = *state;
    struct job *plain = job(f, "a", 1);

    assert_int_equal(plain->req.asked->access, ACCESS_UNSET);
    assert_int_equal(plain->req.def->access, ACCESS_SHARED);
    f->s->node_access = ACCESS_SINGLEUSER;
    struct job *now = job(f, "b", 1);
    assert_ptr_equal(now->req.asked, plain->req.asked);
    assert_int_equal(now->req.def->access, ACCESS_SINGLEUSER);
}

static void a_copy_can_be_changed_and_interned(void **state)
{
    struct fixture *f = *state;
    struct nodeset_spec set = {.policy = NODESET_ONEOF, .attr = NODESET_FEATURE};
    struct req_desc r = {.features = some, .gres = some_gres, .nodeset = &set};

    text_list_add(&set.list, "v1");
    struct job *j = job_of(f, "x", 0, &r);
    struct taskdef draft = taskdef_copy(j->req.def);
    assert_ptr_equal(taskdef_intern(f->c, &draft), j->req.def);
    vec_push(&draft.features, names_intern(f->c->features, "z"));
    vec_push(&draft.features, 0);
    const struct taskdef *other = taskdef_intern(f->c, &draft);
    taskdef_fini(&draft);
    assert_ptr_not_equal(other, j->req.def);
    assert_int_equal(other->features.n, 2);
    assert_int_equal(j->req.def->features.n, 1);
    assert_string_equal(other->nodeset->list.v[0], "v1");
    assert_true(other->nodeset != &set && other->nodeset != j->req.def->nodeset);
    text_list_fini(&set.list);
}

static void a_host_list_keeps_its_order_without_repetitions(void **state)
{
    struct fixture *f = *state;
    const char *const hosts[] = {"n3", "n1", "n3", NULL};

    nodes(f, 3, 1);
    struct job *j = job_of(f, "x", 0, &(struct req_desc){.hosts = hosts});
    assert_int_equal(j->req.def->hosts.n, 2);
    assert_int_equal(j->req.def->hosts.v[0], 2);
    assert_int_equal(j->req.def->hosts.v[1], 0);
    assert_true(j->flags & JOB_HOSTLIST);
}

static void generic_resources_named_twice_add_up(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg g[] = {{"tape", 2}, {"lic", 0}, {"tape", 1}, {NULL, 0}};
    const struct taskdef *d = job_of(f, "x", 0, &(struct req_desc){.gres = g})->req.def;

    assert_int_equal(d->gres.n, 2);
    assert_int_equal(d->gres.v[0].count, 3);
    assert_int_equal(d->gres.v[1].count, 1);
}

static void matching_policies_are_part_of_the_definition(void **state)
{
    struct fixture *f = *state;

    f->s->match_exactnode = f->s->match_exactproc = true;
    const struct taskdef *d = job(f, "x", 1)->req.def;
    assert_true(d->exactnode && d->exactproc);
}

static void single_job_and_single_task_take_whole_nodes(void **state)
{
    (void)state;
    assert_false(taskdef_whole_node(&(struct taskdef){.access = ACCESS_SHARED}));
    assert_false(taskdef_whole_node(&(struct taskdef){.access = ACCESS_SINGLEUSER}));
    assert_true(taskdef_whole_node(&(struct taskdef){.access = ACCESS_SINGLEJOB}));
    assert_true(taskdef_whole_node(&(struct taskdef){.access = ACCESS_SINGLETASK}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(equal_requests_share_one_definition),
        T(any_difference_makes_another_definition),
        T(the_class_is_part_of_the_definition),
        T(access_is_resolved_in_force_but_kept_as_asked),
        T(a_copy_can_be_changed_and_interned),
        T(a_host_list_keeps_its_order_without_repetitions),
        T(generic_resources_named_twice_add_up),
        T(matching_policies_are_part_of_the_definition),
        T(single_job_and_single_task_take_whole_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
