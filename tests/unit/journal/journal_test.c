/* SPDX-License-Identifier: Apache-2.0
 * Events to the journal and back. */
#include "base/xalloc.h"
#include "journal/event.h"
#include "journal/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct scene {
    struct config *config;
    struct engine *engine;
    struct cluster *c;
};

static const char lines[] = "# a comment\nFSDEPTH 3\nUSERCFG[ann] MAXJOB=4";

static struct scene open_scene(void)
{
    struct scene s = {.config = config_load_text("maui.cfg", lines, sizeof lines - 1)};
    struct node_desc n = {.name = "n1", .cfg = {{4, 100}}};
    struct err err;

    s.engine = engine_create(s.config->settings, &(struct engine_options){0});
    s.c = engine_cluster(s.engine);
    assert_int_equal(node_report(s.c, &n, 0, NULL, &err), 0);
    n.name = "n2";
    assert_int_equal(node_report(s.c, &n, 0, NULL, &err), 0);
    return s;
}

static void close_scene(struct scene *s)
{
    engine_destroy(s->engine);
    config_destroy(s->config);
}

static char *text_of(const struct scene *s, const struct event *ev)
{
    json_t *o = journal_event(s->c, s->config, ev);
    char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);

    json_decref(o);
    return text;
}

/* Out, in and out again. */
static void comes_back(struct scene *s, struct event ev)
{
    struct journal_read read;
    struct err err = {0};
    char *before = text_of(s, &ev);
    json_t *line = json_loads(before, 0, NULL);

    if (journal_read(&read, "line", line, s->c, &err) < 0)
        fail_msg("%s: %s", before, err.text);
    assert_int_equal(read.ev.kind, ev.kind);
    assert_int_equal(read.ev.at, ev.at);
    char *after = text_of(s, &read.ev);
    assert_string_equal(before, after);
    journal_read_close(&read);
    json_decref(line);
    free(before);
    free(after);
}

static struct job_desc whole_job(void)
{
    static const char *const features[] = {"big", "fast", NULL}, *const hosts[] = {
                                                                     "n1", NULL};
    static const struct gres_cfg gres[] = {{(char *)"tape", 2}, {NULL, 0}};
    static const struct req_desc reqs[] = {{.tasks = 3,
                                               .per_task = {{2, 10, -1, 4}},
                                               .nodes = 3,
                                               .tpn = 1,
                                               .features = features,
                                               .prefs = features,
                                               .hosts = hosts,
                                               .exclude = hosts,
                                               .gres = gres,
                                               .os = "Linux",
                                               .arch = "x86",
                                               .network = "ib",
                                               .mem = {CMP_GE, 64},
                                               .access = ACCESS_SINGLEJOB,
                                               .nodealloc = NODEALLOC_FASTEST},
        {.tasks = 1}};
    static const struct dep deps[] = {{DEP_SUCCESS, (char *)"6"}, {0, NULL}};
    static const struct job_place places[] = {{"n1", 2}, {"n2", 1}};
    static const struct job_memory memory = {.holds = HOLD_USER | HOLD_BATCH,
        .hold_reason = REASON_POLICY,
        .hold_text = "why \"so\"",
        .defer_until = 77,
        .queue_at = 5,
        .qos = "high",
        .accruing = true,
        .suspended_s = 9,
        .eff_wclimit_s = 60};

    return (struct job_desc){.id = "7[2]",
        .cred = {[CRED_USER] = "ann", [CRED_QOS] = "high"},
        .submit_at = 100,
        .eligible_at = 110,
        .wclimit_s = DURATION_UNLIMITED,
        .release_at = 120,
        .deadline_at = 900,
        .state = JOB_SUSPENDED,
        .rm_hold = 1,
        .flags = JOB_NOQUEUE | JOB_RESTARTABLE,
        .user_priority = -3,
        .reqs = reqs,
        .nreqs = 2,
        .partitions = features,
        .deps = deps,
        .advres = "SYSTEM.1",
        .command = "/bin/true",
        .start_at = 130,
        .places = places,
        .nplaces = 2,
        .memory = &memory};
}

