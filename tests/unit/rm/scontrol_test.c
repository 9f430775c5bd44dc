/* SPDX-License-Identifier: Apache-2.0
 * What the adapter makes of scontrol's listings: damaged, imitated, out of all bounds.
 */
#include "fake_scontrol.h"
#include "rm/slurm/text/text.h"
#include "rm/wire.h"

#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>
/* after those it needs */
#include <cmocka.h>

#define PART "PartitionName=all DefaultTime=02:00:00 MaxTime=UNLIMITED State=UP\n"
#define AT   " SubmitTime=~5"
#define USER " UserId=root(0) GroupId=root(0) Priority=0"
#define QUEUED                                                                         \
    USER " JobState=PENDING Reason=None TimeLimit=01:00:00" AT " Partition=all"
#define RUNS USER " JobState=RUNNING Reason=None TimeLimit=01:00:00" AT " Partition=all"
#define SIZE " NumNodes=1 NumCPUs=2 NumTasks=2 CPUs/Task=1"

static struct strbuf told;

static void tell(const struct rm_report *r)
{
    char *line = wire_report(r);

    strbuf_add(&told, line);
    free(line);
}

/* All that is told of such a listing, as lines of JSON. */
static const char *look_at(struct adapter *a, const char *text)
{
    told.len = 0;
    strbuf_add(&told, "");
    fake_scontrol()->text = text;
    fake_scontrol()->tell = tell;
    fake_scontrol_look(a);
    return told.text;
}

static int begin(void **state)
{
    static struct adapter a;

    a = (struct adapter){.connected = true, .facts.memory = true};
    *fake_scontrol() = (struct fake_scontrol){0};
    *state = &a;
    return 0;
}

static int end(void **state)
{
    fake_scontrol_end(*state);
    free(told.text);
    told = (struct strbuf){0};
    return 0;
}

static void assert_told(const char *all, const char *part)
{
    if (strstr(all, part) == NULL)
        fail_msg("not told: %s\nbut: %s", part, all);
}

static void assert_not_told(const char *all, const char *part)
{
    if (strstr(all, part) != NULL)
        fail_msg("told: %s\nin: %s", part, all);
}

static void things_may_be_named_none(void **state)
{
    const char *all = look_at(*state,
        "PartitionName=none DefaultTime=01:00:00 State=UP\n"
        "NodeName=None CPUTot=4 State=IDLE Partitions=none\n"
        "ReservationName=Unknown StartTime=~100 EndTime=~200 Nodes=None Users=none\n"
        "LicenseName=n/a Total=3\n"
        "JobId=1 JobName=* UserId=none(7) GroupId=root(0) Priority=0 Account=none "
        "JobState=PENDING" AT " Partition=none" SIZE "\n");

    assert_told(all, "{\"node\":{\"name\":\"None\"");
    assert_told(all, "\"classes\":{\"none\":4}");
    assert_told(all, "\"reservation\":{\"name\":\"Unknown\"");
    assert_told(all, "\"gres\":{\"n/a\":3}");
    assert_told(all, "\"user\":\"none\"");
    assert_told(all, "\"class\":\"none\"");
    assert_told(all, "\"account\":\"none\"");
}

/* A sign of the end, taken apart where it is cut: strtok_r() in the adapter does so. */
static bool take(struct adapter *a, const char *sign)
{
    told.len = 0;
    strbuf_add(&told, "");
    return ends_take(a, sign);
}

static void a_plain_end_is_told_by_its_sign_once(void **state)
{
    static const char after[] =
        PART "JobId=7 JobName=a" USER
             " JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0 StartTime=~90"
             " EndTime=~99 TimeLimit=01:00:00" AT " Partition=all" SIZE "\n";

    look_at(*state, PART "JobId=7 JobName=a" RUNS " StartTime=~90" SIZE "\n");
    assert_true(take(*state, "7:0:4294967294:0:32773:0:768:90:99:60"));
    assert_told(told.text, "\"id\":\"7\"");
    assert_told(told.text, "\"state\":\"completed\"");
    assert_told(told.text, "\"exit_status\":3");
    assert_told(told.text, "\"ended_at\":99");
    assert_true(take(*state, "7:0:4294967294:0:32773:0:768:90:99:60"));
    assert_string_equal(told.text, "");
    assert_not_told(look_at(*state, after), "\"id\":\"7\"");
}

static void what_a_sign_does_not_say_is_looked_at(void **state)
{
    static const char *const odd[] = {"7",     /* of a script of before */
        "7:0:4294967294:0:1024:0:0:90:99:60",  /* it goes back to the queue */
        "7:0:4294967294:0:8197:0:0:90:99:60",  /* and its size is being changed */
        "7:0:4294967294:0:32775:0:0:90:99:60", /* its node failed */
        "7:0:4294967294:0:3:1:0:90:99:60",     /* another run than was seen */
        "7:0:4294967294:0:3:0:0:91:99:60", "8:0:4294967294:0:3:0:0:90:99:60",
        "7:0:4294967294:7:3:0:0:90:99:60", /* heterogeneous */
        "7:0:4294967294:0:3:0:0:90:99", "7:0:4294967294:0:3:0:0:90:99:60:1",
        "7:0:nil:0:3:0:0:90:99:60", "7:0:0:0:3:0:-1:90:99:60",
        "7:0:0:0:3:0:0:90:99:99999999999999999999", "7:5:7:0:3:0:0:90:99:60", ":", ""};

    look_at(*state, PART "JobId=7 JobName=a" RUNS " StartTime=~90" SIZE "\n");
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        if (take(*state, odd[i]))
            fail_msg("%s was taken", odd[i]);
        assert_string_equal(told.text, "");
    }
}

