# SPDX-License-Identifier: Apache-2.0
"""The daemon's own life: start, stop, restart, reload, what it keeps."""
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


def test_a_submitted_job_runs_and_leaves_its_output(live):
    """How the daemon has its memory is not told to the job."""
    with open(f"/proc/{live.pid()}/environ") as f:
        assert "GLIBC_TUNABLES=glibc.malloc.hugetlb=1" in f.read().split("\0")
    job = live.submit("echo hello from $PBS_JOBID; env | grep GLIBC_TUNABLES; exit 3", name="greet")
    live.wait(lambda: live.job(job) is None, "the end of the job")
    with open(f"{live.home}/greet.o{job}") as f:
        assert f.read() == f"hello from {job}\n"


def test_what_was_acknowledged_survives_kill_9(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1\nQOSCFG[high] PRIORITY=5\n"
                     "USERCFG[DEFAULT] QLIST=high\n")
    daemon.start()
    jobs = [daemon.submit() for _ in range(4)]
    daemon.wait(lambda: daemon.state(jobs[0]) == "Running", "a start")
    daemon.ok("sethold", "-b", jobs[1])
    daemon.ok("setspri", "7", jobs[2])
    daemon.ok("setqos", "high", jobs[3])
    before = [daemon.job(j) for j in jobs]
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: daemon.state(jobs[3]), "the jobs")
    after = [daemon.job(j) for j in jobs]
    for was, now in zip(before, after):
        for key in ("id", "state", "user", "procs", "holds", "hold_reason", "qos",
                    "system_priority", "submit_at", "start_at", "start_count",
                    "allocation"):
            assert was.get(key) == now.get(key), key


def test_a_job_survives_the_daemon_and_its_end_is_learned(live):
    job = live.submit("sleep 1; echo done", name="long")
    live.wait(lambda: live.state(job) == "Running", "the start")
    live.kill()
    time.sleep(1.5)
    live.start()
    live.wait(lambda: live.job(job) is None, "the end")
    with open(f"{live.home}/long.o{job}") as f:
        assert f.read() == "done\n"


def test_a_second_daemon_is_refused(live):
    done = live.run("serve", "--nodes", "1")
    assert done.returncode == 1
    assert "running already" in done.stderr and str(live.pid()) in done.stderr


def test_a_bad_configuration_is_refused_with_its_line(daemon):
    daemon.configure("BACKFILLPOLICY FIRSTFIT\nRMPOLLINTERVAL soon\n")
    done = daemon.run("serve", "--nodes", "1")
    assert done.returncode == 1
    assert "maui.cfg:2" in done.stderr


def test_reload_takes_good_settings_and_keeps_the_old_on_an_error(live):
    job = live.submit()
    live.wait(lambda: live.state(job) == "Running", "its start")
    live.configure("USERCFG[DEFAULT] MAXJOB=1\n")
    os.kill(live.pid(), signal.SIGHUP)
    second = live.submit()
    live.wait(lambda: live.state(second) == "Idle" and live.job(second)["section"] == "blocked",
              "the limit")
    live.configure("USERCFG[DEFAULT] MAXJOB=many\n")
    status, answer = live.api("/v1/scheduler", {"action": "reload"})
    assert status == 400 and "maui.cfg:1" in answer["error"]["message"]
    third = live.submit()
    live.wait(lambda: live.job(third)["section"] == "blocked", "the old limit")
    assert live.state(job) == "Running"


def test_it_stops_when_told_and_leaves_no_socket(live):
    status, answer = live.api("/v1/scheduler", {"action": "shutdown"})
    assert (status, answer) == (200, {"message": "scheduler will be shutdown immediately"})
    live.gone(live.pid())
    assert not os.path.exists(f"{live.home}/api.sock")
    done = live.run("showq")
    assert done.returncode == 1 and "is the scheduler running?" in done.stderr


def test_a_folder_that_lets_nobody_in_is_told_from_a_scheduler_that_does_not_run(live):
    """As of `maui demo` of somebody else: what to do is said. Root plays somebody else, with
    a program of its own, as the build may be kept from others; a user has a closed folder."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        home = f"{place}/home"
        os.mkdir(home, 0o700 if os.geteuid() == 0 else 0)
        other = {"user": "nobody"} if os.geteuid() == 0 else {}
        for name in ("maui", "maui-client"):
            shutil.copy(os.path.join(os.path.dirname(live.program), name), place)
        done = subprocess.run([f"{place}/maui", "showq"], env=dict(live.env, MAUIHOMEDIR=home),
                              capture_output=True, text=True, check=False, cwd="/", **other)
    me = pwd.getpwuid(os.geteuid()).pw_name
    assert done.returncode == 1 and "is the scheduler running?" not in done.stderr
    assert f"permission denied: only {me} may enter '{home}'" in done.stderr
    assert f"'chmod a+x {home}' by {me}" in done.stderr and "maui demo --keep" in done.stderr


def test_paused_scheduling_starts_nothing_until_resumed(live):
    live.api("/v1/scheduler", {"action": "stop"})
    job = live.submit()
    time.sleep(0.3)
    assert live.state(job) == "Idle"
    live.api("/v1/scheduler", {"action": "resume"})
    live.wait(lambda: live.state(job) == "Running", "the start")


def test_test_mode_decides_and_touches_nothing(daemon):
    daemon.start("--mode", "TEST")
    job = daemon.submit("touch ran")
    time.sleep(0.5)
    assert not os.path.exists(f"{daemon.home}/ran")
    assert daemon.job(job)


def test_the_api_is_the_one_described(live):
    status, description = live.api("/openapi.json")
    assert status == 200
    source = json.loads(subprocess.run(
        ["cat", "src/server/api/openapi.json"], capture_output=True, text=True,
        cwd=os.path.dirname(os.path.dirname(os.path.dirname(__file__)))).stdout)
    assert description == source
    assert live.api("/v1/nothing")[0] == 404
    assert live.api("/v1/jobs", method="DELETE")[0] == 405


def test_a_job_submitted_with_a_hold_runs_when_it_is_released(live):
    job = live.submit("true", hold=True)
    live.wait(lambda: live.job(job)["section"] == "blocked", "the hold")
    assert live.ok("releasehold", "-u", job) == "job holds adjusted\n"
    live.wait(lambda: live.job(job) is None, "the end of the job")


def test_a_release_that_was_acknowledged_survives_kill_9(live):
    job = live.submit("true", hold=True)
    live.wait(lambda: live.job(job)["section"] == "blocked", "the hold")
    live.ok("releasehold", job)
    live.kill()
    live.start()
    live.wait(lambda: live.job(job) is None, "the end of the job")


def test_dependencies_know_success_from_failure(live):
    first = live.submit("sleep 0.5; exit 1")
    good = live.submit("true", dependencies=[f"afterok:{first}"])
    bad = live.submit("touch failed", dependencies=[f"afternotok:{first}"])
    live.wait(lambda: live.job(bad) is None, "the job after the failure")
    assert os.path.exists(f"{live.home}/failed")
    assert live.job(good)["section"] == "blocked"
