# SPDX-License-Identifier: Apache-2.0
"""Users who try to get at others' jobs, at more than their share, or at the machine: by
requests that Slurm's commands would not send, by names, by files and sockets."""
import os
import pathlib
import stat

import pytest

CLUSTER = {"nodes": 2, "cpus": 2, "gpus": 0}
FIELDS = ("Priority", "Nice", "AdminComment", "Partition", "ReqNodeList", "JobState",
          "UserId", "TimeLimit")
ESCAPE = "\x1b]0;owned\x07\x1b[2Jboo\nState: Running\r\x9b\u202e"


def maui(slurm, *args, user=None):
    return slurm.run(slurm.program, *args, user=user, env={"MAUIHOMEDIR": slurm.maui.home})


def facts(slurm, job):
    """What matters of it; a note of the scheduler's is none of it."""
    found = slurm.show(job)
    picked = {k: found.get(k) for k in FIELDS}
    if (picked["AdminComment"] or "").startswith("maui:"):
        picked["AdminComment"] = "maui:"
    return picked


@pytest.fixture
def victim(slurm, users, full):
    """A job of somebody that waits, behind one on all there is."""
    job = slurm.sbatch("-n", 1, "-t", 5, user=users[0])
    slurm.wait_maui(job, "Idle")
    yield job
    full()


FORGED = [
    ["admin_comment=go"], ["admin_comment=maui:mark"], ["admin_comment=maui:keep"],
    ["admin_comment=maui:admin"], ["admin_comment=maui: waits #99999999999"],
    ["admin_comment=maui:asked;count=1-1;partition=low"],
    ["admin_comment=x maui:asked;count=1-1;nodes=n2;go"],
    ["site_factor=2147483649"], ["site_factor=2147483650"], ["site_factor=2147483651"],
    ["site_factor=2147483748"], ["priority=100000"], ["priority=4294967295"],
    ["priority=0"], ["nice=2147483548"], ["req_nodes=n2", "priority=4294967295"],
    ["req_nodes=n2", "admin_comment=go", "priority=4294967295"]]


def test_no_request_touches_a_job_of_somebody_else(slurm, users, victim, forge):
    before = facts(slurm, victim)
    for words in (*FORGED, ["partition=low"], ["name=mine"], ["comment=maui:asked"]):
        done = slurm.run(forge, "update", victim, *words, user=users[1])
        assert done.returncode == 1, (words, done)
        assert facts(slurm, victim) == before, words
    for command in (("canceljob", victim), ("sethold", victim), ("releasehold", victim),
                    ("setspri", "9", victim), ("runjob", victim), ("runjob", "-x", victim),
                    ("mjobctl", "-m", "wclimit=1", victim), ("mjobctl", "-R", victim),
                    ("mjobctl", "-N", "9", victim), ("setqos", "normal", victim),
                    ("setupri", "9", victim), ("canceljob", "ALL"),
                    ("canceljob", f"r:{victim}"), ("schedctl", "-k"),
                    ("changeparam", "ADMIN1", users[1]), ("resetstats",)):
        done = maui(slurm, *command, user=users[1])
        assert done.returncode != 0, (command, done)
        assert facts(slurm, victim) == before, command
    slurm.wait_maui(victim, "Idle")
    for command in ("scancel", "scontrol"):
        words = (victim,) if command == "scancel" else ("requeue", victim)
        slurm.run(command, *words, user=users[1])
    assert facts(slurm, victim) == before


def test_no_request_starts_an_own_job_past_the_scheduler(slurm, users, victim, forge):
    job = slurm.sbatch("-n", 1, "-t", 5, user=users[1])
    slurm.wait_maui(job, "Idle")
    for words in FORGED:
        slurm.run(forge, "update", job, *words, user=users[1])
        now = facts(slurm, job)
        assert now["Priority"] == "0" and now["JobState"] == "PENDING", (words, now)
        assert now["AdminComment"] == "maui:" and now["Nice"] == "0", (words, now)
        assert now["Partition"] == "all", (words, now)
    made = []
    for words in (*FORGED, ["user_id=0"], ["user_id=1"]):
        done = slurm.run(forge, "submit", *words, user=users[1])
        if done.returncode == 0:
            made.append(done.stdout.strip())
            slurm.wait(lambda: facts(slurm, made[-1])["Priority"] == "0", "its place")
            now = facts(slurm, made[-1])
            assert now["Priority"] == "0" and now["AdminComment"] == "maui:", (words, now)
            assert now["UserId"].startswith(users[1] + "("), (words, now)
            assert (slurm.maui.job(made[-1]) or {}).get("fixed_priority") is None
    assert made  # a wish for a priority is no crime, and none
    slurm.wait(lambda: all(slurm.maui.job(j) for j in made), "them")
    assert all(slurm.maui.job(j)["priority"] < 1000 for j in made)


