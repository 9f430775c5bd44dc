# SPDX-License-Identifier: Apache-2.0
"""The journal of a varied life is complete: done again, it gives the same decisions."""
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import time

SITE = """
RMPOLLINTERVAL 1
FSPOLICY DEDICATEDPS
FSINTERVAL 10
FSDEPTH 3
FSWEIGHT 1
FSUSERWEIGHT 10
QUEUETIMEWEIGHT 1
XFACTORWEIGHT 5
RESERVATIONDEPTH 3
BACKFILLPOLICY FIRSTFIT
PREEMPTPOLICY REQUEUE
DEFERTIME 3
DEFERCOUNT 3
USERCFG[DEFAULT] QLIST=high,low QDEF=low MAXJOB=9 FSTARGET=40
QOSCFG[high] PRIORITY=1000 QFLAGS=PREEMPTOR
QOSCFG[low] QFLAGS=PREEMPTEE
CLASSCFG[short] MAX.WCLIMIT=300
SRCFG[mine] USERLIST=root HOSTLIST=node01 PERIOD=DAY STARTTIME=0:00:00 ENDTIME=24:00:00
SRCFG[some] CLASSLIST=short TASKCOUNT=2 PERIOD=INFINITY
"""


class Life:
    """Whatever a day brings, at random."""

    def __init__(self, daemon, seed):
        self.daemon, self.dice = daemon, random.Random(seed)
        self.jobs, self.reservations = [], []
        self.refused = self.done = 0

    def post(self, path, body, method="POST"):
        status, answer = self.daemon.api(path, body, method=method)
        assert status < 500, answer
        self.done += status == 200
        self.refused += status != 200
        return answer if status == 200 else None

    def order(self, order, **members):
        if self.jobs:
            self.post(f"/v1/orders/{order}",
                      {"jobs": [self.dice.choice(self.jobs[-12:])], **members})

    def submit(self):
        dice = self.dice
        request = {"tasks": dice.randint(1, 6)}
        if dice.random() < 0.2:
            request = {"tasks": 2, "per_task": {"procs": 2}}
        body = {"script": f"#!/bin/sh\nsleep {dice.choice([0, 0, 0.2, 0.4, 0.7, 1.5, 20])}\n"
                          f"exit {dice.choice([0, 0, 1])}\n",
                "wclimit_s": dice.choice([2, 30, 200, 250, 3000]), "requests": [request],
                "directory": self.daemon.home, "output": "/dev/null", "error": "/dev/null",
                "qos": dice.choice(["low", "low", "high"]), "hold": dice.random() < 0.1}
        if dice.random() < 0.3:
            body["class"] = "short"
        answer = self.post("/v1/jobs", body)
        self.jobs += answer["ids"] if answer else []

    def reserve(self):
        dice = self.dice
        body = {"name": "r", "start_at": int(time.time()) + dice.randint(0, 60),
                "duration_s": dice.choice([2, 3, 5, 100])}
        if dice.random() < 0.5:
            body["hosts"] = dice.choice(["node02", "node03,node04", "ALL"])
        else:
            body["tasks"] = dice.randint(1, 4)
        if dice.random() < 0.4:
            body["users"] = ["root"]
        answer = self.post("/v1/reservations", body)
        self.reservations += [answer["name"]] if answer and "name" in answer else []

    def release_reservation(self):
        names = self.reservations[-5:] + ["mine.0.0", "some.0.0", "nosuch"]
        self.post(f"/v1/reservations/{self.dice.choice(names)}", None, "DELETE")

    def change_reservation(self):
        if self.reservations:
            change = self.dice.choice([{"add": {"users": ["ann"]}}, {"flags": ["BYNAME"]},
                                       {"duration_s": 20}, {"hosts": "node02"}])
            self.post(f"/v1/reservations/{self.dice.choice(self.reservations[-3:])}",
                      change, "PATCH")

    def parameter(self):
        line = self.dice.choice(["RESERVATIONDEPTH 1", "BACKFILLPOLICY NONE",
                                 "BACKFILLPOLICY BESTFIT", "XFACTORWEIGHT 50",
                                 "USERCFG[DEFAULT] MAXJOB=3", "PREEMPTPOLICY SUSPEND",
                                 "NOSUCH 1"])
        name, value = line.split(" ", 1)
        self.daemon.run("changeparam", name, value)

    def look(self):
        """Questions change nothing."""
        self.daemon.api("/v1/windows")
        self.daemon.api("/v1/start?procs=4&duration_s=100")
        if self.jobs:
            self.daemon.api(f"/v1/jobs/{self.jobs[-1]}")
            self.daemon.api(f"/v1/jobs/{self.jobs[-1]}/start")

    def act(self):
        kind = self.dice.randrange(30)
        if kind < 9:
            self.submit()
        elif kind < 11:
            self.order("hold", kinds=[self.dice.choice(["user", "system", "batch"])])
        elif kind < 13:
            self.order("release", kinds=["all"])
        elif kind < 14:
            self.order("priority", priority=self.dice.randint(-5, 500))
        elif kind < 15:
            self.order("qos", qos=self.dice.choice(["high", "low"]))
        elif kind < 17:
            self.order("cancel")
        elif kind < 18:
            self.order("suspend")
        elif kind < 19:
            self.order("resume")
        elif kind < 20:
            self.order("requeue")
        elif kind < 21:
            self.order("run")
        elif kind < 22:
            self.order("modify", changes=[{"attribute": "wclimit", "op": "set",
                                           "value": str(self.dice.randint(5, 900))}])
        elif kind < 23:
            self.order("deadline", deadline_at=int(time.time()) + self.dice.randint(5, 900))
        elif kind < 24:
            self.order("user-priority", priority=self.dice.randint(0, 9))
        elif kind < 26:
            self.reserve()
        elif kind < 27:
            self.dice.choice([self.release_reservation, self.change_reservation])()
        elif kind < 28:
            self.parameter()
        else:
            self.look()


