# SPDX-License-Identifier: Apache-2.0
"""showstart and showbf: when could it start, what is free; as the original prints it, for
everybody."""
import json
import re

import pytest

from commands_test import tasks
from layouts_test import ends, original
from live_daemon import ME, MY_GROUP
from live_users import Other


@pytest.fixture
def planned(live):
    """Job 1 runs on three of eight processors, job 2 has a reservation behind it, job 3
    none."""
    live.submit(requests=tasks(3))
    live.wait(lambda: live.state("1") == "Running", "the start")
    live.submit(requests=tasks(6), wclimit_s=100)
    live.submit(requests=tasks(8), wclimit_s=7200)
    live.wait(lambda: live.job("2").get("reservation_at"), "the reservation")
    return live


def test_showstart_prints_what_the_original_prints(shared, planned):
    theirs = original(shared, "05-showstart", "showstart 1007")
    mine = planned.ok("showstart", "2").splitlines()
    assert mine[0] == "job 2 requires 6 procs for 00:01:40"
    for ours, line in zip(mine[1:3], theirs[1:3]):
        assert ours.index(" on ") == line.index(" on ") and len(ours) == len(line)
        assert ours.split("in ")[0] == line.split("in ")[0]
    assert mine[3] == theirs[3] == "Best Partition: DEFAULT"
    assert len(mine) == 4


@pytest.mark.parametrize("job,basis", [
    ("1", "it runs"), ("2", "the job has a reservation that begins then"),
    ("3", "an estimate: if it were the job of highest priority")])
def test_showstart_tells_what_it_rests_on(planned, job, basis):
    lines = planned.ok("showstart", "-v", job).splitlines()
    assert lines[-1] == f"Based on: {basis}"
    answer = json.loads(planned.ok("showstart", job, "--format", "json"))
    assert answer["job"] == job
    assert answer["end_at"] - answer["start_at"] == answer["duration_s"]


def test_showstart_takes_processors_for_a_time(planned):
    lines = planned.ok("showstart", "8@1:00:00").splitlines()
    assert lines[0] == "job 8@1:00:00 requires 8 procs for 1:00:00"
    assert lines[1].startswith("Earliest start in         00:0")
    assert planned.ok("showstart", "1@5").startswith("job 1@5 requires 1 proc for 00:00:05")
    found = planned.run("showstart", "7")
    assert found.returncode == 0 and "requires 7 procs for 00:00:01\n" in found.stdout
    assert found.stderr == "NOTE:     there is no job '7': this is for 7 processors\n"


@pytest.mark.parametrize("words,complaint", [
    (["99"], "ERROR:    cannot locate job '99'"),
    (["no-such"], "ERROR:    cannot locate job 'no-such'"),
    (["9@60"], "ERROR:    cannot determine earliest start time for job '9@60': this job asks for "
     "9 processors and no partition has more than 8 on nodes that can run it"),
    (["8@x"], "showstart: 'x' is not a duration"),
    (["8@0"], "showstart: '8@0': the duration is to be 1 second to 68 years"),
    ([], "showstart: a job, or PROCS@DURATION, is needed"),
    (["1", "2"], "showstart: one job at a time"),
    (["-l", "gold", "1"], "showstart: -l: 'gold' is not qos=QOS"),
    (["-l", "qos=gold", "1"], "ERROR:    there is no QOS 'gold'"),
])
def test_showstart_says_why_not(planned, words, complaint):
    done = planned.run("showstart", *words)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(complaint)


def test_showstart_goes_by_another_qos(daemon):
    daemon.configure("QOSCFG[gold] PRIORITY=100\n")
    daemon.start()
    daemon.submit(requests=tasks(8))
    daemon.wait(lambda: daemon.state("1") == "Running", "the start")
    daemon.submit(requests=tasks(8))
    daemon.wait(lambda: daemon.job("2").get("reservation_at"), "the reservation")
    assert "Best Partition: DEFAULT" in daemon.ok("showstart", "-l", "qos=gold", "2")


