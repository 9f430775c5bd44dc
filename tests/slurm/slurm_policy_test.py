# SPDX-License-Identifier: Apache-2.0
"""Policies on jobs of Slurm, and what the scheduler's commands say meanwhile."""
import json
import pathlib
import time

import pytest

CLUSTER = {"nodes": 4, "cpus": 2}


def starts(slurm, *jobs):
    for job in jobs:
        slurm.wait_state(job, "RUNNING")


def blocked(slurm, job, *words):
    """It waits, and checkjob says why."""
    slurm.wait(lambda: slurm.maui.job(job), f"{job} in the scheduler")
    why = slurm.wait(lambda: (text := slurm.maui.why(job)) and
                     all(w in text for w in words) and text, f"{words} for {job}", 8)
    assert slurm.state(job) == "PENDING"
    return why


def node(slurm, name):
    return json.loads(slurm.maui.ok("checknode", name, "--format", "json"))


def order_of_starts(slurm, jobs):
    """Their ids, first started first; all run one after the other."""
    seen = []
    end = time.monotonic() + 30
    while len(seen) < len(jobs) and time.monotonic() < end:
        for job in jobs:
            if job not in seen and slurm.state(job) not in ("PENDING", None):
                seen.append(job)
        time.sleep(0.05)
    return seen


def test_a_throttle_of_a_user(policies, slurm):
    policies(f"USERCFG[{slurm.user}] MAXJOB=2\n")
    jobs = [slurm.sbatch("-n", 1) for _ in range(3)]
    starts(slurm, *jobs[:2])
    blocked(slurm, jobs[2], "MAXJOB 2")
    slurm.ok("scancel", jobs[0])
    starts(slurm, jobs[2])


def test_a_throttle_of_a_partition_is_of_its_class(policies, slurm):
    policies("CLASSCFG[low] MAXPROC=2\n")
    one, two = slurm.sbatch("-n", 2, "-p", "low"), slurm.sbatch("-n", 2, "-p", "low")
    other = slurm.sbatch("-n", 2, "-p", "high")
    starts(slurm, one, other)
    blocked(slurm, two, "MAXPROC 2")


def test_fairshare_puts_the_user_who_had_less_first(policies, slurm, users):
    policies("FSPOLICY DEDICATEDPS\nFSDEPTH 2\nFSINTERVAL 1:00:00\nFSWEIGHT 1000\n"
             "FSUSERWEIGHT 100\nUSERCFG[DEFAULT] FSTARGET=50\nRMPOLLINTERVAL 1\n")
    starts(slurm, slurm.sbatch("-N", 4, "--exclusive", script="sleep 2", user=users[0]))
    mine = slurm.sbatch("-N", 4, "--exclusive", script="sleep 0.3", user=users[0])
    theirs = slurm.sbatch("-N", 4, "--exclusive", script="sleep 0.3", user=users[1])
    assert order_of_starts(slurm, [mine, theirs]) == [theirs, mine]


def test_a_standing_reservation_lets_its_list_in(policies, slurm, users):
    policies(f"SRCFG[club] HOSTLIST=n1,n2,n3 USERLIST={users[0]} PERIOD=INFINITY\n")
    member = slurm.sbatch("-n", 2, "-w", "n1", user=users[0])
    starts(slurm, member)
    stranger = slurm.sbatch("-n", 4, user=users[1])
    single = slurm.sbatch("-n", 2, user=users[1])
    starts(slurm, single)
    assert slurm.where(single) == ["n4"]
    blocked(slurm, stranger)


def test_an_administrative_reservation_keeps_jobs_off_until_released(slurm):
    text = slurm.maui.ok("setres", "-d", "1:00:00", "-n", "repair", "n[1-3]")
    name = text.split("reservation '")[1].split("'")[0]
    try:
        job = slurm.sbatch("-n", 8, "-t", 5)
        blocked(slurm, job, "ReserveTime")
    finally:
        slurm.maui.ok("releaseres", name)
    starts(slurm, job)


def test_slurms_reservation_that_is_made_or_deleted_is_seen_with_the_next_job(policies, slurm):
    """Though nobody looks by the clock."""
    policies("RMCFG[slurm] POLLINTERVAL=10:00\nRMPOLLINTERVAL 10:00\n")
    slurm.ok("scontrol", "create", "reservation", "reservationname=service", "starttime=now",
             "duration=60", "nodes=n1", "users=root")
    jobs = [slurm.sbatch("-w", "n1", "-n", 1)]
    slurm.wait(lambda: "service" in slurm.maui.ok("showres"), "the reservation")
    slurm.wait_maui(jobs[0], "Idle")
    slurm.ok("scontrol", "delete", "reservationname=service")
    assert f"job '{jobs[0]}': start" not in slurm.maui.log()
    jobs.append(slurm.sbatch("-w", "n1", "-n", 1))
    for job in jobs:
        slurm.wait_state(job, "RUNNING")
    assert "service" not in slurm.maui.ok("showres")
    # so is that an array has ended, which Slurm alone takes for a dependency's fulfilment
    slurm.ok("scancel", *jobs)
    array = slurm.sbatch("--array=1-2", "-n", 1, script="sleep 4")  # longer than orders are awaited
    after = slurm.sbatch("-n", 1, "-d", f"afterok:{array}")
    slurm.wait_state(after, "RUNNING")


