# SPDX-License-Identifier: Apache-2.0
"""mam-import: accounts and budgets of another bank, out of its dumps, into a real daemon."""
from bank_test import account, bank, check  # pylint: disable=unused-import

SLURM = """# To edit this file start with a cluster line
Cluster - 'cluster':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'inst':Description='all':Organization='inst':GrpTRESMins=cpu=1000,gres/gpu=5
Account - 'free':Description='x':Organization='x'
Parent - 'inst'
Account - 'chem':Description='a:b':Organization='x':GrpTRESMins=cpu=960
Account - 'bio':Description='x':Organization='x'
Parent - 'chem'
User - 'ann':Coordinator='chem':DefaultAccount='chem':Fairshare=1
User - 'bob':DefaultAccount='bio':GrpTRESMins=cpu=60
Parent - 'bio'
User - 'bob':DefaultAccount='bio':Coordinator='bio,chem'
"""

# budgets below 'top' come to more than it has; of 'lab' all is in parts
NESTED = """Cluster - 'second'
Parent - 'root'
Account - 'top':GrpTRESMins=cpu=100
Account - 'lab-a':GrpTRESMins=cpu=10
Account - 'chem':GrpTRESMins=cpu=5
Parent - 'top'
Account - 'left':GrpTRESMins=cpu=60
Account - 'right':GrpTRESMins=cpu=50
Parent - 'right'
User - 'cid':GrpTRESMins=cpu=7
Parent - 'lab-a'
User - 'dan':GrpTRESMins=cpu=4
User - 'eve':GrpTRESMins=cpu=6
"""

GOLD = ("Id|Name|Amount|Projects|Users|Machines|Description\n"
        "1|all of chemistry|0|chem|MEMBERS|ANY|\n"
        "2|bio|0|bio|amy,bob|colony|\n"
        "3|shared|0|bio,chem|-amy|ANY|\n"
        "5|more of bio|0|bio|carl|ANY|\n"
        "6|new|0|fluid-dynamics|amy|ANY|\n",
        "Id|Account|Active|StartTime|EndTime|Amount|CreditLimit|Deposited\n"
        "1|1|True|-infinity|infinity|57600|100|57600\n"
        "2|2|True|2026-01-01|2099-01-01|1000|0|1000\n"
        "3|9|True|-infinity|infinity|1|0|1\n"
        "4|2|True|yesterday|infinity|1|0|1\n"
        "5|5|True|-infinity|infinity|7|0|7\n"
        "6|6|True|-infinity|infinity|9|0|9\n")


