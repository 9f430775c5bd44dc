# SPDX-License-Identifier: Apache-2.0
"""What a restart leaves as it was; found by the live twin (twin/)."""
import json
import os
import sqlite3

import pytest

from driven_clock import DrivenClock
from live_daemon import ME

BEGIN = 1893456000  # 2030-01-01


@pytest.fixture
def driven(daemon):
    """Begins on order; its clock stands until daemon.at(seconds)."""
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    daemon.nodes = "1x2"
    daemon.at = lambda seconds: clock.stand(BEGIN + seconds)
    daemon.at(0)
    return daemon


def running(daemon, **request):
    job = daemon.submit("sleep 1000", wclimit_s=10000, **request)
    daemon.wait(lambda: daemon.state(job) == "Running", f"the start of job {job}")
    return job


def suspended(daemon, **request):
    job = running(daemon, **request)
    daemon.ok("mjobctl", "-s", job)
    daemon.wait(lambda: daemon.state(job) == "Suspended", "the suspension")
    return job


def step(daemon):
    """A cycle of a paused daemon."""
    before = daemon.api("/v1/scheduler")[1]["iteration"]
    daemon.api("/v1/scheduler", {"action": "step"})
    daemon.wait(lambda: daemon.api("/v1/scheduler")[1]["iteration"] > before, "a cycle")


def again(daemon):
    daemon.kill()
    daemon.start()


def again_paused(daemon):
    daemon.kill()
    daemon.start("--paused")


def test_a_suspended_job_stays_so_whoever_runs_on_its_nodes(driven):
    """In whatever order they are found again."""
    driven.start()
    above = driven.submit("sleep 1000", wclimit_s=10000, hold=True, requests=[{"tasks": 2}])
    below = [suspended(driven, requests=[{"tasks": 2}]) for _ in range(4)]
    driven.ok("releasehold", above)
    driven.wait(lambda: driven.state(above) == "Running", "the start above them")
    again(driven)
    driven.wait(lambda: driven.state(above) == "Running", "what ran")
    assert {(driven.state(j), *driven.job(j).get("holds", ())) for j in below} == {("Suspended",)}
    driven.ok("canceljob", above)
    driven.ok("mjobctl", "-r", below[0])
    driven.wait(lambda: driven.state(below[0]) == "Running", "what was suspended")


def test_a_suspended_job_has_used_what_it_used(driven):
    driven.configure("FSPOLICY DEDICATEDPS\nFSINTERVAL 24:00:00\n")
    driven.start()
    job = running(driven)
    driven.at(100)
    driven.ok("mjobctl", "-s", job)
    driven.wait(lambda: driven.state(job) == "Suspended", "the suspension")
    driven.at(400)
    used = driven.ok("diagnose", "-f", "user")
    assert " 100.00 " in [line for line in used.splitlines() if line.startswith(ME)][0]
    again(driven)
    driven.wait(lambda: driven.state(job) == "Suspended", "the job")
    assert driven.ok("diagnose", "-f", "user") == used


def test_a_resumed_job_has_used_nothing_while_it_was_suspended(driven):
    driven.configure("FSPOLICY DEDICATEDPS\nFSINTERVAL 24:00:00\n")
    driven.start("--paused")
    job = driven.submit("sleep 1000", wclimit_s=10000)
    step(driven)
    driven.wait(lambda: driven.state(job) == "Running", "the start")
    for at, order, state in ((20, "-s", "Suspended"), (40, "-r", "Running")):
        driven.at(at)
        driven.ok("mjobctl", order, job)
        driven.wait(lambda s=state: driven.state(job) == s, state)
    driven.at(50)
    step(driven)
    used = driven.api("/v1/fairshare")[1]
    assert ME in {k["name"] for k in used["credentials"]}
    again_paused(driven)
    driven.wait(lambda: driven.state(job) == "Running", "the job")
    step(driven)
    assert driven.api("/v1/fairshare")[1] == used


def learned_runs(daemon):
    """Of which this life was told when it began."""
    with sqlite3.connect(f"{daemon.home}/state.db") as db:
        lines = [json.loads(text) for (text,) in db.execute("SELECT text FROM journal ORDER BY seq")]
    db.close()
    return [line for line in lines if line.get("event") == "history"][-1]["runs"]