def test_backfill_goes_around_the_priority_reservation(slurm):
    """Short ones pass the wide one that waits; long ones would delay it."""
    first = slurm.sbatch("-n", 6, "-t", 2)
    starts(slurm, first)
    wide = slurm.sbatch("-n", 8, "-t", 10)
    slurm.wait_maui(wide, "Idle")
    long, short = slurm.sbatch("-n", 2, "-t", 60), slurm.sbatch("-n", 2, "-t", 1)
    starts(slurm, short)
    assert slurm.state(wide) == slurm.state(long) == "PENDING"
    names = {r["name"] for r in slurm.maui.lines("showres")}
    assert wide in names and long not in names


def test_priorities_decide_who_is_next(policies, slurm):
    policies("CREDWEIGHT 1\nCLASSWEIGHT 1\nCLASSCFG[high] PRIORITY=1000\n")
    first = slurm.sbatch("-N", 4, "--exclusive")
    starts(slurm, first)
    low = slurm.sbatch("-N", 2, "--exclusive", "-p", "low", script="sleep 0.3")
    wide = slurm.sbatch("-N", 4, "--exclusive", "-p", "all", script="sleep 0.3")
    high = slurm.sbatch("-N", 2, "--exclusive", "-p", "high", script="sleep 0.3")
    for job in (low, wide, high):
        slurm.wait_maui(job, "Idle")
    idle = [r["id"] for r in slurm.maui.lines("showq") if r.get("section") in ("eligible",)]
    assert idle[0] == high
    slurm.ok("scancel", first)


def test_each_kind_of_hold(slurm):
    full = slurm.sbatch("-N", 4, "--exclusive")
    starts(slurm, full)
    jobs = {kind: slurm.sbatch("-n", 1) for kind in ("-u", "-s", "-b")}
    for kind, job in jobs.items():
        slurm.wait_maui(job, "Idle")
        slurm.maui.ok("sethold", kind, job)
    slurm.ok("scancel", full)
    time.sleep(1.5)
    assert {slurm.state(j) for j in jobs.values()} == {"PENDING"}
    for kind, job in jobs.items():
        assert "Holds:" in slurm.maui.why(job)
        slurm.maui.ok("releasehold", kind, job)
    starts(slurm, *jobs.values())


PREEMPTION = ("CREDWEIGHT 1\nQOSWEIGHT 1\nQOSCFG[hi] QFLAGS=PREEMPTOR PRIORITY=10000\n"
              "QOSCFG[lo] QFLAGS=PREEMPTEE\n"
              "CLASSCFG[high] QDEF=hi\nCLASSCFG[low] QDEF=lo\nCLASSCFG[all] QDEF=hi\n"
              "BACKFILLPOLICY NONE\nPREEMPTPOLICY {}\n")


def test_preemption_by_requeue(policies, slurm):
    policies(PREEMPTION.format("REQUEUE"))
    victim = slurm.sbatch("-p", "low", "-n", 4, "--requeue")
    starts(slurm, victim)
    preemptor = slurm.sbatch("-p", "all", "-n", 8, script="sleep 1")
    starts(slurm, preemptor)
    assert slurm.show(victim)["Restarts"] == "1"
    slurm.wait_state(victim, "RUNNING")


TIERS = ["PartitionName=top Nodes=n[1-2] PriorityTier=9 PreemptMode=OFF State=UP",
         "PartitionName=mid Nodes=n[1-2] Default=YES PriorityTier=5 State=UP",
         "PartitionName=low Nodes=n[1-2] PriorityTier=1 State=UP"]


def test_jobs_of_one_tier_do_not_preempt_each_other(fresh_cluster):
    """Of three, as `maui import slurm` writes what preempt/partition_prio said."""
    c = fresh_cluster(nodes=2, cpus=2, gpus=0, partitions=TIERS, scheduler=False)
    conf = c.write("before.conf", "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
                   + "\n".join(TIERS) + "\n")
    text = c.ok(c.program, "import", "slurm", "--conf", conf)
    c.maui.configure(text.replace("RMPOLLINTERVAL 10", "RMPOLLINTERVAL 1"), plain=True)
    c.maui.start()
    low, mid = (c.sbatch("-p", p, "-t", 30, "-w", n, "-n", 2)
                for p, n in (("low", "n1"), ("mid", "n2")))
    starts(c, low, mid)
    wide = c.sbatch("-t", 5, "-N", 2, "-n", 4)
    c.ok("scontrol", "update", f"jobid={wide}", "priority=50000")
    blocked(c, wide)
    assert c.state(low) == c.state(mid) == "RUNNING"
    narrow = c.sbatch("-t", 1, "-n", 2)
    starts(c, narrow)
    assert c.where(narrow) == ["n1"] and c.state(low) != "RUNNING"
    top = c.sbatch("-p", "top", "-t", 5, "-N", 2, "-n", 4)
    starts(c, top)
    assert c.state(mid) != "RUNNING" and c.state(narrow) != "RUNNING"


