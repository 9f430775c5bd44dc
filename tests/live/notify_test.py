# SPDX-License-Identifier: Apache-2.0
"""What the site hears: notifications, feedback, the event log, statistics files."""
import glob
import json
import os
import shutil
import subprocess

TELL = 'printf "%s\\n" "$*" >> {home}/told\n'


def tool(daemon, name, script=TELL):
    """A program in TOOLSDIR; its words, a call a line, are in HOME/told."""
    os.makedirs(f"{daemon.home}/tools", exist_ok=True)
    path = f"{daemon.home}/tools/{name}"
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + script.format(home=daemon.home))
    os.chmod(path, 0o755)
    return path


def told(daemon):
    try:
        with open(f"{daemon.home}/told") as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def wait_told(daemon, begin, seconds=60):
    return daemon.wait(lambda: [t for t in told(daemon) if t.startswith(begin)], begin,
                       seconds)[0]


def events(daemon, name=None):
    with open(f"{daemon.home}/log/events.log") as f:
        all = [json.loads(line) for line in f]
    return [e for e in all if name in (None, e["event"])]


def test_a_job_held_after_defercount_is_notified(daemon):
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\nDEFERTIME 1\nDEFERCOUNT 1\n"
                     "RMPOLLINTERVAL 1\n")
    daemon.start()
    job = daemon.submit(requests=[{"tasks": 1000}])
    text = wait_told(daemon, "JOBHOLD:  ")
    assert f"job '{job}' is held after" in text and "NoResources" in text
    assert any(e["object"] == job for e in events(daemon, "JOBHOLD"))


def test_a_job_beyond_a_hard_limit_is_notified_once_in_the_interval(daemon):
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\nUSERCFG[DEFAULT] MAXPROC=1\nDEFERTIME 1\n"
                     "RMPOLLINTERVAL 1\n")
    daemon.start()
    job = daemon.submit(requests=[{"tasks": 2}])
    assert f"job '{job}' violates a hard limit" in wait_told(daemon, "JOBLIMITVIOLATION:  ")
    daemon.wait(lambda: len(events(daemon, "JOBLIMITVIOLATION")) > 1, "another deferral")
    assert len([t for t in told(daemon) if t.startswith("JOBLIMITVIOLATION")]) == 1


def test_a_start_that_fails_is_notified(daemon):
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\n")
    daemon.start()
    first = daemon.submit(requests=[{"tasks": 8}])
    job = daemon.submit(requests=[{"tasks": 8}])
    daemon.wait(lambda: daemon.state(first) == "Running", "the start")
    shutil.rmtree(glob.glob(f"{daemon.home}/spool/**/{job}", recursive=True)[0])
    daemon.ok("canceljob", first)
    assert f"job '{job}' could not be started" in wait_told(daemon, "JOBSTARTFAILURE:  ")


def test_a_job_beyond_its_wallclock_limit_is_notified(daemon):
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\nRMPOLLINTERVAL 1\n")
    daemon.start()
    job = daemon.submit("sleep 60", wclimit_s=1)
    text = wait_told(daemon, "JOBWCVIOLATION:  ")
    assert f"job '{job}' exceeded its wallclock limit of 1 seconds" in text
    daemon.wait(lambda: daemon.job(job) is None, "the end")


def test_reservations_made_and_gone_are_notified_and_standing_ones_when_gone(daemon):
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\nSRCFG[night] PERIOD=INFINITY HOSTLIST=node01\n")
    daemon.start()
    daemon.ok("setres", "-n", "test", "-d", "100", "node02")
    words = wait_told(daemon, "RESERVATIONCREATED:  test.").split()
    assert words[1] == "test.0" and words[-1] == "1"
    assert int(words[-2]) - int(words[-3]) == 100
    daemon.ok("releaseres", "test.0")
    wait_told(daemon, "RESERVATIONDESTROYED:  test.0 ")
    assert not [t for t in told(daemon) if "CREATED" in t and "night" in t]
    daemon.kill()
    daemon.start()
    daemon.ok("setres", "-n", "other", "-d", "100", "node02")
    wait_told(daemon, "RESERVATIONCREATED:  other.")
    assert not [t for t in told(daemon) if "night" in t]


