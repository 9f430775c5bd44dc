# SPDX-License-Identifier: Apache-2.0
"""`maui am check`: the ledger beside a running scheduler, of a copy, whole and damaged."""
import json
import sqlite3

EMPTY = "0 accounts, 0 deposits, 0 transactions, 0 open runs: no problem\n"

# What am_account_set() and am_deposit() write.
DEPOSIT = """
INSERT INTO am_account VALUES(1, 'chem', 0, 0, 1, 0, '');
INSERT INTO am_txn VALUES(1, 1000, 'deposit', '', 'r1', 'deposit', 'root', '');
INSERT INTO am_deposit VALUES(1, 1, 1, 100000, 0, 0, 9223372036854775807, 0, 0, '', '');
INSERT INTO am_leg VALUES(1, 0, 'grant', 0, 0, -100000, 1000),
 (1, 1, 'deposit', 1, 1, 100000, 1000);
INSERT INTO am_day VALUES(1, 0, 100000, 0);
INSERT INTO am_place VALUES('grant', 0, -100000), ('deposit', 1, 100000);
"""


def copy_with(daemon, script):
    """A copy of the state, with some bookings in it."""
    path = f"{daemon.home}/copy.db"
    source = sqlite3.connect(f"file:{daemon.home}/state.db?mode=ro", uri=True)
    target = sqlite3.connect(path)
    source.backup(target)
    target.executescript(script)
    target.close()
    source.close()
    return path


def test_the_ledger_is_checked_beside_a_running_scheduler(live):
    live.submit("true")
    assert live.ok("am", "check") == EMPTY
    assert json.loads(live.ok("am", "check", "--format", "json")) == {
        "accounts": 0, "deposits": 0, "transactions": 0, "open_runs": 0, "problems": []}
    live.stop()
    assert live.ok("am", "check", "--home", live.home) == EMPTY


def test_what_is_wrong_in_a_ledger_is_told_and_ends_with_1(live):
    path = copy_with(live, DEPOSIT)
    assert live.ok("am", "check", path) == \
        "1 account, 1 deposit, 1 transaction, 0 open runs: no problem\n"
    db = sqlite3.connect(path)
    db.execute("UPDATE am_place SET balance = 150000 WHERE place = 'deposit'")
    db.commit()
    db.close()
    done = live.run("am", "check", path)
    assert done.returncode == 1
    assert "deposit 1: its balance is 150.000, its legs come to 100.000\n" in done.stdout
    assert done.stdout.endswith("0 open runs: 2 problems\n")
    done = live.run("am", "check", path, "--format", "json")
    assert done.returncode == 1
    assert len(json.loads(done.stdout)["problems"]) == 2


def test_what_is_asked_wrongly_is_told(live):
    for words, told in ((("am",), "expected 'check'"),
                        (("am", "chek"), "expected 'check', not 'chek'"),
                        (("am", "check", "a", "b"), "not expected here: 'b'"),
                        (("am", "check", "--format", "xml"), "expected text or json")):
        done = live.run(*words)
        assert done.returncode == 1 and told in done.stderr, words
    done = live.run("am", "check", f"{live.home}/maui.cfg")
    assert done.returncode == 1 and "maui.cfg" in done.stderr
    done = live.run("am", "check", "--home", f"{live.home}/nowhere")
    assert done.returncode == 1 and "nowhere/state.db" in done.stderr
