# SPDX-License-Identifier: Apache-2.0
"""The daemon is killed between a decision and what comes of it: a job that is to make
room for another, and has not left its nodes yet; a start that waits for that. Each run is
charged once, and nothing is of a start that nobody was told of."""
import json
import os
import pathlib

import pytest

from bank_test import account, check, ended
from live_daemon import proc_text

BANK = """AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC FLUSHINTERVAL=1 REFUNDONREQUEUE={}
RMCFG[base] TYPE=LOCAL KILLGRACE={}
PREEMPTPOLICY REQUEUE\nQOSWEIGHT 1\nRMPOLLINTERVAL 1
USERCFG[DEFAULT] QLIST=hi,lo QDEF=lo
QOSCFG[hi] PRIORITY=100 QFLAGS=PREEMPTOR\nQOSCFG[lo] QFLAGS=PREEMPTEE
"""
STUBBORN = "trap '' TERM; while ! test -e {}/go; do sleep 0.2; done"


def charges(daemon, name):
    """What each run of the account has paid."""
    runs = {}
    told = json.loads(daemon.ok("mam-statement", name, "--format", "json"))
    for move in told["moves"]:
        if move.get("run"):
            runs[move["run"]] = runs.get(move["run"], 0) - move["amount"]
    return runs


def of_job(runs, job):
    return [runs[run] for run in sorted(runs) if run.startswith(f"{job}.r")]


def is_quiet(home):
    """Nothing of the killed daemon is left, nor of its jobs."""
    mark = home.encode()
    pids = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]
    return not any(mark in proc_text(pid) for pid in pids)


@pytest.fixture
def displaced(daemon):
    """A job that has run for three seconds at least was told to make room for another."""

    def begin(refund, grace):
        daemon.configure(BANK.format(refund, grace))
        daemon.start()
        for name in ("chem", "bio"):
            daemon.ok("mam-create-account", name)
            daemon.ok("mam-deposit", name, "100000")
        low = daemon.submit(STUBBORN.format(daemon.home), account="chem", wclimit_s=1000,
                            requests=[{"tasks": 8}])
        daemon.wait(lambda: daemon.state(low) == "Running", "the start")
        daemon.wait(lambda: account(daemon)["balance"] <= 100000 - 24, "what it pays on its way")
        high = daemon.submit("true", account="bio", wclimit_s=10, qos="hi",
                             requests=[{"tasks": 8}])
        daemon.wait(lambda: daemon.state(low) == "Idle", "that it is to make room")
        daemon.kill()
        return low, high

    yield begin
    pathlib.Path(f"{daemon.home}/go").touch()


@pytest.mark.parametrize("refund", ["TRUE", "FALSE"])
@pytest.mark.parametrize("grace", [2, 12])
def test_who_was_to_make_room_is_charged_once(daemon, displaced, refund, grace):
    """It has left before the daemon is back (2 s), or leaves after that."""
    low, high = displaced(refund, grace)
    if grace == 2:
        daemon.wait(lambda: is_quiet(daemon.home), "that it leaves")
    daemon.start()
    daemon.wait(lambda: ended(daemon, high), "the other")
    daemon.wait(lambda: daemon.state(low) == "Running", "its next run")
    daemon.ok("mschedctl", "-s")
    first, *more = of_job(charges(daemon, "chem"), low)
    if refund == "TRUE":
        assert first == 0
    else:
        assert 24 <= first <= 8 * (60 + grace)
    assert len(more) <= 1, daemon.ok("mam-statement", "chem") + daemon.log()
    assert len(of_job(charges(daemon, "bio"), high)) == 1
    daemon.ok("mjobctl", "-c", low)
    daemon.wait(lambda: daemon.lines("mam-list-liens") == [], "all liens go")
    check(daemon)
    daemon.stop()
    assert "all the same" in daemon.ok("replay", "--verify", "--home", daemon.home)


def test_a_start_that_waited_for_nodes_is_none(daemon, displaced):
    """Killed again and again before those are free; its job is cancelled then."""
    low, high = displaced("TRUE", 600)
    for _ in range(2):
        daemon.start()
        daemon.wait(lambda: daemon.lines("mam-list-liens"), "what is kept")
        daemon.kill()
    daemon.start("--paused")
    daemon.ok("mjobctl", "-c", high)
    daemon.wait(lambda: {lien["job"] for lien in daemon.lines("mam-list-liens")}.isdisjoint(
        {high}), "its lien goes")
    assert of_job(charges(daemon, "bio"), high) == [], \
        daemon.ok("mam-statement", "bio") + daemon.log()
    assert account(daemon, "bio")["balance"] == 100000
    check(daemon)
    pathlib.Path(f"{daemon.home}/go").touch()
    daemon.wait(lambda: daemon.state(low) == "Idle", "that the other has left")
