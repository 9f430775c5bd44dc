# SPDX-License-Identifier: Apache-2.0
"""Starts that hang or fail: in what is the user's, never in the keeper; nobody else waits
for them, nobody is told that they run, and they are counted as failed starts."""
import ctypes
import os
import signal
import subprocess
import sys

import pytest

from live_users import Users

PATIENT = "RMPOLLINTERVAL 1\nRMCFG[local] TYPE=LOCAL STARTLIMIT=3 KILLGRACE=1\n"


def fifo(daemon, name="pipe"):
    path = f"{daemon.home}/{name}"
    os.mkfifo(path)
    return path


def keepers(daemon, job=None):
    """Process ids of this daemon's keepers, or of that of one job."""
    folder = f"{daemon.home}/spool/jobs/{job if job else ''}"
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as f:
                words = f.read().split("\0")
            with open(f"/proc/{pid}/comm") as f:
                name = f.read().strip()
        except OSError:
            continue
        if "keeper" in words[0] and any(
                w == folder or (not job and w.startswith(folder)) for w in words):
            found.append((name, int(pid)))
    return [pid for name, pid in found if name == "maui-keeper"]


def rows(daemon, job):
    status, all_rows = daemon.api("/v1/accounting")
    assert status == 200
    all_rows = [all_rows] if isinstance(all_rows, dict) else all_rows
    return [r for r in all_rows if r.get("id") == job]


@pytest.mark.parametrize("member", ["output", "error"])
def test_a_fifo_that_nobody_reads_is_a_failed_start(daemon, member):
    daemon.configure(PATIENT + "DEFERTIME 5:00\n")
    daemon.start()
    path = fifo(daemon)
    job = daemon.submit("true", **{member: path})
    daemon.wait(lambda: daemon.job(job).get("defer_until"), "the deferral")
    record = daemon.job(job)
    assert path in record["hold_text"] and "it has no reader" in record["hold_text"]
    assert not record.get("start_at")
    daemon.ok("canceljob", job)
    daemon.wait(lambda: not keepers(daemon), "the end of its keeper")


def test_a_fifo_that_is_read_is_an_output(live):
    path = fifo(live)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    live.submit("echo heard", output=path, error="/dev/null")
    text = []

    def heard():
        try:
            text.append(os.read(reader, 100))
        except BlockingIOError:
            pass
        return b"".join(text) == b"heard\n"

    live.wait(heard, "the words")
    os.close(reader)


@pytest.fixture
def hung(daemon):
    """A folder on a file system whose server never answers: who touches it hangs."""
    libc = ctypes.CDLL(None, use_errno=True)
    folder = f"{daemon.home}/hung"
    os.mkdir(folder)
    try:
        server = os.open("/dev/fuse", os.O_RDWR)
    except OSError as e:
        pytest.skip(f"NOT TESTED, a file system that hangs: {e}")
    options = f"fd={server},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"hung", folder.encode(), b"fuse", 0, options.encode()) != 0:
        os.close(server)
        pytest.skip("NOT TESTED, a file system that hangs: it cannot be mounted")
    yield folder
    libc.umount2(folder.encode(), 2)
    os.close(server)


HANGS = {
    "output": lambda folder: {"output": f"{folder}/out"},
    "error": lambda folder: {"error": f"{folder}/err"},
    "directory": lambda folder: {"directory": folder},
    "program": lambda folder: {"script": f"#!{folder}/sh\ntrue\n"},
}


@pytest.mark.parametrize("what", sorted(HANGS))
def test_what_hangs_delays_nobody_else_and_is_never_running(daemon, hung, what):
    daemon.configure(PATIENT + "DEFERTIME 5:00\n")
    daemon.nodes = "1x2"
    daemon.start()
    users = Users(daemon)
    stuck = users.submit("nobody", **HANGS[what](hung))
    other = users.submit("games", script="#!/bin/sh\nexec sleep 60\n")
    daemon.wait(lambda: daemon.state(other) == "Running", "the other's start", 2.5)
    assert daemon.state(stuck) == "Starting"
    assert "STARTING" in daemon.ok("showq").upper()
    daemon.wait(lambda: daemon.job(stuck).get("defer_until"), "the failed start")
    record = daemon.job(stuck)
    assert "hangs at" in record["hold_text"], record
    if what != "program":
        assert hung in record["hold_text"]
    assert daemon.state(other) == "Running"
    daemon.ok("canceljob", stuck)
    daemon.wait(lambda: len(keepers(daemon)) == 1, "its keeper's end")
    assert [r["state"] for r in rows(daemon, stuck)] == ["Removed"]
    assert not rows(daemon, stuck)[0].get("start_at")


