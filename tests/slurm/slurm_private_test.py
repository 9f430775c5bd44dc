# SPDX-License-Identifier: Apache-2.0
"""What Slurm keeps from users (PrivateData) the scheduler keeps from them as well, and
whom Slurm lets do more, operators and coordinators of accounts, may do so here: always
compared with what Slurm itself shows and allows."""
import json
import pathlib

import pytest

import slurm_accounting
from slurm_accounting import manage

lack = slurm_accounting.missing()
pytestmark = pytest.mark.skipif(
    bool(lack), reason=f"no slurmdbd here: {lack} is not installed (scripts/deps test)")

HIDDEN = "PrivateData=jobs,nodes,usage,users,accounts,reservations\n"
CLUSTER = {"nodes": 2, "cpus": 2, "gpus": 0, "accounting": True, "conf": HIDDEN}
OPERATOR = "mail"  # besides those of the fixture "users"
LONG = 60          # seconds: changes are seen within a minute


def maui(slurm, *args, user=None):
    """A command of the scheduler, as that user."""
    return slurm.run(slurm.program, *args, user=user, env={"MAUIHOMEDIR": slurm.maui.home})


def told(slurm, *args, user=None):
    done = maui(slurm, *args, user=user)
    return done.stdout + done.stderr


def shown(slurm, user=None):
    """Numbers of the jobs in a user's showq."""
    lines = told(slurm, "showq", user=user).splitlines()
    return {l.split()[0] for l in lines if l[:1].isdigit() and len(l.split()) > 6}


def squeue(slurm, user=None):
    return set(slurm.ok("squeue", "-h", "-o", "%i", user=user).split())


@pytest.fixture(scope="module")
def site(module_cluster):
    """ann and bob in two accounts, carl coordinates that of ann; an operator."""
    manage(module_cluster, "add", "account", "chem", "Description=c", "Organization=c")
    manage(module_cluster, "add", "account", "bio", "Description=b", "Organization=b")
    manage(module_cluster, "add", "user", module_cluster.user, "account=chem")
    for user, account in (("daemon", "chem"), ("games", "bio"), ("bin", "bio"),
                          (OPERATOR, "bio")):
        manage(module_cluster, "add", "user", user, f"account={account}")
    manage(module_cluster, "add", "coordinator", "account=chem", "names=bin")
    manage(module_cluster, "modify", "user", OPERATOR, "set", "adminlevel=Operator")
    return module_cluster


@pytest.fixture
def people(site, slurm, users):
    """ann, bob, carl, olga: once the scheduler knows what they may."""
    job = slurm.sbatch("-n", 1, user=users[0])
    slurm.wait(lambda: all(job in told(slurm, "checkjob", job, user=u)
                           and "cannot locate" not in told(slurm, "checkjob", job, user=u)
                           for u in (users[2], OPERATOR)), "their rights", LONG)
    slurm.ok("scancel", job)
    return *users, OPERATOR


@pytest.fixture
def jobs(slurm, people):
    """Of ann: one that runs and one that waits for all there is. Of bob: one that
    waits."""
    ann, bob, _, _ = people
    runs = slurm.sbatch("-N", 2, "--exclusive", "-t", 10, "-J", "secret", user=ann)
    slurm.wait_state(runs, "RUNNING")
    waits = slurm.sbatch("-N", 2, "-t", 10, user=ann)
    other = slurm.sbatch("-N", 2, "-t", 10, user=bob)
    for job in (waits, other):
        slurm.wait_maui(job, "Idle")
        slurm.wait(lambda job=job: slurm.show(job)["Priority"] == "0", "its being kept", LONG)
    return runs, waits, other


def test_showq_shows_the_jobs_that_squeue_shows(slurm, people, jobs):
    for user in (*people, None):
        assert shown(slurm, user) == squeue(slurm, user), user
    assert len(squeue(slurm, people[1])) == 1 and len(squeue(slurm, people[3])) == 3
    assert squeue(slurm, people[2]) == set(jobs[:2])  # the coordinator's
    assert "Total Jobs: 1 " in told(slurm, "showq", user=people[1])


