/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/node, node_build and node_state. */
#include "cluster/folded.h"
#include "cluster/partition.h"
#include "config/nodecfg.h"
#include "config/settings.h"
#include "fixture.h"

static const char *const none[] = {NULL};

static bool has_feature(const struct fixture *f, const struct node *n, const char *name)
{
    uint32_t id = names_find(f->c->features, name);

    for (size_t i = 0; i < n->features.n; i++)
        if (n->features.v[i] == id)
            return true;
    return false;
}

static void put_text(char **where, const char *text)
{
    free(*where);
    *where = xstrdup(text);
}

/* ---- wrong reports ----------------------------------------------------------- */

static void unusable_names_are_refused(void **state)
{
    struct fixture *f = *state;
    char longname[300];

    memset(longname, 'a', sizeof longname);
    longname[sizeof longname - 1] = 0;
    node_refused(f, &(struct node_desc){.name = NULL}, "without a name");
    node_refused(f, &(struct node_desc){.name = ""}, "without a name");
    node_refused(f, &(struct node_desc){.name = "a b"}, "blank");
    node_refused(f, &(struct node_desc){.name = "a\nb"}, "control character");
    node_refused(f, &(struct node_desc){.name = longname}, "longer than 255");
    node_refused(f, &(struct node_desc){.name = "GLOBAL", .cfg = {{1}}}, "reserved");
    node_refused(f, &(struct node_desc){.name = "[ALL]"}, "reserved");
}

static void unusable_contents_are_refused(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg less[] = {{"tape", -1}, {NULL, 0}};
    struct gres_cfg nameless[] = {{"", 1}, {NULL, 0}};
    const char *const empty[] = {"", NULL};
    int64_t huge = INT64_C(1) << 41;

    node_refused(f, &(struct node_desc){.name = "n", .cfg = {{huge}}}, "processors is");
    node_refused(
        f, &(struct node_desc){.name = "n", .cfg = {{1, huge}}}, "memory in MB is");
    node_refused(f, &(struct node_desc){.name = "n", .speed = -1}, "speed is -1");
    node_refused(f, &(struct node_desc){.name = "n", .frame = -2}, "frame is -2");
    node_refused(f, &(struct node_desc){.name = "n", .gres = less}, "tape");
    node_refused(
        f, &(struct node_desc){.name = "n", .gres = nameless}, "without a name");
    node_refused(f, &(struct node_desc){.name = "n", .classes = less}, "class");
    node_refused(f, &(struct node_desc){.name = "n", .features = empty}, "feature");
    node_refused(f, &(struct node_desc){.name = "n", .partition = "[ALL]"}, "[ALL]");
    node_refused(
        f, &(struct node_desc){.name = "n", .measured = true, .load = -1}, "load");
}

/* ---- reports ----------------------------------------------------------------- */

static void a_node_has_what_was_told(void **state)
{
    struct fixture *f = *state;
    const char *const features[] = {"fast", "big", "fast", NULL};
    struct node *n = report(f, &(struct node_desc){.name = "n1",
                                   .cfg = {{4, 2048, 512, 100}},
                                   .partition = "p1",
                                   .features = features,
                                   .os = "linux",
                                   .arch = "x86",
                                   .speed = 1.5,
                                   .procspeed_mhz = 2400,
                                   .frame = 2,
                                   .slot = 3});

    assert_ptr_equal(node_find(f->c, "n1"), n);
    assert_int_equal(n->cfg.v[RES_PROCS], 4);
    assert_int_equal(n->cfg.v[RES_DISK], 100);
    assert_int_equal(n->features.n, 2);
    assert_true(n->features.v[0] < n->features.v[1]);
    assert_string_equal(f->c->partitions.v[n->partition]->name, "p1");
    assert_string_equal(names_text(f->c->oses, n->os), "linux");
    assert_true(n->speed == 1.5);
    assert_int_equal(n->procspeed_mhz, 2400);
    assert_int_equal(n->frame, 2);
    assert_int_equal(n->slots, -1);
    assert_string_equal(names_text(f->c->nodetypes, n->nodetype), "DEFAULT");
}

static void what_is_not_told_has_plain_values(void **state)
{
    struct fixture *f = *state;
    struct node *n =
        report(f, &(struct node_desc){.name = "n1", .cfg = {{-1, -1, -1, -1}}});

    assert_int_equal(n->cfg.v[RES_PROCS], 1);
    assert_int_equal(n->cfg.v[RES_MEM], 0);
    assert_int_equal(n->partition, 0);
    assert_true(n->speed == 1.0);
    assert_int_equal(n->maxjob, -1);
    assert_null(n->priorityf);
    assert_int_equal(n->os, NAME_NONE);
}

