# SPDX-License-Identifier: Apache-2.0
"""What users see in Slurm's own commands: why a job waits, and when it may start."""
import os
import signal
import subprocess
import time

import pytest

import slurm_cluster

CLUSTER = {"nodes": 4}
COLUMNS = "admin_comment:200"


def note(slurm, job):
    """The job's column in squeue, without what is only for the scheduler."""
    done = slurm.run("squeue", "-h", "-j", job, "-O", COLUMNS)
    # that of 26.05 dies of SIGPIPE where slurmctld breaks the connection off
    assert done.returncode in (0, -signal.SIGPIPE), done
    return done.stdout.strip()


def wait_note(slurm, job, *words):
    return slurm.wait(lambda: (text := note(slurm, job)) and all(w in text for w in words)
                      and text, f"{words} at {job}")


def begin(slurm, job):
    """Of squeue --start, in seconds; 0 = N/A."""
    env = dict(slurm.env, SLURM_TIME_FORMAT="%s")
    done = subprocess.run(["squeue", "-h", "--start", "-j", job, "-o", "%S"], env=env,
                          capture_output=True, text=True)
    text = done.stdout.strip()
    return int(text) if text.isdigit() else 0


def test_squeue_says_why_and_when(slurm, full):
    job, second = slurm.sbatch("-n", 8, "-t", 10), slurm.sbatch("-n", 12, "-t", 10)
    wait_note(slurm, job, "maui: waits for 8 processors until about", f"(checkjob {job})")
    wait_note(slurm, second, "maui: waits for 12 processors until about", f"(checkjob {second})")
    expected = slurm.maui.job(job)["reservation_at"] if "reservation_at" in \
        slurm.maui.job(job) else int(time.time()) + 1800
    slurm.wait(lambda: abs(begin(slurm, job) - expected) < 120, "the expected start")
    # nothing is reserved for the second: it is expected when the first is through
    slurm.wait(lambda: abs(begin(slurm, second) - expected - 600) < 400, "that of the second")
    full()
    slurm.wait_state(job, "RUNNING")  # a begin time of ours is in nobody's way
    slurm.wait_state(second, "PENDING")


def test_squeue_says_which_kind_of_wait_it_is(slurm, full):
    kinds = {"waits for 1 processor on n2": ["-w", "n2"],
             "waits for 2 processors on the nodes that it names": ["-w", "n[2-3]"],
             "waits for 1 processor and 2 lic_a": ["-L", "lic_a:2"],
             "its partition is down, or its jobs may not start": ["-p", "down"],
             "may not start before": ["--begin=now+1hour"],
             "waits for jobs that it depends on": ["-d", "singleton", "-J", "alone"]}
    slurm.sbatch("-J", "alone", "-n", 16)
    for text, options in kinds.items():
        job = slurm.sbatch("-t", 5, *options)
        wait_note(slurm, job, f"maui: {text}")
        if "-d" in options:  # Slurm's own word, as it judges that
            slurm.wait(lambda: slurm.ok("squeue", "-h", "-j", job, "-o", "%R").strip()
                       == "(Dependency)", "the reason")
            assert "dependency singleton" in slurm.maui.why(job)
            # no date that nobody believes: under Slurm alone it is N/A
            slurm.wait(lambda: slurm.ok("squeue", "-h", "--start", "-j", job, "-o", "%S")
                       .strip() in ("Unknown", "N/A"), "no start")
        elif "-p" in options:
            assert f"the resource manager holds this job: {text}" in slurm.maui.why(job)


def test_comments_of_users_stay(slurm, full, users):
    job = slurm.sbatch("-n", 8, "-t", 10, "--comment", "my own", user=users[0])
    wait_note(slurm, job, "waits for 8")
    assert "Comment=my own" in slurm.ok("scontrol", "-o", "show", "job", job).replace(
        "AdminComment", "")
    done = slurm.run("scontrol", "update", f"jobid={job}", "admincomment=maui: mine",
                     user=users[0])
    assert done.returncode != 0 and "waits for 8" in note(slurm, job)


def test_a_begin_time_of_its_owner_is_shown_and_changed(slurm, full):
    job = slurm.sbatch("-n", 1, "-t", 10, "-b", "now+2hours")
    wait_note(slurm, job, "may not start before")
    assert abs(begin(slurm, job) - time.time() - 7200) < 60
    slurm.ok("scontrol", "update", f"jobid={job}", "starttime=now+5hours")
    slurm.wait(lambda: slurm.maui.job(job).get("release_at", 0) > time.time() + 17000,
               "the new begin time")
    slurm.ok("scontrol", "update", f"jobid={job}", "starttime=now")
    wait_note(slurm, job, "waits for 1 processor")


