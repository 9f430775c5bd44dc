/* SPDX-License-Identifier: Apache-2.0
 * slurm.conf changed in place, and what is changed in it. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/conf.h"
#include "rm/slurm/ownlines.h"
#include "rm/slurm/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* after those it needs */
#include <cmocka.h>

static char folder[64];

static char *in_folder(const char *name)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/%s", folder, name);
    return strbuf_take(&b);
}

static void write_file(const char *name, const char *text)
{
    char *path = in_folder(name);
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    fclose(f);
    free(path);
}

static struct conf *load(const char *text)
{
    char *path = in_folder("slurm.conf");
    struct err err = {0};
    struct conf *c;

    write_file("slurm.conf", text);
    c = conf_load(path, &err);
    if (c == NULL)
        fail_msg("%s", err.text);
    free(path);
    return c;
}

static void expect_text(struct conf *c, size_t file, const char *text)
{
    char *is = conf_text(c, file);

    assert_string_equal(is, text);
    free(is);
}

static void test_reads_as_slurm_does(void **state)
{
    struct conf *c = load("# PriorityType=no\n"
                          "prioritytype = priority/basic # yes\n"
                          "A=1 B=\"two words\"   C=3\\\n"
                          "4\n"
                          "D=x\\#y\r\n"
                          "NodeName=n1 Epilog=no\n"
                          "A=2\n");

    (void)state;
    assert_string_equal(conf_value(c, "PriorityType"), "priority/basic");
    assert_int_equal(conf_find(c, "PriorityType")->line, 2);
    assert_string_equal(conf_value(c, "a"), "2");
    assert_string_equal(conf_value(c, "B"), "two words");
    assert_string_equal(conf_value(c, "C"), "34");
    assert_string_equal(conf_value(c, "D"), "x\\#y");
    assert_null(conf_value(c, "Epilog"));
    conf_free(c);
}

static void test_changes_only_what_is_asked(void **state)
{
    struct conf *c = load("# ours\n"
                          "  X=1,\\\n"
                          "2   # why\n"
                          "Y=\"a b\" Z=3\r\n"
                          "Z=4");

    (void)state;
    conf_set(c, "x", "9");
    conf_set(c, "Y", "c d");
    conf_set(c, "Z", "5");
    conf_set(c, "W", "w");
    conf_set(c, "V", "v v");
    expect_text(c, 0,
        "# ours\n"
        "  X=9   # why\n"
        "Y=\"c d\" Z=3\r\n"
        "Z=5\n"
        "W=w\n"
        "V=\"v v\"\n");
    conf_free(c);
}

static void test_nothing_asked_changes_nothing(void **state)
{
    static const char *const texts[] = {"", "\n", "A", "A=1\\", "A=1 \\\n\\\n", "=\n",
        "A=\"open\nB=2\n", "#\\\nA=1\n", "A==b\n", "\\"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct conf *c = load(texts[i]);

        expect_text(c, 0, texts[i]);
        conf_free(c);
    }
}

static void test_included_files_are_changed_where_they_are(void **state)
{
    struct conf *c;

    (void)state;
    write_file("trial.conf", "Include slurm.conf\nSchedulerType=sched/builtin\n");
    c = load("ClusterName=trial\nINCLUDE %c.conf\nMinJobAge=5\n");
    assert_int_equal(c->files.n, 2);
    conf_set(c, "SchedulerType", "sched/backfill");
    expect_text(c, 0, "ClusterName=trial\nINCLUDE %c.conf\nMinJobAge=5\n");
    expect_text(c, 1, "Include slurm.conf\nSchedulerType=sched/backfill\n");
    conf_free(c);
}

static void test_a_missing_file_is_named(void **state)
{
    char *path = in_folder("slurm.conf");
    struct err err = {0};

    (void)state;
    write_file("slurm.conf", "Include nowhere.conf\n");
    assert_null(conf_load(path, &err));
    assert_non_null(strstr(err.text, "nowhere.conf"));
    free(path);
}

/* ---- rules ---- */

static const char *get(void *ctx, const char *key)
{
    return conf_value(ctx, key);
}

static const char *advised(struct setting_advices *a, const char *key)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->v[i].key, key) == 0 && a->v[i].instead != NULL)
            return a->v[i].instead;
    return NULL;
}

