# SPDX-License-Identifier: Apache-2.0
"""The way back while the gate is closed: what waits for the scheduler alone becomes Slurm's,
as its owner asked; what somebody holds stays held; and nobody gets past meanwhile."""
import contextlib
import os
import pathlib
import time

import pytest

import slurm_release
from slurm_units import Unit

CLUSTER = {"nodes": 2, "open_after": 3600}
NEVER = "Unknown"  # as squeue prints it; "N/A" where there is none
NEVER_AT = 0xffffffff


def replace_gate(slurm, text=None):
    """It is read anew by slurmctld, which takes it for new where it is younger than the
    last one: by whole seconds, and tests go faster."""
    script = pathlib.Path(slurm.dir, "etc/job_submit.lua")
    young = max(time.time(), script.stat().st_mtime) + 2
    if text is not None:
        script.write_text(text)
    os.utime(script, (0, young))


@pytest.fixture
def busy(slurm):
    """A job on all nodes."""
    job = slurm.sbatch("-N", 2, "--exclusive", "-t", "30")
    slurm.wait_state(job, "RUNNING")
    return job


@contextlib.contextmanager
def without_scheduler(slurm):
    slurm.kill("maui")
    try:
        yield
    finally:
        slurm.maui.start()
        slurm.wait(slurm.known, "the scheduler's picture")


def begin(slurm, job):
    return slurm.ok("squeue", "-h", "-j", job, "-o", "%S").strip()


def waiting(slurm, *options, user=None):
    """A job that the scheduler has in its hands."""
    job = slurm.sbatch(*options, user=user)
    slurm.wait(lambda: slurm.show(job)["Priority"] == "0", "its being taken over")
    return job


def dependent(slurm, on, *options, user=None):
    """One that is kept by a begin time that never comes."""
    job = slurm.sbatch("-d", f"afterany:{on}", "-n", 1, *options, user=user)
    slurm.wait(lambda: begin(slurm, job) == NEVER, "its being kept so")
    return job


def letgo(slurm):
    done = slurm.maui.run("slurm", "letgo")
    assert done.returncode == 0, done
    return done.stdout


def test_what_an_administrator_releases_while_the_scheduler_is_away_goes_back(slurm, busy):
    kept, held = waiting(slurm, "-n", 1), slurm.sbatch("-n", 1, "-H")
    slurm.wait_maui(kept, "Idle")
    slurm.wait_maui(held, "Hold")
    still = slurm.sbatch("-n", 1, "-H")
    with without_scheduler(slurm):
        for job in (kept, held):
            slurm.ok("scontrol", "release", job)
            assert slurm.show(job)["Priority"] == "0"      # the gate is closed
        assert letgo(slurm).startswith("2 waiting jobs")
        slurm.ok("scancel", busy)
        for job in (kept, held):
            slurm.wait_state(job, "RUNNING")
        assert slurm.state(still) == "PENDING"


def test_root_and_slurmuser_give_back_what_waits_for_a_scheduler_of_another_user(slurm, busy):
    job, late = waiting(slurm, "-n", 1), dependent(slurm, busy, "--nice=50")
    script = pathlib.Path(slurm.dir, "etc/job_submit.lua")
    before = script.read_text()
    with without_scheduler(slurm):
        replace_gate(slurm, slurm.installed("gate", "--open-after", "3600", "--user", "daemon"))
        try:
            assert letgo(slurm).startswith("2 waiting jobs")
            assert slurm.show(job)["Priority"] != "0"
            slurm.ok("scancel", busy)
            for one in (job, late):
                slurm.wait_state(one, "RUNNING")
        finally:
            replace_gate(slurm, before)


@pytest.mark.parametrize("stop", ["kill", "stop"])
def test_holds_that_were_acknowledged_are_in_slurm_though_the_scheduler_ends(slurm, busy, stop):
    """At once: the adapter has them, and of an array waits for more of the same."""
    jobs = [waiting(slurm, "-n", 1) for _ in range(3)]
    array = slurm.sbatch("--array=1-4", "-n", 1)
    for job in (*jobs, *(f"{array}_{i}" for i in range(1, 5))):
        slurm.wait_maui(job, "Idle")
    slurm.maui.ok("sethold", "-s", *jobs, f"{array}_1", f"{array}_2", f"{array}_3")
    if stop == "kill":
        slurm.kill("maui")
    else:
        slurm.maui.stop()
    try:
        time.sleep(0.1)
        assert letgo(slurm)
        held = (*jobs, *(f"{array}_{i}" for i in range(1, 4)))
        slurm.wait(lambda: all(slurm.show(j)["Reason"] == "JobHeldAdmin" for j in held),
                   "the holds", 3)
        assert slurm.show(f"{array}_4")["Reason"] != "JobHeldAdmin"
        letgo(slurm)
        assert all(slurm.show(j)["Reason"] == "JobHeldAdmin" for j in held)
    finally:
        slurm.maui.start()
        slurm.wait(slurm.known, "the scheduler's picture")
        slurm.maui.ok("releasehold", "-a", *held)


