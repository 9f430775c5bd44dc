# SPDX-License-Identifier: Apache-2.0
"""`maui import slurm`: a maui.cfg from slurm.conf and from what sacctmgr prints."""
import pytest

pytestmark = pytest.mark.anybody

CONF = """\
ClusterName=x
PriorityWeightAge=1000
PriorityMaxAge=14-0
PriorityWeightFairshare=10000 # much
PriorityDecayHalfLife=1-0
PriorityWeightPartition=500
priorityweightqos=2000
PriorityWeightJobSize=100
PreemptType=preempt/qos
PreemptMode=REQUEUE
NodeName=n[1-4] CPUs=4
Include parts.conf
"""
PARTS = """\
PartitionName=short Nodes=n[1-2] Default=YES MaxTime=60 DefaultTime=10 \\
   PriorityJobFactor=10 State=UP OverSubscribe=NO
PartitionName=long Nodes=n[1-4] MaxTime=7-0 MaxNodes=2 PriorityTier=2 PreemptMode=SUSPEND OverSubscribe=EXCLUSIVE
PartitionName=none Nodes=n[1-4] MaxTime=UNLIMITED AllowAccounts=a
"""
QOS = """\
Name|Priority|GraceTime|Preempt|PreemptMode|UsageFactor|GrpTRES|GrpJobs|MaxTRES|MaxWall|\
MaxTRESPU|MaxJobsPU
normal|0|00:00:00||cluster|1.000000||||||
high|100|00:00:00|normal|cluster|1.000000|cpu=32,node=4,mem=64G|10|cpu=16|2-00:00:00|\
cpu=8,gres/gpu=1|3
"""
ASSOC = """\
Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|MaxJobs|MaxWall|QOS|Def QOS
x|root|||1|||||||
x|physics|||3||20|cpu=100|||high,normal|normal
x|physics|ann||1||||5|1-00:00:00||
x|chem|||1|||||||
x|chem|ann||1|||||||
"""


@pytest.fixture
def imported(maui, tmp_path):
    files = {"slurm.conf": CONF, "parts.conf": PARTS, "qos": QOS, "assoc": ASSOC}
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def run(*options, check=True):
        done = maui("import", "slurm", "--conf", tmp_path / "slurm.conf", *options,
                    check=check)
        (tmp_path / "maui.cfg").write_text(done.stdout)
        return done
    return run


def test_everything_that_can_be_is_carried_over(imported, maui, tmp_path):
    done = imported("--qos", tmp_path / "qos", "--assoc", tmp_path / "assoc")
    lines = done.stdout.splitlines()
    for line in """\
RMCFG[slurm] TYPE=SLURM
QUEUETIMEWEIGHT 0.0496032
CLASSWEIGHT 50
QOSWEIGHT 20
FSINTERVAL 24:00:00
FSUSERWEIGHT 100
PREEMPTPOLICY REQUEUE
CLASSCFG[short] DEFAULT.WCLIMIT=0:10:00 PRIORITY=10
CLASSCFG[long] NODEACCESSPOLICY=SINGLEJOB
QOSCFG[normal] QFLAGS=PREEMPTEE
QOSCFG[high] MAXPROC=32 MAXNODE=4 MAXMEM=65536 MAXJOB=10 OMAXJPROC=16 \
OMAXJWC=48:00:00 MAXPROCPERUSER=8 MAXJOBPERUSER=3 QFLAGS=PREEMPTOR
ACCOUNTCFG[physics] MAXJOB=20 MAXPROC=100
USERCFG[ann] MAXJOB=5 MAX.WCLIMIT=24:00:00""".splitlines():
        assert line in lines, line
    told = maui("check", "-c", tmp_path / "maui.cfg")
    for word in ("error", "warning", "nothing else names"):
        assert word not in told.stdout, told.stdout


