/* SPDX-License-Identifier: Apache-2.0
 * Requests and records as the texts in a job's folder, out and in, and damaged. */
#include "cmocka_all.h"
#include "config/policies.h"
#include "config/texts.h"
#include "rm/local/record.h"
#include "rm/local/request.h"

#include <string.h>

static const char *const features[] = {"fast", "big", NULL};
static const char *const hosts[] = {"node01", "node02", NULL};
static const char *const partitions[] = {"blue", NULL};
static const char *const argv[] = {"-x", "caf\xe9", NULL}; /* not UTF-8 */
static const struct gres_cfg gres[] = {{(char *)"tape", 2}, {NULL, 0}};
static const struct dep deps[] = {
    {DEP_SUCCESS, (char *)"12"}, {DEP_STARTED, (char *)"13[4]"}, {DEP_STARTED, NULL}};

static struct req_desc full_request(const struct nodeset_spec *set)
{
    return (struct req_desc){.per_task = {{2, 100, -1, 7}},
        .tasks = 8,
        .nodes = 2,
        .tpn = 4,
        .features = features,
        .prefs = partitions,
        .hosts = hosts,
        .exclude = partitions,
        .gres = gres,
        .os = "Linux",
        .arch = "x86_64",
        .network = "myrinet",
        .procs = {CMP_GE, 4},
        .mem = {CMP_LT, 9000},
        .access = ACCESS_SINGLEUSER,
        .nodealloc = NODEALLOC_FASTEST,
        .nodeset = set};
}

static struct rm_submission full_submission(const struct req_desc *req)
{
    return (struct rm_submission){
        .job = {.desc = {.cred = {"ann", "bio", "acct", "batch", "high"},
                    .eligible_at = 90,
                    .wclimit_s = 3600,
                    .release_at = 200,
                    .deadline_at = 9000,
                    .rm_hold = HOLD_USER,
                    .flags = JOB_RESTARTABLE | JOB_PREEMPTEE,
                    .user_priority = -5,
                    .reqs = req,
                    .nreqs = 1,
                    .partitions = partitions,
                    .deps = deps,
                    .advres = "res.1",
                    .command = "/bin/x"},
            .name = "a job",
            .directory = "/home/ann",
            .output = "out",
            .error = "err"},
        .script = "#!/bin/sh\n",
        .argv = argv,
        .uid = 1000,
        .gid = 100,
        .umask = 027,
        .rerunnable = true,
        .join = true};
}

static void assert_texts(const char *const *a, const char *const *b)
{
    for (; *a != NULL; a++, b++) {
        assert_non_null(*b);
        assert_string_equal(*a, *b);
    }
    assert_null(*b);
}

static struct request *through_text(const struct rm_submission *s)
{
    char *text = request_write(s, "77", 80);
    struct err err = {0};
    struct request *r = request_read(text, strlen(text), &err);

    if (r == NULL)
        fail_msg("%s in %s", err.text, text);
    free(text);
    return r;
}

static void a_request_reads_back_as_it_was_written(void **state)
{
    char *set_names[] = {(char *)"left", (char *)"right"};
    struct nodeset_spec set = {NODESET_FIRSTOF, NODESET_NETWORK, {set_names, 2, 2}};
    struct req_desc req = full_request(&set);
    struct rm_submission s = full_submission(&req);
    struct request *r = through_text(&s);
    const struct job_desc *d = &r->job.desc;
    const struct req_desc *q = d->reqs;

    (void)state;
    assert_string_equal(d->id, "77");
    for (int i = 0; i < CRED_KINDS; i++)
        assert_string_equal(d->cred[i], s.job.desc.cred[i]);
    assert_int_equal(d->submit_at, 80);
    assert_int_equal(d->eligible_at, 90);
    assert_int_equal(d->wclimit_s, 3600);
    assert_int_equal(d->release_at, 200);
    assert_int_equal(d->deadline_at, 9000);
    assert_int_equal(d->rm_hold, HOLD_USER);
    assert_int_equal(d->flags, JOB_RESTARTABLE | JOB_PREEMPTEE);
    assert_int_equal(d->user_priority, -5);
    assert_texts(d->partitions, partitions);
    assert_int_equal(d->deps[0].type, DEP_SUCCESS);
    assert_string_equal(d->deps[1].job_id, "13[4]");
    assert_null(d->deps[2].job_id);
    assert_string_equal(d->advres, "res.1");
    assert_string_equal(d->command, "/bin/x");
    assert_int_equal(d->nreqs, 1);
    assert_memory_equal(&q->per_task, &req.per_task, sizeof q->per_task);
    assert_int_equal(q->tasks, 8);
    assert_int_equal(q->nodes, 2);
    assert_int_equal(q->tpn, 4);
    assert_texts(q->features, features);
    assert_texts(q->prefs, partitions);
    assert_texts(q->hosts, hosts);
    assert_texts(q->exclude, partitions);
    assert_string_equal(q->gres[0].name, "tape");
    assert_int_equal(q->gres[0].count, 2);
    assert_null(q->gres[1].name);
    assert_string_equal(q->os, "Linux");
    assert_string_equal(q->arch, "x86_64");
    assert_string_equal(q->network, "myrinet");
    assert_int_equal(q->procs.op, CMP_GE);
    assert_int_equal(q->procs.value, 4);
    assert_int_equal(q->mem.op, CMP_LT);
    assert_int_equal(q->swap.op, CMP_NONE);
    assert_int_equal(q->access, ACCESS_SINGLEUSER);
    assert_int_equal(q->nodealloc, NODEALLOC_FASTEST);
    assert_int_equal(q->nodeset->policy, NODESET_FIRSTOF);
    assert_int_equal(q->nodeset->attr, NODESET_NETWORK);
    assert_string_equal(q->nodeset->list.v[1], "right");
    assert_string_equal(r->job.name, "a job");
    assert_string_equal(r->job.directory, "/home/ann");
    assert_string_equal(r->job.output, "out");
    assert_string_equal(r->job.error, "err");
    assert_string_equal(r->argv[0], "-x");
    assert_int_equal(r->uid, 1000);
    assert_int_equal(r->gid, 100);
    assert_int_equal(r->umask, 027);
    assert_true(r->script && r->rerunnable && r->join);
    request_free(r);
}

