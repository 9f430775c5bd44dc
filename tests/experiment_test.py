# SPDX-License-Identifier: Apache-2.0
"""What the parameters SIM... make of a trace in maui sim. That a simulation which is
served does the same: live/simulation_test.py."""
import json

import pytest

from attributes_test import record

pytestmark = pytest.mark.anybody

NODES = "".join(
    f"COMPUTENODE AVAILABLE 0 n{n} base 9000 {mem} 50000 2 1 {slot} 1 linux x86 {features}"
    f" [NONE] [eth] {speed} [NONE] [NONE] [NONE]\n"
    for n, mem, slot, features, speed in (
        (1, 4096, 1, "[fast]", 2.0), (2, 8192, 4, "[NONE]", 1.0),
        (3, 4096, 2, "[NONE]", 1.0), (4, 4096, 5, "[NONE]", 1.0)))


def swf(*jobs):
    """(id, submit, run, processors, limit), ..."""
    return "".join(f"{n} {submit} 0 {run} {procs} -1 -1 {procs} {limit} -1 1 1 1 1 1 -1 -1 -1\n"
                   for n, submit, run, procs, limit in jobs)


@pytest.fixture
def simulate(maui, tmp_path):
    """{job: (submit, start, end, processors)} of a trace under a configuration."""
    def run(trace, config="", *options, nodes="4"):
        (tmp_path / "trace").write_text(trace)
        (tmp_path / "maui.cfg").write_text(config)
        (tmp_path / "nodes").write_text("VERSION 230\n" + NODES)
        machine = ["--nodes", nodes] if nodes else ["--resources", tmp_path / "nodes"]
        maui("sim", "--trace", tmp_path / "trace", "-c", tmp_path / "maui.cfg", *machine,
             "--jobs-out", tmp_path / "jobs", "--events-out", tmp_path / "events",
             "--stats-json", tmp_path / "figures", *options)
        rows = [line.split("\t") for line in (tmp_path / "jobs").read_text().splitlines()[1:]]
        return {row[0]: tuple(map(int, row[1:5])) for row in rows}

    run.folder = tmp_path
    return run


def where(simulate, job):
    """The nodes a job started on."""
    for line in (simulate.folder / "events").read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "start" and event["job"] == job:
            return [f"n{int(a['node'][1:]) + i}" for a in event["nodes"]
                    for i in range(a["count"])]
    return None


FIVE = swf(*((n, 1000 * n, 100, 4, 200) for n in range(1, 6)))


def test_jobs_come_at_their_times_unless_a_constant_queue_is_wanted(simulate):
    assert [j[0] for j in simulate(FIVE).values()] == [1000, 2000, 3000, 4000, 5000]
    jobs = simulate(FIVE, "SIMJOBSUBMISSIONPOLICY CONSTANTJOBDEPTH\nSIMINITIALQUEUEDEPTH 2\n")
    assert [j[:2] for j in jobs.values()] == [
        (1000, 1000), (1000, 1100), (1000, 1200), (1100, 1300), (1200, 1400)]
    jobs = simulate(FIVE, "SIMJOBSUBMISSIONPOLICY CONSTANTPSDEPTH\nSIMINITIALQUEUEDEPTH 2\n")
    assert [j[0] for j in jobs.values()] == [1000, 1000, 1000, 1100, 1200]
    figures = json.loads((simulate.folder / "figures").read_text())
    assert figures["max_wait_s"] == 200 and figures["makespan_s"] == 500


def test_a_queue_of_nothing_is_refused(maui, tmp_path):
    (tmp_path / "maui.cfg").write_text(
        "SIMJOBSUBMISSIONPOLICY CONSTANTJOBDEPTH\nSIMINITIALQUEUEDEPTH 0\n")
    done = maui("sim", "--generate", "5", "-c", tmp_path / "maui.cfg", check=False)
    assert done.returncode == 1
    assert "SIMINITIALQUEUEDEPTH 0: with SIMJOBSUBMISSIONPOLICY CONSTANTJOBDEPTH" in done.stderr


def test_a_later_start_finds_what_came_before_waiting(simulate):
    assert [j[1] for j in simulate(FIVE).values()] == [1000, 2000, 3000, 4000, 5000]
    at = 86400 + 3500  # times that begin at 0 are of the second day
    jobs = simulate(FIVE, f"SIMSTARTTIME {at}\n")
    assert [j[:2] for j in jobs.values()] == [
        (1000, 3500), (2000, 3600), (3000, 3700), (4000, 4000), (5000, 5000)]


def test_nodes_are_counted_off_and_wider_jobs_left_out(maui, simulate):
    trace = swf((1, 0, 10, 3, 10), (2, 0, 10, 2, 10))
    assert set(simulate(trace, "SIMNODECOUNT 2\n")) == {"2"}
    assert set(simulate("; MaxProcs: 4\n" + trace, "SIMNODECOUNT 2\n", nodes="4")) == {"2"}
    (simulate.folder / "trace").write_text("; MaxProcs: 4\n" + trace)
    text = maui("sim", "--trace", simulate.folder / "trace", "-c",
                simulate.folder / "maui.cfg").stdout
    assert "1 wider than the machine" in text and "2 nodes of 1 processor" in text
    assert set(simulate(swf((1, 0, 10, 8, 10), (2, 0, 10, 4, 10)), "SIMNODECOUNT 2\n",
                        nodes=None)) == {"2"}


