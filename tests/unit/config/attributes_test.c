/* SPDX-License-Identifier: Apache-2.0
 * Attributes of sections reach their field (reference parameters.md 6, throttling.md 3
 * to 5, qos-credentials.md 3, node-allocation.md 4 and 5). */
#include "base/timeval.h"
#include "config/credcfg.h"
#include "config/settings.h"
#include "kit.h"

static const struct cred_cfg *cred(
    const struct config *c, enum cred_kind kind, const char *name)
{
    const struct cred_cfg *found = settings_find_cred(c->settings, kind, name);

    assert_non_null(found);
    return found;
}

static void common_attributes_are_read(void **state)
{
    struct config *c = load(
        "USERCFG[john] PRIORITY=-5 FSTARGET=25.5+ QDEF=geo QLIST=geo,chem,staff\n"
        "USERCFG[john] PLIST=general:test& PDEF=test ADEF=phys ALIST=phys,geo\n"
        "USERCFG[john] FLAGS=PREEMPTEE:ADVRES:res1 MAX.WCLIMIT=2:00:00 OVERRUN=-1\n"
        "GROUPCFG[staff] CLASSWEIGHT=7 JOBFLAGS=SPAN QDEF=dev^\n"
        "ACCTCFG[phys] MINPROC=4 OVERRUN=5:00\nSYSTEMCFG[base] PLIST= MAXJOB=100\n");
    const struct cred_cfg *john = cred(c, CRED_USER, "john");

    (void)state;
    assert_clean(c);
    assert_int_equal(john->priority, -5);
    assert_int_equal(john->fstarget.type, FS_TARGET_FLOOR);
    assert_true(john->fstarget.value == 25.5);
    assert_string_equal(john->qdef, "geo");
    assert_int_equal(john->qlist.names.n, 3);
    assert_int_equal(john->qlist.mode, LIST_OR);
    assert_int_equal(john->plist.mode, LIST_AND);
    assert_string_equal(john->pdef, "test");
    assert_string_equal(john->adef, "phys");
    assert_int_equal(john->alist.names.n, 2);
    assert_int_equal(john->job_flags, JOB_PREEMPTEE | JOB_ADVRES);
    assert_string_equal(john->advres.v[0], "res1");
    assert_int_equal(john->max_wclimit_s, 7200);
    assert_int_equal(john->overrun_s, DURATION_UNLIMITED);
    assert_int_equal(cred(c, CRED_GROUP, "staff")->class_weight, 7);
    assert_int_equal(cred(c, CRED_GROUP, "staff")->qlist.mode, LIST_ONLY);
    assert_false(cred(c, CRED_GROUP, "staff")->qlist.set);
    assert_int_equal(cred(c, CRED_ACCOUNT, "phys")->min_proc, 4);
    assert_int_equal(cred(c, CRED_ACCOUNT, "phys")->overrun_s, 300);
    assert_true(c->settings->sys.plist.set);
    assert_int_equal(c->settings->sys.plist.names.n, 0);
    assert_int_equal(c->settings->sys.active[LIMIT_JOB].hard, 100);
    config_destroy(c);
}

static void limits_of_every_resource_are_read(void **state)
{
    static const char *const names[LIMIT_RES_COUNT] = {
        "JOB", "PROC", "NODE", "PS", "PE", "WC", "MEM"};
    char text[200];

    (void)state;
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        const struct cred_cfg *qos;
        struct config *c;

        snprintf(text, sizeof text,
            "QOSCFG[q] MAX%s=2,8 MAXI%s=3,9 OMAX%s=4 OMAXI%s=5,6", names[r], names[r],
            names[r], names[r]);
        c = load(text);
        assert_clean(c);
        qos = cred(c, CRED_QOS, "q");
        assert_int_equal(qos->active[r].soft, 2);
        assert_int_equal(qos->active[r].hard, 8);
        assert_int_equal(qos->idle[r].soft, 9);
        assert_int_equal(qos->idle[r].hard, 9);
        assert_int_equal(qos->over_active[r].hard, 4);
        assert_int_equal(qos->over_idle[r].hard, 6);
        config_destroy(c);
        if (r == LIMIT_JOB)
            continue;
        snprintf(text, sizeof text, "QOSCFG[q] OMAXJ%s=11", names[r]);
        c = load(text);
        assert_clean(c);
        assert_int_equal(cred(c, CRED_QOS, "q")->over_job[r], 11);
        config_destroy(c);
    }
}

