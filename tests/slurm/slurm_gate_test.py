# SPDX-License-Identifier: Apache-2.0
"""What a site installs: nobody starts jobs past the scheduler, and nobody waits for a
scheduler that is gone."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

import slurm_release
from slurm_units import Unit

CLUSTER = {"nodes": 3, "open_after": 2}


def install(slurm, what, *options):
    slurm.write("job_submit.lua" if what == "gate" else "jobcomp.lua",
                slurm.installed(what, *options))


def stays(slurm, job, seconds=1.3):
    time.sleep(seconds)
    return slurm.state(job) == "PENDING"


@pytest.fixture
def kept(slurm):
    """The scheduler decides nothing: jobs are kept and seen."""
    slurm.maui.ok("schedctl", "-s")
    yield slurm
    slurm.maui.ok("schedctl", "-r")


def test_scripts_are_proper_lua(slurm):
    luac = shutil.which("luac5.1") or shutil.which("luac")
    if not luac:
        pytest.skip("no luac: lua5.1 is not installed (scripts/deps test)")
    for name in ("job_submit.lua", "jobcomp.lua"):
        subprocess.run([luac, "-p", f"{slurm.dir}/etc/{name}"], check=True)


CHANGES = [
    "nice=-1", "nice=0", "nice=50", "priority=100", "priority=4294967294", "timelimit=5",
    "partition=low", "partition=high", "numnodes=1", "numcpus=1", "reqnodelist=n1",
    "excnodelist=n2", "features=all", "dependency=", "starttime=now", "eligibletime=now",
    "name=other", "comment=go", "requeue=0", "contiguous=yes", "oversubscribe=yes",
    "minmemorynode=10", "mincpusnode=1", "account=x", "qos=normal", "licenses=lic_a",
    "gres=gpu:1", "deadline=now+1day", "delayboot=0", "wckey=x", "tasks=1",
    "admincomment=go", "siteFactor=1", "reservationname=", "hold=0"]


def is_kept(slurm, job):
    """In the scheduler's hands."""
    return slurm.show(job)["Priority"] == "0"


def test_no_change_by_its_owner_frees_a_kept_job(kept, users):
    jobs = {change: kept.sbatch("-n", 1, user=users[0]) for change in CHANGES}
    kept.wait(lambda: all(is_kept(kept, j) for j in jobs.values()), "all of them kept")
    for change, job in jobs.items():
        kept.run("scontrol", "update", f"jobid={job}", change, user=users[0])
        assert kept.show(job)["Priority"] == "0", change
        kept.run("scontrol", "release", job, user=users[0])
        assert kept.show(job)["Priority"] == "0", change


def test_no_owner_starts_a_kept_job_in_slurms_next_turns(kept, users):
    jobs = []
    for change in ("nice=-1", "priority=100", "nice=50", "starttime=now", "partition=high"):
        jobs.append(kept.sbatch("-n", 1, user=users[0]))
        kept.run("scontrol", "update", f"jobid={jobs[-1]}", change, user=users[0])
        kept.run("scontrol", "release", jobs[-1], user=users[0])
        kept.run("scontrol", "top", jobs[-1], user=users[0])
    time.sleep(2.5)  # more than a pass of each of Slurm's schedulers
    assert {kept.state(j) for j in jobs} == {"PENDING"}


def test_an_administrators_release_keeps_the_job_for_the_scheduler(kept):
    job = kept.sbatch("-H")
    kept.ok("scontrol", "release", job)
    assert stays(kept, job)
    kept.maui.ok("schedctl", "-r")
    kept.wait_state(job, "RUNNING")


def test_an_administrator_starts_a_job_by_hand(kept):
    job = kept.sbatch("-n", 1)
    kept.wait_maui(job, "Idle")
    kept.ok("scontrol", "update", f"jobid={job}", "reqnodelist=n3", "numnodes=1-1",
            "admincomment=go")
    kept.ok("scontrol", "release", job)
    kept.wait(lambda: kept.state(job) in ("RUNNING",) or kept.show(job)["Priority"] == "0",
              "the start, or its being taken back")


