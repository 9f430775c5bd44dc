/* SPDX-License-Identifier: Apache-2.0
 * Standing reservations of maui.cfg as records. */
#include "config/grammar.h"
#include "config/settings.h"
#include "config/srcfg.h"
#include "kit.h"

#include <stdlib.h>

static const struct sr_cfg *sr_of(const struct config *c, const char *index)
{
    const struct sr_cfg *sr = srcfg_find(c->settings, index);

    assert_non_null(sr);
    return sr;
}

static void assert_text(char *text, const char *want)
{
    assert_string_equal(text, want);
    free(text);
}

static void attributes_left_out_have_their_defaults(void **state)
{
    struct config *c = load("SRCFG[x] TASKCOUNT=1\n");
    const struct sr_cfg *sr = sr_of(c, "x");

    (void)state;
    assert_string_equal(srcfg_name(sr), "x");
    assert_int_equal(sr->access, SR_DEDICATED);
    assert_int_equal(sr->acl.entries.n, 0);
    assert_int_equal(sr->days, SR_DAYS_ALL);
    assert_int_equal(sr->period, SR_DAY);
    assert_int_equal(sr->depth, 2);
    assert_int_equal(sr->start_s, 0);
    assert_int_equal(sr->end_s, 86400);
    assert_int_equal(sr->per_task.procs, -1);
    assert_int_equal(sr->owner_kind, CRED_KINDS);
    assert_null(sr->hosts);
    assert_null(sr->partition);
    assert_true(sr->usable);
    assert_int_equal(config_count(c, FINDING_ERROR), 0);
    config_destroy(c);
}

static void every_attribute_lands_in_its_field(void **state)
{
    struct config *c = load(
        "SRCFG[fast] ACCESS=SHARED USERLIST=ann+,bob- GROUPLIST=staff ACCOUNTLIST=!p1\n"
        "SRCFG[fast] CLASSLIST=long QOSLIST=hi= JOBATTRLIST=PREEMPTEE "
        "TIMELIMIT=1:00:00*\n"
        "SRCFG[fast] CHARGEACCOUNT=bank OWNER=ACCT:phys DAYS=Mon|FRI PERIOD=DAY "
        "DEPTH=7\n"
        "SRCFG[fast] STARTTIME=8:00:00 ENDTIME=17:30:00 FLAGS=SPACEFLEX|OWNERPREEMPT\n"
        "SRCFG[fast] HOSTLIST=n[01-04],^gpu NODEFEATURES=big:fast PARTITION=p2\n"
        "SRCFG[fast] PRIORITY=-5 RESOURCES=PROCS=2;MEM=1g TASKCOUNT=9 TPN=3\n"
        "SRCFG[fast] TASKLIMIT=>=4 PROCLIMIT=64 TRIGGER=start+60;cancel NAME=quick\n");
    const struct sr_cfg *sr = sr_of(c, "fast");

    (void)state;
    assert_int_equal(config_count(c, FINDING_ERROR), 0);
    assert_string_equal(srcfg_name(sr), "quick");
    assert_int_equal(sr->access, SR_SHARED);
    assert_text(acltext_format(&sr->acl),
        "USER==ann+:==bob- GROUP==staff+ ACCOUNT!=p1 CLASS==long+ QOS==hi= "
        "JOBATTR==PREEMPTEE+ DURATION<=01:00:00+* TASK>=4+ PROC<=64+");
    assert_string_equal(sr->charge_account, "bank");
    assert_int_equal(sr->owner_kind, CRED_ACCOUNT);
    assert_string_equal(sr->owner, "phys");
    assert_int_equal(sr->days, 1u << 1 | 1u << 5);
    assert_int_equal(sr->depth, 7);
    assert_int_equal(sr->start_s, 8 * 3600);
    assert_int_equal(sr->end_s, 17 * 3600 + 1800);
    assert_int_equal(sr->flags, RSV_SPACEFLEX | RSV_OWNERPREEMPT);
    assert_string_equal(sr->hosts, "n[01-04],^gpu");
    assert_int_equal(sr->features.n, 2);
    assert_string_equal(sr->features.v[1], "fast");
    assert_string_equal(sr->partition, "p2");
    assert_int_equal(sr->priority, -5);
    assert_int_equal(sr->per_task.procs, 2);
    assert_int_equal(sr->per_task.mem_mb, 1024);
    assert_int_equal(sr->tasks, 9);
    assert_int_equal(sr->tpn, 3);
    assert_int_equal(sr->triggers.n, 1);
    config_destroy(c);
}

