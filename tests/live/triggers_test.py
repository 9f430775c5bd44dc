# SPDX-License-Identifier: Apache-2.0
"""Triggers of reservations: carried out, once, and over kill -9."""
import json
import os
import random
import sqlite3
import subprocess
import time

import pytest


def tool(daemon, name="act", script='echo "$@ $MAUI_RESERVATION $MAUI_EVENT" >> {home}/ran\n'):
    os.makedirs(f"{daemon.home}/tools", exist_ok=True)
    path = f"{daemon.home}/tools/{name}"
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + script.format(home=daemon.home))
    os.chmod(path, 0o755)


def ran(daemon):
    try:
        with open(f"{daemon.home}/ran") as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def events(daemon, name):
    with open(f"{daemon.home}/log/events.log") as f:
        return [e for e in map(json.loads, f) if e["event"] == name]


def wait_ran(daemon, n=1):
    daemon.wait(lambda: len(ran(daemon)) >= n, "the trigger")
    return ran(daemon)


def reserve(daemon, trigger, name="r", start=0, duration=1000, node="node01"):
    now = int(time.time())
    daemon.ok("setres", "-n", name, "-s", f"+{start}" if start else str(now), "-d",
              str(duration), "-T", trigger, node)


def trigger_records(daemon):
    db = sqlite3.connect(f"file:{daemon.home}/state.db?mode=ro", uri=True)
    rows = db.execute("SELECT key, value FROM record WHERE kind = 'trigger'").fetchall()
    db.close()
    return [(k, json.loads(v)) for k, v in rows]


def test_a_program_runs_once_when_the_reservation_is_made(live):
    tool(live)
    reserve(live, "create;exec@act one  two")
    assert wait_ran(live) == ["one two r.0 create"]
    live.wait(lambda: not trigger_records(live), "the end of the record")
    live.ok("schedctl", "-r")
    time.sleep(0.5)
    assert len(ran(live)) == 1
    assert events(live, "TRIGGERFIRED")[0]["object"] == "r.0"
    assert events(live, "TRIGGERENDED")[0]["exit_status"] == 0


def test_start_and_end_have_their_times(live):
    tool(live)
    reserve(live, "start+1:exec@act started,end;exec@act ended", start=2, duration=2)
    begin = time.time()
    assert [line.split()[0] for line in wait_ran(live, 2)] == ["started", "ended"]
    assert 2.5 <= time.time() - begin < 15


def test_a_released_reservation_starts_nothing_but_ends(live):
    tool(live)
    reserve(live, "start+2;exec@act started,end;exec@act ended")
    live.ok("releaseres", "r.0")
    assert wait_ran(live)[0].startswith("ended")
    time.sleep(2.5)
    live.ok("schedctl", "-r")
    time.sleep(0.3)
    assert len(ran(live)) == 1


def test_cancel_releases_the_reservation(live):
    reserve(live, "start+1;cancel")
    live.wait(lambda: live.api("/v1/reservations/r.0")[0] == 404, "the release")
    live.wait(lambda: events(live, "RESERVATIONDESTROYED"), "its event, behind the commit")
    assert events(live, "RESERVATIONDESTROYED")[0]["object"] == "r.0"


def test_submit_makes_a_job_of_the_script(live):
    tool(live, "job.sh", "#PBS -N bytrigger\necho done > {home}/ran\n")
    reserve(live, "create;submit@job.sh")
    assert wait_ran(live) == ["done"]
    name = [e for e in events(live, "JOBSUBMIT")]
    assert len(name) == 1


def test_a_program_that_fails_or_is_missing_is_notified(daemon):
    tool(daemon, "notify", 'echo "$1" >> {home}/told\n')
    daemon.configure("NOTIFICATIONPROGRAM notify\n")
    daemon.start()
    reserve(daemon, "create;exec@nosuch")
    daemon.wait(lambda: events(daemon, "TRIGGERENDED"), "the end")
    assert "No such file" in events(daemon, "TRIGGERENDED")[0]["text"]
    daemon.wait(lambda: os.path.exists(f"{daemon.home}/told")
                and "TRIGGERENDED:  " in open(f"{daemon.home}/told").read(), "the notification")
    assert not trigger_records(daemon)


