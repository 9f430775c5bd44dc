# SPDX-License-Identifier: Apache-2.0
"""What a credential used over time, and how waits and expansion factors are distributed."""
import contextlib
import sqlite3

import pytest

from driven_clock import DrivenClock
from live_daemon import ME
from live_users import LEVELS, Users, need_users

BEGIN, HOUR = 1800000000, 3600
NAMES = ["procs_active", "active", "queued", "wait_s"]


def submit(daemon, procs, limit, **more):
    return daemon.submit("sleep 600", wclimit_s=limit, output="/dev/null", error="/dev/null",
                         requests=[{"tasks": procs, "per_task": {"procs": 1}}], **more)


@pytest.fixture
def day(daemon):
    """Whoever runs it: 6 of 8 processors for an hour, then, having waited for it, 8 for half of one;
    then two hours of nothing."""
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env)
    clock.stand(BEGIN)
    daemon.configure(LEVELS + "RMPOLLINTERVAL 10:00:00\n")
    daemon.start()
    first = submit(daemon, 6, 2 * HOUR, account="physics")
    daemon.wait(lambda: daemon.state(first) == "Running", "its start")
    second = submit(daemon, 8, HOUR, account="biology")
    daemon.wait(lambda: daemon.state(second) == "Idle", "its waiting")
    clock.stand(BEGIN + HOUR)
    daemon.ok("canceljob", first)
    daemon.wait(lambda: daemon.state(second) == "Running", "its start")
    clock.stand(BEGIN + HOUR + HOUR // 2)
    daemon.clock = clock
    daemon.second = second
    return daemon


def get(daemon, path):
    status, answer = daemon.api(path)
    assert status == 200, answer
    return answer


def test_use_is_that_of_records_and_of_what_runs(day):
    span = f"from={BEGIN}&to={BEGIN + 2 * HOUR}&points=4"
    answer = get(day, f"/v1/series/user?name={ME}&{span}")
    assert answer["names"] == NAMES
    # up to now, which is after an hour and a half
    assert answer["to"] == BEGIN + HOUR + HOUR // 2
    rows = get(day, f"/v1/series/user?name={ME}&from={BEGIN}&points=3")["points"]
    assert rows == [[BEGIN, 6, 1, 1, 0], [BEGIN + 1800, 6, 1, 1, None], [BEGIN + 3600, 8, 1, 0, HOUR]]
    # the last of seven is shorter, and as full
    assert get(day, f"/v1/series/user?name={ME}&from={BEGIN}&points=7")["points"][-1][1:3] == [8, 1]
    day.ok("canceljob", day.second)
    day.wait(lambda: day.state(day.second) is None, "its end")
    day.clock.stand(BEGIN + 4 * HOUR)
    rows = get(day, f"/v1/series/account?name=biology&from={BEGIN}&points=8")["points"]
    assert [r[1] for r in rows] == [0, 0, 8, 0, 0, 0, 0, 0]
    assert [r[3] for r in rows] == [1, 1, 0, 0, 0, 0, 0, 0]
    day.ok("schedctl", "-k")
    day.start()  # nothing of it is of one life
    assert get(day, f"/v1/series/account?name=biology&from={BEGIN}&to={BEGIN + 4 * HOUR}&points=8")["points"] == rows


def test_waits_and_factors_are_counted_between_their_bounds(day):
    day.ok("canceljob", day.second)
    day.wait(lambda: day.state(day.second) is None, "its end")
    told = get(day, "/v1/distributions")
    assert told["jobs"] == 2 and told["wait_s"] == HOUR / 2 and told["xfactor"] == 1
    assert get(day, "/v1/statistics")["total"]["xfactor"] == told["xfactor"]
    assert {b: n for b, n in zip(told["wait_bounds_s"], told["waits"]) if n} == {10: 1, HOUR: 1}
    assert {b: n for b, n in zip(told["xfactor_bounds"], told["xfactors"]) if n} == {0.5: 1, 1.5: 1}
    assert len(told["waits"]) == len(told["wait_bounds_s"]) + 1
    assert get(day, "/v1/distributions?kind=account&name=physics")["waits"][0] == 1
    assert get(day, f"/v1/distributions?from={BEGIN + HOUR + 1}")["jobs"] == 1


def put_ended(daemon, n):
    """As many jobs of carol's as that, one ending each ten seconds, into the state of one that stands."""
    with contextlib.closing(sqlite3.connect(f"{daemon.home}/state.db")) as db:
        db.executemany(
            'INSERT INTO account(job, name, "user", "group", account, class, qos, partition, state, submit_at, queue_at,'
            " start_at, end_at, wclimit_s, procs, nodes, tasks, mem_mb, cpu_s, exit_status, backfilled, priority, hosts, extra)"
            " VALUES(?, '', 'carol', '', '', '', '', '', 'Completed', ?, ?, ?, ?, 60, 1, 1, 1, -1, -1, 0, 0, 0, '', '')",
            [(f"old.{i}", end - 30, end - 30, end - 10, end) for i, end in ((i, BEGIN - 10 * i) for i in range(n))])
        db.commit()


def test_of_very_many_the_newest_are_told_in_turns(day):
    """More than one answer is made of: the walk over the rows ends, and says from when it is."""
    day.ok("schedctl", "-k")
    put_ended(day, 21000)
    day.start()
    told = get(day, "/v1/distributions?from=1000000000")
    # of the newest 20,000 one was cancelled on the way: its row is among them
    assert told["jobs"] == 20000 and sum(told["waits"]) == 20000
    assert told["from"] == BEGIN - 10 * 19998, told["from"]
    assert get(day, f"/v1/distributions?from={BEGIN - 10 * 999}&to={BEGIN}")["jobs"] == 1000
    users = get(day, f"/v1/series/user?name={ME}&from={BEGIN - 300000}&points=10")
    assert users["points"], users


def test_others_are_for_administrators_and_what_is_wrong_is_told(day):
    need_users()
    users = Users(day)
    job = users.submit("nobody")
    assert job
    for path in ("/v1/series/user?name={}", "/v1/distributions?kind=user&name={}"):
        assert users.api("nobody", path.format("nobody"))[0] == 200
        assert users.api("nobody", path.format("root"))[0] == 403
        assert users.api("daemon", path.format("root"))[0] == 200
    for path in ("/v1/distributions", "/v1/series/account?name=physics", "/v1/series/account?name=nobody",
                 "/v1/distributions?kind=group&name=nobody"):
        assert users.api("nobody", path)[0] == 403, path
    for path, status, words in (("/v1/series/user", 400, "both"), ("/v1/series/box?name=x", 404, "expected user"),
                                ("/v1/series/account?name=physic", 404, "physics"),
                                ("/v1/series/user?name=root&points=301", 400, "1 to 300"),
                                (f"/v1/series/user?name=root&from={2**63 - 1}&to={2**63 - 1}", 400, "not ahead"),
                                ("/v1/distributions?kind=user", 400, "both"),
                                ("/v1/distributions?from=9&to=8", 400, "behind")):
        got, answer = day.api(path)
        assert got == status and words in answer["error"]["message"], (path, answer)
    # of then: what was over by then
    past = day.api("/v1/past", {"at": BEGIN + 60})[1]["past"]
    assert get(day, f"/v1/distributions?past={past}")["jobs"] == 0
    assert get(day, f"/v1/distributions")["jobs"] == 1
