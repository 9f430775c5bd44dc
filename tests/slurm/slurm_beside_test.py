# SPDX-License-Identifier: Apache-2.0
"""A real Slurm beside another resource manager, a WIKI server of ours: nodes and jobs of
the same names, one plan."""
import os
import pathlib
import signal
import subprocess
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "wiki")]
from server import World  # noqa: E402

USER = "nobody"


class Beside:
    def __init__(self, make, folder, **options):
        self.world = World(folder / "world", {"n1": 2, "n2": 2})
        key = folder / "key"
        key.write_text("a secret of the site\n")
        os.chmod(key, 0o600)
        self.slurm = make(nodes=2, cpus=2, config=(
            f"RMCFG[far] TYPE=WIKI HOST=127.0.0.1 PORT={self.world.port} KEYFILE={key} "
            "CSALGO=HMAC POLLINTERVAL=1 TIMEOUT=2\nRESERVATIONPOLICY NEVER\nDEFERTIME 1\n"),
            **options)
        self.maui = self.slurm.maui
        self.slurm.wait(lambda: self.maui.api("/v1/nodes/far.n1")[0] == 200, "its nodes", 60)

    def runs(self, job):
        self.slurm.wait(lambda: self.maui.state(job) == "Running", f"the run of {job}", 60)

    def sees(self, user, job):
        """Is the job in that user's showq?"""
        shown = self.slurm.ok(self.slurm.program, "showq", user=user,
                              env={"MAUIHOMEDIR": self.maui.home})
        return job in shown.split()

    def counts(self, user):
        """Does the timeline tell that user how many jobs wait?"""
        return '"forecast":' in self.slurm.ok(
            "sh", "-c", f"curl -s --unix-socket {self.maui.home}/api.sock "
            "'http://maui/v1/timeline?as=pieces' | grep -ao '\"[a-z]*\":'", user=user)

    def without(self, manager):
        """That line of RMCFG is taken out, and the daemon told."""
        path = pathlib.Path(self.maui.home) / "maui.cfg"
        text = path.read_text()
        path.write_text("".join(l for l in text.splitlines(True)
                                if not l.startswith(f"RMCFG[{manager}]")))
        self.maui.ok("schedctl", "-R")
        return text

    def ended(self, job):
        self.slurm.wait(lambda: self.maui.job(job) is None, f"the end of {job}", 60)


@pytest.fixture
def beside(fresh_cluster, tmp_path):
    b = Beside(fresh_cluster, tmp_path)
    yield b
    b.world.kill()


def test_both_live_together_and_are_told_apart(beside):
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    mine = slurm.sbatch("-n", 4)
    beside.runs(mine)
    world.submit(mine, USER, seconds=120, TASKS=4)
    beside.runs(f"far.{mine}")
    assert maui.job(mine)["rm"] == "slurm" and maui.job(f"far.{mine}")["rm"] == "far"
    assert maui.job(f"slurm.{mine}")["id"] == mine
    assert {n["node"] for n in maui.job(f"far.{mine}")["allocation"]} == {"far.n1", "far.n2"}
    assert sorted(world.job(mine)["TASKLIST"]) == ["n1", "n1", "n2", "n2"]
    states = maui.ok("diagnose", "-R")
    assert "RM[slurm]" in states and "RM[far]" in states
    maui.ok("canceljob", f"far.{mine}")
    slurm.wait(lambda: world.look()["cancels"] == [[mine, "ADMIN"]], "its cancel")
    assert slurm.state(mine) == "RUNNING"
    slurm.ok("scancel", mine)


def test_each_goes_on_while_the_other_is_away(beside):
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    mine = slurm.sbatch("-n", 1)
    world.submit("long", USER, seconds=120)
    beside.runs(mine)
    beside.runs("far.long")
    slurm.kill("slurmctld", signal.SIGTERM)
    slurm.wait(lambda: "connection" in maui.ok("diagnose", "-R"), "the bad news", 60)
    world.submit("short", USER, seconds=0.2)
    beside.ended("far.short")
    assert maui.state(mine) == "Running"
    slurm.start("slurmctld")
    slurm.wait(slurm.all_up, "all nodes", 60)
    world.kill()
    again = slurm.sbatch("-n", 1, script="true")
    slurm.wait_state(again, "COMPLETED", seconds=60)
    assert maui.state("far.long") == "Running"
    slurm.ok("scancel", mine)


def test_killed_again_and_again_nothing_is_lost_or_started_twice(beside):
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    mine = [slurm.sbatch("-n", 1, script="sleep 0.5") for _ in range(4)]
    for i in range(4):
        world.submit(f"w{i}", USER, seconds=0.5)
    for _ in range(4):
        maui.kill()
        maui.start()
    for job in mine:
        slurm.wait_state(job, "COMPLETED", seconds=60)
    slurm.wait(lambda: all(world.job(f"w{i}")["STATE"] == "Completed" for i in range(4)),
               "the ends there", 60)
    assert sorted(world.look()["starts"]) == [f"w{i}" for i in range(4)]


