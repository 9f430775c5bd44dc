# SPDX-License-Identifier: Apache-2.0
"""POST /v1/whatif: what would be, asked of a copy; and what then is."""
import json
import os
import random
import socket
import signal
import sqlite3
import subprocess
import time

import pytest

from driven_clock import DrivenClock
from live_daemon import Connection
from live_users import LEVELS, Users, need_users

LISTS = ("earlier", "later", "broken", "cut", "held", "freed", "never", "gone", "placed")


def told(call, body, seconds=60):
    """Asked again where questions have held the scheduler up enough for the moment."""
    until = time.monotonic() + seconds
    while True:
        status, answer = call("/v1/whatif", body)
        if status != 503 or answer["error"]["code"] != "unavailable":
            return status, answer
        assert time.monotonic() < until, answer
        time.sleep(1)  # as Retry-After says


def ask(daemon, *changes, **more):
    status, answer = told(daemon.api, dict(changes=list(changes), **more))
    assert status == 200, answer
    return answer


def order(verb, *jobs, **more):
    return {"order": {"order": verb, "request": dict(more, jobs=list(jobs))}}


def ids(answer, name):
    return [job["id"] for job in answer[name]]


def copies(daemon):
    """Processes that the daemon has made of itself."""
    with open(f"/proc/{daemon.pid()}/task/{daemon.pid()}/children") as f:
        pids = f.read().split()
    found = []
    for pid in pids:
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.readlink(f"/proc/{daemon.pid()}/exe"):
                found.append(int(pid))
        except OSError:
            pass  # it has just ended
    return found


def journal(daemon):
    """What is on the disk: events, records."""
    with sqlite3.connect(f"file:{daemon.home}/state.db?mode=ro", uri=True) as db:
        return [sorted(map(repr, db.execute(f"SELECT * FROM {table}")))
                for table in ("journal", "record")]


@pytest.fixture
def queue(daemon):
    """Of eight processors four and two are in use; c has a promise, d and e have none. The
    clock stands, so what is foretold comes to the second."""
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env)
    daemon.at = 1800000000
    clock.stand(daemon.at)
    daemon.configure("RMPOLLINTERVAL 10:00:00\n")  # no cycle but those that are wanted
    daemon.start()
    daemon.jobs = {}
    for name, procs, limit in (("a", 4, 3600), ("b", 2, 7200), ("c", 8, 7000), ("d", 8, 7000),
                               ("e", 2, 90000)):
        daemon.jobs[name] = daemon.submit(
            "sleep 600", wclimit_s=limit, output="/dev/null", error="/dev/null",
            requests=[{"tasks": procs, "per_task": {"procs": 1}}])
        if name < "c":
            daemon.wait(lambda: daemon.state(daemon.jobs[name]) == "Running", "its start")
    daemon.wait(lambda: ask(daemon)["before"]["promised"] == 1, "the promise")
    return daemon


def test_without_changes_it_is_the_forecast(queue):
    jobs = queue.jobs
    answer = ask(queue, watch=list(jobs.values()))
    assert answer["as_of"] == queue.at and answer["method"] == "plan"
    assert answer["before"] == answer["after"]
    assert (answer["before"]["running"], answer["before"]["forecast"]) == (2, 2)
    assert not any(answer[name] for name in LISTS) and not any(answer["counts"].values())
    stands = {w["id"]: (w["after"], w.get("after_at")) for w in answer["watched"]}
    starts = {name: job["start_at"] for name, job in
              ((name, queue.job(jobs[name])) for name in "ab")}
    first = starts["b"] + 7200
    assert stands == {jobs["a"]: ("running", starts["a"]), jobs["b"]: ("running", starts["b"]),
                      jobs["c"]: ("promised", first), jobs["d"]: ("forecast", first + 7000),
                      jobs["e"]: ("forecast", first + 14000)}


