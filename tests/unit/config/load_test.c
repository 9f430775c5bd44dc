/* SPDX-License-Identifier: Apache-2.0
 * Loading: findings with their lines, load order, includes, the private file. */
#include "config/settings.h"
#include "kit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_bad_line_never_stops_the_others(void **state)
{
    struct config *c = load("FSDEPTH x\nGIBBERISH[ 4\nNOSUCH 1\nFSDEPTH 12\n"
                            "USERCFG[ann] MAXJOB=x PRIORITY=5\n");

    (void)state;
    assert_told(c, FINDING_ERROR, 1, "'x' is not a whole number; 8 stays in force");
    assert_told(c, FINDING_ERROR, 2, "no closing ]");
    assert_told(c, FINDING_WARNING, 3, "unknown parameter 'NOSUCH'");
    assert_told(c, FINDING_ERROR, 5, "USERCFG[ann].MAXJOB");
    assert_int_equal(c->settings->fs.depth, 12);
    assert_int_equal(settings_find_cred(c->settings, CRED_USER, "ann")->priority, 5);
    config_destroy(c);
}

/* Configurations of Moab are fed to Maui: what is another program's is told from what
 * is misspelt. */
static void moabs_parameters_are_told_from_misspelt_ones(void **state)
{
    struct config *c = load("JOBCFG[x] SELECT=TRUE\nQOSCGF[x] PRIORITY=1\n"
                            "CLASSCFG[c] MAX.PROC=8 MAX.NODE=2\n");
    const struct cred_cfg *batch = settings_find_cred(c->settings, CRED_CLASS, "c");

    (void)state;
    assert_int_equal(batch->max_proc_per_job, 8);
    assert_int_equal(batch->max_node_per_job, 2);
    assert_told(c, FINDING_WARNING, 1, "JOBCFG is a parameter of Moab");
    assert_told(c, FINDING_WARNING, 2, "did you mean QOSCFG?");
    config_destroy(c);
}

/* The classic program read A:B as hours and minutes, its manual said otherwise. */
static void times_of_two_fields_are_told(void **state)
{
    struct config *c = load("DEFERTIME 5:00\nDEFERTIME 1:00:00\nDEFERTIME 300\n"
                            "SRCFG[n] STARTTIME=20:00 ENDTIME=22:00:00 USERLIST=a\n"
                            "SRCFG[n] HOSTLIST=ALL TIMELIMIT=1:00*\n"
                            "CLASSCFG[b] MAX.WCLIMIT=30:00\n");

    (void)state;
    assert_told(c, FINDING_NOTE, 1, "'5:00' is minutes and seconds");
    assert_false(told(c, FINDING_NOTE, 2, "minutes and seconds"));
    assert_false(told(c, FINDING_NOTE, 3, "minutes and seconds"));
    assert_told(c, FINDING_NOTE, 4, "STARTTIME: '20:00' is minutes and seconds");
    assert_false(told(c, FINDING_NOTE, 4, "ENDTIME"));
    assert_told(c, FINDING_NOTE, 5, "TIMELIMIT: '1:00*' is minutes and seconds");
    assert_told(c, FINDING_NOTE, 6, "MAX.WCLIMIT: '30:00' is minutes and seconds");
    config_destroy(c);
}

/* Users of Slurm expect heterogeneous jobs, and nodes by their weight. */
static void slurm_brings_values_along_unless_others_are_said(void **state)
{
    struct config *c = load("RMCFG[a] TYPE=SLURM\n");

    (void)state;
    assert_string_equal(cfg_get(c, "NODEALLOCATIONPOLICY", NULL), "TIGHTEST");
    assert_true(c->settings->enable_multireq_jobs);
    config_destroy(c);
    c = load("NODEALLOCATIONPOLICY FIRSTAVAILABLE\nRMCFG[a] TYPE=SLURM\n"
             "ENABLEMULTIREQJOBS FALSE\n");
    assert_string_equal(cfg_get(c, "NODEALLOCATIONPOLICY", NULL), "FIRSTAVAILABLE");
    assert_false(c->settings->enable_multireq_jobs);
    config_destroy(c);
    c = load("RMCFG[a] TYPE=LOCAL\n");
    assert_string_equal(cfg_get(c, "NODEALLOCATIONPOLICY", NULL), "LASTAVAILABLE");
    config_destroy(c);
}

