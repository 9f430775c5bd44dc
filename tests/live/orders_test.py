# SPDX-License-Identifier: Apache-2.0
"""The commands that act on jobs: as owner, as somebody else, as administrators of each
level, in text and as JSON."""
import json
import re
import os
import signal
import time

from live_daemon import ME
from live_users import LEVELS, Users


def running(live, **request):
    job = live.submit(**request)
    live.wait(lambda: live.state(job) == "Running", "the start")
    return job


def waiting(live, n=8, **request):
    """A job that waits: something else has a processor of the machine."""
    running(live)
    return live.submit(requests=[{"tasks": n}], **request)


def stopped(live):
    """Nobody starts by turn any more."""
    live.ok("schedctl", "-s")
    return live


def told(live, *words):
    """The results of a command's order with --format json, by job."""
    done = live.run(*words, "--format", "json")
    return done.returncode, {r["job"]: r for r in json.loads(done.stdout)["results"]}


# ---- runjob ----

def test_runjob_starts_a_job_out_of_its_turn(site):
    job = stopped(site).submit(requests=[{"tasks": 2}])
    assert site.ok("runjob", job) == f"job '{job}' started on 2 procs\n"
    site.wait(lambda: site.state(job) == "Running", "the start")
    done = site.run("runjob", job)
    assert (done.returncode, done.stderr) == (
        1, f"ERROR:    job '{job}' is in state 'Running'  (state must be idle)\n")


def test_runjob_places_it_where_it_is_told(site):
    stopped(site)
    first, second = (site.submit(requests=[{"tasks": 2}]) for _ in range(2))
    site.ok("runjob", "-n", "node03,node02", first)
    places = {p["node"] for p in site.job(first)["allocation"]}
    assert places <= {"node02", "node03"}
    refusals = (
        (("-n", "node77"), "no node is named 'node77'"),
        (("-p", "east"), "there is no partition 'east'"),
        (("-n", "node01"), None))
    for options, says in refusals:
        done = site.run("runjob", *options, second)
        assert (done.returncode == 1 and says in done.stderr) if says \
            else done.returncode == 0, done


