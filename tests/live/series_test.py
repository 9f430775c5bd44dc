# SPDX-License-Identifier: Apache-2.0
"""Use, queue and waits over time: a point a minute, ten minutes kept over restarts."""
import time

import pytest

from driven_clock import DrivenClock

NAMES = ["procs", "procs_active", "active", "eligible", "blocked", "backlog_h", "wait_s"]


@pytest.fixture
def later(daemon):
    """A daemon whose clock is ahead by as many seconds as daemon.pass_time() was told."""
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    daemon.configure("RMPOLLINTERVAL 1\n")
    daemon.start()
    passed = [0]

    def pass_time(seconds):
        passed[0] += seconds
        clock.ahead(passed[0])
        minute = (int(time.time()) + passed[0]) // 60 * 60
        daemon.wait(lambda: points(daemon, f"from={minute}"), "the point of that minute")
    daemon.pass_time = pass_time
    return daemon


def points(daemon, query=""):
    return daemon.api(f"/v1/series?{query}")[1]["points"]


def test_minutes_are_counted_as_lists_tell(later):
    later.submit("sleep 6000", wclimit_s=86400, requests=[{"tasks": 3, "per_task": {"procs": 1}}])
    queued_at = time.time()
    later.submit("sleep 60", wclimit_s=7200, requests=[{"tasks": 8, "per_task": {"procs": 1}}])
    later.submit("sleep 60", hold=True)
    later.wait(lambda: later.api("/v1/jobs")[1][0]["summary"]["active"] == 1, "the first job")
    later.pass_time(60)
    last = points(later)[-1]
    told = dict(zip(NAMES, last[1:]))
    # of the one that waits: as of when the point was noted, which is before now
    assert 58 <= told.pop("wait_s") <= time.time() + 61 - queued_at
    assert told == {"procs": 8, "procs_active": 3, "active": 1, "eligible": 1, "blocked": 1, "backlog_h": 16}
    assert last[0] % 60 == 0
    answer = later.api("/v1/series?names=eligible,procs")[1]
    assert answer["names"] == ["eligible", "procs"] and answer["points"][-1][1:] == [1, 8]


def test_what_was_asked_wrongly_is_told(live):
    for query, words in (("names=proc", "procs"), ("points=0", "1 to 2000"), ("from=9&to=8", "behind from"),
                         ("names=procs,active,procs", "once")):
        status, answer = live.api(f"/v1/series?{query}")
        assert status == 400 and words in answer["error"]["message"], answer


def test_ten_minutes_outlive_a_kill_and_many_points_are_averages(later):
    later.submit("sleep 6000", wclimit_s=86400, requests=[{"tasks": 4, "per_task": {"procs": 1}}])
    later.wait(lambda: later.api("/v1/jobs")[1][0]["summary"]["active"] == 1, "the job")
    for _ in range(13):
        later.pass_time(60)
    minutes = points(later, "names=procs_active")
    assert len(minutes) >= 3
    assert len(points(later, "points=2")) <= 2
    later.kill()
    later.start()
    kept = points(later, "names=procs_active&points=2000")
    assert kept and kept[0][0] % 600 == 0 and kept[0][0] < minutes[-1][0]


def test_events_are_asked_for_from_their_end(live):
    for _ in range(5):
        live.submit(hold=True)
    live.wait(lambda: len([e for e in live.api("/v1/events?from=0&follow=0")[1] if e["event"] == "JOBSUBMIT"]) == 5, "the events")
    all_of_them = [e for e in live.api("/v1/events?from=0&follow=0")[1] if "number" in e]
    assert live.api("/v1/events?last=3&follow=0")[1] == all_of_them[-3:]
    assert live.api("/v1/events?last=100000&follow=0")[1] == all_of_them
