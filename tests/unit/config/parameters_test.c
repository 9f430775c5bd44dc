/* SPDX-License-Identifier: Apache-2.0
 * Parameters that are in force reach their field; old limits reach the new ones
 * (reference parameters.md 5, throttling.md 10). */
#include "base/timeval.h"
#include "config/settings.h"
#include "kit.h"

static void priority_parameters_reach_their_weights(void **state)
{
    struct config *c =
        load("SERVWEIGHT 2\nXFACTOR 3\nQUEUETIMEWEIGHT -4\nCREDCAP 100\n"
             "USAGEEXECUTIONTIMECAP 7\nUJOBWEIGHT -10\nUFSWEIGHT 5.5\n"
             "TARGCAP 6\nXFMINWCLIMIT 0\nJOBPRIOACCRUALPOLICY fullpolicy\n"
             "ENABLENEGJOBPRIORITY yes\nREJECTNEGPRIOJOBS off\n"
             "USESYSTEMQUEUETIME ON\n");
    const struct prio_settings *p = &c->settings->prio;

    (void)state;
    assert_clean(c);
    assert_true(p->comp_weight[PRIO_SERV] == 2);
    assert_true(p->weight[PRIO_XFACTOR] == 3);
    assert_true(p->weight[PRIO_QUEUETIME] == -4);
    assert_true(p->comp_cap[PRIO_CRED] == 100);
    assert_true(p->cap[PRIO_EXECUTIONTIME] == 7);
    assert_true(p->weight[PRIO_UJOB] == -10);
    assert_true(p->weight[PRIO_FSUSER] == 5.5);
    assert_true(p->comp_cap[PRIO_TARG] == 6);
    assert_int_equal(p->xfminwclimit_s, 0);
    assert_int_equal(p->accrual, ACCRUE_FULLPOLICY);
    assert_true(p->enable_negative);
    assert_false(p->reject_negative);
    assert_true(p->use_system_queue_time);
    config_destroy(c);
}

