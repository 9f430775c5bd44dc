# SPDX-License-Identifier: Apache-2.0
"""RESOURCELIMITPOLICY, and what the resource manager ends for its memory."""
import json
import os

def begin(daemon, policy):
    os.makedirs(f"{daemon.home}/tools")
    with open(f"{daemon.home}/tools/notify", "w") as f:
        f.write(f'#!/bin/sh\necho "$1" >> {daemon.home}/told\n')
    os.chmod(f"{daemon.home}/tools/notify", 0o755)
    daemon.configure(f"RESOURCELIMITPOLICY {policy}\nRMPOLLINTERVAL 1\n"
                     "NOTIFICATIONPROGRAM notify\n")
    return daemon.start()


def violations(daemon):
    with open(f"{daemon.home}/log/events.log") as f:
        return [e for e in map(json.loads, f) if e["event"] == "JOBRESVIOLATION"]


def test_a_job_beyond_its_memory_is_told(daemon):
    begin(daemon, "MEM:ALWAYS:CANCEL")
    modest = daemon.submit("sleep 60", requests=[{"tasks": 1, "per_task": {"mem_mb": 500}}])
    greedy = daemon.submit("python3 -c 'x = bytearray(300 << 20); import time; time.sleep(60)'",
                           requests=[{"tasks": 1, "per_task": {"mem_mb": 50}}])
    daemon.wait(lambda: daemon.job(greedy) is None, "the end", 40)
    daemon.wait(lambda: violations(daemon), "the event")
    assert daemon.state(modest) == "Running"
    assert {e["object"] for e in violations(daemon)} == {greedy}
    daemon.wait(lambda: os.path.exists(f"{daemon.home}/told"), "the notification")
    assert f"JOBRESVIOLATION:  job '{greedy}'" in open(f"{daemon.home}/told").read()


def test_the_policy_is_checked_and_says_what_cannot_be_measured(maui, tmp_path):
    config = tmp_path / "maui.cfg"
    config.write_text("RESOURCELIMITPOLICY PROC:ALWAYS:CANCEL SWAP:ALWAYS\n")
    done = maui("check", "-c", config)
    assert "no resource manager tells how much of it is used" in done.stdout
    assert "not yet in force" not in done.stdout
    config.write_text("RESOURCELIMITPOLICY PROC:ALLWAYS\n")
    done = maui("check", "-c", config, check=False)
    assert done.returncode == 1 and "ALWAYS" in done.stdout