def test_the_time_for_which_a_job_was_suspended_is_no_run_to_learn_from(driven):
    """Of one that was resumed, and of one that was not."""
    driven.start()
    resumed = running(driven)
    driven.at(20)
    driven.ok("mjobctl", "-s", resumed)
    driven.wait(lambda: driven.state(resumed) == "Suspended", "the suspension")
    driven.at(90)
    driven.ok("mjobctl", "-r", resumed)
    driven.wait(lambda: driven.state(resumed) == "Running", "the resumption")
    driven.at(100)
    driven.ok("canceljob", resumed)
    driven.wait(lambda: driven.state(resumed) is None, "its end")
    other = running(driven)
    driven.at(107)
    driven.ok("mjobctl", "-s", other)
    driven.wait(lambda: driven.state(other) == "Suspended", "the suspension")
    driven.at(200)
    driven.ok("canceljob", other)
    driven.wait(lambda: driven.state(other) is None, "its end")
    again(driven)
    driven.stop()  # all of its journal is written
    assert [run[1] for run in learned_runs(driven)] == [30, 7]


def test_how_long_a_node_was_busy_is_known(driven):
    """Also of a job that ended just before the kill."""
    driven.start("--paused")
    job = driven.submit("sleep 1000", wclimit_s=1000)
    step(driven)
    driven.wait(lambda: driven.state(job) == "Running", "the start")
    driven.at(30)
    driven.ok("canceljob", job)
    driven.wait(lambda: driven.state(job) is None, "its end")
    driven.at(40)
    before = [l for l in driven.ok("checknode", "node01").splitlines() if "Active:" in l]
    assert "Active: 00:00:30 (75.00%)" in before[0]
    again_paused(driven)
    assert before[0] in driven.ok("checknode", "node01").splitlines()


def test_the_priority_a_running_job_started_with_is_known(driven):
    driven.configure("CREDWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[DEFAULT] PRIORITY=77\n")
    driven.start()
    job = running(driven)
    before = driven.job(job)["priority"]
    assert before >= 77
    again(driven)
    driven.wait(lambda: driven.job(job), "the job")
    assert driven.job(job)["priority"] == before


def test_from_when_queue_time_counts_is_remembered(driven):
    """Though no decision told of it."""
    driven.configure("USERCFG[DEFAULT] MAXJOB=1\nQUEUETIMEWEIGHT 1\nXFACTORWEIGHT 100\n"
                     "RMPOLLINTERVAL 1\n")
    driven.start()
    running(driven)
    driven.at(600)
    waits = driven.submit("sleep 1000", wclimit_s=1000)
    driven.wait(lambda: driven.job(waits).get("reason", {}).get("code") == "limit", "the limit")
    driven.at(6000)
    cycles = driven.api("/v1/scheduler")[1]["iteration"]
    driven.wait(lambda: driven.api("/v1/scheduler")[1]["iteration"] > cycles + 1, "a cycle then")
    seen = ("queue_at", "eligible_s", "xfactor", "priority")
    before = {k: driven.job(waits)[k] for k in seen}
    again(driven)
    driven.wait(lambda: driven.job(waits) and driven.api("/v1/scheduler")[1]["iteration"],
                "a cycle")
    now = driven.job(waits)
    assert {k: now[k] for k in seen} == before
    assert now["reason"]["code"] == "limit" and now["reason"]["limit"] == 1


def test_a_reservation_in_the_place_of_one_that_is_gone_is_itself(driven):
    """Its name is told, and it is kept, not the one that was made before it."""
    driven.start("--paused")
    make = ("setres", "-s", "+1:00:00", "-d", "1:00:00", "-r", "PROCS=1")
    driven.ok(*make, "-n", "first", "TASKS==1")
    driven.ok(*make, "-n", "second", "-u", ME, "TASKS==1")
    driven.ok("releaseres", "first.0")
    driven.ok("schedctl", "-S")  # its place is free
    told = driven.ok(*make, "-n", "third", "TASKS==1")
    assert "'third.0'" in told
    before = {r["name"]: r["acl"] for r in driven.api("/v1/reservations")[1]}
    assert sorted(before) == ["second.0", "third.0"]
    driven.kill()
    driven.start("--paused")
    assert {r["name"]: r["acl"] for r in driven.api("/v1/reservations")[1]} == before


