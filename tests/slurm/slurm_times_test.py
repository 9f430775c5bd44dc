# SPDX-License-Identifier: Apache-2.0
"""Times that Slurm keeps for jobs: least limits, limits that are overrun, reservations that
go away. With Slurm's library and through scontrol."""
import pathlib
import re
import time

import pytest

from slurm_life_test import running

CLUSTER = {"nodes": 2, "conf": "OverTimeLimit=3\n"}
pytestmark = pytest.mark.usefixtures("meanwhile")
TRANSPORTS = [None, "SCONTROL"]


def reserved(c, name, start, user="daemon"):
    c.ok("scontrol", "create", "reservation", f"reservationname={name}", "duration=60",
         "nodes=ALL", f"users={user}", f"starttime={start}")


@pytest.fixture(params=TRANSPORTS, ids=["library", "scontrol"])
def cluster(request, slurm, fresh_cluster):
    """One of each transport."""
    if request.param is None:
        return slurm
    return fresh_cluster(transport=request.param, **CLUSTER)


def shown(c, job, field):
    return (c.show(job) or {}).get(field)


def test_a_job_is_cut_to_end_before_what_comes_and_is_whole_again_when_requeued(cluster):
    c = cluster
    reserved(c, "later", "now+20minutes")
    try:
        job = c.sbatch("-n1", "-t60", "--time-min=5", "--requeue")
        long = c.sbatch("-n1", "-t60", "--time-min=30")
        running(c, job)
        cut = shown(c, job, "TimeLimit")
        assert "00:18:00" <= cut <= "00:20:00", cut
        assert c.state(long) == "PENDING" and shown(c, long, "TimeLimit") == "01:00:00"
        assert re.search(r"Least WallTime: +0?0:05:00 +\(shortened from +0?1:00:00\)",
                         c.maui.why(job)), c.maui.why(job)
        c.ok("scontrol", "requeue", job)
        c.wait(lambda: c.state(job) == "PENDING" and shown(c, job, "TimeLimit") == "01:00:00",
               "its own limit")
        running(c, job)
        assert "00:15:00" <= shown(c, job, "TimeLimit") <= "00:20:00"
    finally:
        c.empty()
        c.ok("scontrol", "delete", "reservationname=later")


def test_a_start_that_fails_leaves_the_limit_as_it_was(slurm):
    """Slurm refuses it, as its node is gone at that moment."""
    reserved(slurm, "later", "now+20minutes")
    try:
        slurm.kill("n2")
        job = slurm.sbatch("-w", "n2", "-n1", "-t60", "--time-min=5")
        slurm.wait(lambda: shown(slurm, job, "TimeLimit") < "01:00:00", "a start", 90)
        slurm.ok("scontrol", "update", "nodename=n2", "state=down", "reason=gone")
        slurm.wait(lambda: slurm.state(job) == "PENDING"
                   and shown(slurm, job, "TimeLimit") == "01:00:00", "its own limit", 90)
    finally:
        slurm.start("n2")
        slurm.run("scontrol", "update", "nodename=n2", "state=resume")  # it may be up again
        slurm.empty()
        slurm.wait(slurm.all_up, "all nodes")
        slurm.ok("scontrol", "delete", "reservationname=later")


@pytest.mark.parametrize("cluster", [None, pytest.param("SCONTROL", marks=pytest.mark.long(
    "test_who_waits_for_a_reservation_that_is_gone_is_held_and_says_so"))],
    ids=["library", "scontrol"], indirect=True)
def test_who_waits_for_a_reservation_that_is_gone_is_held_and_says_so(cluster):
    """Slurm itself refuses to delete one that jobs wait for, but it ends."""
    c = cluster
    owner = "games" if c.user == "root" else None  # who may not all that Slurm's user may
    c.ok("scontrol", "create", "reservation", "reservationname=mine", f"users={owner or c.user}",
         "nodes=n2", "starttime=now", "endtime=now+6")
    job = c.sbatch("-n1", "--reservation=mine", "--begin=now+15", user=owner)
    c.wait(lambda: c.maui.job(job), "the job")
    c.wait_maui(job, "Hold", seconds=90)
    c.wait(lambda: "Reservation" in c.maui.why(job), "the reason")
    why = c.maui.why(job)
    assert "mine" in why and "deleted" in why, why
    c.ok("scontrol", "hold", job, user=owner)  # beside Slurm's own: one release lifts both
    with c.stopped("adapter"):     # Slurm gives it a priority for that, and notes it on
        for _ in range(4):
            c.ok("scontrol", "release", job, user=owner)
            time.sleep(1)
        assert c.state(job) in ("PENDING", "RESV_DEL_HOLD")
    c.wait_state(job, "RUNNING", seconds=120)


