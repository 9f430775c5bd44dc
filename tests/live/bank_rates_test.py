# SPDX-License-Identifier: Apache-2.0
"""The bank on a real daemon: rates by time of day, quotes that are kept, reservations that
pay for what lies idle in them, lists, limits for portals, by several users."""
import json

import pytest

from bank_test import BANK, account, bank, check, ended, why  # pylint: disable=unused-import
from driven_clock import DrivenClock
from live_daemon import ME
from live_users import LEVELS, Users

NIGHT = 1800000000 // 86400 * 86400 + 86400  # midnight, UTC


def charges(daemon, name="chem"):
    moves = json.loads(daemon.ok("mam-statement", name, "--format", "json"))["moves"]
    return [(m["run"], -m["amount"], m["text"]) for m in moves if m["kind"] == "charge"]


def driven(daemon, at, text):
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env | {"TZ": "UTC"}
    clock.stand(at)
    daemon.configure(text + "RMPOLLINTERVAL 1\n")
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    return clock


def reach(daemon, clock, at):
    clock.stand(at)
    daemon.wait(lambda: daemon.api("/v1/scheduler")[1]["at"] == at, "the time")


@pytest.mark.parametrize("rates_at, held, paid", [("USE", 2500, 1500), ("START", 4000, 2000)])
def test_a_job_over_two_rates_pays_what_was_kept_and_quoted(daemon, rates_at, held, paid):
    """500 seconds at 2, the rest at 1; after a kill in between as well."""
    clock = driven(daemon, NIGHT + 3600 - 500, BANK.strip() + " FLUSHINTERVAL=0 "
                   f"TIMERATES=00:00-01:00*2 RATESAT={rates_at}\n")
    daemon.ok("mam-deposit", "chem", "100000")
    told = json.loads(daemon.ok("mam-quote", "-A", "chem", "-l", "2000", "--format", "json"))
    assert told["price"] == held
    job = daemon.submit("sleep 600", account="chem", wclimit_s=2000)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    assert account(daemon)["held"] == held
    reach(daemon, clock, NIGHT + 3600 + 200)
    daemon.kill()
    daemon.start()
    assert account(daemon)["held"] == held
    reach(daemon, clock, NIGHT + 3600 + 500)
    daemon.ok("canceljob", job)
    daemon.wait(lambda: charges(daemon), "the charge")
    assert charges(daemon)[0][1] == paid
    assert account(daemon)["held"] == 0
    check(daemon)


def test_who_cannot_pay_by_day_starts_at_night(daemon):
    clock = driven(daemon, NIGHT + 3000,
                   BANK.strip() + " TIMERATES=00:00-01:00*4\n")
    daemon.ok("mam-deposit", "chem", "300")
    job = daemon.submit("true", account="chem", wclimit_s=100)
    daemon.wait(lambda: "needs 400 credits, 300 left in chem" in why(daemon, job))
    told = daemon.ok("mam-list-rates")
    assert "by time of day     00:00-01:00*4" in told and "now                4" in told
    reach(daemon, clock, NIGHT + 3600)
    daemon.wait(lambda: ended(daemon, job), "the end")
    check(daemon)