static void fairshare_policies_are_read(void **state)
{
    static const struct {
        const char *text;
        enum fs_policy policy;
        bool percent;
    } rows[] = {{"FSPOLICY DEDICATEDPS", FS_DEDICATEDPS, false},
        {"FSPOLICY DEDICATEDPES%", FS_DEDICATEDPES, true},
        {"FSPOLICY UTILIZEDPS", FS_UTILIZEDPS, false},
        {"FSPOLICY TRUE", FS_DEDICATEDPS, false},
        {"FSPOLICY ON%", FS_DEDICATEDPS, true},
        {"FSPOLICY PSDEDICATED", FS_DEDICATEDPS, false},
        {"FSPOLICY OFF", FS_OFF, false}, {"FSPOLICY [NONE]", FS_OFF, false},
        {"FSPOLICY NOSUCH", FS_OFF, false}, {"FSPOLICY %", FS_OFF, false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config *c = load(rows[i].text);

        assert_int_equal(c->settings->fs.policy, rows[i].policy);
        assert_int_equal(c->settings->fs.percent, rows[i].percent);
        config_destroy(c);
    }
}

static void backfill_words_of_all_ages_are_read(void **state)
{
    static const struct {
        const char *text;
        enum backfill_policy policy;
        enum backfill_order order;
    } rows[] = {{"BACKFILLPOLICY bestfit", BACKFILL_BESTFIT, BFORDER_WIDESTFIRST},
        {"BACKFILLPOLICY OFF", BACKFILL_NONE, BFORDER_WIDESTFIRST},
        {"BACKFILLPOLICY LAZY", BACKFILL_FIRSTFIT, BFORDER_WIDESTFIRST},
        {"BACKFILLTYPE GREEDY", BACKFILL_GREEDY, BFORDER_WIDESTFIRST},
        {"BACKFILLTYPE LONGESTFIRST", BACKFILL_FIRSTFIT, BFORDER_LONGESTFIRST},
        {"BACKFILLTYPE PREEMPT\nBACKFILLTYPE QUEUEORDER", BACKFILL_PREEMPT,
            BFORDER_QUEUEORDER},
        {"BACKFILLTYPE NOSUCH", BACKFILL_FIRSTFIT, BFORDER_WIDESTFIRST}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config *c = load(rows[i].text);

        assert_int_equal(c->settings->par.v[0].bf_policy, rows[i].policy);
        assert_int_equal(c->settings->par.v[0].bf_order, rows[i].order);
        config_destroy(c);
    }
}

static void policies_of_the_global_set_are_read(void **state)
{
    struct config *c =
        load("BACKFILLDEPTH 9\nSCHEDULINGCRITERIA PESECONDS\n"
             "RESERVATIONPOLICY NEVER\nRESERVATIONTHRESHOLDTYPE BYPASS\n"
             "RESERVATIONTHRESHOLDVALUE 4\nALLOCATIONPOLICY MAXBALANCE\n"
             "RESOURCEAVAILABILITYPOLICY DEDICATED:PROCS UTILIZED:MEM\n"
             "NODELOADPOLICY ADJUSTPROCS\nNODESETPOLICY ONEOF\n"
             "NODESETATTRIBUTE FEATURE\nNODESETLIST via myrinet,ethernet\n"
             "NODESETDELAY 0:30\nNODESETPRIORITYTYPE WORSTFIT\n"
             "NODESETTOLERANCE .5\nUSEMACHINESPEED TRUE\n"
             "SYSTEMMAXJOBPROC 64\nSYSTEMMAXJOBWALLTIME 1:00:00:00\n"
             "SYSTEMMAXPROCSECONDPERJOB -1\nJOBMAXSTARTTIME 5:00\n");
    const struct par_settings *p = &c->settings->par.v[0];

    (void)state;
    assert_clean(c);
    assert_int_equal(p->bf_depth, 9);
    assert_int_equal(p->bf_metric, BFMETRIC_PESECONDS);
    assert_int_equal(p->rsv_policy, RSVPOLICY_NEVER);
    assert_int_equal(p->rsv_threshold, RSVTHRESHOLD_BYPASS);
    assert_int_equal(p->rsv_threshold_value, 4);
    assert_int_equal(p->nodealloc, NODEALLOC_MAXBALANCE);
    assert_int_equal(p->avail[AVAIL_PROCS], AVAIL_DEDICATED);
    assert_int_equal(p->avail[AVAIL_MEM], AVAIL_UTILIZED);
    assert_int_equal(p->avail[AVAIL_DISK], AVAIL_COMBINED);
    assert_int_equal(p->load_policy, LOAD_ADJUSTPROCS);
    assert_int_equal(p->nodeset.policy, NODESET_ONEOF);
    assert_int_equal(p->nodeset.attr, NODESET_FEATURE);
    assert_int_equal(p->nodeset.list.n, 3);
    assert_int_equal(p->nodeset_delay_s, 30);
    assert_int_equal(p->nodeset_prio, NODESET_WORSTFIT);
    assert_true(p->nodeset_tolerance == 0.5);
    assert_true(p->use_machine_speed);
    assert_int_equal(p->max_proc_per_job, 64);
    assert_int_equal(p->max_wclimit_s, 86400);
    assert_int_equal(p->max_ps_per_job, 0);
    assert_int_equal(p->max_start_time_s, 300);
    config_destroy(c);
}

static void other_parameters_are_read(void **state)
{
    struct config *c =
        load("JOBMAXOVERRUN -1\nWCVIOLATIONACTION PREEMPT\n"
             "PREEMPTPOLICY SUSPEND\nENABLEMULTINODEJOBS no\n"
             "ENABLEMULTIREQJOBS 1\nJOBNODEMATCHPOLICY EXACTNODE EXACTPROC\n"
             "NODEACCESSPOLICY DEDICATED\nDEFERTIME 0\nDEFERCOUNT 3\n"
             "NODEMAXLOAD 2.5\nNODEDOWNSTATEDELAYTIME 1:00:00\n"
             "FEATUREPROCSPEEDHEADER sp$\nDEFAULTCLASSLIST [batch:4][long]\n"
             "SIMCPUSCALINGPERCENT 150\nSIMSTOPITERATION -1\n"
             "BFCHUNKSIZE 16\nBFCHUNKDURATION 10:00\nBFPRIORITYPOLICY DURATION\n"
             "QOSFEATURES[hi] fast big\nRMPOLLINTERVAL 30\n");
    const struct settings *s = c->settings;

    (void)state;
    assert_clean(c);
    assert_int_equal(s->job_max_overrun_s, -1);
    assert_int_equal(s->wc_action, WC_PREEMPT);
    assert_int_equal(s->preempt_policy, PREEMPT_SUSPEND);
    assert_false(s->enable_multinode_jobs);
    assert_true(s->enable_multireq_jobs);
    assert_true(s->match_exactnode && s->match_exactproc);
    assert_int_equal(s->node_access, ACCESS_SINGLEJOB);
    assert_int_equal(s->defer_time_s, 0);
    assert_int_equal(s->defer_count, 3);
    assert_true(s->node_maxload == 2.5);
    assert_int_equal(s->node_down_delay_s, 3600);
    assert_string_equal(s->feature_procspeed_header, "sp$");
    assert_int_equal(s->default_classes.n, 2);
    assert_int_equal(s->default_classes.v[0].count, 4);
    assert_true(s->sim_wc_scaling_percent == 150);
    assert_int_equal(s->sim_stop_iteration, 0);
    assert_int_equal(s->bf_chunk_size, 16);
    assert_int_equal(s->bf_chunk_duration_s, 600);
    assert_int_equal(s->bf_priority, BFPRIO_DURATION);
    assert_int_equal(settings_find_cred(s, CRED_QOS, "hi")->qos_features.n, 2);
    assert_int_equal(s->rm_poll_interval_s, 30);
    config_destroy(c);
}

/* A value each that ought not to be taken; the line number is that of the row. */
static void malformed_values_are_errors(void **state)
{
    struct config *c =
        load("NODEAVAILABILITYPOLICY DEDICATED:CPU\n"
             "JOBNODEMATCHPOLICY EXACTNODES\nRESOURCELIMITPOLICY MEM:NEVER\n"
             "RESOURCELIMITPOLICY MEM:ALWAYS:CANCEL:x\nUSESYSLOG maybe\n"
             "RMTYPE[0] NOSUCH\nSERVERPORT 70000\nLOGFACILITY fNOSUCH\n"
             "DEFAULTCLASSLIST 4\nDEFERTIME -1\nNODEMAXLOAD -1\n"
             "PLOTPROCSCALE 33\nQUEUETIMEWEIGHT 1x\nPURGETIME x\n"
             "FEATURENODETYPEHEADER two words\n");

    (void)state;
    for (uint32_t line = 1; line <= 15; line++)
        assert_told(c, FINDING_ERROR, line, "");
    config_destroy(c);
}

static void odd_but_right_values_are_taken(void **state)
{
    struct config *c =
        load("RESOURCELIMITPOLICY MEM:ALWAYS:CANCEL PROC "
             "MEM:EXTENDEDVIOLATION:SUSPEND:1:00\n"
             "USESYSLOG TRUE:local3\nLOGFACILITY fPBS:fWIKI fALL\n"
             "ALLOCLOCALITYPOLICY FORCED:2:frame\nRMTYPE[0] PBS:RMS\n"
             "SIMFLAGS IGNCLASS,IGNQOS\nADMIN1 root, ann\nTRAPJOB 1|2|3\n"
             "loglevel=3\n");

    (void)state;
    assert_clean(c);
    assert_int_equal(config_count(c, FINDING_ERROR), 0);
    config_destroy(c);
}

/* ---- limits of Maui 3.0 ---- */

static void old_limits_become_soft_and_hard(void **state)
{
    static const struct {
        const char *text;
        struct limit limit;
    } rows[] = {
        {"MAXJOBPERUSERPOLICY ON\nMAXJOBPERUSERCOUNT 6\nSMAXJOBPERUSERCOUNT 4", {4, 6}},
        {"MAXJOBPERUSERCOUNT 6\nSMAXJOBPERUSERCOUNT 4", {4, 6}},
        {"SMAXJOBPERUSERCOUNT 4\nMAXJOBPERUSERCOUNT 6", {4, 6}},
        {"MAXJOBPERUSERPOLICY OFF\nMAXJOBPERUSERCOUNT 6\nSMAXJOBPERUSERCOUNT 4",
            {0, 0}},
        {"MAXJOBPERUSERPOLICY ON\nMAXJOBPERUSERCOUNT 4,6", {4, 6}},
        {"MAXJOBPERUSERCOUNT 6", {6, 6}}, {"SMAXJOBPERUSERCOUNT 4", {4, 4}},
        {"MAXJOBPERUSERCOUNT 3\nSMAXJOBPERUSERCOUNT 4", {4, 4}},
        {"MAXJOBPERUSERPOLICY ON", {0, 0}}, {"MAXJOBPERUSERCOUNT x", {0, 0}}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config *c = load(rows[i].text);
        struct limit limit = c->settings->creds[CRED_USER].v[0].active[LIMIT_JOB];

        if (limit.soft != rows[i].limit.soft || limit.hard != rows[i].limit.hard)
            fail_msg("%s: %lld,%lld", rows[i].text, (long long)limit.soft,
                (long long)limit.hard);
        config_destroy(c);
    }
}

static void each_old_stem_has_its_limit_and_each_kind_its_object(void **state)
{
    static const struct {
        const char *name;
        enum cred_kind kind;
        enum limit_res res;
        bool idle;
    } rows[] = {{"MAXJOBPERGROUPCOUNT", CRED_GROUP, LIMIT_JOB, false},
        {"MAXPROCPERUSERCOUNT", CRED_USER, LIMIT_PROC, false},
        {"MAXPROCPERGROUPCOUNT", CRED_GROUP, LIMIT_PROC, false},
        {"MAXPROCPERACCOUNTCOUNT", CRED_ACCOUNT, LIMIT_PROC, false},
        {"MAXNODEPERUSERCOUNT", CRED_USER, LIMIT_NODE, false},
        {"MAXNODEPERACCOUNTCOUNT", CRED_ACCOUNT, LIMIT_NODE, false},
        {"MAXPROCSECONDPERUSERCOUNT", CRED_USER, LIMIT_PS, false},
        {"MAXPSPERUSER", CRED_USER, LIMIT_PS, false},
        {"MAXPSPERGROUPCOUNT", CRED_GROUP, LIMIT_PS, false},
        {"MAXPEPERUSERCOUNT", CRED_USER, LIMIT_PE, false},
        {"MAXWCPERUSER", CRED_USER, LIMIT_WC, false},
        {"MAXJOBQUEUEDPERUSERCOUNT", CRED_USER, LIMIT_JOB, true},
        {"MAXJOBQUEUEDPERACCOUNTCOUNT", CRED_ACCOUNT, LIMIT_JOB, true}};
    char text[80];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config *c;
        const struct cred_cfg *def;

        snprintf(text, sizeof text, "%s 7", rows[i].name);
        c = load(text);
        def = &c->settings->creds[rows[i].kind].v[0];
        assert_int_equal((rows[i].idle ? def->idle : def->active)[rows[i].res].hard, 7);
        assert_told(c, FINDING_NOTE, 1, "obsolete");
        config_destroy(c);
    }
}