def test_holds_are_told_as_holds(slurm, full, users):
    job = slurm.sbatch("-n", 8, "-t", 10, user=users[0])
    wait_note(slurm, job, "waits for 8")
    slurm.ok("scontrol", "uhold", job, user=users[0])
    slurm.wait(lambda: note(slurm, job) == "maui:held", "no reason beside a hold")
    slurm.wait(lambda: "has a user hold" in slurm.maui.why(job), "the hold in checkjob")
    assert begin(slurm, job) == 0
    slurm.ok("scontrol", "release", job, user=users[0])
    wait_note(slurm, job, "waits for 8")
    assert "has a user hold" not in slurm.maui.why(job)
    full()
    slurm.wait_state(job, "RUNNING")


def test_a_submission_that_is_refused_is_no_trouble_of_slurm(slurm):
    done = slurm.maui.run("msub", "-q", "nosuch", stdin="#!/bin/sh\ntrue\n")
    assert done.returncode != 0
    assert "state: 'Active'" in slurm.maui.ok("diagnose", "-R")


def test_an_array_is_one_line(slurm, full):
    job = slurm.sbatch("-n", 8, "-t", 10, "-a", "1-20")
    wait_note(slurm, job, "waits for 8", f"checkjob {job}_1)")
    assert len(slurm.ok("squeue", "-h", "-j", job).splitlines()) == 1  # still one record


def test_commands_take_ids_as_squeue_prints_them(slurm, full):
    array = slurm.sbatch("-n", 1, "-t", 10, "-a", "1-9%3")
    het = slurm.sbatch("-n", 1, ":", "-n", 2, script="sleep 5")
    slurm.wait(lambda: slurm.maui.job(f"{array}_9") and slurm.maui.job(het), "the jobs")
    printed = [l.split()[0] for l in slurm.ok("squeue", "-h", "-t", "PD").splitlines()]
    assert f"{array}_[1-9%3]" in printed and f"{het}+1" in printed
    for name in printed:
        assert "checking job" in slurm.maui.ok("checkjob", name)
    assert f"checking job {array}_1\n" in slurm.maui.ok("checkjob", array)
    slurm.maui.ok("setspri", "100", f"{array}_[2-3,7%3]")
    assert [n for n in range(1, 10) if "system_priority" in slurm.maui.job(f"{array}_{n}")] \
        == [2, 3, 7]
    slurm.maui.ok("canceljob", f"{array}_[2,5-9%3],{het}+0")
    slurm.wait(lambda: not slurm.maui.job(het), "the end of the heterogeneous job")
    assert f"job {het} ended" in slurm.maui.ok("checkjob", f"{het}+1")
    assert [n for n in range(1, 10) if slurm.maui.job(f"{array}_{n}")] == [1, 3, 4]
    slurm.maui.ok("canceljob", array)
    slurm.wait(lambda: not slurm.maui.job(f"{array}_1"), "the end of the array")


def test_by_hand_an_administrator_starts_it_at_once(slurm, full):
    job = slurm.sbatch("-n", 8, "-t", 10)
    wait_note(slurm, job, "waits for 8")
    slurm.wait(lambda: begin(slurm, job), "an expected start")
    slurm.maui.stop()
    try:
        slurm.ok("scontrol", "update", f"jobid={job}", "reqnodelist=n1,n2", "numnodes=2-2",
                 "admincomment=go")
        assert begin(slurm, job) == 0
        full()
        slurm.ok("scontrol", "release", job)
        slurm.wait_state(job, "RUNNING")
    finally:
        slurm.maui.start()


def test_let_go_leaves_nothing_behind(slurm, full):
    job = slurm.sbatch("-n", 8, "-t", 10)
    wait_note(slurm, job, "waits for 8")
    slurm.wait(lambda: begin(slurm, job), "an expected start")
    slurm.maui.stop()
    try:
        slurm.ok(slurm.program, "slurm", "letgo", "--home", slurm.maui.home)
        assert "maui: " not in note(slurm, job)
        full()
        slurm.wait_state(job, "RUNNING")
    finally:
        slurm.maui.start()


