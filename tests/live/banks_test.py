# SPDX-License-Identifier: Apache-2.0
"""Banks that are elsewhere: a file, a program of the site, a GOLD server. Starts wait for
their answers and nobody else does; what jobs cost reaches them once, whatever happens."""
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest

from live_daemon import ME, proc_text
from live_users import LEVELS, Users

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from gold_server import Gold  # noqa: E402

CONFIG = "CHARGEPOLICY=DEBITALLWC RMPOLLINTERVAL 1\n"


class Program:
    """A bank of the site: notes what it is asked, in a file, and answers as told."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.path, self.noted = f"{daemon.home}/bank", f"{daemon.home}/asked"
        self.answers()

    def answers(self, lien="exit 0", charge="exit 0", release="exit 0"):
        text = (f"#!/bin/sh\nread -r body\necho \"$1 $body\" >> {self.noted}\ncase $1 in\n"
                f"lien) {lien};;\ncharge) {charge};;\nrelease) {release};;\nesac\n")
        self.write(text)

    def write(self, text):
        with open(f"{self.path}.new", "w") as f:
            f.write(text)
        os.chmod(f"{self.path}.new", 0o755)
        os.rename(f"{self.path}.new", self.path)

    def quiet(self):
        """Programs that a killed daemon has left are over; one that it was about to begin
        looks like the daemon itself until it does."""
        mark = self.daemon.home.encode()
        pids = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]
        return not any(mark in proc_text(pid) for pid in pids)

    def calls(self, verb=None):
        """Each call, in order."""
        if not os.path.exists(self.noted):
            return []
        told = [line.split(" ", 1) for line in pathlib.Path(self.noted).read_text().splitlines()]
        return [json.loads(body) for word, body in told if verb in (None, word)]

    def asked(self, verb=None):
        """What it was told, in order: each once, as the bank has to take it. A call whose
        answer came too late, or to a daemon that was gone, is made again and says so."""
        told = []
        for m in self.calls(verb):
            if not (m.get("again") and any(same(m, before) for before in told)):
                told.append(m)
        return told


def same(one, other):
    """But for the mark that it may have been told before."""
    return {**one, "again": True} == {**other, "again": True}


@pytest.fixture
def native(daemon):
    daemon.bank = Program(daemon)
    daemon.bank.section = (f"AMCFG[bank] TYPE=NATIVE SERVER=exec://{daemon.bank.path} "
                           "CHARGEPOLICY=DEBITALLWC TIMEOUT=5\nRMPOLLINTERVAL 1\n")
    daemon.configure(daemon.bank.section)
    return daemon


def set_patience(daemon, seconds, more=""):
    """Short where a bank does not answer; long where it does, however busy the machine."""
    daemon.bank.section = daemon.bank.section.replace("TIMEOUT=5", f"TIMEOUT={seconds} {more}")
    daemon.configure(daemon.bank.section)


def over(daemon, job):
    daemon.wait(lambda: (daemon.job(job) or {"state": "Removed"})["state"]
                in ("Completed", "Removed"), f"the end of {job}")


def test_a_start_asks_and_an_end_is_charged(native):
    native.start()
    job = native.submit("true", account="chem", wclimit_s=100)
    over(native, job)
    native.wait(lambda: native.bank.asked("charge"), "the charge")
    lien, charge = native.bank.asked("lien")[0], native.bank.asked("charge")[0]
    assert lien["job"] == charge["job"] == job and lien["run"] == charge["run"]
    assert lien["user"] == ME and lien["account"] == "chem" and lien["amount"] == "100.000"
    assert lien["procs"] == 1 and lien["seconds"] == 100 and "again" not in charge
    assert 0 < float(charge["amount"]) < 30 and charge["seconds"] == float(charge["amount"])
    plain = native.submit("true", wclimit_s=100)  # the bank chooses the account
    over(native, plain)
    native.wait(lambda: len(native.bank.asked("charge")) == 2, "the other charge")
    assert "account" not in native.bank.asked("charge")[1]
    assert native.bank.asked("release") == []


def test_who_is_refused_waits_and_nobody_else_does(native):
    """Its nodes are free at once; it is told why; the next minute it is tried again."""
    native.bank.answers(lien='case $body in *poor*) echo "no funds in poor"; exit 1;; esac')
    native.start()
    poor = native.submit("true", account="poor", wclimit_s=100, requests=[{"tasks": 8}])
    native.wait(lambda: "no funds in poor" in native.ok("checkjob", poor), "the reason")
    job = native.submit("sleep 600", account="chem", wclimit_s=700, requests=[{"tasks": 8}])
    native.wait(lambda: native.state(job) == "Running", "the start of the other")
    assert native.job(poor)["defer_count"] == 0
    native.ok("canceljob", job)
    native.wait(lambda: len(native.bank.asked("charge")) == 1, "the charge")
    assert [m["account"] for m in native.bank.asked("charge")] == ["chem"]
    assert native.bank.asked("release") == []  # nothing lies there of who was refused


@pytest.mark.parametrize("action", ["DEFER", "CANCEL", "FALLBACK"])
def test_what_a_bank_refuses_is_treated_as_the_site_says(native, action):
    more = "FALLBACKACCOUNT=rich" if action == "FALLBACK" else f"JFACTION={action}"
    set_patience(native, 5, more)
    native.bank.answers(lien='case $body in *poor*) echo "no funds"; exit 1;; esac')
    native.start()
    job = native.submit("true", account="poor", wclimit_s=100)
    if action == "DEFER":
        native.wait(lambda: (native.job(job) or {}).get("defer_count") == 1, "the deferral")
    elif action == "CANCEL":
        native.wait(lambda: "refuses: no funds" in native.ok("checkjob", job), "the cancel")
        over(native, job)
    else:
        over(native, job)
        native.wait(lambda: native.bank.asked("charge"), "the charge")
        assert native.bank.asked("charge")[0]["account"] == "rich"


def test_a_bank_that_hangs_stops_nobody_else_and_no_longer_than_its_time(native):
    native.bank.answers(lien='case $body in *slow*) sleep 600;; esac')
    set_patience(native, 2)
    native.start()
    slow = native.submit("true", account="slow", wclimit_s=100)
    native.wait(lambda: native.bank.asked("lien"), "the question")
    quick = native.submit("true", account="chem", wclimit_s=100)
    over(native, quick)
    over(native, slow)  # JFACTION NONE: it starts with nothing kept
    native.wait(lambda: len(native.bank.asked("charge")) == 2, "both charges")


def test_a_bank_that_hangs_for_one_account_stops_no_other(native):
    """Whatever it has of jobs: others are asked about and start while those calls hang, and
    after them, also when they are tried again."""
    native.nodes = "60x1"
    native.bank.answers(lien='case $body in *slow*) sleep 600;; esac')
    set_patience(native, 600, "DEFERJOBONFAILURE=TRUE")
    native.start("--paused")
    slow = [native.submit("true", account="slow", wclimit_s=100) for n in range(30)]
    native.ok("mschedctl", "-r")
    native.wait(lambda: len(native.bank.asked("lien")) == 8, "so many questions of one account")
    for account in ("chem", "bio"):
        over(native, native.submit("true", account=account, wclimit_s=100))
    native.wait(lambda: len(native.bank.asked("charge")) == 2, "both charges")
    assert {m["account"] for m in native.bank.asked("charge")} == {"chem", "bio"}
    assert len(native.bank.asked("lien")) == 10 and "AMFAILURE" not in native.log()
    assert not any(native.state(job) in ("Running", "Completed") for job in slow)
    native.kill()
    native.configure(native.bank.section.replace("TIMEOUT=600", "TIMEOUT=2"))
    native.start()
    native.wait(lambda: "does not answer: no answer in time" in "".join(
        native.run("checkjob", job).stdout for job in slow[:8]), "why they wait")
    last = native.submit("true", account="chem", wclimit_s=100)
    over(native, last)
    native.wait(lambda: len(native.bank.asked("charge")) == 3, "its charge")
    assert last in {m["job"] for m in native.bank.asked("lien")}
    assert "starts, and nothing is kept" not in native.log()


def test_a_bank_that_is_away_lets_jobs_wait_where_the_site_says_so(native):
    set_patience(native, 5, "DEFERJOBONFAILURE=TRUE")
    native.bank.answers(lien='echo "closed today"; exit 2', release="exit 2", charge="exit 2")
    native.start()
    job = native.submit("true", account="chem", wclimit_s=100)
    native.wait(lambda: "does not answer: closed today" in native.ok("checkjob", job), "why")
    assert native.job(job)["state"] != "Running"
    native.wait(lambda: "AMFAILURE" in pathlib.Path(
        f"{native.home}/log/events.log").read_text(), "the event")


def test_what_the_bank_did_not_take_outlives_the_daemon_and_is_taken_once(native):
    """Away while jobs end and the daemon is killed: each charge comes, in order, and says
    that it may have come before."""
    native.bank.answers(charge="exit 2")
    set_patience(native, 2)
    native.start()
    jobs = [native.submit("true", account=f"a{n}", wclimit_s=100) for n in range(3)]
    for job in jobs:
        over(native, job)
    native.wait(lambda: native.bank.calls("charge"), "a first try")
    native.kill()
    native.start()
    native.wait(lambda: any(m.get("again") for m in native.bank.calls("charge")), "another try")
    native.kill()
    native.wait(native.bank.quiet, "the end of what was called")
    os.unlink(native.bank.noted)
    native.bank.answers()
    native.start()
    native.wait(lambda: native.lines("mam-queue") == [], "that all are taken", 90)
    assert {m["job"] for m in native.bank.calls("charge")} == set(jobs)
    assert all(m["again"] for m in native.bank.calls("charge"))
    taken = len(native.bank.calls("charge"))
    last = native.submit("true", account="last", wclimit_s=100)  # all before is written down
    native.kill()
    native.start()
    over(native, last)
    native.wait(lambda: len({m["run"] for m in native.bank.asked("charge")}) == 4, "the last")
    # what the daemon has seen taken is not told again
    assert {m["account"] for m in native.bank.calls("charge")[taken:]} == {"last"}
    native.stop()
    assert "all the same" in native.ok("replay", "--verify", "--home", native.home)


def test_a_running_job_is_known_after_a_crash(native):
    native.start()
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.state(job) == "Running", "the start")
    run = native.bank.asked("lien")[0]["run"]
    native.kill()
    native.start()
    native.wait(lambda: native.state(job) == "Running", "it runs on")
    native.ok("mjobctl", "-m", "wclimit=900", job)
    native.wait(lambda: len(native.bank.asked("lien")) == 2, "a larger lien")
    assert native.bank.asked("lien")[1]["run"] == run
    native.ok("mjobctl", "-R", job)
    native.wait(lambda: len(native.bank.asked("lien")) == 3, "its second run")
    native.wait(lambda: native.state(job) == "Running", "that it runs: else it costs nothing")
    native.ok("canceljob", job)
    native.wait(lambda: len(native.bank.asked("charge")) == 2, "two charges")
    assert {m["run"] for m in native.bank.asked("charge")} == {
        run, native.bank.asked("lien")[2]["run"]}


def test_a_charge_says_who_ran_on_what_also_after_a_crash(native):
    native.start()
    job = native.submit("sleep 600", account="chem", wclimit_s=700, requests=[{"tasks": 4}])
    native.wait(lambda: native.state(job) == "Running", "the start")
    lien = native.bank.asked("lien")[0]
    native.kill()
    native.start()
    native.wait(lambda: native.state(job) == "Running", "it runs on")
    native.ok("canceljob", job)
    native.wait(lambda: native.bank.asked("charge"), "the charge", 60)
    charge = native.bank.asked("charge")[0]
    for key in ("run", "user", "group", "class", "qos", "procs", "nodes", "machine"):
        assert charge.get(key) == lien.get(key), key
    assert charge["seconds"] > 0 and charge["nodes"] == 2 and charge["user"] == ME


def test_a_start_that_was_never_sent_is_not_charged(native):
    """Killed while the bank is asked: its run comes to nothing, and is let go."""
    native.configure(native.bank.section.replace("TIMEOUT=5", "TIMEOUT=30"))
    native.bank.answers(lien="sleep 300")
    native.start()
    job = native.submit("true", account="chem", wclimit_s=100)
    native.wait(lambda: native.bank.asked("lien"), "the question")
    native.kill()
    native.configure(native.bank.section)
    native.bank.answers()
    native.start()
    over(native, job)
    native.wait(lambda: native.bank.asked("charge"), "the charge", 60)
    native.wait(lambda: native.bank.asked("release"), "what is let go", 60)
    assert [m["run"] for m in native.bank.asked("release")] == [f"{job}.r1"]
    assert [m["run"] for m in native.bank.asked("charge")] == [f"{job}.r2"]


def test_a_release_comes_after_its_lien(native):
    """The job is cancelled while its lien is on its way."""
    native.bank.answers(lien=f"while ! test -e {native.home}/go; do sleep 0.05; done; "
                             f"echo \"end $body\" >> {native.bank.noted}")
    native.configure(native.bank.section.replace("TIMEOUT=5", "TIMEOUT=90"))
    native.start()
    job = native.submit("true", account="chem", wclimit_s=100)
    native.wait(lambda: native.bank.asked("lien"), "the question")
    native.ok("canceljob", job)
    native.wait(lambda: [m["verb"] for m in native.lines("mam-queue")] == ["release"], "it waits")
    assert native.bank.asked("release") == []
    pathlib.Path(f"{native.home}/go").touch()
    native.wait(lambda: native.bank.asked("release"), "the release", 60)
    assert [m["verb"] for m in native.bank.asked()] == ["lien", "lien", "release"]


def test_a_limit_that_is_changed_while_its_start_is_asked_about(native):
    """The bank is told of the new one after it has answered about the other."""
    native.bank.answers(lien=f"while ! test -e {native.home}/go; do sleep 0.05; done")
    set_patience(native, 90)
    native.start()
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.bank.asked("lien"), "the question")
    native.ok("mjobctl", "-m", "wclimit=900", job)
    native.wait(lambda: [m["amount"] for m in native.lines("mam-queue")] == ["900.000"], "it waits")
    assert len(native.bank.asked("lien")) == 1
    pathlib.Path(f"{native.home}/go").touch()
    native.wait(lambda: native.state(job) == "Running", "the start")
    native.wait(lambda: len(native.bank.asked("lien")) == 2, "the other lien")
    assert [m["amount"] for m in native.bank.asked("lien")] == ["700.000", "900.000"]
    native.ok("canceljob", job)
    native.wait(lambda: native.bank.asked("charge"), "the charge")


def test_jobs_that_run_when_the_bank_comes_into_force_are_told_not_asked(native):
    """Their liens are in the state file: they run whatever the bank says."""
    native.configure("RMPOLLINTERVAL 1\n")
    native.start()
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.state(job) == "Running", "the start")
    native.bank.answers(lien="sleep 600")
    set_patience(native, 2)
    native.ok("mschedctl", "-R")
    native.wait(lambda: native.bank.calls("lien"), "the lien")
    waits = native.lines("mam-queue")
    assert [(m["verb"], m["job"]) for m in waits] == [("lien", job)]
    native.kill()
    native.bank.answers()
    native.start()
    native.wait(lambda: any(m.get("again") for m in native.bank.calls("lien")), "it is told again")
    native.wait(lambda: native.lines("mam-queue") == [], "that it is taken", 90)
    assert native.state(job) == "Running"
    native.ok("canceljob", job)
    native.wait(lambda: native.bank.asked("charge"), "the charge")
    assert {m["run"] for m in native.bank.calls()} == {waits[0]["run"]}


def test_a_burst_of_starts_takes_its_turn(native):
    """Longer than TIMEOUT for all of them: the bank is not given up for that."""
    native.nodes = "60x1"
    native.bank.answers(lien="sleep 1.5")
    set_patience(native, 6)
    native.start("--paused")
    jobs = [native.submit("true", account="chem", wclimit_s=100) for n in range(40)]
    native.ok("mschedctl", "-r")
    native.wait(lambda: len({m["job"] for m in native.bank.asked("charge")}) == len(jobs),
                "all charges", 120)
    assert {m["job"] for m in native.bank.asked("lien")} == set(jobs)
    assert "nothing is kept for it" not in native.log() and "AMFAILURE" not in native.log()


def test_one_that_is_never_taken_stops_nobody(native):
    native.bank.answers(charge='case $body in *odd*) echo "what is odd?"; exit 3;; esac')
    native.start()
    over(native, native.submit("true", account="odd", wclimit_s=100))
    native.wait(lambda: native.bank.asked("charge"), "a first try", 60)
    for n in range(3):
        over(native, native.submit("true", account=f"a{n}", wclimit_s=100))
    native.wait(lambda: {m["account"] for m in native.bank.asked("charge")}
                >= {"a0", "a1", "a2"}, "the others", 60)
    native.wait(lambda: [(m["account"], m["verb"]) for m in native.lines("mam-queue")]
                == [("odd", "charge")], "that those are taken", 60)
    waits = native.lines("mam-queue")
    native.wait(lambda: native.lines("mam-queue")[0].get("said") == "what is odd?", "why")
    shutil.copy(native.bank.path, f"{native.bank.path}2")
    native.configure(native.bank.section.replace(native.bank.path, f"{native.bank.path}2"))
    native.ok("mschedctl", "-R")
    native.wait(lambda: f"{native.bank.path}2: 1 messages and 0 runs are" in native.log(), "told")
    native.ok("mam-queue", "--drop", waits[0]["number"])
    assert native.lines("mam-queue") == []
    over(native, native.submit("true", account="chem", wclimit_s=100))  # nothing is open there


def test_what_is_refused_for_good_is_put_aside_until_somebody_looks(native):
    native.bank.answers(charge='echo "no such account"; exit 1')
    native.start()
    job = native.submit("true", account="odd", wclimit_s=100)
    over(native, job)
    native.wait(lambda: "refuses the charge of run" in native.log(), "that it is told")
    native.bank.answers()
    over(native, native.submit("true", account="chem", wclimit_s=100))
    native.wait(lambda: len(native.bank.asked("charge")) == 2, "the next goes on", 90)
    native.wait(lambda: len(native.lines("mam-queue")) == 1, "and is taken", 60)
    native.kill()
    native.start()
    native.wait(lambda: len(native.lines("mam-queue")) == 1, "it is there, and no other", 60)
    aside = native.lines("mam-queue")[0]
    assert (aside["state"], aside["said"], aside["job"]) == ("Aside", "no such account", job)
    assert "no such account" in native.ok("mam-queue")
    done = native.run("mam-queue", "--again", "99")
    assert done.returncode == 1 and "there is no message 99" in done.stderr
    native.bank.answers(charge="exit 2")
    native.ok("mam-queue", "--again", aside["number"])
    native.wait(lambda: native.lines("mam-queue")[0].get("tries"), "another try", 60)
    native.bank.answers()
    assert native.ok("mam-queue", "--again", "all") == "1 message is told again\n"
    native.wait(lambda: native.lines("mam-queue") == [], "that it is taken", 60)
    again = [m for m in native.bank.calls("charge") if m["job"] == job][-1]
    assert again["again"] and "refused" not in again and "to" not in again
    native.kill()
    native.bank.answers(charge="exit 2")
    native.start()
    over(native, native.submit("true", account="chem", wclimit_s=100))
    native.wait(lambda: native.lines("mam-queue"), "another charge", 60)
    assert native.lines("mam-queue")[0]["number"] == 3  # those of messages that are gone stay theirs


def test_runs_stay_with_the_bank_that_they_began_with(native):
    set_patience(native, 90)
    native.start()
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.state(job) == "Running", "the start")
    native.configure("AMCFG[own] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\nRMPOLLINTERVAL 1\n")
    native.ok("mschedctl", "-R")
    native.ok("mam-create-account", "chem")
    native.ok("mam-deposit", "chem", "1000")
    odd = native.submit("true", account="bio", wclimit_s=100)  # the own bank has none
    native.ok("canceljob", job)
    own = native.submit("true", account="chem", wclimit_s=100)
    over(native, own)
    native.wait(lambda: native.lines("mam-balance", "chem")[0]["balance"] < 1000, "the charge")
    assert native.lines("mam-balance", "chem")[0]["balance"] > 900
    assert native.lines("mam-list-liens") == [] and native.state(odd) != "Completed"
    waits = native.lines("mam-queue")
    assert [(m["job"], m["state"], m["to"]) for m in waits] == [(job, "OtherBank", "NATIVE")]
    assert native.ok("mam-queue", "--again", "all") == "0 messages are told again\n"
    assert native.bank.asked("charge") == []
    native.ok("canceljob", odd)  # a bank of files would have taken it
    native.configure("AMCFG[f] TYPE=FILE HOST=f.log\nRMPOLLINTERVAL 1\n")
    native.ok("mschedctl", "-R")
    assert native.ok("mam-queue", "--again", "all") == "0 messages are told again\n"
    assert native.lines("mam-queue")[0]["state"] == "OtherBank"
    native.configure(native.bank.section)
    native.ok("mschedctl", "-R")
    native.wait(lambda: native.bank.asked("charge"), "the charge that waited", 60)
    assert native.bank.asked("charge")[0]["job"] == job
    assert native.ok("am", "check", "--home", native.home)
    # one that waits for another bank keeps what comes later of its run
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.state(job) == "Running", "the start")
    n = len(native.bank.calls("lien"))
    native.bank.answers(lien=f"while ! test -e {native.home}/go; do sleep 0.05; done")
    native.ok("mjobctl", "-m", "wclimit=900", job)
    native.wait(lambda: len(native.bank.calls("lien")) > n, "the other lien")
    native.ok("canceljob", job)
    native.configure("AMCFG[f] TYPE=FILE HOST=f.log\nRMPOLLINTERVAL 1\n")
    native.ok("mschedctl", "-R")
    lien, charge = native.lines("mam-queue")
    done = native.run("mam-queue", "--again", charge["number"])
    pathlib.Path(f"{native.home}/go").touch()
    assert f"message {lien['number']} of that run comes first" in done.stderr, done


def test_another_host_is_told_nothing_of_what_is_open_until_somebody_says_so(native):
    """Also where it was changed while the daemon was away."""
    set_patience(native, 10)
    native.start()
    jobs = [native.submit("sleep 600", account="chem", wclimit_s=700) for _ in range(2)]
    for job in jobs:
        native.wait(lambda job=job: native.state(job) == "Running", "the start")
    first = native.bank
    native.bank = Program(native)
    native.bank.path, native.bank.noted = f"{native.home}/bank2", f"{native.home}/asked2"
    native.bank.answers()
    other = first.section.replace(f"exec://{first.path}", f"exec://{native.bank.path}")
    native.configure(other)
    native.ok("mschedctl", "-R")
    native.ok("canceljob", jobs[0])
    native.wait(lambda: native.lines("mam-queue"), "the charge waits")
    assert [(m["job"], m["state"]) for m in native.lines("mam-queue")] == [(jobs[0], "OtherBank")]
    assert native.ok("mam-queue", "--again", "all") == "0 messages are told again\n"
    # with the former one in force again it goes there
    native.configure(first.section)
    native.ok("mschedctl", "-R")
    native.wait(lambda: [m["job"] for m in first.asked("charge")] == [jobs[0]], "the charge", 90)
    native.wait(lambda: native.lines("mam-queue") == [], "all is told")
    assert "has not moved" in native.run("mam-queue", "--moved").stderr
    native.kill()
    native.configure(other)
    native.start()
    native.ok("canceljob", jobs[1])
    native.wait(lambda: native.lines("mam-queue"), "the other charge waits")
    assert native.lines("mam-queue")[0]["state"] == "OtherBank"
    assert native.bank.calls() == [] and "mam-queue --moved" in native.log()
    assert "has moved" in native.ok("mam-queue", "--moved")
    native.wait(lambda: [m["job"] for m in native.bank.asked("charge")] == [jobs[1]],
                "the charge", 90)
    job = native.submit("true", account="chem", wclimit_s=100)
    over(native, job)
    native.wait(lambda: len(native.bank.asked("charge")) == 2, "its charge", 90)
    assert len(first.asked("charge")) == 1
    # a start that the former one was asked about just then waits as well
    native.configure(first.section)
    native.bank.answers(lien=f"while ! test -e {native.home}/go; do sleep 0.05; done; exit 4")
    late = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: late in [m["job"] for m in native.bank.calls("lien")], "it is asked")
    native.ok("mschedctl", "-R")
    pathlib.Path(f"{native.home}/go").touch()
    native.wait(lambda: "an administrator has to say" in native.ok("checkjob", late), "why")


def test_the_own_ledger_is_not_forgotten_while_another_bank_is_in_force(native):
    own = "AMCFG[own] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\nRMPOLLINTERVAL 1\n"
    native.configure(own)
    native.start()
    native.ok("mam-create-account", "chem")
    native.ok("mam-deposit", "chem", "1000")
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.state(job) == "Running", "the start")
    native.configure(native.bank.section)
    native.kill()
    native.start()
    native.wait(lambda: native.state(job) == "Running", "it runs on")
    native.ok("canceljob", job)
    other = native.submit("true", account="chem", wclimit_s=100)
    over(native, other)
    native.wait(lambda: native.bank.asked("charge"), "the other's charge", 60)
    assert [m["job"] for m in native.bank.asked("charge")] == [other]
    native.configure(own)
    native.ok("mschedctl", "-R")
    chem = native.lines("mam-balance", "chem")[0]
    assert 900 < chem["balance"] < 1000 and chem["held"] == 0
    over(native, native.submit("true", account="chem", wclimit_s=100))
    native.wait(lambda: native.lines("mam-balance", "chem")[0]["balance"] < chem["balance"],
                "its charge")
    native.stop()
    assert native.ok("am", "check", "--home", native.home)
    assert "all the same" in native.ok("replay", "--verify", "--home", native.home)


def test_the_words_of_the_bank_are_for_the_owner_and_administrators(native):
    users = Users(native)
    native.bank.answers(lien='echo "chem owes 12 to bio"; exit 1')
    native.configure(native.bank.section + LEVELS)
    native.start()
    job = native.submit("true", account="chem", wclimit_s=100)
    native.wait(lambda: "owes 12" in native.ok("checkjob", job), "why")
    assert "owes 12" in users.ok("daemon", "checkjob", job)
    for path in (f"/v1/jobs/{job}", "/v1/jobs"):
        assert "owes 12" not in json.dumps(users.api("games", path)), path
    for words in (("checkjob", job), ("showq", "-b"), ("diagnose", "-j")):
        assert "owes 12" not in users.run("games", *words).stdout, words
    assert "Waiting" not in users.refused("games", "mam-queue")


def test_a_file_gets_a_line_for_each_and_none_twice(daemon):
    daemon.configure("AMCFG[bank] TYPE=FILE HOST=costs.log TIMEOUT=1 CHARGEPOLICY=DEBITALLWC\n"
                     "RMPOLLINTERVAL 1\n")
    daemon.start()
    file = pathlib.Path(f"{daemon.home}/costs.log")
    job = daemon.submit("true", account="chem", wclimit_s=100)
    over(daemon, job)
    daemon.wait(lambda: file.exists() and len(file.read_text().splitlines()) == 2, "its lines")
    daemon.kill()
    daemon.start()
    over(daemon, daemon.submit("true", account="bio", wclimit_s=100))
    daemon.wait(lambda: len(file.read_text().splitlines()) == 4, "the other's lines")
    lines = file.read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["RESERVE", "WITHDRAWAL"] * 2
    assert f"ACCOUNT=chem SUBACCOUNT={ME} RESOURCE=1 PROCCRATE=1.00 DURATION=100" in lines[0]
    assert lines[0].startswith("RESERVE         TYPE=job MACHINE=")
    assert f" REQUESTID={job}.r1 NODES=1 TIME=" in lines[1]
    assert oct(file.stat().st_mode)[-3:] == "600"


def test_a_line_that_a_crash_has_cut_is_completed(build, tmp_path):
    """And one that is the file's last, without its end, is not written twice."""
    program, path = build / "src" / "client" / "maui-bank", tmp_path / "am.log"
    charge = {"verb": "charge", "run": "7.r1", "account": "chem", "procs": 1, "seconds": 60,
              "at": 1767222000, "amount": "60.000"}

    def tell(**more):
        done = subprocess.run([program, "file", path, "60", "charge"], check=False, timeout=60,
                              input=json.dumps(dict(charge, **more)).encode())
        assert done.returncode == 0
        return path.read_text()

    first = tell()
    assert first.endswith("\n") and first.count("\n") == 1 and tell(again=True) == first
    for cut in [*range(0, len(first), 9), len(first) - 1]:
        path.write_text("# by hand\n" + first[:cut])
        assert tell(again=True) == "# by hand\n" + first, cut
        path.write_text(first[:cut])
        assert tell(again=True) == first, cut
    path.write_text("# no end")
    assert tell(again=True) == "# no end\n" + first
    path.write_text(first[:-20])
    other = tell(run="8.r1")
    assert other.startswith(first[:-20] + "\n") and other.count("\n") == 2
    path.unlink()
    os.mkfifo(path)
    for odd in (path, "/dev/null"):  # what is written there is not kept
        done = subprocess.run([program, "file", odd, "60", "charge"], check=False, timeout=120,
                              input=json.dumps(charge), text=True, capture_output=True)
        assert done.returncode == 2 and "no regular file" in done.stdout, odd
    path.unlink()
    with open(path, "w", encoding="utf-8") as f:  # somebody of the site does not let it go
        fcntl.flock(f, fcntl.LOCK_EX)
        done = subprocess.run([program, "file", path, "1", "charge"], check=False, timeout=60,
                              input=json.dumps(charge).encode(), capture_output=True)
    assert done.returncode == -signal.SIGALRM and path.read_text() == ""


