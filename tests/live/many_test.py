# SPDX-License-Identifier: Apache-2.0
"""Long queues, their readers, and those who submit much: nobody else waits for them."""
import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest

from guard_test import memory_mb
from live_daemon import ME, Connection

QUEUED = 2000
SPOOLED = 5000


def rows_of(text):
    """Of a table: ({name: cell} of each)."""
    names, *rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [dict(zip(names, row)) for row in rows]


def table(live, query):
    return rows_of(subprocess.run(
        ["curl", "-s", "-g", "--unix-socket", f"{live.home}/api.sock",
         f"http://maui/v1/jobs?table=1&{query}"], capture_output=True, text=True,
        check=True).stdout)


def test_a_table_tells_what_the_list_tells(live):
    live.submit(name="runs")
    live.submit(hold=True, name="held")
    live.submit(requests=[{"tasks": 8, "per_task": {"procs": 1}}])
    live.wait(lambda: "Running" in live.ok("showq"), "the start")
    fields = "id,section,shown_state,name,user,procs,wclimit_s,queue_at,start_at,backfilled"
    jobs = {j["id"]: j for j in live.api(f"/v1/jobs?fields={fields}")[1] if "id" in j}
    rows = table(live, f"fields={fields}")
    assert [r["id"] for r in rows] == list(jobs) and len(rows) == 3
    for row in rows:
        for name in fields.split(","):
            value = jobs[row["id"]].get(name)
            expected = "" if value is None else str(int(value) if value in (True, False)
                                                    else value)
            assert row[name] == expected, (row, name)


def test_what_was_acknowledged_is_in_every_later_list(live):
    over = threading.Event()

    def read():
        while not over.is_set():
            live.run("showq")

    live.submit(array=f"1-{QUEUED}", hold=True)
    readers = [threading.Thread(target=read) for _ in range(4)]
    for t in readers:
        t.start()
    try:
        for _ in range(10):
            job = live.submit(hold=True)
            assert f"\n{job} " in live.ok("showq")
            live.ok("canceljob", job)
            assert f"\n{job} " not in live.ok("showq")
    finally:
        over.set()
        for t in readers:
            t.join()


def test_jobs_start_whatever_readers_do(live):
    """16 of them in loops kept every start away for as long as they went on."""
    over = threading.Event()

    def read():
        while not over.is_set():
            live.run("showq", "--format", "json")

    live.submit(array=f"1-{QUEUED}", hold=True)
    readers = [threading.Thread(target=read) for _ in range(16)]
    for t in readers:
        t.start()
    try:
        for _ in range(5):
            job = live.submit("sleep 60")
            live.wait(lambda j=job: live.state(j) == "Running", "the start", 10)
            live.ok("canceljob", job)
    finally:
        over.set()
        for t in readers:
            t.join()


def test_submissions_of_others_come_between_those_of_an_array(live):
    answers, begin = [], time.monotonic()
    array = threading.Thread(target=lambda: answers.append(
        live.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "wclimit_s": 60, "hold": True,
                              "directory": "/", "array": f"1-{2 * QUEUED}"})))
    array.start()
    meanwhile = 0
    while array.is_alive():
        live.submit(hold=True)
        meanwhile += 1
    array.join()
    status, answer = answers[0]
    assert status == 200 and len(answer["ids"]) == 2 * QUEUED
    assert meanwhile > 1, time.monotonic() - begin  # one alone would have waited for the end
    live.kill()
    live.start()
    assert len(table(live, "fields=id")) == 2 * QUEUED + meanwhile


@pytest.mark.parametrize("whole", ["ALL", "{}"])
def test_a_cancelled_array_is_made_no_further(live, whole):
    """Those under way are cancelled as they are made, and a restart brings none back."""
    answers = []
    array = threading.Thread(target=lambda: answers.append(
        live.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "wclimit_s": 60, "hold": True,
                              "directory": "/", "array": f"1-{20 * QUEUED}"})))
    array.start()
    made = live.wait(lambda: table(live, "fields=id"), "the first of the array")
    expr = whole.format(made[0]["id"].split("[")[0])
    live.ok("canceljob", expr)
    array.join()
    status, answer = answers[0]
    assert status == 409 and "was cancelled by" in str(answer), answer
    live.wait(lambda: not table(live, "fields=id"), "an empty queue")
    live.kill()
    live.start()
    assert not table(live, "fields=id")


