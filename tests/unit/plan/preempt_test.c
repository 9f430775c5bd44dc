/* SPDX-License-Identifier: Apache-2.0
 * Who goes so that another one can start now: the cheapest for each processor that
 * helps, as few as it takes, all or nothing. Four nodes of two processors, in a pool
 * that is planned by count and in one that is planned node by node. */
#include "plan/preempt.h"
#include "planned_fixture.h"

/* Run priorities by job, 0 unless told. */
struct field {
    struct world *w;
    struct plan *p;
    int64_t worth[64];
    struct VEC(uint32_t) may_go;
    const struct node *spared; /* nobody is preempted for what he has there */
    char text[256];
};

static int64_t worth_of(void *ctx, const struct job *victim)
{
    return ((struct field *)ctx)->worth[victim->index];
}

static bool may_go_there(void *ctx, const struct job *victim, const struct node *n)
{
    (void)victim;
    return ((struct field *)ctx)->spared != n;
}

static struct field field_open(bool by_node)
{
    struct field f = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};

    for (int i = 1; i <= 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(f.w, (struct node_desc){.name = name, .cfg = {{2, 1000}}});
    }
    f.p = world_plan(f.w);
    plan_tasks(f.w, f.p, 1, 10);
    if (by_node)
        plan_job_queued(f.p,
            world_job(f.w, "john", (struct req_desc){.tasks = 1, .per_task = {{2}}}));
    assert_int_equal(plan_counts(f.p, 0), !by_node);
    return f;
}

static void field_close(struct field *f)
{
    plan_check(f->p);
    vec_fini(&f->may_go);
    plan_destroy(f->p);
    world_close(f->w);
}

/* The statement that follows, once by count and once node by node. */
#define BOTH_WAYS(f)                                                                   \
    for (int by_node_ = 0; by_node_ < 2; by_node_++)                                   \
        for (struct field field_ = field_open(by_node_), *f = &field_; f;              \
             field_close(f), (f) = NULL)

/* A job that may be preempted, of that run priority, on a node until 1000 s from now.
 */
static struct job *low(struct field *f, const char *node, uint32_t tasks, int64_t worth)
{
    struct job *j = plan_run_on(f->w, f->p, node, tasks, 1000);

    f->worth[j->index] = worth;
    vec_push(&f->may_go, j->index);
    return j;
}

static const char *name_victims(struct field *f, const struct victims *v)
{
    size_t len = 0;

    f->text[0] = '\0';
    for (size_t i = 0; i < v->n; i++)
        len += (size_t)snprintf(f->text + len, sizeof f->text - len, "%s%s",
            len ? " " : "", f->w->c->jobs.v[v->v[i]]->id);
    return f->text;
}

static struct preempt_ask ask_of(struct field *f, const struct job *j)
{
    return (struct preempt_ask){.j = j,
        .victims = f->may_go.v,
        .nvictims = f->may_go.n,
        .worth = worth_of,
        .on_node = f->spared ? may_go_there : NULL,
        .ctx = f};
}

/* Who goes, in order; where the job then starts is in f->w->text. */
static const char *choose_with(struct field *f, const struct preempt_ask *ask)
{
    struct victims victims = {0};
    struct allocs alloc = {0};
    uint64_t changes = plan_changes(f->p);

    bool found = preempt_choose(f->p, ask, &victims, &alloc);
    assert_int_equal(found, victims.n > 0);
    assert_int_equal(found, alloc.n > 0);
    assert_int_equal(changes, plan_changes(f->p));
    name_victims(f, &victims);
    world_text(f->w, &alloc);
    vec_fini(&victims);
    vec_fini(&alloc);
    return f->text;
}

static const char *choose(struct field *f, uint32_t tasks, int64_t limit_s)
{
    const struct job *j = plan_tasks(f->w, f->p, tasks, limit_s);
    const struct preempt_ask ask = ask_of(f, j);

    return choose_with(f, &ask);
}

/* ---- who goes first ---- */

/* 90 for two processors is less for each than 50 for one. */
static void the_cheapest_for_each_processor_freed_goes_first(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        const struct job *narrow = low(f, "n1", 1, 50), *wide = low(f, "n2", 2, 90);
        low(f, "n1", 1, 60);
        low(f, "n3", 2, 130);
        plan_run_on(f->w, f->p, "n4", 2, 1000);
        assert_string_equal(choose(f, 2, 50), wide->id);
        assert_string_equal(f->w->text, "n2:2");
        char both[64];
        snprintf(both, sizeof both, "%s %s", wide->id, narrow->id);
        assert_string_equal(choose(f, 3, 50), both);
        assert_string_equal(f->w->text, "n1:1 n2:2");
    }
}