def test_showres_tells_where_reservations_of_waiting_jobs_will_be(planned):
    assert re.search(r"^2  .* 3/6 +[A-Z]", planned.ok("showres"), re.M)
    lines = planned.ok("showres", "-n", "-g", "2").splitlines()
    assert [line.split()[:5] for line in lines if " Job " in line] == [
        [f"node0{n}", "Job", "2", "Idle", "2"] for n in (1, 2, 3)]
    assert lines[-1] == "3 nodes reserved"
    status, record = planned.api("/v1/reservations/2")
    assert status == 200 and record["nodes"] == 3
    assert record["places"] == [{"node": f"node0{n}", "tasks": 2} for n in (1, 2, 3)]
    listed = [r for r in planned.lines("showres") if r["name"] == "2"]
    assert listed[0]["places"] == record["places"]


WINDOW = re.compile(r"^ *(\d+) procs? available (?:for +(\S+)|with no timelimit)$", re.M)


def test_showbf_prints_windows_as_the_original(shared, planned):
    theirs = original(shared, "06-showbf", "showbf")
    mine = planned.ok("showbf").splitlines()
    date = r" [A-Z]\w\w \w\w\w .\d \d\d:\d\d:\d\d$"
    asked = re.sub(date, "", theirs[0]).replace("user: 'root'", f"user: '{ME}'").replace(
        "group: 'root'", f"group: '{MY_GROUP}'")
    assert re.sub(date, "", mine[0]) == asked
    assert mine[1] == "" and ends(mine[2]) == ends(theirs[2])
    assert mine[3:] == ["  2 procs available with no timelimit"]


def test_showbf_keeps_to_its_filters(planned):
    def windows(*words):
        return [int(procs) for procs, _ in WINDOW.findall(planned.ok("showbf", *words))]

    assert windows() == [5, 2]
    assert windows("-r", "3") == [5] and windows("-r", "6") == []
    assert windows("-n", "3") == [5] and windows("-n", "4") == []
    assert windows("-d", "1:00:00") == [2]
    assert windows("-m", ">=1") == [5, 2] and windows("-m", ">99999999") == []
    assert windows("-M", "99999999") == []
    assert windows("-p", "DEFAULT") == windows("-p", "ALL") == windows("-A") == [5, 2]
    assert "\nno procs available\n" in planned.ok("showbf", "-r", "6")


def test_showbf_s_goes_node_by_node(planned):
    lines = planned.ok("showbf", "-S").splitlines()
    assert [line.split()[:2] for line in lines[3:]] == [
        ["node02", "1"], ["node03", "2"], ["node04", "2"]]
    assert lines[3].endswith("INFINITY")


def test_showbf_v_says_what_is_in_the_way(planned):
    status, answer = planned.api("/v1/reservations", {
        "start_at": planned.job("2")["reservation_at"] - 60, "duration_s": 50,
        "hosts": "node04", "name": "maint"})
    assert status == 200, answer
    name = answer["name"]
    planned.wait(lambda: name in planned.ok("showbf", "-v"), "the cycle")
    lines = planned.ok("showbf", "-v").splitlines()
    assert "node node01 is unavailable (state 'Busy')" in lines
    assert any(re.fullmatch(r"node node03 is blocked by reservation 2 in 00:0\d:\d\d", line)
               for line in lines)
    assert any(line.startswith(f"node node04 is blocked by reservation {name} in 00:0")
               for line in lines)
    other = Other(planned)
    assert "node node04 is blocked by a reservation in 00:0" in other.ok("showbf", "-v")
    answer = json.loads(planned.ok("showbf", "-v", "--format", "json"))
    described = planned.api("/openapi.json")[1]["components"]["schemas"]["Windows"]
    items = described["properties"]["blocked"]["items"]["properties"]
    assert answer["blocked"] and all(set(b) <= set(items) for b in answer["blocked"])


def test_showbf_is_for_everybody_and_by_default_about_the_caller(planned):
    other = Other(planned)
    assert other.ok("showbf").startswith("backfill window (user: 'nobody' group: ")
    assert planned.ok("showbf", "-u", "nobody").splitlines()[0].startswith(
        other.ok("showbf").split(" partition:")[0])
    for letter, kind in (("a", "account"), ("c", "class"), ("q", "qos")):
        answer = json.loads(planned.ok("showbf", f"-{letter}", "DEFAULT", "--format", "json"))
        assert answer[kind] == "DEFAULT"
    assert "group: 'bin'" in planned.ok("showbf", "-u", "nobody", "-g", "bin")
    assert "(user: 'ALL' group: 'ALL' partition: ALL)" in planned.ok("showbf", "-A")
    assert "Best Partition" in other.ok("showstart", "2")
    assert "is told to administrators" in other.run("showbf", "-u", "games").stderr
    for done in (other.run("showbf"), other.run("showbf", "-u", "nobody"), other.run("showbf", "-A"), planned.run("showbf", "-u", "games")):
        assert done.stderr == ""