GRACE = 8


@pytest.mark.parametrize("transport", [None, pytest.param("SCONTROL", marks=pytest.mark.long(
    "test_a_preempted_job_has_the_grace_time_of_its_partition"))])
def test_a_preempted_job_has_the_grace_time_of_its_partition(fresh_cluster, transport):
    """It is told at once, and stays for so long, or ends by itself before."""
    rest = "DefaultTime=60 MaxTime=INFINITE State=UP"
    c = fresh_cluster(nodes=1, cpus=2, transport=transport, partitions=[
        f"PartitionName=all Nodes=n1 Default=YES {rest}",
        f"PartitionName=low Nodes=n1 GraceTime={GRACE} {rest}"],
        config=PREEMPTION.format("REQUEUE"))
    told, ready = (pathlib.Path(c.dir, "out", name) for name in ("told", "ready"))

    def victim_that(does):
        """It runs, and has set what it does when it is told to end."""
        ready.unlink(missing_ok=True)
        job = c.sbatch("-p", "low", "-n", 2, "--requeue", script=f"srun -n1 sh -c 'trap \"{does}"
                       f"\" TERM; >{ready}; while :; do sleep 0.1; done'")
        c.wait(ready.exists, "its step", 60)
        c.wait_maui(job, "Running")
        return job

    victim = victim_that(f"echo >{told}")
    preemptor = c.sbatch("-p", "all", "-n", 2, script="sleep 1")
    c.wait_state(preemptor, "RUNNING", "COMPLETED")
    began = time.mktime(time.strptime(c.show(preemptor)["StartTime"], "%Y-%m-%dT%H:%M:%S"))
    assert began - told.stat().st_mtime > GRACE / 2
    assert c.show(victim)["Restarts"] == "1"
    c.empty()
    c.ok("scontrol", "update", "partitionname=low", "gracetime=300")
    meek = victim_that("exit")
    preemptor = c.sbatch("-p", "all", "-n", 2)
    c.wait_state(preemptor, "RUNNING", seconds=60)
    assert c.show(meek)["Restarts"] == "0" and c.state(meek) != "RUNNING", c.tale(meek)


@pytest.mark.parametrize("transport", [None, "SCONTROL"])
def test_who_cannot_go_back_to_the_queue_makes_room_all_the_same(fresh_cluster, transport):
    """As under Slurm alone, where neither --no-requeue nor srun keeps anybody's nodes."""
    c = fresh_cluster(nodes=4, cpus=2, transport=transport,
                      config=PREEMPTION.format("REQUEUE"))
    victim = c.sbatch("-p", "low", "-n", 2, "-w", "n1", "--no-requeue")
    step = c.popen("srun", "-p", "low", "-n", 2, "-w", "n2", "sleep", "100")
    c.wait(lambda: len(c.ok("squeue", "-h", "-t", "R").splitlines()) == 2, "both")
    c.wait_maui(victim, "Running")
    preemptor = c.sbatch("-p", "all", "-n", 8)
    c.wait_state(preemptor, "RUNNING")
    assert c.state(victim) == "CANCELLED"
    step.communicate(timeout=60)
    assert step.returncode != 0
    c.wait(lambda: "it was preempted" in c.maui.why(victim), "its end")
    assert "never ran" not in c.maui.why(victim)


@pytest.mark.parametrize("transport", ["LIBSLURM", "SCONTROL"])
def test_what_no_job_uses_up_is_there_for_all(fresh_cluster, transport):
    """Slurm tells of no_consume by the first job that has some alone."""
    c = fresh_cluster(nodes=2, cpus=4, gpus=0, transport=transport,
                      node_options={"n1": "Gres=bandwidth:no_consume:4,disk:2", "n2": ""})
    jobs = [c.sbatch("-n1", "--gres=bandwidth:3") for _ in range(2)]
    starts(c, *jobs)
    disks = [c.sbatch("-n1", "--gres=disk:2") for _ in range(2)]
    starts(c, disks[0])
    blocked(c, disks[1])


