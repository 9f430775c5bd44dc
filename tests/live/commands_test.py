# SPDX-License-Identifier: Apache-2.0
"""The commands that look at things, as an administrator and as somebody else: what they
print, whom they refuse, how they exit."""
import json
import re
import time
import xml.etree.ElementTree as ET

import pytest

from live_daemon import ME
from live_users import Other


@pytest.fixture
def other(live):
    return Other(live)


def soon():
    """In two hours."""
    return int(time.time()) + 7200


def reserve(live, **request):
    status, answer = live.api("/v1/reservations", request)
    assert status == 200, answer
    return answer["name"]


def tasks(n, **task):
    return [{"tasks": n, "per_task": dict({"procs": 1}, **task)}]


def test_checkjob_shows_a_running_job(live):
    job = live.submit(name="one", requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    text = live.ok("checkjob", job)
    assert text.startswith(f"checking job {job}\n\nAName: one\nState: Running\nCreds:  user:")
    assert "Total Tasks: 3\n\nReq[0]  TaskCount: 3  Partition: DEFAULT\n" in text
    assert "NodeCount: 2\nAllocated Nodes:\n[node01:2][node02:1]\n" in text
    assert f"Reservation '{job}' (" in text and "PE:  3.00  StartPriority:  " in text
    assert "Task Distribution: node01,node01,node02\n" in live.ok("checkjob", "-v", job)


def test_checkjob_says_why_a_job_waits_and_until_when(live):
    first = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(first) == "Running", "the start")
    job = live.submit(requests=tasks(6))
    live.wait(lambda: "reservation" in live.ok("checkjob", job), "its reservation")
    text = live.ok("checkjob", job)
    assert ("job cannot run in partition DEFAULT (insufficient idle procs available: "
            "5 < 6)\n") in text
    assert "NOTE:  this job has a reservation that begins at " in text
    verdicts = live.ok("checkjob", "-v", job).split("Information:\n\n")[1].splitlines()
    assert verdicts == [f"{'node01':<24} rejected : State",
                        f"{'node02':<24} accepted : 1 task supported",
                        f"{'node03':<24} accepted : 2 tasks supported",
                        f"{'node04':<24} accepted : 2 tasks supported"]
    assert live.ok("checkjob", "-n", "node02", job).count("accepted") == 1


