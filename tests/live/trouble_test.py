# SPDX-License-Identifier: Apache-2.0
"""The disk is full, locked or damaged, the spool is gone: the daemon says so, loses
nothing, and goes on when it can."""
import contextlib
import glob
import json
import os
import shutil
import sqlite3
import subprocess

import pytest

from live_users import Users


def submission(daemon):
    return {"script": "#!/bin/sh\ntrue\n", "wclimit_s": 100, "directory": "/tmp",
            "output": "/dev/null", "error": "/dev/null"}


def test_a_locked_state_file_refuses_changes_and_loses_none(live):
    job = live.submit(hold=True)
    other = sqlite3.connect(f"{live.home}/state.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    status, answer = live.api("/v1/orders/priority", {"jobs": [job], "priority": 7})
    assert status == 503 and "another program has it locked" in answer["error"]["message"]
    status, answer = live.api("/v1/jobs", submission(live))
    assert status == 503 and "nothing new is taken" in answer["error"]["message"]
    assert live.api(f"/v1/jobs/{job}")[0] == 200
    other.close()
    live.wait(lambda: live.api("/v1/jobs", submission(live))[0] == 200, "a submission")
    live.kill()
    live.wait(lambda: live.run("serve", "--nodes", live.nodes).returncode == 0, "a restart")
    assert live.job(job)["system_priority"] == 7


def test_a_damaged_state_file_is_refused_and_left_as_it_is(live):
    live.submit()
    live.stop()
    path = f"{live.home}/state.db"
    with open(path, "r+b") as f:
        f.write(b"not a database at all")
    with open(path, "rb") as f:
        before = f.read()
    done = live.run("serve", "--nodes", "4x2")
    assert done.returncode == 1
    assert "state.db" in done.stderr and "damaged" in done.stderr
    with open(path, "rb") as f:
        assert f.read() == before


def flip(path, at):
    with open(path, "r+b") as f:
        f.seek(at)
        bytes_there = f.read(100)
        f.seek(at)
        f.write(bytes(255 - b for b in bytes_there))


def test_a_damage_that_the_end_of_the_machine_left_ends_the_daemon(live):
    """It starts at once, finds the damage beside its work, ends, and is refused from then on;
    the file stays as it was, and what was acknowledged is there when it has been mended."""
    path = f"{live.home}/state.db"
    live.stop()
    filled = sqlite3.connect(path)
    filled.execute("CREATE TABLE filler(text)")
    filled.executemany("INSERT INTO filler VALUES(?)", [("7" * 4000,)] * 500)
    filled.commit()
    filled.close()
    live.start()
    job = live.submit(hold=True)
    live.kill()
    size = os.path.getsize(path)
    flip(path, size - 20 * 4096)
    with open(path, "rb") as f:
        before = f.read()
    with open(f"{live.home}/state.db-lock", "w") as f:
        f.write("1\n")  # by a life of the machine that is over
    assert live.run("serve", "--nodes", live.nodes).returncode == 0
    live.wait(lambda: live.run("serve", "--nodes", live.nodes).returncode == 1
              and "maui ends" in live.log(), "its end")
    assert "maui ends, as the state is damaged" in live.log()
    for _ in range(2):
        done = live.run("serve", "--nodes", live.nodes)
        assert done.returncode == 1
        assert "damaged" in done.stderr and "put a backup in its place" in done.stderr
    with open(path, "rb") as f:
        assert f.read() == before
    flip(path, size - 20 * 4096)
    live.start()
    assert live.job(job)


def test_a_sound_state_is_looked_at_beside_the_work(live):
    live.kill()
    with open(f"{live.home}/state.db-lock", "w") as f:
        f.write("1\n")
    live.start()
    live.wait(lambda: "the state is sound" in live.log(), "the verdict")
    job = live.submit(hold=True)
    live.stop()
    with open(f"{live.home}/state.db-lock") as f:
        assert f.read() == "closed\n"
    live.start()
    assert live.job(job)


def test_without_its_spool_the_daemon_refuses_jobs_and_stays(live):
    shutil.rmtree(f"{live.home}/spool")
    status, answer = live.api("/v1/jobs", submission(live))
    assert status in (400, 409, 503), answer
    assert len(answer["error"]["message"]) > 10
    assert live.api("/v1/scheduler")[0] == 200


def test_a_number_is_not_given_again_though_the_spool_is_gone(live):
    """Neither over a restart nor under the running daemon."""
    first = int(live.submit("true"))
    live.wait(lambda: live.job(first) is None, "its end")
    live.stop()
    shutil.rmtree(f"{live.home}/spool")
    live.start()
    second = int(live.submit("true"))
    assert second == first + 1
    live.wait(lambda: live.job(second) is None, "its end")
    array = live.api("/v1/jobs", dict(submission(live), array="0-1"))[1]["ids"]
    assert [i.split("[")[0] for i in array] == [str(first + 2)] * 2
    live.wait(lambda: not any(map(live.job, array)), "their ends")  # they write there
    live.stop()
    shutil.rmtree(f"{live.home}/spool")
    live.start()
    assert int(live.submit("true")) == first + 3


@contextlib.contextmanager
def small(folder, size, what):
    """A disk of its own for that folder."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"NOT TESTED, {what}: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


@pytest.fixture
def small_disk(daemon):
    with small(daemon.home, "3m", "a full disk"):
        daemon.configure("")
        yield daemon
        daemon.stop()


def test_a_full_disk_refuses_jobs_and_loses_none(small_disk):
    live = small_disk.start()
    job = live.submit(hold=True)
    fill(live.home)
    refused = [live.api("/v1/jobs", dict(submission(live), script="#!/bin/sh\n" + "#" * 100000))
               for _ in range(5)]
    for status, answer in refused:
        assert status == 503, answer
        assert "space" in answer["error"]["message"] or "full" in answer["error"]["message"]
    assert live.job(job)
    os.remove(f"{live.home}/fill")
    live.wait(lambda: live.api("/v1/jobs", submission(live))[0] == 200, "a submission")
    live.kill()
    live.wait(lambda: live.run("serve", "--nodes", live.nodes).returncode == 0, "a restart")
    assert live.job(job)


def fill(folder):
    with open(f"{folder}/fill", "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 4096):
                pass
        except OSError:
            pass


@pytest.fixture
def small_log(daemon):
    """The log, the events and the statistics are on a small disk of their own."""
    os.mkdir(f"{daemon.home}/log")
    with small(f"{daemon.home}/log", "400k", "a full disk of the log"):
        daemon.configure("STATDIR log\nDEFERTIME 0\n")
        yield daemon
        daemon.stop()


def test_a_full_disk_of_the_log_tears_no_line_and_loses_no_record(small_log):
    """The last room takes half a line: it would take the next one with it."""
    live = small_log.start()
    folder = f"{live.home}/log"
    first = live.submit("true")
    live.wait(lambda: live.job(first) is None, "its end")
    fill(folder)
    ended = [live.submit("true") for _ in range(20)]
    live.wait(lambda: not any(map(live.job, ended)), "their ends")
    os.remove(f"{folder}/fill")
    last = live.submit("true")
    live.wait(lambda: live.job(last) is None, "its end")
    live.stop()
    with open(f"{folder}/events.log", encoding="utf-8") as f:
        events = [json.loads(line) for line in f]
    assert [e["number"] for e in events] == list(range(1, len(events) + 1))
    jobs = {first, last, *ended}
    assert {e["object"] for e in events if e["event"] == "JOBEND"} == jobs
    with open(glob.glob(f"{folder}/stats.*")[0], encoding="utf-8") as f:
        records = [line.split() for line in f if not line.startswith(("#", "VERSION"))]
    assert all(len(r) == 44 for r in records)
    assert sorted(r[0] for r in records) == sorted(jobs)
    assert all(line[2:3] == "/" for line in live.log().splitlines())


@pytest.fixture
def small_spool(daemon):
    os.mkdir(f"{daemon.home}/spool")
    with small(f"{daemon.home}/spool", "2m", "a full disk of the spool"):
        yield daemon
        daemon.run("canceljob", "ALL")
        daemon.stop()
        daemon.end_processes()


@pytest.mark.parametrize("file", ["$TMPDIR/x", "$0"])
def test_a_job_that_fills_the_spool_makes_room_when_it_ends(small_spool, file):
    """Its end has to be written before its TMPDIR goes, and there is no room for that. The
    copy of its script is its own as well."""
    small_spool.configure("RMPOLLINTERVAL 1\n")
    live = small_spool.start()
    waits = live.submit("true", hold=True)
    live.submit(f"cat /dev/zero >> {file}; until test -e go; do sleep 0.1; done; exit")
    live.wait(lambda: live.api("/v1/jobs", submission(live))[0] == 503, "the full disk")
    assert live.run("releasehold", waits).returncode == 0
    live.wait(lambda: f"did not release job '{waits}'" in live.log(), "a release in vain")
    with open(f"{live.home}/go", "w", encoding="utf-8"):
        pass
    live.wait(lambda: len(live.lines("showq")) <= 1, "the end of both")
    assert live.api("/v1/jobs", submission(live))[0] == 200


def test_what_cannot_be_written_is_not_kept_without_end(small_disk):
    """All that is kept is tried again with each new change: it would become slower and
    slower for everybody."""
    live = small_disk.start()
    users = Users(live, programs=False)
    jobs = [users.submit("nobody", hold=True, script="#!/bin/sh\n") for _ in range(30)]
    fill(live.home)

    def change(who, n):
        return who("/v1/orders/modify", {"jobs": jobs, "changes": [
            {"attribute": "messages", "op": "=", "value": f"m{n}"}]})

    def by_nobody(path, body):
        return users.api("nobody", path, body)

    for n in range(100):
        status, answer = change(by_nobody, n)
        assert status == 503, answer
        if "will be tried again" not in answer["error"]["message"]:
            break
    assert 5 < n < 60 and "nothing new is taken while" in answer["error"]["message"]
    assert by_nobody("/v1/orders/cancel", {"jobs": jobs[:1]})[0] == 503
    assert users.api("nobody", f"/v1/jobs/{jobs[0]}")[0] == 200
    assert "tried again" in change(live.api, "root")[1]["error"]["message"]
    os.remove(f"{live.home}/fill")
    live.wait(lambda: change(by_nobody, "last")[0] == 200, "room")
    live.kill()
    live.start()
    assert live.job(jobs[0])["messages"] == ["mlast"]


def folder_of(daemon, job):
    return glob.glob(f"{daemon.home}/spool/**/{job}", recursive=True)[0]


def test_a_failed_start_keeps_its_nodes_and_is_tried_again(daemon):
    """Its folder is away when it is to start, and comes back."""
    daemon.configure("RMPOLLINTERVAL 1\nRESERVATIONRETRYTIME 5:00\nDEFERTIME 1:00:00\n")
    daemon.start()
    first = daemon.submit(requests=[{"tasks": 8}])
    daemon.wait(lambda: daemon.state(first) == "Running", "the start")
    wide = daemon.submit(requests=[{"tasks": 8}])
    small = daemon.submit(wclimit_s=3000)
    away = f"{daemon.home}/away"
    os.rename(where := folder_of(daemon, wide), away)
    daemon.ok("canceljob", first)
    daemon.wait(lambda: daemon.log().count(f"did not start job '{wide}'") > 1, "two tries")
    assert daemon.state(wide) == daemon.state(small) == "Idle"
    reserved = {r["name"]: r for r in daemon.lines("showres")}[wide]
    assert reserved["nodes"] == 4 and reserved["start_at"] <= reserved["at"] + 2
    os.rename(away, where)
    daemon.wait(lambda: daemon.state(wide) == "Running", "a start that goes well", 60)
    assert daemon.state(small) == "Idle"
    daemon.ok("canceljob", wide)
    daemon.wait(lambda: daemon.state(small) == "Running", "the other start")
