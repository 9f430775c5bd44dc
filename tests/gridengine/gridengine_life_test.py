# SPDX-License-Identifier: Apache-2.0
"""The Grid Engine driver on a real one: the life of a job."""
import pathlib
import time


def where(ge, job):
    """Where Grid Engine has it, slot by slot."""
    hosts = {}
    mine = False
    for line in ge.run("qstat", "-g", "t", "-u", "*").splitlines()[2:]:
        words = line.split()
        if not line.startswith(" " * 20):
            mine = words[0] == str(job)
        at = [w for w in words if "@" in w]
        if mine and at:
            host = at[0].split("@")[1]
            hosts[host] = hosts.get(host, 0) + 1
    return hosts


def planned(ge, job):
    return {a["node"]: a["tasks"] for a in (ge.maui.job(job) or {}).get("allocation", [])}


def test_jobs_of_two_users_start_where_they_were_put_and_end(ge):
    ge.maui.start()
    jobs = {ge.submit(user, f"id -un; exit {status}"): (user, status)
            for status, user in enumerate(["alice", "bob", "alice", "bob"])}
    for job, (user, status) in jobs.items():
        ended = ge.maui.until(job, "Completed", "Removed")
        assert (ended["user"], ended["exit_status"]) == (user, status)
        runs = ge.accounted(job)
        assert len(runs) == 1 and runs[0][1] == ended["master_host"], runs


def test_nothing_starts_before_the_scheduler_says_so(ge):
    job = ge.submit("alice", "sleep 1")
    ge.wait(lambda: job in ge.run("qstat", "-u", "*", "-s", "ha"), "the gate's start time")
    ge.maui.start()
    ge.maui.ok("schedctl", "-s")  # it decides nothing any more
    second = ge.submit("bob", "sleep 1")
    ge.wait(lambda: second in ge.run("qstat", "-u", "*", "-s", "hs"), "our hold")
    ge.wait(lambda: second not in ge.run("qstat", "-u", "*", "-s", "ha"), "the gate's end")
    # what its user changes does not start it
    ge.run("qalter", "-q", "debug", "-N", "other", second, user="bob")
    ge.wait(lambda: (ge.maui.job(second) or {}).get("class") == "debug", "the other queue")
    assert not ge.accounted(second) and ge.state(second) == "hqw"
    ge.maui.ok("schedctl", "-r")
    ge.maui.until(second, "Completed")
    assert ge.accounted(second)[0][0] == "debug"


def test_users_change_a_job_before_the_scheduler_has_seen_it(ge):
    """The gate keeps it by a start time: holds are the user's own, and go by the user."""
    jobs = {name: ge.submit("alice", "true") for name in ("held", "freed", "timed", "free")}
    own = ge.submit("alice", "true", "-a", "202001010000", "-h")
    ge.run("qhold", jobs["held"], user="alice")
    ge.run("qrls", jobs["freed"], user="alice")
    ge.run("qalter", "-a", "203001010000", jobs["timed"], user="alice")
    assert all(ge.state(job) in ("qw", "hqw") for job in jobs.values())
    ge.maui.start()
    for name in ("freed", "free"):
        ge.maui.until(jobs[name], "Completed")
        assert len(ge.accounted(jobs[name])) == 1
    ge.maui.until(jobs["held"], "Hold")
    ge.maui.until(own, "Hold")
    assert "execution_time" not in ge.run("qstat", "-j", jobs["held"])
    assert "2030" in ge.run("qstat", "-j", jobs["timed"])
    ge.run("qrls", f"{jobs['held']},{own}", user="alice")
    ge.run("qalter", "-a", "202001010000", jobs["timed"], user="alice")
    for job in (jobs["held"], jobs["timed"], own):
        ge.maui.until(job, "Completed")


def test_a_start_does_not_wait_for_grid_engines_own_interval(ge):
    ge.schedule("0:1:0", 0)
    try:
        ge.maui.configure("RMCFG[ge] TYPE=SGE POLLINTERVAL=1:00:00\nRMPOLLINTERVAL 1:00:00\nADMIN1 root\n")
        ge.maui.start()
        job = ge.submit("alice", "sleep 600", "-pe", "mpi", 5)
        began = time.monotonic()
        ge.maui.ok("schedctl", "-r")  # a look, an hour early
        ge.maui.until(job, "Running")  # and not Starting for an hour
        assert time.monotonic() - began < 40
    finally:
        ge.schedule("0:0:2", 1)