LIMITED = "CLASSCFG[short] MAX.WCLIMIT=30:00\n"


@pytest.mark.parametrize("how", ["DEFERTIME 1:00:00", "DEFERTIME 0"])
def test_a_release_of_what_a_class_does_not_allow_holds(driven, how):
    """Until it asks for something else that is not allowed."""
    driven.configure(LIMITED + how + "\n")
    driven.start("--paused")
    job = driven.submit(wclimit_s=3600, **{"class": "short"})
    other = driven.submit(wclimit_s=3600, **{"class": "short"})
    held = driven.job(other)
    assert "MAX.WCLIMIT" in driven.job(job)["hold_text"]
    driven.ok("releasehold", "-a", job)
    for _ in range(2):
        assert not driven.job(job).get("holds"), driven.job(job)
        driven.at(100)
        driven.kill()
        driven.start("--paused")
        now = driven.job(other)
        assert {k: now.get(k) for k in ("holds", "hold_text", "defer_count")} \
            == {k: held.get(k) for k in ("holds", "hold_text", "defer_count")}
    driven.ok("changeparam", "RESERVATIONDEPTH", "3")  # all are judged again
    assert not driven.job(job).get("holds"), driven.job(job)
    driven.ok("mjobctl", "-m", "wclimit=2:00:00", job)
    assert driven.job(job)["holds"], driven.job(job)


def test_a_release_of_what_can_never_run_holds(driven):
    """A job whose dependency failed, held for that as the site wants."""
    driven.configure("DEPENDFAILUREPOLICY HOLD\n")
    driven.start()
    first = driven.submit("exit 1", hold=True)
    job = driven.submit(dependencies=[f"afterok:{first}"])
    driven.ok("releasehold", first)
    driven.wait(lambda: "batch" in driven.job(job).get("holds", ()), "the hold")
    driven.ok("releasehold", "-a", job)
    assert not driven.job(job).get("holds")
    driven.kill()
    driven.start("--paused")
    step(driven)
    assert not driven.job(job).get("holds"), driven.job(job)


def test_a_dependency_that_is_fulfilled_is_told_no_more(driven):
    """Nor one that was taken off, whoever asked for it, and when."""
    driven.start()
    first = driven.submit("exit 0", hold=True)
    after = [driven.submit(dependencies=[f"afterok:{first}"], hold=True), driven.submit(hold=True)]
    driven.ok("mjobctl", "-m", f"depend=afterany:{first}", after[1])
    assert [len(driven.job(job)["dependencies"]) for job in after] == [1, 1]
    driven.ok("releasehold", first)
    driven.wait(lambda: not any(driven.job(job).get("dependencies") for job in after), "its end")
    late = driven.submit(hold=True)
    driven.ok("mjobctl", "-m", f"depend=afterany:{first}", late)  # it has ended
    for _ in range(2):
        assert [driven.job(job).get("dependencies") for job in (*after, late)] == [None] * 3
        again(driven)


def whole(daemon):
    """A job that needs the whole machine."""
    return daemon.submit("sleep 1000", wclimit_s=1000, requests=[{"tasks": 2}])


def starts(daemon, *jobs):
    return [(daemon.job(job).get("reservation_at") or BEGIN) - BEGIN for job in jobs]


def test_a_reservation_that_is_kept_is_kept(driven):
    """RESERVATIONPOLICY HIGHEST: also of jobs that are not the highest any more."""
    driven.configure("RESERVATIONPOLICY HIGHEST\nRESERVATIONDEPTH 1\n")
    driven.start("--paused")
    jobs = []
    for priority in (0, 10, 20):
        jobs.append(whole(driven))
        driven.ok("setspri", priority, jobs[-1])
        step(driven)
        driven.wait(lambda: driven.state(jobs[0]) == "Running", "the first")
    jobs.append(whole(driven))
    driven.ok("mjobctl", "-m", "userprio=9", jobs[2])  # it loses its place, and gets it again
    step(driven)
    before = starts(driven, *jobs)
    assert before == [0, 1000, 2000, 0]
    for _ in range(2):
        driven.kill()
        driven.start("--paused")
        driven.wait(lambda: driven.state(jobs[0]) == "Running", "the first")
        assert starts(driven, *jobs) == before
        step(driven)
        assert starts(driven, *jobs) == before