static void times_are_taken_where_walltime_is_limited(void **state)
{
    struct config *c = load("USERCFG[a] MAXWC=1:00:00,2:00:00 MAXIWC=-1\n"
                            "USERCFG[a] MAXPS=1:00:00\n");

    (void)state;
    assert_int_equal(cred(c, CRED_USER, "a")->active[LIMIT_WC].soft, 3600);
    assert_int_equal(cred(c, CRED_USER, "a")->active[LIMIT_WC].hard, 7200);
    assert_int_equal(cred(c, CRED_USER, "a")->idle[LIMIT_WC].hard, -1);
    assert_told(c, FINDING_ERROR, 2, "USERCFG[a].MAXPS");
    config_destroy(c);
}

/* throttling.md section 5 */
static void limits_within_limits_are_read(void **state)
{
    struct config *c = load("CLASSCFG[fast] MAXJOB[GROUP]=12 MAXPROC[USER:steve]=3 \\\n"
                            " MAXPROC[USER:bob]=4,5 MAXIJOB[ACCT]=2 MAXJOBPERUSER=7\n"
                            "CLASSCFG[fast] MAXPROC[USER:steve]=50\n"
                            "CLASSCFG[fast] MAXPROC[NOSUCH]=1 MAX.WCLIMIT[USER]=1\n");
    const struct cred_cfg *fast = cred(c, CRED_CLASS, "fast");
    const struct limit_within *w = fast->within.v;

    (void)state;
    assert_int_equal(fast->within.n, 5);
    assert_int_equal(w[0].res, LIMIT_JOB);
    assert_int_equal(w[0].other, CRED_GROUP);
    assert_null(w[0].name);
    assert_int_equal(w[0].limit.hard, 12);
    assert_string_equal(w[1].name, "steve");
    assert_int_equal(w[1].limit.hard, 50);
    assert_int_equal(w[2].limit.soft, 4);
    assert_true(w[3].idle);
    assert_int_equal(w[3].other, CRED_ACCOUNT);
    assert_int_equal(w[4].other, CRED_USER);
    assert_int_equal(w[4].limit.hard, 7);
    assert_int_equal(fast->active[LIMIT_JOB].hard, 0);
    assert_told(c, FINDING_ERROR, 4, "[NOSUCH] is not a credential");
    assert_told(c, FINDING_ERROR, 4, "takes no brackets");
    config_destroy(c);
}

static void qos_attributes_are_read(void **state)
{
    struct config *c =
        load("QOSCFG[hi] QTWEIGHT=10 XFWEIGHT=-2 QTTARGET=2:00:00 XFTARGET=1.5\n"
             "QOSCFG[hi] FLAGS=NOBF:IGNJOBPERUSER DEFAULT.WCLIMIT=1:00:00\n"
             "QOSCFG[hi] QFLAGS=PREEMPTOR:NOSUCH\n"
             "QOSCFG[hi] QLIST=a\n");
    const struct cred_cfg *hi = cred(c, CRED_QOS, "hi");

    (void)state;
    assert_true(hi->qt_weight == 10);
    assert_true(hi->xf_weight == -2);
    assert_int_equal(hi->qt_target_s, 7200);
    assert_true(hi->xf_target == 1.5);
    assert_int_equal(hi->qos_flags, QOS_PREEMPTOR);
    assert_int_equal(hi->ignore_active[CRED_USER], 0);
    assert_int_equal(hi->def_wclimit_s, 3600);
    assert_told(c, FINDING_WARNING, 3, "unknown QOS flag 'NOSUCH'");
    assert_told(c, FINDING_WARNING, 4, "QOSCFG has no attribute QLIST");
    config_destroy(c);
}