def test_a_start_has_the_time_of_grid_engines_own_interval(ge):
    """Where what its scheduler thinks is written to a file it is not asked to run."""
    link = pathlib.Path(ge.dir) / "root/default/common/schedd_runlog"
    link.unlink()
    ge.schedule("0:0:6", 0)
    try:
        ge.maui.configure("RMCFG[ge] TYPE=SGE POLLINTERVAL=1 STARTWAIT=1\nRMPOLLINTERVAL 1\nADMIN1 root\n")
        ge.maui.start()
        ge.maui.until(ge.submit("alice", "true"), "Completed")
        assert "has not started it there" not in ge.maui.log()
        assert not link.exists()
    finally:
        ge.schedule("0:0:2", 1)
        link.symlink_to("/dev/null")


def test_arrays_and_uneven_jobs_run_where_they_were_planned(ge):
    left = pathlib.Path(ge.maui.home, "ge.maui_9.queue")  # by an adapter that was killed
    left.touch()
    ge.maui.start()
    assert not left.exists()
    # four slots a host: seven of them are never alike on two hosts
    go = pathlib.Path(f"{ge.dir}/home/bob/go-arrays")
    until_go = f"while [ ! -e {go} ]; do sleep 0.2; done"
    wide = ge.submit("bob", until_go, "-pe", "mpi", 7)
    tasks = ge.submit("alice", f"{until_go}; sleep 1", "-t", "1-5:2", "-tc", 2)
    some = ge.submit("bob", until_go, "-pe", "smp", "2-4")
    for job in (wide, some, f"{tasks}[1]"):
        ge.maui.until(job, "Running")
    assert planned(ge, wide) == where(ge, wide) and sum(where(ge, wide).values()) == 7
    assert f"maui_{wide}" in ge.run("qconf", "-sql")
    assert planned(ge, some) == where(ge, some) and sum(where(ge, some).values()) == 2
    go.touch()
    for task in (1, 3, 5):
        ge.maui.until(f"{tasks}[{task}]", "Completed")
    ge.maui.until(wide, "Completed")
    ge.wait(lambda: f"maui_{wide}" not in ge.run("qconf", "-sql"), "the end of its queue")
    assert sorted(int(r[35]) for r in ge.accounted(tasks)) == [1, 3, 5]
    go.unlink()


def test_what_can_be_done_with_a_job(ge):
    ge.maui.start()
    job = ge.submit("alice", "sleep 100", "-q", "batch,debug", "-r", "y")
    ge.maui.until(job, "Running")
    refused = ge.maui.run("mjobctl", "-m", "wclimit=900", job)
    assert refused.returncode != 0 and "has begun" in refused.stdout + refused.stderr, refused
    ge.maui.ok("mjobctl", "-s", job)
    ge.maui.until(job, "Suspended")
    ge.maui.ok("mjobctl", "-r", job)
    ge.maui.until(job, "Running")
    ge.maui.ok("mjobctl", "-R", job)
    ge.wait(lambda: len(ge.accounted(job)) == 1, "the end of the first run")
    ge.maui.until(job, "Running")
    # its user: no longer, and the next one
    ge.run("qdel", job, user="alice")
    ge.maui.until(job, "Completed", "Removed")
    assert ge.maui.job(job)["end"]["reason"] in ("cancelled", "signal"), ge.maui.job(job)
    held = ge.submit("bob", "sleep 1", "-h")
    ge.maui.until(held, "Hold")
    refused = ge.maui.run("mjobctl", "-m", "wclimit=INFINITY", "-m", "class=debug", held)
    assert refused.returncode != 0 and f"(qalter {held})" in refused.stdout + refused.stderr, refused
    ge.maui.ok("mjobctl", "-m", "wclimit=900", held)
    assert "h_rt=900" in ge.run("qstat", "-j", held)
    ge.run("qalter", "-l", "h_rt=700", held, user="bob")
    ge.wait(lambda: ge.maui.job(held)["wclimit_s"] == 700, "the limit of there")
    ge.maui.ok("mjobctl", "-m", "wclimit=800", held)
    ge.run("qrls", held, user="bob")
    ge.maui.until(held, "Completed")
    last = ge.submit("bob", "sleep 100", "-hold_jid", "nobody", "-h")
    ge.wait(lambda: ge.maui.job(last), "the job")
    ge.maui.ok("canceljob", last)
    ge.wait(lambda: not ge.state(last), "its end")
    ge.maui.until(last, "Removed")
    assert not ge.accounted(last)


