# SPDX-License-Identifier: Apache-2.0
"""RMCFG[] TYPE=WIKI in front of a server of ours (server.py): the classic text protocol,
its sums, and all the ways in which such a server may misbehave."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "live")]
from live_daemon import ME, Connection, Daemon  # noqa: E402
from server import World  # noqa: E402

KEYS = {"DES": "0x3039", "HMAC": "a secret of the site", "HMAC64": "another", "MD5": "a third"}
USERS = ["nobody", "games", "daemon"]


class Site(Daemon):
    """A world of two nodes with two processors, and a daemon in front of it."""

    def __init__(self, build, algorithm="HMAC", more=""):
        super().__init__(build / "src" / "client" / "maui")
        self.world = World(f"{self.home}/world", {"n1": 2, "n2": 2}, algorithm,
                           KEYS.get(algorithm, ""))
        self.key = f"{self.home}/key"
        self.write_key(KEYS.get(algorithm, ""))
        self.algorithm = algorithm
        self.section(more)

    def write_key(self, text, mode=0o600):
        pathlib.Path(self.key).write_text(text + "\n")
        os.chmod(self.key, mode)

    def section(self, more="", start="STARTWAIT=20"):
        how = "AUTHTYPE=NONE" if self.algorithm == "NONE" else \
            f"KEYFILE={self.key} CSALGO={self.algorithm}"
        self.configure(f"RMCFG[wiki] TYPE=WIKI HOST=127.0.0.1 PORT={self.world.port} {how} {start}\n"
                       f"RMCFG[wiki] POLLINTERVAL=1 TIMEOUT=2 {more}\n"
                       f"ADMIN1 {ME}\nRESERVATIONPOLICY NEVER\nDEFERTIME 1\n")

    def serve(self):
        done = self.run("serve", "-L", "5")
        assert done.returncode == 0, done.stderr
        return self

    def begin(self):
        self.serve()
        self.wait(lambda: self.run("showq").returncode == 0, "an answer", 60)
        return self

    def job(self, job):
        """As it is, or as accounting has it."""
        found = super().job(job)
        if found:
            return found
        done = self.run("checkjob", job, "--format", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def until(self, job, state):
        self.wait(lambda: self.state(job) == state, f"{state} of {job}", 60)

    def runs(self, job):
        self.wait(lambda: self.world.job(job)["STATE"] == "Running", f"the run of {job}", 60)

    def ends(self, job):
        self.wait(lambda: self.world.job(job)["STATE"] == "Completed", f"the end of {job}", 60)

    def adapter(self):
        children = f"/proc/{self.pid()}/task/{self.pid()}/children"
        return [int(p) for p in pathlib.Path(children).read_text().split()
                if pathlib.Path(f"/proc/{p}/comm").read_text() == "maui-wiki\n"]

    def rm(self):
        return self.ok("diagnose", "-R")

    def log(self):
        """Without who asked what."""
        return "\n".join(l for l in super().log().splitlines() if " GET /v1" not in l)

    def clean(self):
        self.stop()
        self.world.kill()
        self.end_processes()
        shutil.rmtree(self.home, ignore_errors=True)


@pytest.fixture
def site(build):
    s = Site(build)
    yield s
    s.clean()


@pytest.mark.parametrize("algorithm", ["DES", "HMAC", "HMAC64", "MD5", "NONE"])
def test_jobs_start_and_end_with_each_kind_of_sum(build, algorithm):
    site = Site(build, algorithm)
    try:
        site.begin()
        jobs = [site.world.submit(f"j{i}", user, GNAME="nogroup") for i, user in enumerate(USERS)]
        for job in jobs:
            site.ends(job)
        site.wait(lambda: all((site.job(j) or {}).get("state") in ("Completed", None) for j in jobs),
                  "their ends", 60)
        assert sorted(site.world.look()["starts"]) == jobs
    finally:
        site.clean()


def test_a_key_that_is_wrong_lets_nobody_in(site):
    site.write_key("what I thought it was")
    site.serve()
    site.wait(lambda: "checksum" in site.log(), "what is wrong", 60)
    assert site.world.look()["asked"] == []


def test_the_key_may_stand_in_the_private_file(site):
    site.algorithm = "NONE"
    site.section()
    text = pathlib.Path(f"{site.home}/maui.cfg").read_text().replace("AUTHTYPE=NONE", "")
    pathlib.Path(f"{site.home}/maui.cfg").write_text(text)
    private = f"{site.home}/maui-private.cfg"
    pathlib.Path(private).write_text(f'CLIENTCFG[RM:wiki] CSKEY="{KEYS["HMAC"]}" CSALGO=HMAC\n')
    os.chmod(private, 0o644)
    checked, served = site.run("check", "-c", f"{site.home}/maui.cfg"), site.run("serve")
    for said in (checked.stdout, served.stderr):
        assert "which others may read; chmod 600" in said
    assert checked.returncode == 1 and served.returncode != 0
    os.chmod(private, 0o600)
    assert site.run("check", "-c", f"{site.home}/maui.cfg").returncode == 0
    site.begin()
    site.ends(site.world.submit("j1", USERS[0]))


def test_check_refuses_what_serve_does(site):
    """The same sentence from both."""
    good = pathlib.Path(f"{site.home}/maui.cfg").read_text()
    port, key = f"PORT={site.world.port}", f"KEYFILE={site.key}"
    wrong = [("HOST=127.0.0.1", "", "needs HOST="), (port, "", "needs PORT="),
             (port, "PORT=0", "expected 1 to 65535"), (key, "", "needs a key"),
             (key, "KEYFILE=key", "an absolute path"), (key, f"KEYFILE={site.home}/none", "No such"),
             (f"{key} CSALGO=HMAC", f"{key} AUTHTYPE=PKI", "CHECKSUM and NONE"),
             ("CSALGO=HMAC", "", "the key is no number")]
    for old, new, says in wrong:
        pathlib.Path(f"{site.home}/maui.cfg").write_text(good.replace(old, new))
        checked, served = site.run("check", "-c", f"{site.home}/maui.cfg"), site.run("serve")
        assert checked.returncode == 1 and says in checked.stdout, (new, checked)
        assert served.returncode != 0 and says in served.stderr, (new, served)
    pathlib.Path(f"{site.home}/maui.cfg").write_text(good)
    for mode, text, says in ((0o640, "x", "can be read by others"), (0o604, "x", "can be read by others"),
                             (0o602, "x", "can be written by everybody"), (0o600, "", "expected a key")):
        site.write_key(text, mode)
        checked, served = site.run("check", "-c", f"{site.home}/maui.cfg"), site.run("serve")
        assert checked.returncode == 1 and says in checked.stdout, (mode, checked)
        assert served.returncode != 0 and says in served.stderr, (mode, served)
    site.write_key(KEYS["HMAC"])
    assert site.run("check", "-c", f"{site.home}/maui.cfg").returncode == 0


def test_what_can_be_done_with_a_job(site):
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    site.ok("mjobctl", "-s", job)
    site.until(job, "Suspended")
    site.wait(lambda: site.world.job(job)["STATE"] == "Suspended", "the order")
    site.ok("mjobctl", "-r", job)
    site.until(job, "Running")
    site.ok("mjobctl", "-m", "wclimit=1000", job)
    site.wait(lambda: site.world.job(job)["WCLIMIT"] == 1000, "the new limit")
    site.ok("mjobctl", "-N", "USR1", job)
    site.wait(lambda: site.world.look()["signals"] == [[job, 10]], "the signal")
    site.ok("mjobctl", "-R", job)
    site.wait(lambda: site.world.look()["starts"] == [job, job], "the second run", 60)
    site.until(job, "Running")
    wide = site.world.submit("wide", USERS[0], TASKS=4, seconds=1000)  # it waits
    site.wait(lambda: site.state(wide) == "Idle", "the job that waits", 60)
    site.ok("mjobctl", "-m", "wclimit=900", wide)
    assert site.world.job(wide)["WCLIMIT"] == 900
    with site.world.state() as o:
        o["unknown"] = ["MODIFYJOB"]
    refused = site.run("mjobctl", "-m", "wclimit=800", wide)
    assert refused.returncode != 0 and "unknown command" in refused.stdout + refused.stderr, refused
    assert "unknown command" in site.ok("checkjob", wide) and site.job(wide)["wclimit_s"] == 900
    with site.world.state() as o:
        o["unknown"] = []
        o["jobs"][wide].update(WCLIMIT=500, UPDATETIME=int(time.time()))
    site.wait(lambda: site.job(wide)["wclimit_s"] == 500, "the limit of there", 60)
    site.ok("canceljob", job)
    site.until(job, "Removed")
    site.wait(lambda: site.world.look()["cancels"] == [[job, "ADMIN"]], "the order")
    site.runs(wide)
    assert site.world.job(wide)["WCLIMIT"] == 500


def test_a_job_over_its_limit_is_cancelled_for_that(site):
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000, WCLIMIT=2)
    site.until(job, "Running")
    site.wait(lambda: site.world.look()["cancels"] == [[job, "WALLCLOCK"]], "its end", 60)
    site.until(job, "Removed")


def test_a_parallel_job_has_a_name_for_each_task(site):
    site.begin()
    wide = site.world.submit("wide", USERS[0], seconds=1000, TASKS=3)
    site.runs(wide)
    assert sorted(site.world.job(wide)["TASKLIST"]) in (["n1", "n1", "n2"], ["n1", "n2", "n2"])
    late = site.world.submit("late", USERS[1], TASKS=2)
    site.wait(lambda: site.job(late), "the job")
    assert site.world.job(late)["STATE"] == "Idle"
    site.world.end(wide)
    site.ends(late)


def test_a_command_that_the_server_does_not_know_is_refused(site):
    with site.world.state() as o:
        o["unknown"] = ["SUSPENDJOB"]
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    site.run("mjobctl", "-s", job)
    site.wait(lambda: "unknown command SUSPENDJOB" in site.log(), "why not", 60)
    site.until(job, "Running")


def test_a_job_in_every_state_is_understood(site):
    expected = {"Idle": None, "Hold": "Hold", "SystemHold": "Hold", "BatchHold": "Hold",
                "Running": "Running", "Starting": "Running", "Suspended": "Suspended"}
    for word in (*expected, "Completed", "Removed", "Cancelled", "Vacated", "Unknown", "NotQueued"):
        site.world.submit(word, USERS[0], seconds=1000)
        with site.world.state() as o:
            o["jobs"][word]["STATE"] = word
            if word in ("Running", "Starting", "Suspended"):
                o["jobs"][word].update(TASKLIST=["n1"] if word == "Running" else ["n2"],
                                       STARTTIME=int(time.time()), ends_at=time.time() + 1000)
    site.begin()
    for word, state in expected.items():
        if state:
            site.until(word, state)
    site.runs("Idle")
    assert site.world.job("Hold")["STATE"] == "Hold"


@pytest.mark.parametrize("odd, says", [
    ("hang", "did not answer within 2 s"), ("never", "closed the connection without an answer"),
    ("half", "before the whole answer was there"), ("head", "before the whole answer was there"),
    ("rubbish", "does not begin with eight digits"), ("huge", "a message of 99999999 bytes"),
    ("empty", "a message of 0 bytes"), ("badsum", "checksum is wrong"),
    ("nosum", "without a checksum"), ("old", "are both clocks right?"),
    ("young", "are both clocks right?"), ("error", "the moon is full"),
    ("short", "a part is missing"), ("nolist", "which has no list"),
    ("nocode", "expected SC=CODE first"), ("replay", "an old one is played again")])
def test_answers_that_are_none_stop_nothing_that_runs(site, odd, says):
    """Each is said; jobs run on, nothing is started or gone; all goes on when it is mended."""
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    if odd == "replay":
        asked = time.time()
        site.wait(lambda: time.time() > asked + 2, "another second")
    site.world.behave(GETJOBS=odd)
    site.wait(lambda: says in site.rm(), says, 60)
    late = site.world.submit("j2", USERS[0])
    assert site.state(job) == "Running" and site.state(late) is None
    site.world.behave()
    site.ends(late)
    assert site.state(job) == "Running"
    assert "no longer known" not in site.log()


@pytest.mark.parametrize("odd", ["bits", "behind"])
def test_answers_may_come_in_bits_and_with_more_behind(site, odd):
    site.world.behave(all=odd)
    site.begin()
    site.ends(site.world.submit("j1", USERS[0]))


def test_the_server_is_away_for_a_while(site):
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    site.world.kill()
    site.wait(lambda: "cannot connect: Connection refused" in site.rm(), "why", 60)
    assert site.state(job) == "Running"
    late = site.world.submit("j2", USERS[0])
    site.world.start()
    site.ends(late)
    assert site.state(job) == "Running"


def test_a_start_whose_answer_is_lost_is_not_asked_for_again(site):
    """It has come about, or will: nobody knows, so it is looked for."""
    site.begin()
    site.world.behave(STARTJOB="lost")
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    site.world.behave(STARTJOB="late")
    late = site.world.submit("j2", USERS[0], seconds=1000)
    site.until(late, "Running")
    assert site.world.look()["starts"] == [job, late]
    assert "did not come about" not in site.log()


def test_a_start_that_never_comes_about_has_failed(site):
    site.section(start="STARTWAIT=2")
    site.begin()
    with site.world.state() as o:
        o["fickle"] = True
    job = site.world.submit("j1", USERS[0])
    site.wait(lambda: "is not seen to run after 2 s" in site.run("checkjob", job).stdout, "why", 60)
    with site.world.state() as o:
        o["fickle"] = False
    site.ends(job)


def test_a_start_that_is_refused_is_said(site):
    site.begin()
    site.world.behave(STARTJOB="error")
    job = site.world.submit("j1", USERS[0])
    site.wait(lambda: "the moon is full" in site.run("checkjob", job).stdout, "why", 60)
    site.world.behave()
    site.ends(job)


def test_a_cancel_whose_answer_is_lost_is_done_once(site):
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    site.world.behave(CANCELJOB="lost")
    site.ok("canceljob", job)
    site.until(job, "Removed")
    site.world.behave()
    free = site.world.submit("j2", USERS[0], TASKS=4)
    site.ends(free)
    assert site.world.look()["cancels"] == [[job, "ADMIN"]]


def test_a_look_of_before_does_not_suspend_who_was_resumed(site):
    """The server takes its time to resume it; until then it tells how the job was."""
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    site.ok("mjobctl", "-s", job)
    site.until(job, "Suspended")
    site.wait(lambda: site.world.job(job)["STATE"] == "Suspended", "that it is")
    site.world.behave(RESUMEJOB="hang")
    site.ok("mjobctl", "-r", job)
    looks, seen = len(site.world.look()["asked"]), set()
    site.wait(lambda: seen.add(site.state(job)) or len(site.world.look()["asked"]) > looks + 3, "looks", 60)
    assert seen == {"Running"}
    site.world.behave()


def test_a_look_that_began_before_a_resume_does_not_suspend_again(site):
    """Its answer, which is of before, comes when the resume is over and done with."""
    site.begin()
    job = site.world.submit("j1", USERS[0], seconds=1000)
    site.until(job, "Running")
    for _ in range(3):
        site.ok("mjobctl", "-s", job)
        site.until(job, "Suspended")
        site.wait(lambda: site.world.job(job)["STATE"] == "Suspended", "that it is")
        site.world.behave(GETJOBS="stale")
        asked = len(site.world.look()["asked"])
        site.wait(lambda: ["GETJOBS", 0] in site.world.look()["asked"][asked:], "a look", 60)
        site.ok("mjobctl", "-r", job)
        seen, end = set(), time.time() + 3
        while time.time() < end:
            seen.add(site.state(job))
        assert seen == {"Running"}
        site.world.behave()


def test_only_what_changed_is_asked_for_in_between(site):
    site.section("FULLINTERVAL=1000")
    site.begin()
    jobs = [site.world.submit(f"j{i}", user) for i, user in enumerate(USERS)]
    for job in jobs:
        site.ends(job)
    site.wait(lambda: all((site.job(j) or {}).get("state") in ("Completed", None) for j in jobs),
              "their ends", 60)
    site.wait(lambda: all(at > 0 for _, at in site.world.look()["asked"][-4:]), "such questions", 60)
    with site.world.state() as o:
        o["nodes"]["n1"].update(STATE="Down", UPDATETIME=int(time.time()))
    site.wait(lambda: "Down" in site.ok("checknode", "n1"), "the node's state", 60)
    jobs.append(site.world.submit("last", USERS[0]))
    site.ends("last")
    assert sorted(site.world.look()["starts"]) == jobs
    assert "no longer known" not in site.log()


def test_one_record_that_is_wrong_stops_nothing(site):
    site.world.submit("bad1", "", STATE="Running")
    with site.world.state() as o:
        o["jobs"]["bad1"]["ends_at"] = time.time() + 1000
    site.begin()
    site.ends(site.world.submit("j1", USERS[0]))
    assert "bad1: it has no UNAME=" in site.rm()


def find_own_address():
    """One of this machine that is not of its loopback; None: it has none."""
    said = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    return next((a for a in said if "." in a and not a.startswith("127.")), None)


def open_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_stranger_does_not_wake_the_scheduler(site):
    """HOST is 127.0.0.1: who comes from another address of this machine is a stranger."""
    address, port = find_own_address(), open_port()
    if address is None:
        pytest.skip("this machine has no address but 127.0.0.1: no stranger to play")
    site.section(f"EPORT={port}")
    path = pathlib.Path(f"{site.home}/maui.cfg")
    path.write_text(path.read_text().replace("POLLINTERVAL=1 ", "POLLINTERVAL=3600 ")
                    + "RMPOLLINTERVAL 3600\n")
    site.begin()
    before = len(site.world.look()["asked"])
    with socket.create_connection((address, port), 5) as s:
        s.settimeout(20)
        try:
            assert s.recv(1) == b""  # it is sent away at once
        except ConnectionResetError:
            pass
    assert len(site.world.look()["asked"]) == before
    with socket.create_connection(("127.0.0.1", port), 5):
        site.wait(lambda: len(site.world.look()["asked"]) > before, "a look", 60)


def test_the_event_port_wakes_the_scheduler(site):
    """POLLINTERVAL is an hour: whoever connects from this machine wakes it."""
    port = open_port()
    site.section(f"EPORT={port} MINETIME=1")
    path = pathlib.Path(f"{site.home}/maui.cfg")
    path.write_text(path.read_text().replace("POLLINTERVAL=1 ", "POLLINTERVAL=3600 ")
                    + "RMPOLLINTERVAL 3600\n")
    site.begin()
    before = len(site.world.look()["asked"])
    job = site.world.submit("j1", USERS[0], seconds=1000)

    def wake():
        with socket.create_connection(("127.0.0.1", port), 5) as s:
            s.sendall(b"1\n")
    wake()
    site.runs(job)
    # a storm of events wakes it once a MINETIME
    asked, began = len(site.world.look()["asked"]), time.monotonic()
    for _ in range(200):
        wake()
    spent = time.monotonic() - began
    assert asked > before
    assert len(site.world.look()["asked"]) - asked <= 4 * (spent + 3)


def test_killed_at_any_time_nothing_is_lost_or_done_twice(site):
    """Daemon, adapter and server by turns, while jobs come, start and end."""
    site.begin()
    jobs = []
    for turn in range(int(os.environ.get("MAUI_CHAOS_ROUNDS", "9"))):
        for user in USERS:
            jobs.append(site.world.submit(f"j{len(jobs)}", user, seconds=0.1 * (turn % 7)))
        time.sleep(0.13 * (turn % 6))
        if turn % 3 == 0:
            site.kill()
            site.serve()
        elif turn % 3 == 1:
            for pid in site.adapter():
                os.kill(pid, signal.SIGKILL)
        else:
            site.world.kill()
            site.world.start()
    for job in jobs:
        site.wait(lambda job=job: site.world.job(job)["STATE"] == "Completed", f"the end of {job}", 180)
    site.wait(lambda: all((site.job(j) or {}).get("state") in ("Completed", None) for j in jobs),
              "all ends", 120)
    assert sorted(site.world.look()["starts"]) == sorted(jobs)


# ---- thousands at once ----

def figures(site):
    page = site.page()
    return {k: float(v) for k, v in (line.rsplit(" ", 1) for line in page.splitlines()
                                     if not line.startswith("#"))}


class Crowd(Site):
    def page(self):
        c = Connection(f"{self.home}/api.sock")
        try:
            c.request("GET", "/metrics")
            return c.getresponse().read().decode()
        finally:
            c.close()


def test_thousands_of_jobs_told_at_once_keep_nobody_waiting(build):
    """They are taken some at a time: who asks meanwhile is answered between, and a commit
    never writes more than some hundred of them: both counted, not timed."""
    many, site = 3000, Crowd(build, "NONE")
    try:
        with open(f"{site.home}/maui.cfg", "a") as f:
            f.write("BACKFILLPOLICY PLAN\nRESERVATIONPOLICY CURRENTHIGHEST\n")
        site.begin()
        before = figures(site)["maui_commits_total"]
        now = int(time.time())
        with site.world.state() as o:
            o["jobs"].update({f"j{i}": {
                "UPDATETIME": now, "STATE": "Idle", "WCLIMIT": 600, "TASKS": 2, "QUEUETIME": now,
                "STARTTIME": 0, "COMPLETIONTIME": 0, "UNAME": USERS[i % 3], "GNAME": "nogroup",
                "RCLASS": "[batch:1]", "TASKLIST": [], "seconds": 600, "ends_at": 0}
                for i in range(many)})
        seen = {0}
        while max(seen) < many:
            f = figures(site)
            seen.add(f['maui_events_total{event="JOBSUBMIT"}'])
            assert time.time() < now + 120, (max(seen), site.log()[-2000:])
        assert len(seen) > 4, seen  # somebody was answered when some of them were there
        assert f["maui_commits_total"] - before >= many / 400, (before, f["maui_commits_total"])
        assert any(k.startswith('maui_turn_longest_seconds{doing="report"}') for k in f)
        assert f["maui_turn_duration_seconds_count"] >= f["maui_turn_processor_seconds_count"] - 1
    finally:
        site.clean()
