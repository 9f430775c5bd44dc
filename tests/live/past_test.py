# SPDX-License-Identifier: Apache-2.0
"""The past: as it was recorded then, whatever has happened since."""
import contextlib
import json
import os
import re
import signal
import sqlite3
import time

import pytest

from driven_clock import DrivenClock
from live_daemon import Connection
from live_users import LEVELS, Users, need_users

DAY = 86400
BEGIN = 1800000000
# What lists tell of a job that is nothing but time, or that only the resource manager knows.
FLEETING = {"xfactor", "remaining_s", "priority", "efficiency", "name"}
SITE = "RMPOLLINTERVAL 10:00:00\nRESERVATIONDEPTH 3\nJOURNALMAXSIZE 64000000\n"


def helpers(daemon):
    """Processes of the daemon that know the past."""
    with open(f"/proc/{daemon.pid()}/task/{daemon.pid()}/children") as f:
        pids = f.read().split()
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/cmdline") as f:
                if f.read().startswith("time-travel"):
                    found.append(int(pid))
        except OSError:
            pass  # it has just ended
    return found


def view(daemon, at):
    status, answer = daemon.api("/v1/past", {"at": at})
    assert status == 200, answer
    return answer


def move(daemon, past, **how):
    status, answer = daemon.api(f"/v1/past/{past}", how, method="PATCH")
    assert status == 200, answer
    return answer


def get(daemon, path, past=None):
    status, answer = daemon.api(path + ("&" if "?" in path else "?") + f"past={past}" if past else path)
    assert status == 200, answer
    return answer


def lines(daemon, path, past=None):
    """A list, which is a record where it has one line."""
    answer = get(daemon, path, past) or []
    return answer if isinstance(answer, list) else [answer]


def told(daemon, past=None):
    """All that lists say of jobs, nodes and reservations."""
    jobs = {j["id"]: {k: v for k, v in j.items() if k not in FLEETING}
            for j in lines(daemon, "/v1/jobs", past)[1:]}
    nodes = {n["name"]: (n["state"], n["dedicated"], sorted(n.get("jobs", [])))
             for n in lines(daemon, "/v1/nodes", past)}
    reservations = {r["name"]: (r["type"], r.get("start_at"), r.get("end_at"), r.get("places"))
                    for r in lines(daemon, "/v1/reservations", past)}
    return jobs, nodes, reservations


class Site:
    """A daemon whose day is as long as the test says; `recorded` is what lists told then."""

    def __init__(self, daemon):
        self.daemon, self.clock = daemon, DrivenClock(daemon.home)
        daemon.env.update(self.clock.env)
        self.at = BEGIN
        self.clock.stand(BEGIN)
        daemon.configure(SITE)
        daemon.start()
        self.recorded = {}

    def later(self, seconds):
        self.at += seconds
        self.clock.stand(self.at)

    def record(self):
        """When nothing changes any more."""
        def still():
            before = get(self.daemon, "/v1/scheduler")["iteration"]
            first = told(self.daemon)
            time.sleep(0.4)
            return (get(self.daemon, "/v1/scheduler")["iteration"] == before
                    and told(self.daemon) == first)
        self.daemon.wait(still, "rest")
        self.recorded[self.at] = told(self.daemon)


def submit(daemon, procs, limit, script="sleep 600"):
    return daemon.submit(script, wclimit_s=limit, output="/dev/null", error="/dev/null",
                         requests=[{"tasks": procs, "per_task": {"procs": 1}}])


@pytest.fixture
def site(daemon):
    return Site(daemon)


