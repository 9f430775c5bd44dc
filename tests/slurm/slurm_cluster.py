# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of its own, from Debian's packages, on loopback, in a folder that goes
away; with what a site installs for this scheduler, as `maui slurm` prints it; and the
scheduler's daemon on top. For root and for ordinary users, several beside each other.

The daemons are copies under their plain names: Slurm decides what to do by the name it was
started under, and under Debian's -wlm names drops the Gres= of nodes. And by its program a
process is known as one of this cluster for as long as it lives, whatever becomes of its
title, environment and open files.
"""
import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "live"))
import slurm_release  # noqa: E402
from live_daemon import Daemon, proc_text, wait_for  # noqa: E402
from slurm_accounting import Accounting  # noqa: E402
from slurm_release import PATH  # noqa: E402

SECONDS = 60  # until what comes in one by itself is late, on a machine with other work
FIRST_PORT, LAST_PORT, PORTS = 21000, 32000, 100  # below those given to clients

CONF = """\
ClusterName=trial
SlurmctldHost={host}({addr})
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SrunPortRange={srun}-{srun_end}
AuthType=auth/munge
AuthInfo=socket={dir}/run/munge.sock,cred_expire=5
{bind}
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool/%n
SlurmctldPidFile={dir}/run/slurmctld.pid
SlurmdPidFile={dir}/run/slurmd.%n.pid
SlurmctldLogFile={dir}/log/slurmctld.log
SlurmdLogFile={dir}/log/slurmd.%n.log
PlugStackConfig={dir}/etc/plugstack.conf
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
# believe the sizes below, not the machine's
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout={slurmd_timeout}
SlurmctldTimeout=300
MessageTimeout={message_timeout}
InactiveLimit=0
KillWait=1
MaxArraySize=10001
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
GresTypes=gpu,bandwidth,disk
Licenses=lic_a:4,lic_b:2
"""
PHANTOMS = """\
ResumeProgram=/bin/true
SuspendProgram=/bin/true
SuspendTime=-1
ResumeTimeout=65000
ResumeRate=0
SlurmctldParameters=cloud_dns
PrivateData=cloud
NodeName=f[1-{n}] NodeAddr={addr} NodeHostname=localhost Port={port} CPUs={cpus} \
CoresPerSocket={cpus} RealMemory={mem} Feature=phantom State=CLOUD
PartitionName=phantom Nodes=f[1-{n}] DefaultTime=60 MaxTime=INFINITE State=UP
"""


def tool(*names):
    """Of the release that PATH finds first, under whatever name it has there."""
    for folder in PATH.split(":"):
        for name in names:
            found = shutil.which(name, path=folder)
            if found:
                return found
    return None


def missing():
    """What has to be installed, or None."""
    return slurm_release.missing(tool)


def alive(pid, words=("munged", "slurm")):
    try:
        return (pathlib.Path(f"/proc/{pid}/comm").read_text().startswith(words)
                and pathlib.Path(f"/proc/{pid}/stat").read_text()
                .rsplit(")", 1)[1].split()[0] != "Z")
    except OSError:
        return False


class Maui(Daemon):
    """The scheduler's daemon with Slurm below it."""

    def __init__(self, program, cluster, config):
        self.program = str(program)
        self.home = f"{cluster.dir}/maui"
        os.mkdir(self.home, 0o755)
        self.env = dict(cluster.env, MAUIHOMEDIR=self.home, LC_ALL="C", TZ="UTC")
        self.configure(config)

    def start(self, *options):
        for _ in range(100):
            done = self.run("serve", "-L", "5", *options)
            if "running already" not in done.stderr:
                break
            time.sleep(0.05)  # threads of a killed one hold its lock a moment longer
        assert done.returncode == 0, done.stderr
        self.wait_ready()
        return self

    def wait_ready(self):
        self.wait(lambda: self.run("showq").returncode == 0, "an answer")

    def adapters(self):
        """Process ids of this daemon's maui-slurm."""
        children = pathlib.Path(f"/proc/{self.pid()}/task/{self.pid()}/children")
        try:
            return [int(p) for p in children.read_text().split() if
                    pathlib.Path(f"/proc/{p}/comm").read_text().startswith(("maui-slurm", "maui-scontrol"))]
        except OSError:
            return []

    def why(self, job):
        """checkjob's whole text."""
        done = self.run("checkjob", job)
        return done.stdout + done.stderr