static void resources_take_every_delimiter_5_3(void **state)
{
    static const char *const texts[] = {"PROCS=2;MEM=512", "PROCS:2,MEM:512",
        "PROCS=2+MEM=512m", "PROCS:2:MEM:512", "procs 2 mem 512"};
    struct sr_resources res = {0};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(srcfg_resources_parse(texts[i], &res, NULL), 0);
        assert_int_equal(res.procs, 2);
        assert_int_equal(res.mem_mb, 512);
        assert_int_equal(res.disk_mb, 0);
    }
    assert_int_equal(srcfg_resources_parse("PROCS=ALL;DISK=-1", &res, NULL), 0);
    assert_int_equal(res.procs, -1);
    assert_int_equal(res.disk_mb, -1);
    assert_int_equal(res.mem_mb, 0);
    assert_int_equal(
        srcfg_resources_parse("PROCS=1;GRES=tape:2,GRES:scope,SWAP=5", &res, NULL), 0);
    assert_int_equal(res.gres.n, 2);
    assert_string_equal(res.gres.v[0].name, "tape");
    assert_int_equal(res.gres.v[0].count, 2);
    assert_int_equal(res.gres.v[1].count, 1);
    assert_int_equal(res.swap_mb, 5);
    srcfg_resources_fini(&res);
}