def lead_a_day(site):
    """Jobs, a hold, a reservation, ends: an hour and more between them. No limit of a job is
    over meanwhile: its end would come at an instant that is recorded, before that or after."""
    daemon = site.daemon
    a = submit(daemon, 4, 40000)
    daemon.wait(lambda: daemon.state(a) == "Running", "its start")
    site.record()
    site.later(3600)
    b, c = submit(daemon, 6, 40000), submit(daemon, 2, 40000)
    daemon.wait(lambda: daemon.state(c) == "Running", "its start")
    site.record()
    site.later(1800)
    daemon.ok("sethold", "-u", b)
    site.record()
    site.later(1800)
    daemon.ok("canceljob", a)
    daemon.wait(lambda: a not in told(daemon)[0], "its end")
    daemon.ok("releasehold", "-u", b)
    daemon.wait(lambda: daemon.state(b) == "Running", "its start")
    site.record()
    site.later(3600)
    status, answer = daemon.api("/v1/reservations", {
        "hosts": "node01", "start_at": site.at + DAY, "duration_s": 3600, "name": "later"})
    assert status == 200, answer
    site.record()
    return a, b, c


def test_what_was_is_told_as_lists_told_it_then(site):
    a, b, c = lead_a_day(site)
    daemon = site.daemon
    site.later(600)
    now = told(daemon)
    instants = sorted(site.recorded)
    first = view(daemon, instants[0] + 5)
    assert first["differences"] == 0 and first["oldest_at"] == BEGIN
    for at in instants:
        there = move(daemon, first["past"], at=at + 5)
        assert there["past"] == first["past"] and there["at"] <= at + 5
        assert told(daemon, first["past"]) == site.recorded[at], at
    # back, which begins anew under the same name
    move(daemon, first["past"], at=instants[1])
    assert told(daemon, first["past"]) == site.recorded[instants[1]]
    assert get(daemon, f"/v1/jobs/{b}/why", first["past"])["reasons"][0]["code"] != "hold"
    # the present is as it was, and a second view does not move the first
    second = view(daemon, instants[2])
    assert told(daemon, second["past"]) == site.recorded[instants[2]]
    assert told(daemon, first["past"]) == site.recorded[instants[1]]
    assert get(daemon, f"/v1/jobs/{b}/why", second["past"])["reasons"][0]["code"] == "hold"
    assert told(daemon) == now and len(helpers(daemon)) == 2
    for past in (first["past"], second["past"]):
        assert daemon.api(f"/v1/past/{past}", method="DELETE")[0] == 200
    daemon.wait(lambda: not helpers(daemon), "their end")
    assert daemon.api(f"/v1/jobs?past={first['past']}")[0] == 404


def test_it_outlives_kill_9_and_has_the_lives_before(site):
    _, b, _ = lead_a_day(site)
    daemon = site.daemon
    past = view(daemon, site.at)["past"]
    (helper,) = helpers(daemon)
    daemon.kill()
    daemon.wait(lambda: not os.path.exists(f"/proc/{helper}")
                or open(f"/proc/{helper}/stat").read().split()[2] == "Z", "the helper's end")
    site.later(3600)
    daemon.start()
    daemon.wait(lambda: daemon.state(b) == "Running", "the job")
    site.record()
    assert daemon.api(f"/v1/jobs?past={past}")[0] == 404
    past = view(daemon, BEGIN)["past"]
    lives = set()
    for at in sorted(site.recorded):  # forward, over the begin of another life
        lives.add(move(daemon, past, at=at)["life"])
        assert told(daemon, past) == site.recorded[at], at
    assert len(lives) == 2
    assert move(daemon, past, seconds=-3600 - 1800)["life"] == min(lives)


def test_cycles_are_stepped_and_the_next_decision_about_a_job_found(site):
    a, b, c = lead_a_day(site)
    daemon = site.daemon
    there = view(daemon, BEGIN)
    steps = []
    while True:
        status, answer = daemon.api(f"/v1/past/{there['past']}", {"cycles": 1}, method="PATCH")
        if status != 200:
            assert status == 404 and "no cycle after that" in answer["error"]["message"]
            break
        steps.append(answer)
    assert [s["line"] for s in steps] == sorted({s["line"] for s in steps})
    assert steps[-1]["line"] > steps[0]["line"] and not any(s["differences"] for s in steps)
    decisions = [(d["what"], d["job"]) for s in steps for d in s["decided"]]
    assert ("start", b) in decisions and ("start", c) in decisions
    move(daemon, there["past"], at=BEGIN)
    found = move(daemon, there["past"], about=c)
    while not any(d["what"] == "start" and d["job"] == c for d in found["decided"]):
        found = move(daemon, there["past"], about=c)
    assert get(daemon, f"/v1/jobs/{c}", there["past"])["start_at"] == found["at"]
    status, answer = daemon.api(f"/v1/past/{there['past']}", {"about": "nosuch"}, method="PATCH")
    assert status == 404 and "nothing was decided about job 'nosuch'" in answer["error"]["message"]
    # ... and it is where it was
    assert get(daemon, f"/v1/jobs/{c}", there["past"])["state"] in ("Running", "Starting")


