# SPDX-License-Identifier: Apache-2.0
"""A real OpenPBS or TORQUE: that of $PBS_HOME, whose commands are in PATH. It is for tests: its
jobs are deleted, it is killed, and what is set there meanwhile (its own scheduler is off) is
set back. Root plays two users: alice and bob, or those of $MAUI_PBS_USERS."""
import contextlib
import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ET

from live_daemon import Daemon, wait_for

USERS = tuple(os.environ.get("MAUI_PBS_USERS", "alice bob").split())  # two who are there
SECONDS = 90


def lack():
    """Why nothing of this can be tried here; None: it can."""
    if not os.environ.get("PBS_HOME"):
        return "PBS_HOME names no server for tests"
    if not (shutil.which("qmgr") and shutil.which("pbs_server")):
        return "no PBS in PATH"
    if os.geteuid() != 0:
        return "other users can only be played by root"
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


def is_torque():
    done = subprocess.run(["qstat", "--version"], capture_output=True, text=True, timeout=20)
    return (done.stdout + done.stderr).startswith("Version:")


class Pbs(Daemon):
    """The scheduler in front of the PBS server of this host; as it is here, OpenPBS."""

    torque = False
    over, runs, status, began = "F", "run_count", "Exit_status", "stime"
    victims = ("daemon", "adapter", "library", "server", "mom")
    mom = ("pbs_mom", "-p")  # jobs go on, where without it PBS would run them again
    settings = ("job_history_enable = True",)

    def __init__(self, program):
        super().__init__(program)
        self.configure("RMCFG[pbs] TYPE=PBS POLLINTERVAL=1\nADMIN1 root\n"
                       "NODEALLOCATIONPOLICY FIRSTAVAILABLE\n"
                       "NODEAVAILABILITYPOLICY DEDICATED\n", plain=True)  # others load this host
        self.jobs = []
        self.was = {}
        for setting in ("scheduling = False", *self.settings):
            name, _, _ = setting.partition(" = ")
            self.was[name] = self.setting(name)
            self.pbs("qmgr", "-c", f"set server {setting}")

    def setting(self, name):
        """Of the server, as qmgr has it; None: it is not set."""
        listed = re.search(rf"^set server {name} = (.*)$",
                           self.pbs("qmgr", "-c", "print server"), re.M)
        return listed[1] if listed else None

    def pbs(self, *words, user=None, check=True, text=None):
        if user:
            words = ("setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}",
                     "--init-groups", *words)
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                              timeout=120, cwd="/tmp", input=text or "")
        assert not check or done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.strip()

    # ---- what the two say differently ----

    def shape(self, cpus=1, chunks=1):
        return f"select={chunks}:ncpus={cpus}"

    def array(self, tasks):
        return "-J", tasks

    def submit_it(self, user, options, command):
        return self.pbs("qsub", "-o", "/dev/null", "-e", "/dev/null", *options, "--", *command,
                        user=user)

    def look(self):
        text = self.pbs("qstat", "-x", "-t", "-f", "-F", "json")
        return {id.split(".")[0]: job for id, job in json.loads(text).get("Jobs", {}).items()}

    def hosts(self):
        """That answer, and have processors."""
        nodes = json.loads(self.pbs("pbsnodes", "-av", "-F", "json"))["nodes"].values()
        return {n["resources_available"]["host"] for n in nodes
                if n["state"].split(",")[0] in ("free", "job-busy")
                and int(n["resources_available"].get("ncpus", 0)) > 0}

    def places(self, job):
        return set(re.findall(r"\((\w+)", self.look()[job]["exec_vnode"]))

    def purge(self, *jobs):
        self.pbs("qdel", "-W", "force", "-x", *jobs, check=False)

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

    def logged(self, job):
        """What the server's logs have of it."""
        logs = pathlib.Path(os.environ["PBS_HOME"], "server_logs").iterdir()
        return [line for log in logs for line in log.read_text(errors="replace").splitlines()
                if f";{job}." in line]

    def dropped(self, job):
        """Has the server, which was killed, dropped it when it began again?"""
        return False

    def refused_by_node(self, job):
        """Has PBS taken back a start that its node's daemon, which was killed, had begun?"""
        return any("MOM rejected" in line or "Discard running job" in line
                   for line in self.logged(job))

    def when(self, job, name):
        return time.mktime(time.strptime(job[name]))

    @contextlib.contextmanager
    def queue(self, name):
        """One more, for a while."""
        try:
            for line in (f"create queue {name} queue_type=e", f"set queue {name} enabled=true",
                         f"set queue {name} started=true"):
                self.pbs("qmgr", "-c", line)
            yield
        finally:
            self.pbs("qmgr", "-c", f"delete queue {name}", check=False)

    # ---- jobs ----

    def qsub(self, user, *words):
        """Options, and after "--" what it runs. The number, as both know it."""
        split = words.index("--")
        id = self.submit_it(user, words[:split], words[split + 1:])
        self.jobs.append(id)
        return id.split(".")[0]

    def letters(self, *jobs):
        there = self.look()
        return "".join(there.get(j, {}).get("job_state", "-") for j in jobs)

    def until(self, what, letters, *jobs):
        return wait_for(lambda: self.letters(*jobs) == letters, f"{what}: {letters}", SECONDS,
                        lambda: self.story(*jobs))

    def ended(self, what, *jobs):
        return self.until(what, self.over * len(jobs), *jobs)

    def seen(self, job, state):
        wait_for(lambda: self.state(job) == state, f"{job} {state}", SECONDS,
                 lambda: self.story(job))

    def story(self, *jobs):
        return "\n".join([self.pbs("qstat", *(() if self.torque else ("-x",)), "-t", check=False),
                          self.run("showq").stdout,
                          *(self.run("checkjob", j).stdout for j in jobs), self.log()[-3000:]])

    # ---- blows ----

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
        files = pathlib.Path(os.environ["PBS_HOME"]).glob(lock)  # TORQUE: mom15002.lock
        pid = max([int(file.read_text().strip("\0\n ") or 0) for file in files], default=0)
        return pid if pid and pathlib.Path(f"/proc/{pid}").exists() else None

    @staticmethod
    def holders(lock):
        """Who has it open."""
        files = {str(f.resolve()) for f in pathlib.Path(os.environ["PBS_HOME"]).glob(lock)}
        found = []
        for fd in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
            with contextlib.suppress(OSError):
                if os.readlink(fd) in files:
                    found.append(int(fd.parts[2]))
        return found

    def kill_locked(self, lock, *command):
        """Who holds a lock of PBS; then it is started again, as an init system does. A child
        that it had begun and that is no other program yet would keep the next from the lock."""
        pid = self.locked_by(lock)
        if pid:
            name = pathlib.Path(f"/proc/{pid}/comm").read_text()
            os.kill(pid, signal.SIGKILL)
            self.gone(pid)
            for heir in self.holders(lock):
                with contextlib.suppress(OSError):
                    if pathlib.Path(f"/proc/{heir}/comm").read_text() == name:
                        os.kill(heir, signal.SIGKILL)
                        self.gone(heir)

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
        elif victim == "mom":
            self.kill_locked("mom_priv/mom*.lock", *self.mom)
        else:
            for pid in self.adapters() if victim == "adapter" else self.library_programs():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def end(self):
        try:
            self.stop()
            self.run("pbs", "install", "--undo")
            if self.jobs:
                self.purge(*self.jobs)
            shutil.rmtree(self.home, ignore_errors=True)
        finally:
            for name, value in self.was.items():
                self.pbs("qmgr", "-c", f"unset server {name}" if value is None else
                         f"set server {name} = {value}", check=False)


