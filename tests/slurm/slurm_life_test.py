# SPDX-License-Identifier: Apache-2.0
"""The whole life of jobs that were given to Slurm and are scheduled here."""
import pathlib
import re
import time

import pytest


def running(slurm, job):
    slurm.wait_state(job, "RUNNING")
    slurm.wait_maui(job, "Running")
    return slurm.where(job)


def waits(slurm, job, seconds=1.5):
    """It is seen by the scheduler and does not start."""
    slurm.wait(lambda: slurm.maui.job(job), f"{job} in the scheduler")
    time.sleep(seconds)
    return slurm.state(job) == "PENDING"


def test_a_batch_job_runs_where_the_scheduler_put_it_and_leaves(slurm):
    out = f"{slurm.dir}/out/life"
    job = slurm.sbatch("-n", 6, script=f"echo $SLURM_JOB_ID >>{out}; sleep 6")  # several looks
    nodes = running(slurm, job)
    assert sorted(nodes) == slurm.places(job)
    slurm.wait_state(job, "COMPLETED")
    slurm.wait(lambda: not slurm.queued(), "its end in the scheduler")
    assert pathlib.Path(out).read_text().split() == [job]


def test_srun_and_salloc_wait_patiently_and_run(slurm, full):
    srun = slurm.popen("srun", "-n", 2, "echo", "here")
    salloc = slurm.popen("salloc", "-n", 1, "sh", "-c", "echo $SLURM_JOB_NODELIST")
    slurm.wait(lambda: len(slurm.queued()) == 3, "both in the queue")
    full()
    out, err = srun.communicate(timeout=60)
    assert out.split() == ["here", "here"], err
    out, err = salloc.communicate(timeout=60)
    assert out.strip() in slurm.nodes, err


def test_tasks_of_an_array_are_jobs_each(slurm):
    out = f"{slurm.dir}/out/array"
    job = slurm.sbatch("-a", "0-5", script=f"echo $SLURM_ARRAY_TASK_ID >>{out}")
    slurm.wait(lambda: not slurm.queued() and slurm.state(f"{job}_5") == "COMPLETED",
               "the end of all tasks")
    assert sorted(pathlib.Path(out).read_text().split()) == list("012345")


def updates(slurm):
    """Requests to change jobs since slurmctld counts."""
    found = re.search(r"REQUEST_UPDATE_JOB +\( *3001\) count:(\d+)", slurm.ok("sdiag"))
    return int(found[1]) if found else 0


def test_tasks_for_one_node_start_by_one_request(slurm, full):
    """One of them is held at that moment: it stays so, and the others start."""
    array = slurm.sbatch("--array=1-4", "-n", 1, "-w", "n2", "-t", 30)
    tasks = [f"{array}_{i}" for i in range(1, 5)]
    for task in tasks:
        slurm.wait_maui(task, "Idle")
    before = updates(slurm)
    full()
    for task in tasks:
        slurm.wait_state(task, "RUNNING")
        assert slurm.where(task) == ["n2"]
    assert updates(slurm) - before <= 2  # a note may be among them

    slurm.ok("scancel", array)
    full = slurm.sbatch("-w", "n2", "--exclusive", "-t", 30)
    slurm.wait_state(full, "RUNNING")
    array = slurm.sbatch("--array=1-4", "-n", 1, "-w", "n2", "-t", 30)
    tasks = [f"{array}_{i}" for i in range(1, 5)]
    for task in tasks:
        slurm.wait_maui(task, "Idle")
    with slurm.stopped("adapter"):
        slurm.ok("scancel", full)
        slurm.wait(lambda: slurm.show(full)["JobState"] == "CANCELLED", "the end of the job")
        slurm.ok("scontrol", "hold", tasks[1])
    for task in (tasks[0], *tasks[2:]):
        slurm.wait_state(task, "RUNNING")
    slurm.wait_maui(tasks[1], "Hold")
    assert slurm.state(tasks[1]) == "PENDING"
    slurm.ok("scontrol", "release", tasks[1])
    slurm.wait_state(tasks[1], "RUNNING")