static void bad_resources_change_nothing(void **state)
{
    static const char *const texts[] = {
        "CPU=1", "PROCS", "PROCS=x", "PROCS=1;MEM", "MEM=-2", "GRES"};
    struct sr_resources res = {.procs = 7};
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(srcfg_resources_parse(texts[i], &res, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        assert_int_equal(res.procs, 7);
    }
}

static void a_list_without_procs_reserves_no_processor(void **state)
{
    struct config *c = load("SRCFG[x] TASKCOUNT=1 RESOURCES=MEM=512\n"
                            "SRCFG[y] TASKCOUNT=1 RESOURCES=PROCS=0\n");

    (void)state;
    assert_int_equal(sr_of(c, "x")->per_task.procs, 0);
    assert_int_equal(sr_of(c, "x")->per_task.mem_mb, 512);
    assert_true(told(c, FINDING_WARNING, 1, "no processor"));
    assert_true(told(c, FINDING_ERROR, 2, "reserves nothing"));
    assert_int_equal(sr_of(c, "y")->per_task.procs, -1);
    config_destroy(c);
}

static void lists_with_blanks_are_taken_and_told_with_the_fix_4_1(void **state)
{
    struct config *c = load("SRCFG[x] TASKCOUNT=1 QOSLIST=high low special- DEPTH=3\n"
                            "SRCFG[y] HOSTLIST=n1 n[2-3] n4 DAYS=MON TUE\n"
                            "SRCFG[z] TASKCOUNT=1 DEPTH=3 4\n");

    (void)state;
    assert_text(acltext_format(&sr_of(c, "x")->acl), "QOS==high+:==low+:==special-");
    assert_int_equal(sr_of(c, "x")->depth, 3);
    assert_string_equal(sr_of(c, "y")->hosts, "n1,n[2-3],n4");
    assert_int_equal(sr_of(c, "y")->days, 1u << 1 | 1u << 2);
    assert_true(
        told(c, FINDING_WARNING, 1, "without blanks: QOSLIST=high,low,special-,"));
    assert_true(told(c, FINDING_WARNING, 2, "without blanks: HOSTLIST=n1,n[2-3],n4"));
    assert_true(told(c, FINDING_ERROR, 3, "'4' is not ATTR=VALUE"));
    assert_int_equal(config_count(c, FINDING_ERROR), 1);
    config_destroy(c);
}

static void entries_keep_the_order_of_attributes_and_lines(void **state)
{
    struct config *c =
        load("SRCFG[x] TASKCOUNT=1 TIMELIMIT=1:00:00* QOSLIST=high,low,special-\n"
             "SRCFG[x] ACCOUNTLIST=!projectX QOSLIST=more\n"
             "SRCFG[x] ACCOUNTLIST=!projectY\n");

    (void)state;
    assert_text(acltext_format(&sr_of(c, "x")->acl),
        "DURATION<=01:00:00+* QOS==high+:==low+:==special- ACCOUNT!=projectX "
        "QOS==more+ ACCOUNT!=projectY");
    config_destroy(c);
}

static void lists_changed_at_run_time_replace_those_before(void **state)
{
    struct config *c =
        load("SRCFG[x] TASKCOUNT=1 USERLIST=ann QOSLIST=hi\n"
             "SRCFG[x] USERLIST=bob TRIGGER=start+60;cancel\n"
             "SRTASKCOUNT[1] 1\nSRCFG[1] USERLIST=ann\n"
             "# CHANGED AT RUN TIME\n"
             "SRCFG[x] USERLIST=cal # " GRAMMAR_CHANGE "\n" GRAMMAR_CHANGE "\n"
             "SRCFG[x] USERLIST=jim USERLIST=kim TRIGGER=end;cancel\n"
             "SRUSERLIST[1] jim\n" GRAMMAR_CHANGE "\n"
             "SRCFG[x] QOSLIST=low\n");

    (void)state;
    assert_text(acltext_format(&sr_of(c, "x")->acl), "USER==jim+:==kim+ QOS==low+");
    assert_int_equal(sr_of(c, "x")->triggers.n, 1);
    assert_text(acltext_format(&sr_of(c, "1")->acl), "USER==jim+");
    assert_string_equal(config_text(c, "SRCFG[x].USERLIST"), "jim,kim");
    assert_string_equal(config_text(c, "SRCFG[x].QOSLIST"), "low");
    config_destroy(c);
}

static void a_change_in_an_older_form_is_before_the_section_of_the_file(void **state)
{
    struct config *c =
        load("SRCFG[0] TASKCOUNT=1 TIMELIMIT=10\nQOSCFG[high] PRIORITY=100\n"
             "QOSCFG[low] PRIORITY=1\n" GRAMMAR_CHANGE "\n"
             "SRMAXTIME 20\nQOSPRIORITY[high] 5\n");

    (void)state;
    assert_string_equal(config_text(c, "SRCFG[0].TIMELIMIT"), "20");
    assert_string_equal(config_text(c, "QOSCFG[high].PRIORITY"), "5");
    assert_string_equal(config_text(c, "QOSCFG[low].PRIORITY"), "1");
    config_destroy(c);
}

static void a_later_time_limit_replaces_the_earlier(void **state)
{
    struct config *c =
        load("SRCFG[x] TASKCOUNT=1 TIMELIMIT=10 USERLIST=a\n"
             "SRCFG[x] MAXTIME=20\n"
             "SRCFG[y] TASKCOUNT=1 TIMELIMIT=10\nSRCFG[y] TIMELIMIT=-1\n");

    (void)state;
    assert_text(acltext_format(&sr_of(c, "x")->acl), "USER==a+ DURATION<=00:00:20+");
    assert_text(acltext_format(&sr_of(c, "y")->acl), "");
    config_destroy(c);
}

static void timelogic_and_requires_the_limit_4_2(void **state)
{
    struct config *c = load("SRCFG[a] TASKCOUNT=1 TIMELOGIC=AND TIMELIMIT=10\n"
                            "SRCFG[o] TASKCOUNT=1 TIMELOGIC=OR TIMELIMIT=10\n"
                            "SRTASKCOUNT[1] 2\nSRTIMELOGIC[1] AND\nSRMAXTIME[1] 10\n");

    (void)state;
    assert_text(acltext_format(&sr_of(c, "a")->acl), "DURATION<=00:00:10+*");
    assert_text(acltext_format(&sr_of(c, "o")->acl), "DURATION<=00:00:10+");
    assert_text(acltext_format(&sr_of(c, "1")->acl), "DURATION<=00:00:10+*");
    assert_true(told(c, FINDING_NOTE, 1, "obsolete"));
    config_destroy(c);
}

static void old_parameters_make_the_same_records(void **state)
{
    struct config *c =
        load("SRNAME[1] debug\nSRHOSTLIST[1] n1 n2\nSRUSERLIST[1] ann bob-\n"
             "SRSTARTTIME[1] 8:00:00\nSRENDTIME[1] 9:00:00\nSRPERIOD[1] DAY\n"
             "SRDAYS[1] Mon Tue\nSRFEATURES[1] fast\nSRRESOURCES[1] PROCS=2;MEM=1\n"
             "SRACCESS[1] SHARED\nSRFLAGS[1] BYNAME\n");
    const struct sr_cfg *sr = sr_of(c, "1");

    (void)state;
    assert_string_equal(srcfg_name(sr), "debug");
    assert_string_equal(sr->hosts, "n1,n2");
    assert_text(acltext_format(&sr->acl), "USER==ann+:==bob-");
    assert_int_equal(sr->start_s, 8 * 3600);
    assert_int_equal(sr->days, 6);
    assert_int_equal(sr->features.n, 1);
    assert_int_equal(sr->per_task.procs, 2);
    assert_int_equal(sr->access, SR_SHARED);
    assert_int_equal(sr->flags, RSV_BYNAME);
    assert_int_equal(config_count(c, FINDING_ERROR), 0);
    config_destroy(c);
}

static void a_week_has_two_forms_of_its_window_6_1(void **state)
{
    struct config *c = load(
        "SRCFG[new] PERIOD=WEEK TASKCOUNT=1 STARTTIME=1:08:00:00 ENDTIME=5:17:00:00\n"
        "SRCFG[old] PERIOD=WEEK TASKCOUNT=1 WSTARTTIME=1:08:00:00 WENDTIME=5:17:00:00\n"
        "SRCFG[all] PERIOD=WEEK TASKCOUNT=1\n"
        "SRCFG[odd] TASKCOUNT=1 WSTARTTIME=1:00:00 DAYS=MON\n");

    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct sr_cfg *sr = sr_of(c, i ? "old" : "new");

        assert_int_equal(sr->start_s, 86400 + 8 * 3600);
        assert_int_equal(sr->end_s, 5 * 86400 + 17 * 3600);
    }
    assert_int_equal(sr_of(c, "all")->end_s, 7 * 86400);
    assert_int_equal(sr_of(c, "odd")->start_s, 0);
    assert_true(told(c, FINDING_WARNING, 4, "PERIOD=WEEK only"));
    config_destroy(c);
}