def test_who_moves_and_whose_promise_is_broken(queue):
    jobs = queue.jobs
    answer = ask(queue, order("hold", jobs["c"], kinds=["user"]))
    assert answer["changes"][0]["ok"] and "refused" not in answer
    assert ids(answer, "held") == ids(answer, "broken") == [jobs["c"]]
    assert answer["held"][0]["reason"]["code"] == "hold"
    assert ids(answer, "earlier") == sorted([jobs["d"], jobs["e"]])
    assert {j["delta_s"] for j in answer["earlier"]} == {-7000}
    # of all the machine for an hour, before c could be over
    window = {"start_at": queue.at + 7300, "duration_s": 3600}
    answer = ask(queue, {"reserve": dict(window, hosts="ALL")})
    assert answer["changes"][0]["reservation"]["nodes"] == 4
    assert ids(answer, "broken") == [jobs["c"]]
    assert {j["id"]: j["delta_s"] for j in answer["later"]} == {
        jobs[name]: 3700 for name in "cde"}
    # several in order: the second finds what the first has made
    answer = ask(queue, {"reserve": dict(window, hosts="ALL", name="mine")},
                 {"release_reservation": {"name": "mine.0"}})
    assert [c["ok"] for c in answer["changes"]] == [True, True], answer
    assert not any(answer[name] for name in LISTS)
    answer = ask(queue, order("cancel", jobs["a"], jobs["d"]))
    assert ids(answer, "cut") == [jobs["a"]] and ids(answer, "gone") == [jobs["d"]]
    assert answer["counts"]["cut"] == answer["counts"]["gone"] == 1
    answer = ask(queue, {"submit": {"script": "#!/bin/sh\n", "wclimit_s": 60}})
    assert [(j["after"], j["after_at"]) for j in answer["placed"]] == [("running", queue.at)]
    answer = ask(queue, {"node": {"name": "node04", "to": "drain"}})
    assert set(ids(answer, "held")) == {jobs["c"], jobs["d"]}
    # words in any case, as everywhere
    assert ids(ask(queue, {"node": {"name": "node04", "to": "Drain"}}), "held") == ids(
        answer, "held")
    assert ids(ask(queue, order("Cancel", jobs["d"])), "gone") == [jobs["d"]]
    # nobody is meant: done, as in earnest
    answer = ask(queue, order("cancel", ","))
    assert answer["changes"] == [{"ok": True, "jobs": []}], answer["changes"]
    # a job that is over is not looked up
    answer = ask(queue, {"submit": {"script": "#!/bin/sh\n", "wclimit_s": 60,
                                    "dependencies": ["afterok:4711"]}})
    assert answer["placed"][0]["after"] == "running"
    assert len(answer["notes"]) == 1 and "afterok:4711: " in answer["notes"][0], answer


