# SPDX-License-Identifier: Apache-2.0
"""The Grid Engine driver on a real one: hosts that are closed or lost, and whatever is killed,
refused or deleted in between."""
import pathlib
import subprocess

import pytest


def test_a_job_waits_while_all_hosts_are_closed(ge):
    ge.maui.start()
    ge.run("qmod", "-d", "*@*")
    try:
        ge.maui.wait(lambda: "Drained" in ge.maui.ok("checknode", "cn01"), "the closed host", 30)
        jobs = [ge.submit("alice", "sleep 2"), ge.submit("bob", "sleep 2", "-pe", "mpi", 6)]
        after = ge.submit("alice", "sleep 1", "-hold_jid", jobs[0])
        for job in (*jobs, after):
            ge.maui.until(job, "Idle")
        seen = ge.submit("bob", "sleep 2", "-q", "debug")  # cycles have passed when it is seen
        ge.maui.until(seen, "Idle")
        assert all(ge.maui.job(job)["state"] == "Idle" for job in jobs)
        assert "defer" not in ge.maui.ok("checkjob", jobs[1]).lower()
        ge.wait(lambda: f"(checkjob {jobs[1]})" in ge.run("qstat", "-j", jobs[1], user="bob"),
                "the reason where its user sees it")
        assert f"depends on job {jobs[0]}" in ge.maui.ok("checkjob", after)
        why = "Drained: queue batch is disabled (qmod -e enables it); queue debug is disabled"
        # a host may only just have come to the new master
        ge.maui.wait(lambda: f"3 nodes are {why}" in ge.maui.ok("checkjob", jobs[0]),
                     "what all nodes say")
        assert "ALERT:  queue batch is disabled" in ge.maui.ok("checknode", "cn01")
    finally:
        ge.run("qmod", "-e", "*@*")
    for job in (*jobs, after):
        ge.maui.until(job, "Completed")
    assert int(ge.accounted(after)[0][9]) >= int(ge.accounted(jobs[0])[0][10])


def test_a_host_is_lost_and_comes_back(ge):
    ge.maui.start()
    job = ge.submit("alice", "sleep 300")
    host = ge.maui.until(job, "Running")["master_host"]
    pid = ge.run("sh", "-c", f"cat {ge.dir}/spool/execd/{host}/execd.pid").strip()
    ge.run("kill", "-9", pid)
    ge.maui.wait(lambda: "Down" in ge.maui.ok("checknode", host), "the host is down", 60)
    other = ge.submit("bob", "true")
    assert ge.maui.until(other, "Completed")["master_host"] != host
    subprocess_on(ge, host, "sge_execd")
    ge.maui.wait(lambda: "Down" not in ge.maui.ok("checknode", host), "the host is back", 60)
    assert ge.maui.state(job) == "Running"


