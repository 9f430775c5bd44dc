# SPDX-License-Identifier: Apache-2.0
"""What users were told and no other test shows: see docs/features.md."""
import json
import os
import re
import shutil
import time

import pytest

from commands_test import tasks
from live_daemon import ME, MY_GROUP
from live_users import Other, Users, need_users
from orders_test import running, waiting


# ---- questions ----

def test_showbf_counts_reservations_but_no_limits(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXPROC=1\n")
    daemon.start()
    running(daemon)
    assert daemon.ok("showbf").endswith("\n  7 procs available with no timelimit\n")
    daemon.ok("setres", "-n", "patch", "-d", "1:00:00", "node03,node04")
    assert daemon.ok("showbf").endswith("\n  3 procs available with no timelimit\n")


def test_showstart_knows_more_with_a_greater_depth(daemon):
    def basis(depth):
        daemon.ok("changeparam", "RESERVATIONDEPTH", depth)
        return daemon.wait(lambda: re.search("Based on: (.*)", daemon.ok(
            "showstart", "-v", "3"))[1], "the answer")

    daemon.start()
    running(daemon)
    for _ in (2, 3):
        daemon.submit(requests=tasks(8))
    daemon.wait(lambda: daemon.job("2").get("reservation_at"), "the reservation")
    assert basis(1).startswith("an estimate")
    daemon.ok("changeparam", "RESERVATIONDEPTH", 2)
    daemon.wait(lambda: daemon.job("3").get("reservation_at"), "another reservation")
    assert basis(2) == "the job has a reservation that begins then"


def test_checkjob_tells_bypass_starts_and_pe(daemon):
    daemon.start()
    job = running(daemon, requests=tasks(6))
    wide, passed = (daemon.submit(requests=tasks(8)) for _ in range(2))
    daemon.wait(lambda: daemon.job(wide).get("reservation_at"), "the reservation")
    daemon.wait(lambda: daemon.job(passed), "the other")
    running(daemon, wclimit_s=60)
    assert "Bypass: 0  StartCount: 1\n" in daemon.ok("checkjob", job)
    daemon.wait(lambda: "Bypass: 1  StartCount: 0\n" in daemon.ok("checkjob", wide),
                "the count")
    assert "PE:  8.00  StartPriority:  " in daemon.ok("checkjob", wide)


def test_checkjob_r_asks_one_reservation(live):
    live.ok("setres", "-n", "mine", "-u", ME, "-d", "1:00:00", "TASKS==1")
    live.ok("setres", "-n", "shut", "-d", "1:00:00", "TASKS==1")
    job = waiting(live)
    text = live.ok("checkjob", "-r", "mine.0,shut.0", job)
    lines = [l for l in text.splitlines() if re.match(r"reservation '[^']*': ", l)]
    assert len(lines) == 2 and lines[0].startswith("reservation 'mine.0'")
    assert lines[0].split(": ")[1] != lines[1].split(": ")[1]


def test_diagnose_j_tells_what_is_odd_about_jobs(daemon):
    daemon.configure("QOSCFG[low] PRIORITY=1\nQOSCFG[high] PRIORITY=9\nDEFERCOUNT 1000\n"
                     "USERCFG[DEFAULT] QLIST=low QDEF=low\nDEFERTIME 1\nRMPOLLINTERVAL 1\n")
    daemon.start()
    large = daemon.submit(requests=tasks(20))
    wrong = daemon.submit(qos="high")

    def told(text):
        return daemon.wait(lambda: text in daemon.ok("diagnose", "-j"), text)

    told(f"WARNING:  job '{large}': it was deferred 2 times\n")
    told(f"WARNING:  job '{wrong}': it asked for QOS high and has low\n")
    daemon.wait(lambda: re.search(rf"^{large} +Deferred ", daemon.ok("diagnose", "-j"), re.M),
                "the state that showq has")


def test_diagnose_n_checknode_and_showstate_warn_of_an_odd_node(live):
    """After a restart with smaller nodes a job runs there that cannot be: it is kept out."""
    running(live, requests=tasks(2))
    assert "WARNING" not in live.ok("diagnose", "-n")
    assert "node node01" not in live.ok("showstate")
    live.kill()
    live.nodes = "4x1"
    live.start()
    live.wait(lambda: "WARNING" in live.ok("diagnose", "-n"), "the warning")
    for text in ("it is busy without a job\n", "its load is high although it is idle\n"):
        assert f"WARNING:  node 'node01': {text}" in live.ok("diagnose", "-n")
        assert f"ALERT:  {text}" in live.ok("checknode", "node01")
        assert f"node node01: {text}" in live.ok("showstate")
    assert "Frame      01: [@][ ][ ][ ]\n" in live.ok("showstate")


def test_a_failing_resource_manager_is_told_and_jobs_are_kept(daemon):
    daemon.configure("RMPOLLINTERVAL 1\nAPIFAILURETHRESHHOLD 2\n")
    daemon.start()
    job = running(daemon)
    assert re.search(r"RM\[LOCAL\]  type: 'LOCAL'  state: 'Active'\n", daemon.ok("diagnose", "-R"))
    told = re.search(r"  RM Performance:  Avg Time: (\d+\.\d\d)s  Max Time:  (\d+\.\d\d)s  "
                     r"\((\d+) samples\)\n", daemon.ok("diagnose", "-R"))
    assert 0 <= float(told[1]) <= float(told[2]) < 10 and int(told[3]) >= 2
    shutil.move(f"{daemon.home}/spool", f"{daemon.home}/away")
    try:
        daemon.api("/v1/jobs", {"script": "#!/bin/sh\n", "wclimit_s": 10, "directory": "/"})
        daemon.wait(lambda: "RM[LOCAL] Failures:\n" in daemon.ok("diagnose", "-R"), "failure")
        assert daemon.state(job) == "Running"
        assert f"checking job {job}" in daemon.ok("checkjob", job)
    finally:
        shutil.move(f"{daemon.home}/away", f"{daemon.home}/spool")


def test_diagnose_q_tells_holds_and_dependencies(live):
    first = running(live)
    held, later = live.submit(hold=True), live.submit(dependencies=[f"afterok:{first}"])
    live.wait(lambda: later in live.ok("diagnose", "-q"), "the dependency")
    lines = live.ok("diagnose", "-q").splitlines()
    assert f"job {held:<20} has the following hold(s) in place:  User" in lines
    assert f"job {later:<20} requires completion of job '{first}'" in lines
    assert (f"job {held:<20} has the following hold(s) in place:  User  (the resource manager "
            "has a user hold on this job; releasehold releases it)"
            ) in live.ok("diagnose", "-q", "-v").splitlines()


def test_diagnose_f_marks_who_is_off_target(daemon):
    daemon.configure("FSPOLICY DEDICATEDPS\nFSINTERVAL 1:00:00\nFSDEPTH 3\nRMPOLLINTERVAL 1\n"
                     f"USERCFG[{ME}] FSTARGET=10-\n")
    daemon.start()
    running(daemon, requests=tasks(4))
    lines = daemon.wait(lambda: [l for l in daemon.ok("diagnose", "-f").splitlines()
                                 if re.match(rf"{re.escape(ME)}\* +100\.00 +10\.00-", l)], "the mark")
    assert len(lines[0].split()) >= 4
    head = next(l for l in daemon.ok("diagnose", "-f").splitlines()
                if l.startswith("FSInterval"))
    assert head.split() == ["FSInterval", "%", "Target", "0"]


def test_diagnose_s_tells_of_a_stopped_scheduler(live):
    assert "currently stopped" not in live.ok("diagnose", "-S")
    live.ok("schedctl", "-s")
    assert "NOTE:  scheduler is currently stopped\n" in live.ok("diagnose", "-S")


def test_showstats_u_begins_with_who_had_most(live):
    other = Other(live)
    for job in (live.submit("sleep 1"), other.submit(script="#!/bin/sh\nsleep 2\n",
                                                     requests=tasks(4))):
        live.wait(lambda: live.job(job) is None, "the end")
    lines = live.ok("showstats", "-u").splitlines()
    assert [l.split()[0] for l in lines[4:]] == sorted(["nobody", ME])


# ---- orders ----

def test_an_owner_changes_qos_and_holds(daemon):
    daemon.configure("QOSCFG[high] PRIORITY=5\nQOSCFG[other] PRIORITY=9\n"
                     "USERCFG[nobody] QLIST=high,DEFAULT QDEF=DEFAULT\n")
    other = Other(daemon.start())
    job = other.submit(hold=True)
    other.ok("setqos", "high", job)
    assert daemon.job(job)["qos"] == "high"
    assert "other" in other.refused("setqos", "other", job)
    other.ok("releasehold", "-u", job)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    later = other.submit(release_at=int(time.time()) + 3600)
    other.ok("sethold", "-u", later)
    assert daemon.job(later)["holds"] == ["user"]
    other.ok("releasehold", "-u", later)
    assert not daemon.job(later).get("holds")
    theirs = daemon.submit(hold=True)
    for words in (("setqos", "high"), ("sethold", "-u"), ("canceljob",)):
        assert "not authorized" in other.refused(*words, theirs)
    assert other.ok("canceljob", later) == f"job '{later}' cancelled\n"


def test_what_the_resource_manager_holds_is_told_from_our_own_hold(live):
    job = waiting(live, 1, hold=True)
    assert "the resource manager has a user hold on this job" in live.ok("showq", "-b", "-v")
    live.ok("releasehold", "-u", job)
    other = waiting(live)
    live.ok("sethold", "-s", other)
    assert re.search(r"a system hold(: set by \S+)?; releasehold releases it",
                     live.ok("showq", "-b", "-v"))
    live.ok("releasehold", "-s", other)
    assert not live.job(other).get("holds")


def test_jobmaxoverrun_lets_jobs_run_on(daemon):
    daemon.configure("JOBMAXOVERRUN 5\nRMPOLLINTERVAL 1\n")
    daemon.start()
    short = daemon.submit("sleep 2; touch done", wclimit_s=1)
    long = daemon.submit("sleep 60", wclimit_s=1)
    daemon.wait(lambda: f"WARNING:  job '{long}': it runs beyond its limit\n"
                in daemon.ok("diagnose", "-j"), "the warning")
    daemon.wait(lambda: daemon.job(short) is None, "the end of the short one")
    assert os.path.exists(f"{daemon.home}/done")
    daemon.wait(lambda: daemon.job(long) is None, "the end of the long one")
    ended = {r["id"]: r for r in daemon.api("/v1/accounting")[1]}
    assert ended[long]["end_at"] - ended[long]["start_at"] >= 6
    assert ended[short]["exit_status"] == 0


def test_a_job_over_its_limit_is_preempted_where_that_is_wanted(daemon):
    daemon.configure("WCVIOLATIONACTION PREEMPT\nPREEMPTPOLICY REQUEUE\nRMPOLLINTERVAL 1\n")
    daemon.start()
    job = running(daemon, wclimit_s=1)
    daemon.wait(lambda: (daemon.job(job) or {}).get("start_count") == 2, "another start")


def test_extension_attributes_take_effect(daemon):
    daemon.configure("QOSCFG[high] PRIORITY=5\nUSERCFG[DEFAULT] QLIST=high\n")
    daemon.start()
    daemon.ok("schedctl", "-s")
    job = daemon.ok("msub", "-d", daemon.home, "-l", "nodes=2", "-W", "x=QOS:high;DMEM:64",
                    stdin="sleep 60\n").strip()
    record = daemon.job(job)
    assert record["qos"] == "high"
    assert record["requests"][0]["per_task"]["mem_mb"] == 64


def test_a_job_that_may_not_wait_starts_at_once_or_goes(live):
    now = live.ok("msub", "-d", live.home, "-W", "x=QUEUEJOB:FALSE",
                  stdin="sleep 60\n").strip()
    live.wait(lambda: live.state(now) == "Running", "the start")
    never = live.ok("msub", "-d", live.home, "-l", "procs=8", "-W", "x=QUEUEJOB:FALSE",
                    stdin="sleep 60\n").strip()
    live.wait(lambda: live.job(never) is None, "its end")


# ---- reservations ----

@pytest.mark.parametrize("option,name,request_of", [
    ("-u", ME, {}), ("-g", MY_GROUP, {}), ("-a", "bio", {"account": "bio"}),
    ("-q", "batch", {"class": "batch"}), ("-Q", "high", {"qos": "high"})])
def test_setres_lets_in_whom_it_names(daemon, option, name, request_of):
    daemon.configure("QOSCFG[high] PRIORITY=1\nUSERCFG[DEFAULT] QLIST=high\n"
                     "CLASSCFG[batch] PRIORITY=1\n")
    daemon.start()
    daemon.ok("setres", option, name, "-n", "in", "-d", "10:00", "node0[12]")
    daemon.ok("setres", option, "nosuch", "-n", "out", "-d", "10:00", "node0[34]")
    inside = running(daemon, **request_of)
    assert daemon.job(inside)["allocation"][0]["node"] in ("node01", "node02")
    outside = daemon.submit(requests=tasks(5), **request_of)
    time.sleep(0.3)
    assert daemon.state(outside) == "Idle"


def test_times_are_absolute_or_relative(live):
    begin = time.time() + 7200
    at = time.strftime("%H:%M:%S_%m/%d/%y", time.gmtime(begin))
    live.ok("setres", "-n", "abs", "-s", at, "-e", "+4:00:00", "ALL")
    live.ok("setres", "-n", "rel", "-s", "+10:00:00", "-d", "1:00:00", "ALL")
    found = {r["name"]: r for r in live.lines("showres")}
    assert abs(found["abs.0"]["start_at"] - begin) < 2
    assert abs(found["abs.0"]["end_at"] - begin - 7200) < 60
    assert abs(found["rel.0"]["start_at"] - time.time() - 36000) < 60
    assert found["rel.0"]["end_at"] - found["rel.0"]["start_at"] == 3600


def test_the_reservation_of_a_running_job_stays(live):
    job = running(live)
    live.run("releaseres", job)
    live.wait(lambda: live.state(job) == "Running", "the job")
    assert re.search(rf"^{job} +Job R ", live.ok("showres"), re.M)


# ---- every command ----

def names(live):
    text = live.ok("--help")
    return re.findall(r"^  ([a-z]+) ", text.split("\n\n", 1)[-1], re.M)


def test_every_command_tells_help_version_and_what_it_is(live):
    found = names(live)
    assert len(found) > 35
    for name in found:
        text = live.ok(name, "--help")
        assert "usage: " in text, name
        if (name not in ("mjobctl", "mresctl", "mrsvctl", "msub")  # a hold, or hosts
                and "-h, --hours" not in text):
            assert live.ok(name, "-h") == text, name
        assert re.search(r"\d+\.\d+", live.ok(name, "--version")), name
        assert live.ok(name, "--about"), name


def test_a_command_is_pointed_elsewhere_by_option_and_environment(daemon):
    daemon.start()
    running(daemon)
    home = daemon.env.pop("MAUIHOMEDIR")
    assert daemon.ok("showq", "--home", home, "-r").count("node01") == 1
    daemon.env["MAUIHOMEDIR"] = "/nonexistent"
    assert daemon.run("showq").returncode == 1
    assert json.loads(daemon.ok("showq", "--home", home, "--format", "json").splitlines()[0])
    daemon.env["MAUIHOMEDIR"] = home
    daemon.ok("showq")


def test_a_users_list_of_hosts_is_moved_onto_no_promise(daemon):
    need_users()
    daemon.configure("ADMIN1 root\nRESCTLPOLICY ANY\nBACKFILLPOLICY PLAN\n")
    daemon.start()
    users = Users(daemon)
    running = daemon.ok("msub", "-d", daemon.home, "-l", "nodes=4:ppn=2,walltime=300",
                        stdin="sleep 60\n").strip()
    daemon.wait(lambda: daemon.state(running) == "Running", "the start")
    daemon.ok("msub", "-d", daemon.home, "-l", "nodes=2:ppn=2,walltime=3600", stdin="true\n")
    users.ok("nobody", "setres", "-s", "+2:00:00", "-d", "10:00", "-n", "mv", "ALL")
    assert "promised" in users.refused("nobody", "mrsvctl", "-m", "starttime=+20:00", "mv.0")
    users.ok("nobody", "mrsvctl", "-m", "starttime=+1:30:00", "mv.0")