static void a_waiting_job_ends_by_a_sign_only_if_it_was_cancelled(void **state)
{
    look_at(*state, PART "JobId=7 JobName=a" QUEUED SIZE "\n");
    assert_false(take(*state, "7:0:4294967294:0:3:0:0:90:99:60"));
    assert_true(take(*state, "7:0:4294967294:0:4:0:0:99:99:60"));
    assert_told(told.text, "\"state\":\"removed\"");
}

static void things_without_a_name_are_left_out(void **state)
{
    const char *all =
        look_at(*state, "PartitionName=\nNodeName= CPUTot=4\n"
                        "ReservationName=(null) Nodes=n1\nLicenseName=\n");

    assert_string_equal(all, "");
}

static void resources_of_a_node_may_be_damaged(void **state)
{
    const char *all = look_at(*state,
        "NodeName=n1 CPUTot=4 Gres=gpu:2(S:0 RealMemory=10 MemSpecLimit=20\n"
        "NodeName=n2 CPUTot=4 Gres=gpu:tesla:2(S:0,1),gpu:1(S:1),shard:2K(S:0)\n"
        "NodeName=n3 CPUTot=4 Gres=gpu:-2,big:9223372036854775807K "
        "RealMemory=999999999999P\n");

    assert_told(all, "\"name\":\"n1\",\"state\":\"Idle\",\"configured\":{\"procs\":4,"
                     "\"swap_mb\":-1},\"features\":[],\"gres\":{\"gpu\":2}");
    assert_told(all, "\"gres\":{\"gpu\":3,\"gpu:tesla\":2,\"shard\":2048}");
    assert_told(all, "\"name\":\"n3\"");
}

static void limits_are_told_as_quotas(void **state)
{
    static const char assocs[] =
        "PartitionName=all QoS=debug State=UP\n"
        "ClusterName=c Account=root UserName= Partition= ParentAccount= GrpJobs=N(0)\n"
        "ClusterName=c Account=chem UserName= Partition= ParentAccount=root(1) "
        "GrpJobs=N(3) GrpWall=N(0.00) GrpTRES=cpu=4(1),mem=3072(9),node=7(1),"
        "gres/gpu:a100=2(0),billing=9(1),license/x=N(0) "
        "GrpTRESMins=cpu=10(10),mem=N(4) GrpTRESRunMins=cpu=5(1),mem=6(0) "
        "MaxJobs=9(0) MaxWallPJ=1\n"
        "ClusterName=c Account=lab UserName= Partition= ParentAccount=chem(3)\n"
        "ClusterName=c Account=lab UserName=ann(5) Partition= MaxJobs=0(0) "
        "MaxWallPJ=120 MaxTRESPJ=cpu=2,node=3 MaxTRESMinsPJ=cpu=77\n"
        "ClusterName=c Account=lab UserName=ann(5) Partition=gpu MaxJobs=1(0)\n"
        "QOS=debug(2) GrpTRES=cpu=N(1) MaxWallPJ= Account Limits= lab={MaxJobsPA=2(1) "
        "MaxTRESPA=cpu=N(1)} User Limits= 5={MaxJobsPU=1(1) "
        "MaxTRESPU=cpu=3(1),mem=N(1)}\n";
    const char *all = look_at(*state, assocs);

    assert_told(all,
        "{\"name\":\"account chem\",\"accounts\":[\"chem\",\"lab\"],\"limits\":["
        "{\"word\":\"GrpTRES=cpu\",\"rule\":\"group\",\"res\":\"procs\",\"most\":4},"
        "{\"word\":\"GrpTRES=mem\",\"rule\":\"group\",\"res\":\"mem_mb\",\"most\":3072}"
        ","
        "{\"word\":\"GrpTRES=gres/gpu:a100\",\"rule\":\"group\",\"res\":\"procs\","
        "\"gres\":\"gpu:a100\",\"most\":2},"
        "{\"word\":\"GrpTRESRunMins=cpu\",\"rule\":\"group\","
        "\"res\":\"proc_seconds\",\"most\":300},"
        "{\"word\":\"GrpTRESRunMins=mem\",\"rule\":\"group\",\"res\":\"mem_mb\","
        "\"by_time\":true,\"most\":360},"
        "{\"word\":\"GrpTRESMins\",\"rule\":\"job\",\"res\":\"jobs\",\"most\":0}]}");
    assert_told(all,
        "{\"name\":\"user ann in account lab\",\"user\":\"ann\",\"accounts\":[\"lab\"],"
        "\"except\":[\"gpu\"],\"limits\":["
        "{\"word\":\"MaxJobs\",\"rule\":\"each\",\"res\":\"jobs\",\"most\":0},"
        "{\"word\":\"MaxWall\",\"rule\":\"job\",\"res\":\"wall_s\",\"most\":7200},"
        "{\"word\":\"MaxTRES=cpu\",\"rule\":\"job\",\"res\":\"procs\",\"most\":2},"
        "{\"word\":\"MaxTRES=node\",\"rule\":\"job\",\"res\":\"nodes\",\"most\":3},");
    assert_told(all, "\"classes\":[\"gpu\"],\"limits\":[{\"word\":\"MaxJobs\"");
    assert_told(all, "{\"name\":\"QOS debug\",\"qos\":\"debug\",\"classes\":[\"all\"],"
                     "\"per\":\"user\",\"limits\":[{\"word\":\"MaxJobsPerUser\"");
    assert_told(all, "\"word\":\"MaxTRESPerUser=cpu\",\"rule\":\"each\","
                     "\"res\":\"procs\",\"most\":3}]}");
    assert_told(all, "\"per\":\"account\",\"limits\":[{\"word\":\"MaxJobsPerAccount\"");
    assert_not_told(all, "GrpTRES=node"); /* nodes are shared here: not a sum */
    assert_not_told(look_at(*state, assocs), "limits"); /* nothing is new */
    assert_told(look_at(*state, "QOS=debug(2)\n"), "\"quotas\":[]");
}

#define SHARES " SharesRaw/Norm/Level/Factor="

