/* SPDX-License-Identifier: Apache-2.0
 * Records of nodes and jobs, in both forms. */
#include "base/duration.h"
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "config/texts.h"
#include "rm/wiki/record.h"

#include <stdio.h>
#include <string.h>

struct scene {
    struct wiki_record record;
    struct wiki_room room;
    struct node_desc node;
    struct rm_job job;
    struct err err;
};

static int begin(void **state)
{
    *state = xcalloc(1, sizeof(struct scene));
    return 0;
}

static int end(void **state)
{
    struct scene *s = *state;

    wiki_record_fini(&s->record);
    wiki_room_fini(&s->room);
    free(s);
    return 0;
}

static int split(struct scene *s, const char *text, enum wiki_form form)
{
    s->err = (struct err){0};
    return wiki_split(&s->record, text, strlen(text), form, &s->err);
}

static const struct node_desc *node(
    struct scene *s, const char *text, enum wiki_form form)
{
    if (split(s, text, form) < 0
        || wiki_read_node(&s->record, &s->room, &s->node, &s->err) < 0)
        return NULL;
    return &s->node;
}

static const struct rm_job *job(struct scene *s, const char *text)
{
    if (split(s, text, WIKI_LINES) < 0
        || wiki_read_job(&s->record, &s->room, &s->job, &s->err) < 0)
        return NULL;
    return &s->job;
}

/* The ids of the records, one after the other. */
static void check_ids(const char *text, enum wiki_form form, const char *expected)
{
    const char *at = text, *record;
    struct wiki_record r = {0};
    char ids[100] = "";
    size_t n;

    while (wiki_next(&at, text + strlen(text), form, &record, &n)) {
        struct err err;

        strcat(ids, wiki_split(&r, record, n, form, &err) == 0 ? r.id : "!");
        strcat(ids, " ");
    }
    wiki_record_fini(&r);
    assert_string_equal(ids, expected);
}

static void records_are_found_in_both_forms(void **state)
{
    (void)state;
    check_ids("n1:STATE=Idle;#n2:STATE=Busy;OS=a\\#b;#n3:OS=\"x#y\";", WIKI_REPLY,
        "n1 n2 n3 ");
    check_ids("", WIKI_REPLY, "");
    check_ids("# of the room\nn1 STATE=Idle\n\n  n2 OS=\"open\nn3\tSTATE=Busy\r\n",
        WIKI_LINES, "n1 n2 n3 ");
    check_ids("j1:UNAME=u;COMMENT=5\" disk;#j2:UNAME=v;", WIKI_REPLY, "j1 ");
    check_ids("j1:UNAME=u;COMMENT=5\" disk;#j2:OS=a\\#b;", WIKI_BARE, "j1 j2 ");
    check_ids("two words\n", WIKI_LINES, "! ");
    check_ids("-rf X=1\na/b X=1\na,b X=1\n", WIKI_LINES, "! ! ! ");
}

/* Fields of the record, "NAME=VALUE" each. */
static void check_fields(
    struct scene *s, const char *text, enum wiki_form form, const char *expected)
{
    char fields[200] = "";

    assert_int_equal(split(s, text, form), 0);
    for (size_t i = 0; i < s->record.fields.n; i++) {
        const struct wiki_field *f = &s->record.fields.v[i];

        snprintf(fields + strlen(fields), sizeof fields - strlen(fields), "%s=%s|",
            f->name, f->value);
    }
    assert_string_equal(fields, expected);
}

