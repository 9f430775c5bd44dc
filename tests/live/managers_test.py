# SPDX-License-Identifier: Apache-2.0
"""Several resource managers at once: LOCAL, which is plain, and a WIKI server of ours;
also two of a kind. Both have nodes and jobs of the same names."""
import re

import pytest

from live_daemon import ME, Daemon
from two_managers import USER, Both


@pytest.fixture
def both(build):
    d = Both(build)
    yield d
    d.clean()


@pytest.fixture
def pair(build):
    """Two of a kind, with two nodes each."""
    d = Daemon(build / "src" / "client" / "maui")
    d.configure("RMCFG[one] TYPE=LOCAL NODES=2x2\nRMCFG[two] TYPE=LOCAL NODES=2x2\n"
                f"ADMIN1 {ME}\n")
    done = d.run("serve", "-L", "5")
    assert done.returncode == 0, done.stderr
    yield d
    d.clean()


def test_names_that_collide_are_told_apart(both):
    both.world.submit("1", USER, seconds=60)
    both.begin()
    assert both.submit("sleep 60") == "1"
    for job in ("1", "far.1"):
        both.until(job, "Running")
    assert sorted(both.ok("diagnose", "-n").split()).count("far.node01") == 1
    assert both.job("1")["rm"] == "here" and both.job("far.1")["rm"] == "far"
    assert both.job("here.1")["id"] == "1"
    shown = both.ok("showq", "-r")
    assert re.search(r"^ *1 ", shown, re.M) and re.search(r"^ *far\.1 ", shown, re.M), shown
    status, node = both.api("/v1/nodes/here.node01")
    assert status == 200 and node["name"] == "node01" and node["rm"] == "here"
    assert both.world.job("1")["TASKLIST"] == ["node01"], both.world.job("1")
    assert both.submit("sleep 60") == "2"
    assert both.job("far.2") is None and both.run("canceljob", "far.2").returncode != 0
    both.ok("canceljob", "far.1")
    both.wait(lambda: both.world.look()["cancels"] == [["1", "ADMIN"]], "the cancel there")
    assert both.state("1") == "Running"


def test_a_job_stays_on_the_nodes_of_its_manager(both):
    both.world.submit("wide", USER, seconds=60, TASKS=5)
    both.world.submit("fits", USER, seconds=60, TASKS=4)
    both.begin()
    narrow = [both.submit("sleep 60") for _ in range(5)]
    both.until("far.fits", "Running")
    both.wait(lambda: [both.state(j) for j in narrow].count("Running") == 4, "four that run")
    assert both.state("far.wide") != "Running"
    placed = [n for j in ["far.fits", *narrow] for n in both.nodes_of(j) or []]
    assert {n for n in both.nodes_of("far.fits")} == {"far.node01", "far.node02"}
    assert "far.node01" not in [n for j in narrow for n in both.nodes_of(j) or []], placed


def test_a_submission_goes_where_it_asks_for_nodes(pair):
    assert pair.submit("sleep 60") == "1"
    assert pair.submit("sleep 60", partitions=["two"]) == "two.1"
    assert pair.ok("msub", "-l", "nodes=two.node02", stdin="sleep 60\n").split()[-1] == "two.2"
    refused = pair.run("msub", "-l", "nodes=node01+two.node01", stdin="sleep 60\n")
    assert refused.returncode != 0 and "several resource managers" in refused.stderr
    for job in ("1", "two.1", "two.2"):
        pair.wait(lambda job=job: pair.state(job) == "Running", f"{job} runs")
    array = pair.ok("msub", "-t", "1-2%1", "-l", "partition=two", stdin="sleep 0.1\n").split()
    assert array == ["two.3[1]", "two.3[2]"]
    # and so it does where it is only tried
    for request, named, stands in (
            (dict(partitions=["two"]), "two.whatif", "running"), ({}, "whatif", "running"),
            (dict(requests=[{"tasks": 1, "hosts": ["two.node02"]}],
                  dependencies=["afterany:two.1"]), "two.whatif", "held")):
        status, answer = pair.api("/v1/whatif", {"changes": [
            {"submit": dict(request, script="#!/bin/sh\n", wclimit_s=60)}]})
        assert status == 200 and answer["changes"][0]["ids"][0].startswith(named), answer
        assert [j["after"] for j in answer["placed"]] == [stands], (request, answer)
    after = pair.submit("true", partitions=["two"], dependencies=["afterok:two.3[2]"])
    pair.wait(lambda: pair.job(after) is None, "the end of what waits for the array", 60)
    assert pair.lines("showq", "-c")[-1] is not None


