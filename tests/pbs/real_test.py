# SPDX-License-Identifier: Apache-2.0
"""The PBS driver on a real OpenPBS or TORQUE (real.py). Where there is none recorded_test.py is
all there is, which is said."""
import json
import os
import pathlib
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "live")]
from live_daemon import wait_for  # noqa: E402
from real import SECONDS, USERS, lack, real_site  # noqa: E402

ALICE, BOB = USERS


@pytest.fixture
def idle(build):
    """A site whose daemon is not started."""
    why = lack()
    if why:
        pytest.skip(f"NOT TESTED on a real PBS: {why}")
    site = real_site(build / "src" / "client" / "maui")
    yield site
    site.end()


@pytest.fixture
def pbs(idle):
    idle.ok("serve")
    return idle


def of_openpbs(site):
    if site.torque:
        pytest.skip("OpenPBS alone has that")


def test_jobs_of_two_users_run_where_they_were_put(pbs):
    a = pbs.qsub(ALICE, "-l", f"{pbs.shape()},walltime=60", "--", "/bin/sleep", "2")
    b = pbs.qsub(BOB, "-l", f"{pbs.shape(1, 2)},walltime=60", "--", "/bin/sh", "-c", "exit 3")
    pbs.ended("their ends", a, b)
    assert pbs.look()[b][pbs.status] == 3 and len(pbs.places(a)) == 1
    wait_for(lambda: len([j for j in pbs.lines("showq", "-c") if j["id"] in (a, b)]) == 2,
             "both in accounting", SECONDS, pbs.story)


def test_holds_dependencies_and_array_limits_are_kept(pbs):
    """qrun itself keeps none of them."""
    held = pbs.qsub(ALICE, "-h", "-l", "walltime=60", "--", "/bin/true")
    first = pbs.qsub(ALICE, "-l", "walltime=60", "--", "/bin/sleep", "4")
    after = pbs.qsub(BOB, "-W", f"depend=afterok:{first}", "-l", "walltime=60", "--",
                     "/bin/true")
    array = pbs.qsub(BOB, *pbs.array("1-5%2"), "-l", "walltime=60", "--", "/bin/sleep", "2")
    members = [array.replace("[]", f"[{i}]") for i in range(1, 6)]
    most = 0

    def over():
        nonlocal most
        letters = pbs.letters(*members)
        most = max(most, letters.count("R"))
        return set(letters) <= {"X", pbs.over}
    wait_for(over, "the array's end", SECONDS, lambda: pbs.story(*members[:1]))
    assert 1 <= most <= 2
    pbs.ended("the dependency", first, after)
    assert pbs.look()[after][pbs.began] is not None and pbs.letters(held) == "H"
    pbs.pbs("qrls", held, user=ALICE)
    pbs.ended("the released", held)


def test_a_job_that_can_never_run_waits(pbs):
    """And it starts when a machine is there that it fits on; others go on."""
    of_openpbs(pbs)  # TORQUE refuses it
    wide = pbs.qsub(BOB, "-l", "select=1:ncpus=4000,walltime=60", "--", "/bin/true")
    pbs.seen(wide, "Idle")
    small = pbs.qsub(BOB, "-l", "walltime=60", "--", "/bin/true")
    pbs.ended("others", small)
    assert pbs.state(wide) == "Idle"
    assert "can ever satisfy" in pbs.ok("checkjob", wide)


def test_suspended_resumed_requeued_and_cancelled(pbs):
    job = pbs.qsub(ALICE, "-l", "walltime=600", "--", "/bin/sleep", "500")
    pbs.seen(job, "Running")
    pbs.ok("mjobctl", "-s", job)
    pbs.until("suspended", "S", job)
    pbs.seen(job, "Suspended")
    pbs.ok("mjobctl", "-r", job)
    pbs.until("resumed", "R", job)
    pbs.seen(job, "Running")
    runs = pbs.look()[job][pbs.runs]
    pbs.ok("mjobctl", "-R", job)
    wait_for(lambda: pbs.look()[job][pbs.runs] == runs + 1, "its second run", SECONDS,
             lambda: pbs.story(job))
    pbs.seen(job, "Running")
    pbs.ok("mjobctl", "-m", "wclimit=900", job)
    wait_for(lambda: pbs.look()[job]["Resource_List"]["walltime"] == "00:15:00", "the limit",
             SECONDS, pbs.story)
    pbs.ok("canceljob", job)
    pbs.ended("cancelled", job)