static void a_quote_without_its_other_half_shields_nothing(void **state)
{
    struct scene *s = *state;

    check_fields(s, "j1:UNAME=u;COMMENT=5\" disk;STATE=Running;", WIKI_REPLY,
        "UNAME=u|COMMENT=5\" disk|STATE=Running|");
    check_fields(s, "j1:UNAME=u;COMMENT=5\" disk;STATE=Running;", WIKI_BARE,
        "UNAME=u|COMMENT=5\" disk|STATE=Running|");
    check_fields(s, "j1 UNAME=u COMMENT=5\";STATE=Running", WIKI_LINES,
        "UNAME=u|COMMENT=5\"|STATE=Running|");
    check_fields(s, "j3:UNAME=w;COMMENT=\"a;UNAME=root\";STATE=Idle;", WIKI_BARE,
        "UNAME=w|COMMENT=\"a;UNAME=root\"|STATE=Idle|");
    check_fields(s, "j3:COMMENT=5\\\";X=\"a;UNAME=root\";", WIKI_REPLY,
        "COMMENT=5\\\"|X=\"a;UNAME=root\"|");
}

static void a_node_is_read(void **state)
{
    struct scene *s = *state;
    const struct node_desc *d = node(s,
        "n1:STATE=Running;CPROC=4;APROC=1;A5=8192;AMEMORY=2048;CPULOAD=1.50;"
        "CCLASS=[batch:4][fast:2];FEATURE=big:red;SPEED=2.0;CRES=tape,2:disk;OS=a\\;b;"
        "UNHEARD=OF;PARTITION=DEFAULT;",
        WIKI_REPLY);

    assert_non_null(d);
    assert_int_equal(d->state, NODE_RUNNING);
    assert_int_equal(d->cfg.v[RES_PROCS], 4);
    assert_int_equal(d->cfg.v[RES_MEM], 8192);
    assert_int_equal(d->cfg.v[RES_SWAP], -1);
    assert_int_equal(d->util.v[RES_MEM], 6144);
    assert_true(d->measured && d->load > 1.4 && d->load < 1.6);
    assert_string_equal(d->classes[1].name, "fast");
    assert_int_equal(d->classes[1].count, 2);
    assert_null(d->classes[2].name);
    assert_string_equal(d->features[1], "red");
    assert_int_equal(d->gres[0].count, 2);
    assert_string_equal(d->gres[1].name, "disk");
    assert_int_equal(d->gres[1].count, 1);
    assert_string_equal(d->os, "a;b");
}

static void generic_resources_are_told_in_two_ways(void **state)
{
    struct scene *s = *state;
    const struct node_desc *d = node(s, "n1 STATE=Idle CRES=tape:2,disk:3", WIKI_LINES);

    assert_non_null(d);
    assert_int_equal(d->gres[0].count, 2);
    assert_int_equal(d->gres[1].count, 3);
    d = node(s, "n1 STATE=Idle CRES=[NONE] CCLASS=NONE", WIKI_LINES);
    assert_null(d->gres);
    assert_null(d->classes);
}

static void a_waiting_job_is_read(void **state)
{
    struct scene *s = *state;
    const struct rm_job *j = job(s,
        "j17 STATE=Idle UNAME=mira GNAME=staff WCLIMIT=1:00:00 TASKS=4 DPROCS=2 "
        "DMEM=500 "
        "RMEM=2048 RMEMCMP=\">=\" RFEATURES=big:red RCLASS=[batch:1] QUEUETIME=1000 "
        "STARTDATE=2000 ENDDATE=9000 PARTITIONMASK=a:b QOS=high ACCOUNT=phys "
        "NAME=\"two words\" RESACCESS=sys.1 HOSTLIST=n1:n1:n2 "
        "FLAGS=RESTARTABLE:STRANGE "
        "GRES=tape:1");
    const struct req_desc *r;

    assert_non_null(j);
    r = j->desc.reqs;
    assert_int_equal(j->desc.state, JOB_IDLE);
    assert_string_equal(j->desc.cred[CRED_USER], "mira");
    assert_string_equal(j->desc.cred[CRED_GROUP], "staff");
    assert_string_equal(j->desc.cred[CRED_CLASS], "batch");
    assert_string_equal(j->desc.cred[CRED_QOS], "high");
    assert_int_equal(j->desc.wclimit_s, 3600);
    assert_int_equal(r->tasks, 4);
    assert_int_equal(r->per_task.v[RES_PROCS], 2);
    assert_int_equal(r->per_task.v[RES_MEM], 500);
    assert_int_equal(r->mem.op, CMP_GE);
    assert_int_equal(r->mem.value, 2048);
    assert_string_equal(r->features[0], "big");
    assert_string_equal(r->hosts[2], "n2");
    assert_int_equal(j->desc.release_at, 2000);
    assert_int_equal(j->desc.deadline_at, 9000);
    assert_string_equal(j->desc.partitions[1], "b");
    assert_string_equal(j->desc.advres, "sys.1");
    assert_string_equal(j->name, "two words");
    assert_int_equal(j->desc.flags, JOB_RESTARTABLE);
    assert_string_equal(r->gres[0].name, "tape");
}

