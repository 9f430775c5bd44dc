# SPDX-License-Identifier: Apache-2.0
"""Several resource managers while RMCFG changes under the daemon, and while one of them
is away: what was acknowledged, and who is there, stays."""
import os
import re
import signal

import pytest

from driven_clock import DrivenClock
from live_daemon import ME, Daemon
from two_managers import USER, Both


@pytest.fixture
def both(build):
    d = Both(build)
    yield d
    d.clean()


@pytest.fixture
def one(build):
    """One manager, LOCAL, and a job of it that runs."""
    d = Daemon(build / "src" / "client" / "maui")
    d.lines = lambda *lines: d.configure("\n".join([*lines, f"ADMIN1 {ME}", "RMPOLLINTERVAL 2", ""]))
    d.lines("RMCFG[here] TYPE=LOCAL NODES=2x2")
    done = d.run("serve", "-L", "5")
    assert done.returncode == 0, done.stderr
    d.runs = d.submit("sleep 120")
    d.wait(lambda: d.state(d.runs) == "Running", "a job that runs")
    yield d
    d.clean()


def nodes(d):
    found = d.api("/v1/nodes")[1]
    return len(found) if isinstance(found, list) else 1


def test_a_line_that_cannot_be_used_changes_nothing(one):
    """It is said where it stands, the daemon lives, and what is right counts again."""
    pid = one.pid()
    one.lines("", "RMCFG[here] TYPE=LOCAL NODES=3x2", "RMCFG[here] SPOOLDIR=nowhere")
    one.run("schedctl", "-R")
    one.wait(lambda: re.search(r"RMCFG stays as it was: \S*/maui.cfg:3: RMCFG\[here\] SPOOLDIR",
                               one.log()), "what is wrong")
    one.wait(lambda: one.run("showq").returncode == 0, "an answer")
    assert one.pid() == pid and one.state(one.runs) == "Running" and nodes(one) == 2
    ends = one.submit("true")
    one.wait(lambda: one.job(ends) is None, "the end of another job")
    one.lines("RMCFG[here] TYPE=LOCAL NODES=3x2")
    one.ok("schedctl", "-R")
    one.wait(lambda: one.run("showq").returncode == 0 and nodes(one) == 3, "the third node")
    assert one.pid() == pid and one.state(one.runs) == "Running"


def test_another_line_that_cannot_be_used_takes_nobody_along(one):
    pid = one.pid()
    one.lines("RMCFG[here] TYPE=LOCAL NODES=2x2",
              "RMCFG[more] TYPE=LOCAL NODES=1x1 SPOOLDIR=nowhere")
    one.run("schedctl", "-R")
    one.wait(lambda: "maui.cfg:2: RMCFG[more] SPOOLDIR" in one.log(), "what is wrong")
    one.wait(lambda: one.run("showq").returncode == 0, "an answer")
    assert one.pid() == pid and one.state(one.runs) == "Running"
    ends = one.submit("true")
    one.wait(lambda: one.job(ends) is None, "the end of another job")
    one.lines("RMCFG[here] TYPE=LOCAL NODES=2x2", "RMCFG[more] TYPE=LOCAL NODES=1x1")
    one.ok("schedctl", "-R")
    one.wait(lambda: one.run("showq").returncode == 0 and nodes(one) == 3, "its node")
    assert one.state(one.runs) == "Running"


def test_a_line_of_one_that_fails_is_mended(build):
    """It answers, and wrongly: it is not out of reach, and was never heard."""
    d = Both(build)
    try:
        with open(f"{d.home}/key", "w") as f:
            f.write("not the secret\n")
        d.section(order=("far",))
        d.serve()
        d.wait(lambda: "checksum is wrong" in d.log(), "that it fails", 60)
        assert d.run("showq").returncode != 0
        with open(f"{d.home}/right", "w") as f:
            f.write("a secret of the site\n")
        os.chmod(f"{d.home}/right", 0o600)
        d.world.submit("1", USER, seconds=60)
        text = open(f"{d.home}/maui.cfg").read().replace(f"{d.home}/key", f"{d.home}/right")
        d.configure(text)
        d.ok("schedctl", "-R")
        d.wait(lambda: d.state("1") == "Running", "its job", 60)
    finally:
        d.clean()