def test_tasks_that_wait_are_cancelled_by_few_requests(slurm):
    """One is held, one is over already: all go."""
    array = slurm.sbatch("-H", "--array=1-200", "-n", 1)
    slurm.wait(lambda: slurm.maui.job(f"{array}_200"), "the tasks")
    slurm.ok("scancel", f"{array}_7")
    slurm.maui.ok("canceljob", array)
    slurm.wait(lambda: not slurm.ok("squeue", "-h", "-j", array, "-t", "PD,R,CG"), "their end")
    log = pathlib.Path(slurm.dir, "log", "slurmctld.log").read_text()
    requests = [line for line in log.splitlines() if "REQUEST_KILL_JOB" in line and f"{array}_" in line]
    # those that come together are one, that with the task that was over too: 64 or so
    assert 0 < len(requests) < 15, len(requests)


def test_an_array_keeps_its_own_limit_and_says_so(slurm):
    job = slurm.sbatch("-a", "1-6%2", script="sleep 1.5")
    slurm.wait(lambda: len(slurm.ok("squeue", "-h", "-t", "R").split("\n")) == 3, "two tasks")
    most, why, shown = 0, "", set()
    end = time.monotonic() + 60
    while slurm.queued() and time.monotonic() < end:
        most = max(most, len(slurm.ok("squeue", "-h", "-t", "R", "-o", "%i").split()))
        why += slurm.maui.why(f"{job}_6") if not why or "limit" not in why else ""
        shown.add((slurm.maui.job(f"{job}_6") or {}).get("shown_state"))
        time.sleep(0.2)
    assert most == 2 and "as its limit allows" in why
    assert "Idle" in shown and "SystemHold" not in shown  # it waits, nobody holds it
    assert {slurm.state(f"{job}_{i}") for i in range(1, 7)} == {"COMPLETED"}


def test_a_task_that_waits_for_another_job_takes_no_place_in_its_arrays_limit(slurm):
    blocker = slurm.sbatch("-H")
    array = slurm.sbatch("-a", "1-4%1", "-H", script="sleep 0.5")
    for task in (1, 3):
        slurm.ok("scontrol", "update", f"jobid={array}_{task}",
                 f"dependency=afterany:{blocker}")
    slurm.ok("scontrol", "release", array)
    slurm.wait(lambda: [slurm.state(f"{array}_{task}") for task in range(1, 5)]
               == ["PENDING", "COMPLETED"] * 2, "the others")
    slurm.ok("scancel", blocker)
    most, end = 0, time.monotonic() + 60
    while slurm.queued() and time.monotonic() < end:
        most = max(most, len([r for r in slurm.queued() if r["state"] in ("Starting", "Running")]))
    assert most == 1
    for task in (1, 3):
        slurm.wait_state(f"{array}_{task}", "COMPLETED")


def test_an_array_keeps_its_own_limit_when_what_it_depends_on_ends(slurm):
    """No more are ordered to start than may: the rest would wait in Slurm, as started."""
    blocker = slurm.sbatch("-H")
    array = slurm.sbatch("-a", "1-4%1", "-t", 5, "-d", f"afterany:{blocker}")
    slurm.wait_maui(f"{array}_1", "Idle")
    slurm.ok("scancel", blocker)
    slurm.wait(lambda: "RUNNING" in [slurm.state(f"{array}_{task}") for task in range(1, 5)],
               "the first")
    log = pathlib.Path(slurm.maui.home, "log/maui.log").read_text()
    started = [line for line in log.splitlines()
               if f"job '{array}_" in line and line.endswith(": start")]
    assert len(started) == 1, started


def test_tasks_that_left_their_array_count_in_its_limit_before_they_start(slurm, full):
    """No more are ordered to start than may: the rest would wait in Slurm, as started."""
    array = slurm.sbatch("-a", "1-5%2", "-t", 5)
    slurm.wait_maui(f"{array}_2", "Idle")
    slurm.ok("scontrol", "update", f"jobid={array}_4", "comment=x")
    slurm.wait(lambda: slurm.show(f"{array}_4")["Priority"] == "0", "its being kept")
    slurm.wait(lambda: sum("as its limit allows" in slurm.maui.why(f"{array}_{task}")
                           for task in range(1, 6)) == 3, "what is said of the rest")
    full()
    slurm.wait(lambda: [slurm.state(f"{array}_{task}") for task in range(1, 6)].count(
        "RUNNING") == 2, "two tasks")
    log = pathlib.Path(slurm.maui.home, "log/maui.log").read_text()
    started = [line for line in log.splitlines()
               if f"job '{array}_" in line and line.endswith(": start")]
    assert len(started) == 2, started