static void a_running_job_is_where_its_tasks_are(void **state)
{
    struct scene *s = *state;
    const struct rm_job *j = job(
        s, "j1 STATE=Running UNAME=root TASKS=4 STARTTIME=500 TASKLIST=n2:n1:n2:n2");

    assert_non_null(j);
    assert_int_equal(j->nplaces, 2);
    assert_string_equal(j->places[0].node, "n2");
    assert_int_equal(j->places[0].tasks, 3);
    assert_int_equal(j->places[1].tasks, 1);
    assert_int_equal(j->start_at, 500);
    assert_ptr_equal(j->desc.places, j->places);
    /* its group is looked up where it is not said */
    assert_string_equal(j->desc.cred[CRED_GROUP], "root");
    j = job(s, "j1 STATE=Running UNAME=no-such-user-here");
    assert_string_equal(j->desc.cred[CRED_GROUP], "NOGROUP");
    /* rubbish is not a question to the directory for each of its lines */
    for (int i = 0; i < 5000; i++) {
        char line[80];

        snprintf(line, sizeof line, "j%d STATE=Running UNAME=no-such-user-%d", i, i);
        j = job(s, line);
        assert_string_equal(j->desc.cred[CRED_GROUP], "NOGROUP");
    }
    assert_int_equal(s->room.unknown, 1000);
    j = job(s, "j1 STATE=Running UNAME=root");
    assert_string_equal(j->desc.cred[CRED_GROUP], "root");
}

static void every_state_has_a_meaning(void **state)
{
    static const struct {
        const char *word;
        enum job_state state;
        uint8_t hold;
    } states[] = {{"Idle", JOB_IDLE, 0}, {"hold", JOB_HOLD, HOLD_USER},
        {"SystemHold", JOB_HOLD, HOLD_SYSTEM}, {"Starting", JOB_STARTING, 0},
        {"Running", JOB_RUNNING, 0}, {"Suspended", JOB_SUSPENDED, 0},
        {"Completed", JOB_COMPLETED, 0}, {"Cancelled", JOB_REMOVED, 0},
        {"Removed", JOB_REMOVED, 0}, {"Vacated", JOB_VACATED, 0},
        {"Unknown", JOB_UNKNOWN, 0}};
    struct scene *s = *state;

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        char text[80];
        const struct rm_job *j;

        snprintf(text, sizeof text, "j STATE=%s UNAME=root", states[i].word);
        j = job(s, text);
        assert_non_null(j);
        assert_int_equal(j->desc.state, states[i].state);
        assert_int_equal(j->desc.rm_hold, states[i].hold);
    }
}

static void an_end_says_why(void **state)
{
    struct scene *s = *state;
    const struct rm_job *j =
        job(s, "j STATE=Removed UNAME=root WCLIMIT=10 STARTTIME=100 COMPLETETIME=110");

    assert_int_equal(j->end.reason, ENDED_WALLCLOCK);
    j = job(
        s, "j STATE=Removed UNAME=root WCLIMIT=10 STARTTIME=100 COMPLETIONTIME=105");
    assert_int_equal(j->end.reason, ENDED_CANCELLED);
    j = job(s, "j STATE=Completed UNAME=root EXITSTATUS=3 COMPLETIONTIME=105");
    assert_int_equal(j->exit_status, 3);
    assert_int_equal(j->end_at, 105);
}