def test_a_quote_that_is_kept_holds_while_rates_rise(daemon):
    daemon.configure(BANK + LEVELS + "ACCOUNTCFG[chem] MANAGERS=nobody\n"
                     "QOSCFG[gold] CHARGERATE=9\nUSERCFG[nobody] QLIST=gold\n")
    users = Users(daemon)
    daemon.start()
    daemon.ok("mam-create-account", "-u", "user=nobody,games", "chem")
    daemon.ok("mam-deposit", "chem", "100000")
    said = users.ok("games", "mam-quote", "-k", "-A", "chem", "-l", "1000", "--request", "q")
    assert "1000 credits of chem: enough is there now\nquote 1: msub -l quote=1" in said
    # not the price of another QOS than the one that is asked for
    assert "QOS gold" in users.refused("games", "mam-quote", "-q", "gold", "-A", "chem")
    assert "9000 credits" in users.ok("nobody", "mam-quote", "-q", "gold", "-A", "chem",
                                      "-l", "1000")
    again = users.ok("games", "mam-quote", "-k", "-A", "chem", "-l", "1000", "--request", "q")
    assert "quote 1:" in again
    daemon.configure(BANK.strip() + " RATES=PROCS:5\n" + LEVELS
                     + "ACCOUNTCFG[chem] MANAGERS=nobody\n")
    daemon.ok("schedctl", "-R")
    daemon.kill()
    daemon.start()
    job = users.submit("games", account="chem", wclimit_s=1000, quote=1)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    assert account(daemon)["held"] == 1000
    told = json.loads(daemon.ok("checkjob", job, "--format", "json"))
    assert told["quote"] == 1 and "Quote: 1" in daemon.ok("checkjob", job)
    # it was for one job, and for games alone
    others = [users.submit("nobody", account="chem", wclimit_s=1000, quote=1),
              users.submit("games", account="chem", wclimit_s=1000, quote=1)]
    daemon.wait(lambda: all(daemon.state(j) == "Running" for j in others), "two more")
    assert account(daemon)["held"] == 11000
    seen = {who: {json.loads(line)["job"] for line in users.ok(
        who, "mam-list-liens", "--format", "json").splitlines()} for who in ("games", "nobody")}
    assert seen == {"games": {job, others[1]}, "nobody": {job, *others}}
    assert daemon.lines("mam-list-quotes") == []
    # a user keeps quotes of the own jobs alone, and not for ever
    assert users.refused("games", "mam-quote", "-k", "-A", "chem", "-u", "nobody")
    assert "30 days" in users.refused("games", "mam-quote", "-k", "-A", "chem", "-e",
                                      "+60:00:00:00")
    for uses in ("0", "1001"):
        assert "uses: expected 1 to 1000" in users.refused(
            "games", "mam-quote", "-k", "-A", "chem", f"-N{uses}")
    assert "until: expected an instant after now" in users.refused(
        "games", "mam-quote", "-k", "-A", "chem", "-e", "1970")
    assert users.refused("bin", "mam-quote", "-k", "-A", "chem")
    users.ok("games", "mam-quote", "-k", "-A", "chem")
    assert '"number":2' in users.ok("nobody", "mam-list-quotes", "--format", "json") \
        .replace(" ", "")
    for j in [job] + others:
        daemon.ok("canceljob", j)
    daemon.wait(lambda: daemon.lines("mam-list-liens") == [], "all liens go")
    paid = {run.split(".")[0]: text for run, _, text in charges(daemon)}
    assert "PROCS x 1)" in paid[job] and "PROCS x 5)" in paid[others[0]]
    check(daemon)
    daemon.stop()
    assert "all the same" in daemon.ok("replay", "--verify", "--home", daemon.home)


def test_a_reservation_pays_for_what_lies_idle_in_it(daemon):
    clock = driven(daemon, NIGHT + 10, BANK)
    daemon.ok("mam-deposit", "chem", "1000000")
    daemon.ok("setres", "-c", "chem", "-n", "mine", "-s", "+0", "-d", "20:00:00", "node01")
    name = daemon.lines("showres")[0]["name"]
    procs = daemon.lines("showres")[0]["procs"]
    daemon.wait(lambda: daemon.lines("mam-list-liens"), "its run")
    reach(daemon, clock, NIGHT + 10 + 3600)
    daemon.wait(lambda: charges(daemon), "the first debit")
    run, amount, text = charges(daemon)[0]
    assert run.startswith(f"rsv:{name}.r") and 3500 * procs <= amount <= 3600 * procs
    assert f"idle in reservation {name}" in text
    check(daemon)
    daemon.kill()
    daemon.start()
    reach(daemon, clock, NIGHT + 10 + 7000)
    daemon.ok("releaseres", name)
    daemon.wait(lambda: not daemon.lines("mam-list-liens"), "the end of its run")
    assert {r for r, _, _ in charges(daemon)} == {run}
    assert sum(a for _, a, _ in charges(daemon)) <= 7000 * procs
    assert json.loads(daemon.ok("am", "check", "--format", "json"))["open_runs"] == 0
    check(daemon)


