# SPDX-License-Identifier: Apache-2.0
"""Two sites with one slurm.conf, the scheduler on top of one of them, and what a user sees
of each. A probe (twin_probes.py) is a function of a site; it works on both at once, and
what it saw is compared: nothing of it is a number of a job or a time."""
import concurrent.futures
import contextlib
import pathlib
import queue
import re
import threading
import time
import traceback

from slurm_cluster import SECONDS, SlurmCluster

# Slurm alone schedules as quickly as below the scheduler; nothing else is different. What
# only sacctmgr changed it looks at when sched_interval is over: 60 s where nobody sets it.
ALONE = """\
PriorityType=priority/multifactor
PriorityWeightPartition=1000000
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,default_queue_depth=10000,\
bf_interval=1,sched_interval=2
PreemptType=preempt/none
MinJobAge=300
Epilog=/bin/true
"""
# numbers of jobs are like no other number
BOTH = "TopologyPlugin=topology/tree\nFirstJobId=70001\n"
NODES = {"n1": "Gres=gpu:a100:2 Weight=10", "n2": "Gres=gpu:a100:1,gpu:v100:1 Weight=10",
         "n3": "Gres=gpu:v100:2 Weight=10", "n4": "Gres=bandwidth:lustre:4G,disk:900G Weight=5", "n5": "Weight=1",
         "n6": "Weight=1", "n7": "Weight=1", "n8": "Weight=1"}
GRES = """\
NodeName=n1 Name=gpu Type=a100 File={dir}/gpu[0-1]
NodeName=n2 Name=gpu Type=a100 File={dir}/gpu0
NodeName=n2 Name=gpu Type=v100 File={dir}/gpu1
NodeName=n3 Name=gpu Type=v100 File={dir}/gpu[0-1]
NodeName=n4 Name=bandwidth Type=lustre Count=4G Flags=CountOnly
NodeName=n4 Name=disk Count=900G Flags=CountOnly
"""
TOPOLOGY = """\
SwitchName=leaf1 Nodes=n[1-3]
SwitchName=leaf2 Nodes=n[4-8]
SwitchName=top Switches=leaf[1-2]
"""
REST = "DefaultTime=60 MaxTime=INFINITE State=UP"
PARTITIONS = [
    f"PartitionName=all Nodes=n[1-6] Default=YES {REST}",
    f"PartitionName=gpu Nodes=n[1-3] {REST}",
    f"PartitionName=narrow Nodes=n[4-5] MaxCPUsPerNode=2 {REST}",
    f"PartitionName=twice Nodes=n7 OverSubscribe=FORCE:2 {REST}",
    f"PartitionName=own Nodes=n8 {REST}",
    f"PartitionName=crowd Nodes=n8 OverSubscribe=FORCE:2 {REST}",
    f"PartitionName=throng Nodes=n8 OverSubscribe=FORCE:3 {REST}",
    f"PartitionName=lent Nodes=n8 OverSubscribe=YES:2 {REST}",
    f"PartitionName=urgent Nodes=n[1-6] PriorityTier=10 {REST}"]
SHAPE = {"nodes": 8, "cpus": 4, "partitions": PARTITIONS, "node_options": NODES,
         "gres_conf": GRES, "topology": TOPOLOGY}
LOOK = 2.5  # seconds in which a job that could start would have


