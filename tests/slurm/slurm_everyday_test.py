# SPDX-License-Identifier: Apache-2.0
"""What users do every day, on Slurm alone and with the scheduler on top: the same answers
to the same commands, and the same ends of jobs."""
import pathlib
import re
import time

import pytest

import slurm_cluster
import slurm_release
from slurm_gate_test import CHANGES, is_kept
from slurm_life_test import running

CLUSTER = {"conf": "KillWait=1\n"}
# what `maui slurm conf` says besides the gate
ALONE = """\
PriorityType=priority/multifactor
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1,sched_interval=2
PreemptType=preempt/none
MinJobAge=300
Epilog=/bin/true
"""


WITHOUT = {"gate": False, "conf": ALONE + CLUSTER["conf"]}
pytestmark = pytest.mark.usefixtures("meanwhile")


@pytest.fixture(scope="module")
def alone(slurm_program):
    """The same cluster without the scheduler."""
    c = slurm_cluster.SlurmCluster(slurm_program, **WITHOUT)
    try:
        yield c.up(scheduler=False)
    finally:
        c.down()


@pytest.fixture
def both(slurm, alone):
    yield alone, slurm
    alone.empty()


def fill(c):
    job = c.sbatch("-N4", "--exclusive", "-t", "30")
    c.wait_state(job, "RUNNING")
    return job


def words(done):
    """What a command says, without numbers of jobs and what is said of waiting."""
    lines = [re.sub(r"\d+", "N", line) for line in
             (done.stdout + done.stderr).splitlines()]
    return sorted(line for line in lines if not re.search(
        "revoked|Granted|Relinquishing|held state, pending|Pending job|queued and waiting|"
        "been allocated", line))


def same(both, *command, **options):
    """The same exit status and words of both; ours."""
    plain, ours = [c.run(*command, **options) for c in both]
    assert (plain.returncode, words(plain)) == (ours.returncode, words(ours)), command
    return ours


def settled(slurm, condition):
    """So the adapter has seen, and the gate been told."""
    slurm.wait(condition, "the scheduler's picture")


# ---- at once or not at all ----

def test_who_does_not_wait_starts_at_once_or_is_refused_with_slurms_words(both):
    alone, slurm = both
    heartbeat = f"{slurm.maui.home}/slurm.heartbeat"
    says = lambda word: slurm.wait(lambda: word in open(heartbeat).read(), word)
    says("free")
    for command in (("srun", "-I", "-n1", "echo", "here"), ("salloc", "-I", "-n1", "true"),
                    ("srun", "--immediate=9", "-n1", "echo", "here")):
        assert same(both, *command).returncode == 0
    full = [fill(c) for c in both]
    for command in (("srun", "-I", "-n1", "true"), ("salloc", "-I", "-n1", "true"),
                    ("salloc", "--immediate=2", "-n1", "true")):
        assert same(both, *command).returncode != 0
    says("free")  # that the one who waited two seconds is gone is seen
    waiting = [c.sbatch("-n1") for c in both]
    says("waiting")
    assert "insufficient priority" in words(slurm.run("srun", "-I", "-n1", "true"))[0]
    assert full and waiting


def test_who_does_not_wait_keeps_off_what_is_reserved(slurm):
    made = slurm.maui.ok("setres", "-u", "nobody", "-d", "1:00:00", "n1,n2,n3")
    slurm.wait(lambda: "n1,n2,n3" in open(f"{slurm.maui.home}/slurm.heartbeat").read(),
               "the gate's word")
    try:
        assert slurm.ok("srun", "-I", "-n2", "sh", "-c", "echo $SLURMD_NODENAME"
                        ).split() == ["n4"] * 2
        assert slurm.run("srun", "-I", "-n5", "true").returncode != 0
    finally:
        slurm.maui.ok("releaseres", re.search(r"'(\S+)'", made).group(1))


# ---- priority ----

