#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a job's end to the start of the next: a real daemon with one slot and N queued
jobs, each of which writes down when it begins and ends; behind them WAITING others that
find no room. live_latency.py MAUI [N [WAITING]]"""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("maui")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        self.request(method, path, json.dumps(body) if body else None,
                     {"Content-Type": "application/json"})
        answer = self.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, text
        return text


def gaps(times):
    with open(times) as f:
        marks = [(line.split()[0], float(line.split()[1])) for line in f]
    return sorted(1000 * (after[1] - before[1])
                  for before, after in zip(marks, marks[1:]) if before[0] == "E")


SETTINGS = "CREDWEIGHT 1\nCLASSWEIGHT 1\nCLASSCFG[first] PRIORITY=1000000\n"
ARRAY = 1000


def wait_behind(api, waiting):
    """One job stays on the second processor; all others want both."""
    for tasks in [1] + [2] * (waiting // ARRAY):
        api.ask("POST", "/v1/jobs", {
            "script": "#!/bin/sh\nsleep 3600\n", "wclimit_s": 7200, "directory": "/tmp",
            "output": "/dev/null", "error": "/dev/null", "requests": [{"tasks": tasks}],
            **({"array": f"1-{ARRAY}"} if tasks > 1 else {})})


def main():
    maui, jobs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    waiting = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    home = tempfile.mkdtemp(prefix="maui-latency-")
    times = f"{home}/times"
    script = (f"#!/bin/dash\ndate +'S %s.%N' >>{times}\ndate +'E %s.%N' >>{times}\n")
    try:
        with open(f"{home}/maui.cfg", "w") as f:
            f.write(SETTINGS)
        subprocess.run([maui, "serve", "--home", home, "-c", f"{home}/maui.cfg",
                        "--nodes", "1x2" if waiting else "1x1"], check=True)
        api = Connection(f"{home}/api.sock")
        if waiting:
            wait_behind(api, waiting)
        begin = time.monotonic()
        for _ in range(jobs):
            api.ask("POST", "/v1/jobs", {"script": script, "wclimit_s": 60, "class": "first",
                                         "directory": home, "output": "/dev/null",
                                         "error": "/dev/null"})
        rate = jobs / (time.monotonic() - begin)
        while len(api.ask("GET", "/v1/jobs?class=first").splitlines()) > 1:
            time.sleep(0.2)
        found = gaps(times)
        at = [found[int(len(found) * share)] for share in (0.5, 0.9, 0.99)]
        print(f"jobs={jobs} waiting={waiting} submitted_s={rate:.0f} gap_ms: median={at[0]:.2f} "
              f"p90={at[1]:.2f} p99={at[2]:.2f} max={found[-1]:.2f}")
    finally:
        with open(f"{home}/maui.pid") as f:
            os.kill(int(f.read()), signal.SIGTERM)
        time.sleep(0.5)
        subprocess.run(["pkill", "-KILL", "-f", f"{home}/spool"], check=False)
        shutil.rmtree(home, ignore_errors=True)


main()
