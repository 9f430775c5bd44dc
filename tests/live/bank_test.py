# SPDX-License-Identifier: Apache-2.0
"""The bank on a real daemon: jobs wait for credits, what they cost is charged, nothing is
lost or doubled when the daemon is killed, and who may what."""
import json

import pytest

from driven_clock import DrivenClock
from live_daemon import ME
from live_users import LEVELS, Users

BANK = "AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\n"


@pytest.fixture
def bank(daemon):
    daemon.configure(BANK + LEVELS + f"ACCOUNTCFG[chem] MANAGERS={ME}\n")
    daemon.start()
    daemon.ok("mam-create-account", "inst")
    daemon.ok("mam-create-account", "-p", "inst", "chem")
    return daemon


def account(bank, name="chem"):
    return bank.lines("mam-balance", name)[0]


def check(bank):
    told = json.loads(bank.ok("am", "check", "--format", "json"))
    assert told["problems"] == []
    return told


def ended(daemon, job):
    """Is it in the records of ended jobs?"""
    text = daemon.api(f"/v1/accounting?job={job}")[1]
    return "end_at" in (text if isinstance(text, str) else json.dumps(text))


def why(bank, job):
    return bank.ok("checkjob", job)


def test_a_job_waits_for_credits_and_starts_when_they_come(bank):
    job = bank.submit("true", account="chem", wclimit_s=60)
    bank.wait(lambda: "account chem has no deposit that can be used now" in why(bank, job))
    other = bank.submit("true", wclimit_s=60)
    bank.wait(lambda: "no account that could pay" in why(bank, other))
    bank.ok("mam-deposit", "chem", "50")
    bank.wait(lambda: "needs 60 credits, 50 left in chem" in why(bank, job))
    bank.ok("mam-deposit", "chem", "10.5")
    bank.wait(lambda: ended(bank, job), "the end of the job")
    assert account(bank)["balance"] < 60.5
    assert check(bank)["open_runs"] == 0
    assert bank.job(other)["state"] == "Idle"


def test_a_node_with_tasks_of_several_requests_is_one(daemon):
    daemon.nodes = "2x4"
    daemon.configure("ENABLEMULTIREQJOBS TRUE\n" + BANK.replace("\n", " RATES=NODES:10\n"))
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    daemon.ok("mam-deposit", "chem", "100000")
    job = daemon.submit("sleep 600", account="chem", wclimit_s=300,
                        requests=[{"tasks": 1, "per_task": {"procs": 2}}, {"tasks": 2}])
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    assert daemon.job(job)["nodes"] == 1
    assert "NodeCount: 1\n" in why(daemon, job)
    assert daemon.lines("mam-list-liens")[0]["amount"] == 3000


def test_columns_are_of_characters(bank):
    bank.ok("mam-create-account", "müllprüfung")
    for command in ("mam-balance", "mam-list-accounts"):
        head, *rows = bank.ok(command).splitlines()
        ends = {row[:18] for row in rows}
        assert "müllprüfung       " in ends and "chem              " in ends, ends
        assert len(head) > 18


def test_a_kind_has_one_list_of_names(bank):
    """Else a part of the second would pass for the name of a user, whom nobody is."""
    refused = bank.run("mam-create-account", "-u", "user=ann,user=bob", "bio")
    assert refused.returncode == 1
    assert "'user=ann,user=bob': expected KIND=NAME[,NAME..]" in refused.stderr
    assert "bio" not in bank.ok("mam-list-accounts")