static void events_about_jobs_come_back_whole(void **state)
{
    (void)state;
    struct scene s = open_scene();
    static const struct job_place places[] = {{"n1", 2}};
    static const char *const nodes[] = {"n1", "n2", NULL};
    const struct job_desc job = whole_job();
    const struct actor who = {"bob", 2};

    comes_back(&s, (struct event){.kind = EVENT_SUBMIT, .at = 140, .u.job = job});
    comes_back(&s, (struct event){.kind = EVENT_MISSED,
                       .at = 1,
                       .u.missed = {.job = job,
                           .end_at = 150,
                           .how = EV_COMPLETE,
                           .cpu_s = 0.1,
                           .failed = true}});
    comes_back(&s, (struct event){.kind = EVENT_JOB_STATE,
                       .u.job_state = {.id = "7",
                           .state = JOB_RUNNING,
                           .rm_hold = 3,
                           .start_at = 9,
                           .places = places,
                           .nplaces = 1}});
    comes_back(&s, (struct event){.kind = EVENT_JOB_STATE,
                       .u.job_state = {.id = "7",
                           .state = JOB_RUNNING,
                           .places = places,
                           .nplaces = 1,
                           .reqs = job.reqs,
                           .nreqs = job.nreqs}});
    comes_back(&s, (struct event){.kind = EVENT_END,
                       .u.end = {.id = "7", .how = EV_VANISH, .cpu_s = 1.0 / 3}});
    comes_back(&s,
        (struct event){.kind = EVENT_CANCEL,
            .u.end = {.id = "7", .how = EV_CANCEL, .failed = true, .unbegun = true}});
    comes_back(&s,
        (struct event){.kind = EVENT_LEFT, .u.left = {.id = "7", .displaced = true}});
    comes_back(
        &s, (struct event){.kind = EVENT_PREEMPT,
                .u.preempt = {.id = "7", .how = PREEMPT_SUSPEND, .rests_s = 60}});
    comes_back(&s, (struct event){.kind = EVENT_RESUME, .u.preempt = {.id = "7"}});
    comes_back(&s, (struct event){.kind = EVENT_START_FAILED,
                       .u.failed = {"7", REASON_RMFAILURE, "no \xc3\xa4", 5}});
    comes_back(&s, (struct event){.kind = EVENT_HOLD,
                       .u.hold = {"7", HOLD_SYSTEM, who, REASON_ADMIN, "patience"}});
    comes_back(&s, (struct event){.kind = EVENT_RELEASE_HOLD,
                       .u.hold = {"7", HOLDS_ALL, {NULL, 1}, REASON_NONE, NULL}});
    comes_back(&s,
        (struct event){.kind = EVENT_PRIORITY, .u.priority = {"7", true, -1000000}});
    comes_back(&s, (struct event){.kind = EVENT_QOS, .u.qos = {"7", "high", true}});
    comes_back(&s, (struct event){.kind = EVENT_RUN,
                       .u.run = {"7", nodes, "fast", RUN_ANY_POLICY | RUN_ANY_STATE}});
    comes_back(&s, (struct event){.kind = EVENT_DEADLINE, .u.deadline = {"7", 5000}});
    comes_back(
        &s, (struct event){.kind = EVENT_USER_PRIORITY, .u.user_priority = {"7", 50}});
    struct job_change ch = {.what = CHANGE_WCLIMIT | CHANGE_FEATURES | CHANGE_DEPS,
        .job.wclimit_s = 60,
        .job.cred[CRED_CLASS] = "",
        .job.cred[CRED_ACCOUNT] = "phys",
        .job.cred[CRED_GROUP] = "physics",
        .job.flags = JOB_RESTARTABLE,
        .job.advres = "SYSTEM.1",
        .job.deps = job.deps,
        .req = 1,
        .to = job.reqs[0]};
    comes_back(&s, (struct event){.kind = EVENT_MODIFY, .u.modify = {"7", ch}});
    struct job_change whole = {.what = CHANGE_WHOLE, .job = job};
    comes_back(&s, (struct event){.kind = EVENT_MODIFY, .u.modify = {"7", whole}});
    close_scene(&s);
}

