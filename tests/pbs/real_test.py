# SPDX-License-Identifier: Apache-2.0
"""The PBS driver on a real OpenPBS: that of $PBS_HOME, which is for tests, as its jobs are
deleted, it is killed, and its own scheduler is switched off meanwhile. Root plays users
alice and bob, who are there. Else recorded_test.py is all there is, which is said."""
import contextlib
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "live")]
from live_daemon import Daemon, wait_for  # noqa: E402

USERS = ("alice", "bob")
SECONDS = 90


def lack():
    """Why nothing of this can be tried here; None: it can."""
    if not os.environ.get("PBS_HOME"):
        return "PBS_HOME names no server for tests"
    if not (shutil.which("qmgr") and shutil.which("pbs_server")):
        return "no PBS in PATH"
    if os.geteuid() != 0:
        return "several people are played by root alone"
    try:
        done = subprocess.run(["qstat", "-B"], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "the PBS server does not answer"
    if done.returncode != 0:
        return f"the PBS server does not answer: {done.stderr.strip()}"
    for user in USERS:
        with contextlib.suppress(KeyError):
            pwd.getpwnam(user)
            continue
        return f"there is no user {user}"
    return None


class Pbs(Daemon):
    """The scheduler in front of the PBS server of this host."""

    def __init__(self, program):
        super().__init__(program)
        self.configure("RMCFG[pbs] TYPE=PBS POLLINTERVAL=1\nADMIN1 root\n"
                       "NODEALLOCATIONPOLICY FIRSTAVAILABLE\n", plain=True)
        self.jobs = []
        self.was = self.pbs("qmgr", "-c", "list server scheduling")
        self.pbs("qmgr", "-c", "set server scheduling = False")
        self.pbs("qmgr", "-c", "set server job_history_enable = True")

    def pbs(self, *words, user=None, check=True):
        if user:
            words = ("setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}",
                     "--init-groups", *words)
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                              timeout=120, cwd="/tmp", stdin=subprocess.DEVNULL)
        assert not check or done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.strip()

    def qsub(self, user, *words):
        """Options, and after "--" what it runs. The number, as both know it."""
        id = self.pbs("qsub", "-o", "/dev/null", "-e", "/dev/null", *words, user=user)
        self.jobs.append(id)
        return id.split(".")[0]

    def look(self):
        text = self.pbs("qstat", "-x", "-t", "-f", "-F", "json")
        return {id.split(".")[0]: job for id, job in json.loads(text).get("Jobs", {}).items()}

    def letters(self, *jobs):
        there = self.look()
        return "".join(there.get(j, {}).get("job_state", "-") for j in jobs)

    def until(self, what, letters, *jobs):
        return wait_for(lambda: self.letters(*jobs) == letters, f"{what}: {letters}", SECONDS,
                        lambda: self.story(*jobs))

    def seen(self, job, state):
        wait_for(lambda: self.state(job) == state, f"{job} {state}", SECONDS,
                 lambda: self.story(job))

    def story(self, *jobs):
        return "\n".join([self.pbs("qstat", "-x", "-t"), self.run("showq").stdout,
                          *(self.run("checkjob", j).stdout for j in jobs), self.log()[-3000:]])

    def adapters(self):
        children = f"/proc/{self.pid()}/task/{self.pid()}/children"
        return [int(p) for p in pathlib.Path(children).read_text().split()
                if pathlib.Path(f"/proc/{p}/comm").read_text() == "maui-pbs\n"]

    def library_programs(self):
        """The programs of PBS's library."""
        found = []
        for adapter in self.adapters():
            with contextlib.suppress(OSError):
                children = pathlib.Path(f"/proc/{adapter}/task/{adapter}/children").read_text()
                found += [int(p) for p in children.split()
                          if pathlib.Path(f"/proc/{p}/comm").read_text() == "maui-pbs-line\n"]
        return found

    def locked_by(self, lock):
        """The process that holds a lock of PBS; None: it has ended."""
        pid = int((pathlib.Path(os.environ["PBS_HOME"]) / lock).read_text() or 0)
        return pid if pid and pathlib.Path(f"/proc/{pid}").exists() else None

    def kill_locked(self, lock, *command):
        """Who holds a lock of PBS; then it is started again, as an init system does."""
        pid = self.locked_by(lock)
        if pid:
            os.kill(pid, signal.SIGKILL)
            self.gone(pid)

        def begins():
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=120, check=False)
            with contextlib.suppress(AssertionError):
                return wait_for(lambda: self.locked_by(lock), "it", 10, lambda: "")
        wait_for(begins, f"a new {command[0]}", SECONDS, lambda: "")
        wait_for(lambda: not lack(), "an answer", SECONDS, lambda: lack() or "")

    def strike(self, victim):
        if victim == "daemon":
            self.kill()
            self.ok("serve")
        elif victim == "server":
            self.kill_locked("server_priv/server.lock", "pbs_server")
        elif victim == "mom":  # -p: jobs go on, where without it PBS would run them again
            self.kill_locked("mom_priv/mom.lock", "pbs_mom", "-p")
        else:
            for pid in self.adapters() if victim == "adapter" else self.library_programs():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def give_back(self, counts, since, *jobs):
        """As docs/pbs.md says of a start in whose instant the server or the node's daemon was
        killed: R in substate 41 for good. It never ran there, or it has."""
        for id, job in self.look().items():
            if id not in jobs or job["job_state"] != "R" or job.get("substate") != 41:
                since.pop(id, None)
            elif time.time() - since.setdefault(id, time.time()) > 60:
                ran = list(counts.glob(f"{id}.*"))
                self.pbs(*(("qdel",) if ran else ("qrerun",)), "-W", "force", id)
                print(f"{'ended' if ran else 'given back'}: {id}")
                since.pop(id)

    def refused_by_node(self, job):
        """Has PBS taken back a start that its node's daemon, which was killed, had begun?"""
        logs = pathlib.Path(os.environ["PBS_HOME"], "server_logs").iterdir()
        lines = [line for log in logs for line in log.read_text(errors="replace").splitlines()
                 if f";{job}." in line]
        return any("MOM rejected" in line or "Discard running job" in line for line in lines)

    def end(self):
        self.stop()
        self.run("pbs", "install", "--undo")
        if self.jobs:
            self.pbs("qdel", "-W", "force", "-x", *self.jobs, check=False)
        shutil.rmtree(self.home, ignore_errors=True)
        value = "True" if "True" in self.was else "False"
        self.pbs("qmgr", "-c", f"set server scheduling = {value}")