def test_what_is_said_to_the_server_counts(pbs):
    """Holds of all kinds, another queue, dependencies the other way round, a requeue and an end
    by PBS's own commands."""
    held = pbs.qsub(ALICE, "-h", "-l", "walltime=60", "--", "/bin/sleep", "30")
    pbs.seen(held, "Hold")
    with pbs.queue("maui_test"):
        pbs.pbs("qmove", "maui_test", held, user=ALICE)
        wait_for(lambda: pbs.job(held)["class"] == "maui_test", "its queue", SECONDS,
                 lambda: pbs.story(held))
        for kind in "os":  # one after the other is lifted: the last lets it go
            pbs.pbs("qhold", "-h", kind, held)
        pbs.pbs("qrls", "-h", "u", held, user=ALICE)
        pbs.pbs("qrls", "-h", "o", held)
        wait_for(lambda: pbs.job(held)["rm_holds"] == ["system"], "one hold", SECONDS,
                 lambda: pbs.story(held))
        assert pbs.letters(held) == "H"
        pbs.pbs("qrls", "-h", "s", held)
        pbs.seen(held, "Running")
        runs = pbs.look()[held][pbs.runs]
        pbs.pbs("qrerun", held)
        wait_for(lambda: pbs.look()[held][pbs.runs] > runs, "its second run", SECONDS,
                 lambda: pbs.story(held))
        pbs.seen(held, "Running")
        pbs.pbs("qdel", held, user=ALICE)
        pbs.ended("its end", held)
    later = pbs.qsub(BOB, "-W", "depend=on:1", "-l", "walltime=60", "--", "/bin/true")
    pbs.seen(later, "Hold")
    first = pbs.qsub(BOB, "-W", f"depend=beforeok:{later}", "-l", "walltime=60", "--",
                     "/bin/sleep", "2")
    pbs.ended("both", first, later)
    there = pbs.look()
    assert pbs.when(there[first], pbs.began) < pbs.when(there[later], pbs.began)


def test_the_limit_of_a_waiting_job_is_that_of_pbs(pbs):
    job = pbs.qsub(ALICE, "-h", "-l", "walltime=600", "--", "/bin/sleep", "500")
    pbs.seen(job, "Hold")

    def has(walltime, seconds):
        assert pbs.look()[job]["Resource_List"]["walltime"] == walltime
        wait_for(lambda: pbs.job(job)["wclimit_s"] == seconds, "the limit here", SECONDS,
                 lambda: pbs.story(job))
    pbs.ok("mjobctl", "-m", "wclimit=900", job)
    has("00:15:00", 900)
    pbs.pbs("qalter", "-l", "walltime=700", job, user=ALICE)
    has("00:11:40", 700)
    pbs.ok("mjobctl", "-m", "wclimit=800", job)
    pbs.pbs("qrls", job, user=ALICE)
    pbs.until("its run", "R", job)
    has("00:13:20", 800)
    pbs.ok("canceljob", job)
    pbs.ended("cancelled", job)


def test_the_hook_wakes_it_and_the_reason_is_shown(idle):
    """POLLINTERVAL is an hour: what is not told by the hook would not be seen."""
    of_openpbs(idle)
    idle.configure("RMCFG[pbs] TYPE=PBS POLLINTERVAL=1:00:00\nADMIN1 root\n", plain=True)
    idle.ok("pbs", "install")
    idle.ok("serve")
    wait_for(lambda: "Idle" in idle.run("diagnose", "-n").stdout, "the first look", SECONDS,
             idle.story)
    for user in USERS:
        job = idle.qsub(user, "-l", "walltime=60", "--", "/bin/sleep", "1")
        idle.ended("its end", job)
    wide = idle.qsub(BOB, "-l", "select=1:ncpus=4000,walltime=60", "--", "/bin/true")
    wait_for(lambda: "no set of nodes" in idle.look()[wide].get("comment", ""),
             "why it waits", SECONDS, lambda: idle.story(wide))
    idle.pbs("qalter", "-l", "select=1:ncpus=1", wide, user=BOB)
    idle.ended("the changed one", wide)