KEY = "a key of the site"


@pytest.fixture
def gold(daemon):
    server = daemon.gold = Gold(KEY, 1000)
    path = pathlib.Path(f"{daemon.home}/gold.key")
    path.write_text(KEY + "\n")
    path.chmod(0o600)
    daemon.configure(f"AMCFG[bank] TYPE=GOLD HOST=127.0.0.1 PORT={server.port} KEYFILE={path} "
                     "CHARGEPOLICY=DEBITALLWC TIMEOUT=5\nRMPOLLINTERVAL 1\n"
                     "RMCFG[hpc1] TYPE=LOCAL\n")
    yield daemon.start()
    server.close()


def test_a_gold_server_keeps_refuses_and_charges(gold):
    job = gold.submit("sleep 600", account="chem", wclimit_s=700)
    gold.wait(lambda: gold.state(job) == "Running", "the start")
    run = next(iter(gold.gold.liens))
    assert gold.gold.liens == {run: 700}
    assert run == f"{job}.r1@hpc1"  # another machine's job of that number is another
    poor = gold.submit("true", account="chem", wclimit_s=400)
    gold.wait(lambda: "Insufficient balance (code 782)" in gold.ok("checkjob", poor), "why")
    assert "Insufficient balance (code 782)" in gold.ok("showq", "-b")
    gold.ok("canceljob", job)
    gold.wait(lambda: gold.gold.charges, "the charge")
    assert list(gold.gold.charges) == [run] and gold.gold.liens == {}
    assert 0 < gold.gold.charges[run] < 60
    text = pathlib.Path(f"{gold.home}/maui.cfg").read_text()  # nobody is at the first
    gold.configure(text.replace("HOST=127.0.0.1", "HOST=127.0.0.2 BACKUPHOST=127.0.0.1"))
    gold.ok("mschedctl", "-R")
    other = gold.submit("true", account="chem", wclimit_s=100)
    gold.wait(lambda: {name.split(".")[0] for name in gold.gold.charges} == {job, other},
              "the charge by way of the other host", 60)
    assert set(gold.gold.times.values()) == {1}


