# SPDX-License-Identifier: Apache-2.0
"""showstats, mstat and showgrid: as the original prints them, for whom they are."""
import json
import re

import pytest

from commands_test import tasks
from layouts_test import assert_same_columns, ends, original
from live_daemon import ME
from live_users import Other

CONFIG = (f"USERCFG[{ME}] FSTARGET=20\nFSPOLICY DEDICATEDPS\nACCOUNTCFG[proj] PRIORITY=1\n"
          "QOSCFG[gold] PRIORITY=1\n")
GRIDS = ["AVGXFACTOR", "MAXXFACTOR", "AVGQTIME", "AVGBYPASS", "MAXBYPASS", "JOBCOUNT",
         "PHREQUEST", "PHRUN", "WCACCURACY", "BFCOUNT", "BFPHRUN", "JOBEFFICIENCY",
         "QOSDELIVERED"]


@pytest.fixture
def used(daemon):
    """Two jobs have ended, one of them failed at once; a third runs on six processors."""
    daemon.configure(CONFIG)
    daemon.start()
    daemon.submit("sleep 1", account="proj", requests=tasks(2), wclimit_s=10)
    daemon.submit("exit 0", wclimit_s=100)
    daemon.wait(lambda: len(daemon.lines("showq")) == 1, "the end of both")
    daemon.submit(requests=tasks(6))
    daemon.wait(lambda: daemon.state("3") == "Running", "the start")
    return daemon


def label(line):
    return re.split(r"  +|:", line)[0]


@pytest.mark.parametrize("name,words", [
    ("showstats", []), ("mstat", ["-s"]), ("showstats", ["-v"])])
def test_figures_of_the_scheduler_are_those_of_the_original(shared, used, name, words):
    command = " ".join(["showstats", *words])
    theirs = [l for l in original(shared, "07-showstats", command)
              if not l.startswith("Min System")]
    mine = used.ok(name, *words).splitlines()
    assert [label(l) for l in mine] == [label(l) for l in theirs[:len(mine)]]
    for ours, line in zip(mine, theirs):
        if re.match(r"(Eligible|Successful|Avg/Max|Dedicated|Current|Est)", ours):
            assert ours.index("/", 31) == line.index("/", 31)
            assert ("(" in ours[41:]) == ("(" in line[41:])
        elif re.match(r"(Active Jobs|Avg WallClock|Avg Job|Preempt Jobs)", ours):
            assert len(ours) == len(line)
    assert "Successful/Completed Jobs:             2/2         (100.000%)" in mine


def test_nothing_is_made_up_before_a_job_has_ended(live):
    text = live.ok("showstats")
    assert "Avg WallClock Accuracy:            <N/A>\n" in text
    assert "Avg Job Proc Efficiency:           <N/A>\n" in text
    assert "nan" not in text and "inf" not in text
    assert live.ok("showstats", "-u").count("\n") == 4


def test_the_least_use_is_told_once_a_job_waited(shared, used):
    theirs = next(l for l in original(shared, "07-showstats", "showstats -v")
                  if l.startswith("Min System"))
    assert "Min System" not in used.ok("showstats", "-v")
    used.submit(requests=tasks(8))
    used.wait(lambda: "Min System" in used.ok("showstats", "-v"), "the plan")
    mine = next(l for l in used.ok("showstats", "-v").splitlines()
                if l.startswith("Min System"))
    assert mine.startswith("Min System Utilization:          75.000% (on iteration ")
    assert mine.index("% (on iteration ") == theirs.index("% (on iteration ")


def test_tables_of_credentials_have_the_headings_of_the_original(shared, used):
    for letter in "ugaqc":
        theirs = original(shared, "07-showstats", f"showstats -{letter}")
        mine = used.ok("showstats", f"-{letter}").splitlines()
        assert mine[0].startswith("statistics initialized ")
        assert [l.rstrip() for l in mine[1:4]] == theirs[1:4]


def test_a_row_tells_what_a_user_asked_for_and_got(shared, used):
    theirs = original(shared, "07-showstats", "showstats -u")
    lines = used.ok("showstats", "-u").splitlines()
    assert len(lines) == 5
    assert_same_columns(lines[4], theirs[4])
    row = lines[4].split()
    assert row[:3] == [ME, "1", "6"] and row[4:6] == ["2", "100.00"]
    assert row[7] == "100.00" and row[10] == "20.00"
    account = used.ok("showstats", "-a").splitlines()[4].split()
    assert account[0] == "proj" and account[4:6] == ["1", "50.00"] and account[10] == "-----"
    assert used.ok("showstats", "-u", ME).splitlines()[4].split()[0] == ME
    assert used.ok("showstats", "-q").count("\n") == 4
    assert "gold " in used.ok("showstats", "-q", "-v")
    records = used.lines("showstats", "-u")
    assert [r["name"] for r in records] == [ME] and records[0]["jobs"] == 2
    assert json.loads(used.ok("showstats", "--format", "json"))["completed_jobs"] == 2