def test_nice_and_an_administrators_priority_order_the_queue(slurm, full, users):
    user = users[0]
    nice = slurm.sbatch("-n", 16, "--nice=100", script="sleep 0.2", user=user)
    plain = slurm.sbatch("-n", 16, script="sleep 0.2", user=user)
    denied = slurm.sbatch("-n", 16, "--priority=9000", script="sleep 0.2", user=user)
    raised = slurm.sbatch("-n", 16, "--nice=-50", script="sleep 0.2")
    given = slurm.sbatch("-n", 16, "--priority=1000", script="sleep 0.2")
    later = slurm.sbatch("-n", 16, script="sleep 0.2", user=user)
    slurm.ok("scontrol", "update", f"jobid={later}", "priority=5000")

    expected = [later, given, raised, plain, denied, nice]

    def order():
        rows = [r for r in slurm.queued() if r["id"] in expected]
        return [r["id"] for r in sorted(rows, key=lambda r: (-r["priority"], int(r["id"])))]
    slurm.wait(lambda: order() == expected, "the order")
    text = slurm.maui.ok("diagnose", "-p")
    assert "UPrio" in text and re.search(rf"^{later} +5000\*", text, re.M)
    assert "FixedPriority:  1000" in slurm.maui.why(given)
    full()
    slurm.wait(lambda: {slurm.state(j) for j in expected} == {"COMPLETED"}, "their ends", 60)
    starts = [slurm.show(j)["StartTime"] for j in expected]
    assert starts == sorted(starts)


def test_users_change_priorities_with_slurms_words(both, users):
    full = [fill(c) for c in both]
    jobs = [c.sbatch("-n1", user=users[0]) for c in both]
    assert jobs[0] != full[0]
    plain, slurm = both

    def each(*command, user):
        done = [c.run(*[str(w).replace("JOB", j) for w in command], user=user)
                for c, j in zip(both, jobs)]
        assert (words(done[0]), done[0].returncode) == (words(done[1]), done[1].returncode)
        return done[1].returncode
    assert each("scontrol", "update", "jobid=JOB", "priority=50", user=users[0])
    assert each("scontrol", "update", "jobid=JOB", "nice=-5", user=users[0])
    assert each("scontrol", "hold", "JOB", user=users[1])
    assert not each("scontrol", "update", "jobid=JOB", "nice=5", user=users[0])
    assert not each("scontrol", "hold", "JOB", user=None)
    slurm.wait(lambda: slurm.show(jobs[1])["AdminComment"] == "maui:admin", "the gate's mark")
    assert each("scontrol", "release", "JOB", user=users[0])
    assert each("scontrol", "update", "jobid=JOB", "priority=10", user=users[0])
    assert slurm.show(jobs[1])["Reason"] == plain.show(jobs[0])["Reason"] == "JobHeldAdmin"
    assert not each("scontrol", "uhold", "JOB", user=None)
    slurm.wait(lambda: slurm.show(jobs[1])["AdminComment"] == "maui:held", "the owner's")
    assert not each("scontrol", "release", "JOB", user=users[0])
    for c in both:
        c.ok("scancel", full[both.index(c)])
    slurm.wait_state(jobs[1], "RUNNING")


# ---- time ----

def test_a_requeued_job_is_not_tried_before_its_begin_time(slurm):
    job = slurm.sbatch("-n1", "--requeue")
    running(slurm, job)
    slurm.ok("scontrol", "requeue", job)
    slurm.wait(lambda: slurm.show(job)["Restarts"] == "1" and slurm.state(job) == "PENDING",
               "its return")
    running(slurm, job)
    assert f"did not start job '{job}'" not in slurm.maui.log()


def test_a_job_that_is_requeued_here_is_not_tried_before_its_begin_time_either(slurm):
    job = slurm.sbatch("-n1", "--requeue")
    running(slurm, job)
    slurm.maui.ok("mjobctl", "-R", job)
    slurm.wait(lambda: slurm.show(job)["Restarts"] == "1" and slurm.state(job) == "PENDING",
               "its return")
    running(slurm, job)
    assert f"did not start job '{job}'" not in slurm.maui.log()


def test_a_requeued_job_asks_for_the_same_as_before(slurm):
    asked = {"--gpus=3": 2, "-w n4 -n 2": 1, "-N 2 -n 2": 2,
             "-C [odd*1&even*1] -N 2 -n 2": 2}
    jobs = {slurm.sbatch("--requeue", *options.split()): (options, nodes)
            for options, nodes in asked.items()}
    for job in jobs:
        running(slurm, job)
    slurm.ok("scontrol", "requeue", ",".join(jobs))
    for job, (options, nodes) in jobs.items():
        slurm.wait(lambda job=job: slurm.show(job)["Restarts"] == "1", "its return")
        running(slurm, job)
        assert (options, len(slurm.where(job))) == (options, nodes)


