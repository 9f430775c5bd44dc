# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the daemon, now and then of a keeper, at random instants while jobs are
submitted, held, released, prioritised, cancelled and end. What was acknowledged is there
afterwards, what was not is there wholly or not at all, no job runs twice or is forgotten.

In the end the journal is done again and gives the same decisions.

MAUI_CHAOS_ROUNDS: how many kills (default 40, and 200); MAUI_CHAOS_SEED: to repeat a run."""
import http.client
import json
import os
import random
import signal
import socket
import threading
import time

import pytest

ROUNDS = [int(n) for n in (os.environ.get("MAUI_CHAOS_ROUNDS") or "40 200").split()]
MAYBE = object()  # asked for, not acknowledged: was done or was not


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("maui", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)
        self.sock.settimeout(30)


class Job:
    """What is known to be so, and what may be so."""

    def __init__(self, tag, held):
        self.tag = tag
        self.id = None
        self.submitted_held = held # by the resource manager: never runs here
        self.held = {held}         # possible answers to: is there a hold on it?
        self.priority = {0}
        self.cancelled = False     # True, False, MAYBE
        self.keeper_killed = False
        self.over = False          # it has been seen to be gone as it should


class Chaos:
    def __init__(self, daemon, dice):
        self.daemon, self.dice = daemon, dice
        self.jobs = []
        self.ran = f"{daemon.home}/ran"
        self.acknowledged = self.broken = 0
        self.over = threading.Event()

    # ---- a client ----

    def get(self, path):
        connection = Unix(f"{self.daemon.home}/api.sock")
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status == 404:
            return None
        assert answer.status == 200, text
        return [json.loads(line) for line in text.splitlines() if line.strip()]

    def record(self, id):
        found = self.get(f"/v1/jobs/{id}")
        return found and found[0]

    def call(self, path, body):
        """The answer; None when the connection broke or the daemon refused for now."""
        try:
            connection = Unix(f"{self.daemon.home}/api.sock")
            connection.request("POST", path, json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
        except (OSError, http.client.HTTPException):
            self.broken += 1
            return None
        if answer.status == 503:
            self.broken += 1
            return None
        assert answer.status == 200, text
        self.acknowledged += 1
        return json.loads(text)

    def order(self, order, job, **members):
        """True: done; False: refused; None: nobody knows."""
        answer = self.call(f"/v1/orders/{order}", {"jobs": [job.id], **members})
        return answer and answer["results"][0]["ok"]

    def submit(self):
        held = self.dice.random() < 0.2
        job = Job(f"t{len(self.jobs)}", held)
        self.jobs.append(job)
        script = (f"#!/bin/sh\necho start {job.tag} >>{self.ran}\n"
                  f"sleep {self.dice.choice([0, 0, 0.1, 0.4])}\n"
                  f"echo end {job.tag} >>{self.ran}\n")
        answer = self.call("/v1/jobs", {
            "script": script, "wclimit_s": 100, "directory": self.daemon.home,
            "name": job.tag, "hold": held, "output": "/dev/null", "error": "/dev/null"})
        if answer:
            job.id = answer["ids"][0]

    def act(self):
        known = [j for j in self.jobs[-40:] if j.id and j.cancelled is False]
        if not known or self.dice.random() < 0.35:
            self.submit()
            return
        job = self.dice.choice(known)
        what = self.dice.random()
        if what < 0.3:
            done = self.order("hold", job, kinds=["user"])
            job.held = {True} if done else job.held if done is False else job.held | {True}
        elif what < 0.55:
            if job.submitted_held:
                return
            done = self.order("release", job, kinds=["user"])
            job.held = {False} if done else job.held if done is False else job.held | {False}
        elif what < 0.8:
            n = self.dice.randint(1, 1000)
            done = self.order("priority", job, priority=n)
            job.priority = {n} if done else job.priority if done is False else job.priority | {n}
        else:
            done = self.order("cancel", job)
            job.cancelled = True if done else MAYBE if done is None else False

    def client(self):
        while not self.over.is_set():
            self.act()

    # ---- what kills ----

    def keeper(self):
        """A keeper of ours, by its folder in the spool; and its job."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline") as f:
                    words = f.read().split("\0")
            except OSError:
                continue
            if "keeper" in words[0] and any(self.daemon.home in w for w in words):
                found.append((int(pid), words))
        return self.dice.choice(found) if found else None

    def kill_keeper(self):
        found = self.keeper()
        if not found:
            return
        job = [w for w in found[1] if "/jobs/" in w][0].rsplit("/", 1)[1]
        for j in self.jobs:
            # one that is just being submitted may be it, too
            j.keeper_killed |= j.id == job or j.id is None
        try:
            os.kill(found[0], signal.SIGKILL)
        except ProcessLookupError:
            pass

    def start(self):
        done = self.daemon.run("serve", "--nodes", self.daemon.nodes, "-L", "5")
        assert done.returncode == 0, done.stderr

    def round(self, number):
        self.over.clear()
        client = threading.Thread(target=self.client)
        client.start()
        time.sleep(self.dice.uniform(0, 0.12))
        if number % 5 == 4:
            self.kill_keeper()
            time.sleep(self.dice.uniform(0, 0.02))
        pid = self.daemon.pid()
        os.kill(pid, signal.SIGKILL)
        self.over.set()
        client.join()
        self.daemon.gone(pid)
        self.start()
        self.compare()

    # ---- what must be so ----

    def lines(self):
        try:
            with open(self.ran) as f:
                return [tuple(line.split()) for line in f]
        except FileNotFoundError:
            return []

    def listed(self):
        return [r for r in self.get("/v1/jobs") if "id" in r]  # one tells of the whole

    def compare(self):
        there = {j["id"]: j for j in self.listed()}
        lines = self.lines()
        assert len(set(lines)) == len(lines), "a job ran twice"
        started = {tag for what, tag in lines if what == "start"}
        for job in self.jobs:
            if job.submitted_held:
                assert job.tag not in started, f"{job.tag} was held and never released"
            if not job.id or job.over:
                continue
            record = self.record(job.id) if job.id in there else None
            if record is None:
                # ended, or not told again yet by the resource manager
                if job.cancelled is False and not job.keeper_killed:
                    self.daemon.wait(
                        lambda j=job: ("start", j.tag) in self.lines() or self.record(j.id),
                        f"job {job.id}, which is lost,", 10)
                job.over = ("end", job.tag) in lines
                continue
            if record["state"] not in ("Idle", "Hold"):
                continue
            assert job.cancelled is not True, f"{job.id} was cancelled"
            # whose keeper was killed as it began is deferred besides
            held = "user" in record.get("holds", []) + record.get("rm_holds", [])
            assert held in job.held, f"{job.id}: {record}"
            assert record.get("system_priority", 0) in job.priority, (job.id, record)
            # what was not known is known now
            job.held, job.cancelled = {held}, False
            job.priority = {record.get("system_priority", 0)}

    def settle(self):
        """Everything released runs to its end, once."""
        self.compare()
        for job in self.jobs:
            if job.id and job.cancelled is False:
                self.order("cancel" if job.submitted_held else "release", job,
                           kinds=["all"])
        mine = {job.id for job in self.jobs}
        for id in [j["id"] for j in self.listed() if j["id"] not in mine]:
            self.daemon.ok("canceljob", id)  # its submission was not acknowledged
        self.daemon.wait(lambda: not self.listed(), "the end of all jobs", 60)
        lines = self.lines()
        assert len(set(lines)) == len(lines), "a job ran twice"
        for job in self.jobs:
            if (job.id and job.cancelled is False and not job.keeper_killed
                    and not job.submitted_held):
                assert ("start", job.tag) in lines, f"{job.id} ({job.tag}) never ran"
                assert ("end", job.tag) in lines, f"{job.id} ({job.tag}) never ended"


