# SPDX-License-Identifier: Apache-2.0
"""profiler: a trace of which the original's own figures are known, and small ones by
hand."""
import gzip
import json
import os
import re

import pytest

pytestmark = pytest.mark.anybody

ENV = dict(os.environ, TZ="UTC", LC_ALL="C")


def record(job="1", user="ann", group="bio", limit=3600, state="Completed", submit=1000,
           start=1600, end=3400, queue=1300, tasks=4, account="proj", qos="[NONE]",
           flags="[NONE]", memory=0, used=0.0, host="n1"):
    return (f"{job} 0 {tasks} {user} {group} {limit} {state} [batch:1] {submit} {start} "
            f"{start} {end} [NONE] [NONE] [NONE] >= {memory}M >= 0 [NONE] {queue} {tasks} 0 "
            f"{qos} {flags} {account} run.sh [NONE] 2 {used} DEFAULT 1 0 0 0 0 0 "
            f"{host}:n9 base [NONE] [NONE] [NONE] [NONE] [NONE]\n")


@pytest.fixture
def trace(tmp_path):
    def write(*records, name="w.trace"):
        path = tmp_path / name
        path.write_text("VERSION 230\n" + "".join(records))
        return path
    return write


@pytest.fixture
def run(maui):
    def call(*args, **options):
        return maui("profiler", *args, env=ENV, **options)
    return call


def totals(run, *args):
    lines = [json.loads(line) for line in
             run(*args, "--format", "json", check=False).stdout.splitlines()]
    return lines[0]


GRIDS = {"JobCount": ["JOBCOUNT"], "QueueTime": ["AVGQTIME"], "WCAccuracy": ["WCACCURACY"],
         "XFactor": ["AVGXFACTOR", "MAXXFACTOR"]}


@pytest.mark.parametrize("report", GRIDS)
def test_grids_of_a_trace_are_those_the_original_kept_while_it_ran(shared, run, report):
    golden = shared / "golden" / "original-outputs"
    text = run("-q", "-t", golden / "16-job-statistics-trace.txt", "-P", report).stdout
    for name in GRIDS[report]:
        theirs = (golden / "10-showgrid.txt").read_text().split(f"$ showgrid {name}\n")[1]
        theirs = "\n".join(theirs.split("\n$ ")[0].rstrip().splitlines()[4:])
        if name == "JOBCOUNT":
            assert theirs in text
            continue
        # the same digits, but for what lies between two of them
        mine = text[text.index(theirs.splitlines()[0]):].splitlines()
        for line, ours in zip(theirs.splitlines(), mine):
            numbers = [[float(n) for n in re.findall(r"\d+\.\d+", l)] for l in (line, ours)]
            assert re.sub(r"[\d.]+", "0", line) == re.sub(r"[\d.]+", "0", ours)
            assert numbers[1] == pytest.approx(numbers[0], abs=0.0101)


def test_users_of_a_trace_have_the_accuracy_that_showstats_told(shared, run):
    golden = shared / "golden" / "original-outputs"
    text = run("-q", "-t", golden / "16-job-statistics-trace.txt").stdout
    users = text.split("User Statistics")[1].split("Group Statistics")[0]
    table = (golden / "07-showstats.txt").read_text().split("$ showstats -u\n")[1]
    for line in table.split("\n\n")[1].splitlines()[2:]:
        name, jobs, asked, accuracy = [line.split()[i] for i in (0, 4, 6, 15)]
        row = next(l for l in users.splitlines() if l.split()[:1] == [name]).split()
        assert row[1] == jobs and float(row[3]) == pytest.approx(float(asked), abs=0.051)
        assert 100 * float(row[10]) == pytest.approx(float(accuracy), abs=0.051)