/* lab has no level of its own: ann and deep, which are in it, share with bob, who is in
 * chem. So does Slurm's Level, which is 4 for all three. */
static void shares_below_an_account_without_a_level_are_of_the_level_above(void **state)
{
    const char *all = look_at(*state,
        "ClusterName=c Account=root UserName= Partition=" SHARES "1/1.00/4/0.00 "
        "ParentAccount= \n"
        "ClusterName=c Account=chem UserName= Partition=" SHARES "2/0.50/4/0.00 "
        "ParentAccount=root(1) \n"
        "ClusterName=c Account=phys UserName= Partition=" SHARES "2/0.50/4/0.00 "
        "ParentAccount=root(1) \n"
        "ClusterName=c Account=lab UserName= Partition=" SHARES
        "2147483647/0.50/4/0.00 ParentAccount=chem(2) \n"
        "ClusterName=c Account=deep UserName= Partition=" SHARES
        "1/0.12/4/0.00 ParentAccount=lab(3) \n"
        "ClusterName=c Account=lab UserName=ann(5) Partition=" SHARES
        "1/0.12/4/0.00 ParentAccount= \n"
        "ClusterName=c Account=lab UserName=eve(7) Partition=" SHARES
        "2147483647/0.12/4/0.00 ParentAccount= \n"
        "ClusterName=c Account=deep UserName=joe(8) Partition=" SHARES
        "5/0.12/5/0.00 ParentAccount= \n"
        "ClusterName=c Account=chem UserName=bob(6) Partition=" SHARES
        "2/0.25/4/0.00 ParentAccount= \n");

    assert_told(all, "\"targets\":[{\"account\":\"chem\",\"percent\":50.0},"
                     "{\"account\":\"phys\",\"percent\":50.0},"
                     "{\"account\":\"deep\",\"percent\":12.5},"
                     "{\"user\":\"ann\",\"percent\":12.5},"
                     "{\"user\":\"joe\",\"percent\":12.5},"
                     "{\"user\":\"bob\",\"percent\":25.0}]");
}

/* Accounts whose parents go round, and what is no association at all. */
static void limits_may_be_damaged(void **state)
{
    const char *all = look_at(*state,
        "ClusterName=c Account=a ParentAccount=b(2) GrpJobs=1(0)\n"
        "ClusterName=c Account=b ParentAccount=a(1) GrpJobs=2(0)\n"
        "ClusterName=c Account= UserName=x(1) GrpJobs=3(0)\nClusterName=\nQOS=(3) "
        "GrpJobs=4\nQOS=q(1) GrpJobs=99999999999999999999 GrpTRES=cpu=,=,,cpu "
        "MaxWallPJ=-1\n");

    assert_told(all, "{\"name\":\"account a\",\"accounts\":[\"a\",\"b\"]");
    assert_not_told(all, "\"most\":3");
    assert_not_told(all, "\"most\":4");
}

/* What squeue says of job 3 then: number, user, group, name, priority, nice, account,
 * qos, texts. */
#define COLUMNS(name, admin)                                                           \
    "3~root~0~root~0~" name "~0~0~lab~normal~/x~/tmp~" admin "~/e~/o~N/A~N/A~N/A~N/A"  \
    "~N/A~N/A~\n"

static void names_may_imitate_fields(void **state)
{
    static const char *const names[] = {"x UserId=bin(2)",
        "x ArrayJobId=7 ArrayTaskId=1", "x HetJobId=7", "x Nodes=n1 CPU_IDs=0-7",
        "x NumNodes=1 Nodes=n1 CPU_IDs=0-7", "x MinCPUsNode=1 NumNodes=2",
        "x UserId=bin(2) GroupId=bin(2) Priority=0 JobState=PENDING SubmitTime=5"};
    char text[600];

    fake_scontrol()->columns = COLUMNS("x", "maui:kept");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *all;

        jobs_forget(*state);
        snprintf(text, sizeof text,
            PART "JobId=3 JobName=%s" RUNS " NodeList=n1" SIZE
                 " Nodes=n1 CPU_IDs=0-1 Mem=0 MinCPUsNode=1 Network=(null)\n",
            names[i]);
        all = look_at(*state, text);
        assert_told(all, "\"id\":\"3\"");
        assert_told(all, "\"user\":\"root\"");
        assert_told(all, "\"on\":[[\"n1\",2]]");
    }
    assert_told(look_at(*state, PART
                    "JobId=3 ArrayJobId=2 ArrayTaskId=1 JobName=a=b c" RUNS
                    " NodeList=n1" SIZE " Nodes=n1 CPU_IDs=0-1 Mem=0 MinCPUsNode=1\n"),
        "\"on\":[[\"n1\",2]]");
}

static void texts_may_imitate_fields(void **state)
{
    const char *all;

    fake_scontrol()->columns = COLUMNS("x", "maui:kept");
    all = look_at(*state, PART "JobId=3 JobName=x" QUEUED " ReqNodeList=n4" SIZE
                               " Network=(null) Command=/x "
                               "AdminComment=maui:asked;count=1-0;nodes=n1 "
                               "WorkDir=/ AdminComment=maui:kept StdOut=/y\n");
    assert_told(all, "\"hosts\":[\"n4\"]");
}

/* Of 26.05, which says in two words who shares nodes. */
static void what_later_releases_print_besides_is_part_of_no_text(void **state)
{
    static const struct {
        const char *share, *alone, *told;
    } cases[] = {
        {"NO", "NO", "\"procs\":1"}, {"NO", "NODE", "\"access\":\"SINGLEJOB\""}};
    char text[800];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *all;

        jobs_forget(*state);
        snprintf(text, sizeof text,
            PART "JobId=3 HetJobId=3 HetJobOffset=0 JobName=a b SLUID=s9MSM8J7XR4R00 "
                 "HetJobIdSet=3-3" QUEUED SIZE
                 " OverSubscribe=%s Exclusive=%s Contiguous=0 Licenses=(null) "
                 "LicensesAlloc=(null) Network=(null) Command=/x y SubmitLine=sbatch "
                 "-n 2 --comment=Comment=q /x WorkDir=/ AdminComment=maui:kept "
                 "Comment=c Extra=e=f StdErr= StdOut=/y\n",
            cases[i].share, cases[i].alone);
        all = look_at(*state, text);
        assert_told(all, "\"name\":\"a b\"");
        assert_told(all, "\"command\":\"/x y\"");
        assert_told(all, cases[i].told);
    }
}

