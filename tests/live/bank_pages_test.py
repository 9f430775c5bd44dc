# SPDX-License-Identifier: Apache-2.0
"""Lists of the bank come a page at a time: none of them keeps the daemon from others,
however long it is; together they are the whole list, for each user that user's; and the
commands tell it whole."""
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from bank_test import bank  # noqa: F401  # pylint: disable=unused-import
from live_users import Users

MANY = 1050  # more than a page that is not asked for
FAR = 9_000_000_000


def walk(ask, path, limit):
    """All pages of a list: its records, and how many each page had."""
    records, sizes, after = [], [], 0
    while True:
        status, page = ask(f"{path}{'&' if '?' in path else '?'}limit={limit}&after={after}")
        assert status == 200, page
        page = [page] if isinstance(page, dict) else page
        more = page.pop()["next"] if page and set(page[-1]) == {"next"} else 0
        assert not any("next" in record for record in page)
        records += page
        sizes.append(len(page))
        if not more:
            return records, sizes
        assert more != after
        after = more


def fill(home):
    """Many accounts with a deposit each, as the ledger has them; every seventh is ann's;
    many quotes of hers."""
    db = sqlite3.connect(f"{home}/state.db")
    for n in range(1000, 1000 + MANY):
        db.execute("INSERT INTO am_account VALUES(?, ?, 0, 0, 1, 0, ?)",
                   (n, f"a{n}", "user=ann" if n % 7 == 0 else "user=games"))
        db.execute("INSERT INTO am_txn VALUES(?, 1, 'deposit', '', '', '', 'root', '')", (n,))
        db.execute("INSERT INTO am_deposit VALUES(?, ?, ?, 5000, 0, 0, 9223372036854775807, 0, 0,"
                   " '', '')", (n, n, n))
        for leg, (place, of, account, amount) in enumerate(
                [("grant", 0, 0, -5000), ("deposit", n, n, 5000)]):
            db.execute("INSERT INTO am_leg VALUES(?, ?, ?, ?, ?, ?, 1)",
                       (n, leg, place, of, account, amount))
        db.execute("INSERT INTO am_place VALUES('deposit', ?, 5000)", (n,))
        db.execute("INSERT INTO am_day VALUES(?, 0, 5000, 0)", (n,))
        # those that end first come first
        db.execute("INSERT INTO am_quote VALUES(?, ?, '', ?, 'PROCS:1;user:ann=1.000000', 60000, ?, 1,"
                   " '')", (n, f"q{n}", n, FAR + n // 100))
    db.execute("INSERT INTO am_place VALUES('grant', 0, ?) ON CONFLICT DO UPDATE SET"
               " balance = balance + excluded.balance", (-5000 * MANY,))
    db.commit()
    db.close()


@pytest.fixture
def many(bank):  # noqa: F811
    bank.stop()
    fill(bank.home)
    bank.start()
    return bank


@pytest.mark.parametrize("path, command, key", [
    ("/v1/bank/accounts", "mam-list-accounts", "account"),
    ("/v1/bank/deposits", "mam-list-deposits", "deposit"),
    ("/v1/bank/quotes", "mam-list-quotes", "number"),
    ("/v1/bank/transactions", None, "transaction")])
def test_pages_are_the_list_and_commands_tell_it_whole(many, path, command, key):
    if not command:  # by its number, as portals ask
        numbers, since = [], 0
        while since is not None:
            status, page = many.api(f"{path}?limit=400&since={since}")
            assert status == 200
            since = page.pop()["next"] if "next" in page[-1] else None
            numbers += [o[key] for o in page]
            assert len(page) <= 400
        assert numbers == sorted(set(numbers)) and len(numbers) == MANY
        assert [o[key] for o in many.lines("mam-list-transactions", "-m", MANY)] == numbers
        return
    records, sizes = walk(many.api, path, 400)
    names = [o[key] for o in records]
    assert len(names) == len(set(names)) and len(names) >= MANY
    assert max(sizes) <= 400 and len(sizes) >= 3
    status, first = many.api(path)
    assert status == 200 and len(first) <= 1001 and set(first[-1]) == {"next"}
    assert many.lines(command) == records
    if key != "account":
        assert names == sorted(names)


def test_a_page_of_an_account_is_its_own(many):
    assert [o["deposit"] for o in many.lines("mam-list-deposits", "a1003")] == [1003]
    assert [o["account"] for o in many.lines("mam-balance", "a1003")] == ["a1003"]
    many.ok("mam-deposit", "a1003", "7")
    records, sizes = walk(many.api, "/v1/bank/deposits?account=a1003", 1)
    assert [o["amount"] for o in records] == [5, 7] and sizes[:2] == [1, 1]
    # behind an old one of its account, also where that has ended since
    status, page = many.api("/v1/bank/deposits?account=a1003&after=1003")
    assert status == 200 and page["amount"] == 7


def test_a_long_statement_ends_its_page_in_time_and_is_told_whole(bank):  # noqa: F811
    """However many moves a page may have: nobody waits for ten thousand."""
    moves = 12000
    bank.ok("mam-deposit", "chem", str(moves + 7))
    bank.stop()
    db = sqlite3.connect(f"{bank.home}/state.db")
    account, at = db.execute("SELECT account, booked_at FROM am_leg WHERE place = 'deposit'").fetchone()
    for n in range(1000, 1000 + moves):
        db.execute("INSERT INTO am_txn VALUES(?, ?, 'withdraw', '', '', '', 'root', 'x')", (n, at))
        db.executemany("INSERT INTO am_leg VALUES(?, ?, ?, ?, ?, ?, ?)",
                       [(n, 0, "deposit", 1, account, -1000, at), (n, 1, "grant", 0, 0, 1000, at)])
    db.execute("UPDATE am_place SET balance = balance - ? WHERE place = 'deposit'", (1000 * moves,))
    db.execute("UPDATE am_place SET balance = balance + ? WHERE place = 'grant'", (1000 * moves,))
    db.execute("UPDATE am_day SET debits = debits + ?", (1000 * moves,))
    db.commit()
    db.close()
    bank.start()
    path, after, told = "/v1/bank/statement?account=chem&limit=10000", "", []
    while after is not None:
        status, page = bank.api(path + (f"&after={after}" if after else ""))
        assert status == 200 and page["closing"] == 7 and page["debits"] == moves
        assert len(page["moves"]) < 10000
        told += [o["transaction"] for o in page["moves"]]
        after = page.get("next")
    assert len(told) == len(set(told)) == moves + 1
    whole = json.loads(bank.ok("mam-statement", "chem", "--format", "json"))
    assert [o["transaction"] for o in whole["moves"]] == told
    assert bank.ok("am", "check").endswith("no problem\n")


def test_others_accounts_are_in_no_page_of_mine(many):
    users = Users(many, programs=False)
    for limit in (50, 1000):
        records, sizes = walk(lambda path: users_lines(users, path), "/v1/bank/accounts", limit)
        mine = {o["account"] for o in records if o["account"].startswith("a")}
        assert mine == {f"a{n}" for n in range(1000, 1000 + MANY) if n % 7} and max(sizes) <= limit
    records, _ = walk(lambda path: users_lines(users, path), "/v1/bank/deposits", 100)
    assert len(records) == len(mine)
    assert walk(lambda path: users_lines(users, path), "/v1/bank/quotes", 100)[0] == []


def users_lines(users, path):
    status, text = users.api("games", path)
    if isinstance(text, str):
        text = [json.loads(line) for line in text.splitlines()]
    return status, text


@pytest.mark.parametrize("words", ["limit=0", "limit=10001", "after=-1", "limit=x", "after=1.2"])
def test_what_is_no_page_is_refused(bank, words):  # noqa: F811
    for name in ("accounts", "deposits", "liens", "quotes", "usage", "queue"):
        status, answer = bank.api(f"/v1/bank/{name}?{words}")
        assert status == 400 and words.split("=")[0] in answer["error"]["message"], (name, answer)


def test_liens_and_what_users_used_come_in_pages(bank):  # noqa: F811
    bank.ok("mam-deposit", "chem", "100000")
    bank.ok("mam-deposit", "inst", "100000")
    jobs = [bank.submit("sleep 600", account=name, wclimit_s=700) for name in ("chem", "inst") * 3]
    bank.wait(lambda: all(bank.state(job) == "Running" for job in jobs), "the starts")
    liens, sizes = walk(bank.api, "/v1/bank/liens", 2)
    assert sorted(o["job"] for o in liens) == sorted(jobs) and max(sizes) == 2
    assert len(walk(bank.api, "/v1/bank/liens?account=chem", 1)[0]) == 3
    assert bank.api("/v1/bank/liens?after=99999999999")[1] == []
    for job in jobs:
        bank.ok("canceljob", job)
    bank.wait(lambda: bank.lines("mam-list-liens") == [], "all liens go")
    used, sizes = walk(bank.api, "/v1/bank/usage", 1)
    assert {o["account"]: o["runs"] for o in used} == {"chem": 3, "inst": 3} and max(sizes) == 1
    assert bank.lines("mam-usage") == used


def test_what_many_users_used_on_many_days_is_added_up_for_who_may_see_it(bank):  # noqa: F811
    """In turns of the loop; users, leads and administrators each get theirs of it, the same
    however many ask at once, and between them jobs are submitted and charged."""
    bank.ok("mam-deposit", "chem", "100000")
    bank.ok("mam-deposit", "inst", "100000")
    bank.stop()
    days, names = 60, ["games"] + [f"u{n:03}" for n in range(200)]
    db = sqlite3.connect(f"{bank.home}/state.db")
    for account, in db.execute("SELECT id FROM am_account WHERE name IN ('inst', 'chem')").fetchall():
        db.executemany("INSERT INTO am_usage VALUES(?, ?, ?, ?, 500, 1, 1)",
                       [(account, 19000 + day, name, 1000 + 100 * account + day)
                        for day in range(days) for name in names])
    chem = db.execute("SELECT id FROM am_account WHERE name = 'chem'").fetchone()[0]
    db.commit()
    db.close()
    bank.start()
    users = Users(bank, programs=False)
    path = f"/v1/bank/usage?account=chem&from={19000 * 86400}&to={(19000 + days) * 86400}"
    charged = round(sum(1000 + 100 * chem + day for day in range(days)) / 1000, 3)

    def ask(_):
        if _ % 3 == 2:
            bank.submit("true", account="chem", wclimit_s=10)
        return bank.api(path) if _ % 2 else users_lines(users, path)

    with ThreadPoolExecutor(6) as several:
        answers = list(several.map(ask, range(12)))
    for n, (status, told) in enumerate(answers):
        told = [told] if isinstance(told, dict) else told
        assert status == 200
        assert [o["user"] for o in told] == (names if n % 2 else ["games"])
        assert {(o["charged"], o["refunded"], o["runs"]) for o in told} == {(charged, days / 2, days)}
    # accounts are told whole, one behind the other
    records, sizes = walk(bank.api, path.replace("account=chem&", ""), 1)
    assert sizes == [len(names)] * 2 and [o["account"] for o in records[::len(names)]] == ["inst", "chem"]
    assert len(walk(bank.api, path.replace("account=chem&", ""), 1000)[1]) == 1
    part = bank.api(f"/v1/bank/usage?account=chem&from={19001 * 86400 - 5}&to={19003 * 86400 + 5}")[1]
    assert {o["runs"] for o in part} == {2} and len(part) == len(names)


def test_what_a_bank_has_to_be_told_comes_in_pages(daemon):
    """Those that are aside and those that wait, by their numbers."""
    daemon.configure(f"AMCFG[bank] TYPE=NATIVE SERVER=exec://{daemon.home}/none\n")
    daemon.start()
    daemon.stop()
    db = sqlite3.connect(f"{daemon.home}/state.db")
    for n in range(1, MANY + 1):
        body = {"verb": "charge", "run": f"x{n}.r1", "job": f"x{n}", "account": "chem",
                "amount": "1.000", "at": 1, "to": "NATIVE"}
        if n % 3 == 0:
            body["refused"] = "no such account"
        db.execute("INSERT INTO record VALUES(?, ?, ?)",
                   ("bankrefused" if n % 3 == 0 else "bankqueue", f"{n:020}", json.dumps(body)))
    db.commit()
    db.close()
    daemon.start()
    records, sizes = walk(daemon.api, "/v1/bank/queue", 100)
    assert [o["number"] for o in records] == list(range(1, MANY + 1)) and max(sizes) == 100
    assert [o["state"] == "Aside" for o in records] == [n % 3 == 0 for n in range(1, MANY + 1)]
    assert len(daemon.lines("mam-queue")) == MANY
    daemon.ok("mam-queue", "--drop", "100")
    # behind one that has gone since, and what is told again keeps its place
    daemon.ok("mam-queue", "--again", "3")
    status, page = daemon.api("/v1/bank/queue?after=100&limit=2")
    assert status == 200 and [o.get("number") for o in page[:2]] == [101, 102]
    assert [o["number"] for o in daemon.lines("mam-queue")] == [n for n in range(1, MANY + 1) if n != 100]
