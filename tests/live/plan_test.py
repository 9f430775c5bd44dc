# SPDX-License-Identifier: Apache-2.0
"""BACKFILLPOLICY PLAN in the daemon: users see by when they start, a kill forgets nothing."""
from commands_test import tasks
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