def test_a_failing_resource_manager_is_notified_once(daemon):
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\nAPIFAILURETHRESHHOLD 2\nRMPOLLINTERVAL 1\n")
    daemon.start()
    shutil.move(f"{daemon.home}/spool", f"{daemon.home}/away")
    daemon.api("/v1/jobs", {"script": "#!/bin/sh\n", "wclimit_s": 10, "directory": "/tmp"})
    assert "fails" in wait_told(daemon, "RMFAILURE:  ")
    shutil.move(f"{daemon.home}/away", f"{daemon.home}/spool")


def test_a_state_that_cannot_be_written_is_notified_at_once(daemon):
    import sqlite3
    tool(daemon, "notify")
    daemon.configure("NOTIFICATIONPROGRAM notify\n")
    daemon.start()
    job = daemon.submit(hold=True)
    other = sqlite3.connect(f"{daemon.home}/state.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    daemon.api("/v1/orders/priority", {"jobs": [job], "priority": 7})
    wait_told(daemon, "STATEFAILURE:  ")
    other.close()
    wait_told(daemon, "STATERECOVERED:  ")


def test_feedback_gets_sixteen_facts_of_a_job_that_ran(daemon):
    tool(daemon, "feedback", 'for a; do printf "%s|" "$a"; done >> {home}/told; '
                             'echo >> {home}/told\n')
    daemon.configure("FEEDBACKPROGRAM feedback\n")
    daemon.start()
    job = daemon.submit("sleep 1; exit 3", wclimit_s=77, requests=[{"tasks": 2}])
    never = daemon.submit(hold=True)
    daemon.ok("canceljob", never)
    facts = wait_told(daemon, f"{job}|").split("|")[:-1]
    assert len(facts) == 16
    assert facts[1] == os.environ.get("USER", "root") or facts[1]
    assert facts[2:5] == ["NONE", "Completed", "NONE"]
    submit, start, end = map(int, facts[5:8])
    assert submit <= start <= end - 1
    assert float(facts[8]) >= 1.0 and facts[9:11] == ["77", "2"]
    assert all(float(f) >= 0 for f in facts[11:])
    assert len(told(daemon)) == 1


def test_users_texts_stay_one_argument_and_nothing_is_run_by_them(daemon):
    tool(daemon, "notify", 'echo "$# <$1>" >> {home}/told\n')
    daemon.configure("NOTIFICATIONPROGRAM notify\n")
    daemon.start()
    daemon.ok("setres", "-n", "a$(touch${IFS}x)b", "-d", "100", "node02")
    assert daemon.wait(lambda: told(daemon), "a call")[0].startswith("1 <RESERVATIONCREATED:  ")
    assert not os.path.exists(f"{daemon.home}/x")


def test_a_program_that_is_missing_hangs_or_floods_leaves_the_daemon_alone(daemon):
    tool(daemon, "notify", "yes; sleep 1000\n")
    daemon.configure("NOTIFICATIONPROGRAM notify\nFEEDBACKPROGRAM /no/such/feedback\n")
    daemon.start()
    assert "FEEDBACKPROGRAM '/no/such/feedback' cannot be executed" in daemon.log()
    for i in range(30):
        daemon.ok("setres", "-n", f"r{i}", "-d", "1000", "node02")
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.job(job) is None, "the end")
    assert daemon.api("/v1/scheduler")[0] == 200
    subprocess.run(["pkill", "-KILL", "-f", f"{daemon.home}/tools/notify"], check=False)