static void class_attributes_are_read(void **state)
{
    struct config *c =
        load("CLASSCFG[b] DEFAULT.FEATURES=fast:big DEFAULT.WCLIMIT=1:00:00\n"
             "CLASSCFG[b] MAX.WCLIMIT=INFINITY MIN.PROC=2 MAXPROCPERJOB=64\n"
             "CLASSCFG[b] MAXNODEPERJOB=8 MAXPROCPERNODE=4 OCNODE=n9\n"
             "QUEUECFG[b] NODEACCESSPOLICY=SINGLEUSER WCOVERRUN=60\n"
             "CLASSCFG[b] STATE=x NODEACCESSPOLICY=NOSUCH\n");
    const struct cred_cfg *b = cred(c, CRED_CLASS, "b");

    (void)state;
    assert_int_equal(b->def_features.n, 2);
    assert_string_equal(b->def_features.v[1], "big");
    assert_int_equal(b->def_wclimit_s, 3600);
    assert_int_equal(b->max_wclimit_s, DURATION_UNLIMITED);
    assert_int_equal(b->min_proc, 2);
    assert_int_equal(b->max_proc_per_job, 64);
    assert_int_equal(b->max_node_per_job, 8);
    assert_int_equal(b->max_proc_per_node, 4);
    assert_string_equal(b->ocnode, "n9");
    assert_int_equal(b->access, ACCESS_SINGLEUSER);
    assert_int_equal(b->overrun_s, 60);
    assert_told(c, FINDING_WARNING, 5, "has no effect");
    assert_told(c, FINDING_ERROR, 5, "'NOSUCH' is not one of");
    config_destroy(c);
}

/* ---- nodes ---- */

static void node_attributes_are_read(void **state)
{
    struct config *c =
        load("NODECFG[n1] PARTITION=math FEATURES=a:b,c NODETYPE=big\n"
             "NODECFG[n1] PROCSPEED=500 SPEED=1.5 FRAME=3 SLOT=4 SIZE=2\n"
             "NODECFG[n1] MAXJOB=2 MAXJOBPERUSER=1 MAXPROC=8 MAXPROCPERUSER=4\n"
             "NODECFG[n1] MAXPROC[CLASS:batch]=6 MAXPEPERJOB=50% MAXLOAD=2.5\n"
             "NODECFG[n1] NETWORK=ether,ib PRIORITY=0 GRES=tape:4,disk\n"
             "NODECFG[n1] CFGMEM=2g CFGSWAP=512 CFGDISK=1t RADISK=10 CFGPROCS=16\n"
             "NODECFG[DEFAULT] MAXJOB=9 FRAME=left\n"
             "NODECFG[GLOBAL] GRES=lic:10\n");
    const struct node_cfg *n = settings_find_node(c->settings, "n1");

    (void)state;
    assert_clean(c);
    assert_string_equal(n->partition, "math");
    assert_int_equal(n->features.n, 3);
    assert_string_equal(n->nodetype, "big");
    assert_int_equal(n->procspeed_mhz, 500);
    assert_true(n->speed == 1.5);
    assert_int_equal(n->frame, 3);
    assert_null(n->frame_name);
    assert_int_equal(n->slot, 4);
    assert_int_equal(n->size, 2);
    assert_int_equal(n->maxjob, 2);
    assert_int_equal(n->maxjob_per_user, 1);
    assert_int_equal(n->maxproc, 8);
    assert_int_equal(n->maxproc_per_user, 4);
    assert_string_equal(n->maxproc_class.v[0].name, "batch");
    assert_int_equal(n->maxproc_class.v[0].count, 6);
    assert_true(n->maxpe_per_job == 0.5);
    assert_true(n->maxload == 2.5);
    assert_int_equal(n->networks.n, 2);
    assert_true(n->priority_set);
    assert_int_equal(n->gres.v[0].count, 4);
    assert_int_equal(n->gres.v[1].count, 9999);
    assert_int_equal(n->cfg_mem_mb, 2048);
    assert_int_equal(n->cfg_swap_mb, 512);
    assert_int_equal(n->cfg_disk_mb, 1048576);
    assert_int_equal(n->ra_disk_mb, 10);
    assert_int_equal(n->cfg_procs, 16);
    assert_int_equal(c->settings->nodes.v[0].maxjob, 9);
    assert_string_equal(c->settings->nodes.v[0].frame_name, "left");
    assert_int_equal(settings_find_node(c->settings, "GLOBAL")->gres.v[0].count, 10);
    config_destroy(c);
}

