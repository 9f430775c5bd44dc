# SPDX-License-Identifier: Apache-2.0
"""What somebody does between the scheduler's look at a job and its order: the order was
meant for the job as it was."""
import signal

import pytest

CLUSTER = {"nodes": 3}


@pytest.fixture
def kept(slurm):
    """The scheduler decides nothing: jobs are kept and seen."""
    slurm.maui.ok("schedctl", "-s")
    yield slurm
    slurm.maui.ok("schedctl", "-r")


def start_by_hand(slurm, job, *nodes):
    slurm.ok("scontrol", "update", f"jobid={job}", "reqnodelist=" + ",".join(nodes),
             f"numnodes={len(nodes)}-{len(nodes)}", "admincomment=go")
    slurm.ok("scontrol", "release", job)


ORDERS = [
    ["reqnodelist=n1", "numnodes=1-1", "admincomment=maui:asked;count=1-2"],      # a start
    ["reqnodelist=n1", "numnodes=1-1", "admincomment=maui:asked;count=1-2;go"],
    ["reqnodelist=n1", "numnodes=1-2", "admincomment=maui:keep;back"],
    ["reqnodelist=n1", "numnodes=1-2", "admincomment=maui:kept"],                 # its return
]


def test_an_order_for_a_job_that_waits_makes_none_smaller_that_runs(slurm):
    job = slurm.sbatch("-N", "2", "-n", 2)
    slurm.wait_state(job, "RUNNING")
    nodes = slurm.where(job)
    for words in ORDERS:
        words = [words[0].replace("n1", nodes[0]), *words[1:]]
        done = slurm.run("scontrol", "update", f"jobid={job}", *words)
        assert done.returncode != 0 and "no longer pending" in done.stderr, (words, done)
        assert slurm.where(job) == nodes, words
    # an administrator's own words go on to mean what they say
    slurm.ok("scontrol", "update", f"jobid={job}", f"reqnodelist={nodes[0]}")
    assert slurm.where(job) == nodes[:1]


def test_a_job_started_by_hand_while_its_start_is_on_its_way_keeps_its_nodes(kept):
    job = kept.sbatch("-N", "1-2", "-n", 1)
    kept.wait_maui(job, "Idle")
    with kept.stopped("adapter"):
        start_by_hand(kept, job, "n1", "n2")
        kept.wait_state(job, "RUNNING")
        kept.maui.ok("runjob", job)
    kept.wait_maui(job, "Running")
    assert kept.where(job) == ["n1", "n2"] == kept.places(job)
    assert kept.state(job) == "RUNNING"


def test_what_is_changed_while_a_start_is_on_its_way_is_not_undone(kept):
    """The start is refused, and the job tried again as it is then."""
    wide, bound = kept.sbatch("-n", 1), kept.sbatch("-n", 1)
    kept.wait_maui(wide, "Idle")
    kept.wait_maui(bound, "Idle")
    for job, change in ((wide, ("numnodes=2-2", "numtasks=2")), (bound, ("reqnodelist=n3",))):
        with kept.stopped("adapter"):
            kept.maui.ok("runjob", job)
            kept.ok("scontrol", "update", f"jobid={job}", *change)  # last: it is remembered for 2 s
    kept.wait(lambda: kept.maui.job(wide)["procs"] == 2, "the change")
    assert (kept.state(wide), kept.state(bound)) == ("PENDING", "PENDING")
    kept.maui.ok("schedctl", "-r")
    kept.wait_state(wide, "RUNNING")
    kept.wait_state(bound, "RUNNING")
    assert len(kept.where(wide)) == 2 and kept.where(bound) == ["n3"]


def test_a_hold_while_a_start_is_on_its_way_keeps_the_job(kept):
    job = kept.sbatch("-n", 1)
    kept.wait_maui(job, "Idle")
    with kept.stopped("adapter"):
        kept.maui.ok("runjob", job)
        kept.ok("scontrol", "hold", job)
    kept.wait_maui(job, "Hold")
    assert kept.state(job) == "PENDING"