def test_the_copy_lives_on(queue):
    """Method run: jobs end at their limits, what a limit kept back starts when it is free;
    compared up to where both lives got."""
    jobs = queue.jobs
    first = queue.job(jobs["b"])["start_at"] + 7200
    coming = {jobs["c"]: first, jobs["d"]: first + 7000, jobs["e"]: first + 14000}
    user = queue.job(jobs["d"])["user"]

    def live(*changes, **more):
        answer = ask(queue, *changes, method="run", watch=list(coming), **more)
        return answer, {w["id"]: w.get("after_at") for w in answer["watched"]}

    answer, starts = live()
    assert starts == coming and answer["before"] == answer["after"], answer
    assert not any(answer[name] for name in LISTS) and not any(answer["counts"].values())
    assert answer["until"] == answer["horizon_at"] == queue.at + 86400
    assert (answer["runtime"], answer["after"]["starts"]) == ("limit", 3)
    assert answer["after"]["wait_95_s"] >= answer["after"]["wait_average_s"] > 7000
    assert 0 < answer["after"]["use"] < 1 and answer["after"]["backlog_ps"] == 0
    assert live()[0] == answer | {k: live()[0][k] for k in ("as_of", "basis", "revision")}
    # by plan the limit holds three; lived on, they start when it is free
    limit = {"parameters": {"text": f"USERCFG[{user}] MAXJOB=2"}}
    assert set(ids(ask(queue, limit), "held")) == set(coming)
    answer, starts = live(limit)
    assert starts == coming and not answer["held"], answer
    one = {"parameters": {"text": f"USERCFG[{user}] MAXJOB=1"}}
    assert live(one)[1] == coming
    # reserved: all later, and the promise is broken
    window = {"start_at": queue.at + 7300, "duration_s": 3600, "hosts": "ALL"}
    answer, starts = live({"reserve": window})
    assert ids(answer, "broken") == [jobs["c"]], answer
    assert {j["id"]: j["delta_s"] for j in answer["later"]} == dict.fromkeys(coming, 3700)
    assert starts == {job: at + 3700 for job, at in coming.items()}
    assert answer["after"]["wait_average_s"] == answer["before"]["wait_average_s"] + 3700
    # what is beyond the horizon is neither promised nor broken by it
    answer, starts = live({"reserve": window}, horizon_s=7000)
    assert not any(answer[name] for name in LISTS), answer
    assert answer["after"]["beyond"] == 3 and answer["after"]["backlog_ps"] == 2 * 56000 + 180000
    longer = order("modify", jobs["c"], changes=[{"attribute": "wclimit", "op": "=", "value": "8000"}])
    answer, starts = live(longer, horizon_s=7000)
    assert [answer[life]["backlog_ps"] for life in ("before", "after")] == [292000, 300000]
    answer, starts = live({"reserve": window}, horizon_s=first - queue.at + 60)
    assert ids(answer, "later") == ids(answer, "broken") == [jobs["c"]]
    assert answer["later"][0]["after"] == "beyond" and "delta_s" not in answer["later"][0]
    # others: cut, gone, held, new
    answer, starts = live(order("cancel", jobs["a"], jobs["d"]))
    assert ids(answer, "cut") == [jobs["a"]] and ids(answer, "gone") == [jobs["d"]]
    assert starts[jobs["e"]] == first + 7000
    answer, starts = live(order("hold", jobs["c"], kinds=["user"]))
    assert ids(answer, "held") == ids(answer, "broken") == [jobs["c"]]
    assert answer["held"][0]["reason"]["code"] == "hold"
    answer, starts = live({"submit": {"script": "#!/bin/sh\n", "wclimit_s": 60}})
    assert [(j["after"], j["after_at"]) for j in answer["placed"]] == [("running", queue.at)]
    answer = ask(queue, {"release_reservation": {"name": "nosuch.0"}}, method="run")
    assert answer["refused"] == 0 and "later" not in answer
    # little processor time: up to where it was enough
    answer, starts = live({"reserve": window}, cpu_ms=1)
    assert queue.at <= answer["until"] < answer["horizon_at"], answer
    assert "was enough for" in answer["notes"][0]
    # as long as is usual; nobody's jobs have ended yet, so that is the limit
    answer, starts = live(runtime="usual")
    assert answer["runtime"] == "usual" and all(at <= coming[j] for j, at in starts.items())


def test_what_is_in_the_way_is_told_by_name(queue):
    jobs = queue.jobs
    queue.ok("setres", "-n", "later", "-s", "+10:00:00", "-d", "1:00:00", "node01")
    window = {"start_at": queue.at + 60, "duration_s": 40000, "tasks": 4,
              "resources": "PROCS=2"}
    answer = ask(queue, {"reserve": window}, order("hold", jobs["c"]))
    assert answer["refused"] == 0 and len(answer["changes"]) == 1 and "later" not in answer
    result = answer["changes"][0]
    assert result["code"] == "conflict" and "cannot select 4 tasks" in result["message"]
    told = {(o["kind"], o["name"]): o for o in answer["in_the_way"]}
    assert set(told) == {("job", jobs["a"]), ("job", jobs["b"]), ("job", jobs["c"]),
                         ("reservation", "later.0")}
    assert told["job", jobs["a"]]["state"] == "running"
    assert told["job", jobs["c"]]["state"] == "promised"
    assert told["reservation", "later.0"]["nodes"] == 1
    for change, word in (
            ({"node": {"name": "nod04", "to": "drain"}}, "did you mean 'node04'"),
            ({"release_reservation": {"name": "late.0"}}, "later.0"),
            (order("cancel", "999"), "999"),
            (order("qos", jobs["c"], qos="nosuch"), "nosuch")):
        answer = ask(queue, change)
        assert answer["refused"] == 0 and word in answer["changes"][0]["message"], answer


