# SPDX-License-Identifier: Apache-2.0
"""A stream of jobs while slurmctld, a slurmd, munged, the adapter and our daemon are
killed and started again at random. At the end each job has run exactly once, or never
was accepted, or says why it waits.

MAUI_CHAOS_ROUNDS: how many blows (default 5); MAUI_CHAOS_SEED: to repeat a run."""
import collections
import os
import pathlib
import random
import signal
import threading
import time

ROUNDS = int(os.environ.get("MAUI_CHAOS_ROUNDS", 5))
VICTIMS = ("slurmctld", "node", "munged", "adapter", "adapter", "maui", "maui")


def submit_until(slurm, over, jobs, dice):
    script = "echo $SLURM_JOB_ID.$SLURM_ARRAY_TASK_ID >>{}/out/chaos; sleep {}\n"
    while not over.is_set():
        options = dice.choice([["-n", "1"], ["-n", "3"], ["-a", "1-3"], ["-N", "2"],
                               ["--exclusive"]])
        # no requeue by Slurm after a lost node: each runs once
        done = slurm.run("sbatch", "--parsable", "--no-requeue", "-t", "5", "-o",
                         "/dev/null", *options, stdin="#!/bin/sh\n" + script.format(
                             slurm.dir, dice.choice([0, 0.2, 1])))
        if done.returncode == 0:
            jobs.append(done.stdout.strip())
        time.sleep(dice.uniform(0.05, 0.4))


def test_no_job_is_lost_or_runs_twice(fresh_cluster):
    seed = int(os.environ.get("MAUI_CHAOS_SEED", time.time_ns() % 2**32))
    print("seed", seed)
    dice = random.Random(seed)
    slurm = fresh_cluster(nodes=4, message_timeout=5, slurmd_timeout=60)
    jobs, over = [], threading.Event()
    client = threading.Thread(target=submit_until,
                              args=(slurm, over, jobs, random.Random(seed + 1)))
    client.start()
    try:
        for _ in range(ROUNDS):
            time.sleep(dice.uniform(0.2, 1.2))
            victim = dice.choice(VICTIMS)
            victim = dice.choice(slurm.nodes) if victim == "node" else victim
            # a slurmctld killed at once forgets by itself what it had accepted last
            slurm.kill(victim, signal.SIGTERM if victim == "slurmctld" else signal.SIGKILL)
            time.sleep(dice.choice([0, 0, 0.5, 2]))
            if victim != "adapter":
                slurm.start(victim)
    finally:
        over.set()
        client.join()
    slurm.wait(lambda: slurm.run("scontrol", "ping").stdout.count("UP"), "slurmctld")

    def settled():
        text = slurm.run("squeue", "-h", "-o", "%i")
        return text.returncode == 0 and not text.stdout.strip()
    # a start that node after node refuses is tried again after 2, 4 ... 32 s
    slurm.wait(settled, "the end of all jobs", 180 + 4 * ROUNDS)
    slurm.wait(lambda: not slurm.queued(), "their end in the scheduler", 60)
    path = pathlib.Path(slurm.dir, "out/chaos")
    runs = collections.Counter(path.read_text().split())
    twice = {r: n for r, n in runs.items() if n > 1}
    assert not twice, f"seed {seed}: ran more than once: {twice}"
    began = {r.split(".")[0] for r in runs}
    arrays = {slurm.show(j).get("ArrayJobId") for j in began if slurm.show(j)}
    for job in jobs:
        if job in began or job in arrays:
            continue
        # its node's slurmd was killed as it was to be launched there: Slurm gave it up
        assert slurm.state(job) in ("NODE_FAIL", "FAILED", "CANCELLED", "BOOT_FAIL"), \
            f"seed {seed}: {job} never ran: {slurm.show(job)}"
    print(f"{ROUNDS} blows, {len(jobs)} submissions, {sum(runs.values())} runs")