def test_what_is_changed_before_a_job_is_taken_back_is_not_undone(kept):
    """It is back in the queue, and the scheduler has yet to give it what it asked for."""
    jobs = {kept.sbatch("-n", 3, "--requeue"): "numnodes=3-3",
            kept.sbatch("-n", 1, "--requeue"): "reqnodelist=n3",
            kept.sbatch("-n", 1, "-w", "n2", "--requeue"): "reqnodelist="}
    for job in jobs:
        kept.wait_maui(job, "Idle")
        kept.maui.ok("runjob", job)
        kept.wait_maui(job, "Running")
    with kept.stopped("adapter"):
        for job in jobs:
            kept.ok("scontrol", "requeuehold", job)
        for job, change in jobs.items():
            kept.wait(lambda: kept.run("scontrol", "update", f"jobid={job}", change).returncode == 0,
                      "the queue")
    for job in jobs:
        kept.wait(lambda: kept.show(job)["AdminComment"].startswith("maui:held"), "its being taken back")
    wide, bound, free = jobs
    shown = kept.show(wide)  # NumNodes is of its last run
    assert "node=3" in shown.get("ReqTRES", shown.get("TRES", ""))
    kept.wait(lambda: kept.maui.job(wide)["requests"][0].get("nodes") == 3, "the change")
    assert [kept.show(job)["ReqNodeList"] for job in (bound, free)] == ["n3", "(null)"]


def test_a_job_started_just_as_it_was_released_is_held_by_its_requeue(kept, forge):
    job = kept.sbatch("-n", 1, "--requeue")
    kept.wait_maui(job, "Idle")
    with kept.stopped("adapter"):
        kept.ok("scontrol", "hold", job)
        kept.ok("scontrol", "release", job)
        kept.ok(forge, "update", job, "priority=4294967295", "req_nodes=n1",
                "admin_comment=maui:asked;count=1-0")
        kept.wait_state(job, "RUNNING")
        kept.ok("scontrol", "requeuehold", job)
        kept.wait_state(job, "PENDING")
    kept.wait_maui(job, "Hold")


def test_a_hold_set_since_the_last_look_survives_its_being_taken_back(kept, forge):
    """The request is the adapter's, in the second after its look."""
    job, other = kept.sbatch("-n", 1), kept.sbatch("-n", 1)
    kept.wait_maui(job, "Idle")
    kept.wait_maui(other, "Idle")
    with kept.stopped("adapter"):
        for one, how in ((job, "uhold"), (other, "hold")):
            kept.ok("scontrol", how, one)
            kept.ok(forge, "update", one, "priority=0", "req_nodes=",
                    "admin_comment=maui:kept;back")
    kept.wait_maui(job, "Hold")
    kept.wait_maui(other, "Hold")
    assert kept.show(job)["Reason"] == "JobHeldUser"
    assert kept.show(other)["Reason"] == "JobHeldAdmin"
    kept.maui.ok("schedctl", "-r")
    free = kept.sbatch("-n", 1)
    kept.wait_state(free, "RUNNING")
    assert {kept.state(job), kept.state(other)} == {"PENDING"}
    for one in (job, other):
        kept.ok("scontrol", "release", one)
        kept.wait_state(one, "RUNNING")


def test_what_is_taken_back_keeps_the_sites_remark_and_its_priority(kept):
    job = kept.sbatch("-n", 1)
    kept.wait_maui(job, "Idle")
    kept.ok("scontrol", "update", f"jobid={job}", "priority=4711")
    kept.ok("scontrol", "update", f"jobid={job}", "admincomment=the_dean_wants_it")
    with kept.stopped("adapter"):
        kept.ok("scontrol", "hold", job)
        kept.ok("scontrol", "release", job)            # lifted: to be taken back
    kept.wait_maui(job, "Idle")
    kept.wait(lambda: kept.show(job)["Reason"] == "JobHeldUser", "its return")
    kept.wait(lambda: kept.show(job)["AdminComment"] == "the_dean_wants_it", "the remark")
    kept.ok("scontrol", "update", f"jobid={job}", "priority=4712")
    kept.wait(lambda: kept.maui.job(job).get("fixed_priority") == 4712, "its priority")


CHANGES = ["comment=x", "excnodelist=n3", "minmemorynode=100", "timelimit=5", "nice=5",
           "starttime=now", "partition=low", "features=all", "numnodes=1"]


