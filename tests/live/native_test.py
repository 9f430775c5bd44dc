# SPDX-License-Identifier: Apache-2.0
"""RMCFG[] TYPE=NATIVE: a site's programs are the resource manager. The one here is that of
examples/native: plain processes of several users."""
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

import pytest

from changes_test import Follower
from driven_clock import DrivenClock
from live_daemon import ME, Connection, Daemon
from live_users import Users
from timeline_reader import pieces, read

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "native" / "processes"
VERBS = {"nodes": "CLUSTERQUERYURL", "jobs": "WORKLOADQUERYURL", "start": "JOBSTARTURL",
         "cancel": "JOBCANCELURL", "suspend": "JOBSUSPENDURL", "resume": "JOBRESUMEURL",
         "requeue": "JOBREQUEUEURL", "modify": "JOBMODIFYURL"}
USERS = ["nobody", "games", "daemon"] if os.geteuid() == 0 else [ME]


class Native(Daemon):
    """The scheduler on top of two nodes of two processors, n1 and n2."""

    def __init__(self, program, more=""):
        super().__init__(program)
        os.chmod(self.home, 0o755)
        self.pool, self.programs = f"{self.home}/pool", f"{self.home}/programs"
        # a copy: others may not read where the tests lie
        self.example = shutil.copy(EXAMPLE, f"{self.home}/processes")
        self.output = f"{self.home}/output"
        os.mkdir(self.output)
        os.chmod(self.output, 0o777)
        subprocess.run([self.example, "init", self.pool, "n1:2,n2:2"], check=True)
        subprocess.run([self.example, "install", self.pool, self.programs], check=True)
        self.section(more)

    def section(self, more="", **urls):
        lines = [f"RMCFG[pool] {name}={urls.get(verb, f'exec://{self.programs}/{verb}')}"
                 for verb, name in VERBS.items() if urls.get(verb, "") is not None]
        self.configure("\n".join(["RMCFG[pool] TYPE=NATIVE POLLINTERVAL=1 " + more, *lines,
                                  f"ADMIN1 {ME}", "RESERVATIONPOLICY NEVER", ""]))

    def serve(self, *options):
        done = self.run("serve", "-L", "5", *options)
        assert done.returncode == 0, done.stderr

    def start(self, *options):
        self.serve(*options)
        self.wait(lambda: self.run("showq").returncode == 0, "an answer")
        return self

    def submit_as(self, user, script, *options):
        who = pwd.getpwnam(user)
        words = [self.example, "submit", self.pool, *map(str, options), "sh", "-c", script]
        if user != ME:
            words = ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}",
                     "--clear-groups", *words]
        done = subprocess.run(words, cwd=self.output, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def job(self, job):
        """As it is, or as accounting has it."""
        found = super().job(job)
        if found:
            return found
        done = self.run("checkjob", job, "--format", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def until(self, job, state):
        self.wait(lambda: self.state(job) == state, f"{state} of {job}", 60)

    def said(self, job):
        path = pathlib.Path(f"{self.output}/job.{job}.out")
        return path.read_text() if path.exists() else ""

    def adapter(self):
        children = f"/proc/{self.pid()}/task/{self.pid()}/children"
        return [int(p) for p in pathlib.Path(children).read_text().split()
                if pathlib.Path(f"/proc/{p}/comm").read_text() == "maui-native\n"]

    def replace(self, verb, script):
        """Another program in its place, at once."""
        path = f"{self.programs}/{verb}"
        with open(f"{path}.new", "w") as f:
            f.write(f"#!/bin/sh\n{script}\n")
        os.chmod(f"{path}.new", 0o755)
        os.rename(f"{path}.new", path)

    def restore(self):
        subprocess.run([self.example, "install", self.pool, self.programs], check=True)

    def log(self):
        """Without who asked what."""
        return "\n".join(l for l in super().log().splitlines() if " GET /v1" not in l)

    def rm(self):
        return self.ok("diagnose", "-R")


@pytest.fixture
def native(build):
    d = Native(build / "src" / "client" / "maui")
    yield d
    d.clean()


def test_jobs_of_several_users_start_and_end(native):
    native.start()
    jobs = {native.submit_as(user, f'id -un; echo $NODES; exit {i}'): (user, i)
            for i, user in enumerate(USERS * 2)}
    for job, (user, status) in jobs.items():
        native.until(job, "Completed")
        name, nodes = native.said(job).split()
        assert name == user and nodes in ("n1", "n2")
        assert native.job(job)["exit_status"] == status
        assert pwd.getpwuid(os.stat(f"{native.output}/job.{job}.out").st_uid).pw_name == user
        assert native.job(job)["user"] == user


def test_a_parallel_job_is_told_its_nodes_task_by_task(native):
    native.start()
    wide = native.submit_as(USERS[0], "echo $NODES", "-t", 3)
    native.until(wide, "Completed")
    assert sorted(native.said(wide).strip().split(",")) in (["n1", "n1", "n2"],
                                                             ["n1", "n2", "n2"])
    too_wide = native.submit_as(USERS[0], "true", "-t", 5)
    native.wait(lambda: native.job(too_wide), "the job")
    assert native.state(too_wide) != "Running"


def test_what_can_be_done_with_a_job(native):
    """Suspended, resumed, requeued, given more time, cancelled: and users' own."""
    native.start()
    count = f"{native.output}/count"
    job = native.submit_as(USERS[0], f"umask 0; echo x >> {count}; sleep 1000", "-l", 600)
    native.until(job, "Running")
    native.ok("mjobctl", "-s", job)
    native.until(job, "Suspended")
    native.ok("mjobctl", "-r", job)
    native.until(job, "Running")
    native.ok("mjobctl", "-m", "wclimit=1000", job)
    native.wait(lambda: "WCLIMIT=1000" in subprocess.run(
        [f"{native.programs}/jobs"], capture_output=True, text=True).stdout, "the new limit")
    native.wait(lambda: os.path.exists(count), "the first run")
    native.ok("mjobctl", "-s", job)
    native.until(job, "Suspended")
    native.replace("modify", "echo not while it is suspended; exit 1")
    assert native.run("mjobctl", "-m", "wclimit=2000", job).returncode != 0
    assert native.job(job)["wclimit_s"] == 1000  # as it was, not as it was submitted
    native.restore()
    native.ok("mjobctl", "-r", job)
    native.until(job, "Running")
    native.ok("mjobctl", "-R", job)
    native.wait(lambda: pathlib.Path(count).read_text() == "x\nx\n", "the second run", 60)
    native.until(job, "Running")
    native.ok("canceljob", job)
    native.until(job, "Removed")
    filler = [native.submit_as(USERS[0], "sleep 1000") for _ in range(4)]
    for one in filler:
        native.until(one, "Running")
    waits = native.submit_as(USERS[-1], "true")
    native.until(waits, "Idle")
    native.ok("canceljob", waits)
    native.wait(lambda: native.state(waits) in ("Removed", None), "its end")
    assert native.said(waits) == ""


def listed(native, job, field="WCLIMIT"):
    """As the site's program lists the job."""
    out = subprocess.run([f"{native.programs}/jobs"], capture_output=True, text=True).stdout
    for line in out.splitlines():
        name, *fields = line.split()
        if name == job:
            return dict(f.split("=", 1) for f in fields).get(field)
    return None


def test_the_limit_of_a_waiting_job_is_told_before_it_starts(native):
    """Taken, refused, changed there, and slow with the daemon killed amid it."""
    native.section("TIMEOUT=300")
    native.start()
    filler = [native.submit_as(USERS[0], "sleep 1000") for _ in range(4)]
    for one in filler:
        native.until(one, "Running")
    waits = native.submit_as(USERS[-1], "sleep 1000", "-l", 600)
    native.until(waits, "Idle")
    assert native.ok("mjobctl", "-m", "wclimit=900", waits) == f"job {waits} successfully modified\n"
    assert listed(native, waits) == "900" and native.job(waits)["wclimit_s"] == 900
    native.replace("modify", "echo an hour is the most; exit 1")
    refused = native.run("mjobctl", "-m", "wclimit=2:00:00", waits)
    assert refused.returncode != 0 and "an hour is the most" in refused.stdout + refused.stderr, refused
    assert "an hour is the most" in native.ok("checkjob", waits)
    assert native.job(waits)["wclimit_s"] == 900 and listed(native, waits) == "900"
    # somebody changes it there, and nothing of ours stands against that, nor after a restart
    subprocess.run([native.example, "modify", native.pool, waits, "WCLIMIT=700"], check=True)
    native.wait(lambda: native.job(waits)["wclimit_s"] == 700, "the limit of there", 60)
    native.kill()
    native.start()
    native.wait(lambda: (native.job(waits) or {}).get("wclimit_s") == 700, "the same", 60)
    # a program that takes its time: the start waits, whoever is killed
    go, asked = f"{native.home}/go", f"{native.home}/asked"
    native.replace("modify", f"touch {asked}; until [ -e {go} ]; do sleep 0.1; done\n"
                             f'exec {native.example} modify {native.pool} "$@"')
    with subprocess.Popen([native.program, "mjobctl", "-m", "wclimit=1200", waits], env=native.env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        native.wait(lambda: os.path.exists(asked), "the program", 60)
        told = native.ok("mjobctl", "-m", "messages=x", waits)  # which asks nobody
        assert told == f"job {waits} successfully modified\n"
        native.ok("canceljob", filler[0])
        native.wait(lambda: native.state(waits) == "Starting", "its turn", 60)
        native.kill()
    native.serve()  # whoever comes after waits for the end of a program that was begun
    assert listed(native, waits, "STATE") == "Idle"
    pathlib.Path(go).touch()
    native.wait(lambda: native.run("showq").returncode == 0, "an answer", 90)
    native.until(waits, "Running")
    assert listed(native, waits) == "1200" and native.job(waits)["wclimit_s"] == 1200


def test_why_a_node_takes_no_jobs_is_shown(native):
    native.replace("nodes", f"{native.example} nodes {native.pool} | "
                            "sed 's/^n1 .*STATE=[A-Za-z]*/& /; s/^n1 /n1 MESSAGE=\"a fan is broken\" /; "
                            "/^n1 /s/STATE=[A-Za-z]*/STATE=Drained/'")
    native.start()
    native.wait(lambda: "a fan is broken" in native.run("checknode", "n1").stdout, "why", 60)
    assert "fan" not in native.ok("checknode", "n2")


def rewrite(native, job, **members):
    """Its owner submits it as something else, as `qalter` of another manager would do."""
    path = pathlib.Path(f"{native.pool}/spool/{job}")
    path.write_text(json.dumps(json.loads(path.read_text()) | members))


def test_a_job_that_is_changed_there_is_the_same_job(native):
    """Two things at once, and a limit while another of ours is on its way: nobody is told that it
    was cancelled, and all that was said of it here stands, after a kill too."""
    native.start()
    filler = [native.submit_as(USERS[0], "sleep 1000") for _ in range(4)]
    for one in filler:
        native.until(one, "Running")
    waits = native.submit_as(USERS[-1], "sleep 1000", "-l", 600)
    later = native.submit_as(USERS[-1], "true")
    for one in (waits, later):
        native.until(one, "Idle")
    native.ok("setspri", "7", waits)
    native.ok("setdeadline", waits, "+9:00:00")
    native.ok("mjobctl", "-m", f"minstarttime={int(time.time()) + 36000}", waits)
    native.ok("mjobctl", "-m", "messages=mine", waits)
    native.ok("mjobctl", "-m", f"depend=afterok:{waits}", later)
    before = native.job(waits)

    def is_same(limit, procs):
        now = native.job(waits)
        return (now["wclimit_s"], now["procs"]) == (limit, procs) and all(
            now[name] == before[name] for name in ("deadline_at", "release_at", "system_priority"))
    rewrite(native, waits, tasks=2, limit=500)
    native.wait(lambda: is_same(500, 2), "both", 60)
    native.ok("mjobctl", "-m", "wclimit=700", waits)
    rewrite(native, waits, tasks=1)
    native.wait(lambda: is_same(700, 1), "ours and theirs", 60)
    native.kill()
    native.start()
    native.wait(lambda: native.job(waits) and is_same(700, 1), "the same", 60)
    rewrite(native, waits, tasks=2)
    native.wait(lambda: is_same(700, 2), "another after it", 60)
    assert "mine" in native.ok("checkjob", waits)
    assert native.job(later)["state"] == "Idle"
    if os.geteuid() == 0:  # its owner is called otherwise, or it is given to another
        other = pwd.getpwnam(USERS[0])
        os.chown(f"{native.pool}/spool/{waits}", other.pw_uid, other.pw_gid)
        native.wait(lambda: native.job(waits)["user"] == USERS[0], "its user", 60)
        assert is_same(700, 2)
    assert "JOBCANCEL" not in pathlib.Path(f"{native.home}/log/events.log").read_text()
    native.ok("mjobctl", "-m", f"minstarttime={int(time.time())}", waits)
    for one in filler[:2]:
        native.ok("canceljob", one)
    native.until(waits, "Running")
    native.ok("schedctl", "-k")
    assert "all the same" in native.ok("replay", "--verify", "--home", native.home)


def test_a_look_amid_an_order_is_not_believed(native):
    """A job that is requeued has ended for a moment, as long as the program likes."""
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    state = f"{native.pool}/state"  # goes at once: a look must not see half of it
    native.replace("requeue", f"{native.example} cancel {native.pool} $1\nsleep 3\n"
                              f"mv {state}/$1 {state}/.$1 && exec rm -r {state}/.$1")
    native.ok("mjobctl", "-R", job)
    native.wait(lambda: native.log().count(f"job '{job}': start") == 2, "its second start", 60)
    native.until(job, "Running")
    assert f"job '{job}': end" not in native.log()


def test_a_job_that_is_over_its_limit_is_ended(native):
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000", "-l", 2)
    native.until(job, "Running")
    native.wait(lambda: native.state(job) == "Removed", "its end", 60)


def test_killed_at_any_time_nothing_is_lost_or_done_twice(native):
    """Daemon and adapter by turns, while jobs come, start and end. The start is slow and
    not safe to be asked for twice: what was begun is waited for."""
    native.replace("start", f'sleep 0.3; echo "$1" >> {native.home}/started\n'
                            f'exec {native.example} start {native.pool} "$@"')
    native.start()
    jobs = []
    for turn in range(int(os.environ.get("MAUI_CHAOS_ROUNDS", "8"))):
        for user in USERS:
            jobs.append(native.submit_as(user, f"echo ran; sleep 0.{turn % 10}; exit 4"))
        time.sleep(0.13 * (turn % 7))
        if turn % 2:
            for pid in native.adapter():
                os.kill(pid, signal.SIGKILL)
        else:
            native.kill()
            native.start()
    for job in jobs:
        native.wait(lambda job=job: native.said(job) == "ran\n", f"the run of {job}", 120)
    ended = native.wait(lambda: all(
        (native.job(j) or {}).get("state") in ("Completed", None) for j in jobs), "all ends", 120)
    assert ended
    assert all(native.said(job) == "ran\n" for job in jobs)
    started = pathlib.Path(f"{native.home}/started").read_text().split()
    assert sorted(started) == sorted(jobs), "a start was asked for twice"


def test_queries_that_fail_stop_nothing_that_runs(native):
    """Hanging, printing rubbish, missing, flooding, not ours: each is said, jobs run on,
    nothing is started, and all goes on when it is mended."""
    native.section("TIMEOUT=1")
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    for broken, says in (("sleep 1000", "did not end within 1 s and was killed"),
                         ("echo what is this", "expected FIELD=VALUE"),
                         ("printf 'j1 STATE=Odd UNAME=x\\n'", "STATE=Odd"),
                         ("printf '\\377\\000\\001'", "WORKLOADQUERYURL"),
                         ("echo cannot >&2; exit 1", "cannot"),
                         ("kill -9 $$", "killed by signal 9")):
        asked = pathlib.Path(f"{native.home}/asked")
        asked.write_text("")
        native.replace("jobs", f"echo >>{asked}; {broken}")
        native.wait(lambda says=says: says in native.rm(), says, 60)
        if "echo" in broken or "printf" in broken:  # what is missed twice is gone, as a rule
            native.wait(lambda asked=asked: asked.read_text().count("\n") > 2, "more looks", 60)
        assert native.state(job) == "Running"
        late = native.submit_as(USERS[0], "true")
        native.restore()
        native.until(late, "Completed")
        assert native.state(job) == "Running"
    os.unlink(f"{native.programs}/jobs")
    native.wait(lambda: "No such file" in native.rm(), "what is missing", 60)
    assert native.state(job) == "Running"
    native.restore()
    native.until(native.submit_as(USERS[0], "true"), "Completed")


def paid(native):
    """What each run has cost in all, however often it paid on the way."""
    each = {}
    for move in json.loads(native.ok("mam-statement", "chem", "--format", "json"))["moves"]:
        if move["kind"] == "charge":
            each[move["run"]] = each.get(move["run"], 0) - move["amount"]
    return each


def test_what_nobody_could_see_costs_nothing(native):
    """Hours in which the resource manager tells nothing are not charged to a job that is
    gone when it tells again; neither if the scheduler was killed meanwhile, and whatever
    is charged on the way."""
    clock = DrivenClock(native.home)
    native.env |= clock.env
    at = int(time.time())
    clock.stand(at)
    native.section("TIMEOUT=5")
    with open(f"{native.home}/maui.cfg", "a") as f:
        f.write("AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC FLUSHINTERVAL=1:00:00\n"
                f"RMPOLLINTERVAL 1\nUSERCFG[{USERS[0]}] ADEF=chem\n")
    native.start()
    native.ok("mam-create-account", "chem")
    native.ok("mam-deposit", "chem", "1000000")
    for hour, killed in ((1, False), (3, True)):
        job = native.submit_as(USERS[0], "sleep 1000", "-l", 90000)
        native.until(job, "Running")
        at += 100
        clock.stand(at)  # for so long it is seen
        native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
        seen = native.api("/v1/scheduler")[1]["iteration"]
        native.wait(lambda: native.api("/v1/scheduler")[1]["iteration"] > seen + 1, "a look")
        said = native.log().count(": away")
        native.replace("jobs", "echo away >&2; exit 1")
        native.wait(lambda: native.log().count(": away") > said, "the silence", 60)
        at += hour * 3600
        clock.stand(at)
        native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
        seen = native.api("/v1/scheduler")[1]["iteration"]
        native.wait(lambda: native.api("/v1/scheduler")[1]["iteration"] > seen + 1, "a cycle")
        if killed:
            native.kill()
        for folder in ("spool", "state"):
            shutil.rmtree(f"{native.pool}/{folder}/{job}", ignore_errors=True)
        subprocess.run(["rm", "-f", f"{native.pool}/spool/{job}"], check=True)
        native.restore()
        if killed:
            native.start()
        native.wait(lambda: native.lines("mam-list-liens") == [], "the end", 60)
    each = paid(native)
    assert len(each) == 2 and all(90 <= amount <= 200 for amount in each.values()), each
    # nor is a start that nobody carried out, however long that took to be seen
    begun = pathlib.Path(f"{native.home}/begun")
    native.replace("start", f"echo $$ > {begun}.new; mv {begun}.new {begun}; exec sleep 1000")
    job = native.submit_as(USERS[0], "true", "-l", 90000)
    native.wait(begun.exists, "the start")
    at += 3600
    clock.stand(at)
    native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
    native.restore()
    for pid in [*native.adapter(), int(begun.read_text())]:
        os.kill(pid, signal.SIGKILL)
    native.wait(lambda: native.lines("mam-list-liens") == [], "that it is seen", 60)
    at += 100
    clock.stand(at)  # it is tried again
    native.until(job, "Completed")
    # nor one that nobody was told of, as others are leaving its nodes
    first = native.submit_as(USERS[0], "sleep 1000", "-t", 4, "-l", 90000)
    native.until(first, "Running")
    native.replace("cancel", "exec sleep 1000")
    native.ok("canceljob", first)
    job = native.submit_as(USERS[0], "true", "-t", 4, "-l", 90000)
    native.until(job, "Starting")
    at += 3600
    clock.stand(at)
    native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
    native.ok("canceljob", job)
    native.restore()
    native.wait(lambda: native.lines("mam-list-liens") == [], "the end", 60)
    # one that came about long after it was decided, while nobody could see it, and is over
    begun.unlink()
    native.replace("start", f"echo $$ $2 > {begun}.new; mv {begun}.new {begun}; exec sleep 1000")
    job = native.submit_as(USERS[0], "true", "-l", 90000)
    native.wait(begun.exists, "the start")
    at += 3600
    clock.stand(at)
    native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
    pid, tasks = begun.read_text().split()
    subprocess.run([native.example, "start", native.pool, job, tasks], check=True,
                   env=os.environ | native.env)
    native.wait(lambda: os.path.exists(f"{native.pool}/state/{job}/ended"), "its end")
    for pid in [*native.adapter(), int(pid)]:
        os.kill(pid, signal.SIGKILL)
    native.until(job, "Completed")
    native.wait(lambda: native.lines("mam-list-liens") == [], "the charge", 60)
    # and who was to wait again, and was not stopped, has one run
    native.restore()
    native.replace("requeue", "echo not that one >&2; exit 1")
    job = native.submit_as(USERS[0], "sleep 1000", "-l", 90000)
    native.until(job, "Running")
    for again in (True, False):
        at += 80
        clock.stand(at)
        native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
        if again:
            native.ok("mjobctl", "-R", job)
            native.wait(lambda: "not that one" in native.log(), "the refusal", 60)
            native.until(job, "Running")
    native.ok("canceljob", job)
    native.wait(lambda: native.lines("mam-list-liens") == [], "the end", 60)
    each = paid(native)
    assert all(amount <= 200 for amount in each.values()), each
    assert [amount >= 160 for run, amount in each.items() if run.startswith(f"{job}.")] == [True]
    # nor who ended by itself before it was stopped, suspended for a while or not, as its
    # next start waited for that
    native.replace("requeue", "exit 0")
    go = pathlib.Path(f"{native.output}/go")
    job = native.submit_as(USERS[0], f"until test -e {go}; do sleep 0.1; done", "-l", 90000)
    native.until(job, "Running")
    at += 80
    clock.stand(at)
    native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
    native.ok("mjobctl", "-R", job)
    native.wait(lambda: native.log().count(f"job '{job}': start") == 2, "its next start", 60)
    for verb in ("suspend", "resume"):
        subprocess.run([native.example, verb, native.pool, job], check=True)
        seen = native.api("/v1/scheduler")[1]["iteration"]
        native.wait(lambda: native.api("/v1/scheduler")[1]["iteration"] > seen + 1, "a look")
    at += 80
    clock.stand(at)
    native.wait(lambda: native.api("/v1/scheduler")[1]["at"] == at, "the time")
    go.touch()
    native.until(job, "Completed")
    native.wait(lambda: native.lines("mam-list-liens") == [], "the charge", 60)
    each = paid(native)
    assert [160 <= amount <= 200 for run, amount in each.items()
            if run.startswith(f"{job}.")] == [True], each


def test_what_was_acknowledged_is_carried_out_though_the_daemon_is_killed(native):
    """More than are carried out at a time, which take their time."""
    native.replace("cancel", f'sleep 1.5; exec {native.example} cancel {native.pool} "$@"')
    native.start()
    native.ok("schedctl", "-s")
    jobs = [native.submit_as(USERS[0], "true") for _ in range(13)]
    native.until(jobs[-1], "Idle")
    native.ok("canceljob", *jobs[1:])
    native.kill()
    for job in jobs[1:]:
        native.wait(lambda: listed(native, job, "STATE") == "Removed", job, 30)
    assert listed(native, jobs[0], "STATE") == "Idle"


def test_what_came_of_a_lost_start_is_what_is_told(native):
    """It has come about where its job is on nodes, or suspended; nobody knows where the job
    cannot be read; and where it has not, what was changed meanwhile is not forgotten."""
    folder = pathlib.Path(native.home)
    native.replace("start", f"echo $$ > {folder}/$1.new; mv {folder}/$1.new {folder}/$1.begun; "
                            "exec sleep 1000")
    native.start()
    starts, sleeps, odd, changed = jobs = [
        native.submit_as(USERS[0], "true", "-l", 90000) for _ in range(4)]
    native.wait(lambda: len(list(folder.glob("*.begun"))) == 4, "the starts", 60)
    with open(f"{native.pool}/spool/{changed}", "r+", encoding="utf-8") as f:
        request = json.load(f) | {"tasks": 2}
        f.seek(0)
        f.write(json.dumps(request) + " " * 20)
    looks = folder / "looks"
    native.replace("jobs", f"echo >> {looks}; exec {native.example} jobs {native.pool}")
    native.wait(lambda: looks.exists() and len(looks.read_text()) > 2, "that it is told", 60)
    native.restore()
    where = f"TASKLIST=n1 STARTTIME={int(time.time())}"
    native.replace("jobs", f"{native.example} jobs {native.pool} | sed "
                   f"-e 's/^{starts} STATE=Idle/{starts} STATE=Starting {where}/' "
                   f"-e 's/^{sleeps} STATE=Idle/{sleeps} STATE=Suspended {where}/' "
                   f"-e 's/^{odd} STATE=Idle/{odd} STATE=Odd/'")
    for pid in [*native.adapter(), *(int(f.read_text()) for f in folder.glob("*.begun"))]:
        os.kill(pid, signal.SIGKILL)
    native.wait(lambda: native.state(sleeps) == "Suspended", "that all is told", 60)
    native.wait(lambda: native.job(changed)["requests"][0]["tasks"] == 2, "the change", 60)
    late = native.submit_as(USERS[0], "true")
    native.until(late, "Completed")
    assert [native.state(j) for j in jobs[:3]] == ["Starting", "Suspended", "Starting"]
    assert not any(f"job '{j}': defer" in native.log() for j in jobs[:3])
    native.restore()
    for job in jobs:
        native.until(job, "Completed")


def test_rubbish_is_not_everything_that_there_is(native):
    """Who has just begun knows of no job: a query that prints no record at all, and ends
    well, is none by which jobs are gone."""
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    native.replace("jobs", "echo no connection to the pool")
    native.kill()
    native.serve()  # commands wait for the first picture
    native.wait(lambda: "expected FIELD=VALUE" in native.log(), "what is wrong", 60)
    native.restore()
    native.until(native.submit_as(USERS[0], "true"), "Completed")
    assert native.state(job) == "Running"
    assert "no longer known" not in native.log()


def test_a_list_that_is_short_for_a_moment_loses_no_job(native):
    """What two looks do not list is gone: they are as far apart as looks are."""
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    first = f"{native.home}/first"
    native.replace("jobs", f"now=$(date +%s%3N)\n[ -s {first} ] || echo $now >{first}\n"
                           f"[ $((now - $(cat {first}))) -lt 300 ] && exit 0\n"
                           f"exec {native.example} jobs {native.pool}")
    native.wait(lambda: os.path.exists(first), "a look", 60)
    native.until(native.submit_as(USERS[0], "true"), "Completed")
    assert native.state(job) == "Running"
    assert "no longer known" not in native.log()


def _is_running(native, job):
    listing = subprocess.run([native.example, "jobs", native.pool], capture_output=True,
                             text=True).stdout
    return f"{job} STATE=Running" in listing


def told_first(native, job):
    """The listing in another order."""
    listing = f"{native.example} jobs {native.pool}"
    native.replace("jobs", f"{listing} | sed -n '/^{job} /p'; {listing} | sed '/^{job} /d'")


@pytest.mark.parametrize("first", ["next", "its"])
def test_a_job_that_was_gone_for_a_while_has_not_ended_for_who_depends_on_it(native, first):
    """Nor when the daemon looks again, after a restart, at how those have ended that others
    wait for, be it before it is told of them."""
    native.start()
    job = native.submit_as(USERS[0], f"until [ -e {native.output}/enough ]; do sleep 0.1; done",
                           "-l", 900)
    native.until(job, "Running")
    others = [native.submit_as(USERS[0], "sleep 1000") for _ in range(3)]
    for other in others:
        native.until(other, "Running")
    next_job = native.submit_as(USERS[0], "true")
    native.until(next_job, "Idle")
    native.ok("sethold", "-u", next_job)
    native.replace("jobs", f"{native.example} jobs {native.pool} | sed '/^{job} /d'")
    native.wait(lambda: native.state(job) == "Vacated", "its being gone", 60)
    native.restore()
    native.until(job, "Running")
    native.ok("mjobctl", "-m", f"depend=afterok:{job}", next_job)
    native.kill()
    told_first(native, next_job if first == "next" else job)
    native.start()
    native.until(job, "Running")
    native.ok("releasehold", "-u", next_job)
    assert "no longer be satisfied" not in native.ok("checkjob", next_job)
    pathlib.Path(native.output, "enough").touch()
    native.until(next_job, "Completed")


@pytest.mark.parametrize("restarted", [False, True])
def test_who_waits_for_a_job_that_was_gone_for_a_while_waits_on(native, restarted):
    native.start()
    job = native.submit_as(USERS[0], f"until [ -e {native.output}/enough ]; do sleep 0.1; done",
                           "-t", 4, "-l", 900)
    native.until(job, "Running")
    next_job = native.submit_as(USERS[0], "true")
    native.until(next_job, "Idle")
    native.ok("mjobctl", "-m", f"depend=afterok:{job}", next_job)
    native.replace("jobs", f"{native.example} jobs {native.pool} | sed '/^{job} /d'")
    native.wait(lambda: native.state(job) == "Vacated", "its being gone", 60)
    if restarted:
        native.kill()
        native.start()
    assert "no longer be satisfied" in native.ok("checkjob", next_job)
    native.restore()
    native.wait(lambda: "waits for it" in native.ok("checkjob", next_job), "its return")
    pathlib.Path(native.output, "enough").touch()
    native.until(next_job, "Completed")


@pytest.mark.parametrize("first", ["next", "its"])
@pytest.mark.parametrize("word, status, state", [
    ("afterok", 1, "Idle"), ("afternotok", 1, "Completed"), ("afternotok", 0, "Idle"),
    ("afterok", 0, "Completed"), ("afterany", 1, "Completed")])
def test_what_ended_while_the_daemon_was_away_has_ended_for_who_depends_on_it(
        native, first, word, status, state):
    """Whichever of the two is told first when it is back."""
    native.start()
    job = native.submit_as(USERS[0], f"until [ -e {native.output}/enough ]; do sleep 0.1; done; "
                           f"exit {status}")
    others = [native.submit_as(USERS[0], "sleep 1000") for _ in range(3)]
    for one in (job, *others):
        native.until(one, "Running")
    next_job = native.submit_as(USERS[0], "true")
    native.until(next_job, "Idle")
    native.ok("sethold", "-u", next_job)
    native.ok("mjobctl", "-m", f"depend={word}:{job}", next_job)
    native.kill()
    pathlib.Path(native.output, "enough").touch()
    native.wait(lambda: not _is_running(native, job), "its end")
    told_first(native, next_job if first == "next" else job)
    native.start()
    native.ok("releasehold", "-u", next_job)
    late = native.submit_as(USERS[0], "true")
    native.until(late, "Completed")
    if state == "Completed":
        native.until(next_job, state)
    else:
        assert native.state(next_job) == state
        assert "no longer be satisfied" in native.ok("checkjob", next_job)


def test_one_record_that_is_wrong_stops_nothing(native):
    native.replace("jobs", f"echo 'bad1 STATE=Idle'; exec {native.example} jobs {native.pool}")
    native.start()
    job = native.submit_as(USERS[0], "true")
    native.until(job, "Completed")
    assert "bad1: it has no UNAME=" in native.rm()


def test_a_record_that_cannot_be_read_frees_no_nodes(native):
    """Also where the adapter has just begun, and knows of no job."""
    native.start()
    jobs = [native.submit_as(USERS[0], "sleep 1000") for _ in range(4)]
    for job in jobs:
        native.until(job, "Running")
    # all but one of them as before
    native.replace("jobs", f"{native.example} jobs {native.pool} | sed 's/^{jobs[0]} .*/{jobs[0]} "
                           "STATE=Odd UNAME=x/'")
    old = native.adapter()
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    native.wait(lambda: native.adapter() and native.adapter() != old, "another adapter", 60)
    late = native.submit_as(USERS[0], "true")
    native.wait(lambda: native.job(late), "a look", 60)
    assert native.state(jobs[0]) == "Running" and native.said(late) == ""
    native.restore()
    native.ok("canceljob", jobs[1])
    native.until(late, "Completed")
    assert native.state(jobs[0]) == "Running"
    assert "no longer known" not in native.log()


def test_a_job_of_unknown_state_that_ran_is_not_started_again(native):
    native.start()
    job = native.submit_as(USERS[0], "echo begun; sleep 1000")
    native.until(job, "Running")
    native.replace("jobs", f"{native.example} jobs {native.pool} | sed 's/^{job} .*/{job} "
                           f"STATE=Unknown UNAME={USERS[0]}/'")
    late = native.submit_as(USERS[0], "true")
    native.until(late, "Completed")
    assert native.state(job) == "Running" and native.said(job) == "begun\n"
    native.restore()
    native.until(native.submit_as(USERS[0], "true"), "Completed")
    assert native.state(job) == "Running" and native.said(job) == "begun\n"


def test_a_job_of_unknown_state_is_not_started_by_an_adapter_that_has_just_begun(native):
    """It knows of no job; the daemon does. One that nobody knows waits until it is told."""
    native.start()
    job = native.submit_as(USERS[0], "echo begun; sleep 1000")
    native.until(job, "Running")
    native.replace("jobs", f"{native.example} jobs {native.pool} | sed -E 's/^({job}|new) .*/\\1 "
                           f"STATE=Unknown UNAME={USERS[0]}/'; echo new STATE=Unknown UNAME={USERS[0]}")
    old = native.adapter()
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    native.wait(lambda: native.adapter() and native.adapter() != old, "another adapter", 60)
    late = native.submit_as(USERS[0], "true")
    native.until(late, "Completed")
    assert native.state(job) == "Running" and native.said(job) == "begun\n"
    assert native.log().count(f"job '{job}': start") == 1
    native.wait(lambda: "STATE=Unknown" in native.ok("diagnose", "-R"), "that it is said", 60)
    assert not native.job("new")
    native.restore()
    native.until(native.submit_as(USERS[0], "true"), "Completed")
    assert native.state(job) == "Running" and native.said(job) == "begun\n"


def test_a_start_that_is_refused_or_hangs_is_said(native):
    native.section("TIMEOUT=1")
    native.replace("start", "echo the moon is full >&2; exit 1")
    native.start()
    job = native.submit_as(USERS[0], "true")
    native.wait(lambda: "the moon is full" in native.run("checkjob", job).stdout, "why", 60)
    assert native.said(job) == ""
    native.restore()
    native.ok("releasehold", "-a", job)
    native.until(job, "Completed")
    native.replace("start", "sleep 1000")
    hangs = native.submit_as(USERS[0], "true")
    native.wait(lambda: "did not end within 1 s" in native.run("checkjob", hangs).stdout, "why", 60)
    # half-way: it fails after the job was started, and that is seen
    native.replace("start", f'{native.example} start {native.pool} "$@"; exit 1')
    half = native.submit_as(USERS[0], "sleep 1000")
    native.until(half, "Running")


def test_an_order_for_a_running_job_is_done_when_its_program_says_so(native):
    """That the job runs says nothing of it, neither while the program works nor later."""
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    native.replace("suspend", "sleep 3; echo not on a Sunday >&2; exit 1")
    native.run("mjobctl", "-s", job)
    native.wait(lambda: "not on a Sunday" in native.log(), "why not", 60)
    assert native.state(job) == "Running"


@pytest.mark.parametrize("program, says", [
    ("echo never >&2; exit 1", "never"), ("exit 0", "it was cancelled, and is not seen to end after 2 s")])
def test_a_cancel_is_asked_for_until_the_job_is_over(native, program, says):
    """By a program that refuses, or forgets; until then nobody else has its nodes."""
    native.section("STARTWAIT=2\nRMPOLLINTERVAL 1")
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000", "-t", 4)
    native.until(job, "Running")
    native.replace("cancel", f"echo >> {native.home}/asked; {program}")
    native.ok("canceljob", job)
    late = native.submit_as(USERS[-1], "true", "-t", 4)
    native.wait(lambda: f"did not cancel job '{job}': {says}" in native.log(), "what is wrong", 60)
    native.wait(lambda: len(pathlib.Path(f"{native.home}/asked").read_text()) > 2, "that it is asked for again", 60)
    assert native.said(late) == "" and listed(native, late, "STATE") == "Idle"
    native.restore()
    native.until(job, "Removed")
    native.until(late, "Completed")
    assert listed(native, job, "STATE") == "Removed"


def test_what_is_cancelled_for_its_limit_is_so_once_and_never_starts_again(native):
    """Its manager refuses to end it: it is asked less and less often, and what it is sent back to is no start."""
    native.section("STARTWAIT=2\nRMPOLLINTERVAL 1\nJOBMAXOVERRUN 0")
    native.start()
    log = pathlib.Path(f"{native.home}/log/events.log")
    job = native.submit_as(USERS[0], f"echo >> {native.home}/ran; sleep 1000", "-t", 1, "-l", 3)
    pathlib.Path(native.home, "ran").touch()
    os.chmod(f"{native.home}/ran", 0o666)
    native.until(job, "Running")
    native.replace("cancel", f"echo >> {native.home}/asked; echo never >&2; exit 1")
    native.wait(lambda: "does not end it: never" in native.ok("checkjob", job), "the refusal", 60)
    time.sleep(8)
    assert native.state(job) == "Running"
    assert len(pathlib.Path(f"{native.home}/asked").read_text()) < 6
    assert log.read_text().count(f"job '{job}' was cancelled, and runs on") == 1
    native.kill()
    native.start()  # the rest of its node, and the other one, are anybody's
    others = [native.submit_as(USERS[-1], "sleep 1000", "-t", 1) for _ in range(3)]
    for other in others:
        native.until(other, "Running")
    assert native.state(job) == "Running"
    for other in others:
        native.ok("canceljob", other)
    subprocess.run([native.example, "requeue", native.pool, job], check=True)
    native.wait(lambda: native.state(job) == "Removed", "that it is gone again", 60)
    time.sleep(4)
    assert native.state(job) == "Removed" and native.said(job).count("\n") <= 1
    assert log.read_text().count(f"job '{job}' was cancelled, and runs on") == 1
    native.restore()


def test_cancels_of_waiting_jobs_that_are_refused_are_counted(native):
    """No list has these jobs any more, and they are not started: administrators are to know."""
    native.section("STARTWAIT=2\nRMPOLLINTERVAL 1")
    native.start()
    native.until(native.submit_as(USERS[0], "sleep 1000", "-t", 4), "Running")
    native.replace("cancel", "echo never >&2; exit 1")
    first, second = (native.submit_as(USERS[0], "true", "-t", 4) for _ in range(2))
    for job in (first, second):
        native.until(job, "Idle")
    native.ok("canceljob", first)
    native.wait(lambda: f"WARNING:  cancel: that of job '{first}' is refused" in native.rm(), "that one is told", 60)
    native.ok("canceljob", second)
    native.wait(lambda: f"cancel: those of 2 jobs are refused, as of '{first}'" in native.rm(), "the number", 60)
    native.restore()
    native.wait(lambda: "refused" not in native.rm(), "that they are gone", 60)


def test_a_job_whose_cancel_is_refused_runs_for_all_to_see(native):
    """Its nodes are nobody's until it is over, and who was to start there starts elsewhere. It is
    asked for less and less often, also when the daemon was killed meanwhile, and paid for once."""
    native.section("STARTWAIT=5\nRMPOLLINTERVAL 1\nUSERCFG[DEFAULT] ADEF=chem\nQOSCFG[high] PRIORITY=1\n"
                   "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC")
    native.start()
    native.ok("mam-create-account", "chem")
    native.ok("mam-deposit", "chem", "1000000")
    stays, goes = (native.submit_as(USERS[0], "sleep 1000", "-t", 2) for _ in range(2))
    for job in (stays, goes):
        native.until(job, "Running")
    began = native.job(stays)["start_at"]
    node = native.job(stays)["allocation"][0]["node"]
    refuses = (f'case "$*" in *{stays}*) echo >> {native.home}/asked; echo never >&2; exit 1;; esac; '
               f'exec {native.example} cancel {native.pool} "$@"')
    native.replace("cancel", refuses)
    native.ok("setqos", "high", stays)  # its manager does not know
    native.ok("canceljob", stays)
    late = native.submit_as(USERS[-1], "sleep 1000", "-t", 2)

    def is_shown():
        return native.state(stays) == "Running" and "does not end it: never" in native.ok("checkjob", stays)
    native.wait(is_shown, "that it runs", 60)
    assert native.job(stays)["qos"] == "high" and f"cancel: that of job '{stays}' is refused" in native.rm()
    assert stays in native.ok("showq") and native.said(late) == ""
    assert f"job '{stays}' was cancelled, and runs on" in pathlib.Path(f"{native.home}/log/events.log").read_text()
    native.wait(lambda: native.state(late) == "Idle", "that it waits again", 60)
    native.ok("canceljob", goes)
    native.until(late, "Running")
    assert native.job(late)["allocation"][0]["node"] != node
    # cancelled once: asked again, counted and told no second time, and not sent back to start anew
    assert "was cancelled before, and the resource manager does not end it: never; it is asked again" in native.ok("canceljob", stays)
    assert is_shown()
    done = native.run("mjobctl", "-R", stays)
    assert done.returncode == 1 and "was cancelled, and its resource manager does not end it" in done.stderr
    native.kill()
    native.start()
    native.wait(is_shown, "that it runs, later", 60)
    assert native.job(stays)["qos"] == "high"
    asked = len(pathlib.Path(f"{native.home}/asked").read_text())
    time.sleep(6)
    assert len(pathlib.Path(f"{native.home}/asked").read_text()) < asked + 3
    told = pathlib.Path(f"{native.home}/log/events.log").read_text()
    assert "went while nobody looked" not in told and told.count(f"job '{stays}' is Removed") == 1
    assert told.count(f"job '{stays}' was submitted") == 1 == told.count(f"job '{stays}' was cancelled, and runs on")
    native.restore()
    native.ok("canceljob", stays)
    native.until(stays, "Removed")
    status, row = native.api(f"/v1/accounting?job={stays}")
    assert row["start_at"] == began and row["end_at"] >= began + 6, row
    native.wait(lambda: stays not in [lien["job"] for lien in native.lines("mam-list-liens")], "the charges")
    moves = json.loads(native.ok("mam-statement", "chem", "--format", "json"))["moves"]
    paid = -sum(m["amount"] for m in moves if m["kind"] == "charge" and m["run"].startswith(f"{stays}."))
    assert 0 < paid <= 2 * (native.api("/v1/scheduler")[1]["at"] - began + 1), moves


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root can give a job to another user")
def test_what_was_ordered_is_not_done_to_another_job_of_that_id(native):
    """The manager has lost its queue, and gives its ids again."""
    native.section("STARTWAIT=2\nRMPOLLINTERVAL 1")
    native.start()
    native.until(native.submit_as(USERS[1], "sleep 1000", "-t", 4), "Running")
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Idle")
    native.replace("cancel", "echo never >&2; exit 1")
    native.ok("canceljob", job)
    native.wait(lambda: f"did not cancel job '{job}'" in native.log(), "that it is refused", 60)
    path, other = f"{native.pool}/spool/{job}", pwd.getpwnam(USERS[1])
    os.utime(path, (time.time() + 5, time.time() + 5))
    os.chown(path, other.pw_uid, other.pw_gid)
    native.wait(lambda: native.state(job) == "Idle" and native.job(job)["user"] == USERS[1], "the other", 60)
    assert f"job '{job}' is another one by now, of {USERS[1]}: it is not told to cancel" in native.log()
    native.restore()
    time.sleep(4)
    assert native.state(job) == "Idle"


@pytest.mark.parametrize("restart", [False, True], ids=["at-once", "after-a-restart"])
def test_what_was_ordered_is_not_done_to_another_command_of_that_id(native, restart):
    """The same user's. One that runs the same was requeued: it is still to go."""
    path, asked = pathlib.Path(f"{native.home}/jobs"), pathlib.Path(f"{native.home}/asked")
    first, user = int(time.time()) - 100, USERS[0]

    def tell(**jobs):
        lines = [f"{job[1:]} UNAME={user} TASKS=1 WCLIMIT=6000 QUEUETIME={at} EXEC={runs} STATE=Idle"
                 for job, (at, runs) in jobs.items()]
        new = path.with_suffix(".new")
        new.write_text("\n".join([*lines, ""]))
        new.rename(path)
    tell(j7=(first, "/a"), j9=(first, "/a"))
    native.section("STARTWAIT=300\nRMPOLLINTERVAL 1", jobs=f"file://{path}")
    native.replace("start", "echo later >&2; exit 1")
    native.replace("cancel", f'echo "$*" >> {asked}; echo never >&2; exit 1')
    native.start()
    for job in (7, 9):
        native.until(job, "Idle")
        native.ok("canceljob", job)
    for job in (7, 9):
        native.wait(lambda: f"did not cancel job '{job}'" in native.log(), "that it is refused", 60)
    if restart:
        native.kill()
    tell(j7=(first + 60, "/b"), j9=(first + 60, "/a"))
    if restart:
        native.start()
    native.wait(lambda: f"job '7' is another one by now, of {user}: it is not told to cancel" in native.log(), "that", 60)
    native.until(7, "Idle")
    asked.unlink()

    def told():  # a user's name may have any figure in it
        return {line.split()[0] for line in asked.read_text().splitlines()} if asked.exists() else set()
    native.wait(lambda: "9" in told(), "that the other is asked for once more", 60)
    assert told() == {"9"} and "job '9' is another one" not in native.log()
    assert native.state(7) == "Idle"


@pytest.mark.parametrize("restart", [False, True], ids=["at-once", "after-a-restart"])
def test_an_id_that_its_user_has_again_for_another_command_is_a_new_job(native, restart):
    """A requeue dates a job anew, and does not change what it runs."""
    path = pathlib.Path(f"{native.home}/jobs")
    first, user = int(time.time()) - 100, USERS[0]

    def tell(*jobs):
        lines = [f"{job} UNAME={user} TASKS={tasks} WCLIMIT=6000 QUEUETIME={at} EXEC={runs} {more}"
                 for job, tasks, at, runs, more in jobs]
        new = path.with_suffix(".new")
        new.write_text("\n".join([*lines, ""]))
        new.rename(path)
    def runs(start):
        return f"STATE=Running TASKLIST=n1:n1:n2:n2 STARTTIME={start}"
    waits = "STATE=Idle"
    tell((7, 4, first, "/a", runs(first)), (8, 1, first, "/a", waits), (9, 1, first, "/a", waits),
         (10, 1, first, "/a", waits))
    native.section("STARTWAIT=300\nRMPOLLINTERVAL 1", jobs=f"file://{path}")
    native.start()
    native.until(7, "Running")
    for job in (8, 9, 10):
        native.until(job, "Idle")
        native.ok("setspri", "77", job)
    if restart:
        native.kill()
    again = first + 60
    tell((7, 4, again, "/b", runs(again)), (8, 1, again, "/b", waits), (9, 1, again, "/a", waits),
         (10, 1, again, "/b", f"STATE=Completed STARTTIME={again} COMPLETIONTIME={again + 1} TASKLIST=n1"))
    if restart:
        native.start()
    native.wait(lambda: native.job(8) and not native.job(8).get("system_priority"), "the new one", 60)
    native.wait(lambda: native.job(7)["start_at"] == again, "its run", 60)
    assert native.job(9)["system_priority"] == 77  # requeued
    def ends(job):
        return [(j["state"], j["submit_at"]) for j in native.lines("showq", "-c") if j["id"] == str(job)]
    native.wait(lambda: ends(7) and (not restart or ends(10)), "their ends", 60)
    assert ends(7) == [("Vacated", first)]
    if restart:  # of the former, which never ran: of the other nobody here had heard
        assert [state for state, _ in ends(10)] == ["Vacated"]


def test_files_may_hold_nodes(native):
    path = f"{native.home}/nodes"
    with open(path, "w") as f:
        f.write("# the machine room\nn1 STATE=Idle CPROC=2 FEATURE=fast:big\n\n"
                "n2 STATE=Idle CPROC=2 CMEMORY=4096\n")
    native.section(nodes=f"file://{path}")
    native.start()
    native.until(native.submit_as(USERS[0], "true", "-t", 4), "Completed")
    assert "fast" in native.ok("checknode", "n1")
    with open(f"{path}.new", "w") as f:
        f.write("n1 STATE=Down CPROC=2\nn2 STATE=Idle CPROC=2\n")
    os.rename(f"{path}.new", path)
    native.wait(lambda: "Down" in native.ok("checknode", "n1"), "the node's state")
    connection = Connection(f"{native.home}/api.sock", 60)
    connection.request("GET", "/v1/timeline?layers=down&as=pieces")
    down, = pieces(connection.getresponse().read())
    connection.close()
    assert down["kind"] == "down" and down["rows"] == (0, 0) and down["procs"] == 2
    if os.geteuid() == 0:  # since when is not for users
        native.wait(lambda: native.api("/v1/identity")[1]["at"] > down["start"] + 1, "a second")
        data = Users(native, programs=False).fetch("nobody", "/v1/timeline?layers=down&as=pieces")[1]
        assert [p["start"] for p in pieces(data)] == [read(data)[0]["at"]]
    assert [g["name"] for g in native.api("/v1/rows?by=state")[1]["groups"]] == ["Down", "up"]


def test_what_runs_cost_that_lost_a_node_is_given_back_once(native):
    path = f"{native.home}/nodes"
    up, lost = "n1 STATE=Idle CPROC=2\n", "n1 STATE=Down CPROC=2\n"
    rest = "n2 STATE=Idle CPROC=2\n"

    def tell(text):
        with open(f"{path}.new", "w") as f:
            f.write(text)
        os.rename(f"{path}.new", path)

    tell(up + rest)
    native.section(nodes=f"file://{path}")
    with open(f"{native.home}/maui.cfg", "a") as f:
        f.write("AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC FLUSHINTERVAL=0\n"
                "USERCFG[DEFAULT] ADEF=chem\nNODEALLOCATIONPOLICY FIRSTAVAILABLE\n")
    native.start()
    native.ok("mam-create-account", "chem")
    native.ok("mam-deposit", "chem", "100h")
    since = native.api("/v1/identity")[1]["at"]
    jobs = []
    for _ in range(3):  # the third has to go to n2
        jobs.append(native.submit_as(USERS[0], "sleep 600", "-t", 1))
        native.until(jobs[-1], "Running")
    ended, again, well = jobs
    told = ("mam-refund", "--node-failures", "--since", since)
    assert "no run has ended since" in native.ok(*told, "-n")
    tell(lost + rest)
    native.wait(lambda: "Down" in native.ok("checknode", "n1"), "the node's state")
    native.wait(lambda: native.api("/v1/identity")[1]["at"] > since + 1, "a second")
    native.ok("mjobctl", "-R", again)
    for job in (ended, well):
        native.ok("canceljob", job)

    def losses():
        return native.lines(*told, "-n")

    native.wait(lambda: len(losses()) == 2 and
                {lien["job"] for lien in native.lines("mam-list-liens")} <= {again}, "the ends")
    assert {run["run"].split(".")[0] for run in losses()} == {ended, again}
    paid = sum(run["rest"] for run in losses())
    assert paid > 0 and all(run["refunded"] == 0 for run in losses())
    before = native.lines("mam-balance", "chem")[0]["balance"]
    assert "2 runs that lost a node" in native.ok(*told)
    assert native.lines("mam-balance", "chem")[0]["balance"] == pytest.approx(before + paid)
    for words in ((), ("--request", "x"), ("--request", "x")):
        again_told = json.loads(native.ok(*told, *words, "--format", "json"))
        assert again_told["message"].startswith("0 credits given back")
    assert native.lines("mam-balance", "chem")[0]["balance"] == pytest.approx(before + paid)
    assert json.loads(native.ok("am", "check", "--format", "json"))["problems"] == []


def test_check_refuses_what_serve_does(native):
    """The same sentence from both."""
    good = native.programs
    odd, loose = f"{native.home}/odd", f"{native.home}/loose"
    for path, mode in ((odd, 0o644), (loose, 0o757)):
        shutil.copy(f"{good}/nodes", path)
        os.chmod(path, mode)
    open_folder = f"{native.home}/open"
    os.mkdir(open_folder)
    shutil.copy(f"{good}/nodes", open_folder)
    os.symlink(f"{good}/nodes", f"{open_folder}/link")  # whoever likes points it elsewhere
    os.chmod(open_folder, 0o777)
    os.symlink("open", f"{native.home}/way")
    wrong = [({"nodes": None}, "CLUSTERQUERYURL=exec:///PROGRAM"),
             ({"cancel": None}, "JOBCANCELURL=exec:///PROGRAM"),
             ({"jobs": "http://site/jobs"}, "expected exec:///PROGRAM or file:///FILE"),
             ({"start": f"file://{good}/start"}, "expected exec:///PROGRAM, an absolute path"),
             ({"start": "exec://start"}, "expected exec:///PROGRAM"),
             ({"suspend": f"exec://{good}/none"}, "No such file"),
             ({"nodes": f"exec://{odd}"}, "cannot be executed"),
             ({"nodes": f"exec://{loose}"}, "can be written by everybody"),
             ({"nodes": f"exec://{open_folder}/nodes"}, "can be written by everybody"),
             ({"nodes": f"exec://{open_folder}/link"}, "can be written by everybody"),
             ({"nodes": f"exec://{native.home}/way/../way/link"}, "can be written by everybody"),
             ({"nodes": f"exec://{good}"}, "is not a file")]
    if os.geteuid() == 0:
        theirs = f"{native.home}/theirs"
        shutil.copy(f"{good}/nodes", theirs)
        os.chown(theirs, 65534, 65534)
        wrong.append(({"nodes": f"exec://{theirs}"}, "belongs to the user 65534"))
    for urls, says in wrong:
        native.section(**urls)
        checked = native.run("check", "-c", f"{native.home}/maui.cfg")
        served = native.run("serve")
        assert checked.returncode == 1 and says in checked.stdout, (urls, checked)
        assert served.returncode != 0 and says in served.stderr, (urls, served)
    native.section(suspend=None, resume=None, requeue=None, modify=None)
    assert native.run("check", "-c", f"{native.home}/maui.cfg").returncode == 0
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    native.run("mjobctl", "-s", job)
    native.wait(lambda: "names no program for that" in native.log(), "why not")
    assert native.state(job) == "Running"


def test_what_a_user_leaves_in_the_spool_harms_nobody_else(native):
    spool = f"{native.pool}/spool"
    fine = {"argv": ["true"], "directory": "/", "tasks": 1, "limit": 60, "name": "x"}
    odd = {"p1": '{"argv": ["true"], "directory": "/", "limit": 60, "name": "x", "tasks": 1e999}',
           "p2": "[" * 60000, "p3": json.dumps({**fine, "tasks": "\n1\n"}),
           "p4": json.dumps({**fine, "limit": 10 ** 400}), "p5": json.dumps({**fine, "tasks": 1.5}),
           "p6": json.dumps({**fine, "name": "e\u0301"}), "p" * 200: json.dumps(fine),
           "p7": "\0", "p8": "[]", "p9": json.dumps({**fine, "tasks": True})}
    for name, text in odd.items():
        pathlib.Path(f"{spool}/{name}").write_text(text)
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    native.until(job, "Running")
    lines = subprocess.run([f"{native.programs}/jobs"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [job]
    # what was started is known by what the scheduler's side keeps
    os.unlink(f"{spool}/{job}")
    native.until(native.submit_as(USERS[-1], "true"), "Completed")
    assert native.state(job) == "Running"
    native.ok("canceljob", job)
    native.until(job, "Removed")


def test_a_port_wakes_it(native):
    """Looks are an hour apart: whoever connects from this machine makes one follow."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    native.section(f"EPORT={port}\nRMPOLLINTERVAL 3600")
    path = pathlib.Path(f"{native.home}/maui.cfg")
    path.write_text(path.read_text().replace("POLLINTERVAL=1 ", "POLLINTERVAL=3600 "))
    native.start()
    job = native.submit_as(USERS[0], "sleep 1000")
    time.sleep(1)
    assert native.job(job) is None and listed(native, job, "STATE") == "Idle"
    with socket.create_connection(("127.0.0.1", port), 5):
        native.until(job, "Running")


def test_msub_says_who_takes_jobs(native):
    native.start()
    done = native.run("msub", "-l", "walltime=100", "--", "true")
    assert done.returncode == 1
    assert "submitted with this resource manager's own commands" in done.stderr
    asked = native.run("whatif", "msub", "-l", "walltime=100", "--", "true")
    assert asked.returncode == 1 and asked.stderr == done.stderr
    asked = native.run("whatif", "msub", "-t", "1-2", "-l", "walltime=100", "--", "true")
    assert asked.returncode == 1 and "it takes no arrays" in asked.stderr


def test_a_page_hears_that_a_node_is_away_for_another_reason(native):
    """All else that is told of it stays the same."""
    def drain(why):
        native.replace("nodes", f"echo 'n1 STATE=Drained CPROC=2 APROC=2 MESSAGE=\"{why}\"'")

    drain("a fan")
    native.start()
    native.wait(lambda: "a fan" in str(native.api("/v1/nodes/n1")[1]), "the first reason", 30)
    follower = Follower(native, "?kinds=node")
    try:
        drain("its power")
        native.wait(lambda: "its power" in str(native.api("/v1/nodes/n1")[1]), "another", 30)
        native.wait(lambda: "its power" in str(follower.of("node")), "the follower", 10)
    finally:
        follower.stop()


def test_who_was_failed_does_not_wait_for_a_later_job_of_that_id(native):
    """Ids may be given again: a stranger's end says nothing of the job that was meant."""
    native.start()
    job = native.submit_as(USERS[0], "exit 3", "-l", 900)
    native.until(job, "Completed")
    full = native.submit_as(USERS[0], f"until [ -e {native.output}/enough ]; do sleep 0.1; done",
                            "-t", 4, "-l", 900)
    native.until(full, "Running")
    next_job = native.submit_as(USERS[0], "true")
    native.until(next_job, "Idle")
    native.ok("mjobctl", "-m", f"depend=afterok:{job}", next_job)
    pathlib.Path(native.output, "enough").touch()
    native.wait(lambda: "no longer be satisfied" in native.ok("checkjob", next_job), "the end")
    late = int(time.time()) + 1
    native.wait(lambda: time.time() > late, "the next second")
    other = native.submit_as(USERS[0], "sleep 1000")
    native.until(other, "Running")

    def tell_without(jobs):
        native.replace("jobs", f"{native.example} jobs {native.pool} | sed -E '/^({jobs}) /d'\n"
                               f"echo '{job} STATE=Hold UNAME={USERS[0]} TASKS=1 WCLIMIT=900 "
                               f"QUEUETIME={late}'")

    tell_without(f"{job}|{other}")
    native.until(job, "Hold")
    native.until(other, "Vacated")  # and back: who waits is looked at again
    tell_without(job)
    native.until(other, "Running")
    native.until(native.submit_as(USERS[0], "true"), "Completed")
    assert "no longer be satisfied" in native.ok("checkjob", next_job)
