#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""N jobs at once under BACKFILLPOLICY PLAN, while somebody looks at the queue: how long a
turn of the daemon's loop took at most, and what it did; how long answers took.
burst.py BUILD [array|single|wiki [N]]"""
import pathlib
import random
import sys
import threading
import time

TESTS = pathlib.Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "live"), str(TESTS / "wiki")]
from live_daemon import Connection, Daemon  # noqa: E402
from server import World  # noqa: E402

NODES = 64  # of two processors
SETTINGS = """BACKFILLPOLICY PLAN
QUEUETIMEWEIGHT 1
DEFERTIME 0
"""
SILENT = {"output": "/dev/null", "error": "/dev/null"}


def shapes(seed):
    random_ = random.Random(seed)
    while True:
        yield (random_.choice([600, 1800, 3600, 7200, 36000]),
               random_.choice([1, 1, 2, 4, 8, 16, 32, 100]))


def submit_array(daemon, n):
    some = shapes(1)
    for _ in range(n // 1000):
        seconds, tasks = next(some)
        daemon.submit("sleep 3000", array="1-1000", wclimit_s=seconds,
                      requests=[{"tasks": tasks}], **SILENT)


def submit_single(daemon, n):
    """From eight callers at once."""
    def call(seed):
        for _, (seconds, tasks) in zip(range(n // 8), shapes(seed)):
            daemon.submit("sleep 3000", wclimit_s=seconds, requests=[{"tasks": tasks}], **SILENT)
    callers = [threading.Thread(target=call, args=(i,)) for i in range(8)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()


def submit_there(world, n):
    """At the resource manager, which tells of all of them at once."""
    now = int(time.time())
    with world.state() as o:
        for i, (seconds, tasks) in zip(range(n), shapes(1)):
            o["jobs"][f"j{i}"] = {
                "UPDATETIME": now, "STATE": "Idle", "WCLIMIT": seconds, "TASKS": tasks,
                "QUEUETIME": now, "STARTTIME": 0, "COMPLETIONTIME": 0, "UNAME": "nobody",
                "GNAME": "nogroup", "RCLASS": "[batch:1]", "TASKLIST": [], "seconds": 3000,
                "ends_at": 0}


def figures(daemon):
    c = Connection(f"{daemon.home}/api.sock")
    c.request("GET", "/metrics")
    text = c.getresponse().read().decode()
    c.close()
    return {k: float(v) for k, v in (line.rsplit(" ", 1) for line in text.splitlines()
                                     if not line.startswith("#"))}


def watch(daemon, took, over):
    while not over.is_set():
        begin = time.monotonic()
        daemon.api("/v1/scheduler")
        took.append(time.monotonic() - begin)
        time.sleep(0.01)


def main():
    build, how = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "array"
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    daemon, world = Daemon(build / "src/client/maui", f"{NODES}x2"), None
    try:
        daemon.configure(SETTINGS)
        if how == "wiki":
            world = World(f"{daemon.home}/world", {f"n{i}": 2 for i in range(NODES)}, "NONE", "")
            daemon.configure(SETTINGS + f"RMCFG[wiki] TYPE=WIKI HOST=127.0.0.1 PORT={world.port} "
                             "AUTHTYPE=NONE POLLINTERVAL=1 TIMEOUT=30\n")
            assert daemon.run("serve").returncode == 0
            time.sleep(3)
        else:
            daemon.start()
        took, over, begin = [], threading.Event(), time.monotonic()
        watcher = threading.Thread(target=watch, args=(daemon, took, over))
        watcher.start()
        if world:
            submit_there(world, n)
        else:
            (submit_array if how == "array" else submit_single)(daemon, n)
        while sum(v for k, v in figures(daemon).items() if k.startswith("maui_jobs{")) < n:
            time.sleep(0.2)
        there = time.monotonic() - begin
        time.sleep(5)
        over.set()
        watcher.join()
        took.sort()
        f = figures(daemon)
        print(f"{how} jobs={n} there_s={there:.1f} answers_ms: median={1e3 * took[len(took) // 2]:.1f} "
              f"p99={1e3 * took[int(len(took) * 0.99)]:.1f} max={1e3 * took[-1]:.1f} of {len(took)}")
        for key, value in sorted(f.items(), key=lambda kv: -kv[1]):
            if key.startswith("maui_turn_longest_s") and value > 0.003:
                cpu = f[key.replace("longest_seconds", "longest_processor_seconds")]
                print(f"  {1e3 * value:8.1f} ms, of the processor {1e3 * cpu:8.1f} ms: "
                      f"{key[key.index('=') + 1:-1]}")
        for bound in ("0.005", "0.01", "0.02", "0.05", "+Inf"):
            at = f'_seconds_bucket{{le="{bound}"}}'
            print(f"  turns up to {bound} s: {f['maui_turn_duration' + at]:.0f}, of the processor: "
                  f"{f['maui_turn_processor' + at]:.0f}")
    finally:
        daemon.clean()
        if world:
            world.kill()


main()
