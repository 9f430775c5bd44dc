# SPDX-License-Identifier: Apache-2.0
"""showq: sections, sums, order, filters and its extended views."""
import re

import pytest

from commands_test import tasks

from live_daemon import ME, MY_GROUP


def rows(text, heading):
    """Fields of the rows of a section, up to the blank line after them."""
    lines = text.split(f"{heading}-", 1)[1].splitlines()[3:]
    return [l.split() for l in lines[:lines.index("")]]


def ids(text, heading):
    return [row[0] for row in rows(text, heading)]


@pytest.fixture
def queue(daemon):
    """Of eight processors: 1 has three for 300 s, 2 one for 100 s; 3 and 4 wait (4 of
    higher priority), 5 is held."""
    daemon.start()
    for procs, limit in ((3, 300), (1, 100)):
        job = daemon.submit(requests=tasks(procs), wclimit_s=limit)
        daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    for _ in (3, 4):
        daemon.submit(requests=tasks(8), wclimit_s=3600)
    daemon.ok("setspri", 5, "4")
    daemon.submit(hold=True)
    daemon.wait(lambda: daemon.job("4").get("reservation_at"), "the reservation")
    return daemon


def test_sections_tell_jobs_and_sums(queue):
    text = queue.ok("showq")
    for job, procs, limit in (("1", "3", 300), ("2", "1", 100)):
        row = next(r for r in rows(text, "ACTIVE JOBS") if r[0] == job)
        assert row[1:4] == [ME, "Running", procs]
        minutes, seconds = row[4].split(":")[1:]
        assert limit - 60 < int(minutes) * 60 + int(seconds) <= limit
    assert [r[2:5] for r in rows(text, "IDLE JOBS")] == [["Idle", "8", "1:00:00"]] * 2
    assert rows(text, "BLOCKED JOBS")[0][:3] == ["5", ME, "UserHold"]
    assert "      2 Active Jobs      4 of    8 Processors Active (50.00%)\n" in text
    assert re.search(r"\n +\d of    4 Nodes Active      \((50|75)\.00%\)\n", text)
    assert "\n2 Idle Jobs\n" in text
    assert text.endswith(
        "\nTotal Jobs: 5   Active Jobs: 2   Idle Jobs: 2   Blocked Jobs: 1\n")


def test_active_jobs_are_sorted_by_end_and_idle_ones_by_priority(queue):
    text = queue.ok("showq")
    assert ids(text, "ACTIVE JOBS") == ["2", "1"]
    assert ids(text, "IDLE JOBS") == ["4", "3"]


def test_u_shows_the_jobs_of_one_user(queue):
    assert ids(queue.ok("showq", "-u", ME), "IDLE JOBS") == ["4", "3"]
    assert queue.ok("showq", "-u", "nobody").endswith(
        "\nTotal Jobs: 0   Active Jobs: 0   Idle Jobs: 0   Blocked Jobs: 0\n")


def test_p_shows_what_is_in_one_partition(daemon):
    daemon.configure("NODECFG[node04] PARTITION=small\n")
    daemon.start()
    there = daemon.submit(partitions=["small"])
    here = daemon.submit(partitions=["DEFAULT"])
    daemon.wait(lambda: {daemon.state(there), daemon.state(here)} == {"Running"}, "starts")
    waits = daemon.submit(partitions=["small"], requests=tasks(2))
    daemon.wait(lambda: daemon.job(waits).get("reservation_at"), "the reservation")
    text = daemon.ok("showq", "-p", "small")
    assert (ids(text, "ACTIVE JOBS"), ids(text, "IDLE JOBS")) == ([there], [waits])
    assert "1 of    2 Processors Active (50.00%)" in text
    assert ids(daemon.ok("showq", "-p", "DEFAULT"), "ACTIVE JOBS") == [here]
    assert ids(daemon.ok("showq", "-p", "DEFAULT"), "IDLE JOBS") == []


def test_i_tells_priorities_reservations_and_the_backlog(queue):
    lines = queue.ok("showq", "-i").splitlines()
    assert lines[0].split() == ["JobName", "Priority", "XFactor", "Q", "User", "Group",
                                "Procs", "WCLimit", "Class", "SystemQueueTime"]
    first, second = lines[2].split(), lines[3].split()
    assert first[:2] == ["4*", "1000000005"] and second[0] == "3"
    assert first[4:8] == [ME, MY_GROUP, "8", "1:00:00"]
    assert lines[-1].startswith("Jobs: 2  Total Backlog:  16.00 ProcHours  (2.00 Hours)")


def test_r_tells_efficiency_and_marks_backfilled_and_preemptible_jobs(daemon):
    daemon.configure("QOSCFG[low] QFLAGS=PREEMPTEE\nUSERCFG[DEFAULT] QLIST=low\n"
                     "RMPOLLINTERVAL 1\n")
    daemon.start()
    first = daemon.submit(requests=tasks(6), wclimit_s=300)
    daemon.wait(lambda: daemon.state(first) == "Running", "the start")
    wide = [daemon.submit(requests=tasks(8)) for _ in range(2)]
    daemon.wait(lambda: daemon.job(wide[0]).get("reservation_at"), "the reservation")
    filled = daemon.submit("while :; do :; done", wclimit_s=60)
    both = daemon.submit(wclimit_s=50, qos="low")
    daemon.wait(lambda: {daemon.state(filled), daemon.state(both)} == {"Running"}, "starts")

    def row(job):
        lines = [l.split() for l in daemon.ok("showq", "-r").splitlines()]
        return next((l for l in lines if l and l[0].rstrip("+*-") == job), [])

    daemon.wait(lambda: row(filled)[3:4] not in ([], ["------"], ["0.00"]), "its use")
    assert row(filled)[0] == filled + "+" and row(both)[0] == both + "*"
    assert row(first)[0] == first
    assert float(row(filled)[3]) > 0 and float(row(filled)[4]) >= 1
    assert row(both)[5] == "lo" and row(first)[8] == "node01"


def test_b_gives_the_reason(queue):
    assert queue.ok("showq", "-b").splitlines()[2].split(None, 2) == [
        "5", ME, "has the following hold(s) in place:  User"]


def test_c_tells_exit_status_and_wall_time(live):
    job = live.submit("sleep 2; exit 5")
    live.wait(lambda: live.ok("showq", "-c").endswith("\n1 Job\n"), "the end")
    head, row = (live.ok("showq", "-c").splitlines()[i].split() for i in (0, 2))
    assert head[2] == "CCode" and head[11] == "WallTime"
    assert row[:3] == [job, "C", "5"] and "00:00:02" <= row[11] < "00:01:00"


@pytest.mark.parametrize("words,complaint", [
    (["-w", "foo=1"], "showq: -w: 'foo=1' is not CRED=NAME; expected CRED to be one of user, "),
    (["-w", "games"], "showq: -w: 'games' is not CRED=NAME"),
    (["-w", "class=batc"], "ERROR:    there is no class 'batc'; did you mean 'batch'?"),
    (["-u", "no-such"], "ERROR:    there is no user 'no-such'"),
    (["-c", "-w", "user=root"], "showq: -c and -w do not go together"),
    (["-c", "-p", "DEFAULT"], "showq: -c and -p do not go together"),
])
def test_a_filter_that_would_show_all_or_nothing_is_told(daemon, words, complaint):
    daemon.configure("CLASSCFG[batch] PRIORITY=1\n")
    live = daemon.start()
    done = live.run("showq", *words)
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith(complaint)
    for good in (["-w", "class=batch"], ["-w", "USER=games"], ["-u", "games"]):
        assert "Total Jobs: 0" in live.ok("showq", *good)