def test_questions_that_make_no_sense_are_refused_by_member(queue):
    for body, field in (
            ({"changes": [{}]}, "changes[0]"),
            ({"changes": [{"node": {"name": "node01", "to": "up"}, "reserve": {}}]}, "changes[0]"),
            ({"changes": [{"release_reservation": {"name": "x"}}] * 101}, "changes"),
            ({"changes": [], "watch": ["1"] * 1001}, "watch"),
            ({"changes": [{"order": {"order": "signal", "request": {}}}]}, "changes[0].order.order"),
            ({"changes": [{"reserve": {"host": "ALL"}}]}, "changes[0].reserve.host"),
            ({"changes": [], "method": "guess"}, "method"),
            ({"changes": [], "horizon_s": 60}, "horizon_s"),
            ({"changes": [], "method": "run", "horizon_s": 0}, "horizon_s"),
            ({"changes": [], "method": "run", "horizon_s": 31 * 86400}, "horizon_s"),
            ({"changes": [], "method": "run", "runtime": "long"}, "runtime"),
            ({"changes": [], "method": "run", "cpu_ms": 10001}, "cpu_ms"),
            ({"changes": [{"submit": {"script": "#!/bin/sh\n", "array": "1-60000"}}] * 2},
             "changes[1]"),
            ({}, "changes")):
        status, answer = queue.api("/v1/whatif", body)
        assert status == 400 and answer["error"].get("field") == field, (body, answer)


def test_nothing_is_changed(queue):
    """What is on the disk, what lists show, what is logged as done."""
    jobs = queue.jobs

    def look():
        shown = [queue.api(p)[1] for p in ("/v1/jobs", "/v1/reservations", "/v1/nodes")]
        return (json.dumps([[{k: v for k, v in r.items() if k not in ("summary", "xfactor")}
                             for r in records] for records in shown]),
                journal(queue), queue.api("/v1/events?follow=0&after=0")[1],
                ask(queue)["revision"])

    before = look()
    answer = ask(queue, order("cancel", "ALL"),
                 {"reserve": {"hosts": "ALL", "start_at": queue.at, "duration_s": 5}},
                 {"submit": {"script": "#!/bin/sh\n", "array": "1-5", "wclimit_s": 60}},
                 {"node": {"name": "node01", "to": "down"}})
    assert all(c["ok"] for c in answer["changes"]), answer
    assert answer["counts"]["cut"] == 2 and answer["counts"]["placed"] == 5
    answer = ask(queue, order("cancel", jobs["a"]), method="run", horizon_s=2592000)
    assert answer["counts"]["cut"] == 1 and answer["until"] == queue.at + 2592000
    queue.wait(lambda: not copies(queue), "the end of the copy")
    assert look() == before
    assert "cancelled" not in queue.log()
    # and the daemon goes on: numbers of jobs too
    job = queue.submit("true", output="/dev/null", error="/dev/null")
    assert int(job) == max(map(int, jobs.values())) + 1


def test_a_command_is_asked_about(queue):
    jobs = queue.jobs
    done = queue.ok("whatif", "canceljob", jobs["c"])
    assert "2 earlier, 3 jobs in all; 0 promises broken" in done, done
    line = next(l for l in done.splitlines() if l.startswith(jobs["d"]))
    assert "promised in 02:00:00" in line and "01:56:40 earlier" in line, line
    done = queue.ok("whatif", "sethold", "-u", jobs["c"])
    assert "is kept back: its promise is broken" in done and "1 promise broken" in done
    assert queue.ok("whatif", "setspri", "5", jobs["c"]) == "no job would start earlier or later\n"
    done = queue.run("whatif", "setres", "-s", "+0:01:00", "-d", "10:00:00", "-r",
                     "PROCS=2", "TASKS==4")
    assert done.returncode == 1 and "cannot select" in done.stderr, done
    assert f"in the way: job {jobs['a']} (running), on 2 nodes" in done.stdout
    answer = json.loads(queue.ok("whatif", "mjobctl", "-c", jobs["a"], "--format", "json"))
    assert ids(answer, "cut") == [jobs["a"]]
    # lived on
    done = queue.ok("whatif", "--run", "canceljob", jobs["c"])
    assert "2 earlier, 3 jobs in all" in done and "lived on for 1:00:00:00; jobs end at their limits" in done
    assert "jobs that start         3                        2" in done, done
    done = queue.ok("whatif", "--horizon", "2:30:00", "--runtime=usual", "canceljob", jobs["c"])
    assert "not in 02:30:00" in done and "lived on for 02:30:00; jobs end as is usual" in done, done
    answer = json.loads(queue.ok("whatif", "--format", "json", "--horizon=600", "canceljob", jobs["a"]))
    assert answer["method"] == "run" and answer["until"] == queue.at + 600
    for wrong, word in (("--horizon", "--horizon"), ("--horizon=40:00:00:00", "from 1 to 2592000"),
                        ("--runtime=never", "runtime")):
        done = queue.run("whatif", wrong, "canceljob", jobs["a"])
        assert done.returncode == 1 and word in done.stderr, done
    # what is refused in part is refused, and told
    done = queue.run("whatif", "sethold", "-u", jobs["c"], "999")
    assert done.returncode == 1 and "999" in done.stderr and "1 promise broken" in done.stdout
    done = queue.run("whatif", "sethold", "-u", jobs["c"], "999", "--format", "json")
    assert done.returncode == 1 and json.loads(done.stdout)["counts"]["broken"] == 1
    done = queue.run("whatif", "canceljobs", jobs["a"])
    assert done.returncode == 1 and "did you mean 'canceljob'" in done.stderr
    assert {queue.state(j) for j in jobs.values()} == {"Running", "Idle"}
    assert not [r for r in queue.api("/v1/reservations")[1] if r["type"] == "User"]