def impossible(slurm, user):
    """A job that Slurm has just found impossible."""
    job = slurm.sbatch("-n", 1, "-w", "n1", user=user)
    slurm.wait(lambda: slurm.show(job)["Priority"] == "0", "its place")
    return job


def test_a_job_that_slurm_found_impossible_is_not_freed_by_its_owners_change(kept, users):
    jobs = {change: impossible(kept, users[0]) for change in CHANGES}
    kept.wait(lambda: all(kept.maui.state(j) == "Idle" for j in jobs.values()), "all of them")
    with kept.stopped("adapter"):
        for job in jobs.values():
            kept.ok("scontrol", "update", f"jobid={job}", "reqnodelist=n1",
                    "minmemorynode=100000", "admincomment=go")
            kept.ok("scontrol", "release", job)
        kept.wait(lambda: {kept.show(j)["Reason"] for j in jobs.values()}
                  == {"BadConstraints"}, "Slurm's finding")
        for change, job in jobs.items():
            kept.run("scontrol", "update", f"jobid={job}", change, user=users[0])
            assert kept.show(job)["Priority"] == "0", change
            kept.run("scontrol", "release", job, user=users[0])
            assert kept.show(job)["Priority"] == "0", change
    for job in jobs.values():
        kept.wait_maui(job, "Idle")


def test_no_change_of_its_owner_lifts_or_turns_a_hold(kept, users):
    admins, own = (kept.sbatch("-n", 1, user=users[0]) for _ in range(2))
    kept.wait_maui(admins, "Idle")
    kept.wait_maui(own, "Idle")
    kept.ok("scontrol", "hold", admins)
    kept.ok("scontrol", "uhold", own)
    for change in CHANGES:
        for job, reason in ((admins, "JobHeldAdmin"), (own, "JobHeldUser")):
            kept.run("scontrol", "update", f"jobid={job}", change, user=users[0])
            assert kept.show(job)["Reason"] == reason, change
            assert kept.show(job)["Priority"] == "0", change
    kept.wait_maui(admins, "Hold")
    kept.wait_maui(own, "Hold")


def test_no_comment_of_its_owner_frees_a_held_job(kept, users):
    """What a job depends on at another resource manager stands in its comment, which its
    owner may write at any time: it frees nothing, then or after a restart."""
    job = kept.sbatch("-n", 1, "-t", 10, user=users[0])
    kept.wait_maui(job, "Idle")
    kept.ok("scontrol", "hold", job)
    kept.wait(lambda: kept.maui.job(job)["shown_state"] == "SystemHold", "the hold")
    for comment, limit in (("maui-depends:", 5), ("maui-depends:afterok:1", 4)):
        kept.ok("scontrol", "update", f"jobid={job}", f"comment={comment}", f"timelimit={limit}",
                user=users[0])
        kept.wait(lambda: kept.maui.job(job)["wclimit_s"] == limit * 60, "the change")
    kept.maui.stop()
    kept.maui.start()
    kept.wait(lambda: (kept.maui.job(job) or {}).get("shown_state") == "SystemHold", "it again")
    kept.maui.ok("schedctl", "-r")
    free = kept.sbatch("-n", 1)
    kept.wait_state(free, "RUNNING")
    assert kept.state(job) == "PENDING"
    assert kept.maui.job(job)["shown_state"] == "SystemHold"
    kept.ok("scontrol", "release", job)
    kept.wait_state(job, "RUNNING")


def test_a_comment_that_is_no_dependency_costs_a_job_nothing(kept, users):
    """It came with the job and looks as what the scheduler writes there: no change that
    was ordered of the job is lost with it."""
    job = kept.sbatch("-n", 1, "--comment", "maui-depends:nonsense", user=users[0])
    kept.wait_maui(job, "Idle")
    kept.maui.ok("mjobctl", "-m", "jobname=renamed", job)
    kept.maui.stop()
    kept.maui.start()
    kept.wait(lambda: (kept.maui.job(job) or {}).get("name") == "renamed", "its name")
    kept.maui.ok("schedctl", "-r")
    kept.wait_state(job, "RUNNING", "COMPLETED")