def test_no_command_tells_of_a_job_that_is_kept_from_its_user(slurm, people, jobs):
    ann, bob, _, _ = people
    for job in jobs[:2]:
        for command in (("checkjob", job), ("checkjob", "-v", job), ("showstart", job),
                        ("canceljob", job), ("sethold", job), ("releasehold", job),
                        ("mjobctl", "-m", "wclimit=1", job), ("showres", job),
                        ("showres", "-n"), ("showres",), ("showq", "-i"), ("showq", "-r"),
                        ("showq", "-b"), ("showq", "-u", ann), ("releaseres", job),
                        ("setqos", "normal", job), ("showbf",), ("showbf", "-d", "1"),
                        ("canceljob", f"r:{job}"), ("canceljob", "ALL-NOT")):
            text = told(slurm, *command, user=bob)
            for word in (ann, "secret", "chem"):
                assert word not in text.replace(f"-u {ann}", ""), (command, text)
            if job not in command and f"r:{job}" not in command:
                assert job not in text.split(), (command, text)
            elif command[0] in ("checkjob", "showstart", "canceljob", "showres"):
                assert "cannot locate" in text or "none of these" in text, (command, text)
                missing = told(slurm, *(w.replace(job, "987654") for w in command), user=bob)
                assert text.replace(job, "987654") == missing or "r:" in command[-1], (
                    "one can tell that it is there", command, text, missing)
    assert {slurm.state(j) for j in jobs} == {"RUNNING", "PENDING"}
    for path in ("/v1/jobs?full=1", "/v1/accounting?user=" + ann, "/v1/priorities"):
        done = slurm.run("curl", "-s", "--unix-socket", f"{slurm.maui.home}/api.sock",
                         f"http://maui{path}", user=bob)
        assert "forbidden" in done.stdout and "secret" not in done.stdout, path


def test_what_would_be_is_told_of_ones_own_jobs_alone(slurm, people, jobs):
    """Not how many others there are either; nor when a copy lives on, whose jobs start."""
    def ask(user, **question):
        done = slurm.run(
            "curl", "-s", "--unix-socket", f"{slurm.maui.home}/api.sock", "-H",
            "Content-Type: application/json", "-d", json.dumps(question), "http://maui/v1/whatif", user=user)
        return json.loads(done.stdout)

    for user, known in ((people[1], 1), (people[2], 2), (people[3], 3)):
        before = ask(user, changes=[])["before"]
        stand = [n for word, n in before.items() if word not in ("planned", "of")]
        assert sum(stand) == known and before["of"] <= known, (user, before)
    runs, waits, other = jobs
    hold = {"order": {"order": "hold", "request": {"jobs": [other], "kinds": ["user"]}}}
    answer = ask(people[1], changes=[hold], method="run", watch=[*jobs, "987654"], horizon_s=7200)
    assert answer["before"]["starts"] == 1 and answer["before"]["use"] < 0.1, answer
    assert {r["name"] for r in answer["sums"]["user"]} == {people[1]}, answer
    watch = {w.pop("id"): w for w in answer.pop("watched")}
    assert watch[runs] == watch[waits] == watch["987654"], watch
    for word in (people[0], "secret", "chem", f'"{runs}"', f'"{waits}"'):
        assert word not in json.dumps(answer), (word, answer)
    assert ask(people[3], changes=[], method="run", horizon_s=7200)["before"]["starts"] == 2


def test_what_nodes_do_is_not_shown(slurm, people, jobs):
    bob, olga = people[1], people[3]
    assert not slurm.run("sinfo", "-h", "-N", user=bob).stdout.strip()
    for command in (("showq",), ("showq", "-r"), ("showq", "-i")):
        assert "Processors Active" not in told(slurm, *command, user=bob)
    for command in (("showbf",), ("showbf", "-A"), ("checknode", "n1"),
                    ("diagnose", "-n"), ("checkjob", "-n", "n1", jobs[2])):
        assert maui(slurm, *command, user=bob).returncode != 0, command
    assert "n1" not in told(slurm, "checkjob", "-v", jobs[2], user=bob)
    assert "2 of    2 Nodes Active" in told(slurm, "showq", user=olga) or \
        "Processors Active" in told(slurm, "showq", user=olga)
    assert maui(slurm, "showbf", user=olga).returncode == 0


def test_who_uses_up_a_limit_is_not_told(slurm, people):
    ann, bob, _, olga = people
    manage(slurm, "modify", "account", "root", "set", "GrpTRES=cpu=2")
    try:
        slurm.wait(lambda: "GrpTRES=cpu" in slurm.maui.ok("diagnose", "-a")
                   + slurm.maui.ok("diagnose", "-u") or slurm.accounting, "the limit", LONG)
        first = slurm.sbatch("-n", 2, user=ann)
        slurm.wait_state(first, "RUNNING", seconds=LONG)
        second = slurm.sbatch("-n", 2, user=bob)
        slurm.wait(lambda: "GrpTRES" in told(slurm, "checkjob", second, user=olga),
                   "the limit in checkjob", LONG)
        assert f"in use by {ann}" in told(slurm, "checkjob", second, user=olga)
        for command in (("checkjob", second), ("showq", "-b"), ("showq", "-b", "-v")):
            text = told(slurm, *command, user=bob)
            assert ann not in text and "2 of 2" not in text, text
        assert "GrpTRES" in told(slurm, "checkjob", second, user=bob)
    finally:
        manage(slurm, "modify", "account", "root", "set", "GrpTRES=cpu=-1")