static void texts_of_several_lines_are_one_record(void **state)
{
    const char *all = look_at(*state,
        PART "JobId=3 JobName=a\nb" QUEUED SIZE " Network=(null) Comment=c\n\nd\n"
             "JobId=4 JobName=" QUEUED SIZE "\n");

    assert_told(all, "\"id\":\"3\"");
    assert_told(all, "\"id\":\"4\"");
    assert_told(all, "\"name\":\"a b\"");
}

/* Job 3 is there at 6, job 8 is not; job 7 has a record of its own. */
static void a_record_in_a_text_is_none(void **state)
{
    static const char *const fakes[] = {"8", "7", "3"};
    char text[2000];

    fake_scontrol()->listing = "7 ~6\n3 ~5\n5 ~6\n";
    for (size_t i = 0; i < sizeof fakes / sizeof fakes[0]; i++) {
        const char *all;

        snprintf(text, sizeof text,
            PART "JobId=3 JobName=x" QUEUED SIZE " Network=(null) Comment=c\n"
                 "JobId=%s JobName=fake UserId=bin(2) GroupId=bin(2) Priority=9 "
                 "JobState=RUNNING SubmitTime=6 Partition=all\n"
                 "JobId=5 JobName=y" USER
                 " JobState=PENDING SubmitTime=~6 Partition=all\n"
                 "JobId=7 JobName=z\nJobId=3 fake" USER
                 " JobState=PENDING SubmitTime=~6 Partition=all\n",
            fakes[i]);
        all = look_at(*state, text);
        assert_not_told(all, "\"user\":\"bin\"");
        assert_not_told(all, "\"name\":\"fake\"");
        assert_not_told(all, "\"id\":\"8\"");
        assert_not_told(all, "_gone");
        if (i > 0)
            continue;
        assert_told(all, "\"id\":\"3\"");
        assert_told(all, "\"id\":\"5\"");
        assert_told(all, "\"id\":\"7\"");
    }
}

/* Whoever knows the number of the next job does not make it a part of his own. */
static void a_text_makes_no_job_part_of_another(void **state)
{
    static const char *const fakes[] = {"ArrayJobId=2 ArrayTaskId=1 ",
        "ArrayJobId=5 ArrayTaskId=1 ", "HetJobId=2 HetJobOffset=1 ", "x=y "};
    static const struct {
        const char *part, *name, *id;
    } real[] = {{"", "5", "\"5\""}, {"ArrayJobId=4 ArrayTaskId=7 ", "4_7", "\"4_7\""},
        {"ArrayJobId=5 ArrayTaskId=0-1%2 ArrayTaskThrottle=2 ", "5_[0-1%2]", "\"5_1\""},
        {"ArrayJobId=5 ArrayTaskId=0-1,8 ", "5_[0-1,...]", "\"5_8\""}};
    char text[2000], listing[100];

    fake_scontrol()->listing = listing;
    fake_scontrol()->columns =
        "5~root~0~root~0~y~0~0~lab~normal~/x~/tmp~maui:kept~/e~/o~N/A~N/A~N/A~N/A"
        "~N/A~N/A~\n";
    for (size_t i = 0; i < sizeof fakes / sizeof fakes[0]; i++)
        for (size_t k = 0; k < sizeof real / sizeof real[0]; k++) {
            const char *all;

            jobs_forget(*state);
            snprintf(listing, sizeof listing, "3 ~5 3\n5 ~5 %s\n", real[k].name);
            snprintf(text, sizeof text,
                PART "JobId=3 JobName=x" QUEUED SIZE " Network=(null) Comment=c\n"
                     "JobId=5 %sJobName=fake\n"
                     "JobId=5 %sJobName=y" QUEUED SIZE " Network=(null)\n",
                fakes[i], real[k].part);
            all = look_at(*state, text);
            assert_told(all, "\"id\":\"3\"");
            assert_told(all, real[k].id);
            assert_not_told(all, "\"id\":\"2");
            if (k < 2)
                assert_not_told(all, "\"id\":\"5_1\"");
        }
}

/* A name or a comment that looks like fields, or like a record: squeue is asked. Jobs
 * do not end because it cannot answer; that it knows no such job is an answer. */
static void no_job_ends_while_squeue_is_out_of_reach(void **state)
{
    static const char *const texts[] = {PART
        "JobId=3 JobName=x UserId=bin(2)" QUEUED SIZE " Network=(null)\n",
        PART "JobId=1 JobName=x" QUEUED SIZE " Network=(null) Comment=c\n"
             "JobId=8 fake\nJobId=3 JobName=y" QUEUED SIZE "\n"};
    static const char lost[] = "slurm_load_jobs error: Unable to contact slurm "
                               "controller (connect failure)\n";

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *const silent[] = {lost, ""};
        jobs_forget(*state);
        for (size_t k = 0; k < 2; k++) {
            fake_scontrol()->columns = COLUMNS("x", "maui:kept");
            fake_scontrol()->listing = "1 ~5\n3 ~5\n";
            look_at(*state, texts[i]);
            assert_non_null(jobs_find(*state, "3"));
            fake_scontrol()->columns = fake_scontrol()->listing = silent[k];
            assert_not_told(look_at(*state, texts[i]), "_gone");
            assert_non_null(jobs_find(*state, "3"));
        }
    }
    jobs_forget(*state);
    fake_scontrol()->columns = COLUMNS("x", "maui:kept");
    look_at(*state, texts[0]);
    fake_scontrol()->columns = "slurm_load_jobs error: Invalid job id specified\n";
    assert_told(look_at(*state, texts[0]), "\"job_gone\":\"3\"");
}