class Torque(Pbs):
    """Scripts from the standard input, XML, ended jobs in state C."""

    torque = True
    over, runs, status, began = "C", "start_count", "exit_status", "start_time"
    victims = ("daemon", "adapter", "server", "mom")
    settings = ("keep_completed = 900",)
    mom = tuple(os.environ.get("MAUI_TORQUE_MOM", "pbs_mom -p").split())

    def shape(self, cpus=1, chunks=1):
        return f"nodes={chunks}:ppn={cpus}"

    def array(self, tasks):
        return "-t", tasks

    def submit_it(self, user, options, command):
        return self.pbs("qsub", "-o", "/dev/null", "-e", "/dev/null", *options, user=user,
                        text=shlex.join(map(str, command)) + "\n")

    def look(self):
        root = ET.fromstring(self.pbs("qstat", "-t", "-x") or "<Data/>")
        jobs = {}
        for job in root:
            o = {field.tag: {sub.tag: sub.text for sub in field} if len(field) else field.text
                 for field in job}
            o = {tag: int(text) if isinstance(text, str) and re.fullmatch(r"-?\d+", text) else text
                 for tag, text in o.items()}
            jobs[o["Job_Id"].split(".")[0] if isinstance(o["Job_Id"], str) else str(o["Job_Id"])] = o
        return jobs

    def hosts(self):
        root = ET.fromstring(self.pbs("pbsnodes", "-x"))
        return {node.findtext("name") for node in root
                if node.findtext("state").split(",")[0] in ("free", "job-exclusive")}

    def places(self, job):
        return {part.split("/")[0] for part in self.look()[job]["exec_host"].split("+")}

    def when(self, job, name):
        return job[name]

    def purge(self, *jobs):
        for job in jobs:
            self.pbs("qdel", "-p", job, check=False)

    def give_back(self, counts, since, *jobs):
        pass

    def dropped(self, job):
        return any("Unable to recover job" in line for line in self.logged(job))

    def refused_by_node(self, job):
        return False


def real_site(program):
    return (Torque if is_torque() else Pbs)(program)