def test_a_job_held_by_its_requeue_stays_so(slurm):
    job = slurm.sbatch("-n1", "--requeue")
    running(slurm, job)
    slurm.ok("scontrol", "requeuehold", job)
    slurm.wait_state(job, "PENDING")
    slurm.wait_maui(job, "Hold")
    time.sleep(8)  # its pause (cred_expire) is over
    assert slurm.state(job) == "PENDING"
    slurm.ok("scontrol", "release", job)
    running(slurm, job)


def test_the_last_word_on_a_job_held_by_its_requeue_counts(slurm, users):
    """Whoever held and released it since, and a word says why it waits."""
    job = slurm.sbatch("-n1", "--requeue", user=users[0])
    running(slurm, job)
    slurm.ok("scontrol", "requeuehold", job)
    slurm.wait_maui(job, "Hold")
    slurm.ok("scontrol", "update", f"jobid={job}", "starttime=now+1hour")

    def released():
        slurm.ok("scontrol", "release", job)
        slurm.wait_maui(job, "Idle")
        slurm.wait(lambda: "maui: may not start before" in slurm.ok(
            "squeue", "-h", "-j", job, "-O", "admin_comment:100"), "the note")
    released()
    for holder in (None, users[0]):
        slurm.ok("scontrol", "hold", job, user=holder)
        slurm.wait_maui(job, "Hold")
        released()
    slurm.restart("adapter")
    time.sleep(3)
    assert slurm.maui.state(job) == "Idle", slurm.tale(job)
    slurm.ok("scontrol", "update", f"jobid={job}", "starttime=now")
    running(slurm, job)


def test_a_begin_time_that_is_moved_is_kept(slurm):
    job = slurm.sbatch("-n1", "--begin=now+3000")
    slurm.wait(lambda: slurm.maui.job(job), "it")
    slurm.ok("scontrol", "update", f"jobid={job}", "starttime=now+3")
    running(slurm, job)
    other = slurm.sbatch("-n1", "--begin=now+2")
    slurm.wait(lambda: slurm.maui.job(other), "it")
    slurm.ok("scontrol", "update", f"jobid={other}", "starttime=now+3000")
    time.sleep(3)
    assert slurm.state(other) == "PENDING"
    assert f"did not start job '{other}'" not in slurm.maui.log()


# ---- texts ----

TWO_LINES = "one\ntwo"


