# SPDX-License-Identifier: Apache-2.0
"""RESOURCELIMITPOLICY, and what the resource manager ends for its memory."""
import json
import os

import pytest


def begin(daemon, policy, nodes=""):
    os.makedirs(f"{daemon.home}/tools")
    with open(f"{daemon.home}/tools/notify", "w") as f:
        f.write(f'#!/bin/sh\necho "$1" >> {daemon.home}/told\n')
    os.chmod(f"{daemon.home}/tools/notify", 0o755)
    daemon.configure(f"RESOURCELIMITPOLICY {policy}\nRMPOLLINTERVAL 1\n"
                     "NOTIFICATIONPROGRAM notify\n" + nodes)
    if not nodes:
        return daemon.start()
    daemon.ok("serve", "-L", "5")
    return daemon


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


def test_a_job_beyond_its_disk_or_swap_is_told(daemon):
    begin(daemon, "DISK:ALWAYS:CANCEL SWAP:ALWAYS:CANCEL",
          "NODECFG[one] CFGPROCS=8 CFGDISK=500 CFGSWAP=4000\n")

    def submit(script, **task):
        return daemon.submit(script, requests=[{"tasks": 1, "per_task": dict(task, procs=1)}])

    write = "dd if=/dev/urandom of=$TMPDIR/scratch bs=1M count=40 2>/dev/null; sleep 60"
    hold = "python3 -c 'x = bytearray(300 << 20); import time; time.sleep(60)'"
    modest = [submit(write, disk_mb=100), submit(write), submit(hold, swap_mb=900)]
    greedy = [submit(write, disk_mb=20), submit(hold, swap_mb=50)]
    daemon.wait(lambda: all(daemon.job(job) is None for job in greedy), "the end", 40)
    daemon.wait(lambda: {e["object"] for e in violations(daemon)} == set(greedy), "the events")
    assert sorted(e["resource"] for e in violations(daemon)) == ["DISK", "SWAP"]
    assert [daemon.state(job) for job in modest] == ["Running"] * 3
    for job, used, least in (modest[0], "disk_used_mb", 40), (modest[2], "swap_used_mb", 300):
        daemon.wait(lambda: (daemon.job(job).get(used) or 0) >= least, f"{used} of {job}")


@pytest.mark.parametrize("policy, end", [
    ("MEM:ALWAYS:SUSPEND", "Suspended"), ("MEM:ALWAYS:REQUEUE", "requeue"),
    ("MEM:EXTENDEDVIOLATION:SUSPEND:2", "Suspended"),
    ("DISK:ALWAYS:SUSPEND", "Suspended"), ("DISK:EXTENDEDVIOLATION:REQUEUE:2", "requeue"),
    ("SWAP:ALWAYS:REQUEUE", "requeue")])
def test_what_the_policy_says_is_done_with_the_overrunning_job(daemon, policy, end):
    """And nothing else: it is not ended for its memory first."""
    begin(daemon, policy, "NODECFG[one] CFGPROCS=8 CFGDISK=500 CFGSWAP=4000\n")
    script = {"MEM": "python3 -c 'x = bytearray(200 << 20); import time; time.sleep(60)'",
              "DISK": "dd if=/dev/urandom of=$TMPDIR/x bs=1M count=40 2>/dev/null; sleep 60"}
    asked = {"MEM": {"mem_mb": 50}, "DISK": {"disk_mb": 10}, "SWAP": {"swap_mb": 50}}
    kind = policy.split(":")[0]
    job = daemon.submit(script.get(kind, script["MEM"]), rerunnable=True,
                        requests=[{"tasks": 1, "per_task": dict(asked[kind], procs=1)}])
    if end == "Suspended":
        daemon.wait(lambda: daemon.state(job) == "Suspended", "the suspension", 40)
    else:
        daemon.wait(lambda: "requeue" in daemon.log(), "the requeueing", 40)
    assert daemon.job(job) is not None, daemon.log()
    assert {e["object"] for e in violations(daemon)} == {job}


def test_the_policy_is_checked_and_says_what_cannot_be_measured(maui, tmp_path):
    config = tmp_path / "maui.cfg"
    config.write_text("RESOURCELIMITPOLICY PROC:ALWAYS:CANCEL NODE:ALWAYS\n")
    done = maui("check", "-c", config)
    assert "no resource manager reports how much of it is used" in done.stdout
    assert "not yet in force" not in done.stdout
    config.write_text("RESOURCELIMITPOLICY PROC:ALLWAYS\n")
    done = maui("check", "-c", config, check=False)
    assert done.returncode == 1 and "ALWAYS" in done.stdout
