#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""showq with N queued jobs, and what others wait for meanwhile: a real daemon whose few
processors are busy, N jobs behind them (arrays of 1,000), and a second client that asks
for its identity again and again. long_queue.py MAUI [N]"""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ARRAY = 1000


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("maui", timeout=120)
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


class Neighbour(threading.Thread):
    """Asks for little, one request after the other, until told to stop."""

    def __init__(self, path):
        super().__init__()
        self.api, self.going, self.waits = Connection(path), True, []

    def run(self):
        while self.going:
            begin = time.monotonic()
            self.api.ask("GET", "/v1/identity")
            self.waits.append(time.monotonic() - begin)
            time.sleep(0.001)

    def stop(self):
        self.going = False
        self.join()
        self.waits.sort()
        return (f"neighbour_ms: median={1000 * self.waits[len(self.waits) // 2]:.1f} "
                f"max={1000 * self.waits[-1]:.1f} of {len(self.waits)}")


def measure(path, what, action):
    neighbour = Neighbour(path)
    neighbour.start()
    begin = time.monotonic()
    told = action()
    seconds = time.monotonic() - begin
    print(f"{what}: {seconds:.2f} s {told}; {neighbour.stop()}", flush=True)


def submit(path, jobs):
    api = Connection(path)
    for _ in range(0, jobs, ARRAY):
        api.ask("POST", "/v1/jobs", {
            "script": "#!/bin/sh\nsleep 3600\n", "wclimit_s": 7200, "directory": "/tmp",
            "output": "/dev/null", "error": "/dev/null", "array": f"1-{ARRAY}"})
    return f"({jobs} jobs)"


def show(maui, env, *words):
    done = subprocess.run([maui, *words], env=env, capture_output=True, check=True)
    return f"({done.stdout.count(10)} lines)"


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def main():
    maui, jobs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100000
    home = tempfile.mkdtemp(prefix="maui-queue-")
    env, path = dict(os.environ, MAUIHOMEDIR=home), f"{home}/api.sock"
    try:
        subprocess.run([maui, "serve", "--home", home, "--nodes", "2x2"], check=True)
        measure(path, "submit", lambda: submit(path, jobs))
        measure(path, "nothing", lambda: time.sleep(3) or "")
        for words in (["showq"], ["showq"], ["showq"], ["showq", "-i"],
                      ["showq", "--format", "json"], ["showq", "-u", "nobody"],
                      ["showstats"], ["showbf"], ["showstart", "4@60"]):
            measure(path, " ".join(words), lambda w=words: show(maui, env, *w))
    finally:
        with open(f"{home}/maui.pid") as f:
            pid = int(f.read())
        begin = time.monotonic()
        os.kill(pid, signal.SIGTERM)
        while alive(pid) and time.monotonic() - begin < 60:
            time.sleep(0.05)
        subprocess.run(["pkill", "-KILL", "-f", f"{home}/spool"], check=False)
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