def test_the_limit_of_a_running_job_is_followed(slurm):
    job = slurm.sbatch("-n1", "-t60")
    running(slurm, job)
    slurm.ok("scontrol", "update", f"jobid={job}", "timelimit=30")
    slurm.wait(lambda: slurm.maui.job(job)["wclimit_s"] == 1800, "the limit here")
    slurm.maui.ok("mjobctl", "-m", "wclimit=600", job)
    slurm.wait(lambda: shown(slurm, job, "TimeLimit") == "00:10:00", "the limit in Slurm")
    assert slurm.maui.job(job)["wclimit_s"] == 600


def test_the_limit_of_a_waiting_job_is_slurms(cluster):
    c = cluster
    job = c.sbatch("-n1", "-t60", "-H")
    c.wait(lambda: c.maui.job(job), "the job")
    c.maui.ok("setdeadline", job, "+9:00:00")
    c.maui.ok("mjobctl", "-m", "wclimit=600", job)
    assert shown(c, job, "TimeLimit") == "00:10:00" and c.maui.job(job)["wclimit_s"] == 600
    less = c.sbatch("-n1", "-t60", "--time-min=5", "-H")
    c.wait(lambda: c.maui.job(less), "the job")
    assert c.maui.job(job).get("deadline_at")  # the look that showed the other showed it as well
    c.ok("scontrol", "update", f"jobid={job}", "timelimit=30")
    c.wait(lambda: c.maui.job(job)["wclimit_s"] == 1800, "Slurm's own change")
    for change, says in (("class=other", "scontrol update JobId="), ("account=x", "change it there")):
        refused = c.maui.run("mjobctl", "-m", change, job)
        assert refused.returncode != 0 and says in refused.stdout + refused.stderr, refused
    refused = c.maui.run("mjobctl", "-m", "wclimit=60", less)  # less than the least
    assert refused.returncode != 0 and "did not take the limit" in refused.stdout + refused.stderr
    assert "did not take the limit" in c.maui.ok("checkjob", less)
    assert c.maui.job(less)["wclimit_s"] == 3600 and shown(c, less, "TimeLimit") == "01:00:00"
    for one, seconds, told in ((job, "900", "00:15:00"), (less, "1200", "00:20:00")):
        c.maui.ok("mjobctl", "-m", f"wclimit={seconds}", one)
        c.ok("scontrol", "release", one)
        running(c, one)
        assert shown(c, one, "TimeLimit") == told


def test_a_job_that_is_changed_in_slurm_is_the_same_job(cluster):
    """Several limits at once, and one of ours that is no whole minute."""
    c = cluster
    job = c.sbatch("-n1", "-t60", "-H")
    c.wait(lambda: c.maui.job(job), "the job")
    c.maui.ok("setdeadline", job, "+9:00:00")
    c.maui.ok("setspri", "7", job)
    before = c.maui.job(job)

    def is_same(limit, procs):
        now = c.maui.job(job)
        return (now["wclimit_s"], now["procs"]) == (limit, procs) and all(
            now[name] == before[name] for name in ("deadline_at", "system_priority"))
    c.ok("scontrol", "update", f"jobid={job}", "timelimit=30", "numcpus=2")
    c.wait(lambda: is_same(1800, 2), "both")
    c.maui.ok("mjobctl", "-m", "wclimit=90", job)
    assert is_same(120, 2) and shown(c, job, "TimeLimit") == "00:02:00"
    c.ok("scontrol", "update", f"jobid={job}", "numcpus=1", "timelimit=5")
    c.wait(lambda: is_same(300, 1), "both once more")
    c.maui.kill()
    c.maui.start()
    c.wait(lambda: c.maui.job(job) and is_same(300, 1), "the same")
    told = pathlib.Path(f"{c.maui.home}/log/events.log").read_text().splitlines()
    assert not [e for e in told if "JOBCANCEL" in e and f'"{job}"' in e]
    c.ok("scontrol", "release", job)
    running(c, job)


def overtime_is_foreseen(slurm):
    over = slurm.sbatch("-N2", "--exclusive", "-t1", script="sleep 300")
    running(slurm, over)
    next_one = slurm.sbatch("-N2", "--exclusive", "-t1")
    begun = time.mktime(time.strptime(shown(slurm, over, "StartTime"), "%Y-%m-%dT%H:%M:%S"))
    begun -= time.timezone

    def expected():
        """When its reservation begins, after the other's start."""
        found = slurm.maui.job(next_one)
        return found and found.get("reservation_end_at", 0) - 60 - begun
    slurm.wait(lambda: 55 <= (expected() or 0) <= 65, "a reservation at the limit")
    slurm.wait(lambda: 235 <= expected() <= 245, "one behind the overtime", 180)
    assert slurm.state(over) == "RUNNING"


MINUTES = {"test_overtime_is_foreseen_once_a_job_is_past_its_limit":
           (overtime_is_foreseen, CLUSTER)}


def test_overtime_is_foreseen_once_a_job_is_past_its_limit(meanwhile):
    """Slurm lets it run on for OverTimeLimit, three minutes here."""
    meanwhile("test_overtime_is_foreseen_once_a_job_is_past_its_limit")
