# SPDX-License-Identifier: Apache-2.0
"""A site with slurmdbd that enforces associations, QOS and limits, under the three lines
of the guide: Slurm has looked at accounts and QOS, and what cannot run yet waits."""
import pathlib
import time

import pytest

import slurm_accounting
from slurm_accounting import manage

lack = slurm_accounting.missing()
pytestmark = pytest.mark.skipif(
    bool(lack), reason=f"no slurmdbd here: {lack} is not installed (scripts/deps test)")

CLUSTER = {"nodes": 3, "cpus": 2, "accounting": True}


@pytest.fixture(scope="module")
def site(module_cluster):
    """Somebody may submit: an account with this user, who may use two QOS."""
    manage(module_cluster, "add", "account", "chem", "Description=c", "Organization=c")
    manage(module_cluster, "add", "user", module_cluster.user, "account=chem")
    manage(module_cluster, "add", "qos", "fast")
    return module_cluster


def waits_for(slurm, job, *words):
    """It is no deferral, and checkjob has the reason."""
    slurm.wait(lambda: slurm.maui.job(job), f"{job} in the scheduler")
    text = slurm.wait(lambda: (text := slurm.maui.why(job)) and
                      all(w in text for w in words) and text, f"{words} for {job}")
    assert slurm.maui.state(job) == "Idle", text
    assert "deferred" not in text
    return text


def test_jobs_of_an_account_start(site, slurm):
    job = slurm.sbatch("-A", "chem")
    slurm.wait_state(job, "RUNNING")
    record = slurm.maui.job(job)
    assert (record["account"], record["qos"]) == ("chem", "normal")


def test_what_sacctmgr_adds_later_is_admitted_at_once(site, slurm, users):
    manage(site, "add", "user", users[0], "account=chem")
    manage(site, "modify", "user", users[0], "set", "qos+=fast")
    job = slurm.wait(lambda: slurm.sbatch("-A", "chem", "--qos", "fast", user=users[0]),
                     "a submission")
    slurm.wait_state(job, "RUNNING")
    assert slurm.maui.job(job)["qos"] == "fast"


def test_a_list_in_the_configuration_restricts_more(site, slurm, policies):
    policies(f"USERCFG[{slurm.user}] QLIST=slow QDEF=slow\n")
    job = slurm.sbatch("-A", "chem")
    slurm.wait(lambda: slurm.maui.job(job), f"{job} in the scheduler")
    slurm.wait(lambda: "QOS normal is not accessible" in slurm.maui.why(job), "the reason")


def test_a_hold_of_an_array_that_a_task_has_just_left_is_obeyed(site, slurm, users):
    """Slurm notes beside its state that slurmdbd is to be told of it."""
    manage(site, "add", "user", users[0], "account=chem")
    whole = ("-N", len(slurm.nodes), "--exclusive", "-t", 5)
    full = slurm.sbatch(*whole)
    slurm.wait_state(full, "RUNNING")
    held = []
    for words in ("hold", "uhold"):
        user = users[0] if words == "hold" else None
        array = slurm.wait(lambda user=user: slurm.sbatch("-a", "1-3", "-t", 5, user=user),
                           "a submission")
        slurm.wait(lambda array=array: slurm.ok("squeue", "-h", "-j", array, "-o", "%Q").strip()
                   == "0" and slurm.maui.state(f"{array}_3") == "Idle", "its being kept")
        slurm.ok("scontrol", "update", f"jobid={array}_2", "comment=x")
        slurm.ok("squeue", "-j", array)
        slurm.ok("scontrol", words, array, user=user)
        held += [f"{array}_{task}" for task in (1, 2, 3)]
    after = slurm.sbatch(*whole)
    slurm.ok("scancel", full)
    slurm.wait_state(after, "RUNNING")
    slurm.ok("scancel", after)
    last = slurm.sbatch(*whole)
    slurm.wait_state(last, "RUNNING")
    assert {slurm.maui.state(task) for task in held} == {"Hold"}
    assert {slurm.state(task) for task in held} == {"PENDING"}


def test_a_job_bound_to_a_drained_node_waits_for_it(site, slurm):
    slurm.ok("scontrol", "update", "nodename=n1", "state=drain", "reason=test")
    slurm.wait(lambda: "drain" in slurm.maui.ok("checknode", "n1").lower(), "n1 drained")
    job = slurm.sbatch("-A", "chem", "-w", "n1")
    waits_for(slurm, job)
    slurm.ok("scontrol", "update", "nodename=n1", "state=resume")
    slurm.wait_state(job, "RUNNING")
    assert slurm.where(job) == ["n1"]