def test_whose_deadline_was_promised_first_comes_first(driven):
    driven.configure("RESERVATIONDEPTH 1\n")
    driven.start("--paused")
    jobs = []
    for priority in (0, 10, 20):
        jobs.append(whole(driven))
        if priority:
            driven.ok("setdeadline", jobs[-1], "+3:00:00")
            driven.ok("setspri", priority, jobs[-1])
        step(driven)
        driven.wait(lambda: driven.state(jobs[0]) == "Running", "the first")
    before = starts(driven, *jobs)
    assert before == [0, 1000, 2000]
    driven.kill()
    driven.start("--paused")
    driven.wait(lambda: driven.state(jobs[0]) == "Running", "the first")
    step(driven)
    assert starts(driven, *jobs) == before


def test_a_job_asks_for_no_nodes_that_an_order_named(driven):
    driven.nodes = "2x2"
    driven.start("--paused")
    job = driven.submit("sleep 1000", wclimit_s=1000)
    asked = driven.job(job)["requests"]
    driven.ok("runjob", "-n", "node02", job)
    driven.wait(lambda: driven.state(job) == "Running", "the start")
    assert driven.job(job)["requests"] == asked
    driven.kill()
    driven.start("--paused")
    driven.wait(lambda: driven.state(job) == "Running", "the job")
    assert driven.job(job)["requests"] == asked
    assert driven.job(job)["allocation"][0]["node"] == "node02"


def test_how_often_others_passed_is_known(driven):
    driven.start("--paused")

    def passes():
        passing = driven.submit("sleep 1000", wclimit_s=500)
        step(driven)
        driven.wait(lambda: driven.state(passing) == "Running", "the start out of order")
        return passing

    first = driven.submit("sleep 1000", wclimit_s=1000)
    step(driven)
    driven.wait(lambda: driven.state(first) == "Running", "the first")
    waiting = [whole(driven), whole(driven)]
    step(driven)
    for count in (1, 2, 3):
        passing = passes()
        for _ in range(2):
            assert [driven.job(job)["bypass"] for job in waiting] == [count] * 2
            driven.kill()
            driven.start("--paused")
        driven.ok("canceljob", passing)
        driven.wait(lambda: driven.state(passing) is None, "its end")


def test_a_deferral_goes_on(driven):
    """Although it is tried whether there are nodes for it now."""
    driven.start("--paused")
    driven.at(50)
    job = driven.submit(wclimit_s=1000, requests=[{"tasks": 3}])
    driven.at(60)
    step(driven)
    seen = ("queue_at", "eligible_s", "holds", "hold_text", "defer_until", "defer_count")
    before = {k: driven.job(job)[k] for k in seen}
    assert before["holds"] == ["defer"]
    driven.at(80)
    driven.kill()
    driven.start("--paused")
    driven.at(90)
    step(driven)
    assert {k: driven.job(job)[k] for k in seen} == before
    driven.ok("changeparam", "RESERVATIONDEPTH", "3")
    driven.at(100)
    step(driven)
    assert {k: driven.job(job)[k] for k in seen} == before


@pytest.mark.parametrize("kills", [0, 1, 2])
@pytest.mark.parametrize("first", [True, False])
def test_what_ends_a_deferral_early_does_so_after_a_restart(driven, kills, first):
    """A reservation goes just before the kill, or after it and before any cycle."""
    driven.start("--paused")
    driven.ok("setres", "-u", "nobody", "-n", "wall", "-s", "+0", "-d", "INFINITY", "ALL")
    job = driven.submit("sleep 1000", wclimit_s=1000)
    step(driven)
    assert driven.job(job)["holds"] == ["defer"]
    driven.at(100)
    if first:
        driven.ok("releaseres", "wall.0")
    for _ in range(kills):
        again_paused(driven)
    if not first:
        driven.ok("releaseres", "wall.0")
    again_paused(driven)
    step(driven)
    driven.wait(lambda: driven.state(job) == "Running", "the start")