def test_a_partition_of_two_managers_stays_whose_it_was(both):
    """Whoever tells of its nodes first in the daemon's next life."""
    def partitions():
        return [both.api(f"/v1/nodes/{n}")[1].get("partition") for n in ("far.node01", "node01")]
    both.section("NODECFG[far.node01] PARTITION=fast")
    both.begin()
    both.wait(lambda: partitions() == ["fast", "DEFAULT"], "the first", 60)
    both.section("NODECFG[far.node01] PARTITION=fast\nNODECFG[node01] PARTITION=fast")
    both.kill()
    both.begin()
    both.wait(lambda: partitions() == ["fast", "here.fast"], "both", 60)
    both.kill()
    both.begin()
    both.wait(lambda: partitions() == ["fast", "here.fast"], "both again", 60)


def test_an_id_of_several_managers_is_not_guessed(build):
    d = Daemon(build / "src" / "client" / "maui")
    try:
        d.configure("".join(f"RMCFG[{n}] TYPE=LOCAL NODES=1x1\n" for n in ("a", "b", "c"))
                    + f"ADMIN1 {ME}\n")
        assert d.run("serve", "-L", "5").returncode == 0
        for name in ("b", "c"):
            assert d.submit("sleep 60", partitions=[name]) == f"{name}.1"
        done = d.run("canceljob", "1")
        assert done.returncode != 0 and "b.1 or c.1" in done.stderr + done.stdout
        assert {d.state("b.1"), d.state("c.1")} <= {"Running", "Starting", "Idle"}
        assert d.submit("sleep 60", partitions=["c"]) == "c.2"
        d.ok("canceljob", "2")
        d.wait(lambda: d.job("c.2") is None, "its end")
        assert d.submit("sleep 60", partitions=["b"]) == "b.2"
        again = d.run("canceljob", "2")  # who says it twice means that one
        assert again.returncode != 0 and "job '2' is over; b.2 is another one" in again.stderr, again
    finally:
        d.clean()


def test_an_id_whose_job_is_over_is_not_anothers(both):
    """Who says `canceljob 1` twice does not cancel the other manager's job of that id; nor
    does a dependency wait for that."""
    both.world.submit("1", USER, seconds=600)
    both.begin()
    both.until("far.1", "Running")
    assert both.job("1")["id"] == "far.1"  # there is no other
    assert both.submit("sleep 60") == "1"
    both.ok("canceljob", "1")
    both.wait(lambda: both.state("here.1") is None, "its end")
    again = both.run("canceljob", "1")
    assert again.returncode != 0 and "job '1' is over; far.1 is another one" in again.stderr, again
    shown = both.ok("checkjob", "1")
    assert "job 1 was removed" in shown and "far" not in shown, shown
    after = both.submit("true", dependencies=["afterany:1"])
    both.wait(lambda: both.job(after) is None, "the end of what depends on it", 60)
    assert both.state("far.1") == "Running" and not both.world.look()["cancels"]
    both.ok("canceljob", "far.1")


def test_one_that_is_away_stops_only_its_own_part(both):
    both.world.submit("runs", USER, seconds=60)
    both.begin()
    both.until("far.runs", "Running")
    both.world.submit("waits", USER, seconds=0.2, NODES=9)
    both.kill_world()
    mine = both.submit("sleep 0.2")
    both.wait(lambda: both.job(mine) is None, "a job of the other one", 60)
    assert both.state("far.runs") == "Running"
    assert both.manager("here") == "Active"
    both.world.start()
    both.section()
    both.wait(lambda: both.manager("far") in ("Active", "Down"), "an answer")
    assert both.state("far.runs") == "Running"


def test_jobs_of_one_that_is_away_wait_and_say_so(both):
    both.begin()
    both.world.behave(STARTJOB="silent")
    both.world.submit("held", USER, seconds=60, TASKS=4)
    both.world.submit("next", USER, seconds=60, TASKS=4)
    both.wait(lambda: both.job("far.next"), "both jobs", 60)
    both.kill_world()
    both.wait(lambda: "manager-away" in (both.reason("far.next"), both.reason("far.held")),
              "the reason", 60)
    assert "resource manager far does not answer" in both.ok("checkjob", "far.next")