def test_an_array_whose_client_left_is_made_no_further(live):
    """Who pressed ^C, or was told of a timeout, has no jobs that nobody asked for."""
    client = subprocess.Popen([live.program, "msub", "-h", "-t", f"1-{20 * QUEUED}",
                               "--", "true"], env=live.env, cwd=live.home)
    live.wait(lambda: table(live, "fields=id"), "the first of the array")
    client.kill()
    client.wait()
    live.wait(lambda: not table(live, "fields=id"), "an empty queue", 60)
    live.kill()
    live.start()
    assert not table(live, "fields=id")


def test_an_array_may_take_longer_than_an_answer(live):
    """As long as the daemon answers others it is waited for, and so is an order."""
    live.env["CLIENTTIMEOUT"] = "1"
    try:
        done = live.run("msub", "-h", "-t", f"1-{2 * QUEUED}", "--", "true")
        assert done.returncode == 0, done.stderr
        assert len(table(live, "fields=id")) == 2 * QUEUED
        done = live.run("canceljob", "ALL")
        assert done.returncode == 0, done.stderr
        os.kill(live.pid(), signal.SIGSTOP)
        done = live.run("canceljob", "ALL")
        os.kill(live.pid(), signal.SIGCONT)
        assert done.returncode == 1 and "Timeout was reached" in done.stderr
    finally:
        del live.env["CLIENTTIMEOUT"]


@pytest.mark.parametrize("name, whose", [("MAXSUBMITJOBSPERUSER", "user "),
                                         ("MAXSUBMITJOBS", "the scheduler ")])
def test_more_jobs_than_may_be_are_refused_with_the_numbers(daemon, name, whose):
    daemon.configure(f"{name} 5\n")
    daemon.start()
    job = {"script": "#!/bin/sh\nsleep 9\n", "wclimit_s": 60, "hold": True}
    status, answer = daemon.api("/v1/jobs", dict(job, array="1-6"))
    message = answer["error"]["message"]
    assert status == 409 and message.startswith(whose) and "has 0 jobs" in message
    assert f"5 at a time ({name}): 6 more" in message
    status, answer = daemon.api("/v1/jobs", dict(job, array="1-5"))
    assert status == 200
    status, refused = daemon.api("/v1/jobs", job)
    assert status == 409 and "has 5 jobs" in refused["error"]["message"]
    daemon.ok("canceljob", answer["ids"][0])
    daemon.submit(hold=True)


def test_a_user_may_have_more_jobs_or_fewer_than_others(daemon):
    daemon.configure(f"MAXSUBMITJOBSPERUSER 1\nUSERCFG[{ME}] MAXSUBMITJOBS=2\n")
    daemon.start()
    for _ in range(2):
        daemon.submit(hold=True)
    refused = daemon.run("msub", "-h", "--", "true")
    assert refused.returncode == 1
    assert f"user {ME} has 2 jobs and may have 2 at a time (USERCFG[] MAXSUBMITJOBS)" \
        in refused.stderr
    daemon.ok("changeparam", f"USERCFG[{ME}]", "MAXSUBMITJOBS=-1")
    daemon.submit(hold=True)
    daemon.ok("changeparam", "USERCFG[DEFAULT]", "MAXSUBMITJOBS=3")
    daemon.submit(hold=True)


def test_arrays_that_are_too_large_are_told_so(live):
    for array, words in [("1-100001", "at most 100000 jobs"), ("0-999999", "at most 100000"),
                         ("1-2000000", "above 999999"), ("1000000", "above 999999"),
                         ("99999999999", "above 999999"), ("5-3", "does not rise")]:
        status, answer = live.api("/v1/jobs", {"script": "#!/bin/sh\n", "array": array})
        assert status == 400 and words in answer["error"]["message"], answer


