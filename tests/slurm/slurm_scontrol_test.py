# SPDX-License-Identifier: Apache-2.0
"""The same through one long-lived scontrol, as where Slurm's library is not there: the
life of jobs, holds of each kind, failures. What differs is in src/rm/slurm/text."""
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import pytest

import slurm_accounting
import slurm_cluster
import slurm_release
from slurm_everyday_test import (  # the same must be so here
    ALONE, test_a_requeued_job_asks_for_the_same_as_before, test_checkjob_says_that_no_node_will_ever_do)
from slurm_life_test import (
    test_a_batch_job_runs_where_the_scheduler_put_it_and_leaves,
    test_a_begin_time_is_kept, test_a_job_of_several_partitions_runs_in_the_first_that_is_free,
    test_a_requeued_job_waits_and_runs_again,
    test_a_task_that_waits_for_another_job_takes_no_place_in_its_arrays_limit, test_a_start_that_fails_gives_all_partitions_back,
    test_an_array_keeps_its_own_limit_and_says_so,
    test_an_array_keeps_its_own_limit_when_what_it_depends_on_ends,
    test_an_owner_cannot_lift_what_an_administrator_holds,
    test_an_owner_lifts_an_own_hold, test_dependencies_hold_jobs_until_they_are_fulfilled,
    test_exclusive_jobs_have_nodes_alone, test_features_choose_nodes,
    test_generic_resources_and_licences_are_counted, test_holds_of_owner_and_administrator,
    test_holds_of_waiting_jobs_and_back, test_jobs_are_cancelled_waiting_and_running,
    test_jobs_of_a_partition_that_is_down_wait, test_maui_holds_reach_slurm_and_are_lifted,
    test_memory_is_counted, test_nodes_are_those_the_scheduler_chose, test_nodes_down_and_drained_are_seen,
    test_other_nodes_may_be_asked_for_while_a_job_waits,
    test_own_lists_of_nodes_are_kept, test_slurm_starts_nothing_that_the_scheduler_does_not,
    test_srun_and_salloc_wait_patiently_and_run, test_suspended_and_resumed_by_hand,
    test_tasks_of_an_array_are_jobs_each, test_tasks_that_wait_are_cancelled_by_few_requests,
    test_waiting_jobs_can_be_changed,
    test_what_was_asked_is_restored_when_a_start_fails, running, waits)
from slurm_races_test import (
    divided, kept, test_a_hold_while_a_start_is_on_its_way_keeps_the_job,
    test_an_administrators_hold_is_not_the_owners_at_any_moment,
    test_an_administrator_holds_and_releases_an_array_in_several_records,
    test_an_owner_holds_and_releases_an_array_in_several_records,
    test_what_is_changed_while_a_start_is_on_its_way_is_not_undone)
from slurm_squeue_test import (
    test_a_remark_of_the_site_stays, test_an_array_is_one_line, test_by_hand_an_administrator_starts_it_at_once,
    test_holds_are_told_as_holds, test_squeue_says_why_and_when)

CLUSTER = {"transport": "SCONTROL", "message_timeout": 5}