def test_a_start_that_hangs_is_cancelled_at_once(daemon, hung):
    daemon.configure(PATIENT.replace("STARTLIMIT=3", "STARTLIMIT=600"))
    daemon.nodes = "1x2"
    daemon.start()
    stuck = daemon.submit(output=f"{hung}/out", requests=[{"tasks": 2}])
    daemon.wait(lambda: daemon.state(stuck) == "Starting", "the start")
    daemon.wait(lambda: keepers(daemon), "its keeper")
    waiting = daemon.submit(requests=[{"tasks": 2}])
    assert daemon.state(waiting) == "Idle"
    daemon.ok("canceljob", stuck)
    daemon.wait(lambda: daemon.state(waiting) == "Running", "the next start", 10)
    assert [r["state"] for r in rows(daemon, stuck)] == ["Removed"]


def test_its_limit_counts_from_when_it_runs(daemon, hung):
    """Longer in starting than its limit is: not cancelled for that."""
    daemon.configure(PATIENT + "DEFERTIME 5:00\n")
    daemon.start()
    stuck = daemon.submit(wclimit_s=1, output=f"{hung}/out")
    daemon.wait(lambda: daemon.job(stuck).get("defer_until"), "the failed start")
    assert "wallclock" not in daemon.log()


def test_a_daemon_killed_under_a_hanging_start_finds_the_job_waiting(daemon, hung):
    daemon.configure(PATIENT + "DEFERTIME 5:00\n")
    daemon.start()
    stuck = daemon.submit(output=f"{hung}/out")
    daemon.wait(lambda: daemon.state(stuck) == "Starting" and keepers(daemon), "the start")
    daemon.kill()
    daemon.start()
    assert daemon.state(stuck) != "Running"
    daemon.wait(lambda: daemon.job(stuck).get("defer_until"), "the second start's failure", 30)
    assert not rows(daemon, stuck)


def test_a_keeper_that_does_not_answer_is_ended(daemon):
    daemon.configure(PATIENT)
    daemon.nodes = "1x1"
    daemon.start()
    job = daemon.submit()
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    for keeper in keepers(daemon):
        os.kill(keeper, signal.SIGSTOP)
    waiting = daemon.submit()
    daemon.ok("canceljob", job)
    daemon.wait(lambda: daemon.state(waiting) == "Running", "the next start", 40)
    assert len(rows(daemon, job)) == 1


def test_a_job_whose_keeper_cannot_be_ended_runs_for_all_to_see(daemon):
    """LOCAL tells what changes and nothing else: also how a job is that was to be cancelled, and was not."""
    daemon.configure(PATIENT)
    daemon.start()
    job = daemon.submit("sleep 1000")
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    kept, lock = keepers(daemon, job), f"{daemon.home}/spool/jobs/{job}/lock"
    for keeper in kept:
        os.kill(keeper, signal.SIGSTOP)
    os.rename(lock, f"{lock}.aside")  # nobody can tell who is to be killed
    open(lock, "w").close()
    daemon.ok("canceljob", job)
    daemon.wait(lambda: daemon.state(job) == "Running", "that it runs", 60)
    assert "does not end it: its keeper does not answer" in daemon.ok("checkjob", job)
    assert f"cancel: that of job '{job}' is refused" in daemon.ok("diagnose", "-R")
    os.rename(f"{lock}.aside", lock)
    for keeper in kept:
        os.kill(keeper, signal.SIGCONT)
    daemon.wait(lambda: daemon.state(job) in (None, "Removed"), "its end", 60)
    assert "is refused" not in daemon.ok("diagnose", "-R")