def test_a_gold_charge_whose_answer_is_lost_is_not_charged_twice(gold):
    job = gold.submit("sleep 600", account="chem", wclimit_s=700)
    gold.wait(lambda: gold.state(job) == "Running", "the start")
    gold.gold.cut = 1
    gold.ok("canceljob", job)
    gold.wait(lambda: ("Query", "Job") in gold.gold.asked, "the question what became of it")
    over(gold, gold.submit("true", account="chem", wclimit_s=10))
    gold.wait(lambda: len(gold.gold.charges) == 2, "the next charge")
    assert gold.gold.asked.count(("Charge", "Job")) == 2


def test_a_host_that_takes_no_calls_leaves_time_for_the_other(build, tmp_path):
    """However many things are asked: here whether it was charged, and then the charge."""
    server, key = Gold(KEY, 1000), tmp_path / "gold.key"
    key.write_text(KEY + "\n")
    key.chmod(0o600)
    charge = {"verb": "charge", "run": "7.r1", "name": "7.r1@hpc1", "user": ME, "procs": 1,
              "account": "chem", "seconds": 60, "at": 1767222000, "again": True}
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.2", server.port))
        deaf.listen(0)
        callers = [socket.socket() for _ in range(4)]
        for one in callers:  # no more are let in
            one.setblocking(False)
            one.connect_ex(("127.0.0.2", server.port))
        done = subprocess.run([build / "src" / "client" / "maui-bank", "gold",
                               "127.0.0.2,127.0.0.1", str(server.port), key, "8", "charge"],
                              input=json.dumps(charge), text=True, capture_output=True,
                              check=False, timeout=60)
        for one in callers:
            one.close()
    server.close()
    assert done.returncode == 0, done
    assert server.asked == [("Query", "Job"), ("Charge", "Job")] and server.times == {"7.r1@hpc1": 1}