def test_a_dependency_on_a_job_of_the_other_is_kept(beside):
    """Slurm does not know it, and cannot be told of it."""
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    world.submit("first", USER, seconds=600)
    world.submit("second", USER, seconds=600)
    beside.runs("far.first")
    beside.runs("far.second")
    own = slurm.sbatch("-n", 1, script="sleep 600")
    beside.runs(own)
    asked = "afterok:far.first,afterany:" + own
    done = maui.ok("msub", "-o", "/dev/null", "-l", "walltime=60", "-l", f"depend={asked}",
                   stdin="#!/bin/sh\ntrue\n")
    job = done.split()[-1]
    slurm.wait(lambda: maui.job(job)["dependencies"] == asked.split(","), "both")
    slurm.wait(lambda: not maui.job(job).get("holds"), "that nothing holds it")
    maui.kill()
    maui.start()
    slurm.wait(lambda: maui.job(job) and maui.job(job)["dependencies"] == asked.split(","), "both", 60)
    world.end("first")
    beside.ended("far.first")
    assert maui.state(job) != "Running" and own in maui.why(job)
    slurm.ok("scancel", own)
    slurm.wait_state(job, "COMPLETED", seconds=60)
    never = maui.ok("msub", "-o", "/dev/null", "-l", "walltime=60",
                    "-l", "depend=afternotok:far.second",
                    stdin="#!/bin/sh\ntrue\n").split()[-1]
    maui.kill()
    world.kill()
    maui.start()
    slurm.wait(lambda: maui.job(never), "the job", 60)
    slurm.wait(lambda: "depends on" in maui.why(never), "that it waits for one that is away", 60)
    assert slurm.state(never) == "PENDING"


def unread(port):
    """Bytes that were sent to whoever listens on the port, and that it has not read."""
    queues = [line.split()[4] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()
              if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "01"]
    return sum(int(q.split(":")[1], 16) for q in queues)


def test_a_daemon_that_is_killed_before_the_number_is_told_leaves_no_job_behind(beside):
    """Slurm takes the job when nobody waits for its number any more: what it depends on
    elsewhere comes to it in the daemon's next life, and it is let go."""
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    world.submit("first", USER, seconds=600)
    beside.runs("far.first")
    script = "#!/bin/sh\ntrue\n" + "# long\n" * 4000
    path = pathlib.Path(maui.home) / "script"
    path.write_text(script)
    with slurm.stopped("slurmctld"):
        with subprocess.Popen([slurm.program, "msub", "-o", "/dev/null", "-l", "walltime=60",
                               "-l", "depend=afterok:far.first", path], env=maui.env,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            slurm.wait(lambda: unread(slurm.port) > len(script), "the submission", 60)
            maui.kill()
    slurm.wait(lambda: slurm.ok("squeue", "-h", "-o", "%i").split(), "the job", 60)
    job, = slurm.ok("squeue", "-h", "-o", "%i").split()
    maui.start()
    slurm.wait(lambda: (maui.job(job) or {}).get("dependencies") == ["afterok:far.first"],
               "its dependency", 60)
    slurm.wait(lambda: not maui.job(job).get("holds"), "that nothing holds it", 60)
    assert slurm.state(job) == "PENDING"
    world.end("first")
    slurm.wait_state(job, "COMPLETED", seconds=60)


def test_a_hold_of_the_owner_stays_on_a_job_that_depends_on_another(beside):
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    world.submit("first", USER, seconds=600)
    beside.runs("far.first")
    job = maui.ok("msub", "-h", "-o", "/dev/null", "-l", "walltime=60",
                  "-l", "depend=afterok:far.first",
                  stdin="#!/bin/sh\ntrue\n").split()[-1]
    world.end("first")
    beside.ended("far.first")
    assert not maui.job(job).get("dependencies") and maui.state(job) == "Hold"
    slurm.ok("scontrol", "release", job)
    slurm.wait_state(job, "COMPLETED", seconds=60)


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_what_slurm_hides_is_shown_when_it_is_gone(fresh_cluster, tmp_path):
    b = Beside(fresh_cluster, tmp_path, conf="PrivateData=jobs\n")
    try:
        b.world.submit("1", USER, seconds=600)
        b.runs("far.1")
        assert b.sees(USER, "far.1") and not b.sees("daemon", "far.1")
        assert not b.counts("daemon")
        b.slurm.kill("slurmctld")
        b.maui.kill()
        b.maui.start()
        b.runs("far.1")
        assert not b.sees("daemon", "far.1")  # it cannot be asked what it hides
        b.without("slurm")
        b.slurm.wait(lambda: "RM[slurm]" not in b.maui.ok("diagnose", "-R"), "that it is gone", 60)
        b.slurm.wait(lambda: b.sees("daemon", "far.1"), "that nothing is hidden", 60)
        assert b.counts("daemon")
    finally:
        b.world.kill()


def test_when_both_are_away_nothing_is_decided_and_nothing_lost(beside):
    slurm, world, maui = beside.slurm, beside.world, beside.maui
    mine = slurm.sbatch("-n", 1, script="sleep 600")
    world.submit("long", USER, seconds=600)
    for job in (mine, "far.long"):
        beside.runs(job)
    slurm.saved(mine)  # else Slurm has it wait again when it is back, and may end it
    slurm.kill("slurmctld")
    world.kill()
    slurm.wait(lambda: maui.ok("diagnose", "-R").count("state: 'Down'") == 2, "the bad news", 60)
    assert maui.state(mine) == maui.state("far.long") == "Running"
    maui.kill()
    assert maui.run("serve", "-L", "5").returncode == 0
    maui.env["CLIENTTIMEOUT"] = "10"  # the daemon says so after five seconds
    said = maui.run("showq")
    del maui.env["CLIENTTIMEOUT"]
    assert said.returncode != 0 and "waiting for" in said.stderr + said.stdout
    world.submit("next", USER, seconds=0.2)
    world.start()
    slurm.wait(lambda: world.job("next")["STATE"] == "Completed", "a job there", 60)
    beside.runs("far.long")
    slurm.start("slurmctld")
    beside.runs(mine)
    assert world.look()["starts"] == ["long", "next"]
    slurm.ok("scancel", mine)
