# SPDX-License-Identifier: Apache-2.0
"""`maui import pbs`: a maui.cfg from what OpenPBS and TORQUE print of themselves."""
import pathlib

import pytest

pytestmark = pytest.mark.anybody

FIXTURES = pathlib.Path(__file__).parent / "pbs" / "fixtures"
SERVER = """\
#
create resource scratch
set resource scratch type = size
create queue workq
set queue workq queue_type = Execution
set queue workq max_run = [u:PBS_GENERIC=4]
set queue workq max_run += [g:physics=10]
set queue workq max_run_soft = [u:PBS_GENERIC=2]
set queue workq max_run_res.ncpus = [u:PBS_GENERIC=16]
set queue workq max_run_res.mem = [o:PBS_ALL=100gb]
set queue workq max_run_res.gpuboard = [u:PBS_GENERIC=2]
set queue workq acl_user_enable = True
set queue workq acl_users = alice
create queue express
set queue express queue_type = Execution
set queue express Priority = 150
set queue express mystery = 4
create queue in
set queue in queue_type = Route
set queue in max_running = 3
set server max_run = "[p:PBS_GENERIC=2]"
set server max_run += [u:alice=6]
set server max_running = 100
set server max_user_run = x
set server scheduling = True
set server backfill_depth = 5
set server managers = root@*
set server managers += schedadm@head1,*@cn01
set server operators = *@*
unset this
"""
SCHED = """\
# round_robin
round_robin: False	all
by_queue: True		prime
by_queue: True		non_prime
strict_ordering: false	ALL
help_starving_jobs:	true	ALL
max_starve: 24:00:00
job_sort_key: "ncpus HIGH"	ALL
job_sort_key: "cput LOW"	prime
node_sort_key: "sort_priority HIGH"	ALL
resources: "ncpus, mem, arch, host, vnode, aoe"
smp_cluster_dist: round_robin
fair_share: true	ALL
fairshare_usage_res: ncpus*walltime
fairshare_entity: euser
fairshare_decay_time: 24:00:00
fairshare_decay_factor: 0.5
preemptive_sched: true	ALL
preempt_queue_prio:	100
preempt_prio: "express_queue, normal_jobs"
preempt_order: "SCR"
magic: 4
no colon
"""
SHARES = """\
physics 10 root 60
chem 20 root 40 # two groups
ann 11 physics 1
bob 12 physics 3
cy 13 chem 5
short 14 chem
"""
NODES = """\
cn01
     Mom = cn01
     state = free
     Priority = 7
     max_running = 3
     no_multinode_jobs = True
     resources_available.ncpus = 4

"""
CARRIED = """\
RMCFG[pbs] TYPE=PBS
ADMIN1 root schedadm
RESERVATIONTHRESHOLDTYPE QUEUETIME
RESERVATIONTHRESHOLDVALUE 86400
RESERVATIONDEPTH 5
PROCWEIGHT 1000000
CLASSWEIGHT 100000
NODEALLOCATIONPOLICY PRIORITY
FSPOLICY DEDICATEDPS
FSINTERVAL 24:00:00
FSDECAY 0.5
FSUSERWEIGHT 100000
PREEMPTPOLICY SUSPEND
NODECFG[DEFAULT] PRIORITYF='PRIORITY'
NODECFG[cn01] PRIORITY=7 MAXJOB=3
USERCFG[ann] FSTARGET=15.00
USERCFG[bob] FSTARGET=45.00
USERCFG[cy] FSTARGET=40.00
CLASSCFG[express] PRIORITY=150 JOBFLAGS=PREEMPTOR
CLASSCFG[workq] JOBFLAGS=PREEMPTEE MAXJOB[USER]=2,4 MAXJOB[GROUP:physics]=10 MAXPROC[USER]=16 \
MAXMEM=102400
USERCFG[alice] MAXJOB=6
SYSCFG[ALL] MAXJOB=100
"""


@pytest.fixture
def imported(maui, tmp_path):
    for name, text in {"server": SERVER, "sched": SCHED, "shares": SHARES,
                       "nodes": NODES}.items():
        (tmp_path / name).write_text(text)
    done = maui("import", "pbs", *[word for name in ("server", "sched", "shares", "nodes")
                                   for word in (f"--{name}", tmp_path / name)])
    (tmp_path / "maui.cfg").write_text(done.stdout)
    return done


def test_what_its_scheduler_saw_to_is_carried_over(imported):
    lines = imported.stdout.splitlines()
    for line in CARRIED.splitlines():
        assert line in lines, line


def test_the_file_is_one_that_is_understood(imported, maui, tmp_path):
    (tmp_path / "maui.cfg").write_text(imported.stdout.replace("TYPE=PBS", "TYPE=LOCAL"))
    told = maui("check", "-c", tmp_path / "maui.cfg", check=False)
    lines = [line for line in told.stdout.splitlines()
             if "this machine does not know it" not in line]  # users of the site
    assert not [line for line in lines if ": warning: " in line or ": error: " in line], lines