def test_a_leak_past_the_gate_is_taken_back(kept):
    """A script that fails lets jobs through, before 26.05; another one everywhere."""
    fails = "return slurm.SUCCESS" if slurm_release.release() >= (26, 5) else "error('oh')"
    script = pathlib.Path(kept.dir, "etc/job_submit.lua").read_text()
    kept.write("job_submit.lua", f"function slurm_job_submit() {fails} end\n"
               "function slurm_job_modify() return slurm.SUCCESS end\n"
               "return slurm.SUCCESS\n")
    try:
        time.sleep(1.1)
        jobs = [kept.sbatch("-n", 99, "-N", 3, "-w", "n[1-3]", "--exclusive", "--begin=now+60"),
                kept.sbatch("-n", 1)]
    finally:
        kept.write("job_submit.lua", script)
    kept.wait(lambda: kept.show(jobs[0])["Priority"] == "0", "its return")
    kept.wait(lambda: kept.show(jobs[1])["Priority"] == "0"
              or kept.maui.state(jobs[1]) == "Running", "its return, or its being taken over")


def test_slurm_takes_over_when_the_heart_stops_and_gives_back(slurm):
    full = slurm.sbatch("-N", 3, "--exclusive")
    slurm.wait_state(full, "RUNNING")
    old = slurm.sbatch("-n", 1)
    slurm.wait_maui(old, "Idle")
    slurm.ok("scancel", full)
    slurm.wait_state(old, "RUNNING")
    slurm.kill("maui")
    slurm.age_heartbeat()
    new = slurm.sbatch("-n", 1)
    slurm.wait_state(new, "RUNNING")                  # by Slurm alone
    slurm.maui.start()
    slurm.wait_maui(new, "Running")                   # adopted
    assert slurm.places(new) == sorted(slurm.where(new))
    slurm.maui.ok("schedctl", "-s")
    kept = slurm.sbatch("-n", 1)
    assert stays(slurm, kept)
    slurm.maui.ok("schedctl", "-r")
    slurm.wait_state(kept, "RUNNING")


def test_a_hold_of_its_owner_while_the_scheduler_is_gone_is_one_when_it_is_back(slurm, users):
    full = slurm.sbatch("-N", 3, "--exclusive")
    slurm.wait_state(full, "RUNNING")
    job = slurm.sbatch("-n", 1, user=users[0])
    slurm.wait_maui(job, "Idle")
    slurm.kill("maui")
    slurm.age_heartbeat()
    slurm.ok("scontrol", "hold", job, user=users[0])
    late = slurm.sbatch("-H", "-n", 1, user=users[0])
    slurm.maui.start()
    slurm.ok("scancel", full)
    for held in (job, late):
        slurm.wait_maui(held, "Hold")
        assert stays(slurm, held)
        slurm.ok("scontrol", "release", held, user=users[0])
        slurm.wait_state(held, "RUNNING")


def test_letgo_gives_all_waiting_jobs_back(kept):
    held = kept.sbatch("-H", "-n", 1)
    jobs = [kept.sbatch("-n", 1), kept.sbatch("-n", 1, "-w", "n2"),
            kept.sbatch("-a", "1-2", "-n", 1)]
    kept.maui.wait(lambda: len(kept.queued()) == 5, "all jobs in the scheduler")
    kept.maui.stop()
    try:
        kept.age_heartbeat()
        out = kept.maui.ok("slurm", "letgo")
        assert "3 waiting jobs" in out or "4 waiting jobs" in out
        for job in [*jobs[:2], f"{jobs[2]}_1", f"{jobs[2]}_2"]:
            kept.wait_state(job, "RUNNING")
        assert kept.where(jobs[1]) == ["n2"]
        assert kept.state(held) == "PENDING"
    finally:
        kept.maui.start()


def reason(slurm, job):
    return (slurm.show(job) or {}).get("Reason")


