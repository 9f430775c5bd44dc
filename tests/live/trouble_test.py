# SPDX-License-Identifier: Apache-2.0
"""The disk is full, locked or damaged, the spool is gone: the daemon says so, loses
nothing, and goes on when it can."""
import os
import shutil
import sqlite3
import subprocess

import pytest


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


def test_without_its_spool_the_daemon_refuses_jobs_and_stays(live):
    shutil.rmtree(f"{live.home}/spool")
    status, answer = live.api("/v1/jobs", submission(live))
    assert status in (400, 409, 503), answer
    assert len(answer["error"]["message"]) > 10
    assert live.api("/v1/scheduler")[0] == 200


@pytest.fixture
def small_disk(daemon):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", daemon.home],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"NOT TESTED, a full disk: {done.stderr.strip()}")
    daemon.configure("")
    yield daemon
    daemon.stop()
    subprocess.run(["umount", "-l", daemon.home], check=False)


def test_a_full_disk_refuses_jobs_and_loses_none(small_disk):
    live = small_disk.start()
    job = live.submit(hold=True)
    with open(f"{live.home}/fill", "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 4096):
                pass
        except OSError:
            pass
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