def test_events_are_numbered_over_restarts(live):
    job = live.submit("true")
    live.wait(lambda: any(e["object"] == job for e in events(live, "JOBEND")), "the end")
    mine = [e["event"] for e in events(live) if e["object"] == job]
    assert mine == ["JOBSUBMIT", "JOBSTART", "JOBEND"]
    start = [e for e in events(live, "JOBSTART") if e["object"] == job][0]
    assert start["procs"] == 1 and start["allocation"] and start["user"]
    live.kill()
    live.start()
    live.wait(lambda: len(events(live, "SCHEDULERSTART")) == 2, "the start")
    numbers = [e["number"] for e in events(live)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_event_log_rolls_and_a_torn_line_is_no_harm(daemon):
    daemon.configure("LOGFILEMAXSIZE 2000\nLOGFILEROLLDEPTH 2\n")
    daemon.start()
    jobs = [daemon.submit(hold=True) for _ in range(40)]
    daemon.wait(lambda: os.path.exists(f"{daemon.home}/log/events.log.2"), "rolling")
    last = daemon.submit(hold=True)
    daemon.kill()
    with open(f"{daemon.home}/log/events.log", "a") as f:
        f.write('{"number":99999,"event":"JOBS')
    daemon.start()
    daemon.ok("canceljob", last)
    daemon.wait(lambda: f'"JOBCANCEL","object":"{last}"' in
                open(f"{daemon.home}/log/events.log").read().replace(" ", ""), "the event")
    assert len(jobs) == 40
    assert not os.path.exists(f"{daemon.home}/log/events.log.3")


def test_the_statistics_file_is_a_trace_that_can_be_replayed(daemon, maui, tmp_path):
    daemon.configure("CLASSCFG[batch] PRIORITY=1\n")
    daemon.start()
    jobs = {}
    for i in range(6):
        tasks = 1 + i % 3
        jobs[daemon.submit("sleep 1", requests=[{"tasks": tasks}], wclimit_s=100 + i,
                           name="a job with blanks # and more")] = tasks
    cancelled = daemon.submit("sleep 60", requests=[{"tasks": 8}])
    daemon.wait(lambda: daemon.state(cancelled) == "Running", "the start")
    daemon.ok("canceljob", cancelled)
    daemon.wait(lambda: len(daemon.lines("showq")) <= 1, "the end of all")
    files = daemon.wait(lambda: glob.glob(f"{daemon.home}/stats/stats.*"), "the file")

    def records():
        return [line.split() for f in files for line in open(f)
                if not line.startswith(("#", "VERSION"))]

    daemon.wait(lambda: len(records()) == 7, "the records")
    assert all(len(r) == 44 for r in records())
    assert {r[0]: int(r[2]) * int(r[31]) for r in records()} == dict(jobs, **{cancelled: 8})
    assert {r[0]: r[6] for r in records()}[cancelled] == "Removed"
    daemon.stop()
    nodes = glob.glob(f"{daemon.home}/stats/resources.*")
    out = tmp_path / "jobs.tsv"
    done = maui("sim", "--trace", files[0], "--resources", nodes[0], "--jobs-out", str(out))
    assert "7" in done.stdout
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    head, rows = rows[0], [dict(zip(rows[0], r)) for r in rows[1:]]
    assert head[0] == "job_id"
    assert {r["job_id"]: int(r["procs"]) for r in rows} == dict(jobs, **{cancelled: 8})


def test_a_job_that_ends_while_the_daemon_is_down_is_in_the_statistics_once(daemon):
    tool(daemon, "feedback")
    daemon.configure("FEEDBACKPROGRAM feedback\n")
    daemon.start()
    job = daemon.submit("sleep 1")
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
    daemon.kill()
    daemon.wait(lambda: subprocess.run(["pgrep", "-f", f"{daemon.home}/spool"],
                                       check=False, capture_output=True).returncode, "its end")
    for _ in range(2):
        daemon.start()
        wait_told(daemon, f"{job} ")
        daemon.kill()
    assert len(told(daemon)) == 1
    lines = [line for f in glob.glob(f"{daemon.home}/stats/stats.*") for line in open(f)
             if line.startswith(f"{job} ")]
    assert len(lines) == 1
    assert [e["event"] for e in events(daemon) if e["object"] == job].count("JOBEND") == 1