def test_runs_of_an_older_release_keep_their_names_at_a_gold_server(gold):
    """It called them by the run alone, and wrote down no name."""
    jobs = [gold.submit("sleep 600", account="chem", wclimit_s=300) for n in range(2)]
    gold.wait(lambda: all(gold.state(job) == "Running" for job in jobs), "the starts")
    gold.stop()
    with sqlite3.connect(f"{gold.home}/state.db") as state:
        found = state.execute("SELECT key, value FROM record WHERE kind = 'bankrun'").fetchall()
        assert len(found) == 2
        for key, value in found:
            old = json.loads(value)
            assert old.pop("name") == f"{key}@hpc1"
            state.execute("UPDATE record SET value = ? WHERE kind = 'bankrun' AND key = ?",
                          (json.dumps(old), key))
    state.close()
    runs = sorted((name.split("@")[0] for name in gold.gold.liens), key=lambda run: int(run.split(".")[0]))
    gold.gold.liens = {run: 300 for run in runs}
    gold.start()
    gold.ok("mjobctl", "-m", "wclimit=400", jobs[1])
    gold.wait(lambda: gold.gold.liens == dict(zip(runs, (300, 400))), "the lien")
    gold.gold.cut = 1  # and what got no answer is known by that name
    for job in jobs:
        gold.ok("canceljob", job)
    gold.wait(lambda: gold.lines("mam-queue") == [], "that all is taken", 90)
    assert gold.gold.liens == {} and set(gold.gold.times.values()) == {1}
    assert sorted(gold.gold.charges) == sorted(runs)
    new = gold.submit("true", account="chem", wclimit_s=100)
    gold.wait(lambda: any(
        run.startswith(f"{new}.r") and run.endswith("@hpc1") for run in gold.gold.charges), "the charge of a new one", 60)