/* What is advised for a key in such a file; owned. */
static char *advice(const char *text, const char *key)
{
    struct conf *c = load(text);
    struct setting_advices a = {0};
    const char *found;
    char *result;

    settings_judge(get, c, &a);
    found = advised(&a, key);
    result = found != NULL ? xstrdup(found) : NULL;
    settings_free(&a);
    conf_free(c);
    return result;
}

static const struct rule {
    const char *text, *key, *instead;
} rules[] = {
    {"", "JobSubmitPlugins", "lua"},
    {"JobSubmitPlugins=require_timelimit\n", "JobSubmitPlugins",
        "require_timelimit,lua"},
    {"JobSubmitPlugins=lua,defaults\n", "JobSubmitPlugins", NULL},
    {"", "JobCompType", "jobcomp/lua"},
    {"JobCompType=jobcomp/none\n", "JobCompType", "jobcomp/lua"},
    {"JobCompType=jobcomp/elasticsearch\n", "JobCompType", NULL},
    {"", "PriorityType", "priority/multifactor"},
    {"", "SchedulerType", NULL},
    {"SchedulerType=sched/builtin\n", "SchedulerType", "sched/backfill"},
    {"", "SchedulerParameters",
        "batch_sched_delay=0,sched_min_interval=0,default_queue_depth=10000,bf_"
        "interval=1"},
    {"SchedulerParameters=defer,bf_interval=3,Batch_Sched_Delay=7,default_queue_depth="
     "90000\n",
        "SchedulerParameters",
        "defer,bf_interval=3,batch_sched_delay=0,default_queue_depth=90000,"
        "sched_min_interval=0"},
    {"SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,"
     "default_queue_depth=10000,bf_interval=1\n",
        "SchedulerParameters", NULL},
    {"SchedulerParameters=assoc_limit_stop,batch_sched_delay=0,sched_min_interval=0,"
     "default_queue_depth=10000,bf_interval=1,assoc_limit_stop_not=1\n",
        "SchedulerParameters",
        "batch_sched_delay=0,sched_min_interval=0,default_queue_depth=10000,"
        "bf_interval=1,assoc_limit_stop_not=1"},
    {"", "PreemptType", NULL},
    {"PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG\n", "PreemptType",
        "preempt/none"},
    {"PreemptType=preempt/qos\nPreemptMode=SUSPEND,GANG\n", "PreemptMode", "GANG"},
    {"PreemptMode=REQUEUE\n", "PreemptMode", "OFF"},
    {"MinJobAge=0\n", "MinJobAge", NULL},
    {"MinJobAge=10\n", "MinJobAge", "300"},
    {"", "Epilog", "/bin/true"},
    {"Epilog=/usr/sbin/mine\n", "Epilog", NULL},
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *r = &rules[i];
        char *instead = advice(r->text, r->key);

        if (r->instead == NULL && instead != NULL)
            fail_msg("%s: %s=%s was not expected", r->text, r->key, instead);
        if (r->instead != NULL && (instead == NULL || strcmp(instead, r->instead) != 0))
            fail_msg("%s: %s=%s, expected %s", r->text, r->key,
                instead ? instead : "nothing", r->instead);
        free(instead);
    }
}

static const struct gravity {
    const char *text, *key;
    int weight; /* -1: nothing is said of it */
} gravities[] = {
    {"JobSubmitPlugins=lua\n", "JobSubmitPlugins", SETTING_NOTE},
    {"JobSubmitPlugins=lua,maui\n", "JobSubmitPlugins", -1},
    {"JobSubmitPlugins=maui,lua\n", "JobSubmitPlugins", SETTING_WARNING},
    {"JobSubmitPlugins=maui\n", "JobSubmitPlugins", SETTING_ERROR},
    {"", "PrioritySiteFactorPlugin", -1},
    {"PrioritySiteFactorPlugin=site_factor/none\n", "PrioritySiteFactorPlugin", -1},
    {"PrioritySiteFactorPlugin=site_factor/ours\n", "PrioritySiteFactorPlugin",
        SETTING_ERROR},
    {"MCSPlugin=mcs/none\n", "MCSPlugin", -1},
    {"MCSPlugin=mcs/group\n", "MCSPlugin", SETTING_NOTE},
    {"JobRequeue=1\n", "JobRequeue", -1},
    {"JobRequeue=0\n", "JobRequeue", SETTING_NOTE},
    {"OverTimeLimit=5\n", "OverTimeLimit", -1},
    {"OverTimeLimit=UNLIMITED\n", "OverTimeLimit", SETTING_NOTE},
};