def test_showbf_has_a_block_for_each_partition(daemon):
    daemon.configure("NODECFG[node04] PARTITION=small\n")
    daemon.start()
    daemon.wait(lambda: daemon.run("showbf").returncode == 0, "the first cycle")
    assert daemon.ok("showbf").split("\n", 1)[1] == (
        "\npartition DEFAULT:\n  6 procs available with no timelimit\n"
        "\npartition small:\n  2 procs available with no timelimit\n")
    assert daemon.ok("showbf", "-p", "small").endswith(
        "\n\n  2 procs available with no timelimit\n")


@pytest.mark.parametrize("words,complaint", [
    (["-d", "soon"], "showbf: -d: 'soon' is not a duration"),
    (["-m", "much"], "ERROR:    mem: 'much': expected MB"),
    (["-f", "no-such"], "ERROR:    no node has feature 'no-such'"),
    (["-p", "moon"], "ERROR:    there is no partition 'moon'"),
    (["-p", "DEFALT"], "ERROR:    there is no partition 'DEFALT'; did you mean 'DEFAULT'?"),
    (["-c", "batc"], "ERROR:    there is no class 'batc'; did you mean 'batch'?"),
    (["-q", "hihg"], "ERROR:    there is no QOS 'hihg'; did you mean 'high'?"),
    (["-a", "fysics"], "ERROR:    there is no account 'fysics'; did you mean 'physics'?"),
    (["-u", "no-such"], "ERROR:    there is no user 'no-such'"),
    (["-g", "no-such"], "ERROR:    there is no group 'no-such'"),
    (["-r", "many"], "ERROR:    procs: "),
    (["node01"], "showbf: 'node01' is not expected here"),
])
def test_showbf_says_what_is_wrong(daemon, words, complaint):
    daemon.configure("CLASSCFG[batch] PRIORITY=1\nQOSCFG[high] PRIORITY=1\n"
                     "ACCOUNTCFG[physics] PRIORITY=1\n")
    live = daemon.start()
    live.wait(lambda: live.run("showbf").returncode == 0, "the first cycle")
    done = live.run("showbf", *words)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(complaint)


LATER = re.compile(r"^ *(\d+) procs? available(?: in +(\S+))? (?:for +(\S+)|with no timelimit)$",
                   re.M)


def test_showbf_d_tells_what_is_free_later(planned):
    """Job 1 leaves, job 2 comes, and then everything is free."""
    rows = LATER.findall(planned.ok("showbf", "-D"))
    assert [int(procs) for procs, _, _ in rows] == [5, 2, 8]
    assert [bool(begin) for _, begin, _ in rows] == [False, False, True]
    assert [bool(length) for _, _, length in rows] == [True, False, False]
    wide = LATER.findall(planned.ok("showbf", "-D", "-r", "6", "-d", "1:00:00"))
    assert [(int(procs), length) for procs, _, length in wide] == [(8, "")]
    answer = json.loads(planned.ok("showbf", "-D", "--format", "json"))
    windows = answer["partitions"][0]["windows"]
    assert [w["start_at"] > answer["at"] for w in windows] == [False, False, True]
    second = planned.job("2")
    assert windows[2]["start_at"] == second["reservation_at"] + second["wclimit_s"]
    lines = planned.ok("mshow", "-a", "--flags", "future").splitlines()
    assert lines[2].split()[4] == "00:00:00" and lines[4].split()[4] != "00:00:00"
    assert {line.split()[2] for line in lines[2:]} == {"-"}  # nodes are known of now alone
    assert "nodes" not in windows[2]
    for letter in "SAn":
        words = ["-n", "2"] if letter == "n" else [f"-{letter}"]
        assert "do not go together" in planned.run("showbf", "-D", *words).stderr
    status, answer = planned.api("/v1/windows?later=1&any=1")
    assert status == 400 and "do not go with later" in answer["error"]["message"]