def test_jobs_and_arrays_are_spread_over_hosts(pbs):
    if len(pbs.hosts()) < 2:
        pytest.skip("NOT TESTED on a real PBS: it has one host")
    alone = ("-n",) if pbs.torque else ("-l", "place=excl")
    apart = ("-n",) if pbs.torque else ("-l", "place=scatter:excl")
    wide = pbs.qsub(ALICE, "-l", pbs.shape(1, 2), *apart, "-l", "walltime=60", "--",
                    "/bin/sleep", "3")
    array = pbs.qsub(BOB, *pbs.array("1-8"), "-l", f"{pbs.shape()},walltime=60", *alone, "--",
                     "/bin/sleep", "2")
    members = [array.replace("[]", f"[{i}]") for i in range(1, 9)]
    wait_for(lambda: set(pbs.letters(wide, *members)) <= {"X", pbs.over}, "all ends", SECONDS,
             lambda: pbs.story(wide, *members[:2]))
    there = pbs.look()
    assert there[wide][pbs.status] == 0
    assert pbs.torque or len(pbs.places(wide)) == 2  # nodes=2 may be two tasks of a node
    assert all(there[m][pbs.status] == 0 for m in members)
    assert len(set.union(*(pbs.places(m) for m in members))) > 1


def test_nothing_is_lost_or_started_twice_when_something_is_killed(pbs):
    """The daemon, its adapter, on OpenPBS the programs of the library, the server and the
    node's daemon, by turns."""
    pbs.ok("pbs", "install")
    counts = pathlib.Path(pbs.home) / "runs"
    counts.mkdir()
    counts.chmod(0o777)
    pathlib.Path(pbs.home).chmod(0o755)
    jobs, since = [], {}
    for turn in range(int(os.environ.get("MAUI_CHAOS_ROUNDS", "10"))):
        for user in USERS:
            jobs.append(pbs.qsub(user, "-l", "walltime=60", "--", "/bin/sh", "-c",
                                 f"echo x >>{counts}/$PBS_JOBID; sleep 0.{turn % 10}"))
        # blows that come faster than everything is back hit nothing
        busy_until = time.time() + 30
        while len(jobs) - len(list(counts.iterdir())) > 24 and time.time() < busy_until:
            pbs.give_back(counts, since, *jobs)
            time.sleep(0.5)
        time.sleep(0.2 * (turn % 7))
        pbs.strike(pbs.victims[turn % len(pbs.victims)])

    def over():
        pbs.give_back(counts, since, *jobs)
        return all(letter == pbs.over or (letter == "-" and pbs.dropped(job))
                   for letter, job in zip(pbs.letters(*jobs), jobs))
    wait_for(over, "all ends", 4 * SECONDS, lambda: pbs.story(*jobs))
    runs = {f.name.split(".")[0]: f.read_text().count("x") for f in counts.iterdir()}
    dropped = [job for job in jobs if job not in runs and pbs.dropped(job)]
    print(f"dropped by PBS itself: {dropped}")
    assert set(runs) == set(jobs) - set(dropped)
    twice = [job for job, n in runs.items() if n > 1]
    print(f"run twice by PBS itself: {twice}")
    assert all(pbs.refused_by_node(job) for job in twice)
    events = (pathlib.Path(pbs.home) / "log/events.log").read_text().splitlines()
    gone = [json.loads(line) for line in events if "JOBCANCEL" in line]
    print(f"ends that were not seen: {len(gone)}")
    # none was taken anew, and none that has run counts as cancelled
    assert {event.get("reason") for event in gone} <= {"vanished"}, "\n".join(
        line for event in gone for line in [str(event), *pbs.log().splitlines()]
        if event["object"] in line)