static void events_about_nodes_and_the_whole_come_back(void **state)
{
    (void)state;
    struct scene s = open_scene();
    static const char *const features[] = {"big", NULL};
    static const struct gres_cfg classes[] = {{(char *)"batch", 4}, {NULL, 0}};
    struct fs_memory rows[] = {
        {CRED_USER, "ann", 50, 2, {1.0 / 3, 7}}, {CRED_KINDS, NULL, 60, 1, {2e9}}};

    static const char *const accounts[] = {"chem", "lab", NULL};
    static const struct quota_limit limits[] = {
        {"GrpTRES=cpu", QUOTA_GROUP, LIMIT_PROC, 7},
        {"GrpTRESRunMins=gres/gpu", QUOTA_GROUP, LIMIT_PROC, 70, "gpu", true},
        {"MaxJobs", QUOTA_EACH, LIMIT_JOB, 0}};
    struct quota quotas[] = {{.name = "account chem",
                                 .user = "ann",
                                 .accounts = accounts,
                                 .except = accounts,
                                 .per = QUOTA_PER_USER,
                                 .limits = limits,
                                 .n = 3},
        {.name = "QOS fast", .qos = "fast", .classes = accounts, .first = true}};

    comes_back(&s, (struct event){.kind = EVENT_NODE,
                       .u.node = {.name = "n1",
                           .state = NODE_BUSY,
                           .cfg = {{8, 1000, -1, 5}},
                           .partition = "p",
                           .features = features,
                           .classes = classes,
                           .os = "Linux",
                           .speed = 1.1,
                           .frame = 3,
                           .slot = 4,
                           .measured = true,
                           .load = 0.7,
                           .util = {{2}},
                           .more = 5}});
    char *node = text_of(&s,
        &(struct event){.kind = EVENT_NODE, .u.node = {.name = "n1", .said = "words"}});
    assert_null(strstr(node, "words")); /* for people */
    free(node);
    comes_back(&s,
        (struct event){.kind = EVENT_NODE_STATE, .u.node_state = {"n1", NODE_DRAINED}});
    comes_back(
        &s, (struct event){.kind = EVENT_NODE_GONE, .u.node_state = {"n1", NODE_DOWN}});
    comes_back(&s, (struct event){.kind = EVENT_FAIRSHARE, .u.fairshare = {rows, 2}});
    const struct past_run runs[] = {
        {"ann", {60, 3600, 4, false}}, {"bob", {7, 0, 1, true}}};
    comes_back(&s, (struct event){.kind = EVENT_HISTORY, .u.history = {runs, 2}});
    comes_back(
        &s, (struct event){.kind = EVENT_QUOTAS, .u.quotas = {"Slurm", quotas, 2}});
    comes_back(
        &s, (struct event){.kind = EVENT_QUOTAS, .u.quotas = {"Slurm", NULL, 0}});
    comes_back(&s, (struct event){.kind = EVENT_MANAGER, .u.manager = {"pbs", true}});
    comes_back(&s,
        (struct event){.kind = EVENT_MANAGER, .u.manager = {"pbs", false, "batch"}});
    comes_back(&s,
        (struct event){.kind = EVENT_MANAGER, .u.manager = {"pbs", .unseen = true}});
    comes_back(&s, (struct event){.kind = EVENT_MANAGER});
    comes_back(&s, (struct event){.kind = EVENT_RESET_STATISTICS});
    comes_back(&s, (struct event){.kind = EVENT_RESET_FAIRSHARE});
    struct event ev = {.kind = EVENT_SETTINGS, .u.settings = s.config->settings};
    char *text = text_of(&s, &ev);
    assert_non_null(strstr(text, "# a comment\\nFSDEPTH 3\\nUSERCFG[ann] MAXJOB=4\\n"));
    free(text);
    comes_back(&s, ev);
    close_scene(&s);
}

