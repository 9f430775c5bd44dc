# SPDX-License-Identifier: Apache-2.0
"""Schedules against independent simulators, start by start.

The reference files give the start time of every job of a public trace under first
come first served, EASY and conservative backfill; ours must be the same to the
second. Where only averages are known (rules and numbers of the scheduling-algorithms
paper: estimates raised to the run time), those must agree to the last printed digit.
"""
import csv
import functools
import gzip
import json
import pathlib
import random

import pytest

pytestmark = pytest.mark.anybody

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"

# trace: (file, processors). Small ones live here, the public logs outside.
TIES = {f"ties16-{n}": (f"ties16-{n}.swf", 16) for n in (1, 2, 3, 4)}
TRACES = TIES | {
    "SDSC-SP2": ("SDSC-SP2-1998-4.2-cln.swf.gz", 128),
    "NASA-iPSC": ("NASA-iPSC-1993-3.1-cln.swf.gz", 128),
    "lublin_256": ("lublin_256.swf.gz", 256),
    "KTH": ("KTH-SP2-1996-2.swf.gz", 100),
}

# policy of the golden files: (configuration, their name of the semantics)
POLICIES = {
    "fcfs": ("fcfs.cfg", "any"),
    "easy": ("easy.cfg", "batch"),
    "cons": ("conservative.cfg", "batch"),
}

GOLDEN = [
    (trace, policy) for trace in TRACES if trace != "KTH" for policy in POLICIES
]