static void the_scheduler_section_is_put_in_force_as_parameters(void **state)
{
    struct config *c = load("SERVERPORT 41000\n"
                            "SCHEDCFG[moab] SERVER=http://head.site:42559/x MODE=TEST\n"
                            "SCHEDCFG[moab] FBSERVER=spare\n");

    (void)state;
    assert_string_equal(cfg_get(c, "SERVERHOST", NULL), "head.site");
    assert_string_equal(cfg_get(c, "SERVERMODE", NULL), "TEST");
    assert_string_equal(cfg_get(c, "SERVERPORT", NULL), "41000"); /* comes later */
    assert_told(c, FINDING_NOTE, 3, "FBSERVER is accepted, but not yet in force");
    config_destroy(c);
    c = load("SCHEDCFG[moab] SERVER=head:99999\nSCHEDCFG[m] MODE=SIMULATIN\n");
    assert_told(c, FINDING_ERROR, 1, "SERVERPORT: '99999' is not within 1 to 64000");
    assert_told(c, FINDING_ERROR, 2, "did you mean SIMULATION?");
    assert_string_equal(cfg_get(c, "SERVERMODE", NULL), "NORMAL");
    config_destroy(c);
}

static void values_out_of_range_leave_what_was_in_force(void **state)
{
    struct config *c = load("FSDEPTH 10\nFSDEPTH 99\nFSDECAY 1.5\nFSINTERVAL 0\n"
                            "BACKFILLPOLICY FISTFIT\n");

    (void)state;
    assert_told(c, FINDING_ERROR, 2, "'99' is not within 1 to 32; 10 stays in force");
    assert_told(c, FINDING_ERROR, 3, "1.0 stays in force");
    assert_told(c, FINDING_ERROR, 4, "12:00:00 stays in force");
    assert_told(c, FINDING_ERROR, 5, "did you mean FIRSTFIT?; FIRSTFIT stays in force");
    assert_int_equal(c->settings->fs.depth, 10);
    assert_true(c->settings->fs.decay == 1.0);
    assert_int_equal(c->settings->fs.interval_s, 43200);
    config_destroy(c);
}

static void each_status_is_told(void **state)
{
    struct config *c =
        load("SERVERNAME login\nPURGETIME 60\nATTRWEIGHT 2\nBACKFILLPOLCY NONE\n"
             "FSDEPTH 4\n");

    (void)state;
    assert_told(c, FINDING_NOTE, 1, "SERVERNAME is accepted, but not yet in force");
    assert_told(c, FINDING_NOTE, 2, "obsolete; write JOBPURGETIME and NODEPURGETIME");
    assert_told(c, FINDING_WARNING, 3, "ATTRWEIGHT has no effect");
    assert_told(c, FINDING_WARNING, 4, "did you mean BACKFILLPOLICY?");
    assert_int_equal(c->findings.n, 4);
    assert_int_equal(c->settings->job_purge_s, 60);
    assert_int_equal(c->settings->node_purge_s, 60);
    config_destroy(c);
}

static void the_last_of_two_lines_wins_and_that_is_told(void **state)
{
    struct config *c = load("FSDEPTH 4\nfsdepth 5\nUSERCFG[a] MAXJOB=1\n"
                            "USERCFG[a] PRIORITY=2\nUSERCFG[a] MAXJOB=3\n"
                            "FSWEIGHT 2\nFAIRSHAREWEIGHT 3\n");

    (void)state;
    assert_told(c, FINDING_NOTE, 2, "FSDEPTH replaces the value of maui.cfg:1");
    assert_told(
        c, FINDING_NOTE, 5, "USERCFG[a].MAXJOB replaces the value of maui.cfg:3");
    assert_told(c, FINDING_NOTE, 7, "FSWEIGHT replaces the value of maui.cfg:6");
    assert_int_equal(c->findings.n, 3);
    assert_int_equal(c->settings->fs.depth, 5);
    assert_int_equal(
        settings_find_cred(c->settings, CRED_USER, "a")->active[LIMIT_JOB].hard, 3);
    assert_true(c->settings->prio.comp_weight[PRIO_FS] == 3);
    config_destroy(c);
}

