# SPDX-License-Identifier: Apache-2.0
"""showstart -e, showgrid ESTSTARTTIME, what mshow -a may be asked for, XML of checkjob,
checknode and showstats, and what msub took from qsub last."""
import json
import subprocess
import xml.etree.ElementTree as ET

import pytest

from commands_test import tasks
from when_test import planned  # noqa: F401


def seconds_to(text):
    """{label: seconds from now} of the lines of showstart."""
    def seconds(clock):
        hours, minutes, rest = map(int, clock.split(":"))
        return (60 * hours + minutes) * 60 + rest

    return {line.split(" in ")[0]: seconds(line.split(" in ")[1].split(" on ")[0])
            for line in text.splitlines() if " on " in line}


def test_showstart_estimates_by_several_methods(planned):  # noqa: F811
    """Job 1 has 3 of 8 processors for 300 s; jobs 2 (6 for 100 s) and 3 (8 for 2 h) wait."""
    lines = planned.ok("showstart", "-e", "all", "3").splitlines()
    assert lines[0] == "job 3 requires 8 procs for 2:00:00"
    assert [line.split(" in ")[0] for line in lines if "start in" in line] == [
        "Estimated Rsv based start", "Estimated Priority based start"]
    assert "Estimated Historical based start is not known" in lines
    assert lines[-1] == "Best Partition: DEFAULT"
    summary, first = planned.lines("showq")[0]["summary"], planned.job("1")
    work = 3 * (first["end_at"] - summary["at"]) + 6 * 100
    prio = seconds_to(planned.ok("showstart", "-e", "prio", "3"))
    assert abs(prio["Estimated Priority based start"] - work / 8) <= 2
    rsv = seconds_to(planned.ok("showstart", "-e", "rsv", "3"))
    plain = seconds_to(planned.ok("showstart", "3"))
    assert list(rsv) == ["Estimated Rsv based start", "Estimated Rsv based completion"]
    assert abs(rsv["Estimated Rsv based start"] - plain["Earliest start"]) <= 2
    done = planned.run("showstart", "-e", "guess", "3")
    assert done.returncode == 1 and "'guess' is not one of all, rsv, prio, hist" in done.stderr


def test_history_is_the_average_wait_of_ended_jobs(live):
    live.ok("sethold", "-b", live.submit("exit 0", hold=True))
    live.ok("releasehold", "-a", "1")
    live.wait(lambda: live.api("/v1/statistics")[1]["completed_jobs"] == 1, "the end")
    wait = live.api("/v1/statistics")[1]["total"]["queue_s"]
    estimate = seconds_to(live.ok("showstart", "-e", "hist", "2@5:00"))
    assert estimate["Estimated Historical based start"] == wait


def test_a_grid_of_estimated_starts(planned):  # noqa: F811
    answer = json.loads(planned.ok("showgrid", "eststarttime", "--format", "json"))
    rows = dict(zip(answer["procs"], answer["start_at"]))
    assert rows[16] == [None] * len(answer["times_s"])  # of eight processors
    assert abs(rows[1][0] - answer["at"]) <= 2 and rows[8][0] > answer["at"] + 200
    lines = planned.ok("showgrid", "ESTSTARTTIME").splitlines()
    assert "Estimated Start Time (hours from now)" in lines
    one = next(line for line in lines if line.startswith("[    1  ]"))
    assert one.startswith("[    1  ][      0.00  ]")
    many = next(line for line in lines if line.startswith("[   16  ]"))
    assert set(many[9:]) == set("[-]")
    assert "ESTSTARTTIME" in planned.run("showgrid", "--help").stdout


def windows(daemon, wish, *flags):
    answer = json.loads(daemon.ok("mshow", "-a", "-w", wish, *flags, "--format", "json"))
    return [w for p in answer["partitions"] for w in p["windows"]], answer["at"]


def test_mshow_a_may_be_asked_for_more(planned):  # noqa: F811
    all_, at = windows(planned, "minprocs=1", "--flags", "future")
    assert len(all_) == 3
    assert len(windows(planned, "count=2", "--flags", "future")[0]) == 2
    assert [w["procs"] for w in windows(planned, "mintasks=3@PROCS:2", "--flags", "future")[0]
            ] == [8]
    later, _ = windows(planned, "offset=10:00:00")
    assert [w["procs"] for w in later] == [8] and abs(later[0]["start_at"] - at - 36000) <= 2
    exact, _ = windows(planned, f"starttime={at + 36000}")
    assert [(w["procs"], w["start_at"]) for w in exact] == [(8, at + 36000)]
    node = planned.api("/v1/nodes")[1][0]
    here, _ = windows(planned, f"os={node['os']},arch={node['arch']}", "--flags", "future")
    assert [w["procs"] for w in here] == [w["procs"] for w in all_]