def open_text(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else open(path)


@pytest.fixture
def files(request):
    """(folder of the traces, folder of the golden files) for the case's trace; the
    public logs are skipped, with the reason, where they are not at hand."""
    if request.getfixturevalue("trace") in TIES:
        return HERE / "ties16", HERE / "ties16"
    shared = request.getfixturevalue("shared")
    return shared / "traces", shared / "golden"


def golden_starts(folder, trace, policy):
    path = folder / f"{trace}.{policy}.{POLICIES[policy][1]}.txt"
    if not path.exists():
        path = path.with_name(path.name + ".gz")
    with open_text(path) as lines:
        rows = (line.split() for line in lines if not line.startswith("#"))
        return {row[0]: int(row[1]) for row in rows if row}


def job_starts(path):
    with open(path, newline="") as file:
        return {row["job_id"]: int(row["start"])
                for row in csv.DictReader(file, delimiter="\t")}


@pytest.fixture(scope="module")
def replay(maui, tmp_path_factory):
    """Simulate one trace; (start by job id, statistics). Runs each case once."""

    @functools.cache
    def run(files, trace, config, *options):
        file, procs = TRACES[trace]
        out = tmp_path_factory.mktemp("replay")
        maui("sim", "--trace", files[0] / file, "--nodes", f"{procs}x1",
             "-c", EXAMPLES / config, "--jobs-out", out / "jobs.tsv",
             "--stats-json", out / "stats.json", *options)
        return job_starts(out / "jobs.tsv"), json.loads((out / "stats.json").read_text())

    return run


@pytest.mark.parametrize("trace, policy", GOLDEN)
def test_every_job_starts_when_the_golden_schedule_says(replay, files, trace, policy):
    want = golden_starts(files[1], trace, policy)
    got, _ = replay(files, trace, POLICIES[policy][0])
    assert len(got) == len(want)
    wrong = [(job, want[job], got.get(job)) for job in want if got.get(job) != want[job]]
    wrong.sort(key=lambda item: item[1])
    assert not wrong, f"{len(wrong)} of {len(want)} differ; first (job, want, got): {wrong[:5]}"


def racks(node, nodes):
    return [f"rack{node * 16 // nodes}"], []


def one_each(node, nodes):
    return [f"only{node}"], []


def class_lists(node, nodes):
    """Initiators for the jobs' own classes, q0 to q6, and for some of no job's."""
    rng = random.Random(node)
    own = [f"q{number}:{rng.randint(1, 4)}" for number in range(7)]
    others = [f"{name}:{rng.randint(1, 4)}" for name in "uvwxyz" if rng.random() < 0.5]
    return [], rng.sample(own + others, len(own + others))


def anything(node, nodes):
    rng = random.Random(node)
    return rng.sample(["big", "new", "gpu", "ib"], rng.randint(0, 4)), class_lists(node, nodes)[1]


LABELS = [racks, one_each, class_lists, anything]


def labelled_machine(path, nodes, labels):
    """A resource trace of nodes of one processor that bear labels."""
    with open(path, "w") as out:
        print("VERSION 230", file=out)
        for node in range(nodes):
            features, classes = ("".join(f"[{name}]" for name in names) or "[NONE]"
                                 for names in labels(node, nodes))
            mem = 512 << node * 3 % 4 if labels is anything else 512
            print(f"COMPUTENODE AVAILABLE 0 n{node + 1} base 1024 {mem} 1024 1 1 {node + 1}"
                  f" 1 linux x86 {features} {classes} [eth] 1.0 [NONE] [NONE] [NONE]",
                  file=out)
    return path


def labelled(trace, policy, labels):
    """The longest trace with one kind of labels, the others with each."""
    return pytest.param(trace, policy, labels, marks=[pytest.mark.long(
        "test_labels_that_no_job_asks_for_change_nothing")]
        if trace == "SDSC-SP2" and labels is not anything else [])


@pytest.mark.parametrize("trace, policy, labels", [
    labelled(*case, labels) for case in GOLDEN for labels in LABELS])
def test_labels_that_no_job_asks_for_change_nothing(
        maui, files, tmp_path, trace, policy, labels):
    file, procs = TRACES[trace]
    nodes = labelled_machine(tmp_path / "nodes.trace", procs, labels)
    maui("sim", "--trace", files[0] / file, "--resources", nodes,
         "-c", EXAMPLES / POLICIES[policy][0], "--jobs-out", tmp_path / "jobs.tsv")
    want, got = golden_starts(files[1], trace, policy), job_starts(tmp_path / "jobs.tsv")
    wrong = [(job, want[job], got.get(job)) for job in want if got.get(job) != want[job]]
    assert not wrong, f"{len(wrong)} of {len(want)} differ; first (job, want, got): {wrong[:5]}"


@pytest.mark.parametrize(
    "trace, policy", [case for case in GOLDEN if case[0] not in TIES])
def test_the_averages_agree_with_the_golden_results(replay, files, trace, policy):
    with open(files[1] / "results.tsv", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t")
                if (row["trace"], row["policy"], row["semantics"])
                == (trace, policy, POLICIES[policy][1])]
    assert len(rows) == 1
    want = rows[0]
    _, stats = replay(files, trace, POLICIES[policy][0])
    assert stats["jobs"] == int(want["jobs"])
    assert f"{stats['mean_wait_s']:.2f}" == want["mean_wait_s"]
    assert f"{stats['mean_bsld']:.4f}" == want["mean_bsld_tau10"]
    assert f"{stats['mean_response_s']:.2f}" == want["mean_response_s"]
    assert f"{stats['utilization']:.6f}" == want["utilization"]
    assert stats["makespan_s"] == int(want["makespan_s"])
    assert stats["max_wait_s"] == int(want["max_wait_s"])


def test_the_first_jobs_only_are_simulated_on_request(maui, tmp_path):
    file, procs = TRACES["ties16-1"]
    maui("sim", "--trace", HERE / "ties16" / file, "--nodes", f"{procs}x1", "--jobs", 50,
         "-c", EXAMPLES / "easy.cfg", "--jobs-out", tmp_path / "jobs.tsv")
    starts = job_starts(tmp_path / "jobs.tsv")
    assert list(starts) == [str(n) for n in range(1, 51)]


def order(queue, backfill=None):
    return ("--order", queue) + (("--backfill-order", backfill) if backfill else ())


# trace, configuration, options; bsld, mean wait, p99 wait, max wait, utilisation of
# the submission window. Printed digits of the paper's table of acceptance numbers.
ACCEPTANCE = [
    ("SDSC-SP2", "fcfs.cfg", (), "13993.26", 1551989, 5339567, 5509181, ".7651"),
    ("SDSC-SP2", "easy.cfg", (), "92.63", 21184, 193397, 459636, ".8340"),
    ("SDSC-SP2", "easy.cfg", order("FCFS", "SJF"),
     "88.11", 21721, 237690, 483670, ".8340"),
    ("SDSC-SP2", "easy.cfg", order("SJF"), "54.17", 31378, 415004, 38046539, ".8197"),
    ("SDSC-SP2", "easy.cfg", order("WFP3"), "56.32", 17280, 216021, 707770, ".8341"),
    ("SDSC-SP2", "easy.cfg", order("F1"), "167.95", 102980, 3041637, 32379653, ".7967"),
    ("SDSC-SP2", "easy.cfg", order("SAF"), "118.19", 74416, 340780, 44704955, ".7893"),
    ("KTH", "fcfs.cfg", (), "7510.73", 389901, 956730, 1018341, ".6895"),
    ("KTH", "easy.cfg", (), "90.82", 6855, 77191, 262194, ".6895"),
    ("KTH", "easy.cfg", order("FCFS", "SJF"), "68.06", 5962, 75155, 286718, ".6895"),
    ("KTH", "easy.cfg", order("SAF"), "39.08", 5830, 78625, 4688653, ".6895"),
    ("lublin_256", "fcfs.cfg", (), "66502.48", 2388444, 4711693, 4759976, ".6321"),
    ("lublin_256", "easy.cfg", (), "590.05", 97156, 843667, 1029731, ".9377"),
    ("lublin_256", "easy.cfg", order("SAF"), "23.86", 59039, 1828928, 9382751, ".7500"),
    ("lublin_256", "conservative.cfg", (), "489.20", 131568, 810887, 994667, ".9385"),
]


@pytest.mark.parametrize(
    "trace, config, options, bsld, mean, p99, longest, used", ACCEPTANCE,
    ids=[f"{row[0]}-{row[1][:-4]}-{'-'.join(row[2][1::2]) or 'priority'}"
         for row in ACCEPTANCE])
def test_the_averages_agree_with_the_acceptance_numbers(
        replay, files, trace, config, options, bsld, mean, p99, longest, used):
    _, stats = replay(files, trace, config, "--overrun", "extend", *options)
    got = (f"{stats['mean_bsld']:.2f}", round(stats["mean_wait_s"]),
           round(stats["p99_wait_s"]), stats["max_wait_s"],
           f"{stats['utilization_window']:.4f}".lstrip("0"))
    assert got == (bsld, mean, p99, longest, used)


@pytest.mark.parametrize("trace", ["KTH"])
def test_a_search_for_a_plan_keeps_every_promise_at_half_the_slowdown(replay, files, trace):
    """Bounds of reference plan-search, without a policy of the site; beside EASY."""
    _, plan = replay(files, trace, "promises.cfg", "--overrun", "extend")
    _, easy = replay(files, trace, "easy.cfg", "--overrun", "extend")
    ratio = {key: plan[key] / easy[key]
             for key in ("mean_bsld", "mean_wait_s", "p99_wait_s", "max_wait_s")}
    assert ratio["mean_bsld"] < 0.6 and ratio["mean_wait_s"] < 0.72, ratio
    assert ratio["p99_wait_s"] < 1 and ratio["max_wait_s"] < 1.8, ratio
    assert plan["broken_promises"] == 0 and plan["started"] == easy["started"]
    forecasts = plan["forecasts"]
    assert 0 < forecasts["told"] <= forecasts["started"] and "forecasts" not in easy
    assert 0.7 < forecasts["within"] / forecasts["told"] < 0.95
    assert plan["utilization"] > easy["utilization"] - 0.002
