#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scheduler on OpenPBS or TORQUE beside PBS's own, on the same jobs, one after the other:

  pbs_bench.py MAUI [JOBS]      500 one-second jobs of one processor

On the server of $PBS_HOME, which is for tests (its own scheduler is switched on and off,
pbs_sched started where it does not run). As root; jobs are those of user alice."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from statistics import median


def run(*words, user=None, check=True, text=""):
    if user:
        words = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *words)
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False,
                          cwd="/tmp", input=text)
    if check and done.returncode != 0:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout.strip()


def is_torque():
    done = subprocess.run(["qstat", "--version"], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).startswith("Version:")


def submit(script):
    """One held job of a processor."""
    words = ["qsub", "-h", "-o", "/dev/null", "-e", "/dev/null"]
    if is_torque():
        run(*words, "-l", "nodes=1,walltime=30", user="alice", text=script + "\n")
    else:
        run(*words, "-l", "select=1:ncpus=1,walltime=30", "--", "/bin/sh", "-c", script, user="alice")


def processors():
    if is_torque():
        return sum(int(np.text) for np in ET.fromstring(run("pbsnodes", "-x")).iter("np"))
    return sum(node["resources_available"].get("ncpus", 0) for node in
               json.loads(run("pbsnodes", "-av", "-F", "json"))["nodes"].values())


def flow(name, jobs):
    """All are there before the first may start."""
    out = tempfile.mkdtemp(prefix="maui-pbs-")
    os.chmod(out, 0o777)
    script = f"date +%s.%N >{out}/$PBS_JOBID.b; sleep 1; date +%s.%N >{out}/$PBS_JOBID.e"
    for _ in range(jobs):
        submit(script)
    held = run("qselect", "-s", "H").split()
    time.sleep(3)
    begin = time.time()
    run("qrls", *held)
    while len(list(pathlib.Path(out).glob("*.e"))) < jobs:
        time.sleep(0.2)
    begins, ends = (sorted(float(p.read_text()) for p in pathlib.Path(out).glob(f"*.{x}"))
                    for x in "be")
    last = ends[-1]
    slots = processors()
    gaps = [b - e for b, e in zip(begins[slots:], ends)]
    print(f"{name}: {jobs} jobs of 1 s on {slots} processors in {last - begin:.1f} s (floor "
          f"{jobs / slots:.0f} s), {jobs / (last - begin):.1f} starts/s; a free processor "
          f"has its next job after {median(gaps):.2f} s", flush=True)
    shutil.rmtree(out)


def own_scheduler():
    """Its process; None: it does not run."""
    try:
        lock = next(pathlib.Path(os.environ["PBS_HOME"], "sched_priv").glob("sched*lock"))
        pid = int(lock.read_text())
        os.kill(pid, 0)
        return pid
    except (OSError, StopIteration, ValueError):
        return None


def with_own(jobs):
    there = own_scheduler()
    run("qmgr", "-c", "set server scheduling = True")
    if is_torque():  # what it is not told it sees then: as it is, 10 minutes later
        run("qmgr", "-c", "set server scheduler_iteration = 1")
    if not there:
        subprocess.run(["pbs_sched"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        time.sleep(2)
    try:
        flow("pbs ", jobs)
    finally:
        run("qmgr", "-c", "set server scheduling = False")
        if is_torque():
            run("qmgr", "-c", "unset server scheduler_iteration")
        if not there and own_scheduler():
            os.kill(own_scheduler(), signal.SIGTERM)


def with_maui(maui, jobs):
    home = tempfile.mkdtemp(prefix="maui-pbs-")
    os.environ["MAUIHOMEDIR"] = home
    pathlib.Path(home, "maui.cfg").write_text(
        "RMCFG[pbs] TYPE=PBS POLLINTERVAL=1\nADMIN1 root\n"
        "NODEAVAILABILITYPOLICY DEDICATED\n")  # others load this host
    run(maui, "pbs", "install")
    run(maui, "serve")
    try:
        flow("maui", jobs)
    finally:
        run(maui, "schedctl", "-k", check=False)
        run(maui, "pbs", "install", "--undo", check=False)
        shutil.rmtree(home, ignore_errors=True)


def main():
    if len(sys.argv) < 2 or not os.environ.get("PBS_HOME") or os.geteuid() != 0:
        sys.exit(__doc__)
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    with_own(jobs)
    with_maui(pathlib.Path(sys.argv[1]).resolve(), jobs)


if __name__ == "__main__":
    main()