static void limits_may_be_none(void **state)
{
    struct scene *s = *state;

    assert_int_equal(job(s, "j UNAME=root")->desc.wclimit_s, 0);
    assert_true(
        job(s, "j UNAME=root WCLIMIT=-1")->desc.wclimit_s == DURATION_UNLIMITED);
    assert_null(job(s, "j UNAME=root PARTITIONMASK=ANY")->desc.partitions);
}

static void what_is_wrong_is_said(void **state)
{
    static const char *const wrong[][2] = {
        {"j STATE=Idle", "j: it has no UNAME="},
        {"j UNAME=root STATE=Odd", "STATE=Odd: expected Idle, Hold"},
        {"j UNAME=root TASKS=x", "j: TASKS=x: expected a whole number"},
        {"j UNAME=root TASKS=-1", "TASKS=-1"},
        {"j UNAME=root TASKS=99999999999999999999", "TASKS=9"},
        {"j UNAME=root WCLIMIT=soon", "WCLIMIT=soon: expected a time"},
        {"j UNAME=root RCLASS=[a:b]", "expected names, each with how many"},
        {"j root", "j: expected FIELD=VALUE instead of 'root'"},
        {"=x", "no id: '=x'"},
        {"0123456789012345678901234567890123456789012345678901234567890123 UNAME=a",
            "longer than 63 bytes"},
        {".. UNAME=a", "no id: '..'"},
        {". UNAME=a", "and not . or .."},
        {"-rf UNAME=a", "no id: '-rf'"},
        {"a\xff UNAME=a", "expected UTF-8"},
        {"a\x1b[2J UNAME=a", "control characters"},
    };
    struct scene *s = *state;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(job(s, wrong[i][0]));
        if (strstr(s->err.text, wrong[i][1]) == NULL)
            fail_msg("%s: %s", wrong[i][0], s->err.text);
    }
    assert_null(node(s, "n STATE=Odd", WIKI_LINES));
    assert_null(node(s, "n STATE=Idle CPULOAD=nan", WIKI_LINES));
    assert_int_equal(wiki_split(&s->record, "a\0b", 3, WIKI_LINES, &s->err), -1);
}

/* "j UNAME=root", and so often the same behind it. Owned. */
static char *repeat(const char *first, const char *again, size_t n)
{
    struct strbuf text = {0};

    strbuf_add(&text, first);
    for (size_t i = 0; i < n; i++)
        strbuf_add(&text, again);
    return strbuf_take(&text);
}

/* What a server has no end of costs no more than its length, and is not taken. */
static void what_is_too_long_is_not_taken(void **state)
{
    struct scene *s = *state;
    char *tasks = repeat("j UNAME=root STATE=Running TASKLIST=n1", ":n1", 400000);
    char *more = repeat("j UNAME=root TASKLIST=n1", ":n1", WIKI_PARTS_MOST);
    char *fields = repeat("j UNAME=root", " A=b", WIKI_FIELDS_MOST);

    assert_non_null(job(s, tasks));
    assert_int_equal(s->job.places[0].tasks, 400001);
    assert_null(job(s, more));
    assert_non_null(strstr(s->err.text, "expected a list of at most a million"));
    assert_null(job(s, fields));
    assert_non_null(strstr(s->err.text, "j: more than 1000 fields"));
    free(tasks);
    free(more);
    free(fields);
}

int main(void)
{
#define SCENE(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_found_in_both_forms),
        cmocka_unit_test_setup_teardown(
            a_quote_without_its_other_half_shields_nothing, begin, end),
        SCENE(a_node_is_read),
        SCENE(generic_resources_are_told_in_two_ways),
        SCENE(a_waiting_job_is_read),
        SCENE(a_running_job_is_where_its_tasks_are),
        SCENE(every_state_has_a_meaning),
        SCENE(an_end_says_why),
        SCENE(limits_may_be_none),
        SCENE(what_is_wrong_is_said),
        SCENE(what_is_too_long_is_not_taken),
    };

    return cmocka_run_group_tests_name("wiki", tests, NULL, NULL);
}
