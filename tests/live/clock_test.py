# SPDX-License-Identifier: Apache-2.0
"""A clock that jumps, both ways: the scheduler goes on with the new time."""
import time

import pytest

from driven_clock import DrivenClock


@pytest.fixture
def jumpy(daemon):
    """A daemon whose clock is ahead by daemon.jump(seconds)."""
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    daemon.jump = clock.ahead
    daemon.configure("RMPOLLINTERVAL 1\nFSPOLICY DEDICATEDPS\nFSINTERVAL 1:00:00\n")
    return daemon.start()


def runs(daemon, seconds=30):
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.job(job) is None, "the end of a job", seconds)


def ended(daemon):
    rows = daemon.api("/v1/accounting")[1]
    return rows if isinstance(rows, list) else [rows]


def now_of(daemon):
    return daemon.api("/v1/scheduler")[1]["at"]


def test_a_clock_that_leaps_ahead_is_followed(jumpy):
    waiting = jumpy.submit("true", requests=[{"tasks": 9999}])
    jumpy.wait(lambda: jumpy.job(waiting).get("defer_until"), "the deferral")
    jumpy.jump(3 * 86400)
    jumpy.wait(lambda: now_of(jumpy) > time.time() + 86400, "the new time")
    runs(jumpy)
    jumpy.wait(lambda: jumpy.job(waiting)["defer_count"] > 1, "the deferral's end")


def test_running_jobs_outlive_a_clock_set_forward(jumpy):
    """An hour's step is nothing they ran; their limits count on, and so does fairshare."""
    running = jumpy.submit("sleep 200", wclimit_s=300)
    brief = jumpy.submit("sleep 200", wclimit_s=8)
    jumpy.wait(lambda: jumpy.state(running) == jumpy.state(brief) == "Running", "the starts")
    began = jumpy.job(running)["start_at"]
    jumpy.jump(3600)
    jumpy.wait(lambda: now_of(jumpy) > time.time() + 3000, "the new time")
    runs(jumpy)
    assert jumpy.state(running) == "Running" and "exceeded" not in jumpy.log()
    assert abs(jumpy.job(running)["start_at"] - began - 3600) <= 2
    jumpy.wait(lambda: jumpy.job(brief) is None, "the end at its limit", 30)
    jumpy.stop()
    jumpy.start()
    jumpy.wait(lambda: jumpy.state(running) == "Running", "the running job")
    assert abs(jumpy.job(running)["start_at"] - began - 3600) <= 2
    jumpy.ok("canceljob", running)
    jumpy.wait(lambda: len(ended(jumpy)) == 3, "the rows")
    for row in ended(jumpy):
        assert 0 <= row["end_at"] - row["start_at"] < 120, row
    jumpy.stop()
    assert "all the same" in jumpy.ok("replay", "--verify")


def test_a_job_whose_daemon_was_away_when_the_clock_was_set_goes_on(jumpy):
    running = jumpy.submit("sleep 200", wclimit_s=300)
    jumpy.wait(lambda: jumpy.state(running) == "Running", "the start")
    jumpy.stop()
    jumpy.jump(7200)
    jumpy.start()
    runs(jumpy)
    assert jumpy.state(running) == "Running"
    jumpy.stop()
    jumpy.jump(0)
    jumpy.start()
    runs(jumpy)
    assert jumpy.state(running) == "Running"


def test_a_clock_set_back_by_much_is_followed_and_nothing_is_lost(jumpy):
    jumpy.jump(5 * 86400)
    running = jumpy.submit("sleep 200", wclimit_s=1000)
    held = jumpy.submit("true", hold=True)
    jumpy.wait(lambda: jumpy.state(running) == "Running", "the start")
    assert now_of(jumpy) > time.time() + 86400
    jumpy.jump(0)
    jumpy.wait(lambda: now_of(jumpy) < time.time() + 86400, "the right time", 60)
    jumpy.wait(lambda: jumpy.state(running) == "Running", "the running job")
    assert "the clock was set back" in jumpy.log()
    assert jumpy.job(held)["section"] == "blocked"
    runs(jumpy)
    assert jumpy.state(running) == "Running"
    jumpy.stop()
    assert "all the same" in jumpy.ok("replay", "--verify")


def test_a_clock_set_back_a_little_stands_still(jumpy):
    jumpy.jump(20)
    jumpy.wait(lambda: now_of(jumpy) > time.time() + 10, "the new time")
    jumpy.jump(0)
    before = now_of(jumpy)
    runs(jumpy)
    assert now_of(jumpy) >= before and "begins anew" not in jumpy.log()