def test_nothing_is_charged_on_the_chance_that_it_was_not(gold):
    """The question whether a charge was taken is answered with a failure."""
    job = gold.submit("sleep 600", account="chem", wclimit_s=700)
    gold.wait(lambda: gold.state(job) == "Running", "the start")
    gold.gold.cut, gold.gold.no_queries = 1, True
    gold.ok("canceljob", job)
    gold.wait(lambda: "whether it was charged already" in json.dumps(gold.lines("mam-queue")),
              "the question what became of it", 60)
    assert list(gold.gold.times.values()) == [1]
    gold.gold.no_queries = False
    gold.ok("mam-queue", "--again", "all")
    gold.wait(lambda: gold.lines("mam-queue") == [], "that it is known", 60)
    assert list(gold.gold.times.values()) == [1]


def test_an_answer_that_is_not_signed_is_none(gold):
    gold.gold.sign_with = "another key"
    job = gold.submit("true", account="chem", wclimit_s=10)
    over(gold, job)  # JFACTION NONE: it starts all the same
    gold.wait(lambda: "not signed with our key" in gold.log(), "that it is told")
    gold.gold.sign_with = KEY
    gold.wait(lambda: gold.gold.charges, "the charge", 40)


KILLS = int(os.environ.get("MAUI_KILLS", "20"))