def test_lists_show_each_what_is_theirs(daemon):
    daemon.configure(BANK + LEVELS + "ACCOUNTCFG[chem] MANAGERS=nobody CHARGERATE=1\n"
                     "ACCOUNTCFG[bio] CHARGERATE=2\nACCOUNTCFG[nowhere] CHARGERATE=3\n")
    users = Users(daemon)
    daemon.start()
    for name, only in (("chem", "user=nobody,games"), ("bio", "user=bin")):
        daemon.ok("mam-create-account", "-u", only, name)
        daemon.ok("mam-deposit", "-l", "first", name, "1000")
    jobs = [users.submit(who, account="chem", wclimit_s=100, script="#!/bin/sh\ntrue\n")
            for who in ("nobody", "games", "games")]
    for job in jobs:
        daemon.wait(lambda job=job: ended(daemon, job), "the end")
    used = {(u["account"], u["user"]): u["runs"] for u in daemon.lines("mam-usage")}
    assert used == {("chem", "nobody"): 1, ("chem", "games"): 2}

    def seen(who):
        text = users.ok(who, "mam-usage", "--format", "json")
        return [json.loads(line)["user"] for line in text.splitlines()]

    assert seen("nobody") == ["games", "nobody"] and seen("games") == ["games"]
    for command in ("mam-list-accounts", "mam-list-deposits", "mam-list-transactions"):
        assert "bio" in daemon.ok(command) and "chem" in daemon.ok(command)
        assert "bio" not in users.ok("nobody", command), command
        assert users.refused("games", command, "bio")
    # a statement has all amounts, and whose they are of what is one's own
    told = json.loads(users.ok("games", "mam-statement", "chem", "--format", "json"))
    moves = [m for m in told["moves"] if m["kind"] == "charge"]
    assert len(moves) == 3 and told["opening"] + told["credits"] - told["debits"] \
        == told["closing"]
    assert [m["who"] for m in moves if "who" in m] == ["games", "games"]
    assert all("run" in m and "text" in m for m in moves if "who" in m)
    assert not any("run" in m or "text" in m for m in moves if "who" not in m)
    for who in ("nobody", ME):  # the lead and the administrator
        ask = users.ok if who != ME else lambda _, *words: daemon.ok(*words)
        told = json.loads(ask(who, "mam-statement", "chem", "--format", "json"))
        assert sorted(m["who"] for m in told["moves"] if m["kind"] == "charge") == \
            ["games", "games", "nobody"]
    # what bio is charged is for those who see that there is one
    assert "bio" in daemon.ok("mam-list-rates") and "bio" in users.ok("bin", "mam-list-rates")
    told = users.ok("games", "mam-list-rates")
    assert "bio" not in told and "nowhere" not in told and "chem" in told
    # a portal goes on where it was
    first = daemon.lines("mam-list-transactions", "-m", "2")
    rest = daemon.lines("mam-list-transactions", "-n", str(first[-1]["transaction"]))
    numbers = [t["transaction"] for t in first + rest]
    assert numbers == sorted(numbers) and len(numbers) == 5
    assert daemon.lines("mam-usage", "-n", str(numbers[-1])) == []
    told = {(u["account"], u["user"]): u["runs"] for u in daemon.lines("mam-usage", "-n", "1")}
    assert told == used and "bio" not in users.ok("games", "mam-usage", "-n", "1")
    told = users.ok("games", "mam-usage", "-n", "1", "--format", "json", "chem")
    assert [json.loads(line)["user"] for line in told.splitlines()] == ["games"]
    # a run's refund is its user's, who sees it
    run = [t["run"] for t in first + rest if t["who"] == "nobody"][0]
    daemon.ok("mam-refund", run, "0.5")
    seen_by = {who: [t["kind"] for t in map(json.loads, users.ok(
        who, "mam-list-transactions", "--format", "json", "chem").splitlines())]
        for who in ("nobody", "games")}
    assert "refund" in seen_by["nobody"] and "refund" not in seen_by["games"]
    assert seen_by["games"].count("charge") == 2
    mine = [u for u in daemon.lines("mam-usage", "chem") if u["user"] == "nobody"][0]
    assert mine["refunded"] == 0.5 and mine["used"] == mine["charged"] - 0.5
    check(daemon)