def subprocess_on(ge, host, *words):
    done = subprocess.run([f"{ge.dir}/on-{host}", *words], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("away", ["daemon", "adapter"])
def test_a_job_that_went_unseen_frees_its_slots_and_is_told_once(ge, away):
    """Deleted while the daemon, or its adapter alone, was down, and not in the accounting file
    (rotated, say)."""
    ge.maui.start()
    job = ge.submit("alice", "sleep 300", "-pe", "smp", 4, "-q", "batch@cn01")
    ge.maui.until(job, "Running")
    waits = ge.submit("bob", "true", "-pe", "smp", 4, "-q", "batch@cn01")
    ge.maui.until(waits, "Idle")
    if away == "daemon":
        ge.maui.kill()
    else:
        adapter = ge.maui.adapter()
        ge.run("kill", "-STOP", adapter)
    ge.run("qdel", "-f", job)
    ge.wait(lambda: not ge.state(job), "its end there")
    ge.wait(lambda: ge.accounted(job), "its account")
    path = pathlib.Path(f"{ge.dir}/root/default/common/accounting")
    path.write_text("".join(line for line in path.read_text().splitlines(True)
                            if line.startswith("#") or line.split(":")[5] != job))
    if away == "daemon":
        ge.maui.start()
    else:
        ge.run("kill", "-9", adapter)  # the next one has never seen it
    ge.maui.until(waits, "Completed")
    has_vanished_once(ge, job)


def has_vanished_once(ge, job):
    ended = [j for j in ge.maui.lines("showq", "-c") if j["id"] == job]
    assert [j["user"] for j in ended] == ["alice"] and ended[0]["start_at"] > 0, ended
    events = (pathlib.Path(ge.maui.home) / "log" / "events.log").read_text().splitlines()
    assert len([e for e in events if '"vanished"' in e and f'"object":"{job}"' in e]) == 1


def test_what_the_master_alone_has_lost_frees_its_slots_and_is_told_once(ge):
    """Its spool comes from a copy that was made before: daemon and adapter go on. The number
    of the one that is lost is another's then."""
    ge.maui.start()
    waits = ge.submit("bob", "true", "-h", "-pe", "smp", 4, "-q", "batch@cn01")
    ge.maui.until(waits, "Hold")
    spool, copy = f"{ge.dir}/spool/db", f"{ge.dir}/spool/copy"
    ge.kill_master()
    ge.run("cp", "-a", spool, copy)
    ge.start_master()
    job = ge.submit("alice", "sleep 300", "-pe", "smp", 4, "-q", "batch@cn01")
    ge.maui.until(job, "Running")
    ge.kill_master()
    ge.run("rm", "-rf", spool)
    ge.run("mv", copy, spool)
    ge.start_master()
    ge.maui.wait(lambda: ge.maui.state(job) == "Vacated", "its being gone")
    ge.run("qrls", waits, user="bob")
    ge.maui.until(waits, "Completed")
    has_vanished_once(ge, job)
    again = ge.submit("bob", "true", "-q", "batch@cn02")
    assert again == job
    ge.maui.wait(lambda: [j["user"] for j in ge.maui.lines("showq", "-c") if j["id"] == job]
                 == ["alice", "bob"], "its end")


def test_a_job_that_is_deleted_as_it_is_let_go_is_gone_at_once(ge):
    """Not after the 40 s in which the end of a run has to be accounted for."""
    ge.maui.start()
    ge.maui.ok("schedctl", "-s")
    job = ge.submit("alice", "true")
    ge.maui.until(job, "Idle")
    ge.wait(lambda: job in ge.run("qstat", "-u", "*", "-s", "hs"), "our hold")
    ge.run("kill", "-STOP", ge.maui.adapter())
    try:
        ge.run("qdel", job, user="alice")
        ge.maui.ok("schedctl", "-r")
        ge.maui.until(job, "Starting")  # the order waits for the adapter
    finally:
        ge.run("kill", "-CONT", ge.maui.adapter())
    ge.maui.wait(lambda: ge.maui.state(job) == "Removed", "its end", 25)


def test_what_was_acknowledged_is_carried_out_though_the_daemon_is_killed(ge):
    """More than are carried out at a time."""
    ge.maui.start()
    ge.maui.ok("schedctl", "-s")
    jobs = [ge.submit("alice", "true") for _ in range(12)]
    ge.maui.until(jobs[-1], "Idle")
    ge.maui.ok("canceljob", *jobs)
    ge.maui.kill()
    ge.wait(lambda: not ge.run("qstat", "-u", "*").strip(), "the end of all", 20)


def test_one_start_of_several_that_is_refused_holds_up_no_other(ge):
    """Starts that differ in nothing but the job are one command, of which Grid Engine
    refuses one: the others run, once each."""
    ge.maui.start()
    ge.maui.ok("schedctl", "-s")
    jobs = [ge.submit(user, "sleep 1", "-q", "batch@cn01") for user in ("alice", "bob") * 2]
    for job in jobs:
        ge.maui.until(job, "Idle")
    ge.wait(lambda: all(j in ge.run("qstat", "-u", "*", "-s", "hs") for j in jobs), "our holds")
    ge.run("kill", "-STOP", ge.maui.adapter())
    try:
        ge.run("qdel", jobs[1], user="bob")
        ge.maui.ok("schedctl", "-r")
        for job in jobs:
            ge.maui.until(job, "Starting")
    finally:
        ge.run("kill", "-CONT", ge.maui.adapter())
    for job in jobs[:1] + jobs[2:]:
        assert ge.maui.until(job, "Completed")["exit_status"] == 0
        assert len(ge.accounted(job)) == 1
        assert "defer" not in ge.maui.ok("checkjob", job).lower()
    ge.maui.until(jobs[1], "Removed")
    assert not ge.accounted(jobs[1])
