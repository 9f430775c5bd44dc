# SPDX-License-Identifier: Apache-2.0
"""The same little story on every resource manager: who is there, how a job is submitted and
a node closed. Each site has a daemon (`maui`, see live_daemon.py), `users`, `nodes`, and
`can`: what of the story its manager knows at all."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("live", "wiki", "slurm", "gridengine")]
from live_daemon import ME, Daemon, wait_for  # noqa: E402
from live_users import Users  # noqa: E402
from server import World  # noqa: E402

LIMIT_S = 600
USERS = ("nobody", "bin", "games")
SHARED = f"ADMIN1 root {ME}\nNODEALLOCATIONPOLICY FIRSTAVAILABLE\n"


def needs_root():
    return None if os.geteuid() == 0 else "other users can only be played by root"


class Recorded:
    """What the two with a made-up world have in common: jobs are what we say they are."""
    can = frozenset({"down"})
    users = USERS

    @staticmethod
    def lacks():
        return None

    def job_text(self, procs):
        return {"WCLIMIT": LIMIT_S, "TASKS": 1, "DPROCS": procs}


class Wiki(Recorded):
    name = "wiki"

    def __init__(self, build):
        self.maui = Daemon(build / "src/client/maui")
        self.nodes = ["n1", "n2", "n3"]
        self.world = World(f"{self.maui.home}/world", {n: 2 for n in self.nodes})
        key = pathlib.Path(self.maui.home, "key")
        key.write_text("a secret of the site\n")
        key.chmod(0o600)
        self.maui.configure(f"RMCFG[site] TYPE=WIKI HOST=127.0.0.1 PORT={self.world.port} KEYFILE={key} "
                            "CSALGO=HMAC POLLINTERVAL=1\n" + SHARED)
        self.next = 1

    def begin(self):
        done = self.maui.run("serve", "-L", "5")
        assert done.returncode == 0, done.stderr

    def submit(self, user, procs=1, held=False):
        job, self.next = str(self.next), self.next + 1
        return self.world.submit(job, user, seconds=1000, **self.job_text(procs),
                                 **({"STATE": "Hold"} if held else {}))

    def close(self, node):
        with self.world.state() as o:
            o["nodes"][node].update(STATE="Down", UPDATETIME=int(time.time()))

    def vanish(self, job):
        with self.world.state() as o:
            del o["jobs"][job]

    def end(self):
        self.maui.stop()
        self.world.kill()
        shutil.rmtree(self.maui.home, ignore_errors=True)


class Native(Recorded):
    """Programs that print files, and change them."""
    name = "native"
    PROGRAM = """#!/usr/bin/python3