class SlurmCluster:
    def __init__(self, program, nodes=4, cpus=4, mem=4000, gpus=2, phantom=0, conf="",
                 partitions=None, open_after=60, config="", gate=True,
                 message_timeout=10, slurmd_timeout=300, transport=None,
                 gate_program=None, accounting=False, node_options=None, gres_conf=None,
                 topology=None):
        self.gate_program = [str(gate_program)] if gate_program else [str(program), "slurm"]
        self.program, self.gpus, self.cpus, self.mem = str(program), gpus, cpus, mem
        self.phantom, self.open_after, self.gate = phantom, open_after, gate
        self.nodes = [f"n{i}" for i in range(1, nodes + 1)]
        self.partitions, self.extra = partitions, conf
        # by node, after what all have; with gres.conf of its own; lines of topology.conf
        self.node_options, self.gres_conf, self.topology = node_options, gres_conf, topology
        self.message_timeout, self.slurmd_timeout = message_timeout, slurmd_timeout
        self.dir = tempfile.mkdtemp(prefix="maui-slurm-")
        os.chmod(self.dir, 0o755)
        for name in ("bin", "etc", "run", "log", "state", "spool"):
            os.mkdir(f"{self.dir}/{name}", 0o755)
        os.mkdir(f"{self.dir}/out")
        os.chmod(f"{self.dir}/out", 0o1777)
        self.accounting = accounting  # True; then a slurm_accounting.Accounting
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self.env = dict(os.environ, PATH=PATH, LC_ALL="C", TZ="UTC",
                        SLURM_CONF=f"{self.dir}/etc/slurm.conf")
        for name in list(self.env):
            if name.startswith(("SLURM_", "SBATCH_", "SALLOC_")) and name != "SLURM_CONF":
                del self.env[name]
        self.section = section = "RMCFG[slurm] TYPE=SLURM" + (
            f" TRANSPORT={transport}" if transport else "")
        self.maui = Maui(program, self, f"{section}\nRMPOLLINTERVAL 1\n" + config)

    # ---- configuration ----

    def claim_ports(self):
        """A block nobody listens in; a name beside it keeps others off while we live."""
        span = (LAST_PORT - FIRST_PORT) // PORTS
        for i in range(span):
            base = FIRST_PORT + (os.getpid() + i) % span * PORTS
            lock = socket.socket(socket.AF_UNIX)
            try:
                lock.bind(f"\0maui-slurm-ports-{base}")
                for port in range(base, base + PORTS):
                    with socket.socket() as s:
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                        s.bind(("127.0.0.1", port))
            except OSError:
                lock.close()
                continue
            self.lock, self.port = lock, base
            return
        raise AssertionError("no free block of ports")

    def address(self):
        """Daemons bind to what the machine's name leads to; on loopback if it does."""
        self.host = os.uname().nodename.split(".")[0]
        try:
            self.addr = socket.gethostbyname(self.host)
        except OSError:
            self.addr = ""
        if self.addr == "127.0.0.1":
            return "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny"
        if self.addr.startswith("127."):
            return "CommunicationParameters=NoCtldInAddrAny"
        self.addr = "127.0.0.1"
        return ""

    def node_lines(self):
        out = []
        for i, name in enumerate(self.nodes, 1):
            if self.node_options is not None:
                gres = " " + self.node_options.get(name, "")
            else:
                gres = f" Gres=gpu:{self.gpus}" if i <= 2 and self.gpus else ""
            out.append(
                f"NodeName={name} NodeAddr={self.addr} NodeHostname=localhost "
                f"Port={self.port + 1 + i} CPUs={self.cpus} CoresPerSocket={self.cpus} "
                f"RealMemory={self.mem} TmpDisk=1000 "
                f"Feature=all,{'odd' if i % 2 else 'even'},at_{name}{gres} State=UNKNOWN")
        return out

    def partition_lines(self):
        if self.partitions is not None:
            return self.partitions
        half, last = len(self.nodes) // 2, len(self.nodes)
        rest = "DefaultTime=60 MaxTime=INFINITE State=UP"
        return [f"PartitionName=all Nodes=n[1-{last}] Default=YES {rest}",
                f"PartitionName=low Nodes=n[1-{half}] {rest}",
                f"PartitionName=high Nodes=n[{half + 1}-{last}] {rest}",
                f"PartitionName=down Nodes=n[1-{last}] DefaultTime=60 State=DOWN"]

    def write(self, name, text):
        """Beside slurm.conf; its path."""
        path = pathlib.Path(self.dir, "etc", name)
        path.write_text(text)
        path.chmod(0o644)
        return path

    def configure(self):
        bind = self.address()
        conf = CONF.format(dir=self.dir, user=self.user, bind=bind, host=self.host,
                           addr=self.addr, port=self.port, srun=self.port + 40,
                           srun_end=self.port + PORTS - 2,
                           message_timeout=self.message_timeout,
                           slurmd_timeout=self.slurmd_timeout)
        lines = [conf.rstrip()]
        if self.gate:
            lines.append(self.installed("conf"))
            self.write("job_submit.lua",
                       self.installed("gate", "--open-after", str(self.open_after)))
            self.write("jobcomp.lua", self.installed("jobcomp"))
        if self.accounting:
            self.accounting = Accounting(self, self.port + PORTS - 1)
            lines.append(self.accounting.conf())
        lines += self.node_lines() + self.partition_lines()
        if self.phantom:
            lines.append(PHANTOMS.format(n=self.phantom, addr=self.addr, cpus=self.cpus,
                                         mem=self.mem, port=self.port + 1))
        self.write("slurm.conf", "\n".join(lines) + "\n" + self.extra)
        self.write("plugstack.conf", "")
        self.write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")  # nothing is probed
        if self.topology:
            self.write("topology.conf", self.topology)
        for i in range(self.gpus):
            self.write(f"gpu{i}", "")  # any file counts as a device
        gres = f"NodeName=n[1-{min(2, len(self.nodes))}] Name=gpu File={{dir}}/gpu[0-{self.gpus - 1}]\n"
        self.write("gres.conf", (self.gres_conf or (gres if self.gpus else "")).format(
            dir=f"{self.dir}/etc"))

    def installed(self, what, *options):
        """As an administrator gets it."""
        done = subprocess.run([*self.gate_program, what, "--home", self.maui.home,
                               *options], env=self.env, capture_output=True, text=True,
                              timeout=30)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # ---- daemons ----

    def up(self, scheduler=True):
        self.claim_ports()
        self.configure()
        for name in ("slurmctld", "slurmd", "slurmstepd"):
            # not by this process: what another thread of it starts at that moment would have
            # the file open for writing
            subprocess.run(["cp", tool(name + "-wlm", name), f"{self.dir}/bin/{name}"],
                           check=True, timeout=60)
        with open(os.open(f"{self.dir}/etc/munge.key", os.O_CREAT | os.O_WRONLY, 0o600),
                  "wb") as key:
            key.write(os.urandom(1024))
        self.start_munged()
        if self.accounting:
            self.accounting.start()
        self.start_slurmctld("-c")
        for name in self.nodes:
            self.start_slurmd(name)
        self.wait(self.all_up, "all nodes", SECONDS)
        if scheduler:
            self.maui.start()
            self.wait(self.known, "the scheduler's picture")
        return self

    def all_up(self):
        done = self.run("sinfo", "-h", "-N", "-o", "%N %t")
        return done.returncode == 0 and len(
            {l.split()[0] for l in done.stdout.splitlines()
             if l.split()[1] in ("idle", "mix", "alloc", "comp")
             and l.split()[0] in self.nodes}) == len(self.nodes)

    def known(self):
        status, nodes = self.maui.api("/v1/nodes")
        names = {n.get("name") for n in (nodes if isinstance(nodes, list) else [nodes])}
        return status == 200 and names >= set(self.nodes)

    def launch(self, *command):
        log = f"{self.dir}/log/{pathlib.Path(command[0]).name}.out"
        with open(log, "ab") as out:
            done = subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=out, timeout=60)
        assert done.returncode == 0, pathlib.Path(log).read_text()[-2000:]

    def start_munged(self):
        # --force: parents such as a sticky /tmp would not pass its checks
        self.launch(tool("munged"), "--force", "--num-threads=4",
                    f"--key-file={self.dir}/etc/munge.key",
                    f"--socket={self.dir}/run/munge.sock",
                    f"--pid-file={self.dir}/run/munged.pid",
                    f"--log-file={self.dir}/log/munged.log",
                    f"--seed-file={self.dir}/etc/munged.seed")

    def start_slurmctld(self, *options):
        self.launch(f"{self.dir}/bin/slurmctld", "-f", self.env["SLURM_CONF"], *options)

    def start_slurmd(self, name):
        os.makedirs(f"{self.dir}/spool/{name}", exist_ok=True)
        self.launch(f"{self.dir}/bin/slurmd", "-N", name, "-f", self.env["SLURM_CONF"],
                    "-d", f"{self.dir}/bin/slurmstepd")

    def start(self, name):
        """munged, slurmctld, a node's slurmd by the node's name, or maui."""
        if name == "maui":
            self.maui.start()
        elif name in self.nodes:
            self.start_slurmd(name)
        else:
            getattr(self, f"start_{name}")()

    def pid(self, name):
        if name == "maui":
            return self.maui.pid()
        if name == "adapter":
            return self.maui.wait(self.maui.adapters, "the adapter")[0]
        name = f"slurmd.{name}" if name in self.nodes else name
        try:
            return int(pathlib.Path(f"{self.dir}/run/{name}.pid").read_text())
        except (OSError, ValueError):
            return None

    def send(self, name, number):
        os.kill(self.pid(name), number)

    def kill(self, name, number=signal.SIGKILL):
        """And wait until it is gone."""
        pid = self.pid(name)
        if not pid:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        self.wait(lambda: not alive(pid, ("munged", "slurm", "maui")), f"the end of {name}",
                  60)

    def restart(self, name, number=signal.SIGKILL):
        self.kill(name, number)
        if name != "adapter":
            self.start(name)

    def saved(self, job):
        """The job's number, once it and all that was before it is on slurmctld's disk."""
        mark = f"on disk {job} {time.monotonic_ns()}"
        self.ok("scontrol", "update", f"jobid={job}", f"comment={mark}")
        state = pathlib.Path(self.dir, "state/job_state")
        self.wait(lambda: state.exists() and mark.encode() in state.read_bytes(),
                  "Slurm's saving")
        return job

    def age_heartbeat(self):
        """The scheduler, which was stopped or killed, has been gone for a minute."""
        home = self.maui.home.encode()
        self.wait(lambda: not any(  # its adapter might write once more
            alive(pid, ("maui-s",)) and home in proc_text(pid)
            for pid in filter(str.isdigit, os.listdir("/proc"))), "the adapter's end")
        beat = pathlib.Path(self.maui.home, "slurm.heartbeat")
        seconds, rest = re.fullmatch(r"(\d+)(.*)", beat.read_text(), re.DOTALL).groups()
        fresh = beat.with_suffix(".aged")  # the gate reads none that is half written
        fresh.write_text(f"{int(seconds) - 60}{rest}")
        fresh.rename(beat)

    @contextlib.contextmanager
    def stopped(self, name):
        """It hangs meanwhile."""
        self.send(name, signal.SIGSTOP)
        try:
            yield
        finally:
            self.send(name, signal.SIGCONT)

    # ---- commands ----

    def run(self, *args, user=None, stdin=None, timeout=60, env=None):
        """A command of Slurm, as that user (only root can be somebody else)."""
        who = {"user": user, "group": pwd.getpwnam(user).pw_gid,
               "extra_groups": []} if user else {}
        return subprocess.run([str(a) for a in args], env={**self.env, **(env or {})},
                              input=stdin, text=True,
                              capture_output=True, timeout=timeout,
                              cwd=f"{self.dir}/out", **who)

    def ok(self, *args, **options):
        done = self.run(*args, **options)
        assert done.returncode == 0, f"{args}: {done.stderr}{done.stdout}"
        return done.stdout

    def popen(self, *args, user=None):
        who = {"user": user, "group": pwd.getpwnam(user).pw_gid,
               "extra_groups": []} if user else {}
        return subprocess.Popen([str(a) for a in args], env=self.env, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=f"{self.dir}/out", **who)

    def sbatch(self, *options, script="sleep 100", user=None):
        """The job's number."""
        text = f"#!/bin/sh\n{script}\n"
        return self.ok("sbatch", "--parsable", "-o", "/dev/null", *options, stdin=text,
                       user=user).strip()

    def move(self, job, partition, user=None):
        """To another partition; later releases without slurmdbd refuse that every second
        time, as they take what a failed call left in errno for their answer."""
        def taken():
            done = self.run("scontrol", "update", f"jobid={job}", f"partition={partition}", user=user)
            by_chance = self.accounting is False and slurm_release.release() >= (24, 11)
            assert done.returncode == 0 or by_chance, done
            return done.returncode == 0
        self.wait(taken, f"{job} in {partition}")

    def show(self, job):
        """scontrol show job as a dict; None when it is not known."""
        done = self.run("scontrol", "-o", "-d", "show", "job", job)
        if done.returncode != 0 or not done.stdout.strip():
            return None
        return dict(w.split("=", 1) for w in done.stdout.splitlines()[0].split() if "=" in w)

    def state(self, job):
        found = self.show(job)
        return found and found["JobState"]

    def where(self, job):
        """Names of its nodes, as Slurm has them."""
        found = self.show(job)
        text = found and found.get("NodeList")
        if not text or text == "(null)":
            return []
        return self.ok("scontrol", "show", "hostnames", text).split()

    def places(self, job):
        """Names of its nodes, as the scheduler has them."""
        found = self.maui.job(job) or {}
        return sorted(p["node"] for p in found.get("allocation", []))

    def wait(self, condition, what="the condition", seconds=SECONDS):
        return wait_for(condition, what, seconds, self.story)

    def wait_state(self, job, *states, seconds=SECONDS):
        return self.wait(lambda: self.state(job) in states, f"{job} {'/'.join(states)}",
                         seconds)

    def wait_maui(self, job, *states, seconds=SECONDS):
        return self.wait(lambda: self.maui.state(job) in states,
                         f"{job} {'/'.join(states)} in the scheduler", seconds)

    def story(self):
        """What is going on, for a failed test."""
        out = [self.run("squeue", "-o", "%i %T %r %N").stdout, self.run("sinfo").stdout]
        with contextlib.suppress(Exception):
            out.append(self.maui.run("showq").stdout)
            out += [self.maui.why(r["id"]) for r in self.queued()[:2]]
            out.append(self.maui.run("diagnose", "-n").stdout)
        for path in (f"{self.maui.home}/log/maui.log", f"{self.dir}/log/slurmctld.log"):
            with contextlib.suppress(OSError):
                out.append(f"{path}\n" + "\n".join(
                    pathlib.Path(path).read_text().splitlines()[-40:]))
        return "\n".join(out)

    # ---- what the logs say ----

    def logs(self):
        """Of slurmctld, of each slurmd and of the scheduler."""
        names = ["slurmctld.log", *(f"slurmd.{n}.log" for n in self.nodes)]
        return [pathlib.Path(self.dir, "log", n) for n in names] + [
            pathlib.Path(self.maui.home, "log/maui.log")]

    def marks(self):
        """How long the logs are now."""
        return {p: p.stat().st_size if p.exists() else 0 for p in self.logs()}

    def since(self, marks, most=150):
        """What they say since then."""
        out = []
        for path, begin in marks.items():
            with contextlib.suppress(OSError), open(path, errors="replace") as f:
                if begin <= path.stat().st_size:
                    f.seek(begin)
                out += [f"---- {path.name}", *f.read().splitlines()[-most:]]
        return "\n".join(out)

    def tale(self, *jobs):
        """All that Slurm and its logs say of jobs, for a failed test."""
        out = []
        for job in jobs:
            shown = self.show(job) or {}
            number = shown.get("JobId", str(job))
            told = re.compile(rf"JobId={re.escape(str(job))}\b|\({number}\)|job0*{number}\b"
                              rf"|\[{number}\.|job {number}\b")
            out += [f"==== {job}", self.run("scontrol", "show", "job", job).stdout,
                    self.maui.why(job)]
            for path in self.logs():
                with contextlib.suppress(OSError):
                    out += [f"{path.name}: {line}" for line in
                            path.read_text(errors="replace").splitlines() if told.search(line)]
        return "\n".join(out)

    def lost_by_slurmd(self, jobs):
        """Those whose script slurmd removed itself while their step began. Slurm 22.05 does
        so, rarely and without a scheduler too, when slurmctld was just restarted and asks
        its nodes what runs there: a step that cannot be spoken to yet passes for a dead
        one. Such a job fails with exit code 2 and the line that is looked for here."""
        logs = "".join(p.read_text(errors="replace") for p in self.logs()
                       if p.name.startswith("slurmd.") and p.exists())
        lost = set(re.findall(r"\[(\d+)\.batch\] error: execve\(\): \S*slurm_script: "
                              "No such file", logs))
        return {job for job in jobs if (self.show(job) or {}).get("JobId") in lost}

    def empty(self, seconds=SECONDS):
        """Cancel all jobs and wait until nodes and pictures are as at the beginning."""
        self.run("scancel", "--signal=KILL", "--full", "-t", "RUNNING", "-u", self.user)
        # By their arrays: Slurm refuses the number of a task's own record.
        ids = set(self.ok("squeue", "-h", "-o", "%F").split())
        if ids:
            self.run("scancel", *ids)
        self.wait(lambda: not self.ok("squeue", "-h").strip(), "an empty queue", seconds)
        # One killed amid its start is gone from the queue before its step daemon is: the
        # next job there has then been seen to lose its script.
        self.wait(lambda: not self.steps(), "the end of all step daemons", seconds)
        if self.scheduler_runs():
            self.wait(lambda: not self.queued(), "an empty queue in the scheduler", seconds)

    def scheduler_runs(self):
        try:
            return alive(self.maui.pid(), ("maui",))
        except (OSError, ValueError):
            return False

    def queued(self):
        """Records of jobs in the scheduler's queue."""
        status, found = self.maui.api("/v1/jobs")
        return [r for r in (found if isinstance(found, list) else [found]) if "id" in r]

    # ---- the end ----

    def down(self, wipe=True):
        self.maui.stop()
        with contextlib.suppress(Exception):
            if alive(self.pid("slurmctld")):
                self.run("scancel", "--signal=KILL", "--full", "-t", "RUNNING", timeout=5)
        pid = self.pid("munged")
        if pid and alive(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.end_processes()
        if isinstance(self.accounting, Accounting):
            self.accounting.stop()
        if getattr(self, "lock", None):
            self.lock.close()
        if wipe:
            shutil.rmtree(self.dir, ignore_errors=True)

    def daemon(self, pid):
        """The name of a daemon of ours that this process is, or is about to become; or
        None."""
        try:
            path = os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
        except OSError:
            return None
        return path.removeprefix(f"{self.dir}/bin/") if path.startswith(self.dir) else None

    def steps(self):
        """Process ids of step daemons."""
        return [int(pid) for pid in filter(str.isdigit, os.listdir("/proc"))
                if self.daemon(pid) == "slurmstepd"]

    def is_left(self, pid):
        """A daemon of Slurm, or of a job, which has the cluster in its environment."""
        if self.daemon(pid):
            return True
        try:
            environ = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return b"SLURM_JOB_ID=" in environ and f"{self.dir}/".encode() in environ

    def end_processes(self):
        """Of Slurm and its jobs: until none is left, as one may have started another
        meanwhile."""
        def end_all():
            left = [int(pid) for pid in filter(str.isdigit, os.listdir("/proc"))
                    if int(pid) != os.getpid() and self.is_left(pid)]
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            return not left
        wait_for(end_all, "the end of all processes", SECONDS, lambda: "")