static void of_equals_the_one_on_the_first_node_goes(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        low(f, "n3", 2, 10); /* older, on a later node */
        const struct job *first = low(f, "n1", 2, 10);
        low(f, "n2", 2, 10);
        low(f, "n4", 2, 10);
        assert_string_equal(choose(f, 2, 50), first->id);
    }
}

static void no_more_go_than_it_takes(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        const struct job *first = low(f, "n1", 2, 10), *second = low(f, "n2", 2, 20);
        char both[64];
        low(f, "n3", 2, 30);
        snprintf(both, sizeof both, "%s %s", first->id, second->id);
        assert_string_equal(choose(f, 4, 50), first->id); /* n4 is idle */
        assert_string_equal(f->w->text, "n4:2 n1:2");
        assert_string_equal(choose(f, 5, 50), both);
        assert_string_equal(f->w->text, "n4:2 n1:2 n2:1");
    }
}

static void idle_processors_are_used_before_those_freed(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        low(f, "n1", 2, 10);
        for (int i = 2; i <= 3; i++)
            plan_run_on(f->w, f->p, i == 2 ? "n2" : "n3", 2, 1000);
        plan_run_on(f->w, f->p, "n4", 1, 1000);
        choose(f, 2, 50);
        assert_string_equal(f->w->text, "n4:1 n1:1");
    }
}

/* ---- all or nothing ---- */

static void nobody_goes_when_all_would_not_do(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        low(f, "n1", 2, 10);
        low(f, "n2", 1, 10);
        plan_run_on(f->w, f->p, "n3", 2, 1000);
        assert_string_equal(choose(f, 7, 50), "");
        assert_string_not_equal(choose(f, 6, 50), "");
    }
}

static void nobody_is_asked_when_nobody_may_go(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        plan_run_on(f->w, f->p, "n1", 2, 1000);
        assert_string_equal(choose(f, 8, 50), "");
    }
}

static void a_job_of_several_requests_preempts_nobody(void **state)
{
    const struct req_desc reqs[] = {
        {.tasks = 1, .per_task = {{1}}}, {.tasks = 1, .per_task = {{1}}}};

    (void)state;
    BOTH_WAYS(f)
    {
        struct job_desc d = {.id = "two",
            .cred[CRED_USER] = "john",
            .wclimit_s = 50,
            .reqs = reqs,
            .nreqs = 2};
        struct job *two;
        struct err err;
        for (int i = 1; i <= 4; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            low(f, name, 2, 10);
        }
        assert_int_equal(job_add(f->w->c, &d, 1, &two, &err), 0);
        plan_job_queued(f->p, two);
        struct preempt_ask ask = ask_of(f, two);
        assert_string_equal(choose_with(f, &ask), "");
    }
}

/* ---- who counts for what ---- */

static void what_somebody_has_on_a_spared_node_is_not_freed(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        low(f, "n1", 2, 1);
        const struct job *dear = low(f, "n2", 2, 1000);
        plan_run_on(f->w, f->p, "n3", 2, 1000);
        plan_run_on(f->w, f->p, "n4", 2, 1000);
        f->spared = world_find(f->w, "n1");
        assert_string_equal(choose(f, 2, 50), dear->id);
        assert_string_equal(choose(f, 3, 50), "");
    }
}

/* Suspended, victims keep their memory: 600 of 1000 MB. */
static void memory_is_freed_only_by_who_is_stopped(void **state)
{
    struct field f = field_open(true);
    struct req_desc big = {.tasks = 1, .per_task = {{2, 600}}};

    (void)state;
    for (int i = 1; i <= 4; i++) {
        struct job *j = world_job(f.w, "john", big);
        struct alloc one = {.first = (uint32_t)i - 1, .count = 1, .tasks = 1};
        struct err err;
        j->wclimit_s = 1000;
        plan_job_queued(f.p, j);
        vec_push(&j->alloc, one);
        assert_int_equal(job_start(f.w->c, j, NOW, &err), 0);
        plan_job_started(f.p, j);
        vec_push(&f.may_go, j->index);
    }
    struct job *j = world_job(f.w, "john", big);
    j->wclimit_s = 50;
    plan_job_queued(f.p, j);
    struct preempt_ask ask = ask_of(&f, j);
    assert_string_not_equal(choose_with(&f, &ask), "");
    ask.keep_memory = true;
    assert_string_equal(choose_with(&f, &ask), "");
    field_close(&f);
}