def test_what_is_kept_besides_the_journal_ends_then(site):
    a, b, c = lead_a_day(site)
    daemon, instants = site.daemon, sorted(site.recorded)
    there = view(daemon, instants[2])
    events = lines(daemon, "/v1/events?follow=0&last=100", there["past"])
    assert events and max(e["at"] for e in events) <= instants[2]
    assert len(lines(daemon, "/v1/events?follow=0&last=100")) > len(events)
    assert lines(daemon, "/v1/accounting", there["past"]) == []
    assert get(daemon, "/v1/series", there["past"])["to"] == there["at"]
    move(daemon, there["past"], at=instants[3])
    assert [j["id"] for j in lines(daemon, "/v1/accounting", there["past"])] == [a]


def test_each_question_has_an_answer_of_its_own(site):
    """Clock and revision stand still there, so that lists of another question were fit to share."""
    daemon = site.daemon
    ids = [submit(daemon, 1, 7200) for _ in range(3)]
    daemon.wait(lambda: all(daemon.state(job) == "Running" for job in ids), "their start")
    past = view(daemon, site.at)["past"]
    def jobs(query):
        return [j["id"] for j in lines(daemon, "/v1/jobs" + query, past)[1:]]
    assert jobs("?limit=2") == ids[:2] and jobs("?limit=1") == ids[:1] and jobs("?limit=2&offset=2") == ids[2:]
    assert jobs(f"?ids={ids[1]}") == ids[1:2] and jobs(f"?ids={ids[2]}") == ids[2:]
    assert jobs("?limit=1&limit=3") == ids[:1]  # the first counts, as it does of now
    def window(query):
        with contextlib.closing(Connection(f"{daemon.home}/api.sock")) as c:
            c.request("GET", f"/v1/timeline?{query}&past={past}")
            answer = c.getresponse()
            assert answer.status == 200
            return answer.read()
    first, second = (window(f"from={BEGIN - n}&to={BEGIN + n}&width=100") for n in (3600, 7200))
    assert first != second and window(f"from={BEGIN - 3600}&to={BEGIN + 3600}&width=100") == first


def test_a_question_that_cannot_be_handed_on_is_refused(site):
    daemon = site.daemon
    submit(daemon, 4, 7200)
    site.record()
    past = view(daemon, site.at)["past"]
    def ask(path, headers=()):
        with contextlib.closing(Connection(f"{daemon.home}/api.sock", timeout=20)) as c:
            c.request("GET", path, headers=dict(headers))
            answer = c.getresponse()
            return answer.status, answer.read().decode()
    for path, headers in ((f"/v1/jobs/%ff?past={past}", {}), (f"/v1/jobs?user=%ff&past={past}", {}),
                          (f"/v1/jobs?past={past}&%ff=1", {}),
                          (f"/v1/timeline?past={past}", {"If-None-Match": "\xff"})):
        status, text = ask(path, headers)
        assert status == 400 and "UTF-8" in text, path
    status, answer = daemon.api(f"/v1/past/{past}", {"about": "x" * 70000}, method="PATCH")
    assert status == 400, answer
    assert told(daemon, past) == site.recorded[site.at]  # ... and the view is none the worse