def test_our_holds_are_slurms_and_survive_letgo(slurm):
    full = slurm.sbatch("-N", 3, "--exclusive")
    slurm.wait_state(full, "RUNNING")
    user, system, batch, lifted, free = (slurm.sbatch("-n", 1) for _ in range(5))
    whole, some = slurm.sbatch("-a", "1-20", "-n", 1), slurm.sbatch("-a", "1-3", "-n", 1)
    slurm.wait(lambda: len(slurm.queued()) == 29, "all jobs in the scheduler")
    tasks = [f"{whole}_{i}" for i in range(1, 21)]
    slurm.maui.ok("sethold", "-u", user, *tasks)
    slurm.maui.ok("sethold", "-s", system, lifted, f"{some}_2")
    slurm.maui.ok("sethold", "-b", batch)
    slurm.wait(lambda: [reason(slurm, j) for j in (user, system, batch, f"{some}_2")]
               == ["JobHeldUser", *["JobHeldAdmin"] * 3], "the holds in Slurm")
    slurm.wait_maui(tasks[0], "Hold")
    # an array that is held as a whole stays one record
    assert slurm.ok("squeue", "-h", "-j", whole, "-o", "%i").split() == [f"{whole}_[1-20]"]

    slurm.ok("scontrol", "release", lifted)            # lifts ours as well
    slurm.wait_maui(lifted, "Idle")
    slurm.maui.ok("sethold", "-s", user)               # the stronger is Slurm's ...
    slurm.wait(lambda: reason(slurm, user) == "JobHeldAdmin", "the stronger hold")
    slurm.maui.ok("releasehold", "-s", user)           # ... and then the other again
    slurm.wait(lambda: reason(slurm, user) == "JobHeldUser", "the hold that is left")
    slurm.wait_maui(user, "Hold")
    slurm.restart("maui")
    slurm.wait(lambda: len(slurm.queued()) == 29, "all jobs in the scheduler")
    held = {r["id"]: r["shown_state"] for r in slurm.queued() if "Hold" in r["shown_state"]}
    assert held[user] == "UserHold" and held[system] == "SystemHold"
    assert held[batch] == "BatchHold" and lifted not in held and len(held) == 24

    slurm.maui.stop()
    try:
        slurm.age_heartbeat()
        slurm.maui.ok("slurm", "letgo")
        slurm.ok("scancel", full)
        for job in (free, lifted, f"{some}_1", f"{some}_3"):
            slurm.wait_state(job, "RUNNING")
        for job in (user, system, batch, f"{some}_2", tasks[0]):
            assert slurm.state(job) == "PENDING" and "Held" in reason(slurm, job), job
    finally:
        slurm.maui.start()
    slurm.maui.ok("releasehold", "-a", user, system, batch, f"{some}_2", *tasks[:2])
    for job in (user, system, batch, f"{some}_2"):
        slurm.wait_state(job, "RUNNING")


@contextlib.contextmanager
def watched(slurm, after):
    """maui-watch.service with the time that a site chose, and what it says in the end."""
    said = []
    process = Unit(slurm, "maui-watch.service", f"Environment=AFTER={after}").start()
    try:
        yield said
    finally:
        process.terminate()
        said.append(process.communicate(timeout=60)[0])


def test_a_watch_lets_jobs_go_while_the_scheduler_hangs_or_is_dead(slurm):
    full = slurm.sbatch("-N", 3, "--exclusive")
    slurm.wait_state(full, "RUNNING")
    jobs = [slurm.sbatch("-n", 1, "-w", "n2"), slurm.sbatch("-N", 3, "--exclusive"),
            slurm.sbatch("-H", "-n", 1)]
    slurm.wait(lambda: len(slurm.queued()) == 4, "all jobs in the scheduler")
    with watched(slurm, "0:10") as said:
        with slurm.stopped("maui"):
            slurm.wait(lambda: slurm.show(jobs[1])["Priority"] != "0", "the letting go", 40)
            slurm.ok("scancel", full)
            slurm.wait_state(jobs[0], "RUNNING")                  # by Slurm
            assert slurm.where(jobs[0]) == ["n2"]
            assert "maui" not in slurm.show(jobs[0]).get("AdminComment", "")
            assert slurm.show(jobs[2])["Priority"] == "0"
        slurm.wait(lambda: slurm.show(jobs[1])["Priority"] == "0", "its being taken back")
        slurm.wait_maui(jobs[0], "Running")
        time.sleep(2.5)                                           # the watch sees it
        slurm.kill("maui")
        slurm.wait(lambda: slurm.show(jobs[1])["Priority"] != "0", "the letting go", 40)
        slurm.maui.start()
        slurm.wait(lambda: slurm.show(jobs[1])["Priority"] == "0", "its being taken back")
    assert said[0].count("no sign of the scheduler") == 2 and "is back" in said[0], said
    assert slurm.maui.run("slurm", "watch", "--after", "3").returncode == 1