def test_one_request_to_a_whole_array_means_the_same_for_each_of_its_tasks(kept, users):
    """Its tasks are several records of Slurm, of which some run."""
    array = kept.sbatch("-a", "1-5", "-n", 1, user=users[0])
    kept.wait_maui(f"{array}_5", "Idle")
    with kept.stopped("adapter"):                      # else it may be quicker than Slurm
        start_by_hand(kept, f"{array}_1", "n1")
        kept.wait_state(f"{array}_1", "RUNNING")
    kept.wait_maui(f"{array}_1", "Running")
    kept.ok("scontrol", "uhold", f"{array}_3")         # a record of its own
    kept.wait_maui(f"{array}_3", "Hold")
    before = kept.show(f"{array}_1")["Priority"]
    assert before != "0"
    kept.ok("scontrol", "update", f"jobid={array}", "comment=x", user=users[0])
    assert kept.show(f"{array}_1")["Priority"] == before
    assert kept.show(f"{array}_5")["Priority"] == "0"
    kept.wait_maui(f"{array}_5", "Idle")               # nobody holds it
    kept.wait_maui(f"{array}_3", "Hold")
    kept.ok("scontrol", "hold", array)
    for task in (2, 3, 4, 5):
        kept.wait_maui(f"{array}_{task}", "Hold")
    kept.ok("scontrol", "release", array)
    for task in (2, 3, 4, 5):
        kept.wait_maui(f"{array}_{task}", "Idle")
        assert kept.show(f"{array}_{task}")["Priority"] == "0", task


@pytest.fixture
def divided(kept, users):
    """An array of its owner's in four records of Slurm, as changes of single tasks make
    them, one with a priority that an administrator gave."""
    array = kept.sbatch("-a", "1-6", "-n", 1, user=users[0])
    kept.wait_maui(f"{array}_6", "Idle")
    for task in (2, 4, 5):
        kept.ok("scontrol", "update", f"jobid={array}_{task}", "comment=x", user=users[0])
    kept.ok("scontrol", "update", f"jobid={array}_4", "priority=77")
    kept.wait(lambda: kept.maui.job(f"{array}_4").get("fixed_priority") == 77, "its priority")
    return array


def states(slurm, array):
    return {slurm.maui.state(f"{array}_{task}") for task in range(1, 7)}


def update(slurm, forge, job, *words, user=None):
    """Of all records in one request."""
    return slurm.run(forge, "update", job, *words, user=user)


@pytest.mark.parametrize("name", ["{}", "{}_[1-2]"])
def test_a_note_to_an_array_reaches_no_task_that_was_started(slurm, name):
    """One that was on its way meanwhile: what the owner asked for stands there."""
    array = slurm.sbatch("-a", "1-2%1", "-n", 1, "--requeue")
    task = f"{array}_1"
    slurm.wait_maui(task, "Running")
    slurm.wait_state(task, "RUNNING")
    slurm.run("scontrol", "update", f"jobid={name.format(array)}", "starttime=now+1hour",
              "admincomment=maui: waits (checkjob 1) #1")
    assert "maui:asked" in slurm.ok("scontrol", "show", "job", task)
    slurm.ok("scontrol", "requeue", task)
    slurm.wait(lambda: slurm.state(task) == "RUNNING" and slurm.show(task)["Restarts"] == "1",
               "its return", 90)


def test_an_owner_holds_and_releases_an_array_in_several_records(kept, users, forge, divided):
    for _ in range(2):
        done = update(kept, forge, divided, "priority=0", user=users[0])
        assert done.returncode == 0, done
        kept.wait(lambda: states(kept, divided) == {"Hold"}, "the hold of all tasks")
        done = update(kept, forge, divided, "priority=4294967295", user=users[0])
        assert done.returncode == 0, done
        kept.wait(lambda: states(kept, divided) == {"Idle"}, "their release")
        assert kept.show(f"{divided}_2")["Priority"] == "0"


def test_an_administrator_holds_and_releases_an_array_in_several_records(kept, divided):
    """scontrol takes no list of nodes for several records at once: each is taken alone."""
    kept.ok("scontrol", "hold", divided)
    kept.wait(lambda: states(kept, divided) == {"Hold"}, "the hold of all tasks")
    kept.ok("scontrol", "release", divided)
    kept.wait(lambda: states(kept, divided) == {"Idle"}, "their release")