static void what_was_not_asked_reads_back_as_not_asked(void **state)
{
    struct req_desc req = {.nodealloc = NODEALLOC_UNSET};
    struct rm_submission s = {.job.desc = {.reqs = &req, .nreqs = 1}, .script = ""};
    struct request *r = through_text(&s);
    const struct req_desc *q = r->job.desc.reqs;

    (void)state;
    assert_null(r->job.desc.cred[CRED_USER]);
    assert_null(r->job.desc.deps);
    assert_null(q->features);
    assert_null(q->nodeset);
    assert_int_equal(q->access, ACCESS_UNSET);
    assert_int_equal(q->nodealloc, NODEALLOC_UNSET);
    assert_int_equal(r->job.desc.flags, 0);
    assert_false(r->rerunnable);
    request_free(r);
}

static void memory_of_requests_adds_up_and_each_has_its_processors(void **state)
{
    struct req_desc req[] = {{.per_task = {{2, 100, 0, 0}}, .tasks = 3},
        {.per_task = {{4, 50, 0, 0}}, .tasks = 1}};
    struct rm_submission s = {.job.desc = {.reqs = req, .nreqs = 2}, .script = ""};
    const struct job_place at[] = {{"n1", 2, 0}, {"n2", 1, 0}, {"n2", 1, 1}};
    struct request *r = through_text(&s);

    (void)state;
    assert_int_equal(request_mem_mb(r, at, 3), 350);
    assert_int_equal(request_procs_per_task(r, 0), 2);
    assert_int_equal(request_procs_per_task(r, 1), 4);
    assert_int_equal(request_procs_per_task(r, 2), 1); /* there is none */
    request_free(r);
    req[1].per_task.v[RES_MEM] = 0; /* as much as it likes */
    req[1].per_task.v[RES_PROCS] = -1;
    r = through_text(&s);
    assert_int_equal(request_mem_mb(r, at, 3), 0);
    assert_int_equal(request_procs_per_task(r, 1), 0);
    request_free(r);
    req[0].per_task.v[RES_MEM] = 0;
    req[0].mem_per_node_mb = 100; /* of each node, however many tasks are there */
    req[1].per_task.v[RES_MEM] = 50;
    r = through_text(&s);
    assert_int_equal(request_mem_mb(r, at, 3), 250);
    request_free(r);
}