def theirs_of(shared, kind):
    """What the original prints; of three kinds there is no example, only the words."""
    words = {"PHREQUEST": ["ProcHour Request (percent of total)", "Total PH Requested:"],
             "PHRUN": ["ProcHour Run (percent of total)", "Total PH Run:"],
             "BFPHRUN": ["BackFill (percent of prochours delivered)",
                         "PS Weighted BackFill PS Percent:"]}
    known = "JOBCOUNT" if kind in words else kind
    lines = original(shared, "10-showgrid", f"showgrid {known}")
    while not lines[-1]:
        lines.pop()
    if kind in words:
        lines[4], lines[18] = words[kind]
    return lines


def test_grids_are_drawn_as_the_original_draws_them(shared, used):
    for kind in GRIDS:
        theirs = theirs_of(shared, kind)
        mine = [l.rstrip() for l in used.ok("showgrid", kind).splitlines()]
        assert mine[2].startswith("statistics since ")
        assert mine[4:7] == theirs[4:7]
        assert [l[:9] for l in mine[7:18]] == [l[:9] for l in theirs[7:18]]
        assert [len(l) for l in mine[7:18]] == [len(l) for l in theirs[7:18]]
        assert [label(l) for l in mine[18:]] == [label(l) for l in theirs[18:]]
        assert mine[-1] == "Total Samples:                    2"


def test_nodes_are_told_by_memory(shared, used):
    theirs = original(shared, "07-showstats", "showstats -n")
    mine = [l.rstrip() for l in used.ok("showstats", "-n").splitlines()]
    memory = used.api("/v1/nodes/node01")[1]["configured"]["mem_mb"]
    assert mine[:5] == theirs[:5]
    assert ends("x" + mine[5]) == ends("x" + theirs[5])
    assert mine[5].split()[:3] == [str(memory), "8", "100.00"]
    assert mine[6].startswith("   TOTAL ") and mine[7:11] == theirs[8:12]
    assert mine[11] == f"{memory:4}MB Nodes"
    heading = theirs.index("            NodeName Available      Busy NodeState")
    assert mine[12] == theirs[heading]
    assert ends("x" + mine[13]) == ends("x" + theirs[heading + 1])
    assert [l.split()[0] for l in mine[13:17]] == ["node01", "node02", "node03", "node04"]
    total = next(l for l in theirs if l.startswith("System Summary"))
    assert re.sub(r" *[\d.]+", " 0", mine[19]) == re.sub(r" *[\d.]+", " 0", total)
    assert len(mine[19]) == len(total)
    assert re.fullmatch(r"Summary:    4 \d+MB Nodes  .*", mine[17])
    short = used.ok("showstats", "-n", "-S")
    assert "node01" not in short and "\nSummary:    4 " in short
    assert [n["name"] for n in used.lines("showstats", "-n")] == [
        "node01", "node02", "node03", "node04"]


def test_a_cell_tells_its_value_and_of_how_many_jobs(used):
    rows = used.ok("showgrid", "jobcount").splitlines()
    assert rows[7].startswith("[    1  ][         1  ][------------]")
    assert rows[8].startswith("[    2  ][         1  ][------------]")
    assert rows[17].startswith("[ TOTAL ][         2  ][------------]")
    cell = re.search(r"\]\[ *([\d.]+) +1\]", used.ok("showgrid", "WCACCURACY").splitlines()[8])
    assert 10 <= float(cell[1]) <= 30
    assert "[ 100.00    1]" in used.ok("showgrid", "QOSDELIVERED")
    assert used.ok("showgrid", "NHRUN").splitlines()[4] == "ProcHour Run (percent of total)"
    assert used.ok("showstats", "-f", "avgqtime") == used.ok("showgrid", "AVGQTIME")
    assert json.loads(used.ok("showgrid", "PHRUN", "--format", "json"))["type"] == "PHRUN"


@pytest.mark.parametrize("words,complaint", [
    (["showgrid"], "showgrid: a type of statistics is needed"),
    (["showgrid", "PHRUN", "PHREQUEST"], "showgrid: one type at a time"),
    (["showgrid", "NONSENSE"], "ERROR:    invalid statistics type requested: expected one"),
    (["showstats", "-u", "-g"], "showstats: -u and -g do not go together"),
    (["showstats", "-u", "no-such"], "ERROR:    there is no user 'no-such'"),
    (["showstats", "ann"], "showstats: 'ann' is not expected here"),
    (["showstats", "-f", "NONSENSE"], "ERROR:    invalid statistics type requested"),
])
def test_what_is_wrong_is_said(live, words, complaint):
    done = live.run(*words)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(complaint)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_statistics_are_for_administrators_of_every_level(daemon, level):
    daemon.configure(f"ADMIN{level} nobody\n" if level else "")
    other = Other(daemon.start())
    for words in (["showstats"], ["mstat", "-u"], ["showgrid", "PHRUN"]):
        if level:
            assert other.run(*words).returncode == 0
            continue
        command = "showstats" if words[0] == "mstat" else words[0]
        assert other.refused(*words) == (
            f"ERROR:    user 'nobody' is not authorized to run command '{command}'\n")