@pytest.mark.parametrize("wish,says", [
    ("os=plan9", "no node has operating system 'plan9'"),
    ("arch=vax", "no node has architecture 'vax'"),
    ("count=0", "-w count: '0' is not within 1 to"),
    ("mintasks=2@MEM:1", "-w mintasks: '2@MEM:1' is not N@PROCS:P"),
    ("starttime=soon", "-w starttime:"), ("policylevel=SOFT", "is neither HARD nor OFF"),
    ("colour=red", "'colour' cannot be asked for"), ("offset=soon", "-w offset:"),
    ("mintask=2", "did you mean mintasks"), ("minprocs", "is not ATTR=VALUE")])
def test_mshow_a_says_what_is_wrong(live, wish, says):
    done = live.run("mshow", "-a", "-w", wish)
    assert done.returncode == 1 and says in done.stderr


def test_a_job_a_node_and_statistics_are_told_as_xml(live):
    job = live.submit(requests=tasks(3), account="chem")
    live.wait(lambda: live.state(job) == "Running", "the start")
    data = ET.fromstring(live.ok("checkjob", "--format", "xml", job))
    assert [(e.tag, e.attrib["JobID"], e.attrib["ReqProcs"]) for e in data] == [
        ("job", job, "3")]
    node = ET.fromstring(live.ok("checknode", "node01", "--format", "xml")).find("node").attrib
    assert (node["NodeID"], node["NodeState"], node["RCProc"], node["RDProc"],
            node["JobList"]) == ("node01", "Busy", "2", "2", job)
    refused = live.run("checknode", "DEFAULT", "--format", "xml")
    assert refused.returncode == 1 and "text or json" in refused.stderr
    sched = ET.fromstring(live.ok("showstats", "--format", "xml")).find("sched").attrib
    assert (sched["upProcs"], sched["allocProcs"], sched["ActiveJobs"]) == ("8", "3", "1")
    accounts = ET.fromstring(live.ok("showstats", "-a", "--format", "xml"))
    assert {a.attrib["ID"]: a.attrib["ActiveProcs"] for a in accounts} == {"chem": "3"}
    for words in (["-n"], ["-j"], ["-f", "JOBCOUNT"], ["-u", "-t", "-1:00:00"]):
        assert "xml is of" in live.run("showstats", *words, "--format", "xml").stderr


def script(daemon, text):
    path = f"{daemon.home}/job.sh"
    with open(path, "w") as f:
        f.write(f"#!/bin/sh\n{text}\n")
    return path


def test_msub_k_waits_and_ends_as_the_job_did(live):
    done = live.run("msub", "-K", "-l", "walltime=5:00", script(live, "exit 7"))
    assert done.returncode == 7 and done.stdout.strip() == "1"
    assert live.run("msub", "-K", "-z", "--", "/bin/true").returncode == 0
    assert live.run("msub", "-K", "-t", "1-3", script(live, "exit 0")).returncode == 0


def test_msub_k_of_a_job_that_is_cancelled(live):
    waiting = subprocess.Popen([live.program, "msub", "-K", "-h", script(live, "exit 0")],
                               cwd=live.home, env=live.env, stdout=subprocess.PIPE, text=True)
    job = waiting.stdout.readline().strip()
    live.ok("canceljob", job)
    assert waiting.wait(30) == 1


def test_letters_of_qsub_are_taken_or_refused_with_the_reason(live):
    done = live.run("msub", script(live, "#PBS -k oe -c n -E\nexit 0"))
    assert done.returncode == 0 and done.stderr == "-c has no effect here\n"
    for words, says in ((["-I"], "-I: a job has no terminal here"),
                        (["-u", "bob"], "-u: a job is its submitter's")):
        done = live.run("msub", *words, script(live, "exit 0"))
        assert done.returncode == 1 and says in done.stderr
    done = live.run("msub", script(live, "#PBS -u bob\nexit 0"))
    assert done.returncode == 1 and "submitter's" in done.stderr