def begin_with_a_start(daemon):
    """Whatever the dice say, there is one to be done again."""
    first = daemon.submit("true")
    daemon.wait(lambda: not daemon.job(first), "its end")


def verify(daemon, *words):
    done = daemon.run("replay", "--verify", *words)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "all the same" in done.stdout, done.stdout
    return done.stdout


def test_a_varied_life_is_decided_the_same_again(daemon):
    seed = int(os.environ.get("MAUI_REPLAY_SEED", time.time_ns() % 2**32))
    steps = int(os.environ.get("MAUI_REPLAY_STEPS", 300))
    print("seed", seed)
    daemon.configure(SITE)
    daemon.start()
    begin_with_a_start(daemon)
    life = Life(daemon, seed)
    for step in range(1, steps + 1):
        life.act()
        if step % (steps // 3) == 0:
            daemon.kill()
            daemon.start()
        elif step % (steps // 4) == 0:
            os.kill(daemon.pid(), signal.SIGHUP)
    verify(daemon)  # beside the running daemon
    daemon.stop()
    told = verify(daemon)
    print(told, life.done, "done", life.refused, "refused")
    assert "4 lives" in told
    shown = daemon.ok("replay")
    for word in ("start", "reserve"):
        assert f"  {word} " in shown, word


def test_a_varied_life_that_begins_anew_is_decided_the_same_again(daemon):
    seed = int(os.environ.get("MAUI_REPLAY_SEED", time.time_ns() % 2**32))
    print("seed", seed)
    daemon.configure(SITE + "JOURNALMAXSIZE 100000\n")
    daemon.start()
    life = Life(daemon, seed)
    count = 0
    for step in range(2000):
        life.act()
        if step % 50 == 49:
            count = daemon.log().count("begins anew")
        if count >= 2:
            break
    daemon.stop()
    print(verify(daemon), count, "times anew;", life.done, "done", life.refused, "refused")
    assert count >= 1


def journal(daemon):
    db = sqlite3.connect(f"{daemon.home}/state.db")
    rows = db.execute("SELECT seq, text FROM journal ORDER BY seq").fetchall()
    db.close()
    return [(seq, json.loads(text)) for seq, text in rows]


def test_what_was_decided_otherwise_is_told_with_its_number(daemon):
    daemon.start()
    jobs = [daemon.submit("true") for _ in range(3)]
    daemon.wait(lambda: not any(daemon.job(j) for j in jobs), "the ends")
    daemon.stop()
    seq, line = next((s, l) for s, l in journal(daemon)
                     if any(d.startswith("start") for d in l.get("decided", [])))
    copy = f"{daemon.home}/copy.json"
    with open(copy, "w") as f:
        f.write(daemon.ok("replay", "--format", "json"))
    assert "all the same" in daemon.ok("replay", "--verify", copy)
    with open(copy) as f:
        text = f.read()
    changed = line["decided"][0].replace("start", "stop")
    with open(copy, "w") as f:
        f.write(text.replace(line["decided"][0], changed, 1))
    done = daemon.run("replay", "--verify", copy)
    assert done.returncode == 1
    assert f"{seq} " in done.stdout and "1 lines differ" in done.stdout
    assert f"recorded: {changed}; replayed: {line['decided'][0]}" in done.stdout
    told = [json.loads(l) for l in daemon.run(
        "replay", "--verify", "--format", "json", copy).stdout.splitlines()]
    assert told[0]["seq"] == seq and told[-1]["differences"] == 1


def test_a_refused_runjob_is_done_again_too(daemon):
    """The plan learns from it which nodes orders tell apart."""
    daemon.start()
    job = daemon.submit(hold=True, requests=[{"tasks": 1}])
    daemon.ok("schedctl", "-s")
    daemon.ok("releasehold", job)
    long = daemon.submit("sleep 1000", requests=[{"tasks": 2}])
    daemon.ok("runjob", "-n", "node01", long)
    assert daemon.run("runjob", "-n", "node01", job).returncode == 1
    daemon.stop()
    assert [l["job"] for _, l in journal(daemon) if l.get("refused")] == [job]
    assert "all the same" in daemon.ok("replay", "--verify")


def test_until_stops_there_and_wrong_use_is_told(daemon):
    daemon.start()
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.job(job) is None, "the end")
    daemon.stop()
    assert "start" in daemon.ok("replay", "--until", "+1:00")
    assert "start" not in daemon.ok("replay", "--until", "00:00_01/01/20")
    for words in (["--until", "soon"], ["--format", "xml"], ["a", "b"], ["--nonsense"]):
        done = daemon.run("replay", *words)
        assert done.returncode == 1 and done.stderr, words
    done = daemon.run("replay", "/nonexistent")
    assert done.returncode == 1 and "No such file" in done.stderr
    with open(f"{daemon.home}/odd", "w") as f:
        f.write('{"begin":{"config":""}}\n{"event":"what","at":5}\n')
    done = daemon.run("replay", f"{daemon.home}/odd")
    assert done.returncode == 1 and "event" in done.stderr


def test_a_long_life_begins_anew_and_nobody_notices(daemon):
    daemon.configure("JOURNALMAXSIZE 100000\nFSPOLICY DEDICATEDPS\nRMPOLLINTERVAL 1\n")
    daemon.start()
    daemon.ok("changeparam", "RESERVATIONDEPTH", "3")  # of this life alone
    held, long = daemon.submit("true", hold=True), daemon.submit("sleep 300")
    daemon.ok("sethold", "-b", held)
    daemon.ok("setres", "-n", "patch", "-d", "1:00:00", "-s", "+2:00:00", "ALL")
    daemon.wait(lambda: daemon.state(long) == "Running", "the start")
    before = [daemon.job(held), daemon.job(long)]
    request = pathlib.Path(daemon.home, "spool", "jobs", held, "request.json")
    request.rename(f"{daemon.home}/request")  # what is known is told, not read again

    def more():
        jobs = [daemon.submit("true") for _ in range(10)]
        daemon.wait(lambda: not any(daemon.job(j) for j in jobs), "the ends")
        return daemon.log().count("begins anew") >= 3

    for _ in range(60):
        if more():
            break
    assert daemon.log().count("begins anew") >= 3
    after = [daemon.job(held), daemon.job(long)]
    for was, now in zip(before, after):
        for key in ("id", "state", "holds", "hold_text", "start_at", "allocation"):
            assert was and was.get(key) == now.get(key), key
    pathlib.Path(daemon.home, "request").rename(request)
    assert daemon.api("/v1/reservations/patch.0")[0] == 200
    assert "3" in daemon.ok("showconfig", "RESERVATIONDEPTH")
    daemon.stop()
    lines = journal(daemon)
    assert lines[0][0] > 1 and "begin" in lines[0][1]
    assert sum(len(json.dumps(l)) for _, l in lines) < 150000
    verify(daemon)


def test_a_queue_that_fills_the_journal_by_itself_does_not_begin_anew_for_ever(daemon):
    """100,000 jobs are more than half of JOURNALMAXSIZE, and each life is told them all."""
    daemon.configure("JOURNALMAXSIZE 100000\nRMPOLLINTERVAL 1\n")
    daemon.start()
    held = [daemon.submit("true", hold=True) for _ in range(400)]
    for _ in range(3):
        done = daemon.submit("true")
        daemon.wait(lambda: not daemon.job(done), "its end")
    before = daemon.log().count("begins anew")
    for _ in range(5):
        done = daemon.submit("true")
        daemon.wait(lambda: not daemon.job(done), "its end")
    assert daemon.log().count("begins anew") <= before + 1
    assert all(daemon.job(j) for j in held)
    daemon.stop()
    verify(daemon)


def test_the_journal_stays_small_and_begins_with_a_life(daemon):
    daemon.configure("JOURNALMAXSIZE 100000\n")
    for _ in range(6):
        daemon.start()
        jobs = [daemon.submit("true") for _ in range(25)]
        daemon.wait(lambda: not any(daemon.job(j) for j in jobs), "the ends")
        daemon.kill()
    daemon.start()
    daemon.stop()
    lines = journal(daemon)
    assert lines[0][0] > 1 and "begin" in lines[0][1]
    assert sum(len(json.dumps(l)) for _, l in lines) < 100000
    verify(daemon)
    shutil.copy(f"{daemon.home}/state.db", f"{daemon.home}/copy.db")
    verify(daemon, f"{daemon.home}/copy.db")