def test_the_rest_is_told_with_its_line(imported):
    for place, what in (("server:3", "resource scratch of type size"),
                        ("server:11", "no such limit on gpuboard"),
                        ("server:17", "mystery = 4 of queue express"),
                        ("server:21", "a limit of a project"),
                        ("server:24", "max_user_run=x"),
                        ("server:25", "scheduling = True"),
                        ("server:27", "everybody of a pattern"),
                        ("server:29", "everybody of a pattern"),
                            ("server:30", "'unset this'"),
                        ("sched:9", "cput LOW: of a part of the week"),
                        ("sched:12", "smp_cluster_dist: round_robin"),
                        ("sched:22", "magic: 4"), ("sched:23", "'no colon'"),
                        ("shares:6", "short: expected NAME NUMBER PARENT SHARES"),
                        ("nodes:6", "no_multinode_jobs = True of node cn01")):
        for text in (imported.stderr, imported.stdout):
            assert any(f"{place}: " in line and what in line
                       for line in text.splitlines()), (place, what, text)


def test_everybody_of_a_pattern_is_no_bare_line(imported):
    assert "ADMIN2" not in [line.strip() for line in imported.stdout.splitlines()]


def test_what_the_server_enforces_is_not_doubled(imported):
    for what in ("workq acl_users = alice", "in max_running = 3"):
        assert any(line.startswith("# ") and what in line
                   for line in imported.stdout.splitlines()), what
    settings = [line for line in imported.stdout.splitlines() if not line.startswith("#")]
    assert not [line for line in settings if "CLASSCFG[in]" in line or "ALIST" in line]
    assert "acl_users" not in imported.stderr


def test_answers_of_real_servers(maui):
    pbs, torque = FIXTURES / "openpbs", FIXTURES / "torque"
    done = maui("import", "pbs", "--server", pbs / "server.qmgr-print.txt",
                "--nodes", pbs / "01-idle-empty.pbsnodes-av.txt")
    lines = done.stdout.splitlines()
    for line in ("ADMIN1 root schedadm", "ADMIN2 carol", "CLASSCFG[long] PRIORITY=20",
                 "NODECFG[GLOBAL] GRES=matlab:5"):
        assert line in lines, line
    assert not done.stderr  # nothing of it is lost
    done = maui("import", "pbs", "--server", torque / "server.qmgr-print.txt",
                "--queues", torque / "queues.qstat-Qf.txt",
                "--nodes", torque / "01-idle-empty.pbsnodes-a.txt")
    assert "CLASSCFG[long] PRIORITY=20" in done.stdout.splitlines()
    assert "long resources_max.walltime = 72:00:00" in done.stdout
    assert not done.stderr
    done = maui("import", "pbs", "--queues", torque / "queues.qstat-Qf.txt")
    assert "CLASSCFG[long] PRIORITY=20" in done.stdout.splitlines() and not done.stderr


QMGR = """\
#!/bin/sh
[ "$*" = "-c print server" ] && exec cat {0}
exit 1
"""
PBSNODES = """\
#!/bin/sh
[ "$1" = -a ] && exec cat {0}
echo "pbsnodes: invalid option -- v" >&2
exit 1
"""


def test_without_options_pbs_itself_is_asked(maui, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PBS_HOME", str(tmp_path))
    done = maui("import", "pbs", check=False)
    assert done.returncode == 1 and not done.stdout
    assert "`qmgr -c 'print server'` answers: " in done.stderr
    for name, text, answer in (("qmgr", QMGR, SERVER), ("pbsnodes", PBSNODES, NODES)):
        (tmp_path / f"{name}.txt").write_text(answer)
        (tmp_path / name).write_text(text.replace("{0}", str(tmp_path / f"{name}.txt")))
        (tmp_path / name).chmod(0o755)
    done = maui("import", "pbs")
    assert "sched_config is not read" in done.stderr
    assert "CLASSCFG[express] PRIORITY=150" in done.stdout.splitlines()
    (tmp_path / "sched_priv").mkdir()
    (tmp_path / "sched_priv" / "sched_config").write_text(SCHED)
    (tmp_path / "sched_priv" / "resource_group").write_text(SHARES)
    done = maui("import", "pbs")
    for line in CARRIED.splitlines():
        assert line in done.stdout.splitlines(), line


def test_wrong_files_and_usage_are_told(maui, tmp_path):
    for option in ("server", "queues", "nodes", "sched", "shares"):
        done = maui("import", "pbs", f"--{option}", tmp_path / "none", check=False)
        assert done.returncode == 1 and not done.stdout
        assert "none: No such file or directory" in done.stderr
    done = maui("import", "pbs", "--qos", "f", check=False)
    assert done.returncode == 1 and "--qos is of 'maui import slurm'" in done.stderr
    done = maui("import", "slurm", "--sched", "f", check=False)
    assert done.returncode == 1 and "--sched is of 'maui import pbs'" in done.stderr