def test_killed_and_begun_again_while_one_is_away(both):
    both.world.submit("runs", USER, seconds=120)
    both.begin()
    both.until("far.runs", "Running")
    mine = both.submit("sleep 120")
    both.until(mine, "Running")
    both.ok("setres", "-n", "kept", "-s", "+1:00:00", "-e", "+2:00:00", "^(far.)?node01$")
    port = both.world.port
    both.kill_world()
    both.kill()
    both.begin()
    assert both.state(mine) == "Running"
    status, node = both.api("/v1/nodes/far.node01")
    assert status == 200 and node["state"] == "Down" and node["rm"] == "far"
    assert both.job("far.runs") is None
    kept = both.ok("showres", "-n")
    assert "far.node01" in kept, kept
    assert both.submit("sleep 0.1") == "2"
    both.wait(lambda: both.job("2") is None, "a job of the one that is there", 60)
    both.world.start()
    if both.world.port != port:
        both.section()
        both.stop()
        both.begin()
    both.until("far.runs", "Running")
    assert both.state(mine) == "Running"
    assert both.world.look()["starts"] == ["runs"]


def test_the_order_of_the_lines_changes_no_names(both):
    both.world.submit("1", USER, seconds=120)
    both.begin()
    mine = both.submit("sleep 120")
    for job in (mine, "far.1"):
        both.until(job, "Running")
    both.kill()
    both.section(order=("far", "here"))
    both.begin()
    for job in (mine, "far.1"):
        both.until(job, "Running")
    assert both.job(mine)["rm"] == "here"
    assert both.nodes_of("far.1") == ["far.node01"]


def test_the_jobs_of_a_line_that_is_taken_away_are_told(both):
    both.world.submit("1", USER, seconds=120)
    both.begin()
    both.until("far.1", "Running")
    mine = both.submit("sleep 120")
    both.until(mine, "Running")
    both.stop()
    both.section(order=("here",))
    both.begin()
    assert both.state(mine) == "Running" and both.job("far.1") is None
    both.wait(lambda: "job 'far.1'" in both.log() and "not configured any more" in both.log(),
              "what became of it")
    assert "far.1" in both.ok("showq", "-c")
    both.stop()
    both.section()
    both.begin()
    both.until("far.1", "Running")


def test_limits_hold_over_both_as_one(both):
    both.section(f"USERCFG[{USER}] MAXPROC=3\nUSERCFG[{ME}] MAXPROC=3")
    for i in range(4):
        both.world.submit(f"w{i}", USER, seconds=60)
    both.begin()
    both.wait(lambda: [both.state(f"far.w{i}") for i in range(4)].count("Running") == 3,
              "three that run", 60)
    if USER == ME:
        assert both.state(both.submit("sleep 60")) != "Running"


def test_replay_comes_to_the_same(both):
    both.world.submit("a", USER, seconds=0.3)
    both.begin()
    jobs = [both.submit("sleep 0.2") for _ in range(3)]
    both.wait(lambda: not any(both.job(j) for j in jobs), "their ends", 60)
    both.kill_world()
    both.submit("sleep 0.1")
    both.wait(lambda: both.job("4") is None, "its end", 60)
    both.stop()
    done = both.run("replay", "--verify")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_line_comes_and_goes_while_the_daemon_runs(both):
    both.section(order=("here",))
    both.world.submit("1", USER, seconds=120)
    both.begin()
    pid, mine = both.pid(), both.submit("sleep 120")
    both.until(mine, "Running")
    both.section()
    both.ok("schedctl", "-R")
    both.until("far.1", "Running")
    assert both.state(mine) == "Running"
    both.kill_world()
    both.section(order=("here",))
    both.ok("schedctl", "-R")
    both.wait(lambda: both.manager("far") is None, "that far is gone", 60)
    both.wait(lambda: "far.1" in both.ok("showq", "-c"), "what became of its job")
    assert both.state(mine) == "Running" and both.pid() == pid
    assert both.world.look()["starts"] == ["1"]