static void findings_come_in_the_order_of_the_file(void **state)
{
    struct config *c = load("NODECFG[n1] SPEED=x\nUSERCFG[a] MAXJOB=x\nFSDEPTH x\n"
                            "SYSCFG NOSUCH=1\n");

    (void)state;
    assert_int_equal(c->findings.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(c->findings.v[i].line, i + 1);
    config_destroy(c);
}

static void sections_override_old_limits_wherever_they_stand(void **state)
{
    struct config *c = load("USERCFG[DEFAULT] MAXJOB=9\nMAXJOBPERUSERCOUNT 6\n"
                            "QOSCFG[hi] PRIORITY=8\nQOSPRIORITY[hi] 3\n"
                            "QOSPRIORITY[lo] 4\n");

    (void)state;
    assert_int_equal(c->settings->creds[CRED_USER].v[0].active[LIMIT_JOB].hard, 9);
    assert_int_equal(settings_find_cred(c->settings, CRED_QOS, "hi")->priority, 8);
    assert_int_equal(settings_find_cred(c->settings, CRED_QOS, "lo")->priority, 4);
    config_destroy(c);
}

static void partitions_have_their_own_values_and_else_the_global_ones(void **state)
{
    struct config *c =
        load("NODEALLOCATIONPOLICY[math] FASTEST\nBACKFILLDEPTH 7\n"
             "NODEALLOCATIONPOLICY CPULOAD\nBACKFILLPOLICY[1] NONE\n"
             "BACKFILLDEPTH[0] 8\nBACKFILLPOLICY[7] NONE\nFSWEIGHT[math] 5\n");
    const struct par_settings *math = settings_find_par(c->settings, "math");
    const struct par_settings *def = settings_find_par(c->settings, "DEFAULT");

    (void)state;
    assert_int_equal(c->settings->par.v[0].nodealloc, NODEALLOC_CPULOAD);
    assert_int_equal(math->nodealloc, NODEALLOC_FASTEST);
    assert_int_equal(math->bf_depth, 8);
    assert_int_equal(def->bf_policy, BACKFILL_NONE);
    assert_int_equal(def->nodealloc, NODEALLOC_CPULOAD);
    assert_int_equal(c->settings->par.n, 3);
    assert_told(c, FINDING_WARNING, 6, "a partition is named here");
    assert_told(c, FINDING_NOTE, 7, "priorities use the global value");
    assert_true(c->settings->prio.comp_weight[PRIO_FS] == 1);
    config_destroy(c);
}

static void stacks_are_numbered(void **state)
{
    struct config *c =
        load("RESERVATIONDEPTH 3\nRESERVATIONDEPTH[1] 5\n"
             "RESERVATIONQOSLIST[1] hi lo\nRESERVATIONRETRYTIME[2] 1:00\n"
             "RESERVATIONDEPTH[64] 1\nRESERVATIONDEPTH[hi] 1\n"
             "RESERVATIONQOSLIST[3] ALL\n");
    const struct rsv_group *stacks = c->settings->rsv_groups;

    (void)state;
    assert_int_equal(stacks[0].depth, 3);
    assert_true(stacks[0].all);
    assert_int_equal(stacks[1].depth, 5);
    assert_false(stacks[1].all);
    assert_int_equal(stacks[1].qos.n, 2);
    assert_string_equal(stacks[1].qos.v[1], "lo");
    assert_true(stacks[3].all);
    assert_int_equal(c->settings->rsv_retry_s[2], 60);
    assert_told(c, FINDING_ERROR, 5, "0 to 63");
    assert_told(c, FINDING_ERROR, 6, "'hi' is not a whole number");
    config_destroy(c);
}

static void an_index_where_none_belongs_is_an_error(void **state)
{
    struct config *c = load("FSDEPTH[2] 4\nFSDEPTH[0] 5\nFSDEPTH[] 6\n"
                            "MAXJOBPERUSERCOUNT[x] 4\n");

    (void)state;
    assert_told(c, FINDING_ERROR, 1, "FSDEPTH takes no index");
    assert_told(c, FINDING_ERROR, 4, "takes no index");
    assert_int_equal(c->settings->fs.depth, 6);
    config_destroy(c);
}

static void missing_values_and_attributes_are_told(void **state)
{
    struct config *c =
        load("FSDEPTH\nUSERCFG[a]\nUSERCFG PRIORITY=1\nUSERCFG [b] PRIORITY=1\n"
             "USERCFG[a] PRIORITY\nUSERCFG[a] PRIORITY 100\n"
             "USERCFG[a] PRIORITY=\nUSERCFG[default] PRIORITY=1\n"
             "USERCFG[a] [head] bc\nUSERCFG[a] FSTARGET[x y] 5\n");

    (void)state;
    assert_told(c, FINDING_WARNING, 1, "has no value; 8 stays in force");
    assert_told(c, FINDING_WARNING, 2, "has no attributes");
    assert_told(c, FINDING_ERROR, 3, "needs a name in brackets");
    assert_told(c, FINDING_ERROR, 4, "right behind it");
    assert_told(c, FINDING_ERROR, 5, "'PRIORITY' is not ATTR=VALUE");
    assert_told(c, FINDING_ERROR, 6, "write PRIORITY=100");
    assert_told(c, FINDING_WARNING, 7, "has no value");
    assert_told(c, FINDING_WARNING, 8, "did you mean DEFAULT?");
    assert_told(c, FINDING_ERROR, 9, "'[head] bc' is not ATTR=VALUE");
    assert_told(c, FINDING_ERROR, 10, "write FSTARGET[x y]=5");
    config_destroy(c);
}

static void lists_with_blanks_are_told_with_the_fix(void **state)
{
    struct config *c = load("NODECFG[n] FEATURES=n1 n2 n3 SPEED=1\n"
                            "NODECFG[n] PRIORITYF=SPEED + LOAD\n");

    (void)state;
    assert_told(c, FINDING_ERROR, 1, "without blanks: FEATURES=n1,n2,n3");
    assert_told(c, FINDING_ERROR, 2, "quoted: PRIORITYF='SPEED + LOAD'");
    assert_int_equal(config_count(c, FINDING_ERROR), 2);
    config_destroy(c);
}

static void a_limit_that_cannot_be_read_is_an_error(void **state)
{
    struct config *c = load("CLASSCFG[b] MAXJOBS=3\nUSERCFG[a] QLST=high\n"
                            "SYSTEMMAXPROCPERJOBS 64\nUSERCFG[a] MAXPROC=\n"
                            "CLASSCFG[b] REQUIREDUSERLIST=ann\nCLASSCFG[b] MAXGRES=3\n"
                            "CLASSCFG[b] PARTITION=x\nNODEACCESSPOLICY UNIQUEUSER\n"
                            "RESOURCELIMITPOLICY JOBMEM:ALWAYS:CANCEL\n"
                            "AMCFG[bank] TYPE=NONE\nAMCFG[bank] TYPE=MAM\n"
                            "#INCLUDE gone.cfg\n");

    (void)state;
    assert_told(c, FINDING_ERROR, 1, "did you mean MAXJOB");
    assert_told(c, FINDING_ERROR, 2, "did you mean QLIST");
    assert_told(c, FINDING_ERROR, 3, "did you mean SYSTEMMAXPROCPERJOB");
    assert_told(c, FINDING_ERROR, 4, "has no value");
    assert_told(c, FINDING_ERROR, 5, "access rule of Moab");
    assert_told(c, FINDING_WARNING, 6, "nothing is limited");
    assert_told(c, FINDING_WARNING, 7, "attribute of Moab");
    assert_told(
        c, FINDING_WARNING, 8, "value of Moab, which Maui does not have; SHARED stays");
    assert_told(c, FINDING_WARNING, 9, "value of Moab");
    assert_told(c, FINDING_WARNING, 11, "value of Moab");
    assert_int_equal(config_count(c, FINDING_ERROR), 5);
    config_destroy(c);
}

static void attributes_of_other_sections_are_told(void **state)
{
    struct config *c = load("USERCFG[a] QTWEIGHT=1 PRIORITI=2 MAXJOB=3\n"
                            "USERCFG[a] \\\n  ZZZZZZZZZ=1 \\\n  MINPROC=x\n");

    (void)state;
    assert_told(c, FINDING_WARNING, 1, "QTWEIGHT, which belongs to QOSCFG");
    assert_told(c, FINDING_WARNING, 1, "did you mean PRIORITY?");
    assert_told(c, FINDING_WARNING, 3, "no attribute 'ZZZZZZZZZ'");
    assert_told(c, FINDING_ERROR, 4, "USERCFG[a].MINPROC");
    assert_int_equal(
        settings_find_cred(c->settings, CRED_USER, "a")->active[LIMIT_JOB].hard, 3);
    config_destroy(c);
}

static void secrets_are_refused_in_the_open_file(void **state)
{
    struct config *c =
        load("CLIENTCFG[head] CSKEY=abc\nRMCFG[pbs] TYPE=PBS CSKEY=abc\n");
    struct config *p;
    const char *text = "CLIENTCFG[head] CSKEY=abc CSALGO=HMAC\nFSDEPTH 3\n";
    char *explained;

    (void)state;
    assert_told(c, FINDING_ERROR, 1, "maui-private.cfg");
    assert_told(c, FINDING_ERROR, 2, "RMCFG[pbs].CSKEY is a secret");
    assert_int_equal(c->settings->raw.n, 1);
    config_destroy(c);
    p = config_load_private_text("maui-private.cfg", text, strlen(text));
    assert_told(p, FINDING_WARNING, 2, "only CLIENTCFG");
    assert_int_equal(p->settings->fs.depth, 8);
    assert_string_equal(p->settings->raw.v[0].attrs.v[0].value, "abc");
    explained = config_explain(p);
    assert_null(strstr(explained, "abc"));
    free(explained);
    config_destroy(p);
}

static void what_is_no_text_is_refused_whole(void **state)
{
    static const char bytes[] = "FSDEPTH 4\nFSDEPTH\0 5\n";
    struct config *c = config_load_text("maui.cfg", bytes, sizeof bytes - 1);

    (void)state;
    assert_told(c, FINDING_ERROR, 2, "NUL byte");
    assert_int_equal(c->settings->fs.depth, 8);
    config_destroy(c);
    c = config_load_text("empty", NULL, 0);
    assert_int_equal(c->findings.n, 0);
    config_destroy(c);
}

static void values_can_be_asked_for_by_name(void **state)
{
    struct config *c = load("SERVERPORT 40000\nFSWEIGHT 5\nBACKFILLPOLICY[math] NONE\n"
                            "RMTYPE[0] PBS\nLOGFILE \"my log\"\nADMIN1 a b c\n");

    (void)state;
    assert_string_equal(cfg_get(c, "SERVERPORT", NULL), "40000");
    assert_string_equal(cfg_get(c, "serverport", "0"), "40000");
    assert_string_equal(cfg_get(c, "FAIRSHAREWEIGHT", NULL), "5");
    assert_string_equal(cfg_get(c, "FSWEIGHT", "math"), "5");
    assert_string_equal(cfg_get(c, "FSDEPTH", NULL), "8");
    assert_string_equal(cfg_get(c, "BACKFILLPOLICY", "math"), "NONE");
    assert_string_equal(cfg_get(c, "BACKFILLPOLICY", "chem"), "FIRSTFIT");
    assert_string_equal(cfg_get(c, "RMTYPE", "0"), "PBS");
    assert_string_equal(cfg_get(c, "LOGFILE", NULL), "my log");
    assert_string_equal(cfg_get(c, "ADMIN1", NULL), "a b c");
    assert_null(cfg_get(c, "SERVERHOST", NULL));
    assert_null(cfg_get(c, "NOSUCH", NULL));
    assert_null(cfg_get(c, "USERCFG", "a"));
    config_destroy(c);
}

static void settings_can_be_taken_away(void **state)
{
    struct config *c = load("FSDEPTH 3\n");
    struct settings *s = config_take_settings(c);

    (void)state;
    assert_null(c->settings);
    config_destroy(c);
    assert_int_equal(s->fs.depth, 3);
    settings_destroy(s);
    config_destroy(NULL);
}

/* ---- files ---- */

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void includes_and_the_private_file_are_read(void **state)
{
    char dir[] = "/tmp/maui-load-XXXXXX", path[4][64];
    struct config *c;
    struct err err;

    (void)state;
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", dir,
            (const char *[]){
                "maui.cfg", "site.cfg", "deep.cfg", "maui-private.cfg"}[i]);
    write_file(path[0], "#INCLUDE site.cfg\nFSDEPTH 3\n#INCLUDE gone.cfg\n", 0644);
    write_file(path[1], "FSDEPTH 4\nFSDECAY x\n#INCLUDE deep.cfg\n", 0644);
    write_file(path[2], "#INCLUDE <site.cfg>\nDEFERCOUNT 7\n", 0644);
    write_file(path[3], "CLIENTCFG[a] CSKEY=b\n", 0644);
    c = config_load_file(path[0], &err);
    assert_non_null(c);
    assert_int_equal(c->files.n, 4);
    assert_int_equal(c->settings->fs.depth, 4);
    assert_int_equal(c->settings->defer_count, 7);
    assert_told(c, FINDING_ERROR, 3, "gone.cfg");
    assert_told(c, FINDING_ERROR, 2, "FSDECAY");
    assert_told(c, FINDING_WARNING, 1, "was read before");
    assert_told(c, FINDING_WARNING, 1, "chmod 600");
    assert_string_equal(c->settings->raw.v[0].kind, "CLIENTCFG");
    config_destroy(c);
    for (int i = 0; i < 4; i++)
        unlink(path[i]);
    assert_null(config_load_file(path[0], &err));
    assert_int_equal(err.code, ERR_IO);
    assert_non_null(strstr(err.text, path[0]));
    assert_null(config_load_file(dir, &err));
    rmdir(dir);
}