def test_what_is_kept_for_running_jobs_is_told_and_given_back(bank):
    bank.ok("mam-deposit", "chem", "1000")
    job = bank.submit("sleep 600", account="chem", wclimit_s=900)
    bank.wait(lambda: bank.state(job) == "Running")
    poor = bank.submit("true", account="chem", wclimit_s=200)
    bank.wait(lambda: "needs 200 credits, 1,000 left in chem, 900 of them kept for 1 "
              "running job" in why(bank, poor))
    assert account(bank)["available"] == 100
    assert [lien["job"] for lien in bank.lines("mam-list-liens", "chem")] == [job]
    bank.ok("canceljob", job)
    bank.wait(lambda: ended(bank, poor), "the end of the other")
    assert bank.lines("mam-list-liens") == []
    moves = json.loads(bank.ok("mam-statement", "chem", "--format", "json"))
    assert moves["opening"] + moves["credits"] - moves["debits"] == moves["closing"]
    assert [m["kind"] for m in moves["moves"]] == ["deposit", "charge", "charge"]
    run = moves["moves"][1]["run"]
    paid = -moves["moves"][1]["amount"]
    bank.ok("mam-refund", run, paid)
    assert bank.run("mam-refund", run, "1").returncode == 1
    check(bank)


def test_killed_at_any_time_it_loses_and_doubles_nothing(bank):
    bank.ok("mam-deposit", "chem", "1000")
    long = bank.submit("sleep 600", account="chem", wclimit_s=700)
    short = bank.submit("sleep 3", account="chem", wclimit_s=100)
    bank.wait(lambda: bank.state(short) == "Running" and bank.state(long) == "Running")
    for _ in range(2):
        bank.kill()
        bank.start()
        assert check(bank)["open_runs"] <= 2
    bank.wait(lambda: ended(bank, short), "the end of the short one")
    bank.wait(lambda: len(bank.lines("mam-list-liens")) == 1, "its lien goes")
    bank.kill()
    bank.start()
    assert [lien["job"] for lien in bank.lines("mam-list-liens")] == [long]
    # a run of the same job in another life is another run
    first = bank.lines("mam-list-liens")[0]["run"]
    bank.ok("mjobctl", "-R", long)
    bank.wait(lambda: [lien["run"] for lien in bank.lines("mam-list-liens")]
              not in ([], [first]), "its second run")
    bank.ok("canceljob", long)
    bank.wait(lambda: bank.lines("mam-list-liens") == [], "all liens go")
    moves = json.loads(bank.ok("mam-statement", "chem", "--format", "json"))["moves"]
    assert len([m for m in moves if m["kind"] == "charge"]) == 3
    assert len({m["run"] for m in moves if m["kind"] == "charge"}) == 3
    check(bank)
    bank.stop()
    assert "all the same" in bank.ok("replay", "--verify", "--home", bank.home)


def test_who_makes_room_or_is_suspended_for_long_does_not_keep_or_pay_it_all(daemon):
    daemon.configure(BANK.strip() + " FLUSHINTERVAL=0 LIENMAXSUSPEND=1 REFUNDONREQUEUE=TRUE\n" + """
PREEMPTPOLICY REQUEUE\nQOSWEIGHT 1\nRMPOLLINTERVAL 1\nUSERCFG[DEFAULT] QLIST=hi,lo QDEF=lo
QOSCFG[hi] PRIORITY=100 QFLAGS=PREEMPTOR\nQOSCFG[lo] QFLAGS=PREEMPTEE\n""")
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    daemon.ok("mam-deposit", "chem", "10000")
    low = daemon.submit("sleep 600", account="chem", wclimit_s=1000, requests=[{"tasks": 8}])
    daemon.wait(lambda: daemon.state(low) == "Running", "the start")
    daemon.ok("mjobctl", "-s", low)
    # what it has used is paid for, and no more is kept
    daemon.wait(lambda: account(daemon)["held"] == 0, "the lien goes")
    paid = 10000 - account(daemon)["balance"]
    assert 8 <= paid < 4000
    check(daemon)
    daemon.ok("mjobctl", "-r", low)
    daemon.wait(lambda: account(daemon)["held"] == 8000 - paid, "it lies again")
    high = daemon.submit("true", account="chem", wclimit_s=10, qos="hi",
                         requests=[{"tasks": 8}])
    daemon.wait(lambda: ended(daemon, high), "the other")

    def charges():
        told = json.loads(daemon.ok("mam-statement", "chem", "--format", "json"))
        runs = {}
        for move in told["moves"]:
            if move["kind"] == "charge":
                runs[move["run"]] = runs.get(move["run"], 0) - move["amount"]
        return {job: sum(amount for run, amount in runs.items()
                         if run.startswith(f"{job}.r")) for job in (low, high)}

    assert charges()[high] >= 8
    daemon.wait(lambda: charges()[low] == 0, "what it paid comes back")
    daemon.ok("canceljob", low)
    daemon.wait(lambda: account(daemon)["held"] == 0, "all is over")
    check(daemon)