def test_who_has_gone_away_takes_no_place_among_those_who_ask(site):
    daemon = site.daemon
    past = view(daemon, site.at)["past"]
    (helper,) = helpers(daemon)
    os.kill(helper, signal.SIGSTOP)
    try:
        for _ in range(8):
            with contextlib.ExitStack() as several:
                for _ in range(8):
                    c = several.enter_context(contextlib.closing(Connection(f"{daemon.home}/api.sock")))
                    c.request("GET", f"/v1/jobs?past={past}")
                time.sleep(0.2)  # they have been read
        time.sleep(1.5)
        with contextlib.closing(Connection(f"{daemon.home}/api.sock", timeout=20)) as c:
            c.request("GET", f"/v1/jobs?past={past}")
            time.sleep(0.3)
            os.kill(helper, signal.SIGCONT)
            assert c.getresponse().status == 200
    finally:
        os.kill(helper, signal.SIGCONT)


def test_jobs_that_are_over_by_now_have_their_names(daemon):
    daemon.start()
    job = daemon.submit("sleep 3", name="<b>first</b>", output="/dev/null", error="/dev/null")
    daemon.wait(lambda: lines(daemon, f"/v1/accounting?job={job}"), "its end")
    at = lines(daemon, f"/v1/accounting?job={job}")[0]["submit_at"]
    there = view(daemon, at + 1)
    assert lines(daemon, f"/v1/jobs/{job}", there["past"])[0]["name"] == "<b>first</b>"


def test_what_is_forgotten_is_said_to_be(daemon):
    """A journal of the least size: lives end, and the oldest go."""
    daemon.configure("JOURNALMAXSIZE 100000\nRMPOLLINTERVAL 1\n")
    daemon.start()
    begin = get(daemon, "/v1/past")["oldest_at"]
    past = view(daemon, daemon.api("/v1/identity")[1]["at"])["past"]

    def forgets():
        daemon.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "array": "1-60", "wclimit_s": 60,
                                "directory": daemon.home, "output": "/dev/null", "error": "/dev/null"})
        # a life ends when nothing is on its way
        daemon.wait(lambda: "Total Jobs: 0 " in daemon.ok("showq"), "their ends")
        return get(daemon, "/v1/past")["oldest_at"] > begin
    daemon.wait(forgets, "that the first life is forgotten", 90)
    status, answer = daemon.api("/v1/past", {"at": begin})
    assert status == 404 and "JOURNALMAXSIZE" in answer["error"]["message"]
    said = int(re.search(r"\((\d+)\)", answer["error"]["message"]).group(1))
    assert begin < said <= get(daemon, "/v1/past")["oldest_at"]  # more may go meanwhile
    # a view of what is forgotten stays where it is, and can go to what is kept
    assert daemon.api(f"/v1/jobs?past={past}")[0] == 200
    # what is kept begins with a life, whose first cycle may be seconds later; more may go
    status, there = daemon.api(f"/v1/past/{past}", {"at": said}, method="PATCH")
    assert there["at"] == said if status == 200 else \
        "the journal is kept since" in there["error"]["message"], there
    now = daemon.wait(lambda: (at := daemon.api("/v1/identity")[1]["at"]) > said + 2 and at,
                      "a second that is kept", 30)
    there = move(daemon, past, at=now)
    assert said <= there["at"] <= now and there["differences"] == 0


def test_what_was_foreseen_then(site):
    """Promised, and foreseen behind it: as of now, and as of then."""
    daemon = site.daemon
    a = submit(daemon, 8, 7200)
    daemon.wait(lambda: daemon.state(a) == "Running", "its start")
    daemon.configure(SITE.replace("RESERVATIONDEPTH 3", "RESERVATIONDEPTH 1"))
    daemon.ok("schedctl", "-R")
    b, c = submit(daemon, 8, 3600), submit(daemon, 8, 600)
    def starts(past=None, query=""):
        return {f["id"]: (f.get("promised_at"), f.get("forecast_at"))
                for f in lines(daemon, "/v1/forecast" + query, past)}
    then = {b: (BEGIN + 7200, None), c: (None, BEGIN + 7200 + 3600)}
    daemon.wait(lambda: starts() == then, "the forecast")
    site.record()
    site.later(3600)
    daemon.ok("canceljob", a)
    daemon.wait(lambda: daemon.state(b) == "Running", "its start")
    assert starts() == {c: (BEGIN + 7200, None)}
    past = view(daemon, BEGIN)["past"]
    assert starts(past) == then and starts(past, f"?ids={c}") == {c: then[c]}