static void parts_are_read_behind_by_their_names(void **state)
{
    char dir[] = "/tmp/maui-load-XXXXXX", path[6][80];
    static const char *const names[] = {"maui.cfg", "site.cfg", "maui.cfg.d/20-b.cfg",
        "maui.cfg.d/10-a.cfg", "maui.cfg.d/.10-a.cfg", "maui.cfg.d/30-old.cfg~"};
    struct config *c;
    struct err err;

    (void)state;
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 6; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", dir, names[i]);
    char folder[80];
    snprintf(folder, sizeof folder, "%s/maui.cfg.d", dir);
    assert_int_equal(mkdir(folder, 0755), 0);
    write_file(path[0], "#INCLUDE site.cfg\nFSDEPTH 3\nDEFERCOUNT 1\n", 0644);
    write_file(path[1], "FSDEPTH 4\n", 0644);
    write_file(path[2], "FSDEPTH 6\nFSDECAY x\n", 0644);
    write_file(path[3], "FSDEPTH 5\nDEFERCOUNT 7\n", 0644);
    write_file(path[4], "DEFERCOUNT 8\n", 0644);
    write_file(path[5], "DEFERCOUNT 9\n", 0644);
    c = config_load_file(path[0], &err);
    assert_non_null(c);
    assert_int_equal(c->files.n, 4);
    assert_string_equal(c->files.v[2], path[3]);
    assert_int_equal(c->settings->fs.depth, 6);
    assert_int_equal(c->settings->defer_count, 7);
    assert_told(c, FINDING_ERROR, 2, "FSDECAY");
    config_destroy(c);

    /* without the file itself they count all the same */
    unlink(path[0]);
    assert_true(config_is_there(path[0]));
    c = config_load_file(path[0], &err);
    assert_non_null(c);
    assert_int_equal(c->settings->fs.depth, 6);
    config_destroy(c);
    for (int i = 0; i < 6; i++)
        unlink(path[i]);
    assert_int_equal(rmdir(folder), 0);
    assert_false(config_is_there(path[0]));
    assert_int_equal(rmdir(dir), 0);
}