# ---- what is foretold is what comes ------------------------------------------------------


def starts(watched, when):
    """Of jobs: how they stand, and their start. An assumption may become a promise."""
    return {w["id"]: (w[when] if w[when] not in ("promised", "forecast") else "planned",
                      w.get(f"{when}_at")) for w in watched}


class Site:
    """A daemon at which changes are asked about, then made."""

    def __init__(self, daemon, seed):
        self.daemon, self.rng = daemon, random.Random(seed)
        self.jobs, self.reservations, self.made = [], [], 0

    def request(self):
        return {"script": "#!/bin/sh\nsleep 3600\n", "wclimit_s": self.rng.randint(10, 90) * 100,
                "output": "/dev/null", "error": "/dev/null", "directory": self.daemon.home,
                "requests": [{"tasks": self.rng.randint(1, 8), "per_task": {"procs": 1}}]}

    def draft(self):
        self.made += 1
        return {"name": f"r{self.made}", "start_at": self.daemon.at + self.rng.randint(1, 90) * 100,
                "duration_s": self.rng.randint(5, 50) * 100,
                "hosts": f"node0{self.rng.randint(1, 4)}"}

    def change(self):
        """(as it is asked, as it is made: method, path, body)."""
        jobs = [self.rng.choice(self.jobs)]
        kind = self.rng.choice(["submit", "hold", "release", "priority", "cancel", "reserve",
                                "release_reservation", "change_reservation"])
        if kind == "submit":
            body = self.request()
            return {"submit": body}, ("POST", "/v1/jobs", body)
        if kind in ("reserve", "release_reservation", "change_reservation"):
            if kind == "reserve" or not self.reservations:
                body = self.draft()
                return {"reserve": body}, ("POST", "/v1/reservations", body)
            name = self.rng.choice(self.reservations)
            if kind == "release_reservation":
                return {kind: {"name": name}}, ("DELETE", f"/v1/reservations/{name}", None)
            change = {"start_at": self.daemon.at + self.rng.randint(1, 90) * 100}
            return ({kind: {"name": name, "change": change}},
                    ("PATCH", f"/v1/reservations/{name}", change))
        more = {"priority": self.rng.randint(-5, 500)} if kind == "priority" else {}
        return (order(kind, *jobs, **more),
                ("POST", f"/v1/orders/{kind}", dict(more, jobs=jobs)))

    def settled(self):
        """Nothing is on its way: who was started runs, and of nodes that were left the
        resource manager has told so."""
        return (all(j["state"] != "Starting" for j in self.daemon.api("/v1/jobs")[1] if "id" in j)
                and all(n["state"] != "Busy"
                        or n["dedicated"]["procs"] == n["configured"]["procs"]
                        for n in self.daemon.api("/v1/nodes")[1]))

    def step(self):
        self.daemon.wait(self.settled, "a quiet moment")
        change, (method, path, body) = self.change()
        foretold = ask(self.daemon, change, watch=self.jobs)
        status, answer = self.daemon.api(path, body, method)
        if "refused" in foretold:
            message = foretold["changes"][0]["message"]
            results = answer.get("results")
            made = results[0]["message"] if results else answer["error"]["message"]
            assert message == made, (change, answer)
            return
        assert status == 200, (change, foretold["changes"], answer)
        expected = starts(foretold["watched"], "after")
        if "ids" in answer:
            placed = foretold["placed"][0]
            expected[answer["ids"][0]] = starts([placed], "after")[placed["id"]]
            self.jobs += answer["ids"]
        if method == "POST" and path == "/v1/reservations":
            assert foretold["changes"][0]["reservation"]["places"] == answer["places"]
            self.reservations.append(answer["name"])
        if method == "DELETE":
            self.reservations.remove(path.rsplit("/", 1)[1])

        def come():
            self.found = starts(ask(self.daemon, watch=self.jobs)["watched"], "before")
            return self.found == expected

        try:
            self.daemon.wait(come, "what was foretold", 60)
        except AssertionError:
            raise AssertionError(f"{change}\nforetold {expected}\nfound {self.found}")
        self.jobs = [j for j in self.jobs if self.found[j][0] != "none"]


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_foretold_is_what_comes(daemon, seed):
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env)
    daemon.at = 1800000000
    clock.stand(daemon.at)
    daemon.configure("RESERVATIONDEPTH 2\n")
    daemon.start()
    site = Site(daemon, seed)
    for _ in range(8):
        status, answer = daemon.api("/v1/jobs", site.request())
        assert status == 200, answer
        site.jobs += answer["ids"]
    for _ in range(80):
        if not site.jobs:
            break
        site.step()