def test_a_watch_looks_at_the_heartbeat_that_maui_cfg_names(slurm):
    config = pathlib.Path(slurm.maui.home, "maui.cfg")
    before = config.read_text()
    config.write_text(before.replace("TYPE=SLURM", "TYPE=SLURM HEARTBEAT=/nowhere/beat", 1))
    process = slurm.popen(slurm.maui.program, "slurm", "watch", "--home", slurm.maui.home)
    try:
        assert "/nowhere/beat" in process.stdout.readline()
    finally:
        process.terminate()
        process.communicate(timeout=60)
        config.write_text(before)


def test_waiting_jobs_survive_the_schedulers_absence_shorter_than_that(slurm):
    full = slurm.sbatch("-N", 3, "--exclusive")
    slurm.wait_state(full, "RUNNING")
    job = slurm.sbatch("-n", 1)
    slurm.wait_maui(job, "Idle")
    slurm.kill("maui")
    slurm.ok("scancel", full)
    assert stays(slurm, job)
    slurm.maui.start()
    slurm.wait_state(job, "RUNNING")


def test_an_end_is_told_by_its_job_at_once(slurm):
    """Without a look at all jobs, of which there may be many, or at that one."""
    job = slurm.sbatch("-n1", "-t1", script="exit 3")
    slurm.wait(lambda: not slurm.run("squeue", "-h", "-t", "PD,R", "-j", job).stdout.strip(),
               "the job's end")
    home = pathlib.Path(slurm.maui.home, "slurm.events")
    sign = slurm.wait(lambda: next((w.split(":") for w in home.read_text().split()
                                    if w.startswith(f"{job}:")), None), "the event")
    # number, array, task, leader, FAILED and still completing, restarts, exit code
    assert sign[4] == str(5 | 0x8000) and sign[5:7] == ["0", str(3 << 8)], sign
    assert len(sign) == 10 and all(w.isdigit() for w in sign), sign
    slurm.wait(lambda: "Completion Code: 3" in slurm.maui.why(job)
               or "exit" in slurm.maui.why(job).lower(), "how it ended")


def rpcs(slurm):
    """Requests to slurmctld since the last reset, by name."""
    return {l.split()[0]: int(l.split("count:")[1].split()[0])
            for l in slurm.ok("sdiag").splitlines() if "count:" in l and "REQUEST" in l}


def test_a_sign_that_was_read_already_is_none(slurm):
    """Where two are written at once the first event reads both."""
    home = pathlib.Path(slurm.maui.home, "slurm.events")
    slurm.ok("sdiag", "-r")
    begin, found = time.monotonic(), {}
    for _ in range(40):
        os.truncate(home, home.stat().st_size)  # an event, and nothing new
        found = rpcs(slurm)
    took = time.monotonic() - begin
    assert found.get("REQUEST_JOB_INFO", 0) <= 2 + took, (found, took)


def test_a_job_of_a_flow_costs_slurmctld_one_order(slurm):
    """Ends are told by their signs, starts by a look at all now and then, but for the
    first three."""
    slurm.ok("sdiag", "-r")
    begin, jobs = time.monotonic(), 60
    done = pathlib.Path(slurm.dir, "out/flow_ends")  # squeue would be counted
    array = slurm.sbatch(f"--array=1-{jobs}", "-n1", "-t1",
                         script=f"sleep 0.5; echo >>{done}")
    slurm.wait(lambda: done.exists() and len(done.read_bytes()) == jobs, "the end of all",
               120)
    took, found = time.monotonic() - begin, rpcs(slurm)
    assert found["REQUEST_UPDATE_JOB"] <= jobs + 3 + took, (found, took)
    assert found.get("REQUEST_JOB_INFO_SINGLE", 0) <= 11, (found, took)
    assert found["REQUEST_NODE_INFO"] <= 5 + took, (found, took)
    slurm.wait(lambda: f"{array}_{jobs}" not in slurm.maui.ok("showq"), "the picture")


def test_check_finds_nothing_wrong_here(slurm):
    done = slurm.maui.run("slurm", "check")
    assert done.returncode == 0 and "nothing to change" in done.stdout, done