def kill_and_kill(daemon, dice, calm):
    """So many lives, each ended at any moment; then the jobs of all of them, in calm."""
    jobs = []
    for _ in range(KILLS):
        daemon.start()
        jobs += [daemon.submit("sleep 0.2", account="chem", wclimit_s=50) for n in range(2)]
        time.sleep(dice.random() * 0.6)  # any moment
        daemon.kill()
    calm()
    daemon.start()
    for job in jobs:
        over(daemon, job)
    daemon.wait(lambda: daemon.lines("mam-queue") == [], "all is told", 90)
    return jobs


def test_gold_charges_each_run_once_however_often_all_are_killed(daemon):
    """The server answers late, twice, wrong or not at all, and goes away between."""
    server, dice = Gold(KEY, 10**9), random.Random(7)
    key = pathlib.Path(f"{daemon.home}/gold.key")
    key.write_text(KEY + "\n")
    key.chmod(0o600)
    daemon.configure(f"AMCFG[bank] TYPE=GOLD HOST=127.0.0.1 PORT={server.port} KEYFILE={key} "
                     "CHARGEPOLICY=DEBITALLWC TIMEOUT=2\nRMPOLLINTERVAL 1\n")
    server.mischief = random.Random(8)
    jobs = kill_and_kill(daemon, dice, lambda: setattr(server, "mischief", None))
    daemon.wait(lambda: server.liens == {}, "all liens are gone", 60)
    assert sorted(run.rsplit(".", 1)[0] for run in server.charges) == sorted(jobs)
    assert set(server.times.values()) == {1}, server.times
    assert server.balance == 10**9 - sum(server.charges.values())
    server.close()