# ---- by whom -------------------------------------------------------------------------------


def test_rights_are_those_of_the_real_thing(daemon):
    need_users()
    daemon.configure(LEVELS + "RESCTLPOLICY ADMINONLY\n")
    daemon.start()
    users = Users(daemon)
    own = users.submit("nobody", wclimit_s=4000, requests=[
        {"tasks": 8, "per_task": {"procs": 1}}])
    daemon.wait(lambda: daemon.state(own) == "Running", "its start")
    other = users.submit("games", wclimit_s=4000, requests=[
        {"tasks": 8, "per_task": {"procs": 1}}])
    third = users.submit("nobody", wclimit_s=4000)
    at = daemon.api("/v1/identity")[1]["at"]

    def result(user, *changes, **more):
        status, answer = told(lambda *args: users.api(user, *args), dict(more, changes=list(changes)))
        assert status == 200, answer
        return answer

    draft = {"hosts": "node01", "start_at": at + 9000, "duration_s": 100}
    cases = [  # what, and who may
        (order("cancel", own), {"root", "bin", "nobody"}),
        (order("hold", other, kinds=["user"]), {"root", "bin", "games"}),
        (order("priority", third, priority=9), {"root", "bin"}),
        (order("deadline", third, at=at + 90000), {"root"}),
        ({"reserve": draft}, {"root", "bin"}),
        ({"node": {"name": "node01", "to": "drain"}}, {"root", "bin"})]
    for change, who in cases:
        for user in ("root", "bin", "daemon", "nobody", "games"):
            answer = (ask(daemon, change) if user == "root" else result(user, change))
            allowed = answer["changes"][0]["ok"]
            assert allowed == (user in who), (user, change, answer)
            if not allowed:
                code = answer["changes"][0]["code"]
                assert code in ("forbidden", "not_found"), answer
    # who is moved is told by name to those who see it in lists
    for more in ({}, {"method": "run"}):
        answer = result("nobody", order("cancel", own), **more)
        assert other in ids(answer, "earlier") and answer["cut"][0]["id"] == own
        assert result("nobody", order("hold", other), **more)["refused"] == 0


def test_of_what_is_kept_from_users_only_that_it_is_there_is_told(daemon):
    """A stranger's reservation in the way."""
    need_users()
    daemon.configure(LEVELS + "RESCTLPOLICY ANY\n")
    daemon.start()
    users = Users(daemon)
    daemon.ok("setres", "-u", "games", "-n", "secret", "-s", "+1:00:00", "-d", "9:00:00", "ALL")
    at = daemon.api("/v1/identity")[1]["at"]
    change = {"reserve": {"tasks": 4, "start_at": at + 5000, "duration_s": 1000,
                          "resources": "PROCS=2", "users": ["nobody"]}}
    seen = {}
    for user in ("nobody", "games", "bin"):
        for method in "plan", "run":
            status, answer = told(lambda *args: users.api(user, *args), {
                "changes": [change], "method": method})
            assert status == 200 and answer.get("refused") == 0, answer
            assert seen.setdefault(user, answer["in_the_way"]) == answer["in_the_way"]
    # neither whose, nor when, nor where
    assert seen["nobody"] == [{"kind": "reservation", "state": "unseen"}]
    assert [(o["kind"], o["name"]) for o in seen["bin"]] == [("reservation", "secret.0")]
    assert seen["games"] == seen["bin"]