def test_a_hold_that_slurm_refuses_behind_the_gate_is_not_forgotten(
        kept, users, forge, divided):
    """In an inactive partition Slurm refuses the end of each change, when it has done the
    rest: alone it holds the job all the same."""
    seen = kept.sbatch("-H", user=users[0])
    kept.wait_maui(seen, "Hold", "UserHold")
    part = kept.show(f"{divided}_2")["Partition"]
    kept.ok("scontrol", "update", f"partition={part}", "state=inactive")
    try:
        assert update(kept, forge, divided, "priority=0", user=users[0]).returncode != 0
        kept.ok("scancel", seen)
        kept.wait(lambda: not kept.maui.job(seen), "a look behind all that")
    finally:
        kept.ok("scontrol", "update", f"partition={part}", "state=up")
    kept.wait(lambda: states(kept, divided) == {"Hold"}, "the hold of all tasks", 90)
    assert update(kept, forge, divided, "priority=4294967295", user=users[0]).returncode == 0
    kept.wait(lambda: states(kept, divided) == {"Idle"}, "their release", 90)


def test_an_order_to_an_array_leaves_each_record_its_priority(kept, users, forge, divided):
    for words, state in ((["priority=0"], "Hold"), (["priority=4294967295"], "Idle")):
        done = update(kept, forge, divided, *words)
        assert done.returncode == 0, done
        kept.wait(lambda state=state: states(kept, divided) == {state}, state)
        given = {task: kept.maui.job(f"{divided}_{task}").get("fixed_priority") or 0
                 for task in range(1, 7)}
        assert given == {task: 77 if task == 4 and state == "Hold" else 0 for task in given}
    done = update(kept, forge, divided, "priority=0")
    for task in (1, 2, 6):                             # an administrator's, at once
        assert kept.run("scontrol", "release", f"{divided}_{task}",
                        user=users[0]).returncode != 0, task


def test_a_hold_of_several_records_is_known_before_the_scheduler_has_seen_it(
        kept, users, forge, divided):
    """And outlives slurmctld, which forgets what its scripts remember."""
    with kept.stopped("adapter"):
        assert update(kept, forge, divided, "priority=0", user=users[0]).returncode == 0
        for task in range(1, 7):
            done = kept.run(forge, "update", f"{divided}_{task}", "priority=4294967295",
                            "req_nodes=n1", "admin_comment=maui:asked;count=1-2")
            assert done.returncode != 0 and "held" in done.stdout, (task, done)
        kept.restart("slurmctld", signal.SIGTERM)
        kept.wait(lambda: kept.run("scontrol", "ping").stdout.count("UP"), "slurmctld")
    kept.wait(lambda: states(kept, divided) == {"Hold"}, "the hold of all tasks", 60)
    assert update(kept, forge, divided, "priority=4294967295", user=users[0]).returncode == 0
    kept.wait(lambda: states(kept, divided) == {"Idle"}, "their release")


def test_a_change_of_several_records_is_undone_in_none(kept, users, forge, divided):
    """By an order of before it."""
    with kept.stopped("adapter"):
        kept.ok("scontrol", "update", f"jobid={divided}", "excnodelist=n1", user=users[0])
        for task in range(1, 7):
            done = kept.run(forge, "update", f"{divided}_{task}", "priority=4294967295", "req_nodes=n1",
                            "admin_comment=maui:asked;exclude=;count=1-1")
            assert done.returncode != 0 and "try again later" in done.stdout, (task, done)


def test_an_owner_moves_an_array_to_another_partition(kept, users, divided):
    """Where there is no slurmdbd Slurm takes any file that its scripts did not find for
    its own failure."""
    for name in ("low", "high"):
        kept.move(divided, name, user=users[0])
        for task in (1, 2, 4):
            assert kept.show(f"{divided}_{task}")["Partition"] == name


def test_an_owner_holds_and_releases_a_heterogeneous_job(kept, users, forge):
    job = kept.sbatch("-n", 1, ":", "-n", 2, user=users[0])
    kept.wait_maui(job, "Idle")
    for words, state in ((["priority=0"], "Hold"), (["priority=4294967295"], "Idle")):
        done = update(kept, forge, job, *words, user=users[0])
        assert done.returncode == 0, done
        kept.wait_maui(job, state)
    kept.maui.ok("schedctl", "-r")
    kept.wait_state(job, "RUNNING", seconds=60)