static void a_later_report_keeps_what_it_does_not_know(void **state)
{
    struct fixture *f = *state;
    const char *const features[] = {"fast", NULL};
    struct node *n = report(f, &(struct node_desc){.name = "n1",
                                   .cfg = {{4, 2048, 0, 0}},
                                   .features = features,
                                   .partition = "p1",
                                   .os = "linux"});

    report(f, &(struct node_desc){.name = "n1", .cfg = {{8, -1, -1, -1}}});
    assert_int_equal(n->cfg.v[RES_PROCS], 8);
    assert_int_equal(n->cfg.v[RES_MEM], 2048);
    assert_true(has_feature(f, n, "fast"));
    assert_int_equal(n->partition, 1);
    assert_int_not_equal(n->os, NAME_NONE);
    report(f, &(struct node_desc){.name = "n1", .cfg = {{-1}}, .features = none});
    assert_int_equal(n->features.n, 0);
}

static void only_news_raise_the_node_epoch(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg tape[] = {{"tape", 2}, {NULL, 0}};
    struct node_desc d = {.name = "n1", .cfg = {{4, 1024, 0, 0}}, .gres = tape};

    report(f, &d);
    uint64_t epoch = f->c->node_epoch;
    report(f, &d);
    d.state = NODE_BUSY;
    report(f, &d);
    assert_int_equal(f->c->node_epoch, epoch);
    d.state = NODE_DOWN;
    report(f, &d);
    assert_int_equal(f->c->node_epoch, epoch + 1);
    tape[0].count = 3;
    report(f, &d);
    assert_int_equal(f->c->node_epoch, epoch + 2);
}

static void totals_follow_every_change(void **state)
{
    struct fixture *f = *state;
    struct node *n1 = node(f, "n1", 4);
    struct partition *p0 = f->c->partitions.v[0];

    node(f, "n2", 2);
    assert_int_equal(p0->cfg.v[RES_PROCS], 6);
    assert_int_equal(f->c->cfg_total.v[RES_MEM], 2048);
    assert_int_equal(p0->up_nodes, 2);
    node_set_state(f->c, n1, NODE_DOWN, 5);
    cluster_check(f->c);
    assert_int_equal(n1->state_at, 5);
    assert_int_equal(p0->up.v[RES_PROCS], 2);
    assert_int_equal(p0->cfg.v[RES_PROCS], 6);
    report(f, &(struct node_desc){.name = "n1", .cfg = {{4, 1024}}, .partition = "p1"});
    assert_int_equal(p0->node_count, 1);
    assert_int_equal(f->c->partitions.v[1]->up_nodes, 1);
}

/* ---- NODECFG ----------------------------------------------------------------- */

static void what_the_rm_tells_goes_before_nodecfg(void **state)
{
    struct fixture *f = *state;
    struct node_cfg *own = settings_node(f->s, "n1");

    own->speed = 2.0;
    own->procspeed_mhz = 500;
    own->cfg_mem_mb = 64;
    own->cfg_disk_mb = 77;
    put_text(&own->partition, "mine");
    configure(f);
    struct node *n = report(f, &(struct node_desc){.name = "n1",
                                   .cfg = {{4, 1024, 0, -1}},
                                   .speed = 1.5,
                                   .procspeed_mhz = 2400,
                                   .partition = "told"});
    assert_true(n->speed == 1.5);
    assert_int_equal(n->procspeed_mhz, 2400);
    assert_int_equal(n->cfg.v[RES_MEM], 1024);
    assert_int_equal(n->cfg.v[RES_DISK], 77);
    assert_string_equal(f->c->partitions.v[n->partition]->name, "told");
}

static void nodecfg_features_add_to_the_rms(void **state)
{
    struct fixture *f = *state;
    const char *const told[] = {"fast", NULL};

    text_list_add(&settings_node(f->s, "n1")->features, "big");
    configure(f);
    struct node *n = report(f, &(struct node_desc){.name = "n1", .features = told});
    assert_int_equal(n->features.n, 2);
    assert_true(has_feature(f, n, "big") && has_feature(f, n, "fast"));
}