def test_uniform_nodes_are_those_like_the_first(simulate):
    trace = swf((1, 0, 10, 8, 10), (2, 0, 10, 6, 10))
    assert set(simulate(trace, nodes=None)) == {"1", "2"}
    assert set(simulate(trace, "SIMNODECONFIGURATION UNIFORM\n", nodes=None)) == {"2"}


@pytest.mark.parametrize("flag,asked", [
    ("IGNHOSTLIST", {"hosts": "n2"}), ("IGNFEATURES", {"features": "[fast]"}),
    ("IGNCLASS", {"class": "[other:1]"}), ("IGNALL", {"hosts": "n1", "features": "[fast]"}),
])
def test_what_is_ignored_of_a_trace_binds_no_job(simulate, flag, asked):
    """What the first job fills, the second waits for; unless it may go elsewhere."""
    trace = record("1", submit=0, **asked) + "\n" + record("2", submit=0, **asked) + "\n"
    config = "CLASSCFG[other] MAXJOB=1\nDEFERTIME 0\n"
    jobs = simulate(trace, config, nodes=None)
    assert jobs["1"][1] == 0 and jobs["2"][1] > 0
    jobs = simulate(trace, config + f"SIMFLAGS {flag}\n", nodes=None)
    assert jobs["1"][1] == jobs["2"][1] == 0


def test_places_of_nodes_are_ignored(simulate):
    trace = swf((1, 0, 10, 4, 10))
    config = "NODEALLOCATIONPOLICY CONTIGUOUS\n"
    simulate(trace, config, nodes=None)
    assert where(simulate, "1") == ["n1", "n3"]
    simulate(trace, config + "SIMFLAGS IGNFRAME\n", nodes=None)
    assert where(simulate, "1") == ["n1", "n2"]


def test_flags_are_given_to_every_job_and_taken_away(simulate):
    trace = swf((1, 0, 1000, 4, 1000), (2, 100, 50, 4, 50))
    config = "PREEMPTPOLICY REQUEUE\nQUEUETIMEWEIGHT 0\nRESWEIGHT 1\nWALLTIMEWEIGHT -10\n"
    assert simulate(trace, config)["2"][1] == 1000
    config += "ENABLENEGJOBPRIORITY TRUE\nREJECTNEGPRIOJOBS FALSE\n"
    flags = config + "SIMDEFAULTJOBFLAGS PREEMPTEE PREEMPTOR\n"
    assert simulate(trace, flags)["2"][1] == 100
    assert simulate(trace, flags + "SIMIGNOREJOBFLAGS ADVRES\n")["2"][1] == 100
    asks = record("1", submit=10, flags="[ADVRES]") + "\n"
    assert simulate(asks, "DEFERTIME 0\n") == {}
    assert simulate(asks, "SIMIGNOREJOBFLAGS ADVRES\n")["1"][1] == 10


def test_limits_are_moved_towards_the_run_time_or_away(simulate):
    """A job of 100 s that says 300 fits beside a reservation at 250 only when it says
    less."""
    trace = swf((1, 0, 250, 3, 250), (2, 0, 50, 4, 50), (3, 0, 100, 1, 300))
    assert simulate(trace)["3"][1] == 300
    assert simulate(trace, "SIMWCACCURACYCHANGE 0.5\n")["3"][1] == 0
    assert simulate(trace, "SIMWCACCURACYCHANGE 1\n")["3"][1] == 0
    trace = swf((1, 0, 250, 3, 250), (2, 0, 50, 4, 50), (3, 0, 100, 1, 200))
    assert simulate(trace)["3"][1] == 0
    assert simulate(trace, "SIMWCACCURACYCHANGE -1\n")["3"][1] == 300


def test_run_times_go_by_the_speed_of_nodes(simulate):
    trace = swf((1, 0, 100, 2, 300), (2, 1000, 100, 4, 300))
    config = "NODEALLOCATIONPOLICY FIRSTAVAILABLE\n"
    assert [j[2] - j[1] for j in simulate(trace, config, nodes=None).values()] == [100, 100]
    jobs = simulate(trace, config + "SIMSCALEJOBRUNTIME TRUE\n", nodes=None)
    assert [j[2] - j[1] for j in jobs.values()] == [50, 100]


def test_sizes_are_drawn_from_those_of_the_trace(simulate):
    trace = swf(*((n, 1000 * n, 10, 1 + n % 4, 10) for n in range(1, 101)))
    before = {j: row[3] for j, row in simulate(trace).items()}
    drawn = {j: row[3] for j, row in simulate(trace, "SIMRANDOMIZEJOBSIZE TRUE\n").items()}
    again = {j: row[3] for j, row in simulate(trace, "SIMRANDOMIZEJOBSIZE TRUE\n").items()}
    assert drawn == again != before
    assert all(15 < list(drawn.values()).count(size) < 35 for size in (1, 2, 3, 4))
    figures = json.loads((simulate.folder / "figures").read_text())
    assert figures["proc_hours"] == pytest.approx(sum(drawn.values()) * 10 / 3600)
