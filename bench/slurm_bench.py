#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scheduler on Slurm beside Slurm alone, on the same jobs, one after the other, on a
cluster of its own on loopback (tests/slurm):

  slurm_bench.py MAUI flow [JOBS]         two-second jobs through 16 cores
  slurm_bench.py MAUI starts [JOBS]       starts a second on 1,000 phantom nodes
  slurm_bench.py MAUI plan [JOBS]         a plan of all that waits, 1,000 phantom nodes
  slurm_bench.py MAUI latency [JOBS]      from submission to the first line of a script
  slurm_bench.py MAUI mix [SEED...]       80 random jobs of 1 to 16 cores on 16 cores, by
                                          the usual policies and by a planned queue

Slurm alone has the same slurm.conf but for the gate. Needs Slurm from Debian's packages.
"""
import os
import pathlib
import random
import re
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/slurm"))
import slurm_cluster  # noqa: E402

ALONE = """\
PriorityType=priority/multifactor
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,default_queue_depth=10000,{}
PreemptType=preempt/none
MinJobAge=300
"""
AS_OURS = "bf_interval=1\nEpilog=/bin/true"  # what `maui slurm conf` says besides
DEEP = """\
BACKFILLTYPE QUEUEORDER
RESERVATIONPOLICY CURRENTHIGHEST
RESERVATIONDEPTH 1000000
"""


class Cluster:
    """With the scheduler on top, or Slurm alone."""

    def __init__(self, program, ours, backfill=AS_OURS, **options):
        if not ours:
            options["conf"] = options.get("conf", "") + ALONE.format(backfill)
        options["conf"] = options.get("conf", "") + "MaxJobCount=100000\n"
        self.c = slurm_cluster.SlurmCluster(program, gate=ours, gpus=0, **options)
        self.ours = ours

    def __enter__(self):
        return self.c.up(scheduler=self.ours)

    def __exit__(self, *_):
        self.c.down()


def seconds_of(pid):
    """Processor time of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shares(c, ours):
    """Processor time so far of the controller, the adapter and the daemon."""
    used = {"slurmctld": seconds_of(c.pid("slurmctld"))}
    if ours:
        used["adapter"] = seconds_of(c.pid("adapter"))
        used["maui"] = seconds_of(c.maui.pid())
    return used


def since(c, ours, before):
    now = shares(c, ours)
    return ", ".join(f"{k} {now[k] - before[k]:.2f} s" for k in now)


def in_turn(action, *args):
    """Slurm alone, then ours."""
    for ours in (False, True):
        action(ours, *args)


# ---- flow ----

def gaps(lines, slots):
    """Seconds from a job's last line to the first line of the next on a core: on each
    node the k-th start follows the end before it by as many as it has cores."""
    times = {}
    for line in lines:
        node, what, at = line.split()
        times.setdefault((node, what), []).append(float(at))
    found = []
    for node in {n for n, _ in times}:
        begins, ends = sorted(times[node, "b"]), sorted(times[node, "e"])
        found += [b - e for b, e in zip(begins[slots:], ends)]
    return sorted(found)


def flow(ours, program, jobs, backfill=AS_OURS):
    with Cluster(program, ours, backfill, nodes=4, cpus=4) as c:
        before, begin = shares(c, ours), time.monotonic()
        log = f"$SLURMD_NODENAME {{}} $(date +%s.%N) >>{c.dir}/out/flow"
        c.sbatch(f"--array=1-{jobs}", "-n1", "-t", "5",
                 script=f"echo {log.format('b')}; sleep 2; echo {log.format('e')}")
        while c.ok("squeue", "-h").strip():
            time.sleep(0.2)
        took = time.monotonic() - begin
        found = gaps(open(f"{c.dir}/out/flow"), 4)
        print(f"{'maui ' if ours else 'slurm'} flow: {jobs} jobs of 2 s on 16 cores in "
              f"{took:.1f} s (floor {2 * -(-jobs // 16)} s); end to next start: median "
              f"{statistics.median(found):.2f} s, largest {found[-1]:.2f} s; "
              f"{since(c, ours, before)}", flush=True)


# ---- starts ----

def started(c):
    return int(c.ok("sh", "-c", "squeue -h -t CF,R | wc -l"))


def wide_job(c):
    """The machine is full."""
    job = c.sbatch("-n", "4000", "-t", "60", "-p", "phantom", script="true")
    c.wait(lambda: started(c) == 1, "the wide job", 60)
    return job


def starts(ours, program, jobs):
    with Cluster(program, ours, nodes=2, cpus=4, phantom=1000) as c:
        wide = wide_job(c)
        c.sbatch(f"--array=1-{jobs}", "-n1", "-t", "5", "-p", "phantom", script="true")
        time.sleep(3)
        before, begin = shares(c, ours), time.monotonic()
        c.ok("scancel", wide)
        while started(c) < jobs:
            time.sleep(0.05)
        took = time.monotonic() - begin
        print(f"{'maui ' if ours else 'slurm'} starts: {jobs} on 1,000 nodes in {took:.2f} "
              f"s, {jobs / took:.0f} a second; {since(c, ours, before)}", flush=True)


# ---- plan ----

def fill(c, jobs):
    """The machine is full, and jobs of many shapes wait."""
    wide_job(c)
    shapes = [(n, t) for n in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
              for t in (10, 20, 35, 60, 90, 120, 200, 300, 400, 600)]
    for n, t in shapes:
        c.sbatch(f"--array=1-{jobs // len(shapes)}", "-n", n, "-t", t, "-p", "phantom",
                 script="true")