static void own_limits_go_before_those_of_default(void **state)
{
    struct fixture *f = *state;

    settings_node(f->s, "n1")->maxjob = 2;
    settings_node(f->s, "n1")->maxload = 3.5;
    struct node_cfg *all = settings_node(f->s, "DEFAULT");
    all->maxjob = 9;
    all->maxproc_per_user = 4;
    all->maxload = 1.5;
    all->priorityf = (struct nodeprio){.set = true};
    configure(f);
    struct node *n1 = node(f, "n1", 4), *n2 = node(f, "n2", 4);
    assert_int_equal(n1->maxjob, 2);
    assert_int_equal(n1->maxproc_per_user, 4);
    assert_true(n1->maxload == 3.5);
    assert_int_equal(n2->maxjob, 9);
    assert_true(n2->maxload == 1.5);
    assert_int_equal(n2->maxproc, -1);
    assert_ptr_equal(n2->priorityf, &settings_node(f->s, "DEFAULT")->priorityf);
}

/* Equal neighbours take their attributes over from each other; others may not. */
static void a_neighbour_told_the_same_may_still_differ_by_its_section(void **state)
{
    struct fixture *f = *state;
    struct node *n[4];
    char name[] = "n0";

    settings_node(f->s, "DEFAULT")->maxjob = 3;
    settings_node(f->s, "n1")->maxjob = 7;
    settings_node(f->s, "n1")->speed = 2;
    configure(f);
    for (int i = 0; i < 4; i++) {
        name[1] = (char)('0' + i);
        n[i] = report(f, &(struct node_desc){.name = name, .cfg = {{4, 100, 0, 0}}});
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(n[i]->maxjob, i == 1 ? 7 : 3);
        assert_true(n[i]->speed > (i == 1 ? 1.9 : 0.9));
        assert_true(n[i]->speed < (i == 1 ? 2.1 : 1.1));
        assert_int_equal(n[i]->cfg.v[RES_MEM], 100);
    }
    n[2] = report(f, &(struct node_desc){.name = "n2", .cfg = {{8, 100, 0, 0}}});
    assert_int_equal(n[1]->cfg.v[RES_PROCS], 4);
    assert_int_equal(n[3]->cfg.v[RES_PROCS], 4);
    assert_int_equal(f->c->cfg_total.v[RES_PROCS], 20);
    assert_int_equal(f->c->partitions.v[0]->up.v[RES_MEM], 400);
}

static void many_nodes_have_records_of_their_own(void **state)
{
    struct fixture *f = *state;
    char name[16];

    for (int i = 0; i < 20000; i++) { /* report() would look at all of them each time */
        struct node_desc d = {.name = name, .cfg = {{1 + i % 2, 0, 0, 0}}};
        struct node *n = NULL;
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(node_report(f->c, &d, 0, &n, &f->err), 0);
    }
    cluster_check(f->c);
    assert_int_equal(f->c->cfg_total.v[RES_PROCS], 30000);
    for (uint32_t i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "n%u", i);
        assert_ptr_equal(node_find(f->c, name), node_at(f->c, i));
        assert_int_equal(node_at(f->c, i)->index, i);
        assert_int_equal(node_at(f->c, i)->cfg.v[RES_PROCS], 1 + i % 2);
    }
}

static void a_row_of_nodes_is_what_reports_of_each_would_make(void **state)
{
    struct fixture *f = *state;
    struct node_desc d = {
        .name = "n8", .cfg = {{4, 100, 0, 0}}, .state = NODE_DRAINING};
    struct node *first = report(f, &d);

    assert_true(node_repeat(f->c, first, 1000));
    cluster_check(f->c);
    assert_int_equal(f->c->nodes.n, 1001);
    assert_int_equal(f->c->cfg_total.v[RES_PROCS], 4004);
    assert_int_equal(f->c->partitions.v[0]->node_count, 1001);
    assert_int_equal(f->c->partitions.v[0]->up.v[RES_MEM], 100100);
    struct node *n = node_find(f->c, "n1008");
    assert_int_equal(n->index, 1000);
    assert_string_equal(n->name, "n1008");
    assert_int_equal(n->state, NODE_DRAINING);
    assert_int_equal(n->cfg.v[RES_PROCS], 4);
    assert_int_equal(node_kind_end(f->c, 3), 1001);
    d.name = "n500";
    d.cfg.v[RES_PROCS] = 8;
    assert_ptr_equal(report(f, &d), node_find(f->c, "n500"));
    assert_int_equal(f->c->cfg_total.v[RES_PROCS], 4008);
    assert_int_equal(node_find(f->c, "n501")->cfg.v[RES_PROCS], 4);
    assert_int_equal(node_kind_end(f->c, 3), 492);
    assert_int_equal(node_kind_end(f->c, 492), 493);
}

