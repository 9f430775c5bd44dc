/* SPDX-License-Identifier: Apache-2.0
 * What a real Grid Engine answered, read. */
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "config/texts.h"
#include "rm/gridengine/shape.h"

#include <stdio.h>

static char *read_fixture(const char *name, size_t *ret_len)
{
    char path[500];
    struct strbuf b = {0};
    char text[4096];
    size_t n;

    snprintf(path, sizeof path, GRIDENGINE_FIXTURES "/%s", name);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    while ((n = fread(text, 1, sizeof text, f)) > 0)
        strbuf_add_n(&b, text, n);
    fclose(f);
    *ret_len = b.len;
    return strbuf_take(&b);
}

/* As it is read from a command: without what nobody here reads. Takes the text. */
static char *squeeze(const struct squeeze_kind *kind, char *text, size_t *io_len)
{
    struct squeeze *s = squeeze_new(kind);
    struct strbuf out = {0};

    squeeze_feed(s, text, *io_len, &out);
    squeeze_free(s);
    free(text);
    *io_len = out.len;
    return strbuf_take(&out);
}

/* A cell as it was then, with two queues. */
struct cell {
    struct ge_jobs jobs;
    struct ge_hosts hosts;
    struct ge_queues queues;
    struct ge_site site;
};

static const char definitions[] =
    "qname                 debug\nseq_no                20\npe_list               smp\n"
    "rerun                 FALSE\nqtype                 BATCH\n\n"
    "qname                 batch\nseq_no                10\n"
    "pe_list               smp mpi \\\n                      rr two\n"
    "slots                 4\nrerun                 TRUE\nqtype                 "
    "BATCH\n";
static const struct ge_pe pes[] = {
    {"smp", GE_PE_ONE}, {"mpi", GE_PE_FREE}, {"rr", GE_PE_FREE}, {"two", 2}, {NULL, 0}};