def test_figures_of_one_job(run, trace):
    """4 processors, 1,800 of 3,600 s, 600 s after submission, 300 s after the policies
    were met."""
    path = trace(record(used=3600.0))
    one = totals(run, "-t", path)
    assert one["jobs"] == 1 and one["procs"] == 4
    assert one["ps_requested"] == 14400 and one["ps_run"] == 7200
    assert one["queue_s"] == 600 and one["accuracy"] == 0.5
    assert one["xfactor"] == pytest.approx((600 + 1800) / 3600)
    assert totals(run, "-q", "-t", path)["xfactor"] == pytest.approx((300 + 1800) / 3600)
    assert totals(run, "-x", "-t", path)["xfactor"] == pytest.approx((600 + 3600) / 3600)
    text = run("-t", path, "-P", "jobefficiency").stdout
    assert "PS Weighted Job Efficiency Percent:  50.0000 (1.00 / 2.00)" in text


def test_filters(run, trace):
    path = trace(record("1"), record("2", user="bob", group="chem", start=2000),
                 record("3", account="other", qos="hi:hi", host="n2"),
                 record("4", state="Removed"), record("5", state="NotRun"))
    for words, jobs in [([], 3), (["-u", "bob"], 1), (["-u", "ann:bob"], 3),
                        (["-g", "chem"], 1), (["-A", "other"], 1), (["-Q", "hi"], 1),
                        (["-H", "n2"], 1), (["-R"], 4), (["-c", "2"], 2),
                        (["-b", "1000000000"], 0), (["-e", "1000000000"], 3)]:
        assert totals(run, "-t", path, *words)["jobs"] == jobs, words
    text = run("-t", path, "-u", "bob").stdout
    assert text.startswith("profiling user 'bob'\n1 job from Thu Jan  1 00:33:20 to ")


def test_starts_from_and_until(run, trace):
    day = 1000000000 - 6400  # 2001-09-09 00:00:00
    path = trace(*[record(str(i), submit=day, start=day + 3600 * i, end=day + 3600 * i + 60)
                   for i in range(1, 5)])
    for words, jobs in [(["-b", "02:00:00_09/09/01"], 3), (["-e", "02:00_09/09/01"], 1),
                        (["-b", "2_09/09/01", "-e", f"{day + 4 * 3600}"], 2)]:
        assert totals(run, "-t", path, *words)["jobs"] == jobs, words


def test_overruns_below_ten_minutes_are_none(run, trace):
    short = trace(record(limit=1500), name="a")
    long = trace(record(limit=900), name="b")
    assert totals(run, "-t", short)["accuracy"] == 1
    assert totals(run, "-t", long)["accuracy"] == 2
    assert totals(run, "-f", "-t", long)["accuracy"] == 1
    assert totals(run, "-T", "600", "-t", short)["run_s"] == 600


def test_bounds_of_the_grid(run, trace):
    path = trace(record(limit=7200))

    def heads(*words):
        lines = run("-t", path, "-P", "JobCount", *words).stdout.splitlines()[4:]
        rows = [l.split("]")[0].strip("[ ") for l in lines[1:lines.index("Total Jobs:        "
                                                                        "               1")]]
        return re.findall(r"\d+:\d\d:\d\d", lines[0]), rows

    times, procs = heads()
    assert times[0] == "0:02:00" and times[-1] == "68:16:00" and len(times) == 12
    assert procs == ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "TOTAL"]
    times, procs = heads("-n", "2", "-N", "16", "-s", "3", "-T", "960")
    assert procs == ["1", "4", "16", "TOTAL"]
    assert times == ["0:02:00", "0:04:00", "0:08:00", "0:16:00"]
    times, procs = heads("-o", "5", "-N", "12", "-S", "1:00:00", "-T", "2:30:00")
    assert procs == ["5", "10", "12", "TOTAL"]
    assert times == ["1:00:00", "2:00:00", "2:30:00"]
    assert "[" not in run("-t", path, "-m", "-P", "JobCount").stdout.split("\n\n")[2]
    by_run = run("-t", path, "-r", "-P", "JobCount").stdout.splitlines()
    assert by_run[7].index(" 1 ", 12) < 12 + 14 * 6