static void processors_that_do_not_help_count_for_nothing(void **state)
{
    static const char *const ib[] = {"ib", NULL};

    (void)state;
    struct field f = field_open(false);
    world_node(
        f.w, (struct node_desc){.name = "n5", .cfg = {{2, 1000}}, .features = ib});
    struct req_desc on_ib = {.tasks = 2, .per_task = {{1}}, .features = ib};
    struct job *j = world_job(f.w, "john", on_ib);
    plan_job_queued(f.p, j);
    plan_begin(f.p, NOW, RSV_KEEP);
    for (int i = 1; i <= 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        low(&f, name, 2, 1); /* cheap, and on nodes without the feature */
    }
    const struct job *dear = low(&f, "n5", 2, 1000);
    struct preempt_ask ask = ask_of(&f, j);
    assert_string_equal(choose_with(&f, &ask), dear->id);
    field_close(&f);
}

/* ---- reservations in the way ---- */

static void reservations_of_waiting_jobs_are_left_their_time(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        for (int i = 1; i <= 4; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            low(f, name, 2, i);
        }
        plan_reserve(
            f->p, plan_tasks(f->w, f->p, 8, 100), &(struct slot){NOW + 1000, 0});
        assert_string_not_equal(choose(f, 8, 1000), "");
        assert_string_equal(choose(f, 1, 1001), ""); /* would still be there then */
    }
}

/* Six of eight are reserved from 500 on: two victims' worth is left for who stays. */
static void what_is_left_beside_a_reservation_can_be_had(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        for (int i = 1; i <= 4; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i);
            struct job *j = plan_run_on(f->w, f->p, name, 2, 400);
            f->worth[j->index] = i;
            vec_push(&f->may_go, j->index);
        }
        plan_reserve(f->p, plan_tasks(f->w, f->p, 6, 100), &(struct slot){500, 0});
        assert_string_not_equal(choose(f, 8, 400), "");
        assert_string_not_equal(choose(f, 2, 401), "");
        assert_string_equal(choose(f, 3, 401), "");
    }
}

/* n1 is reserved for nobody from 500 on: its victim helps only who ends by then. */
static void a_node_that_another_reservation_closes_is_no_use(void **state)
{
    (void)state;
    BOTH_WAYS(f)
    {
        world_reserve(f->w, 0, 500, 900);
        plan_begin(f->p, NOW, RSV_KEEP);
        const struct job *near = low(f, "n1", 2, 1), *far = low(f, "n2", 2, 100);
        plan_run_on(f->w, f->p, "n3", 2, 1000);
        plan_run_on(f->w, f->p, "n4", 2, 1000);
        assert_string_equal(choose(f, 2, 400), near->id);
        assert_string_equal(choose(f, 2, 401), far->id);
        assert_string_equal(choose(f, 3, 401), "");
    }
}

static void licences_are_not_freed(void **state)
{
    const struct gres_cfg lic[] = {{(char *)"lic", 2}, {NULL, 0}};
    const struct gres_cfg more[] = {{(char *)"lic", 1}, {NULL, 0}};
    struct field f = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};

    (void)state;
    vec_push(&settings_node(f.w->cfg, "GLOBAL")->gres,
        ((struct gres_cfg){xstrdup("lic"), 2}));
    world_nodes(f.w, 1, 2);
    f.p = world_plan(f.w);
    struct job *has = world_job(
        f.w, "john", (struct req_desc){.tasks = 2, .per_task = {{1}}, .job_gres = lic});
    struct job *wants = world_job(f.w, "john",
        (struct req_desc){.tasks = 1, .per_task = {{1}}, .job_gres = more});
    plan_job_queued(f.p, has);
    plan_job_queued(f.p, wants);
    assert_true(plan_start(f.w, f.p, has));
    vec_push(&f.may_go, has->index);
    struct preempt_ask ask = ask_of(&f, wants);
    assert_string_equal(choose_with(&f, &ask), "");
    assert_string_equal(choose(&f, 1, 10), has->id); /* processors are */
    field_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_for_each_processor_freed_goes_first),
        cmocka_unit_test(of_equals_the_one_on_the_first_node_goes),
        cmocka_unit_test(no_more_go_than_it_takes),
        cmocka_unit_test(idle_processors_are_used_before_those_freed),
        cmocka_unit_test(nobody_goes_when_all_would_not_do),
        cmocka_unit_test(nobody_is_asked_when_nobody_may_go),
        cmocka_unit_test(a_job_of_several_requests_preempts_nobody),
        cmocka_unit_test(what_somebody_has_on_a_spared_node_is_not_freed),
        cmocka_unit_test(memory_is_freed_only_by_who_is_stopped),
        cmocka_unit_test(processors_that_do_not_help_count_for_nothing),
        cmocka_unit_test(reservations_of_waiting_jobs_are_left_their_time),
        cmocka_unit_test(what_is_left_beside_a_reservation_can_be_had),
        cmocka_unit_test(a_node_that_another_reservation_closes_is_no_use),
        cmocka_unit_test(licences_are_not_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