static void open_cell(struct cell *c, const char *name)
{
    struct err err = {0};
    char file[100];
    size_t n, m;

    snprintf(file, sizeof file, "%s.qstat-j.xml", name);
    char *detail = squeeze(&ge_squeeze_detail, read_fixture(file, &n), &n);
    assert_null(strstr(detail, "JB_env_list"));
    snprintf(file, sizeof file, "%s.qstat.xml", name);
    char *states = squeeze(&ge_squeeze_states, read_fixture(file, &m), &m);
    if (ge_read_jobs(&c->jobs, detail, n, states, m, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    free(detail);
    free(states);
    snprintf(file, sizeof file, "%s.qhost-qjF.xml", name);
    char *hosts = read_fixture(file, &n);
    if (ge_read_hosts(&c->hosts, hosts, n, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    free(hosts);
    ge_read_queues(&c->queues, definitions, strlen(definitions));
    c->site = (struct ge_site){&c->hosts, &c->queues, pes, NULL};
    bool *whole = xcalloc(c->jobs.list.n + 1, sizeof *whole);
    ge_shape_jobs(&c->jobs, &c->site, whole);
    free(whole);
    ge_check_dependencies(&c->jobs);
}

static void close_cell(struct cell *c)
{
    ge_jobs_free(&c->jobs);
    ge_hosts_free(&c->hosts);
    ge_queues_free(&c->queues);
}

static const struct ge_job *job_of(const struct cell *c, const char *id)
{
    const struct ge_job *j = ge_find_job(&c->jobs, id);

    if (j == NULL)
        fail_msg("no job %s", id);
    return j;
}

static void an_idle_cell_has_hosts_and_no_jobs(void **state)
{
    struct cell c;

    (void)state;
    open_cell(&c, "01-idle-empty");
    assert_int_equal(c.jobs.list.n, 0);
    assert_int_equal(c.hosts.list.n, 3);
    const struct node_desc *n = &c.hosts.list.v[1].desc;
    assert_string_equal(n->name, "cn02");
    assert_int_equal(n->state, NODE_IDLE);
    assert_int_equal(
        n->cfg.v[RES_PROCS], 4); /* slots=4 of the host, not 4 of each queue */
    assert_string_equal(n->classes[0].name, "batch");
    assert_string_equal(n->classes[1].name, "debug");
    assert_null(n->classes[2].name);
    close_cell(&c);
}

static void waiting_jobs_ask_as_their_users_did(void **state)
{
    struct cell c;

    (void)state;
    open_cell(&c, "02-queued-mix");
    const struct ge_job *plain = job_of(&c, "15"), *wide = job_of(&c, "16");
    assert_string_equal(plain->rm.desc.cred[CRED_USER], "alice");
    assert_string_equal(plain->rm.desc.cred[CRED_ACCOUNT], "acct1");
    assert_int_equal(plain->rm.desc.wclimit_s, 600);
    assert_int_equal(plain->rm.desc.submit_at, 1795375043);
    assert_true(plain->kept.gate);
    assert_string_equal(plain->rm.desc.classes[0], "batch"); /* by sequence number */
    assert_string_equal(plain->rm.desc.classes[1], "debug");
    assert_int_equal(wide->rm.desc.reqs[0].tasks, 6);
    assert_null(wide->rm.desc.cred[CRED_ACCOUNT]); /* "sge" is none */
    assert_null(wide->rm.desc.classes);            /* -q batch */
    assert_string_equal(wide->rm.desc.cred[CRED_CLASS], "batch");
    for (int task = 1; task <= 5; task += 2) {
        char id[20];

        snprintf(id, sizeof id, "17[%d]", task);
        assert_int_equal(job_of(&c, id)->at_once, 2);
    }
    assert_null(ge_find_job(&c.jobs, "17[2]"));
    assert_int_equal(job_of(&c, "19")->rm.desc.user_priority, -100);
    assert_int_equal(job_of(&c, "19")->rm.desc.release_at, 1924991940);
    assert_null(job_of(&c, "18")->after); /* -hold_jid plain: that is another user's */
    const struct ge_job *range = job_of(&c, "20");
    assert_int_equal(range->slots, 2);
    assert_int_equal(range->slots_most, 4);
    assert_int_equal(range->rm.desc.reqs[0].nodes, 1);              /* $pe_slots */
    assert_string_equal(range->rm.desc.reqs[0].exclude[0], "cn03"); /* cn0[12] */
    assert_null(range->rm.desc.reqs[0].exclude[1]);
    close_cell(&c);
}

/* Members of lists are called otherwise once qalter has been at them. */
static void what_was_changed_is_read_as_what_was_submitted(void **state)
{
    struct err err = {0};
    struct ge_jobs jobs;
    struct strbuf b = {0};
    size_t n, m;
    char *detail = read_fixture("02-queued-mix.qstat-j.xml", &n);
    char *states = read_fixture("02-queued-mix.qstat.xml", &m);

    (void)state;
    for (const char *at = detail; *at; at++)
        if (strncmp(at, "ranges>", 7) == 0) {
            strbuf_add(&b, "element>");
            at += 6;
        } else {
            strbuf_add_n(&b, at, 1);
        }
    free(detail);
    detail = strbuf_take(&b);
    assert_null(strstr(detail, "<ranges>"));
    assert_int_equal(ge_read_jobs(&jobs, detail, strlen(detail), states, m, &err), 0);
    assert_int_equal(ge_find_job(&jobs, "16")->slots, 6);
    assert_int_equal(ge_find_job(&jobs, "20")->slots, 2);
    assert_int_equal(ge_find_job(&jobs, "20")->slots_most, 4);
    ge_jobs_free(&jobs);
    free(detail);
    free(states);
}

/* Job 16 waits for more jobs than are read; the others are as they were. */
static void a_job_that_is_too_long_is_known_to_be_there(void **state)
{
    struct err err = {0};
    struct ge_jobs jobs;
    struct strbuf b = {0};
    size_t n, m;
    char *detail = read_fixture("02-queued-mix.qstat-j.xml", &n);
    char *states = read_fixture("02-queued-mix.qstat.xml", &m);
    char *at = strstr(strstr(detail, "<JB_job_number>16<"), "<JB_submission_time>");

    (void)state;
    strbuf_add_n(&b, detail, (size_t)(at - detail));
    strbuf_add(&b, "<JB_jid_predecessor_list>");
    for (int i = 0; i < 9000; i++)
        strbuf_add(&b, "<job_predecessors><JRE_job_number>7</JRE_job_number>"
                       "</job_predecessors>");
    strbuf_printf(&b, "</JB_jid_predecessor_list>%s", at);
    free(detail);
    n = b.len;
    detail = squeeze(&ge_squeeze_detail, strbuf_take(&b), &n);
    assert_int_equal(ge_read_jobs(&jobs, detail, n, states, m, &err), 0);
    assert_int_equal(jobs.cut.n, 1);
    assert_true(ge_is_cut(&jobs, "16"));
    assert_true(ge_is_cut(&jobs, "16[3]"));
    assert_false(ge_is_cut(&jobs, "15"));
    assert_null(ge_find_job(&jobs, "16"));
    assert_non_null(ge_find_job(&jobs, "15"));
    assert_non_null(ge_find_job(&jobs, "20"));
    ge_jobs_free(&jobs);
    free(detail);
    free(states);
}

/* ---- dependencies ---- */

static void add_array(struct ge_jobs *all, struct ge_job like, int tasks, int step)
{
    like.owner = "alice";
    like.step = step;
    like.rm.desc.state = JOB_IDLE;
    for (int i = 0; i < (tasks > 0 ? tasks : 1); i++) {
        struct ge_job j = like;

        if (tasks > 0)
            j.task = arena_printf(&all->arena, "%d", 1 + i * step);
        j.rm.desc.id =
            j.task ? arena_printf(&all->arena, "%s[%s]", j.number, j.task) : j.number;
        vec_push(&all->list, j);
    }
}

static const struct dep *deps_of(const struct ge_jobs *all, const char *id)
{
    return ge_find_job(all, id)->rm.desc.deps;
}

static bool waits_for(const struct ge_jobs *all, const char *id, const char *on)
{
    const struct dep *d = deps_of(all, id);

    while (d != NULL && d->job_id != NULL && strcmp(d->job_id, on) != 0)
        d++;
    return d != NULL && d->job_id != NULL;
}

static void queues_that_are_wished_for_come_first(void **state)
{
    struct cell c;
    bool whole[100];

    (void)state;
    open_cell(&c, "02-queued-mix");
    struct ge_job *j = (struct ge_job *)job_of(&c, "15");
    j->soft = "nobody,debug@cn02";
    ge_shape_jobs(&c.jobs, &c.site, whole);
    assert_string_equal(j->rm.desc.cred[CRED_CLASS], "debug");
    assert_string_equal(j->rm.desc.classes[0], "debug");
    assert_string_equal(j->rm.desc.classes[1], "batch");
    assert_null(j->rm.desc.classes[2]);
    close_cell(&c);
}

static void tasks_of_an_array_wait_for_what_it_waits_for(void **state)
{
    static const char *const on_one[] = {"1", NULL}, *const on_few[] = {"2", NULL},
                             *const alike[] = {"2", NULL};
    struct ge_jobs all = {0};

    (void)state;
    add_array(&all, (struct ge_job){.number = "1", .rm.name = "many"}, 75000, 1);
    add_array(&all, (struct ge_job){.number = "2", .rm.name = "few"}, 6, 1);
    /* each task by itself this would be minutes */
    add_array(&all, (struct ge_job){.number = "3", .after = on_one}, 75000, 1);
    add_array(&all, (struct ge_job){.number = "4", .after = on_few}, 2, 1);
    add_array(&all, (struct ge_job){.number = "5", .after_task = alike}, 3, 2);
    add_array(&all, (struct ge_job){.number = "6", .after = on_few}, 0, 1);
    add_array(&all, (struct ge_job){.number = "7", .held = GE_HELD_DEPENDENCY}, 0, 1);
    ge_check_dependencies(&all);
    assert_null(deps_of(&all, "1[5]"));
    /* it waits, and is not held; the last are told, and others as those end */
    assert_string_equal(
        ge_find_job(&all, "3[75000]")->rm.notes, "it waits for 75000 jobs to end");
    assert_int_equal(ge_find_job(&all, "3[1]")->rm.desc.state, JOB_IDLE);
    assert_true(waits_for(&all, "3[1]", "1[75000]"));
    assert_true(waits_for(&all, "3[1]", "1[74937]"));
    assert_false(waits_for(&all, "3[1]", "1[74936]"));
    assert_string_equal(deps_of(&all, "4[2]")[0].job_id, "2[1]");
    assert_string_equal(deps_of(&all, "4[2]")[5].job_id, "2[6]");
    assert_null(deps_of(&all, "4[2]")[6].job_id);
    assert_string_equal(deps_of(&all, "5[3]")[0].job_id, "2[3]");
    assert_string_equal(deps_of(&all, "5[3]")[1].job_id, "2[4]");
    assert_null(deps_of(&all, "5[3]")[2].job_id);
    assert_string_equal(deps_of(&all, "6")[5].job_id, "2[6]");
    /* on what, nobody has told: it waits, and nobody holds it */
    assert_int_equal(ge_find_job(&all, "7")->rm.desc.state, JOB_HOLD);
    assert_int_equal(ge_find_job(&all, "7")->rm.desc.rm_hold, 0);
    ge_jobs_free(&all);
}

static void tasks_wait_for_their_own_of_a_big_array(void **state)
{
    static const char *const alike[] = {"1", NULL}, *const both[] = {"2", NULL};
    struct ge_jobs all = {0};

    (void)state;
    add_array(&all, (struct ge_job){.number = "1"}, 75000, 1);
    add_array(&all, (struct ge_job){.number = "2"}, 100, 1);
    /* from the first task on for each this would be minutes */
    add_array(&all, (struct ge_job){.number = "3", .after_task = alike}, 75000, 1);
    add_array(&all, (struct ge_job){.number = "4", .after = both, .after_task = alike},
        75000, 1);
    ge_check_dependencies(&all);
    assert_string_equal(deps_of(&all, "3[75000]")[0].job_id, "1[75000]");
    assert_null(deps_of(&all, "3[75000]")[1].job_id);
    /* none of its own is left out for others */
    assert_true(waits_for(&all, "4[70000]", "1[70000]"));
    assert_true(waits_for(&all, "4[70000]", "2[100]"));
    assert_string_equal(
        ge_find_job(&all, "4[70000]")->rm.notes, "it waits for 101 jobs to end");
    ge_jobs_free(&all);
}

static void an_uneven_job_is_told_slot_by_slot(void **state)
{
    struct cell c;

    (void)state;
    open_cell(&c, "03-running");
    const struct ge_job *j = job_of(&c, "16");
    assert_int_equal(j->rm.desc.state, JOB_RUNNING);
    assert_int_equal(j->rm.nplaces, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(j->rm.places[i].tasks, 3 - i);
    assert_int_equal(j->rm.start_at, 1795375045);
    assert_string_equal(c.hosts.own.v[0], "maui_16");
    assert_int_equal(c.hosts.own.n, 1);
    assert_int_equal(c.hosts.list.v[0].instances.n, 2); /* none of ours */
    assert_int_equal(c.hosts.list.v[0].desc.cfg.v[RES_PROCS], 4);
    assert_string_equal(job_of(&c, "17[3]")->rm.places[0].node, "cn02");
    assert_int_equal(job_of(&c, "17[5]")->rm.desc.state, JOB_IDLE);
    close_cell(&c);
}

static void what_has_begun_is_read_alone(void **state)
{
    static const char *const wanted[] = {"15", "16", "17[1]", "17[3]"};
    struct arena arena = {0};
    struct ge_names begun = {0};
    struct err err;
    size_t len;
    char *text = read_fixture("03-running.qstat.xml", &len);

    (void)state;
    assert_int_equal(ge_read_begun(&arena, &begun, text, len, &err), 0);
    assert_int_equal(begun.n, 4);
    for (size_t i = 0; i < begun.n; i++)
        assert_string_equal(begun.v[i], wanted[i]);
    assert_int_equal(ge_read_begun(&arena, &begun, "<a></a>", 7, &err), -1);
    assert_int_equal(ge_read_begun(&arena, &begun, "error: no", 9, &err), -1);
    vec_fini(&begun);
    arena_free(&arena);
    free(text);
}

static void states_are_what_their_letters_say(void **state)
{
    struct cell c;

    (void)state;
    open_cell(&c, "04-suspended");
    size_t suspended = 0;
    for (size_t i = 0; i < c.jobs.list.n; i++)
        suspended += c.jobs.list.v[i].rm.desc.state == JOB_SUSPENDED;
    assert_int_equal(suspended, 1);
    close_cell(&c);
    open_cell(&c, "06-error");
    const struct ge_job *bad = job_of(&c, "25");
    assert_int_equal(bad->rm.desc.state, JOB_HOLD);
    assert_non_null(strstr(bad->rm.notes, "unable to find shell"));
    assert_non_null(strstr(bad->rm.notes, "qmod -cj 25"));
    assert_true(ge_is_waiting(job_of(&c, "22"))); /* hRq */
    close_cell(&c);
}

/* After a restart of the master. */
static void elements_without_a_name_of_xml_are_read(void **state)
{
    static const char detail[] =
        "<?xml version='1.0'?>\n<detailed_job_info  "
        "xmlns:xsd=\"http://x/y.xsd\"><djob_info>"
        "<element><JB_job_number>11</JB_job_number><JB_owner>ann</"
        "JB_owner><JB_ja_tasks>"
        "<JATASK:      "
        "11.><JAT_task_number>1</JAT_task_number><JAT_start_time>1795714960"
        "</JAT_start_time></JATASK:      "
        "11.></JB_ja_tasks><JB_soft/></element></djob_info>"
        "<messages><job ids>5</job ids></messages></detailed_job_info>";
    static const char states[] = "<job_info><queue_info><job_list><JB_job_number>11</"
                                 "JB_job_number><state>r</state>"
                                 "</job_list></queue_info><job_info/></job_info>";
    struct ge_jobs jobs;
    struct err err;

    (void)state;
    if (ge_read_jobs(&jobs, detail, sizeof detail - 1, states, sizeof states - 1, &err)
        < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ge_find_job(&jobs, "11")->rm.start_at, 1795714960);
    ge_jobs_free(&jobs);
    static const char none[] =
        "<?xml version='1.0'?>\n<unknown_jobs >\n<ST_name>*</ST_name>"
        "\n</unknown_jobs>";
    assert_int_equal(
        ge_read_jobs(&jobs, none, sizeof none - 1, states, sizeof states - 1, &err), 0);
    assert_int_equal(jobs.list.n, 0);
    ge_jobs_free(&jobs);
}

static void a_lost_host_is_down_and_a_closed_one_drained(void **state)
{
    struct cell c;

    (void)state;
    open_cell(&c, "07-host-lost");
    assert_int_equal(c.hosts.list.v[2].desc.state, NODE_DOWN);
    assert_int_equal(c.hosts.list.v[0].desc.state, NODE_IDLE);
    close_cell(&c);
    open_cell(&c, "05-disabled");
    size_t closed = 0;
    for (size_t i = 0; i < c.hosts.list.n; i++) {
        const struct node_desc *n = &c.hosts.list.v[i].desc;

        closed += n->state == NODE_DRAINED || n->state == NODE_DRAINING;
        assert_string_equal(n->classes[0].name, "batch"); /* closed ones too */
    }
    assert_int_equal(closed, 1);
    close_cell(&c);
}

/* Of what the host says, and its queues in these states. */
static void assert_explained(
    const char *batch, const char *debug, const char *thresholds, const char *want)
{
    static struct ge_value values[] = {{"np_load_avg", "4.597412", false},
        {"mem_free", "1.900G", false}, {"odd", NULL, false}};
    struct ge_instance instances[] = {
        {"batch", "BIP", batch, 4, 0}, {"debug", "BIP", debug, 4, 0}};
    struct ge_host h = {.desc = {.name = "cn01"}};
    struct ge_queues q = {0};
    struct arena arena = {0};
    struct strbuf text = {0};

    h.instances.v = instances;
    h.instances.n = 2;
    h.values.v = values;
    h.values.n = 3;
    strbuf_printf(&text, "qname batch\nload_thresholds %s\nqtype BATCH\n", thresholds);
    ge_read_queues(&q, text.text, text.len);
    const char *why = ge_explain_host(&h, &q, &arena);
    if (want == NULL)
        assert_null(why);
    else if (why == NULL || strcmp(why, want) != 0)
        fail_msg("%s %s %s: %s", batch, debug, thresholds, why ? why : "nothing");
    ge_queues_free(&q);
    arena_free(&arena);
    free(text.text);
}

static void letters_of_queues_are_told_in_words(void **state)
{
    static const char loaded[] =
        "queue batch takes no jobs at its load: np_load_avg is "
        "4.597, the threshold ",
                      mem[] =
                          "queue batch takes no jobs at its load: mem_free is 1.900, "
                          "the threshold 2G";
    char text[200];

    (void)state;
    assert_explained("", "", "NONE", NULL);
    snprintf(text, sizeof text, "%s1.75", loaded);
    assert_explained("a", "", "np_load_avg=1.75", text);
    assert_explained("a", "", "np_load_avg=9,[cn01=np_load_avg=1.75],[@x=odd=1]", text);
    assert_explained("a", "", "odd=1, np_load_avg=1.75", text);
    assert_explained("a", "", "np_load_avg=5,mem_free=2G", mem);
    assert_explained("a", "", "np_load_avg=5",
        "queue batch takes no jobs at its load (load_thresholds np_load_avg=5)");
    assert_explained("a", "", "NONE", "queue batch takes no jobs at its load");
    assert_explained("a", "d", "np_load_avg=4.5",
        "queue batch takes no jobs at its load: np_load_avg is 4.597, the threshold "
        "4.5; "
        "queue debug is disabled (qmod -e enables it)");
    assert_explained("au", "au", "NONE", "its sge_execd has not been heard of");
    assert_explained("", "E", "NONE",
        "queue debug is in an error state (qstat -f -explain E; qmod -cq clears it)");
    assert_explained("", "a", "NONE", "queue debug takes no jobs at its load");
}

/* As qrstat of 8.1.9 prints them. */
static void reservations_are_told_host_by_host(void **state)
{
    static const char none[] = "<?xml version='1.0'?><qrstat/>",
                      text[] = "<?xml version='1.0'?><qrstat><ar_summary><id>1</id>"
                               "<name>mine</name><owner>root</owner><state>w</state>"
                               "<start_time>2026-11-27T01:21:00</start_time>"
                               "<end_time>2026-11-27T01:51:00</end_time>"
                               "<granted_slots_list>"
                               "<granted_slots  queue_instance='batch@cn01' slots='4'/>"
                               "<granted_slots  queue_instance='batch@cn02' slots='2'/>"
                               "<granted_slots  queue_instance='debug@cn02' slots='1'/>"
                               "</granted_slots_list><acl_list><acl  user='alice'/>"
                               "<acl user='@staff'/></acl_list></ar_summary>"
                               "<ar_summary><id>7</id><owner>bob</owner>"
                               "<start_time>x</start_time></ar_summary></qrstat>";
    struct ge_reservations all;
    struct err err;

    (void)state;
    char *list = ge_list_reservations(none, sizeof none - 1, &err);
    assert_string_equal(list, "");
    free(list);
    list = ge_list_reservations(text, sizeof text - 1, &err);
    assert_string_equal(list, "1,7");
    free(list);
    assert_null(ge_list_reservations("<a>", 3, &err));
    assert_int_equal(ge_read_reservations(&all, text, sizeof text - 1, &err), 0);
    assert_int_equal(all.list.n, 1); /* the other has no time */
    const struct ge_reservation *r = &all.list.v[0];
    assert_int_equal(r->start_at, 1795742460);
    assert_int_equal(r->end_at - r->start_at, 1800);
    assert_int_equal(r->grants.n, 2);
    assert_string_equal(r->grants.v[1].host, "cn02");
    assert_int_equal(r->grants.v[1].slots, 3);
    assert_int_equal(r->users.n, 1);
    assert_string_equal(r->users.v[0], "alice");
    ge_reservations_free(&all);
    assert_int_equal(ge_read_reservations(&all, "<a>", 3, &err), -1);
    ge_reservations_free(&all);
}

static void holds_are_told_by_kind(void **state)
{
    static const char one[] =
        "<job_info><queue_info/><job_info><job_list state='pending'><JB_job_number>17"
        "</JB_job_number><tasks>1,3</tasks></job_list><job_list state='pending'>"
        "<JB_job_number>15</JB_job_number></job_list></job_info></job_info>";
    struct cell c;
    struct err err;

    (void)state;
    open_cell(&c, "02-queued-mix");
    assert_int_equal(
        ge_read_held(&c.jobs, GE_HELD_OPERATOR, one, sizeof one - 1, &err), 0);
    assert_int_equal(job_of(&c, "17[1]")->held, GE_HELD_OPERATOR);
    assert_int_equal(job_of(&c, "17[5]")->held, 0);
    assert_int_equal(job_of(&c, "15")->held, GE_HELD_OPERATOR);
    assert_int_equal(ge_read_held(&c.jobs, 1, "<x/>", 4, &err), -1);
    close_cell(&c);
}

static void what_a_start_overwrote_is_in_the_context(void **state)
{
    static const char detail[] =
        "<detailed_job_info><djob_info><element><JB_job_number>7</JB_job_number>"
        "<JB_owner>ann</JB_owner><JB_hard_queue_list><element><QR_name>maui_7</QR_name>"
        "</element></JB_hard_queue_list><JB_pe>mpi</"
        "JB_pe><JB_pe_range><ranges><RN_min>3"
        "</RN_min><RN_max>3</RN_max></ranges></JB_pe_range><JB_context><context_list>"
        "<VA_variable>maui_q</VA_variable><VA_value>batch;debug</VA_value></"
        "context_list>"
        "<context_list><VA_variable>maui_pe</VA_variable><VA_value>2-4</VA_value>"
        "</context_list></JB_context></element></djob_info></detailed_job_info>";
    static const char states[] = "<job_info><job_info><job_list><JB_job_number>7</"
                                 "JB_job_number><state>hqw</state>"
                                 "</job_list></job_info></job_info>";
    struct ge_jobs jobs;
    struct err err;

    (void)state;
    assert_int_equal(
        ge_read_jobs(&jobs, detail, sizeof detail - 1, states, sizeof states - 1, &err),
        0);
    const struct ge_job *j = ge_find_job(&jobs, "7");
    assert_true(j->kept.overwritten);
    assert_string_equal(j->kept.queues, "batch,debug");
    assert_int_equal(j->slots, 2);
    assert_int_equal(j->slots_most, 4);
    ge_jobs_free(&jobs);
}

static void a_queue_of_our_own_is_like_another(void **state)
{
    static const struct job_place places[] = {{"cn01", 3, 0}, {"cn02", 1, 0}};
    struct ge_queues q;

    (void)state;
    ge_read_queues(&q, definitions, strlen(definitions));
    assert_int_equal(q.list.n, 2);
    assert_string_equal(q.list.v[0].name, "batch");
    assert_string_equal(q.list.v[0].pes, "smp mpi rr two");
    char *text = ge_own_queue(&q.list.v[0], "maui_9", places, 2);
    assert_non_null(strstr(text, "qname maui_9\n"));
    assert_non_null(strstr(text, "hostlist cn01 cn02\n"));
    assert_non_null(strstr(text, "slots 0,[cn01=3],[cn02=1]\n"));
    assert_null(strstr(text, "slots                 4"));
    assert_non_null(strstr(text, "rr two"));
    free(text);
    ge_queues_free(&q);
}

/* As Grid Engine 8.1.9 writes them: what a user asked for, its colons too. */
static void a_colon_in_what_was_asked_for_shifts_no_field(void **state)
{
#define ASKED(number, category)                                                        \
    "batch:cn01:ann:ann:true:" number ":sge:0:1795726833:1795726835:1795726837:0:0:2:" \
    "0.009718:0.009282:4672.000000:0:0:0:0:1073:0:0:0.000000:8:0:0:0:15:12:NONE:"      \
    "defaultdepartment:NONE:1:0:0.019000:0.000000:0.000000:" category                  \
    ":0.000000:NONE:3981312.000000:0:0\n"
    static const char file[] = ASKED("3", "-l arch=lx*|a:b,h_rt=600")
        ASKED("4", "-l arch=x:1.5:1.cn01:9000000000.5:0:0") ASKED("5", "NONE");
    struct ge_jobs ends;

    (void)state;
    ge_read_ends(&ends, file, sizeof file - 1, 0);
    assert_int_equal(ends.list.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ends.list.v[i].rm.mem_mb, 4);
        assert_int_equal(ends.list.v[i].rm.end.reason, ENDED_BY_ITSELF);
    }
    assert_int_equal(ends.list.v[0].rm.desc.wclimit_s, 600);
    ge_jobs_free(&ends);
}

static void ends_are_the_last_run_of_each_job(void **state)
{
#define LINE(number, task, failed, status, wall, end)                                  \
    "batch:cn01:g:ann:job:" number ":sge:0:1000:1010:" end ":" failed ":" status       \
    ":" wall ":1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:NONE:dept:NONE:1:" task               \
    ":2.5:0:0:-l h_rt=60:0:NONE:1048576:0:0\n"
    static const char file[] = "cut off:" LINE("3", "0", "0", "0", "5", "1020")
        LINE("7", "0", "25", "0", "5", "1021") LINE("7", "0", "0", "3", "5", "1030")
            LINE("8", "2", "100", "137", "61", "1040")
                LINE("9", "0", "27", "0", "0", "1050")
                    LINE("10", "0", "100", "143", "4", "1060");
    struct ge_jobs ends;

    (void)state;
    ge_read_ends(&ends, file, sizeof file - 1, 1000);
    const struct ge_job *j = ge_find_job(&ends, "7");
    assert_int_equal(j->rm.exit_status, 3);
    assert_int_equal(j->rm.end.reason, ENDED_BY_ITSELF);
    assert_int_equal(j->rm.end_at, 1030);
    j = ge_find_job(&ends, "8[2]");
    assert_int_equal(j->rm.end.reason, ENDED_WALLCLOCK);
    assert_int_equal(ge_find_job(&ends, "9")->rm.end.reason, ENDED_START);
    assert_int_equal(ge_find_job(&ends, "10")->rm.end.reason, ENDED_SIGNAL);
    ge_jobs_free(&ends);
    ge_read_ends(&ends, file, sizeof file - 1, 1055);
    assert_int_equal(ends.list.n, 1);
    ge_jobs_free(&ends);
}

static void what_is_no_answer_is_an_error(void **state)
{
    static const char *const wrong[] = {
        "", "<", "<a/>", "error: commlib error", "<job_info>"};
    static const char none[] = "<job_info><queue_info/><job_info/></job_info>";
    struct ge_jobs jobs;
    struct ge_hosts hosts;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t n = strlen(wrong[i]);

        assert_int_equal(
            ge_read_jobs(&jobs, wrong[i], n, none, sizeof none - 1, &err), -1);
        assert_non_null(strstr(err.text, "qstat"));
        ge_jobs_free(&jobs);
        assert_int_equal(ge_read_hosts(&hosts, wrong[i], n, &err), -1);
        assert_non_null(strstr(err.text, "qhost"));
        ge_hosts_free(&hosts);
    }
}

static void sizes_and_times_are_read(void **state)
{
    (void)state;
    assert_int_equal(ge_size_mb("512M"), 512);
    assert_int_equal(ge_size_mb("23.5G"), 24064);
    assert_int_equal(ge_size_mb("1000k"), 1);
    assert_int_equal(ge_size_mb("-"), -1);
    assert_int_equal(ge_size_mb("5x"), -1);
    assert_int_equal(ge_seconds("1:00:00"), 3600);
    assert_int_equal(ge_seconds("600"), 600);
    assert_int_equal(ge_seconds("INFINITY"), -1);
    assert_int_equal(ge_seconds("soon"), -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_cell_has_hosts_and_no_jobs),
        cmocka_unit_test(waiting_jobs_ask_as_their_users_did),
        cmocka_unit_test(what_was_changed_is_read_as_what_was_submitted),
        cmocka_unit_test(a_job_that_is_too_long_is_known_to_be_there),
        cmocka_unit_test(tasks_of_an_array_wait_for_what_it_waits_for),
        cmocka_unit_test(queues_that_are_wished_for_come_first),
        cmocka_unit_test(tasks_wait_for_their_own_of_a_big_array),
        cmocka_unit_test(an_uneven_job_is_told_slot_by_slot),
        cmocka_unit_test(what_has_begun_is_read_alone),
        cmocka_unit_test(states_are_what_their_letters_say),
        cmocka_unit_test(elements_without_a_name_of_xml_are_read),
        cmocka_unit_test(a_lost_host_is_down_and_a_closed_one_drained),
        cmocka_unit_test(reservations_are_told_host_by_host),
        cmocka_unit_test(holds_are_told_by_kind),
        cmocka_unit_test(what_a_start_overwrote_is_in_the_context),
        cmocka_unit_test(a_queue_of_our_own_is_like_another),
        cmocka_unit_test(a_colon_in_what_was_asked_for_shifts_no_field),
        cmocka_unit_test(ends_are_the_last_run_of_each_job),
        cmocka_unit_test(letters_of_queues_are_told_in_words),
        cmocka_unit_test(what_is_no_answer_is_an_error),
        cmocka_unit_test(sizes_and_times_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