def test_one_that_fails_is_taken_out(both):
    both.world.submit("1", USER, seconds=120)
    both.begin()
    both.until("far.1", "Running")
    mine = both.submit("sleep 120")
    both.until(mine, "Running")
    both.world.behave(GETJOBS="error")
    both.wait(lambda: both.manager("far") == "Down", "that it fails", 60)
    assert "far: connection" not in both.log()
    both.section(order=("here",))
    both.ok("schedctl", "-R")
    both.wait(lambda: both.manager("far") is None, "that it is gone", 60)
    assert both.state(mine) == "Running"


def test_a_clock_that_was_set_back_is_followed_while_one_is_away(both):
    clock = DrivenClock(both.home)
    both.env |= clock.env
    clock.ahead(86400)
    both.begin()
    mine = both.submit("sleep 120", wclimit_s=1000)
    both.until(mine, "Running")
    both.kill_world()
    clock.ahead(0)
    both.wait(lambda: "the clock was set back" in both.log(), "the right time", 60)
    ends = both.submit("true")
    both.wait(lambda: both.job(ends) is None, "the end of a job", 60)
    both.until(mine, "Running")


def test_orders_to_one_that_is_away_outlive_a_change_of_rmcfg(both):
    """A limit, a hold and a cancel were acknowledged; also when the daemon is killed."""
    for name in ("1", "2", "3"):
        both.world.submit(name, USER, seconds=300)
    both.begin()
    for name in ("far.1", "far.2"):
        both.until(name, "Running")
    both.kill_world()
    both.ok("mjobctl", "-m", "wclimit=1234", "far.1")
    both.ok("mjobctl", "-N", "signal=USR1", "far.1")
    both.ok("canceljob", "far.2")
    both.section("MAXSUBMITJOBS 1000\nRMCFG[third] TYPE=LOCAL NODES=1x1")
    both.ok("schedctl", "-R")
    both.wait(lambda: both.manager("third"), "the third", 60)
    both.kill()
    both.serve()
    both.world.start()
    both.wait(lambda: both.manager("far") == "Active", "that it is back", 60)
    both.wait(lambda: both.world.look()["cancels"] == [["2", "ADMIN"]], "the cancel", 60)
    both.wait(lambda: both.world.look()["signals"], "the signal", 60)
    assert int(both.world.job("1")["WCLIMIT"]) == 1234, both.world.job("1")


def test_what_a_manager_calls_its_own_stays_when_the_lines_change(one):
    """`b` has stood beside `a`: alone it takes over neither its ids nor its folder."""
    both = ("RMCFG[here] TYPE=LOCAL NODES=2x2", "RMCFG[b] TYPE=LOCAL NODES=1x2")
    one.lines(*both)
    one.ok("schedctl", "-R")
    one.wait(lambda: one.run("showq").returncode == 0 and nodes(one) == 3, "its node")
    ends = one.submit("true", partitions=["b"])
    one.wait(lambda: one.job(ends) is None, "the end of its job")
    one.lines(both[1])
    one.ok("schedctl", "-R")
    one.wait(lambda: one.run("showq").returncode == 0 and nodes(one) == 1, "that it is alone")
    again = one.submit("sleep 120")
    assert again.startswith("b.") and one.job(one.runs) is None
    one.wait(lambda: one.state(again) == "Running", "its job")
    one.lines(*reversed(both))
    one.kill()
    assert one.run("serve", "-L", "5").returncode == 0
    for job, manager in ((one.runs, "here"), (again, "b")):
        one.wait(lambda job=job: one.state(job) == "Running", f"{job} as before")
        assert one.job(job)["rm"] == manager