static void files_of_unreasonable_size_are_refused(void **state)
{
    char path[] = "/tmp/maui-large-XXXXXX";
    int fd = mkstemp(path);
    struct err err;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, CONFIG_FILE_MAX + 1), 0);
    close(fd);
    assert_null(config_load_file(path, &err));
    assert_non_null(strstr(err.text, "larger than 64 MB"));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_line_never_stops_the_others),
        cmocka_unit_test(moabs_parameters_are_told_from_misspelt_ones),
        cmocka_unit_test(times_of_two_fields_are_told),
        cmocka_unit_test(slurm_brings_values_along_unless_others_are_said),
        cmocka_unit_test(the_scheduler_section_is_put_in_force_as_parameters),
        cmocka_unit_test(values_out_of_range_leave_what_was_in_force),
        cmocka_unit_test(each_status_is_told),
        cmocka_unit_test(the_last_of_two_lines_wins_and_that_is_told),
        cmocka_unit_test(findings_come_in_the_order_of_the_file),
        cmocka_unit_test(sections_override_old_limits_wherever_they_stand),
        cmocka_unit_test(partitions_have_their_own_values_and_else_the_global_ones),
        cmocka_unit_test(stacks_are_numbered),
        cmocka_unit_test(an_index_where_none_belongs_is_an_error),
        cmocka_unit_test(missing_values_and_attributes_are_told),
        cmocka_unit_test(lists_with_blanks_are_told_with_the_fix),
        cmocka_unit_test(a_limit_that_cannot_be_read_is_an_error),
        cmocka_unit_test(attributes_of_other_sections_are_told),
        cmocka_unit_test(secrets_are_refused_in_the_open_file),
        cmocka_unit_test(what_is_no_text_is_refused_whole),
        cmocka_unit_test(values_can_be_asked_for_by_name),
        cmocka_unit_test(settings_can_be_taken_away),
        cmocka_unit_test(includes_and_the_private_file_are_read),
        cmocka_unit_test(parts_are_read_behind_by_their_names),
        cmocka_unit_test(files_of_unreasonable_size_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
