# SPDX-License-Identifier: Apache-2.0
"""The commands that look at things, as an administrator and as somebody else: what they
print, whom they refuse, how they exit."""
import json
import os
import shutil
import subprocess

import pytest

NOBODY = 65534


class Other:
    """The user nobody, with a copy of the program: that user may not read the build."""

    def __init__(self, live):
        if os.geteuid() != 0:
            pytest.skip("another user can only be played by root")
        self.live = live
        os.chmod(live.home, 0o755)
        self.program = shutil.copy(live.program, f"{live.home}/maui")

    def call(self, *words):
        return subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words],
            env=self.live.env, cwd="/", capture_output=True, text=True, timeout=60)

    def run(self, *args):
        return self.call(self.program, *map(str, args))

    def ok(self, *args):
        done = self.run(*args)
        assert done.returncode == 0, f"{args}: {done.stderr}{done.stdout}"
        return done.stdout

    def refused(self, *args):
        done = self.run(*args)
        assert done.returncode == 1 and done.stdout == "", (args, done)
        return done.stderr

    def submit(self, **request):
        request = dict({"script": "#!/bin/sh\nsleep 60\n", "wclimit_s": 300,
                        "directory": "/tmp", "output": "/dev/null",
                        "error": "/dev/null"}, **request)
        done = self.call("curl", "-s", "--unix-socket", f"{self.live.home}/api.sock",
                         "http://maui/v1/jobs", "-d", json.dumps(request))
        return json.loads(done.stdout)["ids"][0]


@pytest.fixture
def other(live):
    return Other(live)


def tasks(n, **task):
    return [{"tasks": n, "per_task": dict({"procs": 1}, **task)}]


def test_checkjob_shows_a_running_job(live):
    job = live.submit(name="one", requests=tasks(3))
    live.wait(lambda: live.state(job) == "Running", "the start")
    text = live.ok("checkjob", job)
    assert text.startswith(f"checking job {job}\n\nAName: one\nState: Running\nCreds:  user:")
    assert "Total Tasks: 3\n\nReq[0]  TaskCount: 3  Partition: DEFAULT\n" in text
    assert "NodeCount: 2\nAllocated Nodes:\n[node01:2][node02:1]\n" in text
    assert f"Reservation '{job}' (" in text and "PE:  3.00  StartPriority:  " in text
    assert "Task Distribution: node01,node01,node02\n" in live.ok("checkjob", "-v", job)


def test_checkjob_says_why_a_job_waits_and_until_when(live):
    first = live.submit(requests=tasks(3))
    live.wait(lambda: live.state(first) == "Running", "the start")
    job = live.submit(requests=tasks(6))
    live.wait(lambda: "reservation" in live.ok("checkjob", job), "its reservation")
    text = live.ok("checkjob", job)
    assert ("job cannot run in partition DEFAULT (insufficient idle procs available: "
            "5 < 6)\n") in text
    assert "NOTE:  this job has a reservation that begins at " in text
    verdicts = live.ok("checkjob", "-v", job).split("Information:\n\n")[1].splitlines()
    assert verdicts == [f"{'node01':<24} rejected : State",
                        f"{'node02':<24} accepted : 1 task supported",
                        f"{'node03':<24} accepted : 2 tasks supported",
                        f"{'node04':<24} accepted : 2 tasks supported"]
    assert live.ok("checkjob", "-n", "node02", job).count("accepted") == 1


def test_checkjob_names_the_limit_its_owner_and_its_numbers(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1\n")
    daemon.start()
    jobs = [daemon.submit() for _ in range(2)]
    daemon.wait(lambda: "MAXJOB" in daemon.ok("checkjob", jobs[1]), "the limit")
    assert ("cannot select job 2 for partition DEFAULT (user root has 1 of MAXJOB 1 "
            "(hard) jobs active and this job would be one more)\n"
            ) in daemon.ok("checkjob", jobs[1])
    assert "job can run in partition DEFAULT (7 procs available.  1 procs required)\n" in (
        daemon.ok("checkjob", "-l", "OFF", jobs[1]))
    wrong = daemon.run("checkjob", "-l", "EASY", jobs[1])
    assert wrong.returncode == 1 and "'EASY' is none of soft, hard, off" in wrong.stderr


def test_checkjob_tells_a_hold_from_the_reason_for_it(live):
    held = live.submit(hold=True)
    large = live.submit(requests=tasks(20))
    live.wait(lambda: "deferred" in live.ok("checkjob", large), "the deferral")
    assert "Holds:    User\n" in live.ok("checkjob", held)
    assert "the resource manager has a user hold on this job" in live.ok("checkjob", held)
    text = live.ok("checkjob", large)
    assert "Holds:    Defer  (hold reason:  NoResources)\n" in text
    assert "the job asks for more than the cluster has" in text


def test_checkjob_a_prints_pairs(live):
    job = live.submit(requests=tasks(2), hold=True)
    line = live.ok("checkjob", "-A", job)
    pairs = dict(p.split("=", 1) for p in line.rstrip(";\n").split(";"))
    assert pairs["NAME"] == job and pairs["STATE"] == "Hold" and pairs["TASKS"] == "2"
    assert pairs["WCLIMIT"] == "300" and int(pairs["QUEUETIME"]) > 10 ** 9


def test_checkjob_is_for_owners_and_administrators(live, other):
    mine, theirs = other.submit(name="mine"), live.submit(name="theirs")
    assert "AName: mine" in other.ok("checkjob", mine)
    assert "AName: mine" in live.ok("checkjob", mine)
    assert other.refused("checkjob", theirs) == (
        f"ERROR:    user nobody is not authorized to check status of job '{theirs}'\n")
    missing = live.run("checkjob", "99999")
    assert (missing.returncode, missing.stderr) == (
        1, "ERROR:    cannot locate job '99999'\n")


def test_others_do_not_see_names_and_details_of_a_job(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1\n")
    daemon.start()
    other = Other(daemon)
    for name in ("secret1", "secret2"):
        daemon.submit(name=name)
    own = [other.submit(name="own") for _ in range(2)]
    daemon.wait(lambda: other.ok("showq", "-b", "-u", "nobody").count("MAXJOB"), "limits")
    text = other.ok("showq", "--format", "json")
    assert "secret" not in text and text.count('"name": "own"') + text.count('"name":"own"') == 2
    rows = {r["id"]: r for r in map(json.loads, text.splitlines()) if "id" in r}
    assert rows["2"]["reason"] == {"code": "limit", "text": "limit"}
    assert "MAXJOB" in rows[own[1]]["reason"]["text"]
    assert "MAXJOB" in daemon.ok("showq", "-b", "-u", "root")
    assert "MAXJOB" not in other.ok("showq", "-b", "-u", "root")