class Site:
    """One of the two while a probe works on it. All that the probe says or asks by
    see() is what a user sees; jobs are called by the order of their submission."""

    def __init__(self, cluster, ours):
        self.cluster, self.ours = cluster, ours
        self.begin()

    def begin(self):
        self.seen, self.jobs, self.asleep, self.notes = [], {}, [], []

    def prepare(self):
        """Once, before the first probe."""

    # ---- what a user does ----

    def run(self, *words, **options):
        return self.cluster.run(*words, **options)

    def submit(self, *options, script="sleep 300", **more):
        """The number of the job; None, and what sbatch said, if it was refused."""
        done = self.run("sbatch", "--parsable", "-o", "/dev/null", *options,
                        stdin=f"#!/bin/sh\n{script}\n", **more)
        if done.returncode != 0:
            self.see(f"sbatch {' '.join(map(str, options))}", done.returncode, done.stderr)
            return None
        job = done.stdout.strip()
        self.jobs[job] = f"job{len(self.jobs) + 1}"
        return job

    def command(self, *words, **options):
        """Seen: its exit code and what it printed."""
        done = self.run(*words, **options)
        self.see(" ".join(map(str, words)), done.returncode, done.stdout + done.stderr)
        return done

    def order(self, *words):
        """An administrator's, of no interest by itself. Reservations of Slurm are asked
        for every few seconds (docs/slurm.md): what follows begins when it is known."""
        self.cluster.ok(*words)
        made = [w.split("=")[1] for w in words if str(w).startswith("reservationname=")]
        if self.ours and made and "create" in words:
            self.cluster.wait(lambda: made[0] in self.cluster.maui.ok("diagnose", "-r"),
                              f"reservation {made[0]}")

    def cancel(self, *jobs):
        self.cluster.ok("scancel", *jobs)

    def note(self, job):
        """Why it waits, for whoever looks for the cause: not compared."""
        if self.ours:
            self.notes.append(self.cluster.maui.why(job)[-400:] + self.run("scontrol", "show", "job", job).stdout + self.run("sinfo", "-N", "-o", "%N %T %C %e").stdout)
        log = pathlib.Path(self.cluster.dir, "log", "slurmctld.log").read_text()
        self.notes += [l for l in log.splitlines() if f"JobId={job}" in l][-12:]

    # ---- what a user sees ----

    def see(self, *what):
        self.seen.append(self.plain(" | ".join(str(w).strip() for w in what)))

    def plain(self, text):
        """Without numbers of jobs, times and what the machine is called."""
        for job, name in sorted(self.jobs.items(), key=lambda j: -len(j[0])):
            text = re.sub(rf"(?<!\d){re.escape(job)}(?!\d)", name, text)
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+", "TIME", text)
        return re.sub(r"\bjob allocation \d+|\bjob \d+", "job N", text)

    def name(self, job):
        return self.jobs.get(job, job)

    def starts(self, *jobs, nodes=True, seconds=SECONDS):
        """Seen: that they run and where. Only how many nodes where `nodes` is False. One
        that both leave waiting takes all the time: say waits() of it."""
        for job in filter(None, jobs):
            with contextlib.suppress(AssertionError):
                self.cluster.wait(lambda: self.cluster.state(job) != "PENDING",
                                  "a start", seconds)
            if self.cluster.state(job) == "PENDING":
                self.note(job)
            where = self.cluster.where(job)
            self.see(self.name(job), self.cluster.state(job),
                     ",".join(where) if nodes else f"{len(where)} nodes")

    def waits(self, *jobs):
        """Seen: that they do not start."""
        time.sleep(LOOK)
        for job in filter(None, jobs):
            self.see(self.name(job), self.cluster.state(job))

    def ends(self, *jobs, seconds=SECONDS):
        """Seen: how they ended."""
        for job in filter(None, jobs):
            with contextlib.suppress(AssertionError):
                self.cluster.wait(lambda: self.cluster.state(job) not in
                                  ("PENDING", "RUNNING", "COMPLETING"), "an end", seconds)
            self.see(self.name(job), self.cluster.state(job),
                     self.cluster.show(job)["ExitCode"])

    def field(self, job, *names):
        shown = self.cluster.show(job)
        self.see(self.name(job), *(f"{n}={shown.get(n)}" for n in names))

    def details(self, job, *names):
        """Fields of its nodes as scontrol -d shows them: processors, generic resources."""
        text = self.cluster.ok("scontrol", "-d", "show", "job", job)
        for line in text.splitlines():
            if line.strip().startswith("Nodes="):
                words = dict(w.split("=", 1) for w in line.split() if "=" in w)
                self.see(self.name(job), words["Nodes"],
                         *(f"{n}={words.get(n)}" for n in names))

    def order_of_starts(self, *jobs, seconds=SECONDS):
        """Seen: who began before whom; all have to be over before long."""
        for job in jobs:
            with contextlib.suppress(AssertionError):
                self.cluster.wait(lambda: self.cluster.state(job) not in
                                  ("PENDING", "RUNNING", "COMPLETING"), "an end", seconds)
        began = {j: (self.cluster.show(j) or {}).get("StartTime", "") for j in jobs}
        self.see("order", *(self.name(j) for j in sorted(jobs, key=began.get)))

    def drained(self, name, reason="service"):
        self.order("scontrol", "update", f"nodename={name}", "state=drain",
                   f"reason={reason}")
        self.asleep.append(name)

    def back(self, name):
        self.order("scontrol", "update", f"nodename={name}", "state=resume")
        self.asleep.remove(name)

    def end(self):
        """As it was before the probe."""
        for name in list(self.asleep):
            self.back(name)
        self.cluster.empty()
        self.cluster.wait(lambda: set(self.cluster.ok("sinfo", "-h", "-o", "%T").split())
                          == {"idle"}, "idle nodes")