static void node_values_out_of_range_are_errors(void **state)
{
    struct config *c =
        load("NODECFG[n] SPEED=0\nNODECFG[n] SPEED=101\nNODECFG[n] FRAME=65\n"
             "NODECFG[n] SLOT=33\nNODECFG[n] MAXPEPERJOB=101%\n"
             "NODECFG[n] CFGMEM=x\nNODECFG[n] GRES=4\n"
             "NODECFG[n] MAXPROC[USER:a]=1\nNODECFG[n] MAXPROC[CLASS]=1\n"
             "NODECFG[n] PRIORITYF='SPEED + '\nNODECFG[n] PRIORITYF='1'\n"
             "NODECFG[n] PRIORITYF='SPEED LOAD'\nNODECFG[n] PRIORITYF='SPEED\n"
             "NODECFG[n] MAXJOB[USER]=1\nNODECFG[n] LOADWEIGHT=x\n");

    (void)state;
    for (uint32_t line = 1; line <= 15; line++)
        assert_told(c, FINDING_ERROR, line, "NODECFG[n]");
    config_destroy(c);
}

/* node-allocation.md section 4 and N6, N7 */
static void node_priority_functions_are_read(void **state)
{
    static const struct {
        const char *text;
        enum nodeprio_term term;
        double coefficient;
        int terms;
    } rows[] = {{"'SPEED+ .01 * AMEM - 10 * JOBCOUNT'", NP_JOBCOUNT, -10, 3},
        {"'SPEED+ .01 * AMEM - 10 * JOBCOUNT'", NP_AMEM, 0.01, 3},
        {"-LOAD-5*USAGE", NP_LOAD, -1, 2}, {"'-LOAD - 5*USAGE'", NP_USAGE, -5, 2},
        {"'PRIORITY + APROCS'", NP_APROCS, 1, 2}, {"JOBCOUNT", NP_JOBCOUNT, 1, 1},
        {"'LOAD + -.01*SPEED'", NP_SPEED, -0.01, 2}, {"'LOAD--SPEED'", NP_SPEED, 1, 2},
        {"'2 LOAD'", NP_LOAD, 2, 1}, {"'2LOAD+3*LOAD'", NP_LOAD, 3, 1},
        {"'speed'", NP_SPEED, 1, 1}};
    char text[100];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct nodeprio *p;
        struct config *c;

        snprintf(text, sizeof text, "NODECFG[n] PRIORITYF=%s", rows[i].text);
        c = load(text);
        assert_clean(c);
        p = &settings_find_node(c->settings, "n")->priorityf;
        assert_true(p->set);
        assert_true(p->coef[rows[i].term] == rows[i].coefficient);
        assert_int_equal(__builtin_popcount(p->present), rows[i].terms);
        config_destroy(c);
    }
}

static void unknown_terms_are_left_out_and_old_weights_are_terms(void **state)
{
    struct config *c = load("NODECFG[a] PRIORITYF='LOAD + 2*SPED'\n"
                            "NODECFG[b] AVLMEMWEIGHT=.5 LOADWEIGHT=-3 PRIOWEIGHT=2\n");
    const struct nodeprio *b = &settings_find_node(c->settings, "b")->priorityf;

    (void)state;
    assert_told(c, FINDING_WARNING, 1, "'SPED' is left out; did you mean SPEED?");
    assert_int_equal(
        settings_find_node(c->settings, "a")->priorityf.present, 1u << NP_LOAD);
    assert_true(b->set);
    assert_true(b->coef[NP_AMEM] == 0.5);
    assert_true(b->coef[NP_LOAD] == -3);
    assert_true(b->coef[NP_PRIORITY] == 2);
    config_destroy(c);
}

