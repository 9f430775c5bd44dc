# SPDX-License-Identifier: Apache-2.0
"""Layouts against what the original printed: headings byte for byte, rows by the columns
in which their fields end."""
import re

import pytest

from live_daemon import ME

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


def assert_same_columns(mine, theirs):
    """A name of more than eight letters moves what follows by those it has too many."""
    ours, original_ends = ends(mine), ends(theirs)
    moved = ours[0] - original_ends[0]
    assert 0 <= moved <= max(0, len(ME) - 8)
    assert [end - moved for end in ours] == original_ends


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
        assert_same_columns(lines[mine + skip], theirs[at + skip])


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


# Of the original's list what has no effect here or another form (SRCFG[x], QOSCFG[x] ...).
NOT_LISTED = set("""USELOCALMACHINEPRIORITY JOBMAXSTARTTIME METAMAXTASKS BACKFILLPROCFACTOR
    TASKDISTRIBUTIONPOLICY ATTRWEIGHT ATTRATTRWEIGHT ATTRSTATEWEIGHT SRTASKCOUNT SRTPN SRRESOURCES
    SRDEPTH SRSTARTTIME SRENDTIME SRWSTARTTIME SRWENDTIME SRDAYS SRHOSTLIST SRCHARGEACCOUNT SRCFG
    RMAUTHTYPE CLASSCFG QOSPRIORITY QOSQTWEIGHT QOSXFWEIGHT QOSTARGETXF QOSTARGETQT QOSFLAGS
    SERVERNAME SERVERHOMEDIR LOCKFILE SERVERCONFIGFILE CHECKPOINTFILE CHECKPOINTINTERVAL
    CHECKPOINTEXPIRATIONTIME TRAPJOB TRAPNODE TRAPFUNCTION ALLOCLOCALITYPOLICY SIMTIMEPOLICY
    NODEPOLLFREQUENCY DISPLAYFLAGS DEFAULTDOMAIN JOBPURGETIME NODEPURGETIME SCHEDCFG RMCFG
    SIMCOMRATE SIMCOMTYPE COMINTRAFRAMECOST COMINTERFRAMECOST""".split())
OUR_NAMES = {"RESDEPTH": "RESERVATIONDEPTH", "CONSUMEDWEIGHT": "USAGECONSUMEDWEIGHT",
             "REMAININGWEIGHT": "USAGEREMAININGWEIGHT", "PERCENTWEIGHT": "USAGEPERCENTWEIGHT"}


def test_showconfig_shows_what_is_in_force_of_what_the_original_lists(shared, daemon):
    daemon.configure("BACKFILLPOLICY BESTFIT\nXFACTORWEIGHT[1] 3\n", plain=True)
    daemon.start()

    def shown():
        rows = [line.split(maxsplit=1) for line in daemon.ok("showconfig").splitlines()
                if line and line[0] != "#"]
        return {row[0]: row[1] if len(row) > 1 else "" for row in rows}

    theirs = [line.split()[0].split("[")[0] for line in original(
        shared, "09-showconfig", "showconfig") if line[:1].isupper()]
    wanted = dict.fromkeys(OUR_NAMES.get(n, n) for n in theirs if n not in NOT_LISTED)
    mine = shown()
    plain = {name.split("[")[0] for name in mine}
    assert len(wanted) > 100 and not set(wanted) - plain, "what the original lists is here"
    theirs = {line.split(maxsplit=1)[0] for line in original(
        shared, "09-showconfig", "showconfig") if line[:1].isupper()}
    indexed = {name for name in wanted if f"{name}[0]" in theirs}
    assert len(indexed) > 50 and not {f"{name}[0]" for name in indexed} - set(mine)
    assert mine["XFACTORWEIGHT[1]"] == "3" and "XFACTORWEIGHT[0]" in mine
    assert mine["BACKFILLPOLICY[0]"] == "BESTFIT" and mine["RESERVATIONDEPTH[0]"] == "1"
    assert mine["DEFERTIME"] == "01:00:00" and mine["FEATURENODETYPEHEADER"] == ""
    daemon.ok("changeparam", "DEFERTIME", "0:30:00")
    daemon.ok("changeparam", "USERCFG[ann]", "MAXJOB=4")
    mine = shown()
    assert mine["DEFERTIME"] == "0:30:00" and mine["USERCFG[ann].MAXJOB"] == "4"
    everything = daemon.ok("showconfig", "-v")
    assert "JOBPURGETIME " in everything and "JOBPURGETIME" not in mine