def twin(program):
    """The two, not started: alone and with the scheduler."""
    alone = SlurmCluster(program, gate=False, conf=ALONE + BOTH, **SHAPE)
    ours = SlurmCluster(program, conf=BOTH, **SHAPE)
    # as a site has it: nothing of the scheduler's is set but where the jobs come from
    ours.maui.configure("RMCFG[slurm] TYPE=SLURM\nRMPOLLINTERVAL 1\n", plain=True)
    return Site(alone, False), Site(ours, True)


def up(sites):
    """Both at once."""
    def begin(s):
        s.cluster.up(scheduler=s.ours)
        s.prepare()
    with concurrent.futures.ThreadPoolExecutor(len(sites)) as pool:
        list(pool.map(begin, sites))


def work(site, probe, errors):
    site.begin()
    try:
        probe.act(site)
    except Exception:
        errors.append(f"{'ours' if site.ours else 'Slurm'}: {traceback.format_exc()}\n"
                      f"{site.cluster.story()}")
    try:
        site.end()
    except AssertionError as e:
        errors.append(str(e))


def compare(probe, sites):
    """(lines that differ, what went wrong): both empty when a user sees no difference.
    A difference is (number, seen on Slurm alone, seen here)."""
    errors = []
    threads = [threading.Thread(target=work, args=(s, probe, errors)) for s in sites]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alone, ours = (s.seen for s in sites)
    n = max(len(alone), len(ours))
    alone, ours = (x + ["nothing"] * (n - len(x)) for x in (alone, ours))
    return [(i, a, b) for i, (a, b) in enumerate(zip(alone, ours)) if a != b], errors


def asked(request):
    """Of a module's tests, the probes that this run of pytest is to try, in their order."""
    return [item.callspec.params["probe"] for item in request.session.items
            if item.module is request.module and "pairs" in item.fixturenames]


class Pairs:
    """Several pairs, as a probe mostly waits: each is given the next probe when it is done
    with one. The last probe is the last that its pair is given."""

    def __init__(self, make, probes, pairs):
        self.sites = [make() for _ in range(max(1, min(pairs, len(probes))))]
        self.free = queue.SimpleQueue()
        self.pool = concurrent.futures.ThreadPoolExecutor(len(self.sites))
        try:
            list(self.pool.map(self.begin, self.sites))
        except BaseException:
            self.down()
            raise
        self.results = {p.name: self.pool.submit(self.compare, p) for p in probes}

    def begin(self, pair):
        up(pair)
        self.free.put(pair)

    def compare(self, probe):
        pair = self.free.get()
        try:
            return (*compare(probe, pair), list(pair[1].notes))
        finally:
            self.free.put(pair)

    def judge(self, probe):
        """Fails where a user sees a difference."""
        differ, errors, notes = self.results[probe.name].result()
        assert not errors, "\n".join(errors)
        assert not differ, "\n".join(
            [f"{probe.text}\n"] + [f"{i}: Slurm: {a}\n   here:  {b}" for i, a, b in differ]
            + notes)

    def down(self):
        """Waits for probes that are amid their work; the others are left out."""
        self.pool.shutdown(cancel_futures=True)
        for pair in self.sites:
            for s in pair:
                s.cluster.down()
