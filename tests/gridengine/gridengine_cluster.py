# SPDX-License-Identifier: Apache-2.0
"""A Grid Engine of its own, from Debian's packages, in name spaces that go away; and the
scheduler's daemon inside. It needs root."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "live"))
from live_daemon import Daemon, wait_for  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
GATE = HERE.parents[1] / "src" / "rm" / "gridengine" / "gate.sh"
SECONDS = 90
PAUSE = 0.1  # each question is some processes inside: asked as fast as can be they take the machine


def missing():
    """Why there can be none here, or None."""
    if os.geteuid() != 0:
        return "Grid Engine in name spaces of its own needs root"
    for path in ("/usr/lib/gridengine/sge_qmaster", "/usr/lib/gridengine/sge_execd"):
        if not os.path.exists(path):
            return f"no {path}: scripts/deps test"
    tried = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"],
                           capture_output=True, text=True)
    return None if tried.returncode == 0 else f"no name spaces here: {tried.stderr}"


class GridEngine:
    def __init__(self, hosts=3, slots=4, gate=GATE):
        self.dir = tempfile.mkdtemp(prefix="maui-ge-")
        env = dict(os.environ, LIFE="1500", GATE=str(gate) if gate else "")
        done = subprocess.run([HERE / "cluster" / "gridengine-up", self.dir, str(hosts), str(slots)],
                              env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr

    def end(self):
        subprocess.run([HERE / "cluster" / "gridengine-down", self.dir], check=True, timeout=60,
                       capture_output=True)
        shutil.rmtree(self.dir, ignore_errors=True)

    def run(self, *words, user=None, check=True, cwd="/"):
        """A command inside, as root or as a user; what it printed."""
        start = [f"{self.dir}/as", user] if user else [f"{self.dir}/run"]
        done = subprocess.run([*start, *map(str, words)], capture_output=True, text=True,
                              timeout=60, cwd=cwd)
        assert not check or done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout if check else done

    def submit(self, user, script, *options):
        words = ["qsub", "-terse", "-j", "y", *map(str, options), "-b", "y", "sh", "-c",
                 f"'{script}'"]
        return self.run(*words, user=user).strip().split(".")[0]

    def state(self, job):
        """Letters of qstat; "" where it is not listed."""
        for line in self.run("qstat", "-u", "*").splitlines():
            words = line.split()
            if words and words[0] == str(job):
                return words[4]
        return ""

    def master_pid(self):
        return self.run("pgrep", "-x", "sge_qmaster", check=False).stdout.split()

    def execd_pids(self):
        return [p.read_text().strip() for p in pathlib.Path(f"{self.dir}/spool/execd").glob("*/execd.pid")]

    def kill_master(self):
        """Its hosts stand still until it is back: one that has missed it once tries again
        after 30 s only."""
        self.run("kill", "-STOP", *self.execd_pids())
        self.run("kill", "-9", *self.master_pid())
        self.wait(lambda: not self.master_pid(), "its end")

    def start_master(self):
        self.run("sge_qmaster")
        self.wait(lambda: self.run("qstat", check=False).returncode == 0, "an answer")
        self.run("kill", "-CONT", *self.execd_pids())

    def schedule(self, interval, flush):
        """How often its own scheduler runs, and how soon after a change (0: not sooner)."""
        text = self.run("sh", "-c", "SGE_SINGLE_LINE=1 qconf -ssconf")
        values = {"schedule_interval": interval, "flush_submit_sec": flush,
                  "flush_finish_sec": flush}
        path = pathlib.Path(self.dir) / "sched"
        path.write_text("".join(
            f"{line.split()[0]} {values.get(line.split()[0], line.split(None, 1)[1])}\n"
            for line in text.splitlines() if len(line.split()) > 1))
        self.run("qconf", "-Msconf", path)

    def wait(self, condition, what, seconds=SECONDS):
        return wait_for(condition, what, seconds, lambda: self.run("qstat", "-u", "*"), PAUSE)

    def clear(self):
        """No job is left, whoever holds it."""
        self.run("qdel", "-f", "-u", "*", check=False)
        self.wait(lambda: not self.run("qstat", "-u", "*").strip(), "the end of all jobs")
        self.cleared_at = int(time.time())
        self.before = len(self.records())

    def records(self):
        """Of the accounting file, split."""
        path = pathlib.Path(f"{self.dir}/root/default/common/accounting")
        lines = path.read_text().splitlines() if path.exists() else []  # no job has ended yet
        return [line.split(":") for line in lines if not line.startswith("#")]

    def accounted(self, job):
        """Its runs, a record each; a master that was killed gives numbers again: of an earlier
        test's job of that number there is nothing here. A run that was sent back to the queue is
        written down without the time of its submission."""
        return [r for r in self.records()[self.before:]
                if r[5] == str(job) and (r[8] == "0" or int(r[8]) >= self.cleared_at)]


class Maui(Daemon):
    """The scheduler's daemon inside, as root."""

    def __init__(self, program, cluster, more=""):
        self.cluster, self.program = cluster, str(program)
        self.home = tempfile.mkdtemp(prefix="maui-", dir=cluster.dir)
        os.chmod(self.home, 0o755)
        self.env = dict(os.environ, MAUIHOMEDIR=self.home, LC_ALL="C", TZ="UTC")
        self.configure("RMCFG[ge] TYPE=SGE POLLINTERVAL=1\nRMPOLLINTERVAL 1\nADMIN1 root\n" + more)

    def run(self, *args, stdin=None):
        return subprocess.run([f"{self.cluster.dir}/run", self.program, *map(str, args)],
                              env=self.env, input=stdin, cwd=self.home, capture_output=True,
                              text=True, timeout=60)

    def start(self, *options):
        self.ok("serve", "-L", "5", *options)
        self.wait(lambda: self.run("showq").returncode == 0, "an answer")
        self.wait(lambda: "Active" in self.ok("diagnose", "-R"), "Grid Engine")
        return self

    def wait(self, condition, what="the condition", seconds=SECONDS):
        return wait_for(condition, what, seconds, self.log, PAUSE)

    def job(self, job):
        done = self.run("checkjob", job, "--format", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def until(self, job, *states):
        def found():
            job_now = self.job(job)
            return job_now if job_now and job_now["state"] in states else None

        return self.wait(found, f"{states} of {job}")

    def kill(self):
        self.cluster.run("kill", "-9", self.pid(), check=False)
        self.wait(lambda: not self.is_there(self.pid()), "its end")

    def is_there(self, pid):
        return self.cluster.run("kill", "-0", pid, check=False).returncode == 0

    def stop(self):
        try:
            pid = self.pid()
        except (OSError, ValueError):
            return
        self.cluster.run("kill", pid, check=False)
        wait_for(lambda: not self.is_there(pid), "its end", SECONDS, self.log)

    def adapter(self):
        """Process id of its maui-gridengine, inside."""
        found = self.cluster.run("pgrep", "-P", self.pid(), "-x", "maui-gridengine"[:15],
                                 check=False).stdout.split()
        return int(found[0]) if found else None

    def nodes(self, job):
        return sorted(n["node"] for n in (self.job(job) or {}).get("nodes", []))

    def clean(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)