static void test_how_grave_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gravities / sizeof gravities[0]; i++) {
        const struct gravity *g = &gravities[i];
        struct conf *c = load(g->text);
        struct setting_advices a = {0};
        int weight = -1;

        settings_judge(get, c, &a);
        for (size_t k = 0; k < a.n; k++)
            if (strcmp(a.v[k].key, g->key) == 0)
                weight = (int)a.v[k].weight;
        if (weight != g->weight)
            fail_msg("%s: weight %d, expected %d", g->text, weight, g->weight);
        settings_free(&a);
        conf_free(c);
    }
}

/* What was advised and done needs no advice. */
static void test_once_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct conf *c = load(rules[i].text);
        struct setting_advices a = {0}, again = {0};

        settings_judge(get, c, &a);
        for (size_t k = 0; k < a.n; k++)
            if (a.v[k].instead != NULL)
                conf_set(c, a.v[k].key, a.v[k].instead);
        char *text = conf_text(c, 0);
        conf_free(c);
        c = load(text);
        settings_judge(get, c, &again);
        for (size_t k = 0; k < again.n; k++)
            assert_null(again.v[k].instead);
        settings_free(&a);
        settings_free(&again);
        conf_free(c);
        free(text);
    }
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/maui-slurmconf-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *path = in_folder(i ? "trial.conf" : "slurm.conf");

        unlink(path);
        free(path);
    }
    return rmdir(folder);
}

/* ---- back, where the file was edited since ---- */

#define BEFORE "A=1\nB=x,\\\ny\n# theirs\nC=3"
#define AFTER  "A=9\nB=x,y,z\n# theirs\nC=3\n# ours\nD=4\nE=5\n"

static void check_back(const char *now, const char *expected)
{
    struct err err = {0};
    char *text = ownlines_take("slurm.conf", now, BEFORE, AFTER, &err);

    assert_string_equal(text != NULL ? text : err.text, expected);
    free(text);
}

static void what_was_written_is_taken_out_of_what_was_edited(void **state)
{
    (void)state;
    check_back(AFTER "F=6\n", "A=1\nB=x,\\\ny\n# theirs\nC=3\nF=6\n");
    check_back("# new\nA=9\nB=x,y,z\nC=4\n# ours\nD=4\nbetween=1\nE=5\n",
        "# new\nA=1\nB=x,\\\ny\nC=4\nbetween=1\n");
    /* lines that are elsewhere now, are gone, or are as they were before already */
    check_back("E=5\nB=x,y,z\nA=9\n", "A=1\nB=x,\\\ny\n");
    check_back("A=1\nB=x,\\\ny\n# theirs\n", "A=1\nB=x,\\\ny\n# theirs\n");
}

static void of_lines_that_read_alike_that_which_was_written_goes(void **state)
{
    (void)state;
    struct err err = {0};
    char *text = ownlines_take("slurm.conf", "M=3\nx\nM=3\ny\nz\n", "M=3\nx\nM=1\ny\n",
        "M=3\nx\nM=3\ny\n", &err);

    assert_non_null(text);
    assert_string_equal(text, "M=3\nx\nM=1\ny\nz\n");
    free(text);
}

static void check_refused(const char *now, const char *words)
{
    struct err err = {0};

    assert_null(ownlines_take("slurm.conf", now, BEFORE, AFTER, &err));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_non_null(strstr(err.text, words));
}

static void a_line_of_its_own_that_was_edited_is_named(void **state)
{
    (void)state;
    check_refused("new=1\nA=9\nB=x,y,z\n# ours\nd=5\nE=5\n", "slurm.conf:5: ");
    check_refused("A=9\nB=x,y,zz\n", "slurm.conf:2: ");
    check_refused("B=x,y,z\n", "A=9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_as_slurm_does),
        cmocka_unit_test(test_changes_only_what_is_asked),
        cmocka_unit_test(test_nothing_asked_changes_nothing),
        cmocka_unit_test(test_included_files_are_changed_where_they_are),
        cmocka_unit_test(test_a_missing_file_is_named),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_how_grave_it_is),
        cmocka_unit_test(test_once_is_enough),
        cmocka_unit_test(what_was_written_is_taken_out_of_what_was_edited),
        cmocka_unit_test(of_lines_that_read_alike_that_which_was_written_goes),
        cmocka_unit_test(a_line_of_its_own_that_was_edited_is_named),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