@pytest.mark.parametrize("transport", ["LIBSLURM", "SCONTROL"])
def test_nodes_with_less_of_what_no_job_uses_up_are_left_out(fresh_cluster, transport):
    """Of no_consume a node has enough for all, and no job may ask for more than it has."""
    c = fresh_cluster(nodes=2, cpus=4, gpus=0, transport=transport,
                      node_options={"n1": "Gres=bandwidth:no_consume:4",
                                    "n2": "Gres=bandwidth:no_consume:2"})
    first = c.sbatch("-n", 1, "--gres=bandwidth:3")
    starts(c, first)
    wide = c.sbatch("-N", 1, "-n", 4, "--gres=bandwidth:3")
    small = [c.sbatch("-n", 2, "--gres=bandwidth:2", "-w", "n2") for _ in range(2)]
    starts(c, *small)
    blocked(c, wide)
    assert "could not be started" not in c.maui.why(wide), c.maui.why(wide)
    c.ok("scancel", first)
    c.wait_state(wide, "RUNNING")
    assert c.show(wide)["NodeList"] == "n1"


def test_who_cannot_be_stopped_keeps_its_nodes(policies, slurm):
    """Slurm requeues no job that came with --no-requeue: who was to start in its place is
    taken back, and a restart gives the same."""
    policies("")
    victim = slurm.sbatch("-p", "low", "-n", 4, "--no-requeue")
    starts(slurm, victim)
    slurm.wait_maui(victim, "Running")
    before = slurm.maui.job(victim)
    other = slurm.sbatch("-p", "all", "-n", 8, script="sleep 1")
    slurm.wait_maui(other, "Idle")
    slurm.maui.ok("setspri", "1000", other)
    for _ in range(2):
        slurm.maui.run("mjobctl", "-R", victim)
        blocked(slurm, other, f"job '{victim}' was to make room", "could not be stopped:")
        slurm.wait_maui(victim, "Running")
        now = slurm.maui.job(victim)
        assert now["allocation"] == before["allocation"]
        assert abs(now["start_at"] - before["start_at"]) <= 4
        assert slurm.state(victim) == "RUNNING"
        slurm.restart("maui")
    slurm.ok("scancel", victim)
    slurm.wait_state(other, "COMPLETED", seconds=60)


def test_preemption_by_suspension(policies, slurm):
    policies(PREEMPTION.format("SUSPEND"))
    victim = slurm.sbatch("-p", "low", "-n", 4, "--mem-per-cpu=10", "-t", 30)
    starts(slurm, victim)
    slurm.maui.ok("setqos", "lo", victim)
    preemptor = slurm.sbatch("-p", "all", "-n", 8, "--mem-per-cpu=10", script="sleep 1")
    starts(slurm, preemptor)
    assert slurm.state(victim) == "SUSPENDED"
    slurm.wait_state(preemptor, "COMPLETED")
    slurm.wait_state(victim, "RUNNING")


def test_commands_tell_the_truth(slurm):
    maui = slurm.maui
    run = slurm.sbatch("-n", 8, "-t", 10)
    starts(slurm, run)
    slurm.wait_maui(run, "Running")
    wait, held = slurm.sbatch("-n", 2, "-t", 7), slurm.sbatch("-H", "-n", 1)
    slurm.wait_maui(held, "Hold")
    slurm.wait_maui(wait, "Idle")

    def sections():
        return {r["id"]: r["section"] for r in maui.lines("showq") if "id" in r}
    assert sections() == {run: "active", wait: "eligible", held: "blocked"}
    one = node(slurm, "n1")
    assert one["dedicated"]["procs"] == 2 and one["jobs"][0]["id"] == run
    start = maui.ok("showstart", wait)
    assert "00:0" in start or "9:5" in start, start
    slurm.ok("scontrol", "hold", wait)
    slurm.wait(lambda: sections().get(wait) == "blocked", "the hold in showq")
    assert "Hold" in maui.why(wait)
    slurm.ok("scontrol", "release", wait)
    slurm.wait(lambda: sections().get(wait) == "eligible", "the release in showq")
    slurm.ok("scancel", run)
    starts(slurm, wait)
    slurm.wait(lambda: sections() == {wait: "active", held: "blocked"}, "the end in showq")


def test_nodes_that_drain_take_no_more_jobs(slurm):
    slurm.ok("scontrol", "update", "nodename=n[1-3]", "state=drain", "reason=test")
    try:
        slurm.wait(lambda: node(slurm, "n1")["state"] in
                   ("Drained", "Down"), "the drained node")
        jobs = [slurm.sbatch("-n", 2) for _ in range(2)]
        starts(slurm, jobs[0])
        assert slurm.where(jobs[0]) == ["n4"]
        assert slurm.state(jobs[1]) == "PENDING"
    finally:
        slurm.ok("scontrol", "update", "nodename=n[1-3]", "state=resume")
    starts(slurm, jobs[1])