def test_nobody_guesses_names_of_users_and_accounts(slurm, people, jobs):
    bob = people[1]
    for option, name in (("account", "chen"), ("user", "daemo")):
        done = slurm.run("curl", "-s", "--unix-socket", f"{slurm.maui.home}/api.sock",
                         f"http://maui/v1/jobs?{option}={name}", user=bob)
        assert "did you mean" not in done.stdout and '"id"' not in done.stdout
        done = slurm.run("curl", "-s", "--unix-socket", f"{slurm.maui.home}/api.sock",
                         f"http://maui/v1/jobs?{option}={name}")
        assert "did you mean" in done.stdout


def test_operators_may_do_what_slurm_lets_them(slurm, people, jobs):
    runs, waits, other = jobs
    ann, bob, _, olga = people
    for command in (("sethold", "-b", waits), ("sethold", "-s", other)):
        done = maui(slurm, *command, user=olga)
        assert done.returncode == 0, done
    slurm.wait(lambda: slurm.show(waits)["Reason"] == slurm.show(other)["Reason"]
               == "JobHeldAdmin", "their holds in Slurm")
    assert maui(slurm, "releasehold", waits, user=ann).returncode != 0
    assert slurm.run("scontrol", "release", waits, user=ann).returncode != 0
    for job in (waits, other):
        done = maui(slurm, "releasehold", job, user=olga)
        assert done.returncode == 0, done
        slurm.wait_maui(job, "Idle")
    assert maui(slurm, "setspri", "5", other, user=olga).returncode == 0
    assert maui(slurm, "canceljob", runs, user=olga).returncode == 0
    slurm.wait_state(other, "RUNNING")
    for command in (("schedctl", "-s"), ("changeparam", "JOBMAXOVERRUN", "1")):
        assert maui(slurm, *command, user=olga).returncode != 0, command


def test_coordinators_may_do_so_with_jobs_of_their_accounts(slurm, people, jobs):
    runs, waits, other = jobs
    ann, _, carl, _ = people
    assert maui(slurm, "checkjob", "-v", waits, user=carl).returncode == 0
    for release in (("releasehold", carl), ("releasehold", ann)):  # as their owner's, both
        done = maui(slurm, "sethold", waits, user=carl)
        assert done.returncode == 0, done
        slurm.wait(lambda: slurm.maui.job(waits)["shown_state"] == "UserHold", "the hold")
        assert slurm.show(waits)["Reason"] == "JobHeldUser"
        assert maui(slurm, release[0], waits, user=release[1]).returncode == 0
        slurm.wait_maui(waits, "Idle")
    assert maui(slurm, "sethold", "-s", waits, user=carl).returncode != 0
    slurm.maui.ok("sethold", "-s", waits)
    assert maui(slurm, "releasehold", waits, user=carl).returncode != 0
    slurm.maui.ok("releasehold", waits)
    assert maui(slurm, "mjobctl", "-m", "wclimit=120", waits, user=carl).returncode == 0
    for command in (("sethold", other), ("canceljob", other), ("setspri", "5", waits),
                    ("runjob", waits), ("schedctl", "-s"), ("diagnose", "-j")):
        assert maui(slurm, *command, user=carl).returncode != 0, command
    assert slurm.show(other)["Reason"] == "JobHeldUser"  # kept, as before
    assert maui(slurm, "canceljob", runs, user=carl).returncode == 0
    slurm.wait_state(waits, "RUNNING", "COMPLETED")