static void a_record_that_is_cut_off_is_not_believed(void **state)
{
    assert_not_told(look_at(*state, PART "JobId=3 JobName=x\n"), "\"job\"");
    assert_not_told(look_at(*state, PART "JobId=3 JobName=x" USER "\n"), "\"job\"");
    assert_told(look_at(*state, PART "JobId=3 JobName=x" QUEUED "\n"), "\"job\"");
}

static void the_limit_of_the_partition_is_its_default(void **state)
{
    assert_told(look_at(*state, PART "JobId=3 JobName=x" USER
                                     " JobState=PENDING TimeLimit=Partition_Limit" AT
                                     " Partition=all" SIZE "\n"),
        "\"wclimit_s\":7200");
}

/* Sanitizers tell what overflows. */
static void amounts_beyond_all_bounds_stay_amounts(void **state)
{
    static const char *const amounts[] = {
        " NumNodes=4294967293 NumCPUs=4294967293 NumTasks=4294967293 CPUs/Task=65000 "
        "MinMemoryCPU=9999999P MinTmpDiskNode=1e300",
        " NumNodes=1 NumTasks=4294967293 CPUs/Task=65000 MinMemoryCPU=nan "
        "TresPerJob=gres:gpu:9223372036854775807 "
        "TresPerNode=gres,gres:gpu:9223372036854775807",
        " NumNodes=1-60 NumTasks=4294967293 CPUs/Task=65000 "
        "MinMemoryCPU=1099511627776G "
        "Licenses=a:-5"};
    char text[800];

    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        snprintf(text, sizeof text,
            PART "JobId=3 JobName=%zu" USER " JobState=PENDING" AT " Partition=all%s\n",
            i, amounts[i]);
        assert_told(look_at(*state, text), "\"job\"");
    }
    assert_told(
        look_at(*state, PART "JobId=4 JobName=x" RUNS " StartTime=-7 NodeList=n1" SIZE
                             " Nodes=n1 CPU_IDs=0-9223372036854775807 Mem=0 "
                             "MinCPUsNode=1\n"),
        "\"on\":[[\"n1\",2]]");
}

static void what_a_start_overwrote_is_read_from_the_comment(void **state)
{
    const char *all =
        look_at(*state, PART "JobId=3 JobName=x" QUEUED " ReqNodeList=n4" SIZE
                             " AdminComment=maui:asked;count=1-0;nodes=n1\n");

    assert_told(all, "\"hosts\":[\"n1\"]");
}

#define LESS(limit, least)                                                             \
    USER " JobState=PENDING Reason=None TimeLimit=" limit " TimeMin=" least AT         \
         " Partition=all"

static void what_a_start_made_of_the_limit_is_read_from_the_comment(void **state)
{
    static const char whole[] = "\"wclimit_s\":3600,\"min_wclimit_s\":600";

    assert_told(look_at(*state,
                    PART "JobId=3 JobName=x" LESS("01:00:00", "00:10:00") SIZE "\n"),
        whole);
    jobs_forget(*state);
    assert_told(look_at(*state, PART "JobId=3 JobName=x" LESS("00:12:00", "N/A") SIZE
                    " AdminComment=maui:asked;count=1-0;limit=10-60\n"),
        whole);
    jobs_forget(*state);
    assert_not_told(look_at(*state, PART
                        "JobId=3 JobName=x" LESS("00:10:00", "00:10:00") SIZE "\n"),
        "min_wclimit_s");
}

/* A node that is of one such partition alone has each processor several times. */
static void what_a_partition_says_of_sharing_and_overtime_counts(void **state)
{
    static const char part[] =
        "PartitionName=all DefaultTime=02:00:00 OverSubscribe=FORCE:3 OverTimeLimit=5 "
        "State=UP\nPartitionName=low OverSubscribe=YES:2 OverTimeLimit=NONE State=UP\n";
    char text[800];
    const char *all;

    snprintf(text, sizeof text,
        "%sNodeName=n1 CPUTot=4 State=IDLE Partitions=all\n"
        "NodeName=n2 CPUTot=4 State=IDLE Partitions=all,low\n"
        "NodeName=n3 CPUTot=4 State=IDLE Partitions=low\n"
        "JobId=3 JobName=x" QUEUED SIZE "\n",
        part);
    all = look_at(*state, text);
    assert_told(all, "\"name\":\"n1\",\"state\":\"Idle\",\"configured\":{\"procs\":12");
    /* each partition lets so many of its own share a processor, whatever the others
     * have */
    assert_told(
        all, "\"name\":\"n2\",\"state\":\"Idle\",\"configured\":{\"procs\":20,");
    assert_told(all, "\"class_procs\":{\"all\":12,\"low\":8},\"unshared\":4");
    assert_told(all, "\"name\":\"n3\",\"state\":\"Idle\",\"configured\":{\"procs\":8,");
    assert_told(all, "\"overtime_s\":300");
}

static void who_waits_for_a_reservation_that_is_gone_is_held(void **state)
{
    const char *all =
        look_at(*state, PART "JobId=3 JobName=x" USER " JobState=RESV_DEL_HOLD "
                             "Reason=Reservation_r_was_deleted TimeLimit=01:00:00" AT
                             " Partition=all" SIZE "\n");

    assert_told(all, "\"state\":\"hold\"");
    assert_told(all, "Reservation_r_was_deleted");
    assert_not_told(
        look_at(*state, PART
            "JobId=3 JobName=x" USER " JobState=RESV_DEL_HOLD Reason=JobHeldUser "
            "TimeLimit=01:00:00" AT " Partition=all" SIZE " AdminComment=maui:kept\n"),
        "\"state\":\"hold\"");
}

