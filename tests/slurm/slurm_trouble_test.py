# SPDX-License-Identifier: Apache-2.0
"""Daemons that die, hang or are away: nothing starts twice, no job is lost, and the job
or the scheduler says why it waits."""
import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import threading
import time

import pytest

import slurm_release

CLUSTER = {"nodes": 3, "slurmd_timeout": 10, "message_timeout": 5}


def ran(slurm):
    """How often each job began."""
    path = pathlib.Path(slurm.dir, "out/ran")
    return collections.Counter(path.read_text().split()) if path.exists() else {}


@pytest.fixture(autouse=True)
def nothing_ran_yet(slurm):
    """A slurmctld that was killed gives numbers of jobs that have run once more."""
    pathlib.Path(slurm.dir, "out/ran").unlink(missing_ok=True)


def counted(slurm, *options, seconds=0.3):
    return slurm.sbatch("-n", 1, *options,
                        script=f"echo $SLURM_JOB_ID >>{slurm.dir}/out/ran; sleep {seconds}")


def health(slurm):
    return slurm.maui.run("diagnose", "-R").stdout


def lives(log):
    """Of slurmctld: how often each started which job. What it forgets when it is killed, the
    start of a job that ran among it, is started again in the next. The backfill of 26.05
    starts without a word."""
    return [collections.Counter(re.findall(r"(?:Started|sched: Allocate) JobId=(\d+) ", life))
            for life in log.split("slurmctld version")]


def all_once(slurm, jobs, seconds=60):
    """All of them, but such as slurmd itself lost while slurmctld came back."""
    slurm.wait(lambda: {slurm.state(j) for j in jobs} <= {"COMPLETED", "FAILED", None},
               "the end of all jobs", seconds)
    slurm.wait(lambda: not {r["id"] for r in slurm.queued()} & set(jobs),
               "their end in the scheduler", seconds)
    counts = ran(slurm)
    other = {j for j in jobs if counts.get(j, 0) != 1}
    wrong = other - slurm.lost_by_slurmd(j for j in other if not counts.get(j))
    assert not wrong, (counts, slurm.tale(*wrong))


def test_slurmctld_killed_and_back(slurm):
    """What Slurm has on its disk, some seconds after: the rest it loses by itself."""
    long = slurm.sbatch("-n", 4)
    slurm.wait_state(long, "RUNNING")
    held = slurm.sbatch("-H", "-n", 1)
    slurm.wait_maui(held, "Hold")
    slurm.saved(held)
    slurm.kill("slurmctld")
    slurm.wait(lambda: "does not answer" in health(slurm), "the bad news", 40)
    assert slurm.maui.state(long) == "Running" and slurm.maui.state(held) == "Hold"
    slurm.start("slurmctld")
    slurm.wait(slurm.all_up, "all nodes")
    jobs = [counted(slurm) for _ in range(4)]
    all_once(slurm, jobs)
    slurm.wait_maui(long, "Running")
    slurm.wait_maui(held, "Hold")
    assert slurm.state(long) == "RUNNING"


def listening(port):
    """None: somebody does, such as the threads of a killed slurmctld for a moment longer."""
    with contextlib.suppress(OSError):
        return socket.create_server(("", port), backlog=64)
    return None