def test_what_qsub_can_ask_for_is_had(ge):
    """The table of docs/gridengine.md, what of it can be seen from outside."""
    path = pathlib.Path(ge.dir) / "group"
    path.write_text("group_name @racks\nhostlist cn02 cn03\n")
    ge.run("qconf", "-Ahgrp", path)
    ge.maui.start()
    ge.maui.ok("schedctl", "-s")
    last = ge.submit("alice", "true", "-a", "203001010000")
    first = ge.submit("alice", "sleep 2", "-t", "1-8:2", "-N", "first")
    jobs = {name: ge.submit("alice", "true", *options) for name, options in {
        "group": ["-q", "batch@@racks"], "groups": ["-q", "*@@r*"],
        "soft": ["-soft", "-q", "debug", "-hard"],
        "reserve": ["-R", "y", "-pe", "mpi", 3], "binding": ["-binding", "linear:1"],
        "priority": ["-p", -5], "share": ["-js", 3], "notify": ["-notify"],
        "open": ["-pe", "mpi", "2-"], "set": ["-pe", "mpi", "2,4"], "wild": ["-pe", "m*", 2],
        "master": ["-pe", "mpi", 2, "-masterq", "batch"], "mail": ["-m", "n", "-A", "books"],
        "context": ["-sc", "a=b", "-ac", "c=d"]}.items()}
    alike = ge.submit("alice", "true", "-t", "1-8:2", "-hold_jid_ad", "first")
    ge.run("qdel", f"{alike}.5")
    # of arrays that wait for tasks too, which Grid Engine does not hold by their number
    ge.wait(lambda: all(job in ge.run("qstat", "-u", "*", "-s", "hs") for job in (last, alike)),
            "our hold")
    ge.maui.ok("schedctl", "-r")
    for name, job in jobs.items():
        assert ge.maui.until(job, "Completed")["exit_status"] == 0, name
        assert len(ge.accounted(job)) == 1, name
    for task in (1, 3, 7):
        ge.maui.until(f"{alike}[{task}]", "Completed")
    ends = {line[35]: int(line[10]) for line in ge.accounted(first)}
    assert all(int(line[9]) >= ends[line[35]] for line in ge.accounted(alike))
    assert {ge.accounted(jobs[n])[0][1] for n in ("group", "groups")} <= {"cn02", "cn03"}
    assert ge.accounted(jobs["soft"])[0][0] == "debug"
    assert ge.maui.job(jobs["mail"])["account"] == "books"
    assert ge.state(last) == "hqw"
    ge.run("qalter", "-a", "202001010000", last, user="alice")
    ge.maui.until(last, "Completed")


def test_advance_reservations_keep_their_hosts_for_those_they_are_for(ge):
    """qrsub: others are not sent there, and those who name it run in it."""
    said = ge.run("qrsub", "-d", "0:20:0", "-q", "batch@cn01", "-pe", "smp", 4, "-u", "alice")
    number = said.split("reservation", 1)[1].split()[0]
    try:
        ge.maui.start()
        ge.maui.wait(lambda: f"ar{number}" in ge.maui.ok("showres"), "the reservation", 30)
        other = ge.submit("bob", "true", "-l", "h_rt=60,hostname=cn01")
        mine = ge.submit("alice", "true", "-ar", number, "-l", "h_rt=60")
        free = ge.submit("bob", "true", "-l", "h_rt=60")
        assert ge.maui.until(mine, "Completed")["master_host"] == "cn01"
        assert ge.maui.until(free, "Completed")["master_host"] != "cn01"
        assert ge.maui.until(other, "Idle")
        assert not ge.accounted(other) and "has not started it there" not in ge.maui.log()
        assert "defer" not in ge.maui.ok("checkjob", other).lower()
        ge.run("qdel", other, user="bob")
    finally:
        ge.run("qrdel", number)


def test_a_context_that_a_user_has_made_up_troubles_nobody_else(ge):
    """Marks of ours, quotes, what looks like the verifier's own lines."""
    ge.maui.start()
    made_up = ge.submit("alice", "true", "-ac", "maui_q=nobody;$(id),maui_class=root")
    lines = ge.submit("alice", "true", "-ac", "k=v\nPARAM h n\nRESULT STATE ACCEPT", "-h")
    named = ge.submit("alice", "true", "-N", "a,b;c\"d", "-ac", "maui_q=debug,maui_gate=zzz")
    quoted = ge.submit("alice", "true", "-ac", "note=it's,b=\"c")
    other = ge.submit("bob", "true")
    for job in (named, quoted, other):
        ge.maui.until(job, "Completed")
    ge.wait(lambda: "maui_gate" not in ge.run("qstat", "-j", made_up), "the gate's end")
    ge.maui.wait(lambda: "unknown queue" in ge.maui.log(), "the refusal", 30)
    last = ge.submit("bob", "true")
    ge.maui.until(last, "Completed")
    assert "state: 'Active'" in ge.maui.ok("diagnose", "-R")
    assert ge.maui.log().count("unknown queue") < 4  # once a minute, not with each look
    assert ge.maui.state(lines) == "Hold" and not ge.accounted(lines)
    assert not ge.accounted(made_up)