def test_the_rest_is_told_with_its_line(imported, tmp_path):
    done = imported("--qos", tmp_path / "qos", "--assoc", tmp_path / "assoc")
    for place, what in (("parts.conf:3", "PreemptMode=SUSPEND"), ("qos:3", "gres/gpu=1"),
                        ("assoc:6", "ann in account chem"),
                        ("slurm.conf:8", "PriorityWeightJobSize=100")):
        for text in (done.stderr, done.stdout):
            assert any(place in l and what in l for l in text.splitlines()), (place, text)
    assert "AllowAccounts" not in done.stderr  # Slurm refuses such a submission itself


def test_limits_that_slurm_enforces_are_not_written(imported, tmp_path):
    """They are followed live, and would hold twice. Priorities and shares are no limits."""
    (tmp_path / "slurm.conf").write_text(CONF)
    for words, written in (("associations", True), ("associations,limits", False),
                           ("safe", False), ("all", False)):
        (tmp_path / "parts.conf").write_text(f"AccountingStorageEnforce={words}\n")
        done = imported("--qos", tmp_path / "qos", "--assoc", tmp_path / "assoc")
        lines = done.stdout.splitlines()
        assert ("MAX" in done.stdout) == written, done.stdout
        assert ("gres/gpu=1" in done.stderr) == written
        assert ("QOSCFG[high] QFLAGS=PREEMPTOR" in lines) != written
        assert ("USERCFG[ann]" in done.stdout) == written
        assert "FSTARGET" not in done.stdout  # shares are followed live, too
        assert ("holds everywhere" in done.stderr) == written, done.stderr


def test_tiers_that_preempt_are_flags_of_classes(imported, maui, tmp_path):
    """Of preempt/partition_prio; lists of QOS count with preempt/qos alone."""
    (tmp_path / "slurm.conf").write_text(
        "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
        "PartitionName=DEFAULT Nodes=n[1-4] PriorityTier=5\n"
        "PartitionName=top PriorityTier=9\nPartitionName=mid PreemptMode=REQUEUE\n"
        "PartitionName=low PriorityTier=1\nPartitionName=safe PriorityTier=1 PreemptMode=OFF\n")
    done = imported("--qos", tmp_path / "qos")
    lines = done.stdout.splitlines()
    for line in ("PREEMPTPOLICY REQUEUE", "PREEMPTBYTIER TRUE", "CLASSCFG[top] JOBFLAGS=PREEMPTOR",
                 "CLASSCFG[mid] JOBFLAGS=PREEMPTOR:PREEMPTEE",
                 "CLASSCFG[low] JOBFLAGS=PREEMPTEE"):
        assert line in lines, done.stdout
    assert "[safe]" not in done.stdout and "QFLAGS" not in done.stdout
    for place, what in (("slurm.conf:2", "PreemptMode=CANCEL: who is preempted goes back"),
                        ("slurm.conf:5", "PreemptMode=REQUEUE of a partition")):
        assert any(place in l and what in l for l in done.stderr.splitlines()), done.stderr
    told = maui("check", "-c", tmp_path / "maui.cfg").stdout
    assert "error" not in told and "warning" not in told, told


def test_qos_that_preempt_need_a_weight(imported, tmp_path):
    (tmp_path / "slurm.conf").write_text("PreemptType=preempt/qos\nPreemptMode=CANCEL\n")
    done = imported("--qos", tmp_path / "qos")
    assert "slurm.conf:1: not carried over: PreemptType=preempt/qos: who preempts" in done.stderr
    assert "PREEMPTPOLICY REQUEUE" in done.stdout.splitlines()
    assert "QFLAGS=PREEMPTEE" in done.stdout


def test_weights_of_qos_need_the_qos(imported):
    assert "PriorityWeightQOS=2000: give the QOS" in imported().stderr


