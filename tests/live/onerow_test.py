# SPDX-License-Identifier: Apache-2.0
"""One job, one row of accounting, whatever is killed in between and in which order:
keepers and the daemon die at random instants around acknowledged cancellations."""
import os
import random
import signal
import time

from start_test import keepers

ROUNDS = int(os.environ.get("MAUI_KILLS", 4))


def all_rows(daemon):
    rows = daemon.api("/v1/accounting")[1]
    return rows if isinstance(rows, list) else [rows] if "id" in rows else []


def shoot(daemon, dice, jobs, acknowledged):
    """In a random order: each job's keeper, its cancellation, and once the daemon."""
    shots = [(what, job) for job in jobs for what in ("keeper", "cancel")]
    dice.shuffle(shots)
    shots.insert(dice.randrange(len(shots) + 1), ("daemon", None))
    for what, job in shots:
        if what == "daemon":
            daemon.kill()
            daemon.start()
        elif what == "cancel":
            if daemon.run("canceljob", job).returncode == 0:
                acknowledged.add(job)
        elif dice.random() < 0.7:
            for keeper in keepers(daemon, job):
                try:
                    os.kill(keeper, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        time.sleep(dice.choice([0, 0, 0.01, 0.05]))


def test_a_job_is_accounted_once(daemon):
    seed = int(os.environ.get("MAUI_CHAOS_SEED", time.time_ns() % 2**32))
    print("seed", seed)
    dice = random.Random(seed)
    daemon.configure("RMPOLLINTERVAL 1\nRMCFG[local] TYPE=LOCAL KILLGRACE=1\n")
    daemon.nodes = "4x8"
    daemon.start()
    everybody, acknowledged = [], set()
    for _ in range(ROUNDS):
        jobs = [daemon.submit() for _ in range(6)]
        everybody += jobs
        daemon.wait(lambda: all(daemon.state(j) == "Running" for j in jobs), "the starts")
        shoot(daemon, dice, jobs, acknowledged)
        if dice.random() < 0.5:
            daemon.kill()
            daemon.start()
        for job in jobs:
            daemon.run("canceljob", job)
        daemon.wait(lambda: not any(daemon.job(j) for j in jobs), "the end of all", 40)
        daemon.wait(lambda: not keepers(daemon), "the end of the keepers", 40)
    daemon.wait(lambda: len(all_rows(daemon)) >= len(everybody), "the rows")
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: daemon.api("/v1/scheduler")[0] == 200, "the daemon")
    rows = [r["id"] for r in all_rows(daemon)]
    assert sorted(rows, key=int) == sorted(everybody, key=int), all_rows(daemon)
    removed = {r["id"] for r in all_rows(daemon) if r["state"] == "Removed"}
    assert acknowledged <= removed, acknowledged - removed
