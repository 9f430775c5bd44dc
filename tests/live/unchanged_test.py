# SPDX-License-Identifier: Apache-2.0
"""A question changes nothing, and neither does an order that is refused; found by the live
twin (twin/)."""
import pytest

from driven_clock import DrivenClock


def step(daemon):
    """A cycle of a paused daemon."""
    before = daemon.api("/v1/scheduler")[1]["iteration"]
    daemon.api("/v1/scheduler", {"action": "step"})
    daemon.wait(lambda: daemon.api("/v1/scheduler")[1]["iteration"] > before, "a cycle")


def reserved(daemon):
    """What is reserved for waiting jobs: when, and on which nodes."""
    return {r["name"]: (r["start_at"], r["places"]) for r in daemon.api("/v1/reservations")[1]
            if r["type"] == "Job" and r["state"] == "planned"}


def test_what_is_free_for_a_job_is_told_as_it_is_now(daemon):
    """What is measured on its nodes changed, and nothing else."""
    daemon.nodes = "1x4"
    daemon.configure("RMCFG[local] TYPE=LOCAL KILLGRACE=120\nRESERVATIONPOLICY NEVER\n"
                     "BACKFILLPOLICY NONE\n")
    daemon.start("--paused")
    leaves = daemon.submit(f"trap '' TERM\nwhile [ ! -e {daemon.home}/go ]; do sleep 0.1; done",
                           wclimit_s=1000)
    step(daemon)
    daemon.wait(lambda: daemon.state(leaves) == "Running", "the start")
    daemon.submit(hold=True, requests=[{"tasks": 3, "nodes": 1, "tasks_per_node": 3}])
    job = daemon.submit(wclimit_s=1000, requests=[{"tasks": 4}])
    daemon.ok("canceljob", leaves)
    step(daemon)
    assert daemon.job(job)["reason"]["code"] == "resources"
    open(f"{daemon.home}/go", "w", encoding="utf-8").close()
    daemon.wait(lambda: "Load:       0.0" in daemon.ok("checknode", "node01"), "its end")
    told = daemon.job(job)["reason"]
    daemon.ok("showbf", "-r", "2")
    assert daemon.job(job)["reason"] == told
    assert told["code"] == "priority"  # it would fit


@pytest.mark.parametrize("policy", ["CURRENTHIGHEST", "HIGHEST"])
@pytest.mark.parametrize("where", [(), ("-n", "node01"), ("-p", "DEFAULT")])
def test_a_refused_runjob_leaves_what_is_reserved(daemon, policy, where):
    """For this job and for others, also when something ended early before."""
    daemon.nodes = "3x2"
    daemon.configure(f"RESERVATIONPOLICY {policy}\nRESERVATIONDEPTH 4\n")
    daemon.start("--paused")
    running = [daemon.submit("sleep 1000", wclimit_s=limit, requests=[{"tasks": 2}])
               for limit in (2000, 3000, 4000)]
    step(daemon)
    daemon.wait(lambda: {daemon.state(job) for job in running} == {"Running"}, "the starts")
    waiting = [daemon.submit(wclimit_s=500, requests=[{"tasks": tasks}]) for tasks in (6, 3, 6)]
    step(daemon)
    daemon.ok("canceljob", running[0])
    daemon.wait(lambda: daemon.state(running[0]) is None, "its end")
    before = reserved(daemon)
    assert set(before) == set(waiting)
    done = daemon.run("runjob", *where, waiting[0])
    assert done.returncode == 1, done
    assert reserved(daemon) == before


def test_a_refused_runjob_leaves_a_deadline_promised(daemon):
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    clock.stand(1893456000)  # 2030-01-01
    daemon.nodes = "1x2"
    daemon.start("--paused")
    running = daemon.submit("sleep 1000", wclimit_s=2000, requests=[{"tasks": 2}])
    step(daemon)
    daemon.wait(lambda: daemon.state(running) == "Running", "the start")
    job = daemon.submit(wclimit_s=500, requests=[{"tasks": 2}])
    daemon.ok("setdeadline", job, "+2:00:00")
    step(daemon)
    before = daemon.ok("showdeadline")
    assert job in before and daemon.run("runjob", job).returncode == 1
    assert daemon.ok("showdeadline") == before