def write(bank, name, text):  # pylint: disable=redefined-outer-name
    path = f"{bank.home}/{name}"
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def test_accounts_of_slurm_with_members_leads_and_budgets(daemon):
    daemon.configure("AMCFG[bank] TYPE=BUILTIN\n")
    daemon.start()
    dump = write(daemon, "dump.cfg", SLURM)
    told = daemon.ok("mam-import", "-n", "slurm", dump)
    assert daemon.lines("mam-balance") == []  # it was only told
    assert f"{dump}:8: account chem under inst, for user=ann,bob\n" in told
    done = daemon.ok("mam-import", "slurm", dump)
    for line in (f"{dump}:5: account inst, for user=-: done",
                 f"{dump}:9: account bio under inst, on which it draws, for user=bob: done",
                 f"{dump}:5: deposit of 2400.000 credits in inst (GrpTRESMins "
                 "cpu=1000,gres/gpu=5, less 57600 credits that are below): done",
                 f"{dump}:8: deposit of 54000.000 credits in chem, for user=ann (GrpTRESMins "
                 "cpu=960, less 3600 credits that are below): done",
                 f"{dump}:12: deposit of 3600.000 credits in chem, for user=bob "
                 "(GrpTRESMins cpu=60): done",
                 f"{dump}:5: not carried over: GrpTRESMins gres/gpu=5",
                 f"{dump}:6: not carried over: account free has no GrpTRESMins",
                 "for maui.cfg: ACCOUNTCFG[chem] MANAGERS=ann,bob",
                 "for maui.cfg: ACCOUNTCFG[bio] MANAGERS=bob",
                 "for maui.cfg: USERCFG[bob] ADEF=bio"):
        assert line in done, (line, done)
    assert account(daemon)["balance"] == 57600
    assert account(daemon, "bio")["available"] == 2400
    daemon.ok("mam-modify-account", "--closed", "yes", "free")
    daemon.ok("mam-import", "slurm", dump)  # again: nothing twice, and free stays closed
    assert account(daemon)["balance"] == 57600 and account(daemon, "free")["closed"]
    # an account of the same name on another cluster has a budget of its own
    nested = write(daemon, "nested.cfg", NESTED)
    done = daemon.ok("mam-import", "slurm", nested)
    for line in (f"{nested}:3: deposit of 6000.000 credits in top (GrpTRESMins cpu=100): done",
                 f"{nested}:5: deposit of 300.000 credits in chem (GrpTRESMins cpu=5): done",
                 f"{nested}:7: not carried over: GrpTRESMins cpu=60 of account left: what is "
                 "below top comes to more",
                 f"{nested}:10: not carried over: GrpTRESMins cpu=7 of user cid in right",
                 f"{nested}:12: deposit of 240.000 credits in lab-a, for user=dan"):
        assert line in done, (line, done)
    assert account(daemon)["balance"] == 57900
    assert account(daemon, "right")["available"] == 6000
    assert account(daemon, "lab-a")["balance"] == 600
    check(daemon)


def test_accounts_of_gold_with_their_allocations(daemon):
    daemon.configure("AMCFG[bank] TYPE=BUILTIN\n")
    daemon.start()
    files = [write(daemon, f"gold{i}", text) for i, text in enumerate(GOLD)]
    done = daemon.ok("mam-import", "gold", *files)
    for line in ("account chem, for all: done", "account bio, for user=amy,bob,carl: done",
                 "account fluid-dynamics, for user=amy: done",
                 "deposit of 7.000 credits in bio, for user=carl",
                 "not carried over: account bio: Machines colony",
                 "not carried over: account shared serves projects bio,chem",
                 "not carried over: allocation 3: no account of number 9",
                 "not carried over: allocation 4: its dates are none",
                 "deposit of 57600.000 credits in chem (allocation of Gold): done"):
        assert line in done, (line, done)
    assert account(daemon)["available"] == 57700
    assert account(daemon, "bio")["balance"] == 1007
    # again: nothing twice, and what Gold does not tell stays as it was made here
    daemon.ok("mam-create-account", "inst")
    daemon.ok("mam-modify-account", "-p", "inst", "-o", "yes", "-u", "user=amy", "chem")
    made = account(daemon)
    assert (made["parent"], made["overflow"], made["only"]) == ("inst", True, "user=amy")
    done = daemon.ok("mam-import", "gold", *reversed(files))
    assert "account chem, for those it was for: done" in done
    again = account(daemon)
    assert [again[k] for k in ("parent", "overflow", "only", "balance")] == \
        ["inst", True, "user=amy", made["balance"]]
    assert account(daemon, "bio")["balance"] == 1007
    assert account(daemon, "bio")["only"] == "user=amy,bob,carl"
    check(daemon)


def test_what_is_no_dump_changes_nothing(bank):  # pylint: disable=redefined-outer-name
    for text in ("", "x", "Id\n", "\x00\x01", "Account - 'x\n", "Parent - ''\n" * 9):
        path = write(bank, "odd", text)
        for kind in ("slurm", "gold"):
            done = bank.run("mam-import", kind, path)
            assert done.returncode in (0, 1), (text, done)
    assert bank.run("mam-import", "slurm", "/nosuch").returncode == 1
    assert bank.run("mam-import", "qbank", "/nosuch").returncode == 1
    assert {a["account"] for a in bank.lines("mam-balance")} == {"inst", "chem"}