def test_a_date_that_never_comes_is_an_end_and_no_beginning(bank):
    """What nobody could ever use is no deposit."""
    assert "expected dates up to" in bank.run("mam-deposit", "-s", "INFINITY", "chem", "5").stderr
    assert bank.lines("mam-list-deposits") == []
    bank.ok("mam-deposit", "-e", "INFINITY", "chem", "5")
    assert not {"from", "to"} & set(bank.lines("mam-list-deposits", "chem")[0])


def test_a_request_that_is_repeated_is_done_once(bank):
    for _ in range(2):
        assert bank.ok("mam-deposit", "--request", "x1", "chem", "70") == \
            "deposited as number 1\n"
    assert account(bank)["balance"] == 70
    done = bank.run("mam-deposit", "--request", "x1", "chem", "80")
    assert done.returncode == 1 and "was something else" in done.stderr


def test_amounts_that_are_none_are_refused(bank):
    for wrong in ("0", "-5", "1e9", "NaN", "", "99999999999999999999", "1.0001", "5x"):
        status, answer = bank.api("/v1/bank/deposits", {
            "request": "y", "account": "chem", "amount": wrong})
        assert status == 400, (wrong, answer)
    for order, needed in (("accounts", "account"), ("deposits", "request account amount"),
                          ("withdrawals", "request account amount"),
                          ("limits", "request account amount"),
                          ("transfers", "request account into amount"),
                          ("refunds", "request run amount")):
        for member in needed.split():  # null names no account at all
            body = dict({name: "5" for name in needed.split()}, **{member: None})
            status, answer = bank.api(f"/v1/bank/{order}", body)
            assert status == 400 and f"{member}: it is needed" in json.dumps(answer), \
                (order, member, answer)
    assert account(bank)["balance"] == 0
    done = bank.run("mam-deposit", "chme", "5")
    assert "did you mean 'chem'?" in done.stderr


def test_without_a_bank_nobody_pays_and_the_counter_is_closed(live):
    done = live.run("mam-balance")
    assert done.returncode == 1 and "TYPE=BUILTIN" in done.stderr
    job = live.submit("true")
    live.wait(lambda: ended(live, job))


