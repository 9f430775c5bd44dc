# SPDX-License-Identifier: Apache-2.0
"""showstart and showbf: when could it start, what is free; as the original prints it, for
everybody."""
import json
import re

import pytest

from commands_test import tasks
from layouts_test import ends, original
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
    (["9@60"], "ERROR:    cannot determine earliest start time for job '9@60'"),
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
    assert re.sub(date, "", mine[0]) == re.sub(date, "", theirs[0])
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
        answer = json.loads(planned.ok("showbf", f"-{letter}", "x", "--format", "json"))
        assert answer[kind] == "x"
    assert "group: 'bio'" in planned.ok("showbf", "-u", "nobody", "-g", "bio")
    assert "(user: 'ALL' group: 'ALL' partition: ALL)" in planned.ok("showbf", "-A")
    assert "Best Partition" in other.ok("showstart", "2")


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
    (["-r", "many"], "ERROR:    procs: "),
    (["node01"], "showbf: 'node01' is not expected here"),
])
def test_showbf_says_what_is_wrong(live, words, complaint):
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
    daemon.configure("USERCFG[root] MAXPROC=3,5\nUSERCFG[nobody] MAXPS=7200\n"
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