@pytest.fixture
def pbs(build):
    why = lack()
    if why:
        pytest.skip(f"NOT TESTED on a real PBS: {why}")
    site = Pbs(build / "src" / "client" / "maui")
    site.ok("serve")
    yield site
    site.end()


def test_jobs_of_two_users_run_where_they_were_put(pbs):
    a = pbs.qsub("alice", "-l", "select=1:ncpus=1,walltime=60", "--", "/bin/sleep", "2")
    b = pbs.qsub("bob", "-l", "select=2:ncpus=1,walltime=60", "--", "/bin/sh", "-c", "exit 3")
    pbs.until("their ends", "FF", a, b)
    there = pbs.look()
    assert there[b]["Exit_status"] == 3 and "ncpus=1" in there[a]["exec_vnode"]
    wait_for(lambda: len([j for j in pbs.lines("showq", "-c") if j["id"] in (a, b)]) == 2,
             "both in accounting", SECONDS, pbs.story)


def test_holds_dependencies_and_array_limits_are_kept(pbs):
    """qrun itself keeps none of them."""
    held = pbs.qsub("alice", "-h", "-l", "walltime=60", "--", "/bin/true")
    first = pbs.qsub("alice", "-l", "walltime=60", "--", "/bin/sleep", "4")
    after = pbs.qsub("bob", "-W", f"depend=afterok:{first}", "-l", "walltime=60", "--",
                     "/bin/true")
    array = pbs.qsub("bob", "-J", "1-5%2", "-l", "walltime=60", "--", "/bin/sleep", "2")
    members = [array.replace("[]", f"[{i}]") for i in range(1, 6)]
    most = 0

    def over():
        nonlocal most
        letters = pbs.letters(*members, array)
        most = max(most, letters.count("R"))
        return set(letters) <= {"X", "F"}
    wait_for(over, "the array's end", SECONDS, lambda: pbs.story(*members[:1]))
    assert 1 <= most <= 2
    pbs.until("the dependency", "FF", first, after)
    there = pbs.look()
    assert there[after]["stime"] is not None and pbs.letters(held) == "H"
    pbs.pbs("qrls", held, user="alice")
    pbs.until("the released", "F", held)