/* Else the nodes of that would pass for taken. */
static void what_slurm_has_forgotten_is_told_before_what_runs_there(void **state)
{
    const char *gone, *runs;

    look_at(*state, PART "JobId=12 JobName=x" RUNS SIZE " NodeList=n1\n");
    look_at(*state, PART "JobId=8 JobName=x" RUNS SIZE " NodeList=n1\n");
    gone = strstr(told.text, "\"12\"");
    runs = strstr(told.text, "\"id\":\"8\"");
    assert_true(gone != NULL && runs != NULL && gone < runs);
}

/* A start, and an older job that was there before runs on. */
static void what_waits_again_is_told_before_what_runs_there(void **state)
{
    const char *waits, *runs;

    look_at(*state, PART "JobId=8 JobName=x" QUEUED SIZE
                         "\nJobId=12 JobName=x" RUNS SIZE " NodeList=n1\n");
    look_at(*state, PART "JobId=8 JobName=x" RUNS SIZE
                         " NodeList=n1\nJobId=12 JobName=x" QUEUED SIZE "\n");
    waits = strstr(told.text, "\"id\":\"12\"");
    runs = strstr(told.text, "\"id\":\"8\"");
    assert_true(waits != NULL && runs != NULL && waits < runs);
}

/* It was acknowledged, to be ordered with others of its record. */
static void a_hold_of_a_task_that_leaves_its_array_is_ordered_of_it_alone(void **state)
{
#define TASK                                                                           \
    "JobId=8 ArrayJobId=9 ArrayTaskId=1 JobName=x" QUEUED SIZE                         \
    " AdminComment=maui:kept\n"
#define REST                                                                           \
    "JobId=9 ArrayJobId=9 ArrayTaskId=2-4 JobName=x" QUEUED SIZE                       \
    " AdminComment=maui:kept\n"
    const struct rm_command hold = {
        .action = RM_HOLD, .token = 1, .job = "9_1", .kinds = HOLD_USER};

    look_at(*state, PART "JobId=9 ArrayJobId=9 ArrayTaskId=1-4 JobName=x" QUEUED SIZE
                         " AdminComment=maui:kept\n");
    orders_command(*state, &hold);
    assert_told(told.text, "\"outcome\":\"ok\"");
    strbuf_add(&fake_scontrol()->ordered, "");
    assert_not_told(fake_scontrol()->ordered.text, "9_1");
    look_at(*state, PART TASK REST);
    assert_told(fake_scontrol()->ordered.text, "uhold 9_1");
    assert_int_equal(((struct adapter *)*state)->wishes, 0);
    fake_scontrol()->ordered.len = 0;
    orders_command(*state, &hold); /* and it is none of several any more */
    assert_told(fake_scontrol()->ordered.text, "uhold 9_1");
#undef TASK
#undef REST
}

/* An order for each task of an array that has other records: no look waits for all. */
static void holds_of_many_tasks_one_by_one_take_several_looks(void **state)
{
    const char *text =
        PART "JobId=8 ArrayJobId=9 ArrayTaskId=1 JobName=x" RUNS SIZE
             "\nJobId=9 ArrayJobId=9 ArrayTaskId=2-100 JobName=x" QUEUED SIZE
             " AdminComment=maui:kept\n";
    size_t looks = 0;
    char id[10];

    look_at(*state, text);
    for (int i = 2; i < 62; i++) {
        snprintf(id, sizeof id, "9_%d", i);
        orders_command(
            *state, &(struct rm_command){
                        .action = RM_HOLD, .token = 1, .job = id, .kinds = HOLD_USER});
    }
    for (; ((struct adapter *)*state)->wishes > 0 && looks < 10; looks++)
        look_at(*state, text);
    assert_int_equal(looks, 3);
    assert_told(fake_scontrol()->ordered.text, "uhold 9_61\n");
}

/* For the scheduler it is gone, and its nodes are free, until it is told again. */
static void a_job_that_slurm_does_not_cancel_is_told_with_the_answer(void **state)
{
    const struct rm_command cancel = {.action = RM_CANCEL, .token = 1, .job = "3"};
    const char *answer, *again;

    look_at(*state, PART "JobId=3 JobName=x" RUNS SIZE " NodeList=n1\n");
    told.len = 0;
    strbuf_add(&told, "");
    fake_scontrol()->refuses = true;
    orders_command(*state, &cancel);
    answer = strstr(told.text, "\"done\"");
    again = strstr(told.text, "\"id\":\"3\"");
    assert_true(answer != NULL && again != NULL && answer < again);
}

/* Slurm's words for its hold stand there after its end as well. */
static void a_job_that_came_back_held_and_was_cancelled_has_ended(void **state)
{
#define BACK(job_state)                                                                \
    PART "JobId=3 JobName=x" USER " JobState=" job_state                               \
         " Reason=job_requeued_in_held_state Restarts=1 TimeLimit=01:00:00" AT         \
         " Partition=all" SIZE " AdminComment=maui:kept\n"
    assert_told(look_at(*state, BACK("PENDING")), "\"state\":\"hold\"");
    fake_scontrol()->ordered.len = 0;
    strbuf_add(&fake_scontrol()->ordered, "");
    assert_not_told(look_at(*state, BACK("CANCELLED")), "\"state\":\"hold\"");
    assert_told(told.text, "\"state\":\"removed\"");
    assert_string_equal(fake_scontrol()->ordered.text, "");
#undef BACK
}

/* Where the gate's file of the job is lost. */
static void the_priority_in_the_comment_may_stand_behind_a_remark(void **state)
{
    static const char *const remarks[] = {"", "the dean "};
    char text[600];

    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++) {
        jobs_forget(*state);
        snprintf(text, sizeof text,
            PART "JobId=3 JobName=x" QUEUED SIZE
                 " AdminComment=%smaui:asked;count=1-0;priority=500\n",
            remarks[i]);
        assert_told(look_at(*state, text), "\"fixed_priority\":500");
    }
}