static struct reservation whole_draft(struct scene *s)
{
    struct reservation draft = reservation_draft(RSV_USER);
    struct err err;

    draft.base = xstrdup("night");
    draft.start_at = 5;
    draft.end_at = TIME_NEVER;
    draft.def.per_task = (struct res){{2, 5, 0, -1}};
    draft.def.tpn = 3;
    vec_push(&draft.def.features, names_intern(s->c->features, "big"));
    vec_push(&draft.def.gres, ((struct gres){names_intern(s->c->gres, "tape"), 2}));
    struct nodeset_spec *set = xcalloc(1, sizeof *set);
    set->policy = NODESET_ONEOF;
    set->attr = NODESET_FEATURE;
    text_list_add(&set->list, "big");
    draft.def.nodeset = set;
    draft.any_feature = true;
    draft.tasks = 4;
    draft.least_tasks = 3;
    draft.partition = RSV_PARTITION_ALL;
    draft.listed = draft.one_per_host = draft.exclusive = draft.shared = true;
    draft.any_feature = true;
    vec_push(&draft.hosts, 1);
    vec_push(&draft.hosts, 0);
    draft.host_expr = xstrdup("n[12]");
    draft.flags = RSV_SINGLEUSE;
    draft.owner_kind = CRED_GROUP;
    draft.owner = cred_get(s->c, CRED_GROUP, "phys")->index;
    draft.charge[CRED_ACCOUNT] = cred_get(s->c, CRED_ACCOUNT, "grant")->index;
    draft.priority = 9;
    assert_int_equal(acltext_parse(ACL_USER, "ann+,!bob,carl*-", &draft.acl, &err), 0);
    assert_int_equal(acltext_parse(ACL_PROCS, ">=4", &draft.acl, &err), 0);
    assert_int_equal(
        triggertext_parse("start+60;exec@/bin/x a,end;cancel", &draft.triggers, &err),
        0);
    draft.triggers.v[0].fired = true;
    draft.triggers.v[0].fired_at = 65;
    return draft;
}

static void reservations_come_back_whole(void **state)
{
    (void)state;
    struct scene s = open_scene();
    struct reservation draft = whole_draft(&s);
    const struct job_place places[] = {{"n2", 2}};
    struct rsv_memory m = {.name = "fast.0.3",
        .section = "fast",
        .period_at = 86400,
        .slot = 1,
        .start_at = 86410,
        .end_at = 90000,
        .created_at = 10,
        .released = true,
        .ended_at = 20,
        .idle_ps = 0.5,
        .active_ps = 3,
        .places = places,
        .nplaces = 1,
        .triggers = draft.triggers.v,
        .ntriggers = draft.triggers.n};

    comes_back(&s, (struct event){.kind = EVENT_RESERVE,
                       .u.reserve = {&draft, {"ann", 0}, "phys"}});
    comes_back(&s, (struct event){.kind = EVENT_CHANGE_RESERVATION,
                       .u.change_reservation = {.name = "night.1",
                           .what = RSV_CHANGE_WINDOW | RSV_CHANGE_PLACES,
                           .draft = &draft,
                           .who = {"ann", 3}}});
    comes_back(&s, (struct event){.kind = EVENT_UNRESERVE,
                       .u.unreserve = {"night.1", {"ann", 0}}});
    comes_back(&s, (struct event){.kind = EVENT_INSTANCE, .u.instance = &m});
    draft.partition = 0;
    comes_back(
        &s, (struct event){.kind = EVENT_RESERVE, .u.reserve = {.draft = &draft}});
    reservation_fini(&draft);
    close_scene(&s);
}

/* ---- what is wrong ---- */