def comm(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def children(pid):
    return [int(p) for p in
            pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_one_scontrol_lives_as_long_as_the_adapter(slurm):
    assert comm(slurm.pid("adapter")) == "maui-scontrol"
    before = [p for p in children(slurm.pid("adapter")) if comm(p) == "scontrol"]
    assert len(before) == 1
    for _ in range(3):
        running(slurm, slurm.sbatch("-n", 1))
    assert [p for p in children(slurm.pid("adapter")) if comm(p) == "scontrol"] == before


def test_memory_by_processor_is_that_at_each_look(slurm):
    """scontrol prints what it has once more while nothing changes, and forgets that of it."""
    full = slurm.sbatch("-N4", "--exclusive")
    slurm.wait_maui(full, "Running")
    waits_too = slurm.sbatch("-n", 8, "--mem-per-cpu=100")
    slurm.wait_maui(waits_too, "Idle")
    time.sleep(4)
    assert [r["tasks"] for r in slurm.maui.job(waits_too)["requests"]] == [8]
    slurm.ok("scancel", full)
    running(slurm, waits_too)
    time.sleep(4)
    assert slurm.maui.job(waits_too)["procs"] == 8


def test_a_scontrol_that_dies_is_replaced(slurm):
    job = slurm.sbatch("-n", 1)
    running(slurm, job)
    os.kill(children(slurm.pid("adapter"))[0], signal.SIGKILL)
    other = slurm.sbatch("-n", 1)
    running(slurm, other)
    assert slurm.maui.state(job) == "Running"


def test_slurmctld_restarted_amid_starts(slurm):
    jobs = []
    for _ in range(2):
        jobs += [slurm.sbatch("-n", 1, script="sleep 0.3") for _ in range(4)]
        slurm.restart("slurmctld", signal.SIGTERM)
        slurm.wait(slurm.all_up, "all nodes")
    slurm.wait(lambda: {slurm.state(j) for j in jobs} == {"COMPLETED"}, "all jobs", 60)


def test_holds_are_remembered_when_the_adapter_is_another(slurm):
    kept, held = slurm.sbatch("-n", 99), slurm.sbatch("-n", 1)
    slurm.maui.ok("schedctl", "-s")
    late = slurm.sbatch("-n", 1)
    slurm.ok("scontrol", "uhold", held)
    slurm.ok("scontrol", "uhold", late)
    slurm.kill("adapter")
    slurm.maui.ok("schedctl", "-r")
    slurm.wait_maui(late, "Hold")
    time.sleep(1)
    assert slurm.state(late) == "PENDING"
    slurm.ok("scontrol", "release", late)
    running(slurm, late)
    assert kept and held


def test_letgo_while_the_gate_is_closed_yet(slurm):
    """Its last order must not look like a change of a job that was let go."""
    full = slurm.sbatch("-N", len(slurm.nodes), "--exclusive")
    slurm.wait_state(full, "RUNNING")
    job, held = slurm.sbatch("-n", 1), slurm.sbatch("-n", 1)
    slurm.wait_maui(held, "Idle")
    slurm.maui.ok("sethold", "-s", held)
    slurm.wait(lambda: slurm.show(held)["Reason"] == "JobHeldAdmin", "the hold in Slurm")
    slurm.maui.stop()
    try:
        program = pathlib.Path(slurm.program).with_name("maui-scontrol")
        slurm.ok(program, "letgo", "--home", slurm.maui.home)
        slurm.ok("scancel", full)
        slurm.wait_state(job, "RUNNING")
        assert slurm.state(held) == "PENDING"
    finally:
        slurm.maui.start()
    slurm.maui.ok("releasehold", "-s", held)


def test_a_heterogeneous_job_starts_and_comes_back_with_what_was_asked(slurm):
    slurm.ok("scontrol", "create", "reservation", "reservationname=keep", "starttime=now",
             "duration=60", "nodes=n1", "users=daemon")
    slurm.wait(lambda: "keep" in slurm.maui.ok("diagnose", "-r"), "the reservation")
    job = slurm.sbatch("--requeue", "-n", 1, "-x", "n2", ":", "-n", 2)
    running(slurm, f"{job}+1")
    assert {slurm.show(f"{job}+{i}")["NodeList"] for i in range(2)} == {"n3", "n4"}
    slurm.ok("scontrol", "requeuehold", job)
    slurm.wait_state(f"{job}+1", "PENDING")
    slurm.wait_maui(job, "Hold", "UserHold")
    slurm.wait(lambda: [(part["ExcNodeList"], part.get("AdminComment")) for part in
                        (slurm.show(f"{job}+{i}") for i in range(2))] == [("n2", "maui:held")] * 2, "their own")
    slurm.ok("scontrol", "release", job)
    slurm.wait_state(f"{job}+1", "RUNNING")
    slurm.ok("scancel", job)
    slurm.ok("scontrol", "delete", "reservationname=keep")


def test_nobody_marks_what_slurm_refuses_to_change(slurm, users):
    """The gate is asked before Slurm looks at who it is."""
    slurm.maui.ok("schedctl", "-s")
    job, held = (slurm.sbatch("-n", 1, user=users[0]) for _ in range(2))
    slurm.ok("scontrol", "hold", held)
    for change, of in (("0", job), ("100", held)):
        assert slurm.run("scontrol", "update", f"jobid={of}", f"priority={change}",
                         user=users[1]).returncode
    slurm.run("scontrol", "release", held, user=users[0])  # an administrator's hold
    slurm.maui.ok("schedctl", "-r")
    slurm.wait_state(job, "RUNNING")
    assert waits(slurm, held)
    assert slurm.maui.state(held) == "Hold"


def test_a_hold_from_before_the_gate_is_no_kept_job(slurm):
    """The gate is asked about what bears no mark."""
    slurm.maui.ok("schedctl", "-s")
    job = slurm.sbatch("-H", "-n", 1)
    slurm.ok("scontrol", "update", f"jobid={job}", "admincomment=something",
             "reqnodelist=")
    slurm.maui.ok("schedctl", "-r")
    assert waits(slurm, job)
    assert slurm.maui.state(job) == "Hold"


def record(job, name="fake"):
    """As `scontrol show job` prints them, of a job that runs on all nodes."""
    return (f"JobId={job} JobName={name} UserId=daemon(1) GroupId=daemon(1) MCS_label=N/A "
            "Priority=1 Nice=0 Account=(null) QOS=(null) JobState=RUNNING Reason=None "
            "Requeue=1 Restarts=0 ExitCode=0:0 TimeLimit=UNLIMITED SubmitTime=1700000000 "
            "StartTime=1700000000 EndTime=Unknown Partition=all NodeList=n[1-4] NumNodes=4 "
            "NumCPUs=16 NumTasks=16 CPUs/Task=1 Nodes=n[1-4] CPU_IDs=0-3 Mem=0 "
            "MinCPUsNode=1 Features=(null) Network=(null) WorkDir=/ "
            "AdminComment=maui:kept StdErr=/x StdIn=/x StdOut=/x Power=")


def change_gate(slurm, text, ahead):
    """At once, though Slurm may have loaded the one before in this second."""
    slurm.write("job_submit.lua", text)
    os.utime(pathlib.Path(slurm.dir, "etc/job_submit.lua"), (time.time(), time.time() + ahead))


def test_no_folder_of_a_job_from_before_the_gate_is_an_administrators_comment(slurm, tmp_path):
    """Which would give it a priority."""
    folder = tmp_path / "x AdminComment=maui:kept;priority=4711"
    folder.mkdir()
    script = pathlib.Path(slurm.dir, "etc/job_submit.lua").read_text()
    slurm.maui.ok("schedctl", "-s")
    slurm.maui.stop()
    try:
        change_gate(slurm, "function slurm_job_submit() return slurm.SUCCESS end\n"
                    "function slurm_job_modify() return slurm.SUCCESS end\nreturn slurm.SUCCESS\n", 1)
        job = slurm.sbatch("-n", 1, "--begin=now+1hour", "-D", str(folder))
    finally:
        change_gate(slurm, script, 2)
        slurm.maui.start()
    slurm.wait(lambda: slurm.show(job)["Priority"] == "0" and slurm.maui.job(job), "its being taken")
    assert not slurm.maui.job(job).get("fixed_priority")
    slurm.ok("scancel", job)
    slurm.maui.ok("schedctl", "-r")


def test_texts_of_any_kind_take_nobody_in(slurm):
    """Each line of scontrol may be some user's: records of jobs that are there, that are
    not, and of the next; marks of the adapter's own; fields that Slurm prints itself."""
    slurm.maui.ok("schedctl", "-s")
    victim = int(slurm.sbatch("-n", 2, "-J", "victim"))
    ends = "\n".join(f"maui-{n}" for n in range(80))
    texts = [f"x\n{record(victim)}", f"x\n{record(victim + 500)}",
             f"x\n{record(victim + 8)}\n{record(1)}", f"\n{ends}\nerror: Munge timed out",
             "x UserId=daemon(1) JobState=RUNNING", "AdminComment=maui:asked;count=9-9",
             "scontrol: show job\n\nJobId=1 ", "a b  c\n\td=e\\n"]
    script = pathlib.Path(slurm.dir, "out", "args.sh")
    script.write_text("#!/bin/sh\nsleep 100\n")
    jobs = [slurm.sbatch("-n", 1, "-t", 5, f"--{option}={text}")
            for text in texts for option in ("job-name", "comment")]
    jobs += [slurm.ok("sbatch", "--parsable", "-n", 1, "-o", "/dev/null", script,
                      *texts).strip()]
    jobs += [slurm.sbatch("-n", 1, "-t", 5, f"--mail-user={texts[0]}",
                          f"--wckey={texts[0]}", f"--error={texts[1]}")]
    last = slurm.sbatch("-n", 1, "-t", 5, "-J", "last")
    known = {str(victim), *jobs, last}
    slurm.wait(lambda: {r["id"] for r in slurm.queued()} == known, "all jobs")
    for change in ("name", "comment"):
        slurm.ok("scontrol", "update", f"jobid={jobs[-1]}", f"{change}={texts[0]}")
    time.sleep(1.5)  # two looks
    queued = {r["id"]: r for r in slurm.queued()}
    assert set(queued) == known
    assert {r["user"] for r in queued.values()} == {slurm.user}
    assert {r["state"] for r in queued.values()} == {"Idle"}
    assert queued[str(victim)]["name"] == "victim"
    slurm.maui.ok("schedctl", "-r")

    def all_run(jobs):  # scontrol would take this test in
        done = slurm.ok("squeue", "-h", "-j", ",".join(jobs), "-o", "%T")
        return done.split() == ["RUNNING"] * len(jobs)
    slurm.wait(lambda: all_run([str(victim), *jobs[:13]]), "most to run")
    slurm.ok("scancel", *jobs[:13])
    # the last of jobs has nowhere to write its errors to: Slurm ends it at once
    slurm.wait(lambda: all_run([str(victim), *jobs[13:-1], last]), "the others to run")
    slurm.wait_maui(victim, "Running")
    assert sorted(slurm.places(victim)) == sorted(slurm.where(victim))


def test_a_name_like_an_error_is_a_name(slurm):
    held = slurm.sbatch("-n", 1, "-J", "error: Munge timed out", "--hold")
    job = slurm.sbatch("-n", 1)
    running(slurm, job)
    assert slurm.maui.state(held) == "Hold"


def test_msub_says_how_to_submit(slurm):
    done = slurm.maui.run("msub", "-l", "nodes=1", stdin="sleep 1\n")
    assert done.returncode != 0 and "sbatch" in done.stderr


@pytest.fixture
def without_library(slurm_program, tmp_path):
    """The programs as where libslurm was not there at build time, or is not now."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for path in slurm_program.parent.iterdir():
        if path.is_file() and path.name.startswith("maui") and path.name != "maui-slurm":
            shutil.copy2(path, folder)
    return folder


@pytest.mark.parametrize("library", ["not built", "not to be loaded", "of another release"])
def test_it_is_taken_by_itself_where_the_library_is(without_library, library):
    fake = without_library / "maui-slurm"
    if library != "not built":
        fake.write_text(f"#!/bin/sh\nexit {127 if 'loaded' in library else 3}\n")
        fake.chmod(0o755)
    c = slurm_cluster.SlurmCluster(without_library / "maui", nodes=2,
                                   gate_program=without_library / "maui-scontrol")
    try:
        c.up()
        job = c.sbatch("-n", 1)
        c.wait_state(job, "RUNNING")
        assert comm(c.pid("adapter")) == "maui-scontrol"
    finally:
        c.down()


@pytest.fixture
def newer_slurm(tmp_path, monkeypatch):
    """A scontrol that is of a release which no library here is of, and that numbers
    epilogs, as such do."""
    real, folder = slurm_cluster.tool("scontrol"), tmp_path / "newer"
    folder.mkdir()
    fake = folder / "scontrol"
    fake.write_text('#!/bin/sh\n[ "$*" = --version ] && exec echo slurm 99.05.3\n'
                    f'[ $# -gt 2 ] && exec {real} "$@"\n'
                    f'{real} "$@" | sed -u "s/^Epilog   /Epilog[0]/"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(slurm_cluster, "PATH", f"{folder}:{slurm_cluster.PATH}")


def test_it_is_taken_where_slurms_commands_are_of_another_release(newer_slurm, slurm_program):
    """A slurmctld that is much newer than the library hangs up on it: the daemon finds
    another way, and so do the commands of people."""
    c = slurm_cluster.SlurmCluster(slurm_program, nodes=2)
    try:
        c.up()
        full = c.sbatch("-N", 2, "--exclusive")
        c.wait_state(full, "RUNNING")
        assert comm(c.pid("adapter")) == "maui-scontrol"
        check = c.maui.run("slurm", "check")
        assert check.returncode == 0 and "Epilog" not in check.stdout
        job = c.sbatch("-n", 1)
        c.wait_maui(job, "Idle")
        with subprocess.Popen([slurm_program, "slurm", "watch", "--after", "1:00", "--home",
                               c.maui.home], env=c.env) as watch:
            c.wait(lambda: comm(watch.pid) == "maui-scontrol", "the watch")
            watch.terminate()
        c.maui.stop()
        letgo = c.maui.run("slurm", "letgo")
        assert letgo.returncode == 0 and letgo.stdout.startswith("1 waiting job given back")
        assert c.show(job)["Priority"] != "0"
    finally:
        c.down()


def test_it_is_told_where_no_release_is_known(slurm_program, tmp_path, monkeypatch):
    """scontrol that cannot say of which release it is leaves the library in use. That is
    told while slurmctld has not answered, and by the commands of people."""
    fake, real = tmp_path / "scontrol", slurm_cluster.tool("scontrol")
    fake.write_text('#!/bin/sh\n[ "$*" = --version ] && { echo no licence; exit 4; }\n'
                    f'exec {real} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(slurm_cluster, "PATH", f"{tmp_path}:{slurm_cluster.PATH}")
    c = slurm_cluster.SlurmCluster(slurm_program, nodes=2)
    try:
        c.up()
        assert comm(c.pid("adapter")) == "maui-slurm"
        check = c.maui.run("slurm", "check")
        assert check.returncode == 0
        assert "(status 4, no licence): taken for" in check.stderr
        assert "taken for" in c.maui.log()
    finally:
        c.down()


def test_a_transport_that_is_none_is_told(slurm):
    slurm.maui.stop()
    slurm.maui.configure("RMCFG[slurm] TYPE=SLURM TRANSPORT=PIGEON\n")
    done = slurm.maui.run("serve")
    assert done.returncode != 0 and "LIBSLURM or SCONTROL" in done.stderr
    slurm.maui.configure("RMCFG[slurm] TYPE=SLURM TRANSPORT=SCONTROL\nRMPOLLINTERVAL 1\n")
    slurm.maui.start()
    slurm.wait(slurm.known, "the scheduler's picture")


def test_without_a_gate_the_sites_remark_stays(fresh_cluster):
    """The adapter asks the gate what a held job is; where nobody answers it puts back what
    stood there."""
    slurm = fresh_cluster(nodes=2, gate=False, transport="SCONTROL", scheduler=False)
    jobs = [slurm.sbatch("-H", "-n", 1) for _ in range(3)]
    slurm.ok("scontrol", "update", f"jobid={jobs[0]}", "admincomment=the dean wants it")
    slurm.ok("scontrol", "update", f"jobid={jobs[1]}", f"admincomment={'x' * 1010}")
    slurm.maui.start()
    slurm.wait(slurm.known, "the scheduler's picture")
    for job in jobs:
        slurm.wait_maui(job, "Hold", "UserHold")
    shown = [slurm.ok("scontrol", "show", "job", job) for job in jobs]
    comments = [re.findall(r"AdminComment=(.*?) ?\n", text) for text in shown]
    assert comments[:2] == [["the dean wants it"], ["x" * 1010]] and not any(comments[2]), comments
    slurm.ok("scontrol", "release", jobs[0])
    slurm.wait_state(jobs[0], "RUNNING")


# ---- what scontrol update changes of jobs that wait, beside Slurm alone ----

JOBS = {"plain": ("-n", 2), "feature": ("-n", 1, "-C", "odd"), "licence": ("-n", 1, "-L", "lic_b:1"),
        "switch": ("-N", 2, "-n", 2, "--switches=1"), "array": ("-a", "1-3", "-n", 1),
        "het": ("-n", 1, ":", "-n", 2)}
UPDATES = [("plain", "account=bio"), ("plain", "qos=fast"), ("plain", "numtasks=3 numcpus=3"),
           ("plain", "licenses=lic_a:1"), ("feature", "features=even"), ("feature", "features=odd&at_n3"),
           ("feature", "account=bio"), ("licence", "licenses=lic_b:2"), ("licence", "licenses="),
           ("switch", "switches=2"), ("switch", "switches=1@5"), ("switch", "qos=fast"),
           ("array_2", "account=bio"), ("array_1", "features=even"), ("array", "qos=fast"),
           ("array", "timelimit=7"), ("array_3", "licenses=lic_a:2"), ("het+1", "features=even"),
           ("het+1", "account=bio"), ("het", "qos=fast"), ("het+0", "timelimit=4"),
           ("het+1", "numtasks=3 numcpus=3")]
PARTS = ["plain", "feature", "licence", "switch", "array_1", "array_2", "array_3", "het+0", "het+1"]
SEEN = ("NumCPUs", "NumTasks", "Features", "Licenses", "Account", "QOS", "TimeLimit")
QOS = 1 + SEEN.index("QOS")  # in a picture
TREE = "SwitchName=s1 Nodes=n[1-3]\nSwitchName=s2 Nodes=n[4-6]\nSwitchName=top Switches=s[1-2]\n"


@pytest.fixture
def beside(fresh_cluster, request):
    """Slurm alone, and with the scheduler: full, and the jobs wait there."""
    if slurm_accounting.missing():
        pytest.skip(f"no slurmdbd: {slurm_accounting.missing()}")
    both = []
    for options in ({"gate": False, "conf": ALONE}, {"transport": request.param}):
        c = fresh_cluster(scheduler=options.get("gate", True), nodes=6, accounting=True, topology=TREE,
                          **{**options, "conf": "TopologyPlugin=topology/tree\n" + options.get("conf", "")})
        for words in (("account", "chem"), ("account", "bio"), ("user", c.user, "account=chem,bio"),
                      ("qos", "fast")):
            c.accounting.manage("-i", "add", *words)
        c.accounting.manage("-i", "modify", "user", c.user, "set", "qos+=fast", "defaultaccount=chem")
        c.full = c.wait(lambda c=c: c.run("sbatch", "--parsable", "-N", 6, "--exclusive", "-t", 30, "-o",
                                          "/dev/null", stdin="#!/bin/sh\nsleep 900\n").stdout.strip(), "a job")
        c.wait_state(c.full, "RUNNING")
        c.jobs = {name: c.sbatch("-t", 5, *options, script="sleep 300") for name, options in JOBS.items()}
        both.append(c)
    both[1].wait(lambda: len(both[1].queued()) == len(both[1].jobs) + 3, "all in the queue")
    return both


def change(c, name, words):
    """What an administrator is answered, without numbers of jobs."""
    base = next(n for n in JOBS if name.startswith(n))
    done = c.run("scontrol", "update", f"jobid={c.jobs[base]}{name.removeprefix(base)}",
                 *words.split())
    return done.returncode, done.stderr.replace(c.jobs[base], base)


def picture(c):
    shown = {}
    for name in PARTS:
        base = next(n for n in JOBS if name.startswith(n))
        found = c.show(f"{c.jobs[base]}{name.removeprefix(base)}") or {}
        shown[name] = (found.get("JobState"), *(found.get(key) for key in SEEN))
    return shown


@pytest.mark.parametrize("beside", ["LIBSLURM", "SCONTROL"], indirect=True)
def test_what_is_changed_in_any_order_starts_as_under_slurm_alone(beside):
    """Accounts, QOS, switches, features, licences, of tasks, whole arrays and components: the
    same answers, and each starts with what it has then under Slurm alone. A QOS that is given
    to several records Slurm alone gives, from 24.11 on, to the first; here all have it."""
    alone, ours = beside
    seed = random.SystemRandom().randrange(10**6)
    for name, words in random.Random(seed).sample(UPDATES, len(UPDATES)):
        assert change(ours, name, words) == change(alone, name, words), (seed, name, words)
    for c in beside:  # what one look tells with this it tells of all before
        assert change(c, "plain", "timelimit=6") == (0, ""), seed
    ours.wait(lambda: ours.maui.job(ours.jobs["plain"])["wclimit_s"] == 360, "what was changed")
    for c in beside:
        c.ok("scancel", c.full)
    for c in beside:
        c.wait(lambda c=c: all(p[0] == "RUNNING" for p in picture(c).values()), f"all, seed {seed}")
    seen = [picture(c) for c in (ours, alone)]
    if slurm_release.release() >= (24, 11):
        several = [name for name in PARTS if name.startswith(("array", "het"))]
        assert {seen[0][name][QOS] for name in several} == {"fast"}, seed
        for shown, name in itertools.product(seen, several):
            shown[name] = (*shown[name][:QOS], *shown[name][QOS + 1:])
    assert seen[0] == seen[1], seed
    log = ours.maui.log()
    assert "did not start" not in log, (seed, [l for l in log.splitlines() if "did not start" in l])