def test_the_next_task_goes_before_later_jobs_when_one_is_put_back(slurm):
    """It has waited since its array was submitted, and one that pauses does not count."""
    whole = ("-N", len(slurm.nodes), "--exclusive", "-t", 5)
    array = slurm.sbatch("-a", "1-2%1", *whole)
    slurm.wait_state(f"{array}_1", "RUNNING")
    later = slurm.sbatch(*whole)
    slurm.wait_maui(later, "Idle")
    slurm.ok("scontrol", "requeue", f"{array}_1")
    slurm.wait(lambda: "RUNNING" in (slurm.state(f"{array}_2"), slurm.state(later)), "a start")
    assert (slurm.state(f"{array}_2"), slurm.state(later)) == ("RUNNING", "PENDING")


def test_dependencies_hold_jobs_until_they_are_fulfilled(slurm):
    out = f"{slurm.dir}/out/order"
    first = slurm.sbatch(script=f"until grep after {out}; do sleep 0.1; done; "
                                f"echo first >>{out}")
    ok = slurm.sbatch("-d", f"afterok:{first}", script=f"echo ok >>{out}")
    bad = slurm.sbatch("-d", f"afternotok:{first}", script=f"echo bad >>{out}")
    after = slurm.sbatch("-d", f"after:{first}", script=f"echo after >>{out}; sleep 3")
    anyway = slurm.sbatch("-d", f"afterany:{ok}", script=f"echo any >>{out}")
    running(slurm, after)
    slurm.wait_state(anyway, "COMPLETED")
    assert pathlib.Path(out).read_text().split() == ["after", "first", "ok", "any"]
    assert slurm.state(bad) == "PENDING" or slurm.state(bad) == "CANCELLED"


def test_a_failed_predecessor_starts_afternotok_alone(slurm):
    first = slurm.sbatch(script="exit 3")
    slurm.wait_state(first, "FAILED")
    first = slurm.sbatch(script="sleep 0.7; exit 3")
    ok = slurm.sbatch("-d", f"afterok:{first}")
    bad = slurm.sbatch("-d", f"afternotok:{first}")
    running(slurm, bad)
    assert slurm.state(ok) in ("PENDING", "CANCELLED")
    slurm.wait(lambda: "can no longer be satisfied" in slurm.maui.why(ok), "the reason")


def test_a_begin_time_is_kept(slurm):
    begin = time.time() + 3
    job = slurm.sbatch("--begin=now+3", script="sleep 30")
    slurm.wait(lambda: slurm.maui.job(job), "it")
    assert slurm.state(job) == "PENDING"
    running(slurm, job)
    assert time.time() > begin - 1.5


def test_features_choose_nodes(slurm):
    jobs = {"odd": {"n1", "n3"}, "odd&at_n3": {"n3"}, "at_n2|at_n4": {"n2", "n4"},
            "(at_n1|at_n2)&even": {"n2"}}
    made = {slurm.sbatch("-C", text): nodes for text, nodes in jobs.items()}
    for job, nodes in made.items():
        assert set(running(slurm, job)) <= nodes
    both = slurm.sbatch("-C", "[odd*1&even*1]", "-N2", "-n2")
    assert {int(n[1:]) % 2 for n in running(slurm, both)} == {0, 1}


def test_generic_resources_and_licences_are_counted(slurm):
    gpus = [slurm.sbatch("--gres=gpu:2") for _ in range(3)]
    for job in gpus[:2]:
        running(slurm, job)
    assert {n for j in gpus[:2] for n in slurm.where(j)} == {"n1", "n2"}
    lics = [slurm.sbatch("-L", "lic_b:1") for _ in range(3)]
    for job in lics[:2]:
        running(slurm, job)
    assert waits(slurm, gpus[2]) and waits(slurm, lics[2], 0)
    slurm.ok("scancel", gpus[0], lics[0])
    running(slurm, gpus[2])
    running(slurm, lics[2])