def test_memory_accuracy_and_backfill(run, trace):
    path = trace(record("1", memory=64), record("2", memory=65, flags="[BACKFILL]"),
                 record("3", end=1610))
    memory = run("-t", path, "-P", "MemUsage").stdout
    assert "  64 MB:    1 Jobs (33.33)      4 Procs (33.33)" in memory
    assert " 128 MB:    1 Jobs (33.33)" in memory and "2048 MB:    0 Jobs" in memory
    accuracy = run("-t", path, "-P", "WCAccuracyD", "-a", "2").stdout
    assert "  0.00 -  50.00:    3 Jobs (100.00)" in accuracy
    assert "Job Weighted BackFill Job Percent:  33.3333 (1 / 3)" in run("-t", path).stdout


def test_distributions_go_to_a_file(run, trace, tmp_path):
    path = trace(record("1"), record("2", submit=1000, start=8200, end=11800, tasks=8))
    run("-t", path, "-d", tmp_path / "d", "-p", tmp_path / "p")
    text = (tmp_path / "d").read_text()
    assert [l for l in text.splitlines() if l.endswith("Distribution")] == [
        "Job Size Distribution", "Job Length Distribution", "Job Accuracy Distribution",
        "QueueTime Distribution", "XFactor Distribution", "Time Distribution"]
    assert "Mean: 6.000  Median: 6.000 processors\n" in text
    assert "   90.00-   100.00        1" in text.replace("    90.00", "   90.00")
    hours = text.split("\nTime Distribution\n\n")[1].splitlines()
    # at 0:00 nothing, at 1:00 and 2:00 the second waits, at 3:00 it runs
    assert [line.split()[4:] for line in hours[1:5]] == [
        ["2", "0", "0", "0", "0", "0", "1"], ["0", "1", "28800", "0", "0", "0", "0"],
        ["0", "1", "28800", "0", "0", "0", "0"], ["0", "0", "0", "1", "8", "28800", "1"]]
    assert hours[-1] == "Total Slots: 4  Active: 25.00%  BackLog: 50.00%"
    assert "# AVGQTIME: processors, seconds, value, jobs\n4 3840 0.1667 1\n" in (
        tmp_path / "p").read_text()


def test_records_that_contradict_themselves_are_left_out_or_mended(run, trace):
    path = trace(record("1"), record("2", submit=2000), record("3", end=100), "rubbish\n")
    done = run("-t", path)
    assert "ALERT:    " in done.stderr and "w.trace:3: job '2': it was submitted after" in (
        done.stderr)
    assert "w.trace:5: " in done.stderr
    assert "NOTE:     3 records left out, 0 mended\n" in done.stderr
    assert totals(run, "-t", path)["jobs"] == 1
    assert totals(run, "-f", "-t", path)["jobs"] == 3
    late = trace(record("1", submit=5000000, start=5000000, end=5000100), record("2"))
    assert "job '2' started 1388 hours before the one in front of it" in run("-t", late).stderr


def test_several_and_packed_traces(run, trace, tmp_path):
    first, second = trace(record("1"), name="a"), tmp_path / "b.gz"
    second.write_bytes(gzip.compress(("VERSION 230\n" + record("2")).encode()))
    assert totals(run, "-t", first, second)["jobs"] == 2
    assert totals(run, first, second)["jobs"] == 2
    assert run("-t", trace(name="none")).stdout.startswith("no jobs\n")


@pytest.mark.parametrize("words,complaint", [
    ([], "USAGE ERROR:  (tracefile not specified)\nprofiler: -t TRACEFILE is needed\n"),
    (["-t", "/no/such"], "ERROR:    /no/such: No such file or directory\n"),
    (["-t", "x", "-P", "Foo"], "profiler: -P: 'Foo' is not a profile; expected one of: JobCount, PSReq"),
    (["-t", "x", "-n", "0"], "profiler: -n: '0' is not a number from 1 to 32"),
    (["-t", "x", "-S", "soon"], "profiler: -S: 'soon' is not a duration"),
    (["-t", "x", "-b", "soon"], "profiler: -b: "),
])
def test_what_is_wrong_is_said(run, words, complaint):
    done = run(*words, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(complaint)