/* ---- sections kept whole ---- */

static void sections_for_later_are_checked_and_kept(void **state)
{
    struct config *c = load(
        "SRCFG[debug] HOSTLIST=node[01-10],^gpu STARTTIME=8:00:00 MAXTIME=1:00*\n"
        "SRCFG[debug] USERLIST=ann,bob- USERLIST=!carl DAYS=Mon,TUE OWNER=ACCT:phys\n"
        "SRCFG[debug] RESOURCES=PROCS:1;MEM=512m TASKLIMIT=>=4 FLAGS=SPACEFLEX\n"
        "RMCFG[base] TYPE=PBS NMHOST=head TIMEOUT=1:00\n"
        "SRCFG[bad] HOSTLIST=node( DAYS=NODAY OWNER=ann RESOURCES=CPU:1 TASKLIMIT=x\n"
        "SRCFG[bad] RESOURCES=MEM:x TIMELIMIT=* PERIOD=MONTH FLAGS=NOSUCH OWNER=USER:\n"
        "RMCFG[bad] TYPE=NOSUCH TIMEOUT=2000 PORT=x\n"
        "AMCFG[bad] CHARGEPOLICY=NOSUCH APPENDMACHINENAME=maybe\n"
        "SCHEDCFG MODE=NOSUCH\nPARCFG[x] ANYTHING=1\n");
    const struct raw_object *debug = NULL;

    (void)state;
    for (size_t i = 0; i < c->settings->raw.n; i++)
        if (strcmp(c->settings->raw.v[i].name, "debug") == 0)
            debug = &c->settings->raw.v[i];
    assert_non_null(debug);
    assert_int_equal(debug->attrs.n, 10);
    assert_string_equal(debug->attrs.v[2].name, "TIMELIMIT");
    assert_string_equal(debug->attrs.v[2].value, "1:00*");
    assert_string_equal(debug->attrs.v[4].value, "!carl");
    assert_told(
        c, FINDING_NOTE, 4, "RMCFG[base].NMHOST is accepted, but not yet in force");
    for (uint32_t line = 1; line <= 4; line++)
        assert_false(told(c, FINDING_ERROR, line, ""));
    assert_told(c, FINDING_ERROR, 5, "HOSTLIST");
    assert_told(c, FINDING_ERROR, 5, "DAYS");
    assert_told(c, FINDING_ERROR, 5, "OWNER");
    assert_told(c, FINDING_ERROR, 5, "RESOURCES");
    assert_told(c, FINDING_ERROR, 5, "TASKLIMIT");
    assert_told(c, FINDING_ERROR, 6, "RESOURCES");
    assert_told(c, FINDING_ERROR, 6, "TIMELIMIT");
    assert_told(c, FINDING_ERROR, 6, "PERIOD");
    assert_told(c, FINDING_ERROR, 6, "FLAGS");
    assert_told(c, FINDING_ERROR, 6, "OWNER");
    assert_told(c, FINDING_ERROR, 7, "TYPE");
    assert_told(c, FINDING_ERROR, 7, "TIMEOUT");
    assert_told(c, FINDING_ERROR, 7, "PORT");
    assert_told(c, FINDING_ERROR, 8, "CHARGEPOLICY");
    assert_told(c, FINDING_ERROR, 9, "MODE");
    assert_told(c, FINDING_NOTE, 10, "PARCFG[x]");
    config_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_attributes_are_read),
        cmocka_unit_test(limits_of_every_resource_are_read),
        cmocka_unit_test(times_are_taken_where_walltime_is_limited),
        cmocka_unit_test(limits_within_limits_are_read),
        cmocka_unit_test(qos_attributes_are_read),
        cmocka_unit_test(class_attributes_are_read),
        cmocka_unit_test(node_attributes_are_read),
        cmocka_unit_test(node_values_out_of_range_are_errors),
        cmocka_unit_test(node_priority_functions_are_read),
        cmocka_unit_test(unknown_terms_are_left_out_and_old_weights_are_terms),
        cmocka_unit_test(sections_for_later_are_checked_and_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