def test_who_is_promised_licences_gets_them(slurm):
    """Whose nodes are free goes before it only if it has given them back by then."""
    running(slurm, slurm.sbatch("-w", "n1", "-n", 4, "-t", 5))
    promised = slurm.sbatch("-w", "n1", "-n", 4, "-L", "lic_b:2", "-t", 5)
    assert waits(slurm, promised)
    longer = slurm.sbatch("-w", "n2", "-n", 1, "-L", "lic_b:1", "-t", 30)
    shorter = slurm.sbatch("-w", "n3", "-n", 1, "-L", "lic_b:1", "-t", 1)
    running(slurm, shorter)
    assert waits(slurm, longer) and slurm.state(promised) == "PENDING"


def test_memory_is_counted(slurm):
    jobs = [slurm.sbatch("--mem=3000") for _ in range(5)]
    for job in jobs[:4]:
        running(slurm, job)
    assert sorted(n for j in jobs[:4] for n in slurm.where(j)) == slurm.nodes
    small = slurm.sbatch("--mem-per-cpu=900")
    running(slurm, small)
    assert waits(slurm, jobs[4], 0.5)


def test_tasks_lie_unevenly_where_each_node_has_the_memory(slurm):
    """`--mem` is of each node, however many tasks come to lie there."""
    running(slurm, slurm.sbatch("-p", "low", "-w", "n1", "-n", 2, "--mem=100"))
    uneven = slurm.sbatch("-p", "low", "-n", 6, "--mem=100")
    assert running(slurm, uneven) == ["n1", "n2"]
    assert "NumCPUs=6 " in slurm.ok("scontrol", "show", "job", uneven)
    much = slurm.sbatch("-p", "high", "-n", 6, "--mem=1900")
    assert running(slurm, much) == ["n3", "n4"]


def in_use(slurm):
    """By node: processors and memory, as Slurm has given them and as the scheduler counts
    them."""
    theirs, ours = {}, {}
    for name in slurm.nodes:
        text = slurm.ok("scontrol", "show", "node", name)
        theirs[name] = tuple(int(re.search(rf"\b{key}=(\d+)", text)[1])
                             for key in ("CPUAlloc", "AllocMem"))
        node = slurm.maui.api(f"/v1/nodes/{name}")[1]
        ours[name] = (node["dedicated"].get("procs", 0), node["dedicated"].get("mem_mb", 0))
    return theirs, ours


@pytest.mark.parametrize("options", [
    ("-N", 2, "-n", 6, "--mem=1900"), ("-n", 6, "--mem=900"), ("-N", 2, "-n", 5, "--mem=700"),
    ("-N", 3, "-n", 9, "--mem=500", "--tmp=10"), ("-n", 6, "--mem-per-cpu=300"),
    ("-N", 2, "-n", 5, "--gres=gpu:1", "--mem=200"), ("-N", 2, "-n", 5, "--gres=gpu:1"),
    ("-N", 2, "-n", 5, "--gres=gpu:1", "--mem-per-cpu=300"),
    ("-N", 2, "-n", 5, "--tmp=10", "--mem-per-cpu=300"), ("-n", 2, "-c", 2, "--mem=100", ":",
                                                      "-N", 2, "-n", 5, "--mem=300")],
    ids=lambda options: " ".join(map(str, options)))
def test_what_runs_holds_what_slurm_has_given_it(slurm, options):
    """Memory of a node once, and processors where they are, from the first report on."""
    slurm.sbatch("-w", "n1", "-n", 1, "--mem=50")
    job = slurm.sbatch(*options)
    running(slurm, job)
    slurm.wait(lambda: len(set(map(repr, in_use(slurm)))) == 1, "the same", 30)
    later = slurm.sbatch("-n", 1, "--mem=10")
    running(slurm, later)
    slurm.ok("scontrol", "requeue", job)
    slurm.wait(lambda: len(set(map(repr, in_use(slurm)))) == 1, "the same again")


