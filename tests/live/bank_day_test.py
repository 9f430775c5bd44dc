# SPDX-License-Identifier: Apache-2.0
"""A bank elsewhere is away for a day of the scheduler's clock: jobs go on all day, the daemon
is killed and stopped on the way, and when the bank is back it is told of each run what that
has cost, once. (A clock that is set forward makes no running job older: what it ran is the
resource manager's to say.)"""
import os
import pathlib
import re
import sqlite3
import sys

import pytest

from driven_clock import DrivenClock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from gold_server import Gold  # noqa: E402

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "bank" / "bank"


class Native:
    """The sample bank; away: its program says that it cannot be reached."""

    def __init__(self, daemon):
        self.home = daemon.home
        self.back()
        self.line = f"TYPE=NATIVE SERVER=exec://{self.home}/bank"
        for words in (["deposit", "chem", "1000000"], ["allow", "chem", "ALL"]):
            assert os.system(f"{self.home}/bank {' '.join(words)}") == 0

    def write(self, text):
        with open(f"{self.home}/bank.new", "w") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(f"{self.home}/bank.new", 0o755)
        os.rename(f"{self.home}/bank.new", f"{self.home}/bank")

    def back(self):
        self.write(f"BANK_DB={self.home}/bank.db exec {sys.executable} {SAMPLE} \"$@\"")

    def leave(self):
        self.write('echo "closed"; exit 2')

    def charged(self):
        """By run."""
        db = sqlite3.connect(f"{self.home}/bank.db")
        told = {run: charged / 1000 for run, charged in
                db.execute("SELECT name, charged FROM run WHERE charged > 0")}
        balance, = db.execute("SELECT balance FROM account").fetchone()
        db.close()
        assert balance == 1000000000 - 1000 * sum(told.values())  # none of them twice
        return told

    def kept(self):
        db = sqlite3.connect(f"{self.home}/bank.db")
        runs = [run for run, in db.execute("SELECT name FROM run WHERE NOT over")]
        db.close()
        return runs


class GoldServer:
    def __init__(self, daemon):
        self.key = pathlib.Path(f"{daemon.home}/gold.key")
        self.key.write_text("a key\n")
        self.key.chmod(0o600)
        self.gold = Gold("a key", 1000000)
        self.line = (f"TYPE=GOLD HOST=127.0.0.1 PORT={self.gold.port} KEYFILE={self.key}\n"
                     "RMCFG[hpc1] TYPE=LOCAL")

    def leave(self):
        self.gold.close()

    def back(self):
        old = self.gold
        self.gold = Gold("a key", old.balance, port=old.port)
        for name in ("liens", "charges", "times"):
            setattr(self.gold, name, getattr(old, name))

    def charged(self):
        assert set(self.gold.times.values()) <= {1}
        return {run.split("@")[0]: charged for run, charged in self.gold.charges.items()}

    def kept(self):
        return [run.split("@")[0] for run in self.gold.liens]


class File:
    """Away: there is a folder in its place."""

    def __init__(self, daemon):
        self.path = pathlib.Path(f"{daemon.home}/am.log")
        self.line = f"TYPE=FILE HOST={self.path}"

    def leave(self):
        self.path.rename(f"{self.path}.kept")
        self.path.mkdir()

    def back(self):
        self.path.rmdir()
        pathlib.Path(f"{self.path}.kept").rename(self.path)

    def lines(self, word):
        text = self.path.read_text() if self.path.is_file() else ""
        return [line for line in text.splitlines() if line.startswith(word)]

    def charged(self):
        lines = self.lines("WITHDRAWAL")
        told = {re.search(r"REQUESTID=(\S+)", line).group(1):
                int(re.search(r"DURATION=(\d+)", line).group(1)) for line in lines}
        assert len(told) == len(lines)
        return told

    def kept(self):
        return []


def used(daemon, job):
    """Seconds, by the accounting of jobs."""
    text = daemon.api(f"/v1/accounting?job={job}")[1]
    record = text[0] if isinstance(text, list) else text
    return record["end_at"] - record["start_at"]


@pytest.mark.parametrize("bank", [Native, GoldServer, File])
def test_a_bank_that_is_away_for_a_day_is_told_of_each_run_once(daemon, bank):
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    bank = bank(daemon)
    daemon.configure(f"AMCFG[bank] CHARGEPOLICY=DEBITALLWC TIMEOUT=5 {bank.line}\n"
                     "RMPOLLINTERVAL 1\n")
    daemon.start()
    long = daemon.submit("sleep 600", account="chem", wclimit_s=100000)
    daemon.wait(lambda: daemon.state(long) == "Running", "the start of the long one")
    bank.leave()
    jobs = []
    for hour in range(2, 25, 3):
        clock.ahead(hour * 3600)
        jobs.append(daemon.submit("true", account="chem", wclimit_s=100))
        daemon.wait(lambda: (daemon.job(jobs[-1]) or {"state": "Removed"})["state"]
                    in ("Completed", "Removed"), f"the job of hour {hour}")
        if hour == 8:
            daemon.kill()
            daemon.start()
        if hour == 17:
            daemon.stop()
            daemon.start()
    daemon.ok("canceljob", long)
    jobs.append(long)
    daemon.wait(lambda: len({m["job"] for m in daemon.lines("mam-queue") if m["verb"] == "charge"})
                == len(jobs), "all that waits for the bank")
    assert bank.charged() == {}
    told = daemon.lines("mam-queue")
    assert max(m["at"] for m in told) - min(m["at"] for m in told) >= 20 * 3600
    assert all(m["state"] in ("Waiting", "Told") for m in told)
    bank.back()
    daemon.ok("mam-queue", "--again", "all")
    daemon.wait(lambda: daemon.lines("mam-queue") == [], "that it is told all", 120)
    cost = {run.split(".")[0]: charged for run, charged in bank.charged().items()}
    assert set(cost) == set(jobs) and len(bank.charged()) == len(jobs) and bank.kept() == []
    for job in jobs:
        assert abs(cost[job] - max(used(daemon, job), 1)) <= 1, (job, cost, used(daemon, job))
    after = daemon.submit("true", account="chem", wclimit_s=100)  # and all is as before
    daemon.wait(lambda: len(bank.charged()) == len(jobs) + 1, "the next charge")
    assert any(run.startswith(f"{after}.r") for run in bank.charged())