def test_windows_that_begin_later_end_with_reservations(planned):
    at = int(planned.lines("showq")[0]["summary"]["at"])
    name = planned.ok("mrsvctl", "-c", "-h", "ALL", "-s", str(at + 7200), "-d",
                      "1:00:00").split("'")[1]
    planned.wait(lambda: name in planned.ok("showres"), "the reservation")
    answer = json.loads(planned.ok("showbf", "-D", "--format", "json"))
    windows = answer["partitions"][0]["windows"]
    assert windows[-1]["start_at"] == at + 10800 and windows[-1]["procs"] == 8
    assert windows[-1].get("duration_s") is None
    for w in windows[:-1]:
        assert w["start_at"] + w["duration_s"] <= at + 7200


def test_showbf_l_tells_what_limits_leave(daemon):
    daemon.configure(f"USERCFG[{ME}] MAXPROC=3,5\nUSERCFG[nobody] MAXPS=7200\n"
                     "USERCFG[bin] MAXJOB=1\n")
    daemon.start()
    job = daemon.submit(requests=tasks(1))
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")

    def procs(*words):
        found = LATER.findall(daemon.ok("showbf", *words))
        return max((int(row[0]) for row in found), default=0)

    assert procs() == 7 and procs("-L") == 4 and procs("-L", "-A") == 7
    assert procs("-u", "nobody", "-L", "-d", "3600") == 2
    assert procs("-u", "nobody", "-L", "-d", "7201") == 0
    assert procs("-D", "-L") == 4 and procs("-u", "bin", "-L") == 7
    assert Other(daemon).ok("showbf", "-L", "-d", "1:00:00").count("procs available") == 1
    assert "do not go together" in daemon.run("showbf", "-L", "-S").stderr


def test_showbf_v_names_the_reason_of_each_node(daemon):
    """Down, full of whose job until when, closed by a reservation from when to when, lacking
    what is asked for; what a user may not see has no name."""
    daemon.configure("NODEALLOCATIONPOLICY FIRSTAVAILABLE\nNODECFG[node03] FEATURES=fast\n"
                     "NODECFG[node02] MAXJOB=1\n")
    daemon.start()
    full = daemon.submit(requests=tasks(2))
    daemon.wait(lambda: daemon.state(full) == "Running", "the start")
    alone = daemon.submit(requests=tasks(1))
    daemon.wait(lambda: daemon.state(alone) == "Running", "the start")
    status, answer = daemon.api("/v1/reservations", {
        "start_at": int(daemon.lines("showq")[0]["summary"]["at"]) + 3600, "duration_s": 600,
        "hosts": "node04", "name": "secret"})
    assert status == 200, answer
    daemon.wait(lambda: "secret" in daemon.ok("showbf", "-v"), "the cycle")

    def told(who, *words):
        lines = who.ok("showbf", "-v", *words).splitlines()
        starts = [i for i, line in enumerate(lines) if line.startswith("node ")] + [len(lines)]
        return {lines[a].split()[1]: "\n".join(lines[a:b])
                for a, b in zip(starts, starts[1:])}

    until = r" until \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d"
    mine = told(daemon)
    assert set(mine) == {"node01", "node02", "node04"}
    assert re.fullmatch(rf"node node01 is unavailable \(state 'Busy'\)\n    job {full}{until}",
                        mine["node01"])
    assert re.fullmatch(r"node node02 is unavailable \(what is on it leaves nothing to such a "
                        rf"job\)\n    job {alone}{until}", mine["node02"])
    assert re.fullmatch(rf"node node04 is blocked by reservation {answer['name']} in "
                        rf"[\d:]+\n    from \w{{3}} .*{until}", mine["node04"])
    assert told(daemon, "-f", "fast")["node04"] == (
        "node node04 is unavailable (it lacks feature 'fast')")
    theirs = told(Other(daemon))
    assert re.fullmatch(r"node node04 is blocked by a reservation in [\d:]+",
                        theirs["node04"])
    assert "secret" not in str(theirs)


def test_while_scheduling_is_stopped_answers_are_as_of_its_resumption(planned):
    for words in (["showbf"], ["showstart", "2"], ["showstart", "2@30"]):
        assert planned.run(*words).stderr == ""
    planned.ok("schedctl", "-s")
    for words in (["showbf"], ["showstart", "2"], ["showstart", "2@30"]):
        told = planned.run(*words)
        assert told.returncode == 0 and told.stdout
        assert "NOTE:     scheduling is stopped until an administrator resumes it" in told.stderr
    assert planned.run("showstart", "1").stderr == "", "a job that runs has started"
    planned.ok("schedctl", "-r", "5:00")
    assert re.search(r"stopped until [A-Z]\w\w [A-Z]\w\w .\d ", planned.run("showbf").stderr)
    assert planned.api("/v1/windows")[1]["paused"] is True
    planned.ok("schedctl", "-r")
    assert planned.run("showbf").stderr == ""


