# SPDX-License-Identifier: Apache-2.0
"""The sample bank of examples/bank, as a site would run it (TYPE=NATIVE): jobs pay, people
ask what they have and what a job would cost, and get back what they are owed, once."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import pytest

from banks_test import over
from live_daemon import ME
from live_users import LEVELS, Users

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "bank" / "bank"


class Sample:
    """The program, with a file of its own."""

    def __init__(self, daemon):
        self.env = dict(os.environ, BANK_DB=f"{daemon.home}/bank.db")
        self.path = f"{daemon.home}/bank"
        with open(self.path, "w") as f:  # the daemon's environment is not the program's
            f.write(f"#!/bin/sh\nBANK_DB={daemon.home}/bank.db exec {sys.executable} {SAMPLE} "
                    "\"$@\"\n")
        os.chmod(self.path, 0o755)
        self.says("deposit", "chem", "1000")
        self.says("allow", "chem", ME)

    def says(self, *args, stdin=None):
        done = subprocess.run([self.path, *args], capture_output=True, text=True, input=stdin,
                              check=True)
        return done.stdout


@pytest.fixture
def native(daemon):
    daemon.bank = Sample(daemon)
    daemon.configure(f"AMCFG[bank] TYPE=NATIVE SERVER=exec://{daemon.bank.path} "
                     f"CHARGEPOLICY=DEBITALLWC TIMEOUT=30\nRMPOLLINTERVAL 1\n{LEVELS}"
                     f"USERCFG[{ME}] ADEF=chem ALIST=chem\nACCOUNTCFG[bio] MANAGERS=ann\n")
    daemon.start()
    return daemon


def balance(daemon, *more):
    return json.loads(daemon.ok("mam-balance", *more, "--format", "json"))


def test_a_job_pays_and_what_is_left_is_told(native):
    assert balance(native, "chem") == {"account": "chem", "balance": 1000, "held": 0,
                                       "available": 1000}
    job = native.submit("sleep 600", account="chem", wclimit_s=400)
    native.wait(lambda: native.state(job) == "Running", "the start")
    assert balance(native)["held"] == 400  # without a name: one's own
    assert "600" in native.ok("mam-balance", "chem")
    told = json.loads(native.ok("mam-quote", "-A", "chem", "-n", "2", "-l", "200",
                                "--format", "json"))
    assert told == {"account": "chem", "price": 400, "enough": True}
    assert "needs 800.000 credits, 600.000 left in chem" in native.ok(
        "mam-quote", "-A", "chem", "-n", "4", "-l", "200")
    native.ok("canceljob", job)
    over(native, job)
    native.wait(lambda: balance(native, "chem")["held"] == 0, "the charge")
    assert 900 < balance(native, "chem")["balance"] < 1000


def test_a_refund_is_told_once_and_in_its_turn(native):
    job = native.submit("sleep 600", account="chem", wclimit_s=400)
    native.wait(lambda: native.state(job) == "Running", "the start")
    done = native.run("mam-refund", f"{job}.r1", "1")
    assert done.returncode != 0 and "goes on" in done.stderr
    native.ok("canceljob", job)
    over(native, job)
    for _ in range(2):
        told = native.ok("mam-refund", "--request", "a", f"{job}.r1", "1")
        assert re.fullmatch(r"the bank is told, and may refuse; mam-queue has it as number \d+\n", told)
    native.kill()  # what was acknowledged is told, be it after that
    native.start()
    assert "mam-queue" in native.ok("mam-refund", "--request", "a", f"{job}.r1", "1")
    done = native.run("mam-refund", "--request", "a", f"{job}.r1", "2")
    assert done.returncode != 0 and "another one before" in done.stderr
    native.wait(lambda: native.lines("mam-queue") == [], "that all is taken", 90)
    rows = subprocess.run(
        [sys.executable, "-c", "import sqlite3, sys\nprint(sqlite3.connect(sys.argv[1])."
         "execute('SELECT charged - refunded, refunded, 1000000 - balance FROM run, account')"
         ".fetchall())", f"{native.home}/bank.db"], capture_output=True, text=True, check=True)
    left, back, spent = json.loads(rows.stdout.replace("(", "[").replace(")", "]"))[0]
    assert back == 1000 and left == spent
    native.ok("mam-refund", f"{job}.r1", "10h")  # more than it was charged
    native.wait(lambda: [m["state"] for m in native.lines("mam-queue")] == ["Aside"], "refusal")
    assert "was charged less" in native.ok("mam-queue")


def test_to_ask_for_an_account_does_not_make_it_ones_own(native):
    users = Users(native)
    native.ok("changeparam", "USERCFG[games]", "ALIST=bio")
    for account in ("chem", "bio"):
        status, answer = users.api("games", "/v1/jobs", {
            "script": "#!/bin/sh\ntrue\n", "hold": True, "account": account, "directory": "/tmp",
            "wclimit_s": 60})
        assert status == 200, answer
    done = users.run("games", "mam-balance", "chem")
    assert done.returncode != 0 and "no account of that name" in done.stderr
    done = users.run("games", "mam-balance", "bio")  # allowed: the bank is asked
    assert "no account of that name" not in done.stderr


def test_who_may_ask_what(native):
    users = Users(native)
    for user in ("nobody", "games"):
        done = users.run(user, "mam-balance", "chem")
        assert done.returncode != 0 and "no account of that name" in done.stderr
        assert users.run(user, "mam-refund", "7.r1", "1").returncode != 0
    done = native.run("mam-balance", "nowhere")  # of an administrator
    assert done.returncode != 0 and "the bank refuses: no account nowhere" in done.stderr


def test_a_job_that_waits_opens_no_account_and_one_that_the_bank_lets_start_does(native):
    users = Users(native)
    job = users.submit("games", account="chem", wclimit_s=100)
    native.wait(lambda: "is not for games" in native.ok("checkjob", job), "the refusal")
    for words in (("mam-balance", "chem"), ("mam-quote", "-A", "chem", "-l", "100")):
        done = users.run("games", *words)
        assert done.returncode != 0 and "no account of that name" in done.stderr
    native.bank.says("allow", "chem", "games")
    job = users.submit("games", account="chem", wclimit_s=100)  # the first has its pause
    native.wait(lambda: native.state(job) == "Running", "the start")
    assert "900" in users.ok("games", "mam-balance", "chem")
    native.kill()  # it is known after that
    native.start()
    assert "900" in users.ok("games", "mam-balance", "chem")


def test_accounts_of_default_are_everybody_s(daemon):
    daemon.bank = Sample(daemon)
    daemon.configure(f"AMCFG[bank] TYPE=NATIVE SERVER=exec://{daemon.bank.path} TIMEOUT=30\n"
                     f"RMPOLLINTERVAL 1\n{LEVELS}USERCFG[DEFAULT] ALIST=chem\n")
    daemon.start()
    users = Users(daemon)
    assert "1000" in users.ok("games", "mam-balance", "chem")
    assert users.run("games", "mam-balance", "bio").returncode != 0


def test_a_program_that_breaks_refuses_nothing_for_good(native):
    job = native.submit("sleep 600", account="chem", wclimit_s=400)
    native.wait(lambda: native.state(job) == "Running", "the start")
    good = pathlib.Path(native.bank.path).read_text()
    pathlib.Path(f"{native.home}/bad").mkdir()
    pathlib.Path(f"{native.home}/bad/sqlite3.py").write_text("import nothing_here\n")
    pathlib.Path(native.bank.path).write_text(
        good.replace("exec ", f"PYTHONPATH={native.home}/bad exec "))
    native.ok("canceljob", job)
    native.wait(lambda: any("nothing_here" in m.get("said", "") for m in native.lines(
        "mam-queue")), "that it breaks")
    pathlib.Path(native.bank.path).write_text(good)
    native.ok("mam-queue", "--again", "all")
    native.wait(lambda: native.lines("mam-queue") == [], "that the charge is taken", 60)
    assert balance(native, "chem")["held"] == 0


def test_a_request_that_is_no_use_is_refused_with_words(native):
    for text in ('{"run": "9.r1", "account": "chem", "amount": "x"}', "[]", "{",
                 '{"run": "9.r1", "account": "ch\\udc00m", "amount": "1"}'):
        done = subprocess.run([native.bank.path, "charge"], input=text, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 1 and done.stdout and "Traceback" not in done.stderr


def test_nobody_keeps_others_from_asking(native):
    users = Users(native)
    native.bank.says("allow", "chem", "games")
    job = users.submit("games", account="chem", wclimit_s=100)
    native.wait(lambda: native.state(job) == "Running", "the start")
    good = pathlib.Path(native.bank.path).read_text().splitlines()[-1]
    pathlib.Path(native.bank.path).write_text(
        "#!/bin/sh\nread -r line\ncase \"$line\" in *'\"caller\":\"games\"'*) sleep 20;; esac\n"
        f"echo \"$line\" | {good.replace('exec ', '')}\n")
    asking = [subprocess.Popen(
        ["setpriv", "--reuid=5", "--regid=5", "--clear-groups", "curl", "-s", "--max-time", "8",
         "--unix-socket", f"{native.home}/api.sock",
         "http://maui/v1/bank/accounts?account=chem"], stdout=subprocess.PIPE, text=True)
              for _ in range(64)]
    try:
        told = [p.communicate()[0] for p in asking[20:]]
        assert sum("of yours wait" in text for text in told) >= 30
        begun = time.time()
        assert balance(native, "chem")["held"] == 100
        assert time.time() - begun < 15
    finally:
        for p in asking:
            p.kill()
            p.wait()


def test_a_refund_that_was_dropped_can_be_asked_for_again(native):
    pathlib.Path(native.bank.path).write_text("#!/bin/sh\nexit 2\n")
    native.ok("mam-refund", "--request", "a", "7.r1", "1")
    first = native.lines("mam-queue")[0]["number"]
    native.wait(lambda: native.run("mam-queue", "--drop", str(first)).returncode == 0, "drop")
    native.ok("mam-refund", "--request", "a", "7.r1", "1")
    assert [m["number"] for m in native.lines("mam-queue")] == [first + 1]


def test_a_bank_that_is_silent_or_talks_nonsense_is_told_apart(native):
    pathlib.Path(native.bank.path).write_text("#!/bin/sh\necho closed today\nexit 2\n")
    done = native.run("mam-balance", "chem")
    assert done.returncode != 0 and "closed today" in done.stderr
    pathlib.Path(native.bank.path).write_text("#!/bin/sh\necho a lot\n")
    done = native.run("mam-balance", "chem")
    assert done.returncode != 0 and "is no balance" in done.stderr


def test_two_schedulers_at_one_bank_are_not_taken_for_each_other(tmp_path):
    """Both have a run 1.r1. Runs of before machines counted keep their names."""
    env = dict(os.environ, BANK_DB=f"{tmp_path}/bank.db")

    def tell(verb, **more):
        body = dict({"run": "1.r1", "account": "chem", "user": "ann", "amount": "10.000"}, **more)
        return subprocess.run([sys.executable, SAMPLE, verb], env=env, input=json.dumps(body),
                              capture_output=True, text=True, check=False).returncode

    def left():
        done = subprocess.run([sys.executable, SAMPLE, "list"], env=env, capture_output=True,
                              text=True, check=True)
        return float(done.stdout.split()[1])

    for words in (("deposit", "chem", "1000"), ("allow", "chem", "ALL")):
        subprocess.run([sys.executable, SAMPLE, *words], env=env, check=True)
    for machine in ("c1", "c2"):
        assert tell("lien", machine=machine) == 0
        assert tell("charge", machine=machine) == 0
        assert tell("charge", machine=machine, again=True) == 0
    assert left() == 980
    assert tell("refund", machine="c2", request="a", amount="4.000") == 0
    assert tell("refund", machine="c2", request="b", amount="7.000") == 1 and left() == 984
    assert tell("lien", run="2.r2") == 0 and tell("charge", run="3.r3") == 0 and left() == 974
    assert tell("charge", run="2.r2", machine="c1") == 0 and left() == 964
    assert tell("charge", run="3.r3", machine="c1", again=True) == 0 and left() == 964
    assert tell("refund", run="2.r2", machine="c1", request="c", amount="10.000") == 0 and left() == 974