def test_an_end_that_nobody_saw_is_made_up_for_once(live):
    tool(live)
    reserve(live, "end;exec@act ended,start+500;exec@act started", duration=2)
    live.kill()
    time.sleep(2.2)
    live.start()
    assert wait_ran(live)[0].startswith("ended r.0")
    live.kill()
    live.start()
    live.wait(lambda: live.api("/v1/scheduler")[0] == 200, "the daemon")
    time.sleep(0.5)
    assert len(ran(live)) == 1


def test_an_offset_counts_from_the_begin_before_the_restart(live):
    tool(live)
    reserve(live, "start+6;exec@act started,create+6;exec@act created")
    start = live.api("/v1/reservations/r.0")[1]["start_at"]
    time.sleep(4)
    live.kill()
    live.start()
    wait_ran(live, 2)
    began = events(live, "SCHEDULERSTART")[1]["at"]
    for fired in events(live, "TRIGGERFIRED"):
        assert start + 6 <= fired["at"] < began + 6


def test_a_standing_reservations_trigger_runs_once_over_restarts(daemon):
    tool(daemon)
    daemon.configure("SRCFG[keep] PERIOD=INFINITY HOSTLIST=node03 TRIGGER=create;exec@act\n")
    daemon.start()
    assert "keep.0.0 create" in wait_ran(daemon)[0]
    for _ in range(2):
        daemon.kill()
        daemon.start()
        daemon.wait(lambda: daemon.api("/v1/reservations")[1], "the reservation")
        time.sleep(0.3)
    assert len(ran(daemon)) == 1


def test_what_is_due_runs_after_a_restart_and_what_was_begun_does_not(live):
    tool(live)
    live.stop()
    db = sqlite3.connect(f"{live.home}/state.db")
    due = {"reservation": "a.0", "action": "exec", "data": "act due", "event": "create",
           "due_at": 1, "begun": False}
    begun = dict(due, reservation="b.0", data="act begun", begun=True)
    for key, value in (("a.0/0/1", due), ("b.0/0/1", begun)):
        db.execute("INSERT INTO record(kind, key, value) VALUES('trigger', ?, ?)",
                   (key, json.dumps(value)))
    db.commit()
    db.close()
    live.start()
    assert wait_ran(live) == ["due a.0 create"]
    live.wait(lambda: not trigger_records(live), "the end of the records")
    assert "'act begun' of its trigger was begun when the scheduler ended" in live.log()
    told = [e["text"] for e in events(live, "TRIGGERENDED") if e["object"] == "b.0"]
    assert len(told) == 1 and "not run again" in told[0]
    assert len(ran(live)) == 1


def test_kills_at_any_moment_run_no_trigger_twice_and_lose_none_silently(live):
    tool(live)
    rng = random.Random(7)
    n = 12
    for i in range(n):
        reserve(live, f"create;exec@act {i}", name=f"k{i}", node="node02")
        time.sleep(rng.random() * 0.03)
        live.kill()
        live.start()
    live.wait(lambda: live.api("/v1/scheduler")[0] == 200, "the daemon")
    live.wait(lambda: not trigger_records(live), "the end of all triggers")
    time.sleep(0.3)
    done = [line.split()[0] for line in ran(live)]
    assert len(done) == len(set(done)), done
    unknown = {e["object"].split(".")[0][1:] for e in events(live, "TRIGGERENDED")
               if "not run again" in e["text"]}
    assert {str(i) for i in range(n)} - set(done) <= unknown


def test_only_administrators_of_level_1_have_programs_run(daemon):
    """They run as the user the daemon runs as."""
    tool(daemon)
    daemon.configure("RESCTLPOLICY ANY\n")
    daemon.start()
    os.chmod(daemon.home, 0o755)

    def ask(trigger):
        body = {"hosts": "node01", "duration_s": 100, "name": "mine", "trigger": trigger}
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-s",
                 "--unix-socket", f"{daemon.home}/api.sock", "http://maui/v1/reservations",
                 "-H", "Content-Type: application/json", "-d", json.dumps(body)]
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout

    if os.geteuid() != 0:
        pytest.skip("other users can only be played by root")
    for trigger in ("create;exec@act", "create;submit@act", "start;cancel,end;exec@act"):
        assert "may not have a program run by a trigger" in ask(trigger)
    assert "mine.0" in ask("start+50;cancel")
    assert not ran(daemon)