def plan_of_ours(program, jobs):
    with Cluster(program, True, nodes=2, cpus=4, phantom=1000, config=DEEP) as c:
        fill(c, jobs)
        time.sleep(5)
        c.maui.stop()
        c.maui.start()  # all is told and planned from nothing
        time.sleep(5)
        cycles = re.findall(r"cycle \d+: (\d+) decisions in ([\d.]+) ms", c.maui.log())
        decisions, ms = max(cycles[-20:], key=lambda x: int(x[0]))
        print(f"maui  plan: {decisions} starts decided of {jobs} jobs, to the second, in "
              f"{float(ms) / 1000:.3f} s", flush=True)


def plan_of_slurm(program, jobs, tests):
    backfill = (f"bf_interval=2,bf_max_job_test={tests},bf_continue,bf_window=100000,"
                f"bf_max_time=600,bf_resolution=60")
    with Cluster(program, False, backfill=backfill, nodes=2, cpus=4, phantom=1000) as c:
        fill(c, jobs)
        end = time.monotonic() + 600
        while time.monotonic() < end:
            text = c.ok("sdiag")
            part = text[text.index("Backfilling stats"):]
            depth = int(re.search(r"Last depth cycle: (\d+)", part).group(1))
            if depth >= min(tests, jobs):
                us = int(re.search(r"Last cycle: (\d+)", part).group(1))
                print(f"slurm plan: {depth} jobs tested in {us / 1e6:.1f} s", flush=True)
                return
            time.sleep(1)
        print(f"slurm plan: {tests} jobs were not tested within 600 s", flush=True)


def plan(program, jobs):
    for tests in (500, 1000):
        plan_of_slurm(program, jobs, tests)
    plan_of_ours(program, jobs)


# ---- latency ----

def latency(ours, program, jobs):
    with Cluster(program, ours, nodes=4, cpus=4) as c:
        waits = []
        for i in range(jobs):
            # on an idle machine, at any moment of Slurm's turns
            time.sleep(random.uniform(1.5, 2.5))
            path = f"{c.dir}/out/latency.{i}"
            begin = time.time()
            c.sbatch("-n1", "-t", "5", script=f"date +%s.%N >{path}")
            c.wait(lambda: os.path.exists(path) and open(path).read().endswith("\n"),
                   "the job's first line", 30)
            waits.append(float(open(path).read()) - begin)
        waits.sort()
        print(f"{'maui ' if ours else 'slurm'} latency: submission to first line, {jobs} "
              f"jobs: median {statistics.median(waits):.2f} s, "
              f"largest {waits[-1]:.2f} s", flush=True)


# ---- mix ----

MIX = 80
WAYS = {"slurm": None, "maui": "", "plan": "BACKFILLPOLICY PLAN\n"}


def mix_run(config, program, jobs):
    """Makespan, mean wait and mean slowdown of jobs given as (cores, seconds), all there
    at once. `config` None: Slurm alone."""
    with Cluster(program, config is not None, nodes=4, cpus=4, config=config or "") as c:
        log, begin = f"{c.dir}/out/mix", time.time()
        submitted = []
        for i, (cores, seconds) in enumerate(jobs):
            submitted.append(time.time())
            c.sbatch(f"-n{cores}", "-t", str(seconds), script=f"echo {i} b $(date +%s.%N) "
                     f">>{log}; sleep {seconds}; echo {i} e $(date +%s.%N) >>{log}")
        c.wait(lambda: os.path.exists(log) and open(log).read().count("e ") == len(jobs),
               "the end of all", 600)
        lines = [line.split() for line in open(log)]
    starts = {int(i): float(at) for i, what, at in lines if what == "b"}
    waits = [starts[i] - at for i, at in enumerate(submitted)]
    return (max(float(at) for _, _, at in lines) - begin, statistics.mean(waits),
            statistics.mean(1 + wait / seconds for wait, (_, seconds) in zip(waits, jobs)))


def mix(program, seeds):
    for seed in seeds:
        pick = random.Random(seed)
        jobs = [(pick.randint(1, 16), pick.randint(1, 4)) for _ in range(MIX)]
        floor = sum(cores * seconds for cores, seconds in jobs) / 16
        found = {way: mix_run(config, program, jobs) for way, config in WAYS.items()}
        print(f"mix, seed {seed} (floor {floor:.0f} s), load {os.getloadavg()[1]:.0f}:")
        for way, figures in found.items():
            ratios = [mine / theirs for mine, theirs in zip(figures, found["slurm"])]
            print("  {:5} makespan {:.1f} s, mean wait {:.1f} s, mean slowdown {:.1f}; of "
                  "Slurm alone {:.3f}, {:.3f}, {:.3f}".format(way, *figures, *ratios),
                  flush=True)


def main():
    if len(sys.argv) < 3 or sys.argv[2] not in ("flow", "starts", "plan", "latency",
                                                "mix"):
        sys.exit(__doc__)
    lack = slurm_cluster.missing()
    if lack:
        sys.exit(f"slurm_bench.py: {lack} is not installed")
    program, what = os.path.abspath(sys.argv[1]), sys.argv[2]
    numbers = [int(text) for text in sys.argv[3:]]
    jobs = numbers[0] if numbers else None
    if what == "flow":
        print("Slurm as it comes (bf_interval=30, no Epilog):", flush=True)
        flow(False, program, jobs or 200, "bf_interval=30")
        print("with what `maui slurm conf` prints:", flush=True)
        in_turn(flow, program, jobs or 200)
    elif what == "starts":
        in_turn(starts, program, jobs or 1000)
    elif what == "mix":
        mix(program, numbers or range(1, 6))
    elif what == "latency":
        in_turn(latency, program, jobs or 30)
    else:
        plan(program, jobs or 10000)


if __name__ == "__main__":
    main()