LONG = pytest.mark.long("test_kill_9_at_random_instants_loses_nothing_acknowledged")


@pytest.mark.parametrize("rounds", [ROUNDS[0], *(pytest.param(n, marks=LONG) for n in ROUNDS[1:])])
def test_kill_9_at_random_instants_loses_nothing_acknowledged(daemon, rounds):
    seed = int(os.environ.get("MAUI_CHAOS_SEED", time.time_ns() % 2**32))
    print("seed", seed)
    daemon.nodes = "4x8"
    daemon.start()
    # one that can never run: its deferral, count and expiry stay as they were
    never = daemon.submit("true", requests=[{"tasks": 9999}])
    daemon.wait(lambda: daemon.job(never).get("defer_until"), "the deferral")
    keys = ("holds", "hold_reason", "hold_text", "defer_until", "defer_count")
    deferred = {k: daemon.job(never).get(k) for k in keys}
    chaos = Chaos(daemon, random.Random(seed))
    for number in range(rounds):
        chaos.round(number)
        assert {k: chaos.record(never).get(k) for k in keys} == deferred
    daemon.ok("canceljob", never)
    chaos.settle()
    verified = daemon.run("replay", "--verify")
    assert verified.returncode == 0, verified.stdout[-2000:] + verified.stderr
    print(verified.stdout)
    print(f"{rounds} kills, {len(chaos.jobs)} jobs, {chaos.acknowledged} acknowledged, "
          f"{chaos.broken} not")