def test_a_user_a_lead_and_one_who_wants_credits(daemon):
    daemon.configure(BANK + LEVELS + "ACCOUNTCFG[chem] MANAGERS=nobody\n")
    users = Users(daemon)
    daemon.start()
    for name, only in (("inst", "user=bin"), ("chem", "user=nobody"), ("bio", "user=bin")):
        daemon.ok("mam-create-account", "-u", only, name)
        daemon.ok("mam-deposit", name, "100")

    def seen_by(who):
        status, text = users.api(who, "/v1/bank/accounts")
        assert status == 200
        lines = text.splitlines() if isinstance(text, str) else [json.dumps(text)]
        return [json.loads(line)["account"] for line in lines if line]

    assert seen_by("nobody") == ["chem"]
    assert seen_by("games") == []
    assert sorted(seen_by("daemon")) == ["bio", "chem", "inst"]
    # the lead divides what there is, and makes nothing out of nothing
    users.ok("nobody", "mam-create-account", "-p", "chem", "-u", "user=games", "students")
    users.ok("nobody", "mam-transfer", "chem", "30", "students")
    assert seen_by("games") == ["students"]
    for words in (("mam-deposit", "chem", "5"), ("mam-transfer", "bio", "5", "chem"),
                  ("mam-transfer", "-e", "+1:00:00", "chem", "5", "students"),
                  ("mam-create-account", "-o", "-p", "bio", "chem"),
                  ("mam-create-account", "-o", "-p", "inst", "mine"),
                  ("mam-create-account", "chem"), ("mam-refund", "1.r1", "5"),
                  ("mam-withdraw", "bio", "5"), ("mam-statement", "bio")):
        assert users.refused("nobody", *words), words
    for words in (("mam-deposit", "students", "5"), ("mam-transfer", "chem", "5", "students"),
                  ("mam-create-account", "-p", "students", "-o", "x"),
                  ("mam-statement", "chem")):
        assert users.refused("games", *words), words
    # by the name of the command
    assert "'mam-modify-account'" in users.refused("games", "mam-modify-account", "-o", "no", "chem")
    # nor does a job of somebody else's account start
    daemon.ok("mam-balance")
    assert [a["balance"] for a in daemon.lines("mam-balance")] == [100, 70, 100, 30]
    check(daemon)


def reload(daemon, text):
    daemon.configure(text)
    daemon.ok("schedctl", "-R")


def test_a_bank_that_is_switched_off_and_on_leaves_no_lien(daemon):
    on = BANK + "RMPOLLINTERVAL 2\n"
    off = "AMCFG[bank] TYPE=NONE\nRMPOLLINTERVAL 2\n"
    daemon.configure(on)
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    daemon.ok("mam-deposit", "chem", "10000")
    first = daemon.submit("sleep 600", account="chem", wclimit_s=700)
    stays = daemon.submit("sleep 600", account="chem", wclimit_s=700)
    daemon.wait(lambda: daemon.state(first) == daemon.state(stays) == "Running")
    daemon.configure(off)
    daemon.kill()
    daemon.start() # knows nothing of the bank
    daemon.ok("canceljob", first)
    daemon.wait(lambda: ended(daemon, first))
    later = daemon.submit("sleep 600", account="chem", wclimit_s=700)
    daemon.wait(lambda: daemon.state(later) == "Running")
    reload(daemon, on)
    daemon.wait(lambda: sorted(lien["job"] for lien in daemon.lines("mam-list-liens"))
                == sorted([stays, later]), "liens of those that run")
    assert "its end was not seen" in daemon.ok("mam-statement", "chem")
    assert f"job '{first}', run" in daemon.log() and "its end was not seen" in daemon.log()
    # and once more without a restart
    reload(daemon, off)
    last = daemon.submit("sleep 600", account="chem", wclimit_s=700)
    daemon.wait(lambda: daemon.state(last) == "Running")
    reload(daemon, on)
    daemon.wait(lambda: len(daemon.lines("mam-list-liens")) == 3, "its lien")
    for job in (stays, later, last):
        daemon.ok("canceljob", job)
    daemon.wait(lambda: daemon.lines("mam-list-liens") == [], "all liens go")
    assert account(daemon)["held"] == 0
    check(daemon)
    daemon.stop()
    assert "all the same" in daemon.ok("replay", "--verify", "--home", daemon.home)


def test_a_statement_comes_page_by_page(bank):
    for n in range(1, 8):
        bank.ok("mam-deposit", "chem", n)
    status, page = bank.api("/v1/bank/statement?account=chem&limit=3")
    assert status == 200 and len(page["moves"]) == 3 and page["closing"] == 28
    amounts = [m["amount"] for m in page["moves"]]
    while "next" in page:
        status, page = bank.api(
            f"/v1/bank/statement?account=chem&limit=3&after={page['next']}")
        assert status == 200 and page["credits"] == 28
        amounts += [m["amount"] for m in page["moves"]]
    assert amounts == [1, 2, 3, 4, 5, 6, 7]
    whole = json.loads(bank.ok("mam-statement", "chem", "--format", "json"))
    assert [m["amount"] for m in whole["moves"]] == amounts and "next" not in whole
    for wrong in ("limit=0", "limit=10001", "after=x", "after=1.2", "after=1.2.3x"):
        assert bank.api(f"/v1/bank/statement?account=chem&{wrong}")[0] == 400, wrong
    assert len(bank.ok("mam-statement", "--csv", "chem").splitlines()) == 8


