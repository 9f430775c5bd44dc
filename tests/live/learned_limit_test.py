# SPDX-License-Identifier: Apache-2.0
"""WCLIMITDEFAULT HISTORY in the daemon: who asks for no limit has one by what such jobs took."""
import json
import subprocess

from live_users import Other

HOURS = "SYSTEMDEFAULTJOBWALLTIME 10:00:00\n"


def submit(daemon, user=None, script="sleep 60", **request):
    """Without a limit."""
    if user:
        return user.submit(script=f"#!/bin/sh\n{script}\n", wclimit_s=0, **request)
    return daemon.submit(script, wclimit_s=0, **request)


def taught(daemon):
    """Five jobs without a limit have run; by any user."""
    jobs = [submit(daemon, script="exit 0") for _ in range(5)]
    daemon.wait(lambda: daemon.api("/v1/statistics")[1]["completed_jobs"] == len(jobs),
                "the ends")


def limit(daemon, job):
    found = daemon.wait(lambda: daemon.job(job), "the job")
    return found["wclimit_s"], found.get("wclimit_learned", False)


def test_a_limit_is_learned_and_outlives_a_kill(daemon):
    daemon.configure("WCLIMITDEFAULT HISTORY\n" + HOURS)
    daemon.start()
    assert limit(daemon, submit(daemon, hold=True)) == (36000, False)
    taught(daemon)
    active = submit(daemon)
    waiting = submit(daemon, hold=True)
    asks = daemon.submit(wclimit_s=900, hold=True)
    daemon.wait(lambda: daemon.state(active) == "Running", "the start")
    known = {active: (600, True), waiting: (600, True), asks: (900, False)}
    assert {job: limit(daemon, job) for job in known} == known
    told = daemon.ok("checkjob", waiting)
    assert "of 00:10:00\nWallTime Learned: " in told
    assert "WallTime Learned" not in daemon.ok("checkjob", asks)

    # what was learned is known to the next life, and what was given stays
    daemon.kill()
    daemon.start()
    assert {job: limit(daemon, job) for job in known} == known
    assert limit(daemon, submit(daemon, hold=True)) == (600, True)
    daemon.kill()
    daemon.configure(HOURS)
    daemon.start()
    assert {job: limit(daemon, job) for job in known} == known
    assert limit(daemon, submit(daemon, hold=True)) == (36000, False)

    # and whoever asks for another has that
    daemon.ok("mjobctl", "-m", "wclimit=0:20:00", waiting)
    assert limit(daemon, waiting) == (1200, False)
    assert "WallTime Learned" not in daemon.ok("checkjob", waiting)


def test_the_keeper_of_a_job_lets_it_run_on_to_the_default(daemon):
    daemon.configure("WCLIMITDEFAULT HISTORY\n" + HOURS)
    daemon.start()
    taught(daemon)
    job = submit(daemon)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    found = subprocess.run(["grep", "-rhs", '"overrun_s"', daemon.home], text=True,
                           capture_output=True, check=True).stdout
    kept = [json.loads(line) for line in found.splitlines() if line.startswith("{")]
    assert (600, 35400) in [(k.get("wclimit_s"), k.get("overrun_s")) for k in kept]


def test_another_user_has_the_limit_of_all(daemon):
    daemon.configure("WCLIMITDEFAULT HISTORY\n" + HOURS)
    other = Other(daemon)
    daemon.start()
    taught(daemon)
    job = submit(daemon, other, hold=True)
    assert limit(daemon, job) == (600, True)
    assert "WallTime Learned" in other.ok("checkjob", job)


def test_a_time_goes_before_the_older_parameter(daemon):
    daemon.configure("WCLIMITDEFAULT 0:30:00\n" + HOURS)
    daemon.start()
    assert limit(daemon, submit(daemon, hold=True)) == (1800, False)