static void what_cannot_work_is_told_and_not_used(void **state)
{
    struct config *c = load(
        "SRCFG[a] PERIOD=INFINITY USERLIST=x\n"
        "SRCFG[b] TASKCOUNT=1 STARTTIME=22:00:00 ENDTIME=6:00:00\n"
        "SRCFG[c] TASKCOUNT=1 STARTTIME=8:00:00 ENDTIME=8:00:00\n"
        "SRCFG[d] TASKCOUNT=1 ENDTIME=30:00:00\n"
        "SRCFG[e] TASKCOUNT=1 FLAGS=OWNERPREEMPT\n"
        "SRCFG[f] TASKCOUNT=2 TPN=4\n"
        "SRCFG[g] PERIOD=WEEK TASKCOUNT=1 ENDTIME=8:00:00:00\n"
        "SRCFG[h] PERIOD=INFINITY TASKCOUNT=1 STARTTIME=9:00:00 ENDTIME=8:00:00\n");

    (void)state;
    assert_true(told(c, FINDING_ERROR, 1, "neither HOSTLIST nor TASKCOUNT"));
    assert_true(told(c, FINDING_ERROR, 2, "two reservations"));
    assert_true(told(c, FINDING_ERROR, 3, "not before"));
    assert_true(told(c, FINDING_ERROR, 4, "end of the day"));
    assert_true(told(c, FINDING_ERROR, 5, "OWNER"));
    assert_true(told(c, FINDING_ERROR, 6, "TPN"));
    assert_true(told(c, FINDING_ERROR, 7, "end of the week"));
    for (size_t i = 0; i < 7; i++)
        assert_false(c->settings->standing.v[i].usable);
    assert_true(sr_of(c, "h")->usable);
    config_destroy(c);
}