def test_who_finds_a_processor_given_away_runs_on_another(slurm):
    """Slurm lays equal parts as it likes: what was planned beside them is taken."""
    running(slurm, slurm.sbatch("-w", "n2", "-n", 1))
    running(slurm, slurm.sbatch("-w", "n3", "-n", 1))
    slurm.maui.ok("schedctl", "-s")
    wide = [slurm.sbatch("-n", 6, "--mem=1900", "--tmp=10") for _ in range(2)]
    beside = slurm.sbatch("-n", 1)
    slurm.wait_maui(beside, "Idle")
    slurm.maui.ok("schedctl", "-r")
    for job in wide:
        running(slurm, job)
    assert running(slurm, beside) == ["n2"]


def test_exclusive_jobs_have_nodes_alone(slurm):
    one = slurm.sbatch("-n", 1, "--exclusive")
    two = slurm.sbatch("-N", 2, "--exclusive")
    three = slurm.sbatch("-n", 1)
    nodes = [running(slurm, j) for j in (one, two, three)]
    assert sorted(n for names in nodes for n in names) == slurm.nodes


def test_a_job_of_several_partitions_runs_in_the_first_that_is_free(slurm):
    job = slurm.sbatch("-p", "high,low", "-n", 8)
    assert sorted(running(slurm, job)) == ["n3", "n4"]
    assert slurm.show(job)["Partition"] == "high"
    other = slurm.sbatch("-p", "high,low", "-n", 8)
    assert sorted(running(slurm, other)) == ["n1", "n2"]
    assert slurm.show(other)["Partition"] == "low"
    assert "class:low" in slurm.maui.why(other)
    third = slurm.sbatch("-p", "low,high", "-n", 8)
    assert waits(slurm, third, 0.5)
    slurm.ok("scancel", job)
    assert sorted(running(slurm, third)) == ["n3", "n4"]
    assert slurm.show(third)["Partition"] == "high"


def test_of_several_partitions_one_may_be_down(slurm):
    job = slurm.sbatch("-p", "down,low", "-n", 1)
    assert set(running(slurm, job)) <= {"n1", "n2"}
    assert slurm.show(job)["Partition"] == "low"


def test_a_start_that_fails_gives_all_partitions_back(slurm):
    slurm.maui.ok("schedctl", "-s")
    job = slurm.sbatch("-p", "high,low", "-n", 4, "-N", 1)
    slurm.wait_maui(job, "Idle")
    for name in ("low", "high"):
        slurm.ok("scontrol", "update", f"PartitionName={name}", "MaxTime=1")
    try:
        slurm.maui.ok("schedctl", "-r")
        slurm.wait(lambda: "tried again at" in slurm.maui.why(job), "the failed start", 60)
        assert slurm.maui.job(job)["shown_state"] == "Idle"
        slurm.wait(lambda: slurm.show(job)["Partition"] == "high,low", "its partitions")
    finally:
        for name in ("low", "high"):
            slurm.ok("scontrol", "update", f"PartitionName={name}",
                     "MaxTime=UNLIMITED")
    slurm.maui.ok("releasehold", "-a", job)
    assert running(slurm, job)


def test_jobs_of_a_partition_that_is_down_wait(slurm):
    job = slurm.sbatch("-p", "down")
    assert waits(slurm, job)
    slurm.ok("scontrol", "update", "partition=down", "state=UP")
    try:
        running(slurm, job)
    finally:
        slurm.ok("scontrol", "update", "partition=down", "state=DOWN")


def test_own_lists_of_nodes_are_kept(slurm):
    wish = slurm.sbatch("-w", "n3", "-n", 2)
    not_there = slurm.sbatch("-x", "n1,n2,n3", "-n", 2)
    both = slurm.sbatch("-N", "2-3", "-n", 3)
    each = slurm.sbatch("-w", "n[1-2]", "-n", 2)
    assert running(slurm, each) == ["n1", "n2"]
    assert running(slurm, wish) == ["n3"]
    assert running(slurm, not_there) == ["n4"]
    assert 2 <= len(running(slurm, both)) <= 3