# By the name of a run: mkdir succeeds once. A charge of a run that was charged, and that does
# not say that it may be, is noted as a fault.
UNSURE = """#!/bin/bash
read -r body
run=${body#*'"run":"'}; run=${run%%'"'*}
cd HOME/site || exit 2
dice=$((RANDOM % 20))
[ $dice -lt 2 ] && exit 2
[ $dice -lt 5 ] && sleep 0.$((RANDOM % 9))
case $1 in
lien) : > "lien.$run";;
charge)
    if mkdir "charge.$run"; then echo "$body" > "charge.$run/body"
    else case $body in *'"again":true'*) ;; *) : > "double.$run";; esac; fi
    rm -f "lien.$run";;
release) rm -f "lien.$run";;
esac 2>/dev/null
[ $dice -lt 7 ] && kill -9 $$
[ $dice -lt 8 ] && sleep 60
exit 0
"""


def test_a_program_is_told_of_each_run_once_however_often_all_are_killed(native):
    site = pathlib.Path(f"{native.home}/site")
    site.mkdir()
    text = UNSURE.replace("HOME", native.home)
    native.bank.write(text)
    jobs = kill_and_kill(native, random.Random(9), lambda: native.bank.write(
        text.replace("RANDOM % 20", "19")))
    native.wait(lambda: not list(site.glob("lien.*")), "all liens are gone", 60)
    charged = [p.name.split(".", 1)[1] for p in site.glob("charge.*")]
    assert sorted(run.rsplit(".", 1)[0] for run in charged) == sorted(jobs)
    assert not list(site.glob("double.*"))
    for p in site.glob("charge.*"):
        told = json.loads((p / "body").read_text())
        assert told["user"] == ME and told["nodes"] == 1 and 0 < told["seconds"] < 60