def test_a_spreadsheet_gets_no_formula(bank):
    bank.ok("mam-deposit", "-d", '=HYPERLINK("http://x")', "chem", "5")
    line = bank.ok("mam-statement", "--csv", "chem").splitlines()[1]
    assert line.endswith('"\'=HYPERLINK(""http://x"")"')


def test_a_lead_takes_neither_names_nor_requests_of_others(daemon):
    daemon.configure(BANK + LEVELS + "ACCOUNTCFG[chem] MANAGERS=nobody\n"
                     "ACCOUNTCFG[bio] PRIORITY=1\n")
    users = Users(daemon)
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    daemon.ok("mam-deposit", "chem", "100")
    assert "name of an account" in users.refused(
        "nobody", "mam-create-account", "-p", "chem", "bio")
    users.ok("nobody", "mam-create-account", "-p", "chem", "chem-a")
    users.ok("nobody", "mam-transfer", "--request", "2026-12", "chem", "5", "chem-a")
    daemon.ok("mam-deposit", "--request", "2026-12", "chem", "70") # not the lead's
    users.ok("nobody", "mam-transfer", "--request", "2026-12", "chem", "5", "chem-a")
    assert account(daemon)["balance"] == 165
    check(daemon)


def test_what_a_job_costs_is_told_wherever_one_looks(bank):
    bank.ok("mam-deposit", "chem", "1000")
    assert bank.ok("mam-quote", "-A", "chem", "-n", "2", "-l", "100") == \
        "200 credits of chem: enough is there now\n"
    assert "needs 7,200 credits, 1,000 left in chem" in bank.ok(
        "mam-quote", "-A", "chem", "-n", "2")
    assert bank.ok("mam-quote", "-h", "-A", "chem").startswith("1 processor hours of chem: ")
    assert bank.run("mam-quote", "-l", "soon").returncode == 1
    job = bank.submit("sleep 600", account="chem", wclimit_s=900)
    bank.wait(lambda: bank.state(job) == "Running")
    assert "Funds: 900 credits of chem, 900 of them kept" in bank.ok("checkjob", job)
    poor = bank.submit("true", account="chem", wclimit_s=200)
    bank.wait(lambda: "Funds: 200 credits of chem, which it lacks" in bank.ok("checkjob", poor))
    assert "needs 200 credits, 1,000 left in chem" in bank.ok("showq", "-b", "-v")
    assert "funds: 100 credits available, 900 kept for 1 running job" in bank.ok(
        "diagnose", "-a", "chem")
    funds = bank.ok("showstats", "-a").split("Funds ")[1]
    assert [line.split() for line in funds.splitlines() if "chem" in line] == \
        [["chem", "100", "900"]]


def test_who_may_not_see_an_account_is_told_its_balance_by_no_verb(daemon):
    """An account for a class alone: its jobs are told what they cost, not what there is."""
    daemon.configure(BANK + LEVELS + "CLASSCFG[long]\n")
    users = Users(daemon)
    daemon.start()
    daemon.ok("mam-create-account", "-u", "class=long", "chem")
    daemon.ok("mam-deposit", "chem", "7777")
    poor = users.submit("nobody", **{"account": "chem", "class": "long",
                                     "wclimit_s": 9000})
    rich = users.submit("nobody", **{"account": "chem", "class": "long",
                                     "wclimit_s": 700})
    daemon.wait(lambda: daemon.state(rich) == "Running", "the start")
    daemon.wait(lambda: "needs 9,000 credits, 7,777 left in chem" in why(daemon, poor))
    for words in (("checkjob", poor), ("checkjob", "-v", poor), ("showq", "-b", "-v"),
                  ("showq", "-b"), ("showstart", poor), ("checkjob", poor, "--format", "json"),
                  ("mam-quote", "-A", "chem", "-l", "9000"), ("checkjob", rich)):
        said = users.ok("nobody", *words)
        assert not any(number in said for number in ("7,777", "7777", "7,077", "7077")), \
            (words, said)
    assert "needs 9,000 credits, more than chem has left" in users.ok("nobody", "checkjob", poor)
    status, told = users.api("nobody", f"/v1/jobs/{poor}")
    assert status == 200 and set(told["funds"]) == {"account", "price"}
    assert set(told["reason"]) == {"code", "text"}
    assert users.refused("nobody", "mam-statement", "chem")


