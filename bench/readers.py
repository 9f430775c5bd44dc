#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Readers of a long queue, and what others wait for meanwhile: a real daemon with N queued
jobs, 40 `showq` at once, then showq in loops while jobs are submitted and start; arrays of
one user beside submissions of another. readers.py MAUI [N [READERS]]"""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from long_queue import ARRAY, Connection

HELD = {"script": "#!/bin/sh\nsleep 3600\n", "wclimit_s": 7200, "directory": "/tmp",
        "output": "/dev/null", "error": "/dev/null"}


class Bench:
    def __init__(self, maui, config=""):
        self.maui = os.path.abspath(maui)
        self.home = tempfile.mkdtemp(prefix="maui-bench-")
        self.env = dict(os.environ, MAUIHOMEDIR=self.home, TZ="UTC", CLIENTTIMEOUT="120")
        with open(f"{self.home}/maui.cfg", "w") as f:
            f.write("JOBAGGREGATIONTIME 0\n" + config)
        subprocess.run([self.maui, "serve", "--nodes", "1x8"], env=self.env, check=True)

    def api(self):
        return Connection(f"{self.home}/api.sock")

    def showq(self):
        """Begun; its output is thrown away."""
        return subprocess.Popen([self.maui, "showq"], env=self.env,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def close(self):
        with open(f"{self.home}/maui.pid") as f:
            pid = int(f.read())
        os.kill(pid, signal.SIGKILL)
        subprocess.run(["pkill", "-KILL", "-f", f"{self.home}/spool"], check=False)
        shutil.rmtree(self.home, ignore_errors=True)


def figures(name, seconds):
    if not seconds:
        print(f"{name}: none")
        return
    seconds = sorted(1000 * s for s in seconds)
    print(f"{name}: n={len(seconds)} median={seconds[len(seconds) // 2]:.0f} ms "
          f"p95={seconds[int(len(seconds) * 0.95)]:.0f} ms max={seconds[-1]:.0f} ms",
          flush=True)


def fill(bench, jobs):
    """Each wants the whole machine, of which a long job has one processor: they wait."""
    api, begin = bench.api(), time.monotonic()
    api.ask("POST", "/v1/jobs", dict(HELD, script="#!/bin/sh\nsleep 86400\n", wclimit_s=86400))
    for _ in range(0, jobs, ARRAY):
        api.ask("POST", "/v1/jobs", dict(HELD, array=f"1-{ARRAY}", requests=[{"tasks": 8}]))
    print(f"filled: {jobs} jobs in {time.monotonic() - begin:.1f} s", flush=True)


def at_once(bench, readers):
    """All of them begun together: how long until each is through."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin, took, failed = time.monotonic(), [], 0
    running = [bench.showq() for _ in range(readers)]
    while running:
        for p in list(running):
            if p.poll() is not None:
                took.append(time.monotonic() - begin)
                failed += p.returncode != 0
                p.stderr.close()
                running.remove(p)
        time.sleep(0.002)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / readers
    figures(f"showq x{readers} at once (failed: {failed}, CPU of each {1000 * cpu:.0f} ms)",
            took)


def latencies(bench, seconds):
    """A job after the other: until it is acknowledged, until it runs."""
    api, submitted, started = bench.api(), [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        mark = f"{bench.home}/ran"
        begin = time.monotonic()
        api.ask("POST", "/v1/jobs", dict(HELD, script=f"#!/bin/sh\n: >{mark}\n"))
        submitted.append(time.monotonic() - begin)
        while not os.path.exists(mark) and time.monotonic() < begin + 60:
            time.sleep(0.001)
        started.append(time.monotonic() - begin)
        os.unlink(mark)
    return submitted, started


def beside_readers(bench, readers, seconds):
    going = threading.Event()

    def loop():
        while not going.is_set():
            p = bench.showq()
            p.wait()
            p.stderr.close()

    threads = [threading.Thread(target=loop) for _ in range(readers)]
    for t in threads:
        t.start()
    submitted, started = latencies(bench, seconds)
    going.set()
    for t in threads:
        t.join()
    figures(f"  acknowledged, beside {readers} showq in loops", submitted)
    figures(f"  started, beside {readers} showq in loops", started)


def beside_an_array(bench, size):
    over = threading.Event()

    def submit():
        begin = time.monotonic()
        ids = json.loads(bench.api().ask("POST", "/v1/jobs",
                                         dict(HELD, hold=True, array=f"1-{size}")))["ids"]
        print(f"array of {size}: {time.monotonic() - begin:.2f} s", flush=True)
        begin = time.monotonic()
        bench.api().ask("POST", "/v1/orders/cancel",
                        {"jobs": [ids[0].split("[")[0] + "[]"]})
        print(f"its cancellation: {time.monotonic() - begin:.2f} s", flush=True)
        over.set()

    thread = threading.Thread(target=submit)
    thread.start()
    submitted = []
    while not over.is_set():
        submitted += latencies(bench, 0.2)[0]
    thread.join()
    figures("  acknowledged meanwhile", submitted)


def main():
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    readers = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    bench = Bench(sys.argv[1])
    try:
        for name, found in zip(("acknowledged", "started"), latencies(bench, 3)):
            figures(f"alone: {name}", found)
        fill(bench, jobs)
        for name, found in zip(("acknowledged", "started"), latencies(bench, 5)):
            figures(f"with {jobs} queued: {name}", found)
        at_once(bench, 1)
        at_once(bench, readers)
        beside_readers(bench, 16, 10)
        beside_an_array(bench, 20000)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