static void damaged_requests_are_told_by_what_is_wrong(void **state)
{
    static const char *const cases[][2] = {
        {"", "request.json:"},
        {"[]", "\"id\" is not"},
        {"{\"id\":7}", "\"id\" is not a text"},
        {"{\"id\":\"1\",\"requests\":[]}", "\"requests\" is not"},
        {"{\"id\":\"1\",\"requests\":[{}],\"script\":true}", "\"uid\" is not"},
        {"{\"id\":\"1\",\"requests\":[{}],\"script\":true,\"uid\":1,\"gid\":-1}",
            "\"gid\" is not"},
        {"{\"id\":\"1\",\"requests\":[{}],\"uid\":1,\"gid\":1}", "\"argv\" is not"},
        {"{\"id\":\"1\",\"requests\":[{\"tasks\":5000000000}],\"uid\":1,\"gid\":1}",
            "\"tasks\" is not"},
        {"{\"id\":\"1\",\"requests\":[{\"access\":\"MINE\"}],\"uid\":1,\"gid\":1}",
            "\"access\" is not"},
        {"{\"id\":\"1\",\"requests\":[{\"node_mem_mb\":[\"!\",1]}]}",
            "\"node_mem_mb\" is not"},
        {"{\"id\":\"1\",\"id\":\"2\"}", "duplicate"},
        {"{\"id\":\"1\",\"flags\":[\"WINGS\"]}", "\"flags\" is not"},
        {"{\"id\":\"1\",\"requests\":[{}],\"dependencies\":[[\"success\"]]}",
            "\"dependencies\" is not"},
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        err.text[0] = '\0';
        assert_null(request_read(cases[i][0], strlen(cases[i][0]), &err));
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s: %s", cases[i][0], err.text);
    }
}

static void records_read_back_as_they_were_written(void **state)
{
    const struct job_place places[] = {{"node01", 3}, {"node02", 1}};
    struct run run = {.wclimit_s = 60,
        .overrun_s = 8,
        .mem_mb = 5,
        .grace_ms = 100,
        .poll_ms = 7,
        .cgroup = xstrdup("/a/b"),
        .pam = xstrdup("maui"),
        .keeper = 11,
        .leader = 12,
        .leader_ticks = 13,
        .boot = "boot",
        .cookie = "cookie",
        .start_at = 14,
        .suspended_at = 15};
    struct end end = {END_REQUEUED, 1, 2, 137, 0.25, 9, {ENDED_WALLCLOCK, .limit = 5},
                   "why \xff"},
               end_back;
    struct state st = {HOLD_SYSTEM, 99}, st_back;
    struct run run_back;
    char *text;

    (void)state;
    run_set_places(&run, places, 2);
    text = run_write(&run);
    assert_int_equal(run_read(text, strlen(text), &run_back, NULL), 0);
    free(text);
    assert_int_equal(run_back.nplaces, 2);
    assert_string_equal(run_back.places[0].node, "node01");
    assert_int_equal(run_back.places[0].tasks, 3);
    assert_string_equal(run_back.cgroup, "/a/b");
    assert_string_equal(run_back.pam, "maui");
    assert_string_equal(run_back.cookie, "cookie");
    assert_string_equal(run_back.boot, "boot");
    assert_int_equal(run_back.leader_ticks, 13);
    assert_int_equal(run_back.suspended_at, 15);
    assert_int_equal(run_back.overrun_s, 8);
    run_fini(&run);
    run_fini(&run_back);

    text = end_write(&end);
    assert_int_equal(end_read(text, strlen(text), &end_back, NULL), 0);
    free(text);
    assert_int_equal(end_back.kind, END_REQUEUED);
    assert_int_equal(end_back.exit_status, 137);
    assert_true(end_back.cpu_s == 0.25);
    assert_int_equal(end_back.why.reason, ENDED_WALLCLOCK);
    assert_true(end_back.why.limit == 5);
    assert_string_equal(end_back.said, "why ?");

    text = state_write(&st);
    assert_int_equal(state_read(text, strlen(text), &st_back, NULL), 0);
    free(text);
    assert_int_equal(st_back.holds, HOLD_SYSTEM);
    assert_int_equal(st_back.wclimit_s, 99);
}

static void damaged_records_are_refused(void **state)
{
    static const char *const texts[] = {"", "[]", "{}", "{\"holds\":1}",
        "{\"holds\":-1,\"wclimit_s\":0}", "{\"kind\":\"done\"}",
        "{\"kind\":\"eaten\",\"start_at\":1,\"end_at\":1,\"exit_status\":0}"};
    struct state st;
    struct end end;
    struct run run;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(run_read(texts[i], strlen(texts[i]), &run, &err), -1);
        assert_int_equal(end_read(texts[i], strlen(texts[i]), &end, &err), -1);
        assert_int_equal(state_read(texts[i], strlen(texts[i]), &st, &err), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_reads_back_as_it_was_written),
        cmocka_unit_test(what_was_not_asked_reads_back_as_not_asked),
        cmocka_unit_test(memory_of_requests_adds_up_and_each_has_its_processors),
        cmocka_unit_test(damaged_requests_are_told_by_what_is_wrong),
        cmocka_unit_test(records_read_back_as_they_were_written),
        cmocka_unit_test(damaged_records_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