def test_a_keeper_that_never_gets_to_the_start_is_ended(daemon):
    """Its lock is another's: as if it hung in the spool."""
    daemon.configure(PATIENT.replace("STARTLIMIT=3", "STARTLIMIT=1") + "DEFERTIME 5:00\n")
    daemon.start()
    job = daemon.submit(hold=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", "import fcntl, sys, time\n"
         "f = open(sys.argv[1], 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)\n"
         "print('locked', flush=True)\ntime.sleep(60)",
         f"{daemon.home}/spool/jobs/{job}/lock"], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"locked\n"
    daemon.ok("releasehold", "-a", job)
    daemon.wait(lambda: daemon.job(job).get("defer_until"), "the failed start", 40)
    holder.kill()
    holder.communicate()
    daemon.wait(lambda: not keepers(daemon), "the end of its keeper")


def test_failed_starts_follow_defertime_and_defercount(daemon):
    daemon.configure(PATIENT + "DEFERTIME 2\nDEFERCOUNT 2\n")
    daemon.start()
    job = daemon.submit("true", output=fifo(daemon))
    daemon.wait(lambda: "batch" in (daemon.job(job).get("holds") or []), "the batch hold", 30)
    record = daemon.job(job)
    assert record["defer_count"] == 3 and record["start_count"] == 3, record
    daemon.ok("releasehold", "-b", job)


def test_starts_before_deferstartcount_are_not_deferred(daemon):
    daemon.configure(PATIENT + "DEFERTIME 5:00\nDEFERSTARTCOUNT 3\n")
    daemon.start()
    job = daemon.submit("true", output=fifo(daemon))
    daemon.wait(lambda: daemon.job(job).get("defer_until"), "the deferral")
    record = daemon.job(job)
    assert record["defer_count"] == 1 and record["start_count"] == 3, record


ESCAPE = """#!/bin/sh
for i in 1 2 3; do
  setsid env -i /bin/sh -c 'trap "" TERM HUP INT
    (setsid env -i sleep 4711 &) ; echo $$ >>{pids}; exec sleep 4711' &
done
sleep 60
"""


def alive(pids):
    try:
        with open(pids) as f:
            return [p for p in f.read().split() if os.path.exists(f"/proc/{p}/cwd")]
    except FileNotFoundError:
        return []


def test_nothing_outlives_a_killed_keeper(daemon):
    """Without control groups, and though it left session and environment behind."""
    daemon.configure("RMPOLLINTERVAL 1\nRMCFG[local] TYPE=LOCAL CGROUP=NONE KILLGRACE=1\n")
    daemon.start()
    pids = f"{daemon.home}/pids"
    job = daemon.submit(script=ESCAPE.format(pids=pids))
    daemon.wait(lambda: len(alive(pids)) == 3, "its processes")
    for keeper in keepers(daemon):
        os.kill(keeper, signal.SIGKILL)
    daemon.wait(lambda: daemon.job(job) is None, "the end")
    assert not alive(pids)
    assert [r["exit_status"] for r in rows(daemon, job)] == [137]
    found = subprocess.run(["pgrep", "-f", "^sleep 4711$"], capture_output=True, text=True)
    assert found.stdout == ""


def test_a_job_begins_as_processes_of_the_machine_do(daemon, build):
    """Not with what the daemon was given: niceness, limits, what the kernel kills first."""
    told = f"{daemon.home}/told"
    daemon.program = f"{daemon.home}/given"
    with open(daemon.program, "w") as f:
        f.write("#!/bin/sh\nulimit -S -n 3000; ulimit -s 4096; umask 077; renice -n 3 $$ >/dev/null\n"
                f"echo 200 >/proc/self/oom_score_adj\nexec {build}/src/client/maui \"$@\"\n")
    os.chmod(daemon.program, 0o755)
    daemon.start()
    daemon.submit(f"(ulimit -n; ulimit -c; nice; cat /proc/self/oom_score_adj) >{told}.new; "
                  f"mv {told}.new {told}", umask=0o22)
    daemon.wait(lambda: os.path.exists(told), "its words")
    with open(told) as f:
        files, core, nice, killed = f.read().split()
    assert (files, core) == ("1024", "0")
    if os.geteuid() == 0:
        assert (nice, killed) == ("0", "0")
