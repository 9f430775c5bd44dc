# SPDX-License-Identifier: Apache-2.0
"""Layouts against what the original printed: headings byte for byte, rows by the columns
in which their fields end."""
import re

import pytest

CONFIG = ("USERCFG[root] PRIORITY=1 MAXPROC=128\nCLASSCFG[batch] PRIORITY=1\n"
          "FSPOLICY DEDICATEDPS\nRESERVATIONDEPTH 2\n")


@pytest.fixture
def busy(daemon):
    """A running job, one with a reservation, one that is held."""
    daemon.configure(CONFIG)
    daemon.start()
    requests = [[{"tasks": n, "per_task": {"procs": 1}}] for n in (3, 6)]
    jobs = [daemon.submit(requests=r) for r in requests]
    daemon.submit(hold=True)
    daemon.wait(lambda: (daemon.job(jobs[1]) or {}).get("reservation_at"), "the plan")
    return daemon


def original(shared, file, command):
    """The lines that the original printed for a command."""
    text = (shared / "golden" / "original-outputs" / f"{file}.txt").read_text()
    block = re.search(rf"^\$ {re.escape(command)}\n(.*?)(?=^\$ |\Z)", text, re.S | re.M)
    assert block, command
    return [line.rstrip() for line in block.group(1).splitlines()]


def ends(line):
    """Columns in which fields end, the first field apart (it is aligned left)."""
    return [m.end() for m in re.finditer(r"\S+", line)][1:]


# file, command of the original, ours, beginning of a heading; rows to be compared
HEADINGS = [
    ("01-showq", "showq", ["showq"], "ACTIVE JOBS", False),
    ("01-showq", "showq", ["showq"], "IDLE JOBS", False),
    ("01-showq", "showq", ["showq"], "BLOCKED JOBS", False),
    ("01-showq", "showq", ["showq"], "JOBNAME", True),
    ("04-showres", "showres", ["showres"], "ReservationID", True),
    ("04-showres", "showres -n", ["showres", "-n"], "            NodeName", True),
    ("06-showbf", "showbf -S", ["showbf", "-S"], "            HostName", True),
    ("06-showbf", "showbf -S", ["showbf", "-S"], "          ----------", False),
    ("08-diagnose-a", "diagnose -a", ["diagnose", "-a"], "Name", True),
    ("08-diagnose-g", "diagnose -g", ["diagnose", "-g"], "Name", True),
    ("08-diagnose-u", "diagnose -u", ["diagnose", "-u"], "Name", False),
    ("08-diagnose-c", "diagnose -c", ["diagnose", "-c"], "Name", False),
    ("08-diagnose-j", "diagnose -j", ["diagnose", "-j"], "Name", False),
    ("08-diagnose-r", "diagnose -r", ["diagnose", "-r"], "ResID", False),
    ("08-diagnose-r", "diagnose -r", ["diagnose", "-r"], "-----", False),
    ("08-diagnose-t", "diagnose -t", ["diagnose", "-t"], "Partition ", False),
    ("08-diagnose-t", "diagnose -t", ["diagnose", "-t"], "NODE", True),
    ("11-showstate", "showstate", ["showstate"], "    JobName", False),
    ("11-showstate", "showstate", ["showstate"], "Key:", False),
]


@pytest.mark.parametrize("file,command,ours,heading,rows", HEADINGS,
                         ids=[f"{h[1]} {h[3].strip()}" for h in HEADINGS])
def test_headings_and_rows_are_those_of_the_original(shared, busy, file, command, ours,
                                                     heading, rows):
    theirs = original(shared, file, command)
    lines = [line.rstrip() for line in busy.ok(*ours).splitlines()]
    at = next(i for i, l in enumerate(theirs) if l.startswith(heading))
    mine = next(i for i, l in enumerate(lines) if l.startswith(heading))
    assert lines[mine] == theirs[at]
    if rows:
        skip = 1 if theirs[at + 1] else 2
        assert ends(lines[mine + skip]) == ends(theirs[at + skip])


def test_lines_of_checkjob_come_in_the_order_of_the_original(shared, busy):
    def labels(lines):
        return [re.split(r"[:(']", l)[0] for l in lines if l and not l.startswith("[")]

    theirs = labels(original(shared, "02-checkjob", "checkjob 1059"))
    mine = labels(busy.ok("checkjob", "1").splitlines())
    for lines in (theirs, mine):
        lines[0] = lines[0].split(" ")[0]
    assert [l for l in mine if l in theirs] == theirs


def test_lines_of_checknode_come_in_the_order_of_the_original(shared, busy):
    def labels(lines):
        return [l.split(":")[0].split(" '")[0] for l in lines if l]

    theirs = labels(original(shared, "03-checknode", "checknode node10"))
    theirs = [l for l in theirs if not l.startswith(("  User", "    Blocked",
                                                     "checking"))]
    mine = [l for l in labels(busy.ok("checknode", "node01").splitlines())
            if not l.startswith("checking")]
    assert mine == theirs