# ---- who then orders what was tried --------------------------------------------------------


def test_what_was_tried_is_refused_when_nodes_or_reservations_are_others(queue):
    """Of jobs that come, start and are held meanwhile nobody is told."""
    first = ask(queue)["basis"]
    held = queue.submit("sleep 60", hold=True, output="/dev/null", error="/dev/null")
    queue.ok("releasehold", held)
    asked = ask(queue)
    hold = dict(jobs=[queue.jobs["e"]], kinds=["user"])
    for basis in (first, asked["basis"], ""):
        assert queue.api(f"/v1/orders/hold?basis={basis}", hold)[0] == 200, basis
    status, made = queue.api(f"/v1/reservations?basis={first}", {
        "hosts": "node04", "start_at": queue.at + 90000, "duration_s": 60, "name": "one"})
    assert status == 200, made
    for path, body in (("/v1/orders/release", dict(jobs=[queue.jobs["e"]])),
                       ("/v1/reservations", {"hosts": "node03", "duration_s": 60}),
                       ("/v1/parameters", {"text": "RESERVATIONDEPTH 2"})):
        status, answer = queue.api(f"{path}?basis={first}", body)
        assert (status, answer["error"]["field"]) == (409, "basis"), answer
        assert "try it again" in answer["error"]["message"]
    assert queue.job(queue.jobs["e"])["holds"] == ["user"]
    fresh = ask(queue)["basis"]
    assert queue.api(f"/v1/parameters?basis={fresh}", {"text": "RESERVATIONDEPTH 2"})[0] == 200
    assert queue.api(f"/v1/parameters?basis={fresh}", {"text": "RESERVATIONDEPTH 3"})[0] == 409
    for wrong in ("x", "1.2", f"{fresh}.", f"{fresh}x", "1.2.3.4", "9" * 300):
        status, answer = queue.api(f"/v1/orders/hold?basis={wrong}", hold)
        assert status in (400, 409) and answer["error"]["field"] == "basis", (wrong, answer)


def test_parameters_are_tried_and_not_changed(queue):
    """By administrators of level 1; what a change of them comes to for whom."""
    before = queue.api("/v1/parameters?name=RESERVATIONDEPTH")[1]
    user = queue.job(queue.jobs["d"])["user"]
    answer = ask(queue, {"parameters": {"text": f"USERCFG[{user}] MAXJOB=2"}})
    assert answer["changes"][0]["ok"], answer
    assert set(ids(answer, "held")) == {queue.jobs[name] for name in "cde"}
    assert {j["reason"]["code"] for j in answer["held"]} == {"limit"}
    told, = answer["sums"]["user"]
    assert told == {"name": user, "earlier": 0, "later": 0, "broken": 1, "others": 3, "delta_s": 0}
    answer = ask(queue, {"parameters": {"text": "RESERVATIONDEPHT 2", "persistent": True}})
    assert answer["refused"] == 0 and "RESERVATIONDEPTH" in answer["changes"][0]["message"], answer
    answer = ask(queue, {"parameters": {"text": "RESERVATIONDEPTH 9", "persistent": True}})
    assert answer["after"]["promised"] > answer["before"]["promised"]
    assert queue.api("/v1/parameters?name=RESERVATIONDEPTH")[1] == before
    assert not [row for row in journal(queue)[1] if "RESERVATIONDEPTH" in row]
    answer = ask(queue, order("cancel", queue.jobs["a"]))
    sums = answer["sums"]["user"]
    assert sums[0]["delta_s"] == sum(j.get("delta_s", 0) for j in answer["earlier"] + answer["later"])
    assert {kind: len(rows) for kind, rows in answer["sums"].items()} == dict.fromkeys(
        ("user", "group", "account", "class", "qos"), 1)