def test_a_hold_takes_away_a_begin_time_that_never_comes(slurm, busy, users):
    away, user, system = (dependent(slurm, busy, user=users[0]) for _ in range(3))
    slurm.maui.ok("sethold", "-u", user)
    slurm.maui.ok("sethold", "-s", system)
    for job, reason in ((user, "JobHeldUser"), (system, "JobHeldAdmin")):
        slurm.wait(lambda job=job, reason=reason: slurm.show(job)["Reason"] == reason, reason)
        slurm.wait(lambda job=job: begin(slurm, job) != NEVER, "the end of the begin time")
    with without_scheduler(slurm):
        slurm.ok("scontrol", "hold", away, user=users[0])
        assert begin(slurm, away) != NEVER
        letgo(slurm)
        for job in (away, user, system):
            assert "JobHeld" in slurm.show(job)["Reason"] and begin(slurm, job) != NEVER
        slurm.ok("scontrol", "release", system)
        slurm.ok("scontrol", "release", away, user=users[0])
        letgo(slurm)
        slurm.ok("scancel", busy)
        for job in (system, away):
            slurm.wait_state(job, "RUNNING")


def test_letgo_restores_what_is_held_amid_something(slurm, busy):
    """A begin time of which no note says that it is ours, and a requeue that holds."""
    hidden = waiting(slurm, "-n", 1, "-H")
    again = slurm.sbatch("-n", 1, "-w", "n1", "--requeue", "-t", 5)
    slurm.wait_maui(again, "Idle")
    with without_scheduler(slurm):
        never = time.strftime("%FT%T", time.localtime(NEVER_AT))
        slurm.ok("scontrol", "update", f"jobid={hidden}", f"starttime={never}",
                 "admincomment=maui:admin")
        replace_gate(slurm)
        letgo(slurm)
        slurm.ok("scancel", busy)
        slurm.wait_state(again, "RUNNING")
        assert begin(slurm, hidden) != NEVER
    slurm.wait_maui(again, "Running")
    with without_scheduler(slurm):
        slurm.ok("scontrol", "requeuehold", again)
        slurm.wait_state(again, "PENDING")
        letgo(slurm)
        assert "Held" in slurm.show(again)["Reason"] or "held" in slurm.show(again)["Reason"]
        assert slurm.show(again)["Priority"] == "0"
    slurm.wait_maui(again, "Hold")
    slurm.ok("scontrol", "release", again)  # Slurm goes on saying that it is held
    with without_scheduler(slurm):
        assert letgo(slurm).startswith("1 waiting job given")
        assert slurm.show(again)["Priority"] != "0"


def test_the_nice_value_outlives_the_way_back(slurm, busy):
    """Of jobs that have a priority already Slurm forgets it when they get another."""
    plain, late = waiting(slurm, "-n", 1, "--nice=30"), dependent(slurm, busy, "--nice=77")
    with without_scheduler(slurm):
        assert letgo(slurm).startswith("2 waiting jobs")
        assert [slurm.show(j)["Nice"] for j in (plain, late)] == ["30", "77"]
        assert begin(slurm, late) != NEVER and slurm.show(late)["Priority"] != "0"
        slurm.wait(lambda: slurm.ok("sprio", "-h", "-j", plain, "-o", "%N").split() == ["30"],
                   "its rank in Slurm")
    slurm.wait_maui(plain, "Idle")
    slurm.ok("scancel", busy)
    for job, nice in ((plain, "30"), (late, "77")):
        slurm.wait_state(job, "RUNNING")
        assert slurm.show(job)["Nice"] == nice


def test_a_service_that_systemd_gives_up_lets_its_jobs_go(slurm, busy):
    """maui.service with the drop-in that the manual shows; started again by hand it takes
    them over again."""
    jobs = [waiting(slurm, "-n", 1), dependent(slurm, busy), slurm.sbatch("-H", "-n", 1)]
    unit = Unit(slurm, "maui.service", "OnFailure=maui-letgo.service")
    config = pathlib.Path(slurm.maui.home, "maui.cfg")
    before = config.read_text()
    slurm.kill("maui")
    try:
        config.write_text(before + "RESERVATIONDEPTH many\n")
        said, letgo_said = unit.fail()
        assert "RESERVATIONDEPTH" in said[-1], said[-1]
        assert letgo_said.startswith("2 waiting jobs given"), letgo_said
        assert slurm.show(jobs[0])["Priority"] != "0" and begin(slurm, jobs[1]) != NEVER
        assert slurm.show(jobs[2])["Priority"] == "0"
        config.write_text(before)
        process = unit.start()  # systemctl reset-failed, start
        try:
            slurm.wait(lambda: slurm.show(jobs[0])["Priority"] == "0", "its being taken back")
            slurm.wait(lambda: begin(slurm, jobs[1]) == NEVER, "its being kept again")
        finally:
            process.terminate()
            process.communicate(timeout=60)
    finally:
        config.write_text(before)
        slurm.maui.start()
        slurm.wait(slurm.known, "the scheduler's picture")


def in_seconds(n):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + n))


