# SPDX-License-Identifier: Apache-2.0
"""What a daemon makes of a configuration, also of one that is not quite right."""
import time

WHOLE = "HOSTLIST=ALL PERIOD=INFINITY"
PEOPLE = "USERCFG[DEFAULT] QLIST=high:low QDEF=low ALIST=projectX:projectZ\n"


def test_the_documented_misspelling_keeps_a_project_out(daemon):
    daemon.configure(
        f"{PEOPLE}SRCFG[special] {WHOLE} ACCCOUNTLIST=!projectX,!projectY QOSLIST=high,low\n")
    daemon.start()
    out = daemon.submit(account="projectX", qos="high")
    inside = daemon.submit(account="projectZ", qos="high")
    daemon.wait(lambda: daemon.state(inside) == "Running", "the start of the other project")
    assert daemon.state(out) != "Running"
    assert "ACCOUNT!=projectX" in daemon.ok("diagnose", "-r")


def test_an_access_rule_that_cannot_be_read_closes_the_reservation(daemon):
    daemon.configure(f"SRCFG[shut] {WHOLE} CLASSLIST=batch USRLIST=!carl\n")
    daemon.start()
    job = daemon.submit(**{"class": "batch"})
    daemon.wait(lambda: "Defer" in daemon.ok("checkjob", job), "the refusal")
    assert "USER!=ALL" in daemon.ok("diagnose", "-r")
    assert "nobody may use the reservation" in daemon.log()


def test_an_access_rule_of_moab_keeps_the_daemon_from_starting(daemon):
    daemon.configure("CLASSCFG[batch] REQUIREDUSERLIST=ann,bob\n")
    done = daemon.run("serve", "--nodes", "1x1")
    assert done.returncode == 1
    assert "access rule of Moab" in done.stderr


def test_who_starts_the_scheduler_is_told_that_something_was_left_out(daemon):
    daemon.configure("NODECFG[n1] PROCS=4\n")
    done = daemon.run("serve", "--nodes", "1x1")
    assert done.returncode == 0
    assert "maui.cfg has 1 warning; `maui check -c " in done.stderr
    assert "no attribute 'PROCS'; did you mean CFGPROCS?" in daemon.log()
    daemon.ok("schedctl", "-k")


def test_a_part_of_a_name_is_asked_about_and_nothing_follows_from_it(daemon):
    """PROC may be MAXPROC or not; of a reservation what is not known closes it."""
    daemon.configure(f"NODECFG[node01] PROC=4\nSRCFG[shut] {WHOLE} CLASSLIST=batch HOST=node01\n")
    daemon.start()
    assert "did you mean MAXPROC?" in daemon.log()
    assert "USER!=ALL" in daemon.ok("diagnose", "-r")


def test_lists_with_marks_and_blanks_are_taken_as_the_documentation_has_them(daemon):
    daemon.configure(f"{PEOPLE}SRTASKCOUNT[0] 8\nSRPERIOD[0] INFINITY\n"
                   "QOSLIST[0] normal= high debug= low-\n"
                   f"SRCFG[x] ACCESS=SHARED {WHOLE} QOSLIST=normal= high debug= low-\n"
                   f"SRCFG[y] HOSTLIST=node01 SRCFG[y] PERIOD=INFINITY USERLIST=root\n")
    daemon.start()
    text = daemon.ok("diagnose", "-r")
    assert "\ny." in text
    assert text.count("QOS==normal= QOS==high+ QOS==debug= QOS==low-") == 2


def test_lists_without_their_sr_make_the_reservation_of_their_number(daemon):
    daemon.configure("HOSTLIST[1] node01 node02\nCLASSLIST[1] batch long-\nSRPERIOD[1] INFINITY\n")
    daemon.nodes = "2x1"
    daemon.start()
    assert "CLASS==batch+ CLASS==long-" in daemon.ok("diagnose", "-r")
    out, inside = daemon.submit(), daemon.submit(**{"class": "batch"})
    daemon.wait(lambda: daemon.state(inside) == "Running", "the start of the class")
    assert daemon.state(out) != "Running"
    assert "HOSTLIST[1] is obsolete; write SRCFG[1] HOSTLIST=" in daemon.ok("check")


def test_a_reservation_that_says_of_no_nodes_takes_none(daemon):
    for text in ("QOSLIST[0] normal high\n", "SRCFG[x] USERLIST=root\n", "ACCOUNTLIST[1] a\n",
                 "SRCFG[x] USERLIST=root HOSTLIST=\n"):
        daemon.configure("FSDEPTH 3\n" + text)
        done = daemon.run("serve", "--nodes", "1x1")
        assert done.returncode == 1
        assert "maui.cfg:2: SRCFG[" in done.stderr
        assert "neither HOSTLIST nor TASKCOUNT" in done.stderr
        assert "HOSTLIST=ALL the whole machine" in daemon.run("check").stdout