def test_nothing_of_it_can_be_changed_and_what_is_wrong_is_told(site):
    daemon = site.daemon
    a = submit(daemon, 4, 7200)
    site.record()
    past = view(daemon, site.at)["past"]
    for method, path, body in (("POST", "/v1/orders/hold", {"jobs": [a]}),
                               ("POST", "/v1/parameters", {"text": "RESERVATIONDEPTH 9"}),
                               ("DELETE", "/v1/reservations/x", None)):
        status, answer = daemon.api(f"{path}?past={past}", body, method=method)
        assert status == 409 and answer["error"]["field"] == "past"
    assert "holds" not in get(daemon, f"/v1/jobs/{a}") or not get(daemon, f"/v1/jobs/{a}")["holds"]
    status, answer = daemon.api(f"/v1/managers?past={past}")
    assert status == 400 and answer["error"]["field"] == "past"
    status, answer = daemon.api("/v1/past", {"at": site.at + 100})
    assert status == 400 and answer["error"]["field"] == "at"
    status, answer = daemon.api("/v1/past", {"at": BEGIN - 100})
    assert status == 404 and str(BEGIN) in answer["error"]["message"]
    status, answer = daemon.api(f"/v1/past/{past}", {"at": site.at, "cycles": 1}, method="PATCH")
    assert status == 400 and "one of" in answer["error"]["message"]
    assert daemon.api(f"/v1/jobs/nosuch?past={past}")[0] == 404
    assert told(daemon, past) == site.recorded[site.at]


def test_what_came_out_otherwise_is_told(site):
    """A journal that says what this program would not decide, as after an update."""
    lead_a_day(site)
    daemon = site.daemon
    daemon.stop()
    with sqlite3.connect(f"{daemon.home}/state.db") as db:
        (seq, text), = db.execute("SELECT seq, text FROM journal WHERE text LIKE '%\"start %' "
                                  "AND text LIKE '{\"cycle\"%' ORDER BY seq LIMIT 1").fetchall()
        line = json.loads(text)
        line["decided"][0] = "start 99 on node04:1"
        db.execute("UPDATE journal SET text = ? WHERE seq = ?",
                   (json.dumps(line, separators=(",", ":")), seq))
    db.close()
    daemon.start()
    there = view(daemon, sorted(site.recorded)[1])
    assert there["differences"] == 1 and "recorded: start 99 on node04:1" in there["difference"]


def test_a_helper_that_is_killed_harms_nobody(site):
    daemon = site.daemon
    submit(daemon, 4, 7200)
    site.record()
    past = view(daemon, site.at)["past"]
    (helper,) = helpers(daemon)
    os.kill(helper, signal.SIGKILL)
    daemon.wait(lambda: daemon.api(f"/v1/jobs?past={past}")[0] == 404, "that it is gone")
    assert told(daemon, view(daemon, site.at)["past"]) == site.recorded[site.at]
    # as many as there may be: one's own oldest gives way
    views = [view(daemon, site.at)["past"] for _ in range(4)]
    daemon.wait(lambda: len(helpers(daemon)) == 2, "the end of the others")
    assert [daemon.api(f"/v1/jobs?past={past}")[0] for past in views] == [404, 404, 200, 200]