static void bad_values_are_errors_where_they_stand(void **state)
{
    struct config *c =
        load("SRCFG[x] TASKCOUNT=1 USERLIST=ann,bob\n"
             "SRCFG[x] USERLIST=^carl\nSRCFG[x] DAYS=NODAY\nSRCFG[x] FLAGS=NOSUCH\n"
             "SRCFG[x] OWNER=ann\nSRCFG[x] TRIGGER=sometime;cancel\n"
             "SRCFG[x] RESOURCES=CPU=1\nSRCFG[x] PERIOD=MONTH\nSRCFG[x] DEPTH=-1\n"
             "SRCFG[x] HOSTLIST=n(\nSRCFG[x] TIMELIMIT=soon\nSRCFG[x] DEPTH=0\n");
    static const char *const words[] = {"USERLIST", "DAYS", "FLAGS", "OWNER", "TRIGGER",
        "RESOURCES", "PERIOD", "DEPTH", "HOSTLIST", "TIMELIMIT"};

    (void)state;
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true(told(c, FINDING_ERROR, i + 2, words[i]));
    assert_true(told(c, FINDING_WARNING, 12, "covers nothing"));
    /* One of the lists cannot be read: nobody is let in by the others. */
    assert_text(acltext_format(&sr_of(c, "x")->acl), "USER!=ALL");
    assert_int_equal(sr_of(c, "x")->depth, 1);
    config_destroy(c);
}

static void a_misprint_of_the_documentation_is_understood(void **state)
{
    struct config *c = load("SRCFG[x] TASKCOUNT=1 ACCCOUNTLIST=!projectX,!projectY\n"
                            "SRTASKCOUNT[1] 1\nQOSLIST[1] normal= high debug= low-\n"
                            "SRCFG[y] TASKCOUNT=1 QOSLIST=normal= high debug= low-\n"
                            "SRCFG[z] TASKCOUNT=1 SRCFG[z] PERIOD=WEEK SRCFG[w] \\\n"
                            " TASKCOUNT=x USERCFG[a] PRIORITY=3\n");

    (void)state;
    assert_text(acltext_format(&sr_of(c, "x")->acl), "ACCOUNT!=projectX:!=projectY");
    assert_told(c, FINDING_NOTE, 1, "misprint");
    assert_text(
        acltext_format(&sr_of(c, "1")->acl), "QOS==normal=:==high+:==debug=:==low-");
    assert_text(
        acltext_format(&sr_of(c, "y")->acl), "QOS==normal=:==high+:==debug=:==low-");
    assert_int_equal(sr_of(c, "z")->period, SR_WEEK);
    assert_int_equal(settings_cred(c->settings, CRED_USER, "a")->priority, 3);
    assert_told(c, FINDING_NOTE, 3, "QOSLIST[1] is obsolete; write SRCFG[1] QOSLIST=");
    assert_told(c, FINDING_NOTE, 5, "SRCFG[z] begins a line of its own");
    assert_told(c, FINDING_ERROR, 6, "SRCFG[w].TASKCOUNT");
    config_destroy(c);
}

