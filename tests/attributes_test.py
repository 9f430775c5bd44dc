# SPDX-License-Identifier: Apache-2.0
"""Everything a job of a Maui workload trace may ask for, on nodes of a resource trace:
it runs where it may, and what is written is the same workload again."""
import json

import pytest

pytestmark = pytest.mark.anybody

NONE = "[NONE]"


def record(job, **changed):
    """The 44 fields of a workload record: two tasks of a processor for an hour."""
    fields = {
        "id": job, "nodes": 0, "tasks": 2, "user": "ann", "group": "bio", "limit": 7200,
        "state": "Completed", "class": NONE, "submit": 1000, "dispatch": 1000, "start": 1000,
        "end": 4600, "network": NONE, "arch": NONE, "os": NONE, "mem_op": ">=", "mem": 0,
        "disk_op": ">=", "disk": 0, "features": NONE, "queued": 1000, "allocated": 2,
        "tpn": -1, "qos": NONE, "flags": NONE, "account": NONE, "command": "go.sh",
        "extension": NONE, "bypass": -1, "ps": 0, "partition": "DEFAULT", "procs": 1,
        "dmem": 0, "ddisk": 0, "dswap": 0, "release": 0, "deadline": 0, "where": NONE,
        "rm": "base", "hosts": NONE, "reservation": NONE, "nodeset": NONE, "app": NONE,
        "reserved": NONE}
    assert len(fields) == 44 and not set(changed) - set(fields)
    return " ".join(str(value) for value in (fields | changed).values())


NODES = "\n".join((
    "VERSION 230",
    "COMPUTENODE AVAILABLE 0 a1 base 9000 8192 50000 4 1 1 1 linux x86 [fast][red] [batch:4]"
    " [eth] 1.0 [NONE] [NONE] [NONE]",
    "COMPUTENODE AVAILABLE 0 a2 base 9000 2048 50000 4 1 2 1 linux x86 [slow][red] [short:4]"
    " [ib] 2.0 [NONE] [NONE] [NONE]",
    "COMPUTENODE AVAILABLE 0 a3 base 9000 2048 90000 4 1 3 1 aix power [slow][blue]"
    " [batch:4][short:1] [eth] 1.0 [NONE] [NONE] [NONE]",
    "COMPUTENODE DEFINED 0 a4 base 9000 16384 50000 4 1 4 1 linux x86 [fast] [batch:4] [eth]"
    " 1.0 [NONE] [NONE] [NONE]",
    "COMPUTENODE AVAILABLE 0 a5 base 9000 2048 50000 4 1 5 1 linux x86 [gold] [batch:4] [eth]"
    " 1.0 [NONE] [NONE] [NONE]",
    ""))

CONFIG = """
QUEUETIMEWEIGHT 1
CREDWEIGHT 1
QOSWEIGHT 1
QOSCFG[hi] PRIORITY=1000
USERCFG[DEFAULT] QLIST=hi
SRCFG[gold] HOSTLIST=a5 PERIOD=INFINITY ACCOUNTLIST=gold
DEFERTIME 0
USEMACHINESPEED TRUE
NODEACCESSPOLICY SHARED
"""

# what it asks for, and the nodes it may get on an empty machine
CASES = {
    "feature": ({"features": "[fast]"}, {"a1"}),
    "features": ({"features": "[slow][red]"}, {"a2"}),
    "memory": ({"mem": "4G"}, {"a1"}),
    "memory-less": ({"mem": 4096, "mem_op": "<"}, {"a2", "a3"}),
    "disk": ({"disk": 60000}, {"a3"}),
    "os": ({"os": "aix"}, {"a3"}),
    "arch": ({"arch": "power"}, {"a3"}),
    "network": ({"network": "ib"}, {"a2"}),
    "class": ({"class": "[short:1]"}, {"a2", "a3"}),
    "dedicated": ({"dmem": "3000M"}, {"a1"}),
    "hosts": ({"hosts": "a2"}, {"a2"}),
    "tpn": ({"tasks": 4, "allocated": 4, "tpn": 4, "features": "[red]"}, {"a1", "a2"}),
    "nodes": ({"nodes": 2, "features": "[slow]"}, {"a2", "a3"}),
    "reservation": ({"reservation": "gold", "account": "gold"}, {"a5"}),
    "nodeset": ({"tasks": 8, "allocated": 8, "nodeset": "ONEOF:FEATURE:blue:red"}, {"a1", "a2"}),
}