def test_what_is_over_leaves_memory_and_spool(live):
    """Those who submit and cancel again and again cost no more than what is queued."""
    def folders():
        spool = pathlib.Path(live.home, "spool")
        return sum(len(list(spool.glob(of))) for of in ("jobs/*", "arrays/*"))

    def once():
        ids = live.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "wclimit_s": 60,
                                    "hold": True, "array": f"1-{QUEUED // 4}"})[1]["ids"]
        live.ok("canceljob", "ALL")
        live.wait(lambda: folders() == 0, "the spool's being empty", 40)
        return ids

    ran = live.submit("exit 3")
    live.wait(lambda: live.state(ran) is None and folders() == 0, "its folder's going")
    assert int(once()[0].split("[")[0]) == int(ran) + 1
    before = memory_mb(live)
    for _ in range(3):
        once()
    assert memory_mb(live) - before < 4
    assert any(r["id"] == ran and r["exit_status"] == 3
               for r in live.api("/v1/accounting?limit=10000")[1])
    live.kill()
    live.start()
    assert int(live.submit(hold=True)) > int(ran) + 4 # no number comes twice


def test_a_long_cancellation_leaves_others_their_turns(live):
    """It is carried out in slices; what was acknowledged holds when the daemon is killed."""
    ids = live.api("/v1/jobs", {"script": "#!/bin/sh\ntrue\n", "wclimit_s": 60, "hold": True,
                                "directory": "/", "array": f"1-{2 * QUEUED}"})[1]["ids"]
    answers, kept, between = [], [], 0
    order = {"jobs": [ids[0].split("[")[0] + "[]"]}

    def submit_while(thread):
        kept.append(live.submit(hold=True))
        while thread.is_alive():
            kept.append(live.submit(hold=True))

    def is_there(job):
        return (live.api(f"/v1/jobs/{job}")[1] or {}).get("state") == "Hold"

    cancel = threading.Thread(
        target=lambda: answers.append(live.api("/v1/orders/cancel", order)))
    other = threading.Thread(target=submit_while, args=(cancel,))
    cancel.start()
    other.start()
    while cancel.is_alive():
        between += not is_there(ids[0]) and is_there(ids[-1])
    cancel.join()
    other.join()
    status, answer = answers[0]
    done = [r["job"] for r in answer["results"] if r["ok"]]
    assert status == 200 and sorted(done) == sorted(ids)
    assert between and kept
    live.kill()
    live.start()
    live.wait(lambda: sorted(r["id"] for r in table(live, "fields=id"))
              == sorted(kept),
              "the array's being gone", 60)
    live.wait(lambda: len(os.listdir(f"{live.home}/spool/jobs")) == len(kept),
              "its folders' going", 120)
    rows = [r["id"] for r in live.api("/v1/accounting?limit=10000")[1] if "id" in r]
    assert sorted(rows) == sorted(ids)


def known_jobs(live):
    """That /metrics tells of; None: nobody listens yet."""
    connection = Connection(f"{live.home}/api.sock")
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    except OSError:
        return None
    finally:
        connection.close()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("maui_jobs{"))


def test_calls_are_answered_while_the_spool_is_read(live):
    """Nobody was, before the last of the jobs had been read: 25 s with 100,000."""
    for _ in range(5):
        live.submit(array=f"1-{SPOOLED // 5}", hold=True)
    live.stop()
    told, over = [], threading.Event()

    def ask():
        while not over.is_set():
            told.append(known_jobs(live))

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        live.start()
        live.wait(lambda: SPOOLED in told, "all jobs")
    finally:
        over.set()
        asking.join()
    assert any(n is not None and n < SPOOLED for n in told), told
    assert len(live.lines("showq", "-b")) >= SPOOLED