static void what_may_differ_is_not_repeated(void **state)
{
    struct fixture *f = *state;
    static const char *const features[] = {"big", NULL};
    struct node *n = report(f, &(struct node_desc){.name = "n1", .features = features});

    assert_false(node_repeat(f->c, n, 3)); /* lists */
    n = report(f, &(struct node_desc){.name = "n2", .cfg = {{1}}});
    assert_false(node_repeat(f->c, n, 3)); /* n3 may be there */
    assert_int_equal(f->c->nodes.n, 2);
}

/* The copies would share the memory of its lists, which two of them then free. */
static void what_once_had_a_job_is_not_repeated(void **state)
{
    struct fixture *f = *state;
    struct node *n = node(f, "n1", 4);
    struct job *running = job(f, "a", 1);

    give(running, 0, 1, 1);
    start(f, running, 0);
    assert_false(node_repeat(f->c, n, 3));
    stop(f, running, EV_COMPLETE, 10);
    assert_int_equal(n->jobs.n, 0);
    assert_false(node_repeat(f->c, n, 3));
}

static void nodes_with_sections_or_without_numbers_are_not_repeated(void **state)
{
    struct fixture *f = *state;
    struct node *n = report(f, &(struct node_desc){.name = "node", .cfg = {{1}}});

    assert_false(node_repeat(f->c, n, 3));
    teardown(state);
    setup(state);
    f = *state;
    settings_node(f->s, "n3")->maxjob = 7;
    configure(f);
    n = report(f, &(struct node_desc){.name = "n1", .cfg = {{1}}});
    assert_false(node_repeat(f->c, n, 3));
}

static void settings_apply_to_nodes_reported_before(void **state)
{
    struct fixture *f = *state;
    struct node *n = node(f, "n1", 4);
    uint64_t epoch = f->c->node_epoch;

    put_text(&settings_node(f->s, "n1")->partition, "mine");
    settings_node(f->s, "n1")->priority = 7;
    settings_node(f->s, "n1")->priority_set = true;
    configure(f);
    assert_string_equal(f->c->partitions.v[n->partition]->name, "mine");
    assert_int_equal(n->priority, 7);
    assert_true(f->c->node_epoch > epoch);
}

static void feature_headers_translate_between_rm_and_nodecfg(void **state)
{
    struct fixture *f = *state;
    const char *const told[] = {"sp450", "sport", "typebig", "parP2", NULL};

    put_text(&f->s->feature_procspeed_header, "sp$");
    put_text(&f->s->feature_nodetype_header, "type");
    put_text(&f->s->feature_partition_header, "par");
    settings_node(f->s, "n1")->procspeed_mhz = 100;
    put_text(&settings_node(f->s, "n1")->nodetype, "small");
    put_text(&settings_node(f->s, "n1")->partition, "P1");
    configure(f);
    struct node *n = report(f, &(struct node_desc){.name = "n1", .features = told});
    assert_int_equal(n->procspeed_mhz, 450);
    assert_string_equal(names_text(f->c->nodetypes, n->nodetype), "big");
    assert_string_equal(f->c->partitions.v[n->partition]->name, "P2");
    n = report(f, &(struct node_desc){.name = "n1", .procspeed_mhz = 800});
    assert_int_equal(n->procspeed_mhz, 800);
}

static void a_numeric_header_takes_only_numbers(void **state)
{
    struct fixture *f = *state;
    const char *const told[] = {"sport", "sp", "sp4x", NULL};

    put_text(&f->s->feature_procspeed_header, "sp$");
    configure(f);
    assert_int_equal(
        report(f, &(struct node_desc){.name = "n1", .features = told})->procspeed_mhz,
        0);
}

static void overcommit_factors_multiply_what_is_configured(void **state)
{
    struct fixture *f = *state;
    struct node *n =
        report(f, &(struct node_desc){.name = "n1", .cfg = {{4, 100, 10, 8}}});

    f->s->node_cpu_overcommit = 1.5;
    f->s->node_mem_overcommit = 2;
    configure(f);
    assert_int_equal(n->cfg.v[RES_PROCS], 6);
    assert_int_equal(n->cfg.v[RES_MEM], 200);
    assert_int_equal(n->cfg.v[RES_SWAP], 20);
    assert_int_equal(n->cfg.v[RES_DISK], 8);
}