static void a_line_that_cannot_be_read_says_what_is_wrong(void **state)
{
    (void)state;
    struct scene s = open_scene();
    static const char *const wrong[][2] = {{"{}", "\"event\""},
        {"{\"event\":\"nonsense\"}", "\"event\""},
        {"{\"event\":\"submit\",\"job\":{}}", "\"requests\""},
        {"{\"event\":\"end\",\"job\":\"1\",\"how\":99}", "\"how\""},
        {"{\"event\":\"hold\",\"job\":7}", "\"job\""},
        {"{\"event\":\"node\",\"node\":{\"name\":\"n1\",\"state\":\"odd\"}}",
            "\"state\""},
        {"{\"event\":\"reserve\",\"draft\":{\"base\":\"a\",\"hosts\":[\"n9\"]}}",
            "\"hosts\""},
        {"{\"event\":\"reserve\",\"draft\":{\"base\":\"a\",\"acl\":[[99]]}}",
            "\"acl\""},
        {"{\"event\":\"reserve\",\"draft\":{\"base\":\"a\",\"triggers\":[[1]]}}",
            "\"triggers\""},
        {"{\"event\":\"reserve\"}", "\"base\""},
        {"{\"event\":\"instance\",\"instance\":[]}", "\"name\""},
        {"{\"event\":\"fairshare\",\"rows\":[[9,\"\"]]}", "\"rows\""},
        {"{\"event\":\"settings\"}", "\"config\""}};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct journal_read read;
        struct err err = {0};
        json_t *line = json_loads(wrong[i][0], 0, NULL);

        assert_non_null(line);
        if (journal_read(&read, "line 5", line, s.c, &err) == 0)
            fail_msg("%s is taken", wrong[i][0]);
        if (strncmp(err.text, "line 5: ", 8) != 0 || !strstr(err.text, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], err.text);
        journal_read_close(&read);
        json_decref(line);
    }
    close_scene(&s);
}

static int tell(struct replay *r, int64_t seq, const char *text, struct err *why)
{
    json_t *line = json_loads(text, 0, NULL), *decided;

    assert_non_null(line);
    int result = replay_line(r, seq, line, &decided, why);
    json_decref(decided);
    json_decref(line);
    return result;
}

static void a_difference_is_told_with_both_sides(void **state)
{
    (void)state;
    struct replay *r = replay_create();
    struct err why = {0};

    assert_int_equal(tell(r, 3, "{\"cycle\":5}", &why), 1); /* before any begin */
    assert_int_equal(tell(r, 4, "{\"begin\":{}}", &why), -1);
    assert_int_equal(
        tell(r, 5, "{\"begin\":{\"zone\":\"UTC\",\"config\":\"\"}}", &why), 1);
    assert_int_equal(tell(r, 6,
                         "{\"event\":\"node\",\"at\":10,\"node\":{\"name\":\"n1\","
                         "\"state\":\"Idle\","
                         "\"configured\":{\"procs\":2}}}",
                         &why),
        1);
    assert_int_equal(
        tell(r, 7,
            "{\"event\":\"submit\",\"at\":10,\"job\":{\"id\":\"1\",\"wclimit_s\":60,"
            "\"requests\":[{\"tasks\":2}]}}",
            &why),
        1);
    assert_int_equal(
        tell(r, 8, "{\"event\":\"end\",\"at\":10,\"job\":\"2\"}", &why), 0);
    assert_non_null(strstr(why.text, "recorded: done; replayed: job '2' is not"));
    assert_int_equal(tell(r, 9, "{\"cycle\":11}", &why), 0);
    assert_string_equal(why.text, "recorded: nothing; replayed: start 1 on n1:2");
    assert_int_equal(tell(r, 10, "{\"cycle\":12,\"decided\":[\"start 9\"]}", &why), 0);
    assert_string_equal(why.text, "recorded: start 9; replayed: nothing");
    const struct replay_count *n = replay_count(r);
    assert_int_equal(n->differences, 3);
    assert_int_equal(n->skipped, 1);
    assert_int_equal(n->cycles, 2);
    replay_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_about_jobs_come_back_whole),
        cmocka_unit_test(events_about_nodes_and_the_whole_come_back),
        cmocka_unit_test(reservations_come_back_whole),
        cmocka_unit_test(a_line_that_cannot_be_read_says_what_is_wrong),
        cmocka_unit_test(a_difference_is_told_with_both_sides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
