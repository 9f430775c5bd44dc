# SPDX-License-Identifier: Apache-2.0
"""BACKFILLPOLICY PLAN in the daemon: users see by when they start, a kill forgets nothing."""
import os
import re
import time

from commands_test import tasks
from live_users import Other
from native_test import USERS, native  # noqa: F401
from notify_test import events, tool, wait_told
from orders_test import running

PLAN = "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISESLACK 0:10:00\nPROMISETIGHTEN FALSE\n"


def promised(daemon, job):
    return daemon.wait(lambda: (daemon.job(job) or {}).get("promised_by"), "the promise")


def test_a_waiting_job_is_promised_a_start_which_outlives_a_kill(daemon):
    daemon.configure(PLAN)
    daemon.start()
    first = running(daemon, requests=tasks(8), wclimit_s=600)
    wide = daemon.submit(requests=tasks(8), wclimit_s=600)
    by = promised(daemon, wide)
    assert by - daemon.job(first)["end_at"] in range(590, 611)
    small = daemon.submit(requests=tasks(1), wclimit_s=60)
    promised(daemon, small)
    assert "\nPromisedBy: " in daemon.ok("checkjob", wide)
    assert "Promised to start by" in daemon.ok("showstart", wide)
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: (daemon.job(wide) or {}).get("reservation_at"), "the plan")
    assert promised(daemon, wide) == by
    assert daemon.job(wide)["reservation_at"] <= by


def test_who_is_over_a_limit_is_promised_a_start_which_outlives_a_kill(daemon):
    daemon.configure(PLAN + "USERCFG[DEFAULT] MAXJOB=1\n")
    other = Other(daemon)
    daemon.start()
    first = running(daemon, requests=tasks(1), wclimit_s=600)
    second = daemon.submit(requests=tasks(1), wclimit_s=300)
    third = daemon.submit(requests=tasks(1), wclimit_s=300)
    by = [promised(daemon, job) for job in (second, third)]
    assert by[0] - daemon.job(first)["end_at"] in range(590, 611)
    assert by[1] - by[0] == 300
    theirs = other.submit(requests=tasks(1), wclimit_s=60)
    daemon.wait(lambda: daemon.job(theirs)["state"] in ("Starting", "Running"), "the start")
    told = daemon.ok("checkjob", third)
    assert "\nPromisedBy: " in told and "has a reservation that begins" in told
    told = daemon.run("showstart", third)
    assert "Promised to start by" in told.stdout and told.stderr == ""
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: (daemon.job(third) or {}).get("reservation_at"), "the plan")
    assert [promised(daemon, job) for job in (second, third)] == by
    assert daemon.job(second)["state"] == "Idle"
    daemon.ok("canceljob", first)
    daemon.wait(lambda: daemon.job(second)["state"] in ("Starting", "Running"), "the start")
    assert daemon.job(third)["state"] == "Idle"


def test_who_asks_before_there_is_a_promise_is_told_how_many_are_ahead(daemon):
    daemon.configure(PLAN.replace("SUBMIT", "0:01:00"))
    owner = Other(daemon)
    daemon.start()
    running(daemon, requests=tasks(8), wclimit_s=3600)
    daemon.submit(requests=tasks(8), wclimit_s=600)
    job = owner.submit(requests=tasks(8), wclimit_s=600)
    daemon.wait(lambda: (daemon.job(job) or {}).get("reservation_at"), "its place")
    assert not daemon.job(job).get("promised_by")
    assert "\nNo promise yet (1 waiting job is ahead)\n" in owner.ok("showstart", job)


def test_what_cannot_be_kept_is_promised_no_longer(daemon):
    daemon.configure(PLAN)
    daemon.start()
    first = running(daemon, requests=tasks(8), wclimit_s=600)
    job = daemon.submit(requests=tasks(8), wclimit_s=600)
    promised(daemon, job)
    daemon.ok("sethold", "-u", job)
    daemon.wait(lambda: not daemon.job(job).get("promised_by"), "the end of the promise")
    assert "Promised to start by" not in daemon.run("showstart", job).stdout
    daemon.ok("releasehold", "-u", job)
    promised(daemon, job)
    daemon.ok("canceljob", first)
    daemon.wait(lambda: daemon.job(job)["state"] in ("Starting", "Running"), "the start")
    assert not daemon.job(job).get("promised_by")