def test_check_names_each_wrong_setting(slurm):
    conf = pathlib.Path(slurm.dir, "etc/slurm.conf")
    right = conf.read_text()
    wrong = {"JobSubmitPlugins": "", "PriorityType": "priority/basic", "MinJobAge": "10",
             "SchedulerParameters": "defer", "PreemptType": "preempt/partition_prio",
             "Epilog": ""}
    lines = [l for l in right.splitlines() if l.split("=")[0] not in wrong]
    conf.write_text("\n".join(lines + [f"{k}={v}" for k, v in wrong.items() if v]
                              + ["PreemptMode=CANCEL", ""]))
    try:
        # one that is killed forgets the ends of the last jobs, and runs them again
        slurm.restart("slurmctld", signal.SIGTERM)
        slurm.wait(lambda: slurm.run("scontrol", "ping").stdout.count("UP"), "slurmctld")
        # what slurmctld logs as the nodes, which have the old one, register; a node whose
        # answer is lost is asked again after a third of SlurmdTimeout, 100 s
        log = pathlib.Path(slurm.dir, "log/slurmctld.log")
        began = log.read_text().rindex("started on cluster")
        slurm.wait(lambda: len(set(re.findall(r"Node (n\d) appears to have a different",
                                              log.read_text()[began:]))) == 3,
                   "the nodes that have an older slurm.conf", 200)
        time.sleep(2)  # it is found later, too
        done = slurm.maui.run("slurm", "check")
        assert "nodes n[1-3] run with another slurm.conf" in done.stdout, done.stdout
        assert done.returncode == 1
        found = [l.split(":")[0] for l in done.stdout.splitlines()]
        assert found.count("error") == 2 and found.count("warning") == 6, done.stdout
        for word in (*wrong, "batch_sched_delay=0", "sched_min_interval=0",
                     "default_queue_depth=10000"):
            assert word in done.stdout
        conf.write_text(right)
        slurm.ok("scontrol", "reconfigure")
        assert "another slurm.conf" not in slurm.maui.run("slurm", "check").stdout
    finally:
        conf.write_text(right)
        slurm.restart("slurmctld", signal.SIGTERM)
        slurm.wait(slurm.all_up, "all nodes")


def test_wrong_usage_is_told(slurm):
    done = slurm.maui.run("slurm", "gates")
    assert done.returncode == 1 and "gate" in done.stderr
    assert slurm.maui.run("slurm").returncode == 1
    assert slurm.maui.run("slurm", "gate", "--user", "no-such-user").returncode == 1
    assert slurm.maui.run("slurm", "gate", "--open-after", "x").returncode == 1


def test_a_begin_time_set_meanwhile_stays(kept):
    """The scheduler's note and its start were decided before the owner set a begin time:
    the gate sees both at once."""
    def begin(job):
        return int(kept.ok("squeue", "-h", "-j", job, "-O", "EligibleTime:30",
                           env={"SLURM_TIME_FORMAT": "%s"}))
    now = int(time.time())
    ours, owners = now + 4000, now + 8000

    def at(instant):
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(instant))
    job = kept.sbatch("-n", 1)
    kept.wait(lambda: is_kept(kept, job), "its being taken")
    kept.ok("scontrol", "update", f"jobid={job}", f"starttime={at(owners)}")
    kept.ok("scontrol", "update", f"jobid={job}", f"admincomment=maui: waits #{ours}",
            f"starttime={at(ours)}")
    assert begin(job) == owners
    kept.ok("scontrol", "update", f"jobid={job}", "reqnodelist=n1", "starttime=now",
            "admincomment=maui:asked;count=1-0;go")
    assert begin(job) == owners
    # one that is the scheduler's goes when the job is let go, and can be another
    job = kept.sbatch("-n", 1)
    kept.wait(lambda: is_kept(kept, job), "its being taken")
    for instant in (ours, ours + 60):
        kept.ok("scontrol", "update", f"jobid={job}", f"starttime={at(instant)}",
                f"admincomment=maui: waits #{instant}")
        assert begin(job) == instant
    kept.ok("scontrol", "update", f"jobid={job}", f"starttime={at(owners)}")
    assert begin(job) == owners