# ---- what it costs others ------------------------------------------------------------------


def test_a_question_ends_with_its_client_or_a_newer_one(daemon):
    """One that takes seconds; meanwhile others are answered."""
    daemon.configure("MAXSUBMITJOBS 0\n")
    daemon.start("--paused")
    status, answer = daemon.api("/v1/jobs", {"script": "#!/bin/sh\n", "array": "1-600",
                                             "hold": True, "directory": daemon.home,
                                             "output": "/dev/null", "error": "/dev/null"})
    assert status == 200, answer
    long = json.dumps({"changes": [order(verb, "ALL", kinds=["system"])
                                   for verb in ("hold", "release") * 50]})
    first = Connection(f"{daemon.home}/api.sock", 120)
    first.request("POST", "/v1/whatif", long, {"Content-Type": "application/json"})
    running = daemon.wait(lambda: copies(daemon), "the copy")
    answer = ask(daemon)
    assert answer["notes"] == ["scheduling is stopped: this is as if it went on"]
    reply = first.getresponse()
    assert reply.status == 409 and b"newer question" in reply.read()
    first.close()
    daemon.wait(lambda: not set(copies(daemon)) & set(running), "the end of the first")
    gone = Connection(f"{daemon.home}/api.sock", 120)
    gone.request("POST", "/v1/whatif", long, {"Content-Type": "application/json"})
    running = daemon.wait(lambda: copies(daemon), "the copy")
    gone.sock.shutdown(socket.SHUT_RDWR)
    gone.close()
    daemon.wait(lambda: not set(copies(daemon)) & set(running), "the end of the copy")
    # a copy that is killed is answered for, and nothing else comes of it
    third = Connection(f"{daemon.home}/api.sock", 120)
    third.request("POST", "/v1/whatif", long, {"Content-Type": "application/json"})
    for pid in daemon.wait(lambda: copies(daemon), "the copy"):
        os.kill(pid, 9)
    reply = third.getresponse()
    assert reply.status == 503 and json.loads(reply.read())["error"]["code"] == "busy"
    third.close()
    # of one that falls it is told and logged that it did
    fourth = Connection(f"{daemon.home}/api.sock", 120)
    fourth.request("POST", "/v1/whatif", long, {"Content-Type": "application/json"})
    for pid in daemon.wait(lambda: copies(daemon), "the copy"):
        os.kill(pid, signal.SIGSEGV)
    reply = fourth.getresponse()
    assert reply.status == 500 and json.loads(reply.read())["error"]["code"] == "internal"
    fourth.close()
    assert "(order hold, order release, " in daemon.log() and "please report it" in daemon.log()
    assert ask(daemon)["before"]["held"] == 600
    daemon.stop()  # nothing is to be cancelled one by one


def test_two_users_leave_room_for_an_administrator(daemon):
    need_users()
    daemon.configure("ADMIN1 root\nADMIN2 bin\nMAXSUBMITJOBS 0\n")
    daemon.start("--paused")
    users = Users(daemon, programs=False)
    long = json.dumps({"changes": [{"submit": {
        "script": "#!/bin/sh\n", "array": "1-50000", "wclimit_s": 60}}]})
    asked, found = [], set()
    try:
        for user in ("nobody", "games"):
            uid = str(Users.NAMES[user])
            asked.append(subprocess.Popen(
                ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "curl", "-s",
                 "--unix-socket", f"{daemon.home}/api.sock", "-H",
                 "Content-Type: application/json", "-d", long, "http://maui/v1/whatif"],
                stdout=subprocess.DEVNULL))
            more = daemon.wait(lambda: set(copies(daemon)) - found, "the copy")
            for pid in more:
                os.kill(pid, signal.SIGSTOP)
            found |= more
        status, answer = told(lambda *args: users.api("daemon", *args), {"changes": []})
        assert status == 503 and "others ask" in answer["error"]["message"], answer
        status, answer = told(lambda *args: users.api("daemon", *args),
                              {"changes": [], "method": "run", "horizon_s": 60})
        assert status == 200, "the other method has places of its own"
        status, answer = told(lambda *args: users.api("bin", *args), {"changes": []})
        assert status == 200, answer
    finally:
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        for one in asked:
            one.wait(60)