def test_checkjob_names_the_limit_its_owner_and_its_numbers(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1\n")
    daemon.start()
    jobs = [daemon.submit() for _ in range(2)]
    daemon.wait(lambda: "MAXJOB" in daemon.ok("checkjob", jobs[1]), "the limit")
    assert (f"cannot select job 2 for partition DEFAULT (user {ME} has 1 of MAXJOB 1 "
            "(hard) jobs active and this job would be one more)\n"
            ) in daemon.ok("checkjob", jobs[1])
    assert "job can run in partition DEFAULT (7 procs available.  1 procs required)\n" in (
        daemon.ok("checkjob", "-l", "OFF", jobs[1]))
    wrong = daemon.run("checkjob", "-l", "EASY", jobs[1])
    assert wrong.returncode == 1 and "'EASY' is not one of soft, hard, off" in wrong.stderr


def test_checkjob_tells_a_hold_from_the_reason_for_it(live):
    held = live.submit(hold=True)
    large = live.submit(requests=tasks(20))
    live.wait(lambda: "deferred" in live.ok("checkjob", large), "the deferral")
    assert "Holds:    User\n" in live.ok("checkjob", held)
    assert "the resource manager has a user hold on this job" in live.ok("checkjob", held)
    live.ok("sethold", "-u", held)
    assert "Holds:    User  (hold reason:" in live.ok("checkjob", held)  # of both, once
    text = live.ok("checkjob", large)
    assert "Holds:    Defer  (hold reason:  NoResources)\n" in text
    assert "the job asks for more than the cluster has" in text


def test_checkjob_a_prints_pairs(live):
    job = live.submit(requests=tasks(2), hold=True)
    line = live.ok("checkjob", "-A", job)
    pairs = dict(p.split("=", 1) for p in line.rstrip(";\n").split(";"))
    assert pairs["NAME"] == job and pairs["STATE"] == "Hold" and pairs["TASKS"] == "2"
    assert pairs["WCLIMIT"] == "300" and int(pairs["QUEUETIME"]) > 10 ** 9
    assert pairs["STARTTIME"] == "0" and pairs["ACCOUNT"] == pairs["RFEATURES"] == ""


def test_checkjob_a_has_the_same_keys_for_every_job(live):
    keys = ["NAME", "STATE", "UNAME", "GNAME", "ACCOUNT", "RCLASS", "WCLIMIT", "QUEUETIME",
            "STARTTIME", "TASKS", "NODES", "RFEATURES", "FLAGS"]

    def pairs(job):
        line = live.ok("checkjob", "-A", job)
        assert line.endswith(";\n") and line.count("\n") == 1
        found = [p.split("=", 1) for p in line[:-2].split(";")]
        assert [key for key, _ in found] == keys
        return dict(found)

    waits, runs = live.submit(hold=True), live.submit(requests=tasks(2))
    live.wait(lambda: live.state(runs) == "Running", "the start")
    assert pairs(waits)["NAME"] == waits
    assert int(pairs(runs)["STARTTIME"]) > 10 ** 9 and pairs(runs)["NODES"] == "1"
    live.ok("canceljob", runs)
    live.wait(lambda: live.job(runs) is None or live.job(runs)["state"] == "Removed", "its end")
    ended = live.wait(lambda: pairs(runs)["STATE"] == "Removed" and pairs(runs), "its record")
    assert ended["NAME"] == runs and ended["UNAME"] == ME and ended["TASKS"] == "2"


def test_checkjob_is_for_owners_and_administrators(live, other):
    mine, theirs = other.submit(name="mine"), live.submit(name="theirs")
    assert "AName: mine" in other.ok("checkjob", mine)
    assert "AName: mine" in live.ok("checkjob", mine)
    assert other.refused("checkjob", theirs) == (
        f"ERROR:    user nobody is not authorized to check status of job '{theirs}'\n")
    missing = live.run("checkjob", "99999")
    assert (missing.returncode, missing.stderr) == (
        1, "ERROR:    cannot locate job '99999'\n")


def test_others_do_not_see_names_and_details_of_a_job(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1\n")
    daemon.start()
    other = Other(daemon)
    for name in ("secret1", "secret2"):
        daemon.submit(name=name)
    own = [other.submit(name="own") for _ in range(2)]
    daemon.wait(lambda: other.ok("showq", "-b", "-u", "nobody").count("MAXJOB"), "limits")
    text = other.ok("showq", "--format", "json")
    assert "secret" not in text and text.count('"name": "own"') + text.count('"name":"own"') == 2
    rows = {r["id"]: r for r in map(json.loads, text.splitlines()) if "id" in r}
    assert rows["2"]["reason"] == {"code": "limit", "text": "limit"}
    assert "MAXJOB" in rows[own[1]]["reason"]["text"]
    assert "MAXJOB" in daemon.ok("showq", "-b", "-u", ME)
    assert "MAXJOB" not in other.ok("showq", "-b", "-u", ME)


def test_checknode_shows_a_node_and_what_is_reserved_on_it(live):
    job = live.submit(requests=tasks(1), name="one")
    live.wait(lambda: live.state(job) == "Running", "the start")
    name = reserve(live, hosts="node01", duration_s=600, start_at=soon())
    lines = live.ok("checknode", "node01").splitlines()
    assert lines[0] == "checking node node01" and lines[1] == ""
    assert lines[2].startswith("State:   Running  (in current state for ")
    assert lines[3].startswith("Configured Resources: PROCS: 2  MEM: ")
    assert lines[5] == "Dedicated  Resources: PROCS: 1"
    assert "Features:   [NONE]" in lines and "Attributes: [Batch]" in lines
    at = lines.index("Reservations:")
    assert lines[at + 1].startswith(f"  Job '{job}'(x1)  ")
    assert lines[at + 2].startswith(f"  User '{name}'(x1)  ")
    assert lines[at + 2].endswith(" (00:10:00)")
    assert lines[at + 3].startswith("    Blocked Resources@")
    assert lines[at + 3].endswith(" Procs: 2/2 (100.00%)")
    assert lines[at + 4] == f"JobList:  {job}"
    pairs = live.ok("checknode", "-A", "node01")
    assert pairs.startswith("NAME=node01;STATE=Running;") and "CPROC=2;APROC=1;" in pairs
    assert "Location:   Partition: DEFAULT" in live.ok("checknode", "-v", "node01")
    assert "NOTE:  no reservations on node" in live.ok("checknode", "node04")


def test_a_job_that_was_cancelled_has_no_exit_status(live):
    job = live.submit()
    live.wait(lambda: live.state(job) == "Running", "the start")
    live.ok("canceljob", job)
    live.wait(lambda: "State: Removed" in live.ok("checkjob", job), "its end")
    assert re.search(rf"job {job} was removed on .*, while it ran: its owner .* cancelled it\n",
                  live.ok("checkjob", job))


def test_checknode_and_showconfig_are_for_administrators(live, other):
    assert other.refused("checknode", "node01") == (
        "ERROR:    user 'nobody' is not authorized to run command 'checknode'\n")
    assert "not authorized" in other.refused("showconfig")
    missing = live.run("checknode", "nosuch")
    assert (missing.returncode, missing.stderr) == (
        1, "ERROR:    cannot locate node 'nosuch'\n")
    assert "cannot locate node 'nod01'; did you mean 'node01'?" in live.run(
        "checknode", "nod01").stderr


def test_showres_lists_jobs_first_and_counts(live):
    job = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    name = reserve(live, hosts="node0[34]", name="patch", duration_s=7200,
                   start_at=soon())
    lines = live.ok("showres").splitlines()
    assert lines[:4] == ["Reservations", "", "ReservationID       Type S       Start         "
                         "End    Duration    N/P    StartTime", ""]
    assert lines[4].split()[:3] == [job, "Job", "R"] and " 2/3    " in lines[4]
    assert lines[5].split()[:3] == [name, "User", "-"] and " 2/4    " in lines[5]
    assert lines[6:] == ["", "2 reservations located"]
    assert "1 reservation located" in live.ok("showres", name)
    missing = live.run("showres", "nosuch")
    assert missing.returncode == 1 and "nosuch" in missing.stderr


def test_showres_n_lists_nodes(live):
    job = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    reserve(live, hosts="node02", name="patch", duration_s=7200, start_at=soon())
    lines = live.ok("showres", "-n").splitlines()
    assert lines[0].startswith("reservations on ")
    assert lines[2] == ("            NodeName       Type      ReservationID   JobState Task"
                        "       Start    Duration            StartTime")
    assert [l[:20].strip() for l in lines[4:7]] == ["node01", "node02", "node02"]
    assert lines[6].split()[:5] == ["node02", "User", "patch.0", "N/A", "1"]
    assert lines[7] == "2 nodes reserved"
    assert live.ok("showres", "-n", "-g").count("node02") == 2
    assert live.ok("showres", "-n", "-s").splitlines()[0].split() == [
        "JobName", "User", "S", "StartTime", "EndTime", "Count"]
    assert " --> " in live.ok("showres", "-r")


def test_showres_hides_what_is_not_for_the_caller(live, other):
    hidden = reserve(live, hosts="node01", name="hidden", duration_s=600)
    own = reserve(live, hosts="node02", name="own", duration_s=600, users=["nobody"])
    text = other.ok("showres")
    assert own in text and hidden not in text
    assert hidden not in other.refused("showres", hidden).replace(f"'{hidden}'", "")


def test_showconfig_shows_what_is_set_then_defaults(daemon):
    daemon.configure("BACKFILLPOLICY BESTFIT\nUSERCFG[ann] MAXJOB=3\n", plain=True)
    daemon.start()
    lines = daemon.ok("showconfig").splitlines()
    assert lines[0].startswith("# maui version ") and f"(PID: {daemon.pid()})" in lines[0]
    assert "BACKFILLPOLICY[0]               BESTFIT" in lines
    assert "USERCFG[ann].MAXJOB             3" in lines
    assert [o["name"] for o in daemon.lines("showconfig")] == [
        "BACKFILLPOLICY", "USERCFG[ann].MAXJOB"]
    assert "BACKFILLDEPTH[0] " in daemon.ok("showconfig", "-v")
    assert daemon.ok("showconfig", "backfilldepth").splitlines()[-1].split() == [
        "BACKFILLDEPTH[0]", "0"]
    assert "BESTFIT" in daemon.ok("showconfig", "BACKFILLPOLICY[0]")
    assert daemon.ok("showconfig", "NODESETLIST").splitlines()[-1].split() == ["NODESETLIST[0]"]
    wrong = daemon.run("showconfig", "BACKFILPOLICY")
    assert wrong.returncode == 1 and "did you mean BACKFILLPOLICY?" in wrong.stderr
    assert wrong.stdout == ""


def test_parameters_are_found_by_how_their_names_begin(daemon):
    daemon.configure("RMPOLLINTERVAL 20\nUSERCFG[ann] MAXJOB=3 PRIORITY=7\n"
                     "USERCFG[bob] MAXJOB=4\n")
    daemon.start()
    assert daemon.ok("schedctl", "-l", "RMPOLL").split() == ["RMPOLLINTERVAL", "20"]
    assert [o["name"] for o in daemon.lines("showconfig", "usercfg[ann")] == [
        "USERCFG[ann].MAXJOB", "USERCFG[ann].PRIORITY"]
    names = [o["name"] for o in daemon.lines("showconfig", "RESERVATION")]
    assert "RESERVATIONDEPTH" in names and "RESERVATIONPOLICY" in names
    assert all(name.startswith("RESERVATION") for name in names)
    assert daemon.run("showconfig", "USERCFG[nobody]").returncode == 1


def test_a_change_that_is_refused_leaves_what_was_there(live):
    live.ok("changeparam", "BACKFILLPOLICY[0]", "NONE")
    refused = live.run("changeparam", "BACKFILLPOLICY", "NON")
    assert refused.returncode == 1 and "; NONE stays in force" in refused.stderr
    assert live.ok("showconfig", "BACKFILLPOLICY").split()[-1] == "NONE"


def test_a_change_may_be_told_in_several_words(live):
    assert live.ok("schedctl", "-m", "RMPOLLINTERVAL", "35") == "parameters modified\n"
    assert live.ok("schedctl", "-m", "BACKFILLDEPTH 9") == "parameters modified\n"
    assert live.lines("showconfig", "RMPOLLINTERVAL")[0]["value"] == "35"
    assert live.lines("showconfig", "BACKFILLDEPTH")[0]["value"] == "9"


def test_resetstats_tells_when(live):
    text = live.ok("resetstats")
    assert re.fullmatch(r"statistics reset on \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d\n", text)


def test_nodes_of_a_job_are_told_once(live):
    runs = live.submit(requests=[{"tasks": 2, "nodes": 2, "per_task": {"procs": 1}}])
    live.wait(lambda: live.state(runs) == "Running", "the start")
    waits = live.submit(requests=[{"tasks": 8, "nodes": 4, "per_task": {"procs": 1}}])
    assert live.ok("checkjob", runs).count("NodeCount: ") == 1
    assert live.ok("checkjob", waits).count("NodeCount: 4\n") == 1


@pytest.mark.parametrize("words,says", [
    (["showq", "-u"], "showq: -u: expected USER behind it"),
    (["showq", "-z"], "showq: option -z is not known"),
    (["showq", "--user"], "showq: --user: expected USER behind it"),
    (["showq", "--usr=ann"], "showq: option --usr is not known; did you mean --user?"),
    (["showq", "--help=3"], "showq: --help takes nothing"),
    (["showq", "--port", "4x"], "showq: --port: '4x' is not a whole number"),
    (["import", "--port", "9"], "maui import: option --port is not known"),
])
def test_a_wrong_option_is_told_from_one_that_lacks_its_value(maui, words, says):
    done = maui(*words, check=False)
    assert done.returncode == 1 and done.stderr.startswith(says + "\n")


def test_diagnose_shows_every_table(daemon):
    daemon.configure(f"USERCFG[{ME}] PRIORITY=100 MAXPROC=3,4 FSTARGET=20+\n"
                     "USERWEIGHT 1\nCREDWEIGHT 1\nXFACTORWEIGHT 10\nFSPOLICY DEDICATEDPS\n"
                     "QOSCFG[high] PRIORITY=5 QTWEIGHT=2\nCLASSCFG[batch] MAXJOB=3\n"
                     "RESERVATIONDEPTH 2\n")
    daemon.start()
    jobs = [daemon.submit(requests=tasks(n)) for n in (3, 2)]
    daemon.wait(lambda: "MAXPROC" in daemon.ok("diagnose", "-q"), "the limit")
    assert daemon.ok("diagnose", "-q") == (
        "Diagnosing blocked jobs (policylevel SOFT  partition ALL)\n\n"
        f"job {jobs[1]} violates active HARD MAXPROC limit of 4 for user {ME}  (R: 2, U: 3)\n")
    assert daemon.ok("diagnose", "-q", "-v", "-l", "HARD").splitlines()[2:] == [
        f"job {jobs[1]} violates active HARD MAXPROC limit of 4 for user {ME}  (R: 2, U: 3)  "
        f"(user {ME} has 3 of MAXPROC 4 (hard) processors active and this job asks for 2)"]
    row = f"{jobs[1]:>18} {ME:>9} violates active HARD MAXPROC limit of 4 for user {ME}  (R: 2, U: 3)"
    assert row in daemon.ok("showq", "-b").splitlines()
    assert row + f"  (user {ME} has 3 of" in daemon.ok("showq", "-b", "-v")
    assert "is not blocked at this policy level" in daemon.ok("diagnose", "-q", "-l", "OFF")
    table = daemon.ok("diagnose", "-j")
    assert table.splitlines()[2].split()[:6] == [jobs[0], "Running", "DEF", "3", "-",
                                                 "00:05:00"]
    assert table.endswith("\nTotal Jobs: 2  Active Jobs: 1\n")
    assert "Total Jobs: 1" in daemon.ok("diagnose", "-j", jobs[1])
    nodes = daemon.ok("diagnose", "-n")
    assert nodes.splitlines()[3].split()[:3] == ["node01", "Busy", "0:2"]
    assert nodes.endswith("Total Nodes: 4  (Active: 2  Idle: 2  Down: 0)\n")
    assert "Total Nodes: 1" in daemon.ok("diagnose", "-n", "node01")
    assert "Active Reserved Processors: 3\n" in daemon.ok("diagnose", "-r")
    assert "type: 'LOCAL'  state: 'Active'" in daemon.ok("diagnose", "-R")
    assert "State: running" in daemon.ok("diagnose", "-S")
    assert "100.00%          2  50.00%" in daemon.ok("diagnose", "-t")
    assert daemon.ok("diagnose", "-m").startswith("diagnosing frame table\n")
    assert (f"{ME:<12} {100:>8} {'[NONE]':>12} {'[NONE]':>12} {'[NONE]':>12}  "
            f"{'[NONE]':>20}  20.00+ MAXPROC=3,4\n") in daemon.ok("diagnose", "-u")
    assert "batch" in daemon.ok("diagnose", "-c") and "MAXJOB=0:3" in daemon.ok("mdiag", "-c")
    assert "high" in daemon.ok("diagnose", "-Q")
    for letter in "ag":
        assert "information...\n" in daemon.ok("diagnose", f"-{letter}")
    shares = daemon.ok("diagnose", "-f", "user")
    assert "FS Policy: DEDICATEDPS\n" in shares and f"\nUSER\n-------------\n{ME}" in shares


def test_diagnose_p_tells_what_a_priority_is_made_of(daemon):
    daemon.configure(f"USERCFG[{ME}] PRIORITY=100\nUSERWEIGHT 1\nCREDWEIGHT 1\n"
                     "XFACTORWEIGHT 10\n")
    daemon.start()
    assert "no idle jobs in queue\n" in daemon.ok("diagnose", "-p")
    daemon.submit(requests=tasks(5))
    job = daemon.submit(requests=tasks(6))
    daemon.wait(lambda: job in daemon.ok("diagnose", "-p"), "the job")
    lines = daemon.ok("diagnose", "-p").splitlines()
    assert lines[2] == ("Job                    PRIORITY*   Cred( User)  "
                        "Serv(QTime:XFctr)")
    assert lines[3] == ("             Weights   --------       1(    1)     "
                        "1(    1:   10)")
    assert lines[5].split()[0] == job and "(100.0)" in lines[5]
    assert lines[7].startswith("Percent Contribution   --------   ")


def test_diagnose_p_keeps_a_blank_between_wide_weights(daemon):
    daemon.configure(f"USERCFG[{ME}] PRIORITY=100\nUSERWEIGHT 1000000\nCREDWEIGHT 1000000\n"
                     "GROUPWEIGHT 2000000\nQUEUETIMEWEIGHT 3000000\nXFACTORWEIGHT 4000000\n"
                     "SERVICEWEIGHT 5000000\n")
    daemon.start()
    daemon.submit(requests=tasks(5))
    job = daemon.submit(requests=tasks(6))
    daemon.wait(lambda: job in daemon.ok("diagnose", "-p"), "the job")
    weights = next(line for line in daemon.ok("diagnose", "-p").splitlines() if "Weights" in line)
    assert re.search(r" 1000000\( *1000000: *2000000\) +5000000\( *3000000: *4000000\)$", weights)


def test_a_single_processor_is_told_in_the_singular(live):
    full = live.submit(requests=tasks(8))
    live.wait(lambda: live.state(full) == "Running", "the start")
    live.submit(requests=tasks(2))  # has the reservation
    job = live.submit(requests=tasks(1))
    told = live.wait(lambda: (live.job(job).get("reason") or {}).get("text"), "the reason")
    assert told == "this job asks for 1 processor and 0 are free for it now"
    assert "1 processors" not in live.ok("checkjob", "-v", job)


def test_diagnose_is_for_administrators(live, other):
    for letter in ("-j", "-n", "-p", "-R", "-S", "-f", "-t"):
        assert "not authorized" in other.refused("diagnose", letter)
    assert other.run("diagnose", "-u").stdout.endswith("Limits\n\n")  # of users themselves alone
    unknown = live.run("diagnose", "-u", "nosuch")
    assert (unknown.returncode, unknown.stderr, unknown.stdout) == (
        1, "ERROR:    there is no user 'nosuch'\n", "")
    assert live.run("diagnose").returncode == 1


def test_jobs_that_ended_are_listed_for_their_owner(live, other):
    job = live.submit("exit 3")
    own = other.submit(script="#!/bin/sh\nexit 4\n")
    live.wait(lambda: len(live.api("/v1/accounting")[1]) == 2
              if isinstance(live.api("/v1/accounting")[1], list) else False, "both ends")
    status, rows = live.api("/v1/accounting?limit=5")
    assert status == 200 and {r["id"]: r["exit_status"] for r in rows} == {job: 3, own: 4}
    mine = other.call("curl", "-s", "--unix-socket", f"{live.home}/api.sock",
                      "http://maui/v1/accounting").stdout.splitlines()
    assert [json.loads(r)["id"] for r in mine] == [own]


def test_showstate_draws_the_machine(live, other):
    job = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    lines = live.ok("showstate").splitlines()
    assert lines[0].startswith("cluster state summary for ")
    assert lines[3] == ("    JobName            S      User    Group Procs   Remaining"
                        "            StartTime")
    assert lines[6].startswith(f"(A) {job:<18} R ")
    assert "usage summary:  1 active jobs  2 active nodes" in lines
    assert "Frame      01: [A][A][ ][ ]" in lines
    assert "not authorized" in other.refused("showstate")


def test_small_questions_are_for_everybody(live, other):
    held = other.submit(hold=True)
    running = other.submit(requests=tasks(2))
    live.wait(lambda: live.state(running) == "Running", "the start")
    assert other.ok("showhold").splitlines() == [
        "         JOBNAME      HOLDS", "", f"{held:>16}       User"]
    assert other.ok("showtasks", "nobody") == (
        "The total number of tasks running by this user is 2\n")
    assert other.run("showtasks").returncode == 1
    text = other.ok("mshow", "-q")
    assert text.startswith("active jobs------------------------\nJOBNAME ")
    assert "\n1 active job\n" in text and text.endswith("\nTotal jobs:  2\n")


def test_showq_c_lists_what_ended(live, other):
    job, own = live.submit("exit 3"), other.submit(script="#!/bin/sh\nexit 4\n")
    live.wait(lambda: live.ok("showq", "-c").endswith("\n2 Jobs\n"), "both ends")
    rows = {l.split()[0]: l.split()[1:4] for l in live.ok("showq", "-c").splitlines()[2:4]}
    assert rows[job][1] == "3" and rows[own][1] == "4" and rows[own][2] == "DEF"
    assert other.ok("showq", "-c").endswith("\n1 Job\n")
    assert "not authorized" in other.refused("showq", "-c", "-u", ME)


def test_diagnose_tells_who_may_use_a_qos(daemon):
    daemon.configure("QOSCFG[hi] PRIORITY=10\nQOSCFG[lo] PRIORITY=1\n"
                     f"USERCFG[{ME}] QLIST=hi:lo\nUSERCFG[somebody] QLIST=lo\n"
                     "GROUPCFG[bio] QDEF=lo\n")
    daemon.start()
    text = daemon.ok("diagnose", "-Q", "lo")
    assert text.startswith("QOS Status\n\nSystem QOS Settings:  QList: [NONE] (Def: [NONE])  "
                           "Flags: [NONE]\n\nName ") and text.endswith(
        f"\n  Users: {ME} somebody\n  Groups: bio\n")
    assert daemon.ok("diagnose", "-Q", "hi").endswith(f"\n  Users: {ME}\n")
    assert daemon.lines("diagnose", "-Q", "lo")[0]["members"] == [
        f"user:{ME}", "user:somebody", "group:bio"]


def test_diagnose_tells_classes_of_partitions(daemon):
    daemon.configure("CLASSCFG[batch] PRIORITY=1\nCLASSCFG[fast] PRIORITY=2\n"
                     "NODECFG[node04] PARTITION=small\n")
    daemon.start()
    job = daemon.submit(requests=tasks(3), **{"class": "batch"})
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    text = daemon.ok("diagnose", "-t")
    assert "\nSystem Partition Settings:  PList: DEFAULT:small PDef: DEFAULT\n" in text
    assert text.endswith("\nClass/Queue State\n\n             [<CLASS> <AVAIL>:<UP>]...\n\n"
                         "     DEFAULT [batch 3:6][fast 3:6]\n"
                         "       small [batch 2:2][fast 2:2]\n")
    only = daemon.ok("diagnose", "-t", "small")
    assert only.endswith("]...\n\n       small [batch 2:2][fast 2:2]\n")
    described = daemon.api("/openapi.json")[1]["paths"]["/v1/partitions"]["get"]
    items = described["responses"]["200"]["content"]["application/json"]["schema"]["items"]
    assert set(daemon.api("/v1/partitions")[1][0]) <= set(items["properties"])


def test_a_started_job_waits_no_more(live):
    job = live.submit()
    live.wait(lambda: live.state(job) == "Running", "the start")
    began = time.time()
    live.wait(lambda: time.time() > began + 2, "two seconds")
    found = live.job(job)
    assert found["eligible_s"] == found["start_at"] - found["queue_at"] <= 1


def test_showq_of_those_that_ask_for_a_reservation(live):
    name = reserve(live, hosts="node04", start_at=soon(), duration_s=100, name="course")
    asking, other_job = live.submit(reservation=name), live.submit(requests=tasks(1))
    live.wait(lambda: live.state(other_job) == "Running", "the start")
    rows = [r["id"] for r in live.lines("showq", "-R", name)[1:]]
    assert rows == [asking]
    assert len(live.lines("showq")) == 3 and len(live.lines("showq", "-R", "no-such")) == 1


def test_showq_has_its_heading_also_when_there_is_nothing(live):
    for letter, heading in (("r", "JobName  S Par"), ("i", "JobName    Priority"),
                            ("b", "JobName      User Reason"), ("c", "JobID S CCode")):
        assert live.ok("showq", f"-{letter}").splitlines()[0].strip().startswith(heading)


def test_diagnose_tells_the_hours_of_standing_reservations(daemon):
    daemon.configure("SRCFG[debug] STARTTIME=8:00:00 ENDTIME=18:00:00 PERIOD=DAY DEPTH=7 "
                     "TASKCOUNT=2 RESOURCES=PROCS:2 CLASSLIST=short\n"
                     "SRCFG[open] PERIOD=INFINITY HOSTLIST=node01\n")
    daemon.start()
    text = daemon.wait(lambda: (lambda t: t if "SRAttributes" in t else "")(
        daemon.ok("diagnose", "-r")), "the reservations")
    assert ("    SRAttributes (TaskCount: 2  StartTime: 8:00:00  EndTime: 18:00:00  "
            "Days: ALL)\n") in text
    assert "StartTime: 00:00:00  EndTime:   INFINITY  Days: ALL)\n" in text
    assert "    Flags: STANDINGRES\n" in text
    described = daemon.api("/openapi.json")[1]["components"]["schemas"]["Reservation"]
    assert all(set(r) <= set(described["properties"]) for r in daemon.lines("showres"))


def test_mshow_a_tells_what_is_free(live):
    live.submit(requests=tasks(3))
    live.wait(lambda: live.state("1") == "Running", "the start")
    lines = live.ok("mshow", "-a").splitlines()
    assert lines[0].split() == ["Partition", "Tasks", "Nodes", "Duration", "StartOffset",
                                "StartDate"]
    assert lines[2].split()[:5] == ["DEFAULT", "5", "3", "INFINITY", "00:00:00"]
    assert len(lines) == 3 and lines[0].index("StartDate") + 9 == len(lines[2])
    words = "minprocs=5,duration=1:00:00,user=games,nodemem=>=1"
    assert len(live.ok("mshow", "-a", "-w", words).splitlines()) == 3
    assert len(live.ok("mshow", "-a", "-w", "minprocs=6").splitlines()) == 2
    for words, complaint in ((["-a", "-w", "minproc=2"], "did you mean minprocs"),
                             (["-a", "-w", "procs"], "'procs' is not ATTR=VALUE"),
                             (["-a", "-q"], "one of -q and -a is needed"),
                             (["-q", "-w", "user=x"], "-w goes with -a")):
        done = live.run("mshow", *words)
        assert done.returncode == 1 and complaint in done.stderr


def test_checknode_default_tells_what_holds_for_every_node(daemon):
    daemon.configure("NODECFG[DEFAULT] SPEED=1.5\nNODEMAXLOAD 3.5\n")
    daemon.start()
    lines = [l.split() for l in daemon.ok("checknode", "DEFAULT").splitlines()]
    assert lines[0] == ["checking", "node", "DEFAULT"]
    assert ["NODECFG[DEFAULT].SPEED", "1.5"] in lines and ["NODEMAXLOAD", "3.5"] in lines
    assert ["NODEACCESSPOLICY", "SHARED"] in lines
    record = json.loads(daemon.ok("checknode", "DEFAULT", "--format", "json"))
    assert record["name"] == "DEFAULT" and record["parameters"]
    assert "not authorized" in Other(daemon).refused("checknode", "DEFAULT")


def test_mbal_names_a_node_that_is_free(live, other):
    job = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    assert other.ok("mbal", "-r") in ("node02\n", "node03\n", "node04\n")
    record = json.loads(live.ok("mbal", "-q", "--format", "json"))
    assert record["name"] != "node01" and record["procs"] >= 1
    assert live.ok("mbal", "-q").startswith(record["name"] + "  load: ")
    live.submit(requests=tasks(5))
    live.wait(lambda: live.run("mbal", "-q").returncode == 1, "a full machine")
    assert "no node has a free processor" in other.refused("mbal", "-r")
    for words in ([], ["-q", "-r"], ["-q", "x"]):
        assert live.run("mbal", *words).returncode == 1


def test_the_queue_reservations_and_the_machine_are_told_as_xml(live, other):
    job = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    held = live.submit(hold=True)
    for words in (["showq"], ["mshow", "-q"]):
        data = ET.fromstring(other.ok(*words, "--format", "xml"))
        assert data.find("cluster").attrib["allocProcs"] == "3"
        queues = {q.attrib["type"]: [j.attrib["JobName"] for j in q] for q in
                  data.findall("queue")}
        assert queues == {"active": [job], "blocked": [held]}
    name = reserve(live, start_at=soon(), duration_s=60, hosts="node04")
    data = ET.fromstring(live.ok("showres", "--format", "xml"))
    assert [r.attrib["Name"] for r in data] == [job, name]
    for words in (["-x"], ["--format", "xml"]):
        data = ET.fromstring(live.ok("showstate", *words))
        assert [n.attrib.get("JobList") for n in data.findall("node")] == [
            job, job, None, None]
    assert "not authorized" in other.run("showstate", "-x").stderr


def test_showq_knows_no_grid_and_all_partitions(daemon):
    daemon.configure("NODECFG[node04] PARTITION=small\n")
    daemon.start()
    job = daemon.submit(requests=tasks(1))
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    daemon.env["MAUIPARTITION"] = "small"
    assert len(daemon.lines("showq")) == 1
    for words in (["-a"], ["-a", "-g"], ["-a", "-l"]):
        assert [r.get("id") for r in daemon.lines("showq", *words)][-1] == job
    assert "do not go together" in daemon.run("showq", "-a", "-p", "small").stderr
    assert len(daemon.lines("showq", "-a", "--group", "bin")) == 1


def test_diagnose_tells_standing_reservations_and_blocked_jobs_by_other_letters(daemon):
    daemon.configure("SRCFG[night] HOSTLIST=node01 PERIOD=INFINITY\n")
    daemon.start()
    other = reserve(daemon, start_at=soon(), duration_s=60, hosts="node04")
    name = daemon.wait(lambda: [r["name"] for r in daemon.lines("diagnose", "-s")], "it")[0]
    text = daemon.ok("diagnose", "-s")
    assert text.startswith("Diagnosing Reservations\n")
    assert name in text and other not in text and other in daemon.ok("diagnose", "-r")
    job = daemon.submit(hold=True)
    assert daemon.ok("diagnose", "-b") == daemon.ok("diagnose", "-q")
    assert job in daemon.ok("diagnose", "-b")
    assert name not in Other(daemon).ok("diagnose", "-s")  # it is not for them


def test_diagnose_tells_what_reservations_lack(daemon):
    daemon.configure("SRCFG[typo] HOSTLIST=nod01 PERIOD=INFINITY\n"
                     "SRCFG[wide] RESOURCES=PROCS:99 TASKCOUNT=1 PERIOD=INFINITY\n"
                     "SRCFG[many] TASKCOUNT=9 PERIOD=INFINITY\n")
    daemon.start()
    base = {name.split(".")[0]: name for name in daemon.wait(
        lambda: [r["name"] for r in daemon.lines("showres")], "them")}
    text = daemon.ok("diagnose", "-r")
    for name, sentence in (("typo", "its host list names no node there is"),
                           ("wide", "no node is large enough for its tasks"),
                           ("many", "it holds 4 of 9 tasks")):
        assert f"WARNING:  reservation '{base[name]}': {sentence}\n" in text
    assert text.count("WARNING") == 3


def test_diagnose_tells_limits_of_single_jobs_and_of_the_system(daemon):
    daemon.configure("SYSCFG QLIST=hi,lo QDEF=lo PLIST=DEFAULT,small PDEF=small\n"
                     "QOSCFG[hi] PRIORITY=1\nQOSCFG[lo] PRIORITY=1\n"
                     "NODECFG[node04] PARTITION=small\n"
                     "CLASSCFG[DEFAULT] MAXJOB[USER]=7\n"
                     "CLASSCFG[fast] MAX.WCLIMIT=0:30:00 MIN.PROC=2 MAXPROCPERJOB=4\n"
                     "USERCFG[DEFAULT] MAX.WCLIMIT=1:00:00:00\n")
    daemon.start()
    assert "\nSystem Partition Settings:  PList: DEFAULT:small PDef: small\n" in daemon.ok(
        "diagnose", "-t")
    assert daemon.ok("diagnose", "-Q").startswith(
        "QOS Status\n\nSystem QOS Settings:  QList: hi,lo (Def: lo)  Flags: [NONE]\n\nName ")
    assert daemon.lines("diagnose", "-c", "fast")[0]["limits"] == [
        "MAXJOB[user]=7", "MIN.PROC=2", "MAXPROCPERJOB=4", "MAX.WCLIMIT=00:30:00"]
    assert daemon.lines("diagnose", "-u", "DEFAULT")[0]["limits"] == ["MAX.WCLIMIT=1:00:00:00"]


def test_checkjob_tells_of_a_job_that_has_ended(live, other):
    mine, theirs = live.submit("exit 3"), other.submit()
    live.wait(lambda: live.job(mine) is None, "the end")
    text = live.ok("checkjob", mine)
    assert "State: Completed\n" in text and f"Creds:  user:{ME} " in text
    assert f"job {mine} ended on " in text and text.endswith(" with exit status 3\n")
    live.ok("canceljob", theirs)
    live.wait(lambda: live.job(theirs) is None, "the other end")
    assert "State: Removed\n" in other.ok("checkjob", theirs)
    assert other.refused("checkjob", mine) == f"ERROR:    cannot locate job '{mine}'\n"
    done = live.run("checkjob", "-n", "nosuch", live.submit())
    assert done.returncode == 1 and "cannot locate node 'nosuch'" in done.stderr


def test_checkjob_names_what_is_in_the_way(daemon):
    daemon.configure("NODECFG[GLOBAL] GRES=matlab:1\nNODECFG[node01] FEATURES=big\n")
    live = daemon.start()
    maint = reserve(live, name="maint", hosts="ALL", start_at=soon(), duration_s=3600)
    short = live.submit(requests=tasks(1), wclimit_s=36000)
    licensed = [live.submit(requests=tasks(1, gres={"matlab": 1}), wclimit_s=60) for _ in "12"]
    wide = live.submit(requests=[{"tasks": 1, "features": ["huge"]}], wclimit_s=60)
    live.wait(lambda: live.job(wide)["shown_state"] == "Deferred", "the deferral")
    text = live.ok("checkjob", short)
    assert f"reservation '{maint}' keeps 4 nodes from " in text and " until " in text
    assert "resource 'matlab': 1 asked for, 0 free\n" in live.ok("checkjob", licensed[1])
    assert "GRes" in live.ok("checkjob", "-v", licensed[1])
    text = live.ok("checkjob", wide)
    assert "State: Deferred\n" in text and "no node has feature 'huge'\n" in text
    lost = live.submit(requests=tasks(1), wclimit_s=60, reservation="lost")
    there = live.submit(requests=tasks(1), wclimit_s=60, reservation=maint)
    text = live.ok("checkjob", lost)
    assert "job cannot run in partition DEFAULT (this job asks for reservation 'lost', " \
           "which is not there)\n" in text and text.count("which is not there") == 1
    assert "which is not there" not in live.ok("checkjob", there)
    held = live.submit(requests=tasks(1), wclimit_s=60, reservation="lost", hold=True)
    assert "it asks for reservation 'lost', which is not there\n" in live.ok("checkjob", held)
    done = live.run("showstart", wide)
    assert done.returncode == 1 and "more than the cluster has" in done.stderr


def test_checkjob_says_for_how_long_something_is_free(daemon):
    daemon.configure("NODECFG[node04] FEATURES=big\n")
    daemon.start()
    daemon.submit(requests=[{"tasks": 3, "per_task": {"procs": 2}}], wclimit_s=900)
    daemon.submit(requests=[{"tasks": 3, "per_task": {"procs": 2}}], wclimit_s=300)
    reserve(daemon, name="later", hosts="node04", start_at=int(time.time()) + 1000, duration_s=60)
    job = daemon.submit(requests=[{"tasks": 1, "features": ["big"]}], wclimit_s=1800)
    text = daemon.ok("checkjob", job)
    minutes = re.search(r"is free for 00:(\d\d):\d\d only", text)
    assert minutes and int(minutes[1]) in (15, 16), text


def test_a_reservation_that_is_used_keeps_no_more_of_a_node(daemon):
    daemon.configure(f"USERCFG[{ME}] ALIST=alpha:beta ADEF=beta\n")
    daemon.start()
    daemon.ok("setres", "-n", "half", "-a", "alpha", "-r", "PROCS=1", "-d", "1:00:00", "node01")
    one = daemon.submit(requests=tasks(1), wclimit_s=60, hold=True)
    assert "accepted : 1 task supported\n" in daemon.ok("checkjob", "-n", "node01", one)
    inside = daemon.submit(requests=tasks(1), wclimit_s=600, account="alpha", reservation="half.0")
    daemon.wait(lambda: daemon.state(inside) == "Running", "the job inside")
    assert "accepted : 1 task supported\n" in daemon.ok("checkjob", "-n", "node01", one)


def test_showstart_says_which_limit_it_does_not_count(daemon):
    daemon.configure(f"USERCFG[{ME}] MAXJOB=1\n")
    live = daemon.start()
    jobs = [live.submit(), live.submit()]
    live.wait(lambda: live.job(jobs[1])["section"] == "blocked", "the limit")
    assert f"violates active SOFT MAXJOB limit of 1 for user {ME}  (R: 1, U: 1)" in live.ok(
        "diagnose", "-q"), "soft and hard are the same"
    done = live.run("showstart", jobs[1])
    assert done.returncode == 0 and "Earliest start in" in done.stdout
    assert done.stderr.startswith(
        f"NOTE:     this does not count what keeps it: user {ME} has 1 of MAXJOB 1 (hard)")


def test_showhold_lists_every_kind_also_of_a_running_job(live):
    runs = live.submit()
    live.wait(lambda: live.state(runs) == "Running", "the start")
    held = live.submit(requests=tasks(8))
    live.ok("sethold", "-u", runs)
    live.ok("sethold", "-a", held)
    assert live.ok("showhold") == (
        f"{'JOBNAME':>16} {'HOLDS':>10}\n\n{runs:>16} {'User':>10}\n"
        f"{held:>16} {'User':>10} {'System':>10} {'Batch':>10}\n")
    assert "State: BatchHold\n" in live.ok("checkjob", held)
    assert live.ok("showq", "-b").splitlines()[2].endswith(
        " has the following hold(s) in place:  Batch System User")


def test_diagnose_shows_limits_that_a_qos_overrides(daemon):
    daemon.configure("QOSCFG[hi] OMAXNODE=3 OMAXIPROC=9 OMAXJPROC=5 MAXJOB=7\n")
    daemon.start()
    row = [l for l in daemon.ok("diagnose", "-Q").splitlines() if l.startswith("hi ")]
    assert sorted(row[0].split()[-1].split(",")) == [
        "MAXJOB=7", "OMAXIPROC=9", "OMAXJPROC=5", "OMAXNODE=3"]


def test_a_limit_of_a_qos_on_its_own_jobs_is_told_once_and_whence(daemon):
    daemon.configure("QOSCFG[hi] OMAXJOB=5\n")
    daemon.start()
    told = daemon.api("/v1/credentials/qos?name=hi")[1]
    assert told["limits"] == ["OMAXJOB=5"]
    (limit,) = told["limits_in_force"]
    assert (limit["limit"], limit["hard"], limit["used"]) == ("OMAXJOB", 5, 0)
    assert "maui.cfg:" in limit["source"]


def test_a_limit_that_is_lifted_is_told(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=3\nUSERCFG[u9] MAXJOB=-1\n")
    daemon.start()
    told = daemon.api("/v1/credentials/user?name=u9")[1]
    assert told["limits"] == ["MAXJOB=-1"]
    (limit,) = told["limits_in_force"]
    assert limit["hard"] == -1 and "maui.cfg:" in limit["source"]


def test_reservations_are_sorted_by_name_and_each_line_names_its_node(live):
    for name in ("zeta", "beta", "alpha"):
        live.ok("setres", "-n", name, "-s", "+1:00:00", "-d", "60", "node01")
    job = live.submit()
    live.wait(lambda: live.state(job) == "Running", "the start")
    names = [job, "alpha.0", "beta.0", "zeta.0"]
    assert [l.split()[0] for l in live.ok("showres").splitlines()[4:8]] == names
    rows = [l.split()[0] for l in live.ok("diagnose", "-r").splitlines()
            if l[:1] not in (" ", "-") and ("Job" in l or "User" in l)]
    assert rows == names
    on_node = [l.split() for l in live.ok("showres", "-n").splitlines() if ".0 " in l]
    assert [row[0] for row in on_node] == ["node01"] * 3


@pytest.mark.parametrize("words,complaint", [
    (["checknode", ""], "ERROR:    cannot locate node ''"),
    (["showres", ""], "ERROR:    cannot locate reservation ''"),
    (["releaseres", ""], "releaseres: a reservation is needed"),
    (["releaseres", ","], "releaseres: a reservation is needed"),
])
def test_an_empty_name_is_the_name_of_nothing(live, words, complaint):
    done = live.run(*words)
    assert done.returncode != 0 and done.stderr.startswith(complaint), done