@pytest.mark.parametrize("line, says", [
    ("TYPE=NATIVE SERVER=/bin/bank", "a bank of kind NATIVE needs SERVER=exec:///PROGRAM"),
    ("TYPE=GOLD HOST=gold1", "a bank of kind GOLD needs KEYFILE="),
    ("TYPE=GOLD", "a bank of kind GOLD needs HOST="),
    ("TYPE=QBANK", "there is no bank of kind QBANK")])
def test_what_a_bank_needs_is_checked(daemon, line, says):
    daemon.configure(f"AMCFG[bank] {line}\n")
    done = daemon.run("check", f"{daemon.home}/maui.cfg")
    assert done.returncode == 1 and says in done.stdout + done.stderr


def test_commands_of_the_other_bank_say_where_to_ask(native):
    native.start()
    for words in (("mam-balance",), ("mam-deposit", "chem", "5"), ("mam-statement", "chem")):
        done = native.run(*words)
        assert done.returncode == 1 and "another bank" in done.stderr, words
    job = native.submit("sleep 600", account="chem", wclimit_s=700)
    native.wait(lambda: native.state(job) == "Running", "the start")
    assert "700 credits of chem" in native.ok("checkjob", job)
    assert "funds" not in native.ok("diagnose", "-a").lower()


def test_of_a_bank_that_is_not_asked_nothing_is_said(daemon):
    daemon.configure("AMCFG[bank] TYPE=FILE HOST=am.log\nACCOUNTCFG[chem] PRIORITY=1\n")
    daemon.start()
    assert daemon.ok("mam-quote", "-A", "chem") == \
        "3600 credits of chem: whether enough is there is not told here\n"
    for words in (("-k",), ("-k", "-A", "chem")):
        done = daemon.run("mam-quote", *words)
        assert done.returncode == 1 and "another bank" in done.stderr, words


def test_a_lien_of_somebody_else_stays_at_a_gold_server(gold):
    """Another machine's run of the same name, and one that nobody here began."""
    foreign = {"1.r1@hpc2": 100, "99.r1@hpc1": 200}
    gold.gold.liens |= foreign
    job = gold.submit("sleep 600", account="chem", wclimit_s=300)
    gold.wait(lambda: gold.state(job) == "Running", "the start")
    gold.kill()
    gold.start()
    gold.ok("mjobctl", "-R", job)
    gold.wait(lambda: len(gold.gold.charges) == 1, "the charge of the first run", 90)
    gold.ok("canceljob", job)
    gold.wait(lambda: gold.lines("mam-queue") == [] and gold.gold.liens == foreign,
              "that all of this one's is settled", 90)
    assert all(run.startswith(f"{job}.r") and run.endswith("@hpc1") for run in gold.gold.charges)
