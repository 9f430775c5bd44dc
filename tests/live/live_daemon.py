# SPDX-License-Identifier: Apache-2.0
"""A daemon of its own, in a folder that goes away, and what tests ask of it."""
import grp
import http.client
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

# Who runs the tests, and so the daemon and its jobs: root or anybody else.
ME = pwd.getpwuid(os.geteuid()).pw_name
MY_GROUP = grp.getgrgid(os.getegid()).gr_name


def wait_for(condition, what, seconds, story, pause=0.02):
    """What the condition gives when it is true; or fail, telling the story. A condition is
    often a command: asked fifty times a second by several tests it would keep the machine
    busy, so it is asked less often the longer it takes. Once more at the end, however
    long the last answer took."""
    begin = time.monotonic()
    while True:
        waited = time.monotonic() - begin
        value = condition()
        if value:
            return value
        if waited >= seconds:
            break
        time.sleep(min(0.15, max(pause, waited / 8)))
    raise AssertionError(f"{what} has not come in {seconds} s\n{story()}")


def proc_text(pid):
    """Environment and command line of a process; nothing of one that is gone or not ours."""
    text = b""
    for name in ("environ", "cmdline"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as f:
                text += f.read()
        except OSError:
            pass
    return text


class Connection(http.client.HTTPConnection):
    """HTTP through a socket of the file system."""

    def __init__(self, path, timeout=30):
        super().__init__("maui", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)  # with a timeout a full queue is refused at once
        self.sock.settimeout(self.timeout)


class Daemon:
    def __init__(self, program, nodes="4x2", config=""):
        self.program = str(program)
        self.home = tempfile.mkdtemp(prefix="maui-")
        self.nodes = nodes
        self.env = dict(os.environ, MAUIHOMEDIR=self.home, LC_ALL="C", TZ="UTC")
        self.configure(config)

    def configure(self, text, plain=False):
        """Jobs fill nodes from the first on where the test does not say otherwise: many
        name the nodes they expect. `plain`: not a word but what is told."""
        if not plain and "NODEALLOCATIONPOLICY" not in text:
            text += "\nNODEALLOCATIONPOLICY FIRSTAVAILABLE\n"
        with open(f"{self.home}/maui.cfg", "w") as f:
            f.write(text)

    def start(self, *options):
        done = self.run("serve", "--nodes", self.nodes, "-L", "5", *options)
        assert done.returncode == 0, done.stderr
        return self

    def pid(self):
        with open(f"{self.home}/maui.pid") as f:
            return int(f.read())

    def kill(self):
        """As power goes: nothing is saved on the way out."""
        pid = self.pid()
        os.kill(pid, signal.SIGKILL)
        self.gone(pid)

    def stop(self):
        try:
            pid = self.pid()
            os.kill(pid, signal.SIGTERM)
        except (OSError, ValueError):
            return
        self.gone(pid)

    @staticmethod
    def gone(pid):
        for _ in range(3000):
            try:
                with open(f"/proc/{pid}/stat") as f:
                    if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return
            except (FileNotFoundError, ProcessLookupError):
                return
            time.sleep(0.02)
        raise AssertionError(f"process {pid} does not end")

    def run(self, *args, stdin=None):
        """`maui ARGS...` in the daemon's own folder, where outputs of jobs may stay; the
        finished process."""
        return subprocess.run([self.program, *map(str, args)], env=self.env, input=stdin,
                              cwd=self.home, capture_output=True, text=True, timeout=60)

    def ok(self, *args, stdin=None):
        done = self.run(*args, stdin=stdin)
        assert done.returncode == 0, f"{args}: {done.stderr}{done.stdout}"
        return done.stdout

    def lines(self, *args):
        """Records of a command with --format json, a line each."""
        return [json.loads(line) for line in self.ok(*args, "--format", "json").splitlines()]

    def api(self, path, body=None, method=None):
        """The API itself: (status, answer), the answer parsed; a list of lists."""
        if body is not None and not isinstance(body, str):
            body = json.dumps(body)
        connection = Connection(f"{self.home}/api.sock")
        try:
            connection.request(method or ("GET" if body is None else "POST"), path,
                               None if body is None else body.encode(),
                               {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            status, text = answer.status, answer.read().decode()
        finally:
            connection.close()
        try:
            return status, json.loads(text)
        except ValueError:
            return status, [json.loads(l) for l in text.splitlines() if l.strip()]

    def submit(self, script="sleep 60", **request):
        request.setdefault("wclimit_s", 300)
        request.setdefault("directory", self.home)
        status, answer = self.api("/v1/jobs", dict(request, script=f"#!/bin/sh\n{script}\n"))
        assert status == 200, answer
        return answer["ids"][0]

    def job(self, job):
        status, answer = self.api(f"/v1/jobs/{job}")
        return answer if status == 200 else None

    def wait(self, condition, what="the condition", seconds=60):
        return wait_for(condition, what, seconds, self.log)

    def state(self, job):
        found = self.job(job)
        return found["state"] if found else None

    def log(self):
        with open(f"{self.home}/log/maui.log") as f:
            return f.read()

    def clean(self):
        try:
            self.ok("canceljob", "ALL")
            self.wait(lambda: len(self.lines("showq")) <= 1, "the end of all jobs", 10)
        except Exception:
            pass
        self.stop()
        self.end_processes()
        shutil.rmtree(self.home, ignore_errors=True)

    def end_processes(self):
        """Whatever still runs of this daemon: keepers, jobs, programs of the site, and
        what these began. All have its home in their environment or command line."""
        mark = self.home.encode()
        for _ in range(100):
            left = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                    if pid != os.getpid() and mark in proc_text(pid)]
            if not left:
                return
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.02)