def test_what_looks_like_a_starts_note_is_none_in_a_new_job(slurm, victim, forge):
    """Not even where whoever writes it may: a site's script copies what users say."""
    done = slurm.run(forge, "submit",
                     "admin_comment=of the dean maui:asked;count=1-1;partition=low;nodes=n1")
    assert done.returncode == 0, done
    job = done.stdout.strip()
    slurm.wait_maui(job, "Idle")
    slurm.wait(lambda: facts(slurm, job)["AdminComment"] == "of", "the site's remark")
    now = facts(slurm, job)
    assert now["Partition"] == "all" and now["ReqNodeList"] == "(null)", now
    assert "maui:asked" not in slurm.ok("scontrol", "show", "job", job)


def test_names_steer_no_terminal(slurm, users, victim):
    job = slurm.sbatch("-n", 1, "-t", 5, "-J", ESCAPE, "--comment", ESCAPE,
                       "-D", "/", user=users[1])
    slurm.wait_maui(job, "Idle")
    for command in (("showq",), ("showq", "-i"), ("showq", "-b", "-v"), ("checkjob", job),
                    ("checkjob", "-v", job), ("diagnose", "-j"), ("diagnose", "-j", job),
                    ("diagnose", "-q"), ("showstart", job), ("mjobctl", "-q", "diag", job),
                    ("showq", "--format", "json"), ("checkjob", "--format", "json", job)):
        text = maui(slurm, *command).stdout
        json = "json" in command  # for programs: control characters are escaped there
        assert not any(c in text for c in "\x1b\x07\r" + ("" if json else "\x9b\u202e")), (
            command, text)
        if not json:
            assert "\nState: Running" not in text.replace("State: Idle", ""), command
    for name in ("maui.log", "events.log"):
        path = pathlib.Path(slurm.maui.home, "log", name)
        assert b"\x1b" not in (path.read_bytes() if path.exists() else b"")


def test_files_and_sockets_of_the_scheduler_are_its_own(slurm, users, victim):
    home = pathlib.Path(slurm.maui.home)
    for path in [home, *home.rglob("*")]:
        mode = path.lstat().st_mode
        if not stat.S_ISSOCK(mode):
            assert not mode & 0o022, (path, oct(mode))
        assert path.lstat().st_uid == os.geteuid(), path
    for name in ("slurm.events", "state.db"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600, name
    for name in ("slurm.events", "slurm.heartbeat", "maui.cfg", "state.db", "x"):
        done = slurm.run("sh", "-c", f"echo 1 >> {home}/{name}", user=users[1])
        assert done.returncode != 0, name
    for path in ("/v1/scheduler", "/v1/parameters", "/v1/orders/cancel", "/v1/jobs"):
        for body in ("{}", '{"jobs": ["%s"], "user": "root"}' % victim, "[" * 100000,
                     "x" * 1000000):
            slurm.run("curl", "-s", "--max-time", "20", "--unix-socket", f"{home}/api.sock",
                      "-H", "Content-Type: application/json", "-d", "@-",
                      f"http://maui{path}", user=users[1], stdin=body)
    assert facts(slurm, victim)["JobState"] == "PENDING"
    slurm.wait(lambda: maui(slurm, "showq").returncode == 0, "an answer")


def test_no_program_of_a_users_choice_is_run(slurm, users, victim):
    """The commands look in no folder that the environment or a job names."""
    lure = pathlib.Path(slurm.dir, "out", "lure")
    lure.mkdir(exist_ok=True)
    marker = pathlib.Path(slurm.dir, "out", "caught")
    for name in ("scontrol", "scancel", "sacctmgr", "diff", "maui-slurm", "maui-serve",
                 "maui-scontrol", "squeue"):
        (lure / name).write_text(f"#!/bin/sh\nid -u >> {marker}\n")
        (lure / name).chmod(0o755)
    lure.chmod(0o755)
    job = slurm.sbatch("-n", 1, "-t", 5, f"--export=ALL,PATH={lure}:{slurm.env['PATH']},"
                       f"LD_PRELOAD={lure}/x.so,SLURM_CONF=/x,MAUIHOMEDIR={lure}",
                       user=users[1])
    slurm.wait_maui(job, "Idle")
    for command in (("showq",), ("checkjob", job), ("canceljob", job)):
        slurm.run(slurm.program, *command, user=users[1], env={
            "MAUIHOMEDIR": slurm.maui.home, "PATH": f"{lure}:{slurm.env['PATH']}"})
    assert not marker.exists() or "0" not in marker.read_text().split()
    assert slurm.state(victim) == "PENDING"
