# SPDX-License-Identifier: Apache-2.0
"""Very many jobs at once: all are kept, and the scheduler's heart goes on beating."""
import pathlib
import time

CLUSTER = {"nodes": 2, "open_after": 60}
NEW_MAX, NEW_USER = 300, 200  # of job_submit.lua


def priorities(slurm):
    """Of jobs that wait."""
    return slurm.ok("squeue", "-h", "-t", "PD", "-O", "PriorityLong").split()


def test_no_more_new_jobs_wait_for_their_being_taken_over_than_can_be_taken_in_time(
        slurm, full, forge):
    """Those after them are kept at priority 0 from the beginning."""
    with slurm.stopped("adapter"):
        begun = time.monotonic()
        slurm.ok(forge, "many", NEW_USER + 100, timeout=300)
        quick = time.monotonic() - begun < 2  # else the heartbeat was too old in the end
        new = sum(p != "0" for p in priorities(slurm))
        assert new == NEW_USER if quick else new <= NEW_USER
    slurm.wait(lambda: not any(p != "0" for p in priorities(slurm)), "all taken over", 60)
    def is_judged():  # room again for others
        with slurm.stopped("adapter"):
            return slurm.show(slurm.sbatch("-n", 1))["Priority"] != "0"
    slurm.wait(is_judged, "a new job that Slurm judges")
    assert len(slurm.ok("squeue", "-h", "-t", "R", "-o", "%i").split()) == 1


def test_one_users_storm_does_not_keep_others_from_being_judged(slurm, full, forge, users):
    with slurm.stopped("adapter"):
        begun = time.monotonic()
        slurm.ok(forge, "many", NEW_USER + 1, user=users[0], timeout=300)
        other = slurm.run("sbatch", "-n", 1, "--gres=gpu:9", "--wrap", "true", user=users[1])
        more = slurm.ok(forge, "many", NEW_MAX - NEW_USER + 1, user=users[1]).split()
        quick = time.monotonic() - begun < 2  # else the heartbeat was too old in the end
        if quick:
            assert other.returncode != 0, other.stdout   # no node could ever do
            shown = [slurm.show(more[i])["Priority"] for i in (50, -1)]
            assert shown[0] != "0" and shown[1] == "0"   # and all have but so many places
    slurm.wait(lambda: not any(p != "0" for p in priorities(slurm)), "all taken over", 60)


def test_the_heart_beats_while_very_many_jobs_are_taken_back(slurm, full, forge):
    """From a slurmctld that takes its time for each."""
    script = pathlib.Path(slurm.dir, "etc/job_submit.lua")
    before = script.read_text()
    slurm.kill("maui")
    slurm.ok(forge, "many", 150, timeout=300)
    slurm.maui.ok("slurm", "letgo")
    slurm.wait(lambda: not any(p == "0" for p in priorities(slurm)), "all let go")
    time.sleep(1.1)  # slurmctld reads a script again that is of a later second
    script.write_text(before.replace("function slurm_job_modify(job, current, partitions, uid)\n",
                                     "function slurm_job_modify(job, current, partitions, uid)\n"
                                     "\tos.execute('sleep 0.1')\n", 1))
    try:
        slurm.maui.start()
        beat, worst, last = pathlib.Path(slurm.maui.home, "slurm.heartbeat"), 0, time.monotonic()
        told = beat.read_text()
        end = time.monotonic() + 120
        while any(p != "0" for p in priorities(slurm)) and time.monotonic() < end:
            if beat.read_text() != told:
                told, last = beat.read_text(), time.monotonic()
            worst = max(worst, time.monotonic() - last)
        assert not any(p != "0" for p in priorities(slurm))
        assert worst < 9, worst
    finally:
        time.sleep(1.1)
        script.write_text(before)