static void a_policy_without_count_is_told(void **state)
{
    struct config *c = load("\nMAXJOBPERUSERPOLICY ON\n");

    (void)state;
    assert_told(c, FINDING_WARNING, 2, "no COUNT");
    config_destroy(c);
}

static void old_standing_reservations_become_sections(void **state)
{
    struct config *c =
        load("SRNAME[1] debug\nSRHOSTLIST[1] n1 n2\nSRMAXTIME[1] 1:00:00\n"
             "SRFEATURES[1] fast big\nSRDAYS[1] Mon TUE\nSRDAYS[2] NODAY\n");
    const struct raw_object *raw = &c->settings->raw.v[0];

    (void)state;
    assert_string_equal(raw->kind, "SRCFG");
    assert_string_equal(raw->name, "1");
    assert_int_equal(raw->attrs.n, 5);
    assert_string_equal(raw->attrs.v[1].name, "HOSTLIST");
    assert_string_equal(raw->attrs.v[1].value, "n1,n2");
    assert_string_equal(raw->attrs.v[2].name, "TIMELIMIT");
    assert_string_equal(raw->attrs.v[3].name, "NODEFEATURES");
    assert_string_equal(raw->attrs.v[4].value, "Mon,TUE");
    assert_int_equal(raw->attrs.v[4].line, 5);
    assert_told(c, FINDING_ERROR, 6, "SRCFG[2].DAYS");
    config_destroy(c);
}