def test_who_is_put_off_by_an_order_is_told_why_and_so_is_the_site(daemon):
    tool(daemon, "notify")
    daemon.configure(PLAN.replace("0:10:00", "0") + "NOTIFICATIONPROGRAM notify\n")
    owner = Other(daemon)
    daemon.start()
    running(daemon, requests=tasks(4), wclimit_s=45)
    wide = owner.submit(requests=tasks(8), wclimit_s=600)
    by = promised(daemon, wide)
    long = daemon.submit(requests=tasks(1), wclimit_s=3000)
    daemon.wait(lambda: (daemon.job(long) or {}).get("reservation_at"), "its place")
    assert daemon.job(long)["reservation_at"] >= by
    daemon.ok("runjob", "-x", long)
    event = daemon.wait(lambda: events(daemon, "JOBPUTOFF"), "the event")[0]
    assert (event["object"], event["user"], event["cause"]) == (wide, "nobody", "order")
    assert event["was_promised_by"] == by < event["promised_by"]
    assert "started by order" in wait_told(daemon, "JOBPUTOFF:  ")
    assert "but another job was started by order" in owner.ok("showstart", wide)
    assert "but another job was started by order" in owner.ok("checkjob", wide)
    daemon.kill()
    daemon.start()
    again = daemon.wait(lambda: daemon.job(wide), "the job")
    assert again["was_promised_by"] == by and again["promised_by"] >= event["promised_by"]
    daemon.wait(lambda: time.time() > by + 1, "the end of that", 90)
    daemon.run("canceljob", "1")  # at its limit
    daemon.ok("canceljob", long)
    daemon.wait(lambda: daemon.job(wide)["state"] in ("Starting", "Running"), "the start")
    assert re.search(r"Promises Broken: +1 \(order 1\)\n", daemon.ok("showstats"))


def test_a_limit_that_is_lowered_is_told_at_once(daemon):
    tool(daemon, "notify")
    daemon.configure(PLAN.replace("0:10:00", "0") + "USERCFG[DEFAULT] MAXPROC=8\nNOTIFICATIONPROGRAM notify\n")
    daemon.start()
    running(daemon, requests=tasks(8), wclimit_s=900)
    jobs = [daemon.submit(requests=tasks(2), wclimit_s=300) for _ in range(2)]
    by = [promised(daemon, job) for job in jobs]
    assert by[0] == by[1]
    daemon.ok("changeparam", "USERCFG[DEFAULT]", "MAXPROC=2")
    event = daemon.wait(lambda: events(daemon, "JOBPUTOFF"), "the event")[0]
    assert (event["object"], event["cause"]) == (jobs[1], "settings")
    assert event["was_promised_by"] == by[1] and event["promised_by"] == by[1] + 300
    assert daemon.job(jobs[0])["promised_by"] == by[0]
    says = "the parameters of the site were changed"
    assert "but " + says in daemon.ok("showstart", jobs[1])
    daemon.ok("changeparam", "BACKFILLPOLICY", "FIRSTFIT")  # where nothing is promised
    told = daemon.wait(lambda: events(daemon, "JOBPUTOFF")[1:], "the events")
    assert {(e["object"], e["cause"], e["text"].partition(": ")[2]) for e in told} == {
        (job, "settings", f"its promised start lapses: {says}") for job in jobs}
    one, names = wait_told(daemon, "JOBPUTOFF:  2 ").rsplit(": ", 1)
    assert one == f"JOBPUTOFF:  2 jobs: their promised starts cannot be: {says}"
    assert sorted(names.split()) == [f"'{job}'" for job in jobs]
    assert re.search(r"Promises Broken: +0\nPromises Lapsed: +2\n", daemon.ok("showstats"))
    assert {row["cause_text"] for row in daemon.api("/v1/promises")[1]} == {says}


def test_who_stays_behind_a_limit_that_is_planned_is_told_for_whom(daemon):
    daemon.configure(PLAN + "PLANDEPTH 1\nUSERCFG[DEFAULT] MAXPROC=4\n")
    daemon.start()
    running(daemon, requests=tasks(2), wclimit_s=600)
    first = daemon.submit(requests=tasks(4), wclimit_s=600)
    promised(daemon, first)
    behind = daemon.submit(requests=tasks(2), wclimit_s=6000)
    told = daemon.wait(lambda: re.search(r"MAXPROC .*", daemon.ok("checkjob", behind)), "why")
    assert f"on, when job {first} is to start," in told[0]
    assert "violates" not in daemon.ok("checkjob", behind)
    assert "job cannot run in partition DEFAULT (" in daemon.ok("checkjob", behind)
    assert "No promise yet (" in daemon.ok("showstart", behind)
    # with a soft limit nothing is planned ahead: who is over the hard one waits for that alone
    daemon.ok("changeparam", "USERCFG[DEFAULT]", "MAXPROC=2,4")
    daemon.wait(lambda: "(hard)" in daemon.ok("checkjob", first), "the limit")
    told = daemon.run("showstart", first)
    assert "MAXPROC 4 (hard)" in told.stderr and "No promise yet" not in told.stdout


def test_who_starts_by_the_first_promise_was_kept_it(daemon):
    daemon.configure(PLAN.replace("0:10:00", "0"))
    daemon.start()
    first = running(daemon, requests=tasks(8), wclimit_s=600)
    job = daemon.submit(requests=tasks(8), wclimit_s=60)
    by = promised(daemon, job)
    daemon.ok("setres", "-s", "+0:09:00", "-d", "3:00:00", "ALL")
    daemon.wait(lambda: daemon.job(job)["promised_by"] > by, "that it is put off")
    assert daemon.job(job)["was_promised_by"] == by
    daemon.ok("canceljob", first)
    daemon.wait(lambda: daemon.job(job)["state"] in ("Starting", "Running"), "the start")
    assert re.search(r"Promises Broken: +0\n", daemon.ok("showstats"))