/* What the first look remembered is freed: AddressSanitizer counts it. */
static void the_remark_of_a_job_is_remembered_once(void **state)
{
    static const char text[] =
        PART "JobId=3 JobName=x" QUEUED SIZE " AdminComment=the dean wants it\n";

    look_at(*state, text);
    look_at(*state, text);
    assert_string_equal(jobs_find(*state, "3")->asked[0].remark, "the dean wants it");
}

static void a_job_first_seen_as_it_completes_takes_orders(void **state)
{
    look_at(*state,
        PART "JobId=3 JobName=x" USER " JobState=COMPLETING" AT " Partition=all\n");
    orders_command(
        *state, &(struct rm_command){.action = RM_HOLD, .token = 1, .job = "3"});
    assert_told(told.text, "\"outcome\":\"ok\"");
}

/* No failed start, for which the job would be deferred. */
static void an_order_whose_answer_was_cut_off_is_lost(void **state)
{
    const struct job_place place = {.node = "n1", .tasks = 1};

    look_at(*state, PART "JobId=3 JobName=x" QUEUED SIZE "\n");
    fake_scontrol()->refuses = true;
    fake_scontrol()->text = "slurm_update error: Unexpected message received\n";
    orders_command(*state, &(struct rm_command){.action = RM_START,
                               .token = 1,
                               .job = "3",
                               .places = &place,
                               .nplaces = 1});
    starts_send(*state);
    assert_told(told.text, "\"outcome\":\"lost\"");
}

static void an_error_is_no_empty_list(void **state)
{
    const char *all;

    assert_told(
        look_at(*state, PART "JobId=3 JobName=error: x" QUEUED "\n"), "\"job\"");
    all = look_at(*state, "slurm_load error: something new\n");
    assert_told(all, "something new");
    assert_not_told(all, "_gone");
    assert_told(look_at(*state, PART), "{\"job_gone\":\"3\"}");
}

/* scontrol prints the same list once more, without the sign; another user's change
 * makes it new. */
static void memory_by_processor_stays_so_when_it_is_printed_again(void **state)
{
    const char *all =
        look_at(*state, PART "JobId=3 JobName=a" QUEUED SIZE " MinMemoryCPU=100M\n"
                             "JobId=4 JobName=b" QUEUED SIZE " MinMemoryNode=700M\n");

    assert_told(all, "\"mem_mb\":100,\"tasks\":2");
    all = look_at(*state, PART "JobId=3 JobName=a" QUEUED SIZE " MinMemoryNode=100M\n"
                               "JobId=4 JobName=b" QUEUED SIZE " MinMemoryNode=700M\n");
    assert_not_told(all, "\"job\"");
    all = look_at(*state, PART "JobId=3 JobName=a" QUEUED SIZE " MinMemoryNode=200M\n"
                               "JobId=4 JobName=b" QUEUED SIZE " MinMemoryNode=700M\n");
    assert_told(all, "\"changed\":true");
}

static void what_is_repeated_of_commands_is_no_answer(void **state)
{
    assert_told(look_at(*state, "scontrol: show job\nscontrol: JobId=3 JobName=x" QUEUED
                                "\nshow hostnames maui-7\n"),
        "\"id\":\"3\"");
}

/* Job 7, with a limit of a minute, kept or let end by its deadline. */
static void look_at_deadline(struct adapter *a, bool let_end, time_t deadline)
{
    char text[600];

    snprintf(text, sizeof text,
        PART "JobId=7 JobName=a UserId=root(0) GroupId=root(0) Priority=%d "
             "JobState=PENDING Reason=Resources TimeLimit=00:01:00" AT
             " Deadline=~%lld Partition=all AdminComment=%s" SIZE "\n",
        let_end, (long long)deadline, let_end ? "maui:asked;count=1-0" : "maui:kept");
    look_at(a, text);
}

static void a_job_with_another_deadline_is_taken_back(void **state)
{
    struct adapter *a = *state;
    time_t now = time(NULL);

    look_at_deadline(a, false, now + 30);
    jobs_expire(a);
    assert_true(jobs_find(a, "7")->expired);
    look_at_deadline(a, true, now + 30);
    strbuf_add(&fake_scontrol()->ordered, "");
    assert_not_told(
        fake_scontrol()->ordered.text, "maui:keep"); /* Slurm is to end it */
    look_at_deadline(a, true, now + 3600);
    assert_told(fake_scontrol()->ordered.text, "maui:keep");
    look_at_deadline(a, false, now + 3600);
    assert_false(jobs_find(a, "7")->expired);
    look_at_deadline(a, false, now + 20); /* and that one counts as well */
    jobs_expire(a);
    assert_true(jobs_find(a, "7")->expired);
}

/* A directory of users that may be away; with the name of whom it is asked for. */
static const char *somebody;

struct passwd *getpwuid(uid_t uid)
{
    static struct passwd pw;

    pw = (struct passwd){.pw_name = (char *)somebody, .pw_uid = uid};
    return somebody != NULL ? &pw : NULL;
}

static void a_name_that_was_not_to_be_had_is_asked_for_again(void **state)
{
    struct adapter *a = *state;
    slurm_job_info_t j = {.user_id = 4711};

    somebody = NULL;
    assert_string_equal(names_user(a, 4711), "4711");
    assert_false(names_are_known(a, &j));
    somebody = "ann";
    fake_scontrol()->now_ms += 20000;
    assert_string_equal(names_user(a, 4711), "ann");
    assert_true(names_are_known(a, &j));
    somebody = NULL;
    fake_scontrol()->now_ms += 120000;
    assert_string_equal(names_user(a, 4711), "ann");
    names_forget(a);
    a->names = NULL;
}