def test_each_sees_views_of_their_own_with_the_rights_of_today(daemon):
    need_users()
    daemon.configure(LEVELS)
    daemon.start()
    users = Users(daemon)
    own = users.submit("nobody")
    daemon.wait(lambda: daemon.state(own) == "Running", "its start")
    at = daemon.api("/v1/identity")[1]["at"]
    there = view(daemon, at)["past"]
    for user in ("bin", "daemon", "nobody"):
        assert users.api(user, f"/v1/jobs?past={there}")[0] == 404
        assert users.api(user, f"/v1/series?past={there}")[0] == 404
        assert users.api(user, f"/v1/past/{there}", {"cycles": 1}, method="PATCH")[0] == 404
        assert users.api(user, f"/v1/past/{there}", method="DELETE")[0] == 404
        assert users.api(user, "/v1/past")[1]["views"] == []
    # who has which level is a question of today: the journal's answer was another
    status, answer = users.api("daemon", "/v1/past", {"at": at})
    assert status == 200
    assert users.api("daemon", f"/v1/jobs/{own}?past={answer['past']}")[0] == 200
    daemon.configure("ADMIN1 root\n")
    daemon.ok("schedctl", "-R")
    assert users.api("daemon", f"/v1/jobs/{own}?past={answer['past']}")[0] == 404
    status, lesser = users.api("daemon", "/v1/past", {"at": at})
    assert status == 200 and lesser["decided"] == []
    assert users.api("daemon", f"/v1/jobs/{own}?past={lesser['past']}")[0] == 403
    # two of others, just asked: there is no room, and nobody loses theirs
    daemon.configure(LEVELS)
    daemon.ok("schedctl", "-R")
    status, refused = users.api("bin", "/v1/past", {"at": at})
    assert status == 503 and refused["error"]["code"] == "busy"
    assert get(daemon, "/v1/jobs", there)
    # two of one: who has none takes one
    assert users.api("daemon", f"/v1/past/{answer['past']}", method="DELETE")[0] == 200
    second = view(daemon, at)["past"]
    status, answer = users.api("bin", "/v1/past", {"at": at})
    assert status == 200, answer
    assert daemon.api(f"/v1/jobs?past={there}")[0] == 404 and get(daemon, "/v1/jobs", second)


