# SPDX-License-Identifier: Apache-2.0
"""A site that has run without the scheduler: what waits there is taken back as it is."""
import pathlib
import time

import pytest

TASKS = 2000


@pytest.fixture(params=["LIBSLURM", "SCONTROL"])
def old_site(fresh_cluster, request):
    """Slurm alone with all its nodes taken, and how they come free."""
    slurm = fresh_cluster(scheduler=False, nodes=3, cpus=2, transport=request.param,
                          conf="MaxJobCount=30000\n")
    full = slurm.sbatch("-N", 3, "--exclusive", "-t", "30")
    slurm.wait_state(full, "RUNNING")
    return slurm, lambda: slurm.ok("scancel", full)


def held_rows(slurm, *jobs):
    """Rows of squeue for these jobs, when all of them are kept."""
    rows = slurm.ok("squeue", "-h", "-o", "%i %r", "-j", ",".join(jobs)).splitlines()
    return all(row.endswith("JobHeldUser") for row in rows) and rows


def test_a_waiting_array_is_taken_back_whole(old_site):
    slurm, _ = old_site
    array = slurm.sbatch(f"-a0-{TASKS - 1}", "-t", "1", script="true")
    slurm.maui.start()
    slurm.wait(lambda: len(slurm.queued()) == TASKS + 1, "all tasks in the scheduler")
    rows = slurm.wait(lambda: held_rows(slurm, array), "the array kept")
    assert rows == [f"{array}_[0-{TASKS - 1}] JobHeldUser"]  # one record, as before


def test_tasks_run_and_wait_at_the_change(old_site):
    """And a manager without trouble is active, whatever it is asked for."""
    slurm, free = old_site
    free()
    go = pathlib.Path(slurm.dir, "out/go")
    array = slurm.sbatch("-a0-9", "-t", "5",
                         script=f"while [ ! -e {go} ]; do sleep 0.1; done")
    slurm.wait(lambda: "RUNNING" in slurm.ok("squeue", "-h", "-o", "%T", "-j", array),
               "tasks that run")
    begun = time.monotonic()
    slurm.maui.start()
    slurm.maui.ok("schedctl", "-r")
    slurm.wait(lambda: len(slurm.queued()) >= 10, "all tasks in the scheduler")
    go.touch()
    slurm.wait(lambda: not slurm.ok("squeue", "-h").strip(), "the end of all tasks", 60)

    def all_ended():
        ended = slurm.maui.ok("showq", "-c")
        return all(f"{array}_{task} " in ended for task in range(10))

    slurm.wait(all_ended, "all ten among the completed jobs")
    slurm.wait(lambda: "'Active'" in slurm.maui.ok("diagnose", "-R"), "Active")
    # licences are asked for every five seconds
    slurm.wait(lambda: time.monotonic() > begun + 7, "all to be asked for twice")
    shown = slurm.maui.ok("diagnose", "-R")
    assert "'Active'" in shown and "Failures" not in shown, shown


def test_what_its_owner_asked_for_is_kept(old_site):
    slurm, free = old_site
    bound = slurm.sbatch("-w", "n2", "-t", "5")
    wide = slurm.sbatch("-N", "2", "--exclusive", "-t", "5")
    task = slurm.sbatch("-a7", "-w", "n3", "-t", "5")
    slurm.maui.start()
    slurm.wait(lambda: held_rows(slurm, bound, wide, task), "all three kept")
    assert slurm.show(bound)["ReqNodeList"] == "n2"
    free()
    slurm.wait_state(bound, "RUNNING")
    assert slurm.where(bound) == ["n2"]
    slurm.ok("scancel", bound)
    slurm.wait_state(wide, "RUNNING")
    assert len(slurm.where(wide)) == 2
    slurm.ok("scancel", wide)
    slurm.wait_state(task, "RUNNING")
    assert slurm.where(task) == ["n3"]


def test_what_its_partition_cannot_run_is_held_by_nobody(old_site):
    """Slurm makes half of each change of it and refuses the rest: it is taken back, waits,
    and starts once its partition can run it. Its owner's own hold stays one."""
    slurm, free = old_site
    wide = slurm.sbatch("-p", "low", "-n", 4, "-t", "5")
    held = slurm.sbatch("-p", "low", "-n", 4, "-t", "5")
    slurm.maui.start()
    for job in (wide, held):
        slurm.wait(lambda job=job: slurm.show(job).get("AdminComment"), f"{job} kept")
    slurm.wait_maui(wide, "Idle")
    assert "Holds:" not in slurm.maui.why(wide), slurm.maui.why(wide)
    slurm.run("scontrol", "hold", held)  # done, and yet refused
    slurm.wait_maui(held, "Hold")
    free()
    slurm.ok("scontrol", "update", "partitionname=low", "nodes=n[1-3]")
    slurm.wait_state(wide, "RUNNING")
    assert slurm.state(held) == "PENDING"
    slurm.ok("scontrol", "release", held)
    slurm.ok("scancel", wide)
    slurm.wait_state(held, "RUNNING")


def test_there_and_back_and_there_again(old_site):
    slurm, free = old_site
    bound = slurm.sbatch("-w", "n2", "-t", "5")
    never = slurm.sbatch("-p", "low", "-N", 3)  # Slurm makes half of each change of it
    slurm.maui.start()
    slurm.wait(lambda: held_rows(slurm, bound) and slurm.show(never).get("AdminComment"),
               "they are kept")
    slurm.maui.stop()
    slurm.maui.ok("slurm", "letgo")
    slurm.wait(lambda: not held_rows(slurm, bound), "it is Slurm's")
    assert slurm.show(never)["Priority"] != "0", slurm.show(never)
    slurm.maui.start()
    slurm.wait(lambda: held_rows(slurm, bound), "it is kept again")
    free()
    slurm.wait_state(bound, "RUNNING")
    assert slurm.where(bound) == ["n2"]