def test_an_access_rule_without_a_value_lets_nobody_in(daemon):
    daemon.configure(f"SRCFG[shut] {WHOLE} CLASSLIST=batch ACCOUNTLIST=\n"
                     "SRHOSTLIST[1] ALL\nSRCLASSLIST[1] batch\nSRUSERLIST[1]\n")
    daemon.start()
    job = daemon.submit(**{"class": "batch"})
    daemon.wait(lambda: "Defer" in daemon.ok("checkjob", job), "the refusal")
    assert daemon.ok("diagnose", "-r").count("USER!=ALL") >= 2
    assert "maui.cfg:4: SRCFG[1].USERLIST has no value; nobody may use" in daemon.log()
    for rule in ("USERLIST", "USERLIST root", "USERLIST='ann"):
        daemon.configure(f"SRCFG[shut] {WHOLE} CLASSLIST=batch {rule}\n")
        assert "USERLIST" in daemon.run("check").stdout
        assert daemon.run("check").returncode == 1, rule
    daemon.configure("SRTASKCOUNT[0] 1\nSRCLASSLIST[0] batch\nSRUSERLIST[0] 'ann\n")
    assert "quote" in daemon.run("check").stdout


def test_check_and_serve_come_to_the_same_verdict(daemon):
    cases = {"RMCFG[base] TYPE=LSF\n": "no driver for LSF; scripts of the site can be one (TYPE=NATIVE)",
             "RMTYPE LL\n": "no driver for LL", "RMCFG[base] TYPE=SSS\n": "no driver for SSS",
             "RMCFG[base] TYPE=LOCAL NODES=4by2\n": "NxP", "#INCLUDE gone.cfg\n": "gone.cfg",
             "CLASSCFG[b] MAXJOBS=3\n": "MAXJOB?"}
    for text, want in cases.items():
        daemon.configure(text)
        checked = daemon.run("check")
        assert checked.returncode == 1 and want in checked.stdout
        for options in ([], ["--nodes", "4x2"]):
            done = daemon.run("serve", *options)
            assert done.returncode == 1 and want in done.stderr, (text, done)
    daemon.configure("RMCFG[base] TYPE=LSF\nSERVERMODE SIMULATION\n")
    assert daemon.run("check").returncode == 0


def test_who_reads_the_configuration_again_is_told_what_is_found(daemon):
    daemon.start()
    daemon.configure("FSUSERWEIGHT 10\nBACKFILLDEPTH 3\n")
    told = daemon.ok("schedctl", "-R")
    assert "maui.cfg:1: warning: FSUSERWEIGHT" in told
    assert "1 note; `maui check` prints them" in told
    status, answer = daemon.api("/v1/scheduler", {"action": "reload"})
    assert status == 200
    assert [(f["line"], f["level"]) for f in answer["findings"]] == [(1, "warning"), (2, "note")]
    daemon.configure("RMCFG[base] TYPE=LSF\n")
    refused = daemon.run("schedctl", "-R")
    assert refused.returncode == 1 and "no driver for LSF" in refused.stderr
    assert daemon.api("/v1/parameters?name=FSUSERWEIGHT")[1]["value"] == "10"


HOUR, DAY = 3600, 86400
KINDS = """SRCFG[day] HOSTLIST=node01 STARTTIME=9:00:00 ENDTIME=17:00:00 DEPTH=4 USERLIST=root
SRCFG[wed] HOSTLIST=node02 DAYS=WED DEPTH=8 USERLIST=root
SRCFG[week] HOSTLIST=node03 PERIOD=WEEK STARTTIME=1:08:00:00 ENDTIME=5:17:00:00 DEPTH=3 USERLIST=root
SRCFG[ever] HOSTLIST=node04 PERIOD=INFINITY DEPTH=5 USERLIST=root
"""


def periods(now):
    """What of each kind there is to be, as [start, end) in UTC; what is over is not."""
    midnight = now - now % DAY
    sunday = midnight - (time.gmtime(now).tm_wday + 1) % 7 * DAY
    days = [midnight + i * DAY for i in range(8)]
    found = {"day": [(d + 9 * HOUR, d + 17 * HOUR) for d in days[:4]],
             "wed": [(d, d + DAY) for d in days if time.gmtime(d).tm_wday == 2],
             "week": [(w + DAY + 8 * HOUR, w + 5 * DAY + 17 * HOUR)
                      for w in (sunday, sunday + 7 * DAY, sunday + 14 * DAY)]}
    return {kind: [(max(start, now), end) for start, end in list_ if end > now]
            for kind, list_ in found.items()}