def test_users_see_of_the_past_what_lists_showed_them(site):
    """Own jobs whole, of others what showq told; nothing else, by whatever is asked."""
    need_users()
    daemon = site.daemon
    daemon.configure(SITE + LEVELS)
    daemon.ok("schedctl", "-R")
    users = Users(daemon)
    site.later(60)
    own = users.submit("nobody", name="mine", wclimit_s=7200)
    other = users.submit("bin", name="secretname", wclimit_s=7200)
    daemon.wait(lambda: daemon.state(other) == "Running", "its start")
    status, answer = daemon.api("/v1/reservations", {
        "hosts": "node02", "start_at": site.at + DAY, "duration_s": 3600, "name": "closed"})
    assert status == 200, answer

    def listed(answer):
        return {j["id"]: j for j in map(json.loads, answer[1].splitlines()[1:])}

    then = listed(users.api("nobody", "/v1/jobs?section=active"))
    site.later(3600)
    for job in (own, other):
        daemon.ok("canceljob", job)
    daemon.wait(lambda: not told(daemon)[0], "their ends")
    site.later(600)

    def ask(path):
        return users.api("nobody", path + ("&" if "?" in path else "?") + f"past={past}")

    status, there = users.api("nobody", "/v1/past", {"at": BEGIN + 90})
    assert status == 200, there
    past = there["past"]
    jobs = listed(ask("/v1/jobs?section=active"))
    assert set(jobs) == {own, other}
    for job, was in then.items():
        assert {k: v for k, v in jobs[job].items() if k not in FLEETING} == {
            k: v for k, v in was.items() if k not in FLEETING}
    assert "name" not in jobs[other]
    assert ask(f"/v1/jobs/{own}")[0] == 200 and ask(f"/v1/jobs/{own}/why")[0] == 200
    for path in (f"/v1/jobs/{other}", f"/v1/jobs/{other}/why", "/v1/nodes", "/v1/nodes/node01", "/v1/fairshare",
                 "/v1/parameters", "/v1/statistics", "/v1/statistics/user", "/v1/partitions", "/v1/events",
                 "/v1/accounting?user=bin"):
        assert ask(path)[0] == 403, path
    everything = json.dumps([ask(p)[1] for p in ("/v1/jobs", "/v1/reservations", "/v1/promises", "/v1/accounting",
                                                 "/v1/forecast", "/v1/priorities", "/v1/credentials/user")])
    assert "secretname" not in everything and "closed" not in everything
    # what was decided, of one's own jobs alone; nor is the instant of another's to be found
    status, at_first = users.api("nobody", f"/v1/past/{past}", {"at": BEGIN}, method="PATCH")
    seen = {d.get("job") for d in at_first["decided"]}
    for _ in range(20):
        status, next_one = users.api("nobody", f"/v1/past/{past}", {"cycles": 1}, method="PATCH")
        if status != 200:
            break
        seen |= {d.get("job") for d in next_one["decided"]}
        assert "difference" not in next_one
    assert status == 404 and seen <= {own} and own in seen
    # from before it was submitted, although it is over by now
    assert users.api("nobody", f"/v1/past/{past}", {"at": BEGIN}, method="PATCH")[0] == 200
    status, first = users.api("nobody", f"/v1/past/{past}", {"about": own}, method="PATCH")
    assert status == 200 and {d["job"] for d in first["decided"]} == {own}, first
    for about in (other, "no-such"):
        assert users.api("nobody", f"/v1/past/{past}", {"about": about}, method="PATCH")[0] == 404
    # a job of that id that was theirs once makes another's no job of theirs; one that nobody dates is none
    with sqlite3.connect(f"{daemon.home}/state.db", timeout=30) as db:
        db.row_factory = sqlite3.Row
        row = dict(db.execute("SELECT * FROM account WHERE job = ?", (own,)).fetchone())
        for job, submit_at in ((other, BEGIN - DAY), ("undated", 0), ("dated", BEGIN - DAY)):
            row.update(job=job, submit_at=submit_at, end_at=submit_at + 60, id=None)
            db.execute(f"INSERT INTO account VALUES ({', '.join('?' * len(row))})", list(row.values()))
    db.close()
    assert users.api("nobody", f"/v1/past/{past}", {"at": BEGIN + 90}, method="PATCH")[0] == 200
    assert other in listed(ask("/v1/jobs?section=active"))
    for about, said in ((other, "no job"), ("undated", "no job"), ("dated", "nothing was decided about")):
        status, refused = users.api("nobody", f"/v1/past/{past}", {"about": about}, method="PATCH")
        assert status == 404 and said in refused["error"]["message"], refused
    # nor, where it is not there yet, when something is decided about another's that has the id of theirs later
    assert users.api("nobody", f"/v1/past/{past}", {"at": BEGIN}, method="PATCH")[0] == 200
    status, refused = users.api("nobody", f"/v1/past/{past}", {"about": other}, method="PATCH")
    assert status == 404 and "nothing was decided about" in refused["error"]["message"], refused
    assert daemon.api(f"/v1/past/{view(daemon, BEGIN)['past']}", {"about": other}, method="PATCH")[0] == 200
    # one each, and what they look at keeps no administrator out
    again = users.api("nobody", "/v1/past", {"at": BEGIN + 60})[1]["past"]
    assert users.api("nobody", f"/v1/jobs?past={past}")[0] == 404
    assert users.api("games", "/v1/past", {"at": BEGIN + 60})[0] == 200
    assert users.api("nobody", f"/v1/jobs?past={again}")[0] == 200
    view(daemon, site.at), view(daemon, site.at)
    assert users.api("nobody", f"/v1/jobs?past={again}")[0] == 200
    daemon.wait(lambda: len(helpers(daemon)) == 4, "two and two")


def test_who_does_not_fetch_answers_is_told_no_more(daemon):
    daemon.nodes = "10000x2"
    daemon.start()
    begun = get(daemon, "/v1/identity")["at"]
    daemon.wait(lambda: get(daemon, "/v1/identity")["at"] > begun, "a second that the journal has whole")
    past = view(daemon, get(daemon, "/v1/identity")["at"])["past"]
    size = len(json.dumps(get(daemon, "/v1/nodes", past)))
    with contextlib.ExitStack() as several:
        for _ in range((64 << 20) // size + 3):
            c = several.enter_context(contextlib.closing(Connection(f"{daemon.home}/api.sock")))
            c.request("GET", f"/v1/nodes?past={past}")
        def refused():
            status, answer = daemon.api(f"/v1/jobs?past={past}")
            return status == 503 and "fetched" in answer["error"]["message"]
        daemon.wait(refused, "the refusal")
        assert daemon.api("/v1/jobs")[0] == 200
    daemon.wait(lambda: daemon.api(f"/v1/jobs?past={past}")[0] == 200, "what was closed is not owed any more")