def test_a_long_job_pays_on_its_way_and_no_more_in_all(daemon):
    """Hourly debits, a daemon that is killed between two of them, and the end: together
    what one debit at the end would be."""
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    at = 1800000000 // 3600 * 3600
    clock.stand(at + 1)
    daemon.configure(BANK.strip() + " FLUSHINTERVAL=1:00:00\nRMPOLLINTERVAL 1\n")
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    daemon.ok("mam-deposit", "chem", "100000")
    job = daemon.submit("sleep 600", account="chem", wclimit_s=50000)
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")

    def paid():
        moves = json.loads(daemon.ok("mam-statement", "chem", "--format", "json"))["moves"]
        return [-m["amount"] for m in moves if m["kind"] == "charge"]

    for hour in (1, 2):
        clock.stand(at + hour * 3600)
        daemon.wait(lambda hour=hour: len(paid()) == hour, f"the debit of hour {hour}")
        assert account(daemon)["held"] == 50000 - sum(paid())
        check(daemon)
        daemon.kill()
        daemon.start()
    clock.stand(at + 2 * 3600 + 500)
    daemon.wait(lambda: daemon.api("/v1/scheduler")[1]["at"] == at + 7700, "the time")
    daemon.ok("canceljob", job)
    daemon.wait(lambda: len(paid()) == 3, "the charge at the end")
    assert paid()[1] == 3600 and 7690 <= sum(paid()) <= 7700
    assert account(daemon)["held"] == 0 and check(daemon)["open_runs"] == 0


def test_an_idle_reservation_is_paid_for_until_the_daemon_stops_or_dies(daemon):
    """What is debited each hour is not lost with the time since the last debit, and no
    second is paid for twice."""
    clock = DrivenClock(daemon.home)
    daemon.env |= clock.env
    at = 1_800_000_000
    clock.stand(at)
    daemon.configure(BANK + LEVELS + "RMPOLLINTERVAL 1\n")
    daemon.start()
    daemon.ok("mam-create-account", "chem")
    daemon.ok("mam-deposit", "chem", "1000000")
    daemon.ok("setres", "-c", "chem", "-n", "idle", "-d", 90000, "node01")

    def pass_time(seconds):
        nonlocal at
        at += seconds
        clock.stand(at)
        daemon.wait(lambda: daemon.api("/v1/scheduler")[1]["at"] == at, "the time")
        seen = daemon.api("/v1/scheduler")[1]["iteration"]
        daemon.wait(lambda: daemon.api("/v1/scheduler")[1]["iteration"] > seen + 2, "a look")

    pass_time(1)
    procs = daemon.api("/v1/nodes/node01")[1]["configured"]["procs"]
    for end in (daemon.stop, daemon.kill) * 2:
        pass_time(700)
        end()
        daemon.start()
        pass_time(0)  # what passes before it looks at reservations again costs nothing
    pass_time(700)
    check(daemon)
    daemon.ok("releaseres", "idle.0")
    daemon.wait(lambda: account(daemon)["balance"] != 1000000, "the charge")
    assert 1000000 - account(daemon)["balance"] == 3501 * procs
    check(daemon)