def test_a_job_that_can_never_run_waits(pbs):
    """And it starts when a machine is there that it fits on; others go on."""
    wide = pbs.qsub("bob", "-l", "select=1:ncpus=4000,walltime=60", "--", "/bin/true")
    pbs.seen(wide, "Idle")
    small = pbs.qsub("bob", "-l", "walltime=60", "--", "/bin/true")
    pbs.until("others", "F", small)
    assert pbs.state(wide) == "Idle"
    assert "can ever satisfy" in pbs.ok("checkjob", wide)


def test_suspended_resumed_requeued_and_cancelled(pbs):
    job = pbs.qsub("alice", "-l", "walltime=600", "--", "/bin/sleep", "500")
    pbs.seen(job, "Running")
    pbs.ok("mjobctl", "-s", job)
    pbs.until("suspended", "S", job)
    pbs.seen(job, "Suspended")
    pbs.ok("mjobctl", "-r", job)
    pbs.until("resumed", "R", job)
    pbs.seen(job, "Running")
    runs = pbs.look()[job]["run_count"]
    pbs.ok("mjobctl", "-R", job)
    wait_for(lambda: pbs.look()[job]["run_count"] == runs + 1, "its second run", SECONDS,
             lambda: pbs.story(job))
    pbs.seen(job, "Running")
    pbs.ok("mjobctl", "-m", "wclimit=900", job)
    wait_for(lambda: pbs.look()[job]["Resource_List"]["walltime"] == "00:15:00", "the limit",
             SECONDS, pbs.story)
    pbs.ok("canceljob", job)
    pbs.until("cancelled", "F", job)


def test_the_limit_of_a_waiting_job_is_that_of_pbs(pbs):
    job = pbs.qsub("alice", "-h", "-l", "walltime=600", "--", "/bin/sleep", "500")
    pbs.seen(job, "Hold")

    def has(walltime, seconds):
        assert pbs.look()[job]["Resource_List"]["walltime"] == walltime
        wait_for(lambda: pbs.job(job)["wclimit_s"] == seconds, "the limit here", SECONDS,
                 lambda: pbs.story(job))
    pbs.ok("mjobctl", "-m", "wclimit=900", job)
    has("00:15:00", 900)
    pbs.pbs("qalter", "-l", "walltime=700", job, user="alice")
    has("00:11:40", 700)
    pbs.ok("mjobctl", "-m", "wclimit=800", job)
    pbs.pbs("qrls", job, user="alice")
    pbs.until("its run", "R", job)
    has("00:13:20", 800)
    pbs.ok("canceljob", job)
    pbs.until("cancelled", "F", job)


def test_the_hook_wakes_it_and_the_reason_is_shown(build):
    """POLLINTERVAL is an hour: what is not told by the hook would not be seen."""
    why = lack()
    if why:
        pytest.skip(f"NOT TESTED on a real PBS: {why}")
    site = Pbs(build / "src" / "client" / "maui")
    site.configure("RMCFG[pbs] TYPE=PBS POLLINTERVAL=1:00:00\nADMIN1 root\n", plain=True)
    try:
        site.ok("pbs", "install")
        site.ok("serve")
        wait_for(lambda: "Idle" in site.run("diagnose", "-n").stdout, "the first look", SECONDS,
                 site.story)
        for user in USERS:
            job = site.qsub(user, "-l", "walltime=60", "--", "/bin/sleep", "1")
            site.until("its end", "F", job)
        wide = site.qsub("bob", "-l", "select=1:ncpus=4000,walltime=60", "--", "/bin/true")
        wait_for(lambda: "no set of nodes" in site.look()[wide].get("comment", ""),
                 "why it waits", SECONDS, lambda: site.story(wide))
        site.pbs("qalter", "-l", "select=1:ncpus=1", wide, user="bob")
        site.until("the changed one", "F", wide)
    finally:
        site.end()


