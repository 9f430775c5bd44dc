# SPDX-License-Identifier: Apache-2.0
"""Two daemons that only move when they are told to: one with real jobs under a clock that
stands, one that serves the simulation. Both are asked and ordered about in the same way."""
import contextlib
import errno
import grp
import http.client
import json
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess

from driven_clock import DrivenClock
from live_daemon import Daemon

PROGRAMS = ("maui", "maui-client")


class Person:
    """Somebody who gives commands; level 1 to 3 of an administrator, 0 of others."""

    def __init__(self, name, level):
        self.name, self.level = name, level
        record = pwd.getpwnam(name)
        self.uid, self.gid = record.pw_uid, record.pw_gid
        self.group = grp.getgrgid(self.gid).gr_name

    def identity(self):
        """Whose process a command is, for subprocess."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("maui", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


class Site(Daemon):
    """What both have in common."""

    def __init__(self, program, config):
        super().__init__(program)
        os.chmod(self.home, 0o755)
        os.mkdir(f"{self.home}/bin")
        for name in PROGRAMS:
            shutil.copy(os.path.join(os.path.dirname(self.program), name), f"{self.home}/bin")
        self.configure(config)

    def command(self, person, words, stdin=None):
        """(exit status, stdout, stderr) of a command that this person gives."""
        done = subprocess.run(
            [f"{self.home}/bin/maui", *map(str, words)], env=self.env, cwd="/tmp",
            input=stdin, stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True, text=True, timeout=120, check=False, **person.identity())
        return done.returncode, done.stdout, done.stderr

    def api(self, path, body=None, method=None):
        connection = Unix(f"{self.home}/api.sock")
        with contextlib.closing(connection):
            connection.request(method or ("GET" if body is None else "POST"), path,
                               None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, [json.loads(l) for l in text.splitlines() if l.strip()]

    def records(self, path):
        """Of a list: one record is no list for json."""
        status, found = self.api(path)
        assert status == 200, (path, status, found)
        return found if isinstance(found, list) else [found]

    def iterate(self):
        before = self.api("/v1/scheduler")[1]["iteration"]
        status, answer = self.api("/v1/scheduler", {"action": "step"})
        assert status == 200, answer
        self.wait(lambda: self.api("/v1/scheduler")[1]["iteration"] > before, "an iteration", 60)

    def snapshot(self):
        """All that an administrator can see of jobs, reservations and nodes."""
        status, config = self.api("/v1/scheduler")
        assert status == 200
        jobs = {}
        for brief in self.records("/v1/jobs"):
            if "id" in brief and brief["section"] != "completed":
                status, jobs[brief["id"]] = self.api(f"/v1/jobs/{brief['id']}")
                assert status == 200, (brief, jobs)
                jobs[brief["id"]]["brief"] = brief
        return {"at": config["at"], "jobs": jobs,
                "reservations": {r["name"]: r for r in self.records("/v1/reservations")},
                "nodes": {n["name"]: n for n in self.records("/v1/nodes")}}


class Live(Site):
    """Jobs are processes that wait for finish(); the time of day stands still."""

    def __init__(self, program, config, at):
        super().__init__(program, config)
        self.clock = DrivenClock(self.home)
        self.env |= self.clock.env
        self.at = at
        self.clock.stand(at)
        self.ends = f"{self.home}/ends"
        os.mkdir(self.ends)
        self.leaving = set()  # told to stop, and will not before they are told to end

    def begin(self, *options):
        done = self.run("serve", "--paused", *options)
        assert done.returncode == 0, done.stderr

    def move(self, at):
        self.at = at
        self.clock.stand(at)

    def script(self, tag, stubborn):
        """It runs until finish(tag); a stubborn one also when it is told to stop."""
        path = f"{self.ends}/{tag}"
        os.mkfifo(path)
        os.chmod(path, 0o666)
        trap = "trap '' TERM\n" if stubborn else ""
        return f"#!/bin/sh\n{trap}read status <{path}\nexit $status\n"

    def finish(self, tag, status, is_there):
        """Let it end; is_there() says whether it still can."""
        def tell():
            try:
                fd = os.open(f"{self.ends}/{tag}", os.O_WRONLY | os.O_NONBLOCK)
            except OSError as e:
                assert e.errno == errno.ENXIO, e
                return not is_there()
            os.write(fd, f"{status}\n".encode())
            os.close(fd)
            return True

        self.wait(tell, f"a reader for the end of {tag}", 60)

    def pending(self):
        """Jobs told to stop of which the resource manager has not said that they did."""
        with contextlib.closing(sqlite3.connect(f"file:{self.home}/state.db?mode=ro",
                                                uri=True, timeout=30)) as db:
            return {key.split()[0] for key, in db.execute("SELECT key FROM record WHERE kind='order'")}

    def settle(self):
        """Wait until everything that was ordered has come about."""
        def settled():
            starting = [r["id"] for r in self.records("/v1/jobs")
                        if r.get("state") == "Starting"]
            return (not starting or self.leaving) and self.pending() <= self.leaving

        self.wait(settled, "rest", 60)

    def keeper(self, job):
        """The process that keeps a job, or None."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as f:
                    words = f.read().split("\0")
                if "keeper" in words[0] and f"{self.home}/spool/jobs/{job}" in words:
                    return int(pid)
        return None

    def kill_keeper(self, job):
        pid = self.keeper(job)
        if pid:
            os.kill(pid, signal.SIGKILL)
        return pid is not None

    def clean(self):
        self.end_processes()
        shutil.rmtree(self.home, ignore_errors=True)


class Simulated(Site):
    """The same machine and the same jobs, from traces; its clock goes with its iterations."""

    def __init__(self, program, config, machine, workload, at):
        super().__init__(program, config + (
            "SERVERMODE SIMULATION\nSIMSTOPITERATION 0\nSIMJOBSUBMISSIONPOLICY NORMAL\n"
            f"SIMAUTOSHUTDOWN FALSE\nSIMSTARTTIME {at}\n"
            "SIMRESOURCETRACEFILE traces/resource.trace\n"
            "SIMWORKLOADTRACEFILE traces/workload.trace\n"))
        os.mkdir(f"{self.home}/traces")
        for name, text in (("resource", machine), ("workload", workload)):
            with open(f"{self.home}/traces/{name}.trace", "w", encoding="utf-8") as f:
                f.write(text)

    def begin(self):
        done = self.run("serve")
        assert done.returncode == 0, done.stderr

    def clean(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)


