# SPDX-License-Identifier: Apache-2.0
"""Quotes that a bank of the site keeps (TYPE=NATIVE, examples/bank): the bank promises a
price, a job that names the number pays that, and one that does not hold is of no effect."""
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import time

import pytest

from bank_native_test import balance, native  # noqa: F401: a fixture
from banks_test import over
from live_daemon import ME
from live_users import Users


def sql(daemon, words):
    with contextlib.closing(sqlite3.connect(f"{daemon.home}/bank.db", timeout=20)) as db, db:
        return db.execute(words).fetchall()


def keep(daemon, *more):
    return json.loads(daemon.ok("mam-quote", "-k", "-A", "chem", "-l", "400", *more,
                                "--format", "json"))["number"]


def quoted(daemon, number, **more):
    """A job that names the quote, on its node by now."""
    job = daemon.submit("sleep 600", **{"account": "chem", "wclimit_s": 400, "quote": number,
                                        **more})
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    return job


def make_dearer(daemon):
    daemon.ok("changeparam", "AMCFG[bank]", "RATES=PROCS:2")


def held(daemon):
    return balance(daemon, "chem")["held"]


def test_a_job_that_names_a_quote_pays_what_was_promised(native):
    number = keep(native)
    assert f"quote {number}: 1 procs x 400 s, for 1 jobs" in native.bank.says("list")
    make_dearer(native)
    begun = time.time()
    job = quoted(native, number)
    assert held(native) == 400  # not 800
    native.ok("mjobctl", "-m", "wclimit=800", job)
    native.wait(lambda: held(native) == 800, "the longer lien")
    native.kill()  # at which price it runs is known after that
    native.start()
    native.ok("mjobctl", "-m", "wclimit=600", job)
    native.wait(lambda: held(native) == 600, "the shorter lien")
    native.ok("canceljob", job)
    over(native, job)
    native.wait(lambda: native.lines("mam-queue") == [], "the charge", 90)
    (charged, price, instead_of), = sql(native, "SELECT charged, price, instead_of FROM run, "
                                        "promise")
    assert (price, instead_of) == (600000, 1200000)
    assert charged % 1000 == 0  # whole seconds ...
    assert 0 < charged <= 1000 * (time.time() - begun + 2)  # ... at 1 each, and not at 2


def test_one_that_is_used_up_over_or_withdrawn_is_of_no_effect(native):
    used, past, withdrawn, others = [keep(native) for _ in range(4)]
    native.bank.says("withdraw", str(withdrawn))
    sql(native, f"UPDATE quote SET until = 1 WHERE number = {past}")
    sql(native, f"UPDATE quote SET whose = '[]' WHERE number = {others}")
    native.bank.says("deposit", "chem", "10000")
    make_dearer(native)
    quoted(native, used)
    for n, number in enumerate((used, past, withdrawn, others, 99)):
        assert held(native) == 400 + 800 * n
        quoted(native, number)
    assert held(native) == 400 + 800 * 5


def test_later_runs_of_the_job_have_it_too(native):
    number = keep(native)
    make_dearer(native)
    job = quoted(native, number)
    native.ok("mjobctl", "-R", job)
    native.wait(lambda: f"kept for {job}.r2" in native.bank.says("list"), "its next run")
    assert held(native) == 400


def test_one_of_whose_start_failed_is_not_used(native):
    number = keep(native)
    (whose,), = sql(native, "SELECT whose FROM quote")
    account, user, of_class, qos = json.loads(whose)
    body = {"run": "7.r1", "job": "7", "machine": "c1", "account": account, "user": user,
            "class": of_class, "qos": qos, "procs": 1, "seconds": 400,
            "at": int(time.time()), "amount": "800.000", "quote": number}
    for _ in range(2):
        native.bank.says("lien", stdin=json.dumps(body))
        assert "for 0 jobs" in native.bank.says("list") and held(native) == 400
    native.bank.says("release", stdin=json.dumps({"run": "7.r1", "machine": "c1"}))
    assert "for 1 jobs" in native.bank.says("list") and held(native) == 0


def test_what_is_asked_for_once_more_after_a_crash_is_the_same(native):
    good = pathlib.Path(native.bank.path).read_text()
    slow = good.replace("exec ", "").rstrip("\n") + "; end=$?; sleep 5; exit $end\n"
    pathlib.Path(native.bank.path).write_text(slow)  # it has it, and says so late
    words = ["mam-quote", "-k", "-A", "chem", "-l", "400", "--request", "portal-7", "--format",
             "json"]
    asking = subprocess.Popen([native.program, *words], env=native.env, cwd=native.home,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    native.wait(lambda: sql(native, "SELECT 1 FROM quote"), "that the bank has it")
    native.kill()
    told = asking.communicate(timeout=60)
    assert asking.returncode != 0 and told[0] == ""
    pathlib.Path(native.bank.path).write_text(good)
    native.start()
    assert [json.loads(native.ok(*words))["number"] for _ in range(2)] == [1, 1]
    assert sql(native, "SELECT count(*) FROM quote") == [(1,)]


def test_who_may_have_what_kept(native):
    users = Users(native)
    native.ok("changeparam", "USERCFG[games]", "ALIST=bio")
    words = ("mam-quote", "-k", "-l", "100")
    assert "no account of that name" in users.refused("games", *words, "-A", "chem")
    assert "the bank refuses: no account bio" in users.refused("games", *words, "-A", "bio")
    native.ok("changeparam", "USERCFG[games]", "ALIST=chem,bio")
    assert "is not for games" in users.refused("games", *words, "-A", "chem")
    native.bank.says("allow", "chem", "games")
    assert "quote 1: msub -l quote=1" in users.ok("games", *words, "-A", "chem")
    assert users.run("games", *words, "-A", "chem", "-u", ME).returncode != 0  # another's
    assert "30 days at most" in users.refused("games", *words, "-A", "chem", "-e",
                                              "0:00:00_01/01/37")
    for more in (("-N", "0"), ("-N", "1001"), ("-e", "0:00:00_01/01/20")):
        assert native.run(*words, "-A", "chem", *more).returncode != 0
    make_dearer(native)
    quoted(native, 1)  # it is not for this user
    assert held(native) == 800


@pytest.mark.parametrize("says", ["", "echo '{\"amount\":\"5.000\"}'",
                                  "echo '{\"quote\":\"17\"}'", "echo '{\"quote\":-1}'"])
def test_a_program_that_keeps_none_is_told_apart(native, says):
    pathlib.Path(native.bank.path).write_text(f"#!/bin/sh\n{says}\n")
    done = native.run("mam-quote", "-k", "-A", "chem", "-l", "100")
    assert done.returncode != 0 and "keeps no quotes" in done.stderr
    assert native.run("mam-quote", "-A", "chem", "-l", "100").returncode == 0