def test_runjob_says_how_much_is_missing_and_which_policy(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXPROC=3\nENABLEMULTIREQJOBS TRUE\n")
    daemon.start()
    running(daemon, requests=[{"tasks": 2}])
    stopped(daemon)
    wide = daemon.submit(requests=[{"tasks": 2}])
    done = daemon.run("runjob", wide)
    assert done.returncode == 1
    assert done.stderr.startswith("ERROR:    job cannot run (rejected by policy MAXPROC): ")
    assert "MAXPROC 3" in done.stderr
    whole = daemon.submit(requests=[{"tasks": 7}])
    done = daemon.run("runjob", "-f", whole)
    assert done.stderr == ("ERROR:    job cannot run  (insufficient idle procs:  7 needed  "
                           "6 available)\n")
    parts = daemon.submit(requests=[{"tasks": 6}, {"tasks": 1, "hosts": ["node01"]}])
    assert daemon.run("runjob", "-f", parts).stderr == done.stderr
    assert "\nHostList[1]:    node01\n" in daemon.ok("checkjob", parts)
    assert daemon.ok("runjob", "-f", wide) == f"job '{wide}' started on 2 procs\n"


def test_runjob_x_ignores_reservations_and_policies(site):
    site.ok("setres", "-n", "patch", "-d", "1:00:00", "ALL")
    first = site.submit()
    second = site.submit(dependencies=[f"afterok:{first}"])
    done = site.run("runjob", first)
    assert done.returncode == 1 and "job cannot run" in done.stderr
    done = site.run("runjob", "-f", second)
    assert "rejected by policy DEPENDENCY" in done.stderr
    assert "started on 1 proc\n" in site.ok("runjob", "-x", first)
    assert "started on 1 proc\n" in site.ok("runjob", "-c", "-x", second)


def test_runjob_s_suspends(site):
    job = running(site)
    assert site.ok("runjob", "-s", job) == f"job {job} successfully preempted\n"
    assert site.state(job) == "Suspended"
    assert "do not go together" in site.run("runjob", "-s", "-f", job).stderr
    assert "a job is needed" in site.run("runjob").stderr


def test_runjob_is_for_administrators_of_level_1_and_2(site, users):
    stopped(site)
    job = users.submit("nobody")
    for user in ("nobody", "games", "daemon"):
        assert users.refused(user, "runjob", job) == (
            f"ERROR:    user '{user}' is not authorized to run command 'runjob'\n")
    assert users.ok("bin", "runjob", job) == f"job '{job}' started on 1 proc\n"


def test_runjob_tells_each_job_as_json(site):
    stopped(site)
    job = site.submit()
    status, results = told(site, "runjob", job, "777")
    assert status == 1 and results[job]["ok"]
    assert results["777"] == {"job": "777", "ok": False, "code": "not_found",
                              "message": "cannot locate job '777'"}


# ---- setupri, setspri ----

def test_setupri_is_for_the_owner_and_administrators(site, users):
    job = users.submit("nobody", hold=True)
    assert users.ok("nobody", "setupri", 20, job) == "job user priority adjusted\n"
    assert "UserPriority:  20" in users.ok("nobody", "checkjob", job)
    assert users.ok("bin", "setupri", 0, job) == "job user priority adjusted\n"
    for user in ("games", "daemon"):
        assert users.refused(user, "setupri", 5, job) == (
            f"ERROR:    user {user} is not authorized to perform operation on job {job}\n")
    for wrong, says in (("101", "0 - 100, not 101"), ("-1", "0 - 100, not -1"),
                        ("much", "is not a whole number")):
        assert says in users.refused("nobody", "setupri", wrong, job)
    status, results = told(site, "setupri", 3, job)
    assert status == 0 and results[job]["message"] == "job user priority adjusted"


def test_a_negative_priority_needs_no_dashes_before_it(site):
    job = waiting(site)
    before = site.job(job)["priority"]
    assert site.ok("setspri", "-r", "-500", job) == "job system priority adjusted\n"
    assert site.job(job)["priority"] <= before - 400
    assert site.ok("setspri", "-r", "--", "-600", job) == "job system priority adjusted\n"


# ---- deadlines ----

def test_a_deadline_is_set_shown_and_released(site):
    job = waiting(site, wclimit_s=600)
    assert site.ok("setdeadline", job, "+2:00:00") == f"deadline of job {job} set\n"
    assert abs(site.job(job)["deadline_at"] - time.time() - 7200) < 10
    lines = site.ok("showdeadline").splitlines()
    assert lines[0].split() == ["JOBNAME", "USERNAME", "STATE", "REMAINING", "DEADLINE",
                                "ENDTIME"]
    assert lines[2].split()[:3] == [job, ME, "Idle"] and \
        lines[2].split()[3] in ("1:59:59", "2:00:00", "1:59:58")
    assert lines[-1] == "1 job with a deadline"
    assert [o["id"] for o in site.lines("showdeadline")] == [job]
    assert "Deadline: " in site.ok("checkjob", job)
    assert site.ok("releasedeadline", job) == f"deadline of job {job} released\n"
    assert site.ok("showdeadline").splitlines()[-1] == "0 jobs with a deadline"
    assert "Deadline: " not in site.ok("checkjob", job)


def test_deadlines_are_for_administrators_of_level_1(site, users):
    job = users.submit("nobody", hold=True)
    for user in ("nobody", "bin", "daemon"):
        assert "not authorized to run command 'setdeadline'" in users.refused(
            user, "setdeadline", job, "+1:00:00")
        assert "not authorized to run command 'setdeadline'" in users.refused(
            user, "releasedeadline", job)
    site.ok("setdeadline", job, "+1:00:00")
    assert job in users.ok("daemon", "showdeadline", job)
    for user, told in (("nobody", True), ("daemon", True), ("games", False)):
        lines = users.api(user, "/v1/jobs?fields=id,deadline_at")[1].splitlines()
        assert ("deadline_at" in json.loads(lines[1])) == told, (user, lines)
        lines = users.api(user, "/v1/jobs?fields=id,deadline_at&table=1")[1].splitlines()
        assert (lines[-1] != f"{job}\t") == told, (user, lines)
        # nor is it found by asking who has one
        for query in ("deadline=1&fields=id", "deadline=1&fields=id&table=1", "q=deadline:1&fields=id"):
            found = users.api(user, f"/v1/jobs?{query}")[1]
            ids = re.findall(r"(?m)^%s$|\"id\": ?\"%s\"|'id': '%s'" % (job, job, job), str(found))
            assert bool(ids) == told, (user, query, found)
    assert "not authorized" in users.run("nobody", "showdeadline").stderr


def test_impossible_deadlines_are_refused(site):
    job = waiting(site)
    for words, says in (((job, "1000"), "has passed already"),
                        ((job, "soon"), "soon"), ((job, "INFINITY"), "releasedeadline"),
                        (("777", "+1:00"), "cannot locate job '777'"),
                        ((job,), "expected a job and a time")):
        done = site.run("setdeadline", *words)
        assert done.returncode == 1 and says in done.stderr, done


# ---- which jobs ----

def results(live, verb, **order):
    status, answer = live.api(f"/v1/orders/{verb}", order)
    assert status == 200, answer
    return answer["results"]


def test_lists_and_expressions_choose_jobs_once_each(site):
    stopped(site)
    jobs = [site.submit() for _ in range(12)]
    done = results(site, "hold", jobs=["1,2,3", "[1-3]", "1[0-2]", "ALL"])
    assert [r["job"] for r in done] == ["1", "2", "3", "10", "11", "12", "4", "5", "6", "7",
                                        "8", "9"]
    assert site.ok("releasehold", "1[0-2]", "3,4") == "job holds adjusted\n"
    held = {j for j in jobs if site.job(j).get("holds")}
    assert held == {"1", "2", "5", "6", "7", "8", "9"}
    done = site.run("canceljob", "1,77,2")
    assert done.stdout.splitlines() == ["job '1' cancelled", "job '2' cancelled"]
    assert (done.returncode, done.stderr) == (1, "ERROR:    cannot locate job '77'\n")
    for wrong, says in (("[", "invalid job expression received ([): "),
                        ("x.*", "invalid job expression received (x.*)"),
                        ("", "an empty job expression")):
        done = site.run("canceljob", wrong)
        assert done.returncode == 1 and says in done.stderr, done


def test_with_usejobregex_a_part_of_the_id_will_do(daemon):
    daemon.configure("USEJOBREGEX YES\n")
    daemon.start()
    stopped(daemon)
    for _ in range(12):
        daemon.submit()
    assert [r["job"] for r in results(daemon, "hold", jobs=["2"])] == ["2", "12"]
    assert [r["job"] for r in results(daemon, "hold", jobs=["^2$"])] == ["2"]
    assert [r["job"] for r in results(daemon, "hold", jobs=["^1"])] == ["1", "10", "11", "12"]
    # who says that it is an id means that job, or none
    assert [r["job"] for r in results(daemon, "cancel", jobs=["2"], exact=True)] == ["2"]
    for none in ("2", "1[0-2]", "ALL", "3,4", ""):
        refused, = results(daemon, "cancel", jobs=[none], exact=True)
        assert (refused["job"], refused["ok"], refused["code"]) == (none, False, "not_found")
    assert daemon.api("/v1/orders/cancel", {"where": {"user": "x"}, "exact": True})[0] == 400
    tried = {"order": {"order": "cancel", "request": {"jobs": ["1[0-2]", "3"], "exact": True}}}
    status, answer = daemon.api("/v1/whatif", {"changes": [tried]})
    assert status == 200 and [(j["job"], j["ok"]) for j in answer["changes"][0]["jobs"]] == [
        ("1[0-2]", False), ("3", True)]
    left = {str(n) for n in range(1, 13)} - {"2"}
    daemon.wait(lambda: {j["id"] for j in daemon.api("/v1/jobs")[1][1:]
                         if j["section"] != "completed"} == left, "the end of that one alone")


def test_orders_have_an_end(site):
    stopped(site)
    job = site.submit()
    done = site.run("sethold", ",".join([job] * 10001))
    assert done.returncode == 1
    assert "too many job expressions: one order takes at most 10000" in done.stderr
    done = site.run("sethold", *[f"{i}.*" for i in range(40)])
    assert "too many regular expressions: one order takes at most 32" in done.stderr
    done = site.run("sethold", "1" * 2000)
    assert "regular expression too long. (2000 > 1023)" in done.stderr


def test_all_means_all_that_i_may(site, users):
    stopped(site)
    mine, other = users.submit("nobody"), site.submit()
    assert users.ok("nobody", "canceljob", "ALL") == f"job '{mine}' cancelled\n"
    assert site.state(other) == "Idle"
    assert users.refused("nobody", "canceljob", ".*") == (
        f"ERROR:    user nobody is not authorized to perform operation on job {other}\n")


def test_conditions_choose_jobs(site, users):
    stopped(site)
    theirs = users.submit("nobody", name="theirs")
    held, named = site.submit(hold=True), site.submit(name="x1", account="physics")
    choice = [r["job"] for r in results(site, "hold", where={"user": "nobody"},
                                         kinds=["user"])]
    assert choice == [theirs]
    assert [r["job"] for r in results(site, "hold", where={"state": "UserHold"})] == [
        theirs, held]
    assert [r["job"] for r in results(
        site, "hold", where={"jobname": "x1", "account": "physics"})] == [named]
    assert results(site, "hold", where={"jobname": "x2"})[0]["message"] == \
        "no job matches the conditions given"
    assert users.refused("games", "mjobctl", "-h", "-w", "jobname=x1") == (
        "ERROR:    no job matches the conditions given\n")
    status, answer = site.api("/v1/orders/hold", {"where": {"usr": "nobody"}})
    assert status == 400 and "did you mean 'user'?" in answer["error"]["message"]


# ---- holds, priorities, QOS, cancel: who may ----

def test_user_holds_are_for_owners_others_for_administrators(site, users):
    stopped(site)
    job = users.submit("nobody")
    assert users.ok("nobody", "sethold", "-u", job) == "job holds adjusted\n"
    assert site.job(job)["holds"] == ["user"]
    assert users.ok("nobody", "releasehold", job) == "job holds adjusted\n"
    for kind, word in (("-b", "batch"), ("-s", "system")):
        assert users.refused("nobody", "sethold", kind, job) == (
            f"ERROR:    job {job}: nobody may not set or release a {word} hold: only "
            "administrators of level 1 or 2 may\n")
        assert users.ok("bin", "sethold", kind, job) == "job holds adjusted\n"
        assert site.job(job)["holds"] == [word]
        assert "may not set or release" in users.refused("nobody", "releasehold", kind, job)
        assert users.ok("bin", "releasehold", kind, job) == "job holds adjusted\n"
    for user in ("games", "daemon"):
        for command in ("sethold", "releasehold"):
            assert users.refused(user, command, "-u", job) == (
                f"ERROR:    user {user} is not authorized to perform operation on job {job}\n")
    site.ok("sethold", "-a", job)
    assert sorted(site.job(job)["holds"]) == ["batch", "system", "user"]
    status, results = told(site, "releasehold", "-a", job)
    assert status == 0 and results[job]["message"] == "job holds adjusted"
    assert "a job is needed" in site.run("sethold", "-b").stderr


def test_who_releases_is_told_what_remains_and_who_may_release_it(site, users):
    job = users.submit("nobody", requests=[{"tasks": 20}])
    site.wait(lambda: site.job(job)["shown_state"] == "Deferred", "the deferral")
    assert users.ok("nobody", "releasehold", "-a", job) == "job holds adjusted\n"
    site.wait(lambda: site.job(job)["shown_state"] == "Deferred", "another deferral")
    site.ok("sethold", "-b", job)
    assert users.ok("nobody", "releasehold", job) == (
        f"job holds adjusted; job {job} keeps a batch hold, which administrators of level 1 "
        "and 2 may release\n")
    for words in (("-a", job), (job,), ("-u", job), ("-a", "ALL")):
        assert users.refused("nobody", "releasehold", *words) == (
            f"ERROR:    job {job}: nothing was released: it has a batch hold, which "
            "administrators of level 1 and 2 may release\n")
    assert "may not set or release a batch hold" in users.refused(
        "nobody", "releasehold", "-b", job)
    assert users.ok("bin", "releasehold", "-s", "ALL") == "no such hold is on the job\n"
    assert "has a batch hold" in users.refused("bin", "releasehold", "-s", job)
    assert users.ok("bin", "releasehold", job) == "job holds adjusted\n"
    site.ok("canceljob", "ALL")
    site.wait(lambda: "Total Jobs: 0 " in site.ok("showq"), "the end of the job")
    assert site.run("canceljob", "ALL").stderr == "ERROR:    there is no job\n"


def test_an_owner_releases_no_deferral_that_an_administrator_made(site, users):
    stopped(site)
    job = users.submit("nobody")
    site.ok("mjobctl", "-h", "defer", job)
    assert users.refused("nobody", "releasehold", job) == (
        f"ERROR:    job {job}: nothing was released: it has a defer hold, which "
        "administrators of level 1 and 2 may release\n")
    assert site.job(job)["holds"] == ["defer"]


def test_system_priorities_are_for_administrators_of_level_1_and_2(site, users):
    stopped(site)
    job = users.submit("nobody")
    for user in ("nobody", "daemon"):
        assert users.refused(user, "setspri", 5, job) == (
            f"ERROR:    user '{user}' is not authorized to run command 'setspri'\n")
    assert users.ok("bin", "setspri", 5, job) == "job system priority adjusted\n"
    assert site.job(job)["system_priority"] == 5
    status, results = told(site, "setspri", 1001, job)
    assert status == 1 and "1001 is out of range" in results[job]["message"]
    assert users.ok("bin", "setspri", 0, job) == "job system priority adjusted\n"
    for words, says in ((("5",), "a priority and a job are needed"),
                        (("high", job), "is not a whole number"),
                        (("5", "77"), "cannot locate job '77'")):
        done = site.run("setspri", *words)
        assert done.returncode == 1 and says in done.stderr, done


def test_owners_choose_among_their_qos_administrators_any(daemon):
    daemon.configure(LEVELS + "QOSCFG[high] PRIORITY=10\nQOSCFG[low] PRIORITY=1\n"
                     "USERCFG[nobody] QLIST=low\n")
    daemon.start()
    stopped(daemon)
    users = Users(daemon)
    job = users.submit("nobody")
    assert users.ok("nobody", "setqos", "low", job) == "job QOS adjusted\n"
    assert daemon.job(job)["qos"] == "low"
    assert users.refused("nobody", "setqos", "high", job) == (
        f"ERROR:    QOS high is not accessible to job {job}; accessible: DEFAULT, low\n")
    assert "'highest'" in users.refused("nobody", "setqos", "highest", job)
    assert users.ok("bin", "setqos", "high", job) == "job QOS adjusted\n"
    assert daemon.job(job)["qos"] == "high"
    assert "is not authorized to perform operation" in users.refused(
        "daemon", "setqos", "low", job)
    status, results = told(daemon, "setqos", "low", job)
    assert status == 0 and results[job]["ok"]


def test_jobs_are_cancelled_by_owners_and_administrators(site, users):
    stopped(site)
    job, other = users.submit("nobody"), users.submit("nobody")
    for user in ("games", "daemon"):
        assert users.refused(user, "canceljob", job) == (
            f"ERROR:    user {user} is not authorized to perform operation on job {job}\n")
    assert users.ok("nobody", "canceljob", job) == f"job '{job}' cancelled\n"
    status, results = told(site, "canceljob", other, job)
    assert status == 1 and results[other]["message"] == f"job '{other}' cancelled"
    assert results[job]["code"] == "not_found"
    assert "a job is needed" in site.run("canceljob").stderr


def test_commands_without_a_meaning_are_absent_and_say_what_has_one(site, users):
    for words, says in ((("migratejob", "1"), "mjobctl -m partition=NAME"),
                        (("query", "x"), "--format json"), (("mgridctl",), "no grids"),
                        (("mnodectl", "-q", "node01"), "checknode")):
        done = site.run(*words)
        assert (done.returncode, done.stdout) == (1, ""), done
        assert done.stderr.startswith(f"maui: '{words[0]}' is unsupported: ")
        assert says in done.stderr
        assert f"\n  {words[0]} " not in site.ok("--help")
    # Nobody starts a scheduler by asking what there is.
    alone = site.run()
    assert alone.returncode == 1 and alone.stderr == site.ok("--help")


# ---- deadlines that are at risk ----

def test_checkjob_tells_a_deadline_that_cannot_be_met(site):
    running(site, requests=[{"tasks": 8}], wclimit_s=3600)
    job = site.submit(wclimit_s=3000)
    site.ok("setdeadline", job, "+1:00:00")
    site.wait(lambda: "deadline" in site.ok("checkjob", job), "the verdict")
    text = site.ok("checkjob", job)
    assert "Deadline: " in text
    assert "cannot" in text or "late" in text or "no place" in text, text


def test_a_command_waits_as_long_as_it_is_told(site):
    os.kill(site.pid(), signal.SIGSTOP)
    try:
        site.env["CLIENTTIMEOUT"] = "1"
        begin = time.monotonic()
        done = site.run("showq")
        assert done.returncode == 1 and "cannot request service" in done.stderr
        assert time.monotonic() - begin < 20
    finally:
        os.kill(site.pid(), signal.SIGCONT)
    del site.env["CLIENTTIMEOUT"]
    assert site.ok("showq")