def test_texts_of_several_lines_are_what_they_are(slurm):
    out = f"{slurm.dir}/out/lines"
    done = slurm.run("sbatch", "--parsable", "-o", out, "-n1", f"--comment={TWO_LINES}",
                     "-J", "x\nJobId=99 JobName=y", "/dev/stdin", TWO_LINES,
                     stdin='#!/bin/sh\necho "$1"\n')
    assert done.returncode == 0, done.stderr
    job = done.stdout.strip()
    slurm.wait(lambda: slurm.ok("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip()
               == "COMPLETED", "its end")  # scontrol prints it as two jobs
    assert open(out).read().strip() == TWO_LINES
    assert slurm.ok("srun", "-n1", "sh", "-c", "echo a\necho b").split() == ["a", "b"]
    held = slurm.sbatch("-n1", "-H")
    slurm.ok("scontrol", "update", f"jobid={held}", f"comment={TWO_LINES}")


# ---- amid a start ----

@pytest.mark.parametrize("what", ["cancel", "hold", "change"])
def test_who_is_touched_amid_a_start_is_as_the_user_wants(slurm, what):
    jobs = [slurm.sbatch("-n1", script="sleep 60") for _ in range(12)]
    for job in jobs[::2]:
        command = {"cancel": ("scancel", job), "hold": ("scontrol", "hold", job),
                   "change": ("scontrol", "update", f"jobid={job}", "timelimit=7")}[what]
        done = slurm.run(*command)
        assert done.returncode == 0 or slurm.state(job) == "RUNNING", done.stderr
    for job in jobs[1::2]:
        running(slurm, job)
    for job in jobs[::2]:
        if what == "cancel":
            slurm.wait_state(job, "CANCELLED")
        elif what == "change":
            running(slurm, job)
            assert slurm.show(job)["TimeLimit"] == "00:07:00"
        else:
            slurm.wait(lambda j=job: (slurm.state(j), slurm.maui.state(j)) in (
                ("PENDING", "Hold"), ("RUNNING", "Running")), f"{job}")


# ---- a job that is new: judged by Slurm, and not yet in the scheduler's hands ----

@pytest.fixture
def new(slurm):
    """new(change): what it makes of a job while the scheduler's adapter hangs."""
    slurm.maui.ok("schedctl", "-s")

    def submit(change, *options, user=None):
        slurm.wait(lambda: time.time() - int(open(f"{slurm.maui.home}/slurm.heartbeat").read()
                                             .split()[0]) < 3, "a sign of life")
        with slurm.stopped("adapter"):
            job = slurm.sbatch("-n", 1, *options, user=user)
            assert not is_kept(slurm, job)
            change(job)
            begin = int(slurm.ok("squeue", "-h", "-j", job, "-O", "EligibleTime:30",
                                 env={"SLURM_TIME_FORMAT": "%s"}))
            assert is_kept(slurm, job) or begin > time.time() + 20
        slurm.wait(lambda: is_kept(slurm, job), "its being taken")
        return job

    yield submit
    slurm.maui.ok("schedctl", "-r")


def test_no_change_by_its_owner_frees_a_new_job(slurm, new, users):
    jobs = []
    for change in CHANGES:
        def act(job):
            slurm.run("scontrol", "update", f"jobid={job}", change, user=users[0])
            slurm.run("scontrol", "release", job, user=users[0])
        jobs.append(new(act, user=users[0]))
    slurm.wait(lambda: all(slurm.maui.job(j) for j in jobs), "all of them")


def test_a_new_job_is_as_its_owner_changes_it(slurm, new):
    def order(*words):
        return lambda job: slurm.ok("scontrol", *(w.replace("JOB", job) for w in words))
    held = new(order("hold", "JOB"))
    later = new(order("update", "jobid=JOB", "starttime=now+900"))

    def hold_first(job):  # the scheduler saw it before it was held, and takes it as it was
        slurm.ok("scontrol", "hold", job)
        slurm.ok("scontrol", "update", f"jobid={job}", "reqnodelist=", "priority=0",
                 "admincomment=maui:kept;new")
        assert slurm.show(job)["AdminComment"] == "maui:held"
    faster = new(hold_first)
    nice = new(order("update", "jobid=JOB", "nice=50", "timelimit=7"))
    array = new(order("update", "jobid=JOB", "nice=50"), "-a", "1-3")
    slurm.maui.ok("schedctl", "-r")
    running(slurm, nice)
    assert slurm.show(nice)["Nice"] == "50" and slurm.show(nice)["TimeLimit"] == "00:07:00"
    for i in range(1, 4):
        running(slurm, f"{array}_{i}")
    for job in (held, faster):
        slurm.wait_maui(job, "Hold")
    assert slurm.state(faster) == slurm.state(held) == slurm.state(later) == "PENDING"
    assert "start date" in slurm.maui.why(later) or "before" in slurm.maui.why(later)
    slurm.ok("scontrol", "release", held)
    running(slurm, held)


def test_a_new_job_is_let_go_as_others_are(slurm, new):
    def let_go(job):
        slurm.ok(slurm.program, "slurm", "letgo", "--home", slurm.maui.home)
        slurm.wait_state(job, "RUNNING")
    with slurm.stopped("adapter"):
        job = slurm.sbatch("-n", 1)
        assert not is_kept(slurm, job)
        let_go(job)
        assert "maui" not in slurm.show(job).get("AdminComment", "")
    slurm.wait_maui(job, "Running")


# ---- what can never run, and what is written of options ----

def test_checkjob_says_that_no_node_will_ever_do(slurm):
    never = {"no node has 9 of resource 'gpu'": ["--gres=gpu:9"],
             "asks for 5 nodes and no partition has more than 4": ["-N", 5],
             "asks for 6 nodes and no partition has more than 4": ["-N", 6, "--exclusive"],
             "asks for 99 processors and no partition has more": ["-n", 99],
             "no set of nodes can ever satisfy": ["-c", 9]}
    for text, options in never.items():
        job = slurm.sbatch("--priority=7", *options)  # that Slurm does not judge here
        slurm.wait(lambda text=text, job=job: text in slurm.maui.why(job), text)
        assert slurm.state(job) == "PENDING"


def test_every_option_of_sbatch_has_a_row_in_the_guide(slurm):
    guide = (pathlib.Path(__file__).parents[2] / "docs/slurm.md").read_text()
    table = guide[guide.index("## Options of sbatch"):guide.index("## Through scontrol")]
    first = " ".join(line.split("|")[1] for line in table.splitlines()
                     if line.startswith("| "))
    named = set(re.findall(r"--?\w[\w-]*\*?", first))
    families = tuple(n[:-1] for n in named if n.endswith("*"))
    options = re.findall(r"^ *(?:(-\w), )?(--[a-z][\w-]*)", slurm.ok("sbatch", "--help"),
                         re.M)
    assert len(options) > 60
    assert [o for o in options if not named & set(o) and not o[1].startswith(families)
            ] == []


# ---- what takes a minute, begun with the first test ----

LONG = 180  # seconds, for what takes one of the minutes that Slurm counts in
# later releases count the limit from the begin time by which a new job is kept
DEADLINE = "--deadline=now+" + ("66" if slurm_release.release() < (23, 2) else "126")


def limits_of_a_minute(*both):
    alone, slurm = both
    jobs = []
    for c in both:
        limit = c.sbatch("-n1", "-t", "1", script="sleep 300")
        first = c.sbatch("-n1", "-t", "30", script="sleep 300")
        later = c.sbatch("-n1", "-d", f"after:{first}+1", script="sleep 300")
        c.wait_state(first, "RUNNING")
        c.wait_state(limit, "RUNNING")
        fills = [c.sbatch("-n14", "-t", "30")]
        c.wait_state(fills[0], "RUNNING")
        dead = c.sbatch("-n16", "-t", "1", DEADLINE)
        least = c.sbatch("-n16", "-t", "9", "--time-min=1", DEADLINE)
        jobs.append((limit, dead, first, least, later, fills[0]))
    for c, (limit, dead, _, least, later, fill_) in zip(both, jobs):
        c.wait_state(dead, "DEADLINE", seconds=LONG)
        c.wait_state(least, "DEADLINE", seconds=LONG)
        c.ok("scancel", fill_)
    for c, (limit, _, first, _, later, _) in zip(both, jobs):
        c.wait_state(limit, "TIMEOUT", seconds=LONG)
        c.wait_state(later, "RUNNING", seconds=LONG)
        begun = [time.mktime(time.strptime(c.show(j)["StartTime"], "%Y-%m-%dT%H:%M:%S"))
                 for j in (first, later)]
        assert begun[1] - begun[0] >= 59
    log = slurm.maui.log()
    assert f"did not start job '{jobs[1][4]}'" not in log
    assert "deadline" in slurm.maui.why(jobs[1][1]), slurm.maui.why(jobs[1][1])
    assert f"job '{jobs[1][0]}': cancel" not in log  # that was Slurm's doing


MINUTES = {"test_limits_deadlines_and_delays_of_a_minute":
           (limits_of_a_minute, WITHOUT, CLUSTER)}


def test_limits_deadlines_and_delays_of_a_minute(meanwhile):
    """All at once, as each takes a minute: the time limit (-t), a --deadline that cannot be
    kept any more, a minute after another's start (-d)."""
    meanwhile("test_limits_deadlines_and_delays_of_a_minute")


def test_labels_of_users_keep_others_off(fresh_cluster, users):
    """--exclusive=mcs with mcs/user: nobody else's job is sent to that node, to be refused."""
    slurm = fresh_cluster(nodes=2, conf="MCSPlugin=mcs/user\nMCSParameters=ondemand,select\n")
    own = slurm.sbatch("--exclusive=mcs", "-n", 1, "-w", "n1", user=users[0])
    slurm.wait_state(own, "RUNNING")
    slurm.wait_maui(own, "Running")
    wide = [slurm.sbatch("-n", 1, user=users[1]) for _ in range(5)]
    for job in wide[:4]:
        slurm.wait_state(job, "RUNNING")
        assert slurm.where(job) == ["n2"]
    beside = slurm.sbatch("--exclusive=mcs", "-n", 1, "-t", 5, user=users[0])
    slurm.wait_state(beside, "RUNNING")
    assert slurm.where(beside) == ["n1"]
    assert slurm.state(wide[4]) == "PENDING" and "Idle" in slurm.maui.why(wide[4])
    assert slurm.maui.job(wide[4]).get("start_count", 0) == 0, slurm.maui.job(wide[4])
    slurm.ok("scancel", wide[0])
    slurm.wait_state(wide[4], "RUNNING")


def test_a_preferred_feature_goes_before_near_weights(fresh_cluster):
    slurm = fresh_cluster(nodes=3, gpus=0, node_options={
        "n1": "Weight=1", "n2": "Weight=50", "n3": "Weight=90"})
    for options, node in ((["--prefer=at_n3"], "n3"), ([], "n1"), (["--prefer=at_n2"], "n2")):
        job = slurm.sbatch("-N", 1, "-n", 4, *options)
        slurm.wait_state(job, "RUNNING")
        assert slurm.where(job) == [node], options
