# SPDX-License-Identifier: Apache-2.0
"""The scheduler's machine and slurmctld's have different times."""
import os
import pathlib

import pytest
import slurm_cluster


@pytest.fixture(params=[-100, 100])
def apart(slurm_program, shift, request):
    """So many seconds wrong is all of the scheduler."""
    c = slurm_cluster.SlurmCluster(slurm_program, nodes=2, open_after=60)
    c.maui.env.update(LD_PRELOAD=shift, MAUI_TEST_SHIFT=str(request.param))
    c.maui.env.pop("ASAN_OPTIONS", None)
    try:
        yield c.up(), request.param
    finally:
        c.down()


def test_jobs_are_kept_and_started_and_somebody_is_told(apart):
    slurm, seconds = apart
    beat = pathlib.Path(slurm.maui.home, "slurm.heartbeat")
    slurm.wait(lambda: abs(int(beat.read_text().split()[0])
                           - beat.stat().st_mtime) < 10, "a heartbeat of slurmctld's time")
    slurm.maui.ok("schedctl", "-s")
    kept = slurm.sbatch("-n", 1)
    late = slurm.sbatch("-n", 1, "--begin=now+1hour")
    lost = slurm.sbatch("-n", 1, "-t", 2, "--deadline=now+240")
    slurm.wait_maui(kept, "Idle")
    slurm.wait(lambda: slurm.show(kept)["Priority"] == "0", "its place")
    assert slurm.state(kept) == slurm.state(lost) == "PENDING"
    slurm.maui.ok("schedctl", "-r")
    slurm.wait_state(kept, "RUNNING")
    slurm.wait_state(lost, "RUNNING")
    assert slurm.state(late) == "PENDING"
    told = slurm.maui.ok("diagnose", "-R")
    where = "ahead of" if seconds < 0 else "behind"
    assert "WARNING:  clock: slurmctld's clock is" in told and where in told, told
    assert "state: 'Active'" in told, told  # its jobs start nevertheless
    assert os.path.exists(beat)