def hosts(pbs):
    """That answer, and have processors."""
    nodes = json.loads(pbs.pbs("pbsnodes", "-av", "-F", "json"))["nodes"].values()
    return {n["resources_available"]["host"] for n in nodes
            if n["state"].split(",")[0] in ("free", "job-busy")
            and int(n["resources_available"].get("ncpus", 0)) > 0}


def test_jobs_and_arrays_are_spread_over_hosts(pbs):
    if len(hosts(pbs)) < 2:
        pytest.skip("NOT TESTED on a real PBS: it has one host")

    def where(job):
        return set(re.findall(r"\((\w+)", pbs.look()[job]["exec_vnode"]))
    wide = pbs.qsub("alice", "-l", "select=2:ncpus=1", "-l", "place=scatter:excl", "-l",
                    "walltime=60", "--", "/bin/sleep", "3")
    array = pbs.qsub("bob", "-J", "1-8", "-l", "select=1:ncpus=1,walltime=60", "-l", "place=excl",
                     "--", "/bin/sleep", "2")
    members = [array.replace("[]", f"[{i}]") for i in range(1, 9)]
    wait_for(lambda: set(pbs.letters(wide, *members)) <= {"X", "F"}, "all ends", SECONDS,
             lambda: pbs.story(wide, *members[:2]))
    there = pbs.look()
    assert there[wide]["Exit_status"] == 0 and len(where(wide)) == 2
    assert all(there[m]["Exit_status"] == 0 for m in members)
    assert len(set.union(*(where(m) for m in members))) > 1


VICTIMS = ("daemon", "adapter", "library", "server", "mom")


def test_nothing_is_lost_or_started_twice_when_something_is_killed(pbs):
    """The daemon, its adapter, the programs of the library, the server and the node's daemon,
    by turns."""
    pbs.ok("pbs", "install")
    counts = pathlib.Path(pbs.home) / "runs"
    counts.mkdir()
    counts.chmod(0o777)
    pathlib.Path(pbs.home).chmod(0o755)
    jobs, since = [], {}
    for turn in range(int(os.environ.get("MAUI_CHAOS_ROUNDS", "10"))):
        for user in USERS:
            jobs.append(pbs.qsub(user, "-l", "walltime=60", "--", "/bin/sh", "-c",
                                 f"echo x >>{counts}/$PBS_JOBID; sleep 0.{turn % 10}"))
        time.sleep(0.2 * (turn % 7))
        pbs.strike(VICTIMS[turn % len(VICTIMS)])

    def over():
        pbs.give_back(counts, since, *jobs)
        return pbs.letters(*jobs) == "F" * len(jobs)
    wait_for(over, "all ends", 4 * SECONDS, lambda: pbs.story(*jobs))
    runs = {f.name.split(".")[0]: f.read_text().count("x") for f in counts.iterdir()}
    assert set(runs) == set(jobs)
    twice = [job for job, n in runs.items() if n > 1]
    print(f"run twice by PBS itself: {twice}")
    assert all(pbs.refused_by_node(job) for job in twice)
    events = (pathlib.Path(pbs.home) / "log/events.log").read_text().splitlines()
    gone = [json.loads(line) for line in events if "JOBCANCEL" in line]
    print(f"ends that were not seen: {len(gone)}")
    # none was taken anew, and none that has run counts as cancelled
    assert {event.get("reason") for event in gone} <= {"vanished"}, "\n".join(
        line for event in gone for line in [str(event), *pbs.log().splitlines()]
        if event["object"] in line)