def test_what_was_asked_is_restored_when_a_start_fails(slurm):
    """Slurm refuses for a limit of the partition that only Slurm knows."""
    job = slurm.sbatch("-H", "-w", "n3", "-N", "1-2", "-n", 4, "-t", 5)
    slurm.ok("scontrol", "update", "PartitionName=all", "MaxTime=1")
    try:
        slurm.ok("scontrol", "release", job)
        slurm.wait(lambda: "did not start" in slurm.maui.why(job), "the failed start", 60)
        shown = slurm.wait(lambda: (now := slurm.show(job))["Priority"] == "0" and now,
                           "the job kept again")  # until it is tried once more
        assert (shown["ReqNodeList"], shown["NumNodes"]) == ("n3", "1-2"), shown
    finally:
        slurm.ok("scontrol", "update", "PartitionName=all", "MaxTime=UNLIMITED")


def test_holds_of_owner_and_administrator(slurm):
    held = slurm.sbatch("-H")
    slurm.wait_maui(held, "Hold")
    assert waits(slurm, held, 0.5)
    slurm.ok("scontrol", "hold", held)   # of an administrator besides
    slurm.wait(lambda: slurm.show(held)["Reason"] == "JobHeldAdmin", "the reason")
    slurm.ok("scontrol", "release", held)
    running(slurm, held)


def test_holds_of_waiting_jobs_and_back(slurm, full):
    jobs = [slurm.sbatch("-n", 1) for _ in range(3)]
    for job in jobs:
        slurm.wait_maui(job, "Idle")
    slurm.ok("scontrol", "hold", jobs[0])
    slurm.ok("scontrol", "uhold", jobs[1])
    slurm.wait_maui(jobs[0], "Hold")
    slurm.wait_maui(jobs[1], "Hold")
    full()
    running(slurm, jobs[2])
    assert waits(slurm, jobs[0]) and waits(slurm, jobs[1], 0)
    slurm.ok("scontrol", "release", jobs[0], jobs[1])
    running(slurm, jobs[0])
    running(slurm, jobs[1])


def test_an_owner_cannot_lift_what_an_administrator_holds(slurm, users):
    job = slurm.sbatch("-H", user=users[0])
    slurm.wait_maui(job, "Hold")
    slurm.ok("scontrol", "hold", job)
    slurm.wait(lambda: slurm.show(job)["Reason"] == "JobHeldAdmin", "the reason")
    slurm.run("scontrol", "release", job, user=users[0])
    assert waits(slurm, job)
    assert slurm.maui.state(job) == "Hold"
    slurm.ok("scontrol", "release", job)
    running(slurm, job)


def test_an_owner_lifts_an_own_hold(slurm, users):
    job = slurm.sbatch("-H", user=users[0])
    slurm.wait_maui(job, "Hold")
    slurm.ok("scontrol", "release", job, user=users[0])
    running(slurm, job)


def test_waiting_jobs_can_be_changed(slurm, full):
    job = slurm.sbatch("-n", 1, "-t", 5)
    slurm.wait_maui(job, "Idle")
    slurm.ok("scontrol", "update", f"jobid={job}", "timelimit=7", "nice=100")
    slurm.wait(lambda: slurm.maui.job(job)["wclimit_s"] == 420, "the limit")
    slurm.move(job, "high")
    slurm.wait(lambda: "class:high" in slurm.maui.why(job), "the class")
    full()
    assert set(running(slurm, job)) <= {"n3", "n4"}


def test_other_nodes_may_be_asked_for_while_a_job_waits(slurm, full):
    """Which, and how many; and nothing else is changed."""
    named, counted = slurm.sbatch("-w", "n2", "-n", 1), slurm.sbatch("-N", 2, "-n", 4)
    for job in (named, counted):
        slurm.wait_maui(job, "Idle")
    slurm.ok("scontrol", "update", f"jobid={named}", "reqnodelist=n3")
    slurm.ok("scontrol", "update", f"jobid={counted}", "numnodes=4-4")
    slurm.wait(lambda: "HostList:    n3" in slurm.maui.why(named), "the other node", 20)
    slurm.wait(lambda: "NodeCount: 4" in slurm.maui.why(counted), "more nodes", 20)
    full()
    assert running(slurm, named) == ["n3"]
    assert len(running(slurm, counted)) == 4