def test_check_names_jobs_that_came_past_the_gate(slurm):
    """Also when the gate is in its place again, and they run."""
    path = pathlib.Path(slurm.dir, "etc", "job_submit.lua")
    gate = path.read_text()
    time.sleep(1.1)  # slurmctld reads a script again that is of a later second than its reading
    slurm.write("job_submit.lua", "function slurm_job_submit() return slurm.SUCCESS end\n"
                "function slurm_job_modify() return slurm.SUCCESS end\n"
                "return slurm.SUCCESS\n")
    try:  # Slurm starts an allocation in the very request; a script might be kept before
        run = slurm.popen("salloc", "-Q", "-K", "-n", 1, "-J", "past", "sleep", 100)
        slurm.wait(lambda: slurm.ok("squeue", "-h", "-n", "past", "-t", "R").strip(), "its start")
    finally:
        time.sleep(1.1)
        slurm.write("job_submit.lua", gate)
    full = slurm.ok("squeue", "-h", "-n", "past", "-o", "%A").strip()
    done = slurm.run(*slurm.gate_program, "check", "--home", slurm.maui.home)
    slurm.ok("scancel", full)
    run.communicate(timeout=60)
    assert f"the first {full}, came past the gate" in done.stdout, done.stdout
    assert "is ready" not in done.stdout


def test_what_is_released_in_slurm_while_the_scheduler_is_away_stays_released(slurm):
    """The later word counts, whoever was there to hear it; a hold that nobody lifted
    stands."""
    full = slurm.sbatch("-N", 3, "--exclusive")
    slurm.wait_state(full, "RUNNING")
    system, user, kept, soon = (slurm.sbatch("-n", 1) for _ in range(4))
    for job in (system, user, kept, soon):
        slurm.wait_maui(job, "Idle")
        slurm.wait(lambda job=job: "maui: " in slurm.ok("scontrol", "show", "job", job),
                   "its note")
    slurm.maui.ok("sethold", "-s", system, kept, soon)
    slurm.maui.ok("sethold", "-u", user)
    for job, mark in ((system, "admin"), (kept, "admin"), (soon, "admin"), (user, "held")):
        slurm.wait(lambda job=job, mark=mark: f"AdminComment=maui:{mark}" in
                   slurm.ok("scontrol", "show", "job", job), "its mark")
    slurm.kill("maui")
    slurm.ok("scontrol", "release", soon)     # the gate is closed yet
    slurm.wait(lambda: time.time() - float(pathlib.Path(
        slurm.maui.home, "slurm.heartbeat").read_text().split()[0]) > 3, "an old heartbeat")
    slurm.ok("scontrol", "release", system, user)
    slurm.maui.start()
    slurm.wait(slurm.known, "the scheduler's picture")
    for job in (system, user, soon):
        slurm.wait_maui(job, "Idle")
    assert slurm.maui.job(kept)["shown_state"] == "SystemHold"
    slurm.ok("scancel", full)
    for job in (system, user, soon):
        slurm.wait_state(job, "RUNNING")
    assert slurm.state(kept) == "PENDING"


def test_check_by_an_ordinary_user_says_what_it_does_not_see(slurm, users):
    def check(home):
        done = slurm.run(slurm.program, "slurm", "check", user=users[1],
                         env={"MAUIHOMEDIR": home, "HOME": "/nonexistent"})
        assert done.returncode == 0 and "error:" not in done.stdout, done
        return done.stdout

    scripts = pathlib.Path(slurm.dir, "etc")
    for home in (slurm.maui.home, "/nowhere"):  # the scheduler's is in the scripts
        text = check(home)
        assert f"run as {users[1]}" in text and "slurmctld's log" in text
        assert "nothing to change, as far as this user sees" in text
    (scripts / "job_submit.lua").chmod(0o600)
    pathlib.Path(slurm.maui.home).chmod(0o700)
    try:
        assert "job_submit.lua: Permission denied: cannot be looked at" in check("/nowhere")
        (scripts / "job_submit.lua").chmod(0o644)
        assert "the heartbeat, may not be read by this user" in check("/nowhere")
    finally:
        (scripts / "job_submit.lua").chmod(0o644)
        pathlib.Path(slurm.maui.home).chmod(0o755)
    done = slurm.run(slurm.program, "slurm", "letgo", user=users[1])
    assert done.returncode == 1 and "only root and SlurmUser" in done.stderr, done