def test_who_is_over_a_soft_limit_is_known(driven):
    driven.configure("USERCFG[DEFAULT] MAXJOB=1,2\n")
    driven.start("--paused")
    jobs = [driven.submit("sleep 1000", wclimit_s=1000) for _ in range(2)]
    for _ in range(2):
        step(driven)
        driven.wait(lambda: {driven.state(job) for job in jobs} == {"Running"}, "the starts")
    flags = [driven.job(job)["flags"] for job in jobs]
    assert "SPVIOLATION" in flags[0] + flags[1]
    driven.kill()
    driven.start("--paused")
    driven.wait(lambda: all(driven.job(job) for job in jobs), "the jobs")
    assert [driven.job(job)["flags"] for job in jobs] == flags


def test_a_reservation_comes_back_to_its_nodes_whoever_runs_there(driven):
    """And the journal does it again."""
    driven.nodes = "2x2"
    driven.configure("NODEACCESSPOLICY SINGLEJOB\n")
    driven.start("--paused")
    step(driven)
    driven.ok("setres", "-a", "chem", "-s", "+0", "-d", "1:00:00", "-r", "PROCS=1", "TASKS==1")
    jobs = [driven.submit("sleep 1000", wclimit_s=1000) for _ in range(2)]
    step(driven)
    driven.wait(lambda: {driven.state(job) for job in jobs} == {"Running"}, "the starts")
    before = driven.api("/v1/reservations/chem.0")[1]["places"]
    for _ in range(2):
        driven.kill()
        driven.start("--paused")
        driven.wait(lambda: {driven.state(job) for job in jobs} == {"Running"}, "the jobs")
        assert driven.api("/v1/reservations/chem.0")[1]["places"] == before
    step(driven)
    driven.stop()
    driven.ok("replay", "--verify")


def test_tasks_of_several_requests_stay_where_they_run(daemon):
    """Nodes are in their order, requests as they fit: on node01 and behind the wide task on
    node02 are those of the second. Which is which is remembered, or the job seems to need
    more of node01 than that has, and runs on outside of all plans."""
    daemon.configure("ENABLEMULTIREQJOBS TRUE\n")
    daemon.start()
    first = daemon.submit("sleep 600", requests=[{"tasks": 1}])
    daemon.wait(lambda: daemon.state(first) == "Running", "the first")
    mixed = daemon.submit(f"env > {daemon.home}/told; sleep 600",
                          requests=[{"tasks": 1, "per_task": {"procs": 2}}, {"tasks": 3}])
    daemon.wait(lambda: daemon.state(mixed) == "Running", "the job of two requests")
    before = dedicated_procs(daemon)
    daemon.wait(lambda: os.path.exists(f"{daemon.home}/told"), "its environment")
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: daemon.state(first) == "Running", "that they are known again")
    assert daemon.state(mixed) == "Running", daemon.ok("checkjob", mixed)
    assert dedicated_procs(daemon) == before
    daemon.wait(lambda: "PBS_NP=5\n" in open(f"{daemon.home}/told").read(), "what it is told")


def dedicated_procs(daemon):
    return [(n["name"], n["dedicated"]["procs"]) for n in daemon.api("/v1/nodes")[1]]


def test_what_runs_on_a_node_that_is_not_configured_any_more_runs_on(daemon):
    """Suspended or not; and nothing is begun there."""
    daemon.nodes = "3x1"
    daemon.start()
    jobs = [running(daemon), running(daemon), suspended(daemon)]
    daemon.stop()
    daemon.nodes = "1x1"
    daemon.start()
    daemon.wait(lambda: [daemon.state(job) for job in jobs] == ["Running", "Running", "Suspended"],
                "all of them")
    assert "Draining" in daemon.ok("checknode", "node02")
    assert "not configured any more" in daemon.ok("checknode", "node03")
    waits = daemon.submit("true", wclimit_s=60)
    daemon.ok("canceljob", jobs[1])
    daemon.wait(lambda: "State: Removed" in daemon.ok("checkjob", jobs[1]), "its end")
    assert daemon.state(waits) == "Idle"
    daemon.ok("canceljob", jobs[0], jobs[2])
    daemon.wait(lambda: "State: Completed" in daemon.ok("checkjob", waits), "whose turn it is")