def test_names_of_nodes_outlive_those_that_they_were_told_apart_from(both):
    """The other's node01 goes while the daemon is down, and is forgotten."""
    both.begin()
    both.wait(lambda: both.api("/v1/nodes/far.node01")[0] == 200, "the node", 60)
    with both.world.state() as o:
        del o["nodes"]["node02"]
    both.stop()
    text = open(f"{both.home}/maui.cfg").read()
    both.configure(text.replace("NODES=2x2", "NODES=1x2\nNODECFG[other] PROCS=1"))
    both.begin()
    both.wait(lambda: both.api("/v1/nodes/far.node01")[0] == 200, "the node", 60)
    assert both.api("/v1/nodes/node02")[0] != 200
    both.wait(lambda: both.api("/v1/nodes/far.node02")[0] != 200, "that it is forgotten", 60)
    both.kill_world()
    both.kill()
    both.begin()
    assert both.api("/v1/nodes/far.node01")[1]["state"] == "Down"
    assert both.api("/v1/nodes/far.node02")[0] != 200
    both.world.start()
    both.wait(lambda: both.api("/v1/nodes/far.node01")[1]["state"] == "Idle", "it is back", 60)


def test_a_request_for_any_of_several_partitions_goes_where_its_nodes_are(one):
    one.lines("RMCFG[here] TYPE=LOCAL NODES=2x2", "RMCFG[b] TYPE=LOCAL NODES=2x2")
    one.ok("schedctl", "-R")
    one.wait(lambda: one.run("showq").returncode == 0 and nodes(one) == 4, "its nodes")
    asked = ("-l", "partition=DEFAULT:b", "-l", "nodes=b.node02")
    job = one.ok("msub", *asked, stdin="sleep 60\n").split()[-1]
    assert job.startswith("b.")
    one.wait(lambda: one.state(job) == "Running", "its start")
    refused = one.run("msub", "-l", "partition=DEFAULT", "-l", "nodes=b.node02", stdin="true\n")
    assert refused.returncode != 0 and "nodes of b, and for partitions of here" in refused.stderr


def test_how_often_jobs_were_passed_is_known_when_their_manager_is_back(both):
    both.section("BACKFILLPOLICY FIRSTFIT")
    both.world.submit("runs", USER, seconds=600, TASKS=3)
    both.begin()
    both.until("far.runs", "Running")
    both.world.submit("a1", USER, seconds=600, TASKS=4)
    both.wait(lambda: both.job("far.a1"), "the wide one", 60)
    both.world.submit("b1", USER, seconds=600, WCLIMIT=60)
    both.until("far.b1", "Running")
    both.wait(lambda: (both.job("far.a1") or {}).get("bypass"), "that it was passed", 60)
    before = both.job("far.a1")["bypass"]
    both.kill_world()
    both.kill()
    both.begin()
    big = both.submit("sleep 120", requests=[{"tasks": 3}])
    both.until(big, "Running")
    wide = both.submit("sleep 120", requests=[{"tasks": 4}])
    narrow = both.submit("sleep 120", wclimit_s=30)
    both.until(narrow, "Running")
    both.wait(lambda: both.job(wide).get("bypass"), "that another was passed", 60)
    both.kill()
    both.world.start()
    both.begin()
    both.wait(lambda: both.job("far.a1"), "the wide one", 60)
    assert both.job("far.a1")["bypass"] >= before


def test_when_all_are_away_all_goes_on_when_they_are_back(both):
    both.world.submit("1", USER, seconds=0.2)
    both.world.kill()
    both.section(order=("far",))
    both.serve()
    both.wait(lambda: "connection" in both.log(), "the bad news", 60)
    done = both.run("showq")
    assert done.returncode != 0 and "waiting for" in done.stderr + done.stdout
    both.world.start()
    both.wait(lambda: both.world.job("1")["STATE"] == "Completed", "its job", 60)