def test_wrong_files_and_usage_are_told(imported, maui, tmp_path):
    done = imported("--qos", tmp_path / "no-such-file", check=False)
    assert done.returncode == 1 and "cannot be read" in done.stderr and not done.stdout
    (tmp_path / "odd").write_text("nonsense\n")
    done = imported("--assoc", tmp_path / "odd", check=False)
    assert done.returncode == 1 and "expected what sacctmgr prints" in done.stderr
    done = maui("import", "lsf", check=False)
    assert done.returncode == 1 and "expected 'slurm', 'pbs' or 'maui'" in done.stderr
    (tmp_path / "parts.conf").write_text("Include parts.conf\n")  # without end
    assert imported(check=False).returncode == 1


@pytest.mark.parametrize("text,time", [("30", "0:30:00"), ("1:30", "0:01:30"),
                                       ("2:00:00", "2:00:00"), ("1-12", "36:00:00"),
                                       ("1-0:30", "24:30:00"), ("1-0:0:5", "24:00:05")])
def test_times_of_slurm(maui, tmp_path, text, time):
    (tmp_path / "slurm.conf").write_text(f"PartitionName=p DefaultTime={text}\n")
    done = maui("import", "slurm", "--conf", tmp_path / "slurm.conf")
    assert f"CLASSCFG[p] DEFAULT.WCLIMIT={time}\n" in done.stdout


def test_numbers_that_are_none_are_told_and_left_out(maui, tmp_path):
    (tmp_path / "slurm.conf").write_text(
        "PriorityWeightAge=many\nPriorityMaxAge=7 days\nPriorityDecayHalfLife=soon\n"
        "PartitionName=p DefaultTime=60x MaxCPUsPerNode=4x MaxNodes=UNLIMITED "
        "PriorityJobFactor=ten\n")
    (tmp_path / "qos").write_text(
        "Name|Priority|UsageFactor|GrpTRES|GrpJobs|MaxWall\n"
        "q|1e|0.5|cpu=x,mem=1.5T,node=3|12|1-x\n")
    (tmp_path / "assoc").write_text(
        "Cluster|Account|User|Share\nx|root||1\nx|physics||parent\nx|chem||1\n")
    done = maui("import", "slurm", "--conf", tmp_path / "slurm.conf",
                "--qos", tmp_path / "qos", "--assoc", tmp_path / "assoc")
    lines = done.stdout.splitlines()
    assert "QUEUETIMEWEIGHT 0" in lines
    assert "QOSCFG[q] MAXMEM=1572864 MAXNODE=3 MAXJOB=12" in lines
    assert not any(line.startswith("CLASSCFG") for line in lines)
    for place, what in (("slurm.conf:1", "PriorityWeightAge=many"),
                        ("slurm.conf:3", "PriorityDecayHalfLife=soon"),
                        ("slurm.conf:4", "DefaultTime=60x"),
                        ("slurm.conf:4", "MaxCPUsPerNode=4x"),
                        ("slurm.conf:4", "PriorityJobFactor=ten"),
                        ("qos:2", "Priority=1e"), ("qos:2", "cpu=x"),
                        ("qos:2", "UsageFactor 0.5"), ("qos:2", "MaxWall=1-x"),
                        ("assoc:3", "Share=parent")):
        told = [line for line in done.stderr.splitlines() if place in line and what in line]
        assert len(told) == 1, (place, what, done.stderr)
    assert "UNLIMITED" not in done.stderr