def test_a_job_wider_than_what_is_up_waits(site, slurm):
    slurm.ok("scontrol", "update", "nodename=n[2-3]", "state=down", "reason=test")
    try:
        job = slurm.sbatch("-A", "chem", "-N", "3")
        waits_for(slurm, job)
    finally:
        slurm.ok("scontrol", "update", "nodename=n[2-3]", "state=resume")
    slurm.wait_state(job, "RUNNING", seconds=40)


def test_what_runs_cost_that_slurm_lost_with_a_node_is_given_back(site, slurm, policies):
    policies("AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\n")
    slurm.maui.ok("mam-create-account", "chem")
    slurm.maui.ok("mam-deposit", "chem", "1000h")
    ended = slurm.sbatch("-A", "chem", "-w", "n2", "--no-requeue")
    again = slurm.sbatch("-A", "chem", "-w", "n3", "--requeue")
    for job in (ended, again):
        slurm.wait_state(job, "RUNNING")
        slurm.wait(lambda job=job: slurm.maui.state(job) == "Running", f"{job} runs")
    time.sleep(2)  # a run of no second costs nothing
    told = ("mam-refund", "--node-failures", "--since", "100")

    def losses():
        return {run["run"].rpartition(".")[0]: run["rest"]
                for run in slurm.maui.lines(*told, "-n")}

    slurm.ok("scontrol", "update", "nodename=n[2-3]", "state=down", "reason=test")
    try:
        slurm.wait(lambda: set(losses()) == {ended, again}, "both runs, told as lost")
        assert all(rest > 0 for rest in losses().values())
        slurm.maui.ok(*told)
        assert set(losses().values()) == {0}
    finally:
        for node in ("n2", "n3"):  # it may take a moment until Slurm takes that
            slurm.wait(lambda node=node: slurm.run(
                "scontrol", "update", f"nodename={node}", "state=resume").returncode == 0
                or "down" not in slurm.ok("sinfo", "-h", "-n", node, "-o", "%T"),
                f"{node} is back")


def test_a_job_over_a_limit_of_its_own_waits(site, slurm, policies):
    policies(f"USERCFG[{slurm.user}] MAXPROC=2\n")
    job = slurm.sbatch("-A", "chem", "-n", "4")
    waits_for(slurm, job, "MAXPROC")
    slurm.maui.ok("changeparam", f"USERCFG[{slurm.user}]", "MAXPROC=6")
    slurm.wait_state(job, "RUNNING")


# ---- limits that sacctmgr sets ----


@pytest.fixture
def limited(site, users):
    """set(...) of sacctmgr, taken back: an account below chem with a user of its own."""
    manage(site, "add", "account", "lab", "parent=chem", "Description=l", "Organization=l")
    manage(site, "add", "user", users[0], "account=chem")
    manage(site, "add", "user", users[1], "account=lab")
    for user in users[:2]:
        manage(site, "modify", "user", user, "set", "qos+=fast")
    undo = []

    def change(kind, name, *limits):
        manage(site, "modify", kind, name, "set", *limits)
        undo.append((kind, name, [l.rpartition("=")[0] + "=-1" for l in limits]))

    yield change
    for kind, name, limits in undo:
        manage(site, "modify", kind, name, "set", *limits)


def is_kept(slurm, job):
    """Nobody tried to start it."""
    found = slurm.show(job)
    assert found["JobState"] == "PENDING" and found["Reason"] == "JobHeldUser", found
    return True


def test_a_group_limit_of_an_account_holds_for_those_below_it(slurm, users, limited):
    limited("account", "chem", "GrpTRES=cpu=2")
    slurm.wait(lambda: "GrpTRES=cpu=0:2" in slurm.maui.ok("diagnose", "-a"),
               "the limit in diagnose -a", 40)
    first = slurm.sbatch("-n", "2", user=users[0])
    slurm.wait_state(first, "RUNNING")
    second = slurm.sbatch("-A", "lab", "-n", "1", user=users[1])
    text = waits_for(slurm, second, "limit GrpTRES=cpu of account chem",
                     f"2 of 2 processors in use by {users[0]} 2", "asks for 1 processor")
    assert "Slurm" in text and is_kept(slurm, second)
    assert f"job {second} violates active SOFT GrpTRES=cpu limit of 2 for account chem" in \
        slurm.maui.ok("diagnose", "-q")
    limited("account", "chem", "GrpTRES=cpu=3")
    slurm.wait_state(second, "RUNNING", seconds=60)
    third = slurm.sbatch("-A", "lab", "-n", "1", user=users[1])
    waits_for(slurm, third, "3 of 3 processors in use", f"{users[1]} 1")
    slurm.ok("scancel", first)  # when it has left, there is room
    slurm.wait_state(third, "RUNNING")


