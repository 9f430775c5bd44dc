# SPDX-License-Identifier: Apache-2.0
"""Why a job ended: in checkjob, as data, in the log and after a restart."""
import re
import json
import time

from live_users import Users


def end_of(daemon, job):
    """What accounting knows of its end, when it is over."""
    def ended():
        done = daemon.run("checkjob", job, "--format", "json")
        return done.returncode == 0 and json.loads(done.stdout).get("end")

    return daemon.wait(ended, f"the end of job {job}", 40)


def said(daemon, job):
    return daemon.ok("checkjob", job).strip().splitlines()[-1]


def line(daemon, job):
    """Of the log at its usual level, without its date."""
    lines = [x for x in daemon.log().splitlines() if f"job '{job}': end:" in x]
    assert len(lines) == 1, lines
    return lines[0].split(": end: ")[1]


def started(daemon, *submitted):
    job = daemon.submit(*submitted)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    return job


def usual(daemon, config=""):
    daemon.configure(f"RMPOLLINTERVAL 1\n{config}")
    daemon.ok("serve", "--nodes", "4x2")
    return daemon


def test_an_end_by_itself_needs_no_reason(daemon):
    usual(daemon)
    job = daemon.submit("exit 3")
    assert end_of(daemon, job) == {"reason": "by_itself", "text": "it ended by itself"}
    assert said(daemon, job).endswith("with exit status 3")
    assert re.search("Completed, after [01] seconds?, exit status 3", line(daemon, job))


def test_a_signal_that_nobody_sent_is_told(daemon):
    usual(daemon)
    job = daemon.submit("kill -SEGV $$")
    assert end_of(daemon, job)["reason"] == "signal"
    assert said(daemon, job).endswith("with exit status 139: it was killed by signal 11")


def test_the_wallclock_limit_is_told_with_its_numbers(daemon):
    """Also after a restart."""
    usual(daemon)
    job = daemon.submit("sleep 60", wclimit_s=2)
    end = end_of(daemon, job)
    assert (end["reason"], end["limit"]) == ("wallclock_limit", 2)
    assert 2 <= end["used"] <= 10
    why = f"its wallclock limit of 2 s was exceeded: it ran {end['used']:.0f} s"
    assert end["text"] == why and said(daemon, job).endswith(f": {why}")
    assert line(daemon, job).endswith(why)
    daemon.kill()
    daemon.ok("serve", "--nodes", "4x2")
    assert end_of(daemon, job) == end


def test_the_resource_limit_policy_is_told(daemon):
    daemon.configure("RMPOLLINTERVAL 1\nRESOURCELIMITPOLICY DISK:ALWAYS:CANCEL\n"
                     "NODECFG[one] CFGPROCS=8 CFGDISK=500\n")
    daemon.ok("serve")
    job = daemon.submit(
        "dd if=/dev/urandom of=$TMPDIR/scratch bs=1M count=40 2>/dev/null; sleep 60",
        requests=[{"tasks": 1, "per_task": {"procs": 1, "disk_mb": 20}}])
    end = end_of(daemon, job)
    assert (end["reason"], end["resource"], end["limit"]) == ("usage_limit", "DISK", 20)
    assert end["used"] > 20
    assert said(daemon, job).endswith(
        f"while it ran: it used {end['used']:.1f} MB of disk and asked for 20")
    assert "Removed, after" in line(daemon, job)


def test_the_memory_limit_of_the_resource_manager_is_told(daemon):
    usual(daemon)
    job = daemon.submit("python3 -c 'x = bytearray(300 << 20); import time; time.sleep(60)'",
                        requests=[{"tasks": 1, "per_task": {"mem_mb": 50}}])
    daemon.wait(lambda: daemon.job(job) is None, "the end", 40)
    end = end_of(daemon, job)
    assert (end["reason"], end["limit"]) == ("memory_limit", 50)
    assert "its memory limit of 50 MB was exceeded" in said(daemon, job)


def test_who_cancelled_a_job_is_told(site):
    """The owner, an administrator with his words, and of a job that waits."""
    users = Users(site)
    mine = users.submit("nobody")
    theirs = users.submit("nobody")
    site.wait(lambda: {site.state(j) for j in (mine, theirs)} == {"Running"}, "the starts")
    users.ok("nobody", "canceljob", mine)
    site.ok("mjobctl", "-c", theirs)
    end = end_of(site, mine)
    assert (end["reason"], end["name"], end["by_owner"]) == ("cancelled", "nobody", True)
    assert said(site, mine).endswith("while it ran: its owner nobody cancelled it")
    end = end_of(site, theirs)
    assert (end["reason"], end["name"], end.get("by_owner")) == ("cancelled", "root", None)
    assert line(site, theirs).endswith("administrator root cancelled it")
    with open(f"{site.home}/log/events.log") as f:
        told = {e["object"]: e.get("reason") for e in map(json.loads, f)
                if e["event"] == "JOBCANCEL"}
    assert told == {mine: "cancelled", theirs: "cancelled"}


def test_what_was_said_at_a_cancel_is_kept(daemon):
    usual(daemon)
    job = started(daemon)
    daemon.api("/v1/orders/cancel", {"jobs": [job], "text": "the rack moves"})
    assert end_of(daemon, job)["said"] == "the rack moves"
    assert said(daemon, job).endswith("cancelled it: the rack moves")


def test_a_job_that_asked_not_to_wait_is_told_so(daemon):
    usual(daemon)
    job = daemon.submit(requests=[{"tasks": 64}], flags=["NOQUEUE"])
    assert end_of(daemon, job)["reason"] == "noqueue"


def test_an_end_while_nobody_looked_is_told(daemon):
    usual(daemon)
    job = daemon.submit("sleep 60", wclimit_s=3)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    daemon.kill()
    time.sleep(5)
    daemon.ok("serve", "--nodes", "4x2")
    assert end_of(daemon, job)["reason"] == "wallclock_limit"