@contextlib.contextmanager
def breaking_connections(slurm):
    """Somebody in slurmctld's place who takes each connection and breaks it when it is asked, as a
    slurmctld does that is killed with a request that it has not read."""
    def break_each(listener):
        with contextlib.suppress(OSError):
            while True:
                connection = listener.accept()[0]
                connection.recv(1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
    with slurm.wait(lambda: listening(slurm.port), "its port") as listener:
        thread = threading.Thread(target=break_each, args=(listener,))
        thread.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_a_start_that_met_the_end_of_slurmctld_did_not_fail(slurm):
    slurm.maui.ok("schedctl", "-s")
    job = counted(slurm)
    slurm.wait_maui(job, "Idle")
    slurm.saved(job)
    slurm.kill("slurmctld")
    try:
        with breaking_connections(slurm):
            slurm.maui.ok("schedctl", "-r")
            slurm.wait(lambda: "does not answer" in health(slurm)
                       or slurm.maui.state(job) == "Deferred", "the bad news", 40)
            assert slurm.maui.state(job) in ("Idle", "Starting"), slurm.maui.why(job)
    finally:
        slurm.start("slurmctld")
        slurm.wait(slurm.all_up, "all nodes")
    all_once(slurm, [job])


def resumed(slurm):
    """A slurmctld that was killed gives numbers twice, and drains nodes that have the first
    of them when it sends them the second: on a busy machine long after it came back."""
    if slurm.all_up():
        return True
    slurm.run("scontrol", "update", f"nodename={','.join(slurm.nodes)}", "state=resume")
    return False


def ends_well(slurm):
    """One whose number a forgotten job had is refused by the node that ran that one: then
    Slurm holds it, and drains the node."""
    job = counted(slurm)
    slurm.wait(lambda: slurm.state(job) == "COMPLETED"
               or "launch_failed" in slurm.show(job)["Reason"], "its end")
    if slurm.state(job) == "COMPLETED":
        return True
    slurm.ok("scancel", job)
    slurm.wait(lambda: resumed(slurm), "all nodes")
    return False


@pytest.fixture
def numbers_used_up(slurm):
    """Numbers of forgotten jobs are given to none of the next test, however this one ends:
    its nodes would be drained."""
    yield
    log = pathlib.Path(slurm.dir, "log/slurmctld.log").read_text()
    last, job = max(map(int, re.findall(r"submit_batch_job: JobId=(\d+)", log)), default=0), 0
    while job <= last:
        job = int(slurm.sbatch("-H"))
        slurm.ok("scancel", job)
    # one that was refused may have been tried again elsewhere, with success
    slurm.wait(lambda: resumed(slurm), "all nodes")


@pytest.mark.usefixtures("numbers_used_up")
def test_no_job_is_held_or_put_off_because_slurmctld_was_killed(slurm):
    """What it forgets it forgets by itself; of what it still has all runs, once."""
    time.sleep(6)  # what was before is on Slurm's disk
    log = pathlib.Path(slurm.dir, "log/slurmctld.log")
    before = len(log.read_text())
    jobs, seen = [], set()
    for pause in (0.2, 0.7, 1.2, 0):
        jobs += [counted(slurm, "--no-requeue") for _ in range(4)]
        time.sleep(pause)
        slurm.kill("slurmctld")
        slurm.start("slurmctld")
        for _ in range(20):
            seen |= {(r["id"], r["shown_state"]) for r in slurm.queued()
                     if "Hold" in r["shown_state"] or "Defer" in r["shown_state"]}
            time.sleep(0.2)
    assert not seen, (seen, [slurm.maui.why(job) for job, _ in seen])
    slurm.wait(lambda: resumed(slurm) and not slurm.ok("squeue", "-h").strip(),
               "the end of all jobs", 90)
    slurm.wait(lambda: not slurm.queued(), "their end in the scheduler", 90)
    started = lives(log.read_text()[before:])
    assert all(n == 1 for life in started for n in life.values()), started
    counts = ran(slurm)
    if slurm_release.release() < (26, 5):
        assert all(counts[j] <= sum(life[j] for life in started) for j in counts), (counts, started)
    assert any(ends_well(slurm) for _ in range(16)), "each of 16 jobs was refused"


def made_folder(path):
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True


def started_unsaved(slurm, *jobs):
    """They run, which slurmctld has not saved when it is killed: it could not."""
    fresh = pathlib.Path(slurm.dir, "state/job_state.new")
    slurm.maui.ok("schedctl", "-s")
    try:
        jobs = [slurm.sbatch(*options, "--requeue", script=script) for options, script in jobs]
        for job in jobs:
            slurm.wait_maui(job, "Idle")
        time.sleep(2)  # what it has to say of them is said
        slurm.saved(jobs[-1])
        slurm.wait(lambda: made_folder(fresh), "the end of its saving")
        before = fresh.with_name("job_state").read_bytes()
    finally:
        slurm.maui.ok("schedctl", "-r")
    for job in jobs:
        slurm.wait_state(job, "RUNNING", "COMPLETED")
    slurm.kill("slurmctld")
    fresh.rmdir()
    assert fresh.with_name("job_state").read_bytes() == before
    return jobs


def ends_without_help(slurm, jobs):
    """But that an administrator resumes nodes."""
    slurm.wait(lambda: resumed(slurm) and {slurm.state(j) for j in jobs} == {"COMPLETED"},
               "their end", 90)


def test_starts_that_slurmctld_forgot_are_ordered_again_when_nodes_are_ready(slurm):
    """A node refuses a second copy of what runs there, and of what ended there without
    slurmctld's knowing: Slurm would hold the job and drain the node."""
    one = ("-n", "1")
    jobs = started_unsaved(slurm, *[(one, "sleep 8")] * 4, *[(one, "sleep 1")] * 2)
    time.sleep(1.5)
    slurm.start("slurmctld")
    ends_without_help(slurm, jobs)


def test_no_job_is_held_because_a_node_has_what_slurmctld_and_the_adapter_forgot(slurm):
    """The new adapter knows of no start, and the owner wants that node, which refuses the
    numbers of jobs whose end slurmctld did not hear of."""
    jobs = started_unsaved(slurm, *[(("-n", "1", "-w", "n1"), "sleep 3")] * 2)
    slurm.kill("adapter")
    time.sleep(4)
    slurm.start("slurmctld")
    ends_without_help(slurm, jobs)


def test_slurmctld_restarted_amid_starts(slurm):
    jobs = []
    for i in range(3):
        jobs += [counted(slurm) for _ in range(4)]
        slurm.restart("slurmctld", signal.SIGTERM)
        slurm.wait(slurm.all_up, "all nodes")
    all_once(slurm, jobs)


def test_slurmctld_hangs_and_comes_back(slurm):
    jobs = [counted(slurm) for _ in range(3)]
    with slurm.stopped("slurmctld"):
        began = time.monotonic()
        assert slurm.maui.run("showq").returncode == 0    # the daemon does not hang
        assert time.monotonic() - began < 20
        time.sleep(3)
    all_once(slurm, jobs)


def test_a_picture_is_kept_while_slurmctld_is_away(slurm):
    long = slurm.sbatch("-n", 4)
    slurm.wait_maui(long, "Running")
    full = slurm.sbatch("-n", 12)
    slurm.wait_maui(full, "Idle")
    slurm.kill("slurmctld", signal.SIGTERM)
    try:
        time.sleep(2.5)
        assert slurm.maui.state(long) == "Running"
        assert slurm.maui.state(full) == "Idle"
    finally:
        slurm.start("slurmctld")
        slurm.wait(slurm.all_up, "all nodes")


def test_before_the_first_picture_commands_say_so(slurm):
    long = slurm.sbatch("-n", 4)
    slurm.wait_maui(long, "Running")
    slurm.maui.stop()
    slurm.kill("slurmctld", signal.SIGTERM)
    config = pathlib.Path(slurm.maui.home, "maui.cfg")
    before = config.read_text()
    config.write_text(before + "CLIENTTIMEOUT 1\n")
    try:
        slurm.maui.ok("serve")
        slurm.wait(lambda: "connection" in health(slurm), "the bad news")
        for words in (("showq",), ("checkjob", long), ("showbf",), ("showstats",)):
            done = slurm.maui.run(*words)
            assert done.returncode == 1 and not done.stdout, done
            assert "no picture of SLURM yet" in done.stderr, done
            assert "does not answer" in done.stderr, done
        record = json.loads(slurm.maui.run("showq", "--format", "json").stdout)
        assert record["waiting_for"]["manager"] == "SLURM", record
        assert record["waiting_for"]["since"] <= time.time()
    finally:
        config.write_text(before)
        slurm.start("slurmctld")
        slurm.wait(slurm.all_up, "all nodes")
    slurm.wait_maui(long, "Running")


def test_the_adapter_killed_again_and_again(slurm):
    jobs = []
    for _ in range(4):
        jobs += [counted(slurm) for _ in range(3)]
        slurm.kill("adapter")
        time.sleep(0.3)
    all_once(slurm, jobs)


def test_the_adapter_hangs_and_is_replaced(slurm, policies):
    policies("")
    slurm.maui.stop()
    slurm.maui.configure("RMCFG[slurm] TYPE=SLURM TIMEOUT=3\nRMPOLLINTERVAL 1\n")
    slurm.maui.start()
    pid = slurm.pid("adapter")
    os.kill(pid, signal.SIGSTOP)
    job = counted(slurm)
    try:
        assert slurm.maui.run("showq").returncode == 0
        slurm.maui.run("sethold", "-u", job)
    finally:
        os.kill(pid, signal.SIGCONT)
    slurm.wait(lambda: slurm.maui.job(job), "the job")
    slurm.maui.run("releasehold", "-u", job)
    all_once(slurm, [job])


def test_our_daemon_killed_amid_starts(slurm):
    jobs = []
    for _ in range(3):
        jobs += [counted(slurm) for _ in range(4)]
        slurm.restart("maui")
    all_once(slurm, jobs)


def test_no_job_is_put_off_for_nodes_that_slurmctld_has_not_heard_of_yet(slurm):
    slurm.wait_state(slurm.sbatch("-n", 12), "RUNNING")
    job = slurm.sbatch("-n", 12)
    slurm.wait_maui(job, "Idle")
    slurm.saved(job)
    slurm.restart("slurmctld")
    for _ in range(15):
        assert "Defer" not in slurm.maui.why(job)
        time.sleep(0.2)


def test_a_job_ends_while_we_are_away(slurm):
    job = counted(slurm, seconds=1)
    slurm.wait_state(job, "RUNNING")
    slurm.kill("maui")
    slurm.wait_state(job, "COMPLETED")
    slurm.start("maui")
    slurm.wait(lambda: not slurm.queued(), "its end")


def live_without_munge(slurm, hang_s):
    """It hangs, then it is gone: told soon, answers meanwhile, and jobs afterwards.
    Slurm's library alone would wait 50 s before it says so."""
    long = slurm.sbatch("-n", 2)
    slurm.wait_maui(long, "Running")
    if hang_s:
        slurm.send("munged", signal.SIGSTOP)
        time.sleep(hang_s)
    slurm.kill("munged")
    try:
        slurm.wait(lambda: "does not answer (munge)" in health(slurm)
                   and "'Down'" in health(slurm), "the bad news", 25)
        began = time.monotonic()
        assert slurm.maui.state(long) == "Running"
        assert time.monotonic() - began < 20
    finally:
        slurm.start("munged")
    all_once(slurm, [counted(slurm)])
    assert slurm.state(long) == "RUNNING"


def test_munge_is_down_for_a_while(slurm):
    live_without_munge(slurm, 0)


def test_munge_goes_away_amid_a_call(slurm):
    """It hangs first, so that the adapter's next call is on its way when it is gone."""
    live_without_munge(slurm, 2)


def test_a_slurmd_killed_under_a_job(slurm):
    job = counted(slurm, "-w", "n2", seconds=2)
    slurm.wait(lambda: ran(slurm).get(job), "its script")
    slurm.restart("n2")
    all_once(slurm, [job])


def test_a_node_that_is_lost_is_told_and_its_job_comes_back(slurm, policies):
    policies("DEFERTIME 2\n")
    job = slurm.sbatch("-w", "n3", "-n", 1, "--requeue")
    slurm.wait_state(job, "RUNNING")
    time.sleep(1)  # n3's answer to the launch, if it came later, would bring it back
    slurm.kill("n3")
    slurm.ok("scontrol", "update", "nodename=n3", "state=down", "reason=test")
    slurm.wait(lambda: slurm.maui.api("/v1/nodes/n3")[1]["state"] == "Down", "the node")
    slurm.wait(lambda: slurm.state(job) == "PENDING", "its return")
    time.sleep(1)
    assert slurm.state(job) == "PENDING" and slurm.maui.state(job) == "Idle"
    slurm.start("n3")
    slurm.wait_state(job, "RUNNING", seconds=40)


def test_a_broken_slurm_conf_ends_only_the_adapter(slurm):
    conf = pathlib.Path(slurm.dir, "etc/slurm.conf")
    right = conf.read_text()
    conf.write_text("NoSuchThing=1\n" + right)
    slurm.kill("adapter")
    try:
        slurm.wait(lambda: "slurm.conf" in health(slurm) or "NoSuchThing" in health(slurm)
                   or "Down" in health(slurm), "the bad news", 20)
        assert slurm.maui.run("showq").returncode == 0
    finally:
        conf.write_text(right)
    job = counted(slurm)
    all_once(slurm, [job], 60)


def test_cancelling_while_slurmctld_is_away_comes_about_later(slurm):
    job = slurm.sbatch("-n", 1)
    slurm.wait_maui(job, "Running")
    slurm.kill("slurmctld", signal.SIGTERM)
    slurm.maui.run("canceljob", job)
    slurm.start("slurmctld")
    slurm.wait_state(job, "CANCELLED")


def test_many_jobs_at_once(slurm):
    job = slurm.sbatch("-a", "1-40", "-n", 1,
                       script=f"echo $SLURM_ARRAY_TASK_ID >>{slurm.dir}/out/many")
    slurm.wait(lambda: not slurm.ok("squeue", "-h").strip(), "all tasks", 120)
    text = pathlib.Path(slurm.dir, "out/many").read_text().split()
    assert len(text) == len(set(text)), sorted(text)
    missing = {f"{job}_{i}" for i in range(1, 41)} - {f"{job}_{i}" for i in text}
    assert missing <= slurm.lost_by_slurmd(missing), slurm.tale(*missing)


def test_no_step_daemon_is_left_of_a_cluster_that_goes_away(fresh_cluster):
    """One that cannot tell slurmctld of its end waits for it, as long as it likes."""
    c = fresh_cluster(nodes=2, gate=False, scheduler=False)
    end, ended = pathlib.Path(c.dir, "out/end"), pathlib.Path(c.dir, "out/ended")
    job = c.sbatch("-w", "n1", script=f"until [ -e {end} ]; do sleep 0.1; done; touch {ended}")
    c.wait_state(job, "RUNNING")
    c.kill("slurmctld")
    c.kill("n1")
    end.touch()
    c.wait(ended.exists, "the end of the script")
    step, = c.steps()
    c.down()
    assert not c.steps(), step
