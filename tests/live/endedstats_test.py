# SPDX-License-Identifier: Apache-2.0
"""showstats of a span of time: from the records of ended jobs."""
import json
import time

import pytest

from live_daemon import Daemon
from live_users import LEVELS, Users, need_users


@pytest.fixture(scope="module")
def past(build):
    """Two jobs of root and one of nobody have ended; statistics were reset since."""
    need_users()
    d = Daemon(build / "src" / "client" / "maui")
    d.configure(LEVELS + "RMPOLLINTERVAL 1\n")
    d.start()
    users = Users(d)
    d.began = int(time.time())
    d.submit("sleep 1", requests=[{"tasks": 2}], wclimit_s=10, account="proj")
    d.submit("exit 0", wclimit_s=100)
    users.submit("nobody", script="#!/bin/sh\nsleep 1\n", wclimit_s=20)
    d.wait(lambda: d.api("/v1/statistics")[1]["completed_jobs"] == 3, "the end of all")
    d.ok("resetstats")
    yield d, users
    d.clean()


def rows(text):
    lines = text.splitlines()
    heading = next(i for i, l in enumerate(lines) if "Active ------" in l) + 2
    return {l.split()[0]: l.split() for l in lines[heading:]}


def test_users_of_an_hour_are_added_up_from_records(past):
    daemon, _ = past
    text = daemon.ok("showstats", "-u", "-t", "-1:00:00", "-T")
    assert text.startswith("statistics of jobs that ended from ")
    found = rows(text)
    assert set(found) == {"root", "nobody", "TOTAL"}
    assert found["root"][4:6] == ["2", "66.67"] and found["nobody"][4:6] == ["1", "33.33"]
    assert found["TOTAL"][4:6] == ["3", "100.00"]
    record = [json.loads(l) for l in daemon.ok(
        "showstats", "-u", "root", "-t", f"{daemon.began}", "--format", "json").splitlines()]
    assert record[0]["name"] == "root" and record[0]["ps_requested"] == 2 * 10 + 100
    assert set(rows(daemon.ok("showstats", "-a", "-t", "-1:00:00"))) == {"proj"}


def test_a_span_has_an_end(past):
    daemon, _ = past
    assert rows(daemon.ok("showstats", "-u", "-t", f"1000,{daemon.began}")) == {}
    later = int(time.time()) + 60
    assert len(rows(daemon.ok("showstats", "-u", "-t", f"{daemon.began},{later}"))) == 2


def test_jobs_are_told_one_by_one(past):
    daemon, _ = past
    found = rows(daemon.ok("showstats", "-j"))
    assert set(found) == {"1", "2", "3"} and found["1"][6] == "0.0"
    assert set(rows(daemon.ok("showstats", "-j", "2"))) == {"2"}


def test_intervals_of_fairshare_are_a_span(past):
    daemon, _ = past
    text = daemon.ok("showstats", "-d", "2")
    assert "Successful/Completed Jobs:             3/3         (100.000%)\n" in text
    whole = json.loads(daemon.ok("showstats", "-d", "2", "--format", "json"))
    assert whole["jobs"] == 3 and whole["ps_requested"] == 2 * 10 + 100 + 20


def test_spans_are_for_administrators_of_every_level(past):
    _, users = past
    for user in ("bin", "daemon"):
        assert "nobody" in users.ok(user, "showstats", "-u", "-t", "-1:00:00")
    assert "not authorized" in users.refused("nobody", "showstats", "-u", "-t", "-1:00:00")
    assert "not authorized" in users.refused("nobody", "showstats", "-j")


@pytest.mark.parametrize("words,complaint", [
    (["-t", "soon"], "showstats: -t: "),
    (["-t", "2000,1000"], "ends before it begins"),
    (["-t", "-x"], "showstats: -t: 'x' is not a duration"),
    (["-d", "0"], "is not a number of intervals"),
    (["-d", "1", "-t", "1000"], "-t and -d do not go together"),
    (["-n", "-t", "1000"], "-t and -d do not go with -n"),
    (["-j", "-u"], "-u and -j do not go together"),
    (["-t", "1000", "x"], "'x' is not expected here"),
])
def test_it_is_told_what_is_wrong(past, words, complaint):
    done = past[0].run("showstats", *words)
    assert done.returncode == 1 and done.stdout == ""
    assert complaint in done.stderr, done