def test_a_portal_says_how_much_an_account_shall_have(bank):  # pylint: disable=redefined-outer-name
    bank.ok("mam-set-limit", "--request", "p1", "chem", "1000")
    assert account(bank)["balance"] == 1000
    bank.ok("mam-set-limit", "--request", "p2", "chem", "400")
    assert account(bank)["balance"] == 400
    bank.ok("mam-set-limit", "--request", "p1", "chem", "1000")  # is done already
    assert account(bank)["balance"] == 400
    bank.ok("mam-set-limit", "--request", "p3", "chem", "400")  # nothing to be done
    bank.ok("mam-withdraw", "chem", "100")
    bank.ok("mam-set-limit", "--request", "p3", "chem", "400")  # nor later
    assert account(bank)["balance"] == 300
    job = bank.submit("sleep 600", account="chem", wclimit_s=200)
    bank.wait(lambda: bank.state(job) == "Running", "the start")
    assert "kept for 1 running job" in bank.run("mam-set-limit", "chem", "50").stderr
    bank.ok("mam-set-limit", "chem", "200")
    assert account(bank)["available"] == 0
    check(bank)


def test_an_account_is_changed_in_what_was_said_alone(bank):  # pylint: disable=redefined-outer-name
    bank.ok("mam-create-account", "-p", "inst", "-o", "-S", "25", "-u", f"user={ME}", "lab")
    bank.ok("mam-modify-account", "-u", "user=x,y", "lab")
    told = account(bank, "lab")
    assert told["only"] == "user=x,y" and told["overflow"] and told["parent"] == "inst"
    bank.ok("mam-deposit", "inst", "100")
    assert account(bank, "lab")["own_available"] == 25  # its share is as it was
    bank.ok("mam-modify-account", "-o", "no", "--closed", "yes", "lab")
    told = account(bank, "lab")
    assert told["closed"] and not told["overflow"] and told["only"] == "user=x,y"
    bank.ok("mam-modify-account", "-u", "", "--closed", "no", "-p", "", "-S", "0", "lab")
    told = account(bank, "lab")
    assert "only" not in told and "parent" not in told and not told["closed"]
    told_before = told
    assert "no account 'lap'" in bank.run("mam-modify-account", "lap").stderr
    for wrong in ({"parent": 5}, {"closed": "yes"}, {"share": "10"}, {"only": ["x"]}):
        status, told = bank.api("/v1/bank/accounts", {"account": "lab", "modify": True} | wrong)
        assert status == 400 and list(wrong)[0] + ": expected" in str(told), told
    assert account(bank, "lab") == told_before
    assert bank.run("mam-modify-account", "-o", "maybe", "lab").returncode == 1
    check(bank)


def test_verbs_of_the_bank_go_by_maui_am_too(bank):  # pylint: disable=redefined-outer-name
    bank.ok("am", "deposit", "chem", "5")
    assert bank.ok("am", "balance", "chem") == bank.ok("mam-balance", "chem")
    assert "no problem" in bank.ok("mam-check")
    assert "expected 'check', not" in bank.run("am", "balanse").stderr