def test_a_restart_writes_nothing_anew(slurm, full):
    job = slurm.sbatch("-n", 8, "-t", 10)
    wait_note(slurm, job, "waits for 8")
    log = f"{slurm.dir}/log/slurmctld.log"

    def written():
        with open(log) as f:
            return f.read().count("setting admin_comment to maui: ")
    before = written()
    slurm.maui.stop()
    slurm.maui.start()
    slurm.wait(lambda: slurm.maui.job(job), "the job")
    time.sleep(6)  # two bursts
    assert written() <= before + 1  # its start may be expected some seconds later


@pytest.mark.parametrize("rate", [0])
def test_notes_can_be_off(slurm, policies, rate):
    policies("")
    slurm.maui.stop()
    slurm.maui.configure(f"RMCFG[slurm] TYPE=SLURM NOTES={rate}\nRMPOLLINTERVAL 1\n")
    slurm.maui.start()
    slurm.sbatch("-N", 4, "--exclusive", "-t", 30)
    job = slurm.sbatch("-n", 8, "-t", 10)
    slurm.wait(lambda: slurm.maui.job(job), "the job")
    time.sleep(5)
    assert note(slurm, job) == "maui:kept"


@pytest.mark.skipif("SLURM_SOURCE" not in os.environ,
                    reason="needs SLURM_SOURCE, configured as the slurmctld here")
def test_the_plugin_shows_it_as_the_reason(fresh_cluster, tmp_path):
    root = slurm_cluster.pathlib.Path(__file__).resolve().parents[2]
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-I",
                    os.environ["SLURM_SOURCE"], "-o", tmp_path / "job_submit_maui.so",
                    root / "packaging/slurm/job_submit_maui.c"], check=True)
    plugins = next(slurm_cluster.pathlib.Path("/usr/lib").glob("*/slurm*/job_submit_lua.so")).parent
    slurm = fresh_cluster(conf=f"JobSubmitPlugins=lua,maui\nPluginDir={plugins}:{tmp_path}\n")
    running = slurm.sbatch("-N", 4, "--exclusive", "-t", 30)
    slurm.wait_state(running, "RUNNING")
    job = slurm.sbatch("-n", 8, "-t", 10)

    def reason():
        return slurm.ok("squeue", "-h", "-j", job, "-o", "%R").strip()
    slurm.wait(lambda: reason().startswith("(waits for 8 processors until about "), "the reason")
    assert reason().endswith(f"(checkjob {job}))") and "#" not in reason()
    slurm.ok("scontrol", "uhold", job)
    assert reason() == "(JobHeldUser)"
    slurm.ok("scontrol", "release", job)
    slurm.wait(lambda: "waits for 8" in reason(), "the reason again")
    slurm.ok("scancel", running)
    slurm.wait_state(job, "RUNNING")


def test_a_remark_of_the_site_stays(slurm):
    """In the administrator's comment, beside what a start notes there: through a start, a
    return to the queue, and back with Slurm. What is of no use any more goes."""
    def comment(job):
        return slurm.ok("squeue", "-h", "-j", job, "-O", COLUMNS).strip()
    slurm.maui.ok("schedctl", "-s")
    job, once = slurm.sbatch("-n", 1, "--requeue"), slurm.sbatch("-n", 1, "--no-requeue")
    plain = slurm.sbatch("-n", 1, "--no-requeue")
    for one in (job, once):
        slurm.ok("scontrol", "update", f"jobid={one}", "admincomment=the dean wants it")
    # so asks a scheduler that has not seen it yet; ours keeps the job again
    slurm.ok("scontrol", "update", f"jobid={once}", "reqnodelist=n1", "numnodes=1-1",
             "admincomment=maui:asked;count=1-0;go")
    slurm.wait(lambda: comment(once) == "the dean wants it", "the remark alone")
    assert slurm.run("scontrol", "update", f"jobid={job}",
                     "admincomment=maui: waits").returncode
    assert comment(job) == "the dean wants it"
    slurm.maui.ok("schedctl", "-r")
    for one in (job, once, plain):
        slurm.wait_state(one, "RUNNING")
    assert comment(job).startswith("the dean wants it maui:asked;")
    slurm.wait(lambda: comment(once) == "the dean wants it", "the remark alone")
    slurm.wait(lambda: comment(plain) in ("", "(null)"), "no comment")
    slurm.maui.ok("schedctl", "-s")
    slurm.ok("scontrol", "requeue", job)
    slurm.wait(lambda: comment(job) == "the dean wants it", "the remark alone")
    slurm.maui.ok("schedctl", "-r")
    slurm.wait_state(job, "RUNNING", seconds=40)
    assert comment(job).startswith("the dean wants it maui:asked;")