def test_limits_of_a_qos_and_of_a_user_change_while_jobs_wait(slurm, users, limited):
    limited("qos", "fast", "MaxJobsPerUser=1")
    limited("user", users[0], "MaxJobs=2", "MaxWall=5")
    slurm.wait(lambda: "each user: MaxJobsPerUser=1" in slurm.maui.ok("diagnose", "-Q"),
               "the limit in diagnose -Q", 40)
    running = [slurm.sbatch("--qos=fast", "-t", "4", user=u) for u in users[:2]]
    for job in running:
        slurm.wait_state(job, "RUNNING")
    qos = slurm.sbatch("--qos=fast", "-t", "4", user=users[0])
    long = slurm.sbatch("-t", "7", user=users[0])
    waits_for(slurm, qos, f"MaxJobsPerUser of QOS fast for user {users[0]}", "1 of 1 job")
    waits_for(slurm, long, f"MaxWall of user {users[0]} in account chem",
              "allows a job 00:05:00", "asks for 00:07:00")
    assert is_kept(slurm, qos) and is_kept(slurm, long)
    limited("user", users[0], "MaxWall=10")
    slurm.wait_state(long, "RUNNING", seconds=60)
    limited("qos", "fast", "MaxJobsPerUser=-1")  # it went before that of the user
    waits_for(slurm, qos, f"MaxJobs of user {users[0]}", "2 of 2 jobs")
    slurm.ok("scancel", long)
    slurm.wait_state(qos, "RUNNING")


def test_a_limit_holds_from_the_first_moment_after_a_restart(slurm, users, limited):
    limited("user", users[0], "MaxJobs=1")
    slurm.wait(lambda: "MaxJobs=0:1" in slurm.maui.ok("diagnose", "-u"),
               "the limit in diagnose -u", 40)
    first = slurm.sbatch(user=users[0])
    slurm.wait_state(first, "RUNNING")
    second = slurm.sbatch(user=users[0])
    waits_for(slurm, second, "MaxJobs")
    slurm.kill("maui")
    slurm.start("maui")
    slurm.wait(slurm.known, "the scheduler's picture")
    waits_for(slurm, second, "MaxJobs of user", f"1 of 1 job in use by {users[0]} 1")
    assert is_kept(slurm, second)


def test_what_is_left_to_slurm_is_refused_there_and_waits(slurm, users, limited, policies):
    """With LIMITS=MAUI, as what the scheduler has no measure for without it."""
    limited("account", "chem", "GrpTRES=cpu=2")
    policies("RMCFG[slurm] LIMITS=MAUI\n")
    first = slurm.sbatch("-n", "2", user=users[0])
    slurm.wait_state(first, "RUNNING")
    assert "GrpTRES" not in slurm.maui.ok("diagnose", "-a")
    second, like = [slurm.sbatch("-A", "lab", "-n", "1", user=users[1]) for _ in range(2)]
    for job in second, like:  # one is tried again, and the other waits for that
        waits_for(slurm, job, "Slurm's limit AssocGrpCpuLimit (processors, of its "
                  "association); job", "is tried again")
    slurm.ok("scancel", first)
    for job in second, like:
        slurm.wait_state(job, "RUNNING", seconds=60)


def test_shares_of_sacctmgr_are_fairshare_targets(site, slurm, users, limited, policies):
    """Changed live; what maui.cfg says goes before."""
    def target(kind, name):
        lines = [l.split() for l in slurm.maui.ok("diagnose", "-f", kind).splitlines()]
        return next((l[2] for l in lines if l and l[0].rstrip("*") == name), None)

    policies("FSPOLICY DEDICATEDPS\nFSDEPTH 2\nFSINTERVAL 1:00:00\nFSWEIGHT 1\n"
             "FSUSERWEIGHT 100\n")
    manage(site, "modify", "account", "chem", "set", "fairshare=3")
    try:  # beside it: user root, with 1
        slurm.wait(lambda: target("acct", "chem") == "75.00", "three quarters", 90)
        below = float(target("user", users[0]))
        assert 0 < below < 75
        manage(site, "modify", "account", "chem", "set", "fairshare=1")
        slurm.wait(lambda: target("acct", "chem") == "50.00", "a half", 90)
        assert abs(float(target("user", users[0])) - below * 2 / 3) < 0.02
        policies("FSPOLICY DEDICATEDPS\nFSUSERWEIGHT 100\nACCOUNTCFG[chem] FSTARGET=7\n")
        slurm.wait(lambda: target("acct", "chem") == "7.00", "what maui.cfg says", 60)
    finally:
        manage(site, "modify", "account", "chem", "set", "fairshare=1")


