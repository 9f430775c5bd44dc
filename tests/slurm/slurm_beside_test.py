# SPDX-License-Identifier: Apache-2.0
"""A real Slurm beside another resource manager, a WIKI server of ours: nodes and jobs of
the same names, one plan."""
import os
import pathlib
import signal
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "wiki")]
from server import World  # noqa: E402

USER = "nobody"


class Beside:
    def __init__(self, make, folder):
        self.world = World(folder / "world", {"n1": 2, "n2": 2})
        key = folder / "key"
        key.write_text("a secret of the site\n")
        os.chmod(key, 0o600)
        self.slurm = make(nodes=2, cpus=2, config=(
            f"RMCFG[far] TYPE=WIKI HOST=127.0.0.1 PORT={self.world.port} KEYFILE={key} "
            "CSALGO=HMAC POLLINTERVAL=1 TIMEOUT=2\nRESERVATIONPOLICY NEVER\nDEFERTIME 1\n"))
        self.maui = self.slurm.maui
        self.slurm.wait(lambda: self.maui.api("/v1/nodes/far.n1")[0] == 200, "its nodes", 60)

    def runs(self, job):
        self.slurm.wait(lambda: self.maui.state(job) == "Running", f"the run of {job}", 60)

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