def test_a_hold_lapses_a_promise_and_that_is_an_event(daemon):
    daemon.configure(PLAN)
    daemon.start()
    running(daemon, requests=tasks(8), wclimit_s=600)
    job = daemon.submit(requests=tasks(8), wclimit_s=600)
    by = promised(daemon, job)
    daemon.ok("sethold", "-u", job)
    event = daemon.wait(lambda: events(daemon, "JOBPUTOFF"), "the event")[0]
    assert event["was_promised_by"] == by and "promised_by" not in event
    assert "lapses: it is held" in event["text"]
    assert re.search(r"Promises Lapsed: +1\n", daemon.ok("showstats"))


def test_a_lost_node_breaks_a_promise_and_who_and_what_is_told(native):
    """The job cannot start at all then, and is promised nothing until the node is back."""
    tool(native, "notify")
    native.section(nodes=f"file://{native.home}/nodes")
    with open(f"{native.home}/maui.cfg", "a") as f:
        f.write(PLAN.replace("0:10:00", "0") + "NOTIFICATIONPROGRAM notify\nDEFERTIME 1\n")

    def tell(state):
        with open(f"{native.home}/nodes.new", "w") as f:
            f.write(f"n1 STATE=Idle CPROC=2\nn2 STATE={state} CPROC=2\n")
        os.rename(f"{native.home}/nodes.new", f"{native.home}/nodes")

    def put_off(n):
        return native.wait(lambda: events(native, "JOBPUTOFF")[n:], "the event")[0]

    tell("Idle")
    native.start()
    first = native.submit_as(USERS[0], "sleep 5", "-t", 1, "-l", 6)
    native.until(first, "Running")
    wide = native.submit_as(USERS[-1], "sleep 600", "-t", 4, "-l", 600)
    by = promised(native, wide)
    tell("Down")
    event = put_off(0)
    assert (event["object"], event["user"], event["cause"]) == (wide, USERS[-1], "nodes")
    assert event["was_promised_by"] == by and "promised_by" not in event
    assert "nodes were lost or changed" in wait_told(native, "JOBPUTOFF:  ")
    native.kill()
    native.start()
    native.wait(lambda: time.time() > by + 1 and native.job(wide), "the end of that")
    says = "but nodes were lost or changed"
    assert says in native.run("showstart", wide).stderr and says in native.ok("checkjob", wide)
    row = native.api("/v1/promises")[1]
    assert (row["id"], row["outcome"], row["cause_text"]) == (wide, "waiting", says[4:])
    tell("Idle")
    native.until(wide, "Running")
    event = put_off(1)
    assert event["was_promised_by"] == by < event["promised_by"] and event["cause"] == "nodes"
    assert re.search(r"Promises Broken: +1 \(nodes 1\)\nPromises Lapsed: +0\n", native.ok("showstats"))


def test_starts_are_expected_by_what_jobs_took_before_and_that_outlives_a_kill(daemon):
    daemon.configure(PLAN)
    daemon.start()
    for _ in range(3):  # a second each, of ten minutes asked for
        job = daemon.submit("true", requests=tasks(8), wclimit_s=600)
        daemon.wait(lambda: (daemon.job(job) or {"section": "completed"})["section"] == "completed", "the end")
    owner = Other(daemon)
    first = running(daemon, requests=tasks(8), wclimit_s=600)
    job = owner.submit(requests=tasks(8), wclimit_s=600)

    def expected():
        record = daemon.job(job) or {}
        if not record.get("expected_at") or not record.get("reservation_at"):
            return None
        return record["reservation_at"] - record["expected_at"]

    sooner = daemon.wait(expected, "what is expected")
    assert sooner > 400  # the one that runs is expected to end soon
    record = daemon.job(job)
    assert record["expected_at"] <= record["promised_by"]
    assert "\nExpectedAt: " in owner.ok("checkjob", job)
    assert "Expected to start in" in owner.ok("showstart", job)
    daemon.kill()
    daemon.start()
    assert daemon.wait(expected, "the same from accounting") > 300
    daemon.ok("canceljob", first)
    daemon.wait(lambda: (daemon.job(job) or {}).get("state") in ("Starting", "Running"), "the start")
    assert re.search(r"Starts Expected: +1\n", daemon.ok("showstats"))
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: "Starts Expected:" in daemon.run("showstats").stdout, "the figure")
    daemon.configure(PLAN + "PREDICTION NONE\n")
    daemon.ok("schedctl", "-R")
    other = owner.submit(requests=tasks(8), wclimit_s=600)
    promised(daemon, other)
    assert "expected_at" not in (daemon.job(other) or {})