def test_the_queue_of_a_stopped_scheduler_is_said_to_be_of_the_last_iteration(live):
    """A hold that is released then is minded by the next: until that lists say so."""
    job = live.submit(requests=[{"tasks": 8}])
    live.wait(lambda: live.state(job) == "Running", "its start")
    waits = live.submit(requests=[{"tasks": 8}])
    live.ok("sethold", waits)
    live.wait(lambda: live.job(waits)["section"] == "blocked", "the hold")
    asked = (["showq"], ["showq", "-i"], ["showq", "-b"], ["diagnose", "-p"])
    assert not any(live.run(*words).stderr for words in asked)
    live.ok("schedctl", "-s")
    live.ok("releasehold", waits)
    assert live.job(waits)["section"] == "blocked"
    for words in asked:
        assert "stopped until an administrator resumes it (schedctl -r); the order and what keeps jobs" in live.run(*words).stderr, words
    assert live.run("showq", "-r").stderr == "", "what runs does run"
    assert live.run("showq", "--format", "json").stderr == ""
    assert live.lines("showq")[0]["summary"]["paused"] is True
    assert live.api("/v1/identity")[1]["paused"] is True
    live.ok("schedctl", "-r")
    live.wait(lambda: waits in live.ok("diagnose", "-p").split(), "its priority")
    assert not any(live.run(*words).stderr for words in asked)
    assert "paused" not in live.api("/v1/identity")[1]


def test_without_a_plan_it_is_told_who_can_give_one(daemon):
    daemon.start("--paused")
    job = daemon.submit()
    for words in (["showbf"], ["showstart", job], ["showstart", "2@30"]):
        done = daemon.run(*words)
        assert done.returncode == 1
        assert "scheduling is stopped until an administrator resumes it" in done.stderr


def test_who_asks_for_a_reservation_that_is_of_no_use_is_told(daemon):
    live = daemon.start()
    for user, node in (("games", "node01"), (ME, "node02")):
        live.ok("setres", "-u", user, "-d", "2:00:00", node)

    def submit(what):
        done = live.run("msub", "-l", f"{what},walltime=60", "--", "sleep", "60")
        assert done.returncode == 0, done
        return done.stdout.strip(), done.stderr

    for name, why in (("nosuch", "which is not there"), ("games.0", "which does not let it in")):
        job, note = submit(f"nodes=1,advres={name}")
        sentence = f"this job asks for reservation '{name}', {why}"
        assert note == f"NOTE:     {sentence}\n"
        live.wait(lambda: sentence in live.run("showstart", job).stderr, "the cycle")
        assert f"job cannot run in partition DEFAULT ({sentence})" in live.ok("checkjob", job)
    wide, note = submit(f"nodes=4,advres={ME}.0")
    assert note == ""
    live.wait(lambda: "2 are free for it now" in live.ok("checkjob", wide), "the cycle")
    text = live.ok("checkjob", wide)
    assert "2 of 4 procs found" in text and "job can run" not in text


@pytest.mark.parametrize("what,note,why", [
    ("nodes=5:ppn=2", "", "this job asks for 10 processors and no partition has more than 8 on "
                          "nodes that can run it"),
    ("nodes=1:ppn=3", "", "no set of nodes can ever satisfy what this job asks for"),
    ("nodes=1,partition=DEFALT", "NOTE:     there is no partition 'DEFALT'; did you mean "
                                 "'DEFAULT'?\n", "this job asks for partition DEFALT, which does not exist"),
])
def test_a_job_that_can_never_run_is_told_why(live, what, note, why):
    done = live.run("msub", "-l", f"{what},walltime=60", "--", "sleep", "60")
    job = done.stdout.strip()
    assert (done.returncode, done.stderr) == (0, note)
    live.wait(lambda: live.job(job)["shown_state"] == "Deferred", "the deferral")
    sentence = f"the job asks for more than the cluster has: {why}"
    text = live.ok("checkjob", job)
    assert f"({sentence})" in text and sentence in live.run("showstart", job).stderr
    assert ("PartitionMask: [NONE]" in text) == ("partition=" in what)