def test_a_begin_time_given_by_an_administrator_is_no_hold(slurm, busy, users):
    first, second = (dependent(slurm, busy, user=users[0]) for _ in range(2))
    slurm.ok("scontrol", "update", f"jobid={first}", f"starttime={in_seconds(5)}")
    slurm.wait_maui(first, "Idle", "Hold")
    with without_scheduler(slurm):
        slurm.ok("scontrol", "update", f"jobid={second}", f"starttime={in_seconds(5)}")
        assert slurm.show(second)["Priority"] == "0"
        letgo(slurm)
        assert "JobHeld" not in slurm.show(second)["Reason"]
    slurm.ok("scancel", busy)
    for job in (first, second):
        slurm.wait_state(job, "RUNNING", seconds=40)


def heartbeat_age(slurm):
    text = pathlib.Path(slurm.maui.home, "slurm.heartbeat").read_text()
    return time.time() - float(text.split()[0])


def test_no_begin_time_of_its_owner_frees_a_job_while_the_scheduler_is_away(slurm, busy, users):
    job = dependent(slurm, busy, user=users[0])
    with without_scheduler(slurm):
        slurm.wait(lambda: heartbeat_age(slurm) > 6, "an old heartbeat")
        slurm.ok("scontrol", "update", f"jobid={job}", f"starttime={in_seconds(70)}",
                 user=users[0])
        assert slurm.show(job)["Priority"] == "0"
    slurm.wait_maui(job, "Idle", "Hold")


def test_with_a_gate_that_never_opens_the_last_new_jobs_wait_as_well(slurm, busy):
    """Those that nobody has taken over: the scheduler was killed at that moment."""
    script = pathlib.Path(slurm.dir, "etc/job_submit.lua")
    before = script.read_text()
    replace_gate(slurm, slurm.installed("gate", "--open-after", "0"))
    try:
        # a deadline is no obstacle, but to Slurm from 23.02 on, that counts it from the begin
        # time; what could never run is refused all the same
        deadline = ["--deadline=now+10minutes"] if slurm_release.release() < (23, 2) else []
        taken = waiting(slurm, "-n", 1, "-t", 5, *deadline)
        assert begin(slurm, taken) != NEVER
        refused = slurm.run("sbatch", "--gres=gpu:9", stdin="#!/bin/sh\n")
        assert refused.returncode, refused
        with without_scheduler(slurm):
            job = slurm.sbatch("-n", 1)
            shown = slurm.show(job)
            assert shown["Priority"] == "0" or begin(slurm, job) == NEVER, shown
            assert letgo(slurm).startswith("2 waiting jobs")
            slurm.ok("scancel", busy)
            slurm.wait_state(job, "RUNNING")
            assert slurm.show(job).get("AdminComment", "") == ""
    finally:
        replace_gate(slurm, before)


def test_check_names_a_new_job_that_slurm_itself_has_started(slurm):
    """It has our mark, as nobody took it over: the scheduler was killed just then."""
    def start_a_new_one():
        with slurm.stopped("adapter"):
            job = slurm.sbatch("-n", 1)
            if "maui: new" not in slurm.ok("scontrol", "show", "job", job):
                return None  # the heartbeat was too old
            # what its minute would do: nothing but the begin time goes
            slurm.ok("scontrol", "update", f"jobid={job}", "reqnodelist=", "starttime=now")
            slurm.wait_state(job, "RUNNING")
            return job
    job = slurm.wait(start_a_new_one, "a new job that Slurm has started")
    done = slurm.maui.run("slurm", "check")
    assert f"the first {job}, came past the gate" in done.stdout, done


def test_the_wait_for_one_switch_begins_once(fresh_cluster):
    """A note's begin time does not begin it anew, nor does a start that comes to nothing:
    it says what is left."""
    slurm = fresh_cluster(nodes=4, gpus=0, topology="SwitchName=a Nodes=n[1-2]\n"
                          "SwitchName=b Nodes=n[3-4]\nSwitchName=top Switches=a,b\n",
                          conf="TopologyPlugin=topology/tree\n")
    blocks = [slurm.sbatch("-w", n, "--exclusive", "-t", 20) for n in ("n1", "n4")]
    for block in blocks:
        slurm.wait_state(block, "RUNNING")
    job = slurm.sbatch("-N", 2, "--switches=1@4:00", "--exclusive", "-t", 5)
    if slurm_release.release() >= (23, 11):  # Slurm places it: a start that comes to nothing
        slurm.wait(lambda: slurm.show(job)["Switches"] < "1@00:04:00", "its second start")
    else:
        slurm.wait(lambda: "maui: waits" in slurm.ok("scontrol", "show", "job", job), "its note")
        since = slurm.show(job)["EligibleTime"]
        assert since <= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        time.sleep(2.1)  # a part of the four minutes, which are counted in seconds
        assert slurm.show(job)["EligibleTime"] == since and "1@00:04:00" in slurm.ok(
            "scontrol", "show", "job", job)
    slurm.ok("scancel", *blocks)
    slurm.wait_state(job, "RUNNING")
    left = slurm.show(job)["Switches"]
    assert "1@00:03:00" < left < "1@00:03:59", left