def test_what_they_do_with_scontrol_is_taken_as_theirs(slurm, people, jobs):
    _, waits, other = jobs
    ann, bob, carl, olga = people
    for who, job, owner, kind in ((carl, waits, ann, "UserHold"),
                                  (olga, other, bob, "SystemHold")):
        slurm.ok("scontrol", "hold", job, user=who)
        slurm.wait(lambda job=job, kind=kind: slurm.maui.job(job)["shown_state"] == kind,
                   kind)
        may = slurm.run("scontrol", "release", job, user=owner).returncode == 0
        assert may == (kind == "UserHold")  # a coordinator's hold is as the owner's
        if may:
            slurm.wait_maui(job, "Idle")
            slurm.ok("scontrol", "hold", job, user=owner)
            slurm.wait(lambda job=job: slurm.maui.job(job)["shown_state"] == "UserHold",
                       "the owner's hold")
        slurm.ok("scontrol", "release", job, user=who)
        slurm.wait_maui(job, "Idle")
        slurm.ok("scontrol", "update", f"jobid={job}", "timelimit=3", "nice=7", user=who)
        slurm.wait(lambda job=job: slurm.maui.job(job)["wclimit_s"] == 180, "its limit")
        assert slurm.show(job)["Priority"] == "0"
        # whom it does not concern Slurm refuses, and nothing is changed here
        stranger = ann if owner == bob else bob
        for words in (("hold",), ("uhold",), ("release",)):
            assert slurm.run("scontrol", *words, job, user=stranger).returncode != 0
        assert slurm.run("scontrol", "update", f"jobid={job}", "timelimit=1", "nice=1",
                         user=stranger).returncode != 0
        seen = slurm.sbatch("-H", user=ann)  # behind all that
        slurm.wait_maui(seen, "Hold", "UserHold")
        slurm.ok("scancel", seen)
        assert slurm.maui.state(job) == "Idle"
        assert slurm.maui.job(job)["wclimit_s"] == 180
    # an operator's priority is one, a coordinator's as little as the owner's; nor does a
    # coordinator lift an administrator's hold
    assert slurm.run("scontrol", "update", f"jobid={waits}", "priority=77",
                     user=carl).returncode != 0
    slurm.ok("scontrol", "hold", waits)
    slurm.wait(lambda: slurm.maui.job(waits)["shown_state"] == "SystemHold", "the hold")
    assert slurm.run("scontrol", "release", waits, user=carl).returncode != 0
    slurm.ok("scontrol", "update", f"jobid={other}", "priority=99", user=olga)
    slurm.wait(lambda: slurm.maui.job(other)["priority"] == 99, "the operator's priority")


def test_a_coordinator_holds_and_releases_an_array_in_several_records(slurm, people, forge):
    ann, _, carl, _ = people
    full = slurm.sbatch("-N", 2, "--exclusive", "-t", 10)
    slurm.wait_state(full, "RUNNING")
    array = slurm.sbatch("-a", "1-4", "-N", 2, "-t", 10, user=ann)
    slurm.wait_maui(f"{array}_4", "Idle")
    for task in (2, 3):
        slurm.ok("scontrol", "update", f"jobid={array}_{task}", "comment=x", user=ann)
    for words, state in (("priority=0", "Hold"), ("priority=4294967295", "Idle")):
        done = slurm.run(forge, "update", array, words, user=carl)
        assert done.returncode == 0, done
        slurm.wait(lambda state=state: {slurm.maui.state(f"{array}_{task}")
                                        for task in range(1, 5)} == {state}, state)


def test_changes_of_rights_and_of_what_is_hidden_are_seen_live(slurm, people, jobs):
    runs, waits, other = jobs
    ann, bob, carl, olga = people
    manage(slurm, "modify", "user", olga, "set", "adminlevel=None")
    manage(slurm, "delete", "coordinator", "account=chem", f"names={carl}")
    try:
        slurm.wait(lambda: not shown(slurm, olga) and not shown(slurm, carl),
                   "their rights to be over", LONG)
        assert maui(slurm, "canceljob", waits, user=carl).returncode != 0
        conf = pathlib.Path(slurm.dir, "etc/slurm.conf")
        conf.write_text(conf.read_text().replace(HIDDEN, "PrivateData=usage\n"))
        slurm.ok("scontrol", "reconfigure")
        slurm.wait(lambda: shown(slurm, bob) == set(jobs), "all jobs", LONG)
        assert squeue(slurm, bob) == set(jobs)
        conf.write_text(conf.read_text().replace("PrivateData=usage\n", HIDDEN))
        slurm.ok("scontrol", "reconfigure")
        slurm.wait(lambda: shown(slurm, bob) == {other}, "their end", LONG)
    finally:
        manage(slurm, "modify", "user", olga, "set", "adminlevel=Operator")
        manage(slurm, "add", "coordinator", "account=chem", f"names={carl}")


def test_nothing_is_shown_before_it_is_known_what_is_hidden(slurm, people, jobs):
    """Also not what the daemon remembers from before."""
    bob = people[1]
    slurm.kill("maui")
    with slurm.stopped("slurmctld"):
        slurm.maui.run("serve", "-L", "5")
        for command in (("showq", "--format", "json"), ("checkjob", jobs[0]), ("showres",)):
            done = slurm.run(slurm.program, *command, user=bob,
                             env={"MAUIHOMEDIR": slurm.maui.home, "CLIENTTIMEOUT": "1"})
            assert jobs[0] not in done.stdout.split() and "secret" not in done.stdout
    slurm.maui.wait_ready()
    slurm.wait(slurm.known, "the scheduler's picture")
    assert shown(slurm, bob) == {jobs[2]}