static void what_may_be_an_access_rule_closes_the_reservation(void **state)
{
    static const char *const closing[] = {"USRLIST=!carl", "TIMELIMT=1:00*", "NOSUCH=1",
        "QLIST=high", "FLAGZ=BYNAME", "JOBATTRLST=GRID", "USERLIST=", "FLAGS="};
    static const char *const harmless[] = {
        "COMMENT=x", "STARTIME=8:00:00", "RESOURCE=PROCS:1", "USERLIST=[NONE]"};
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++) {
        snprintf(
            text, sizeof text, "SRCFG[x] TASKCOUNT=1 CLASSLIST=b %s\n", closing[i]);
        struct config *c = load(text);
        assert_told(c, FINDING_WARNING, 1, "nobody may use the reservation");
        assert_text(acltext_format(&sr_of(c, "x")->acl), "USER!=ALL");
        assert_true(sr_of(c, "x")->usable);
        config_destroy(c);
    }
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        snprintf(
            text, sizeof text, "SRCFG[x] TASKCOUNT=1 CLASSLIST=b %s\n", harmless[i]);
        struct config *c = load(text);
        assert_text(acltext_format(&sr_of(c, "x")->acl), "CLASS==b+");
        config_destroy(c);
    }
    struct config *c = load("SRTASKCOUNT[2] 1\nSRCLASSLIST[2] b\nSRUSRLIST[2] !carl\n");
    assert_text(acltext_format(&sr_of(c, "2")->acl), "USER!=ALL");
    config_destroy(c);
}

static void flags_are_read_and_named(void **state)
{
    uint32_t flags = 0;

    (void)state;
    assert_int_equal(
        srcfg_flags_parse("byname,FORCE|BestEffort:IGNSTATE", &flags, NULL), 0);
    assert_int_equal(flags, RSV_BYNAME | RSV_FORCE | RSV_BESTEFFORT | RSV_IGNSTATE);
    assert_string_equal(srcfg_flag_name(RSV_SINGLEUSE), "SINGLEUSE");
    assert_null(srcfg_flag_name(0));
    assert_int_equal(srcfg_flags_parse("BYNAM", &flags, NULL), -1);
    assert_int_equal(flags, RSV_BYNAME | RSV_FORCE | RSV_BESTEFFORT | RSV_IGNSTATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_left_out_have_their_defaults),
        cmocka_unit_test(every_attribute_lands_in_its_field),
        cmocka_unit_test(resources_take_every_delimiter_5_3),
        cmocka_unit_test(bad_resources_change_nothing),
        cmocka_unit_test(a_list_without_procs_reserves_no_processor),
        cmocka_unit_test(lists_with_blanks_are_taken_and_told_with_the_fix_4_1),
        cmocka_unit_test(entries_keep_the_order_of_attributes_and_lines),
        cmocka_unit_test(lists_changed_at_run_time_replace_those_before),
        cmocka_unit_test(a_change_in_an_older_form_is_before_the_section_of_the_file),
        cmocka_unit_test(a_later_time_limit_replaces_the_earlier),
        cmocka_unit_test(timelogic_and_requires_the_limit_4_2),
        cmocka_unit_test(old_parameters_make_the_same_records),
        cmocka_unit_test(a_week_has_two_forms_of_its_window_6_1),
        cmocka_unit_test(what_cannot_work_is_told_and_not_used),
        cmocka_unit_test(bad_values_are_errors_where_they_stand),
        cmocka_unit_test(a_misprint_of_the_documentation_is_understood),
        cmocka_unit_test(what_may_be_an_access_rule_closes_the_reservation),
        cmocka_unit_test(flags_are_read_and_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