static void old_bank_parameters_are_about_the_first_bank(void **state)
{
    struct config *c =
        load("BANKTYPE QBANK\nAMCFG[gold] TYPE=GOLD\nAMCFG[two] TYPE=FILE\n");

    (void)state;
    assert_string_equal(c->settings->raw.v[0].kind, "AMCFG");
    assert_string_equal(c->settings->raw.v[0].name, "gold");
    assert_int_equal(c->settings->raw.v[0].attrs.n, 2);
    assert_string_equal(c->settings->raw.v[0].attrs.v[1].value, "GOLD");
    config_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priority_parameters_reach_their_weights),
        cmocka_unit_test(fairshare_policies_are_read),
        cmocka_unit_test(backfill_words_of_all_ages_are_read),
        cmocka_unit_test(policies_of_the_global_set_are_read),
        cmocka_unit_test(other_parameters_are_read),
        cmocka_unit_test(malformed_values_are_errors),
        cmocka_unit_test(odd_but_right_values_are_taken),
        cmocka_unit_test(old_limits_become_soft_and_hard),
        cmocka_unit_test(each_old_stem_has_its_limit_and_each_kind_its_object),
        cmocka_unit_test(a_policy_without_count_is_told),
        cmocka_unit_test(old_standing_reservations_become_sections),
        cmocka_unit_test(old_bank_parameters_are_about_the_first_bank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