SACCTMGR = """\
#!/bin/sh
case "$*" in
*qos*) cat {0}/qos;;
*assoc*) cat {0}/assoc;;
esac
"""
SCONTROL = """\
#!/bin/sh
case "$*" in
*config*) cat <<END
Configuration data as of 2026-11-22T05:36:35
PreemptMode             = REQUEUE
PreemptType             = preempt/qos
PriorityDecayHalfLife   = 1-00:00:00
PriorityMaxAge          = 14-00:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 1000
PriorityWeightFairShare = 10000
PriorityWeightPartition = 500
PriorityWeightQOS       = 2000

Slurmctld(primary) at vm is UP
END
;;
*partition*) cat <<END
PartitionName=short AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=YES \
QoS=N/A DefaultTime=00:10:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO \
MaxNodes=UNLIMITED MaxTime=01:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED Nodes=n[1-2] \
PriorityJobFactor=10 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO OverTimeLimit=NONE \
PreemptMode=OFF State=UP TotalCPUs=8 TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) \
DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED TRES=cpu=8,mem=8000M,node=2,billing=8
PartitionName=long AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=NO \
QoS=N/A DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO MaxNodes=2 \
MaxTime=7-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED Nodes=n[1-4] PriorityJobFactor=1 \
PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=EXCLUSIVE OverTimeLimit=NONE PreemptMode=OFF \
State=UP TotalCPUs=16 TotalNodes=4 SelectTypeParameters=NONE JobDefaults=(null) \
DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED TRES=cpu=16,mem=16000M,node=4,billing=16
END
;;
esac
"""


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """commands(sacctmgr=TEXT, ...): programs of these names that answer as Slurm's do."""
    def make(**texts):
        for name, text in texts.items():
            path = tmp_path / name
            path.write_text(text.replace("{0}", str(tmp_path)))
            path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        for name, text in {"qos": QOS, "assoc": ASSOC, "parts.conf": PARTS}.items():
            (tmp_path / name).write_text(text)
    return make


def test_without_options_slurm_itself_is_asked(maui, commands, tmp_path, monkeypatch):
    commands(sacctmgr=SACCTMGR)
    (tmp_path / "slurm.conf").write_text(CONF)
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    live = maui("import", "slurm").stdout
    files = maui("import", "slurm", "--conf", tmp_path / "slurm.conf", "--qos",
                 tmp_path / "qos", "--assoc", tmp_path / "assoc").stdout
    config = [[l for l in text.splitlines() if not l.startswith("#")] for text in (live, files)]
    assert config[0] == config[1] and "ACCOUNTCFG[physics]" in live


def test_without_slurm_conf_scontrol_tells_it(maui, commands, tmp_path, monkeypatch):
    commands(sacctmgr=SACCTMGR, scontrol=SCONTROL)
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "none"))
    lines = maui("import", "slurm").stdout.splitlines()
    for line in """\
# From scontrol
QUEUETIMEWEIGHT 0.0496032
CLASSWEIGHT 50
QOSWEIGHT 20
FSINTERVAL 24:00:00
PREEMPTPOLICY REQUEUE
CLASSCFG[short] DEFAULT.WCLIMIT=0:10:00 PRIORITY=10
CLASSCFG[long] PRIORITY=1 \
NODEACCESSPOLICY=SINGLEJOB""".splitlines():
        assert line in lines, (line, lines)


def test_without_its_database_slurm_is_carried_over_and_the_lack_is_told(
        maui, commands, tmp_path, monkeypatch):
    commands(sacctmgr="#!/bin/sh\necho 'You are not running a supported accounting_storage "
             "plugin' >&2\necho 'Only accounting_storage/slurmdbd is supported.' >&2\nexit 1\n")
    (tmp_path / "slurm.conf").write_text(CONF)
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    done = maui("import", "slurm")
    assert "CLASSCFG[short]" in done.stdout and "ACCOUNTCFG" not in done.stdout
    assert "not running a supported accounting_storage" in done.stderr
    assert "accounts and QOS are left out" in done.stderr


def test_without_any_slurm_there_is_nothing_to_import(maui, commands, tmp_path, monkeypatch):
    commands(scontrol="#!/bin/sh\necho 'slurm_load_ctl_conf error: Unable to contact slurm "
             "controller' >&2\nexit 1\n")
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "none"))
    done = maui("import", "slurm", check=False)
    assert done.returncode == 1 and "Unable to contact slurm controller" in done.stderr