static void classes_come_from_the_rm_or_the_default_list(void **state)
{
    struct fixture *f = *state;
    struct gres_cfg told[] = {{"batch", 2}, {"long", 0}, {NULL, 0}};

    vec_push(&f->s->default_classes, ((struct gres_cfg){xstrdup("other"), 3}));
    configure(f);
    struct node *n1 =
        report(f, &(struct node_desc){.name = "n1", .cfg = {{4}}, .classes = told});
    struct node *n2 = node(f, "n2", 4);
    uint32_t batch = cred_find(f->c, CRED_CLASS, "batch")->index;
    uint32_t lng = cred_find(f->c, CRED_CLASS, "long")->index;
    uint32_t other = cred_find(f->c, CRED_CLASS, "other")->index;
    assert_int_equal(node_class_free(f->c, n1, batch), 2);
    assert_int_equal(node_class_free(f->c, n1, lng), 4);
    assert_int_equal(node_class_free(f->c, n1, other), 0);
    assert_int_equal(node_class_free(f->c, n2, other), 3);
    assert_int_equal(node_class_free(f->c, n2, batch), 0);
    assert_int_equal(node_class_free(f->c, n2, INDEX_NONE), INT32_MAX);
}

static void without_a_list_a_node_serves_every_class(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(node_class_free(f->c, node(f, "n1", 4), 1), INT32_MAX);
}

/* ---- states ------------------------------------------------------------------ */

static void state_names_parse_back(void **state)
{
    enum node_state s;
    (void)state;

    for (int i = 0; i <= NODE_NONE; i++) {
        assert_int_equal(node_state_parse(node_state_name(i), &s), 0);
        assert_int_equal(s, i);
    }
    assert_int_equal(node_state_parse("drain", &s), 0);
    assert_int_equal(s, NODE_DRAINING);
    assert_int_equal(node_state_parse("ACTIVE", &s), 0);
    assert_int_equal(s, NODE_RUNNING);
    s = NODE_FLUSH;
    assert_int_equal(node_state_parse("idel", &s), -1);
    assert_int_equal(node_state_parse("", &s), -1);
    assert_int_equal(s, NODE_FLUSH);
}

static void four_states_are_up(void **state)
{
    struct fixture *f = *state;
    struct node *n = node(f, "n1", 1);
    unsigned up = 0;

    for (int i = 0; i <= NODE_NONE; i++) {
        node_set_state(f->c, n, i, 0);
        up |= (unsigned)node_is_up(n) << i;
        cluster_check(f->c);
    }
    assert_int_equal(
        up, 1 << NODE_IDLE | 1 << NODE_RUNNING | 1 << NODE_BUSY | 1 << NODE_DRAINING);
}

static void a_set_state_is_expected_as_it_is(void **state)
{
    struct fixture *f = *state;
    struct node *n = node(f, "n1", 4);

    node_set_state(f->c, n, NODE_DRAINING, 0);
    assert_int_equal(n->expected, NODE_DRAINING);
    node_set_state(f->c, n, NODE_BUSY, 0);
    assert_int_equal(n->expected, NODE_IDLE);
}

static void measured_load_makes_a_node_busy_unless_only_dedication_counts(void **state)
{
    struct fixture *f = *state;
    struct node *n = node(f, "n1", 4);
    struct node_desc d = {
        .name = "n1", .cfg = {{-1, -1, -1, -1}}, .measured = true, .load = 4.0};

    report(f, &d);
    assert_int_equal(n->expected, NODE_BUSY);
    f->s->par.v[0].avail[AVAIL_PROCS] = AVAIL_DEDICATED;
    configure(f);
    assert_int_equal(n->expected, NODE_IDLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(unusable_names_are_refused),
        T(unusable_contents_are_refused),
        T(a_node_has_what_was_told),
        T(what_is_not_told_has_plain_values),
        T(a_later_report_keeps_what_it_does_not_know),
        T(only_news_raise_the_node_epoch),
        T(totals_follow_every_change),
        T(what_the_rm_tells_goes_before_nodecfg),
        T(nodecfg_features_add_to_the_rms),
        T(own_limits_go_before_those_of_default),
        T(a_neighbour_told_the_same_may_still_differ_by_its_section),
        T(many_nodes_have_records_of_their_own),
        T(a_row_of_nodes_is_what_reports_of_each_would_make),
        T(what_may_differ_is_not_repeated),
        T(what_once_had_a_job_is_not_repeated),
        T(nodes_with_sections_or_without_numbers_are_not_repeated),
        T(settings_apply_to_nodes_reported_before),
        T(feature_headers_translate_between_rm_and_nodecfg),
        T(a_numeric_header_takes_only_numbers),
        T(overcommit_factors_multiply_what_is_configured),
        T(classes_come_from_the_rm_or_the_default_list),
        T(without_a_list_a_node_serves_every_class),
        T(state_names_parse_back),
        T(four_states_are_up),
        T(a_set_state_is_expected_as_it_is),
        T(measured_load_makes_a_node_busy_unless_only_dedication_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