@pytest.fixture
def replay(maui, tmp_path):
    """Starts by job id, and all lines of --events-out and --jobs-out."""
    (tmp_path / "nodes").write_text(NODES)
    (tmp_path / "maui.cfg").write_text(CONFIG)

    def run(trace, *options):
        maui("sim", "--trace", trace, "--resources", tmp_path / "nodes",
             "-c", tmp_path / "maui.cfg", "--events-out", tmp_path / "events",
             "--jobs-out", tmp_path / "jobs", *options)
        events = (tmp_path / "events").read_text().splitlines()
        starts = {event["job"]: event for event in map(json.loads, events)
                  if event["event"] == "start"}
        return starts, events + (tmp_path / "jobs").read_text().splitlines()

    return run


def nodes_of(event):
    return {f"a{int(run['node'][1:]) + i}" for run in event["nodes"] for i in range(run["count"])}


@pytest.mark.parametrize("name", CASES)
def test_a_job_runs_where_its_record_lets_it(replay, tmp_path, name):
    changed, allowed = CASES[name]
    (tmp_path / "trace").write_text("VERSION 230\n" + record("j1", **changed) + "\n")
    starts, _ = replay(tmp_path / "trace")
    assert "j1" in starts
    used = nodes_of(starts["j1"])
    assert used <= allowed
    if name == "nodeset":
        assert used == allowed


def test_a_fast_node_does_the_work_in_less_time(replay, tmp_path):
    (tmp_path / "trace").write_text(record("j1", hosts="a2") + "\n" + record("j2", hosts="a1") + "\n")
    replay(tmp_path / "trace")
    ends = {line.split("\t")[0]: line.split("\t")[3]
            for line in (tmp_path / "jobs").read_text().splitlines()[1:]}
    assert ends == {"j1": str(1000 + 1800), "j2": str(1000 + 3600)}


def test_qos_and_start_date_say_when(replay, tmp_path):
    whole = {"tasks": 10, "allocated": 10, "end": 1600, "limit": 600, "nodes": 0}
    (tmp_path / "trace").write_text("\n".join((
        record("j1", **whole), record("j2", **whole),
        record("j3", **whole, qos="hi:hi"), record("j4", release=9000, end=1600), "")))
    starts, _ = replay(tmp_path / "trace")
    assert starts["j3"]["time"] < starts["j1"]["time"] < starts["j2"]["time"]
    assert starts["j4"]["time"] == 9000


def test_what_is_written_is_the_same_workload(replay, tmp_path):
    lines = [record(f"j{i}", **changed, user=f"u{i % 3}")
             for i, (changed, _) in enumerate(CASES.values())]
    lines += [record(f"k{i}", submit=1000 + 500 * i, queued=1000 + 500 * i, qos="hi:hi",
                     flags="[RESTARTABLE]", release=4000) for i in range(5)]
    (tmp_path / "trace").write_text("VERSION 230\n" + "\n".join(lines) + "\n")
    _, first = replay(tmp_path / "trace", "--trace-out", tmp_path / "again")
    _, second = replay(tmp_path / "again", "--trace-out", tmp_path / "third")
    assert len(first) > len(lines)
    assert first == second
    assert (tmp_path / "again").read_bytes() == (tmp_path / "third").read_bytes()


def test_a_trace_written_at_another_load_keeps_that_load(maui, replay, tmp_path):
    lines = [record(f"k{i}", submit=1000 + 5000 * i, queued=1000 + 5000 * i) for i in range(9)]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    _, first = replay(tmp_path / "trace", "--load", "0.9", "--trace-out", tmp_path / "again")
    _, second = replay(tmp_path / "again")
    assert first == second


def test_a_replay_ends_at_its_last_iteration(maui, tmp_path):
    def cycles(text):
        (tmp_path / "maui.cfg").write_text(text)
        maui("sim", "--generate", 40, "--nodes", "8x2", "-c", tmp_path / "maui.cfg",
             "--stats-json", tmp_path / "stats.json")
        return json.loads((tmp_path / "stats.json").read_text())

    assert cycles("")["cycles"] > 20
    assert cycles("SIMEXITITERATION 20\n")["cycles"] == 20