def test_a_qos_has_the_priority_that_sacctmgr_gave_it(site, slurm, users, limited, policies, full):
    """Seen while a job waits; it weighs what QOSWEIGHT says, and what maui.cfg says of a
    QOS goes before."""
    policies("QOSWEIGHT 2\n")
    manage(site, "modify", "qos", "fast", "set", "priority=300")
    try:
        job = slurm.sbatch("--qos=fast", "-N", 3, user=users[0])
        plain = slurm.sbatch("-N", 3, user=users[0])
        for one in (job, plain):
            slurm.wait_maui(one, "Idle")
        slurm.wait(lambda: 600 <= slurm.maui.job(job)["priority"] < 700, "twice 300", 60)
        assert slurm.maui.job(plain)["priority"] < 100
        manage(site, "modify", "qos", "fast", "set", "priority=500")
        slurm.wait(lambda: 1000 <= slurm.maui.job(job)["priority"] < 1100, "twice 500", 60)
        policies("QOSWEIGHT 2\nQOSCFG[fast] PRIORITY=7\n")
        slurm.wait(lambda: slurm.maui.job(job)["priority"] < 100, "what maui.cfg says", 60)
    finally:
        manage(site, "modify", "qos", "fast", "set", "priority=0")
        full()


# ---- what a QOS gives ----

GRACE = 4


def test_a_preempted_job_has_the_grace_time_of_its_qos(site, slurm, policies):
    """As sacctmgr has it now: the job is told at once, and stays for so long."""
    manage(site, "add", "qos", "idle")
    manage(site, "modify", "user", slurm.user, "set", "qos+=fast,idle")
    manage(site, "modify", "qos", "idle", "set", f"GraceTime={GRACE}")
    policies("CREDWEIGHT 1\nQOSWEIGHT 1\nQOSCFG[fast] QFLAGS=PREEMPTOR PRIORITY=10000\n"
             "QOSCFG[idle] QFLAGS=PREEMPTEE\nBACKFILLPOLICY NONE\n"
             "PREEMPTPOLICY REQUEUE\n")
    told = pathlib.Path(slurm.dir, "out/told-qos")
    victim = slurm.sbatch("-A", "chem", "--qos=idle", "-N", 3, "--exclusive", "--requeue",
                          script=f"srun -N1 -n1 sh -c 'trap \"echo >{told}\" TERM; "
                                 "while :; do sleep 0.1; done'")
    slurm.wait_state(victim, "RUNNING")
    slurm.wait_maui(victim, "Running")
    slurm.wait(lambda: slurm.ok("squeue", "-h", "-s", "-j", victim).count("\n") > 1,
               "its step")
    preemptor = slurm.sbatch("-A", "chem", "--qos=fast", "-N", 3, script="sleep 1")
    slurm.wait(told.exists, "the signal")
    began = time.time()
    assert slurm.state(victim) in ("RUNNING", "SIGNALING")
    slurm.wait_state(preemptor, "RUNNING", "COMPLETED")
    assert time.time() - began > GRACE - 2
    assert slurm.show(victim)["Restarts"] == "1"


IMPORTED = """\
PriorityType=priority/multifactor
PriorityWeightQOS=1000
PriorityWeightAge=100
PreemptType=preempt/qos
PreemptMode=REQUEUE
"""


def test_a_qos_preempts_those_that_slurms_list_names_alone(site, slurm, policies, tmp_path):
    """As `maui import slurm` writes it, with the weight of Slurm's multifactor priority."""
    for name, priority, victims in (("mean", 10, ()), ("apart", 50, ()), ("over", 100, ("mean",))):
        manage(site, "add", "qos", name, f"Priority={priority}",
               *(f"Preempt={v}" for v in victims))
        manage(site, "modify", "user", site.user, "set", f"qos+={name}")
    conf = slurm.write("imported.conf", IMPORTED)
    qos = tmp_path / "qos"
    qos.write_text(site.accounting.manage("-P", "show", "qos").stdout)
    policies(slurm.maui.ok("import", "slurm", "--conf", str(conf), "--qos", str(qos)))
    mean, apart = (slurm.wait(lambda qos=qos: slurm.sbatch("-A", "chem", "--qos", qos, "-w", node),
                              f"a job of {qos}")
                   for qos, node in (("mean", "n1"), ("apart", "n2")))
    third = slurm.sbatch("-A", "chem", "--qos", "apart", "-w", "n3", "-n2")
    for job in (mean, apart, third):
        slurm.wait_state(job, "RUNNING")
    over = slurm.sbatch("-A", "chem", "--qos", "over", "-n2", "-N1")
    slurm.wait_state(over, "RUNNING")
    assert slurm.where(over) == ["n1"]
    assert {slurm.state(mean), slurm.state(apart), slurm.state(third)} == {"PENDING", "RUNNING"}
    assert slurm.state(mean) == "PENDING"