def test_jobs_are_cancelled_waiting_and_running(slurm, full):
    waiting = slurm.sbatch()
    slurm.wait_maui(waiting, "Idle")
    slurm.ok("scancel", waiting)
    slurm.wait(lambda: waiting not in [r["id"] for r in slurm.queued()], "its end")
    full()
    job = slurm.sbatch("-n", 16)
    running(slurm, job)
    slurm.ok("scancel", job)
    slurm.wait(lambda: not slurm.queued(), "its end")
    again = slurm.sbatch("-n", 16)
    running(slurm, again)
    slurm.maui.ok("canceljob", again)
    slurm.wait_state(again, "CANCELLED")


def test_a_requeued_job_waits_and_runs_again(slurm):
    out = f"{slurm.dir}/out/requeued"
    job = slurm.sbatch("-w", "n2", "--requeue", script=f"echo $SLURM_RESTART_COUNT >>{out}; sleep 30")
    running(slurm, job)
    slurm.wait(lambda: pathlib.Path(out).exists(), "its first run")
    slurm.ok("scontrol", "requeue", job)
    slurm.wait(lambda: slurm.show(job)["Restarts"] == "1", "the requeue")
    slurm.wait_state(job, "RUNNING", seconds=40)
    assert slurm.where(job) == ["n2"]
    slurm.wait(lambda: len(pathlib.Path(out).read_text().splitlines()) == 2, "its word")


def test_suspended_and_resumed_by_hand(slurm):
    job = slurm.sbatch("-n", 4)
    running(slurm, job)
    slurm.ok("scontrol", "suspend", job)
    slurm.wait_maui(job, "Suspended")
    slurm.ok("scontrol", "resume", job)
    slurm.wait_state(job, "RUNNING")
    slurm.wait_maui(job, "Running")


def test_slurm_starts_nothing_that_the_scheduler_does_not(slurm):
    slurm.maui.ok("schedctl", "-s")
    jobs = [slurm.sbatch("-n", n) for n in (1, 4, 16)]
    try:
        time.sleep(3)
        assert {slurm.state(j) for j in jobs} == {"PENDING"}
    finally:
        slurm.maui.ok("schedctl", "-r")
    for job in jobs[:2]:
        running(slurm, job)


def test_nodes_are_those_the_scheduler_chose(slurm):
    jobs = [slurm.sbatch("-n", n, script="sleep 20") for n in (1, 3, 2, 5, 4)]
    for job in jobs:
        running(slurm, job)
        assert sorted(slurm.where(job)) == slurm.places(job)


def test_nodes_down_and_drained_are_seen(slurm):
    def state(name):
        return slurm.maui.api(f"/v1/nodes/{name}")[1]["state"]

    def is_down():
        """By ReturnToService=2 an answer of its slurmd that was on its way brings it back."""
        if slurm.ok("sinfo", "-hNn", "n2", "-o", "%T").split()[0] == "idle":
            slurm.ok("scontrol", "update", "nodename=n2", "state=down", "reason=test")
        return state("n2") == "Down" and "Slurm has it DOWN: test" in slurm.maui.ok("checknode", "n2")
    slurm.ok("scontrol", "update", "nodename=n1", "state=drain", "reason=test")
    try:
        slurm.wait(is_down, "n2 down")
        slurm.wait(lambda: state("n1") == "Drained", "n1 drained")
        assert "Slurm has it DRAIN: test" in slurm.maui.ok("checknode", "n1")
        job = slurm.sbatch("-n", 8)
        assert sorted(running(slurm, job)) == ["n3", "n4"]
    finally:
        slurm.ok("scontrol", "update", "nodename=n1", "state=resume")
        slurm.run("scontrol", "update", "nodename=n2", "state=resume")  # it may be back already
    slurm.wait(lambda: state("n1") == "Idle" and state("n2") == "Idle", "their return")


def test_a_job_started_by_order_runs_where_it_was_ordered(slurm, full):
    job = slurm.sbatch("-n", 1)
    slurm.wait_maui(job, "Idle")
    slurm.maui.ok("schedctl", "-s")
    full()
    slurm.wait(lambda: len(slurm.queued()) == 1, "free nodes")
    slurm.maui.ok("runjob", "-n", "n3", job)
    slurm.maui.ok("schedctl", "-r")
    assert running(slurm, job) == ["n3"]