def test_standing_reservations_are_there_by_day_by_week_and_for_ever(daemon):
    daemon.configure(KINDS)
    daemon.start()
    daemon.wait(lambda: "ever.0" in daemon.ok("showres"), "the reservations")
    there = daemon.lines("showres")
    begun = [r["start_at"] for r in there if r["name"].startswith("ever.")]
    assert len(begun) == 1 and abs(begun[0] - time.time()) < 60
    assert [r.get("end_at") for r in there if r["name"].startswith("ever.")] == [None]
    for kind, wanted in periods(begun[0]).items():
        assert sorted((r["start_at"], r["end_at"]) for r in there
                      if r["name"].startswith(f"{kind}.")) == wanted, kind


def test_nodes_of_the_command_line_have_the_attributes_of_the_configuration(daemon):
    """How many nodes there are, and of how many processors, says --nodes; the rest NODECFG."""
    daemon.configure("NODECFG[DEFAULT] CFGMEM=1000\n"
                     "NODECFG[node01] FEATURES=fast SPEED=2.0 PARTITION=p1 CFGPROCS=7\n"
                     "NODECFG[node02] CFGMEM=512 PARTITION=p2 MAXPROC=1\n"
                     "NODECFG[node05] FEATURES=fast\n"
                     "DEFAULTCLASSLIST batch,test:1\nUSEMACHINESPEED TRUE\n")
    daemon.start()
    assert "there is no node 'node05' (nodes are as NODES or --nodes says)" in daemon.log()
    first, second, third = (daemon.api(f"/v1/nodes/node0{n}")[1] for n in (1, 2, 3))
    assert first["features"] == ["fast"] and first["partition"] == "p1"
    assert first["speed"] == 2.0 and first["configured"]["procs"] == 2
    assert second["configured"]["mem_mb"] == 512 and third["configured"]["mem_mb"] == 1000
    assert third["partition"] == "DEFAULT"

    def job(**request):
        return daemon.submit(output="/dev/null", error="/dev/null", wclimit_s=1000, **request)

    fast = job(requests=[{"features": ["fast"]}])
    small = job(partitions=["p2"])
    behind = job(partitions=["p2"])
    tests = [job(**{"class": "test", "partitions": ["DEFAULT"]}) for _ in range(3)]
    large = job(partitions=["p2"], requests=[{"per_task": {"mem_mb": 600}}])
    nowhere = job(**{"class": "nosuch"})
    daemon.wait(lambda: all(daemon.state(j) == "Running" for j in (fast, small, *tests[:2])),
                "the starts")
    assert daemon.job(fast)["master_host"] == "node01"
    assert daemon.job(fast)["end_at"] - daemon.job(fast)["start_at"] == 500
    assert daemon.job(small)["master_host"] == "node02"
    assert {daemon.job(j)["master_host"] for j in tests[:2]} == {"node03", "node04"}
    for waits in (behind, tests[2], large, nowhere):
        assert daemon.state(waits) == "Idle", waits
    for never in (large, nowhere):
        assert "can ever satisfy" in daemon.job(never)["reason"]["text"]


def test_members_of_a_qos_are_listed_by_name(daemon):
    """Not as they were first seen, which is another order after a restart; and not those
    that somebody happens to have named, for whom DEFAULT stands."""
    daemon.configure("QOSCFG[high] PRIORITY=9\nUSERCFG[zoe] QLIST=high\nUSERCFG[adam] QDEF=high\n"
                     "ACCOUNTCFG[sea] QLIST=high\nACCOUNTCFG[air] QLIST=high\n"
                     "GROUPCFG[DEFAULT] QLIST=high\nGROUPCFG[none] QLIST=low\n")
    daemon.start()
    daemon.submit()
    told = daemon.ok("diagnose", "-Q")
    assert "Users: adam zoe\n" in told and "Accounts: air sea\n" in told, told
    assert "Groups: DEFAULT\n" in told, told


def test_members_of_an_account_are_whom_it_is_given_to(daemon):
    """Users and groups by ALIST or ADEF, and a QOS by its ADEF: what else has such a list gives nobody an account."""
    daemon.configure("USERCFG[zoe] ALIST=chem\nGROUPCFG[lab] ADEF=chem\nQOSCFG[high] ADEF=chem\n"
                     "QOSCFG[low] ALIST=chem\nQOSCFG[DEFAULT] ADEF=chem\n"
                     "CLASSCFG[batch] ALIST=chem ADEF=chem\nACCOUNTCFG[sea] ALIST=chem QLIST=high\n"
                     "ACCOUNTCFG[chem] PRIORITY=1\n")
    daemon.start()
    status, chem = daemon.api("/v1/credentials/account?name=chem")
    assert status == 200 and chem["members"] == ["user:zoe", "group:lab", "qos:high"], chem
    assert daemon.api("/v1/credentials/qos?name=high")[1]["members"] == ["account:sea"]