def test_an_administrators_hold_is_not_the_owners_at_any_moment(kept, users):
    """Nor where a remark of the site's has the place of our own."""
    job, other = (kept.sbatch("-n", 1, user=users[0]) for _ in range(2))
    for one in (job, other):
        kept.wait_maui(one, "Idle")
    kept.ok("scontrol", "update", f"jobid={other}", "admincomment=the_dean_wants_it")
    with kept.stopped("adapter"):
        for one in (job, other):
            kept.ok("scontrol", "hold", one)
            for words in (("release",), ("hold",), ("release",)):
                done = kept.run("scontrol", *words, one, user=users[0])
                assert (done.returncode != 0) == (words[0] == "release"), (words, done)
            assert kept.show(one)["Reason"] == "JobHeldAdmin"
    for one in (job, other):
        kept.wait_maui(one, "Hold")
        kept.ok("scontrol", "uhold", one)              # an administrator makes it the owner's
        kept.wait(lambda one=one: kept.run("scontrol", "release", one,
                                           user=users[0]).returncode == 0, "its release")
        kept.wait_maui(one, "Idle")
    assert kept.show(other)["AdminComment"] == "the_dean_wants_it"


def test_an_administrators_hold_of_before_an_upgrade_is_not_the_owners(kept, users, forge):
    """The mark did not say whose it is then, and a remark has the place of the comment."""
    job = kept.sbatch("-n", 1, user=users[0])
    kept.wait_maui(job, "Idle")
    kept.ok("scontrol", "update", f"jobid={job}", "admincomment=the_dean_wants_it")
    kept.ok("scontrol", "hold", job)
    kept.wait_maui(job, "Hold")
    assert update(kept, forge, job, "site_factor=2147483650", "req_nodes=").returncode == 0
    seen = kept.sbatch("-H", "-n", 1)                  # by a look behind that
    kept.wait_maui(seen, "Hold")
    assert kept.run("scontrol", "release", job, user=users[0]).returncode != 0
    assert kept.show(job)["AdminComment"] == "the_dean_wants_it"


def test_a_job_for_which_slurm_chooses_the_nodes_stays_off_what_is_reserved(slurm):
    """--overcommit: Slurm takes no list of nodes for it, and would begin with n1."""
    slurm.maui.ok("setres", "-n", "off", "-s", "+0:10:00", "-d", "2:00:00", "n[12]")
    options = ("-O", "-n", 9, "-t", 60)
    plain, choosy = slurm.sbatch(*options), slurm.sbatch(*options, "-x", "n2")
    for job in (plain, choosy):
        slurm.wait_state(job, "RUNNING")
        slurm.wait_maui(job, "Running")
        assert slurm.where(job) == ["n3"] == slurm.places(job)
    short = slurm.sbatch("-O", "-n", 9, "-t", 5)       # over before it begins
    slurm.wait_state(short, "RUNNING")
    for job, left_out in ((plain, "(null)"), (choosy, "n2")):
        slurm.maui.ok("schedctl", "-s")
        slurm.ok("scontrol", "requeue", job)
        slurm.wait(lambda: slurm.state(job) == "PENDING"
                   and slurm.show(job)["Priority"] == "0", "its return", 40)
        assert slurm.show(job)["ExcNodeList"] == left_out
        slurm.maui.ok("schedctl", "-r")
    slurm.maui.ok("releaseres", "off.0")


def test_what_slurm_may_start_nowhere_else_waits_for_what_is_reserved(slurm):
    slurm.maui.ok("setres", "-n", "off", "-s", "+0:00:01", "-d", "2:00:00", "n[123]")
    slurm.wait(lambda: "n1" in slurm.maui.ok("showres", "-n"), "the reservation")
    job = slurm.sbatch("-O", "-n", 9, "-t", 60)
    slurm.wait_maui(job, "Idle")
    assert slurm.state(job) == "PENDING"
    slurm.maui.ok("releaseres", "off.0")
    slurm.wait_state(job, "RUNNING")