@pytest.mark.parametrize("what", ["batch", "array"])
def test_maui_holds_reach_slurm_and_are_lifted(slurm, full, what):
    job = slurm.sbatch(*(["-a", "1-2"] if what == "array" else []))
    name = f"{job}_2" if what == "array" else job
    slurm.wait_maui(name, "Idle")
    slurm.maui.ok("sethold", "-s", name)
    full()
    assert waits(slurm, name)
    slurm.maui.ok("releasehold", "-s", name)
    running(slurm, name)


def test_wide_starts_in_a_burst_do_not_get_in_each_others_way_for_long(slurm):
    """Slurm spreads tasks over the chosen nodes as it likes: what was planned beside them
    may find no room, and is planned again by what is."""
    slurm.maui.ok("schedctl", "-s")
    jobs = [slurm.sbatch("-n", n, script="sleep 1") for n in (5, 5, 6, 3, 7, 5, 6, 5, 3, 5)]
    slurm.wait(lambda: len(slurm.queued()) == len(jobs), "all of them")
    began = time.monotonic()
    slurm.maui.ok("schedctl", "-r")
    slurm.wait(lambda: {slurm.state(j) for j in jobs} == {"COMPLETED"}, "all jobs", 60)
    late = [l for l in pathlib.Path(slurm.maui.home, "log/maui.log").read_text().splitlines()
            if "did not start job" in l and any(f"'{j}'" in l for j in jobs)]
    print(f"{time.monotonic() - began:.1f} s, {len(late)} starts put off", *late, sep="\n")
    assert len(late) < len(jobs) / 2
    assert all(slurm.show(j)["Restarts"] == "0" for j in jobs)


def test_a_hold_on_a_running_job_changes_nothing(slurm):
    job = slurm.sbatch("-n", 1)
    running(slurm, job)
    slurm.run("scontrol", "hold", job)
    time.sleep(1.5)
    assert slurm.state(job) == "RUNNING" and slurm.maui.state(job) == "Running"
    slurm.run("scontrol", "release", job)
    assert slurm.maui.state(job) == "Running"


def test_nodes_of_a_cloud_that_sleep_take_jobs(fresh_cluster):
    slurm = fresh_cluster(nodes=2, phantom=3)
    job = slurm.sbatch("-p", "phantom", "-N", 2, "--exclusive")
    slurm.wait(lambda: len(slurm.where(job)) == 2, "its nodes")
    assert all(n.startswith("f") for n in slurm.where(job))
    slurm.wait_maui(job, "Starting", "Running")


def test_memory_by_node_is_asked_of_slurm(slurm):
    """Once of each node."""
    job = slurm.maui.submit(hold=True, directory="/tmp", output="/dev/null",
                            requests=[{"tasks": 2, "mem_per_node_mb": 300}])
    assert "MinMemoryNode=300M" in slurm.ok("scontrol", "-o", "show", "job", job)
    slurm.wait(lambda: slurm.maui.job(job).get("requests", [{}])[0].get("mem_per_node_mb") == 300, "its memory")
    slurm.maui.ok("canceljob", job)


def test_what_slurm_cannot_be_asked_for_is_refused(slurm):
    for asked, why in (({"per_task": {"mem_mb": 50}, "mem_per_node_mb": 300}, "Slurm takes one of them"),
                       ({"per_task": {"swap_mb": 50}}, "swap"), ({"mem_needed": ">=100"}, "has to have"),
                       ({"os": "linux"}, "system"), ({"preferences": ["all"]}, "preferred")):
        status, told = slurm.maui.api("/v1/jobs", {
            "script": "#!/bin/sh\ntrue\n", "wclimit_s": 60, "directory": "/tmp", "requests": [{"tasks": 2, **asked}]})
        assert status >= 400 and why in str(told), (asked, told)


def test_mail_that_msub_asks_for_is_slurms_to_send(slurm):
    job = slurm.maui.ok("msub", "-h", "-m", "abe", "-M", "me@site", "-d", "/tmp",
                        stdin="sleep 1\n").strip()
    shown = slurm.ok("scontrol", "-o", "show", "job", job)
    assert "MailUser=me@site" in shown and "MailType=BEGIN,END,FAIL" in shown
    slurm.maui.ok("canceljob", job)