import fcntl, json, os, sys, time
verb, path = os.path.basename(sys.argv[0]), os.path.dirname(os.path.dirname(sys.argv[0])) + "/world"
lock = open(path + ".lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
world = json.load(open(path))
jobs = world["jobs"]
for job in jobs.values():
    for node in job.get("TASKLIST", "").split(":"):
        if job["STATE"] == "Running":
            world["nodes"][node]["STATE"] = "Running"
if verb in ("nodes", "jobs"):
    for name, fields in world[verb].items():
        print(name, *(f"{k}={v}" for k, v in fields.items()))
    sys.exit()
if verb == "start":
    jobs[sys.argv[1]].update(STATE="Running", TASKLIST=":".join(sys.argv[2].split(",")),
                             STARTTIME=int(time.time()))
elif verb == "cancel":
    jobs[sys.argv[1]].update(STATE="Removed", COMPLETIONTIME=int(time.time()))
json.dump(world, open(path + ".new", "w"))
os.rename(path + ".new", path)
"""

    def __init__(self, build):
        self.maui = Daemon(build / "src/client/maui")
        home = pathlib.Path(self.maui.home)
        os.chmod(home, 0o755)
        self.nodes = ["n1", "n2", "n3"]
        self.path, self.next = home / "world", 1
        self.path.write_text(json.dumps({"jobs": {}, "nodes": {n: {
            "STATE": "Idle", "CPROC": 2, "CMEMORY": 4096, "CCLASS": "[batch:2]"}
            for n in self.nodes}}))
        programs = home / "programs"
        programs.mkdir(mode=0o755)
        for verb in ("nodes", "jobs", "start", "cancel"):
            (programs / verb).write_text(self.PROGRAM)
            (programs / verb).chmod(0o755)
        self.maui.configure("\n".join(
            ["RMCFG[site] TYPE=NATIVE POLLINTERVAL=1"]
            + [f"RMCFG[site] {url}=exec://{programs}/{verb}" for verb, url in (
                ("nodes", "CLUSTERQUERYURL"), ("jobs", "WORKLOADQUERYURL"),
                ("start", "JOBSTARTURL"), ("cancel", "JOBCANCELURL"))]) + "\n" + SHARED)

    begin = Wiki.begin

    def change(self, how):
        import fcntl
        with open(f"{self.path}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            world = json.loads(self.path.read_text())
            how(world)
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(world))
            fresh.rename(self.path)

    def submit(self, user, procs=1, held=False):
        job, self.next = str(self.next), self.next + 1
        fields = {"STATE": "Hold" if held else "Idle", "UNAME": user, "GNAME": "nogroup",
                  "QUEUETIME": int(time.time()), "RCLASS": "[batch:1]", **self.job_text(procs)}
        self.change(lambda world: world["jobs"].update({job: fields}))
        return job

    def close(self, node):
        self.change(lambda world: world["nodes"][node].update(STATE="Down"))

    def vanish(self, job):
        self.change(lambda world: world["jobs"].pop(job))

    def end(self):
        self.maui.stop()
        shutil.rmtree(self.maui.home, ignore_errors=True)


class Local:
    name, users, lacks = "local", USERS, staticmethod(needs_root)
    can = frozenset({"array", "after"})

    def __init__(self, build):
        self.maui = Daemon(build / "src/client/maui")
        self.nodes = ["node01", "node02"]
        self.maui.configure("RMCFG[site] TYPE=LOCAL NODES=2x2\nCLASSCFG[batch] DEFAULT.WCLIMIT=60\n" + SHARED)

    def begin(self):
        done = self.maui.run("serve", "-L", "5")
        assert done.returncode == 0, done.stderr
        self.people = Users(self.maui)

    def submit(self, user, procs=1, held=False, after=None, array=None):
        words = ["-l", f"nodes=1:ppn={procs},walltime={LIMIT_S}", "-q", "batch", "-o", "/dev/null",
                 "-e", "/dev/null", "-d", "/tmp", "-N", "story"]
        words += ["-h"] if held else []
        words += ["-W", f"depend=afterany:{after}"] if after else []
        words += ["-t", array] if array else []
        return self.people.ok(user, "msub", *words, "--", "sleep", "1000").split()

    def end(self):
        self.maui.clean()


class Ge:
    name, users = "gridengine", ("alice", "bob", "carol")
    can = frozenset({"array", "after", "down"})

    @staticmethod
    def lacks():
        import gridengine_cluster
        return gridengine_cluster.missing()

    def __init__(self, build):
        import gridengine_cluster
        self.cell = gridengine_cluster.GridEngine(hosts=3, slots=2)
        self.nodes = ["cn01", "cn02", "cn03"]
        self.maui = gridengine_cluster.Maui(build / "src/client/maui", self.cell)
        self.maui.configure("RMCFG[site] TYPE=SGE POLLINTERVAL=1\n" + SHARED)

    def begin(self):
        self.maui.start()

    def submit(self, user, procs=1, held=False, after=None, array=None):
        words = ["-N", "story", "-l", f"h_rt={LIMIT_S}", "-q", "batch", "-o", "/dev/null"]
        words += ["-pe", "smp", procs] if procs > 1 else []
        words += ["-h"] if held else []
        words += ["-hold_jid", after] if after else []
        words += ["-t", array.split("%")[0], "-tc", array.split("%")[1]] if array else []
        job = self.cell.run("qsub", "-terse", "-j", "y", *words, "-b", "y", "sleep", "1000",
                            user=user).split(".")[0].strip()
        return [f"{job}[{i}]" for i in (1, 2, 3)] if array else job

    def close(self, node):
        pid = pathlib.Path(f"{self.cell.dir}/spool/execd/{node}/execd.pid").read_text().strip()
        self.cell.run("kill", "-STOP", pid)

    def end(self):
        self.maui.clean()
        self.cell.end()


class Slurm:
    name, users = "slurm", USERS
    can = frozenset({"array", "after", "down"})

    @staticmethod
    def lacks():
        import slurm_cluster
        missing = slurm_cluster.missing()
        return needs_root() or (f"no Slurm here: {missing} is not installed" if missing else None)

    def __init__(self, build):
        import slurm_cluster
        self.cluster = slurm_cluster.SlurmCluster(
            build / "src/client/maui", nodes=3, cpus=2, gpus=0, config=SHARED,
            partitions=["PartitionName=batch Nodes=n[1-3] Default=YES DefaultTime=60 MaxTime=INFINITE State=UP"])
        self.maui, self.nodes = self.cluster.maui, list(self.cluster.nodes)

    def begin(self):
        self.cluster.up()

    def submit(self, user, procs=1, held=False, after=None, array=None):
        words = ["-J", "story", f"--time={LIMIT_S // 60}", "-n", str(procs), "-N", "1", "--chdir=/tmp"]
        words += ["--hold"] if held else []
        words += [f"--dependency=afterany:{after}"] if after else []
        words += [f"--array={array}"] if array else []
        job = self.cluster.sbatch(*words, script="sleep 1000", user=user)
        return [f"{job}_{i}" for i in (1, 2, 3)] if array else job

    def close(self, node):
        self.cluster.ok("scontrol", "update", f"nodename={node}", "state=down", "reason=story")

    def end(self):
        self.cluster.down()