/* It was started on nodes that Slurm chose. */
static void an_end_says_all_only_where_the_nodes_are_known(void **state)
{
    static const char over[] = PART "JobId=7 JobName=a" QUEUED
                                    " NumNodes=1 NumCPUs=1 NumTasks=4 CPUs/Task=1\n",
                      plain[] = PART "JobId=8 JobName=a" QUEUED SIZE "\n";
    const struct job_place place = {.node = "n1", .tasks = 1};
    struct rm_command c = {
        .action = RM_START, .job = "7", .places = &place, .nplaces = 1};
    struct adapter *a = *state;

    a->told_all = true;
    look_at(a, over);
    orders_command(a, &c);
    starts_send(a);
    assert_true(outcomes_has_start(a, "7"));
    assert_false(take(a, "7:0:4294967294:0:3:0:0:90:99:60"));
    look_at(a, plain);
    c.job = "8";
    orders_command(a, &c);
    starts_send(a);
    assert_true(take(a, "8:0:4294967294:0:3:0:0:90:99:60"));
    adapter_forgotten(a);
}

/* The gate's files are in the place of its own, and nowhere else. */
static void a_link_is_not_taken_for_the_folder_of_marks(void **state)
{
    char home[] = "/tmp/maui-marks-XXXXXX", real[60], mark[60], link[60];

    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(real, sizeof real, "%s/real", home);
    snprintf(mark, sizeof mark, "%s/real/7", home);
    snprintf(link, sizeof link, "%s/slurm.marks", home);
    assert_int_equal(mkdir(real, 0700), 0);
    int fd = open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "2", 1), 1);
    close(fd);
    assert_int_equal(symlink(real, link), 0);
    marks_open(link, geteuid());
    assert_int_equal(marks_of(&(slurm_job_info_t){.job_id = 7}), 0);
    unlink(link);
    unlink(mark);
    rmdir(real);
    rmdir(home);
}

/* Numbers are used again. */
static void a_mark_is_of_the_job_that_it_was_left_for(void **state)
{
    static const struct {
        const char *text;
        uint32_t mark;
    } cases[] = {{"2", 2}, /* of an earlier gate */
        {"2 1000 1764081000", 2}, {"2 1001 1764081000", 0}, {"2 1000 1764081001", 0},
        {"? 1000 1764081000", MARKS_DOUBT}, {"? 1001 1764081000", 0},
        {"?", MARKS_DOUBT}, {"", 0}};
    char home[] = "/tmp/maui-marks-XXXXXX", mark[60];
    slurm_job_info_t j = {.job_id = 77, .user_id = 1000, .submit_time = 1764081000};

    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(mark, sizeof mark, "%s/77", home);
    marks_open(home, geteuid());
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *f = fopen(mark, "we");

        assert_non_null(f);
        fputs(cases[i].text, f);
        fclose(f);
        assert_int_equal(marks_of(&j), cases[i].mark);
    }
    FILE *f = fopen(mark, "we");
    fputs("2 1000 1764080000", f);
    fclose(f);
    j.restart_cnt = 1; /* it came back into the queue, and was submitted anew */
    assert_int_equal(marks_of(&j), 2);
    unlink(mark);
    rmdir(home);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(things_may_be_named_none),
        TEST(things_without_a_name_are_left_out),
        TEST(a_plain_end_is_told_by_its_sign_once),
        TEST(what_a_sign_does_not_say_is_looked_at),
        TEST(a_waiting_job_ends_by_a_sign_only_if_it_was_cancelled),
        TEST(resources_of_a_node_may_be_damaged),
        TEST(limits_are_told_as_quotas),
        TEST(shares_below_an_account_without_a_level_are_of_the_level_above),
        TEST(limits_may_be_damaged),
        TEST(names_may_imitate_fields),
        TEST(texts_may_imitate_fields),
        TEST(what_later_releases_print_besides_is_part_of_no_text),
        TEST(texts_of_several_lines_are_one_record),
        TEST(a_record_in_a_text_is_none),
        TEST(a_text_makes_no_job_part_of_another),
        TEST(no_job_ends_while_squeue_is_out_of_reach),
        TEST(a_record_that_is_cut_off_is_not_believed),
        TEST(the_limit_of_the_partition_is_its_default),
        TEST(amounts_beyond_all_bounds_stay_amounts),
        TEST(what_a_start_overwrote_is_read_from_the_comment),
        TEST(what_a_start_made_of_the_limit_is_read_from_the_comment),
        TEST(what_a_partition_says_of_sharing_and_overtime_counts),
        TEST(who_waits_for_a_reservation_that_is_gone_is_held),
        TEST(what_slurm_has_forgotten_is_told_before_what_runs_there),
        TEST(what_waits_again_is_told_before_what_runs_there),
        TEST(a_hold_of_a_task_that_leaves_its_array_is_ordered_of_it_alone),
        TEST(holds_of_many_tasks_one_by_one_take_several_looks),
        TEST(a_job_that_slurm_does_not_cancel_is_told_with_the_answer),
        TEST(a_job_that_came_back_held_and_was_cancelled_has_ended),
        TEST(the_priority_in_the_comment_may_stand_behind_a_remark),
        TEST(the_remark_of_a_job_is_remembered_once),
        TEST(a_job_first_seen_as_it_completes_takes_orders),
        TEST(an_order_whose_answer_was_cut_off_is_lost),
        TEST(an_error_is_no_empty_list),
        TEST(what_is_repeated_of_commands_is_no_answer),
        TEST(memory_by_processor_stays_so_when_it_is_printed_again),
        TEST(a_job_with_another_deadline_is_taken_back),
        TEST(a_name_that_was_not_to_be_had_is_asked_for_again),
        TEST(an_end_says_all_only_where_the_nodes_are_known),
        TEST(a_link_is_not_taken_for_the_folder_of_marks),
        TEST(a_mark_is_of_the_job_that_it_was_left_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
