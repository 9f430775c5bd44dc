# SPDX-License-Identifier: Apache-2.0
"""What is used up, and what became of standing reservations, over restarts."""
import json
import sqlite3
import time

FAIRSHARE = "FSPOLICY DEDICATEDPS\nFSINTERVAL 24:00:00\nFSDEPTH 2\n"
STANDING = ("SRCFG[fast] USERLIST=ann HOSTLIST=node01 PERIOD=DAY STARTTIME=0:00:00 ENDTIME=24:00:00\n")


def kept(live, kind):
    """Records as they are on the disk, by key."""
    db = sqlite3.connect(f"file:{live.home}/state.db?mode=ro", uri=True)
    try:
        rows = db.execute("SELECT key, value FROM record WHERE kind = ?", (kind,)).fetchall()
    finally:
        db.close()
    return {key: json.loads(value) for key, value in rows}


def used_by(live, name):
    return sum(kept(live, "fairshare").get(name, {"windows": []})["windows"])


def statistics(live):
    status, answer = live.api("/v1/statistics")
    assert status == 200, answer
    return answer


def instances(live, base):
    status, answer = live.api("/v1/reservations")
    assert status == 200, answer
    return [r["name"] for r in answer if r.get("name", "").startswith(base + ".")]


def test_a_running_job_is_charged_for_the_time_without_a_daemon(daemon):
    daemon.configure(FAIRSHARE)
    daemon.start()
    job = daemon.submit(requests=[{"tasks": 2}])
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    began = time.time()
    user = daemon.job(job)["user"]
    daemon.kill()
    time.sleep(3)
    daemon.start()
    daemon.wait(lambda: daemon.state(job) == "Running", "the job")
    daemon.ok("canceljob", job)
    daemon.wait(lambda: used_by(daemon, "all"), "the record")
    ran = time.time() - began
    used = used_by(daemon, f"user:{user}")
    assert used == used_by(daemon, "all")
    assert 2 * (ran - 2) <= used <= 2 * (ran + 2), (used, ran)
    # and a second restart changes nothing: whoever does nothing keeps what it used
    daemon.kill()
    daemon.start()
    other = daemon.submit("true")
    daemon.wait(lambda: daemon.job(other) is None, "its end")
    assert used <= used_by(daemon, f"user:{user}") <= used + 3


def test_a_job_that_ended_without_a_daemon_counts(daemon):
    daemon.configure(FAIRSHARE)
    daemon.start()
    job = daemon.submit("sleep 2", requests=[{"tasks": 3}])
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    user = daemon.job(job)["user"]
    daemon.kill()
    time.sleep(4)
    daemon.start()
    daemon.wait(lambda: used_by(daemon, "all"), "the record")
    assert 3 <= used_by(daemon, f"user:{user}") <= 9
    sums = kept(daemon, "statistics")["system"]
    assert sums["sums.jobs"] == 1 and 3 <= sums["sums.ps_run"] <= 9, sums
    accounts = daemon.api("/v1/accounting")[1]
    assert [a["id"] for a in (accounts if isinstance(accounts, list) else [accounts])
            if a.get("id") == job] == [job]
    assert daemon.api("/v1/jobs")[0] == 200 and daemon.job(job) is None


def test_a_released_instance_is_not_made_again_by_a_restart(daemon):
    daemon.configure(STANDING)
    daemon.start()
    name = daemon.wait(lambda: instances(daemon, "fast"), "the instance")[0]
    status, answer = daemon.api(f"/v1/reservations/{name}", method="DELETE")
    assert status == 200, answer
    assert kept(daemon, "standing")[name]["released"]
    daemon.kill()
    daemon.start()
    job = daemon.submit()
    daemon.wait(lambda: daemon.state(job) == "Running", "a cycle")
    assert instances(daemon, "fast.0") == []


def test_an_instance_keeps_its_name_and_start(daemon):
    daemon.configure(STANDING)
    daemon.start()
    name = daemon.wait(lambda: instances(daemon, "fast"), "the instance")[0]
    before = daemon.api(f"/v1/reservations/{name}")[1]
    daemon.wait(lambda: kept(daemon, "standing"), "the record")
    daemon.kill()
    time.sleep(1.1)
    daemon.start()
    daemon.wait(lambda: instances(daemon, "fast"), "the instance again")
    after = daemon.api(f"/v1/reservations/{name}")[1]
    for key in ("name", "start_at", "end_at"):
        assert after.get(key) == before.get(key), key
